"""StreamsGroupHeartbeat: members, epochs, and which member has which tasks."""

from __future__ import annotations

from typing import Any, Final

from tests.conformance.build_admin import grow
from tests.conformance.build_streams import NO_TASKS, internal, subtopology, topology
from tests.conformance.case import Talk, case
from tests.conformance.consumers import known_topic, set_group
from tests.conformance.streaming import (
    STREAMS_SETTINGS,
    Streamer,
    a_streamer,
    ask_described,
    described,
    one_source,
    settle,
    settled,
    state,
    streamers,
    streams,
)

NOTHING: Final[dict[str, Any]] = {"active": NO_TASKS, "standby": NO_TASKS, "warmup": NO_TASKS}


@streams
def streams_member_joins_and_leaves(k: Talk) -> None:
    (one,) = streamers(k, 1, one_source(known_topic(k, 3)))
    one.join()
    ask_described(one)
    one.beat()
    one.full()
    state(one)
    one.leave()
    state(one)
    one.leave()
    one.beat()


@streams
def interval_of_task_offsets(k: Talk) -> None:
    (one,) = streamers(k, 1, one_source(known_topic(k)))
    k.ask(*one.request(epoch=0, **one.how, **NOTHING))
    k.ask(*one.request(epoch=2))
    k.ask(*one.request(epoch=-1))


@streams
def streams_member_has_empty_fields(k: Talk) -> None:
    topic = known_topic(k)
    (one,) = streamers(k, 1, one_source(topic))
    one.join(member="", group="")
    one.join(member="")
    one.join(group="")
    one.join(instance="")
    one.join(rack="")
    one.join(process="")
    one.join(endpoint=("", 0))
    one.join(tags={"": ""})
    ask_described(one)


@streams
def streams_member_joins_without_fields(k: Talk) -> None:
    topic = known_topic(k)
    (one,) = streamers(k, 1, one_source(topic))
    one.join(rebalance_ms=-1)
    one.join(topology=None)
    one.join(active=None)
    one.join(standby=None)
    one.join(warmup=None)
    one.join(active=None, standby=None)
    one.join(active={"0": [0]})
    one.join(standby={"0": [0]})
    one.join(warmup={"0": [0]})
    one.join(active=None, standby=None, warmup=None)
    one.leave()
    one.join(process=None)
    ask_described(one)


@streams
def streams_member_joins_with_odd_rebalance_timeouts(k: Talk) -> None:
    topic = known_topic(k)
    for rebalance_ms in (0, -2, 1, 2**31 - 1):
        (one,) = streamers(k, 1, one_source(topic))
        one.join(rebalance_ms=rebalance_ms)


@streams
def streams_heartbeat_with_unsupported_features(k: Talk) -> None:
    topic = known_topic(k)
    (one,) = streamers(k, 1, one_source(topic))
    one.join(instance="i1")
    one.join(offsets=[])
    one.join(end_offsets=[])
    one.join(offsets=[("0", 0, 5)], end_offsets=[("0", 0, 5)])
    one.join(warmup={"0": [0]})
    one.join(topology=one_source(topic, regexes=["a.*"]))
    one.join(topology=topology(subtopology("0", [topic]), subtopology("1", regexes=["a.*"])))
    one.join()
    one.beat(instance="i1")
    one.beat(offsets=[])
    one.beat(end_offsets=[("0", 0, 5)])
    one.full(warmup={"0": [0]})
    one.leave(instance="i1")
    one.leave(epoch=-2, instance="i1")
    one.leave(epoch=-2)


