"""The broker's own settings as seen by clients: of which kind they are, and which may change at run time.

Values and defaults come from the configuration (`Cluster.broker_settings`, `broker_defaults`); here is only
what Kafka 4.3.1 says about the names. A dynamic setting that this broker has no use for is taken and kept all
the same, as it would be by a Kafka that has no use for it today.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from tidemark.metadata.settings import (
    Check,
    InvalidSetting,
    Kind,
    Setting,
    Value,
    at_least,
)
from tidemark.metadata.topic_settings import TOPIC_SETTINGS

_KINDS: Final[dict[Kind, str]] = {
    Kind.BOOLEAN: (
        "auto.create.topics.enable delete.topic.enable log.cleaner.enable tidemark.recovery.cut.corrupt "
        "tidemark.test.api follower.fetch.last.tiered.offset.enable "
        "transaction.partition.verification.enable"
    ),
    Kind.INT: (
        "broker.id default.replication.factor fetch.max.bytes group.consumer.heartbeat.interval.ms "
        "group.consumer.max.assignment.interval.ms group.consumer.max.heartbeat.interval.ms "
        "group.consumer.max.session.timeout.ms group.consumer.max.size "
        "group.consumer.min.assignment.interval.ms group.consumer.min.heartbeat.interval.ms "
        "group.consumer.min.session.timeout.ms group.consumer.session.timeout.ms "
        "group.coordinator.append.linger.ms group.initial.rebalance.delay.ms group.max.session.timeout.ms "
        "group.max.size group.min.session.timeout.ms log.flush.offset.checkpoint.interval.ms "
        "log.retention.hours log.retention.minutes log.roll.hours log.roll.jitter.hours "
        "max.incremental.fetch.session.cache.slots max.request.partition.size.limit metrics.num.samples "
        "node.id num.partitions offset.metadata.max.bytes offsets.commit.timeout.ms "
        "offsets.load.buffer.size offsets.retention.minutes offsets.topic.compression.codec "
        "offsets.topic.num.partitions offsets.topic.segment.bytes queued.max.requests request.timeout.ms "
        "socket.listen.backlog.size socket.receive.buffer.bytes socket.request.max.bytes "
        "socket.send.buffer.bytes tidemark.connection.requests.max tidemark.connection.unsent.max.bytes "
        "tidemark.http.connections.max tidemark.stop.timeout.ms tidemark.sync.interval.ms"
    ),
    Kind.SHORT: "offsets.topic.replication.factor",
    Kind.LONG: (
        "connections.max.idle.ms log.flush.scheduler.interval.ms log.retention.check.interval.ms "
        "metadata.log.max.record.bytes.between.snapshots metrics.sample.window.ms "
        "offsets.retention.check.interval.ms"
    ),
    Kind.LIST: (
        "advertised.listeners controller.listener.names group.consumer.assignors "
        "group.coordinator.rebalance.protocols log.dir log.dirs process.roles tidemark.http.hosts"
    ),
}

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

# Kafka takes these with the prefix of a listener only.
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
    """What Kafka's broker checks of a value beside the bounds that it declares."""

    def check(name: str, value: Value) -> str | None:
        assert isinstance(value, int | float)
        return text.format(name) if fails(value) else None

    return check


def _not_zero(text: str, lowest: int = 0) -> Check:
    declared = at_least(lowest)

    def check(name: str, value: Value) -> str | None:
        return text.format(name) if value == 0 else declared(name, value)

    return check


def _dynamic() -> dict[str, Setting]:
    """First those that stand behind a topic's settings, under the same bounds."""
    found = {
        setting.synonyms[0][0]: Setting(setting.synonyms[0][0], setting.kind, setting.default, setting.check)
        for setting in TOPIC_SETTINGS.values()
        if setting.synonyms
    }
    checked: tuple[tuple[str, Kind, Check], ...] = (
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
        ("group.consumer.assignment.interval.ms", Kind.INT, at_least(0)),
        ("group.coordinator.cached.buffer.max.bytes", Kind.INT, at_least(524_288)),
    )
    found.update({name: Setting(name, kind, None, check) for name, kind, check in checked})
    for kind, names in _DYNAMIC_KINDS.items():
        found.update({name: Setting(name, kind, None) for name in names.split()})
    return found


DYNAMIC: Final = _dynamic()
KINDS: Final = {name: kind for kind, names in _KINDS.items() for name in names.split()}


def broker_setting_of(name: str) -> Setting:
    """What is not known is text that nobody may change."""
    return DYNAMIC.get(name) or Setting(name, KINDS.get(name, Kind.STRING), None)


def read_only(name: str) -> bool:
    return name not in DYNAMIC


def synonyms_of(name: str) -> tuple[str, ...]:
    """A setting of the broker and those that stand in for it (log.retention.ms: minutes, hours)."""
    for setting in TOPIC_SETTINGS.values():
        if setting.synonyms and setting.synonyms[0][0] == name:
            return tuple(synonym for synonym, _ in setting.synonyms)
    return (name,)


def check_broker(values: Mapping[str, str], known: Mapping[str, object], *, for_all: bool) -> None:
    """Raises InvalidSetting. known: every setting of this broker; another name is some plugin's business."""
    fixed = [name for name in values if name in known and read_only(name)]
    if fixed:
        raise InvalidSetting(f"Cannot update these configs dynamically: [{', '.join(fixed)}]")
    per_listener = [name for name in values if name in _PER_LISTENER]
    if per_listener:
        raise InvalidSetting(
            "These security configs can be dynamically updated only per-listener using the listener prefix: "
            f"[{', '.join(per_listener)}]"
        )
    for name, text in values.items():
        if name in DYNAMIC:
            DYNAMIC[name].parse(text)
    per_broker = [name for name in values if name in DYNAMIC and name.startswith(_PER_BROKER)]
    if for_all and per_broker:
        names = ", ".join(per_broker)
        raise InvalidSetting(
            f"Cannot update these configs at default cluster level, broker id must be specified: [{names}]"
        )
