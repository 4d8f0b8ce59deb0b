"""The cleanup pass, compared with a naive scan of all offsets.

Clients act before the pass and between its slices. No bound is too late, and only what the scan finds is
removed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.unit.broker.group_story import GroupStory
from tests.unit.broker.groups.naive_expiry import Offset, full_scan, is_due
from tests.unit.broker.story import START_MS
from tidemark.cleanup.offset_expiry import Expired, OffsetExpiry
from tidemark.clock import turn
from tidemark.core.decision import Decision, Marker, Record
from tidemark.groups import expirations
from tidemark.groups.classic.group import ClassicGroup
from tidemark.groups.expirations import expiry_of
from tidemark.groups.state import Groups
from tidemark.handlers.groups.delete_groups import delete_groups
from tidemark.handlers.groups.join_group import join_group
from tidemark.handlers.groups.leave_group import leave_group
from tidemark.handlers.groups.offset_delete import offset_delete
from tidemark.metrics.registry import Metrics
from tidemark.turns import Pace
from tidemark_protocol.messages.delete_groups import DeleteGroupsRequest
from tidemark_protocol.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from tidemark_protocol.messages.leave_group import LeaveGroupRequest
from tidemark_protocol.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from tidemark_protocol.records.consumer_group_member_metadata import (
    ConsumerGroupMemberMetadataKey,
    ConsumerGroupMemberMetadataValue,
)
from tidemark_protocol.records.consumer_group_metadata import (
    ConsumerGroupMetadataKey,
    ConsumerGroupMetadataValue,
)
from tidemark_protocol.records.group_metadata import GroupMetadataKey
from tidemark_protocol.records.offset_commit import OffsetCommitKey, OffsetCommitValue
from tidemark_protocol.stored import CoordinatorCodec, decode_coordinator
from tidemark_testing.clock import VirtualClock

R = 60_000
TOPICS = {"orders": 3, "payments": 2}


class EveryTurn(Pace):
    """Other work may run at every checkpoint."""

    def spend(self, cost: int = 1) -> bool:
        return True

    async def rest(self) -> None:
        await turn()


class Expiring(GroupStory):
    """A story whose cleanup pass runs slice by slice, so that tests can act in between."""

    def __init__(self, partitions: int = 1) -> None:
        self.history: list[Record | Marker] = []
        self.gone: list[Offset] = []
        super().__init__(dict(TOPICS), partitions=partitions, offsets_retention_ms=R)
        self.clock = VirtualClock(START_MS)
        self._take_up(self.groups)

    def _take_up(self, groups: Groups) -> None:
        self.groups = groups
        self.expiry = OffsetExpiry(groups, self.clock, Metrics(), self._accept_of_pass, EveryTurn)

    def write(self, records: tuple[Record, ...], wall_ms: int) -> None:
        self.history += records
        super().write(records, wall_ms)

    def _accept_of_pass(self, result: Decision[None]) -> None:
        """Check that only due offsets are removed, each once, and a group only after its offsets."""
        gone: list[Offset] = []
        for record in result.records:
            assert record.value is None
            key = record.key
            if isinstance(key, OffsetCommitKey):
                where = (key.topic, key.partition)
                value = self.groups.offsets.of(key.group)[where]
                assert is_due(self.groups, self.groups.groups[key.group], where, value, self.pass_ms)
                gone.append((key.group, *where))
            elif isinstance(key, GroupMetadataKey):
                left = {(key.group, *where) for where in self.groups.offsets.of(key.group)} - set(gone)
                assert not left, f"{key.group} goes before {left}"
        assert gone == [(each.group, each.topic, each.partition) for each in result.removed]
        self.gone += gone
        self.accept(result)
        self.settle()

    def begin_pass(self) -> Any:
        """Return a coroutine. `send` runs it up to its next checkpoint."""
        self.pass_ms = self.wall_ms
        self.clock.advance_wall(self.wall_ms - self.clock.wall_ms())
        return self.expiry.run()

    def a_whole_pass(self) -> Expired:
        return self.end_pass(self.begin_pass())

    def end_pass(self, running: Any) -> Expired:
        while True:
            try:
                running.send(None)
            except StopIteration as done:
                expired: Expired = done.value
                return expired

    def pend(self, group: str, topic: str, partition: int, producer_id: int) -> None:
        value = OffsetCommitValue(7, commit_timestamp=self.wall_ms, topic_id=self.topic_id(topic))
        self.store(Record(OffsetCommitKey(group, topic, partition), value, producer=(producer_id, 0)))

    def end_transaction(self, producer_id: int, *, committed: bool) -> None:
        for partition in range(len(self.groups.status)):
            self.store(Marker(partition, producer_id, 0, committed))

    def store(self, change: Record | Marker) -> None:
        """Write a record as a transaction or another broker does."""
        self.history.append(change)
        self.groups.replay(change)

    def restart(self) -> None:
        codec = CoordinatorCodec()
        groups = Groups(self.groups.settings)
        groups.serve(len(self.groups.status))
        for change in self.history:
            if isinstance(change, Record):
                stored = decode_coordinator(*codec.encode(change.key, change.value))
                change = Record(*stored, producer=change.producer)
            groups.replay(change)
        for partition in range(len(groups.status)):
            groups.loaded(partition, self.now)
        self._take_up(groups)
        self.settle()

    def leave(self, group: str) -> None:
        """Remove all members and all pending ids."""
        known = self.groups.of_type(ClassicGroup, group)
        for member_id in [] if known is None else [*known.members, *known.pending]:
            self.ask(leave_group, LeaveGroupRequest(group, member_id), 1)

    def ask_for_an_id(self, group: str) -> None:
        protocols = [JoinGroupRequestProtocol("range", b"")]
        self.ask(join_group, JoinGroupRequest(group, 10_000, 60_000, "", None, "consumer", protocols), 9)

    def delete_offset(self, group: str, topic: str, partition: int) -> None:
        topics = [OffsetDeleteRequestTopic(topic, [OffsetDeleteRequestPartition(partition)])]
        self.ask(offset_delete, OffsetDeleteRequest(group, topics), 0)

    def delete_group(self, group: str) -> None:
        self.ask(delete_groups, DeleteGroupsRequest([group]), 2)

    def kafka_writes_a_group(self, group: str, topics: Iterable[str]) -> None:
        """Open a log in which Kafka wrote a KIP-848 group. Without topics it has no members."""
        written = [*topics]
        member = ConsumerGroupMemberMetadataValue(subscribed_topic_names=written) if written else None
        self.history.append(Record(ConsumerGroupMetadataKey(group), ConsumerGroupMetadataValue(1)))
        self.history.append(Record(ConsumerGroupMemberMetadataKey(group, "m"), member))
        self.restart()


# Possible errors of bounds, one story each.


def an_empty_group(story: Expiring, group: str = "g") -> None:
    """Return a managed group that no pass has looked at."""
    story.a_stable_group(group)
    story.leave(group)


def gone(story: Expiring) -> list[Offset]:
    story.gone.clear()
    story.a_whole_pass()
    return story.gone


def during_a_pass(story: Expiring, act: Callable[[], object], turns: int = 1) -> None:
    """Call act() at this checkpoint of the pass. At the first one the pass looks at the first group."""
    running = story.begin_pass()
    for _ in range(turns):
        running.send(None)
    act()
    story.end_pass(running)


def test_a_commit_to_an_expired_empty_group_expires_at_the_next_pass() -> None:
    story = Expiring()
    an_empty_group(story)
    story.commit("g", partition=0, version=4, retention_time_ms=10 * R)
    story.passes(R)
    assert gone(story) == []
    story.commit("g", partition=1)
    assert gone(story) == [("g", "orders", 1)]


@pytest.fixture
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the pass stop at a checkpoint after each offset."""
    monkeypatch.setattr(expirations, "STEP", 1)


