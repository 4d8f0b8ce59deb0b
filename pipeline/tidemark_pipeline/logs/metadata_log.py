"""Read `__cluster_metadata`: created and removed topics, replicas, and the release of the cluster.

Reads the newest snapshot and the log. Of several copies, the one that reaches furthest is read. A broker may
be writing to it: an unreadable end is ignored.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from tidemark_pipeline.logs.files import looked_again, open_segment
from tidemark_pipeline.logs.hopping import hop_segment
from tidemark_pipeline.logs.replicas import LogDir, Replica, furthest, log_dirs, replicas
from tidemark_pipeline.model import PipelineError, Segment
from tidemark_protocol.batch import (
    COMPRESSION_MASK,
    CONTROL,
    LOG_OVERHEAD_BYTES,
    BatchError,
    read_header,
    records,
)
from tidemark_protocol.checkpoints import uuid_text
from tidemark_protocol.log_files import CHECKPOINT, TopicPartition
from tidemark_protocol.stored import decode_metadata
from tidemark_protocol.wire import WireError

METADATA: Final[TopicPartition] = ("__cluster_metadata", 0)
# The second byte of a record is its type. Only Topic, Partition, PartitionChange, RemoveTopic and
# FeatureLevel are decoded.
_WANTED: Final = frozenset((2, 3, 5, 9, 12))
METADATA_VERSION: Final = "metadata.version"
KAFKA_4_LEVEL: Final = 22  # 4.0-IV0: earlier releases do not support it
# An idle controller writes two NoOp records a second. Skip their batches: the shortest record of a topic,
# RemoveTopic, is longer: 61 bytes of header, 7 of the record's frame, 20 of its value.
BATCH_BYTES_MIN: Final = 88


@dataclass(slots=True, frozen=True)
class TopicEvent:
    """A topic was created or removed. topic None: only its id is known. timestamp_ms None: the log does not
    go back that far.
    """

    topic: str | None
    topic_id: str
    event: Literal["created", "removed"]
    timestamp_ms: int | None
    log_offset: int


@dataclass(slots=True)
class _Topics:
    """The topics at a point of the log. living: topic id -> partition -> number of replicas."""

    names: dict[bytes, str] = field(default_factory=dict)
    living: dict[bytes, dict[int, int]] = field(default_factory=dict)
    events: list[TopicEvent] = field(default_factory=list)
    kafka_4_from_ms: int | None = None


def topic_events(paths: Sequence[str]) -> list[TopicEvent]:
    """Return the events in the order of the log; empty if there is no metadata log."""
    return looked_again(lambda: _read(log_dirs(paths)).events)


def topics_told(paths: Sequence[str]) -> tuple[list[TopicEvent], int | None]:
    """Return the events, and since when the cluster has run Kafka 4.0 or later.

    The second is the time at which its metadata.version was set. 0: before the log begins; None: not known.
    """
    topics = looked_again(lambda: _read(log_dirs(paths)))
    return topics.events, topics.kafka_4_from_ms


def partition_counts(paths: Sequence[str]) -> dict[str, int]:
    """Return the number of partitions of each existing topic."""
    counts = looked_again(lambda: replica_counts(log_dirs(paths)))
    return {topic: len(partitions) for topic, partitions in counts.items()}


def replica_counts(dirs: Iterable[LogDir]) -> dict[str, dict[int, int]]:
    """Return topic -> partition -> number of replicas, of the existing topics."""
    topics = _read(dirs)
    named = ((topics.names.get(topic_id), counts) for topic_id, counts in topics.living.items())
    return {name: counts for name, counts in named if name is not None}


def of_living_topics(
    copies: Sequence[list[Replica]], dirs: Iterable[LogDir], pool: Executor
) -> list[list[Replica]]:
    """Return the directories of each partition, without those of an earlier topic of the same name.

    A broker that was down while a topic was created again still has the earlier directories.
    """
    if not any(pool.map(_conflict, copies)):
        return list(copies)
    living = _read(dirs).living
    return [_of_topics(found, living) for found in copies]


def _conflict(copies: Sequence[Replica]) -> bool:
    return len(copies) > 1 and len({copy.topic_id for copy in copies}) > 1


def _of_topics(copies: list[Replica], living: Collection[bytes]) -> list[Replica]:
    """Return the copies that belong to a known topic id; all of them if none is known."""
    if not _conflict(copies):
        return copies
    return [copy for copy in copies if copy.topic_id in living] or copies


def _read(dirs: Iterable[LogDir]) -> _Topics:
    copies = replicas(dirs).get(METADATA, [])
    return _read_copy(furthest(copies)) if copies else _Topics()


def _read_copy(copy: Replica) -> _Topics:
    """Read a copy. Older snapshots give the names of removed topics, the newest one the state to continue
    from.
    """
    topics = _Topics()
    begin = 0
    levels: list[int] = []
    for snapshot in _snapshots(copy):
        topics.living.clear()
        begin = int(snapshot.path.rpartition("/")[2].partition("-")[0])
        for record, _, _ in _records(snapshot):
            _replay(topics, record)
            levels += [0] * _is_kafka_4(record)
    before = dict(topics.names)
    for segment in copy.segments:
        for record, timestamp_ms, offset in _records(segment):
            topics.events += _events(topics, record, timestamp_ms, offset)
            if offset >= begin:
                _replay(topics, record)
            levels += [timestamp_ms] * _is_kafka_4(record)
    # A snapshot repeats the record without its time, so one in the log counts.
    topics.kafka_4_from_ms = min([ms for ms in levels if ms] or levels, default=None)
    topics.events[:0] = _created_before(before, topics.events)
    return topics


def _snapshots(copy: Replica) -> list[Segment]:
    """Return the snapshots in the order of their end offsets, with which their names begin."""
    entries = [each for each in copy.entries if each.name.endswith(CHECKPOINT)]
    return [
        Segment(copy.directory.join(each.name), copy.partition, 0, each.bytes, is_last=True)
        for each in entries
        if each.name.partition("-")[0].isdigit()
    ]


def _records(segment: Segment) -> Iterator[tuple[Any, int, int]]:
    """Yield (record, timestamp, offset) of the readable records of the needed types."""
    batches = hop_segment(segment).batches
    attributes = batches.headers["attributes"]
    wanted = batches.headers["length"] + LOG_OVERHEAD_BYTES >= BATCH_BYTES_MIN
    wanted |= attributes & COMPRESSION_MASK != 0
    wanted &= attributes & CONTROL == 0
    with open_segment(segment) as view:
        for position in batches.positions[wanted].tolist():
            header = read_header(view, position)
            try:
                entries = records(view, position, header)
            except BatchError as error:
                raise PipelineError(f"{segment.path}, byte {position}: {error}") from None
            for entry in entries:
                value = entry.value or b""
                with suppress(WireError):
                    if len(value) > 1 and value[1] in _WANTED:
                        yield decode_metadata(value), entry.timestamp, entry.offset


def _replay(topics: _Topics, record: Any) -> None:
    match type(record).__name__:
        case "TopicRecord":
            topics.names[record.topic_id] = record.name
            topics.living[record.topic_id] = {}
        case "PartitionRecord":
            topics.living.setdefault(record.topic_id, {})[record.partition_id] = len(record.replicas)
        case "PartitionChangeRecord" if record.replicas is not None and record.topic_id in topics.living:
            topics.living[record.topic_id][record.partition_id] = len(record.replicas)
        case "RemoveTopicRecord":
            topics.living.pop(record.topic_id, None)


def _is_kafka_4(record: Any) -> bool:
    return (
        type(record).__name__ == "FeatureLevelRecord"
        and record.name == METADATA_VERSION
        and record.feature_level >= KAFKA_4_LEVEL
    )


def _events(topics: _Topics, record: Any, timestamp_ms: int, offset: int) -> Iterator[TopicEvent]:
    match type(record).__name__:
        case "TopicRecord":
            yield TopicEvent(record.name, uuid_text(record.topic_id), "created", timestamp_ms, offset)
        case "RemoveTopicRecord":
            name = topics.names.get(record.topic_id)
            yield TopicEvent(name, uuid_text(record.topic_id), "removed", timestamp_ms, offset)


def _created_before(names: dict[bytes, str], events: Iterable[TopicEvent]) -> list[TopicEvent]:
    """Return the topics of snapshots whose creation is not in the log any more."""
    told = {event.topic_id for event in events if event.event == "created"}
    known = ((name, uuid_text(topic_id)) for topic_id, name in names.items())
    return [
        TopicEvent(name, topic_id, "created", None, -1) for name, topic_id in known if topic_id not in told
    ]
