"""Fetch: reads record batches from partition logs, with long polling and fetch sessions.

v4    isolation_level, last_stable_offset, aborted_transactions (KIP-98)
v5    log_start_offset
v7    fetch sessions (KIP-227)
v9    current_leader_epoch (KIP-320)
v12   last_fetched_epoch and diverging_epoch (KIP-595)
v13   topics by id (KIP-516)
v15   replica_state in place of replica_id (KIP-903)
v16   current_leader and node_endpoints with 6 and 74 (KIP-951)
v17-18  fields that only brokers send

A request that finds less than min_bytes waits until there is enough, or until max_wait_ms has passed. A log
that receives records notifies the requests that wait for it, and each of them counts the bytes of that
partition again. After the wait, the partitions that have changed are read again. An error while reading ends
the wait. Partitions that were refused before reading (authorization, unknown topics) neither wait nor end a
wait [4.3.1].
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from tidemark.core.context import Context, Operation, ResourceType
from tidemark.handlers.data.partitions import check_leader_epoch, find_log, find_partition
from tidemark.handlers.data.turns import each
from tidemark.handlers.routes import log_api
from tidemark.log.fetch_sessions import NO_SESSION, Fetching, bytes_of
from tidemark.log.manager import LogManager
from tidemark.log.partition import PartitionLog
from tidemark.metadata.authorized import cluster_allowed
from tidemark.metadata.nodes import serves
from tidemark.turns import Turns
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
    from tidemark.metadata.model import Partition
    from tidemark.metadata.state import Cluster

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


@dataclass(slots=True)
class Source:
    """A partition to read: the requested offset and limits, and its log."""

    key: Key
    wanted: FetchPartition
    partition: Partition
    log: PartitionLog


@dataclass(slots=True)
class Sorted:
    """The partitions of one Fetch: those to read, and the responses for those that cannot be read.

    refused: found before reading. failed: found while reading, so that they end a wait.
    """

    sources: list[Source]
    failed: dict[Key, PartitionData]
    refused: dict[Key, PartitionData]


@dataclass(slots=True)
class Found:
    """The data read so far. urgent: it has an error or a diverging epoch, and is returned at once."""

    data: dict[Key, PartitionData]
    size: int = 0
    urgent: bool = False


class Room(Protocol):
    """The memory that the broker has left for responses (`Unsent` in server/unsent.py)."""

    def room(self) -> int: ...
    def reserve(self, size: int) -> None: ...


@dataclass(slots=True)
class Terms:
    """The parts of a request that hold for all its partitions. reserved: bytes read so far."""

    committed: bool
    from_replica: bool
    bytes_max: int
    bytes_min: int
    until_ms: int
    room: Room
    reserved: int = 0

    def read(self, size: int) -> None:
        """Reserve memory for bytes that were read."""
        self.reserved += size
        self.room.reserve(size)

    def end(self, log: PartitionLog) -> int:
        """The first offset that this reader may not see."""
        return log.last_stable_offset if self.committed else log.high_watermark


@log_api(FetchRequest, versions=range(4, 19))
async def fetch(logs: LogManager, ctx: Context, request: FetchRequest) -> FetchResponse:
    turns: Turns = ctx.turns
    fetching = await _begin(logs, ctx, request, turns)
    if request.isolation_level not in (READ_UNCOMMITTED, READ_COMMITTED):
        return await _all_refused(request, ctx.version, ErrorCode.UNKNOWN_SERVER_ERROR, turns)
    terms = _terms(request, ctx, logs.fetch_bytes_max)
    try:
        return await _fetch(logs, ctx, request, fetching, terms)
    finally:
        ctx.unsent.reserve(-terms.reserved)


async def _fetch(
    logs: LogManager, ctx: Context, request: FetchRequest, fetching: Fetching, terms: Terms
) -> FetchResponse:
    turns: Turns = ctx.turns
    requested = await _sort_out(logs, ctx, fetching, terms)
    found = await _read_all(requested.sources, terms, turns)
    waits = request.max_wait_ms > 0 and requested.sources and not requested.failed and not found.urgent
    if waits and found.size < terms.bytes_min:
        await _wait(logs, requested.sources, terms, turns)
        found = await _read_all(requested.sources, terms, turns, before=found)
    await _count_read(logs, requested.sources, found, turns)
    found.data.update(requested.failed)
    in_order = {key: found.data[key] async for key in each(fetching.wanted, turns) if key in found.data}
    in_order.update(requested.refused)
    if fetching.is_overtaken:
        return FetchResponse(error_code=ErrorCode.INVALID_FETCH_SESSION_EPOCH, session_id=request.session_id)
    response = FetchResponse(session_id=request.session_id if fetching.session else NO_SESSION)
    opened = logs.fetch_sessions.open(fetching, logs.clock.steady_ms(), ctx.new_id)
    if opened is not None:
        response.session_id = opened.session_id
    naming = Naming(response, ctx, with_endpoint=not terms.from_replica)
    async for key, data in each(in_order.items(), turns):
        if opened is not None:
            opened.add(key, fetching.wanted[key], data)
        if fetching.session is None or fetching.session.must_name(key, data):
            naming.add(key, data)
    return response


async def _begin(logs: LogManager, ctx: Context, request: FetchRequest, turns: Turns) -> Fetching:
    """Merge the request with its session. If a partition is named twice, its last entry counts."""
    by_topic_id = ctx.version >= FIRST_VERSION_WITH_TOPIC_IDS
    wanted: dict[Key, FetchPartition] = {}
    size = 0
    async for topic in each(request.topics, turns):
        name = topic.topic_id if by_topic_id else topic.topic
        size += len(topic.partitions) * bytes_of((name, 0))
        async for partition in each(topic.partitions, turns):
            wanted[name, partition.partition] = partition
    forgotten: list[Key] = []
    async for topic_left in each(request.forgotten_topics_data, turns):
        name = topic_left.topic_id if by_topic_id else topic_left.topic
        forgotten += [(name, index) async for index in each(topic_left.partitions, turns)]
    fetching = Fetching(wanted, by_topic_id=by_topic_id, bytes=size)
    return logs.fetch_sessions.begin(request, fetching, forgotten, ctx.steady_ms)


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
        room=ctx.unsent,
    )


async def _sort_out(logs: LogManager, ctx: Context, fetching: Fetching, terms: Terms) -> Sorted:
    """Find the log of each partition. Kafka lists unknown topic ids before other refusals."""
    cluster: Cluster = ctx.cluster
    turns: Turns = ctx.turns
    found = Sorted([], {}, {})
    if terms.from_replica and not cluster_allowed(ctx, Operation.CLUSTER_ACTION):
        async for key in each(fetching.wanted, turns):
            found.refused[key] = _refusal(key[1], ErrorCode.TOPIC_AUTHORIZATION_FAILED)
        return found
    unknown_ids: dict[Key, PartitionData] = {}
    async for key, partition_wanted in each(fetching.wanted.items(), turns):
        requested, index = key
        if isinstance(requested, str):
            name = requested
        elif requested in cluster.topics_by_id:
            name = fetching.names[requested] = cluster.topics_by_id[requested].name
        elif requested not in fetching.names:
            unknown_ids[key] = _refusal(index, ErrorCode.UNKNOWN_TOPIC_ID)
            continue
        elif fetching.names[requested] in cluster.topics:  # it was deleted and created again
            found.failed[key] = _failure(index, ErrorCode.INCONSISTENT_TOPIC_ID)
            continue
        else:
            found.refused[key] = _refusal(index, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
            continue
        if not (terms.from_replica or ctx.allowed(Operation.READ, ResourceType.TOPIC, name)):
            found.refused[key] = _refusal(index, ErrorCode.TOPIC_AUTHORIZATION_FAILED)
            continue
        try:
            partition = find_partition(cluster, name, index)
        except KafkaError as unknown:
            found.refused[key] = _refusal(index, unknown.code)
            continue
        try:
            log = find_log(logs, name, index)
        except KafkaError as absent:
            found.failed[key] = _failure(index, absent.code)
            continue
        found.sources.append(Source(key, partition_wanted, partition, log))
        logs.traffic.of(name).fetch_requests += 1
    found.refused = unknown_ids | found.refused
    return found


async def _read_all(
    sources: list[Source], terms: Terms, turns: Turns, *, before: Found | None = None
) -> Found:
    """Read each partition. before: an earlier result, whose data is kept for partitions without a change.

    The first batch of the first partition with records is returned whole, even above the limits. Otherwise a
    batch larger than the limits would stop its consumer forever (KIP-74).
    """
    found = Found({})
    left = terms.bytes_max
    async for source in each(sources, turns):
        if before is not None and _has_still_nothing(source, terms, before.data[source.key]):
            found.data[source.key] = before.data[source.key]
            continue
        try:
            bytes_max = min(source.wanted.partition_max_bytes, left, terms.room.room())
            data = await _read(source, terms, bytes_max, turns, whole_batch=not found.size)
            found.urgent = found.urgent or data.diverging_epoch is not None
        except KafkaError as failed:
            data = _failure(source.partition.index, failed.code)
            found.urgent = True
        size = len(data.records or b"")
        found.size += size
        terms.read(size)
        left = max(0, left - size)
        found.data[source.key] = data
    return found


def _has_still_nothing(source: Source, terms: Terms, data: PartitionData) -> bool:
    log = source.log
    return (
        not log.closed
        and source.wanted.fetch_offset >= terms.end(log)
        and data.log_start_offset == log.log_start_offset
        and data.high_watermark == log.high_watermark
        and data.last_stable_offset == log.last_stable_offset
    )


def _check_may_read(source: Source, terms: Terms) -> None:
    if source.log.closed:  # deleted while others were read
        raise KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
    if terms.from_replica:  # there are no followers
        raise KafkaError(ErrorCode.NOT_LEADER_OR_FOLLOWER)
    if source.wanted.current_leader_epoch >= 0:
        check_leader_epoch(source.partition, source.wanted.current_leader_epoch)


async def _read(
    source: Source, terms: Terms, bytes_max: int, turns: Turns, *, whole_batch: bool
) -> PartitionData:
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
    is_cut = not whole_batch and not _begins_with_whole_batch(records)
    if not is_cut:
        data.records = records
    if terms.committed:
        # Kafka lists no aborted transactions (null) with a first batch that the limit cuts, unless it is 0.
        is_unknown = is_cut and bytes_max
        data.aborted_transactions = None if is_unknown else await _aborted(source, len(records), turns)
    return data


async def _aborted(source: Source, size: int, turns: Turns) -> list[AbortedTransaction] | None:
    """Return the aborted transactions for a reader of so many bytes: each segment may have some."""
    log, offset = source.log, source.wanted.fetch_offset
    up_to = log.aborted_bound(offset, size)
    if up_to is None:
        return None
    aborted: list[AbortedTransaction] = []
    base: int | None = offset
    while base is not None:
        found, base = log.aborted_from(base, offset, up_to)
        aborted += [AbortedTransaction(each.producer_id, each.first_offset) for each in found]
        if base is not None:
            await turns.pause()
    return aborted


async def _count_read(logs: LogManager, sources: list[Source], found: Found, turns: Turns) -> None:
    async for source in each(sources, turns):
        data = found.data[source.key]
        if data.records:
            logs.traffic.of(source.log.topic).bytes_out += len(data.records)
        elif data.error_code == ErrorCode.UNKNOWN_SERVER_ERROR:  # other errors are the client's fault
            logs.traffic.of(source.log.topic).failed_fetch_requests += 1


def _diverging(log: PartitionLog, wanted: FetchPartition) -> EpochEndOffset | None:
    """Return where the client's history diverges from the log: it read past the end of its last epoch here.

    None: it does not diverge. Kafka: KIP-595.
    """
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


async def _wait(logs: LogManager, sources: list[Source], terms: Terms, turns: Turns) -> None:
    """Wait until the logs have enough for this reader, or its time is over."""
    waiting = Waiting(terms)
    timer = logs.clock.call_at(terms.until_ms, waiting.end)
    try:
        async for source in each(sources, turns):
            if waiting.ended.done():
                break
            waiting.watch(source)
        await waiting.ended
    finally:
        timer.cancel()
        waiting.stop()


class Waiting:
    """A Fetch that waits, with the number of bytes that it could read now.

    ended   done once there are min_bytes, an offset is no longer in its log, or a log is deleted
    """

    __slots__ = ("_available", "_listeners", "_terms", "ended")

    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        self._available = 0
        self._listeners: list[tuple[PartitionLog, Callable[[], None]]] = []
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def end(self) -> None:
        if not self.ended.done():
            self.ended.set_result(None)

    def watch(self, source: Source) -> None:
        """Count the bytes that this partition has for the reader, now and after each change of its log."""
        counted = 0

        def changed() -> None:
            nonlocal counted
            if self.ended.done():
                return
            available = _available(source, self._terms)
            if available is None:
                self.end()
                return
            self._available += available - counted
            counted = available
            if self._available >= self._terms.bytes_min:
                self.end()

        source.log.add_listener(changed)
        self._listeners.append((source.log, changed))
        changed()

    def stop(self) -> None:
        for log, listener in self._listeners:
            log.remove_listener(listener)
        self._listeners.clear()  # each refers to this object


def _available(source: Source, terms: Terms) -> int | None:
    """Return how many bytes this reader could read.

    None: it must not wait. Reading fails, because the offset is no longer in the log or the log is deleted,
    or the offset and the end are in different segments. Kafka: DelayedFetch.tryComplete.
    """
    log, wanted = source.log, source.wanted
    end = terms.end(log)
    if log.closed or not log.log_start_offset <= wanted.fetch_offset <= log.log_end_offset:
        return None
    if end == wanted.fetch_offset:
        return 0
    if log.segment_base(end) != log.segment_base(wanted.fetch_offset):
        return None
    if end < wanted.fetch_offset:  # the first offset of an open transaction, for read_committed
        return 0
    return min(log.available_bytes(wanted.fetch_offset, up_to=end), max(0, wanted.partition_max_bytes))


def _refusal(index: int, code: ErrorCode) -> PartitionData:
    return PartitionData(index, code, NO_OFFSET)


def _failure(index: int, code: ErrorCode) -> PartitionData:
    """Return an error from reading. Aborted transactions are null then, not an empty list [4.3.1]."""
    return PartitionData(index, code, NO_OFFSET, aborted_transactions=None)


async def _all_refused(request: FetchRequest, version: int, code: ErrorCode, turns: Turns) -> FetchResponse:
    """Refuse the whole request. Since v13, only the top level has the error code."""
    response = FetchResponse(error_code=code, session_id=request.session_id)
    if version < FIRST_VERSION_WITH_TOPIC_IDS:
        async for topic in each(request.topics, turns):
            partitions = [_refusal(one.partition, code) async for one in each(topic.partitions, turns)]
            response.responses.append(FetchableTopicResponse(topic.topic, partitions=partitions))
    return response


class Naming:
    """Adds partitions to a response in the order of the session, consecutive ones of a topic together."""

    __slots__ = ("_ctx", "_last", "_response", "_with_endpoint")

    def __init__(self, response: FetchResponse, ctx: Context, *, with_endpoint: bool) -> None:
        self._response = response
        self._ctx = ctx
        self._with_endpoint = with_endpoint
        self._last: str | bytes | None = None

    def add(self, key: Key, data: PartitionData) -> None:
        topic, _ = key
        topics = self._response.responses
        if topic != self._last:
            self._last = topic
            name, topic_id = (topic, ZERO_UUID) if isinstance(topic, str) else ("", topic)
            topics.append(FetchableTopicResponse(name, topic_id, []))
        topics[-1].partitions.append(data)
        if self._ctx.version >= FIRST_VERSION_WITH_ENDPOINTS and data.error_code in LEADER_CHANGED:
            self._add_leader(topic, data)

    def _add_leader(self, topic: str | bytes, data: PartitionData) -> None:
        """Name the partition's leader, which saves the client a Metadata request (KIP-951)."""
        cluster: Cluster = self._ctx.cluster
        known = cluster.topics.get(topic) if isinstance(topic, str) else cluster.topics_by_id.get(topic)
        if known is None:
            return
        partition = known.partitions[data.partition_index]
        data.current_leader = LeaderIdAndEpoch(partition.leader, partition.leader_epoch)
        if self._with_endpoint and not self._response.node_endpoints:
            leader = serves(cluster, self._ctx, partition)
            self._response.node_endpoints.append(NodeEndpoint(*leader))
