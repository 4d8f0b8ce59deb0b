"""StreamsGroupHeartbeat of static members, which 4.3 refuses."""

from __future__ import annotations

from typing import Any, Final

from tests.conformance.build import commit
from tests.conformance.build_streams import NO_TASKS, internal
from tests.conformance.case import Fields, Talk, case
from tests.conformance.consumers import known_topic, set_group
from tests.conformance.streaming import (
    STREAMS_SETTINGS,
    Streamer,
    ask_described,
    described,
    one_source,
    state,
    streamers,
    streams,
)

AWAY: Final = -2  # the epoch with which a member says that it will return
ROUNDS: Final = 3  # of heartbeats, after which a small group is stable


class Static(Streamer):
    """A static member, which names its instance in each request, as Kafka Streams does."""

    def request(self, **fields: Any) -> Any:
        return super().request(**{"instance": self.how["instance"], **fields})

    def goes(self, **other: Any) -> Fields:
        """Leave, to return later."""
        return self.send(**{"epoch": AWAY, **other})


def statics(k: Talk, count: int, made: Fields, group: str = "", **how: Any) -> list[Static]:
    """Return members m1, m2, ... of one group with the instances i1, i2, ... which have not joined yet."""
    found = group or k.group()
    return [
        Static(k, found, f"m{number}", topology=made, **{"instance": f"i{number}", **how})
        for number in range(1, count + 1)
    ]


def successor(one: Static, member: str, **how: Any) -> Static:
    """Return another member with the same instance, on a connection of its own."""
    return Static(one.talk, one.group, member, **{**one.how, **how})


def settled(*members: Streamer) -> None:
    """Join, and send some heartbeats: until they are stable, if the release has static members."""
    for each in members:
        each.join(kept=False)
    beats(*members)


def beats(*members: Streamer) -> None:
    for _ in range(ROUNDS):
        for each in members:
            each.full(kept=False)


def a_static(k: Talk, partitions: int = 1, **how: Any) -> Static:
    (one,) = statics(k, 1, one_source(known_topic(k, partitions)), **how)
    settled(one)
    return one


@streams
def static_streams_member_joins_and_leaves(k: Talk) -> None:
    (one,) = statics(k, 1, one_source(known_topic(k, 2)))
    one.join()
    ask_described(one)
    one.beat()
    one.full()
    state(one)
    one.leave()
    state(one)
    one.leave()
    one.goes()
    one.join()


@streams
def static_streams_member_returns(k: Talk) -> None:
    one = a_static(k, 2)
    one.goes()
    ask_described(one)
    state(one)
    one.join()
    ask_described(one)
    one.full()
    state(one)


@streams
def static_streams_member_returns_under_another_id(k: Talk) -> None:
    one = a_static(k, 2)
    one.goes()
    two = successor(one, "m2")
    two.join()
    ask_described(two)
    two.full()
    one.beat()
    one.beat(instance=None)
    one.join()
    one.leave()
    one.leave(instance=None)
    two.full()
    state(two)


@streams
def static_streams_member_joins_while_its_instance_is_in_use(k: Talk) -> None:
    one = a_static(k)
    two = successor(one, "m2")
    two.join()
    two.beat()
    two.beat(epoch=one.epoch)
    two.leave()
    two.goes()
    one.beat()
    one.join()
    one.full()
    ask_described(one)


@streams
def static_streams_member_has_an_unknown_instance(k: Talk) -> None:
    one = a_static(k)
    one.beat(instance="i9")
    one.leave(instance="i9")
    one.goes(instance="i9")
    one.goes(instance=None)
    one.beat()


@streams
def static_streams_member_leaves_out_its_instance(k: Talk) -> None:
    one = a_static(k)
    one.beat(instance=None)
    one.full(instance=None, rack="r1")
    ask_described(one)
    one.join(instance=None)
    ask_described(one)
    one.beat()
    one.leave(instance=None)
    state(one)


@streams
def instances_of_streams_members_are_odd(k: Talk) -> None:
    (one,) = statics(k, 1, one_source(known_topic(k)))
    for instance in ("", " ", "\t", " i1", "i" * 1000):
        one.join(instance=instance)
        one.goes(instance=instance)
        one.leave(instance=instance)


