"""A broker as a process of its own: ours, or Apache Kafka to verify the tests themselves.

TIDEMARK_TEST_ORACLE=1 starts Apache Kafka instead of ours. TIDEMARK_TEST_BOOTSTRAP=host:port uses a running
broker, which cannot be killed or read on disk: tests that need that are skipped.
TIDEMARK_TEST_PACKAGES=DIR runs ours from the packages in DIR, which hatch_build.py has compiled.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final, Protocol

import pytest

from tests import forks
from tests.kafka_oracle import KafkaNode, accepts

ROOT: Final = Path(__file__).resolve().parent.parent
READY_TIMEOUT_S: Final = 60
STOP_TIMEOUT_S: Final = 30
# Below the ports that Linux gives to clients. All test runs on a machine share them.
PORTS: Final = range(21_000, 29_000, 2)
PORT_LOCKS: Final = Path(tempfile.gettempdir(), f"tidemark-test-ports-{os.getuid()}")


class RunningBroker(Protocol):
    """The operations that tests have on a broker."""

    @property
    def bootstrap(self) -> str: ...

    @property
    def data_dir(self) -> Path: ...

    def kill9(self) -> None:
        """Kill it."""

    def restart(self) -> None:
        """Start it again on the same directory and port."""

    def stop(self) -> None:
        """Stop it cleanly."""


class BrokerProcess:
    """`python -m tidemark serve` on a directory. The first start chooses a free port, later ones keep it."""

    def __init__(
        self,
        folder: Path,
        settings: dict[str, str] | None = None,
        pin_to_core: int | None = None,
        open_files_max: int | None = None,
        *,
        forked: bool = True,
    ) -> None:
        """open_files_max: the limit of open files (RLIMIT_NOFILE).

        forked: start as a fork (tests/forks.py), except for tests that measure a start, memory or stalls.
        """
        self.data_dir = folder / "data"
        self.output = folder / "broker.out"
        self.bootstrap = "127.0.0.1:0"
        self.http = ""
        self.ready_after_s = 0.0
        self._ready_file = folder / "ready.json"
        self._settings = settings or {}
        self._prefix = ["taskset", "-c", str(pin_to_core)] if pin_to_core is not None else []
        if open_files_max is not None:
            self._prefix += ["sh", "-c", 'ulimit -n "$0" && exec "$@"', str(open_files_max)]
        self._forked = forked and "TIDEMARK_TEST_PACKAGES" not in os.environ
        self._process: forks.Forked | subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        assert self._process is not None, "the broker was not started"
        return self._process.pid

    def start(self, timeout_s: float = READY_TIMEOUT_S) -> None:
        """Start it and return once the ready file exists."""
        started = time.monotonic()
        self.launch()
        ready = self._wait_until_ready(started + timeout_s)
        self.ready_after_s = time.monotonic() - started
        self.bootstrap = ready["bootstrap_servers"]
        self.http = ready["http"]

    def launch(self) -> None:
        """Start it without waiting."""
        self.data_dir.parent.mkdir(parents=True, exist_ok=True)
        self._ready_file.unlink(missing_ok=True)
        command, variables = self._command(), environment()
        with self.output.open("ab") as output:
            if self._forked and forks.can_fork(command):
                self._process = forks.start(command, variables, (0, output.fileno(), output.fileno()))
            else:
                self._process = subprocess.Popen(command, stdout=output, stderr=output, env=variables)

    def kill9(self) -> None:
        assert self._process is not None, "the broker was not started"
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()

    def restart(self) -> None:
        self.start()

    def stop(self) -> None:
        if self._process is None or self._process.poll() is not None:
            return
        self._process.terminate()
        try:
            self._process.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self.kill9()
            raise

    @property
    def started(self) -> bool:
        """Return whether the process runs."""
        return self._process is not None and self._process.poll() is None

    def terminate(self) -> None:
        """Send SIGTERM without waiting."""
        assert self._process is not None, "the broker was not started"
        self._process.terminate()

    def wait(self, timeout_s: float) -> int:
        """Wait until it ends. Return its exit code."""
        assert self._process is not None, "the broker was not started"
        return self._process.wait(timeout_s)

    def said(self) -> str:
        """Return everything that it has written to stdout and stderr."""
        return self.output.read_text(errors="replace")

    def _command(self) -> list[str]:
        port = self.bootstrap.split(",")[0].rpartition(":")[2]  # of the first of several brokers
        settings = [f"--set={key}={value}" for key, value in self._settings.items()]
        where = ["--data-dir", str(self.data_dir), "--port", port, "--http-port", "0"]
        return [
            *self._prefix,
            sys.executable,
            "-m",
            "tidemark",
            "serve",
            *where,
            "--ready-file",
            str(self._ready_file),
            *settings,
        ]

    def _wait_until_ready(self, deadline: float) -> dict[str, str]:
        assert self._process is not None
        while True:
            ended = self._process.poll()
            if ended is not None or time.monotonic() > deadline:
                raise RuntimeError(
                    f"the broker did not get ready (exit code {ended}); it said:\n{self.said()[-4000:]}"
                )
            try:
                ready: dict[str, str] = json.loads(self._ready_file.read_text())
                return ready
            except (FileNotFoundError, json.JSONDecodeError):
                time.sleep(0.005)


class OracleBroker(KafkaNode):
    """Apache Kafka with the same interface."""

    def kill9(self) -> None:
        super().stop(signal.SIGKILL)

    def restart(self) -> None:
        self.start()


class ForeignBroker:
    """A broker that was started elsewhere. It can be neither stopped nor restarted."""

    def __init__(self, bootstrap: str) -> None:
        self.bootstrap = bootstrap

    @property
    def data_dir(self) -> Path:
        pytest.skip("TIDEMARK_TEST_BOOTSTRAP names a broker whose files are not ours to read")

    def kill9(self) -> None:
        pytest.skip("TIDEMARK_TEST_BOOTSTRAP names a broker that is not ours to kill")

    def restart(self) -> None: ...

    def stop(self) -> None: ...


def start_broker(
    folder: Path, settings: dict[str, str] | None = None, *, forked: bool = True
) -> RunningBroker:
    """Return the broker that the tests run against, started and ready. forked: if it is a BrokerProcess."""
    foreign = os.environ.get("TIDEMARK_TEST_BOOTSTRAP")
    if foreign:
        return ForeignBroker(foreign)
    if os.environ.get("TIDEMARK_TEST_ORACLE"):
        node = OracleBroker(folder / "kafka", two_free_ports(), settings)
        node.start()
        return node
    broker = BrokerProcess(folder, settings, forked=forked)
    broker.start()
    return broker


def environment() -> dict[str, str]:
    """Return the environment of a child that can import our packages, installed or not."""
    compiled = os.environ.get("TIDEMARK_TEST_PACKAGES")
    ours = [compiled] if compiled else [str(ROOT / name) for name in ("broker", "protocol", "pipeline")]
    ours.append(str(ROOT / "tests" / "without_rich"))
    inherited = {**os.environ, "PYTHONPATH": os.pathsep.join([*ours, os.environ.get("PYTHONPATH", "")])}
    # Keep bytecode: compiling needs half of the time of a start.
    inherited.pop("PYTHONDONTWRITEBYTECODE", None)
    inherited.pop("PYTHONUNBUFFERED", None)  # users rarely set it
    return inherited


def free_port() -> int:
    """Return a free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def two_free_ports() -> int:
    """Return a free port whose successor is free, too, for Kafka's controller.

    No other process gets them while this one lives: Kafka needs seconds to bind a port that it was given.
    """
    PORT_LOCKS.mkdir(exist_ok=True)
    for port in PORTS:
        lock = os.open(PORT_LOCKS / str(port), os.O_WRONLY | os.O_CREAT)  # stays open
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            continue
        if not accepts(port) and not accepts(port + 1):
            return port
    raise RuntimeError("no two neighbouring ports are free")
