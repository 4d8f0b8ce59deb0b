"""The task assignor: Kafka 4.4 lets members keep the tasks that they have, 4.3 those of their last targets.

The members of a case join one after the other, and revoke tasks only where it lets them. So they have other
tasks than their targets in between.
"""

from __future__ import annotations

from typing import Any, Final

from tests.conformance.build import Request
from tests.conformance.build_admin import GROUP, SET, change, grow
from tests.conformance.build_streams import internal, subtopology, topology
from tests.conformance.case import Talk, case
from tests.conformance.consumers import known_topic, set_group
from tests.conformance.streaming import (
    STREAMS_SETTINGS,
    Streamer,
    described,
    one_source,
    settle,
    settled,
    state,
    streamers,
    streams,
)

new_streams: Final = case(settings=STREAMS_SETTINGS, is_new=True)
DELAY_MS: Final = 4000


def keep_tasks(k: Talk, one: Streamer) -> None:
    """Keep the tasks of all members of the group, and their targets: active, then standby."""

    def by_role(tasks: dict[str, Any]) -> list[dict[str, list[int]]]:
        return [
            {each["SubtopologyId"]: sorted(each["Partitions"]) for each in _by_id(tasks[kind])}
            for kind in ("ActiveTasks", "StandbyTasks", "WarmupTasks")
        ][: 3 if tasks["WarmupTasks"] else 2]

    members = {each["MemberId"]: each for each in described(one)["Members"]}
    for member_id in sorted(members):
        member = members[member_id]
        k.keep(member_id, [by_role(member["Assignment"]), by_role(member["TargetAssignment"])])


