"""The share tests of franz-go's own suite (KIP-932), against one broker and three."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

from tests.broker_process import BrokerProcess
from tests.clientenv import built
from tests.clients.children import CLIENTS

pytestmark = [pytest.mark.contract, pytest.mark.slow, pytest.mark.ecosystem, pytest.mark.timeout(900)]

RECORDS: Final = "10000"  # of its pipeline of two share groups, whose members come and go
ENDED: Final = re.compile(r"^--- (PASS|FAIL|SKIP): (\w+)", re.MULTILINE)
AGAINST_A_BROKER: Final = {
    "TestShareGroup",
    "TestShareGroupETL",
    "TestShareGroupAckOnClose",
    "TestShareGroupOffsetsAdmin",
    "TestConsumeRegexShareSkipsInternal",
}


@pytest.mark.parametrize("brokers", [1, 3])
def test_franz_gos_own_share_tests_pass(brokers: int, tmp_path: Path) -> None:
    if shutil.which("go") is None:
        pytest.skip("Go is not installed")
    # The module of the client that we pin contains its tests.
    suite = "github.com/twmb/franz-go/pkg/kgo"
    folder = built(CLIENTS / "franz-go", "go", "test", "-c", "-o", "kgo.test", suite)
    cluster = BrokerProcess(tmp_path, {"tidemark.brokers": f"{brokers}"})
    cluster.start()
    try:
        ended = subprocess.run(
            [folder / "kgo.test", "-test.run", "Share", "-test.v", "-test.timeout", "800s"],
            cwd=tmp_path,
            env={
                **os.environ,
                "KGO_SEEDS": cluster.bootstrap,
                "KGO_TEST_RF": f"{brokers}",
                "KGO_TEST_RECORDS": RECORDS,
            },
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        cluster.stop()
    outcomes = {name: outcome for outcome, name in ENDED.findall(ended.stdout)}
    assert set(outcomes.values()) == {"PASS"}, ended.stdout[-5000:] + ended.stderr[-2000:]
    assert outcomes.keys() >= AGAINST_A_BROKER
    assert ended.returncode == 0, ended.stderr[-2000:]
