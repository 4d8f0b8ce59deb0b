"""The data of all groups, by group id, for deciders and replay functions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING, Any, Final, TypeVar

from tidemark.core.apply import SERVICE_ERRORS, PartitionStatus
from tidemark.core.deadlines import Deadlines
from tidemark.core.decision import DecidePendingOffsets, Decision, Marker, Steps
from tidemark.core.java import map_order, partition_hash
from tidemark.core.log_text import listed, short
from tidemark.groups.group import Group
from tidemark.groups.offsets import STEP_OFFSETS, Offsets
from tidemark.metadata.group_settings import GroupSettings, settings_of_broker
from tidemark.settings.broker import BrokerSettings
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.java import partition_of_group

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


class GroupStore:
    """All groups and committed offsets. A new store is empty and serves no partition.

    groups     every group by its id, also simple ones. An unknown group has no entry: only replay adds one
    by_key     the same
    offsets    committed offsets, beside the groups
    status     of each partition of `__consumer_offsets`
    deadlines  when a group must be settled again: never too late, sometimes too early
    marked     groups that have changed since they were last settled
    cluster    the Cluster state, read-only; None: none is attached
    logger     logs joins, rebalances and other changes of groups; None: they are not logged
    """

    def __init__(self, settings: BrokerSettings | None = None) -> None:
        self.settings = settings or BrokerSettings()
        self.groups: dict[str, Group] = {}
        self.by_key = self.groups
        self.offsets = Offsets()
        self.status: list[PartitionStatus] = []
        self.deadlines = Deadlines()
        self.marked: set[str] = set()
        self.cluster: Any = None
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

    def settings_of(self, group_id: str) -> GroupSettings:
        """Return the settings of a KIP-848 group: its own, or else the broker's."""
        if self.cluster is None:
            return settings_of_broker(self.settings)
        settings: GroupSettings = self.cluster.group_settings(group_id)
        return settings

    def check_transactional_commit(
        self, request: TxnOffsetCommitRequest, commits: TransactionalCommits
    ) -> None:
        """Check the group of a TxnOffsetCommit and the member that it may name. Raises KafkaError."""
        group = self.serving(request.group_id)
        if group is not None:
            group.check_transactional_commit(request, commits)
        elif request.generation_id >= 0:  # else the record makes a simple group
            raise KafkaError(ErrorCode.ILLEGAL_GENERATION)

    def end_transaction(self, marker: Marker) -> Decision[None]:
        """Decide the end of a transaction in one partition of `__consumer_offsets`."""
        transaction = self.offsets.open_transaction(marker.partition, marker.producer_id)
        is_large = transaction is not None and sum(map(len, transaction.keys.values())) >= STEP_OFFSETS
        return Decision(markers=(marker,), effects=(DecidePendingOffsets(),) if is_large else ())

    def service_error(self, group_id: str) -> ErrorCode:
        """Return NONE if the group's partition is served, or else the error."""
        if not self.status:
            return ErrorCode.NOT_COORDINATOR
        return SERVICE_ERRORS[self.status[self.partition_for(group_id)]]

    def serving(self, group_id: str) -> Group | None:
        """Return the group, or None if it is unknown.

        Raises NOT_COORDINATOR or COORDINATOR_LOAD_IN_PROGRESS unless its partition is served.
        """
        group = self.groups.get(group_id)
        if group is None or self.status[group.partition] is not _ACTIVE:
            error = self.service_error(group_id)
            if error is not ErrorCode.NONE:
                raise KafkaError(error)
        return group
