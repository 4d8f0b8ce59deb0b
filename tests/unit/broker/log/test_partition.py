from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.broker.log.builders import a_batch, a_log, all_values, from_producer, put, values_in
from tidemark.log.storage import FileStorage
from tidemark_protocol.batch import headers
from tidemark_protocol.contents import finish
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_testing.storage import FaultyStorage, MemoryStorage


def test_offsets_continue_after_the_last_batch() -> None:
    log = a_log()
    assert [put(log, b"a", b"b"), put(log, b"c"), put(log, b"d")] == [0, 2, 3]
    assert log.log_end_offset == 4
    assert all_values(log) == [(0, b"a"), (1, b"b"), (2, b"c"), (3, b"d")]


def test_append_does_not_change_a_batch_in_bytes() -> None:
    log = a_log()
    put(log, b"first")
    batch = a_batch(b"second")
    before = bytes(batch)
    log.append(batch, leader_epoch=3, now_ms=0)
    assert batch == before


def test_base_offset_and_leader_epoch_are_written_into_stored_batches() -> None:
    log = a_log()
    put(log, b"first")
    log.append(a_batch(b"second"), leader_epoch=3, now_ms=0)
    ((_, header),) = headers(log.read(1, 1000, up_to=2, at_least_one_batch=True))
    assert (header.base_offset, header.leader_epoch) == (1, 3)


def test_one_append_may_have_several_batches() -> None:
    log = a_log()
    put(log, b"first")
    appended = log.append(a_batch(b"a", b"b") + a_batch(b"c"), leader_epoch=0, now_ms=0)
    assert (appended.base_offset, appended.last_offset) == (1, 3)
    assert all_values(log) == [(0, b"first"), (1, b"a"), (2, b"b"), (3, b"c")]


def test_a_batch_larger_than_a_segment_is_refused() -> None:
    log = a_log(segment_bytes=100)
    with pytest.raises(KafkaError) as refused:
        put(log, b"x" * 100)
    assert refused.value.code == ErrorCode.RECORD_LIST_TOO_LARGE
    assert (log.log_end_offset, log.size_bytes) == (0, 0)


def test_a_read_begins_with_the_batch_that_holds_the_offset() -> None:
    log = a_log()
    put(log, b"a", b"b", b"c")
    put(log, b"d")
    assert values_in(log.read(2, 1000, up_to=4, at_least_one_batch=True))[0] == (0, b"a")
    assert values_in(log.read(3, 1000, up_to=4, at_least_one_batch=True)) == [(3, b"d")]


def test_a_read_is_cut_at_exactly_max_bytes() -> None:
    log = a_log()
    put(log, b"a")
    put(log, b"b")
    whole = log.read(0, 10_000, up_to=2, at_least_one_batch=True)
    assert log.read(0, 100, up_to=2, at_least_one_batch=True) == whole[:100]
    assert log.read(0, 10, up_to=2, at_least_one_batch=False) == whole[:10]


def test_the_first_batch_is_complete_if_requested() -> None:
    log = a_log()
    put(log, b"a")
    put(log, b"b")
    assert values_in(log.read(0, 1, up_to=2, at_least_one_batch=True)) == [(0, b"a")]
    assert log.read(0, 0, up_to=2, at_least_one_batch=False) == b""


def test_a_read_returns_no_batch_at_or_past_the_bound() -> None:
    log = a_log()
    put(log, b"a", b"b")
    put(log, b"c")
    put(log, b"d")
    assert values_in(log.read(0, 1000, up_to=3, at_least_one_batch=True)) == [(0, b"a"), (1, b"b"), (2, b"c")]
    assert log.read(2, 1000, up_to=2, at_least_one_batch=True) == b""


def test_a_read_at_the_end_is_empty_and_one_past_it_out_of_range() -> None:
    log = a_log()
    put(log, b"a")
    assert log.read(1, 100, up_to=1, at_least_one_batch=True) == b""
    for offset in (-1, 2):
        with pytest.raises(KafkaError) as refused:
            log.read(offset, 100, up_to=1, at_least_one_batch=True)
        assert refused.value.code == ErrorCode.OFFSET_OUT_OF_RANGE


