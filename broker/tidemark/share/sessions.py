"""Share sessions: a ShareFetch names only the partitions that change (KIP-932).

A session belongs to a member of a group, and ends with the connection that opened it. Epoch 0 opens a
session, -1 ends it, and each other request has the epoch that follows the last one. Kafka:
ShareSessionCache and SharePartitionManager.newContext of 4.3.1.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from tidemark_protocol.errors import ErrorCode, KafkaError

INITIAL_EPOCH: Final = 0
FINAL_EPOCH: Final = -1
EPOCH_MAX: Final = 2**31 - 1
# Kafka bounds only the number of sessions. A client may name any number of partitions that do not exist.
PARTITIONS_MAX: Final = 350_000

Member = tuple[str, str]  # group id and member id
Key = tuple[bytes, int]  # topic id and partition


@dataclass(slots=True, eq=False)
class ShareSession:
    """partitions: those to fetch, in order, with their topic's name at the time when they were added (None:
    there was no such topic) and whether the next response must name the partition.
    """

    member: Member
    connection: int
    epoch: int = 1
    partitions: dict[Key, Fetched] = field(default_factory=dict)


@dataclass(slots=True)
class Fetched:
    topic: str | None
    must_name: bool


class ShareSessions:
    """The share sessions of one broker. sessions_max: group.share.max.share.sessions."""

    def __init__(self, sessions_max: int) -> None:
        self.sessions_max = sessions_max
        self.partitions = 0
        self._sessions: dict[Member, ShareSession] = {}
        self._by_connection: dict[int, set[ShareSession]] = {}
        self._members: dict[str, int] = {}  # group -> open sessions

    def __len__(self) -> int:
        return len(self._sessions)

    def get(self, member: Member) -> ShareSession | None:
        return self._sessions.get(member)

    def has(self, group_id: str) -> bool:
        """Return whether a member of the group has a session."""
        return group_id in self._members

    def open(self, member: Member, partitions: dict[Key, Fetched], connection: int) -> ShareSession:
        """Open a session in place of the member's old one. Raises KafkaError."""
        old = self._sessions.get(member)
        if old is not None:
            self._remove(old)
        if len(self._sessions) >= self.sessions_max or self.partitions >= PARTITIONS_MAX:
            raise KafkaError(ErrorCode.SHARE_SESSION_LIMIT_REACHED)
        session = ShareSession(member, connection, partitions=partitions)
        self._sessions[member] = session
        self.partitions += len(session.partitions)
        self._by_connection.setdefault(connection, set()).add(session)
        self._members[member[0]] = self._members.get(member[0], 0) + 1
        return session

    def next(self, member: Member, epoch: int) -> ShareSession:
        """Return the session for a request with this epoch, which must be the next one. Raises KafkaError."""
        session = self._sessions.get(member)
        if session is None:
            raise KafkaError(ErrorCode.SHARE_SESSION_NOT_FOUND)
        if epoch != FINAL_EPOCH:
            if session.epoch != epoch:
                raise KafkaError(ErrorCode.INVALID_SHARE_SESSION_EPOCH)
            session.epoch = 1 if epoch == EPOCH_MAX else epoch + 1
        return session

    def add(self, session: ShareSession, key: Key, topic: str | None) -> None:
        """Add a partition to a session, unless it has it. Raises KafkaError."""
        if key in session.partitions:
            return
        if self._sessions.get(session.member) is not session:  # it has ended since its request arrived
            raise KafkaError(ErrorCode.SHARE_SESSION_NOT_FOUND)
        if self.partitions >= PARTITIONS_MAX:
            raise KafkaError(ErrorCode.SHARE_SESSION_LIMIT_REACHED)
        self.partitions += 1
        session.partitions[key] = Fetched(topic, must_name=True)

    def forget(self, session: ShareSession, key: Key) -> None:
        if self._sessions.get(session.member) is session and session.partitions.pop(key, None) is not None:
            self.partitions -= 1

    def end(self, session: ShareSession) -> None:
        """End a session. `is_empty` says whether it was the last one of its group."""
        if self._sessions.get(session.member) is session:
            self._remove(session)

    def disconnected(self, connection: int) -> tuple[list[ShareSession], list[str]]:
        """Return the sessions that a closed connection leaves behind, and the groups without any other one.

        Kafka forgets all sessions of a connection but the last one, which then stay until it restarts.
        """
        opened = self._by_connection.pop(connection, set())
        left = [each for each in opened if self._sessions.get(each.member) is each]
        for each in left:
            self._remove(each)
        return left, [group for group in {each.member[0] for each in opened} if group not in self._members]

    def _remove(self, session: ShareSession) -> None:
        del self._sessions[session.member]
        if (others := self._by_connection.get(session.connection)) is not None and len(others) > 1:
            others.discard(session)  # the last one stays, so that the end of the connection closes its group
        self.partitions -= len(session.partitions)
        group = session.member[0]
        left = self._members[group] - 1
        if left:
            self._members[group] = left
        else:
            del self._members[group]
