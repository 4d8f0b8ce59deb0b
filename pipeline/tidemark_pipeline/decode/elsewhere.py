"""Decode records from another source: a consumer, or Spark's Kafka source."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import numpy as np
import pyarrow as pa

from tidemark_pipeline import schemas
from tidemark_pipeline.decode.commits import OFFSET_KEYS, check_versions, offset_columns
from tidemark_pipeline.decode.cutting import PADDING, Cutter, Ints, Slices, record_batch
from tidemark_pipeline.decode.groups import GROUP_KEYS, group_row
from tidemark_pipeline.model import PipelineError
from tidemark_protocol.wire import WireError

# A consumer does not receive the producer of a record, nor whether it is transactional.
_UNKNOWN: Final = {"producer_id": None, "producer_epoch": None, "transactional": False}


def read_records(
    keys: pa.Array, values: pa.Array, partitions: pa.Array, offsets: pa.Array, timestamps: pa.Array
) -> pa.RecordBatch:
    """Return rows of schemas.OFFSETS for the records whose key is that of an offset commit.

    keys and values are binary, null allowed; partitions, offsets and timestamps (ms) are integers. Raises
    PipelineError with log partition and offset of a record that cannot be decoded.
    """
    key_slices, value_slices = _slices(keys), _slices(values)
    of_log = {
        "log_partition": _integers(partitions),
        "log_offset": _integers(offsets),
        "record_timestamp_ms": _integers(timestamps),
    }
    check_versions(key_slices, partial(_where, of_log))
    rows = np.flatnonzero(np.isin(key_slices.versions(), OFFSET_KEYS))
    of_log = {name: column[rows] for name, column in of_log.items()}
    columns: dict[str, Any] = {
        **of_log,
        **offset_columns(key_slices.take(rows), value_slices.take(rows), partial(_where, of_log)),
        **{name: np.full(len(rows), value) for name, value in _UNKNOWN.items()},
    }
    return record_batch(columns, schemas.OFFSETS)


def read_group_records(
    keys: pa.Array,
    values: pa.Array,
    partitions: pa.Array,
    offsets: pa.Array,
    timestamps: pa.Array,
    first_offsets: pa.Array,
    last_offsets: pa.Array,
) -> pa.RecordBatch:
    """Return rows of schemas.GROUPS for the records whose key is that of a group's record.

    As `read_records`. first_offsets, last_offsets: of the records that were written together with each.
    """
    of_log = {
        "log_partition": _integers(partitions),
        "log_offset": _integers(offsets),
        "record_timestamp_ms": _integers(timestamps),
        "batch_base_offset": _integers(first_offsets),
        "batch_last_offset": _integers(last_offsets),
    }
    key_slices = _slices(keys)
    check_versions(key_slices, partial(_where, of_log))
    rows = np.flatnonzero(np.isin(key_slices.versions(), GROUP_KEYS))
    of_log = {name: column[rows] for name, column in of_log.items()}
    decoded = []
    for at, row in enumerate(rows.tolist()):
        try:
            decoded.append(group_row(keys[row].as_py(), values[row].as_py()))
        except WireError as problem:
            raise PipelineError(f"{_where(of_log, at)}: a group's record cannot be read: {problem}") from None
    columns: dict[str, Any] = dict(of_log)
    for field in schemas.GROUPS:
        if field.name not in columns:
            columns[field.name] = pa.array([each.get(field.name) for each in decoded], field.type)
    return record_batch(columns, schemas.GROUPS)


def _where(of_log: dict[str, Ints], row: int) -> str:
    return f"log partition {of_log['log_partition'][row]}, offset {of_log['log_offset'][row]}"


def _slices(binaries: pa.Array) -> Slices:
    large = binaries.cast(pa.large_binary())
    _, offsets, data = large.buffers()
    bounds = np.frombuffer(offsets, np.int64)[large.offset : large.offset + len(large) + 1]
    first, last = int(bounds[0]), int(bounds[-1])
    copied = (b"" if data is None else memoryview(data)[first:last].tobytes()) + PADDING
    null = large.is_null().to_numpy(zero_copy_only=False)
    return Slices(Cutter(copied), bounds[:-1] - first, bounds[1:] - first, null)


def _integers(column: pa.Array) -> Ints:
    if column.null_count:
        raise PipelineError("records without log partition, offset or timestamp cannot be read")
    found: Ints = column.cast(pa.int64()).to_numpy(zero_copy_only=False)
    return found
