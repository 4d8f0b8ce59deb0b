"""The retention that a run uses, and its origin: known, inferred from the log, or assumed. Needs no Spark.

A log does not contain the offsets.retention.minutes of its broker. `infer` finds the retention that explains
the ages at which offsets were removed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

Origin = Literal["known", "inferred", "assumed"]
KNOWN: Final = "known"
INFERRED: Final = "inferred"
ASSUMED: Final = "assumed"

SETTING: Final = "offsets.retention.minutes"
MINUTE_MS: Final = 60_000
WEEK_MS: Final = 10_080 * MINUTE_MS  # Kafka's default
CHECK_INTERVAL_MS: Final = 600_000  # Kafka's default of offsets.retention.check.interval.ms
LONG_MAX: Final = 2**63 - 1

PASS_MS: Final = 5_000  # at most, from the time of a pass to the timestamps of its records
MOMENTS_MIN: Final = 3  # removals at fewer moments may have the same age by chance
KIND_MOMENTS_MIN: Final = 2  # of each kind of removal, see `Evidence.decisive`
SPREAD: Final = 10  # ages repeat if they differ by less than a tenth


@dataclass(slots=True, frozen=True)
class Aged:
    """An offset that was removed at this age, at this moment. Units: milliseconds.

    with_group: its group was removed with it. None: its topic may have been removed, too.
    held: a member or a transaction may have kept it for longer than the retention.
    """

    age_ms: int
    removed_at_ms: int
    with_group: bool | None = None
    held: bool = False


@dataclass(slots=True, frozen=True)
class Ages:
    """The ages at which offsets may have expired.

    removed    those that the known retention does not explain; all if none is known
    explained  at how many moments offsets were removed that it explains
    left_ms    the age of the oldest offset that was still there at the end of such a log partition, though
               nothing held it; None: not known
    """

    removed: Sequence[Aged]
    explained: int = 0
    left_ms: int | None = None


@dataclass(slots=True, frozen=True)
class Evidence:
    """Removals whose ages repeat: any retention from shortest_ms to longest_ms explains them.

    youngest_ms, oldest_ms: their ages. moments: at how many moments they were removed. of_groups: at how many
    of these with their group; of_offsets: without it. longer: at how many other moments offsets
    were removed that the longest retention would have removed before.
    """

    shortest_ms: int
    longest_ms: int
    youngest_ms: int
    oldest_ms: int
    moments: int
    of_groups: int = 0
    of_offsets: int = 0
    longer: int = 0

    @property
    def minutes(self) -> str:
        shortest, longest = minutes_text(self.shortest_ms), minutes_text(self.longest_ms)
        return longest if shortest == longest else f"{shortest} to {longest}"

    @property
    def ages(self) -> str:
        return f"{self.youngest_ms / MINUTE_MS:.1f} to {self.oldest_ms / MINUTE_MS:.1f} min"

    @property
    def decisive(self) -> bool:
        """Return whether requests do not explain the ages as well.

        A script may delete groups at a fixed age again and again, or offsets, but hardly both at one age. If
        Kafka's default explains the ages, the script would have to have chosen that very age. Offsets that
        were there for longer suggest a script, too.
        """
        default = self.shortest_ms <= WEEK_MS <= self.longest_ms
        return (self.of_both_kinds or default) and self.longer < MOMENTS_MIN

    @property
    def of_both_kinds(self) -> bool:
        return min(self.of_groups, self.of_offsets) >= KIND_MOMENTS_MIN


@dataclass(slots=True, frozen=True)
class Retention:
    """The offsets.retention.minutes that a run uses.

    origin             known: given by the user. inferred: it fits the ages of removed offsets. assumed: it is
                       Kafka's default, because the log allows no inference
    ms                 known: all that were given, in that order (the broker had them at different times).
                       inferred: the shortest and the longest that fit. assumed: the default
    check_interval_ms  between two cleanup passes of the broker: given, or Kafka's default
    evidence           what the retention was inferred from
    doubt              removals that the known retention does not explain; None: nothing was found
    """

    origin: Origin
    ms: Sequence[int]
    check_interval_ms: int = CHECK_INTERVAL_MS
    evidence: Evidence | None = None
    doubt: Evidence | None = None

    @classmethod
    def known(cls, ms: Sequence[int], check_interval_ms: int = CHECK_INTERVAL_MS) -> Retention:
        assert ms and all(each >= 0 for each in ms), ms
        return cls(KNOWN, tuple(ms), check_interval_ms)

    @classmethod
    def assumed(cls, check_interval_ms: int = CHECK_INTERVAL_MS) -> Retention:
        return cls(ASSUMED, (WEEK_MS,), check_interval_ms)

    @property
    def is_known(self) -> bool:
        return self.origin == KNOWN

    @property
    def forecast_ms(self) -> Sequence[int]:
        """Return the retentions of the forecast: all that are known, else the longest that fits."""
        return self.ms if self.is_known else self.ms[-1:]

    @property
    def minutes(self) -> str:
        """Return the whole minutes: "1440,10080" (known), "10073 to 10081" (inferred), "10080"."""
        if self.evidence is not None:
            return self.evidence.minutes
        return ",".join(map(minutes_text, self.ms))

    @property
    def text(self) -> str:
        """Return the setting and its origin, for the summary and the report."""
        return f"{SETTING}={self.minutes} ({self.why})"

    @property
    def why(self) -> str:
        """Return the origin, with the reason. A known one was given: by an option, a file or the cluster."""
        if self.evidence is not None:
            at = f"at {self.evidence.moments} moments"
            return f"{INFERRED}: offsets were removed at ages of {self.evidence.ages} {at}"
        return "given" if self.is_known else f"{ASSUMED}: Kafka's default, because the log does not show it"

    @property
    def late_ms(self) -> int:
        """Return the longest time from due to removed while the broker runs. Fits in a long."""
        return min(self.check_interval_ms, LONG_MAX - PASS_MS) + PASS_MS

    def sentence_text(self, ms: int) -> str:
        """Return the text for one of forecast_ms in the sentence of a row."""
        named = f"{SETTING}={minutes_text(ms)}"
        if self.evidence is not None and len(self.ms) > 1:
            return f"{named}, {INFERRED}: {self.minutes} fit, so at most that much earlier"
        return named if self.is_known else f"{named}, {self.origin}"

    @property
    def contradiction(self) -> str | None:
        """Return a sentence if the known retention does not fit the log."""
        if self.doubt is None:
            return None
        ages = f"ages of {self.doubt.ages} at {self.doubt.moments} moments"
        if self.doubt.oldest_ms < min(self.ms):
            seen = f"offsets that were not due were removed at {ages}"
        else:
            seen = f"offsets were removed at {ages}, while others that were due were kept"
        return (
            f"a retention of {self.minutes.replace(',', ', ')} min ({SETTING}) does not fit this log, but "
            f"a retention of {self.doubt.minutes} min would: {seen}"
        )

    def facts(self) -> dict[str, object]:
        """Return the fields for `_tidemark.json` and other JSON."""
        said: dict[str, object] = {
            "retention_ms": list(self.ms),
            "retention_origin": self.origin,
            "retention": self.text,
        }
        return said | ({"retention_contradiction": self.contradiction} if self.contradiction else {})


def concluded(given: Retention, ages: Ages) -> Retention:
    """Return the retention after a look at the log.

    A known one: with what contradicts it. Otherwise the one that explains the ages, or the assumed one.
    """
    evidence = infer(ages.removed, given.check_interval_ms)
    if given.is_known:
        doubted = evidence is not None and evidence.of_both_kinds and evidence.moments > ages.explained
        return replace(given, doubt=evidence if doubted else None)
    evidence = evidence and _outlived(evidence, ages, given)
    if evidence is None:
        return given
    fits = dict.fromkeys((evidence.shortest_ms, evidence.longest_ms))
    return Retention(INFERRED, tuple(fits), given.check_interval_ms, evidence)


def _outlived(evidence: Evidence, ages: Ages, given: Retention) -> Evidence | None:
    """Return the evidence with `longer`; None if offsets outlived it more often than not, or were left.

    They show that the removals at these ages were requests, unless the broker was down.
    """
    late_ms = evidence.longest_ms + max(given.late_ms, evidence.longest_ms // SPREAD)
    older = [each for each in ages.removed if each.age_ms > late_ms and not each.held]
    longer = {each.removed_at_ms // PASS_MS for each in older}
    left = ages.left_ms is not None and ages.left_ms > late_ms
    return None if left or len(longer) > evidence.moments else replace(evidence, longer=len(longer))


def infer(removed: Iterable[Aged], check_interval_ms: int) -> Evidence | None:
    """Return the ages that repeat at the most moments; None if these are under MOMENTS_MIN.

    An offset that expires is removed within a check interval, so its age is just above the retention. The
    ages of offsets that clients delete are arbitrary.
    """
    aged = sorted(removed, key=lambda each: each.age_ms)
    moment_of = _moments(each.removed_at_ms for each in aged)
    counted: Counter[int] = Counter()
    found: tuple[int, int] | None = None
    most = MOMENTS_MIN - 1
    end = 0
    for start, youngest in enumerate(aged):
        end = max(end, start)
        while end < len(aged) and aged[end].age_ms <= _reach_ms(youngest.age_ms, check_interval_ms):
            counted[moment_of[aged[end].removed_at_ms]] += 1
            end += 1
        if len(counted) > most and _bounds(youngest.age_ms, aged[end - 1].age_ms, check_interval_ms):
            most, found = len(counted), (start, end)
        if end > start:
            _uncount(counted, moment_of[youngest.removed_at_ms])
    return None if found is None else _evidence(aged[slice(*found)], moment_of, check_interval_ms)


def _evidence(aged: Sequence[Aged], moment_of: dict[int, int], check_interval_ms: int) -> Evidence | None:
    ages = (aged[0].age_ms, aged[-1].age_ms)
    bounds = _bounds(*ages, check_interval_ms)
    assert bounds is not None
    moments = {kind: {moment_of[each.removed_at_ms] for each in aged if each.with_group is kind}
               for kind in (True, False, None)}  # fmt: skip
    return Evidence(
        *bounds, *ages, len(set().union(*moments.values())), len(moments[True]), len(moments[False])
    )


def _reach_ms(age_ms: int, check_interval_ms: int) -> int:
    """Return the age up to which an offset is removed under the longest retention that explains age_ms."""
    retention_ms = _whole_minutes_ms(age_ms)
    return retention_ms + min(check_interval_ms + PASS_MS, retention_ms // SPREAD)


def _bounds(youngest_ms: int, oldest_ms: int, check_interval_ms: int) -> tuple[int, int] | None:
    """Return the shortest and the longest retention, in whole minutes, that explain both ages."""
    longest_ms = _whole_minutes_ms(youngest_ms)
    late_ms = check_interval_ms + PASS_MS
    shortest_ms = max(MINUTE_MS, -_whole_minutes_ms(late_ms - oldest_ms))
    return None if shortest_ms > longest_ms else (shortest_ms, longest_ms)


def _whole_minutes_ms(ms: int) -> int:
    return ms // MINUTE_MS * MINUTE_MS


def _moments(times_ms: Iterable[int]) -> dict[int, int]:
    """Return for each time the first time of the same pass."""
    moments: dict[int, int] = {}
    before_ms = None
    for ms in sorted(set(times_ms)):
        same_pass = before_ms is not None and ms - before_ms <= PASS_MS
        moments[ms] = moments[before_ms] if same_pass and before_ms is not None else ms
        before_ms = ms
    return moments


def _uncount(counted: Counter[int], moment: int) -> None:
    counted[moment] -= 1
    if not counted[moment]:
        del counted[moment]


def minutes_text(ms: int) -> str:
    return f"{ms / MINUTE_MS:.15g}"
