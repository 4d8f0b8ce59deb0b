"""`__consumer_offsets` of a running cluster, read with Spark's source for Kafka.

Kafka's AdminClient, which is in the package of that source, says where each log partition begins and ends.
Spark has no source of its own for that. It runs in the JVM of the driver, so Spark Connect cannot use it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from py4j.protocol import Py4JJavaError
from pyspark.sql import functions as F
from pyspark.sql.functions import col

from tidemark_pipeline.logs.cluster import Cluster
from tidemark_pipeline.logs.directories import OFFSETS_TOPIC
from tidemark_pipeline.logs.log_ends import LogEnd
from tidemark_pipeline.retention import CHECK_INTERVAL_MS, MINUTE_MS, SETTING, Retention

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

TRANSACTIONS_TOPIC: Final = "__transaction_state"
CHECK_INTERVAL: Final = "offsets.retention.check.interval.ms"
# Spark's newer way to find the ends of partitions ignores internal topics, and reads nothing.
OFFSETS_BY_CONSUMER: Final = "spark.sql.streaming.kafka.useDeprecatedOffsetFetching"
OFFSETS_PER_MICRO_BATCH: Final = 2_000_000  # so that a first run that is killed keeps what it has read
_ENDS: Final = re.compile(r"([\w.-]+)-(\d+)=ListOffsetsResultInfo\(offset=(-?\d+)")


@dataclass(slots=True, frozen=True)
class PartitionEnds:
    """The offsets of a log partition: its first one, and after the last one that is readable.

    stable: the last stable offset. Below end, if a transaction is open.
    """

    start: int
    stable: int
    end: int


class Admin:
    """Kafka's AdminClient in the driver's JVM. Close it."""

    def __init__(self, spark: SparkSession, cluster: Cluster) -> None:
        jvm: Any = spark._jvm
        self._java = jvm.java.util
        self._kafka = jvm.org.apache.kafka
        settings = self._java.Properties()
        for name, value in cluster.client_settings().items():
            settings.put(name, value)
        self._admin = self._kafka.clients.admin.Admin.create(settings)

    def __enter__(self) -> Admin:
        return self

    def __exit__(self, *_: object) -> None:
        self._admin.close()

    def topic_partitions(self, names: Collection[str]) -> dict[str, dict[int, bool]]:
        """Return the partitions of topics, and whether each has a leader."""
        found = self._admin.describeTopics(self._list(names)).allTopicNames().get()
        return {
            name: {
                each.partition(): each.leader() is not None and not each.leader().isEmpty()
                for each in found.get(name).partitions()
            }
            for name in names
        }

    def has_transactions(self) -> bool:
        """Return whether a transaction may ever have been begun. True if this client may not know."""
        try:
            self.topic_partitions([TRANSACTIONS_TOPIC])
        except Py4JJavaError as error:
            return "UnknownTopicOrPartitionException" not in str(error)
        return True

    def ends(self, topic: str, numbers: Collection[int]) -> dict[int, PartitionEnds]:
        """Return where these partitions begin and end."""
        wanted = [(topic, number) for number in numbers]
        spec = self._kafka.clients.admin.OffsetSpec
        starts = self._offsets(wanted, spec.earliest())
        stable = self._offsets(wanted, spec.latest(), committed=True)
        # Last: what is stable is readable, also if the log grows meanwhile.
        ends = self._offsets(wanted, spec.latest())
        return {place[1]: PartitionEnds(starts[place], stable[place], ends[place]) for place in wanted}

    def log_ends(self, topics: Collection[str]) -> list[LogEnd]:
        """Return start and end of the partitions of these topics that exist and have a leader.

        Topics that this client may not describe are left out.
        """
        known = set(self._admin.listTopics().names().get()) & set(topics)
        wanted = [
            (topic, number)
            for topic, partitions in self.topic_partitions(sorted(known)).items()
            for number, has_leader in partitions.items()
            if has_leader
        ]
        spec = self._kafka.clients.admin.OffsetSpec
        starts, ends = self._offsets(wanted, spec.earliest()), self._offsets(wanted, spec.latest())
        return [LogEnd(*place, None, starts[place], ends[place]) for place in sorted(wanted)]

    def retention(self) -> Retention | None:
        """Return the retention that a broker has. None: this client may not know (DescribeConfigs)."""
        resource = self._kafka.common.config.ConfigResource
        try:
            broker = self._admin.describeCluster().nodes().get().iterator().next().idString()
            asked = resource(resource.Type.BROKER, broker)
            entries = self._admin.describeConfigs(self._java.List.of(asked)).all().get().get(asked)
            minutes, interval_ms = (entries.get(name) for name in (SETTING, CHECK_INTERVAL))
        except Py4JJavaError as error:
            if "AuthorizationException" in str(error):
                return None
            raise
        if minutes is None:
            return None
        every_ms = CHECK_INTERVAL_MS if interval_ms is None else int(interval_ms.value())
        return Retention.known([int(minutes.value()) * MINUTE_MS], every_ms)

    def group_names(self) -> list[str]:
        """Return the groups that this client may describe. A group that has expired is none of them."""
        try:
            return [each.groupId() for each in self._admin.listConsumerGroups().all().get()]
        except Py4JJavaError as error:
            if "AuthorizationException" in str(error):
                return []
            raise

    def _offsets(
        self, places: Sequence[tuple[str, int]], spec: Any, *, committed: bool = False
    ) -> dict[tuple[str, int], int]:
        if not places:
            return {}
        asked = self._java.HashMap()
        for topic, number in places:
            asked.put(self._kafka.common.TopicPartition(topic, number), spec)
        level = self._kafka.common.IsolationLevel
        options = self._kafka.clients.admin.ListOffsetsOptions(
            level.READ_COMMITTED if committed else level.READ_UNCOMMITTED
        )
        # As text: a call of Java for each partition would need a second for some hundred of them.
        text = self._admin.listOffsets(asked, options).all().get().toString()
        found = {(topic, int(number)): int(offset) for topic, number, offset in _ENDS.findall(text)}
        return {place: found[place] for place in places}

    def _list(self, names: Collection[str]) -> Any:
        made = self._java.ArrayList()
        for name in names:
            made.add(name)
        return made


def records(
    spark: SparkSession, cluster: Cluster, ends: Mapping[int, PartitionEnds], *, committed: bool
) -> DataFrame:
    """Return the records of these log partitions up to the given ends: key, value, partition, offset,
    timestamp (ms).
    """
    spark.conf.set(OFFSETS_BY_CONSUMER, "true")
    begin = {str(number): each.start for number, each in ends.items()}
    until = {str(number): each.stable if committed else each.end for number, each in ends.items()}
    found = (
        spark.read.format("kafka")
        .options(**cluster.source_options(committed=committed))
        .option("assign", _assigned(ends))
        .option("startingOffsets", json.dumps({OFFSETS_TOPIC: begin}))
        .option("endingOffsets", json.dumps({OFFSETS_TOPIC: until}))
        .load()
    )
    return _plain(found)


def stream(
    spark: SparkSession, cluster: Cluster, log_partitions: Collection[int], *, committed: bool
) -> DataFrame:
    """Return the same as a stream, from the beginning of the log partitions."""
    spark.conf.set(OFFSETS_BY_CONSUMER, "true")
    found = (
        spark.readStream.format("kafka")
        .options(**cluster.source_options(committed=committed))
        .option("assign", _assigned(log_partitions))
        .option("startingOffsets", "earliest")
        .option("maxOffsetsPerTrigger", OFFSETS_PER_MICRO_BATCH)
        .load()
    )
    # Otherwise each micro-batch has 50 tasks, and writes up to 50 files.
    return _plain(found).coalesce(spark.sparkContext.defaultParallelism)


def _assigned(log_partitions: Collection[int]) -> str:
    return json.dumps({OFFSETS_TOPIC: sorted(log_partitions)})


def _plain(found: DataFrame) -> DataFrame:
    return found.select(
        "key", "value", "partition", "offset", F.unix_millis(col("timestamp")).alias("timestamp")
    )
