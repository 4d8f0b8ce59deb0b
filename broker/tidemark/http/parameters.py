"""What somebody asks for: query parameters and JSON bodies, bounded and checked. What is wrong is Refused."""

from __future__ import annotations

import asyncio
import base64
import json
import re
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any, Final, NoReturn

from starlette.requests import ClientDisconnect, Request

from tidemark.groups.explain import DATES_MS, EPOCH
from tidemark.http.answers import Refused

BODY_BYTES_MAX: Final = 64 * 1024
BODY_S_MAX: Final = 10.0
SHOWN_MAX: Final = 80  # characters of a wrong value that the answer repeats
SPAN_MS_MAX: Final = 2**53  # what every client's numbers can hold exactly: 285,000 years
LIMIT: Final = range(1, 1001)
LIMIT_DEFAULT: Final = 100

MILLISECOND: Final = timedelta(milliseconds=1)
UNITS_MS: Final = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_DURATION: Final = re.compile(r"([0-9]{1,16})(ms|s|m|h|d)", re.ASCII)


def wrong(field: str, wanted: str, value: object) -> NoReturn:
    shown = value if isinstance(value, str) else repr(value)
    shown = shown if len(shown) <= SHOWN_MAX else f"{shown[:SHOWN_MAX]}..."
    raise Refused(422, "invalid_value", f"{field} is to be {wanted}, not {shown}", field)


def known_only(names: Iterable[str], known: tuple[str, ...]) -> None:
    for name in names:
        if name not in known:
            those = f"known are {', '.join(known)}" if known else "none is known here"
            raise Refused(
                422, "unknown_field", f"there is no {name[:SHOWN_MAX]!r}: {those}", name[:SHOWN_MAX]
            )


class Query:
    """The query parameters of a request; known: all that there are. Each may be given once."""

    def __init__(self, request: Request, *known: str) -> None:
        given = request.query_params.multi_items()
        known_only((name for name, _ in given), known)
        self._values = dict(given)
        if len(self._values) < len(given):
            twice = next(name for name in self._values if [n for n, _ in given].count(name) > 1)
            raise Refused(422, "invalid_value", f"{twice} is given more than once", twice)

    def text(self, name: str) -> str | None:
        """None: not given. Empty texts are values: "" is a group's name."""
        return self._values.get(name)

    def choice(self, name: str, *choices: str) -> str:
        """The first one is the default."""
        value = self._values.get(name, choices[0])
        return value if value in choices else wrong(name, " or ".join(choices), value)

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
        match = _DURATION.fullmatch(value)
        span = int(match[1]) * UNITS_MS[match[2]] if match else SPAN_MS_MAX + 1
        return span if span <= SPAN_MS_MAX else wrong(name, "a time like 90s, 30m, 12h or 7d", value)

    def limit(self) -> int:
        return self.number("limit", LIMIT) or LIMIT_DEFAULT

    def cursor(self, *kinds: type) -> tuple[Any, ...] | None:
        """What `write_cursor` was given, if it was of these kinds."""
        value = self._values.get("cursor")
        if value is None:
            return None
        place = _read_cursor(value)
        if not isinstance(place, list) or [type(part) for part in place] != list(kinds):
            wrong("cursor", "what an answer to the same question has as its cursor", value)
        return tuple(place)


def write_cursor(*place: str | int) -> str:
    return base64.urlsafe_b64encode(json.dumps(place).encode()).rstrip(b"=").decode()


def _read_cursor(text: str) -> Any:
    try:
        return json.loads(base64.b64decode(text + "=" * (-len(text) % 4), b"-_", validate=True))
    except (ValueError, RecursionError):  # binascii.Error and UnicodeError are ValueErrors
        return None


class Body:
    """The JSON object that a request brings; known: all the fields that there are."""

    def __init__(self, values: dict[str, Any], *known: str) -> None:
        known_only(values, known)
        self._values = values

    @property
    def given(self) -> frozenset[str]:
        return frozenset(self._values)

    def flag(self, name: str, *, default: bool) -> bool:
        value = self._values.get(name, default)
        return value if isinstance(value, bool) else _wrong_json(name, "true or false", value)

    def text(self, name: str) -> str | None:
        value = self._values.get(name)
        return value if value is None or isinstance(value, str) else _wrong_json(name, "a text", value)

    def whole(self, name: str, low: int, high: int) -> int | None:
        """A whole number. None: not given."""
        value = self._values.get(name)
        if value is None:
            return None
        if type(value) is not int or not low <= value <= high:
            _wrong_json(name, f"a whole number from {low} to {high}", value)
        number: int = value
        return number

    def span_ms(self, name: str, unit_ms: int) -> int:
        """Of a number of such units, in whole milliseconds."""
        value: Any = self._values[name]
        most = DATES_MS[-1] // unit_ms
        if type(value) not in (int, float) or not abs(value) <= most:  # so infinity, and NaN
            _wrong_json(name, f"a number from -{most} to {most}, as time ends with the year 9999", value)
        span_ms: int = round(value * unit_ms)
        return span_ms


def _wrong_json(field: str, wanted: str, value: object) -> NoReturn:
    """A text is told with its quotes: "5" is no number."""
    wrong(field, wanted, json.dumps(value, ensure_ascii=False))


async def read_body(request: Request, *known: str) -> Body:
    """An empty body is {}."""
    try:
        async with asyncio.timeout(BODY_S_MAX):
            raw = await _bounded(request)
    except TimeoutError:
        raise Refused(408, "body_too_slow", f"the body did not come within {BODY_S_MAX:.0f} s") from None
    except ClientDisconnect:  # nobody reads this, and it is no bug of ours that uvicorn would log
        raise Refused(400, "body_incomplete", "the connection was closed within the body") from None
    values = _read_json(raw) if raw.strip() else {}
    if not isinstance(values, dict):
        raise Refused(422, "invalid_body", "the body is to be a JSON object, like {}")
    return Body(values, *known)


async def _bounded(request: Request) -> bytes:
    raw = bytearray()
    async for piece in request.stream():
        raw += piece
        if len(raw) > BODY_BYTES_MAX:
            raise Refused(413, "body_too_large", f"the body is to have no more than {BODY_BYTES_MAX} bytes")
    return bytes(raw)


def _read_json(raw: bytes) -> Any:
    try:
        return json.loads(raw.decode(), parse_constant=_no_number, object_pairs_hook=_once_each)
    except (ValueError, RecursionError) as error:
        why = "it goes too deep" if isinstance(error, RecursionError) else str(error)[:200]
        raise Refused(422, "invalid_body", f"the body is no JSON: {why}") from None


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON's")


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        raise ValueError("a field is given more than once")
    return values


def moment_ms(field: str, text: str) -> int:
    """ISO text with its time zone, in ms since the epoch."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        wrong(field, "a time like 2026-11-01T10:00:00Z", text)
    if moment.tzinfo is None:
        wrong(field, "a time with its zone, like 2026-11-01T10:00:00Z", text)
    return (moment - EPOCH) // MILLISECOND
