"""The form of `--json`: a list of objects, also for one result.

An object has the names of /v1, or else of the fields of Kafka's messages, in snake case; times end in _ms and
sizes in _bytes. None, a value that does not exist or is not known, is null. docs/tools.md lists the names.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from typing import Any, TextIO

from tidemark_tools.client.connection import BrokerEndpoint
from tidemark_tools.options import Parsed

Row = Mapping[str, Any]


def print_json(rows: Iterable[Row]) -> None:
    """Print the rows. A key may also be the title of a column of Kafka's tool, such as `#MEMBERS`."""
    named = [{_key(name): _plain(value) for name, value in row.items()} for row in rows]
    print(json.dumps(named, indent=1, ensure_ascii=False))


def _key(title: str) -> str:
    return title.partition(" (")[0].lower().replace("#", "").replace("-", "_")


def _plain(value: Any) -> Any:
    if isinstance(value, BrokerEndpoint):
        return {"id": value.node_id, "host": value.host, "port": value.port}
    return value


def errors_to(parsed: Parsed) -> TextIO:
    """Return the stream for an error that Kafka's tool prints on stdout: stderr with --json."""
    return sys.stderr if parsed.has("json") else sys.stdout
