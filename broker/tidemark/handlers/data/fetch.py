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
from tidemark.handlers.data.partitions import ANY_EPOCH, check_leader, find_log
from tidemark.handlers.routes import log_api
from tidemark.log.fetch_sessions import INITIAL_EPOCH, NO_SESSION, Fetching, bytes_of
from tidemark.log.manager import LogManager, Traffic
from tidemark.log.partition import PartitionLog
from tidemark.metadata.authorized import cluster_allowed
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
FIRST_VERSION_WITH_RACKS: Final = 11
FIRST_VERSION_WITH_REPLICA_STATE: Final = 15
FIRST_VERSION_WITH_ENDPOINTS: Final = 16
LEADER_CHANGED: Final = (ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.FENCED_LEADER_EPOCH)

Key = tuple[str | bytes, int]


@dataclass(slots=True)
class Source:
    """A partition to read: the requested offset and limits, its log, and the data that was read last.

    leader_epoch   of the partition when the request came. Another one ends a wait
    """

    wanted: FetchPartition
    partition: Partition
    leader_epoch: int
    log: PartitionLog
    traffic: Traffic
    data: PartitionData | None = None


class Room(Protocol):
    """The memory that the broker has left for responses (`Unsent` in server/unsent.py)."""

    def room(self) -> int: ...
    def reserve(self, size: int) -> None: ...


@dataclass(slots=True)
class Terms:
    """The parts of a request that hold for all its partitions.

    reads_followers   the client may read from a replica that does not lead (KIP-392)
    rack              of the client, if the broker names replicas in its rack
    size       bytes of the records that were read last
    reserved   bytes of all records that were read, for which memory is reserved
    urgent     a partition has an error, a diverging epoch or a preferred read replica, so that the response
               must not wait
    """

    ctx: Context
    committed: bool
    from_replica: bool
    reads_followers: bool
    rack: str
    bytes_max: int
    bytes_min: int
    until_ms: int
    room: Room
    size: int = 0
    reserved: int = 0
    urgent: bool = False


@log_api(FetchRequest, versions=range(4, 19))
async def fetch(logs: LogManager, ctx: Context, request: FetchRequest) -> FetchResponse:
    turns: Turns = ctx.turns
    version = ctx.version
    by_topic_id = version >= FIRST_VERSION_WITH_TOPIC_IDS
    # If a partition is named twice, its last entry counts.
    wanted: dict[Key, FetchPartition] = {}
    session_bytes = 0
    for number, topic in enumerate(request.topics):
        if number and turns.spend():
            await turns.rest()
        name = topic.topic_id if by_topic_id else topic.topic
        if request.session_epoch == INITIAL_EPOCH:
            session_bytes += len(topic.partitions) * bytes_of((name, 0))
        for at, partition in enumerate(topic.partitions):
            if at and turns.spend():
                await turns.rest()
            wanted[name, partition.partition] = partition
    forgotten: list[Key] = []
    for number, topic_left in enumerate(request.forgotten_topics_data):
        if number and turns.spend():
            await turns.rest()
        name = topic_left.topic_id if by_topic_id else topic_left.topic
        for at, index in enumerate(topic_left.partitions):
            if at and turns.spend():
                await turns.rest()
            forgotten.append((name, index))
    sessions = logs.fetch_sessions[ctx.caller.node_id]
    named = Fetching(wanted, by_topic_id=by_topic_id, bytes=session_bytes)
    try:
        fetching = sessions.begin(request, named, forgotten, ctx.steady_ms)
    except KafkaError as failed:  # of the session, not of its partitions
        return FetchResponse(error_code=failed.code)
    if request.isolation_level not in (READ_UNCOMMITTED, READ_COMMITTED):
        raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)

    replica_id = request.replica_id
    if version >= FIRST_VERSION_WITH_REPLICA_STATE and request.replica_state is not None:
        replica_id = request.replica_state.replica_id
    bytes_max = min(request.max_bytes, logs.fetch_bytes_max)
    terms = Terms(
        ctx,
        committed=request.isolation_level == READ_COMMITTED,
        from_replica=replica_id >= FIRST_REPLICA_ID,
        reads_followers=version >= FIRST_VERSION_WITH_RACKS,
        rack=request.rack_id if ctx.cluster.settings.replica_selector_class else "",
        bytes_max=bytes_max,
        bytes_min=min(request.min_bytes, bytes_max),
        until_ms=ctx.steady_ms + request.max_wait_ms,
        room=ctx.unsent,
    )
    # A partition to read, or the response for one whose log is not here.
    found: dict[Key, Source | PartitionData] = {}
    refused: dict[Key, PartitionData] = {}
    await _find_logs(logs, ctx, fetching, terms, found, refused)
    sources = [source for source in found.values() if isinstance(source, Source)]
    try:
        await _read_all(sources, terms, turns)
        may_wait = request.max_wait_ms > 0 and sources and len(sources) == len(found) and not terms.urgent
        if may_wait and terms.size < terms.bytes_min:
            await _wait(logs, sources, terms, turns)
            await _read_all(sources, terms, turns)

        for number, source in enumerate(sources):
            if number and turns.spend():
                await turns.rest()
            assert source.data is not None
            if source.data.records:
                source.traffic.bytes_out += len(source.data.records)
            elif source.data.error_code == ErrorCode.UNKNOWN_SERVER_ERROR:  # others are the client's fault
                source.traffic.failed_fetch_requests += 1

        session = fetching.session
        if session is not None and session.epoch != fetching.epoch:  # another request has continued it
            return FetchResponse(
                error_code=ErrorCode.INVALID_FETCH_SESSION_EPOCH, session_id=request.session_id
            )
        response = FetchResponse(session_id=NO_SESSION if session is None else request.session_id)
        opened = None
        if fetching.opens:
            opened = sessions.open(fetching, logs.clock.steady_ms(), ctx.new_id)
            if opened is not None:
                response.session_id = opened.session_id
        in_order: dict[Key, Source | PartitionData] = {**found, **refused} if refused else found
        last: str | bytes | None = None  # consecutive partitions of a topic share its entry
        for number, (key, item) in enumerate(in_order.items()):
            if number and turns.spend():
                await turns.rest()
            data = item.data if isinstance(item, Source) else item
            assert data is not None
            if opened is not None:
                opened.add(key, fetching.wanted[key], data)
            if session is not None and not session.must_name(key, data):
                continue
            name = key[0]
            if name != last:
                last = name
                topic_name, topic_id = (name, ZERO_UUID) if isinstance(name, str) else ("", name)
                entry = FetchableTopicResponse(topic_name, topic_id, [])
                response.responses.append(entry)
            entry.partitions.append(data)
            if version >= FIRST_VERSION_WITH_ENDPOINTS and data.error_code in LEADER_CHANGED:
                _add_leader(ctx, response, name, data, with_endpoint=not terms.from_replica)
        return response
    finally:
        terms.room.reserve(-terms.reserved)


