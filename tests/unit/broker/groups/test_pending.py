"""Offsets of transactions: pending until a marker, which compares log offsets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tidemark.core.context import Now
from tidemark.core.decision import DecidePendingOffsets, Marker, Record
from tidemark.groups.forgetting import forget_topics
from tidemark.groups.offsets import STEP_OFFSETS
from tidemark.groups.state import Groups
from tidemark_protocol.records.group_metadata import GroupMetadataKey
from tidemark_protocol.records.offset_commit import OffsetCommitKey, OffsetCommitValue

Where = tuple[str, tuple[str, int]]


@dataclass
class Plain:
    """Return a record. offset None: a tombstone. producer None: it is in no transaction."""

    group: str
    partition: int
    offset: int | None
    producer: int | None = None


@dataclass
class End:
    producer: int
    committed: bool


class Model:
    """Kafka's rule: each value is kept with its position in the log."""

    def __init__(self) -> None:
        self.stored: dict[Where, tuple[int, int]] = {}
        self.pending: dict[int, dict[Where, tuple[int, int]]] = {}

    def replay(self, place: int, change: Plain | End) -> None:
        if isinstance(change, End):
            for where, (at, offset) in self.pending.pop(change.producer, {}).items():
                if change.committed and at > self.stored.get(where, (-1, 0))[0]:
                    self.stored[where] = (at, offset)
            return
        where = (change.group, ("t", change.partition))
        if change.offset is None:
            self.stored.pop(where, None)
            for held in self.pending.values():
                held.pop(where, None)
        elif change.producer is None:
            self.stored[where] = (place, change.offset)
        else:
            self.pending.setdefault(change.producer, {})[where] = (place, change.offset)


def replayed(story: list[Plain | End]) -> Groups:
    groups = Groups()
    groups.serve(1)
    for change in story:
        groups.replay(_change(change))
    groups.loaded(0, Now(0, 0))
    return groups


def _change(change: Plain | End) -> Any:
    if isinstance(change, End):
        return Marker(0, change.producer, 0, change.committed)
    value = None if change.offset is None else OffsetCommitValue(change.offset, -1, "", 5)
    producer = None if change.producer is None else (change.producer, 0)
    return Record(OffsetCommitKey(change.group, "t", change.partition), value, producer)


groups_ = st.sampled_from("gh")
partitions = st.integers(0, 1)
producers = st.integers(1, 3)
offsets = st.integers(0, 99)
changes = st.one_of(
    st.builds(Plain, groups_, partitions, offsets, producers),
    st.builds(Plain, groups_, partitions, offsets, producers),
    st.builds(Plain, groups_, partitions, offsets | st.none()),
    st.builds(End, producers, st.booleans()),
)


@given(st.lists(st.tuples(changes, st.integers(0, 2)), max_size=40))
def test_a_transaction_that_ends_in_steps_has_the_same_result(story: list[tuple[Plain | End, int]]) -> None:
    """The number of each change is how many offsets are decided behind it."""
    model, groups = Model(), Groups()
    groups.serve(1)
    groups.loaded(0, Now(0, 0))
    for place, (change, steps) in enumerate(story):
        model.replay(place, change)
        if isinstance(change, End):
            groups.offsets.end_transaction(0, change.producer, committed=change.committed, at_once=steps)
        else:
            groups.replay(_change(change))
            groups.offsets.end_some(steps)
    while groups.offsets.is_ending():
        groups.offsets.end_some(1)
    stored = {
        (group, where): value.offset
        for group in "gh"
        for where, value in groups.offsets.of(group).items()
    }  # fmt: skip
    assert stored == {where: offset for where, (_, offset) in model.stored.items()}
    assert groups.offsets.count == len(stored)
    pending = {(group, where) for group in "gh" for where in groups.offsets.pending_keys(group)}
    assert pending == {where for held in model.pending.values() for where in held}
    assert {*groups.offsets.undecided} == {group for group, _ in pending}


@given(st.lists(changes, max_size=40))
def test_pending_offsets_behave_as_in_a_model_with_log_offsets(story: list[Plain | End]) -> None:
    model, groups = Model(), replayed(story)
    for place, change in enumerate(story):
        model.replay(place, change)
    stored = {
        (group, where): value.offset
        for group in "gh"
        for where, value in groups.offsets.of(group).items()
    }  # fmt: skip
    assert stored == {where: offset for where, (_, offset) in model.stored.items()}
    assert groups.offsets.count == len(stored)
    newest: dict[Where, tuple[int, int]] = {}
    for held in model.pending.values():
        for key, entry in held.items():
            newest[key] = max(entry, newest.get(key, entry))
    pending = {
        (group, where): value.offset
        for group in "gh"
        for where, value in groups.offsets.pending(group).items()
    }  # fmt: skip
    assert pending == {where: offset for where, (_, offset) in newest.items()}


