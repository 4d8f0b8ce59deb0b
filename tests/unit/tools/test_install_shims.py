"""`tidemark install-shims`: scripts with the names of Kafka's that run our tools."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.broker_process import environment
from tests.kafka_oracle import TOOL_CLASSES
from tidemark_tools.set_up import install_shims, tools


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_each_tool_has_a_shim_in_both_layouts_under_kafkas_name(tmp_path: Path) -> None:
    assert install_shims([str(tmp_path / "new" / "bin")]) == 0
    expected = [f"kafka-{tool}{suffix}" for tool in tools() for suffix in ("", ".sh")]
    assert names(tmp_path / "new" / "bin") == sorted(expected)
    assert {name.removesuffix(".sh") for name in expected} <= set(TOOL_CLASSES)


@pytest.mark.parametrize("name", ["kafka-dump-log.sh", "kafka-dump-log"])
def test_a_shim_passes_on_arguments_streams_and_exit_code(name: str, tmp_path: Path) -> None:
    install_shims([str(tmp_path)])
    ran = subprocess.run(
        [tmp_path / name, "--files", "no such.log"],
        capture_output=True,
        text=True,
        env=environment(),
        check=False,
    )
    assert ran.returncode == 1
    assert ran.stdout == "Dumping no such.log\n"
    assert ran.stderr == "cannot read no such.log: No such file or directory\n"


def test_shims_overwrite_earlier_shims(tmp_path: Path) -> None:
    assert install_shims([str(tmp_path)]) == 0
    first = (tmp_path / "kafka-groups").read_text()
    assert install_shims([str(tmp_path)]) == 0
    assert (tmp_path / "kafka-groups").read_text() == first
    assert os.access(tmp_path / "kafka-groups", os.X_OK)


@pytest.mark.parametrize("theirs", ["#!/bin/bash\nexec java\n", ""])
def test_nothing_is_written_if_another_script_exists(
    theirs: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "kafka-groups.sh").write_text(theirs)
    assert install_shims([str(tmp_path)]) == 1
    assert names(tmp_path) == ["kafka-groups.sh"]
    shim = tmp_path / "kafka-groups.sh"
    assert capsys.readouterr().err == f"{shim} was not written by install-shims; nothing was written\n"


def test_a_symbolic_link_is_not_followed(tmp_path: Path) -> None:
    target = tmp_path / "target"
    (tmp_path / "kafka-groups").symlink_to(target)
    assert install_shims([str(tmp_path)]) == 1
    assert not target.exists()


@pytest.mark.parametrize(("arguments", "code"), [([], 2), (["a", "b"], 2), (["--bogus"], 2), (["--help"], 0)])
def test_without_a_folder_the_usage_is_printed(
    arguments: list[str], code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert install_shims(arguments) == code
    result = capsys.readouterr()
    assert (result.err if code else result.out).startswith("usage: tidemark install-shims DIR\n")
    assert not (result.out if code else result.err)


def test_a_folder_that_cannot_be_created_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    assert install_shims([str(tmp_path / "file" / "bin")]) == 1
    assert capsys.readouterr().err.startswith(f"{tmp_path}/file")
