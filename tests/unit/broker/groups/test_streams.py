"""Streams groups (KIP-1071) that Kafka wrote, compared with what Kafka did with them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from tests.conformance.expiry.stories import INTERVAL_S, RETENTION_S
from tests.conformance.expiry.streams import Written, batches, passes, responses
from tests.unit.broker.group_story import GroupStory
from tidemark.core.context import Now
from tidemark.core.decision import Record
from tidemark.groups.expirations import deleted_group, expiry_of
from tidemark.groups.explain import Outlook, explain_group, explain_offset
from tidemark.groups.state import Groups
from tidemark.groups.streams.group import StreamsGroup
from tidemark.handlers.groups.delete_groups import delete_groups
from tidemark.handlers.groups.list_groups import list_groups
from tidemark.handlers.groups.offset_delete import offset_delete
from tidemark.settings.release import RELEASES
from tidemark_expiry.rules import Rule
from tidemark_expiry.sentences import Retention
from tidemark_protocol import to_dict
from tidemark_protocol.loading import OtherRecordKey
from tidemark_protocol.messages.delete_groups import DeleteGroupsRequest
from tidemark_protocol.messages.list_groups import ListGroupsRequest
from tidemark_protocol.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from tidemark_protocol.records.offset_commit import OffsetCommitKey, OffsetCommitValue
from tidemark_protocol.records.streams_group_current_member_assignment import (
    StreamsGroupCurrentMemberAssignmentKey,
    StreamsGroupCurrentMemberAssignmentValue,
)
from tidemark_protocol.records.streams_group_member_metadata import (
    StreamsGroupMemberMetadataKey,
    StreamsGroupMemberMetadataValue,
)
from tidemark_protocol.records.streams_group_metadata import (
    StreamsGroupMetadataKey,
    StreamsGroupMetadataValue,
)
from tidemark_protocol.records.streams_group_target_assignment_member import (
    StreamsGroupTargetAssignmentMemberKey,
    StreamsGroupTargetAssignmentMemberValue,
)
from tidemark_protocol.records.streams_group_target_assignment_metadata import (
    StreamsGroupTargetAssignmentMetadataKey,
    StreamsGroupTargetAssignmentMetadataValue,
)
from tidemark_protocol.records.streams_group_topology import (
    StreamsGroupTopologyKey,
    StreamsGroupTopologyValue,
    Subtopology,
    TopicInfo,
)
from tidemark_protocol.stored import CoordinatorCodec, decode_coordinator

RETENTION_MS = RETENTION_S * 1000
COMMITTED_MS = 1_795_000_000_000
FAR_MS = COMMITTED_MS + 10**12
SESSION_TIMEOUT_MS = 45_000  # group.streams.session.timeout.ms
MINUTE = Retention(60_000)

GROUP = Record(StreamsGroupMetadataKey("g"), StreamsGroupMetadataValue(4, validated_topology_epoch=1))
MEMBER = Record(StreamsGroupMemberMetadataKey("g", "m"), StreamsGroupMemberMetadataValue(client_id="c"))
TARGET = Record(
    StreamsGroupTargetAssignmentMetadataKey("g"), StreamsGroupTargetAssignmentMetadataValue(4, COMMITTED_MS)
)
TARGET_OF_MEMBER = Record(
    StreamsGroupTargetAssignmentMemberKey("g", "m"), StreamsGroupTargetAssignmentMemberValue()
)
ASSIGNMENT = Record(
    StreamsGroupCurrentMemberAssignmentKey("g", "m"), StreamsGroupCurrentMemberAssignmentValue(4, 3, 1)
)
TOPOLOGY = Record(
    StreamsGroupTopologyKey("g"),
    StreamsGroupTopologyValue(
        1,
        [
            Subtopology("0", ["source"], ["pattern.*"], [TopicInfo("changelog")], ["repartition"]),
            Subtopology("1", repartition_source_topics=[TopicInfo("repartition")]),
        ],
    ),
)
WITH_A_MEMBER = (MEMBER, TOPOLOGY, GROUP, TARGET_OF_MEMBER, TARGET, ASSIGNMENT)


def gone(record: Record) -> Record:
    return Record(record.key, None)


LEFT = (
    gone(ASSIGNMENT),
    gone(TARGET_OF_MEMBER),
    gone(MEMBER),
    GROUP,
)  # the last member


def offset(topic: str = "source") -> Record:
    return Record(OffsetCommitKey("g", topic, 0), OffsetCommitValue(1, -1, "", COMMITTED_MS))


def loaded(*records: Record) -> Groups:
    groups = Groups()
    groups.serve(1)
    for record in records:
        groups.replay(record)
    groups.loaded(0, Now(0, 0))
    return groups


def the_group(*records: Record) -> StreamsGroup:
    group = loaded(*records).groups["g"]
    assert isinstance(group, StreamsGroup)
    return group


# Beside Kafka.

OFFSET = b"\0\1"  # the type of a key


def of_the_group(keys: Iterable[bytes], name: bytes) -> Iterator[bytes]:
    """Return the keys that delete the group itself."""
    return (key for key in keys if not key.startswith(OFFSET) and key.endswith(name))


def passed(story: GroupStory, at_ms: int) -> list[bytes]:
    """Return the keys of the tombstones that a cleanup pass at this time writes."""
    story.wall_ms = at_ms
    story.log.clear()
    story.clean_up()
    assert all(record.value is None for record in story.log)
    codec = CoordinatorCodec()
    return [codec.encode(record.key, None)[0] for record in story.log]


def broker_of(batches: Iterable[list[Written]]) -> GroupStory:
    """Return a broker that has replayed these batches of Kafka's log."""
    story = GroupStory({}, offsets_retention_ms=RETENTION_MS)
    story.cluster.settings.release = RELEASES["4.3"]
    for record in itertools.chain(*batches):
        story.groups.replay(Record(*decode_coordinator(record.key, record.value)))
    return story


