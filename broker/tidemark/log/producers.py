"""The idempotent producers of one partition: their last five batches, epochs and open transactions.

Kafka: ProducerStateManager. The state is rebuilt from a `.snapshot` file (Kafka's ProducerSnapshot) and the
batches that follow it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from struct import Struct
from typing import Final

from tidemark.late_dataclass import dataclass
from tidemark.log.index import AbortedTransaction
from tidemark_protocol.batch import NO_PRODUCER_EPOCH, NO_SEQUENCE, BatchHeader
from tidemark_protocol.checksum import crc32c
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.java import hash_map_order, long_hash

REMEMBERED_BATCHES: Final = 5  # as many as a producer may have in flight
SEQUENCE_MAX: Final = 2**31 - 1
NO_OFFSET: Final = -1
NO_GUARD: Final = 0
EPOCH_MAX: Final = 2**15 - 1
FIRST_TRANSACTION_VERSION_WITH_BUMPS: Final = 2  # KIP-890: each transaction has an epoch of its own

_SNAPSHOT_HEAD: Final = Struct(">hIi")  # version, CRC, count
_SNAPSHOT_VERSION: Final = 1
_SNAPSHOT_CRC_START: Final = 6  # the CRC covers what follows it
_SNAPSHOT_ENTRY: Final = Struct(">qhiqiqiq")


class SnapshotCorrupt(Exception):
    """These bytes are not a producer snapshot."""


@dataclass(slots=True)
class ProducerBatch:
    """A batch that a producer has written."""

    base_sequence: int
    last_sequence: int
    base_offset: int
    last_offset: int
    timestamp_ms: int


@dataclass(slots=True)
class ProducerState:
    """A producer. open_since: first offset of its open transaction, or -1.

    kept: `Producers.kept` when this object was made
    """

    producer_id: int
    epoch: int = NO_PRODUCER_EPOCH
    batches: list[ProducerBatch] = field(default_factory=list)
    last_timestamp_ms: int = -1
    coordinator_epoch: int = -1
    open_since: int = NO_OFFSET
    kept: int = field(default=0, compare=False)

    @property
    def last_sequence(self) -> int:
        return self.batches[-1].last_sequence if self.batches else NO_SEQUENCE

    def duplicate_of(self, header: BatchHeader) -> ProducerBatch | None:
        """Return the remembered batch that this one repeats."""
        if header.producer_epoch != self.epoch:
            return None
        last_sequence = header.last_sequence
        for batch in self.batches:
            if batch.base_sequence == header.base_sequence and batch.last_sequence == last_sequence:
                return batch
        return None


@dataclass(slots=True)
class EndMarker:
    """The content of a transaction marker. Kafka: EndTransactionMarker."""

    committed: bool
    coordinator_epoch: int


@dataclass(slots=True)
class Verification:
    """A transaction whose coordinator is asked whether the partition belongs to it. Kafka:
    VerificationStateEntry.

    guard             allows the append of the request that asked, until the transaction is open or ended
    lowest_sequence   the first batch must not overtake one that was also verified
    bumps_epoch       the request's version belongs to transactions V2
    """

    guard: int
    started_ms: int
    lowest_sequence: int
    epoch: int
    bumps_epoch: bool

    def seen(self, epoch: int, sequence: int) -> None:
        if epoch > self.epoch:
            self.epoch = epoch
            self.lowest_sequence = sequence
        elif epoch == self.epoch:
            self.lowest_sequence = min(self.lowest_sequence, sequence)


class Producers:
    """All producers of one partition.

    first_unstable   the first offset of the earliest transaction that is open or whose marker is not below
                     the high watermark yet; None if there is none. No offset from it on is stable.
    unreplicated     transactions whose marker is not below the high watermark yet: first offset -> offset of
                     the marker
    kept             how often `keep` was called
    """

    __slots__ = (
        "_guards",
        "_ongoing",
        "_unreplicated_first",
        "_verifications",
        "first_unstable",
        "kept",
        "states",
        "unreplicated",
    )

    def __init__(self) -> None:
        self.states: dict[int, ProducerState] = {}
        # Open transactions: first offset -> producer id. A later one begins at a higher offset.
        self._ongoing: OrderedDict[int, int] = OrderedDict()
        self.unreplicated: dict[int, int] = {}
        self._unreplicated_first = 0
        self._verifications: dict[int, Verification] = {}
        self._guards = NO_GUARD
        self.first_unstable: int | None = None
        self.kept = 0

    @property
    def open_producers(self) -> list[int]:
        """The producers with an open transaction, in the order in which these began."""
        return [*self._ongoing.values()]

    def is_late(self, before_ms: int) -> bool:
        """Return whether the producer of the first open transaction has written nothing since that time."""
        first = next(iter(self._ongoing.values()), None)
        return first is not None and 0 < self.states[first].last_timestamp_ms < before_ms

    def check(
        self, header: BatchHeader, guard: int = NO_GUARD, *, verifies: bool = False
    ) -> ProducerBatch | None:
        """Check a client's batch.

        guard: the result of `start_verification`. verifies: whether the first batch of a transaction must
        have been verified.

        Return the batch that it repeats, or None. Raises KafkaError if it is refused.
        """
        state = self.states.get(header.producer_id)
        if state is not None:
            duplicate = state.duplicate_of(header)
            if duplicate is not None:
                return duplicate
            if header.producer_epoch < state.epoch:
                raise KafkaError(ErrorCode.INVALID_PRODUCER_EPOCH)
        if header.is_transactional:
            if verifies and not self.is_open(header.producer_id, header.producer_epoch):
                self._check_verified(header.producer_id, guard)
            self._check_first_sequence(state, header)
        if state is None:
            return None
        self._check_sequence(state, header)
        if state.open_since != NO_OFFSET and not header.is_transactional:
            raise KafkaError(ErrorCode.INVALID_TXN_STATE)
        return None

    def is_open(self, producer_id: int, epoch: int) -> bool:
        """Return whether the producer has an open transaction with this epoch."""
        state = self.states.get(producer_id)
        return state is not None and state.open_since != NO_OFFSET and state.epoch == epoch

    def has_open(self, producer_id: int) -> bool:
        """Return whether the producer has an open transaction, with any epoch."""
        state = self.states.get(producer_id)
        return state is not None and state.open_since != NO_OFFSET

    def _check_verified(self, producer_id: int, guard: int) -> None:
        verification = self._verifications.get(producer_id)
        if guard == NO_GUARD or verification is None or verification.guard != guard:
            raise KafkaError(ErrorCode.INVALID_TXN_STATE)

    def _check_first_sequence(self, state: ProducerState | None, header: BatchHeader) -> None:
        verification = self._verifications.get(header.producer_id)
        if verification is None:
            return
        is_new = state is None or not state.batches
        if header.base_sequence > verification.lowest_sequence or (
            is_new and verification.bumps_epoch and header.base_sequence
        ):
            raise KafkaError(ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER)

    @staticmethod
    def _check_sequence(state: ProducerState, header: BatchHeader) -> None:
        if state.epoch == NO_PRODUCER_EPOCH:
            return
        if header.producer_epoch != state.epoch:
            expected = 0
        else:
            expected = state.last_sequence + 1 if state.last_sequence != SEQUENCE_MAX else 0
        if header.base_sequence != expected:
            raise KafkaError(ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER)

    def start_verification(
        self, producer_id: int, epoch: int, sequence: int, *, bumps_epoch: bool, now_ms: int
    ) -> int:
        """Return the guard for the append of a batch that its coordinator must verify.

        Returns NO_GUARD if the producer's transaction is open here: it was verified then. Raises KafkaError
        for an old epoch. Kafka: UnifiedLog.maybeStartTransactionVerification.
        """
        state = self.states.get(producer_id)
        if state is not None and epoch < state.epoch:
            raise KafkaError(ErrorCode.INVALID_PRODUCER_EPOCH)
        if self.is_open(producer_id, epoch):
            return NO_GUARD
        verification = self._verifications.get(producer_id)
        if verification is None:
            self._guards += 1
            verification = Verification(self._guards, now_ms, sequence, epoch, bumps_epoch)
            self._verifications[producer_id] = verification
        verification.seen(epoch, sequence)
        return verification.guard

    def check_marker(
        self, producer_id: int, epoch: int, coordinator_epoch: int, transaction_version: int
    ) -> None:
        """Check a marker that a coordinator wants to append. Raises KafkaError if it is refused.

        Before transactions V2, the marker may have the producer's epoch. From V2 on it has a higher one,
        except for a repeated marker. Kafka: ProducerAppendInfo.appendEndTxnMarker.
        """
        state = self.states.get(producer_id)
        if state is None:
            return
        if epoch < state.epoch:
            raise KafkaError(ErrorCode.INVALID_PRODUCER_EPOCH)
        if (
            transaction_version >= FIRST_TRANSACTION_VERSION_WITH_BUMPS
            and epoch == state.epoch
            and state.open_since != NO_OFFSET
            and epoch != EPOCH_MAX
        ):
            raise KafkaError(ErrorCode.INVALID_PRODUCER_EPOCH)
        if coordinator_epoch < state.coordinator_epoch:
            raise KafkaError(ErrorCode.TRANSACTION_COORDINATOR_FENCED)

    def append(self, header: BatchHeader) -> None:
        """Note a batch that was appended and is not a marker. header has its final offsets.

        Compaction may have removed its records. Its sequence still counts.
        """
        state = self._state(header.producer_id)
        if header.producer_epoch != state.epoch:
            state.epoch = header.producer_epoch
            state.batches.clear()
        last_offset = header.last_offset
        state.batches.append(
            ProducerBatch(
                header.base_sequence,
                header.last_sequence,
                header.base_offset,
                last_offset,
                header.max_timestamp,
            )
        )
        if len(state.batches) > REMEMBERED_BATCHES:
            del state.batches[0]
        state.last_timestamp_ms = header.max_timestamp
        if header.is_transactional:
            self._verifications.pop(header.producer_id, None)
            if state.open_since == NO_OFFSET:
                state.open_since = header.base_offset
                self._ongoing[header.base_offset] = header.producer_id
                if self.first_unstable is None:
                    self.first_unstable = header.base_offset

    def end_transaction(self, header: BatchHeader, marker: EndMarker | None) -> AbortedTransaction | None:
        """Note a marker that was appended. marker: None if compaction has removed its record.

        Returns the transaction if there was one and it is aborted.
        """
        state = self._state(header.producer_id)
        self._end_verification(header)
        if marker is None:
            return None
        if header.producer_epoch != state.epoch:
            state.epoch = header.producer_epoch
            state.batches.clear()
        state.coordinator_epoch = marker.coordinator_epoch
        state.last_timestamp_ms = header.max_timestamp
        if state.open_since == NO_OFFSET:
            return None
        first_offset, state.open_since = state.open_since, NO_OFFSET
        return self._complete(first_offset, header, marker)

    def _end_verification(self, header: BatchHeader) -> None:
        """Forget a verification, unless the producer's next transaction of V2 has begun it."""
        verification = self._verifications.get(header.producer_id)
        if verification is not None and not (
            verification.bumps_epoch and verification.epoch == header.producer_epoch
        ):
            del self._verifications[header.producer_id]

    def _complete(
        self, first_offset: int, header: BatchHeader, marker: EndMarker
    ) -> AbortedTransaction | None:
        del self._ongoing[first_offset]
        last_offset = header.base_offset
        next_ongoing = next(iter(self._ongoing), None)
        if not self.unreplicated or first_offset < self._unreplicated_first:
            self._unreplicated_first = first_offset
        self.unreplicated[first_offset] = last_offset
        self._update_first_unstable()
        if marker.committed:
            return None
        stable = last_offset + 1 if next_ongoing is None else next_ongoing
        return AbortedTransaction(header.producer_id, first_offset, last_offset, stable)

    def _update_first_unstable(self) -> None:
        first = next(iter(self._ongoing), None)
        if self.unreplicated and (first is None or self._unreplicated_first < first):
            first = self._unreplicated_first
        self.first_unstable = first

    def replicated(self, high_watermark: int) -> None:
        """Note that every marker below the high watermark is replicated, or synced.

        Readers must not see a part of a transaction, so its first offset becomes stable with its marker.
        """
        self.unreplicated = {
            first: last for first, last in self.unreplicated.items() if last >= high_watermark
        }
        self._unreplicated_first = min(self.unreplicated, default=0)
        self._update_first_unstable()

    def expire(self, now_ms: int, expiration_ms: int) -> None:
        """Forget producers that have not written for expiration_ms and have no open transaction."""
        gone = [
            state.producer_id
            for state in self.states.values()
            if state.open_since == NO_OFFSET and now_ms - state.last_timestamp_ms >= expiration_ms
        ]
        for producer_id in gone:
            del self.states[producer_id]
        self._verifications = {
            producer_id: verification
            for producer_id, verification in self._verifications.items()
            if now_ms - verification.started_ms < expiration_ms
        }

    def clear(self) -> None:
        self.states.clear()
        self._ongoing.clear()
        self.unreplicated.clear()
        self.first_unstable = None

    def keep(self) -> dict[int, ProducerState]:
        """Return the states as they are now, for another thread. From now on, they change as copies."""
        self.kept += 1
        return dict(self.states)

    def encode(self) -> bytes:
        """Return the content of a `.snapshot` file."""
        return encode_snapshot(self.states)

    def load(self, data: bytes) -> None:
        """Replace the state by that of a snapshot. Raises SnapshotCorrupt."""
        loaded = list(_decode_entries(data))
        self.clear()
        for state in loaded:
            self.states[state.producer_id] = state
        opened = (state for state in loaded if state.open_since != NO_OFFSET)
        for state in sorted(opened, key=lambda each: each.open_since):
            self._ongoing[state.open_since] = state.producer_id
        self._update_first_unstable()

    def _state(self, producer_id: int) -> ProducerState:
        state = self.states.get(producer_id)
        if state is None:
            state = self.states[producer_id] = ProducerState(producer_id, kept=self.kept)
        elif state.kept != self.kept:
            state = self.states[producer_id] = replace(state, batches=[*state.batches], kept=self.kept)
        return state


