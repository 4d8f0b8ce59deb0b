"""A log of random group records, folded by Spark and replayed by the broker, one record after the other."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import product
from pathlib import Path
from struct import pack
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.conformance.expiry.stories import RETENTION_S
from tests.conformance.expiry.streams import batches, passes
from tests.unit.broker.group_story import subscription
from tidemark.core.context import Now
from tidemark.groups.group import Group
from tidemark.groups.state import Groups
from tidemark_protocol.batch import BatchBuilder
from tidemark_protocol.loading import OtherRecordKey
from tidemark_protocol.records.consumer_group_current_member_assignment import (
    ConsumerGroupCurrentMemberAssignmentKey,
    ConsumerGroupCurrentMemberAssignmentValue,
)
from tidemark_protocol.records.consumer_group_member_metadata import (
    ConsumerGroupMemberMetadataKey,
    ConsumerGroupMemberMetadataValue,
)
from tidemark_protocol.records.consumer_group_metadata import (
    ConsumerGroupMetadataKey,
    ConsumerGroupMetadataValue,
)
from tidemark_protocol.records.consumer_group_regular_expression import (
    ConsumerGroupRegularExpressionKey,
    ConsumerGroupRegularExpressionValue,
)
from tidemark_protocol.records.consumer_group_target_assignment_metadata import (
    ConsumerGroupTargetAssignmentMetadataKey,
    ConsumerGroupTargetAssignmentMetadataValue,
)
from tidemark_protocol.records.group_metadata import GroupMetadataKey, GroupMetadataValue, MemberMetadata
from tidemark_protocol.records.offset_commit import OffsetCommitKey
from tidemark_protocol.records.share_group_current_member_assignment import (
    ShareGroupCurrentMemberAssignmentKey,
    ShareGroupCurrentMemberAssignmentValue,
)
from tidemark_protocol.records.share_group_member_metadata import (
    ShareGroupMemberMetadataKey,
    ShareGroupMemberMetadataValue,
)
from tidemark_protocol.records.share_group_metadata import ShareGroupMetadataKey, ShareGroupMetadataValue
from tidemark_protocol.records.share_group_target_assignment_metadata import (
    ShareGroupTargetAssignmentMetadataKey,
    ShareGroupTargetAssignmentMetadataValue,
)
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

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.slow, pytest.mark.java]

GROUPS: Final = 300
RECORDS_MAX: Final = 12  # of a group
MEMBERS: Final = ("a", "b")
TOPICS: Final = ("orders", "payments", "clicks")
EXPRESSION: Final = "o.*"
TOMBSTONES: Final = 0.25
SHARE_PARTITIONS: Final = 9  # key versions that Kafka 4.3 skips
STREAMS_PARTITIONS: Final = 18
SUBSCRIPTIONS: Final = (
    subscription(["orders"]),
    subscription(["payments", "orders"]),
    subscription([]),
    b"\x00",
)

Pair = tuple[Any, Any]


def classic(chance: random.Random, group: str) -> Pair:
    protocol_type = chance.choice(["", "consumer", "consumer", "connect"])
    count = chance.randrange(3) if protocol_type else 0
    members = [
        MemberMetadata(name, None, "client", "/host", 60_000, 30_000, chance.choice(SUBSCRIPTIONS), b"")
        for name in MEMBERS[:count]
    ]
    since_ms = chance.choice([-1, 1_000, 2_000])
    value = GroupMetadataValue(protocol_type, chance.randrange(9), "range", None, since_ms, members)
    return GroupMetadataKey(group), value


def epoch(chance: random.Random, group: str) -> Pair:
    return ConsumerGroupMetadataKey(group), ConsumerGroupMetadataValue(chance.randrange(1, 3))


def target_epoch(chance: random.Random, group: str) -> Pair:
    value = ConsumerGroupTargetAssignmentMetadataValue(chance.randrange(1, 3))
    return ConsumerGroupTargetAssignmentMetadataKey(group), value


def member(chance: random.Random, group: str) -> Pair:
    value = ConsumerGroupMemberMetadataValue(
        instance_id=None,
        rack_id=None,
        client_id="client",
        client_host="/host",
        subscribed_topic_names=chance.sample(TOPICS, chance.randrange(3)),
        subscribed_topic_regex=chance.choice(["", EXPRESSION]),
        server_assignor=None,
    )
    return ConsumerGroupMemberMetadataKey(group, chance.choice(MEMBERS)), value


def current(chance: random.Random, group: str) -> Pair:
    value = ConsumerGroupCurrentMemberAssignmentValue(chance.randrange(1, 3), 0, chance.choice([0, 0, 0, 1]))
    return ConsumerGroupCurrentMemberAssignmentKey(group, chance.choice(MEMBERS)), value


def expression(chance: random.Random, group: str) -> Pair:
    value = ConsumerGroupRegularExpressionValue(chance.sample(TOPICS, chance.randrange(3)))
    return ConsumerGroupRegularExpressionKey(group, EXPRESSION), value


def streams_epoch(chance: random.Random, group: str) -> Pair:
    value = StreamsGroupMetadataValue(
        chance.choice([1, 2]), validated_topology_epoch=chance.choice([-1, 0, 1, 1, 1, 1, 1])
    )
    return StreamsGroupMetadataKey(group), value


def streams_target_epoch(chance: random.Random, group: str) -> Pair:
    value = StreamsGroupTargetAssignmentMetadataValue(chance.choice([1, 2, 2]))
    return StreamsGroupTargetAssignmentMetadataKey(group), value


def streams_member(chance: random.Random, group: str) -> Pair:
    value = StreamsGroupMemberMetadataValue(instance_id="i", client_id="client", client_host="/host")
    return StreamsGroupMemberMetadataKey(group, chance.choice(MEMBERS)), value


def streams_current(chance: random.Random, group: str) -> Pair:
    value = StreamsGroupCurrentMemberAssignmentValue(
        chance.choice([1, 2, 2, 2]), 0, chance.choice([1, 1, 1, 1, 2, 3])
    )
    return StreamsGroupCurrentMemberAssignmentKey(group, chance.choice(MEMBERS)), value


def streams_target(chance: random.Random, group: str) -> Pair:
    value = StreamsGroupTargetAssignmentMemberValue()
    return StreamsGroupTargetAssignmentMemberKey(group, chance.choice(MEMBERS)), value


def topology(chance: random.Random, group: str) -> Pair:
    sources = chance.sample(TOPICS, chance.randrange(3))
    repartition = [TopicInfo(topic) for topic in chance.sample(TOPICS, chance.randrange(2))]
    parts = [Subtopology("0", sources, ["o.*"]), Subtopology("1", repartition_source_topics=repartition)]
    return StreamsGroupTopologyKey(group), StreamsGroupTopologyValue(chance.choice([0, 1, 1, 1]), parts)


def other(version: int) -> Callable[[random.Random, str], Pair]:
    def made(chance: random.Random, group: str) -> Pair:
        name = group.encode()
        data = pack(">hh", version, len(name)) + name
        return OtherRecordKey(version, group, data), b"\x00\x00"

    return made


def share(chance: random.Random, group: str) -> Pair:
    return ShareGroupMetadataKey(group), ShareGroupMetadataValue(chance.randrange(1, 4), 0)


def share_member(chance: random.Random, group: str) -> Pair:
    value = ShareGroupMemberMetadataValue(
        client_id="client",
        client_host="/host",
        subscribed_topic_names=chance.sample(TOPICS, chance.randrange(3)),
    )
    return ShareGroupMemberMetadataKey(group, chance.choice(MEMBERS)), value


def share_current(chance: random.Random, group: str) -> Pair:
    value = ShareGroupCurrentMemberAssignmentValue(chance.randrange(1, 3), 0, 0)
    return ShareGroupCurrentMemberAssignmentKey(group, chance.choice(MEMBERS)), value


def share_target_epoch(chance: random.Random, group: str) -> Pair:
    value = ShareGroupTargetAssignmentMetadataValue(chance.randrange(1, 3))
    return ShareGroupTargetAssignmentMetadataKey(group), value


CONSUMER: Final = (epoch, target_epoch, member, member, current, current, expression)
SHARE: Final = (share, share_target_epoch, share_member, share_member, share_current)
STREAMS: Final = (
    streams_epoch, streams_target_epoch, streams_target_epoch, streams_member, streams_member,
    streams_current, streams_current, streams_current, streams_target, topology, topology, topology,
)  # fmt: skip

# The records of each group. Kafka writes two types of a group's records only if a tombstone ends the first.
LIVES: Final = (
    (classic,),
    CONSUMER,
    CONSUMER,
    (*CONSUMER, classic),
    SHARE,
    SHARE,
    (other(SHARE_PARTITIONS), other(STREAMS_PARTITIONS)),
    (*SHARE, classic),
)


def random_log(chance: random.Random) -> list[Pair]:
    """Return the records of all groups, interleaved. As in Kafka, a group's epoch is written first."""
    places = [number for number in range(GROUPS) for _ in range(chance.randrange(1, RECORDS_MAX))]
    chance.shuffle(places)
    log: list[Pair] = []
    alive: dict[int, Callable[[random.Random, str], Pair]] = {}
    for number in places:
        group, make = f"group-{number}", chance.choice(LIVES[number % len(LIVES)])
        first = epoch if make in CONSUMER else share if make in SHARE else None
        if first is not None and alive.get(number) is not first:
            log.append(first(chance, group))
            alive[number] = first
        key, value = make(chance, group)
        gone = chance.random() < TOMBSTONES
        log.append((key, None if gone else value))
        if make is classic or (gone and make is first):
            alive.pop(number, None)
        # A member that leaves leaves no records.
        if gone and isinstance(key, ConsumerGroupCurrentMemberAssignmentKey):
            log.append((ConsumerGroupMemberMetadataKey(key.group_id, key.member_id), None))
        if gone and isinstance(key, ShareGroupCurrentMemberAssignmentKey):
            log.append((ShareGroupMemberMetadataKey(key.group_id, key.member_id), None))
    return log


