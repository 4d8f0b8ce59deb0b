"""The example projects, and the JavaScript of docs/http.md, run as their README says."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.broker_process import ROOT, environment
from tests.clientenv import built, client_python
from tests.ecosystem.image.engine.api import serving
from tests.ecosystem.image.images import BuiltImage
from tests.needs import program
from tidemark_testing import Tidemark

pytestmark = [pytest.mark.ecosystem, pytest.mark.timeout(900)]

EXAMPLES: Final = ROOT / "examples"
JAVASCRIPT: Final = re.compile(r"```js\n(.*?)```", re.DOTALL)
DISTRIBUTION: Final = (
    'if __name__ == "__main__":\n    from tidemark_tools.main import main\n    raise SystemExit(main())\n'
)


@pytest.fixture
def project(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A copy of the example that the test names."""
    folder = tmp_path / "project"
    shutil.copytree(EXAMPLES / request.param, folder)
    return folder


@pytest.fixture
def variables(tmp_path: Path) -> dict[str, str]:
    """The environment in which the command `tidemark` and our packages are found."""
    folder = tmp_path / "bin"
    folder.mkdir()
    command = folder / "tidemark"
    command.write_text(f"#!{sys.executable}\n{DISTRIBUTION}")
    command.chmod(0o755)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    found = environment()
    return {**found, "PATH": f"{folder}{os.pathsep}{found['PATH']}", "TMPDIR": str(temporary)}


def left_behind(variables: dict[str, str]) -> list[str]:
    """Return the temporary directories of brokers that an example has not deleted."""
    return [path.name for path in Path(variables["TMPDIR"]).glob("tidemark-*")]


def run(folder: Path, variables: dict[str, str], *command: str) -> str:
    done = subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, f"{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    return done.stdout


@pytest.mark.parametrize(
    ("project", "tests"), [("pytest-confluent-kafka", 3), ("chaos", 8)], indirect=["project"]
)
def test_pytest_with_confluent_kafka(project: Path, variables: dict[str, str], tests: int) -> None:
    libraries = client_python("confluent-kafka").parents[1].glob("lib/python3*/site-packages")
    path = os.pathsep.join([*map(str, libraries), variables["PYTHONPATH"]])
    plugin = ("-p", "tidemark_testing.plugin") if not installed() else ()
    command = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *plugin)
    shown = run(project, {**variables, "PYTHONPATH": path}, *command)
    assert f"{tests} passed" in shown


def installed() -> bool:
    """Whether pytest finds the plugin by its entry point."""
    from importlib.metadata import entry_points

    return any(each.name == "tidemark" for each in entry_points(group="pytest11"))


# A broker is never ready within a millisecond: the start fails, as if the broker printed nothing.
GO_LATE: Final = """
package billing

import (
	"strings"
	"testing"
	"time"
)

func TestLateBroker(t *testing.T) {
	before := StartTimeout
	StartTimeout = time.Millisecond
	defer func() { StartTimeout = before }()
	_, err := Start(t.TempDir())
	expected := "tidemark has not started within 1ms: signal: killed: "
	if err == nil || !strings.HasPrefix(err.Error(), expected) {
		t.Fatal(err)
	}
}
"""
NODE_LATE: Final = """
import { rejects } from "node:assert/strict";
import { test } from "node:test";
import { Tidemark } from "./tidemark.js";

test("a broker that is late is an error", async () => {
  await rejects(Tidemark.start({}, { timeoutMs: 1 }), /^Error: tidemark is not ready after 1 ms: /);
});
"""
JAVA_LATE: Final = """
package example;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LateTest {
    @Test
    void aBrokerThatIsLateIsAnError() {
        var limit = Duration.ofMillis(1);
        var error = assertThrows(UncheckedIOException.class, () -> Tidemark.start(Map.of(), limit));
        assertTrue(error.getMessage().contains("tidemark has not started within 1 ms: "), error.getMessage());
    }
}
"""


@pytest.mark.parametrize("project", ["go-franz-go"], indirect=True)
def test_go_with_franz_go(project: Path, variables: dict[str, str]) -> None:
    program("go", "golang")
    (project / "late_test.go").write_text(GO_LATE)
    shown = run(project, variables, "go", "test", "-v", "./...")
    assert shown.count("--- PASS") == 4
    assert left_behind(variables) == []


