"""Parses lines to records as Kafka's LineMessageReader does: headers, key, value."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from tidemark_tools.console.properties import truth_of

Headers = list[tuple[str, bytes | None]]

_LINE_END: Final = re.compile(rb"\r\n|\r|\n")


class LineError(Exception):
    """A line cannot be parsed, or the settings are contradictory. The message is Kafka's."""


@dataclass(slots=True)
class Line:
    """The key, value and headers of one line."""

    key: bytes | None
    value: bytes | None
    headers: Headers


@dataclass(slots=True)
class LineReader:
    """A parser and its settings. null_marker: the text that means null."""

    parse_key: bool = False
    key_separator: str = "\t"
    parse_headers: bool = False
    headers_delimiter: str = "\t"
    headers_separator: str = ","
    headers_key_separator: str = ":"
    ignore_error: bool = False
    null_marker: str | None = None

    def parse(self, number: int, text: str) -> Line:
        """Parse line `number`. Raises LineError."""
        headers, rest = self._cut(
            number, text, text, self.headers_delimiter, "headers delimiter", wanted=self.parse_headers
        )
        key, value = self._cut(number, text, rest, self.key_separator, "key separator", wanted=self.parse_key)
        return Line(self._bytes(key), self._bytes(value), self._headers(number, headers))

    def _cut(
        self, number: int, line: str, text: str, separator: str, name: str, *, wanted: bool
    ) -> tuple[str | None, str]:
        """Split at the separator. The first part is None if no split is wanted, or an error is ignored."""
        if not wanted:
            return None, text
        before, found, after = text.partition(separator)
        if found or not separator:
            return before, after
        if self.ignore_error:
            return None, text
        raise LineError(f"No {name} found on line number {number}: '{line}'")

    def _bytes(self, text: str | None) -> bytes | None:
        return None if text is None or text == self.null_marker else text.encode()

    def _headers(self, number: int, text: str | None) -> Headers:
        if text is None or text == self.null_marker:
            return []
        pairs = re.split(self.headers_separator, text)
        while len(pairs) > 1 and not pairs[-1]:  # Java's split drops trailing empty strings
            pairs.pop()
        return [self._header(number, pair) for pair in pairs]

    def _header(self, number: int, pair: str) -> tuple[str, bytes | None]:
        key, found, value = pair.partition(self.headers_key_separator)
        if not found:
            if self.ignore_error:
                return pair, None
            raise LineError(f"No header key separator found in pair '{pair}' on line number {number}")
        if key == self.null_marker:
            raise LineError(
                f"Header keys should not be equal to the null marker '{self.null_marker}' as they can't be "
                "null"
            )
        return key, self._bytes(value)


def line_reader(properties: Mapping[str, str]) -> LineReader:
    """Return the reader for these `--reader-property`s. Unknown ones are ignored. Raises LineError."""
    default = LineReader()
    reader = LineReader(
        truth_of(properties, "parse.key"),
        properties.get("key.separator", default.key_separator),
        truth_of(properties, "parse.headers"),
        properties.get("headers.delimiter", default.headers_delimiter),
        properties.get("headers.separator", default.headers_separator),
        properties.get("headers.key.separator", default.headers_key_separator),
        truth_of(properties, "ignore.error"),
        properties.get("null.marker"),
    )
    _check(reader)
    return reader


def _check(reader: LineReader) -> None:
    delimiter = ("headers.delimiter", reader.headers_delimiter)
    separator = ("headers.separator", reader.headers_separator)
    key_separator = ("headers.key.separator", reader.headers_key_separator)
    null = ("null.marker", reader.null_marker)
    for (one, text), (other, same) in (
        (delimiter, separator), (delimiter, key_separator), (separator, key_separator),
        (null, ("key.separator", reader.key_separator)), (null, separator), (null, delimiter),
        (null, key_separator),
    ):  # fmt: skip
        if text == same:
            raise LineError(f"{one} and {other} may not be equal")


class Lines:
    """Splits a stream of bytes into lines, without their ends: \\n, \\r or \\r\\n."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> Iterator[str]:
        """Yield the lines that these bytes complete."""
        data = self._rest + data
        begin = 0
        for end in _LINE_END.finditer(data):
            if end[0] == b"\r" and end.end() == len(data):
                break  # a \n may follow
            yield _text(data[begin : end.start()])
            begin = end.end()
        self._rest = data[begin:]

    def end(self) -> Iterator[str]:
        """Yield the last line if it has no line end."""
        if self._rest:
            yield _text(self._rest.removesuffix(b"\r"))
        self._rest = b""


def _text(line: bytes) -> str:
    return line.decode("utf-8", "java")
