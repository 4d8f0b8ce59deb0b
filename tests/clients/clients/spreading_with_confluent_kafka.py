"""confluent-kafka, and with it librdkafka."""

from __future__ import annotations

from typing import Any

from confluent_kafka import Message, Producer
from spreading import TIMEOUT_S, run, value_of


def produce(bootstrap: str, topic: str, partitions: int) -> int:
    producer = Producer({"bootstrap.servers": bootstrap})
    delivered: set[int] = set()

    def on_delivery(error: Any, message: Message) -> None:
        assert error is None, error
        delivered.add(message.partition())

    for partition in range(partitions):
        producer.produce(topic, value_of(partition), partition=partition, on_delivery=on_delivery)
    left = producer.flush(TIMEOUT_S)
    assert not left, f"{left} of {partitions} records were not delivered"
    return len(delivered)


run(produce=produce)
