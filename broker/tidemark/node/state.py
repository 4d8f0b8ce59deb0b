"""The state of one incarnation: the data directory, and the state machines that its logs hold."""

from __future__ import annotations

import base64
from collections import Counter
from functools import partial
from typing import Any

from tidemark.clock import Clock, MovableClock
from tidemark.control.moves import load_moves
from tidemark.core.log_text import listed
from tidemark.engine import cluster_logs
from tidemark.engine.recovery import load_metadata
from tidemark.engine.snapshot import load_snapshot
from tidemark.groups.state import Groups
from tidemark.late_dataclass import dataclass
from tidemark.log.directory import DataDirectory, open_directory
from tidemark.log.errors import CorruptLog, Recovered
from tidemark.log.manager import LogManager
from tidemark.log.partition import PartitionLog
from tidemark.metadata.model import METADATA_TOPIC
from tidemark.metadata.state import Cluster
from tidemark.node import limits
from tidemark.node.environment import Environment


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
        cluster_id=config.tidemark_cluster_id or _text_id(host.ids.topic_id()),
        directory_id=host.ids.topic_id(),
        now_ms=clock.wall_ms(),
    )
    if directory.restored:
        logger.warning("interrupted restore of a snapshot finished")
    _restore_moves(env, clock)
    cluster = Cluster(
        limits.identity(directory, config),
        limits.cluster_limits(config),
        config.given,
        limits.default_settings(config),
    )
    logs = LogManager(
        host.storage,
        limits.manager_settings(config),
        clock,
        partial(cluster_logs.log_settings, cluster, internal_waits=config.tidemark_sync == "always"),
        host.workers,
    )
    logs.on_damage = partial(_log_damage, logger)
    logs.on_recovered = partial(_log_recovery, logger)
    logs.read_directory()
    skipped = SkippedRecords(logger)
    metadata_log, deleted = _load_metadata(env, logs, cluster, skipped)
    groups = Groups(limits.group_limits(config))
    groups.consumer_limits = limits.consumer_group_limits(config)
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


def _text_id(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
