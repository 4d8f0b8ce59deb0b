"""What the routes of /v1 need of the broker; broker.py fulfils it. Wall times are in ms since the epoch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from tidemark.core.removal import Removal
    from tidemark.groups.state import Groups
    from tidemark.log.partition import PartitionLog
    from tidemark.metadata.state import Cluster


class ClockRefused(Exception):
    """Time cannot be moved like that. The text is a sentence for who asked."""


class UnknownSnapshot(Exception):
    """There is no snapshot of that id (any more)."""


@dataclass(slots=True, frozen=True)
class ClockState:
    """moved_ms          how far wall time is from the host's
    steady_moved_ms   how far steady time was moved since the start
    logs_moved_ms     how far the time was moved by which user data ages
    held              opened as found (--from): sessions, timers and passes wait for `resume`
    next_cleanup_ms   wall, as it looks now; None: no pass is scheduled
    """

    now_ms: int
    moved_ms: int = 0
    frozen: bool = False
    steady_moved_ms: int = 0
    logs_moved_ms: int = 0
    held: bool = False
    next_cleanup_ms: int | None = None


@dataclass(slots=True)
class Moved:
    """What a move of time, or a pass, has done. All of it is durable.

    moved_ms  by how much this call moved wall time
    offsets   removed by the pass; groups: those that it deleted
    sessions  (group, member id) of the members whose sessions ended on the way
    """

    now_ms: int
    moved_ms: int = 0
    offsets: list[Removal] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)
    sessions: list[tuple[str, str]] = field(default_factory=list)


class Time(Protocol):
    """The broker's time. What moves it raises ClockRefused and has changed nothing then.

    The moves are called with the test API on only.
    """

    def state(self) -> ClockState: ...

    async def advance(self, ms: int, *, cleanup: bool, sessions: bool, logs: bool) -> Moved:
        """Moves wall time, back where ms is negative. cleanup: with one pass at the new time. sessions:
        steady time too, and what is due on the way happens in order. logs: user data ages too.
        """

    async def set_to(self, wall_ms: int, *, cleanup: bool, sessions: bool, logs: bool) -> Moved:
        """As advance, to that very moment."""

    async def freeze(self) -> None:
        """Wall time stands still until it is moved or resumed."""

    async def resume(self) -> None:
        """Wall time goes on from where it stands; what was held begins."""

    async def cleanup(self) -> Moved:
        """One pass, now."""


class Snapshots(Protocol):
    """Whole states of the broker to go back to. An id that `create` has not given: UnknownSnapshot."""

    async def create(self) -> str: ...

    async def restore(self, snapshot_id: str) -> None: ...

    async def delete(self, snapshot_id: str) -> None: ...


class Removals(Protocol):
    """The last removals, a bounded number of them."""

    @property
    def count(self) -> int:
        """How many there have been, with those that are no longer kept."""

    def since(self, count: int) -> list[Removal]:
        """What was removed after the first `count`, as far as it is kept, oldest first."""


@dataclass(slots=True)
class Ports:
    """Asked for anew at each request: going back to a snapshot brings others.

    log_ends(topic, partition)  (log start offset, log end offset); None: no such log
    removals()                  the ring of what was removed
    test_api                    what changes something is allowed
    assumed_retention           nobody said the retention of a directory that another broker wrote
    logs()                      those that are open
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
