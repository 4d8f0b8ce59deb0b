"""The process and the machine of a node, and the environment that all of its incarnations share."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tidemark import descriptors, platform
from tidemark.clock import Clock, SystemClock, Timer
from tidemark.config import Config
from tidemark.engine.group_commit import GroupCommit
from tidemark.ids import Ids, RandomIds
from tidemark.late_dataclass import dataclass
from tidemark.log.storage import FileStorage, Storage
from tidemark.metrics.registry import Metrics
from tidemark.server.network import Network, SystemNetwork
from tidemark.server.router import Interceptors
from tidemark.workers import SystemWorkers, Workers

if TYPE_CHECKING:
    from tidemark.log.takeover import Opening
    from tidemark.server.request_journal import RequestTap

# State that a request leaves behind is either kept (an offset) or freed by its reference count: our code
# makes no cycles per request. As a net, the collector examines young objects, and those that have survived up
# to ten such collections: at most 33,000 objects, in 1.5 ms. The oldest generation is never collected:
# CPython 3.11 can only examine all of it at once, half a second with a million offsets.
GC_THRESHOLDS: Final = (3_000, 10, 1_000_000)
STALL_CHECK_MS: Final = 50
SWITCH_INTERVAL_S: Final = 0.0005  # the sync thread needs the interpreter as soon as its sync is done


class FewDescriptors(Exception):
    """The limit of open files is too low for a broker. The text is for the user."""


def tune() -> None:
    """Raise the soft limit of open files to the hard one, and switch threads quickly.

    Raises FewDescriptors.
    """
    platform.raise_open_files_max()
    if platform.open_files_max() < descriptors.LIMIT_MIN:
        raise FewDescriptors(
            f"the limit of open files is {platform.open_files_max()}, and a broker needs at least "
            f"{descriptors.LIMIT_MIN}: raise it with `ulimit -n`"
        )
    sys.setswitchinterval(SWITCH_INTERVAL_S)


@contextmanager
def loading() -> Iterator[None]:
    """Exclude everything that is loaded in this context from garbage collection, now and later."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)


def free_replaced() -> None:
    """Collect all garbage, also what `loading` has excluded: a restore leaves the state that it replaces.

    Examines every object of the process. Only a restore calls it, during which no client is served.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()


class PauseWatch:
    """Measures the collections of this process, from start() to stop(). now_ns returns steady time."""

    __slots__ = ("_began_ns", "_metrics", "_now_ns")

    def __init__(self, metrics: Metrics, now_ns: Callable[[], int]) -> None:
        self._metrics = metrics
        self._now_ns = now_ns
        self._began_ns = 0

    def start(self) -> None:
        gc.callbacks.append(self.collected)

    def stop(self) -> None:
        if self.collected in gc.callbacks:
            gc.callbacks.remove(self.collected)

    def collected(self, phase: str, info: dict[str, int]) -> None:
        """Note the beginning or the end of a collection. Collections are never nested."""
        if phase == "start":
            self._began_ns = self._now_ns()
        elif self._began_ns:
            self._metrics.gc_pause.observe((self._now_ns() - self._began_ns) / 1e9)


class StallWatch:
    """Measures how late the running loop calls a timer, from start() to stop()."""

    __slots__ = ("_clock", "_due_ms", "_metrics", "_timer")

    def __init__(self, clock: Clock, metrics: Metrics) -> None:
        self._clock = clock
        self._metrics = metrics
        self._due_ms = 0
        self._timer: Timer | None = None

    def start(self) -> None:
        self._due_ms = self._clock.steady_ms() + STALL_CHECK_MS
        self._timer = self._clock.call_at(self._due_ms, self._woken)

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _woken(self) -> None:
        late_s = max(0, self._clock.steady_ms() - self._due_ms) / 1000
        self._metrics.event_loop_stall.observe(late_s)
        self._metrics.event_loop_stall_max = max(self._metrics.event_loop_stall_max, late_s)
        self.start()


@dataclass(slots=True, frozen=True)
class Host:
    """The machine that a node runs on: its time, chance, disk, network, threads and processes."""

    clock: Clock
    ids: Ids
    storage: Storage
    network: Network = field(default_factory=SystemNetwork)
    workers: Workers = field(default_factory=SystemWorkers)

    @classmethod
    def real(cls, data_dir: Path) -> Host:
        return cls(SystemClock(), RandomIds(), FileStorage(data_dir))


@dataclass(slots=True, frozen=True)
class Environment:
    """opening       begin with the directories of another broker; the data directory is new then
    watched       the state is that of another cluster, which is only read (`tidemark watch`)
    owns_process  nothing else runs in this process, so the node may tune its limits and garbage collector
    interceptors  see all requests and responses of the node; tests inject faults with them
    tap           records requests, or logs slow ones
    new_group_commit, new_stall_watch  are replaced by tests
    """

    config: Config
    logger: Any
    host: Host
    opening: Opening | None = None
    watched: bool = False
    owns_process: bool = False
    interceptors: Interceptors = field(default_factory=Interceptors)
    tap: RequestTap | None = None
    new_group_commit: Callable[..., GroupCommit] = GroupCommit
    new_stall_watch: Callable[..., StallWatch] = StallWatch

    @property
    def assumes_retention(self) -> bool:
        """True if the retention of another broker is not known: Kafka's default applies."""
        return (
            self.opening is not None or self.watched
        ) and "offsets.retention.minutes" not in self.config.given
