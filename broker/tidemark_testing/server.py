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
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, partialmethod
from itertools import count
from pathlib import Path
from typing import Any, Final, Literal, get_args

from tidemark.settings.listeners import replace_port
from tidemark_tools.client.connection import now_s
from tidemark_tools.client.errors import ConfigError
from tidemark_tools.http_api import HTTPS, Api, ApiError, NoResponse, read_token, serves_https

Mode = Literal["thread", "subprocess"]  # where `Tidemark.start` can start a broker
MODES: Final = get_args(Mode)
START_S: Final = 30.0
STOP_S: Final = 10.0
POLL_S: Final = 0.005
CONNECT_S: Final = 5.0
OUTPUT_CHARS: Final = 4000
STDIN: Final = 0
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


@dataclass
class ServerState:
    """The facts that all objects for one server share.

    clean            the snapshot that restore() restores by default; None: there is none
    kept             how many kept() blocks are open
    lost             a stop has deleted the clean snapshot: restore() must start the server on an empty
                     directory
    ended_by         the method of Tidemark that has ended the broker; "" while it runs
    client_settings  Kafka's client properties for the connections of these objects: TLS and SASL
    chaos_seed       the first seed of chaos in each test; None: each test draws one
    """

    clean: str | None = None
    kept: int = 0
    lost: bool = False
    ended_by: str = ""
    client_settings: Mapping[str, str] = field(default_factory=dict, repr=False)
    chaos_seed: int | None = None


class Server:
    """A broker for tests.

    bootstrap_servers  for Kafka clients
    http               host:port of /v1, with https:// before it if that is TLS; None for Apache Kafka
    http_token         the token that it needs, if any
    ours               whether only this test run uses it, so that it may be reset and its time moved
    """

    mode: str
    bootstrap_servers = ""
    http: str | None = None
    http_token: str | None = None
    ours = True

    @cached_property
    def state(self) -> ServerState:
        """The facts that all objects for this server share."""
        return ServerState()

    def start(self) -> None:
        """Return once the broker accepts connections. Raises CannotServe."""
        raise NotImplementedError

    def stop(self) -> None: ...

    def close(self) -> None:
        """Stop, and delete the container, if there is one. A later start finds no data in it."""
        self.stop()

    def output(self) -> str:
        """Return what the broker has printed: warnings, unless tidemark.log.level says otherwise.

        A broker in this process prints nothing. Its warnings are returned; the logger "tidemark" has all
        lines.
        """
        return ""


class Restartable(Server):
    """A server that this process has started. After `stop` or `kill`, `start` serves the same data again.

    A later start uses the ports of the first one.
    """

    def kill(self) -> None:
        """Stop without finishing anything."""
        raise NotImplementedError

    def start_empty(self) -> None:
        """Like `start`, but on an empty directory."""
        raise NotImplementedError


class LocalServer(Restartable):
    """A server of this machine, whose data directory is in the folder."""

    def __init__(self, folder: Path, settings: Mapping[str, str]) -> None:
        self._folder = folder
        self._numbers = count(2)
        self.settings = {**SETTINGS, "log.dirs": str(folder / "data"), **settings}
        self.http_token = settings.get("tidemark.http.token")
        self.http_tls = serves_https(settings)
        self._held: list[socket.socket] = []

    def _started(self, ready: Mapping[str, Any]) -> None:
        """Keep the addresses, and let the next start use the same ports."""
        self.bootstrap_servers, http = ready["bootstrap_servers"], ready["http"]
        first, comma, others = self.settings["listeners"].partition(",")
        if first.endswith(":0"):
            port = int(self.bootstrap_servers.partition(",")[0].rpartition(":")[2])
            self.settings["listeners"] = replace_port(first, port) + comma + others
        if http is not None:
            self.settings["tidemark.http.listener"] = http
        self.http = f"{HTTPS}{http}" if http is not None and self.http_tls else http
        self._release_ports()

    def _hold_ports(self) -> None:
        """Keep the ports of a server that has stopped: its next start needs them. Connections are refused.

        On Linux, a server may listen on a port that is bound, if both set SO_REUSEADDR. Elsewhere another
        process may take the ports.
        """
        if sys.platform != "linux":
            return
        for address in filter(None, (self.bootstrap_servers, self.http)):
            host, _, port = address.removeprefix(HTTPS).rpartition(":")
            held = socket.socket(socket.AF_INET6 if "[" in host else socket.AF_INET)
            held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self._held.append(held)
            with suppress(OSError):  # it is no address of this machine, or somebody was faster
                held.bind((host.strip("[]"), int(port)))

    def _release_ports(self) -> None:
        while self._held:
            self._held.pop().close()

    def close(self) -> None:
        super().close()
        self._release_ports()

    def start_empty(self) -> None:
        """Start on an empty directory. The one before stays until the folder is deleted."""
        self.settings["log.dirs"] = str(self._folder / f"data-{next(self._numbers)}")
        self.start()


