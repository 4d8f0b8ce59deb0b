"""`Tidemark` for asyncio: the same methods as coroutines.

Each runs the method of `Tidemark` in a worker thread, so that the event loop stays free for clients. There is
no second implementation; types and docstrings are those of the methods.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from functools import partial, wraps
from pathlib import Path
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from tidemark_testing.client import Clock, Tidemark
from tidemark_testing.faults import Faults
from tidemark_testing.metrics import Metrics
from tidemark_testing.responses import Group

__tracebackhide__ = True

P = ParamSpec("P")
R = TypeVar("R")


def _of_tidemark(
    method: Callable[Concatenate[Tidemark, P], R],
) -> Callable[Concatenate[AsyncTidemark, P], Coroutine[Any, Any, R]]:
    @wraps(method)
    async def call(self: AsyncTidemark, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return await asyncio.to_thread(method, self.sync, *args, **kwargs)

    return call


def _of_clock(
    method: Callable[Concatenate[Clock, P], R],
) -> Callable[Concatenate[AsyncClock, P], Coroutine[Any, Any, R]]:
    @wraps(method)
    async def call(self: AsyncClock, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return await asyncio.to_thread(method, self.sync, *args, **kwargs)

    return call


class AsyncClock:
    """The broker's clock, with coroutines."""

    def __init__(self, clock: Clock) -> None:
        self.sync = clock

    advance = _of_clock(Clock.advance)
    to_expiry = _of_clock(Clock.to_expiry)
    set = _of_clock(Clock.set)
    freeze = _of_clock(Clock.freeze)
    resume = _of_clock(Clock.resume)

    async def now_ms(self) -> int:
        """Return the broker's time in milliseconds since the epoch."""
        return await asyncio.to_thread(lambda: self.sync.now_ms)


class AsyncTidemark:
    """A broker for a test, with coroutines. `sync` is the `Tidemark` behind it.

    `async with AsyncTidemark.start() as tidemark:` starts a broker; `AsyncTidemark(tidemark)` wraps the
    fixture of pytest, which the fixture `async_tidemark` does.
    """

    def __init__(self, tidemark: Tidemark | None = None) -> None:
        self._tidemark = tidemark
        self._start: Callable[[], Tidemark] | None = None

    @classmethod
    def start(
        cls,
        settings: Mapping[str, object] | None = None,
        *,
        mode: str = "thread",
        release: str | None = None,
        folder: str | Path | None = None,
    ) -> Self:
        """Return a broker that starts in an `async with` statement. The parameters are those of Tidemark."""
        waiting = cls()
        waiting._start = partial(Tidemark.start, settings, mode=mode, release=release, folder=folder)
        return waiting

    async def __aenter__(self) -> Self:
        if self._start is not None:
            self._tidemark = await asyncio.to_thread(self._start)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._start is not None:
            await self.close()

    @property
    def sync(self) -> Tidemark:
        """The same broker without coroutines."""
        if self._tidemark is None:
            raise RuntimeError(
                "the broker was not started: use `async with AsyncTidemark.start() as tidemark`"
            )
        return self._tidemark

    @property
    def bootstrap_servers(self) -> str:
        """The address for Kafka clients, host:port."""
        return self.sync.bootstrap_servers

    @property
    def http(self) -> str:
        """The address of /metrics and /v1, host:port."""
        return self.sync.http

    @property
    def clock(self) -> AsyncClock:
        """The broker's time."""
        return AsyncClock(self.sync.clock)

    def name(self, name: str) -> str:
        """Return the name of a topic or a group in this test."""
        return self.sync.name(name)

    async def groups(self) -> dict[str, Group]:
        """Return every group, by name."""
        return await asyncio.to_thread(lambda: self.sync.groups)

    async def metrics(self) -> Metrics:
        """Return the current samples of /metrics."""
        return await asyncio.to_thread(lambda: self.sync.metrics)

    @property
    def faults(self) -> Faults:
        """The faults that are set. Its methods block for some milliseconds."""
        return self.sync.faults

    topic = _of_tidemark(Tidemark.topic)
    requests = _of_tidemark(Tidemark.requests)
    produce = _of_tidemark(Tidemark.produce)
    records = _of_tidemark(Tidemark.records)
    create_topics = _of_tidemark(Tidemark.create_topics)
    lag = _of_tidemark(Tidemark.lag)
    lags = _of_tidemark(Tidemark.lags)
    wait_until_caught_up = _of_tidemark(Tidemark.wait_until_caught_up)
    assert_committed = _of_tidemark(Tidemark.assert_committed)
    assert_rebalanced = _of_tidemark(Tidemark.assert_rebalanced)
    assert_expired = _of_tidemark(Tidemark.assert_expired)
    assert_kept = _of_tidemark(Tidemark.assert_kept)
    expire_offsets = _of_tidemark(Tidemark.expire_offsets)
    offsets = _of_tidemark(Tidemark.offsets)
    removals = _of_tidemark(Tidemark.removals)
    transactions = _of_tidemark(Tidemark.transactions)
    explain = _of_tidemark(Tidemark.explain)
    story = _of_tidemark(Tidemark.story)
    snapshot = _of_tidemark(Tidemark.snapshot)
    restore = _of_tidemark(Tidemark.restore)
    stop = _of_tidemark(Tidemark.stop)
    kill = _of_tidemark(Tidemark.kill)
    restart = _of_tidemark(Tidemark.restart)
    close = _of_tidemark(Tidemark.close)
