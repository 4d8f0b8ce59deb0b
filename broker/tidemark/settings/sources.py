"""Values of settings from KAFKA_* variables and key=value flags."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from tidemark.settings.setting import ConfigError

# Variables that begin with KAFKA_ but are not settings: Kafka's images read them for the Java process.
NOT_SETTINGS: Final = frozenset((
    "KAFKA_VERSION", "KAFKA_HOME", "KAFKA_HEAP_OPTS", "KAFKA_OPTS", "KAFKA_JMX_OPTS", "KAFKA_JMX_HOSTNAME",
    "KAFKA_JMX_PORT", "KAFKA_JVM_PERFORMANCE_OPTS", "KAFKA_GC_LOG_OPTS", "KAFKA_LOG4J_OPTS",
    "KAFKA_LOG4J_ROOT_LOGLEVEL", "KAFKA_LOG4J_LOGGERS", "KAFKA_TOOLS_LOG4J_LOGLEVEL",
))  # fmt: skip


def read_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the settings in environment variables.

    KAFKA_OFFSETS_RETENTION_MINUTES is offsets.retention.minutes: `_` is a dot, `__` is `_`, `___` is `-`.
    KAFKA_CFG_ is the prefix of Bitnami's images. Kafka's images format a new directory with CLUSTER_ID.
    """
    values: dict[str, str] = {}
    for variable, value in environment.items():
        if variable.startswith("KAFKA_") and variable not in NOT_SETTINGS:
            values[_setting_of(variable.removeprefix("KAFKA_").removeprefix("CFG_"))] = value
    if cluster_id := environment.get("CLUSTER_ID"):
        values.setdefault("tidemark.cluster.id", cluster_id)
    return values


def _setting_of(variable: str) -> str:
    return re.sub(r"_{1,3}", lambda match: "._-"[len(match[0]) - 1], variable.lower())


def read_flags(flags: Iterable[str]) -> dict[str, str]:
    """Return the settings in key=value flags. The last value of a key counts."""
    values: dict[str, str] = {}
    for flag in flags:
        key, equals, value = flag.partition("=")
        if not equals or not key.strip():
            raise ConfigError(f"--set needs key=value, got {flag!r}")
        values[key.strip()] = value
    return values
