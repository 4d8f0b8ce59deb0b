"""Fetch: record batches from their partitions' logs, with long polling and fetch sessions.

v4    isolation_level, last_stable_offset, aborted_transactions (KIP-98)
v5    log_start_offset
v7    fetch sessions (KIP-227)
v9    current_leader_epoch (KIP-320)
v12   last_fetched_epoch and diverging_epoch (KIP-595)
v13   topics by id (KIP-516)
v15   replica_state in place of replica_id (KIP-903)
v16   current_leader and node_endpoints with 6 and 74 (KIP-951)
v17-18  fields that only brokers send

A request that finds less than min_bytes waits until there is enough, or max_wait_ms are over, on a future
that the logs' listeners and one timer wake; then all of it is read again, and that is the answer. Errors met
while reading answer at once; what was refused before reading (authorization, unknown topics) neither waits
nor hurries [4.3.1]. A long answer is read in parts, with turns of the event loop between them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tidemark.coordinator.result import Context, Operation, ResourceType
from tidemark.handlers.hosted import check_leader_epoch, find_log, find_partition
from tidemark.handlers.routes import transfer
from tidemark.handlers.turns import PARTITION_BYTES, TURN_BYTES, turn
from tidemark.log.fetch_sessions import FetchAnswer, Fetching
from tidemark.log.manager import LogManager
from tidemark.log.partition import PartitionLog
from tidemark_protocol.batch import LOG_OVERHEAD_BYTES
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.fetch import (
    AbortedTransaction,
    EpochEndOffset,
    FetchableTopicResponse,
    FetchPartition,
    FetchRequest,
    FetchResponse,
    LeaderIdAndEpoch,
    NodeEndpoint,
    PartitionData,
)
from tidemark_protocol.wire import ZERO_UUID

if TYPE_CHECKING:
    from tidemark.coordinator.cluster.model import Partition
    from tidemark.coordinator.cluster.state import Cluster

READ_UNCOMMITTED: Final = 0
READ_COMMITTED: Final = 1
FIRST_REPLICA_ID: Final = 0  # below it: consumers (-1) and debuggers (-2)
NO_OFFSET: Final = -1
UNKNOWN: Final = -1
FIRST_VERSION_WITH_TOPIC_IDS: Final = 13
FIRST_VERSION_WITH_REPLICA_STATE: Final = 15
FIRST_VERSION_WITH_ENDPOINTS: Final = 16
LEADER_CHANGED: Final = (ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.FENCED_LEADER_EPOCH)

Key = tuple[str | bytes, int]
Found = list[tuple[Key, PartitionData]]


@dataclass(slots=True)
class Source:
    """One partition that may be read: what is wanted of it, and its log."""

    key: Key
    wanted: FetchPartition
    partition: Partition
    log: PartitionLog


@dataclass(slots=True)
class Sorted:
    """The partitions of one Fetch: those to read, and the answers of those that nobody reads."""

    sources: list[Source]
    failed: Found
    refused: Found


@dataclass(slots=True)
class Terms:
    """What one request says about all its partitions."""

    committed: bool
    from_replica: bool
    bytes_max: int
    bytes_min: int
    until_ms: int

    def end(self, log: PartitionLog) -> int:
        """The first offset that this reader may not see."""
        return log.last_stable_offset if self.committed else log.high_watermark


@transfer(FetchRequest, versions=range(4, 19))
async def fetch(logs: LogManager, ctx: Context, request: FetchRequest) -> FetchResponse:
    fetching = logs.fetch_sessions.begin(request, ctx.version, ctx.steady_ms)
    if request.isolation_level not in (READ_UNCOMMITTED, READ_COMMITTED):
        return _all_refused(request, ctx.version, ErrorCode.UNKNOWN_SERVER_ERROR)
    terms = _terms(request, ctx, logs.fetch_bytes_max)
    asked = _sort_out(logs, ctx, fetching)
    for source in asked.sources:
        logs.traffic.of(source.log.topic).fetch_requests += 1
    found, urgent = await _read_all(asked.sources, terms)
    waits = request.max_wait_ms > 0 and asked.sources and not asked.failed and not urgent
    if waits and sum(len(data.records or b"") for _, data in found) < terms.bytes_min:
        await _wait(logs, asked.sources, terms)
        found, _ = await _read_all(asked.sources, terms)
    _count_read(logs, asked.sources, found)
    if asked.failed:
        place = {key: number for number, key in enumerate(fetching.wanted)}
        found = sorted(found + asked.failed, key=lambda told: place[told[0]])
    found += asked.refused
    answer = logs.fetch_sessions.answer(fetching, found, logs.clock.steady_ms(), ctx.new_id)
    return _response(answer, ctx, from_replica=terms.from_replica)


def _terms(request: FetchRequest, ctx: Context, fetch_bytes_max: int) -> Terms:
    replica_id = request.replica_id
    if ctx.version >= FIRST_VERSION_WITH_REPLICA_STATE and request.replica_state is not None:
        replica_id = request.replica_state.replica_id
    bytes_max = min(request.max_bytes, fetch_bytes_max)
    return Terms(
        committed=request.isolation_level == READ_COMMITTED,
        from_replica=replica_id >= FIRST_REPLICA_ID,
        bytes_max=bytes_max,
        bytes_min=min(request.min_bytes, bytes_max),
        until_ms=ctx.steady_ms + request.max_wait_ms,
    )


def _sort_out(logs: LogManager, ctx: Context, fetching: Fetching) -> Sorted:
    """Refused: before any reading, unknown ids first. Failed: met while it reads, so they end a wait."""
    cluster: Cluster = ctx.cluster
    found = Sorted([], [], [])
    unknown_ids: Found = []
    for key, partition_wanted in fetching.wanted.items():
        asked, index = key
        if isinstance(asked, str):
            name = asked
        elif asked in cluster.topics_by_id:
            name = fetching.names[asked] = cluster.topics_by_id[asked].name
        elif asked not in fetching.names:
            unknown_ids.append((key, _refusal(index, ErrorCode.UNKNOWN_TOPIC_ID)))
            continue
        elif fetching.names[asked] in cluster.topics:  # made again
            found.failed.append((key, _failure(index, ErrorCode.INCONSISTENT_TOPIC_ID)))
            continue
        else:
            found.refused.append((key, _refusal(index, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)))
            continue
        if not ctx.allowed(Operation.READ, ResourceType.TOPIC, name):
            found.refused.append((key, _refusal(index, ErrorCode.TOPIC_AUTHORIZATION_FAILED)))
            continue
        try:
            partition = find_partition(cluster, name, index)
        except KafkaError as unknown:
            found.refused.append((key, _refusal(index, unknown.code)))
            continue
        try:
            found.sources.append(Source(key, partition_wanted, partition, find_log(logs, name, index)))
        except KafkaError as absent:
            found.failed.append((key, _failure(index, absent.code)))
    found.refused[:0] = unknown_ids
    return found


async def _read_all(sources: list[Source], terms: Terms) -> tuple[Found, bool]:
    """What each partition has to give, and whether that has to be told at once (an error, a diverging epoch).

    The first batch of the first partition that has any comes whole, whatever the limits say: else a batch
    that is larger than they are would stop its consumer for good (KIP-74).
    """
    found: Found = []
    urgent = False
    nothing_yet = True
    left = terms.bytes_max
    of_turn = TURN_BYTES
    for source in sources:
        if of_turn <= 0:
            await turn()
            of_turn = TURN_BYTES
        try:
            data = _read(source, terms, min(source.wanted.partition_max_bytes, left), whole_batch=nothing_yet)
            urgent = urgent or data.diverging_epoch is not None
        except KafkaError as failed:
            data = _failure(source.partition.index, failed.code)
            urgent = True
        size = len(data.records or b"")
        if size:
            nothing_yet = False
        left = max(0, left - size)
        of_turn -= size + PARTITION_BYTES
        found.append((source.key, data))
    return found, urgent


def _check_may_read(source: Source, terms: Terms) -> None:
    if source.log.closed:  # deleted while others were read
        raise KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
    if terms.from_replica:  # nobody replicates from here
        raise KafkaError(ErrorCode.NOT_LEADER_OR_FOLLOWER)
    if source.wanted.current_leader_epoch >= 0:
        check_leader_epoch(source.partition, source.wanted.current_leader_epoch)


def _read(source: Source, terms: Terms, bytes_max: int, *, whole_batch: bool) -> PartitionData:
    _check_may_read(source, terms)
    log, wanted = source.log, source.wanted
    end = terms.end(log)
    data = PartitionData(
        source.partition.index,
        ErrorCode.NONE,
        log.high_watermark,
        log.last_stable_offset,
        log.log_start_offset,
        aborted_transactions=[] if terms.committed else None,
    )
    if wanted.last_fetched_epoch >= 0:
        data.diverging_epoch = _diverging(log, wanted)
        if data.diverging_epoch is not None:
            return data
    if not log.log_start_offset <= wanted.fetch_offset <= log.log_end_offset:
        raise KafkaError(ErrorCode.OFFSET_OUT_OF_RANGE)
    if wanted.fetch_offset >= end:
        return data
    if bytes_max < 0:  # an IllegalArgumentException in Kafka
        raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)
    records = log.read(wanted.fetch_offset, bytes_max, up_to=end, at_least_one_batch=whole_batch)
    if not whole_batch and not _begins_with_whole_batch(records):
        return data
    data.records = records
    if terms.committed:
        aborted = log.aborted_transactions(wanted.fetch_offset, end)
        data.aborted_transactions = [AbortedTransaction(producer_id, first) for producer_id, first in aborted]
    return data


def _count_read(logs: LogManager, sources: list[Source], found: Found) -> None:
    for source, (_, data) in zip(sources, found, strict=True):
        if data.records:
            logs.traffic.of(source.log.topic).bytes_out += len(data.records)
        elif data.error_code == ErrorCode.UNKNOWN_SERVER_ERROR:  # what is wrong with others, clients do
            logs.traffic.of(source.log.topic).failed_fetch_requests += 1


def _diverging(log: PartitionLog, wanted: FetchPartition) -> EpochEndOffset | None:
    """Where the client's history leaves ours (KIP-595): it read past the end that its last epoch has here."""
    epoch, end_offset = log.offset_for_leader_epoch(wanted.last_fetched_epoch)
    if epoch == UNKNOWN or end_offset == NO_OFFSET or wanted.fetch_offset < log.log_start_offset:
        raise KafkaError(ErrorCode.OFFSET_OUT_OF_RANGE)
    if epoch < wanted.last_fetched_epoch or end_offset < wanted.fetch_offset:
        return EpochEndOffset(epoch, end_offset)
    return None


