"""Errors in the files of a log."""

from __future__ import annotations

from tidemark.late_dataclass import dataclass
from tidemark_protocol.errors import ErrorCode, KafkaError


class OutOfDescriptors(KafkaError, OSError):
    """The process or the system has no descriptor left for a file. The disk is sound.

    A request that needs the file is refused with KAFKA_STORAGE_ERROR, which clients retry. Nothing has been
    written. Everything else tries again later.
    """

    def __init__(self, error: OSError) -> None:
        super().__init__(ErrorCode.KAFKA_STORAGE_ERROR)
        self.errno, self.strerror, self.filename = error.errno, error.strerror, error.filename

    def __str__(self) -> str:
        return OSError.__str__(self)


class DirectoryRefused(Exception):
    """This data directory cannot be served. The text has the reason."""


class BadBatch(Exception):
    """There is no complete, valid batch at this byte of a segment."""

    def __init__(self, position: int, reason: str) -> None:
        super().__init__(f"byte {position}: {reason}")
        self.position = position
        self.reason = reason


class CorruptLog(Exception):
    """There is a bad batch before the recovery point. The log cannot be opened."""

    def __init__(self, file: str, position: int, reason: str) -> None:
        super().__init__(f"{file} is corrupt at byte {position}: {reason}")
        self.file = file
        self.position = position
        self.reason = reason


@dataclass(slots=True)
class Recovered:
    """The tail that recovery cut off a log.

    The valid bytes end at this position of the file. bytes_dropped counts the rest, later segments included.
    """

    topic: str
    partition: int
    file: str
    position: int
    bytes_dropped: int
    log_end_offset: int
    reason: str
