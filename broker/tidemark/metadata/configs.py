"""Settings of topics, brokers, groups and client metrics: which value is in force, and where it was set.

The own value of a topic or group has precedence over the broker's. For the broker, a value set for this
broker alone precedes one set for all brokers, which precedes the properties file, which precedes the default.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeVar

from tidemark.settings.broker import BROKER_SETTINGS, BrokerSettings
from tidemark.settings.release import Change
from tidemark.settings.setting import InvalidSetting, Setting
from tidemark.settings.topic import NEW_TOPIC_SETTINGS, TOPIC_SETTINGS, topic_settings
from tidemark_protocol.records.config_record import ConfigRecord


class ResourceConfigType:
    """Kafka's ConfigResource.Type codes."""

    TOPIC: Final = 2
    BROKER: Final = 4
    BROKER_LOGGER: Final = 8
    CLIENT_METRICS: Final = 16
    GROUP: Final = 32


class Source:
    """Kafka's ConfigSource codes. Those of a broker's values are in the order of their precedence."""

    DYNAMIC_TOPIC: Final = 1
    DYNAMIC_BROKER: Final = 2
    DYNAMIC_DEFAULT_BROKER: Final = 3
    STATIC_BROKER: Final = 4
    DEFAULT: Final = 5
    BROKER_LOGGER: Final = 6
    CLIENT_METRICS: Final = 7
    GROUP: Final = 8


# Defaults of Kafka's internal settings of brokers, which tidemark does not have: bounds of those of groups.
INTERNAL_BOUNDS: Final = {
    "group.streams.min.task.offset.interval.ms": 15_000, "group.streams.max.warmup.replicas": 20
}  # fmt: skip

T = TypeVar("T")
ConfigKey = tuple[int, str]


class Sourced(NamedTuple):
    """A value as text, the name that it was set under, and the Source code of where."""

    name: str
    value: str
    source: int


class GroupSettings(NamedTuple):
    """The settings in force for one KIP-848 group. Kafka: `GroupConfig`.

    session_timeout_ms         a member without a heartbeat for this long is removed
    heartbeat_interval_ms      how often members must send heartbeats
    assignment_interval_ms     the least time between two target assignments (KIP-1263); 0: none
    """

    session_timeout_ms: int
    heartbeat_interval_ms: int
    assignment_interval_ms: int


class StreamsGroupSettings(NamedTuple):
    """The settings in force for one streams group. Kafka: `GroupConfig`.

    session_timeout_ms          a member without a heartbeat for this long is removed
    heartbeat_interval_ms       how often members must send heartbeats
    assignment_interval_ms      the least time between two target assignments; 0: none
    initial_rebalance_delay_ms  how long the first assignment waits for more members
    num_standby_replicas        how many copies of each stateful task there are
    task_offset_interval_ms     how often members must report task offsets
    acceptable_recovery_lag     up to this lag, a copy of a task's state counts as complete
    rack_aware_assignment_tags  client tags that each member should have
    """

    session_timeout_ms: int
    heartbeat_interval_ms: int
    assignment_interval_ms: int
    initial_rebalance_delay_ms: int
    num_standby_replicas: int
    task_offset_interval_ms: int
    acceptable_recovery_lag: int
    rack_aware_assignment_tags: tuple[str, ...]


class ShareGroupSettings(NamedTuple):
    """The settings in force for one share group. Kafka: `GroupConfig`, `ShareGroupConfigProvider`.

    session_timeout_ms          a member without a heartbeat for this long is removed
    heartbeat_interval_ms       how often members must send heartbeats
    assignment_interval_ms      the least time between two target assignments; 0: none
    record_lock_duration_ms     how long a member may keep a record
    delivery_count_limit        how often a record is delivered at most
    partition_max_record_locks  how many records of a partition may be in flight
    auto_offset_reset           "latest", "earliest" or "by_duration:<PnDTnHnMn.nS>", in any case
    isolation_level             "read_uncommitted" or "read_committed"
    renew_acknowledge_enable    members may extend their locks
    dead_letter_topic           errors.deadletterqueue.topic.name; "" for none
    copy_dead_letters           errors.deadletterqueue.copy.record.enable
    """

    session_timeout_ms: int
    heartbeat_interval_ms: int
    assignment_interval_ms: int
    record_lock_duration_ms: int
    delivery_count_limit: int
    partition_max_record_locks: int
    auto_offset_reset: str
    isolation_level: str
    renew_acknowledge_enable: bool
    dead_letter_topic: str
    copy_dead_letters: bool


