"""What a decision is made of: plain data that the runtime writes, replays and responds with.

Deciders and `settle` return a `Result` and change nothing. Only `replay` of its records and events changes
state.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, Final, Generic, Protocol, TypeVar

from tidemark.core.removal import Removal

A = TypeVar("A")


class CloseConnection(Exception):
    """Raised for what Kafka answers by hanging up. The text goes to the log line, never to the client.

    kind is the label under which it is counted (`BadInput` in the catalogue of metrics).
    """

    def __init__(self, reason: str, kind: str = "refused") -> None:
        super().__init__(reason)
        self.kind = kind


class NoResponse:
    """The type of `NO_RESPONSE`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "NO_RESPONSE"


NO_RESPONSE: Final = NoResponse()


class ParkedRequest(Protocol):
    """A request whose response comes later, as the core sees it."""

    @property
    def version(self) -> int: ...


@dataclass(slots=True, eq=True)
class Record:
    """One line of hard state: what the log holds is what `replay` takes.

    key and value are generated record structs; value None is a tombstone. Metadata records have key None.
    producer is set for what a transaction wrote: (producer id, epoch).
    """

    key: Any
    value: Any
    producer: tuple[int, int] | None = None


@dataclass(slots=True)
class Marker:
    """The end of a transaction in one partition of the state's log, as a change like any other.

    coordinator_epoch is written to the log; it is not read back.
    """

    partition: int
    producer_id: int
    producer_epoch: int
    committed: bool
    coordinator_epoch: int = 0


class Event:
    """Base of events about soft state: what a restart may lose because the protocol recovers it."""

    __slots__ = ()


@dataclass(slots=True)
class Released:
    """A parked request that is answered now."""

    pending: ParkedRequest
    response: Any


class Effect:
    """Base of what a decision has to do elsewhere: plain data, carried out by the runtime."""

    __slots__ = ()


@dataclass(slots=True)
class Obligation(Effect):
    """Base of effects in other logs that survive a restart.

    The records of state machine `owner` say that the work is due. Its `settle` returns the obligation and an
    event that the work has begun. A restart loses the event, so `settle` returns the obligation again. Once
    the work is durable, the owner's `fulfilled(key, now)` decides the record that ends the obligation. So the
    work may be done twice, but is never left out.
    """

    owner: str
    key: str


@dataclass(slots=True)
class WriteMarkers(Obligation):
    """End a transaction in these (topic, partition) pairs. Kafka: TransactionMarkerChannelManager."""

    producer_id: int
    producer_epoch: int
    committed: bool
    coordinator_epoch: int
    partitions: tuple[tuple[str, int], ...]


@dataclass(slots=True)
class TopicsDeleted(Effect):
    """Groups forget the offsets of these topics (their names and 16-byte ids, in step)."""

    names: tuple[str, ...]
    topic_ids: tuple[bytes, ...]


@dataclass(slots=True)
class OffsetsTopicCreated(Effect):
    """`__consumer_offsets` exists from now on, with this many partitions."""

    partitions: int


@dataclass(slots=True)
class NotServed(Effect):
    """A client uses a part of Kafka that is not served here. The log tells of it once."""

    client_id: str
    api: str


class Result(Generic[A]):
    """response None: parked, a later Result releases the pending. NO_RESPONSE: none is expected (acks=0).

    removed: the committed offsets that its tombstones forget, each once.
    bodies: of a response that is given again and again, its bytes by version, for the runtime to keep.
    markers: end transactions in the state's log, after the records.
    All records of a result have the same producer.
    """

    __slots__ = ("bodies", "effects", "events", "markers", "records", "released", "removed", "response")

    def __init__(
        self,
        response: A | NoResponse | None = None,
        records: tuple[Record, ...] = (),
        events: tuple[Event, ...] = (),
        released: tuple[Released, ...] = (),
        effects: tuple[Effect, ...] = (),
        bodies: dict[int, bytes] | None = None,
        removed: tuple[Removal, ...] = (),
        markers: tuple[Marker, ...] = (),
    ) -> None:
        self.response = response
        self.records = records
        self.events = events
        self.released = released
        self.effects = effects
        self.bodies = bodies
        self.removed = removed
        self.markers = markers

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Result) and self._parts() == other._parts()

    def __repr__(self) -> str:
        return "Result({!r}, {!r}, {!r}, {!r}, {!r}, {!r})".format(*self._parts())

    def _parts(self) -> tuple[Any, ...]:
        return self.response, self.records, self.events, self.released, self.effects, self.markers


NOTHING: Final[Result[Any]] = Result()


# The return type of a decider that works in steps. It yields how many items a step added to the response, or
# a part of what it decides: a Result without a response, which is accepted before the decider goes on.
Steps = Generator[int | Result[Any], None, A]


PART_RECORDS_MAX: Final = 100  # of a part: they are decided, written and replayed within some milliseconds
