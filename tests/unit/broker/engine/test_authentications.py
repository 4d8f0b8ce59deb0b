from __future__ import annotations

from typing import Any

from tidemark.core.decision import AuthenticationEnded
from tidemark.engine.events import Authentications
from tidemark.metrics.rates import LINES_PER_SECOND_MAX
from tidemark.metrics.registry import Metrics
from tidemark_testing.clock import VirtualClock


class Lines:
    """A logger that keeps the fields of its lines."""

    def __init__(self) -> None:
        self.fields: list[dict[str, Any]] = []

    def warning(self, event: str, **fields: Any) -> None:
        assert event == "authentication failed"
        self.fields.append(fields)


class Story:
    def __init__(self) -> None:
        self.clock, self.lines = VirtualClock(), Lines()
        self.metrics = Metrics(self.clock.steady_ms)
        self._counts = Authentications(self.clock, self.metrics, self.lines, lambda released: None)

    def end(self, count: int, failure: str | None = "wrong") -> None:
        for _ in range(count):
            self._counts.count(AuthenticationEnded("CLIENTS", "PLAIN", "/10.0.0.1", failure))


def test_failure_is_logged_and_counted() -> None:
    story = Story()
    story.end(1)
    story.end(2, None)
    assert story.lines.fields == [
        {"ip": "10.0.0.1", "listener": "CLIENTS", "mechanism": "PLAIN", "reason": "wrong"}
    ]
    counted = story.metrics.authentications
    assert counted["CLIENTS", "PLAIN", "failure"] == 1
    assert counted["CLIENTS", "PLAIN", "success"] == 2


def test_many_failures_are_counted_and_few_of_them_are_logged() -> None:
    story = Story()
    story.end(1000)
    assert len(story.lines.fields) == LINES_PER_SECOND_MAX
    assert story.metrics.authentications["CLIENTS", "PLAIN", "failure"] == 1000
    story.clock.advance(1000)
    story.end(2)
    assert [line.get("not_logged") for line in story.lines.fields[-2:]] == [1000 - LINES_PER_SECOND_MAX, None]
