"""Stories of streams groups (KIP-1071): their records in `__consumer_offsets`, and their internal topics."""

from __future__ import annotations

from typing import Final

from tests.conformance.build import commit
from tests.conformance.build_admin import grow
from tests.conformance.build_streams import internal, subtopology, topology
from tests.conformance.case import Talk
from tests.conformance.consumers import known_topic, set_group
from tests.conformance.disk.stories import Run, Story
from tests.conformance.members import some_stable
from tests.conformance.streaming import (
    STREAMS_SETTINGS,
    Streamer,
    a_streamer,
    described,
    one_source,
    settle,
    settled,
    streamers,
)

STREAMS_STORIES: Final[dict[str, Story]] = {}
# Kafka's coordinators append a record when it is decided, rather than together with later ones.
AT_ONCE: Final = {**STREAMS_SETTINGS, "group.coordinator.append.linger.ms": "0"}


def streamed(run: Run) -> Run:
    """Register a story on a broker with AT_ONCE."""
    STREAMS_STORIES[run.__name__] = Story(run.__name__, run, AT_ONCE)
    return run


def until_ready(one: Streamer) -> None:
    """Send heartbeats until the internal topics exist."""
    one.talk.until(lambda: one.full(kept=False), lambda told: told["ErrorCode"] == 0 and not told["Status"])
    settle(one)


@streamed
def a_streams_member_joins_beats_and_leaves(k: Talk) -> None:
    one = a_streamer(k, known_topic(k, 3))
    one.beat(kept=False)
    one.full(kept=False)
    one.join(kept=False)
    one.leave(kept=False)


@streamed
def a_streams_member_changes(k: Talk) -> None:
    one = a_streamer(k, known_topic(k, 2))
    one.full(kept=False, rack="r1")
    one.full(kept=False, process="p9", endpoint=("host", 65535))
    one.full(kept=False, tags={"zone": "a"}, rebalance_ms=5)
    one.full(kept=False, rack="")
    one.full(kept=False)


@streamed
def two_streams_members_share_tasks_of_a_topic(k: Talk) -> None:
    one, two = streamers(k, 2, one_source(known_topic(k, 4)))
    settled(one)
    two.join(kept=False)
    one.full(kept=False)
    two.full(kept=False)
    one.full(kept=False)
    two.full(kept=False)
    two.leave(kept=False)
    one.full(kept=False)


@streamed
def a_streams_topology_with_internal_topics(k: Talk) -> None:
    topic = known_topic(k, 2)
    between, store, other = k.name("repartition"), k.name("changelog"), k.name("changelog")
    made = topology(
        subtopology("0", [topic], sinks=[between], changelogs=[internal(store, retention_ms="99")]),
        subtopology(
            "1",
            repartitions=[internal(between, 3, 1, cleanup_policy="delete")],
            changelogs=[internal(other)],
            copartitioned=[([], [0])],
        ),
        epoch=2,
    )
    (one,) = streamers(k, 1, made)
    one.join(kept=False)
    until_ready(one)


@streamed
def standby_tasks_of_streams_members(k: Talk) -> None:
    group = k.group()
    set_group(k, group, streams_num_standby_replicas="1")
    made = one_source(known_topic(k, 2), changelogs=[internal(k.name("changelog"))])
    one, two = streamers(k, 2, made, group=group)
    one.join(kept=False)
    until_ready(one)
    two.join(kept=False)
    for each in (one, two, one, two):
        each.full(kept=False)
    set_group(k, group, streams_num_standby_replicas="0")
    for each in (one, two):
        each.full(kept=False)


@streamed
def a_source_of_a_streams_group_is_missing(k: Talk) -> None:
    known_topic(k)
    one = Streamer(k, k.group(), topology=one_source(k.name("missing")))
    one.join(kept=False)
    one.full(kept=False)
    one.leave(kept=False)