def before(batch: list[Written]) -> GroupStory:
    return broker_of(each for each in batches() if each[0].batch < batch[0].batch)


def test_a_pass_deletes_what_kafkas_pass_deleted() -> None:
    assert [len(batch) for batch in passes()] == [3, 1, 11, 5]
    for batch in passes():
        # Groups and their offsets have the order of a hash map in Kafka.
        keys = passed(before(batch), batch[0].timestamp_ms)
        assert sorted(keys) == sorted(record.key for record in batch)
        # Those of a group have an order.
        for name in (b"\0\x0fcommits-nothing", b"\0\x0cleaves-early", b"\0\x0bleaves-late"):
            theirs = of_the_group((record.key for record in batch), name)
            assert [*of_the_group(keys, name)] == [*theirs]


def test_no_offset_is_due_before_the_pass_that_deleted_it() -> None:
    for batch in batches():
        at_ms = batch[0].timestamp_ms - 1_000 * (INTERVAL_S + 1)
        story = broker_of(each for each in batches() if each[0].timestamp_ms <= at_ms)
        assert [key for key in passed(story, at_ms) if key.startswith(OFFSET)] == []


def test_source_topics_of_a_group_with_members_are_kept_for_ever() -> None:
    story = broker_of(batches())
    assert passed(story, FAR_MS) == []
    assert [*story.groups.groups] == ["stays"]
    assert [*story.groups.offsets.of("stays")] == [("source", 0), ("stays-repartition", 0)]


