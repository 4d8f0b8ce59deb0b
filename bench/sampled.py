"""`python -m bench.sampled FILE [argument of tidemark ...]`: run tidemark and sample its main thread.

The kernel takes a sample at each of its ticks, usually 250 per second, in which the process has the CPU, so
waiting is not counted. At the end FILE has {stack: seconds}. A stack is "file:function" from the innermost
frame on, joined by `;`. CPython handles a signal at the start or end of a call, so time in C is attributed to
the calling function.
"""

from __future__ import annotations

import json
import signal
import sys
import time
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Final

PACKAGES: Final = ("tidemark", "tidemark_http", "tidemark_protocol", "tidemark_expiry")
EVERY_S: Final = 0.001
DEPTH_MAX: Final = 24
LOOP: Final = "asyncio/runners.py"  # the outer frames are the same in all stacks


class Sampler:
    def __init__(self) -> None:
        self._seconds: Counter[str] = Counter()
        self._last = 0.0

    def start(self) -> None:
        self._last = time.thread_time()
        signal.signal(signal.SIGPROF, self._sample)
        signal.setitimer(signal.ITIMER_PROF, EVERY_S, EVERY_S)

    def stop(self) -> dict[str, float]:
        signal.setitimer(signal.ITIMER_PROF, 0)
        return dict(self._seconds)

    def _sample(self, _: int, frame: FrameType | None) -> None:
        now = time.thread_time()
        self._seconds[stack_of(frame)] += now - self._last
        self._last = time.thread_time()  # the sample itself is not counted


def stack_of(frame: FrameType | None) -> str:
    names: list[str] = []
    while frame is not None and len(names) < DEPTH_MAX:
        code = frame.f_code
        if code.co_filename.endswith(LOOP):
            break
        names.append(f"{name_of(code.co_filename)}:{code.co_qualname}")
        frame = frame.f_back
    return ";".join(names)


def name_of(file: str) -> str:
    """Return the path of a file from our package on, or else its last two parts."""
    parts = file.split("/")
    ours = [at for at, part in enumerate(parts) if part in PACKAGES]
    return "/".join(parts[ours[-1] if ours else -2 :])


def main() -> int:
    from tidemark_tools.main import main as tidemark

    target = Path(sys.argv[1])
    sys.argv[1:2] = []
    sampler = Sampler()
    sampler.start()
    try:
        return tidemark()
    finally:
        target.write_text(json.dumps(sampler.stop()))


if __name__ == "__main__":
    sys.exit(main())
