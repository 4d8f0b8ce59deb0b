"""A broker for tests: the pytest plugin, and `Tidemark` for programs without pytest.

A name is imported when it is first used, so that importing the plugin stays fast.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from tidemark.faults.model import FaultFields
    from tidemark.seeding.calls import NewRecord, Record, Refused
    from tidemark.seeding.document import SeedError
    from tidemark.server.request_journal import Outcome
    from tidemark_protocol.names import ApiName, ErrorName
    from tidemark_testing.asynchronous import (
        AsyncChaos,
        AsyncClock,
        AsyncFaults,
        AsyncRequests,
        AsyncSetFault,
        AsyncTidemark,
    )
    from tidemark_testing.audit import Finding
    from tidemark_testing.chaos import CHAOS_EVENTS, Chaos, ChaosEvent
    from tidemark_testing.client import Clock, Tidemark, TidemarkFactory
    from tidemark_testing.container import TidemarkContainer
    from tidemark_testing.faults import Faults, SetFault
    from tidemark_testing.isolation import NotAvailable
    from tidemark_testing.metrics import Metrics
    from tidemark_testing.requests import NotRecorded, RecordedRequest, Requests
    from tidemark_testing.responses import (
        AbortedTransaction,
        Cause,
        EndedSession,
        Group,
        GroupType,
        Lag,
        Member,
        Moved,
        Offset,
        PartitionLag,
        PendingOffset,
        Removal,
        RequestedTopic,
        ShareCause,
        SharePartition,
        ShareRecords,
        ShareState,
        TopicPartition,
        Transaction,
        TransactionPartition,
    )
    from tidemark_testing.server import CannotServe, Mode
    from tidemark_testing.wire import TopicRefused
    from tidemark_tools.http_api import ApiError

_MODULES: Final = {
    "AbortedTransaction": "tidemark_testing.responses",
    "ApiError": "tidemark_tools.http_api",
    "ApiName": "tidemark_protocol.names",
    "AsyncChaos": "tidemark_testing.asynchronous",
    "AsyncClock": "tidemark_testing.asynchronous",
    "AsyncFaults": "tidemark_testing.asynchronous",
    "AsyncRequests": "tidemark_testing.asynchronous",
    "AsyncSetFault": "tidemark_testing.asynchronous",
    "AsyncTidemark": "tidemark_testing.asynchronous",
    "CHAOS_EVENTS": "tidemark_testing.chaos",
    "CannotServe": "tidemark_testing.server",
    "Cause": "tidemark_testing.responses",
    "Chaos": "tidemark_testing.chaos",
    "ChaosEvent": "tidemark_testing.chaos",
    "Clock": "tidemark_testing.client",
    "EndedSession": "tidemark_testing.responses",
    "ErrorName": "tidemark_protocol.names",
    "FaultFields": "tidemark.faults.model",
    "Faults": "tidemark_testing.faults",
    "Finding": "tidemark_testing.audit",
    "Group": "tidemark_testing.responses",
    "GroupType": "tidemark_testing.responses",
    "Lag": "tidemark_testing.responses",
    "Member": "tidemark_testing.responses",
    "Metrics": "tidemark_testing.metrics",
    "Mode": "tidemark_testing.server",
    "Moved": "tidemark_testing.responses",
    "NewRecord": "tidemark.seeding.calls",
    "NotAvailable": "tidemark_testing.isolation",
    "NotRecorded": "tidemark_testing.requests",
    "Offset": "tidemark_testing.responses",
    "Outcome": "tidemark.server.request_journal",
    "PartitionLag": "tidemark_testing.responses",
    "PendingOffset": "tidemark_testing.responses",
    "Record": "tidemark.seeding.calls",
    "RecordedRequest": "tidemark_testing.requests",
    "Refused": "tidemark.seeding.calls",
    "Removal": "tidemark_testing.responses",
    "RequestedTopic": "tidemark_testing.responses",
    "Requests": "tidemark_testing.requests",
    "SeedError": "tidemark.seeding.document",
    "SetFault": "tidemark_testing.faults",
    "ShareCause": "tidemark_testing.responses",
    "SharePartition": "tidemark_testing.responses",
    "ShareRecords": "tidemark_testing.responses",
    "ShareState": "tidemark_testing.responses",
    "Tidemark": "tidemark_testing.client",
    "TidemarkContainer": "tidemark_testing.container",
    "TidemarkFactory": "tidemark_testing.client",
    "TopicPartition": "tidemark_testing.responses",
    "TopicRefused": "tidemark_testing.wire",
    "Transaction": "tidemark_testing.responses",
    "TransactionPartition": "tidemark_testing.responses",
}

__all__ = [
    "CHAOS_EVENTS",
    "AbortedTransaction",
    "ApiError",
    "ApiName",
    "AsyncChaos",
    "AsyncClock",
    "AsyncFaults",
    "AsyncRequests",
    "AsyncSetFault",
    "AsyncTidemark",
    "CannotServe",
    "Cause",
    "Chaos",
    "ChaosEvent",
    "Clock",
    "EndedSession",
    "ErrorName",
    "FaultFields",
    "Faults",
    "Finding",
    "Group",
    "GroupType",
    "Lag",
    "Member",
    "Metrics",
    "Mode",
    "Moved",
    "NewRecord",
    "NotAvailable",
    "NotRecorded",
    "Offset",
    "Outcome",
    "PartitionLag",
    "PendingOffset",
    "Record",
    "RecordedRequest",
    "Refused",
    "Removal",
    "RequestedTopic",
    "Requests",
    "SeedError",
    "SetFault",
    "ShareCause",
    "SharePartition",
    "ShareRecords",
    "ShareState",
    "Tidemark",
    "TidemarkContainer",
    "TidemarkFactory",
    "TopicPartition",
    "TopicRefused",
    "Transaction",
    "TransactionPartition",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_MODULES[name]), name)
