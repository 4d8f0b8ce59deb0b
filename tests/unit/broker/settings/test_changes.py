"""The changes that a release of Kafka made, and the page that describes them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tidemark.config import RELEASES
from tidemark.settings.release import Change

PAGE = Path(__file__).resolve().parents[4] / "docs" / "kafka-4.4.md"


@pytest.mark.parametrize("change", Change)
def test_each_change_is_described_as_done(change: Change) -> None:
    done, _, _ = PAGE.read_text("utf-8").partition("## Not in")
    assert change.value in re.findall(r"^### (.+)$", done, re.MULTILINE)


def test_4_4_has_every_change_and_older_releases_have_none() -> None:
    assert all(map(RELEASES["4.4"].has, Change))
    for name in ("3.9", "4.0", "4.1", "4.2", "4.3"):
        assert not any(map(RELEASES[name].has, Change))