def _by_id(tasks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(tasks, key=lambda each: str(each["SubtopologyId"]))


def stateless(k: Talk, count: int, partitions: int, **how: Any) -> list[Streamer]:
    """Return members of a group whose tasks have no state."""
    return streamers(k, count, one_source(known_topic(k, partitions)), **how)


def stateful(k: Talk, count: int, partitions: int, replicas: int = 1, **how: Any) -> list[Streamer]:
    """Return members of a group with standby tasks. The first one has joined, and the changelog exists."""
    topic, group = known_topic(k, partitions), k.group()
    set_group(k, group, streams_num_standby_replicas=f"{replicas}")
    made = one_source(topic, changelogs=[internal(k.name("store-changelog"))])
    members = streamers(k, count, made, group=group, **how)
    members[0].join(kept=False)
    members[0].beat_until_ready()
    return members


def join(k: Talk, *members: Streamer) -> None:
    """Join the members one after the other, and keep the tasks of all after each."""
    for each in members:
        each.join(kept=False)
        keep_tasks(k, each)


def leave(k: Talk, one: Streamer, other: Streamer) -> None:
    """Let a member leave, and another one send a heartbeat, which computes the next target."""
    one.leave(kept=False)
    other.full(kept=False)
    keep_tasks(k, other)


def end(k: Talk, *members: Streamer) -> None:
    """Let the group settle, and keep the tasks."""
    settle(*members)
    keep_tasks(k, members[0])


@streams
def members_join_before_tasks_are_revoked(k: Talk) -> None:
    members = stateless(k, 4, 8)
    join(k, *members)
    end(k, *members)


@streams
def members_join_a_group_of_which_one_has_revoked(k: Talk) -> None:
    members = stateless(k, 3, 7)
    join(k, *members[:2])
    members[0].full(kept=False)
    members[0].full(kept=False)
    join(k, members[2])
    end(k, *members)


@streams
def member_leaves_before_it_got_tasks(k: Talk) -> None:
    members = stateless(k, 3, 9)
    join(k, *members)
    leave(k, members[1], members[0])
    end(k, members[0], members[2])


@streams
def member_with_all_tasks_leaves_before_it_revoked_them(k: Talk) -> None:
    members = stateless(k, 4, 8)
    join(k, *members)
    leave(k, members[0], members[3])
    end(k, *members[1:])


@streams
def member_rejoins_while_tasks_move(k: Talk) -> None:
    members = stateless(k, 3, 9)
    join(k, *members)
    for each in members:
        join(k, each)
    end(k, *members)


@streams
def member_rejoins_with_another_process(k: Talk) -> None:
    members = stateless(k, 3, 8)
    join(k, *members)
    members[0].how["process"] = "p2"
    join(k, members[0])
    end(k, *members)


@streams
def topic_grows_while_tasks_move(k: Talk) -> None:
    topic = known_topic(k, 4)
    members = streamers(k, 3, one_source(topic))
    join(k, *members)
    settle(*members)
    join(k, members[0])
    k.do(*grow((topic, 9)))
    k.until(
        lambda: members[0].full(kept=False),
        lambda _: 8 in {p for m in described(members[0])["Members"] for t in _targets(m) for p in t},
    )
    keep_tasks(k, members[0])
    end(k, *members)


def _targets(member: dict[str, Any]) -> list[list[int]]:
    return [each["Partitions"] for each in member["TargetAssignment"]["ActiveTasks"]]


@streams
def group_scales_out_and_in(k: Talk) -> None:
    members = stateless(k, 5, 10)
    settled(members[0])
    join(k, *members[1:])
    for each in members[:2]:
        each.full(kept=False)
        each.full(kept=False)
    for number in range(4):
        leave(k, members[number], members[4])
    end(k, members[4])


@streams
def two_subtopologies_while_tasks_move(k: Talk) -> None:
    one, other = known_topic(k, 5), known_topic(k, 3)
    members = streamers(k, 3, topology(subtopology("0", [one]), subtopology("1", [other])))
    join(k, *members)
    leave(k, members[1], members[2])
    end(k, members[0], members[2])


@streams
def members_of_two_processes_while_tasks_move(k: Talk) -> None:
    members = stateless(k, 4, 10)
    for number, each in enumerate(members):
        each.how["process"] = f"p{number % 2}"
    join(k, *members)
    leave(k, members[0], members[1])
    end(k, *members[1:])


def joined_at_once(k: Talk, members: list[Streamer]) -> None:
    """Join all members within the delay of the first assignment."""
    for each in members:
        each.join(kept=False)
    members[0].beat_until(lambda told: not told["Status"])
    keep_tasks(k, members[0])


@streams
def first_assignment_of_processes_with_equal_hashes(k: Talk) -> None:
    members = stateless(k, 4, 6)
    set_group(k, members[0].group, streams_initial_rebalance_delay_ms=f"{DELAY_MS}")
    for each, process in zip(members, ("AaAa", "AaBB", "BBAa", "BBBB"), strict=True):
        each.how["process"] = process
    joined_at_once(k, members)


@streams
def first_assignment_of_two_processes_with_equal_hashes(k: Talk) -> None:
    members = stateless(k, 3, 7)
    set_group(k, members[0].group, streams_initial_rebalance_delay_ms=f"{DELAY_MS}")
    for each, process in zip(members, ("Aa", "BB", "Aa"), strict=True):
        each.how["process"] = process
    joined_at_once(k, members)


@streams
def processes_with_equal_hashes_join_one_after_the_other(k: Talk) -> None:
    members = stateless(k, 4, 7)
    for each, process in zip(members, ("AaAa", "AaBB", "BBAa", "BBBB"), strict=True):
        each.how["process"] = process
    for number, each in enumerate(members, 1):
        join(k, each)
        settle(*members[:number])
    keep_tasks(k, members[0])


@streams
def standby_tasks_while_active_ones_move(k: Talk) -> None:
    members = stateful(k, 3, 6)
    join(k, *members[1:])
    end(k, *members)


@streams
def member_with_standby_tasks_leaves(k: Talk) -> None:
    members = stateful(k, 4, 6)
    join(k, *members[1:])
    settle(*members)
    leave(k, members[1], members[0])
    leave(k, members[2], members[0])
    end(k, members[0], members[3])


@streams
def two_standby_tasks_each(k: Talk) -> None:
    members = stateful(k, 4, 4, replicas=2)
    join(k, *members[1:3])
    settle(*members[:3])
    join(k, members[3])
    leave(k, members[0], members[3])
    end(k, *members[1:])


@streams
def standby_tasks_grow_in_number_while_tasks_move(k: Talk) -> None:
    members = stateful(k, 3, 5, replicas=0)
    join(k, *members[1:])
    for replicas in (2, 1):
        set_group(k, members[0].group, streams_num_standby_replicas=f"{replicas}")
        members[1].full(kept=False)
        keep_tasks(k, members[0])
    end(k, *members)


@streams
def standby_task_of_a_process_that_became_active(k: Talk) -> None:
    """Kafka 4.3 gives up if the first member with a standby task cannot keep it."""
    members = stateful(k, 3, 3, replicas=2)
    join(k, *members[1:])
    settle(*members)
    for each in members:
        each.how["process"] = "p1" if each is members[1] else "p3"
        join(k, each)
    end(k, *members)


@streams
def members_of_standby_tasks_rejoin(k: Talk) -> None:
    members = stateful(k, 3, 6)
    join(k, *members[1:])
    members[0].full(kept=False)
    join(k, *members)
    leave(k, members[0], members[2])
    end(k, *members[1:])


def offsets(**tasks: int) -> dict[str, Any]:
    """Return the field of a heartbeat: tasks of subtopology 0, as t3=5, with their offsets."""
    return {"offsets": [("0", int(name[1:]), offset) for name, offset in tasks.items()]}


@new_streams
def tasks_move_to_the_members_with_the_highest_offsets(k: Talk) -> None:
    members = stateful(k, 4, 4, replicas=0)
    settled(*members[1:])
    settle(*members)
    members[1].beat(kept=False, **offsets(t0=10, t1=30, t2=20, t3=10))
    members[2].beat(kept=False, **offsets(t0=30, t1=10, t2=20, t3=10))
    members[3].beat(kept=False, **offsets(t0=20, t1=20, t2=30, t3=10))
    leave(k, members[0], members[1])
    end(k, *members[1:])


@new_streams
def standby_tasks_follow_offsets(k: Talk) -> None:
    members = stateful(k, 4, 4, replicas=0)
    settled(*members[1:])
    settle(*members)
    members[1].beat(kept=False, **offsets(t0=10, t1=30, t2=20, t3=-5))
    members[2].beat(kept=False, **offsets(t0=30, t1=10, t2=20, t3=10))
    members[3].beat(kept=False, **offsets(t0=20, t1=20, t2=30, t3=9223372036854775807))
    set_group(k, members[0].group, streams_num_standby_replicas="1")
    members[0].full(kept=False)
    keep_tasks(k, members[0])
    end(k, *members)


@new_streams
def standby_tasks_precede_offsets(k: Talk) -> None:
    members = stateful(k, 3, 4)
    join(k, *members[1:])
    settle(*members)
    members[1].beat(kept=False, **offsets(t0=10, t1=30, t2=20, t3=10))
    members[2].beat(kept=False, **offsets(t0=30, t1=10, t2=20, t3=10))
    leave(k, members[0], members[1])
    end(k, *members[1:])


@new_streams
def offsets_are_forgotten_when_a_member_leaves(k: Talk) -> None:
    members = stateful(k, 3, 4, replicas=0)
    settled(*members[1:])
    settle(*members)
    members[1].beat(kept=False, **offsets(t0=10, t1=10, t2=10, t3=10))
    members[1].leave(kept=False)
    join(k, members[1])
    settle(*members)
    leave(k, members[0], members[2])
    end(k, *members[1:])


def tagged(one: Streamer, **how: Any) -> Request:
    """Build a heartbeat in version 1, whose response reports missing client tags."""
    return one.request(version=1, **how)


def _status(response: dict[str, Any]) -> Any:
    return [response["ErrorCode"], response["MemberEpoch"], response["Status"]]


@new_streams
def members_without_the_rack_aware_tags(k: Talk) -> None:
    one, two = stateless(k, 2, 4)
    settled(one)
    set_group(k, one.group, streams_rack_aware_assignment_tags="zone,rack")
    one.peer.ask(*tagged(one), keep=_status)
    one.full(kept=False)
    state(one)
    one.beat()
    one.peer.ask(*tagged(one), keep=_status)
    for tags in ({"zone": "a"}, {"rack": "b", "zone": "a"}, {"other": "x"}, {}):
        one.how["tags"] = tags
        one.join(kept=False)
        one.peer.ask(*tagged(one), keep=_status)
        state(one)
    two.how["tags"] = {"zone": "a"}
    join(k, two)
    two.peer.ask(*tagged(two), keep=_status)
    set_group(k, one.group, streams_rack_aware_assignment_tags="zone")
    two.peer.ask(*tagged(two), keep=_status)
    state(one)
    set_group(k, one.group, streams_rack_aware_assignment_tags="")
    one.full(kept=False)
    one.peer.ask(*tagged(one), keep=_status)
    state(one)


@new_streams
def rack_aware_tags_do_not_move_tasks(k: Talk) -> None:
    members = stateful(k, 4, 4)
    set_group(k, members[0].group, streams_rack_aware_assignment_tags="zone")
    for number, each in enumerate(members):
        each.how["tags"] = {"zone": f"z{number // 2}"}
        each.join(kept=False)
    end(k, *members)


@case(
    settings={
        **STREAMS_SETTINGS,
        "group.streams.rack.aware.assignment.tags": "zone",
        "group.streams.assignors": "org.apache.kafka.coordinator.group.streams.assignor.StickyTaskAssignor",
    },
    is_new=True,
)
def rack_aware_tags_and_assignors_of_the_broker(k: Talk) -> None:
    one, two = stateless(k, 2, 4)
    settled(one, two)
    one.peer.ask(*tagged(one), keep=_status)
    set_group(k, one.group, streams_rack_aware_assignment_tags="rack")
    one.peer.ask(*tagged(one), keep=_status)
    names = ["streams.rack.aware.assignment.tags", "streams.assignor.name"]
    for resource in (one.group, k.name("other")):
        wanted = {"ResourceType": GROUP, "ResourceName": resource, "ConfigurationKeys": names}
        k.ask("DescribeConfigs", 4, {"Resources": [wanted], "IncludeSynonyms": True})
    for value in ("sticky", "mock", "StickyTaskAssignor"):
        k.ask(*change((GROUP, one.group, (("streams.assignor.name", SET, value),))))
    one.full(kept=False)
    state(one)
    keep_tasks(k, one)
