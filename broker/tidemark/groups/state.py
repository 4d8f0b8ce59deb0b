"""Groups: the state machine of all groups. Its log is `__consumer_offsets`.

Each group lives in one partition of the log.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from tidemark.core.apply import SERVICE_ERRORS, PartitionStatus
from tidemark.core.context import EVERY_NODE, Context, Now
from tidemark.core.deadlines import Deadlines
from tidemark.core.decision import NOTHING, DecidePendingOffsets, Decision, Marker, Record, Steps
from tidemark.core.java import map_order, partition_hash
from tidemark.core.log_text import listed, short
from tidemark.groups.classic.group import ClassicGroup
from tidemark.groups.classic.joining import join
from tidemark.groups.classic.member import empty_record
from tidemark.groups.group import DUE_UNKNOWN, TXN_GROUP_ERRORS_FROM, Group
from tidemark.groups.offsets import STEP_OFFSETS, Offsets, overtake
from tidemark.metadata.configs import Configs, GroupSettings, ShareGroupSettings, StreamsGroupSettings
from tidemark.metadata.model import OFFSETS_TOPIC
from tidemark.settings.broker import BrokerSettings
from tidemark_expiry.rules import due_bound_ms
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.java import partition_of_group
from tidemark_protocol.messages.join_group import JoinGroupRequest
from tidemark_protocol.records.group_metadata import GroupMetadataKey, GroupMetadataValue
from tidemark_protocol.records.offset_commit import OffsetCommitKey, OffsetCommitValue

if TYPE_CHECKING:
    from tidemark.groups.group import TransactionalCommits
    from tidemark_protocol.messages.txn_offset_commit import TxnOffsetCommitRequest

G = TypeVar("G", bound=Group)

_ACTIVE: Final = PartitionStatus.ACTIVE  # a look-up in an enum costs as much as a call


def group_of(key: Any) -> str:
    """Return the group id in the key of a record. Kafka has two names for the field."""
    try:
        name: str = key.group
    except AttributeError:
        name = key.group_id
    return name


def replay_offset_commit(groups: Groups, key: OffsetCommitKey, value: OffsetCommitValue | None) -> None:
    """Store or delete an offset. An unknown group becomes a simple group."""
    if value is None:
        groups.offsets.forget(key)
        return
    group = groups.groups.get(key.group)
    if group is None:
        partition = groups.partition_for(key.group)
        group = ClassicGroup(key.group, partition, value.commit_timestamp, store=groups)
        groups.groups[key.group] = group
        if groups.offsets.of(key.group):  # a tombstone of the group has left them
            group.due_bound_ms = DUE_UNKNOWN
    empty_since_ms = group.state_since_ms
    if empty_since_ms is not None and (group.protocol_type is None or not group.is_empty):
        empty_since_ms = None
    due_ms = due_bound_ms(
        value.commit_timestamp, value.expire_timestamp, empty_since_ms, groups.settings.offsets_retention_ms
    )
    if due_ms < group.due_bound_ms:
        group.due_bound_ms = due_ms
    offsets, tp = groups.offsets, (key.topic, key.partition)
    offsets.store(key.group, tp, value)
    if offsets.undecided:
        overtake(offsets.undecided.get(key.group, {}).get(tp))


def replay_classic_group(groups: Groups, key: GroupMetadataKey, value: GroupMetadataValue | None) -> None:
    """Create or delete a classic group.

    While the broker runs, the decision also has the changes that make the group what its record says
    (`Decision.after`).
    """
    if value is None:
        groups.groups.pop(key.group, None)
        groups.deadlines.set(key.group, None)
        return
    group = groups.groups.get(key.group)
    if group is not None and not groups.is_loading(group.partition):
        cast(ClassicGroup, group).stored = value
        return
    loaded = ClassicGroup(key.group, groups.partition_for(key.group), None, store=groups)
    loaded.load(value)
    if group is not None:
        loaded.due_bound_ms = group.due_bound_ms
    elif groups.offsets.of(key.group):  # a tombstone of the group has left them
        loaded.due_bound_ms = DUE_UNKNOWN
    if loaded.state_since_ms is not None:
        emptied_due_ms = loaded.state_since_ms + groups.settings.offsets_retention_ms
        loaded.due_bound_ms = min(loaded.due_bound_ms, emptied_due_ms)
    groups.groups[key.group] = loaded


def replay_pending_offset(
    groups: Groups, key: OffsetCommitKey, value: OffsetCommitValue, producer: tuple[int, int]
) -> None:
    """Keep an offset of an open transaction. Creates its group if it is unknown.

    Such a record does not name the topic id. Here it is added, as `name_topic` does at a load.
    """
    group = groups.groups.get(key.group)
    if group is None:
        partition = groups.partition_for(key.group)
        group = ClassicGroup(key.group, partition, value.commit_timestamp, store=groups)
        groups.groups[key.group] = group
    group.due_bound_ms = DUE_UNKNOWN
    if groups.cluster is not None and not groups.is_loading(group.partition):
        topic = groups.cluster.topics.get(key.topic)
        if topic is not None:
            value.topic_id = topic.topic_id
    groups.offsets.put_pending(group.partition, producer, key, value)


RECORDS: Final[dict[type[Any], Callable[[Any, Any, Any], None]]] = {
    OffsetCommitKey: replay_offset_commit,
    GroupMetadataKey: replay_classic_group,
}
# By the name of the key's class. They begin empty: `_import_rare` fills them when a group first needs them.
RARE_RECORDS: Final[dict[str, Callable[[Any, Any, Any], None]]] = {}


def _import_rare() -> None:
    """Import the replay of protocols that many brokers never see. They cost memory and time of a start."""
    from tidemark.groups import unserved
    from tidemark.groups.consumer import replay
    from tidemark.groups.share import replay as share_replay
    from tidemark.groups.streams import replay as streams_replay

    RARE_RECORDS.update(replay.RECORDS)
    RARE_RECORDS.update(share_replay.RECORDS)
    RARE_RECORDS.update(streams_replay.RECORDS)
    RARE_RECORDS.update(unserved.RECORDS)


class Groups:
    """All groups and committed offsets. A new object is empty and serves no partition.

    Deciders read it. `serve`, `replay` and `loaded` change it.

    groups     every group by its id, also simple ones. An unknown group has no entry: only replay adds one
    by_key     the same
    share_groups  the ids of share groups
    offsets    committed offsets, beside the groups
    task_offsets_bytes  memory of the task offsets of all members of streams groups
    status     of each partition of `__consumer_offsets`
    deadlines  when a group must be settled again: never too late, sometimes too early
    marked     groups that have changed since they were last settled
    cluster    the Cluster state, read-only; None: none is attached
    is_spread  there are several brokers
    logger     logs joins, rebalances and other changes of groups; None: they are not logged
    """

    def __init__(self, settings: BrokerSettings | None = None) -> None:
        self.settings = settings or BrokerSettings()
        self.groups: dict[str, Group] = {}
        self.by_key = self.groups
        self.share_groups: set[str] = set()
        self.offsets = Offsets()
        self.task_offsets_bytes = 0
        self.status: list[PartitionStatus] = []
        self.deadlines = Deadlines()
        self.marked: set[str] = set()
        self.cluster: Any = None
        self.is_spread = self.settings.tidemark_brokers > 1
        self.logger: Any = None

    # Partitions.

    def serve(self, partitions: int) -> None:
        """Start with this many partitions of `__consumer_offsets`. Each must be loaded first."""
        assert not self.groups, "the number of partitions never changes"
        self.status = [PartitionStatus.LOADING] * partitions

    def failed(self, partition: int) -> None:
        """Stop serving the groups of a partition: one of its records cannot be read."""
        self.status[partition] = PartitionStatus.FAILED

    def is_active(self, partition: int) -> bool:
        return self.status[partition] is _ACTIVE

    def is_loading(self, partition: int) -> bool:
        return self.status[partition] is PartitionStatus.LOADING

    def partition_for(self, group_id: str) -> int:
        group = self.groups.get(group_id)
        if group is not None:
            return group.partition
        return 0 if len(self.status) == 1 else partition_of_group(group_id, len(self.status))

    def by_partition(self, group_ids: Iterable[str]) -> Steps[list[list[str]]]:
        """Return the groups partition by partition, in the order of Kafka's responses.

        A generator: it yields after each group, because the hash of a long name takes some time.
        """
        if not self.status:
            return [[*group_ids]]
        together: dict[int, list[str]] = {}
        for group_id in group_ids:
            together.setdefault(self.partition_for(group_id), []).append(group_id)
            yield 0
        return [together[partition] for partition in map_order(together, partition_hash)]

    # Log lines.

    def log_removal(self, group_id: str, member_ids: Collection[str], reason: str) -> None:
        """Log that members left, or were removed."""
        if self.logger is not None:
            self.logger.info(
                "members removed", group=short(group_id), count=len(member_ids), members=listed(member_ids),
                reason=reason,
            )  # fmt: skip

    def log_migration(self, group_id: str, protocol: str) -> None:
        """Log that a group has changed to this protocol."""
        if self.logger is not None:
            group = self.groups[group_id]
            self.logger.info(
                "group migrated", group=short(group_id), protocol=protocol, epoch=group.epoch,
                members=len(group.member_ids),
            )  # fmt: skip

    # Groups.

    def change(self, group_id: str, change: Callable[..., None], *arguments: Any) -> None:
        """Call a method of a group. The records of the same decision may have created the group.

        Its object is not the one that decided then: replay makes an object of its own.
        """
        change(self.groups[group_id], *arguments)

    def get(self, group_id: str) -> Group | None:
        return self.groups.get(group_id)

    def of_type(self, group_type: type[G], group_id: str) -> G | None:
        """Return the group if it is of this class."""
        group = self.groups.get(group_id)
        return group if isinstance(group, group_type) else None

    def create_by_join(
        self, ctx: Context, request: JoinGroupRequest, before: tuple[Record, ...] = ()
    ) -> Decision[Any]:
        """Create a classic group for a member without an id. Kafka creates it even if it refuses the join.

        before: records that must precede those of the group
        """
        group_id = request.group_id
        group = ClassicGroup(group_id, self.partition_for(group_id), ctx.wall_ms, store=self)
        joined = join(group, ctx, request)
        joined.records = (*before, empty_record(group_id, None, 0, ctx.wall_ms))
        return joined

    def share_settings_of(self, group_id: str) -> ShareGroupSettings:
        configs: Configs = Configs(0, self.settings, {}) if self.cluster is None else self.cluster.configs
        return configs.share_group_settings(group_id)

    def streams_settings_of(self, group_id: str) -> StreamsGroupSettings:
        configs: Configs = Configs(0, self.settings, {}) if self.cluster is None else self.cluster.configs
        return configs.streams_group_settings(group_id)

    def settings_of(self, group_id: str) -> GroupSettings:
        """Return the settings of a KIP-848 group: its own, or else the broker's."""
        configs: Configs = Configs(0, self.settings, {}) if self.cluster is None else self.cluster.configs
        return configs.group_settings(group_id)

    def check_transactional_commit(
        self, ctx: Context, request: TxnOffsetCommitRequest, commits: TransactionalCommits
    ) -> None:
        """Check the group of a TxnOffsetCommit and the member that it may name. Raises KafkaError."""
        group = self.serving(request.group_id, ctx.caller.node_id)
        if group is not None:
            group.check_transactional_commit(ctx.version, request, commits)
        elif request.generation_id >= 0:  # else the record makes a simple group
            is_new = ctx.version >= TXN_GROUP_ERRORS_FROM
            raise KafkaError(ErrorCode.GROUP_ID_NOT_FOUND if is_new else ErrorCode.ILLEGAL_GENERATION)

    def end_transaction(self, marker: Marker) -> Decision[None]:
        """Decide the end of a transaction in one partition of `__consumer_offsets`."""
        transaction = self.offsets.open_transaction(marker.partition, marker.producer_id)
        is_large = transaction is not None and sum(map(len, transaction.keys.values())) >= STEP_OFFSETS
        return Decision(markers=(marker,), effects=(DecidePendingOffsets(),) if is_large else ())

    def service_error(self, group_id: str, node_id: int = EVERY_NODE) -> ErrorCode:
        """Return NONE if this node serves the group's partition, or else the error."""
        if not self.status:
            return ErrorCode.NOT_COORDINATOR
        partition = self.partition_for(group_id)
        if self.is_spread and not self.coordinates(partition, node_id):
            return ErrorCode.NOT_COORDINATOR
        return SERVICE_ERRORS[self.status[partition]]

    def coordinates(self, partition: int, node_id: int) -> bool:
        """Return whether this node coordinates the groups of a partition: it leads the partition."""
        if not self.is_spread or node_id == EVERY_NODE:
            return True
        leader: int = self.cluster.topics[OFFSETS_TOPIC].partitions[partition].leader
        return leader == node_id

    def serving(self, group_id: str, node_id: int) -> Group | None:
        """Return the group, or None if it is unknown.

        Raises NOT_COORDINATOR or COORDINATOR_LOAD_IN_PROGRESS unless this node serves its partition.
        """
        group = self.groups.get(group_id)
        if (
            group is None
            or self.status[group.partition] is not _ACTIVE
            # Not by `coordinates`: each commit and heartbeat would pay for the call.
            or (
                self.is_spread
                and self.cluster.topics[OFFSETS_TOPIC].partitions[group.partition].leader != node_id
            )
        ):
            error = self.service_error(group_id, node_id)
            if error is not ErrorCode.NONE:
                raise KafkaError(error)
        return group

    # Replay, and starts.

    def replay(self, change: Record | Marker) -> None:
        """Apply a change. Accepts every change of deciders and settle, and every record that Kafka writes."""
        if isinstance(change, Record):
            key = change.key
            if change.producer is None:
                replay = RECORDS.get(type(key))
                if replay is None:
                    self.replay_record(key, change.value)
                else:
                    replay(self, key, change.value)
            else:
                self.replay_pending(key, change.value, change.producer)
        else:
            assert isinstance(change, Marker), change
            self.offsets.end_transaction(change.partition, change.producer_id, committed=change.committed)

    def replay_record(self, key: Any, value: Any) -> None:
        """Replay a record outside of a transaction. A load has a million, and builds no Record for each."""
        replay = RECORDS.get(type(key))
        if replay is None:
            if not RARE_RECORDS:
                _import_rare()
            replay = RARE_RECORDS[type(key).__name__]
        replay(self, key, value)

    def replay_pending(self, key: Any, value: Any, producer: tuple[int, int]) -> None:
        """Replay a record of a transaction that is still open: an offset that a marker decides about.

        Kafka's transactions write nothing else; any other record counts at once.
        """
        if isinstance(key, OffsetCommitKey) and value is not None:
            replay_pending_offset(self, key, value, producer)
        else:
            self.replay_record(key, value)

    def partition_of(self, record: Record) -> int:
        key = record.key
        group = self.groups.get(key.group) if type(key) is OffsetCommitKey else None
        return self.partition_for(group_of(key)) if group is None else group.partition

    def refused(self, key: str, code: ErrorCode, now: Now) -> Decision[Any]:
        """Respond to parked requests that wait for a decision about this group that cannot be written."""
        group = self.groups.get(key)
        return NOTHING if group is None else group.unwritten(code, now)

    def coordinators_moved(self, partitions: Collection[int], now: Now) -> Iterator[Decision[None]]:
        """Return what follows when other nodes coordinate the groups of these partitions."""
        for group in [*self.groups.values()]:
            if group.partition in partitions and (group.member_ids or not group.is_empty):
                yield group.coordinator_moved(now)

    def loaded(self, partition: int, now: Now) -> None:
        """Serve a partition that was read to its end. Its members get a full session.

        The caller must settle the groups that this marks.
        """
        self.status[partition] = PartitionStatus.ACTIVE
        while self.offsets.is_ending():
            self.offsets.end_some()
        for group in self.groups.values():
            if group.partition == partition:
                group.complete()
                group.start_sessions(now)

    def start_sessions(self, now: Now) -> None:
        """Give all members a full session from now on."""
        for group in self.groups.values():
            group.start_sessions(now)
