"""Compare our responses with those of Apache Kafka (recorded/*.json), case by case."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from typing import Final

import pytest

from tests.broker_process import start_broker
from tests.conformance.case import CASES, Case, load
from tests.conformance.recorded_responses import Kept, by_settings, outcomes, read, responses_of

DIFFERENCES: Final = Path(__file__).parents[2] / "docs" / "differences.md"
RECORDED: Final = read()
# One broker runs nine of ten cases, and the second the others. With Kafka itself, ports could collide.
BROKERS_AT_ONCE: Final = 1 if os.environ.get("TIDEMARK_TEST_ORACLE") else 2
load()


@pytest.fixture(scope="session")
def responses(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Kept | str]:
    """Return what our broker responds, by case. The first call runs all selected cases."""
    wanted = {item.callspec.params["name"] for item in request.session.items if hasattr(item, "callspec")
              and item.name.startswith("test_response_is_the_same_as_kafkas[")}  # fmt: skip
    found: dict[str, Kept | str] = {}

    def of(name: str) -> Kept | str:
        if not found:
            groups = by_settings(c for c in CASES.values() if c.name in wanted)
            folders = [tmp_path_factory.mktemp("broker") for _ in groups]
            with ThreadPoolExecutor(BROKERS_AT_ONCE) as pool:
                for answered in pool.map(_responses, folders, groups):
                    found.update(answered)
        return found[name]

    return of


def _responses(folder: Path, group: tuple[dict[str, str], list[Case]]) -> dict[str, Kept | str]:
    """Return what a broker with these settings responds in its cases."""
    settings, together = group
    number = count()

    def run(cases: list[Case], at_once: int) -> dict[str, Kept | str]:
        running = start_broker(folder / str(next(number)), {**settings, "tidemark.as": "4.3"})

        def restart() -> None:
            running.stop()
            running.restart()

        try:
            return outcomes(cases, running.bootstrap, at_once, restart)
        finally:
            running.stop()

    return responses_of(together, run, RECORDED)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(CASES))
def test_response_is_the_same_as_kafkas(name: str, responses: Callable[[str], Kept | str]) -> None:
    assert name in RECORDED, "this case is not recorded yet: run `make record`"
    ours = responses(name)
    if CASES[name].differs:
        assert ours != RECORDED[name], (
            "no longer a difference: remove it from the case and from docs/differences.md"
        )
    else:
        assert ours == RECORDED[name]


def test_every_listed_difference_is_in_the_docs() -> None:
    told = set(re.findall(r"^### (.+)$", DIFFERENCES.read_text(), re.MULTILINE))
    assert {c.differs for c in CASES.values() if c.differs} <= told


def test_every_recorded_case_exists() -> None:
    assert set(RECORDED) <= set(CASES)
