"""Settings as DescribeConfigs lists them: the value in force, and every place that has a say in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tidemark.metadata.broker_settings import broker_setting_of, read_only, synonyms_of
from tidemark.metadata.configs import ResourceConfigType, Source, Sourced, canonical
from tidemark.metadata.resource_settings import CLIENT_METRICS_SETTINGS, GROUP_SETTINGS
from tidemark.metadata.state import Cluster
from tidemark.settings.setting import Kind, Setting, parser
from tidemark.settings.topic import TOPIC_SETTINGS

_STATIC_ORDER: Final = (
    Source.DYNAMIC_BROKER,
    Source.DYNAMIC_DEFAULT_BROKER,
    Source.STATIC_BROKER,
    Source.DEFAULT,
)

# Settings of the broker that Kafka names beside a topic's though nothing here reads them.
_TIERED_DEFAULTS: Final = {"log.local.retention.ms": "-2", "log.local.retention.bytes": "-2"}


@dataclass(slots=True)
class Described:
    """One line of the answer. places: where a value stands, as it was written; the one in force first."""

    setting: Setting[Any]
    value: str | None
    places: list[Sourced] = field(default_factory=list)
    read_only: bool = False

    @property
    def source(self) -> int:
        return self.places[0].source if self.places else Source.DEFAULT

    @property
    def sensitive(self) -> bool:
        return self.setting.kind in (Kind.PASSWORD, Kind.UNKNOWN)


def describe_topic(cluster: Cluster, overrides: Mapping[str, str]) -> Iterator[Described]:
    for name, setting in sorted(TOPIC_SETTINGS.items()):
        places = _broker_places(cluster, [synonym for synonym, _ in setting.synonyms])
        inherited = Described(setting, canonical(setting, cluster.configs.inherited(name).value), places)
        yield _overridden(inherited, overrides, Source.DYNAMIC_TOPIC)


def describe_broker(cluster: Cluster) -> Iterator[Described]:
    changed = (
        cluster.overrides(ResourceConfigType.BROKER, name) for name in (str(cluster.identity.node_id), "")
    )
    for name in sorted({*cluster.configs.defaults, *cluster.configs.static}.union(*changed)):
        places = _broker_places(cluster, synonyms_of(name))
        line = Described(_setting(cluster, name), cluster.configs.of_broker(name), places, read_only(name))
        if line.sensitive:
            line.value = None
        yield line


def describe_broker_defaults(cluster: Cluster) -> Iterator[Described]:
    """Only what was set for all brokers."""
    for name, value in cluster.overrides(ResourceConfigType.BROKER, "").items():
        places = [Sourced(name, value, Source.DYNAMIC_DEFAULT_BROKER)]
        line = Described(_setting(cluster, name), value, places, read_only(name))
        if line.sensitive:
            line.value = None
        yield line


def _setting(cluster: Cluster, name: str) -> Setting[Any]:
    known = name in cluster.configs.defaults or name in cluster.configs.static or not read_only(name)
    return broker_setting_of(name) if known else Setting(Kind.UNKNOWN, None, parser(Kind.UNKNOWN), name=name)


def describe_group(cluster: Cluster, name: str) -> Iterator[Described]:
    overrides = cluster.overrides(ResourceConfigType.GROUP, name)
    for setting in GROUP_SETTINGS.values():
        ((stand_in, _),) = setting.synonyms
        given = cluster.configs.of_broker(stand_in)
        default = setting.default_text
        places = _broker_places(cluster, [stand_in]) or [Sourced(stand_in, default, Source.DEFAULT)]
        inherited = Described(setting, canonical(setting, given or default), places)
        yield _overridden(inherited, overrides, Source.GROUP)


def describe_client_metrics(cluster: Cluster, name: str) -> Iterator[Described]:
    overrides = cluster.overrides(ResourceConfigType.CLIENT_METRICS, name)
    for setting in CLIENT_METRICS_SETTINGS.values():
        yield _overridden(Described(setting, setting.default_text), overrides, Source.CLIENT_METRICS)


def _overridden(line: Described, overrides: Mapping[str, str], source: int) -> Described:
    """The line as it is, or with the resource's own value in front."""
    name = line.setting.name
    if name not in overrides:
        return line
    value = canonical(line.setting, overrides[name])
    return Described(line.setting, value, [Sourced(name, value, source), *line.places])


def _broker_places(cluster: Cluster, names: Iterable[str]) -> list[Sourced]:
    """By strength, then by name. Where the first name has no value anywhere, Kafka shows none at all."""
    found = [place for name in names for place in _places(cluster, name)]
    first = next(iter(names), None)
    if not any(place.name == first for place in found):
        return []
    return sorted(found, key=lambda place: _STATIC_ORDER.index(place.source))


def _places(cluster: Cluster, name: str) -> Iterator[Sourced]:
    yield from cluster.configs.explicit(name)
    default = cluster.configs.defaults.get(name, _TIERED_DEFAULTS.get(name))
    if default is not None:
        yield Sourced(name, default, Source.DEFAULT)
