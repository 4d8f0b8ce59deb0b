"""The command lines of Kafka's tools: tables of options, what was given, and the run of a tool.

Most of the tools use jopt-simple: `--opt value` or `--opt=value`, no abbreviations, and words that are no
option are ignored. A value is checked only when the tool reads it. The others are in argparse4j.py.
"""

from __future__ import annotations

import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Final, NamedTuple, NoReturn

from tidemark import __version__
from tidemark_protocol.java import java_integer
from tidemark_tools.client.errors import ClientError, Failed

if TYPE_CHECKING:
    from tidemark_tools.client.client import Client

KAFKA_RELEASE: Final = "4.3.1"  # the tools imitate this release
VERSION_HELP: Final = (
    "Print the release of Kafka that this tool imitates. `tidemark --version` prints tidemark's."
)
DONE: Final = 0
FAILED: Final = 1
BITS: Final = {"Short": 16, "Integer": 32, "Long": 64}
TABLE_COLUMNS: Final = 80
SEPARATOR: Final = 2
# An option in a table: star, name, value with its kind, help, default.
_ROW: Final = re.compile(
    r"(\* )?([\w.-]+)(?: ([<\[])(?:(String|Short|Integer|Long|List|Append)(?:: |(?=[>\]])))?(.*?)[>\]])?"
    r"(?:  +(.*?))?(?: \(default: (.*)\))?"
)


class Option(NamedTuple):
    """An option of a tool. value: the name of its value in the help; "" if it has no value."""

    name: str
    help: str
    value: str | None = ""  # None: a value without a name, `--list [String]`
    kind: str = "String"  # Short, Integer, Long; List: several words; Append: may be repeated
    optional: bool = False  # the value may be left out
    default: str | None = None
    required: bool = False  # the parser itself requires it, and the table has a star

    @property
    def is_ours(self) -> bool:
        """Whether Kafka's tool does not have it. The help says so."""
        return "(tidemark's own" in self.help

    def indicated(self) -> str:
        """Return the option as the table shows it: `--group <String: consumer group>`."""
        name = f"{'* ' if self.required else ''}--{self.name}"
        if self.value == "":
            return name
        opened, closed = "[]" if self.optional else "<>"
        described = f"{self.kind}: {self.value}" if self.value else self.kind
        return f"{name} {opened}{described}{closed}"


def table(text: str) -> tuple[Option, ...]:
    """Read options that are written as the help shows them. A deeper line continues the one before it.

    `name <Integer: value>  Help. (default: 3)`. The kind String may be left out, brackets mean that the value
    may be, and a star before the name means that the option is required.
    """
    lines = text.strip("\n").splitlines()
    indent = " " * (len(lines[0]) - len(lines[0].lstrip()))
    return tuple(map(_option, re.split(rf"\n{indent}(?=\S)", "\n".join(lines).strip())))


def _option(row: str) -> Option:
    found = _ROW.fullmatch(re.sub(r"\n +", " ", row))
    assert found is not None, row
    star, name, bracket, kind, value, text, default = found.groups()
    named = (value or None) if bracket else ""
    return Option(name, text, named, kind or "String", bracket == "[", default, star is not None)


def print_version(shown: str) -> NoReturn:
    """Print the release of Kafka that the tool imitates, as Kafka's tool does, and raise Ended.

    On a terminal, stderr also has the version of tidemark.
    """
    print(shown, flush=True)
    if sys.stderr.isatty():
        print(f"This is tidemark {__version__}, with the tools of that release.", file=sys.stderr)
    raise Ended(DONE)


class UsageError(Exception):
    """The command line is invalid. The tool prints the message with its usage."""


class OptionError(Failed):
    """An error that jopt-simple raises. Kafka's tools print the message without the table of options."""

    def __init__(self, message: str, java_class: str) -> None:
        super().__init__(message)
        self.java_class = f"joptsimple.{java_class}"


