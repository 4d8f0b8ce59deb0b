"""Members of a share group (KIP-932) that acknowledge at random, with confluent-kafka's share consumer.

    share topic group members seed    -> deliveries, acknowledged, failed; until the next line on stdin: closed

Each member is a thread. `deliveries` has rows of partition, offset, delivery count and acknowledgement type.
`acknowledged` has rows of partition and offset, and the error of their partition, null if it is confirmed.
A member may also close without acknowledging what it has received, and be replaced.
"""

from __future__ import annotations

import json
import random
import sys
import threading
import time
from typing import Any

from child import next_line, tell
from confluent_kafka import AcknowledgeType, KafkaException, ShareConsumer

ACCEPT, RELEASE, REJECT = "accept", "release", "reject"
TYPES = {
    ACCEPT: AcknowledgeType.ACCEPT,
    RELEASE: AcknowledgeType.RELEASE,
    REJECT: AcknowledgeType.REJECT,
}
ACKNOWLEDGE_S = 5
POLL_S = 0.3


def share(bootstrap: str, topic: str, group: str, name: str, seed: int, stopping: threading.Event) -> None:
    chance = random.Random(f"{name} {seed}")
    number = 0
    while not stopping.is_set():
        consumer = ShareConsumer(
            {
                "bootstrap.servers": bootstrap,
                "group.id": group,
                "client.id": f"{name}-{number}",
                "share.acknowledgement.mode": "explicit",
                "reconnect.backoff.max.ms": 200,
                "socket.timeout.ms": 10_000,
            }
        )
        number += 1
        try:
            consumer.subscribe([topic])
            while not stopping.is_set() and _once(consumer, f"{name}-{number}", chance):
                pass
        finally:
            try:
                consumer.close()
            except KafkaException as failed:
                tell("failed", member=name, error=f"close: {failed}")


def _once(consumer: Any, member: str, chance: random.Random) -> bool:
    """Poll and acknowledge. Returns whether the member goes on."""
    try:
        received = [message for message in consumer.poll(POLL_S) if message.error() is None]
    except KafkaException as failed:
        tell("failed", member=member, error=f"poll: {failed}")
        time.sleep(0.1)
        return True
    if not received:
        return True
    closes = chance.random() < 0.03
    rows = []
    for message in received:
        kind = chance.choices((ACCEPT, RELEASE, REJECT), (6, 3, 1))[0]
        rows.append([message.partition(), message.offset(), message.delivery_count(), kind])
    tell("deliveries", member=member, rows=rows, abandoned=closes)
    if closes:
        return False
    time.sleep(chance.choice((0, 0, 0.02, 0.1)))
    try:
        for message, row in zip(received, rows, strict=True):
            consumer.acknowledge(message, TYPES[row[3]])
        outcome = consumer.commit_sync(ACKNOWLEDGE_S)
    except (KafkaException, Exception) as failed:  # noqa: BLE001 - also its IllegalStateException
        tell("failed", member=member, error=f"acknowledge: {failed}")
        return True
    for place, error in outcome.items():
        mine = [row[:2] for row in rows if row[0] == place.partition]
        tell("acknowledged", member=member, rows=mine, error=None if error is None else str(error))
    return True


def main() -> None:
    bootstrap = sys.argv[1]
    for line in sys.stdin:
        command = json.loads(line)
        stopping = next_line()
        threads = [
            threading.Thread(
                target=share,
                args=(
                    bootstrap,
                    command["topic"],
                    command["group"],
                    f"member-{n}",
                    command["seed"],
                    stopping,
                ),
            )
            for n in range(command["members"])
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        tell("closed")


if __name__ == "__main__":
    main()
