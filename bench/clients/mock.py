"""Runs librdkafka's mock cluster: prints its bootstrap address, and ends when stdin closes.

A metadata request creates a topic, with four partitions.
"""

from __future__ import annotations

import sys

from confluent_kafka import Producer

TOPIC = "bench"


def main() -> None:
    producer = Producer({"bootstrap.servers": "ignored:1", "test.mock.num.brokers": 1, "log_level": 0})
    broker = next(iter(producer.list_topics(TOPIC, timeout=10).brokers.values()))
    print(f"{broker.host}:{broker.port}", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
