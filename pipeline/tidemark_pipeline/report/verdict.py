"""The answer in sentences: what was removed and why, what expires next, and which retention that assumes.

Pure functions of counts, without HTML, so that every output of the pipeline can use them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from tidemark_expiry.rules import Rule
from tidemark_pipeline.report.coverage import Coverage
from tidemark_pipeline.report.data import Cause, Coming, Losing, LostGroup, Removed, ReportData, Subject
from tidemark_pipeline.report.words import (
    DAY_MS,
    MINUTE_MS,
    count,
    hint,
    in_words,
    listed,
    minute,
    moment,
    plural,
    span,
    worded,
)
from tidemark_pipeline.retention import ASSUMED, LONG_MAX, SETTING, Retention, minutes_text

HOUR_MS: Final = 3_600_000
LIKELY_EXPIRED: Final = "likely_expired"
CAUSES: Final = {
    "expired": "expired",
    LIKELY_EXPIRED: "likely expired",
    "topic_delete": "topic deleted",
    "group_delete": "group deleted",
    "offset_delete": "offset deleted",
    "unknown": "unknown",
}
REQUESTS: Final = ("group_delete", "offset_delete")
_POSSIBLE: Final = {
    "expired": ("expired",),
    "deleted by request": REQUESTS,
    "removed with the topic": ("topic_delete",),
}
_LONG_UNITS: Final = (("day", DAY_MS), ("hour", HOUR_MS), ("minute", MINUTE_MS))


def headline(data: ReportData) -> str:
    """Return the shortest answer. It reassures only as far as the log reaches."""
    subject, coming = data.subject, data.coming
    missing = None if data.lost_is_cut else missing_offsets(data.lost)
    said = _lost(data.removed, missing, subject.coverage)
    if data.totals.rewound:
        said += f", {plural(data.totals.rewound_groups, 'group')} went back to lower offsets"
    more = bool(data.removed.offsets) and missing != 0
    said += f", {_goes(coming, data.losing, subject, more=more)}"
    if subject.retention.contradiction is not None:
        said += "; the retention that was given contradicts this log"
    return said


def _goes(coming: Coming, losing: Sequence[Losing], subject: Subject, *, more: bool) -> str:
    """Return the clause about offsets that expire within a day. more: besides lost ones."""
    retention, soon = subject.retention, coming.due + coming.next_day
    if not soon:
        assumed = "" if retention.is_known else f" if the retention is {span(retention.forecast_ms[0])}"
        return f"none expires within a day{assumed}"
    number = f"{count(soon)}{' more' if more else ''}"
    if not coming.next_day:
        return f"{number} {_is(soon)} overdue"
    return f"{number} expire{_s(soon)} within a day{'' if coming.due else _first(losing, subject.as_of_ms)}"


def _first(losing: Sequence[Losing], as_of_ms: int) -> str:
    """Return when the first that is not overdue expires, if that is much sooner."""
    times = (each.expires_at_ms for group in losing for each in group.first if not each.due)
    left_ms = min(times, default=LONG_MAX) - as_of_ms
    return f", the first in {span(left_ms)}" if left_ms < DAY_MS // 2 else ""


def _lost(removed: Removed, lost: int | None, coverage: Coverage) -> str:
    if not removed.offsets:
        return coverage.nothing_lost()
    if lost is None:
        return f"{plural(removed.offsets, 'committed offset')} {_was(removed.offsets)} removed"
    least = "at least " if any(coverage.limits()) else ""
    if not lost:
        number = plural(removed.offsets, "committed offset")
        return f"{least}{number} {_was(removed.offsets)} lost and committed again".capitalize()
    return f"{least}{plural(lost, 'committed offset')} {_is(lost)} lost".capitalize()


def removals_sentence(removed: Removed, retention: Retention) -> str:
    """Return how many offsets were removed, when, and for which causes."""
    if not removed.offsets:
        return "No removal of a committed offset is in the log."
    number = plural(removed.offsets, "committed offset")
    said = f"{number} {_was(removed.offsets)} removed {_when(removed.first_ms, removed.last_ms)}"
    return f"{said}: {', '.join(_causes(removed, retention))}."


def _when(first_ms: int, last_ms: int) -> str:
    first, last = minute(first_ms), minute(last_ms)
    return f"at {first} UTC" if first == last else f"between {first} and {last} UTC"


def _causes(removed: Removed, retention: Retention) -> list[str]:
    """Return a clause for each cause, the most frequent first; what is not known comes last."""
    known: dict[str, int] = {}
    for cause in removed.causes:
        if _is_told(cause):
            clause = _because(cause, retention)
            known[clause] = known.get(clause, 0) + cause.offsets
    ordered = sorted(known.items(), key=lambda item: -item[1])
    said = [_filled(clause, number, removed.offsets) for clause, number in ordered]
    unknown = [cause for cause in removed.causes if not _is_told(cause)]
    return said + ([_not_told(unknown, removed.offsets)] if unknown else [])


def _is_told(cause: Cause) -> bool:
    """Return whether the verdict names the cause: which kind of request does not matter to it."""
    return cause.cause != "unknown" or set(cause.possible) <= set(REQUESTS)


def _because(cause: Cause, retention: Retention) -> str:
    """Return a template. {s|p}: the word for one offset, and for several."""
    if set(cause.possible) <= set(REQUESTS):
        return "{was|were} deleted by request"
    if cause.cause == LIKELY_EXPIRED:
        return "likely expired"
    if cause.cause == "topic_delete":
        return "{was|were} removed with {its topic|their topics}"
    match cause.rule:
        case Rule.GROUP_EMPTY:
            return f"expired because {{its group was|their groups were}} empty{_for(retention)}"
        case Rule.TOPIC_NOT_SUBSCRIBED:
            return f"expired{_after(retention)} because no member was subscribed to {{the topic|the topics}}"
        case Rule.STANDALONE:
            return f"expired{_after(retention)} in {{a group|groups}} that never had members"
        case Rule.EXPLICIT_RETENTION:
            return "expired by the retention that {its commit|their commits} set"
        case _:
            return "expired"


def _for(retention: Retention) -> str:
    long = _one(retention)
    return f" for {long}" if long else ""


def _after(retention: Retention) -> str:
    long = _one(retention)
    return f" {long} after the commit" if long else ""


def _one(retention: Retention) -> str:
    """Return how long the broker keeps offsets; "" if that is not one number."""
    if retention.origin == ASSUMED or len(retention.ms) > 1:
        return ""
    return long_span(retention.ms[0])


def _filled(template: str, number: int, total: int) -> str:
    parts = template.split("{")
    words = [parts[0]]
    for part in parts[1:]:
        choice, _, rest = part.partition("}")
        words.append(choice.split("|")[number != 1] + rest)
    return f"{_subject(number, total)} {''.join(words)}"


def _subject(number: int, total: int) -> str:
    return count(number) if number < total else "it" if total == 1 else f"all {count(total)}"


def _not_told(unknown: Sequence[Cause], total: int) -> str:
    number = sum(cause.offsets for cause in unknown)
    possible = {name for cause in unknown for name in cause.possible}
    words = [word for word, causes in _POSSIBLE.items() if not possible.isdisjoint(causes)]
    choices = in_words(words, "or")
    of_them = "" if number == total else f"for {count(number)} "
    return f"{of_them}the log does not show why ({choices})"


def lost_sentences(removed: Removed, lost: Sequence[LostGroup], *, is_cut: bool) -> Iterable[str]:
    """Yield how many of the removed offsets are still missing, and how many can be given back."""
    if is_cut or not removed.offsets:
        return
    missing = missing_offsets(lost)
    groups = sum(any(not each.committed_again for each in group.offsets) for group in lost)
    if not missing:
        if removed.offsets == 1:
            yield "Its group has committed it again since."
        else:
            yield "Their groups have committed all of them again since."
        return
    back = restorable(lost)
    number = "All" if back == missing else "None" if not back else count(back)
    can_be = (
        f"{number} of them can be given back"
        if missing > 1
        else f"It can{'' if back else 'not'} be given back"
    )
    number = f"{plural(missing, 'offset')} of {plural(groups, 'group')}"
    yield f"{number} {_is(missing)} still missing when the log ends. {can_be}."


def missing_offsets(lost: Sequence[LostGroup]) -> int:
    """Count removed offsets that were not committed again."""
    return sum(not each.committed_again for group in lost for each in group.offsets)


def restorable(lost: Sequence[LostGroup]) -> int:
    return sum(each.left_out is None for group in lost for each in group.offsets)


def coming_sentence(coming: Coming, losing: Sequence[Losing], as_of_ms: int, *, more: bool = False) -> str:
    """Return how many offsets expire within a day, and of which groups. more: besides removed offsets."""
    if not coming.offsets:
        return "No committed offset is stored when the log ends."
    if coming.due or coming.next_day:
        return " ".join(_soon(coming, losing, as_of_ms, more=more))
    if not losing:
        return f"No committed offset expires ({count(coming.offsets)} {_is(coming.offsets)} stored)."
    first = losing[0]
    at_ms = first.first[0].expires_at_ms
    when = hint(at_ms, as_of_ms) or f"at {moment(at_ms)}"
    group = listed([first.group])
    return f"No committed offset expires within a day; the next one, of group {group}, expires {when}."


def _soon(coming: Coming, losing: Sequence[Losing], as_of_ms: int, *, more: bool) -> Iterable[str]:
    if coming.due:
        groups = _groups([each.group for each in losing if each.due], coming.due_groups)
        number = f"{count(coming.due)} more" if more else plural(coming.due, "committed offset")
        it = "it" if coming.due == 1 else "them"
        yield f"{number} {_is(coming.due)} overdue, in {groups}: the next cleanup pass removes {it}."
    if coming.next_day:
        groups = _groups([each.group for each in losing if each.next_day], coming.next_day_groups)
        more = more or bool(coming.due)
        number = f"{count(coming.next_day)} more" if more else plural(coming.next_day, "committed offset")
        yield f"{number} expire{_s(coming.next_day)} within a day{_first(losing, as_of_ms)}, in {groups}."


def _groups(names: Sequence[str], total: int) -> str:
    return f"group{'' if total == 1 else 's'} {listed(names, total)}"


def retention_sentences(retention: Retention) -> list[str]:
    """Return which retention the other sentences go by, how it is known, and what contradicts it."""
    said = f"This goes by {SETTING}={retention.minutes}{_in_units(retention)}, {retention.why}."
    if len(retention.forecast_ms) > 1:
        said += f" Expiry is counted under the first of them, {span(retention.forecast_ms[0])}."
    if not retention.is_known:
        said += " A cause is stated only if it holds for every retention that fits the log."
    if retention.origin == ASSUMED:
        said += " If you know the broker's, give --retention-minutes or --config."
    doubt = retention.contradiction
    return [said] if doubt is None else [said, f"Warning: {worded(doubt)}."]


def _in_units(retention: Retention) -> str:
    return f" ({span(retention.ms[0])})" if len(retention.ms) == 1 else ""


def retention_name(retention_ms: int, retention: Retention) -> str:
    """Return the name of one retention of a forecast, with its origin unless it is known."""
    name = f"{minutes_text(retention_ms)} ({span(retention_ms)})"
    return name if retention.is_known else f"{name}, {retention.origin}"


def long_span(ms: int) -> str:
    """Return "7 days", "1 hour", "90 minutes"."""
    unit, size = next(((unit, size) for unit, size in _LONG_UNITS if not ms % size), _LONG_UNITS[-1])
    return plural(ms // size, unit)


def _is(number: int) -> str:
    return "is" if number == 1 else "are"


def _was(number: int) -> str:
    return "was" if number == 1 else "were"


def _s(number: int) -> str:
    return "s" if number == 1 else ""