@streams
def dynamic_streams_member_becomes_static(k: Talk) -> None:
    (one,) = streamers(k, 1, one_source(known_topic(k)))
    one.join(kept=False)
    one.beat(instance="i1")
    one.leave(instance="i1")
    one.join(instance="i1")
    ask_described(one)
    one.beat(instance="i1")
    one.send(epoch=AWAY, instance="i1")
    state(one)


@streams
def static_streams_member_changes_its_instance(k: Talk) -> None:
    one = a_static(k)
    one.join(instance="i2")
    ask_described(one)
    one.beat()
    one.beat(instance="i2")
    two = successor(one, "m2")
    two.join()
    ask_described(one)
    one.goes(instance="i2")
    two.join(instance="i2")
    ask_described(one)
    two.full(instance="i2")
    two.full(instance="i1")
    state(one)


@streams
def static_streams_member_takes_the_instance_of_another(k: Talk) -> None:
    one, two = statics(k, 2, one_source(known_topic(k, 4)))
    settled(one, two)
    one.goes()
    two.join(instance="i1")
    ask_described(two)
    two.full(instance="i1")
    state(two)
    one.join(instance="i2")
    two.full(instance="i1")
    one.full(instance="i2")
    ask_described(one)


@streams
def static_streams_member_returns_to_its_tasks(k: Talk) -> None:
    """The group keeps its epoch, and another member gets no tasks meanwhile."""
    one, two = statics(k, 2, one_source(known_topic(k, 4)))
    settled(one, two)
    state(one)
    one.goes()
    two.full()
    state(two)
    three = successor(one, "m3")
    three.join()
    two.full()
    three.full()
    state(two)
    ask_described(two)


@streams
def static_streams_member_returns_with_other_fields(k: Talk) -> None:
    one = a_static(k)
    for number, changes in enumerate(
        (
            {"rebalance_ms": 5},
            {"endpoint": ("host", 1)},
            {"endpoint": None},
            {"rack": "r1"},
            {"process": "p9"},
            {"tags": {"zone": "a"}},
            {"tags": None},
            {"rack": None},
            {"instance": "i2"},
        )
    ):
        one.goes(instance="i1")
        one.how.update(changes)
        one.id = f"n{number}"
        one.join()
        beats(one)
        state(one)
    ask_described(one)


@streams
def static_streams_member_changes(k: Talk) -> None:
    one = a_static(k)
    for changes in (
        {"rebalance_ms": 5},
        {"rack": "r1"},
        {"process": "p9"},
        {"tags": {"zone": "a"}},
        {"tags": {}},
        {"endpoint": ("host", 1)},
        {"endpoint": ("host", 2)},
        {},
    ):
        one.full(**changes)
        state(one)
    one.peer = k.connect("another")
    one.full()
    state(one)
    ask_described(one)


@streams
def static_streams_member_returns_with_another_topology(k: Talk) -> None:
    topic = known_topic(k)
    (one,) = statics(k, 1, one_source(topic))
    settled(one)
    one.goes()
    one.join(topology=one_source(topic, epoch=1))
    one.goes()
    one.join(topology=one_source(topic, topic, epoch=1))
    one.join()
    state(one)


@streams
def static_streams_member_is_away(k: Talk) -> None:
    one = a_static(k)
    epoch = one.epoch
    one.goes()
    one.beat(epoch=epoch)
    one.beat(epoch=epoch, instance=None)
    one.beat(epoch=1)
    one.goes()
    one.goes(instance=None)
    ask_described(one)
    one.join(instance=None)
    ask_described(one)
    one.full()


@streams
def static_streams_member_that_is_away_leaves(k: Talk) -> None:
    one = a_static(k)
    one.goes()
    one.leave()
    state(one)
    one.join()
    one.goes()
    one.leave(instance=None)
    state(one)


@streams
def session_of_a_static_streams_member_that_is_away_ends(k: Talk) -> None:
    group = k.group()
    set_group(k, group, streams_heartbeat_interval_ms="500", streams_session_timeout_ms="1000")
    (one,) = statics(k, 1, one_source(known_topic(k)), group)
    one.join()
    one.goes()
    k.until(lambda: described(one), lambda told: told["GroupState"] in ("Empty", ""))
    state(one)
    one.beat()
    one.join()


