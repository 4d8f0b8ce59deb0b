"""SIGTERM as an exception, so that a tool that runs without end prints its last lines."""

from __future__ import annotations

import signal
from types import FrameType
from typing import Final, NoReturn

TERMINATED: Final = 128 + signal.SIGTERM
INTERRUPTED: Final = 128 + signal.SIGINT


class Terminated(Exception):
    """The process got a SIGTERM."""


def raise_at_sigterm() -> None:
    """Raise Terminated in the main thread at each SIGTERM."""
    signal.signal(signal.SIGTERM, _raise)


def _raise(number: int, frame: FrameType | None) -> NoReturn:
    raise Terminated
