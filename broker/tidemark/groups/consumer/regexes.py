"""Regular expressions of the topics that a member subscribes to. Kafka: RE2/J, and TopicRegexResolver.

google-re2 matches, whose time is linear. It is imported with the first expression. It reports some errors
differently from RE2/J, accepts a little more, and finds the errors of one expression in another order. So the
syntax is checked here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Final

from tidemark.core.decision import Steps
from tidemark_protocol.errors import ErrorCode, KafkaError

BAD_CLASS: Final = "invalid character class range"
BAD_ESCAPE: Final = "invalid escape sequence"
BAD_NAME: Final = "invalid named capture"
BAD_FLAGS: Final = "invalid or unsupported Perl syntax"
BAD_REPEAT: Final = "invalid nested repetition operator"
BAD_COUNT: Final = "invalid repeat count"
NAME_TWICE: Final = "duplicate capture group name"
NO_BRACKET: Final = "missing closing ]"
NO_PAREN: Final = "missing closing )"
NO_OPERAND: Final = "missing argument to repetition operator"
NO_ESCAPED: Final = "trailing backslash at end of expression"
UNOPENED_PAREN: Final = "regexp/syntax: internal error"

REPEATS_MAX: Final = 1000
CODE_POINT_MAX: Final = 0x10FFFF
_DIGITS_MAX: Final = 8  # of a repeat count, before RE2/J does not read its value

_REPEAT: Final = re.compile(r"\{(0|[1-9][0-9]*)(?:(,)(0|[1-9][0-9]*)?)?\}")
_GROUP_NAME: Final = re.compile(r"[A-Za-z0-9_]+")
_OCTAL: Final = re.compile(r"0[0-7]{0,2}|[1-7][0-7]{1,2}")
_HEX: Final = re.compile(r"x(?:\{([0-9A-Fa-f]+)\}|[0-9A-Fa-f]{2})")
_FLAGS: Final = re.compile(r"\(\?[imsU]*(?:-[imsU]+)?([:)])")
_CONTROLS: Final = {"a": 7, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13}
_PERL_CLASSES: Final = frozenset("dDsSwW")
_ASSERTIONS: Final = frozenset("AbBz")

_POSIX_NAMES: Final = "alnum alpha ascii blank cntrl digit graph lower print punct space upper word xdigit"
# The tables of RE2/J are those of Unicode 6.
_UNICODE_NAMES: Final = (
    " Any C Cc Cf Co Cs L Ll Lm Lo Lt Lu M Mc Me Mn N Nd Nl No P Pc Pd Pe Pf Pi Po Ps S Sc Sk Sm So Z Zl "
    "Zp Zs Arabic Armenian Avestan Balinese Bamum Batak Bengali Bopomofo Brahmi Braille Buginese Buhid "
    "Canadian_Aboriginal Carian Cham Cherokee Common Coptic Cuneiform Cypriot Cyrillic Deseret "
    "Devanagari Egyptian_Hieroglyphs Ethiopic Georgian Glagolitic Gothic Greek Gujarati Gurmukhi Han "
    "Hangul Hanunoo Hebrew Hiragana Imperial_Aramaic Inherited Inscriptional_Pahlavi "
    "Inscriptional_Parthian Javanese Kaithi Kannada Katakana Kayah_Li Kharoshthi Khmer Lao Latin Lepcha "
    "Limbu Linear_B Lisu Lycian Lydian Malayalam Mandaic Meetei_Mayek Mongolian Myanmar New_Tai_Lue Nko "
    "Ogham Ol_Chiki Old_Italic Old_Persian Old_South_Arabian Old_Turkic Oriya Osmanya Phags_Pa "
    "Phoenician Rejang Runic Samaritan Saurashtra Shavian Sinhala Sundanese Syloti_Nagri Syriac Tagalog "
    "Tagbanwa Tai_Le Tai_Tham Tai_Viet Tamil Telugu Thaana Thai Tibetan Tifinagh Ugaritic Vai Yi "
)
_POSIX_CLASSES: Final = frozenset(_POSIX_NAMES.split())
_UNICODE_CLASSES: Final = frozenset(_UNICODE_NAMES.split())


class NotRe2j(Exception):
    """Raised if RE2/J refuses an expression. The text is its description of the error."""


def for_re2(expression: str) -> str:
    """Return the expression in the form that google-re2 accepts. Raise NotRe2j if RE2/J refuses it."""
    return _Scan(expression).run()


class _Scan:
    """One pass over an expression, with the state of RE2/J's parser that its errors depend on."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._open = 0  # parentheses
        self._has_operand = False  # something that an operator can repeat
        self._names: set[str] = set()
        self._dropped: list[int] = []  # positions of backslashes

    def run(self) -> str:
        last_repeat = False
        while self._at < len(self._text):
            last_repeat = self._token(after_repeat=last_repeat)
        if self._open:
            raise NotRe2j(NO_PAREN)
        dropped = frozenset(self._dropped)
        return "".join(each for at, each in enumerate(self._text) if at not in dropped)

    def _token(self, *, after_repeat: bool) -> bool:
        """Read one token. Return whether RE2/J takes it for a repetition operator."""
        match self._text[self._at]:
            case "(":
                self._parenthesis()
            case ")":
                if not self._open:
                    raise NotRe2j(UNOPENED_PAREN)
                self._open -= 1
                self._operand(1)
            case "|":
                self._at += 1
                self._has_operand = False
            case "[":
                self._class()
                self._has_operand = True
            case "\\":
                self._escape()
            case "*" | "+" | "?":
                self._at += 1
                self._repeat(after_repeat)
                return True
            case "{":
                self._counted(after_repeat)
                return True  # even if it is a literal
            case _:
                self._operand(1)
        return False

    def _operand(self, length: int) -> None:
        self._at += length
        self._has_operand = True

    def _repeat(self, after_repeat: bool) -> None:  # noqa: FBT001
        if self._text.startswith("?", self._at):
            self._at += 1
        if after_repeat:
            raise NotRe2j(BAD_REPEAT)
        if not self._has_operand:
            raise NotRe2j(NO_OPERAND)

    def _counted(self, after_repeat: bool) -> None:  # noqa: FBT001
        found = _REPEAT.match(self._text, self._at)
        if found is None:
            self._operand(1)
            return
        least, comma, most = found.groups()
        counts = [each for each in (least, most) if each is not None]
        if any(len(each) > _DIGITS_MAX or int(each) > REPEATS_MAX for each in counts):
            raise NotRe2j(BAD_COUNT)
        if comma and most is not None and int(least) > int(most):
            raise NotRe2j(BAD_COUNT)
        self._at = found.end()
        self._repeat(after_repeat)

    def _parenthesis(self) -> None:
        if not self._text.startswith("(?", self._at):
            self._begin(1)
        elif self._text.startswith(("(?P<", "(?<"), self._at):
            self._named()
        else:
            found = _FLAGS.match(self._text, self._at)
            if found is None:
                raise NotRe2j(BAD_FLAGS)
            if found[1] == ":":
                self._begin(found.end() - self._at)
            else:
                self._at = found.end()

    def _begin(self, length: int) -> None:
        self._at += length
        self._open += 1
        self._has_operand = False

    def _named(self) -> None:
        start = self._text.index("<", self._at) + 1
        end = self._text.find(">", start)
        name = self._text[start:end]
        if end < 0 or not _GROUP_NAME.fullmatch(name):
            raise NotRe2j(BAD_NAME)
        self._begin(end + 1 - self._at)
        if name in self._names:
            raise NotRe2j(NAME_TWICE)
        self._names.add(name)

    def _escape(self) -> None:
        """Read an escape sequence outside of a class."""
        kind = self._text[self._at + 1 : self._at + 2]
        if kind == "Q":
            end = self._text.find("\\E", self._at + 2)
            quoted = (len(self._text) if end < 0 else end) - self._at - 2
            self._has_operand = self._has_operand or quoted > 0
            self._at += quoted + 4
        elif kind and (kind in _ASSERTIONS or kind in _PERL_CLASSES):
            self._operand(2)
        elif kind in {"p", "P"}:
            self._unicode_class()
            self._has_operand = True
        else:
            self._escaped_character()
            self._has_operand = True

    def _escaped_character(self) -> int:
        """Read an escape sequence that means one character. Return the character."""
        start = self._at + 1
        kind = self._text[start : start + 1]
        if not kind:
            raise NotRe2j(NO_ESCAPED)
        if not (kind.isascii() and kind.isalnum()):
            if not kind.isascii():
                self._dropped.append(self._at)
            self._at += 2
            return ord(kind)
        if kind in _CONTROLS:
            self._at += 2
            return _CONTROLS[kind]
        if octal := _OCTAL.match(self._text, start):
            self._at = octal.end()
            return int(octal[0], 8)
        if (found := _HEX.match(self._text, start)) and int(found[0][1:].strip("{}"), 16) <= CODE_POINT_MAX:
            self._at = found.end()
            return int(found[0][1:].strip("{}"), 16)
        raise NotRe2j(BAD_ESCAPE)

    def _unicode_class(self) -> None:
        """Read `\\pN`, `\\p{Name}` or `\\p{^Name}`."""
        start = self._at + 2
        end = start + 1
        name = self._text[start:end]
        if name == "{":
            end = self._text.find("}", start) + 1
            name = self._text[start + 1 : end - 1]
        if not end or name.removeprefix("^") not in _UNICODE_CLASSES:
            raise NotRe2j(BAD_CLASS)
        self._at = end

    def _class(self) -> None:
        self._at += 2 if self._text.startswith("[^", self._at) else 1
        first = True
        while first or not self._text.startswith("]", self._at):
            first = False
            self._class_item()
        self._at += 1

    def _class_item(self) -> None:
        text, at = self._text, self._at
        if text.startswith("[:", at) and (end := text.find(":]", at)) >= 0:
            if text[at + 2 : end].removeprefix("^") not in _POSIX_CLASSES:
                raise NotRe2j(BAD_CLASS)
            self._at = end + 2
        elif text.startswith(("\\p", "\\P"), at):
            self._unicode_class()
        elif text.startswith("\\", at) and text[at + 1 : at + 2] in _PERL_CLASSES:
            self._at += 2
        else:
            self._class_range()

    def _class_range(self) -> None:
        low = self._class_character()
        if not self._text.startswith("-", self._at) or self._text.startswith("-]", self._at):
            return
        self._at += 1
        if self._class_character() < low:
            raise NotRe2j(BAD_CLASS)

    def _class_character(self) -> int:
        if self._at >= len(self._text):
            raise NotRe2j(NO_BRACKET)
        if self._text[self._at] == "\\":
            return self._escaped_character()
        self._at += 1
        return ord(self._text[self._at - 1])