def random_streams_log(chance: random.Random) -> list[Pair]:
    """Return the records of streams groups, interleaved. As in Kafka, a group's epoch is written first."""
    groups = [f"group-{chance.randrange(GROUPS)}" for _ in range(GROUPS * RECORDS_MAX)]
    alive: set[str] = set()
    log: list[Pair] = []
    for group in groups:
        if group not in alive:
            log.append(streams_epoch(chance, group))
            alive.add(group)
        key, value = chance.choice((*STREAMS, other(STREAMS_PARTITIONS)))(chance, group)
        gone = chance.random() < TOMBSTONES
        log.append((key, None if gone else value))
        if gone and isinstance(key, StreamsGroupMetadataKey):
            alive.remove(group)
        if gone and isinstance(key, StreamsGroupCurrentMemberAssignmentKey):
            log.append((StreamsGroupMemberMetadataKey(key.group_id, key.member_id), None))
    return log


def replayed(log: list[Pair]) -> Groups:
    groups = Groups()
    groups.serve(1)
    for key, value in log:
        groups.replay_record(key, value)
    groups.loaded(0, Now(0, 0))
    return groups


def write(folder: Path, log: list[Pair], log_partition: int = 0) -> None:
    codec, builder = CoordinatorCodec(), BatchBuilder(1_000)
    for key, value in log:
        if isinstance(key, OtherRecordKey):
            builder.add(key.data, value)
        else:
            builder.add(*codec.encode(key, value))
    segment = folder / f"__consumer_offsets-{log_partition}" / f"{0:020}.log"
    segment.parent.mkdir()
    segment.write_bytes(builder.build(base_offset=0))


