"""Command lines as argparse4j reads them: `TOOL [option ...]`, or `TOOL [option ...] COMMAND [option ...]`.

Some of Kafka's tools use argparse4j. It accepts abbreviations of options and commands, and an error
shows the usage of the command with which it parsed.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, NoReturn

from tidemark_protocol.java import java_integer
from tidemark_tools.justified import justified
from tidemark_tools.options import DONE, FAILED, Failed

HELP_COLUMN: Final = 25
MARGIN: Final = 5  # columns of the terminal that remain empty
TERMINAL: Final = (80, 24)  # if the output is no terminal
BITS: Final = {"Short": 16, "Integer": 32, "Long": 64}
NEGATIVE: Final = re.compile(r"-\d+", re.ASCII)  # a value, not an option
DISTANCE_MAX: Final = 7  # from which on a name is not suggested

Value = str | int | None


class Argument(NamedTuple):
    """An option. kind: String, Short, Integer, Long, Flag (no value), List (of lines), Append (repeated)."""

    flag: str
    help: str
    kind: str = "String"
    metavar: str = ""  # else derived from the name of the option
    required: bool = False
    default: Value = None

    @property
    def name(self) -> str:
        return self.flag.lstrip("-").replace("-", "_")

    def syntax(self) -> str:
        """Return the option with its value: `--topic TOPIC`."""
        if self.kind == "Flag":
            return self.flag
        value = self.metavar or self.name.upper()
        return f"{self.flag} {value} [{value} ...]" if self.kind == "List" else f"{self.flag} {value}"


class Group(NamedTuple):
    """Options that the help lists under a title of their own."""

    title: str
    description: str
    arguments: tuple[Argument, ...]


@dataclass(slots=True)
class Command:
    """A subcommand. help: its line in the help of the tool."""

    name: str
    help: str
    arguments: tuple[Argument, ...] = ()
    groups: tuple[Group, ...] = ()
    description: str = ""


@dataclass(slots=True)
class Tool:
    """A tool. name: the name of Kafka's script. version: the text that --version prints.

    Without commands, it has options only.
    """

    name: str
    description: str
    version: str
    arguments: tuple[Argument, ...]
    commands: tuple[Command, ...]


@dataclass(slots=True)
class Given:
    """The command, or "", and the values of all options by name. One that was not given has its default."""

    command: str
    values: dict[str, Value]

    def text(self, name: str) -> str:
        """Return the value of a required option."""
        return str(self.values[name])

    def text_or_none(self, name: str) -> str | None:
        value = self.values[name]
        return None if value is None else str(value)

    def number(self, name: str) -> int | None:
        value = self.values[name]
        return None if value is None else int(value)


class Ended(Exception):
    """The command line was handled: help or the version was printed, or an error was."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


@dataclass(slots=True)
class _Wrong(Exception):
    """The command line is wrong. level: whose usage the message shows. similar: suggestions."""

    level: _Level
    message: str
    similar: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Level:
    """The tool without its commands, or one command: the options that may follow at this place.

    before, after: what the usage shows before and after the options. switches: options without a value.
    """

    tool: Tool
    before: tuple[str, ...]
    switches: tuple[tuple[str, str], ...]
    arguments: tuple[Argument, ...]
    after: tuple[str, ...] = ()
    values: dict[str, Value] = field(default_factory=dict)
    given: set[str] = field(default_factory=set)

    def flags(self) -> list[str]:
        switches = [flag for both in self.switches for flag in both]
        return [*switches, *(argument.flag for argument in self.arguments)]

    def usage(self) -> Iterator[str]:
        yield from self.before
        for short, _ in self.switches:
            yield f"[{short}]"
        for argument in self.arguments:
            yield argument.syntax() if argument.required else f"[{argument.syntax()}]"
        yield from self.after

    def missing(self) -> str:
        """Return the flag of a required option that was not given, the last one as argparse4j does, or ""."""
        missing = [each.flag for each in self.arguments if each.required and each.name not in self.given]
        return missing[-1] if missing else ""


HELP: Final = ("-h", "--help")
VERSION: Final = ("-v", "--version")


def run(
    tool: Tool,
    arguments: Sequence[str],
    action: Callable[[Given], int | None],
    *failures: type[Exception],
) -> int:
    """Run a tool, and return its exit code.

    action: returns the exit code, or None for success. If it raises Failed or one of the failures, stderr has
    the message.
    """
    reported: tuple[type[Exception], ...] = (Failed, *failures)
    try:
        return action(parse(tool, arguments)) or DONE
    except Ended as ended:
        return ended.code
    except reported as error:
        print(error, file=sys.stderr)
        return FAILED