@pytest.mark.usefixtures("small_steps")
@pytest.mark.parametrize("turns", [1, 2])
def test_a_commit_during_a_pass_counts_for_the_next_pass(turns: int) -> None:
    story = Expiring()
    an_empty_group(story)
    story.commit("g", partition=0, version=4, retention_time_ms=10 * R)
    during_a_pass(
        story, lambda: story.commit("g", partition=1, version=4, retention_time_ms=1_000), turns=turns
    )
    story.passes(1_000)
    assert gone(story) == [("g", "orders", 1)]


@pytest.mark.usefixtures("small_steps")
@pytest.mark.parametrize("turns", [1, 2])
def test_a_member_that_leaves_during_a_pass_starts_the_groups_clock(turns: int) -> None:
    story = Expiring()
    member = story.a_stable_group("g")
    story.commit("g", generation_id_or_member_epoch=1, member_id=member)
    during_a_pass(story, lambda: story.leave("g"), turns=turns)
    story.passes(R)
    assert gone(story) == [("g", "orders", 0)]


def test_a_group_recreated_during_a_pass_is_examined_as_it_is_now() -> None:
    story = Expiring()
    member = story.a_stable_group("g")
    story.commit("g", generation_id_or_member_epoch=1, member_id=member)

    def make_anew() -> None:
        story.leave("g")
        story.delete_group("g")
        story.commit("g", partition=2)

    during_a_pass(story, make_anew)
    story.passes(R)
    assert gone(story) == [("g", "orders", 2)]


