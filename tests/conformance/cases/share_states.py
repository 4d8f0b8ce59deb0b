"""The share coordinator: Initialize, Read, Write, Delete and ReadSummary of the state of a partition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from tests.conformance.build_share import (
    ACKNOWLEDGED,
    ACQUIRED,
    ARCHIVED,
    ARCHIVING,
    AVAILABLE,
    SHARE,
    share_state,
)
from tests.conformance.case import ZERO_UUID, Fields, Talk
from tests.conformance.sharing import a_sharer, filled_topic, share_topic, shares, started

UNKNOWN_ID: Final = "00000000-0000-4000-8000-000000000001"
Batch = tuple[int, int, int, int]  # first and last offset, delivery state and delivery count


class State:
    """The state of partition 0 of a new topic in a group of its own, and requests about it."""

    def __init__(self, k: Talk, topic: str = "", partition: int = 0) -> None:
        self.talk = k
        self.group = k.name("group")
        self.topic = topic or share_topic(k)
        self.id = k.topic_id(self.topic)
        self.partition = partition
        key = {"KeyType": SHARE, "CoordinatorKeys": ["g:AAAAAAAAAAAAAAAAAAAAAQ:0"]}
        k.until(
            lambda: k.do("FindCoordinator", 6, key)["Coordinators"][0]["ErrorCode"], lambda error: error == 0
        )
        k.until(
            lambda: self.ask("ReadSummary", kept=False, LeaderEpoch=-1), lambda told: not _retriable(told)
        )

    def ask(self, api: str, *, kept: bool = True, version: int = 0, **fields: Any) -> Fields:
        topic_id = fields.pop("topic_id", self.id)
        partition = fields.pop("partition", self.partition)
        group = fields.pop("group", self.group)
        request = share_state(api, group, {topic_id: {partition: fields}}, version=version)
        return self.talk.ask(*request, keep=slim) if kept else self.talk.do(*request)

    def initialize(self, epoch: int = 0, start: int = 0, **other: Any) -> None:
        self.ask("Initialize", StateEpoch=epoch, StartOffset=start, **other)

    def read(self, leader_epoch: int = 0, **other: Any) -> None:
        self.ask("Read", LeaderEpoch=leader_epoch, **other)

    def summary(self, leader_epoch: int = -1, version: int = 1, **other: Any) -> None:
        self.ask("ReadSummary", LeaderEpoch=leader_epoch, version=version, **other)

    def write(
        self,
        *batches: Batch,
        epoch: int = 0,
        leader_epoch: int = 0,
        start: int = -1,
        version: int = 0,
        **other: Any,
    ) -> None:
        given = [
            {"FirstOffset": first, "LastOffset": last, "DeliveryState": state, "DeliveryCount": count}
            for first, last, state, count in batches
        ]
        self.ask(
            "Write",
            version=version,
            StateEpoch=epoch,
            LeaderEpoch=leader_epoch,
            StartOffset=start,
            StateBatches=given,
            **other,
        )

    def delete(self, **other: Any) -> None:
        self.ask("Delete", **other)


def _retriable(response: Fields) -> bool:
    return any(p["ErrorCode"] in (14, 15, 16) for topic in response["Results"] for p in topic["Partitions"])


def slim(response: Fields) -> Fields:
    """keep= of these requests: show batches as `0-4 state x count`."""
    return {
        **response,
        "Results": [
            {**topic, "Partitions": [_partition(each) for each in topic["Partitions"]]}
            for topic in response["Results"]
        ],
    }


def _partition(given: Fields) -> Fields:
    if "StateBatches" not in given:
        return given
    batches = [
        f"{b['FirstOffset']}-{b['LastOffset']} {b['DeliveryState']} x{b['DeliveryCount']}"
        for b in given["StateBatches"]
    ]
    return {**given, "StateBatches": batches}


@shares
def state_is_initialized_and_read(k: Talk) -> None:
    one = State(k)
    one.summary()
    one.read()
    one.initialize(start=5)
    one.summary()
    one.read(-1)
    one.read(0)
    one.summary()
    one.initialize(start=7)
    one.summary()
    one.initialize(epoch=3, start=9)
    one.read()
    one.initialize(epoch=2, start=9)
    one.initialize(epoch=3, start=-1)
    one.summary()


@shares
def odd_states_are_initialized(k: Talk) -> None:
    one = State(k)
    for epoch, start in ((-1, 0), (-5, 0), (0, -2), (0, -100), (0, 2**63 - 1), (2**31 - 1, 0)):
        one.initialize(epoch=epoch, start=start)
        one.summary()


@shares(versions=(0, 1))
def state_is_written(k: Talk, version: int) -> None:
    one = State(k)
    one.initialize(start=0)
    one.write((0, 4, ACKNOWLEDGED, 1), (5, 9, AVAILABLE, 2), version=version)
    one.read()
    one.summary(version=version)
    one.write((10, 12, ARCHIVED, 5), start=5, version=version)
    one.read()
    one.summary(version=version)
    other = {"DeliveryCompleteCount": 4} if version == 1 else {}
    one.write(start=8, version=version, **other)
    one.read()
    one.summary(version=version)


def combine(k: Talk, *writes: Sequence[Batch], start: int = 0) -> None:
    one = State(k)
    one.initialize(start=start)
    for batches in writes:
        one.write(*batches)
        one.read()


@shares
def batches_that_adjoin_are_combined(k: Talk) -> None:
    combine(
        k, [(0, 4, AVAILABLE, 1)], [(5, 9, AVAILABLE, 1)], [(10, 14, AVAILABLE, 2)], [(15, 19, ARCHIVED, 2)]
    )


@shares
def batches_that_do_not_adjoin(k: Talk) -> None:
    combine(
        k, [(0, 4, AVAILABLE, 1)], [(10, 14, AVAILABLE, 1)], [(6, 8, AVAILABLE, 1)], [(5, 5, AVAILABLE, 1)]
    )


@shares
def later_batch_replaces_a_part(k: Talk) -> None:
    combine(
        k,
        [(0, 9, AVAILABLE, 1)],
        [(3, 5, AVAILABLE, 2)],
        [(4, 4, ACKNOWLEDGED, 2)],
        [(0, 20, ARCHIVED, 3)],
    )


@shares
def later_batches_replace_a_batch_and_adjoin(k: Talk) -> None:
    combine(k, [(7, 10, ARCHIVED, 2)], [(2, 6, ARCHIVED, 2), (6, 10, ACKNOWLEDGED, 2)])


@shares
def written_start_and_count_are_lower(k: Talk) -> None:
    """A write with a lower start, the same and a higher one, each with lower and higher counts."""
    one = State(k)
    one.initialize(start=5)
    for start, count in ((5, 3), (5, 1), (4, 9), (-1, 8), (7, 0), (7, 4), (7, -1), (8, -1), (6, -1)):
        one.write((9, 9, ARCHIVED, 1), start=start, version=1, DeliveryCompleteCount=count)
        one.read()
        one.summary()


@shares
def batch_with_a_lower_count(k: Talk) -> None:
    combine(
        k, [(0, 9, AVAILABLE, 3)], [(3, 5, AVAILABLE, 2)], [(8, 12, ARCHIVED, 1)], [(0, 9, ACKNOWLEDGED, 3)]
    )


@shares
def batches_with_equal_counts(k: Talk) -> None:
    combine(
        k,
        [(0, 9, ACKNOWLEDGED, 2)],
        [(0, 4, AVAILABLE, 2)],
        [(5, 9, ARCHIVED, 2)],
        [(7, 12, AVAILABLE, 2)],
        [(2, 6, ACKNOWLEDGED, 2)],
    )


@shares
def batches_of_one_write_overlap(k: Talk) -> None:
    combine(
        k,
        [(0, 9, AVAILABLE, 1), (5, 14, AVAILABLE, 2)],
        [(20, 29, AVAILABLE, 1), (20, 29, ARCHIVED, 1), (22, 24, AVAILABLE, 5)],
        [(40, 44, AVAILABLE, 1), (30, 34, AVAILABLE, 1)],
    )


@shares
def batches_below_the_start_are_dropped(k: Talk) -> None:
    one = State(k)
    one.initialize(start=10)
    one.write((0, 4, AVAILABLE, 1), (5, 14, AVAILABLE, 1))
    one.read()
    one.write((20, 24, AVAILABLE, 1), start=12)
    one.read()
    one.write((0, 30, AVAILABLE, 2), start=22)
    one.read()
    one.write(start=15)
    one.read()
    one.write((15, 21, AVAILABLE, 3), start=100)
    one.read()


@shares(differs="State of share partitions")
def odd_batches_are_written(k: Talk) -> None:
    one = State(k)
    one.initialize(start=0)
    for batches in (
        [(5, 4, AVAILABLE, 1)],
        [(-5, -1, AVAILABLE, 1)],
        [(-5, 3, AVAILABLE, 1)],
        [(10, 12, 9, 1)],
        [(20, 22, -1, 1)],
        [(30, 32, AVAILABLE, -1)],
        [(40, 42, AVAILABLE, 0)],
        [(50, 52, ACQUIRED, 1)],
        [(60, 62, ARCHIVING, 32767)],
        [(70, 2**63 - 1, AVAILABLE, 1)],
    ):
        one.write(*batches)
        one.read()


@shares
def write_with_an_odd_start(k: Talk) -> None:
    one = State(k)
    one.initialize(start=5)
    for start in (-2, 0, 3, 2**63 - 1, -1):
        one.write((6, 7, AVAILABLE, 1), start=start)
        one.read()


@shares
def state_that_is_not_initialized_is_written(k: Talk) -> None:
    one = State(k)
    one.write((0, 4, AVAILABLE, 1))
    one.write((0, 4, AVAILABLE, 1), epoch=5, leader_epoch=7)
    one.read()
    one.read(3)
    one.write((0, 4, AVAILABLE, 1))
    one.summary()
    one.delete()


@shares
def leader_epochs_are_fenced(k: Talk) -> None:
    one = State(k)
    one.initialize(start=0)
    one.read(5)
    one.summary()
    one.read(4)
    one.read(-1)
    one.summary(4)
    one.summary(9)
    one.write((0, 4, AVAILABLE, 1), leader_epoch=4)
    one.write((0, 4, AVAILABLE, 1), leader_epoch=5)
    one.write((5, 9, AVAILABLE, 1), leader_epoch=8)
    one.summary()
    one.write((5, 9, AVAILABLE, 1), leader_epoch=-1)
    one.read(6)
    one.summary()


@shares
def state_epochs_are_fenced(k: Talk) -> None:
    one = State(k)
    one.initialize(epoch=5, start=0)
    one.write((0, 4, AVAILABLE, 1), epoch=4)
    one.write((0, 4, AVAILABLE, 1), epoch=6)
    one.write((0, 4, AVAILABLE, 1), epoch=5)
    one.write((5, 9, AVAILABLE, 1), epoch=-1)
    one.read()
    one.initialize(epoch=4, start=0)
    one.initialize(epoch=5, start=3)
    one.read()
    one.initialize(epoch=-1, start=4)
    one.summary()


@shares
def both_epochs_are_wrong(k: Talk) -> None:
    one = State(k)
    one.initialize(epoch=5, start=0)
    one.read(5)
    one.write((0, 4, AVAILABLE, 1), epoch=4, leader_epoch=4)
    one.write((0, 4, AVAILABLE, 1), epoch=4, leader_epoch=5)
    one.write((0, 4, AVAILABLE, 1), epoch=5, leader_epoch=4, partition=-1)


@shares
def states_of_unknown_partitions(k: Talk) -> None:
    one = State(k)
    for other in (
        {"topic_id": ZERO_UUID}, {"partition": -1}, {"partition": 7}, {"topic_id": UNKNOWN_ID},
        {"topic_id": ZERO_UUID, "partition": -1}, {"group": ""}, {"group": " "}, {"group": "a:b"},
    ):  # fmt: skip
        one.initialize(**other)
        one.read(-1, **other)
        one.read(0, **other)
        one.write((0, 4, AVAILABLE, 1), **other)
        one.summary(**other)
        one.delete(**other)


@shares
def state_is_deleted(k: Talk) -> None:
    one = State(k)
    one.initialize(epoch=3, start=5)
    one.read(4)
    one.write((5, 9, AVAILABLE, 1), epoch=3, leader_epoch=4)
    one.delete()
    one.summary()
    one.read()
    one.write((5, 9, AVAILABLE, 1), epoch=3, leader_epoch=4)
    one.delete()
    one.initialize(epoch=0, start=2)
    one.read(2)
    one.summary()


@shares
def states_of_several_partitions(k: Talk) -> None:
    topic = share_topic(k, 3)
    one = State(k, topic)

    def partitions(response: Fields) -> Fields:
        topics = [
            {**topic, "Partitions": sorted(topic["Partitions"], key=lambda p: p["Partition"])}
            for topic in response["Results"]
        ]
        return slim({"Results": topics})

    def ask(api: str, *indexes: int, **fields: Any) -> None:
        k.ask(*share_state(api, one.group, {one.id: dict.fromkeys(indexes, fields)}), keep=partitions)

    ask("Initialize", 0, 1, 9, StateEpoch=1, StartOffset=3)
    ask("Read", 0, 1, 2, LeaderEpoch=0)
    ask("ReadSummary", 2, 0, 9, LeaderEpoch=0)
    ask("Write", 0, 2, StateEpoch=1, LeaderEpoch=0, StartOffset=4, StateBatches=[])
    ask("Delete", 1, 2, 9)
    ask("Read", 0, 1, LeaderEpoch=0)


@shares
def requests_about_no_states(k: Talk) -> None:
    one = State(k)
    for api in ("Initialize", "Read", "Write", "ReadSummary", "Delete"):
        k.ask(*share_state(api, one.group, {}))
        k.ask(*share_state(api, one.group, {one.id: {}}))
        k.ask(*share_state(api, "", {}))


@shares
def state_of_a_share_partition(k: Talk) -> None:
    """The leader of a partition writes the state of acknowledged records."""
    topic = filled_topic(k, 10)
    one = started(k, topic)
    state = State(k, topic)
    state.group = one.group
    state.summary()
    state.read()
    one.acknowledge({topic: {0: [(2, 3, 1), (5, 5, 2), (7, 7, 3), (9, 9, 0)]}}, kept=False)
    state.read()
    state.summary()
    one.acknowledge({topic: {0: [(0, 1, 1)]}}, kept=False)
    state.read()
    one.fetch({topic: [0]}, kept=False)
    one.acknowledge({topic: {0: [(4, 4, 2), (5, 6, 1), (8, 8, 1)]}}, kept=False)
    state.read()
    state.summary()


@shares
def state_of_a_share_partition_at_the_end_of_locks(k: Talk) -> None:
    topic = filled_topic(k, 10)
    one = started(k, topic, share_record_lock_duration_ms="1000", share_delivery_count_limit="2")
    state = State(k, topic)
    state.group = one.group
    state.read()
    one.fetch_until({topic: [0]}, kept=False)
    k.broker.pause(1500)
    state.read()
    state.summary()
    one.fetch({topic: [0]})
    state.read()


@shares
def leader_epoch_of_a_share_partition_is_fenced(k: Talk) -> None:
    """A newer leader has read the state."""
    topic = filled_topic(k, 10)
    one = started(k, topic)
    state = State(k, topic)
    state.group = one.group
    state.read(7)
    one.acknowledge({topic: {0: [(0, 4, 1)]}})
    one.fetch_until({topic: [0]})
    state.summary()


@shares
def state_epoch_of_a_share_partition_is_fenced(k: Talk) -> None:
    topic = filled_topic(k, 10)
    one = started(k, topic)
    state = State(k, topic)
    state.group = one.group
    state.initialize(epoch=9, start=3)
    one.acknowledge({topic: {0: [(0, 4, 1)]}})
    one.fetch_until({topic: [0]})
    state.summary()


@shares
def state_of_a_deleted_topic(k: Talk) -> None:
    one = State(k)
    one.initialize(start=3)
    k.delete_topic(one.topic)
    k.broker.pause(1000)  # the share coordinator learns of it
    one.read()
    one.write((3, 4, AVAILABLE, 1))
    one.summary()
    one.delete()


@shares
def group_reads_a_state_that_was_initialized_directly(k: Talk) -> None:
    topic = filled_topic(k, 10)
    one = a_sharer(k, topic)
    state = State(k, topic)
    state.group = one.group
    state.initialize(epoch=1, start=2)
    state.write((3, 4, ACKNOWLEDGED, 1), (5, 6, AVAILABLE, 3), (8, 8, ARCHIVED, 1), epoch=1)
    one.fetch_until({topic: [0]})
    state.read()
