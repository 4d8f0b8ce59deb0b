"""Record how groups settle on Apache Kafka: `python -m tests.conformance.assignments.record_settled`.

Assignments depend on the ids of topics, which Kafka draws, so each recording differs.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from pathlib import Path
from typing import Final

from tests.broker_process import two_free_ports
from tests.conformance.assignments.settled import Fields, Group, script
from tests.conformance.by_release import write_golden
from tests.kafka_oracle import KafkaNode
from tests.wire import Connection

GROUPS: Final = 24
PATIENCE_S: Final = 0.5
SETTINGS: Final = {
    "group.consumer.assignment.interval.ms": "0",
    "group.consumer.min.assignment.interval.ms": "0",
}


async def play(bootstrap: str, number: int) -> Fields:
    """Play a group. Return its script with what the broker did."""
    connection = Connection(bootstrap)

    async def ask(api: str, version: int, fields: Fields) -> Fields:
        response: Fields = connection.ask(api, version, fields)
        return response

    name, assignor, steps = script(number)
    await ask("FindCoordinator", 4, {"KeyType": 0, "CoordinatorKeys": [name]})
    group = Group(ask, name, assignor, PATIENCE_S)
    outcomes = [await group.play(step) for step in steps]
    return {
        "name": name,
        "assignor": assignor,
        "steps": steps,
        "outcomes": outcomes,
        "topic_ids": group.topic_ids,
    }


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="record-") as folder:
        node = KafkaNode(Path(folder), two_free_ports(), SETTINGS)
        node.start()
        try:
            lines = [json.dumps(asyncio.run(play(node.bootstrap, number))) + "\n" for number in range(GROUPS)]
        finally:
            node.stop()
    print(write_golden("settled_groups.jsonl.gz", "".join(lines).encode()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
