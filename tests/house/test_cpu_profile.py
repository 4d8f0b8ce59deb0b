"""The profile of a commit attributes its time to functions that exist."""

from __future__ import annotations

import re

import pytest

from bench import profile
from bench.profile import DOCUMENT, PLACE, STEPS, functions, names_without_function, step_of

pytestmark = pytest.mark.slow  # it reads all of the source

PAGE = PLACE.search(DOCUMENT.read_text("utf-8"))
PRINTED = re.compile(r"(tidemark\w*/\S+\.py:\S+) \d")


def test_each_name_of_a_step_is_a_function() -> None:
    assert names_without_function() == []


def test_a_name_that_matches_nothing_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    stale = r"tidemark/server/session\.py:Session\._slot"
    monkeypatch.setattr(profile, "STEPS", (*STEPS, ("frames", 0.1, (stale,))))
    assert names_without_function() == [stale]


def test_innermost_frame_that_a_step_owns_decides() -> None:
    submit = "tidemark/engine/coordinator.py:Runtime.submit"
    decide = "tidemark/handlers/groups/offset_commit.py:offset_commit"
    assert step_of(f"python3.11/json.py:loads;{decide};{submit}") == "decide"
    assert step_of(submit) == "dispatch, submit"


def test_page_prints_current_steps_and_functions() -> None:
    assert PAGE is not None
    text = PAGE[0]
    assert [name for name, _, _ in STEPS if f"| {name} |" not in text] == []
    known = set(functions())
    assert [name for name in PRINTED.findall(text) if name not in known] == []
