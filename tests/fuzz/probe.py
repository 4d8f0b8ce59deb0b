"""A client on a connection and in a process of its own that measures how long the broker lets it wait.

    python -m tests.fuzz.probe HOST:PORT PID

It sends a request every few milliseconds, ApiVersions and Heartbeat in turn. `begin` on stdin starts a new
measurement, `end` prints it as a line of JSON.

On a shared machine a response is often late because some other process has the core. Linux counts how long
the broker's main thread and the probe were ready to run and did not (/proc/PID/schedstat); the probe
subtracts the larger of the two from each round trip. What remains is the time that the broker itself took.
"""

from __future__ import annotations

import json
import select
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from tests.broker_process import ROOT, environment
from tests.contract.wire import Connection, request
from tidemark_protocol.messages.api_versions import ApiVersionsRequest
from tidemark_protocol.messages.heartbeat import HeartbeatRequest

PAUSE_S: Final = 0.002
PATIENCE_S: Final = 600.0
PINGS: Final = (
    request("ApiVersions", 0, ApiVersionsRequest()),
    request("Heartbeat", 0, HeartbeatRequest("worst-probe", 1, "nobody")),
)


@dataclass(slots=True)
class Stall:
    """The longest round trip: as measured, and without the time that other processes used."""

    ms: float = 0.0
    by_the_clock_ms: float = 0.0
    pings: int = 0


class Probe:
    """The probe's process, for the campaign."""

    def __init__(self, bootstrap: str, pid: int) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.fuzz.probe", bootstrap, str(pid)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment(),
            cwd=ROOT,
        )
        self._expect("ready")

    def begin(self) -> None:
        self._say("begin")
        self._expect("began")

    def end(self) -> Stall:
        self._say("end")
        return Stall(**json.loads(self._line()))

    def stop(self) -> None:
        self._process.kill()
        self._process.communicate()

    def _say(self, word: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(word + "\n")
        self._process.stdin.flush()

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline()

    def _expect(self, word: str) -> None:
        line = self._line()
        assert line == word + "\n", f"the probe printed {line!r} instead of {word!r}"


def run(bootstrap: str, pid: int) -> None:
    """Measure until stdin ends."""
    waits = (_Waiting(pid), _Waiting("self"))
    stall = Stall()
    with Connection(bootstrap) as connection:
        connection.socket.settimeout(PATIENCE_S)
        print("ready", flush=True)
        while True:
            _ping(connection, stall, waits)
            if select.select([sys.stdin], [], [], PAUSE_S)[0]:
                match sys.stdin.readline():
                    case "begin\n":
                        stall = Stall()
                        print("began", flush=True)
                    case "end\n":
                        print(json.dumps(asdict(stall)), flush=True)
                    case _:
                        return


def _ping(connection: Connection, stall: Stall, waits: tuple[_Waiting, ...]) -> None:
    before = [each.ms() for each in waits]
    began = time.monotonic()
    try:
        connection.send(PINGS[stall.pings % len(PINGS)])
        connection.answer()
    except OSError:
        time.sleep(PAUSE_S)  # the broker has ended; the campaign reports it
    by_the_clock = (time.monotonic() - began) * 1000
    others = max(each.ms() - was for each, was in zip(waits, before, strict=True))
    stall.pings += 1
    stall.ms = max(stall.ms, by_the_clock - others)
    stall.by_the_clock_ms = max(stall.by_the_clock_ms, by_the_clock)


class _Waiting:
    """The time that a process's main thread was ready but did not run."""

    def __init__(self, pid: int | str) -> None:
        self._path = Path(f"/proc/{pid}/schedstat")
        self._last = 0.0

    def ms(self) -> float:
        try:
            self._last = int(self._path.read_text().split()[1]) / 1e6
        except (OSError, IndexError):
            pass
        return self._last


if __name__ == "__main__":
    run(sys.argv[1], int(sys.argv[2]))
