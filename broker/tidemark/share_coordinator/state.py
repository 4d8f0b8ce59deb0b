"""The share coordinator: the state machine of all share partitions. Its log is `__share_group_state`.

A share partition is a partition that a share group reads (KIP-932). The broker that leads the partition
stores here how far the group has come: the first offset that is not done (SPSO), and the delivery states of
records behind it. A share partition lives in one partition of the log, chosen by its coordinator key.

A write appends what has changed, a ShareUpdate. After some updates, the next write appends everything, a
ShareSnapshot, so that a load needs few records and the older ones can be pruned. Kafka:
ShareCoordinatorShard.
"""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections import OrderedDict
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tidemark.core.apply import SERVICE_ERRORS, PartitionStatus
from tidemark.core.context import EVERY_NODE, Now
from tidemark.core.deadlines import Deadlines
from tidemark.core.decision import NOTHING, PART_RECORDS_MAX, Decision, Marker, Record, Steps, at_once
from tidemark.core.java import bucket_order, timeline_slot, uuid_hash
from tidemark.metadata.model import SHARE_STATE_TOPIC
from tidemark.settings.broker import BrokerSettings
from tidemark.settings.release import Change
from tidemark_protocol.batch import RECORD_OVERHEAD_BYTES
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.java import java_hash, partition_of_group
from tidemark_protocol.records import share_snapshot, share_update
from tidemark_protocol.records.share_snapshot import ShareSnapshotKey, ShareSnapshotValue
from tidemark_protocol.records.share_update import ShareUpdateKey, ShareUpdateValue
from tidemark_protocol.share_batches import NO_OFFSET, StateBatch, combine, combine_in_steps

if TYPE_CHECKING:
    from tidemark.metadata.state import Cluster

NAME: Final = "ShareStates"
NO_EPOCH: Final = -1
NO_COUNT: Final = -1
# The batches of a state. A share partition has at most 10,000 records in flight
# (share.partition.max.record.locks), and acknowledged ones between them. Kafka has no other limit than the
# size of a record. Once a state is larger, every write fails.
BATCHES_MAX: Final = 25_000
FEW_BATCHES: Final = 2_000  # which are combined in some milliseconds
ATTEMPTS_MAX: Final = 3
STATE_BATCH_BYTES: Final = 20
PART_BYTES: Final = 128 * 1024  # of records that are written together, before the last one
TOPIC_ID: Final = re.compile(r"[A-Za-z0-9_-]{22}(==)?")
PARTITION: Final = re.compile(r"[+-]?\d{1,1000}")  # Python parses no more than 4,300 digits
JAVA_SPACES: Final = "".join(map(chr, range(33)))  # of String.trim
ORDERED_MAX: Final = 1_000  # records of a pass that are sorted as Kafka's maps iterate
STEP: Final = 500  # share partitions that are looked at in one step


class SharePartition(NamedTuple):
    """A partition of a topic, as a share group reads it. Kafka: SharePartitionKey."""

    group_id: str
    topic_id: bytes
    partition: int

    @property
    def coordinator_key(self) -> str:
        """The key of FindCoordinator, which also chooses the partition of `__share_group_state`."""
        topic_id = urlsafe_b64encode(self.topic_id).decode().rstrip("=")
        return f"{self.group_id}:{topic_id}:{self.partition}"

    @classmethod
    def of_coordinator_key(cls, text: str) -> SharePartition:
        """Parse a key of FindCoordinator. Raises ValueError. A group id may contain colons."""
        parts = text.rstrip(":").split(":")  # Java's split drops empty parts at the end
        if len(parts) < 3:
            raise ValueError(f"expected groupId:topicId:partition, got {text!r}")
        group_id, topic_id, partition = ":".join(parts[:-2]), parts[-2], parts[-1]
        if not group_id.strip(JAVA_SPACES):
            raise ValueError("the group id is empty")
        if not TOPIC_ID.fullmatch(topic_id):
            raise ValueError(f"invalid topic id {topic_id!r}")
        if not PARTITION.fullmatch(partition) or not -(2**31) <= int(partition) < 2**31:
            raise ValueError(f"invalid partition {partition!r}")
        return cls(group_id, urlsafe_b64decode(topic_id[:22] + "=="), int(partition))


