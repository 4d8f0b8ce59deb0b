"""LogManager: the logs of all partitions, opened on demand, and the checkpoints that they share.

The directory follows the cluster: `create` creates missing logs, and `sweep` removes deleted logs and renames
unknown directories.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import ExitStack
from typing import Any, ClassVar, Final, TypeVar

from tidemark.clock import Clock
from tidemark.late_dataclass import dataclass
from tidemark.log.errors import CorruptLog, DirectoryRefused, OutOfDescriptors, Recovered
from tidemark.log.fetch_sessions import FetchSessionsByNode
from tidemark.log.load import LogLocation, Start
from tidemark.log.partition import PartitionLog
from tidemark.log.segment import Segment, SegmentCache
from tidemark.log.settings import LogSettings
from tidemark.log.storage import Storage
from tidemark.settings.broker import BrokerSettings
from tidemark.workers import Running, SystemWorkers, Workers
from tidemark_protocol.checkpoints import (
    CheckpointCorrupt,
    Offsets,
    decode_offsets,
    decode_partition_metadata,
    encode_offsets,
)
from tidemark_protocol.log_files import (
    CLEANER_OFFSETS,
    DELETE_SUFFIX,
    HIGH_WATERMARKS,
    LOG,
    LOG_STARTS,
    NO_TOPIC_ID,
    PARTITION_METADATA,
    RECOVERY_POINTS,
    STRAY_SUFFIX,
    TopicPartition,
    directory_name,
    is_file_name,
    parse_directory_name,
)

COUNTED: Final = (
    "messages_in", "bytes_in", "bytes_out", "produce_requests", "fetch_requests", "failed_produce_requests",
    "failed_fetch_requests",
)  # fmt: skip
ALL: Final = ""  # the sum of all topics: Prometheus treats an empty label as an absent one


class Traffic:
    """Counters of one topic.

    messages_in, bytes_in             appended, repeated batches of a producer included
    produce_requests, fetch_requests  of single partitions, failed ones included
    bytes_out                         of records, to consumers
    failed_produce_requests           failed with an error that Kafka does not expect of a client
    failed_fetch_requests             as failed_produce_requests
    """

    __slots__ = COUNTED

    def __init__(self) -> None:
        self.messages_in = 0
        self.bytes_in = 0
        self.bytes_out = 0
        self.produce_requests = 0
        self.fetch_requests = 0
        self.failed_produce_requests = 0
        self.failed_fetch_requests = 0


class TrafficByTopic:
    """Counts since the start of the broker. Counts of a deleted topic are dropped, but stay in the sum."""

    __slots__ = ("_gone", "_topics")

    def __init__(self) -> None:
        self._topics: dict[str, Traffic] = {}
        self._gone = dict.fromkeys(COUNTED, 0)

    def of(self, topic: str) -> Traffic:
        known = self._topics.get(topic)
        if known is None:
            known = self._topics[topic] = Traffic()
        return known

    def forget(self, topic: str) -> None:
        gone = self._topics.pop(topic, None)
        if gone is not None:
            for name in COUNTED:
                self._gone[name] += getattr(gone, name)

    def reading(self, name: str) -> dict[str, int]:
        """Return one counter of COUNTED by topic, and the sum of all topics under ALL."""
        topics = {topic: getattr(traffic, name) for topic, traffic in self._topics.items()}
        return {ALL: self._gone[name] + sum(topics.values())} | topics


CLEAN_SHUTDOWN: Final = ".kafka_cleanshutdown"
CLEAN_MARK: Final = b'{"version":0,"brokerEpoch":-1}'
OPEN_FILES_MAX: Final = 512  # of closed segments; the least recently used is closed
# Kafka divides its slots among this many caches, and drops the remainder.
FETCH_SESSION_SHARDS: Final = 8
NAME_BYTES_MAX: Final = 255
RETRY_MS: Final = 100  # after a write or sync that found no descriptor
SYNCS_AT_ONCE: Final = 4  # of one request: asyncio's pool has at least five threads
T = TypeVar("T")
R = TypeVar("R")
LOGS_IN_THREADS_MIN: Final = 8  # syncs that wait together share the file system's journal


@dataclass(slots=True, frozen=True)
class Checkpoint:
    """The content of the checkpoint files at one moment. A higher number is later."""

    number: int
    files: dict[str, Offsets]


@dataclass(slots=True, frozen=True)
class NewLog:
    """A partition of the cluster whose log was not used yet. It has no files."""

    topic_id: bytes
    leader_epoch: int


class LogManager:
    """All logs of a data directory, which `log.directory.open_directory` has locked and formatted.

    A log is opened on first use, and its files are created with its first record: unused partitions cost
    neither time nor files.

    settings_of(topic) returns the settings for a log that is opened. It returns defaults for unknown topics,
    because logs are recovered before the cluster is loaded. `configure` applies changes.

    recovered: the tails that recovery cut off. on_recovered is called for each.
    opened_clean: the last stop was clean.
    are_here: False for the logs of another cluster (`tidemark watch`), of which only the ends are known
    """

    are_here: ClassVar = True

    def __init__(
        self,
        storage: Storage,
        settings: BrokerSettings,
        clock: Clock,
        settings_of: Callable[[str], LogSettings],
        workers: Workers | None = None,
        *,
        open_files_max: int = OPEN_FILES_MAX,
    ) -> None:
        self.storage = storage
        self.workers = workers or SystemWorkers()
        self._settings = settings
        self.clock = clock
        self.settings_of = settings_of
        self._cache = SegmentCache(open_files_max)
        self._logs: dict[TopicPartition, PartitionLog] = {}
        # Logs that are open or have a directory, with the topic id that is known to be in it.
        self._known: dict[TopicPartition, bytes | None] = {}
        self._expected: dict[TopicPartition, NewLog] = {}
        # Directories renamed to `-delete` before the deletion of their topics is durable, by partition and
        # topic id. If it never is, the next start gives them their names back.
        self._replaced: dict[tuple[TopicPartition, bytes], str] = {}
        self._marked_deleted: list[str] = []  # found at the start
        self._recovery_points: Offsets = {}
        self._log_starts: Offsets = {}
        self._doomed: list[tuple[int, str]] = []
        self._checkpoint_lock = threading.Lock()
        self.checkpoint_number = 0  # of the last one that was prepared
        self._checkpoints_written = dict.fromkeys((RECOVERY_POINTS, LOG_STARTS, HIGH_WATERMARKS), 0)
        self._checkpoint_files: dict[str, bytes] = {}
        self._durable_starts: Offsets = {}  # those in the file
        self._saving_starts: Running[OSError | None] | None = None
        # Deleted logs that checkpoint files on the disk may still contain, with the last such checkpoint.
        self._forgotten: dict[TopicPartition, int] = {}
        self.cleaner_offsets: Offsets = {}
        self.recovered: list[Recovered] = []
        self.on_recovered: Callable[[Recovered], None] = lambda cut: None
        self.damaged: dict[TopicPartition, CorruptLog] = {}
        self.on_damage: Callable[[str, int, CorruptLog], None] = lambda topic, partition, error: None
        self.opened_clean = False
        slots = settings.max_incremental_fetch_session_cache_slots
        self.fetch_sessions = FetchSessionsByNode(slots - slots % FETCH_SESSION_SHARDS)
        self.fetch_bytes_max = settings.fetch_max_bytes
        self.traffic = TrafficByTopic()

    @property
    def directory(self) -> str:
        """The path of the data directory; "" if it is not on a disk."""
        return self.storage.real_path("") or ""

    def open(self) -> None:
        """Read the directory, then recover every log if the last stop was not clean. Raises CorruptLog."""
        self.read_directory()
        self.recover()

    def read_directory(self) -> None:
        """Read the checkpoints and find the logs.

        Logs that are opened from now on are recovered if necessary. Raises DirectoryRefused.
        """
        for name in self.storage.directories():
            if name.endswith(DELETE_SUFFIX):
                self._marked_deleted.append(name)
            elif (place := parse_directory_name(name)) is not None:
                self._known[place] = None
        self._check_names()
        self._recovery_points = self._read_offsets(RECOVERY_POINTS)
        self._log_starts = self._read_offsets(LOG_STARTS)
        self._durable_starts = self._log_starts.copy()
        self.cleaner_offsets = self._read_offsets(CLEANER_OFFSETS)
        for offsets in (self._recovery_points, self._log_starts, self.cleaner_offsets):
            for key in offsets.keys() - self._known.keys():
                del offsets[key]
                self._forgotten[key] = self.checkpoint_number
        self.opened_clean = self.storage.exists(CLEAN_SHUTDOWN)
        if self.opened_clean:
            self.storage.remove(CLEAN_SHUTDOWN)
            self.storage.sync_directory()

    def recover(self) -> None:
        """After an unclean stop, open and recover every log that is not open yet. Raises CorruptLog."""
        if not self.opened_clean:
            for key in sorted(self._known.keys() - self._logs.keys()):
                self._open_log(key)

    def _check_names(self) -> None:
        """Refuse a directory that has the name of a file of ours, which could not be written later."""
        for place in ("", *(directory_name(*key) for key in self._known)):
            for name in self.storage.directories(place):
                if is_file_name(name.removesuffix(".tmp")):
                    path = f"{self.directory or 'the data directory'}/{f'{place}/' if place else ''}{name}"
                    raise DirectoryRefused(f"{path} is a directory in place of a file. Move it away")

    def _read_offsets(self, name: str) -> Offsets:
        try:
            return decode_offsets(self.storage.read(name))
        except (FileNotFoundError, CheckpointCorrupt, ValueError):
            return {}

    def get(self, topic: str, partition: int) -> PartitionLog | None:
        """Return the log, opened on demand. None if the partition is unknown."""
        key = topic, partition
        log = self._logs.get(key)
        if log is None:
            if key in self._known:
                return self._open_log(key)
            if key in self._expected:
                return self._begin_log(key)
        return log

    def opened(self, topic: str, partition: int) -> PartitionLog | None:
        """Return the log if it is open."""
        return self._logs.get((topic, partition))

    def find(self, topic: str, partition: int) -> PartitionLog | None:
        """Like `get`, but log a corruption once and return None."""
        key = topic, partition
        log = self._logs.get(key)
        if log is not None or key in self.damaged:
            return log
        try:
            return self.get(topic, partition)
        except CorruptLog as error:
            self.damaged[topic, partition] = error
            self.on_damage(topic, partition, error)
            return None

    def written(self, topic: str, partition: int) -> PartitionLog | None:
        """Like `find`, but return None for a log that has never had a record."""
        return None if (topic, partition) in self._expected else self.find(topic, partition)

    def ends(self, topic: str, partition: int) -> tuple[int, int] | None:
        """Return (log start offset, high watermark), or None if the partition is unknown.

        Creates no files.
        """
        if (topic, partition) in self._expected:
            return 0, 0
        log = self.find(topic, partition)
        return None if log is None else (log.log_start_offset, log.high_watermark)

    def holds(self, topic: str, partition: int, topic_id: bytes) -> bool:
        """Return whether there is a directory of this partition, and not of an earlier topic of its name."""
        if (topic, partition) not in self._known:
            return False
        return self._topic_id(directory_name(topic, partition)) in (topic_id, NO_TOPIC_ID)

    def expect(self, topic: str, partition: int, topic_id: bytes, *, leader_epoch: int = 0) -> None:
        """Expect this partition: the cluster contains it. A log of another topic id is renamed.

        `delete_log_of` deletes that log, once the deletion of its topic is durable.
        """
        key = topic, partition
        if key in self._known:
            known_id = self._id_of(key)
            if known_id == topic_id:
                return
            if known_id == NO_TOPIC_ID:  # Kafka before 2.8, or a power cut took partition.metadata
                log = self._logs.get(key) or self._open_log(key)
                log.topic_id = topic_id
                log.write_topic_id()
                return
            renamed = self._set_aside(key, DELETE_SUFFIX)
            if renamed is not None:
                self._replaced[key, known_id] = renamed
        self._expected[key] = NewLog(topic_id, leader_epoch)

    def _id_of(self, key: TopicPartition) -> bytes:
        """Return the topic id of the log on the disk."""
        log = self._logs.get(key)
        topic_id = self._known.get(key) if log is None else log.topic_id
        return self._topic_id(directory_name(*key)) if topic_id is None else topic_id

    def create(self, topic: str, partition: int, topic_id: bytes, *, leader_epoch: int = 0) -> PartitionLog:
        """Expect this partition and return its log."""
        self.expect(topic, partition, topic_id, leader_epoch=leader_epoch)
        log = self.get(topic, partition)
        assert log is not None
        return log

    def _begin_log(self, key: TopicPartition) -> PartitionLog:
        if self._forgotten.get(key, -1) >= self._checkpoint_written:
            # The recovery point of an old log of this name must not apply to the new one.
            self.checkpoint()
        new = self._expected[key]
        log = self._open_log(key, topic_id=new.topic_id)  # raises OutOfDescriptors
        del self._expected[key]
        log.begin_epoch(new.leader_epoch)
        self._known[key] = new.topic_id
        return log

    def start_at(self, topic: str, partition: int, offset: int) -> PartitionLog:
        """Empty a log that ends below this offset, and continue it at this offset."""
        key = topic, partition
        self._logs.pop(key).abandon()
        self._log_starts[key] = offset
        return self._open_log(key)

    def _open_log(self, key: TopicPartition, *, topic_id: bytes | None = None) -> PartitionLog:
        topic, partition = key
        name = directory_name(topic, partition)
        location = LogLocation(self.storage, self._cache, name, topic, partition)
        start = Start(
            recovery_point=self._recovery_points.get(key, 0),
            log_start_offset=self._log_starts.get(key, 0),
            clean=self.opened_clean or topic_id is not None,
            accept_corruption=self._settings.tidemark_recovery_cut_corrupt,
            now_ms=self.clock.log_ms(),
            producer_id_expiration_ms=self._settings.producer_id_expiration_ms,
        )
        if topic_id is None:
            topic_id = self._topic_id(name)
        log = PartitionLog(location, topic_id, self.settings_of(topic), start, self._discarder(topic))
        if log.recovered is not None:
            self.recovered.append(log.recovered)
            self.on_recovered(log.recovered)
        self._logs[key] = log
        return log

    def _topic_id(self, name: str) -> bytes:
        try:
            return decode_partition_metadata(self.storage.read(f"{name}/{PARTITION_METADATA}"))
        except (FileNotFoundError, CheckpointCorrupt):
            return NO_TOPIC_ID

    def _discarder(self, topic: str) -> Callable[[list[str]], None]:
        def discard(paths: list[str]) -> None:
            for path in paths:
                self._doom(topic, path)

        return discard

    def delete_log_of(self, topic: str, partition: int, topic_id: bytes) -> None:
        """Delete the log of a topic whose deletion is durable. Keep the log of a new topic of its name."""
        key = topic, partition
        replaced = self._replaced.pop((key, topic_id), None)
        if replaced is not None:
            self._doom(topic, replaced)
            return
        new = self._expected.get(key)
        if new is not None:
            known_id = new.topic_id
        elif key in self._known:
            known_id = self._id_of(key)
        else:
            return
        if known_id == topic_id:
            self.delete(topic, partition)

    def delete(self, topic: str, partition: int) -> None:
        """Rename the directory.

        It is removed after file.delete.delay.ms (`take_deleted`) or at the next start.
        """
        renamed = self._set_aside((topic, partition), DELETE_SUFFIX)
        if renamed is not None:
            self._doom(topic, renamed)

    def _doom(self, topic: str, path: str) -> None:
        due_ms = self.clock.log_ms() + self.settings_of(topic).file_delete_delay_ms
        self._doomed.append((due_ms, path))

    def _set_aside(self, key: TopicPartition, suffix: str) -> str | None:
        """Forget a log and rename its directory. Return the new name, None if there is no directory."""
        topic, partition = key
        name = directory_name(topic, partition)
        topic_id = self._id_of(key)
        log = self._logs.pop(key, None)
        if log is not None:
            log.abandon()
        self.traffic.forget(topic)
        self._known.pop(key, None)
        self._expected.pop(key, None)
        self.damaged.pop(key, None)
        self._recovery_points.pop(key, None)
        self._log_starts.pop(key, None)
        self.cleaner_offsets.pop(key, None)
        self._forgotten[key] = self.checkpoint_number
        if not self.storage.exists(name):
            return None
        renamed = _name_aside(key, topic_id.hex(), suffix)
        if self.storage.exists(renamed):
            import hashlib  # it loads OpenSSL, which takes long

            moment = f"{name}/{self.clock.log_ms()}".encode()
            renamed = _name_aside(key, hashlib.md5(moment, usedforsecurity=False).hexdigest(), suffix)
        self.storage.rename(name, renamed, sync=False)  # if a power cut undoes it, the sweep repeats it
        return renamed

    def sweep(
        self, living: Mapping[TopicPartition, bytes], deleted: AbstractSet[bytes] = frozenset()
    ) -> list[tuple[str, str]]:
        """Bring the disk in line with the cluster, at a start.

        living: the topic id of each partition of the cluster, the metadata log included. Partitions without
        a directory are expected. deleted: ids of topics whose logs are deleted.

        Any other directory is renamed to `-stray` and kept, as in Kafka. Returns (old name, new name) of
        each.
        """
        strays: list[tuple[str, str]] = []
        renamed_logs = self._find_renamed(living)
        for key in sorted(self._known):
            known_id = self._id_of(key)
            # A directory without an id belongs to the partition, unless the one with its id was renamed.
            ours = (living[key],) if key in renamed_logs else (living.get(key), NO_TOPIC_ID)
            if key in living and known_id in ours:
                if known_id != NO_TOPIC_ID:
                    # A topic may be made again while no descriptor is left to read the id of its old logs.
                    self._known[key] = living[key]
                continue
            if known_id in deleted:
                self.delete(*key)
            elif (renamed := self._set_aside(key, STRAY_SUFFIX)) is not None:
                strays.append((directory_name(*key), renamed))
        self._finish_deletions(renamed_logs)
        for (topic, partition), topic_id in living.items():
            self.expect(topic, partition, topic_id)
        return strays

    def _find_renamed(self, living: Mapping[TopicPartition, bytes]) -> dict[TopicPartition, str]:
        """Return directories that were renamed to `-delete` although the cluster still contains their topics.

        They were renamed for a new topic, and then the deletion of the old one did not become durable.
        """
        owners = {(topic_id.hex(), key[1]): key for key, topic_id in living.items()}
        found: dict[TopicPartition, str] = {}
        for name in self._marked_deleted:
            front, _, unique = name.removesuffix(DELETE_SUFFIX).rpartition(".")
            place = parse_directory_name(front)
            owner = None if place is None else owners.get((unique, place[1]))
            if owner is not None:
                found[owner] = name
        return found

    def _finish_deletions(self, renamed_logs: dict[TopicPartition, str]) -> None:
        """Remove directories that an earlier run has renamed. Logs of the cluster get their names back."""
        if renamed_logs:
            self.checkpoint()  # offsets of the newer logs must not apply to them
        for key, name in renamed_logs.items():
            if key not in self._known:
                self.storage.rename(name, directory_name(*key))
                self._known[key] = None
                self._marked_deleted.remove(name)
        for name in self._marked_deleted:
            self.storage.remove_directory(name)
        self._marked_deleted.clear()

    def take_deleted(self, now_ms: int) -> list[str]:
        """Return renamed directories and files whose delay is over at this wall time, for `remove`."""
        due = [path for due_ms, path in self._doomed if due_ms <= now_ms]
        self._doomed = [entry for entry in self._doomed if entry[0] > now_ms]
        return due

    def remove(self, paths: Iterable[str]) -> None:
        """Remove files and directories. May run in any thread: these names are not used any more."""
        for path in paths:
            if path.endswith(DELETE_SUFFIX):
                self.storage.remove_directory(path)
            else:
                self.storage.remove(path)

    def truncate(self, topic: str, partition: int, offset: int) -> None:
        """Truncate a log.

        The checkpoint is written first: a recovery point past the end looks like lost data.
        """
        log = self.get(topic, partition)
        assert log is not None
        log.recovery_point = min(log.recovery_point, offset)
        self.checkpoint()
        log.truncate_to(offset)

    def configure(self, topic: str, partitions: int) -> None:
        """Give the open logs of a topic's first partitions the settings that the topic has now."""
        settings = self.settings_of(topic)
        for partition in range(partitions):
            log = self._logs.get((topic, partition))
            if log is not None:
                log.settings = settings

    def configure_all(self) -> None:
        """Give all open logs the settings that their topics have now. Each topic is looked up once."""
        settings: dict[str, LogSettings] = {}
        for (topic, _), log in self._logs.items():
            known = settings.get(topic)
            if known is None:
                known = settings[topic] = self.settings_of(topic)
            log.settings = known

    def checkpoint(self) -> None:
        """Write recovery points, log starts and high watermarks to their files.

        This syncs. On a busy loop, pass prepare_checkpoint() to write_checkpoint in a worker thread instead.
        """
        self.write_checkpoint(self.prepare_checkpoint())

    def write_checkpoint(self, checkpoint: Checkpoint) -> None:
        """Write each file of a checkpoint, unless a later one is already written. May run in any thread."""
        with self._checkpoint_lock:
            for name, offsets in checkpoint.files.items():
                if checkpoint.number < self._checkpoints_written[name]:
                    continue
                data = encode_offsets(offsets)
                if self._checkpoint_files.get(name) != data:
                    # We do not read the high watermarks. They are written for Kafka.
                    self.storage.write(name, data, sync=name != HIGH_WATERMARKS)
                    self._checkpoint_files[name] = data
                self._checkpoints_written[name] = checkpoint.number
                if name == LOG_STARTS:
                    self._durable_starts = offsets

    @property
    def _checkpoint_written(self) -> int:
        """The number up to which every file is written."""
        return min(self._checkpoints_written.values())

    def raise_log_start(self, log: PartitionLog, offset: int) -> bool:
        """Raise a log start to this offset, if it is lower. Return whether the start must be saved.

        It must, even if it was this high before, while a crash could undo that: the response contains it.
        """
        if offset > log.log_start_offset:
            log.advance_log_start(offset)
        key, start = (log.topic, log.partition), log.log_start_offset
        if start <= self._durable_starts.get(key, 0) or (start <= log.base_offset and log.has_durable_names):
            return False
        self._log_starts[key] = start
        return True

    async def save_log_starts(self) -> None:
        """Make all log starts durable that `raise_log_start` has raised so far. Raises OSError.

        Requests that wait at the same time share one write.
        """
        needed = self.checkpoint_number + 1  # earlier ones lack the last starts
        while self._checkpoints_written[LOG_STARTS] < needed:
            saving = self._saving_starts
            if saving is None or saving.done():
                self.checkpoint_number += 1
                starts = Checkpoint(self.checkpoint_number, {LOG_STARTS: self._log_starts.copy()})
                saving = self._saving_starts = self.workers.run(
                    _result_or_error, self.write_checkpoint, starts
                )
            # Not awaited itself: a client that hangs up must not cancel the write of the others.
            await asyncio.wait([saving])
            error = saving.result()
            if error is not None:
                try:
                    raise error
                finally:
                    del error, saving  # its traceback refers to this frame

    def prepare_checkpoint(self) -> Checkpoint:
        """Return the current checkpoint. It does not contain deleted logs."""
        written = self._checkpoint_written
        self._forgotten = {key: number for key, number in self._forgotten.items() if number >= written}
        high_watermarks = dict.fromkeys(self._expected, 0)
        high_watermarks.update((key, self._recovery_points.get(key, 0)) for key in self._known)
        for key, log in self._logs.items():
            self._recovery_points[key] = log.recovery_point
            high_watermarks[key] = log.high_watermark
            if log.log_start_offset > log.base_offset:
                self._log_starts[key] = log.log_start_offset
            elif log.has_durable_names:  # else a power cut may bring back the segments before the start
                self._log_starts.pop(key, None)
        self.checkpoint_number += 1
        files = {
            RECOVERY_POINTS: self._recovery_points.copy(),
            LOG_STARTS: self._log_starts.copy(),
            HIGH_WATERMARKS: high_watermarks,
        }
        return Checkpoint(self.checkpoint_number, files)

    def expire_producers(self, now_ms: int) -> Iterator[None]:
        """Forget idle producers, every producer.id.expiration.check.interval.ms. Yields after each log."""
        for log in self.logs():
            log.producers.expire(now_ms, self._settings.producer_id_expiration_ms)
            yield

    def to_sync(self, now_ms: int) -> list[PartitionLog]:
        """Return logs to sync in the background, because of flush.*, `sync_soon` or a closed segment."""
        return [
            log
            for log in self._logs.values()
            if len(log.to_sync) > 1 or log.recovery_point < log.sync_soon_end or log.flush_due(now_ms)
        ]

    async def sync(self, logs: list[PartitionLog]) -> None:
        """Sync logs for a request or the end of a transaction, apart from the syncs of group commit.

        Each sync has a thread. Only a few run at a time, because the threads do other work, too. If no
        descriptor is left, wait until there is one: the records are appended, so nothing can be refused.
        Raises OSError if the disk fails.
        """
        for first in range(0, len(logs), SYNCS_AT_ONCE):
            some = logs[first : first + SYNCS_AT_ONCE]
            while some:
                syncs = [
                    self.workers.run(_result_or_error, PartitionLog.sync, log, log.log_end_offset)
                    for log in some
                ]
                again = []
                for log, sync in zip(some, syncs, strict=True):
                    synced = await sync
                    if isinstance(synced, OutOfDescriptors):
                        again.append(log)
                    elif isinstance(synced, OSError):
                        raise synced
                    else:
                        log.mark_synced(synced)
                some = again
                if some:
                    await self.clock.sleep_until(self.clock.host_ms() + RETRY_MS)

    def is_here(self, topic: str, partition: int) -> bool:
        """Return whether the directory holds this partition, opened or not, or it is expected."""
        key = topic, partition
        return key in self._known or key in self._expected

    def begun(self) -> list[TopicPartition]:
        """Return the partitions that have files, in any order."""
        return list(self._known)

    def logs(self) -> list[PartitionLog]:
        """Return the open logs."""
        return list(self._logs.values())

    def size_bytes(self, topic: str, partition: int) -> int:
        """Return the size of a partition's segments, for DescribeLogDirs."""
        log = self._logs.get((topic, partition))
        if log is not None:
            return log.size_bytes
        if (topic, partition) in self._expected:
            return 0
        files = self.storage.list(directory_name(topic, partition))
        return sum(size for name, size in files if name.endswith(LOG))

    def _for_each(self, work: Callable[[T], R], items: list[T]) -> list[R]:
        """Call work for each log or segment and return the results. Uses threads if they are on a disk."""
        if len(items) < LOGS_IN_THREADS_MIN or not self.directory:
            return [work(each) for each in items]
        return self.workers.for_each(work, items)

    def close(self) -> None:
        """Stop cleanly.

        Sync all, then write indexes, producer snapshots, checkpoints and `.kafka_cleanshutdown`.
        """
        logs = list(self._logs.values())
        dirty = [log for log in logs if log.needs_sync]
        if len(dirty) > 1:  # one call for all of them
            self.storage.sync_directory()
            for log in dirty:
                log.unsynced_names.pop("", None)
        # All segments at once share the commits of the file system. A log syncs one after the other. A sync
        # that has begun in a thread may still write the files of these segments.
        with ExitStack() as locks:
            for log in dirty:
                locks.enter_context(log.syncing)
            self._for_each(Segment.make_durable, [each for log in dirty for each in log.to_sync[:-1]])
        for log, offset in zip(dirty, self._for_each(PartitionLog.sync, dirty), strict=True):
            log.mark_synced(offset)
        self._for_each(PartitionLog.write_end, [log for log in logs if log.is_touched])
        self.abandon()
        self._write_offsets()
        self.storage.write(CLEAN_SHUTDOWN, CLEAN_MARK)

    def write_ends(self) -> None:
        """Write the files of a clean stop, except for its mark.

        They are not synced, and the logs stay open.
        """
        for log in self._logs.values():
            if log.is_touched:
                log.write_end()
        self._write_offsets()

    def _write_offsets(self) -> None:
        self.checkpoint()
        self.storage.write(CLEANER_OFFSETS, encode_offsets(self.cleaner_offsets))

    def abandon(self) -> None:
        """Close every file as it is. Nothing may be written after that."""
        with self._checkpoint_lock:  # what waits for a thread now must not overwrite files of a later manager
            self.checkpoint_number += 1
            self._checkpoints_written = dict.fromkeys(self._checkpoints_written, self.checkpoint_number)
        for log in self._logs.values():
            log.abandon()
        self._cache.close()


def _result_or_error(work: Callable[..., R], *arguments: Any) -> R | OSError:
    """Call work in a thread. An error that is raised there while the broker stops would be printed."""
    try:
        return work(*arguments)
    except OSError as error:
        return error


def _name_aside(key: TopicPartition, unique: str, suffix: str) -> str:
    """Return a name in Kafka's form: `<topic>-<partition>.<32 hex digits>-delete`. Long topics are cut.

    The digits are the topic id if that name is free: partition.metadata may not survive a power cut.
    """
    ending = f"-{key[1]}.{unique}{suffix}"
    return key[0][: NAME_BYTES_MAX - len(ending)] + ending


__all__ = ["CorruptLog", "LogManager", "Recovered", "directory_name", "parse_directory_name"]
