"""Why committed offsets were removed: the evidence around each tombstone, and what it allows.

The same judgement as `tables.removals`, `tables.due` and `tables.causes` have in SQL, for logs that are small
enough to be held in memory. A test holds both equal.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tidemark_expiry.rules import (
    COMMIT_TIME,
    LONG_MAX,
    STATE_TIME,
    Decision,
    Rule,
    Situation,
    decision,
    due_ms,
    situation,
)
from tidemark_pipeline.logs.metadata_log import TopicEvent
from tidemark_pipeline.retention import (
    MINUTE_MS,
    PASS_MS,
    SPREAD,
    Aged,
    Ages,
    Evidence,
    Retention,
    concluded,
    minutes_text,
)
from tidemark_pipeline.story.group_state import GroupState

Row = Mapping[str, Any]

EXPIRED: Final = "expired"
TOPIC_DELETE: Final = "topic_delete"
GROUP_DELETE: Final = "group_delete"
OFFSET_DELETE: Final = "offset_delete"
UNKNOWN: Final = "unknown"
CERTAIN: Final = "certain"
LIKELY: Final = "likely"
YES: Final = "yes"
NO: Final = "no"
OPEN: Final = "open"

OFFSETS_TOPIC: Final = "__consumer_offsets"
NEAR_MS: Final = 60_000  # the controller deletes topics, the coordinator their offsets within about a second
CLOCKS_DIFFER_MS: Final = 5_000  # of the controller and the coordinator
STAYED_MS: Final = 60_000  # a pass over a large log partition ends within this time
KAFKA_4_VALUE: Final = 4  # the version of an offset's value

_COMMIT: Final = (
    "committed_offset", "leader_epoch", "metadata", "topic_id", "commit_timestamp_ms", "expire_timestamp_ms",
)  # fmt: skip


def minus(a: int, b: int) -> int:
    """Return a - b as Java computes it with longs."""
    return (a - b + 2**63) % 2**64 - 2**63


def plus(a: int, b: int) -> int:
    """Return a + b as Java computes it with longs."""
    return (a + b + 2**63) % 2**64 - 2**63


@dataclass(slots=True)
class Ended:
    """A tombstone of a committed offset, or (log_offset None) a commit that the log leaves.

    commit         the record before it with its key, if the log still has it; None also if that is a
                   tombstone, because then nothing was stored (nothing_stored)
    state          of its group just before
    group_batch    the first offset of its batch, if that removes the group, too; else None
    """

    log_partition: int
    group: str
    topic: str
    partition: int
    log_offset: int | None
    removed_at_ms: int | None
    commit: Row | None
    nothing_stored: bool
    state: GroupState | None
    committed_again: bool = False
    group_batch: int | None = None
    # what `_date` finds
    situation: Situation = Situation.NEVER_MANAGED
    rule: Rule | None = None
    since_ms: int | None = None
    age_ms: int | None = None
    clock_from_ms: int | None = None
    in_transactions: bool = False
    older_coordinator: bool = False
    topic_removed_ms: int | None = None
    topic_removed_near: bool = False
    topic_events_known: bool = False
    topic_now: str = ""
    # what `_compare` finds
    together_ms: int | None = None
    stayed_ms: int | None = None
    left_ms: int | None = None
    # the judgement
    expiry: str = OPEN
    because: str = ""
    due_under_ms: list[int] | None = None
    possible: list[str] = field(default_factory=list)
    evidence: str = ""
    likely: str | None = None  # why it has likely expired, though other causes are possible

    @property
    def at_ms(self) -> int:
        """Return when it was removed. Only for tombstones."""
        assert self.removed_at_ms is not None
        return self.removed_at_ms

    @property
    def cause(self) -> str:
        return self.possible[0] if len(self.possible) == 1 else UNKNOWN

    @property
    def certainty(self) -> str:
        return CERTAIN if self.cause != UNKNOWN else UNKNOWN if self.likely is None else LIKELY

    @property
    def group_removed(self) -> bool:
        return self.group_batch is not None

    @property
    def committed_offset(self) -> int | None:
        return None if self.commit is None else self.commit["committed_offset"]

    @property
    def expire_ms(self) -> int | None:
        return None if self.commit is None else self.commit["expire_timestamp_ms"]

    @property
    def topic_id(self) -> str | None:
        return None if self.commit is None else self.commit["topic_id"]

    def row(self) -> dict[str, Any]:
        """Return the columns of the table `removals` that it has."""
        commit = self.commit or {}
        return {
            "group": self.group,
            "topic": self.topic,
            "partition": self.partition,
            "removed_at_ms": self.removed_at_ms,
            **{name: commit.get(name) for name in _COMMIT},
            "commit_log_offset": commit.get("log_offset"),
            "inferred_cause": self.cause,
            "certainty": self.certainty,
            "possible_causes": self.possible,
            "evidence": self.evidence,
            "likely": self.likely,
            "rule": self.rule,
            "since_ms": self.since_ms,
            "due_under_ms": self.due_under_ms,
            "group_removed": self.group_removed,
            "topic_removed_ms": self.topic_removed_ms,
            "committed_again": self.committed_again,
            "log_partition": self.log_partition,
            "log_offset": self.log_offset,
        }

    @property
    def with_group(self) -> bool | None:
        """Return whether its group was removed, too. None: other causes write the same tombstones."""
        by_topic = not self.topic_events_known or self.topic_removed_ms is not None
        return (
            self.group_removed
            if not self.older_coordinator and (self.group_removed or not by_topic)
            else None
        )


def judge(
    ended: Sequence[Ended],
    *,
    topic_events: Sequence[TopicEvent],
    retention: Retention,
    kafka_4_from_ms: int | None,
    transactional: Collection[tuple[int, str]],
    topics_now: Mapping[str, str] | None = None,
) -> tuple[Retention, list[Ended]]:
    """Return the retention, and the tombstones with their causes, in the order of `ended`.

    ended           of whole log partitions; also the commits that the log leaves
    topic_events    those of the metadata log; empty without such a log
    retention       the one of the broker; unless it is known, it is inferred
    transactional   log partition and name of the groups with transactions, also aborted and open ones
    topics_now      id and name of the topics that exist after the end of the log, if there is no metadata
                    log. Topics that may not be described are not among them
    """
    if retention.is_known:
        ended = [each for each in ended if each.removed_at_ms is not None]
    topics = _Topics(topic_events, topics_now or {})
    shortest_ms = min(retention.ms) if retention.is_known else MINUTE_MS
    for each in ended:
        _date(each, topics.log_made_ms, shortest_ms)
        each.in_transactions = (each.log_partition, each.group) in transactional
        _start_clock(each)
        if each.removed_at_ms is not None:
            topics.look_up(each)
            known = kafka_4_from_ms is not None and each.removed_at_ms >= kafka_4_from_ms
            version = (each.commit["value_version"] if each.commit else None) or 0
            each.older_coordinator = not (known or version >= KAFKA_4_VALUE)
    removed = _compare(ended)
    retention = concluded(retention, _aged(removed, retention if retention.is_known else None))
    for each in removed:
        if retention.is_known:
            _under_known(each, retention)
        else:
            _under_what_fits(each, retention.evidence)
    _find_passes(removed)
    for each in removed:
        _conclude(each)
    return retention, removed


# The evidence.


def due_of(each: Ended, retention_ms: int, wall_ms: int) -> int | None:
    """Return when a stored offset expires if nothing changes after wall_ms; None: never."""
    _, since_ms, _ = _ruled(each)
    if since_ms is None or each.expire_ms is not None:
        return None if since_ms is None else each.expire_ms
    return due_ms(since_ms, retention_ms, wall_ms)


def _ruled(each: Ended) -> tuple[Decision, int | None, bool]:
    """Return the row of the rule that decides, since when the age counts, and whether that is the state's
    time. None: it does not expire, or the time is not known. Sets its situation.
    """
    state = each.state
    group_type = None if state is None else state.group_type
    protocol_type = None if state is None else state.protocol_type
    topics = None if state is None else state.subscribed_topics
    each.situation = situation(group_type, protocol_type, "" if state is None else state.state)
    if topics is None:
        subscribed = group_type == "classic" and protocol_type == "consumer"
    else:
        subscribed = each.topic in topics
    decided = decision(
        each.situation,
        subscribed=each.situation == Situation.NOT_SERVED or subscribed,
        pending=False,
        explicit=each.expire_ms is not None,
    )
    state_ms = None if state is None else state.state_ms
    by_state = decided.base == STATE_TIME and state_ms is not None
    base_ms = state_ms if by_state else None if each.commit is None else each.commit[COMMIT_TIME]
    return decided, None if decided.base is None else base_ms, by_state


def _date(each: Ended, log_made_ms: int | None, shortest_ms: int) -> None:
    """Find the rule, and the longest retention under which it was due.

    They are None if the commit or the group is not known. The clock of an Empty group counts for all its
    offsets, even if the commit is not in the log any more; no age counts from before the log was created.
    """
    state, as_of_ms = each.state, each.removed_at_ms
    decided, base_ms, by_state = _ruled(each)
    rule_known = (decided.base is None or base_ms is not None) and not each.nothing_stored
    if rule_known:
        each.rule, each.since_ms = decided.rule, base_ms
    if each.nothing_stored:
        each.age_ms = 0
    elif as_of_ms is None:
        pass
    elif rule_known:
        each.age_ms = _age_ms(each, as_of_ms)
    elif log_made_ms is not None and minus(as_of_ms, log_made_ms) < shortest_ms:
        each.age_ms = minus(as_of_ms, log_made_ms)
    # A member may have held it, unless there was none since that time.
    if (
        (state is None or by_state)
        and base_ms is not None
        and each.rule not in (None, Rule.EXPLICIT_RETENTION)
    ):
        each.clock_from_ms = base_ms


def _age_ms(each: Ended, as_of_ms: int) -> int:
    if each.rule == Rule.EXPLICIT_RETENTION:
        return LONG_MAX if as_of_ms >= (each.expire_ms or 0) else 0
    since_ms = each.since_ms
    if since_ms is None or since_ms < max(as_of_ms, -1) - LONG_MAX:
        return 0
    return max(as_of_ms - since_ms, 0) if as_of_ms - since_ms <= LONG_MAX else 0


def _start_clock(each: Ended) -> None:
    """Find since when it aged while nothing could hold it; None: not known, or something may have."""
    record_ms = None if each.commit is None else each.commit["record_timestamp_ms"]
    if each.clock_from_ms is None or record_ms is None or each.in_transactions:
        each.clock_from_ms = None
    else:
        each.clock_from_ms = max(each.clock_from_ms, record_ms)


class _Topics:
    """When topics were removed, by id and by name."""

    def __init__(self, events: Sequence[TopicEvent], now: Mapping[str, str]) -> None:
        self._now = now
        self._names_now = frozenset(now.values())
        self._ids: dict[str, int] = {}
        self._names: dict[str, list[int]] = defaultdict(list)
        times = [each.timestamp_ms for each in events if each.timestamp_ms is not None]
        self._known_from_ms = min(times, default=None)
        made = [
            each.timestamp_ms
            for each in events
            if each.topic == OFFSETS_TOPIC and each.event == "created" and each.timestamp_ms is not None
        ]
        self.log_made_ms = min(made, default=None)
        for each in events:
            if each.event == "removed" and each.timestamp_ms is not None:
                self._ids[each.topic_id] = max(
                    self._ids.get(each.topic_id, each.timestamp_ms), each.timestamp_ms
                )
                if each.topic is not None:
                    self._names[each.topic].append(each.timestamp_ms)

    def look_up(self, each: Ended) -> None:
        """Find when its topic was removed: with an id, possibly long before; else close to the removal."""
        at_ms = each.at_ms
        latest = plus(at_ms, CLOCKS_DIFFER_MS)
        if each.topic_id is not None:
            by_id = self._ids.get(each.topic_id)
            each.topic_removed_ms = by_id if by_id is not None and by_id <= latest else None
        else:
            earliest = minus(at_ms, NEAR_MS)
            if each.commit is not None:
                earliest = max(earliest, minus(each.commit["record_timestamp_ms"], CLOCKS_DIFFER_MS))
            near = [ms for ms in self._names.get(each.topic, ()) if earliest <= ms <= latest]
            before = [ms for ms in near if ms <= at_ms]
            each.topic_removed_ms = max(before) if before else min(near, default=None)
        removed_ms = each.topic_removed_ms
        each.topic_removed_near = removed_ms is not None and removed_ms >= minus(at_ms, NEAR_MS)
        known = self._known_from_ms is not None and self._known_from_ms <= latest
        # A topic that exists was never deleted: one that is created again has another id.
        each.topic_events_known = known or each.topic_id in self._now
        if self._now and each.topic_id is not None and not each.topic_events_known:
            each.topic_now = TOPIC_REMADE if each.topic in self._names_now else TOPIC_UNLISTED


def _compare(ended: Sequence[Ended]) -> list[Ended]:
    """Return the tombstones, with what the offsets beside them say.

    together_ms  the smallest age of the offsets that were removed with the same group. A group expires with
                 the last of its offsets, so all of them must have been due
    stayed_ms    the age of the oldest offset of its log partition that was kept then
    left_ms      the age of the oldest offset that the log partition leaves, at its end
    """
    youngest: dict[tuple[int, str, int], int] = {}
    logs: dict[int, list[Ended]] = defaultdict(list)
    for each in ended:
        logs[each.log_partition].append(each)
        if each.group_batch is not None and each.age_ms is not None:
            batch = each.log_partition, each.group, each.group_batch
            youngest[batch] = min(youngest.get(batch, LONG_MAX), each.age_ms)
    for of_log in logs.values():
        newest = max((ms for each in of_log if (ms := _last_ms(each)) is not None), default=None)
        left_from = min(
            (
                each.clock_from_ms
                for each in of_log
                if each.removed_at_ms is None and each.clock_from_ms is not None
            ),
            default=None,
        )
        left_ms = None if newest is None or left_from is None else minus(newest, left_from)
        stays = sorted(
            (until, each.clock_from_ms)
            for each in of_log
            if (until := newest if each.removed_at_ms is None else each.removed_at_ms) is not None
            and each.clock_from_ms is not None
        )
        untils = [until for until, _ in stays]
        oldest_from: list[int] = []  # of those that stay until then, or longer
        for _, from_ms in reversed(stays):
            oldest_from.append(min(from_ms, oldest_from[-1]) if oldest_from else from_ms)
        oldest_from.reverse()
        for each in of_log:
            if each.removed_at_ms is None:
                continue
            each.left_ms = left_ms
            each.together_ms = each.age_ms
            if each.group_batch is not None:
                each.together_ms = youngest.get((each.log_partition, each.group, each.group_batch))
            at = bisect_left(untils, each.removed_at_ms + STAYED_MS)
            if at < len(untils):
                each.stayed_ms = minus(each.removed_at_ms, oldest_from[at])
    return [each for each in ended if each.removed_at_ms is not None]


def _last_ms(each: Ended) -> int | None:
    if each.removed_at_ms is not None:
        return each.removed_at_ms
    return None if each.commit is None else each.commit["record_timestamp_ms"]


def _aged(removed: Iterable[Ended], known: Retention | None) -> Ages:
    """Return the ages at which offsets may have expired, a few for each second of age."""
    kinds: dict[tuple[int, bool | None, bool, bool], list[Ended]] = defaultdict(list)
    for each in removed:
        _under_what_fits(each, None)
        together = each.together_ms
        if each.expiry != OPEN or together is None or together == LONG_MAX:
            continue
        explained = known is not None and bool(_that_pass(each, known.ms))
        kinds[together // 1000, each.with_group, explained, each.clock_from_ms is None].append(each)
    ages: list[Aged] = []
    moments: set[int] = set()
    left_ms: int | None = None
    for (_, with_group, explained, held), same in kinds.items():
        times = [each.at_ms for each in same]
        together_ms = [each.together_ms for each in same if each.together_ms is not None]
        first, last = min(times), max(times)
        left = [each.left_ms for each in same if each.left_ms is not None]
        if left:
            left_ms = max(left) if left_ms is None else max(left_ms, *left)
        if explained:
            moments |= {first // PASS_MS, last // PASS_MS}
        else:
            ages.append(Aged(min(together_ms), first, with_group, held))
            ages.append(Aged(max(together_ms), last, with_group, held))
    return Ages(ages, len(moments), left_ms)


# Whether it was due: "yes" or "no" only if that holds for every retention that fits, otherwise "open".

COMMIT_GONE: Final = "the commit is not in the log any more, so its age is not known"
KEPT_DUE: Final = "an offset of this log partition that was due was kept then, so no cleanup pass removed it"
ONE_WRITE: Final = "one write removed groups and offsets of other groups, as only a cleanup pass does"
OTHERS_WERE_DUE: Final = "the group was removed in the same batch, with offsets that were due"


def span(ms: int) -> str:
    return f"{ms / 1000:.1f} s"


def _that_pass(each: Ended, retention_ms: Sequence[int]) -> list[int]:
    """Return the retentions under which a pass can have removed an offset of this age; None: any age."""
    kept_ms = -LONG_MAX if each.stayed_ms is None else minus(each.stayed_ms, PASS_MS)
    together = each.together_ms
    return [ms for ms in retention_ms if (together is None or ms <= together) and ms > kept_ms]


def _under_known(each: Ended, known: Retention) -> None:
    """Decide between known retentions: the removal was in time under the one that was in effect."""
    every, together = known.ms, each.together_ms
    due = _that_pass(each, every)
    each.due_under_ms = None if each.age_ms is None else [ms for ms in every if ms <= each.age_ms]
    texts = ", ".join(map(minutes_text, every))
    if not due:
        doubted = _is_within(together, known.doubt)
        not_due = _not_due(each, f"under a retention of {texts} min", itself=bool(each.due_under_ms))
        if doubted:
            each.expiry, each.because = OPEN, f"{not_due}; removals repeat at this age"
        else:
            each.expiry = NO
            each.because = KEPT_DUE if together is None or together >= min(every) else not_due
        return
    if together is None:
        each.expiry, each.because = OPEN, COMMIT_GONE
        return
    own = each.rule == Rule.EXPLICIT_RETENTION
    longest = max(due)
    due_at = each.expire_ms if own else None if each.since_ms is None else each.since_ms + longest
    soon = _is_soon(each, longest)
    late_ms = _late_ms(each, longest)
    in_time = soon and late_ms <= known.late_ms
    by_rule = each.rule is not None and not own
    came_late = by_rule and not each.in_transactions and late_ms > known.late_ms
    all_due = len(due) == len(every)
    each.expiry = YES if in_time or (all_due and (soon or came_late)) else OPEN
    under = "" if own else f" under a retention of {', '.join(map(minutes_text, due))} min"
    each.because = _due(each, due_at) + under
    if each.expiry == OPEN:
        each.because += (
            ", long enough for a request"
            if all_due
            else ", long after its pass; not due under another given retention"
        )


def _late_ms(each: Ended, retention_ms: int) -> int:
    """Return for how long the offsets removed together had been due."""
    assert each.together_ms is not None
    if each.together_ms == LONG_MAX:
        return minus(each.at_ms, each.expire_ms or 0)
    return minus(each.together_ms, retention_ms)


def _is_soon(each: Ended, retention_ms: int) -> bool:
    """Return whether it was removed within a tenth of its age after it was due."""
    life = each.together_ms
    if life == LONG_MAX:
        life = None if each.since_ms is None else minus(each.at_ms, each.since_ms)
    return life is not None and _late_ms(each, retention_ms) <= life / SPREAD


def _is_within(together_ms: int | None, evidence: Evidence | None) -> bool:
    return (
        evidence is not None
        and together_ms is not None
        and evidence.youngest_ms <= together_ms <= evidence.oldest_ms
    )


def _under_what_fits(each: Ended, evidence: Evidence | None) -> None:
    together = each.together_ms
    known = [] if evidence is None else [evidence.longest_ms]
    each.due_under_ms = (
        [ms for ms in known if ms <= each.age_ms] if known and each.age_ms is not None else None
    )
    if together is None:
        each.expiry, each.because = OPEN, COMMIT_GONE
        return
    if together == LONG_MAX:
        each.expiry, each.because = YES, _due(each, each.expire_ms)
        if not _is_soon(each, 0):
            each.expiry = OPEN
            each.because += ", long enough for a request"
        return
    longest_ms = together // MINUTE_MS * MINUTE_MS
    old = f"the youngest offset removed with it was {span(together)} old"
    if each.rule is not None and each.age_ms == together:
        old = f"rule {each.rule}: {span(together)} old"
    if longest_ms < MINUTE_MS:
        itself = each.age_ms is not None and each.age_ms >= MINUTE_MS
        each.expiry, each.because = NO, _not_due(each, "under any retention", itself=itself)
    elif each.stayed_ms is not None and longest_ms <= minus(each.stayed_ms, PASS_MS):
        each.expiry, each.because = NO, f"{old}, and an older offset in this log partition was kept"
    elif evidence is not None and _is_within(together, evidence):
        each.expiry = YES if evidence.decisive else OPEN
        each.because = f"{old}, due under a retention of {evidence.minutes} min (inferred)"
        if not evidence.decisive:
            each.because += "; but requests at this age, again and again, would look the same"
    else:
        each.expiry = OPEN
        each.because = f"{old}, due only if offsets.retention.minutes was at most {longest_ms // MINUTE_MS}"


def _due(each: Ended, at_ms: int | None) -> str:
    if each.rule is None or at_ms is None:
        return OTHERS_WERE_DUE
    return f"rule {each.rule}: due {span(minus(each.at_ms, at_ms))} before"


def _not_due(each: Ended, under: str, *, itself: bool) -> str:
    if each.nothing_stored:
        return "no offset was stored, except perhaps in an open transaction"
    if itself:
        return f"another offset in its batch was not due {under}"
    if each.rule is None:
        return f"the log itself was not old enough for the offset to be due {under}"
    return f"it was not due {under} (rule {each.rule})"


def _find_passes(removed: Iterable[Ended]) -> None:
    """Decide about the offsets that only a pass can have removed.

    One write with tombstones of groups and of offsets whose group is kept is a pass: a request has one kind.
    """
    writes: dict[tuple[int, int], list[Ended]] = defaultdict(list)
    for each in removed:
        writes[each.log_partition, each.at_ms].append(each)
    for write in writes.values():
        kinds = {each.with_group for each in write}
        if {True, False} <= kinds and all(each.expiry != NO for each in write):
            for each in write:
                if each.expiry == OPEN and each.with_group is not None:
                    each.expiry, each.because = YES, ONE_WRITE


# The cause. If several are possible, it is unknown.

WITH_GROUP: Final = "the group was removed in the same batch"
ALONE: Final = "neither its topic nor its group was removed with it"
GROUP_STAYED: Final = "its group was not removed with it"
NO_METADATA_LOG: Final = (
    "whether its topic was removed is not known, because there is no metadata log of that time"
)
TOPIC_REMADE: Final = (
    "its topic was removed, at a time that is not known, and another one of its name exists now"
)
TOPIC_UNLISTED: Final = (
    "its topic does not exist now, or may not be described, and when it was removed is not known"
)
OLDER_WITH_GROUP: Final = (
    "the coordinator of Kafka up to 3.9 removes a group with its last offset, whatever removed that"
)
OLDER_ALONE: Final = "the coordinator of Kafka up to 3.9 writes no tombstone of a group without members"


def _conclude(each: Ended) -> None:
    """Find the possible causes, and the evidence for them.

    A topic of its id or name was removed just before          topic_delete
    the group's tombstone is in the same batch                 group_delete, or expired with its group
    it was due under every retention that fits                 expired
    it was due under none, and none of the above               offset_delete
    """
    with_topic = _with_its_topic(each)
    earlier = each.topic_removed_ms is not None and not each.topic_removed_near
    before = "" if each.topic_removed_ms is None else span(minus(each.at_ms, each.topic_removed_ms))
    of_id = f"the topic of this id was removed {before} before"
    not_expired = each.expiry == NO
    if with_topic == YES:
        causes = [TOPIC_DELETE]
        evidence = of_id
        if each.topic_id is None:
            evidence = (
                f"a topic of this name was removed {before} before; which id the offset was of is not known"
            )
    elif each.expiry == YES:
        causes, evidence = [EXPIRED], each.because
    else:
        causes = [] if not_expired else [EXPIRED]
        if each.group_removed:
            causes.append(GROUP_DELETE)
            evidence = f"{WITH_GROUP}; {each.because}"
        elif earlier:
            causes.append(TOPIC_DELETE)
            evidence = f"{of_id}; {each.because}" if not_expired else f"{each.because}; {of_id}"
        else:
            causes.append(OFFSET_DELETE)
            if not each.topic_events_known:
                causes.append(TOPIC_DELETE)
                evidence = f"{each.because}; {each.topic_now or NO_METADATA_LOG}"
            else:
                evidence = f"{each.because}; {GROUP_STAYED if with_topic == OPEN else ALONE}"
    # Further causes are possible in doubt. Their evidence continues the sentence.
    more: list[str] = []
    by_request = not {GROUP_DELETE, OFFSET_DELETE}.isdisjoint(causes)
    if with_topic == OPEN:
        more.append(TOPIC_DELETE)
        evidence += "; its topic was removed at about the same time"
    if each.older_coordinator and by_request and each.group_removed:
        more += [GROUP_DELETE, OFFSET_DELETE]
        evidence += f"; {OLDER_WITH_GROUP}"
        if not each.topic_events_known:
            more.append(TOPIC_DELETE)
            evidence += f"; {NO_METADATA_LOG}"
    elif each.older_coordinator and by_request and each.situation == Situation.NEVER_MANAGED:
        more.append(GROUP_DELETE)
        evidence += f"; {OLDER_ALONE}"
    each.possible = list(dict.fromkeys([*causes, *more]))
    each.evidence = evidence


def _with_its_topic(each: Ended) -> str:
    """Return whether it was removed with its topic: "yes", "no", or "open".

    If the topic was removed a moment later, or the commit was written after the removal, then clocks differ,
    or the topic was removed independently. A group's tombstone is written with a topic by the older
    coordinator only.
    """
    if not each.topic_removed_near or (each.group_removed and not each.older_coordinator):
        return NO
    assert each.topic_removed_ms is not None
    doubtful = each.topic_removed_ms > each.at_ms
    if each.topic_id is None and each.commit is not None:
        # The commit may be of a topic that was created again with the same name.
        after_removal = minus(each.commit["record_timestamp_ms"], each.topic_removed_ms)
        at_once = minus(each.at_ms, each.topic_removed_ms) <= CLOCKS_DIFFER_MS
        doubtful |= after_removal >= 0 or (after_removal >= -CLOCKS_DIFFER_MS and not at_once)
    return OPEN if doubtful else YES
