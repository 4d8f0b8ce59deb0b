"""Shared code of the children: each drives one client library, and exchanges lines of JSON with the test.

A command is one line on stdin, `{"do": NAME, ...arguments}`; facts go to stdout, one object per line,
each with `event` and `at`, the machine's monotonic time, by which facts of several children can be ordered.

    create_topic topic partitions            -> created
    produce topic codec first count          -> acked (after each flush: how many so far), produced
    committed group topic partitions         -> committed_offsets: partition -> offset, -1 for none
    consume topic group client_id            -> assigned, revoked, records, committed, commit_failed;
                                                until the next line on stdin: closed

Record number n has the key `key-n`, the value `value-n` and the headers `codec` and `n`.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Iterable
from typing import Any, Protocol

FLUSH_EVERY = 100
POLL_MS = 200
POLL_RECORDS = 200
SESSION_TIMEOUT_MS = 3000
HEARTBEAT_MS = 300


class Client(Protocol):
    def create_topic(self, topic: str, partitions: int) -> None: ...

    def produce(self, topic: str, codec: str, first: int, count: int) -> None: ...

    def committed(self, group: str, topic: str, partitions: int) -> dict[int, int]: ...

    def consume(self, topic: str, group: str, client_id: str, stopping: threading.Event) -> None: ...


def serve(client: Client) -> None:
    """Run commands until stdin ends."""
    for line in sys.stdin:
        command: dict[str, Any] = json.loads(line)
        match command.pop("do"):
            case "create_topic":
                client.create_topic(**command)
                tell("created")
            case "produce":
                client.produce(**command)
                tell("produced")
            case "committed":
                tell("committed_offsets", offsets=client.committed(**command))
            case "consume":
                client.consume(**command, stopping=next_line())
                tell("closed")


def next_line() -> threading.Event:
    """Return an event that is set by the next line on stdin, or by its end."""
    stopping = threading.Event()

    def wait() -> None:
        sys.stdin.readline()
        stopping.set()

    threading.Thread(target=wait, daemon=True).start()
    return stopping


def tell(event: str, **facts: Any) -> None:
    sys.stdout.write(json.dumps({"event": event, "at": time.monotonic(), **facts}) + "\n")
    sys.stdout.flush()


def tell_records(records: Iterable[tuple[int, int, bytes, bytes, Iterable[tuple[str, bytes]]]]) -> None:
    """Report (partition, offset, key, value, headers) of the records of one poll."""
    rows = [
        [partition, offset, key.decode(), value.decode(), {name: text.decode() for name, text in headers}]
        for partition, offset, key, value, headers in records
    ]
    if rows:
        tell("records", records=rows)


def key_of(n: int) -> bytes:
    return b"key-%d" % n


def value_of(n: int) -> bytes:
    return b"value-%d" % n


def headers_of(n: int, codec: str) -> list[tuple[str, bytes]]:
    return [("codec", codec.encode()), ("n", b"%d" % n)]
