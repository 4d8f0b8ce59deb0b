from __future__ import annotations

from tests.unit.broker.log.builders import TOPIC_ID, a_log, put
from tidemark.cleanup.log_retention import (
    SEGMENTS_AT_ONCE,
    SegmentFacts,
    apply_retention,
    expired,
    retention_pass,
)
from tidemark.log.manager import LogManager
from tidemark.log.settings import LogSettings
from tidemark.log.storage import StoredFile
from tidemark.settings.broker import BrokerSettings
from tidemark_testing.clock import VirtualClock
from tidemark_testing.storage import MemoryStorage


def segments(*timestamps_ms: int, size: int = 100) -> list[SegmentFacts]:
    """Segments of ten records each; the last one is active."""
    last = len(timestamps_ms) - 1
    return [SegmentFacts((n + 1) * 10, size, at, active=n == last) for n, at in enumerate(timestamps_ms)]


def count(
    facts: list[SegmentFacts],
    *,
    log_start_offset: int = 0,
    high_watermark: int = 1000,
    now_ms: int = 0,
    **settings: int,
) -> int:
    chosen = LogSettings(**{"retention_ms": -1, **settings})  # type: ignore[arg-type]
    return expired(facts, chosen, log_start_offset, high_watermark, now_ms)


def test_a_segment_is_deleted_when_its_largest_timestamp_is_older_than_retention_ms() -> None:
    facts = segments(1_000, 2_000, 3_000)
    assert count(facts, retention_ms=500, now_ms=1_500) == 0
    assert count(facts, retention_ms=500, now_ms=1_501) == 1
    assert count(facts, retention_ms=500, now_ms=2_501) == 2


def test_the_active_segment_is_deleted_if_all_records_have_expired() -> None:
    assert count(segments(1_000, 2_000), retention_ms=500, now_ms=9_000) == 2


def test_an_empty_active_segment_stays() -> None:
    facts = segments(1_000, -1)
    facts[1].size = 0
    facts[1].end_offset = 10
    assert count(facts, retention_ms=500, now_ms=9_000) == 1


def test_a_segment_that_is_too_young_also_keeps_later_segments() -> None:
    assert count(segments(1_000, 9_000, 1_000, 9_000), retention_ms=500, now_ms=9_100) == 1


def test_without_a_limit_nothing_is_deleted() -> None:
    assert count(segments(0, 0, 0), now_ms=10**15) == 0


def test_segments_are_deleted_while_the_rest_has_retention_bytes() -> None:
    facts = segments(0, 0, 0, 0)
    assert [count(facts, retention_bytes=limit) for limit in (400, 399, 300, 299, 100)] == [0, 0, 1, 1, 3]


def test_segments_below_the_log_start_are_deleted_under_any_policy() -> None:
    facts = segments(0, 0, 0)
    keep = LogSettings(cleanup_policy=frozenset({"compact"}))
    assert [expired(facts, keep, start, 30, 0) for start in (0, 9, 10, 20, 30)] == [0, 0, 1, 2, 2]


def test_a_compacted_topic_deletes_nothing_by_age() -> None:
    keep = LogSettings(cleanup_policy=frozenset({"compact"}), retention_ms=1)
    assert expired(segments(0, 0, 0), keep, 0, 30, 10**9) == 0


def test_nothing_past_the_high_watermark_is_deleted() -> None:
    assert count(segments(0, 0, 0), retention_ms=1, now_ms=100, high_watermark=15) == 1


def test_a_pass_deletes_and_moves_the_log_start() -> None:
    storage = MemoryStorage()
    log = a_log(storage, segment_bytes=200, retention_ms=1_000)
    for at in (1_000, 2_000, 3_000):
        put(log, b"x" * 50, timestamp_ms=at)
    deleted = apply_retention(log, storage, now_ms=3_500)
    assert deleted is not None
    assert (deleted.segments, deleted.log_start_offset, log.log_start_offset) == (2, 2, 2)
    assert apply_retention(log, storage, now_ms=3_500) is None


def test_a_log_whose_records_have_all_expired_continues_at_its_end() -> None:
    storage = MemoryStorage()
    log = a_log(storage, retention_ms=1_000)
    put(log, timestamp_ms=1_000)
    apply_retention(log, storage, now_ms=9_000)
    assert (log.log_start_offset, log.log_end_offset, log.size_bytes) == (1, 1, 0)
    assert put(log) == 1


def test_records_without_a_timestamp_are_as_old_as_their_file() -> None:
    storage = MemoryStorage()
    storage.now_ms = 5_000
    log = a_log(storage, retention_ms=1_000)
    put(log, timestamp_ms=-1)
    assert apply_retention(log, storage, now_ms=6_000) is None
    assert apply_retention(log, storage, now_ms=6_001) is not None


class CountingStorage(MemoryStorage):
    """Counts the files that are opened, and the lists of directories."""

    opened = listed = 0

    def open(self, path: str, *, create: bool = False) -> StoredFile:
        self.opened += 1
        return super().open(path, create=create)

    def list(self, directory: str = "") -> list[tuple[str, int]]:
        self.listed += 1
        return super().list(directory)


def test_many_segments_are_deleted_a_few_at_a_time() -> None:
    """After a restart no segment is open, and no timestamp is known."""
    storage = CountingStorage()
    topic = LogSettings(retention_ms=1_000)
    manager = LogManager(storage, BrokerSettings(), VirtualClock(), lambda name: topic)
    manager.open()
    log = manager.create("orders", 0, TOPIC_ID)
    for at in range(100):
        put(log, timestamp_ms=at)
        log.roll(0)
    put(log, timestamp_ms=9_000)
    manager.close()
    again = LogManager(storage, BrokerSettings(), VirtualClock(), lambda name: topic)
    again.open()
    found = again.get("orders", 0)
    assert found is not None
    left = len(found.segments)
    storage.listed = storage.opened = 0
    deleted = []
    for step in retention_pass(again, now_ms=5_000):
        now_left = len(found.segments)
        assert left - now_left <= SEGMENTS_AT_ONCE
        assert storage.opened <= 2 * SEGMENTS_AT_ONCE
        storage.opened, left = 0, now_left
        deleted += [step] if step is not None else []
    assert [(each.segments, each.log_start_offset) for each in deleted] == [(100, 100)]
    assert storage.listed <= 1
    assert [name for name, _ in storage.list("orders-0") if name.endswith(".snapshot")] == [
        "00000000000000000100.snapshot",
        "00000000000000000101.snapshot",
    ]


def test_a_log_that_is_deleted_between_two_steps_ends_its_part_of_the_pass() -> None:
    topic = LogSettings(retention_ms=1_000)
    manager = LogManager(MemoryStorage(), BrokerSettings(), VirtualClock(), lambda name: topic)
    manager.open()
    log = manager.create("orders", 0, TOPIC_ID)
    for at in range(100):
        put(log, timestamp_ms=at)
        log.roll(0)
    steps = retention_pass(manager, now_ms=5_000)
    next(steps)
    manager.delete("orders", 0)
    assert [each.segments for each in steps if each is not None] == [SEGMENTS_AT_ONCE]
