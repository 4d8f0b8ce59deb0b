"""The faults that are set: their counts, their ends, and the requests that wait for their release."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from tidemark.faults.matching import is_chosen
from tidemark.faults.model import DISK_DELAY_MS_MAX, Fault, to_json
from tidemark.faults.sentences import explain_fault
from tidemark.server.interceptors import Gate

FAULTS_MAX: Final = 1000


class UnknownFault(LookupError):
    """There is no fault with this id."""


class TooManyFaults(ValueError):
    """There are FAULTS_MAX faults already."""


@dataclass(slots=True, eq=False)
class ActiveFault:
    """A fault that was set.

    seen       requests that passed its filters, and on which it can have an effect
    matched    requests to which it was applied: those that nth, every or probability chose
    gate       requests that wait for its release
    loading_since_ms  for coordinator_away: when the coordinator came back and began to load
    owed_ms    for a slow disk: the delay that nothing has waited for yet
    """

    id: int
    fault: Fault
    added_ms: int
    seen: int = 0
    matched: int = 0
    removed: bool = False
    loading_since_ms: int | None = None
    owed_ms: int = 0
    gate: Gate = field(default_factory=Gate)

    def is_over(self, now_ms: int) -> bool:
        """Return whether it matches nothing more. now_ms: the node's steady time."""
        if self.removed:
            return True
        if self.fault.coordinator_away:
            self._settle_coordinator(now_ms)
            since = self.loading_since_ms
            return since is not None and now_ms >= since + self.fault.loading_ms
        return self._is_used_up(now_ms)

    def is_loading(self, now_ms: int) -> bool:
        """Return whether the coordinator is back and loads its groups."""
        self._settle_coordinator(now_ms)
        return self.loading_since_ms is not None

    def _is_used_up(self, now_ms: int) -> bool:
        fault = self.fault
        return (fault.times is not None and self.matched >= fault.times) or (
            fault.for_ms is not None and now_ms >= self.added_ms + fault.for_ms
        )

    def _settle_coordinator(self, now_ms: int) -> None:
        if self.loading_since_ms is None and self._is_used_up(now_ms):
            ended = self.added_ms + (self.fault.for_ms or 0)
            timed_out = self.fault.for_ms is not None and now_ms >= ended
            self.loading_since_ms = ended if timed_out else now_ms

    def count(self, now_ms: int) -> bool:
        """Count one request or operation that passed the filters, unless the fault is over.

        Return whether the fault applies to it.
        """
        if self.is_over(now_ms):
            return False
        self.seen += 1
        if not is_chosen(self.fault, self.seen):
            return False
        self.matched += 1
        return True

    def take_back(self) -> None:
        """Undo `count` for a request on which another fault leaves no effect for this one."""
        self.seen -= 1
        self.matched -= 1

    def release(self, now_ms: int) -> int:
        """Let the waiting requests continue. Return how many. The fault stays.

        A coordinator that is away comes back, and loads.
        """
        if self.fault.coordinator_away and self.loading_since_ms is None:
            self.loading_since_ms = now_ms
        waiting = len(self.gate)
        gate, self.gate = self.gate, Gate()
        gate.open()
        return waiting

    def owe_delay(self) -> None:
        """Add the fault's delay to what something must wait for."""
        self.owed_ms = min(self.owed_ms + (self.fault.delay_ms or 0), DISK_DELAY_MS_MAX)

    def take_delay(self) -> int:
        """Return what is owed. The caller waits for it."""
        owed_ms, self.owed_ms = self.owed_ms, 0
        return owed_ms

    def remove(self) -> None:
        self.removed = True
        self.gate.open()

    def view(self, now_ms: int) -> dict[str, Any]:
        """Return the fault with its counts, for JSON."""
        active = not self.is_over(now_ms)
        return {
            "id": self.id,
            "fault": to_json(self.fault),
            "matched": self.matched,
            "seen": self.seen,
            "waiting": len(self.gate),
            "active": active,
            "explanation": explain_fault(self.fault, self.matched, active=active),
        }


class ActiveFaults:
    """The faults of a node, in the order in which they were set. changed(): called when the list changes."""

    def __init__(self, steady_ms: Callable[[], int], changed: Callable[[], None] = lambda: None) -> None:
        self._steady_ms = steady_ms
        self._changed = changed
        self._faults: dict[int, ActiveFault] = {}
        self._last_id = 0

    def __iter__(self) -> Iterator[ActiveFault]:
        return iter(tuple(self._faults.values()))

    def __len__(self) -> int:
        return len(self._faults)

    @property
    def now_ms(self) -> int:
        return self._steady_ms()

    def add(self, fault: Fault) -> ActiveFault:
        """Raises TooManyFaults."""
        if len(self._faults) >= FAULTS_MAX:
            raise TooManyFaults(f"there are {FAULTS_MAX} faults already: remove some")
        self._last_id += 1
        added = self._faults[self._last_id] = ActiveFault(self._last_id, fault, self._steady_ms())
        self._changed()
        return added

    def get(self, fault_id: int) -> ActiveFault:
        """Raises UnknownFault."""
        try:
            return self._faults[fault_id]
        except KeyError:
            raise UnknownFault(f"there is no fault {fault_id}") from None

    def remove(self, fault_id: int) -> ActiveFault:
        """Remove a fault; requests that wait for it continue. Raises UnknownFault."""
        removed = self.get(fault_id)
        del self._faults[fault_id]
        removed.remove()
        self._changed()
        return removed

    def clear(self) -> int:
        """Remove all. Return how many."""
        removed = list(self._faults)
        for fault_id in removed:
            self.remove(fault_id)
        return len(removed)
