"""Settings of the group coordinator, and those in force for one group of the consumer protocol.

The latter are the group's own values, or else the broker's. Kafka: `GroupConfigManager`, `GroupConfig`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from tidemark.late_dataclass import dataclass
from tidemark.metadata.configs import Configs, ResourceConfigType
from tidemark.settings.broker import ASSIGNORS, BROKER_SETTINGS, MINUTE_MS, BrokerSettings

# The settings of a group, each with the bounds that the broker sets.
_SESSION: Final = (
    "consumer.session.timeout.ms",
    "group.consumer.min.session.timeout.ms",
    "group.consumer.max.session.timeout.ms",
)
_HEARTBEAT: Final = (
    "consumer.heartbeat.interval.ms",
    "group.consumer.min.heartbeat.interval.ms",
    "group.consumer.max.heartbeat.interval.ms",
)
_INTERVAL: Final = (
    "consumer.assignment.interval.ms",
    "group.consumer.min.assignment.interval.ms",
    "group.consumer.max.assignment.interval.ms",
)
GROUP_VERSION: Final = "group.version"
BROKERS_INTERVAL: Final = "group.consumer.assignment.interval.ms"  # may change at run time


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

    session_timeout_ms: int = BrokerSettings.group_consumer_session_timeout_ms.default
    heartbeat_interval_ms: int = BrokerSettings.group_consumer_heartbeat_interval_ms.default
    assignment_interval_ms: int = BrokerSettings.group_consumer_assignment_interval_ms.default
    regex_refresh_interval_ms: int = 600_000
    max_size: int = BrokerSettings.group_consumer_max_size.default
    assignors: tuple[str, ...] = ASSIGNORS
    migration_policy: str = BrokerSettings.group_consumer_migration_policy.default


def limits_in_force(configs: Configs, base: ConsumerGroupLimits, group_id: str) -> ConsumerGroupLimits:
    """Return the limits of a group. base: those with which the broker started.

    A value that the broker's bounds exclude counts as the bound, because the bounds may have changed since it
    was set.
    """
    own = configs.overrides(ResourceConfigType.GROUP, group_id)
    of_broker = next(configs.explicit(BROKERS_INTERVAL), None)
    interval = own.get(_INTERVAL[0], None if of_broker is None else of_broker.value)
    return replace(
        base,
        session_timeout_ms=_clamped(configs, _SESSION, own.get(_SESSION[0]), base.session_timeout_ms),
        heartbeat_interval_ms=_clamped(
            configs, _HEARTBEAT, own.get(_HEARTBEAT[0]), base.heartbeat_interval_ms
        ),
        assignment_interval_ms=_clamped(configs, _INTERVAL, interval, base.assignment_interval_ms),
    )


def _clamped(configs: Configs, names: tuple[str, str, str], text: str | None, base: int) -> int:
    if text is None:
        return base
    _, least, most = names
    return max(_number(configs, least), min(_number(configs, most), int(text)))


def _number(configs: Configs, name: str) -> int:
    return int(configs.of_broker(name) or BROKER_SETTINGS[name].default)


@dataclass(slots=True, frozen=True)
class GroupLimits:
    """Settings of the group coordinator, with Kafka's code defaults.

    consumer_protocol: True if group.coordinator.rebalance.protocols enables the consumer protocol.

    creation_times: True if records of consumer groups contain when the group was created (KIP-1327).
    """

    min_session_timeout_ms: int = BrokerSettings.group_min_session_timeout_ms.default
    max_session_timeout_ms: int = BrokerSettings.group_max_session_timeout_ms.default
    max_size: int = BrokerSettings.group_max_size.default
    initial_rebalance_delay_ms: int = 3_000  # tidemark's default is 0
    offset_metadata_max_bytes: int = BrokerSettings.offset_metadata_max_bytes.default
    offsets_retention_ms: int = BrokerSettings.offsets_retention_minutes.default * MINUTE_MS
    consumer_protocol: bool = True
    creation_times: bool = True

    def serves_consumer_protocol(self, features: Mapping[str, int]) -> bool:
        """Return whether the requests of KIP-848 are served. Kafka: isConsumerGroupProtocolEnabled."""
        return self.consumer_protocol and features.get(GROUP_VERSION, 0) > 0
