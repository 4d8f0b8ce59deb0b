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
EVICTION_MS: Final = 120_000  # Kafka's MIN_INCREMENTAL_FETCH_SESSION_EVICTION_MS
UNKNOWN_OFFSET: Final = -1
UNKNOWN: Final = UNKNOWN_OFFSET, UNKNOWN_OFFSET
# Kafka has no bound but the number of sessions. These take about 150 MB of memory.
PARTITIONS_MAX: Final = 500_000

Key = tuple[str | bytes, int]  # topic name (topic id from v13 on) and partition


def next_epoch(epoch: int) -> int:
    """1 follows the largest; 0 and -1 say something else."""
    return 1 if epoch == EPOCH_MAX else epoch + 1


class FetchSession:
    """Partitions in the order in which they are read: those that had records move to the end, so that none
    starves.

    wanted   by partition, what the client wants of it
    told     the high watermark and log start offset that the client knows; absent: (-1, -1)
    """

    __slots__ = ("by_topic_id", "counted", "created_ms", "epoch", "names", "session_id", "told", "used_ms",
                 "wanted")  # fmt: skip

    def __init__(self, session_id: int, fetching: Fetching, now_ms: int) -> None:
        """Without its partitions: `add` takes those of the fetching one by one."""
        self.session_id = session_id
        self.wanted: dict[Key, FetchPartition] = {}
        self.told: dict[Key, tuple[int, int]] = {}
        self.by_topic_id = fetching.by_topic_id
        self.names = fetching.names
        self.epoch = next_epoch(INITIAL_EPOCH)
        self.created_ms = now_ms
        self.used_ms = now_ms
        self.counted = len(fetching.wanted)  # its size when it was last used: what eviction goes by

    def add(self, key: Key, wanted: FetchPartition, data: PartitionData) -> None:
        """Take a partition of the fetch that opens the session, whose response has data."""
        self.wanted[key] = wanted
        self._note(key, (data.high_watermark, data.log_start_offset))

    def update(self, wanted: dict[Key, FetchPartition], forgotten: Iterable[Key]) -> None:
        self.wanted.update(wanted)
        for key in forgotten:
            self.wanted.pop(key, None)
            self.told.pop(key, None)

    def tell(self, key: Key, data: PartitionData) -> bool:
        """Return whether a response has to name this partition, and store what the client then knows.

        An error is told every time, and so is what follows when it is over.
        """
        if key not in self.wanted:  # another request has forgotten it meanwhile
            return False
        known = self.told.get(key, UNKNOWN)
        current = data.high_watermark, data.log_start_offset
        failed = bool(data.error_code) or data.diverging_epoch is not None
        if failed:
            self._note(key, (UNKNOWN_OFFSET, data.log_start_offset))
        elif current != known:
            self._note(key, current)
        if data.records:
            self.wanted[key] = self.wanted.pop(key)
        return failed or current != known or bool(data.records)

    def _note(self, key: Key, current: tuple[int, int]) -> None:
        if current == UNKNOWN:
            self.told.pop(key, None)
        else:
            self.told[key] = current


@dataclass(slots=True)
class Fetching:
    """One Fetch on its way: what it wants, and how its response is made once everything was read.

    session   the session that it goes on with
    opens     whether a full fetch asks for one. Neither: no session at all
    names     the topics that its ids have stood for; a session keeps them when the topics are gone
    """

    wanted: dict[Key, FetchPartition]
    session: FetchSession | None = None
    opens: bool = False
    by_topic_id: bool = False
    epoch: int = FINAL_EPOCH
    names: dict[bytes, str] = field(default_factory=dict)

    @property
    def is_overtaken(self) -> bool:
        """Another request has gone on with the session while this one was parked."""
        return self.session is not None and self.session.epoch != self.epoch


