"""The workflows of GitHub, and the action that starts tidemark: what they call exists, and the action works.

GitHub has not run them.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from tests.broker_process import ROOT, environment
from tests.needs import program
from tidemark_tools.http_api import Api

WORKFLOWS: Final = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
ACTION: Final = ROOT / "action.yml"
ACTIONLINT: Final = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12"
PROJECT: Final[dict[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PYTHON: Final = "Programming Language :: Python :: "


def pythons() -> list[str]:
    """Return the versions of the classifiers."""
    classifiers = PROJECT["project"]["classifiers"]
    return [each.removeprefix(PYTHON) for each in classifiers if each.startswith(PYTHON)]


def steps(workflow: Path) -> list[dict[str, Any]]:
    jobs = yaml.safe_load(workflow.read_text("utf-8"))["jobs"].values()
    return [step for job in jobs for step in job["steps"]]


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_what_a_workflow_calls_exists(workflow: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    shell = "\n".join(step.get("run", "") for step in steps(workflow))
    assert set(re.findall(r"\bmake ([a-z-]+)", shell)) <= targets
    settings = "\n".join(str(value) for step in steps(workflow) for value in step.get("with", {}).values())
    for path in re.findall(r"(?<![\w/.-])(?:\.ci|docker|broker|release)/[\w./-]+", f"{shell}\n{settings}"):
        assert (ROOT / path).is_file(), path


def test_all_supported_versions_of_python_are_tested_built_and_documented() -> None:
    (ci,) = (path for path in WORKFLOWS if path.stem == "ci")
    assert yaml.safe_load(ci.read_text())["jobs"]["pythons"]["strategy"]["matrix"]["python"] == pythons()
    built = PROJECT["tool"]["cibuildwheel"]["build"]
    assert built == [f"cp{version.replace('.', '')}-*" for version in pythons()]
    for source in PROJECT["tool"]["cibuildwheel"]["test-sources"]:
        assert (ROOT / source).is_file()
    *others, last = pythons()
    assert f"{', '.join(others)} and {last} are tested" in (ROOT / "docs" / "install.md").read_text("utf-8")


@pytest.mark.parametrize(
    "form", sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml")), ids=lambda p: p.stem
)
def test_an_issue_form_has_fields_with_different_ids(form: Path) -> None:
    fields = yaml.safe_load(form.read_text("utf-8")).get("body", [])
    ids = [field["id"] for field in fields]
    assert len(ids) == len(set(ids))
    assert all(field["attributes"]["label"] for field in fields)


def test_the_oldest_supported_python_is_the_required_one() -> None:
    assert PROJECT["project"]["requires-python"] == f">={pythons()[0]}"


def started(tmp_path: Path, **inputs: str) -> tuple[subprocess.CompletedProcess[str], dict[str, str]]:
    """Run the action's last step with these inputs, and our own tidemark. Return its outputs, too."""
    action = yaml.safe_load(ACTION.read_text("utf-8"))
    step = action["runs"]["steps"][-1]
    given = {name: str(each["default"]) for name, each in action["inputs"].items()} | inputs
    variables = {
        name: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda match: given[match[1]], value)
        for name, value in step["env"].items()
    }
    commands = tmp_path / "tidemark" / "bin"
    commands.mkdir(parents=True)
    (commands / "python").symlink_to(sys.executable)
    (commands / "tidemark").write_text(f'#!/bin/sh\nexec {sys.executable} -m tidemark "$@"\n')
    (commands / "tidemark").chmod(0o755)
    outputs = tmp_path / "outputs"
    outputs.touch()
    runner = {"RUNNER_TEMP": str(tmp_path), "GITHUB_OUTPUT": str(outputs)}
    done = subprocess.run(
        ["bash", "-c", step["run"]], env=environment() | variables | runner, capture_output=True, text=True
    )
    found = dict(line.split("=", 1) for line in outputs.read_text().splitlines())
    used = {name: found.get(re.findall(r"outputs\.([\w-]+)", each["value"])[0], "")
            for name, each in action["outputs"].items()}  # fmt: skip
    return done, used


@pytest.mark.slow
def test_the_action_starts_a_broker_with_the_given_settings(tmp_path: Path) -> None:
    settings = "num.partitions=3\n\noffsets.retention.minutes=7\n"
    done, outputs = started(tmp_path, **{"port": "0", "http-port": "0", "settings": settings})
    assert done.returncode == 0, done.stdout + done.stderr
    (ready,) = tmp_path.glob("tidemark-*/ready.json")
    pid = int(re.findall(r'"pid": (\d+)', ready.read_text())[0])
    try:
        assert re.fullmatch(r"127\.0\.0\.1:\d+", outputs["bootstrap-servers"])
        clock = Api(outputs["http"]).get("/v1/clock")
        assert (clock["test_api"], clock["retention_ms"]) == (True, 7 * 60_000)
    finally:
        os.kill(pid, signal.SIGTERM)


@pytest.mark.slow
def test_the_action_fails_with_the_reason_if_the_broker_does_not_start(tmp_path: Path) -> None:
    done, _ = started(tmp_path, **{"port": "0", "http-port": "0", "settings": "offsets.retention.minutes=0"})
    assert done.returncode == 1
    assert "::error::tidemark did not start: " in done.stdout
    assert "offsets.retention.minutes" in done.stdout


@pytest.mark.ecosystem
def test_actionlint_finds_nothing(tmp_path: Path) -> None:
    program("go", "golang")
    subprocess.run(["go", "install", ACTIONLINT], env={**os.environ, "GOBIN": str(tmp_path)}, check=True)
    # It finds the workflows, and with them the action, in the repository of the working directory.
    shutil.copytree(ROOT / ".github", tmp_path / "copy" / ".github")
    shutil.copy(ACTION, tmp_path / "copy")
    subprocess.run(["git", "init", "-q"], cwd=tmp_path / "copy", check=True)
    done = subprocess.run([tmp_path / "actionlint"], cwd=tmp_path / "copy", capture_output=True, text=True)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
