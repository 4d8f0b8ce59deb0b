"""The sdist and the pure wheel: their files, and the wheel in an environment of its own. `make dist` does more."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.broker_process import ROOT

pytestmark = pytest.mark.ecosystem


def test_what_is_published_is_complete_and_runs_where_it_is_installed() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "release.dist", "--quick"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "tidemark_broker-" in done.stdout
