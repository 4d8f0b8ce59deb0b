"""An incarnation: everything that is created anew when the node restores a snapshot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import Any, Final

from tidemark.clock import turn
from tidemark.core.context import Authorizers, Context, everyone_is_allowed
from tidemark.core.decision import NOTHING
from tidemark.engine import cluster_logs
from tidemark.engine.recovery import CannotLoad, load_offsets
from tidemark.groups.loading import GroupsReplay
from tidemark.handlers import routes
from tidemark.late_dataclass import dataclass
from tidemark.log.errors import OutOfDescriptors
from tidemark.log.manager import COUNTED as TRAFFIC
from tidemark.metadata.bootstrap import Endpoint, NodeStart, adoption_records, start_records
from tidemark.metadata.configs import ResourceConfigType
from tidemark.metadata.model import OFFSETS_TOPIC, TRANSACTIONS_TOPIC
from tidemark.node.engine import Engine
from tidemark.node.environment import Environment
from tidemark.node.listeners import Listeners
from tidemark.node.process import loading
from tidemark.node.state import State, open_state
from tidemark.server.listener import Server, Shared
from tidemark.server.router import Router
from tidemark.server.unsent import Unsent
from tidemark.settings.broker import principals_of

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
    router = Router(table, versions, engine.runtime)
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
        for address, bound in listeners:
            await self.server.listen(address, bound)

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
) -> Incarnation:
    """Load the data directory. Return an incarnation that is ready to listen.

    held and adopt: see `Engine` and `load`. Raises errors that explain why the node
    cannot start; nothing keeps running then.
    """
    with loading() if env.owns_process else nullcontext():
        state = open_state(env)
        engine = Engine(env, state, held=held, fail=fail)
        try:
            load(env, state, engine, listeners.endpoints(), adopt=adopt)
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


HELD_MS: Final = 2**62  # steady time; a session that begins then does not end before `release`
LOST_NAMED_MAX: Final = 20


def load(
    env: Environment, state: State, engine: Engine, endpoints: Sequence[Endpoint], *, adopt: bool
) -> None:
    """Record this start, bring the disk in line with the cluster, and replay all committed offsets.

    adopt: this node becomes the leader of every partition in the directories of another broker.
    """
    if adopt:
        _adopt(state, engine, env.logger)
    node = NodeStart(
        env.host.ids.topic_id(),
        tuple(endpoints),
        state.metadata_log.log_end_offset,
        _first_users(env, state),
    )
    engine.accept_cluster(start_records(state.cluster, node))
    _sweep(state, engine, env.logger)
    _load_groups(state, engine, env.logger)
    transactions = state.cluster.topic(TRANSACTIONS_TOPIC)
    if transactions is not None:
        engine.transaction_coordinator().load(transactions)
    if env.opening is None and state.cluster.topic(OFFSETS_TOPIC) is not None:
        # Not in the directory of another broker: Kafka does not delete these when it starts either, and they
        # are evidence.
        engine.deletions.forget_dead(state.cluster)
    state.skipped.warn()


def _first_users(env: Environment, state: State) -> tuple[Any, ...]:
    """Return the records of the SCRAM users that a new cluster begins with."""
    if state.cluster.features or not env.config.first_scram_users:
        return ()
    from tidemark.security.scram import first_users  # other starts do not need it

    return tuple(first_users(env.config.first_scram_users, env.host.ids.topic_id))


def _adopt(state: State, engine: Engine, logger: Any) -> None:
    """Lead every partition whose log is here, and log those whose log is missing."""
    engine.accept_cluster(adoption_records(state.cluster, state.logs.holds))
    lost = [
        f"{topic.name}-{partition.index}"
        for topic in state.cluster.topics.values()
        for partition in topic.partitions
        if partition.is_lost
    ]
    if lost:
        logger.warning("partitions without a log", count=len(lost), first=lost[:LOST_NAMED_MAX])


def _sweep(state: State, engine: Engine, logger: Any) -> None:
    """Set directories of unknown topics aside before anything in them is read, then recover the logs."""
    cluster, logs = state.cluster, state.logs
    for directory, renamed in cluster_logs.sweep(cluster, logs, state.deleted_topics):
        logger.warning("stray directory kept", directory=directory, renamed_to=renamed)
    logs.recover()
    cut = [(each.topic, each.partition) for each in logs.recovered if each.topic in cluster.topics]
    if cut:
        engine.accept_cluster(cluster.leader_epoch_records(cut))


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
