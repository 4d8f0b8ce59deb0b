"""Actors: commits without a group, members of groups, an administrator, producers and a reader."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from tests.faults.simulation.brokers import NOT_COORDINATOR, NOT_LEADER_OR_FOLLOWER
from tests.faults.simulation.clients import Actor, Asked, Client, Lost
from tests.faults.simulation.laws import ANY, DELETED_GROUPS, Generation, Partition, Produced, Write
from tests.faults.simulation.world import Wait
from tidemark_protocol.batch import LogRecord, build_batch, headers, records
from tidemark_protocol.messages.create_topics import CreatableTopic, CreatableTopicConfig, CreateTopicsRequest
from tidemark_protocol.messages.delete_groups import DeleteGroupsRequest
from tidemark_protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from tidemark_protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from tidemark_protocol.messages.find_coordinator import FindCoordinatorRequest
from tidemark_protocol.messages.heartbeat import HeartbeatRequest
from tidemark_protocol.messages.init_producer_id import InitProducerIdRequest
from tidemark_protocol.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from tidemark_protocol.messages.leave_group import LeaveGroupRequest, MemberIdentity
from tidemark_protocol.messages.list_groups import ListGroupsRequest
from tidemark_protocol.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from tidemark_protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from tidemark_protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from tidemark_protocol.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from tidemark_protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
    OffsetFetchRequestTopics,
)
from tidemark_protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from tidemark_protocol.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment

if TYPE_CHECKING:
    from random import Random

PARTITIONS: Final = 3  # of every topic
STAYS: Final = "stays"
COMES_AND_GOES: Final = "comes-and-goes"
SYNCED: Final = "synced"  # flush.messages=1: acknowledged records survive a power cut
UNSYNCED: Final = "unsynced"
LEDGER: Final = "ledger"  # only transactions write to it; records are deleted from its beginning
TABLE: Final = "table"  # the same, compacted
COMPACTED: Final = {"cleanup.policy": "compact", "segment.ms": "300", "min.cleanable.dirty.ratio": "0.01"}
SIMPLE_GROUPS: Final = ("lone", "doomed")
LONG: Final = 70  # this many names are decided in several parts

NONE: Final = 0
UNKNOWN_TOPIC_OR_PARTITION: Final = 3
REBALANCE_IN_PROGRESS: Final = 27
MEMBER_ID_REQUIRED: Final = 79
ILLEGAL_GENERATION: Final = 22
TOPIC_ALREADY_EXISTS: Final = 36
KAFKA_STORAGE_ERROR: Final = 56
UNKNOWN_TOPIC_ID: Final = 100


def strangers(rng: Random) -> list[str]:
    """Return unknown names. A request with all of them is decided in steps."""
    return [f"stranger {number}" for number in range(rng.choice((0, 0, 3, LONG)))]


class Offsets:
    """Processes the responses of every actor that commits."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.laws = client.laws
        self.world = client.world
        self.rng = client.rng

    def commit(
        self, group: str, topic: str, *, generation: int = -1, member: str = "", instance: str | None = None,
        version: int | None = None,
    ) -> tuple[Asked, list[tuple[int, Write]]]:  # fmt: skip
        partitions = self.rng.sample(range(PARTITIONS), self.rng.choice((1, 1, 2, 3)))
        given = {partition: self.world.moment() for partition in partitions}
        if version is None:
            version = self.rng.choice((2, 5, 7, 8, 9)) if instance is None else self.rng.choice((7, 8, 9))
        request = OffsetCommitRequest(
            group_id=group,
            generation_id_or_member_epoch=generation,
            member_id=member,
            group_instance_id=instance,
            topics=[
                OffsetCommitRequestTopic(
                    name=topic,
                    partitions=[
                        OffsetCommitRequestPartition(
                            partition_index=partition, committed_offset=offset, committed_metadata=str(offset)
                        )
                        for partition, offset in given.items()
                    ],
                )
            ],
        )
        asked = self.client.send("OffsetCommit", version, request)
        writes = [
            (
                partition,
                self.laws.offset(group, topic, partition).begin(offset, asked.began, asked.connection),
            )
            for partition, offset in given.items()
        ]
        for _, write in writes:
            write.wall_ms = self.world.clock.wall_ms()
        asked.wait.then(lambda: self._settle(asked, writes))
        return asked, writes

    def _settle(self, asked: Asked, writes: list[tuple[int, Write]]) -> None:
        answer = asked.wait.value
        if answer is None:
            return
        codes = {each.partition_index: each.error_code for each in answer.topics[0].partitions}
        for partition, write in writes:
            write.answered(codes[partition], asked.answered)

    def fetch(self, group: str, topic: str) -> Asked:
        version = self.rng.choice((1, 5, 7, 8))
        indexes = list(range(PARTITIONS))
        if version < 8:
            request = OffsetFetchRequest(group_id=group, topics=[OffsetFetchRequestTopic(topic, indexes)])
        else:
            named = OffsetFetchRequestTopics(name=topic, partition_indexes=indexes)
            request = OffsetFetchRequest(groups=[OffsetFetchRequestGroup(group, topics=[named])])
        asked = self.client.send("OffsetFetch", version, request)
        asked.wait.then(lambda: self._read(asked, group, topic))
        return asked

    def _read(self, asked: Asked, group: str, topic: str) -> None:
        answer = asked.wait.value
        if answer is None:
            return
        topics = answer.topics if asked.version < 8 else answer.groups[0].topics
        error = answer.error_code if asked.version < 8 else answer.groups[0].error_code
        for each in topics[0].partitions if topics and not error else ():
            if each.error_code:
                continue
            value = None if each.committed_offset == -1 else each.committed_offset
            if value is not None and each.metadata != str(value):
                self.world.break_law("lost commit", f"offset {value} with metadata {each.metadata!r}")
            where = (group, topic, each.partition_index)
            self.laws.offset_read(where, value, asked.began, asked.connection)

    def delete(self, group: str, topic: str) -> Asked:
        partition = self.rng.randrange(PARTITIONS)
        request = OffsetDeleteRequest(
            group,
            [
                OffsetDeleteRequestTopic(name, [OffsetDeleteRequestPartition(partition)])
                for name in (topic, *strangers(self.rng))
            ],
        )
        asked = self.client.send("OffsetDelete", 0, request)
        write = self.laws.offset(group, topic, partition).begin(None, asked.began, asked.connection)
        asked.wait.then(lambda: self._deleted(asked, topic, write))
        return asked

    def _deleted(self, asked: Asked, topic: str, write: Write) -> None:
        answer = asked.wait.value
        if answer is None:
            return
        codes = {each.name: each.partitions[0].error_code for each in answer.topics}
        write.answered(answer.error_code or codes[topic], asked.answered)

    def delete_group(self, group: str) -> Asked:
        request = DeleteGroupsRequest([group, *strangers(self.rng)])
        asked = self.client.send("DeleteGroups", self.rng.choice((0, 1, 2)), request)
        write = Write(None, asked.began, asked.connection)
        self.laws.group_deletions.setdefault(group, []).append(write)
        asked.wait.then(lambda: self._group_deleted(asked, group, write))
        return asked

    def _group_deleted(self, asked: Asked, group: str, write: Write) -> None:
        answer = asked.wait.value
        if answer is None:
            return
        codes = {each.group_id: each.error_code for each in answer.results}
        write.answered(codes[group], asked.answered)


