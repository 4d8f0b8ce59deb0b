"""The files that the image's build needs. tests/ecosystem/image/test_image.py builds it."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

from hatch_build import DOCUMENTS
from tests.broker_process import ROOT
from tidemark.config import RELEASES
from tidemark_http.static import CONSOLE, Folder, docs_folder
from tidemark_tools.set_up import FILES

DOCKERFILE = ROOT / "docker" / "Dockerfile"
IGNORED = DOCKERFILE.with_name("Dockerfile.dockerignore")


def copied() -> list[str]:
    """Return the files and directories that the Dockerfile copies from the build context."""
    lines = re.findall(r"^COPY (?!--from)(.+)$", DOCKERFILE.read_text(), re.MULTILINE)
    return [name for line in lines for name in line.split()[:-1]]


def test_build_context_contains_exactly_the_copied_files() -> None:
    everything, *patterns = IGNORED.read_text().splitlines()
    assert everything == "*"
    assert {pattern[1:] for pattern in patterns if pattern.startswith("!")} == set(copied())


def test_labels_name_the_releases_of_kafka() -> None:
    labels = dict(re.findall(r'tidemark\.kafka\.(\w+)="([^"]+)"', DOCKERFILE.read_text()))
    named = list(filter(None, RELEASES))
    assert labels == {"release": named[-1], "releases": " ".join(named)}


def build_wheel(tmp_path: Path) -> Path:
    """Return the wheel that is built from the copied files alone."""
    for name in copied():
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            (tmp_path / name).parent.mkdir(exist_ok=True)
            shutil.copy(ROOT / name, tmp_path / name)
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel"]
    built = subprocess.run(build, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    (wheel,) = (tmp_path / "dist").glob("tidemark_broker-*-py3-none-any.whl")
    return wheel


def test_wheel_builds_from_the_copied_files(tmp_path: Path) -> None:
    with zipfile.ZipFile(build_wheel(tmp_path)) as wheel:
        found = set(wheel.namelist())
    assert {f"tidemark_http/console/{name}" for name in Folder(CONSOLE).names} <= found
    assert {f"tidemark/monitoring/{name}" for name in FILES.values()} <= found
    pages = [path for path in (ROOT / "docs").rglob("*") if path.suffix in DOCUMENTS]
    assert {f"tidemark_http/{path.relative_to(ROOT)}" for path in pages} <= found
    assert set(docs_folder().names) == {str(path.relative_to(ROOT / "docs")) for path in pages}
