"""testcontainers-python's module starts the image; confluent-kafka produces a record and consumes it.

usage: with_python.py IMAGE plain|kraft
"""

from __future__ import annotations

import sys

from confluent_kafka import Consumer, Producer
from testcontainers.community.kafka import KafkaContainer

PATIENCE_S = 60


def main(image: str, mode: str) -> None:
    container = KafkaContainer(image)
    if mode == "kraft":
        container.with_kraft()
    container.start(PATIENCE_S)
    try:
        servers = {"bootstrap.servers": container.get_bootstrap_server()}
        producer = Producer(servers)
        producer.produce("orders", b"an order")
        assert producer.flush(PATIENCE_S) == 0
        consumer = Consumer({**servers, "group.id": "billing", "auto.offset.reset": "earliest"})
        consumer.subscribe(["orders"])
        print(consumer.poll(PATIENCE_S).value().decode())
        consumer.close()
    finally:
        container.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
