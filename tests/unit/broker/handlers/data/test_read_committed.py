"""Fetch and ListOffsets with isolation level read_committed, compared with recorded responses of Kafka."""

from __future__ import annotations

import asyncio
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tests.golden_transactions import GOLDEN, SETTINGS, opened, unpacked
from tests.unit.broker.data_node import START_MS, DataNode, a_batch, answer
from tidemark.handlers.data.fetch import fetch
from tidemark.handlers.data.list_offsets import list_offsets
from tidemark.log.settings import LogSettings
from tidemark_protocol.batch import ControlType, build_control_batch
from tidemark_protocol.messages.fetch import FetchPartition, FetchRequest, FetchResponse, FetchTopic
from tidemark_protocol.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)

TRANSACTIONAL = 16
COMMITTED = 1
LATER_MS = START_MS + 1_000


class Node(DataNode):
    """A broker whose logs have the settings of the recorded ones."""

    def _log_settings(self, topic: str) -> LogSettings:
        return SETTINGS

    def transactional(self, count: int = 1) -> None:
        self.append("orders", a_batch(count, attributes=TRANSACTIONAL, producer_id=7, producer_epoch=0))

    def end(self, *, committed: bool) -> None:
        kind = ControlType.COMMIT if committed else ControlType.ABORT
        marker = build_control_batch(kind, bytes(6), 9, producer_id=7, producer_epoch=0)
        self.log("orders").append(marker, leader_epoch=0, now_ms=0, from_client=False)


def recorded_node(tmp_path: Path) -> Node:
    node = Node()
    written = unpacked(tmp_path) / "written"
    for topic in ("orders", "table"):
        node.topic(topic)
        for stored in opened(written, f"{topic}-0").batches():
            node.log(topic).append(
                bytearray(stored.buf[stored.start : stored.end]), leader_epoch=0, now_ms=0, from_client=False
            )
    return node


def a_request(*wanted: tuple[str, int, int], **fields: Any) -> FetchRequest:
    """wanted: topic, offset, partition_max_bytes."""
    topics = [
        FetchTopic(topic, partitions=[FetchPartition(0, fetch_offset=offset, partition_max_bytes=bytes_max)])
        for topic, offset, bytes_max in wanted
    ]
    return FetchRequest(
        **{"max_wait_ms": 0, "max_bytes": 1 << 20, "isolation_level": COMMITTED, "topics": topics, **fields}
    )


def described(response: FetchResponse) -> list[list[Any]]:
    return [
        [
            topic.topic, data.error_code, data.high_watermark, data.last_stable_offset, data.log_start_offset,
            None
            if data.aborted_transactions is None
            else [[each.producer_id, each.first_offset] for each in data.aborted_transactions],
            len(data.records or b""),
        ]
        for topic in response.responses
        for data in topic.partitions
    ]  # fmt: skip


@pytest.mark.slow
def test_fetches_are_answered_as_by_kafka(tmp_path: Path) -> None:
    node = recorded_node(tmp_path)
    recorded = json.loads(gzip.decompress((GOLDEN / "fetches.json.gz").read_bytes()))
    assert len(recorded) > 1_000

    async def story() -> None:
        for wanted, expected in recorded:
            request = a_request(*[(topic, offset, bytes_max) for topic, offset, bytes_max in wanted])
            response = await fetch(node.logs, node.context(12), request)
            assert isinstance(response, FetchResponse)
            assert described(response) == expected, wanted

    asyncio.run(story())


async def test_a_waiting_fetch_returns_with_the_marker() -> None:
    node = Node()
    node.topic("orders")
    node.transactional()
    request = a_request(("orders", 0, 1000), max_wait_ms=500, min_bytes=1)
    task = asyncio.ensure_future(fetch(node.logs, node.context(12), request))
    for _ in range(4):
        await asyncio.sleep(0)
    assert not task.done()
    node.end(committed=False)
    response = await task
    assert isinstance(response, FetchResponse)
    size = node.log("orders").size_bytes
    assert described(response) == [["orders", 0, 2, 2, 0, [[7, 0]], size]]


async def test_a_fetch_past_the_last_stable_offset_waits() -> None:
    node = Node()
    node.topic("orders")
    node.transactional(2)
    request = a_request(("orders", 2, 1000), max_wait_ms=500, min_bytes=1)
    task = asyncio.ensure_future(fetch(node.logs, node.context(12), request))
    for _ in range(4):
        await asyncio.sleep(0)
    assert not task.done()
    node.clock.advance(500)
    response = await task
    assert isinstance(response, FetchResponse)
    assert described(response) == [["orders", 0, 2, 0, 0, [], 0]]


@pytest.mark.parametrize(
    ("timestamp", "isolation", "expected"),
    [(-1, 0, 2), (-1, 1, 1), (-3, 0, 1), (-3, 1, -1), (LATER_MS, 0, 1), (LATER_MS, 1, -1), (-2, 1, 0)],
)
def test_offsets_of_an_open_transaction_are_not_found(timestamp: int, isolation: int, expected: int) -> None:
    node = Node()
    node.topic("orders")
    node.append("orders", a_batch(1))
    node.append(
        "orders", a_batch(1, attributes=TRANSACTIONAL, producer_id=7, producer_epoch=0, timestamp=LATER_MS)
    )
    partition = ListOffsetsPartition(0, timestamp=timestamp)
    request = ListOffsetsRequest(-1, isolation, [ListOffsetsTopic("orders", [partition])])
    response = answer(list_offsets(node.logs, node.context(7), request))
    assert response.topics[0].partitions[0].offset == expected
