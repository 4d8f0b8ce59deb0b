"""An incarnation: everything that is created anew when the node restores a snapshot.

`begin` opens the data directory (`open_state`), replays it (`load`) and creates the server (`new_server`).
"""

from __future__ import annotations

import base64
import json
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import asdict, replace
from functools import partial
from typing import Any, Final

from tidemark.clock import Clock, MovableClock, Moves, turn
from tidemark.core.context import Authorizers, Context, everyone_is_allowed
from tidemark.core.decision import NOTHING
from tidemark.core.log_text import listed
from tidemark.engine import cluster_logs
from tidemark.engine.recovery import CannotLoad, load_metadata, load_offsets, load_snapshot
from tidemark.groups.loading import GroupsReplay
from tidemark.groups.state import Groups
from tidemark.handlers import routes
from tidemark.late_dataclass import dataclass
from tidemark.log.directory import DataDirectory, open_directory
from tidemark.log.errors import CorruptLog, OutOfDescriptors, Recovered
from tidemark.log.manager import COUNTED as TRAFFIC
from tidemark.log.manager import LogManager
from tidemark.log.partition import PartitionLog
from tidemark.log.storage import Storage
from tidemark.metadata.bootstrap import Endpoint, Start, adoption_records, start_records
from tidemark.metadata.configs import ResourceConfigType
from tidemark.metadata.model import (
    METADATA_TOPIC,
    OFFSETS_TOPIC,
    SHARE_STATE_TOPIC,
    TRANSACTIONS_TOPIC,
    Identity,
)
from tidemark.metadata.state import Cluster
from tidemark.node.engine import Engine
from tidemark.node.environment import Environment, loading
from tidemark.node.listeners import Listeners
from tidemark.server.listener import Server, Shared
from tidemark.server.router import Router
from tidemark.server.unsent import Unsent
from tidemark.settings.broker import principals_of

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


SNAPSHOT_AT_STOP_BYTES: Final = 256 * 1024  # a clean stop shortens a metadata log longer than this
HANG_UP_TURNS: Final = 4  # turns of the loop after which waiters know that their connection is closed


@dataclass(slots=True, frozen=True)
class Incarnation:
    """State machines, logs and server. Nothing in it is replaced; a restore makes a new incarnation.

    Call listen, run, then either close and leave_in_order, or abandon.
    """

    env: Environment
    state: State
    engine: Engine
    server: Server

    async def listen(self, listeners: Listeners) -> None:
        node = str(self.env.config.node_id)
        listeners.follow(lambda: self.state.cluster.configs.overrides(ResourceConfigType.BROKER, node))
        self.engine.runtime.context.check_tls = listeners.check
        self.note_addresses(listeners)
        for node_id in sorted(self.state.cluster.living):
            await self.listen_as(listeners, node_id)

    def note_addresses(self, listeners: Listeners) -> None:
        """Let responses name the addresses of all nodes."""
        for address, bound in listeners:
            advertised = address.advertised_host, address.advertised_port or bound.number
            self.state.cluster.addresses[address.node_id, address.name] = advertised

    async def listen_as(self, listeners: Listeners, node_id: int) -> None:
        """Accept connections to a node from now on."""
        for address, bound in listeners:
            if address.node_id == node_id:
                await self.server.listen(address, bound)

    def forget_node(self, node_id: int) -> None:
        """Forget the soft state of a node that stops: fetch sessions, producer ids, and rates of clients."""
        self.state.logs.fetch_sessions.pop(node_id, None)
        self.state.cluster.forget_producer_ids(node_id)
        self.engine.quotas.forget(node_id)
        if self.engine.shares is not None:
            self.engine.shares.forget_node(node_id)

    def run(self) -> None:
        """Start timers and scheduled tasks, unless the incarnation is held."""
        if not self.held:
            self.engine.release()
        self.engine.stalls.start()
        if self.env.owns_process:
            self.engine.pauses.start()

    @property
    def held(self) -> bool:
        """True if it was opened as found, so that no timer or task runs until `resume`."""
        return self.engine.runtime.held

    def resume(self) -> None:
        """Start the timers and tasks that were held. Every member gets a full session timeout."""
        if self.held:
            now = self.engine.runtime.now()
            self.state.groups.start_sessions(now)
            self.engine.accept_groups(NOTHING)
            if self.engine.transactions is not None:
                self.engine.transactions.resume(now)
            self.engine.release()
            self.env.logger.lifecycle("resumed", now_ms=self.state.clock.wall_ms())

    async def close(self) -> None:
        """Accept nothing more, finish open requests, respond once they are durable, and close connections."""
        self.server.drain()
        await self.engine.finish()
        await self._halt()
        await self.engine.group_commit.close()
        self.engine.runtime.send_all()
        self.server.close()

    async def abandon(self) -> None:
        """Stop as a kill would. Records that wait to be written are lost."""
        await self._halt()
        await self.engine.group_commit.abandon()
        self.server.close()
        for _ in range(HANG_UP_TURNS):
            await turn()
        self.server.abort()
        self.state.logs.abandon()

    async def _halt(self) -> None:
        self.server.drain()
        await self.engine.halt()

    def leave_in_order(self) -> None:
        """Finish deletions, shorten the metadata log and close all logs, for a quick next start.

        Without a free descriptor, leave that to the next start, as after a kill.
        """
        try:
            self.engine.housekeeping.finish_deletions()
            between = self.env.config.metadata_log_max_record_bytes_between_snapshots
            snapshot = self.engine.snapshot(min(SNAPSHOT_AT_STOP_BYTES, between))
            if snapshot is not None:
                snapshot.write()
                snapshot.finish()
            self.state.logs.close()
        except OutOfDescriptors as error:
            self.state.logs.abandon()
            self.env.logger.warning("the next start recovers the logs", reason=str(error))


