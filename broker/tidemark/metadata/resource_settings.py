"""Settings of groups (KIP-848, KIP-1071, KIP-932) and of client metrics subscriptions (KIP-714)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from tidemark.metadata.configs import Configs
from tidemark.metadata.settings import (
    InvalidSetting,
    Kind,
    Setting,
    Value,
    at_least,
    invalid,
    one_of,
)
from tidemark_protocol.errors import ErrorCode, KafkaError


def _timer(name: str, default: str, lowest: int = 1) -> Setting:
    return Setting(name, Kind.INT, default, at_least(lowest), ((f"group.{name}", 1),))


_DURATION: Final = re.compile(
    r"by_duration:-?P(?=.)(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+(\.\d+)?S)?)?", re.IGNORECASE
)


def _offset_reset(name: str, value: Value) -> str | None:
    assert isinstance(value, str)
    if value.lower() in ("earliest", "latest") or _DURATION.fullmatch(value):
        return None
    text = (
        f"Invalid value `{value}` for configuration {name}. The value must be either 'earliest', 'latest' "
        "or of the format 'by_duration:<PnDTnHnMn.nS>'."
    )
    return invalid(name, value, text)


GROUP_SETTINGS: Final[dict[str, Setting]] = {
    setting.name: setting
    for setting in (
        _timer("consumer.session.timeout.ms", "45000"),
        _timer("consumer.heartbeat.interval.ms", "5000"),
        _timer("consumer.assignment.interval.ms", "1000", 0),
        _timer("share.session.timeout.ms", "45000"),
        _timer("share.heartbeat.interval.ms", "5000"),
        _timer("share.record.lock.duration.ms", "30000", 1000),
        _timer("share.delivery.count.limit", "5", 2),
        _timer("share.partition.max.record.locks", "2000", 100),
        _timer("share.assignment.interval.ms", "1000", 0),
        Setting(
            "share.auto.offset.reset",
            Kind.STRING,
            "latest",
            _offset_reset,
            (("share.auto.offset.reset", 1),),
        ),
        Setting(
            "share.isolation.level",
            Kind.STRING,
            "read_uncommitted",
            one_of("read_committed", "read_uncommitted"),
            (("share.isolation.level", 1),),
        ),
        Setting(
            "share.renew.acknowledge.enable",
            Kind.BOOLEAN,
            "true",
            None,
            (("share.renew.acknowledge.enable", 1),),
        ),
        _timer("streams.session.timeout.ms", "45000"),
        _timer("streams.heartbeat.interval.ms", "5000"),
        _timer("streams.num.standby.replicas", "0", 0),
        _timer("streams.initial.rebalance.delay.ms", "3000", 0),
        _timer("streams.assignment.interval.ms", "1000", 0),
    )
}

# The broker's bounds for a group's own, with Kafka's defaults for those that are no setting here.
_BOUNDS: Final[dict[str, tuple[int | None, int | None]]] = {
    "consumer.session.timeout.ms": (45_000, 60_000),
    "consumer.heartbeat.interval.ms": (5_000, 15_000),
    "consumer.assignment.interval.ms": (0, 15_000),
    "share.session.timeout.ms": (45_000, 60_000),
    "share.heartbeat.interval.ms": (5_000, 15_000),
    "share.record.lock.duration.ms": (15_000, 60_000),
    "share.delivery.count.limit": (2, 10),
    "share.partition.max.record.locks": (100, 4_000),
    "share.assignment.interval.ms": (0, 15_000),
    "streams.session.timeout.ms": (45_000, 60_000),
    "streams.heartbeat.interval.ms": (5_000, 15_000),
    "streams.num.standby.replicas": (None, 2),
    "streams.assignment.interval.ms": (0, 15_000),
}
# Where a bound is not called as what it bounds.
_CALLED: Final = {"num.standby.replicas": "standby.replicas"}

CLIENT_METRICS_SETTINGS: Final[dict[str, Setting]] = {
    "interval.ms": Setting("interval.ms", Kind.INT, "300000"),
    "match": Setting("match", Kind.LIST, ""),
    "metrics": Setting("metrics", Kind.LIST, ""),
}
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
    """Raises InvalidSetting. A group's own timers lie within the broker's bounds for them."""
    for name in values:
        if name not in GROUP_SETTINGS:
            raise InvalidSetting(f"Unknown group config name: {name}")
    parsed = {name: setting.parse(values[name]) for name, setting in GROUP_SETTINGS.items() if name in values}
    for name, bounds in _BOUNDS.items():
        value = parsed.get(name)
        if isinstance(value, int):
            _check_bounds(configs, name, value, bounds)


def _check_bounds(configs: Configs, name: str, value: int, bounds: tuple[int | None, int | None]) -> None:
    kind, rest = name.split(".", 1)
    rest = _CALLED.get(rest, rest)
    least, most = f"group.{kind}.min.{rest}", f"group.{kind}.max.{rest}"
    lowest, highest = (
        int(configs.of_broker(bound) or default) if default is not None else None
        for bound, default in zip((least, most), bounds, strict=True)
    )
    if lowest is not None and value < lowest:
        raise InvalidSetting(f"{name} must be greater than or equal to {least}")
    if highest is not None and value > highest:
        raise InvalidSetting(f"{name} must be less than or equal to {most}")


def check_client_metrics(values: Mapping[str, str]) -> None:
    """Raises KafkaError: here Kafka has two codes for what is wrong."""
    for name in values:
        if name not in CLIENT_METRICS_SETTINGS:
            raise KafkaError(ErrorCode.INVALID_REQUEST, f"Unknown client metrics configuration: {name}")
    try:
        parsed = {name: CLIENT_METRICS_SETTINGS[name].parse(text) for name, text in values.items()}
    except InvalidSetting as error:
        raise KafkaError(ErrorCode.INVALID_CONFIG, str(error)) from None
    interval = parsed.get("interval.ms")
    if interval is not None and interval not in _INTERVAL_MS:
        text = f"Invalid value {interval} for interval.ms, interval must be between 100 and 3600000 (1 hour)"
        raise KafkaError(ErrorCode.INVALID_REQUEST, text)
    patterns = parsed.get("match", [])
    assert isinstance(patterns, list)
    for pattern in patterns:
        selector, equals, wanted = pattern.partition("=")
        if not equals or selector.strip() not in _SELECTORS or not _is_pattern(wanted):
            raise KafkaError(ErrorCode.INVALID_CONFIG, f"Illegal client matching pattern: {pattern}")


def _is_pattern(text: str) -> bool:
    """Kafka asks Java; the two agree on what people write."""
    try:
        re.compile(text.strip())
    except re.error:
        return False
    return True
