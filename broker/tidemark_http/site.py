"""The state that the modules of the HTTP server share, as plain data."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any, Final

from tidemark.clock import Clock
from tidemark.late_dataclass import dataclass
from tidemark.metrics import Metrics

if TYPE_CHECKING:
    from tidemark_http.ports import Ports

BACKLOG: Final = 64  # connections that wait to be accepted

# From the class of uvicorn's connections to what creates connections with TLS.
Secure = Callable[[Callable[..., Any]], Callable[..., Any]]


def _nothing_wrong() -> str | None:
    return None


@dataclass(slots=True, frozen=True)
class Site:
    """State that the HTTP modules share.

    metrics()         the current metrics; a restore replaces them
    clock             limits how long a client may take
    connections_max   open connections
    why_not_alive()   a reason for /livez to fail, or None
    why_not_ready()   a reason for /readyz to fail, or None
    hosts             accepted host names besides localhost, in lower case
    ports             returns the state that /v1 uses; None: there is no /v1
    token             requests must have it; None: they need none
    metrics_public    /metrics needs no token
    """

    metrics: Callable[[], Metrics]
    clock: Clock
    connections_max: int
    why_not_alive: Callable[[], str | None] = _nothing_wrong
    why_not_ready: Callable[[], str | None] = _nothing_wrong
    hosts: Collection[str] = ()
    ports: Callable[[], Ports] | None = None
    token: str | None = None
    metrics_public: bool = False
