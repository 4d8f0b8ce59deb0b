"""Migration between the classic and the consumer protocol: the way back, and the parts that both ways share.

A consumer group becomes a classic group when only classic members stay in it. This is one decision: its
records delete the consumer group and create the classic group. The generation goes on from the epoch.
upgrade.py has the other way. Kafka: GroupMetadataManager.convertToClassicGroup.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from typing import Any, Final

from tidemark.core.context import Now
from tidemark.core.java import timeline_slot
from tidemark.core.result import Record
from tidemark.groups.classic.joining import vote
from tidemark.groups.classic.model import ClassicModel, Protocols, metadata_of
from tidemark.groups.classic.record import group_record
from tidemark.groups.consumer.model import ConsumerGroupModel, ConsumerMember
from tidemark.groups.consumer.records import group_tombstones
from tidemark.groups.store import GroupStore
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.java import java_hash
from tidemark_protocol.messages.join_group import JoinGroupRequestProtocol
from tidemark_protocol.records.consumer_group_member_metadata import ClassicMemberMetadata, ClassicProtocol
from tidemark_protocol.records.group_metadata import GroupMetadataValue, MemberMetadata
from tidemark_protocol.subscriptions import CONSUMER, version_of, write_assignment
from tidemark_protocol.wire import WireError

# Values of group.consumer.migration.policy.
UPGRADES: Final = ("bidirectional", "upgrade")
DOWNGRADES: Final = ("bidirectional", "downgrade")
DISABLED: Final = "disabled"


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
    policy = group.store.limits_of(group.group_id).migration_policy
    return policy in DOWNGRADES and size <= group.store.limits.max_size


def downgrade(
    group: ConsumerGroupModel,
    now: Now,
    reason: str,
    leaving: Collection[ConsumerMember] = (),
    joining: ConsumerMember | None = None,
) -> tuple[tuple[Record, ...], Callable[[], None]]:
    """Return the records that make the group classic, and the change after them. Raises GROUP_ID_NOT_FOUND.

    reason   why the classic group rebalances at once; "": it does not
    leaving  members that do not stay
    joining  a classic member that takes the place of a static one
    """
    group_id, known = group.group_id, group.members
    renamed: dict[str, str] = {}  # the new id of the static member that is replaced, by its old one
    if joining is not None and joining.instance_id is not None:
        renamed[group.static_members[joining.instance_id]] = joining.member_id
    gone = {each.member_id for each in leaving} | renamed.keys()
    members = [known[each] for each in in_kafkas_order(known, group.peak) if each not in gone]
    if joining is not None:
        members.append(joining)
    protocols = {each.member_id: _protocols_of(each) for each in members}
    protocol = vote([*protocols.values()])
    stored: list[MemberMetadata] = []
    for member in members:
        assert member.classic is not None, member
        metadata = metadata_of(protocols[member.member_id], protocol)
        try:
            target = group.target_of(member)
            assignment = assignment_bytes(group.store.cluster, target, version_of(metadata))
        except WireError:
            why = "Buffer underflow while parsing consumer protocol's header"
            message = f"Cannot downgrade the classic group {group_id}: {why}."
            raise KafkaError(ErrorCode.GROUP_ID_NOT_FOUND, message) from None
        stored.append(
            MemberMetadata(
                member.member_id,
                member.instance_id,
                member.client_id,
                member.client_host,
                member.rebalance_timeout_ms,
                member.classic.session_timeout_ms,
                metadata,
                assignment,
            )
        )
    leader = members[0].member_id
    value = GroupMetadataValue(CONSUMER, group.group_epoch, protocol, leader, now.wall_ms, stored)
    records = (*group_tombstones(group, renamed), group_record(group_id, value))
    return records, partial(_downgraded, group.store, group_id, protocols, now, reason)


def _downgraded(
    store: GroupStore, group_id: str, protocols: Mapping[str, Protocols], now: Now, reason: str
) -> None:
    """Give the members of the classic group what its record does not hold."""
    group = store.groups[group_id]
    assert isinstance(group, ClassicModel), group
    group.downgraded(protocols, now, reason)
    store.log_migration(group_id, "classic")


def _protocols_of(member: ConsumerMember) -> Protocols:
    assert member.classic is not None, member
    return [JoinGroupRequestProtocol(each.name, each.metadata) for each in member.classic.supported_protocols]


# Shared by both ways.


def classic_metadata_of(session_timeout_ms: int, protocols: Protocols) -> ClassicMemberMetadata:
    """Return what the record of a classic member holds of its JoinGroup."""
    return ClassicMemberMetadata(
        session_timeout_ms, [ClassicProtocol(each.name, each.metadata) for each in protocols]
    )


def assignment_bytes(cluster: Any, partitions: Mapping[bytes, Iterable[int]], version: int) -> bytes:
    """Return an assignment as classic members read it. Topics that do not exist are left out.

    partitions: by topic id. Raises WireError if there is no such version.
    """
    if version < 0:
        raise WireError(f"version {version} does not exist")
    named = [
        (topic.name, sorted(indexes))
        for topic_id, indexes in partitions.items()
        if (topic := cluster.topics_by_id.get(topic_id)) is not None
    ]
    return write_assignment(named, version)


def in_kafkas_order(
    member_ids: Collection[str], peak: int, hash_of: Callable[[str], int] = java_hash
) -> list[str]:
    """Return the order in which Kafka's TimelineHashMap has these members, oldest first.

    peak: how many members it had at most
    """
    newest_first = [*member_ids][::-1]
    return sorted(newest_first, key=lambda member_id: timeline_slot(hash_of(member_id), peak))
