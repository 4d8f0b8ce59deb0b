"""Actors of the consumer protocol (KIP-848): native members, and classic members of the same group.

Each actor has a view of the partitions that it owns. The laws compare these views (Laws.owns).
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, Final

from tests.faults.simulation.actors import (
    COMES_AND_GOES,
    NONE,
    PARTITIONS,
    REBALANCE_IN_PROGRESS,
    STAYS,
    UNSYNCED,
    Member,
    Offsets,
)
from tests.faults.simulation.brokers import NOT_COORDINATOR
from tests.faults.simulation.clients import Actor, Asked, Client
from tidemark_protocol.messages.consumer_group_describe import ConsumerGroupDescribeRequest
from tidemark_protocol.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatRequestTopicPartitions,
)

if TYPE_CHECKING:
    from tests.faults.simulation.laws import Generation

JOIN, LEAVE, STATIC_LEAVE = 0, -1, -2
UNKNOWN_MEMBER_ID, FENCED_INSTANCE_ID, FENCED_MEMBER_EPOCH = 25, 82, 110
SUBSCRIPTIONS: Final = ((STAYS,), (STAYS,), (STAYS, COMES_AND_GOES), (STAYS, UNSYNCED))
EXPRESSIONS: Final = ("stays", "s.*|unsynced", "comes.*", "(")

NEVER_SEEN_MS: Final = -(1 << 40)
Place = tuple[bytes, int]  # topic id and partition


class Owner:
    """One member's view of the partitions that it owns.

    The broker takes a partition from a member once the member has given it up or left, or by a timeout. A
    timeout runs at the earliest from the moment at which the last request was sent that got a response.
    So until then a member is `sure`. The timeout of a revocation may run from a heartbeat without a response,
    which the member never learned of.
    """

    def __init__(self, actor: Actor, name: str, group: str, session_ms: int, rebalance_ms: int) -> None:
        self.name = name
        self.group = group
        self.owned: set[Place] = set()
        self._world = actor.world
        self._laws = actor.laws
        self._session_ms = session_ms
        self._rebalance_ms = rebalance_ms
        self._seen_ms = NEVER_SEEN_MS
        self._unanswered_ms: int | None = None  # the first heartbeat since the last one with a response
        self._revoking_ms: int | None = None  # the first response that took a partition was requested then
        self._laws.owners.setdefault(group, []).append(self)

    def asks(self, now_ms: int) -> None:
        """A heartbeat is sent, which may make the broker revoke partitions."""
        if self._unanswered_ms is None:
            self._unanswered_ms = now_ms

    def answered(self) -> None:
        """A heartbeat got a response, which was followed."""
        self._unanswered_ms = None

    def seen(self, sent_ms: int) -> None:
        """A request that was sent then got a response: the broker gave the member a new session."""
        self._seen_ms = sent_ms

    def revoking(self, sent_ms: int) -> None:
        if self._revoking_ms is None:
            self._revoking_ms = sent_ms if self._unanswered_ms is None else self._unanswered_ms

    def revoked(self) -> None:
        self._revoking_ms = None

    def is_sure(self) -> bool:
        # A downgrade gives members their target, whatever they own (Kafka: ClassicGroup.fromConsumerGroup).
        # If the group is upgraded again before they have rejoined, others get what they have not given up.
        if self._seen_ms <= self._laws.downgraded.get(self.group, NEVER_SEEN_MS):
            return False
        revoking_ms = self._seen_ms if self._revoking_ms is None else self._revoking_ms
        ends_ms = min(self._seen_ms + self._session_ms, revoking_ms + self._rebalance_ms)
        return self._world.clock.steady_ms() < ends_ms

    def own(self, places: set[Place]) -> None:
        """A response has named these partitions. If it is late, others may own them already."""
        if self.is_sure():
            self._laws.owns(self, places - self.owned)
        self.owned |= places

    def drop(self) -> None:
        self.owned.clear()
        self._unanswered_ms = None
        self._revoking_ms = None


class Consumer(Actor):
    """A member: joins, sends heartbeats, gives up partitions, commits, leaves, falls silent, returns."""

    PAUSE_MS = 200

    def __init__(self, client: Client, group: str, instance: str | None) -> None:
        super().__init__(client)
        self.offsets = Offsets(client)
        self.group = group
        self.instance = instance
        self.number = 0
        self.member = ""
        self.epoch = JOIN
        self.stale: tuple[str, int] | None = None
        self.rebalance_ms = self.rng.choice((300, 2_000, 10_000))
        self.owner = Owner(self, client.name, group, self.laws.consumer_session_ms, self.rebalance_ms)
        self.to_revoke: set[Place] = set()
        self.revokes_slowly = self.rng.random() < 0.3
        self.must_say_all = True
        self.acknowledged: set[Place] = set()
        self.assignor = self.rng.choice((None, None, "uniform", "range"))
        self._subscribe()
        self._forget()

    def _subscribe(self) -> None:
        self.names: tuple[str, ...] = self.rng.choice(SUBSCRIPTIONS)
        self.regex = self.rng.choice(EXPRESSIONS) if self.rng.random() < 0.25 else ""
        if self.regex and self.rng.random() < 0.7:
            self.names = ()

    def _forget(self) -> None:
        """Start as a new client."""
        self.number += 1
        self.member = f"{self.client.name}-{self.number}"
        self._drop()

    def _drop(self) -> None:
        """Give up all partitions: the next heartbeat joins."""
        if self.epoch > 0:
            self.stale = (self.member, self.epoch)
        self.epoch = JOIN
        self.owner.drop()
        self.to_revoke.clear()
        self.acknowledged = set()

    def lost(self) -> None:
        self.must_say_all = True

    async def step(self) -> None:
        if self.epoch == JOIN:
            await self._heartbeat()
            return
        chance = self.rng.random()
        if chance < 0.58:
            await self._heartbeat()
        elif chance < 0.74:
            await self._commit(self.member, self.epoch)
        elif chance < 0.78:
            await self.offsets.fetch(self.group, STAYS).wait
        elif chance < 0.82:
            await self._leave()
        elif chance < 0.85:
            await self.world.sleep(self.rng.randrange(4_000))
        elif chance < 0.88:
            self.client.hang_up()
        elif chance < 0.91:
            self._subscribe()
            self.must_say_all = True
        elif chance < 0.93:
            self._forget()
        elif chance < 0.95:
            self._drop()
        elif chance < 0.97:
            await self._describe()
        elif self.stale is not None:
            await self._act_stale(*self.stale)

    async def _heartbeat(self) -> None:
        joins = self.epoch == JOIN
        self._revoke()
        says_all = joins or self.must_say_all or self.rng.random() < 0.2
        owned = set(self.owner.owned)
        request = ConsumerGroupHeartbeatRequest(
            group_id=self.group, member_id=self.member, member_epoch=self.epoch, instance_id=self.instance
        )
        if says_all:
            request.rebalance_timeout_ms = self.rebalance_ms
            request.subscribed_topic_names = [*self.names]
            request.subscribed_topic_regex = self.regex
            request.server_assignor = self.assignor
        if says_all or owned != self.acknowledged:
            request.topic_partitions = _by_topic(owned)
        asked, answer, sent_ms = await self._ask(request)
        if answer.error_code != NONE:
            self._refused(answer.error_code)
            return
        self.must_say_all = not asked.connection.open
        self.laws.epoch_read(asked, self.group, self.epoch, answer.member_epoch)
        self.epoch = answer.member_epoch
        self.owner.seen(sent_ms)
        if request.topic_partitions is not None:
            self.acknowledged = owned
            if not self.to_revoke:
                self.owner.revoked()
        if answer.assignment is not None:
            self._follow(answer.assignment, sent_ms)
        self.owner.answered()

    async def _ask(self, request: ConsumerGroupHeartbeatRequest) -> tuple[Asked, Any, int]:
        if self.client.connection is None:
            await self.client.connect()
        sent_ms = self.world.clock.steady_ms()
        self.owner.asks(sent_ms)
        version = 1 if request.subscribed_topic_regex else self.rng.choice((0, 1))
        asked, answer = await self.client.ask("ConsumerGroupHeartbeat", version, request)
        return asked, answer, sent_ms

    def _revoke(self) -> None:
        """Give up what the broker has taken, at once or some time later."""
        if self.to_revoke and (not self.revokes_slowly or self.rng.random() < 0.5):
            self.owner.owned -= self.to_revoke
            self.to_revoke.clear()

    def _follow(self, assignment: Any, sent_ms: int) -> None:
        given = {
            (bytes(topic.topic_id), partition)
            for topic in assignment.topic_partitions
            for partition in topic.partitions
        }
        self.to_revoke = self.owner.owned - given
        if self.to_revoke:
            self.owner.revoking(sent_ms)
        self.owner.own(given)

    async def _commit(self, member: str, epoch: int, *, follow: bool = True) -> None:
        asked, _ = self.offsets.commit(self.group, STAYS, generation=epoch, member=member, version=9)
        answer = await asked.wait
        code = answer.topics[0].partitions[0].error_code
        if code == NONE:
            self.laws.was_member(asked, self.group, member)
        elif follow and code == UNKNOWN_MEMBER_ID:
            self._refused(code)

    async def _leave(self) -> None:
        """Leave, as a static member possibly for a while only."""
        member, instance = self.member, self.instance
        self._drop()
        epoch = STATIC_LEAVE if instance is not None and self.rng.random() < 0.6 else LEAVE
        request = ConsumerGroupHeartbeatRequest(
            group_id=self.group, member_id=member, member_epoch=epoch, instance_id=instance
        )
        asked, answer, _ = await self._ask(request)
        if answer.error_code == NONE and epoch == LEAVE:
            self.laws.left(asked, member)
        self._forget()

    async def _act_stale(self, member: str, epoch: int) -> None:
        """Act like a client whose requests were delayed for long."""
        if self.rng.random() < 0.5:
            await self._commit(member, epoch, follow=False)
            return
        request = ConsumerGroupHeartbeatRequest(
            group_id=self.group, member_id=member, member_epoch=epoch, instance_id=self.instance
        )
        asked, answer, _ = await self._ask(request)
        if answer.error_code == NONE:
            self.laws.was_member(asked, self.group, member)
            # It is the current member after all: the response may have given it partitions.
            self.must_say_all = True

    async def _describe(self) -> None:
        """Describe the group: no partition is assigned twice."""
        request = ConsumerGroupDescribeRequest([self.group])
        _, answer = await self.client.ask("ConsumerGroupDescribe", self.rng.choice((0, 1)), request)
        group = answer.groups[0]
        if group.error_code == NONE:
            self.laws.described(group)

    def _refused(self, code: int) -> None:
        if code == FENCED_INSTANCE_ID:
            self._forget()
        elif code in (FENCED_MEMBER_EPOCH, UNKNOWN_MEMBER_ID):
            self._drop()
        elif self.regex == "(":
            self._subscribe()
        else:
            self.must_say_all = True


def _by_topic(places: set[Place]) -> list[ConsumerGroupHeartbeatRequestTopicPartitions]:
    topics: dict[bytes, list[int]] = {}
    for topic_id, partition in sorted(places):
        topics.setdefault(topic_id, []).append(partition)
    return [
        ConsumerGroupHeartbeatRequestTopicPartitions(topic_id, partitions)
        for topic_id, partitions in topics.items()
    ]


class ClassicConsumer(Member):
    """A classic member of a group that also has native members. It gives up everything before it joins."""

    def __init__(self, client: Client, group: str, instance: str | None) -> None:
        super().__init__(client, group, instance)
        # After a start it has the session of a native member, as in Kafka (GroupMetadataManager.onLoaded).
        session_ms = min(self.session_ms, self.laws.consumer_session_ms)
        self.owner = Owner(self, client.name, group, session_ms, self.rebalance_ms)
        self.syncs_ms = NEVER_SEEN_MS

    async def _join(self) -> None:
        self.owner.drop()
        await super()._join()

    async def _sync(self, member: str, key: tuple[str, int, str], *, follow: bool = True) -> None:
        self.syncs_ms = self.world.clock.steady_ms()
        await super()._sync(member, key, follow=follow)

    async def _leave(self) -> None:
        self.owner.drop()
        await super()._leave()

    def _forget(self) -> None:
        self.owner.drop()
        super()._forget()

    def _refused(self, code: int) -> None:
        if code not in (REBALANCE_IN_PROGRESS, NOT_COORDINATOR):
            self.owner.drop()
        super()._refused(code)

    async def _heartbeat(self, member: str, generation: int, *, follow: bool = True) -> int:
        sent_ms = self.world.clock.steady_ms()
        code = await super()._heartbeat(member, generation, follow=follow)
        if follow and self.generation == generation and code != NOT_COORDINATOR:
            self.owner.seen(sent_ms)
        return code

    def _assign(self, known: Generation, members: list[str]) -> None:
        """Assign as the leader of a classic group: the members of a classic group only read STAYS."""
        if known.brought:
            return
        turn = self.rng.randrange(len(members))
        for at, member in enumerate(members):
            mine = [each for each in range(PARTITIONS) if (each + turn) % len(members) == at]
            known.brought[member] = _assignment(mine)

    def _take(self, key: tuple[str, int, str], member: str, assignment: bytes) -> None:
        """Own what a SyncGroup returned. In a Stable group it does not renew the session: not sure yet."""
        self.owner.seen(self.syncs_ms)
        self.owner.revoked()
        topic_ids = self.laws.topic_ids()
        self.owner.own(
            {
                (topic_ids[topic], partition)
                for topic, partition in _assigned(assignment)
                if topic in topic_ids
            }
        )
        self.owner.seen(NEVER_SEEN_MS)


def _assignment(partitions: list[int]) -> bytes:
    """Return a ConsumerProtocolAssignment v0."""
    name = STAYS.encode()
    listed = struct.pack(f">{len(partitions) + 1}i", len(partitions), *partitions)
    topics = struct.pack(">ih", 1, len(name)) + name + listed if partitions else struct.pack(">i", 0)
    return b"\0\0" + topics + b"\xff\xff\xff\xff"


def _assigned(data: bytes) -> list[tuple[str, int]]:
    """Return the topics and partitions of a ConsumerProtocolAssignment of any version."""
    if not data:
        return []
    found = []
    (count,) = struct.unpack_from(">i", data, 2)
    at = 6
    for _ in range(count):
        (length,) = struct.unpack_from(">h", data, at)
        topic = data[at + 2 : at + 2 + length].decode()
        (partitions,) = struct.unpack_from(">i", data, at + 2 + length)
        at += 6 + length
        found += [(topic, each) for each in struct.unpack_from(f">{partitions}i", data, at)]
        at += 4 * partitions
    return found
