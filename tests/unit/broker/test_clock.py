"""Time moved by a test: each timeline alone, both together, frozen, and after a restart."""

from __future__ import annotations

import asyncio

from tidemark.clock import MovableClock, Moves
from tidemark_testing.clock import START_WALL_MS, VirtualClock

DAY_MS = 86_400_000


def two() -> tuple[MovableClock, VirtualClock]:
    """The movable clock, and the host's clock below it."""
    host = VirtualClock()
    return MovableClock(real=host), host


def test_clock_is_the_hosts_time_until_it_is_moved() -> None:
    clock, host = two()
    host.advance(5)
    assert (clock.wall_ms(), clock.steady_ms(), clock.log_ms()) == (START_WALL_MS + 5, 5, START_WALL_MS + 5)
    assert clock.moved_ms == 0


def test_wall_time_moves_alone_and_continues() -> None:
    clock, host = two()
    clock.move_wall(8 * DAY_MS)
    host.advance(5)
    assert clock.wall_ms() == START_WALL_MS + 8 * DAY_MS + 5
    assert clock.moved_ms == 8 * DAY_MS
    assert (clock.steady_ms(), clock.log_ms()) == (5, START_WALL_MS + 5)


def test_log_time_moves_only_if_requested() -> None:
    clock, host = two()
    clock.move_logs(DAY_MS)
    host.advance(5)
    assert (clock.log_ms(), clock.wall_ms()) == (START_WALL_MS + DAY_MS + 5, START_WALL_MS + 5)


def test_frozen_clock_does_not_advance_but_can_be_moved() -> None:
    clock, host = two()
    clock.freeze()
    host.advance(DAY_MS)
    assert (clock.wall_ms(), clock.steady_ms()) == (START_WALL_MS, DAY_MS)
    clock.move_wall(7)
    host.advance(DAY_MS)
    assert clock.wall_ms() == START_WALL_MS + 7


def test_resumed_clock_continues_from_its_frozen_time() -> None:
    clock, host = two()
    clock.freeze()
    host.advance(DAY_MS)
    clock.resume()
    host.advance(5)
    assert clock.wall_ms() == START_WALL_MS + 5
    assert clock.moved_ms == -DAY_MS


def test_clock_does_not_follow_a_host_that_is_set_back() -> None:
    clock, host = two()
    assert clock.wall_ms() == START_WALL_MS
    host.advance_wall(-DAY_MS)
    assert clock.wall_ms() == START_WALL_MS


def test_clock_can_be_moved_back() -> None:
    clock, host = two()
    clock.move_wall(-DAY_MS)
    host.advance(5)
    assert clock.wall_ms() == START_WALL_MS - DAY_MS + 5


def test_moved_time_survives_a_restart() -> None:
    clock, host = two()
    clock.move_wall(DAY_MS)
    clock.move_logs(3)
    host.advance(5)
    later = MovableClock(real=host)
    assert later.wall_ms() == START_WALL_MS + 5
    later.take_up(clock.moves)
    assert later.wall_ms() == clock.wall_ms()
    assert later.log_ms() == clock.log_ms()


def test_past_and_frozen_time_survive_a_restart() -> None:
    host = VirtualClock()
    clock = MovableClock(real=host)
    assert clock.wall_ms() == START_WALL_MS  # the start has already read the clock
    clock.take_up(Moves(wall_ms=-DAY_MS))
    assert clock.wall_ms() == START_WALL_MS - DAY_MS
    clock.take_up(Moves(frozen_at_ms=7))
    host.advance(DAY_MS)
    assert clock.wall_ms() == 7


class Rings:
    """Timers by name, and the times at which they fired."""

    def __init__(self, clock: MovableClock, host: VirtualClock) -> None:
        self.clock = clock
        self.host = host
        self.rung: list[tuple[str, int, int]] = []

    def at(self, name: str, steady_ms: int, then: object = None) -> object:
        def ring() -> None:
            self.rung.append((name, self.clock.steady_ms(), self.clock.wall_ms() - START_WALL_MS))
            if callable(then):
                then()

        return self.clock.call_at(steady_ms, ring)


async def test_timers_fire_in_order_at_their_moment_during_a_move() -> None:
    clock, host = two()
    rings = Rings(clock, host)
    rings.at("c", 30_000)
    rings.at("a", 10_000, then=lambda: rings.at("b", 20_000))  # the end of a session begins a rebalance
    rings.at("later", 70_000)
    cancelled = rings.at("cancelled", 15_000)
    cancelled.cancel()  # type: ignore[attr-defined]
    await clock.move_both(60_000)
    assert rings.rung == [("a", 10_000, 10_000), ("b", 20_000, 20_000), ("c", 30_000, 30_000)]
    assert (clock.steady_ms(), clock.wall_ms()) == (60_000, START_WALL_MS + 60_000)


async def test_timers_fire_to_the_millisecond_during_a_slow_move() -> None:
    clock, host = two()
    rings = Rings(clock, host)
    rings.at("a", 10_000, then=lambda: host.advance(400))
    rings.at("b", 20_000)
    await clock.move_both(60_000)
    assert [(name, steady_ms) for name, steady_ms, _ in rings.rung] == [("a", 10_000), ("b", 20_000)]


async def test_duration_of_a_move_does_not_add_to_it() -> None:
    clock, host = two()
    rings = Rings(clock, host)
    rings.at("a", 10_000, then=lambda: host.advance(400))
    await clock.move_both(60_000)
    assert (clock.moved_ms, clock.steady_moved_ms) == (60_000, 60_000)
    assert (clock.wall_ms(), clock.steady_ms()) == (START_WALL_MS + 60_400, 60_400)


def test_a_millisecond_between_two_reads_does_not_change_the_move() -> None:
    class Ticking(VirtualClock):
        def wall_ms(self) -> int:
            self.advance_wall(1)
            return super().wall_ms()

    clock = MovableClock(real=Ticking())
    clock.move_wall(DAY_MS)
    assert clock.moved_ms == DAY_MS


async def test_frozen_clocks_move_by_exactly_the_requested_time() -> None:
    clock, host = two()
    clock.freeze()
    rings = Rings(clock, host)
    rings.at("a", 10_000, then=lambda: host.advance(400))
    await clock.move_both(60_000)
    host.advance(DAY_MS)
    assert clock.wall_ms() == START_WALL_MS + 60_000


async def test_timer_fires_after_the_rest_of_its_time_on_the_host() -> None:
    clock, host = two()
    rings = Rings(clock, host)
    rings.at("a", 10_000)
    await clock.move_both(9_000)
    host.advance(999)
    assert rings.rung == []
    host.advance(1)
    assert [name for name, *_ in rings.rung] == ["a"]


def test_earlier_timer_set_later_fires_first() -> None:
    clock, host = two()
    rings = Rings(clock, host)
    rings.at("late", 10_000)
    rings.at("early", 5_000)
    rings.at("early too", 5_000)
    host.advance(10_000)
    assert [name for name, *_ in rings.rung] == ["early", "early too", "late"]


async def test_sleep_uses_the_hosts_time() -> None:
    async def sleep() -> bool:
        clock, host = two()
        sleeper = asyncio.ensure_future(clock.sleep_until(10_000))
        await asyncio.sleep(0)
        await clock.move_both(60_000)
        woken_early = sleeper.done()
        host.advance(10_000)
        await sleeper
        return woken_early

    assert (await sleep()) is False
