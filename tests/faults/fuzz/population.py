"""A state that makes requests expensive: many topics, partitions, groups and offsets, and inflating logs.

Share groups and streams groups are as large as the default settings allow. Records in flight, share sessions
and task offsets are missing: a broker keeps them in memory only, so requests create them.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from tests.broker_process import BrokerProcess
from tests.wire import Connection, request, response
from tidemark.settings.broker import STANDARD_AUTHORIZER
from tidemark_protocol import to_dict
from tidemark_protocol.batch import LogRecord, build_batch
from tidemark_protocol.compression import Codec
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnTopic,
)
from tidemark_protocol.messages.create_acls import AclCreation, CreateAclsRequest
from tidemark_protocol.messages.create_topics import (
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
)
from tidemark_protocol.messages.find_coordinator import FindCoordinatorRequest
from tidemark_protocol.messages.init_producer_id import InitProducerIdRequest
from tidemark_protocol.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from tidemark_protocol.messages.metadata import MetadataRequest
from tidemark_protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from tidemark_protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from tidemark_protocol.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment

WIDE: Final = "worst-wide-{}"
SINGLE: Final = "worst-single-{}"
PACKED: Final = "worst-packed"  # each partition holds one ordinary zstd batch
BOMBS: Final = "worst-bombs"  # each partition holds a batch that is small and inflates to almost 100 MB
RECOMPRESSED: Final = "worst-recompressed"  # the broker compresses what it receives
PRODUCERS: Final = "worst-producers"  # one partition to which many idempotent producers have written
BIG_GROUP: Final = "worst-big-group"
OFFSETS_GROUP: Final = "worst-offsets"
SMALL_GROUP: Final = "worst-group-{}"
SHARED: Final = "worst-shared"  # a topic whose share partitions have states of very many batches
SHARE_GROUP: Final = "worst-share-group"
SHARE_MEMBER: Final = "worst-share-member-{:03}"
EMPTY_SHARE_GROUP: Final = "worst-share-offsets"  # it has offsets and no members
STREAMS_GROUP: Final = "worst-streams-group"
STREAMS_MEMBER: Final = "worst-streams-member-{}"
SHARE: Final = "ShareGroup"
STREAMS: Final = "StreamsGroup"
NO_TOPIC: Final = "worst-no-topic-{}"  # one to which members of the share group are subscribed
TRANSACTION: Final = "worst-transaction"  # the transactional id of one that is ongoing
USER: Final = "User:ANONYMOUS"  # whom clients are without authentication

SESSION_TIMEOUT_MS: Final = 1_800_000
PARTITIONS_OF_A_REQUEST: Final = 5000  # Kafka creates no more than 10,000 in one request
PRODUCED_AT_ONCE: Final = 20
IN_FLIGHT: Final = 100
ACLS_OF_A_REQUEST: Final = 1000
TRANSACTION_TIMEOUT_MS: Final = 900_000
RECORDS_MS: Final = 1_700_000_000_000  # the records' timestamps begin here
PACKED_RECORDS: Final = 10_000
SHARED_RECORDS: Final = 30_000
STATE_BATCHES: Final = 25_000  # the broker stores no more for a share partition
NEWEST_EPOCH: Final = 1_000_000  # no epoch of the broker is above it
AVAILABLE: Final = 0
ACKNOWLEDGED: Final = 2
JOINED_WITHIN_S: Final = 300.0
ANSWERED_WITHIN_S: Final = 300.0
ASKED_AGAIN_S: Final = 0.2
# Members of the attacked broker send no heartbeats of their own.
SESSIONS: Final = {
    "group.share.max.session.timeout.ms": str(SESSION_TIMEOUT_MS),
    "group.share.session.timeout.ms": str(SESSION_TIMEOUT_MS),
    "group.streams.max.session.timeout.ms": str(SESSION_TIMEOUT_MS),
    "group.streams.session.timeout.ms": str(SESSION_TIMEOUT_MS),
}
# All members that join within this time share the first generation.
SETTINGS: Final = {
    "group.initial.rebalance.delay.ms": "2000",
    "tidemark.sync": "never",
    "authorizer.class.name": STANDARD_AUTHORIZER,
    "super.users": USER,
    **SESSIONS,
}


@dataclass(frozen=True, slots=True)
class Scale:
    """The amount of everything."""

    wide_topics: int
    wide_partitions: int
    single_topics: int
    packed_partitions: int
    bombs: int
    producers: int
    members: int
    member_bytes: int
    groups: int
    acls: int
    prefixes: int  # ACLs whose name is a prefix, each of another length
    transaction_partitions: int
    share_members: int
    share_topics: int  # of the wide ones, which both share groups read
    share_names: int  # topics that do not exist, to which each of its members is subscribed
    shared_partitions: int
    streams_members: int
    streams_topics: int  # of the wide ones: each partition is a task, and so is each single topic


FULL: Final = Scale(
    wide_topics=20, wide_partitions=5000, single_topics=1000, packed_partitions=200, bombs=10,
    producers=20_000, members=1000, member_bytes=400, groups=2000, acls=100_000, prefixes=1000,
    transaction_partitions=2000,
    share_members=199, share_topics=10, share_names=3000, shared_partitions=20,
    streams_members=50, streams_topics=10,
)  # fmt: skip
SMALL: Final = Scale(
    wide_topics=2, wide_partitions=1000, single_topics=100, packed_partitions=20, bombs=1,
    producers=50, members=10, member_bytes=4000, groups=100, acls=1000, prefixes=50,
    transaction_partitions=100,
    share_members=10, share_topics=1, share_names=100, shared_partitions=2,
    streams_members=10, streams_topics=1,
)  # fmt: skip


@dataclass
class Population:
    """The names of existing things. topics: name to number of partitions."""

    topics: dict[str, int] = field(default_factory=dict)
    topic_ids: dict[str, bytes] = field(default_factory=dict)
    groups: list[str] = field(default_factory=list)
    member_ids: list[str] = field(default_factory=list)
    producer_id: int = -1  # of the transaction
    producer_epoch: int = -1
    share_epoch: int = -1  # of all members of the share group
    share_topics: int = 0  # of the wide ones, which the share groups read
    subtopologies: list[str] = field(default_factory=list)  # each reads the topic of its name
    streams_join: dict[str, Any] = field(default_factory=dict)
    streams_epoch: int = -1

    @cached_property
    def names(self) -> dict[bytes, str]:
        """Return the topic names by id."""
        return {topic_id: name for name, topic_id in self.topic_ids.items()}


def populate(folder: Path, scale: Scale) -> Population:
    """Leave a data directory in `folder` and return what it holds. No broker runs on it afterwards."""
    broker = BrokerProcess(folder, SETTINGS)
    try:
        broker.start()
        with Connection(broker.bootstrap) as connection:
            connection.socket.settimeout(ANSWERED_WITHIN_S)
            connection.ask("FindCoordinator", 1, FindCoordinatorRequest(key=BIG_GROUP))
            population = Population(topics=_create_topics(connection, scale), share_topics=scale.share_topics)
            described = connection.ask("Metadata", 12, MetadataRequest(topics=None)).topics
            population.topic_ids = {topic.name: topic.topic_id for topic in described}
            _allow(connection, scale)
            _begin(connection, scale, population)
            _produce(connection, scale)
            _commit(connection, scale)
            population.groups = [
                BIG_GROUP, OFFSETS_GROUP, SHARE_GROUP, EMPTY_SHARE_GROUP, STREAMS_GROUP, *_small_groups(scale)
            ]  # fmt: skip
            # Their first assignments take some seconds, and so does that of the classic group.
            streams_members = _streams_members(scale)
            population.streams_join = streams_members[STREAMS_MEMBER.format(0)]
            sent = population.streams_join["Topology"]["Subtopologies"]
            population.subtopologies = [each["SubtopologyId"] for each in sent]
            streams_beats = _join_all(connection, STREAMS, streams_members)
            share_beats = _join_all(connection, SHARE, _share_members(scale))
            population.member_ids = _join(broker.bootstrap, scale)
            tasks = scale.streams_topics * scale.wide_partitions + scale.single_topics
            population.streams_epoch = _settled(connection, STREAMS, streams_beats, tasks)
            shared = scale.share_topics * scale.wide_partitions + scale.single_topics
            shared += scale.shared_partitions
            population.share_epoch = _settled(connection, SHARE, share_beats, shared)
            _write_share_states(connection, scale, population)
            _alter_share_offsets(connection, scale)
    finally:
        broker.stop()
    return population


def _small_groups(scale: Scale) -> list[str]:
    return [SMALL_GROUP.format(i) for i in range(scale.groups)]


def _create_topics(connection: Connection, scale: Scale) -> dict[str, int]:
    topics = {
        PACKED: scale.packed_partitions,
        BOMBS: scale.bombs,
        RECOMPRESSED: scale.packed_partitions,
        PRODUCERS: 1,
        SHARED: scale.shared_partitions,
        **{WIDE.format(i): scale.wide_partitions for i in range(scale.wide_topics)},
        **{SINGLE.format(i): 1 for i in range(scale.single_topics)},
    }
    configs = [CreatableTopicConfig("compression.type", "gzip")]
    for batch in _requests_of(topics):
        creatable = [
            CreatableTopic(name, topics[name], 1, configs=configs if name == RECOMPRESSED else [])
            for name in batch
        ]
        completed = connection.ask("CreateTopics", 7, CreateTopicsRequest(creatable)).topics
        _expect_success(topic.error_code for topic in completed)
    return topics


def _requests_of(topics: dict[str, int]) -> Iterator[list[str]]:
    batch: list[str] = []
    partitions = 0
    for name, count in topics.items():
        if batch and partitions + count > PARTITIONS_OF_A_REQUEST:
            yield batch
            batch, partitions = [], 0
        batch.append(name)
        partitions += count
    yield batch


def _allow(connection: Connection, scale: Scale) -> None:
    """Create ACLs of one user for things that do not exist."""
    acls = [AclCreation(2, f"worst-acl-{i}", 3, USER, "*", 3, 3) for i in range(scale.acls)]
    acls += [AclCreation(2, "p" * length, 4, USER, "*", 3, 3) for length in range(1, scale.prefixes + 1)]
    for at in range(0, len(acls), ACLS_OF_A_REQUEST):
        created = connection.ask("CreateAcls", 3, CreateAclsRequest(acls[at : at + ACLS_OF_A_REQUEST]))
        _expect_success(each.error_code for each in created.results)


def _begin(connection: Connection, scale: Scale, population: Population) -> None:
    """Begin a transaction with many partitions."""
    connection.ask("FindCoordinator", 1, FindCoordinatorRequest(key=TRANSACTION, key_type=1))
    producer = connection.ask("InitProducerId", 4, InitProducerIdRequest(TRANSACTION, TRANSACTION_TIMEOUT_MS))
    _expect_success([producer.error_code])
    population.producer_id, population.producer_epoch = producer.producer_id, producer.producer_epoch
    added = connection.ask(
        "AddPartitionsToTxn",
        3,
        AddPartitionsToTxnRequest(
            v3_and_below_transactional_id=TRANSACTION,
            v3_and_below_producer_id=producer.producer_id,
            v3_and_below_producer_epoch=producer.producer_epoch,
            v3_and_below_topics=[
                AddPartitionsToTxnTopic(WIDE.format(0), list(range(scale.transaction_partitions)))
            ],
        ),
    )
    _expect_success(
        part.partition_error_code
        for topic in added.results_by_topic_v3_and_below
        for part in topic.results_by_partition
    )


def _produce(connection: Connection, scale: Scale) -> None:
    ordinary = packed_batch(Codec.ZSTD)
    _produce_to_all(connection, PACKED, scale.packed_partitions, ordinary)
    # A broker may refuse these, and then none exist.
    _produce_to_all(connection, BOMBS, scale.bombs, bomb(Codec.ZSTD))
    _produce_to_all(connection, SHARED, scale.shared_partitions, tiny_records(Codec.ZSTD, SHARED_RECORDS))
    batches = (
        build_batch(
            [LogRecord(0, RECORDS_MS, None, b"x", [])],
            producer_id=producer_id,
            producer_epoch=0,
            base_sequence=0,
        )
        for producer_id in range(1000, 1000 + scale.producers)
    )
    frames = (request("Produce", 9, _produced(PRODUCERS, [0], batch)) for batch in batches)
    for answer in _pipelined(connection, frames):
        produced = response("Produce", 9, answer)
        _expect_success([produced.responses[0].partition_responses[0].error_code])


def _produce_to_all(connection: Connection, topic: str, partitions: int, batch: bytes) -> None:
    for first in range(0, partitions, PRODUCED_AT_ONCE):
        some = range(first, min(first + PRODUCED_AT_ONCE, partitions))
        connection.ask("Produce", 9, _produced(topic, some, batch))


def _produced(topic: str, partitions: Iterable[int], batch: bytes) -> ProduceRequest:
    data = [PartitionProduceData(partition, batch) for partition in partitions]
    return ProduceRequest(
        acks=-1, timeout_ms=30_000, topic_data=[TopicProduceData(topic, partition_data=data)]
    )


def packed_batch(codec: Codec) -> bytes:
    """Return a batch of many small records, compressed as by an ordinary producer."""
    return build_batch(
        [
            LogRecord(i, RECORDS_MS + i, b"key-%d" % i, b"the value of record %d, and some text" % i, [])
            for i in range(PACKED_RECORDS)
        ],
        compression=codec,
    )


def bomb(codec: Codec, inflated_bytes: int = 95_000_000) -> bytes:
    """Return a batch of one record of zeros, which compresses very well."""
    return build_batch([LogRecord(0, RECORDS_MS, None, bytes(inflated_bytes), [])], compression=codec)


def tiny_records(codec: Codec, count: int) -> bytes:
    """Return a batch with as many records as possible in few bytes."""
    return build_batch([LogRecord(i, RECORDS_MS, None, None, []) for i in range(count)], compression=codec)


def _commit(connection: Connection, scale: Scale) -> None:
    committed = [
        (OFFSETS_GROUP, WIDE.format(i), range(scale.wide_partitions)) for i in range(scale.wide_topics)
    ]
    committed += [(group, PACKED, range(1)) for group in _small_groups(scale)]
    frames = (request("OffsetCommit", 8, _commit_of(*each)) for each in committed)
    for answer in _pipelined(connection, frames):
        completed = response("OffsetCommit", 8, answer)
        _expect_success(part.error_code for topic in completed.topics for part in topic.partitions)


def _commit_of(group: str, topic: str, partitions: Iterable[int]) -> OffsetCommitRequest:
    offsets = [OffsetCommitRequestPartition(p, 1, committed_metadata="some metadata") for p in partitions]
    return OffsetCommitRequest(group, topics=[OffsetCommitRequestTopic(name=topic, partitions=offsets)])


def _pipelined(connection: Connection, frames: Iterable[bytes]) -> Iterator[bytes]:
    """Send every frame, with a bounded number of pending requests. Yield each response."""
    waiting = 0
    for frame in frames:
        connection.send(frame)
        waiting += 1
        if waiting == IN_FLIGHT:
            yield connection.answer()
            waiting -= 1
    for _ in range(waiting):
        yield connection.answer()


def _join(bootstrap: str, scale: Scale) -> list[str]:
    """Create one large group. Each member joins on its own connection, which is closed afterwards."""
    join = JoinGroupRequest(
        BIG_GROUP,
        session_timeout_ms=SESSION_TIMEOUT_MS,
        rebalance_timeout_ms=SESSION_TIMEOUT_MS,
        protocol_type="consumer",
        protocols=[JoinGroupRequestProtocol("range", bytes(scale.member_bytes))],
    )
    connections = [Connection(bootstrap) for _ in range(scale.members)]
    try:
        for connection in connections:
            connection.send(request("JoinGroup", 3, join))
        joined = [response("JoinGroup", 3, connection.answer()) for connection in connections]
        _expect_success(each.error_code for each in joined)
        leader = next(i for i, each in enumerate(joined) if each.leader == each.member_id)
        assignments = [
            SyncGroupRequestAssignment(each.member_id, bytes(scale.member_bytes)) for each in joined
        ]
        sync = SyncGroupRequest(
            BIG_GROUP, joined[leader].generation_id, joined[leader].member_id, assignments=assignments
        )
        answer = connections[leader].ask("SyncGroup", 3, sync)
        _expect_success([answer.error_code])
    finally:
        for connection in connections:
            connection.socket.close()
    return [each.member_id for each in joined]


Members = dict[str, dict[str, Any]]  # heartbeats by member id


def _share_members(scale: Scale) -> Members:
    names = [SHARED, *(WIDE.format(i) for i in range(scale.share_topics))]
    names += [SINGLE.format(i) for i in range(scale.single_topics)]
    names += [NO_TOPIC.format(i) for i in range(scale.share_names)]
    joins = {"GroupId": SHARE_GROUP, "SubscribedTopicNames": names}
    return {SHARE_MEMBER.format(i): joins for i in range(scale.share_members)}


def _streams_members(scale: Scale) -> Members:
    joins = {
        "GroupId": STREAMS_GROUP,
        "RebalanceTimeoutMs": SESSION_TIMEOUT_MS,
        "Topology": {"Epoch": 1, "Subtopologies": _subtopologies(scale)},
        "ActiveTasks": [],
        "StandbyTasks": [],
        "WarmupTasks": [],
    }
    return {
        STREAMS_MEMBER.format(i): {
            **joins,
            "ProcessId": f"process-{i}",
            "UserEndpoint": {"Host": f"instance-{i}.example.com", "Port": 8080},
            "ClientTags": [{"Key": "zone", "Value": f"zone-{i}"}],
        }
        for i in range(scale.streams_members)
    }


def _subtopologies(scale: Scale) -> list[dict[str, Any]]:
    """Return a subtopology for each wide and single topic. Those of single topics have stores."""
    wide = [_subtopology(WIDE.format(i)) for i in range(scale.streams_topics)]
    singles = range(scale.single_topics)
    # The changelog topics exist, so that none is created.
    return wide + [
        _subtopology(SINGLE.format(i), SINGLE.format(i - 1 if i else len(singles) - 1)) for i in singles
    ]


def _subtopology(source: str, *changelogs: str) -> dict[str, Any]:
    return {
        "SubtopologyId": source,
        "SourceTopics": [source],
        "SourceTopicRegex": [],
        "StateChangelogTopics": [
            {"Name": each, "Partitions": 0, "ReplicationFactor": 0, "TopicConfigs": []} for each in changelogs
        ],
        "RepartitionSinkTopics": [],
        "RepartitionSourceTopics": [],
        "CopartitionGroups": [],
    }


def _join_all(connection: Connection, kind: str, members: Members) -> Members:
    """Let all members join. Return the heartbeats that they send next. kind: SHARE or STREAMS."""
    joins: Members = {}
    for number, (member_id, fields) in enumerate(members.items(), 1):
        joins[member_id] = {**fields, "MemberId": member_id, "MemberEpoch": 0}
        if kind == STREAMS:  # a member that knows the endpoints of all others does not receive them
            joins[member_id]["EndpointInformationEpoch"] = number
    api = f"{kind}Heartbeat"
    answers = _pipelined(connection, (request(api, 1, join) for join in joins.values()))
    beats = [to_dict(response(api, 1, answer)) for answer in answers]
    return {
        member_id: _next(kind, join, beat)
        for (member_id, join), beat in zip(joins.items(), beats, strict=True)
    }


def _next(kind: str, sent: dict[str, Any], beat: dict[str, Any]) -> dict[str, Any]:
    """Return the heartbeat that follows a response."""
    _expect_success([beat["ErrorCode"]])
    found = {name: sent[name] for name in ("GroupId", "MemberId")}
    found["MemberEpoch"] = beat["MemberEpoch"]
    if kind == STREAMS:
        for name in ("ActiveTasks", "StandbyTasks", "WarmupTasks"):
            found[name] = sent[name] if beat[name] is None else beat[name]
        found["EndpointInformationEpoch"] = beat["EndpointInformationEpoch"]
    return found


def _settled(connection: Connection, kind: str, beats: Members, partitions: int) -> int:
    """Send heartbeats until all members have the same epoch and all partitions. Return the epoch."""
    group_id = next(iter(beats.values()))["GroupId"]
    until = time.monotonic() + JOINED_WITHIN_S
    endpoint_epoch = 0
    while time.monotonic() < until:
        for member_id, sent in beats.items():
            if kind == STREAMS:
                is_behind = sent["MemberEpoch"] < max(each["MemberEpoch"] for each in beats.values())
                sent["EndpointInformationEpoch"] = endpoint_epoch + is_behind
            beats[member_id] = _next(kind, sent, connection.ask(f"{kind}Heartbeat", 1, sent))
            endpoint_epoch = beats[member_id].get("EndpointInformationEpoch", 0)
        if len({each["MemberEpoch"] for each in beats.values()}) == 1:
            described = connection.ask(f"{kind}Describe", 1, {"GroupIds": [group_id]})["Groups"][0]
            _expect_success([described["ErrorCode"]])
            if sum(map(_assigned, described["Members"])) == partitions:
                return int(described["GroupEpoch"])
        time.sleep(ASKED_AGAIN_S)
    raise AssertionError(f"{group_id} is not stable after {JOINED_WITHIN_S} s")


def _assigned(member: dict[str, Any]) -> int:
    """Return the number of partitions, or of active tasks, of a member in the description of its group."""
    found = member["Assignment"].get("TopicPartitions", member["Assignment"].get("ActiveTasks"))
    return sum(len(each["Partitions"]) for each in found)


def _write_share_states(connection: Connection, scale: Scale, population: Population) -> None:
    """Store states of as many batches as the broker stores: adjacent ones differ."""
    batches = [
        {
            "FirstOffset": offset,
            "LastOffset": offset,
            "DeliveryState": ACKNOWLEDGED if offset % 2 else AVAILABLE,
            "DeliveryCount": 1,
        }
        for offset in range(STATE_BATCHES)
    ]
    for partition in range(scale.shared_partitions):
        states = {
            "Partition": partition,
            "StateEpoch": NEWEST_EPOCH,
            "LeaderEpoch": NEWEST_EPOCH,
            "StartOffset": 0,
            "DeliveryCompleteCount": STATE_BATCHES // 2,
            "StateBatches": batches,
        }
        topic = {"TopicId": str(UUID(bytes=population.topic_ids[SHARED])), "Partitions": [states]}
        written = connection.ask("WriteShareGroupState", 1, {"GroupId": SHARE_GROUP, "Topics": [topic]})
        _expect_success([written["Results"][0]["Partitions"][0]["ErrorCode"]])


def _alter_share_offsets(connection: Connection, scale: Scale) -> None:
    """Create the share group without members, with offsets of all partitions of some topics."""
    partitions = [{"PartitionIndex": i, "StartOffset": 0} for i in range(scale.wide_partitions)]
    for i in range(scale.share_topics):
        topics = [{"TopicName": WIDE.format(i), "Partitions": partitions}]
        altered = connection.ask(
            "AlterShareGroupOffsets", 0, {"GroupId": EMPTY_SHARE_GROUP, "Topics": topics}
        )
        _expect_success(
            [
                altered["ErrorCode"],
                *(each["ErrorCode"] for topic in altered["Responses"] for each in topic["Partitions"]),
            ]
        )


def _expect_success(codes: Iterable[int]) -> None:
    failed = {ErrorCode(code).name for code in codes} - {"NONE"}
    assert not failed, f"the broker refused to be populated: {failed}"
