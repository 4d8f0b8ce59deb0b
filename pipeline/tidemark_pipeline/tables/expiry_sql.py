"""The rule of `tidemark_expiry.rules` as SQL.

The expressions are evaluated in this order, each over the columns before it:

    situation       group_type, protocol_type and state: the group's; null: no record of the group
    subscribed      subscribed_topics (null: not known) and topic
    rule, base      pending, expire_timestamp_ms (null: the commit did not set its own retention)
    base_ms         state_timestamp_ms (null: not known) and commit_timestamp_ms
    expires_at_ms   retention_ms (0 or more) and as_of_ms, the time of the clock
    due
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tidemark_expiry.rules import (
    COMMIT_TIME,
    DECISIONS,
    LONG_MAX,
    SITUATIONS,
    STATE_TIME,
    Decision,
    Rule,
    Situation,
)

# Whether now - base_ms fits in a long. If not, Java's difference is negative.
_AGE_FITS: Final = f"base_ms >= greatest(as_of_ms, -1L) - {LONG_MAX}L"


def situation_sql() -> str:
    """Return the expression for the situation of the group. Never null."""
    rows = []
    for when, situation in SITUATIONS:
        conditions = [_one_of(column, values) for column, values in when.items()]
        rows.append((conditions, f"'{situation}'"))
    return _case(rows)


def subscribed_sql() -> str:
    """Return the expression for whether a member is subscribed to the topic. Never null.

    A group counts as subscribed to every topic if its subscription is not known, or its type is not served.
    """
    return (
        f"situation = '{Situation.NOT_SERVED}' OR coalesce(array_contains(subscribed_topics, topic),"
        " group_type = 'classic' AND protocol_type = 'consumer', false)"
    )


def rule_sql() -> str:
    return _case([(_conditions(row), f"'{row.rule}'") for row in DECISIONS])


def base_sql() -> str:
    """Return the expression for the column from which the age counts. Null: the offset does not expire."""
    return _case([(_conditions(row), _base(row)) for row in DECISIONS])


def base_ms_sql() -> str:
    return f"CASE base WHEN '{STATE_TIME}' THEN {STATE_TIME} WHEN '{COMMIT_TIME}' THEN {COMMIT_TIME} END"


def expires_at_sql() -> str:
    """Return the expression for the time at which the offset is due. Null: never.

    try_add is null if the sum is not a long.
    """
    return (
        f"CASE WHEN rule = '{Rule.EXPLICIT_RETENTION}' THEN expire_timestamp_ms"
        f" WHEN {_AGE_FITS} THEN try_add(base_ms, retention_ms) END"
    )


def age_sql() -> str:
    """Return the expression for the longest retention in ms under which the offset is due.

    If its commit set its own retention: LONG_MAX if that is over, else 0.
    """
    return (
        f"CASE WHEN rule = '{Rule.EXPLICIT_RETENTION}'"
        f" THEN if(as_of_ms >= expire_timestamp_ms, {LONG_MAX}L, 0L)"
        f" WHEN {_AGE_FITS} THEN greatest(try_subtract(as_of_ms, base_ms), 0L) ELSE 0L END"
    )


def due_sql() -> str:
    return "coalesce(as_of_ms >= expires_at_ms, false)"


def _one_of(column: str, values: Sequence[str | None]) -> str:
    texts = ", ".join(f"'{value}'" for value in values if value is not None)
    found = f"coalesce({column} IN ({texts}), false)" if texts else "false"
    return f"({column} IS NULL OR {found})" if None in values else found


def _conditions(row: Decision) -> list[str]:
    conditions = []
    if set(row.situations) != set(Situation):
        conditions.append(_one_of("situation", row.situations))
    facts = {
        "subscribed": row.subscribed,
        "coalesce(pending, false)": row.pending,
        "(expire_timestamp_ms IS NOT NULL)": row.explicit,
    }
    conditions += [sql if wanted else f"NOT {sql}" for sql, wanted in facts.items() if wanted is not None]
    return conditions


def _base(row: Decision) -> str:
    if row.base is None:
        return "CAST(NULL AS STRING)"
    if row.base == STATE_TIME:
        return f"if({STATE_TIME} IS NULL, '{COMMIT_TIME}', '{STATE_TIME}')"
    return f"'{row.base}'"


def _case(rows: Sequence[tuple[Sequence[str], str]]) -> str:
    """Return a CASE expression: the value of the first row whose conditions all hold."""
    whens = [f"WHEN {' AND '.join(conditions) or 'true'} THEN {value}" for conditions, value in rows]
    return f"CASE {' '.join(whens)} END"
