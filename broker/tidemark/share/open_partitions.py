"""The share partitions that are in use, and the sessions of their members (KIP-932).

A share partition is opened by the first ShareFetch of its group: its state is read from the share
coordinator. It is closed when the last session of the group ends with its connection, when another broker
leads the partition, when the topic is deleted, or when the share coordinator refuses what a member has done
because someone else has written. If it refuses that a lock has ended, the partition stays open. Kafka:
SharePartitionManager and SharePartitionCache of 4.3.1.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from tidemark.clock import Clock, Timer
from tidemark.core.decision import Steps, at_once
from tidemark.log.partition import PartitionLog
from tidemark.settings.resources import reset_duration_ms
from tidemark.share.partition import (
    WRITTEN,
    Acknowledgement,
    Letters,
    Limits,
    Run,
    SharePartition,
    Write,
)
from tidemark.share.sessions import ShareSession, ShareSessions
from tidemark.turns import Turns, do_steps
from tidemark.workers import Workers
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.share_batches import NO_OFFSET, StateBatch

if TYPE_CHECKING:
    from tidemark.metadata.configs import ShareGroupSettings
    from tidemark.metadata.model import Partition
    from tidemark.metadata.state import Cluster
    from tidemark.share_coordinator.state import ShareState

CLOSED_MAX: Final = 1_000  # closed partitions of which it is remembered how their records ended
READS_MAX: Final = 100  # states that are read at the same time. When they are durable, all go on at once
RUNS_PER_STEP: Final = 400  # whose locks end at once: about a millisecond
LETTERS_PER_STEP: Final = 200  # ranges of records whose dead letters are written before they are archived
# Another attempt may succeed with these: the queue has no leader now, or it is being created.
RETRIED: Final = (
    ErrorCode.NOT_LEADER_OR_FOLLOWER,
    ErrorCode.TOPIC_ALREADY_EXISTS,
    ErrorCode.THROTTLING_QUOTA_EXCEEDED,
)
ATTEMPTS_MAX: Final = 5
FIRST_DELAY_MS: Final = 1000  # doubled with each attempt
NOT_COORDINATOR: Final = (
    ErrorCode.NOT_COORDINATOR,
    ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
)
FENCED: Final = (ErrorCode.FENCED_LEADER_EPOCH, ErrorCode.FENCED_STATE_EPOCH)
KEPT: Final = (ErrorCode.GROUP_ID_NOT_FOUND, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
# After these, the state is read again: it may have changed.
CLOSES: Final = (*KEPT, ErrorCode.NOT_LEADER_OR_FOLLOWER)

T = TypeVar("T")
Key = tuple[str, bytes, int]  # group id, topic id, partition


class Persister(Protocol):
    """Stores the states of share partitions. Calls take effect in their order. Raise KafkaError."""

    async def read(self, group_id: str, topic_id: bytes, partition: int, leader_epoch: int) -> ShareState: ...
    async def write(
        self,
        group_id: str,
        topic_id: bytes,
        partition: int,
        state_epoch: int,
        leader_epoch: int,
        start_offset: int,
        delivery_complete_count: int,
        batches: Sequence[StateBatch],
    ) -> None: ...
    def stored(self, group_id: str, topic_id: bytes, partition: int) -> ShareState | None:
        """Return the state as it is now. None: there is none. Raises nothing."""


class LetterWriter(Protocol):
    """Writes dead letters (KIP-1191)."""

    async def write(self, opened: OpenPartition, letters: Sequence[Letters]) -> list[KafkaError | None]:
        """Write dead letters, in the order of their offsets. Returns for each why it was not written.

        Ends early with an error of RETRIED, which is then the last one.
        """


@dataclass(slots=True, eq=False)
class OpenPartition:
    """A share partition in use.

    share     its records in flight. None until the state was read
    failed    why the state could not be read. The partition is closed then
    read_at   the offset from which a fetch has read last
    leader, leader_epoch  of the partition when it was opened
    changed   called when records may have become available, or the partition is closed
    timer     of the next lock that ends
    letters        dead letters to write. There are no more than runs in flight
    is_writing     they are being written, or will be after a delay
    attempts       failed attempts to write the first of them
    letters_timer  ends the delay
    """

    key: Key
    topic: str
    partition: Partition
    leader: int
    leader_epoch: int
    log: PartitionLog
    settings: ShareGroupSettings
    share: SharePartition | None = None
    failed: KafkaError | None = None
    is_closed: bool = False
    read_at: int | None = None
    changed: set[Callable[[], None]] = field(default_factory=set)
    timer: Timer | None = None
    timer_at_ms: int = 0
    letters: deque[Letters] = field(default_factory=deque)
    is_writing: bool = False
    attempts: int = 0
    letters_timer: Timer | None = None

    @property
    def is_opening(self) -> bool:
        return self.share is None and not self.is_closed

    @property
    def active(self) -> SharePartition | None:
        return None if self.is_closed else self.share

    def wake(self) -> None:
        for each in tuple(self.changed):
            each()


class SharePartitions:
    """share_sessions: by node id. A session belongs to the broker of its connection.

    dead_letters()  returns what writes dead letters, once a group has one
    """

    def __init__(
        self,
        cluster: Cluster,
        clock: Clock,
        turns: Turns,
        workers: Workers,
        persister: Persister,
        dead_letters: Callable[[], LetterWriter],
    ) -> None:
        self._cluster = cluster
        self._clock = clock
        self._turns = turns
        self._workers = workers
        self._persister = persister
        self._dead_letters = dead_letters
        self._open: dict[Key, OpenPartition] = {}
        self._closed: OrderedDict[Key, tuple[int, list[Run]]] = OrderedDict()
        self._sessions: dict[int, ShareSessions] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._unread: deque[OpenPartition] = deque()  # their states wait to be read
        self._reading = 0
        self.evictions = 0  # sessions that ended with their connections

    def sessions(self, node_id: int) -> ShareSessions:
        found = self._sessions.get(node_id)
        if found is None:
            sessions_max = self._cluster.settings.group_share_max_share_sessions
            found = self._sessions[node_id] = ShareSessions(sessions_max)
        return found

    def all_sessions(self) -> Iterator[ShareSessions]:
        """Return the sessions of each broker."""
        return iter(self._sessions.values())

    def __iter__(self) -> Iterator[OpenPartition]:
        return iter(self._open.values())

    def get(self, key: Key) -> OpenPartition | None:
        """Return an open partition, unless it must be opened anew."""
        found = self._open.get(key)
        if found is None:
            return None
        if found.log.closed or found.partition.leader != found.leader:
            self.close(found)
            return None
        self._renew_limits(found)
        return found

    def _renew_limits(self, opened: OpenPartition) -> None:
        """Apply the settings of the group as they are now."""
        settings, share = self._cluster.configs.share_group_settings(opened.key[0]), opened.share
        if settings is not opened.settings:
            opened.settings = settings
            if share is not None:
                share.limits = self._limits(settings)
        elif share is not None and settings.dead_letter_topic:
            share.limits.letters_topic = self._letters_topic(settings)

    def _limits(self, settings: ShareGroupSettings) -> Limits:
        return Limits(
            settings.record_lock_duration_ms,
            settings.delivery_count_limit,
            settings.partition_max_record_locks,
            settings.renew_acknowledge_enable,
            self._letters_topic(settings),
        )

    def _letters_topic(self, settings: ShareGroupSettings) -> str:
        return settings.dead_letter_topic if self._cluster.serves_dead_letters else ""

    def open(self, key: Key, topic: str, partition: Partition, log: PartitionLog) -> OpenPartition:
        """Return a partition, whose state is being read if this is its first use."""
        found = self.get(key)
        if found is None:
            settings = self._cluster.configs.share_group_settings(key[0])
            leader, epoch = partition.leader, partition.leader_epoch
            found = OpenPartition(key, topic, partition, leader, epoch, log, settings)
            self._open[key] = found
            self._unread.append(found)
            if self._reading < READS_MAX:
                self._reading += 1
                self._start(self._read_some())
        return found

    async def _read_some(self) -> None:
        """Read the states of partitions, one after the other, until none waits."""
        try:
            while self._unread:
                opened = self._unread.popleft()
                if not opened.is_closed:
                    await self._read(opened)
        finally:
            self._reading -= 1

    async def _read(self, opened: OpenPartition) -> None:
        try:
            opened.share = await self._loaded(opened)
        except KafkaError as refused:
            opened.failed = KafkaError(refused.code, refused.message)  # without its traceback
        except ValueError:
            opened.failed = KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)
        if opened.failed is None:
            opened.wake()
            if opened.share is not None:
                self._write_letters(opened, opened.share.letters())
        else:
            self.close(opened)

    async def _loaded(self, opened: OpenPartition) -> SharePartition:
        """Return what is stored of a partition. Raises KafkaError, and ValueError if that makes no sense."""
        group_id, topic_id, index = opened.key
        try:
            state = await self._persister.read(group_id, topic_id, index, opened.leader_epoch)
        except KafkaError as refused:
            raise _for_client(refused, "read") from None
        start = state.start_offset
        if start == NO_OFFSET:
            start = await self._reset(opened)
        await self._turns.pause()
        steps = self._of_state(opened.key, self._limits(opened.settings), start, state)
        return await do_steps(steps, self._turns, self._workers)

    def _of_state(self, key: Key, limits: Limits, start: int, state: ShareState) -> Steps[SharePartition]:
        """Return the share partition of a stored state. Raises ValueError if that contradicts itself."""
        share = SharePartition(limits, start, state.state_epoch)
        yield from share.restore(state.batches)
        state_epoch, ended = self._closed.get(key, (0, ()))
        if state_epoch == state.state_epoch:  # otherwise, the offsets were altered, or the group was deleted
            share.recall(ended)
        return share

    def view(self, key: Key) -> SharePartition | None:
        """Return a share partition to look at, which may be closed. None: it has no offsets yet."""
        opened = self.get(key)
        if opened is not None and opened.share is not None:
            return opened.share
        state = self._persister.stored(*key)
        if state is None or state.start_offset == NO_OFFSET:
            return None
        limits = self._limits(self._cluster.configs.share_group_settings(key[0]))
        try:
            return at_once(self._of_state(key, limits, state.start_offset, state))
        except ValueError:
            return None

    async def _reset(self, opened: OpenPartition) -> int:
        """Return where a group begins that has no state yet: share.auto.offset.reset."""
        strategy, log = opened.settings.auto_offset_reset.lower(), opened.log
        if strategy == "latest":
            return log.high_watermark
        if strategy == "earliest":
            return log.log_start_offset
        since_ms = self._clock.wall_ms() - reset_duration_ms(strategy)
        steps = log.offset_for_timestamp(since_ms, up_to=log.high_watermark)
        found = await do_steps(steps, self._turns, self._workers)
        if found is None:
            raise KafkaError(ErrorCode.OFFSET_NOT_AVAILABLE)
        return found.offset

    # Acknowledgements and locks.

    def acknowledge(
        self, opened: OpenPartition, member_id: str, acknowledgements: Sequence[Acknowledgement]
    ) -> asyncio.Future[KafkaError | None]:
        """Acknowledge, and return what refuses it once the outcome is stored.

        Raises KafkaError if the member may not acknowledge these records.
        """
        share = opened.active
        if share is None:
            raise KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
        write = share.acknowledge(member_id, acknowledgements, self._clock.steady_ms())
        self.arm(opened)
        return self._start(self._write(opened, share, write))

    def release(self, node_id: int, session: ShareSession) -> None:
        """End a session, and release what its member has acquired."""
        self.sessions(node_id).end(session)
        self._start(self._release(node_id, session))

    async def _release(self, node_id: int, session: ShareSession) -> None:
        """Release what the broker leads, a few partitions in each turn of the loop."""
        group_id, member_id = session.member
        for topic_id, index in tuple(session.partitions):
            if self._turns.spend():  # first: many sessions may end at once
                await self._turns.rest()
            opened = self.get((group_id, topic_id, index))
            if opened is not None and opened.share is not None and opened.partition.leader == node_id:
                write = opened.share.release(member_id)
                if write is not None:
                    self._start(self._write(opened, opened.share, write))

    async def _write(
        self, opened: OpenPartition, share: SharePartition, write: Write | None
    ) -> KafkaError | None:
        if write is None:
            return None
        refused = await self._store(opened, share, write.state_batches)
        share.complete(write, written=refused is None, now_ms=self._clock.steady_ms())
        if refused is not None and refused.code in CLOSES:
            self.close(opened)
        opened.wake()
        if refused is None:
            self._write_letters(opened, share.letters(write.state_batches))
        return refused

    async def _store(
        self, opened: OpenPartition, share: SharePartition, batches: Sequence[StateBatch]
    ) -> KafkaError | None:
        group_id, topic_id, index = opened.key
        try:
            await self._persister.write(
                group_id,
                topic_id,
                index,
                share.state_epoch,
                opened.leader_epoch,
                share.start_offset,
                share.complete_count,
                batches,
            )
        except KafkaError as failed:
            return _for_client(failed, "write")
        return None

    def arm(self, opened: OpenPartition) -> None:
        """Set the timer for the next lock of a partition that ends."""
        share = opened.share
        due_ms = None if share is None else share.next_lock_end()
        if opened.timer is not None:
            if due_ms is not None and opened.timer_at_ms <= due_ms:
                return
            opened.timer.cancel()
            opened.timer = None
        if due_ms is not None and not opened.is_closed:
            opened.timer_at_ms = due_ms
            opened.timer = self._clock.call_at(due_ms, partial(self._due, opened))

    def _due(self, opened: OpenPartition) -> None:
        opened.timer = None
        self._start(self._end_locks(opened))

    async def expire_locks(self, opened: OpenPartition) -> int:
        """End every lock of a partition now. Returns the number of records, once their state is stored."""
        share = opened.active
        if share is None:
            return 0
        count = share.expire_locks(self._clock.steady_ms())
        for stored in await self._end_locks(opened):
            await stored
        return count

    async def _end_locks(self, opened: OpenPartition) -> list[asyncio.Task[None]]:
        """End the locks that are due, a few in each turn of the loop. Returns what stores their states."""
        stores: list[asyncio.Task[None]] = []
        while (share := opened.active) is not None:
            now_ms = self._clock.steady_ms()
            self._renew_limits(opened)
            batches = share.end_locks(now_ms, RUNS_PER_STEP)
            if batches:
                opened.wake()
                stores.append(self._start(self._store_released(opened, share, batches)))
            due_ms = share.next_lock_end()
            if due_ms is None or due_ms > now_ms:
                break
            await self._turns.rest()
        self.arm(opened)
        return stores

    async def _store_released(
        self, opened: OpenPartition, share: SharePartition, batches: Sequence[StateBatch]
    ) -> None:
        await self._store(opened, share, batches)
        share.advance()
        opened.wake()
        self._write_letters(opened, share.letters(batches))

    # Dead letters.

    def _write_letters(self, opened: OpenPartition, letters: Sequence[Letters]) -> None:
        """Write dead letters, and archive their records afterwards."""
        if not letters:
            return
        opened.letters += letters
        if not opened.is_writing:
            opened.is_writing = True
            self._start(self._archive(opened))

    async def _archive(self, opened: OpenPartition) -> None:
        """Write the dead letters of a partition, a few at a time, until none is left.

        Records whose dead letter cannot be written are archived, too. If the partition is closed, or the
        broker stops, the next use of the partition goes on. Kafka: SharePartition.initiateDLQAndArchive.
        """
        while opened.letters and (share := opened.active) is not None:
            count = min(len(opened.letters), LETTERS_PER_STEP)
            some = sorted(opened.letters.popleft() for _ in range(count))
            self._renew_limits(opened)
            errors = await self._dead_letters().write(opened, some)
            if opened.is_closed:
                return
            last = errors[-1]
            opened.attempts = opened.attempts + 1 if len(errors) == 1 else 1
            is_delayed = last is not None and last.code in RETRIED and opened.attempts < ATTEMPTS_MAX
            if is_delayed:
                errors.pop()
            opened.letters.extendleft(reversed(some[len(errors) :]))
            archived = share.archive(
                [
                    (each, WRITTEN if error is None else error.message or error.code.text)
                    for each, error in zip(some, errors, strict=False)
                ]
            )
            if archived:
                await self._store(opened, share, archived)
                share.advance()
                opened.wake()
            if is_delayed:
                delay_ms = FIRST_DELAY_MS << (opened.attempts - 1)
                opened.letters_timer = self._clock.call_at(
                    self._clock.steady_ms() + delay_ms, lambda: self._again(opened)
                )
                return
            opened.attempts = 0
        opened.is_writing = False

    def _again(self, opened: OpenPartition) -> None:
        opened.letters_timer = None
        if not opened.is_closed:
            self._start(self._archive(opened))

    # The end.

    def leaders_changed(self, leaders: Mapping[tuple[bytes, int], int]) -> None:
        """Close the partitions that another broker leads now.

        leaders: by topic id and partition. A new leader epoch of the same leader, after a reassignment of
            other replicas, closes nothing. Kafka: SharePartitionListener.onBecomingFollower
        """
        for opened in tuple(self._open.values()):
            if leaders.get(opened.key[1:], opened.leader) != opened.leader:
                self.close(opened)

    def close(self, opened: OpenPartition) -> None:
        if self._open.get(opened.key) is opened:
            del self._open[opened.key]
            self._keep_ended(opened)
        opened.is_closed = True
        if opened.timer is not None:
            opened.timer.cancel()
            opened.timer = None
        if opened.letters_timer is not None:
            opened.letters_timer.cancel()
            opened.letters_timer = None
        opened.wake()

    def _keep_ended(self, opened: OpenPartition) -> None:
        ended = [] if opened.share is None else opened.share.ended()
        if opened.share is not None and ended:
            self._closed[opened.key] = opened.share.state_epoch, ended
            self._closed.move_to_end(opened.key)
            if len(self._closed) > CLOSED_MAX:
                self._closed.popitem(last=False)

    def disconnected(self, node_id: int, connection: int) -> None:
        """End the sessions of a connection that was closed."""
        sessions = self._sessions.get(node_id)
        if sessions is None:
            return
        left, emptied = sessions.disconnected(connection)
        self.evictions += len(left)
        if left or emptied:
            self._start(self._end_sessions(node_id, left, emptied))

    async def _end_sessions(self, node_id: int, left: list[ShareSession], emptied: list[str]) -> None:
        """Release what the sessions hold, and close what the broker leads of groups without another one."""
        for session in left:
            await self._release(node_id, session)
        sessions = self.sessions(node_id)
        groups = {group for group in emptied if not sessions.has(group)}
        if not groups:
            return
        for opened in tuple(self._open.values()):
            group = opened.key[0]
            # Between two steps, a member may have opened a session.
            if group in groups and opened.partition.leader == node_id and not sessions.has(group):
                self.close(opened)
            if self._turns.spend():
                await self._turns.rest()

    def forget_node(self, node_id: int) -> None:
        """Forget the sessions of a node that stops."""
        self._sessions.pop(node_id, None)

    async def settled(self) -> None:
        """Return once nothing is being read or stored."""
        while self._tasks:
            await asyncio.wait([*self._tasks])

    async def stop(self) -> None:
        for opened in tuple(self._open.values()):
            self.close(opened)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _start(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Run work to its end, although the request that caused it may be cancelled."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # asyncio does not log it then: the code that awaits the task handles it


def _for_client(refused: KafkaError, what: str) -> KafkaError:
    """Return the error for a client after one of the share coordinator. Kafka: fetchPersisterError."""
    message = f"Error in {what} state RPC. {refused.message or refused.code.text}"
    if refused.code in NOT_COORDINATOR:
        return KafkaError(ErrorCode.COORDINATOR_NOT_AVAILABLE, message)
    if refused.code in FENCED:
        return KafkaError(ErrorCode.NOT_LEADER_OR_FOLLOWER, message)
    return KafkaError(refused.code if refused.code in KEPT else ErrorCode.UNKNOWN_SERVER_ERROR, message)
