"""The quotas of clients of one incarnation: in force while there are any. Nothing is imported before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidemark.node.environment import Environment
from tidemark.node.state import State

if TYPE_CHECKING:
    from tidemark.server.quotas import QuotaInterceptor


class QuotaEnforcement:
    """Keeps the interceptor of quotas in the list of the node while the cluster has quotas."""

    def __init__(self, env: Environment, state: State) -> None:
        self._env = env
        self._state = state
        self._interceptor: QuotaInterceptor | None = None

    def follow(self) -> None:
        """Apply the quotas of the cluster. Call it at the start, and after each change of them."""
        cluster = self._state.cluster
        if not cluster.quotas:
            self.end()
            return
        from tidemark.server.quotas import ClientLimits, QuotaInterceptor, QuotaWindows

        limits = ClientLimits((entity, key, each.value) for (entity, key), each in cluster.quotas.items())
        if not limits:
            self.end()
        elif self._interceptor is not None:
            self._interceptor.limit(limits)
            self._env.interceptors.refresh()
        else:
            config = self._env.config
            windows = QuotaWindows(config.quota_window_num, config.quota_window_size_seconds)
            self._interceptor = QuotaInterceptor(limits, windows, self._state.clock.steady_ms)
            self._env.interceptors.add(self._interceptor)

    def end(self) -> None:
        """Throttle no client any more."""
        if self._interceptor is not None:
            self._env.interceptors.remove(self._interceptor)
            self._interceptor = None
