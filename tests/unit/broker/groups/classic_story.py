"""Clients of classic groups, for stories without disk and sockets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.unit.broker.group_story import GroupStory
from tests.unit.broker.story import DUE_MAX, PendingRequest
from tidemark.core.apply import RecordsTooLarge, refuse, settle_due, settle_marked
from tidemark.core.decision import Record
from tidemark.groups.classic.group import ClassicGroup, Joining, Syncing
from tidemark.groups.classic.member import ClassicGroupState
from tidemark.handlers.groups.heartbeat import heartbeat
from tidemark.handlers.groups.join_group import join_group
from tidemark.handlers.groups.leave_group import leave_group
from tidemark.handlers.groups.sync_group import sync_group
from tidemark.settings.broker import BrokerSettings
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.heartbeat import HeartbeatRequest
from tidemark_protocol.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from tidemark_protocol.messages.leave_group import LeaveGroupRequest, MemberIdentity
from tidemark_protocol.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from tidemark_protocol.stored import CoordinatorCodec, decode_coordinator

SESSION_MS = 10_000
REBALANCE_MS = 60_000
SUBSCRIBED_TO_NOTHING = b"\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff"
EVERYTHING = {"range": SUBSCRIBED_TO_NOTHING}
CODEC = CoordinatorCodec()


def _named_group(settings: dict[str, int]) -> dict[str, int]:
    return {f"group_{name}": value for name, value in settings.items()}


class ClassicStory(GroupStory):
    """Clients of classic groups. After each step, it checks the invariants of every group."""

    def __init__(self, partitions: int = 1, **settings: int) -> None:
        """settings: those named group.*, without this prefix."""
        super().__init__(partitions=partitions, **_named_group(settings))
        self.steady_ms = 1_000
        self.checks = True
        self.settles_after_requests = True  # if not, all requests are read before anything becomes due

    def new_id(self) -> str:
        self._ids += 1
        return f"{self._ids:04}"

    def forbid(self, name: str) -> None:
        self.allowed = lambda operation, kind, resource: resource != name

    def group(self, group_id: str = "g") -> ClassicGroup:
        return self.groups.groups[group_id]

    def status(self, group_id: str = "g") -> ClassicGroupState:
        return self.group(group_id).state

    # requests

    def join(
        self,
        member_id: str = "",
        *,
        group_id: str = "g",
        version: int = 9,
        instance_id: str | None = None,
        protocols: Mapping[str, bytes] = EVERYTHING,
        protocol_type: str = "consumer",
        session_ms: int = SESSION_MS,
        rebalance_ms: int = REBALANCE_MS,
        client_id: str = "client",
    ) -> PendingRequest:
        request = JoinGroupRequest(
            group_id,
            session_ms,
            rebalance_ms,
            member_id,
            instance_id,
            protocol_type,
            [JoinGroupRequestProtocol(name, metadata) for name, metadata in protocols.items()],
        )
        return self.send(join_group, request, version, client_id=client_id)

    def enter(self, **fields: Any) -> PendingRequest:
        """Join a dynamic member: first get an id, then join with it."""
        required = self.join(**fields)
        assert required.error is ErrorCode.MEMBER_ID_REQUIRED, required.response
        return self.join(required.member_id, **fields)

    def sync(
        self,
        member_id: str,
        generation: int,
        assignments: Mapping[str, bytes] | None = None,
        *,
        group_id: str = "g",
        version: int = 5,
        instance_id: str | None = None,
        protocol_type: str | None = "consumer",
        protocol: str | None = "range",
    ) -> PendingRequest:
        brought = [SyncGroupRequestAssignment(*each) for each in (assignments or {}).items()]
        given = (protocol_type, protocol) if version >= 5 else (None, None)
        request = SyncGroupRequest(group_id, generation, member_id, instance_id, *given, brought)
        return self.send(sync_group, request, version)

    def heartbeat(
        self, member_id: str, generation: int, *, group_id: str = "g", instance_id: str | None = None
    ) -> ErrorCode:
        request = HeartbeatRequest(group_id, generation, member_id, instance_id)
        return self.send(heartbeat, request, 4).error

    def leave(self, *members: str | tuple[str, str | None], group_id: str = "g", version: int = 5) -> Any:
        request = LeaveGroupRequest(group_id)
        if version < 3:
            (request.member_id,) = members  # type: ignore[assignment]
        else:
            pairs = [(each, None) if isinstance(each, str) else each for each in members]
            request.members = [MemberIdentity(*pair) for pair in pairs]
        return self.ask(leave_group, request, version)

    # time, and what follows without a request

    def advance(self, ms: int) -> None:
        """Move both timelines, and settle whenever something is due."""
        until_ms = self.steady_ms + ms
        while (due_ms := self.groups.deadlines.next()) is not None and due_ms <= until_ms:
            self.passes(max(due_ms - self.steady_ms, 0))
            self.tick()
        self.passes(until_ms - self.steady_ms)

    def tick(self) -> None:
        settle_due(self, self.now, self.steady_ms, DUE_MAX, lambda: False)
        self._check()

    def settle(self) -> None:
        settle_marked(self, self.now)
        self._check()
        if self.settles_after_requests:
            self.advance(0)

    def write(self, records: tuple[Record, ...], wall_ms: int) -> None:
        """Keep the records as they are read back."""
        stored = (CODEC.encode(record.key, record.value) for record in records)
        super().write(tuple(Record(*decode_coordinator(*each)) for each in stored), wall_ms)

    def refuse_to_write(self, group_id: str = "g") -> None:
        refuse(self, group_id, RecordsTooLarge.code, self.now)
        settle_marked(self, self.now)
        self._check()

    def restart(self, **settings: int) -> None:
        """Restart: parked requests are lost."""
        self.parked.clear()
        if settings:
            self.groups.settings = BrokerSettings(**_named_group(settings))
        self.groups = self.restarted()
        settle_marked(self, self.now)
        self._check()

    def _check(self) -> None:
        if self.checks:
            for group in self.groups.groups.values():
                check(group)


def check(group: ClassicGroup) -> None:
    """Check the invariants of a settled group."""
    check_roster(group)
    check_stored(group)
    assert group.disturbed is False
    assert (group.state is ClassicGroupState.PREPARING_REBALANCE) == (
        group.phase is not None and not isinstance(group.phase, Syncing)
    )
    assert group.state is not ClassicGroupState.COMPLETING_REBALANCE or isinstance(group.phase, Syncing)
    assert (group.leader is None) == (not group.members)
    assert group.leader is None or group.leader in group.members
    assert all(member.member_id == member_id for member_id, member in group.members.items())
    assert group.static_members == {
        member.instance_id: member_id
        for member_id, member in group.members.items()
        if member.instance_id is not None
    }
    for member in group.members.values():
        assert member.parked_join is None or group.state is ClassicGroupState.PREPARING_REBALANCE
        assert member.parked_sync is None or group.state is ClassicGroupState.COMPLETING_REBALANCE
    if isinstance(group.phase, Joining):
        assert not group.everyone_joined()


def check_stored(group: ClassicGroup) -> None:
    """Check that what was decided is what a load would rebuild: the group's record is its projection.

    During a rebalance the group differs from its record. The record of a Stable group may have the time at
    which the sync phase began.
    """
    if group.stored is None or group.state not in (ClassicGroupState.EMPTY, ClassicGroupState.STABLE):
        return
    projected = group.project()
    if group.state is ClassicGroupState.STABLE:
        projected.current_state_timestamp = group.stored.current_state_timestamp
    assert projected == group.stored, f"{group.group_id} differs from its record: {group.stored}"


def check_roster(group: ClassicGroup) -> None:
    """Check that the roster's counts equal a new count of the members."""
    members = group.members.values()
    assert group.joined == sum(member.parked_join is not None for member in members)
    names = [protocol.name for member in members for protocol in member.protocols]
    for name in {*names}:
        assert group.supports(group.protocol_type or "", [JoinGroupRequestProtocol(name, b"")]) == all(
            any(protocol.name == name for protocol in member.protocols) for member in members
        )
    timers = [member.expires_at_ms for member in members if member.expires_at_ms is not None]
    first_ms = None if group.roster is None else group.roster.timers.next()
    assert not timers or (first_ms is not None and first_ms <= min(timers))


