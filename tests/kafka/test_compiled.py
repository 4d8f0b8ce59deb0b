"""Run every case against the broker whose hot path is compiled by mypyc (hatch_build.py)."""

from __future__ import annotations

import shutil
import subprocess
import sys
from itertools import count
from pathlib import Path

import pytest

from tests.broker_process import ROOT, BrokerProcess
from tests.kafka.case import Case, load
from tests.kafka.recorded_responses import BASE_SETTINGS, Kept, outcomes, read, responses_of


@pytest.mark.ecosystem  # it needs a C compiler, and minutes
@pytest.mark.timeout(900)
@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_compiled_broker_responds_as_kafka_in_every_case(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packages = tmp_path / "packages"
    packages.mkdir()
    # The C code is the same at every level, and -O3 needs as much time as all other steps together.
    subprocess.run([sys.executable, str(ROOT / "hatch_build.py"), str(packages), "0"], check=True)
    assert list(packages.rglob("session.*.so")), "nothing was compiled"
    monkeypatch.setenv("TIDEMARK_TEST_PACKAGES", str(packages))
    cases = [c for c in load().values() if not (c.settings or c.differs or c.restarts)]
    recorded = read()
    number = count()
    responses = responses_of(
        cases, lambda some, at_once: answered(tmp_path / str(next(number)), some, at_once), recorded
    )
    assert {name: kept for name, kept in responses.items() if kept != recorded[name]} == {}


def answered(folder: Path, cases: list[Case], at_once: int) -> dict[str, Kept | str]:
    broker = BrokerProcess(folder, {**BASE_SETTINGS, "tidemark.as": "4.3"})
    broker.start()
    try:
        return outcomes(cases, broker.bootstrap, at_once)
    finally:
        broker.stop()
