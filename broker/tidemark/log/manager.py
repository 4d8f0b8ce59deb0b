"""LogManager: topic-partition -> PartitionLog. SIGNATURES; the body follows within minutes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from tidemark.clock import Clock
from tidemark.log.partition import PartitionLog
from tidemark.log.settings import LogSettings, ManagerSettings
from tidemark.log.storage import Storage


@dataclass(slots=True)
class Recovered:
    """What recovery cut off a log's tail: worth one log line."""

    topic: str
    partition: int
    file: str
    position: int
    bytes_dropped: int
    log_end_offset: int
    reason: str


class CorruptLog(Exception):
    """A bad batch before the recovery point: the start is refused."""

    def __init__(self, file: str, position: int, reason: str) -> None:
        super().__init__(f"{file} is corrupt at byte {position}: {reason}")
        self.file = file
        self.position = position
        self.reason = reason


class LogManager:
    """All logs of a data directory (locked and formatted before by `log.directory.open_directory`).

    settings_of(topic) gives a topic's settings when one of its logs is opened; `configure` tells that they changed.

    What the handlers of kind `transfer` ask for besides:
    clock             the Clock that it was built with
    directory         absolute path of the data directory (DescribeLogDirs answers it)
    disk_space()      (total bytes, usable bytes) of the file system that holds it
    fetch_sessions    log.fetch_sessions.FetchSessions; set by broker.py from max.incremental.fetch.session.cache.slots
    fetch_bytes_max   fetch.max.bytes; set by broker.py
    synced            async (PartitionLog) -> None: returns when all that stands in the log now is durable; set by broker.py
                      to the flusher's. Produce awaits it where `log.flush_due(now)`.
    And of PartitionLog: `active_producers(now_ms)` -> the producer states that have not expired (DescribeProducers).
    """

    recovered: list[Recovered]

    def __init__(
        self,
        storage: Storage,
        settings: ManagerSettings,
        clock: Clock,
        settings_of: Callable[[str], LogSettings],
    ) -> None: ...

    def open(self) -> None:
        """Reads the checkpoints; finishes what a crash interrupted; after an unclean stop recovers every log.

        Raises CorruptLog. `recovered` tells afterwards what was cut.
        """

    def get(self, topic: str, partition: int) -> PartitionLog | None:
        """The log, opened on demand; None when there is no such directory."""
        raise NotImplementedError

    def create(self, topic: str, partition: int, topic_id: bytes) -> PartitionLog:
        """Makes the log, or opens the one that is there with the same topic id (another id: moved away, deleted)."""
        raise NotImplementedError

    def delete(self, topic: str, partition: int) -> None:
        """Renames the directory at once; it goes after file.delete.delay.ms (`remove_deleted`) or at the next start."""

    def sweep(self, living: Mapping[tuple[str, int], bytes]) -> list[str]:
        """Deletes every partition directory that the cluster does not name, or names with another topic id."""
        raise NotImplementedError

    def remove_deleted(self, now_ms: int) -> None:
        """Removes renamed directories and segment files whose delay is over."""

    def configure(self, topic: str) -> None:
        """Asks settings_of again for the open logs of a topic."""

    def checkpoint(self) -> None:
        """Recovery points, log starts, high watermarks to their files. Every 60 s and at the end."""

    def partitions(self) -> Iterable[tuple[str, int]]:
        """All that the directory holds, opened or not."""
        raise NotImplementedError

    def logs(self) -> list[PartitionLog]:
        """Those that are open."""
        raise NotImplementedError

    def size_bytes(self, topic: str, partition: int) -> int:
        """Bytes of a partition's segments (DescribeLogDirs)."""
        raise NotImplementedError

    def close(self) -> None:
        """Clean stop: everything synced, indexes cut, producer snapshots, checkpoints, `.kafka_cleanshutdown` last."""