class Ended(Exception):
    """The command line was handled: the version or the help was printed."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class Parsed:
    """The options that were given. Values are checked when they are read.

    order: the names of the options, as often as they were given. words: arguments that are no options.
    command: the subcommand, "" if the tool has none.
    """

    __slots__ = ("_given", "_options", "command", "order", "words")

    def __init__(self, options: Iterable[Option]) -> None:
        self._options = {option.name: option for option in options}
        self._given: dict[str, list[str | None]] = {}
        self.order: list[str] = []
        self.words: list[str] = []
        self.command = ""

    def add(self, name: str, value: str | None) -> None:
        self.order.append(name)
        self._given.setdefault(name, []).append(value)

    def forget(self, name: str) -> None:
        """Forget earlier values of an option of which the last counts."""
        self._given.pop(name, None)

    def extend(self, command: str, options: Iterable[Option]) -> None:
        """Add the options of a subcommand."""
        self.command = command
        self._options |= {option.name: option for option in options}

    def has(self, name: str) -> bool:
        return name in self._given

    def value(self, name: str) -> str | None:
        """Return the value, the default, or None. Raises OptionError if the option was given twice."""
        values = self.values(name)
        if len(values) > 1:
            raise OptionError(
                f"Found multiple arguments for option {name}, but you asked for only one",
                "MultipleArgumentsForOptionException",
            )
        return values[0] if values else None

    def text(self, name: str) -> str:
        """Return the value, "" for none."""
        return self.value(name) or ""

    def values(self, name: str) -> list[str]:
        """Return all values in the order given, or the default. Raises OptionError for an invalid number."""
        option = self._options[name]
        values = [value for value in self._given.get(name, ()) if value is not None]
        for value in values:
            if option.kind in BITS and java_integer(value, BITS[option.kind]) is None:
                raise OptionError(
                    f"Cannot parse argument '{value}' of option {name}", "OptionArgumentConversionException"
                )
        return values or ([] if option.default is None else [option.default])

    def number(self, name: str) -> int | None:
        """Return the `value` of an option whose kind is a number."""
        value = self.value(name)
        return None if value is None else int(value)

    def duration_ms(self, name: str) -> int | None:
        """Return the `value` of an option that is a duration. Raises UsageError for another text, or 0."""
        text = self.value(name)
        if text is None:
            return None
        from tidemark_expiry.durations import A_DURATION, read_duration  # most tools do not need it

        span_ms = read_duration(text)
        if not span_ms:
            raise UsageError(f"--{name} must be {A_DURATION}, got {text!r}")
        return span_ms


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


def check_bootstrap(addresses: str) -> None:
    """Raise UsageError, as some tools do before anything else. Kafka's message ends in an empty line."""
    if not addresses:
        raise UsageError("Error while validating the bootstrap address\n")
    for address in addresses.split(","):
        host, _, port = address.rpartition(":")
        if not (host and port.isascii() and port.isdecimal()):
            raise UsageError("Please provide valid host:port like host1:9091,host2:9092\n ")


def topic_filter(text: str) -> Callable[[str], bool]:
    """Return a filter from a regular expression for whole names, where a comma means "or".

    Raises Failed. Kafka: TopicFilter.
    """
    pattern = re.sub(r"^[\"']+|[\"']+$", "", text.strip().replace(",", "|").replace(" ", ""))
    try:
        compiled = re.compile(pattern)
    except re.error:
        raise ClientError(f"{pattern} is an invalid regex.") from None
    return lambda name: compiled.fullmatch(name) is not None


class CommandLine(ABC):
    """The command line of a tool."""

    @abstractmethod
    def parse(self, arguments: Sequence[str]) -> Parsed:
        """Parse the arguments. Raises UsageError, and Ended if help or the version was printed."""

    @abstractmethod
    def print_usage(self, error: UsageError) -> None:
        """Print the error and the usage on stderr."""

    @abstractmethod
    def words(self) -> list[str]:
        """Return the words that a shell may complete: options, and commands."""


