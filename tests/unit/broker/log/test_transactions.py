from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.broker.log.builders import a_log, aborted_transactions, from_producer
from tidemark.log.index import AbortedTransaction, TransactionIndex
from tidemark.log.partition import PartitionLog
from tidemark.log.producers import NO_GUARD, Producers
from tidemark_protocol.batch import TRANSACTIONAL, ControlType, build_control_batch
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_testing.storage import FaultyStorage, MemoryStorage

PRODUCERS = (7, 8, 9)


def send(log: PartitionLog, producer_id: int, sequence: int, *, epoch: int = 0, guard: int = NO_GUARD) -> int:
    batch = from_producer(producer_id, sequence, epoch=epoch, attributes=TRANSACTIONAL)
    return log.append(batch, leader_epoch=0, now_ms=0, guard=guard).base_offset


def end(
    log: PartitionLog, producer_id: int, *, committed: bool, epoch: int = 0, coordinator_epoch: int = 0
) -> int:
    value = b"\0\0" + coordinator_epoch.to_bytes(4, "big")
    kind = ControlType.COMMIT if committed else ControlType.ABORT
    marker = build_control_batch(kind, value, 9, producer_id=producer_id, producer_epoch=epoch)
    return log.append(marker, leader_epoch=0, now_ms=0, from_client=False).base_offset


def refusal(log: PartitionLog, producer_id: int, sequence: int, **fields: int) -> ErrorCode:
    before = log.log_end_offset
    with pytest.raises(KafkaError) as refused:
        send(log, producer_id, sequence, **fields)
    assert log.log_end_offset == before
    return refused.value.code


def verified(log: PartitionLog, sequence: int = 0, *, epoch: int = 0, bumps_epoch: bool = False) -> int:
    return log.start_verification(7, epoch, sequence, bumps_epoch=bumps_epoch, now_ms=0)


# The index


@dataclass
class NaiveLog:
    """The findings of a reader of every batch. aborted: (producer, first, last, last stable offset)."""

    open: dict[int, int] = field(default_factory=dict)
    aborted: list[tuple[int, int, int, int]] = field(default_factory=list)
    next_offset: int = 0

    def send(self, producer_id: int) -> None:
        self.open.setdefault(producer_id, self.next_offset)
        self.next_offset += 1

    def end(self, producer_id: int, *, committed: bool) -> None:
        first = self.open.pop(producer_id, None)
        last, self.next_offset = self.next_offset, self.next_offset + 1
        if first is not None and not committed:
            self.aborted.append((producer_id, first, last, min(self.open.values(), default=last + 1)))

    @property
    def stable(self) -> int:
        return min(self.open.values(), default=self.next_offset)


STEPS = st.lists(st.tuples(st.sampled_from(PRODUCERS), st.sampled_from(("send", "abort", "commit"))))


def played(steps: list[tuple[int, str]], storage: MemoryStorage) -> tuple[PartitionLog, NaiveLog]:
    log, naive = a_log(storage, segment_bytes=500), NaiveLog()
    sequences = dict.fromkeys(PRODUCERS, 0)
    for producer_id, action in steps:
        if action == "send":
            send(log, producer_id, sequences[producer_id])
            sequences[producer_id] += 1
            naive.send(producer_id)
        else:
            end(log, producer_id, committed=action == "commit")
            naive.end(producer_id, committed=action == "commit")
        assert log.last_stable_offset == naive.stable
    return log, naive


def entries(log: PartitionLog) -> list[tuple[int, int, int, int]]:
    return [
        (each.producer_id, each.first_offset, each.last_offset, each.last_stable_offset)
        for segment in log.segments
        for each in segment.aborted
    ]


@given(STEPS)
def test_last_stable_offset_and_index_follow_every_batch(steps: list[tuple[int, str]]) -> None:
    log, naive = played(steps, MemoryStorage())
    assert entries(log) == naive.aborted


@given(STEPS, st.booleans())
def test_a_restart_finds_the_same_transactions(steps: list[tuple[int, str]], clean: bool) -> None:
    storage = MemoryStorage()
    log, naive = played(steps, storage)
    if clean:
        log.close()
    again = a_log(storage, clean=clean, segment_bytes=500)
    assert entries(again) == naive.aborted
    assert again.last_stable_offset == naive.stable


