"""Brokers that a test stops, kills and restarts, with and without pytest."""

from __future__ import annotations

import asyncio
import inspect
import subprocess
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from threading import Event
from typing import Any, Final

import pytest

from tests.broker_process import environment
from tests.certificates import CA, SERVER
from tests.unit.testing.committing import commit, topics
from tidemark_testing import (
    AsyncChaos,
    AsyncTidemark,
    Chaos,
    Clock,
    Faults,
    NotAvailable,
    Refused,
    Requests,
    SetFault,
    Tidemark,
    isolation,
)
from tidemark_testing.asynchronous import AsyncClock, AsyncFaults, AsyncRequests, AsyncSetFault
from tidemark_testing.isolation import CANCELLED
from tidemark_testing.server import ExternalServer
from tidemark_tools.client.errors import CannotConnect
from tidemark_tools.http_api import Api, ApiError, NoResponse

pytest_plugins = ["pytester"]

ENDINGS: list[Callable[[Tidemark], None]] = [Tidemark.stop, Tidemark.kill, lambda tidemark: None]


@pytest.fixture(scope="module")
def own() -> Iterator[Tidemark]:
    with Tidemark.start() as tidemark:
        yield tidemark


@pytest.mark.parametrize("end", ENDINGS, ids=["stop", "kill", "restart"])
def test_a_restart_keeps_data_and_addresses(own: Tidemark, end: Callable[[Tidemark], None]) -> None:
    own.restore()
    check_restart(own, end)


@pytest.mark.slow
def test_a_broker_in_a_process_can_be_killed_and_restarted() -> None:
    with Tidemark.start(mode="subprocess") as own:
        check_restart(own, Tidemark.kill)
        own.stop()
        own.restore()
        assert own.groups == {}


def check_restart(own: Tidemark, end: Callable[[Tidemark], None]) -> None:
    own.create_topics({"topics": {"orders": {"records": ["a", "b"]}}, "groups": {"billing": {"orders": 1}}})
    own.clock.advance(days=1)
    before = own.bootstrap_servers, own.http
    end(own)
    own.restart()
    assert (own.bootstrap_servers, own.http) == before
    assert [each.text for each in own.records("orders")] == ["a", "b"]
    assert own.lag("billing") == 1
    own.clock.advance(days=8)
    own.assert_expired("billing")


def test_a_broker_with_tls_is_reached_and_keeps_its_port() -> None:
    broker = {
        "listeners": "SSL://localhost:0",
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": str(SERVER),
    }
    client = {
        "security.protocol": "SSL",
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": str(CA),
    }
    with Tidemark.start(broker, client_settings=client) as own:
        before = own.bootstrap_servers
        own.topic("orders")
        own.restart()
        assert own.bootstrap_servers == before
        assert own.topic("payments") == "payments"


def test_a_stopped_broker_refuses_connections_and_restore_starts_an_empty_one(own: Tidemark) -> None:
    own.restore()
    own.topic("orders")
    own.kill()
    with pytest.raises(CannotConnect, match=r"the test has called tidemark\.kill\(\)"):
        own.clock.freeze()
    with pytest.raises(NoResponse, match="refused"):
        Api(own.server.http or "").get("/v1/clock")
    own.stop()  # there is nothing to stop any more
    own.restore()
    assert topics(own.bootstrap_servers) == []


def test_a_snapshot_does_not_survive_a_restart(own: Tidemark) -> None:
    own.restore()
    taken = own.snapshot()
    own.restart()
    own.forget()
    with pytest.raises(ApiError, match="there is no snapshot"):
        own.restore(taken)


def test_kept_state_is_protected(own: Tidemark) -> None:
    own.restore()
    with own.kept(), pytest.raises(RuntimeError, match=r"kill\(\) would lose the state of kept\(\)"):
        own.kill()


def test_only_a_broker_of_this_run_can_be_killed(own: Tidemark) -> None:
    own.restore()
    external = ExternalServer(own.bootstrap_servers, own.http)
    with pytest.raises(NotAvailable, match="this test run has not started the broker"):
        Tidemark(external).kill()


