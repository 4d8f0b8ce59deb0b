"""aiokafka: an asyncio client that uses only API versions of 2019 and before."""

from __future__ import annotations

import asyncio
import sys
import threading
from typing import Any

import aiokafka
import child
from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from aiokafka.errors import KafkaError


class AioKafka:
    def __init__(self, bootstrap: str) -> None:
        self.bootstrap = bootstrap

    def create_topic(self, topic: str, partitions: int) -> None:
        asyncio.run(self._create_topic(topic, partitions))

    def produce(self, topic: str, codec: str, first: int, count: int) -> None:
        asyncio.run(self._produce(topic, codec, first, count))

    def committed(self, group: str, topic: str, partitions: int) -> dict[int, int]:
        return asyncio.run(self._committed(group, topic, partitions))

    def consume(self, topic: str, group: str, client_id: str, stopping: threading.Event) -> None:
        asyncio.run(self._consume(topic, group, client_id, stopping))

    async def _create_topic(self, topic: str, partitions: int) -> None:
        admin = AIOKafkaAdminClient(bootstrap_servers=self.bootstrap)
        await admin.start()
        response = await admin.create_topics([NewTopic(topic, partitions, 1)])
        assert all(error[1] == 0 for error in response.topic_errors), response
        await admin.close()

    async def _produce(self, topic: str, codec: str, first: int, count: int) -> None:
        producer = aiokafka.AIOKafkaProducer(
            bootstrap_servers=self.bootstrap,
            compression_type=None if codec == "none" else codec,
            enable_idempotence=True,
            linger_ms=5,
        )
        await producer.start()
        waiting = []
        for n in range(first, first + count):
            headers = child.headers_of(n, codec)
            waiting.append(
                await producer.send(topic, key=child.key_of(n), value=child.value_of(n), headers=headers)
            )
            if len(waiting) == child.FLUSH_EVERY or n == first + count - 1:
                await asyncio.gather(*waiting)
                waiting.clear()
                child.tell("acked", count=n - first + 1)
        await producer.stop()

    async def _committed(self, group: str, topic: str, partitions: int) -> dict[int, int]:
        consumer = aiokafka.AIOKafkaConsumer(bootstrap_servers=self.bootstrap, group_id=group)
        await consumer.start()
        offsets = {p: await consumer.committed(aiokafka.TopicPartition(topic, p)) for p in range(partitions)}
        await consumer.stop()
        return {p: -1 if offset is None else offset for p, offset in offsets.items()}

    async def _consume(self, topic: str, group: str, client_id: str, stopping: threading.Event) -> None:
        consumer = aiokafka.AIOKafkaConsumer(
            bootstrap_servers=self.bootstrap,
            group_id=group,
            client_id=client_id,
            auto_offset_reset="earliest",
            enable_auto_commit=False,
            session_timeout_ms=child.SESSION_TIMEOUT_MS,
            heartbeat_interval_ms=child.HEARTBEAT_MS,
        )
        listener = Listener()
        consumer.subscribe([topic], listener=listener)
        await consumer.start()
        while not stopping.is_set():
            batches = await consumer.getmany(timeout_ms=child.POLL_MS, max_records=child.POLL_RECORDS)
            async with listener.working:
                await work(consumer, batches, listener.uncommitted)
        await consumer.stop()


async def work(
    consumer: aiokafka.AIOKafkaConsumer, batches: dict[Any, list[Any]], uncommitted: dict[Any, int]
) -> None:
    """Report the records of one poll and commit them. A refused commit is retried later."""
    records = [record for batch in batches.values() for record in batch]
    child.tell_records((r.partition, r.offset, r.key, r.value, r.headers) for r in records)
    uncommitted.update({tp: batch[-1].offset + 1 for tp, batch in batches.items()})
    if not uncommitted:
        return
    offsets = dict(uncommitted)
    try:
        await consumer.commit(offsets)
    except KafkaError as error:
        child.tell("commit_failed", error=repr(error))
        return
    child.tell("committed", offsets={tp.partition: offset for tp, offset in offsets.items()})
    uncommitted.clear()


class Listener(aiokafka.ConsumerRebalanceListener):  # type: ignore[misc]
    """Makes rebalances, which aiokafka does in the background, wait until the current records are committed.

    The lock must not be held over getmany, which itself waits for the end of a rebalance.
    """

    def __init__(self) -> None:
        self.working = asyncio.Lock()
        self.uncommitted: dict[aiokafka.TopicPartition, int] = {}

    async def on_partitions_revoked(self, revoked: Any) -> None:
        async with self.working:
            self.uncommitted.clear()
        child.tell("revoked", partitions=sorted(tp.partition for tp in revoked))

    async def on_partitions_assigned(self, assigned: Any) -> None:
        child.tell("assigned", partitions=sorted(tp.partition for tp in assigned))


if __name__ == "__main__":
    child.serve(AioKafka(sys.argv[1]))
