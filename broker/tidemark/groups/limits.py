"""Settings of the group coordinator, with Kafka's names and code defaults."""

from __future__ import annotations

from dataclasses import dataclass

from tidemark.settings.broker import MINUTE_MS, BrokerSettings


@dataclass(slots=True, frozen=True)
class GroupLimits:
    min_session_timeout_ms: int = BrokerSettings.group_min_session_timeout_ms.default
    max_session_timeout_ms: int = BrokerSettings.group_max_session_timeout_ms.default
    max_size: int = BrokerSettings.group_max_size.default
    initial_rebalance_delay_ms: int = 3_000  # tidemark's default is 0
    offset_metadata_max_bytes: int = BrokerSettings.offset_metadata_max_bytes.default
    offsets_retention_ms: int = BrokerSettings.offsets_retention_minutes.default * MINUTE_MS


@dataclass(slots=True, frozen=True)
class ConsumerGroupLimits:
    """Settings of one KIP-848 group, with Kafka's code defaults.

    session_timeout_ms         a member without a heartbeat for this long is removed
    heartbeat_interval_ms      how often members must send heartbeats
    assignment_interval_ms     the least time between two target assignments (KIP-1263); 0: none
    regex_refresh_interval_ms  how often regular expressions are resolved again, at the latest
    max_size                   members of a group
    assignors                  the first one is the default
    migration_policy           bidirectional, upgrade, downgrade or disabled
    """

    session_timeout_ms: int = 45_000
    heartbeat_interval_ms: int = 5_000
    assignment_interval_ms: int = 1_000
    regex_refresh_interval_ms: int = 600_000
    max_size: int = 2**31 - 1
    assignors: tuple[str, ...] = ("uniform", "range")
    migration_policy: str = "bidirectional"
