"""A consumer group becomes a classic group, because only classic members stay in it.

This is one decision: its records delete the consumer group and create the classic group. The generation goes
on from the epoch. Kafka: GroupMetadataManager.convertToClassicGroup.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from tidemark.core.context import Now
from tidemark.core.result import Record
from tidemark.groups.classic.joining import vote
from tidemark.groups.classic.model import ClassicModel, Protocols, metadata_of
from tidemark.groups.classic.record import group_record
from tidemark.groups.consumer.classic_members import assignment_bytes
from tidemark.groups.consumer.migration import (
    DOWNGRADES,
    in_kafkas_order,
)
from tidemark.groups.consumer.model import ConsumerGroupModel, ConsumerMember
from tidemark.groups.consumer.records import (
    group_tombstones,
)
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.join_group import JoinGroupRequestProtocol
from tidemark_protocol.records.group_metadata import GroupMetadataValue, MemberMetadata
from tidemark_protocol.subscriptions import CONSUMER, version_of
from tidemark_protocol.wire import WireError


def may_downgrade(group: ConsumerGroupModel, leaving: Collection[ConsumerMember]) -> bool:
    """Return whether the group becomes classic once these members have left."""
    staying = len(group.members) - len(leaving)
    classic = group.classic_members - sum(each.is_classic for each in leaving)
    return staying > 0 and classic == staying and _is_downgradable(group, staying)


def may_downgrade_by(group: ConsumerGroupModel, replaced: ConsumerMember) -> bool:
    """Return whether the group becomes classic once a classic member takes the place of this static one."""
    if replaced.is_classic or group.classic_members != len(group.members) - 1:
        return False
    return _is_downgradable(group, len(group.members))


def _is_downgradable(group: ConsumerGroupModel, size: int) -> bool:
    assert group.store is not None
    policy = group.store.limits_of(group.group_id).migration_policy
    return policy in DOWNGRADES and size <= group.store.limits.max_size


@dataclass(slots=True)
class Downgrade:
    """A consumer group as a classic group.

    now, reason  reason: why the classic group rebalances at once; "": it does not
    leaving      members that do not stay
    joining      a classic member that takes the place of a static one
    """

    group: ConsumerGroupModel
    now: Now
    reason: str
    leaving: Collection[ConsumerMember] = ()
    joining: ConsumerMember | None = None

    def changes(self) -> tuple[tuple[Record, ...], Callable[[], None]]:
        """Return the records of the conversion, and the change after them. Raises GROUP_ID_NOT_FOUND."""
        group_id, members = self.group.group_id, self._members()
        protocols = {each.member_id: _protocols_of(each) for each in members}
        protocol = vote([*protocols.values()])
        value = GroupMetadataValue(
            CONSUMER,
            self.group.group_epoch,
            protocol,
            members[0].member_id,
            self.now.wall_ms,
            [self._member_value(each, metadata_of(protocols[each.member_id], protocol)) for each in members],
        )
        records = (*group_tombstones(self.group, self._renamed()), group_record(group_id, value))
        return records, partial(self._complete, protocols)

    def _complete(self, protocols: Mapping[str, Protocols]) -> None:
        """Give the members of the classic group what its record does not hold."""
        store = self.group.store
        assert store is not None
        group = store.groups[self.group.group_id]
        assert isinstance(group, ClassicModel), group
        group.downgraded(protocols, self.now, self.reason)
        store.log_migration(group.group_id, "classic")

    def _members(self) -> list[ConsumerMember]:
        """Return the members of the classic group. The first one leads."""
        known = self.group.members
        gone = {each.member_id for each in self.leaving} | {*self._renamed()}
        order = in_kafkas_order(known, self.group.peak)
        staying = [known[member_id] for member_id in order if member_id not in gone]
        return staying if self.joining is None else [*staying, self.joining]

    def _renamed(self) -> Mapping[str, str]:
        """Return the new id of the static member that is replaced, by its old one."""
        if self.joining is None or self.joining.instance_id is None:
            return {}
        return {self.group.static_members[self.joining.instance_id]: self.joining.member_id}

    def _member_value(self, member: ConsumerMember, metadata: bytes) -> MemberMetadata:
        assert member.classic is not None
        target = self.group.target_of(member)
        try:
            assignment = assignment_bytes(self._cluster, target, version_of(metadata))
        except WireError:
            why = "Buffer underflow while parsing consumer protocol's header"
            message = f"Cannot downgrade the classic group {self.group.group_id}: {why}."
            raise KafkaError(ErrorCode.GROUP_ID_NOT_FOUND, message) from None
        return MemberMetadata(
            member.member_id,
            member.instance_id,
            member.client_id,
            member.client_host,
            member.rebalance_timeout_ms,
            member.classic.session_timeout_ms,
            metadata,
            assignment,
        )

    @property
    def _cluster(self) -> Any:
        assert self.group.store is not None
        return self.group.store.cluster


def _protocols_of(member: ConsumerMember) -> Protocols:
    assert member.classic is not None, member
    return [JoinGroupRequestProtocol(each.name, each.metadata) for each in member.classic.supported_protocols]
