"""Build a classic group from its record."""

from __future__ import annotations

from tidemark.groups.classic.group import ClassicGroup
from tidemark.groups.classic.member import Member
from tidemark.groups.classic.membership import add_member
from tidemark.groups.classic.model import ClassicGroupState
from tidemark.groups.classic.projection import NO_TIMESTAMP
from tidemark.groups.store import GroupStore
from tidemark_protocol.messages.join_group import JoinGroupRequestProtocol
from tidemark_protocol.records.group_metadata import GroupMetadataValue, MemberMetadata
from tidemark_protocol.subscriptions import subscribed_topics


def loaded_group(groups: GroupStore, group_id: str, value: GroupMetadataValue) -> ClassicGroup:
    """Return the group: Stable if it has members, else Empty. A rebalance in progress is not recorded."""
    since_ms = value.current_state_timestamp
    group = ClassicGroup(
        group_id,
        groups.partition_for(group_id),
        None if since_ms == NO_TIMESTAMP else since_ms,
        store=groups,
    )
    group.state = ClassicGroupState.STABLE if value.members else ClassicGroupState.EMPTY
    group.generation = value.generation
    group.protocol_type = value.protocol_type or None
    group.protocol = value.protocol
    group.leader = value.leader
    for stored in value.members:
        add_member(group, _loaded_member(stored, value.protocol))
    subscriptions = {member.subscription for member in value.members}
    group.subscribed_topics = subscribed_topics(group.protocol_type, subscriptions)
    group.stored = value
    return group


def _loaded_member(stored: MemberMetadata, protocol: str | None) -> Member:
    timeout_ms = stored.session_timeout if stored.rebalance_timeout == -1 else stored.rebalance_timeout
    return Member(
        stored.member_id,
        stored.group_instance_id,
        stored.client_id,
        stored.client_host,
        timeout_ms,
        stored.session_timeout,
        [JoinGroupRequestProtocol(protocol or "", stored.subscription)],
        stored.assignment,
    )
