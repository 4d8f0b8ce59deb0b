"""Record how groups settle on Apache Kafka: `python -m tests.conformance.assignments.record_settled`.

Assignments depend on the ids of topics, which Kafka draws, so each recording differs. Record on a quiet
machine: a group must end before Kafka may resolve its regular expressions again, which depends on time.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from tests.broker_process import two_free_ports
from tests.conformance.assignments.settled import Fields, Group, script
from tests.conformance.by_release import write_golden
from tests.kafka_oracle import KafkaNode
from tests.wire import Connection

GROUPS: Final = 24
RESOLVED_AGAIN_S: Final = 10  # GroupMetadataManager.REGEX_BATCH_REFRESH_MIN_INTERVAL_MS
PATIENCE_S: Final = 0.5
SETTINGS: Final = {
    "group.consumer.assignment.interval.ms": "0",
    "group.consumer.min.assignment.interval.ms": "0",
}


async def play(bootstrap: str, number: int) -> Fields:
    """Play a group. Return its script with what the broker did.

    Raises TimeoutError if Kafka may have resolved an expression again.
    """
    connection = Connection(bootstrap)

    async def ask(api: str, version: int, fields: Fields) -> Fields:
        response: Fields = connection.ask(api, version, fields)
        return response

    name, assignor, steps = script(number)
    await ask("FindCoordinator", 4, {"KeyType": 0, "CoordinatorKeys": [name]})
    group = Group(ask, name, assignor, PATIENCE_S)
    outcomes = []
    resolved_at: float | None = None
    for step in steps:
        if resolved_at is None and step.get("expression") is not None:
            resolved_at = time.monotonic()
        outcomes.append(await group.play(step))
    if resolved_at is not None and (took := time.monotonic() - resolved_at) >= RESOLVED_AGAIN_S:
        raise TimeoutError(f"{name} took {took:.1f} s, more than {RESOLVED_AGAIN_S}: the machine is too busy")
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
        except TimeoutError as error:
            print(f"not recorded: {error}", file=sys.stderr)
            return 1
        finally:
            node.stop()
    print(write_golden("settled_groups.jsonl.gz", "".join(lines).encode()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
