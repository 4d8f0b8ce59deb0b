"""Every setting, once: Kafka's dotted name (the attribute's underscores are its dots), default, unit, bounds.

Read from a properties file, then KAFKA_* variables, then flags; the later one counts. A wrong value is a
ConfigError in Kafka's words; keys that Kafka does not know are gathered in `unknown` for one warning; Kafka's
keys that mean nothing here (`kafka_settings.txt`) are taken in silence. Defaults are Kafka 4.3.1's where no
comment says otherwise.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from tidemark.settings.listeners import Listener, any_address, read_listeners, replace_port
from tidemark.settings.profile import PROFILES, Profile, profile_of
from tidemark.settings.setting import (
    ConfigError,
    Setting,
    boolean,
    double,
    integer,
    level,
    long,
    one_of,
    one_of_any_case,
    optional_integer,
    optional_long,
    optional_string,
    short,
    string,
    strings,
    strings_out_of,
)
from tidemark.settings.sources import read_environment, read_flags
from tidemark_protocol.java_properties import read_properties

LONG_MAX: Final = 2**63 - 1
INT_MAX: Final = 2**31 - 1
HOUR_MS: Final = 3_600_000
_HOST_NAME: Final = re.compile(r"[0-9A-Za-z._-]+")
ASSIGNORS: Final = ("uniform", "range")
NO_EFFECT: Final = "Checked, without effect so far."

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


class Config:
    """One attribute per setting. Built by `load`; a bare `Config()` has the defaults.

    profile     what `--as` chose
    listeners_served   where to accept, with what each listener advertises
    given       dotted name -> text, of what somebody set
    unknown     keys that nobody knows, sorted
    """

    # The node.
    node_id = integer(1, "id", low=0)
    broker_id = integer(-1, "id", about="The old name of node.id.")
    process_roles = strings_out_of("", "broker", "controller")
    controller_listener_names = strings(
        about="These listeners are left out: there is no controller to reach."
    )
    log_dirs = strings(
        "./tidemark-data", unit="directory", about="One directory; formatted at the first start."
    )
    log_dir = strings(unit="directory", about="Taken where log.dirs is not given.")
    broker_rack = optional_string("rack")

    # Listeners and connections.
    listeners = strings("PLAINTEXT://:9092", unit="NAME://host:port")
    advertised_listeners = strings(
        unit="NAME://host:port", about="Without it a client is told the local address of its own connection."
    )
    listener_security_protocol_map = string(
        "SASL_SSL:SASL_SSL,PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT", "NAME:PROTOCOL"
    )
    inter_broker_listener_name = optional_string("listener name", about=NO_EFFECT)
    socket_request_max_bytes = integer(
        104_857_600, "bytes", low=1, about="A larger frame closes its connection."
    )
    socket_listen_backlog_size = integer(50, "connections", low=1, about=NO_EFFECT)
    socket_send_buffer_bytes = integer(102_400, "bytes", about=NO_EFFECT)
    socket_receive_buffer_bytes = integer(102_400, "bytes", about=NO_EFFECT)
    max_connections = integer(INT_MAX, "connections", low=0)
    max_connections_per_ip = integer(INT_MAX, "connections", low=0)
    max_connections_per_ip_overrides = string("", "host:count,...")
    connections_max_idle_ms = long(600_000, "ms", about="Negative: never closed for being idle.")
    queued_max_requests = integer(500, "requests", low=1, about=NO_EFFECT)
    request_timeout_ms = integer(30_000, "ms", about=NO_EFFECT)

    # Topics.
    auto_create_topics_enable = boolean(True)
    delete_topic_enable = boolean(True)
    num_partitions = integer(1, "partitions", low=1)
    default_replication_factor = integer(1, "replicas")
    min_insync_replicas = integer(1, "replicas", low=1)
    max_request_partition_size_limit = integer(2000, "partitions", low=1)
    unclean_leader_election_enable = boolean(False)

    # Records.
    message_max_bytes = integer(1_048_588, "bytes", low=0)
    fetch_max_bytes = integer(57_671_680, "bytes", low=1024)
    max_incremental_fetch_session_cache_slots = integer(
        1000, "sessions", low=0, about="Used in eights, as by Kafka; below 8: no fetch sessions."
    )
    compression_type = one_of("producer", "uncompressed", "zstd", "lz4", "snappy", "gzip", "producer")
    compression_gzip_level = level(-1, 1, 9, also=-1)
    compression_lz4_level = integer(9, "compression level", low=1, high=17)
    compression_zstd_level = integer(3, "compression level", low=-131_072, high=22)
    log_message_timestamp_type = one_of("CreateTime", "CreateTime", "LogAppendTime")
    log_message_timestamp_before_max_ms = long(LONG_MAX, "ms", low=0)
    log_message_timestamp_after_max_ms = long(HOUR_MS, "ms", low=0)

    # Logs.
    log_segment_bytes = integer(1_073_741_824, "bytes", low=1_048_576)
    log_roll_hours = integer(168, "hours", low=1)
    log_roll_ms = optional_long("ms")
    log_roll_jitter_hours = integer(0, "hours", low=0)
    log_roll_jitter_ms = optional_long("ms")
    log_retention_hours = integer(168, "hours")
    log_retention_minutes = optional_integer("minutes")
    log_retention_ms = optional_long("ms")
    log_retention_bytes = long(-1, "bytes", about="-1: no bound.")
    log_retention_check_interval_ms = long(300_000, "ms", low=1)
    log_segment_delete_delay_ms = long(60_000, "ms", low=0)
    log_index_interval_bytes = integer(4096, "bytes", low=0)
    log_index_size_max_bytes = integer(10_485_760, "bytes", low=4)
    log_preallocate = boolean(False)
    log_flush_interval_messages = long(LONG_MAX, "records", low=1)
    log_flush_interval_ms = optional_long("ms")
    log_flush_scheduler_interval_ms = long(LONG_MAX, "ms")
    log_flush_offset_checkpoint_interval_ms = integer(
        60_000, "ms", low=0, about="How often the recovery points are written."
    )
    log_cleanup_policy = strings_out_of("delete", "compact", "delete")
    log_cleaner_enable = boolean(True, about=NO_EFFECT)
    log_cleaner_backoff_ms = long(15_000, "ms", low=0)
    log_cleaner_min_cleanable_ratio = double(0.5, "ratio", low=0, high=1)
    log_cleaner_delete_retention_ms = long(86_400_000, "ms", low=0)
    log_cleaner_min_compaction_lag_ms = long(0, "ms", low=0)
    log_cleaner_max_compaction_lag_ms = long(LONG_MAX, "ms", low=1)
    num_recovery_threads_per_data_dir = integer(2, "threads", low=1, about=NO_EFFECT)
    producer_id_expiration_ms = integer(86_400_000, "ms", low=1)
    metadata_log_max_record_bytes_between_snapshots = long(20_971_520, "bytes", low=1)

    # Committed offsets.
    offsets_retention_minutes = integer(10_080, "minutes", low=1)
    offsets_retention_check_interval_ms = long(600_000, "ms", low=1)
    offset_metadata_max_bytes = integer(4096, "bytes")
    # Kafka's code has 50. One log is one sync; the stored number holds after the first start.
    offsets_topic_num_partitions = integer(1, "partitions", low=1)
    # Kafka's code has 3, which no single node can serve.
    offsets_topic_replication_factor = short(1, "replicas", low=1)
    # Kafka takes less here and then cannot make the topic; the bound is segment.bytes' own.
    offsets_topic_segment_bytes = integer(104_857_600, "bytes", low=1_048_576)
    offsets_topic_compression_codec = integer(0, "codec id", low=0, high=4, about=NO_EFFECT)
    offsets_load_buffer_size = integer(5_242_880, "bytes", low=1, about=NO_EFFECT)
    offsets_commit_timeout_ms = integer(5000, "ms", low=1, about=NO_EFFECT)

    # Groups.
    group_min_session_timeout_ms = integer(6000, "ms")
    group_max_session_timeout_ms = integer(1_800_000, "ms")
    # Kafka's code has 3000, the server.properties that it ships has 0.
    group_initial_rebalance_delay_ms = integer(0, "ms")
    group_max_size = integer(INT_MAX, "members", low=1)
    group_coordinator_append_linger_ms = integer(-1, "ms", low=-1, about=NO_EFFECT)
    group_coordinator_rebalance_protocols = strings_out_of(
        "classic,consumer,streams", "consumer", "classic", "share", "streams", about=NO_EFFECT
    )
    group_consumer_session_timeout_ms = integer(45_000, "ms", low=1, about=NO_EFFECT)
    group_consumer_min_session_timeout_ms = integer(45_000, "ms", low=1, about=NO_EFFECT)
    group_consumer_max_session_timeout_ms = integer(60_000, "ms", low=1, about=NO_EFFECT)
    group_consumer_heartbeat_interval_ms = integer(5000, "ms", low=1, about=NO_EFFECT)
    group_consumer_min_heartbeat_interval_ms = integer(5000, "ms", low=1, about=NO_EFFECT)
    group_consumer_max_heartbeat_interval_ms = integer(15_000, "ms", low=1, about=NO_EFFECT)
    group_consumer_assignment_interval_ms = integer(1000, "ms", low=0, about=NO_EFFECT)
    group_consumer_min_assignment_interval_ms = integer(0, "ms", low=0, about=NO_EFFECT)
    group_consumer_max_assignment_interval_ms = integer(15_000, "ms", low=0, about=NO_EFFECT)
    group_consumer_max_size = integer(INT_MAX, "members", low=1, about=NO_EFFECT)
    group_consumer_assignors = strings(*ASSIGNORS, unit="assignor", about=NO_EFFECT)
    group_consumer_migration_policy = one_of_any_case(
        "bidirectional", "DISABLED", "DOWNGRADE", "UPGRADE", "BIDIRECTIONAL", about=NO_EFFECT
    )

    # Metrics.
    metrics_num_samples = integer(2, "windows", low=1, about="Of the rates under Kafka's own metric names.")
    metrics_sample_window_ms = long(30_000, "ms", low=1, about="Each of these windows.")

    # Our own.
    tidemark_as = string(
        "", "release", about="Speak and write like this release of Kafka: 3.9, 4.0, 4.1, 4.2, 4.3."
    )
    tidemark_cluster_id = optional_string(
        "id", about="For formatting; without it one is made. CLUSTER_ID sets it too."
    )
    tidemark_sync = one_of(
        "always", "always", "interval", "never",
        about="When internal logs are synced: before each answer, every interval, or never by us.",
    )  # fmt: skip
    # Redis' appendfsync everysec is the precedent.
    tidemark_sync_interval_ms = integer(1000, "ms", low=1, about="For tidemark.sync=interval.")
    tidemark_http_listener = string(
        "127.0.0.1:9464", "host:port", about="/metrics, /livez, /readyz, /v1. Empty: no HTTP."
    )
    tidemark_http_public = boolean(
        False, about="tidemark.http.listener may be an address that other machines reach."
    )
    tidemark_http_hosts = strings(
        unit="host names",
        about="Host names for /metrics and /v1, besides IP addresses, localhost and advertised hosts.",
    )
    tidemark_http_connections_max = integer(
        64, "connections", low=1, about="One more replaces the one that has waited longest for its client."
    )
    # Kafka holds one request of a connection at a time and reads the next when it has answered; its queue of
    # 500 is shared. We decide while earlier answers wait for the disk, so the bound has to be per connection.
    tidemark_connection_requests_max = integer(
        500, "requests", low=1, about="Requests in flight per connection; at this many it is not read."
    )
    tidemark_connection_unsent_max_bytes = integer(
        1_048_576, "bytes", low=1, about="Unsent answers per connection; above this it is not read."
    )
    # Kafka has queued.max.request.bytes, without a bound by default.
    tidemark_incoming_max_bytes = integer(
        268_435_456,
        "bytes",
        low=1,
        about="Requests above 1 MiB that are arriving, of all connections; others are not read meanwhile.",
    )
    tidemark_unsent_max_bytes = integer(
        134_217_728,
        "bytes",
        low=1,
        about="Unread responses of all connections; above this Fetch reads one batch, and clients that read "
        "nothing are disconnected.",
    )
    # A consumer of 20,000 partitions sends 20,000 elements. One takes some 300 bytes and 3 microseconds.
    tidemark_request_elements_max = integer(
        100_000,
        "elements",
        low=1,
        about="Array elements per request; the connection that sends more is closed.",
    )
    # librdkafka accepts no more by default (receive.message.max.bytes).
    tidemark_response_max_bytes = integer(
        100_000_000,
        "bytes",
        low=1,
        about="Bytes per response, records excluded; the connection that requests more is closed.",
    )
    tidemark_recovery_cut_corrupt = boolean(
        False, about="Start although a log is corrupt before its recovery point: cut it there."
    )
    tidemark_test_api = boolean(False, about="Tests may move time, and take and restore snapshots, by HTTP.")
    # kafka_exporter and its like keep nothing at all; this many are some 3 MB.
    tidemark_removals_max = integer(
        10_000, "offsets", low=0, about="Removed offsets that are kept for /v1/expiry/log."
    )
    tidemark_event_loop = one_of(
        "auto", "auto", "uvloop", "asyncio", about="auto: uvloop where it is installed."
    )
    tidemark_log_format = one_of("console", "console", "json")
    tidemark_log_level = one_of("warning", "debug", "info", "warning", "error")

    def __init__(self, values: Mapping[str, str] | None = None) -> None:
        """values: dotted names and texts. Raises ConfigError."""
        given = dict(values or {})
        self.profile: Profile = profile_of(given.get("tidemark.as", ""))
        self.given = given
        self.unknown: list[str] = []
        known = {setting.name: setting for setting in SETTINGS}
        for name, text in {**self.profile.defaults, **given}.items():
            if (setting := known.get(name)) is not None:
                setattr(self, setting.attribute, setting.read(text))
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
        self.http_address: tuple[str, int] | None = _read_http(self.tidemark_http_listener)
        self.http_hosts: frozenset[str] = self._read_http_hosts()

    @property
    def data_dir(self) -> Path:
        return Path(self.log_dirs[0])

    @property
    def retention_ms(self) -> int:
        """log.retention.ms, else .minutes, else .hours; -1: for ever."""
        if self.log_retention_ms is not None:
            chosen = self.log_retention_ms
        elif self.log_retention_minutes is not None:
            chosen = self.log_retention_minutes * 60_000
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

    def connections_per_ip_max(self, ip: str) -> int:
        """max.connections.per.ip, or what max.connections.per.ip.overrides says for this address."""
        return self._per_ip.get(ip, self.max_connections_per_ip)

    def text(self, setting: Setting[Any]) -> str | None:
        """The value as DescribeConfigs shows it."""
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
                f"Invalid value {','.join(self.log_dirs)} for configuration log.dirs: one directory is served"
            )

    def _check_together(self) -> None:
        """What concerns more than one setting, in the words of Kafka 4.3.1."""
        self._per_ip = _read_overrides(self.max_connections_per_ip_overrides)
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
            (self.max_connections_per_ip == 0 and not self._per_ip, f"{zero_per_ip} is set."),
        ):
            if refused:
                raise ConfigError(words)
        for name in self.group_consumer_assignors:
            if name not in ASSIGNORS:
                raise ConfigError(f"Class {name} cannot be found")
        for what in ("session_timeout", "heartbeat_interval", "assignment_interval"):
            self._check_span("group_consumer_", f"{what}_ms")

    def _read_http_hosts(self) -> frozenset[str]:
        """The names in lower case by which this broker may be asked over HTTP."""
        for name in self.tidemark_http_hosts:
            if not _HOST_NAME.fullmatch(name):
                raise ConfigError(
                    f"Invalid value {name} for configuration tidemark.http.hosts: not a host name, which has "
                    "no port"
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
        # Settings for Kafka's images list a CONTROLLER listener with the role and may not name it again.
        if self.controller_listener_names or "controller" not in self.process_roles:
            return self.controller_listener_names
        return ("CONTROLLER",)


SETTINGS: Final[tuple[Setting[Any], ...]] = tuple(
    setting for setting in vars(Config).values() if isinstance(setting, Setting)
)


def ignored_settings() -> frozenset[str]:
    """Kafka 4.3.1's own settings that mean nothing here. Read only when such a key is met."""
    return frozenset(Path(__file__).with_name("kafka_settings.txt").read_text("utf-8").split())