class ThreadServer(LocalServer):
    """A broker in a thread of this process, with its own event loop.

    It handles no signals and changes no process-wide state. Its log lines go to the logger "tidemark".
    """

    mode = "thread"

    def __init__(self, folder: Path, settings: Mapping[str, str]) -> None:
        super().__init__(folder, settings)
        self._thread: threading.Thread | None = None
        self._warnings: list[str] = []

    def start(self) -> None:
        from tidemark.config import ConfigError as WrongConfig

        with warnings.catch_warnings():
            # A test run may turn warnings into errors, and those of imports are not its own.
            warnings.simplefilter("ignore")
            import tidemark.node.node  # noqa: F401  so that the first request does not wait for the import
        self._ready: Future[dict[str, Any]] = Future()
        self._killed = False
        self._thread = threading.Thread(target=self._run, name="tidemark", daemon=True)
        self._thread.start()
        try:
            self._started(self._ready.result(START_S))
        except WrongConfig as error:
            raise CannotServe(f"tidemark cannot start: {error}") from None

    def output(self) -> str:
        return "".join(self._warnings)

    def kill(self) -> None:
        self._killed = True
        self.stop()

    def stop(self) -> None:
        if self._thread is None:
            return
        if self._thread.is_alive():
            with suppress(RuntimeError):  # the loop has just ended, and the thread is about to
                self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(STOP_S)
        self._thread = None
        self._hold_ports()

    def _run(self) -> None:
        # asyncio's default loop, but for Windows, where that one cannot watch the socket of HTTP.
        with asyncio.Runner(loop_factory=asyncio.SelectorEventLoop) as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        from tidemark.config import Config
        from tidemark.node.environment import Environment, Host
        from tidemark.node.node import Node
        from tidemark_http import http_server

        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        try:
            config = Config(self.settings)
            node = Node(
                Environment(config, LogLines(self._warnings), Host.real(config.data_dir)), http_server
            )
            await node.start()
        except BaseException as error:  # noqa: BLE001 start() raises it
            self._ready.set_exception(error)
            return
        self._ready.set_result(node.ready())
        await self._stop.wait()
        await (node.abandon() if self._killed else node.stop())


class LogLines:
    """Sends the broker's log lines to the logger "tidemark", where pytest collects them for failing tests.

    warnings: warnings and errors are added to it, too
    """

    def __init__(self, warnings: list[str]) -> None:
        self._logger = logging.getLogger("tidemark")
        self._warnings = warnings

    def wants(self, level: str) -> bool:
        """Return True: a test may lower the level while the broker runs."""
        return True

    def _log(self, level: int, event: str, **fields: Any) -> None:
        is_enabled = self._logger.isEnabledFor(level)
        if is_enabled or level >= logging.WARNING:
            error = fields.pop("exc_info", None)
            shown = " ".join(f"{name}={value!r}" for name, value in fields.items())
            if level >= logging.WARNING:
                why = f" {error!r}" if isinstance(error, BaseException) else ""
                self._warnings.append(f"{logging.getLevelName(level).lower()}: {event} {shown}{why}\n")
            if is_enabled:
                self._logger.log(level, "%s %s", event, shown, exc_info=error)

    debug = partialmethod(_log, logging.DEBUG)
    info = partialmethod(_log, logging.INFO)
    warning = partialmethod(_log, logging.WARNING)
    error = partialmethod(_log, logging.ERROR)
    critical = partialmethod(_log, logging.CRITICAL)