def test_groups_are_those_that_replay_leaves(spark: SparkSession, tmp_path: Path) -> None:
    from tidemark_pipeline.source.session import read_table
    from tidemark_pipeline.tables.groups import current_groups

    log = random_log(random.Random(7))
    write(tmp_path, log)
    rows = current_groups(read_table(spark, str(tmp_path), "groups")).toArrow().to_pylist()
    expected = {name: told(group) for name, group in replayed(log).groups.items()}
    assert {row["group"]: {name: row[name] for name in expected[row["group"]]} for row in rows} == expected
    assert {(each["group_type"], each["state"]) for each in expected.values()} >= {
        ("classic", "Empty"),
        ("classic", "Stable"),
        ("consumer", "Empty"),
        ("consumer", "Assigning"),
        ("consumer", "Reconciling"),
        ("consumer", "Stable"),
        ("share", "Empty"),
        ("share", "Stable"),
    }


def test_streams_groups_are_those_that_replay_leaves(spark: SparkSession, tmp_path: Path) -> None:
    from tidemark_pipeline.source.session import read_table
    from tidemark_pipeline.tables.groups import current_groups

    log = random_streams_log(random.Random(7))
    write(tmp_path, log)
    rows = current_groups(read_table(spark, str(tmp_path), "groups")).toArrow().to_pylist()
    groups = replayed(log).groups
    expected = {name: told(group) for name, group in groups.items()}
    assert {row["group"]: {name: row[name] for name in expected[row["group"]]} for row in rows} == expected
    assert {(each["state"], each["member_count"]) for each in expected.values()} == {
        ("Empty", 0),
        *product(("NotReady", "Assigning", "Reconciling", "Stable"), (1, 2)),
    }
    assert {len(each["subscribed_topics"]) for each in expected.values()} >= {0, 1, 2}
    for row in rows:
        members = {each.member_id: each for each in groups[row["group"]].member_facts()}
        assert [each["member_id"] for each in row["members"]] == sorted(members)
        for each in row["members"]:
            said = members[each["member_id"]]
            told_client = each["client_id"] or "", each["client_host"] or ""
            assert told_client == (said.client_id, said.client_host)
            assert each["instance_id"] == said.instance_id
            assert each["epoch"] in (said.epoch, None)


