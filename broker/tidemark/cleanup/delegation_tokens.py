"""The pass that removes expired delegation tokens. Kafka: `sweepExpiredDelegationTokens`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tidemark.clock import Clock
from tidemark.core.context import Now
from tidemark.core.decision import Decision
from tidemark.metadata.state import Cluster
from tidemark.turns import Pace


async def remove_expired_tokens(
    cluster: Cluster, clock: Clock, accept: Callable[[Decision[Any]], None], wall_ms: int | None = None
) -> None:
    """Run one pass for this wall time. None: now. accept(result) writes a decision of the cluster."""
    if not cluster.delegation_tokens:
        return
    from tidemark.metadata.delegation_tokens import expired_tokens  # most brokers have no tokens

    pace = Pace(clock)
    now = Now(clock.wall_ms() if wall_ms is None else wall_ms, clock.steady_ms())
    for result in expired_tokens(cluster, now):
        if result is not None:
            accept(result)
        if pace.spend():
            await pace.rest()
