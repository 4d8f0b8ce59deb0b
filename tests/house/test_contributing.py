"""The worked example of CONTRIBUTING.md works as written."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("broker", "documentation", "pipeline", "protocol", "schemas", "docs")


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    for name in FOLDERS:
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(
        ROOT / "tests", tmp_path / "tests", ignore=shutil.ignore_patterns("__pycache__", "golden")
    )
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def edits(page: str) -> Iterator[tuple[str, str, str]]:
    """Yield file, old text and new text of each change in the diff blocks of the worked example."""
    (example,) = re.findall(r"## A worked example.*?(?=\n## )", page, re.DOTALL)
    for block in re.findall(r"```diff\n(.*?)```", example, re.DOTALL):
        for part in block.split("--- ")[1:]:
            file, _, lines = part.partition("\n")
            for old, new in re.findall(r"((?:^-.*\n)+)((?:^\+.*\n)+)", lines, re.MULTILINE):
                yield file, unmarked(old), unmarked(new)


def unmarked(lines: str) -> str:
    return re.sub("^[-+]", "", lines, flags=re.MULTILINE)


def run(folder: Path, *arguments: str) -> str:
    path = os.pathsep.join(str(folder / name) for name in ("", "broker", "protocol", "pipeline"))
    done = subprocess.run(
        [sys.executable, "-m", *arguments],
        cwd=folder, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.usefixtures("no_worker")
def test_worked_example_serves_a_new_version_of_an_api(copy: Path) -> None:
    changes = list(edits((ROOT / "CONTRIBUTING.md").read_text("utf-8")))
    assert len(changes) == 6
    for file, old, new in changes:
        text = (copy / file).read_text("utf-8")
        assert text.count(old) == 1, f"{file} has no single {old!r}"
        (copy / file).write_text(text.replace(old, new), "utf-8")
    run(copy, "tidemark_protocol.generator")
    said = run(
        copy, "pytest", "-q", "tests/unit/broker/handlers/cluster/test_describe_cluster.py", "-k", "version_3"
    )
    assert "1 passed" in said
    run(copy, "documentation")
    assert "| 60 | DescribeCluster | 0-3 | 0-2 |" in (copy / "docs" / "apis.md").read_text("utf-8")
