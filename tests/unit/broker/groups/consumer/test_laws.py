"""Random members of a KIP-848 group: what must hold after every step, and where every history ends."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, rule

from tests.unit.broker.groups.consumer_story import ConsumerStory
from tidemark.groups.consumer.group import ConsumerGroup
from tidemark.groups.state import Groups

TOPICS = {"a": 2, "b": 3, "c": 6}
NAMES = st.sets(st.sampled_from(["a", "b", "c", "missing"]))
BEATS_MAX = 40
UNKNOWN_MEMBER_ID, FENCED_INSTANCE_ID, FENCED_MEMBER_EPOCH = 25, 82, 110
UNRELEASED_INSTANCE_ID = 111
REFUSALS = (UNKNOWN_MEMBER_ID, FENCED_INSTANCE_ID, FENCED_MEMBER_EPOCH, UNRELEASED_INSTANCE_ID)


class Client:
    """A member as Kafka's consumer behaves: it keeps what it has until it is told otherwise."""

    def __init__(self, member_id: str, instance_id: str | None, names: set[str]) -> None:
        self.member_id = member_id
        self.instance_id = instance_id
        self.names = names
        self.epoch = 0
        self.owned: dict[str, set[int]] = {}


class Members(RuleBasedStateMachine):
    clients = Bundle("clients")

    @initialize(interval_ms=st.sampled_from([0, 1_000]))
    def begin(self, interval_ms: int) -> None:
        self.story = ConsumerStory(TOPICS, assignment_interval_ms=interval_ms)
        self.alive: dict[str, Client] = {}
        self.made = 0
        self.group_epoch = 0
        self.epochs: dict[str, int] = {}

    def send(self, client: Client, **fields: Any) -> int:
        """Send a heartbeat and obey its response. Returns its error code."""
        owns = {name: sorted(numbers) for name, numbers in client.owned.items()}
        if client.epoch == 0:
            fields = {
                "rebalance_timeout_ms": 30_000,
                "subscribed_topic_names": sorted(client.names),
                **fields,
            }
            owns = {}
        response = self.story.beat(
            client.member_id, client.epoch, owns=owns, instance_id=client.instance_id, **fields
        )
        if response.error_code:
            assert response.error_code in REFUSALS
            return response.error_code
        epoch, assigned = self.story.shown(response)
        assert epoch >= client.epoch, "the epoch of a member goes back"
        client.epoch = epoch
        if assigned is not None:
            client.owned = {name: set(numbers) for name, numbers in assigned.items()}
        return 0

    @rule(target=clients, names=NAMES, instance=st.sampled_from([None, None, "i1", "i2"]))
    def join(self, names: set[str], instance: str | None) -> str:
        self.made += 1
        client = Client(f"m{self.made}", instance, names)
        if self.send(client) == 0:
            self.alive[client.member_id] = client
        return client.member_id

    @rule(member=clients)
    def beat(self, member: str) -> None:
        client = self.alive.get(member)
        if client is not None and self.send(client):
            self.stop(client)

    @rule(member=clients, names=NAMES)
    def subscribe(self, member: str, names: set[str]) -> None:
        client = self.alive.get(member)
        if client is not None:
            client.names = names
            if self.send(client, subscribed_topic_names=sorted(names)):
                self.stop(client)

    @rule(member=clients)
    def lose_the_response(self, member: str) -> None:
        """The client repeats the heartbeat with what it knows."""
        client = self.alive.get(member)
        if client is not None:
            epoch, owned = client.epoch, client.owned
            if self.send(client) == 0:
                client.epoch, client.owned = epoch, owned
            else:
                self.stop(client)

    @rule(member=consumes(clients))
    def leave(self, member: str) -> None:
        client = self.alive.pop(member, None)
        if client is not None:
            self.story.beat(member, -1, instance_id=client.instance_id)

    @rule(member=consumes(clients))
    def leave_for_a_while(self, member: str) -> None:
        client = self.alive.pop(member, None)
        if client is not None and client.instance_id is not None:
            self.story.beat(member, -2, instance_id=client.instance_id)

    @rule(ms=st.sampled_from([1, 500, 1_000, 20_000, 45_000]))
    def time_passes(self, ms: int) -> None:
        self.story.passes(ms)
        self.story.settle()

    @rule(topic=st.sampled_from(["a", "b"]))
    def partitions_are_added(self, topic: str) -> None:
        self.story.add_partition(topic)

    @rule()
    def restart(self) -> None:
        self.story.groups = self._loaded()

    def _loaded(self) -> Groups:
        return self.story.restarted()

    def stop(self, client: Client) -> None:
        """The member is fenced: it drops its partitions. It may join again as another member."""
        del self.alive[client.member_id]

    @invariant()
    def a_load_rebuilds_what_was_decided(self) -> None:
        known, again = self.story.groups.groups.get("g"), self._loaded().groups.get("g")
        assert type(again) is type(known)
        if isinstance(known, ConsumerGroup) and isinstance(again, ConsumerGroup):
            assert again.members == known.members
            assert (again.owners, again.targets) == (known.owners, known.targets)
            assert (again.by_name, again.static_members) == (known.by_name, known.static_members)
            assert (again.group_epoch, again.assignment_epoch) == (known.group_epoch, known.assignment_epoch)
            assert (again.metadata_hash, again.created_ms) == (known.metadata_hash, known.created_ms)
            assert (again.state, again.unreconciled) == (known.state, known.unreconciled)
            assert again.subscribed_topics == known.subscribed_topics

    @invariant()
    def no_partition_has_two_owners(self) -> None:
        group = self.story.groups.groups.get("g")
        if not isinstance(group, ConsumerGroup):
            return
        owned: dict[tuple[bytes, int], int] = {}
        for member in group.members.values():
            for partitions in (member.assigned, member.pending):
                for topic_id, epochs in partitions.items():
                    for partition in epochs:
                        assert (topic_id, partition) not in owned, member.member_id
                        owned[topic_id, partition] = member.epoch
        held = {(t, p): epoch for t, epochs in group.owners.items() for p, epoch in epochs.items()}
        assert held == owned

    @invariant()
    def epochs_never_go_back(self) -> None:
        group = self.story.groups.groups.get("g")
        if isinstance(group, ConsumerGroup):
            assert group.group_epoch >= self.group_epoch
            self.group_epoch = group.group_epoch
            assert group.assignment_epoch <= group.group_epoch
            assert all(each.epoch <= group.group_epoch for each in group.members.values())

    @invariant()
    def counts_are_those_of_the_members(self) -> None:
        group = self.story.groups.groups.get("g")
        if isinstance(group, ConsumerGroup):
            topics = [topic for each in group.members.values() for topic in each.topic_names]
            assert group.by_name == {topic: topics.count(topic) for topic in topics}
            epoch = group.assignment_epoch
            assert group.unreconciled == sum(not m.is_reconciled(epoch) for m in group.members.values())
            assert group.state is group.derived_state()
            assert group.subscribed_topics == set(topics)

    def teardown(self) -> None:
        """Once nothing else happens, all members get their targets, and every partition has an owner."""
        if not hasattr(self, "story") or "g" not in self.story.groups.groups:
            return
        for _ in range(BEATS_MAX):
            self.story.passes(2_000)
            self.story.settle()
            for client in [*self.alive.values()]:
                if self.send(client):
                    self.stop(client)
        group = self.story.group
        assert group.state_name == ("Stable" if group.members else "Empty")
        wanted = {topic for each in group.members.values() for topic in each.topic_names} & TOPICS.keys()
        sizes = {topic: len(self.story.cluster.topics[topic].partitions) for topic in wanted}
        owned = {
            self.story.cluster.topics_by_id[topic_id].name: len(epochs)
            for topic_id, epochs in group.owners.items()
        }
        assert owned == sizes


TestMembers = Members.TestCase
TestMembers.settings = settings(
    max_examples=20, stateful_step_count=20, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
