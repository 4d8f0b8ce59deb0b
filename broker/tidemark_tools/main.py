"""The command `tidemark`. It imports only the module of the requested subcommand, to start fast."""

from __future__ import annotations

import gc
import importlib
import os
import signal
import sys
from collections.abc import Sequence
from types import FrameType
from typing import TYPE_CHECKING, Final, NamedTuple, NoReturn, TextIO

from tidemark import __version__

if TYPE_CHECKING:  # the tools do not need it, and must start in 0.2 s
    import argparse

USAGE_ERROR: Final = 2
BROKEN_PIPE: Final = 1
INTERRUPTED: Final = 128 + signal.SIGINT
TERMINATED: Final = 128 + signal.SIGTERM


class Tool(NamedTuple):
    """A subcommand. Its function is called with the arguments, and returns the exit code.

    module: below tidemark_tools
    """

    module: str
    help: str
    function: str = "main"


# Subcommands by name, in the groups of the help.
GROUPED: Final[dict[str, dict[str, Tool]]] = {
    "Groups and offsets": {
        "consumer-groups": Tool(
            "groups.consumer_groups", "list, describe, reset and delete consumer groups and offsets"
        ),
        "share-groups": Tool(
            "groups.share_groups", "list, describe, reset and delete share groups and their offsets"
        ),
        "groups": Tool("groups.groups", "list groups of every type"),
        "explain-log": Tool("explain_log", "say what happened to committed offsets, from a log or a cluster"),
        "watch": Tool("watch.command", "serve what expires when and why, for any Kafka cluster"),
        "get-offsets": Tool("get_offsets", "print the offsets of partitions, first, last or at a time"),
    },
    "Topics and records": {
        "topics": Tool("topics", "list, create, describe, extend and delete topics"),
        "console-consumer": Tool("console_consumer", "print the records of a topic"),
        "console-share-consumer": Tool(
            "console_share_consumer", "print and acknowledge the records of a topic, in a share group"
        ),
        "console-producer": Tool("console_producer", "write lines of stdin to a topic"),
        "delete-records": Tool("delete_records", "delete the records of partitions before an offset"),
        "transactions": Tool("transactions", "list, describe and abort transactions"),
    },
    "Brokers and files": {
        "broker-api-versions": Tool("broker_api_versions", "print the APIs and versions of each broker"),
        "acls": Tool("acls", "list, add and remove ACLs"),
        "configs": Tool("configs", "show and change settings, SCRAM users and quotas"),
        "features": Tool("features", "show and change the levels of features"),
        "log-dirs": Tool("log_dirs", "print the size of partitions on disk"),
        "dump-log": Tool("dump.dump_log", "print the content of segment files, ours or Kafka's"),
    },
    "Load and checks": {
        "producer-perf-test": Tool("producer_perf_test", "write records as fast as possible"),
        "consumer-perf-test": Tool("consumer_perf_test", "read records as fast as possible"),
        "verifiable-producer": Tool("verifiable_producer", "write numbers, and print each as JSON"),
        "verifiable-consumer": Tool("verifiable_consumer", "read in a group, and print events as JSON"),
    },
    "Set up": {
        "install-shims": Tool("set_up", "install these tools under the names of Kafka's", "install_shims"),
        "monitoring": Tool(
            "set_up", "print alert rules, a dashboard, and Prometheus' configuration", "monitoring"
        ),
        "completion": Tool(
            "set_up", "print a script that completes command lines: bash, zsh or fish", "completion"
        ),
    },
}
COMMANDS: Final[dict[str, Tool]] = {name: tool for tools in GROUPED.values() for name, tool in tools.items()}
NOT_OF_KAFKA: Final = ("explain-log", "watch", "install-shims", "monitoring", "completion")
HELP_WIDTH: Final = 24


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command. Return the exit code: 0 for success, 1 for failure, 2 for a wrong command line."""
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
    if command in ("serve", *NOT_OF_KAFKA) and given[1:] == ["--version"]:  # Kafka's tools print their own
        command, given = "--version", given[1:]
    if command in COMMANDS:
        tool = COMMANDS[command]
        try:
            module = importlib.import_module(f"tidemark_tools.{tool.module}")
            code: int = getattr(module, tool.function)(given[1:])
        except KeyboardInterrupt:
            return INTERRUPTED
        return code
    if command and command != "serve" and not command.startswith("-"):
        from tidemark.settings.setting import closest

        commands = ["serve", *COMMANDS]
        print(f"tidemark: there is no command {command!r}{closest(command, commands)}", file=sys.stderr)
        print(f"Commands: {', '.join(commands)}", file=sys.stderr)
        return USAGE_ERROR
    if not given or given[0] in ("-h", "--help"):
        print(help_text())
        return 0 if given else USAGE_ERROR
    gc.disable()  # a start leaves no garbage; `loading` (node/environment.py) enables it
    try:
        chosen = parser().parse_args(given)
        from tidemark_tools.serve import serve

        return serve(chosen)
    finally:
        gc.enable()


def help_text() -> str:
    """Return the help of the command itself: its commands by group."""
    lines = [
        "usage: tidemark [--version] COMMAND ...",
        "",
        "A small Kafka-compatible broker and group coordinator. `tidemark COMMAND --help` lists its options.",
    ]
    for title, tools in {"Broker": {"serve": Tool("serve", "run a broker")}, **GROUPED}.items():
        lines += ["", f"{title}:", *(f"  {name:<{HELP_WIDTH}}{tool.help}" for name, tool in tools.items())]
    return "\n".join(lines)


def parser() -> argparse.ArgumentParser:
    """Return the parser of `tidemark serve` and of options without a command."""
    import argparse

    made = argparse.ArgumentParser(prog="tidemark", allow_abbrev=False)
    made.add_argument("--version", action="version", version=f"tidemark {__version__}")
    commands = made.add_subparsers(dest="command", title="commands", metavar="COMMAND", required=True)
    add_serve(commands.add_parser("serve", help="run a broker", allow_abbrev=False))
    return made


def add_serve(serve: argparse.ArgumentParser) -> None:
    """Add the options of `tidemark serve`."""
    from pathlib import Path

    from tidemark_tools import origins

    serve.description = (
        "Settings have Kafka's names. They are read from the files, then from KAFKA_* variables, then from "
        "--set; the last value counts."
    )
    add = serve.add_argument
    add(
        "--config",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="a server.properties; repeatable",
    )
    add("--set", action="append", default=[], metavar="KEY=VALUE", help="one setting; repeatable")
    add("--data-dir", metavar="DIR", help="the directory for all data (log.dirs)")
    origins.add_options(serve)
    add("--port", type=_port, metavar="N", help="port of the first listener; 0: any free one")
    add("--http-port", type=_port, metavar="N", help="port of tidemark.http.listener; 0: any free one")
    add("--ready-file", type=Path, metavar="FILE", help="write one JSON object here once the broker is ready")
    add(
        "--stop-with-parent",
        action="store_true",
        help="stop when the process that has started this one ends, or closes the pipe that is stdin",
    )
    add("--as", dest="release", metavar="X", help="behave like this release of Kafka: 4.3, 4.0, 3.9, ...")
    add(
        "--brokers",
        type=int,
        metavar="N",
        help="nodes of the cluster, each with a port of its own (default: 1)",
    )
    add("--test-api", action="store_true", help="let tests move time, and restore snapshots")


def _port(text: str) -> int:
    import argparse

    port = int(text) if text.isascii() and text.isdecimal() else -1
    if not 0 <= port <= 65535:
        raise argparse.ArgumentTypeError(f"must be a port from 0 to 65535, got {text!r}")
    return port


def give_up_stdout() -> None:
    """Redirect stdout to the null device, so that the interpreter's last flush does not fail."""
    _give_up(sys.stdout)


def give_up_streams() -> None:
    """Redirect stdout to the null device, and also stderr if its reader has closed it."""
    give_up_stdout()
    try:
        sys.stderr.flush()
    except BrokenPipeError:
        _give_up(sys.stderr)


def _give_up(stream: TextIO) -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


class Terminated(Exception):
    """The process got a SIGTERM."""


def raise_at_sigterm() -> None:
    """Raise Terminated in the main thread at each SIGTERM, so that a tool prints its last lines."""
    signal.signal(signal.SIGTERM, _raise)


def _raise(number: int, frame: FrameType | None) -> NoReturn:
    raise Terminated