LENGTH_MAX: Final = 4096  # characters of an expression; Kafka has no limit
MEMORY_MAX: Final = (
    1 << 20
)  # bytes of a compiled expression, its cache of states included; Kafka has no limit
TOO_LONG: Final = f"it is longer than {LENGTH_MAX} characters"
TOO_LARGE: Final = "too many repetitions"
MATCH_STEPS_MAX: Final = 5_000_000  # instructions of an expression times bytes of a text: up to 50 ms
STEP: Final = 2000  # names, or instructions of a large program, between two pauses


def check_expression(expression: str) -> None:
    """Raise KafkaError with Kafka's message if Kafka refuses an expression, or if it is too large."""
    full_matcher(expression, "SubscribedTopicRegex")


def full_matcher(expression: str, name: str) -> Callable[[str], bool]:
    """Return a function that tells whether the expression matches a text as a whole.

    Raises KafkaError with Kafka's message, in which `name` says what the expression is for. The function
    raises it, too, if a text is so long that to match a large expression would take too much time.
    """
    try:
        compiled = _compiled(expression)
    except NotRe2j as error:
        raise KafkaError(
            ErrorCode.INVALID_REGULAR_EXPRESSION,
            f"{name} `{expression[:LENGTH_MAX]}` is not a valid regular expression: {error}.",
        ) from None

    def matches(text: str) -> bool:
        data = text.encode()
        if len(data) * compiled.programsize > MATCH_STEPS_MAX:
            raise KafkaError(
                ErrorCode.INVALID_REGULAR_EXPRESSION, f"{name} is too large for {len(data)} bytes."
            )
        return compiled.fullmatch(data) is not None

    return matches


def matched(expression: str, names: Sequence[str], encoded: Sequence[bytes]) -> Steps[list[str]]:
    """Return the names that the expression matches as a whole, in the order of the names.

    An expression that Kafka refuses matches nothing. encoded: the names in UTF-8
    """
    yield 0
    try:
        compiled = _compiled(expression)
    except NotRe2j:
        return []
    matches: list[str] = []
    step = max(1, STEP // compiled.programsize)
    for start in range(0, len(names), step):
        yield 0
        part = range(start, min(start + step, len(names)))
        matches += [names[at] for at in part if compiled.fullmatch(encoded[at])]
    return matches


def _compiled(expression: str) -> Any:
    """Return the compiled expression. Raise NotRe2j if it is invalid or too large."""
    if len(expression) > LENGTH_MAX:
        raise NotRe2j(TOO_LONG)
    import re2

    options = re2.Options()
    options.max_mem = MEMORY_MAX
    options.never_capture = True
    options.log_errors = False
    try:
        return re2.compile(for_re2(expression).encode(), options)
    except re2.error:
        raise NotRe2j(TOO_LARGE) from None
    finally:
        re2.purge()  # its cache would keep 128 expressions, with their caches of states
