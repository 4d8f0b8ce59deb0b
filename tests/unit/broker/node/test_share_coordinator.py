"""The share coordinator on a running node, compared with what Kafka 4.3.1 has answered and stored."""

from __future__ import annotations

import asyncio
import gzip
import json
import uuid
from base64 import urlsafe_b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.unit.broker.share_coordinator.recorded import RECORDS, SETTINGS, TOPIC_IDS, cases, named
from tests.unit.broker.whole import Client, Whole, running
from tidemark.core.decision import Decision, Record
from tidemark.groups.share.effects import DeleteShareState, InitializeShareState
from tidemark.node.share_coordinator import ShareCoordinator
from tidemark.share_coordinator.state import SharePartition
from tidemark_protocol.batch import LogRecord, build_batch, records
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.records.remove_topic_record import RemoveTopicRecord
from tidemark_protocol.share_batches import StateBatch
from tidemark_protocol.stored_share_state import decode_share_state
from tidemark_testing.storage import MemoryStorage

A, B = (uuid.UUID(TOPIC_IDS[name]).bytes for name in "ab")
GOLDEN = Path(__file__).parents[3] / "golden"
A_FIND = {"KeyType": 2, "CoordinatorKeys": ["g:AAECAwQFBgcICQoLDA0ODw:0"]}
STATE_TOPIC = "__share_group_state"
TEST_API: dict[str, Any] = {"tidemark_test_api": "true"}
ONE_PARTITION: dict[str, Any] = {"share_coordinator_state_topic_num_partitions": "1"}
ACL: dict[str, Any] = {"authorizer_class_name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer"}
APIS = (
    ("InitializeShareGroupState", 0), ("ReadShareGroupState", 0), ("WriteShareGroupState", 1),
    ("DeleteShareGroupState", 0), ("ReadShareGroupStateSummary", 1),
)  # fmt: skip
# The last offset of this batch is below the first. Kafka stores it, and it has no effect; we refuse it.
INVERTED = {"FirstOffset": 20, "LastOffset": 10, "DeliveryState": 2, "DeliveryCount": 1}

Stored = list[tuple[int, str, int, dict[str, Any] | None]]  # record type, group, partition, value


@asynccontextmanager
async def a_node(
    storage: MemoryStorage | None = None, topic_ids: dict[str, str] = TOPIC_IDS, **settings: Any
) -> AsyncIterator[tuple[Whole, Client]]:
    """Run a node with the topics that Kafka had."""
    async with running(
        storage or MemoryStorage(), **SETTINGS | TEST_API | {"tidemark_as": "4.3"} | settings
    ) as whole:
        client = await whole.client()
        context = whole.engine.runtime.context
        if "b" not in whole.state.cluster.topics:
            drawn, random = [topic_ids["a"], topic_ids["b"]], context.new_id
            context.new_id = lambda: drawn.pop(0) if drawn else random()
            assert await client.make_topic("a", 3) == 0
            assert await client.make_topic("b", 2) == 0
        yield whole, client


def coordinator(whole: Whole) -> ShareCoordinator:
    return whole.engine.share_coordinator()


def start_of(whole: Whole, partition: int = 0) -> int:
    log = whole.state.logs.get(STATE_TOPIC, partition)
    assert log is not None
    return log.log_start_offset


def stored(whole: Whole, partition: int) -> Stored:
    """Return all records of a log."""
    log = whole.state.logs.get(STATE_TOPIC, partition)
    assert log is not None
    found: Stored = []
    for batch in log.batches(0):
        assert batch.header.base_sequence == 0
        for entry in records(batch.buf, batch.start, batch.header):
            assert entry.key is not None
            key, value = decode_share_state(entry.key, entry.value)
            found.append((key.API_KEY, key.group_id, key.partition, named(value)))
    return found


def stored_by_kafka(partition: int) -> Stored:
    found = [(kind, key["groupId"], key["partition"], value) for kind, key, value, *_ in RECORDS[partition]]
    return [each for each in found if "'lastOffset': 10," not in str(each)]  # INVERTED


async def compare(client: Client, part: str) -> None:
    for api, version, asked, answered in cases(part):
        got = await client.ask(api, version, asked)
        if str(INVERTED) in str(asked):
            assert got["Results"][0]["Partitions"][0]["ErrorCode"] == ErrorCode.INVALID_REQUEST
        else:
            assert {name: got[name] for name in answered} == answered, (api, asked)


