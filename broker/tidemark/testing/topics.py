"""Topics made and deleted over Kafka's protocol, on any Kafka from 2.4 on: what a test needs before its own
client speaks.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Iterable, Mapping
from struct import pack, unpack
from typing import Any, Final

from tidemark.clock import SystemClock
from tidemark_protocol import decode, encode, from_dict, message_class, to_dict
from tidemark_protocol.errors import ErrorCode

TIMEOUT_MS: Final = 30_000
POLL_S: Final = 0.05
CLIENT_ID: Final = b"tidemark-pytest"
# Served by every Kafka from 2.4 to 4.x, and by us whatever release we speak like.
VERSIONS: Final = {"CreateTopics": 5, "DeleteTopics": 4, "Metadata": 9}


class TopicRefused(Exception):
    """The broker did not make the topic. The text names the error."""


def create_topic(bootstrap: str, name: str, partitions: int, configs: Mapping[str, object]) -> None:
    """Returns once every partition has a leader. Raises TopicRefused, OSError."""
    topic = {
        "Name": name,
        "NumPartitions": partitions,
        "ReplicationFactor": -1,
        "Configs": [{"Name": key, "Value": _text(value)} for key, value in configs.items()],
    }
    with _connect(bootstrap) as connection:
        answered = _ask(connection, "CreateTopics", {"Topics": [topic], "timeoutMs": TIMEOUT_MS})
        made = answered["Topics"][0]
        if made["ErrorCode"]:
            code = ErrorCode(made["ErrorCode"])
            raise TopicRefused(f"topic {name}: {code.name}: {made.get('ErrorMessage') or code.text}")
        _await_leaders(connection, name, partitions)


def delete_topics(bootstrap: str, names: Iterable[str]) -> None:
    """Those that are gone already are no error."""
    with _connect(bootstrap) as connection:
        _ask(connection, "DeleteTopics", {"TopicNames": list(names), "TimeoutMs": TIMEOUT_MS})


def _await_leaders(connection: socket.socket, name: str, partitions: int) -> None:
    """A Kafka of several nodes answers CreateTopics before all of them know."""
    clock = SystemClock()
    deadline = clock.steady_ms() + TIMEOUT_MS
    asked = {"Topics": [{"Name": name}], "AllowAutoTopicCreation": False}
    while True:
        found = _ask(connection, "Metadata", asked)["Topics"][0]["Partitions"]
        if len(found) == partitions and all(each["LeaderId"] >= 0 for each in found):
            return
        if clock.steady_ms() > deadline:
            raise TopicRefused(f"topic {name} was made, but not all its partitions have a leader")
        time.sleep(POLL_S)


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _connect(bootstrap: str) -> socket.socket:
    host, _, port = bootstrap.split(",", maxsplit=1)[0].strip().rpartition(":")
    return socket.create_connection((host.strip("[]"), int(port)), timeout=TIMEOUT_MS / 1000)


def _ask(connection: socket.socket, api: str, message: dict[str, Any]) -> dict[str, Any]:
    """One request, one answer. The versions in VERSIONS are flexible or not: the message's class knows."""
    version = VERSIONS[api]
    known = message_class(f"{api}Request")
    flexible = version >= known.FLEXIBLE_FROM
    head = pack(">hhih", known.API_KEY, version, 0, len(CLIENT_ID)) + CLIENT_ID + b"\0" * flexible
    body = encode(f"{api}Request", version, from_dict(f"{api}Request", message))
    connection.sendall(pack(">i", len(head) + len(body)) + head + body)
    size = unpack(">i", _exactly(connection, 4))[0]
    frame = _exactly(connection, size)
    return to_dict(decode(f"{api}Response", version, frame[5 if flexible else 4 :]))


def _exactly(connection: socket.socket, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        chunk = connection.recv(size - len(data))
        if not chunk:
            raise ConnectionError("the broker hung up")
        data += chunk
    return bytes(data)
