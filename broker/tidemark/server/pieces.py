"""An answer with records, as the pieces that are sent: what is large is not copied."""

from __future__ import annotations

from typing import Final

from tidemark.runtime.pending import Frame
from tidemark_protocol.wire import Bytes

PIECE_BYTES_MIN: Final = 32 * 1024


class Pieces(bytearray):
    """What an answer with records is encoded into: large ones stay beside it, because copying 50 MB of them
    takes the loop tens of milliseconds.
    """

    __slots__ = ("_large",)

    def __init__(self, head_bytes: int) -> None:
        super().__init__(head_bytes)
        self._large: list[tuple[int, Bytes]] = []

    def __iadd__(self, data: Bytes) -> Pieces:  # type: ignore[misc, override]
        if len(data) >= PIECE_BYTES_MIN:
            self._large.append((len(self), data))
            return self
        super().__iadd__(data)
        return self

    @property
    def large_bytes(self) -> int:
        return sum(len(data) for _, data in self._large)

    def frame(self) -> Frame:
        if not self._large:
            return bytes(self)
        found: list[Bytes] = []
        start = 0
        for end, data in self._large:
            found += (bytes(self[start:end]), data)
            start = end
        found.append(bytes(self[start:]))
        return found
