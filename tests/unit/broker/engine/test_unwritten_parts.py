"""A part of a long decision that cannot be written ends the request, by a running node."""

from __future__ import annotations

from typing import Final

from tests.unit.broker.whole import running
from tidemark_protocol.errors import ErrorCode
from tidemark_testing.storage import MemoryStorage

PARTITIONS: Final = 450  # so many are assigned in steps
BATCH_BYTES: Final = "2500"
NAMES: Final = ["orders", *[80 * "x" + str(number) for number in range(50)]]  # too many for a batch


async def test_a_member_whose_record_is_too_large_is_refused_as_by_kafka() -> None:
    async with running(MemoryStorage(), message_max_bytes=BATCH_BYTES) as whole:
        client = await whole.client()
        await client.find()
        assert await client.make_topic(partitions=PARTITIONS) == ErrorCode.NONE
        join = {"GroupId": "g", "MemberId": "m", "MemberEpoch": 0, "RebalanceTimeoutMs": 60_000}
        for names, code in ((NAMES, ErrorCode.UNKNOWN_SERVER_ERROR), (NAMES[1:2], ErrorCode.NONE)):
            answered = await client.ask(
                "ConsumerGroupHeartbeat", 1, {**join, "SubscribedTopicNames": names, "TopicPartitions": []}
            )
            assert answered["ErrorCode"] == code, answered