@dataclass(slots=True, frozen=True)
class ShareState:
    """The stored state of a share partition. Kafka: ShareGroupOffset.

    snapshot_epoch           rises with each snapshot
    state_epoch              the group's, when it initialized the state
    leader_epoch             of the leader that has read the state last
    start_offset             the SPSO; NO_OFFSET until the first write
    delivery_complete_count  records behind the start that are done; NO_COUNT: unknown
    batches                  the delivery states, without overlaps
    created_ms, written_ms   wall time of the last write with a snapshot, and of the last snapshot
    """

    snapshot_epoch: int
    state_epoch: int
    leader_epoch: int
    start_offset: int
    delivery_complete_count: int
    batches: tuple[StateBatch, ...] = ()
    created_ms: int = 0
    written_ms: int = 0


UNINITIALIZED: Final = ShareState(0, 0, 0, NO_OFFSET, NO_COUNT)  # as a summary shows it


@dataclass(slots=True)
class _Entry:
    """A share partition: its state, and what only the replay needs.

    partition                of `__share_group_state`
    updates                  since the last snapshot that a write has made necessary
    state_epoch, leader_epoch  the highest ones so far. Lower ones in requests are fenced
    """

    state: ShareState
    partition: int
    updates: int = 0
    state_epoch: int = NO_EPOCH
    leader_epoch: int = NO_EPOCH


@dataclass(slots=True)
class _Log:
    """A partition of `__share_group_state`, and which of its records are needed.

    Kafka: ShareCoordinatorOffsetsManager.

    peak       how many share partitions it had at most
    end        the offset of the next record. It may be too low if others write to the log, never too high
    snapshots  the offset of the last snapshot of each share partition, in order
    needed     records before this offset are redundant
    """

    peak: int = 0
    end: int = 0
    snapshots: OrderedDict[SharePartition, int] = field(default_factory=OrderedDict)
    needed: int = 0


class _Combined(NamedTuple):
    """A result of `prepare`: batches are those that `combine` returns for the other fields."""

    stored: Sequence[StateBatch]
    written: Sequence[StateBatch]
    start_offset: int
    batches: tuple[StateBatch, ...]


