"""Replay of records and events about classic groups. Nothing else changes a classic group.

There is one function for each type of record and event. Each asserts what must be true before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, cast

from tidemark.groups.classic.events import (
    Assigned,
    AssignmentRefused,
    GroupDowngraded,
    GroupEmptied,
    GroupUpgraded,
    InitialDelayExtended,
    JoinCompleted,
    JoinParked,
    JoinPostponed,
    MemberAdded,
    MemberIdHandedOut,
    MemberReplaced,
    MembersRemoved,
    ParkedRefused,
    PendingIdDropped,
    PendingIdsExpired,
    RebalanceOpened,
    Rejoin,
    Synced,
    SyncParked,
)
from tidemark.groups.classic.loading import loaded_group
from tidemark.groups.classic.member import Member
from tidemark.groups.classic.membership import (
    add_member,
    add_pending,
    change_protocols,
    drop_pending,
    park_join,
    park_sync,
    remove_member,
    start_session,
)
from tidemark.groups.classic.model import (
    ALLOWED,
    ClassicGroupState,
    ClassicModel,
    InitialDelay,
    Joining,
    Syncing,
)
from tidemark.groups.classic.projection import project
from tidemark.groups.group import LOOK
from tidemark.groups.store import GroupStore
from tidemark_protocol.records.group_metadata import GroupMetadataKey, GroupMetadataValue
from tidemark_protocol.subscriptions import subscribed_topics


def _replay_group_metadata(
    groups: GroupStore, key: GroupMetadataKey, value: GroupMetadataValue | None
) -> None:
    if value is None:
        groups.groups.pop(key.group, None)
        groups.deadlines.set(key.group, None)
        return
    group = groups.groups.get(key.group)
    if group is not None and not groups.is_loading(group.partition):
        cast(ClassicModel, group).stored = value  # the event of the same decision asserts that it matches
        return
    loaded = loaded_group(groups, key.group, value)
    if group is not None:
        loaded.due_bound_ms = group.due_bound_ms
    elif groups.offsets.of(key.group):  # a tombstone of the group has left them
        loaded.due_bound_ms = LOOK
    if loaded.state_since_ms is not None:
        emptied_due_ms = loaded.state_since_ms + groups.limits.offsets_retention_ms
        loaded.due_bound_ms = min(loaded.due_bound_ms, emptied_due_ms)
    groups.groups[key.group] = loaded


# events


def _member_id_handed_out(groups: GroupStore, event: MemberIdHandedOut) -> None:
    add_pending(_group(groups, event.group_id), event.member_id, event.until_ms)


def _pending_id_dropped(groups: GroupStore, event: PendingIdDropped) -> None:
    drop_pending(_group(groups, event.group_id), event.member_id)


def _pending_ids_expired(groups: GroupStore, event: PendingIdsExpired) -> None:
    group = _group(groups, event.group_id)
    for member_id in event.member_ids:
        drop_pending(group, member_id)
    if isinstance(group.phase, InitialDelay) and group.everyone_joined():
        # As in Kafka 4.3.1. A pending id that leaves does not end the delay.
        group.phase = Joining(group.phase.until_ms)


def _member_added(groups: GroupStore, event: MemberAdded) -> None:
    group = _group(groups, event.group_id)
    member = event.member
    assert member.member_id not in group.members, member
    assert member.instance_id not in group.static_members, member
    if not group.members:
        group.protocol_type = event.protocol_type
    if member.member_id in group.pending:
        drop_pending(group, member.member_id)
    add_member(group, member)
    if group.leader is None:
        group.leader = member.member_id
    if isinstance(group.phase, InitialDelay):
        group.someone_joined = True
    group.disturb("member joined")


def _join_parked(groups: GroupStore, event: JoinParked) -> None:
    group = _group(groups, event.group_id)
    member = group.members[event.member_id]
    unchanged = member.protocols == event.rejoin.protocols
    change_protocols(group, member, event.rejoin.protocols)
    _take_timeouts(member, event.rejoin)
    park_join(group, member, event.pending)
    group.disturb("leader rejoined" if unchanged else "member changed its subscription")


def _member_replaced(groups: GroupStore, event: MemberReplaced) -> None:
    """Give the member its new id. Client id and host stay those of its first join, as in Kafka.

    Its old id stays among the ids that still have to sync. Kafka rebalances when that times out.
    """
    group = _group(groups, event.group_id)
    member = remove_member(group, event.old_id)
    assert member.instance_id is not None
    member.member_id = event.new_id
    member.parked_join, member.parked_sync = event.pending, None
    member.is_new = False
    member.session_deadline_ms = event.until_ms
    member.protocols = event.rejoin.protocols
    _take_timeouts(member, event.rejoin)
    add_member(group, member)
    if group.leader == event.old_id:
        group.leader = event.new_id
    if event.pending is None:
        _assert_stored(group)
    else:
        group.disturb("static member replaced")


def _take_timeouts(member: Member, rejoin: Rejoin) -> None:
    member.rebalance_timeout_ms = rejoin.rebalance_timeout_ms
    member.session_timeout_ms = rejoin.session_timeout_ms


def _members_removed(groups: GroupStore, event: MembersRemoved) -> None:
    group = _group(groups, event.group_id)
    for member_id in event.member_ids:
        if member_id in group.pending:
            drop_pending(group, member_id)
        else:
            remove_member(group, member_id)
    if group.leader is not None and group.leader not in group.members:
        group.leader = next(iter(group.members), None)
    if group.state is not ClassicGroupState.EMPTY:
        group.disturb(event.reason)


def _rebalance_opened(groups: GroupStore, event: RebalanceOpened) -> None:
    group = _group(groups, event.group_id)
    if group.state is ClassicGroupState.COMPLETING_REBALANCE:
        _wipe_assignments(group, event.now.steady_ms)
    if group.state is ClassicGroupState.EMPTY:
        delay_ms = groups.limits.initial_rebalance_delay_ms
        left_ms = max(group.rebalance_timeout_ms - delay_ms, 0)
        group.phase = InitialDelay(event.now.steady_ms + delay_ms, delay_ms, left_ms)
    else:
        group.phase = Joining(event.now.steady_ms + group.rebalance_timeout_ms)
    group.disturbed = False
    _enter(group, ClassicGroupState.PREPARING_REBALANCE, event.now.wall_ms)


def _wipe_assignments(group: ClassicModel, steady_ms: int) -> None:
    """Drop the assignments. A member whose parked sync got its response gets a full session."""
    for member in group.members.values():
        member.assignment = b""
        if member.parked_sync is not None:
            member.session_deadline_ms = steady_ms + member.session_timeout_ms
            park_sync(group, member, None)


def _initial_delay_extended(groups: GroupStore, event: InitialDelayExtended) -> None:
    group = _group(groups, event.group_id)
    phase = group.phase
    assert isinstance(phase, InitialDelay)
    delay_ms = min(groups.limits.initial_rebalance_delay_ms, phase.left_ms)
    left_ms = max(phase.left_ms - phase.delay_ms, 0)
    group.phase = InitialDelay(event.now.steady_ms + delay_ms, delay_ms, left_ms)
    group.someone_joined = False


def _join_postponed(groups: GroupStore, event: JoinPostponed) -> None:
    _group(groups, event.group_id).phase = Joining(event.until_ms)


def _join_completed(groups: GroupStore, event: JoinCompleted) -> None:
    group = _group(groups, event.group_id)
    group.generation += 1
    group.protocol = event.protocol
    group.leader = event.leader
    for member in group.members.values():
        member.is_new = False
        member.session_deadline_ms = event.now.steady_ms + member.session_timeout_ms
        park_join(group, member, None)
    group.subscribed_topics = subscribed_topics(
        group.protocol_type, {member.metadata(event.protocol) for member in group.members.values()}
    )
    group.phase = Syncing(event.now.steady_ms + group.rebalance_timeout_ms, set(group.members))
    _enter(group, ClassicGroupState.COMPLETING_REBALANCE, event.now.wall_ms)


def _group_emptied(groups: GroupStore, event: GroupEmptied) -> None:
    group = _group(groups, event.group_id)
    assert not group.members
    group.generation += 1
    group.protocol = None
    group.subscribed_topics = subscribed_topics(group.protocol_type, ())
    group.phase = None
    _enter(group, ClassicGroupState.EMPTY, event.wall_ms)
    _assert_stored(group)


def _sync_parked(groups: GroupStore, event: SyncParked) -> None:
    group = _group(groups, event.group_id)
    park_sync(group, group.members[event.member_id], event.pending)
    _no_longer_missing(group, event.member_id)


def _synced(groups: GroupStore, event: Synced) -> None:
    _no_longer_missing(_group(groups, event.group_id), event.member_id)


def _no_longer_missing(group: ClassicModel, member_id: str) -> None:
    """End the sync phase with the last sync, as Kafka's pending sync timer ends."""
    if isinstance(group.phase, Syncing):
        group.phase.missing.discard(member_id)
        if not group.phase.missing:
            group.phase = None


