"""The share coordinator on a running node, compared with what Kafka 4.3.1 has answered and stored."""

from __future__ import annotations

import uuid
from base64 import urlsafe_b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from tests.unit.broker.share_coordinator.recorded import RECORDS, SETTINGS, TOPIC_IDS, cases
from tests.unit.broker.whole import Client, Whole, running
from tidemark.node.share_coordinator import ShareCoordinator
from tidemark_protocol import to_dict
from tidemark_protocol.batch import records
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.stored_share_state import decode_share_state
from tidemark_testing.storage import MemoryStorage

A, B = (uuid.UUID(TOPIC_IDS[name]).bytes for name in "ab")
STATE_TOPIC = "__share_group_state"
TEST_API = {"tidemark_test_api": "true"}
# The last offset of its batch is below the first. Kafka stores it, and it has no effect; we refuse it.
INVERTED = {"FirstOffset": 20, "LastOffset": 10, "DeliveryState": 2, "DeliveryCount": 1}


@asynccontextmanager
async def a_node(
    storage: MemoryStorage | None = None, **settings: str
) -> AsyncIterator[tuple[Whole, Client]]:
    """Run a node with the topics that Kafka had."""
    async with running(storage or MemoryStorage(), **{**SETTINGS, **TEST_API, **settings}) as whole:
        client = await whole.client()
        if "a" not in whole.state.cluster.topics:
            drawn = [TOPIC_IDS["a"], TOPIC_IDS["b"]]
            random = whole.engine.runtime.context.new_id
            whole.engine.runtime.context.new_id = lambda: drawn.pop(0) if drawn else random()
            assert await client.make_topic("a", 3) == 0
            assert await client.make_topic("b", 2) == 0
        yield whole, client


def coordinator(whole: Whole) -> ShareCoordinator:
    return whole.engine.share_coordinator()


def stored(whole: Whole, partition: int, start: int = 0) -> list[tuple[int, str, int, dict[str, Any] | None]]:
    """Return type, group, partition and value of each record of a log, with the names of Kafka's decoder."""
    log = whole.state.logs.get(STATE_TOPIC, partition)
    assert log is not None
    found: list[tuple[int, str, int, dict[str, Any] | None]] = []
    for batch in log.batches(start):
        assert batch.header.base_sequence == 0
        for entry in records(batch.buf, batch.start, batch.header):
            assert entry.key is not None
            key, value = decode_share_state(entry.key, entry.value)
            found.append((key.API_KEY, key.group_id, key.partition, None if value is None else named(value)))
    return found


def named(value: Any) -> dict[str, Any]:
    fields = {name[0].lower() + name[1:]: each for name, each in to_dict(value).items()}
    fields["stateBatches"] = [
        {name[0].lower() + name[1:]: each for name, each in batch.items()} for batch in fields["stateBatches"]
    ]
    if fields["deliveryCompleteCount"] == -1:
        del fields["deliveryCompleteCount"]
    if "createTimestamp" in fields:
        fields["cold"] = fields.pop("createTimestamp") != fields.pop("writeTimestamp")
    return fields


def expected(partition: int) -> list[tuple[int, str, int, dict[str, Any] | None]]:
    """Return the records of Kafka. It writes those of one pass in the order of a hash map."""
    found = [(kind, key["groupId"], key["partition"], value) for kind, key, value, *_ in RECORDS[partition]]
    return [
        each
        for each in found
        if each[3] is None or not any(b["lastOffset"] == 10 for b in each[3]["stateBatches"])
    ]


async def compare(client: Client, part: str) -> None:
    for api, version, asked, answered in cases(part):
        if str(INVERTED) in str(asked):
            refused = (await client.ask(api, version, asked))["Results"][0]["Partitions"][0]
            assert refused["ErrorCode"] == ErrorCode.INVALID_REQUEST
            continue
        got = await client.ask(api, version, asked)
        got.pop("ThrottleTimeMs", None)
        assert {name: got[name] for name in answered} == answered, (api, asked)


async def test_requests_are_answered_and_stored_as_by_kafka() -> None:
    async with a_node() as (whole, client):
        await compare(client, "before the topic exists")
        topic_id = urlsafe_b64encode(A).decode().rstrip("=")
        await client.ask("FindCoordinator", 6, {"KeyType": 2, "CoordinatorKeys": [f"g:{topic_id}:0"]})
        for part in ("initialize", "read", "write", "summary", "delete"):
            await compare(client, part)
        await whole.time.advance(6_000, cleanup=True, sessions=False, logs=False)
        starts = [whole.state.logs.get(STATE_TOPIC, index).log_start_offset for index in range(3)]  # type: ignore[union-attr]
        assert starts == [11, 1, 12]  # Kafka: 12, 1 and 12, with one more record in the first
        await compare(client, "cold")
        deleted = await client.ask("DeleteTopics", 6, {"Topics": [{"Name": "b"}], "TimeoutMs": 5000})
        assert deleted["Responses"][0]["ErrorCode"] == 0
        await whole.engine.settled()
        await compare(client, "topic deletion")
        for index in range(3):
            assert sorted(map(repr, stored(whole, index))) == sorted(map(repr, expected(index)))
            assert [each for each in stored(whole, index) if not (each[3] or {}).get("cold")] == [
                each for each in expected(index) if not (each[3] or {}).get("cold")
            ]


async def test_keys_of_share_partitions_are_parsed_as_by_kafka() -> None:
    async with a_node() as (_, client):
        for api, version, asked, answered in cases("find"):
            got = await client.ask(api, version, asked)
            if "CoordinatorKeys" not in asked:
                assert (got["ErrorCode"], got["ErrorMessage"]) == (
                    answered["ErrorCode"],
                    answered["ErrorMessage"],
                )
                continue
            for one, theirs in zip(got["Coordinators"], answered["Coordinators"], strict=True):
                # Kafka's first answer is COORDINATOR_NOT_AVAILABLE: the topic is being created.
                code = 0 if theirs["ErrorCode"] == 15 else theirs["ErrorCode"]
                assert (one["Key"], one["ErrorCode"], one["ErrorMessage"]) == (theirs["Key"], code, "")
                assert one["NodeId"] == (-1 if code else 1)
