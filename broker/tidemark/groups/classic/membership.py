"""Changes of a group's members, together with the counts in its roster.

Replay and the load of a group call these functions. Their cost does not depend on the number of members.
"""

from __future__ import annotations

from tidemark.core.result import ParkedRequest
from tidemark.groups.classic.member import Member, Roster
from tidemark.groups.classic.model import ClassicModel
from tidemark.groups.classic.protocols import Protocols, names


def add_pending(group: ClassicModel, member_id: str, until_ms: int) -> None:
    group.pending[member_id] = None
    _roster(group).timers.set(member_id, until_ms)


def drop_pending(group: ClassicModel, member_id: str) -> None:
    del group.pending[member_id]
    _roster(group).timers.set(member_id, None)


def add_member(group: ClassicModel, member: Member) -> None:
    group.members[member.member_id] = member
    if member.instance_id is not None:
        group.static_members[member.instance_id] = member.member_id
    _count(group, member, 1)
    arm_session(group, member)


def remove_member(group: ClassicModel, member_id: str) -> Member:
    member = group.members.pop(member_id)
    if member.instance_id is not None:
        del group.static_members[member.instance_id]
    _count(group, member, -1)
    _roster(group).timers.set(member_id, None)
    return member


def park_join(group: ClassicModel, member: Member, pending: ParkedRequest | None) -> None:
    """Park a join. pending: None once the join has its response."""
    _roster(group).joined += (pending is not None) - (member.parked_join is not None)
    member.parked_join = pending
    arm_session(group, member)


def park_sync(group: ClassicModel, member: Member, pending: ParkedRequest | None) -> None:
    """Park a sync. pending: None once the sync has its response."""
    member.parked_sync = pending
    arm_session(group, member)


def start_session(group: ClassicModel, member: Member, until_ms: int) -> None:
    member.session_deadline_ms = until_ms
    arm_session(group, member)


def change_protocols(group: ClassicModel, member: Member, protocols: Protocols) -> None:
    roster = _roster(group)
    _count_protocols(roster, member.protocols, -1)
    member.protocols = protocols
    _count_protocols(roster, protocols, 1)


def arm_session(group: ClassicModel, member: Member) -> None:
    """Update the timer of a member, after a change that affects `Member.expires_at_ms`."""
    assert group.roster is not None  # no _roster(): every heartbeat and every commit of a member calls this
    group.roster.timers.set(member.member_id, member.expires_at_ms)


def _count(group: ClassicModel, member: Member, by: int) -> None:
    roster = _roster(group)
    if member.parked_join is not None:
        roster.joined += by
    _count_protocols(roster, member.protocols, by)


def _count_protocols(roster: Roster, protocols: Protocols, by: int) -> None:
    supported = roster.supported
    for name in names(protocols):
        count = supported.get(name, 0) + by
        if count:
            supported[name] = count
        else:
            del supported[name]


def _roster(group: ClassicModel) -> Roster:
    if group.roster is None:
        group.roster = Roster()
    return group.roster
