"""Random clients of both protocols in one group, restarts and waits, and the invariants that always hold."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import event, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.unit.broker.groups.migration_story import MigrationStory, Partitions, assigned
from tests.unit.broker.story import PendingRequest
from tidemark.groups.classic.group import ClassicGroup
from tidemark.groups.consumer.group import ConsumerGroup
from tidemark_protocol.errors import ErrorCode

pytestmark = pytest.mark.slow  # thousands of random steps

TOPIC = "c"
POLICIES = st.sampled_from(["bidirectional", "bidirectional", "upgrade", "downgrade", "disabled"])
INSTANCES = st.sampled_from([None, None, "one", "two"])
CONSUMERS = st.sampled_from(["a", "b", "c"])
WAITS = st.sampled_from([0, 1, 700, 3_000, 5_000, 20_000, 61_000])
REBALANCES = st.sampled_from([1, 5_000, 60_000])
LONGEST_WAIT_MS = 2_000_000  # past every timer that a rule may have set


class MigratingGroup(RuleBasedStateMachine):
    """known: what classic clients know, by member id: instance id and generation, and what they own."""

    @initialize(policy=POLICIES, max_size=st.sampled_from([2, 100]))
    def start(self, policy: str, max_size: int) -> None:
        self.story = MigrationStory(migration_policy=policy, max_size=max_size, session_timeout_ms=10_000)
        self.known: dict[str, tuple[str | None, int]] = {}
        self.owned: dict[str, Partitions] = {}
        self.parked: dict[
            tuple[str, str], PendingRequest
        ] = {}  # by member and API: a second replaces the first
        self.joins: list[tuple[PendingRequest, str | None]] = []

    # clients

    @rule(instance_id=INSTANCES, rebalance_ms=REBALANCES)
    def classic_joins(self, instance_id: str | None, rebalance_ms: int) -> None:
        pending = self.story.classic_join(instance_id=instance_id, rebalance_ms=rebalance_ms)
        self.joins.append((pending, instance_id))
        self.parked[f"new {len(self.parked)}", "join"] = pending

    @precondition(lambda self: self.known)
    @rule(data=st.data(), keeps=st.booleans())
    def classic_rejoins(self, data: st.DataObject, keeps: bool) -> None:
        member_id, (instance_id, _) = data.draw(st.sampled_from([*self.known.items()]))
        owns = self.owned.get(member_id, {}) if keeps else {}
        pending = self.story.classic_join(member_id, instance_id=instance_id, owns=owns)
        self.joins.append((pending, instance_id))
        self._forget_first_join(member_id)
        self.parked[member_id, "join"] = pending

    @precondition(lambda self: self.known)
    @rule(data=st.data())
    def classic_syncs(self, data: st.DataObject) -> None:
        member_id, (_, generation) = data.draw(st.sampled_from([*self.known.items()]))
        group = self.story.groups.get("g")
        given: dict[str, Partitions] = {}
        if isinstance(group, ClassicGroup) and group.members:
            members = [*group.members]
            for partition in range(6):
                owns = given.setdefault(members[partition % len(members)], {TOPIC: []})
                owns[TOPIC].append(partition)
        pending = self.story.classic_sync(member_id, generation, given)
        self.parked[member_id, "sync"] = pending
        if pending.response is not None and pending.error == ErrorCode.NONE and pending.response.assignment:
            self.owned[member_id] = assigned(pending.response)

    @precondition(lambda self: self.known)
    @rule(data=st.data())
    def classic_beats(self, data: st.DataObject) -> None:
        member_id, (_, generation) = data.draw(st.sampled_from([*self.known.items()]))
        event(f"heartbeat {self.story.classic_beat(member_id, generation)}")

    @precondition(lambda self: self.known)
    @rule(data=st.data())
    def members_leave(self, data: st.DataObject) -> None:
        ids = data.draw(st.lists(st.sampled_from([*self.known, "a", "nobody"]), max_size=3))
        self.story.classic_leave(*ids)

    @rule(member_id=CONSUMERS, instance_id=INSTANCES)
    def consumer_joins(self, member_id: str, instance_id: str | None) -> None:
        before = type(self.story.groups.get("g")).__name__
        response = self.story.join(member_id, instance_id=instance_id)
        event(f"consumer joins {before}: {response.error_code}")

    @rule(member_id=CONSUMERS, keeps=st.booleans(), leaves=st.sampled_from([0, 0, 0, -1, -2]))
    def consumer_beats(self, member_id: str, keeps: bool, leaves: int) -> None:
        group = self.story.groups.get("g")
        member = group.members.get(member_id) if isinstance(group, ConsumerGroup) else None
        if member is None or not isinstance(group, ConsumerGroup):
            return
        owned = {topic_id: [*epochs] for topic_id, epochs in member.assigned.items()}
        if keeps:
            for topic_id, epochs in member.pending.items():
                owned.setdefault(topic_id, []).extend(epochs)
        topics = self.story.cluster.topics_by_id
        owns = {topics[topic_id].name: partitions for topic_id, partitions in owned.items()}
        instance_id = member.instance_id
        if leaves == -2 and instance_id is None:
            return
        epoch = leaves or member.epoch
        if epoch != 0:
            self.story.beat(member_id, epoch, owns=owns, instance_id=instance_id)

    # the world

    @rule(ms=WAITS)
    def wait(self, ms: int) -> None:
        self.story.passes(ms)
        self.story.settle()

    @rule()
    def restart(self) -> None:
        self.story.groups = self._reloaded()
        self.story.settle()
        self.parked.clear()
        self.joins.clear()

    @rule()
    def wait_out_every_timer(self) -> None:
        """Every parked request gets a response in time."""
        self.story.passes(LONGEST_WAIT_MS)
        self.story.settle()
        assert self._unanswered() == []

    def _forget_first_join(self, member_id: str) -> None:
        """A later request of a member replaces the one with which it got its id."""
        group = self.story.groups.get("g")
        if isinstance(group, ClassicGroup) and member_id in group.members:
            current = group.members[member_id].parked_join
            for key, pending in [*self.parked.items()]:
                if key[0].startswith("new") and pending.response is None and not self._is_held(pending):
                    assert current is not None
                    del self.parked[key]

    def _unanswered(self) -> list[tuple[str, str]]:
        return [key for key, pending in self.parked.items() if pending.response is None]

    def _is_held(self, pending: PendingRequest) -> bool:
        group = self.story.groups.get("g")
        return isinstance(group, ClassicGroup) and any(
            pending in (member.parked_join, member.parked_sync) for member in group.members.values()
        )

    def _reloaded(self) -> Any:
        return self.story.restarted()

    # laws

    @invariant()
    def a_request_without_a_response_is_known_to_the_group(self) -> None:
        if hasattr(self, "parked"):
            for key, pending in self.parked.items():
                assert pending.response is not None or self._is_held(pending), key

    @invariant()
    def clients_learn_from_their_responses(self) -> None:
        for pending, instance_id in [each for each in getattr(self, "joins", ()) if each[0].response]:
            self.joins.remove((pending, instance_id))
            event(f"join {pending.error}")
            if pending.error == ErrorCode.NONE:
                self.known[pending.response.member_id] = (instance_id, pending.response.generation_id)

    @invariant()
    def a_reload_finds_the_same_group(self) -> None:
        if not hasattr(self, "story"):
            return
        live, read = self.story.groups.get("g"), self._reloaded().get("g")
        assert type(live) is type(read)
        if isinstance(live, ClassicGroup):
            assert read.stored == live.stored
        elif isinstance(live, ConsumerGroup):
            assert read.members == live.members
            assert (read.group_epoch, read.assignment_epoch) == (live.group_epoch, live.assignment_epoch)
            assert (read.targets, read.state, read.owners) == (live.targets, live.state, live.owners)
            assert read.classic_protocols == live.classic_protocols
            event(f"{live.state} with {live.classic_members} classic of {len(live.members)}")

    @invariant()
    def two_members_never_own_one_partition(self) -> None:
        group = self.story.groups.get("g") if hasattr(self, "story") else None
        if isinstance(group, ConsumerGroup):
            owned = [
                (topic_id, partition)
                for member in group.members.values()
                for owned in (member.assigned, member.pending)
                for topic_id, partitions in owned.items()
                for partition in partitions
            ]
            assert len(owned) == len({*owned})

    @invariant()
    def no_timer_is_missed(self) -> None:
        group = self.story.groups.get("g") if hasattr(self, "story") else None
        armed_ms = None if group is None else self.story.groups.deadlines.at.get("g")
        due_ms = None
        if isinstance(group, ClassicGroup):
            due_ms = group.settle(self.story.now)
        elif isinstance(group, ConsumerGroup) and group.members:
            due_ms = min(each.next_timer_ms for each in group.members.values())
        assert due_ms is None or (armed_ms is not None and armed_ms <= due_ms)


MigratingGroup.TestCase.settings = settings(max_examples=100, stateful_step_count=40, deadline=None)
TestMigratingGroup = MigratingGroup.TestCase
