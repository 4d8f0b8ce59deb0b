"""ShareFetch: a member of a share group acquires records and reads them (KIP-932).

v1    the first version that Kafka 4 serves
v2    share_acquire_mode, is_renew_ack (KIP-1206, KIP-1222)

The records change hands when they are read: from then on, they are locked for the member. A request that
finds less than min_bytes to acquire waits until there is enough, or until max_wait_ms has passed.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final

from tidemark.core.context import Context, Operation, ResourceType
from tidemark.handlers.data.partitions import check_leader, each, find_log
from tidemark.handlers.data.share_acknowledge import LEADER_CHANGED, Acknowledging, Key, check_member
from tidemark.handlers.routes import log_api
from tidemark.log.manager import LogManager, Traffic
from tidemark.settings.release import Change
from tidemark.share.partition import Acquired, SharePartition
from tidemark.share.sessions import FINAL_EPOCH, INITIAL_EPOCH, Fetched, ShareSession
from tidemark_protocol.batch import LOG_OVERHEAD_BYTES, BatchHeader, ControlType, control_type, headers
from tidemark_protocol.batch import records as read_records
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.share_fetch import (
    AcquiredRecords,
    LeaderIdAndEpoch,
    NodeEndpoint,
    PartitionData,
    ShareFetchableTopicResponse,
    ShareFetchRequest,
    ShareFetchResponse,
)

if TYPE_CHECKING:
    from tidemark.metadata.model import Topic
    from tidemark.metadata.state import Cluster
    from tidemark.share.open_partitions import OpenPartition, SharePartitions

RECORD_LIMIT: Final = 1  # the acquire mode in which max_records is strict
ACQUIRE_MODES: Final = (0, RECORD_LIMIT)
READ_COMMITTED: Final = "read_committed"
FIRST_VERSION_WITH_RENEWALS: Final = 2


@log_api(ShareFetchRequest, versions=range(1, 3))
async def share_fetch(logs: LogManager, ctx: Context, request: ShareFetchRequest) -> ShareFetchResponse:
    group_id, member_id = check_member(ctx, request.group_id, request.member_id)
    cluster: Cluster = ctx.cluster
    shares: SharePartitions = ctx.shares
    is_renewal = ctx.version >= FIRST_VERSION_WITH_RENEWALS and request.is_renew_ack
    if is_renewal and (request.max_bytes or request.min_bytes or request.max_records or request.max_wait_ms):
        raise KafkaError(ErrorCode.INVALID_REQUEST)
    until_ms = ctx.steady_ms + request.max_wait_ms
    try:
        session, wanted = await _session(ctx, request, (group_id, member_id))
    except KafkaError as refused:
        if refused.code == ErrorCode.SHARE_SESSION_LIMIT_REACHED:  # the client would ask again at once
            await _sleep(logs, until_ms)
        raise

    acknowledging = Acknowledging(ctx, group_id, member_id, is_renewal=request.is_renew_ack)
    if _has_acknowledgements(request):
        await acknowledging.begin(request.topics)
    fetching = Fetching(logs, ctx, request, group_id, member_id, until_ms)
    if not is_renewal:
        await fetching.find(session, wanted)
        await fetching.run()
    try:
        refused_by_key = await acknowledging.end()
        response = ShareFetchResponse(
            acquisition_lock_timeout_ms=cluster.configs.share_group_settings(group_id).record_lock_duration_ms
        )
        is_first = request.share_session_epoch == INITIAL_EPOCH
        fails = not cluster.settings.release.has(Change.SHARE_GROUPS)
        topics: dict[bytes, ShareFetchableTopicResponse] = {}
        by_key: dict[Key, PartitionData] = {}
        async for key, data in each(fetching.found.items(), ctx.turns):
            if not is_first and not _must_name(session, key, data):
                continue
            if key[0] not in cluster.topics_by_id and fails:  # Kafka counts the bytes by topic [4.3.1]
                raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)
            by_key[key] = data
            _add(response, topics, key, data)
            if data.error_code in LEADER_CHANGED:
                _add_leader(ctx, response, key[0], data)
        async for key, error in each(refused_by_key.items(), ctx.turns):
            data = by_key.get(key) or _add(response, topics, key, PartitionData(key[1]))
            if error is not None:
                data.acknowledge_error_code, data.acknowledge_error_message = error.code, error.message
        if request.share_session_epoch == FINAL_EPOCH:
            shares.release(ctx.node_id, session)
        return response
    finally:
        ctx.unsent.reserve(-fetching.reserved)


async def _session(
    ctx: Context, request: ShareFetchRequest, member: tuple[str, str]
) -> tuple[ShareSession, Sequence[Key]]:
    """Open, continue or end the session. Returns it and the partitions to fetch. Raises KafkaError."""
    shares: SharePartitions = ctx.shares
    sessions = shares.sessions(ctx.node_id)
    epoch = request.share_session_epoch
    if epoch == FINAL_EPOCH:
        return sessions.next(member, epoch), ()
    if epoch == INITIAL_EPOCH:
        if _has_acknowledgements(request):
            raise KafkaError(ErrorCode.INVALID_REQUEST)
        if (old := sessions.get(member)) is not None:
            sessions.end(old)
        partitions: dict[Key, Fetched] = {}
        async for key, name in _named(ctx, request):
            if key in partitions:  # Kafka's collection refuses a second one
                raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)
            partitions[key] = Fetched(name, must_name=False)
        return sessions.open(member, partitions, ctx.caller.connection), tuple(partitions)
    session = sessions.next(member, epoch)
    async for key, name in _named(ctx, request):
        sessions.add(session, key, name)
    async for topic in each(request.forgotten_topics_data, ctx.turns):
        async for index in each(topic.partitions, ctx.turns):
            sessions.forget(session, (topic.topic_id, index))
    # A copy, because other requests may change the session between two turns of the loop.
    wanted = tuple(session.partitions)
    # Each request begins with another partition, so that none starves.
    begin = epoch % len(wanted) if wanted else 0
    return session, wanted[begin:] + wanted[:begin]


async def _named(ctx: Context, request: ShareFetchRequest) -> AsyncIterator[tuple[Key, str | None]]:
    """Yield the partitions that a request names, and the names of their topics."""
    async for topic in each(request.topics, ctx.turns):
        known: Topic | None = ctx.cluster.topics_by_id.get(topic.topic_id)
        name = None if known is None else known.name
        async for partition in each(topic.partitions, ctx.turns):
            yield (topic.topic_id, partition.partition_index), name


def _has_acknowledgements(request: ShareFetchRequest) -> bool:
    return any(
        partition.acknowledgement_batches for topic in request.topics for partition in topic.partitions
    )


def _must_name(session: ShareSession, key: Key, data: PartitionData) -> bool:
    """Return whether a later response of a session must name a partition."""
    fetched = session.partitions.get(key)
    if fetched is None:  # another request of this session has forgotten it
        return bool(data.records or data.error_code)
    must_name = fetched.must_name or bool(data.records) or data.error_code != ErrorCode.NONE
    fetched.must_name = data.error_code != ErrorCode.NONE
    if data.records:  # it comes last next time
        session.partitions[key] = session.partitions.pop(key)
    return must_name


def _add(
    response: ShareFetchResponse,
    topics: dict[bytes, ShareFetchableTopicResponse],
    key: Key,
    data: PartitionData,
) -> PartitionData:
    topic = topics.get(key[0])
    if topic is None:
        topic = topics[key[0]] = ShareFetchableTopicResponse(key[0], [])
        response.responses.append(topic)
    topic.partitions.append(data)
    return data


def _add_leader(ctx: Context, response: ShareFetchResponse, topic_id: bytes, data: PartitionData) -> None:
    """Name the partition's leader, which saves the client a Metadata request (KIP-951)."""
    cluster: Cluster = ctx.cluster
    topic = cluster.topics_by_id.get(topic_id)
    if topic is None:
        return
    partition = topic.partitions[data.partition_index]
    data.current_leader = LeaderIdAndEpoch(partition.leader, partition.leader_epoch)
    if (node := cluster.node(ctx, partition.leader)) is not None:
        endpoint = NodeEndpoint(*node)
        if endpoint not in response.node_endpoints:  # there are as many as nodes
            response.node_endpoints.append(endpoint)


