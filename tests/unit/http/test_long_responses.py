"""JSON lists that are encoded in pieces."""

from __future__ import annotations

import json
from typing import Any

from tidemark_http.responses import ENTRIES_PER_TURN, long_response


async def read(values: dict[str, Any]) -> Any:
    return json.loads(b"".join([bytes(piece) async for piece in long_response(values).body_iterator]))  # type: ignore[attr-defined]


async def test_pieces_are_one_object() -> None:
    values = {"count": 3, "empty": [], "names": [f"ü-{number}" for number in range(2 * ENTRIES_PER_TURN + 1)]}
    assert await read(values) == values


async def test_half_a_surrogate_pair_is_replaced() -> None:
    assert await read({"names": ["\ud800", "a"]}) == {"names": ["?", "a"]}