def _begins_with_whole_batch(records: bytes) -> bool:
    if len(records) < LOG_OVERHEAD_BYTES:
        return False
    length = int.from_bytes(records[8:LOG_OVERHEAD_BYTES], "big")
    return len(records) >= LOG_OVERHEAD_BYTES + length


async def _wait(logs: LogManager, sources: list[Source], terms: Terms) -> None:
    """Until the logs have enough for this reader, or its time is over. Leaves no listener behind, however it
    ends.
    """
    if _enough(sources, terms):
        return
    woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def wake() -> None:
        if not woken.done():
            woken.set_result(None)

    def watch(source: Source) -> Callable[[], None]:
        alone = [source]  # it has just risen: most of the time it alone is enough

        def risen() -> None:
            if not woken.done() and (_enough(alone, terms) or _enough(sources, terms)):
                woken.set_result(None)

        return risen

    listeners = [(source.log, watch(source)) for source in sources]
    for log, listener in listeners:
        log.add_listener(listener)
    timer = logs.clock.call_at(terms.until_ms, wake)
    try:
        await woken
    finally:
        timer.cancel()
        for log, listener in listeners:
            log.remove_listener(listener)


def _enough(sources: list[Source], terms: Terms) -> bool:
    """Whether waiting is over: min_bytes are there, an offset has fallen out of its log, a log is gone."""
    available = 0
    for source in sources:
        if source.log.closed:
            return True
        end = terms.end(source.log)
        offset = source.wanted.fetch_offset
        if end < offset or offset < source.log.log_start_offset:
            return True
        if end > offset:
            bytes_max = max(0, source.wanted.partition_max_bytes)
            available += min(source.log.available_bytes(offset, up_to=end), bytes_max)
            if available >= terms.bytes_min:
                return True
    return False


