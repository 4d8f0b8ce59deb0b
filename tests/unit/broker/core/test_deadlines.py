from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tidemark.core.deadlines import Deadlines


def test_due_keys_are_returned_once_and_earliest_first() -> None:
    deadlines = Deadlines()
    deadlines.set("late", 30)
    deadlines.set("early", 10)
    assert deadlines.pop_due(9, 10) == []
    assert deadlines.pop_due(30, 10) == ["early", "late"]
    assert deadlines.pop_due(30, 10) == []


def test_at_most_the_requested_number_of_keys_is_returned() -> None:
    deadlines = Deadlines()
    for number in range(5):
        deadlines.set(f"k{number}", number)
    assert deadlines.pop_due(100, 2) == ["k0", "k1"]
    assert deadlines.pop_due(100, 9) == ["k2", "k3", "k4"]


def test_a_later_deadline_replaces_an_earlier_one() -> None:
    deadlines = Deadlines()
    deadlines.set("k", 10)
    deadlines.set("k", 20)
    assert deadlines.next() == 20
    assert deadlines.pop_due(19, 1) == []
    assert deadlines.pop_due(20, 1) == ["k"]


def test_a_disarmed_key_is_never_due() -> None:
    deadlines = Deadlines()
    deadlines.set("k", 10)
    deadlines.set("k", None)
    assert deadlines.next() is None
    assert deadlines.pop_due(100, 1) == []


def test_passed_leaves_keys_armed() -> None:
    deadlines = Deadlines()
    for number in range(5):
        deadlines.set(f"k{number}", number)
    assert len(deadlines.peek_due(100, 2)) == 2
    assert deadlines.peek_due(1, 9) == ["k0", "k1"]
    assert deadlines.pop_due(100, 9) == ["k0", "k1", "k2", "k3", "k4"]


@given(
    st.lists(
        st.tuples(st.sampled_from("abcd"), st.one_of(st.none(), st.integers(0, 20)), st.integers(0, 3)),
        max_size=60,
    )
)
def test_deadlines_equal_a_plain_dict(steps: list[tuple[str, int | None, int]]) -> None:
    deadlines, plain, now = Deadlines(), dict[str, int](), 0
    for key, at_ms, passes in steps:
        deadlines.set(key, at_ms)
        plain.pop(key, None)
        if at_ms is not None:
            plain[key] = at_ms
        assert deadlines.next() == min(plain.values(), default=None)
        now += passes
        expected = sorted((at, k) for k, at in plain.items() if at <= now)
        assert sorted(deadlines.peek_due(now, 10)) == sorted(k for _, k in expected)
        assert sorted(deadlines.pop_due(now, 10)) == sorted(k for _, k in expected)
        for _, k in expected:
            del plain[k]
