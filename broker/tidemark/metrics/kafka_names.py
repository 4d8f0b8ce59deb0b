"""The second and the third family of the page: what dashboards and alerts of Kafka already ask for.

KAFKA: Kafka's own meters and gauges, named as the common rule files of Prometheus' JMX exporter name them.
What is counted elsewhere in another way than Kafka does it (errors of single partitions), or not at all
(durations), is not here. EXPORTER: offsets and lag under the names, labels and rules of kafka_exporter.

promtool dislikes some of these names; they are not ours to choose.
"""

from __future__ import annotations

from typing import Final

from tidemark.metrics.catalogue import Metric

_COORDINATOR: Final = "kafka_server_group_coordinator_metrics"
_GROUPS: Final = "kafka_coordinator_group_groupmetadatamanager"
_TOPICS: Final = "kafka_server_brokertopicmetrics"
_REPLICAS: Final = "kafka_server_replicamanager"
_CONTROLLER: Final = "kafka_controller_kafkacontroller"
_OF_TOPIC: Final = ("topic",)
_OF_PARTITION: Final = ("topic", "partition")
_OF_GROUP: Final = ("consumergroup", "topic", "partition")


def _meter(attribute: str, name: str, events: str) -> tuple[Metric, Metric]:
    """The two attributes that Kafka makes of a meter (KIP-496)."""
    return (
        Metric(attribute, "gauge", f"{_COORDINATOR}_{name}_count", f"{events} since the start."),
        Metric(f"{attribute}_rate", "gauge", f"{_COORDINATOR}_{name}_rate", f"{events} per second, of late."),
    )


KAFKA: Final = (
    *_meter("offset_commits", "offset_commit", "Offsets that were committed"),
    *_meter("offsets_expired", "offset_expiration", "Offsets that expired"),
    *_meter("offset_deletions", "offset_deletion", "Offsets that OffsetDelete removed"),
    *_meter("group_rebalances", "group_completed_rebalance", "Rebalances that reached an assignment"),
    Metric("offsets", "gauge", f"{_GROUPS}_numoffsets", "Committed offsets."),
    Metric("classic_groups", "gauge", f"{_GROUPS}_numgroups", "Classic groups, simple ones included."),
    Metric("classic_empty", "gauge", f"{_GROUPS}_numgroupsempty", "Classic groups that are Empty."),
    Metric(
        "classic_preparing_rebalance",
        "gauge",
        f"{_GROUPS}_numgroupspreparingrebalance",
        "Classic groups that wait for joins.",
    ),
    Metric(
        "classic_completing_rebalance",
        "gauge",
        f"{_GROUPS}_numgroupscompletingrebalance",
        "Classic groups that wait for their leader.",
    ),
    Metric("classic_stable", "gauge", f"{_GROUPS}_numgroupsstable", "Classic groups that are Stable."),
    Metric("classic_dead", "gauge", f"{_GROUPS}_numgroupsdead", "Classic groups that are Dead."),
    Metric(
        "requests_as_kafka",
        "counter",
        "kafka_network_requestmetrics_requests_total",
        "Requests that were decided.",
        labels=("request", "version"),
    ),
    Metric(
        "topic_messages_in",
        "counter",
        f"{_TOPICS}_messagesin_total",
        "Records that were appended; of all topics where the topic is empty, also below.",
        labels=_OF_TOPIC,
    ),
    Metric(
        "topic_bytes_in",
        "counter",
        f"{_TOPICS}_bytesin_total",
        "Bytes of these records.",
        labels=_OF_TOPIC,
    ),
    Metric(
        "topic_bytes_out",
        "counter",
        f"{_TOPICS}_bytesout_total",
        "Bytes of records that were fetched.",
        labels=_OF_TOPIC,
    ),
    Metric(
        "topic_produce_requests",
        "counter",
        f"{_TOPICS}_totalproducerequests_total",
        "Appends to single partitions that were tried.",
        labels=_OF_TOPIC,
    ),
    Metric(
        "topic_fetch_requests",
        "counter",
        f"{_TOPICS}_totalfetchrequests_total",
        "Reads of single partitions; a fetch that waits reads twice.",
        labels=_OF_TOPIC,
    ),
    Metric(
        "topic_failed_produce_requests",
        "counter",
        f"{_TOPICS}_failedproducerequests_total",
        "Appends that failed, but for what Kafka expects of clients: no such partition, too large, corrupt.",
        labels=_OF_TOPIC,
    ),
    Metric(
        "topic_failed_fetch_requests",
        "counter",
        f"{_TOPICS}_failedfetchrequests_total",
        "Reads that failed, likewise.",
        labels=_OF_TOPIC,
    ),
    Metric(
        "connections_by_processor",
        "gauge",
        "kafka_server_socket_server_metrics_connection_count",
        "Open connections.",
        labels=("listener", "networkProcessor"),
    ),
    Metric("partitions", "gauge", f"{_REPLICAS}_partitioncount", "Partitions."),
    Metric("partitions_led", "gauge", f"{_REPLICAS}_leadercount", "Partitions that are led here."),
    Metric(
        "under_replicated",
        "gauge",
        f"{_REPLICAS}_underreplicatedpartitions",
        "Partitions led here with replicas out of sync.",
    ),
    Metric("controllers", "gauge", f"{_CONTROLLER}_activecontrollercount", "1: this node is the controller."),
    Metric("offline", "gauge", f"{_CONTROLLER}_offlinepartitionscount", "Partitions without a leader."),
)

