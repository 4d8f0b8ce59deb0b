"""File descriptors: how the limit of the process (RLIMIT_NOFILE) is divided.

files         a quarter, for the files of logs that are open at the same time
reserve       for the rest: listeners, worker threads, child processes, and connections that are refused
connections   what remains

A process without a free descriptor cannot even open the file that it must write to. So connections are
refused before they use the reserve, and the log closes files that are not in use.
"""

from __future__ import annotations

import errno
from typing import Final

from tidemark.platform import open_files_max
from tidemark.settings.broker import BrokerSettings

LIMIT_MIN: Final = 128  # with fewer, a broker could hardly serve a client
FILES_SHARE: Final = 4
RESERVE_MIN: Final = 48
RESERVE: Final = 64
BURST_SHARE: Final = 32
BURST_MAX: Final = 1024
BURSTS: Final = 2  # of listeners at the same time
HTTP_SHARE: Final = 8
EXHAUSTED: Final = (errno.EMFILE, errno.ENFILE)


def files_max() -> int:
    """Return how many files of logs may be open."""
    return open_files_max() // FILES_SHARE


def burst_max() -> int:
    """Return how many connections may be accepted at once: each has a descriptor before it is refused."""
    return max(1, min(open_files_max() // BURST_SHARE, BURST_MAX))


def connections_max(settings: BrokerSettings) -> int:
    """Return how many connections of Kafka clients there may be. `max.connections` is that of each broker."""
    reserve = max(RESERVE_MIN, min(RESERVE + BURSTS * burst_max(), open_files_max() // FILES_SHARE))
    http = http_connections_max(settings) if settings.tidemark_http_listener else 0
    most = max(1, open_files_max() - files_max() - reserve - http)
    return most if settings.tidemark_brokers > 1 else min(settings.max_connections, most)


def http_connections_max(settings: BrokerSettings) -> int:
    """Return how many connections of HTTP there may be, besides."""
    return min(settings.tidemark_http_connections_max, max(1, open_files_max() // HTTP_SHARE))


def is_exhausted(error: BaseException | None) -> bool:
    """Return whether the process or the system has no descriptor left."""
    return isinstance(error, OSError) and error.errno in EXHAUSTED
