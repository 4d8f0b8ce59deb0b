"""Long transfers leave others their turns of the event loop."""

from __future__ import annotations

from typing import Final

from tidemark.clock import turn

TURN_BYTES: Final = 4 * 1024 * 1024  # moved in about 4 ms: most of it is the kernel giving us memory
PARTITION_BYTES: Final = 8 * 1024  # a partition takes as long as this many bytes, beside its own
NEW_LOG_BYTES: Final = 1024 * 1024  # and so does a directory with its files

__all__ = ["NEW_LOG_BYTES", "PARTITION_BYTES", "TURN_BYTES", "turn"]
