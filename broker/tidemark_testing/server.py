"""The broker of a test: in a thread of the test process, in a process of its own, or an external one.

container.py has one in a container. All have the same interface: the addresses for clients and for HTTP.
Everything beyond Kafka's protocol uses HTTP in every mode, so that tests do not depend on the mode.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import socket
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any, Final, Protocol, runtime_checkable

from tidemark.clock import SystemClock
from tidemark.settings.listeners import replace_port
from tidemark_testing.http import Api, ApiError, NoResponse

START_S: Final = 30.0
STOP_S: Final = 10.0
POLL_S: Final = 0.005
CONNECT_S: Final = 5.0
OUTPUT_CHARS: Final = 4000
# A test run need not survive a power failure, and should not wait for further members.
SETTINGS: Final = {
    "listeners": "PLAINTEXT://127.0.0.1:0",
    "tidemark.http.listener": "127.0.0.1:0",
    "tidemark.test.api": "true",
    "tidemark.sync": "never",
    "group.initial.rebalance.delay.ms": "0",
}


class CannotServe(Exception):
    """There is no broker to test against. The message is for the person who started the tests."""


class Server(Protocol):
    """A broker for tests.

    bootstrap_servers  for Kafka clients
    http               host:port of /v1, None for Apache Kafka
    http_token         the token that it needs, if any
    ours               whether only this test run uses it, so that it may be reset and its time moved
    """

    mode: str
    bootstrap_servers: str
    http: str | None
    http_token: str | None
    ours: bool

    def start(self) -> None:
        """Return once the broker accepts connections. Raises CannotServe."""

    def stop(self) -> None: ...

    def close(self) -> None:
        """Stop, and delete the container, if there is one. A later start finds no data in it."""


@runtime_checkable
class Restartable(Server, Protocol):
    """A server that this process has started. After `stop` or `kill`, `start` serves the same data again.

    A later start uses the ports of the first one.
    """

    def kill(self) -> None:
        """Stop without finishing anything."""

    def start_empty(self) -> None:
        """Like `start`, but on an empty directory."""


class Directory:
    """The settings of a broker that this process starts, and its data directory."""

    def __init__(self, folder: Path, settings: Mapping[str, str]) -> None:
        self._folder = folder
        self._numbers = count(2)
        self.settings = {**SETTINGS, "log.dirs": str(folder / "data"), **settings}

    def keep_ports(self, bootstrap_servers: str, http: str | None) -> None:
        """Let the next start use the ports that this one got."""
        first, comma, others = self.settings["listeners"].partition(",")
        if first.endswith(":0"):
            port = int(bootstrap_servers.rpartition(":")[2])
            self.settings["listeners"] = replace_port(first, port) + comma + others
        if http is not None:
            self.settings["tidemark.http.listener"] = http

    def begin_empty(self) -> None:
        """Let the next start use an empty directory. The one before stays until the folder is deleted."""
        self.settings["log.dirs"] = str(self._folder / f"data-{next(self._numbers)}")


class ThreadServer:
    """A broker in a thread of this process, with its own event loop.

    It handles no signals and changes no process-wide state. Its log lines go to the logger "tidemark".
    """

    mode = "thread"
    ours = True

    def __init__(self, folder: Path, settings: Mapping[str, str]) -> None:
        self.bootstrap_servers = ""
        self.http: str | None = None
        self.http_token = settings.get("tidemark.http.token")
        self._directory = Directory(folder, settings)
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        from tidemark.config import ConfigError

        with _quiet_imports():
            import tidemark.node.node  # noqa: F401  so that the first request does not wait for the import
        self._ready: Future[dict[str, Any]] = Future()
        self._killed = False
        self._thread = threading.Thread(target=self._run, name="tidemark", daemon=True)
        self._thread.start()
        try:
            ready = self._ready.result(START_S)
        except ConfigError as error:
            raise CannotServe(f"tidemark cannot start: {error}") from None
        self.bootstrap_servers, self.http = ready["bootstrap_servers"], ready["http"]
        self._directory.keep_ports(self.bootstrap_servers, self.http)

    def start_empty(self) -> None:
        self._directory.begin_empty()
        self.start()

    def kill(self) -> None:
        self._killed = True
        self.stop()

    def stop(self) -> None:
        if self._thread is None:
            return
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(STOP_S)
        self._thread = None

    def close(self) -> None:
        self.stop()

    def _run(self) -> None:
        with asyncio.Runner() as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        from tidemark.config import Config
        from tidemark.node.environment import Environment, Host
        from tidemark.node.node import Node
        from tidemark_http import http_server

        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        try:
            config = Config(self._directory.settings)
            node = Node(Environment(config, LogLines(), Host.real(config.data_dir)), http_server)
            await node.start()
        except BaseException as error:  # noqa: BLE001 start() raises it
            self._ready.set_exception(error)
            return
        self._ready.set_result(node.ready())
        await self._stop.wait()
        await (node.abandon() if self._killed else node.stop())


class LogLines:
    """Sends the broker's log lines to the logger "tidemark", where pytest collects them for failing tests."""

    def __init__(self) -> None:
        self._logger = logging.getLogger("tidemark")

    def wants(self, level: str) -> bool:
        """Return True: a test may lower the level while the broker runs."""
        return True

    def debug(self, event: str, **fields: Any) -> None:
        self._say(logging.DEBUG, event, fields)

    def info(self, event: str, **fields: Any) -> None:
        self._say(logging.INFO, event, fields)

    def warning(self, event: str, **fields: Any) -> None:
        self._say(logging.WARNING, event, fields)

    def error(self, event: str, **fields: Any) -> None:
        self._say(logging.ERROR, event, fields)

    def critical(self, event: str, **fields: Any) -> None:
        self._say(logging.CRITICAL, event, fields)

    def _say(self, level: int, event: str, fields: dict[str, Any]) -> None:
        if self._logger.isEnabledFor(level):
            error = fields.pop("exc_info", None)
            shown = " ".join(f"{name}={value!r}" for name, value in fields.items())
            self._logger.log(level, "%s %s", event, shown, exc_info=error)


