"""Decisions: plain data that the coordinator writes, replays and responds with.

Deciders and `settle` return a `Decision` and change nothing. The coordinator replays its records, which
changes hard state, and then calls its functions that change soft state.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator, Sequence
from enum import StrEnum
from heapq import merge
from sys import getsizeof
from typing import Any, Final, Generic, Protocol, TypeVar

from msgspec import Struct

from tidemark.late_dataclass import dataclass
from tidemark_protocol.records.offset_commit import OffsetCommitValue


class Cause(StrEnum):
    """Why a committed offset was deleted. The value is its name in JSON, log lines and metrics."""

    EXPIRED = "expired"
    OFFSET_DELETE = "offset_delete"
    GROUP_DELETE = "group_delete"
    TOPIC_DELETE = "topic_delete"


@dataclass(slots=True)
class Removal:
    """A committed offset that a tombstone of the same Decision deletes, and the reason.

    Times are wall time. rule, since_ms and due_ms are set if it expired (`retention.Expiry`). inferred: the
    cause follows from the log of another cluster, which does not record causes.
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
    inferred: bool = False

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
        inferred: bool = False,
    ) -> Removal:
        return cls(
            at_ms, group_id, *where, value.offset, value.leader_epoch, value.metadata, value.commit_timestamp,
            cause, rule, since_ms, due_ms, inferred,
        )  # fmt: skip


A = TypeVar("A")


class CloseConnection(Exception):
    """Raised where Kafka responds by closing the connection. The text is logged, never sent to the client.

    kind is the label under which the error is counted (`BadInput` in the catalogue of metrics).
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
    """A request that gets its response later."""

    @property
    def api_version(self) -> int: ...


class Record(Struct):
    """A change of hard state, as the log stores it and `replay` applies it.

    key and value are generated record structs; value None is a tombstone. Metadata records have key None.
    producer is (producer id, epoch) if a transaction wrote the record.
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


@dataclass(slots=True)
class Released:
    """The response to a parked request."""

    pending: ParkedRequest
    response: Any


class Effect:
    """Base of the work that a decision requires outside of its state machine. `Effects` does it."""

    __slots__ = ()


@dataclass(slots=True)
class WriteMarkers(Effect):
    """End a transaction in these (topic, partition) pairs, then decide `Transactions.completed`.

    Kafka: TransactionMarkerChannelManager.

    coordinator   the partition of `__transaction_state` that stores the transaction
    """

    transactional_id: str
    producer_id: int
    producer_epoch: int
    committed: bool
    coordinator: int
    partitions: tuple[tuple[str, int], ...]


@dataclass(slots=True)
class TopicsDeleted(Effect):
    """Topics were deleted: their names, ids (16 bytes each) and numbers of partitions, in the same order."""

    names: tuple[str, ...]
    topic_ids: tuple[bytes, ...]
    partitions: tuple[int, ...]


@dataclass(slots=True)
class DecidePendingOffsets(Effect):
    """A transaction has ended that has very many pending offsets. They are stored or dropped in steps."""


@dataclass(slots=True)
class OffsetsCommitted(Effect):
    """A transaction has committed this many offsets, which are pending now. They are counted."""

    count: int


@dataclass(slots=True)
class OffsetsTopicCreated(Effect):
    """`__consumer_offsets` was created with this many partitions."""

    partitions: int


@dataclass(slots=True)
class TransactionsTopicCreated(Effect):
    """`__transaction_state` was created with this many partitions."""

    partitions: int


@dataclass(slots=True)
class ShareStateTopicCreated(Effect):
    """`__share_group_state` was created with this many partitions."""

    partitions: int


@dataclass(slots=True)
class ConsumerGroupRebalances(Effect):
    """The members or topics of a consumer group or a share group raised its epoch. It has members.

    reason      for the log
    is_counted  whether the metric of the group's type counts it: Kafka does not count an epoch that a leaving
                or fenced member raised
    """

    group_id: str
    epoch: int
    reason: str
    is_counted: bool = True
    group_type: str = "consumer"


@dataclass(slots=True)
class ClassicGroupRebalanced(Effect):
    """A group of the classic protocol begins a generation with members. The last rebalances are kept."""

    group_id: str
    generation: int
    members: int
    reason: str


