"""The state of one incarnation: the data directory, and the state machines that its logs hold."""

from __future__ import annotations

import base64
import json
from collections import Counter
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tidemark.clock import Clock, MovableClock, Moves
from tidemark.core.log_text import listed
from tidemark.engine import cluster_logs
from tidemark.engine.recovery import load_metadata, load_snapshot
from tidemark.groups.state import Groups
from tidemark.late_dataclass import dataclass
from tidemark.log import restore
from tidemark.log.directory import DataDirectory, open_directory
from tidemark.log.errors import CorruptLog, Recovered
from tidemark.log.manager import LogManager
from tidemark.log.partition import PartitionLog
from tidemark.log.storage import LOCK, Storage
from tidemark.metadata.model import METADATA_TOPIC, Identity
from tidemark.metadata.state import Cluster
from tidemark.node.environment import Environment

if TYPE_CHECKING:
    from tidemark.log.takeover import Opening

MOVES_FILE: Final = "tidemark.clock"  # how far a test has moved time, for a restart with the test API


class MovesCorrupt(Exception):
    """The stored moves of time are damaged. The text is for the person who starts the broker."""


class SkippedRecords:
    """Counts and logs records whose type this version does not know."""

    def __init__(self, logger: Any) -> None:
        self._logger = logger
        self._total: Counter[str] = Counter()

    def add(self, topic: str, partition: int, skipped: dict[str, int]) -> None:
        self._total.update(skipped)
        for kind, count in sorted(skipped.items()):
            self._logger.info("record type skipped", topic=topic, partition=partition, kind=kind, count=count)

    def warn(self) -> None:
        """Log one line for all partitions: a directory of Kafka has fifty with the same few types."""
        if self._total:
            kinds = listed(f"{kind}: {count}" for kind, count in sorted(self._total.items()))
            self._logger.warning("records skipped", count=self._total.total(), kinds=kinds)


@dataclass(slots=True, frozen=True)
class State:
    """The parts of one incarnation that hold its state.

    clock           can be moved with the test API or --from
    groups          empty until `load` replays the logs of committed offsets
    deleted_topics  ids of the topics that the metadata log deletes
    """

    clock: Clock
    directory: DataDirectory
    cluster: Cluster
    groups: Groups
    logs: LogManager
    metadata_log: PartitionLog
    deleted_topics: set[bytes]
    skipped: SkippedRecords


def open_state(env: Environment) -> State:
    """Open the data directory and replay the metadata log.

    Raises DirectoryLocked, DirectoryRefused, CorruptLog and CannotLoad.
    """
    config, host, logger = env.config, env.host, env.logger
    movable = config.tidemark_test_api or env.opening is not None
    clock: Clock = MovableClock(real=host.clock) if movable else host.clock
    directory = open_directory(
        host.storage,
        node_id=config.node_id,
        cluster_id=config.tidemark_cluster_id
        or base64.urlsafe_b64encode(host.ids.topic_id()).rstrip(b"=").decode(),
        directory_id=host.ids.topic_id(),
        now_ms=clock.wall_ms(),
    )
    if directory.restored:
        logger.warning("interrupted restore of a snapshot finished")
    _restore_moves(env, clock)
    cluster = Cluster(
        Identity(directory.cluster_id, directory.node_id, directory.directory_id, config.broker_rack), config
    )
    logs = LogManager(
        host.storage,
        config,
        clock,
        partial(cluster_logs.log_settings, cluster, internal_waits=config.tidemark_sync == "always"),
        host.workers,
    )
    logs.on_damage = partial(_log_damage, logger)
    logs.on_recovered = partial(_log_recovery, logger)
    logs.read_directory()
    skipped = SkippedRecords(logger)
    metadata_log, deleted = _load_metadata(env, logs, cluster, skipped)
    groups = Groups(config)
    groups.cluster = cluster
    return State(clock, directory, cluster, groups, logs, metadata_log, deleted, skipped)


def _restore_moves(env: Environment, clock: Clock) -> None:
    """Continue at the time to which tests have moved the clock; without the test API, at the real time."""
    moves = load_moves(env.host.storage)
    if moves is None:
        return
    if isinstance(clock, MovableClock):
        clock.take_up(moves)
    else:
        env.logger.warning(
            "moved time ignored", reason="the test API is off", moved_ms=moves.wall_ms,
            frozen_at_ms=moves.frozen_at_ms,
        )  # fmt: skip