async def test_requests_are_answered_and_stored_as_by_kafka() -> None:
    async with a_node() as (whole, client):
        await compare(client, "before the topic exists")
        topic_id = urlsafe_b64encode(A).decode().rstrip("=")
        await client.ask("FindCoordinator", 6, {"KeyType": 2, "CoordinatorKeys": [f"g:{topic_id}:0"]})
        for part in ("initialize", "read", "write", "summary", "delete"):
            await compare(client, part)
        await whole.time.advance(6_000, cleanup=True, sessions=False, logs=False)
        # Kafka: 12, 1 and 12, with one more record in the first.
        assert [start_of(whole, index) for index in range(3)] == [11, 1, 12]
        await compare(client, "cold")
        deleted = await client.ask("DeleteTopics", 6, {"Topics": [{"Name": "b"}], "TimeoutMs": 5000})
        assert deleted["Responses"][0]["ErrorCode"] == 0
        await whole.engine.settled()
        await compare(client, "topic deletion")
        for index in range(3):
            assert stored(whole, index) == stored_by_kafka(index)


async def test_random_requests_are_answered_and_stored_as_by_kafka() -> None:
    """Epochs, starts and batches were drawn: about half of the partitions in 800 requests are refused."""
    with gzip.open(GOLDEN / "share_states.jsonl.gz", "rt") as lines:
        recorded = [json.loads(line) for line in lines]
    topic_ids = recorded[0]["topic_ids"]
    async with a_node(topic_ids=topic_ids) as (whole, client):
        await client.ask("FindCoordinator", 6, A_FIND)
        for line in recorded:
            if "case" in line:
                api, version, asked, answered = line["case"]
                assert await client.ask(api, version, asked) == answered, (api, asked)
        for index in range(3):
            ours = stored(whole, index)
            theirs = [line["record"] for line in recorded if "record" in line]
            of_partition = [
                (kind, group, partition, value)
                for of, kind, group, _, partition, value in theirs
                if of == index
            ]
            assert ours == of_partition


async def test_keys_of_share_partitions_are_parsed_as_by_kafka() -> None:
    async with a_node() as (_, client):
        for api, version, asked, answered in cases("find"):
            got = await client.ask(api, version, asked)
            if "CoordinatorKeys" not in asked:
                assert {name: got[name] for name in answered} == answered
                continue
            for one, theirs in zip(got["Coordinators"], answered["Coordinators"], strict=True):
                # Kafka's first response is COORDINATOR_NOT_AVAILABLE: the topic is being created.
                code = 0 if theirs["ErrorCode"] == 15 else theirs["ErrorCode"]
                assert (one["Key"], one["ErrorCode"], one["ErrorMessage"]) == (theirs["Key"], code, "")
                assert one["NodeId"] == (-1 if code else 1)


async def test_calls_within_the_process_create_the_topic_and_are_durable_when_they_return() -> None:
    storage = MemoryStorage()
    async with a_node(storage) as (whole, _):
        share = coordinator(whole)
        with pytest.raises(KafkaError) as refused:
            await share.read("g", A, 0, 1)
        assert refused.value.code is ErrorCode.INVALID_REQUEST
        assert STATE_TOPIC in whole.state.cluster.topics
        await share.initialize("g", A, 0, 3)
        assert (await share.read("g", A, 0, 1)).batches == ()
        await share.write("g", A, 0, 3, 1, 5, 2, [StateBatch(6, 7, 1, 2)])
        await share.initialize("g", B, 1, 3, 8)
        await share.delete("g", B, 1)
        assert whole.engine.group_commit.durable == whole.engine.group_commit.appended
        state = await share.summary("g", A, 0)
        assert (state.start_offset, state.delivery_complete_count, state.leader_epoch) == (5, 2, 1)
        assert (await share.summary("g", B, 1)).start_offset == -1
        with pytest.raises(KafkaError) as fenced:
            await share.write("g", A, 0, 2, 1, 5, 2, [])
        assert fenced.value.code is ErrorCode.FENCED_STATE_EPOCH
        before = share.states.entries
    async with a_node(storage) as (whole, _):
        share = coordinator(whole)
        assert share.states.entries == before
        assert (await share.read("g", A, 0, 1)).batches == (StateBatch(6, 7, 1, 2),)


async def test_writes_of_a_large_state_and_reads_keep_their_order() -> None:
    """They are merged in steps, and another write or read may begin in between."""
    async with a_node(MemoryStorage()) as (whole, _):
        share = coordinator(whole)
        for partition in (0, 1):
            await share.initialize("g", A, partition, 3, 0)
            large = [StateBatch(at, at, 1, at % 2 * 2) for at in range(5_000)]
            await share.write("g", A, partition, 3, 0, 0, 0, large)
        writes = [
            share.write("g", A, partition, 3, 0, 0, 0, [StateBatch(at, at, count, 0)])
            for count in (2, 3)
            for partition in (0, 1)
            for at in (0, 4_998)
        ]
        *_, first, second = await asyncio.gather(*writes, *(share.read("g", A, each, 0) for each in (0, 1)))
        for state in (first, second):
            assert len(state.batches) == 5_000
            assert state.batches[0] == StateBatch(0, 0, 3, 0)
            assert state.batches[4_998] == StateBatch(4_998, 4_998, 3, 0)


