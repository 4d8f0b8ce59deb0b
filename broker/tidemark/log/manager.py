"""LogManager: topic-partition -> PartitionLog, opened on demand, and the checkpoints that all logs share.

The directory converges to what the cluster says: `create` makes what is missing, `sweep` removes what is no
longer named.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

from tidemark.clock import Clock
from tidemark.log.checkpoints import (
    CheckpointCorrupt,
    Offsets,
    decode_offsets,
    decode_partition_metadata,
    encode_offsets,
    encode_partition_metadata,
)
from tidemark.log.errors import CorruptLog, Recovered
from tidemark.log.fetch_sessions import FetchSessions
from tidemark.log.load import Place, Start
from tidemark.log.partition import METADATA_FILE, PartitionLog
from tidemark.log.segment import LOG, SegmentCache
from tidemark.log.settings import LogSettings, ManagerSettings
from tidemark.log.storage import Storage

RECOVERY_POINTS: Final = "recovery-point-offset-checkpoint"
LOG_STARTS: Final = "log-start-offset-checkpoint"
HIGH_WATERMARKS: Final = "replication-offset-checkpoint"
CLEANER_OFFSETS: Final = "cleaner-offset-checkpoint"
CLEAN_SHUTDOWN: Final = ".kafka_cleanshutdown"
DELETE_SUFFIX: Final = "-delete"
NAME_BYTES_MAX: Final = 255
CLOSING_THREADS: Final = 8  # syncs that wait together share the journal's writes
NO_TOPIC_ID: Final = bytes(16)

TopicPartition = tuple[str, int]


@dataclass(slots=True, frozen=True)
class Checkpoint:
    """The contents of the checkpoint files at one moment; a higher number is a later one."""

    number: int
    files: dict[str, bytes]


def directory_name(topic: str, partition: int) -> str:
    return f"{topic}-{partition}"


def parse_directory_name(name: str) -> TopicPartition | None:
    """None for what is no partition's directory (a deleted one's neither)."""
    topic, dash, partition = name.rpartition("-")
    if not dash or not topic or not partition.isdigit():
        return None
    return topic, int(partition)


class LogManager:
    """All logs of a data directory (locked and formatted before by `log.directory.open_directory`).

    settings_of(topic) gives a topic's settings when one of its logs is opened (defaults for a topic that it
    does not know: logs are recovered before the cluster is loaded); `configure` tells that they changed.
    recovered: what `open` or a `get` cut off; opened_clean: the last stop was clean.
    """

    def __init__(
        self,
        storage: Storage,
        settings: ManagerSettings,
        clock: Clock,
        settings_of: Callable[[str], LogSettings],
    ) -> None:
        self._storage = storage
        self._settings = settings
        self._clock = clock
        self._settings_of = settings_of
        self._cache = SegmentCache(settings.open_files_max)
        self._logs: dict[TopicPartition, PartitionLog] = {}
        self._known: set[TopicPartition] = set()
        self._recovery_points: Offsets = {}
        self._log_starts: Offsets = {}
        self._doomed: list[tuple[int, str]] = []
        self._checkpoint_lock = threading.Lock()
        self._checkpoint_number = 0
        self._checkpoint_written = 0
        self._checkpoint_files: dict[str, bytes] = {}
        self.cleaner_offsets: Offsets = {}
        self.recovered: list[Recovered] = []
        self.opened_clean = False
        self.fetch_sessions = FetchSessions(settings.fetch_sessions_max)
        self.fetch_bytes_max = settings.fetch_bytes_max

    @property
    def storage(self) -> Storage:
        return self._storage

    @property
    def clock(self) -> Clock:
        return self._clock

    @property
    def directory(self) -> str:
        """The data directory's path; "" when it is not on a disk."""
        return self._storage.real_path("") or ""

    def disk_space(self) -> tuple[int, int]:
        """Bytes in all and bytes left of the file system that holds the logs; -1 where nobody knows."""
        return self._storage.space()

    def open(self) -> None:
        """Reads the checkpoints; finishes what a crash interrupted; after an unclean stop recovers every log.

        Raises CorruptLog. `recovered` tells afterwards what was cut.
        """
        self._recovery_points = self._read_offsets(RECOVERY_POINTS)
        self._log_starts = self._read_offsets(LOG_STARTS)
        self.cleaner_offsets = self._read_offsets(CLEANER_OFFSETS)
        self._find_directories()
        self.opened_clean = self._storage.exists(CLEAN_SHUTDOWN)
        if self.opened_clean:
            self._storage.remove(CLEAN_SHUTDOWN)
            self._storage.sync_directory()
        else:
            for topic, partition in sorted(self._known):
                self._open_log(topic, partition, clean=False)

    def _find_directories(self) -> None:
        for name, size in self._storage.list():
            if size >= 0:
                continue
            if name.endswith(DELETE_SUFFIX):
                self._storage.remove_directory(name)
            elif (place := parse_directory_name(name)) is not None:
                self._known.add(place)

    def _read_offsets(self, name: str) -> Offsets:
        try:
            return decode_offsets(self._storage.read(name))
        except (FileNotFoundError, CheckpointCorrupt, ValueError):
            return {}

    def settings_of(self, topic: str) -> LogSettings:
        """A topic's settings, without opening a log."""
        return self._settings_of(topic)

    def get(self, topic: str, partition: int) -> PartitionLog | None:
        """The log, opened on demand; None when there is no such directory."""
        log = self._logs.get((topic, partition))
        if log is None and (topic, partition) in self._known:
            log = self._open_log(topic, partition, clean=True)
        return log

    def create(self, topic: str, partition: int, topic_id: bytes, *, leader_epoch: int = 0) -> PartitionLog:
        """Makes the log, or opens the one that is there; one of another topic id is deleted first."""
        log = self.get(topic, partition)
        if log is not None:
            if log.topic_id == NO_TOPIC_ID:  # Kafka before 2.8, or a power cut took partition.metadata
                log.topic_id = topic_id
                self._write_topic_id(log.directory, topic_id)
            if log.topic_id == topic_id:
                return log
            self.delete(topic, partition)
        name = directory_name(topic, partition)
        # Nothing is synced: what a power cut takes of a new log, the next start makes again from the cluster.
        self._storage.make_directory(name, sync=False)
        self._write_topic_id(name, topic_id)
        self._known.add((topic, partition))
        log = self._open_log(topic, partition, clean=True)
        log.begin_epoch(leader_epoch)
        return log

    def _open_log(self, topic: str, partition: int, *, clean: bool) -> PartitionLog:
        key = topic, partition
        name = directory_name(topic, partition)
        place = Place(self._storage, self._cache, name, topic, partition)
        start = Start(
            recovery_point=self._recovery_points.get(key, 0),
            log_start_offset=self._log_starts.get(key, 0),
            clean=clean,
            accept_corruption=self._settings.accept_corruption,
            now_ms=self._clock.wall_ms(),
            producer_id_expiration_ms=self._settings.producer_id_expiration_ms,
        )
        log = PartitionLog(
            place, self._topic_id(name), self._settings_of(topic), start, self._discarder(topic)
        )
        if log.recovered is not None:
            self.recovered.append(log.recovered)
        self._logs[key] = log
        return log

    def _write_topic_id(self, name: str, topic_id: bytes) -> None:
        self._storage.write(f"{name}/{METADATA_FILE}", encode_partition_metadata(topic_id), sync=False)

    def _topic_id(self, name: str) -> bytes:
        try:
            return decode_partition_metadata(self._storage.read(f"{name}/{METADATA_FILE}"))
        except (FileNotFoundError, CheckpointCorrupt):
            return NO_TOPIC_ID

    def _discarder(self, topic: str) -> Callable[[list[str]], None]:
        def discard(paths: list[str]) -> None:
            due_ms = self._clock.wall_ms() + self._settings_of(topic).file_delete_delay_ms
            self._doomed += [(due_ms, path) for path in paths]

        return discard

    def delete(self, topic: str, partition: int) -> None:
        """Renames the directory; it goes after file.delete.delay.ms (`remove_deleted`) or at a start."""
        key = topic, partition
        name = directory_name(topic, partition)
        log = self._logs.pop(key, None)
        if log is not None:
            log.abandon()
        self._known.discard(key)
        measured = self._recovery_points.pop(key, 0) or self._log_starts.pop(key, 0)
        self.cleaner_offsets.pop(key, None)
        if measured:
            # First of all: a new log of this name must not be measured by the old one's recovery point.
            self.checkpoint()
        if not self._storage.exists(name):
            return
        now_ms = self._clock.wall_ms()
        unique = hashlib.md5(f"{name}/{now_ms}".encode(), usedforsecurity=False).hexdigest()
        suffix = f"-{partition}.{unique}{DELETE_SUFFIX}"
        doomed = topic[: NAME_BYTES_MAX - len(suffix)] + suffix
        self._storage.rename(name, doomed, sync=False)  # undone by a power cut, the sweep does it again
        self._doomed.append((now_ms + self._settings_of(topic).file_delete_delay_ms, doomed))

    def sweep(self, living: Mapping[TopicPartition, bytes]) -> list[str]:
        """Deletes every partition directory that the cluster does not name, or names with another topic id.

        living must name the cluster's own metadata log too. Returns the names of what it deleted.
        """
        gone = []
        for topic, partition in sorted(self._known):
            topic_id = living.get((topic, partition))
            name = directory_name(topic, partition)
            if topic_id is None or self._topic_id(name) not in (topic_id, NO_TOPIC_ID):
                self.delete(topic, partition)
                gone.append(name)
        return gone

    def remove_deleted(self, now_ms: int) -> None:
        """Removes renamed directories and segment files whose delay is over (wall time)."""
        due = [path for due_ms, path in self._doomed if due_ms <= now_ms]
        self._doomed = [entry for entry in self._doomed if entry[0] > now_ms]
        for path in due:
            if path.endswith(DELETE_SUFFIX):
                self._storage.remove_directory(path)
            else:
                self._storage.remove(path)

    def truncate(self, topic: str, partition: int, offset: int) -> None:
        """Cuts a log. The checkpoint goes first: a recovery point past the end would look like lost data."""
        log = self.get(topic, partition)
        assert log is not None
        log.recovery_point = min(log.recovery_point, offset)
        self.checkpoint()
        log.truncate_to(offset)

    def configure(self, topic: str | None = None) -> None:
        """Asks settings_of again for the open logs of a topic, or of all."""
        for log in self._logs.values():
            if topic is None or log.topic == topic:
                log.settings = self._settings_of(log.topic)

    def checkpoint(self) -> None:
        """Recovery points, log starts, high watermarks to their files. Every 60 s and at the end.

        It syncs: on a busy loop, hand prepare_checkpoint() to write_checkpoint in a worker thread instead.
        """
        self.write_checkpoint(self.prepare_checkpoint())

    def write_checkpoint(self, checkpoint: Checkpoint) -> None:
        """In any thread. One that is older than what is written already is passed over."""
        with self._checkpoint_lock:
            if checkpoint.number < self._checkpoint_written:
                return
            self._checkpoint_written = checkpoint.number
            for name, data in checkpoint.files.items():
                if self._checkpoint_files.get(name) != data:
                    # Nobody of ours reads the high watermarks: they are Kafka's to find.
                    self._storage.write(name, data, sync=name != HIGH_WATERMARKS)
                    self._checkpoint_files[name] = data

    def prepare_checkpoint(self) -> Checkpoint:
        """What the checkpoint files have to say now."""
        high_watermarks = {key: self._recovery_points.get(key, 0) for key in self._known}
        for key, log in self._logs.items():
            self._recovery_points[key] = log.recovery_point
            high_watermarks[key] = log.high_watermark
            if log.log_start_offset > log.segments[0].base_offset:
                self._log_starts[key] = log.log_start_offset
            else:
                self._log_starts.pop(key, None)
        self._checkpoint_number += 1
        files = {
            RECOVERY_POINTS: encode_offsets(self._recovery_points),
            LOG_STARTS: encode_offsets(self._log_starts),
            HIGH_WATERMARKS: encode_offsets(high_watermarks),
        }
        return Checkpoint(self._checkpoint_number, files)

    def expire_producers(self, now_ms: int) -> None:
        """Every producer.id.expiration.check.interval.ms: forgets idempotent producers that are gone."""
        for log in self._logs.values():
            log.producers.expire(now_ms, self._settings.producer_id_expiration_ms)

    def to_sync(self, now_ms: int) -> list[PartitionLog]:
        """Logs that flush.* or a closed segment asks to sync in the background."""
        return [log for log in self._logs.values() if log.flush_due(now_ms) or log.has_closed_unsynced]

    def partitions(self) -> Iterable[TopicPartition]:
        """All that the directory holds, opened or not."""
        return sorted(self._known)

    def logs(self) -> list[PartitionLog]:
        """Those that are open."""
        return list(self._logs.values())

    def size_bytes(self, topic: str, partition: int) -> int:
        """Bytes of a partition's segments (DescribeLogDirs)."""
        log = self._logs.get((topic, partition))
        if log is not None:
            return log.size_bytes
        files = self._storage.list(directory_name(topic, partition))
        return sum(size for name, size in files if name.endswith(LOG))

    def close(self) -> None:
        """Clean stop: everything synced, indexes written, producer snapshots, checkpoints,
        `.kafka_cleanshutdown` last.
        """
        dirty = [log for log in self._logs.values() if log.needs_sync]
        with ThreadPoolExecutor(CLOSING_THREADS, "tidemark-close") as workers:
            for log, offset in zip(dirty, workers.map(PartitionLog.sync, dirty), strict=True):
                log.mark_synced(offset)
        for log in self._logs.values():
            log.close()
        self.checkpoint()
        self._storage.write(CLEANER_OFFSETS, encode_offsets(self.cleaner_offsets))
        self._cache.close()
        self._storage.write(CLEAN_SHUTDOWN, b'{"version":0,"brokerEpoch":-1}')


__all__ = ["CorruptLog", "LogManager", "Recovered", "directory_name", "parse_directory_name"]
