"""How records and events change a classic group. The only place where a group is written to.

One small function per record type and per event, found by table. Each asserts that what it is told can be so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from tidemark.groups.classic.events import (
    Assigned,
    AssignmentRefused,
    DeadlineArmed,
    DueBound,
    GroupEmptied,
    InitialDelayExtended,
    JoinCompleted,
    JoinParked,
    JoinPostponed,
    MemberAdded,
    MemberIdHandedOut,
    MemberReplaced,
    MemberSeen,
    MembersRemoved,
    PendingIdDropped,
    PendingIdsExpired,
    RebalanceOpened,
    Rejoin,
    SessionsStarted,
    Synced,
    SyncParked,
)
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
    LOOK,
    Group,
    GroupState,
    InitialDelay,
    Joining,
    Member,
    Syncing,
)
from tidemark.groups.classic.projection import loaded_group, project
from tidemark_expiry.rules import due_bound_ms
from tidemark_protocol.records.group_metadata import GroupMetadataKey, GroupMetadataValue
from tidemark_protocol.records.offset_commit import OffsetCommitKey, OffsetCommitValue
from tidemark_protocol.subscriptions import subscribed_topics

if TYPE_CHECKING:
    from tidemark.groups.state import Groups

EMPTY: Final = GroupState.EMPTY  # to look a member up in an enum costs as much as a call


# records


def _replay_offset_commit(groups: Groups, key: OffsetCommitKey, value: OffsetCommitValue | None) -> None:
    if value is None:
        groups.offsets.forget(key)
        return
    group = groups.groups.get(key.group)
    if group is None:
        group = Group(key.group, groups.partition_for(key.group), value.commit_timestamp)
        groups.groups[key.group] = group
        if groups.offsets.of(key.group):  # a tombstone of the group has left them
            group.due_bound_ms = LOOK
    due_ms = due_bound_ms(
        value.commit_timestamp,
        value.expire_timestamp,
        group.state_since_ms if group.state is EMPTY and group.protocol_type is not None else None,
        groups.limits.offsets_retention_ms,
    )
    if due_ms < group.due_bound_ms:
        group.due_bound_ms = due_ms
    groups.offsets.put(key, value)


def replay_pending(groups: Groups, key: Any, value: Any, producer_id: int) -> None:
    """What an open transaction wrote: an offset that a marker decides about. Its group is known from now on;
    what no transaction of Kafka writes is taken as it stands.
    """
    if not isinstance(key, OffsetCommitKey) or value is None:
        groups.replay_record(key, value)
        return
    if key.group not in groups.groups:
        groups.groups[key.group] = Group(key.group, groups.partition_for(key.group), value.commit_timestamp)
    groups.groups[key.group].due_bound_ms = LOOK
    groups.offsets.put_pending(groups.partition_for(key.group), producer_id, key, value)


def _replay_group_metadata(groups: Groups, key: GroupMetadataKey, value: GroupMetadataValue | None) -> None:
    if value is None:
        groups.groups.pop(key.group, None)
        groups.deadlines.set(key.group, None)
        return
    group = groups.groups.get(key.group)
    if group is not None and not groups.is_loading(group.partition):
        group.stored = value  # the event that comes with it holds it against the group
        return
    loaded = loaded_group(key.group, groups.partition_for(key.group), value)
    if group is not None:
        loaded.due_bound_ms = group.due_bound_ms
    elif groups.offsets.of(key.group):  # a tombstone of the group has left them
        loaded.due_bound_ms = LOOK
    if loaded.state_since_ms is not None:
        emptied_due_ms = loaded.state_since_ms + groups.limits.offsets_retention_ms
        loaded.due_bound_ms = min(loaded.due_bound_ms, emptied_due_ms)
    groups.groups[key.group] = loaded


# events


def _member_seen(groups: Groups, event: MemberSeen) -> None:
    group = groups.groups[event.group_id]
    member = group.members[event.member_id]
    if event.until_ms < member.session_deadline_ms:
        groups.marked.add(event.group_id)  # a new member's five minutes shrink to its session: arm anew
    start_session(group, member, event.until_ms)


def _sessions_started(groups: Groups, event: SessionsStarted) -> None:
    """A group that has become too large since (group.max.size was lowered) has to rebalance."""
    group = _group(groups, event.group_id)
    for member in group.members.values():
        start_session(group, member, event.steady_ms + member.session_timeout_ms)
    if len(group.members) > groups.limits.max_size:
        _disturb(group, "group.max.size exceeded")


def _member_id_handed_out(groups: Groups, event: MemberIdHandedOut) -> None:
    add_pending(_group(groups, event.group_id), event.member_id, event.until_ms)


def _pending_id_dropped(groups: Groups, event: PendingIdDropped) -> None:
    drop_pending(_group(groups, event.group_id), event.member_id)


def _pending_ids_expired(groups: Groups, event: PendingIdsExpired) -> None:
    group = _group(groups, event.group_id)
    for member_id in event.member_ids:
        drop_pending(group, member_id)
    if isinstance(group.phase, InitialDelay) and group.everyone_joined():
        # As Kafka 4.3.1 does; a pending id that leaves changes nothing.
        group.phase = Joining(group.phase.until_ms)


def _member_added(groups: Groups, event: MemberAdded) -> None:
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
    _disturb(group, "member joined")


def _join_parked(groups: Groups, event: JoinParked) -> None:
    group = _group(groups, event.group_id)
    member = group.members[event.member_id]
    unchanged = member.protocols == event.rejoin.protocols
    change_protocols(group, member, event.rejoin.protocols)
    _take_timeouts(member, event.rejoin)
    park_join(group, member, event.pending)
    _disturb(group, "leader rejoined" if unchanged else "member changed its subscription")


def _member_replaced(groups: Groups, event: MemberReplaced) -> None:
    """Client id and host stay those of the first join, and the sync that the old id owes stays owed: Kafka
    rebalances once its time is up.
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
        _disturb(group, "static member replaced")


