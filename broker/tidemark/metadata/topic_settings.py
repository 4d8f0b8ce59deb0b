"""The 33 settings of a topic, in the order in which Kafka checks them, and their typed form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from tidemark.metadata.settings import (
    LONG_MAX,
    InvalidSetting,
    Kind,
    Setting,
    Value,
    at_least,
    between,
    gzip_level,
    one_of,
    throttled_replicas,
)

_HOUR_MS: Final = 3_600_000
_MINUTE_MS: Final = 60_000
_FOREVER: Final = str(LONG_MAX)


def _same(name: str) -> tuple[tuple[str, int], ...]:
    return ((name, 1),)


TOPIC_SETTINGS: Final[dict[str, Setting]] = {
    setting.name: setting
    for setting in (
        Setting("segment.bytes", Kind.INT, "1073741824", at_least(1_048_576), _same("log.segment.bytes"),
                "A segment that has grown to this size is closed and a new one begun."),
        Setting("segment.ms", Kind.LONG, "604800000", at_least(1),
                (("log.roll.ms", 1), ("log.roll.hours", _HOUR_MS)),
                "A segment that has been written to for this long is closed even if it is not full."),
        Setting("segment.jitter.ms", Kind.LONG, "0", at_least(0),
                (("log.roll.jitter.ms", 1), ("log.roll.jitter.hours", _HOUR_MS)),
                "At most this much is taken off segment.ms at random: segments do not all roll at once."),
        Setting("segment.index.bytes", Kind.INT, "10485760", at_least(4), _same("log.index.size.max.bytes"),
                "The largest size of a segment's offset index."),
        Setting("flush.messages", Kind.LONG, _FOREVER, at_least(1), _same("log.flush.interval.messages"),
                "The log is synced to disk after this many records."),
        Setting("flush.ms", Kind.LONG, _FOREVER, at_least(0),
                (("log.flush.interval.ms", 1), ("log.flush.scheduler.interval.ms", 1)),
                "The log is synced to disk after this time."),
        Setting("retention.bytes", Kind.LONG, "-1", None, _same("log.retention.bytes"),
                "A partition's oldest segments go once it is larger than this; -1 for no limit."),
        Setting("retention.ms", Kind.LONG, "604800000", at_least(-1),
                (("log.retention.ms", 1),
                ("log.retention.minutes", _MINUTE_MS), ("log.retention.hours", _HOUR_MS)),
                "Segments whose newest record is older than this go; -1 for no limit."),
        Setting("max.message.bytes", Kind.INT, "1048588", at_least(0), _same("message.max.bytes"),
                "The largest record batch that is taken, after compression."),
        Setting("index.interval.bytes", Kind.INT, "4096", at_least(0), _same("log.index.interval.bytes"),
                "About so many bytes of log lie between two entries of the offset index."),
        Setting("delete.retention.ms", Kind.LONG, "86400000", at_least(0),
                _same("log.cleaner.delete.retention.ms"),
                "How long a compacted log keeps tombstones."),
        Setting("min.compaction.lag.ms", Kind.LONG, "0", at_least(0),
                _same("log.cleaner.min.compaction.lag.ms"),
                "A record stays uncompacted at least this long."),
        Setting("max.compaction.lag.ms", Kind.LONG, _FOREVER, at_least(1),
                _same("log.cleaner.max.compaction.lag.ms"),
                "A record is compacted after this time at the latest."),
        Setting("file.delete.delay.ms", Kind.LONG, "60000", at_least(0), _same("log.segment.delete.delay.ms"),
                "How long a deleted file stays on disk."),
        Setting("min.cleanable.dirty.ratio", Kind.DOUBLE, "0.5", between(0, 1),
                _same("log.cleaner.min.cleanable.ratio"),
                "The share of a log that has to be uncompacted before it is compacted."),
        Setting("cleanup.policy", Kind.LIST, "delete", one_of("compact", "delete"),
                _same("log.cleanup.policy"),
                "What becomes of old data: delete by time and size, compact by key, or both.",
                distinct=True),
        Setting("unclean.leader.election.enable", Kind.BOOLEAN, "false", None,
                _same("unclean.leader.election.enable"),
                "Whether a replica out of sync may become leader, at the price of data."),
        Setting("min.insync.replicas", Kind.INT, "1", at_least(1), _same("min.insync.replicas"),
                "With acks=all, a write needs this many replicas in sync."),
        Setting("compression.type", Kind.STRING, "producer",
                one_of("uncompressed", "zstd", "lz4", "snappy", "gzip",
                "producer"), _same("compression.type"),
                "The codec that batches are stored in; producer keeps the producer's."),
        Setting("compression.gzip.level", Kind.INT, "-1", gzip_level, _same("compression.gzip.level"),
                "Level for compression.type=gzip."),
        Setting("compression.lz4.level", Kind.INT, "9", between(1, 17), _same("compression.lz4.level"),
                "Level for compression.type=lz4."),
        Setting("compression.zstd.level", Kind.INT, "3", between(-131072, 22),
                _same("compression.zstd.level"),
                "Level for compression.type=zstd."),
        Setting("preallocate", Kind.BOOLEAN, "false", None, _same("log.preallocate"),
                "Whether a new segment's file is made at its full size."),
        Setting("message.timestamp.type", Kind.STRING, "CreateTime", one_of("CreateTime", "LogAppendTime"),
                _same("log.message.timestamp.type"),
                "Whose clock stamps a record: the producer's or the broker's."),
        Setting("message.timestamp.before.max.ms", Kind.LONG, _FOREVER, at_least(0),
                _same("log.message.timestamp.before.max.ms"),
                "How far behind the broker's clock a timestamp may be."),
        Setting("message.timestamp.after.max.ms", Kind.LONG, "3600000", at_least(0),
                _same("log.message.timestamp.after.max.ms"),
                "How far ahead of the broker's clock a timestamp may be."),
        Setting("leader.replication.throttled.replicas", Kind.LIST, "", throttled_replicas, (),
                "Replicas whose replication is throttled on the leader's side."),
        Setting("follower.replication.throttled.replicas", Kind.LIST, "", throttled_replicas, (),
                "Replicas whose replication is throttled on the follower's side."),
        Setting("remote.storage.enable", Kind.BOOLEAN, "false", None, (),
                "Tiered storage; not available here."),
        Setting("local.retention.ms", Kind.LONG, "-2", at_least(-2), _same("log.local.retention.ms"),
                "Tiered storage: retention.ms of the local log; -2 for the same."),
        Setting("local.retention.bytes", Kind.LONG, "-2", at_least(-2), _same("log.local.retention.bytes"),
                "Tiered storage: retention.bytes of the local log; -2 for the same."),
        Setting("remote.log.copy.disable", Kind.BOOLEAN, "false", None, (),
                "Tiered storage: no further copies."),
        Setting("remote.log.delete.on.disable", Kind.BOOLEAN, "false", None, (),
                "Tiered storage: whether disabling it deletes what is there."),
    )
}  # fmt: skip


@dataclass(slots=True)
class TopicConfig:
    """The settings in force for one topic, typed. cleanup_policy may be empty, or compact and delete both."""

    segment_bytes: int
    segment_ms: int
    segment_jitter_ms: int
    segment_index_bytes: int
    flush_messages: int
    flush_ms: int
    retention_bytes: int
    retention_ms: int
    max_message_bytes: int
    index_interval_bytes: int
    delete_retention_ms: int
    min_compaction_lag_ms: int
    max_compaction_lag_ms: int
    file_delete_delay_ms: int
    min_cleanable_dirty_ratio: float
    cleanup_policy: list[str]
    unclean_leader_election_enable: bool
    min_insync_replicas: int
    compression_type: str
    compression_gzip_level: int
    compression_lz4_level: int
    compression_zstd_level: int
    preallocate: bool
    message_timestamp_type: str
    message_timestamp_before_max_ms: int
    message_timestamp_after_max_ms: int
    leader_replication_throttled_replicas: list[str]
    follower_replication_throttled_replicas: list[str]
    remote_storage_enable: bool
    local_retention_ms: int
    local_retention_bytes: int
    remote_log_copy_disable: bool
    remote_log_delete_on_disable: bool

    @property
    def compacted(self) -> bool:
        return "compact" in self.cleanup_policy

    @property
    def deleted(self) -> bool:
        """Whether old segments go by time and size."""
        return "delete" in self.cleanup_policy


def typed(texts: Mapping[str, str]) -> TopicConfig:
    """texts must have all 33 settings, each of them valid."""
    values = {name.replace(".", "_"): setting.parse(texts[name]) for name, setting in TOPIC_SETTINGS.items()}
    return TopicConfig(**values)  # type: ignore[arg-type]


def check_overrides(overrides: Mapping[str, str], in_force: Mapping[str, str]) -> None:
    """Raises InvalidSetting for the first that Kafka refuses. in_force: all settings, overrides applied."""
    for name in overrides:
        if name not in TOPIC_SETTINGS:
            raise InvalidSetting(f"Unknown topic config name: {name}")
    values: dict[str, Value] = {
        name: setting.parse(overrides[name]) for name, setting in TOPIC_SETTINGS.items() if name in overrides
    }
    least, most = (
        values.get(name) if name in values else TOPIC_SETTINGS[name].parse(in_force[name])
        for name in ("min.compaction.lag.ms", "max.compaction.lag.ms")
    )
    assert isinstance(least, int)
    assert isinstance(most, int)
    if least > most:
        raise InvalidSetting(
            f"conflict topic config setting min.compaction.lag.ms ({least}) > max.compaction.lag.ms ({most})"
        )
    if values.get("remote.storage.enable"):
        raise InvalidSetting(
            "Tiered Storage functionality is disabled in the broker. "
            "Topic cannot be configured with remote log storage."
        )
