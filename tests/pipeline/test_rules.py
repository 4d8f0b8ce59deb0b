"""The pipeline's rules of expiry are the broker's: every kind of group, state, subscription and time."""

from __future__ import annotations

from tests.pipeline.expiry_cases import NOW_MS, RETENTIONS_MS, Case, cases
from tidemark.groups.retention import Rule, expiry
from tidemark_pipeline.tables.rules import is_subscribed, outcome


def test_rule_base_and_due_time_are_the_brokers() -> None:
    seen: set[str] = set()
    for case in cases():
        for retention_ms in RETENTIONS_MS:
            seen.add(assert_same(case, retention_ms))
    assert seen == {rule.value for rule in Rule}


def assert_same(case: Case, retention_ms: int) -> str:
    it = case.situation
    said = expiry(
        case.group, it.topic, case.value, wall_ms=NOW_MS, retention_ms=retention_ms, pending=it.pending
    )
    found = outcome(it, retention_ms=retention_ms, as_of_ms=NOW_MS)
    assert (found.rule, found.base_ms, found.expires_at_ms) == (said.rule, said.since_ms, said.due_ms), it
    assert found.is_due(NOW_MS) == said.expired(NOW_MS), it
    assert is_subscribed(it) == case.group.is_subscribed(it.topic), it
    return found.rule


def test_the_base_is_named_after_the_column_that_it_was_taken_from() -> None:
    for case in cases():
        found = outcome(case.situation, retention_ms=60_000, as_of_ms=NOW_MS)
        if found.base is not None:
            assert getattr(case.situation, found.base) == found.base_ms