@streams
def several_fields_of_a_streams_heartbeat_are_wrong(k: Talk) -> None:
    """The errors have an order."""
    topic = known_topic(k)
    (one,) = streamers(k, 1, one_source(topic))
    changelogs = [internal("x", partitions=2)]
    wrong = one_source("__consumer_offsets", "in valid!", changelogs=changelogs, regexes=["a"])
    everything: dict[str, Any] = {
        "group": "", "member": "", "rack": "", "instance": "", "offsets": [], "end_offsets": [],
        "warmup": {"0": [0]}, "standby": {"0": [0]}, "active": {"0": [0]}, "rebalance_ms": -1,
    }  # fmt: skip
    one.join(topology=wrong, **everything)
    everything["topology"] = one_source("in valid!", changelogs=changelogs, regexes=["a"])
    one.join(**everything)
    everything["topology"] = one_source("x", changelogs=changelogs, regexes=["a"])
    one.join(**everything)
    for left_out in ("instance", "offsets", "end_offsets", "warmup"):
        del everything[left_out]
        one.join(**everything)
    everything["topology"] = one_source("x", changelogs=changelogs)
    one.join(**everything)
    for left_out in ("member", "group", "rack"):
        del everything[left_out]
        one.join(**everything)
    everything["rebalance_ms"] = 30000
    one.join(**everything)
    for left_out in ("active", "standby"):
        del everything[left_out]
        one.join(**everything)
    one.join(topology=None)
    one.join(epoch=-3)
    one.beat(epoch=-3, topology=one_source(topic), active=NO_TASKS)
    one.beat(epoch=1, topology=one_source(topic), active=NO_TASKS)
    one.beat(epoch=1, topology=one_source(topic))
    one.beat(epoch=-1, topology=one_source(topic))
    one.beat(epoch=-1, active=NO_TASKS)
    one.beat(epoch=-1, rack="")


@streams
def streams_heartbeats_of_unknown_groups_and_members(k: Talk) -> None:
    topic = known_topic(k)
    (one,) = streamers(k, 1, one_source(topic))
    one.beat(epoch=1)
    one.beat(epoch=1, **NOTHING)
    one.leave()
    one.leave(epoch=-2)
    one.join()
    one.beat(member="nobody", epoch=1)
    one.beat(member="nobody", epoch=1, **NOTHING)
    one.beat(member="nobody", epoch=-1)
    one.beat(member="nobody", epoch=-1, shutdown=True)
    one.beat()
    one.beat(member="nobody", epoch=7)


@streams
def streams_member_has_another_epoch(k: Talk) -> None:
    """The topology stays the same, so the epoch rises with what a member tells of itself."""
    one = a_streamer(k, known_topic(k, 2))
    one.beat(epoch=one.epoch + 1)
    one.beat(epoch=one.epoch + 1, **NOTHING)
    one.full(rack="r1")
    before = one.epoch - 1
    one.beat(epoch=before)
    one.full(epoch=before)
    one.full(epoch=before, active={"0": [0]})
    one.full(epoch=before, active=NO_TASKS)
    one.full(epoch=before, active={"0": [0, 1, 2]})
    one.full(epoch=before, active={"1": [0]})
    one.full(epoch=before, standby={"0": [0]})
    one.full(epoch=before - 1)
    one.full(epoch=2**31 - 1)
    one.full()


@streams
def streams_member_owns_what_it_does_not_have(k: Talk) -> None:
    one = a_streamer(k, known_topic(k, 2))
    one.full(active={"0": [0, 1]})
    one.full(active={"0": [0]})
    one.full(active={"0": [1, 0, 0]})
    one.full(active=NO_TASKS)
    one.full(active={"0": []})
    one.full(active={"0": [2]})
    one.full(active={"0": [-1]})
    one.full(active={"1": [0]})
    one.full(active={"1": []})
    one.full(active={"": [0]})
    one.full(standby={"0": [0]})
    one.full(standby={"0": [5]})
    one.full(standby={"x": [0]})
    one.beat(active={"0": [0]})
    one.beat(active={"0": [0]}, standby=NO_TASKS)
    one.beat(standby=NO_TASKS, warmup=NO_TASKS)
    one.beat(warmup=NO_TASKS)
    ask_described(one)


@streams
def streams_member_joins_again(k: Talk) -> None:
    one = a_streamer(k, known_topic(k, 2))
    one.join()
    one.join(rack="r1")
    one.join(rebalance_ms=1000)
    one.join()
    ask_described(one)
    one.leave()
    one.join()
    state(one)


