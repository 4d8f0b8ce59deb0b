"""The files that the image's build needs. tests/ecosystem/test_image.py builds it."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.broker_process import ROOT

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


def test_wheel_builds_from_the_copied_files(tmp_path: Path) -> None:
    for name in copied():
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            (tmp_path / name).parent.mkdir(exist_ok=True)
            shutil.copy(ROOT / name, tmp_path / name)
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel"]
    built = subprocess.run(build, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    assert list((tmp_path / "dist").glob("tidemark_broker-*-py3-none-any.whl"))
