"""The plain data of a scan: logs, segments, and outcomes of transactions. The driver sends it to the
workers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

OnError = Literal["fail", "stop_at_tail", "skip"]
Transactions = Literal["committed", "all", "open"]


class PipelineError(Exception):
    """An error with one sentence for the user: what failed, where (file and byte), and why."""


class NoSuchGroup(PipelineError):
    """The log has no record of the group, or of a group that matches the pattern."""


@dataclass(slots=True, frozen=True)
class Segment:
    """A segment file.

    path: with scheme unless it is local. is_last: the last of its log, where a broker would truncate a torn
    tail.
    """

    path: str
    log_partition: int
    base_offset: int
    bytes: int
    is_last: bool


@dataclass(slots=True, frozen=True)
class OffsetsLog:
    """A log partition of `__consumer_offsets` in one directory.

    segments      in order, at least one
    read_below    the high watermark, if the log was replicated; None: read to the end
    """

    log_partition: int
    directory: str
    segments: Sequence[Segment]
    leader_epoch: int
    end_offset: int
    start_offset: int = 0
    read_below: int | None = None


@dataclass(slots=True, frozen=True)
class Marker:
    """The end of a transaction: the offset of its control record, and of the first batch that it decides."""

    offset: int
    committed: bool
    timestamp_ms: int
    first_offset: int = -1


@dataclass(slots=True, frozen=True)
class Damage:
    """Bytes of a segment that are no whole batch, before others that are. Bounds are exclusive.

    first_offset, end_offset   the records of these offsets are missing, except those the cleaner had removed
    undecided                  transactions that were open there. Their outcome may be in the damage, so what
                               was committed in them before counts as aborted
    """

    path: str
    byte: int
    end: int
    reason: str
    first_offset: int
    end_offset: int
    undecided: int = 0


@dataclass(slots=True, frozen=True)
class Survey:
    """The properties of a log partition, from the headers of its batches.

    markers              producer id -> markers in order of offset. The first marker of its producer after a
                         transactional batch decides about it. Without one, the transaction is open
    next_offset          after the last whole batch, or read_below
    last_stable_offset   first offset of the earliest open transaction, else next_offset
    newest_timestamp_ms  of all batches; -1: no batches
    first_offset         of the first batch; None: no batches
    torn                 (path, byte, reason) of an ignored tail
    open_transactions    producer id -> offset of its first batch
    first_timestamp_ms   of the batch at first_offset
    complete_from        the offset from which on no record is missing: the cleaner removed none. None: no
                         batches
    complete_from_ms     the time of the batch there, or of the last one before it
    end                  (path, byte) after the last batch, where a later survey continues
    holes                (first, end) offsets between two segments that neither has
    gap_inside_until     the offset after the last records that are missing within a segment; 0: none
    damaged              what was skipped (on_error=skip); otherwise damage is an error
    """

    log_partition: int
    markers: Mapping[int, Sequence[Marker]]
    next_offset: int
    last_stable_offset: int
    newest_timestamp_ms: int
    first_offset: int | None = None
    torn: tuple[str, int, str] | None = None
    open_transactions: Mapping[int, int] = field(default_factory=dict)
    first_timestamp_ms: int = -1
    complete_from: int | None = None
    complete_from_ms: int = -1
    end: tuple[str, int] | None = None
    holes: Sequence[tuple[int, int]] = ()
    gap_inside_until: int = 0
    damaged: Sequence[Damage] = ()


@dataclass(slots=True, frozen=True)
class ScanOptions:
    """The options of the source that a worker needs.

    groups      exact names; empty: all
    as_of_ms    later records are skipped; later markers have not decided yet
    """

    table: str = "offsets"
    verify_crc: bool = True
    on_error: OnError = "stop_at_tail"
    transactions: Transactions = "committed"
    latest_only: bool = False
    groups: frozenset[str] = frozenset()
    as_of_ms: int | None = None


@dataclass(slots=True, frozen=True)
class Task:
    """One segment to read, from offset first to below end.

    markers: as in Survey, those that decide about its batches. skipped: (begin, end) bytes of damage.
    """

    segment: Segment
    first_offset: int
    end_offset: int
    markers: Mapping[int, Sequence[Marker]] = field(default_factory=dict)
    skipped: Sequence[tuple[int, int]] = ()