class Committer(Actor):
    """Commits, fetches and deletes offsets of groups without members, often several requests at once."""

    PAUSE_MS = 150

    def __init__(self, client: Client) -> None:
        super().__init__(client)
        self.offsets = Offsets(client)

    async def step(self) -> None:
        asked = [self._one() for _ in range(self.rng.choice((1, 1, 2, 5)))]
        if self.rng.random() < 0.1:
            self.client.hang_up()
        for each in asked:
            await each.wait

    def _one(self) -> Asked:
        group = self.rng.choice(SIMPLE_GROUPS)
        topic = STAYS if self.rng.random() < 0.7 else COMES_AND_GOES
        chance = self.rng.random()
        if chance < 0.55:
            return self.offsets.commit(group, topic)[0]
        if chance < 0.85:
            return self.offsets.fetch(group, topic)
        if chance < 0.91:
            return self.offsets.delete(group, topic)
        if chance < 0.96:  # its response waits for no sync, but for the responses before it
            asked = ListOffsetsRequest(-1, 0, [ListOffsetsTopic(STAYS, [ListOffsetsPartition(0, -1, -1)])])
            return self.client.send("ListOffsets", 5, asked)
        return self.offsets.delete_group(self.rng.choice(DELETED_GROUPS))


class Member(Actor):
    """A member of a group: joins, syncs, sends heartbeats, commits, leaves, falls silent, returns."""

    PAUSE_MS = 300

    def __init__(self, client: Client, group: str, instance: str | None) -> None:
        super().__init__(client)
        self.offsets = Offsets(client)
        self.group = group
        self.instance = instance
        self.member = ""
        self.generation = -1
        self.stale: tuple[str, int] | None = None  # an earlier generation
        self.session_ms = self.rng.choice((500, 1_500, 6_000))
        self.rebalance_ms = self.rng.choice((300, 2_000, 10_000))

    async def step(self) -> None:
        if self.generation < 0:
            await self._join()
            return
        chance = self.rng.random()
        if chance < 0.45:
            await self._heartbeat(self.member, self.generation)
        elif chance < 0.75:
            await self._commit(self.member, self.generation)
        elif chance < 0.80:
            await self.offsets.fetch(self.group, STAYS).wait
        elif chance < 0.84:
            await self._leave()
        elif chance < 0.87:
            await self.world.sleep(self.rng.randrange(4_000))
        elif chance < 0.90:
            self.client.hang_up()
        elif chance < 0.93:
            await self._join()
        elif chance < 0.95:
            self._forget()
        elif self.stale is not None:
            await self._act_stale(*self.stale)

    async def _act_stale(self, member: str, generation: int) -> None:
        """Act like a client whose requests were delayed for long."""
        match self.rng.randrange(3):
            case 0:
                await self._heartbeat(member, generation, follow=False)
            case 1:
                await self._commit(member, generation, follow=False)
            case _:
                await self._sync(member, (self.group, generation, member), follow=False)

    def _forget(self) -> None:
        """Start as a new client."""
        self.member = ""
        self.generation = -1

    def _version(self) -> int:
        """Return a version of Heartbeat or SyncGroup: instances are known from 3, tagged fields from 4."""
        return self.rng.choice((3, 4)) if self.instance is not None else self.rng.choice((2, 4))

    def _name(self) -> str:
        return self.member if self.instance is None else self.instance

    async def _join(self) -> None:
        version = self.rng.choice((2, 4, 7, 9)) if self.instance is None else self.rng.choice((5, 7, 9))
        names = ["range", "sticky"] if self.rng.random() < 0.8 else ["range"]
        request = JoinGroupRequest(
            group_id=self.group,
            session_timeout_ms=self.session_ms,
            rebalance_timeout_ms=self.rebalance_ms,
            member_id=self.member,
            group_instance_id=self.instance,
            protocol_type="consumer",
            protocols=[JoinGroupRequestProtocol(name, self._metadata()) for name in names],
        )
        if self.generation >= 0:
            self.stale = (self.member, self.generation)
        self.generation = -1
        asked, answer = await self.client.ask("JoinGroup", version, request)
        if answer.error_code == MEMBER_ID_REQUIRED:
            self.member = answer.member_id
        elif answer.error_code:
            self._refused(answer.error_code)
        else:
            self.member = answer.member_id
            key = (self.group, answer.generation_id, answer.leader)
            known = self.laws.joined(asked, *key)
            if answer.leader == self.member and answer.members and not answer.skip_assignment:
                self._assign(known, [each.member_id for each in answer.members])
            if not asked.connection.open:
                raise Lost  # a crash may have undone the generation
            if self.rng.random() < 0.95:
                await self._sync(self.member, key)

    def _metadata(self) -> bytes:
        """Return a ConsumerProtocolSubscription v0 to one topic, which only members commit to."""
        name = STAYS.encode()
        return b"\0\0" + b"\0\0\0\1" + len(name).to_bytes(2, "big") + name + b"\xff\xff\xff\xff"

    def _assign(self, known: Generation, members: list[str]) -> None:
        """Assign each partition to one member, in an order that changes with the generation."""
        if known.brought:
            return
        turn = self.rng.randrange(len(members))
        brought = {member: bytearray() for member in members}
        for partition in range(5):
            brought[members[(partition + turn) % len(members)]].append(partition)
        known.brought = {member: bytes(given) for member, given in brought.items()}

    async def _sync(self, member: str, key: tuple[str, int, str], *, follow: bool = True) -> None:
        known = self.laws.generations.get(key)
        brought = known.brought if known is not None and known.leader == member else {}
        request = SyncGroupRequest(
            group_id=self.group,
            generation_id=key[1],
            member_id=member,
            group_instance_id=self.instance,
            assignments=[SyncGroupRequestAssignment(each, given) for each, given in brought.items()],
        )
        asked, answer = await self.client.ask("SyncGroup", self._version(), request)
        if answer.error_code:
            if follow:
                self._refused(answer.error_code)
            return
        self.laws.was_current(asked, self.group, key[1], member)
        # A crash may have undone the stale generation of this number, and this one succeeds it.
        if known is not None and follow:
            self._take(key, member, bytes(answer.assignment))
        if follow:
            self.generation = key[1]

    def _take(self, key: tuple[str, int, str], member: str, assignment: bytes) -> None:
        owner = member if self.instance is None else self.instance
        self.laws.assigned(key, member, owner, assignment)

    async def _heartbeat(self, member: str, generation: int, *, follow: bool = True) -> int:
        """Return the error code."""
        request = HeartbeatRequest(self.group, generation, member, self.instance)
        asked, answer = await self.client.ask("Heartbeat", self._version(), request)
        if answer.error_code == NONE:
            self.laws.was_current(asked, self.group, generation, member)
        elif follow:
            self._refused(answer.error_code)
        code: int = answer.error_code
        return code

    async def _commit(self, member: str, generation: int, *, follow: bool = True) -> None:
        asked, _ = self.offsets.commit(
            self.group, STAYS, generation=generation, member=member, instance=self.instance
        )
        answer = await asked.wait
        code = answer.topics[0].partitions[0].error_code
        if code == NONE:
            self.laws.was_current(asked, self.group, generation, member)
        elif follow:
            self._refused(code)

    async def _leave(self) -> None:
        if self.generation >= 0:
            self.stale = (self.member, self.generation)
        member, self.generation = self.member, -1
        version = self.rng.choice((1, 3, 4))
        leavers = [MemberIdentity(member, self.instance), *map(MemberIdentity, strangers(self.rng))]
        request = (
            LeaveGroupRequest(self.group, member)
            if version < 3
            else LeaveGroupRequest(self.group, members=leavers)
        )
        asked, answer = await self.client.ask("LeaveGroup", version, request)
        code = answer.error_code or (NONE if version < 3 else answer.members[0].error_code)
        if code == NONE:
            self.laws.left(asked, member)
        self._forget()
        if self.stale is not None and self.rng.random() < 0.3:
            await self._act_stale(*self.stale)

    def _refused(self, code: int) -> None:
        if code == NOT_COORDINATOR:
            return  # it goes on with the broker that is
        if code in (REBALANCE_IN_PROGRESS, ILLEGAL_GENERATION):
            if self.generation >= 0:
                self.stale = (self.member, self.generation)
            self.generation = -1
        else:
            self._forget()


