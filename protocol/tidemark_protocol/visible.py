"""The batches of a fetch that a consumer sees: no control batches, no aborted transactions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from tidemark_protocol.batch import (
    BatchError,
    BatchHeader,
    ControlType,
    check_crc,
    control_type,
    headers,
    records,
)


def visible_batches(data: bytes, aborted: Iterable[Any]) -> Iterator[tuple[int, BatchHeader]]:
    """Yield position and header of each visible batch. Raises BatchError for a wrong CRC.

    aborted: the aborted transactions that the broker returned with the records.
    """
    waiting = sorted(aborted, key=lambda each: each.first_offset, reverse=True)
    open_aborted: set[int] = set()
    for at, header in headers(data):
        if not check_crc(data, at, header):
            raise BatchError(f"the batch at offset {header.base_offset} has a wrong CRC")
        while waiting and waiting[-1].first_offset <= header.last_offset:
            open_aborted.add(waiting.pop().producer_id)
        if header.is_control:
            if _is_abort(data, at, header):
                open_aborted.discard(header.producer_id)
        elif not (header.is_transactional and header.producer_id in open_aborted):
            yield at, header


def _is_abort(data: bytes, at: int, header: BatchHeader) -> bool:
    return any(control_type(record.key) == ControlType.ABORT for record in records(data, at, header))
