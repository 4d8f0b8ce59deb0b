"""The decision about a JoinGroup of a classic member, in a group that was upgraded.

The response comes at once, because the coordinator assigns. Kafka: classicGroupJoinToConsumerGroup of
GroupMetadataManager. The checks are in its order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from tidemark.core.decision import Decision, Steps
from tidemark.groups.classic.member import (
    NO_MEMBER_ID,
    all_fit,
    join_error,
    join_response,
    rebalance_timeout_ms,
)
from tidemark.groups.consumer.member import NEVER, ConsumerMember, MemberTimer, classic_metadata_of
from tidemark.groups.consumer.member_change import MemberChange, OwnedPartitions
from tidemark.groups.consumer.subscriptions import GroupTopics, RegexChange
from tidemark.settings.release import Change
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequestTopicPartitions as ReportedPartitions,
)
from tidemark_protocol.messages.join_group import JoinGroupRequest, JoinGroupResponse
from tidemark_protocol.records.consumer_protocol_subscription import ConsumerProtocolSubscription
from tidemark_protocol.subscriptions import CONSUMER, read_subscription
from tidemark_protocol.wire import WireError

if TYPE_CHECKING:
    from tidemark.groups.consumer.group import ConsumerGroup

DISABLED: Final = "disabled"  # a value of group.consumer.migration.policy
FIRST_VERSION_WITH_KNOWN_IDS: Final = 4  # KIP-394
NOT_GIVEN: Final = -1
STALE: Final = "group became classic with a stale assignment"

Decided = Decision[JoinGroupResponse] | Steps[Decision[JoinGroupResponse]]


class ClassicJoin(MemberChange[JoinGroupRequest, JoinGroupResponse]):
    """One JoinGroup while it is decided."""

    subscription: ConsumerProtocolSubscription

    def decide(self) -> Decided:
        request, ctx = self.request, self.ctx
        self.subscription = ConsumerProtocolSubscription()
        if self.group.store.settings.group_consumer_migration_policy == DISABLED:
            raise KafkaError(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)
        is_new = request.member_id == NO_MEMBER_ID
        if is_new:
            self.member_id = ctx.new_uuid()
        self.check_room(request.group_instance_id)
        self._check_protocols()
        instance_id = request.group_instance_id
        if is_new and instance_id is None and ctx.version >= FIRST_VERSION_WITH_KNOWN_IDS:
            # The id is not remembered. Any id that a client sends joins.
            return Decision(join_error(ctx.version, ErrorCode.MEMBER_ID_REQUIRED, self.member_id))
        before = self._member(instance_id, is_new=is_new)
        try:
            self.subscription = read_subscription(request.protocols[0].metadata)
        except WireError:
            release = self.group.store.settings.release
            is_inconsistent = release.has(Change.UNREADABLE_BYTES_ARE_INCONSISTENT)
            code = (
                ErrorCode.INCONSISTENT_GROUP_PROTOCOL if is_inconsistent else ErrorCode.UNKNOWN_SERVER_ERROR
            )
            raise KafkaError(code) from None
        return self.changed(before, self._updated(before))

    def _check_protocols(self) -> None:
        """Raise INCONSISTENT_GROUP_PROTOCOL unless all classic members support one of the protocols."""
        group, request = self.group, self.request
        supported, count = group.classic_protocols, group.classic_members
        if request.protocol_type != CONSUMER or not any(
            supported.get(protocol.name, 0) == count for protocol in request.protocols
        ):
            raise KafkaError(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)
        names = [protocol.name for protocol in request.protocols]
        if not all_fit(self.ctx.client_id, request.group_instance_id, self.member_id, *names):
            raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)

    def _member(self, instance_id: str | None, *, is_new: bool) -> ConsumerMember:
        """Return the member as it was before this request. One that joins may be new.

        A static member without its id takes the place of the one that has its instance, of either protocol.
        """
        group, member_id = self.group, self.member_id
        if instance_id is not None and not is_new:
            return group.identified(member_id, instance_id)
        known = None if instance_id is None else group.static_member(instance_id)
        if known is not None:
            return self.replaced(known)
        return group.members.get(member_id) or ConsumerMember(member_id)

    def _updated(self, member: ConsumerMember) -> ConsumerMember:
        """Return the member with the fields of the request: the same object if all are equal."""
        request, ctx = self.request, self.ctx
        timeout_ms = rebalance_timeout_ms(ctx.version, request)
        updated = replace(
            member,
            instance_id=request.group_instance_id or member.instance_id,
            rack_id=self.subscription.rack_id or member.rack_id,
            rebalance_timeout_ms=member.rebalance_timeout_ms if timeout_ms == NOT_GIVEN else timeout_ms,
            topic_names=frozenset(self.subscription.topics),
            regex="",
            client_id=ctx.client_id,
            client_host=ctx.caller.client_host,
            classic=classic_metadata_of(request.session_timeout_ms, request.protocols),
        )
        return member if updated == member else updated

    # Differences from a heartbeat.

    def reported(self) -> Sequence[OwnedPartitions]:
        """Return the partitions in the subscription. Those of unknown topics do not count."""
        topics = self.ctx.cluster.topics
        return [
            ReportedPartitions(topics[part.topic].topic_id, part.partitions)
            for part in self.subscription.owned_partitions
            if part.topic in topics
        ]

    def named_topics(self) -> Sequence[str] | None:
        return self.subscription.topics

    def raises_epoch(self, regex: RegexChange, *, names_changed: bool, assignor_changed: bool) -> bool:
        return names_changed or regex is not RegexChange.NONE

    def assigned(
        self, before: ConsumerMember, member: ConsumerMember, epoch: int, topics: GroupTopics | None
    ) -> Any:
        instance_id = self.request.group_instance_id
        replaced = None if instance_id is None else self.group.static_member(instance_id)
        if replaced is None or not self.group.may_downgrade_by(replaced):
            return super().assigned(before, member, epoch, topics)
        return self._downgraded(member, is_stale=self.group.assignment_epoch < epoch)

    def _downgraded(self, member: ConsumerMember, *, is_stale: bool) -> Decision[JoinGroupResponse]:
        """Make the group classic, because its last consumer was replaced. It is Stable if nothing changed."""
        group = self.group
        if not is_stale:
            member = self.moved(member, group.assignment_epoch, group.target_of(member))
        records, completed = group.downgrade(self.ctx.now, STALE if is_stale else "", joining=member)
        return Decision(self._response(member), (*self.records, *records), after=(completed,))

    def heard(self, group: ConsumerGroup, member: ConsumerMember) -> None:
        assert member.classic is not None
        group.heard(member, self.ctx.steady_ms + member.classic.session_timeout_ms)

    def decided(self) -> None:
        super().decided()
        group = self.group.current()
        member = group.members[self.member_id]
        group.set_timer(member, MemberTimer.JOIN, NEVER)
        timeout_ms = rebalance_timeout_ms(self.ctx.version, self.request)
        group.set_timer(member, MemberTimer.SYNC, self.ctx.steady_ms + timeout_ms)

    def result(self, before: ConsumerMember, member: ConsumerMember) -> Decision[JoinGroupResponse]:
        return self.whole(self._response(member))

    def _response(self, member: ConsumerMember) -> JoinGroupResponse:
        protocol = self.request.protocols[0].name
        return join_response(self.ctx.version, member.member_id, member.epoch, CONSUMER, protocol, leader="")
