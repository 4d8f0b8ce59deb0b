"""Values of settings from environment variables and key=value flags."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Final

from tidemark.settings.setting import ConfigError

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
        return _setting_of(variable.removeprefix("KAFKA_").removeprefix("CFG_"))
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
