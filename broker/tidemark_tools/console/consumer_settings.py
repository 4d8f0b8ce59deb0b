"""The settings of the console consumer, read from the command line and its files as Kafka's tool does."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from tidemark_tools.client.client import EARLIEST, LATEST
from tidemark_tools.client.consumer import ConsumerSettings
from tidemark_tools.client.errors import CannotConnect
from tidemark_tools.client.fetching import FetchSettings
from tidemark_tools.client.group_member import GroupSettings
from tidemark_tools.client.reset_policy import CONSUMER_PROTOCOL, NEW_PARTITIONS, PROTOCOL, reset_policy
from tidemark_tools.client.settings import client_settings
from tidemark_tools.console.properties import InvalidProperty, drawn, given_properties, number_of, truth_of
from tidemark_tools.options import Parsed, UsageError

MADE_UP_GROUPS: Final = 100_000
RESETS: Final = {"earliest": EARLIEST, "latest": LATEST, "none": None}
ISOLATION_LEVELS: Final = {"read_uncommitted": 0, "read_committed": 1}
RANGE_ASSIGNOR: Final = "org.apache.kafka.clients.consumer.RangeAssignor"
DEFAULTS: Final = {
    "client.id": "console-consumer",
    "enable.auto.commit": "true",
    "auto.commit.interval.ms": "5000",
    "max.poll.interval.ms": "300000",
    "metadata.max.age.ms": "300000",
    "fetch.max.wait.ms": "500",
    "fetch.min.bytes": "1",
    "fetch.max.bytes": "52428800",
    "max.partition.fetch.bytes": "1048576",
    "allow.auto.create.topics": "true",
    PROTOCOL: "classic",
}
# These cannot be set with the consumer protocol, where the coordinator decides.
CLASSIC_DEFAULTS: Final = {
    "partition.assignment.strategy": RANGE_ASSIGNOR,
    "heartbeat.interval.ms": "3000",
    "session.timeout.ms": "45000",
}
REMOTE_ASSIGNOR: Final = "group.remote.assignor"


class Conflict(Exception):
    """Options contradict each other. The message goes to stderr without the table of options."""


def consumer_properties(parsed: Parsed) -> dict[str, str]:
    """Return the consumer's settings, merged as Kafka's tool does."""
    properties = client_settings(parsed.value("command-config"))
    given = given_properties(parsed.values("command-property"))
    in_settings = [each["group.id"] for each in (properties, given) if "group.id" in each]
    groups = list(dict.fromkeys([*parsed.values("group"), *in_settings]))
    if len(groups) > 1:
        quoted = ", ".join(f"'{group}'" for group in groups)
        raise UsageError(
            "The group ids provided in different places (directly using '--group', via "
            "'--consumer-property', or via '--consumer.config') do not match. Detected group ids: " + quoted
        )
    if groups and parsed.has("partition"):
        raise UsageError("Options group and partition cannot be specified together.")
    properties |= given
    _set_reset(parsed, properties)
    if parsed.has("isolation-level") or "isolation.level" not in properties:
        properties["isolation.level"] = parsed.value("isolation-level") or ""
    if not groups:
        properties["group.id"] = f"console-consumer-{drawn() % MADE_UP_GROUPS}"
        properties.setdefault("enable.auto.commit", "false")
    else:
        properties["group.id"] = groups[0]
    return DEFAULTS | properties


def _set_reset(parsed: Parsed, properties: dict[str, str]) -> None:
    beginning = parsed.has("from-beginning")
    given = properties.get("auto.offset.reset")
    if given is None:
        properties["auto.offset.reset"] = "earliest" if beginning else "latest"
    elif beginning and given != "earliest":
        raise Conflict(
            f"Can't simultaneously specify --from-beginning and 'auto.offset.reset={given}', please remove "
            "one option"
        )


def start_offset(parsed: Parsed) -> int:
    """Return where --partition starts: EARLIEST, LATEST or a number."""
    if not parsed.has("offset"):
        return EARLIEST if parsed.has("from-beginning") else LATEST
    text = parsed.value("offset") or ""
    offset = RESETS.get(text.lower())
    if offset is not None:
        return offset
    if not re.fullmatch("[+]?[0-9]+", text) or int(text) >= 2**63:
        raise UsageError(
            f"The provided offset value '{text}' is incorrect. Valid values are 'earliest', 'latest', or a "
            "non-negative long."
        )
    return int(text)


def consumer_settings(properties: Mapping[str, str], idle_ms: int | None) -> ConsumerSettings:
    return ConsumerSettings(
        reset=reset_policy(properties),
        auto_commit=truth_of(properties, "enable.auto.commit"),
        auto_commit_interval_ms=number_of(properties, "auto.commit.interval.ms", "INT"),
        metadata_max_age_ms=number_of(properties, "metadata.max.age.ms", "LONG"),
        isolation_level=ISOLATION_LEVELS[_one_of(properties, "isolation.level", ISOLATION_LEVELS)],
        allow_auto_create=truth_of(properties, "allow.auto.create.topics"),
        idle_ms=idle_ms,
    )


def group_settings(properties: Mapping[str, str]) -> GroupSettings:
    """Return the group settings. Raises InvalidProperty and CannotConnect for unsupported ones."""
    protocol = _protocol(properties)
    is_classic = protocol != CONSUMER_PROTOCOL
    refused = (REMOTE_ASSIGNOR,) if is_classic else CLASSIC_DEFAULTS
    found = [name for name in refused if properties.get(name, "").strip()]
    if found:
        raise InvalidProperty(f"{', '.join(found)} cannot be set when {PROTOCOL}={protocol.upper()}")
    given = {**CLASSIC_DEFAULTS, **properties}
    strategies = given["partition.assignment.strategy"].split(",")
    if is_classic and RANGE_ASSIGNOR not in (strategy.strip() for strategy in strategies):
        raise CannotConnect(
            f"partition.assignment.strategy={given['partition.assignment.strategy']}: tidemark's "
            f"console consumer knows {RANGE_ASSIGNOR} only"
        )
    if not properties["group.id"].strip():
        raise InvalidProperty("The configured group.id should not be an empty string or whitespace.")
    return GroupSettings(
        properties["group.id"],
        properties.get("group.instance.id"),
        number_of(given, "session.timeout.ms", "INT"),
        number_of(given, "heartbeat.interval.ms", "INT"),
        number_of(given, "max.poll.interval.ms", "INT"),
        properties.get("client.rack") or None,
        properties.get(REMOTE_ASSIGNOR) or None,
    )


def uses_consumer_protocol(properties: Mapping[str, str]) -> bool:
    """Whether the group is one of KIP-848."""
    return _protocol(properties) == CONSUMER_PROTOCOL


def check_assigned(properties: Mapping[str, str]) -> None:
    """Raise InvalidProperty for a setting that a consumer of --partition cannot have."""
    if properties.get(NEW_PARTITIONS, "").strip():
        raise InvalidProperty(f"{NEW_PARTITIONS} cannot be set together with --partition")


def _protocol(properties: Mapping[str, str]) -> str:
    text = properties[PROTOCOL]
    if text.lower() not in ("classic", CONSUMER_PROTOCOL):
        raise InvalidProperty(
            f"Invalid value {text} for configuration {PROTOCOL}: String must be one of (case insensitive): "
            "CONSUMER, CLASSIC"
        )
    return text.lower()


def fetch_settings(properties: Mapping[str, str]) -> FetchSettings:
    return FetchSettings(
        ISOLATION_LEVELS[_one_of(properties, "isolation.level", ISOLATION_LEVELS)],
        number_of(properties, "fetch.max.wait.ms", "INT"),
        number_of(properties, "fetch.min.bytes", "INT"),
        number_of(properties, "fetch.max.bytes", "INT"),
        number_of(properties, "max.partition.fetch.bytes", "INT"),
    )


def _one_of(properties: Mapping[str, str], name: str, allowed: Mapping[str, object]) -> str:
    value = properties[name]
    if value.lower() not in allowed:
        raise InvalidProperty(
            f"Invalid value {value} for configuration {name}: String must be one of: "
            f"{', '.join(sorted(allowed))}"
        )
    return value.lower()
