"""docs/kips.md has every difference between the proposals and Kafka, and the tests that it names exist."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[2]
PAGE: Final = (ROOT / "docs" / "kips.md").read_text("utf-8")
ROWS: Final = dict(re.findall(r"^\| (\d+) \| (.*) \|$", PAGE, re.MULTILINE))
NAMED: Final = sorted(set(re.findall(r"`(tests/\S+\.py)::(\w+)`", PAGE)))
DIFFERENCES: Final = 41


def test_every_difference_has_a_row() -> None:
    numbers = re.findall(r"^\| (\d+) \|", PAGE, re.MULTILINE)
    assert numbers == [str(number) for number in range(1, DIFFERENCES + 1)]


@pytest.mark.parametrize("number", ROWS)
def test_row_has_both_sides_and_names_a_test(number: str) -> None:
    says, does, held_by = ROWS[number].split(" | ")
    assert says
    assert does
    assert re.fullmatch(r"`tests/\S+\.py::\w+`(, `tests/\S+\.py::\w+`)*", held_by)


@pytest.mark.parametrize(("path", "name"), NAMED)
def test_named_test_exists(path: str, name: str) -> None:
    assert re.search(rf"^(async )?def {name}\(", (ROOT / path).read_text("utf-8"), re.MULTILINE)


@pytest.mark.parametrize("link", sorted(set(re.findall(r"\]\(([^)]+)\)", PAGE))))
def test_link_resolves(link: str) -> None:
    path, _, anchor = link.partition("#")
    target = (ROOT / "docs" / path).resolve()
    assert target.exists()
    if anchor:
        headings = re.findall(r"^#+ (.+)$", target.read_text("utf-8"), re.MULTILINE)
        assert anchor in {heading.lower().replace(" ", "-") for heading in headings}