@streams
def streams_member_changes(k: Talk) -> None:
    """Each change raises the epoch of the group."""
    one = a_streamer(k, known_topic(k, 2))
    changes: dict[str, Any]
    for changes in (
        {"rack": "r1"},
        {"rack": "r1"},
        {"rack": None},
        {"rebalance_ms": 1000},
        {"rebalance_ms": 0},
        {"rebalance_ms": -5},
        {"process": "p2"},
        {"process": ""},
        {"tags": {"a": "1"}},
        {"tags": {"a": "1"}},
        {"tags": {"a": "2", "b": "3"}},
        {"tags": {}},
        {"endpoint": ("host", 1)},
        {"endpoint": ("host", 65535)},
        {"endpoint": ("", 0)},
        {},
    ):
        one.full(**changes)
    ask_described(one)


@streams
def tags_of_a_streams_member_repeat_a_key(k: Talk) -> None:
    one = a_streamer(k, known_topic(k))
    api, version, fields = one.request()
    fields["ClientTags"] = [{"Key": "a", "Value": "1"}, {"Key": "a", "Value": "2"}]
    k.ask(api, version, fields)
    one.beat()


@streams
def client_id_of_a_streams_member_changes(k: Talk) -> None:
    one = a_streamer(k, known_topic(k))
    one.peer = k.connect("another")
    one.beat()
    ask_described(one)


@streams
def two_streams_members_share_tasks(k: Talk) -> None:
    """The first member must revoke tasks before the second one has them."""
    one, two = streamers(k, 2, one_source(known_topic(k, 4)))
    settled(one)
    two.join()
    state(one)
    two.beat()
    one.beat()  # has not revoked yet
    state(one)
    two.full()
    one.beat(active={"0": [0, 1, 2, 3]}, standby=NO_TASKS, warmup=NO_TASKS)
    ask_described(one)
    two.full()
    one.full()
    two.full()
    state(one)
    one.full()
    ask_described(one)


@streams
def streams_member_revokes_without_saying_so(k: Talk) -> None:
    """A heartbeat without owned tasks does not revoke."""
    one, two = streamers(k, 2, one_source(known_topic(k, 2)))
    settled(one)
    two.join()
    for _ in range(3):
        one.beat()
    state(one)
    one.beat(**NOTHING)
    two.beat()
    state(one)


@streams
def streams_members_leave_their_tasks(k: Talk) -> None:
    one, two = streamers(k, 2, one_source(known_topic(k, 4)))
    settled(one, two)
    two.leave()
    state(one)
    one.full()
    state(one)
    two.join()
    one.full()
    one.leave()
    two.full()
    state(two)


@streams
def three_streams_members(k: Talk) -> None:
    members = streamers(k, 3, one_source(known_topic(k, 6)))
    settled(*members)
    for each in members:
        each.beat()
    k.keep("tasks", sorted(len(each.active.get("0", [])) for each in members))
    ask_described(members[0])
    members[1].leave(kept=False)
    settle(members[0], members[2])
    ask_described(members[0])


@streams
def more_streams_members_than_tasks(k: Talk) -> None:
    members = streamers(k, 3, one_source(known_topic(k, 2)))
    settled(*members)
    k.keep("tasks", sorted(len(each.active.get("0", [])) for each in members))
    for each in members:
        each.full()
    members[0].leave(kept=False)
    settle(*members[1:])
    ask_described(members[1])


@streams
def streams_members_of_one_process(k: Talk) -> None:
    """Threads of one instance of Kafka Streams."""
    members = streamers(k, 3, one_source(known_topic(k, 4)))
    for each in members[:2]:
        each.how["process"] = "p"
    settled(*members)
    ask_described(members[0])


@streams
def tasks_of_several_subtopologies(k: Talk) -> None:
    first, second, third = known_topic(k, 3), known_topic(k, 2), known_topic(k)
    made = topology(subtopology("a", [first]), subtopology("b", [second]), subtopology("", [third]))
    one, two = streamers(k, 2, made)
    one.join()
    ask_described(one)
    two.join(kept=False)
    settle(one, two)
    ask_described(one)


@streams
def stateful_tasks_return_to_their_member(k: Talk) -> None:
    topic = known_topic(k, 4)
    store = k.name("store-changelog")
    one, two = streamers(k, 2, one_source(topic, changelogs=[internal(store)]))
    one.join(kept=False)
    one.beat_until_ready()
    two.join(kept=False)
    settle(one, two)
    ask_described(one)
    two.leave(kept=False)
    settle(one)
    one.beat()
    two.join(kept=False)
    settle(one, two)
    ask_described(one)


