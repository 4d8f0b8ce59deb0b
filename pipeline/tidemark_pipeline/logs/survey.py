"""Survey a log partition by the headers of its batches: transactions and their outcomes, ends, gaps.

Each batch is visited once. A later survey continues an earlier one and visits appended batches only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Any, Final

import numpy as np

from tidemark_pipeline.logs.batches import Batches
from tidemark_pipeline.logs.files import SegmentGone
from tidemark_pipeline.logs.hopping import Hopped, hop_segment
from tidemark_pipeline.model import Damage, Marker, OffsetsLog, OnError, PipelineError, Segment, Survey, Task
from tidemark_protocol.batch import CONTROL, NO_TIMESTAMP, TRANSACTIONAL, BatchError, ControlType

OFFSETS_MAX: Final = 2**31  # the largest segment that an index can address
THREADS: Final = 16  # threads wait for object stores; a local disk needs few
_OUTCOMES: Final = {ControlType.ABORT: False, ControlType.COMMIT: True}


@dataclass(slots=True)
class _Walk:
    """A survey in progress. The fields are those of Survey."""

    next_offset: int
    markers: dict[int, list[Marker]] = field(default_factory=dict)
    open_transactions: dict[int, int] = field(default_factory=dict)
    newest_timestamp_ms: int = NO_TIMESTAMP
    first_offset: int | None = None
    first_timestamp_ms: int = NO_TIMESTAMP
    complete_from: int | None = None
    complete_from_ms: int = NO_TIMESTAMP
    torn: tuple[str, int, str] | None = None
    end: tuple[str, int] | None = None
    holes: list[tuple[int, int]] = field(default_factory=list)
    gap_inside_until: int = 0
    damaged: list[Damage] = field(default_factory=list)


def survey(
    log: OffsetsLog,
    *,
    as_of_ms: int | None = None,
    cached: Survey | None = None,
    on_error: OnError = "stop_at_tail",
) -> Survey:
    """Survey one log partition.

    cached: an earlier survey of the same log, made without as_of_ms. It is ignored if the log has become
    shorter: a follower truncates records that its new leader does not have. Raises PipelineError for damage
    unless on_error is skip, and with on_error=fail for a torn tail; SegmentGone if the cleaner replaced a
    segment: list the log again.
    """
    goes_on = cached is not None and log.segments[0].base_offset <= cached.next_offset <= log.end_offset
    walk = _taken_up(cached) if cached is not None and goes_on else _Walk(log.segments[0].base_offset)
    for segment, start in _left(log, walk):
        following = (each.base_offset for each in log.segments if each.base_offset > segment.base_offset)
        end_offset = min(following, default=None)
        hopped = hop_segment(
            segment,
            start=start,
            next_offset=segment.base_offset,
            end_offset=end_offset,
            on_error=on_error,
        )
        _check_end(hopped.batches, segment, end_offset)
        _take(walk, log, segment, hopped)
    _take_end(walk, log)
    found = _surveyed(log, walk)
    return found if as_of_ms is None else as_of(found, as_of_ms)


def survey_all(
    logs: Iterable[OffsetsLog],
    *,
    as_of_ms: int | None = None,
    cached: Mapping[int, Survey] | None = None,
    on_error: OnError = "stop_at_tail",
) -> dict[int, Survey]:
    """Survey several logs in parallel. Returns the surveys by log partition."""
    earlier = cached or {}

    def one(log: OffsetsLog) -> Survey:
        return survey(log, as_of_ms=as_of_ms, cached=earlier.get(log.log_partition), on_error=on_error)

    with ThreadPoolExecutor(THREADS) as pool:
        return {found.log_partition: found for found in pool.map(one, logs)}


def as_of(found: Survey, as_of_ms: int) -> Survey:
    """Return the survey as of an earlier time: later batches do not count, and later markers have not
    decided.
    """
    decided: dict[int, Sequence[Marker]] = {}
    undecided = dict(found.open_transactions)
    for producer_id, markers in found.markers.items():
        then = tuple(takewhile(lambda marker: marker.timestamp_ms <= as_of_ms, markers))
        if then:
            decided[producer_id] = then
        if len(then) < len(markers):
            undecided[producer_id] = markers[len(then)].first_offset
    return replace(
        found,
        markers=decided,
        open_transactions=undecided,
        last_stable_offset=min(undecided.values(), default=found.next_offset),
    )


def tasks(
    log: OffsetsLog, found: Survey, first_offset: int | None = None, end_offset: int | None = None
) -> list[Task]:
    """Return a task for each segment that has offsets from first to below end.

    end None: to the end of the survey. A task has the markers that decide about batches in its segment.
    """
    first = max(log.start_offset, log.start_offset if first_offset is None else first_offset)
    end = found.next_offset if end_offset is None else min(end_offset, found.next_offset)
    ends = [*(segment.base_offset for segment in log.segments[1:]), found.next_offset]
    return [
        Task(
            segment,
            max(first, segment.base_offset),
            min(end, behind),
            _deciding(found, segment, behind),
            tuple((each.byte, each.end) for each in found.damaged if each.path == segment.path),
        )
        for segment, behind in zip(log.segments, ends, strict=True)
        if max(first, segment.base_offset) < min(end, behind)
    ]


def _deciding(found: Survey, segment: Segment, behind: int) -> dict[int, Sequence[Marker]]:
    """Return the markers of transactions that have batches in the segment."""
    deciding = {
        producer_id: tuple(
            marker
            for marker in markers
            if marker.offset > segment.base_offset and marker.first_offset < behind
        )
        for producer_id, markers in found.markers.items()
    }
    return {producer_id: markers for producer_id, markers in deciding.items() if markers}


def _taken_up(cached: Survey) -> _Walk:
    return _Walk(
        cached.next_offset,
        {producer_id: list(markers) for producer_id, markers in cached.markers.items()},
        dict(cached.open_transactions),
        cached.newest_timestamp_ms,
        cached.first_offset,
        cached.first_timestamp_ms,
        cached.complete_from,
        cached.complete_from_ms,
        end=cached.end,
        holes=list(cached.holes),
        gap_inside_until=cached.gap_inside_until,
        damaged=list(cached.damaged),
    )


def _left(log: OffsetsLog, walk: _Walk) -> Iterable[tuple[Segment, int]]:
    """Return the segments that hold offsets from next_offset on, and the byte to begin at.

    The byte of an earlier survey counts in the active segment only: the cleaner rewrites the others.
    """
    ends = [segment.base_offset for segment in log.segments[1:]]
    for segment, behind in zip(log.segments, [*ends, None], strict=True):
        if behind is None or behind > walk.next_offset:
            path, byte = walk.end or ("", 0)
            goes_on = behind is None and path == segment.path and byte <= segment.bytes
            yield segment, byte if goes_on else 0


def _check_end(batches: Batches, segment: Segment, end_offset: int | None) -> None:
    """Raise SegmentGone if a segment overlaps the next one: the cleaner has merged both meanwhile.

    If they still overlap when looked at again, it is not known which of them counts.
    """
    end = segment.base_offset + OFFSETS_MAX if end_offset is None else end_offset
    if len(batches.positions) and batches.next_offsets[-1] > end:
        raise SegmentGone(
            f"{segment.path} reaches to offset {batches.next_offsets[-1] - 1}, and should end before {end}"
        )


def _take(walk: _Walk, log: OffsetsLog, segment: Segment, hopped: Hopped) -> None:
    batches = _counted(hopped.batches, walk.next_offset, log.read_below)
    damaged = list(_damaged(walk, log, segment, hopped))
    if len(batches.positions):
        _take_hole(walk, segment, batches)
        _take_times(walk, batches.headers, batches.next_offsets, log.start_offset)
    if len(batches.positions) or damaged:
        _take_transactions(walk, segment, hopped, batches, damaged)
    if len(batches.positions):
        walk.next_offset = int(batches.next_offsets[-1])
    walk.end = (segment.path, batches.end)
    if hopped.ends is not None and hopped.ends.reason is not None:
        walk.torn = (segment.path, hopped.ends.byte, hopped.ends.reason)


def _damaged(walk: _Walk, log: OffsetsLog, segment: Segment, hopped: Hopped) -> Iterator[Damage]:
    """Yield the damage of a segment, with the offsets that its bytes may have had."""
    positions, headers = hopped.batches.positions, hopped.batches.headers
    later = (each.base_offset for each in log.segments if each.base_offset > segment.base_offset)
    end_of_segment = min(later, default=None)
    for begin, end, reason in hopped.damaged:
        at = int(np.searchsorted(positions, begin))
        first = int(hopped.batches.next_offsets[at - 1]) if at else max(segment.base_offset, walk.next_offset)
        behind = int(headers["base_offset"][at]) if at < len(positions) else end_of_segment
        assert behind is not None  # the damage ends before a batch, or before another segment
        yield Damage(segment.path, begin, end, reason, first, behind)


def _counted(batches: Batches, next_offset: int, read_below: int | None) -> Batches:
    """Return the batches from next_offset to below the high watermark."""
    if not len(batches.positions):
        return batches
    keep = batches.next_offsets > next_offset
    end = batches.end
    if read_below is not None:
        below = batches.headers["base_offset"] < read_below
        keep &= below
        end = end if below.all() else int(batches.positions[np.argmin(below)])
    return Batches(batches.positions[keep], batches.headers[keep], end)


def _take_times(walk: _Walk, headers: Any, next_offsets: Any, start_offset: int) -> None:
    """Read the times. A cleaned batch's base timestamp may be wrong, its largest is not."""
    times = headers["max_timestamp"]
    bases = headers["base_offset"].astype(np.int64)
    there = next_offsets > start_offset
    if not there.any():
        return
    walk.newest_timestamp_ms = max(walk.newest_timestamp_ms, int(times[there].max()))
    if walk.first_offset is None:
        at = int(np.argmax(there))
        walk.first_offset = walk.complete_from = max(int(bases[at]), start_offset)
        walk.first_timestamp_ms = walk.complete_from_ms = int(times[at])
    missing_before = bases > np.concatenate(([walk.next_offset], next_offsets[:-1]))
    missing_inside = headers["count"] != headers["last_offset_delta"] + 1
    _take_gaps(walk, np.where(missing_inside, next_offsets, np.where(missing_before, bases, -1)), times)