async def _find_logs(
    logs: LogManager,
    ctx: Context,
    fetching: Fetching,
    terms: Terms,
    found: dict[Key, Source | PartitionData],
    refused: dict[Key, PartitionData],
) -> None:
    """Find the log of each partition. Kafka lists unknown topic ids before other refusals.

    An error in found ends a wait, because it counts as an error of reading. One in refused does not.
    """
    cluster: Cluster = ctx.cluster
    turns: Turns = ctx.turns
    all_refused = terms.from_replica and not cluster_allowed(ctx, Operation.CLUSTER_ACTION)
    others: dict[Key, PartitionData] = {}
    for number, (key, wanted) in enumerate(fetching.wanted.items()):
        if number and turns.spend():
            await turns.rest()
        requested, index = key
        if all_refused:
            refused[key] = _refusal(index, ErrorCode.TOPIC_AUTHORIZATION_FAILED)
            continue
        if isinstance(requested, str):
            name, topic = requested, cluster.topics.get(requested)
        elif (topic := cluster.topics_by_id.get(requested)) is not None:
            name = fetching.names[requested] = topic.name
        elif requested not in fetching.names:
            refused[key] = _refusal(index, ErrorCode.UNKNOWN_TOPIC_ID)
            continue
        elif fetching.names[requested] in cluster.topics:  # it was deleted and created again
            found[key] = _failure(index, ErrorCode.INCONSISTENT_TOPIC_ID)
            continue
        else:
            others[key] = _refusal(index, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
            continue
        if not (terms.from_replica or ctx.allowed(Operation.READ, ResourceType.TOPIC, name)):
            others[key] = _refusal(index, ErrorCode.TOPIC_AUTHORIZATION_FAILED)
        elif topic is None or not 0 <= index < len(topic.partitions):
            others[key] = _refusal(index, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
        else:
            try:
                log = find_log(logs, name, index)
            except KafkaError as absent:
                found[key] = _failure(index, absent.code)
                continue
            traffic = logs.traffic.of(name)
            traffic.fetch_requests += 1
            partition = topic.partitions[index]
            found[key] = Source(wanted, partition, partition.leader_epoch, log, traffic)
    if others:
        refused |= others


async def _read_all(sources: list[Source], terms: Terms, turns: Turns) -> None:
    """Read each partition. After a wait, partitions without a change keep their data.

    The first batch of the first partition with records is returned whole, even above the limits. Otherwise a
    batch larger than the limits would stop its consumer forever (KIP-74).
    """
    terms.size = 0
    left = terms.bytes_max
    for number, source in enumerate(sources):
        if number and turns.spend():
            await turns.rest()
        if source.data is not None and _has_still_nothing(source, terms, source.data):
            continue
        try:
            bytes_max = min(source.wanted.partition_max_bytes, left, terms.room.room())
            data = await _read(source, terms, bytes_max, turns)
            if data.diverging_epoch is not None:
                terms.urgent = True
        except KafkaError as failed:
            data = _failure(source.partition.index, failed.code)
            terms.urgent = True
        source.data = data
        size = len(data.records or b"")
        left = max(0, left - size)
        terms.size += size
        terms.reserved += size
        terms.room.reserve(size)


def _has_still_nothing(source: Source, terms: Terms, data: PartitionData) -> bool:
    log = source.log
    return (
        not log.closed
        and source.partition.leader_epoch == source.leader_epoch
        and source.wanted.fetch_offset >= (log.last_stable_offset if terms.committed else log.high_watermark)
        and data.log_start_offset == log.log_start_offset
        and data.high_watermark == log.high_watermark
        and data.last_stable_offset == log.last_stable_offset
    )


async def _read(source: Source, terms: Terms, bytes_max: int, turns: Turns) -> PartitionData:
    """Read one partition. Raises KafkaError."""
    log, wanted = source.log, source.wanted
    if log.closed:  # deleted while others were read
        raise KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
    if terms.from_replica:  # there are no followers
        raise KafkaError(ErrorCode.NOT_LEADER_OR_FOLLOWER)
    epoch, partition = wanted.current_leader_epoch, source.partition
    if epoch >= 0 or partition.leader != terms.ctx.caller.node_id:
        check_leader(terms.ctx, partition, max(epoch, ANY_EPOCH), follower=terms.reads_followers)
    stable = log.last_stable_offset
    end = stable if terms.committed else log.high_watermark
    offset = wanted.fetch_offset
    data = PartitionData(
        source.partition.index,
        ErrorCode.NONE,
        log.high_watermark,
        stable,
        log.log_start_offset,
        aborted_transactions=[] if terms.committed else None,
    )
    if terms.rack and partition.leader == terms.ctx.caller.node_id:
        near = terms.ctx.cluster.replica_in_rack(partition, terms.rack)
        if near is not None and log.log_start_offset <= offset <= log.log_end_offset:
            data.preferred_read_replica, data.aborted_transactions = near, None
            terms.urgent = True
            return data
    if wanted.last_fetched_epoch >= 0:
        data.diverging_epoch = _diverging(log, wanted)
        if data.diverging_epoch is not None:
            return data
    if not log.log_start_offset <= offset <= log.log_end_offset:
        raise KafkaError(ErrorCode.OFFSET_OUT_OF_RANGE)
    if offset >= end:
        return data
    if bytes_max < 0:  # an IllegalArgumentException in Kafka
        raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)
    whole_batch = not terms.size
    records = log.read(offset, bytes_max, up_to=end, at_least_one_batch=whole_batch)
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
        for number, source in enumerate(sources):
            if number and turns.spend():
                await turns.rest()
            if waiting.ended.done():
                break
            waiting.watch(source)
        await waiting.ended
        await turns.pause()  # many readers may have waited for the same records
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

    None: it must not wait. Reading fails, because the offset is no longer in the log, the log is deleted or
    its partition has another leader; or the offset and the end are in different segments. Kafka:
    DelayedFetch.tryComplete.
    """
    log, wanted = source.log, source.wanted
    end = log.last_stable_offset if terms.committed else log.high_watermark
    if log.closed or source.partition.leader_epoch != source.leader_epoch:
        return None
    if not log.log_start_offset <= wanted.fetch_offset <= log.log_end_offset:
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


def _add_leader(
    ctx: Context, response: FetchResponse, topic: str | bytes, data: PartitionData, *, with_endpoint: bool
) -> None:
    """Name the partition's leader, which saves the client a Metadata request (KIP-951)."""
    cluster: Cluster = ctx.cluster
    known = cluster.topics.get(topic) if isinstance(topic, str) else cluster.topics_by_id.get(topic)
    if known is None:
        return
    partition = known.partitions[data.partition_index]
    data.current_leader = LeaderIdAndEpoch(partition.leader, partition.leader_epoch)
    if with_endpoint and (leader := cluster.node(ctx, partition.leader)) is not None:
        endpoint = NodeEndpoint(*leader)
        if endpoint not in response.node_endpoints:  # there are as many as nodes
            response.node_endpoints.append(endpoint)