def _refusal(index: int, code: ErrorCode) -> PartitionData:
    return PartitionData(index, code, NO_OFFSET)


def _failure(index: int, code: ErrorCode) -> PartitionData:
    """An error met while reading: aborted transactions are null then, not an empty list [4.3.1]."""
    return PartitionData(index, code, NO_OFFSET, aborted_transactions=None)


def _all_refused(request: FetchRequest, version: int, code: ErrorCode) -> FetchResponse:
    """From v13 on the code stands at the top alone."""
    topics = []
    if version < FIRST_VERSION_WITH_TOPIC_IDS:
        topics = [
            FetchableTopicResponse(
                topic.topic, partitions=[_refusal(p.partition, code) for p in topic.partitions]
            )
            for topic in request.topics
        ]
    return FetchResponse(error_code=code, session_id=request.session_id, responses=topics)


def _response(answer: FetchAnswer, ctx: Context, *, from_replica: bool) -> FetchResponse:
    """Partitions of one topic stand together where they follow each other: the order is the session's."""
    response = FetchResponse(error_code=answer.error_code, session_id=answer.session_id)
    last: str | bytes | None = None
    partitions: list[PartitionData] = []
    for (topic, _), data in answer.partitions:
        if topic != last:
            last, partitions = topic, []
            name, topic_id = (topic, ZERO_UUID) if isinstance(topic, str) else ("", topic)
            response.responses.append(FetchableTopicResponse(name, topic_id, partitions))
        partitions.append(data)
        if ctx.version >= FIRST_VERSION_WITH_ENDPOINTS and data.error_code in LEADER_CHANGED:
            _name_leader(response, data, topic, ctx, with_endpoint=not from_replica)
    return response


def _name_leader(
    response: FetchResponse, data: PartitionData, topic: str | bytes, ctx: Context, *, with_endpoint: bool
) -> None:
    """Saves the client a Metadata request (KIP-951); other brokers know where the leader is. There is one
    node, so it is the leader of everything.
    """
    cluster: Cluster = ctx.cluster
    known = cluster.topics.get(topic) if isinstance(topic, str) else cluster.topics_by_id.get(topic)
    if known is None:
        return
    partition = known.partitions[data.partition_index]
    data.current_leader = LeaderIdAndEpoch(partition.leader, partition.leader_epoch)
    if with_endpoint and not response.node_endpoints:
        identity = cluster.identity
        response.node_endpoints.append(NodeEndpoint(identity.node_id, ctx.host, ctx.port, identity.rack))
