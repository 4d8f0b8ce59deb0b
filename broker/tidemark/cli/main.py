"""The command `tidemark`. Each subcommand imports its own module, so that none pays for another."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from tidemark import __version__
from tidemark.cli.streams import give_up_streams

if TYPE_CHECKING:  # the tools do without it, and are to answer in 0.2 s
    import argparse

USAGE_ERROR: Final = 2
BROKEN_PIPE: Final = 1
INTERRUPTED: Final = 130

# Each in its module, with a main(arguments) that answers the exit code and reads options as Kafka's tools do.
COMMANDS: Final[dict[str, tuple[str, str]]] = {
    "consumer-groups": (
        "groups.consumer_groups",
        "list, describe, reset and delete consumer groups and offsets",
    ),
    "groups": ("groups.groups", "list groups of every type"),
    "console-consumer": ("console.console_consumer", "records of a topic to stdout"),
    "console-producer": ("console.console_producer", "lines of stdin to records of a topic"),
    "get-offsets": ("get_offsets", "print the offsets of partitions, first, last or at a time"),
    "dump-log": ("dump.dump_log", "print what is in segment files, of ours and of Kafka's"),
    "install-shims": ("install_shims", "Kafka's names for these tools, for scripts that call them"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit code: 0 for a clean end, 1 for what could not be done, 2 for a wrong command line."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        try:
            return _main(given)
        finally:  # argparse prints its help and exits
            sys.stdout.flush()
    except BrokenPipeError:
        give_up_streams()
        return BROKEN_PIPE


def _main(given: list[str]) -> int:
    command = given[0] if given else ""
    if command in COMMANDS:
        return _run(COMMANDS[command][0], given[1:])
    if command and command != "serve" and not command.startswith("-"):
        return _no_such_command(command)
    parser = _parser()
    chosen = parser.parse_args(given)
    if chosen.command is None:
        parser.print_help()
        return USAGE_ERROR
    from tidemark.cli.serve import serve

    return serve(chosen)


def _run(module: str, arguments: list[str]) -> int:
    """One of COMMANDS."""
    try:
        code: int = importlib.import_module(f"tidemark.cli.{module}").main(arguments)
    except KeyboardInterrupt:
        return INTERRUPTED
    return code


def _no_such_command(command: str) -> int:
    from tidemark.settings.suggestions import closest

    commands = ["serve", *COMMANDS]
    print(f"tidemark: there is no command {command!r}{closest(command, commands)}", file=sys.stderr)
    print(f"Commands: {', '.join(commands)}", file=sys.stderr)
    return USAGE_ERROR


def _parser() -> argparse.ArgumentParser:
    import argparse

    parser = argparse.ArgumentParser(
        prog="tidemark",
        description="A small Kafka-compatible broker and group coordinator.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"tidemark {__version__}")
    commands = parser.add_subparsers(dest="command", title="commands", metavar="")
    _add_serve(commands.add_parser("serve", help="run a broker", allow_abbrev=False))
    for name, (_, help_text) in COMMANDS.items():
        commands.add_parser(name, help=help_text, add_help=False)
    return parser


def _add_serve(serve: argparse.ArgumentParser) -> None:
    from pathlib import Path

    from tidemark.cli import origins

    serve.description = (
        "Settings have Kafka's names. They are read from the file, then from KAFKA_* variables, then from "
        "--set; the later one counts."
    )
    serve.add_argument("--config", type=Path, metavar="FILE", help="a server.properties")
    serve.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", help="one setting; repeatable"
    )
    serve.add_argument("--data-dir", metavar="DIR", help="where everything is kept (log.dirs)")
    origins.add_options(serve)
    serve.add_argument("--port", type=_port, metavar="N", help="port of the first listener; 0: any free one")
    serve.add_argument(
        "--http-port", type=_port, metavar="N", help="port of tidemark.http.listener; 0: any free one"
    )
    serve.add_argument(
        "--ready-file", type=Path, metavar="FILE", help="gets one JSON object once everything accepts"
    )
    serve.add_argument(
        "--as", dest="release", metavar="X", help="be like this release of Kafka: 4.3, 4.0, 3.9, ..."
    )
    serve.add_argument(
        "--test-api", action="store_true", help="let tests move the time, and go back to snapshots"
    )


def _port(text: str) -> int:
    import argparse

    port = int(text) if text.isascii() and text.isdecimal() else -1
    if not 0 <= port <= 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is no port")
    return port
