"""Find where the logs of all topics in the directories begin and end."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

from tidemark_pipeline.logs.files import looked_again
from tidemark_pipeline.logs.metadata_log import METADATA, of_living_topics
from tidemark_pipeline.logs.replicas import Replica, furthest, log_dirs, replicas
from tidemark_protocol.checkpoints import uuid_text

THREADS: Final = 16


@dataclass(slots=True, frozen=True)
class LogEnd:
    """Start and end of a log.

    topic_id: as Kafka prints it; None if the directory does not have it. log_end_offset: after the last whole
    batch.
    """

    topic: str
    partition: int
    topic_id: str | None
    log_start_offset: int
    log_end_offset: int


def log_ends(paths: Sequence[str]) -> list[LogEnd]:
    """Return the ends of all logs, by topic and partition. Only the end of each log is read, found by its
    index.
    """
    return looked_again(lambda: _log_ends(paths))


def _log_ends(paths: Sequence[str]) -> list[LogEnd]:
    dirs = log_dirs(paths)
    found = {key: copies for key, copies in replicas(dirs).items() if key != METADATA}
    with ThreadPoolExecutor(THREADS) as pool:
        copies = of_living_topics([found[key] for key in sorted(found)], dirs, pool)
        return list(pool.map(_log_end, copies))


def _log_end(copies: Sequence[Replica]) -> LogEnd:
    best = furthest(copies)
    topic_id = None if best.topic_id is None else uuid_text(best.topic_id)
    return LogEnd(best.topic, best.partition, topic_id, best.start_offset, best.end_offset)
