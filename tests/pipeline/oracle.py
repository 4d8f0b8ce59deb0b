"""Read the rows of a segment one record at a time: the reference for the columnar decoder.

Uses only `tidemark_protocol.batch.records` and `stored.decode_coordinator`.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

from tidemark_pipeline.model import ScanOptions, Task
from tidemark_protocol.batch import BatchError, BatchHeader, LogRecord, headers, records
from tidemark_protocol.stored import decode_coordinator
from tidemark_protocol.wire import ZERO_UUID, WireError

Row = dict[str, Any]

OF_VALUE = (
    "committed_offset",
    "leader_epoch",
    "metadata",
    "commit_timestamp_ms",
    "expire_timestamp_ms",
    "topic_id",
    "value_version",
)


def offset_rows(data: bytes, task: Task, options: ScanOptions) -> list[Row]:
    """Return rows of schemas.OFFSETS of complete, valid batches. Raises the errors of the two decoders."""
    return [
        _offset_row(task, header, record)
        for header, record in wanted(data, task, options)
        if not header.is_control and _is_commit(record)
    ]


def _is_commit(record: LogRecord) -> bool:
    """Return whether it is an offset commit. Kafka does not load a partition that has a key without a
    version.
    """
    version = key_version(record)
    if version is None:
        raise WireError("a key without a version")
    return version in (0, 1)


def raw_rows(data: bytes, task: Task, options: ScanOptions) -> list[Row]:
    """Return rows of schemas.RAW, without control_type."""
    return [
        {
            **_of_log(task, record),
            "batch_base_offset": header.base_offset,
            "batch_last_offset": header.last_offset,
            "key_version": None if header.is_control else key_version(record),
            "key": record.key,
            "value": record.value,
            **_of_producer(header),
        }
        for header, record in wanted(data, task, options)
    ]


def wanted(data: bytes, task: Task, options: ScanOptions) -> Iterator[tuple[BatchHeader, LogRecord]]:
    for position, header in headers(data):
        if _outcome(header, task) not in _OUTCOMES[options.transactions]:
            continue
        for record in records(data, position, header):
            if not header.base_offset <= record.offset <= header.last_offset:
                raise BatchError(f"offset {record.offset} in a batch up to {header.last_offset}")
            in_time = options.as_of_ms is None or record.timestamp <= options.as_of_ms
            if task.first_offset <= record.offset < task.end_offset and in_time:
                yield header, record


_OUTCOMES = {
    "all": ("plain", "committed", "aborted", "open"),
    "committed": ("plain", "committed"),
    "open": ("open",),
}


def _outcome(header: BatchHeader, task: Task) -> str:
    if not header.is_transactional or header.is_control:
        return "plain"
    for marker in task.markers.get(header.producer_id, ()):
        if marker.offset > header.base_offset:
            return "committed" if marker.committed else "aborted"
    return "open"


def key_version(record: LogRecord) -> int | None:
    if record.key is None or len(record.key) < 2:
        return None
    return int.from_bytes(record.key[:2], "big", signed=True)


def _of_log(task: Task, record: LogRecord) -> Row:
    return {
        "log_partition": task.segment.log_partition,
        "log_offset": record.offset,
        "record_timestamp_ms": record.timestamp,
    }


def _of_producer(header: BatchHeader) -> Row:
    return {
        "producer_id": _unless_absent(header.producer_id),
        "producer_epoch": _unless_absent(header.producer_epoch),
        "transactional": header.is_transactional,
    }


def _offset_row(task: Task, header: BatchHeader, record: LogRecord) -> Row:
    assert record.key is not None
    return {**_of_log(task, record), **_of_commit(record.key, record.value), **_of_producer(header)}


def commit_row(number: int, key: bytes, value: bytes | None) -> Row:
    """Return the row of a record outside any segment. number: its position and its time."""
    return {
        "log_partition": number,
        "log_offset": number,
        "record_timestamp_ms": number,
        **_of_commit(key, value),
        "producer_id": None,
        "producer_epoch": None,
        "transactional": False,
    }


def _of_commit(key_bytes: bytes, value_bytes: bytes | None) -> Row:
    key, value = decode_coordinator(key_bytes, value_bytes)
    row = {"group": key.group, "topic": key.topic, "partition": key.partition}
    if value is None:
        return row | dict.fromkeys(OF_VALUE)
    assert value_bytes is not None
    return row | {
        "committed_offset": value.offset,
        "leader_epoch": _unless_absent(value.leader_epoch),
        "metadata": value.metadata,
        "commit_timestamp_ms": value.commit_timestamp,
        "expire_timestamp_ms": _unless_absent(value.expire_timestamp),
        "topic_id": _uuid(value.topic_id),
        "value_version": int.from_bytes(value_bytes[:2], "big"),
    }


def _unless_absent(number: int) -> int | None:
    return None if number == -1 else number


def _uuid(raw: bytes) -> str | None:
    return None if raw == ZERO_UUID else base64.b64encode(raw, b"-_").decode().removesuffix("==")
