"""Command lines as argparse4j reads them: `TOOL [option ...]`, or `TOOL [option ...] COMMAND [option ...]`.

Some of Kafka's tools use argparse4j. It accepts abbreviations of options and commands, and an error
shows the usage of the command with which it parsed.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from tidemark_protocol.java import java_integer
from tidemark_tools.options import (
    BITS,
    FAILED,
    KAFKA_RELEASE,
    VERSION_HELP,
    CommandLine,
    Ended,
    Option,
    Parsed,
    UsageError,
    print_version,
)

WITH_COMMIT: Final = f"{KAFKA_RELEASE} (Commit:26b251a451ce941d)"  # what --version of some tools prints
HELP_COLUMN: Final = 25
MARGIN: Final = 5  # columns of the terminal that remain empty
TERMINAL: Final = (80, 24)  # if the output is no terminal
NEGATIVE: Final = re.compile(r"-\d+", re.ASCII)  # a value, not an option
DISTANCE_MAX: Final = 7  # from which on a name is not suggested
HELP: Final = ("-h", "--help")
VERSION: Final = ("-v", "--version")
# Where Java's line break iterator allows a break: after blanks, and after punctuation before a letter.
# A hyphen after a word also allows one before a digit.
_BREAKS: Final = re.compile(r"(?<=[ \t\n])(?=[^ \t\n])|(?<=[-,.:;!?)\]}%])(?=[^\W\d_])|(?<=\w-)(?=\d)")


class OptionGroup(NamedTuple):
    """Options that the help lists under a title of their own."""

    title: str
    description: str
    options: tuple[Option, ...]


class Command(NamedTuple):
    """A subcommand. help: its line in the help of the tool."""

    name: str
    help: str
    options: tuple[Option, ...] = ()
    groups: tuple[OptionGroup, ...] = ()
    description: str = ""


class Argparse4jTool(CommandLine):
    """The command line of a tool. name: that of Kafka's script. Without commands, it has options only."""

    def __init__(
        self,
        name: str,
        description: str,
        options: tuple[Option, ...],
        commands: Sequence[Command] = (),
        version: str = KAFKA_RELEASE,
    ) -> None:
        self.name = name
        self.commands = {command.name: command for command in commands}
        self.version = version
        top = Command("", "", options, description=description)
        self._top = _Level(
            self, (), (HELP, VERSION) if commands else (HELP,), top, ("COMMAND", "...") if commands else ()
        )

    def parse(self, arguments: Sequence[str]) -> Parsed:
        left = [*reversed(arguments)]
        top = self._top
        parsed = Parsed(top.options)
        if not left and not self.commands:
            print(top.help(), file=sys.stderr)
            raise Ended(FAILED)
        top.read(parsed, left)
        levels = [top]
        if self.commands:
            if not left:
                raise _Wrong(top, "too few arguments")
            command = self._command(left.pop())
            required = tuple(_syntax(each) for each in top.options if each.required)
            below = _Level(self, (*required, command.name), (HELP,), command)
            parsed.extend(command.name, below.options)
            below.read(parsed, left)
            levels.append(below)
        if left:
            raise _Wrong(levels[-1], f"unrecognized arguments: '{' '.join(reversed(left))}'")
        for level in levels:
            missing = [each.name for each in level.options if each.required and not parsed.has(each.name)]
            if missing:  # argparse4j reports the last one
                raise _Wrong(level, f"argument --{missing[-1]} is required")
        return parsed

    def _command(self, name: str) -> Command:
        found = [name] if name in self.commands else [each for each in self.commands if each.startswith(name)]
        if not name or not found:
            known = ", ".join(f"'{each}'" for each in self.commands)
            message = f"invalid choice: '{name}' (choose from {known})"
            raise _Wrong(self._top, message, _similar(name, [*self.commands]))
        if len(found) > 1:
            raise _Wrong(self._top, f"ambiguous command: {name} could match {', '.join(sorted(found))}")
        return self.commands[found[0]]

    def print_usage(self, error: UsageError) -> None:
        level = error.level if isinstance(error, _Wrong) else self._top
        print(level.usage(), file=sys.stderr)
        print(justified(f"{self.name}: error: {error}\n", _width()), end="", file=sys.stderr)
        if isinstance(error, _Wrong) and error.similar:
            print("\nDid you mean:", *(f"\n\t{each}" for each in error.similar), sep="", file=sys.stderr)

    def words(self) -> list[str]:
        options = [*self._top.options]
        for command in self.commands.values():
            options += _Level(self, (), (), command).options
        return [*self.commands, *sorted({f"--{each.name}" for each in options}), "--help", "--version"]


