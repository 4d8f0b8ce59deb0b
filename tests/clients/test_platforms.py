"""A broker that lacks uvloop, or what only POSIX has, serves clients and keeps what it has acknowledged.

This does not show that tidemark runs on Windows. It shows that it needs none of the modules and functions of
POSIX that `tests/clients/without_posix.py` hides.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.broker_process import BrokerProcess
from tests.clients.client import Client, batch
from tests.wire import Connection
from tidemark_testing.wire import create_topic
from tidemark_tools.http_api import Api

POSIX: Final = "resource,fcntl,uvloop"
RECORDS: Final = 3
STOP_S: Final = 30

pytestmark = [pytest.mark.contract, pytest.mark.slow]


@pytest.fixture
def hide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Let each process that this test starts import without_posix.py first."""
    (tmp_path / "sitecustomize.py").symlink_to(Path(__file__).with_name("without_posix.py"))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]))
    return monkeypatch


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[BrokerProcess]:
    broker = BrokerProcess(tmp_path)
    yield broker
    broker.stop()


@pytest.mark.parametrize("hidden", ["uvloop", POSIX], ids=["uvloop", "posix"])
def test_acknowledged_records_and_offsets_survive_a_kill(
    hidden: str, broker: BrokerProcess, hide: pytest.MonkeyPatch
) -> None:
    hide.setenv("TIDEMARK_TEST_HIDDEN", hidden)
    broker.start()
    create_topic(broker.bootstrap, "orders", 1, {})
    with Connection(broker.bootstrap) as connection:
        client = Client(connection)
        assert client.produce("orders", (0, batch(RECORDS))) == [0]
        written = client.fetch("orders", (0, 0))
        assert client.commit("billing", "orders", {0: 2}) == [0]

    broker.kill9()
    broker.restart()

    with Connection(broker.bootstrap) as connection:
        client = Client(connection)
        assert client.fetch("orders", (0, 0)) == written > 0
        (offset,) = Api(broker.http).get("/v1/offsets", group="billing")["offsets"]
        assert offset["offset"] == 2
        assert client.produce("orders", (0, batch(RECORDS))) == [0]
        assert client.fetch("orders", (0, 0)) > written
    assert "event_loop=asyncio" in broker.said()


def test_without_signal_handlers_of_the_loop_sigterm_stops_the_broker_cleanly(
    broker: BrokerProcess, hide: pytest.MonkeyPatch
) -> None:
    hide.setenv("TIDEMARK_TEST_HIDDEN", POSIX)
    broker.start()
    os.kill(broker.pid, signal.SIGTERM)
    assert broker.wait(STOP_S) == 0
    assert "stopped" in broker.said()


def test_without_any_locks_the_broker_warns(broker: BrokerProcess, hide: pytest.MonkeyPatch) -> None:
    hide.setenv("TIDEMARK_TEST_HIDDEN", POSIX)
    broker.start()
    assert "directory not locked" in broker.said()


def test_windows_locks_keep_a_second_broker_out(
    broker: BrokerProcess, tmp_path: Path, hide: pytest.MonkeyPatch
) -> None:
    hide.setenv("TIDEMARK_TEST_HIDDEN", POSIX)
    hide.setenv("TIDEMARK_TEST_MSVCRT", "1")
    broker.start()
    assert "directory not locked" not in broker.said()
    second = BrokerProcess(tmp_path / "second")
    (tmp_path / "second").mkdir()
    second.data_dir = broker.data_dir
    with pytest.raises(RuntimeError, match="Failed to acquire lock on file .lock"):
        second.start()

    broker.kill9()
    second.start()
    second.stop()
