"""Query parameters and JSON bodies: bounded and checked. Invalid ones raise HttpError."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Collection, Iterable
from datetime import datetime, timedelta
from typing import Any, Final, NoReturn

from starlette.requests import ClientDisconnect, Request

from tidemark.settings.setting import closest
from tidemark_expiry.durations import A_DURATION, read_duration
from tidemark_expiry.sentences import DATES_MS, EPOCH
from tidemark_http.responses import HttpError, read_cursor

BODY_BYTES_MAX: Final = 64 * 1024
BODY_S_MAX: Final = 10.0
SHOWN_MAX: Final = 80  # characters of a wrong value that the response repeats
LIMIT: Final = range(1, 1001)
LIMIT_DEFAULT: Final = 100

MILLISECOND: Final = timedelta(milliseconds=1)


def wrong(field: str, wanted: str, value: object, known: Collection[str] = ()) -> NoReturn:
    shown = value if isinstance(value, str) else repr(value)
    shown = shown if len(shown) <= SHOWN_MAX else f"{shown[:SHOWN_MAX]}..."
    raise HttpError(
        422, "invalid_value", f"{field} must be {wanted}, not {shown}{closest(shown, known)}", field
    )


def unknown_topic(name: str) -> HttpError:
    return HttpError(404, "unknown_topic", f"there is no topic {name!r}", "topic")


def known_only(names: Iterable[str], known: tuple[str, ...]) -> None:
    for name in names:
        if name not in known:
            valid = f"valid are {', '.join(known)}" if known else "this endpoint accepts none"
            raise HttpError(
                422, "unknown_field", f"unknown field {name[:SHOWN_MAX]!r}: {valid}", name[:SHOWN_MAX]
            )


class Query:
    """The query parameters of a request, each given at most once. known: all valid names."""

    def __init__(self, request: Request, *known: str) -> None:
        given = request.query_params.multi_items()
        known_only((name for name, _ in given), known)
        self._values = dict(given)
        if len(self._values) < len(given):
            twice = next(name for name in self._values if [n for n, _ in given].count(name) > 1)
            raise HttpError(422, "invalid_value", f"{twice} is given more than once", twice)

    def text(self, name: str) -> str | None:
        """Return the text, or None if it is not given. An empty text is a value: "" is a valid group name."""
        return self._values.get(name)

    def choice(self, name: str, *choices: str) -> str:
        """Return one of the choices; the first one is the default."""
        value = self._values.get(name, choices[0])
        return value if value in choices else wrong(name, " or ".join(choices), value)

    def one_of(self, name: str, wanted: str, known: Collection[str]) -> str | None:
        """Return one of the known values, or None if it is not given. Refuses others with a suggestion."""
        value = self._values.get(name)
        if value is not None and value not in known:
            wrong(name, wanted, value, known)
        return value

    def number(self, name: str, allowed: range) -> int | None:
        value = self._values.get(name)
        if value is None:
            return None
        number = int(value) if value.isascii() and value.isdigit() and len(value) <= 19 else -1
        if number not in allowed:
            wrong(name, f"a whole number from {allowed[0]} to {allowed[-1]}", value)
        return number

    def duration_ms(self, name: str, default: str) -> int:
        value = self._values.get(name, default)
        span = read_duration(value)
        return wrong(name, A_DURATION, value) if span is None else span

    def limit(self) -> int:
        return self.number("limit", LIMIT) or LIMIT_DEFAULT

    def cursor(self, *kinds: type) -> tuple[Any, ...] | None:
        """Return the position in the cursor, whose parts must have these types. None: not given."""
        value = self._values.get("cursor")
        if value is None:
            return None
        position = read_cursor(value)
        if not isinstance(position, list) or [type(part) for part in position] != list(kinds):
            wrong("cursor", "the cursor of a response to the same request", value)
        return tuple(position)


class Body:
    """The JSON object in a request's body. known: all valid fields."""

    def __init__(self, values: dict[str, Any], *known: str) -> None:
        known_only(values, known)
        self._values = values

    @property
    def given(self) -> frozenset[str]:
        return frozenset(self._values)

    def value(self, name: str) -> Any:
        """Return the value as it is in the JSON, None if it is not given."""
        return self._values.get(name)

    def flag(self, name: str, *, default: bool) -> bool:
        value = self._values.get(name, default)
        return value if isinstance(value, bool) else _wrong_json(name, "true or false", value)

    def text(self, name: str) -> str | None:
        value = self._values.get(name)
        return value if value is None or isinstance(value, str) else _wrong_json(name, "a text", value)

    def whole(self, name: str, low: int, high: int) -> int | None:
        """Return a whole number, or None if it is not given."""
        value = self._values.get(name)
        if value is None:
            return None
        if type(value) is not int or not low <= value <= high:
            _wrong_json(name, f"a whole number from {low} to {high}", value)
        number: int = value
        return number

    def span_ms(self, name: str, unit_ms: int) -> int:
        """Return a number of such units as whole milliseconds."""
        value: Any = self._values[name]
        most = DATES_MS[-1] // unit_ms
        if type(value) not in (int, float) or not abs(value) <= most:  # also refuses infinity and NaN
            _wrong_json(name, f"a number from -{most} to {most}, because time ends with the year 9999", value)
        span_ms: int = round(value * unit_ms)
        return span_ms


def _wrong_json(field: str, wanted: str, value: object) -> NoReturn:
    """Like `wrong`, but shows texts in quotes: "5" is not a number."""
    wrong(field, wanted, json.dumps(value, ensure_ascii=False))


async def read_body(request: Request, *known: str, bytes_max: int = BODY_BYTES_MAX) -> Body:
    """Return the body; an empty one counts as {}."""
    return Body(await read_object(request, bytes_max), *known)


async def read_object(request: Request, bytes_max: int = BODY_BYTES_MAX) -> dict[str, Any]:
    """Return the JSON object in the body, unchecked; an empty body counts as {}."""
    try:
        async with asyncio.timeout(BODY_S_MAX):
            raw = bytearray()
            async for piece in request.stream():
                raw += piece
                if len(raw) > bytes_max:
                    raise HttpError(413, "body_too_large", f"the body must not exceed {bytes_max} bytes")
    except TimeoutError:
        raise HttpError(408, "body_too_slow", f"the body did not arrive within {BODY_S_MAX:.0f} s") from None
    except ClientDisconnect:  # without this, uvicorn would log a traceback
        raise HttpError(400, "body_incomplete", "the connection was closed within the body") from None
    try:
        text = raw.decode() if raw.strip() else "{}"
        values = json.loads(text, parse_constant=_no_number, object_pairs_hook=_once_each)
    except (ValueError, RecursionError) as error:
        why = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)[:200]
        raise HttpError(422, "invalid_body", f"the body is not valid JSON: {why}") from None
    if not isinstance(values, dict):
        raise HttpError(422, "invalid_body", "the body must be a JSON object, like {}")
    return values


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        raise ValueError("a field is given more than once")
    return values


def moment_ms(field: str, text: str) -> int:
    """Parse an ISO 8601 time with its zone. Return ms since the epoch."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        wrong(field, "a time like 2026-11-01T10:00:00Z", text)
    if moment.tzinfo is None:
        wrong(field, "a time with its zone, like 2026-11-01T10:00:00Z", text)
    return (moment - EPOCH) // MILLISECOND