def _take_timeouts(member: Member, said: Rejoin) -> None:
    member.rebalance_timeout_ms = said.rebalance_timeout_ms
    member.session_timeout_ms = said.session_timeout_ms


def _members_removed(groups: Groups, event: MembersRemoved) -> None:
    group = _group(groups, event.group_id)
    for member_id in event.member_ids:
        if member_id in group.pending:
            drop_pending(group, member_id)
        else:
            remove_member(group, member_id)
    if group.leader is not None and group.leader not in group.members:
        group.leader = next(iter(group.members), None)
    if group.state is not GroupState.EMPTY:
        _disturb(group, event.reason)


def _rebalance_opened(groups: Groups, event: RebalanceOpened) -> None:
    group = _group(groups, event.group_id)
    if group.state is GroupState.COMPLETING_REBALANCE:
        _wipe_assignments(group, event.now.steady_ms)
    if group.state is GroupState.EMPTY:
        delay_ms = groups.limits.initial_rebalance_delay_ms
        left_ms = max(group.rebalance_timeout_ms - delay_ms, 0)
        group.phase = InitialDelay(event.now.steady_ms + delay_ms, delay_ms, left_ms)
    else:
        group.phase = Joining(event.now.steady_ms + group.rebalance_timeout_ms)
    group.disturbed = False
    _enter(group, GroupState.PREPARING_REBALANCE, event.now.wall_ms)


def _wipe_assignments(group: Group, steady_ms: int) -> None:
    """Who had parked a sync was answered and gets its full session again."""
    for member in group.members.values():
        member.assignment = b""
        if member.parked_sync is not None:
            member.session_deadline_ms = steady_ms + member.session_timeout_ms
            park_sync(group, member, None)


def _initial_delay_extended(groups: Groups, event: InitialDelayExtended) -> None:
    group = _group(groups, event.group_id)
    phase = group.phase
    assert isinstance(phase, InitialDelay)
    delay_ms = min(groups.limits.initial_rebalance_delay_ms, phase.left_ms)
    left_ms = max(phase.left_ms - phase.delay_ms, 0)
    group.phase = InitialDelay(event.now.steady_ms + delay_ms, delay_ms, left_ms)
    group.someone_joined = False


def _join_postponed(groups: Groups, event: JoinPostponed) -> None:
    _group(groups, event.group_id).phase = Joining(event.until_ms)


def _join_completed(groups: Groups, event: JoinCompleted) -> None:
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
    _enter(group, GroupState.COMPLETING_REBALANCE, event.now.wall_ms)