class JoptTool(CommandLine):
    """The command line of a tool that uses jopt-simple.

    purpose: the first line of the help. check: raises UsageError for an option that is missing, and for
    options that contradict each other. quiet: errors of jopt-simple do not show the table of options; `parse`
    raises OptionError for them. no_arguments: the message if nothing was given, by default the purpose.
    """

    def __init__(
        self,
        purpose: str,
        options: Iterable[Option],
        check: Callable[[Parsed], object] = lambda parsed: None,
        *,
        quiet: bool = False,
        no_arguments: str = "",
    ) -> None:
        common = Option("help", "Print usage information."), Option("version", VERSION_HELP)
        self.options = (*options, *common)
        self._purpose = purpose
        self._check = check
        self._quiet = quiet
        self._no_arguments = no_arguments or purpose

    def parse(self, arguments: Sequence[str]) -> Parsed:
        try:
            parsed = parse(self.options, arguments)
            if parsed.has("help") or not (parsed.order or parsed.words):
                raise UsageError(self._purpose if parsed.order else self._no_arguments)
            if parsed.has("version"):
                print_version(KAFKA_RELEASE)
            self._check(parsed)
        except OptionError as error:
            if self._quiet:
                raise
            raise UsageError(str(error)) from None
        return parsed

    def print_usage(self, error: UsageError) -> None:
        print(f"{error}\n{option_table(self.options)}", file=sys.stderr)

    def words(self) -> list[str]:
        return sorted(f"--{option.name}" for option in self.options)


def run(
    line: CommandLine,
    arguments: Sequence[str],
    action: Callable[[Parsed], int | None],
    report: Callable[[Failed], None] = lambda error: print(error, file=sys.stderr),
) -> int:
    """Run a tool, and return its exit code.

    action: returns the exit code, or None for success. report: prints an error that ends the tool.
    """
    try:
        return action(line.parse(arguments)) or DONE
    except Ended as ended:
        return ended.code
    except UsageError as error:
        line.print_usage(error)
    except Failed as error:
        report(error)
    return FAILED


def connect(parsed: Parsed, defaults: Mapping[str, str] | None = None) -> Client:
    """Return a client of --bootstrap-server with the settings in --command-config."""
    from tidemark_tools.client.client import Client, client_settings

    settings = {**(defaults or {}), **client_settings(parsed.value("command-config"))}
    return Client(parsed.text("bootstrap-server"), settings=settings)


def parse(options: Sequence[Option], arguments: Sequence[str]) -> Parsed:
    """Parse the arguments as jopt-simple does.

    Raises OptionError for an unknown option, a missing value, or a missing required option.
    """
    parsed = Parsed(options)
    known = {option.name: option for option in options}
    left = list(reversed(arguments))
    while left:
        argument = left.pop()
        if argument == "--":
            parsed.words += reversed(left)
            break
        if not _looks_like_an_option(argument):
            parsed.words.append(argument)
            continue
        name, equals, given = argument.lstrip("-").partition("=")
        option = known.get(name)
        if option is None:
            unknown = name if argument.startswith("--") else name[:1]
            raise OptionError(f"{unknown} is not a recognized option", "UnrecognizedOptionException")
        if option.value == "":
            parsed.add(name, None)
        elif equals:
            parsed.add(name, given)
        elif option.optional:
            parsed.add(name, left.pop() if left and not _looks_like_an_option(left[-1]) else None)
        elif left:
            parsed.add(name, left.pop())
        else:
            raise OptionError(f"Option {name} requires an argument", "OptionMissingRequiredArgumentException")
    lacking = [option.name for option in options if option.required and not parsed.has(option.name)]
    if lacking and not (parsed.has("help") or parsed.has("version")):
        raise OptionError(
            f"Missing required option(s) [{', '.join(lacking)}]", "MissingRequiredOptionsException"
        )
    return parsed


def _looks_like_an_option(argument: str) -> bool:
    return argument.startswith("-") and argument not in ("-", "--")


def option_table(options: Sequence[Option]) -> str:
    """Return the table as jopt-simple draws it: two columns within 80 characters."""
    half = (TABLE_COLUMNS - SEPARATOR) // 2
    title = "Option (* = required)" if any(option.required for option in options) else "Option"
    rows = [([title], ["Description"]), (["-" * len(title)], ["-----------"])]
    for option in sorted(options):
        shown = option.help if option.default is None else f"{option.help} (default: {option.default})"
        rows.append((_wrapped(option.indicated(), half), _wrapped(shown, half)))
    width = max(len(line) for names, _ in rows for line in names) + SEPARATOR
    return "\n".join(
        f"{name:<{width}}{text:<{half}}"
        for names, texts in rows
        for name, text in zip_longest(names, texts, fillvalue="")
    )


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