def load_moves(storage: Storage) -> Moves | None:
    """Return the stored moves, or None if time was never moved. Raises MovesCorrupt."""
    if not storage.exists(MOVES_FILE):
        return None
    try:
        moves = Moves(**json.loads(storage.read(MOVES_FILE)))
    except (ValueError, TypeError):
        raise MovesCorrupt(
            f"{MOVES_FILE} is not valid: remove it, and the broker starts with the real time"
        ) from None
    if not all(value is None or type(value) is int for value in asdict(moves).values()):
        raise MovesCorrupt(
            f"{MOVES_FILE} has a value that is not a time: remove it, and the broker starts with the "
            "real time"
        )
    return moves


def save_moves(storage: Storage, moves: Moves, *, directory: str = "") -> None:
    """Store the moves; they are durable when this returns."""
    path = f"{directory}/{MOVES_FILE}" if directory else MOVES_FILE
    storage.write(path, json.dumps(asdict(moves)).encode())


def open_as_found(storage: Storage, opening: Opening, new_directory_id: bytes, host_ms: int) -> None:
    """Copy another broker's directories into the storage's directory, and store the time at which it stopped.

    If it is killed, the directory is incomplete: no start opens it, and calling this again fills it anew.
    Raises DirectoryRefused and DirectoryLocked; then nothing is left behind.
    """
    from tidemark.log.takeover import check_target, take_over

    path = storage.real_path("")
    assert path is not None, "only a directory on a disk can be filled from another"
    root = Path(path)
    made = not root.exists()
    check_target(opening.origins, root)
    storage.lock()
    try:
        restore.discard(storage)
        newest_ms = take_over(opening.origins, root / restore.BUILDING, new_directory_id, host_ms)
        at_ms = opening.at_ms
        if at_ms is None and opening.held:
            at_ms = host_ms if newest_ms is None else newest_ms
        if at_ms is not None:  # otherwise the host's time
            away_ms = at_ms - host_ms
            moves = Moves(wall_ms=away_ms, logs_ms=away_ms, frozen_at_ms=at_ms if opening.held else None)
            save_moves(storage, moves, directory=restore.BUILDING)
    except BaseException:
        restore.discard(storage)
        storage.remove(LOCK)
        if made:
            with suppress(OSError):
                root.rmdir()
        raise
    else:
        restore.swap(storage, sync=False)
    finally:
        storage.close()


def _load_metadata(
    env: Environment, logs: LogManager, cluster: Cluster, skipped: SkippedRecords
) -> tuple[PartitionLog, set[bytes]]:
    """Replay the metadata snapshot and log. Return the log, and the ids of topics that it deletes."""
    storage = env.host.storage
    log = logs.create(METADATA_TOPIC, 0, cluster_logs.METADATA_TOPIC_ID)
    offset, snapshot = load_snapshot(storage, log.directory, cluster.replay)
    if log.log_end_offset < offset:
        # A power cut lost records that the snapshot holds. The next record must not get an offset below the
        # snapshot's end: no later start would read it.
        env.logger.warning(
            "metadata log begins at its snapshot", log_end_offset=log.log_end_offset,
            snapshot_end_offset=offset,
        )  # fmt: skip
        log = logs.start_at(METADATA_TOPIC, 0, offset)
    loaded = load_metadata(log, offset, cluster.replay)
    cluster.topics_version = cluster.topics_created_version = log.log_end_offset  # above all earlier ones
    for found in (snapshot, loaded):
        skipped.add(METADATA_TOPIC, 0, found.skipped)
    return log, loaded.deleted


def _log_damage(logger: Any, topic: str, partition: int, error: CorruptLog) -> None:
    logger.error("partition not served", topic=topic, partition=partition, reason=str(error))


def _log_recovery(logger: Any, cut: Recovered) -> None:
    logger.warning(
        "recovered", topic=cut.topic, partition=cut.partition, file=cut.file, position=cut.position,
        bytes_dropped=cut.bytes_dropped, log_end_offset=cut.log_end_offset, reason=cut.reason,
    )  # fmt: skip
