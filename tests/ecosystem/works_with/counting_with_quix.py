"""Count words with Quix Streams: counting_with_quix.py BOOTSTRAP STATE_DIR RECORDS. Ends after RECORDS."""

from __future__ import annotations

import sys
from typing import Any

from quixstreams import Application

bootstrap, state_dir, records = sys.argv[1:]
application = Application(
    broker_address=bootstrap,
    consumer_group="quix",
    auto_offset_reset="earliest",
    state_dir=state_dir,
    processing_guarantee="exactly-once",
    commit_interval=0.1,
)
words = application.topic("words", key_deserializer="str", value_deserializer="str")
counts = application.topic("counts", key_serializer="str", value_serializer="str")


def count(word: str, state: Any) -> str:
    total = state.get("total", 0) + 1
    state.set("total", total)
    return f"{word} {total}"


application.dataframe(words).apply(count, stateful=True).to_topic(counts)
application.run(count=int(records), timeout=60)