def _assigned(groups: GroupStore, event: Assigned) -> None:
    group = _group(groups, event.group_id)
    for member in group.members.values():
        member.assignment = event.assignments[member.member_id]
        if member.parked_sync is not None or member.member_id == event.leader:
            member.session_deadline_ms = event.now.steady_ms + member.session_timeout_ms
            park_sync(group, member, None)
    _no_longer_missing(group, event.leader)
    _assert_stored(group)  # the record has the time at which CompletingRebalance began
    _enter(group, ClassicGroupState.STABLE, event.now.wall_ms)


def _assignment_refused(groups: GroupStore, event: AssignmentRefused) -> None:
    group = _group(groups, event.group_id)
    _wipe_assignments(group, event.now.steady_ms)
    group.disturb("assignment could not be written")


def _parked_refused(groups: GroupStore, event: ParkedRefused) -> None:
    group = _group(groups, event.group_id)
    for member in group.members.values():
        if member.parked_join is not None or member.parked_sync is not None:
            member.session_deadline_ms = event.steady_ms + member.session_timeout_ms
            park_join(group, member, None)
            park_sync(group, member, None)


def _group_upgraded(groups: GroupStore, event: GroupUpgraded) -> None:
    """Do nothing: the records have replaced the group."""


def _group_downgraded(groups: GroupStore, event: GroupDowngraded) -> None:
    group = _group(groups, event.group_id)
    _assert_stored(group)
    for member in group.members.values():
        change_protocols(group, member, event.protocols[member.member_id])
        start_session(group, member, event.now.steady_ms + member.session_timeout_ms)
    if event.reason:
        group.disturb(event.reason)


