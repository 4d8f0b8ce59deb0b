"""The files of the sdist and of the pure wheel, and a run where that is installed. `make dist` does more."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.broker_process import ROOT

pytestmark = pytest.mark.ecosystem


def test_what_is_published_is_complete_and_runs_where_it_is_installed(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "release.dist", "--quick", "--into", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert {built.name.partition("-")[0] for built in tmp_path.iterdir()} == {"tidemark_broker"}