@pytest.mark.parametrize("committed", [True, False])
def test_an_offset_that_a_transaction_kept_expires_after_its_end(committed: bool) -> None:
    story = Expiring()
    story.commit("g")
    story.pend("g", "orders", 0, producer_id=1)
    story.passes(R)
    assert gone(story) == []
    story.end_transaction(1, committed=committed)
    assert gone(story) == [("g", "orders", 0)]


def test_a_transaction_that_ends_during_a_pass_counts_for_the_next_pass() -> None:
    story = Expiring()
    story.commit("g")
    story.pend("g", "orders", 0, producer_id=1)
    story.passes(R)
    during_a_pass(story, lambda: story.end_transaction(1, committed=False))
    assert "g" not in story.groups.groups or gone(story) == [("g", "orders", 0)]


def test_a_join_during_a_pass_keeps_offsets_that_have_no_tombstone_yet() -> None:
    story = Expiring()
    story.commit("g", partition=0)
    story.commit("g", partition=1)
    story.passes(R)
    during_a_pass(story, lambda: story.join_group("g"))
    assert story.gone == []
    assert story.offsets("g") == {("orders", 0): 42, ("orders", 1): 42}


def test_after_a_restart_an_empty_groups_clock_counts_despite_a_commit_for_the_future() -> None:
    story = Expiring()
    story.a_stable_group("g")
    future = OffsetCommitValue(7, commit_timestamp=START_MS + 10 * R, topic_id=story.topic_id("orders"))
    story.store(Record(OffsetCommitKey("g", "orders", 0), future))
    story.leave("g")
    story.restart()
    story.passes(R)
    assert gone(story) == [("g", "orders", 0)]


