"""Regular expressions of consumer groups are resolved after the response, by a running node."""

from __future__ import annotations

from typing import Any, Final

from tests.unit.broker.whole import Client, Whole, running
from tidemark_protocol.errors import ErrorCode
from tidemark_testing.storage import MemoryStorage

TOPICS: Final = 60
SHORT: Final = "topic-"
LONG: Final = "topic-" + 80 * "x"
BATCH_BYTES: Final = "2500"  # the names of all topics fit if they are short


async def beat(client: Client, epoch: int, **fields: Any) -> dict[str, Any]:
    return await client.ask(
        "ConsumerGroupHeartbeat", 1, {"GroupId": "g", "MemberId": "m", "MemberEpoch": epoch, **fields}
    )


async def join(client: Client, regex: str) -> dict[str, Any]:
    return await beat(client, 0, RebalanceTimeoutMs=60_000, SubscribedTopicRegex=regex, TopicPartitions=[])


async def make_topics(client: Client, prefix: str, count: int = TOPICS) -> None:
    await client.find()
    for number in range(count):
        assert await client.make_topic(f"{prefix}{number}") == ErrorCode.NONE


async def assigned(whole: Whole, client: Client) -> int:
    """Send heartbeats until the member has an assignment. Return the number of its topics."""
    epoch = 1
    for _ in range(20):
        await whole.reads()
        answered = await beat(client, epoch)
        assert answered["ErrorCode"] == ErrorCode.NONE, answered
        epoch = answered["MemberEpoch"]
        if answered["Assignment"] and answered["Assignment"]["TopicPartitions"]:
            return len(answered["Assignment"]["TopicPartitions"])
        whole.clock.advance(1_000)
    raise AssertionError("nothing was assigned")


async def test_topics_are_matched_after_the_response_to_the_join(whole: Whole, client: Client) -> None:
    await make_topics(client, SHORT, 3)
    assert (await join(client, f"{SHORT}[01]"))["Assignment"] == {"TopicPartitions": []}
    assert await assigned(whole, client) == 2


async def test_an_expression_that_matches_too_many_topics_for_a_batch_is_tried_again() -> None:
    async with running(MemoryStorage(), message_max_bytes=BATCH_BYTES) as whole:
        client = await whole.client()
        await make_topics(client, LONG)
        assert (await join(client, f"{LONG}.*"))["MemberEpoch"] == 1
        for _ in range(3):
            await whole.reads()
            answered = await beat(client, 1)
            assert (answered["ErrorCode"], answered["MemberEpoch"]) == (ErrorCode.NONE, 1)
        names = [f"{LONG}{number}" for number in range(3, TOPICS)]
        await client.ask("DeleteTopics", 5, {"TopicNames": names, "TimeoutMs": 1})
        assert await assigned(whole, client) == 3


async def test_a_target_that_is_too_large_for_a_batch_is_an_error_of_the_heartbeat() -> None:
    async with running(MemoryStorage(), message_max_bytes=BATCH_BYTES) as whole:
        client = await whole.client()
        await make_topics(client, SHORT)
        await join(client, f"{SHORT}.*")
        await whole.reads()
        assert (await beat(client, 1))["ErrorCode"] == ErrorCode.UNKNOWN_SERVER_ERROR
        names = [f"{SHORT}{number}" for number in range(3, TOPICS)]
        await client.ask("DeleteTopics", 5, {"TopicNames": names, "TimeoutMs": 1})
        assert await assigned(whole, client) == 3
