"""A checker for RE2 syntax, which brokers require in subscriptions by regular expression (KIP-848).

It reports RE2/J's error messages. It matches nothing.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

REPEAT_MAX: Final = 1000
CODE_POINT_MAX: Final = 0x10FFFF

MISSING_BRACKET: Final = "missing closing ]"
MISSING_PAREN: Final = "missing closing )"
UNEXPECTED_PAREN: Final = "regexp/syntax: internal error"  # RE2/J's message for an extra )
MISSING_ARGUMENT: Final = "missing argument to repetition operator"
NESTED_REPEAT: Final = "invalid nested repetition operator"
REPEAT_SIZE: Final = "invalid repeat count"
PERL_SYNTAX: Final = "invalid or unsupported Perl syntax"
NAMED_CAPTURE: Final = "invalid named capture"
DUPLICATE_NAME: Final = "duplicate capture group name"
CLASS_RANGE: Final = "invalid character class range"
ESCAPE: Final = "invalid escape sequence"
TRAILING_BACKSLASH: Final = "trailing backslash at end of expression"

POSIX_CLASSES: Final = frozenset((
    "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space",
    "upper", "word", "xdigit",
))  # fmt: skip
_COUNTS: Final = re.compile(r"\{(\d+)(,(\d*))?\}", re.ASCII)
_NAME: Final = re.compile(r"[A-Za-z0-9_]+", re.ASCII)
_HEX: Final = re.compile(r"x(?:\{([0-9A-Fa-f]+)\}|([0-9A-Fa-f]{2}))")


class NotRe2(Exception):
    """The text is not RE2 syntax. The message is RE2/J's."""


def wrong_with(text: str) -> str:
    """Return RE2/J's error message for a regular expression, or "" if it is valid."""
    try:
        _Reader(text).read()
    except NotRe2 as error:
        return str(error)
    return ""


