"""Groups settle with the assignments and epochs of Apache Kafka, step by step, over the wire."""

from __future__ import annotations

import asyncio

import pytest

from tests.conformance.assignments.record import recorded
from tests.conformance.assignments.settled import Fields, Group
from tests.kafka_oracle import NEWEST, USUAL, short_name
from tests.unit.broker.whole import Whole, start
from tidemark.ids import RandomIds
from tidemark_testing.storage import MemoryStorage

GROUPS = {
    (version, line["name"]): line
    for version in (USUAL, NEWEST)
    for line in recorded("settled_groups", version)
}


class RecordedIds(RandomIds):
    """Draws the ids of the topics that Kafka drew, once they are given."""

    __slots__ = ("recorded",)

    def __init__(self) -> None:
        self.recorded: list[str] = []

    def uuid_text(self) -> str:
        return self.recorded.pop(0) if self.recorded else super().uuid_text()


async def outcomes(line: Fields, release: str) -> list[Fields]:
    """Play a recorded group on tidemark."""
    ids = RecordedIds()
    whole = await start(
        MemoryStorage(), ids=ids, tidemark_as=release, group_consumer_assignment_interval_ms="0"
    )
    try:
        client = await whole.client()
        await client.find(line["name"])
        ids.recorded = [*line["topic_ids"].values()]
        group = Group(client.ask, line["name"], line["assignor"], patience_s=0)
        found = [await group.play(step) for step in line["steps"]]
        assert group.topic_ids == line["topic_ids"]
        return found
    finally:
        await stop(whole)


async def stop(whole: Whole) -> None:
    await whole.abandon()
    await whole.node.stop()


@pytest.mark.parametrize(("version", "name"), [*GROUPS])
def test_groups_settle_as_on_kafka(version: str, name: str) -> None:
    line = GROUPS[version, name]
    found = asyncio.run(outcomes(line, short_name(version)))
    for step, ours, theirs in zip(line["steps"], found, line["outcomes"], strict=True):
        assert ours == theirs, step
