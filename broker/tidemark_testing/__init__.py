"""A broker for tests: the pytest plugin, and `Tidemark` for programs without pytest.

A name is imported when it is first used, so that importing the plugin stays fast.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from tidemark.seeding.calls import NewRecord, Record, Refused
    from tidemark.seeding.document import SeedError
    from tidemark_testing.asynchronous import AsyncTidemark
    from tidemark_testing.client import Tidemark
    from tidemark_testing.container import TidemarkContainer
    from tidemark_testing.isolation import NotAvailable
    from tidemark_testing.requests import NotRecorded
    from tidemark_testing.server import CannotServe
    from tidemark_testing.wire import TopicRefused

_MODULES: Final = {
    "AsyncTidemark": "tidemark_testing.asynchronous",
    "CannotServe": "tidemark_testing.server",
    "NewRecord": "tidemark.seeding.calls",
    "NotAvailable": "tidemark_testing.isolation",
    "NotRecorded": "tidemark_testing.requests",
    "Record": "tidemark.seeding.calls",
    "Refused": "tidemark.seeding.calls",
    "SeedError": "tidemark.seeding.document",
    "Tidemark": "tidemark_testing.client",
    "TidemarkContainer": "tidemark_testing.container",
    "TopicRefused": "tidemark_testing.wire",
}

__all__ = [
    "AsyncTidemark",
    "CannotServe",
    "NewRecord",
    "NotAvailable",
    "NotRecorded",
    "Record",
    "Refused",
    "SeedError",
    "Tidemark",
    "TidemarkContainer",
    "TopicRefused",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_MODULES[name]), name)
