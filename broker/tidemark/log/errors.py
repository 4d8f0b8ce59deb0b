"""What can be wrong with a log's files."""

from __future__ import annotations

from dataclasses import dataclass


class BadBatch(Exception):
    """At this byte of a segment there is no whole, sound batch."""

    def __init__(self, position: int, reason: str) -> None:
        super().__init__(f"byte {position}: {reason}")
        self.position = position
        self.reason = reason


class CorruptLog(Exception):
    """A bad batch before the recovery point: the start is refused."""

    def __init__(self, file: str, position: int, reason: str) -> None:
        super().__init__(f"{file} is corrupt at byte {position}: {reason}")
        self.file = file
        self.position = position
        self.reason = reason


@dataclass(slots=True)
class Recovered:
    """What recovery cut off a log's tail: worth one log line.

    file and position tell where the good bytes end; bytes_dropped counts what lay behind, in later segments
    too.
    """

    topic: str
    partition: int
    file: str
    position: int
    bytes_dropped: int
    log_end_offset: int
    reason: str
