"""The broker's configuration: the values of its settings, read and checked.

Values are read from properties files, then from variables, then from flags; a later value replaces
an earlier one. An invalid value raises ConfigError with Kafka's message. A key that Kafka does not know is
listed in `unknown`, for one warning. Kafka's keys without a meaning here (`kafka_settings.txt`) are ignored.

settings/broker.py defines the settings.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tidemark.settings.broker import (
    ASSIGNOR_CLASSES,
    ASSIGNORS,
    HOUR_MS,
    MINUTE_MS,
    NO_EFFECT,
    SETTINGS,
    TASK_ASSIGNOR_CLASSES,
    TASK_ASSIGNORS,
    BrokerSettings,
    settings_of_release,
)
from tidemark.settings.listeners import PORT_MAX, Listener, any_address, read_listeners, replace_port
from tidemark.settings.release import RELEASES, Release, release_of
from tidemark.settings.setting import ConfigError, Setting
from tidemark_protocol.java_properties import read_properties

if TYPE_CHECKING:
    from tidemark.settings.sasl import ScramUser
    from tidemark.settings.tls import TlsSettings


CLASSIC: Final = "classic"
INTERNAL_PARTITIONS: Final = "50"
INTERNAL_REPLICAS: Final = 3
_HOST_NAME: Final = r"[0-9A-Za-z._-]+"

# Prefixes under which any name may follow: one listener's own settings, and those of plugins.
PREFIXES: Final = (
    "listener.name.",
    "config.providers.",
    "confluent.",
    "rest.",
    "remote.log.",
    "ssl.",
    "sasl.",
    "zookeeper.",
)


class Config(BrokerSettings):
    """One attribute per setting. Built by `load`; `Config()` has the defaults.

    listeners_served   the listeners to bind, each with its advertised address
    unknown            keys that neither Kafka nor tidemark knows, sorted
    """

    def __init__(self, values: Mapping[str, str] | None = None) -> None:
        """Read and check values: texts by dotted name. Raises ConfigError."""
        super().__init__()
        given = dict(values or {})
        self.release = release_of(given.get("tidemark.as", ""))
        self.given = given
        self.unknown: list[str] = []
        known = settings_of_release(self.release)
        for name, text in {**self.release.defaults, **_defaults_of_many(given), **given}.items():
            if (setting := known.get(name)) is not None:
                setattr(self, setting.attribute, setting.read(text.strip()))
            elif not name.startswith(PREFIXES) and name not in ignored_settings():
                self.unknown.append(name)
        self.unknown.sort()
        self._settle_old_names()
        self._check_together()
        self.listeners_served: list[Listener] = read_listeners(
            self.listeners,
            self.advertised_listeners,
            self.listener_security_protocol_map,
            self._controllers(),
        )
        for listener in self.listeners_served:
            if listener.port + self.tidemark_brokers - 1 > PORT_MAX:
                raise ConfigError(
                    f"{listener!r} has no {self.tidemark_brokers} ports from {listener.port} on for "
                    f"tidemark.brokers={self.tidemark_brokers}: the highest port is {PORT_MAX}"
                )
        self.first_scram_users: tuple[ScramUser, ...] = ()
        if self.tidemark_scram_users:
            from tidemark.settings.sasl import read_scram_users  # other brokers do not need it

            self.first_scram_users = read_scram_users("tidemark.scram.users", self.tidemark_scram_users)
        for listener in self.listeners_served:
            if listener.protocol.startswith("SASL_"):
                from tidemark.settings.sasl import read_sasl  # other listeners do not need it

                listener.sasl = read_sasl(listener.name, given, self.release)
            if listener.protocol.endswith("SSL"):
                from tidemark.settings.tls import read_tls  # other listeners do not need it

                listener.tls = read_tls(listener.name, given, sasl=listener.sasl is not None)
        self.http_tls: TlsSettings | None = None
        if self.tidemark_http_tls:
            from tidemark.settings.tls import read_tls

            # Clients of HTTP have tokens. Certificates are requested only by the setting with the prefix.
            self.http_tls = read_tls("HTTP", given, sasl=True)
        self.http_address: tuple[str, int] | None = _read_http(self.tidemark_http_listener)
        self.http_hosts: frozenset[str] = self._read_http_hosts()

    @property
    def data_dir(self) -> Path:
        return Path(self.log_dirs[0])

    @property
    def retention_ms(self) -> int:
        """log.retention.ms, else log.retention.minutes, else log.retention.hours. -1 means forever."""
        if self.log_retention_ms is not None:
            chosen = self.log_retention_ms
        elif self.log_retention_minutes is not None:
            chosen = self.log_retention_minutes * MINUTE_MS
        else:
            chosen = self.log_retention_hours * HOUR_MS
        return -1 if chosen < 0 else chosen

    @property
    def roll_ms(self) -> int:
        """log.roll.ms, else log.roll.hours."""
        return self.log_roll_hours * HOUR_MS if self.log_roll_ms is None else self.log_roll_ms

    @property
    def roll_jitter_ms(self) -> int:
        """log.roll.jitter.ms, else log.roll.jitter.hours."""
        return (
            self.log_roll_jitter_hours * HOUR_MS
            if self.log_roll_jitter_ms is None
            else self.log_roll_jitter_ms
        )

    def text(self, setting: Setting[Any]) -> str | None:
        """Return a setting's value as DescribeConfigs shows it."""
        return setting.text(getattr(self, setting.attribute))

    def _settle_old_names(self) -> None:
        if "broker.id" in self.given and self.broker_id >= 0:
            if "node.id" in self.given and self.node_id != self.broker_id:
                raise ConfigError("You must set `node.id` to the same value as `broker.id`.")
            self.node_id = self.broker_id
        if "log.dir" in self.given and "log.dirs" not in self.given:
            self.log_dirs = self.log_dir
        if len(self.log_dirs) > 1:
            raise ConfigError(
                f"Invalid value {','.join(self.log_dirs)} for configuration log.dirs: only one is supported"
            )

    def _check_together(self) -> None:
        """Check values that depend on each other, with the messages of Kafka 4.3.1."""
        brokers = self.tidemark_brokers
        overrides = self._per_ip  # read here, so that a wrong text stops the start
        zero_per_ip = (
            "max.connections.per.ip can be set to zero only if max.connections.per.ip.overrides property"
        )
        for refused, words in (
            (
                self.retention_ms == 0,
                "log.retention.ms must be unlimited (-1) or, greater than or equal to 1",
            ),
            (self.roll_ms < 1, "log.roll.ms must be greater than or equal to 1"),
            (self.roll_jitter_ms < 0, "log.roll.jitter.ms must be greater than or equal to 0"),
            (self.max_connections_per_ip == 0 and not overrides, f"{zero_per_ip} is set."),
            (
                len(self.tidemark_racks) not in (0, brokers),
                f"tidemark.racks has {len(self.tidemark_racks)} racks for {brokers} brokers",
            ),
            (
                len(self.tidemark_advertised_hosts) not in (0, brokers),
                f"tidemark.advertised.hosts: {len(self.tidemark_advertised_hosts)} hosts, not {brokers}",
            ),
            (
                self.tidemark_faults_file is not None and not self.tidemark_test_api,
                "tidemark.faults.file needs tidemark.test.api=true",
            ),
        ):
            if refused:
                raise ConfigError(words)
        self._check_groups()

    def _check_groups(self) -> None:
        """Check the settings of groups, in Kafka's order."""
        for name in self.group_consumer_assignors:
            if name not in ASSIGNORS and name not in ASSIGNOR_CLASSES:
                raise ConfigError(f"Class {name} cannot be found")
        self._check_task_assignors()
        self._check_span("group_consumer_", "heartbeat_interval_ms")
        self._check_span("group_consumer_", "session_timeout_ms")
        if self.group_consumer_heartbeat_interval_ms >= self.group_consumer_session_timeout_ms:
            raise ConfigError(
                "group.consumer.heartbeat.interval.ms must be less than group.consumer.session.timeout.ms"
            )
        self._check_span("group_consumer_", "assignment_interval_ms")
        self._check_share_groups()
        self._check_streams_groups()
        if CLASSIC not in self.group_coordinator_rebalance_protocols:
            raise ConfigError("Disabling the 'classic' protocol is not supported.")

    def _check_share_groups(self) -> None:
        self._check_span("group_share_", "heartbeat_interval_ms")
        self._check_span("group_share_", "session_timeout_ms")
        if self.group_share_heartbeat_interval_ms >= self.group_share_session_timeout_ms:
            raise ConfigError(
                "group.share.heartbeat.interval.ms must be less than group.share.session.timeout.ms"
            )
        self._check_span("group_share_", "assignment_interval_ms")
        for what in ("delivery_count_limit", "partition_max_record_locks", "record_lock_duration_ms"):
            chosen = f"group_share_{what}"
            for larger, smaller in ((f"group_share_max_{what}", chosen), (chosen, f"group_share_min_{what}")):
                if getattr(self, larger) < getattr(self, smaller):
                    raise ConfigError(
                        f"{larger.replace('_', '.')} must be greater than or equal to "
                        f"{smaller.replace('_', '.')}"
                    )

    def _check_task_assignors(self) -> None:
        registered: set[str] = set()
        for name in self.group_streams_assignors:
            assignor = TASK_ASSIGNOR_CLASSES.get(name, name)
            why = "Class cannot be found"
            if assignor in registered:
                why = (
                    f"Assignor name '{assignor}' is already registered by another configured assignor. "
                    "Assignor names, whether built-in or custom, must be unique"
                )
            elif assignor in TASK_ASSIGNORS:
                registered.add(assignor)
                continue
            raise ConfigError(f"Invalid value {name} for configuration group.streams.assignors: {why}")

    def _check_streams_groups(self) -> None:
        self._check_span("group_streams_", "heartbeat_interval_ms")
        self._check_span("group_streams_", "session_timeout_ms")
        if self.group_streams_heartbeat_interval_ms >= self.group_streams_session_timeout_ms:
            raise ConfigError(
                "group.streams.heartbeat.interval.ms must be less than group.streams.session.timeout.ms"
            )
        self._check_span("group_streams_", "assignment_interval_ms")
        if self.group_streams_num_standby_replicas > self.group_streams_max_standby_replicas:
            raise ConfigError(
                "group.streams.num.standby.replicas must be less than or equal to "
                "group.streams.max.standby.replicas"
            )

    def _read_http_hosts(self) -> frozenset[str]:
        """Return the host names, in lower case, that HTTP requests may be addressed to."""
        for name in self.tidemark_http_hosts:
            if not re.fullmatch(_HOST_NAME, name):
                raise ConfigError(
                    f"Invalid value {name} for configuration tidemark.http.hosts: must be a host name "
                    "without a port"
                )
        names = [*self.tidemark_http_hosts, *(listener.host for listener in self.listeners_served)]
        names += [listener.advertised[0] for listener in self.listeners_served if listener.advertised]
        names += [self.http_address[0]] if self.http_address else []
        return frozenset(name.lower() for name in names if name)

    def _check_span(self, prefix: str, what: str) -> None:
        low, chosen, high = (f"{prefix}{part}{what}" for part in ("min_", "", "max_"))
        for smaller, larger, word in (
            (low, high, "greater"),
            (low, chosen, "greater"),
            (chosen, high, "less"),
        ):
            if getattr(self, smaller) > getattr(self, larger):
                blamed, other = (larger, smaller) if word == "greater" else (smaller, larger)
                raise ConfigError(
                    f"{blamed.replace('_', '.')} must be {word} than or equal to {other.replace('_', '.')}"
                )

    def _controllers(self) -> tuple[str, ...]:
        # Settings for Kafka's images list a CONTROLLER listener but need not name it as one.
        if self.controller_listener_names or "controller" not in self.process_roles:
            return self.controller_listener_names
        return ("CONTROLLER",)


