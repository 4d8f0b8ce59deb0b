"""Clients that work until the broker is killed, and remember what it acknowledged.

Each has `run`, which works on its own connection until that breaks, and `check`, which compares the state
after the next start with what was acknowledged.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from typing import Any, Final, Protocol

from tests.wire import AsyncConnection, Connection
from tidemark_protocol.batch import LogRecord, build_batch, headers, records
from tidemark_protocol.compression import Codec
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from tidemark_protocol.messages.delete_topics import DeleteTopicsRequest
from tidemark_protocol.messages.describe_groups import DescribeGroupsRequest
from tidemark_protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from tidemark_protocol.messages.heartbeat import HeartbeatRequest
from tidemark_protocol.messages.init_producer_id import InitProducerIdRequest
from tidemark_protocol.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from tidemark_protocol.messages.leave_group import LeaveGroupRequest
from tidemark_protocol.messages.metadata import MetadataRequest
from tidemark_protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from tidemark_protocol.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestGroup
from tidemark_protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from tidemark_protocol.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment

COORDINATOR_TIMEOUT_S: Final = 60
FETCH_BYTES: Final = 4 << 20
NOT_YET: Final = (
    ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
    ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.NOT_COORDINATOR,
)
NONE: Final = ErrorCode.NONE


class LoadClient(Protocol):
    async def run(self, bootstrap: str) -> None:
        """Work until the connection breaks."""

    def check(self, bootstrap: str) -> None:
        """Raise AssertionError if acknowledged data is missing, or data exists that was not sent."""

    @property
    def acknowledged(self) -> int:
        """Return how many things were acknowledged."""


async def until_cut_off(client: LoadClient, bootstrap: str) -> None:
    try:
        await client.run(bootstrap)
    except ConnectionError:
        return


class Committer:
    """Commits increasing offsets of one group, several per request, with metadata."""

    def __init__(
        self, group: str, topic: str, partitions: int, *, in_flight: int = 16, metadata_bytes: int = 20
    ) -> None:
        self.group = group
        self._metadata = "m" * metadata_bytes
        self.topic = topic
        self.partitions = partitions
        self.in_flight = in_flight
        self.sent = dict.fromkeys(range(partitions), -1)
        self.committed = dict.fromkeys(range(partitions), -1)
        self._next = 0

    @property
    def acknowledged(self) -> int:
        return max(self.committed.values()) + 1

    async def run(self, bootstrap: str) -> None:
        line = await AsyncConnection.to(bootstrap)
        unanswered: deque[tuple[int, int]] = deque()
        try:
            while True:
                while len(unanswered) < self.in_flight:
                    self._commit(line, unanswered)
                answer = await line.answer("OffsetCommit", 8)
                partition, offset = unanswered.popleft()
                code = answer.topics[0].partitions[0].error_code
                assert code == NONE or code in NOT_YET, ErrorCode(code)
                if code == NONE:
                    self.committed[partition] = offset
        finally:
            line.close()

    def _commit(self, line: AsyncConnection, unanswered: deque[tuple[int, int]]) -> None:
        partition, offset = self._next % self.partitions, self._next
        self._next += 1
        self.sent[partition] = offset
        unanswered.append((partition, offset))
        commit = OffsetCommitRequestPartition(partition, offset, committed_metadata=self._metadata)
        topics = [OffsetCommitRequestTopic(name=self.topic, partitions=[commit])]
        line.send("OffsetCommit", 8, OffsetCommitRequest(self.group, topics=topics))

    def check(self, bootstrap: str) -> None:
        """Check that the offset is between the last one acknowledged and the last one sent."""
        requested = OffsetFetchRequest(groups=[OffsetFetchRequestGroup(self.group, topics=None)])
        answer = ask_coordinator(bootstrap, "OffsetFetch", 8, requested).groups[0]
        assert answer.error_code == NONE, ErrorCode(answer.error_code)
        stored = dict.fromkeys(range(self.partitions), -1)
        for topic in answer.topics:
            assert topic.name == self.topic
            for part in topic.partitions:
                stored[part.partition_index] = part.committed_offset
        for partition, least in self.committed.items():
            most = self.sent[partition]
            found = stored[partition]
            assert least <= found <= most, (self.group, partition, least, found, most)


class Producing:
    """The base of both producers. It remembers up to which offset the log has been checked."""

    def __init__(self, topic: str, partition: int) -> None:
        self.topic = topic
        self.partition = partition
        self._checked = 0

    def produced(self, batch: bytes) -> ProduceRequest:
        data = TopicProduceData(name=self.topic, partition_data=[PartitionProduceData(self.partition, batch)])
        return ProduceRequest(acks=-1, timeout_ms=30_000, topic_data=[data])

    def stored(self, bootstrap: str, offset: int) -> list[tuple[int, bytes]]:
        """Return offset and value of each record from there on."""
        found: list[tuple[int, bytes]] = []
        with Connection(bootstrap) as connection:
            while more := fetched(connection, self.topic, self.partition, offset):
                found += more
                offset = more[-1][0] + 1
        return found


class Producer(Producing):
    """Sends every record once."""

    IN_FLIGHT: Final = 5

    def __init__(self, topic: str, partition: int, value_bytes: int = 1000) -> None:
        super().__init__(topic, partition)
        self._filling = b"." * value_bytes
        self._sent = 0
        self._promised: dict[int, bytes] = {}
        self._seen: set[bytes] = set()
        self.acknowledged = 0

    async def run(self, bootstrap: str) -> None:
        line = await AsyncConnection.to(bootstrap)
        unanswered: deque[list[bytes]] = deque()
        try:
            while True:
                while len(unanswered) < self.IN_FLIGHT:
                    values = [self._value(self._sent + i) for i in range(1 + self._sent % 3)]
                    self._sent += len(values)
                    unanswered.append(values)
                    line.send("Produce", 9, self.produced(batch_of(values)))
                part = (await line.answer("Produce", 9)).responses[0].partition_responses[0]
                values = unanswered.popleft()
                assert part.error_code == NONE, ErrorCode(part.error_code)
                self._promised |= {part.base_offset + i: value for i, value in enumerate(values)}
                self.acknowledged += len(values)
        finally:
            line.close()

    def _value(self, number: int) -> bytes:
        return b"%s-%d-%d%s" % (self.topic.encode(), self.partition, number, self._filling)

    def check(self, bootstrap: str) -> None:
        """Check that acknowledged records are at their offsets, and others were sent and appear once."""
        found = self.stored(bootstrap, self._checked)
        assert [offset for offset, _ in found] == list(range(self._checked, self._checked + len(found)))
        for offset, value in found:
            promised = self._promised.pop(offset, value)
            assert value == promised, (offset, value[:40], promised[:40])
            number = int(value.removesuffix(self._filling).rpartition(b"-")[2])
            assert value == self._value(number) and number < self._sent, value[:40]
            assert value not in self._seen, value[:40]
            self._seen.add(value)
        assert not self._promised, f"{len(self._promised)} records are gone, from {min(self._promised)} on"
        self._checked += len(found)

    def check_all(self, bootstrap: str) -> None:
        """Check the records from the first one on."""
        found = self.stored(bootstrap, 0)
        assert len(found) == self._checked
        assert {value for _, value in found} == self._seen


class IdempotentProducer(Producing):
    """Repeats unacknowledged records with the same sequence, as librdkafka and the Java client do."""

    IN_FLIGHT: Final = 5

    def __init__(self, topic: str, partition: int) -> None:
        super().__init__(topic, partition)
        self._producer_id = -1
        self._next = 0
        self._unanswered: deque[tuple[int, bytes]] = deque()
        self.acknowledged = 0

    async def run(self, bootstrap: str) -> None:
        line = await AsyncConnection.to(bootstrap)
        try:
            if self._producer_id < 0:
                given = await line.ask("InitProducerId", 4, InitProducerIdRequest(None, 60_000))
                assert given.error_code == NONE, ErrorCode(given.error_code)
                self._producer_id = given.producer_id
            for _, batch in self._unanswered:
                line.send("Produce", 9, self.produced(batch))
            while True:
                while len(self._unanswered) < self.IN_FLIGHT:
                    line.send("Produce", 9, self.produced(self._batch()))
                part = (await line.answer("Produce", 9)).responses[0].partition_responses[0]
                assert part.error_code == NONE, ErrorCode(part.error_code)
                count, _ = self._unanswered.popleft()
                assert part.base_offset == self.acknowledged, (part.base_offset, self.acknowledged)
                self.acknowledged += count
        finally:
            line.close()

    def _batch(self) -> bytes:
        count = 1 + self._next % 4
        values = [b"%d" % (self._next + i) for i in range(count)]
        batch = batch_of(values, producer_id=self._producer_id, base_sequence=self._next)
        self._next += count
        self._unanswered.append((count, batch))
        return batch

    def check(self, bootstrap: str) -> None:
        """Check for the numbers from 0 on, each once, in order, at least up to the last acknowledged one."""
        found = self.stored(bootstrap, self._checked)
        end = self._checked + len(found)
        assert found == [(number, b"%d" % number) for number in range(self._checked, end)]
        assert self.acknowledged <= end <= self._next, (self.acknowledged, end, self._next)
        self._checked = self.acknowledged

    def check_all(self, bootstrap: str) -> None:
        self._checked = 0
        self.check(bootstrap)


class TopicMaker:
    """Creates topics, and deletes each a few topics later."""

    LIVING: Final = 4

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._number = 0
        self._living: dict[str, bytes] = {}
        self._gone: set[str] = set()
        self._uncertain: set[str] = set()
        self.acknowledged = 0

    async def run(self, bootstrap: str) -> None:
        line = await AsyncConnection.to(bootstrap)
        try:
            while True:
                await self._create(line)
                if len(self._living) > self.LIVING:
                    await self._delete(line)
        finally:
            line.close()

    async def _create(self, line: AsyncConnection) -> None:
        name = f"{self._prefix}-{self._number}"
        self._number += 1
        self._uncertain.add(name)
        requested = CreateTopicsRequest([CreatableTopic(name, 1 + self._number % 2, 1)], timeout_ms=30_000)
        answer = (await line.ask("CreateTopics", 7, requested)).topics[0]
        assert answer.error_code == NONE, ErrorCode(answer.error_code)
        self._uncertain.discard(name)
        self._living[name] = answer.topic_id
        self.acknowledged += 1

    async def _delete(self, line: AsyncConnection) -> None:
        name = next(iter(self._living))
        del self._living[name]
        self._uncertain.add(name)
        requested = DeleteTopicsRequest(topic_names=[name], timeout_ms=30_000)
        answer = (await line.ask("DeleteTopics", 5, requested)).responses[0]
        assert answer.error_code == NONE, ErrorCode(answer.error_code)
        self._uncertain.discard(name)
        self._gone.add(name)
        self.acknowledged += 1

    def check(self, bootstrap: str) -> None:
        """Check that exactly the created and not deleted topics exist, each with its id."""
        with Connection(bootstrap) as connection:
            topics = connection.ask("Metadata", 12, MetadataRequest(topics=None)).topics
        found = {topic.name: topic.topic_id for topic in topics if topic.name.startswith(f"{self._prefix}-")}
        missing = {name for name, topic_id in self._living.items() if found.get(name) != topic_id}
        assert not missing, missing
        assert not self._gone & found.keys(), self._gone & found.keys()
        assert found.keys() <= self._living.keys() | self._uncertain, found.keys()
        for name in self._uncertain & found.keys():
            self._living[name] = found[name]
        self._gone |= self._uncertain - found.keys()
        self._uncertain.clear()


class TopicRecycler:
    """Deletes a topic and creates it again at once, then writes a record to the new topic."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._sent: list[bytes] = []
        self._life = b""  # the topic id that was acknowledged last
        self._written: bytes | None = None  # the record that was acknowledged in that topic
        self._deleting = False  # whether that topic may be deleted
        self.acknowledged = 0

    async def run(self, bootstrap: str) -> None:
        line = await AsyncConnection.to(bootstrap)
        try:
            while True:
                await self._recycle(line)
        finally:
            line.close()

    async def _recycle(self, line: AsyncConnection) -> None:
        self._deleting = True
        line.send("DeleteTopics", 5, DeleteTopicsRequest(topic_names=[self._name], timeout_ms=30_000))
        create = CreateTopicsRequest([CreatableTopic(self._name, 1, 1)], timeout_ms=30_000)
        line.send("CreateTopics", 7, create)
        await line.answer("DeleteTopics", 5)
        self._written = None
        created = (await line.answer("CreateTopics", 7)).topics[0]
        assert created.error_code == NONE, ErrorCode(created.error_code)
        self._life, self._deleting = created.topic_id, False
        value = b"life %d" % len(self._sent)
        self._sent.append(value)
        data = [
            TopicProduceData(name=self._name, partition_data=[PartitionProduceData(0, batch_of([value]))])
        ]
        produce = ProduceRequest(acks=-1, timeout_ms=30_000, topic_data=data)
        answer = (await line.ask("Produce", 9, produce)).responses[0].partition_responses[0]
        assert answer.error_code == NONE, ErrorCode(answer.error_code)
        self._written = value
        self.acknowledged += 1

    def check(self, bootstrap: str) -> None:
        """Check that the last topic exists with its record, unless it was deleted, without older records."""
        with Connection(bootstrap) as connection:
            topics = connection.ask("Metadata", 12, MetadataRequest(topics=None)).topics
            lives = [topic.topic_id for topic in topics if topic.name == self._name]
            found = [value for _, value in fetched(connection, self._name, 0, 0)] if lives else []
        assert set(found) <= set(self._sent[-1:]), (self._name, found, self._sent[-1:])
        assert self._deleting or not self._life or lives == [self._life], (self._name, lives)
        if lives == [self._life] and self._written is not None:
            assert found == [self._written], (self._name, found)


