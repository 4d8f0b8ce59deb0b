"""`Tidemark` for asyncio: the same methods as coroutines.

Each runs the method of `Tidemark` in a thread, so that the event loop stays free for clients. There is no
second implementation; types and docstrings are those of the methods. Properties that ask the broker are
coroutines, too: `await tidemark.groups()`.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Collection, Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from contextvars import copy_context
from datetime import datetime
from functools import partial, wraps
from pathlib import Path
from threading import Event
from types import TracebackType
from typing import Any, Concatenate, Final, Generic, ParamSpec, Self, TypeVar, Unpack, overload

from tidemark.faults.model import FaultFields
from tidemark.server.request_journal import Outcome
from tidemark_protocol.names import ApiName, ErrorName
from tidemark_testing.brokers import Brokers
from tidemark_testing.chaos import Chaos, ChaosEvent, GroupProtocol
from tidemark_testing.client import Clock, Tidemark
from tidemark_testing.faults import Faults, SetFault
from tidemark_testing.isolation import CANCELLED
from tidemark_testing.metrics import Metrics
from tidemark_testing.requests import RecordedRequest, Requests
from tidemark_testing.responses import Group
from tidemark_testing.server import Mode

__tracebackhide__ = True

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")

# Each wait occupies a thread. The default executor of a loop has so few that waits would hold up each other.
THREADS_MAX: Final = 128
_THREADS: Final = ThreadPoolExecutor(THREADS_MAX, "tidemark-async")


async def _run(work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Call work in a thread. If this is cancelled, work ends with its next `pause`."""
    cancelled, context = Event(), copy_context()
    context.run(CANCELLED.set, cancelled)
    called = partial(context.run, work, *args, **kwargs)
    try:
        return await asyncio.get_running_loop().run_in_executor(_THREADS, called)
    except asyncio.CancelledError:
        cancelled.set()
        raise


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


W = TypeVar("W", bound=_Wrapper[Any])


def _in_thread(
    method: Callable[Concatenate[T, P], R],
) -> Callable[Concatenate[_Wrapper[T], P], Coroutine[Any, Any, R]]:
    @wraps(method)
    async def call(self: _Wrapper[T], /, *args: P.args, **kwargs: P.kwargs) -> R:
        return await _run(method, self.sync, *args, **kwargs)

    return call


def _returning_self(
    method: Callable[Concatenate[T, P], T],
) -> Callable[Concatenate[W, P], Coroutine[Any, Any, W]]:
    """Like `_in_thread`, for a method that returns its own object."""

    @wraps(method)
    async def call(self: W, /, *args: P.args, **kwargs: P.kwargs) -> W:
        await _run(method, self.sync, *args, **kwargs)
        return self

    return call


class AsyncSetFault(_Wrapper[SetFault]):
    """A fault that was set. `async with await tidemark.faults.add(...)` removes it when the block ends."""

    wait_for = _returning_self(SetFault.wait_for)
    release = _in_thread(SetFault.release)
    remove = _in_thread(SetFault.remove)

    def __repr__(self) -> str:
        return f"Async{self.sync!r}"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.remove()

    @property
    def id(self) -> int:
        return self.sync.id

    @property
    def fields(self) -> FaultFields:
        """The fields that it was set with."""
        return self.sync.fields

    async def matched(self) -> int:
        """Return the number of requests to which it was applied."""
        return await _run(lambda: self.sync.matched)

    async def seen(self) -> int:
        """Return the number of requests that passed its filters, with those that nth or every left out."""
        return await _run(lambda: self.sync.seen)

    async def waiting(self) -> int:
        """Return the number of requests and responses that wait for `release`."""
        return await _run(lambda: self.sync.waiting)

    async def active(self) -> bool:
        """Return False once it was removed, or `times` or `for_ms` have ended it."""
        return await _run(lambda: self.sync.active)


