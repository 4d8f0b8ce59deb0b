"""The settings of each part of the broker, as small frozen objects. The parts do not read Config."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tidemark import descriptors
from tidemark.cleanup.task import Intervals
from tidemark.config import SETTINGS, Config
from tidemark.log.directory import DataDirectory
from tidemark.log.settings import ManagerSettings
from tidemark.metadata.group_settings import ConsumerGroupLimits, GroupLimits
from tidemark.metadata.model import ClusterLimits, Identity
from tidemark.server.connection import ServerLimits
from tidemark.server.session import RequestLimits
from tidemark.settings.broker import ASSIGNOR_CLASSES
from tidemark.settings.setting import Kind

if TYPE_CHECKING:
    from tidemark.transactions.model import TransactionLimits

CONSUMER: Final = "consumer"
MINUTE_MS: Final = 60_000
FLUSH_CHECK_MS_MAX: Final = 1000  # how often flush.ms of each topic is checked
# Kafka divides its slots among this many caches, and drops the remainder.
FETCH_SESSION_SHARDS: Final = 8


def identity(directory: DataDirectory, config: Config) -> Identity:
    return Identity(directory.cluster_id, directory.node_id, directory.directory_id, config.broker_rack)


def default_settings(config: Config) -> dict[str, str | None]:
    """Return every setting with its default under `--as`, as DescribeConfigs reports it."""
    return {
        setting.name: config.profile.defaults.get(setting.name, setting.text(setting.default))
        for setting in SETTINGS
        if setting.kind is not Kind.UNKNOWN
    }


def cluster_limits(config: Config) -> ClusterLimits:
    return ClusterLimits(
        num_partitions=config.num_partitions,
        default_replication_factor=config.default_replication_factor,
        auto_create_topics_enable=config.auto_create_topics_enable,
        delete_topic_enable=config.delete_topic_enable,
        max_request_partition_size_limit=config.max_request_partition_size_limit,
        offsets_topic_num_partitions=config.offsets_topic_num_partitions,
        offsets_topic_replication_factor=config.offsets_topic_replication_factor,
        offsets_topic_segment_bytes=config.offsets_topic_segment_bytes,
        transaction_state_log_num_partitions=config.transaction_state_log_num_partitions,
        transaction_state_log_replication_factor=config.transaction_state_log_replication_factor,
        transaction_state_log_min_isr=config.transaction_state_log_min_isr,
        transaction_state_log_segment_bytes=config.transaction_state_log_segment_bytes,
        transaction_version_max=config.profile.transaction_version_max,
        delegation_token_secret_key=config.delegation_token_secret_key,
        delegation_token_max_lifetime_ms=config.delegation_token_max_lifetime_ms,
        delegation_token_expiry_time_ms=config.delegation_token_expiry_time_ms,
    )


def group_limits(config: Config) -> GroupLimits:
    return GroupLimits(
        min_session_timeout_ms=config.group_min_session_timeout_ms,
        max_session_timeout_ms=config.group_max_session_timeout_ms,
        max_size=config.group_max_size,
        initial_rebalance_delay_ms=config.group_initial_rebalance_delay_ms,
        offset_metadata_max_bytes=config.offset_metadata_max_bytes,
        offsets_retention_ms=config.offsets_retention_minutes * MINUTE_MS,
        consumer_protocol=CONSUMER in config.group_coordinator_rebalance_protocols,
        creation_times=not config.profile.name,
    )


def transaction_limits(config: Config) -> TransactionLimits:
    # Only a broker with transactions needs this import.
    from tidemark.transactions.model import TransactionLimits

    return TransactionLimits(
        max_timeout_ms=config.transaction_max_timeout_ms,
        id_expiration_ms=config.transactional_id_expiration_ms,
    )


def consumer_group_limits(config: Config) -> ConsumerGroupLimits:
    """Return the settings of KIP-848 groups that have none of their own."""
    return ConsumerGroupLimits(
        session_timeout_ms=config.group_consumer_session_timeout_ms,
        heartbeat_interval_ms=config.group_consumer_heartbeat_interval_ms,
        assignment_interval_ms=config.group_consumer_assignment_interval_ms,
        max_size=config.group_consumer_max_size,
        assignors=tuple(ASSIGNOR_CLASSES.get(name, name) for name in config.group_consumer_assignors),
        migration_policy=config.group_consumer_migration_policy,
    )


def intervals(config: Config) -> Intervals:
    return Intervals(
        offset_expiry_ms=config.offsets_retention_check_interval_ms,
        retention_ms=config.log_retention_check_interval_ms,
        compaction_ms=config.log_cleaner_backoff_ms,
        flush_ms=min(config.log_flush_scheduler_interval_ms, FLUSH_CHECK_MS_MAX),
        checkpoint_ms=config.log_flush_offset_checkpoint_interval_ms,
        id_expiry_ms=config.transaction_remove_expired_transaction_cleanup_interval_ms,
        token_expiry_ms=config.delegation_token_expiry_check_interval_ms,
    )


def server_limits(config: Config) -> ServerLimits:
    return ServerLimits(
        requests=RequestLimits(
            frame_bytes_max=config.socket_request_max_bytes,
            in_flight_max=config.tidemark_connection_requests_max,
            unsent_bytes_max=config.tidemark_connection_unsent_max_bytes,
            elements_max=config.tidemark_request_elements_max,
        ),
        connections_max=min(config.max_connections, _descriptors_for_connections(config)),
        connections_per_ip_max=config.connections_per_ip_max,
        idle_ms_max=config.connections_max_idle_ms,
        incoming_bytes_max=config.tidemark_incoming_max_bytes,
        handshakes_max=config.tidemark_tls_handshakes_max,
        handshake_timeout_ms=config.tidemark_tls_handshake_timeout_ms,
    )


def http_connections(config: Config) -> int:
    return min(config.tidemark_http_connections_max, descriptors.http_connections_max())


def _descriptors_for_connections(config: Config) -> int:
    """Return how many connections of Kafka clients the limit of open files allows."""
    http = 0 if config.http_address is None else http_connections(config)
    return max(1, descriptors.connections_max() - http)


def manager_settings(config: Config) -> ManagerSettings:
    slots = config.max_incremental_fetch_session_cache_slots
    return ManagerSettings(
        producer_id_expiration_ms=config.producer_id_expiration_ms,
        accept_corruption=config.tidemark_recovery_cut_corrupt,
        fetch_bytes_max=config.fetch_max_bytes,
        fetch_sessions_max=slots - slots % FETCH_SESSION_SHARDS,
    )