class _Reader:
    """A parser that reads the text once."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.names: set[str] = set()

    def read(self) -> None:
        self._alternatives()
        if self.at < len(self.text):
            raise NotRe2(UNEXPECTED_PAREN)

    def _more(self) -> str:
        """Return the next character, "" at the end."""
        return self.text[self.at : self.at + 1]

    def _alternatives(self) -> None:
        """Read up to the end or a `)`."""
        something = repeated = False  # there is an element to repeat; it has just been repeated
        while (character := self._more()) not in ("", ")"):
            counts = _COUNTS.match(self.text, self.at) if character == "{" else None
            if character in "*+?" or counts is not None:
                self._repetition(counts, something=something, repeated=repeated)
                repeated = True
            elif self.text.startswith("(?", self.at):
                repeated = False
                if not self._flags():  # flags alone, as in `(?i)`, cannot be repeated
                    self._group()
                    something = True
            else:
                self._element(character)
                something = character != "|"
                repeated = character == "{"  # RE2/J treats even a literal `{` as a repetition

    def _repetition(self, counts: re.Match[str] | None, *, something: bool, repeated: bool) -> None:
        _check_bounds(counts)
        self.at = self.at + 1 if counts is None else counts.end()
        if self._more() == "?":
            self.at += 1
        if repeated:
            raise NotRe2(NESTED_REPEAT)
        if not something:
            raise NotRe2(MISSING_ARGUMENT)

    def _element(self, character: str) -> None:
        """Read one element that is not a repetition."""
        if character == "\\":
            self._escape()
        elif character == "[":
            self._class()
        else:
            self.at += 1
            if character == "(":
                self._group()

    def _group(self) -> None:
        """Read the rest of a group after its opening."""
        self._alternatives()
        if self._more() != ")":
            raise NotRe2(MISSING_PAREN)
        self.at += 1

    def _flags(self) -> bool:
        """Read a name or flags after `(?`. Return whether the group ends there, as in `(?i)`."""
        for opening in ("(?P<", "(?<"):
            if self.text.startswith(opening, self.at):
                self._name(self.at + len(opening))
                return False
        self.at += 2
        negative = given = False
        while character := self._more():
            self.at += 1
            if character in "imsU":
                given = True
            elif character == "-" and not negative:
                negative, given = True, False
            elif character in ":)" and (given or not negative):
                return character == ")"
            else:
                break
        raise NotRe2(PERL_SYNTAX)

    def _name(self, start: int) -> None:
        end = self.text.find(">", start)
        name = self.text[start:end] if end >= 0 else ""
        if not _NAME.fullmatch(name):
            raise NotRe2(NAMED_CAPTURE)
        if name in self.names:
            raise NotRe2(DUPLICATE_NAME)
        self.names.add(name)
        self.at = end + 1

    def _escape(self) -> None:
        """Read an escape sequence outside of a class."""
        following = self.text[self.at + 1 : self.at + 2]
        if following == "Q":
            end = self.text.find("\\E", self.at)
            self.at = len(self.text) if end < 0 else end + 2
        elif following and following in "ABbzdDsSwW":
            self.at += 2
        elif not self._unicode_class():
            self._character()

    def _class(self) -> None:
        self.at += 2 if self.text.startswith("[^", self.at) else 1
        first = True
        while first or self._more() != "]":
            first = False
            if not (self._posix_class() or self._unicode_class() or self._perl_class()):
                self._range()
        self.at += 1

    def _posix_class(self) -> bool:
        end = self.text.find(":]", self.at + 2)
        if not self.text.startswith("[:", self.at) or end < 0:
            return False
        if self.text[self.at + 2 : end].removeprefix("^") not in POSIX_CLASSES:
            raise NotRe2(CLASS_RANGE)
        self.at = end + 2
        return True

    def _perl_class(self) -> bool:
        found = self.text[self.at : self.at + 2] in ("\\d", "\\D", "\\s", "\\S", "\\w", "\\W")
        self.at += 2 if found else 0
        return found

    def _unicode_class(self) -> bool:
        if self.text[self.at : self.at + 2] not in ("\\p", "\\P"):
            return False
        start = self.at + 2
        if self.text.startswith("{", start):
            end = self.text.find("}", start)
            name = self.text[start + 1 : end] if end >= 0 else ""
            self.at = end + 1
        else:
            name = self.text[start : start + 1]
            self.at = start + 1
        if not _is_unicode_class(name.removeprefix("^")):
            raise NotRe2(CLASS_RANGE)
        return True

    def _range(self) -> None:
        low = self._class_character()
        if self._more() == "-" and self.text[self.at + 1 : self.at + 2] != "]":
            self.at += 1
            if self._class_character() < low:
                raise NotRe2(CLASS_RANGE)

    def _class_character(self) -> int:
        if not self._more():
            raise NotRe2(MISSING_BRACKET)
        return self._character()

    def _character(self) -> int:
        """Read one character, which may be escaped. Return its code point."""
        character = self._more()
        self.at += 1
        if character != "\\":
            return ord(character)
        escaped = self._more()
        if not escaped:
            raise NotRe2(TRAILING_BACKSLASH)
        if escaped in "01234567":
            return self._octal(escaped)
        if escaped == "x":
            return self._hexadecimal()
        self.at += 1
        if escaped in "afnrtv":
            return ord({"a": "\a", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}[escaped])
        if escaped.isascii() and escaped.isalnum():
            raise NotRe2(ESCAPE)
        return ord(escaped)

    def _octal(self, first: str) -> int:
        """Read up to three octal digits. A single digit other than 0 would be a back reference."""
        digits = first
        self.at += 1
        while len(digits) < 3 and self._more() and self._more() in "01234567":
            digits += self._more()
            self.at += 1
        if len(digits) == 1 and first != "0":
            raise NotRe2(ESCAPE)
        return int(digits, 8)

    def _hexadecimal(self) -> int:
        found = _HEX.match(self.text, self.at)
        point = int(found[1] or found[2], 16) if found else CODE_POINT_MAX + 1
        if found is None or point > CODE_POINT_MAX:
            raise NotRe2(ESCAPE)
        self.at = found.end()
        return point


def _check_bounds(counts: re.Match[str] | None) -> None:
    """Raise NotRe2 if a repeat count exceeds the limit or if max < min."""
    if counts is None:
        return
    least = int(counts[1])
    most = int(counts[3]) if counts[3] else least
    if least > REPEAT_MAX or most > REPEAT_MAX or most < least:
        raise NotRe2(REPEAT_SIZE)


def _is_unicode_class(name: str) -> bool:
    """Return whether the name is a general category such as `L`, or looks like a script."""
    categories = {unicodedata.category(chr(point)) for point in range(0x3000)}
    if len(name) <= 2:
        return bool(name) and any(known.startswith(name) for known in categories)
    return name.isascii() and name.replace("_", "").isalpha() and name[0].isupper()
