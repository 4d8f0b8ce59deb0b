"""DescribeConfigs, AlterConfigs, IncrementalAlterConfigs and ListConfigResources.

The resources are topics, brokers, groups and client metrics.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from tests.conformance.build_admin import (
    APPEND,
    BROKER,
    BROKER_LOGGER,
    CLIENT_METRICS,
    DELETE,
    GROUP,
    SET,
    SUBTRACT,
    TOPIC,
    alter,
    change,
    create,
    describe,
    new,
)
from tests.conformance.build_data import batch, produce
from tests.conformance.case import Fields, Talk, case

# Cases that change the broker's settings use their own broker.
OF_THEIR_OWN: Final = {"num.partitions": "2"}
DYNAMIC_BROKER: Final = 2  # the source of a value
TYPES: Final = (TOPIC, BROKER, BROKER_LOGGER, CLIENT_METRICS, GROUP)


def _set_ones(response: Fields) -> Any:
    """keep=: the settings of each resource that were set."""
    return [
        {**result, "Configs": [config for config in result["Configs"] if config["ConfigSource"] != 5]}
        for result in response["Results"]
    ]


def _shows(k: Talk, kind: int, name: str, *keys: str) -> None:
    """Keep the values of these settings."""
    k.ask(*describe((kind, name, list(keys)), synonyms=True))


# DescribeConfigs


@case
def describe_configs_of_a_topic_in_every_version(k: Talk) -> None:
    topic = k.topic(retention_ms="5000")
    for version in range(1, 5):
        k.ask(*describe((TOPIC, topic, ["retention.ms", "segment.bytes"]), synonyms=True, version=version))


@case
def describe_configs_in_removed_versions_closes_the_connection(k: Talk) -> None:
    for version in (0, 5):
        peer = k.connect()
        frame = bytearray(peer.frame(*describe((TOPIC, "x"), version=1)))
        frame[6:8] = version.to_bytes(2, "big")
        peer.send_raw(bytes(frame))
        peer.closed()


@case
def describe_configs_of_all_settings_of_a_topic(k: Talk) -> None:
    topic = k.topic(retention_ms="5000", cleanup_policy="compact", min_cleanable_dirty_ratio="0.00001")
    k.ask(*describe((TOPIC, topic)))
    k.ask(*describe((TOPIC, topic), synonyms=True))


@case(differs="What settings are for")
def describe_configs_with_documentation(k: Talk) -> None:
    k.ask(*describe((TOPIC, k.topic(), ["retention.ms"]), documentation=True))


@case
def describe_configs_with_documentation_before_version_3(k: Talk) -> None:
    k.ask(*describe((TOPIC, k.topic(), ["retention.ms"]), documentation=True, version=2))


@case
def describe_configs_of_settings_by_name(k: Talk) -> None:
    topic = k.topic()
    for keys in ([], ["nonsense"], ["retention.ms", "retention.ms"], ["segment.bytes", "nonsense", ""]):
        k.ask(*describe((TOPIC, topic, keys)), keep=_numbered)


def _numbered(response: Fields) -> Any:
    configs = response["Results"][0]["Configs"]
    return len(configs), [config["Name"] for config in configs[:3]]


@case
def describe_configs_of_several_resources(k: Talk) -> None:
    first, second = k.topic(), k.topic(retention_ms="1")
    only = ["retention.ms"]
    k.ask(*describe((TOPIC, second, only), (TOPIC, k.name(), only), (TOPIC, first, only), (99, "x", only)))


@case
def describe_configs_of_one_named_twice(k: Talk) -> None:
    topic = k.topic()
    k.ask(*describe((TOPIC, topic, ["retention.ms"]), (TOPIC, topic, ["segment.bytes"])))


@case
def describe_configs_of_nothing(k: Talk) -> None:
    for version in (1, 4):
        k.ask(*describe(version=version))


@case
def describe_configs_of_unknown_topics(k: Talk) -> None:
    for version in (1, 4):
        for name in (k.name(), "", ".", "a b", "x" * 250):
            k.ask(*describe((TOPIC, name), version=version))


@case
def describe_configs_of_unknown_kinds(k: Talk) -> None:
    for kind in (0, 1, 3, 5, 64, -1, 127):
        k.ask(*describe((kind, "x")))


@case
def describe_configs_of_a_broker_by_a_bad_name(k: Talk) -> None:
    for kind in (BROKER, BROKER_LOGGER):
        for name in ("9", "-1", "one", "1x", " 1", "+1", "99999999999"):
            k.ask(*describe((kind, name, ["num.partitions"])))
    k.ask(*describe((BROKER_LOGGER, "")))


@case
def describe_configs_of_a_broker(k: Talk) -> None:
    keys = [
        "auto.create.topics.enable",
        "compression.type",
        "log.cleanup.policy",
        "log.retention.ms",
        "log.retention.hours",
        "log.retention.minutes",
        "log.roll.ms",
        "log.roll.hours",
        "log.segment.bytes",
        "log.flush.interval.ms",
        "message.max.bytes",
        "min.insync.replicas",
        "num.partitions",
        "offsets.retention.minutes",
        "offsets.topic.num.partitions",
        "group.min.session.timeout.ms",
        "nonsense",
    ]
    for key in keys:
        k.ask(*describe((BROKER, "1", [key]), synonyms=True))


@case
def describe_configs_of_settings_that_4_4_added(k: Talk) -> None:
    for key in (
        "max.decompressed.message.bytes",
        "sasl.oauthbearer.allow.unverified.audience",
        "sasl.oauthbearer.allow.unverified.issuer",
    ):
        k.ask(*describe((BROKER, "1", [key]), synonyms=True))


@case
def describe_configs_of_all_brokers(k: Talk) -> None:
    for version in (1, 4):
        k.ask(*describe((BROKER, ""), version=version))


@case
def describe_configs_of_a_group(k: Talk) -> None:
    group = k.name()
    for synonyms in (False, True):
        k.ask(*describe((GROUP, group), synonyms=synonyms))
    k.ask(*describe((GROUP, "")))
    k.ask(*describe((GROUP, group, ["consumer.session.timeout.ms", "nonsense"]), version=1))


@case
def describe_configs_of_client_metrics(k: Talk) -> None:
    name = k.name()
    k.ask(*describe((CLIENT_METRICS, name), synonyms=True))
    k.ask(*describe((CLIENT_METRICS, ""), synonyms=True))


# IncrementalAlterConfigs on topics


@case
def change_configs_in_every_version(k: Talk) -> None:
    for version in (0, 1):
        topic = k.topic()
        k.ask(*change((TOPIC, topic, [("retention.ms", SET, "5000")]), version=version))
        k.until_config(TOPIC, topic, "retention.ms", "5000")
        _shows(k, TOPIC, topic, "retention.ms")


@case
def change_configs_of_nothing(k: Talk) -> None:
    for version in (0, 1):
        k.ask(*change(version=version))
    k.ask(*change((TOPIC, k.topic(), [])))
    k.ask(*change((TOPIC, k.name(), [])))


@case
def change_configs_sets_and_deletes(k: Talk) -> None:
    topic = k.topic(retention_ms="1000", segment_ms="2000")
    both = [("retention.ms", DELETE, None), ("segment.ms", SET, "3000"), ("flush.ms", SET, "7")]
    k.ask(*change((TOPIC, topic, both)))
    k.until_config(TOPIC, topic, "flush.ms", "7")
    k.ask(*describe((TOPIC, topic)), keep=_set_ones)
    k.ask(*change((TOPIC, topic, [("segment.ms", DELETE, "ignored")])))
    k.ask(*change((TOPIC, topic, [("segment.ms", DELETE, None)])))
    k.ask(*change((TOPIC, topic, [("nonsense", DELETE, None)])))


@case
def change_configs_of_lists(k: Talk) -> None:
    topic = k.topic()
    steps: list[tuple[int, str, str]] = [
        (APPEND, "compact", "delete,compact"),
        (APPEND, "compact", "delete,compact"),
        (SUBTRACT, "delete", "compact"),
        (SUBTRACT, "nothing", "compact"),
        (APPEND, "delete,compact", "compact,delete"),
        (SUBTRACT, "compact,delete", ""),
    ]
    for operation, value, after in steps:
        k.ask(*change((TOPIC, topic, [("cleanup.policy", operation, value)])))
        k.until_config(TOPIC, topic, "cleanup.policy", after)
        _shows(k, TOPIC, topic, "cleanup.policy")


@case
def change_configs_of_lists_of_replicas(k: Talk) -> None:
    topic = k.topic()
    key = "leader.replication.throttled.replicas"
    for operation, value in ((APPEND, "0:1"), (APPEND, "1:1"), (APPEND, "nonsense"), (SUBTRACT, "0:1")):
        k.ask(*change((TOPIC, topic, [(key, operation, value)])))
    k.until_config(TOPIC, topic, key, "1:1")
    _shows(k, TOPIC, topic, key)


@case
def change_configs_appends_to_what_is_no_list(k: Talk) -> None:
    topic = k.topic()
    for operation in (APPEND, SUBTRACT):
        for key in ("retention.ms", "compression.type", "preallocate", "nonsense"):
            k.ask(*change((TOPIC, topic, [(key, operation, "1")])))


@case
def change_configs_by_an_unknown_operation(k: Talk) -> None:
    topic = k.topic()
    for operation in (4, -1, 100):
        k.ask(*change((TOPIC, topic, [("retention.ms", operation, "1")])))
        k.ask(*change((TOPIC, k.name(), [("retention.ms", operation, "1")])))
        k.ask(*change((TOPIC, topic, [("nonsense", operation, None)])))


@case
def change_configs_to_bad_values(k: Talk) -> None:
    topic = k.topic()
    bad = (
        ("retention.ms", "many"),
        ("retention.ms", "-2"),
        ("retention.ms", "1.5"),
        ("retention.ms", ""),
        ("retention.ms", "9223372036854775808"),
        ("segment.bytes", "1048575"),
        ("segment.bytes", "2147483648"),
        ("min.cleanable.dirty.ratio", "-0.1"),
        ("min.cleanable.dirty.ratio", "x"),
        ("preallocate", "1"),
        ("cleanup.policy", "archive"),
        ("cleanup.policy", "delete,,compact"),
        ("cleanup.policy", "delete,delete"),
        ("compression.type", "none"),
        ("compression.gzip.level", "10"),
        ("message.timestamp.type", ""),
        ("follower.replication.throttled.replicas", "a:b"),
        ("remote.storage.enable", "true"),
        ("remote.storage.enable", "maybe"),
        ("local.retention.bytes", "-3"),
        ("nonsense", "1"),
        ("message.format.version", "2.0"),
        ("", "1"),
    )
    for key, value in bad:
        k.ask(*change((TOPIC, topic, [(key, SET, value)])))
    k.ask(*describe((TOPIC, topic)), keep=_set_ones)


@case
def change_configs_to_odd_values_that_are_taken(k: Talk) -> None:
    topic = k.topic()
    odd = (
        ("retention.ms", " 7 "),
        ("segment.bytes", "+2000000"),
        ("preallocate", "TRUE"),
        ("min.cleanable.dirty.ratio", "1e-3"),
        ("min.cleanable.dirty.ratio", "0.30"),
        ("min.cleanable.dirty.ratio", "1"),
        ("cleanup.policy", " compact , delete "),
        ("follower.replication.throttled.replicas", "*"),
        ("flush.ms", "007"),
    )
    for key, value in odd:
        k.ask(*change((TOPIC, topic, [(key, SET, value)])))
    k.until_config(TOPIC, topic, "flush.ms", "7")
    k.ask(*describe((TOPIC, topic), synonyms=True), keep=_set_ones)


@case
def change_configs_to_null(k: Talk) -> None:
    topic = k.topic()
    for operation in (SET, APPEND, SUBTRACT):
        k.ask(*change((TOPIC, topic, [("retention.ms", operation, None)])))
    k.ask(*change((TOPIC, topic, [("retention.ms", SET, None), ("nonsense", SET, None)])))
    k.ask(*change((TOPIC, k.name(), [("retention.ms", SET, None)])))


@case
def change_configs_of_one_key_twice(k: Talk) -> None:
    topic = k.topic()
    k.ask(*change((TOPIC, topic, [("retention.ms", SET, "1"), ("retention.ms", SET, "1")])))
    k.ask(*change((TOPIC, topic, [("retention.ms", SET, "1"), ("retention.ms", DELETE, None)])))
    k.ask(*change((TOPIC, topic, [("nonsense", SET, None), ("nonsense", SET, None)])))


@case
def change_configs_of_one_resource_twice(k: Talk) -> None:
    topic, other = k.topic(), k.topic()
    one, two = [("retention.ms", SET, "1")], [("segment.ms", SET, "1")]
    k.ask(*change((TOPIC, topic, one), (TOPIC, other, one), (TOPIC, topic, two)))
    k.until_config(TOPIC, other, "retention.ms", "1")
    k.ask(*describe((TOPIC, topic), (TOPIC, other)), keep=_set_ones)


@case
def change_configs_that_contradict_each_other(k: Talk) -> None:
    topic = k.topic()
    k.ask(
        *change((TOPIC, topic, [("min.compaction.lag.ms", SET, "10"), ("max.compaction.lag.ms", SET, "5")]))
    )
    k.ask(*change((TOPIC, topic, [("max.compaction.lag.ms", SET, "5")])))
    k.ask(*change((TOPIC, topic, [("min.compaction.lag.ms", SET, "10")])))


@case
def change_configs_of_unknown_topics(k: Talk) -> None:
    for name in (k.name(), "", ".", "a b", "x" * 250):
        k.ask(*change((TOPIC, name, [("retention.ms", SET, "1")])))
        k.ask(*change((TOPIC, name, [("retention.ms", SET, "x")])))
        k.ask(*alter((TOPIC, name, {"retention.ms": "1"})))


@case
def change_configs_of_unknown_kinds(k: Talk) -> None:
    for kind in (0, 1, 3, 64, -1):
        k.ask(*change((kind, "x", [("retention.ms", SET, "1")])))
        k.ask(*alter((kind, "x", {"retention.ms": "1"})))
        k.ask(*change((kind, "x", [("retention.ms", SET, None)])))


@case
def change_configs_validated_only_changes_nothing(k: Talk) -> None:
    topic = k.topic()
    k.ask(*change((TOPIC, topic, [("retention.ms", SET, "1")]), validate_only=True))
    k.ask(*change((TOPIC, topic, [("retention.ms", SET, "x")]), validate_only=True))
    k.ask(*alter((TOPIC, topic, {"retention.ms": "1"}), validate_only=True))
    k.ask(*describe((TOPIC, topic)), keep=_set_ones)


@case
def change_configs_of_good_and_bad_resources(k: Talk) -> None:
    """An invalid resource does not affect the others."""
    good, bad = k.topic(), k.topic()
    k.ask(
        *change(
            (TOPIC, bad, [("retention.ms", SET, "1"), ("segment.bytes", SET, "1")]),
            (TOPIC, good, [("retention.ms", SET, "1")]),
            (TOPIC, k.name(), [("retention.ms", SET, "1")]),
        )
    )
    k.until_config(TOPIC, good, "retention.ms", "1")
    k.ask(*describe((TOPIC, good), (TOPIC, bad)), keep=_set_ones)


@case
def change_configs_takes_effect(k: Talk) -> None:
    topic = k.topic()
    k.ask(*produce({topic: {0: batch()}}))
    k.ask(*change((TOPIC, topic, [("max.message.bytes", SET, "10")])))
    k.until_config(TOPIC, topic, "max.message.bytes", "10")
    k.ask(*produce({topic: {0: batch()}}))
    k.ask(*change((TOPIC, topic, [("max.message.bytes", DELETE, None)])))
    k.until_config(TOPIC, topic, "max.message.bytes", "1048588")
    k.ask(*produce({topic: {0: batch()}}))


# AlterConfigs


@case
def alter_configs_in_every_version(k: Talk) -> None:
    for version in range(3):
        topic = k.topic(segment_ms="9")
        k.ask(*alter((TOPIC, topic, {"retention.ms": "5000"}), version=version))
        k.until_config(TOPIC, topic, "retention.ms", "5000")
        k.ask(*describe((TOPIC, topic)), keep=_set_ones)


@case
def alter_configs_of_nothing(k: Talk) -> None:
    for version in (0, 2):
        k.ask(*alter(version=version))
    topic = k.topic(segment_ms="9")
    k.ask(*alter((TOPIC, topic, {})))
    k.until_config(TOPIC, topic, "segment.ms", "604800000")


@case
def alter_configs_to_bad_values(k: Talk) -> None:
    topic = k.topic()
    for key, value in (
        ("retention.ms", "x"),
        ("segment.bytes", "1"),
        ("nonsense", "1"),
        ("retention.ms", None),
    ):
        k.ask(*alter((TOPIC, topic, {key: value})))
    k.ask(*alter((TOPIC, topic, [("retention.ms", "1"), ("retention.ms", "2")])))
    k.ask(*alter((TOPIC, topic, [("retention.ms", None), ("retention.ms", None)])))
    k.ask(*alter((TOPIC, topic, {"retention.ms": None, "segment.ms": None})))


@case(differs="AlterConfigs that names a resource twice")
def alter_configs_of_one_resource_twice(k: Talk) -> None:
    topic = k.topic()
    stuck = k.connect()
    stuck.park(*alter((TOPIC, topic, {"retention.ms": "1"}), (TOPIC, topic, {"segment.ms": "1"})))


@case
def alter_configs_of_groups_and_client_metrics(k: Talk) -> None:
    name = k.name()
    k.ask(*alter((GROUP, name, {"consumer.session.timeout.ms": "50000"})))
    k.ask(*alter((CLIENT_METRICS, name, {"interval.ms": "5000"})))
    k.until_config(CLIENT_METRICS, name, "interval.ms", "5000")
    k.ask(*describe((GROUP, name), (CLIENT_METRICS, name)), keep=_set_ones)


# Groups and client metrics


@case
def change_configs_of_a_group(k: Talk) -> None:
    group = k.name()
    k.ask(*change((GROUP, group, [("consumer.session.timeout.ms", SET, "50000")])))
    k.until_config(GROUP, group, "consumer.session.timeout.ms", "50000")
    k.ask(*describe((GROUP, group), synonyms=True), keep=_set_ones)
    k.ask(*change((GROUP, group, [("consumer.session.timeout.ms", DELETE, None)])))
    k.until_config(GROUP, group, "consumer.session.timeout.ms", "45000")


@case
def change_configs_of_a_group_to_bad_values(k: Talk) -> None:
    group = k.name()
    bad = (
        ("consumer.session.timeout.ms", "1"),
        ("consumer.session.timeout.ms", "99999999"),
        ("consumer.session.timeout.ms", "x"),
        ("consumer.heartbeat.interval.ms", "1"),
        ("consumer.heartbeat.interval.ms", "99999999"),
        ("share.auto.offset.reset", "sometimes"),
        ("share.auto.offset.reset", "by_duration:PT1H"),
        ("share.isolation.level", "none"),
        ("share.session.timeout.ms", "1"),
        ("share.record.lock.duration.ms", "1"),
        ("share.heartbeat.interval.ms", "1"),
        ("streams.session.timeout.ms", "1"),
        ("streams.heartbeat.interval.ms", "1"),
        ("streams.num.standby.replicas", "99"),
        ("nonsense", "1"),
        ("retention.ms", "1"),
    )
    for key, value in bad:
        k.ask(*change((GROUP, group, [(key, SET, value)])))
    k.ask(*change((GROUP, "", [("consumer.session.timeout.ms", SET, "50000")])))
    k.ask(*change((GROUP, group, [("consumer.session.timeout.ms", APPEND, "50000")])))
    k.ask(*change((GROUP, group, [("consumer.session.timeout.ms", SET, None)])))


@case
def change_configs_of_client_metrics(k: Talk) -> None:
    name = k.name()
    given = [("interval.ms", SET, "1000"), ("metrics", SET, "a,b"), ("match", SET, "client_id=x,client_id=y")]
    k.ask(*change((CLIENT_METRICS, name, given)))
    k.until_config(CLIENT_METRICS, name, "interval.ms", "1000")
    k.ask(*describe((CLIENT_METRICS, name), synonyms=True))
    k.ask(*change((CLIENT_METRICS, name, [("interval.ms", DELETE, None)])))
    k.until_config(CLIENT_METRICS, name, "interval.ms", "300000")


@case
def change_configs_of_client_metrics_to_bad_values(k: Talk) -> None:
    name = k.name()
    bad = (
        ("interval.ms", "99"),
        ("interval.ms", "3600001"),
        ("interval.ms", "x"),
        ("interval.ms", "0"),
        ("match", "nonsense=1"),
        ("match", "client_id"),
        ("match", "client_id=["),
        ("match", ""),
        ("metrics", ""),
        ("nonsense", "1"),
    )
    for key, value in bad:
        k.ask(*change((CLIENT_METRICS, name, [(key, SET, value)])))
    k.ask(*change((CLIENT_METRICS, "", [("interval.ms", SET, "1000")])))
    for operation in (APPEND, SUBTRACT):
        k.ask(*change((CLIENT_METRICS, name, [("metrics", operation, "c")])))


# Brokers


@case
def change_configs_of_a_broker_by_a_bad_name(k: Talk) -> None:
    for name in ("9", "-1", "one", "+9", "99999999999"):
        k.ask(*change((BROKER, name, [("background.threads", SET, "9")])))
        k.ask(*alter((BROKER, name, {"background.threads": "9"})))


@case
def change_configs_of_a_broker_that_are_fixed(k: Talk) -> None:
    for name in ("1", ""):
        for key in ("num.partitions", "node.id", "offsets.retention.minutes", "auto.create.topics.enable"):
            k.ask(*change((BROKER, name, [(key, SET, "5")]), validate_only=True))


@case
def change_configs_of_a_broker_to_bad_values(k: Talk) -> None:
    bad = (
        ("message.max.bytes", "x"),
        ("message.max.bytes", "-1"),
        ("log.cleanup.policy", "archive"),
        ("compression.type", "rar"),
        ("log.segment.bytes", "1"),
        ("max.connections", "-1"),
        ("log.message.timestamp.type", "no"),
        ("unclean.leader.election.enable", "2"),
    )
    for name in ("1", ""):
        for key, value in bad:
            k.ask(*change((BROKER, name, [(key, SET, value)]), validate_only=True))


@case
def change_configs_of_a_broker_to_the_bounds_of_every_number(k: Talk) -> None:
    keys = (
        "background.threads",
        "compression.gzip.level",
        "compression.lz4.level",
        "compression.zstd.level",
        "group.consumer.assignment.interval.ms",
        "group.coordinator.cached.buffer.max.bytes",
        "log.cleaner.backoff.ms",
        "log.cleaner.dedupe.buffer.size",
        "log.cleaner.delete.retention.ms",
        "log.cleaner.io.buffer.load.factor",
        "log.cleaner.io.buffer.size",
        "log.cleaner.io.max.bytes.per.second",
        "log.cleaner.max.compaction.lag.ms",
        "log.cleaner.min.cleanable.ratio",
        "log.cleaner.min.compaction.lag.ms",
        "log.cleaner.threads",
        "log.flush.interval.messages",
        "log.index.interval.bytes",
        "log.index.size.max.bytes",
        "log.local.retention.bytes",
        "log.local.retention.ms",
        "log.message.timestamp.after.max.ms",
        "log.message.timestamp.before.max.ms",
        "log.retention.bytes",
        "log.roll.jitter.ms",
        "log.roll.ms",
        "log.segment.bytes",
        "log.segment.delete.delay.ms",
        "max.connection.creation.rate",
        "max.connections",
        "max.connections.per.ip",
        "message.max.bytes",
        "num.io.threads",
        "num.network.threads",
        "num.recovery.threads.per.data.dir",
        "num.replica.fetchers",
        "producer.id.expiration.ms",
    )
    for key in keys:
        for value in ("-3", "-2", "-1", "0"):
            k.ask(*change((BROKER, "", [(key, SET, value)]), validate_only=True), keep=_error)


@case
def change_configs_of_a_brokers_retention(k: Talk) -> None:
    for value in ("-1", "0", "1", "x"):
        k.ask(*change((BROKER, "", [("log.retention.ms", SET, value)]), validate_only=True))


@case(differs="Settings of a broker that would break its topics")
def change_configs_of_a_broker_to_what_no_topic_may_have(k: Talk) -> None:
    for key, value in (("log.retention.ms", "-2"), ("log.flush.interval.ms", "-1")):
        k.ask(*change((BROKER, "", [(key, SET, value)]), validate_only=True))


def _error(response: Fields) -> Any:
    response = response["Responses"][0]
    return [response["ErrorCode"], response["ErrorMessage"]]


@case
def change_configs_of_a_group_to_the_bounds_of_every_number(k: Talk) -> None:
    keys = (
        "consumer.assignment.interval.ms",
        "consumer.heartbeat.interval.ms",
        "consumer.session.timeout.ms",
        "share.assignment.interval.ms",
        "share.delivery.count.limit",
        "share.heartbeat.interval.ms",
        "share.partition.max.record.locks",
        "share.record.lock.duration.ms",
        "share.session.timeout.ms",
        "streams.assignment.interval.ms",
        "streams.heartbeat.interval.ms",
        "streams.initial.rebalance.delay.ms",
        "streams.num.standby.replicas",
        "streams.session.timeout.ms",
    )
    for key in keys:
        for value in ("-1", "0", "1", "2", "2000", "4999", "20000", "2000000"):
            k.ask(*change((GROUP, k.name(), [(key, SET, value)]), validate_only=True), keep=_error)


@case
def change_configs_of_a_broker_by_other_operations(k: Talk) -> None:
    for name in ("1", ""):
        for key in ("message.max.bytes", "num.partitions", "nonsense", "log.cleanup.policy"):
            for operation in (APPEND, SUBTRACT, 9):
                k.ask(*change((BROKER, name, [(key, operation, "1")]), validate_only=True))
        k.ask(*change((BROKER, name, [("message.max.bytes", SET, None)]), validate_only=True))


@case(settings=OF_THEIR_OWN)
def change_configs_of_one_broker_and_of_all(k: Talk) -> None:
    """A broker's value overrides the cluster default, and the topic's own overrides both."""
    topic = k.topic()
    for name, value in (("", "7000"), ("1", "8000")):
        k.ask(*change((BROKER, name, [("log.segment.delete.delay.ms", SET, value)])))
        k.until_config(TOPIC, topic, "file.delete.delay.ms", value)
        _shows(k, TOPIC, topic, "file.delete.delay.ms")
        _shows(k, BROKER, "1", "log.segment.delete.delay.ms")
    _shows(k, BROKER, "", "log.segment.delete.delay.ms")
    k.ask(*change((TOPIC, topic, [("file.delete.delay.ms", SET, "9000")])))
    k.until_config(TOPIC, topic, "file.delete.delay.ms", "9000")
    _shows(k, TOPIC, topic, "file.delete.delay.ms")
    for name, value in (("1", "7000"), ("", "60000")):
        k.ask(*change((BROKER, name, [("log.segment.delete.delay.ms", DELETE, None)])))
        k.until_config(BROKER, "1", "log.segment.delete.delay.ms", value)
        _shows(k, BROKER, "1", "log.segment.delete.delay.ms")


@case(settings=OF_THEIR_OWN)
def change_configs_of_a_brokers_list(k: Talk) -> None:
    k.ask(*change((BROKER, "1", [("log.cleanup.policy", APPEND, "compact")])))
    k.until_config(BROKER, "1", "log.cleanup.policy", "delete,compact")
    _shows(k, BROKER, "1", "log.cleanup.policy")
    k.ask(*change((BROKER, "1", [("log.cleanup.policy", SUBTRACT, "delete")])))
    k.until_config(BROKER, "1", "log.cleanup.policy", "compact")
    k.ask(*change((BROKER, "1", [("log.cleanup.policy", DELETE, None)])))
    k.until_config(BROKER, "1", "log.cleanup.policy", "delete")


@case
def change_configs_of_brokers_that_4_4_added(k: Talk) -> None:
    for key, values in {
        "max.decompressed.message.bytes": ("1", "0", "2147483639", "2147483640", "x"),
        "log.remote.copy.lag.ms": ("-1", "-2", "0", "9223372036854775807", "x"),
        "log.remote.copy.lag.bytes": ("-1", "-2", "0", "9223372036854775807", "x"),
        "errors.deadletterqueue.auto.create.topics.enable": ("true", "x"),
        "errors.deadletterqueue.topic.name.prefix": ("", "a.", " "),
        "sasl.oauthbearer.allow.unverified.audience": ("true", "x"),
        "sasl.oauthbearer.allow.unverified.issuer": ("true", "x"),
    }.items():
        for value in values:
            for name in ("", "1"):
                k.ask(*change((BROKER, name, [(key, SET, value)]), validate_only=True))


@case(settings=OF_THEIR_OWN)
def change_configs_of_a_broker_to_what_4_4_added(k: Talk) -> None:
    key, topic = "max.decompressed.message.bytes", k.topic()
    k.ask(*change((BROKER, "1", [(key, SET, "1000000000")])))
    k.until(
        lambda: k.do(*describe((BROKER, "1", [key])))["Results"][0]["Configs"],
        lambda configs: bool(configs) and configs[0]["ConfigSource"] == DYNAMIC_BROKER,
    )
    _shows(k, BROKER, "1", key)
    _shows(k, TOPIC, topic, key)


@case(settings=OF_THEIR_OWN)
def change_configs_of_a_broker_that_is_not_known(k: Talk) -> None:
    k.ask(*change((BROKER, "1", [("my.plugin.setting", SET, "x")])))
    k.until_config(BROKER, "1", "my.plugin.setting", None)
    _shows(k, BROKER, "1", "my.plugin.setting")


@case
def change_configs_of_a_secret(k: Talk) -> None:
    key = "ssl.keystore.password"
    for name in ("", "1"):
        k.ask(*change((BROKER, name, [(key, SET, "secret"), ("ssl.protocol", SET, "x")]), validate_only=True))
        k.ask(*change((BROKER, name, [(key, SET, "x"), ("node.id", SET, "x")]), validate_only=True))
        k.ask(*change((BROKER, name, [(key, SET, "x"), ("num.io.threads", SET, "x")]), validate_only=True))
        given = [("sasl.enabled.mechanisms", SET, "x"), ("num.io.threads", SET, "x")]
        k.ask(*change((BROKER, name, given), validate_only=True))
        k.ask(*change((BROKER, name, given[:1]), validate_only=True))


@case
def change_configs_of_loggers(k: Talk) -> None:
    for name in ("9", "x", ""):
        k.ask(*change((BROKER_LOGGER, name, [("kafka.server", SET, "INFO")])))
        k.ask(*alter((BROKER_LOGGER, name, {"kafka.server": "INFO"})))
    k.ask(*change((BROKER_LOGGER, "1", [("no.such.logger", SET, "INFO")])))
    k.ask(*change((BROKER_LOGGER, "1", [("no.such.logger", APPEND, "INFO")])))
    k.ask(*change((BROKER_LOGGER, "1", [("no.such.logger", DELETE, None)])))
    k.ask(*alter((BROKER_LOGGER, "1", {"no.such.logger": "INFO"})))


@case
def change_configs_of_loggers_in_other_ways(k: Talk) -> None:
    """Nothing that these requests change remains: the loggers belong to the whole broker."""
    for validate_only in (True, False):
        for changes in (
            [("root", SET, "LOUD")],
            [("root", SET, "")],
            [("root", SET, "info")],
            [("root", SET, None)],
            [("root", DELETE, None)],
            [("root", DELETE, "INFO")],
            [("root", APPEND, "INFO")],
            [("root", SUBTRACT, "INFO")],
            [("root", 9, "INFO")],
            [("root", SET, "WARN"), ("root", SET, "WARN")],
            [("root", SET, "WARN"), ("no.such.logger", SET, "WARN")],
            [("", SET, "WARN")],
            [],
        ):
            k.ask(*change((BROKER_LOGGER, "1", changes), validate_only=validate_only))
    k.ask(*change((BROKER_LOGGER, "1", [("root", SET, "WARN")]), validate_only=True))
    k.ask(*change((BROKER_LOGGER, "+1", [("root", SET, "WARN")]), validate_only=True))
    k.ask(*change((BROKER_LOGGER, "01", [("root", SET, "WARN")]), validate_only=True))
    one = (BROKER_LOGGER, "1", [("root", SET, "WARN")])
    k.ask(*change(one, one, validate_only=True))


@case
def describe_configs_of_loggers(k: Talk) -> None:
    for version in range(1, 5):
        for more in ({}, {"synonyms": True, "documentation": True}):
            k.ask(*describe((BROKER_LOGGER, "1", ["root"]), version=version, **more))
    k.ask(*describe((BROKER_LOGGER, "1", ["no.such.logger"])))
    k.ask(*describe((BROKER_LOGGER, "+1", ["root"])))


@case(settings={"num.io.threads": "7"}, differs="Loggers")
def change_configs_of_the_root_logger(k: Talk) -> None:
    for level in ("ERROR", "FATAL", "WARN", "INFO", "DEBUG", "TRACE", "ERROR"):
        k.ask(*change((BROKER_LOGGER, "1", [("root", SET, level)])))
        k.ask(*describe((BROKER_LOGGER, "1", ["root"])))
    k.ask("ListConfigResources", 1, {"ResourceTypes": [BROKER_LOGGER]})


# ListConfigResources


def _own(k: Talk) -> Callable[[Fields], Any]:
    """keep=: the resources of the case and of the broker, by type and name."""
    prefix = k.name("").rpartition(".")[0]

    def keep(response: Fields) -> Any:
        found = [
            (resource["ResourceType"], resource["ResourceName"])
            for resource in response["ConfigResources"]
            if resource["ResourceName"].startswith(f"{prefix}.") or resource["ResourceName"].isdigit()
        ]
        return {**response, "ConfigResources": sorted(found)}

    return keep


@case
def list_config_resources_of_every_kind(k: Talk) -> None:
    name, topic = k.name(), k.topic()
    k.do(*change((CLIENT_METRICS, name, [("interval.ms", SET, "1000")])))
    k.do(*change((GROUP, name, [("consumer.session.timeout.ms", SET, "50000")])))
    k.until_config(GROUP, name, "consumer.session.timeout.ms", "50000")
    k.ask("ListConfigResources", 0, {}, keep=_own(k))
    for kinds in ([], *([kind] for kind in TYPES), [TOPIC, GROUP], [TOPIC, TOPIC]):
        k.ask("ListConfigResources", 1, {"ResourceTypes": kinds}, keep=_own(k))
    k.keep("topic", topic)


@case
def list_config_resources_of_unknown_kinds(k: Talk) -> None:
    for kinds in ([0], [1], [3], [99], [-1], [TOPIC, 99]):
        k.ask("ListConfigResources", 1, {"ResourceTypes": kinds})


@case
def list_config_resources_forgets_what_has_no_settings(k: Talk) -> None:
    name = k.name()
    k.do(*change((CLIENT_METRICS, name, [("interval.ms", SET, "1000")])))
    k.until_config(CLIENT_METRICS, name, "interval.ms", "1000")
    k.do(*change((CLIENT_METRICS, name, [("interval.ms", DELETE, None)])))
    k.until_config(CLIENT_METRICS, name, "interval.ms", "300000")
    k.ask("ListConfigResources", 0, {}, keep=_own(k))


@case
def describe_configs_of_every_topic_setting(k: Talk) -> None:
    """Sets every setting of a topic that can be set, and lists its synonyms."""
    own = {
        "cleanup_policy": "compact",
        "compression_type": "lz4",
        "delete_retention_ms": "1",
        "file_delete_delay_ms": "2",
        "flush_messages": "3",
        "flush_ms": "4",
        "index_interval_bytes": "5",
        "max_compaction_lag_ms": "6",
        "max_message_bytes": "7",
        "message_timestamp_type": "LogAppendTime",
        "min_cleanable_dirty_ratio": "0.125",
        "min_insync_replicas": "1",
        "preallocate": "true",
        "retention_bytes": "8",
        "retention_ms": "9",
        "segment_bytes": "2000000",
        "segment_index_bytes": "1200",
        "segment_jitter_ms": "11",
        "segment_ms": "12",
        "unclean_leader_election_enable": "true",
    }
    name = k.name("topic")
    configs = {key.replace("_", "."): value for key, value in own.items()}
    k.do(*create(new(name, configs=configs)))
    k.until_there(name)
    k.ask(*describe((TOPIC, name), synonyms=True), keep=_set_ones)


@case
def change_configs_of_many_kinds_in_one_request(k: Talk) -> None:
    """Each resource has its own result, in the order of the request."""
    topic, group, metrics = k.topic(), k.name(), k.name()
    k.ask(
        *change(
            (GROUP, group, [("consumer.session.timeout.ms", SET, "1")]),
            (TOPIC, topic, [("retention.ms", SET, "5")]),
            (CLIENT_METRICS, metrics, [("interval.ms", SET, "5")]),
            (BROKER, "9", [("num.io.threads", SET, "5")]),
            (TOPIC, k.name(), [("retention.ms", SET, "5")]),
            (BROKER_LOGGER, "9", [("kafka", SET, "INFO")]),
            (99, "x", [("a", SET, "1")]),
        ),
        keep=_by_resource,
    )


def _by_resource(response: Fields) -> Any:
    return sorted(
        [r["ResourceType"], r["ResourceName"], r["ErrorCode"], r["ErrorMessage"]]
        for r in response["Responses"]
    )


@case
def change_configs_answers_in_kafkas_order(k: Talk) -> None:
    first, second = k.topic(), k.topic()
    one = [("retention.ms", SET, "5")]
    k.ask(*change((TOPIC, first, one), (BROKER, "9", one), (TOPIC, second, one)))
    k.ask(*change((BROKER, "9", one), (TOPIC, first, one)))
    k.ask(*alter((TOPIC, first, {"retention.ms": "5"}), (BROKER, "9", {"a": "5"}), (TOPIC, second, {})))


@case
def alter_configs_of_a_broker(k: Talk) -> None:
    for name in ("1", "9", "x"):
        for key, value in (("num.partitions", "4"), ("message.max.bytes", "x"), ("message.max.bytes", None)):
            k.ask(*alter((BROKER, name, {key: value}), validate_only=True))


@case
def list_config_resources_in_unknown_versions_closes_the_connection(k: Talk) -> None:
    for version in (2, 3):
        peer = k.connect()
        frame = bytearray(peer.frame("ListConfigResources", 1, {"ResourceTypes": []}))
        frame[6:8] = version.to_bytes(2, "big")
        peer.send_raw(bytes(frame))
        peer.closed()