@streams
def static_streams_member_is_away_while_it_must_revoke(k: Talk) -> None:
    one, two = statics(k, 2, one_source(known_topic(k, 4)))
    settled(one)
    two.join()
    one.beat()
    state(one)
    one.goes()
    ask_described(one)
    two.full()
    one.join()
    two.full()
    one.full()
    two.full()
    ask_described(one)


@streams
def static_streams_member_is_away_while_it_waits_for_tasks(k: Talk) -> None:
    one, two = statics(k, 2, one_source(known_topic(k, 4)))
    settled(one)
    two.join()
    two.goes()
    state(one)
    one.full()
    one.full()
    three = successor(two, "m3")
    three.join()
    three.full()
    ask_described(one)


@streams
def static_streams_member_that_is_away_keeps_its_active_tasks(k: Talk) -> None:
    """A new member waits for them."""
    one, two = statics(k, 2, one_source(known_topic(k, 2)))
    settled(one)
    one.goes()
    two.join()
    two.full()
    state(two)
    one.join()
    two.full()
    one.full()
    one.full()
    two.full()
    ask_described(two)


@streams
def static_streams_member_returns_in_another_process(k: Talk) -> None:
    one, two = statics(k, 2, one_source(known_topic(k, 4)))
    settled(one, two)
    one.goes()
    three = successor(one, "m3", process="p2")
    three.join()
    two.full()
    three.full()
    ask_described(two)


@streams
def static_streams_members_have_standby_tasks(k: Talk) -> None:
    group = k.group()
    set_group(k, group, streams_num_standby_replicas="1")
    made = one_source(known_topic(k, 2), changelogs=[internal(k.name("changelog"))])
    one, two = statics(k, 2, made, group)
    one.join(kept=False)
    k.until(lambda: one.full(kept=False), lambda told: told["ErrorCode"] != 0 or not told["Status"])
    two.join(kept=False)
    beats(one, two)
    one.goes()
    state(two)
    three = successor(one, "m3")
    three.join()
    beats(three, two)
    ask_described(two)
    two.leave()
    beats(three)
    ask_described(three)


@streams
def shutdown_by_a_static_streams_member(k: Talk) -> None:
    one, two = statics(k, 2, one_source(known_topic(k, 2)))
    settled(one, two)
    two.goes(shutdown=True)
    one.beat()
    two.join()
    two.leave(shutdown=True, instance="i9")
    one.leave(kept=False)
    two.goes(kept=False)
    two.join()


@streams
def unknown_static_streams_member_shuts_down(k: Talk) -> None:
    one = a_static(k)
    successor(one, "m2").goes(shutdown=True)
    one.beat()


@streams
def offsets_of_static_streams_members_are_committed(k: Talk) -> None:
    topic = known_topic(k, 2)
    (one,) = statics(k, 1, one_source(topic))
    settled(one)

    def ask(member: str, epoch: int, instance: str | None = None) -> None:
        offsets = {topic: {0: 5, 1: 6}}
        k.ask(*commit(one.group, offsets, member=member, generation=epoch, instance=instance))

    epoch = one.epoch
    for instance in ("i1", "i9", None):
        ask("m1", epoch, instance)
    one.goes()
    for each in (epoch, AWAY, -1, 0):
        ask("m1", each)
    two = successor(one, "m2")
    two.join()
    for member in ("m1", "m2"):
        for each in (epoch, epoch - 1, 0):
            ask(member, each)


@case(settings={**STREAMS_SETTINGS, "group.streams.max.size": "2"})
def full_streams_group_with_static_members(k: Talk) -> None:
    one, two = statics(k, 2, one_source(known_topic(k, 2)))
    settled(one, two)
    successor(one, "m3").join()
    successor(one, "m3", instance="i3").join()
    successor(one, "m3", instance=None).join()
    one.goes()
    successor(one, "m3", instance="i3").join()
    three = successor(one, "m3")
    three.join()
    three.full()
    three.join(instance=None)
    two.join(instance="i4")
    state(two)


