"""ShareAcknowledge over a socket. tests/conformance/cases has what Kafka responds."""

from __future__ import annotations

from typing import Any

from tests.unit.broker.handlers.data.test_share_fetch import fetch, produce, sharing
from tidemark_protocol.errors import ErrorCode


def acknowledge(topic_id: str, epoch: int, first: int, last: int, *types: int) -> dict[str, Any]:
    batch = {"FirstOffset": first, "LastOffset": last, "AcknowledgeTypes": list(types)}
    partitions = [{"PartitionIndex": 0, "AcknowledgementBatches": [batch]}]
    topics = [{"TopicId": topic_id, "Partitions": partitions}]
    return {"GroupId": "g", "MemberId": "m", "ShareSessionEpoch": epoch, "Topics": topics}


async def test_only_what_a_member_holds_is_acknowledged() -> None:
    async with sharing() as (_, client, topic_id):
        await produce(client, b"1", b"2", b"3")
        await client.ask("ShareFetch", 2, fetch(topic_id, 0))
        for epoch, wanted, error in (
            (1, (0, 0, 1), 0),
            (2, (0, 3, 1), 42),
            (3, (1, 2, 3), 0),
            (4, (7, 7, 1), 121),
        ):
            answered = await client.ask("ShareAcknowledge", 2, acknowledge(topic_id, epoch, *wanted))
            assert answered["ErrorCode"] == 0
            assert answered["Responses"][0]["Partitions"][0]["ErrorCode"] == error


async def test_nothing_is_served_without_the_feature() -> None:
    """Kafka: KafkaApis.isShareGroupProtocolEnabled, before any other check."""
    async with sharing() as (_, client, topic_id):
        update = {"Feature": "share.version", "MaxVersionLevel": 0, "UpgradeType": 2}
        assert (await client.ask("UpdateFeatures", 1, {"FeatureUpdates": [update]}))["ErrorCode"] == 0
        for api, asked in (
            ("ShareFetch", fetch(topic_id, 0, GroupId=None)),
            ("ShareAcknowledge", acknowledge(topic_id, 1, 0, 0, 1)),
        ):
            assert (await client.ask(api, 2, asked))["ErrorCode"] == ErrorCode.UNSUPPORTED_VERSION


async def test_the_end_of_a_session_releases_what_it_holds() -> None:
    async with sharing() as (whole, client, topic_id):
        await produce(client, b"1", b"2", b"3")
        await client.ask("ShareFetch", 2, fetch(topic_id, 0))
        await client.ask("ShareAcknowledge", 2, acknowledge(topic_id, -1, 0, 0, 1))
        await whole.engine.settled()
        answered = await client.ask("ShareFetch", 2, fetch(topic_id, 0))
        (partition,) = answered["Responses"][0]["Partitions"]
        assert partition["AcquiredRecords"] == [{"FirstOffset": 1, "LastOffset": 2, "DeliveryCount": 2}]
