"""The index of decisions lists every page with its title, and says which of them others have replaced."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "decisions"
PAGES = sorted(FOLDER.glob("0*.md"))
ROWS = {
    name: (title, state)
    for name, title, state in re.findall(
        r"^\| \[\d{4}\]\(([\w.-]+)\) \| (.+) \| (.+) \|$",
        (FOLDER / "README.md").read_text("utf-8"),
        re.MULTILINE,
    )
}
LATER = re.compile(r"\((0\d{3}[\w-]+\.md)\)")


def test_the_index_has_every_decision_in_order() -> None:
    assert list(ROWS) == [page.name for page in PAGES]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_title_and_state_are_those_of_the_page(page: Path) -> None:
    heading, _, second, *_ = page.read_text("utf-8").splitlines()
    title, state = ROWS[page.name]
    assert heading == f"# {page.name[:4]}: {title}"
    replaced_by = {name for name in LATER.findall(second) if name > page.name and "upersede" in second}
    assert replaced_by == set(LATER.findall(state))
    assert state.startswith("replaced by" if second.startswith("Superseded") else "accepted")
