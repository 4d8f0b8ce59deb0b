"""What /v1 answers with: JSON, piece by piece where it is long, and refusals that say what was wrong."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterable
from dataclasses import fields
from typing import Any, Final

from starlette.responses import Response, StreamingResponse

from tidemark.clock import turn
from tidemark.core.removal import Removal
from tidemark.groups.explain import explain_removal

JSON: Final = "application/json"
CSV: Final = "text/csv; charset=utf-8"
REMOVAL: Final = tuple(field.name for field in fields(Removal))  # asdict takes three times as long
WRITTEN_PER_TURN: Final = 200  # entries of a list, 20 us each


class Refused(Exception):
    """What is answered instead: status is HTTP's, code is for programs, the message for people.

    field: the parameter that is wrong, if it is one.
    """

    def __init__(self, status: int, code: str, message: str, field: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.field = field


def written(value: Any) -> str:
    # A name from a request may hold half a surrogate pair: no UTF-8 can be made of it.
    return json.dumps(value, ensure_ascii=False, allow_nan=False, default=_removal)


def _removal(removal: Removal) -> dict[str, Any]:
    told: dict[str, Any] = {name: getattr(removal, name) for name in REMOVAL}
    told["explanation"] = explain_removal(removal)
    return told


def answer(value: Any, status: int = 200) -> Response:
    return Response(written(value).encode("utf-8", "replace"), status, media_type=JSON)


def refusal(refused: Refused) -> Response:
    error = {"code": refused.code, "field": refused.field, "message": str(refused)}
    return answer({"error": error}, refused.status)


def long_answer(values: dict[str, Any]) -> Response:
    """An object whose lists may be long: others have their turns while they are written."""
    return StreamingResponse(_in_pieces(values), media_type=JSON)


async def _in_pieces(values: dict[str, Any]) -> AsyncIterator[bytes]:
    opening = "{"
    for name, value in values.items():
        yield f"{opening}{written(name)}: ".encode()
        opening = ", "
        if isinstance(value, list):
            async for piece in _list_in_pieces(value):
                yield piece
        else:
            yield written(value).encode("utf-8", "replace")
    yield b"}"


async def _list_in_pieces(values: list[Any]) -> AsyncIterator[bytes]:
    opening = "["
    for start in range(0, len(values), WRITTEN_PER_TURN):
        entries = ", ".join(map(written, values[start : start + WRITTEN_PER_TURN]))
        yield f"{opening}{entries}".encode("utf-8", "replace")
        opening = ", "
        await turn()
    yield b"]" if values else b"[]"


def csv(rows: Iterable[tuple[object, ...]]) -> Response:
    """Lines that Kafka's tools read: a field is quoted where it has to be."""
    lines = (",".join(map(_csv_field, row)) + "\n" for row in rows)
    return Response("".join(lines).encode("utf-8", "replace"), media_type=CSV)


def _csv_field(value: object) -> str:
    text = str(value)
    plain = text and not any(letter in text for letter in ',"\r\n') and text == text.strip()
    return text if plain else '"' + text.replace('"', '""') + '"'