class Guest(Member):
    """A member that never stays for long, so that its group is sometimes empty."""

    async def step(self) -> None:
        if self.generation >= 0 and self.rng.random() < 0.3:
            await self._leave()
            await self.world.sleep(self.rng.randrange(2_000))
            return
        await super().step()
        # It has a pending id, has not joined yet, and leaves a group that may be empty.
        if self.member and self.generation < 0 and self.rng.random() < 0.3:
            await self._leave()


class Operator(Actor):
    """Deletes groups: rarely, or whenever one is empty."""

    def __init__(self, client: Client) -> None:
        super().__init__(client)
        self.offsets = Offsets(client)
        self.every_ms, self.groups = self.rng.choice(
            ((20, ("guests",)), (3_000, DELETED_GROUPS), (3_000, DELETED_GROUPS))
        )

    def pause_ms(self) -> int:
        return self.rng.randrange(2 * self.every_ms)

    async def step(self) -> None:
        await self.offsets.delete_group(self.rng.choice(self.groups)).wait


class Admin(Actor):
    """Creates and deletes a topic, and describes topics and groups."""

    PAUSE_MS = 700

    async def step(self) -> None:
        chance = self.rng.random()
        if chance < 0.3:
            await self._create()
        elif chance < 0.55:
            await self._delete()
        elif chance < 0.9:
            await self._look()
        else:
            await self.client.ask("ListGroups", 4, ListGroupsRequest())

    async def _create(self) -> None:
        await create_topic(self.client, COMES_AND_GOES, {"flush.messages": "1"})

    async def _delete(self) -> None:
        version = self.rng.choice((3, 6))
        names = [COMES_AND_GOES, *strangers(self.rng)]
        request = (
            DeleteTopicsRequest(topic_names=names, timeout_ms=30_000)
            if version < 6
            else DeleteTopicsRequest(list(map(DeleteTopicState, names)), timeout_ms=30_000)
        )
        asked = self.client.send("DeleteTopics", version, request)
        write = self.laws.topic(COMES_AND_GOES).begin(None, asked.began, asked.connection)
        answer = await asked.wait
        codes = {each.name: each.error_code for each in answer.responses}
        write.answered(codes[COMES_AND_GOES], asked.answered)

    async def _look(self) -> None:
        name = self.rng.choice((STAYS, COMES_AND_GOES))
        request = MetadataRequest([MetadataRequestTopic(name=name)], allow_auto_topic_creation=False)
        asked, answer = await self.client.ask("Metadata", 12, request)
        topic = answer.topics[0]
        if topic.error_code in (NONE, UNKNOWN_TOPIC_OR_PARTITION):
            topic_id = None if topic.error_code else bytes(topic.topic_id)
            self.laws.topic_read(name, topic_id, asked.began, asked.connection)


