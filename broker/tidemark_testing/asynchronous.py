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
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar

from tidemark_testing.client import Clock, Tidemark
from tidemark_testing.faults import Faults
from tidemark_testing.metrics import Metrics
from tidemark_testing.responses import Group
from tidemark_testing.server import Mode

__tracebackhide__ = True

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")


class _Wrapper(Generic[T]):
    """Has the methods of another object as coroutines."""

    def __init__(self, sync: T | None = None) -> None:
        self._sync = sync

    @property
    def sync(self) -> T:
        """The same object without coroutines."""
        if self._sync is None:
            raise RuntimeError(
                "the broker was not started: use `async with AsyncTidemark.start() as tidemark`"
            )
        return self._sync


def _in_thread(
    method: Callable[Concatenate[T, P], R],
) -> Callable[Concatenate[_Wrapper[T], P], Coroutine[Any, Any, R]]:
    @wraps(method)
    async def call(self: _Wrapper[T], /, *args: P.args, **kwargs: P.kwargs) -> R:
        return await asyncio.to_thread(method, self.sync, *args, **kwargs)

    return call


class AsyncClock(_Wrapper[Clock]):
    """The broker's clock, with coroutines."""

    advance = _in_thread(Clock.advance)
    to_expiry = _in_thread(Clock.to_expiry)
    set = _in_thread(Clock.set)
    freeze = _in_thread(Clock.freeze)
    resume = _in_thread(Clock.resume)

    async def now_ms(self) -> int:
        """Return the broker's time in milliseconds since the epoch."""
        return await asyncio.to_thread(lambda: self.sync.now_ms)


class AsyncTidemark(_Wrapper[Tidemark]):
    """A broker for a test, with coroutines. `sync` is the `Tidemark` behind it.

    `async with AsyncTidemark.start() as tidemark:` starts a broker; `AsyncTidemark(tidemark)` wraps the
    fixture of pytest, which the fixture `async_tidemark` does.
    """

    _start: Callable[[], Tidemark] | None = None

    def __init__(self, tidemark: Tidemark | None = None) -> None:
        super().__init__(tidemark)

    @classmethod
    def start(
        cls,
        settings: Mapping[str, object] | None = None,
        *,
        mode: Mode = "thread",
        release: str | None = None,
        folder: str | Path | None = None,
        client_settings: Mapping[str, str] | None = None,
    ) -> Self:
        """Return a broker that starts in an `async with` statement. The parameters are those of Tidemark."""
        waiting = cls()
        waiting._start = partial(
            Tidemark.start,
            settings,
            mode=mode,
            release=release,
            folder=folder,
            client_settings=client_settings,
        )
        return waiting

    async def __aenter__(self) -> Self:
        if self._start is not None:
            self._sync = await asyncio.to_thread(self._start)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._start is not None:
            await self.close()

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

    topic = _in_thread(Tidemark.topic)
    requests = _in_thread(Tidemark.requests)
    produce = _in_thread(Tidemark.produce)
    records = _in_thread(Tidemark.records)
    create_topics = _in_thread(Tidemark.create_topics)
    lag = _in_thread(Tidemark.lag)
    lags = _in_thread(Tidemark.lags)
    wait_until_caught_up = _in_thread(Tidemark.wait_until_caught_up)
    assert_committed = _in_thread(Tidemark.assert_committed)
    assert_rebalanced = _in_thread(Tidemark.assert_rebalanced)
    expel = _in_thread(Tidemark.expel)
    assert_expired = _in_thread(Tidemark.assert_expired)
    assert_kept = _in_thread(Tidemark.assert_kept)
    expire_offsets = _in_thread(Tidemark.expire_offsets)
    offsets = _in_thread(Tidemark.offsets)
    removals = _in_thread(Tidemark.removals)
    transactions = _in_thread(Tidemark.transactions)
    explain = _in_thread(Tidemark.explain)
    report = _in_thread(Tidemark.report)
    story = _in_thread(Tidemark.story)
    snapshot = _in_thread(Tidemark.snapshot)
    restore = _in_thread(Tidemark.restore)
    stop = _in_thread(Tidemark.stop)
    kill = _in_thread(Tidemark.kill)
    restart = _in_thread(Tidemark.restart)
    close = _in_thread(Tidemark.close)
