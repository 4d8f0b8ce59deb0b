"""The wire client of the command-line tools, with names for other programs.

A name is imported when it is first used: the broker needs none of them, and confluent-kafka is optional.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from tidemark_tools.client.age_aware import AgeAwareConsumer as AgeAwareConsumer
    from tidemark_tools.client.client import Client as Client
    from tidemark_tools.client.errors import ClientError as ClientError
    from tidemark_tools.client.errors import ConfigError as ConfigError
    from tidemark_tools.client.errors import ErrorResponse as ErrorResponse
    from tidemark_tools.client.errors import Unreachable as Unreachable
    from tidemark_tools.client.errors import UnsupportedVersion as UnsupportedVersion
    from tidemark_tools.client.topics import PartitionDescription as PartitionDescription
    from tidemark_tools.client.topics import TopicDescription as TopicDescription
    from tidemark_tools.client.topics import describe_topics as describe_topics

_MODULES: Final = {
    "AgeAwareConsumer": "age_aware",
    "Client": "client",
    **dict.fromkeys(("PartitionDescription", "TopicDescription", "describe_topics"), "topics"),
    **dict.fromkeys(
        ("ClientError", "ConfigError", "ErrorResponse", "Unreachable", "UnsupportedVersion"), "errors"
    ),
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
