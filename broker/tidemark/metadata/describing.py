"""Settings as DescribeConfigs returns them: the value in force, and all values that were set for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tidemark.metadata.configs import ResourceConfigType, Source, Sourced, canonical
from tidemark.metadata.resource_settings import (
    CLIENT_METRICS_SETTINGS,
    DYNAMIC,
    GROUP_SETTINGS,
    broker_setting_of,
    read_only,
    synonyms_of,
    without_listener,
)
from tidemark.metadata.state import Cluster
from tidemark.settings.broker import BROKER_SETTINGS, BrokerSettings
from tidemark.settings.setting import Kind, Setting, parser
from tidemark.settings.topic import TOPIC_SETTINGS

_STATIC_ORDER: Final = (
    Source.DYNAMIC_BROKER,
    Source.DYNAMIC_DEFAULT_BROKER,
    Source.STATIC_BROKER,
    Source.DEFAULT,
)

# Settings of the broker that Kafka lists as synonyms of a topic's, although this broker does not have them.
_TIERED_DEFAULTS: Final = {"log.local.retention.ms": "-2", "log.local.retention.bytes": "-2"}

# Kafka's name of the only logger here, and its names of the levels of `tidemark.log.level`.
ROOT_LOGGER: Final = "root"
LOG_LEVELS: Final = {"debug": "DEBUG", "info": "INFO", "warning": "WARN", "error": "ERROR"}


@dataclass(slots=True)
class Described:
    """One setting of the response. synonyms: the values that were set, as written, the one in force first."""

    setting: Setting[Any]
    value: str | None
    synonyms: list[Sourced] = field(default_factory=list)
    read_only: bool = False

    @property
    def source(self) -> int:
        return self.synonyms[0].source if self.synonyms else Source.DEFAULT

    @property
    def sensitive(self) -> bool:
        return self.setting.kind in (Kind.PASSWORD, Kind.UNKNOWN)


def describe_topic(cluster: Cluster, overrides: Mapping[str, str]) -> Iterator[Described]:
    for name, setting in sorted(TOPIC_SETTINGS.items()):
        synonyms = _broker_synonyms(cluster, [synonym for synonym, _ in setting.synonyms])
        inherited = Described(setting, canonical(setting, cluster.configs.inherited(name).value), synonyms)
        yield _overridden(inherited, overrides, Source.DYNAMIC_TOPIC)


def describe_broker(cluster: Cluster) -> Iterator[Described]:
    changed = (
        cluster.overrides(ResourceConfigType.BROKER, name) for name in (str(cluster.identity.node_id), "")
    )
    for name in sorted({*cluster.configs.defaults, *cluster.configs.static}.union(*changed)):
        synonyms = _broker_synonyms(cluster, synonyms_of(name))
        line = Described(_setting(cluster, name), cluster.configs.of_broker(name), synonyms, read_only(name))
        if line.sensitive:
            line.value = None
        yield line


def describe_broker_defaults(cluster: Cluster) -> Iterator[Described]:
    """Return the settings that were set for all brokers."""
    for name, value in cluster.overrides(ResourceConfigType.BROKER, "").items():
        synonyms = [Sourced(name, value, Source.DYNAMIC_DEFAULT_BROKER)]
        line = Described(_setting(cluster, name), value, synonyms, read_only(name))
        if line.sensitive:
            line.value = None
        yield line


def _setting(cluster: Cluster, name: str) -> Setting[Any]:
    known = name in cluster.configs.defaults or name in cluster.configs.static or not read_only(name)
    return broker_setting_of(name) if known else Setting(Kind.UNKNOWN, None, parser(Kind.UNKNOWN), name=name)


def log_level(cluster: Cluster) -> str:
    """Return the level of the root logger, under Kafka's name."""
    return LOG_LEVELS[cluster.configs.value(BrokerSettings.tidemark_log_level)]


def describe_group(cluster: Cluster, name: str) -> Iterator[Described]:
    overrides = cluster.overrides(ResourceConfigType.GROUP, name)
    for setting in GROUP_SETTINGS.values():
        ((stand_in, _),) = setting.synonyms
        given = cluster.configs.of_broker(stand_in)
        default = setting.default_text
        synonyms = _broker_synonyms(cluster, [stand_in]) or [Sourced(stand_in, default, Source.DEFAULT)]
        inherited = Described(setting, canonical(setting, given or default), synonyms)
        yield _overridden(inherited, overrides, Source.GROUP)


def describe_client_metrics(cluster: Cluster, name: str) -> Iterator[Described]:
    overrides = cluster.overrides(ResourceConfigType.CLIENT_METRICS, name)
    for setting in CLIENT_METRICS_SETTINGS.values():
        yield _overridden(Described(setting, setting.default_text), overrides, Source.CLIENT_METRICS)


def _overridden(line: Described, overrides: Mapping[str, str], source: int) -> Described:
    """Return the line, with the resource's own value first if it has one."""
    name = line.setting.name
    if name not in overrides:
        return line
    value = canonical(line.setting, overrides[name])
    return Described(line.setting, value, [Sourced(name, value, source), *line.synonyms])


def _broker_synonyms(cluster: Cluster, names: Iterable[str]) -> list[Sourced]:
    """Return the values by precedence, then by name. As in Kafka, none if the first name has no value."""
    found = [synonym for name in names for synonym in _synonyms(cluster, name)]
    first = next(iter(names), None)
    if not any(synonym.name == first for synonym in found):
        return []
    return sorted(found, key=lambda synonym: _STATIC_ORDER.index(synonym.source))


def _synonyms(cluster: Cluster, name: str) -> Iterator[Sourced]:
    yield from cluster.configs.explicit(name)
    default = cluster.configs.defaults.get(name, _TIERED_DEFAULTS.get(name))
    if default is not None:
        yield Sourced(name, default, Source.DEFAULT)


_LISTENER: Final = "listener.name."


def may_show(name: str) -> bool:
    """Return whether the value of a setting may be shown. The type of its resource does not matter.

    A name that is not known may be that of a plugin, and Kafka treats its value as a secret.
    """
    if name in TOPIC_SETTINGS or name in GROUP_SETTINGS or name in CLIENT_METRICS_SETTINGS:
        return True
    plain = without_listener(name) if name.startswith(_LISTENER) else name
    known = plain in DYNAMIC or plain in BROKER_SETTINGS
    return known and broker_setting_of(plain).kind not in (Kind.PASSWORD, Kind.UNKNOWN)
