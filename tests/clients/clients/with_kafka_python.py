"""kafka-python-ng and kafka-python 3, two branches of one library with the same interface."""

from __future__ import annotations

import sys
import threading
from typing import Any

import child
import kafka
from kafka.admin import KafkaAdminClient, NewTopic

IS_NG = int(kafka.__version__.split(".")[0]) < 3
# kafka-python 3.0.12 never completes a join if the leader's poll ends before the response to its SyncGroup.
# Once it has computed the assignment, need_rejoin() is false and join_group_async() does nothing. It happens
# with Kafka 4.3.1, too.
POLL_MS = child.POLL_MS if IS_NG else 3000


class KafkaPython:
    def __init__(self, bootstrap: str) -> None:
        self.bootstrap = bootstrap

    def create_topic(self, topic: str, partitions: int) -> None:
        admin = KafkaAdminClient(bootstrap_servers=self.bootstrap)
        admin.create_topics([NewTopic(topic, partitions, 1)])
        admin.close()

    def produce(self, topic: str, codec: str, first: int, count: int) -> None:
        producer = kafka.KafkaProducer(
            bootstrap_servers=self.bootstrap,
            compression_type=None if codec == "none" else codec,
            acks="all",
            retries=1000,
            linger_ms=5,
            reconnect_backoff_max_ms=500,
        )
        waiting = []
        for n in range(first, first + count):
            headers = child.headers_of(n, codec)
            waiting.append(
                producer.send(topic, key=child.key_of(n), value=child.value_of(n), headers=headers)
            )
            if len(waiting) == child.FLUSH_EVERY or n == first + count - 1:
                producer.flush()
                for one in waiting:
                    one.get(timeout=60)
                waiting.clear()
                child.tell("acked", count=n - first + 1)
        producer.close()

    def committed(self, group: str, topic: str, partitions: int) -> dict[int, int]:
        consumer = kafka.KafkaConsumer(bootstrap_servers=self.bootstrap, group_id=group)
        offsets = {p: consumer.committed(kafka.TopicPartition(topic, p)) for p in range(partitions)}
        consumer.close()
        return {p: -1 if offset is None else offset for p, offset in offsets.items()}

    def consume(self, topic: str, group: str, client_id: str, stopping: threading.Event) -> None:
        consumer = kafka.KafkaConsumer(
            bootstrap_servers=self.bootstrap,
            group_id=group,
            client_id=client_id,
            auto_offset_reset="earliest",
            enable_auto_commit=False,
            session_timeout_ms=child.SESSION_TIMEOUT_MS,
            heartbeat_interval_ms=child.HEARTBEAT_MS,
            max_poll_records=child.POLL_RECORDS,
            reconnect_backoff_max_ms=500,
        )
        uncommitted: dict[kafka.TopicPartition, Any] = {}
        consumer.subscribe([topic], listener=Listener(uncommitted))
        while not stopping.is_set():
            batches = poll(consumer)
            records = [record for batch in batches.values() for record in batch]
            child.tell_records((r.partition, r.offset, r.key, r.value, r.headers) for r in records)
            uncommitted.update(
                {tp: offset_and_metadata(batch[-1].offset + 1) for tp, batch in batches.items()}
            )
            if uncommitted:
                commit(consumer, uncommitted)
        consumer.close()


def poll(consumer: kafka.KafkaConsumer) -> dict[kafka.TopicPartition, Any]:
    """Poll. kafka-python 3 raises if the broker is down while it looks for the coordinator."""
    try:
        return consumer.poll(timeout_ms=POLL_MS)  # type: ignore[no-any-return] # Any to mypy
    except kafka.errors.KafkaConnectionError as error:
        child.tell("poll_failed", error=repr(error))
        return {}


def commit(consumer: kafka.KafkaConsumer, uncommitted: dict[kafka.TopicPartition, Any]) -> None:
    """Commit. A refused commit is retried later: the broker may be down, or a rebalance in progress."""
    offsets = dict(uncommitted)
    try:
        consumer.commit(offsets)
    except kafka.errors.KafkaError as error:
        child.tell("commit_failed", error=repr(error))
        return
    child.tell("committed", offsets={tp.partition: offset.offset for tp, offset in offsets.items()})
    uncommitted.clear()


def offset_and_metadata(offset: int) -> Any:
    return kafka.OffsetAndMetadata(offset, "") if IS_NG else kafka.OffsetAndMetadata(offset, "", -1)


class Listener(kafka.ConsumerRebalanceListener):  # type: ignore[misc]
    """Drops uncommitted records at a rebalance: the next owner of the partition reads them again."""

    def __init__(self, uncommitted: dict[kafka.TopicPartition, Any]) -> None:
        self.uncommitted = uncommitted

    def on_partitions_revoked(self, revoked: Any) -> None:
        self.uncommitted.clear()
        child.tell("revoked", partitions=sorted(tp.partition for tp in revoked))

    def on_partitions_assigned(self, assigned: Any) -> None:
        child.tell("assigned", partitions=sorted(tp.partition for tp in assigned))


if __name__ == "__main__":
    child.serve(KafkaPython(sys.argv[1]))