def ignored_settings() -> frozenset[str]:
    """Return Kafka's settings without a meaning here. The file is read if one of them is set."""
    return frozenset(Path(__file__).with_name("kafka_settings.txt").read_text("utf-8").split())


def load(
    files: Sequence[Path] = (),
    environment: Mapping[str, str] | None = None,
    flags: Iterable[str] = (),
    *,
    data_dir: str | None = None,
    port: int | None = None,
    http_port: int | None = None,
    not_from_file: Collection[str] = (),
) -> Config:
    """Read the configuration from files, the environment and `key=value` flags. Raises ConfigError.

    A later source and a later file replace an earlier one; data_dir, port and http_port replace all of them.
    environment     None: that of the process
    not_from_file   settings to ignore in the files
    """
    values: dict[str, str] = {}
    variables = os.environ if environment is None else environment
    for file in files:
        found = read_properties(_read(file))
        values.update((name, value) for name, value in found.items() if name not in not_from_file)
    values.update(read_environment(variables))
    flagged = read_flags(flags)
    values.update(flagged)
    if "advertised.listeners" in values and "listeners" not in values:
        values["listeners"] = any_address(values["advertised.listeners"])
    if data_dir is not None:
        values["log.dirs"] = data_dir
    if port is not None:
        values["listeners"] = _with_port(values.get("listeners", "PLAINTEXT://:9092"), port)
    if http_port is not None:
        values["tidemark.http.listener"] = replace_port(
            values.get("tidemark.http.listener") or "127.0.0.1:0", http_port
        )
    try:
        return Config(values)
    except ConfigError as error:
        raise name_variable(error, variables, replaced=flagged) from None


