"""Settings of groups (KIP-848, KIP-1071, KIP-932) and of client metrics subscriptions (KIP-714)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from tidemark.coordinator.cluster.settings import InvalidSetting, Kind, Setting, at_least, one_of
from tidemark_protocol.errors import ErrorCode, KafkaError

if TYPE_CHECKING:
    from tidemark.coordinator.cluster.state import Cluster


def _timer(name: str, default: str, lowest: int = 1) -> Setting:
    return Setting(name, Kind.INT, default, at_least(lowest), ((f"group.{name}", 1),))


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
        Setting("share.auto.offset.reset", Kind.STRING, "latest", None, (("share.auto.offset.reset", 1),)),
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

_BOUNDED: Final = (
    "consumer.session.timeout.ms",
    "consumer.heartbeat.interval.ms",
    "consumer.assignment.interval.ms",
)

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


def check_group(cluster: Cluster, values: Mapping[str, str]) -> None:
    """Raises InvalidSetting. A group's own timers lie within the broker's bounds for them."""
    for name in values:
        if name not in GROUP_SETTINGS:
            raise InvalidSetting(f"Unknown group config name: {name}")
    parsed = {name: setting.parse(values[name]) for name, setting in GROUP_SETTINGS.items() if name in values}
    for name in _BOUNDED:
        value = parsed.get(name)
        if not isinstance(value, int):
            continue
        kind, rest = name.split(".", 1)
        for bound, word, wrong in (
            (f"group.{kind}.min.{rest}", "greater", value.__lt__),
            (f"group.{kind}.max.{rest}", "less", value.__gt__),
        ):
            limit = cluster.broker_setting(bound)
            if limit is not None and wrong(int(limit)):
                raise InvalidSetting(f"{name} must be {word} than or equal to {bound}")


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
        selector, equals, _ = pattern.partition("=")
        if not equals or selector.strip() not in _SELECTORS:
            raise KafkaError(ErrorCode.INVALID_CONFIG, f"Illegal client matching pattern: {pattern}")
