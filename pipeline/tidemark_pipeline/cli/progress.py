"""Print Spark's progress on stderr: one line that is overwritten on a terminal, else a line now and then."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, TextIO

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TERMINAL_S: Final = 0.5
ELSEWHERE_S: Final = 10.0
CLEAR_LINE: Final = "\r\x1b[K"


@contextmanager
def shown(spark: SparkSession, what: str, stream: TextIO | None = None) -> Iterator[None]:
    """Print progress while the block runs. Nothing on Spark Connect, whose JVM runs elsewhere."""
    from pyspark.sql.utils import is_remote

    if is_remote():
        yield
        return
    line = _Line(what, stream or sys.stderr)
    ended = threading.Event()
    watcher = threading.Thread(target=_watch, args=(spark, line, ended), daemon=True)
    watcher.start()
    try:
        yield
    finally:
        ended.set()
        watcher.join()
        line.clear()


def _watch(spark: SparkSession, line: _Line, ended: threading.Event) -> None:
    waited_s = 0.0
    while not ended.wait(line.every_s):
        waited_s += line.every_s
        line.show(f"{stages(spark.sparkContext.statusTracker())}{waited_s:.0f} s")


def stages(tracker: Any) -> str:
    """Return the tasks of the running stages, from Spark's status tracker; "" between stages."""
    running = [found for found in map(tracker.getStageInfo, tracker.getActiveStageIds()) if found is not None]
    if not running:
        return ""
    done, total = sum(stage.numCompletedTasks for stage in running), sum(stage.numTasks for stage in running)
    return f"{done} of {total} tasks, "


class _Line:
    def __init__(self, what: str, stream: TextIO) -> None:
        self._what = what
        self._stream = stream
        self._terminal = stream.isatty()
        self._written = False
        self.every_s = TERMINAL_S if self._terminal else ELSEWHERE_S

    def show(self, text: str) -> None:
        begin, end = (CLEAR_LINE, "") if self._terminal else ("", "\n")
        self._stream.write(f"{begin}{self._what}: {text}{end}")
        self._stream.flush()
        self._written = True

    def clear(self) -> None:
        if self._terminal and self._written:
            self._stream.write(CLEAR_LINE)
            self._stream.flush()
