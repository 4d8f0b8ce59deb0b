"""A log directory of which is known what expires, lags, rewinds and was removed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tests.pipeline.made_logs import batch, metadata, segment, topic
from tidemark_protocol.batch import BatchBuilder
from tidemark_protocol.records.offset_commit import OffsetCommitKey, OffsetCommitValue
from tidemark_protocol.stored import CoordinatorCodec

MINUTE: Final = 60_000
HOUR: Final = 60 * MINUTE
DAY: Final = 24 * HOUR
RETENTION: Final = ("--retention-minutes", "1440")  # a day
FLEET: Final = 25
CODEC: Final = CoordinatorCodec()
QUOTED: Final = 'two\nlines, "quoted" \\'

# When, relative to now, and which offset; None: a tombstone. None of these groups has members, so each offset
# expires a day after its commit.
Event = tuple[int, str, str, int, int | None]
STORY: Final[Sequence[Event]] = (
    (-25 * HOUR, "going", "orders", 0, 990),  # overdue for an hour
    (-23 * HOUR, "going", "orders", 1, 490),
    (-23 * HOUR, "going", "payments", 0, 10),
    (-1 * HOUR, "going", "payments", 1, 10),  # stays for 23 hours
    *((-14 * HOUR, f"fleet-{number:02}", "orders", 0, 1000) for number in range(FLEET)),
    (-2 * HOUR, "behind", "orders", 0, 100),  # 900 unread
    (-2 * HOUR, "behind", "orders", 1, 0),  # 500 unread
    (-2 * HOUR, "rewinder", "orders", 0, 999),
    (-90 * MINUTE, "rewinder", "orders", 0, 990),
    (-80 * MINUTE, "rewinder", "orders", 0, 985),
    (-10 * HOUR, QUOTED, "orders", 0, 999),
    (-9 * HOUR, QUOTED, "orders", 0, 998),
    (-3 * HOUR, "forgotten", "orders", 0, 999),
    (-30 * MINUTE, "forgotten", "orders", 0, None),  # much too young to expire
    (-24 * HOUR - 30 * MINUTE, "expired", "orders", 0, 999),
    (-20 * MINUTE, "expired", "orders", 0, None),
    (-24 * HOUR - 15 * MINUTE, "returned", "orders", 0, 999),  # not due in the pass before
    (-10 * MINUTE, "returned", "orders", 0, None),
    (-5 * MINUTE, "returned", "orders", 0, 1000),
)
# The offsets that are left.
LEFT: Final = {event[1:4] for event in STORY} - {("forgotten", "orders", 0), ("expired", "orders", 0)}


def told(directory: Path, now_ms: int) -> Path:
    """Write the story as a log directory: orders-0 ends at 1000, orders-1 at 500, payments is elsewhere."""
    events = sorted(STORY, key=lambda event: event[0])
    batches = [written(offset, now_ms + when, *event) for offset, (when, *event) in enumerate(events)]
    created = metadata(topic("orders", b"o" * 16, 2), at_ms=now_ms - 9 * DAY)
    segment(directory / "__consumer_offsets-0", 0, *batches)
    segment(directory / "__cluster_metadata-0", 0, created)
    segment(directory / "orders-0", 0, batch(0, 1000))
    segment(directory / "orders-1", 0, batch(0, 500))
    return directory


def written(at: int, at_ms: int, group: str, name: str, partition: int, offset: int | None) -> bytes:
    """Return a batch with a commit or a tombstone."""
    commit = OffsetCommitValue(offset=offset or 0, commit_timestamp=at_ms, leader_epoch=-1)
    builder = BatchBuilder(at_ms)
    builder.add(*CODEC.encode(OffsetCommitKey(group, name, partition), None if offset is None else commit))
    return builder.build(at, 0)
