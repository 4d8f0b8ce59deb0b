"""The meter of deleted offsets: in Kafka, only OffsetDelete moves it."""

from __future__ import annotations

from tests.unit.broker.whole import Client, Whole, a_commit


async def test_only_offset_delete_moves_the_meter_of_deletions(whole: Whole, client: Client) -> None:
    """Kafka: OffsetMetadataManager.deleteOffsets records it; deleteAllOffsets does not."""
    await client.make_topic()
    for group in ("a", "b", "c"):
        await client.find(group)
        await client.ask("OffsetCommit", 3, a_commit(group, 5))
    partition = {"Name": "orders", "Partitions": [{"PartitionIndex": 0}]}
    response = await client.ask("OffsetDelete", 0, {"GroupId": "a", "Topics": [partition]})
    assert response["ErrorCode"] == 0
    assert whole.metrics.offset_deletions.count == 1
    (result,) = (await client.ask("DeleteGroups", 2, {"GroupsNames": ["b"]}))["Results"]
    assert result["ErrorCode"] == 0
    request = {"TopicNames": ["orders"], "TimeoutMs": 1_000}
    (topic,) = (await client.ask("DeleteTopics", 5, request))["Responses"]
    assert topic["ErrorCode"] == 0
    assert await client.committed("b") == await client.committed("c") == -1
    assert whole.metrics.offset_deletions.count == 1
