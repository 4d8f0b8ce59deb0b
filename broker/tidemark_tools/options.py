"""The command lines of Kafka's tools: parsing, error messages, and the table of options.

Kafka's tools use jopt-simple: `--opt value` or `--opt=value`, no abbreviations, and words that are no option
are ignored. A value is checked only when the tool reads it, so that is when Parsed reports an invalid one.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

KAFKA_RELEASE: Final = "4.3.1"  # the tools imitate this release; --version prints it
DONE: Final = 0
FAILED: Final = 1
JAVA_INTS: Final = {"Integer": 2**31, "Long": 2**63}
TABLE_COLUMNS: Final = 80
SEPARATOR: Final = 2


class Option(NamedTuple):
    """An option of a tool. value: the name of its value in the table; "" if it has no value."""

    name: str
    help: str
    value: str | None = ""  # None: a value without a name, `--list [String]`
    kind: str = "String"  # or "Integer", "Long", "Double": the type of the value
    optional: bool = False  # the value may be left out
    default: str | None = None
    required: bool = False  # jopt-simple itself requires it, and the table has a star

    @property
    def takes_value(self) -> bool:
        return self.value != ""

    def indicated(self) -> str:
        """Return the option as the table shows it: `--group <String: consumer group>`."""
        name = f"{'* ' if self.required else ''}--{self.name}"
        if not self.takes_value:
            return name
        opened, closed = "[]" if self.optional else "<>"
        described = f"{self.kind}: {self.value}" if self.value else self.kind
        return f"{name} {opened}{described}{closed}"


HELP: Final = Option("help", "Print usage information.")
VERSION: Final = Option("version", "Display Kafka version.")


class UsageError(Exception):
    """The command line is invalid. The tool prints the message, then the table of options."""


class OptionError(Exception):
    """An error that jopt-simple raises. Kafka's tools print the message without the table of options."""

    def __init__(self, message: str, java_class: str) -> None:
        super().__init__(message)
        self.java_class = java_class


class Failed(Exception):
    """The tool cannot continue. The message is Kafka's where it has one."""


class Parsed:
    """The options that were given. Values are checked when they are read.

    order: the names of the options, as often as they were given. words: arguments that are no options.
    """

    __slots__ = ("_given", "_options", "order", "words")

    def __init__(self, options: Iterable[Option]) -> None:
        self._options = {option.name: option for option in options}
        self._given: dict[str, list[str | None]] = {}
        self.order: list[str] = []
        self.words: list[str] = []

    def add(self, name: str, value: str | None) -> None:
        self.order.append(name)
        self._given.setdefault(name, []).append(value)

    def option(self, name: str) -> Option | None:
        return self._options.get(name)

    def is_empty(self) -> bool:
        """Return whether there were no arguments."""
        return not self._given and not self.words

    def has(self, name: str) -> bool:
        return name in self._given

    def value(self, name: str) -> str | None:
        """Return the value, the default, or None. Raises OptionError if the option was given twice."""
        values = self.values(name)
        if len(values) > 1:
            raise OptionError(
                f"Found multiple arguments for option {name}, but you asked for only one",
                "joptsimple.MultipleArgumentsForOptionException",
            )
        return values[0] if values else None

    def values(self, name: str) -> list[str]:
        """Return all values in the order given, or the default. Raises OptionError for an invalid number."""
        option = self._options[name]
        values = [value for value in self._given.get(name, ()) if value is not None]
        for value in values:
            _check_kind(option, value)
        return values or ([] if option.default is None else [option.default])

    def number(self, name: str) -> int | None:
        """Return the `value` of an option of kind Integer or Long."""
        value = self.value(name)
        return None if value is None else int(value)


def _check_kind(option: Option, value: str) -> None:
    bound = JAVA_INTS.get(option.kind)
    if bound is None and option.kind != "Double":
        return
    try:
        number = int(value) if bound else float(value)
        fits = bound is None or (-bound <= number < bound and _is_plain(value))
    except ValueError:
        fits = False
    if not fits:
        raise OptionError(
            f"Cannot parse argument '{value}' of option {option.name}",
            "joptsimple.OptionArgumentConversionException",
        )


def _is_plain(value: str) -> bool:
    """Return whether Java accepts the number: it allows neither blanks nor underscores."""
    return not any(character in value for character in " \t\n_")


def parse(options: Sequence[Option], arguments: Sequence[str]) -> Parsed:
    """Parse the arguments.

    Raises OptionError for an unknown option, a missing value, or a missing required option.
    """
    parsed = Parsed(options)
    left = list(reversed(arguments))
    while left:
        argument = left.pop()
        if argument == "--":
            parsed.words += reversed(left)
            break
        if not _looks_like_an_option(argument):
            parsed.words.append(argument)
            continue
        _take(parsed, argument, left)
    lacking = [option.name for option in options if option.required and not parsed.has(option.name)]
    if lacking and not (parsed.has("help") or parsed.has("version")):
        raise OptionError(
            f"Missing required option(s) [{', '.join(lacking)}]", "joptsimple.MissingRequiredOptionsException"
        )
    return parsed


