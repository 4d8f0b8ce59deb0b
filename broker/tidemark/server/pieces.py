"""Buffers for responses: bounded, and with records as pieces that are sent without copying large ones."""

from __future__ import annotations

from typing import Any, Final

from tidemark_protocol.wire import UNBOUNDED, Bytes

PIECE_BYTES_MIN: Final = 32 * 1024


def has_large_records(response: Any) -> bool:
    """Return whether a Fetch response has records that are better not copied."""
    for topic in response.responses:
        for partition in topic.partitions:
            if partition.records is not None and len(partition.records) >= PIECE_BYTES_MIN:
                return True
    return False


class TooLarge(Exception):
    """A response has more bytes than its buffer may hold."""


class Bounded(bytearray):
    """A buffer for a response that may be long."""

    __slots__ = ("_bytes_max",)

    def __init__(self, head_bytes: int, bytes_max: int) -> None:
        super().__init__(head_bytes)
        self._bytes_max = bytes_max

    def __iadd__(self, data: Bytes) -> Bounded:  # type: ignore[misc, override]
        self.extend(data)
        if len(self) > self._bytes_max:
            raise TooLarge
        return self


class Pieces(bytearray):
    """A buffer for a response with records, which keeps large records by reference.

    Copying 50 MB of them would hold up the loop for tens of milliseconds.
    """

    __slots__ = ("_bytes_max", "_large")

    def __init__(self, head_bytes: int, bytes_max: int = UNBOUNDED) -> None:
        """bytes_max: without large records."""
        super().__init__(head_bytes)
        self._bytes_max = bytes_max
        self._large: list[tuple[int, Bytes]] = []

    def __iadd__(self, data: Bytes) -> Pieces:  # type: ignore[misc, override]
        if len(data) >= PIECE_BYTES_MIN:
            self._large.append((len(self), data))
            return self
        super().__iadd__(data)
        if len(self) > self._bytes_max:
            raise TooLarge
        return self

    @property
    def large_bytes(self) -> int:
        return sum(len(data) for _, data in self._large)

    def frame(self) -> list[Bytes]:
        """Return the pieces in the order in which they are sent. Nothing is copied."""
        whole = memoryview(self)
        found: list[Bytes] = []
        start = 0
        for end, data in self._large:
            found += (whole[start:end], data)
            start = end
        found.append(whole[start:])
        return found
