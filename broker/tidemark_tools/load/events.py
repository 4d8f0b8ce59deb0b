"""The JSON lines of the verifiable tools: a time, a name and fields, as Kafka's system tests read them."""

from __future__ import annotations

import json
from typing import Any

from tidemark_tools.client.connection import wall_ms


def emit(name: str, **fields: Any) -> None:
    """Print an event on stdout."""
    event = {"timestamp": wall_ms(), "name": name, **fields}
    print(json.dumps(event, separators=(",", ":"), ensure_ascii=False), flush=True)