async def create_topic(client: Client, name: str, configs: dict[str, str] | None = None) -> bool:
    """Create the topic. Return if it exists now."""
    request = CreateTopicsRequest(
        [
            CreatableTopic(
                each,
                PARTITIONS,
                client.node.brokers,
                configs=[CreatableTopicConfig(key, value) for key, value in (configs or {}).items()],
            )
            for each in (name, *strangers(client.rng))  # these are no valid names of topics
        ]
    )
    asked = client.send("CreateTopics", 7, request)
    write = client.laws.topic(name).begin(ANY, asked.began, asked.connection)
    answer = await asked.wait
    topic = next(each for each in answer.topics if each.name == name)
    write.answered(topic.error_code, asked.answered)
    if not topic.error_code:
        write.value = bytes(topic.topic_id)
        if name == COMES_AND_GOES:
            client.laws.topic_id = write.value
    return topic.error_code in (NONE, TOPIC_ALREADY_EXISTS)


class Producer(Actor):
    """Writes each record once. idempotent: repeats a request until it has a response."""

    PAUSE_MS = 200

    def __init__(self, client: Client, *, idempotent: bool) -> None:
        super().__init__(client)
        self.idempotent = idempotent
        self.producer_id = -1
        self.epoch = -1
        self.lives = 0
        self.sequences: dict[Partition, int] = {}
        self.unanswered: tuple[Partition, list[str], bytes] | None = None
        self.number = 0

    async def step(self) -> None:
        if self.idempotent and self.producer_id < 0:
            _, answer = await self.client.ask("InitProducerId", 3, InitProducerIdRequest(None, 60_000))
            if answer.error_code == NONE:
                self.producer_id, self.epoch = answer.producer_id, answer.producer_epoch
                self.lives += 1
                who = f"{self.client.name}/{self.lives}"
                self.laws.transactions.assigned(self.producer_id, self.epoch, who)
                self.sequences.clear()
            return
        where, values, batch = self.unanswered or self._batch()
        known = self.laws.log(where)
        acks = -1 if self.idempotent else self.rng.choice((-1, 1, 1, 0))
        if self.idempotent:
            self.unanswered = where, values, batch
            known.once.update(values)
        known.sent.update(values)
        partition = PartitionProduceData(where[1], batch)
        topic = TopicProduceData(partition_data=[partition])
        version = self.rng.choice((3, 7, 8, 9))
        if isinstance(where[0], str):
            topic.name = where[0]
        else:
            topic.topic_id, version = where[0], 13
        request = ProduceRequest(None, acks, 1_000, [topic])
        asked = self.client.send("Produce", version, request, answered=acks != 0)
        if acks == 0:
            return
        cuts = self.laws.power_cuts
        answer = await asked.wait
        if known.synced or cuts == self.laws.power_cuts:
            self._answered(where, values, answer.responses[0].partition_responses[0])

    def _batch(self) -> tuple[Partition, list[str], bytes]:
        topic: str | bytes = self.rng.choice((SYNCED, UNSYNCED, COMES_AND_GOES))
        if topic == COMES_AND_GOES:
            topic = self.laws.topic_id or SYNCED
        where = (topic, self.rng.randrange(PARTITIONS))
        values = []
        for _ in range(self.rng.choice((1, 1, 3))):
            self.number += 1
            values.append(f"{self.client.name}-{self.number}")
        now_ms = self.world.clock.wall_ms()
        batch = build_batch(
            [LogRecord(index, now_ms, None, value.encode()) for index, value in enumerate(values)],
            producer_id=self.producer_id,
            producer_epoch=self.epoch,
            base_sequence=self.sequences.get(where, 0) if self.idempotent else -1,
        )
        return where, values, bytes(batch)

    def _answered(self, where: Partition, values: list[str], answer: Any) -> None:
        known = self.laws.log(where)
        if answer.error_code == NONE:
            for index, value in enumerate(values):
                known.acked[answer.base_offset + index] = value
            self.sequences[where] = self.sequences.get(where, 0) + len(values)
            self.unanswered = None
        elif answer.error_code in (KAFKA_STORAGE_ERROR, NOT_LEADER_OR_FOLLOWER) and self.idempotent:
            pass  # nothing was written: the same batch is sent again
        elif self.idempotent:
            if known.synced and answer.error_code not in (UNKNOWN_TOPIC_ID, UNKNOWN_TOPIC_OR_PARTITION):
                self.world.break_law(
                    "idempotence", f"{self.client.name} is refused {answer.error_code} on {where} {values}"
                )
            # A power cut lost the previous sequence, or the topic was deleted: clients start again.
            self.unanswered = None
            self.producer_id = -1
        else:
            known.refused.update(values)