class ShareStates:
    """The states of all share partitions. A new object is empty and serves no partition.

    entries    what is kept of each share partition. Only replay changes it
    status     of each partition of `__share_group_state`
    by_key, marked, deadlines  always empty: nothing follows without a request but the passes
    cluster    the Cluster state, read-only; None: none is attached
    """

    def __init__(self, settings: BrokerSettings | None = None) -> None:
        self.settings = settings or BrokerSettings()
        self.entries: dict[SharePartition, _Entry] = {}
        self.status: list[PartitionStatus] = []
        self._logs: list[_Log] = []
        self.by_key: dict[str, Any] = {}
        self.marked: set[str] = set()
        self.deadlines = Deadlines()
        self.cluster: Cluster | None = None
        self._prepared: list[_Combined] = []
        self._is_spread = self.settings.tidemark_brokers > 1

    # Partitions.

    def serve(self, partitions: int) -> None:
        """Start with this many partitions of `__share_group_state`. Each must be loaded first."""
        assert not self.entries, "the number of partitions never changes"
        self.status = [PartitionStatus.LOADING] * partitions
        self._logs = [_Log() for _ in range(partitions)]

    def failed(self, partition: int) -> None:
        """Do not serve the share partitions of a partition: one of its records cannot be read."""
        self.status[partition] = PartitionStatus.FAILED
        self.entries = {
            key: entry for key, entry in self.entries.items() if self.partition_for(key) != partition
        }

    def at(self, partition: int, offset: int) -> None:
        """Note at which offset the next record of a partition was read, or will be written."""
        self._logs[partition].end = offset

    def loaded(self, partitions: Iterable[int]) -> None:
        """Serve partitions that were read to their ends."""
        for partition in partitions:
            self.status[partition] = PartitionStatus.ACTIVE

    def partition_for(self, key: SharePartition) -> int:
        entry = self.entries.get(key)
        if entry is not None:
            return entry.partition
        count = len(self.status)
        return 0 if count == 1 else partition_of_group(key.coordinator_key, count)

    def check_coordinates(self, key: SharePartition, node_id: int) -> None:
        """Raise KafkaError unless this node serves the share partition now."""
        if not self.status:
            raise KafkaError(ErrorCode.NOT_COORDINATOR)
        partition = self.partition_for(key)
        error = SERVICE_ERRORS[self.status[partition]]
        if error is not ErrorCode.NONE:
            raise KafkaError(error)
        if self._is_spread and node_id != EVERY_NODE:
            assert self.cluster is not None
            if self.cluster.topics[SHARE_STATE_TOPIC].partitions[partition].leader != node_id:
                raise KafkaError(ErrorCode.NOT_COORDINATOR)

    def redundant_before(self, partition: int) -> int | None:
        """Return the offset before which no record of a partition is needed. None: nothing is redundant."""
        return self._logs[partition].needed or None

    def get(self, key: SharePartition) -> ShareState | None:
        entry = self.entries.get(key)
        return None if entry is None else entry.state

    # Requests. All of them raise KafkaError, with Kafka's texts.

    def initialize(
        self, now: Now, key: SharePartition, state_epoch: int, start_offset: int
    ) -> Decision[ShareState]:
        """Begin a state, or begin it anew. start_offset: NO_OFFSET if the leader will choose it."""
        _check_partition(key)
        self._check_epoch("state", state_epoch)
        entry = self.entries.get(key)
        if entry is not None and NO_EPOCH != state_epoch < entry.state_epoch:
            raise self._fenced()
        self._check_exists(key)
        state = ShareState(
            snapshot_epoch=0 if entry is None else entry.state.snapshot_epoch + 1,
            state_epoch=state_epoch,
            leader_epoch=0,
            start_offset=start_offset,
            delivery_complete_count=NO_COUNT if start_offset == NO_OFFSET else 0,
            created_ms=now.wall_ms,
            written_ms=now.wall_ms,
        )
        return Decision(state, (_snapshot(key, state),))

    def read(self, now: Now, key: SharePartition, leader_epoch: int) -> Decision[ShareState]:
        """Return the state for a leader with this epoch, which fences older ones. NO_EPOCH: for others."""
        _check_partition(key)
        self._check_epoch("leader", leader_epoch)
        entry = self.entries.get(key)
        if entry is None:
            text = "Read operation on uninitialized share partition not allowed."
            raise KafkaError(ErrorCode.INVALID_REQUEST, text)
        if NO_EPOCH != leader_epoch < entry.leader_epoch:
            raise KafkaError(ErrorCode.FENCED_LEADER_EPOCH)
        self._check_exists(key)
        state = entry.state
        if leader_epoch in (NO_EPOCH, entry.leader_epoch):
            return Decision(state)
        count = state.delivery_complete_count
        record = self._changed(now, key, entry, leader_epoch, state.start_offset, count, ())
        return Decision(state, (record,))

    def write(
        self,
        now: Now,
        key: SharePartition,
        state_epoch: int,
        leader_epoch: int,
        start_offset: int,
        delivery_complete_count: int,
        batches: Sequence[StateBatch],
    ) -> Decision[None]:
        """Store a start and delivery states. start_offset: NO_OFFSET if it stays.

        The record has the leader epoch of the last read: only a read fences older leaders.
        """
        _check_partition(key)
        self._check_epoch("leader", leader_epoch)
        self._check_epoch("state", state_epoch)
        entry = self.entries.get(key)
        if entry is None:
            text = "Write operation on uninitialized share partition not allowed."
            raise KafkaError(ErrorCode.INVALID_REQUEST, text)
        if NO_EPOCH != leader_epoch < entry.leader_epoch:
            raise KafkaError(ErrorCode.FENCED_LEADER_EPOCH)
        if NO_EPOCH != state_epoch < entry.state_epoch:
            raise self._fenced()
        self._check_exists(key)
        if any(each.first_offset > each.last_offset for each in batches):
            # Kafka stores them. With some, its combiner never ends.
            text = "The last offset of a state batch is below its first offset."
            raise KafkaError(ErrorCode.INVALID_REQUEST, text)
        if self.settings.release.has(Change.SHARE_GROUPS):
            stored = entry.state
            if start_offset < stored.start_offset:
                delivery_complete_count = stored.delivery_complete_count
            elif start_offset == stored.start_offset:
                delivery_complete_count = max(delivery_complete_count, stored.delivery_complete_count)
            start_offset = max(start_offset, stored.start_offset)
        if len(batches) > BATCHES_MAX:
            raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)
        written = self._combine((), batches, start_offset)
        if not self._fits(entry.state, written, start_offset):
            self._prepared = []
            raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)
        epoch = entry.state.leader_epoch
        record = self._changed(now, key, entry, epoch, start_offset, delivery_complete_count, written)
        return Decision(None, (record,))

    def takes_long(self, key: SharePartition, batches: Sequence[StateBatch]) -> bool:
        """Return whether a `write` of these batches needs `prepare`: each costs time, also stored ones."""
        entry = self.entries.get(key)
        return entry is not None and len(entry.state.batches) + len(batches) > FEW_BATCHES

    def prepare(self, key: SharePartition, start_offset: int, batches: Sequence[StateBatch]) -> Steps[None]:
        """Combine the batches of a `write` that follows at once. Then it and its replay need little time.

        It does nothing for a write of few batches, or one that is refused. Raises KafkaError if the state
        changes all the time.
        """
        for _ in range(ATTEMPTS_MAX):
            entry = self.entries.get(key)
            if entry is None or not self.takes_long(key, batches):
                return
            if len(batches) > BATCHES_MAX or any(each.first_offset > each.last_offset for each in batches):
                return
            state, start, merges_all = entry.state, start_offset, self._merges_all
            if merges_all:
                start = max(start, state.start_offset)
            written = yield from combine_in_steps((), batches, start, merges_all=merges_all)
            prepared = [_Combined((), batches, start, written)]
            start = state.start_offset if start == NO_OFFSET else start
            combined = yield from combine_in_steps(state.batches, written, start, merges_all=merges_all)
            prepared.append(_Combined(state.batches, written, start, combined))
            if self.get(key) is state:
                self._prepared = prepared
                return
        raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)

    def delete(self, key: SharePartition) -> Decision[None]:
        """Delete a state, if there is one."""
        _check_partition(key)
        self._check_exists(key)
        return Decision(None, (_tombstone(key),)) if key in self.entries else Decision(None)

    def summary(self, key: SharePartition) -> ShareState:
        """Return the state for admin clients, without batches. It fences no leader."""
        _check_partition(key)
        self._check_exists(key)
        entry = self.entries.get(key)
        return UNINITIALIZED if entry is None else entry.state

    def _check_epoch(self, which: str, epoch: int) -> None:
        if epoch < 0 and self.settings.release.has(Change.SHARE_GROUPS):
            text = f"The {which} epoch cannot be a negative number."
            raise KafkaError(ErrorCode.INVALID_REQUEST, text)

    def _fenced(self) -> KafkaError:
        text = None
        if self.settings.release.has(Change.SHARE_GROUPS):
            text = "The coordinator rejected the request because the state epoch did not match."
        return KafkaError(ErrorCode.FENCED_STATE_EPOCH, text)

    def _check_exists(self, key: SharePartition) -> None:
        assert self.cluster is not None
        topic = self.cluster.topics_by_id.get(key.topic_id)
        if topic is None or key.partition >= len(topic.partitions):
            raise KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)

    def _changed(
        self,
        now: Now,
        key: SharePartition,
        entry: _Entry,
        leader_epoch: int,
        start_offset: int,
        delivery_complete_count: int,
        batches: Sequence[StateBatch],
    ) -> Record:
        """Return the record of a change: an update, or a snapshot after the configured number of updates."""
        state = entry.state
        if entry.updates < self.settings.share_coordinator_snapshot_update_records_per_snapshot:
            value = ShareUpdateValue(
                snapshot_epoch=state.snapshot_epoch,
                leader_epoch=leader_epoch,
                start_offset=start_offset,
                delivery_complete_count=delivery_complete_count,
                state_batches=[
                    share_update.StateBatch(
                        each.first_offset, each.last_offset, each.delivery_state, each.delivery_count
                    )
                    for each in batches
                ],
            )
            return Record(ShareUpdateKey(*key), value)
        if start_offset == NO_OFFSET:
            start_offset = state.start_offset
        combined = replace(
            state,
            snapshot_epoch=state.snapshot_epoch + 1,
            leader_epoch=leader_epoch,
            start_offset=start_offset,
            delivery_complete_count=delivery_complete_count,
            batches=self._combine(state.batches, batches, start_offset),
            created_ms=now.wall_ms,
            written_ms=now.wall_ms,
        )
        return _snapshot(key, combined)

    @property
    def _merges_all(self) -> bool:
        return self.settings.release.has(Change.SHARE_GROUPS)

    def _combine(
        self, stored: Sequence[StateBatch], written: Sequence[StateBatch], start_offset: int
    ) -> tuple[StateBatch, ...]:
        for each in self._prepared:
            if each.stored is stored and each.start_offset == start_offset and [*each.written] == [*written]:
                return each.batches
        return combine(stored, written, start_offset, merges_all=self._merges_all)

    def _fits(self, state: ShareState, written: Sequence[StateBatch], start_offset: int) -> bool:
        """Return whether a state has no more than BATCHES_MAX batches after a write."""
        if len(state.batches) + 2 * len(written) <= BATCHES_MAX:  # each one cuts a stored one in two at most
            return True
        start = state.start_offset if start_offset == NO_OFFSET else start_offset
        return len(self._combine(state.batches, written, start)) <= BATCHES_MAX

    # Passes: cold snapshots, and topics that were deleted.

    def cold_snapshots(self, now: Now) -> Iterator[Decision[None] | None]:
        """Yield a snapshot of each state that had none for an interval, so that older records are redundant.

        A partition of the log is skipped once each of its states has such a snapshot. Each Decision must be
        accepted before the next is requested. None ends a step of the search. The caller may serve requests
        in between: each state is checked again before its record is made.
        """
        warm: set[int] = set()  # partitions of the log

        def is_cold(key: SharePartition, entry: _Entry) -> bool:
            if entry.state.created_ms == entry.state.written_ms:
                warm.add(self.partition_for(key))
            return self._is_cold(entry, now)

        found = yield from self._search(is_cold)
        for partition in sorted(warm & found.keys()):
            yield from self._in_parts(self._cold(found[partition], now))

    def _cold(self, keys: Iterable[SharePartition], now: Now) -> Iterator[Record]:
        """Yield a snapshot of each of these keys that is still cold."""
        for key in keys:
            entry = self.entries.get(key)
            if entry is not None and self._is_cold(entry, now):
                epoch = entry.state.snapshot_epoch + 1
                yield _snapshot(key, replace(entry.state, snapshot_epoch=epoch, written_ms=now.wall_ms))

    def _is_cold(self, entry: _Entry, now: Now) -> bool:
        interval_ms = self.settings.share_coordinator_cold_partition_snapshot_interval_ms
        return now.wall_ms - entry.state.written_ms >= interval_ms

    def forget_topics(self, topic_ids: Collection[bytes]) -> Iterator[Decision[None] | None]:
        """Yield tombstones of the states of deleted topics, as `cold_snapshots` yields snapshots."""
        yield from self._tombstones(lambda key, _: key.topic_id in topic_ids)

    def forget_dead(self) -> Iterator[Decision[None] | None]:
        """Yield tombstones of the states of all topics that do not exist."""
        assert self.cluster is not None
        living = self.cluster.topics_by_id
        yield from self._tombstones(lambda key, _: key.topic_id not in living)

    def _tombstones(
        self, is_dead: Callable[[SharePartition, _Entry], bool]
    ) -> Iterator[Decision[None] | None]:
        found = yield from self._search(is_dead)
        for partition in sorted(found):
            keys = found[partition]
            if len(keys) <= ORDERED_MAX:  # Kafka collects them in a HashSet
                buckets = at_once(bucket_order(keys, _hash_of))
                keys = [key for bucket in buckets for key in bucket]
            yield from self._in_parts(_tombstone(key) for key in keys if key in self.entries)

    def _search(
        self, matches: Callable[[SharePartition, _Entry], bool]
    ) -> Generator[None, None, dict[int, list[SharePartition]]]:
        """Return the share partitions that match, by partition of the log, in the order of Kafka's map.

        It yields after each step.
        """
        found: dict[int, list[SharePartition]] = {}
        entries = iter([*self.entries.items()])
        while some := [*islice(entries, STEP)]:
            for key, entry in some:
                if matches(key, entry):
                    found.setdefault(self.partition_for(key), []).append(key)
            yield None
        for partition, keys in found.items():
            if len(keys) <= ORDERED_MAX:
                peak = self._logs[partition].peak
                keys.reverse()  # the newest of a slot is first
                slots = {key: timeline_slot(_hash_of(key), peak) for key in keys}
                keys.sort(key=slots.__getitem__)
        return found

    def _in_parts(self, records: Iterator[Record]) -> Iterator[Decision[None]]:
        """Yield the records in Decisions of which each fits into a batch. They are made one by one."""
        part: list[Record] = []
        size = 0
        for record in records:
            batches = 0 if record.value is None else len(record.value.state_batches)
            part.append(record)
            size += RECORD_OVERHEAD_BYTES + 3 * len(record.key.group_id) + batches * STATE_BATCH_BYTES
            if size > PART_BYTES or len(part) == PART_RECORDS_MAX:
                yield Decision(records=tuple(part))
                part.clear()
                size = 0
        if part:
            yield Decision(records=tuple(part))

    # The state machine.

    def replay(self, change: Record | Marker) -> None:
        """Apply a record: one that was decided here, or any that Kafka writes."""
        assert isinstance(change, Record), f"{change} is no change of a share partition"
        key, value = _key_of(change), change.value
        log = self._logs[self.partition_for(key)]
        if isinstance(value, ShareUpdateValue):
            self._update(key, value)
            self._prepared = []
        else:
            if value is None:
                self.entries.pop(key, None)
            else:
                self._put_snapshot(key, value)
            log.snapshots.pop(key, None)
            log.snapshots[key] = log.end
            log.peak = max(log.peak, len(log.snapshots))
            log.needed = next(iter(log.snapshots.values()))
            if value is None:
                del log.snapshots[key]
        log.end += 1

    def _put_snapshot(self, key: SharePartition, value: ShareSnapshotValue) -> None:
        state = ShareState(
            value.snapshot_epoch,
            value.state_epoch,
            value.leader_epoch,
            value.start_offset,
            value.delivery_complete_count,
            _batches(value.state_batches),
            value.create_timestamp,
            value.write_timestamp,
        )
        entry = self.entries.get(key)
        if entry is None:
            partition = self.partition_for(key)
            self.entries[key] = _Entry(state, partition, 0, state.state_epoch, state.leader_epoch)
            return
        entry.state = state
        entry.state_epoch = max(entry.state_epoch, state.state_epoch)
        entry.leader_epoch = max(entry.leader_epoch, state.leader_epoch)
        if entry.updates >= self.settings.share_coordinator_snapshot_update_records_per_snapshot:
            entry.updates = 0

    def _update(self, key: SharePartition, value: ShareUpdateValue) -> None:
        entry = self.entries.get(key)
        if entry is None:  # as Kafka replays it; no Kafka writes it
            state = ShareState(value.snapshot_epoch, 0, value.leader_epoch, value.start_offset, NO_COUNT)
            entry = self.entries[key] = _Entry(state, self.partition_for(key))
        state = entry.state
        start_offset = state.start_offset if value.start_offset == NO_OFFSET else value.start_offset
        entry.state = ShareState(
            state.snapshot_epoch,
            state.state_epoch,
            state.leader_epoch if value.leader_epoch == NO_EPOCH else value.leader_epoch,
            start_offset,
            value.delivery_complete_count,
            self._combine(state.batches, _batches(value.state_batches), start_offset),
            state.created_ms,
            state.written_ms,
        )
        entry.leader_epoch = max(entry.leader_epoch, value.leader_epoch)
        entry.updates += 1

    def partition_of(self, record: Record) -> int:
        return self.partition_for(_key_of(record))

    def refused(self, key: str, code: ErrorCode, now: Now) -> Decision[Any]:
        """Return nothing: no request is parked here."""
        return NOTHING


