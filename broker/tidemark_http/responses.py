"""Responses of /v1: JSON, streamed in pieces if it is long, CSV, and errors.

A million offsets are examined and sorted in slices, so that long lists do not block other clients. A page
ends with a cursor that names its last entry, and the next page begins after that entry. Items added or
removed while a client pages may or may not appear; every other item appears once.
"""

from __future__ import annotations

import base64
import heapq
import json
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import fields
from typing import Any, Final, TypeVar

import msgspec
from starlette.responses import Response, StreamingResponse

from tidemark.clock import turn
from tidemark.core.decision import Removal
from tidemark.groups.explain import explain_removal
from tidemark.turns import Slice

K = TypeVar("K", bound="str | tuple[str, int]")

JSON: Final = "application/json"
CSV: Final = "text/csv; charset=utf-8"
REMOVAL: Final = tuple(field.name for field in fields(Removal))  # asdict is three times as slow
ENTRIES_PER_TURN: Final = 200  # 20 us each
# The work of one turn of the loop, about 2 ms: offsets examined (2 us each), or keys sorted. An entry of a
# response, with its explanation, costs as much as ENTRY offsets.
OFFSETS_PER_TURN: Final = 800
KEYS_PER_TURN: Final = 3_000
ENTRY: Final = 10
# The page, which this port serves, that helps with an error, by its code.
ERRORS_PAGE: Final = "/docs/http.md#errors"
PAGES: Final = {
    "test_api_off": "/docs/http.md#moving-time",
    "clock_refused": "/docs/http.md#moving-time",
    "nothing_expires": "/docs/http.md#when-and-why-offsets-expire",
    "unknown_snapshot": "/docs/http.md#snapshots",
    "snapshot_exists": "/docs/maintenance.md#backup",
    "unknown_fault": "/docs/http.md#faults-and-requests",
    "too_many_faults": "/docs/http.md#faults-and-requests",
    "broker_refused": "/docs/http.md#several-brokers",
    "not_supported": "/docs/http.md#snapshots",
    "unknown_host": "/docs/operations.md#http",
    "foreign_origin": "/docs/operations.md#http",
    "token_required": "/docs/operations.md#http",
    "too_many_wrong_tokens": "/docs/operations.md#http",
}


class HttpError(Exception):
    """The request failed: the response is an error instead.

    status is HTTP's, code is for programs, the message is for people. field names the wrong parameter, if
    one is wrong.
    """

    def __init__(self, status: int, code: str, message: str, field: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.field = field


def to_json(value: Any) -> str:
    # A name from a request may hold half a surrogate pair, which UTF-8 cannot encode: callers encode with
    # errors="replace".
    return json.dumps(value, ensure_ascii=False, allow_nan=False, default=_removal)


def _removal(removal: Removal) -> dict[str, Any]:
    values: dict[str, Any] = {name: getattr(removal, name) for name in REMOVAL}
    values["explanation"] = explain_removal(removal)
    return values


def json_response(value: Any, status: int = 200) -> Response:
    return Response(to_json(value).encode("utf-8", "replace"), status, media_type=JSON)


def error_response(error: HttpError) -> Response:
    page = PAGES.get(error.code, ERRORS_PAGE)
    body = {"code": error.code, "field": error.field, "message": str(error), "documentation": page}
    return json_response({"error": body}, error.status)


def long_response(values: dict[str, Any]) -> Response:
    """Return a JSON object whose lists may be long: it is encoded in pieces, a turn of the loop for each."""
    return StreamingResponse(_pieces(values), media_type=JSON)


async def _pieces(values: dict[str, Any]) -> AsyncIterator[bytes]:
    opening = "{"
    for name, value in values.items():
        yield f"{opening}{to_json(name)}: ".encode()
        opening = ", "
        if not isinstance(value, list):
            yield to_json(value).encode("utf-8", "replace")
            continue
        before = b"["
        for start in range(0, len(value), ENTRIES_PER_TURN):
            yield before + _entries_json(value[start : start + ENTRIES_PER_TURN])
            before = b", "
            await turn()
        yield b"]" if value else b"[]"
    yield b"}"


def _entries_json(entries: list[Any]) -> bytes:
    """Return the elements of a JSON list, without its brackets.

    msgspec is several times as fast as json, and refuses half a surrogate pair. With indent=0, it puts a
    space after a colon and a comma, as json does: people search in what curl prints.
    """
    plain = [_removal(each) if isinstance(each, Removal) else each for each in entries]
    try:
        return msgspec.json.format(msgspec.json.encode(plain), indent=0)[1:-1]
    except UnicodeEncodeError:
        return to_json(plain)[1:-1].encode("utf-8", "replace")


def csv_response(rows: Iterable[tuple[object, ...]]) -> Response:
    """Return CSV that Kafka's tools read: fields are quoted only where necessary."""
    lines = (",".join(map(_csv_field, row)) + "\n" for row in rows)
    return Response("".join(lines).encode("utf-8", "replace"), media_type=CSV)


def _csv_field(value: object) -> str:
    text = str(value)
    plain = text and not any(letter in text for letter in ',"\r\n') and text == text.strip()
    return text if plain else '"' + text.replace('"', '""') + '"'


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