@streams
def standby_tasks(k: Talk) -> None:
    topic = known_topic(k, 2)
    store = k.name("store-changelog")
    group = k.group()
    set_group(k, group, streams_num_standby_replicas="1")
    members = streamers(k, 3, one_source(topic, changelogs=[internal(store)]), group=group)
    members[0].join(kept=False)
    members[0].beat_until_ready()
    for each in members[1:]:
        each.join()
        settle(*members[: members.index(each) + 1])
        ask_described(each)
    members[0].leave(kept=False)
    settle(*members[1:])
    ask_described(members[1])


@streams
def standby_tasks_of_stateless_tasks(k: Talk) -> None:
    group = k.group()
    set_group(k, group, streams_num_standby_replicas="1")
    one, two = streamers(k, 2, one_source(known_topic(k, 2)), group=group)
    settled(one, two)
    ask_described(one)


@streams
def number_of_standbys_changes(k: Talk) -> None:
    topic = known_topic(k, 2)
    store = k.name("store-changelog")
    one, two = streamers(k, 2, one_source(topic, changelogs=[internal(store)]))
    one.join(kept=False)
    one.beat_until_ready()
    two.join(kept=False)
    settle(one, two)
    set_group(k, one.group, streams_num_standby_replicas="1")
    one.full()
    state(one)
    settle(one, two)
    ask_described(one)
    set_group(k, one.group, streams_num_standby_replicas="0")
    two.full()
    settle(one, two)
    ask_described(one)


@case(settings={**STREAMS_SETTINGS, "group.streams.num.standby.replicas": "1"})
def standbys_of_every_group(k: Talk) -> None:
    topic = known_topic(k)
    one, two = streamers(k, 2, one_source(topic, changelogs=[internal(k.name("store-changelog"))]))
    one.join(kept=False)
    one.beat_until_ready()
    two.join(kept=False)
    settle(one, two)
    ask_described(one)


@streams
def standby_tasks_of_one_process(k: Talk) -> None:
    """A standby is never in the process of its active task."""
    topic = known_topic(k, 2)
    group = k.group()
    set_group(k, group, streams_num_standby_replicas="1")
    made = one_source(topic, changelogs=[internal(k.name("store-changelog"))])
    members = streamers(k, 2, made, group=group, process="p")
    members[0].join(kept=False)
    members[0].beat_until_ready()
    members[1].join(kept=False)
    settle(*members)
    ask_described(members[0])


@streams
def endpoints_of_streams_members(k: Talk) -> None:
    topic = known_topic(k, 4)
    one, two = streamers(k, 2, one_source(topic))
    one.how["endpoint"] = ("one", 1001)
    two.how["endpoint"] = ("two", 1002)
    one.join()
    one.full()
    one.full(endpoint_epoch=-1)
    one.full(endpoint_epoch=7)
    two.join()
    one.full()
    one.full()
    two.full()
    two.full()
    settle(one, two)
    one.full(endpoint_epoch=0)
    two.full(endpoint_epoch=0)
    two.leave()
    one.full()
    one.full(endpoint_epoch=0)


@streams
def endpoint_of_one_of_two_streams_members(k: Talk) -> None:
    topic = known_topic(k, 2)
    one, two = streamers(k, 2, one_source(topic))
    two.how["endpoint"] = ("two", 1002)
    one.join()
    one.full(endpoint_epoch=3)
    two.join()
    settle(one, two)
    one.full(endpoint_epoch=0)
    two.full(endpoint_epoch=0)
    one.full(endpoint=("one", 1001), endpoint_epoch=0)
    settle(one, two)
    one.full(endpoint_epoch=0)


