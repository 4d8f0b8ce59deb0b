"""Groups of the consumer protocol (KIP-848), read from a log of Kafka. They are not served: read-only."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from tidemark.core.result import Record
from tidemark.groups.group import Group, MemberFacts
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.subscriptions import CONSUMER

if TYPE_CHECKING:
    from tidemark_protocol.records.consumer_group_current_member_assignment import (
        ConsumerGroupCurrentMemberAssignmentValue,
    )
    from tidemark_protocol.records.consumer_group_member_metadata import ConsumerGroupMemberMetadataValue
    from tidemark_protocol.records.consumer_group_regular_expression import (
        ConsumerGroupRegularExpressionValue,
    )
    from tidemark_protocol.records.consumer_group_target_assignment_member import TopicPartition

DEFAULT_ASSIGNOR: Final = "uniform"  # the first of Kafka's group.consumer.assignors
MEMBER_STABLE: Final = 0  # state of a stored member that waits for no partition to be revoked or assigned


class ConsumerGroupState(StrEnum):
    """The states of a KIP-848 group. The value is the name on the wire."""

    EMPTY = "Empty"
    ASSIGNING = "Assigning"
    RECONCILING = "Reconciling"
    STABLE = "Stable"


@dataclass(slots=True, eq=False)
class Consumer:
    """A member of a KIP-848 group. subscription, current: None unless their records were read."""

    member_id: str
    subscription: ConsumerGroupMemberMetadataValue | None = None
    current: ConsumerGroupCurrentMemberAssignmentValue | None = None

    @property
    def epoch(self) -> int:
        return 0 if self.current is None else self.current.member_epoch

    @property
    def is_classic(self) -> bool:
        """True if the member speaks the classic protocol, in a group that was upgraded."""
        return self.subscription is not None and self.subscription.classic_member_metadata is not None

    def subscribed_topics(self, regexes: dict[str, ConsumerGroupRegularExpressionValue]) -> set[str]:
        """Return the topics by name, and those that the regular expression last matched."""
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
class ConsumerGroup(Group):
    """A group of the consumer protocol (KIP-848).

    state and subscribed_topics are valid once the group's partition is loaded (`complete`).

    group_epoch, assignment_epoch   epochs of the group and of its target assignment
    targets                         target assignments by member id; static members keep theirs while away
    """

    state: ConsumerGroupState = ConsumerGroupState.EMPTY
    group_epoch: int = 0
    assignment_epoch: int = 0
    consumers: dict[str, Consumer] = field(default_factory=dict)
    targets: dict[str, list[TopicPartition]] = field(default_factory=dict)
    regexes: dict[str, ConsumerGroupRegularExpressionValue] = field(default_factory=dict)

    @property
    def type_name(self) -> str:
        return CONSUMER

    @property
    def state_name(self) -> str:
        return self.state.value

    @property
    def is_empty(self) -> bool:
        return self.state is ConsumerGroupState.EMPTY

    @property
    def epoch(self) -> int:
        return self.group_epoch

    @property
    def assignor(self) -> str:
        """The assignor that most members request, or else Kafka's default."""
        requested = (
            each.subscription.server_assignor for each in self.consumers.values() if each.subscription
        )
        votes: dict[str, int] = {}
        for name in filter(None, requested):
            votes[name] = votes.get(name, 0) + 1
        return max(votes, key=votes.__getitem__, default=DEFAULT_ASSIGNOR)

    @property
    def member_ids(self) -> Collection[str]:
        return self.consumers

    def member_facts(self) -> list[MemberFacts]:
        return [self._facts(member) for member in self.consumers.values()]

    def _facts(self, member: Consumer) -> MemberFacts:
        known, topics = member.subscription, member.subscribed_topics(self.regexes)
        if known is None:
            return MemberFacts(member.member_id, None, None, None, topics)
        return MemberFacts(member.member_id, known.client_id, known.client_host, known.instance_id, topics)

    @property
    def topics_are_known(self) -> bool:
        return bool(self.consumers)

    def is_subscribed(self, topic: str) -> bool:
        return self.subscribed_topics is not None and topic in self.subscribed_topics

    def check_fetch(self, member_id: str | None, epoch: int) -> ErrorCode:
        """Check the member. A client that names no member may fetch."""
        if member_id is None:
            return ErrorCode.NONE if epoch < 0 else ErrorCode.UNKNOWN_SERVER_ERROR
        member = self.consumers.get(member_id)
        if member is None:
            return ErrorCode.UNKNOWN_MEMBER_ID
        if member.epoch == epoch:
            return ErrorCode.NONE
        return ErrorCode.ILLEGAL_GENERATION if member.is_classic else ErrorCode.STALE_MEMBER_EPOCH

    def check_offset_delete(self) -> ErrorCode:
        return ErrorCode.NONE

    def tombstones(self) -> tuple[Record, ...]:
        from tidemark_protocol.records.consumer_group_metadata import ConsumerGroupMetadataKey
        from tidemark_protocol.records.consumer_group_partition_metadata import (
            ConsumerGroupPartitionMetadataKey,
        )
        from tidemark_protocol.records.consumer_group_target_assignment_metadata import (
            ConsumerGroupTargetAssignmentMetadataKey,
        )

        return (
            Record(ConsumerGroupTargetAssignmentMetadataKey(self.group_id), None),
            Record(ConsumerGroupPartitionMetadataKey(self.group_id), None),
            Record(ConsumerGroupMetadataKey(self.group_id), None),
        )

    def complete(self) -> None:
        self.subscribed_topics = frozenset(
            topic for each in self.consumers.values() for topic in each.subscribed_topics(self.regexes)
        )
        self.state = self._derived_state()

    def _derived_state(self) -> ConsumerGroupState:
        if not self.consumers:
            return ConsumerGroupState.EMPTY
        if self.group_epoch > self.assignment_epoch:
            return ConsumerGroupState.ASSIGNING
        if all(each.is_reconciled(self.assignment_epoch) for each in self.consumers.values()):
            return ConsumerGroupState.STABLE
        return ConsumerGroupState.RECONCILING