class AsyncFaults(_Wrapper[Faults]):
    """The faults that are set. `async for` yields them in the order in which they were set."""

    clear = _in_thread(Faults.clear)

    async def __aiter__(self) -> AsyncIterator[AsyncSetFault]:
        for fault in await _run(list, self.sync):
            yield AsyncSetFault(fault)

    async def add(self, **fields: Unpack[FaultFields]) -> AsyncSetFault:
        """Set a fault, as `Faults.add` does."""
        return AsyncSetFault(await _run(self.sync.add, **fields))


class AsyncRequests(_Wrapper[Requests], Sequence[RecordedRequest]):
    """The recorded requests that passed the filters when they were read last.

    `refresh` and `wait_for` read them again. Everything else is as with `Requests`, and asks the broker
    nothing.
    """

    refresh = _returning_self(Requests.refresh)
    wait_for = _returning_self(Requests.wait_for)

    def __bool__(self) -> bool:
        return bool(self.sync)

    def __len__(self) -> int:
        return len(self.sync)

    def __iter__(self) -> Iterator[RecordedRequest]:
        return iter(self.sync)

    @overload
    def __getitem__(self, index: int) -> RecordedRequest: ...
    @overload
    def __getitem__(self, index: slice) -> list[RecordedRequest]: ...
    def __getitem__(self, index: int | slice) -> RecordedRequest | list[RecordedRequest]:
        return self.sync[index]

    def __repr__(self) -> str:
        return f"Async{self.sync!r}"


class AsyncClock(_Wrapper[Clock]):
    """The broker's clock, with coroutines."""

    advance = _in_thread(Clock.advance)
    to_expiry = _in_thread(Clock.to_expiry)
    set = _in_thread(Clock.set)
    freeze = _in_thread(Clock.freeze)
    resume = _in_thread(Clock.resume)

    async def now_ms(self) -> int:
        """Return the broker's time in milliseconds since the epoch."""
        return await _run(lambda: self.sync.now_ms)

    async def now(self) -> datetime:
        """Return the broker's time."""
        return await _run(lambda: self.sync.now)


class AsyncBrokers(_Wrapper[Brokers]):
    """The brokers of a cluster of several, with coroutines."""

    all = _in_thread(Brokers.all)
    add = _in_thread(Brokers.add)
    remove = _in_thread(Brokers.remove)
    stop = _in_thread(Brokers.stop)
    kill = _in_thread(Brokers.kill)
    cut_off = _in_thread(Brokers.cut_off)
    reconnect = _in_thread(Brokers.reconnect)
    start = _in_thread(Brokers.start)
    restart = _in_thread(Brokers.restart)
    move_leader = _in_thread(Brokers.move_leader)
    elect_preferred_leaders = _in_thread(Brokers.elect_preferred_leaders)
    move_coordinator = _in_thread(Brokers.move_coordinator)
    move_controller = _in_thread(Brokers.move_controller)
    controller = _in_thread(Brokers.controller)
    shrink_isr = _in_thread(Brokers.shrink_isr)
    grow_isr = _in_thread(Brokers.grow_isr)
    leader = _in_thread(Brokers.leader)
    coordinator = _in_thread(Brokers.coordinator)
    assert_leader = _in_thread(Brokers.assert_leader)
    assert_coordinator = _in_thread(Brokers.assert_coordinator)


