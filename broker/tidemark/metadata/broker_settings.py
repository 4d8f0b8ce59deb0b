"""The settings of a broker that may change at run time, and the checks of their new values.

A dynamic setting that has no effect here is accepted and stored, as Kafka does with settings that it does not
use at the moment. Kafka: `DynamicBrokerConfig`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from tidemark.settings.broker import BROKER_SETTINGS, BrokerSettings
from tidemark.settings.setting import (
    Check,
    InvalidSetting,
    Kind,
    Setting,
    at_least,
    parser,
    under_name,
)
from tidemark.settings.topic import TOPIC_SETTINGS

# Kinds of settings that Kafka's broker has and this one has not. Every other one of these is shown as a
# string.
_OTHER_KINDS: Final = {
    "follower.fetch.last.tiered.offset.enable": Kind.BOOLEAN,
    "sasl.oauthbearer.assertion.private.key.passphrase": Kind.PASSWORD,
    "sasl.oauthbearer.client.credentials.client.secret": Kind.PASSWORD,
}
_LISTENER: Final = "listener.name."

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


def _dynamic() -> dict[str, Setting[Any]]:
    """Return the dynamic settings. Those that topics inherit are first, with the bounds of the topic's."""
    found: dict[str, Setting[Any]] = {}
    for setting in TOPIC_SETTINGS.values():
        if setting.synonyms:
            name = setting.synonyms[0][0]
            found[name] = under_name(name, setting)
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
        ("group.coordinator.cached.buffer.max.bytes", Kind.INT, at_least(524_288)),
        *((name, kind, None) for kind, names in _DYNAMIC_KINDS.items() for name in names.split()),
    )
    found.update({name: Setting(kind, None, parser(kind, check), name=name) for name, kind, check in checked})
    return found


DYNAMIC: Final = _dynamic()


def broker_setting_of(name: str) -> Setting[Any]:
    """Return how a broker's setting is read and shown. A name that is not known is read-only text."""
    if name in DYNAMIC:
        return DYNAMIC[name]
    if name.startswith(_LISTENER):
        return under_name(name, broker_setting_of(without_listener(name)))
    kind = BROKER_SETTINGS[name].kind if name in BROKER_SETTINGS else _OTHER_KINDS.get(name, Kind.STRING)
    return Setting(kind, None, parser(kind), name=name)


def without_listener(name: str) -> str:
    """Return a setting's name without the prefixes of a listener and a mechanism."""
    own = name.removeprefix(_LISTENER).partition(".")[2]
    rest = own.partition(".")[2]
    return rest if rest in DYNAMIC or rest in BROKER_SETTINGS else own


def read_only(name: str) -> bool:
    return name not in DYNAMIC


def synonyms_of(name: str) -> tuple[str, ...]:
    """Return a broker's setting and those that replace it if it is not set (log.retention.ms: minutes,
    hours).
    """
    for setting in TOPIC_SETTINGS.values():
        if setting.synonyms and setting.synonyms[0][0] == name:
            return tuple(synonym for synonym, _ in setting.synonyms)
    return (name,)


def check_broker(values: Mapping[str, str], known: Mapping[str, object], *, for_all: bool) -> None:
    """Check new dynamic values of brokers. Raises InvalidSetting.

    known: every setting of this broker. Any other name may be that of a plugin, and is not checked.
    for_all: the values are the default of all brokers, not those of one.
    """
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
            DYNAMIC[name].read(text)
    per_broker = [name for name in values if name in DYNAMIC and name.startswith(_PER_BROKER)]
    if for_all and per_broker:
        names = ", ".join(per_broker)
        raise InvalidSetting(
            f"Cannot update these configs at default cluster level, broker id must be specified: [{names}]"
        )