def test_requests_about_groups_are_answered_as_kafka_did() -> None:
    told = responses()
    deleted_at = passes()[0]
    story = before(deleted_at)
    story.create_topic("source", 1, 0)
    story.create_topic("stays-repartition", 1, 0)
    story.create_topic("unrelated", 1, 0)

    def delete(group: str) -> dict[str, Any]:
        return to_dict(story.ask(delete_groups, DeleteGroupsRequest([group]), 2))

    def delete_offsets(group: str, *topics: str) -> dict[str, Any]:
        named = [OffsetDeleteRequestTopic(topic, [OffsetDeleteRequestPartition(0)]) for topic in topics]
        return to_dict(story.ask(offset_delete, OffsetDeleteRequest(group, named), 0))

    assert delete("stays") == told["DeleteGroups of a group with members"]
    assert (
        delete_offsets("stays", "source", "stays-repartition", "unrelated")
        == told["OffsetDelete of a group with members"]
    )
    # Kafka deleted its group "admin". Here is another one that is Empty.
    listed = {
        each.group_id: [each.group_type, each.protocol_type, each.group_state]
        for each in story.ask(list_groups, ListGroupsRequest(), 5).groups
    }
    assert [listed["commits-nothing"]] == [*told["listed when Empty"].values()]
    assert story.commit("commits-nothing", "source") == 0
    (kafkas,) = told["OffsetCommit without a member, to an Empty group"]["Topics"]
    assert kafkas["Partitions"][0]["ErrorCode"] == 0
    assert delete_offsets("commits-nothing", "source") == told["OffsetDelete of an Empty group"]
    (result,) = delete("commits-nothing")["Results"]
    assert result["ErrorCode"] == told["DeleteGroups of an Empty group"]["Results"][0]["ErrorCode"] == 0
    assert "commits-nothing" not in story.groups.groups
    assert story.commit("stays", "source") == 25, "the group has a member, and the commit names none"


def test_a_member_is_removed_by_kafkas_records_once_its_session_is_over() -> None:
    (leaving,) = [
        batch
        for batch in batches()
        if {record.key[1] for record in batch} == {17, 19, 21, 22}
        and b"leaves-early" in batch[0].key
        and any(record.value is None for record in batch)
    ]
    story = before(leaving)
    story.groups.start_sessions(story.now)
    story.settle()
    story.passes(SESSION_TIMEOUT_MS - 1)
    story.settle()
    assert not story.log
    story.passes(1)
    story.settle()
    codec = CoordinatorCodec()
    removed = [record for record in story.log if record.key.group_id == "leaves-early"]
    assert [codec.encode(record.key, record.value) for record in removed] == [
        (record.key, record.value) for record in leaving
    ]
    assert story.groups.groups["leaves-early"].state_name == "Empty"
    story.passes(FAR_MS)
    story.settle()
    assert story.groups.groups["stays"].is_empty


# Each record.


@pytest.mark.parametrize("order", [*itertools.permutations(range(4))])
def test_compaction_leaves_the_records_in_any_order(order: tuple[int, ...]) -> None:
    records = [(MEMBER, TOPOLOGY, GROUP, ASSIGNMENT)[at] for at in order]
    groups = loaded(records[0], offset(), *records[1:])
    group = groups.groups["g"]
    assert isinstance(group, StreamsGroup)
    assert (group.type_name, group.protocol_type, group.epoch) == ("streams", "streams", 4)
    assert group.subscribed_topics == {"source", "repartition"}
    assert [each.client_id for each in group.member_facts()] == ["c"]
    assert [*groups.offsets.of("g")] == [("source", 0)]


def test_source_topics_are_those_of_kafkas_topology() -> None:
    """Kafka: StreamsTopology.sourceTopicMap. It ignores patterns, changelogs and sinks."""
    group = the_group(*WITH_A_MEMBER)
    topics = ("source", "repartition", "changelog", "pattern.1")
    assert [*filter(group.is_subscribed, topics)] == ["source", "repartition"]
    assert not the_group(*WITH_A_MEMBER, *LEFT).is_subscribed("source")
    assert not the_group(MEMBER, GROUP).is_subscribed("source"), "the topology is not known"
    assert not the_group(*WITH_A_MEMBER, gone(TOPOLOGY)).is_subscribed("source")


def test_a_member_is_known_by_either_of_its_records() -> None:
    assert [*the_group(ASSIGNMENT).member_ids] == ["m"]
    assert [*the_group(ASSIGNMENT, gone(MEMBER), GROUP).member_ids] == []
    assert [*the_group(MEMBER, gone(ASSIGNMENT)).member_ids] == ["m"]


