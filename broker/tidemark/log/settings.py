"""The settings of a log, from its topic.

Names, defaults and meanings are those of Kafka's topic configs, with underscores in place of dots.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Final

from tidemark.late_dataclass import dataclass
from tidemark.settings.setting import Kind, parse
from tidemark.settings.topic import ALL_TOPIC_SETTINGS, TopicConfig

NEVER: Final = 2**63 - 1  # Kafka's Long.MAX_VALUE: a limit that is never reached

INDEX_INTERVAL_BYTES_DEFAULT: Final = TopicConfig.index_interval_bytes.default


@dataclass(slots=True, frozen=True)
class LogSettings:
    """One topic's log settings.

    Four are not Kafka's. waits_for_sync: the high watermark is the synced end of the log, not its end
    (internal logs under `tidemark.sync=always`). batch_bytes_max: the largest batch of a coordinator, which
    follows from max.message.bytes and segment.bytes. verifies_transactions: the coordinator of a transaction
    must confirm that the partition belongs to it (transaction.partition.verification.enable). append_time:
    message.timestamp.type is LogAppendTime.

    roll_ms: the longest time for which a segment stays active. Compaction only reads closed segments.
    """

    segment_bytes: int = TopicConfig.segment_bytes.default
    segment_ms: int = TopicConfig.segment_ms.default
    segment_jitter_ms: int = TopicConfig.segment_jitter_ms.default
    segment_index_bytes: int = TopicConfig.segment_index_bytes.default
    index_interval_bytes: int = TopicConfig.index_interval_bytes.default
    flush_messages: int = TopicConfig.flush_messages.default
    flush_ms: int = TopicConfig.flush_ms.default
    retention_ms: int = TopicConfig.retention_ms.default  # -1: no limit
    retention_bytes: int = TopicConfig.retention_bytes.default  # -1: no limit
    cleanup_policy: frozenset[str] = frozenset(TopicConfig.cleanup_policy.default)
    delete_retention_ms: int = TopicConfig.delete_retention_ms.default
    min_compaction_lag_ms: int = TopicConfig.min_compaction_lag_ms.default
    max_compaction_lag_ms: int = TopicConfig.max_compaction_lag_ms.default
    min_cleanable_dirty_ratio: float = TopicConfig.min_cleanable_dirty_ratio.default
    max_decompressed_message_bytes: int = TopicConfig.max_decompressed_message_bytes.default
    file_delete_delay_ms: int = TopicConfig.file_delete_delay_ms.default
    waits_for_sync: bool = False
    batch_bytes_max: int = NEVER
    verifies_transactions: bool = False
    append_time: bool = False
    roll_ms: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        roll_ms = min(self.segment_ms, self.max_compaction_lag_ms) if self.compacts else self.segment_ms
        object.__setattr__(self, "roll_ms", roll_ms)

    @property
    def deletes(self) -> bool:
        return "delete" in self.cleanup_policy

    @property
    def compacts(self) -> bool:
        return "compact" in self.cleanup_policy

    @classmethod
    def from_configs(
        cls,
        configs: Mapping[str, str],
        *,
        waits_for_sync: bool = False,
        verifies_transactions: bool = False,
    ) -> LogSettings:
        """Create settings from topic configs by Kafka's names ("segment.bytes").

        The values must be valid. Missing ones get the default of Kafka's code, and other names are ignored.
        """
        chosen: dict[str, Any] = {
            setting.attribute: int(configs[setting.name])
            if setting.kind is Kind.INT or setting.kind is Kind.LONG
            else parse(setting.name, setting.kind, configs[setting.name])
            for setting in _OF_TOPIC
            if setting.name in configs
        }
        if "cleanup_policy" in chosen:
            chosen["cleanup_policy"] = frozenset(filter(None, chosen["cleanup_policy"]))
        bounds = [int(configs[name]) for name in ("max.message.bytes", "segment.bytes") if name in configs]
        return cls(
            **chosen,
            waits_for_sync=waits_for_sync,
            batch_bytes_max=min(bounds, default=NEVER),
            verifies_transactions=verifies_transactions,
            append_time=configs.get("message.timestamp.type") == "LogAppendTime",
        )


_OF_TOPIC: Final = [
    setting for setting in ALL_TOPIC_SETTINGS.values() if setting.attribute in LogSettings.__annotations__
]
