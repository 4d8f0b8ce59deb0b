"""Settings of groups (KIP-848, KIP-1071, KIP-932) and of client metrics subscriptions (KIP-714)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from tidemark.metadata.configs import Configs
from tidemark.settings.broker import BROKER_SETTINGS, BrokerSettings
from tidemark.settings.setting import (
    InvalidSetting,
    Kind,
    Setting,
    any_strings,
    inherited,
    integer,
    invalid,
    one_of,
    parser,
    settings_of,
)
from tidemark_protocol.errors import ErrorCode, KafkaError

_DURATION: Final = re.compile(
    r"by_duration:-?P(?=.)(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+(\.\d+)?S)?)?", re.IGNORECASE
)


def _of_group(name: str) -> tuple[tuple[str, int], ...]:
    """Return the broker's setting that applies to a group without a value of its own."""
    return ((f"group.{name}", 1),)


def _offset_reset(name: str, value: str) -> str | None:
    if value.lower() in ("earliest", "latest") or _DURATION.fullmatch(value):
        return None
    text = (
        f"Invalid value `{value}` for configuration {name}. The value must be either 'earliest', 'latest' "
        "or of the format 'by_duration:<PnDTnHnMn.nS>'."
    )
    return invalid(name, value, text)


class GroupConfig:
    """The settings of a group. Kafka: `GroupConfig`."""

    consumer_session_timeout_ms = inherited(BrokerSettings.group_consumer_session_timeout_ms)
    consumer_heartbeat_interval_ms = inherited(BrokerSettings.group_consumer_heartbeat_interval_ms)
    consumer_assignment_interval_ms = inherited(BrokerSettings.group_consumer_assignment_interval_ms)
    share_session_timeout_ms = integer(45_000, "ms", 1, synonyms=_of_group("share.session.timeout.ms"))
    share_heartbeat_interval_ms = integer(5_000, "ms", 1, synonyms=_of_group("share.heartbeat.interval.ms"))
    share_record_lock_duration_ms = integer(
        30_000, "ms", 1000, synonyms=_of_group("share.record.lock.duration.ms")
    )
    share_delivery_count_limit = integer(5, "deliveries", 2, synonyms=_of_group("share.delivery.count.limit"))
    share_partition_max_record_locks = integer(
        2000, "records", 100, synonyms=_of_group("share.partition.max.record.locks")
    )
    share_assignment_interval_ms = integer(1000, "ms", 0, synonyms=_of_group("share.assignment.interval.ms"))
    share_auto_offset_reset = Setting(
        Kind.STRING, "latest", parser(Kind.STRING, _offset_reset), synonyms=(("share.auto.offset.reset", 1),)
    )
    share_isolation_level = one_of(
        "read_uncommitted", "read_committed", "read_uncommitted", synonyms=(("share.isolation.level", 1),)
    )
    share_renew_acknowledge_enable = Setting(
        Kind.BOOLEAN, True, parser(Kind.BOOLEAN), synonyms=(("share.renew.acknowledge.enable", 1),)
    )
    streams_session_timeout_ms = integer(45_000, "ms", 1, synonyms=_of_group("streams.session.timeout.ms"))
    streams_heartbeat_interval_ms = integer(
        5_000, "ms", 1, synonyms=_of_group("streams.heartbeat.interval.ms")
    )
    streams_num_standby_replicas = integer(
        0, "replicas", 0, synonyms=_of_group("streams.num.standby.replicas")
    )
    streams_initial_rebalance_delay_ms = integer(
        3000, "ms", 0, synonyms=_of_group("streams.initial.rebalance.delay.ms")
    )
    streams_assignment_interval_ms = integer(
        1000, "ms", 0, synonyms=_of_group("streams.assignment.interval.ms")
    )


class ClientMetricsConfig:
    """The settings of a client metrics subscription. Kafka: `ClientMetricsConfigs`."""

    interval_ms = Setting(Kind.INT, 300_000, parser(Kind.INT), unit="ms")
    match = any_strings()
    metrics = any_strings()


GROUP_SETTINGS: Final = settings_of(GroupConfig)
CLIENT_METRICS_SETTINGS: Final = settings_of(ClientMetricsConfig)

