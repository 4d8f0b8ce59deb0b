"""Find where the records of a chunk begin.

Each record only locates the next one of its batch. All batches of a chunk are therefore walked in parallel,
one record of each at a time.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from tidemark_pipeline.decode.chunks import CHUNK_ROWS_MAX, Chunk
from tidemark_pipeline.decode.cutting import INT_BITS, Cutter, Ints, TooLong
from tidemark_protocol.batch import BatchError, varint

# With fewer batches a plain loop is faster: a step costs some ten calls of numpy.
SIDE_BY_SIDE_MIN: Final = 64


def record_starts(chunk: Chunk, cutter: Cutter) -> Ints:
    """Return the starts in the order of the log. Raises UnreadableBatch if records do not fill their
    batch.
    """
    counts = chunk.headers["count"].astype(np.int64)
    order = np.argsort(-counts, kind="stable")  # batches with more records first
    falling = counts[order]
    rows = (np.cumsum(counts) - counts)[order]
    at = chunk.starts[order]
    found = np.empty(int(counts.sum()), np.int64)
    steps = int(falling[SIDE_BY_SIDE_MIN - 1]) if len(falling) >= SIDE_BY_SIDE_MIN else 0
    for step, going in enumerate(np.searchsorted(-falling, -np.arange(steps)).tolist()):
        found[rows[:going] + step] = at[:going]
        try:
            at[:going] = _behind(cutter, at[:going])
        except TooLong as problem:
            raise chunk.unreadable(int(order[problem.row]), "a varint is too long") from None
    for place in range(int(np.searchsorted(-falling, -steps))):
        left = found[int(rows[place]) + steps : int(rows[place] + falling[place])]
        try:
            for first in range(0, len(left), CHUNK_ROWS_MAX):  # Python's integers need five times the memory
                part = left[first : first + CHUNK_ROWS_MAX]
                part[:], at[place] = _one_by_one(chunk.data, int(at[place]), len(part))
        except (IndexError, BatchError):
            raise chunk.unreadable(int(order[place]), "the records end early") from None
    wrong = np.flatnonzero(at != chunk.ends[order])
    if wrong.size:
        raise chunk.unreadable(int(order[wrong].min()), "the records do not end where the batch does")
    return found


def _behind(cutter: Cutter, at: Ints) -> Ints:
    """Return the positions of the next records. Nearly every length has one or two bytes."""
    low, high = cutter.uint8(at).astype(np.int64), cutter.uint8(at + 1).astype(np.int64)
    if (low & high & 128).any():
        length, start = cutter.varints(at, INT_BITS)
        return start + (length >> 1)
    two = low >> 7
    behind: Ints = at + 1 + two + ((low & 127 | high * two << 7) >> 1)
    return behind


def _one_by_one(data: bytes, at: int, count: int) -> tuple[list[int], int]:
    found: list[int] = []
    found_one = found.append
    for _ in range(count):
        found_one(at)
        n = data[at]
        if n < 128:
            at += 1 + (n >> 1)
        elif (high := data[at + 1]) < 128:
            at += 2 + ((n & 127 | high << 7) >> 1)
        else:
            n, at = varint(data, at)
            at += n >> 1
    return found, at
