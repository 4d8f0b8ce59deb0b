"""JSON lists that are encoded in pieces."""

from __future__ import annotations

import json
from typing import Any

from tidemark_http.responses import ENTRIES_PER_TURN, json_response, long_response


async def body(values: dict[str, Any]) -> str:
    return b"".join([bytes(piece) async for piece in long_response(values).body_iterator]).decode()  # type: ignore[attr-defined]


async def read(values: dict[str, Any]) -> Any:
    return json.loads(await body(values))


async def test_a_long_and_a_short_response_have_the_same_spaces() -> None:
    values = {"count": 2, "removals": [{"cause": "expired", "offsets": [1, 2]}, {"cause": "deleted"}]}
    assert await body(values) == json_response(values).body.decode()


async def test_pieces_are_one_object() -> None:
    values = {"count": 3, "empty": [], "names": [f"ü-{number}" for number in range(2 * ENTRIES_PER_TURN + 1)]}
    assert await read(values) == values


async def test_half_a_surrogate_pair_is_replaced() -> None:
    assert await read({"names": ["\ud800", "a"]}) == {"names": ["?", "a"]}