class AsyncChaos(_Wrapper[Chaos]):
    """Chaos for a consumer group: use it in an `async with` statement. `sync.steps` is its schedule."""

    judge = _in_thread(Chaos.judge)
    assert_every_record_processed = _in_thread(Chaos.assert_every_record_processed)
    assert_no_record_skipped = _in_thread(Chaos.assert_no_record_skipped)
    report = _in_thread(Chaos.report)

    async def __aenter__(self) -> Self:
        await _run(self.sync.__enter__)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await _run(self.sync.__exit__, kind, error, trace)

    @property
    def seed(self) -> int:
        """The seed that repeats it."""
        return self.sync.seed


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
            starting = asyncio.ensure_future(_run(self._start))
            try:
                self._sync = await asyncio.shield(starting)
            except asyncio.CancelledError:
                with suppress(Exception):  # a broker that has started must not remain
                    (await starting).close()
                raise
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
        return await _run(lambda: self.sync.groups)

    async def metrics(self) -> Metrics:
        """Return the current samples of /metrics."""
        return await _run(lambda: self.sync.metrics)

    @property
    def brokers(self) -> AsyncBrokers:
        """The brokers of the cluster, if the setting tidemark.brokers is greater than 1."""
        return AsyncBrokers(self.sync.brokers)

    @property
    def faults(self) -> AsyncFaults:
        """The faults that are set: `await faults.add(...)` sets one."""
        return AsyncFaults(self.sync.faults)

    async def requests(
        self,
        *,
        api: ApiName | None = None,
        group: str | None = None,
        transactional_id: str | None = None,
        topic: str | None = None,
        partition: int | None = None,
        client_id: str | None = None,
        connection: int | None = None,
        node_id: int | None = None,
        error: ErrorName | None = None,
        outcome: Outcome | None = None,
        after: int | None = None,
    ) -> AsyncRequests:
        """Read the recorded requests that pass all filters, which are those of `Tidemark.requests`."""
        filters: dict[str, Any] = {**locals()}
        del filters["self"]
        return AsyncRequests(await _run(lambda: self.sync.requests(**filters).refresh()))

    def chaos(
        self,
        group: str,
        topics: str | Sequence[str],
        *,
        seed: int | None = None,
        steps: int = 8,
        events: Collection[ChaosEvent] | None = None,
        protocol: GroupProtocol = "classic",
        outputs: str | Sequence[str] = (),
    ) -> AsyncChaos:
        """Return chaos for a consumer group. The parameters are those of `Tidemark.chaos`."""
        made = self.sync.chaos(
            group, topics, seed=seed, steps=steps, events=events, protocol=protocol, outputs=outputs
        )
        return AsyncChaos(made)

    @asynccontextmanager
    async def kept(self) -> AsyncIterator[None]:
        """Make the current state the one in which every `tidemark` starts, until the block ends.

        For fixtures that prepare a session or a module.
        """
        block = self.sync.kept()
        await _run(block.__enter__)
        try:
            yield
        finally:
            await _run(block.__exit__, *sys.exc_info())

    @property
    def clean(self) -> str | None:
        """The snapshot that `restore()` restores by default."""
        return self.sync.clean

    @property
    def is_reset(self) -> bool:
        """Whether `restore()` can restore the state at the start of the test."""
        return self.sync.is_reset

    topic = _in_thread(Tidemark.topic)
    produce = _in_thread(Tidemark.produce)
    records = _in_thread(Tidemark.records)
    create_topics = _in_thread(Tidemark.create_topics)
    lag = _in_thread(Tidemark.lag)
    lags = _in_thread(Tidemark.lags)
    wait_until_caught_up = _in_thread(Tidemark.wait_until_caught_up)
    assert_committed = _in_thread(Tidemark.assert_committed)
    assert_acknowledged = _in_thread(Tidemark.assert_acknowledged)
    assert_rebalanced = _in_thread(Tidemark.assert_rebalanced)
    expel = _in_thread(Tidemark.expel)
    assert_expired = _in_thread(Tidemark.assert_expired)
    assert_kept = _in_thread(Tidemark.assert_kept)
    expire_offsets = _in_thread(Tidemark.expire_offsets)
    expire_locks = _in_thread(Tidemark.expire_locks)
    share_partitions = _in_thread(Tidemark.share_partitions)
    share_records = _in_thread(Tidemark.share_records)
    share_record = _in_thread(Tidemark.share_record)
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
    remember = _in_thread(Tidemark.remember)
    renew = _in_thread(Tidemark.renew)
    forget = _in_thread(Tidemark.forget)
