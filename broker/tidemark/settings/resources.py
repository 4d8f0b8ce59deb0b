"""Settings of groups (KIP-848, KIP-1071, KIP-932), of client metrics subscriptions (KIP-714), and those of a
broker that may change at run time. A start does not import this: requests do.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, Final

from tidemark.settings.broker import BROKER_SETTINGS, TASK_ASSIGNORS, BrokerSettings
from tidemark.settings.release import Change, Release
from tidemark.settings.setting import (
    Check,
    InvalidSetting,
    Kind,
    Setting,
    any_strings,
    at_least,
    inherited,
    integer,
    invalid,
    long,
    one_of,
    parser,
    settings_of,
    under_name,
)
from tidemark.settings.topic import NEW_TOPIC_SETTINGS, TOPIC_SETTINGS
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


def reset_duration_ms(strategy: str) -> int:
    """Return the milliseconds of `by_duration:...`. Java: Duration.parse."""
    found = _DURATION.fullmatch(strategy)
    assert found is not None, "the setting was checked"
    days, _, hours, minutes, seconds, _ = (part or "0" for part in found.groups())
    whole = (int(days[:-1] or 0) * 24 + int(hours[:-1] or 0)) * 60 + int(minutes[:-1] or 0)
    duration_ms = whole * 60_000 + int(Decimal(seconds[:-1] or 0) * 1000)
    return -duration_ms if "-" in strategy else duration_ms


class GroupConfig:
    """The settings of a group. Kafka: `GroupConfig`."""

    consumer_session_timeout_ms = inherited(BrokerSettings.group_consumer_session_timeout_ms)
    consumer_heartbeat_interval_ms = inherited(BrokerSettings.group_consumer_heartbeat_interval_ms)
    consumer_assignment_interval_ms = inherited(BrokerSettings.group_consumer_assignment_interval_ms)
    share_session_timeout_ms = inherited(BrokerSettings.group_share_session_timeout_ms)
    share_heartbeat_interval_ms = inherited(BrokerSettings.group_share_heartbeat_interval_ms)
    # Without the broker's upper limits: Kafka checks a group's values against the broker's bounds.
    share_record_lock_duration_ms = integer(
        30_000, "ms", 1000, synonyms=_of_group("share.record.lock.duration.ms")
    )
    share_delivery_count_limit = integer(5, "deliveries", 2, synonyms=_of_group("share.delivery.count.limit"))
    share_partition_max_record_locks = integer(
        2000, "records", 100, synonyms=_of_group("share.partition.max.record.locks")
    )
    share_assignment_interval_ms = inherited(BrokerSettings.group_share_assignment_interval_ms)
    share_auto_offset_reset = Setting(
        Kind.STRING, "latest", parser(Kind.STRING, _offset_reset), synonyms=(("share.auto.offset.reset", 1),)
    )
    share_isolation_level = one_of(
        "read_uncommitted", "read_committed", "read_uncommitted", synonyms=(("share.isolation.level", 1),)
    )
    share_renew_acknowledge_enable = Setting(
        Kind.BOOLEAN, True, parser(Kind.BOOLEAN), synonyms=(("share.renew.acknowledge.enable", 1),)
    )
    streams_session_timeout_ms = inherited(BrokerSettings.group_streams_session_timeout_ms)
    streams_heartbeat_interval_ms = inherited(BrokerSettings.group_streams_heartbeat_interval_ms)
    streams_num_standby_replicas = inherited(BrokerSettings.group_streams_num_standby_replicas)
    streams_initial_rebalance_delay_ms = inherited(BrokerSettings.group_streams_initial_rebalance_delay_ms)
    streams_assignment_interval_ms = inherited(BrokerSettings.group_streams_assignment_interval_ms)


def _not_internal(name: str, value: str) -> str | None:
    return f"{name}: DLQ topic name must not start with '__'" if value.startswith("__") else None


def _known_assignor(name: str, value: str) -> str | None:
    if value in TASK_ASSIGNORS:
        return None
    listed = ", ".join(TASK_ASSIGNORS)
    return f"{name} '{value}' is not a registered task assignor. Registered assignors are: [{listed}]."


class NewGroupConfig:
    """The settings that Kafka 4.4 added, of share groups and streams groups."""

    streams_rack_aware_assignment_tags = inherited(BrokerSettings.group_streams_rack_aware_assignment_tags)
    streams_assignor_name = Setting(
        Kind.STRING, TASK_ASSIGNORS[0], parser(Kind.STRING, _known_assignor),
        synonyms=_of_group("streams.assignors"),
    )  # fmt: skip
    errors_deadletterqueue_topic_name = Setting(
        Kind.STRING, "", parser(Kind.STRING, _not_internal),
        synonyms=(("errors.deadletterqueue.topic.name", 1),),
    )  # fmt: skip
    errors_deadletterqueue_copy_record_enable = Setting(
        Kind.BOOLEAN,
        False,
        parser(Kind.BOOLEAN),
        synonyms=(("errors.deadletterqueue.copy.record.enable", 1),),
    )


class InternalGroupConfig:
    """Settings that Kafka 4.4 accepts and DescribeConfigs does not list.

    Kafka would compute assignments in another thread, if offload is enabled. Here, long ones are computed in
    steps. Kafka 4.4 does not assign warmup tasks yet.
    """

    consumer_assignor_offload_enable = Setting(Kind.BOOLEAN, True, parser(Kind.BOOLEAN))
    share_assignor_offload_enable = Setting(Kind.BOOLEAN, True, parser(Kind.BOOLEAN))
    streams_assignor_offload_enable = Setting(Kind.BOOLEAN, True, parser(Kind.BOOLEAN))
    streams_task_offset_interval_ms = integer(60_000, "ms", 1)
    streams_num_warmup_replicas = integer(2, "replicas", 0)
    streams_acceptable_recovery_lag = long(10_000, "offsets", 0)


class ClientMetricsConfig:
    """The settings of a client metrics subscription. Kafka: `ClientMetricsConfigs`."""

    interval_ms = Setting(Kind.INT, 300_000, parser(Kind.INT), unit="ms")
    match = any_strings()
    metrics = any_strings()


GROUP_SETTINGS: Final = settings_of(GroupConfig)
NEW_GROUP_SETTINGS: Final = settings_of(NewGroupConfig)
INTERNAL_GROUP_SETTINGS: Final = settings_of(InternalGroupConfig)
CLIENT_METRICS_SETTINGS: Final = settings_of(ClientMetricsConfig)

# Settings of groups with bounds of the broker, in the order in which Kafka checks them.
BOUNDED: Final = (
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
    "streams.task.offset.interval.ms",
    "streams.num.warmup.replicas",
)
# Settings whose bounds have another name.
_BOUND_NAMES: Final = {
    "num.standby.replicas": "standby.replicas", "num.warmup.replicas": "warmup.replicas"
}  # fmt: skip

_INTERVAL_MS: Final = range(100, 3_600_001)
_SELECTORS: Final = (
    "client_instance_id",
    "client_id",
    "client_software_name",
    "client_software_version",
    "client_source_address",
    "client_source_port",
)


def bounds_of(name: str) -> tuple[str, str]:
    """Return the names of the broker's bounds for a setting of groups."""
    protocol, rest = name.split(".", 1)
    rest = _BOUND_NAMES.get(rest, rest)
    return f"group.{protocol}.min.{rest}", f"group.{protocol}.max.{rest}"


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


