"""The load generator (load.c), which is compiled at first use, and its results."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from struct import pack
from typing import Final

from bench.host import cpu_seconds, machine_cpu_seconds
from tests.broker_process import free_port

HERE: Final = Path(__file__).parent
RESULTS: Final = HERE / "results"
LOAD_CORE: Final = 1
WHOLE_RESPONSE: Final = 4096  # load.c keeps no more of a response


@dataclass(slots=True)
class Load:
    """A load: the number of connections, of pending requests on each, and the duration."""

    connections: int
    pipelining: int
    warmup_ms: int
    measure_ms: int
    tls: bool = False


@dataclass(slots=True)
class Measured:
    per_second: float
    cpu_us: float  # of the server, per request
    core: float  # the server's share of a core; well below 1 under full load, other processes used it
    others: float  # cores that processes other than server and generator used
    p50_us: int
    p99_us: int
    max_us: int
    response_bytes: int
    first_response: bytes  # up to WHOLE_RESPONSE bytes


def binary(*, tls: bool = False) -> Path:
    """Return the compiled generator. It is compiled again if its source is newer.

    tls: it speaks TLS, which needs OpenSSL's headers.
    """
    RESULTS.mkdir(exist_ok=True)
    program, source = RESULTS / ("load-tls" if tls else "load"), HERE / "load.c"
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        with_tls = ["-DTLS", "-lssl", "-lcrypto"] if tls else []
        subprocess.run(["cc", "-O2", "-Wall", "-o", str(program), str(source), *with_tls], check=True)
    return program


def run(
    load: Load, port: int, server_pid: int, frames: list[list[bytes]], head_bytes: int = WHOLE_RESPONSE
) -> Measured:
    """Put the load on the server at this port. frames: those of each connection, all of the same length.

    All responses of a connection must have the same length and the same first head_bytes.
    """
    arguments = [port, load.pipelining, load.warmup_ms, load.measure_ms, head_bytes]
    generator = subprocess.Popen(
        ["taskset", "-c", str(LOAD_CORE), binary(tls=load.tls), "run", *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert generator.stdin is not None
    assert generator.stdout is not None
    head = pack(">iii", len(frames), len(frames[0]), len(frames[0][0]))
    generator.stdin.write(head)
    for connection in frames:
        generator.stdin.write(b"".join(connection))
    generator.stdin.close()
    assert generator.stdout.readline() == b"measuring\n", "the load generator failed, see above"
    before = _cpu(server_pid, generator.pid)
    line = generator.stdout.readline()
    cpu, own, machine = (a - b for a, b in zip(_cpu(server_pid, generator.pid), before, strict=True))
    generator.stdout.close()
    assert generator.wait() == 0, "the load generator failed, see above"
    result = json.loads(line)
    completed = max(result["completed"], 1)
    return Measured(
        per_second=result["completed"] / result["seconds"],
        cpu_us=cpu / completed * 1e6,
        core=cpu / result["seconds"],
        others=max(0.0, (machine - cpu - own) / result["seconds"]),
        p50_us=result["p50_us"],
        p99_us=result["p99_us"],
        max_us=result["max_us"],
        response_bytes=result["response_bytes"],
        first_response=bytes.fromhex(result["first_response"]),
    )


def _cpu(server_pid: int, generator_pid: int) -> tuple[float, float, float]:
    return cpu_seconds(server_pid), cpu_seconds(generator_pid), machine_cpu_seconds()


class Echo:
    """A server that responds to any request at once. It shows the maximum that the generator can measure."""

    def __init__(self, reply_bytes: int, core: int) -> None:
        self.port = free_port()
        self._process = subprocess.Popen(
            ["taskset", "-c", str(core), binary(), "echo", str(self.port), str(reply_bytes)],
            stdout=subprocess.PIPE,
        )
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == b"listening\n"
        self.pid = self._process.pid

    def stop(self) -> None:
        assert self._process.stdout is not None
        self._process.kill()
        self._process.wait()
        self._process.stdout.close()
