"""Brokers that a test stops, kills and restarts, with and without pytest."""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.broker_process import environment
from tests.certificates import CA, SERVER
from tests.unit.testing.committing import topics
from tidemark_testing import AsyncTidemark, NotAvailable, Tidemark
from tidemark_testing.asynchronous import AsyncClock
from tidemark_testing.client import Clock
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


class TestAsync:
    def test_every_method_has_a_coroutine_with_the_same_signature(self) -> None:
        ours = {"api", "move", "kept", "forget", "remember", "renew", "name"}
        for sync, concurrent, left_out in ((Tidemark, AsyncTidemark, ours), (Clock, AsyncClock, set())):
            for name, method in inspect.getmembers(sync, inspect.isfunction):
                if name.startswith("_") or name in left_out:
                    continue
                same = getattr(concurrent, name)
                assert inspect.iscoroutinefunction(same), name
                assert inspect.signature(same) == inspect.signature(method)
                assert same.__doc__ == method.__doc__

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

    def test_a_broker_that_was_not_started_is_an_error(self) -> None:
        with pytest.raises(RuntimeError, match="the broker was not started"):
            _ = AsyncTidemark.start().bootstrap_servers