# Kinds of settings that Kafka's broker has and this one has not. Every other one of these is shown as a
# string.
_OTHER_KINDS: Final = {
    "follower.fetch.last.tiered.offset.enable": Kind.BOOLEAN,
    "sasl.oauthbearer.assertion.private.key.passphrase": Kind.PASSWORD,
    "sasl.oauthbearer.client.credentials.client.secret": Kind.PASSWORD,
}
_LISTENER: Final = "listener.name."
ROOT_LOGGER: Final = "root"  # Kafka's name of the only logger here

_DYNAMIC_KINDS: Final[dict[Kind, str]] = {
    Kind.STRING: (
        "listener.security.protocol.map max.connections.per.ip.overrides sasl.kerberos.kinit.cmd "
        "sasl.kerberos.service.name sasl.mechanism.inter.broker.protocol ssl.client.auth "
        "ssl.endpoint.identification.algorithm ssl.keymanager.algorithm ssl.keystore.location "
        "ssl.keystore.type ssl.protocol ssl.provider ssl.secure.random.implementation "
        "ssl.trustmanager.algorithm ssl.truststore.location ssl.truststore.type"
    ),
    Kind.DOUBLE: "log.cleaner.io.buffer.load.factor log.cleaner.io.max.bytes.per.second",
    Kind.LIST: (
        "config.providers cordoned.log.dirs listeners metric.reporters sasl.enabled.mechanisms "
        "sasl.kerberos.principal.to.local.rules ssl.cipher.suites ssl.enabled.protocols"
    ),
    Kind.CLASS: "principal.builder.class ssl.engine.factory.class",
    Kind.PASSWORD: (
        "sasl.jaas.config ssl.key.password ssl.keystore.certificate.chain ssl.keystore.key "
        "ssl.keystore.password ssl.truststore.certificates ssl.truststore.password"
    ),
}