def test_available_bytes_equal_the_bytes_of_a_read() -> None:
    log = a_log(segment_bytes=300)
    for n in range(10):
        put(log, b"%d" % n * 20)
    every = b"".join(bytes(stored.buf[stored.start : stored.end]) for stored in log.batches())
    assert log.available_bytes(0, up_to=10) == len(every)
    assert log.available_bytes(7, up_to=9) == 2 * len(every) // 10
    assert log.available_bytes(9, up_to=9) == 0


def test_segments_roll_by_size() -> None:
    log = a_log(segment_bytes=200)
    for _ in range(5):
        put(log, b"x" * 50)
    assert [segment.base_offset for segment in log.segments] == [0, 1, 2, 3, 4]
    assert len(all_values(log)) == 5


def test_segments_roll_by_the_time_between_their_first_batch_and_the_next() -> None:
    log = a_log(segment_ms=1000)
    put(log, timestamp_ms=5_000)
    put(log, timestamp_ms=6_000)
    put(log, timestamp_ms=6_001)
    assert [segment.base_offset for segment in log.segments] == [0, 2]


def test_a_compacted_topics_segments_roll_in_time_for_its_maximum_lag() -> None:
    for policy, expected in (("compact", 2), ("delete", 1)):
        log = a_log(cleanup_policy=frozenset({policy}), max_compaction_lag_ms=1_000)
        put(log, timestamp_ms=0)
        put(log, timestamp_ms=1_001)
        assert len(log.segments) == expected


def test_segments_roll_when_an_index_is_full() -> None:
    log = a_log(segment_index_bytes=16, index_interval_bytes=0)
    for _ in range(6):
        put(log)
    assert len(log.segments) > 1
    assert len(all_values(log)) == 6


def test_a_jitter_lets_a_segment_roll_earlier_but_never_later() -> None:
    log = a_log(segment_ms=1000, segment_jitter_ms=900)
    put(log, timestamp_ms=0)
    put(log, timestamp_ms=1001)
    assert len(log.segments) == 2


def test_a_search_by_time_finds_the_first_record_that_is_not_earlier() -> None:
    log = a_log(segment_bytes=200, index_interval_bytes=0)
    for at in (100, 300, 200, 400):
        put(log, b"x" * 20, timestamp_ms=at)
    found = [finish(log.offset_for_timestamp(at, up_to=4)) for at in (0, 100, 101, 300, 301, 401)]
    assert [place and (place.offset, place.timestamp_ms) for place in found] == [
        (0, 100),
        (0, 100),
        (1, 300),
        (1, 300),
        (3, 400),
        None,
    ]


def test_no_record_past_the_bound_is_found_by_time() -> None:
    log = a_log()
    put(log, timestamp_ms=1)
    put(log, timestamp_ms=2)
    assert finish(log.offset_for_timestamp(2, up_to=1)) is None


def test_the_largest_timestamp_names_the_first_record_that_has_it() -> None:
    log = a_log()
    assert finish(log.max_timestamp()) is None
    for at in (100, 300, 300, 200):
        put(log, timestamp_ms=at)
    found = finish(log.max_timestamp())
    assert found is not None
    assert (found.timestamp_ms, found.offset, found.leader_epoch) == (300, 1, 0)


def test_end_offsets_of_leader_epochs() -> None:
    log = a_log()
    log.append(a_batch(b"a"), leader_epoch=0, now_ms=0)
    log.append(a_batch(b"b"), leader_epoch=2, now_ms=0)
    log.append(a_batch(b"c"), leader_epoch=5, now_ms=0)
    asked = (-1, 0, 1, 2, 3, 5, 6)
    assert [log.offset_for_leader_epoch(epoch) for epoch in asked] == [
        (-1, -1),
        (0, 1),
        (0, 1),
        (2, 2),
        (2, 2),
        (5, 3),
        (-1, -1),
    ]
    assert [log.leader_epoch_at(offset) for offset in (0, 1, 2)] == [0, 2, 5]


def test_user_records_are_visible_at_once_and_internal_ones_when_synced() -> None:
    user, internal = a_log(), a_log(waits_for_sync=True)
    for log in (user, internal):
        put(log)
    assert (user.high_watermark, internal.high_watermark) == (1, 0)
    internal.mark_synced(internal.sync())
    assert internal.high_watermark == 1


