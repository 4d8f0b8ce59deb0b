"""StreamsGroupHeartbeat: offsets of tasks, roles of tasks, endpoints, and members that rejoin."""

from __future__ import annotations

from typing import Any

from tests.conformance.build_admin import GROUP, SET, change
from tests.conformance.build_streams import NO_TASKS, internal
from tests.conformance.case import Talk, case
from tests.conformance.consumers import known_topic, set_group
from tests.conformance.streaming import (
    STREAMS_SETTINGS,
    a_streamer,
    ask_described,
    one_source,
    settle,
    settled,
    state,
    streamers,
    streams,
)


@streams
def task_offsets_are_described(k: Talk) -> None:
    one = a_streamer(k, known_topic(k, 3))
    one.full(offsets=[("0", 2, 7), ("0", 0, 5)], end_offsets=[("0", 1, 9)])
    ask_described(one)
    one.full()
    one.beat()
    ask_described(one)


@streams
def task_offsets_replace_those_before(k: Talk) -> None:
    one = a_streamer(k, known_topic(k, 3))
    one.full(offsets=[("0", 0, 5)], end_offsets=[("0", 0, 9)])
    one.full(offsets=[("0", 1, 6)])
    ask_described(one)
    one.full(end_offsets=[("0", 2, 8)])
    ask_described(one)
    one.full(offsets=[])
    ask_described(one)
    one.full(end_offsets=[])
    ask_described(one)


@streams
def task_offsets_repeat_a_task(k: Talk) -> None:
    one = a_streamer(k, known_topic(k, 2))
    twice = [("0", 0, 5), ("0", 1, 5), ("0", 0, 6)]
    one.full(offsets=twice)
    one.full(end_offsets=twice)
    one.full(offsets=[("0", 0, 5)], end_offsets=twice)
    one.full(offsets=twice, end_offsets=[("1", 2, 3), ("1", 2, 3)])
    one.full(offsets=twice, active={"9": [0]})
    one.full(offsets=twice, epoch=99)
    ask_described(one)


@streams
def task_offsets_of_tasks_that_do_not_exist(k: Talk) -> None:
    one = a_streamer(k, known_topic(k))
    one.full(offsets=[("9", 0, 5), ("0", 99, 1), ("0", -1, 1), ("", 0, 1)], end_offsets=[("0", 0, -5)])
    one.full(offsets=[("0", 0, -1), ("10", 0, 2**63 - 1), ("9", 0, -(2**63))])
    ask_described(one)


@streams
def task_offsets_of_members_that_join(k: Talk) -> None:
    """Kafka forgets those of the first heartbeat of a group."""
    one, two = streamers(k, 2, one_source(known_topic(k, 2)))
    one.join(offsets=[("0", 0, 5)])
    ask_described(one)
    two.join(offsets=[("0", 0, 6)], end_offsets=[("0", 1, 7)])
    ask_described(one)
    one.join(offsets=[("0", 1, 8)])
    one.join()
    ask_described(one)


@streams
def task_offsets_of_a_member_that_leaves(k: Talk) -> None:
    one, two = streamers(k, 2, one_source(known_topic(k, 2)))
    settled(one, two)
    two.full(offsets=[("0", 0, 6)])
    two.leave(offsets=[("0", 0, 7)])
    two.join()
    ask_described(one)


@streams
def task_offsets_of_a_refused_heartbeat(k: Talk) -> None:
    one = a_streamer(k, known_topic(k))
    offsets = [("0", 0, 5)]
    one.full(epoch=99, offsets=offsets)
    one.full(active={"0": [9]}, offsets=offsets)
    one.full(active={"9": [0]}, end_offsets=offsets)
    one.full(standby=None, offsets=offsets)
    ask_described(one)


@streams
def task_offsets_before_the_topology_is_ready(k: Talk) -> None:
    known_topic(k)
    (one,) = streamers(k, 1, one_source(k.name("missing")))
    one.join(kept=False)
    one.full(offsets=[("0", 0, 5)], end_offsets=[("0", 0, 6)])
    ask_described(one)


@streams
def task_offsets_of_a_static_member(k: Talk) -> None:
    (one,) = streamers(k, 1, one_source(known_topic(k, 2)))
    one.join(kept=False, instance="i1")
    offsets: dict[str, Any] = {"offsets": [("0", 0, 5)], "end_offsets": [("0", 1, 6)]}
    one.beat(instance="i1", **offsets)
    one.leave(epoch=-2, instance="i1", kept=False)
    ask_described(one)
    one.join(instance="i1", offsets=[("0", 0, 7)])
    ask_described(one)
    one.beat(instance="i1", **offsets)
    one.leave(epoch=-2, instance="i1", kept=False)
    one.join(instance="i1", member="m2", offsets=[("0", 1, 8)])
    ask_described(one)


@streams
def settings_of_task_offsets(k: Talk) -> None:
    """4.3 does not have the settings."""
    one = a_streamer(k, known_topic(k))
    for key, value in (
        ("streams.task.offset.interval.ms", "14999"),
        ("streams.task.offset.interval.ms", "0"),
        ("streams.task.offset.interval.ms", "20000"),
        ("streams.acceptable.recovery.lag", "-1"),
        ("streams.acceptable.recovery.lag", "x"),
        ("streams.acceptable.recovery.lag", "77"),
        ("streams.num.warmup.replicas", "-1"),
        ("streams.num.warmup.replicas", "21"),
        ("streams.num.warmup.replicas", "20"),
    ):
        k.ask(
            *change((GROUP, one.group, ((key, SET, value),))),
            keep=lambda told: [told["Responses"][0][name] for name in ("ErrorCode", "ErrorMessage")],
        )
    told = k.until(lambda: one.full(kept=False), lambda told: told["TaskOffsetIntervalMs"] in (0, 20_000))
    k.keep("interval", told["TaskOffsetIntervalMs"])


