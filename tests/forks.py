"""Start `python -m tidemark` as a fork of a process that has imported it: imports are most of a start.

A fork has its own arguments, environment, directory and streams, as a new process has. All forks have the
same seed of Python's hashes. Their parent is the fork server, `python -m tests.forks`. Each process of a test
run starts one, which ends with it. The server imports modules and does nothing else: it has no thread, no
event loop and no open file.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import json
import os
import pkgutil
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parent.parent
OURS: Final = [sys.executable, "-m", "tidemark"]
PRELOADED: Final = ("tidemark", "tidemark_http", "tidemark_tools")
MESSAGE_MAX: Final = 1 << 17
# The first letters of variables that the interpreter, its libraries or an import read at the start.
READ_AT_START: Final = ("PYTHON", "LANG", "LC_", "TZ", "LD_", "MALLOC_", "COVERAGE_")


class Forked:
    """A forked process, with the part of `subprocess.Popen` that our tests use."""

    def __init__(self, server: Server, pid: int, arguments: Sequence[str]) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._server = server
        self._arguments = arguments
        self._lock = Lock()
        # It keeps its meaning when the process has ended, and is readable then.
        self._descriptor = os.pidfd_open(pid)

    def poll(self) -> int | None:
        try:
            return self.wait(0)
        except subprocess.TimeoutExpired:
            return None

    def wait(self, timeout: float | None = None) -> int:
        if self.returncode is None and not self._has_ended(timeout):
            raise subprocess.TimeoutExpired(self._arguments, timeout or 0)
        with self._lock:
            if self.returncode is None:
                self.returncode = self._server.ask({"ended": self.pid})
                os.close(self._descriptor)
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            signal.pidfd_send_signal(self._descriptor, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def _has_ended(self, timeout: float | None) -> bool:
        end = select.poll()
        end.register(self._descriptor, select.POLLIN)
        return bool(end.poll(None if timeout is None else timeout * 1000))


def can_fork(command: Sequence[str]) -> bool:
    """Return whether `start` can start this command.

    It must be ours. No test may have changed a variable that takes effect when the server starts.
    """
    return list(command[:3]) == OURS and _fixed(os.environ) == USUAL and hasattr(os, "pidfd_open")


def start(command: Sequence[str], environment: Mapping[str, str], streams: tuple[int, int, int]) -> Forked:
    """Start a command in the current directory. streams: descriptors of stdin, stdout and stderr.

    Raises RuntimeError if the fork server has ended.
    """
    request = {"arguments": command[3:], "environment": dict(environment), "directory": str(Path.cwd())}
    server = _server(_fixed(environment))
    return Forked(server, server.ask(request, streams), command)


def run(
    command: Sequence[str], environment: Mapping[str, str], stdin: bytes, timeout_s: float
) -> subprocess.CompletedProcess[bytes]:
    """Like `subprocess.run` with captured output, as a fork if that is possible. A fork has files as streams.

    Raises subprocess.TimeoutExpired. The process is killed then.
    """
    if not can_fork(command):
        return subprocess.run(command, input=stdin, capture_output=True, timeout=timeout_s, env=environment)
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(stdin)
        given.seek(0)
        process = start(command, environment, (given.fileno(), out.fileno(), err.fileno()))
        try:
            code = process.wait(timeout_s)
        finally:
            process.kill()
            process.wait()
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess(command, code, out.read(), err.read())


def _fixed(environment: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(each for each in environment.items() if each[0].startswith(READ_AT_START)))


USUAL: Final = _fixed(os.environ)


@cache
def _server(fixed: tuple[tuple[str, str], ...]) -> Server:
    """Return the server of processes in which these variables have these values."""
    return Server(dict(fixed))


class Server:
    """The fork server, seen from the process that uses it. It ends with that process."""

    def __init__(self, fixed: dict[str, str]) -> None:
        others = {key: value for key, value in os.environ.items() if not key.startswith(READ_AT_START)}
        self._lock = Lock()
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as this object
        self._connection, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.forks", str(theirs.fileno())],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self._said,
                pass_fds=[theirs.fileno()], cwd=ROOT, env={**others, **fixed},
            )  # fmt: skip
        atexit.register(self.end)

    def ask(self, request: dict[str, Any], descriptors: Sequence[int] = ()) -> int:
        """Send a request, and return the response. Raises RuntimeError if the server has ended."""
        with self._lock:
            try:
                socket.send_fds(self._connection, [json.dumps(request).encode()], descriptors)
                response = self._connection.recv(MESSAGE_MAX)
            except ConnectionError:
                response = b""
            if not response:
                code = self._process.wait()
                self._said.seek(0)
                said = self._said.read().decode(errors="replace")
                raise RuntimeError(
                    f"the fork server of the tests has ended (exit code {code}); it said:\n{said}"
                )
        return int(response)

    def end(self) -> None:
        self._connection.close()
        self._process.wait()


def _serve(connection: socket.socket) -> dict[str, Any] | None:
    """Serve requests until the other side is closed. Return in each forked process, with its request."""
    while True:
        message, descriptors, _, _ = socket.recv_fds(connection, MESSAGE_MAX, 3)
        if not message:
            return None
        request: dict[str, Any] = json.loads(message)
        if "ended" in request:
            response = os.waitstatus_to_exitcode(os.waitpid(request["ended"], 0)[1])
        else:
            response = os.fork()
            if not response:
                connection.close()
                for stream, descriptor in enumerate(descriptors):
                    os.dup2(descriptor, stream)
                    os.close(descriptor)
                return request
            for descriptor in descriptors:
                os.close(descriptor)
        connection.send(str(response).encode())


def _preload() -> None:
    for name in PRELOADED:
        package = importlib.import_module(name)
        for module in pkgutil.walk_packages(package.__path__, f"{name}."):
            if not module.name.endswith(".__main__"):
                with contextlib.suppress(ImportError):  # of an optional package
                    importlib.import_module(module.name)


class _Exit:
    """Ends a forked process with its exit code after everything else that happens at its end.

    The interpreter would free all modules then, and so copy all memory that is shared with the server. That
    needs three times as much CPU time as all of a short command.
    """

    def __init__(self) -> None:
        self.code: int | None = None
        atexit.register(self._exit)  # as the first one, which is called last

    def _exit(self) -> None:
        if self.code is not None:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(self.code)


def _main(descriptor: int) -> None:
    at_exit = _Exit()
    interrupt = signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the processes of the test
    gc.disable()
    _preload()
    gc.freeze()
    gc.enable()
    request = _serve(socket.socket(fileno=descriptor))
    if request is None:
        return
    signal.signal(signal.SIGINT, interrupt)
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["directory"])
    sys.path[0] = request["directory"]
    sys.argv = ["", *request["arguments"]]
    try:
        runpy.run_module("tidemark", run_name="__main__", alter_sys=True)
    except SystemExit as end:
        at_exit.code = end.code if isinstance(end.code, int) else int(end.code is not None)
        raise


if __name__ == "__main__":
    _main(int(sys.argv[1]))
