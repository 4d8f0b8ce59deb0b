"""The image is built from the Dockerfile and run as Docker would run it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.broker_process import free_port
from tests.clientenv import client_python
from tests.ecosystem.image import images
from tests.ecosystem.image.images import BuiltImage, Container
from tests.house.test_dockerfile import DOCKERFILE
from tests.house.test_readme import first_consumer, printed

# The first build on a machine creates the base image.
pytestmark = [pytest.mark.ecosystem, pytest.mark.timeout(1800)]

PATIENCE_S: Final = 60
HEALTHY_WITHIN_S: Final = 2
STARTS_MAX: Final = 20
ABOVE_BASE_MB: Final = 120
NANOSECONDS: Final = 10**9
BUILD_TOOLS: Final = ("pip", "pip3", "gcc", "cc", "c++", "make", "hatch")
BUILD_PACKAGES: Final = ("pip", "ensurepip", "setuptools", "wheel", "hatchling", "mypy")


class RunningImage:
    """The image's entry point in a container, on free ports."""

    def __init__(
        self, image: BuiltImage, container: Container, output: Path, user: str | None = None
    ) -> None:
        self._container = container
        self._check = image.health["Test"][1:]
        self._user = user or image.config["User"]
        self._environment = {"KAFKA_TIDEMARK_HTTP_LISTENER": f"0.0.0.0:{free_port()}"}
        self._output = output
        entry_point = [*image.config["Entrypoint"], "--port", "0"]
        started = time.monotonic()
        with output.open("wb") as file:
            self._process = subprocess.Popen(self._command(entry_point), stdout=file, stderr=file)
        self.ready = self._wait_until_ready(started + PATIENCE_S)
        self.ready_after_s = time.monotonic() - started

    def healthy(self) -> int:
        """Return the exit code of the health check."""
        return subprocess.run(self._command(self._check), timeout=PATIENCE_S).returncode

    def user(self) -> tuple[int, int]:
        """Return the user and group id of the broker's process."""
        status = Path(f"/proc/{self.ready['pid']}").stat()
        return status.st_uid, status.st_gid

    def terminate(self) -> int:
        """Send SIGTERM to the broker and return its exit code."""
        os.kill(self.ready["pid"], signal.SIGTERM)
        return self._process.wait(PATIENCE_S)

    def kill(self) -> None:
        """End it if it still runs; buildah also ends its child."""
        self._process.terminate()
        self._process.wait(PATIENCE_S)

    def _command(self, arguments: list[str]) -> list[str]:
        return self._container.command(arguments, self._environment, self._user)

    def _wait_until_ready(self, deadline: float) -> dict[str, Any]:
        while True:
            for line in self._output.read_text().splitlines(keepends=True):
                if line.startswith("{") and line.endswith("\n"):
                    ready: dict[str, Any] = json.loads(line)
                    return ready
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.kill()
                raise AssertionError(f"the broker is not ready:\n{self._output.read_text()[-4000:]}")
            time.sleep(0.01)


@pytest.fixture
def container(image: BuiltImage) -> Iterator[Container]:
    with image.store.container(image.name) as container:
        yield container


@pytest.fixture
def running(image: BuiltImage, container: Container, tmp_path: Path) -> Iterator[RunningImage]:
    running = RunningImage(image, container, tmp_path / "broker.out")
    yield running
    running.kill()


def megabytes(size: str) -> float:
    number, unit = size.split()
    assert unit in ("MB", "GB"), size
    return float(number) * (1000 if unit == "GB" else 1)


def test_image_is_little_larger_than_its_base(image: BuiltImage, capsys: pytest.CaptureFixture[str]) -> None:
    size, base = image.store.size(image.name), image.store.size(images.BASE)
    with capsys.disabled():
        print(f"\nimage: {size}, base: {base}")
    assert megabytes(size) - megabytes(base) < ABOVE_BASE_MB


