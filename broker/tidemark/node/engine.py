"""The moving parts of one incarnation: the coordinator, its logs, effects and scheduled tasks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from tidemark import descriptors
from tidemark.cleanup.offset_expiry import OffsetExpiry
from tidemark.cleanup.task import Housekeeping, remove_expired_tokens
from tidemark.clock import precise_ns, turn
from tidemark.core.apply import Unwritten
from tidemark.core.context import EVERY_NODE
from tidemark.core.decision import (
    AuthenticationEnded,
    ClassicGroupRebalanced,
    CloseConnection,
    ConsumerGroupRebalances,
    DecidePendingOffsets,
    Decision,
    OffsetsCommitted,
    OffsetsTopicCreated,
    Record,
    ResolveRegularExpressions,
    RespondLater,
    ShareStateTopicCreated,
    TopicsDeleted,
    TransactionsTopicCreated,
)
from tidemark.engine import cluster_logs
from tidemark.engine.coordinator import DurableMachine, Runtime
from tidemark.engine.effects import (
    Effects,
    PendingOffsetDecisions,
    RegexResolutions,
    TopicDeletions,
    serve_groups,
)
from tidemark.engine.events import (
    Authentications,
    Rebalances,
    Removals,
    log_deleted_topics,
    log_rebalance,
    log_topics,
)
from tidemark.engine.group_commit import SyncPolicy
from tidemark.engine.recovery import MetadataSnapshot
from tidemark.metadata.model import LEADER_UNCHANGED, OFFSETS_TOPIC
from tidemark.metrics.registry import Metrics
from tidemark.node.brokers import LeaderBalance
from tidemark.node.environment import Environment, PauseWatch
from tidemark.turns import Turns
from tidemark_protocol.records.partition_change_record import PartitionChangeRecord
from tidemark_protocol.stored import VERSIONS_OF, CoordinatorCodec, encode_metadata

if TYPE_CHECKING:
    from tidemark.groups.share.effects import InitializeShareState
    from tidemark.node.dead_letters import DeadLetters
    from tidemark.node.incarnation import State
    from tidemark.node.share_coordinator import Results, ShareCoordinator
    from tidemark.node.transactions import TransactionCoordinator
    from tidemark.server.quotas import QuotaInterceptor
    from tidemark.share.open_partitions import SharePartitions
    from tidemark.transactions.state import TimedOut, Transactions


OFFSETS_BASE_SEQUENCE: Final = 0  # as Kafka's group coordinator writes it


class Engine:
    """Runs the state machines on their logs, and carries out their decisions.

    held: no timer or task runs until `release`. fail(error): a write or sync has failed.
    """

    def __init__(
        self, env: Environment, state: State, *, held: bool, fail: Callable[[BaseException], None]
    ) -> None:
        config, clock = env.config, state.clock
        self._storage = env.host.storage
        self._state = state
        self._logger = env.logger
        self._logs_events = bool(env.logger.wants("info"))  # groups and topics, as they change
        self._fail = fail
        self.metrics = Metrics(clock.steady_ms, config.metrics_num_samples, config.metrics_sample_window_ms)
        self.removals = Removals(self.metrics, env.logger, config.tidemark_removals_max)
        state.groups.logger = env.logger if self._logs_events else None
        self.rebalances = Rebalances(state.groups, clock.wall_ms)
        self.stalls = env.new_stall_watch(env.host.clock, self.metrics)
        self.pauses = PauseWatch(self.metrics, precise_ns)
        self._codec_thread = env.host.workers.thread("tidemark-codec")
        self._keys_thread = env.host.workers.thread("tidemark-keys")
        self.turns = Turns(env.host.clock.host_ms, self._codec_thread)
        self.quotas = QuotaEnforcement(env, state)
        self.group_commit = env.new_group_commit(
            clock,
            SyncPolicy(config.tidemark_sync, config.tidemark_sync_interval_ms),  # type: ignore[arg-type]
            env.host.workers.thread("tidemark-sync"),
            on_durable=self._durable,
            failed=fail,
            on_synced=self._synced,
            on_waited=self.metrics.flush_wait.observe,
        )
        self._env = env
        late_effects: dict[str, Callable[[], object]] = dict.fromkeys(
            ("InitializeShareState", "DeleteShareState"), self.share_coordinator
        )
        late_effects["CreateInternalTopics"] = self._create_internal_topics
        self.effects = effects = Effects(late_effects)
        self.transactions: TransactionCoordinator | None = None  # until a client or the directory needs it
        self.share: ShareCoordinator | None = None  # the same
        self.shares: SharePartitions | None = None  # until a client fetches as a member of a share group
        self.dead_letters: DeadLetters | None = None  # until a share group has one
        self.runtime = self._new_runtime(env, effects)
        self.runtime.held = held
        self.offset_expiry = OffsetExpiry(state.groups, clock, self.metrics, self.accept_groups)
        self.housekeeping = Housekeeping(
            state.logs,
            clock,
            config,
            env.logger,
            expire_offsets=partial(self.offset_expiry.run, collect=False),
            expire_ids=self.expire_transactional_ids,
            expire_tokens=self.expire_tokens,
            snapshot=partial(self.snapshot, config.metadata_log_max_record_bytes_between_snapshots),
            failed=fail,
        )
        self.leader_balance = LeaderBalance(state.cluster, clock, self.accept_cluster)
        self.deletions = TopicDeletions(state.groups, self.runtime, self.turns, self.housekeeping.delete)
        self._register(effects)

    def _new_runtime(self, env: Environment, effects: Effects) -> Runtime:
        state, config = self._state, env.config
        codec = CoordinatorCodec(VERSIONS_OF[config.release.name])
        offsets_log = partial(
            cluster_logs.internal_log, state.cluster, state.logs, OFFSETS_TOPIC, OFFSETS_BASE_SEQUENCE
        )
        runtime = Runtime(
            state.clock,
            self.group_commit,
            state.logs,
            self.metrics,
            self.turns,
            shares=self.share_partitions,
            late={
                "Transactions": lambda: self.transaction_coordinator().machine,
                "ShareStates": lambda: self.share_coordinator().machine,
            },
            response_bytes_max=config.tidemark_response_max_bytes,
            carry_out=effects.carry_out,
            removed=self.removals.add,
            unexpected=self._unexpected,
        )
        runtime.machines["Cluster"] = DurableMachine(
            state.cluster,
            runtime,
            lambda key, value: (None, encode_metadata(value)),
            lambda partition: cluster_logs.internal_metadata_log(state.metadata_log),
            self._cluster_changed,
        )
        runtime.machines["Groups"] = DurableMachine(state.groups, runtime, codec.encode, offsets_log)
        return runtime

    def transaction_coordinator(self) -> TransactionCoordinator:
        """Return the transaction coordinator, imported and created by the first call."""
        if self.transactions is None:
            from tidemark.node.transactions import TransactionCoordinator

            self.transactions = TransactionCoordinator(
                self._env,
                self._state,
                self.runtime,
                self.group_commit,
                self.turns,
                self.metrics,
                effects=self.effects,
                new_producer_id=self.new_producer_id,
                failed=self._fail,
            )
        return self.transactions

    def share_coordinator(self) -> ShareCoordinator:
        """Return the share coordinator, imported and created by the first call."""
        if self.share is None:
            from tidemark.node.share_coordinator import ShareCoordinator

            self.share = ShareCoordinator(
                self._env,
                self._state,
                self.runtime,
                self.turns,
                effects=self.effects,
                initialized=self._share_state_initialized,
                failed=self._fail,
            )
            config = self._env.config
            self.housekeeping.add(
                config.share_coordinator_cold_partition_snapshot_interval_ms, self.share.snapshot_cold
            )
            self.housekeeping.add(config.share_coordinator_state_topic_prune_interval_ms, self.share.prune)
        return self.share

    def share_partitions(self) -> SharePartitions:
        """Return the share partitions in use, imported and created by the first call."""
        if self.shares is None:
            from tidemark.share.open_partitions import SharePartitions

            self.shares = SharePartitions(
                self._state.cluster,
                self._state.clock,
                self.turns,
                self._env.host.workers,
                self.share_coordinator(),
                self._dead_letters,
            )
        return self.shares

    def _dead_letters(self) -> DeadLetters:
        """Return what writes dead letters of share groups, imported and created by the first one."""
        if self.dead_letters is None:
            from tidemark.node.dead_letters import DeadLetters

            self.dead_letters = DeadLetters(
                self._state.cluster,
                self._state.logs,
                self._state.clock,
                self.turns,
                self._env.host.workers,
                self.runtime,
                self.metrics,
                self._env.host.ids.uuid_text,
            )
        return self.dead_letters

    def disconnected(self, node_id: int, connection: int) -> None:
        """Forget what belongs to a connection, which was closed."""
        if self.shares is not None:
            self.shares.disconnected(node_id, connection)

    def _create_internal_topics(self) -> None:
        """Register what creates internal topics, once a streams group needs one."""
        from tidemark.groups.streams.heartbeat import CreateInternalTopics
        from tidemark.node.internal_topics import InternalTopics

        topics = InternalTopics(self._state.groups, self._state.cluster, self.runtime, self.turns)
        self.effects.register(CreateInternalTopics, topics.carry_out)

    def _share_state_initialized(self, effect: InitializeShareState, results: Results) -> None:
        """Decide what follows for the group. One error, and Kafka has it initialize all of them again.

        Kafka: GroupCoordinatorService.handlePersisterInitializeResponse.
        """
        group: Any = self._state.groups.get(effect.group_id)
        if group is None or group.type_name != "share":  # it was deleted meanwhile
            self.share_coordinator().discard(effect)
            return
        partitions = {topic_id: [*of_topic] for topic_id, of_topic in results.items()}
        has_failed = any(any(of_topic.values()) for of_topic in results.values())
        follows = group.state_not_initialized if has_failed else group.state_initialized
        try:
            self.accept_groups(follows(partitions))
        except Unwritten:  # the next heartbeat initializes them again
            group.state_answered(partitions)

    def _register(self, effects: Effects) -> None:
        """Register the function for each effect of a decision."""
        if self._logs_events:
            effects.register(TopicsDeleted, partial(log_deleted_topics, self._logger))
        effects.register(TopicsDeleted, self.deletions.carry_out)
        effects.register(OffsetsTopicCreated, partial(serve_groups, self._state.groups, self.runtime.now))
        effects.register(
            TransactionsTopicCreated, lambda effect: self.transaction_coordinator().serve(effect.partitions)
        )
        effects.register(
            ShareStateTopicCreated, lambda effect: self.share_coordinator().serve(effect.partitions)
        )
        resolutions = RegexResolutions(self._state.groups, self.runtime, self.turns)
        effects.register(ResolveRegularExpressions, resolutions.carry_out)
        authentications = Authentications(
            self._env.host.clock, self.metrics, self._logger, self.runtime.release_parked
        )
        effects.register(AuthenticationEnded, authentications.count)
        effects.register(RespondLater, authentications.respond_later)
        effects.register(ConsumerGroupRebalances, self._count_rebalance)
        effects.register(ConsumerGroupRebalances, self.rebalances.add)
        effects.register(ClassicGroupRebalanced, self.rebalances.add)
        effects.register(OffsetsCommitted, self._count_offsets)
        pending_offsets = PendingOffsetDecisions(self._state.groups, self.turns)
        effects.register(DecidePendingOffsets, pending_offsets.carry_out)
        if self._logs_events:
            effects.register(ConsumerGroupRebalances, partial(log_rebalance, self._logger))

    def accept_cluster(self, records: tuple[Record, ...]) -> None:
        """Write and replay records that no request has caused."""
        self.runtime.accept("Cluster", Decision(records=records))

    def accept_groups(self, result: Decision[None]) -> None:
        """Write and replay a decision about groups that no request has caused."""
        self.runtime.accept("Groups", result)

    def new_producer_id(self, node_id: int | None = None) -> int:
        """Take a producer id of a node's block. A response with it must wait until it is durable.

        None: the first node
        """
        cluster = self._state.cluster
        if node_id is None or node_id == EVERY_NODE:
            node_id = cluster.identity.node_id
        if not cluster.has_producer_ids(node_id):
            self.runtime.accept("Cluster", cluster.next_producer_ids(node_id))
        return cluster.take_producer_id(node_id)

    def derive(self, work: Callable[[], Any]) -> asyncio.Future[Any]:
        """Call work in a thread of its own, which derives one key after the other.

        More threads would take the processors from the event loop when hundreds of clients log in at once.
        """
        return asyncio.wrap_future(self._keys_thread.submit(work))

    def release(self) -> None:
        """Start the timers and scheduled tasks."""
        self.runtime.held = False
        self.runtime.run_deadlines()
        if self.transactions is not None:
            self.transactions.timeouts.arm()
        self.housekeeping.start()
        self.leader_balance.start()

    async def expire_transactional_ids(self, wall_ms: int | None = None) -> None:
        """Run one pass over transactional ids for this wall time. None: now."""
        if self.transactions is not None:
            await self.transactions.expire_ids(wall_ms)

    async def expire_tokens(self, wall_ms: int | None = None) -> None:
        """Run one pass over delegation tokens for this wall time. None: now."""
        accept = partial(self.runtime.accept, "Cluster")
        await remove_expired_tokens(self._state.cluster, self._state.clock, accept, wall_ms)

    async def expire_transactions(self, wall_ms: int) -> None:
        """Run one pass over open transactions, and one over transactional ids."""
        if self.transactions is not None:
            self.transactions.timeouts.run()
            await self.transactions.expire_ids(wall_ms)

    async def clean_share_states(self, wall_ms: int) -> None:
        """Write cold snapshots of share partitions at this wall time, and prune their log."""
        if self.share is not None:
            await self.share.snapshot_cold(wall_ms)
            await self.share.prune()

    def transactions_timed_out(self) -> AbstractContextManager[list[TimedOut]]:
        """Return a context with a list to which transactions that time out are added."""
        return nullcontext([]) if self.transactions is None else self.transactions.timed_out()

    def transactions_state(self) -> Transactions | None:
        """Return the state of transactions. None: no client has used them."""
        return None if self.transactions is None else self.transactions.transactions

    async def settled(self) -> None:
        """Return once what became due is settled, and transactions that have ended have durable markers."""
        while self.runtime.settles_later:
            await turn()
        if self.transactions is not None:
            await self.transactions.settled()
        if self.shares is not None:
            await self.shares.settled()
        if self.share is not None:
            await self.share.settled()

    async def whole_and_durable(self) -> None:
        """Return at a moment at which no request is half done, and everything that was decided is durable."""
        while True:
            await self.runtime.finish()
            await self.group_commit.drain()
            if not self.runtime.half_done:
                return

    async def finish(self) -> None:
        """Finish requests that are half done, and ends of transactions for which clients wait."""
        await self.runtime.finish()
        if self.transactions is not None:
            try:
                await self.transactions.finish()
            except Exception as error:  # noqa: BLE001 a write has failed: there will be no response
                self._fail(error)

    async def halt(self) -> None:
        """Stop timers, scheduled tasks and long work."""
        self.stalls.stop()
        self.pauses.stop()
        self.quotas.end()
        self.leader_balance.stop()
        await self.housekeeping.stop()
        self.deletions.stop()
        if self.transactions is not None:
            await self.transactions.stop()
        if self.shares is not None:
            await self.shares.stop()
        if self.share is not None:
            await self.share.stop()
        self.runtime.close()
        self._codec_thread.shutdown(wait=False, cancel_futures=True)
        self._keys_thread.shutdown(wait=False, cancel_futures=True)

    def snapshot(self, bytes_min: int) -> MetadataSnapshot | None:
        """Return a snapshot to write if the metadata log has grown by bytes_min, and all of it is durable.

        None while topics are being deleted: the snapshot does not name them, so after a crash the next start
        would keep their logs as stray directories.
        """
        log = self._state.metadata_log
        grown = log.available_bytes(log.log_start_offset, up_to=log.log_end_offset)
        if grown < bytes_min or self.group_commit.appended != self.group_commit.durable:
            return None
        if self.housekeeping.is_deleting:
            return None
        records = self._state.cluster.snapshot_records()
        return MetadataSnapshot(self._storage, log, records, self._state.clock.wall_ms())

    # Called by the coordinator and group commit.

    def _count_rebalance(self, effect: ConsumerGroupRebalances) -> None:
        if effect.is_counted:
            rebalances: Any = getattr(self.metrics, f"{effect.group_type}_group_rebalances")
            rebalances.mark(1, self._state.clock.steady_ms())

    def _count_offsets(self, effect: OffsetsCommitted) -> None:
        self.metrics.offset_commits.count += effect.count

    def _cluster_changed(self, records: tuple[Record, ...]) -> None:
        if any(type(record.value).__name__ == "ClientQuotaRecord" for record in records):
            self.quotas.follow()
        try:
            cluster_logs.follow(self._state.cluster, self._state.logs, records)
        except OSError as error:
            if descriptors.is_exhausted(error):
                raise
            self._fail(error)  # leaders also move without a request, and no caller would notice
        if len(self._state.cluster.node_ids) > 1:
            self._follow_leaders(records)
        if self._logs_events:
            log_topics(self._state.cluster, self._logger, records)

    def _follow_leaders(self, records: tuple[Record, ...]) -> None:
        """Wake the fetches of partitions with new leaders, and let these coordinate."""
        state, moved = self._state, set()
        leaders: dict[tuple[bytes, int], int] = {}
        for record in records:
            change = record.value
            if not isinstance(change, PartitionChangeRecord) or change.leader == LEADER_UNCHANGED:
                continue
            leaders[change.topic_id, change.partition_id] = change.leader
            topic = state.cluster.topics_by_id[change.topic_id]
            log = state.logs.opened(topic.name, change.partition_id)
            if log is not None:
                log.wake()
            if topic.name == OFFSETS_TOPIC:
                moved.add(change.partition_id)
        if leaders and self.shares is not None:
            self.shares.leaders_changed(leaders)
        if moved:
            for decision in state.groups.coordinators_moved(moved, self.runtime.now()):
                self.accept_groups(decision)

    def _durable(self) -> None:
        self.metrics.settle_meters(self._state.clock.steady_ms())
        self.runtime.release()

    def _synced(self, seconds: float, requests: int) -> None:
        self.metrics.flush_duration.observe(seconds)
        self.metrics.flush_records.observe(requests)

    def _unexpected(self, pending: Any, error: BaseException) -> None:
        if isinstance(error, OSError) and not descriptors.is_exhausted(error):
            self._fail(error)
        elif not isinstance(error, CloseConnection):
            self._logger.error("a request failed", api=pending.served.route.name, exc_info=error)
        pending.session.abort(error if isinstance(error, CloseConnection) else None)


class QuotaEnforcement:
    """Keeps the interceptor of quotas in the list of the node while the cluster has quotas."""

    def __init__(self, env: Environment, state: State) -> None:
        self._env = env
        self._state = state
        self._interceptor: QuotaInterceptor | None = None

    def follow(self) -> None:
        """Apply the quotas of the cluster. Call it at the start, and after each change of them."""
        cluster = self._state.cluster
        if not cluster.quotas:
            self.end()
            return
        from tidemark.server.quotas import ClientLimits, QuotaInterceptor, QuotaWindows

        limits = ClientLimits((entity, key, each.value) for (entity, key), each in cluster.quotas.items())
        if not limits:
            self.end()
        elif self._interceptor is not None:
            self._interceptor.limit(limits)
            self._env.interceptors.refresh()
        else:
            config = self._env.config
            windows = QuotaWindows(config.quota_window_num, config.quota_window_size_seconds)
            self._interceptor = QuotaInterceptor(limits, windows, self._state.clock.steady_ms)
            self._env.interceptors.add(self._interceptor)

    def forget(self, node_id: int) -> None:
        """Forget what clients have done at a node, which stops."""
        if self._interceptor is not None:
            self._interceptor.forget(node_id)

    def end(self) -> None:
        """Throttle no client any more."""
        if self._interceptor is not None:
            self._env.interceptors.remove(self._interceptor)
            self._interceptor = None
