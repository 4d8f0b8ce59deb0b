"""Denials are counted, and logged at a bounded rate."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tidemark.authorization.standard import LINES_MAX, LOG_MS, Denials
from tidemark.core.context import Operation, ResourceType
from tidemark_testing.clock import LoopClock

READ, TOPIC = Operation.READ, ResourceType.TOPIC
ALICE, HOST = "User:alice", "10.0.0.1"


class Story:
    def __init__(self) -> None:
        self.clock = LoopClock(0)
        self.counts: Counter[tuple[str, str]] = Counter()
        self.lines: list[dict[str, Any]] = []
        self.denials = Denials(self._count, self._log, self.clock.steady_ms)

    def _count(self, operation: str, resource_type: str) -> None:
        self.counts[operation, resource_type] += 1

    def _log(self, **fields: Any) -> None:
        self.lines.append(fields)


def test_line_names_who_was_denied_what_with_kafkas_names() -> None:
    """Kafka: "Principal = User:alice is Denied operation = IdempotentWrite ... on resource = Cluster:..."."""
    story = Story()
    story.denials.add(ALICE, HOST, Operation.IDEMPOTENT_WRITE, ResourceType.TRANSACTIONAL_ID, "t")
    story.denials.add(ALICE, HOST, READ, TOPIC, None)
    first, second = story.lines
    assert first == {
        "principal": ALICE, "client": HOST, "operation": "IdempotentWrite", "resource": "TransactionalId:t",
    }  # fmt: skip
    assert second["resource"] == "Topic:(some)"


def test_repeated_denials_are_counted_and_logged_once_a_minute() -> None:
    story = Story()
    for number in range(1000):
        story.denials.add(ALICE, HOST, READ, TOPIC, f"topic-{number}")
    assert story.counts == {("Read", "Topic"): 1000}
    assert [line["resource"] for line in story.lines] == ["Topic:topic-0"]
    story.clock.advance(LOG_MS)
    story.denials.add(ALICE, HOST, READ, TOPIC, "later")
    assert len(story.lines) == 2


def test_lines_of_many_clients_are_bounded() -> None:
    story = Story()
    for number in range(3 * LINES_MAX):
        story.denials.add(f"User:{number}", HOST, READ, TOPIC, "orders")
    assert len(story.lines) == LINES_MAX
    assert story.counts["Read", "Topic"] == 3 * LINES_MAX