# The broker's bounds for the settings of share and streams groups, with Kafka's defaults: they are no
# settings of this broker.
_OTHER_BOUNDS: Final[dict[str, int]] = {
    "group.share.min.session.timeout.ms": 45_000,
    "group.share.max.session.timeout.ms": 60_000,
    "group.share.min.heartbeat.interval.ms": 5_000,
    "group.share.max.heartbeat.interval.ms": 15_000,
    "group.share.min.record.lock.duration.ms": 15_000,
    "group.share.max.record.lock.duration.ms": 60_000,
    "group.share.min.delivery.count.limit": 2,
    "group.share.max.delivery.count.limit": 10,
    "group.share.min.partition.max.record.locks": 100,
    "group.share.max.partition.max.record.locks": 4_000,
    "group.share.min.assignment.interval.ms": 0,
    "group.share.max.assignment.interval.ms": 15_000,
    "group.streams.min.session.timeout.ms": 45_000,
    "group.streams.max.session.timeout.ms": 60_000,
    "group.streams.min.heartbeat.interval.ms": 5_000,
    "group.streams.max.heartbeat.interval.ms": 15_000,
    "group.streams.max.standby.replicas": 2,
    "group.streams.min.assignment.interval.ms": 0,
    "group.streams.max.assignment.interval.ms": 15_000,
}
# Settings of groups with bounds of the broker, in the order in which Kafka checks them.
_BOUNDED: Final = (
    "consumer.heartbeat.interval.ms",
    "consumer.session.timeout.ms",
    "consumer.assignment.interval.ms",
    "share.heartbeat.interval.ms",
    "share.session.timeout.ms",
    "share.record.lock.duration.ms",
    "share.delivery.count.limit",
    "share.partition.max.record.locks",
    "share.assignment.interval.ms",
    "streams.heartbeat.interval.ms",
    "streams.session.timeout.ms",
    "streams.num.standby.replicas",
    "streams.assignment.interval.ms",
)
# Settings whose bounds have another name.
_BOUND_NAMES: Final = {"num.standby.replicas": "standby.replicas"}

_INTERVAL_MS: Final = range(100, 3_600_001)
_SELECTORS: Final = (
    "client_instance_id",
    "client_id",
    "client_software_name",
    "client_software_version",
    "client_source_address",
    "client_source_port",
)


def check_group(configs: Configs, values: Mapping[str, str]) -> None:
    """Check new values of a group, also against the broker's bounds. Raises InvalidSetting."""
    for name in values:
        if name not in GROUP_SETTINGS:
            raise InvalidSetting(f"Unknown group config name: {name}")
    parsed = {name: setting.read(values[name]) for name, setting in GROUP_SETTINGS.items() if name in values}
    for name in _BOUNDED:
        if name in parsed:
            _check_bounds(configs, name, parsed[name])
    for protocol in ("consumer", "share", "streams"):
        session, heartbeat = f"{protocol}.session.timeout.ms", f"{protocol}.heartbeat.interval.ms"
        longer, shorter = (
            parsed[name] if name in parsed else _of_broker(configs, name) for name in (session, heartbeat)
        )
        if longer <= shorter:
            raise InvalidSetting(f"{session} must be greater than {heartbeat}")


def _of_broker(configs: Configs, name: str) -> int:
    """Return the broker's value of a setting that the group does not have."""
    return int(configs.of_broker(f"group.{name}") or GROUP_SETTINGS[name].default)


def _check_bounds(configs: Configs, name: str, value: int) -> None:
    protocol, rest = name.split(".", 1)
    rest = _BOUND_NAMES.get(rest, rest)
    least, most = f"group.{protocol}.min.{rest}", f"group.{protocol}.max.{rest}"
    lowest, highest = _bound(configs, least), _bound(configs, most)
    if lowest is not None and value < lowest:
        raise InvalidSetting(f"{name} must be greater than or equal to {least}")
    if highest is not None and value > highest:
        raise InvalidSetting(f"{name} must be less than or equal to {most}")


def _bound(configs: Configs, name: str) -> int | None:
    """Return the value of a broker's bound. None: there is no such bound."""
    default = BROKER_SETTINGS[name].default if name in BROKER_SETTINGS else _OTHER_BOUNDS.get(name)
    return None if default is None else int(configs.of_broker(name) or default)


def check_client_metrics(values: Mapping[str, str]) -> None:
    """Check the settings of a subscription. Raises KafkaError: Kafka has two codes for these errors."""
    for name in values:
        if name not in CLIENT_METRICS_SETTINGS:
            raise KafkaError(ErrorCode.INVALID_REQUEST, f"Unknown client metrics configuration: {name}")
    try:
        parsed = {name: CLIENT_METRICS_SETTINGS[name].read(text) for name, text in values.items()}
    except InvalidSetting as error:
        raise KafkaError(ErrorCode.INVALID_CONFIG, str(error)) from None
    interval = parsed.get("interval.ms")
    if interval is not None and interval not in _INTERVAL_MS:
        text = f"Invalid value {interval} for interval.ms, interval must be between 100 and 3600000 (1 hour)"
        raise KafkaError(ErrorCode.INVALID_REQUEST, text)
    for pattern in parsed.get("match", ()):
        selector, equals, wanted = pattern.partition("=")
        if not equals or selector.strip() not in _SELECTORS or not _is_pattern(wanted):
            raise KafkaError(ErrorCode.INVALID_CONFIG, f"Illegal client matching pattern: {pattern}")


def _is_pattern(text: str) -> bool:
    """Return True for a regular expression. Kafka uses Java's, which differ only in rare features."""
    try:
        re.compile(text.strip())
    except re.error:
        return False
    return True
