"""Denied requests: counted by operation and type of resource, and logged at a bounded rate.

Kafka: the logger `kafka.authorizer.logger`, which logs each denial. Here a client that repeats a denied
request has one line in LOG_MS.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tidemark.core.context import Operation, ResourceType
from tidemark.core.log_text import short

LOG_MS: Final = 60_000
LINES_MAX: Final = 100  # in LOG_MS, over all clients
SOME: Final = "(some)"  # the name in a decision about any resource of a type


def _titles(codes: type) -> dict[int, str]:
    """Kafka: `SecurityUtils.toPascalCase` of the names of the codes."""
    found = {code: name for name, code in vars(codes).items() if isinstance(code, int)}
    return {code: name.title().replace("_", "") for code, name in found.items()}


OPERATIONS: Final = _titles(Operation)
RESOURCE_TYPES: Final = _titles(ResourceType)


class Denials:
    """Counts and logs denials.

    count(operation, resource type): with Kafka's names of both, such as Read and Topic
    log: logs one line with these fields
    """

    def __init__(
        self, count: Callable[[str, str], None], log: Callable[..., None], steady_ms: Callable[[], int]
    ) -> None:
        self._count = count
        self._log = log
        self._steady_ms = steady_ms
        self._since_ms = steady_ms()
        self._logged: set[tuple[str, str, int, int]] = set()

    def add(self, principal: str, host: str, operation: int, resource_type: int, name: str | None) -> None:
        what, kind = OPERATIONS.get(operation, "Unknown"), RESOURCE_TYPES.get(resource_type, "Unknown")
        self._count(what, kind)
        now_ms = self._steady_ms()
        if now_ms >= self._since_ms + LOG_MS:
            self._since_ms = now_ms
            self._logged.clear()
        key = principal, host, operation, resource_type
        if key in self._logged or len(self._logged) >= LINES_MAX:
            return
        self._logged.add(key)
        self._log(
            principal=short(principal), client=host, operation=what, resource=f"{kind}:{short(name or SOME)}"
        )
