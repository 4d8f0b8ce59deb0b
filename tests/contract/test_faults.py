"""Faults with real clients: the examples of docs/faults.md, and each kind of fault with two libraries.

The stories are in clients/fault_stories.py. One run of pytest, with one broker, has examples and stories.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.clientenv import client_python

pytest_plugins = ["pytester"]
pytestmark = [pytest.mark.contract, pytest.mark.slow]

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "faults.md").read_text("utf-8")
EXAMPLES = dict(re.findall(r"^```python\n# (\w+\.py)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
STORIES = Path(__file__).parent / "clients" / "fault_stories.py"
LIBRARIES = ("confluent-kafka", "kafka-python", "aiokafka")
QUIET = ("-W", "ignore::DeprecationWarning")  # kafka-python uses deprecated features of Python


def test_examples_and_stories_pass(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, no_worker: None
) -> None:
    environments = [client_python(name).parent.parent for name in LIBRARIES]
    found = [str(path) for each in environments for path in each.glob("lib/python*/site-packages")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(found))
    pytester.makeini("[pytest]\nasyncio_default_fixture_loop_scope = function\n")
    for name, text in EXAMPLES.items():
        pytester.path.joinpath(name).write_text(text)
    pytester.path.joinpath("test_stories.py").write_text(STORIES.read_text("utf-8"))
    result = pytester.runpytest_subprocess("-q", "--durations=12", "--timeout=60", *QUIET)
    outcomes = result.parseoutcomes()
    assert set(outcomes) == {"passed"}, outcomes
    assert len(EXAMPLES) >= 6 and outcomes["passed"] >= len(EXAMPLES) + 40