def _take_hole(walk: _Walk, segment: Segment, batches: Batches) -> None:
    """Find offsets that are missing before a segment, and the last ones that are missing within it."""
    bases = batches.headers["base_offset"].astype(np.int64)
    told = bool(walk.damaged) and walk.damaged[-1].end_offset >= segment.base_offset
    if walk.first_offset is not None and segment.base_offset > walk.next_offset and not told:
        walk.holes.append((walk.next_offset, segment.base_offset))
    begin = max(segment.base_offset, walk.next_offset)
    before = bases > np.concatenate(([begin], batches.next_offsets[:-1]))
    inside = batches.headers["count"] != batches.headers["last_offset_delta"] + 1
    behind = np.where(inside, batches.next_offsets, np.where(before, bases, 0))
    walk.gap_inside_until = max(walk.gap_inside_until, int(behind.max()))


def _take_gaps(walk: _Walk, behind: Any, times: Any) -> None:
    """Find gaps. behind: the offset after the records missing in or before each batch; -1: none is
    missing.
    """
    found = np.flatnonzero(behind >= 0)
    if len(found):
        at = int(found[-1])
        walk.complete_from = int(behind[at])
        walk.complete_from_ms = int(times[at])


def _take_transactions(
    walk: _Walk, segment: Segment, hopped: Hopped, batches: Batches, damaged: Sequence[Damage]
) -> None:
    """Read the markers. Damage aborts the transactions that are open there.

    It may have hidden their marker, and a later one would be of another transaction.
    """
    left = list(damaged)
    headers = batches.headers
    wanted = (
        (headers["producer_id"] >= 0) & (headers["attributes"] & TRANSACTIONAL != 0) & (headers["count"] > 0)
    )
    of = headers[wanted]
    columns = (of["producer_id"], of["base_offset"], of["max_timestamp"], of["attributes"] & CONTROL)
    rows = zip(*(column.tolist() for column in columns), batches.positions[wanted].tolist(), strict=True)
    for producer_id, offset, timestamp_ms, control, position in rows:
        while left and left[0].byte < position:
            _take_damage(walk, left.pop(0))
        if not control:
            walk.open_transactions.setdefault(producer_id, offset)
            continue
        committed = _outcome(hopped, segment, position)
        first_offset = walk.open_transactions.pop(producer_id, None)
        if first_offset is not None:
            marker = Marker(offset, committed, timestamp_ms, first_offset)
            walk.markers.setdefault(producer_id, []).append(marker)
    for each in left:
        _take_damage(walk, each)


