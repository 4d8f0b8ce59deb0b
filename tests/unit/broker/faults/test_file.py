"""The file of faults at the start: YAML or JSON, and one line for each thing that is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from tidemark.config import Config, ConfigError
from tidemark.faults.file import read_faults
from tidemark.faults.model import Fault
from tidemark_protocol.errors import ErrorCode


def written(folder: Path, text: str) -> Path:
    path = folder / "faults.yaml"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    "text",
    [
        "- api: Produce\n  error: NOT_LEADER_OR_FOLLOWER\n  times: 2\n- pause: true\n  for_ms: 100\n",
        '[{"api": "Produce", "error": 6, "times": 2}, {"pause": true, "for_ms": 100}]',
    ],
)
def test_file_is_yaml_or_json(tmp_path: Path, text: str) -> None:
    first, second = read_faults(written(tmp_path, text), [1])
    assert first == Fault(api="Produce", error=ErrorCode.NOT_LEADER_OR_FOLLOWER, times=2)
    assert second == Fault(pause=True, for_ms=100)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("api: Produce", "must contain a list of faults"),
        ("- [", "is not valid YAML: while parsing"),
        ("- drop: true\n- drop: true\n  api: Produc\n", "fault 2: api must be the name of an API of Kafka"),
        ("- drop: true\n  drop: true\n", "drop is given twice"),
        ("- api: OffsetCommit\n  error: NOT_COORDINATOR\n  level: top\n", "fault 1: level must be partition"),
    ],
)
def test_wrong_file_is_one_line_with_its_name(tmp_path: Path, text: str, message: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(ConfigError) as refused:
        read_faults(path, [1])
    said = str(refused.value)
    assert said.startswith(f"tidemark.faults.file: {path}")
    assert message in said
    assert "\n" not in said


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="tidemark.faults.file: cannot read .*none.yaml: No such file"):
        read_faults(tmp_path / "none.yaml", [1])


def test_file_needs_the_test_api() -> None:
    with pytest.raises(ConfigError, match="tidemark.faults.file needs tidemark.test.api=true"):
        Config({"tidemark.faults.file": "faults.yaml"})