EXPORTER: Final = (
    Metric("brokers", "gauge", "kafka_brokers", "Brokers of the cluster."),
    Metric(
        "broker_info",
        "gauge",
        "kafka_broker_info",
        "1, with where the broker is.",
        labels=("id", "address"),
    ),
    Metric(
        "topic_partitions", "gauge", "kafka_topic_partitions", "Partitions of the topic.", labels=_OF_TOPIC
    ),
    Metric(
        "partition_end",
        "gauge",
        "kafka_topic_partition_current_offset",
        "The offset that the next record gets.",
        labels=_OF_PARTITION,
    ),
    Metric(
        "partition_start",
        "gauge",
        "kafka_topic_partition_oldest_offset",
        "The first offset that is still there.",
        labels=_OF_PARTITION,
    ),
    Metric(
        "partition_leader",
        "gauge",
        "kafka_topic_partition_leader",
        "The broker that leads it.",
        labels=_OF_PARTITION,
    ),
    Metric(
        "partition_replicas",
        "gauge",
        "kafka_topic_partition_replicas",
        "Its replicas.",
        labels=_OF_PARTITION,
    ),
    Metric(
        "partition_in_sync",
        "gauge",
        "kafka_topic_partition_in_sync_replica",
        "Its replicas that are in sync.",
        labels=_OF_PARTITION,
    ),
    Metric(
        "partition_preferred",
        "gauge",
        "kafka_topic_partition_leader_is_preferred",
        "1: its first replica leads it.",
        labels=_OF_PARTITION,
    ),
    Metric(
        "partition_under_replicated",
        "gauge",
        "kafka_topic_partition_under_replicated_partition",
        "1: some of its replicas are out of sync.",
        labels=_OF_PARTITION,
    ),
    Metric(
        "group_members",
        "gauge",
        "kafka_consumergroup_members",
        "Members of the group.",
        labels=("consumergroup",),
    ),
    Metric(
        "group_offset",
        "gauge",
        "kafka_consumergroup_current_offset",
        "The committed offset; -1: none, of a topic of which the group has committed another partition.",
        labels=_OF_GROUP,
    ),
    Metric(
        "group_lag",
        "gauge",
        "kafka_consumergroup_lag",
        "From the committed offset to the end of the log; -1: none is committed, as above.",
        labels=_OF_GROUP,
    ),
    Metric(
        "group_offset_sum",
        "gauge",
        "kafka_consumergroup_current_offset_sum",
        "The sum of the above, over a topic's partitions.",
        labels=("consumergroup", "topic"),
    ),
    Metric(
        "group_lag_sum",
        "gauge",
        "kafka_consumergroup_lag_sum",
        "The sum of the lag that is known, over a topic's partitions.",
        labels=("consumergroup", "topic"),
    ),
)