async def begin(
    env: Environment,
    listeners: Listeners,
    fail: Callable[[BaseException], None],
    *,
    held: bool,
    adopt: bool = False,
    restored: bool = False,
) -> Incarnation:
    """Load the data directory. Return an incarnation that is ready to listen.

    held, adopt and restored: see `Engine` and `load`. Raises errors that explain why the node
    cannot start; nothing keeps running then.
    """
    with loading() if env.owns_process else nullcontext():
        state = open_state(env, racks=listeners.racks)
        state.logs.fetch_sessions.share(len(listeners.racks))
        engine = Engine(env, state, held=held, fail=fail)
        try:
            load(env, state, engine, listeners.endpoints(), adopt=adopt, restored=restored)
        except BaseException:
            await engine.group_commit.close()
            raise
    try:
        await engine.group_commit.drain()
        engine.quotas.follow()
        return Incarnation(env, state, engine, new_server(env, state, engine))
    except BaseException:
        await engine.group_commit.close()
        raise


def open_state(
    env: Environment,
    new_logs: type[LogManager] = LogManager,
    racks: Mapping[int, str | None] | None = None,
) -> State:
    """Open the data directory and replay the metadata log.

    racks: the nodes, with their racks. None: those of the settings. Raises DirectoryLocked, DirectoryRefused,
    CorruptLog and CannotLoad.
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
    moves = load_moves(host.storage)
    if moves is not None and isinstance(clock, MovableClock):
        clock.take_up(moves)  # continue at the time to which tests have moved the clock
    elif moves is not None:
        logger.warning(
            "moved time ignored", reason="the test API is off", moved_ms=moves.wall_ms,
            frozen_at_ms=moves.frozen_at_ms,
        )  # fmt: skip
    cluster = Cluster(
        Identity(directory.cluster_id, directory.node_id, directory.directory_id, config.broker_rack),
        config,
        racks=racks,
    )
    logs = new_logs(
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


HELD_MS: Final = 2**62  # steady time; a session that begins then does not end before `release`
LOST_NAMED_MAX: Final = 20


def load(
    env: Environment,
    state: State,
    engine: Engine,
    endpoints: Mapping[int, tuple[Endpoint, ...]],
    *,
    adopt: bool,
    restored: bool,
) -> None:
    """Record this start, bring the disk in line with the cluster, and replay all committed offsets.

    adopt: this node becomes the leader of every partition in the directories of another broker.
    restored: brokers that were stopped when the snapshot was taken stay so.
    """
    cluster, logs = state.cluster, state.logs
    if adopt:  # lead every partition whose log is here
        engine.accept_cluster(adoption_records(cluster, logs.holds))
        lost = [
            f"{topic.name}-{partition.index}"
            for topic in cluster.topics.values()
            for partition in topic.partitions
            if partition.is_lost
        ]
        if lost:
            env.logger.warning("partitions without a log", count=len(lost), first=lost[:LOST_NAMED_MAX])
    start_id = env.host.ids.topic_id()
    first_users: tuple[Any, ...] = ()
    if not cluster.features and env.config.first_scram_users:  # the cluster is new
        from tidemark.security import scram  # other starts do not need it

        first_users = tuple(scram.first_users(env.config.first_scram_users, env.host.ids.topic_id))
    start = Start(
        start_id,
        endpoints,
        state.metadata_log.log_end_offset,
        env.host.ids.topic_id,
        first_users,
        keeps_stopped=restored,
    )
    engine.accept_cluster(start_records(cluster, start))
    # Directories of unknown topics are set aside before anything in them is read or changed.
    for directory, renamed in cluster_logs.sweep(cluster, logs, state.deleted_topics):
        env.logger.warning("stray directory kept", directory=directory, renamed_to=renamed)
    logs.recover()
    cut = [(each.topic, each.partition) for each in logs.recovered if each.topic in cluster.topics]
    if cut:
        engine.accept_cluster(cluster.leader_epoch_records(cut))
    _load_groups(state, engine, env.logger)
    transactions = cluster.topic(TRANSACTIONS_TOPIC)
    if transactions is not None:
        engine.transaction_coordinator().load(transactions)
    share_state = cluster.topic(SHARE_STATE_TOPIC)
    if share_state is not None:
        engine.share_coordinator().load(share_state)
    if env.opening is None and cluster.topic(OFFSETS_TOPIC) is not None:
        # Not in the directory of another broker: Kafka does not delete these when it starts either, and they
        # are evidence.
        engine.deletions.forget_dead(cluster)
    state.skipped.warn()


def _load_groups(state: State, engine: Engine, logger: Any) -> None:
    topic = state.cluster.topic(OFFSETS_TOPIC)
    if topic is None:
        return
    groups = state.groups
    groups.serve(len(topic.partitions))
    for partition in topic.partitions:
        log = state.logs.get(OFFSETS_TOPIC, partition.index)
        if log is None:
            groups.failed(partition.index)  # lost or damaged, which has been logged
            continue
        try:
            loaded = load_offsets(log, GroupsReplay(groups, state.cluster, partition.index))
        except CannotLoad as error:
            groups.failed(partition.index)
            logger.error(
                "groups not served", topic=OFFSETS_TOPIC, partition=partition.index, reason=str(error)
            )
            continue
        state.skipped.add(OFFSETS_TOPIC, partition.index, loaded.skipped)
        now = engine.runtime.now()
        groups.loaded(partition.index, replace(now, steady_ms=HELD_MS) if engine.runtime.held else now)
    engine.accept_groups(NOTHING)  # settle the loaded groups: their sessions begin now


# GetTelemetrySubscriptions and PushTelemetry: Kafka advertises them if a plugin receives client metrics.
NOT_ADVERTISED: Final = (71, 72)


def new_server(env: Environment, state: State, engine: Engine) -> Server:
    """Return a server that does not listen yet. Call it once everything is loaded and durable."""
    config, host = env.config, env.host
    claimed = routes.load()
    versions = {key: config.release.versions(route.name, route.versions) for key, route in claimed.items()}
    table = {key: route for key, route in claimed.items() if versions[key]}
    unsent = Unsent(config.tidemark_unsent_max_bytes, host.clock.steady_ms)
    engine.runtime.context = Context(
        wall_ms=0,
        steady_ms=0,
        version=0,
        cluster=state.cluster,
        advertised=tuple(
            (key, _advertised_low(key, versions[key]), versions[key][-1])
            for key in sorted(table)
            if key not in NOT_ADVERTISED
        ),
        features_epoch=state.metadata_log.log_end_offset - state.cluster.feature_changes,
        new_id=host.ids.uuid_text,
        new_producer_id=engine.new_producer_id,
        decisions=engine.runtime,
        turns=engine.turns,
        derive=engine.derive,
        unsent=unsent,
    )
    router = Router(table, versions, engine.runtime, config.release)
    engine.metrics.watch("requests", router.requests)
    engine.metrics.watch("request_duration", router.durations)
    engine.metrics.watch("unsent_bytes", lambda: unsent.total)
    for name in TRAFFIC:
        engine.metrics.watch(f"topic_{name}", partial(state.logs.traffic.reading, name))
    return Server(
        router,
        host.clock,
        Shared(
            engine.turns,
            unsent,
            engine.runtime.long_responses,
            env.interceptors,
            engine.disconnected,
            env.tap,
            _authorizers(env, state, engine),
        ),
        config,
        engine.metrics,
        env.logger,
    )


def _authorizers(env: Environment, state: State, engine: Engine) -> Authorizers:
    config = env.config
    if not config.authorizer_class_name:
        return everyone_is_allowed
    from tidemark.authorization.standard import Denials, StandardAuthorizer

    # Kafka: Boolean.parseBoolean, for which every text but this one is false.
    allow_without_acl = config.allow_everyone_if_no_acl_found.lower() == "true"
    super_users = frozenset(principals_of(config.super_users))
    counts = engine.metrics.authorization_denials

    def count(operation: str, resource_type: str) -> None:
        counts[operation, resource_type] += 1

    denials = Denials(count, partial(env.logger.warning, "authorization denied"), env.host.clock.steady_ms)
    return StandardAuthorizer(
        state.cluster.acls, super_users, allow_without_acl=allow_without_acl, denials=denials
    ).of_caller


def _advertised_low(api_key: int, versions: range) -> int:
    """Return the lowest version to advertise.

    Kafka advertises Produce from 0 although it refuses v0 to v2: older librdkafka would not compress.
    """
    return 0 if api_key == 0 else versions[0]