class _Level:
    """The tool without its commands, or one command: the options that may follow at this place.

    before, after: what the usage shows before and after the options. switches: options without a value.
    """

    def __init__(
        self,
        tool: Argparse4jTool,
        before: tuple[str, ...],
        switches: tuple[tuple[str, str], ...],
        command: Command,
        after: tuple[str, ...] = (),
    ) -> None:
        self.options = (*command.options, *(each for group in command.groups for each in group.options))
        self._tool, self._switches, self._command = tool, switches, command
        # The usage is part of each error, whose text is that of Kafka's tool. The help has our options, too.
        kafkas = [each for each in self.options if not each.is_ours]
        shown = [_syntax(each) if each.required else f"[{_syntax(each)}]" for each in kafkas]
        self._usage = (*before, *(f"[{short}]" for short, _ in switches), *shown, *after)
        self._flags = [flag for both in switches for flag in both] + [
            f"--{each.name}" for each in self.options
        ]

    def read(self, parsed: Parsed, left: list[str]) -> None:
        """Read options until another word follows. left: the words that are left, in reverse order."""
        while left and _is_option(left[-1]):
            word = left.pop()
            if word == "--":
                return
            name, equals, value = word.partition("=")
            flag = self._flag(name)
            if flag is None and word == "--version":  # not every tool of Kafka's has it
                flag = word
            if flag is None:
                known = [each for each in self._flags if each.startswith("--")]
                raise _Wrong(self, f"unrecognized arguments: '{word}'", _similar(word.lstrip("-"), known))
            for switch in (HELP, VERSION):
                if flag in switch:
                    if equals:
                        message = f"argument {'/'.join(switch)}: ignore implicit argument '{value}'"
                        raise _Wrong(self, message)
                    if switch == VERSION:
                        print_version(self._tool.version)
                    print(self.help())
                    raise Ended(FAILED)
            self._take(
                parsed, next(each for each in self.options if f"--{each.name}" == flag), equals, value, left
            )

    def _take(self, parsed: Parsed, option: Option, equals: str, value: str, left: list[str]) -> None:
        """Add an option with its values. If it is repeated, the last one counts."""
        if option.kind != "Append":
            parsed.forget(option.name)
        if option.value == "":
            parsed.add(option.name, None)
            return
        if not equals:
            if not left or _is_option(left[-1]):
                raise _Wrong(self, f"argument --{option.name}: expected one argument")
            value = left.pop()
        if option.kind in BITS and java_integer(value, BITS[option.kind]) is None:
            reason = f'For input string: "{value}"'
            if option.kind == "Short" and java_integer(value, 32) is not None:
                reason = f'Value out of range. Value:"{value}" Radix:10'
            wrong = f"could not convert '{value}' to {option.kind} ({reason})"
            raise _Wrong(self, f"argument --{option.name}: {wrong}")
        parsed.add(option.name, value)
        while option.kind == "List" and left and not _is_option(left[-1]):
            parsed.add(option.name, left.pop())

    def _flag(self, name: str) -> str | None:
        """Return the option of this name, or of which it is an abbreviation."""
        found = [name] if name in self._flags else [flag for flag in self._flags if flag.startswith(name)]
        if len(found) > 1:
            raise _Wrong(self, f"ambiguous option: {name} could match {', '.join(sorted(found))}")
        if not found and not name.startswith("--") and name[:2] in self._flags:
            return name[:2]  # -hx: the first of several letters
        return found[0] if found else None

    def usage(self) -> str:
        """Return the usage, wrapped between options."""
        start = f"usage: {self._tool.name}"
        lines, column = [start], len(start)
        for number, syntax in enumerate(self._usage):
            column += 1 + len(syntax)
            if number and column > _width():
                lines.append(" " * len(start))
                column = len(start) + 1 + len(syntax)
            lines[-1] += f" {syntax}"
        return "\n".join(lines)

    def help(self) -> str:
        parts = [self.usage()]
        if self._command.description:
            parts.append(justified(self._command.description, _width()))
        about = {HELP: "Show this help.", VERSION: VERSION_HELP}
        entries = [_entry(", ".join(switch), about[switch]) for switch in self._switches]
        parts.append("\n".join(["optional arguments:", *entries, *_entries(self._command.options)]))
        if self is self._tool._top and self._tool.commands:
            entries = [_entry(each.name, each.help, "    ") for each in self._tool.commands.values()]
            parts.append("\n".join(["commands:", "  COMMAND", *entries]))
        for group in self._command.groups:
            text = "  " + justified(group.description, _width(), start=2, indent="  ") + "\n"
            parts.append("\n".join([f"{group.title}:", text, *_entries(group.options)]))
        return "\n\n".join(parts)


class _Wrong(UsageError):
    """The command line is wrong. level: whose usage the message shows. similar: suggestions."""

    def __init__(self, level: _Level, message: str, similar: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.level = level
        self.similar = similar


def _is_option(word: str) -> bool:
    return word == "--" or (word.strip("-") != "" and word.startswith("-") and not NEGATIVE.fullmatch(word))


def _syntax(option: Option) -> str:
    """Return the option with its value: `--topic TOPIC`."""
    if option.value == "":
        return f"--{option.name}"
    value = option.value or option.name.replace("-", "_").upper()
    return f"--{option.name} {value} [{value} ...]" if option.kind == "List" else f"--{option.name} {value}"


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


def _entries(options: Sequence[Option]) -> Iterator[str]:
    for each in options:
        yield _entry(_syntax(each), each.help)


def _entry(title: str, text: str, margin: str = "  ") -> str:
    """Return an entry of the help: a title, and beside or below it the text."""
    indent = " " * HELP_COLUMN
    wrapped = justified(text, _width(), start=HELP_COLUMN, indent=indent)
    head = margin + title
    if len(head) > HELP_COLUMN - 2:
        return f"{head}\n{indent}{wrapped}"
    return f"{head:<{HELP_COLUMN}}{wrapped}"


def justified(text: str, width: int, *, start: int = 0, indent: str = "") -> str:
    """Wrap the text. Every line but the last of a paragraph is filled with blanks between its words.

    start: the column in which the first line begins. indent: what later lines begin with.
    """
    lines = []
    line, column = "", start
    for piece in _BREAKS.split(text):
        column += len(piece)
        if column > width:
            lines.append(_filled(line, width - (column - len(piece))) + "\n")
            line, column = "", len(indent) + len(piece)
        line += piece
        if piece.endswith("\n"):
            lines.append(line)
            line, column = "", len(indent)
    return indent.join([*lines, line])


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
