"""The interface that /v1 and /metrics need of the broker. `node/` implements it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from tidemark.control.clock_state import ClockState, Moved
from tidemark.core.decision import Removal
from tidemark.engine.events import Rebalance
from tidemark.groups.state import Groups
from tidemark.log.partition import PartitionLog
from tidemark.metadata.state import Cluster
from tidemark.metrics.labels import SERIES_MAX
from tidemark.transactions.state import Transactions

if TYPE_CHECKING:
    from tidemark.control.faults import FaultControl
    from tidemark.server.request_journal import Journals


class Time(Protocol):
    """The broker's time. Only `state` may be called without the test API.

    Every other method raises ClockRefused if the move is not possible; then nothing has changed.
    """

    def state(self) -> ClockState: ...

    async def advance(self, ms: int, *, cleanup: bool, sessions: bool, logs: bool) -> Moved:
        """Move wall time, back if ms is negative.

        cleanup: run a cleanup pass at the new time. sessions: move steady time too; timers that become
        due are called in order. logs: user data ages too.
        """

    async def set_to(self, wall_ms: int, *, cleanup: bool, sessions: bool, logs: bool) -> Moved:
        """Like `advance`, but to exactly this moment."""

    async def freeze(self) -> None:
        """Stop wall time until it is moved or resumed."""

    async def resume(self) -> None:
        """Let wall time continue. Sessions, timers and passes that were held start."""

    async def cleanup(self) -> Moved:
        """Run one cleanup pass now."""


class Snapshots(Protocol):
    """States of the whole broker to go back to. An id that does not exist raises UnknownSnapshot."""

    async def create(self) -> str: ...

    async def restore(self, snapshot_id: str) -> None: ...

    async def delete(self, snapshot_id: str) -> None: ...


class LocalCalls(Protocol):
    """A connection to the broker, within the process."""

    async def call(self, request: Any, max_version: int | None = None) -> Any:
        """Return the response to a request of Kafka's protocol. Raises ConnectionError."""

    def close(self) -> None: ...


class Removals(Protocol):
    """The last removals of committed offsets, a bounded number of them."""

    @property
    def count(self) -> int:
        """The number of removals so far, including those that are no longer kept."""

    def since(self, count: int) -> list[Removal]:
        """Return the kept removals after the first `count`, oldest first."""


def _no_local_calls() -> LocalCalls:
    raise AssertionError("these ports have no server")


@dataclass(slots=True)
class Ports:
    """The current state of the broker. A restore replaces it, so each request asks for it anew.

    log_ends(topic, partition)  (log start offset, log end offset); None: no such log
    removals()                  the last removals
    test_api                    whether requests may change anything
    assumed_retention           no retention was configured for the directory of another broker
    logs()                      the open logs
    log(topic, partition)       a log, opened if necessary; None: it has never had a record, or is damaged
    transactions()              the transactional ids; None: no client has used any
    steady_ms()                 the time of the timeouts of transactions
    local()                     a connection for requests of Kafka's protocol; close it
    groups_max                  groups that have series of their own in /metrics
    rebalances()                the last rebalances, newest first
    faults                      the faults that are set; None without the test API
    requests                    the journal of requests; None: there is none
    """

    groups: Groups
    cluster: Cluster
    time: Time
    log_ends: Callable[[str, int], tuple[int, int] | None]
    removals: Callable[[], Removals]
    snapshots: Snapshots | None = None
    test_api: bool = False
    assumed_retention: bool = False
    logs: Callable[[], list[PartitionLog]] = list
    log: Callable[[str, int], PartitionLog | None] = lambda topic, partition: None
    transactions: Callable[[], Transactions | None] = lambda: None
    steady_ms: Callable[[], int] = lambda: 0
    local: Callable[[], LocalCalls] = _no_local_calls
    groups_max: int = SERIES_MAX
    rebalances: Callable[[], list[Rebalance]] = list
    faults: FaultControl | None = None
    requests: Journals | None = None
