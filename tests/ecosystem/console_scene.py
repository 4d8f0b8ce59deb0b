"""A broker with everything that the console shows.

Groups have lag; one rebalances, one expires soon. A transaction is open, faults are set, requests failed.
`python -m tests.ecosystem.console_scene FOLDER` takes a screenshot of every page, and
writes docs/console.png.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from tests.clientenv import client_python
from tests.unit.broker.group_story import subscription
from tests.unit.broker.whole import Client
from tests.unit.http.asking import Asked, asked, join_request
from tests.unit.http.test_transactions import Producer
from tidemark_protocol.subscriptions import write_assignment

SCRIPT: Final = Path(__file__).with_name("console_browser.py")
PICTURE: Final = Path(__file__).parents[2] / "docs" / "console.png"
CITIES: Final = ("Lisbon", "Porto", "Faro", "Braga")
LARGE_BYTES: Final = 10 * 1024 * 1024


@contextmanager
def shop() -> Iterator[Asked]:
    """Run a broker with the scene. Its clock is frozen at 2026-11-07 12:00."""
    settings = {"group_initial_rebalance_delay_ms": "0", "group_consumer_assignment_interval_ms": "0"}
    with asked(tidemark_test_api="true", **settings) as broker:
        topics: dict[str, Any] = {
            "orders": {
                "partitions": 6,
                "configs": {"retention.ms": "86400000", "cleanup.policy": "compact,delete"},
            },
            "payments": {"partitions": 3},
            "shipments": {"partitions": 4},
            "clickstream": {"partitions": 12},
        }
        broker.post("/seed", topics=topics)
        for topic, count in (("orders", 420), ("payments", 90), ("shipments", 60), ("clickstream", 900)):
            broker.post("/records", topic=topic, records=[_record(topic, number) for number in range(count)])
        _left_behind(broker)
        broker.post("/clock/advance", hours=6 * 24 + 2)
        _members(broker)
        _transactions(broker)
        _faults(broker)
        logger = broker.whole.node.env.logger
        logger.warning("slow request", api="Fetch", client_id="clickstream-sink", duration_ms=812)
        broker.post("/clock/freeze")
        yield broker


def _record(topic: str, number: int) -> dict[str, Any]:
    order = {
        "id": 4000 + number,
        "city": CITIES[number % 4],
        "total": round(number * 7.35 % 90, 2),
        "items": number % 5 + 1,
    }
    headers = {"trace": f"{number * 7919:08x}", "source": "web"}
    return {"key": f"customer-{number % 37}", "value": json.dumps(order), "headers": headers}


def _left_behind(broker: Asked) -> None:
    """Groups whose consumers are away: their offsets expire."""
    for partition in range(12):
        broker.commit("analytics", "clickstream", partition, 20)
    broker.leave("analytics", broker.join("analytics", "clickstream"))
    for partition in range(3):
        broker.commit("nightly-report", "payments", partition, 30)


def _members(broker: Asked) -> None:
    for partition, offset in enumerate((83, 41, 66, 12, 50, 34)):
        broker.commit("billing", "orders", partition, offset)
    broker.commit("billing", "payments", 0, 3)
    _consumers(broker, "billing", ["orders"], "billing-1", "billing-2")
    for partition in range(4):
        broker.commit("warehouse", "shipments", partition, 15)
    _consumers(broker, "warehouse", ["shipments"], "warehouse-eu")
    broker.commit("mailer", "orders", 0, 71)
    broker.join("mailer", "orders", assignment=write_assignment([("orders", [0, 1, 2, 3, 4, 5])], 0))
    broker.commit("search-indexer", "orders", 2, 5)
    broker.join("search-indexer", "orders")
    broker.asks("JoinGroup", 3, join_request("search-indexer", subscription(["orders"])))


def _consumers(broker: Asked, group: str, topics: list[str], *names: str) -> None:
    """Members of a KIP-848 group, once each has its share of the partitions."""
    clients = {name: broker.client() for name in names}
    members: dict[str, dict[str, Any]] = {}
    for name, client in clients.items():
        client.client_id = name
        joins = {
            "MemberEpoch": 0,
            "RebalanceTimeoutMs": 300_000,
            "SubscribedTopicNames": topics,
            "TopicPartitions": [],
        }
        members[name] = {"GroupId": group, "MemberId": name, **joins}
    for _ in range(4):
        for name, client in clients.items():
            members[name] = _heartbeat(broker, client, members[name])


def _heartbeat(broker: Asked, client: Client, sent: dict[str, Any]) -> dict[str, Any]:
    found = broker.run(client.ask("ConsumerGroupHeartbeat", 1, sent))
    assert found["ErrorCode"] == 0, found
    owned = sent["TopicPartitions"]
    if found["Assignment"] is not None:
        given = found["Assignment"]["TopicPartitions"]
        owned = [{"TopicId": each["TopicId"], "Partitions": each["Partitions"]} for each in given]
    return {**sent, "MemberEpoch": found["MemberEpoch"], "TopicPartitions": owned}


def _transactions(broker: Asked) -> None:
    done = Producer(broker, "refunds")
    done.send("payments", 1)
    done.end()
    still_open = Producer(broker, "checkout")
    still_open.send("payments", 0, count=3)
    still_open.send("payments", 2, count=2, sequence=0)
    still_open.commit("billing", "orders", 1, 44)


def _faults(broker: Asked) -> None:
    broker.post("/faults", api="OffsetCommit", group="billing-2", error="NOT_COORDINATOR", times=3)
    broker.post("/faults", api="Heartbeat", group="slow", block=True)
    broker.post("/faults", api="Fetch", topic="clickstream", delay_ms=250)
    where = {"Name": "orders", "Partitions": [{"PartitionIndex": 0, "CommittedOffset": 7}]}
    client = broker.client()
    client.client_id = "billing-2"
    broker.run(client.ask("OffsetCommit", 8, {"GroupId": "billing-2", "Topics": [where]}))
    broker.asks("Heartbeat", 3, {"GroupId": "slow", "MemberId": "m", "GenerationId": 1})


def browse(*arguments: str) -> Any:
    """Run console_browser.py, and return its JSON."""
    command = [str(client_python("playwright")), str(SCRIPT), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with shop() as broker:
        browse("shots", f"http://{broker.address}", str(folder))
    PICTURE.write_bytes((folder / "overview-1280-light.png").read_bytes())


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp()))
