"""The environment of a node, which all of its incarnations share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tidemark.clock import Clock, SystemClock
from tidemark.config import Config
from tidemark.engine.group_commit import GroupCommit
from tidemark.ids import Ids, RandomIds
from tidemark.late_dataclass import dataclass
from tidemark.log.storage import FileStorage, Storage
from tidemark.node.process import StallWatch
from tidemark.server.network import Network, SystemNetwork
from tidemark.server.router import Interceptors
from tidemark.workers import SystemWorkers, Workers

if TYPE_CHECKING:
    from tidemark.log.takeover import Opening
    from tidemark.server.request_journal import RequestTap


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
    owns_process  nothing else runs in this process, so the node may tune its limits and garbage collector
    interceptors  see all requests and responses of the node; tests inject faults with them
    tap           records requests, or logs slow ones
    new_group_commit, new_stall_watch  are replaced by tests
    """

    config: Config
    logger: Any
    host: Host
    opening: Opening | None = None
    owns_process: bool = False
    interceptors: Interceptors = field(default_factory=Interceptors)
    tap: RequestTap | None = None
    new_group_commit: Callable[..., GroupCommit] = GroupCommit
    new_stall_watch: Callable[..., StallWatch] = StallWatch

    @property
    def assumes_retention(self) -> bool:
        """True if no retention was configured for another broker's directory: Kafka's default applies."""
        return self.opening is not None and "offsets.retention.minutes" not in self.config.given