def a_stable_group(story: ClassicStory, members: int = 1, **fields: Any) -> list[str]:
    """Make a stable group. Returns the ids of its members, the leader first. Each is assigned its own id."""
    joins = [story.enter(**fields) for _ in range(members)]
    if members > 1:
        ids = [joins[0].member_id, *(each for each in story.group().members if each != joins[0].member_id)]
        joins = [story.join(member_id, **fields) for member_id in ids]
    return stable(story, joins)


def stable(story: ClassicStory, joins: list[PendingRequest]) -> list[str]:
    """Sync all members, whose joins have responses. The leader is last. Returns their ids."""
    ids = [join.member_id for join in joins]
    leader = joins[0].response.leader
    ids.sort(key=lambda member_id: member_id != leader)
    protocol = joins[0].response.protocol_name
    fields = {"protocol": protocol, "protocol_type": joins[0].response.protocol_type, "version": 5}
    syncs = [story.sync(member_id, joins[0].generation, **fields) for member_id in ids[1:]]
    assignments = {member_id: member_id.encode() for member_id in ids}
    syncs.append(story.sync(leader, joins[0].generation, assignments, **fields))
    assert all(sync.error is ErrorCode.NONE for sync in syncs)
    assert story.status() is ClassicGroupState.STABLE
    return ids
