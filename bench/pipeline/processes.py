"""The cost of Spark: CPU time and memory of this process and all its descendants.

These are the JVM that pyspark starts, and the Python workers that the JVM starts.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import re
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.host import TICKS, children, machine_cpu_seconds

LOOK_S: Final = 0.1


@dataclass(slots=True, frozen=True)
class Cost:
    """others: the average number of cores that other processes used meanwhile.

    peak_mb: the largest sum of the resident sizes of all processes, which counts pages that processes share
    several times.
    """

    wall_s: float
    cpu_s: float
    others: float
    peak_mb: float = 0.0


def cost(work: Callable[[], object]) -> Cost:
    """Return the cost of one run."""
    began, machine = time.monotonic(), machine_cpu_seconds()
    with Meter() as meter:
        work()
    wall = time.monotonic() - began
    others = max(0.0, machine_cpu_seconds() - machine - meter.cpu_s) / wall
    return Cost(wall, meter.cpu_s, others, meter.peak_mb)


def typical(work: Callable[[], object], times: int) -> Cost:
    """Return the run with the median CPU time (the lower one of an even number)."""
    taken = [cost(work) for _ in range(times)]
    middle = statistics.median_low([each.cpu_s for each in taken])
    return next(each for each in taken if each.cpu_s == middle)


class Meter:
    """Measure CPU time and memory of this process and its descendants in a block, by frequent samples.

    pyspark's daemon ignores SIGCHLD, so the times of its ended workers are not added to it.
    """

    def __init__(self) -> None:
        self.cpu_s = 0.0
        self.peak_mb = 0.0
        self._before = _seconds_of_each()
        self._last = dict(self._before)
        self._over = threading.Event()
        self._looking = threading.Thread(target=self._look, daemon=True)

    def _look(self) -> None:
        while not self._over.wait(LOOK_S):
            self._last |= _seconds_of_each()
            self.peak_mb = max(self.peak_mb, _resident_megabytes())

    def __enter__(self) -> Meter:
        self._looking.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._looking.join()
        self._last |= _seconds_of_each()
        self.cpu_s = sum(self._last.values()) - sum(self._before.values())


def _seconds_of_each() -> dict[tuple[int, int], float]:
    """Return the CPU time of each process, by id and start time, because ids are reused."""
    found = {}
    for pid in tree():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it has just ended
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            found[pid, int(fields[19])] = (int(fields[11]) + int(fields[12])) / TICKS
    return found


def _resident_megabytes() -> float:
    """Return the sum of the resident sizes, without this process, which only measures."""
    pages = 0
    for pid in tree():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            pages += int(Path(f"/proc/{pid}/statm").read_text().split()[1]) if pid != os.getpid() else 0
    return pages * mmap.PAGESIZE / 2**20


def tree() -> Iterator[int]:
    """Return this process and its living descendants."""
    found = [os.getpid()]
    for pid in found:
        yield pid
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            found += children(pid)


def workers() -> list[int]:
    """Return the Python workers of Spark, which pyspark.daemon forks."""
    daemons = [pid for pid in tree() if b"pyspark.daemon" in _command(pid)]
    return [pid for pid in daemons if b"pyspark.daemon" in _command(_parent(pid))]


def _command(pid: int) -> bytes:
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


def _parent(pid: int) -> int:
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return 0


def forget_peaks() -> None:
    """Restart the measurement of peak_megabytes."""
    for pid in workers():
        Path(f"/proc/{pid}/clear_refs").write_text("5")


def peak_megabytes() -> float:
    """Return the largest resident size of a worker, including mapped files."""
    return max(map(_peak_megabytes, workers()), default=0.0)


def _peak_megabytes(pid: int) -> float:
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
        if found is not None:
            return int(found[1]) / 1024
    return 0.0
