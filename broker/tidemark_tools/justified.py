"""Text in lines of equal width, as argparse4j fills them in the command line tools of Kafka."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

# Where Java's line break iterator allows a break: after blanks, and after punctuation before a letter.
# A hyphen after a word also allows one before a digit.
_BREAKS: Final = re.compile(r"(?<=[ \t\n])(?=[^ \t\n])|(?<=[-,.:;!?)\]}%])(?=[^\W\d_])|(?<=\w-)(?=\d)")


def justified(text: str, width: int, *, start: int = 0, indent: str = "") -> str:
    """Wrap the text. Every line but the last of a paragraph is filled with blanks between its words.

    start: the column in which the first line begins. indent: what later lines begin with.
    """
    return indent.join(_lines(text, width, start, len(indent)))


def _lines(text: str, width: int, start: int, indent: int) -> Iterator[str]:
    line, column = "", start
    for piece in _BREAKS.split(text):
        column += len(piece)
        if column > width:
            yield _filled(line, width - (column - len(piece))) + "\n"
            line, column = "", indent + len(piece)
        line += piece
        if piece.endswith("\n"):
            yield line
            line, column = "", indent
    yield line


def _filled(line: str, room: int) -> str:
    """Distribute blanks over the gaps of the line. room: the columns that it leaves free, blanks at its ends
    not counted."""
    stripped = line.strip(" ")
    room += len(line) - len(stripped)
    gaps = re.findall(" +", stripped)
    if not gaps:
        return stripped
    each, rest = divmod(room, len(gaps))
    first = (len(gaps) - rest + 1) // 2  # the gaps in the middle get the remainder
    words = re.split(" +", stripped)
    filled = words[0]
    for number, (gap, word) in enumerate(zip(gaps, words[1:], strict=True)):
        filled += gap + " " * (each + (first <= number < first + rest)) + word
    return filled