@streamed
def partitions_are_added_for_a_streams_group(k: Talk) -> None:
    topic = known_topic(k)
    one = a_streamer(k, topic)
    k.do(*grow((topic, 2)))
    k.until_there(topic, 2)
    k.until(lambda: one.full(kept=False), lambda _: one.active == {"0": [0, 1]})


@streamed
def a_session_of_a_streams_member_ends(k: Talk) -> None:
    group = k.group()
    set_group(k, group, streams_heartbeat_interval_ms="500", streams_session_timeout_ms="1000")
    (one,) = streamers(k, 1, one_source(known_topic(k)), group=group)
    one.join(kept=False)
    k.until(lambda: described(one), lambda told: told["GroupState"] == "Empty")


@streamed
def the_initial_rebalance_of_a_streams_group_is_delayed(k: Talk) -> None:
    group = k.group()
    set_group(k, group, streams_initial_rebalance_delay_ms="1000")
    (one,) = streamers(k, 1, one_source(known_topic(k)), group=group)
    one.join(kept=False)
    one.full(kept=False)
    k.until(lambda: described(one), lambda told: told["AssignmentEpoch"] == told["GroupEpoch"])
    one.full(kept=False)


@streamed
def a_streams_group_with_offsets_is_deleted(k: Talk) -> None:
    topic = known_topic(k, 2)
    one = a_streamer(k, topic)
    k.do(*commit(one.group, {topic: {0: 5, 1: 6}}, member=one.id, generation=one.epoch))
    one.leave(kept=False)
    k.do("DeleteGroups", 2, {"GroupsNames": [one.group]})
    one.join(kept=False)


@streamed
def a_classic_group_becomes_a_streams_group(k: Talk) -> None:
    topic = known_topic(k)
    (classic,) = some_stable(k, 1)
    k.do(*classic.leave())
    one = Streamer(k, classic.group, topology=one_source(topic))
    one.join(kept=False)


@streamed
def a_streams_group_becomes_a_classic_group(k: Talk) -> None:
    topic = known_topic(k)
    one = a_streamer(k, topic)
    one.leave(kept=False)
    k.do("JoinGroup", 3, {
        "GroupId": one.group, "SessionTimeoutMs": 30000, "RebalanceTimeoutMs": 30000, "MemberId": "",
        "ProtocolType": "consumer", "Protocols": [{"Name": "range", "Metadata": ""}],
    })  # fmt: skip


@streamed
def a_static_streams_member_leaves_and_returns(k: Talk) -> None:
    (one,) = streamers(k, 1, one_source(known_topic(k, 2)))
    static = {"instance": "i1"}
    one.join(kept=False, **static)
    one.full(kept=False, **static)
    one.send(False, epoch=-2, **static)
    one.join(kept=False, **static)
    one.send(False, epoch=-2, **static)
    one.join(kept=False, member="m2", rebalance_ms=5, **static)
    one.send(False, epoch=-2, member="m2", **static)
    one.join(kept=False, member="m3", rack="r1", instance="i1")
    one.join(kept=False, member="m3", instance="i2")
    one.leave(kept=False, member="m3", instance="i2")


@streamed
def a_static_streams_member_is_away_while_tasks_move(k: Talk) -> None:
    one, two = streamers(k, 2, one_source(known_topic(k, 4)))
    one.join(kept=False, instance="i1")
    one.full(kept=False, instance="i1")
    two.join(kept=False, instance="i2")
    one.beat(kept=False, instance="i1")
    one.send(False, epoch=-2, instance="i1")
    two.full(kept=False, instance="i2")
    one.join(kept=False, instance="i1")
    for each, instance in ((two, "i2"), (one, "i1"), (two, "i2")):
        each.full(kept=False, instance=instance)


@streamed
def a_streams_member_rejoins_without_its_endpoint(k: Talk) -> None:
    one = a_streamer(k, known_topic(k), endpoint=("host", 1))
    one.full(kept=False, offsets=[("0", 0, 5)])
    one.join(kept=False, endpoint=None)
    one.full(kept=False)
