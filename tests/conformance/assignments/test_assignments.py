"""Assignments of random groups equal those of Kafka's assignors, in the order of the records, too.

In these groups members join, leave, return under a new id and change their subscriptions, while topics are
created, grow and are deleted. Each assignment starts from the one before.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.assignments.played import Group, topic_id
from tests.conformance.assignments.record import recorded

GROUPS = recorded("assignments")


@pytest.mark.parametrize("number", range(len(GROUPS)))
def test_assignments_equal_kafkas(number: int) -> None:
    group = Group(GROUPS[number]["assignor"])
    for step in GROUPS[number]["steps"]:
        changes = group.play(step)
        if changes is not None:
            assert changes == [(member, _assigned(topics)) for member, topics in step["targets"]]


def _assigned(topics: list[Any]) -> list[tuple[bytes, list[int]]]:
    return [(topic_id(text), partitions) for text, partitions in topics]