def encode_snapshot(states: Mapping[int, ProducerState]) -> bytes:
    """Return the content of a `.snapshot` file, in the order of Kafka's hash map."""
    entries = b"".join(_encode_entry(states[each]) for each in hash_map_order(states, long_hash))
    counted = len(states).to_bytes(4, "big") + entries
    return _SNAPSHOT_VERSION.to_bytes(2, "big") + crc32c(counted).to_bytes(4, "big") + counted


def _encode_entry(state: ProducerState) -> bytes:
    last = state.batches[-1] if state.batches else None
    return _SNAPSHOT_ENTRY.pack(
        state.producer_id,
        state.epoch,
        last.last_sequence if last else NO_SEQUENCE,
        last.last_offset if last else NO_OFFSET,
        last.last_offset - last.base_offset if last else 0,
        state.last_timestamp_ms,
        state.coordinator_epoch,
        state.open_since,
    )


def _decode_entries(data: bytes) -> Iterable[ProducerState]:
    if len(data) < _SNAPSHOT_HEAD.size:
        raise SnapshotCorrupt(f"{len(data)} bytes")
    version, crc, count = _SNAPSHOT_HEAD.unpack_from(data)
    if version != _SNAPSHOT_VERSION:
        raise SnapshotCorrupt(f"version {version}")
    if crc32c(data[_SNAPSHOT_CRC_START:]) != crc:
        raise SnapshotCorrupt("the CRC differs")
    if len(data) != _SNAPSHOT_HEAD.size + count * _SNAPSHOT_ENTRY.size:
        raise SnapshotCorrupt(f"{count} entries in {len(data)} bytes")
    for entry in _SNAPSHOT_ENTRY.iter_unpack(data[_SNAPSHOT_HEAD.size :]):
        producer_id, epoch, last_sequence, last_offset, delta, timestamp_ms, coordinator_epoch, open_since = (
            entry
        )
        batches = []
        if last_offset >= 0:
            base_sequence = (last_sequence - delta) & SEQUENCE_MAX
            batches.append(
                ProducerBatch(base_sequence, last_sequence, last_offset - delta, last_offset, timestamp_ms)
            )
        yield ProducerState(producer_id, epoch, batches, timestamp_ms, coordinator_epoch, open_since)
