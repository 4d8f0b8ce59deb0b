"""What a decision is made of: plain data that the runtime writes down, replays and answers with.

Deciders and `settle` return a `Result` and change nothing. `replay` of its records and notes is the only
mutator.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, Generic, Protocol, TypeVar

from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.records.offset_commit import OffsetCommitValue

A = TypeVar("A")


class CloseConnection(Exception):
    """Raised for what Kafka answers by hanging up. The text goes to the log line, never to the client.

    kind is the label under which it is counted (`BadInput` in the catalogue of metrics).
    """

    def __init__(self, reason: str, kind: str = "refused") -> None:
        super().__init__(reason)
        self.kind = kind


class NoAnswer:
    """The type of `NO_ANSWER`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "NO_ANSWER"


NO_ANSWER: Final = NoAnswer()


class Ticket(Protocol):
    """The place of one answer among its connection's answers. The core sees no more than the version."""

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
    """The end of a transaction in one partition of the state's log, as a change like any other."""

    partition: int
    producer_id: int
    producer_epoch: int
    committed: bool


class Note:
    """Base of events about soft state: what a restart may lose because the protocol recovers it."""

    __slots__ = ()


@dataclass(slots=True)
class Reply:
    """A parked request that is answered now."""

    ticket: Ticket
    response: Any


class Effect:
    """Base of what a decision has to do elsewhere: plain data, carried out by the runtime."""

    __slots__ = ()


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


class Cause(StrEnum):
    """Why a committed offset is gone. The value is its name in JSON, log lines and metrics."""

    EXPIRED = "expired"
    OFFSET_DELETE = "offset_delete"
    GROUP_DELETE = "group_delete"
    TOPIC_DELETE = "topic_delete"


@dataclass(slots=True)
class Removal:
    """A committed offset that a tombstone of the same Result forgets: what it was, and why it goes.

    Times are wall time. rule, since_ms and due_ms: of what expired (`retention.Expiry`).
    """

    at_ms: int
    group: str
    topic: str
    partition: int
    offset: int
    leader_epoch: int
    metadata: str
    committed_ms: int
    cause: Cause
    rule: str | None = None
    since_ms: int | None = None
    due_ms: int | None = None

    @classmethod
    def of(
        cls,
        group_id: str,
        where: tuple[str, int],
        value: OffsetCommitValue,
        cause: Cause,
        at_ms: int,
        *,
        rule: str | None = None,
        since_ms: int | None = None,
        due_ms: int | None = None,
    ) -> Removal:
        return cls(
            at_ms, group_id, *where, value.offset, value.leader_epoch, value.metadata, value.commit_timestamp,
            cause, rule, since_ms, due_ms,
        )  # fmt: skip


class Result(Generic[A]):
    """response None: parked, a later Result releases the ticket. NO_ANSWER: none is expected (acks=0).

    removed: the committed offsets that its tombstones forget, each once.
    bodies: of a response that is given again and again, its bytes by version, for the runtime to keep.
    """

    __slots__ = ("bodies", "effects", "notes", "records", "released", "removed", "response")

    def __init__(
        self,
        response: A | NoAnswer | None = None,
        records: tuple[Record, ...] = (),
        notes: tuple[Note, ...] = (),
        released: tuple[Reply, ...] = (),
        effects: tuple[Effect, ...] = (),
        bodies: dict[int, bytes] | None = None,
        removed: tuple[Removal, ...] = (),
    ) -> None:
        self.response = response
        self.records = records
        self.notes = notes
        self.released = released
        self.effects = effects
        self.bodies = bodies
        self.removed = removed

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Result) and self._parts() == other._parts()

    def __repr__(self) -> str:
        return "Result({!r}, {!r}, {!r}, {!r}, {!r})".format(*self._parts())

    def _parts(self) -> tuple[Any, ...]:
        return self.response, self.records, self.notes, self.released, self.effects


NOTHING: Final[Result[Any]] = Result()

# The return type of a decider that works in steps. It yields how many items a step added to the response, or
# a part of what it decides: a Result without a response, which is accepted before the decider goes on.
Steps = Generator[int | Result[Any], None, A]
PART_RECORDS_MAX: Final = 100  # of a part: they are decided, written and replayed within some milliseconds


NOTHING_DUE: Final = -(2**63)


@dataclass(slots=True, frozen=True)
class Now:
    """Both timelines at one moment, in milliseconds. Wall is written down, steady is waited for.

    due_ms  deadlines up to here (steady) have passed. Requests that arrived by then were read, but for those
            behind more requests of their connection than two turns of the loop allow (`Turns`), or behind one
            that is not answered yet. A request makes no deadline pass, since heartbeats that arrived with it
            may still be unread
    """

    wall_ms: int
    steady_ms: int
    due_ms: int = NOTHING_DUE


