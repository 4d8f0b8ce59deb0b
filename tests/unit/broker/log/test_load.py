from __future__ import annotations

import pytest

from tests.unit.broker.garbage import garbage, no_collector
from tests.unit.broker.log.builders import a_batch, a_log, all_values, put
from tidemark.log.errors import CorruptLog
from tidemark.log.partition import PartitionLog
from tidemark_protocol.contents import finish
from tidemark_testing.storage import FaultyStorage, MemoryStorage

LOG = "orders-0/00000000000000000000.log"


def written(storage: MemoryStorage, count: int = 4, **settings: int) -> PartitionLog:
    """A log that was killed: nothing was closed."""
    log = a_log(storage, **settings)
    for n in range(count):
        put(log, b"value %d" % n)
    return log


def flip(storage: MemoryStorage, path: str, position: int) -> None:
    data = bytearray(storage.read(path))
    data[position] ^= 0x40
    storage.write(path, bytes(data))


def test_after_a_clean_stop_the_log_continues_at_its_end() -> None:
    storage = MemoryStorage()
    log = written(storage, 20, segment_bytes=300, index_interval_bytes=0)
    log.close()
    again = a_log(storage, recovery_point=20, segment_bytes=300)
    assert (again.log_end_offset, again.recovered) == (20, None)
    assert put(again, b"next") == 20
    assert len(all_values(again)) == 21


def test_after_a_kill_nothing_that_was_written_is_lost() -> None:
    storage = MemoryStorage()
    written(storage, 20, segment_bytes=300)
    again = a_log(storage, clean=False)
    assert (again.log_end_offset, again.recovered) == (20, None)
    assert len(all_values(again)) == 20


