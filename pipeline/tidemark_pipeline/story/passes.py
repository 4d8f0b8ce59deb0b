"""Cleanup passes, seen from the removals of all log partitions together: what has likely expired, and why."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from tidemark_pipeline.report.words import in_words, plural, span
from tidemark_pipeline.retention import MOMENTS_MIN, SPREAD, WEEK_MS, Retention
from tidemark_pipeline.story.removal import EXPIRED, GROUP_DELETE, OFFSET_DELETE, UNKNOWN, Ended

BURST_MS: Final = 1_000  # the passes of all log partitions begin together
DEFAULT_FITS: Final = "Kafka's default retention of 7 d fits"


@dataclass(slots=True, frozen=True)
class Burst:
    """Removals within a moment.

    refuted: one of them cannot have expired. since_ms: since the last such burst; None: not known.
    """

    at_ms: int
    last_ms: int
    offsets: int
    groups: int
    log_partitions: int
    refuted: bool = False
    since_ms: int | None = None

    @property
    def reason(self) -> str:
        """Return why it looks like a pass, as a clause."""
        said = f"{plural(self.offsets, 'offset')} of {plural(self.groups, 'group')} were removed within "
        said += f"{self.last_ms - self.at_ms} ms"
        if self.since_ms is not None:
            said += f", {span(self.since_ms)} after the last such burst"
        return f"{said}, as cleanup passes do"


def find_likely(removed: Sequence[Ended], retention: Retention) -> None:
    """Find out which offsets whose cause is not certain have likely expired, and why."""
    found = passes(bursts(removed), retention.check_interval_ms)
    ends = [burst.last_ms for burst in found]
    for each in removed:
        if each.cause != UNKNOWN or EXPIRED not in each.possible:
            continue
        at = bisect_left(ends, each.at_ms)
        reasons = [found[at].reason] if at < len(found) and found[at].at_ms <= each.at_ms else []
        if not retention.is_known and fits_default(each.together_ms, retention):
            reasons.append(DEFAULT_FITS)
        each.likely = in_words(reasons) if reasons else None


def fits_default(age_ms: int | None, retention: Retention) -> bool:
    """Return whether the first passes after Kafka's default retention remove an offset at this age."""
    return age_ms is not None and 0 <= age_ms - WEEK_MS <= default_late_ms(retention)


def default_late_ms(retention: Retention) -> int:
    return max(retention.late_ms, WEEK_MS // (SPREAD * SPREAD))


def contradiction(removed: Iterable[Ended], retention: Retention) -> str | None:
    """Return a sentence if offsets that were not due under the known retention went as passes remove them.

    They went at several moments, each time those of several groups in several log partitions, and the moments
    are a multiple of one interval apart. `Retention.contradiction` needs offsets of two kinds instead.
    """
    if not retention.is_known or retention.contradiction is not None:
        return retention.contradiction
    not_due = [each for each in removed if each.cause in (GROUP_DELETE, OFFSET_DELETE)]
    found = [burst for burst in bursts(not_due) if burst.groups > 1 and burst.log_partitions > 1]
    times = [burst.at_ms for burst in found]
    if len(found) < MOMENTS_MIN or _interval(times, retention.check_interval_ms) is None:
        return None
    return (
        f"offsets of several groups were removed at one moment, {len(found)} times, as cleanup passes do, "
        f"though none was due under {retention.text}: is that the retention of this cluster?"
    )


def bursts(removed: Iterable[Ended]) -> list[Burst]:
    """Return the moments at which offsets were removed, in order."""
    together: list[list[Ended]] = []
    for each in sorted(removed, key=lambda each: each.at_ms):
        if together and each.at_ms - together[-1][-1].at_ms <= BURST_MS:
            together[-1].append(each)
        else:
            together.append([each])
    return [
        Burst(
            same[0].at_ms,
            same[-1].at_ms,
            len(same),
            len({(each.log_partition, each.group) for each in same}),
            len({each.log_partition for each in same}),
            any(EXPIRED not in each.possible for each in same),
        )
        for same in together
    ]


def passes(found: Iterable[Burst], check_interval_ms: int) -> list[Burst]:
    """Return the bursts that look like cleanup passes, with since_ms. found: in order.

    Every log partition has a timer, and all timers begin when the coordinator loads them. So a pass removes
    offsets of many groups at one moment, and the moments are a multiple of an interval apart. A removal that
    cannot have expired makes its burst none.
    """
    several = [burst for burst in found if burst.groups > 1 and not burst.refuted]
    times = [burst.at_ms for burst in several]
    interval_ms = _interval(times, check_interval_ms)
    if interval_ms is None:
        return []
    regular: list[Burst] = []
    for at, burst in enumerate(several):

        def fits(other: int, at_ms: int = burst.at_ms) -> bool:
            return _is_multiple(at_ms - times[other], interval_ms)

        before = next(filter(fits, range(at - 1, -1, -1)), None)
        if before is not None:
            regular.append(replace(burst, since_ms=burst.at_ms - times[before]))
        elif any(map(fits, range(at + 1, len(times)))):
            regular.append(burst)
    return regular


def _interval(times: Sequence[int], check_interval_ms: int) -> int | None:
    """Return the interval that most bursts are multiples of; None if there are fewer than two."""
    gaps = [later - earlier for earlier, later in pairwise(times)]
    if not gaps:
        return None
    if any(_is_multiple(gap, check_interval_ms) for gap in gaps):
        return check_interval_ms
    shortest = min(gaps)
    fits = sum(_is_multiple(gap, shortest) for gap in gaps)
    return shortest if len(gaps) > 1 and fits == len(gaps) and shortest >= BURST_MS else None


def _is_multiple(gap_ms: int, interval_ms: int) -> bool:
    """Return whether a timer with this interval, which is late by up to 1 %, fired that much later."""
    gap_ms = abs(gap_ms)
    times = round(gap_ms / interval_ms)
    return times > 0 and abs(gap_ms - times * interval_ms) <= max(BURST_MS / 2, 0.01 * interval_ms) * min(
        times, 3
    )
