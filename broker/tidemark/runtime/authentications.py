"""Ends of authentications: counted, logged, and answered after a delay if the client failed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from tidemark.clock import Clock
from tidemark.core.result import AuthenticationEnded, Released, RespondLater
from tidemark.metrics.registry import Metrics

LINES_PER_SECOND_MAX: Final = 10  # a client that tries passwords must not fill the log
SECOND_MS: Final = 1000


class Authentications:
    """release(released) responds to a parked request."""

    def __init__(
        self, clock: Clock, metrics: Metrics, logger: Any, release: Callable[[Released], None]
    ) -> None:
        self._clock = clock
        self._metrics = metrics
        self._logger = logger
        self._release = release
        self._second = -1
        self._lines = 0  # in this second
        self._not_logged = 0

    def count(self, ended: AuthenticationEnded) -> None:
        result = "success" if ended.failure is None else "failure"
        self._metrics.authentications[ended.listener, ended.mechanism, result] += 1
        if ended.failure is None:
            return
        second = self._clock.host_ms() // SECOND_MS
        if second != self._second:
            self._second, self._lines = second, 0
        if self._lines == LINES_PER_SECOND_MAX:
            self._not_logged += 1
            return
        self._lines += 1
        more = {"not_logged": self._not_logged} if self._not_logged else {}
        self._not_logged = 0
        self._logger.warning(
            "authentication failed",
            ip=ended.client_host.removeprefix("/"),
            listener=ended.listener,
            mechanism=ended.mechanism,
            reason=ended.failure,
            **more,
        )

    def respond_later(self, effect: RespondLater) -> None:
        """Respond after the delay. The connection reads nothing more meanwhile, and is closed then."""
        released = Released(effect.pending, effect.response)
        self._clock.call_at(self._clock.steady_ms() + effect.delay_ms, partial(self._release, released))
