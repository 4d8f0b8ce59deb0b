"""The settings in force for one group of the consumer protocol: its own values, or else the broker's.

Kafka: `GroupConfigManager`, `GroupConfig`.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from tidemark.metadata.configs import Configs, ResourceConfigType
from tidemark.settings.broker import BROKER_SETTINGS, BrokerSettings

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
BROKERS_INTERVAL: Final = "group.consumer.assignment.interval.ms"  # may change at run time


class GroupSettings(NamedTuple):
    """Settings of one KIP-848 group.

    session_timeout_ms         a member without a heartbeat for this long is removed
    heartbeat_interval_ms      how often members must send heartbeats
    assignment_interval_ms     the least time between two target assignments (KIP-1263); 0: none
    """

    session_timeout_ms: int
    heartbeat_interval_ms: int
    assignment_interval_ms: int


def settings_of_broker(broker: BrokerSettings) -> GroupSettings:
    """Return the settings of a group that has none of its own."""
    return GroupSettings(
        broker.group_consumer_session_timeout_ms,
        broker.group_consumer_heartbeat_interval_ms,
        broker.group_consumer_assignment_interval_ms,
    )


def group_settings(configs: Configs, broker: BrokerSettings, group_id: str) -> GroupSettings:
    """Return the settings of a group. broker: those with which the broker started.

    A value that the broker's bounds exclude counts as the bound, because the bounds may have changed since it
    was set.
    """
    own = configs.overrides(ResourceConfigType.GROUP, group_id)
    of_broker = next(configs.explicit(BROKERS_INTERVAL), None)
    interval = own.get(_INTERVAL[0], None if of_broker is None else of_broker.value)
    base = settings_of_broker(broker)
    return GroupSettings(
        _clamped(configs, _SESSION, own.get(_SESSION[0]), base.session_timeout_ms),
        _clamped(configs, _HEARTBEAT, own.get(_HEARTBEAT[0]), base.heartbeat_interval_ms),
        _clamped(configs, _INTERVAL, interval, base.assignment_interval_ms),
    )


def _clamped(configs: Configs, names: tuple[str, str, str], text: str | None, base: int) -> int:
    if text is None:
        return base
    _, least, most = names
    return max(_number(configs, least), min(_number(configs, most), int(text)))


def _number(configs: Configs, name: str) -> int:
    return int(configs.of_broker(name) or BROKER_SETTINGS[name].default)
