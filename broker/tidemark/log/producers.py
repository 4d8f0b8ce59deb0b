"""The idempotent producers of one partition: their last five batches, epochs and open transactions.

Kafka: ProducerStateManager. The state is rebuilt from a `.snapshot` file (Kafka's ProducerSnapshot) and the
batches that follow it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from struct import Struct
from typing import Final

from tidemark_protocol.batch import NO_PRODUCER_EPOCH, NO_SEQUENCE, BatchHeader
from tidemark_protocol.checksum import crc32c
from tidemark_protocol.errors import ErrorCode, KafkaError

REMEMBERED_BATCHES: Final = 5  # as many as a producer may have in flight
SEQUENCE_MAX: Final = 2**31 - 1
NO_OFFSET: Final = -1

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
    """A producer. open_since: first offset of its open transaction, or -1."""

    producer_id: int
    epoch: int = NO_PRODUCER_EPOCH
    batches: list[ProducerBatch] = field(default_factory=list)
    last_timestamp_ms: int = -1
    coordinator_epoch: int = -1
    open_since: int = NO_OFFSET

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


class Producers:
    """All producers of one partition."""

    __slots__ = ("_open", "states")

    def __init__(self) -> None:
        self.states: dict[int, ProducerState] = {}
        self._open: dict[int, int] = {}  # producer id -> first offset of its open transaction

    def check(self, header: BatchHeader) -> ProducerBatch | None:
        """Check a client's batch.

        Return the batch that it repeats, or None. Raises KafkaError if it is refused.
        """
        state = self.states.get(header.producer_id)
        if state is None:
            return None
        duplicate = state.duplicate_of(header)
        if duplicate is not None:
            return duplicate
        if header.producer_epoch < state.epoch:
            raise KafkaError(ErrorCode.INVALID_PRODUCER_EPOCH)
        self._check_sequence(state, header)
        if state.open_since != NO_OFFSET and not header.is_transactional:
            raise KafkaError(ErrorCode.INVALID_TXN_STATE)
        return None

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

    def append(self, header: BatchHeader) -> None:
        """Note a batch of records that was appended. header has its final offsets."""
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
        if header.is_transactional and state.open_since == NO_OFFSET:
            state.open_since = self._open[header.producer_id] = header.base_offset

    def end_transaction(self, header: BatchHeader, coordinator_epoch: int) -> None:
        """Note a commit or abort marker that was appended."""
        state = self._state(header.producer_id)
        if header.producer_epoch != state.epoch:
            state.epoch = header.producer_epoch
            state.batches.clear()
        state.open_since = NO_OFFSET
        self._open.pop(header.producer_id, None)
        state.coordinator_epoch = coordinator_epoch
        state.last_timestamp_ms = header.max_timestamp

    @property
    def first_open_offset(self) -> int | None:
        """The first offset of the earliest open transaction. No later offset is stable."""
        return min(self._open.values()) if self._open else None

    def expire(self, now_ms: int, expiration_ms: int) -> None:
        """Forget producers that have not written for expiration_ms and have no open transaction."""
        gone = [
            state.producer_id
            for state in self.states.values()
            if state.open_since == NO_OFFSET and now_ms - state.last_timestamp_ms >= expiration_ms
        ]
        for producer_id in gone:
            del self.states[producer_id]

    def clear(self) -> None:
        self.states.clear()
        self._open.clear()

    def encode(self) -> bytes:
        """Return the content of a `.snapshot` file."""
        entries = b"".join(_encode_entry(state) for state in self.states.values())
        counted = len(self.states).to_bytes(4, "big") + entries
        return _SNAPSHOT_VERSION.to_bytes(2, "big") + crc32c(counted).to_bytes(4, "big") + counted

    def load(self, data: bytes) -> None:
        """Replace the state by that of a snapshot. Raises SnapshotCorrupt."""
        loaded = list(_decode_entries(data))
        self.clear()
        for state in loaded:
            self.states[state.producer_id] = state
            if state.open_since != NO_OFFSET:
                self._open[state.producer_id] = state.open_since

    def _state(self, producer_id: int) -> ProducerState:
        state = self.states.get(producer_id)
        if state is None:
            state = self.states[producer_id] = ProducerState(producer_id)
        return state


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
        if last_sequence != NO_SEQUENCE:
            base_sequence = (last_sequence - delta) & SEQUENCE_MAX
            batches.append(
                ProducerBatch(base_sequence, last_sequence, last_offset - delta, last_offset, timestamp_ms)
            )
        yield ProducerState(producer_id, epoch, batches, timestamp_ms, coordinator_epoch, open_since)
