"""The leader epochs in which the records of a log were written."""

from __future__ import annotations


class LeaderEpochs:
    """The leader epochs of one log: (epoch, first offset), both rising."""

    __slots__ = ("entries",)

    def __init__(self, entries: list[tuple[int, int]] | None = None) -> None:
        self.entries = entries or []

    @property
    def latest(self) -> int:
        return self.entries[-1][0] if self.entries else -1

    def assign(self, epoch: int, start_offset: int) -> bool:
        """Begin an epoch, and drop an earlier one that has no records. Return whether it is new."""
        if epoch <= self.latest:
            return False
        self.entries = [entry for entry in self.entries if entry[1] < start_offset]
        self.entries.append((epoch, start_offset))
        return True

    def end_offset(self, epoch: int, log_end_offset: int) -> tuple[int, int]:
        """Return (epoch, end offset) of the largest epoch up to this one; (-1, -1) if there is none."""
        if epoch == -1 or not self.entries or epoch > self.latest:
            return -1, -1
        if epoch == self.latest:
            return epoch, log_end_offset
        higher_start = next(start for known, start in self.entries if known > epoch)
        floor = max((known for known, _ in self.entries if known <= epoch), default=epoch)
        return floor, higher_start

    def epoch_at(self, offset: int) -> int:
        """Return the epoch in which an offset was written, or -1 if it is unknown."""
        return max((epoch for epoch, start in self.entries if start <= offset), default=-1)

    def truncate_end(self, offset: int) -> bool:
        """Drop the epochs that began at or after offset. Return whether anything changed."""
        kept = [entry for entry in self.entries if entry[1] < offset]
        changed = len(kept) != len(self.entries)
        self.entries = kept
        return changed

    def truncate_start(self, offset: int) -> bool:
        """Drop the epochs that ended before offset. The epoch at offset begins there.

        Returns whether anything changed.
        """
        before = [entry for entry in self.entries if entry[1] <= offset]
        if not before or before == [(before[-1][0], offset)]:
            return False
        kept = [(before[-1][0], offset), *(entry for entry in self.entries if entry[1] > offset)]
        changed = kept != self.entries
        self.entries = kept
        return changed
