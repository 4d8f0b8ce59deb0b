"""Standard streams whose readers have closed them."""

from __future__ import annotations

import os
import sys
from typing import TextIO


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