def test_hadolint_has_no_complaint() -> None:
    hadolint = client_python("hadolint").with_name("hadolint")
    done = subprocess.run([hadolint, DOCKERFILE], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def test_image_serves_a_client_as_its_user_and_stops_at_sigterm(
    image: BuiltImage, running: RunningImage
) -> None:
    user, _, group = image.config["User"].partition(":")
    assert running.user() == (int(user), int(group))
    assert int(user) != 0
    python = client_python("kafka-python")
    code = first_consumer(running.ready["bootstrap_servers"])
    # The second run begins after the offsets that the first has committed.
    assert printed(python, code) == [f"0 {number} order {number}" for number in range(10)]
    assert printed(python, code) == [f"0 {10 + number} order {number}" for number in range(10)]
    assert running.terminate() == 0


def test_entry_point_is_the_first_process_and_gets_the_signals(
    image: BuiltImage, container: Container
) -> None:
    # A shell would get SIGTERM instead: an entry point in shell form begins with /bin/sh.
    assert image.config["Entrypoint"] == ["/etc/kafka/docker/run"]
    assert not image.config.get("Cmd")
    script = container.output("cat", *image.config["Entrypoint"])
    assert script.splitlines()[-1].startswith("exec tidemark serve ")


def test_user_is_a_number(image: BuiltImage) -> None:
    assert re.fullmatch(r"\d+:\d+", image.config["User"])  # Kubernetes' runAsNonRoot cannot look up a name


def test_every_user_of_group_0_can_run_it(image: BuiltImage, container: Container, tmp_path: Path) -> None:
    running = RunningImage(image, container, tmp_path / "broker.out", user="4711:0")
    assert running.user() == (4711, 0)
    assert running.terminate() == 0


def test_health_check_follows_the_broker(image: BuiltImage, running: RunningImage) -> None:
    assert image.health["Test"][0] == "CMD"
    assert running.healthy() == 0
    assert running.terminate() == 0
    assert running.healthy() == 1  # Docker reserves the other codes


def test_container_is_healthy_within_two_seconds(
    image: BuiltImage, container: Container, tmp_path: Path
) -> None:
    """Docker checks an interval after the start, and then an interval after each check.

    With a start period Docker 26 and later wait five seconds for the first check. The machine may be busy, so
    the container is started until one start is quick enough.
    """
    interval_s = image.health["Interval"] / NANOSECONDS
    assert not image.health.get("StartPeriod")
    took_s: list[float] = []
    while not took_s or (took_s[-1] // interval_s + 1) * interval_s >= HEALTHY_WITHIN_S:
        assert len(took_s) < STARTS_MAX, took_s
        running = RunningImage(image, container, tmp_path / f"{len(took_s)}.out")
        took_s.append(running.ready_after_s)
        assert running.terminate() == 0


def test_image_has_no_build_tools(container: Container) -> None:
    found = container.output("sh", "-c", f"for tool in {' '.join(BUILD_TOOLS)}; do command -v $tool; done")
    assert found == ""
    search = (
        f"import importlib.util; print([name for name in {BUILD_PACKAGES} if importlib.util.find_spec(name)])"
    )
    for python in ("python", "/usr/bin/python3"):
        assert container.output(python, "-c", search) == "[]\n"


def test_image_has_the_compiled_broker_and_no_pipeline(container: Container) -> None:
    search = (
        "import importlib.util as u, tidemark_protocol.wire as w; "
        "pipeline = ('tidemark_pipeline', 'pyspark_tidemark'); "
        "print(w.__file__.endswith('.so'), [name for name in pipeline if u.find_spec(name)])"
    )
    assert container.output("python", "-c", search) == "True []\n"


def test_settings_of_the_build_stay_out_of_the_image(image: BuiltImage, container: Container) -> None:
    found = container.output("find", "/", "-xdev", "(", "-name", "pip.conf", "-o", "-name", "ca.pem", ")")
    assert found == ""
    assert [name for name in image.config["Env"] if name.startswith(("PIP_", "SSL_"))] == []
