"""Actors of a streams group (KIP-1071): members that run its tasks.

All members of a world have the same topology, which Kafka cannot change yet. A member reports its tasks when
they have changed. The broker names the tasks of a member only when they change, or when it joins. So a member
that has missed a response does not know its tasks, until it joins again or they change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tests.faults.simulation.actors import COMES_AND_GOES, NONE, PARTITIONS, STAYS, Offsets
from tests.faults.simulation.brokers import NOT_COORDINATOR
from tests.faults.simulation.clients import Actor, Asked, Client, Lost
from tests.faults.simulation.consumers import (
    FENCED_INSTANCE_ID,
    JOIN,
    LEAVE,
    NEVER_SEEN_MS,
    STATIC_LEAVE,
    UNKNOWN_MEMBER_ID,
    Owner,
)
from tests.faults.simulation.streams_laws import STREAMERS, Place, Task, tasks_of
from tidemark_protocol.messages import streams_group_heartbeat as heartbeat
from tidemark_protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from tidemark_protocol.messages.streams_group_describe import StreamsGroupDescribeRequest

if TYPE_CHECKING:
    from random import Random

    from tests.faults.simulation.world import World

UNKNOWN_SERVER_ERROR, COORDINATOR_NOT_AVAILABLE, GROUP_MAX_SIZE_REACHED = -1, 15, 81
UNRELEASED_INSTANCE_ID: Final = 111
MISSING_SOURCE_TOPICS: Final = 1  # a status
CHANGELOG: Final = "streamers-store-changelog"
REPARTITION: Final = "streamers-again-repartition"
WHILE_AWAY_MS_MAX: Final = 2_000


def settings(rng: Random) -> dict[str, str]:
    """Draw the settings of a seed with a streams group."""
    return {
        "group.streams.min.session.timeout.ms": "1",
        "group.streams.session.timeout.ms": rng.choice(("600", "3000", "10000")),
        "group.streams.min.heartbeat.interval.ms": "1",
        "group.streams.heartbeat.interval.ms": "100",
        "group.streams.assignment.interval.ms": rng.choice(("0", "0", "1000")),
        "group.streams.initial.rebalance.delay.ms": rng.choice(("0", "0", "500")),
        "group.streams.max.size": rng.choice(("3", "1000", "1000")),
        "group.streams.num.standby.replicas": rng.choice(("0", "1")),
    }


def topology(world: World) -> heartbeat.Topology:
    """Draw the topology of a world: two subtopologies, and sometimes one whose source comes and goes."""
    rng = world.rng("streams topology")
    first = heartbeat.Subtopology(
        "0",
        source_topics=[STAYS],
        state_changelog_topics=[heartbeat.TopicInfo(CHANGELOG)],
        repartition_sink_topics=[REPARTITION],
    )
    second = heartbeat.Subtopology(
        "1", repartition_source_topics=[heartbeat.TopicInfo(REPARTITION, rng.choice((0, 2)))]
    )
    third = heartbeat.Subtopology("2", source_topics=[COMES_AND_GOES])
    return heartbeat.Topology(
        rng.choice((0, 3)), [first, second, third] if rng.random() < 0.4 else [first, second]
    )


class TaskOwner(Owner):
    """One member's view of its active tasks. is_away: it left for a while as a static member."""

    def __init__(self, actor: Streamer, session_ms: int, rebalance_ms: int) -> None:
        super().__init__(actor, actor.client.name, STREAMERS, session_ms, rebalance_ms)
        self.instance = actor.instance
        self.is_away = False
        self.owned: set[Any] = set()
        self._heard_ms = NEVER_SEEN_MS

    @property
    def is_unanswered(self) -> bool:
        return self._unanswered_ms is not None

    def may_have_asked(self, since_ms: int) -> bool:
        """Return whether the broker may have served a heartbeat since then."""
        return self.is_unanswered or self._heard_ms >= since_ms

    def answered(self) -> None:
        super().answered()
        self._heard_ms = self._world.clock.steady_ms()

    def own(self, tasks: set[Any]) -> None:
        if self.is_sure():
            self._laws.streams.owns(self, tasks - self.owned)
        self.owned |= tasks

    def leave_for_a_while(self, epoch: int, tasks: set[Task]) -> Place:
        self.drop()
        self.owned |= tasks
        self.is_away = True
        return Place(epoch, tasks, self._seen_ms + self._session_ms)

    def drop(self) -> None:
        super().drop()
        self.is_away = False


