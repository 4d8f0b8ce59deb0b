"""A coordinator without log and sockets: requests are decided, replayed and settled, and tests move time.

After each step it checks the invariants of every group.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.unit.broker.lone_machine import LoneMachine
from tests.unit.broker.steps import finished
from tidemark.core.apply import RecordsTooLarge, apply, refuse, settle_due, settle_marked
from tidemark.core.context import Caller, Context, Now
from tidemark.core.result import Effect, Record, Released, Result
from tidemark.groups.classic.joining import ClassicGroup
from tidemark.groups.classic.model import ClassicGroupState, Joining, Syncing
from tidemark.groups.classic.record import project
from tidemark.groups.limits import GroupLimits
from tidemark.groups.state import Groups
from tidemark.handlers.groups.heartbeat import heartbeat
from tidemark.handlers.groups.join_group import join_group
from tidemark.handlers.groups.leave_group import leave_group
from tidemark.handlers.groups.sync_group import sync_group
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from tidemark_protocol.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from tidemark_protocol.messages.leave_group import LeaveGroupRequest, LeaveGroupResponse, MemberIdentity
from tidemark_protocol.messages.sync_group import (
    SyncGroupRequest,
    SyncGroupRequestAssignment,
    SyncGroupResponse,
)
from tidemark_protocol.stored import CoordinatorCodec, decode_coordinator

DUE_MAX = 100
SESSION_MS = 10_000
REBALANCE_MS = 60_000
SUBSCRIBED_TO_NOTHING = b"\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff"
EVERYTHING = {"range": SUBSCRIBED_TO_NOTHING}


def subscription(*topics: str) -> bytes:
    out = b"\x00\x00" + len(topics).to_bytes(4)
    for topic in topics:
        out += len(topic).to_bytes(2) + topic.encode()
    return out + b"\xff\xff\xff\xff"


class PendingResponse:
    """One pending response: `response` is None while the request is parked."""

    def __init__(self, version: int) -> None:
        self.version = version
        self.response: Any = None

    @property
    def parked(self) -> bool:
        return self.response is None

    @property
    def error(self) -> ErrorCode:
        assert self.response is not None, "still parked"
        return ErrorCode(self.response.error_code)

    @property
    def member_id(self) -> str:
        member_id: str = self.response.member_id
        return member_id

    @property
    def generation(self) -> int:
        generation: int = self.response.generation_id
        return generation

    def fill(self, response: Any) -> None:
        assert self.response is None, "answered twice"
        self.response = response


class DrivenMachine(LoneMachine):
    """Appends records to the driver's log, and fills its parked responses."""

    def __init__(self, driver: Driver) -> None:
        super().__init__(driver.groups)
        self._driver = driver
        self._codec = CoordinatorCodec()

    def write(self, records: tuple[Record, ...], wall_ms: int) -> None:
        for record in records:
            key, value = self._codec.encode(record.key, record.value)
            self._driver.log.append((key, value))
            self._driver.written.append(Record(*decode_coordinator(key, value)))

    def release_parked(self, released: Released) -> None:
        pending: Any = released.pending
        pending.fill(released.response)
        self._driver.parked.remove(pending)

    def carry_out(self, effect: Effect) -> None:
        """The driver has no other state."""