def load(
    file: Path | None = None,
    environment: Mapping[str, str] | None = None,
    flags: Iterable[str] = (),
    *,
    data_dir: str | None = None,
    port: int | None = None,
    http_port: int | None = None,
    not_from_file: Collection[str] = (),
) -> Config:
    """File, then environment (the process's own unless given), then `key=value` flags; the shorthands come
    last. not_from_file: names that do not count where the file has them.
    """
    values: dict[str, str] = {}
    if file is not None:
        found = read_properties(_read(file))
        values.update((name, value) for name, value in found.items() if name not in not_from_file)
    values.update(read_environment(os.environ if environment is None else environment))
    values.update(read_flags(flags))
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
    return Config(values)


def _read(file: Path) -> str:
    try:
        return file.read_text("utf-8")
    except OSError as error:
        raise ConfigError(f"cannot read {file}: {error.strerror}") from None
    except UnicodeDecodeError:
        # Java reads properties as Latin-1; everything that is not UTF-8 is that.
        return file.read_text("latin-1")


def _with_port(listeners: str, port: int) -> str:
    first, comma, others = listeners.partition(",")
    return replace_port(first, port) + comma + others


def _read_overrides(text: str) -> dict[str, int]:
    counts: dict[str, int] = {}
    for entry in filter(None, (part.strip() for part in text.split(","))):
        host, colon, count = entry.rpartition(":")
        if not colon or not count.strip().isdecimal():
            raise ConfigError(
                "Error parsing configuration property 'max.connections.per.ip.overrides': "
                f"{entry} is not host:count"
            )
        counts[host.strip().strip("[]")] = int(count)
    return counts


def _read_http(text: str) -> tuple[str, int] | None:
    if not text:
        return None
    host, colon, port = text.rpartition(":")
    if not colon or not port.isdecimal() or int(port) > 65535:
        raise ConfigError(f"Invalid value {text} for configuration tidemark.http.listener: not host:port")
    return host.strip("[]"), int(port)


__all__ = ["PROFILES", "SETTINGS", "Config", "ConfigError", "Listener", "Profile", "ignored_settings", "load"]
