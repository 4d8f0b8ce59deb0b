"""ShareFetch and ShareAcknowledge over a socket."""

from __future__ import annotations

import asyncio
from base64 import urlsafe_b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID

from tests.unit.broker.whole import Client, Whole, WorkingClock, running
from tidemark.share.open_partitions import READS_MAX
from tidemark.share.partition import ACQUIRED
from tidemark.turns import TURN_MS
from tidemark_protocol.batch import LogRecord, build_batch
from tidemark_testing.clock import LoopClock
from tidemark_testing.storage import MemoryStorage


@asynccontextmanager
async def sharing(
    clock: LoopClock | None = None, **settings: str
) -> AsyncIterator[tuple[Whole, Client, str]]:
    """Run a broker with a topic `orders`, which the group `g` shares from offset 0."""
    async with running(MemoryStorage(), clock, **settings) as whole:
        client = await whole.client()
        await client.make_topic()
        topic_id = str(UUID(bytes=whole.state.cluster.topics["orders"].topic_id))
        key = f"g:{base64_of(topic_id)}:0"
        await client.ask("FindCoordinator", 6, {"KeyType": 2, "CoordinatorKeys": [key]})
        partition = {"Partition": 0, "StateEpoch": 1, "StartOffset": 0}
        topics = [{"TopicId": topic_id, "Partitions": [partition]}]
        await client.ask("InitializeShareGroupState", 0, {"GroupId": "g", "Topics": topics})
        yield whole, client, topic_id


def base64_of(topic_id: str) -> str:
    return urlsafe_b64encode(UUID(topic_id).bytes).decode().rstrip("=")


async def produce(client: Client, *values: bytes) -> None:
    records = build_batch([LogRecord(at, 1_000, None, value) for at, value in enumerate(values)]).hex()
    data = [{"Name": "orders", "PartitionData": [{"Index": 0, "Records": records}]}]
    await client.ask("Produce", 9, {"Acks": -1, "TimeoutMs": 1000, "TopicData": data})


def fetch(topic_id: str, epoch: int, acks: Any = (), **fields: Any) -> dict[str, Any]:
    batches = [{"FirstOffset": a, "LastOffset": b, "AcknowledgeTypes": list(types)} for a, b, types in acks]
    partition = {"PartitionIndex": 0, "AcknowledgementBatches": batches}
    return {
        "GroupId": "g", "MemberId": "m", "ShareSessionEpoch": epoch, "MaxWaitMs": 1000, "MinBytes": 1,
        "MaxBytes": 1 << 20, "MaxRecords": 500, "BatchSize": 500,
        "Topics": [{"TopicId": topic_id, "Partitions": [partition]}], **fields,
    }  # fmt: skip


async def test_records_are_acquired_once_and_acknowledged() -> None:
    async with sharing() as (_, client, topic_id):
        await produce(client, b"1", b"2", b"3")
        answered = await client.ask("ShareFetch", 2, fetch(topic_id, 0))
        (partition,) = answered["Responses"][0]["Partitions"]
        assert partition["AcquiredRecords"] == [{"FirstOffset": 0, "LastOffset": 2, "DeliveryCount": 1}]
        answered = await client.ask("ShareFetch", 2, fetch(topic_id, 1, [(0, 1, [1]), (2, 2, [2])]))
        (partition,) = answered["Responses"][0]["Partitions"]
        assert partition["AcquiredRecords"] == [{"FirstOffset": 2, "LastOffset": 2, "DeliveryCount": 2}]
        assert partition["AcknowledgeErrorCode"] == 0
        answered = await client.ask("ShareFetch", 2, fetch(topic_id, 2, [(2, 2, [1])], MaxWaitMs=0))
        (partition,) = answered["Responses"][0]["Partitions"]
        assert (partition["AcquiredRecords"], partition["AcknowledgeErrorCode"]) == ([], 0)
        wanted = [{"TopicId": topic_id, "Partitions": [{"Partition": 0, "LeaderEpoch": -1}]}]
        summary = await client.ask("ReadShareGroupStateSummary", 1, {"GroupId": "g", "Topics": wanted})
        # As in Kafka, a write stores the start offset from before it.
        assert summary["Results"][0]["Partitions"][0]["StartOffset"] == 2


