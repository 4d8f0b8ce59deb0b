from __future__ import annotations

import pytest

from tests.unit.broker.log.builders import a_log, from_producer
from tidemark.log.partition import PartitionLog
from tidemark.log.producers import Producers, SnapshotCorrupt
from tidemark_protocol.batch import TRANSACTIONAL, ControlType, build_control_batch
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_testing.storage import MemoryStorage

SEQUENCE_MAX = 2**31 - 1


def send(
    log: PartitionLog, sequence: int, count: int = 1, *, epoch: int = 0, timestamp_ms: int = 1_000
) -> int:
    batch = from_producer(7, sequence, count, epoch=epoch, timestamp_ms=timestamp_ms)
    return log.append(batch, leader_epoch=0, now_ms=0).base_offset


def refusal(log: PartitionLog, sequence: int, count: int = 1, *, epoch: int = 0) -> ErrorCode:
    end = log.log_end_offset
    with pytest.raises(KafkaError) as refused:
        send(log, sequence, count, epoch=epoch)
    assert log.log_end_offset == end
    return refused.value.code


def test_each_of_the_last_five_batches_is_recognised() -> None:
    log = a_log()
    places = [send(log, n, timestamp_ms=n) for n in range(6)]
    for n in range(1, 6):
        again = log.append(from_producer(7, n), leader_epoch=0, now_ms=0)
        assert (again.base_offset, again.timestamp_ms, again.duplicate) == (places[n], n, True)
    assert log.log_end_offset == 6
    assert refusal(log, 0) == ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER


def test_the_same_first_sequence_with_another_last_one_is_out_of_order() -> None:
    log = a_log()
    send(log, 0, count=3)
    assert refusal(log, 0, count=2) == ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER


def test_a_gap_in_the_sequence_is_refused() -> None:
    log = a_log()
    send(log, 0)
    assert refusal(log, 2) == ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER


def test_an_unknown_producer_may_begin_at_any_sequence() -> None:
    log = a_log()
    send(log, 41)
    assert send(log, 42) == 1


def test_an_older_epoch_is_fenced_and_a_newer_one_begins_at_zero() -> None:
    log = a_log()
    send(log, 0, epoch=3)
    assert refusal(log, 1, epoch=2) == ErrorCode.INVALID_PRODUCER_EPOCH
    assert refusal(log, 1, epoch=4) == ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
    assert send(log, 0, epoch=4) == 1


def test_sequences_wrap_between_batches_and_inside_of_one() -> None:
    log = a_log()
    send(log, SEQUENCE_MAX)
    send(log, 0)
    other = a_log()
    send(other, SEQUENCE_MAX - 1, count=4)  # ..., max, 0, 1
    assert send(other, 2) == 4


def test_a_plain_batch_is_refused_while_its_producer_has_a_transaction_open() -> None:
    log = a_log()
    log.append(from_producer(7, 0, attributes=TRANSACTIONAL), leader_epoch=0, now_ms=0)
    assert refusal(log, 1) == ErrorCode.INVALID_TXN_STATE


def test_an_open_transaction_holds_the_last_stable_offset_until_its_marker() -> None:
    log = a_log()
    send(log, 0)
    log.append(from_producer(8, 0, attributes=TRANSACTIONAL), leader_epoch=0, now_ms=0)
    assert (log.last_stable_offset, log.high_watermark) == (1, 2)
    marker = build_control_batch(ControlType.COMMIT, b"\0\0\0\0\0\5", 9, producer_id=8, producer_epoch=0)
    log.append(marker, leader_epoch=0, now_ms=0)
    assert log.last_stable_offset == 3
    assert log.producers.states[8].coordinator_epoch == 5


def test_a_coordinator_may_repeat_its_sequence() -> None:
    log = a_log()
    for _ in range(2):
        log.append(from_producer(7, 0), leader_epoch=0, now_ms=0, from_client=False)
    assert log.log_end_offset == 2


def test_an_idle_producer_expires_unless_its_transaction_is_open() -> None:
    log = a_log()
    send(log, 0, timestamp_ms=1_000)
    log.append(from_producer(8, 0, attributes=TRANSACTIONAL, timestamp_ms=0), leader_epoch=0, now_ms=0)
    log.producers.expire(1_999, 1_000)
    assert set(log.producers.states) == {7, 8}
    log.producers.expire(2_000, 1_000)
    assert set(log.producers.states) == {8}


def test_the_snapshot_of_no_producers_equals_that_of_kafka() -> None:
    assert Producers().encode().hex() == "000148674bc700000000"


def test_a_snapshot_restores_all_producers() -> None:
    log = a_log()
    send(log, 5, count=3, timestamp_ms=77)
    log.append(from_producer(8, 0, attributes=TRANSACTIONAL), leader_epoch=0, now_ms=0)
    loaded = Producers()
    loaded.load(log.producers.encode())
    assert loaded.states == log.producers.states
    assert loaded.first_unstable == 3


def test_a_snapshot_with_a_flipped_bit_is_corrupt() -> None:
    log = a_log()
    send(log, 0)
    data = bytearray(log.producers.encode())
    data[-1] ^= 1
    with pytest.raises(SnapshotCorrupt):
        Producers().load(bytes(data))


@pytest.mark.parametrize("clean", [True, False])
def test_the_state_is_rebuilt_when_the_log_is_opened_again(clean: bool) -> None:
    storage = MemoryStorage()
    log = a_log(storage, segment_bytes=400)
    for n in range(10):
        send(log, n)
    if clean:
        log.close()
    again = a_log(storage, clean=clean, segment_bytes=400)
    duplicate = again.append(from_producer(7, 9), leader_epoch=0, now_ms=0)
    assert (duplicate.base_offset, duplicate.duplicate) == (9, True)
    assert send(again, 10) == 10


def test_a_corrupt_snapshot_is_ignored_and_the_log_is_read() -> None:
    storage = MemoryStorage()
    log = a_log(storage)
    send(log, 0)
    log.close()
    storage.write("orders-0/00000000000000000001.snapshot", b"nonsense")
    assert a_log(storage).producers.states[7].last_sequence == 0