def _defaults_of_many(given: Mapping[str, str]) -> dict[str, str]:
    """Return the defaults that differ with several brokers: internal topics are spread, as in Kafka."""
    text = given.get("tidemark.brokers", "1").strip()
    brokers = int(text) if text.isascii() and text.isdecimal() else 1
    if brokers < 2:
        return {}
    replicas = str(min(brokers, INTERNAL_REPLICAS))
    return {
        "offsets.topic.num.partitions": INTERNAL_PARTITIONS,
        "offsets.topic.replication.factor": replicas,
        "transaction.state.log.num.partitions": INTERNAL_PARTITIONS,
        "transaction.state.log.replication.factor": replicas,
        "transaction.state.log.min.isr": str(min(brokers, INTERNAL_REPLICAS) - 1),
        "share.coordinator.state.topic.num.partitions": INTERNAL_PARTITIONS,
        "share.coordinator.state.topic.replication.factor": replicas,
        "share.coordinator.state.topic.min.isr": str(min(brokers, INTERNAL_REPLICAS) - 1),
    }


def _read(file: Path) -> str:
    try:
        return file.read_text("utf-8")
    except OSError as error:
        raise ConfigError(f"cannot read {file}: {error.strerror}") from None
    except UnicodeDecodeError:
        # Java reads properties files as Latin-1.
        return file.read_text("latin-1")


