"""A segment file as kafka-dump-log reads it: it trusts the headers and checks nothing else."""

from __future__ import annotations

import mmap
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Self

from tidemark_protocol.batch import (
    HEADER,
    HEADER_BYTES,
    BatchError,
    BatchHeader,
    LogRecord,
)
from tidemark_protocol.batch import records as batch_records
from tidemark_tools.client.errors import CannotRead, Failed

SIZE_UP_TO_MAGIC: Final = 17  # fewer bytes than these are not read, and are no error
RECORD_OVERHEAD_BYTES: Final = 14  # of the oldest format: the smallest valid length
MAGIC_2: Final = 2
OFFSET_DIGITS: Final = 20  # in the name of a segment
BYTES_MAX: Final = 2**31 - 1


class Thrown(Failed):
    """The exception that would end Kafka's tool: its class, and its message if it has one."""

    def __init__(self, java_class: str, message: str = "") -> None:
        super().__init__(f"{java_class}: {message}" if message else java_class)


class WrongFile(Failed):
    """The name that the user gave is not that of a file which the tool can dump."""


class File:
    """A file by the name that the user gave. Messages print it as Java's File does."""

    def __init__(self, given: str) -> None:
        self.shown = re.sub("(?<!^)/+$", "", re.sub("/+", "/", given))
        self.name = self.shown.rpartition("/")[2]
        self.path = Path(self.shown)

    @property
    def suffix(self) -> str:
        """The part of the name from the last dot on."""
        return self.name[self.name.rfind(".") :]

    @property
    def absolute(self) -> str:
        return str(Path.cwd() / "_")[:-1] + self.shown if not self.shown.startswith("/") else self.shown

    def start_offset(self) -> int:
        """Return the offset in the name of a segment's file. Raises WrongFile and CannotRead."""
        digits = self.name.split(".")[0]
        if not digits.removeprefix("-").removeprefix("+").isdecimal():
            example = f"{0:0{OFFSET_DIGITS}}{self.suffix}"
            raise self.misnamed(f"a file of a segment: its name must begin with an offset, as in {example}")
        return int(digits)

    def misnamed(self, expected: str) -> WrongFile:
        """Return the error for a name that is not the expected one. Raises CannotRead if there is no file."""
        with self.reading():
            self.path.stat()
        return WrongFile(f"{self.shown} is not {expected}")

    def check(self) -> None:
        """Raise WrongFile for a directory, with an example of the files in it, and for an empty name."""
        if not self.shown:
            raise WrongFile("--files has an empty name: name the files to dump, separated by commas")
        if self.path.is_dir():
            logs = (*sorted(self.path.glob("*.log")), *sorted(self.path.glob("*/*.log")))
            example = logs[0] if logs else self.path / f"{0:0{OFFSET_DIGITS}}.log"
            raise WrongFile(f"{self.shown} is a directory: name the files to dump, such as {example}")

    def beside(self, suffix: str) -> File:
        """Return the file of the same segment with that suffix."""
        folder = self.absolute.rpartition("/")[0]
        return File(f"{folder}/{self.name.split('.')[0]}{suffix}")

    def read(self) -> bytes:
        """Return the whole content. Raises CannotRead."""
        with self.reading():
            return self.path.read_bytes()

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Raise CannotRead for an error of the system."""
        try:
            yield
        except OSError as error:
            missing = isinstance(error, FileNotFoundError)
            raise CannotRead(self.shown, error.strerror or str(error), missing=missing) from None


class LogFile:
    """A log file, mapped into memory. Its constructor raises CannotRead.

    bytes_max: how many bytes to read, from its start
    """

    def __init__(self, file: File, bytes_max: int = BYTES_MAX) -> None:
        self._file = file
        with file.reading(), file.path.open("rb") as opened:
            self._size = opened.seek(0, 2)
            self._map = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) if self._size else None
        self._data = memoryview(self._map or b"")
        self.end = min(self._size, bytes_max)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._data.release()
        if self._map is not None:
            self._map.close()

    def headers(self, position: int = 0, end: int | None = None) -> Iterator[tuple[int, BatchHeader]]:
        """Yield position and header of each complete batch. Raises Thrown for an invalid length."""
        end = self.end if end is None else min(end, self.end)
        while position < end - SIZE_UP_TO_MAGIC:
            header = self._header(position)
            if header.length < RECORD_OVERHEAD_BYTES:
                raise Thrown(
                    "org.apache.kafka.common.errors.CorruptRecordException",
                    f"Found record size {header.length} smaller than minimum record overhead "
                    f"({RECORD_OVERHEAD_BYTES}) in file {self._file.shown}.",
                )
            if position + header.size > end:
                return
            if header.magic < MAGIC_2:
                raise Thrown(
                    "org.apache.kafka.common.errors.CorruptRecordException",
                    f"Records of magic {header.magic}, of before Kafka 0.11, are not read here",
                )
            yield position, header
            position += header.size

    def batch_at(self, position: int, bytes_max: int) -> BatchHeader:
        """Return the header of the batch at this position. Raises Thrown if there is none."""
        self.check_position(position)
        for _, header in self.headers(position, position + bytes_max):
            return header
        raise Thrown("java.util.NoSuchElementException")

    def check_position(self, position: int) -> None:
        """Raise Thrown for a position after the end."""
        if position > self.end:
            raise Thrown(
                "java.lang.IllegalArgumentException",
                f"Slice from position {position} exceeds end position of FileRecords(size={self._size}, "
                f"file={self._file.shown}, start=0, end={BYTES_MAX})",
            )

    def records(self, position: int, header: BatchHeader) -> list[LogRecord]:
        """Return the decompressed records of a batch. Raises Thrown if they cannot be decoded."""
        try:
            return batch_records(self.bytes_of(position, header), 0, header)
        except BatchError as error:
            raise Thrown("org.apache.kafka.common.InvalidRecordException", str(error)) from None

    def bytes_of(self, position: int, header: BatchHeader) -> bytes:
        """Return a copy of the whole batch. A view would keep the mapping from being closed."""
        return bytes(self._data[position : position + header.size])

    def _header(self, position: int) -> BatchHeader:
        """Return the header at a position. Bytes after the end of the file count as zeros."""
        found = bytes(self._data[position : position + HEADER_BYTES])
        return BatchHeader(*HEADER.unpack(found.ljust(HEADER_BYTES, b"\0")))
