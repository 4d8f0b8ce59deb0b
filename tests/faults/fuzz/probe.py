"""A client on a connection and in a process of its own that measures how long the broker lets it wait.

    python -m tests.faults.fuzz.probe

It sends a request every few milliseconds, ApiVersions and Heartbeat in turn. `attach HOST:PORT PID` on stdin
names the broker and its process, `begin` starts a new measurement, `end` prints it as a line of JSON.

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
from tests.wire import Connection, request
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
    """The probe's process, for the campaign. It serves one broker after the other."""

    def __init__(self, bootstrap: str, pid: int) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.faults.fuzz.probe"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment(),
            cwd=ROOT,
        )
        self.attach(bootstrap, pid)

    def attach(self, bootstrap: str, pid: int) -> None:
        """Measure this broker from now on."""
        self._say(f"attach {bootstrap} {pid}")
        self._expect("attached")

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


def run() -> None:
    """Measure until stdin ends."""
    connection: Connection | None = None
    waits: tuple[Waiting, ...] = ()
    stall = Stall()
    while True:
        if connection is not None and not _ping(connection, stall, waits):
            connection.socket.close()  # the broker has ended; the campaign reports it
            connection = None
        if not select.select([sys.stdin], [], [], None if connection is None else PAUSE_S)[0]:
            continue
        match sys.stdin.readline().split():
            case ["attach", bootstrap, pid]:
                if connection is not None:
                    connection.socket.close()
                connection = Connection(bootstrap)
                connection.socket.settimeout(PATIENCE_S)
                waits = (Waiting(pid), Waiting("self"))
                print("attached", flush=True)
            case ["begin"]:
                stall = Stall()
                print("began", flush=True)
            case ["end"]:
                print(json.dumps(asdict(stall)), flush=True)
            case _:
                return


def _ping(connection: Connection, stall: Stall, waits: tuple[Waiting, ...]) -> bool:
    """Send a request and measure its round trip. Return False if the broker has closed the connection."""
    before = [each.ms() for each in waits]
    began = time.monotonic()
    responds = True
    try:
        connection.send(PINGS[stall.pings % len(PINGS)])
        connection.answer()
    except OSError:
        responds = False
    by_the_clock = (time.monotonic() - began) * 1000
    others = max(each.ms() - was for each, was in zip(waits, before, strict=True))
    stall.pings += 1
    stall.ms = max(stall.ms, by_the_clock - others)
    stall.by_the_clock_ms = max(stall.by_the_clock_ms, by_the_clock)
    return responds


class Waiting:
    """The time that a process's main thread was ready but did not run."""

    def __init__(self, pid: str) -> None:
        self._path = Path(f"/proc/{pid}/schedstat")
        self._last = 0.0

    def ms(self) -> float:
        try:
            self._last = int(self._path.read_text().split()[1]) / 1e6
        except (OSError, IndexError):
            pass
        return self._last


if __name__ == "__main__":
    run()
