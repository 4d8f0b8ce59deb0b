"""The console as a reader uses it, in headless Chromium: each check_ of console_browser.py is a test here."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

import pytest

from tests import needs
from tests.ecosystem.console_scene import LARGE_BYTES, SCRIPT, browse, shop
from tests.unit.http.asking import NOV_1, Asked, asked
from tidemark.seeding.calls import NewRecord, produce
from tidemark_http.v1.records import carry_out
from tidemark_protocol.records.offset_commit import OffsetCommitKey, OffsetCommitValue
from tidemark_testing import Tidemark

pytestmark = [pytest.mark.ecosystem, pytest.mark.timeout(600)]

HOSTILE: Final = (
    "<img src=x onerror=alert(1)>",
    "<script>alert(2)</script>",
    "\"><svg onload=alert('3')>",
    "javascript:alert(4)",
    "..",
    "a/b?c=d&e#f%2F%",
    "\u202egnillib \u0634\u0631\u0627\u0621",
    "🛒 'carts' \\ \"now\"",
    "x" * 200,
)
AVRO: Final = b"\0\0\0\1\2\6abc"  # schema 258, then a string
MANY: Final = 1_000
CHECKS: Final = re.findall(r"^def (check_\w+)", SCRIPT.read_text("utf-8"), re.MULTILINE)


@pytest.fixture(scope="module")
def found() -> Iterator[dict[str, str | None]]:
    needs.program("chromium", "chromium")
    several = Tidemark.start({"tidemark.brokers": 3, "default.replication.factor": 3})
    with shop() as broker, asked() as read_only, asked() as many, several:
        for name in HOSTILE:
            for partition in range(6):
                _commit(broker, name, partition, metadata=name)
        _large(broker)
        many.topics(orders=3)
        many.run(_many_groups(many))
        others = {"read only": f"http://{read_only.address}", "many": f"http://{many.address}"}
        groups = {"billing": {"orders": {"0": 0}}}
        several.create_topics({"topics": {"orders": {"partitions": 1}}, "groups": groups})
        others["several"] = f"http://{several.server.http}"
        yield browse("check", f"http://{broker.address}", json.dumps(others), json.dumps(HOSTILE))


def _commit(broker: Asked, group: str, partition: int, metadata: str) -> None:
    key = OffsetCommitKey(group, "orders", partition)

    async def commit() -> None:
        value = OffsetCommitValue(5, metadata=metadata, commit_timestamp=NOV_1 + 6 * 86_400_000)
        broker.whole.state.groups.replay_record(key, value)

    broker.run(commit())


def _large(broker: Asked) -> None:
    """A topic with a value of 10 MB, and one of Avro."""
    broker.post("/seed", topics={"large": {"configs": {"max.message.bytes": str(2 * LARGE_BYTES)}}})
    node = broker.whole.node
    new = [NewRecord(b"x" * LARGE_BYTES), NewRecord(AVRO)]
    broker.run(carry_out(node, node.current.server, produce("large", new, NOV_1)))


async def _many_groups(broker: Asked) -> None:
    for number in range(MANY):
        for partition in range(3):
            value = OffsetCommitValue(0, commit_timestamp=NOV_1 + number)
            key = OffsetCommitKey(f"group-{number:04}", "orders", partition)
            broker.whole.state.groups.replay_record(key, value)


@pytest.mark.parametrize("check", CHECKS)
def test_console(found: dict[str, str | None], check: str) -> None:
    assert found[check] is None, found[check]
