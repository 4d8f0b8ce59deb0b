"""The verdict about a group: what happened to its committed offsets, in order, and what the log cannot say.

Pure functions: the log was replayed by `story.replay`, and the removals judged by `story.removal`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tidemark_expiry.rules import COMMIT_TIME, LONG_MAX, Rule
from tidemark_pipeline.report.coverage import Coverage
from tidemark_pipeline.report.words import (
    count,
    in_words,
    listed,
    moment,
    partitions,
    plural,
    seen,
    span,
    worded,
)
from tidemark_pipeline.retention import ASSUMED, MINUTE_MS, Retention
from tidemark_pipeline.story.group_state import GroupState
from tidemark_pipeline.story.passes import DEFAULT_FITS, fits_default
from tidemark_pipeline.story.removal import (
    EXPIRED,
    GROUP_DELETE,
    OFFSET_DELETE,
    TOPIC_DELETE,
    UNKNOWN,
    Ended,
    due_of,
)
from tidemark_pipeline.story.replay import GroupLog, Key

Row = Mapping[str, Any]

TOGETHER_MS: Final = 5_000  # removals of one pass or request, and commits of one reset, are within this time
DAY_MS: Final = 86_400_000
EVENTS_MAX: Final = 40

ELSEWHERE: Final = (
    "If the group started from the beginning nevertheless, the retention of its topics may have removed the "
    "records at its offsets (then auto.offset.reset applies), its group.id or cluster may be another, or its "
    "application seeks."
)
_NAMED: Final = {GROUP_DELETE: " (DeleteGroups)", OFFSET_DELETE: " (OffsetDelete)"}


def _cause(cause: str, offsets: Sequence[Ended]) -> str:
    """Return a cause as a clause about these offsets."""
    number, topics = len(offsets), len({each.topic for each in offsets})
    return {
        EXPIRED: f"{'it' if number == 1 else 'they'} expired",
        GROUP_DELETE: "a client deleted the group",
        OFFSET_DELETE: f"a client deleted {'it' if number == 1 else 'them'}",
        TOPIC_DELETE: "their topics were deleted"
        if topics > 1
        else f"{'its' if number == 1 else 'their'} topic was deleted",
    }[cause]


@dataclass(slots=True, frozen=True)
class Event:
    """Something that happened to a group. certainty: "certain", "likely" or "unknown"; only for losses."""

    at_ms: int
    what: str
    sentence: str
    certainty: str = "certain"

    def as_json(self) -> dict[str, object]:
        return {
            "at_ms": self.at_ms,
            "what": self.what,
            "sentence": self.sentence,
            "certainty": self.certainty,
        }


@dataclass(slots=True)
class Verdict:
    """headline: the answer. events: in order. now: what is stored, and when it expires. give_back: lines of a
    file for --reset-offsets --from-file. limits: what the log cannot say.
    """

    group: str
    headline: str
    events: list[Event] = field(default_factory=list)
    now: list[str] = field(default_factory=list)
    give_back: list[str] = field(default_factory=list)
    limits: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Loss:
    """Offsets of one group that were removed together, for the same cause."""

    offsets: list[Ended]

    @property
    def at_ms(self) -> int:
        return self.offsets[0].at_ms

    @property
    def missing(self) -> list[Ended]:
        return [each for each in self.offsets if not each.committed_again]


def losses(removed: Iterable[Ended]) -> list[Loss]:
    """Return the removals of stored offsets of one group, in order."""
    found: dict[tuple[object, ...], Loss] = {}
    done: list[Loss] = []
    for each in sorted(removed, key=lambda each: (each.at_ms, each.log_offset or 0)):
        if each.nothing_stored:
            continue
        kind = each.cause, tuple(each.possible), each.rule
        loss = found.get(kind)
        if loss is None or each.at_ms - loss.offsets[-1].at_ms > TOGETHER_MS:
            loss = found[kind] = Loss([])
            done.append(loss)
        loss.offsets.append(each)
    return sorted(done, key=lambda loss: loss.at_ms)


# Events.


def events_of(log: GroupLog, found: Sequence[Loss], retention: Retention) -> list[Event]:
    """Return what happened to the group, in order."""
    events = [*_of_members(log), *(_lost(loss, retention) for loss in found)]
    events += _of_commits(log)
    return sorted(events, key=lambda event: (event.at_ms, event.what != "lost"))


def _of_members(log: GroupLog) -> Iterator[Event]:
    """Yield when the group was first seen, got members, lost its last one, changed its type, was removed."""
    before: GroupState | None = None
    begun = False
    for at, each in enumerate(log.moments):
        following = log.moments[at + 1] if at + 1 < len(log.moments) else None
        if following is not None and following.at_ms == each.at_ms:
            continue  # the records of one batch are one moment
        now = each.state
        if now is None:
            if before is not None:
                yield Event(each.at_ms, "group_removed", "the group was removed")
        elif before is not None and now.group_type != before.group_type:
            yield Event(each.at_ms, "group_type", f"it became a {_type(now)}")
        elif now.members and not (before and before.members):
            said = f"{plural(now.members, 'member')} joined"
            yield Event(
                each.at_ms, "members_joined", said if begun else f"first seen, a {_type(now)}: {said}"
            )
        elif before is not None and before.members and now.members == 0:
            yield Event(each.at_ms, "emptied", f"the last member left{_no_grace(now)}")
        before, begun = now, True


def _type(state: GroupState) -> str:
    return f"{'KIP-848' if state.group_type == 'consumer' else state.group_type} group"


def _no_grace(state: GroupState) -> str:
    if state.group_type == "consumer":
        return (
            "; that gives a KIP-848 group no grace period: an offset expires one retention after its commit"
        )
    return ""


def _lost(loss: Loss, retention: Retention) -> Event:
    said = f"it lost {_what(loss.offsets)}{_age(loss)}: {why(loss, retention)}"
    return Event(loss.at_ms, "lost", said, loss.offsets[0].certainty)


def _age(loss: Loss) -> str:
    """Return the age of the offsets if that decides whether they expired, and the reason does not give it."""
    first = loss.offsets[0]
    times = [each.commit[COMMIT_TIME] for each in loss.offsets if each.commit is not None]
    if not times or EXPIRED not in first.possible or (first.cause == EXPIRED and first.since_ms in times):
        return ""
    age = span(loss.at_ms - min(times))
    return f", committed {age} before" if len(loss.offsets) == 1 else f", the oldest of them {age} old"


def _what(offsets: Sequence[Ended]) -> str:
    """Return "3 offsets (orders-0 to 2)", or "offset 1,000 of orders-0"."""
    if len(offsets) == 1 and offsets[0].committed_offset is not None:
        only = offsets[0]
        return f"offset {count(only.commit['committed_offset'])} of {seen(only.topic)}-{only.partition}"  # type: ignore[index]  # it has a commit
    where = partitions((seen(each.topic), each.partition) for each in offsets)
    return f"{plural(len(offsets), 'offset')} ({_shortened(where)})"


def _at(each: Ended) -> str:
    return f"{seen(each.topic)}-{each.partition} at {count(each.committed_offset or 0)}"


def _shortened(where: str) -> str:
    parts = where.split(", ")
    return listed(parts)


def why(loss: Loss, retention: Retention, *, brief: bool = False) -> str:
    """Return the cause as a clause, with its reason. brief: without the evidence of a likely cause."""
    first = loss.offsets[0]
    if first.cause == EXPIRED:
        return f"expired, {_reason(first, retention)}"
    if first.cause != UNKNOWN:
        return f"{_cause(first.cause, loss.offsets)}{_NAMED.get(first.cause, '')}"
    choices = in_words([_cause(cause, loss.offsets) for cause in first.possible], "or")
    if first.likely:
        others = in_words([_cause(cause, loss.offsets) for cause in first.possible if cause != EXPIRED], "or")
        reason = "" if brief else f": {first.likely}"
        return f"likely expired{reason} (the log alone cannot rule out that {others})"
    return f"the log does not show why ({choices}): {worded(first.evidence)}"


def _reason(each: Ended, retention: Retention) -> str:
    """Return why it was due."""
    since = "" if each.since_ms is None else f" since {moment(each.since_ms)}"
    age = "" if each.since_ms is None else f" ({span(each.at_ms - each.since_ms)})"
    match each.rule:
        case Rule.GROUP_EMPTY:
            because = f"because the group had been Empty{since}{age}"
        case Rule.TOPIC_NOT_SUBSCRIBED:
            because = f"because no member was subscribed to the topic and nothing was committed{since}{age}"
        case Rule.STANDALONE:
            because = f"because the group never had members and committed nothing{since}{age}"
        case Rule.EXPLICIT_RETENTION:
            return "because the commit had set a retention of its own"
        case _:
            because = "with its group"
    return f"{because}; {_retention(each, retention)}"


def _retention(each: Ended, retention: Retention) -> str:
    if retention.is_known:
        ms = max((ms for ms in retention.ms if ms <= (each.age_ms or 0)), default=retention.ms[0])
        return f"the retention is {span(ms)}"
    if retention.evidence is not None:
        return (
            f"a retention of {span(retention.ms[-1])} fits, inferred from {retention.evidence.moments} passes"
        )
    if fits_default(each.together_ms, retention):
        return DEFAULT_FITS
    if each.together_ms is not None and each.together_ms != LONG_MAX:
        return f"the retention was at most {span(each.together_ms // MINUTE_MS * MINUTE_MS)} then"
    return "this does not depend on the retention"


def _of_commits(log: GroupLog) -> Iterator[Event]:
    """Yield when offsets were committed again after a loss, and when commits went back."""
    again: dict[tuple[bool, int], list[tuple[Key, int, int | None]]] = defaultdict(list)
    back: dict[int, list[tuple[Key, int, int, Row]]] = defaultdict(list)
    for key, rows in log.commits.items():
        before: Row | None = None
        removed = False
        for row in rows:
            if row["committed_offset"] is None:
                removed = True
                continue
            was = None if before is None else before["committed_offset"]
            if removed:
                over = was is not None and row["committed_offset"] < was
                again[
                    over, _rounded((at for kind, at in again if kind == over), row["record_timestamp_ms"])
                ].append((key, row["committed_offset"], was))
            elif was is not None and row["committed_offset"] < was:
                back[_rounded(back, row["record_timestamp_ms"])].append(
                    (key, was, row["committed_offset"], row)
                )
            before, removed = row, False
    for (over, at_ms), found in again.items():
        yield Event(at_ms, "started_over" if over else "committed_again", _again(found, over=over))
    for at_ms, rewound in back.items():
        yield Event(at_ms, "rewound", _rewound(log, rewound))


def _rounded(known: Iterable[int], ms: int) -> int:
    """Return a known time close to this one, if there is one: what happens together is one event."""
    return next((at for at in known if abs(at - ms) <= TOGETHER_MS), ms)


def _again(found: Sequence[tuple[Key, int, int | None]], *, over: bool) -> str:
    (topic, partition), offset, was = found[0]
    where = f"{seen(topic)}-{partition}"
    more = f" and {plural(len(found) - 1, 'other partition')}" if len(found) > 1 else ""
    if over:
        return (
            f"it started over: committed {count(offset)} on {where}, after {count(was or 0)} was lost{more}"
        )
    after = "" if was is None else f", after {count(was)} was lost"
    return f"it committed {count(offset)} on {where} again{after}{more}"


def _rewound(log: GroupLog, found: Sequence[tuple[Key, int, int, Row]]) -> str:
    (topic, partition), was, offset, row = found[0]
    said = f"{seen(topic)}-{partition} was rewound from {count(was)} to {count(offset)}"
    if len(found) > 1:
        said += f", and {plural(len(found) - 1, 'other partition')}"
    state = log.state_at(row["log_offset"])
    if row["transactional"]:
        return f"{said} in a transaction, by its application"
    if state is None or state.protocol_type is None:
        return f"{said}; the group never had members, so by a tool, or by a client that assigns partitions"
    if not state.members:
        return (
            f"{said} while the group had no members, so by a tool (--reset-offsets) or by a client that "
            "commits without joining"
        )
    return (
        f"{said} while the group had members, so by its application (a seek, or a restart with other offsets)"
    )


# The verdict.


def verdict(
    log: GroupLog, found: Sequence[Loss], retention: Retention, coverage: Coverage, doubt: str | None
) -> Verdict:
    """Return the verdict about a group that the log has records of. doubt: `contradiction`."""
    events = events_of(log, found, retention)
    elsewhere = []
    if not found and not any(event.what == "rewound" for event in events) and coverage.first_ms is not None:
        elsewhere = [f"A loss before {moment(coverage.first_ms)} would not show. {ELSEWHERE}"]
    return Verdict(
        log.group,
        headline(log, found, events, retention, coverage, doubt),
        events,
        [*stored(log, retention, coverage.as_of_ms), *elsewhere],
        [*give_back(found)],
        [*([] if doubt is None else [worded(doubt)]), *coverage.limits()],
    )


def headline(
    log: GroupLog,
    found: Sequence[Loss],
    events: Sequence[Event],
    retention: Retention,
    coverage: Coverage,
    doubt: str | None,
) -> str:
    """Return the answer in a few sentences, in order of time: what was lost, what followed, what was rewound.

    The losses that it names are the last one, and the last one after which the group started over.
    """
    name = _name(log.group)
    said: list[tuple[int, str]] = []
    if found:
        last = found[-1]
        over = next((event for event in reversed(events) if event.what == "started_over"), None)
        cause = None if over is None else next((x for x in reversed(found) if x.at_ms <= over.at_ms), None)
        told = [last] if cause is None or cause is last else [cause, last]
        others = sum(len(loss.offsets) for loss in found) - sum(len(loss.offsets) for loss in told)
        for loss in told:
            more = f" ({plural(others, 'other offset')} before)" if others and loss is last else ""
            because = why(loss, retention, brief=True)
            what = f"it lost {_what(loss.offsets)} at {moment(loss.at_ms)}{more}: {because}"
            said.append((loss.at_ms, what))
        again = [each for each in events if each.what == "committed_again" and each.at_ms >= last.at_ms]
        after = again[-1:] if over is None or cause is None else [over]
        said += [(event.at_ms, f"at {moment(event.at_ms)}, {event.sentence}") for event in after]
    rewinds = [event for event in events if event.what == "rewound"]
    if rewinds:
        others_before = f" ({plural(len(rewinds) - 1, 'other rewind')} before)" if len(rewinds) > 1 else ""
        at_ms = rewinds[-1].at_ms
        said.append((at_ms, f"at {moment(at_ms)}, {rewinds[-1].sentence}{others_before}"))
    sentences = [f"{_capital(each)}." for _, each in sorted(said, key=lambda item: item[0])]
    if not sentences:
        sentences = [f"{coverage.nothing_lost(f' of {name}')}."]
    elif sentences[0].startswith("It "):
        sentences[0] = f"{name}{sentences[0].removeprefix('It')}"
    else:
        sentences.insert(0, f"{name} was set back.")
    sentences += _missing(found)
    if doubt is not None:
        given = in_words([span(each) for each in retention.ms], "or")
        sentences.insert(0, f"Warning: a retention of {given} does not fit this log.")
    return " ".join(sentences)


def _missing(found: Sequence[Loss]) -> Iterator[str]:
    missing = [each for loss in found for each in loss.missing]
    if missing:
        are, values = ("is", "its value") if len(missing) == 1 else ("are", "their values")
        unknown = all(each.committed_offset is None for each in missing)
        without = f", and the log does not have {values}" if unknown else ""
        yield f"{plural(len(missing), 'offset')} {are} still missing when the log ends{without}."


def give_back(found: Sequence[Loss]) -> Iterator[str]:
    """Yield topic, partition and offset, as Kafka's tool reads them, of what is missing, if it can be set."""
    missing: dict[Key, Ended] = {}
    for loss in found:
        for each in loss.missing:
            missing[each.topic, each.partition] = each
    for (topic, partition), each in sorted(missing.items()):
        offset = each.committed_offset
        if offset is not None and offset >= 0 and TOPIC_DELETE not in each.possible:
            yield f"{topic},{partition},{offset}"