@given(STEPS, st.integers(0, 60), st.integers(1, 60))
def test_a_reader_gets_every_aborted_transaction_of_its_range(
    steps: list[tuple[int, str]], offset: int, size: int
) -> None:
    log, naive = played(steps, MemoryStorage())
    up_to = min(offset + size, naive.stable)
    found = {(each.producer_id, each.first_offset) for each in aborted_transactions(log, offset, up_to)}
    needed = {
        (producer_id, first)
        for producer_id, first, last, _ in naive.aborted
        if last >= offset and first < up_to
    }
    assert found == needed or offset >= up_to


@given(STEPS, st.integers(0, 30))
def test_truncation_leaves_the_transactions_of_what_remains(
    steps: list[tuple[int, str]], offset: int
) -> None:
    log, _ = played(steps, MemoryStorage())
    offset = min(offset, log.log_end_offset)
    log.truncate_to(offset)
    shorter, naive = played(steps[:offset], MemoryStorage())
    assert entries(log) == naive.aborted
    assert log.last_stable_offset == naive.stable
    assert log.producers.encode() == shorter.producers.encode()


def test_an_entry_is_that_of_kafka() -> None:
    entry = AbortedTransaction(14, 2, 3, 4).encode()
    assert (
        entry.hex()
        == "0000" + "000000000000000e" + "0000000000000002" + "0000000000000003" + "0000000000000004"
    )
    assert list(TransactionIndex(entry + b"torn")) == [AbortedTransaction(14, 2, 3, 4)]


def test_a_segment_without_aborted_transactions_has_no_index_file() -> None:
    storage = MemoryStorage()
    log = a_log(storage)
    send(log, 7, 0)
    end(log, 7, committed=True)
    log.close()
    assert not [name for name, _ in storage.list("orders-0") if name.endswith(".txnindex")]


def test_the_index_of_a_closed_segment_survives_a_power_cut_once_the_segment_is_synced() -> None:
    for seed in range(200):
        storage = FaultyStorage(seed)
        log = a_log(storage)
        send(log, 7, 0)
        end(log, 7, committed=False)
        log.roll(0)
        send(log, 8, 0)
        log.mark_synced(log.sync())
        storage.crash()
        assert entries(a_log(storage, clean=False, recovery_point=3)) == [(7, 0, 1, 2)]


# The last stable offset


def test_a_transaction_is_unstable_until_its_marker_is_below_the_high_watermark() -> None:
    log = a_log(waits_for_sync=True)
    send(log, 7, 0)
    log.mark_synced(log.sync())
    end(log, 7, committed=True)
    assert (log.last_stable_offset, log.high_watermark) == (0, 1)
    log.mark_synced(log.sync())
    assert log.last_stable_offset == 2


def test_the_last_stable_offset_is_not_below_the_log_start() -> None:
    log = a_log()
    send(log, 7, 0)
    send(log, 8, 0)
    log.advance_log_start(1)
    assert log.last_stable_offset == 1


def test_a_restart_forgets_the_transactions_of_a_log_whose_records_are_all_deleted() -> None:
    """Kafka ignores producer snapshots that are not past the log start (ProducerStateManager)."""
    storage = MemoryStorage()
    log = a_log(storage)
    send(log, 7, 0)
    log.advance_log_start(1)
    log.close()
    again = a_log(storage, log_start_offset=1)
    assert not again.producers.states
    end(again, 7, committed=False)
    assert (again.last_stable_offset, entries(again)) == (2, [])


@pytest.mark.parametrize("clean", [True, False])
def test_only_a_crash_forgets_the_sequence_of_a_producer_with_no_record_left(clean: bool) -> None:
    """Observed with Kafka 4.3.1: a start removes the snapshots that are not past the log start."""
    storage = MemoryStorage()
    log = a_log(storage)
    send(log, 7, 0)
    log.roll(0)
    end(log, 7, committed=True)
    log.advance_log_start(1)
    if clean:
        log.close()
    again = a_log(storage, clean=clean, log_start_offset=1, recovery_point=1)
    if clean:
        assert send(again, 7, 1) == 2
    else:
        assert refusal(again, 7, 1) == ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER


