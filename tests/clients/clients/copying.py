"""Shared code of the clients that copy records between two topics in transactions, with the offsets.

Each process drives one client library. Commands and facts are lines of JSON, as in child.py:

    copy source target group transactional_id partitions protocol abort_every
        -> ready, then for every transaction begun, sent, offsets, and committed or aborted.
           It has no end. If the library cannot go on: failed, and the process ends.
    read topic count
        -> read: [partition, offset, value] of each committed record, up to the value END in
           all (count) partitions

The copy of a record has the value PARTITION:OFFSET, by which its source is known.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from dataclasses import dataclass
from typing import Any, Protocol

import child

BATCH = 10
TARGET_PARTITIONS = 2
TRANSACTION_TIMEOUT_MS = 6000
POLL_MS = child.POLL_MS
END = b"end"
DEADLINE_S = 60  # of one call, which waits while the broker is down
Row = tuple[int, int, str]
tell = child.tell


@dataclass(frozen=True)
class Job:
    """partitions: those of the source for clients that do not join the group. protocol: of the group."""

    source: str
    target: str
    group: str
    transactional_id: str
    partitions: list[int]
    protocol: str
    abort_every: int

    def aborts(self, number: int) -> bool:
        """Return whether the transaction with this number, from 0 on, is aborted on purpose."""
        return number % self.abort_every == self.abort_every - 1


class Library(Protocol):
    def copy(self, job: Job) -> None: ...

    def read(self, topic: str, count: int) -> list[Row]: ...


class Failed(Exception):
    """The transaction could not be ended: the producer is fenced, or in another state without return."""


def serve(library: Library) -> None:
    for line in sys.stdin:
        command: dict[str, Any] = json.loads(line)
        match command.pop("do"):
            case "copy":
                try:
                    library.copy(Job(**command))
                except Failed as failed:
                    traceback.print_exc()
                    tell("failed", error=repr(failed.__cause__))
                    os._exit(0)  # without the library's own end, which would abort the transaction
            case "read":
                tell("read", records=library.read(**command))


def value_of(partition: int, offset: int) -> bytes:
    return b"%d:%d" % (partition, offset)


def target_of(offset: int) -> int:
    return offset % TARGET_PARTITIONS


class Rows:
    """The records of a topic, until END was read in every partition."""

    def __init__(self, partitions: int) -> None:
        self.rows: list[Row] = []
        self._left = set(range(partitions))

    def add(self, partition: int, offset: int, value: bytes) -> None:
        if value == END:
            self._left.discard(partition)
        else:
            self.rows.append((partition, offset, value.decode()))

    @property
    def complete(self) -> bool:
        return not self._left
