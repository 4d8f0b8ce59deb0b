"""Share sessions that clients open without end, replace, or share."""

from __future__ import annotations

import pytest

from tidemark.share.sessions import PARTITIONS_MAX, Fetched, ShareSessions
from tidemark_protocol.errors import ErrorCode, KafkaError

GROUP = "group"
TOPIC = bytes(16)


def test_all_sessions_of_a_connection_end_with_it() -> None:
    """In Kafka, all but the last one stay, and use up group.share.max.share.sessions."""
    sessions = ShareSessions(100)
    for number in range(100):
        sessions.open(
            (GROUP, f"member-{number}"), {(TOPIC, 0): Fetched("topic", must_name=False)}, connection=1
        )
    with pytest.raises(KafkaError) as refused:
        sessions.open((GROUP, "another"), {}, connection=2)
    assert refused.value.code == ErrorCode.SHARE_SESSION_LIMIT_REACHED
    left, emptied = sessions.disconnected(1)
    assert len(left) == 100
    assert emptied == [GROUP]
    assert len(sessions) == sessions.partitions == 0
    assert not sessions.has(GROUP)


def test_a_session_that_was_opened_again_outlives_its_first_connection() -> None:
    sessions = ShareSessions(100)
    member = GROUP, "member"
    sessions.open(member, {}, connection=1)
    newer = sessions.open(member, {}, connection=2)
    assert sessions.disconnected(1) == ([], [])
    assert sessions.get(member) is newer


def test_a_connection_that_opens_and_ends_sessions_forgets_them() -> None:
    sessions = ShareSessions(100)
    for number in range(1_000):
        sessions.end(
            sessions.open(
                (GROUP, f"member-{number}"), {(TOPIC, 0): Fetched("topic", must_name=False)}, connection=1
            )
        )
    assert len(sessions) == sessions.partitions == 0
    left, emptied = sessions.disconnected(1)
    assert left == []
    assert emptied == [GROUP]


def test_two_clients_with_the_same_member_id_disturb_only_each_other() -> None:
    sessions = ShareSessions(100)
    member = GROUP, "member"
    sessions.open(member, {}, connection=1)
    sessions.next(member, 1)
    with pytest.raises(KafkaError) as refused:
        sessions.next(member, 1)
    assert refused.value.code == ErrorCode.INVALID_SHARE_SESSION_EPOCH
    sessions.open(member, {}, connection=2)
    assert len(sessions) == 1
    assert sessions.next(member, 1).connection == 2


def test_the_partitions_of_all_sessions_are_limited() -> None:
    sessions = ShareSessions(100)
    partitions = {(TOPIC, at): Fetched(None, must_name=False) for at in range(PARTITIONS_MAX - 1)}
    session = sessions.open((GROUP, "greedy"), partitions, connection=1)
    sessions.add(session, (TOPIC, PARTITIONS_MAX), None)
    sessions.add(session, (TOPIC, PARTITIONS_MAX), None)  # it has this one
    for refused in (
        lambda: sessions.add(session, (TOPIC, PARTITIONS_MAX + 1), None),
        lambda: sessions.open((GROUP, "another"), {}, connection=2),
    ):
        with pytest.raises(KafkaError) as limit:
            refused()
        assert limit.value.code == ErrorCode.SHARE_SESSION_LIMIT_REACHED
    sessions.forget(session, (TOPIC, PARTITIONS_MAX))
    sessions.open((GROUP, "another"), {}, connection=2)
    sessions.end(session)
    assert sessions.partitions == 0
    with pytest.raises(KafkaError):
        sessions.add(session, (TOPIC, PARTITIONS_MAX), None)
    sessions.forget(session, (TOPIC, 0))
    assert sessions.partitions == 0
