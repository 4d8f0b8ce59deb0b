"""A share group from its first member to its deletion, as a node of Kafka 4.3.1 has recorded it.

The requests are those of the run. Each step lists the records of its batch: their types, and what they hold.
"""

from __future__ import annotations

from typing import Any

from tests.unit.broker.groups.share_story import FIRST, SECOND, A, B, ShareStory

NAMES = {A: "a", B: "b"}
HASH_OF_A = 1738713827647477255
HASH_OF_A_AND_B = 1790626785764559540
HASH_OF_B = 4314286221458478749
INTERVAL_MS = 1000  # between two target assignments


def _topics(infos: Any) -> list[tuple[str, list[int]]]:
    return [(NAMES[each.topic_id], each.partitions) for each in infos]


def shown(key: Any, value: Any) -> tuple[Any, ...]:
    kind, of = key.API_KEY, getattr(key, "member_id", key.group_id)
    if value is None:
        return kind, of, None
    if kind == 10:
        assert (value.rack_id, value.client_id, value.client_host) == (None, "raw", "/127.0.0.1")
        return kind, of, value.subscribed_topic_names
    if kind == 11:
        return kind, value.epoch, value.metadata_hash
    if kind == 12:
        return kind, value.assignment_epoch
    if kind == 13:
        return kind, of, _topics(value.topic_partitions)
    if kind == 14:
        assert value.state == 0
        epochs = value.member_epoch, value.previous_member_epoch
        return kind, of, *epochs, _topics(value.assigned_partitions)
    deleting = [(NAMES[each.topic_id], each.topic_name) for each in value.deleting_topics]
    return kind, _topics(value.initializing_topics), _topics(value.initialized_topics), deleting


class Run(ShareStory):
    def written_by(self, member_id: str, epoch: int, topics: list[str] | None = None) -> Any:
        """Send a heartbeat; return the response and its records."""
        response = self.beat(member_id, epoch, topics, client_id="raw")
        return self.shown(response), self.records()

    def records(self) -> list[tuple[Any, ...]]:
        return [shown(key, value) for key, value in self.written()]

    def initialized(self) -> list[tuple[Any, ...]]:
        self.initialize()
        return self.records()


def test_records_and_responses_equal_those_of_kafka() -> None:
    run = Run()
    response, records = run.written_by(FIRST, 0, ["a"])
    assert response == (2, {})
    assert records == [
        (10, FIRST, ["a"]),
        (11, 2, HASH_OF_A),
        (13, FIRST, []),
        (12, 2),
        (14, FIRST, 2, 0, []),
        (15, [("a", [0, 1, 2])], [], []),
    ]
    (effect,) = run.initializations
    assert (effect.group_id, effect.topics, effect.state_epoch) == ("s", {A: ("a", [0, 1, 2])}, 2)
    assert run.initialized() == [(15, [], [("a", [0, 1, 2])], [])]

    run.passes(INTERVAL_MS)
    response, records = run.written_by(FIRST, 2, ["a"])
    assert response == (3, {"a": [0, 1, 2]})
    assert records == [
        (11, 3, HASH_OF_A),
        (13, FIRST, [("a", [0, 1, 2])]),
        (12, 3),
        (14, FIRST, 3, 2, [("a", [0, 1, 2])]),
    ]

    response, records = run.written_by(SECOND, 0, ["a", "b", "nope"])
    assert response == (3, {})
    assert records == [
        (10, SECOND, ["a", "b", "nope"]),
        (11, 4, HASH_OF_A_AND_B),
        (14, SECOND, 3, 0, []),
        (15, [("b", [0, 1])], [("a", [0, 1, 2])], []),
    ]
    assert run.initializations[0].state_epoch == 4
    assert run.initialized() == [(15, [], [("b", [0, 1]), ("a", [0, 1, 2])], [])]

    run.passes(INTERVAL_MS)
    response, records = run.written_by(FIRST, 2)
    assert response == (4, {"a": [2]})
    assert records == [
        (13, SECOND, [("a", [0, 1]), ("b", [0, 1])]),
        (13, FIRST, [("a", [2])]),
        (12, 4),
        (14, FIRST, 4, 3, [("a", [2])]),
    ]
    response, records = run.written_by(SECOND, 3)
    assert response == (4, {"b": [0, 1], "a": [0, 1]})
    assert records == [(14, SECOND, 4, 3, [("b", [0, 1]), ("a", [0, 1])])]
    assert run.written_by(FIRST, 4) == ((4, None), [])
    assert run.written_by(FIRST, 3) == ((4, None), [])

    run.passes(3 * INTERVAL_MS)
    response, records = run.written_by(FIRST, 4, ["b"])
    assert response == (5, {"b": [0]})
    assert records == [
        (10, FIRST, ["b"]),
        (11, 5, HASH_OF_A_AND_B),
        (13, SECOND, [("b", [1]), ("a", [0, 1, 2])]),
        (13, FIRST, [("b", [0]), ("a", [])]),
        (12, 5),
        (14, FIRST, 5, 4, [("b", [0])]),
    ]
    left = run.beat(SECOND, -1)
    assert (left.member_id, left.member_epoch, left.heartbeat_interval_ms, left.assignment) == (
        SECOND, -1, 0, None,
    )  # fmt: skip
    assert run.records() == [
        (14, SECOND, None),
        (13, SECOND, None),
        (10, SECOND, None),
        (11, 6, HASH_OF_B),
    ]

    run.passes(INTERVAL_MS)
    response, records = run.written_by(FIRST, 4)
    assert response == (6, {"b": [0, 1]})
    assert records == [
        (13, FIRST, [("b", [0, 1])]),
        (12, 6),
        (14, FIRST, 6, 5, [("b", [0, 1])]),
    ]
    run.beat(FIRST, -1)
    assert run.records() == [
        (14, FIRST, None),
        (13, FIRST, None),
        (10, FIRST, None),
        (11, 7, 0),
    ]
    assert (run.group.state_name, run.group.epoch, run.group.target_epoch) == ("Empty", 7, 6)

    assert run.delete("s") == [("s", 0)]
    assert run.records() == [
        (15, [], [], [("b", "b"), ("a", "a")]),
        (12, "s", None),
        (15, "s", None),
        (11, "s", None),
    ]
    (deletion,) = run.deletions
    assert (deletion.group_id, deletion.topics) == ("s", {A: ("a", [0, 1, 2]), B: ("b", [0, 1])})
    assert run.groups.groups == {}