def test_listeners_are_called_for_a_higher_high_watermark_until_removed() -> None:
    heard = []
    log = a_log(waits_for_sync=True)

    def listener() -> None:
        heard.append(log.high_watermark)

    log.add_listener(listener)
    put(log)
    assert heard == []
    log.mark_synced(1)
    log.remove_listener(listener)
    put(log)
    log.mark_synced(2)
    assert heard == [1]


def test_flush_messages_and_flush_ms_make_a_sync_due() -> None:
    by_count, by_time = a_log(flush_messages=2), a_log(flush_ms=500)
    for log in (by_count, by_time):
        put(log, now_ms=1_000)
    assert not by_count.flush_due(10**9)
    put(by_count)
    assert by_count.flush_due(1_000)
    assert [by_time.flush_due(now_ms) for now_ms in (1_499, 1_500)] == [False, True]
    by_time.mark_synced(by_time.sync())
    assert not by_time.flush_due(10**9)


def test_a_roll_during_a_sync_loses_nothing(tmp_path: Path) -> None:
    log = a_log(FileStorage(tmp_path), segment_bytes=200)
    put(log, b"x" * 50)
    synced = log.sync()
    put(log, b"y" * 50)  # rolls
    log.mark_synced(synced)
    assert log.recovery_point == 1
    assert bool(log.to_sync[1:]) is True  # its indexes are not written
    assert log.sync() == 2
    log.mark_synced(2)
    assert bool(log.to_sync[1:]) is False


def test_a_closed_segment_is_read_through_a_cache_of_few_files(tmp_path: Path) -> None:
    log = a_log(FileStorage(tmp_path), segment_bytes=200, open_files_max=2)
    for n in range(20):
        put(log, b"%02d" % n * 25)
    log.mark_synced(log.sync())
    for offset in (0, 13, 5, 19, 0):
        assert values_in(log.read(offset, 1, up_to=20, at_least_one_batch=True)) == [
            (offset, b"%02d" % offset * 25)
        ]


def test_the_log_start_moves_up_and_what_is_below_cannot_be_read() -> None:
    log = a_log()
    for _ in range(5):
        put(log)
    log.advance_log_start(3)
    with pytest.raises(KafkaError):
        log.read(2, 100, up_to=5, at_least_one_batch=True)
    assert values_in(log.read(3, 1, up_to=5, at_least_one_batch=True)) == [(3, b"value")]


def test_files_of_deleted_segments_are_renamed() -> None:
    storage = MemoryStorage()
    log = a_log(storage, segment_bytes=200)
    for _ in range(4):
        put(log, b"x" * 50)
    log.delete_segments(2, now_ms=0)
    assert (log.log_start_offset, len(log.segments)) == (2, 2)
    assert all_values(log) == [(2, b"x" * 50), (3, b"x" * 50)]


def test_an_empty_segment_follows_if_all_are_deleted() -> None:
    log = a_log(segment_bytes=200)
    for _ in range(3):
        put(log, b"x" * 50)
    log.delete_segments(3, now_ms=0)
    assert (log.log_start_offset, log.log_end_offset, log.size_bytes) == (3, 3, 0)
    assert put(log) == 3


def test_truncation_forgets_records_epochs_and_producers() -> None:
    log = a_log(segment_bytes=200)
    log.append(from_producer(7, 0), leader_epoch=0, now_ms=0)
    log.append(from_producer(7, 1), leader_epoch=4, now_ms=0)
    put(log, b"x" * 50)
    log.truncate_to(1)
    assert (log.log_end_offset, log.high_watermark, log.leader_epoch) == (1, 1, 0)
    assert log.producers.states[7].last_sequence == 0
    assert put(log, b"again") == 1
    assert all_values(log) == [(0, b"v"), (1, b"again")]


def test_a_failed_append_does_not_change_the_log() -> None:
    storage = FaultyStorage(seed=1)
    log = a_log(storage)
    put(log, b"first")
    storage.fail_next["append"] = 0
    with pytest.raises(OSError, match="failed"):
        put(log, b"second")
    assert log.log_end_offset == 1
    assert all_values(log) == [(0, b"first")]


def test_closing_a_log_calls_its_listeners() -> None:
    heard = []
    log = a_log()
    log.add_listener(lambda: heard.append(log.closed))
    log.abandon()
    assert heard == [True]