def test_a_torn_last_batch_is_cut_and_reported() -> None:
    storage = MemoryStorage()
    log = written(storage)
    size = log.size_bytes
    storage.open(LOG).truncate(size - 5)
    again = a_log(storage, clean=False)
    assert again.recovered is not None
    assert again.recovered.log_end_offset == again.log_end_offset == 3
    assert (again.recovered.file, again.recovered.bytes_dropped) == (LOG, size // 4 - 5)
    assert again.recovered.position == again.size_bytes == 3 * size // 4
    assert put(again, b"next") == 3


def test_recovery_that_cuts_a_log_leaves_nothing_to_the_garbage_collector() -> None:
    # The traceback of the bad batch refers to the window in which it was read, of up to 4 MB.
    storage = MemoryStorage()
    log = written(storage)
    storage.open(LOG).truncate(log.size_bytes - 5)
    with no_collector():
        again = a_log(storage, clean=False)
        assert not garbage()
    assert again.recovered is not None


def test_the_log_ends_before_the_first_bad_crc_and_later_segments_are_removed() -> None:
    storage = MemoryStorage()
    log = written(storage, 6, segment_bytes=200)
    size, segments = log.size_bytes, log.segments
    flip(storage, segments[1].path(".log"), segments[1].size - 2)
    again = a_log(storage, clean=False, segment_bytes=200)
    assert again.recovered is not None
    assert (again.recovered.reason, again.log_end_offset) == ("the CRC differs", 3)
    assert again.recovered.bytes_dropped == size - again.size_bytes
    assert len(again.segments) == 2
    assert len(all_values(again)) == 3


def test_preallocated_zeros_at_the_end_are_cut() -> None:
    storage = MemoryStorage()
    log = written(storage)
    size = log.size_bytes
    storage.open(LOG).append(bytes(10_000))
    again = a_log(storage, clean=False)
    assert (again.log_end_offset, again.size_bytes) == (4, size)
    assert again.recovered is not None
    assert (again.recovered.bytes_dropped, again.recovered.reason) == (10_000, "only zeros follow")


def test_a_bad_batch_before_the_recovery_point_prevents_the_start() -> None:
    storage = MemoryStorage()
    log = written(storage)
    one = log.size_bytes // 4
    flip(storage, LOG, one + 16)  # the magic byte
    with pytest.raises(CorruptLog) as refused:
        a_log(storage, clean=False, recovery_point=3)
    assert (refused.value.file, refused.value.position) == (LOG, one)
    assert a_log(storage, clean=False, recovery_point=3, accept_corruption=True).log_end_offset == 1


def test_missing_durable_records_prevent_the_start() -> None:
    storage = MemoryStorage()
    log = written(storage)
    storage.open(LOG).truncate(log.size_bytes // 2)
    with pytest.raises(CorruptLog, match="ends at offset 2, but 3 was on the disk"):
        a_log(storage, clean=False, recovery_point=3)
    with pytest.raises(CorruptLog, match="ends at offset 2"):
        a_log(storage, clean=True, recovery_point=3)


def test_crcs_below_the_recovery_point_are_not_checked() -> None:
    storage = MemoryStorage()
    log = written(storage)
    flip(storage, LOG, log.size_bytes // 4 - 2)
    assert a_log(storage, clean=False, recovery_point=4).log_end_offset == 4


def test_reading_all_batches_reports_a_bad_one() -> None:
    storage = MemoryStorage()
    log = written(storage)
    log.close()
    one = log.size_bytes // 4
    flip(storage, LOG, 2 * one - 2)
    with pytest.raises(CorruptLog) as refused:
        all_values(a_log(storage, recovery_point=4))
    assert (refused.value.file, refused.value.position) == (LOG, one)
    assert len(list(a_log(storage, recovery_point=4).batches(check=False))) == 4


def test_an_offset_that_no_index_can_hold_ends_the_log() -> None:
    storage = MemoryStorage()
    size = written(storage, 4).size_bytes
    flip(storage, LOG, 3 * size // 4 + 3)  # of the last batch's base offset, which its CRC does not cover
    again = a_log(storage, clean=False, index_interval_bytes=0)
    assert again.recovered is not None
    assert again.recovered.reason == f"offset {3 + (0x40 << 32)} in a segment that begins at 0"
    assert again.log_end_offset == 3


def test_a_wrong_base_offset_at_the_end_of_a_closed_log_prevents_the_start() -> None:
    storage = MemoryStorage()
    log = written(storage, 4, index_interval_bytes=0)
    size = log.size_bytes
    log.close()
    flip(storage, LOG, 3 * size // 4 + 3)
    with pytest.raises(CorruptLog, match="in a segment that begins at 0"):
        a_log(storage, recovery_point=4, index_interval_bytes=0)


def test_offsets_that_do_not_rise_end_the_log() -> None:
    storage = MemoryStorage()
    written(storage, 2)
    data = storage.read(LOG)
    storage.write(LOG, data + data)
    assert a_log(storage, clean=False).log_end_offset == 2


@pytest.mark.parametrize("suffix", [".index", ".timeindex"])
@pytest.mark.parametrize("harm", [None, b"nonsense", bytes(1200), b"\xff" * 24])
def test_missing_or_corrupt_indexes_are_rebuilt(suffix: str, harm: bytes | None) -> None:
    storage = MemoryStorage()
    settings = {"segment_bytes": 700, "index_interval_bytes": 0}
    log = a_log(storage, **settings)
    for n in range(20):
        put(log, b"%02d" % n, timestamp_ms=1_000 + n)
    log.close()
    good = {base: storage.read(f"orders-0/{base:020d}{suffix}") for base in log._bases}
    for base in good:
        path = f"orders-0/{base:020d}{suffix}"
        storage.remove(path)
        if harm is not None:
            storage.write(path, harm)
    again = a_log(storage, recovery_point=20, **settings)
    assert again.log_end_offset == 20
    for n in range(20):
        found = finish(again.offset_for_timestamp(1_000 + n, up_to=20))
        assert found is not None
        assert found.offset == n
        assert again.read(n, 1, up_to=20, at_least_one_batch=True)
    again.close()
    assert storage.read(f"orders-0/{0:020d}.log") is not None


def test_leftovers_of_deletion_and_compaction_are_removed() -> None:
    storage = MemoryStorage()
    written(storage).close()
    for name in (
        "00000000000000000000.log.deleted",
        "00000000000000000000.log.cleaned",
        "00000000000000000009.index",
    ):
        storage.write(f"orders-0/{name}", b"x")
    a_log(storage, recovery_point=4)
    left = {name for name, _ in storage.list("orders-0")}
    assert not {
        name
        for name in left
        if name.endswith((".deleted", ".cleaned")) or name.startswith("00000000000000000009")
    }


def test_leader_epochs_are_rebuilt_from_batches_if_their_file_is_missing() -> None:
    storage = MemoryStorage()
    log = a_log(storage)
    put(log)
    log.begin_epoch(3)
    log.append(b"".join([_batch()]), leader_epoch=3, now_ms=0)
    storage.remove("orders-0/leader-epoch-checkpoint")
    again = a_log(storage, clean=False)
    assert [again.leader_epoch_at(0), again.leader_epoch_at(1)] == [0, 3]


def _batch() -> bytes:
    from tests.unit.broker.log.builders import a_batch

    return a_batch(b"later")


def test_the_index_of_an_earlier_stop_is_not_used_once_the_segment_has_grown() -> None:
    storage = FaultyStorage(seed=0)
    log = a_log(storage, index_interval_bytes=0)
    put(log, timestamp_ms=1)
    log.close()
    log = a_log(storage, recovery_point=1, index_interval_bytes=0)
    put(log, timestamp_ms=2)
    log.roll(0)
    storage.kill()
    again = a_log(storage, clean=False, recovery_point=2)
    found = finish(again.offset_for_timestamp(2, up_to=2))
    assert found is not None
    assert found.offset == 1


def test_recovered_records_survive_a_later_power_cut() -> None:
    for seed in range(20):
        storage = FaultyStorage(seed)
        log = a_log(storage)
        put(log)
        log.roll(0)
        put(log)
        storage.kill()
        assert a_log(storage, clean=False, waits_for_sync=True).high_watermark == 2
        storage.crash()
        assert a_log(storage, clean=False, recovery_point=2).log_end_offset == 2


def test_recovery_does_not_sync_a_user_log_or_move_its_recovery_point() -> None:
    storage = MemoryStorage()
    log = written(storage, 6, segment_bytes=200)
    log.mark_synced(2)
    again = a_log(storage, clean=False, recovery_point=2, segment_bytes=200)
    assert (again.high_watermark, again.recovery_point, bool(again.to_sync[1:])) == (6, 2, True)
    again.mark_synced(again.sync())
    assert (again.recovery_point, bool(again.to_sync[1:])) == (6, False)


@pytest.mark.parametrize("seed", range(100))
def test_synced_records_survive_a_power_cut(seed: int) -> None:
    storage = FaultyStorage(seed)
    log = a_log(storage, segment_bytes=400)
    storage.sync_directory("")
    synced = 0
    for n in range(30):
        put(log, b"value %d" % n)
        if (n * 7 + seed) % 5 == 0:
            synced = log.sync()
            log.mark_synced(synced)
    storage.crash()
    again = a_log(storage, clean=False, recovery_point=synced if seed % 2 else 0, segment_bytes=400)
    found = all_values(again)
    assert len(found) == again.log_end_offset >= synced
    assert found == [(n, b"value %d" % n) for n in range(len(found))]
    put(again, b"next")
    assert all_values(again)[-1] == (len(found), b"next")


def test_a_log_that_ends_below_its_start_continues_at_its_start() -> None:
    """A power cut took the end of a log whose first records had been deleted. Kafka: LogLoader.recoverLog."""
    storage = MemoryStorage()
    log = a_log(storage)
    for _ in range(3):
        log.append(a_batch(b"old"), leader_epoch=0, now_ms=0)
    for clean in (False, True):
        again = a_log(storage, log_start_offset=7, clean=clean)
        assert (again.log_start_offset, again.log_end_offset) == (7, 7)
        again.abandon()
    last = a_log(storage, log_start_offset=7)
    last.append(a_batch(b"new"), leader_epoch=0, now_ms=0)
    assert (last.log_start_offset, last.log_end_offset) == (7, 8)
    assert (a_log(storage).log_start_offset, a_log(storage).log_end_offset) == (7, 8)
