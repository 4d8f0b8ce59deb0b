"""first_record.py BOOTSTRAP TOPIC TIMES: seconds from subscribe() to the first record, each in a fresh group.

Prints them as a JSON list. A record is produced first.
"""

from __future__ import annotations

import json
import sys
import time
import uuid

from confluent_kafka import Consumer, Producer

TIMEOUT_S = 30


def main(bootstrap: str, topic: str, times: int) -> None:
    producer = Producer({"bootstrap.servers": bootstrap})
    producer.produce(topic, b"first")
    assert producer.flush(TIMEOUT_S) == 0
    print(json.dumps([first_record(bootstrap, topic) for _ in range(times)]))


def first_record(bootstrap: str, topic: str) -> float:
    consumer = Consumer(
        {"bootstrap.servers": bootstrap, "group.id": uuid.uuid4().hex, "auto.offset.reset": "earliest"}
    )
    started = time.monotonic()
    consumer.subscribe([topic])
    message = consumer.poll(TIMEOUT_S)
    taken = time.monotonic() - started
    assert message is not None and message.error() is None, message
    consumer.close()
    return taken


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
