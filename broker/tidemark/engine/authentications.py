"""Counts and logs authentications, and delays the responses to those that failed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from tidemark.clock import Clock
from tidemark.core.result import AuthenticationEnded, Released, RespondLater
from tidemark.metrics.rates import LineLimit
from tidemark.metrics.registry import Metrics


class Authentications:
    """release(released) responds to a parked request."""

    def __init__(
        self, clock: Clock, metrics: Metrics, logger: Any, release: Callable[[Released], None]
    ) -> None:
        self._clock = clock
        self._metrics = metrics
        self._logger = logger
        self._release = release
        self._lines = LineLimit()

    def count(self, ended: AuthenticationEnded) -> None:
        result = "success" if ended.failure is None else "failure"
        self._metrics.authentications[ended.listener, ended.mechanism, result] += 1
        if ended.failure is None:
            return
        more = self._lines.take(self._clock.host_ms())
        if more is None:
            return
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