class Streamer(Actor):
    """A member: joins, sends heartbeats, gives up tasks, commits, leaves, falls silent, returns."""

    PAUSE_MS = 200

    def __init__(self, client: Client, instance: str | None) -> None:
        super().__init__(client)
        self.offsets = Offsets(client)
        self.topology = topology(self.world)
        self.laws.streams.sources.update(*(each.source_topics for each in self.topology.subtopologies))
        self.may_miss_topics = len(self.topology.subtopologies) > 2
        self.instance = instance if self.laws.streams.is_static else None
        self.number = 0
        self.member = ""
        self.epoch = JOIN
        self.stale: tuple[str, int] | None = None
        self.rebalance_ms = self.rng.choice((300, 2_000, 10_000))
        self.owner = TaskOwner(self, self.laws.streams.session_ms, self.rebalance_ms)
        self.copies: set[Task] = set()  # its standby tasks
        self.to_revoke: set[Task] = set()
        self.revokes_slowly = self.rng.random() < 0.4
        self.reported: tuple[set[Task], set[Task]] = (set(), set())
        self.must_report = True
        self.missed = False  # a response, which may have changed the tasks
        self.place: Place | None = None  # if it left for a while
        self.endpoints = 0  # the epoch of the endpoints that it knows
        self.statuses: set[int] = set()
        self._forget()

    def _forget(self) -> None:
        """Start as a new client."""
        self._drop()
        self.number += 1
        self.member = f"{self.client.name}-{self.number}"
        self.process = f"process-{self.rng.choice((self.client.name, 'shared'))}"
        self.endpoint = self._any_endpoint()

    def _any_endpoint(self) -> heartbeat.StreamsGroupHeartbeatRequestEndpoint | None:
        """Return an endpoint. In Kafka, requests fail if a member has one and a source topic is missing."""
        port = 0 if self.may_miss_topics else self.rng.choice((0, 0, 1, 2))
        return heartbeat.StreamsGroupHeartbeatRequestEndpoint(self.client.name, port) if port else None

    def _drop(self) -> None:
        """Give up all tasks: the next heartbeat joins."""
        if self.epoch > 0:
            self.stale = (self.member, self.epoch)
        self.epoch = JOIN
        self.owner.drop()
        self.copies = set()
        self.to_revoke.clear()
        self.missed = False
        self.place = None

    def lost(self) -> None:
        self.must_report = True
        if self.owner.is_unanswered:
            self._miss()
            if self.rng.random() < 0.6:
                self._drop()

    def _miss(self) -> None:
        """A response is missing. It may have taken tasks, and the time for that runs."""
        self.missed = self.must_report = True
        self.owner.revoking(self.world.clock.steady_ms())

    async def step(self) -> None:
        if self.epoch == JOIN:
            await self._heartbeat()
            return
        chance = self.rng.random()
        if chance < 0.58:
            await self._heartbeat()
        elif chance < 0.70:
            await self._commit(self.member, self.epoch)
        elif chance < 0.73:
            await self.offsets.fetch(STREAMERS, STAYS).wait
        elif chance < (0.84 if self.instance is not None else 0.78):
            await self._leave()
        elif chance < 0.86:
            await self.world.sleep(self.rng.randrange(4_000))
        elif chance < 0.88:
            self.client.hang_up()
        elif chance < 0.90:
            self._forget()
        elif chance < 0.92 or (self.missed and chance < 0.94):
            self._drop()
        elif chance < 0.95:
            await self._describe()
        elif chance < 0.97:
            self.process = f"process-{self.rng.choice((self.client.name, 'shared', 'other'))}"
            self.endpoint = self._any_endpoint()
            await self._heartbeat(is_full=True)
        elif chance < 0.98:
            await self._delete_topic()
        elif self.stale is not None:
            await self._act_stale(*self.stale)

    # heartbeats

    async def _heartbeat(self, *, is_full: bool = False) -> None:
        """Join or be alive. is_full: with everything but the topology"""
        self._revoke()
        joins = self.epoch == JOIN
        owned, copies = set(self.owner.owned), self.copies - self.owner.owned
        request = self._request(self.member, self.epoch)
        place, self.place = self.place, None
        if joins:
            request.topology = self.topology
            self.owner.drop()
            owned, copies = set(), set()
            if self.instance is not None:
                self.laws.streams.joins(self.instance)
        if joins or is_full or self.rng.random() < 0.1:
            request.rebalance_timeout_ms = self.rebalance_ms
            request.process_id = self.process
            request.user_endpoint = self.endpoint
            request.client_tags = [heartbeat.KeyValue("zone", "a")]
        if joins or self.must_report or (owned, copies) != self.reported or self.rng.random() < 0.2:
            request.active_tasks = _listed(owned)
            request.standby_tasks = _listed(copies)
            request.warmup_tasks = []
        if self.laws.streams.is_static and self.rng.random() < 0.1:
            request.task_offsets = [
                heartbeat.TaskOffset(*task, self.rng.randrange(100)) for task in sorted(owned | copies)
            ]
        asked, answer, sent_ms = await self._ask(request)
        self.statuses = {each.status_code for each in answer.status or ()}
        if answer.error_code != NONE:
            await self._refused(answer.error_code)
            return
        self.laws.epoch_read(asked, STREAMERS, self.epoch, answer.member_epoch)
        self.laws.streams.listed(answer.partitions_by_user_endpoint)
        self.endpoints = answer.endpoint_information_epoch
        self.epoch = answer.member_epoch
        self.owner.seen(sent_ms)
        self.must_report = self.missed or not asked.connection.open
        if request.active_tasks is not None:
            self.reported = owned, copies
            if not self.to_revoke and not self.missed:
                self.owner.revoked()
        if answer.active_tasks is not None:
            given = tasks_of(answer.active_tasks)
            if place is not None:
                self.laws.streams.returned(self.member, place, answer.member_epoch, given)
            self._follow(given, tasks_of(answer.standby_tasks), sent_ms)
        self.owner.answered()

    def _request(self, member: str, epoch: int) -> heartbeat.StreamsGroupHeartbeatRequest:
        return heartbeat.StreamsGroupHeartbeatRequest(
            STREAMERS,
            member,
            epoch,
            endpoint_information_epoch=self.endpoints if self.rng.random() < 0.7 else 0,
            instance_id=self.instance,
        )

    async def _ask(self, request: heartbeat.StreamsGroupHeartbeatRequest) -> tuple[Asked, Any, int]:
        if self.client.connection is None:
            await self.client.connect()
        sent_ms = self.world.clock.steady_ms()
        self.owner.asks(sent_ms)
        version = self.rng.choice((0, 1)) if self.laws.streams.is_static else 0
        asked, answer = await self.client.ask("StreamsGroupHeartbeat", version, request)
        return asked, answer, sent_ms

    def _revoke(self) -> None:
        """Give up what the broker has taken, at once or some time later."""
        if self.to_revoke and (not self.revokes_slowly or self.rng.random() < 0.4):
            self.owner.owned -= self.to_revoke
            self.to_revoke.clear()

    def _follow(self, given: set[Task], copies: set[Task], sent_ms: int) -> None:
        self.to_revoke = self.owner.owned - given
        if self.to_revoke or self.copies - copies:
            self.owner.revoking(sent_ms)
        self.copies = copies
        self.missed = False
        self.owner.own(given)

    async def _refused(self, code: int) -> None:
        if code == UNKNOWN_SERVER_ERROR:
            self.world.break_law("streams refusal", f"{self.member} is refused without a reason")
        if code == COORDINATOR_NOT_AVAILABLE:
            self._miss()
        elif code in (NOT_COORDINATOR, GROUP_MAX_SIZE_REACHED, UNRELEASED_INSTANCE_ID):
            self.must_report = True
            if not self.missed:
                self.owner.answered()
            # It has not left, or another member has the instance.
            if code == UNRELEASED_INSTANCE_ID and self.rng.random() < 0.3:
                await self._leave()
        elif code == FENCED_INSTANCE_ID:
            self._forget()
        else:
            self._drop()

    # the rest

    async def _commit(self, member: str, epoch: int, *, follow: bool = True) -> None:
        asked, _ = self.offsets.commit(STREAMERS, STAYS, generation=epoch, member=member, version=9)
        answer = await asked.wait
        code = answer.topics[0].partitions[0].error_code
        if code == NONE:
            self.laws.was_member(asked, STREAMERS, member)
        elif follow and code == UNKNOWN_MEMBER_ID:
            self._drop()

    async def _leave(self) -> None:
        """Leave, as a static member usually for a while only."""
        member, epoch = self.member, self.epoch
        keeps = set() if self.missed or self.owner.is_unanswered else self.owner.owned - self.to_revoke
        self._drop()
        how = STATIC_LEAVE if self.instance is not None and self.rng.random() < 0.8 else LEAVE
        asked, answer, sent_ms = await self._ask(self._request(member, how))
        self.owner.answered()
        if answer.error_code == NONE and how == LEAVE:
            self.laws.left(asked, member)
        self._forget()
        if how == LEAVE or answer.error_code != NONE:
            return
        if not self.laws.streams.is_contested(self.owner, sent_ms):
            self.place = self.owner.leave_for_a_while(epoch, keeps)
        await self.world.sleep(self.rng.randrange(WHILE_AWAY_MS_MAX))

    async def _act_stale(self, member: str, epoch: int) -> None:
        """Act like a client whose requests were delayed for long."""
        if self.rng.random() < 0.5:
            await self._commit(member, epoch, follow=False)
            return
        asked, answer, _ = await self._ask(self._request(member, epoch))
        if answer.error_code == NONE:
            self.laws.was_member(asked, STREAMERS, member)
            self._miss()  # it is the current member after all: the response may have changed its tasks
        elif not self.missed:
            self.owner.answered()

    async def _describe(self) -> None:
        version = self.rng.choice((0, 1)) if self.laws.streams.is_static else 0
        _, answer = await self.client.ask(
            "StreamsGroupDescribe", version, StreamsGroupDescribeRequest([STREAMERS])
        )
        group = answer.groups[0]
        if group.error_code == NONE:
            self.laws.streams.described(group)

    async def _delete_topic(self) -> None:
        """Delete an internal topic, which the coordinator then creates again, or the group."""
        if self.rng.random() < 0.5:
            await self.offsets.delete_group(STREAMERS).wait  # usually, it has members
            return
        name = self.rng.choice((CHANGELOG, REPARTITION)) if self.may_miss_topics else CHANGELOG
        request = DeleteTopicsRequest([DeleteTopicState(name)], timeout_ms=30_000)
        await self.client.ask("DeleteTopics", 6, request)


