"""Random joins, syncs, heartbeats, leaves, restarts and waits, and the invariants that always hold.

The story checks two more after each step: settle terminates, and a settled group is consistent.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import event, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.unit.broker.groups.classic_story import ClassicStory, PendingRequest, check
from tidemark.groups.classic.member import ClassicGroupState
from tidemark_protocol.errors import ErrorCode

pytestmark = pytest.mark.slow  # thousands of random steps

PARTITIONS = 6
SESSIONS = st.sampled_from([6_000, 10_000, 30_000])
REBALANCES = st.sampled_from([1, 5_000, 60_000, 60_000])
PROTOCOLS = st.sampled_from([{"range": b"1"}, {"range": b"2", "sticky": b""}, {"sticky": b"", "range": b"1"}])
INSTANCES = st.sampled_from([None, None, "one", "two"])
WAITS = st.sampled_from([0, 1, 1, 700, 3_000, 5_000, 20_000, 61_000])
VERSIONS = st.sampled_from([3, 5, 8, 9])
LONGEST_WAIT_MS = 2_000_000  # past every timer that a rule may have set


class ClassicGroup(RuleBasedStateMachine):
    """Clients of one group. `known` is what they know: member id -> (instance id, generation)."""

    @initialize(delay_ms=st.sampled_from([0, 3_000]), max_size=st.sampled_from([2, 100]))
    def start(self, delay_ms: int, max_size: int) -> None:
        self.story = ClassicStory(initial_rebalance_delay_ms=delay_ms, max_size=max_size)
        self.known: dict[str, tuple[str | None, int]] = {}
        self.joins: list[tuple[PendingRequest, str | None]] = []
        self.abandoned: list[PendingRequest] = []

    # clients

    @rule(
        instance_id=INSTANCES,
        protocols=PROTOCOLS,
        session_ms=SESSIONS,
        rebalance_ms=REBALANCES,
        version=VERSIONS,
    )
    def join(
        self,
        instance_id: str | None,
        protocols: dict[str, bytes],
        session_ms: int,
        rebalance_ms: int,
        version: int,
    ) -> None:
        if version < 5:
            instance_id = None
        fields: dict[str, Any] = {
            "protocols": protocols,
            "session_ms": session_ms,
            "rebalance_ms": rebalance_ms,
            "version": version,
        }
        pending = self.story.join(instance_id=instance_id, **fields)
        if not pending.parked and pending.error is ErrorCode.MEMBER_ID_REQUIRED:
            self.known[pending.member_id] = (None, 0)
        self.joins.append((pending, instance_id))

    @precondition(lambda self: self.known)
    @rule(data=st.data(), protocols=PROTOCOLS, session_ms=SESSIONS, rebalance_ms=REBALANCES, version=VERSIONS)
    def rejoin(
        self,
        data: st.DataObject,
        protocols: dict[str, bytes],
        session_ms: int,
        rebalance_ms: int,
        version: int,
    ) -> None:
        member_id, (instance_id, _) = data.draw(st.sampled_from(list(self.known.items())))
        fields: dict[str, Any] = {
            "protocols": protocols,
            "session_ms": session_ms,
            "rebalance_ms": rebalance_ms,
            "version": version,
        }
        before = self._parked(member_id)
        pending = self.story.join(member_id, instance_id=instance_id, **fields)
        self._abandon(before, pending)
        self.joins.append((pending, instance_id))

    @precondition(lambda self: self.known)
    @rule(data=st.data())
    def sync(self, data: st.DataObject) -> None:
        """A leader assigns each partition to one member, as assignors do."""
        member_id, (instance_id, generation) = data.draw(st.sampled_from(list(self.known.items())))
        group = self.story.groups.get("g")
        if group is None:
            return
        members = list(group.members) or ["nobody"]
        assignments: dict[str, bytes] = dict.fromkeys(members, b"")
        for partition in range(PARTITIONS):
            assignments[members[(partition + generation) % len(members)]] += bytes([partition])
        before = self._parked(member_id)
        pending = self.story.sync(member_id, generation, assignments, version=4, instance_id=instance_id)
        self._abandon(before, pending)

    @precondition(lambda self: self.known)
    @rule(data=st.data())
    def heartbeat(self, data: st.DataObject) -> None:
        member_id, (instance_id, generation) = data.draw(st.sampled_from(list(self.known.items())))
        self.story.heartbeat(member_id, generation, instance_id=instance_id)

    @precondition(lambda self: self.known)
    @rule(data=st.data())
    def leave(self, data: st.DataObject) -> None:
        ids = data.draw(st.lists(st.sampled_from([*self.known, "nobody"]), max_size=3))
        self.story.leave(*ids)

    @precondition(lambda self: self._state() is ClassicGroupState.PREPARING_REBALANCE)
    @rule()
    def everyone_rejoins(self) -> None:
        for member in list(self.story.group().members.values()):
            if member.parked_join is None and member.member_id in self.story.group().members:
                protocols = {each.name: each.metadata for each in member.protocols}
                fields: dict[str, Any] = {
                    "session_ms": member.session_timeout_ms,
                    "rebalance_ms": member.rebalance_timeout_ms,
                }
                pending = self.story.join(
                    member.member_id, instance_id=member.instance_id, protocols=protocols, **fields
                )
                self.joins.append((pending, member.instance_id))

    @precondition(lambda self: self._state() is ClassicGroupState.COMPLETING_REBALANCE)
    @rule()
    def everyone_syncs(self) -> None:
        group = self.story.group()
        ids = list(group.members)
        owned = {each: bytes(range(PARTITIONS))[at :: len(ids)] for at, each in enumerate(ids)}
        for member_id in ids:
            if group.members[member_id].parked_sync is None:
                self.story.sync(member_id, group.generation, owned, version=4)

    # the world

    @rule(ms=WAITS)
    def wait(self, ms: int) -> None:
        self.story.advance(ms)

    @precondition(lambda self: self.story.log)
    @rule()
    def restart(self) -> None:
        self.story.restart()
        self.joins.clear()
        self.abandoned.clear()

    @precondition(lambda self: self._state() is ClassicGroupState.COMPLETING_REBALANCE)
    @rule()
    def write_fails(self) -> None:
        self.story.refuse_to_write()

    @precondition(lambda self: self.story.parked)
    @rule()
    def wait_out_every_timer(self) -> None:
        """Every parked request gets a response in time, unless a later request of its member replaced it."""
        self.story.advance(LONGEST_WAIT_MS)
        assert [pending for pending in self.story.parked if pending not in self.abandoned] == []

    def _state(self) -> ClassicGroupState | None:
        group = self.story.groups.get("g")
        return None if group is None else group.state

    def _parked(self, member_id: str) -> Any:
        group = self.story.groups.get("g")
        member = None if group is None else group.members.get(member_id)
        return None if member is None else member.parked_join or member.parked_sync

    def _abandon(self, before: PendingRequest | None, pending: PendingRequest) -> None:
        """A second parked request of the same API replaces the first."""
        if before is not None and before.parked and pending.parked:
            self.abandoned.append(before)

    # laws

    @invariant()
    def clients_learn_from_their_answers(self) -> None:
        if not hasattr(self, "joins"):
            return
        for pending, instance_id in [each for each in self.joins if not each[0].parked]:
            self.joins.remove((pending, instance_id))
            event(f"join {pending.error.name}")
            if pending.error is ErrorCode.NONE:
                self.known[pending.member_id] = (instance_id, pending.generation)

    @invariant()
    def what_is_read_back_equals_what_stands(self) -> None:
        if not hasattr(self, "story"):
            return
        live = {group_id: group.stored for group_id, group in self.story.groups.groups.items()}
        read = {group_id: group.stored for group_id, group in self.story.restarted().groups.items()}
        assert read == live

    @invariant()
    def two_members_never_own_one_partition_in_a_generation(self) -> None:
        group = None if not hasattr(self, "story") else self.story.groups.get("g")
        if group is None or group.state is not ClassicGroupState.STABLE:
            return
        owned = [partition for member in group.members.values() for partition in member.assignment]
        assert len(owned) == len(set(owned))

    @invariant()
    def groups_fit_together(self) -> None:
        for group in self.story.groups.groups.values() if hasattr(self, "story") else ():
            check(group)
            event(f"{group.state} {type(group.phase).__name__}")

    @invariant()
    def no_timer_is_missed(self) -> None:
        """Deadlines may be too early, never too late."""
        for group in self.story.groups.groups.values() if hasattr(self, "story") else ():
            due_ms = group.settle(self.story.now)
            armed_ms = self.story.groups.deadlines.at.get(group.group_id)
            assert due_ms is None or (armed_ms is not None and self.story.steady_ms <= armed_ms <= due_ms)


ClassicGroup.TestCase.settings = settings(max_examples=100, stateful_step_count=40, deadline=None)
TestClassicGroup = ClassicGroup.TestCase
