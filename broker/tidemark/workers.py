"""Workers: run work outside the event loop, in threads and in child processes."""

from __future__ import annotations

import asyncio
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from threading import Thread
from typing import Any, Final, TypeVar

T = TypeVar("T")
R = TypeVar("R")

Running = asyncio.Future  # work in a thread, as `Workers.run` returns it

AT_ONCE: Final = 8  # threads of one call of `for_each`


class Workers(ABC):
    """Runs work outside the event loop. Every part that blocks or needs a processor for long uses it."""

    @abstractmethod
    def run(self, work: Callable[..., R], *arguments: Any) -> asyncio.Future[R]:
        """Run work in some thread. Call it on the loop, and await the result there."""

    @abstractmethod
    def thread(self, name: str) -> Executor:
        """Return a thread that does its work in order. The caller shuts it down."""

    @abstractmethod
    def for_each(self, work: Callable[[T], R], items: Sequence[T]) -> list[R]:
        """Call work for each item, several at a time. Blocks, and returns the results in order."""

    @abstractmethod
    def spawn(self, command: Sequence[str], environment: Mapping[str, str]) -> subprocess.Popen[str]:
        """Start a child process."""


class SystemWorkers(Workers):
    """Threads and processes of the operating system."""

    def run(self, work: Callable[..., R], *arguments: Any) -> asyncio.Future[R]:
        return asyncio.get_running_loop().run_in_executor(None, work, *arguments)

    def thread(self, name: str) -> Executor:
        return ThreadPoolExecutor(1, name)

    def for_each(self, work: Callable[[T], R], items: Sequence[T]) -> list[R]:
        with ThreadPoolExecutor(AT_ONCE, "tidemark-work") as pool:
            return list(pool.map(work, items))

    def spawn(self, command: Sequence[str], environment: Mapping[str, str]) -> subprocess.Popen[str]:
        pipe = subprocess.PIPE
        return subprocess.Popen(  # noqa: S603 our own interpreter
            command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, env=environment
        )


def trim_heap() -> None:
    """Give memory that was freed back to the operating system, which glibc does only at the end of a heap.

    Other threads continue meanwhile. Does nothing with another C library.
    """
    import ctypes  # most brokers never need it

    with suppress(TypeError):  # Windows has no such library
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)


class Patience:
    """Runs work in a thread, one at a time, and waits no longer than `seconds` for it.

    Such work may never end, such as reading from a file system that is not reachable. Its thread does not
    delay the end of the process.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._is_busy = False

    async def run(self, work: Callable[[], R]) -> R:
        """Return the result. Raises TimeoutError if it takes too long, or if earlier work still runs."""
        if self._is_busy:
            raise TimeoutError
        loop = asyncio.get_running_loop()
        done: asyncio.Future[R] = loop.create_future()

        def end(report: Callable[[], None]) -> None:
            self._is_busy = False
            if not done.done():
                report()

        def work_and_report() -> None:
            try:
                report = partial(done.set_result, work())
            except Exception as error:  # noqa: BLE001 raised where the result is awaited
                report = partial(done.set_exception, error)
            with suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(end, report)

        self._is_busy = True
        Thread(target=work_and_report, name="tidemark-patience", daemon=True).start()
        async with asyncio.timeout(self._seconds):
            return await done
