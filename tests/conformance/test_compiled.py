"""The broker whose hot path is compiled by mypyc (hatch_build.py): every case, faults, quotas, simulation."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from itertools import count
from pathlib import Path
from typing import Final

import pytest

from tests.broker_process import ROOT, BrokerProcess
from tests.conformance.by_release import HELD, NOT_RECORDED, changed
from tests.conformance.case import Broker, Case, load
from tests.conformance.recorded_responses import (
    BASE_SETTINGS,
    MODULES_FOLDER,
    Kept,
    outcomes,
    read,
    responses_of,
)
from tests.conformance.sharing import SHARE_SETTINGS
from tests.kafka_oracle import NEWEST, short_name

pytestmark = [
    pytest.mark.ecosystem,  # it needs a C compiler, and minutes
    pytest.mark.timeout(900),
    pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler"),
]

# Faults and quotas copy and build messages that the cases only pass through.
CHANGE_MESSAGES: Final = (
    "tests/unit/broker/node/test_faults.py",
    "tests/unit/broker/server/test_quotas.py",
    "tests/clients/test_faults.py",
)

SUBCLASSED: Final = ("GroupCommit",)  # by tests/faults/simulation/node.py
SEEDS: Final = 40


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the compiled packages."""
    folder = tmp_path_factory.mktemp("packages")
    # The C code is the same at every level, and -O3 needs as much time as all other steps together.
    build = [sys.executable, str(ROOT / "hatch_build.py"), str(folder), "0", *SUBCLASSED]
    subprocess.run(build, check=True)
    assert list(folder.rglob("session.*.so")), "nothing was compiled"
    return folder


def test_faults_and_quotas_change_compiled_messages(packages: Path, no_worker: None) -> None:
    environment = {**os.environ, "PYTHONPATH": str(packages)}
    compiled = "import tidemark.server.session as s; assert s.__file__.endswith('.so'), s.__file__"
    subprocess.run([sys.executable, "-c", compiled], env=environment, check=True)
    run = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *CHANGE_MESSAGES]
    done = subprocess.run(run, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-5000:]


def test_laws_of_the_simulation_hold_in_the_compiled_broker(packages: Path, no_worker: None) -> None:
    run = [sys.executable, "-m", "tests.faults.simulation", "--count", str(SEEDS)]
    environment = {**os.environ, "PYTHONPATH": str(packages)}
    done = subprocess.run(run, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]


@pytest.mark.parametrize("settings", [{}, SHARE_SETTINGS], ids=["default settings", "share groups"])
def test_compiled_broker_responds_as_kafka_in_every_case(
    packages: Path, settings: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TIDEMARK_TEST_PACKAGES", str(packages))
    not_recorded = NOT_RECORDED[short_name(NEWEST)]
    later = {name for name, found in changed(MODULES_FOLDER, NEWEST).items() if found.because not in HELD}
    cases = [
        c
        for c in load().values()
        if c.brokers == 1
        and c.settings == settings
        and not (c.differs or c.restarts or c.name in not_recorded or c.name in later)
    ]
    recorded = read(NEWEST)
    number = count()
    responses = responses_of(
        cases, lambda some, at_once: answered(tmp_path / str(next(number)), settings, some, at_once), recorded
    )
    assert {name: kept for name, kept in responses.items() if kept != recorded[name]} == {}


def answered(
    folder: Path, settings: dict[str, str], cases: list[Case], at_once: int
) -> dict[str, Kept | str]:
    broker = BrokerProcess(folder, {**BASE_SETTINGS, **settings, "tidemark.as": short_name(NEWEST)})
    broker.start()
    try:
        return outcomes(cases, Broker(broker.bootstrap), at_once)
    finally:
        broker.stop()
