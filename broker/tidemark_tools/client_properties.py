"""The settings of consumers and producers, from properties with Kafka's names."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from tidemark_protocol.compression import Codec
from tidemark_protocol.java import java_integer
from tidemark_tools.client.client import Client
from tidemark_tools.client.consumer import Consumer, ConsumerSettings, Fetcher, FetchSettings, Topics
from tidemark_tools.client.errors import CannotConnect, Failed
from tidemark_tools.client.membership import GroupMember, GroupSettings, Membership
from tidemark_tools.client.producer import ProducerSettings
from tidemark_tools.client.reset_policy import CONSUMER_PROTOCOL, PROTOCOL, reset_policy
from tidemark_tools.options import Parsed, UsageError

BITS: Final = {"INT": 32, "LONG": 64}
ACKS: Final = {"all": -1, "-1": -1, "0": 0, "1": 1}
CODECS: Final = {codec.name.lower(): codec for codec in Codec}
ISOLATION_LEVELS: Final = {"read_uncommitted": 0, "read_committed": 1}
RANGE_ASSIGNOR: Final = "org.apache.kafka.clients.consumer.RangeAssignor"
DEFAULTS: Final = {
    "auto.offset.reset": "latest",
    "isolation.level": "read_uncommitted",
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
# Kafka's defaults. Our producer repeats a batch only after an error that the broker returned.
PRODUCER_DEFAULTS: Final = {
    "acks": "all",
    "compression.type": "none",
    "batch.size": "16384",
    "request.timeout.ms": "30000",
    "retries": "10",
    "max.block.ms": "60000",
}


class InvalidProperty(Failed):
    """A setting has a value that the tool does not support. The message is Kafka's where it has one."""


class Renamed(NamedTuple):
    """An option that was renamed."""

    new: str
    old: str


def take_old_names(parsed: Parsed, clash: str, warning: str, *renamed: Renamed) -> None:
    """Treat the old name of an option as the new one, and print a warning on stdout.

    clash, warning: message templates with {new} and {old}. Raises UsageError if both names were given.
    """
    for each in renamed:
        if parsed.has(each.new) and parsed.has(each.old):
            raise UsageError(clash.format(new=each.new, old=each.old))
    for each in renamed:
        if parsed.has(each.old):
            print(warning.format(new=each.new, old=each.old))
            for value in parsed.values(each.old):
                parsed.add(each.new, value)


def given_properties(given: Iterable[str]) -> dict[str, str]:
    """Parse key=value options. A missing value is empty."""
    properties = {}
    for text in given:
        key, _, value = text.partition("=")
        if key:
            properties[key] = value
    return properties


def number_of(properties: Mapping[str, str], name: str, kind: str) -> int:
    """Return the value of a setting of kind INT or LONG. Raises InvalidProperty."""
    number = java_integer(properties[name].strip(), BITS[kind])
    if number is None:
        raise InvalidProperty(
            f"Invalid value {properties[name]} for configuration {name}: Not a number of type {kind}"
        )
    return number


def truth_of(properties: Mapping[str, str], name: str, default: str = "false") -> bool:
    """Return whether a setting is "true", ignoring case and blanks around it."""
    return properties.get(name, default).strip().lower() == "true"


def drawn() -> int:
    """Return a random number. Importing Ids would load uuid and secrets, which is slow."""
    return int.from_bytes(os.urandom(4), "big")


def one_of(properties: Mapping[str, str], name: str, allowed: Iterable[str]) -> str:
    """Return the value of a setting that has one of these values. Raises InvalidProperty."""
    value = properties[name]
    if value not in allowed:
        raise InvalidProperty(
            f"Invalid value {value} for configuration {name}: String must be one of: {', '.join(allowed)}"
        )
    return value


def producer_settings(properties: Mapping[str, str]) -> ProducerSettings:
    """Return the settings of a producer. Raises InvalidProperty."""
    given = {**PRODUCER_DEFAULTS, **properties}
    return ProducerSettings(
        compression=CODECS[one_of(given, "compression.type", CODECS)],
        acks=ACKS[one_of({**given, "acks": given["acks"].strip()}, "acks", ACKS)],
        batch_size=number_of(given, "batch.size", "INT"),
        request_timeout_ms=number_of(given, "request.timeout.ms", "INT"),
        retries=number_of(given, "retries", "INT"),
        max_block_ms=number_of(given, "max.block.ms", "LONG"),
    )


class ConsumerConfig(NamedTuple):
    """All settings of a consumer."""

    consuming: ConsumerSettings
    group: GroupSettings
    fetching: FetchSettings
    is_classic: bool


def consumer_config(properties: Mapping[str, str], idle_ms: int | None = None) -> ConsumerConfig:
    """Return the settings. Raises InvalidProperty and CannotConnect for unsupported ones.

    idle_ms: the consumer raises NoRecord if no record arrives for this time.
    """
    given = {**DEFAULTS, **properties}
    level = given["isolation.level"].lower()
    if level not in ISOLATION_LEVELS:
        one_of(given, "isolation.level", sorted(ISOLATION_LEVELS))
    consuming = ConsumerSettings(
        reset=reset_policy(given),
        auto_commit=truth_of(given, "enable.auto.commit"),
        auto_commit_interval_ms=number_of(given, "auto.commit.interval.ms", "INT"),
        metadata_max_age_ms=number_of(given, "metadata.max.age.ms", "LONG"),
        isolation_level=ISOLATION_LEVELS[level],
        allow_auto_create=truth_of(given, "allow.auto.create.topics"),
        idle_ms=idle_ms,
    )
    group = _group_settings(given)
    fetching = FetchSettings(
        consuming.isolation_level,
        number_of(given, "fetch.max.wait.ms", "INT"),
        number_of(given, "fetch.min.bytes", "INT"),
        number_of(given, "fetch.max.bytes", "INT"),
        number_of(given, "max.partition.fetch.bytes", "INT"),
    )
    return ConsumerConfig(consuming, group, fetching, given[PROTOCOL].lower() != CONSUMER_PROTOCOL)


def _group_settings(properties: Mapping[str, str]) -> GroupSettings:
    text = properties[PROTOCOL]
    protocol = text.lower()
    if protocol not in ("classic", CONSUMER_PROTOCOL):
        raise InvalidProperty(
            f"Invalid value {text} for configuration {PROTOCOL}: String must be one of (case insensitive): "
            "CONSUMER, CLASSIC"
        )
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


def open_consumer(
    client: Client,
    config: ConsumerConfig,
    *,
    topic: str | None = None,
    include: str | None = None,
    managed: bool = True,
) -> Consumer:
    """Return a consumer of a topic, or of the topics that match. Raises InvalidProperty for a wrong pattern.

    managed: the group assigns the partitions.
    """
    try:
        topics = Topics(client, topic, include, create=config.consuming.allow_auto_create)
    except re.error as error:
        raise InvalidProperty(f"{error}: {include}") from None
    if config.is_classic or not managed:
        member: GroupMember = Membership(client, config.group, topics.names, topics.counts)
    else:
        from tidemark_tools.client.heartbeats import ConsumerMembership

        member = ConsumerMembership(client, config.group, topics.names, topics.names_of)
    fetcher = Fetcher(client, config.fetching)
    return Consumer(client, fetcher, topics, config.consuming, member, managed=managed)