async def test_the_end_of_a_connection_ends_what_members_hold_on_its_broker_only() -> None:
    """Each broker of Kafka has share partitions and sessions of its own."""
    async with running(MemoryStorage(), tidemark_brokers="3") as whole:
        addresses = whole.node.ready()["bootstrap_servers"].split(",")
        first, second, other = [await Client.to(addresses[at]) for at in (0, 1, 0)]
        wanted = {"Name": "orders", "NumPartitions": 2, "ReplicationFactor": 3}
        await first.ask("CreateTopics", 7, {"Topics": [wanted]})
        topic = whole.state.cluster.topics["orders"]
        for partition, leader in enumerate((1, 2)):
            await whole.node.brokers.move_leader("orders", partition, leader)
        topic_id = str(UUID(bytes=topic.topic_id))
        keys = {f"g:{base64_of(topic_id)}:{partition}": partition for partition in (0, 1)}
        found = await first.ask("FindCoordinator", 6, {"KeyType": 2, "CoordinatorKeys": list(keys)})
        for coordinator in found["Coordinators"]:
            partition = {"Partition": keys[coordinator["Key"]], "StateEpoch": 1, "StartOffset": 0}
            request = {"GroupId": "g", "Topics": [{"TopicId": topic_id, "Partitions": [partition]}]}
            client = await Client.to(addresses[coordinator["NodeId"] - 1])
            answered = await client.ask("InitializeShareGroupState", 0, request)
            assert answered["Results"][0]["Partitions"][0]["ErrorCode"] == 0
            client.writer.close()
        await produce(first, b"1")
        records = build_batch([LogRecord(0, 1_000, None, b"2")]).hex()
        data = [{"Name": "orders", "PartitionData": [{"Index": 1, "Records": records}]}]
        await second.ask("Produce", 9, {"Acks": -1, "TimeoutMs": 1000, "TopicData": data})

        # The same member: with Kafka's client, it has a connection to each broker.
        both = [{"PartitionIndex": 0}, {"PartitionIndex": 1}]
        for client, partition in ((first, 0), (second, 1)):
            named = [{"TopicId": topic_id, "Partitions": both}]
            answered = await client.ask("ShareFetch", 2, fetch(topic_id, 0, Topics=named))
            acquired = {
                each["PartitionIndex"]: len(each["AcquiredRecords"])
                for each in answered["Responses"][0]["Partitions"]
            }
            assert acquired[partition] == 1
        first.writer.close()
        answered = await other.ask("ShareFetch", 2, fetch(topic_id, 0, MemberId="n"))
        (held,) = answered["Responses"][0]["Partitions"]
        assert held["AcquiredRecords"] == [{"FirstOffset": 0, "LastOffset": 0, "DeliveryCount": 2}]
        batch = {"FirstOffset": 0, "LastOffset": 0, "AcknowledgeTypes": [1]}
        of_second = {"PartitionIndex": 1, "AcknowledgementBatches": [batch]}
        acknowledged = {
            "GroupId": "g", "MemberId": "m", "ShareSessionEpoch": 1,
            "Topics": [{"TopicId": topic_id, "Partitions": [of_second]}],
        }  # fmt: skip
        answered = await second.ask("ShareAcknowledge", 2, acknowledged)
        assert answered["Responses"][0]["Partitions"][0]["ErrorCode"] == 0
        for client in (second, other):
            client.writer.close()


async def test_states_of_many_partitions_are_read_a_few_at_a_time() -> None:
    """If all of them were durable at once, all would go on in one turn of the loop."""
    async with running(MemoryStorage()) as whole:
        client = await whole.client()
        count = 3 * READS_MAX
        await client.ask(
            "CreateTopics",
            7,
            {"Topics": [{"Name": "orders", "NumPartitions": count, "ReplicationFactor": 1}]},
        )
        topic_id = str(UUID(bytes=whole.state.cluster.topics["orders"].topic_id))
        await client.ask(
            "FindCoordinator", 6, {"KeyType": 2, "CoordinatorKeys": [f"g:{base64_of(topic_id)}:0"]}
        )
        states = [{"Partition": at, "StateEpoch": 1, "StartOffset": 0} for at in range(count)]
        request = {"GroupId": "g", "Topics": [{"TopicId": topic_id, "Partitions": states}]}
        await client.ask("InitializeShareGroupState", 0, request)
        named = [{"TopicId": topic_id, "Partitions": [{"PartitionIndex": at} for at in range(count)]}]
        asking = asyncio.ensure_future(
            client.ask("ShareFetch", 2, fetch(topic_id, 0, Topics=named, MaxWaitMs=0))
        )
        tasks = 0
        while not asking.done():
            tasks = max(tasks, len(asyncio.all_tasks()))
            await asyncio.sleep(0)
        answered = await asking
        assert len(answered["Responses"][0]["Partitions"]) == count
        assert READS_MAX < tasks < 2 * READS_MAX
        shares = whole.engine.share_partitions()
        assert all(opened.share is not None for opened in shares)
        client.writer.close()
        while any(True for _ in shares):  # they are closed in steps
            await asyncio.sleep(0)


async def test_sessions_that_end_at_once_release_what_they_hold_in_many_turns() -> None:
    """Each of them looks through all records in flight of a share partition."""
    async with sharing(WorkingClock(TURN_MS)) as (whole, client, topic_id):
        count = 10
        await produce(client, *[b"x"] * count)
        for number in range(count):
            member = await whole.client()
            request = fetch(topic_id, 0, MemberId=f"m{number}", MaxRecords=1, BatchSize=1, ShareAcquireMode=1)
            await member.ask("ShareFetch", 2, request)
        shares = whole.engine.share_partitions()
        (opened,) = shares
        assert opened.share is not None

        def held() -> int:
            assert opened.share is not None
            return sum(run.state == ACQUIRED for run in opened.share.runs())

        before = left = held()
        assert before == count
        for connection in range(2 * count):
            whole.engine.disconnected(1, connection)
        most = 0
        while left:
            await asyncio.sleep(0)
            most, left = max(most, left - held()), held()
        assert 1 <= most < count / 2
