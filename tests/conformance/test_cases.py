"""Compare our responses with those of Apache Kafka (recorded), case by case.

Under `--as 4.3`, they are compared with Kafka 4.3.1, and without `--as`, with Kafka 4.4.0. Under `--as 4.4`
run the cases that Kafka 4.4.0 answers differently from 4.3.1, and those that see the difference.

Most cases run against a broker in this process (in_process.py), each module against one of its own. Cases of
sockets, logins, directories and restarts run against a broker process, under `--as 4.3` and without `--as`.
So does one case of each other module: both brokers must respond the same.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from itertools import count
from pathlib import Path
from typing import Any, Final

import pytest

from tests.broker_process import start_broker
from tests.conformance.by_release import HELD, changed
from tests.conformance.case import CASES, Broker, Case, load, outcome
from tests.conformance.clusters import OurCluster, kafka_cluster, of_cluster
from tests.conformance.in_process import InProcessBroker
from tests.conformance.recorded_responses import (
    BASE_SETTINGS,
    DRAWS_MAX,
    MODULES_FOLDER,
    Kept,
    as_json,
    by_settings,
    outcomes,
    read,
    responses_of,
)
from tests.kafka_oracle import KAFKA_VERSION, NEWEST, USUAL, short_name

DIFFERENCES: Final = Path(__file__).parents[2] / "docs" / "differences.md"
# These variables choose another broker, which only sockets reach.
NOT_OURS: Final = any(map(os.environ.get, ("TIDEMARK_TEST_ORACLE", "TIDEMARK_TEST_BOOTSTRAP")))
ANOTHER_BROKER: Final = NOT_OURS or bool(os.environ.get("TIDEMARK_TEST_PACKAGES"))
RECORDED: Final = read(KAFKA_VERSION if NOT_OURS else USUAL)
CHANGED: Final = changed(MODULES_FOLDER, NEWEST)
RECORDED_ON_NEWEST: Final = read(NEWEST)
# The values of `tidemark.as` for broker processes, or the release of a broker that is not ours.
PROCESSES_AS: Final = (short_name(KAFKA_VERSION),) if NOT_OURS else (short_name(USUAL), "")
# These cases see what differs from `--as 4.4` by default: the versions that KIP-1327 adds, OffsetCommit v0
# and v1, and the default of offsets.topic.num.partitions.
SEE_THE_DEFAULT: Final = frozenset(
    {
        *(f"api_versions_in_version_v{version}" for version in range(5)),
        "describe_configs_of_a_broker",
        "features_of_groups",
        "metadata_in_version_14_closes_the_connection",
        "metadata_in_versions_that_are_not_served",
        "offset_commit_in_versions_that_are_not_served",
        "topic_partitions_in_version_1_closes_the_connection",
    }
)
# Cases that 4.4 changes, and that differ from ours with both releases.
DIFFER_ON_BOTH: Final = frozenset({"odd_batches_are_written"})
# With Kafka itself, ports could collide.
BROKERS_AT_ONCE: Final = 1 if os.environ.get("TIDEMARK_TEST_ORACLE") else 2


def _settings(case: Case) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(case.settings.items()))


def _in_process() -> list[Case]:
    """Return the cases that run in this process, those that share a broker one after the other."""
    if ANOTHER_BROKER:
        return []
    return sorted(
        filter(lambda c: c.in_process, CASES.values()),
        key=lambda c: (c.module, _settings(c), c.name),
    )


def _in_a_process() -> list[Case]:
    """Return the cases that need a process, and one of each module whose settings most other cases have."""
    together = Counter(map(_settings, CASES.values()))
    chosen = {}
    for case in sorted(CASES.values(), key=lambda c: (together[_settings(c)], c.name)):
        if case.in_process and not (case.draws or case.differs or case.is_new):
            chosen[case.module] = case.name
    served = [c for c in CASES.values() if c.name in RECORDED or not c.is_new]
    if "TIDEMARK_TEST_BOOTSTRAP" in os.environ:
        served = [c for c in served if c.brokers == 1]
    return [c for c in served if ANOTHER_BROKER or not c.in_process or c.name == chosen.get(c.module)]


load()
IN_PROCESS_AS_NEWEST: Final = [case.name for case in _in_process()]
IN_PROCESS: Final = [name for name in IN_PROCESS_AS_NEWEST if not CASES[name].is_new]
IN_A_PROCESS: Final = sorted(case.name for case in _in_a_process())


@pytest.fixture(scope="module")
def broker_for() -> Iterator[Callable[..., InProcessBroker]]:
    """Return the broker in this process for a case: a new one, or that of the case before, if it fits."""
    running: dict[Any, InProcessBroker] = {}

    def of(case: Case, new: bool, release: str) -> InProcessBroker:
        wanted = case.module, _settings(case), release
        if new or wanted not in running:
            stop()
            like_kafka = {"tidemark.as": release}
            running[wanted] = InProcessBroker({**BASE_SETTINGS, **case.settings, **like_kafka})
        return running[wanted]

    def stop() -> None:
        while running:
            running.popitem()[1].stop()

    yield of
    stop()


@pytest.mark.parametrize("name", IN_PROCESS)
def test_response_is_the_same_as_that_of_kafka_4_3(
    name: str, broker_for: Callable[..., InProcessBroker]
) -> None:
    compare(CASES[name], _ours(name, broker_for, short_name(USUAL), RECORDED.get(name)))


@pytest.mark.parametrize("name", IN_PROCESS_AS_NEWEST)
def test_response_by_default_is_the_same_as_that_of_kafka_4_4(
    name: str, broker_for: Callable[..., InProcessBroker]
) -> None:
    ours = _ours(name, broker_for, "", RECORDED_ON_NEWEST[name])
    compare_with_newest(name, ours, name in SEE_THE_DEFAULT)


@pytest.mark.parametrize(
    "name", [name for name in IN_PROCESS_AS_NEWEST if name in {*CHANGED, *SEE_THE_DEFAULT}]
)
def test_response_as_4_4_is_the_same_as_that_of_kafka_4_4(
    name: str, broker_for: Callable[..., InProcessBroker]
) -> None:
    compare_with_newest(name, _ours(name, broker_for, short_name(NEWEST), RECORDED_ON_NEWEST[name]))


def _ours(
    name: str, broker_for: Callable[..., InProcessBroker], release: str, kafkas: Kept | None
) -> Kept | str:
    """Return our responses. A case that draws runs until it draws as Kafka did.

    Only without a release does the broker store when it created groups, and that is left out.
    """
    case = CASES[name]
    for run in range(DRAWS_MAX if case.draws else 1):
        ours = as_json(outcome(case, broker_for(case, run > 0, release)))
        if not release:
            ours = without_creation_times(ours)
        if ours == kafkas:
            break
    return ours


def without_creation_times(kept: Any) -> Any:
    """Return what was kept as if the broker did not store when it created groups (KIP-1327)."""
    if isinstance(kept, list):
        return [without_creation_times(item) for item in kept]
    if not isinstance(kept, dict):
        return kept
    return {name: -1 if name == "CreationTimeMs" else without_creation_times(it) for name, it in kept.items()}


def compare_with_newest(name: str, ours: Kept | str, sees_default: bool = False) -> None:
    # What `--as 4.4` does not do yet is tested to differ from Kafka 4.4.0.
    differs = CHANGED[name].because not in HELD if name in CHANGED else bool(CASES[name].differs)
    differs |= name in DIFFER_ON_BOTH
    if differs or sees_default:
        assert ours != RECORDED_ON_NEWEST[name], "no longer a difference: remove it from the docs"
    else:
        assert ours == RECORDED_ON_NEWEST[name]


@pytest.fixture(scope="session")
def responses(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str, str], Kept | str]:
    """Return what a broker process responds, by case and release.

    The first call for a release runs all its selected cases.
    """

    @cache
    def of_all(release: str) -> dict[str, Kept | str]:
        test = test_response_of_a_process_is_the_same_as_kafkas.__name__
        params = [item.callspec.params for item in request.session.items
                  if hasattr(item, "callspec") and item.name.startswith(f"{test}[")]  # fmt: skip
        groups = by_settings(CASES[each["name"]] for each in params if each["release"] == release)
        folders = [tmp_path_factory.mktemp("broker") for _ in groups]
        with ThreadPoolExecutor(BROKERS_AT_ONCE) as pool:
            answered = pool.map(partial(_responses, release), folders, groups)
            return {name: kept for some in answered for name, kept in some.items()}

    return lambda name, release: of_all(release)[name]


def _responses(release: str, folder: Path, group: tuple[dict[str, str], list[Case]]) -> dict[str, Kept | str]:
    """Return what a broker process, or a cluster, with these settings responds in its cases."""
    settings, together = group
    number = count()

    def run(cases: list[Case], at_once: int) -> dict[str, Kept | str]:
        where, given = folder / str(next(number)), {**settings, "tidemark.as": release}
        if cases[0].brokers > 1:
            kept = of_cluster(kafka_cluster(where, settings) if NOT_OURS else OurCluster(where, given), cases)
            return kept if release else without_creation_times(kept)
        running = start_broker(where, given)

        def restart() -> None:
            running.stop()
            running.restart()

        try:
            kept = outcomes(cases, Broker(running.bootstrap), at_once, [restart])
        finally:
            running.stop()
        return kept if release else without_creation_times(kept)

    return responses_of(together, run, RECORDED if release else RECORDED_ON_NEWEST)


@pytest.mark.slow
@pytest.mark.parametrize("release", PROCESSES_AS)
@pytest.mark.parametrize("name", IN_A_PROCESS)
def test_response_of_a_process_is_the_same_as_kafkas(
    name: str, release: str, responses: Callable[[str, str], Kept | str]
) -> None:
    ours = responses(name, release)
    if release:
        compare(CASES[name], ours)
    else:
        compare_with_newest(name, ours, name in SEE_THE_DEFAULT)


def compare(case: Case, ours: Kept | str) -> None:
    assert case.name in RECORDED, "this case is not recorded yet: run `make record`"
    if case.differs:
        assert ours != RECORDED[case.name], (
            "no longer a difference: remove it from the case and from docs/differences.md"
        )
    else:
        assert ours == RECORDED[case.name]


def test_every_listed_difference_is_in_the_docs() -> None:
    told = set(re.findall(r"^### (.+)$", DIFFERENCES.read_text(), re.MULTILINE))
    assert {c.differs for c in CASES.values() if c.differs} <= told


def test_every_recorded_case_exists() -> None:
    assert set(RECORDED) | set(CHANGED) <= set(CASES)
