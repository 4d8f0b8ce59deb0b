"""docs/faults.md explains every field, and its example is read."""

from __future__ import annotations

import re
from pathlib import Path

from tidemark.faults.file import read_faults
from tidemark.faults.model import FIELDS

ROOT = Path(__file__).resolve().parents[4]
PAGE = (ROOT / "docs" / "faults.md").read_text("utf-8")


def test_file_on_the_page_is_read(tmp_path: Path) -> None:
    (text,) = re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    path = tmp_path / "faults.yaml"
    path.write_text(text)
    assert len(read_faults(path, [1])) == 2


def test_every_field_is_explained() -> None:
    assert [name for name in FIELDS if f"`{name}`" not in PAGE] == []
