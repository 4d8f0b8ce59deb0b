"""aiokafka."""

from __future__ import annotations

import asyncio

from aiokafka import AIOKafkaProducer
from spreading import TIMEOUT_S, run, value_of


def produce(bootstrap: str, topic: str, partitions: int) -> int:
    return asyncio.run(_produce(bootstrap, topic, partitions))


async def _produce(bootstrap: str, topic: str, partitions: int) -> int:
    async with AIOKafkaProducer(bootstrap_servers=bootstrap) as producer:
        sent = [
            await producer.send(topic, value_of(partition), partition=partition)
            for partition in range(partitions)
        ]
        async with asyncio.timeout(TIMEOUT_S):
            await producer.flush()
            return len({(await future).partition for future in sent})


run(produce=produce)