def parse(tool: Tool, arguments: Sequence[str]) -> Given:
    """Parse the command line. Raises Ended once help, the version or an error was printed."""
    try:
        return _parse(tool, list(arguments)) if tool.commands else _parse_flat(tool, list(arguments))
    except _Wrong as wrong:
        _print_wrong(wrong)
        raise Ended(FAILED) from None


def fail(tool: Tool, message: str) -> NoReturn:
    """Print what is wrong with the command line of a tool without commands. Raises Ended."""
    _print_wrong(_Wrong(_flat(tool), message))
    raise Ended(FAILED)


def _print_wrong(wrong: _Wrong) -> None:
    print(_usage(wrong.level), file=sys.stderr)
    text = justified(f"{wrong.level.tool.name}: error: {wrong.message}\n", _width())
    print(text, end="", file=sys.stderr)
    if wrong.similar:
        print("\nDid you mean:", *(f"\n\t{each}" for each in wrong.similar), sep="", file=sys.stderr)


def _flat(tool: Tool) -> _Level:
    return _Level(tool, (), (HELP,), tool.arguments)


def _parse_flat(tool: Tool, left: list[str]) -> Given:
    """Parse the options of a tool without commands. Without any argument, print the help."""
    level = _flat(tool)
    if not left:
        print(_help(level, None), file=sys.stderr)
        raise Ended(FAILED)
    left.reverse()
    _read_options(level, None, left)
    if left:
        raise _Wrong(level, f"unrecognized arguments: '{' '.join(reversed(left))}'")
    if missing := level.missing():
        raise _Wrong(level, f"argument {missing} is required")
    return Given("", level.values)


def _parse(tool: Tool, left: list[str]) -> Given:
    left.reverse()
    level = _Level(tool, (), (HELP, VERSION), tool.arguments, ("COMMAND", "..."))
    _read_options(level, None, left)
    if not left:
        raise _Wrong(level, "too few arguments")
    command = _command(level, left.pop())
    missing = level.missing()
    required = tuple(each.syntax() for each in tool.arguments if each.required)
    below = _Level(tool, (*required, command.name), (HELP,), _arguments(command))
    _read_options(below, command, left)
    if left:
        raise _Wrong(below, f"unrecognized arguments: '{' '.join(reversed(left))}'")
    for at, flag in ((level, missing), (below, below.missing())):
        if flag:
            raise _Wrong(at, f"argument {flag} is required")
    return Given(command.name, level.values | below.values)


def _arguments(command: Command) -> tuple[Argument, ...]:
    return (*command.arguments, *(each for group in command.groups for each in group.arguments))


def _read_options(level: _Level, command: Command | None, left: list[str]) -> None:
    """Read options until another word follows. left: the words that are left, in reverse order."""
    level.values |= {argument.name: argument.default for argument in level.arguments}
    while left and _is_option(left[-1]):
        if left[-1] == "--":
            left.pop()
            return
        _read_option(level, command, left)


def _is_option(word: str) -> bool:
    return word == "--" or (word.strip("-") != "" and word.startswith("-") and not NEGATIVE.fullmatch(word))


def _read_option(level: _Level, command: Command | None, left: list[str]) -> None:
    word = left.pop()
    name, equals, value = word.partition("=")
    flag = _flag(level, name)
    if flag is None:
        similar = _similar(word.lstrip("-"), [each for each in level.flags() if each.startswith("--")])
        raise _Wrong(level, f"unrecognized arguments: '{word}'", similar)
    for switch in (HELP, VERSION):
        if flag in switch:
            if equals:
                raise _Wrong(level, f"argument {'/'.join(switch)}: ignore implicit argument '{value}'")
            print(level.tool.version if switch == VERSION else _help(level, command))
            raise Ended(DONE if switch == VERSION else FAILED)
    argument = next(each for each in level.arguments if each.flag == flag)
    if argument.kind == "Flag":
        level.values[argument.name] = 1
        return
    if not equals:
        if not left or _is_option(left[-1]):
            raise _Wrong(level, f"argument {flag}: expected one argument")
        value = left.pop()
    if argument.kind == "List":
        more = [value]
        while left and not _is_option(left[-1]):
            more.append(left.pop())
        value = "\n".join(more)
    if argument.kind == "Append" and argument.name in level.given:
        value = f"{level.values[argument.name]}\n{value}"
    level.values[argument.name] = _converted(level, argument, value)
    level.given.add(argument.name)


