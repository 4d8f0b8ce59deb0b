"""Copies in transactions with aiokafka, which sends no group metadata: each process has its own partitions.

Its transactional id fences the process before it, so that it reads stable offsets, as before KIP-447.
Argument: the address.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import aiokafka
import copying
from aiokafka.errors import KafkaError
from copying import Failed, Job, Row, Rows, tell

READING = {
    "isolation_level": "read_committed",
    "auto_offset_reset": "earliest",
    "enable_auto_commit": False,
}


class AioKafka:
    def __init__(self, bootstrap: str) -> None:
        self.bootstrap = bootstrap

    def copy(self, job: Job) -> None:
        asyncio.run(self._copy(job))

    def read(self, topic: str, count: int) -> list[Row]:
        return asyncio.run(self._read(topic, count))

    async def _copy(self, job: Job) -> None:
        producer = aiokafka.AIOKafkaProducer(
            bootstrap_servers=self.bootstrap,
            transactional_id=job.transactional_id,
            transaction_timeout_ms=copying.TRANSACTION_TIMEOUT_MS,
            linger_ms=1,
        )
        consumer = aiokafka.AIOKafkaConsumer(
            bootstrap_servers=self.bootstrap, group_id=job.group, max_poll_records=copying.BATCH, **READING
        )
        try:
            await producer.start()
            # The first transaction waits until the one of the process before has ended.
            await producer.begin_transaction()
            await producer.abort_transaction()
        except KafkaError as error:
            raise Failed from error
        await consumer.start()
        mine = [aiokafka.TopicPartition(job.source, partition) for partition in job.partitions]
        consumer.assign(mine)
        for source in mine:
            consumer.seek(source, await consumer.committed(source) or 0)
        tell("ready")
        number = 0
        while True:
            batches = await consumer.getmany(timeout_ms=copying.POLL_MS, max_records=copying.BATCH)
            if batches:
                await transact(producer, consumer, job, batches, number)
                number += 1

    async def _read(self, topic: str, count: int) -> list[Row]:
        consumer = aiokafka.AIOKafkaConsumer(bootstrap_servers=self.bootstrap, **READING)
        await consumer.start()
        consumer.assign([aiokafka.TopicPartition(topic, partition) for partition in range(count)])
        rows = Rows(count)
        while not rows.complete:
            for batch in (await consumer.getmany(timeout_ms=copying.POLL_MS)).values():
                for record in batch:
                    rows.add(record.partition, record.offset, record.value)
        await consumer.stop()
        return rows.rows


async def transact(
    producer: aiokafka.AIOKafkaProducer,
    consumer: aiokafka.AIOKafkaConsumer,
    job: Job,
    batches: dict[aiokafka.TopicPartition, list[Any]],
    number: int,
) -> None:
    """Copy the records in one transaction, or abort it and read them again."""
    records = [record for batch in batches.values() for record in batch]
    error = ""
    try:
        await producer.begin_transaction()
        tell("begun")
        sent = [
            await producer.send(
                job.target,
                copying.value_of(record.partition, record.offset),
                record.key,
                copying.target_of(record.offset),
            )
            for record in records
        ]
        if number % 2:
            await asyncio.gather(*sent)
        tell("sent")
        after = {source: batch[-1].offset + 1 for source, batch in batches.items()}
        await producer.send_offsets_to_transaction(after, job.group)
        tell("offsets")
        if not job.aborts(number):
            await producer.commit_transaction()
            await asyncio.gather(*sent)
            tell("committed", count=len(records))
            return
    except KafkaError as refused:
        error = repr(refused)
    try:
        await producer.abort_transaction()
    except (KafkaError, AssertionError) as refused:  # it asserts that its state allows the abort
        raise Failed from refused
    await asyncio.gather(*sent, return_exceptions=True)
    tell("aborted", error=error)
    for source, batch in batches.items():
        consumer.seek(source, batch[0].offset)


if __name__ == "__main__":
    copying.serve(AioKafka(sys.argv[1]))
