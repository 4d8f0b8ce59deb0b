"""The settings of a broker, each defined on one line: kind, default, unit, bounds.

The attribute is Kafka's name with underscores for dots. Defaults are those of Kafka 4.3.1 unless a comment
says otherwise. docs/operations.md, DescribeConfigs and the defaults of topics and groups derive from this
file.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Final

from tidemark.settings.release import RELEASES, Change, Release
from tidemark.settings.setting import (
    INT,
    LONG,
    ConfigError,
    Kind,
    Setting,
    any_strings,
    boolean,
    distinct_tags,
    double,
    integer,
    invalid,
    level,
    long,
    one_of,
    one_of_any_case,
    optional_integer,
    optional_long,
    optional_string,
    password,
    plugin_text,
    settings_of,
    short,
    string,
    strings,
    strings_out_of,
    token,
)

INT_MAX: Final = INT[1]
LONG_MAX: Final = LONG[1]
MINUTE_MS: Final = 60_000
HOUR_MS: Final = 60 * MINUTE_MS
GROUP_VERSION: Final = "group.version"  # the feature
STREAMS_VERSION: Final = "streams.version"  # the feature (KIP-1071)
ASSIGNORS: Final = ("uniform", "range")
# Kafka also accepts the names of classes.
ASSIGNOR_CLASSES: Final = {
    "org.apache.kafka.coordinator.group.assignor.UniformAssignor": "uniform",
    "org.apache.kafka.coordinator.group.assignor.RangeAssignor": "range",
}
TASK_ASSIGNORS: Final = ("sticky",)
TASK_ASSIGNOR_CLASSES: Final = {
    "org.apache.kafka.coordinator.group.streams.assignor.StickyTaskAssignor": "sticky"
}
RACK_AWARE_SELECTOR: Final = "org.apache.kafka.common.replica.RackAwareReplicaSelector"
STANDARD_AUTHORIZER: Final = "org.apache.kafka.metadata.authorizer.StandardAuthorizer"
BROKERS_MAX: Final = 16
NO_EFFECT: Final = "Checked, but has no effect yet."


def principals_of(text: str) -> list[str]:
    """Return the principals of super.users, which semicolons separate."""
    return [each.strip() for each in text.split(";") if each.strip()]


def _principals(name: str, value: str) -> str | None:
    for principal in principals_of(value):
        if ":" not in principal:
            why = f"expected a string in format principalType:principalName but got {principal}"
            return invalid(name, value, why)
    return None


class BrokerSettings:
    """The definitions. An instance has the values of one broker, which all parts read.

    release   the release of Kafka that `--as` names
    given     the texts that were set, by dotted name
    """

    # The node.
    node_id = integer(1, "id", low=0)
    broker_id = integer(-1, "id", about="The former name of node.id.")
    process_roles = strings_out_of("", "broker", "controller")
    controller_listener_names = strings(
        about="These listeners are ignored, because there is no controller to reach."
    )
    log_dirs = strings(
        "./tidemark-data", unit="directory", about="One directory, which the first start formats."
    )
    log_dir = strings(unit="directory", about="Used if log.dirs is not set.")
    broker_rack = optional_string("rack")
    replica_selector_class = one_of(
        "", "", RACK_AWARE_SELECTOR,
        about="If set, consumers with client.rack read from a replica of their rack (KIP-392).",
    )  # fmt: skip

    # Listeners and connections.
    listeners = strings("PLAINTEXT://:9092", unit="NAME://host:port")
    advertised_listeners = strings(
        unit="NAME://host:port",
        about="If not set, a client receives the local address of its own connection.",
    )
    listener_security_protocol_map = string(
        "SASL_SSL:SASL_SSL,PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT", "NAME:PROTOCOL"
    )
    inter_broker_listener_name = optional_string("listener name", about=NO_EFFECT)
    sasl_enabled_mechanisms = strings(
        "GSSAPI",
        unit="mechanism",
        about="PLAIN, SCRAM-SHA-256, SCRAM-SHA-512 and OAUTHBEARER are served.",
    )
    sasl_server_callback_handler_class = optional_string(
        "class", about="Of OAUTHBEARER, with the prefix of its listener: which tokens are accepted."
    )
    sasl_oauthbearer_jwks_endpoint_url = optional_string(
        "URL", about="The keys that check the signatures of tokens: file, http or https."
    )
    sasl_oauthbearer_jwks_endpoint_refresh_ms = long(
        3_600_000, "ms", about="Time between two requests for the keys."
    )
    sasl_oauthbearer_jwks_endpoint_retry_backoff_ms = long(
        100, "ms", about="Time after a first request for the keys that failed. It doubles."
    )
    sasl_oauthbearer_jwks_endpoint_retry_backoff_max_ms = long(
        10_000, "ms", about="The longest time after a request for the keys that failed."
    )
    sasl_oauthbearer_clock_skew_seconds = integer(
        30, "s", about="Difference to the clock of the issuer of tokens that is tolerated."
    )
    sasl_oauthbearer_expected_audience = any_strings(about="Signed tokens must be for one of these.")
    sasl_oauthbearer_allow_unverified_audience = boolean(
        False, about="true: without an expected audience, signed tokens may be for any."
    )
    sasl_oauthbearer_expected_issuer = optional_string("issuer", about="Signed tokens must be from it.")
    sasl_oauthbearer_allow_unverified_issuer = boolean(
        False, about="true: without an expected issuer, signed tokens may be from any."
    )
    sasl_oauthbearer_scope_claim_name = string("scope", "claim", about="The claim of a token's scopes.")
    sasl_oauthbearer_sub_claim_name = string("sub", "claim", about="The claim of a token's user.")
    sasl_server_max_receive_size = integer(
        524_288, "bytes", about="The largest request before a client has authenticated."
    )
    connections_max_reauth_ms = long(
        0, "ms", about="The longest session of a client that has authenticated (KIP-368). 0: no limit."
    )
    delegation_token_secret_key = password(
        about="The key of delegation tokens, the same on all brokers. Without it, they are disabled."
    )
    delegation_token_max_lifetime_ms = long(
        7 * 24 * HOUR_MS, "ms", low=1, about="A delegation token cannot be renewed for longer."
    )
    delegation_token_expiry_time_ms = long(
        24 * HOUR_MS, "ms", low=1, about="Time until a delegation token must be renewed."
    )
    delegation_token_expiry_check_interval_ms = long(
        HOUR_MS, "ms", low=1, about="Time between two passes that remove expired delegation tokens."
    )
    connection_failed_authentication_delay_ms = integer(
        100, "ms", low=0, about="Time before the response to a failed authentication."
    )
    ssl_keystore_type = string("JKS", "PEM | PKCS12 | JKS", about="JKS files must be converted to PKCS12.")
    ssl_keystore_location = optional_string("path", about="The broker's private key and certificate chain.")
    ssl_keystore_password = password(about="Of a PKCS12 file.")
    ssl_keystore_key = password(about="The private key as PEM text, instead of a file.")
    ssl_keystore_certificate_chain = password(about="The certificate chain as PEM text, instead of a file.")
    ssl_key_password = password(about="Of an encrypted private key.")
    ssl_truststore_type = string("JKS", "PEM | PKCS12 | JKS")
    ssl_truststore_location = optional_string("path", about="The certificates that clients are checked by.")
    ssl_truststore_password = password(about="Of a PKCS12 file.")
    ssl_truststore_certificates = password(about="These certificates as PEM text, instead of a file.")
    ssl_client_auth = one_of(
        "none",
        "required",
        "requested",
        "none",
        about="Whether clients need a certificate. A SASL_SSL listener needs its own prefix.",
    )
    ssl_enabled_protocols = any_strings(
        default=("TLSv1.2", "TLSv1.3"), about="Older protocols are ignored, as Java 17 does."
    )
    ssl_cipher_suites = any_strings(about="Empty: the defaults of OpenSSL.")
    ssl_principal_mapping_rules = string("DEFAULT", "rules", about="From certificate to principal.")
    socket_request_max_bytes = integer(
        104_857_600, "bytes", low=1, about="A larger request closes its connection."
    )
    socket_listen_backlog_size = integer(50, "connections", low=1, about=NO_EFFECT)
    socket_send_buffer_bytes = integer(102_400, "bytes", about=NO_EFFECT)
    socket_receive_buffer_bytes = integer(102_400, "bytes", about=NO_EFFECT)
    max_connections = integer(INT_MAX, "connections", low=0)
    max_connections_per_ip = integer(INT_MAX, "connections", low=0)
    max_connections_per_ip_overrides = string("", "host:count,...")
    connections_max_idle_ms = long(600_000, "ms", about="Negative: idle connections are never closed.")
    queued_max_requests = integer(500, "requests", low=1, about=NO_EFFECT)
    request_timeout_ms = integer(30_000, "ms", about=NO_EFFECT)

    # Quotas of clients.
    quota_window_num = integer(11, "windows", low=1, about="The windows over which rates are measured.")
    quota_window_size_seconds = integer(1, "s", low=1)

    # Authorization.
    authorizer_class_name = one_of(
        "", "", STANDARD_AUTHORIZER, about="If set, ACLs decide what a principal may do. Empty: everything."
    )
    super_users = plugin_text(
        "principals", _principals, about="Principals that may do everything: `User:alice;User:bob`."
    )
    allow_everyone_if_no_acl_found = plugin_text(
        "true or false", about="true: everyone may do everything with a resource that has no ACL."
    )

    # Topics.
    auto_create_topics_enable = boolean(True)
    delete_topic_enable = boolean(True)
    num_partitions = integer(1, "partitions", low=1)
    default_replication_factor = integer(1, "replicas")
    min_insync_replicas = integer(1, "replicas", low=1)
    max_request_partition_size_limit = integer(2000, "partitions", low=1)
    unclean_leader_election_enable = boolean(False)

    # Records.
    message_max_bytes = integer(1_048_588, "bytes", low=0)
    # The largest array of Java, and the largest record.
    max_decompressed_message_bytes = integer(2**31 - 9, "bytes", low=1, high=2**31 - 9)
    fetch_max_bytes = integer(57_671_680, "bytes", low=1024)
    max_incremental_fetch_session_cache_slots = integer(
        1000,
        "sessions",
        low=0,
        about="Rounded down to a multiple of 8, as in Kafka; below 8, there are no fetch sessions.",
    )
    compression_type = one_of("producer", "uncompressed", "zstd", "lz4", "snappy", "gzip", "producer")
    compression_gzip_level = level(-1, 1, 9, also=-1)
    compression_lz4_level = integer(9, "compression level", low=1, high=17)
    compression_zstd_level = integer(3, "compression level", low=-131_072, high=22)
    log_message_timestamp_type = one_of("CreateTime", "CreateTime", "LogAppendTime")
    log_message_timestamp_before_max_ms = long(LONG_MAX, "ms", low=0)
    log_message_timestamp_after_max_ms = long(HOUR_MS, "ms", low=0)

    # Logs.
    log_segment_bytes = integer(1_073_741_824, "bytes", low=1_048_576)
    log_roll_hours = integer(168, "hours", low=1)
    log_roll_ms = optional_long("ms")
    log_roll_jitter_hours = integer(0, "hours", low=0)
    log_roll_jitter_ms = optional_long("ms")
    log_retention_hours = integer(168, "hours")
    log_retention_minutes = optional_integer("minutes")
    log_retention_ms = optional_long("ms")
    log_retention_bytes = long(-1, "bytes", about="-1: no limit.")
    log_retention_check_interval_ms = long(300_000, "ms", low=1)
    log_segment_delete_delay_ms = long(60_000, "ms", low=0)
    log_index_interval_bytes = integer(4096, "bytes", low=0)
    log_index_size_max_bytes = integer(10_485_760, "bytes", low=4)
    log_preallocate = boolean(False)
    log_flush_interval_messages = long(LONG_MAX, "records", low=1)
    log_flush_interval_ms = optional_long("ms")
    log_flush_scheduler_interval_ms = long(LONG_MAX, "ms")
    log_flush_offset_checkpoint_interval_ms = integer(
        60_000, "ms", low=0, about="Interval between writes of the recovery points."
    )
    log_cleanup_policy = strings_out_of("delete", "compact", "delete")
    log_cleaner_enable = boolean(True, about=NO_EFFECT)
    log_cleaner_backoff_ms = long(15_000, "ms", low=0)
    log_cleaner_min_cleanable_ratio = double(0.5, "ratio", low=0, high=1)
    log_cleaner_delete_retention_ms = long(86_400_000, "ms", low=0)
    log_cleaner_min_compaction_lag_ms = long(0, "ms", low=0)
    log_cleaner_max_compaction_lag_ms = long(LONG_MAX, "ms", low=1)
    num_recovery_threads_per_data_dir = integer(2, "threads", low=1, about=NO_EFFECT)
    producer_id_expiration_ms = integer(86_400_000, "ms", low=1)
    metadata_log_max_record_bytes_between_snapshots = long(20_971_520, "bytes", low=1)

    # Committed offsets.
    offsets_retention_minutes = integer(10_080, "minutes", low=1)
    offsets_retention_check_interval_ms = long(600_000, "ms", low=1)
    offset_metadata_max_bytes = integer(4096, "bytes")
    # Kafka's default is 50. One log needs one sync. After the first start, the stored number counts.
    offsets_topic_num_partitions = integer(1, "partitions", low=1)
    # Kafka's default is 3, which a single node cannot serve.
    offsets_topic_replication_factor = short(1, "replicas", low=1, about=NO_EFFECT)
    # Kafka accepts less and then cannot create the topic. The bound is that of segment.bytes.
    offsets_topic_segment_bytes = integer(104_857_600, "bytes", low=1_048_576)
    offsets_topic_compression_codec = integer(0, "codec id", low=0, high=4, about=NO_EFFECT)
    offsets_load_buffer_size = integer(5_242_880, "bytes", low=1, about=NO_EFFECT)
    offsets_commit_timeout_ms = integer(5000, "ms", low=1, about=NO_EFFECT)

    # Transactions.
    transactional_id_expiration_ms = integer(604_800_000, "ms", low=1)
    transaction_max_timeout_ms = integer(
        900_000, "ms", low=1, about="A producer that requests a longer transaction timeout is refused."
    )
    transaction_abort_timed_out_transaction_cleanup_interval_ms = integer(
        10_000, "ms", low=1, about="Interval between searches for transactions that have timed out."
    )
    transaction_remove_expired_transaction_cleanup_interval_ms = integer(
        3_600_000, "ms", low=1, about="Interval between searches for transactional ids that have expired."
    )
    transaction_partition_verification_enable = boolean(True)
    transaction_two_phase_commit_enable = boolean(False, about=NO_EFFECT)
    # Kafka's default is 50. One log needs one sync. After the first start, the stored number counts.
    transaction_state_log_num_partitions = integer(1, "partitions", low=1)
    # Kafka's defaults are 3 replicas and 2 in sync, which a single node cannot serve.
    transaction_state_log_replication_factor = short(1, "replicas", low=1, about=NO_EFFECT)
    transaction_state_log_min_isr = integer(1, "replicas", low=1)
    # Kafka accepts less and then cannot create the topic. The bound is that of segment.bytes.
    transaction_state_log_segment_bytes = integer(104_857_600, "bytes", low=1_048_576)
    transaction_state_log_load_buffer_size = integer(5_242_880, "bytes", low=1, about=NO_EFFECT)

    # Dead-letter queues of share groups (KIP-1191).
    errors_deadletterqueue_auto_create_topics_enable = boolean(
        False, "Create the dead-letter queue of a share group with its first record."
    )
    errors_deadletterqueue_topic_name_prefix = string(
        "dlq.", "prefix", about="The names of dead-letter queues must begin with it."
    )
    # The share coordinator.
    # Kafka's defaults are 50 partitions, 3 replicas and 2 in sync, as for transactions.
    share_coordinator_state_topic_num_partitions = integer(1, "partitions", low=1)
    share_coordinator_state_topic_replication_factor = short(1, "replicas", low=1)
    share_coordinator_state_topic_min_isr = short(1, "replicas", low=1)
    # Kafka accepts less and then cannot create the topic. The bound is that of segment.bytes.
    share_coordinator_state_topic_segment_bytes = integer(104_857_600, "bytes", low=1_048_576)
    share_coordinator_snapshot_update_records_per_snapshot = integer(
        500, "records", low=0, high=500, about="Updates of the state of a share partition between snapshots."
    )
    share_coordinator_state_topic_prune_interval_ms = integer(
        300_000, "ms", low=1, about="Interval between deletions of redundant records of share partitions."
    )
    share_coordinator_cold_partition_snapshot_interval_ms = integer(
        300_000, "ms", low=1, about="Interval between snapshots of share partitions without writes."
    )

    # Groups.
    group_min_session_timeout_ms = integer(6000, "ms")
    group_max_session_timeout_ms = integer(1_800_000, "ms")
    # Kafka's default is 3000; the server.properties that it ships sets 0.
    group_initial_rebalance_delay_ms = integer(0, "ms")
    group_max_size = integer(INT_MAX, "members", low=1)
    group_coordinator_append_linger_ms = integer(-1, "ms", low=-1, about=NO_EFFECT)
    group_coordinator_rebalance_protocols = strings_out_of(
        "classic,consumer,streams", "consumer", "classic", "share", "streams",
        about="Without consumer, the new consumer protocol (KIP-848) is not served.",
    )  # fmt: skip
    group_consumer_session_timeout_ms = integer(45_000, "ms", low=1)
    group_consumer_min_session_timeout_ms = integer(45_000, "ms", low=1)
    group_consumer_max_session_timeout_ms = integer(60_000, "ms", low=1)
    group_consumer_heartbeat_interval_ms = integer(5000, "ms", low=1)
    group_consumer_min_heartbeat_interval_ms = integer(5000, "ms", low=1)
    group_consumer_max_heartbeat_interval_ms = integer(15_000, "ms", low=1)
    group_consumer_assignment_interval_ms = integer(
        1000, "ms", low=0, about="Minimum time between two assignments of a group."
    )
    group_consumer_min_assignment_interval_ms = integer(0, "ms", low=0)
    group_consumer_max_assignment_interval_ms = integer(15_000, "ms", low=0)
    group_consumer_max_size = integer(INT_MAX, "members", low=1)
    group_consumer_assignors = strings(
        *ASSIGNORS, unit="assignor", about="The first one is used unless members request another one."
    )
    group_consumer_migration_policy = one_of_any_case(
        "bidirectional", "DISABLED", "DOWNGRADE", "UPGRADE", "BIDIRECTIONAL",
        about="Between which protocols a group with members may change.",
    )  # fmt: skip
    group_streams_session_timeout_ms = integer(45_000, "ms", low=1)
    group_streams_min_session_timeout_ms = integer(45_000, "ms", low=1)
    group_streams_max_session_timeout_ms = integer(60_000, "ms", low=1)
    group_streams_heartbeat_interval_ms = integer(5000, "ms", low=1)
    group_streams_min_heartbeat_interval_ms = integer(5000, "ms", low=1)
    group_streams_max_heartbeat_interval_ms = integer(15_000, "ms", low=1)
    group_streams_assignment_interval_ms = integer(
        1000, "ms", low=0, about="Minimum time between two assignments of a streams group."
    )
    group_streams_min_assignment_interval_ms = integer(0, "ms", low=0)
    group_streams_max_assignment_interval_ms = integer(15_000, "ms", low=0)
    group_streams_initial_rebalance_delay_ms = integer(
        3000, "ms", low=0, about="How long the first assignment of a streams group waits for more members."
    )
    group_streams_max_size = integer(INT_MAX, "members", low=1)
    group_streams_num_standby_replicas = integer(0, "replicas", low=0)
    group_streams_max_standby_replicas = integer(2, "replicas", low=0)
    group_streams_assignors = strings(
        *TASK_ASSIGNORS, unit="assignor", about="Only `sticky` exists, also under the name of its class."
    )
    group_streams_rack_aware_assignment_tags = any_strings(
        distinct_tags, about="Members without these client tags get a status. `sticky` ignores tags."
    )
    group_share_session_timeout_ms = integer(45_000, "ms", low=1)
    group_share_min_session_timeout_ms = integer(45_000, "ms", low=1)
    group_share_max_session_timeout_ms = integer(60_000, "ms", low=1)
    group_share_heartbeat_interval_ms = integer(5000, "ms", low=1)
    group_share_min_heartbeat_interval_ms = integer(5000, "ms", low=1)
    group_share_max_heartbeat_interval_ms = integer(15_000, "ms", low=1)
    group_share_assignment_interval_ms = integer(
        1000, "ms", low=0, about="Minimum time between two assignments of a share group."
    )
    group_share_min_assignment_interval_ms = integer(0, "ms", low=0)
    group_share_max_assignment_interval_ms = integer(15_000, "ms", low=0)
    group_share_max_share_sessions = integer(2000, "sessions", low=1)
    group_share_max_size = integer(200, "members", low=1, high=1000)
    group_share_record_lock_duration_ms = integer(
        30_000,
        "ms",
        low=1000,
        high=3_600_000,
        about="How long a member may keep a record before another may get it.",
    )
    group_share_min_record_lock_duration_ms = integer(15_000, "ms", low=1000, high=30_000)
    group_share_max_record_lock_duration_ms = integer(60_000, "ms", low=30_000, high=3_600_000)
    group_share_delivery_count_limit = integer(
        5, "deliveries", low=2, high=10, about="After so many deliveries, a record is not delivered again."
    )
    group_share_min_delivery_count_limit = integer(2, "deliveries", low=2, high=5)
    group_share_max_delivery_count_limit = integer(10, "deliveries", low=5, high=25)
    group_share_partition_max_record_locks = integer(
        2000,
        "records",
        low=100,
        high=10_000,
        about="Records of a partition that a share group may have in flight.",
    )
    group_share_min_partition_max_record_locks = integer(100, "records", low=100, high=2000)
    group_share_max_partition_max_record_locks = integer(4000, "records", low=2000, high=10_000)

    # Metrics.
    metrics_num_samples = integer(
        2, "windows", low=1, about="Windows per rate, for the metrics with Kafka's names."
    )
    metrics_sample_window_ms = long(30_000, "ms", low=1, about="Length of each of these windows.")

    # Settings of tidemark's own.
    tidemark_as = string(
        "", "release", about="Behave like this release of Kafka: 3.9, 4.0, 4.1, 4.2, 4.3 or 4.4."
    )
    tidemark_brokers = integer(
        1, "nodes", low=1, high=BROKERS_MAX,
        about="Nodes of the cluster, from node.id on, each with ports of its own. `--brokers` also sets it.",
    )  # fmt: skip
    broker_session_timeout_ms = integer(
        9_000, "ms", about="A node that was killed is fenced after this time: others lead its partitions."
    )
    replica_lag_time_max_ms = long(
        30_000, "ms", about="A follower that was cut off from the leaders leaves each ISR after this time."
    )
    auto_leader_rebalance_enable = boolean(
        default=True, about="true: the first replica leads again, if it can, at each check of the leaders."
    )
    leader_imbalance_check_interval_seconds = long(300, "s", low=1, about="From one check to the next.")
    tidemark_racks = any_strings(
        about="The rack of each node, in the order of their ids, in place of broker.rack."
    )
    tidemark_advertised_hosts = any_strings(
        about="The host that each node advertises, in the order of their ids. The ports are as without it."
    )
    tidemark_cluster_id = optional_string(
        "id", about="Used to format a new directory; generated if not set. CLUSTER_ID also sets it."
    )
    tidemark_scram_users = password(
        about="SCRAM users of a new cluster: SCRAM-SHA-256=[name=NAME,password=PASSWORD],..."
    )
    tidemark_tls_handshake_timeout_ms = integer(
        30_000,
        "ms",
        low=1,
        about="A client that has not completed its TLS handshake by then is disconnected.",
    )
    # Each needs about 40 KiB, and a client that waits for its turn needs milliseconds.
    tidemark_tls_handshakes_max = integer(
        1000,
        "connections",
        low=2,
        about="Incomplete TLS handshakes: a new one replaces the oldest. One address may have half.",
    )
    tidemark_sync = one_of(
        "always", "always", "interval", "never",
        about="When internal logs are synced: before each response, at an interval, or only by the system.",
    )  # fmt: skip
    # The same interval as Redis' `appendfsync everysec`.
    tidemark_sync_interval_ms = integer(1000, "ms", low=1, about="For tidemark.sync=interval.")
    tidemark_http_listener = string(
        "127.0.0.1:9464", "host:port", about="Serves /metrics, /livez, /readyz and /v1. Empty: no HTTP."
    )
    tidemark_http_token = token(
        about="The token that HTTP clients must send. Not set: clients of this machine need none, and if "
        "other machines can reach tidemark.http.listener, a start generates one and logs it.",
    )
    tidemark_http_tls = boolean(
        False, about="Serve HTTP over TLS, with `ssl.*` or `listener.name.http.ssl.*`."
    )
    tidemark_http_public = boolean(False, about="Let other machines use HTTP without a token.")
    tidemark_http_metrics_public = boolean(False, about="Serve /metrics without a token.")
    tidemark_http_hosts = strings(
        unit="host names",
        about="Host names accepted for /metrics and /v1, besides IP addresses, localhost, advertised hosts.",
    )
    tidemark_http_connections_max = integer(
        64,
        "connections",
        low=1,
        about="One connection more replaces the one that has waited longest for its client.",
    )
    # Kafka reads the next request of a connection after its response to the previous one; its queue of 500 is
    # shared. We decide requests while earlier responses wait for the disk, so the bound is per connection.
    tidemark_connection_requests_max = integer(
        500,
        "requests",
        low=1,
        about="Maximum requests in flight per connection. A connection with this many is not read.",
    )
    tidemark_connection_unsent_max_bytes = integer(
        1_048_576,
        "bytes",
        low=1,
        about="Maximum bytes of unsent responses per connection. Above it, the connection is not read.",
    )
    # Kafka has queued.max.request.bytes, which is unlimited by default. A request of 100 MB may need 500 MB
    # once it is decoded. It is served alone.
    tidemark_incoming_max_bytes = integer(
        167_772_160,
        "bytes",
        low=1,
        about="Memory for the requests of all connections until their responses have left. Requests above 16 "
        "KiB must wait if it is used up; those below 32 KiB get a fifth more.",
    )
    tidemark_unsent_max_bytes = integer(
        134_217_728,
        "bytes",
        low=1,
        about="Memory for unread responses of all connections. Above it, a Fetch returns one "
        "batch, and clients "
        "that read nothing are disconnected.",
    )
    # A consumer of 20,000 partitions sends 20,000 elements. One needs about 300 bytes and 3 microseconds.
    tidemark_request_elements_max = integer(
        100_000,
        "elements",
        low=1,
        about="Maximum array elements per request. A connection that sends more is closed.",
    )
    # librdkafka accepts no more by default (receive.message.max.bytes).
    tidemark_response_max_bytes = integer(
        100_000_000,
        "bytes",
        low=1,
        about="Maximum bytes per response without records. A connection that requests more is closed.",
    )
    tidemark_recovery_cut_corrupt = boolean(
        False, about="If a log is corrupt before its recovery point, truncate it there and start."
    )
    tidemark_test_api = boolean(
        False, about="Allow tests to move time and to take and restore snapshots over HTTP."
    )
    tidemark_faults_file = optional_string(
        "path", about="A YAML file of faults to set at the start. Needs the test API."
    )
    # A test asserts on its last few hundred requests.
    tidemark_requests_max = integer(
        1000, "requests", low=0, about="With the test API: number of requests that /v1/requests remembers."
    )
    tidemark_requests_max_bytes = integer(
        16_777_216, "bytes", low=0, about="Maximum memory for these requests and their responses."
    )
    tidemark_requests_slow_ms = integer(
        -1, "ms", low=-1, about="Log a request whose response needs longer than this. -1: log none."
    )
    # This many need about 3 MB. kafka_exporter and similar tools remember none.
    tidemark_removals_max = integer(
        10_000, "offsets", low=0, about="Number of removed offsets that /v1/expiry/log remembers."
    )
    # No metric has more series (metrics/catalogue.py). Test suites create thousands of groups.
    tidemark_metrics_groups_max = integer(
        2000,
        "groups",
        low=0,
        high=2000,
        about="Number of groups that have series of their own in /metrics. The others are summed up.",
    )
    tidemark_event_loop = one_of(
        "auto", "auto", "uvloop", "asyncio", about="auto: uvloop if it is installed."
    )
    tidemark_ready_lines = boolean(
        False, about="At the start, print the lines by which tools know that Kafka's images are ready."
    )
    tidemark_log_format = one_of("console", "console", "json")
    tidemark_log_level = one_of("warning", "debug", "info", "warning", "error")

    def __init__(self, **values: Any) -> None:
        """values: by attribute, in place of the defaults. `tidemark.config.Config` reads texts instead."""
        self.release: Release = RELEASES[""]
        self.given: Mapping[str, str] = {}
        vars(self).update(_DEFAULTS)
        assert all(hasattr(self, name) for name in values), f"one of {[*values]} is not a setting"
        vars(self).update(values)

    def default_texts(self) -> dict[str, str | None]:
        """Return every setting with its default under `--as`, as DescribeConfigs reports it."""
        return {
            name: self.release.defaults.get(name, setting.text(setting.default))
            for name, setting in settings_of_release(self.release).items()
            if setting.kind is not Kind.UNKNOWN
        }

    @cached_property
    def offsets_retention_ms(self) -> int:
        return self.offsets_retention_minutes * MINUTE_MS

    def serves_consumer_protocol(self, features: Mapping[str, int]) -> bool:
        """Return whether the requests of KIP-848 are served. Kafka: isConsumerGroupProtocolEnabled."""
        return "consumer" in self.group_coordinator_rebalance_protocols and features.get(GROUP_VERSION, 0) > 0

    def serves_streams_protocol(self, features: Mapping[str, int]) -> bool:
        """Return whether the requests of KIP-1071 are served. Kafka: isStreamsGroupProtocolEnabled."""
        protocols = self.group_coordinator_rebalance_protocols
        return "streams" in protocols and features.get(STREAMS_VERSION, 0) > 0

    @cached_property
    def assignors(self) -> tuple[str, ...]:
        """The assignors of KIP-848 groups by name. The first one is used if the members choose none."""
        return tuple(ASSIGNOR_CLASSES.get(name, name) for name in self.group_consumer_assignors)

    @cached_property
    def _per_ip(self) -> dict[str, int]:
        counts: dict[str, int] = {}
        entries = self.max_connections_per_ip_overrides.split(",")
        for entry in filter(None, (part.strip() for part in entries)):
            host, colon, count = entry.rpartition(":")
            if not colon or not count.strip().isdecimal():
                raise ConfigError(
                    "Error parsing configuration property 'max.connections.per.ip.overrides': "
                    f"{entry} is not host:count"
                )
            counts[host.strip().strip("[]")] = int(count)
        return counts

    def connections_per_ip_max(self, ip: str) -> int:
        """Return max.connections.per.ip, or the override for this address."""
        return self._per_ip.get(ip, self.max_connections_per_ip)


BROKER_SETTINGS: Final[dict[str, Setting[Any]]] = settings_of(BrokerSettings)
SETTINGS: Final = tuple(BROKER_SETTINGS.values())
# The settings that Kafka 4.4 added.
NEW_BROKER_SETTINGS: Final = (
    BrokerSettings.errors_deadletterqueue_auto_create_topics_enable.name,
    BrokerSettings.errors_deadletterqueue_topic_name_prefix.name,
    BrokerSettings.group_streams_assignors.name,
    BrokerSettings.group_streams_rack_aware_assignment_tags.name,
    BrokerSettings.max_decompressed_message_bytes.name,
    BrokerSettings.sasl_oauthbearer_allow_unverified_audience.name,
    BrokerSettings.sasl_oauthbearer_allow_unverified_issuer.name,
)
_DEFAULTS: Final = {setting.attribute: setting.default for setting in SETTINGS}


def settings_of_release(release: Release) -> dict[str, Setting[Any]]:
    """Return the settings that a broker has under `--as`, by name."""
    if release.has(Change.SETTINGS_OF_BROKERS):
        return BROKER_SETTINGS
    return {name: setting for name, setting in BROKER_SETTINGS.items() if name not in NEW_BROKER_SETTINGS}
