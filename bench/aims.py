"""The performance targets, and whether a row meets its target."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from bench.rows import Row
from bench.servers import COMPILED

CLIENTS: Final = ("confluent-kafka", "aiokafka", "kafka-python")  # in which the fixture is measured

STALL_MS: Final = 10
Holds = Callable[[Row, Row | None], bool]


@dataclass(slots=True, frozen=True)
class Aim:
    """A target. holds(our row, Kafka's row): Kafka's is None if it was not measured."""

    row: str
    text: str
    holds: Holds


def at_most(value: float) -> Holds:
    return lambda ours, _: ours.value <= value


def at_least(value: float) -> Holds:
    return lambda ours, _: ours.value >= value


def times_per_cpu(pure: float, compiled: float) -> Holds:
    """Requests per CPU second, as a multiple of Kafka's."""

    def holds(ours: Row, kafka: Row | None) -> bool:
        times = compiled if ours.server == COMPILED else pure
        return kafka is None or (kafka.cpu_us or 0) >= times * (ours.cpu_us or 0)

    return holds


def half_of_kafkas_p50(ours: Row, kafka: Row | None) -> bool:
    return kafka is None or 2 * (ours.p50_ms or 0) <= (kafka.p50_ms or 0)


def as_much_per_cpu_second(ours: Row, kafka: Row | None) -> bool:
    return kafka is None or (ours.mb_per_cpu_s or 0) >= (kafka.mb_per_cpu_s or 0)


def joins_smoothly(ours: Row, _: Row | None) -> bool:
    return ours.value <= 8 and (ours.stall_ms or 0) <= 20


def no_less(ours: Row, kafka: Row | None) -> bool:
    return kafka is None or ours.value >= kafka.value


def as_many_and_as_quick(ours: Row, kafka: Row | None) -> bool:
    return kafka is None or (ours.value >= kafka.value and (ours.p50_ms or 0) <= (kafka.p50_ms or 0))


AIMS: Final = (
    Aim("commit 64x16 sync=always", "3 times Kafka's per CPU second, compiled 6 times", times_per_cpu(3, 6)),
    Aim("commit 16x1 sync=never", "twice Kafka's per CPU second", times_per_cpu(2, 2)),
    Aim("commit 1x1 sync=never", "half of Kafka's p50", half_of_kafkas_p50),
    Aim("ready, again", "120 ms", at_most(120)),
    Aim("resident when idle", "38 MB", at_most(38)),
    Aim("resident, 1 million offsets committed", "185 MB", at_most(185)),
    Aim("resident, 1 million offsets loaded", "185 MB", at_most(185)),
    Aim("ready, log of 1 million commits", "1,550 ms", at_most(1550)),
    Aim("ready, log of 10 million commits", "13 s", at_most(13_000)),
    Aim("fresh group: first record, aiokafka", "120 ms", at_most(120)),
    Aim("fresh group: first record, kafka-python", "120 ms", at_most(120)),
    Aim("fresh group: first record, confluent-kafka", "120 ms", at_most(120)),
    Aim("consumer group: heartbeat, CPU", "8 us", at_most(8)),
    Aim("consumer group: a member joins", "8 ms, no stall above 20 ms", joins_smoothly),
    Aim("metadata of many topics", "3 ms", at_most(3)),
    Aim("scrape of /metrics", "20 ms", at_most(20)),
    Aim("console, 1,000 groups", "10 ms", at_most(10)),
    *(Aim(f"fixture: own calls, {client}", "250 ms", at_most(250)) for client in CLIENTS),
    *(Aim(f"fixture: restore, {client}", "20 ms", at_most(20)) for client in CLIENTS),
    Aim("fixture: empty test", "20 ms", at_most(20)),
    Aim("fixture: test with a topic and two records", "40 ms", at_most(40)),
    Aim("fixture: requests of one group", "10 ms", at_most(10)),
    Aim("authorization: a cached decision", "1 us", at_most(1)),
    Aim("cost of 1,000 ACLs for commits in memory", "3%", at_most(3)),
    *(
        Aim(f"transaction {shape} sync=never", "no fewer than Kafka, p50 no slower", as_many_and_as_quick)
        for shape in ("java x1", "confluent-kafka x1", "java x8")
    ),
    Aim("producer-perf-test 200 B", "no less than from Kafka", no_less),
    Aim("consumer-perf-test 200 B", "no less than from Kafka", no_less),
    Aim("producer-perf-test 60 kB", "no less than from Kafka", no_less),
    Aim("consumer-perf-test 60 kB", "no less than from Kafka", no_less),
    Aim("produce 200 B", "no less than Kafka", no_less),
    Aim("fetch 200 B", "no less than Kafka per CPU second", as_much_per_cpu_second),
    Aim("fetch 1 MiB", "no less than Kafka per CPU second", as_much_per_cpu_second),
    Aim("cost of 10,000 groups", "20%", at_most(20)),
    Aim("cost of 10,000 idle connections", "20%", at_most(20)),
    Aim("cost of 1,000 topics", "20%", at_most(20)),
    Aim("cost of a compaction under way", "33%", at_most(33)),
)