def _looks_like_an_option(argument: str) -> bool:
    return argument.startswith("-") and argument not in ("-", "--")


def _take(parsed: Parsed, argument: str, left: list[str]) -> None:
    """Add one option with its value. left: the arguments after it, in reverse order."""
    name, equals, given = argument.lstrip("-").partition("=")
    option = parsed.option(name)
    if option is None:
        unknown = name if argument.startswith("--") else name[:1]
        raise OptionError(f"{unknown} is not a recognized option", "joptsimple.UnrecognizedOptionException")
    if not option.takes_value:
        parsed.add(name, None)
    elif equals:
        parsed.add(name, given)
    elif option.optional:
        parsed.add(name, left.pop() if left and not _looks_like_an_option(left[-1]) else None)
    elif left:
        parsed.add(name, left.pop())
    else:
        raise OptionError(
            f"Option {name} requires an argument", "joptsimple.OptionMissingRequiredArgumentException"
        )


def comma_separated(text: str) -> list[str]:
    """Split a list value as Java's split(",") does: empty elements at its end are dropped."""
    return re.sub("(?<=.),+$", "", text).split(",")


def require(parsed: Parsed, *names: str) -> None:
    """Raise UsageError for the first of these options that was not given."""
    for name in names:
        if not parsed.has(name):
            raise UsageError(f'Missing required argument "[{name}]"')


def refuse(parsed: Parsed, name: str, *others: str) -> None:
    """Raise UsageError if name was given together with one of the others."""
    for other in others:
        if parsed.has(name) and parsed.has(other):
            raise UsageError(f'Option "[{name}]" can\'t be used with option "[{other}]"')


def help_or_version(purpose: str, options: Sequence[Option], parsed: Parsed) -> int | None:
    """Print help if it was requested or nothing was, or the version. Return the exit code, else None."""
    if parsed.has("help") or parsed.is_empty():
        return usage_error(purpose, options)
    if parsed.has("version"):
        print(KAFKA_RELEASE)
        return DONE
    return None


def usage_error(message: str, options: Sequence[Option]) -> int:
    """Print the message and the table of options on stderr. Return the exit code."""
    print(f"{message}\n{option_table(options)}", file=sys.stderr)
    return FAILED


class CommandLine(NamedTuple):
    """The command line of a tool.

    purpose   the first line of the help
    check     raises UsageError for an option that is missing, and for options that contradict each other
    """

    purpose: str
    options: Sequence[Option]
    check: Callable[[Parsed], None]


def run(
    line: CommandLine,
    arguments: Sequence[str],
    action: Callable[[Parsed], int | None],
    *failures: type[Exception],
) -> int:
    """Run a tool, and return its exit code. A wrong command line shows the table of options.

    action: returns the exit code, or None for success. If it raises Failed, OptionError or one of the
    failures, stderr has the message.
    """
    try:
        parsed = parse(line.options, arguments)
        code = help_or_version(line.purpose, line.options, parsed)
        if code is not None:
            return code
        line.check(parsed)
    except (UsageError, OptionError) as error:
        return usage_error(str(error), line.options)
    reported: tuple[type[Exception], ...] = (Failed, OptionError, *failures)
    try:
        return action(parsed) or DONE
    except reported as error:
        print(error, file=sys.stderr)
        return FAILED


def option_table(options: Sequence[Option]) -> str:
    """Return the table as jopt-simple draws it: two columns within 80 characters."""
    half = (TABLE_COLUMNS - SEPARATOR) // 2
    ordered = sorted(options, key=lambda option: option.name)
    starred = any(option.required for option in options)
    left = [_wrapped(option.indicated(), half) for option in ordered]
    title = "Option (* = required)" if starred else "Option"
    width = max(len(line) for lines in (*left, [title]) for line in lines)
    right = [_wrapped(_described(option), half) for option in ordered]
    rows = [(title, "Description"), ("-" * len(title), "-----------")]
    for names, texts in zip(left, right, strict=True):
        count = max(len(names), len(texts))
        rows += zip(_padded(names, count), _padded(texts, count), strict=True)
    return "\n".join(f"{name:<{width + SEPARATOR}}{text:<{half}}" for name, text in rows)


def _described(option: Option) -> str:
    return option.help if option.default is None else f"{option.help} (default: {option.default})"


def _wrapped(text: str, width: int) -> list[str]:
    """Wrap text as jopt-simple does: a word counts with the blank after it, and later lines are indented."""
    lines: list[str] = []
    for part in text.split("\n"):
        line = ""
        for word in re.findall(r"\S+ *", part):
            if line and len(line) + len(word) > width:
                lines.append(line.rstrip())
                line = "  "
            line += word
        lines.append(line.rstrip())
    return lines


def _padded(lines: list[str], count: int) -> list[str]:
    return lines + [""] * (count - len(lines))