@pytest.mark.slow
def test_the_next_test_starts_with_an_empty_broker(pytester: pytest.Pytester, no_worker: None) -> None:
    pytester.makeini("[pytest]\nasyncio_default_fixture_loop_scope = function\n")
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.parametrize("end", ["stop", "kill", "restart"])
        def test_it(tidemark, end):
            assert tidemark.groups == {}
            tidemark.create_topics({"topics": {"orders": {"records": ["a"]}}, "groups": {"g": {"orders": 0}}})
            getattr(tidemark, end)()

        def test_after(tidemark):
            assert tidemark.groups == {}
            tidemark.topic("orders")
        """
    )
    pytester.runpytest_subprocess("-q").assert_outcomes(passed=4)


class TestStart:
    def test_a_folder_keeps_the_data(self, tmp_path: Path) -> None:
        with Tidemark.start(folder=tmp_path) as first:
            first.produce("orders", "a")
        with Tidemark.start(folder=tmp_path) as second:
            assert [each.text for each in second.records("orders")] == ["a"]

    def test_wrong_arguments_are_named(self) -> None:
        with pytest.raises(ValueError, match="there is no setting 'offsets.retention.minute'; did you mean"):
            Tidemark.start({"offsets.retention.minute": 1})
        with pytest.raises(ValueError, match="mode must be thread or subprocess, got 'docker'"):
            Tidemark.start(mode="docker")

    @pytest.mark.slow
    def test_neither_pytest_nor_a_client_library_is_imported(self) -> None:
        script = (
            "import sys, unittest\n"
            "from tidemark_testing import Tidemark\n"
            "with Tidemark.start({'offsets.retention.minutes': 60}) as tidemark:\n"
            "    tidemark.create_topics({'topics': {'orders': {}}, 'groups': {'billing': {'orders': 0}}})\n"
            "    tidemark.clock.advance(hours=2)\n"
            "    tidemark.assert_expired('billing')\n"
            "assert not {'pytest', 'yaml', 'confluent_kafka'} & {*sys.modules}\n"
        )
        subprocess.run([sys.executable, "-c", script], check=True, env=environment(), timeout=60)


PAIRS: Final = [
    (Tidemark, AsyncTidemark),
    (Chaos, AsyncChaos),
    (Clock, AsyncClock),
    (Faults, AsyncFaults),
    (SetFault, AsyncSetFault),
    (Requests, AsyncRequests),
]
OWN: Final = {"sync", "clock", "id", "seed"}  # the last three are attributes of the objects
INTERNAL: Final = {"api", "move", "server_state"}  # for the plugin and the other objects
OWN_RESULTS: Final = {"requests", "add"}  # which are objects with coroutines
WITHOUT_IO: Final = {"chaos", "name", "count", "index"}


class TestAsync:
    @pytest.mark.parametrize(("sync", "concurrent"), PAIRS)
    def test_every_public_name_exists_in_both(self, sync: type, concurrent: type) -> None:
        names = {name for name in dir(sync) if not name.startswith("_")} - INTERNAL
        assert {name for name in dir(concurrent) if not name.startswith("_")} - OWN == names

    @pytest.mark.parametrize(("sync", "concurrent"), PAIRS)
    def test_every_method_has_a_coroutine_with_the_same_parameters(
        self, sync: type, concurrent: type
    ) -> None:
        for name, method in inspect.getmembers(sync, inspect.isfunction):
            if name.startswith("_") or name in INTERNAL | WITHOUT_IO:
                continue
            same = getattr(concurrent, name)
            assert inspect.iscoroutinefunction(same) or name == "kept", name
            assert inspect.signature(same).parameters == inspect.signature(method).parameters, name
            assert same.__doc__ == method.__doc__ or name in OWN_RESULTS, name

    def test_start_has_the_same_parameters(self) -> None:
        assert (
            inspect.signature(AsyncTidemark.start).parameters == inspect.signature(Tidemark.start).parameters
        )

    def test_start_of_a_subclass_returns_an_instance_of_it(self) -> None:
        class OwnTidemark(AsyncTidemark):
            pass

        assert isinstance(OwnTidemark.start(), OwnTidemark)

    def test_start_raises_at_once_for_an_unknown_option(self) -> None:
        with pytest.raises(TypeError, match="folders"):
            AsyncTidemark.start(folders="x")  # type: ignore[call-arg]

    async def test_a_broker_for_one_block(self) -> None:
        async with AsyncTidemark.start() as tidemark:
            await tidemark.create_topics(
                {"topics": {"orders": {"records": ["a"]}}, "groups": {"billing": {"orders": 0}}}
            )
            assert await tidemark.lag("billing") == 1
            await tidemark.clock.advance(days=8)
            await tidemark.assert_expired("billing")
            assert await tidemark.groups() == {}
        with pytest.raises(CannotConnect, match=r"tidemark\.close\(\)"):
            await tidemark.groups()

    async def test_the_fixture(self, async_tidemark: AsyncTidemark, tidemark: Tidemark) -> None:
        await async_tidemark.produce("orders", "a")
        assert [each.text for each in tidemark.records("orders")] == ["a"]

    async def test_requests_are_read_by_the_call_and_by_each_wait(
        self, async_tidemark: AsyncTidemark, tidemark: Tidemark
    ) -> None:
        await async_tidemark.topic("orders")
        requests = await async_tidemark.requests(api="OffsetCommit")
        assert not requests
        committing = asyncio.to_thread(commit, tidemark.bootstrap_servers, "billing", "orders", 1)
        waited, _ = await asyncio.gather(requests.wait_for(1), committing)
        assert waited is requests
        assert [each.api for each in requests] == ["OffsetCommit"]
        assert (len(requests), requests[-1].groups) == (1, ["billing"])
        await asyncio.to_thread(commit, tidemark.bootstrap_servers, "billing", "orders", 2)
        assert len(requests) == 1
        assert len(await requests.refresh()) == 2

    async def test_a_fault_is_set_awaited_and_removed(
        self, async_tidemark: AsyncTidemark, tidemark: Tidemark
    ) -> None:
        await async_tidemark.topic("orders")
        faults = async_tidemark.faults
        async with await faults.add(api="OffsetCommit", block=True) as held:
            assert [each.id async for each in faults] == [held.id]
            committing = asyncio.create_task(
                asyncio.to_thread(commit, tidemark.bootstrap_servers, "billing", "orders", 1)
            )
            assert await held.wait_for(1) is held
            assert (await held.matched(), await held.seen(), await held.waiting()) == (1, 1, 1)
            assert await held.release() == 1
            await committing
            assert await held.active()
        assert not await held.active()
        assert held.fields == {"api": "OffsetCommit", "block": True}
        await faults.add(api="Fetch", drop=True)
        await faults.clear()
        assert [each async for each in faults] == []

    async def test_a_kept_state_lasts_for_one_block(self, async_tidemark: AsyncTidemark) -> None:
        await async_tidemark.topic("orders")
        async with async_tidemark.kept():
            await async_tidemark.topic("gone")
            await async_tidemark.restore()
            assert await async_tidemark.records("orders") == []
            with pytest.raises(Refused):
                await async_tidemark.records("gone")
        with pytest.raises(Refused):
            await async_tidemark.records("orders")

    async def test_a_kept_state_ends_with_an_error_in_its_block(self, async_tidemark: AsyncTidemark) -> None:
        async def fail() -> None:
            async with async_tidemark.kept():
                await async_tidemark.topic("gone")
                raise ZeroDivisionError

        before = async_tidemark.clean
        with pytest.raises(ZeroDivisionError):
            await fail()
        assert async_tidemark.clean == before
        with pytest.raises(Refused):
            await async_tidemark.records("gone")

    async def test_many_waits_do_not_hold_up_each_other(
        self, async_tidemark: AsyncTidemark, tidemark: Tidemark
    ) -> None:
        """More than the default executor of a loop has threads."""
        waits = [async_tidemark.records("orders", count=1) for _ in range(40)]
        found = asyncio.gather(*waits)
        await async_tidemark.produce("orders", "a")
        assert [[record.text for record in records] for records in await found] == [["a"]] * 40

    @pytest.mark.parametrize(
        "wait",
        [
            lambda tidemark: tidemark.records("orders", count=1, timeout=3600),
            lambda tidemark: tidemark.wait_until_caught_up("billing", timeout=3600),
            lambda tidemark: tidemark.assert_rebalanced("billing", timeout=3600),
        ],
    )
    async def test_a_cancelled_wait_ends_its_thread(
        self, async_tidemark: AsyncTidemark, wait: Callable[[AsyncTidemark], Coroutine[Any, Any, object]]
    ) -> None:
        ended = asyncio.Event()
        loop = asyncio.get_running_loop()
        pauses: list[Event | None] = []

        def pause(seconds: float) -> None:
            pauses.append(CANCELLED.get())
            try:
                original(seconds)
            except asyncio.CancelledError:
                loop.call_soon_threadsafe(ended.set)
                raise

        original = isolation.pause
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("tidemark_testing.isolation.pause", pause)
            patch.setattr("tidemark_testing.client.pause", pause)
            waiting = asyncio.ensure_future(wait(async_tidemark))
            while not pauses:
                await asyncio.sleep(0)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            await asyncio.wait_for(ended.wait(), 30)

    async def test_a_cancelled_start_leaves_no_broker(self) -> None:
        def brokers() -> set[threading.Thread]:
            return {each for each in threading.enumerate() if each.name == "tidemark"}

        before = brokers()
        starting = asyncio.ensure_future(AsyncTidemark.start().__aenter__())
        while not brokers() - before:
            await asyncio.sleep(0)
        starting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await starting
        assert not brokers() - before

    def test_a_broker_that_was_not_started_is_an_error(self) -> None:
        with pytest.raises(RuntimeError, match="the broker was not started"):
            _ = AsyncTidemark.start().bootstrap_servers
