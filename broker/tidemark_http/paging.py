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
from tidemark.turns import Slice

K = TypeVar("K", bound="str | tuple[str, int]")

# The work of one turn of the loop, about 2 ms: offsets examined (2 us each), or keys sorted. An entry of a
# response, with its explanation, costs as much as ENTRY offsets.
OFFSETS_PER_TURN: Final = 800
KEYS_PER_TURN: Final = 3_000
ENTRY: Final = 10


def new_slice() -> Slice:
    """Return the budget of one listing, in offsets examined."""
    return Slice(OFFSETS_PER_TURN)


async def in_order(keys: list[K], keep: Callable[[K], bool]) -> AsyncIterator[K]:
    """Yield the keys for which keep is true, sorted."""
    runs = []
    for start in range(0, len(keys), KEYS_PER_TURN):
        runs.append(sorted(filter(keep, keys[start : start + KEYS_PER_TURN])))
        if len(keys) > KEYS_PER_TURN:
            await turn()
    budget = Slice(KEYS_PER_TURN)
    for key in heapq.merge(*runs):
        yield key
        await budget.pause()


def write_cursor(*position: str | int) -> str:
    return base64.urlsafe_b64encode(json.dumps(position).encode()).rstrip(b"=").decode()


def read_cursor(text: str) -> Any:
    """Return the JSON value in a cursor, or None if the text is not a cursor."""
    try:
        return json.loads(base64.b64decode(text + "=" * (-len(text) % 4), b"-_", validate=True))
    except (ValueError, RecursionError):  # binascii.Error and UnicodeError are ValueErrors
        return None