_POSITIONS: Final = {name: position for position, name in enumerate((*TOPIC_SETTINGS, *NEW_TOPIC_SETTINGS))}
# Kafka's names of the levels of `tidemark.log.level`.
_LOG_LEVELS: Final = {"debug": "DEBUG", "info": "INFO", "warning": "WARN", "error": "ERROR"}


class Configs:
    """The settings of one cluster as one broker sees them. Only `replay` and `remove_topic` change them.

    dynamic    (resource type, resource name) -> values that ConfigRecords have set
    settings   the settings with which this broker started
    static     their texts, from the properties file, environment and command line
    defaults   every setting that this broker knows, with its default; None: it has no default
    topic      the settings that a client may give to a topic
    """

    __slots__ = (
        "_defaults_of_topics", "_groups", "_inherited", "_inherited_values", "_node",
        "_share_groups", "_streams_groups", "_values", "defaults", "dynamic", "settings", "static", "topic",
    )  # fmt: skip

    def __init__(
        self, node_id: int, settings: BrokerSettings, defaults: Mapping[str, str | None] | None = None
    ) -> None:
        self.dynamic: dict[ConfigKey, dict[str, str]] = {}
        self.settings = settings
        self.static = settings.given
        self.defaults: Mapping[str, str | None] = settings.default_texts() if defaults is None else defaults
        self.topic = topic_settings(settings.release)
        # Kafka lists some of these as synonyms of a topic's, although this broker does not have them.
        self._defaults_of_topics = {
            each.synonyms[0][0]: each.default_text for each in self.topic.values() if each.synonyms
        }
        self._node = str(node_id)
        # The values that were resolved since the last change.
        self._values: dict[str, Any] = {}
        self._inherited: dict[str, Sourced] = {}
        self._inherited_values: dict[str, Any] = {}
        self._groups: dict[str | None, GroupSettings] = {}
        self._share_groups: dict[str | None, ShareGroupSettings] = {}
        self._streams_groups: dict[str | None, StreamsGroupSettings] = {}

    def of_node(self, node_id: int) -> Configs:
        """Return the settings as a node of this process has them now. All nodes share one properties file."""
        if str(node_id) == self._node:
            return self
        found = Configs(node_id, self.settings, self.defaults)
        found.dynamic = self.dynamic
        found.static = {**self.static, "node.id": str(node_id)}
        return found

    def replay(self, value: ConfigRecord) -> None:
        values = self.dynamic.setdefault((value.resource_type, value.resource_name), {})
        if value.value is None:
            values.pop(value.name, None)
        else:
            values[value.name] = value.value
        if value.resource_type == ResourceConfigType.BROKER:
            self._values.clear()
            self._inherited.clear()
            self._inherited_values.clear()
            self._groups.clear()
            self._share_groups.clear()
            self._streams_groups.clear()
        elif value.resource_type == ResourceConfigType.GROUP:
            self._groups.pop(value.resource_name, None)
            self._share_groups.pop(value.resource_name, None)
            self._streams_groups.pop(value.resource_name, None)

    def of_topic(self, name: str) -> dict[str, str]:
        """Return the dict that holds a topic's own values now and in the future."""
        return self.dynamic.setdefault((ResourceConfigType.TOPIC, name), {})

    def remove_topic(self, name: str) -> None:
        self.dynamic.pop((ResourceConfigType.TOPIC, name), None)

    def overrides(self, resource_type: int, name: str) -> Mapping[str, str]:
        """Return the dynamic values of a resource. A broker resource named "" is the cluster-wide default."""
        return self.dynamic.get((resource_type, name), {})

    def topic_settings(self, overrides: Mapping[str, str]) -> dict[str, str]:
        """Return all settings of a topic that has these values of its own, as text."""
        return {
            name: overrides[name] if name in overrides else self.inherited(name).value for name in self.topic
        }

    def inherited(self, name: str) -> Sourced:
        """Return the value that the broker gives to a topic without a value of its own."""
        known = self._inherited.get(name)
        if known is None:
            known = self._inherited[name] = self._look_up(self.topic[name])
        return known

    def inherited_value(self, name: str) -> Any:
        """Return what `inherited` returns, read from its text."""
        if name not in self._inherited_values:
            self._inherited_values[name] = TOPIC_SETTINGS[name].read(self.inherited(name).value)
        return self._inherited_values[name]

    def _look_up(self, setting: Setting[Any]) -> Sourced:
        for name, unit in setting.synonyms:
            found = next(self.explicit(name), None)
            if found is not None:
                return Sourced(name, _scaled(found.value, unit), found.source)
        for name, unit in setting.synonyms:
            text = self.defaults.get(name)
            if text is not None:
                return Sourced(name, _scaled(text, unit), Source.DEFAULT)
        return Sourced(setting.name, setting.default_text, Source.DEFAULT)

    def explicit(self, name: str) -> Iterator[Sourced]:
        """Yield the values that were set for a setting of this broker, the one in force first."""
        layers = (
            (Source.DYNAMIC_BROKER, self.overrides(ResourceConfigType.BROKER, self._node)),
            (Source.DYNAMIC_DEFAULT_BROKER, self.overrides(ResourceConfigType.BROKER, "")),
            (Source.STATIC_BROKER, self.static),
        )
        for source, values in layers:
            if name in values:
                yield Sourced(name, values[name], source)

    def synonyms(self, names: Sequence[str]) -> list[Sourced]:
        """Return all values of these settings of the broker, as written: by precedence, then by name.

        As in Kafka, none if the first name has no value.
        """
        found: list[Sourced] = []
        for name in names:
            found += self.explicit(name)
            default = self.defaults.get(name, self._defaults_of_topics.get(name))
            if default is not None:
                found.append(Sourced(name, default, Source.DEFAULT))
        if not any(synonym.name == names[0] for synonym in found):
            return []
        return sorted(found, key=lambda synonym: synonym.source)

    def names_of_broker(self) -> list[str]:
        """Return every setting of this broker that has a definition or a value."""
        own, all_brokers = (self.overrides(ResourceConfigType.BROKER, name) for name in (self._node, ""))
        return sorted({*self.defaults, *self.static, *own, *all_brokers})

    def of_broker(self, name: str) -> str | None:
        """Return the value in force for a setting of this broker. None: it is not set and has no default."""
        found = next(self.explicit(name), None)
        return found.value if found is not None else self.defaults.get(name)

    def value(self, setting: Setting[T]) -> T:
        """Return the value in force for a setting of `BrokerSettings`."""
        known = self._values.get(setting.name)
        if known is None:
            found = next(self.explicit(setting.name), None)
            known = self._values[setting.name] = (
                getattr(self.settings, setting.attribute) if found is None else setting.read(found.value)
            )
        value: T = known
        return value

    def group_settings(self, group_id: str) -> GroupSettings:
        """Return the settings in force for a KIP-848 group: its own, or else the broker's."""
        own = self.dynamic.get((ResourceConfigType.GROUP, group_id), {})  # not a call, for each heartbeat
        key = group_id if own else None  # groups without settings of their own share one entry
        known = self._groups.get(key)
        if known is None:
            known = self._groups[key] = GroupSettings(
                self._of_group(
                    own,
                    BrokerSettings.group_consumer_session_timeout_ms,
                    BrokerSettings.group_consumer_min_session_timeout_ms,
                    BrokerSettings.group_consumer_max_session_timeout_ms,
                ),
                self._of_group(
                    own,
                    BrokerSettings.group_consumer_heartbeat_interval_ms,
                    BrokerSettings.group_consumer_min_heartbeat_interval_ms,
                    BrokerSettings.group_consumer_max_heartbeat_interval_ms,
                ),
                self._of_group(
                    own,
                    BrokerSettings.group_consumer_assignment_interval_ms,
                    BrokerSettings.group_consumer_min_assignment_interval_ms,
                    BrokerSettings.group_consumer_max_assignment_interval_ms,
                ),
            )
        return known

    def share_group_settings(self, group_id: str) -> ShareGroupSettings:
        """Return the settings in force for a share group: its own, or else the broker's."""
        own = self.dynamic.get((ResourceConfigType.GROUP, group_id), {})
        key = group_id if own else None
        known = self._share_groups.get(key)
        if known is None:
            broker = BrokerSettings
            known = self._share_groups[key] = ShareGroupSettings(
                self._of_group(
                    own,
                    broker.group_share_session_timeout_ms,
                    broker.group_share_min_session_timeout_ms,
                    broker.group_share_max_session_timeout_ms,
                ),
                self._of_group(
                    own,
                    broker.group_share_heartbeat_interval_ms,
                    broker.group_share_min_heartbeat_interval_ms,
                    broker.group_share_max_heartbeat_interval_ms,
                ),
                self._of_group(
                    own,
                    broker.group_share_assignment_interval_ms,
                    broker.group_share_min_assignment_interval_ms,
                    broker.group_share_max_assignment_interval_ms,
                ),
                self._of_group(
                    own,
                    broker.group_share_record_lock_duration_ms,
                    broker.group_share_min_record_lock_duration_ms,
                    broker.group_share_max_record_lock_duration_ms,
                ),
                self._of_group(
                    own,
                    broker.group_share_delivery_count_limit,
                    broker.group_share_min_delivery_count_limit,
                    broker.group_share_max_delivery_count_limit,
                ),
                self._of_group(
                    own,
                    broker.group_share_partition_max_record_locks,
                    broker.group_share_min_partition_max_record_locks,
                    broker.group_share_max_partition_max_record_locks,
                ),
                own.get("share.auto.offset.reset", "latest"),
                own.get("share.isolation.level", "read_uncommitted"),
                own.get("share.renew.acknowledge.enable", "true").lower() == "true",
                own.get("errors.deadletterqueue.topic.name", ""),
                own.get("errors.deadletterqueue.copy.record.enable", "false").lower() == "true",
            )
        return known

    def streams_group_settings(self, group_id: str) -> StreamsGroupSettings:
        """Return the settings in force for a streams group: its own, or else the broker's."""
        own = self.dynamic.get((ResourceConfigType.GROUP, group_id), {})
        key = group_id if own else None
        known = self._streams_groups.get(key)
        if known is None:
            broker = BrokerSettings
            delay_ms = broker.group_streams_initial_rebalance_delay_ms
            replicas = broker.group_streams_num_standby_replicas
            # A broker without streams groups does not need this module.
            from tidemark.settings.resources import InternalGroupConfig

            interval_ms = InternalGroupConfig.streams_task_offset_interval_ms
            recovery_lag = InternalGroupConfig.streams_acceptable_recovery_lag
            known = self._streams_groups[key] = StreamsGroupSettings(
                self._of_group(
                    own,
                    broker.group_streams_session_timeout_ms,
                    broker.group_streams_min_session_timeout_ms,
                    broker.group_streams_max_session_timeout_ms,
                ),
                self._of_group(
                    own,
                    broker.group_streams_heartbeat_interval_ms,
                    broker.group_streams_min_heartbeat_interval_ms,
                    broker.group_streams_max_heartbeat_interval_ms,
                ),
                self._of_group(
                    own,
                    broker.group_streams_assignment_interval_ms,
                    broker.group_streams_min_assignment_interval_ms,
                    broker.group_streams_max_assignment_interval_ms,
                ),
                self._of_group(own, delay_ms, None, None),
                self._of_group(own, replicas, None, broker.group_streams_max_standby_replicas),
                int(own.get(interval_ms.name, interval_ms.default)),
                int(own.get(recovery_lag.name, recovery_lag.default)),
                self._rack_aware_tags(own),
            )
        return known

    def _rack_aware_tags(self, own: Mapping[str, str]) -> tuple[str, ...]:
        if not self.settings.release.has(Change.GROUP_SETTINGS):  # a directory of 4.4 may have set it
            return ()
        setting = BrokerSettings.group_streams_rack_aware_assignment_tags
        text = own.get(setting.name.removeprefix("group."))
        return self.value(setting) if text is None else setting.read(text)

    def _of_group(
        self,
        own: Mapping[str, str],
        of_broker: Setting[int],
        least: Setting[int] | None,
        most: Setting[int] | None,
    ) -> int:
        """Return a group's own value, or else the broker's.

        A value that the broker's bounds exclude counts as the bound, because the bounds may have changed
        since it was set. Kafka: `GroupConfig.evaluate`.
        """
        found = next(self.explicit(of_broker.name), None)
        text = own.get(of_broker.name.removeprefix("group."), None if found is None else found.value)
        if text is None:
            return self.value(of_broker)
        value = int(text) if most is None else min(self.value(most), int(text))
        return value if least is None else max(self.value(least), value)

    @property
    def log_level(self) -> str:
        """The level of the root logger, under Kafka's name."""
        return _LOG_LEVELS[self.value(BrokerSettings.tidemark_log_level)]

    def check_topic(self, overrides: Mapping[str, str]) -> None:
        """Check new values of a topic. Raises InvalidSetting for the first one that Kafka refuses."""
        for name in overrides:
            if name not in self.topic:
                raise InvalidSetting(f"Unknown topic config name: {name}")
        values = {
            name: self.topic[name].read(overrides[name])
            for name in sorted(overrides, key=_POSITIONS.__getitem__)
        }
        least, most = (
            values[name] if name in values else self.inherited_value(name)
            for name in ("min.compaction.lag.ms", "max.compaction.lag.ms")
        )
        if least > most:
            raise InvalidSetting(
                f"conflict topic config setting min.compaction.lag.ms ({least}) > "
                f"max.compaction.lag.ms ({most})"
            )
        if values.get("remote.storage.enable"):
            raise InvalidSetting(
                "Tiered Storage functionality is disabled in the broker. "
                "Topic cannot be configured with remote log storage."
            )

    def check_group(self, values: Mapping[str, str]) -> None:
        """Check new values of a group, also against the broker's bounds. Raises InvalidSetting."""
        from tidemark.settings.resources import (
            BOUNDED,
            GROUP_SETTINGS,
            INTERNAL_GROUP_SETTINGS,
            bounds_of,
            group_settings,
        )

        settings = group_settings(self.settings.release)
        if self.settings.release.has(Change.GROUP_SETTINGS):
            settings = {**settings, **INTERNAL_GROUP_SETTINGS}
        for name in values:
            if name not in settings:
                raise InvalidSetting(f"Unknown group config name: {name}")
        parsed = {name: known.read(values[name]) for name, known in settings.items() if name in values}
        for name in BOUNDED:
            if name in parsed:
                least, most = bounds_of(name)
                lowest, highest = self._bound(least), self._bound(most)
                if self.settings.release.has(Change.TEXTS_OF_CONFIGS):
                    _check_bounds(name, parsed[name], lowest, highest)
                    continue
                if lowest is not None and parsed[name] < lowest:
                    raise InvalidSetting(f"{name} must be greater than or equal to {least}")
                if highest is not None and parsed[name] > highest:
                    raise InvalidSetting(f"{name} must be less than or equal to {most}")
        for protocol in ("consumer", "share", "streams"):
            session, heartbeat = f"{protocol}.session.timeout.ms", f"{protocol}.heartbeat.interval.ms"
            longer, shorter = (
                parsed[name]
                if name in parsed
                else int(self.of_broker(f"group.{name}") or GROUP_SETTINGS[name].default)
                for name in (session, heartbeat)
            )
            if longer <= shorter:
                raise InvalidSetting(f"{session} must be greater than {heartbeat}")

    def _bound(self, name: str) -> int | None:
        """Return the value of a broker's bound. None: there is no such bound."""
        known = BROKER_SETTINGS.get(name)
        return INTERNAL_BOUNDS.get(name) if known is None else int(self.of_broker(name) or known.default)


def _check_bounds(name: str, value: int, lowest: int | None, highest: int | None) -> None:
    """Raise InvalidSetting if a setting of a group is out of the broker's bounds, with their values."""
    if (lowest is None or value >= lowest) and (highest is None or value <= highest):
        return
    if lowest is None:
        raise InvalidSetting(f"{name} must be less than or equal to {highest}")
    if highest is None:
        raise InvalidSetting(f"{name} must be greater than or equal to {lowest}")
    raise InvalidSetting(f"{name} must be in the range {lowest} to {highest} inclusive.")


def _scaled(text: str, unit: int) -> str:
    return text.strip() if unit == 1 or int(text) < 0 else str(int(text) * unit)


def canonical(setting: Setting[Any], text: str) -> str:
    """Return a valid text as Kafka prints its value."""
    return setting.text(setting.read(text)) or ""
