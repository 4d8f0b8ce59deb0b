"""Assignments of large groups pause often, so that they do not stall the loop."""

from __future__ import annotations

import hashlib
import sys
from types import FrameType
from typing import Any

import pytest

from tidemark.groups.consumer.assignors.spec import MemberSpec, member_order, subscribed_ids
from tidemark.groups.consumer.target import ASSIGNORS

MEMBERS = 1000
LINES_MAX = 20_000  # of Python that a step may execute: some milliseconds


def longest_step(steps: Any) -> tuple[Any, int]:
    """Run a generator. Return its result, and how many lines of Python its longest step executed."""
    longest = lines = 0

    def count(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal lines
        lines += 1
        return count

    before = sys.gettrace()
    while True:
        lines = 0
        sys.settrace(count)
        try:
            next(steps)
        except StopIteration as done:
            return done.value, longest
        finally:
            sys.settrace(before)
        longest = max(longest, lines)


@pytest.mark.parametrize("name", ["range", "uniform"])
@pytest.mark.parametrize("homogeneous", [True, False])
def test_no_step_of_a_large_assignment_is_long(name: str, homogeneous: bool) -> None:
    topics = {f"t{number}": hashlib.md5(str(number).encode()).digest() for number in range(100)}
    ids = [hashlib.md5(f"m{number}".encode()).hexdigest() for number in range(MEMBERS)]
    order, in_order = longest_step(member_order(ids, MEMBERS, ids[0]))
    (subscribed, names), in_ids = longest_step(subscribed_ids([*topics], (), topics.get))
    members = {each: MemberSpec(None, None, subscribed, {}, names) for each in order}
    _, in_assignment = longest_step(ASSIGNORS[name](members, dict.fromkeys(topics.values(), 10), homogeneous))
    assert 0 < max(in_order, in_ids, in_assignment) < LINES_MAX
