"""Assignments of large groups pause often, so that they do not stall the loop."""

from __future__ import annotations

import hashlib
import time
from typing import Any

import pytest

from tidemark.groups.consumer.assignors import ASSIGNORS, MemberSpec
from tidemark.groups.consumer.assignors.spec import member_order, subscribed_ids

MEMBERS = 1000
STEP_MAX_MS = 20  # ten times what it needs on an idle machine


def longest_step(steps: Any) -> tuple[Any, float]:
    """Run a generator. Return its result and the CPU time of its longest step, in ms."""
    longest = 0.0
    while True:
        began = time.thread_time()
        try:
            next(steps)
        except StopIteration as done:
            return done.value, longest
        longest = max(longest, (time.thread_time() - began) * 1000)


@pytest.mark.parametrize("name", ["range", "uniform"])
@pytest.mark.parametrize("homogeneous", [True, False])
def test_no_step_of_a_large_assignment_is_long(name: str, homogeneous: bool) -> None:
    topics = {f"t{number}": hashlib.md5(str(number).encode()).digest() for number in range(100)}
    ids = [hashlib.md5(f"m{number}".encode()).hexdigest() for number in range(MEMBERS)]
    order, in_order = longest_step(member_order(ids, MEMBERS, ids[0]))
    (subscribed, names), in_ids = longest_step(subscribed_ids([*topics], (), topics.get))
    members = {each: MemberSpec(None, None, subscribed, {}, names) for each in order}
    _, in_assignment = longest_step(ASSIGNORS[name](members, dict.fromkeys(topics.values(), 10), homogeneous))
    assert max(in_order, in_ids, in_assignment) < STEP_MAX_MS
