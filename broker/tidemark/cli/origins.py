"""`tidemark serve --from DIR`: a broker on a copy of what Apache Kafka wrote, as it was found.

Whose node that was is settled before the settings are read, and so is where the copy goes: one that nobody
named a place for is gone with the broker.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tidemark.log.takeover import Opening

NOW: Final = "now"
# Where the broker that wrote a directory served, and kept it: its server.properties says that of it, not of a
# copy. What is advertised there would send the copy's clients to it.
PLACE_SETTINGS: Final = frozenset((
    "advertised.listeners", "broker.id", "control.plane.listener.name", "controller.listener.names",
    "early.start.listeners", "inter.broker.listener.name", "listener.security.protocol.map", "listeners",
    "log.dir", "log.dirs", "metadata.log.dir", "node.id", "process.roles", "security.inter.broker.protocol",
))  # fmt: skip


def add_options(serve: argparse.ArgumentParser) -> None:
    serve.add_argument(
        "--from",
        dest="origins",
        action="append",
        default=[],
        type=Path,
        metavar="DIR",
        help="begin with a copy of this log directory of Apache Kafka's, as found; repeatable",
    )
    serve.add_argument(
        "--at", type=_at, metavar="TIME", help="with --from: the time then, or now; else its newest record's"
    )
    serve.add_argument(
        "--live", action="store_true", help="with --from: time runs, members expire, offsets go, at once"
    )


def check_options(arguments: argparse.Namespace) -> str | None:
    """What is wrong with them together."""
    if not arguments.origins and (arguments.live or arguments.at is not None):
        return "--at and --live go with --from DIR: they say how it is opened"
    return None


@contextmanager
def opened(arguments: argparse.Namespace) -> Iterator[tuple[Opening, str, list[str]]]:
    """How the broker begins, its data directory, and flags for it. The directory is removed at the end if
    nobody named it. Raises DirectoryRefused.
    """
    import tempfile

    from tidemark.log.found import read_origins
    from tidemark.log.takeover import Opening

    origins = read_origins(arguments.origins)
    at = arguments.at
    opening = Opening(origins, held=not arguments.live, at_ms=_host_ms() if at == NOW else at)
    flags = [f"node.id={origins[0].node_id}"]
    if arguments.data_dir is not None:
        yield opening, arguments.data_dir, flags
        return
    with tempfile.TemporaryDirectory(prefix="tidemark-") as folder:
        yield opening, folder, flags


def _host_ms() -> int:
    from tidemark.clock import SystemClock

    return SystemClock().wall_ms()


def _at(text: str) -> int | str:
    """The word now, ms since the epoch, or ISO text with its time zone."""
    from tidemark_expiry.sentences import DATES_MS

    if text == NOW:
        return NOW
    at_ms = int(text) if text.isascii() and text.isdecimal() else _iso_ms(text)
    if at_ms is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no time: now, 2026-11-21T10:00:00Z, or ms")
    if not 0 <= at_ms <= DATES_MS[-1]:
        raise argparse.ArgumentTypeError(f"{text!r} is not between 1970 and the end of 9999")
    return at_ms


def _iso_ms(text: str) -> int | None:
    from datetime import datetime

    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return None if moment.tzinfo is None else round(moment.timestamp() * 1000)
