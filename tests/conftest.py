"""Fixtures that several folders share: a broker as a process."""

from __future__ import annotations

import gc
import os
import re
from collections import Counter
from collections.abc import Generator, Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import settings

from tests.broker_process import ROOT, BrokerProcess, RunningBroker, start_broker

# Use the same examples in every run, so that a failure is caused by the change under test.
# TIDEMARK_TEST_EXPLORE=1 generates new ones. `make unit` uses fewer than `make test`.
EXAMPLES: Final = int(os.environ.get("TIDEMARK_TEST_EXAMPLES", "100"))
settings.register_profile("repeatable", derandomize=True, deadline=None, max_examples=EXAMPLES)
settings.register_profile("explore", deadline=None, print_blob=True)
settings.load_profile("explore" if os.environ.get("TIDEMARK_TEST_EXPLORE") == "1" else "repeatable")

# With Kafka's lower bound of 6 s, every test of a dead consumer would wait that long.
SETTINGS = {"group.min.session.timeout.ms": "1000"}


PIPELINE: Final = "tests/pipeline/"
IMAGE: Final = "tests/ecosystem/image/"
# A parameter of a test, or a marker.
SPARK: Final = re.compile(r"\bspark: |usefixtures\(.*\"spark\"")
SLOW: Final = ("slow", "contract", "java")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, Any, Any]:
    """Keep the garbage collector away from 18,000 tests and their modules, which live until the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give workers of pytest-xdist whole files.

    One worker runs all files that use Spark, because each session needs about a minute of CPU to get warm.
    One runs all tests of the image, because they share its build.
    """
    from xdist.scheduler import LoadFileScheduling

    class ByFile(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return _scope(nodeid)

    return ByFile(config, log)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Run the tests that use Spark first, then files with high time limits and other slow tests, so that
    no worker ends with them.
    """
    if not hasattr(config, "workerinput"):
        return
    slow: set[str] = set()
    limits_s: Counter[str] = Counter()
    for item in items:
        scope = _scope(item.nodeid)
        if any(map(item.get_closest_marker, SLOW)):
            slow.add(scope)
        if (limit := item.get_closest_marker("timeout")) is not None:
            limits_s[scope] = max(limits_s[scope], limit.args[0])

    def turn(item: pytest.Item) -> tuple[bool, int, bool, str]:
        scope = _scope(item.nodeid)
        return scope not in (PIPELINE, IMAGE), -limits_s[scope], scope not in slow, scope

    items.sort(key=turn)


def _scope(nodeid: str) -> str:
    file = nodeid.partition("::")[0]
    if file.startswith(IMAGE):
        return IMAGE
    return PIPELINE if file.startswith(PIPELINE) and _uses_spark(file) else file


@cache
def _uses_spark(file: str) -> bool:
    return SPARK.search((ROOT / file).read_text("utf-8")) is not None


@pytest.fixture
def no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide from the pytest that a test runs that the test itself runs in a worker of pytest-xdist."""
    for name in [name for name in os.environ if name.startswith("PYTEST_XDIST_")]:
        monkeypatch.delenv(name)


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[RunningBroker]:
    """A broker on an empty directory for one test, which may kill it."""
    running = start_broker(tmp_path, SETTINGS)
    yield running
    running.stop()
    if isinstance(running, BrokerProcess):
        print(running.said()[-5000:])  # pytest shows it where the test has failed


@pytest.fixture(scope="module")
def shared_broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningBroker]:
    """A broker for all tests of a module that do not damage it."""
    running = start_broker(tmp_path_factory.mktemp("broker"), SETTINGS)
    yield running
    running.stop()