def _with_port(listeners: str, port: int) -> str:
    first, comma, others = listeners.partition(",")
    return replace_port(first, port) + comma + others


def _read_http(text: str) -> tuple[str, int] | None:
    if not text:
        return None
    host, colon, port = text.rpartition(":")
    if not colon or not port.isdecimal() or int(port) > 65535:
        raise ConfigError(f"Invalid value {text} for configuration tidemark.http.listener: must be host:port")
    return host.strip("[]"), int(port)


__all__ = [
    "NO_EFFECT",
    "RELEASES",
    "SETTINGS",
    "Config",
    "ConfigError",
    "Listener",
    "Release",
    "ignored_settings",
    "load",
]


# Variables that begin with KAFKA_ but are not settings: Kafka's images read them for the Java process.
NOT_SETTINGS: Final = frozenset((
    "KAFKA_VERSION", "KAFKA_HOME", "KAFKA_HEAP_OPTS", "KAFKA_OPTS", "KAFKA_JMX_OPTS", "KAFKA_JMX_HOSTNAME",
    "KAFKA_JMX_PORT", "KAFKA_JVM_PERFORMANCE_OPTS", "KAFKA_GC_LOG_OPTS", "KAFKA_LOG4J_OPTS",
    "KAFKA_LOG4J_ROOT_LOGLEVEL", "KAFKA_LOG4J_LOGGERS", "KAFKA_TOOLS_LOG4J_LOGLEVEL",
))  # fmt: skip


