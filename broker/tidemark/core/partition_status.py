"""Whether a partition of a state machine's log is served."""

from __future__ import annotations

from enum import Enum, auto
from typing import Final

from tidemark_protocol.errors import ErrorCode


class PartitionStatus(Enum):
    LOADING = auto()
    ACTIVE = auto()
    FAILED = auto()


SERVICE_ERRORS: Final = {
    PartitionStatus.LOADING: ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
    PartitionStatus.ACTIVE: ErrorCode.NONE,
    PartitionStatus.FAILED: ErrorCode.NOT_COORDINATOR,
}