def test_a_transaction_that_began_in_a_deleted_segment_stays_open_after_a_restart() -> None:
    storage = MemoryStorage()
    log = a_log(storage)
    send(log, 7, 0)
    log.roll(0)
    send(log, 8, 0)
    log.delete_segments(1, 0)
    assert log.last_stable_offset == 1
    log.close()
    again = a_log(storage, log_start_offset=1)
    assert again.last_stable_offset == 1
    end(again, 7, committed=False)
    assert entries(again) == [(7, 0, 2, 1)]


# Verification


def test_a_transaction_begins_only_with_the_guard_of_its_verification() -> None:
    log = a_log(verifies_transactions=True)
    assert refusal(log, 7, 0) == ErrorCode.INVALID_TXN_STATE
    guard = verified(log)
    assert guard == verified(log)
    assert refusal(log, 7, 0, guard=guard + 1) == ErrorCode.INVALID_TXN_STATE
    send(log, 7, 0, guard=guard)
    assert verified(log, 1) == NO_GUARD
    send(log, 7, 1)


def test_the_guard_of_a_transaction_that_has_ended_meanwhile_is_void() -> None:
    log = a_log(verifies_transactions=True)
    guard = verified(log)
    end(log, 7, committed=False)
    assert refusal(log, 7, 0, guard=guard) == ErrorCode.INVALID_TXN_STATE


def test_a_marker_leaves_the_verification_of_the_next_transaction_of_v2() -> None:
    log = a_log(verifies_transactions=True)
    send(log, 7, 0, guard=verified(log, bumps_epoch=True))
    guard = verified(log, epoch=1, bumps_epoch=True)
    end(log, 7, committed=True, epoch=1)
    send(log, 7, 0, epoch=1, guard=guard)


def test_a_producer_of_v2_without_state_begins_at_sequence_zero() -> None:
    log = a_log(verifies_transactions=True)
    assert (
        refusal(log, 7, 3, guard=verified(log, 3, bumps_epoch=True)) == ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
    )
    older = a_log(verifies_transactions=True)
    send(older, 7, 3, guard=verified(older, 3))


def test_a_later_batch_does_not_overtake_the_first_one_that_was_verified() -> None:
    log = a_log(verifies_transactions=True)
    guard = verified(log, 0)
    verified(log, 1)
    assert refusal(log, 7, 1, guard=guard) == ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
    send(log, 7, 0, guard=guard)


def test_an_old_epoch_is_not_verified() -> None:
    log = a_log()
    send(log, 7, 0, epoch=2)
    with pytest.raises(KafkaError) as refused:
        verified(log, epoch=1)
    assert refused.value.code == ErrorCode.INVALID_PRODUCER_EPOCH


# Markers


@pytest.mark.parametrize(
    ("epoch", "coordinator_epoch", "version", "code"),
    [
        (2, 5, 0, None),
        (1, 5, 0, ErrorCode.INVALID_PRODUCER_EPOCH),
        (2, 4, 0, ErrorCode.TRANSACTION_COORDINATOR_FENCED),
        (1, 4, 0, ErrorCode.INVALID_PRODUCER_EPOCH),
        (2, 5, 2, ErrorCode.INVALID_PRODUCER_EPOCH),
        (3, 5, 2, None),
    ],
)
def test_markers_are_checked(
    epoch: int, coordinator_epoch: int, version: int, code: ErrorCode | None
) -> None:
    log = a_log()
    end(log, 7, committed=True, epoch=1, coordinator_epoch=5)
    send(log, 7, 0, epoch=2)
    found = None
    try:
        log.check_marker(7, epoch, coordinator_epoch, version)
    except KafkaError as refused:
        found = refused.code
    assert found == code


def test_a_marker_of_v2_may_be_repeated() -> None:
    log = a_log()
    send(log, 7, 0)
    end(log, 7, committed=True, epoch=1)
    log.check_marker(7, 1, 0, 2)


def test_a_marker_without_its_record_changes_no_producer() -> None:
    producers, log = Producers(), a_log()
    send(log, 7, 0, epoch=4)
    header = next(log.batches()).header
    producers.append(header)
    assert producers.end_transaction(header, None) is None
    assert producers.states[7].epoch == 4
    assert producers.first_unstable == 0
