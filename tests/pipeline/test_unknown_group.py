"""A group that a log of any size does not have is an error before Spark starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.pipeline.generate import generate
from tidemark_pipeline.cli import reading
from tidemark_pipeline.cli.options import parse
from tidemark_pipeline.model import NoSuchGroup


@pytest.fixture(scope="module")
def log_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("generated") / "data"
    generate(place, records=3_000, segments=3, group_count=20)
    return place


def check(log_dir: Path, group: str) -> None:
    asked = parse(["removals", "--log-dir", str(log_dir), "--group", group])
    reading.begin(asked, now_ms=0).check_group()


@pytest.mark.parametrize("small", [True, False])
def test_an_unknown_group_is_named_with_similar_ones(
    log_dir: Path, monkeypatch: pytest.MonkeyPatch, small: bool
) -> None:
    if not small:
        monkeypatch.setattr(reading, "SMALL_BYTES", 1_000)
    name = "billing-0-3"
    check(log_dir, name)
    check(log_dir, f"{name[:-1]}*")
    with pytest.raises(NoSuchGroup, match=rf"^No group {name}x in this log; did you mean .*{name}"):
        check(log_dir, f"{name}x")
    with pytest.raises(NoSuchGroup, match=r"^No group in this log matches nothing-\*; it has "):
        check(log_dir, "nothing-*")
