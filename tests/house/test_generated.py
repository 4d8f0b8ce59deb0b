"""Generated files are up to date."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from documentation import picture, tables

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("document", tables.DOCUMENTS)
def test_tables_in_a_document_are_up_to_date(document: str) -> None:
    assert tables.made()[ROOT / document] == (ROOT / document).read_text("utf-8")


def test_picture_of_the_architecture_is_up_to_date() -> None:
    assert picture.svg() == picture.FILE.read_text("utf-8")


def test_picture_has_a_line_about_each_package() -> None:
    assert {name for layer in picture.layers() for name in layer} <= picture.ABOUT.keys()


def test_picture_shows_every_package_of_the_broker() -> None:
    folders = {path.parent.name for path in (ROOT / "broker" / "tidemark").glob("*/__init__.py")}
    assert folders <= {name for layer in picture.layers() for name in layer}


def test_generated_codec_is_up_to_date() -> None:
    check = subprocess.run(
        [sys.executable, "-m", "tidemark_protocol.generator", "--check"],
        cwd=ROOT, capture_output=True, text=True, env={"PYTHONPATH": str(ROOT / "protocol")},
    )  # fmt: skip
    assert check.returncode == 0, check.stderr or check.stdout
