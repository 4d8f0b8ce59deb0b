"""Decide what happens to a classic group without a request. Each call returns the next step, if any.

A passed deadline is one of the causes. Timers are plain deadlines in the group, and the group is armed for
the earliest. A heartbeat that moves a member's deadline leaves the group armed too early, which costs one
idle call.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from tidemark.core.context import Now
from tidemark.core.result import NOTHING, ClassicGroupRebalanced, Released, Result
from tidemark.groups.classic.events import (
    GroupEmptied,
    InitialDelayExtended,
    JoinCompleted,
    JoinPostponed,
    MembersRemoved,
    PendingIdsExpired,
    RebalanceOpened,
)
from tidemark.groups.classic.member import Member
from tidemark.groups.classic.model import ClassicModel, InitialDelay, Joining, Syncing
from tidemark.groups.classic.projection import empty_value, group_record
from tidemark.groups.classic.protocols import vote
from tidemark.groups.classic.responses import (
    Generation,
    join_response,
    members_for_leader,
    refused_syncs,
    unknown_member_responses,
)
from tidemark_protocol.errors import ErrorCode

EXPIRED_MAX: Final = 1_000  # members or pending ids that one step removes: 3 ms


def settle_group(group: ClassicModel, now: Now, armed_ms: int | None) -> Result[None]:
    """Return the next step, or NOTHING. armed_ms: the next time for which the group is armed; None: never."""
    expired = group.expired(now.due_ms, EXPIRED_MAX)
    if expired:
        return _expire(group, expired)
    if group.disturbed:
        return open_rebalance(group, now)
    rebalance = settle_rebalance(group, now)
    if rebalance is not NOTHING:
        return rebalance
    return arm(group, armed_ms)


def _expire(group: ClassicModel, ids: list[str]) -> Result[None]:
    """Remove pending ids first, because no member is affected by them."""
    pending = [member_id for member_id in ids if member_id in group.pending]
    if pending:
        return Result(events=(PendingIdsExpired(group.group_id, tuple(pending)),))
    return removed(group, [group.members[member_id] for member_id in ids], "session expired")


def removed(group: ClassicModel, members: list[Member], reason: str) -> Result[None]:
    event = MembersRemoved(group.group_id, tuple(member.member_id for member in members), reason)
    return Result(events=(event,), released=unknown_member_responses(members))


def open_rebalance(group: ClassicModel, now: Now) -> Result[None]:
    """Start a rebalance. Members with a parked sync of this generation must join the next one."""
    released = refused_syncs(group, ErrorCode.REBALANCE_IN_PROGRESS)
    return Result(events=(RebalanceOpened(group.group_id, now),), released=released)


def settle_rebalance(group: ClassicModel, now: Now) -> Result[None]:
    match group.phase:
        case InitialDelay(until_ms=until_ms) if now.due_ms >= until_ms:
            if group.someone_joined and group.phase.left_ms:
                return Result(events=(InitialDelayExtended(group.group_id, now),))
            return complete_join(group, now)
        case Joining(until_ms=until_ms) if now.due_ms >= until_ms or group.everyone_joined():
            return complete_join(group, now)
        case Joining(until_ms=until_ms) if not group.members and now.steady_ms >= until_ms:
            # The last member has left while an id was pending, so the rebalance timeout is 0. Kafka handles
            # the expiry before it responds to that LeaveGroup.
            return complete_join(group, now)
        case Syncing(until_ms=until_ms) if now.due_ms >= until_ms:
            missing = group.phase.missing & group.members.keys()  # without ids that were replaced
            late = [group.members[member_id] for member_id in sorted(missing)]
            return removed(group, late, "no SyncGroup within the rebalance timeout")
    return NOTHING


def complete_join(group: ClassicModel, now: Now) -> Result[None]:
    """End the join phase. Members that have not rejoined are removed unless they are static."""
    absent = [member for member in group.members.values() if member.parked_join is None]
    if any(member.instance_id is None for member in absent):
        late = [member for member in absent if member.instance_id is None]
        return removed(group, late, "no JoinGroup within the rebalance timeout")
    if not group.members:
        return _empty(group, now)
    leader = _joined_leader(group)
    if leader is None:
        # Never wait for 0 ms: with a rebalance timeout of 0, settle would postpone without end.
        until_ms = now.steady_ms + max(group.rebalance_timeout_ms, 1)
        return Result(events=(JoinPostponed(group.group_id, until_ms),))
    return _next_generation(group, leader, now)


def _joined_leader(group: ClassicModel) -> str | None:
    """Return the leader if it has rejoined, or else the first member that has. Kafka: any member that has."""
    joined = [member.member_id for member in group.members.values() if member.parked_join is not None]
    if group.leader in joined:
        return group.leader
    return joined[0] if joined else None


def _next_generation(group: ClassicModel, leader: str, now: Now) -> Result[None]:
    protocol = vote([member.protocols for member in group.members.values()])
    generation = Generation(group.generation + 1, group.protocol_type, protocol, leader)
    released = []
    for member in group.members.values():
        if member.parked_join is not None:
            members = members_for_leader(group, protocol) if member.member_id == leader else None
            response = join_response(member.parked_join.version, generation, member.member_id, members)
            released.append(Released(member.parked_join, response))
    rebalanced = ClassicGroupRebalanced(
        group.group_id, generation.number, len(group.members), group.rebalance_reason
    )
    return Result(
        events=(JoinCompleted(group.group_id, protocol, leader, now),),
        released=tuple(released),
        effects=(rebalanced,),
    )


def _empty(group: ClassicModel, now: Now) -> Result[None]:
    value = empty_value(group.protocol_type, group.generation + 1, now.wall_ms)
    return Result(
        records=(group_record(group.group_id, value),),
        events=(GroupEmptied(group.group_id, now.wall_ms),),
    )


def arm(group: ClassicModel, armed_ms: int | None) -> Result[None]:
    due_ms = group.next_deadline_ms()
    if due_ms is None or (armed_ms is not None and armed_ms <= due_ms):
        return NOTHING
    return Result(after=(partial(group.store.deadlines.set, group.group_id, due_ms),))
