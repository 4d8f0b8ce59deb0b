"""Copies in transactions with kafka-python 3. Argument: the address."""

from __future__ import annotations

import sys
from typing import Any

import child
import copying
import kafka
from copying import Failed, Job, Row, Rows, tell
from kafka.errors import KafkaError

# See with_kafka_python.py: a join is never completed if the poll of the leader ends before its sync.
POLL_MS = 3000


class KafkaPython:
    def __init__(self, bootstrap: str) -> None:
        self._common = {"bootstrap_servers": bootstrap, "reconnect_backoff_max_ms": 500}

    def copy(self, job: Job) -> None:
        producer = kafka.KafkaProducer(
            **self._common,
            transactional_id=job.transactional_id,
            transaction_timeout_ms=copying.TRANSACTION_TIMEOUT_MS,
            linger_ms=1,
        )
        try:
            producer.init_transactions()
        except KafkaError as error:
            raise Failed from error
        consumer = kafka.KafkaConsumer(
            job.source,
            **self._common,
            **READING,
            group_id=job.group,
            session_timeout_ms=child.SESSION_TIMEOUT_MS,
            heartbeat_interval_ms=child.HEARTBEAT_MS,
            max_poll_records=copying.BATCH,
        )
        tell("ready")
        number = 0
        while True:
            records = [record for batch in poll(consumer).values() for record in batch]
            if records:
                transact(producer, consumer, job, records, number)
                number += 1

    def read(self, topic: str, count: int) -> list[Row]:
        consumer = kafka.KafkaConsumer(**self._common, **READING)
        consumer.assign([kafka.TopicPartition(topic, partition) for partition in range(count)])
        rows = Rows(count)
        while not rows.complete:
            for batch in consumer.poll(copying.POLL_MS).values():
                for record in batch:
                    rows.add(record.partition, record.offset, record.value)
        consumer.close()
        return rows.rows


READING = {
    "isolation_level": "read_committed",
    "auto_offset_reset": "earliest",
    "enable_auto_commit": False,
}


def poll(consumer: kafka.KafkaConsumer) -> dict[kafka.TopicPartition, Any]:
    """Poll. kafka-python 3 raises if the broker is down while it looks for the coordinator."""
    try:
        return consumer.poll(timeout_ms=POLL_MS)  # type: ignore[no-any-return] # Any to mypy
    except kafka.errors.KafkaConnectionError:
        return {}


def transact(
    producer: kafka.KafkaProducer, consumer: kafka.KafkaConsumer, job: Job, records: list[Any], number: int
) -> None:
    """Copy the records in one transaction, or abort it and read them again."""
    first: dict[kafka.TopicPartition, int] = {}
    after: dict[kafka.TopicPartition, kafka.OffsetAndMetadata] = {}
    for record in records:
        source = kafka.TopicPartition(record.topic, record.partition)
        first.setdefault(source, record.offset)
        after[source] = kafka.OffsetAndMetadata(record.offset + 1, "", -1)
    error = ""
    try:
        producer.begin_transaction()
        tell("begun")
        for record in records:
            producer.send(
                job.target,
                value=copying.value_of(record.partition, record.offset),
                key=record.key,
                partition=copying.target_of(record.offset),
            )
        if number % 2:
            producer.flush(copying.DEADLINE_S)
        tell("sent")
        producer.send_offsets_to_transaction(after, consumer.group_metadata())
        tell("offsets")
        if not job.aborts(number):
            producer.commit_transaction()
            tell("committed", count=len(records))
            return
    except KafkaError as refused:
        error = repr(refused)
    try:
        producer.abort_transaction()
    except KafkaError as refused:
        raise Failed from refused
    tell("aborted", error=error)
    for source, offset in first.items():
        if source in consumer.assignment():
            consumer.seek(source, offset)


if __name__ == "__main__":
    copying.serve(KafkaPython(sys.argv[1]))