class Reader(Actor):
    """Fetches user logs from its position, and waits for more."""

    PAUSE_MS = 300

    def __init__(self, client: Client) -> None:
        super().__init__(client)
        self.at: dict[tuple[str, int], int] = {}

    async def step(self) -> None:
        topic = self.rng.choice((SYNCED, UNSYNCED))
        wanted = [
            FetchPartition(index, fetch_offset=self.at.get((topic, index), 0), partition_max_bytes=1 << 20)
            for index in range(PARTITIONS)
        ]
        request = FetchRequest(
            max_wait_ms=self.rng.choice((0, 100, 1_000)),
            min_bytes=self.rng.choice((1, 200)),
            topics=[FetchTopic(topic, partitions=wanted)],
        )
        began_lossless = self.laws.power_cuts
        _, answer = await self.client.ask("Fetch", self.rng.choice((4, 11, 12)), request)
        for each in answer.responses[0].partitions if answer.responses else ():
            where = (topic, each.partition_index)
            if each.error_code or self.rng.random() < 0.05:
                self.at[where] = 0
                continue
            data = bytes(each.records or b"")
            for position, header in headers(data):
                for record in records(data, position, header):
                    value = bytes(record.value or b"").decode()
                    if began_lossless == self.laws.power_cuts:
                        self.laws.record_read(where, record.offset, value)
                    self.at[where] = record.offset + 1