class ProcessServer:
    """`tidemark serve` in a process of its own, which ends when this one ends, even if it is killed."""

    mode = "subprocess"
    ours = True

    def __init__(self, folder: Path, settings: Mapping[str, str]) -> None:
        self.bootstrap_servers = ""
        self.http: str | None = None
        self.http_token = settings.get("tidemark.http.token")
        self._output = folder / "broker.log"
        self._ready_file = folder / "ready.json"
        self._directory = Directory(folder, settings)
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self._output.parent.mkdir(parents=True, exist_ok=True)
        self._ready_file.unlink(missing_ok=True)
        with self._output.open("ab") as output:
            self._process = process = subprocess.Popen(  # noqa: S603 our own command
                self._command(), stdin=subprocess.PIPE, stdout=output, stderr=output, env=_environment()
            )
        ready = self._wait_until_ready(process)
        self.bootstrap_servers, self.http = ready["bootstrap_servers"], ready["http"]
        self._directory.keep_ports(self.bootstrap_servers, self.http)

    def start_empty(self) -> None:
        self._directory.begin_empty()
        self.start()

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self.stop()

    def stop(self) -> None:
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process = None

    def close(self) -> None:
        self.stop()

    def _command(self) -> list[str]:
        settings = [f"--set={key}={value}" for key, value in self._directory.settings.items()]
        return [
            sys.executable, "-m", "tidemark_testing.child", "serve",
            f"--ready-file={self._ready_file}", *settings,
        ]  # fmt: skip

    def _wait_until_ready(self, process: subprocess.Popen[bytes]) -> dict[str, Any]:
        clock = SystemClock()
        deadline = clock.steady_ms() + START_S * 1000
        while not self._ready_file.exists():
            if process.poll() is not None or clock.steady_ms() > deadline:
                self.stop()
                output = self._output.read_text(errors="replace")[-OUTPUT_CHARS:]
                raise CannotServe(f"tidemark did not start. Its output:\n{output}")
            time.sleep(POLL_S)
        ready: dict[str, Any] = json.loads(self._ready_file.read_text())
        return ready


class ExternalServer:
    """A broker that was started outside of the tests: a tidemark, or without an HTTP address any Kafka."""

    mode = "external"

    def __init__(self, bootstrap_servers: str, http: str | None) -> None:
        self.bootstrap_servers = bootstrap_servers
        self.http = http
        self.http_token = os.environ.get("TIDEMARK_HTTP_TOKEN")
        self.ours = False

    def start(self) -> None:
        first = self.bootstrap_servers.split(",")[0].strip()
        host, _, port = first.rpartition(":")
        try:
            socket.create_connection((host.strip("[]"), int(port)), CONNECT_S).close()
        except (OSError, ValueError) as error:
            raise CannotServe(f"cannot connect to --tidemark-bootstrap {first}: {error}") from None
        if self.http is not None:
            self.ours = _test_api(self.http, self.http_token)

    def stop(self) -> None: ...

    def close(self) -> None: ...


def _test_api(http: str, token: str | None) -> bool:
    try:
        return bool(Api(http, timeout_s=CONNECT_S, token=token).get("/v1/clock")["test_api"])
    except ApiError as error:
        raise CannotServe(f"--tidemark-http {http} returned an error: {error}") from None
    except (NoResponse, ValueError) as error:
        raise CannotServe(f"no tidemark at --tidemark-http {http}: {error}") from None


@contextmanager
def _quiet_imports() -> Iterator[None]:
    """Ignore warnings during imports: a test run may turn them into errors, and these are not its own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _environment() -> dict[str, str]:
    """Return the child's environment: our module path, and no broker settings from our environment."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("KAFKA_") and name != "CLUSTER_ID"
    }
    return {**kept, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
