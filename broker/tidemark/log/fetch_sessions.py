"""Fetch sessions: a Fetch request names only the partitions that have changed since the last one (KIP-227).

A full fetch (epoch 0) creates a session if there is a slot. Later fetches add, change and forget partitions,
and their responses leave out partitions without news. Kafka: FetchSession.scala of 4.3.1. A session belongs
to no connection: any client that knows its id and next epoch may continue it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import field
from sys import getsizeof
from typing import TYPE_CHECKING, Final

from tidemark.late_dataclass import dataclass
from tidemark_protocol.errors import ErrorCode, KafkaError

if TYPE_CHECKING:
    from tidemark_protocol.messages.fetch import FetchPartition, FetchRequest, PartitionData

NO_SESSION: Final = 0
INITIAL_EPOCH: Final = 0
FINAL_EPOCH: Final = -1
EPOCH_MAX: Final = 2**31 - 1
SESSION_ID_MAX: Final = 2**31 - 1
EVICTION_MS: Final = 120_000  # Kafka's MIN_INCREMENTAL_FETCH_SESSION_EVICTION_MS
NO_REPLICA: Final = -1
UNKNOWN_OFFSET: Final = -1
UNKNOWN: Final = UNKNOWN_OFFSET, UNKNOWN_OFFSET
# Kafka bounds only the number of sessions. This is room for about 350,000 partitions of topics with names
# of usual length.
BYTES_MAX: Final = 200_000_000
PARTITION_BYTES: Final = 450  # of a partition of a session, without the name of its topic

Key = tuple[str | bytes, int]  # topic name (topic id from v13 on) and partition


def bytes_of(key: Key) -> int:
    """Return the memory of a partition of a session, if no other one shares the name of its topic.

    A client may name topics that do not exist, with 32 KB each, which one emoji makes four times as large.
    """
    return PARTITION_BYTES + getsizeof(key[0])


def next_epoch(epoch: int) -> int:
    """Return the epoch that follows. 1 follows the largest: 0 and -1 have other meanings."""
    return 1 if epoch == EPOCH_MAX else epoch + 1


class FetchSession:
    """Partitions in the order in which they are read. Partitions that had records move to the end, so that
    none starves.

    wanted     by partition: the fetch position and limits of the client
    reported   by partition: the high watermark and log start offset that the client knows, if not (-1, -1)
    """

    __slots__ = (
        "by_topic_id",
        "bytes",
        "counted",
        "counted_bytes",
        "created_ms",
        "epoch",
        "names",
        "reported",
        "session_id",
        "used_ms",
        "wanted",
    )

    def __init__(self, session_id: int, fetching: Fetching, now_ms: int) -> None:
        """Create a session without partitions. `add` adds those of the fetch one by one."""
        self.session_id = session_id
        self.wanted: dict[Key, FetchPartition] = {}
        self.reported: dict[Key, tuple[int, int]] = {}
        self.by_topic_id = fetching.by_topic_id
        self.names = fetching.names
        self.epoch = next_epoch(INITIAL_EPOCH)
        self.created_ms = now_ms
        self.used_ms = now_ms
        self.bytes = 0
        # Its size when it was last used. The number of partitions decides about eviction, as in Kafka.
        self.counted = len(fetching.wanted)
        self.counted_bytes = fetching.bytes

    def add(self, key: Key, wanted: FetchPartition, data: PartitionData) -> None:
        """Add a partition of the first fetch. data: its part of the response."""
        self.wanted[key] = wanted
        self.bytes += bytes_of(key)
        self._note(key, (data.high_watermark, data.log_start_offset))

    def update(self, wanted: dict[Key, FetchPartition], forgotten: Iterable[Key]) -> None:
        for key, partition in wanted.items():
            if key not in self.wanted:
                self.bytes += bytes_of(key)
            self.wanted[key] = partition
        for key in forgotten:
            if self.wanted.pop(key, None) is not None:
                self.bytes -= bytes_of(key)
            self.reported.pop(key, None)

    def must_name(self, key: Key, data: PartitionData) -> bool:
        """Return whether a response must name this partition, and store what the client then knows.

        An error is always reported, and so is the first result after it.
        """
        if key not in self.wanted:  # another request has forgotten it meanwhile
            return False
        known = self.reported.get(key, UNKNOWN)
        current = data.high_watermark, data.log_start_offset
        failed = bool(data.error_code) or data.diverging_epoch is not None
        if failed:
            self._note(key, (UNKNOWN_OFFSET, data.log_start_offset))
        elif current != known:
            self._note(key, current)
        if data.preferred_read_replica != NO_REPLICA:
            return True
        if data.records:
            self.wanted[key] = self.wanted.pop(key)
        return failed or current != known or bool(data.records)

    def _note(self, key: Key, current: tuple[int, int]) -> None:
        if current == UNKNOWN:
            self.reported.pop(key, None)
        else:
            self.reported[key] = current


@dataclass(slots=True)
class Fetching:
    """A Fetch in progress: its partitions, and the way to make its response once all of them are read.

    session   the session that it continues
    opens     whether a full fetch requests a session. Neither: no session at all
    names     names of topics by id; a session keeps them when the topics are deleted
    bytes     the memory of a session with these partitions
    """

    wanted: dict[Key, FetchPartition]
    session: FetchSession | None = None
    opens: bool = False
    by_topic_id: bool = False
    epoch: int = FINAL_EPOCH
    names: dict[bytes, str] = field(default_factory=dict)
    bytes: int = 0


class FetchSessions:
    """At most slots_max sessions, which need at most bytes_max of memory.

    A new session replaces a stale one, or an old one that is smaller.
    """

    def __init__(self, slots_max: int, bytes_max: int = BYTES_MAX) -> None:
        self.slots_max = slots_max
        self.bytes_max = bytes_max
        self.evictions = 0
        self.partitions = 0  # in all sessions (Kafka's NumIncrementalFetchPartitionsCached)
        self.bytes = 0  # of all sessions
        self._sessions: OrderedDict[int, FetchSession] = OrderedDict()  # least recently used first

    def __len__(self) -> int:
        return len(self._sessions)

    def partitions_in(self, session_id: int) -> tuple[Key, ...]:
        """Return the partitions of a session; none if it does not exist."""
        session = self._sessions.get(session_id)
        return () if session is None else tuple(session.wanted)

    def begin(
        self, request: FetchRequest, fetching: Fetching, forgotten: Iterable[Key], now_ms: int
    ) -> Fetching:
        """Return all partitions of this request, those of its session included.

        fetching has the partitions that the request itself names. Raises KafkaError 70, 71 or 106 if the
        session cannot be continued.
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
        if self.bytes > self.bytes_max:
            # The client then sends a full fetch, as after an eviction.
            self._remove(session)
            raise KafkaError(ErrorCode.FETCH_SESSION_ID_NOT_FOUND)
        session.epoch = next_epoch(session.epoch)
        everything = session.wanted.copy()
        return Fetching(everything, session, epoch=session.epoch, names=session.names)

    def open(self, fetching: Fetching, now_ms: int, new_id: Callable[[], str]) -> FetchSession | None:
        """Create the session that a full fetch requests, without its partitions.

        Returns None if the fetch requests none or there is no room.
        """
        if not (fetching.opens and self._has_room_for(fetching, now_ms)):
            return None
        session_id = _draw(new_id)
        while session_id in self._sessions:
            session_id = _draw(new_id)
        session = self._sessions[session_id] = FetchSession(session_id, fetching, now_ms)
        self.partitions += session.counted
        self.bytes += session.counted_bytes
        return session

    def _touch(self, session: FetchSession, now_ms: int) -> None:
        session.used_ms = now_ms
        self.partitions += len(session.wanted) - session.counted
        session.counted = len(session.wanted)
        self.bytes += session.bytes - session.counted_bytes
        session.counted_bytes = session.bytes
        self._sessions.move_to_end(session.session_id)

    def _remove(self, session: FetchSession) -> None:
        del self._sessions[session.session_id]
        self.partitions -= session.counted
        self.bytes -= session.counted_bytes

    def _has_room_for(self, fetching: Fetching, now_ms: int) -> bool:
        """Return whether there is room for a session with these partitions. Evict others if necessary.

        The candidates are the least recently used session if it is stale, then the smallest old session if it
        is smaller than the new one.
        """
        size = len(fetching.wanted)
        if len(self._sessions) >= self.slots_max and not self._evict_for(size, now_ms):
            return False
        while self.bytes + fetching.bytes > self.bytes_max:
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


class FetchSessionsByNode(dict[int, FetchSessions]):
    """The fetch sessions of each node. slots_max is the limit of one node, and they share the memory."""

    def __init__(self, slots_max: int) -> None:
        self._slots_max = slots_max
        self._bytes_max = BYTES_MAX

    def share(self, nodes: int) -> None:
        """Let so many nodes share the memory from now on. Sessions that need more stay."""
        self._bytes_max = BYTES_MAX // nodes
        for each in self.values():
            each.bytes_max = self._bytes_max

    def __missing__(self, node_id: int) -> FetchSessions:
        found = self[node_id] = FetchSessions(self._slots_max, self._bytes_max)
        return found


def _draw(new_id: Callable[[], str]) -> int:
    return int(new_id().replace("-", ""), 16) % SESSION_ID_MAX + 1
