"""When a committed offset expires, as plain data: a decision table, from which both the SQL expressions and a
plain evaluation in Python are made.

The rule is the broker's (`groups/retention.py`, after Kafka's offsetExpirationCondition,
reference 7.1 to 7.3), which the pipeline cannot import. A test holds both to the same answers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

LONG_MAX: Final = 2**63 - 1


@dataclass(slots=True, frozen=True)
class Situation:
    """What is known of an offset and its group, under the names that the columns have.

    group_type           classic, consumer, share, streams; None: there are offsets and no record of it
    protocol_type        of a classic group; None: it never had members
    state_timestamp_ms   None: the record does not say
    subscribed_topics    None: not known
    expire_timestamp_ms  None: the commit did not ask for a retention of its own
    pending              an open transaction has an offset for the same partition
    """

    group_type: str | None
    protocol_type: str | None
    state: str
    state_timestamp_ms: int | None
    subscribed_topics: Sequence[str] | None
    topic: str
    commit_timestamp_ms: int
    expire_timestamp_ms: int | None = None
    pending: bool = False


class Fact(NamedTuple):
    """A question with the answer yes or no, once in SQL (never null) and once in Python."""

    sql: str
    holds: Callable[[Situation], bool]


def _is_other(it: Situation) -> bool:
    return it.group_type not in (None, "classic", "consumer")


def _is_consumer(it: Situation) -> bool:
    return it.group_type == "consumer"


def _is_simple(it: Situation) -> bool:
    return it.group_type in (None, "classic") and it.protocol_type is None


def _is_subscribed(it: Situation) -> bool:
    """A classic consumer group whose subscription is not known counts as subscribed to everything."""
    if _is_other(it):
        return True
    if it.subscribed_topics is None:
        return it.group_type == "classic" and it.protocol_type == "consumer"
    return it.topic in it.subscribed_topics


def _knows_its_topics(it: Situation) -> bool:
    return it.state == "Stable" and it.protocol_type == "consumer"


FACTS: Final[Mapping[str, Fact]] = {
    "other": Fact("coalesce(group_type NOT IN ('classic', 'consumer'), false)", _is_other),
    "consumer": Fact("coalesce(group_type = 'consumer', false)", _is_consumer),
    "simple": Fact(
        "(coalesce(group_type, 'classic') = 'classic' AND protocol_type IS NULL)",
        _is_simple,
    ),
    "empty": Fact("coalesce(state = 'Empty', false)", lambda it: it.state == "Empty"),
    "since_known": Fact("(state_timestamp_ms IS NOT NULL)", lambda it: it.state_timestamp_ms is not None),
    # Only of these is it said which topics the group no longer reads.
    "topics_known": Fact(
        "coalesce(state = 'Stable' AND protocol_type = 'consumer', false)",
        _knows_its_topics,
    ),
    "subscribed": Fact(
        "(coalesce(group_type NOT IN ('classic', 'consumer'), false)"
        " OR coalesce(array_contains(subscribed_topics, topic),"
        " group_type = 'classic' AND protocol_type = 'consumer', false))",
        _is_subscribed,
    ),
    "pending": Fact("coalesce(pending, false)", lambda it: it.pending),
    "explicit": Fact("(expire_timestamp_ms IS NOT NULL)", lambda it: it.expire_timestamp_ms is not None),
}


class Decision(NamedTuple):
    """A row of the table: where all of these facts are so, this is the rule, and this column the time that
    the offset's age is counted from (None: nothing is counted, it does not go as things stand).
    """

    when: Mapping[str, bool]
    rule: str
    base: str | None = None


STATE: Final = "state_timestamp_ms"
COMMIT: Final = "commit_timestamp_ms"
EXPLICIT: Final = "explicit_retention"

# The first row that fits decides.
TABLE: Final[Sequence[Decision]] = (
    Decision({"other": True}, "not_served"),
    # A pass does not look at what a group uses, whatever the offset itself says.
    Decision({"consumer": True, "subscribed": True}, "active"),
    Decision({"consumer": False, "simple": False, "empty": False, "topics_known": False}, "active"),
    Decision({"consumer": False, "simple": False, "empty": False, "subscribed": True}, "active"),
    Decision({"pending": True}, "pending_transaction"),
    Decision({"explicit": True}, EXPLICIT, COMMIT),
    Decision({"consumer": True}, "topic_not_subscribed", COMMIT),
    Decision({"simple": True}, "standalone", COMMIT),
    Decision({"empty": True, "since_known": True}, "group_empty", STATE),
    Decision({"empty": True}, "group_empty", COMMIT),
    Decision({}, "topic_not_subscribed", COMMIT),
)


# In Python.


class Outcome(NamedTuple):
    """base_ms: what the age is counted from; expires_at_ms: it goes at the first pass from then on. None:
    nothing is counted, and it does not go as things stand.
    """

    rule: str
    base: str | None = None
    base_ms: int | None = None
    expires_at_ms: int | None = None

    def is_due(self, as_of_ms: int) -> bool:
        return self.expires_at_ms is not None and as_of_ms >= self.expires_at_ms


def outcome(it: Situation, *, retention_ms: int, as_of_ms: int) -> Outcome:
    """What becomes of the offset, with this retention, as the log stands at this moment."""
    found = next(row for row in TABLE if _fits(row, it))
    if found.base is None:
        return Outcome(found.rule)
    base_ms: int = getattr(it, found.base)
    if found.rule == EXPLICIT:
        return Outcome(found.rule, found.base, base_ms, it.expire_timestamp_ms)
    return Outcome(found.rule, found.base, base_ms, _expires_at(base_ms, retention_ms, as_of_ms))


def is_subscribed(it: Situation) -> bool:
    return FACTS["subscribed"].holds(it)


def _fits(row: Decision, it: Situation) -> bool:
    return all(FACTS[name].holds(it) == wanted for name, wanted in row.when.items())


def _expires_at(base_ms: int, retention_ms: int, as_of_ms: int) -> int | None:
    """The first moment at which `now - base >= retention` holds in Java's longs; None: it never does. The
    difference wraps: what lies further back than a long can say counts as not old at all.
    """
    due = base_ms + retention_ms
    return due if due <= LONG_MAX and as_of_ms - base_ms <= LONG_MAX else None


# In SQL, over columns that have the names of Situation's fields; the rule and the base have to be columns for
# what follows from them, and so have retention_ms (0 or more) and as_of_ms.


_AGES: Final = f"base_ms >= greatest(as_of_ms, -1L) - {LONG_MAX}L"


def rule_sql() -> str:
    return _case([(row.when, f"'{row.rule}'") for row in TABLE])


def base_sql() -> str:
    """The name of the column that the age is counted from, null where nothing is."""
    return _case([(row.when, f"'{row.base}'" if row.base else "CAST(NULL AS STRING)") for row in TABLE])


def base_ms_sql() -> str:
    return f"CASE base WHEN '{STATE}' THEN {STATE} WHEN '{COMMIT}' THEN {COMMIT} END"


def expires_at_sql() -> str:
    """Over base_ms. try_add is null where the sum would not be a long."""
    return (
        f"CASE WHEN rule = '{EXPLICIT}' THEN expire_timestamp_ms"
        f" WHEN {_AGES} THEN try_add(base_ms, retention_ms) END"
    )


def age_sql() -> str:
    """The longest retention in ms under which it is due; LONG_MAX where its commit's own retention counts."""
    return (
        f"CASE WHEN rule = '{EXPLICIT}' THEN if(as_of_ms >= expire_timestamp_ms, {LONG_MAX}L, 0L)"
        f" WHEN {_AGES} THEN greatest(try_subtract(as_of_ms, base_ms), 0L) ELSE 0L END"
    )


def due_sql() -> str:
    return "coalesce(as_of_ms >= expires_at_ms, false)"


def subscribed_sql() -> str:
    return FACTS["subscribed"].sql


def _case(rows: Sequence[tuple[Mapping[str, bool], str]]) -> str:
    """The first whose facts hold."""
    whens = " ".join(f"WHEN {_all(when)} THEN {result}" for when, result in rows if when)
    (otherwise,) = (result for when, result in rows if not when)
    return f"CASE {whens} ELSE {otherwise} END"


def _all(when: Mapping[str, bool]) -> str:
    return " AND ".join(
        FACTS[name].sql if wanted else f"NOT {FACTS[name].sql}" for name, wanted in when.items()
    )
