"""Time that a test can move: the clock, the cleanup pass that follows, and everything that becomes due.

A move and its effects are synced before the response is sent. `http.ports.Time` documents the methods.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from tidemark.cleanup.offset_expiry import Expired
from tidemark.clock import Clock, MovableClock
from tidemark.control.clock_state import ClockRefused, ClockState, Moved
from tidemark.control.moves import save_moves
from tidemark.groups.state import Groups
from tidemark.log.storage import Storage
from tidemark.metadata.state import Cluster
from tidemark.turns import Pace
from tidemark_expiry.sentences import DATES_MS, moment

if TYPE_CHECKING:
    from tidemark.transactions.decisions import TimedOut
    from tidemark.transactions.state import Transactions

TIME_MS: Final = range(DATES_MS[-1] + 1)  # from 1970 to the last date that an explanation can print


@dataclass(slots=True, frozen=True)
class Passes:
    """The cleanup passes that follow a move.

    expire(wall_ms)  removes the committed offsets that are due at that time
    retain_logs()    deletes old segments of user logs
    expire_transactions(wall_ms)  aborts transactions that have timed out, and removes ids that are due
    expire_tokens(wall_ms)  removes delegation tokens that have expired
    timed_out()      a context with a list to which transactions that time out are added
    settled()        returns once the ends of transactions have their markers
    durable()        returns once everything that was decided is durable
    next_ms()        host's steady time of the next scheduled pass; None: no pass is scheduled
    """

    expire: Callable[[int], Awaitable[Expired]]
    retain_logs: Callable[[], Awaitable[None]]
    expire_transactions: Callable[[int], Awaitable[None]]
    expire_tokens: Callable[[int], Awaitable[None]]
    timed_out: Callable[[], AbstractContextManager[list[TimedOut]]]
    settled: Callable[[], Awaitable[None]]
    durable: Callable[[], Awaitable[None]]
    next_ms: Callable[[], int | None]


@dataclass(slots=True, frozen=True)
class Owner:
    """The node whose time is moved.

    lock           must be held to move time or to replace the state
    is_current()   False once a restore has replaced the state
    held()         True while sessions, timers and passes wait for release()
    failed(error)  a write failed
    """

    lock: asyncio.Lock
    is_current: Callable[[], bool]
    held: Callable[[], bool]
    release: Callable[[], None]
    failed: Callable[[BaseException], None]


@dataclass(slots=True, frozen=True)
class States:
    """The state machines. transactions() is None while no client has used transactions."""

    groups: Groups
    cluster: Cluster
    transactions: Callable[[], Transactions | None]


class MovingTime:
    """Moves the clock of one incarnation, and carries out the consequences."""

    def __init__(self, states: States, clock: Clock, storage: Storage, passes: Passes, owner: Owner) -> None:
        self._groups = states.groups
        self._cluster = states.cluster
        self._transactions = states.transactions
        self._clock = clock
        self._storage = storage
        self._passes = passes
        self._owner = owner

    def state(self) -> ClockState:
        clock = self._clock
        next_ms = self._passes.next_ms()
        now_ms = clock.wall_ms()
        cleanup_ms = None if next_ms is None else now_ms + next_ms - clock.host_ms()
        if not isinstance(clock, MovableClock):
            return ClockState(now_ms, next_cleanup_ms=cleanup_ms)
        return ClockState(
            now_ms,
            moved_ms=clock.moved_ms,
            frozen=clock.moves.frozen_at_ms is not None,
            steady_moved_ms=clock.steady_moved_ms,
            logs_moved_ms=clock.moves.logs_ms,
            held=self._owner.held(),
            next_cleanup_ms=cleanup_ms,
        )

    async def advance(self, ms: int, *, cleanup: bool, sessions: bool, logs: bool) -> Moved:
        return await self._move_and_follow(lambda: ms, cleanup=cleanup, sessions=sessions, logs=logs)

    async def set_to(self, wall_ms: int, *, cleanup: bool, sessions: bool, logs: bool) -> Moved:
        return await self._move_and_follow(
            lambda: wall_ms - self._clock.wall_ms(), cleanup=cleanup, sessions=sessions, logs=logs
        )

    async def freeze(self) -> None:
        async with self._alone():
            self._movable.freeze()
            await self._keep()

    async def resume(self) -> None:
        async with self._alone():
            self._movable.resume()
            await self._keep()
            self._owner.release()

    async def cleanup(self) -> Moved:
        async with self._alone():
            self._check_pass()
            with self._passes.timed_out() as timed_out:
                moved = Moved(self._clock.wall_ms(), transactions=timed_out)
                await self._clean_up(moved)
            return moved

    @asynccontextmanager
    async def _alone(self) -> AsyncIterator[None]:
        """Hold the lock. Raises ClockRefused if a restore has replaced this state meanwhile."""
        async with self._owner.lock:
            if not self._owner.is_current():
                raise ClockRefused("the broker has just been restored to a snapshot: send the request again")
            yield

    @property
    def _movable(self) -> MovableClock:
        assert isinstance(self._clock, MovableClock), "the test API is off"
        return self._clock

    async def _move_and_follow(
        self, span_ms: Callable[[], int], *, cleanup: bool, sessions: bool, logs: bool
    ) -> Moved:
        """Move time by span_ms(), which is called while the clock is stopped."""
        async with self._alone():
            if cleanup:
                self._check_pass()
            with self._passes.timed_out() as timed_out:
                with self._movable.standing_still():
                    moved = await self._move(span_ms(), sessions=sessions, logs=logs)
                moved.transactions = timed_out
                return await self._follow(moved, cleanup=cleanup, logs=logs)

    async def _move(self, ms: int, *, sessions: bool, logs: bool) -> Moved:
        _check_ends(self._clock.wall_ms(), ms)
        if logs:
            _check_ends(self._clock.log_ms(), ms)
        await self._check_back(ms, sessions=sessions)
        before = self._members()
        if sessions:
            await self._movable.move_both(ms, self._passes.settled)
        else:
            self._movable.move_wall(ms)
        if logs:
            self._movable.move_logs(ms)
        return Moved(self._clock.wall_ms(), ms, sessions=sorted(before - self._members()))

    async def _follow(self, moved: Moved, *, cleanup: bool, logs: bool) -> Moved:
        await self._keep()
        if cleanup and logs:
            await self._or_stop(self._passes.retain_logs())
        if cleanup:
            await self._clean_up(moved)
        else:
            await self._passes.durable()
        return moved

    def _check_pass(self) -> None:
        """Raise ClockRefused while held: opening a directory must not delete anything from it."""
        if self._owner.held():
            raise ClockRefused(
                "the broker is held and runs no cleanup pass: POST /v1/clock/resume first, or move with "
                '"cleanup": false'
            )

    async def _check_back(self, ms: int, *, sessions: bool) -> None:
        if ms >= 0:
            return
        if sessions:
            raise ClockRefused('sessions cannot run backwards: move wall time alone, with "sessions": false')
        newest_ms, what = await self._newest()
        if self._clock.wall_ms() + ms < newest_ms:
            raise ClockRefused(
                f"time cannot move to before stored data: {what} has the time {newest_ms}, which is "
                f"{newest_ms - self._clock.wall_ms() - ms} ms after the requested moment"
            )

    async def _newest(self) -> tuple[int, str]:
        """Return the latest stored moment that is not in the future, and what has it.

        Moments in the future do not prevent a move back. They come from OffsetCommit v1, whose clients choose
        the timestamp, and from an earlier start whose time was moved.
        """
        now_ms = self._clock.wall_ms()
        newest = (-(2**63), "")
        pace = Pace(self._clock)
        for at_ms, what in self._moments():
            if newest[0] < at_ms <= now_ms:
                newest = at_ms, what()
            if pace.spend():
                await pace.rest()
        return newest

    def _moments(self) -> Iterator[tuple[int, Callable[[], str]]]:
        """Yield every stored moment, and what has it.

        Topics count because an offset older than its topic is taken for one of an earlier topic of that name.
        """
        for known in [*self._cluster.topics.values()]:
            yield known.created_ms, partial("the creation of topic {!r}".format, known.name)
        for group_id in [*self._groups.groups]:
            group = self._groups.get(group_id)
            if group is not None and group.state_since_ms is not None:
                yield group.state_since_ms, partial("group {!r}".format, group_id)
            for (topic, partition), value in [*self._groups.offsets.of(group_id).items()]:
                what = partial("the offset of group {!r} for {}-{}".format, group_id, topic, partition)
                yield value.commit_timestamp, what
        transactions = self._transactions()
        if transactions is not None:
            for transaction in [*transactions.by_id.values()]:
                what = partial("transactional id {!r}".format, transaction.transactional_id)
                yield transaction.last_update_ms, what

    def _members(self) -> set[tuple[str, str]]:
        return {(name, member) for name, group in self._groups.groups.items() for member in group.member_ids}

    async def _clean_up(self, moved: Moved) -> None:
        """Run a pass at the moment to which time was moved, even if the clock has advanced since."""
        expired = await self._passes.expire(moved.now_ms)
        moved.offsets, moved.groups = expired.offsets, expired.groups
        await self._passes.expire_transactions(moved.now_ms)
        await self._passes.expire_tokens(moved.now_ms)
        await self._passes.settled()
        await self._passes.durable()

    async def _keep(self) -> None:
        """Save the moves, so that the next start has the same time."""
        await self._or_stop(asyncio.to_thread(save_moves, self._storage, self._movable.moves))

    async def _or_stop(self, writing: Awaitable[None]) -> None:
        """Stop the node if the write fails."""
        try:
            await writing
        except OSError as error:
            self._owner.failed(error)
            raise


def _check_ends(now_ms: int, ms: int) -> None:
    """Raise ClockRefused if the move leaves the years 1970 to 9999."""
    if now_ms + ms > TIME_MS[-1]:
        raise ClockRefused(f"time ends at {moment(TIME_MS[-1])}: {ms} ms from {moment(now_ms)} is later")
    if now_ms + ms < 0:
        raise ClockRefused("time begins in 1970")
