"""Copies in transactions with confluent-kafka, and with it librdkafka. Argument: the address."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import child
import copying
from confluent_kafka import Consumer, KafkaException, Message, Producer, TopicPartition
from copying import Failed, Job, Row, Rows, tell


class ConfluentKafka:
    def __init__(self, bootstrap: str) -> None:
        # Without "none", librdkafka 2.16 forgets a broker that is down, and send_offsets_to_transaction may
        # wait without end for a connection to the forgotten one (confluentinc/librdkafka#5511).
        self._common = {
            "bootstrap.servers": bootstrap,
            "reconnect.backoff.max.ms": 500,
            "metadata.recovery.strategy": "none",
        }

    def copy(self, job: Job) -> None:
        producer = Producer(
            {
                **self._common,
                "transactional.id": job.transactional_id,
                "transaction.timeout.ms": copying.TRANSACTION_TIMEOUT_MS,
                "linger.ms": 1,
            }
        )
        try:
            patiently(producer.init_transactions)
        except KafkaException as error:
            raise Failed from error
        consumer = Consumer(self._settings(job.group, job.protocol))
        consumer.subscribe([job.source])
        tell("ready")
        number = 0
        while True:
            messages = [
                message
                for message in consumer.consume(copying.BATCH, copying.POLL_MS / 1000)
                if message.error() is None
            ]
            if messages:
                transact(producer, consumer, job, messages, number)
                number += 1

    def _settings(self, group: str, protocol: str) -> dict[str, Any]:
        return {
            **self._common,
            "group.id": group,
            "group.protocol": protocol,
            "isolation.level": "read_committed",
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
            **(CLASSIC if protocol == "classic" else {}),
        }

    def read(self, topic: str, count: int) -> list[Row]:
        consumer = Consumer(self._settings("no group", "classic"))
        consumer.assign([TopicPartition(topic, partition, 0) for partition in range(count)])
        rows = Rows(count)
        while not rows.complete:
            for message in consumer.consume(1000, copying.POLL_MS / 1000):
                if message.error() is None:
                    rows.add(message.partition(), message.offset(), message.value())
        consumer.close()
        return rows.rows


CLASSIC = {"session.timeout.ms": child.SESSION_TIMEOUT_MS, "heartbeat.interval.ms": child.HEARTBEAT_MS}


def transact(producer: Producer, consumer: Consumer, job: Job, messages: list[Message], number: int) -> None:
    """Copy the messages in one transaction, or abort it and read them again."""
    first: dict[int, int] = {}
    after: dict[int, int] = {}
    for message in messages:
        first.setdefault(message.partition(), message.offset())
        after[message.partition()] = message.offset() + 1
    offsets = [TopicPartition(job.source, partition, offset) for partition, offset in after.items()]
    try:
        producer.begin_transaction()
        tell("begun")
        for message in messages:
            producer.produce(
                job.target,
                copying.value_of(message.partition(), message.offset()),
                message.key(),
                copying.target_of(message.offset()),
            )
        if number % 2:
            producer.flush(copying.DEADLINE_S)
        tell("sent")
        patiently(producer.send_offsets_to_transaction, offsets, consumer.consumer_group_metadata())
        tell("offsets")
        if not job.aborts(number):
            patiently(producer.commit_transaction)
            tell("committed", count=len(messages))
            return
        error = ""
    except KafkaException as refused:
        if not refused.args[0].txn_requires_abort():
            raise Failed from refused
        error = repr(refused)
    try:
        patiently(producer.abort_transaction)
    except KafkaException as refused:
        raise Failed from refused
    tell("aborted", error=error)
    for partition, offset in first.items():
        try:
            consumer.seek(TopicPartition(job.source, partition, offset))
        except KafkaException:  # it was taken from this consumer
            pass


def patiently(call: Callable[..., Any], *arguments: Any) -> None:
    """Call it until it does not time out."""
    while True:
        try:
            call(*arguments, copying.DEADLINE_S)
        except KafkaException as error:
            if not error.args[0].retriable():
                raise
            continue
        return


if __name__ == "__main__":
    copying.serve(ConfluentKafka(sys.argv[1]))
