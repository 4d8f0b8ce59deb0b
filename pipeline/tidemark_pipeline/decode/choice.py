"""Choose the records to return: by offset, by time, and by the outcome of their transaction."""

from __future__ import annotations

from typing import Final

import numpy as np

from tidemark_pipeline.decode.chunks import Chunk
from tidemark_pipeline.decode.cutting import Flags, Ints
from tidemark_pipeline.decode.records import Records
from tidemark_pipeline.model import ScanOptions, Task
from tidemark_protocol.batch import CONTROL, TRANSACTIONAL

# The outcome of a transaction.
OPEN: Final = -1
ABORTED: Final = 0
COMMITTED: Final = 1


def in_offsets(records: Records, task: Task) -> Flags:
    return (records.offsets >= task.first_offset) & (records.offsets < task.end_offset)


class Choice:
    """The records that a task and its options select."""

    __slots__ = ("_decided", "options", "task")

    def __init__(self, task: Task, options: ScanOptions) -> None:
        self.task = task
        self.options = options
        # Producer id -> offsets of its markers, and their outcomes. After the last one, records are open.
        self._decided: dict[int, tuple[Ints, Ints]] = {}

    def of(self, records: Records) -> Flags:
        """Return which records are selected. Records outside of transactions, and markers, count as
        committed.
        """
        wanted = in_offsets(records, self.task)
        if self.options.as_of_ms is not None:
            wanted &= records.timestamps <= self.options.as_of_ms
        if self.options.transactions != "all":
            wanted &= self._wanted_batches(records.chunk)[records.batch]
        return wanted

    def _wanted_batches(self, chunk: Chunk) -> Flags:
        attributes = chunk.headers["attributes"] & (TRANSACTIONAL | CONTROL)
        outcomes = np.full(len(attributes), COMMITTED)
        of_clients = np.flatnonzero(attributes == TRANSACTIONAL)
        if of_clients.size:
            headers = chunk.headers[of_clients]
            outcomes[of_clients] = self._outcomes(headers["producer_id"], headers["base_offset"])
        wanted: Flags = outcomes == (OPEN if self.options.transactions == "open" else COMMITTED)
        return wanted

    def _outcomes(self, producers: Ints, base_offsets: Ints) -> Ints:
        """Return the outcome of each batch: the first later marker of its producer decides."""
        order = np.argsort(producers, kind="stable")
        ids, firsts = np.unique(producers[order], return_index=True)
        found = np.empty(len(order), np.int64)
        for producer, rows in zip(ids.tolist(), np.split(order, firsts[1:]), strict=True):
            offsets, decided = self._decisions(producer)
            found[rows] = decided[np.searchsorted(offsets, base_offsets[rows], "right")]
        return found

    def _decisions(self, producer: int) -> tuple[Ints, Ints]:
        found = self._decided.get(producer)
        if found is None:
            markers = self.task.markers.get(producer, ())
            offsets = np.array([marker.offset for marker in markers], np.int64)
            decided = [COMMITTED if marker.committed else ABORTED for marker in markers]
            found = self._decided[producer] = offsets, np.array([*decided, OPEN])
        return found
