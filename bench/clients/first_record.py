"""first_record.py CLIENT BOOTSTRAP TOPIC TIMES: measures new consumers in new groups.

It produces a record, and prints a JSON list of the seconds from each subscription to the first record.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
import uuid
from collections.abc import Callable

TIMEOUT_S = 30


def confluent_kafka(bootstrap: str, topic: str) -> Callable[[], float]:
    from confluent_kafka import Consumer, Producer

    producer = Producer({"bootstrap.servers": bootstrap})
    producer.produce(topic, b"first")
    assert producer.flush(TIMEOUT_S) == 0

    def once() -> float:
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

    return once


def kafka_python(bootstrap: str, topic: str) -> Callable[[], float]:
    from kafka import KafkaConsumer, KafkaProducer

    producer = KafkaProducer(bootstrap_servers=bootstrap)
    producer.send(topic, b"first").get(TIMEOUT_S)
    producer.close()

    def once() -> float:
        consumer = KafkaConsumer(
            bootstrap_servers=bootstrap, group_id=uuid.uuid4().hex, auto_offset_reset="earliest"
        )
        started = time.monotonic()
        consumer.subscribe([topic])
        next(consumer)
        taken = time.monotonic() - started
        consumer.close()
        return taken

    return once


def aiokafka(bootstrap: str, topic: str) -> Callable[[], float]:
    from aiokafka import AIOKafkaConsumer, AIOKafkaProducer

    async def produce() -> None:
        producer = AIOKafkaProducer(bootstrap_servers=bootstrap)
        await producer.start()
        await producer.send_and_wait(topic, b"first")
        await producer.stop()

    async def consume() -> float:
        consumer = AIOKafkaConsumer(
            topic, bootstrap_servers=bootstrap, group_id=uuid.uuid4().hex, auto_offset_reset="earliest"
        )
        started = time.monotonic()
        await consumer.start()
        await asyncio.wait_for(consumer.getone(), TIMEOUT_S)
        taken = time.monotonic() - started
        await consumer.stop()
        return taken

    asyncio.run(produce())
    return lambda: asyncio.run(consume())


CLIENTS = {"confluent-kafka": confluent_kafka, "kafka-python": kafka_python, "aiokafka": aiokafka}


def main(client: str, bootstrap: str, topic: str, times: int) -> None:
    once = CLIENTS[client](bootstrap, topic)
    print(json.dumps([once() for _ in range(times)]))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))
