"""Run `tidemark` commands in forks of a process that has imported them: a start costs most of a short tool's
time.

Each command has a process of its own, with its own stdin, stdout and stderr, as under a shell.
`python -m tests.conformance.tools.forked` is the process that forks.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tests.broker_process import environment

TIMED_OUT: Final = 124
_STREAMS: Final = ("in", "out", "err")


class Forks:
    """The process that forks, started by the first command. Commands run one after the other."""

    def __init__(self) -> None:
        self._server: subprocess.Popen[bytes] | None = None
        self._requests: socket.socket | None = None

    def run(self, arguments: Sequence[str], stdin: bytes, timeout_s: float) -> tuple[int, bytes, bytes]:
        """Run a command. Return its exit code, stdout and stderr.

        A command that does not end in time is killed. Its exit code is 124.
        """
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            folder.joinpath("in").write_bytes(stdin)
            code = self._code({"arguments": list(arguments), "folder": name}, timeout_s)
            out, err = (folder.joinpath(stream).read_bytes() for stream in _STREAMS[1:])
        return code, out, err

    def _code(self, request: dict[str, object], timeout_s: float) -> int:
        requests = self._connected()
        requests.settimeout(timeout_s)
        requests.sendall(json.dumps(request).encode() + b"\n")
        try:
            answer = requests.recv(16)
        except TimeoutError:
            self.close()
            return TIMED_OUT
        assert answer, "the process that forks has ended"
        return int(answer)

    def _connected(self) -> socket.socket:
        if self._requests is None:
            self._requests, theirs = socket.socketpair()
            with theirs:
                self._server = subprocess.Popen(
                    [sys.executable, "-m", __name__, str(theirs.fileno())],
                    pass_fds=[theirs.fileno()],
                    env=environment(),
                    start_new_session=True,
                )
        return self._requests

    def close(self) -> None:
        """Kill the process that forks, and the command that it runs."""
        if self._server is not None and self._requests is not None:
            self._requests.close()
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._server.pid, signal.SIGKILL)
            self._server.wait()
        self._server = self._requests = None


def _serve(requests: socket.socket) -> None:
    from tidemark_tools.main import COMMANDS

    for tool in COMMANDS.values():
        importlib.import_module(f"tidemark_tools.{tool.module}")
    with requests.makefile("rb") as lines:
        for line in lines:
            request = json.loads(line)
            child = os.fork()
            if not child:
                requests.close()
                os._exit(_ended(request["arguments"], Path(request["folder"])))
            _, status = os.waitpid(child, 0)
            requests.sendall(str(os.waitstatus_to_exitcode(status)).encode())


def _ended(arguments: list[str], folder: Path) -> int:
    """Run a command in this process, and return its exit code."""
    for number, stream in enumerate(_STREAMS):
        opened = os.open(folder / stream, os.O_RDWR | os.O_CREAT)
        os.dup2(opened, number)
        os.close(opened)
    sys.argv = ["tidemark", *arguments]
    from tidemark_tools.main import main

    try:
        return main()
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:  # noqa: BLE001 - as the interpreter ends
        traceback.print_exc()
        return 1
    finally:
        with contextlib.suppress(BrokenPipeError):
            sys.stdout.flush()
        sys.stderr.flush()


if __name__ == "__main__":
    _serve(socket.socket(fileno=int(sys.argv[1])))
