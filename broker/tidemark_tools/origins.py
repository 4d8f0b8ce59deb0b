"""`tidemark serve --from DIR`: a broker on a copy of a directory that Apache Kafka wrote.

The node id and the directory of the copy are chosen before the settings are read. Without --data-dir, the
copy is deleted when the broker stops.
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
# In the server.properties of Kafka's broker, these settings describe that broker and not a copy. Its
# advertised listeners, for one, would send the copy's clients to it.
PLACE_SETTINGS: Final = frozenset((
    "advertised.listeners", "broker.id", "control.plane.listener.name", "controller.listener.names",
    "early.start.listeners", "inter.broker.listener.name", "listener.security.protocol.map", "listeners",
    "log.dir", "log.dirs", "metadata.log.dir", "node.id", "process.roles", "security.inter.broker.protocol",
    # Without Kafka's listeners, no client could log in as the principals that its ACLs name.
    "allow.everyone.if.no.acl.found", "authorizer.class.name", "super.users",
))  # fmt: skip


def add_options(serve: argparse.ArgumentParser) -> None:
    serve.add_argument(
        "--from",
        dest="origins",
        action="append",
        default=[],
        type=Path,
        metavar="DIR",
        help="start with a copy of this log directory of Apache Kafka; repeatable",
    )
    serve.add_argument(
        "--at", type=_at, metavar="TIME", help="with --from: the broker's time; default: its newest record's"
    )
    serve.add_argument(
        "--live", action="store_true", help="with --from: time runs, and members and offsets expire, at once"
    )


def check_options(arguments: argparse.Namespace) -> str | None:
    """Return an error message if the options cannot be combined, or None."""
    if not arguments.origins and (arguments.live or arguments.at is not None):
        return "--at and --live need --from DIR: they say how it is opened"
    return None


@contextmanager
def opened(arguments: argparse.Namespace) -> Iterator[tuple[Opening, str, list[str]]]:
    """Yield how the broker opens the directories, its data directory, and settings for it.

    Without --data-dir, the data directory is temporary. Raises DirectoryRefused.
    """
    import tempfile

    from tidemark.clock import SystemClock
    from tidemark.log.takeover import Opening, read_origins

    origins = read_origins(arguments.origins)
    at = arguments.at
    opening = Opening(origins, held=not arguments.live, at_ms=SystemClock().wall_ms() if at == NOW else at)
    flags = [f"node.id={origins[0].node_id}"]
    if arguments.data_dir is not None:
        yield opening, arguments.data_dir, flags
        return
    with tempfile.TemporaryDirectory(prefix="tidemark-") as folder:
        yield opening, folder, flags


def _at(text: str) -> int | str:
    """Parse the word now, ms since the epoch, or ISO text with a time zone."""
    from tidemark_expiry.sentences import DATES_MS

    if text == NOW:
        return NOW
    at_ms = int(text) if text.isascii() and text.isdecimal() else _iso_ms(text)
    if at_ms is None:
        raise argparse.ArgumentTypeError(
            f"must be now, a time like 2026-11-21T10:00:00Z, or ms, got {text!r}"
        )
    if not 0 <= at_ms <= DATES_MS[-1]:
        raise argparse.ArgumentTypeError(f"must be between 1970 and the end of 9999, got {text!r}")
    return at_ms


def _iso_ms(text: str) -> int | None:
    from datetime import datetime

    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return None if moment.tzinfo is None else round(moment.timestamp() * 1000)