@dataclass(slots=True)
class ResolveRegularExpressions(Effect):
    """Match topics with the regular expressions of a consumer group, and decide what follows.

    topics_version: the cluster's, when the heartbeat was decided
    allowed(operation, resource_type, name) returns what the member's caller may do
    """

    group_id: str
    regexes: tuple[str, ...]
    topics_version: int
    allowed: Callable[[int, int, str | None], bool]


@dataclass(slots=True)
class RespondLater(Effect):
    """Respond to a parked request after some time."""

    pending: ParkedRequest
    response: Any
    delay_ms: int


@dataclass(slots=True)
class AuthenticationEnded(Effect):
    """A client has authenticated, or failed to. It is counted; a failure is logged.

    failure: the reason, without secrets. None: the client is authenticated
    """

    listener: str
    mechanism: str
    client_host: str
    failure: str | None


After = tuple[Callable[[], None], ...]  # the functions of `Decision.after`


class Decision(Struct, Generic[A], eq=False):
    """A decision: a response, and the changes of state that it requires.

    response   None if the request is parked: a later Decision releases it. NO_RESPONSE for acks=0
    records    hard state. All records of a result have the same producer
    after      functions that change soft state, called in order once the records are replayed
    released   responses to requests that were parked
    effects    work outside of this state machine
    bodies     encoded bodies by version, kept for a response that is sent often
    removed    the committed offsets that the tombstones among the records delete, each once
    markers    ends of transactions in the state's log, written after the records
    """

    response: A | NoResponse | None = None
    records: tuple[Record, ...] = ()
    released: tuple[Released, ...] = ()
    effects: tuple[Effect, ...] = ()
    bodies: dict[int, bytes] | None = None
    removed: tuple[Removal, ...] = ()
    markers: tuple[Marker, ...] = ()
    after: After = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Decision) and self._parts() == other._parts()

    def __repr__(self) -> str:
        return "Decision({!r}, {!r}, {!r}, {!r}, {!r})".format(*self._parts())

    def _parts(self) -> tuple[Any, ...]:
        return self.response, self.records, self.released, self.effects, self.markers


NOTHING: Final[Decision[Any]] = Decision()


# The return type of a decider that works in steps. It yields
# - how many items a step added to the response, or will copy or build next: the request waits there until
#   there is memory for them,
# - or a part of its decision: a Decision without a response, which is applied before the decider continues.
# It may also wait (`yield from future.__await__()`), and must then expect that the state has changed.
Steps = Generator[int | Decision[Any], None, A]


PART_RECORDS_MAX: Final = 100  # of a part: it is decided, written and replayed within some milliseconds


RUN_LENGTH: Final = 500  # names that are sorted in one step
ITEM_BYTES_MIN: Final = 50  # of a response: a partition, a member, a setting; few have fewer

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")


def counted(items: Iterable[K]) -> Steps[Counter[K]]:
    """Count how often each item occurs. The order is that of first occurrences.

    To hash a name for the first time costs as much as to read it; Python remembers the hash.
    """
    counts: Counter[K] = Counter()
    for item in items:
        counts[item] += 1
        yield 0
    return counts


def in_order(items: Sequence[T], key: Callable[[T], Any] | None = None) -> Steps[Iterator[T]]:
    """Sort in runs, which are merged while the caller iterates. Equal items keep their order."""
    runs: list[list[T]] = []
    for start in range(0, len(items), RUN_LENGTH):
        runs.append(sorted(items[start : start + RUN_LENGTH], key=key))  # type: ignore[type-var, arg-type]
        yield 0
    return merge(*runs, key=key)  # type: ignore[arg-type]


def in_parts(
    items: Sequence[T], records_of: Callable[[Sequence[T]], tuple[Record, ...]]
) -> Steps[tuple[Record, ...]]:
    """Yield the records of the items in parts, and return those of the last part."""
    part: tuple[Record, ...] = ()
    for start in range(0, len(items), PART_RECORDS_MAX):
        if part:
            yield Decision(records=part)
        part = records_of(items[start : start + PART_RECORDS_MAX])
    return part


def items_of(text: str | None) -> int:
    """Return for how many items of a response an error message counts, as it may quote a long name.

    Its memory counts: one emoji makes each character of a string four bytes long.
    """
    return 0 if text is None else getsizeof(text) // ITEM_BYTES_MIN


def at_once(steps: Steps[T]) -> T:
    """Run a generator to its end, and return its value."""
    while True:
        try:
            next(steps)
        except StopIteration as done:
            value: T = done.value
            return value
