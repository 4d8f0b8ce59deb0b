"""Which value of a setting is in force, and where it comes from.

A topic's own setting wins over the broker's: dynamic for this broker, then dynamic for all brokers, then what
its properties file says, then the default. What has been looked up is kept in `prepared` until replay clears
it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from tidemark.metadata.settings import Setting, text_of
from tidemark.metadata.topic_settings import TOPIC_SETTINGS, TopicConfig, typed

if TYPE_CHECKING:
    from tidemark.metadata.state import Cluster

BROKER: Final = 4


class Source:
    """Kafka's ConfigSource codes."""

    DYNAMIC_TOPIC: Final = 1
    DYNAMIC_BROKER: Final = 2
    DYNAMIC_DEFAULT_BROKER: Final = 3
    STATIC_BROKER: Final = 4
    DEFAULT: Final = 5
    CLIENT_METRICS: Final = 7
    GROUP: Final = 8


class Sourced(NamedTuple):
    """A text, the name that it was set under, and by what."""

    name: str
    value: str
    source: int


def topic_config(cluster: Cluster, name: str) -> TopicConfig:
    topic = cluster.topics.get(name)
    prepared = cluster.prepared if topic is None else topic.prepared
    config: TopicConfig | None = prepared.get("config")
    if config is None:
        config = prepared["config"] = typed(topic_settings(cluster, {} if topic is None else topic.configs))
    return config


def topic_settings(cluster: Cluster, overrides: Mapping[str, str]) -> dict[str, str]:
    """All 33 settings under these overrides, as text."""
    return {
        name: overrides[name] if name in overrides else from_broker(cluster, name).value
        for name in TOPIC_SETTINGS
    }


def from_broker(cluster: Cluster, name: str) -> Sourced:
    """What the broker gives a topic that does not set this itself."""
    known: Sourced | None = cluster.prepared.get(("topic", name))
    if known is None:
        known = cluster.prepared["topic", name] = _look_up(cluster, TOPIC_SETTINGS[name])
    return known


def _look_up(cluster: Cluster, setting: Setting) -> Sourced:
    for name, unit in setting.synonyms:
        found = next(explicit(cluster, name), None)
        if found is not None:
            return Sourced(name, _scaled(found.value, unit), found.source)
    for name, unit in setting.synonyms:
        text = cluster.broker_defaults.get(name)
        if text is not None:
            return Sourced(name, _scaled(text, unit), Source.DEFAULT)
    assert setting.default is not None
    return Sourced(setting.name, setting.default, Source.DEFAULT)


def _scaled(text: str, unit: int) -> str:
    return text.strip() if unit == 1 or int(text) < 0 else str(int(text) * unit)


def explicit(cluster: Cluster, name: str) -> Iterator[Sourced]:
    """Where somebody has set this setting of the broker, the strongest place first."""
    layers = (
        (Source.DYNAMIC_BROKER, cluster.overrides(BROKER, str(cluster.identity.node_id))),
        (Source.DYNAMIC_DEFAULT_BROKER, cluster.overrides(BROKER, "")),
        (Source.STATIC_BROKER, cluster.broker_settings),
    )
    for source, values in layers:
        if name in values:
            yield Sourced(name, values[name], source)


def broker_setting(cluster: Cluster, name: str) -> str | None:
    """The text in force for a setting of this broker; None: nobody set it and it has no default."""
    found = next(explicit(cluster, name), None)
    return found.value if found is not None else cluster.broker_defaults.get(name)


def canonical(setting: Setting, text: str) -> str:
    """A valid value as Kafka prints it."""
    return text_of(setting.parse(text))
