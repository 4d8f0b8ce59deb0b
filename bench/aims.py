"""The performance targets, and whether a row meets its target."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from bench.rows import Row

CLIENTS: Final = ("confluent-kafka", "aiokafka", "kafka-python")  # in which the fixture is measured

STALL_MS: Final = 10
Holds = Callable[[Row, Row | None], bool]


@dataclass(slots=True, frozen=True)
class Aim:
    """A target. holds(our row, Kafka's row): Kafka's is None if it was not measured."""

    row: str
    text: str
    holds: Holds


def at_least(value: float) -> Holds:
    return lambda ours, _: ours.value >= value


def at_most(value: float) -> Holds:
    return lambda ours, _: ours.value <= value


def per_cpu_second(megabytes: float) -> Holds:
    return lambda ours, _: (ours.mb_per_cpu_s or 0) >= megabytes


def synced(ours: Row, kafka: Row | None) -> bool:
    return ours.value >= 150_000 and (kafka is None or ours.value >= 3 * kafka.value)


def as_quick(ours: Row, kafka: Row | None) -> bool:
    if kafka is None or kafka.p50_ms is None or kafka.p99_ms is None:
        return True
    return (ours.p50_ms or 0) <= kafka.p50_ms and (ours.p99_ms or 0) <= kafka.p99_ms


def joins_smoothly(ours: Row, _: Row | None) -> bool:
    return ours.value <= 200 and (ours.stall_ms or 0) <= 20


def no_less(ours: Row, kafka: Row | None) -> bool:
    return kafka is None or ours.value >= kafka.value


def as_many_and_as_quick(ours: Row, kafka: Row | None) -> bool:
    return kafka is None or (ours.value >= kafka.value and (ours.p50_ms or 0) <= (kafka.p50_ms or 0))


AIMS: Final = (
    Aim("commit 64x16 sync=always", "150,000/s and 3 times Kafka's", synced),
    Aim("commit 16x1 sync=never", "100,000/s", at_least(100_000)),
    Aim("commit 1x1 sync=never", "p50 and p99 no slower than Kafka's", as_quick),
    Aim("ready, again", "200 ms", at_most(200)),
    Aim("resident when idle", "60 MB", at_most(60)),
    Aim("resident, 1 million offsets committed", "300 MB", at_most(300)),
    Aim("resident, 1 million offsets loaded", "300 MB", at_most(300)),
    Aim("ready, log of 1 million commits", "3,000 ms", at_most(3000)),
    Aim("fresh group: first record, aiokafka", "120 ms", at_most(120)),
    Aim("fresh group: first record, kafka-python", "120 ms", at_most(120)),
    Aim("fresh group: first record, confluent-kafka", "120 ms", at_most(120)),
    Aim("consumer group: heartbeat, CPU", "1,000 us", at_most(1000)),
    Aim("consumer group: a member joins", "200 ms, no stall above 20 ms", joins_smoothly),
    Aim("metadata of many topics", "3 ms", at_most(3)),
    Aim("scrape of /metrics", "20 ms", at_most(20)),
    Aim("console, 1,000 groups", "10 ms", at_most(10)),
    *(Aim(f"fixture: own calls, {client}", "250 ms", at_most(250)) for client in CLIENTS),
    *(Aim(f"fixture: restore, {client}", "20 ms", at_most(20)) for client in CLIENTS),
    Aim("authorization: a cached decision", "1 us", at_most(1)),
    Aim("cost of 1,000 ACLs for commits in memory", "10%", at_most(10)),
    *(
        Aim(f"transaction {shape} sync=never", "no fewer than Kafka, p50 no slower", as_many_and_as_quick)
        for shape in ("java x1", "confluent-kafka x1", "java x8")
    ),
    Aim("producer-perf-test 200 B", "no less than from Kafka", no_less),
    Aim("consumer-perf-test 200 B", "no less than from Kafka", no_less),
    Aim("producer-perf-test 60 kB", "no less than from Kafka", no_less),
    Aim("consumer-perf-test 60 kB", "no less than from Kafka", no_less),
    Aim("produce 1 MiB", "1,000 MB per CPU second", per_cpu_second(1000)),
    Aim("fetch 1 MiB", "2,000 MB per CPU second", per_cpu_second(2000)),
    Aim("cost of 10,000 groups", "20%", at_most(20)),
    Aim("cost of 10,000 idle connections", "20%", at_most(20)),
    Aim("cost of 1,000 topics", "20%", at_most(20)),
    Aim("cost of a compaction under way", "33%", at_most(33)),
)
