"""The store of committed offsets, and the offsets of deleted topics."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterable

import pytest

from tests.unit.broker.group_story import GroupStory
from tests.unit.broker.story import START_MS
from tidemark.core.context import Now
from tidemark.core.decision import Cause, Decision, Record
from tidemark.groups.classic.member import ClassicGroupState
from tidemark.groups.forgetting import Forgotten, forget_dead, forget_topics, name_topic
from tidemark.groups.offsets import UNUSED_IDS_MAX, Offsets, overtake
from tidemark.groups.state import Groups
from tidemark.handlers.groups.offset_commit import offset_commit
from tidemark_protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from tidemark_protocol.records.group_metadata import GroupMetadataKey
from tidemark_protocol.records.offset_commit import OffsetCommitKey, OffsetCommitValue
from tidemark_protocol.records.remove_topic_record import RemoveTopicRecord

OTHER_ID = bytes(15) + b"\x07"
ZERO = bytes(16)
NOW_MS = 1_700_000_000_000


def put(
    offsets: Offsets, group: str, topic: str, partition: int, offset: int, topic_id: bytes = ZERO
) -> None:
    value = OffsetCommitValue(offset, -1, "", START_MS, -1, topic_id)
    offsets.store(group, (topic, partition), value)
    overtake(offsets.undecided.get(group, {}).get((topic, partition)))


def forgotten(groups: Iterable[Forgotten]) -> list[Record]:
    """Return the tombstones. Each has a removal of the same offset."""
    results = [result for results in groups for result in results]
    records = [record for result in results for record in result.records]
    removed = [removal for result in results for removal in result.removed]
    assert [(r.group, r.topic, r.partition) for r in removed] == [fields(record) for record in records]
    assert {r.cause for r in removed} <= {Cause.TOPIC_DELETE}
    return records


def fields(record: Record) -> tuple[str, str, int]:
    assert record.value is None
    return record.key.group, record.key.topic, record.key.partition


# the store


def test_the_last_value_of_a_partition_is_kept() -> None:
    offsets = Offsets()
    put(offsets, "g", "t", 0, 1)
    put(offsets, "g", "t", 0, 2)
    put(offsets, "h", "t", 0, 3)
    assert [value.offset for value in offsets.of("g").values()] == [2]
    assert offsets.get("g", "t", 1) is None
    assert offsets.get("nobody", "t", 0) is None
    assert offsets.count == 2


def test_an_unknown_group_has_no_offsets() -> None:
    assert dict(Offsets().of("nobody")) == {}


def test_an_unknown_offset_may_be_forgotten() -> None:
    offsets = Offsets()
    put(offsets, "g", "t", 0, 1)
    for key in (
        OffsetCommitKey("g", "t", 1),
        OffsetCommitKey("nobody", "t", 0),
        OffsetCommitKey("g", "t", 0),
    ):
        offsets.forget(key)
        offsets.forget(key)
    assert offsets.count == 0
    assert list(offsets.items()) == []


def test_all_groups_share_one_key_per_partition() -> None:
    offsets = Offsets()
    for group in ("g", "h"):
        put(offsets, group, str(b"orders", "ascii"), 0, 1)
    (one,), (other,) = offsets.of("g"), offsets.of("h")
    assert one is other


def test_keys_of_deleted_partitions_are_not_kept() -> None:
    """They are dropped one by one: to collect those of half a million offsets takes 100 ms."""
    offsets = Offsets()
    for group in ("g", "h"):
        put(offsets, group, "stays", 0, 1)
        put(offsets, group, "leaves", 0, 1)
    offsets.forget(OffsetCommitKey("g", "leaves", 0))
    assert offsets.partitions_of({"stays", "leaves"}) == [("stays", 0), ("leaves", 0)]
    offsets.forget(OffsetCommitKey("h", "leaves", 0))
    assert offsets.partitions_of({"stays", "leaves"}) == [("stays", 0)]
    put(offsets, "h", "leaves", 0, 1)
    assert offsets.partitions_of({"leaves"}) == [("leaves", 0)]


def test_ids_of_deleted_topics_are_not_kept() -> None:
    offsets = Offsets()
    for number in range(3 * UNUSED_IDS_MAX):
        put(offsets, "g", f"topic-{number}", 0, 1, number.to_bytes(16, "big"))
        offsets.forget(OffsetCommitKey("g", f"topic-{number}", 0))
    assert len(offsets._topic_ids) <= UNUSED_IDS_MAX + 3


@pytest.mark.slow
def test_a_hundred_thousand_offsets_need_less_than_thirty_megabytes() -> None:
    """The aim is a million offsets in 300 MB.

    Each group has a hundred partitions of the same topic, and is loaded from the log.
    """
    offsets = Offsets()
    tracemalloc.start()
    try:
        for number in range(100_000):
            group, partition = divmod(number, 100)
            put(
                offsets,
                f"group-{group}",
                str(b"orders", "ascii"),
                partition,
                10**6 + number,
                bytes(range(16)),
            )
        assert tracemalloc.get_traced_memory()[0] < 30_000_000
    finally:
        tracemalloc.stop()


# replay


def a_load(*records: Record) -> Groups:
    groups = Groups()
    groups.serve(1)
    for record in records:
        groups.replay(record)
    return groups


def an_offset(group: str, topic: str = "t", partition: int = 0) -> Record:
    return Record(OffsetCommitKey(group, topic, partition), OffsetCommitValue(5, -1, "", START_MS))


def test_an_offset_of_an_unknown_group_creates_a_simple_group() -> None:
    group = a_load(an_offset("g")).groups["g"]
    assert (group.state, group.protocol_type, group.generation) == (ClassicGroupState.EMPTY, None, 0)


def test_a_tombstone_deletes_one_offset_and_keeps_the_group() -> None:
    groups = a_load(an_offset("g"), an_offset("g", "u"), Record(OffsetCommitKey("g", "t", 0), None))
    assert list(groups.offsets.of("g")) == [("u", 0)]
    assert "g" in groups.groups


def test_a_tombstone_without_an_offset_creates_no_group() -> None:
    groups = a_load(Record(OffsetCommitKey("g", "t", 0), None))
    assert groups.groups == {}


def test_a_later_offset_of_a_deleted_group_creates_a_simple_group() -> None:
    groups = a_load(an_offset("g"), Record(GroupMetadataKey("g"), None), an_offset("g", "u"))
    assert groups.groups["g"].protocol_type is None
    assert list(groups.offsets.of("g")) == [("t", 0), ("u", 0)]


# deleted topics


def test_a_deleted_topic_leaves_no_offset_and_all_groups() -> None:
    story = GroupStory({"orders": 2, "payments": 1})
    story.commit("simple", "orders", 0)
    story.commit("simple", "payments", 0)
    member_id = story.a_stable_group("stable", ["orders"])
    story.commit("stable", "orders", 1, generation_id_or_member_epoch=1, member_id=member_id)
    records = forgotten(forget_topics(story.groups, ["orders"], [story.topic_id("orders")], NOW_MS))
    assert [fields(record) for record in records] == [("simple", "orders", 0), ("stable", "orders", 1)]
    story.accept(Decision(records=tuple(records)))
    assert story.offsets("simple") == {("payments", 0): 42}
    assert story.offsets("stable") == {}
    assert list(story.groups.groups) == ["simple", "stable"]
    assert list(story.restarted().offsets.of("simple")) == [("payments", 0)]


def test_offsets_of_a_new_topic_of_the_same_name_are_kept() -> None:
    story = GroupStory({"orders": 1})
    story.commit("readers")
    assert forgotten(forget_topics(story.groups, ["orders"], [OTHER_ID], NOW_MS)) == []


def test_an_offset_without_a_stored_id_is_deleted_by_its_name() -> None:
    groups = a_load(an_offset("g", "orders"))
    groups.loaded(0, Now(0, 0))
    assert len(forgotten(forget_topics(groups, ["orders"], [OTHER_ID], NOW_MS))) == 1


def test_several_topics_are_deleted_at_once() -> None:
    groups = a_load(an_offset("g", "a"), an_offset("g", "b"), an_offset("g", "c"))
    groups.loaded(0, Now(0, 0))
    records = forgotten(forget_topics(groups, ["a", "b", "a"], [OTHER_ID, OTHER_ID, ZERO], NOW_MS))
    assert [fields(record)[1] for record in records] == ["a", "b"]


def test_a_partition_of_the_log_that_failed_is_not_written_to() -> None:
    story = GroupStory({"orders": 1})
    story.commit("readers")
    story.groups.failed(0)
    assert forgotten(forget_topics(story.groups, ["orders"], [story.topic_id("orders")], NOW_MS)) == []


# after a crash


def deleted(story: GroupStory, name: str) -> None:
    """The topic was deleted, and the broker was killed before it deleted the offsets."""
    story.cluster.replay(Record(None, RemoveTopicRecord(story.topic_id(name))))


@pytest.mark.parametrize("release", ["", "4.3"])
def test_at_start_offsets_of_existing_topics_are_kept(release: str) -> None:
    story = GroupStory()
    story.commit("readers")
    story.commit("readers", "payments", version=4, retention_time_ms=1_000)
    assert forgotten(forget_dead(story.restarted(release), story.cluster, NOW_MS)) == []


def test_a_start_keeps_offsets_with_any_commit_time() -> None:
    story = GroupStory()
    topics = [OffsetCommitRequestTopic("orders", partitions=[OffsetCommitRequestPartition(0, 5, -1, 1_000)])]
    story.ask(offset_commit, OffsetCommitRequest("readers", topics=topics), 1)
    assert story.log[0].value.commit_timestamp == 1_000
    assert forgotten(forget_dead(story.restarted(), story.cluster, NOW_MS)) == []


def test_at_start_offsets_of_an_unknown_topic_are_deleted() -> None:
    story = GroupStory({"orders": 1})
    story.commit("readers")
    deleted(story, "orders")
    records = forgotten(forget_dead(story.restarted(), story.cluster, NOW_MS))
    assert [fields(record) for record in records] == [("readers", "orders", 0)]


@pytest.mark.parametrize("release", ["", "4.3"])
def test_at_start_only_offsets_of_an_earlier_topic_of_the_name_are_deleted(
    release: str,
) -> None:
    story = GroupStory({"orders": 2})
    story.commit("readers", partition=0)
    story.commit("readers", partition=1)
    deleted(story, "orders")
    story.passes(10)
    story.create_topic("orders", 2, story.wall_ms)
    story.commit("readers", partition=1)
    records = forgotten(forget_dead(story.restarted(release), story.cluster, NOW_MS))
    assert [fields(record) for record in records] == [("readers", "orders", 0)]


def test_at_start_a_stored_id_takes_precedence_over_the_time() -> None:
    story = GroupStory({"orders": 1})
    story.commit("readers")
    deleted(story, "orders")
    story.create_topic("orders", 1, START_MS - 1_000)
    assert len(forgotten(forget_dead(story.restarted("4.3"), story.cluster, NOW_MS))) == 1
    assert forgotten(forget_dead(story.restarted(""), story.cluster, NOW_MS)) == []


@pytest.mark.parametrize(("created_ms", "dead"), [(START_MS + 1, True), (START_MS, False), (-1, False)])
def test_an_offset_without_a_stored_id_belongs_to_the_topic_at_its_append_time(
    created_ms: int, *, dead: bool
) -> None:
    """-1: a topic that Kafka created, without a creation time."""
    story = GroupStory({})
    story.create_topic("orders", 1, created_ms)
    offset = an_offset("g", "orders")
    name_topic(story.cluster, offset.key, offset.value, START_MS)
    groups = a_load(offset)
    groups.loaded(0, story.now)
    assert bool(forgotten(forget_dead(groups, story.cluster, NOW_MS))) is dead


def test_an_offset_after_older_ones_in_a_batch_belongs_to_a_topic_created_in_between() -> None:
    story = GroupStory({})
    story.create_topic("orders", 1, START_MS)
    offset = an_offset("g", "orders")
    name_topic(story.cluster, offset.key, offset.value, START_MS - 5)
    assert offset.value.topic_id == story.topic_id("orders")


def test_forget_dead_finds_nothing_the_second_time() -> None:
    story = GroupStory({})
    groups = a_load(an_offset("g", "orders"))
    groups.loaded(0, story.now)
    for record in forgotten(forget_dead(groups, story.cluster, NOW_MS)):
        groups.replay(record)
    assert forgotten(forget_dead(groups, story.cluster, NOW_MS)) == []
