"""Time that a test can move: the clock, the cleanup pass that follows, and everything that becomes due.

A move and its effects are synced before the response is sent. Wall times are in ms since the epoch.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from tidemark.clock import MovableClock
from tidemark.core.decision import Removal
from tidemark.node.incarnation import save_moves
from tidemark.turns import Pace
from tidemark_expiry.sentences import DATES_MS, moment

if TYPE_CHECKING:
    from tidemark.node.node import Node
    from tidemark.transactions.state import TimedOut

TIME_MS: Final = range(DATES_MS[-1] + 1)  # from 1970 to the last date that an explanation can print


class ClockRefused(Exception):
    """Time cannot be moved like that. The text is for the caller."""


@dataclass(slots=True)
class MoveResult:
    """The effects of a move of time, or of a cleanup pass. All of them are durable.

    moved_ms  by how much this call moved wall time
    offsets   removed by the pass
    groups    deleted by the pass
    sessions  (group, member id) of each member whose session ended during the move
    transactions  those that were aborted because their timeout passed
    """

    now_ms: int
    moved_ms: int = 0
    offsets: list[Removal] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)
    sessions: list[tuple[str, str]] = field(default_factory=list)
    transactions: list[TimedOut] = field(default_factory=list)


class MovingTime:
    """The time of a node, until a restore replaces its incarnation.

    Only `state` may be called without the test API. Every other method raises ClockRefused if the move is not
    possible; then nothing has changed.
    """

    def __init__(self, node: Node) -> None:
        self._node = node
        self._incarnation = node.current
        self._state = node.current.state
        self._engine = node.current.engine
        self._clock = self._state.clock

    def state(self) -> dict[str, Any]:
        """Return the time as /v1/clock shows it.

        moved_ms          how far wall time is from the host's
        steady_moved_ms   how far steady time was moved since the start
        logs_moved_ms     how far the time was moved by which user data ages
        held              opened as found (--from): sessions, timers and passes wait for `resume`
        next_cleanup_ms   wall time of the next pass, as now expected; None: no pass is scheduled
        """
        clock = self._clock
        next_ms = self._engine.housekeeping.next_expiry_at_ms
        now_ms = clock.wall_ms()
        movable = clock if isinstance(clock, MovableClock) else None
        return {
            "now_ms": now_ms,
            "moved_ms": movable.moved_ms if movable else 0,
            "frozen": movable is not None and movable.moves.frozen_at_ms is not None,
            "steady_moved_ms": movable.steady_moved_ms if movable else 0,
            "logs_moved_ms": movable.moves.logs_ms if movable else 0,
            "held": self._incarnation.held,
            "next_cleanup_ms": None if next_ms is None else now_ms + next_ms - clock.host_ms(),
        }

    async def advance(self, ms: int, *, cleanup: bool, sessions: bool, logs: bool) -> MoveResult:
        """Move wall time, back if ms is negative.

        cleanup: run a cleanup pass at the new time. sessions: move steady time too; timers that become
        due are called in order. logs: user data ages too.
        """
        return await self._move_and_follow(lambda: ms, cleanup=cleanup, sessions=sessions, logs=logs)

    async def set_to(self, wall_ms: int, *, cleanup: bool, sessions: bool, logs: bool) -> MoveResult:
        """Like `advance`, but to exactly this moment."""
        return await self._move_and_follow(
            lambda: wall_ms - self._clock.wall_ms(), cleanup=cleanup, sessions=sessions, logs=logs
        )

    async def freeze(self) -> None:
        """Stop wall time until it is moved or resumed."""
        async with self._alone():
            self._movable.freeze()
            await self._keep()

    async def resume(self) -> None:
        """Let wall time continue. Sessions, timers and passes that were held start."""
        async with self._alone():
            self._movable.resume()
            await self._keep()
            self._incarnation.resume()

    async def cleanup(self) -> MoveResult:
        """Run one cleanup pass now."""
        async with self._alone():
            self._check_pass()
            with self._engine.transactions_timed_out() as timed_out:
                moved = MoveResult(self._clock.wall_ms(), transactions=timed_out)
                await self._clean_up(moved)
            return moved

    @asynccontextmanager
    async def _alone(self) -> AsyncIterator[None]:
        """Hold the lock. Raises ClockRefused if a restore has replaced this state meanwhile."""
        async with self._node.lock:
            if self._node.current is not self._incarnation:
                raise ClockRefused("the broker has just been restored to a snapshot: send the request again")
            yield

    @property
    def _movable(self) -> MovableClock:
        assert isinstance(self._clock, MovableClock), "the test API is off"
        return self._clock

    async def _move_and_follow(
        self, span_ms: Callable[[], int], *, cleanup: bool, sessions: bool, logs: bool
    ) -> MoveResult:
        """Move time by span_ms(), which is called while the clock is stopped."""
        async with self._alone():
            if cleanup:
                self._check_pass()
            with self._engine.transactions_timed_out() as timed_out:
                with self._movable.standing_still():
                    moved = await self._move(span_ms(), sessions=sessions, logs=logs)
                moved.transactions = timed_out
                await self._keep()
                if cleanup and logs:
                    await self._or_stop(self._engine.housekeeping.retain())
                if cleanup:
                    await self._clean_up(moved)
                else:
                    await self._engine.group_commit.drain()
                return moved

    async def _move(self, ms: int, *, sessions: bool, logs: bool) -> MoveResult:
        _check_ends(self._clock.wall_ms(), ms)
        if logs:
            _check_ends(self._clock.log_ms(), ms)
        await self._check_back(ms, sessions=sessions)
        before = self._members()
        if sessions:
            await self._movable.move_both(ms, self._engine.settled)
        else:
            self._movable.move_wall(ms)
        if logs:
            self._movable.move_logs(ms)
        return MoveResult(self._clock.wall_ms(), ms, sessions=sorted(before - self._members()))

    def _check_pass(self) -> None:
        """Raise ClockRefused while held: opening a directory must not delete anything from it."""
        if self._incarnation.held:
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
        for known in [*self._state.cluster.topics.values()]:
            yield known.created_ms, partial("the creation of topic {!r}".format, known.name)
        for group_id in [*self._state.groups.groups]:
            group = self._state.groups.get(group_id)
            if group is not None and group.state_since_ms is not None:
                yield group.state_since_ms, partial("group {!r}".format, group_id)
            for (topic, partition), value in [*self._state.groups.offsets.of(group_id).items()]:
                what = partial("the offset of group {!r} for {}-{}".format, group_id, topic, partition)
                yield value.commit_timestamp, what
        transactions = self._engine.transactions_state()
        if transactions is not None:
            for transaction in [*transactions.by_id.values()]:
                what = partial("transactional id {!r}".format, transaction.transactional_id)
                yield transaction.last_update_ms, what

    def _members(self) -> set[tuple[str, str]]:
        return {
            (name, member) for name, group in self._state.groups.groups.items() for member in group.member_ids
        }

    async def _clean_up(self, moved: MoveResult) -> None:
        """Run a pass at the moment to which time was moved, even if the clock has advanced since."""
        engine = self._engine
        expired = await engine.offset_expiry.run(moved.now_ms)
        moved.offsets, moved.groups = expired.offsets, expired.groups
        await engine.expire_transactions(moved.now_ms)
        await engine.expire_tokens(moved.now_ms)
        await engine.clean_share_states(moved.now_ms)
        await engine.settled()
        await engine.group_commit.drain()

    async def _keep(self) -> None:
        """Save the moves, so that the next start has the same time."""
        await self._or_stop(asyncio.to_thread(save_moves, self._node.env.host.storage, self._movable.moves))

    async def _or_stop(self, writing: Awaitable[None]) -> None:
        """Stop the node if the write fails."""
        try:
            await writing
        except OSError as error:
            self._node.fail(error)
            raise


def _check_ends(now_ms: int, ms: int) -> None:
    """Raise ClockRefused if the move leaves the years 1970 to 9999."""
    if now_ms + ms > TIME_MS[-1]:
        raise ClockRefused(f"time ends at {moment(TIME_MS[-1])}: {ms} ms from {moment(now_ms)} is later")
    if now_ms + ms < 0:
        raise ClockRefused("time begins in 1970")
