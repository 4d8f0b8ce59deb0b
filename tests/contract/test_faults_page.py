"""The examples of docs/faults.md pass. One run of pytest runs all of them with one broker."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.clientenv import client_python
from tidemark.faults.file import read_faults
from tidemark.faults.model import FIELDS

pytest_plugins = ["pytester"]
pytestmark = [pytest.mark.contract, pytest.mark.slow]

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "faults.md").read_text("utf-8")
EXAMPLES = dict(re.findall(r"^```python\n# (\w+\.py)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))


def test_every_example_passes(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, no_worker: None
) -> None:
    packages = client_python("confluent-kafka").parent.parent.glob("lib/python*/site-packages")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(map(str, packages)))
    pytester.makeini("[pytest]\nasyncio_default_fixture_loop_scope = function\n")
    for name, text in EXAMPLES.items():
        pytester.path.joinpath(name).write_text(text)
    result = pytester.runpytest_subprocess("-q", "--durations=0")
    assert len(EXAMPLES) >= 6
    assert result.parseoutcomes() == {"passed": len(EXAMPLES)}


def test_the_file_on_the_page_is_read(tmp_path: Path) -> None:
    (text,) = re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    path = tmp_path / "faults.yaml"
    path.write_text(text)
    assert len(read_faults(path)) == 2


def test_the_page_explains_every_field() -> None:
    assert [name for name in FIELDS if f"`{name}`" not in PAGE] == []
