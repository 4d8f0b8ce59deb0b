"""confluent-kafka, and with it librdkafka. Arguments: the address, then settings of consumers."""

from __future__ import annotations

import sys
import threading
from typing import Any

import child
from confluent_kafka import Consumer, KafkaException, Message, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

# On a slow machine fifty kills need more than a minute, and nothing may be acknowledged before the last.
FLUSH_S = 240


# The broker decides them for a consumer with group.protocol=consumer.
CLASSIC_SETTINGS = {
    "session.timeout.ms": child.SESSION_TIMEOUT_MS,
    "heartbeat.interval.ms": child.HEARTBEAT_MS,
}


class ConfluentKafka:
    """settings: further settings of a consumer."""

    def __init__(self, bootstrap: str, settings: dict[str, str]) -> None:
        self.bootstrap = bootstrap
        self.settings = settings if "group.protocol" in settings else {**CLASSIC_SETTINGS, **settings}

    def create_topic(self, topic: str, partitions: int) -> None:
        admin = AdminClient({"bootstrap.servers": self.bootstrap})
        admin.create_topics([NewTopic(topic, partitions, 1)])[topic].result(timeout=30)

    def produce(self, topic: str, codec: str, first: int, count: int) -> None:
        producer = Producer(
            {
                "bootstrap.servers": self.bootstrap,
                "compression.type": codec,
                "enable.idempotence": True,
                "linger.ms": 5,
                "reconnect.backoff.max.ms": 500,
            }
        )
        failed: list[Any] = []

        def delivered(error: Any, message: Message) -> None:
            if error is not None:
                failed.append(error)

        for n in range(first, first + count):
            headers = child.headers_of(n, codec)
            producer.produce(
                topic, key=child.key_of(n), value=child.value_of(n), headers=headers, on_delivery=delivered
            )
            if (n - first) % child.FLUSH_EVERY == child.FLUSH_EVERY - 1 or n == first + count - 1:
                left = producer.flush(FLUSH_S)
                assert not left and not failed, (left, failed)
                child.tell("acked", count=n - first + 1)

    def committed(self, group: str, topic: str, partitions: int) -> dict[int, int]:
        consumer = Consumer({"bootstrap.servers": self.bootstrap, "group.id": group})
        found = consumer.committed([TopicPartition(topic, p) for p in range(partitions)], timeout=30)
        consumer.close()
        return {tp.partition: max(tp.offset, -1) for tp in found}

    def consume(self, topic: str, group: str, client_id: str, stopping: threading.Event) -> None:
        consumer = Consumer(
            {
                "bootstrap.servers": self.bootstrap,
                "group.id": group,
                "client.id": client_id,
                "auto.offset.reset": "earliest",
                "enable.auto.commit": False,
                "reconnect.backoff.max.ms": 500,
                **self.settings,
            }
        )
        uncommitted: dict[int, int] = {}

        def assigned(_: Consumer, partitions: list[TopicPartition]) -> None:
            child.tell("assigned", partitions=sorted(tp.partition for tp in partitions))

        def revoked(_: Consumer, partitions: list[TopicPartition]) -> None:
            uncommitted.clear()
            child.tell("revoked", partitions=sorted(tp.partition for tp in partitions))

        consumer.subscribe([topic], on_assign=assigned, on_revoke=revoked)
        while not stopping.is_set():
            messages = [
                m for m in consumer.consume(child.POLL_RECORDS, child.POLL_MS / 1000) if m.error() is None
            ]
            child.tell_records((m.partition(), m.offset(), m.key(), m.value(), m.headers()) for m in messages)
            uncommitted.update({m.partition(): m.offset() + 1 for m in messages})
            if uncommitted:
                commit(consumer, topic, uncommitted)
        consumer.close()


def commit(consumer: Consumer, topic: str, uncommitted: dict[int, int]) -> None:
    """Commit. A refused commit is retried later: the broker may be down, or a rebalance in progress."""
    offsets = dict(uncommitted)
    wanted = [TopicPartition(topic, partition, offset) for partition, offset in offsets.items()]
    try:
        completed = consumer.commit(offsets=wanted, asynchronous=False)
    except KafkaException as error:
        child.tell("commit_failed", error=repr(error))
        return
    refused = [str(tp.error) for tp in completed if tp.error is not None]
    if refused:
        child.tell("commit_failed", error=str(refused))
        return
    child.tell("committed", offsets=offsets)
    uncommitted.clear()


if __name__ == "__main__":
    given = dict(setting.split("=", 1) for setting in sys.argv[2:])
    child.serve(ConfluentKafka(sys.argv[1], given))
