"""A request that waits keeps its own version and caller while other requests arrive."""

from __future__ import annotations

from functools import partial
from typing import Any

from tests.unit.broker.data_node import a_batch
from tests.unit.broker.whole import Whole
from tidemark_protocol.compression import Codec, compress

FIRST_VERSION_WITH_ZSTD = 7


def a_produce(*batches: bytes) -> dict[str, Any]:
    partitions = [{"Index": index, "Records": batch.hex()} for index, batch in enumerate(batches)]
    return {"Acks": -1, "TimeoutMs": 1000, "TopicData": [{"Name": "orders", "PartitionData": partitions}]}


async def test_a_request_that_waits_keeps_its_version(whole: Whole) -> None:
    client, other = await whole.client(), await whole.client()
    await client.make_topic(partitions=2)
    # A worker thread decompresses the first batch. The second one is checked afterwards.
    gzip = a_batch(value=bytes(500_000), attributes=Codec.GZIP, compress=partial(compress, Codec.GZIP))
    zstd = a_batch(attributes=Codec.ZSTD, compress=partial(compress, Codec.ZSTD))
    await other.ask("Produce", FIRST_VERSION_WITH_ZSTD - 1, a_produce(a_batch()))
    client.send("Produce", FIRST_VERSION_WITH_ZSTD, a_produce(gzip, zstd))
    other.send("Produce", FIRST_VERSION_WITH_ZSTD - 1, a_produce(a_batch()))
    answered = await client.answer("Produce", FIRST_VERSION_WITH_ZSTD)
    assert [one["ErrorCode"] for one in answered["Responses"][0]["PartitionResponses"]] == [0, 0]