async def _sleep(logs: LogManager, until_ms: int) -> None:
    ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    timer = logs.clock.call_at(until_ms, lambda: None if ended.done() else ended.set_result(None))
    try:
        await ended
    finally:
        timer.cancel()


@dataclass(slots=True)
class Fetching:
    """One request that acquires records.

    sources    the share partitions to acquire from, in order
    found      what each partition returns
    order      the partitions in the order in which they are read
    reserved   bytes of the records that were read, for which memory is reserved
    """

    logs: LogManager
    ctx: Context
    request: ShareFetchRequest
    group_id: str
    member_id: str
    until_ms: int
    sources: dict[Key, tuple[OpenPartition, Traffic]] = field(default_factory=dict)
    found: dict[Key, PartitionData] = field(default_factory=dict)
    order: tuple[list[Key], list[Key]] = ([], [])
    reserved: int = 0
    committed: bool = False

    async def find(self, session: ShareSession, wanted: Sequence[Key]) -> None:
        """Open the share partitions. Those that cannot be opened have an error."""
        ctx, request = self.ctx, self.request
        cluster: Cluster = ctx.cluster
        shares: SharePartitions = ctx.shares
        settings = cluster.configs.share_group_settings(self.group_id)
        self.committed = settings.isolation_level.lower() == READ_COMMITTED
        reads = request.max_records != 0 and request.max_bytes != 0
        async for key in each(wanted, ctx.turns):
            topic_id, index = key
            if (fetched := session.partitions.get(key)) is None:
                continue  # another request of this session has forgotten it
            name = fetched.topic
            topic = cluster.topics_by_id.get(topic_id)
            if name is None:
                self.found[key] = PartitionData(index, ErrorCode.UNKNOWN_TOPIC_ID)
            elif not ctx.allowed(Operation.READ, ResourceType.TOPIC, name):
                self.found[key] = PartitionData(index, ErrorCode.TOPIC_AUTHORIZATION_FAILED)
            elif topic is None or not 0 <= index < len(topic.partitions):
                self.found[key] = PartitionData(index, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
            elif request.share_acquire_mode not in ACQUIRE_MODES:
                raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)
            elif reads:
                traffic = self.logs.traffic.of(name)
                try:
                    partition = topic.partitions[index]
                    check_leader(ctx, partition)
                    log = find_log(self.logs, name, index)
                    opened = shares.open((self.group_id, *key), name, partition, log)
                except KafkaError as refused:
                    self.found[key] = PartitionData(index, refused.code)
                    continue
                self.sources[key] = opened, traffic

    async def run(self) -> None:
        """Acquire what there is, after a wait if that is too little."""
        if not self.sources:
            return
        changed = asyncio.Event()
        end = self.until_ms
        timer = self.logs.clock.call_at(end, changed.set)
        watched: list[OpenPartition] = []
        try:
            async for opened, _ in each(tuple(self.sources.values()), self.ctx.turns):
                opened.changed.add(changed.set)
                opened.log.add_listener(changed.set)
                watched.append(opened)
            while True:
                changed.clear()
                # A state that is being read takes a moment, for which a request without a wait stays, too.
                is_opening = await self._drop_failed()
                if not self.sources or await self._has_enough():
                    break
                if self.logs.clock.steady_ms() >= end and not is_opening:
                    break
                await changed.wait()
                await self.ctx.turns.pause()  # many readers may have waited for the same records
        finally:
            timer.cancel()
            self._unwatch(watched, changed.set)
        await self._acquire()

    def _unwatch(self, watched: list[OpenPartition], listener: Callable[[], None]) -> None:
        """Remove the listener of these partitions, of most of a large session in later turns."""
        turns = self.ctx.turns
        while watched:
            opened = watched.pop()
            opened.changed.discard(listener)
            opened.log.remove_listener(listener)
            if watched and turns.spend():
                turns.later(partial(self._unwatch, watched, listener))
                return

    async def _drop_failed(self) -> bool:
        """Give the partitions whose state could not be read their errors.

        Returns whether the state of a partition is still being read.
        """
        is_opening = False
        async for key, (opened, _) in each(tuple(self.sources.items()), self.ctx.turns):
            if opened.failed is not None:
                self.found[key] = PartitionData(key[1], opened.failed.code)
                del self.sources[key]
            is_opening |= opened.is_opening
        return is_opening

    def _end(self, opened: OpenPartition) -> int:
        return opened.log.last_stable_offset if self.committed else opened.log.high_watermark

    async def _has_enough(self) -> bool:
        """Return whether there are min_bytes to acquire, or the response cannot wait.

        Kafka reads partitions here whose position it does not know yet, and the other ones later, which then
        come first. Kafka: DelayedShareFetch.
        """
        ready = await self._ready()
        if not ready:
            return False
        bytes_max, available, must_respond = self._bytes_max, 0, self._bytes_max < 0
        known: list[Key] = []
        new: list[Key] = []
        async for key, opened, share in each(ready, self.ctx.turns):
            log, end, offset = opened.log, self._end(opened), share.next_fetch_offset()
            (known if opened.read_at == offset else new).append(key)
            if log.closed or not log.log_start_offset <= offset <= log.log_end_offset or offset > end:
                must_respond = True
                continue
            opened.read_at = offset
            if offset < end:
                if log.segment_base(end) != log.segment_base(offset):
                    must_respond = True
                else:
                    available += min(log.available_bytes(offset, up_to=end), bytes_max // len(ready))
        if must_respond or available >= min(self.request.min_bytes, bytes_max):
            self.order = known, new
            return True
        return False

    @property
    def _bytes_max(self) -> int:
        return min(self.request.max_bytes, self.logs.fetch_bytes_max)

    async def _ready(self) -> list[tuple[Key, OpenPartition, SharePartition]]:
        """Return the share partitions that have records to acquire, or room for more."""
        return [
            (key, opened, share)
            async for key, (opened, _) in each(tuple(self.sources.items()), self.ctx.turns)
            if (share := opened.active) is not None and share.can_acquire()
        ]

    async def _acquire(self) -> None:
        """Read the partitions and acquire what was read."""
        known, new = self.order
        if not known and not new:
            new = [key for key, _, _ in await self._ready()]
        bytes_max, count = self._bytes_max, len(known) + len(new)
        if bytes_max < 0:  # an IllegalArgumentException in Kafka
            self.found |= {key: PartitionData(key[1], ErrorCode.UNKNOWN_SERVER_ERROR) for key in known + new}
            return
        per_partition, rest = divmod(bytes_max, count) if count else (0, 0)
        left, records_left, has_read = bytes_max, self.request.max_records, False
        async for key in each(known + new, self.ctx.turns):
            if new and key == new[0]:
                left, has_read = bytes_max, False
            opened, traffic = self.sources[key]
            share = opened.active
            if share is None:  # closed while others were read
                continue
            data = self.found[key] = PartitionData(key[1])
            limit = min(per_partition + rest, left, self.ctx.unsent.room())
            rest = 0
            log, end, offset = opened.log, self._end(opened), share.next_fetch_offset()
            traffic.fetch_requests += 1
            try:
                if log.closed:
                    raise KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
                # Nothing past these offsets can be acquired. Kafka reads up to max_bytes all the same, which
                # is 50 MB for 500 records with the client's defaults.
                needed = min(end, max(offset, share.end_offset) + records_left + 1)
                records = log.read(offset, limit, up_to=needed, at_least_one_batch=not has_read)
                aborted = self._aborted(opened, offset, records) if self.committed and records else []
            except KafkaError as failed:
                if failed.code == ErrorCode.OFFSET_OUT_OF_RANGE:
                    share.move_log_start(log.log_start_offset)
                else:
                    data.error_code = failed.code
                continue
            has_read = has_read or bool(records)
            found = [(position, header) for position, header in headers(records)]
            acquired = share.acquire(
                self.member_id,
                [(header.base_offset, header.base_offset + header.last_offset_delta) for _, header in found],
                offset,
                records_max=records_left,
                batch_size=self.request.batch_size,
                strict=self.request.share_acquire_mode == RECORD_LIMIT,
                now_ms=self.logs.clock.steady_ms(),
            )
            if acquired and aborted:
                acquired = share.archive_aborted(_aborted_batches(found, records, aborted), acquired)
            self.ctx.shares.arm(opened)
            if not acquired:
                continue
            records_left -= sum(one.last - one.first + 1 for one in acquired)
            data.records = _part(records, found, acquired)
            data.acquired_records = [AcquiredRecords(*one) for one in acquired]
            size = len(data.records)
            left = max(0, left - size)
            self.reserved += size
            self.ctx.unsent.reserve(size)
            traffic.bytes_out += size

    def _aborted(self, opened: OpenPartition, offset: int, records: bytes) -> list[tuple[int, int]]:
        """Return (first offset, producer id) of the aborted transactions for these records, in order."""
        log = opened.log
        up_to = log.aborted_bound(offset, len(records))
        found: list[tuple[int, int]] = []
        base: int | None = offset if up_to is not None else None
        while base is not None and up_to is not None:
            some, base = log.aborted_from(base, offset, up_to)
            found += [(one.first_offset, one.producer_id) for one in some]
        return sorted(found)


def _aborted_batches(
    found: list[tuple[int, BatchHeader]], records: bytes, aborted: list[tuple[int, int]]
) -> list[tuple[int, int]]:
    """Return first and last offset of each record batch of an aborted transaction."""
    open_ids: set[int] = set()
    result: list[tuple[int, int]] = []
    at = 0
    for position, header in found:
        if header.producer_id < 0:
            continue
        last = header.base_offset + header.last_offset_delta
        while at < len(aborted) and aborted[at][0] <= last:
            open_ids.add(aborted[at][1])
            at += 1
        if header.is_control:
            marker = next(iter(read_records(records, position, header)), None)
            if marker is not None and control_type(marker.key) == ControlType.ABORT:
                open_ids.discard(header.producer_id)
        elif header.is_transactional and header.producer_id in open_ids:
            result.append((header.base_offset, last))
    return result


def _part(records: bytes, found: list[tuple[int, BatchHeader]], acquired: list[Acquired]) -> bytes:
    """Return the record batches from the first acquired offset to the last one."""
    if len(found) == 1:
        return records
    first, last = acquired[0].first, acquired[-1].last
    begin, end = 0, len(records)
    for position, header in found:
        if header.base_offset <= first:
            begin = position
        if header.base_offset <= last:
            end = position + LOG_OVERHEAD_BYTES + header.length
    return records[begin:end]