def _group_emptied(groups: Groups, event: GroupEmptied) -> None:
    group = _group(groups, event.group_id)
    assert not group.members
    group.generation += 1
    group.protocol = None
    group.subscribed_topics = subscribed_topics(group.protocol_type, ())
    group.phase = None
    _enter(group, GroupState.EMPTY, event.wall_ms)
    _assert_stored(group)


def _sync_parked(groups: Groups, event: SyncParked) -> None:
    group = _group(groups, event.group_id)
    park_sync(group, group.members[event.member_id], event.pending)
    _no_longer_missing(group, event.member_id)


def _synced(groups: Groups, event: Synced) -> None:
    _no_longer_missing(_group(groups, event.group_id), event.member_id)


def _no_longer_missing(group: Group, member_id: str) -> None:
    """Kafka's pending sync timer ends with the last sync; before the leader's there is always one missing."""
    if isinstance(group.phase, Syncing):
        group.phase.missing.discard(member_id)
        if not group.phase.missing:
            group.phase = None


def _assigned(groups: Groups, event: Assigned) -> None:
    group = _group(groups, event.group_id)
    for member in group.members.values():
        member.assignment = event.assignments[member.member_id]
        if member.parked_sync is not None or member.member_id == event.leader:
            member.session_deadline_ms = event.now.steady_ms + member.session_timeout_ms
            park_sync(group, member, None)
    _no_longer_missing(group, event.leader)
    _assert_stored(group)  # written while the group was still completing: with the time at which that began
    _enter(group, GroupState.STABLE, event.now.wall_ms)


def _assignment_refused(groups: Groups, event: AssignmentRefused) -> None:
    group = _group(groups, event.group_id)
    _wipe_assignments(group, event.now.steady_ms)
    _disturb(group, "assignment could not be written")


def _deadline_armed(groups: Groups, event: DeadlineArmed) -> None:
    groups.deadlines.set(event.group_id, event.at_ms)


def _due_bound(groups: Groups, event: DueBound) -> None:
    """It is no reason to settle the group."""
    group = groups.groups.get(event.group_id)
    if group is not None:
        group.due_bound_ms = event.at_ms


def _group(groups: Groups, group_id: str) -> Group:
    """The group, marked: something may follow from what happens to it now."""
    groups.marked.add(group_id)
    return groups.groups[group_id]


def _disturb(group: Group, reason: str) -> None:
    """Have a rebalance opened, unless one is open already: that one keeps its reason."""
    if group.state is not GroupState.PREPARING_REBALANCE:
        group.disturbed = True
        group.rebalance_reason = reason


def _enter(group: Group, state: GroupState, wall_ms: int) -> None:
    assert state in ALLOWED[group.state], f"{group.group_id}: {group.state} -> {state}"
    group.state = state
    group.state_since_ms = wall_ms
    group.due_bound_ms = LOOK


def _assert_stored(group: Group) -> None:
    assert project(group) == group.stored, f"{group.group_id} is not what was written: {group.stored}"


RECORDS: Final[dict[type[Any], Callable[[Groups, Any, Any], None]]] = {
    OffsetCommitKey: _replay_offset_commit,
    GroupMetadataKey: _replay_group_metadata,
}

NOTES: Final[dict[type[Any], Callable[[Groups, Any], None]]] = {
    Assigned: _assigned,
    AssignmentRefused: _assignment_refused,
    DeadlineArmed: _deadline_armed,
    DueBound: _due_bound,
    GroupEmptied: _group_emptied,
    InitialDelayExtended: _initial_delay_extended,
    JoinCompleted: _join_completed,
    JoinParked: _join_parked,
    JoinPostponed: _join_postponed,
    MemberAdded: _member_added,
    MemberIdHandedOut: _member_id_handed_out,
    MemberReplaced: _member_replaced,
    MemberSeen: _member_seen,
    MembersRemoved: _members_removed,
    PendingIdDropped: _pending_id_dropped,
    PendingIdsExpired: _pending_ids_expired,
    RebalanceOpened: _rebalance_opened,
    SessionsStarted: _sessions_started,
    Synced: _synced,
    SyncParked: _sync_parked,
}
