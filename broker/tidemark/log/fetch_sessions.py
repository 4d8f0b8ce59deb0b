"""FetchSessions: what consumers asked for before, so that a Fetch names only what is new (KIP-227).

A full fetch (epoch 0) makes a session if there is a slot; later ones add, change and forget partitions of it,
and their answers leave out what has nothing to tell. Rules, bounds and eviction are those of Kafka 4.3.1's
FetchSession.scala. A session belongs to nobody: whoever knows its id and the next epoch may go on with it, on
any connection.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final
from uuid import UUID

from tidemark_protocol.errors import ErrorCode, KafkaError

if TYPE_CHECKING:
    from tidemark_protocol.messages.fetch import FetchPartition, FetchRequest, PartitionData

NO_SESSION: Final = 0
INITIAL_EPOCH: Final = 0
FINAL_EPOCH: Final = -1
EPOCH_MAX: Final = 2**31 - 1
SESSION_ID_MAX: Final = 2**31 - 1
FIRST_VERSION_WITH_TOPIC_IDS: Final = 13
EVICTION_MS: Final = 120_000  # Kafka's MIN_INCREMENTAL_FETCH_SESSION_EVICTION_MS
UNKNOWN_OFFSET: Final = -1

Key = tuple[str | bytes, int]  # topic name (topic id from v13 on) and partition


def next_epoch(epoch: int) -> int:
    """1 follows the largest; 0 and -1 say something else."""
    return 1 if epoch == EPOCH_MAX else epoch + 1


class SessionPartition:
    """One partition of a session: what is wanted of it, and what its client was told last."""

    __slots__ = ("high_watermark", "log_start_offset", "wanted")

    def __init__(
        self,
        wanted: FetchPartition,
        high_watermark: int = UNKNOWN_OFFSET,
        log_start_offset: int = UNKNOWN_OFFSET,
    ) -> None:
        self.wanted = wanted
        self.high_watermark = high_watermark
        self.log_start_offset = log_start_offset

    def tell(self, data: PartitionData) -> bool:
        """Whether an answer has to name this partition; notes what the client then knows.

        An error is told every time, and so is what follows when it is over.
        """
        news = bool(data.records)
        if self.high_watermark != data.high_watermark:
            self.high_watermark = data.high_watermark
            news = True
        if self.log_start_offset != data.log_start_offset:
            self.log_start_offset = data.log_start_offset
            news = True
        if data.error_code or data.diverging_epoch is not None:
            self.high_watermark = UNKNOWN_OFFSET
            news = True
        return news


class FetchSession:
    """Partitions in the order in which they are read: who got records goes to the end, so none starves."""

    __slots__ = ("by_topic_id", "counted", "created_ms", "epoch", "names", "partitions", "session_id",
                 "used_ms")  # fmt: skip

    def __init__(
        self, session_id: int, partitions: dict[Key, SessionPartition], now_ms: int, *, by_topic_id: bool
    ) -> None:
        self.session_id = session_id
        self.partitions = partitions
        self.by_topic_id = by_topic_id
        self.names: dict[bytes, str] = {}
        self.epoch = next_epoch(INITIAL_EPOCH)
        self.created_ms = now_ms
        self.used_ms = now_ms
        self.counted = len(partitions)  # its size when it was last used: what eviction goes by

    def update(self, wanted: dict[Key, FetchPartition], forgotten: Iterable[Key]) -> None:
        for key, partition in wanted.items():
            known = self.partitions.get(key)
            if known is None:
                self.partitions[key] = SessionPartition(partition)
            else:
                known.wanted = partition
        for key in forgotten:
            self.partitions.pop(key, None)


@dataclass(slots=True)
class FetchAnswer:
    """What goes into the response: the session that the client may go on with, and the partitions to name."""

    session_id: int
    partitions: list[tuple[Key, PartitionData]]
    error_code: ErrorCode = ErrorCode.NONE


@dataclass(slots=True)
class Fetching:
    """One Fetch on its way: what it wants, and how its answer is made once everything was read.

    session   the session that it goes on with
    opens     whether a full fetch asks for one. Neither: no session at all
    names     the topics that its ids have stood for; a session keeps them when the topics are gone
    """

    wanted: dict[Key, FetchPartition]
    session: FetchSession | None = None
    opens: bool = False
    by_topic_id: bool = False
    answer_epoch: int = FINAL_EPOCH
    names: dict[bytes, str] = field(default_factory=dict)


class FetchSessions:
    """At most slots_max sessions; a new one takes the place of a stale one, or of an old smaller one."""

    def __init__(self, slots_max: int) -> None:
        self.slots_max = slots_max
        self.evictions = 0
        self._sessions: OrderedDict[int, FetchSession] = OrderedDict()  # the longest unused first

    def __len__(self) -> int:
        return len(self._sessions)

    @property
    def partitions(self) -> int:
        """Partitions in all sessions (Kafka's NumIncrementalFetchPartitionsCached)."""
        return sum(session.counted for session in self._sessions.values())

    def begin(self, request: FetchRequest, version: int, now_ms: int) -> Fetching:
        """What this request wants. KafkaError 70, 71, 106: the session is none that it can go on with."""
        by_topic_id = version >= FIRST_VERSION_WITH_TOPIC_IDS
        wanted = _wanted(request, by_topic_id=by_topic_id)
        if request.session_epoch in (INITIAL_EPOCH, FINAL_EPOCH):
            if request.session_id != NO_SESSION:
                self._sessions.pop(request.session_id, None)
            return Fetching(wanted, opens=request.session_epoch == INITIAL_EPOCH, by_topic_id=by_topic_id)
        session = self._sessions.get(request.session_id)
        if session is None:
            raise KafkaError(ErrorCode.FETCH_SESSION_ID_NOT_FOUND)
        if session.epoch != request.session_epoch:
            raise KafkaError(ErrorCode.INVALID_FETCH_SESSION_EPOCH)
        if session.by_topic_id != by_topic_id:
            raise KafkaError(ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR)
        session.update(wanted, _forgotten(request, by_topic_id=by_topic_id))
        if not session.partitions:
            del self._sessions[session.session_id]
            return Fetching(wanted)
        self._touch(session, now_ms)
        session.epoch = next_epoch(session.epoch)
        everything = {key: partition.wanted for key, partition in session.partitions.items()}
        return Fetching(everything, session, answer_epoch=session.epoch, names=session.names)

    def answer(
        self,
        fetching: Fetching,
        found: list[tuple[Key, PartitionData]],
        now_ms: int,
        new_id: Callable[[], str],
    ) -> FetchAnswer:
        """Makes the session where one is asked for; leaves out of an incremental answer what has nothing to
        tell.
        """
        if fetching.session is not None:
            return _incremental(fetching.session, fetching.answer_epoch, found)
        if fetching.opens and self._has_room_for(len(found), now_ms):
            return FetchAnswer(self._open(fetching, found, now_ms, new_id), found)
        return FetchAnswer(NO_SESSION, found)

    def _open(
        self,
        fetching: Fetching,
        found: list[tuple[Key, PartitionData]],
        now_ms: int,
        new_id: Callable[[], str],
    ) -> int:
        session_id = _draw(new_id)
        while session_id in self._sessions:
            session_id = _draw(new_id)
        partitions = {
            key: SessionPartition(fetching.wanted[key], data.high_watermark, data.log_start_offset)
            for key, data in found
        }
        session = FetchSession(session_id, partitions, now_ms, by_topic_id=fetching.by_topic_id)
        session.names = fetching.names
        self._sessions[session_id] = session
        return session_id

    def _touch(self, session: FetchSession, now_ms: int) -> None:
        session.used_ms = now_ms
        session.counted = len(session.partitions)
        self._sessions.move_to_end(session.session_id)

    def _has_room_for(self, size: int, now_ms: int) -> bool:
        """True also after somebody made room: who was not seen for long, else the smallest of the old, if
        smaller.
        """
        if len(self._sessions) < self.slots_max:
            return True
        if not self._sessions:
            return False
        victim = next(iter(self._sessions.values()))
        if now_ms - victim.used_ms <= EVICTION_MS:
            old = (s for s in self._sessions.values() if s.used_ms - s.created_ms > EVICTION_MS)
            smallest = min(old, key=lambda session: session.counted, default=None)
            if smallest is None or smallest.counted >= size:
                return False
            victim = smallest
        del self._sessions[victim.session_id]
        self.evictions += 1
        return True


def _draw(new_id: Callable[[], str]) -> int:
    return UUID(new_id()).int % SESSION_ID_MAX + 1


def _wanted(request: FetchRequest, *, by_topic_id: bool) -> dict[Key, FetchPartition]:
    """A partition that is named twice is wanted as its last mention says."""
    return {
        (topic.topic_id if by_topic_id else topic.topic, partition.partition): partition
        for topic in request.topics
        for partition in topic.partitions
    }


def _forgotten(request: FetchRequest, *, by_topic_id: bool) -> Iterable[Key]:
    for topic in request.forgotten_topics_data:
        for partition in topic.partitions:
            yield topic.topic_id if by_topic_id else topic.topic, partition


def _incremental(
    session: FetchSession, answer_epoch: int, found: list[tuple[Key, PartitionData]]
) -> FetchAnswer:
    if (
        session.epoch != answer_epoch
    ):  # another request has gone on with the session while this one was parked
        return FetchAnswer(session.session_id, [], ErrorCode.INVALID_FETCH_SESSION_EPOCH)
    told = []
    for key, data in found:
        partition = session.partitions[key]
        if partition.tell(data):
            told.append((key, data))
            if data.records:
                session.partitions[key] = session.partitions.pop(key)
    return FetchAnswer(session.session_id, told)
