"""transactions.py BOOTSTRAP TOPIC PRODUCERS WARMUP_MS MEASURE_MS: measures transactions of confluent-kafka.

A transaction has ten records in two partitions, and an offset of a group. Each producer is a thread. The
warm-up begins when all are initialised. Prints a JSON list of the milliseconds of each transaction.
"""

from __future__ import annotations

import json
import sys
import threading
import time

from confluent_kafka import Consumer, Producer, TopicPartition

RECORDS = 10
PARTITIONS = 2
VALUE = b"x" * 200
TIMEOUT_S = 30


def measure(
    bootstrap: str,
    topic: str,
    number: int,
    ready: threading.Barrier,
    spans_s: list[float],
    taken: list[float],
) -> None:
    """Append the duration of each transaction that begins after the warm-up."""
    producer = Producer({"bootstrap.servers": bootstrap, "transactional.id": f"confluent-kafka-{number}"})
    producer.init_transactions(TIMEOUT_S)
    # A consumer that reads nothing: its group is only the place of the offset.
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": f"confluent-kafka-{number}"})
    group = consumer.consumer_group_metadata()
    offset = 0
    ready.wait()
    warm = time.monotonic() + spans_s[0]
    while (started := time.monotonic()) < warm + spans_s[1]:
        producer.begin_transaction()
        for n in range(RECORDS):
            producer.produce(topic, VALUE, partition=n % PARTITIONS)
        offset += RECORDS
        producer.send_offsets_to_transaction([TopicPartition(topic, 0, offset)], group, TIMEOUT_S)
        producer.commit_transaction(TIMEOUT_S)
        if started >= warm:
            taken.append((time.monotonic() - started) * 1000)
    consumer.close()


def main(bootstrap: str, topic: str, producers: int, warmup_ms: int, measure_ms: int) -> None:
    ready = threading.Barrier(producers)
    spans_s = [warmup_ms / 1000, measure_ms / 1000]
    taken: list[float] = []
    threads = [
        threading.Thread(target=measure, args=(bootstrap, topic, number, ready, spans_s, taken))
        for number in range(producers)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(json.dumps(taken))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:]))
