"""Print the step of a command on stderr: a line that is overwritten on a terminal, else one now and then.

The time counts from the start of the command, through all of its steps.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, TextIO

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TERMINAL_S: Final = 0.5
ELSEWHERE_S: Final = 10.0
CLEAR_LINE: Final = "\r\x1b[K"


class Progress:
    """The current step of a command, and Spark's tasks once it runs."""

    def __init__(self, command: str = "", stream: TextIO | None = None) -> None:
        self._command = command
        self._stream = stream or sys.stderr
        self._terminal = self._stream.isatty()
        self._written = False
        self._began = time.perf_counter()
        self._step = "starting Spark"
        self._tracker: Any = None
        self._lock = threading.Lock()
        self.every_s = TERMINAL_S if self._terminal else ELSEWHERE_S

    def step(self, name: str) -> None:
        self._step = name

    @contextmanager
    def watching(self, spark: SparkSession) -> Iterator[None]:
        """Show the tasks of this session. Not on Spark Connect, whose JVM runs elsewhere."""
        from pyspark.sql.utils import is_remote

        if not is_remote():
            self._tracker = spark.sparkContext.statusTracker()
        try:
            yield
        finally:
            with self._lock:
                self._tracker = None

    def text(self) -> str:
        """Return the command, its step, the tasks that are running, and the time since its start."""
        running = "" if self._tracker is None else stages(self._tracker)
        step = "" if self._step == self._command else f"{self._step}, "
        return f"{self._command}: {step}{running}{time.perf_counter() - self._began:.0f} s"

    def show(self) -> None:
        begin, end = (CLEAR_LINE, "") if self._terminal else ("", "\n")
        with self._lock:
            self._stream.write(f"{begin}{self.text()}{end}")
            self._stream.flush()
            self._written = True

    def clear(self) -> None:
        """Clear the line on a terminal, so that something else can be printed there."""
        with self._lock:
            if self._terminal and self._written:
                self._stream.write(CLEAR_LINE)
                self._stream.flush()
            self._written = False


@contextmanager
def shown(command: str, *, shows: bool = True) -> Iterator[Progress]:
    """Print progress while the block runs, if it is shown."""
    progress = Progress(command)
    if not shows:
        yield progress
        return
    ended = threading.Event()
    watcher = threading.Thread(target=_watch, args=(progress, ended), daemon=True)
    watcher.start()
    try:
        yield progress
    finally:
        ended.set()
        watcher.join()
        progress.clear()


def _watch(progress: Progress, ended: threading.Event) -> None:
    while not ended.wait(progress.every_s):
        progress.show()


def stages(tracker: Any) -> str:
    """Return the tasks of the running stages, from Spark's status tracker; "" between stages."""
    running = [found for found in map(tracker.getStageInfo, tracker.getActiveStageIds()) if found is not None]
    if not running:
        return ""
    done, total = sum(stage.numCompletedTasks for stage in running), sum(stage.numTasks for stage in running)
    return f"{done} of {total} tasks, "
