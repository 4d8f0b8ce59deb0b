"""The settings of a topic, in the order in which Kafka checks them.

Most are inherited: a topic without a value of its own has the broker's. Kafka: `LogConfig`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from tidemark.settings.broker import HOUR_MS, MINUTE_MS, BrokerSettings
from tidemark.settings.release import Change, Release
from tidemark.settings.setting import (
    Setting,
    any_strings,
    boolean,
    inherited,
    invalid,
    long,
    settings_of,
)

_REPLICA: Final = r"[0-9]+:[0-9]+"


def _throttled_replicas(name: str, value: tuple[str, ...]) -> str | None:
    if not value or value == ("*",) or all(re.fullmatch(_REPLICA, item) for item in value):
        return None
    return invalid(
        name,
        f"[{', '.join(value)}]",
        f"{name} must be the literal '*' or a list of replicas in the following format: "
        "[partitionId]:[brokerId],[partitionId]:[brokerId],...",
    )


class NewTopicConfig:
    """The settings that Kafka 4.4 added. Those of tiered storage are only stored."""

    errors_deadletterqueue_group_enable = boolean(
        False, "Share groups may use the topic as their dead-letter queue (KIP-1191)."
    )
    max_decompressed_message_bytes = inherited(
        BrokerSettings.max_decompressed_message_bytes,
        "Maximum size of a record in a compressed batch, after decompression.",
    )
    remote_copy_lag_ms = long(
        0, "ms", low=-1,
        about="Tiered storage: a segment may be copied when its newest record is older than this.",
        synonyms=(("log.remote.copy.lag.ms", 1),),
    )  # fmt: skip
    remote_copy_lag_bytes = long(
        -1, "bytes", low=-1,
        about="Tiered storage: a segment may be copied when the log behind it has this size.",
        synonyms=(("log.remote.copy.lag.bytes", 1),),
    )  # fmt: skip


class TopicConfig(NewTopicConfig):
    """The settings in force for one topic. cleanup_policy may be empty, or both compact and delete."""

    segment_bytes = inherited(BrokerSettings.log_segment_bytes, "Maximum size of a log segment.")
    segment_ms = long(
        BrokerSettings.log_roll_hours.default * HOUR_MS, "ms", low=1,
        about="A segment is closed after this time, even if it is not full.",
        synonyms=(("log.roll.ms", 1), ("log.roll.hours", HOUR_MS)),
    )  # fmt: skip
    segment_jitter_ms = long(
        BrokerSettings.log_roll_jitter_hours.default * HOUR_MS, "ms", low=0,
        about="Maximum random time subtracted from segment.ms, so that segments do not all roll at once.",
        synonyms=(("log.roll.jitter.ms", 1), ("log.roll.jitter.hours", HOUR_MS)),
    )  # fmt: skip
    segment_index_bytes = inherited(
        BrokerSettings.log_index_size_max_bytes, "Maximum size of the offset index of a segment."
    )
    flush_messages = inherited(
        BrokerSettings.log_flush_interval_messages, "The log is synced to disk after this many records."
    )
    flush_ms = long(
        BrokerSettings.log_flush_scheduler_interval_ms.default, "ms", low=0,
        about="The log is synced to disk after this time.",
        synonyms=(("log.flush.interval.ms", 1), ("log.flush.scheduler.interval.ms", 1)),
    )  # fmt: skip
    retention_bytes = inherited(
        BrokerSettings.log_retention_bytes,
        "Maximum size of a partition; the oldest segments are deleted above it. -1 means no limit.",
    )
    retention_ms = long(
        BrokerSettings.log_retention_hours.default * HOUR_MS, "ms", low=-1,
        about="A segment is deleted when its newest record is older than this. -1 means no limit.",
        synonyms=(
            ("log.retention.ms", 1), ("log.retention.minutes", MINUTE_MS), ("log.retention.hours", HOUR_MS),
        ),
    )  # fmt: skip
    max_message_bytes = inherited(
        BrokerSettings.message_max_bytes, "Maximum size of a record batch, after compression."
    )
    index_interval_bytes = inherited(
        BrokerSettings.log_index_interval_bytes,
        "Approximate number of bytes of log between two entries of the offset index.",
    )
    delete_retention_ms = inherited(
        BrokerSettings.log_cleaner_delete_retention_ms, "How long a compacted log keeps tombstones."
    )
    min_compaction_lag_ms = inherited(
        BrokerSettings.log_cleaner_min_compaction_lag_ms,
        "Minimum time that a record remains uncompacted.",
    )
    max_compaction_lag_ms = inherited(
        BrokerSettings.log_cleaner_max_compaction_lag_ms,
        "Maximum time that a record remains uncompacted.",
    )
    file_delete_delay_ms = inherited(
        BrokerSettings.log_segment_delete_delay_ms, "How long a deleted file remains on disk."
    )
    min_cleanable_dirty_ratio = inherited(
        BrokerSettings.log_cleaner_min_cleanable_ratio,
        "The share of a log that must be uncompacted before it is compacted.",
    )
    cleanup_policy = inherited(
        BrokerSettings.log_cleanup_policy,
        "How old data is removed: delete by time and size, compact by key, or both.",
    )
    unclean_leader_election_enable = inherited(
        BrokerSettings.unclean_leader_election_enable,
        "Whether a replica that is not in sync may become leader, which can lose records.",
    )
    min_insync_replicas = inherited(
        BrokerSettings.min_insync_replicas, "With acks=all, a write needs this many replicas in sync."
    )
    compression_type = inherited(
        BrokerSettings.compression_type,
        "The codec of stored batches. producer keeps the codec that the producer chose.",
    )
    compression_gzip_level = inherited(
        BrokerSettings.compression_gzip_level, "Level for compression.type=gzip."
    )
    compression_lz4_level = inherited(BrokerSettings.compression_lz4_level, "Level for compression.type=lz4.")
    compression_zstd_level = inherited(
        BrokerSettings.compression_zstd_level, "Level for compression.type=zstd."
    )
    preallocate = inherited(
        BrokerSettings.log_preallocate, "Whether the file of a new segment is created at its full size."
    )
    message_timestamp_type = inherited(
        BrokerSettings.log_message_timestamp_type,
        "Whether the producer's or the broker's clock sets a record's timestamp.",
    )
    message_timestamp_before_max_ms = inherited(
        BrokerSettings.log_message_timestamp_before_max_ms,
        "How far behind the broker's clock a timestamp may be.",
    )
    message_timestamp_after_max_ms = inherited(
        BrokerSettings.log_message_timestamp_after_max_ms,
        "How far ahead of the broker's clock a timestamp may be.",
    )
    leader_replication_throttled_replicas = any_strings(
        _throttled_replicas, "Replicas whose replication is throttled on the leader's side."
    )
    follower_replication_throttled_replicas = any_strings(
        _throttled_replicas, "Replicas whose replication is throttled on the follower's side."
    )
    remote_storage_enable = boolean(False, "Tiered storage; not available here.")
    local_retention_ms = long(
        -2, "ms", low=-2,
        about="Tiered storage: retention.ms of the local log. -2 means the same as retention.ms.",
        synonyms=(("log.local.retention.ms", 1),),
    )  # fmt: skip
    local_retention_bytes = long(
        -2, "bytes", low=-2,
        about="Tiered storage: retention.bytes of the local log. -2 means the same as retention.bytes.",
        synonyms=(("log.local.retention.bytes", 1),),
    )  # fmt: skip
    remote_log_copy_disable = boolean(False, "Tiered storage: copy no more segments.")
    remote_log_delete_on_disable = boolean(
        False, "Tiered storage: whether disabling it deletes what is stored remotely."
    )

    def __init__(self, texts: Mapping[str, str]) -> None:
        """texts: all settings of the release by name, each of them valid."""
        for name, setting in ALL_TOPIC_SETTINGS.items():
            setattr(self, setting.attribute, setting.read(texts.get(name, setting.default_text)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TopicConfig) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]

    @property
    def compacted(self) -> bool:
        return "compact" in self.cleanup_policy

    @property
    def deleted(self) -> bool:
        """Whether old segments are deleted by time and size."""
        return "delete" in self.cleanup_policy


TOPIC_SETTINGS: Final[dict[str, Setting[Any]]] = settings_of(TopicConfig)
NEW_TOPIC_SETTINGS: Final[dict[str, Setting[Any]]] = settings_of(NewTopicConfig)
ALL_TOPIC_SETTINGS: Final = TOPIC_SETTINGS | NEW_TOPIC_SETTINGS


def topic_settings(release: Release) -> Mapping[str, Setting[Any]]:
    """Return the settings that a client may give to a topic, in the order of their checks."""
    if release.has(Change.TOPIC_SETTINGS):
        return ALL_TOPIC_SETTINGS
    return TOPIC_SETTINGS