@streams
def endpoint_of_a_streams_member_changes(k: Talk) -> None:
    """The other member learns of it at once."""
    one, two = streamers(k, 2, one_source(known_topic(k, 2)))
    settled(one, two)
    one.full(endpoint=("one", 1001))
    two.full()
    one.full(endpoint=("one", 1002))
    two.full()
    one.full(endpoint=("one", 1002))
    one.full()
    two.full()
    two.full(endpoint=("two", 2001), endpoint_epoch=99)
    one.full()


@streams
def streams_member_rejoins_with_its_endpoint(k: Talk) -> None:
    one, two = streamers(k, 2, one_source(known_topic(k, 2)))
    one.how["endpoint"] = ("one", 1001)
    settled(one, two)
    one.join()
    two.full()
    state(one)


@streams
def streams_member_rejoins_without_its_endpoint(k: Talk) -> None:
    one, two = streamers(k, 2, one_source(known_topic(k, 2)))
    one.how["endpoint"] = ("one", 1001)
    settled(one, two)
    one.join(endpoint=None)
    two.full()
    ask_described(one)
    settle(one, two)
    one.join(endpoint=("one", 1003))
    two.full()
    ask_described(one)


@streams
def streams_member_with_an_endpoint_leaves(k: Talk) -> None:
    one, two = streamers(k, 2, one_source(known_topic(k, 2)))
    one.how["endpoint"], two.how["endpoint"] = ("one", 1001), ("two", 1002)
    settled(one, two)
    one.leave()
    two.full()
    two.full()
    one.join()
    two.full()


@case(settings={**STREAMS_SETTINGS, "group.streams.max.size": "2"})
def streams_members_of_a_full_group_rejoin(k: Talk) -> None:
    one, two, three = streamers(k, 3, one_source(known_topic(k, 2)))
    settled(one, two)
    one.join()
    two.join(rack="r1")
    three.join()
    three.join(instance="i1")
    one.full()
    two.full()
    two.leave()
    three.join()
    two.join()
    state(one)


@streams
def warmup_tasks_are_reported(k: Talk) -> None:
    one = a_streamer(k, known_topic(k, 2))
    one.full(warmup={"0": [0]})
    one.full(warmup={"0": [9]})
    one.full(warmup={"9": [0]})
    one.full(warmup={"0": []})
    one.beat(active=NO_TASKS, standby=NO_TASKS, warmup={"0": [1]})
    one.beat(warmup={"0": [1]})
    one.full(epoch=1, warmup={"0": [1]})
    one.leave(warmup={"0": [1]})
    state(one)


@streams
def active_task_becomes_a_standby_task(k: Talk) -> None:
    group = k.group()
    set_group(k, group, streams_num_standby_replicas="1")
    one, two = streamers(
        k, 2, one_source(known_topic(k, 2), changelogs=[internal(k.name("changelog"))]), group=group
    )
    one.join(kept=False)
    one.beat_until_ready()
    settle(one)
    two.join()
    before = {kind.lower(): dict(tasks) for kind, tasks in one.owns.items()}
    one.full()
    one.beat()
    ask_described(one)
    one.full(**before)
    two.full()
    one.full()
    two.full()
    one.full()
    ask_described(one)


@streams
def standby_task_becomes_active(k: Talk) -> None:
    group = k.group()
    set_group(k, group, streams_num_standby_replicas="1")
    made = one_source(known_topic(k, 2), changelogs=[internal(k.name("changelog"))])
    one, two = streamers(k, 2, made, group=group)
    one.join(kept=False)
    one.beat_until_ready()
    two.join(kept=False)
    settle(one, two)
    one.leave(kept=False)
    two.beat()
    two.full()
    ask_described(two)
    one.join()
    two.full()
    one.full()
    two.full()
    one.full()
    ask_described(two)


@streams
def standby_task_becomes_active_while_another_is_revoked(k: Talk) -> None:
    """The member waits for its new active task, and keeps the standby task meanwhile."""
    group = k.group()
    set_group(k, group, streams_num_standby_replicas="1")
    made = one_source(known_topic(k, 4), changelogs=[internal(k.name("changelog"))])
    one, two, three = streamers(k, 3, made, group=group)
    one.join(kept=False)
    one.beat_until_ready()
    two.join(kept=False)
    settle(one, two)
    three.join()
    two.leave(kept=False)
    one.beat()
    three.beat()
    ask_described(one)
    for each in (one, three, one, three):
        each.full()
    ask_described(one)


@streams
def streams_member_leaves_and_joins_between_assignments(k: Talk) -> None:
    """4.4 gives it the tasks of its last target, although it has left."""
    one, two = streamers(k, 2, one_source(known_topic(k, 4)))
    settled(one, two)
    set_group(k, one.group, streams_assignment_interval_ms="15000")
    two.leave()
    state(one)
    two.join()
    one.full()
    two.full()
    ask_described(one)


@streams
def static_streams_member_leaves_and_joins_between_assignments(k: Talk) -> None:
    one, two = streamers(k, 2, one_source(known_topic(k, 4)))
    one.join(kept=False, instance="i1")
    for _ in range(3):
        one.full(kept=False, instance="i1")
    two.join(kept=False)
    for _ in range(3):
        one.full(kept=False, instance="i1")
        two.full(kept=False)
    set_group(k, one.group, streams_assignment_interval_ms="15000")
    one.leave(instance="i1")
    one.join(instance="i1", member="m3")
    one.join(instance="i2")
    two.full()
    ask_described(one)
