"""Count words with Faust: counting_with_faust.py BOOTSTRAP DATA_DIR. The table is in memory."""

from __future__ import annotations

import sys
from typing import Any

import faust

bootstrap, data_dir = sys.argv[1:]
application = faust.App(
    "faust",
    broker=f"kafka://{bootstrap}",
    store="memory://",
    topic_partitions=1,
    topic_replication_factor=1,
    processing_guarantee="exactly_once",
    broker_commit_interval=0.1,
    web_enabled=False,
    datadir=data_dir,
)
words = application.topic("words", key_serializer="raw", value_serializer="raw")
counts = application.topic("counts", key_serializer="raw", value_serializer="raw")
totals = application.Table("totals", default=int, partitions=1)


@application.agent(words)
async def count(stream: Any) -> None:
    async for value in stream:
        word = value.decode()
        totals[word] += 1
        await counts.send(value=f"{word} {totals[word]}".encode())


sys.argv[1:] = ["worker", "--loglevel=warn"]
application.main()
