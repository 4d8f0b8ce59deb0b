"""Laws of share groups, for random heartbeats, times, answers of the share coordinator and restarts."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from tests.unit.broker.groups.share_story import ShareStory
from tidemark.core.decision import Record
from tidemark.groups.forgetting import forget_topics
from tidemark.groups.share.group import ShareGroup
from tidemark_protocol.records.remove_topic_record import RemoveTopicRecord

MEMBERS = [f"member-{number}" for number in range(5)]
TOPICS = ["a", "b", "c", "nope"]
UNKNOWN_MEMBER_ID, GROUP_ID_NOT_FOUND, FENCED_MEMBER_EPOCH = 25, 69, 110


class ShareGroups(RuleBasedStateMachine):
    """One group, whose members send heartbeats with the epochs that they know."""

    def __init__(self) -> None:
        super().__init__()
        self.story = ShareStory({"a": 3, "b": 2, "c": 1})
        self.epochs: dict[str, int] = {}
        self.created = 0

    @property
    def group(self) -> ShareGroup | None:
        return self.story.groups.of_type(ShareGroup, "s")

    @rule(member=st.sampled_from(MEMBERS), topics=st.sets(st.sampled_from(TOPICS), min_size=1))
    def join(self, member: str, topics: set[str]) -> None:
        response = self.story.beat(member, 0, sorted(topics))
        assert response.error_code == 0
        assert response.assignment is not None
        self.epochs[member] = response.member_epoch

    @precondition(lambda self: self.epochs)
    @rule(data=st.data(), topics=st.none() | st.sets(st.sampled_from(TOPICS), min_size=1))
    def beat(self, data: st.DataObject, topics: set[str] | None) -> None:
        member = data.draw(st.sampled_from(sorted(self.epochs)))
        response = self.story.beat(member, self.epochs[member], None if topics is None else sorted(topics))
        if response.error_code:
            assert response.error_code in (UNKNOWN_MEMBER_ID, GROUP_ID_NOT_FOUND)  # its session was over
            del self.epochs[member]
            return
        assert response.member_epoch >= self.epochs[member]
        self.epochs[member] = response.member_epoch

    @precondition(lambda self: self.epochs)
    @rule(data=st.data())
    def leave(self, data: st.DataObject) -> None:
        member = data.draw(st.sampled_from(sorted(self.epochs)))
        self.story.beat(member, -1)
        del self.epochs[member]

    @rule(ms=st.sampled_from([1, 400, 1_000, 5_000, 45_000]))
    def time_passes(self, ms: int) -> None:
        self.story.passes(ms)
        self.story.settle()

    @rule()
    def state_is_created(self) -> None:
        self.story.initialize()

    @rule()
    def state_is_refused(self) -> None:
        self.story.refuse()

    @rule(topic=st.sampled_from(["a", "b", "c"]))
    def partition_is_added(self, topic: str) -> None:
        known = self.story.cluster.topics.get(topic)
        if known is not None:
            record = known.partitions[0].record(known.topic_id)
            record.partition_id = len(known.partitions)
            self.story.cluster.replay(Record(None, record))

    @rule()
    def topic_is_deleted(self) -> None:
        known = self.story.cluster.topics.get("c")
        if known is None:
            return
        self.story.cluster.replay(Record(None, RemoveTopicRecord(known.topic_id)))
        for part in forget_topics(self.story.groups, ["c"], [known.topic_id], self.story.wall_ms):
            for decision in part:
                self.story.accept(decision)

    @rule()
    def topic_is_created(self) -> None:
        if "c" not in self.story.cluster.topics:
            self.story.create_topic("c", 1, self.story.wall_ms)

    @rule()
    def group_is_deleted(self) -> None:
        group = self.group
        is_deleted = group is not None and group.is_empty
        ((_, code),) = self.story.delete("s")
        assert (code == 0) == is_deleted
        if is_deleted:
            assert self.group is None
            self.story.initializations.clear()

    @rule()
    def broker_restarts(self) -> None:
        before = self.group
        self.story.initializations.clear()
        self.story.groups = self.story.restarted()
        self.story.settle()
        after = self.group
        assert (before is None) == (after is None)
        if before is None or after is None:
            return
        for name in ("group_epoch", "assignment_epoch", "metadata_hash", "members", "targets", "initializing",
                     "initialized", "deleting", "by_name", "subscribed_topics"):  # fmt: skip
            assert getattr(after, name) == getattr(before, name), name

    @invariant()
    def counts_follow_from_the_members(self) -> None:
        group = self.group
        if group is None:
            return
        counts: dict[str, int] = {}
        for member in group.members.values():
            for name in member.topic_names:
                counts[name] = counts.get(name, 0) + 1
        assert group.by_name == counts
        assert group.subscribed_topics == frozenset(counts)
        assert group.assignment_epoch <= group.group_epoch
        assert group.timers.next() is None or group.members

    @invariant()
    def members_have_partitions_of_their_topics_whose_state_exists(self) -> None:
        group = self.group
        if group is None:
            return
        topics = self.story.cluster.topics_by_id
        for member in group.members.values():
            assert member.epoch <= group.assignment_epoch
            for topic_id, partitions in member.assigned.items():
                assert len(partitions) == len({*partitions})
                if topic_id in group.initialized:
                    assert topics[topic_id].name == group.initialized[topic_id][0]
                    assert {*partitions} <= group.initialized[topic_id][1]

    @invariant()
    def no_state_is_in_two_lists(self) -> None:
        group = self.group
        if group is None:
            return
        for topic_id, (_, partitions) in group.initializing.items():
            assert partitions
            assert topic_id not in group.deleting
            assert partitions.isdisjoint(group.initialized.get(topic_id, ("", frozenset()))[1])
        for topic_id, requested in group.requested.items():
            if topic_id in self.story.cluster.topics_by_id:
                assert requested <= group.initializing[topic_id][1]


TestShareGroups = ShareGroups.TestCase
TestShareGroups.settings = settings(max_examples=40, stateful_step_count=40, deadline=None)
