"""Long lists in slices and pages.

A million offsets are examined and sorted in slices, so that long lists do not block other clients. A page
ends with a cursor that names its last entry, and the next page begins after that entry. Items added or
removed while a client pages may or may not appear; every other item appears once.
"""

from __future__ import annotations

import base64
import heapq
import json
from collections.abc import AsyncIterator, Callable
from typing import Any, Final, TypeVar

from tidemark.clock import turn

K = TypeVar("K", bound="str | tuple[str, int]")

# The work of one turn of the loop, about 2 ms: offsets examined (2 us each), or keys sorted. An entry of a
# response, with its explanation, costs as much as ENTRY offsets.
OFFSETS_PER_TURN: Final = 800
KEYS_PER_TURN: Final = 3_000
ENTRY: Final = 10


class Slices:
    """Yields to other clients whenever a slice of work is done."""

    def __init__(self) -> None:
        self._done = 0

    async def after(self, work: int) -> None:
        """Count work, in offsets examined, and yield once it fills a slice."""
        self._done += work
        if self._done >= OFFSETS_PER_TURN:
            self._done = 0
            await turn()


async def in_order(keys: list[K], keep: Callable[[K], bool]) -> AsyncIterator[K]:
    """Yield the keys for which keep is true, sorted."""
    runs = []
    for start in range(0, len(keys), KEYS_PER_TURN):
        runs.append(sorted(filter(keep, keys[start : start + KEYS_PER_TURN])))
        if len(keys) > KEYS_PER_TURN:
            await turn()
    for number, key in enumerate(heapq.merge(*runs), 1):
        yield key
        if number % KEYS_PER_TURN == 0:
            await turn()


def write_cursor(*position: str | int) -> str:
    return base64.urlsafe_b64encode(json.dumps(position).encode()).rstrip(b"=").decode()


def read_cursor(text: str) -> Any:
    """Return the JSON value in a cursor, or None if the text is not a cursor."""
    try:
        return json.loads(base64.b64decode(text + "=" * (-len(text) % 4), b"-_", validate=True))
    except (ValueError, RecursionError):  # binascii.Error and UnicodeError are ValueErrors
        return None
