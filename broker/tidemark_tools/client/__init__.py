"""The wire client of the command-line tools, with names for other programs.

A name is imported when it is first used: the broker needs none of them, and confluent-kafka is optional.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from tidemark_tools.client.age_aware import AgeAwareConsumer
    from tidemark_tools.client.client import Client
    from tidemark_tools.client.errors import (
        ClientError,
        ConfigError,
        ErrorResponse,
        Unreachable,
        UnsupportedVersion,
    )
    from tidemark_tools.client.topics import PartitionDescription, TopicDescription, describe_topics

_ERRORS: Final = ("ClientError", "ConfigError", "ErrorResponse", "Unreachable", "UnsupportedVersion")
_MODULES: Final = {
    "AgeAwareConsumer": "age_aware",
    "Client": "client",
    "PartitionDescription": "topics",
    "TopicDescription": "topics",
    "describe_topics": "topics",
    **dict.fromkeys(_ERRORS, "errors"),
}

__all__ = [
    "AgeAwareConsumer",
    "Client",
    "ClientError",
    "ConfigError",
    "ErrorResponse",
    "PartitionDescription",
    "TopicDescription",
    "Unreachable",
    "UnsupportedVersion",
    "describe_topics",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
