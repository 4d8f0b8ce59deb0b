"""Sets and removes faults while a node runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tidemark.clock import Clock
from tidemark.faults.active import ActiveFault, ActiveFaults
from tidemark.faults.errors import check
from tidemark.faults.interceptor import FaultInterceptor, SlowDisk, Surroundings
from tidemark.faults.model import Fault
from tidemark.server.interceptor_list import Interceptors
from tidemark.server.interceptors import Interceptor

NOT_REQUESTS = ("disk", "refuse_connections")  # actions that are not applied by an interceptor


@dataclass(slots=True, frozen=True)
class NodeParts:
    """The parts of a node that faults change. A restore replaces what the functions return.

    interceptors   the interceptors of the node
    clock()        the node's clock
    surroundings   what faults need to know of topics and fetch sessions
    """

    interceptors: Interceptors
    clock: Callable[[], Clock]
    surroundings: Surroundings


class FaultControl:
    """The faults of a node. defaults: set at the start, and again by each `reset`."""

    def __init__(self, parts: NodeParts, defaults: list[Fault]) -> None:
        self._parts = parts
        self._defaults = defaults
        self._interceptors: dict[int, Any] = {}
        self.active = ActiveFaults(lambda: parts.clock().steady_ms())

    def reset(self) -> None:
        """Remove all faults, and set the defaults."""
        self.clear()
        for fault in self._defaults:
            self.add(fault)

    def add(self, fault: Fault) -> ActiveFault:
        """Set a fault for requests that arrive from now on. Raises InvalidFault, TooManyFaults."""
        check(fault)
        added = self.active.add(fault)
        if fault.disk is not None and fault.delay_ms is not None:
            self._intercept(added, SlowDisk(added))
        elif fault.action not in NOT_REQUESTS:
            self._intercept(added, FaultInterceptor(added, self._parts.surroundings))
        if fault.for_ms is not None:
            clock = self._parts.clock()
            clock.call_at(added.added_ms + fault.for_ms, added.gate_opens)
        return added

    def _intercept(self, added: ActiveFault, interceptor: Interceptor) -> None:
        self._interceptors[added.id] = interceptor
        self._parts.interceptors.add(interceptor)

    def remove(self, fault_id: int) -> ActiveFault:
        """Remove a fault. Requests that wait for it continue. Raises UnknownFault."""
        removed = self.active.get(fault_id)
        interceptor = self._interceptors.pop(fault_id, None)
        if interceptor is not None:
            self._parts.interceptors.remove(interceptor)
        return self.active.remove(removed.id)

    def release(self, fault_id: int) -> int:
        """Let the requests that wait continue. Return how many. Raises UnknownFault."""
        return self.active.get(fault_id).release(self.active.now_ms)

    def clear(self) -> int:
        """Remove all faults. Return how many."""
        found = list(self.active)
        for each in found:
            self.remove(each.id)
        return len(found)

    def refuses_connection(self) -> bool:
        """Count a new connection. Return whether a fault refuses it."""
        now_ms = self.active.now_ms
        return any(active.fault.refuse_connections and active.count(now_ms) for active in self.active)