class SetUp(Actor):
    """Creates what the other actors need, despite all faults, then lets them start."""

    PAUSE_MS = 50

    def __init__(self, client: Client, more: Sequence[Callable[[Client], Awaitable[bool]]] = ()) -> None:
        """more: what else to create. Each is called until it returns True."""
        super().__init__(client)
        self.done = Wait()
        self.more = more

    async def run(self) -> None:
        while not self.done.done:
            try:
                if self.client.connection is None:
                    await self.client.connect()
                await self.step()
            except Lost:
                if self.world.over:
                    return
            await self.world.sleep(self.pause_ms())

    async def step(self) -> None:
        _, answer = await self.client.ask(
            "FindCoordinator", 4, FindCoordinatorRequest(coordinator_keys=["g"])
        )
        if answer.coordinators[0].error_code:
            return
        there = [
            await create_topic(self.client, STAYS),
            await create_topic(self.client, SYNCED, {"flush.messages": "1"}),
            await create_topic(self.client, UNSYNCED),
            await create_topic(self.client, LEDGER, {"flush.messages": "1"}),
            await create_topic(self.client, TABLE, {"flush.messages": "1", **COMPACTED}),
            *[await each(self.client) for each in self.more],
        ]
        if all(there):
            for partition in range(PARTITIONS):
                self.laws.produced[SYNCED, partition] = Produced(synced=True)
                self.laws.produced[UNSYNCED, partition] = Produced(synced=False)
                self.laws.produced[LEDGER, partition] = Produced(synced=True)
                self.laws.produced[TABLE, partition] = Produced(synced=True)
            self.done.set()
