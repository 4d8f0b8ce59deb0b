"""Run the same stories on Apache Kafka and on tidemark at the same time.

The same offsets must expire at the same passes, with the same responses and counts. Both brokers mostly wait,
for a minute and a half.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final

import pytest

from tests import kafka_oracle
from tests.broker_process import BrokerProcess, OracleBroker, two_free_ports
from tests.conformance.case import Broker
from tests.conformance.expiry.restart import a_restart
from tests.conformance.expiry.stories import SETTINGS, STORIES
from tests.conformance.mbeans import mbeans, open_jmx
from tests.conformance.recorded_responses import BASE_SETTINGS, Kept, outcomes
from tidemark_tools.http_api import Api

pytestmark = [
    pytest.mark.java,
    pytest.mark.slow,
    pytest.mark.skipif(kafka_oracle.missing() is not None, reason=kafka_oracle.missing() or ""),
]

MBEAN: Final = "kafka.server:type=group-coordinator-metrics"
# Our metric, and the attribute of Kafka's MBean.
COUNTED_ALIKE: Final = {
    "tidemark_offset_commits_total": "offset-commit-count",
    "tidemark_offset_deletions_total": "offset-deletion-count",
    "tidemark_group_completed_rebalances_total": "group-completed-rebalance-count",
}
EXPIRATIONS: Final = "tidemark_offset_expirations_total"
KAFKAS_EXPIRATIONS: Final = "offset-expiration-count"


@dataclass(slots=True)
class Told:
    """The results of the stories: what each kept, and the broker's final counts.

    restarted: what the story on a broker of its own kept, which is stopped and started in the middle.
    """

    kept: dict[str, Kept | str]
    counted: dict[str, float]
    restarted: Kept


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Told, Told]]:
    """Yield the results of tidemark and of Kafka."""
    folder = tmp_path_factory.mktemp("expiry")
    settings = {**BASE_SETTINGS, **SETTINGS}
    like_kafka = {**settings, "tidemark.as": kafka_oracle.short_name(kafka_oracle.KAFKA_VERSION)}
    ours = BrokerProcess(folder / "ours", like_kafka)
    kafka = OracleBroker(folder / "kafka", two_free_ports(), settings)
    kafka.start()
    others = (
        BrokerProcess(folder / "ours-restarted", like_kafka),
        OracleBroker(folder / "kafka-restarted", two_free_ports(), settings),
    )
    try:
        ours.start()
        with ThreadPoolExecutor(4) as pool:
            kept = pool.map(_tell, (ours.bootstrap, kafka.bootstrap))
            restarted = pool.map(a_restart, others)
        here, there = map(Told, kept, (_our_counts(ours), _kafkas_counts(kafka)), restarted)
        yield here, there
    finally:
        ours.stop()
        kafka.stop()


def _tell(bootstrap: str) -> dict[str, Kept | str]:
    return outcomes(list(STORIES.values()), Broker(bootstrap), at_once=len(STORIES))


def _our_counts(broker: BrokerProcess) -> dict[str, float]:
    text = Api(broker.http).text("/metrics")
    return {name: float(value) for name, value in re.findall(r"^(tidemark_\S+) (\S+)$", text, re.MULTILINE)}


def _kafkas_counts(broker: OracleBroker) -> dict[str, float]:
    """Return the counts of Kafka's MBean."""
    found = mbeans(open_jmx(broker), MBEAN)[MBEAN]
    return {name: value for name, value in found.items() if name.endswith("-count")}


def _expired(told: Told) -> Counter[str]:
    """Return how many offsets expired by each rule, as the stories saw it."""
    by_rule: Counter[str] = Counter()
    for kept in told.kept.values():
        for rule, *partitions in filter(_is_told, _values(kept, "gone")):
            by_rule[rule] += len(partitions)
    return by_rule


def _is_told(gone: Any) -> bool:
    """Return False for a sentence about why it has not expired."""
    return isinstance(gone, list)


def _values(kept: Kept | str, name: str) -> list[Any]:
    return [step[name] for step in kept if isinstance(step, dict) and name in step]


@pytest.mark.parametrize("name", STORIES)
def test_the_same_offsets_expire_at_the_same_passes_with_the_same_responses(
    name: str, told: tuple[Told, Told]
) -> None:
    ours, kafkas = (each.kept[name] for each in told)
    assert not isinstance(kafkas, str), kafkas
    assert ours == kafkas


def test_the_same_offsets_expire_after_a_restart(told: tuple[Told, Told]) -> None:
    ours, kafkas = told
    assert ours.restarted == kafkas.restarted


def test_kafka_agrees_with_every_story(told: tuple[Told, Told]) -> None:
    """Kafka itself must agree with the stories, so that a wrong story is not mistaken for a wrong broker."""
    _, kafkas = told
    for kept in (*kafkas.kept.values(), kafkas.restarted):
        assert all(map(_is_told, _values(kept, "gone"))), kept
        assert all(all(there) for there in _values(kept, "before")), kept
        assert set(_values(kept, "group")) <= {"gone"}, kept


@pytest.mark.parametrize("name", COUNTED_ALIKE)
def test_commits_deletions_and_rebalances_have_the_same_counts(name: str, told: tuple[Told, Told]) -> None:
    ours, kafkas = told
    assert ours.counted[name] == kafkas.counted[COUNTED_ALIKE[name]] > 0


def test_expirations_are_counted_by_rule(told: tuple[Told, Told]) -> None:
    ours, _ = told
    counted = {name: count for name, count in ours.counted.items() if name.startswith(EXPIRATIONS) and count}
    assert counted == {f'{EXPIRATIONS}{{reason="{rule}"}}': count for rule, count in _expired(ours).items()}


def test_every_removal_is_counted(told: tuple[Told, Told]) -> None:
    """Counts what the stories delete. A partition that OffsetDelete names twice is removed once."""
    ours, _ = told
    removed = {"expired": _expired(ours).total(), "offset_delete": 3, "group_delete": 2, "topic_delete": 2}
    for cause, count in removed.items():
        assert ours.counted[f'tidemark_offsets_removed_total{{cause="{cause}"}}'] == count, cause


def test_kafka_counts_more_expirations_than_there_were(told: tuple[Told, Told]) -> None:
    """tidemark counts them exactly (docs/kips.md)."""
    _, kafkas = told
    assert kafkas.counted[KAFKAS_EXPIRATIONS] > sum(_expired(kafkas).values())
