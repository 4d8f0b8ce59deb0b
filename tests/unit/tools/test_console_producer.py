"""Splitting bytes into lines. tests/conformance/tools/cases/console.py covers the parsing of a line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidemark_tools.console_producer import LineError, Lines, line_reader


def lines_of(*chunks: bytes) -> list[str]:
    lines = Lines()
    return [line for chunk in chunks for line in lines.feed(chunk)] + list(lines.end())


@pytest.mark.parametrize(
    ("chunks", "expected"),
    [
        # As in Java's BufferedReader.readLine, \n, \r and \r\n end a line; the last line needs no end.
        ([b"a\nb\rc\r\nd"], ["a", "b", "c", "d"]),
        ([b"a\r", b"\nb"], ["a", "b"]),
        ([b"a\r", b"b\r"], ["a", "b"]),
        ([b"\n\n"], ["", ""]),
        ([], []),
        ([b"gr\xc3", b"\xbc\xc3\x9f\n"], ["gr\u00fc\u00df"]),
        ([b"\xff\n"], ["\ufffd"]),
    ],
)
def test_lines_end_where_java_ends_them(chunks: list[bytes], expected: list[str]) -> None:
    assert lines_of(*chunks) == expected


@given(st.lists(st.sampled_from([b"a", b"\r", b"\n", b"bc"])), st.data())
def test_lines_do_not_depend_on_how_the_bytes_are_split(pieces: list[bytes], data: st.DataObject) -> None:
    whole = b"".join(pieces)
    cuts = sorted(data.draw(st.sets(st.integers(0, len(whole)))))
    chunks = [whole[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
    assert lines_of(*chunks) == lines_of(whole)


@pytest.mark.parametrize(
    "name", ["key.separator", "headers.separator", "headers.delimiter", "headers.key.separator"]
)
def test_the_null_marker_cannot_be_a_separator(name: str) -> None:
    with pytest.raises(LineError, match=f"^null.marker and {name} may not be equal$"):
        line_reader({name: "#", "null.marker": "#"})
