"""Groups of protocols that this broker does not serve, as a log of Kafka's tells of them. They are read-only.

KIP-848 groups (record types 3 to 8 and 16) are known in full: listed, described, explained. Of share and
streams groups (9 to 15, and from 17 on) it is known that they are there, and nothing of theirs ever expires.
Kafka's compaction leaves the records of a group in any order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from tidemark.core.result import Record
from tidemark.groups.classic.model import LOOK, Group, GroupKind, GroupState
from tidemark.groups.classic.projection import group_record
from tidemark.groups.classic.protocols import Protocols
from tidemark_protocol.loading import OtherRecordKey
from tidemark_protocol.subscriptions import CONSUMER

if TYPE_CHECKING:
    from tidemark.groups.state import Groups
    from tidemark_protocol.records.consumer_group_current_member_assignment import (
        ConsumerGroupCurrentMemberAssignmentValue,
    )
    from tidemark_protocol.records.consumer_group_member_metadata import ConsumerGroupMemberMetadataValue
    from tidemark_protocol.records.consumer_group_regular_expression import (
        ConsumerGroupRegularExpressionValue,
    )
    from tidemark_protocol.records.consumer_group_target_assignment_member import TopicPartition

DEFAULT_ASSIGNOR: Final = "uniform"  # the first of Kafka's group.consumer.assignors
MEMBER_STABLE: Final = 0  # of a member's stored state; others wait for partitions that they own or are to own
SHARE: Final = range(9, 16)  # record types
STREAMS: Final = range(17, 24)


@dataclass(slots=True, eq=False)
class Consumer:
    """A member of a KIP-848 group. subscription or current is None where its record has not come (yet)."""

    member_id: str
    subscription: ConsumerGroupMemberMetadataValue | None = None
    current: ConsumerGroupCurrentMemberAssignmentValue | None = None

    @property
    def epoch(self) -> int:
        return 0 if self.current is None else self.current.member_epoch

    @property
    def is_classic(self) -> bool:
        """It speaks the classic protocol in a group that was upgraded."""
        return self.subscription is not None and self.subscription.classic_member_metadata is not None

    def subscribed_topics(self, regexes: dict[str, ConsumerGroupRegularExpressionValue]) -> set[str]:
        """By name, and those that its regular expression stood for when the broker last resolved it."""
        if self.subscription is None:
            return set()
        resolved = regexes.get(self.subscription.subscribed_topic_regex or "")
        return {*self.subscription.subscribed_topic_names, *(resolved.topics if resolved is not None else ())}

    def is_reconciled(self, assignment_epoch: int) -> bool:
        return (
            self.current is not None
            and self.current.state == MEMBER_STABLE
            and self.current.member_epoch == assignment_epoch
        )


@dataclass(slots=True, eq=False)
class ForeignGroup(Group):
    """It has no members of the classic protocol and takes none: their requests are refused as unknown."""

    def supports(self, protocol_type: str, protocols: Protocols) -> bool:
        return False


@dataclass(slots=True, eq=False)
class ConsumerGroup(ForeignGroup):
    """A KIP-848 group. state and subscribed_topics hold once its partition is loaded (`complete`).

    epoch, assignment_epoch   of the group and of its target assignment
    targets                   member id -> what it is to own; a member that left for a while keeps it
    """

    epoch: int = 0
    assignment_epoch: int = 0
    consumers: dict[str, Consumer] = field(default_factory=dict)
    targets: dict[str, list[TopicPartition]] = field(default_factory=dict)
    regexes: dict[str, ConsumerGroupRegularExpressionValue] = field(default_factory=dict)

    @property
    def kind(self) -> GroupKind:
        return "consumer"

    @property
    def type_name(self) -> str:
        return CONSUMER

    @property
    def assignor(self) -> str:
        """The one that most members ask for, else Kafka's default."""
        said = (each.subscription.server_assignor for each in self.consumers.values() if each.subscription)
        votes: dict[str, int] = {}
        for name in filter(None, said):
            votes[name] = votes.get(name, 0) + 1
        return max(votes, key=votes.__getitem__, default=DEFAULT_ASSIGNOR)

    def is_subscribed(self, topic: str) -> bool:
        return self.subscribed_topics is not None and topic in self.subscribed_topics

    def complete(self) -> None:
        self.subscribed_topics = frozenset(
            topic for each in self.consumers.values() for topic in each.subscribed_topics(self.regexes)
        )
        self.state = self._state()

    def _state(self) -> GroupState:
        if not self.consumers:
            return GroupState.EMPTY
        if self.epoch > self.assignment_epoch:
            return GroupState.ASSIGNING
        if all(each.is_reconciled(self.assignment_epoch) for each in self.consumers.values()):
            return GroupState.STABLE
        return GroupState.RECONCILING


@dataclass(slots=True, eq=False)
class OtherGroup(ForeignGroup):
    """A share or streams group, or one of a kind that is still to come: known by the keys of its records."""

    name_of_type: str = ""
    keys: set[bytes] = field(default_factory=set)

    @property
    def kind(self) -> GroupKind:
        return "other"

    @property
    def type_name(self) -> str:
        return self.name_of_type

    def is_subscribed(self, topic: str) -> bool:
        """Nobody knows: nothing of it may go."""
        return True


def group_tombstones(group: Group) -> tuple[Record, ...]:
    """What is written when a group without members goes, behind the tombstones of its offsets."""
    if group.kind == "consumer":
        return _consumer_group_tombstones(group.group_id)
    return (group_record(group.group_id, None),)


