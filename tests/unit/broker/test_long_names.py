"""A client chooses names of 32 KiB. No log line has more than 256 characters of one."""

from __future__ import annotations

from typing import Any, Final

from tests.unit.broker.whole import running
from tests.wire import request
from tidemark.core.log_text import NAME_CHARS_MAX
from tidemark_testing.storage import MemoryStorage

LONG: Final = "n" * 32_000
SHOWN: Final = "n" * NAME_CHARS_MAX + "..."


async def test_long_names_of_clients_are_cut_in_log_lines() -> None:
    async with running(MemoryStorage(), tidemark_requests_slow_ms="0") as whole:
        client = await whole.client()
        assert await client.make_topic() == 0
        await client.find()
        assert await client.commit(LONG, 7) == 0
        topics = [{"Name": "orders", "Partitions": [{"PartitionIndex": 0}]}]
        await client.ask("OffsetDelete", 0, {"GroupId": LONG, "Topics": topics})
        (removed,) = whole.lines.of("offset removed")
        assert removed["group"] == SHOWN
        records: dict[str, Any] = {"Index": 0, "Records": ""}
        body = {"Acks": 0, "TimeoutMs": 1, "TopicData": [{"Name": LONG, "PartitionData": [records]}]}
        client.writer.write(request("Produce", 9, body))
        assert await client.reader.read(1) == b""
        (closed,) = whole.lines.of("connection closed after invalid input")
        assert f"to {SHOWN}-0" in closed["reason"]
        for event, fields in whole.lines.lines:
            assert all(len(str(value)) < 2 * NAME_CHARS_MAX for value in fields.values()), (event, fields)