@pytest.mark.parametrize("project", ["node-kafkajs"], indirect=True)
def test_node_with_kafkajs(project: Path, variables: dict[str, str]) -> None:
    program("npm", "npm")
    run(project, variables, "npm", "ci", "--silent", "--no-audit", "--no-fund")
    (project / "late.test.js").write_text(NODE_LATE)
    shown = run(project, variables, "node", "--test", "--test-reporter=tap")
    assert "# pass 5\n# fail 0\n" in shown
    assert left_behind(variables) == []


# Starts a broker with the client of the example, prints its address and waits.
NODE_PARENT: Final = """
import { Tidemark } from "./tidemark.js";
const tidemark = await Tidemark.start();
console.log(tidemark.bootstrapServers);
setInterval(() => {}, 1000);
"""


@pytest.mark.parametrize("project", ["node-kafkajs"], indirect=True)
def test_the_broker_of_a_node_process_ends_when_that_is_killed(
    project: Path, variables: dict[str, str]
) -> None:
    program("node", "nodejs")
    (project / "parent.js").write_text(NODE_PARENT)
    command = ["node", "parent.js"]
    with subprocess.Popen(command, cwd=project, env=variables, stdout=subprocess.PIPE, text=True) as node:
        try:
            assert node.stdout is not None
            host, _, port = node.stdout.readline().strip().rpartition(":")
            with socket.create_connection((host, int(port)), timeout=30) as connection:
                node.kill()
                assert connection.recv(1) == b""
        finally:
            node.kill()


def test_rust_with_rskafka(variables: dict[str, str]) -> None:
    program("cargo", "cargo")
    project = built(EXAMPLES / "rust-rskafka", "cargo", "test", "--no-run", "--quiet", "--locked")
    assert "1 passed; 0 failed" in run(project, variables, "cargo", "test", "--locked", "--test", "billing")


@pytest.mark.parametrize("project", ["java"], indirect=True)
def test_java_with_junit_and_spring_boot(project: Path, variables: dict[str, str]) -> None:
    program("mvn", "maven")
    (project / "src/test/java/example/LateTest.java").write_text(JAVA_LATE)
    temporary = f"-Djava.io.tmpdir={variables['TMPDIR']}"
    run(project, {**variables, "JAVA_TOOL_OPTIONS": temporary}, "mvn", "-q", "-B", "test")
    assert left_behind(variables) == []
    reports = (project / "target" / "surefire-reports").glob("*.txt")
    shown = {report.stem.removeprefix("example."): report.read_text() for report in reports}
    for name, tests in {"BillingTest": 4, "ConnectionTest": 1, "ShippingTest": 1, "LateTest": 1}.items():
        assert f"Tests run: {tests}, Failures: 0, Errors: 0, Skipped: 0" in shown[name]


@pytest.mark.parametrize("project", ["junit"], indirect=True)
def test_junit_with_testcontainers(project: Path, namespaces: None, image: BuiltImage) -> None:
    program("mvn", "maven")
    with serving(image.store, image.name) as (engine, variables):
        run(project, {**os.environ, **variables}, "mvn", "-q", "-B", "test")
        assert engine.containers == {}
    reports = (project / "target" / "surefire-reports").glob("*.txt")
    shown = {report.stem: report.read_text() for report in reports}
    assert sorted(shown) == ["BillingTest", "ExpiryTest"]
    assert "Tests run: 1, Failures: 0, Errors: 0, Skipped: 0" in shown["BillingTest"]
    assert "Tests run: 2, Failures: 0, Errors: 0, Skipped: 0" in shown["ExpiryTest"]


@pytest.fixture
def own() -> Iterator[Tidemark]:
    with Tidemark.start() as tidemark:
        yield tidemark


def test_the_client_for_node_in_the_documentation(own: Tidemark, tmp_path: Path) -> None:
    program("node", "nodejs")
    (shown,) = JAVASCRIPT.findall((ROOT / "docs" / "http.md").read_text("utf-8"))
    (tmp_path / "client.mjs").write_text(shown)
    printed = run(tmp_path, {**os.environ, "TIDEMARK_HTTP": own.http}, "node", "client.mjs")
    assert printed.startswith("Offset 0 of orders-0 of group billing was removed at ")
