"""confluent-kafka in an environment of its own.

`python wire_client.py BOOTSTRAP commit N`: groups commit N times. `... read`: print every record of
`__consumer_offsets`, one JSON object per line.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

TOPIC = "orders"
OFFSETS = "__consumer_offsets"
DEADLINE_S = 30


def commit(bootstrap: str, many: int) -> None:
    admin = AdminClient({"bootstrap.servers": bootstrap})
    if TOPIC not in admin.list_topics(timeout=DEADLINE_S).topics:
        admin.create_topics([NewTopic(TOPIC, 3)])[TOPIC].result(DEADLINE_S)
    for group in ("readers", "päckchen", "other readers"):
        consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": group})
        for at in range(many):
            where = TopicPartition(TOPIC, at % 3, at, metadata=f"note {at}" if at % 2 else "")
            consumer.commit(offsets=[where], asynchronous=False)
        consumer.close()


def read(bootstrap: str) -> None:
    consumer = Consumer(
        {
            "bootstrap.servers": bootstrap,
            "group.id": "unused",
            "enable.auto.commit": False,
            "enable.partition.eof": True,
        }
    )
    partitions = consumer.list_topics(OFFSETS, DEADLINE_S).topics[OFFSETS].partitions
    consumer.assign([TopicPartition(OFFSETS, number, OFFSET_BEGINNING) for number in partitions])
    left = set(partitions)
    deadline = time.monotonic() + DEADLINE_S
    while left:
        assert time.monotonic() < deadline, f"no end of partitions {left}"
        message = consumer.poll(1)
        if message is None:
            continue
        if message.error() is None:
            print(json.dumps(told(message)))
        elif message.error().code() == KafkaError._PARTITION_EOF:
            left.discard(message.partition())
        else:
            raise RuntimeError(message.error())
    consumer.close()


def told(message: Any) -> dict[str, Any]:
    return {
        "key": None if message.key() is None else message.key().hex(),
        "value": None if message.value() is None else message.value().hex(),
        "partition": message.partition(),
        "offset": message.offset(),
        "timestamp": message.timestamp()[1],
    }


if __name__ == "__main__":
    _, bootstrap, what, *more = sys.argv
    if what == "commit":
        commit(bootstrap, int(more[0]))
    else:
        read(bootstrap)