def test_a_group_with_only_pending_offsets_exists_and_is_kept_after_an_abort() -> None:
    open_ = replayed([Plain("g", 0, 7, producer=1)])
    assert list(open_.groups) == ["g"]
    assert dict(open_.offsets.of("g")) == {}
    assert [*open_.offsets.pending("g")] == [("t", 0)]
    aborted = replayed([Plain("g", 0, 7, producer=1), End(1, committed=False)])
    assert list(aborted.groups) == ["g"]
    assert not aborted.offsets.pending("g")


def test_a_marker_decides_only_in_its_own_log_partition() -> None:
    groups = Groups()
    groups.serve(2)
    by_partition = {groups.partition_for(name): name for name in ("a", "b")}
    assert len(by_partition) == 2
    for name in by_partition.values():
        groups.replay(_change(Plain(name, 0, 7, producer=1)))
    groups.replay(Marker(0, 1, 0, committed=True))
    assert {name: len(groups.offsets.of(name)) for name in by_partition.values()} == {
        by_partition[0]: 1,
        by_partition[1]: 0,
    }


def test_deleting_a_topic_deletes_pending_offsets() -> None:
    groups = replayed([Plain("g", 0, 7, producer=1), Plain("g", 1, 8), Plain("h", 0, 9, producer=2)])
    assert groups.offsets.pending("g")
    for results in forget_topics(groups, ["t"], [bytes(16)], wall_ms=0):
        for result in results:
            for record in result.records:
                groups.replay(record)
    for group in "gh":
        assert not groups.offsets.of(group)
        assert not groups.offsets.pending(group)


def test_a_deleted_group_gets_nothing_back_from_a_later_marker() -> None:
    groups = Groups()
    groups.serve(1)
    groups.replay(_change(Plain("g", 0, 7, producer=1)))
    groups.replay(_change(Plain("g", 0, None)))
    groups.replay(Record(GroupMetadataKey("g"), None))
    groups.replay(Marker(0, 1, 0, committed=True))
    assert not groups.groups
    assert not groups.offsets.of("g")


def test_an_offset_names_the_transactions_that_hold_it_the_latest_first() -> None:
    groups = replayed(
        [Plain("g", 0, 7, producer=1), Plain("g", 0, 8, producer=2), Plain("g", 1, 9, producer=1)]
    )
    held = [each.transaction for each in groups.offsets.pending_of("g", ("t", 0))]
    assert [transaction.producer.producer_id for transaction in held] == [2, 1]
    groups.replay(_change(Plain("g", 0, 9, producer=1)))
    held = [each.transaction for each in groups.offsets.pending_of("g", ("t", 0))]
    assert [transaction.producer.producer_id for transaction in held] == [1, 2]
    groups.replay(Marker(0, 1, 0, committed=False))
    assert [each.transaction.producer.producer_id for each in groups.offsets.pending_of("g", ("t", 0))] == [2]
    assert groups.offsets.pending_of("g", ("t", 1)) == []


def test_a_transaction_is_open_until_its_marker_even_if_its_offsets_are_deleted() -> None:
    groups = replayed([Plain("g", 0, 7, producer=1), Plain("g", 0, None)])
    transaction = groups.offsets.open_transaction(0, 1)
    assert transaction is not None
    assert (transaction.producer_epoch, transaction.since_ms) == (0, 5)
    assert groups.offsets.open_transaction(0, 2) is None
    assert groups.offsets.open_transaction(1, 1) is None
    groups.replay(Marker(0, 1, 0, committed=True))
    assert groups.offsets.open_transaction(0, 1) is None


def test_a_large_transaction_ends_in_steps() -> None:
    count = 2 * STEP_OFFSETS + 1
    groups = replayed([Plain("g", index, index, producer=1) for index in range(count)])
    ended = groups.end_transaction(Marker(0, 1, 0, committed=True))
    assert ended.effects == (DecidePendingOffsets(),)
    groups.replay(ended.markers[0])
    seen = []
    while groups.offsets.is_ending("g"):
        seen.append(groups.offsets.count)
        groups.offsets.end_some()
    assert seen == [STEP_OFFSETS, 2 * STEP_OFFSETS]
    assert groups.offsets.count == count


def test_a_large_transaction_has_ended_once_its_partition_is_loaded() -> None:
    count = 2 * STEP_OFFSETS + 1
    story = [Plain("g", index, index, producer=1) for index in range(count)]
    assert replayed([*story, End(1, committed=True)]).offsets.count == count


def test_a_small_transaction_ends_at_once() -> None:
    groups = replayed([Plain("g", 0, 7, producer=1)])
    ended = groups.end_transaction(Marker(0, 1, 0, committed=True))
    assert ended.effects == ()
    groups.replay(ended.markers[0])
    assert not groups.offsets.is_ending()
    assert groups.offsets.get("g", "t", 0) is not None
