"""What a scan is made of: logs, segments, and what is decided about transactions. Plain data, given by the
driver to its workers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

OnError = Literal["fail", "stop_at_tail"]
Transactions = Literal["committed", "all", "open"]

# Where a retention comes from.
GIVEN: Final = "given"
ASSUMED: Final = "ASSUMED"
INFERRED: Final = "inferred"
UNKNOWN: Final = "unknown"


class PipelineError(Exception):
    """One clear sentence for whoever runs the pipeline: what, where (file and byte), why."""


@dataclass(slots=True, frozen=True)
class Segment:
    """A segment file. path: as given by its directory's file system, with scheme unless it is local.

    is_last: of its log, so a torn tail is what a broker would cut off.
    """

    path: str
    log_partition: int
    base_offset: int
    bytes: int
    is_last: bool


@dataclass(slots=True, frozen=True)
class OffsetsLog:
    """A log partition of `__consumer_offsets`, as it lies in one directory.

    segments      in order, at least one
    read_below    offset, the high watermark of where there were replicas; None: to the end
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
    """The end of a transaction: offset of its control record, and of the first batch that it decides."""

    offset: int
    committed: bool
    timestamp_ms: int
    first_offset: int = -1


@dataclass(slots=True, frozen=True)
class Survey:
    """What the headers of a log partition's batches tell.

    markers              producer id -> in order of offset, those that have something to decide. The outcome
                         of a transactional batch is what the first marker of its producer behind it says;
                         open if there is none
    next_offset          behind the last whole batch, or read_below
    last_stable_offset   of the first batch of the earliest open transaction, else next_offset
    newest_timestamp_ms  of all batches; -1: there are none
    first_offset         of the first batch that is there; None: there are none
    torn                 (path, byte, reason) of a tail that was left out
    open_transactions    producer id -> offset of its first batch
    first_timestamp_ms   of the batch at first_offset
    complete_from        the offset from which on no record is missing: the cleaner took none, and what the
                         log began with is there or was before it. None: there are no batches
    complete_from_ms     the time of the batch there, or of the last one before it
    end                  (path, byte) behind the last batch, where a later survey goes on
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


@dataclass(slots=True, frozen=True)
class ScanOptions:
    """What a worker has to know of the source's options.

    groups      exact names; empty: all
    as_of_ms    records of a later time are left out; markers of a later time have not decided yet
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
    """One segment to be read, of it the offsets from first to below end. markers: as in Survey, those that
    matter here.
    """

    segment: Segment
    first_offset: int
    end_offset: int
    markers: Mapping[int, Sequence[Marker]] = field(default_factory=dict)