@streams
def endpoints_with_standby_tasks_and_several_topics(k: Talk) -> None:
    """A topic with fewer partitions than its subtopology has tasks has fewer at the endpoint."""
    first, second = known_topic(k, 3), known_topic(k)
    group = k.group()
    set_group(k, group, streams_num_standby_replicas="1")
    made = one_source(first, second, changelogs=[internal(k.name("store-changelog"))])
    one, two = streamers(k, 2, made, group=group)
    one.how["endpoint"] = ("one", 1001)
    two.how["endpoint"] = ("two", 1002)
    one.join(kept=False)
    one.beat_until_ready()
    one.full(endpoint_epoch=0)
    two.join(kept=False)
    settle(one, two)
    one.full(endpoint_epoch=0)
    two.full(endpoint_epoch=0)


@streams
def endpoint_before_the_topology_is_ready(k: Talk) -> None:
    (one,) = streamers(k, 1, one_source(k.name("missing")), endpoint=("one", 1001))
    one.join()
    one.join(endpoint_epoch=-1)
    one.full()


@streams
def endpoint_while_internal_topics_are_missing(k: Talk) -> None:
    topic = known_topic(k, 2)
    made = topology(subtopology("0", [topic], changelogs=[internal(k.name("store"), replicas=9)]))
    (one,) = streamers(k, 1, made, endpoint=("one", 1001))
    one.join()
    k.until(lambda: one.full(kept=False), lambda told: "failed" in str(told["Status"]))
    one.join(endpoint_epoch=-1)


@streams
def shutdown_of_a_streams_application(k: Talk) -> None:
    one, two = streamers(k, 2, one_source(known_topic(k, 2)))
    settled(one, two)
    one.full(shutdown=True)
    two.full()
    two.full(shutdown=True)
    one.full()
    state(one)
    one.leave()
    two.full()
    two.leave()
    one.join()


@streams
def streams_member_leaves_and_shuts_down(k: Talk) -> None:
    one, two = streamers(k, 2, one_source(known_topic(k, 2)))
    settled(one, two)
    one.leave(shutdown=True)
    two.full()
    three = Streamer(k, one.group, "m3", **one.how)
    three.join()
    two.leave()
    three.leave()
    one.join()


@streams
def only_streams_member_leaves_and_shuts_down(k: Talk) -> None:
    one = a_streamer(k, known_topic(k, 2))
    one.leave(shutdown=True)
    one.join()


@streams
def streams_member_joins_and_shuts_down(k: Talk) -> None:
    (one,) = streamers(k, 1, one_source(known_topic(k)))
    one.join(shutdown=True)
    one.beat()


@case(settings={**STREAMS_SETTINGS, "group.streams.max.size": "2"})
def streams_group_is_full(k: Talk) -> None:
    one, two = streamers(k, 2, one_source(known_topic(k, 2)))
    settled(one, two)
    three = Streamer(k, one.group, "m3", **one.how)
    three.join()
    one.full()
    one.join()
    two.leave()
    one.join()
    three.join()


@streams
def session_of_a_streams_member_ends(k: Talk) -> None:
    group = k.group()
    set_group(k, group, streams_heartbeat_interval_ms="500", streams_session_timeout_ms="1000")
    (one,) = streamers(k, 1, one_source(known_topic(k, 2)), group=group)
    one.join()
    k.until(lambda: described(one), lambda told: told["GroupState"] == "Empty")
    ask_described(one)
    one.beat()
    one.leave()
    one.join()


@streams
def session_of_one_of_two_streams_members_ends(k: Talk) -> None:
    group = k.group()
    set_group(k, group, streams_heartbeat_interval_ms="500", streams_session_timeout_ms="2000")
    one, two = streamers(k, 2, one_source(known_topic(k, 2)), group=group)
    settled(one, two)

    def beat() -> int:
        k.broker.pause(200)
        one.full(kept=False)
        return len(described(one)["Members"])

    k.until(beat, lambda members: members == 1)
    settle(one)
    k.keep("tasks", one.active)
    state(one)
    two.full()


@streams
def streams_member_does_not_revoke_in_time(k: Talk) -> None:
    one, two = streamers(k, 2, one_source(known_topic(k, 2)))
    one.how["rebalance_ms"] = 1000
    settled(one)
    two.join(kept=False)
    one.full()  # from now on, it has a second

    def beat() -> int:
        k.broker.pause(200)
        two.full(kept=False)
        return len(described(two)["Members"])

    k.until(beat, lambda members: members == 1)
    settle(two)
    k.keep("tasks", two.active)
    state(two)
    one.full()