def _group(groups: GroupStore, group_id: str) -> ClassicModel:
    """Return the group, marked to be settled: something may follow from what happens to it now."""
    groups.marked.add(group_id)
    return cast(ClassicModel, groups.groups[group_id])


def _enter(group: ClassicModel, state: ClassicGroupState, wall_ms: int) -> None:
    assert state in ALLOWED[group.state], f"{group.group_id}: {group.state} -> {state}"
    group.state = state
    group.state_since_ms = wall_ms
    group.due_bound_ms = LOOK


def _assert_stored(group: ClassicModel) -> None:
    assert project(group) == group.stored, f"{group.group_id} differs from its record: {group.stored}"


RECORDS: Final[dict[type[Any], Callable[[GroupStore, Any, Any], None]]] = {
    GroupMetadataKey: _replay_group_metadata,
}

EVENTS: Final[dict[type[Any], Callable[[GroupStore, Any], None]]] = {
    Assigned: _assigned,
    AssignmentRefused: _assignment_refused,
    GroupDowngraded: _group_downgraded,
    GroupEmptied: _group_emptied,
    GroupUpgraded: _group_upgraded,
    InitialDelayExtended: _initial_delay_extended,
    JoinCompleted: _join_completed,
    JoinParked: _join_parked,
    JoinPostponed: _join_postponed,
    MemberAdded: _member_added,
    MemberIdHandedOut: _member_id_handed_out,
    MemberReplaced: _member_replaced,
    MembersRemoved: _members_removed,
    ParkedRefused: _parked_refused,
    PendingIdDropped: _pending_id_dropped,
    PendingIdsExpired: _pending_ids_expired,
    RebalanceOpened: _rebalance_opened,
    Synced: _synced,
    SyncParked: _sync_parked,
}
