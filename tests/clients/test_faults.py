"""Faults and chaos with real clients: the examples of their pages, and each kind of fault with two libraries.

The stories are in clients/fault_stories.py. One run of pytest, with one broker, has examples and stories.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.clientenv import client_python
from tidemark_testing.client import Tidemark

pytest_plugins = ["pytester"]
pytestmark = [pytest.mark.contract, pytest.mark.slow]

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = "\n".join((DOCS / page).read_text("utf-8") for page in ("faults.md", "chaos.md"))
EXAMPLES = dict(re.findall(r"^```python\n# (\w+\.py)\n(.*?)^```$", PAGES, re.MULTILINE | re.DOTALL))
STORIES = Path(__file__).parent / "clients" / "fault_stories.py"
LIBRARIES = ("confluent-kafka", "kafka-python", "aiokafka")
QUIET = ("-W", "ignore::DeprecationWarning")  # kafka-python uses deprecated features of Python
TWO_WORKERS = """
import os
import time
from pathlib import Path

import pytest
from fault_stories import DEADLINE_S, AioKafka, Confluent, KafkaPython

MARKS = Path(os.environ["MARKS"])
SETS_FAULTS = os.environ["PYTEST_XDIST_WORKER"] == "gw0"


def wait_for(mark):
    for _ in range(DEADLINE_S * 100):
        if (MARKS / mark).exists():
            return
        time.sleep(0.01)
    raise AssertionError(f"the other worker did not write {mark}")


@pytest.mark.parametrize("library", [Confluent, KafkaPython, AioKafka])
def test_faults(tidemark, library):
    topic, group = tidemark.topic("orders"), tidemark.name("billing")
    client, name = library(tidemark.bootstrap_servers), library.__name__
    if SETS_FAULTS:
        faults = [
            tidemark.faults.add(api="Produce", topic="orders", error="TOPIC_AUTHORIZATION_FAILED"),
            tidemark.faults.add(api="OffsetCommit", group="billing", error="GROUP_AUTHORIZATION_FAILED"),
            tidemark.faults.add(client_id=tidemark.name("nobody"), drop=True),
        ]
        (MARKS / f"{name} set").touch()
        wait_for(f"{name} done")
        assert [fault.matched for fault in faults] == [0, 0, 0]
        assert client.produce(topic) is not None
        assert client.commit(topic, group) is not None
        assert [fault.matched > 0 for fault in faults] == [True, True, False]
        assert len(tidemark.faults) == 3
        (MARKS / f"{name} seen").touch()
    else:
        wait_for(f"{name} set")
        assert len(tidemark.faults) == 0
        tidemark.faults.clear()
        assert client.produce(topic) is None
        assert client.commit(topic, group) is None
        (MARKS / f"{name} done").touch()
        wait_for(f"{name} seen")


@pytest.mark.parametrize("fault", [{"pause": True}, {"api": "Produce", "drop": True}])
def test_faults_of_everybody(tidemark, fault):
    tidemark.faults.add(**fault)
"""


@pytest.fixture
def real_clients(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the pytest that a test runs import the client libraries, and what this one could."""
    environments = [client_python(name).parent.parent for name in LIBRARIES]
    found = [str(path) for each in environments for path in each.glob("lib/python*/site-packages")]
    given = os.environ.get("PYTHONPATH")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([*found, given] if given else found))
    pytester.makeini("[pytest]\nasyncio_default_fixture_loop_scope = function\n")


def test_examples_and_stories_pass(pytester: pytest.Pytester, no_worker: None, real_clients: None) -> None:
    for name, text in EXAMPLES.items():
        pytester.path.joinpath(name).write_text(text)
    pytester.path.joinpath("test_stories.py").write_text(STORIES.read_text("utf-8"))
    result = pytester.runpytest_subprocess("-q", "--durations=12", "--timeout=60", *QUIET)
    outcomes = result.parseoutcomes()
    assert set(outcomes) == {"passed"}, outcomes
    assert len(EXAMPLES) >= 6 and outcomes["passed"] >= len(EXAMPLES) + 40


def test_faults_of_one_worker_leave_the_clients_of_another_alone(
    tidemark: Tidemark,
    pytester: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
    no_worker: None,
    real_clients: None,
) -> None:
    """Two workers of pytest-xdist share the broker, and prefixes keep them apart."""
    pytester.path.joinpath("fault_stories.py").write_text(STORIES.read_text("utf-8"))
    pytester.path.joinpath("test_workers.py").write_text(TWO_WORKERS)
    monkeypatch.setenv("MARKS", str(pytester.mkdir("marks")))
    broker = ("--tidemark-bootstrap", tidemark.bootstrap_servers, "--tidemark-http", tidemark.http)
    workers = ("--tidemark-mode", "external", "--tidemark-isolation", "prefix", "-n", "2", "--dist", "each")
    result = pytester.runpytest_subprocess("-q", "-rs", "--timeout=60", *QUIET, *broker, *workers)
    result.assert_outcomes(passed=6, skipped=4)
    result.stdout.fnmatch_lines(["*faults.add() without group or topic would disturb the other workers*"])
    assert len(tidemark.faults) == 0, "the end of a test removes its faults"
