"""The broker's log lines: structlog on stderr, as text or JSON, quiet by default.

Importing structlog takes half as long as starting the broker. So it is imported for the first line that is
written; a line below the level costs one comparison.

A line never blocks the event loop. If nobody reads stderr, lines are dropped and counted.
"""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, TextIO, cast

LEVELS: Final = {"debug": 10, "info": 20, "warning": 30, "error": 40, "critical": 50}
# While poll() reports a pipe as writable, a write of this many bytes does not block (pipe(7): PIPE_BUF).
PIECE_BYTES: Final = 4096
CHARS_MAX: Final = 4096  # of one text


class Log:
    """A logger with the methods of structlog's loggers."""

    __slots__ = ("_format", "_level", "_logger")

    def __init__(self, level: str, form: str) -> None:
        self._level = LEVELS[level]
        self._format = form
        self._logger: Any = None

    def wants(self, level: str) -> bool:
        """Return whether lines of that level are written. Callers check it before expensive work."""
        return LEVELS[level] >= self._level

    def debug(self, event: str, **fields: Any) -> None:
        self._say("debug", event, fields)

    def info(self, event: str, **fields: Any) -> None:
        self._say("info", event, fields)

    def warning(self, event: str, **fields: Any) -> None:
        self._say("warning", event, fields)

    def error(self, event: str, **fields: Any) -> None:
        self._say("error", event, fields)

    def critical(self, event: str, **fields: Any) -> None:
        self._say("critical", event, fields)

    def lifecycle(self, event: str, **fields: Any) -> None:
        """Write a line at any level: the broker has started, or stopped."""
        with suppress(OSError):
            self.prepared().info(event, **fields)

    def prepared(self) -> Any:
        """Return structlog's logger. The first call imports structlog."""
        if self._logger is None:
            self._logger = _structlog(self._format)
        return self._logger

    def _say(self, level: str, event: str, fields: dict[str, Any]) -> None:
        if self.wants(level):
            with suppress(OSError):  # a closed pipe or a full disk behind stderr must not stop the broker
                getattr(self.prepared(), level)(
                    event, **{name: _cut(value) for name, value in fields.items()}
                )


def _cut(value: Any) -> Any:
    """Return a text of bounded length. Names are shorter (`core/log_text.py`)."""
    return f"{value[:CHARS_MAX]}..." if isinstance(value, str) and len(value) > CHARS_MAX else value


class _Stderr:
    """A text stream on a file descriptor that drops the lines whose write would block.

    count_line(n)   returns the line that reports n dropped lines, with its end
    """

    def __init__(self, fd: int, count_line: Callable[[int], str]) -> None:
        self._fd = fd
        self._poll = select.poll()
        self._poll.register(fd, select.POLLOUT)
        self._count_line = count_line
        self._line = ""
        self._cut = False  # the last line was written in part
        self._dropped = 0

    def write(self, text: str) -> int:
        self._line += text
        return len(text)

    def flush(self) -> None:
        """Write the line, or drop it. The number of dropped lines is written before the next line that fits.

        Raises OSError if the reader has closed the pipe, or the disk behind stderr is full.
        """
        line, self._line = self._line, ""
        dropped, self._dropped = self._dropped, self._dropped + 1  # in case that an error is raised
        if dropped:
            if not self._fits(self._count_line(dropped)):
                return
            self._dropped = 1
        if self._fits(line):
            self._dropped = 0

    def _fits(self, line: str) -> bool:
        """Write a line. Return False if that would block; a part of it may be written then."""
        data = ("\n" * self._cut + line).encode("utf-8", "backslashreplace")
        written = 0
        while written < len(data):
            try:
                if not self._poll.poll(0):
                    return False
                # A regular file may take less when the disk fills up, and so may a stderr with O_NONBLOCK.
                written += os.write(self._fd, data[written : written + PIECE_BYTES])
            except BlockingIOError:
                return False
            finally:
                self._cut = self._cut or written > 0
        self._cut = False
        return True


def _stderr(count_line: Callable[[int], str]) -> TextIO | _Stderr:
    """Return the stream for log lines.

    It is stderr itself, whose writes may block, if it is no file, as in some embedders, or on Windows.
    """
    try:
        return _Stderr(sys.stderr.fileno(), count_line)
    except (OSError, AttributeError):  # no file: io.UnsupportedOperation is an OSError; no poll() on Windows
        return sys.stderr


def _structlog(form: str) -> Any:
    import structlog

    json = form == "json"
    render: Any = structlog.processors.JSONRenderer() if json else _console(structlog)

    def count_line(lines: int) -> str:
        fields = {"event": "log lines dropped", "level": "warning", "lines": lines}
        return f"{render(None, 'warning', fields)}\n"

    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            *((structlog.processors.dict_tracebacks,) if json else ()),
            render,
        ],
        logger_factory=structlog.PrintLoggerFactory(cast(TextIO, _stderr(count_line))),
        cache_logger_on_first_use=True,
    )
    return structlog.get_logger()


def _console(structlog: Any) -> Any:
    return structlog.dev.ConsoleRenderer(
        colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback
    )