class FetchSessions:
    """At most slots_max sessions, which hold at most partitions_max partitions.

    A new one takes the place of a stale one, or of an old smaller one.
    """

    def __init__(self, slots_max: int, partitions_max: int = PARTITIONS_MAX) -> None:
        self.slots_max = slots_max
        self.partitions_max = partitions_max
        self.evictions = 0
        self.partitions = 0  # in all sessions (Kafka's NumIncrementalFetchPartitionsCached)
        self._sessions: OrderedDict[int, FetchSession] = OrderedDict()  # the longest unused first

    def __len__(self) -> int:
        return len(self._sessions)

    def begin(
        self, request: FetchRequest, fetching: Fetching, forgotten: Iterable[Key], now_ms: int
    ) -> Fetching:
        """Return what this request wants, all of its session included.

        fetching holds what the request itself names. Raises KafkaError 70, 71, 106: it cannot go on with the
        session.
        """
        if request.session_epoch in (INITIAL_EPOCH, FINAL_EPOCH):
            if request.session_id in self._sessions:
                self._remove(self._sessions[request.session_id])
            fetching.opens = request.session_epoch == INITIAL_EPOCH
            return fetching
        session = self._sessions.get(request.session_id)
        if session is None:
            raise KafkaError(ErrorCode.FETCH_SESSION_ID_NOT_FOUND)
        if session.epoch != request.session_epoch:
            raise KafkaError(ErrorCode.INVALID_FETCH_SESSION_EPOCH)
        if session.by_topic_id != fetching.by_topic_id:
            raise KafkaError(ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR)
        session.update(fetching.wanted, forgotten)
        if not session.wanted:
            self._remove(session)
            return fetching
        self._touch(session, now_ms)
        if self.partitions > self.partitions_max:
            # Its client makes a full fetch then, as it does after an eviction.
            self._remove(session)
            raise KafkaError(ErrorCode.FETCH_SESSION_ID_NOT_FOUND)
        session.epoch = next_epoch(session.epoch)
        everything = session.wanted.copy()
        return Fetching(everything, session, epoch=session.epoch, names=session.names)

    def open(self, fetching: Fetching, now_ms: int, new_id: Callable[[], str]) -> FetchSession | None:
        """Make the session that a full fetch asks for, without its partitions. None: it asks for none, or
        there is no room.
        """
        if not (fetching.opens and self._has_room_for(len(fetching.wanted), now_ms)):
            return None
        session_id = _draw(new_id)
        while session_id in self._sessions:
            session_id = _draw(new_id)
        session = self._sessions[session_id] = FetchSession(session_id, fetching, now_ms)
        self.partitions += session.counted
        return session

    def _touch(self, session: FetchSession, now_ms: int) -> None:
        session.used_ms = now_ms
        self.partitions += len(session.wanted) - session.counted
        session.counted = len(session.wanted)
        self._sessions.move_to_end(session.session_id)

    def _remove(self, session: FetchSession) -> None:
        del self._sessions[session.session_id]
        self.partitions -= session.counted

    def _has_room_for(self, size: int, now_ms: int) -> bool:
        """Return whether a session of this size may be made, after one that must make room was evicted: the
        one that was not used for longest if that is long ago, else the smallest of the old, if smaller.
        """
        if len(self._sessions) >= self.slots_max and not self._evict_for(size, now_ms):
            return False
        while self.partitions + size > self.partitions_max:
            if not self._evict_for(size, now_ms):
                return False
        return True

    def _evict_for(self, size: int, now_ms: int) -> bool:
        if not self._sessions:
            return False
        victim = next(iter(self._sessions.values()))
        if now_ms - victim.used_ms <= EVICTION_MS:
            old = (s for s in self._sessions.values() if s.used_ms - s.created_ms > EVICTION_MS)
            smallest = min(old, key=lambda session: session.counted, default=None)
            if smallest is None or smallest.counted >= size:
                return False
            victim = smallest
        self._remove(victim)
        self.evictions += 1
        return True


def _draw(new_id: Callable[[], str]) -> int:
    return UUID(new_id()).int % SESSION_ID_MAX + 1
