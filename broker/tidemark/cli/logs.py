"""The broker's log lines: structlog on stderr, as text or JSON, quiet by default.

Importing structlog takes half as long as starting the broker. So it is imported for the first line that is
written; a line below the level costs one comparison.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import Any, Final

LEVELS: Final = {"debug": 10, "info": 20, "warning": 30, "error": 40, "critical": 50}


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
                getattr(self.prepared(), level)(event, **fields)


def _structlog(form: str) -> Any:
    import structlog

    json = form == "json"
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            *(
                (structlog.processors.dict_tracebacks, structlog.processors.JSONRenderer())
                if json
                else (_console(structlog),)
            ),
        ],
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    return structlog.get_logger()


def _console(structlog: Any) -> Any:
    return structlog.dev.ConsoleRenderer(
        colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback
    )