class Member:
    """The only member of a group: it joins, syncs, sends heartbeats, rejoins, and sometimes leaves."""

    SESSION_MS: Final = 60_000
    HEARTBEATS: Final = 3
    STAYS: Final = 5  # generations until it leaves

    def __init__(self, group: str) -> None:
        self._group = group
        self._id = ""
        self._possible: set[tuple[str, bytes] | None] = {None}  # member and its assignment; None: no member
        self.acknowledged = 0

    async def run(self, bootstrap: str) -> None:
        line = await AsyncConnection.to(bootstrap)
        try:
            while True:
                generation = await self._join(line)
                if generation is None:
                    continue
                await self._sync(line, generation)
                for _ in range(self.HEARTBEATS):
                    beat = await line.ask("Heartbeat", 3, HeartbeatRequest(self._group, generation, self._id))
                    assert beat.error_code == NONE, ErrorCode(beat.error_code)
                if generation % self.STAYS == 0:
                    await self._leave(line)
        finally:
            line.close()

    async def _join(self, line: AsyncConnection) -> int | None:
        protocol = JoinGroupRequestProtocol("range", b"subscription")
        requested = JoinGroupRequest(
            group_id=self._group,
            session_timeout_ms=self.SESSION_MS,
            rebalance_timeout_ms=self.SESSION_MS,
            member_id=self._id,
            protocol_type="consumer",
            protocols=[protocol],
        )
        answer = await line.ask("JoinGroup", 3, requested)
        if answer.error_code == ErrorCode.UNKNOWN_MEMBER_ID:
            assert None in self._possible, f"{self._group} has forgotten {self._id}"
            self._id = ""
            return None
        if answer.error_code in NOT_YET:
            await asyncio.sleep(0.02)
            return None
        assert answer.error_code == NONE, ErrorCode(answer.error_code)
        self._id = answer.member_id
        generation: int = answer.generation_id
        return generation

    async def _sync(self, line: AsyncConnection, generation: int) -> None:
        assignment = b"%d" % generation
        self._possible.add((self._id, assignment))
        requested = SyncGroupRequest(
            self._group, generation, self._id, assignments=[SyncGroupRequestAssignment(self._id, assignment)]
        )
        answer = await line.ask("SyncGroup", 3, requested)
        assert (answer.error_code, bytes(answer.assignment)) == (NONE, assignment), answer
        self._possible = {(self._id, assignment)}
        self.acknowledged += 1

    async def _leave(self, line: AsyncConnection) -> None:
        self._possible.add(None)
        answer = await line.ask("LeaveGroup", 2, LeaveGroupRequest(self._group, self._id))
        assert answer.error_code == NONE, ErrorCode(answer.error_code)
        self._possible = {None}
        self._id = ""
        self.acknowledged += 1

    def check(self, bootstrap: str) -> None:
        """Check that member and assignment are those acknowledged last, and that its heartbeat succeeds."""
        group = ask_coordinator(bootstrap, "DescribeGroups", 5, DescribeGroupsRequest([self._group])).groups[
            0
        ]
        assert group.error_code == NONE, ErrorCode(group.error_code)
        assert len(group.members) <= 1, group
        stored = None
        if group.members:
            stored = group.members[0].member_id, bytes(group.members[0].member_assignment)
        assert stored in self._possible, (self._group, stored, self._possible)
        self._possible = {stored}
        if stored is None:
            return
        self._id = stored[0]
        beat = ask_coordinator(
            bootstrap, "Heartbeat", 3, HeartbeatRequest(self._group, int(stored[1]), self._id)
        )
        assert beat.error_code == NONE, (self._group, stored, ErrorCode(beat.error_code))


