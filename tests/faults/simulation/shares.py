"""Actors of share groups (KIP-932): members, a producer of their records, and an administrator.

A member has a share session with each broker that leads one of its partitions. It acknowledges what it has
in ranges, in any order, and sometimes what it does not have.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tests.faults.simulation.actors import NONE, PARTITIONS, Offsets, create_topic, strangers
from tests.faults.simulation.brokers import node_of
from tests.faults.simulation.clients import Actor, Asked, Client, Lost
from tests.faults.simulation.laws import Write
from tests.faults.simulation.letter_laws import QUEUE
from tests.faults.simulation.share_laws import SHARED, SHARERS, Place
from tidemark.share.partition import ACCEPT, REJECT, RELEASE, RENEW
from tidemark_protocol.batch import LogRecord, build_batch, headers, records
from tidemark_protocol.messages import share_acknowledge, share_fetch
from tidemark_protocol.messages.alter_share_group_offsets import (
    AlterShareGroupOffsetsRequest,
    AlterShareGroupOffsetsRequestPartition,
    AlterShareGroupOffsetsRequestTopic,
)
from tidemark_protocol.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from tidemark_protocol.messages.delete_share_group_offsets import (
    DeleteShareGroupOffsetsRequest,
    DeleteShareGroupOffsetsRequestTopic,
)
from tidemark_protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from tidemark_protocol.messages.describe_share_group_offsets import (
    DescribeShareGroupOffsetsRequest,
    DescribeShareGroupOffsetsRequestGroup,
)
from tidemark_protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from tidemark_protocol.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from tidemark_protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from tidemark_protocol.messages.share_group_heartbeat import ShareGroupHeartbeatRequest

if TYPE_CHECKING:
    from random import Random

    from tests.faults.simulation.network import Connection
    from tidemark.share.partition import SharePartition

JOIN: Final = 0
LEAVE: Final = -1
FIRST: Final = 0  # epochs of a session
FINAL: Final = -1
GROUP_RESOURCE: Final = 32
SET: Final = 0
UNKNOWN_MEMBER_ID, FENCED_MEMBER_EPOCH = 25, 110
MAX_BYTES: Final = 1 << 20
REQUESTS_AT_ONCE_MAX: Final = 8  # of held ranges that one request acknowledges
Range = tuple[int, int, list[int]]  # first and last offset, and types as in a request


def settings(rng: Random) -> dict[str, str]:
    """Draw the settings of a seed with share groups."""
    return {
        "group.share.min.session.timeout.ms": "1",
        "group.share.session.timeout.ms": rng.choice(("600", "3000", "10000")),
        "group.share.min.heartbeat.interval.ms": "1",
        "group.share.heartbeat.interval.ms": "100",
        "group.share.assignment.interval.ms": rng.choice(("0", "0", "1000")),
        "group.share.max.size": rng.choice(("2", "200", "200", "200")),
        "group.share.max.share.sessions": rng.choice(("2", "2000", "2000", "2000")),
        "group.share.min.record.lock.duration.ms": "1000",
        "group.share.record.lock.duration.ms": rng.choice(("1000", "1000", "3000", "30000")),
        "group.share.delivery.count.limit": rng.choice(("2", "5", "5")),
        "share.coordinator.state.topic.num.partitions": rng.choice(("1", "1", "3")),
        "share.coordinator.snapshot.update.records.per.snapshot": rng.choice(("0", "3", "20", "500")),
        "share.coordinator.state.topic.prune.interval.ms": rng.choice(("300000", "500")),
        "share.coordinator.cold.partition.snapshot.interval.ms": rng.choice(("300000", "1000")),
    }


async def set_up(client: Client) -> bool:
    """Create the topic, and let the group begin with the first record. Return if all of that is done."""
    if not await create_topic(client, SHARED, {"flush.messages": "1"}):
        return False
    config = AlterableConfig("share.auto.offset.reset", SET, "earliest")
    request = IncrementalAlterConfigsRequest([AlterConfigsResource(GROUP_RESOURCE, SHARERS, [config])])
    _, answer = await client.ask("IncrementalAlterConfigs", 1, request)
    return bool(answer.responses[0].error_code == NONE)


def letter_settings(rng: Random) -> dict[str, str]:
    """Draw the settings of a seed whose share group has a dead-letter queue."""
    return {"errors.deadletterqueue.auto.create.topics.enable": rng.choice(("false", "false", "true"))}


async def set_up_letters(client: Client) -> bool:
    """Create the dead-letter queue, unless the broker does it, and name it. Return if all of that is done."""
    letters = client.laws.shares.letters
    if letters.is_synced and not await create_topic(
        client, QUEUE, {"flush.messages": "1", "errors.deadletterqueue.group.enable": "true"}
    ):
        return False
    configs = [
        AlterableConfig("errors.deadletterqueue.topic.name", SET, QUEUE),
        AlterableConfig("errors.deadletterqueue.copy.record.enable", SET, str(letters.copies).lower()),
    ]
    request = IncrementalAlterConfigsRequest([AlterConfigsResource(GROUP_RESOURCE, SHARERS, configs)])
    _, answer = await client.ask("IncrementalAlterConfigs", 1, request)
    return bool(answer.responses[0].error_code == NONE)


class LetterReader(Actor):
    """Reads the dead-letter queue from its beginning, again and again."""

    PAUSE_MS = 700

    async def step(self) -> None:
        indexes = range(PARTITIONS) if self.laws.shares.letters.is_synced else (0,)
        wanted = [FetchPartition(index, partition_max_bytes=MAX_BYTES) for index in indexes]
        request = FetchRequest(max_wait_ms=0, min_bytes=1, topics=[FetchTopic(QUEUE, partitions=wanted)])
        _, answer = await self.client.ask("Fetch", self.rng.choice((4, 11, 12)), request)
        for each in answer.responses[0].partitions if answer.responses else ():
            data = bytes(each.records or b"")
            for position, header in headers(data):
                for letter in records(data, position, header):
                    self.world.count("dead letters")
                    self.laws.shares.letters.read(each.partition_index, letter)


class ShareProducer(Actor):
    """Writes each record once to the topic of share groups."""

    PAUSE_MS = 250

    def __init__(self, client: Client) -> None:
        super().__init__(client)
        self.number = 0

    async def step(self) -> None:
        topic_id = self.laws.topic_ids().get(SHARED)
        if topic_id is None:
            return
        place = (topic_id, self.rng.randrange(PARTITIONS))
        values = [f"shared-{self.number + each}" for each in range(self.rng.choice((1, 2, 8)))]
        self.number += len(values)
        now_ms = self.world.clock.wall_ms()
        batch = build_batch(
            [LogRecord(index, now_ms, None, value.encode()) for index, value in enumerate(values)]
        )
        known = self.laws.log(place)
        known.sent.update(values)
        topic = TopicProduceData(
            topic_id=topic_id, partition_data=[PartitionProduceData(place[1], bytes(batch))]
        )
        _, answer = await self.client.ask("Produce", 13, ProduceRequest(None, -1, 1_000, [topic]))
        told = answer.responses[0].partition_responses[0]
        if told.error_code == NONE:
            known.acked |= {told.base_offset + index: value for index, value in enumerate(values)}


class Session(NamedTuple):
    """A share session with one broker.

    epoch      of the next request
    fetched    its partitions
    opened_on  the broker ends the session with this connection, even if another one has gone on with it
    """

    epoch: int
    fetched: set[Place]
    opened_on: Connection


class ShareMember(Actor):
    """A member: joins, fetches, acknowledges, leaves, falls silent, begins anew."""

    PAUSE_MS = 150

    def __init__(self, client: Client) -> None:
        super().__init__(client)
        self.member = ""
        self.epoch = JOIN
        self.assigned: set[Place] = set()
        self.sessions: dict[int, Session] = {}  # by broker
        self.held: dict[Place, list[tuple[int, int]]] = {}
        self.careless = self.rng.random() < 0.3  # lets many locks end
        self._forget()

    @property
    def shares(self) -> Any:
        return self.laws.shares

    def _forget(self) -> None:
        """Start as a new client."""
        self._drop_sessions()
        self.member = base64.urlsafe_b64encode(self.rng.randbytes(16)).decode().rstrip("=")
        self.epoch = JOIN
        self.assigned.clear()

    def _drop_sessions(self) -> None:
        self.shares.forgets(self.member)
        self.sessions.clear()
        self.held.clear()

    def lost(self) -> None:
        self._drop_sessions()

    def end(self) -> None:
        self._drop_sessions()

    async def step(self) -> None:
        if self.epoch == JOIN:
            await self._heartbeat()
            return
        chance = self.rng.random()
        if chance < 0.25:
            await self._heartbeat()
        elif chance < 0.60:
            await self._fetch()
        elif chance < (0.62 if self.careless else 0.84):
            await self._acknowledge()
        elif chance < 0.86:
            await self._leave()
        elif chance < 0.89:
            await self.world.sleep(self.rng.randrange(3_000))
        elif chance < 0.91:
            self.client.hang_up()
        elif chance < 0.92:
            self._forget()
        elif chance < 0.94:
            await self._acknowledge(self._strange_ranges())

    # the group

    async def _heartbeat(self) -> None:
        request = ShareGroupHeartbeatRequest(SHARERS, self.member, self.epoch)
        if self.epoch == JOIN or self.rng.random() < 0.1:
            request.subscribed_topic_names = [SHARED]
        asked, answer = await self.client.ask("ShareGroupHeartbeat", 1, request)
        if answer.error_code == NONE:
            self.laws.epoch_read(asked, SHARERS, self.epoch, answer.member_epoch)
            self.epoch = answer.member_epoch
            if answer.assignment is not None:
                self.assigned = {
                    (bytes(topic.topic_id), index)
                    for topic in answer.assignment.topic_partitions
                    for index in topic.partitions
                }
        elif answer.error_code in (UNKNOWN_MEMBER_ID, FENCED_MEMBER_EPOCH):
            self.epoch = JOIN

    async def _leave(self) -> None:
        """End all sessions, or some of them, and leave."""
        for node_id in [*self.sessions]:
            if self.rng.random() < 0.8:
                await self._acknowledge_at(node_id, {}, FINAL)
        request = ShareGroupHeartbeatRequest(SHARERS, self.member, LEAVE)
        await self.client.ask("ShareGroupHeartbeat", 1, request)
        self._forget()

    # fetches

    def _by_node(self) -> dict[int, set[Place]]:
        """Return the assigned partitions by the broker that leads them."""
        process = self.client.node.process
        found: dict[int, set[Place]] = {}
        for place in sorted(self.assigned):
            node_id = None if process is None or not process.serving else node_of(process, *place)
            if node_id is not None:
                found.setdefault(node_id, set()).add(place)
        return found

    async def _fetch(self) -> None:
        nodes = self._by_node()
        if not nodes:
            return
        node_id = self.rng.choice(sorted(nodes))
        wanted = nodes[node_id]
        if self.rng.random() < 0.05:
            node_id = self.client.node.any_broker(self.rng)
        acknowledged = self._choose(node_id) if self.rng.random() < 0.5 else {}
        acknowledged = {
            place: [each for each in ranges if RENEW not in each[2]] for place, ranges in acknowledged.items()
        }
        await self._fetch_at(node_id, wanted, {place: each for place, each in acknowledged.items() if each})

    async def _fetch_at(
        self, node_id: int, wanted: set[Place], acknowledged: dict[Place, list[Range]], max_wait_ms: int = -1
    ) -> None:
        session = self.sessions.get(node_id)
        epoch, fetched = (FIRST, set()) if session is None else (session.epoch, session.fetched)
        if epoch == FIRST:
            acknowledged = {}
        named = {place: acknowledged.get(place, []) for place in sorted((wanted - fetched) | {*acknowledged})}
        request = share_fetch.ShareFetchRequest(
            SHARERS,
            self.member,
            epoch,
            max_wait_ms=self.rng.choice((0, 100, 500)) if max_wait_ms < 0 else max_wait_ms,
            min_bytes=1,
            max_bytes=MAX_BYTES,
            max_records=self.rng.choice((1, 5, 500)),
            batch_size=self.rng.choice((1, 5, 500)),
            share_acquire_mode=self.rng.choice((0, 1)),
            topics=[
                share_fetch.FetchTopic(
                    topic_id,
                    [
                        share_fetch.FetchPartition(
                            index, [share_fetch.AcknowledgementBatch(*each) for each in ranges]
                        )
                        for (of, index), ranges in named.items()
                        if of == topic_id
                    ],
                )
                for topic_id in sorted({place[0] for place in named})
            ],
            forgotten_topics_data=[
                share_fetch.ForgottenTopic(*_place(place)) for place in sorted(fetched - wanted)
            ],
        )
        version = self.rng.choice((1, 2))
        if version == 1:
            request.share_acquire_mode = 0
        self.sessions.pop(node_id, None)
        if epoch == FIRST:
            self._session_replaced(node_id)
        self._sending(acknowledged)
        self.shares.unanswered_fetches += 1
        asked, answer, before, sent_ms = await self._ask("ShareFetch", version, request, node_id)
        self.shares.unanswered_fetches -= 1
        if answer.error_code != NONE:
            return
        opened_on = asked.connection if session is None else session.opened_on
        self.sessions[node_id] = Session(epoch + 1, (fetched & wanted) | {*named}, opened_on)
        for topic in answer.responses:
            for data in topic.partitions:
                place = (bytes(topic.topic_id), data.partition_index)
                share = self._same(asked, place, before)
                if place in acknowledged and not data.acknowledge_error_code:
                    self._confirmed(asked, place, share, sent_ms, acknowledged[place])
                self._received(asked, place, share, opened_on, sent_ms, data)

    def _session_replaced(self, node_id: int) -> None:
        """Begin a session in place of one that the broker may still know."""
        process = self.client.node.process
        for place in [*self.held]:
            if process is None or not process.serving or node_of(process, *place) in (node_id, None):
                del self.held[place]

    def _received(
        self, asked: Asked, place: Place, share: Any, opened_on: Connection, sent_ms: int, data: Any
    ) -> None:
        given = [(each.first_offset, each.last_offset, each.delivery_count) for each in data.acquired_records]
        if not given:
            return
        values: dict[int, str] = {}
        read = bytes(data.records or b"")
        for position, header in headers(read):
            for record in records(read, position, header):
                values[record.offset] = bytes(record.value or b"").decode()
        self.world.count("share deliveries")
        self.shares.acquired(asked, self.member, place, share, opened_on, sent_ms, given, values)
        self.held.setdefault(place, []).extend((first, last) for first, last, _ in given)

    # acknowledgements

    def _choose(self, node_id: int) -> dict[Place, list[Range]]:
        """Choose what to acknowledge of that which a broker has delivered, and how."""
        session = self.sessions.get(node_id)
        fetched = set() if session is None else session.fetched
        chosen: dict[Place, list[Range]] = {}
        for place in sorted(fetched & self.held.keys()):
            left: list[tuple[int, int]] = []
            for first, last in sorted(self.held[place]):
                chance = self.rng.random()
                if chance < 0.2 or len(chosen.get(place, ())) >= REQUESTS_AT_ONCE_MAX:
                    left.append((first, last))
                    continue
                if chance < 0.4 and first < last:  # the first part only
                    left.append((self.rng.randint(first + 1, last), last))
                    last = left[-1][0] - 1
                types = self._types(last - first + 1)
                chosen.setdefault(place, []).append((first, last, types))
                if RENEW in types:
                    left.append((first, last))
            self.held[place] = left
        return chosen

    def _types(self, count: int) -> list[int]:
        kinds = (ACCEPT, ACCEPT, ACCEPT, RELEASE, REJECT)
        if self.rng.random() < 0.1:
            return [RENEW]
        if self.rng.random() < 0.6:
            return [self.rng.choice(kinds)]
        return [self.rng.choice(kinds) for _ in range(count)]

    def _strange_ranges(self) -> dict[Place, list[Range]]:
        """Return an acknowledgement of what another member has, or of anything."""
        if not self.assigned:
            return {}
        place = self.rng.choice(sorted(self.assigned))
        first, last = self.shares.any_hold(self.rng, place, self.member)
        return {place: [(first, last, [self.rng.choice((ACCEPT, RELEASE, REJECT))])]}

    async def _acknowledge(self, chosen: dict[Place, list[Range]] | None = None) -> None:
        if self.sessions:
            node_id = self.rng.choice(sorted(self.sessions))
            if chosen is None:
                chosen = self._choose(node_id)
            ends = self.rng.random() < 0.05
            await self._acknowledge_at(node_id, chosen, FINAL if ends else self.sessions[node_id].epoch)

    async def _acknowledge_at(self, node_id: int, chosen: dict[Place, list[Range]], epoch: int) -> None:
        """Send acknowledgements. With FINAL as the epoch, end the session."""
        renews = any(RENEW in types for ranges in chosen.values() for _, _, types in ranges)
        request = share_acknowledge.ShareAcknowledgeRequest(
            SHARERS,
            self.member,
            epoch,
            is_renew_ack=renews,
            topics=[
                share_acknowledge.AcknowledgeTopic(
                    place[0],
                    [
                        share_acknowledge.AcknowledgePartition(
                            place[1], [share_acknowledge.AcknowledgementBatch(*each) for each in ranges]
                        )
                    ],
                )
                for place, ranges in chosen.items()
            ],
        )
        session = self.sessions.pop(node_id)
        if epoch == FINAL:
            self.shares.forgets(self.member)
            self.held.clear()
        self._sending(chosen)
        version = 2 if renews else self.rng.choice((1, 2))
        asked, answer, before, sent_ms = await self._ask("ShareAcknowledge", version, request, node_id)
        if answer.error_code != NONE:
            return
        if epoch != FINAL:
            self.sessions[node_id] = session._replace(epoch=epoch + 1)
        for topic in answer.responses:
            for data in topic.partitions:
                place = (bytes(topic.topic_id), data.partition_index)
                if place in chosen and not data.error_code:
                    share = self._same(asked, place, before)
                    self._confirmed(asked, place, share, sent_ms, chosen[place])

    def _sending(self, chosen: dict[Place, list[Range]]) -> None:
        for place, ranges in chosen.items():
            self.shares.acknowledging(self.member, place, _types_of(ranges))

    def _confirmed(self, asked: Asked, place: Place, share: Any, sent_ms: int, ranges: list[Range]) -> None:
        self.world.count("share acknowledgements")
        self.shares.acknowledged(asked, self.member, place, share, sent_ms, _types_of(ranges))

    async def _ask(
        self, api: str, version: int, request: Any, node_id: int
    ) -> tuple[Asked, Any, dict[Place, SharePartition | None], int]:
        """Send a request to a broker. Returns also the share partitions that were open before."""
        sent_ms = self.world.clock.steady_ms()
        asked = self.client.send(api, version, request, node_id=node_id)
        before = self._open(asked)
        answer = await asked.wait
        self.shares.check_open(asked.connection.process)
        return asked, answer, before, sent_ms

    def _open(self, asked: Asked) -> dict[Place, SharePartition | None]:
        process = asked.connection.process
        return {place: self.shares.share_of(process, place) for place in self.assigned}

    def _same(
        self, asked: Asked, place: Place, before: dict[Place, SharePartition | None]
    ) -> SharePartition | None:
        """Return the share partition, if it is the one that was open when the request was sent."""
        share: SharePartition | None = self.shares.share_of(asked.connection.process, place)
        return share if share is before.get(place) else None


def _types_of(ranges: list[Range]) -> dict[int, int]:
    return {
        offset: types[0] if len(types) == 1 else types[offset - first]
        for first, last, types in ranges
        for offset in range(first, last + 1)
    }


def _place(place: Place) -> tuple[bytes, list[int]]:
    return place[0], [place[1]]


class LastMember(ShareMember):
    """A member that accepts every record, once all faults and other members have ended."""

    PAUSE_MS = 200

    async def run(self) -> None:
        while self.what_is_left():
            try:
                await self._drain()
            except Lost:
                self.lost()
            await self.world.sleep(self.PAUSE_MS)
        self.client.hang_up()

    def what_is_left(self) -> str:
        process = self.client.node.process
        if process is None or not process.serving:
            return "the broker does not serve"
        left: str = self.shares.what_is_left(process)
        return left

    async def _drain(self) -> None:
        await self.client.connect(at_rest=True)
        await self._heartbeat()
        for node_id, wanted in self._by_node().items():
            await self._fetch_at(node_id, wanted, {}, max_wait_ms=0)
            if node_id not in self.sessions:
                continue
            chosen = {
                place: [(first, last, [ACCEPT]) for first, last in ranges]
                for place, ranges in self.held.items()
                if ranges and place in self.sessions[node_id].fetched
            }
            for place in chosen:
                self.held[place] = []
            await self._acknowledge_at(node_id, chosen, self.sessions[node_id].epoch)


class ShareOperator(Actor):
    """Alters and deletes offsets of the group, deletes the group, its topic, and records."""

    PAUSE_MS = 1_000

    def __init__(self, client: Client) -> None:
        super().__init__(client)
        self.offsets = Offsets(client)
        self.deletes_topic = self.rng.random() < 0.3
        self.resets = self.rng.random() < 0.6

    async def step(self) -> None:
        chance = self.rng.random()
        if chance < 0.25:
            await self._delete_records()
        elif chance < 0.45:
            group = DescribeShareGroupOffsetsRequestGroup(SHARERS, None)
            await self.client.ask("DescribeShareGroupOffsets", 1, DescribeShareGroupOffsetsRequest([group]))
        elif chance < 0.85:
            if self.resets:
                await self._reset()
        elif self.deletes_topic:
            await self._delete_topic()
        if SHARED not in self.laws.topic_ids():
            await create_topic(self.client, SHARED, {"flush.messages": "1"})

    async def _reset(self) -> None:
        """Let the state of the group begin anew. It is refused while the group has members."""
        match self.rng.randrange(4):
            case 0 | 1:
                index, offset = self.rng.randrange(PARTITIONS), self.rng.choice((0, 3, 20))
                topic_id = self.laws.topic_ids().get(SHARED)
                if topic_id is None:
                    return
                self.laws.shares.moved((topic_id, index), offset)
                partition = AlterShareGroupOffsetsRequestPartition(index, offset)
                asked = self.client.send(
                    "AlterShareGroupOffsets",
                    0,
                    AlterShareGroupOffsetsRequest(
                        SHARERS, [AlterShareGroupOffsetsRequestTopic(SHARED, [partition])]
                    ),
                )
            case 2:
                topics = [
                    DeleteShareGroupOffsetsRequestTopic(name) for name in (SHARED, *strangers(self.rng))
                ]
                asked = self.client.send(
                    "DeleteShareGroupOffsets", 0, DeleteShareGroupOffsetsRequest(SHARERS, topics)
                )
            case _:
                self.laws.shares.was_deleted = True
                asked = self.offsets.delete_group(SHARERS)
        self._begins(asked)
        await asked.wait

    def _begins(self, asked: Asked) -> None:
        """Record that the state may begin anew between now and the response."""
        write = Write(None, asked.began, asked.connection)
        self.laws.shares.resets.append(write)

        def answered() -> None:
            if asked.wait.value is not None:
                write.succeed(asked.answered)

        asked.wait.then(answered)

    async def _delete_records(self) -> None:
        topic_id, index = self.laws.topic_ids().get(SHARED), self.rng.randrange(PARTITIONS)
        if topic_id is None:
            return
        place = (topic_id, index)
        offset = self.rng.choice((0, *self.laws.log(place).acked))
        self.laws.shares.moved(place, offset)
        self.laws.shares.trimmed[place] = max(offset, self.laws.shares.trimmed.get(place, 0))
        request = DeleteRecordsRequest(
            [DeleteRecordsTopic(SHARED, [DeleteRecordsPartition(index, offset)])], 1_000
        )
        await self.client.ask("DeleteRecords", 2, request)

    async def _delete_topic(self) -> None:
        self.laws.shares.letters.is_unique = False
        request = DeleteTopicsRequest([DeleteTopicState(SHARED)], timeout_ms=30_000)
        asked = self.client.send("DeleteTopics", 6, request)
        write = self.laws.topic(SHARED).begin(None, asked.began, asked.connection)
        answer = await asked.wait
        write.answered(answer.responses[0].error_code, asked.answered)
