"""Keeps the tests on one broker apart, and waits for a condition."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from threading import Event
from typing import Final
from unittest import SkipTest

from tidemark_tools.client.connection import now_s

__tracebackhide__ = True

POLL_S: Final = 0.01


class NotAvailable(SkipTest):
    """The broker cannot do what the test needs. pytest and unittest skip the test, and show the reason."""


@dataclass(frozen=True)
class Isolation:
    """How tests are kept apart.

    prefix  "" if each test restores a snapshot; else what the names of topics and groups of a test begin with
    shared  other tests use the broker at the same time: time must not move, and nothing may be restored
    """

    prefix: str = ""
    shared: bool = False

    def name(self, name: str) -> str:
        """Return the name of a topic or a group, with the prefix."""
        return name if name.startswith(self.prefix) else self.prefix + name

    def check_alone(self, wanted: str) -> None:
        """Skip the test if other tests use the broker at the same time. wanted: what the test used."""
        if self.shared:
            raise NotAvailable(
                f"tidemark.{wanted} would disturb the other workers of pytest-xdist, which share the broker: "
                "run this test without -n, or with --tidemark-mode thread"
            )


SNAPSHOT: Final = Isolation()


# In a thread of `AsyncTidemark`: an event that is set once the coroutine is cancelled that awaits the thread.
CANCELLED: Final[ContextVar[Event | None]] = ContextVar("CANCELLED", default=None)


def pause(seconds: float) -> None:
    """Sleep. Raises asyncio.CancelledError once the coroutine is cancelled that awaits this thread."""
    cancelled = CANCELLED.get()
    if cancelled is None:
        time.sleep(seconds)
    elif cancelled.wait(seconds):
        from asyncio import CancelledError

        raise CancelledError


def wait(why_not: Callable[[], str | None], timeout_s: float) -> str | None:
    """Call until it returns None, for at most so many seconds. Return what it returned last."""
    deadline = now_s() + timeout_s
    while True:
        reason = why_not()
        if reason is None or now_s() >= deadline:
            return reason
        pause(POLL_S)