class Operation:
    """Kafka's AclOperation codes."""

    READ: Final = 3
    WRITE: Final = 4
    CREATE: Final = 5
    DELETE: Final = 6
    ALTER: Final = 7
    DESCRIBE: Final = 8
    CLUSTER_ACTION: Final = 9
    DESCRIBE_CONFIGS: Final = 10
    ALTER_CONFIGS: Final = 11
    IDEMPOTENT_WRITE: Final = 12


class ResourceType:
    """Kafka's ResourceType codes."""

    TOPIC: Final = 2
    GROUP: Final = 3
    CLUSTER: Final = 4
    TRANSACTIONAL_ID: Final = 5


CLUSTER_NAME: Final = "kafka-cluster"


def everything_is_allowed(operation: int, resource_type: int, name: str) -> bool:
    """The authorizer of a broker without one."""
    return True


class Context:
    """What a decider may know beyond state and request. One serves all requests of a chunk of bytes.

    wall_ms, steady_ms   now, on both timelines
    version              of the request
    client_id            "" where the client sent null
    client_host          as Kafka writes it: "/127.0.0.1"
    host, port           where this client was told to reach us
    listener             the name of the listener it came in by
    ticket               the place of the answer: park it in a note to answer later
    cluster              the Cluster state, read-only
    served               (API key, lowest, highest version) of every API that is served, by key
    features_epoch       the metadata offset at which the features stand
    new_id()             a fresh random UUID as text
    turns, unsent        for handlers of kind transfer: `await ctx.turns.rest()` once `ctx.turns.over()`, and
                         how much memory responses may take
    allowed(operation, resource_type, name)   True where authorization permits
    """

    __slots__ = (
        "allowed",
        "client_host",
        "client_id",
        "cluster",
        "features_epoch",
        "host",
        "listener",
        "new_id",
        "port",
        "principal",
        "served",
        "steady_ms",
        "ticket",
        "turns",
        "unsent",
        "version",
        "wall_ms",
    )

    def __init__(
        self,
        *,
        wall_ms: int,
        steady_ms: int,
        version: int,
        ticket: Ticket | None = None,
        client_id: str = "",
        client_host: str = "/127.0.0.1",
        host: str = "127.0.0.1",
        port: int = 9092,
        listener: str = "PLAINTEXT",
        principal: str = "User:ANONYMOUS",
        cluster: Any = None,
        served: tuple[tuple[int, int, int], ...] = (),
        features_epoch: int = 0,
        new_id: Callable[[], str] | None = None,
        allowed: Callable[[int, int, str], bool] = everything_is_allowed,
        turns: Any = None,
        unsent: Any = None,
    ) -> None:
        self.wall_ms = wall_ms
        self.steady_ms = steady_ms
        self.version = version
        self.ticket = ticket
        self.client_id = client_id
        self.client_host = client_host
        self.host = host
        self.port = port
        self.listener = listener
        self.principal = principal
        self.cluster = cluster
        self.served = served
        self.features_epoch = features_epoch
        self.new_id: Callable[[], str] = new_id if new_id is not None else _no_ids
        self.allowed = allowed
        self.turns = turns
        self.unsent = unsent

    def copy(self) -> Context:
        """For a request that outlives its chunk of bytes."""
        return Context(
            wall_ms=self.wall_ms,
            steady_ms=self.steady_ms,
            version=self.version,
            ticket=self.ticket,
            client_id=self.client_id,
            client_host=self.client_host,
            host=self.host,
            port=self.port,
            listener=self.listener,
            principal=self.principal,
            cluster=self.cluster,
            served=self.served,
            features_epoch=self.features_epoch,
            new_id=self.new_id,
            allowed=self.allowed,
            turns=self.turns,
            unsent=self.unsent,
        )

    @property
    def now(self) -> Now:
        return Now(self.wall_ms, self.steady_ms)


def _no_ids() -> str:
    raise AssertionError("this context was built without ids")


__all__ = [
    "CLUSTER_NAME",
    "NOTHING",
    "NO_ANSWER",
    "Cause",
    "CloseConnection",
    "Context",
    "Effect",
    "ErrorCode",
    "Marker",
    "NoAnswer",
    "NotServed",
    "Note",
    "Now",
    "OffsetsTopicCreated",
    "Operation",
    "Record",
    "PART_RECORDS_MAX",
    "Removal",
    "Reply",
    "ResourceType",
    "Result",
    "Steps",
    "Ticket",
    "TopicsDeleted",
]