class Driver:
    def __init__(self, partitions: int = 1, **limits: int) -> None:
        self.limits = GroupLimits(**{"initial_rebalance_delay_ms": 0, **limits})
        self.steady_ms = 1_000
        self.wall_ms = 1_700_000_000_000
        self.log: list[tuple[bytes, bytes | None]] = []
        self.written: list[Record] = []
        self.parked: list[PendingResponse] = []
        self.ids = 0
        self.forbidden: set[str] = set()
        self.a_turn_between_requests = True  # if not, they are all read before anything becomes due
        self.checks = True
        self.groups = self._empty(partitions)
        self._machine = DrivenMachine(self)
        for partition in range(partitions):
            self.groups.loaded(partition, self.now)

    @property
    def now(self) -> Now:
        return Now(self.wall_ms, self.steady_ms)

    def group(self, group_id: str = "g") -> ClassicGroup:
        return self.groups.groups[group_id]

    def state(self, group_id: str = "g") -> ClassicGroupState:
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
    ) -> PendingResponse:
        request = JoinGroupRequest(
            group_id,
            session_ms,
            rebalance_ms,
            member_id,
            instance_id,
            protocol_type,
            [JoinGroupRequestProtocol(name, metadata) for name, metadata in protocols.items()],
        )
        return self._send(join_group, request, version, client_id)

    def enter(self, **fields: Any) -> PendingResponse:
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
    ) -> PendingResponse:
        brought = [SyncGroupRequestAssignment(*each) for each in (assignments or {}).items()]
        given = (protocol_type, protocol) if version >= 5 else (None, None)
        request = SyncGroupRequest(group_id, generation, member_id, instance_id, *given, brought)
        return self._send(sync_group, request, version, refused=SyncGroupResponse)

    def heartbeat(
        self, member_id: str, generation: int, *, group_id: str = "g", instance_id: str | None = None
    ) -> ErrorCode:
        request = HeartbeatRequest(group_id, generation, member_id, instance_id)
        return self._send(heartbeat, request, 4, refused=HeartbeatResponse).error

    def leave(self, *members: str | tuple[str, str | None], group_id: str = "g", version: int = 5) -> Any:
        request = LeaveGroupRequest(group_id)
        if version < 3:
            (request.member_id,) = members  # type: ignore[assignment]
        else:
            pairs = [(each, None) if isinstance(each, str) else each for each in members]
            request.members = [MemberIdentity(*pair) for pair in pairs]
        return self._send(leave_group, request, version, refused=LeaveGroupResponse).response

    def _send(
        self, decide: Any, request: Any, version: int, client_id: str = "client", refused: Any = None
    ) -> PendingResponse:
        pending = PendingResponse(version)
        ctx = Context(
            wall_ms=self.wall_ms,
            steady_ms=self.steady_ms,
            version=version,
            pending=pending,
            client_id=client_id,
            new_id=self._new_id,
            caller=Caller(
                authorizers=lambda *_: lambda operation, resource, name: name not in self.forbidden
            ),
        )
        try:
            result = finished(decide(self.groups, ctx, request))
        except KafkaError as error:
            result = Result(refused(error_code=error.code))
        if result.response is None:
            self.parked.append(pending)
        self._accept(result)
        if result.response is not None:
            pending.fill(result.response)
        self._settle_marked()
        if self.a_turn_between_requests:
            self.advance(0)
        return pending

    def _new_id(self) -> str:
        self.ids += 1
        return f"{self.ids:04}"

    # time, and what follows without a request

    def advance(self, ms: int) -> None:
        """Move both timelines, and settle whenever something is due."""
        until_ms = self.steady_ms + ms
        while (due_ms := self.groups.deadlines.next()) is not None and due_ms <= until_ms:
            self._move_to(max(due_ms, self.steady_ms))
            self.tick()
        self._move_to(until_ms)

    def tick(self) -> None:
        settle_due(self._machine, self.now, self.steady_ms, DUE_MAX, lambda: False)
        self._check()

    def _move_to(self, steady_ms: int) -> None:
        self.wall_ms += steady_ms - self.steady_ms
        self.steady_ms = steady_ms

    def refuse_to_write(self, group_id: str = "g") -> None:
        refuse(self._machine, group_id, RecordsTooLarge.code, self.now)
        self._settle_marked()

    def restart(self, **limits: int) -> None:
        """Restart: parked requests are lost, and the log is decoded from its bytes."""
        self.parked.clear()
        if limits:
            self.limits = GroupLimits(**{"initial_rebalance_delay_ms": 0, **limits})
        self.groups = self.reloaded()
        self._machine = DrivenMachine(self)
        for partition in range(len(self.groups.status)):
            self.groups.loaded(partition, self.now)
        self._settle_marked()

    def reloaded(self) -> Groups:
        groups = self._empty(len(self.groups.status))
        for key, value in self.log:
            groups.replay(Record(*decode_coordinator(key, value)))
        return groups

    def _empty(self, partitions: int) -> Groups:
        groups = Groups(self.limits)
        groups.serve(partitions)
        return groups

    def _accept(self, result: Result[Any]) -> None:
        apply(self._machine, result, self.wall_ms)

    def _settle_marked(self) -> None:
        settle_marked(self._machine, self.now)
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
    projected = project(group)
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


def a_stable_group(driver: Driver, members: int = 1, **fields: Any) -> list[str]:
    """Make a stable group. Returns the ids of its members, the leader first. Each is assigned its own id."""
    joins = [driver.enter(**fields) for _ in range(members)]
    if members > 1:
        ids = [joins[0].member_id, *(each for each in driver.group().members if each != joins[0].member_id)]
        joins = [driver.join(member_id, **fields) for member_id in ids]
    return stable(driver, joins)


def stable(driver: Driver, joins: list[PendingResponse]) -> list[str]:
    """Sync all members, whose joins have responses. The leader is last. Returns their ids."""
    ids = [join.member_id for join in joins]
    leader = joins[0].response.leader
    ids.sort(key=lambda member_id: member_id != leader)
    protocol = joins[0].response.protocol_name
    fields = {"protocol": protocol, "protocol_type": joins[0].response.protocol_type, "version": 5}
    syncs = [driver.sync(member_id, joins[0].generation, **fields) for member_id in ids[1:]]
    assignments = {member_id: member_id.encode() for member_id in ids}
    syncs.append(driver.sync(leader, joins[0].generation, assignments, **fields))
    assert all(sync.error is ErrorCode.NONE for sync in syncs)
    assert driver.state() is ClassicGroupState.STABLE
    return ids
