"""The cost of a test with the pytest fixture, with three client libraries.

The test: a fresh topic, a producer, a consumer in a group, eight moved days and an assertion. "own calls" is
the time of the fixture's calls, "client" the rest: that of the library's calls, with everything for which the
library waits. "restore" is that of the snapshot at the start of the test, which keeps tests apart. "start" is
that of the broker in a thread, once its modules are imported.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from bench.aims import CLIENTS
from bench.rows import Effort, Row, quantile
from tests.clientenv import client_python
from tidemark_testing import Tidemark

ROUNDS: Final = 9


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
    with Tidemark.start():
        pass  # imports
    use = globals()[f"with_{client.replace('-', '_')}"]
    found: dict[str, list[float]] = {"start": [], "own calls": [], "client": [], "restore": []}
    began = time.perf_counter()
    with Tidemark.start() as tidemark:
        found["start"].append((time.perf_counter() - began) * 1000)
        for number in range(ROUNDS + 1):
            topic = ms(lambda: tidemark.topic("orders"))
            uses = ms(lambda: use(tidemark.bootstrap_servers, "orders"))
            moves = ms(lambda: tidemark.clock.advance(days=8))
            asserts = ms(lambda: tidemark.assert_expired("billing", "orders"))
            restores = ms(tidemark.restore)
            if number:  # the first round imports
                found["own calls"].append(topic + moves + asserts)
                found["client"].append(uses)
                found["restore"].append(restores)
    return found


def fixture(folder: Path, effort: Effort) -> list[Row]:
    """Each library is in an environment of its own, so that it needs a process of its own."""
    rows = []
    for client in CLIENTS:
        library = client_python(client).parents[1].glob("lib/python3*/site-packages")
        path = os.pathsep.join([*map(str, library), os.environ.get("PYTHONPATH", "")])
        child = [sys.executable, "-m", "bench.fixture", client]
        environment = {**os.environ, "PYTHONPATH": path}
        done = subprocess.run(child, check=True, env=environment, stdout=subprocess.PIPE, text=True)
        for part, values in json.loads(done.stdout).items():
            row = Row(f"fixture: {part}, {client}", quantile(values, 0.5), "ms")
            row.max_ms = max(values)
            row.note = "" if len(values) == 1 else f"median of {len(values)}"
            rows.append(row)
    return rows


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1])))
