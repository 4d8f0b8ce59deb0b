"""asyncio without threads and sockets: an event loop whose turns, timers and workers are events of the world.

The broker runs on it unchanged. The seed chooses when a job of a thread runs, and when its result arrives. A
turn of the loop has its own moment, too, so that simultaneous events share a turn or do not.
"""

from __future__ import annotations

import asyncio
from asyncio import events
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, Future
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from tidemark.workers import R, T, Workers
from tidemark_testing.clock import VirtualTimer

if TYPE_CHECKING:
    from tests.faults.simulation.node import Process


class Worker(Executor):
    """A thread pool with one thread (in_order) or many: the seed chooses when each job starts and ends."""

    def __init__(self, process: Process, *, in_order: bool) -> None:
        self._process = process
        self._in_order = in_order
        self._free_ms = 0

    def submit(self, work: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        process = self._process
        now_ms = process.world.clock.steady_ms()
        begins_ms = now_ms + process.job_delay_ms()
        if self._in_order:
            begins_ms = max(begins_ms, self._free_ms)
        ends_ms = begins_ms + process.job_delay_ms()
        self._free_ms = ends_ms

        def begin() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                done, error = work(*arguments, **named), None
            except Exception as failed:  # noqa: BLE001 as a thread pool hands it over
                done, error = None, failed
            process.at(ends_ms, lambda: end(done, error))

        def end(done: Any, error: Exception | None) -> None:
            if error is not None:
                future.set_exception(error)
            else:
                future.set_result(done)

        process.at(begins_ms, begin)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        pass


class SimulatedWorkers(Workers):
    """Threads whose jobs begin and end at moments that the seed chooses."""

    def __init__(self, process: Process, loop: Loop) -> None:
        self._process = process
        self._loop = loop

    def run(self, work: Callable[..., R], *arguments: Any) -> asyncio.Future[R]:
        return self._loop.run_in_executor(None, work, *arguments)

    def thread(self, name: str) -> Executor:
        return Worker(self._process, in_order=True)

    def for_each(self, work: Callable[[T], R], items: Sequence[T]) -> list[R]:
        """Do the work at once: the caller waits for it anyway."""
        return [work(item) for item in items]

    def spawn(self, command: Sequence[str], environment: Mapping[str, str]) -> Any:
        raise AssertionError("the disk is in memory: no process could read it")


class Loop:
    """The part of an event loop that the broker, and asyncio's tasks and futures, use."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._loop: Any = self  # this class has all methods that asyncio needs
        self._ready: deque[asyncio.Handle] = deque()
        self._turn_armed = False
        self._threads = Worker(process, in_order=False)
        self.tasks: list[asyncio.Task[Any]] = []

    def enter(self, callback: Callable[..., Any], *arguments: Any) -> None:
        """Run a callback as the loop does. The next turn runs what it schedules."""
        events._set_running_loop(self._loop)
        try:
            callback(*arguments)
        finally:
            events._set_running_loop(None)
        if self._ready and not self._turn_armed:
            self._turn_armed = True
            self._process.after(self._process.turn_delay_ms(), self._turn)

    def _turn(self) -> None:
        self._turn_armed = False
        for _ in range(len(self._ready)):
            handle = self._ready.popleft()
            if not handle._cancelled:
                handle._context.run(handle._callback, *handle._args)  # type: ignore[attr-defined]

    def drop(self) -> None:
        """End the process: nothing of it runs any more."""
        self._ready.clear()
        for task in self.tasks:
            if not task.done():
                task._log_destroy_pending = False  # type: ignore[attr-defined]
                with suppress(BaseException):  # its process is dead, so errors of its cleanup do not matter
                    task.get_coro().close()
        self._ready.clear()

    def call_soon(self, callback: Any, *args: Any, context: Any = None) -> asyncio.Handle:
        handle = asyncio.Handle(callback, args, self._loop, context)
        self._ready.append(handle)
        return handle

    def call_soon_threadsafe(self, callback: Any, *args: Any, context: Any = None) -> asyncio.Handle:
        return self.call_soon(callback, *args, context=context)

    def call_later(self, delay: float, callback: Any, *args: Any, context: Any = None) -> Any:
        return self.call_at(self.time() + delay, callback, *args, context=context)

    def call_at(self, when: float, callback: Any, *args: Any, context: Any = None) -> VirtualTimer:
        return self._process.at(int(when * 1000), lambda: callback(*args))

    def time(self) -> float:
        return self._process.world.clock.steady_ms() / 1000

    def get_debug(self) -> bool:
        return False

    def is_running(self) -> bool:
        return True

    def is_closed(self) -> bool:
        return False

    def create_future(self) -> asyncio.Future[Any]:
        return asyncio.Future(loop=self._loop)

    def create_task(self, coro: Any, *, name: Any = None, context: Any = None) -> asyncio.Task[Any]:
        task = asyncio.Task(coro, loop=self._loop, name=name, context=context)
        self.tasks = [each for each in self.tasks if not each.done()]
        self.tasks.append(task)
        return task

    def run_in_executor(self, executor: Any, func: Any, *args: Any) -> asyncio.Future[Any]:
        return asyncio.wrap_future((executor or self._threads).submit(func, *args), loop=self._loop)

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        self._process.unexpected(context["message"], context.get("exception"))