def _flag(level: _Level, name: str) -> str | None:
    """Return the option of this name, or of which it is an abbreviation."""
    flags = level.flags()
    found = [name] if name in flags else [flag for flag in flags if flag.startswith(name)]
    if len(found) > 1:
        raise _Wrong(level, f"ambiguous option: {name} could match {', '.join(sorted(found))}")
    if not found and not name.startswith("--") and name[:2] in flags:
        return name[:2]  # -hx: the first of several letters
    return found[0] if found else None


def _command(level: _Level, name: str) -> Command:
    commands = {command.name: command for command in level.tool.commands}
    found = [name] if name in commands else [each for each in commands if name and each.startswith(name)]
    if len(found) > 1:
        raise _Wrong(level, f"ambiguous command: {name} could match {', '.join(sorted(found))}")
    if not found:
        known = ", ".join(f"'{each}'" for each in commands)
        message = f"invalid choice: '{name}' (choose from {known})"
        raise _Wrong(level, message, _similar(name, list(commands)))
    return commands[found[0]]


def _converted(level: _Level, argument: Argument, text: str) -> Value:
    bits = BITS.get(argument.kind)
    if bits is None:
        return text
    number = java_integer(text, bits)
    if number is not None:
        return number
    reason = f'For input string: "{text}"'
    if argument.kind == "Short" and java_integer(text, 32) is not None:
        reason = f'Value out of range. Value:"{text}" Radix:10'
    wrong = f"could not convert '{text}' to {argument.kind} ({reason})"
    raise _Wrong(level, f"argument {argument.flag}: {wrong}")


def _similar(given: str, names: list[str]) -> list[str]:
    """Return the names that resemble the given one most, if any does."""
    if not names or (names[0].startswith("--") and len(given) < 2):
        return []
    distances = {name: _distance(given, name.lstrip("-")) for name in names}
    least = min(distances.values())
    return [name for name in names if distances[name] == least < DISTANCE_MAX]


def _distance(given: str, name: str) -> int:
    """Return how far the names differ.

    A swap of neighbours costs nothing, a missing character 1, another one 2, one too many 4.
    """
    if name.startswith(given):
        return 0
    before, row = [0] * (len(name) + 1), list(range(len(name) + 1))
    for i, character in enumerate(given):
        following = [i + 1]
        for j, expected in enumerate(name):
            cost = min(row[j] + 2 * (character != expected), row[j + 1] + 4, following[j] + 1)
            if i and j and character != expected and (given[i - 1], character) == (expected, name[j - 1]):
                cost = min(cost, before[j - 1])
            following.append(cost)
        before, row = row, following
    return row[-1]


def _width() -> int:
    width = shutil.get_terminal_size(TERMINAL).columns - MARGIN
    return width if width > 0 else TERMINAL[0] - MARGIN


def _usage(level: _Level) -> str:
    """Return the usage, wrapped between options."""
    start = f"usage: {level.tool.name}"
    lines, column = [start], len(start)
    for number, syntax in enumerate(level.usage()):
        column += 1 + len(syntax)
        if number and column > _width():
            lines.append(" " * len(start))
            column = len(start) + 1 + len(syntax)
        lines[-1] += f" {syntax}"
    return "\n".join(lines)


def _help(level: _Level, command: Command | None) -> str:
    described = level.tool.description if command is None else command.description
    own = level.arguments if command is None else command.arguments
    parts = [_usage(level)]
    if described:
        parts.append(justified(described, _width()))
    parts.append("\n".join(["optional arguments:", *map(_switch_help, level.switches), *map(_entry_of, own)]))
    if command is None and level.tool.commands:
        entries = [_entry(each.name, each.help, "    ") for each in level.tool.commands]
        parts.append("\n".join(["commands:", "  COMMAND", *entries]))
    elif command is not None:
        for group in command.groups:
            about = "  " + justified(group.description, _width(), start=2, indent="  ") + "\n"
            parts.append("\n".join([f"{group.title}:", about, *map(_entry_of, group.arguments)]))
    return "\n\n".join(parts)


def _switch_help(switch: tuple[str, str]) -> str:
    text = "Show this help." if switch == HELP else "Show the version of Kafka that the tool imitates."
    return _entry(", ".join(switch), text)


def _entry_of(argument: Argument) -> str:
    return _entry(argument.syntax(), argument.help)


def _entry(title: str, text: str, margin: str = "  ") -> str:
    """Return an entry of the help: a title, and beside or below it the text."""
    indent = " " * HELP_COLUMN
    wrapped = justified(text, _width(), start=HELP_COLUMN, indent=indent)
    head = margin + title
    if len(head) > HELP_COLUMN - 2:
        return f"{head}\n{indent}{wrapped}"
    return f"{head:<{HELP_COLUMN}}{wrapped}"