def deleted_group(record: Record) -> str | None:
    """The group that this tombstone ends; None: it is another record."""
    key: Any = record.key
    match type(key).__name__:
        case "GroupMetadataKey":
            name: str = key.group
        case "ConsumerGroupMetadataKey":
            name = key.group_id
        case _:
            return None
    return None if record.value is not None else name


def _consumer_group_tombstones(group_id: str) -> tuple[Record, ...]:
    from tidemark_protocol.records.consumer_group_metadata import ConsumerGroupMetadataKey
    from tidemark_protocol.records.consumer_group_partition_metadata import ConsumerGroupPartitionMetadataKey
    from tidemark_protocol.records.consumer_group_target_assignment_metadata import (
        ConsumerGroupTargetAssignmentMetadataKey,
    )

    return (
        Record(ConsumerGroupTargetAssignmentMetadataKey(group_id), None),
        Record(ConsumerGroupPartitionMetadataKey(group_id), None),
        Record(ConsumerGroupMetadataKey(group_id), None),
    )


# Replay, one function per record type.


def replay_foreign(groups: Groups, key: Any, value: Any) -> None:
    _REPLAY[type(key).__name__](groups, key, value)


def _replay_group(groups: Groups, key: Any, value: Any) -> None:
    if value is not None:
        _made(groups, key.group_id).epoch = value.epoch
    elif isinstance(groups.groups.get(key.group_id), ConsumerGroup):
        del groups.groups[key.group_id]


def _replay_nothing(groups: Groups, key: Any, value: Any) -> None:
    """What Kafka once kept of the topics that a group reads."""


def _replay_member(groups: Groups, key: Any, value: Any) -> None:
    if value is not None:
        _made_member(groups, key).subscription = value
    elif (group := _known(groups, key.group_id)) is not None:
        group.consumers.pop(key.member_id, None)


def _replay_current_assignment(groups: Groups, key: Any, value: Any) -> None:
    if value is not None:
        _made_member(groups, key).current = value
    elif (group := _known(groups, key.group_id)) is not None and key.member_id in group.consumers:
        group.consumers[key.member_id].current = None


def _replay_target_epoch(groups: Groups, key: Any, value: Any) -> None:
    if value is not None:
        _made(groups, key.group_id).assignment_epoch = value.assignment_epoch
    elif (group := _known(groups, key.group_id)) is not None:
        group.assignment_epoch = 0


def _replay_target_assignment(groups: Groups, key: Any, value: Any) -> None:
    if value is not None:
        _made(groups, key.group_id).targets[key.member_id] = value.topic_partitions
    elif (group := _known(groups, key.group_id)) is not None:
        group.targets.pop(key.member_id, None)


def _replay_regex(groups: Groups, key: Any, value: Any) -> None:
    if value is not None:
        _made(groups, key.group_id).regexes[key.regular_expression] = value
    elif (group := _known(groups, key.group_id)) is not None:
        group.regexes.pop(key.regular_expression, None)


def _replay_other(groups: Groups, key: OtherRecordKey, value: bytes | None) -> None:
    """A group that is known in another way stays what it is; the last tombstone ends one that is not."""
    group = groups.groups.get(key.group_id)
    if isinstance(group, OtherGroup):
        (group.keys.discard if value is None else group.keys.add)(key.data)
        if not group.keys:
            del groups.groups[key.group_id]
    elif value is not None and _gives_way(group):
        other = OtherGroup(key.group_id, groups.partition_for(key.group_id), None)
        other.name_of_type = other.protocol_type = _type_name(key.record_type)
        other.state = GroupState.UNKNOWN
        other.keys.add(key.data)
        groups.groups[key.group_id] = other


def _type_name(record_type: int) -> str:
    return "share" if record_type in SHARE else "streams" if record_type in STREAMS else "unknown"


def _gives_way(group: Group | None) -> bool:
    """An offset that came first has made a simple group, for a moment."""
    return group is None or (group.kind == "classic" and group.stored is None)


def _known(groups: Groups, group_id: str) -> ConsumerGroup | None:
    group = groups.groups.get(group_id)
    return group if isinstance(group, ConsumerGroup) else None


def _made(groups: Groups, group_id: str) -> ConsumerGroup:
    """A group that was something else is not any more: Kafka writes that down before."""
    group = groups.groups.get(group_id)
    if isinstance(group, ConsumerGroup):
        return group
    made = ConsumerGroup(group_id, groups.partition_for(group_id), None)
    made.protocol_type = CONSUMER
    made.due_bound_ms = LOOK
    groups.groups[group_id] = made
    return made


def _made_member(groups: Groups, key: Any) -> Consumer:
    return _made(groups, key.group_id).consumers.setdefault(key.member_id, Consumer(key.member_id))


_REPLAY: Final[dict[str, Callable[[Groups, Any, Any], None]]] = {
    "ConsumerGroupMetadataKey": _replay_group,
    "ConsumerGroupPartitionMetadataKey": _replay_nothing,
    "ConsumerGroupMemberMetadataKey": _replay_member,
    "ConsumerGroupTargetAssignmentMetadataKey": _replay_target_epoch,
    "ConsumerGroupTargetAssignmentMemberKey": _replay_target_assignment,
    "ConsumerGroupCurrentMemberAssignmentKey": _replay_current_assignment,
    "ConsumerGroupRegularExpressionKey": _replay_regex,
    "OtherRecordKey": _replay_other,
}