# Variables without the prefix KAFKA_ that set one setting each.
OF_OUR_OWN: Final = {"CLUSTER_ID": "tidemark.cluster.id", "TIDEMARK_TEST_API": "tidemark.test.api"}
ROOT_LEVEL: Final = "KAFKA_LOG4J_ROOT_LOGLEVEL"
LOGGERS: Final = "KAFKA_LOG4J_LOGGERS"
LOG_LEVEL: Final = "tidemark.log.level"
# The levels of log4j, the most detailed first, and the settings that they become.
LEVELS: Final = {
    "ALL": "debug", "TRACE": "debug", "DEBUG": "debug", "INFO": "info",
    "WARN": "warning", "WARNING": "warning", "ERROR": "error", "FATAL": "error", "OFF": "error",
}  # fmt: skip
OTHERS_LOGGERS: Final = ("org.apache.zookeeper", "org.I0Itec.zkclient", "io.confluent", "org.reflections")


def read_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the settings in environment variables. Raises ConfigError for an unknown log level.

    KAFKA_OFFSETS_RETENTION_MINUTES is offsets.retention.minutes: `_` is a dot, `__` is `_`, `___` is `-`.
    KAFKA_CFG_ is the prefix of Bitnami's images. Kafka's images format a new directory with CLUSTER_ID.
    """
    values = {LOG_LEVEL: level} if (level := _log_level(environment)) else {}
    for variable, value in sorted(environment.items()):
        # An empty CLUSTER_ID counts as not set, as in Kafka's images.
        if (setting := _setting_in(variable)) and (value or variable not in OF_OUR_OWN):
            values[setting] = value
    return values


def name_variable(
    error: ConfigError, environment: Mapping[str, str], replaced: Collection[str] = ()
) -> ConfigError:
    """Return the error with the variable that set the setting in its message.

    If no variable set it, or its value is replaced by a flag's, return the error as it is.
    """
    named = re.search(r" for configuration ([^ ]+): ", str(error))
    if named is None or named[1] in replaced:
        return error
    variable = next((each for each in environment if _setting_in(each) == named[1]), None)
    return error if variable is None else ConfigError(f"{error} (from the variable {variable})")


def _setting_in(variable: str) -> str | None:
    if variable in OF_OUR_OWN:
        return OF_OUR_OWN[variable]
    if variable.startswith("KAFKA_") and variable not in NOT_SETTINGS:
        name = variable.removeprefix("KAFKA_").removeprefix("CFG_").lower()
        return re.sub(r"_{1,3}", lambda match: "._-"[len(match[0]) - 1], name)
    return None


def _log_level(environment: Mapping[str, str]) -> str | None:
    """Return the log level that Kafka's images would write to log4j's configuration.

    A broker of ours has one level: the most detailed of the root's and those of Kafka's own loggers.
    """
    wanted: list[str] = []
    if root := environment.get(ROOT_LEVEL):
        wanted.append(_level(ROOT_LEVEL, root))
    for entry in filter(None, (part.strip() for part in environment.get(LOGGERS, "").split(","))):
        logger, equals, level = entry.partition("=")
        if not equals:
            raise ConfigError(f"{LOGGERS} needs NAME=LEVEL,..., got {entry!r}")
        chosen = _level(LOGGERS, level)
        if not logger.startswith(OTHERS_LOGGERS):
            wanted.append(chosen)
    return LEVELS[min(wanted, key=list(LEVELS).index)] if wanted else None


def _level(variable: str, text: str) -> str:
    # Confluent's images also name appenders after the root's level: "INFO, stdout".
    level = text.partition(",")[0].strip().upper()
    if level not in LEVELS:
        raise ConfigError(f"{variable} must have one of the levels {', '.join(LEVELS)}, got {text.strip()!r}")
    return level


def read_flags(flags: Iterable[str]) -> dict[str, str]:
    """Return the settings in key=value flags. The last value of a key counts."""
    values: dict[str, str] = {}
    for flag in flags:
        key, equals, value = flag.partition("=")
        if not equals or not key.strip():
            raise ConfigError(f"--set needs key=value, got {flag!r}")
        values[key.strip()] = value
    return values
