"""Dead letters of share groups (KIP-1191) on a running node, beyond what conformance cases compare."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID

from tests.conformance.build_admin import GROUP, SET, change, create
from tests.conformance.build_data import batch, fetch, produce, record
from tests.conformance.build_share import (
    ACCEPT,
    REJECT,
    share_acknowledge,
    share_fetch,
)
from tests.unit.broker.whole import Client, Whole, running
from tidemark.core.decision import Record
from tidemark.metadata.model import NO_LEADER, SHARE_STATE_TOPIC
from tidemark.share.partition import ACKNOWLEDGED, ARCHIVED, ARCHIVING
from tidemark_protocol.batch import headers, records
from tidemark_protocol.compression import Codec
from tidemark_protocol.records.partition_change_record import PartitionChangeRecord
from tidemark_protocol.share_batches import StateBatch
from tidemark_protocol.stored_share_state import decode_share_state
from tidemark_testing.storage import MemoryStorage

MEMBER = "AAAAAAAAAAAAAAAAAAAAAQ"
GROUP_ID, QUEUE = "s", "dlq.letters"
QUEUE_NAME, COPY = "errors.deadletterqueue.topic.name", "errors.deadletterqueue.copy.record.enable"
CREATED = {"errors_deadletterqueue_auto_create_topics_enable": "true"}
Found = list[tuple[int, bytes | None, bytes | None]]


class Node:
    """A node with topic a, and group s, which rejects its records."""

    def __init__(self, whole: Whole, client: Client) -> None:
        self.whole = whole
        self.client = client
        self.epoch = 0

    @property
    def topic_id(self) -> bytes:
        return self.whole.state.cluster.topics["a"].topic_id

    async def make(self, name: str, **configs: str) -> None:
        fields = [{"Name": key.replace("_", "."), "Value": value} for key, value in configs.items()]
        topic = {"Name": name, "NumPartitions": 1, "ReplicationFactor": 1, "Configs": fields}
        answered = await self.client.ask(*create(topic))
        assert answered["Topics"][0]["ErrorCode"] == 0

    async def queue(self, **configs: str) -> None:
        await self.make(QUEUE, errors_deadletterqueue_group_enable="true", **configs)

    async def configure(self, **values: str) -> None:
        await self.client.ask(
            *change((GROUP, GROUP_ID, [(key, SET, value) for key, value in values.items()]))
        )

    async def send(self, data: bytes) -> None:
        answered = await self.client.ask(*produce({"a": {0: data}}))
        assert answered["Responses"][0]["PartitionResponses"][0]["ErrorCode"] == 0

    async def start_at(self, offset: int = 0) -> None:
        """Begin the state of the share partition."""
        await self.whole.engine.share_coordinator().initialize(GROUP_ID, self.topic_id, 0, 1, offset)

    async def fetch(self) -> list[dict[str, Any]]:
        answered = await self.client.ask(
            *share_fetch(GROUP_ID, MEMBER, self.epoch, {self.topic_text: [0]}, max_wait_ms=1000, min_bytes=1)
        )
        assert answered["ErrorCode"] == 0
        self.epoch += 1
        found = [each["Partitions"][0] for each in answered["Responses"]]
        assert all(each["ErrorCode"] == 0 for each in found), answered
        return found[0]["AcquiredRecords"] if found else []

    async def acknowledge(self, *given: tuple[int, int, int]) -> None:
        answered = await self.client.ask(
            *share_acknowledge(GROUP_ID, MEMBER, self.epoch, {self.topic_text: {0: [*given]}})
        )
        assert answered["Responses"][0]["Partitions"][0]["ErrorCode"] == 0
        self.epoch += 1

    @property
    def topic_text(self) -> str:
        return str(UUID(bytes=self.topic_id))

    def elect(self, leader: int) -> None:
        """Let this node lead the queue, or none."""
        topic_id = self.whole.state.cluster.topics[QUEUE].topic_id
        self.whole.state.cluster.replay(Record(None, PartitionChangeRecord(0, topic_id, leader=leader)))

    async def settle(self) -> None:
        shares = self.whole.engine.shares
        assert shares is not None
        await shares.settled()

    async def letters(self) -> Found:
        """Return offset of the record, key and value of each dead letter, in order."""
        return [letter for each in await self.batches() for letter in each]

    async def batches(self) -> list[Found]:
        response = await self.client.ask(*fetch({QUEUE: {0: 0}}))
        data = response["Responses"][0]["Partitions"][0]["Records"] or b""
        data = bytes.fromhex(data) if isinstance(data, str) else bytes(data)
        return [
            [
                (int(dict(one.headers)["__dlq.errors.offset"] or b""), one.key, one.value)
                for one in records(data, position, header)
            ]
            for position, header in headers(data)
        ]

    def state(self) -> tuple[int, list[tuple[int, int, int]]]:
        """Return start offset, and (first, last, state) of the stored batches."""
        stored = self.whole.engine.share_coordinator().stored(GROUP_ID, self.topic_id, 0)
        assert stored is not None
        return stored.start_offset, [(*each[:2], each.delivery_state) for each in stored.batches]

    def stored_states(self) -> list[int]:
        """Return the delivery states in the records of the share coordinator, in order."""
        log = self.whole.state.logs.get(SHARE_STATE_TOPIC, 0)
        assert log is not None
        found = [
            decode_share_state(entry.key or b"", entry.value)[1]
            for stored in log.batches(0)
            for entry in records(stored.buf, stored.start, stored.header)
        ]
        return [each.delivery_state for one in found if one is not None for each in one.state_batches]


@asynccontextmanager
async def a_node(storage: MemoryStorage, **settings: Any) -> AsyncIterator[Node]:
    async with running(storage, **settings) as whole:
        client = await whole.client()
        node = Node(whole, client)
        if "a" not in whole.state.cluster.topics:
            await node.make("a")
            await node.configure(**{QUEUE_NAME: QUEUE})
            await node.start_at()
        yield node


def values(*sizes: int, compression: int = Codec.NONE) -> bytes:
    given = [record(key=None, value=b"%d" % number * size) for number, size in enumerate(sizes)]
    return batch(*given, compression=compression)


async def test_restart_writes_the_dead_letters_of_records_that_are_archiving() -> None:
    storage = MemoryStorage()
    async with a_node(storage) as node:
        await node.queue()
        await node.send(values(1, 1, 1, 1))
        # This is what a kill leaves between the record of ARCHIVING and the dead letters.
        stored = StateBatch(0, 1, 1, ARCHIVING)
        coordinator = node.whole.engine.share_coordinator()
        await coordinator.write(GROUP_ID, node.topic_id, 0, 1, 0, 0, 0, [stored])
    async with a_node(storage) as node:
        assert [each["FirstOffset"] for each in await node.fetch()] == [2]
        await node.settle()
        assert await node.letters() == [(0, None, None), (1, None, None)]
        assert node.state() == (0, [(0, 1, ARCHIVED)])
        await node.acknowledge((2, 3, ACCEPT))
        assert node.state() == (2, [(2, 3, ACKNOWLEDGED)])


async def test_records_are_stored_as_archiving_before_their_dead_letters_are_written() -> None:
    async with a_node(MemoryStorage()) as node:
        await node.queue()
        await node.send(values(1, 1))
        await node.fetch()
        await node.acknowledge((0, 0, REJECT))
        await node.settle()
        assert await node.letters() == [(0, None, None)]
        assert node.stored_states() == [ARCHIVING, ARCHIVED]


async def test_dead_letters_are_divided_by_the_largest_batch_of_their_queue() -> None:
    async with a_node(MemoryStorage()) as node:
        await node.queue(max_message_bytes="1000")
        await node.send(values(*[10] * 12))
        await node.fetch()
        await node.acknowledge((0, 11, REJECT))
        await node.settle()
        found = await node.batches()
        assert len(found) > 1
        metrics = node.whole.engine.metrics
        assert (metrics.dead_letters, metrics.dead_letter_requests) == ({"s": 12}, {"s": len(found)})
        assert not metrics.dead_letter_failures
        assert [offset for each in found for offset, _, _ in each] == [*range(12)]


async def test_record_that_is_too_large_for_its_queue_is_not_copied() -> None:
    async with a_node(MemoryStorage()) as node:
        await node.configure(**{COPY: "true"})
        await node.queue(max_message_bytes="1000")
        await node.send(values(10, 2000, 10))
        await node.fetch()
        await node.acknowledge((0, 2, REJECT))
        await node.settle()
        assert await node.letters() == [(0, None, b"0" * 10), (1, None, None), (2, None, b"2" * 10)]


async def test_compressed_batch_that_is_too_large_for_its_queue_is_not_copied() -> None:
    async with a_node(MemoryStorage()) as node:
        await node.configure(**{COPY: "true"})
        await node.queue(max_message_bytes="1000")
        await node.send(values(10, 2000, 10, compression=Codec.GZIP))
        await node.send(values(10, 20, compression=Codec.GZIP))
        await node.fetch()
        await node.acknowledge((0, 4, REJECT))
        await node.settle()
        assert await node.letters() == [
            (0, None, None), (1, None, None), (2, None, None), (3, None, b"0" * 10), (4, None, b"1" * 20),
        ]  # fmt: skip


async def test_records_that_were_deleted_keep_no_others_from_being_copied() -> None:
    async with a_node(MemoryStorage()) as node:
        await node.configure(**{COPY: "true"})
        await node.queue()
        for size in (1, 2, 3, 4):
            await node.send(values(size))
        await node.fetch()
        partitions = [{"PartitionIndex": 0, "Offset": 1}]
        topics = [{"Name": "a", "Partitions": partitions}]
        await node.client.ask("DeleteRecords", 2, {"Topics": topics, "TimeoutMs": 1000})
        await node.acknowledge((0, 1, REJECT), (2, 2, ACCEPT), (3, 3, REJECT))
        await node.settle()
        # As in Kafka, records 0 and 1 are read together, and the first cannot be read.
        assert await node.letters() == [(0, None, None), (1, None, None), (3, None, b"0" * 4)]


async def test_copies_continue_in_the_next_batch() -> None:
    async with a_node(MemoryStorage()) as node:
        await node.configure(**{COPY: "true"})
        await node.queue(max_message_bytes="1000")
        for _ in range(5):
            await node.send(values(300, 300))
        await node.fetch()
        await node.acknowledge((0, 9, REJECT))
        await node.settle()
        assert [(at, len(value or b"")) for at, _, value in await node.letters()] == [
            (at, 300) for at in range(10)
        ]


async def test_records_are_archived_without_dead_letters_if_their_queue_does_not_exist() -> None:
    async with a_node(MemoryStorage()) as node:
        await node.send(values(1, 1))
        await node.fetch()
        await node.acknowledge((0, 0, REJECT))
        await node.settle()
        assert QUEUE not in node.whole.state.cluster.topics
        assert node.state() == (0, [(0, 0, ARCHIVED)])


async def test_queue_is_created_once() -> None:
    async with a_node(MemoryStorage(), **CREATED) as node:
        await node.send(values(1, 1))
        await node.fetch()
        await node.acknowledge((0, 0, REJECT), (1, 1, REJECT))
        await node.settle()
        assert await node.letters() == [(0, None, None), (1, None, None)]


async def test_release_4_3_has_no_dead_letters() -> None:
    async with a_node(MemoryStorage(), tidemark_as="4.3") as node:
        assert node.whole.state.cluster.features["share.version"] == 1
        await node.send(values(1, 1))
        await node.fetch()
        await node.acknowledge((0, 0, REJECT))
        await node.settle()
        assert node.whole.engine.dead_letters is None
        assert node.state() == (0, [(0, 0, ARCHIVED)])


async def test_queue_without_a_leader_gets_its_dead_letters_later() -> None:
    async with a_node(MemoryStorage()) as node:
        await node.queue()
        await node.send(values(1, 1))
        await node.fetch()
        node.elect(NO_LEADER)
        await node.acknowledge((0, 0, REJECT))
        await node.settle()
        await node.whole.passes(3_000)  # attempts after 1 and 2 seconds
        await node.settle()
        assert node.state() == (0, [(0, 0, ARCHIVING)])
        node.elect(1)
        await node.whole.passes(4_000)
        await node.settle()
        assert await node.letters() == [(0, None, None)]
        assert node.state() == (0, [(0, 0, ARCHIVED)])


async def test_records_are_archived_after_five_attempts() -> None:
    async with a_node(MemoryStorage()) as node:
        await node.queue()
        await node.send(values(1, 1))
        await node.fetch()
        node.elect(NO_LEADER)
        await node.acknowledge((0, 0, REJECT))
        await node.settle()
        await node.whole.passes(14_000)
        await node.settle()
        assert node.state() == (0, [(0, 0, ARCHIVING)])
        await node.whole.passes(1_000)
        await node.settle()
        assert node.state() == (0, [(0, 0, ARCHIVED)])
        (opened,) = node.whole.engine.share_partitions()
        assert opened.share is not None
        run = opened.share.run_at(0)
        assert run is not None
        assert run.letter == "dlq.letters-0 has no leader."
