"""Fixtures that tests of several folders share: a broker as a process."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.broker_process import BrokerProcess, RunningBroker, start_broker

# The same examples in every run, so that a failure comes from the change that is tested;
# TIDEMARK_TEST_EXPLORE=1 looks for new ones.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.register_profile("explore", deadline=None, print_blob=True)
settings.load_profile("explore" if os.environ.get("TIDEMARK_TEST_EXPLORE") == "1" else "repeatable")

# Kafka's own lower bound of 6 s would make every test of a dead consumer wait for it.
SETTINGS = {"group.min.session.timeout.ms": "1000"}


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What a worker of pytest-xdist takes at once (`--dist loadgroup`): a file's tests, and all of Spark's,
    so that there is one session. Spark's and the largest files come first, so that nobody waits for them.
    """
    if not config.pluginmanager.hasplugin("xdist"):
        return
    sizes: Counter[str] = Counter()
    for item in items:
        group = "spark" if "spark" in getattr(item, "fixturenames", ()) else item.nodeid.partition("::")[0]
        item.add_marker(pytest.mark.xdist_group(group))
        sizes[group] += 1
    items.sort(key=lambda item: _turn(_group(item), sizes))


def _group(item: pytest.Item) -> str:
    marker = item.get_closest_marker("xdist_group")
    assert marker is not None
    name: str = marker.args[0]
    return name


def _turn(group: str, sizes: Counter[str]) -> tuple[bool, int, str]:
    return (group != "spark", -sizes[group], group)


@pytest.fixture
def no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pytest that a test runs is not told that the test itself is run by a worker of pytest-xdist."""
    for name in [name for name in os.environ if name.startswith("PYTEST_XDIST_")]:
        monkeypatch.delenv(name)


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[RunningBroker]:
    """A broker on an empty directory, for this test alone: it may be killed."""
    running = start_broker(tmp_path, SETTINGS)
    yield running
    running.stop()
    if isinstance(running, BrokerProcess):
        print(running.said()[-5000:])  # pytest shows it where the test has failed


@pytest.fixture(scope="module")
def shared_broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningBroker]:
    """One broker for all tests of a module that do not harm it."""
    running = start_broker(tmp_path_factory.mktemp("broker"), SETTINGS)
    yield running
    running.stop()
