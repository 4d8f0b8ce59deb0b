"""The cost of a test with the pytest fixture, with three client libraries.

The test: a fresh topic, a producer, a consumer in a group, eight moved days and an assertion. "own calls" is
the time of the fixture's calls, "client" the rest: that of the library's calls, with everything for which the
library waits. "restore" is that of the snapshot at the start of the test, which keeps tests apart. "start" is
that of the broker in a thread, once its modules are imported.

Without a client library: what the plugin does for an empty test, and for one with a topic and two records;
and the time to read the requests of one group, or all, from a full journal.
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
from tidemark_protocol import from_dict
from tidemark_testing import Tidemark
from tidemark_tools.client.client import Client

ROUNDS: Final = 9
REQUESTS: Final = 1000  # tidemark.requests.max
ALONE: Final = ("empty test", "test with a topic and two records", "requests of one group", "all requests")


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


def measure_alone() -> dict[str, list[float]]:
    """Measure what needs no client library. Return milliseconds by part."""
    found: dict[str, list[float]] = {name: [] for name in ALONE}
    with Tidemark.start() as tidemark:

        def a_test(*steps: Callable[[], Any]) -> float:
            """Return the time of a test as the plugin runs it: restored before and after."""
            return ms(lambda: [step() for step in (tidemark.restore, *steps, tidemark.restore)])

        for number in range(ROUNDS + 1):
            empty = a_test()
            small = a_test(
                lambda: tidemark.topic("orders"),
                lambda: tidemark.produce("orders", "one", "two"),
                lambda: tidemark.records("orders"),
            )
            if number:  # the first round imports
                found["empty test"].append(empty)
                found["test with a topic and two records"].append(small)
        tidemark.topic("orders")
        _fill_journal(tidemark)
        for _ in range(ROUNDS):
            one = ms(tidemark.requests(api="OffsetCommit", group="billing").refresh)
            found["requests of one group"].append(one)
            found["all requests"].append(ms(tidemark.requests().refresh))
    return found


def _fill_journal(tidemark: Tidemark) -> None:
    """Send as many commits as the journal keeps, one in fifty of them for group billing."""
    with Client(tidemark.bootstrap_servers) as client:
        for number in range(REQUESTS):
            group = f"group-{number % 50}" if number % 50 else "billing"
            where = {"PartitionIndex": 0, "CommittedOffset": 1, "CommittedMetadata": ""}
            message = {"GroupId": group, "Topics": [{"Name": "orders", "Partitions": [where]}]}
            client.call_coordinator(
                group,
                from_dict("OffsetCommitRequest", message),
                lambda response: response.topics[0].partitions[0].error_code,
                max_version=8,
            )


def fixture(folder: Path, effort: Effort) -> list[Row]:
    """Each library is in an environment of its own, so that it needs a process of its own."""
    rows = []
    for client in (*CLIENTS, ""):
        library = client_python(client).parents[1].glob("lib/python3*/site-packages") if client else ()
        path = os.pathsep.join([*map(str, library), os.environ.get("PYTHONPATH", "")])
        child = [sys.executable, "-m", "bench.fixture", client]
        environment = {**os.environ, "PYTHONPATH": path}
        done = subprocess.run(child, check=True, env=environment, stdout=subprocess.PIPE, text=True)
        for part, values in json.loads(done.stdout).items():
            row = Row(
                f"fixture: {part}, {client}" if client else f"fixture: {part}", quantile(values, 0.5), "ms"
            )
            row.max_ms = max(values)
            row.note = "" if len(values) == 1 else f"median of {len(values)}"
            rows.append(row)
    return rows


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1]) if sys.argv[1] else measure_alone()))