_PER_BROKER: Final = (
    "listeners",
    "listener.security.protocol.map",
    "principal.builder.class",
    "ssl.",
    "sasl.",
)

# Kafka accepts these only with the prefix of a listener.
_PER_LISTENER: Final = (
    "ssl.key.password",
    "ssl.keystore.certificate.chain",
    "ssl.keystore.key",
    "ssl.keystore.location",
    "ssl.keystore.password",
    "ssl.keystore.type",
    "ssl.truststore.certificates",
    "ssl.truststore.location",
    "ssl.truststore.password",
    "ssl.truststore.type",
)
_POSITIVE: Final = (
    "background.threads num.io.threads num.network.threads num.recovery.threads.per.data.dir "
    "num.replica.fetchers producer.id.expiration.ms"
)
_RETENTION: Final = "requirement failed: {} must be unlimited (-1) or, greater than or equal to 1"
_AT_LEAST_1: Final = "requirement failed: {} must be greater than or equal to 1"
_AT_LEAST_0: Final = "requirement failed: {} must be greater than or equal to 0"
_DEDUPE: Final = "requirement failed: {} must be at least 1MB per cleaner thread."
_PER_IP: Final = (
    "requirement failed: {} can be set to zero only if max.connections.per.ip.overrides property is set."
)
_USELESS: Final = (
    "Invalid value org.apache.kafka.common.config.ConfigException: Invalid {} 0 for configuration "
    "Invalid dynamic configuration"
)


def _requirement(fails: Callable[[float], bool], text: str) -> Check:
    """A check that Kafka's broker makes besides the declared bounds."""

    def check(name: str, value: float) -> str | None:
        return text.format(name) if fails(value) else None

    return check


def _not_zero(text: str, lowest: int = 0) -> Check:
    declared = at_least(lowest)

    def check(name: str, value: float) -> str | None:
        return text.format(name) if value == 0 else declared(name, value)

    return check


def _inherited_by(topic_settings: Mapping[str, Setting[Any]]) -> dict[str, Setting[Any]]:
    """Return the settings of a broker that topics inherit, with the bounds of the topic's."""
    names = {setting.synonyms[0][0]: setting for setting in topic_settings.values() if setting.synonyms}
    return {name: under_name(name, setting) for name, setting in names.items()}


def _dynamic() -> dict[str, Setting[Any]]:
    """Return the dynamic settings. Those that topics inherit are first."""
    found = _inherited_by(TOPIC_SETTINGS)
    checked: tuple[tuple[str, Kind, Check | None], ...] = (
        *((name, Kind.INT, at_least(1)) for name in _POSITIVE.split()),
        ("log.retention.ms", Kind.LONG, _not_zero(_RETENTION, lowest=-1)),
        ("log.roll.ms", Kind.LONG, _requirement(lambda value: value < 1, _AT_LEAST_1)),
        ("log.roll.jitter.ms", Kind.LONG, _requirement(lambda value: value < 0, _AT_LEAST_0)),
        ("log.cleaner.backoff.ms", Kind.LONG, at_least(0)),
        ("log.cleaner.dedupe.buffer.size", Kind.LONG, _requirement(lambda n: n <= 1 << 20, _DEDUPE)),
        ("log.cleaner.io.buffer.size", Kind.INT, at_least(0)),
        ("log.cleaner.threads", Kind.INT, _not_zero("/ by zero")),
        ("max.connection.creation.rate", Kind.INT, _not_zero(_USELESS)),
        ("max.connections", Kind.INT, _not_zero(_USELESS)),
        ("max.connections.per.ip", Kind.INT, _not_zero(_PER_IP)),
        (BrokerSettings.transaction_partition_verification_enable.name, Kind.BOOLEAN, None),
        ("group.consumer.assignment.interval.ms", Kind.INT, at_least(0)),
        ("group.share.assignment.interval.ms", Kind.INT, at_least(0)),
        ("group.coordinator.cached.buffer.max.bytes", Kind.INT, at_least(524_288)),
        *((name, kind, None) for kind, names in _DYNAMIC_KINDS.items() for name in names.split()),
    )
    found.update({name: Setting(kind, None, parser(kind, check), name=name) for name, kind, check in checked})
    return found