async def test_states_are_loaded_from_a_log_that_was_pruned() -> None:
    storage = MemoryStorage()
    async with a_node(storage, **ONE_PARTITION) as (whole, _):
        share = coordinator(whole)
        for number in range(3):
            await share.initialize(f"g{number}", A, number, 1, 0)
        for start in range(9):
            for number in range(3):
                batches = [StateBatch(start, start + 1, 1, 2)]
                await share.write(f"g{number}", A, number, 1, 0, start, 0, batches)
        await share.prune()
        # Three states have snapshots as each one's first, fifth and ninth record.
        assert start_of(whole) == 24
        before = {key: entry.state for key, entry in share.states.entries.items()}
    async with a_node(storage, **ONE_PARTITION) as (whole, _):
        share = coordinator(whole)
        assert start_of(whole) == 24
        assert {key: entry.state for key, entry in share.states.entries.items()} == before
        assert share.states.redundant_before(0) == 24
        await share.initialize("g0", A, 0, 1, 0)
        await share.prune()
        assert start_of(whole) == 25


async def test_no_record_is_pruned_before_the_snapshot_that_replaces_it_is_durable() -> None:
    async with a_node(**ONE_PARTITION) as (whole, _):
        share = coordinator(whole)
        await share.initialize("g", A, 0, 1, 0)
        beginning = asyncio.ensure_future(share.initialize("g", A, 0, 2, 0))
        pruning = asyncio.ensure_future(share.prune())
        await asyncio.sleep(0)
        assert share.states.redundant_before(0) == 1
        assert start_of(whole) == 0
        await asyncio.gather(beginning, pruning)
        assert start_of(whole) == 1


async def test_cold_snapshots_and_pruning_run_at_their_intervals() -> None:
    async with a_node(**ONE_PARTITION) as (whole, _):
        share = coordinator(whole)
        await share.initialize("g", A, 0, 1, 0)
        await share.write("g", A, 0, 1, 0, 4, 0, [])
        await whole.passes(9_000)
        await whole.engine.group_commit.drain()
        await whole.passes(4_000)
        for _ in range(20):  # the log start is saved in a thread
            await asyncio.sleep(0.01)
        assert [each[0] for each in stored(whole, 0)] == [0, 1, 0]
        assert start_of(whole) == 2


async def test_effects_of_groups_initialize_and_delete_states() -> None:
    async with a_node() as (whole, _):
        topics = {A: ("a", [0, 2]), B: ("b", [1])}
        initialize = InitializeShareState("g", topics, 7, {B: {1: 40}})
        done: list[Any] = []
        share = coordinator(whole)
        share._initialized = lambda effect, results: done.append((effect, results))
        whole.engine.accept_groups(Decision(effects=(initialize,)))
        await whole.engine.settled()
        none = ErrorCode.NONE
        assert done == [(initialize, {A: {0: none, 2: none}, B: {1: none}})]
        found = {key: entry.state for key, entry in share.states.entries.items()}
        assert {key: (state.state_epoch, state.start_offset) for key, state in found.items()} == {
            SharePartition("g", A, 0): (7, -1),
            SharePartition("g", A, 2): (7, -1),
            SharePartition("g", B, 1): (7, 40),
        }
        gone = InitializeShareState("g", {bytes(16): ("c", [0]), A: ("a", [1])}, 7)
        whole.engine.accept_groups(Decision(effects=(gone,)))
        await whole.engine.settled()
        assert done[1][1] == {bytes(16): {0: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION}, A: {1: none}}
        delete = DeleteShareState("g", topics)
        whole.engine.accept_groups(Decision(effects=(delete,)))
        assert await delete.results == {A: {0: none, 2: none}, B: {1: none}}
        assert {*share.states.entries} == {SharePartition("g", A, 1)}


async def test_an_effect_of_a_group_creates_the_share_coordinator() -> None:
    async with a_node() as (whole, _):
        delete = DeleteShareState("g", {A: ("a", [0])})
        assert whole.engine.share is None
        whole.engine.accept_groups(Decision(effects=(delete,)))
        assert await delete.results == {A: {0: ErrorCode.NONE}}


