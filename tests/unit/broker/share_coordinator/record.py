"""Record random requests for share state: `python -m tests.unit.broker.share_coordinator.record`. Needs Java.

It writes tests/golden/share_states.jsonl.gz: the ids of the topics, then each request with Kafka's response,
then the records that Kafka has stored.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
import time
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from tests.broker_process import two_free_ports
from tests.conformance.by_release import write_golden
from tests.kafka_oracle import KafkaNode
from tests.unit.broker.share_coordinator.recorded import SETTINGS, named
from tests.wire import Connection
from tidemark_protocol.batch import headers, records
from tidemark_protocol.stored_share_state import decode_share_state

SEED: Final = 11
REQUESTS: Final = 800
GROUPS: Final = ("g", "h:1", "ü")
PARTITIONS: Final = (("a", 0), ("a", 1), ("a", 2), ("b", 0), ("b", 1))
KINDS: Final = {
    "InitializeShareGroupState": 3,
    "ReadShareGroupState": 3,
    "WriteShareGroupState": 16,
    "DeleteShareGroupState": 1,
    "ReadShareGroupStateSummary": 3,
}
IN_TWO_VERSIONS: Final = ("WriteShareGroupState", "ReadShareGroupStateSummary")
# As in the other recording, but without passes.
OF_NODE: Final = {
    name.replace("_", "."): value for name, value in SETTINGS.items() if not name.endswith("interval_ms")
}

Fields = dict[str, Any]


def requests(drawn: random.Random, topic_ids: dict[str, str]) -> Iterator[tuple[str, int, Fields]]:
    """Yield API, version and request. Epochs and starts are near the last ones that were drawn."""
    epochs: dict[Any, int] = {}
    leaders: dict[Any, int] = {}
    starts: dict[Any, int] = {}
    while True:
        (api,) = drawn.choices(list(KINDS), list(KINDS.values()))
        group = drawn.choice(GROUPS)
        topics: dict[str, list[Fields]] = {}
        for topic, index in drawn.sample(PARTITIONS, drawn.choice((1, 1, 1, 2, 3))):
            key = group, topic, index
            epoch, leader, start = epochs.get(key, 0), leaders.get(key, 0), starts.get(key, 0)
            partition: Fields = {"Partition": drawn.choice((-1, 9)) if drawn.random() < 0.03 else index}
            if api == "InitializeShareGroupState":
                epochs[key] = max(epoch, epoch := max(-1, epoch + drawn.choice((-1, 0, 1))))
                start = drawn.choice((-1, 0, 5))
                starts[key] = max(start, 0)
                partition |= {"StateEpoch": epoch, "StartOffset": start}
            elif api != "DeleteShareGroupState":
                asked = leader + drawn.choice((-1, 0, 0, 0, 0, 0, 1)) if drawn.random() < 0.9 else -1
                if api == "ReadShareGroupState":
                    leaders[key] = max(leader, asked)
                partition["LeaderEpoch"] = asked
            if api == "WriteShareGroupState":
                if drawn.random() < 0.4:
                    start += drawn.randint(-2, 6)
                    starts[key] = max(start, 0)
                partition |= {
                    "StateEpoch": epoch + drawn.choice((-1, 0, 0, 0, 0, 0, 1))
                    if drawn.random() < 0.9
                    else -1,
                    "StartOffset": start if drawn.random() < 0.7 else -1,
                    "DeliveryCompleteCount": drawn.choice((-1, 0, 3)),
                    "StateBatches": batches(drawn, start + drawn.randint(-3, 12)),
                }
            topics.setdefault(topic_ids[topic], []).append(partition)
        listed = [{"TopicId": topic_id, "Partitions": each} for topic_id, each in topics.items()]
        version = drawn.choice((0, 1)) if api in IN_TWO_VERSIONS else 0
        yield api, version, {"GroupId": group, "Topics": listed}


def batches(drawn: random.Random, offset: int) -> list[Fields]:
    """Return state batches near an offset, of which some overlap."""
    found: list[Fields] = []
    for _ in range(drawn.choice((0, 1, 1, 2, 3, 5))):
        last = offset + drawn.choice((0, 0, 1, 3, 6))
        state, count = drawn.choice((0, 2, 2, 4)), drawn.choice((1, 1, 2, 3))
        found.append(
            {"FirstOffset": offset, "LastOffset": last, "DeliveryState": state, "DeliveryCount": count}
        )
        overlaps = drawn.random() < 0.15
        offset = offset + drawn.randint(-4, 2) if overlaps else last + 1 + drawn.choice((0, 0, 1, 2))
    if drawn.random() < 0.3:
        drawn.shuffle(found)
    return found


def play(bootstrap: str) -> Iterator[Fields]:
    connection = Connection(bootstrap)
    new = [
        {"Name": name, "NumPartitions": count, "ReplicationFactor": 1} for name, count in (("a", 3), ("b", 2))
    ]
    created = connection.ask("CreateTopics", 7, {"Topics": new, "timeoutMs": 5000})
    topic_ids = {topic["Name"]: topic["TopicId"] for topic in created["Topics"]}
    yield {"topic_ids": topic_ids}
    key = urlsafe_b64encode(UUID(topic_ids["a"]).bytes).decode().rstrip("=")
    while connection.ask("FindCoordinator", 6, {"KeyType": 2, "CoordinatorKeys": [f"g:{key}:0"]})[
        "Coordinators"
    ][0]["ErrorCode"]:
        time.sleep(0.5)
    time.sleep(3)  # until the coordinator knows the topics and has loaded each partition
    asked = requests(random.Random(SEED), topic_ids)
    for _ in range(REQUESTS):
        api, version, fields = next(asked)
        yield {"case": [api, version, fields, connection.ask(api, version, fields)]}


def stored(folder: Path) -> Iterator[Fields]:
    for index in range(3):
        log = (folder / f"__share_group_state-{index}" / f"{0:020}.log").read_bytes()
        for position, header in headers(log):
            for entry in records(log, position, header):
                assert entry.key is not None
                key, value = decode_share_state(entry.key, entry.value)
                record = [index, key.API_KEY, key.group_id, key.topic_id.hex(), key.partition, named(value)]
                yield {"record": record}


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="share-states-") as folder:
        node = KafkaNode(Path(folder), two_free_ports(), OF_NODE)
        node.start()
        try:
            lines = [*play(node.bootstrap)]
        finally:
            node.stop()
        lines += stored(node.data_dir)
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    print(write_golden("share_states.jsonl.gz", text.encode()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
