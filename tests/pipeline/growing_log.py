"""Logs of `__consumer_offsets` that grow while they are read, and the expected rows.

Each commit has a new number as its committed offset, so lost and duplicate rows are visible.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count, pairwise
from pathlib import Path

from tidemark_protocol.batch import (
    NO_PRODUCER_EPOCH,
    NO_PRODUCER_ID,
    TRANSACTIONAL,
    ControlType,
    LogRecord,
    build_batch,
    build_control_batch,
)
from tidemark_protocol.log_files import DELETED, LOG, SWAP, file_name
from tidemark_protocol.records.offset_commit import OffsetCommitKey, OffsetCommitValue
from tidemark_protocol.stored import CoordinatorCodec

NOW_MS = 1_790_000_000_000
GROUPS = 5
_MARKER_VALUE = bytes(6)  # version 0, coordinator epoch 0
_codec = CoordinatorCodec()


@dataclass(frozen=True)
class Batch:
    """marker: the outcome of its transaction; None: no marker."""

    base_offset: int
    next_offset: int
    numbers: dict[int, int]  # by offset
    producer_id: int = NO_PRODUCER_ID
    marker: bool | None = None

    @property
    def data(self) -> bytes:
        epoch = NO_PRODUCER_EPOCH if self.producer_id == NO_PRODUCER_ID else 0
        if self.marker is not None:
            return build_control_batch(
                ControlType.COMMIT if self.marker else ControlType.ABORT,
                _MARKER_VALUE,
                NOW_MS,
                base_offset=self.base_offset,
                producer_id=self.producer_id,
                producer_epoch=epoch,
            )
        records = [LogRecord(offset, NOW_MS + offset, *_record(n)) for offset, n in self.numbers.items()]
        return build_batch(
            records,
            base_offset=self.base_offset,
            next_offset=self.next_offset,
            attributes=0 if self.producer_id == NO_PRODUCER_ID else TRANSACTIONAL,
            producer_id=self.producer_id,
            producer_epoch=epoch,
        )


def group_of(number: int) -> str:
    return f"group-{number % GROUPS}"


def _record(number: int) -> tuple[bytes, bytes | None]:
    key = OffsetCommitKey(group_of(number), "orders", number % GROUPS)
    return _codec.encode(key, OffsetCommitValue(offset=number, commit_timestamp=NOW_MS))


class GrowingLog:
    """One log partition's directory in root, written as a broker does: appended, rolled, cleaned, deleted.

    committed   numbers known to be committed
    cleaned     those of them that the cleaner removed
    """

    def __init__(self, root: Path, log_partition: int = 0, numbers: count[int] | None = None) -> None:
        self.directory = root / f"__consumer_offsets-{log_partition}"
        self.directory.mkdir(parents=True)
        self.segments: dict[int, list[Batch]] = {}
        self.next_offset = 0
        self.committed: list[int] = []
        self.all: list[int] = []
        self.cleaned: set[int] = set()
        self._open: dict[int, list[int]] = {}
        self._open_from: dict[int, int] = {}
        self.numbers = numbers or count()
        self.roll()

    @property
    def last_stable_offset(self) -> int:
        return min(self._open_from.values(), default=self.next_offset)

    def commit(self, how_many: int = 1, producer_id: int = NO_PRODUCER_ID) -> list[int]:
        """Append a batch of commits, in the producer's open transaction if one is given."""
        numbers = [next(self.numbers) for _ in range(how_many)]
        offsets = range(self.next_offset, self.next_offset + how_many)
        self.all += numbers
        if producer_id == NO_PRODUCER_ID:
            self.committed += numbers
        else:
            self._open.setdefault(producer_id, []).extend(numbers)
            self._open_from.setdefault(producer_id, self.next_offset)
        self._append(
            Batch(offsets.start, offsets.stop, dict(zip(offsets, numbers, strict=True)), producer_id)
        )
        return numbers

    def end(self, producer_id: int, *, commits: bool) -> None:
        """Append a marker, of a transaction or without one."""
        if commits:
            self.committed += self._open.get(producer_id, [])
        self._open.pop(producer_id, None)
        self._open_from.pop(producer_id, None)
        self._append(Batch(self.next_offset, self.next_offset + 1, {}, producer_id, commits))

    def roll(self) -> None:
        if self.next_offset not in self.segments:
            self.segments[self.next_offset] = []
            self.path(self.next_offset).touch()

    def clean(self, *, swaps: bool = True) -> None:
        """Merge all closed segments below the last stable offset, keeping the last commit of each group.

        swaps=False: the new file is still named `.swap`, and the old ones are deleted except for the first.
        """
        self.swap()
        bases = [base for base, end in self._ends().items() if end <= self.last_stable_offset]
        if not bases:
            return
        batches = [batch for base in bases for batch in self.segments.pop(base)]
        kept = self._kept(batches)
        self.segments = {bases[0]: kept, **self.segments}
        swap = self.path(bases[0]).with_suffix(LOG + SWAP)
        swap.write_bytes(b"".join(batch.data for batch in kept))
        for base in bases[1:]:
            self.path(base).rename(self.path(base).with_suffix(LOG + DELETED))
        if swaps:
            self.swap()

    def swap(self) -> None:
        for path in self.directory.glob(f"*{LOG}{SWAP}"):
            path.rename(path.with_suffix(""))

    def delete_closed_segments(self) -> None:
        """Delete closed segments, as retention or DeleteRecords does."""
        for base in self._ends():
            del self.segments[base]
            self.path(base).unlink()

    def path(self, base: int) -> Path:
        return self.directory / file_name(base, LOG)

    def _ends(self) -> dict[int, int]:
        """Return the ends of the closed segments."""
        bases = list(self.segments)
        return dict(pairwise(bases))

    def _kept(self, batches: Sequence[Batch]) -> list[Batch]:
        numbers = [number for batch in batches for number in batch.numbers.values()]
        counting = [number for number in numbers if number in set(self.committed)]
        last = {group_of(number): number for number in counting}.values()
        self.cleaned |= set(counting) - set(last)
        return [
            replace(batch, numbers=left)
            for batch in batches
            if (left := {at: n for at, n in batch.numbers.items() if n in last}) or batch.marker is not None
        ]

    def _append(self, batch: Batch) -> None:
        active = list(self.segments)[-1]
        self.segments[active].append(batch)
        self.next_offset = batch.next_offset
        with self.path(active).open("ab") as file:
            file.write(batch.data)
