"""Timers that fire late, after a stall: requests that have arrived count, even if they are still unread.

Requests are written to plain sockets within a callback of a real timer, so that they are in the broker's
sockets, unread, when its own timers fire.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable
from functools import partial

import pytest
import uvloop

from tests.unit.broker.whole import A_JOIN, SESSION_MS, Client, Whole, WorkingClock, running, stable_member
from tests.wire import request
from tidemark.clock import MovableClock, SystemClock
from tidemark.turns import LOOK_COST, REQUEST_COST, REQUESTS_MS
from tidemark_testing.clock import LoopClock
from tidemark_testing.storage import MemoryStorage

Story = Callable[[Whole], Awaitable[None]]
Play = Callable[..., None]


@pytest.fixture(params=["asyncio", "uvloop"])
def play(request: pytest.FixtureRequest) -> Play:
    async def whole_story(story: Story, clock: LoopClock | None, settings: dict[str, str]) -> None:
        async with running(MemoryStorage(), clock, **settings) as whole:
            await story(whole)

    def played(story: Story, clock: LoopClock | None = None, **settings: str) -> None:
        loop = uvloop.new_event_loop if request.param == "uvloop" else None
        with asyncio.Runner(loop_factory=loop) as runner:
            runner.run(whole_story(story, clock, settings))

    return played


def plain_socket(whole: Whole) -> socket.socket:
    host, _, port = whole.node.ready()["bootstrap_servers"].rpartition(":")
    return socket.create_connection((host, int(port)), timeout=10)


async def in_a_timer(callback: Callable[[], None]) -> None:
    """Run callback where the loop runs its timers, before it polls its sockets."""
    done = asyncio.Event()
    asyncio.get_running_loop().call_later(0.002, lambda: (callback(), done.set()))
    await done.wait()


def heartbeat(member_id: str) -> dict[str, object]:
    return {"GroupId": "g", "GenerationId": 1, "MemberId": member_id}


async def members(client: Client) -> int:
    described = await client.ask("DescribeGroups", 5, {"Groups": ["g"]})
    return len(described["Groups"][0]["Members"])


def test_a_stall_does_not_expire_a_member_whose_heartbeat_has_arrived(play: Play) -> None:
    async def story(whole: Whole) -> None:
        client = await whole.client()
        member_id = await stable_member(client)
        with plain_socket(whole) as plain:
            beat = request("Heartbeat", 3, heartbeat(member_id))

            def stall() -> None:
                plain.sendall(beat)
                whole.clock.advance(SESSION_MS + 1)

            await in_a_timer(stall)
            assert (await client.ask("Heartbeat", 3, heartbeat(member_id)))["ErrorCode"] == 0
            assert await members(client) == 1

    play(story, group_initial_rebalance_delay_ms="0")


@pytest.mark.parametrize("in_a_busy_loop", [False, True])
def test_a_stall_does_not_expire_a_member_whose_heartbeat_waits_for_its_turn(
    play: Play,
    in_a_busy_loop: bool,
) -> None:
    """The requests before it on its connection have used up the turn."""
    clock = WorkingClock()

    async def story(whole: Whole) -> None:
        client = await whole.client()
        member_id = await stable_member(client)
        busy = [await whole.client() for _ in range(10 if in_a_busy_loop else 0)]
        beat = request("Heartbeat", 3, heartbeat(member_id))
        other = request("ApiVersions", 0, {})
        # They need more than one turn, but less than two.
        before = other * (3 * LOOK_COST // 2 // (len(other) + REQUEST_COST))
        clock.look_ms = REQUESTS_MS
        with plain_socket(whole) as plain:

            def stall() -> None:
                for each in busy:
                    each.writer.write(before + before)
                plain.sendall(before + beat)
                whole.clock.advance(SESSION_MS + 1)

            await in_a_timer(stall)
            await whole.reads()
            assert await members(client) == 1

    play(story, clock, group_initial_rebalance_delay_ms="0", tidemark_connection_requests_max="10000")


def test_a_member_that_sent_nothing_expires_though_the_timer_is_late(play: Play) -> None:
    async def story(whole: Whole) -> None:
        client = await whole.client()
        await stable_member(client)
        await in_a_timer(partial(whole.clock.advance, 10 * SESSION_MS))
        while await members(client):
            pass

    play(story, group_initial_rebalance_delay_ms="0")


def test_deadlines_pass_although_each_clock_read_needs_a_whole_turn(play: Play) -> None:
    clock = WorkingClock()

    async def story(whole: Whole) -> None:
        client = await whole.client()
        await stable_member(client)
        clock.look_ms = REQUESTS_MS
        await whole.passes(2 * SESSION_MS)
        assert await members(client) == 0

    play(story, clock, group_initial_rebalance_delay_ms="0")


def test_a_stall_does_not_close_an_idle_connection_whose_request_has_arrived(play: Play) -> None:
    async def story(whole: Whole) -> None:
        with plain_socket(whole) as plain:
            await whole.passes(5_000)
            question = request("ApiVersions", 0, {})

            def stall() -> None:
                plain.sendall(question)
                whole.clock.advance(60_000)

            await in_a_timer(stall)
            assert await asyncio.to_thread(plain.recv, 4) != b""

    play(story, connections_max_idle_ms="10000")


def test_members_whose_joins_arrive_together_share_the_first_generation(play: Play) -> None:
    async def story(whole: Whole) -> None:
        one, two = await whole.client(), await whole.client()
        await one.find("g")
        await two.find("g")
        one.send("JoinGroup", 3, A_JOIN)
        two.send("JoinGroup", 3, A_JOIN)
        first, second = await one.answer("JoinGroup", 3), await two.answer("JoinGroup", 3)
        assert (first["GenerationId"], second["GenerationId"]) == (1, 1)
        assert len(first["Members"] + second["Members"]) == 2

    play(story, group_initial_rebalance_delay_ms="0")


def test_after_reading_waits_for_a_poll_and_can_be_cancelled_before_it(play: Play) -> None:
    async def story(whole: Whole) -> None:
        loop = asyncio.get_running_loop()
        ours, theirs = socket.socketpair()
        happened: list[str] = []
        ours.setblocking(False)
        loop.add_reader(ours, lambda: happened.append(ours.recv(1).decode()))
        clock = SystemClock()

        def late() -> None:
            theirs.send(b"r")
            clock.after_reading(lambda: happened.append("after"))
            clock.after_reading(lambda: happened.append("cancelled")).cancel()

        await in_a_timer(late)
        while "after" not in happened:
            await asyncio.sleep(0)
        loop.remove_reader(ours)
        ours.close()
        theirs.close()
        assert happened == ["r", "after"]

    play(story)


def test_a_move_first_finishes_what_waits_for_reading(play: Play) -> None:
    async def story(whole: Whole) -> None:
        clock = MovableClock(real=SystemClock())
        began_ms = clock.steady_ms()
        called: list[bool] = []
        clock.after_reading(lambda: called.append(clock.steady_ms() - began_ms < 60_000))
        await clock.move_both(60_000)
        assert called == [True]

    play(story)


def test_work_that_a_timer_defers_runs_at_the_timers_time_of_a_move(play: Play) -> None:
    async def story(whole: Whole) -> None:
        clock = MovableClock(real=SystemClock())
        began_ms = clock.steady_ms()
        rung: list[tuple[str, int]] = []

        def ring(name: str) -> None:
            rung.append((name, (clock.steady_ms() - began_ms) // 1_000))

        clock.call_at(began_ms + 10_000, lambda: clock.after_reading(partial(ring, "a")) and None)
        clock.call_at(began_ms + 20_000, partial(ring, "b"))
        await clock.move_both(60_000)
        assert rung == [("a", 10), ("b", 20)]

    play(story)
