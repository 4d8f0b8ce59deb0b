"""Where values come from: a properties file in Java's syntax, KAFKA_* variables, key=value flags."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from tidemark.settings.setting import ConfigError

# Variables that begin with KAFKA_ and are no settings: the images' own, for the Java process.
NOT_SETTINGS: Final = frozenset((
    "KAFKA_VERSION", "KAFKA_HOME", "KAFKA_HEAP_OPTS", "KAFKA_OPTS", "KAFKA_JMX_OPTS", "KAFKA_JMX_HOSTNAME",
    "KAFKA_JMX_PORT", "KAFKA_JVM_PERFORMANCE_OPTS", "KAFKA_GC_LOG_OPTS", "KAFKA_LOG4J_OPTS",
    "KAFKA_LOG4J_ROOT_LOGLEVEL", "KAFKA_LOG4J_LOGGERS", "KAFKA_TOOLS_LOG4J_LOGLEVEL",
))  # fmt: skip

_SEPARATOR: Final = re.compile(r"(?P<key>(?:\\.|[^\\=:\s])*)(?:\s*[=:]\s*|\s+|$)(?P<value>.*)", re.DOTALL)
_ESCAPE: Final = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_LETTERS: Final = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}


def read_properties(text: str) -> dict[str, str]:
    """java.util.Properties: # and ! comments, `=`, `:` or blanks after the key, `\\` at the end goes on
    below.
    """
    values: dict[str, str] = {}
    for line in _logical_lines(text):
        match = _SEPARATOR.fullmatch(line)
        assert match is not None, "the pattern takes any line"
        values[_unescape(match["key"])] = _unescape(match["value"])
    return values


def _logical_lines(text: str) -> Iterable[str]:
    begun = ""
    for natural in re.split(r"\r\n|\r|\n", text):
        line = natural.lstrip(" \t\f")
        if not begun and (not line or line[0] in "#!"):
            continue
        line = begun + line
        backslashes = len(line) - len(line.rstrip("\\"))
        if backslashes % 2:
            begun = line[:-1]
            continue
        begun = ""
        yield line
    if begun:
        yield begun


def _unescape(text: str) -> str:
    return _ESCAPE.sub(lambda match: _unescaped(match[1]), text)


def _unescaped(escape: str) -> str:
    return chr(int(escape[1:], 16)) if len(escape) == 5 else _LETTERS.get(escape, escape)


def read_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """KAFKA_OFFSETS_RETENTION_MINUTES is offsets.retention.minutes: `_` is a dot, `__` is `_`, `___` is `-`.

    KAFKA_CFG_ is the prefix of Bitnami's images. CLUSTER_ID, without one, is what Kafka's images format with.
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
    """Each flag is key=value; the last of one key counts."""
    values: dict[str, str] = {}
    for flag in flags:
        key, equals, value = flag.partition("=")
        if not equals or not key.strip():
            raise ConfigError(f"--set wants key=value, not {flag!r}")
        values[key.strip()] = value
    return values
