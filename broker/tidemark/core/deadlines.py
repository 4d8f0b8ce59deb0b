"""When `settle` must be called again: one deadline per key, in steady milliseconds."""

from __future__ import annotations

import heapq


class Deadlines:
    """The earliest moment at which each key is due.

    `set` replaces a key's deadline; the heap keeps stale entries until they surface, so that re-arming is
    cheap: a later deadline costs one dict write and no push while an earlier entry of the key is still in the
    heap.

    at          the deadline of each key
    heap        (deadline, key), also of earlier deadlines. Unless it is empty, a timer must wait for `next`
    is_earlier  a deadline was set that may be the earliest; the timer that waits for `next` may be too late
    """

    __slots__ = ("_queued", "at", "heap", "is_earlier")

    def __init__(self) -> None:
        self.is_earlier = False
        self.at: dict[str, int] = {}
        self._queued: dict[str, int] = {}
        self.heap: list[tuple[int, str]] = []

    def set(self, key: str, at_ms: int | None) -> None:
        """Set the deadline of a key. None disarms it."""
        if at_ms is None:
            self.at.pop(key, None)
            return
        self.at[key] = at_ms
        queued = self._queued.get(key)
        if queued is None or at_ms < queued:
            self._queued[key] = at_ms
            heapq.heappush(self.heap, (at_ms, key))
            self.is_earlier = True

    def next(self) -> int | None:
        """Return the earliest moment at which a key may be due, or None if no key is armed.

        The moment is never too late and rarely too early.
        """
        if not self.heap:
            return None
        at_ms, key = self.heap[0]
        if self.at.get(key) != at_ms or self._queued[key] != at_ms:
            self._drop_stale()
        return self.heap[0][0] if self.heap else None

    def peek_due(self, now_ms: int, at_most: int) -> list[str]:
        """Return up to at_most keys whose deadline has passed, in any order. They stay armed."""
        heap = self.heap
        if not heap or heap[0][0] > now_ms:
            return []
        self._drop_stale()
        keys: dict[str, None] = {}  # a key may have two entries
        below = [0]  # every entry is earlier than the two below it
        while below and len(keys) < at_most:
            place = below.pop()
            if place < len(heap) and heap[place][0] <= now_ms:
                key = heap[place][1]
                if self.at.get(key, now_ms + 1) <= now_ms:
                    keys[key] = None
                below += (2 * place + 1, 2 * place + 2)
        return [*keys]

    def pop_due(self, now_ms: int, at_most: int) -> list[str]:
        """Disarm and return up to at_most keys whose deadline has passed, earliest first."""
        keys: list[str] = []
        while len(keys) < at_most and self.heap and self.heap[0][0] <= now_ms:
            self._drop_stale()
            if not self.heap or self.heap[0][0] > now_ms:
                break
            _, key = heapq.heappop(self.heap)
            del self._queued[key]
            del self.at[key]
            keys.append(key)
        return keys

    def _drop_stale(self) -> None:
        while self.heap:
            at_ms, key = self.heap[0]
            if self._queued.get(key) != at_ms:
                heapq.heappop(self.heap)
                continue
            armed = self.at.get(key)
            if armed == at_ms:
                return
            heapq.heappop(self.heap)
            if armed is None:
                del self._queued[key]
            else:
                self._queued[key] = armed
                heapq.heappush(self.heap, (armed, key))