def ask_coordinator(bootstrap: str, name: str, version: int, message: Any) -> Any:
    """Send a request and return the response. Repeat it while the coordinator is loading."""
    deadline = time.monotonic() + COORDINATOR_TIMEOUT_S
    while True:
        with Connection(bootstrap) as connection:
            answer = connection.ask(name, version, message)
        first = answer.groups[0] if hasattr(answer, "groups") else answer
        if first.error_code not in NOT_YET:
            return answer
        assert time.monotonic() < deadline, "the coordinator does not come up"
        time.sleep(0.05)


def batch_of(
    values: list[bytes],
    *,
    producer_id: int = -1,
    base_sequence: int = -1,
    compression: Codec = Codec.NONE,
) -> bytes:
    now_ms = int(time.time() * 1000)
    made = [LogRecord(i, now_ms, None, value, []) for i, value in enumerate(values)]
    epoch = 0 if producer_id >= 0 else -1
    return build_batch(
        made,
        compression=compression,
        producer_id=producer_id,
        producer_epoch=epoch,
        base_sequence=base_sequence,
    )


def fetched(connection: Connection, topic: str, partition: int, offset: int) -> list[tuple[int, bytes]]:
    """Return offset and value of the records from that offset on, as many as one Fetch returns."""
    requested = FetchPartition(partition, fetch_offset=offset, partition_max_bytes=FETCH_BYTES)
    fetch = FetchRequest(
        max_wait_ms=0,
        min_bytes=0,
        max_bytes=FETCH_BYTES,
        topics=[FetchTopic(topic=topic, partitions=[requested])],
    )
    part = connection.ask("Fetch", 11, fetch).responses[0].partitions[0]
    assert part.error_code == NONE, ErrorCode(part.error_code)
    data = bytes(part.records or b"")
    return [
        (record.offset, record.value or b"")
        for at, header in headers(data)
        for record in records(data, at, header)
        if record.offset >= offset
    ]
