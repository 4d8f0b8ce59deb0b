"""The last warnings and errors that a node has logged, so that `/v1/broker` can list them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from tidemark.core.log_text import short

KEPT_MAX: Final = 50
LEVELS: Final = ("warning", "error", "critical")


class RecentWarnings:
    """A logger that keeps the last KEPT_MAX lines of the level warning and above, at any level of the log.

    count: the number of such lines since the start
    """

    def __init__(self, logger: Any, wall_ms: Callable[[], int]) -> None:
        """wall_ms: the time of the host."""
        self._logger = logger
        self._wall_ms = wall_ms
        self._kept: deque[dict[str, Any]] = deque(maxlen=KEPT_MAX)
        self.count = 0

    def __getattr__(self, name: str) -> Any:
        """Return a method of the logger. Those below the level warning are called without a detour."""
        found = getattr(self._logger, name)
        if name in LEVELS:
            found = partial(self._keep, name, found)
        setattr(self, name, found)
        return found

    def _keep(self, level: str, log: Callable[..., None], event: str, **fields: Any) -> None:
        self.count += 1
        texts = {name: short(str(value)) for name, value in fields.items()}
        self._kept.append({"at_ms": self._wall_ms(), "level": level, "event": event, "fields": texts})
        log(event, **fields)

    def newest_first(self) -> list[dict[str, Any]]:
        return list(reversed(self._kept))
