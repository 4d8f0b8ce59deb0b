"""The share coordinator of one incarnation: the state machine with everything that it needs (KIP-932).

A start imports this only if `__share_group_state` exists, else the first request or effect that needs it
does.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

from tidemark.core.apply import PartitionStatus, Unwritten
from tidemark.core.context import EVERY_NODE, Context, Now
from tidemark.core.decision import NOTHING, Decision, Record, ShareStateTopicCreated, TopicsDeleted
from tidemark.engine import cluster_logs
from tidemark.engine.coordinator import DurableMachine, Runtime
from tidemark.engine.effects import Effects
from tidemark.engine.recovery import CannotLoad, Loaded
from tidemark.groups.share.effects import DeleteShareState, InitializeShareState
from tidemark.log.partition import PartitionLog
from tidemark.metadata.model import SHARE_STATE_TOPIC, Topic
from tidemark.metadata.topics import share_state_topic_records
from tidemark.node.environment import Environment
from tidemark.share_coordinator.state import NAME, SharePartition, ShareState, ShareStates
from tidemark.turns import Pace, Turns
from tidemark_protocol.batch import BatchError, records
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.share_batches import NO_OFFSET, StateBatch
from tidemark_protocol.stored import UnknownRecordType
from tidemark_protocol.stored_share_state import decode_share_state, encode_share_state
from tidemark_protocol.wire import WireError

if TYPE_CHECKING:
    from tidemark.node.incarnation import State

R = TypeVar("R")

BASE_SEQUENCE: Final = 0  # as Kafka's share coordinator writes it

# Topic id -> partition -> the error of one whose state could not be initialized or deleted, or NONE.
Results = dict[bytes, dict[int, ErrorCode]]


class ShareCoordinator:
    """Stores the states of share partitions, for clients within the process and for requests.

    The methods `initialize`, `read`, `write`, `delete` and `summary` return once the records are durable.
    They raise KafkaError, with the code that Kafka's coordinator responds with. Up to their first wait they
    run at once: calls take effect in the order in which they are made. A write that is merged with thousands
    of state batches is decided later, and so are the writes and reads of its share partition that follow.

    initialized(effect, results)  is called when the work of an InitializeShareState is durable
    """

    def __init__(
        self,
        env: Environment,
        state: State,
        runtime: Runtime,
        turns: Turns,
        *,
        effects: Effects,
        initialized: Callable[[InitializeShareState, Results], None],
        failed: Callable[[BaseException], None],
    ) -> None:
        self._state = state
        self._runtime = runtime
        self._turns = turns
        self._long_write = asyncio.Lock()  # first come, first served
        self._writing: Counter[SharePartition] = Counter()  # long writes that have not been decided
        self._logger = env.logger
        self._new_id = env.host.ids.uuid_text
        self._is_taken_over = env.opening is not None
        self._initialized = initialized
        self._failed = failed
        self._tasks: set[asyncio.Task[Any]] = set()
        self._pruned: dict[int, int] = {}
        self.states = ShareStates(env.config)
        self.states.cluster = state.cluster
        open_log = partial(
            cluster_logs.internal_log, state.cluster, state.logs, SHARE_STATE_TOPIC, BASE_SEQUENCE
        )
        self.machine = DurableMachine(self.states, runtime, encode_share_state, open_log)
        effects.register(InitializeShareState, self._initialize_later)
        effects.register(DeleteShareState, self._delete_later)
        effects.register(TopicsDeleted, self._forget_later)

    # Clients within the process.

    async def initialize(
        self, group_id: str, topic_id: bytes, partition: int, state_epoch: int, start_offset: int = NO_OFFSET
    ) -> ShareState:
        """Begin a state, or begin it anew. NO_OFFSET: its leader will choose the start."""
        key = SharePartition(group_id, topic_id, partition)
        return await self._durably(key, self.states.initialize, key, state_epoch, start_offset)

    async def read(self, group_id: str, topic_id: bytes, partition: int, leader_epoch: int) -> ShareState:
        """Return the state for the leader with this epoch, which fences older ones."""
        key = SharePartition(group_id, topic_id, partition)
        if key in self._writing:  # see what was written before
            async with self._long_write:
                pass
        return await self._durably(key, self.states.read, key, leader_epoch)

    async def write(
        self,
        group_id: str,
        topic_id: bytes,
        partition: int,
        state_epoch: int,
        leader_epoch: int,
        start_offset: int,
        delivery_complete_count: int,
        batches: Sequence[StateBatch],
    ) -> None:
        """Store a start and delivery states, which are merged with those that are stored.

        If there are thousands of them, they are merged in steps, for one share partition after the other.
        Writes of the same share partition keep their order.
        """
        key = SharePartition(group_id, topic_id, partition)
        arguments = state_epoch, leader_epoch, start_offset, delivery_complete_count, batches
        if key not in self._writing and not self.states.takes_long(key, batches):
            await self._durably(key, self.states.write, key, *arguments)
            return
        self._writing[key] += 1
        try:
            async with self._long_write:
                for _ in self.states.prepare(key, start_offset, batches):
                    if self._turns.spend():
                        await self._turns.rest()
                self._decide(key, self.states.write, key, *arguments)
                await self._turns.pause()
        finally:
            self._writing[key] -= 1
            if not self._writing[key]:
                del self._writing[key]
        await self._runtime.durable()

    async def delete(self, group_id: str, topic_id: bytes, partition: int) -> None:
        """Delete a state, if there is one."""
        key = SharePartition(group_id, topic_id, partition)
        await self._durably(key, lambda _: self.states.delete(key))

    async def summary(self, group_id: str, topic_id: bytes, partition: int) -> ShareState:
        """Return the state. Its start offset is NO_OFFSET if it was never initialized."""
        key = SharePartition(group_id, topic_id, partition)
        return await self._durably(key, lambda _: Decision(self.states.summary(key)))

    def stored(self, group_id: str, topic_id: bytes, partition: int) -> ShareState | None:
        """Return the state as it is now, without a look at who coordinates it. None: there is none."""
        return self.states.get(SharePartition(group_id, topic_id, partition))

    async def _durably(self, key: SharePartition, decide: Callable[..., Decision[R]], *arguments: Any) -> R:
        response = self._decide(key, decide, *arguments)
        await self._runtime.durable()
        return response

    def _decide(self, key: SharePartition, decide: Callable[..., Decision[R]], *arguments: Any) -> R:
        self._create_topic()
        self.states.check_coordinates(key, EVERY_NODE)
        return self._runtime.apply(NAME, decide(self._runtime.now(), *arguments))

    def _create_topic(self) -> None:
        """Create `__share_group_state` if it does not exist, as Kafka's FindCoordinator does."""
        cluster = self._state.cluster
        if SHARE_STATE_TOPIC in cluster.topics or cluster.all_fenced:
            return
        now = self._runtime.now()
        ctx = Context(
            wall_ms=now.wall_ms, steady_ms=now.steady_ms, version=0, cluster=cluster, new_id=self._new_id
        )
        created = ShareStateTopicCreated(cluster.settings.share_coordinator_state_topic_num_partitions)
        decision: Decision[None] = Decision(
            records=share_state_topic_records(cluster, ctx), effects=(created,)
        )
        self._runtime.apply("Cluster", decision)

    # Effects of groups, and topics that are deleted.

    def _initialize_later(self, effect: InitializeShareState) -> None:
        effect.results = self._begin(self._initialize(effect))

    async def _initialize(self, effect: InitializeShareState) -> Results:
        """Initialize the states once the group's record about this is durable. Return the errors."""

        def decide(key: SharePartition) -> None:
            start_offset = effect.start_offsets.get(key.topic_id, {}).get(key.partition, NO_OFFSET)
            self._decide(key, self.states.initialize, key, effect.state_epoch, start_offset)

        await self._runtime.durable()
        results = await self._each(effect, decide)
        self._initialized(effect, results)
        return results

    def discard(self, effect: InitializeShareState) -> None:
        """Delete the states that were created for a group that does not exist now. Kafka keeps them.

        If a group of this name is created meanwhile, the remaining states are kept: they may be its own.
        """

        def decide(key: SharePartition) -> None:
            if self._state.groups.get(effect.group_id) is None:
                self._decide(key, lambda _: self.states.delete(key))

        self._begin(self._each(effect, decide))

    def _delete_later(self, effect: DeleteShareState) -> None:
        effect.results = self._begin(self._delete(effect))

    async def _delete(self, effect: DeleteShareState) -> Results:
        """Delete the states once the group's record about this is durable. Return the errors."""

        def decide(key: SharePartition) -> None:
            self._decide(key, lambda _: self.states.delete(key))

        await self._runtime.durable()
        return await self._each(effect, decide)

    async def _each(
        self, effect: InitializeShareState | DeleteShareState, decide: Callable[[SharePartition], None]
    ) -> Results:
        """Decide each partition of an effect, and return the results once they are durable."""
        results: Results = {}
        for topic_id, (_, partitions) in effect.topics.items():
            of_topic = results[topic_id] = {}
            for index in partitions:
                try:
                    decide(SharePartition(effect.group_id, topic_id, index))
                except KafkaError as error:
                    of_topic[index] = error.code
                else:
                    of_topic[index] = ErrorCode.NONE
                if self._turns.spend():
                    await self._turns.rest()
        await self._runtime.durable()
        return results

    def _forget_later(self, effect: TopicsDeleted) -> None:
        """Delete the states of topics once the deletion of these is durable."""
        if self.states.entries:
            self._begin(self._forget(frozenset(effect.topic_ids)))

    async def _forget(self, topic_ids: frozenset[bytes]) -> None:
        await self._runtime.durable()
        for decision in self.states.forget_topics(topic_ids):
            # Unwritten: the log cannot be opened now. The next start deletes the states.
            with suppress(Unwritten):
                self._runtime.accept(NAME, decision or NOTHING)
            if self._turns.spend():
                await self._turns.rest()

    def _begin(self, work: Coroutine[Any, Any, R]) -> asyncio.Task[R]:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._end)
        return task

    def _end(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._failed(error)

    # Start and stop.

    def serve(self, partitions: int) -> None:
        """Serve share partitions from a new `__share_group_state`, which is empty."""
        self.states.serve(partitions)
        self.states.loaded(range(partitions))

    def load(self, topic: Topic) -> None:
        """Load all states. Those of topics that do not exist are deleted: a crash has interrupted that."""
        self.states.serve(len(topic.partitions))
        self.states.loaded([each.index for each in topic.partitions if self._is_read(each.index)])
        if not self._is_taken_over:
            for decision in self.states.forget_dead():
                self._runtime.accept(NAME, decision or NOTHING)

    def _is_read(self, partition: int) -> bool:
        """Read a partition. Return False if it cannot be served."""
        log = self._state.logs.get(SHARE_STATE_TOPIC, partition)
        if log is None:
            self.states.failed(partition)  # lost or damaged, which has been logged
            return False
        try:
            loaded = load_share_states(log, self.states, partition)
        except CannotLoad as error:
            self.states.failed(partition)
            self._logger.error(
                "share partitions not served", topic=SHARE_STATE_TOPIC, partition=partition,
                reason=str(error),
            )  # fmt: skip
            return False
        self._state.skipped.add(SHARE_STATE_TOPIC, partition, loaded.skipped)
        return True

    async def settled(self) -> None:
        """Return once no work is left that effects have begun."""
        while self._tasks:
            await asyncio.wait([*self._tasks])

    async def stop(self) -> None:
        """Stop work that effects have begun. The next start repeats it."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    # Passes.

    async def snapshot_cold(self, wall_ms: int | None = None) -> None:
        """Write a snapshot of each state that needs one at this wall time. None: now."""
        now = self._runtime.now()
        pace = Pace(self._state.clock)
        if wall_ms is not None:
            now = Now(wall_ms, now.steady_ms)
        for decision in self.states.cold_snapshots(now):
            self._runtime.accept(NAME, decision or NOTHING)
            if pace.spend():
                await pace.rest()

    async def prune(self) -> None:
        """Raise the start of each partition of the log to its first record that is needed."""
        needed = {
            partition: offset
            for partition, status in enumerate(self.states.status)
            if status is PartitionStatus.ACTIVE
            and (offset := self.states.redundant_before(partition)) is not None
            and offset != self._pruned.get(partition)
        }
        if not needed:
            return
        await self._runtime.durable()  # the snapshots that make older records redundant
        logs, is_unsaved = self._state.logs, False
        for partition, offset in needed.items():
            log = logs.get(SHARE_STATE_TOPIC, partition)
            if log is not None:
                is_unsaved |= logs.raise_log_start(log, min(offset, log.high_watermark))
                self._pruned[partition] = offset
        if is_unsaved:
            await logs.save_log_starts()


def load_share_states(log: PartitionLog, states: ShareStates, partition: int) -> Loaded:
    """Replay a partition of `__share_group_state`, in the order of its log: updates need what is before them.

    Raises CannotLoad if a record cannot be read. Some may have been replayed then.

    Records of share partitions that belong into another partition are skipped: Kafka does not find them
    either, after the number of partitions was changed.
    """
    loaded = Loaded()
    for key, value, offset in _stored(log):
        try:
            record = Record(*decode_share_state(key, value))
        except UnknownRecordType as unknown:
            loaded.skip(unknown)
            continue
        except WireError as error:
            raise CannotLoad(f"the record at offset {offset} cannot be read: {error}") from None
        if states.partition_of(record) == partition:
            states.at(partition, offset)
            states.replay(record)
            loaded.records += 1
        else:
            loaded.skipped["misplaced"] = loaded.skipped.get("misplaced", 0) + 1
    states.at(partition, log.log_end_offset)
    return loaded


def _stored(log: PartitionLog) -> Iterable[tuple[bytes, bytes | None, int]]:
    """Yield key, value and offset of each record from the start of a log on. Raises CannotLoad."""
    for stored in log.batches(log.log_start_offset):
        if stored.header.is_control:
            continue
        try:
            for entry in records(stored.buf, stored.start, stored.header):
                if entry.offset < log.log_start_offset:
                    continue
                if entry.key is None:
                    raise CannotLoad(f"the record at offset {entry.offset} has no key")
                yield entry.key, entry.value, entry.offset
        except BatchError as error:
            reason = f"the records from offset {stored.base_offset} on cannot be read: {error}"
            raise CannotLoad(reason) from None