class ProcessServer(LocalServer):
    """`tidemark serve` in a process of its own, which ends when this one ends, even if it is killed."""

    mode = "subprocess"

    def __init__(self, folder: Path, settings: Mapping[str, str]) -> None:
        super().__init__(folder, settings)
        self._output = folder / "broker.log"
        self._ready_file = folder / "ready.json"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self._output.parent.mkdir(parents=True, exist_ok=True)
        self._ready_file.unlink(missing_ok=True)
        command = [sys.executable, "-m", "tidemark", "serve", "--stop-with-parent"]
        command += [f"--ready-file={self._ready_file}"]
        command += [f"--set={key}={value}" for key, value in self.settings.items()]
        # Our module path, and no broker settings from our environment.
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("KAFKA_") and name != "CLUSTER_ID"
        }
        environment = {**kept, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        with self._output.open("ab") as output:
            self._process = process = subprocess.Popen(  # noqa: S603 our own command
                command, stdin=subprocess.PIPE, stdout=output, stderr=output, env=environment
            )
        self._started(self._wait_until_ready(process))

    def output(self) -> str:
        return self._output.read_text(errors="replace") if self._output.exists() else ""

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
        self._hold_ports()

    def _wait_until_ready(self, process: subprocess.Popen[bytes]) -> dict[str, Any]:
        deadline = now_s() + START_S
        while not self._ready_file.exists():
            if process.poll() is not None or now_s() > deadline:
                self.stop()
                raise CannotServe(f"tidemark did not start. Its output:\n{self.output()[-OUTPUT_CHARS:]}")
            time.sleep(POLL_S)
        ready: dict[str, Any] = json.loads(self._ready_file.read_text())
        return ready


class ExternalServer(Server):
    """A broker that was started outside of the tests: a tidemark, or without an HTTP address any Kafka."""

    mode = "external"
    ours = False

    def __init__(self, bootstrap_servers: str, http: str | None) -> None:
        self.bootstrap_servers = bootstrap_servers
        self.http = http

    def start(self) -> None:
        first = self.bootstrap_servers.split(",")[0].strip()
        host, _, port = first.rpartition(":")
        try:
            socket.create_connection((host.strip("[]"), int(port)), CONNECT_S).close()
        except (OSError, ValueError) as error:
            raise CannotServe(f"cannot connect to --tidemark-bootstrap {first}: {error}") from None
        if self.http is None:
            return
        try:
            settings = self.state.client_settings
            self.http_token = read_token(settings).value
            api = Api(self.http, timeout_s=CONNECT_S, token=self.http_token, settings=settings)
            clock = api.get("/v1/clock")
            self.ours = bool(clock["test_api"])
        except ApiError as error:
            raise CannotServe(f"--tidemark-http {self.http} returned an error: {error}") from None
        except NoResponse as error:
            raise CannotServe(f"no tidemark at --tidemark-http {self.http}: {error}") from None
        except ConfigError as error:
            raise CannotServe(f"--tidemark-http {self.http}: {error}") from None


def new_server(mode: str, folder: Path, settings: Mapping[str, str]) -> Server:
    """Return a server, not started yet, in a thread or a process of its own."""
    return (ThreadServer if mode == "thread" else ProcessServer)(folder, settings)


def text(value: object) -> str:
    """Return the value as text for a setting."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def checked_settings(
    settings: Mapping[str, object] | None, where: str, release: str | None = None
) -> dict[str, str]:
    """Return the settings of a broker that behaves like this release of Kafka.

    where: names the settings in errors. Raises ValueError for a setting that neither tidemark nor Kafka has.
    """
    __tracebackhide__ = True
    from tidemark.config import PREFIXES, SETTINGS, ignored_settings
    from tidemark.settings.setting import closest

    given = {name: text(value) for name, value in (settings or {}).items()}
    ours = {setting.name for setting in SETTINGS}
    for name in given:
        if name not in ours and not name.startswith(PREFIXES) and name not in ignored_settings():
            raise ValueError(f"{where}: there is no setting {name!r}{closest(name, ours)}")
    return given if release is None else given | {"tidemark.as": release}
