"""Compare what our broker stores on disk after each story with what Kafka stored (recorded*.json)."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any, Final

import pytest

from tests import kafka_oracle
from tests.conformance.disk.reading import Directory
from tests.conformance.disk.record import CLUSTER, DUMPS, SHARE_STORIES, STORIES, of_ours, read, traces_of
from tests.kafka_oracle import NEWEST, USUAL, short_name

RECORDED: Final = {version: traces_of(version) for version in (USUAL, NEWEST)}
DUMPED: Final = read(DUMPS)

Directories = dict[str, Directory]  # by story
# docs/kafka-4.4.md, "Not in tidemark yet": what 4.4 does in these stories.
NOT_YET: Final[set[tuple[str, str]]] = set()

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def like_kafka(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Directories]:
    """Return what a broker writes that imitates this version of Kafka."""

    @cache
    def of(version: str) -> Directories:
        return of_ours(short_name(version), tmp_path_factory.mktemp("like_kafka"))

    return of


@pytest.fixture(scope="module")
def by_itself(tmp_path_factory: pytest.TempPathFactory) -> Directories:
    """Return the same for a broker without `tidemark.as`, which writes the lowest sufficient versions."""
    return of_ours("", tmp_path_factory.mktemp("by_itself"))


@pytest.mark.parametrize("version", RECORDED)
@pytest.mark.parametrize("name", STORIES)
def test_records_are_the_same_as_in_kafka(
    name: str, version: str, like_kafka: Callable[[str], Directories]
) -> None:
    is_same = like_kafka(version)[name].trace(name) == RECORDED[version][name]
    if (version, name) in NOT_YET:
        assert not is_same, "remove it from NOT_YET"
        return
    assert like_kafka(version)[name].trace(name) == RECORDED[version][name]


@pytest.mark.parametrize("name", STORIES)
def test_lower_record_versions_have_the_same_meaning(name: str, by_itself: Directories) -> None:
    recorded = USUAL if (NEWEST, name) in NOT_YET else NEWEST
    assert meaning(by_itself[name].trace(name)) == meaning(RECORDED[recorded][name])


def meaning(trace: Any) -> Any:
    """Remove what a lower version leaves out: the version, the topic's id in a commit, and the size.

    Besides, tidemark stores the creation time of a group (KIP-1327) unless it imitates a release of Kafka.
    """
    if isinstance(trace, list):
        return [meaning(item) for item in trace]
    if not isinstance(trace, dict):
        return trace
    left_out = {"size", "topicId", "CreationTimeMs"}
    return {re.sub(r" v\d+$", "", name): meaning(it) for name, it in trace.items() if name not in left_out}


@pytest.mark.java
@pytest.mark.skipif(kafka_oracle.missing() is not None, reason=f"kafka-dump-log: {kafka_oracle.missing()}")
@pytest.mark.parametrize("name", STORIES)
def test_kafka_dump_log_prints_the_same_for_our_logs(
    name: str, like_kafka: Callable[[str], Directories]
) -> None:
    ours, theirs = like_kafka(USUAL)[name].dumped(name), DUMPED[name]
    if name in SHARE_STORIES:  # Kafka joins writes of share state in batches by time
        ours, theirs = ([re.sub(r" sequence: \d+ ", " ", line) for line in each] for each in (ours, theirs))
    assert ours == theirs


@pytest.mark.parametrize("version", RECORDED)
def test_a_new_cluster_starts_with_the_same_records_as_kafka(
    version: str, like_kafka: Callable[[str], Directories]
) -> None:
    theirs = RECORDED[version][CLUSTER]
    assert like_kafka(version)[next(iter(STORIES))].of_no_story(STORIES) == theirs


def test_every_story_is_recorded_and_nothing_else() -> None:
    for recorded in RECORDED.values():
        assert {*STORIES, CLUSTER} == set(recorded), "`make record`"
    assert set(STORIES) == set(DUMPED)