@streams
def static_streams_members_during_the_initial_delay(k: Talk) -> None:
    group = k.group()
    set_group(k, group, streams_initial_rebalance_delay_ms="1500")
    (one,) = statics(k, 1, one_source(known_topic(k, 2)), group)
    one.join()
    one.goes()
    state(one)
    two = successor(one, "m2")
    two.join()
    two.full()
    k.until(
        lambda: described(one),
        lambda told: not told["GroupState"] or told["AssignmentEpoch"] == told["GroupEpoch"],
    )
    two.full()
    ask_described(two)


@streams
def static_streams_member_returns_between_assignments(k: Talk) -> None:
    """The interval between assignments is not over, but its tasks are."""
    group = k.group()
    one, two = statics(k, 2, one_source(known_topic(k, 2)), group)
    settled(one)
    set_group(k, group, streams_assignment_interval_ms="15000")
    two.join()
    one.goes()
    three = successor(one, "m3", rack="r3")
    three.join()
    three.full()
    two.full()
    ask_described(three)


@streams
def static_streams_member_that_joined_again_returns_under_another_id(k: Talk) -> None:
    """It has the target that it had before it left: the interval between assignments is not over."""
    group = k.group()
    one, two = statics(k, 2, one_source(known_topic(k, 2)), group)
    settled(one, two)
    set_group(k, group, streams_assignment_interval_ms="15000")
    one.leave()
    one.join()
    one.full()
    one.goes()
    three = successor(one, "m3")
    three.join()
    three.full()
    three.full()
    successor(one, "m1", instance="i9").join()
    two.full()
    ask_described(three)


@streams
def streams_group_with_an_absent_static_member(k: Talk) -> None:
    one = a_static(k)
    one.goes()
    k.ask("ListGroups", 5, {"StatesFilter": [], "TypesFilter": ["streams"]}, keep=_of_group(one.group))
    k.ask("DeleteGroups", 2, {"GroupsNames": [one.group]})
    k.ask("DescribeGroups", 6, {"Groups": [one.group], "IncludeAuthorizedOperations": False})
    one.leave()
    k.ask("DeleteGroups", 2, {"GroupsNames": [one.group]})


def _of_group(group: str) -> Any:
    def kept(response: Fields) -> Any:
        return [each for each in response["Groups"] if each["GroupId"] == group]

    return kept


@streams
def endpoints_of_static_streams_members(k: Talk) -> None:
    one, two = statics(k, 2, one_source(known_topic(k, 2)))
    one.how["endpoint"], two.how["endpoint"] = ("one", 1001), ("two", 1002)
    settled(one, two)
    one.full()
    two.full()
    one.goes()
    two.full()
    three = successor(one, "m3")
    three.join()
    two.full()
    three.goes()
    four = successor(three, "m4", endpoint=("four", 1004))
    four.join()
    two.full()
    four.goes()
    four.join(endpoint=None)
    two.full()


@streams
def old_epoch_of_a_static_streams_member(k: Talk) -> None:
    one, two = statics(k, 2, one_source(known_topic(k, 2)))
    settled(one)
    epoch = one.epoch
    two.join(kept=False)
    one.beat(kept=False)
    one.full(epoch=epoch)
    one.beat(epoch=epoch)
    one.beat(epoch=epoch, active={"0": [9]}, standby=NO_TASKS, warmup=NO_TASKS)
    one.beat(epoch=99)
    one.full(epoch=99, instance=None)


@streams
def request_for_the_instance_of_a_streams_member_that_moves(k: Talk) -> None:
    """Kafka 4.4.0 refuses it, and takes the tasks of the instance away until the group is stable."""
    one, two = statics(k, 2, one_source(known_topic(k, 4)))
    settled(one)
    two.join()
    one.beat()
    state(one)
    successor(one, "m9").join()
    one.full()
    ask_described(one)
    for each in (two, one, two, one):
        each.full()
    ask_described(one)


@streams
def replaced_static_streams_member_goes_on(k: Talk) -> None:
    """Kafka 4.4.0 fences it, and gives its successor no tasks until the group is stable."""
    one, two = statics(k, 2, one_source(known_topic(k, 4)))
    settled(one)
    two.join()
    two.goes()
    three = successor(two, "m3")
    three.join()
    two.beat(epoch=3)
    for each in (one, one, three):
        each.full()
    ask_described(one)
    for each in (three, one, three, one):
        each.full()
    ask_described(one)
