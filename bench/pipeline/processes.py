"""What Spark costs the machine: CPU time and memory of this process and all below it, which are the JVM that
pyspark starts, and the Python workers that the JVM starts.
"""

from __future__ import annotations

import contextlib
import os
import re
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.host import children, children_cpu_seconds, cpu_seconds, machine_cpu_seconds


@dataclass(slots=True, frozen=True)
class Cost:
    """others: cores that the rest of the machine took meanwhile."""

    wall_s: float
    cpu_s: float
    others: float


def cost(work: Callable[[], object]) -> Cost:
    """Of doing it once."""
    began, cpu, machine = time.monotonic(), tree_cpu_seconds(), machine_cpu_seconds()
    work()
    wall, taken = time.monotonic() - began, tree_cpu_seconds() - cpu
    others = max(0.0, machine_cpu_seconds() - machine - taken) / wall
    return Cost(wall, taken, others)


def typical(work: Callable[[], object], times: int) -> Cost:
    """The run with the median CPU time of so many (the lower one of an even number)."""
    taken = [cost(work) for _ in range(times)]
    middle = statistics.median_low([each.cpu_s for each in taken])
    return next(each for each in taken if each.cpu_s == middle)


def tree_cpu_seconds() -> float:
    """User and system time so far of this process and its descendants, those that have ended included."""
    return sum(map(_cpu_seconds, tree()))


def _cpu_seconds(pid: int) -> float:
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it ended: its parent has its time now
        return cpu_seconds(pid) + children_cpu_seconds(pid)
    return 0


def tree() -> Iterator[int]:
    """This process and its descendants that live."""
    found = [os.getpid()]
    for pid in found:
        yield pid
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            found += children(pid)


def workers() -> list[int]:
    """The Python workers of Spark: what is forked from pyspark.daemon."""
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
    """Of the workers: peak_megabytes counts from now on."""
    for pid in workers():
        Path(f"/proc/{pid}/clear_refs").write_text("5")


def peak_megabytes() -> float:
    """The largest resident size that a worker has had, pages of files among it."""
    return max(map(_peak_megabytes, workers()), default=0.0)


def _peak_megabytes(pid: int) -> float:
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
        if found is not None:
            return int(found[1]) / 1024
    return 0.0