def test_the_state_is_that_of_kafkas_group() -> None:
    """Kafka: StreamsGroup.maybeUpdateGroupState."""
    assert the_group(GROUP).state_name == "Empty"
    assert the_group(MEMBER).state_name == "NotReady", "the topology is not known"
    assert the_group(MEMBER, TOPOLOGY).state_name == "NotReady", "its epoch was not validated"
    assert the_group(MEMBER, TOPOLOGY, GROUP).state_name == "Assigning"
    assert the_group(MEMBER, TOPOLOGY, GROUP, TARGET).state_name == "Reconciling"
    assert the_group(MEMBER, TOPOLOGY, GROUP, TARGET, ASSIGNMENT).state_name == "Stable"
    before_4_2 = Record(GROUP.key, StreamsGroupMetadataValue(4))
    assert the_group(MEMBER, TOPOLOGY, before_4_2, TARGET, ASSIGNMENT).state_name == "NotReady"


def test_a_tombstone_creates_no_group_and_that_of_its_epoch_deletes_it() -> None:
    for record in WITH_A_MEMBER:
        assert loaded(gone(record)).groups == {}
    assert loaded(*WITH_A_MEMBER, *LEFT, gone(GROUP)).groups == {}
    assert loaded(*WITH_A_MEMBER, gone(GROUP), gone(TOPOLOGY)).groups == {}


def test_an_empty_group_is_deleted_with_kafkas_records() -> None:
    groups = loaded(*WITH_A_MEMBER, *LEFT)
    records = groups.groups["g"].tombstones()
    assert [record.key.API_KEY for record in records] == [20, 17, 23]
    assert [*map(deleted_group, records)] == [None, "g", None]
    for record in records:
        assert groups.partition_of(record) == 0
        groups.replay(record)
    assert groups.groups == {}


def test_a_record_type_that_kafka_skips_creates_no_group() -> None:
    """StreamsGroupPartitionMetadata of Kafka 4.0. Kafka 4.3 leaves it in the log."""
    skipped = Record(OtherRecordKey(18, "g", b"\0\x12\0\1g"), b"\0\0")
    assert loaded(skipped).groups == {}
    assert loaded(*WITH_A_MEMBER, skipped, *LEFT, gone(GROUP)).groups == {}


# Sentences.


def sentence(topic: str, *records: Record, wall_ms: int = COMMITTED_MS) -> tuple[Rule, str]:
    groups = loaded(*records, offset(topic))
    group, place = groups.groups["g"], (topic, 0)
    value = groups.offsets.of("g")[place]
    found = expiry_of(groups, group, place, value, wall_ms, MINUTE.ms)
    return found.rule, explain_offset(group, place, value, found, wall_ms=wall_ms, retention=MINUTE)


def test_sentences_about_offsets() -> None:
    when = "2026-11-18T11:06:40Z"
    committed = f"was committed at {when} and expires at the first cleanup pass from 2026-11-18T11:07:40Z on"
    assert sentence("source", *WITH_A_MEMBER) == (
        Rule.ACTIVE,
        "source is a source topic of the topology of streams group g, so source-0 does not expire. Once the "
        f"group has no members, its age counts from the commit at {when}: a streams group gets no new "
        "retention when its last member leaves.",
    )
    assert sentence("changelog", *WITH_A_MEMBER) == (
        Rule.TOPIC_NOT_SUBSCRIBED,
        "changelog is not a source topic of the topology of streams group g, so the age counts from the "
        f"commit: changelog-0 {committed} (offsets.retention.minutes=1). A commit restarts this clock.",
    )
    assert sentence("source", *WITH_A_MEMBER, *LEFT) == (
        Rule.TOPIC_NOT_SUBSCRIBED,
        "Streams group g is Empty. The departure of its last member starts no clock, so the age of each "
        f"offset counts from its commit: source-0 {committed} (offsets.retention.minutes=1). A commit "
        "restarts this clock.",
    )


def test_sentences_about_groups() -> None:
    def told(group: StreamsGroup, outlook: Outlook) -> str:
        return explain_group(group, outlook, wall_ms=COMMITTED_MS, retention=MINUTE)

    assert told(the_group(*WITH_A_MEMBER), Outlook(1, None, None)) == (
        "Group g is Stable: it does not expire while it has members."
    )
    assert told(the_group(*WITH_A_MEMBER, *LEFT), Outlook(1, COMMITTED_MS, COMMITTED_MS)).startswith(
        "Group g is Empty and expires with its only offset at "
    )
