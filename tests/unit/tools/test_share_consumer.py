"""The share session of the share consumer: what its requests contain."""

from __future__ import annotations

from typing import Any

from tidemark_tools.client.share_consumer import AcknowledgeType, ShareSettings, _ranges, _Session

ACCEPT, RELEASE = AcknowledgeType.ACCEPT, AcknowledgeType.RELEASE
SETTINGS = ShareSettings("g", None, 500, 500, 1, 1 << 20)
A, B = (b"a" * 16, 0), (b"b" * 16, 3)


def test_adjoining_acknowledgements_of_one_type_are_one_range() -> None:
    acks = {4: ACCEPT, 0: ACCEPT, 1: ACCEPT, 2: RELEASE, 5: ACCEPT}
    assert _ranges(acks) == [(0, 1, [1]), (2, 2, [2]), (4, 5, [1])]


def partitions(topics: list[Any]) -> dict[tuple[bytes, int], list[tuple[int, int, list[int]]]]:
    return {
        (topic.topic_id, each.partition_index): [
            (batch.first_offset, batch.last_offset, batch.acknowledge_types)
            for batch in each.acknowledgement_batches
        ]
        for topic in topics
        for each in topic.partitions
    }


def test_a_session_names_partitions_once() -> None:
    session = _Session()
    first = session.fetch(SETTINGS, "m", {A, B}, 500)
    assert (first.share_session_epoch, partitions(first.topics)) == (0, {A: [], B: []})
    session.succeeded({A, B})
    second = session.fetch(SETTINGS, "m", {A, B}, 500)
    assert (second.share_session_epoch, second.topics, second.forgotten_topics_data) == (1, [], [])


def test_a_partition_that_is_not_assigned_any_more_is_forgotten() -> None:
    session = _Session()
    session.succeeded({A, B})
    request = session.fetch(SETTINGS, "m", {A}, 500)
    assert [(each.topic_id, each.partitions) for each in request.forgotten_topics_data] == [(B[0], [3])]


def test_acknowledgements_are_sent_with_the_next_fetch_once() -> None:
    session = _Session()
    session.succeeded({A, B})
    session.acknowledge(B, 7, ACCEPT)
    assert partitions(session.fetch(SETTINGS, "m", {A, B}, 0).topics) == {B: [(7, 7, [1])]}
    session.succeeded({A, B})
    assert session.fetch(SETTINGS, "m", {A, B}, 0).topics == []


def test_a_session_is_closed_with_its_last_acknowledgements() -> None:
    session = _Session()
    session.succeeded({A})
    session.acknowledge(A, 0, RELEASE)
    request = session.closing("g", "m")
    assert (request.share_session_epoch, partitions(request.topics)) == (-1, {A: [(0, 0, [2])]})
