"""kafka-python."""

from __future__ import annotations

import time

import kafka
from spreading import TIMEOUT_S, run, value_of


def produce(bootstrap: str, topic: str, partitions: int) -> int:
    producer = kafka.KafkaProducer(bootstrap_servers=bootstrap)
    sent = [producer.send(topic, value_of(partition), partition=partition) for partition in range(partitions)]
    producer.flush(TIMEOUT_S)
    delivered = {future.get(timeout=TIMEOUT_S).partition for future in sent}
    producer.close()
    return len(delivered)


def consume(bootstrap: str, topic: str, partitions: int) -> int:
    consumer = kafka.KafkaConsumer(
        topic, bootstrap_servers=bootstrap, group_id=topic, auto_offset_reset="earliest"
    )
    found: set[int] = set()
    deadline = time.monotonic() + TIMEOUT_S
    while len(found) < partitions and time.monotonic() < deadline:
        for records in consumer.poll(timeout_ms=1000).values():
            for record in records:
                assert record.value == value_of(record.partition), record.value
                found.add(record.partition)
    consumer.close()
    return len(found)


run(produce=produce, consume=consume)
