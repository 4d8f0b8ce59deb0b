"""Every metric, each defined on one line. The tables of docs/operations.md are made from it.

tidemark's own names follow Prometheus: base units, and `_total` at the end of counters. Kafka's meters and
gauges are named as the common rule files of Prometheus' JMX exporter name them. Offsets and lag also have the
names, labels and rules of kafka_exporter. promtool dislikes some of these names, but they are not ours to
choose. Kafka's metrics that tidemark counts in another way (errors of single partitions, quantiles of
durations) are missing.
"""

# ruff: noqa: RUF009 every definition is a dataclass field

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tidemark.metrics.definition import (
    COORDINATOR,
    RECORDS,
    REQUEST_SECONDS,
    SECONDS,
    Counter,
    Histogram,
    MeterRule,
    MovedBy,
    Reading,
    counter,
    exporter,
    family,
    gauge,
    histogram,
    kafka,
    meter,
    meters,
    number,
    own,
)
from tidemark.metrics.rates import Meter

# Series of one metric on one page. kminion and kafka_exporter have no limit, but test suites create thousands
# of groups.
SERIES_MAX: Final = 2000


class BadInput:
    """Values of the label `kind` of tidemark_bad_input_total: what was wrong with a client's input."""

    FRAME_SIZE: Final = "frame_size"  # negative, zero, or above socket.request.max.bytes
    HEADER: Final = "header"
    API_KEY: Final = "api_key"
    VERSION: Final = "version"
    BODY: Final = "body"  # truncated, a wrong length, or null in a field that may not be null
    ELEMENTS: Final = "elements"  # more array elements than tidemark.request.elements.max
    RESPONSE_SIZE: Final = "response_size"  # the response would exceed tidemark.response.max.bytes
    REFUSED: Final = "refused"  # well-formed, but Kafka closes the connection
    UNREAD: Final = "unread"  # the client does not read its responses
    TLS: Final = "tls"  # a handshake failed, or what follows is not TLS
    SESSION: Final = "session"  # it has expired, and the client has not authenticated again (KIP-368)
    IDLE: Final = "idle"  # no complete request for connections.max.idle.ms
    CONNECTIONS: Final = "connections"  # more than max.connections or max.connections.per.ip


BAD_INPUT_KINDS: Final = tuple(value for name, value in vars(BadInput).items() if not name.startswith("_"))
# The rules of groups/expirations.py by which an offset can expire, and every cause of a removal.
EXPIRY_REASONS: Final = ("group_empty", "topic_not_subscribed", "standalone", "explicit_retention")
REMOVAL_CAUSES: Final = ("expired", "offset_delete", "group_delete", "topic_delete")
CLASSIC_GROUP_STATES: Final = ("PreparingRebalance", "CompletingRebalance", "Stable", "Dead", "Empty")
CONSUMER_GROUP_STATES: Final = ("Empty", "Assigning", "Reconciling", "Stable", "Dead")
GROUP_STATES: Final = (
    "Empty", "PreparingRebalance", "CompletingRebalance", "Assigning", "Reconciling", "Stable", "Dead",
)  # fmt: skip
TRANSACTION_STATES: Final = (
    "Empty", "Ongoing", "PrepareCommit", "PrepareAbort", "CompleteCommit", "CompleteAbort",
)  # fmt: skip
TRANSACTION_RESULTS: Final = ("commit", "abort")
# The types of groups that are served. A group of another type has a series as long as it exists.
GROUP_TYPES: Final = ("classic", "consumer", "share", "streams")
SHARE_RECORD_STATES: Final = ("available", "acquired", "acknowledged", "archiving", "archived")
SHARE_GROUP_STATES: Final = ("Empty", "Stable", "Dead")
STREAMS_GROUP_STATES: Final = ("Empty", "NotReady", "Assigning", "Reconciling", "Stable", "Dead")


