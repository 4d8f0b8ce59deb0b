"""Read a segment, or a range of its offsets, as record batches of one of the source's tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np
import pyarrow as pa

from tidemark_pipeline import schemas
from tidemark_pipeline.decode.choice import Choice
from tidemark_pipeline.decode.chunks import CHUNK_ROWS_MAX, UnreadableBatch, Walk
from tidemark_pipeline.decode.commits import OFFSET_KEYS, of_groups, offset_columns
from tidemark_pipeline.decode.counting import counted
from tidemark_pipeline.decode.cutting import Flags, Ints, record_batch
from tidemark_pipeline.decode.groups import GROUP_KEYS, group_name, group_row
from tidemark_pipeline.decode.latest import latest, latest_rows
from tidemark_pipeline.decode.records import Records, records_of
from tidemark_pipeline.decode.share_state import SHARE_STATE_KEYS, share_state_row
from tidemark_pipeline.model import PipelineError, ScanOptions, Task
from tidemark_protocol.batch import (
    CONTROL,
    NO_PRODUCER_EPOCH,
    NO_PRODUCER_ID,
    TRANSACTIONAL,
    Buffer,
    ControlType,
)
from tidemark_protocol.stored import UnknownRecordType
from tidemark_protocol.wire import WireError

_CONTROL_TYPES: Final = {
    number: name.lower() for name, number in vars(ControlType).items() if isinstance(number, int)
}


def read_segment(data: Buffer, task: Task, options: ScanOptions) -> Iterator[pa.RecordBatch]:
    """Yield record batches of schemas.TABLES[options.table] of at most `chunks.CHUNK_ROWS_MAX` rows.

    data is the whole file. Rows are in the order of the log. Raises PipelineError with file, byte and reason.
    """
    walk = Walk(memoryview(data), task, options)
    found = _all_records(walk, task)
    if options.table == "segments":
        yield counted(found, walk, task)
        return
    read, choice = _TABLES[options.table], Choice(task, options)
    rows = (read(records, choice) for records in found)
    for batch in latest(rows, options.table) if options.latest_only else rows:
        for start in range(0, batch.num_rows, CHUNK_ROWS_MAX):
            yield batch.slice(start, CHUNK_ROWS_MAX)


def _all_records(walk: Walk, task: Task) -> Iterator[Records]:
    """Yield records. If a batch is unreadable, its CRC is checked first, unless that was done before."""
    try:
        for chunk in walk.chunks():
            yield from records_of(chunk)
    except UnreadableBatch as problem:
        if walk.verify_crc:
            raise PipelineError(f"{task.segment.path}, {problem}") from None
        walk.verify_crc = True
        yield from _all_records(walk, task)


def _control(records: Records) -> Flags:
    control: Flags = (records.chunk.headers["attributes"] & CONTROL != 0)[records.batch]
    return control


def _data_records(records: Records, choice: Choice, key_versions: range) -> Records:
    """Yield the selected records that have a key of these versions and of a selected group."""
    chosen = records.take(np.flatnonzero(choice.of(records) & ~_control(records)))
    short = np.flatnonzero(~chosen.keys.have_version())
    if short.size:
        raise PipelineError(
            f"{_place(chosen, choice.task, int(short[0]))}: a record whose key has no version"
        )
    versions = chosen.keys.versions()
    chosen = chosen.take(np.flatnonzero((versions >= key_versions.start) & (versions < key_versions.stop)))
    if choice.options.groups:
        chosen = chosen.take(np.flatnonzero(of_groups(chosen.keys, choice.options.groups)))
    return chosen.take(latest_rows(chosen.keys)) if choice.options.latest_only else chosen


def _place(records: Records, task: Task, row: int) -> str:
    return f"{task.segment.path}, byte {records.position(row)}, offset {records.offsets[row]}"


def _offsets(records: Records, choice: Choice) -> pa.RecordBatch:
    task = choice.task
    chosen = _data_records(records, choice, OFFSET_KEYS)
    columns = {
        **_of_log(chosen, task),
        **offset_columns(chosen.keys, chosen.values, lambda row: _place(chosen, task, row)),
        **_of_producer(chosen),
    }
    return record_batch(columns, schemas.OFFSETS)


def _of_log(records: Records, task: Task) -> dict[str, Any]:
    return {
        "log_partition": np.full(len(records), task.segment.log_partition, np.int32),
        "log_offset": records.offsets,
        "record_timestamp_ms": records.timestamps,
    }


def _of_batch(records: Records) -> dict[str, Any]:
    base = records.of_batches("base_offset")
    return {"batch_base_offset": base, "batch_last_offset": base + records.of_batches("last_offset_delta")}


def _of_producer(records: Records) -> dict[str, Any]:
    producer, epoch = records.of_batches("producer_id"), records.of_batches("producer_epoch")
    return {
        "producer_id": pa.array(producer, mask=producer == NO_PRODUCER_ID),
        "producer_epoch": pa.array(epoch, mask=epoch == NO_PRODUCER_EPOCH),
        "transactional": records.of_batches("attributes") & TRANSACTIONAL != 0,
    }


def _groups(records: Records, choice: Choice) -> pa.RecordBatch:
    chosen = _data_records(records, choice, GROUP_KEYS)
    told = [_group_row(chosen, choice.task, row) for row in range(len(chosen))]
    columns = {**_of_log(chosen, choice.task), **_of_batch(chosen)}
    for field in schemas.GROUPS:
        if field.name not in columns:
            columns[field.name] = pa.array([row.get(field.name) for row in told], field.type)
    return record_batch(columns, schemas.GROUPS)


def _group_row(records: Records, task: Task, row: int) -> dict[str, Any]:
    key = records.keys.bytes_at(row) or b""
    try:
        return group_row(key, records.values.bytes_at(row))
    except WireError as problem:
        raise PipelineError(
            f"{_place(records, task, row)}: {_called(key)} cannot be read: {problem}"
        ) from None


def _called(key: bytes) -> str:
    try:
        return f"a record of group {group_name(key)!r}"
    except WireError:
        return "a group's record"


def _raw(records: Records, choice: Choice) -> pa.RecordBatch:
    chosen = records.take(np.flatnonzero(choice.of(records)))
    control = _control(chosen)
    if choice.options.latest_only:
        chosen = chosen.take(latest_rows(chosen.keys, all_of=control | chosen.keys.null))
        control = _control(chosen)
    columns = {
        **_of_log(chosen, choice.task),
        **_of_batch(chosen),
        "key_version": pa.array(
            chosen.keys.versions().astype(np.int16), mask=control | ~chosen.keys.have_version()
        ),
        "key": chosen.keys.binaries(),
        "value": chosen.values.binaries(),
        **_of_producer(chosen),
        "control_type": _control_types(chosen, np.flatnonzero(control)),
    }
    return record_batch(columns, schemas.RAW)


def _control_types(records: Records, rows: Ints) -> pa.Array:
    """Return the second int16 of a control record's key; null for other records."""
    found: list[str | None] = [None] * len(records)
    for row in rows.tolist():
        key = records.keys.bytes_at(row) or b""
        number = int.from_bytes(key[2:4], "big", signed=True) if len(key) >= 4 else -1
        found[row] = _CONTROL_TYPES.get(number, "unknown")
    return pa.array(found, pa.string())


def _share_state(records: Records, choice: Choice) -> pa.RecordBatch:
    chosen = _data_records(records, choice, SHARE_STATE_KEYS)
    told = [_share_state_row(chosen, choice.task, row) for row in range(len(chosen))]
    columns = _of_log(chosen, choice.task)
    for field in schemas.SHARE_STATE:
        if field.name not in columns:
            columns[field.name] = pa.array([row.get(field.name) for row in told], field.type)
    return record_batch(columns, schemas.SHARE_STATE)


def _share_state_row(records: Records, task: Task, row: int) -> dict[str, Any]:
    try:
        return share_state_row(records.keys.bytes_at(row) or b"", records.values.bytes_at(row))
    except (WireError, UnknownRecordType) as problem:
        raise PipelineError(
            f"{_place(records, task, row)}: a share partition's record cannot be read: {problem}"
        ) from None


_TABLES: Final[dict[str, Callable[[Records, Choice], pa.RecordBatch]]] = {
    "offsets": _offsets,
    "groups": _groups,
    "raw": _raw,
    "share_state": _share_state,
}
