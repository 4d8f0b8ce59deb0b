"""Measurements of the machine: CPU time and memory of a process, and the time of a sync."""

from __future__ import annotations

import contextlib
import mmap
import os
import re
import time
import urllib.request
from pathlib import Path
from typing import Final

TICKS: Final = os.sysconf("SC_CLK_TCK")


def cpu_seconds(pid: int) -> float:
    """Return the user and system time of a process and its threads so far."""
    return _stat(pid, 11) + _stat(pid, 12)


def children_cpu_seconds(pid: int) -> float:
    """Return the CPU time of a process's children that have ended."""
    return _stat(pid, 13) + _stat(pid, 14)


def children(pid: int) -> list[int]:
    """Return the running children of a process."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # a thread that has ended meanwhile
            found += map(int, (task / "children").read_text().split())
    return found


def _stat(pid: int, field: int) -> float:
    """Return a field of /proc/PID/stat, counted from the process state, which is 0."""
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[field]) / TICKS


def machine_cpu_seconds() -> float:
    """Return the CPU time of all processes and the kernel so far."""
    user, nice, system, _, _, irq, softirq, *_ = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]
    return sum(map(int, (user, nice, system, irq, softirq))) / TICKS


def resident_megabytes(pid: int) -> float:
    found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    assert found is not None
    return int(found[1]) / 1024


def sync_ms(folder: Path, times: int = 200) -> tuple[float, float]:
    """Return p50 and p99 of writing 4 KiB to a growing file with fdatasync, the minimum of a flush."""
    path = folder / "sync-probe"
    taken = []
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    try:
        for _ in range(times):
            os.write(descriptor, bytes(4096))
            started = time.monotonic()
            os.fdatasync(descriptor)
            taken.append((time.monotonic() - started) * 1000)
    finally:
        os.close(descriptor)
        path.unlink()
    taken.sort()
    return taken[times // 2], taken[int(times * 0.99)]


def disk_text(folder: Path) -> str:
    """Return the text about the disk that accompanies each row with sync."""
    return "fdatasync p50 {:.2f} p99 {:.2f} ms".format(*sync_ms(folder))


def set_priority(nice: int) -> None:
    """Set the priority of this process and its children. Linux also compares whole sessions (autogroups)."""
    os.nice(nice)
    own = Path("/proc/self/autogroup")
    if own.exists():
        with contextlib.suppress(PermissionError):  # it leads a session of its own already
            os.setsid()
        own.write_text(str(nice))


def touch_memory(megabytes: int) -> None:
    """Touch this much free memory once.

    A virtual machine gets a page from its host at the first touch, which costs several times as much as
    writing to it.
    """
    page = mmap.PAGESIZE
    with mmap.mmap(-1, megabytes << 20) as memory:
        for at in range(0, len(memory), page):
            memory[at] = 1


def metric(http: str, name: str) -> float:
    """Return a value without labels from the broker's /metrics; nan if it does not exist."""
    address = http if http.startswith("http") else f"http://{http}"
    with urllib.request.urlopen(f"{address}/metrics") as page:
        found = re.search(rf"^{name} (\S+)$", page.read().decode(), re.MULTILINE)
    return float(found[1]) if found else float("nan")