_GROUPS: Final = "kafka_coordinator_group_groupmetadatamanager"
_TOPICS: Final = "kafka_server_brokertopicmetrics"
_REPLICAS: Final = "kafka_server_replicamanager"
_CONTROLLER: Final = "kafka_controller_kafkacontroller"
_MARKERS: Final = "kafka_coordinator_transaction_transactionmarkerchannelmanager"
_VERIFICATION: Final = "kafka_server_addpartitionstotxnmanager"
_SHARE_SESSIONS: Final = "kafka_server_sharesessioncache"
_SHARE_PARTITIONS: Final = "kafka_server_sharepartitionmetrics"
_SHARE_GROUPS: Final = "kafka_server_sharegroupmetrics"
_OF_SHARE_PARTITION: Final = ("group", "topic", "partition")
_OF_PARTITION: Final = ("topic", "partition")
_OF_GROUP: Final = ("consumergroup", "topic", "partition")


# fmt: off
@dataclass(init=False, repr=False, eq=False, slots=True)
class Definitions:
    """All metrics, in the order in which /metrics lists them.

    A gauge has no value here: some part of the broker registers a function that reads it (`watch`), or the
    scrape reads it off the state (tidemark_http/live.py). A meter reads as its count, and with `_rate` behind
    its name as its rate.
    """

    build: Reading = gauge(own("tidemark_build_info", "1, labelled with the version that runs.", "version"))
    requests: Counter = counter(own("tidemark_requests_total", "Requests handled.", "api", "version"))
    request_errors: Counter = counter(
        own("tidemark_request_errors_total",
            "Responses with an error code for the whole request. Errors of single items do not count.",
            "api", "error"))
    request_duration: Reading = histogram(REQUEST_SECONDS,
        own("tidemark_request_duration_seconds",
            "Time from a complete request to its response, including the time that it was parked (long "
            "polls, joins). After 1000 requests of a version, one in 64 is measured and counts as 64.",
            "api"))
    connections: Counter = counter(own("tidemark_connections", "Open connections.", "listener"))
    connections_opened: Counter = counter(
        own("tidemark_connections_opened_total", "Accepted connections.", "listener"))
    authentications: Counter = counter(
        own("tidemark_authentications_total",
            "Authentications of clients by SASL, and how they ended.",
            "listener", "mechanism", "result"))
    authorization_denials: Counter = counter(
        own("tidemark_authorization_denials_total",
            "Decisions of the authorizer that refused a part of a request. Entries that a list hides do not "
            "count.",
            "operation", "resource_type"))
    unsent_bytes: Reading = gauge(
        own("tidemark_unsent_bytes", "Memory for responses that clients have not read."))
    received_bytes: Counter = counter(
        own("tidemark_received_bytes_total", "Bytes received from clients.", "listener"))
    sent_bytes: Counter = counter(own("tidemark_sent_bytes_total", "Bytes sent to clients.", "listener"))
    bad_input: Counter = counter(
        own("tidemark_bad_input_total",
            "Invalid input, by what was wrong with it. In almost every case the connection was closed.",
            "kind", always=BAD_INPUT_KINDS))
    event_loop_stall: Histogram = histogram(SECONDS,
        own("tidemark_event_loop_stall_seconds", "Delay of a timer that is due every 50 ms."))
    event_loop_stall_max: float = number(
        own("tidemark_event_loop_stall_max_seconds", "The longest delay of that timer since the start."))
    gc_pause: Histogram = histogram(SECONDS,
        own("tidemark_gc_pause_seconds",
            "Duration of one garbage collection. It stops everything else. A broker in a thread of a test "
            "measures none."))
    flush_wait: Histogram = histogram(SECONDS,
        own("tidemark_flush_wait_seconds",
            "Time that the first record of a flush waited for the sync before it. Flushes that did not wait "
            "do not count."))
    flush_duration: Histogram = histogram(SECONDS,
        own("tidemark_flush_duration_seconds", "Duration of one sync of all dirty internal logs."))
    flush_records: Histogram = histogram(RECORDS,
        own("tidemark_flush_records", "Records that one flush made durable."))
    log_size: Reading = gauge(
        own("tidemark_log_size_bytes", "Size of a partition's segments on disk.", *_OF_PARTITION))
    # Under the names of DescribeLogDirs (KIP-827): Kafka has no metric of its own for them.
    log_dir_usable: Reading = gauge(
        own("tidemark_log_dir_usable_bytes",
            "Free space that the broker can use, on the file system of the log directory. At 0, it stops.",
            "log_dir"))
    log_dir_total: Reading = gauge(
        own("tidemark_log_dir_total_bytes", "Size of the file system of the log directory.", "log_dir"))
    watch_silent: Reading = gauge(
        own("tidemark_watch_silent_seconds",
            "Only in `tidemark watch`: time since the watched cluster last responded to a fetch."))
    topics: Reading = gauge(own("tidemark_topics", "Topics, including internal ones."))
    partitions: Reading = gauge(
        own("tidemark_partitions", "Partitions, including internal ones."))
    groups: Reading = gauge(own("tidemark_groups", "Groups by state.", "state", always=GROUP_STATES))
    members: Reading = gauge(own("tidemark_members", "Members of all groups."))
    group_members: Reading = gauge(
        own("tidemark_group_members", "Members of the group.", "group"),
        exporter("kafka_consumergroup_members", "Members of the group.", "consumergroup"))
    group_total_lag: Reading = gauge(
        own("tidemark_group_lag",
            "Records after the committed offsets of the group, over all its partitions. Absent without a "
            "committed offset.", "group"))
    group_without_offset: Reading = gauge(
        own("tidemark_group_partitions_without_offset",
            "Partitions without a committed offset, of the topics that the group has committed offsets of or "
            "is subscribed to. They have no lag.", "group"))
    groups_left_out: Reading = gauge(
        own("tidemark_groups_left_out",
            "Groups without series of their own, because there are more than tidemark.metrics.groups.max."))
    groups_left_out_lag: Reading = gauge(
        own("tidemark_groups_left_out_lag", "The sum of tidemark_group_lag over these groups."))
    next_expiry: Reading = gauge(
        own("tidemark_offset_next_expiry_timestamp_seconds",
            "When the first of the group's offsets expires, if nothing changes until then. The next cleanup "
            "after that deletes it. Absent if no offset expires.", "group"))
    unsubscribed_offsets: Reading = gauge(
        own("tidemark_group_unsubscribed_offsets",
            "Committed offsets of topics that a group with members is not subscribed to. Their lag only "
            "grows.",
            "group"))
    offset_commits: Meter = meter("offset_commit", "Offsets that were committed",
        own("tidemark_offset_commits_total", "Committed offsets. A request with ten partitions counts ten."),
        moved_by=MovedBy("OffsetCommit", each_record=True))
    refused_commits: Counter = counter(
        own("tidemark_refused_commits_total",
            "OffsetCommit requests of which no offset was stored, by the error of their first partition.",
            "error"))
    offsets_expired: Meter = meter("offset_expiration", "Offsets that expired")
    offset_expirations: Counter = counter(
        own("tidemark_offset_expirations_total", "Expired offsets, by the rule that applied.",
            "reason", always=EXPIRY_REASONS))
    # As in KIP-496, a deleted group or topic is not an OffsetDelete.
    offset_deletions: Meter = meter("offset_deletion", "Offsets that OffsetDelete removed",
        own("tidemark_offset_deletions_total",
            "Offsets that OffsetDelete removed. Deleted groups and topics do not count, as in Kafka."),
        moved_by=MovedBy("OffsetDelete", each_record=True))
    # As in KIP-496, a group that becomes Empty completes no rebalance.
    group_rebalances: Meter = meter("group_completed_rebalance", "Rebalances that reached an assignment",
        own("tidemark_group_completed_rebalances_total", "Rebalances that reached an assignment."),
        moved_by=MovedBy("SyncGroup", each_record=False))
    # As in Kafka, a member that leaves or is fenced raises the epoch, too, but does not count.
    consumer_group_rebalances: Meter = meter("consumer_group_rebalance",
        "Rebalances of groups of the consumer protocol (KIP-848)",
        own("tidemark_consumer_group_rebalances_total",
            "New epochs of groups of the consumer protocol (KIP-848): a member joined or changed its "
            "subscription, or the topics changed."))
    # As in Kafka, it does not count a member that leaves or is fenced, either.
    share_group_rebalances: Meter = meter("share_group_rebalance",
        "Rebalances of share groups (KIP-932)",
        own("tidemark_share_group_rebalances_total",
            "New epochs of share groups (KIP-932): a member joined or changed its subscription, or the "
            "topics changed."))
    streams_group_rebalances: Meter = meter("streams_group_rebalance",
        "Rebalances of streams groups (KIP-1071)",
        own("tidemark_streams_group_rebalances_total",
            "New epochs of streams groups (KIP-1071): a member joined or changed, or the topics or the "
            "settings of the assignor changed."))
    offsets: Reading = gauge(
        own("tidemark_offsets", "Committed offsets that are stored."),
        kafka(f"{_GROUPS}_numoffsets", "Committed offsets."))
    offsets_removed: Counter = counter(
        own("tidemark_offsets_removed_total",
            "Removed offsets, by cause. Rebuilding the state after a restart counts none.",
            "cause", always=REMOVAL_CAUSES))
    transactional_ids: Reading = gauge(
        own("tidemark_transactional_ids", "Transactional ids by the state of their transaction.",
            "state", always=TRANSACTION_STATES))
    oldest_transaction: Reading = gauge(
        own("tidemark_oldest_transaction_start_timestamp_seconds",
            "When the oldest open transaction began. Absent if none is open."))
    transactions_ended: Counter = counter(
        own("tidemark_transactions_ended_total",
            "Transactions whose end was decided, by result. Those that timed out are among the aborts.",
            "result", always=TRANSACTION_RESULTS))
    transactions_timed_out: int = number(
        own("tidemark_transactions_timed_out_total", "Transactions that were aborted at their timeout."))
    # As in Kafka, a produce that waits for the markers of the last transaction asks and fails several times.
    verification_failures: int = number(
        own("tidemark_transaction_verification_failures_total",
            "Partitions that a transaction's coordinator refused when data or offsets were to be written to "
            "them (KIP-890)."),
        kafka(f"{_VERIFICATION}_verificationfailurerate_count",
              "Partitions that a transaction's coordinator refused (KIP-890)."))
    verification_duration: Histogram = histogram(SECONDS,
        own("tidemark_transaction_verification_duration_seconds",
            "Time until a transaction's coordinator has verified or added the partitions of a request."))
    transactional_ids_expired: int = number(
        own("tidemark_transactional_ids_expired_total",
            "Transactional ids that were removed, because they were not used for "
            "transactional.id.expiration.ms."))
    cleanup_runs: int = number(
        own("tidemark_offset_cleanup_runs_total", "Passes that looked for expired offsets."))
    cleanup_duration: Histogram = histogram(SECONDS,
        own("tidemark_offset_cleanup_duration_seconds",
            "Duration of such a pass, including the time that it left to other work."))
    clock_offset: Reading = gauge(
        own("tidemark_clock_offset_seconds",
            "Difference between the broker's time and the host's, because a test has moved it."))
    series_left_out: Reading = gauge(
        own("tidemark_series_left_out",
            f"Series that this page omits, because a metric has more than {SERIES_MAX}. Groups that are left "
            "out do not count.", "metric"))

    # Under Kafka's names only.
    groups_by_type: Reading = gauge(
        kafka(f"{COORDINATOR}_group_count", "Groups by type.", "protocol", always=GROUP_TYPES))
    consumer_groups: Reading = gauge(
        kafka(f"{COORDINATOR}_consumer_group_count", "Groups of the consumer protocol (KIP-848) by state.",
              "state", always=CONSUMER_GROUP_STATES))
    share_groups: Reading = gauge(
        kafka(f"{COORDINATOR}_share_group_count", "Share groups (KIP-932) by state.",
              "state", always=SHARE_GROUP_STATES))
    streams_groups: Reading = gauge(
        kafka(f"{COORDINATOR}_streams_group_count", "Streams groups (KIP-1071) by state.",
              "state", always=STREAMS_GROUP_STATES))
    share_sessions: Reading = gauge(
        kafka(f"{_SHARE_SESSIONS}_sharesessionscount", "Open sessions of members of share groups."))
    share_session_partitions: Reading = gauge(
        kafka(f"{_SHARE_SESSIONS}_sharepartitionscount", "Partitions in these sessions."))
    share_session_evictions: Reading = gauge(
        kafka(f"{_SHARE_SESSIONS}_sharesessionevictions_total",
              "Sessions of share groups that ended because their connection was closed."))
    share_records: Reading = gauge(
        own("tidemark_share_records",
            "Records that share groups have in flight, in the share partitions that are in use, by state.",
            "state", always=SHARE_RECORD_STATES))
    share_in_flight_records: Reading = gauge(
        kafka(f"{_SHARE_PARTITIONS}_inflightmessagecount",
              "Offsets that a share partition in use has in flight.", *_OF_SHARE_PARTITION))
    share_in_flight_batches: Reading = gauge(
        kafka(f"{_SHARE_PARTITIONS}_inflightbatchcount",
              "Batches that a share partition in use has in flight.", *_OF_SHARE_PARTITION))
    # Of dead-letter queues (KIP-1191), since Kafka 4.4. They exist once a group has a dead letter.
    dead_letters: Counter = counter(
        kafka(f"{_SHARE_GROUPS}_deadletterqueuerecordcount_count",
              "Records that a share group has written to its dead-letter queue.", "group"))
    dead_letter_requests: Counter = counter(
        kafka(f"{_SHARE_GROUPS}_deadletterqueuetotalproducerequests_total",
              "Batches of dead letters of a share group, including those that failed.", "group"))
    dead_letter_failures: Counter = counter(
        kafka(f"{_SHARE_GROUPS}_deadletterqueuefailedproducerequests_total",
              "Batches of dead letters of a share group that were given up.", "group"))
    # Kafka 4.4 added these two, and kept the older names below (KIP-1301).
    classic_groups_by_state: Reading = gauge(
        kafka(f"{COORDINATOR}_classic_group_count",
              "Classic groups by state, including simple ones. Absent with `--as 4.3` and older releases.",
              "state", always=CLASSIC_GROUP_STATES))
    offsets_of_groups: Reading = gauge(
        kafka(f"{COORDINATOR}_offset_count",
              "Committed offsets. Absent with `--as 4.3` and older releases."))
    classic_groups: Reading = gauge(
        kafka(f"{_GROUPS}_numgroups", "Classic groups, including simple ones."))
    classic_empty: Reading = gauge(kafka(f"{_GROUPS}_numgroupsempty", "Classic groups that are Empty."))
    classic_preparing_rebalance: Reading = gauge(
        kafka(f"{_GROUPS}_numgroupspreparingrebalance", "Classic groups that wait for members to join."))
    classic_completing_rebalance: Reading = gauge(
        kafka(f"{_GROUPS}_numgroupscompletingrebalance", "Classic groups that wait for their leader."))
    classic_stable: Reading = gauge(kafka(f"{_GROUPS}_numgroupsstable", "Classic groups that are Stable."))
    classic_dead: Reading = gauge(kafka(f"{_GROUPS}_numgroupsdead", "Classic groups that are Dead."))
    requests_as_kafka: Reading = gauge(
        kafka("kafka_network_requestmetrics_requests_total", "Requests handled.", "request", "version"))
    topic_messages_in: Reading = gauge(
        kafka(f"{_TOPICS}_messagesin_total",
              "Appended records. Here and below, an empty topic label means the sum of all topics.", "topic"))
    topic_bytes_in: Reading = gauge(kafka(f"{_TOPICS}_bytesin_total", "Bytes of appended records.", "topic"))
    topic_bytes_out: Reading = gauge(kafka(f"{_TOPICS}_bytesout_total", "Bytes of fetched records.", "topic"))
    topic_produce_requests: Reading = gauge(
        kafka(f"{_TOPICS}_totalproducerequests_total", "Attempts to append to a partition.", "topic"))
    topic_fetch_requests: Reading = gauge(
        kafka(f"{_TOPICS}_totalfetchrequests_total",
              "Reads of a partition. A fetch that waits reads twice.", "topic"))
    topic_failed_produce_requests: Reading = gauge(
        kafka(f"{_TOPICS}_failedproducerequests_total",
              "Failed appends, except those that Kafka expects: unknown partition, too large, corrupt.",
              "topic"))
    topic_failed_fetch_requests: Reading = gauge(
        kafka(f"{_TOPICS}_failedfetchrequests_total", "Failed reads, with the same exceptions.", "topic"))
    connections_by_processor: Reading = gauge(
        kafka("kafka_server_socket_server_metrics_connection_count", "Open connections.",
              "listener", "networkProcessor"))
    last_stable_offset_lag: Reading = gauge(
        kafka("kafka_cluster_partition_laststableoffsetlag",
              "Offsets that consumers with read_committed do not see, because of open transactions.",
              *_OF_PARTITION))
    producer_ids: Reading = gauge(
        kafka(f"{_REPLICAS}_produceridcount",
              "Producers that the logs remember, to find duplicates. A producer counts in each partition."))
    late_transactions: Reading = gauge(
        kafka(f"{_REPLICAS}_partitionswithlatetransactionscount",
              "Partitions whose first open transaction has written nothing for transaction.max.timeout.ms "
              "and five minutes: its coordinator does not end it."))
    verifications: Reading = gauge(
        kafka(f"{_VERIFICATION}_verificationtimems_count",
              "Responses of a transaction's coordinator about partitions to verify or to add (KIP-890)."))
    markers_to_unknown: Reading = gauge(
        kafka(f"{_MARKERS}_unknowndestinationqueuesize",
              "0. The leader of every partition is this node, so markers never wait for one."))
    markers_retried: Reading = gauge(
        kafka(f"{_MARKERS}_logappendretryqueuesize",
              "0. A failed append stops the broker, so none is repeated."))
    replicas: Reading = gauge(
        kafka(f"{_REPLICAS}_partitioncount",
              "Partitions of which this broker has a replica. Here and below, node_id is the broker, if "
              "there are several (`tidemark.brokers`).", "node_id"))
    partitions_led: Reading = gauge(
        kafka(f"{_REPLICAS}_leadercount", "Partitions that this broker leads.", "node_id"))
    under_replicated: Reading = gauge(
        kafka(f"{_REPLICAS}_underreplicatedpartitions",
              "Partitions that this broker leads and that have replicas out of sync.", "node_id"))
    under_min_isr: Reading = gauge(
        kafka(f"{_REPLICAS}_underminisrpartitioncount",
              "Partitions that this broker leads and whose ISR is smaller than min.insync.replicas: acks=all "
              "fails.",
              "node_id"))
    at_min_isr: Reading = gauge(
        kafka(f"{_REPLICAS}_atminisrpartitioncount",
              "Partitions that this broker leads and whose ISR is just min.insync.replicas.", "node_id"))
    broker_connections: Reading = gauge(
        own("tidemark_broker_connections",
            "Only with several brokers: open connections of clients to this one.", "node_id"))
    controllers: Reading = gauge(
        kafka(f"{_CONTROLLER}_activecontrollercount", "1 if this node is the controller, else 0.", "node_id"))
    brokers_active: Reading = gauge(
        kafka(f"{_CONTROLLER}_activebrokercount", "Brokers that run."))
    brokers_fenced: Reading = gauge(
        kafka(f"{_CONTROLLER}_fencedbrokercount", "Brokers that are registered, but stopped."))
    offline: Reading = gauge(kafka(f"{_CONTROLLER}_offlinepartitionscount", "Partitions without a leader."))
    not_preferred: Reading = gauge(
        kafka(f"{_CONTROLLER}_preferredreplicaimbalancecount",
              "Partitions whose leader is not their first replica."))

    # Under kafka_exporter's names only.
    brokers: Reading = gauge(exporter("kafka_brokers", "Brokers of the cluster."))
    broker_info: Reading = gauge(
        exporter("kafka_broker_info", "1, labelled with the broker's address.", "id", "address"))
    topic_partitions: Reading = gauge(exporter("kafka_topic_partitions", "Partitions of the topic.", "topic"))
    partition_end: Reading = gauge(
        exporter("kafka_topic_partition_current_offset", "The offset of the next record.", *_OF_PARTITION))
    partition_start: Reading = gauge(
        exporter("kafka_topic_partition_oldest_offset", "The first offset that is still stored.",
                 *_OF_PARTITION))
    partition_leader: Reading = gauge(
        exporter("kafka_topic_partition_leader", "The broker that leads the partition.", *_OF_PARTITION))
    partition_replicas: Reading = gauge(
        exporter("kafka_topic_partition_replicas", "Replicas of the partition.", *_OF_PARTITION))
    partition_in_sync: Reading = gauge(
        exporter("kafka_topic_partition_in_sync_replica", "Replicas that are in sync.", *_OF_PARTITION))
    partition_preferred: Reading = gauge(
        exporter("kafka_topic_partition_leader_is_preferred", "1 if the first replica is the leader.",
                 *_OF_PARTITION))
    partition_under_replicated: Reading = gauge(
        exporter("kafka_topic_partition_under_replicated_partition", "1 if replicas are out of sync.",
                 *_OF_PARTITION))
    group_offset: Reading = gauge(
        exporter("kafka_consumergroup_current_offset",
                 "The committed offset, or -1 if the group has committed other partitions of the topic only.",
                 *_OF_GROUP))
    group_lag: Reading = gauge(
        exporter("kafka_consumergroup_lag",
                 "Records from the committed offset to the end of the log, or -1 as above.", *_OF_GROUP))
    group_offset_sum: Reading = gauge(
        exporter("kafka_consumergroup_current_offset_sum",
                 "The sum of the offsets above over a topic's partitions.", "consumergroup", "topic"))
    group_lag_sum: Reading = gauge(
        exporter("kafka_consumergroup_lag_sum",
                 "The sum of the known lags over a topic's partitions.", "consumergroup", "topic"))


# fmt: on


CATALOGUE: Final = family(Definitions, "own")
KAFKA: Final = family(Definitions, "kafka")
EXPORTER: Final = family(Definitions, "exporter")
METERS: Final = meters(Definitions)
# API -> the meter that its decisions move. Others are moved by a cleanup pass or an effect.
METER_OF_API: Final = {
    moved.api: MeterRule(name, moved.each_record) for name, moved in METERS.items() if moved
}

__all__ = [
    "BAD_INPUT_KINDS",
    "CATALOGUE",
    "EXPIRY_REASONS",
    "EXPORTER",
    "GROUP_STATES",
    "KAFKA",
    "METER_OF_API",
    "METERS",
    "REMOVAL_CAUSES",
    "SERIES_MAX",
    "BadInput",
    "Definitions",
    "MeterRule",
]
