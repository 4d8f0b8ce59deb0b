"""The worked example of CONTRIBUTING.md works as written, and its examples of tests are those of the code."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
EXAMPLES = dict(re.findall(r"```python\n# (tests/\S+)\n(.*?)```", PAGE, re.DOTALL))
EXAMPLE_LINES_MAX = 12
FOLDERS = ("broker", "documentation", "pipeline", "protocol", "schemas", "docs")


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    for name in FOLDERS:  # with bytecode: compiling would need most of the time of the test
        shutil.copytree(ROOT / name, tmp_path / name)
    shutil.copytree(ROOT / "tests", tmp_path / "tests", ignore=shutil.ignore_patterns("golden"))
    (tmp_path / "tests" / "golden").symlink_to(ROOT / "tests" / "golden")
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
    changes = list(edits(PAGE))
    assert len(changes) == 8
    for file, old, new in changes:
        text = (copy / file).read_text("utf-8")
        assert text.count(old) == 1, f"{file} has no single {old!r}"
        (copy / file).write_text(text.replace(old, new), "utf-8")
    run(copy, "tidemark_protocol.generator")
    said = run(
        copy, "pytest", "-q", "tests/unit/broker/handlers/cluster/test_describe_cluster.py", "-k", "version_3"
    )
    assert "1 passed" in said
    for test in ("test_vectors.py", "test_against_kio.py"):
        run(copy, "pytest", "-q", f"tests/unit/protocol/{test}", "-k", "has_a_vector or known_versions_only")
    run(copy, "documentation")
    assert "| 60 | DescribeCluster | 0-3 | 0-2 | 0-2 |" in (copy / "docs" / "apis.md").read_text("utf-8")


def test_every_kind_of_test_has_its_folder_and_an_example() -> None:
    folders = re.findall(r"^\| `(tests/\w+)` \|", PAGE, re.MULTILINE)
    assert len(folders) == 7
    assert [folder for folder in folders if not (ROOT / folder).is_dir()] == []
    assert sorted(folders) == sorted({"/".join(file.split("/")[:2]) for file in EXAMPLES})


@pytest.mark.parametrize("file", EXAMPLES)
def test_example_is_the_code_of_its_file(file: str) -> None:
    example = EXAMPLES[file]
    assert example in (ROOT / file).read_text("utf-8")
    assert example.count("\n") <= EXAMPLE_LINES_MAX


def test_every_marker_is_listed() -> None:
    """pytest refuses others (--strict-markers)."""
    markers = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["pytest"]["ini_options"][
        "markers"
    ]
    listed = re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)
    assert listed == [marker.partition(":")[0] for marker in markers]
