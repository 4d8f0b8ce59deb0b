"""Methods of the fixture that write and read records, and that create what a test starts with."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, TypeVar

from tidemark.seeding.calls import Exchange, NewRecord, Record, Refused, Selection, produce, read
from tidemark.seeding.document import Seed, new_record, read_seed, sow
from tidemark_protocol.errors import ErrorCode
from tidemark_testing.broker import Broker
from tidemark_testing.wire import TIMEOUT_S, carry_out
from tidemark_tools.client.connection import now_s, wall_ms

__tracebackhide__ = True

T = TypeVar("T")

POLL_S: Final = 0.01
READ_S: Final = 1.0  # for a read that begins when the timeout is almost over
SEED_S: Final = 60.0
SHOWN: Final = 3  # records that a message shows

Bytes = bytes | str | None
Headers = Mapping[str, Bytes] | Sequence[tuple[str, Bytes]]


class RecordMethods(Broker):
    """Records, over Kafka's protocol: they work with any Kafka, and need no client library."""

    def produce(
        self,
        topic: str,
        *values: Bytes | NewRecord,
        key: Bytes = None,
        headers: Headers | None = None,
        timestamp: int | None = None,
        partition: int | None = None,
        timeout: float = TIMEOUT_S,
    ) -> list[Record]:
        """Write a record for each value, and return them with their offsets.

        values: bytes, text (stored as UTF-8), None for a tombstone, or `NewRecord` for one with fields of its
        own. key, headers, timestamp (milliseconds since the epoch) and partition apply to every plain value.
        Without a partition, the hash of the key selects it, as in Kafka's clients; records without a key go
        to the partitions in turn, beginning with 0. A topic that does not exist is created if
        auto.create.topics.enable is true, which is the default. Raises Refused with Kafka's error, or
        ClientError if the broker has not stored the records after `timeout` seconds.
        """
        common = {"key": key, "headers": headers, "timestamp": timestamp, "partition": partition}
        new = [
            value if isinstance(value, NewRecord) else new_record("produce()", {"value": value, **common})
            for value in values
        ]
        return self._carry_out(produce(self.name(topic), new, wall_ms()), timeout)

    def records(
        self,
        topic: str,
        partition: int | None = None,
        *,
        count: int | None = None,
        from_offset: int | None = None,
        committed: bool = False,
        timeout: float = 10.0,
    ) -> list[Record]:
        """Return the records of a topic, by partition and offset.

        count: wait until there are at least so many, also for a topic or a partition that does not exist yet;
        raises AssertionError after `timeout` seconds. Without it, those are returned that are there now, and
        Refused is raised if the topic does not exist. from_offset: skip records before it. committed: skip
        records of open and aborted transactions, as isolation.level=read_committed does. Raises ClientError
        if the broker does not respond within `timeout` seconds.
        """
        selection = Selection(partition, from_offset, committed)
        deadline = now_s() + timeout
        while True:
            found, missing = self._read(topic, selection, max(deadline - now_s(), READ_S), count)
            if missing is None and (count is None or len(found) >= count):
                return found
            if now_s() >= deadline:
                why = _shown(found) if missing is None else f". {missing}"
                raise AssertionError(
                    f"{topic} has {len(found)} records after {timeout:g} s, not {count}{why}"
                )
            time.sleep(POLL_S)

    def _read(
        self, topic: str, selection: Selection, timeout_s: float, count: int | None
    ) -> tuple[list[Record], Refused | None]:
        """Return the records, or with a count, the error if the topic or partition does not exist yet."""
        try:
            return self._carry_out(read(self.name(topic), selection), timeout_s), None
        except Refused as error:
            if count and error.code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
                return [], error
            raise

    def create_topics(
        self, seed: Mapping[str, Any] | str | Path, *, timeout: float = SEED_S
    ) -> dict[str, str]:
        """Create topics with records, and commit offsets, as declared. Return the topics' names in this test.

        seed: a mapping, or the path of a .yaml or .json file with the same content:

            {"topics": {"orders": {"partitions": 2, "configs": {...}, "records": ["one order", {...}]}},
             "groups": {"billing": {"orders": {0: 1, 1: 0}}}}

        Raises SeedError, whose message is one line that names the wrong place. Then nothing was created,
        unless it was the broker that refused an entry, or that has not done everything after `timeout`
        seconds, which raises ClientError.
        """
        if isinstance(seed, Mapping):
            checked = read_seed(seed)
        else:
            from tidemark_testing.seed_files import read_seed_file

            checked = read_seed_file(Path(seed))
        names = {name: self.name(name) for name in checked.topics}
        self.topics_made += names.values()
        self._carry_out(sow(self._renamed(checked), wall_ms()), timeout)
        return names

    def _carry_out(self, exchange: Exchange[T], timeout_s: float) -> T:
        with self._naming_faults():
            return carry_out(self.bootstrap_servers, exchange, self.server_state.client_settings, timeout_s)

    def _renamed(self, seed: Seed) -> Seed:
        """Return the seed with the names of this test."""
        groups = {
            self.name(group): {(self.name(topic), at): new for (topic, at), new in offsets.items()}
            for group, offsets in seed.groups.items()
        }
        return replace(
            seed, topics={self.name(name): each for name, each in seed.topics.items()}, groups=groups
        )


def _shown(found: list[Record]) -> str:
    if not found:
        return ""
    shown = ", ".join(f"{each.partition}:{each.offset} {each.value!r:.60}" for each in found[-SHOWN:])
    return f". The last are {shown}"