def test_after_a_restart_a_commit_counts_although_the_group_record_is_later() -> None:
    story = Expiring()
    story.commit("g", "payments")
    story.passes(R // 2)
    story.a_stable_group("g", ["orders"])
    story.restart()
    story.wall_ms += R // 2  # its member's session is extended
    assert gone(story) == [("g", "payments", 0)]


# Random stories.

GROUPS = st.sampled_from(["a", "a", ""])  # "" is a group's name
PLACES = st.sampled_from([("orders", 0), ("orders", 1), ("payments", 0)])
SUBSCRIPTIONS = st.sampled_from([(), ("orders",), ("payments",), ("orders", "payments")])
WAITS = st.sampled_from([1, R // 2, R - 1, R, 3 * R])
RETENTIONS = st.sampled_from([-5, 0, 1, 1_000, R, 2 * R, 10 * R, 2**63 - 1])
AGES = st.sampled_from([-(2**62), -R, 0, 1, R - 1, R, 5 * R, 2**63 - 1])


class Passes(RuleBasedStateMachine):
    @initialize(partitions=st.sampled_from([1, 3]), slices=st.sampled_from([1, 2, 1_000]))
    def start(self, partitions: int, slices: int) -> None:
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr(expirations, "STEP", slices)
        self.story = Expiring(partitions)
        self.running: Any = None

    def teardown(self) -> None:
        if hasattr(self, "patch"):
            self.patch.undo()
            if self.running is not None:
                self.running.close()

    # clients

    @rule(group=GROUPS, place=PLACES)
    def commit(self, group: str, place: tuple[str, int]) -> None:
        self.story.commit(group, *place)

    @rule(group=GROUPS, place=PLACES, retention_ms=RETENTIONS)
    def commit_for_a_while(self, group: str, place: tuple[str, int], retention_ms: int) -> None:
        self.story.commit(group, *place, version=4, retention_time_ms=retention_ms)

    @rule(group=GROUPS, place=PLACES, age_ms=AGES)
    def commit_of_the_past(self, group: str, place: tuple[str, int], age_ms: int) -> None:
        """Commit with a time in the past, as OffsetCommit v1 lets clients do."""
        value = OffsetCommitValue(3, commit_timestamp=max(self.story.wall_ms - age_ms, -(2**63)))
        value.topic_id = self.story.topic_id(place[0])
        self.story.store(Record(OffsetCommitKey(group, *place), value))

    @rule(
        group=GROUPS, topics=SUBSCRIPTIONS, protocol_type=st.sampled_from(["consumer", "consumer", "connect"])
    )
    def join(self, group: str, topics: tuple[str, ...], protocol_type: str) -> None:
        self.story.join_group(group, topics, protocol_type=protocol_type)

    @rule(group=GROUPS)
    def ask_for_an_id(self, group: str) -> None:
        self.story.ask_for_an_id(group)

    @rule(group=GROUPS)
    def sync(self, group: str) -> None:
        known = self.story.groups.of_type(ClassicGroup, group)
        if known is not None and known.leader is not None:
            self.story.sync_group(group, known.leader, known.generation)

    @rule(group=GROUPS)
    def leave(self, group: str) -> None:
        self.story.leave(group)

    @rule(group=GROUPS, place=PLACES)
    def delete_offset(self, group: str, place: tuple[str, int]) -> None:
        self.story.delete_offset(group, *place)

    @rule(group=GROUPS)
    def delete_group(self, group: str) -> None:
        self.story.delete_group(group)

    @rule(group=GROUPS, place=PLACES, producer_id=st.sampled_from([1, 2]))
    def pend(self, group: str, place: tuple[str, int], producer_id: int) -> None:
        self.story.pend(group, *place, producer_id)

    @rule(producer_id=st.sampled_from([1, 2]), committed=st.booleans())
    def end_transaction(self, producer_id: int, committed: bool) -> None:
        self.story.end_transaction(producer_id, committed=committed)

    # time

    @rule(ms=WAITS)
    def days_pass(self, ms: int) -> None:
        self.story.wall_ms += ms

    @rule(ms=WAITS)
    def time_passes(self, ms: int) -> None:
        self.story.passes(ms)
        self.story.settle()

    @precondition(lambda self: self.running is None)
    @rule()
    def restart(self) -> None:
        self.story.restart()

    @precondition(lambda self: self.running is None)
    @rule(group=GROUPS, topics=SUBSCRIPTIONS)
    def open_what_kafka_wrote(self, group: str, topics: tuple[str, ...]) -> None:
        classic = self.story.groups.of_type(ClassicGroup, group)
        if classic is None or not classic.members:
            self.story.kafka_writes_a_group(group, topics)

    # passes

    @precondition(lambda self: self.running is None)
    @rule()
    def begin_a_pass(self) -> None:
        self.running = self.story.begin_pass()
        self.go_on()

    @precondition(lambda self: self.running is not None)
    @rule()
    def go_on(self) -> None:
        try:
            self.running.send(None)
        except StopIteration:
            self.running = None

    @precondition(lambda self: self.running is None)
    @rule()
    def a_whole_pass(self) -> None:
        offsets, gone = full_scan(self.story.groups, self.story.wall_ms)
        self.story.gone.clear()
        expired = self.story.a_whole_pass()
        assert set(self.story.gone) == offsets
        assert len(self.story.gone) == len(offsets)
        assert sorted(expired.groups) == sorted(gone)
        assert not gone & self.story.groups.groups.keys()
        assert full_scan(self.story.groups, self.story.wall_ms) == (set(), set())

    @invariant()
    def no_bound_is_too_late(self) -> None:
        """Check the bounds unless a pass is running, which resets them."""
        if getattr(self, "running", self) is None:
            for group_id, group in self.story.groups.groups.items():
                for where, value in self.story.groups.offsets.of(group_id).items():
                    due_ms = expiry_of(self.story.groups, group, where, value, self.story.wall_ms).due_ms
                    assert due_ms is None or group.due_bound_ms <= due_ms


TestPasses = Passes.TestCase
TestPasses.pytestmark = [pytest.mark.slow]
TestPasses.settings = settings(max_examples=300, stateful_step_count=40)