@streams
def settings_of_a_streams_group_change(k: Talk) -> None:
    one = a_streamer(k, known_topic(k))
    one.beat()
    set_group(k, one.group, streams_heartbeat_interval_ms="7000", streams_session_timeout_ms="50000")
    one.beat()
    state(one)


@streams
def initial_rebalance_of_a_streams_group_is_delayed(k: Talk) -> None:
    group = k.group()
    set_group(k, group, streams_initial_rebalance_delay_ms="1500")
    one, two = streamers(k, 2, one_source(known_topic(k, 2)), group=group)
    one.join()
    state(one)
    two.join()
    one.full()
    ask_described(one)
    k.until(lambda: described(one), lambda told: told["AssignmentEpoch"] == told["GroupEpoch"])
    state(one)
    one.full()
    two.full()
    ask_described(one)
    one.leave(kept=False)
    two.leave(kept=False)
    one.join()


@streams
def streams_member_leaves_during_the_initial_delay(k: Talk) -> None:
    group = k.group()
    set_group(k, group, streams_initial_rebalance_delay_ms="1000")
    (one,) = streamers(k, 1, one_source(known_topic(k, 2)), group=group)
    one.join()
    one.leave()
    state(one)
    k.broker.pause(1500)
    state(one)
    one.join()
    k.until(lambda: described(one), lambda told: told["AssignmentEpoch"] == told["GroupEpoch"])
    one.full()


@streams
def assignments_of_a_streams_group_have_an_interval(k: Talk) -> None:
    group = k.group()
    set_group(k, group, streams_assignment_interval_ms="1500")
    one, two = streamers(k, 2, one_source(known_topic(k, 2)), group=group)
    one.join()
    two.join()
    one.full()
    state(one)
    k.broker.pause(2000)
    one.full()
    state(one)
    one.full()
    two.full()
    two.full()
    state(one)


@case
def streams_group_by_default(k: Talk) -> None:
    """The initial rebalance is delayed by three seconds, and then assignments have an interval of one."""
    topic = known_topic(k, 2)
    one, two = streamers(k, 2, one_source(topic))
    one.join()
    one.full()
    k.until(lambda: described(one), lambda told: told["AssignmentEpoch"] == told["GroupEpoch"])
    one.full()
    k.broker.pause(1500)
    two.join(kept=False)
    settle(one, two)
    ask_described(one)


@streams
def initial_delay_ends_after_the_only_heartbeat(k: Talk) -> None:
    """Kafka configures the topology of a new group at its second heartbeat, so the timer assigns nothing."""
    group = k.group()
    set_group(k, group, streams_initial_rebalance_delay_ms="1000")
    (one,) = streamers(k, 1, one_source(known_topic(k, 2)), group=group)
    one.join()
    k.broker.pause(1500)
    ask_described(one)
    one.full()
    state(one)


@streams
def partitions_are_added_to_a_source_of_a_streams_group(k: Talk) -> None:
    topic = known_topic(k)
    one = a_streamer(k, topic)
    k.do(*grow((topic, 3)))
    k.until_there(topic, 3)
    one.beat_until(lambda told: told["ActiveTasks"] is not None)
    state(one)


@streams
def source_of_a_streams_group_is_deleted(k: Talk) -> None:
    topic = known_topic(k, 2)
    one = a_streamer(k, topic)
    k.delete_topic(topic)
    one.beat_until(lambda told: told["Status"] or told["ErrorCode"])
    state(one)
    one.full()
    ask_described(one)
    one.leave()
    state(one)


@streams
def source_of_a_streams_group_is_created_again(k: Talk) -> None:
    topic = known_topic(k, 2)
    one = a_streamer(k, topic)
    k.delete_topic(topic)
    one.beat_until(lambda told: told["Status"] or told["ErrorCode"])
    one.full()
    made = {"Name": topic, "NumPartitions": 3, "ReplicationFactor": 1}
    k.do("CreateTopics", 7, {"Topics": [made], "timeoutMs": 30000})
    k.until_there(topic, 3)
    one.beat_until(lambda told: not told["Status"])
    settle(one)
    k.keep("tasks", one.active)
    state(one)
