"""Transactions that commit more offsets than are decided in one step, on a whole node."""

from __future__ import annotations

from typing import Any, Final

from tests.unit.broker.whole import Client, running
from tidemark.groups.offsets import STEP_OFFSETS
from tidemark_testing.storage import MemoryStorage

PARTITIONS: Final = 2 * STEP_OFFSETS + 1
CONCURRENT_TRANSACTIONS: Final = 51


async def insist(client: Client, api: str, version: int, value: dict[str, Any]) -> dict[str, Any]:
    """Repeat a request while the markers of the transaction before are written."""
    while True:
        answered = await client.ask(api, version, value)
        if answered["ErrorCode"] != CONCURRENT_TRANSACTIONS:
            assert answered["ErrorCode"] == 0
            return answered


async def commit_all(client: Client, offset: int, *, committed: bool) -> None:
    await client.ask("FindCoordinator", 4, {"KeyType": 1, "CoordinatorKeys": ["tx"]})
    init = {"TransactionalId": "tx", "TransactionTimeoutMs": 60_000, "ProducerId": -1, "ProducerEpoch": -1}
    producer = await insist(client, "InitProducerId", 4, init)
    who = {
        "TransactionalId": "tx",
        "ProducerId": producer["ProducerId"],
        "ProducerEpoch": producer["ProducerEpoch"],
    }
    offsets = [
        {"PartitionIndex": index, "CommittedOffset": offset, "CommittedMetadata": ""}
        for index in range(PARTITIONS)
    ]
    answered = await client.ask(
        "TxnOffsetCommit", 5, {**who, "GroupId": "g", "Topics": [{"Name": "wide", "Partitions": offsets}]}
    )
    assert {each["ErrorCode"] for each in answered["Topics"][0]["Partitions"]} == {0}
    await insist(client, "EndTxn", 5, {**who, "Committed": committed})


async def stable_offsets(client: Client) -> set[int]:
    topics = [{"Name": "wide", "PartitionIndexes": [*range(PARTITIONS)]}]
    answered = await client.ask("OffsetFetch", 7, {"GroupId": "g", "Topics": topics, "RequireStable": True})
    partitions = answered["Topics"][0]["Partitions"]
    assert {each["ErrorCode"] for each in partitions} == {0}
    return {each["CommittedOffset"] for each in partitions}


async def test_all_offsets_of_a_large_transaction_become_visible_at_once() -> None:
    storage = MemoryStorage()
    async with running(storage) as broker:
        client = await broker.client()
        await client.find()
        await client.make_topic("wide", PARTITIONS)
        await commit_all(client, 5, committed=True)
        assert await stable_offsets(client) == {5}
        await commit_all(client, 6, committed=False)
        assert await stable_offsets(client) == {5}
        assert not broker.state.groups.offsets.is_ending()
        assert broker.engine.metrics.offset_commits.count == 2 * PARTITIONS
    async with running(storage) as broker:
        assert await stable_offsets(await broker.client()) == {5}
