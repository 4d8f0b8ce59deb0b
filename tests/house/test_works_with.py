"""The rows of docs/works-with.md belong to tests that run. test_generated.py compares the page with them."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from tests.ecosystem.works_with.rows import MODULES, Row, rows

ROOT = Path(__file__).resolve().parents[2]
RUN_BY_MAKE = {"ecosystem", "contract"}


@pytest.mark.parametrize("row", rows(), ids=lambda row: row.program)
def test_each_row_is_backed_by_a_test_that_make_runs(row: Row) -> None:
    module = import_module(row.module)
    assert row.test.startswith("test_")
    assert callable(getattr(module, row.test))
    assert {mark.name for mark in module.pytestmark} & RUN_BY_MAKE
    assert (ROOT / row.file).is_file()
    assert row.version
    assert row.shown.endswith(".")


def test_each_module_of_rows_has_one() -> None:
    assert {row.module for row in rows()} == {*MODULES}


def test_no_test_of_the_folder_is_missing_from_the_table() -> None:
    folder = ROOT / "tests" / "ecosystem" / "works_with"
    named = {f"tests.ecosystem.works_with.{file.stem}" for file in folder.glob("test_*.py")}
    assert named <= {*MODULES}