def _take_damage(walk: _Walk, damage: Damage) -> None:
    walk.damaged.append(replace(damage, undecided=len(walk.open_transactions)))
    for producer_id, first_offset in walk.open_transactions.items():
        aborted = Marker(
            damage.first_offset, committed=False, timestamp_ms=NO_TIMESTAMP, first_offset=first_offset
        )
        walk.markers.setdefault(producer_id, []).append(aborted)
    walk.open_transactions.clear()


def _outcome(hopped: Hopped, segment: Segment, position: int) -> bool:
    """Return whether the marker commits. As in Kafka, a marker that cannot be read fails the partition."""
    found = hopped.control_types[position]
    if isinstance(found, BatchError):
        raise PipelineError(
            f"{segment.path}, byte {position}: the end of a transaction cannot be read: {found}"
        )
    if found not in _OUTCOMES:
        raise PipelineError(
            f"{segment.path}, byte {position}: control record of type {found} of a transaction"
        )
    return _OUTCOMES[found]


def _take_end(walk: _Walk, log: OffsetsLog) -> None:
    """Set the end of the log. An active segment without a batch begins there."""
    end = max(walk.next_offset, log.segments[-1].base_offset)
    walk.next_offset = end if log.read_below is None else min(end, max(log.read_below, log.start_offset))


def _surveyed(log: OffsetsLog, walk: _Walk) -> Survey:
    return Survey(
        log.log_partition,
        {producer_id: tuple(markers) for producer_id, markers in walk.markers.items()},
        walk.next_offset,
        min(walk.open_transactions.values(), default=walk.next_offset),
        walk.newest_timestamp_ms,
        walk.first_offset,
        walk.torn,
        walk.open_transactions,
        walk.first_timestamp_ms,
        walk.complete_from,
        walk.complete_from_ms,
        walk.end,
        tuple(walk.holes),
        walk.gap_inside_until,
        tuple(walk.damaged),
    )