async def test_the_states_of_a_topic_are_deleted_with_it_also_if_the_broker_stops_in_between() -> None:
    storage = MemoryStorage()
    async with a_node(storage) as (whole, client):
        share = coordinator(whole)
        for group in "gh":
            await share.initialize(group, A, 0, 1)
            await share.initialize(group, B, 0, 1)
        await client.ask("DeleteTopics", 6, {"Topics": [{"Name": "b"}], "TimeoutMs": 5000})
        await whole.engine.settled()
        assert {key.topic_id for key in share.states.entries} == {A}
        whole.engine.accept_cluster((Record(None, RemoveTopicRecord(A)),))  # without its effect
        await whole.engine.group_commit.drain()
        assert share.states.entries
    async with a_node(storage) as (whole, _):
        assert coordinator(whole).states.entries == {}


async def test_share_state_needs_cluster_action() -> None:
    async with running(MemoryStorage(), **ACL) as whole:
        client = await whole.client()
        topic_id = str(uuid.UUID(bytes=A))
        topics = [{"TopicId": topic_id, "Partitions": [{"Partition": 1}, {"Partition": 1}]}]
        for api, version in APIS:
            response = await client.ask(api, version, {"GroupId": "", "Topics": topics})
            ((_, results),) = [(each["TopicId"], each["Partitions"]) for each in response["Results"]]
            text = ErrorCode.CLUSTER_AUTHORIZATION_FAILED.text
            assert [(each["Partition"], each["ErrorCode"], each["ErrorMessage"]) for each in results] == [
                (1, 31, text)
            ] * 2
        found = await client.ask("FindCoordinator", 6, {"KeyType": 2, "CoordinatorKeys": ["nonsense"]})
        assert [(each["Key"], each["ErrorCode"], each["NodeId"]) for each in found["Coordinators"]] == [
            ("nonsense", 31, -1)
        ]


async def test_each_broker_serves_the_share_partitions_whose_partition_it_leads() -> None:
    settings: dict[str, Any] = {"tidemark_brokers": "3", **SETTINGS, **TEST_API}
    async with running(MemoryStorage(), **settings) as whole:
        addresses = whole.node.ready()["bootstrap_servers"].split(",")
        clients = [await Client.to(address) for address in addresses]
        assert await clients[0].make_topic("a", 3) == 0
        topic_id = whole.state.cluster.topics["a"].topic_id
        keys = [SharePartition(group, topic_id, 0) for group in "abcdefgh"]
        asked = {"KeyType": 2, "CoordinatorKeys": [key.coordinator_key for key in keys]}
        found = (await clients[1].ask("FindCoordinator", 6, asked))["Coordinators"]
        leaders = {each["Key"]: each["NodeId"] for each in found}
        assert len({*leaders.values()}) > 1
        partition = {"Partition": 0, "StateEpoch": 1, "StartOffset": 0}
        text = "Unable to initialize share group state: This is not the correct coordinator."
        for key in keys:
            topics = [{"TopicId": str(uuid.UUID(bytes=topic_id)), "Partitions": [partition]}]
            for node_id, client in enumerate(clients, 1):
                request = {"GroupId": key.group_id, "Topics": topics}
                response = await client.ask("InitializeShareGroupState", 0, request)
                (result,) = response["Results"][0]["Partitions"]
                is_leader = leaders[key.coordinator_key] == node_id
                assert (result["ErrorCode"], result["ErrorMessage"]) == (
                    (0, None) if is_leader else (16, text)
                )
        for client in clients:
            client.writer.close()


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        (None, b"", "the record at offset 2 has no key"),
        (b"\0\0\0\1g", b"\0\0", "the record at offset 2 cannot be read"),
    ],
)
async def test_a_partition_with_a_record_that_cannot_be_read_is_not_served(
    key: bytes | None, value: bytes, reason: str
) -> None:
    storage = MemoryStorage()
    async with a_node(storage) as (whole, _):
        share = coordinator(whole)
        await share.initialize("g", A, 0, 1)
        bad = share.states.partition_for(SharePartition("g", A, 0))
        other = next(
            found
            for found in (SharePartition(str(number), A, 0) for number in range(100))
            if share.states.partition_for(found) != bad
        )
        await share.initialize("g", A, 0, 1)
        await share.initialize(*other, 1)
        log = whole.state.logs.get(STATE_TOPIC, bad)
        assert log is not None
        batch = build_batch([LogRecord(0, 1, key, value)])
        log.append(batch, leader_epoch=0, now_ms=1, from_client=False)
    async with a_node(storage) as (whole, _):
        share = coordinator(whole)
        (line,) = whole.lines.of("share partitions not served")
        assert line["partition"] == bad
        assert reason in line["reason"]
        with pytest.raises(KafkaError) as refused:
            await share.read("g", A, 0, 1)
        assert refused.value.code is ErrorCode.NOT_COORDINATOR
        assert {*share.states.entries} == {other}
        await share.read(*other, 1)