def _check_partition(key: SharePartition) -> None:
    if key.partition < 0:
        text = "The partition id cannot be a negative number."
        raise KafkaError(ErrorCode.INVALID_REQUEST, text)


def _hash_of(key: SharePartition) -> int:
    """Return SharePartitionKey.hashCode, of which the topic has no name."""
    topic_hash = 31 * (31 + uuid_hash(key.topic_id)) + 31 * (31 + key.partition)
    value = 31 * (31 + java_hash(key.group_id)) + topic_hash & 0xFFFFFFFF
    return value - (1 << 32) if value >> 31 else value


def _key_of(record: Record) -> SharePartition:
    key = record.key
    return SharePartition(key.group_id, key.topic_id, key.partition)


def _batches(
    stored: Iterable[share_snapshot.StateBatch | share_update.StateBatch],
) -> tuple[StateBatch, ...]:
    return tuple(
        StateBatch(each.first_offset, each.last_offset, each.delivery_count, each.delivery_state)
        for each in stored
    )


def _snapshot(key: SharePartition, state: ShareState) -> Record:
    value = ShareSnapshotValue(
        snapshot_epoch=state.snapshot_epoch,
        state_epoch=state.state_epoch,
        leader_epoch=state.leader_epoch,
        start_offset=state.start_offset,
        delivery_complete_count=state.delivery_complete_count,
        create_timestamp=state.created_ms,
        write_timestamp=state.written_ms,
        state_batches=[
            share_snapshot.StateBatch(
                each.first_offset, each.last_offset, each.delivery_state, each.delivery_count
            )
            for each in state.batches
        ],
    )
    return Record(ShareSnapshotKey(*key), value)


def _tombstone(key: SharePartition) -> Record:
    return Record(ShareSnapshotKey(*key), None)
