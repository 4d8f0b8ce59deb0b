"""python -m bench.fixture: what a test with the pytest fixture costs, with three client libraries.

The test: a fresh topic, a producer, a consumer in a group, eight moved days and an assertion. "broker" is the
time of the fixture's own calls, "client" the rest: that of the library's calls, with everything for which the
library waits. "isolation" is a restore of the snapshot at the start of the test.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any, Final

from tests.clientenv import client_python
from tidemark.testing import Tidemark

ROUNDS: Final = 9
CLIENTS: Final = ("confluent-kafka", "aiokafka", "kafka-python")


def with_confluent_kafka(bootstrap: str, topic: str) -> None:
    from confluent_kafka import Consumer, Producer

    producer = Producer({"bootstrap.servers": bootstrap, "linger.ms": 0})
    producer.produce(topic, b"one order")
    producer.flush()
    group = {"group.id": "billing", "auto.offset.reset": "earliest", "enable.auto.commit": False}
    consumer = Consumer({"bootstrap.servers": bootstrap, **group})
    consumer.subscribe([topic])
    assert consumer.poll(10).value() == b"one order"
    consumer.commit(asynchronous=False)
    consumer.close()


def with_kafka_python(bootstrap: str, topic: str) -> None:
    from kafka import KafkaConsumer, KafkaProducer

    producer = KafkaProducer(bootstrap_servers=bootstrap)
    producer.send(topic, b"one order").get(10)
    producer.close()
    consumer = KafkaConsumer(
        topic,
        bootstrap_servers=bootstrap,
        group_id="billing",
        auto_offset_reset="earliest",
        enable_auto_commit=False,
    )
    assert next(consumer).value == b"one order"
    consumer.commit()
    consumer.close()


def with_aiokafka(bootstrap: str, topic: str) -> None:
    asyncio.run(_with_aiokafka(bootstrap, topic))


async def _with_aiokafka(bootstrap: str, topic: str) -> None:
    from aiokafka import AIOKafkaConsumer, AIOKafkaProducer

    producer = AIOKafkaProducer(bootstrap_servers=bootstrap)
    await producer.start()
    await producer.send_and_wait(topic, b"one order")
    await producer.stop()
    consumer = AIOKafkaConsumer(
        topic,
        bootstrap_servers=bootstrap,
        group_id="billing",
        auto_offset_reset="earliest",
        enable_auto_commit=False,
    )
    await consumer.start()
    assert (await consumer.getone()).value == b"one order"
    await consumer.commit()
    await consumer.stop()


def ms(call: Callable[[], Any]) -> float:
    began = time.perf_counter()
    call()
    return (time.perf_counter() - began) * 1000


def measure(client: str) -> dict[str, list[float]]:
    """Run the test several times. Return milliseconds by part."""
    use = globals()[f"with_{client.replace('-', '_')}"]
    found: dict[str, list[float]] = {"broker": [], "client": [], "isolation": []}
    with Tidemark.start() as tidemark:
        for number in range(ROUNDS + 1):
            topic = ms(lambda: tidemark.topic("orders"))
            uses = ms(lambda: use(tidemark.bootstrap_servers, "orders"))
            moves = ms(lambda: tidemark.clock.advance(days=8))
            asserts = ms(lambda: tidemark.assert_expired("billing", "orders"))
            restores = ms(tidemark.restore)
            if number:  # the first round imports
                found["broker"].append(topic + moves + asserts)
                found["client"].append(uses)
                found["isolation"].append(restores)
    return found


def main(arguments: list[str]) -> int:
    if arguments:
        for part, values in measure(arguments[0]).items():
            print(f"{arguments[0]:16} {part:10} median {statistics.median(values):6.1f} ms   "
                  f"largest {max(values):6.1f} ms", flush=True)  # fmt: skip
        return 0
    for client in CLIENTS:
        library = client_python(client).parents[1].glob("lib/python3*/site-packages")
        path = os.pathsep.join([*map(str, library), os.environ.get("PYTHONPATH", "")])
        child = [sys.executable, "-m", "bench.fixture", client]
        subprocess.run(child, check=True, env={**os.environ, "PYTHONPATH": path})
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