def stored(log: GroupLog, retention: Retention, as_of_ms: int) -> Iterator[str]:
    """Yield what is stored now, and when the first of it expires."""
    left = [each for each in log.ended if each.removed_at_ms is None]
    state = log.state
    if not left:
        yield "No committed offset is stored when the log ends."
        return
    members = "a group that never had members" if state is None else _described(state)
    where = "" if len(left) > 1 else f" ({_at(left[0])})"
    yield f"{plural(len(left), 'committed offset')}{where} stored when the log ends, of {members}."
    expires = ((due_of(each, retention.forecast_ms[0], as_of_ms), each) for each in left)
    due = [(at_ms, each) for at_ms, each in expires if at_ms is not None]
    if not due:
        yield "None of them expires while this does not change."
        if state is not None and state.group_type == "consumer":
            oldest = min(each.commit[COMMIT_TIME] for each in left if each.commit is not None)
            yield (
                "If its last member leaves, each offset counts from its commit, without a grace period: the "
                f"oldest is of {moment(oldest)}, {span(as_of_ms - oldest)} ago."
            )
        return
    at_ms, first = min(due, key=lambda item: (item[0], item[1].topic, item[1].partition))
    soon = sum(ms <= as_of_ms + DAY_MS for ms, _ in due)
    when = f"since {moment(at_ms)}: the next pass removes it" if at_ms <= as_of_ms else f"at {moment(at_ms)}"
    verb = "is due" if at_ms <= as_of_ms else "expires first," if len(due) > 1 else "expires"
    more = f", and {plural(soon - 1, 'other')} within a day" if soon > 1 else ""
    yield f"{seen(first.topic)}-{first.partition} {verb} {when} ({_assumed(retention)}){more}."


def _described(state: GroupState) -> str:
    members = "an unknown number of members" if state.members is None else plural(state.members, "member")
    empty = (
        f", Empty since {moment(state.state_ms)}"
        if state.state == "Empty" and state.state_ms is not None
        else ""
    )
    return f"a {_type(state)} with {members if state.members else 'no members'}{empty}"


def _assumed(retention: Retention) -> str:
    length = span(retention.forecast_ms[0])
    if retention.origin == ASSUMED:
        return f"if the retention is Kafka's default of {length}: none was given"
    return f"under a retention of {length}{'' if retention.is_known else f', {retention.origin}'}"


def _name(group: str) -> str:
    return seen(group) or '""'


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