def test_offsets_of_streams_groups_are_due_when_kafka_deleted_them(
    spark: SparkSession, tmp_path: Path
) -> None:
    """In Kafka's own log, just before each of its cleanup passes, each in a log partition of its own."""
    from pyspark.sql import functions as F

    from tidemark_pipeline.retention import Retention
    from tidemark_pipeline.source.session import read_table
    from tidemark_pipeline.tables.current import current_offsets, pending_offsets
    from tidemark_pipeline.tables.forecast import forecast_of, offset_facts
    from tidemark_pipeline.tables.groups import current_groups

    deleted = {}
    for number, batch in enumerate(passes()):
        before = [record for each in batches() if each[0].batch < batch[0].batch for record in each]
        write(tmp_path, [decode_coordinator(record.key, record.value) for record in before], number)
        keys = [decode_coordinator(record.key, None)[0] for record in batch]
        deleted[number] = {(key.group, key.topic) for key in keys if isinstance(key, OffsetCommitKey)}
    history = read_table(spark, str(tmp_path), "offsets")
    facts = offset_facts(
        current_offsets(history),
        current_groups(read_table(spark, str(tmp_path), "groups")),
        pending_offsets(read_table(spark, str(tmp_path), "offsets", transactions="open"), history),
        as_of_ms=0,
    )
    times = F.array(*(F.lit(batch[0].timestamp_ms).cast("bigint") for batch in passes()))
    of_each = facts.withColumn("as_of_ms", times[F.col("log_partition")])
    forecast = forecast_of(of_each, Retention.known([RETENTION_S * 1000]))
    due = {number: set[tuple[str, str]]() for number in deleted}
    for row in forecast.where("due").toArrow().to_pylist():
        due[row["log_partition"]].add((row["group"], row["topic"]))
    assert due == deleted
    assert sum(map(len, deleted.values())) == 11


def told(group: Group) -> dict[str, Any]:
    topics = group.subscribed_topics
    return {
        "group_type": group.type_name,
        "state": group.state_name,
        "protocol_type": group.protocol_type,
        "state_timestamp_ms": group.state_since_ms,
        "subscribed_topics": None if topics is None else sorted(topics),
        "assignment_epoch": group.target_epoch,
        "epoch": group.epoch,
        "member_count": len(group.member_ids),
    }