class LastStreamer(Streamer):
    """A member that stays once all faults and other members have ended, until the group rests."""

    PAUSE_MS = 200

    def __init__(self, client: Client) -> None:
        super().__init__(client, None)
        self.revokes_slowly = False
        self.others: list[LastStreamer] = []

    async def run(self) -> None:
        while self.what_is_left():
            try:
                await self.client.connect(at_rest=True)
                if self.missed:
                    self._drop()
                await self._heartbeat()
            except Lost:
                self.lost()
            await self.world.sleep(self.PAUSE_MS)
        self.client.hang_up()

    def what_is_left(self) -> str:
        """Return why the group does not rest yet."""
        topics = self.laws.topic_ids()
        if any(each.epoch == JOIN or each.missed for each in self.others):
            return "a member has not joined"
        owned = [each.owner.owned for each in self.others]
        if self.may_miss_topics and COMES_AND_GOES not in topics:
            told = all(MISSING_SOURCE_TOPICS in each.statuses for each in self.others)
            return "" if told and not any(owned) else f"{COMES_AND_GOES} is missing, and members have {owned}"
        repartitions = self.topology.subtopologies[1].repartition_source_topics[0].partitions or PARTITIONS
        wanted = [("0", each) for each in range(PARTITIONS)] + [("1", each) for each in range(repartitions)]
        if self.may_miss_topics:
            wanted += [("2", each) for each in range(PARTITIONS)]
        found = sorted(task for tasks in owned for task in tasks)
        return "" if found == sorted(wanted) else f"members have {owned}, not {wanted}"


def _listed(tasks: set[Task]) -> list[heartbeat.StreamsGroupHeartbeatRequestTaskIds]:
    partitions: dict[str, list[int]] = {}
    for subtopology, partition in sorted(tasks):
        partitions.setdefault(subtopology, []).append(partition)
    return [heartbeat.StreamsGroupHeartbeatRequestTaskIds(*each) for each in partitions.items()]