DYNAMIC: Final = _dynamic()
# Those that Kafka 4.4 added.
NEW_DYNAMIC: Final[dict[str, Setting[Any]]] = {
    **_inherited_by(NEW_TOPIC_SETTINGS),
    **{
        setting.name: setting
        for setting in (
            BrokerSettings.errors_deadletterqueue_auto_create_topics_enable,
            BrokerSettings.errors_deadletterqueue_topic_name_prefix,
        )
    },
}
ALL_DYNAMIC: Final = DYNAMIC | NEW_DYNAMIC


def dynamic_settings(release: Release) -> Mapping[str, Setting[Any]]:
    """Return the settings of a broker that may change at run time, in the order of their checks."""
    return ALL_DYNAMIC if release.has(Change.SETTINGS_OF_BROKERS) else DYNAMIC


def broker_setting_of(name: str) -> Setting[Any]:
    """Return how a broker's setting is read and shown. A name that is not known is read-only text."""
    if name in ALL_DYNAMIC:
        return ALL_DYNAMIC[name]
    if name.startswith(_LISTENER):
        return under_name(name, broker_setting_of(without_listener(name)))
    kind = BROKER_SETTINGS[name].kind if name in BROKER_SETTINGS else _OTHER_KINDS.get(name, Kind.STRING)
    return Setting(kind, None, parser(kind), name=name)


def without_listener(name: str) -> str:
    """Return a setting's name without the prefixes of a listener and a mechanism."""
    own = name.removeprefix(_LISTENER).partition(".")[2]
    rest = own.partition(".")[2]
    return rest if rest in ALL_DYNAMIC or rest in BROKER_SETTINGS else own


def check_broker(
    values: Mapping[str, str],
    known: Mapping[str, object],
    dynamic: Mapping[str, Setting[Any]],
    *,
    for_all: bool,
) -> None:
    """Check new dynamic values of brokers. Raises InvalidSetting.

    known: every setting of this broker. Any other name may be that of a plugin, and is not checked.
    dynamic: those that may change
    for_all: the values are the default of all brokers, not those of one.
    """
    fixed = [name for name in values if name in known and name not in dynamic]
    if fixed:
        raise InvalidSetting(f"Cannot update these configs dynamically: [{', '.join(fixed)}]")
    per_listener = [name for name in values if name in _PER_LISTENER]
    if per_listener:
        raise InvalidSetting(
            "These security configs can be dynamically updated only per-listener using the listener prefix: "
            f"[{', '.join(per_listener)}]"
        )
    for name, text in values.items():
        if name in dynamic:
            dynamic[name].read(text)
    per_broker = [name for name in values if name in dynamic and name.startswith(_PER_BROKER)]
    if for_all and per_broker:
        names = ", ".join(per_broker)
        raise InvalidSetting(
            f"Cannot update these configs at default cluster level, broker id must be specified: [{names}]"
        )


def group_settings(release: Release) -> Mapping[str, Setting[Any]]:
    """Return the settings that a client may give to a group, in the order of their checks."""
    return GROUP_SETTINGS | NEW_GROUP_SETTINGS if release.has(Change.GROUP_SETTINGS) else GROUP_SETTINGS


def may_show(name: str) -> bool:
    """Return whether the value of a setting may be shown. The type of its resource does not matter.

    A name that is not known may be that of a plugin, and Kafka treats its value as a secret.
    """
    if name in TOPIC_SETTINGS or name in CLIENT_METRICS_SETTINGS:
        return True
    if name in GROUP_SETTINGS or name in NEW_GROUP_SETTINGS:
        return True
    plain = without_listener(name) if name.startswith(_LISTENER) else name
    known = plain in ALL_DYNAMIC or plain in BROKER_SETTINGS
    return known and broker_setting_of(plain).kind not in (Kind.PASSWORD, Kind.UNKNOWN)
