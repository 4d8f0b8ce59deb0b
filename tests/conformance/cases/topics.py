"""CreateTopics, DeleteTopics, CreatePartitions, DeleteRecords."""

from __future__ import annotations

from typing import Any, Final

from tests.conformance.build_admin import TOPIC, create, delete, delete_records, describe, grow, new
from tests.conformance.build_data import batch, fetch, list_offsets, produce, record
from tests.conformance.case import ZERO_UUID, Fields, Talk, case

UNKNOWN_UUID: Final = "11111111-2222-3333-4444-555555555555"


def _briefly(response: Fields) -> Any:
    """keep= of a CreateTopics whose settings do not matter."""
    return [{**topic, "Configs": len(topic["Configs"])} for topic in response["Topics"]]


def _described(k: Talk, *names: str) -> None:
    """Keep the current state of these topics."""
    k.ask(
        "Metadata",
        12,
        {"Topics": [{"Name": name} for name in names], "AllowAutoTopicCreation": False},
        keep=lambda a: sorted((t["Name"], t["ErrorCode"], len(t["Partitions"])) for t in a["Topics"]),
    )


@case
def create_topics_in_every_version(k: Talk) -> None:
    for version in range(2, 8):
        name = k.name()
        k.ask(*create(new(name, 2), version=version))
        k.until_there(name, 2)
        k.ask(*create(new(name), version=version))


@case
def create_topics_in_removed_versions_closes_the_connection(k: Talk) -> None:
    for version in (0, 1, 8):
        peer = k.connect()
        frame = bytearray(peer.frame(*create(new(k.name()), version=2)))
        frame[6:8] = version.to_bytes(2, "big")
        peer.send_raw(bytes(frame))
        peer.closed()


@case
def create_topics_of_none(k: Talk) -> None:
    for version in (2, 7):
        k.ask(*create(version=version))


@case
def create_topics_with_the_brokers_defaults(k: Talk) -> None:
    for version in (2, 3, 4, 7):
        k.ask(*create(new(k.name(), -1, -1), version=version), keep=_briefly)


@case
def create_topics_tells_settings_that_were_given(k: Talk) -> None:
    """Values are returned as they were sent, with blanks."""
    configs = {"retention.ms": " 5000", "cleanup.policy": "compact, delete", "max.message.bytes": "+10"}
    k.ask(*create(new(k.name(), configs=configs)))


@case
def create_topics_validated_only_makes_nothing(k: Talk) -> None:
    name, there = k.name(), k.topic()
    for version in (2, 7):
        k.ask(*create(new(name, 3), new(there), validate_only=True, version=version), keep=_briefly)
    _described(k, name)


@case
def create_topics_of_a_topic_that_is_there(k: Talk) -> None:
    topic = k.topic()
    k.ask(*create(new(topic)))
    k.ask(*create(new(topic, 0, 9, configs={"nonsense": "1"})))


@case
def create_topics_of_one_named_twice(k: Talk) -> None:
    name, other = k.name(), k.name()
    k.ask(*create(new(name), new(other), new(name), new(name, 0)), keep=_briefly)
    k.until_there(other)
    _described(k, name, other)
    topic = k.topic()
    k.ask(*create(new(topic), new(topic)))


@case
def create_topics_with_invalid_names(k: Talk) -> None:
    names = ("", ".", "..", "a b", "é", "a/b", "x" * 249 + "y", "a\tb")
    k.ask(*create(*(new(name) for name in names)))
    k.ask(*create(new("a b", 0, 9, configs={"nonsense": "1"})))
    k.ask(*create(new(k.name().ljust(249, "x"))), keep=_briefly)


@case
def create_topics_that_collide(k: Talk) -> None:
    topic = k.topic()
    k.ask(*create(new(topic.replace(".", "_"))))
    name = k.name()
    k.ask(*create(new(name), new(name.replace(".", "_"))), keep=_briefly)


@case
def create_topics_of_internal_names(k: Talk) -> None:
    k.group()
    k.ask(*create(new("__consumer_offsets")))
    k.ask(*create(new("__cluster_metadata")))
    k.ask(*create(new("__cluster_metadata", 0, 7)))
    k.ask(*create(new("__cluster_metadata"), new("__cluster_metadata")))


@case
def create_topics_with_bad_replication_factors(k: Talk) -> None:
    for replicas in (0, -2, -32768, 2, 3, 32767):
        k.ask(*create(new(k.name(), 1, replicas)))


@case
def create_topics_with_bad_partition_counts(k: Talk) -> None:
    for partitions in (0, -2, -(2**31)):
        k.ask(*create(new(k.name(), partitions, 1)))
    k.ask(*create(new(k.name(), 0, 0)))
    k.ask(*create(new(k.name(), 0, 2)))


@case
def create_topics_with_far_too_many_partitions(k: Talk) -> None:
    """A request may create at most ten thousand."""
    name, bad = k.name(), k.topic()
    for validate_only in (True, False):
        k.ask(*create(new(name, 10_001), validate_only=validate_only))
        k.ask(*create(new(name, 2**31 - 1), validate_only=validate_only))
        k.ask(*create(new(k.name(), 6000), new(k.name(), 6000), validate_only=validate_only))
        k.ask(*create(new(bad, 10_001), new("a b", 1), new(k.name(), 1), validate_only=validate_only))
    k.ask(*create(new(k.name(), 10_000), validate_only=True), keep=_briefly)
    k.ask(*create(new(k.name(), 9_999), validate_only=True), keep=_briefly)
    _described(k, name)


@case
def create_topics_with_an_assignment(k: Talk) -> None:
    name = k.name()
    k.ask(*create(new(name, -1, -1, assignments=[(0, [1]), (1, [1])])), keep=_briefly)
    k.until_there(name, 2)
    name = k.name()
    k.ask(*create(new(name, -1, -1, assignments=[(2, [1]), (0, [1]), (1, [1])])), keep=_briefly)
    k.until_there(name, 3)


@case
def create_topics_with_an_assignment_and_counts(k: Talk) -> None:
    one = [(0, [1])]
    k.ask(*create(new(k.name(), 1, -1, assignments=one)))
    k.ask(*create(new(k.name(), -1, 1, assignments=one)))
    k.ask(*create(new(k.name(), 1, 1, assignments=one)))
    k.ask(*create(new(k.name(), 0, 0, assignments=one)))


@case
def create_topics_with_a_bad_assignment(k: Talk) -> None:
    bad: list[list[tuple[int, list[int]]]] = [
        [(1, [1])],
        [(0, [1]), (2, [1])],
        [(0, [1]), (0, [1])],
        [(-1, [1])],
        [(0, [])],
        [(0, [1, 1])],
        [(0, [9])],
        [(0, [1, 9])],
        [(0, [-1])],
        [(0, [1]), (1, [1, 1])],
        [(0, [1]), (1, [])],
        [(0, [9]), (0, [1])],
        [(5, []), (0, [9])],
    ]
    for assignments in bad:
        k.ask(*create(new(k.name(), -1, -1, assignments=assignments)))


@case
def create_topics_with_bad_settings(k: Talk) -> None:
    bad = (
        {"nonsense": "1"},
        {"": "1"},
        {"retention.ms": "many"},
        {"retention.ms": "-2"},
        {"retention.ms": ""},
        {"segment.bytes": "1000"},
        {"segment.bytes": "99999999999"},
        {"cleanup.policy": "compress"},
        {"cleanup.policy": "compact,compress"},
        {"cleanup.policy": "compact,"},
        {"compression.type": "rar"},
        {"compression.type": "GZIP"},
        {"min.cleanable.dirty.ratio": "1.5"},
        {"min.cleanable.dirty.ratio": "half"},
        {"preallocate": "yes"},
        {"min.compaction.lag.ms": "10", "max.compaction.lag.ms": "5"},
        {"compression.gzip.level": "0"},
        {"compression.lz4.level": "18"},
        {"compression.zstd.level": "23"},
        {"leader.replication.throttled.replicas": "1"},
        {"message.timestamp.type": "createTime"},
        {"min.insync.replicas": "0"},
        {"remote.storage.enable": "true"},
        {"local.retention.ms": "-3"},
        {"local.retention.ms": "99999999999"},
        {"message.format.version": "3.0"},
        {"message.downconversion.enable": "true"},
        {"log.retention.ms": "5"},
        {"flush.messages": "0"},
        {"file.delete.delay.ms": "-1"},
    )
    for configs in bad:
        k.ask(*create(new(k.name(), configs=configs)))


@case
def create_topics_with_several_bad_settings(k: Talk) -> None:
    """Shows which of them is reported."""
    k.ask(*create(new(k.name(), configs={"nonsense": "1", "retention.ms": "x"})))
    k.ask(*create(new(k.name(), configs={"retention.ms": "x", "segment.bytes": "1"})))
    k.ask(*create(new(k.name(), configs={"segment.bytes": "1", "retention.ms": "x"})))
    k.ask(*create(new(k.name(), configs={"retention.ms": None, "nonsense": "1"})))
    k.ask(*create(new(k.name(), configs={"retention.ms": None, "segment.bytes": None})))


@case
def create_topics_with_a_null_setting(k: Talk) -> None:
    for version in (2, 7):
        k.ask(*create(new(k.name(), configs={"retention.ms": None}), version=version))


@case
def create_topics_with_a_setting_given_twice(k: Talk) -> None:
    configs = [("retention.ms", "5000"), ("retention.ms", "6000")]
    k.ask(
        *create(new(k.name(), configs=configs)),
        keep=lambda a: [c for c in a["Topics"][0]["Configs"] if c["ConfigSource"] == 1],
    )
    k.ask(*create(new(k.name(), configs=[("retention.ms", "x"), ("retention.ms", "6000")])), keep=_briefly)
    k.ask(*create(new(k.name(), configs=[("retention.ms", None), ("retention.ms", "6000")])))


@case
def create_topics_refusals_in_their_order(k: Talk) -> None:
    """The order is name, settings, assignment, replicas, partitions."""
    k.ask(*create(new("a b", 0, 0, configs={"retention.ms": None})))
    k.ask(*create(new(k.name(), 0, 0, configs={"retention.ms": "x"})))
    k.ask(*create(new(k.name(), 0, 0, configs={"retention.ms": None})))
    k.ask(*create(new(k.name(), 5, 5, assignments=[(3, [9])], configs={"nonsense": "x"})))
    k.ask(*create(new(k.name(), 5, 5, assignments=[(3, [9])])))
    k.ask(*create(new(k.name(), 0, 9)))


@case
def create_topics_makes_the_good_and_refuses_the_bad(k: Talk) -> None:
    good, bad = k.name(), k.name()
    k.ask(*create(new(bad, 0), new(good), new("a b"), new(k.topic())), keep=_briefly)
    k.until_there(good)
    _described(k, good, bad)


@case
def topics_with_zero_and_negative_timeouts(k: Talk) -> None:
    for timeout_ms in (0, -1, -(2**31)):
        name, topic = k.name(), k.topic()
        api, version, fields = create(new(name), new("a b"))
        k.ask(api, version, fields | {"timeoutMs": timeout_ms}, keep=_briefly)
        api, version, fields = delete(topic, k.name())
        k.ask(api, version, fields | {"TimeoutMs": timeout_ms})
        api, version, fields = grow((topic, 2))
        k.ask(api, version, fields | {"TimeoutMs": timeout_ms})
        api, version, fields = delete_records({topic: {0: 0}})
        k.ask(api, version, fields | {"TimeoutMs": timeout_ms})


@case(settings={"num.partitions": "4", "log.retention.hours": "5", "compression.type": "lz4"})
def create_topics_tells_settings_of_the_broker(k: Talk) -> None:
    k.ask(*create(new(k.name(), -1, -1, configs={"retention.ms": "7000"})))


@case(settings={"default.replication.factor": "3"})
def create_topics_with_a_default_that_cannot_be(k: Talk) -> None:
    k.ask(*create(new(k.name(), -1, -1)))
    k.ask(*create(new(k.name(), -1, 1)), keep=_briefly)


@case
def delete_topics_by_name_in_every_version(k: Talk) -> None:
    for version in range(1, 7):
        topic = k.topic()
        k.ask(*delete(topic, version=version))
        k.until_gone(topic)
        k.ask(*delete(topic, version=version))


@case
def delete_topics_by_id(k: Talk) -> None:
    topic = k.topic()
    topic_id = k.topic_id(topic)
    k.ask(*delete({"TopicId": topic_id, "Name": None}))
    k.until_gone(topic)
    k.ask(*delete({"TopicId": topic_id, "Name": None}))
    k.ask(*delete({"TopicId": UNKNOWN_UUID, "Name": None}))


@case
def delete_topics_of_none(k: Talk) -> None:
    for version in (1, 6):
        k.ask(*delete(version=version))


@case
def delete_topics_by_name_and_id_at_once(k: Talk) -> None:
    topic = k.topic()
    topic_id = k.topic_id(topic)
    k.ask(*delete({"TopicId": topic_id, "Name": topic}))
    k.ask(*delete({"TopicId": UNKNOWN_UUID, "Name": topic}))
    k.ask(*delete({"TopicId": ZERO_UUID, "Name": None}))
    k.ask(*delete({"TopicId": ZERO_UUID, "Name": None}, {"TopicId": ZERO_UUID, "Name": None}))
    _described(k, topic)


@case
def delete_topics_named_twice(k: Talk) -> None:
    topic, unknown = k.topic(), k.name()
    topic_id = k.topic_id(topic)
    one: Fields = {"TopicId": topic_id, "Name": None}
    k.ask(*delete(topic, topic))
    k.ask(*delete(topic, topic, topic, version=5))
    k.ask(*delete(one, one))
    k.ask(*delete(topic, one))
    k.ask(*delete(one, topic))
    k.ask(*delete(unknown, unknown))
    k.ask(*delete({"TopicId": UNKNOWN_UUID, "Name": None}, {"TopicId": UNKNOWN_UUID, "Name": None}))
    both = {"TopicId": topic_id, "Name": topic}
    k.ask(*delete(both, both))
    k.ask(*delete(topic, both))
    k.until_gone(topic)


@case
def delete_topics_of_odd_names(k: Talk) -> None:
    k.ask(*delete("", "a b", "..", "x" * 300))
    k.ask(*delete("", version=5))
    k.ask(*delete("__cluster_metadata"))


@case
def delete_topics_deletes_the_good_and_refuses_the_bad(k: Talk) -> None:
    topic = k.topic()
    k.ask(*delete(topic, k.name()))
    k.until_gone(topic)


@case
def delete_topics_and_make_them_again(k: Talk) -> None:
    topic = k.topic()
    before = k.topic_id(topic)
    k.do(*produce({topic: {0: batch()}}))
    k.delete_topic(topic)
    k.ask(*create(new(topic, 2)), keep=_briefly)
    k.until_there(topic, 2)
    k.keep("another id", before != k.topic_id(topic))
    k.ask(*fetch({topic: {0: 0}}))
    k.ask(*fetch({before: {0: 0}}, version=17))
    k.ask(*produce({before: {0: batch()}}, version=13))


@case(settings={"delete.topic.enable": "false"})
def delete_topics_while_deletion_is_disabled(k: Talk) -> None:
    topic = k.topic()
    topic_id = k.topic_id(topic)
    for version in range(1, 7):
        k.ask(*delete(topic, k.name(), version=version))
    k.ask(*delete({"TopicId": topic_id, "Name": None}, {"TopicId": UNKNOWN_UUID, "Name": None}))
    k.ask(*delete(topic, topic, {"TopicId": topic_id, "Name": topic}))
    k.ask(*delete())


@case
def create_partitions_in_every_version(k: Talk) -> None:
    topic = k.topic()
    for version in range(4):
        k.ask(*grow((topic, version + 2), version=version))
        k.until_there(topic, version + 2)
    _described(k, topic)


@case
def create_partitions_of_none(k: Talk) -> None:
    for version in (0, 3):
        k.ask(*grow(version=version))


@case
def create_partitions_validated_only_makes_none(k: Talk) -> None:
    topic = k.topic()
    k.ask(*grow((topic, 5), validate_only=True))
    k.ask(*grow((topic, 1), validate_only=True))
    _described(k, topic)


@case
def create_partitions_with_counts_that_do_not_grow(k: Talk) -> None:
    topic = k.topic(3)
    for count in (3, 2, 1, 0, -1, -(2**31)):
        k.ask(*grow((topic, count)))


@case
def create_partitions_of_unknown_topics(k: Talk) -> None:
    k.ask(*grow((k.name(), 5)))
    k.ask(*grow(("", 5)))
    k.ask(*grow(("a b", 5)))
    k.ask(*grow(("__cluster_metadata", 5)))


@case
def create_partitions_of_one_named_twice(k: Talk) -> None:
    topic, other, unknown = k.topic(), k.topic(), k.name()
    k.ask(*grow((topic, 2), (other, 2), (topic, 3)))
    k.ask(*grow((unknown, 2), (unknown, 2)))
    k.until_there(other, 2)
    _described(k, topic, other)


@case
def create_partitions_with_an_assignment(k: Talk) -> None:
    topic = k.topic()
    k.ask(*grow((topic, 3, [[1], [1]])))
    k.until_there(topic, 3)


@case
def create_partitions_with_a_bad_assignment(k: Talk) -> None:
    topic = k.topic()
    bad: list[list[list[int]]] = [
        [],
        [[1]],
        [[1], [1], [1]],
        [[9], [1]],
        [[1], []],
        [[1, 1], [1]],
        [[1], [1, 9]],
    ]
    for assignments in bad:
        k.ask(*grow((topic, 3, assignments)))
    k.ask(*grow((topic, 1, [[9]])))
    k.ask(*grow((topic, 0, [])))
    k.ask(*grow((k.name(), 3, [[9]])))


@case
def create_partitions_far_too_many(k: Talk) -> None:
    topic = k.topic()
    k.ask(*grow((topic, 10_002), validate_only=True))
    k.ask(*grow((topic, 20_000), validate_only=True))
    k.ask(*grow((topic, 2**31 - 1), validate_only=True))
    _described(k, topic)


@case
def create_partitions_grows_the_good_and_refuses_the_bad(k: Talk) -> None:
    topic, other = k.topic(), k.topic(2)
    k.ask(*grow((topic, 2), (other, 1), (k.name(), 2)))
    k.until_there(topic, 2)


@case(differs="The offsets topic cannot be deleted or resized")
def create_partitions_of_the_offsets_topic(k: Talk) -> None:
    k.group()
    k.ask(*grow(("__consumer_offsets", 7), validate_only=True))


@case(
    differs="The offsets topic cannot be deleted or resized",
    settings={"offsets.topic.segment.bytes": "1048577"},
)
def delete_topics_of_the_offsets_topic(k: Talk) -> None:
    """Runs on a broker of its own, since it deletes all groups."""
    k.group()
    k.ask(*delete("__consumer_offsets"), keep=lambda a: a["Responses"][0]["ErrorCode"])


@case
def create_partitions_begin_empty(k: Talk) -> None:
    topic = k.topic()
    k.do(*produce({topic: {0: batch()}}))
    k.do(*grow((topic, 2)))
    k.until_there(topic, 2)
    k.ask(*produce({topic: {1: batch()}}))
    k.ask(*fetch({topic: {0: 0, 1: 0}}))


def _filled(k: Talk, count: int = 5, **configs: str) -> str:
    name = k.name("topic")
    k.do(*create(new(name, configs={key.replace("_", "."): value for key, value in configs.items()})))
    k.until_there(name)
    for _ in range(count):
        k.do(*produce({name: {0: batch(record())}}))
    return name


@case
def delete_records_in_every_version(k: Talk) -> None:
    topic = _filled(k)
    for version in (0, 1, 2):
        k.ask(*delete_records({topic: {0: version + 1}}, version=version))
    k.ask(*list_offsets({topic: {0: -2}}))


@case
def delete_records_up_to_every_offset(k: Talk) -> None:
    topic = _filled(k)
    for offset in (0, 2, 1, 2, 5, 6, 3, -1, -2, 2**63 - 1, -(2**63)):
        k.ask(*delete_records({topic: {0: offset}}))


@case
def delete_records_of_all_there_is(k: Talk) -> None:
    topic = _filled(k)
    k.ask(*delete_records({topic: {0: -1}}))
    k.ask(*delete_records({topic: {0: -1}}))
    k.ask(*produce({topic: {0: batch()}}))
    k.ask(*fetch({topic: {0: 5}}))
    empty = k.topic()
    k.ask(*delete_records({empty: {0: -1}}))
    k.ask(*delete_records({empty: {0: 0}}))
    k.ask(*delete_records({empty: {0: 1}}))


@case
def delete_records_within_a_batch(k: Talk) -> None:
    topic = k.topic()
    k.do(*produce({topic: {0: batch(record(), record(), record())}}))
    k.ask(*delete_records({topic: {0: 2}}))
    k.ask(*fetch({topic: {0: 2}}))
    k.ask(*fetch({topic: {0: 1}}))


@case
def delete_records_of_unknown_topics_and_partitions(k: Talk) -> None:
    topic = _filled(k)
    k.ask(*delete_records({topic: {1: 0, -1: 0, 0: 1}, k.name(): {0: 0}, "": {0: 0}, "a b": {0: 1}}))


@case
def delete_records_of_nothing(k: Talk) -> None:
    topic = _filled(k)
    for version in (0, 2):
        k.ask(*delete_records({}, version=version))
        k.ask(*delete_records({topic: {}}, version=version))


@case
def delete_records_with_a_partition_named_twice(k: Talk) -> None:
    topic = _filled(k)
    api, version, fields = delete_records({topic: {0: 3}})
    fields["Topics"] += delete_records({topic: {0: 1}})[2]["Topics"]
    k.ask(api, version, fields)


@case
def delete_records_of_compacted_topics(k: Talk) -> None:
    for policy in ("compact", "compact,delete", "delete,compact"):
        topic = _filled(k, cleanup_policy=policy)
        for offset in (2, 99, -5):
            k.ask(*delete_records({topic: {0: offset}}))


@case
def delete_records_of_a_topic_without_a_cleanup_policy(k: Talk) -> None:
    topic = _filled(k, cleanup_policy="")
    k.ask(*delete_records({topic: {0: 2}}))


@case
def delete_records_of_internal_topics(k: Talk) -> None:
    k.group()
    k.ask(*delete_records({"__consumer_offsets": {0: 0, 99: 0}}))


@case
def create_topics_of_every_setting(k: Talk) -> None:
    """Each setting has its own topic, with a value that is not the default."""
    given = {
        "cleanup.policy": "compact",
        "compression.gzip.level": "5",
        "compression.lz4.level": "3",
        "compression.type": "zstd",
        "compression.zstd.level": "-5",
        "delete.retention.ms": "1",
        "file.delete.delay.ms": "2",
        "flush.messages": "3",
        "flush.ms": "4",
        "follower.replication.throttled.replicas": "0:1",
        "index.interval.bytes": "5",
        "leader.replication.throttled.replicas": "*",
        "local.retention.bytes": "6",
        "local.retention.ms": "7",
        "max.compaction.lag.ms": "8",
        "max.message.bytes": "9",
        "message.timestamp.after.max.ms": "10",
        "message.timestamp.before.max.ms": "11",
        "message.timestamp.type": "LogAppendTime",
        "min.cleanable.dirty.ratio": "0.25",
        "min.compaction.lag.ms": "12",
        "min.insync.replicas": "3",
        "preallocate": "true",
        "remote.log.copy.disable": "true",
        "remote.log.delete.on.disable": "true",
        "remote.storage.enable": "false",
        "retention.bytes": "13",
        "retention.ms": "14",
        "segment.bytes": "1048577",
        "segment.index.bytes": "15",
        "segment.jitter.ms": "16",
        "segment.ms": "17",
        "unclean.leader.election.enable": "true",
    }
    for key, value in given.items():
        k.ask(
            *create(new(k.name(), configs={key: value}), validate_only=True),
            keep=lambda a: [
                (t["ErrorCode"], t["ErrorMessage"], [c for c in t["Configs"] if c["ConfigSource"] == 1])
                for t in a["Topics"]
            ],
        )


@case
def create_topics_of_many_in_one_request(k: Talk) -> None:
    names = [k.name() for _ in range(20)]
    k.ask(*create(*(new(name, 2) for name in names)), keep=_briefly)
    for name in names:
        k.until_there(name, 2)


@case
def delete_topics_of_many_in_one_request(k: Talk) -> None:
    names = [k.topic() for _ in range(5)]
    k.ask(*delete(*names))
    for name in names:
        k.until_gone(name)


@case
def delete_topics_by_name_and_by_id_in_one_request(k: Talk) -> None:
    first, second = k.topic(), k.topic()
    k.ask(
        *delete(first, {"TopicId": k.topic_id(second), "Name": None}, {"TopicId": UNKNOWN_UUID, "Name": None})
    )
    for name in (first, second):
        k.until_gone(name)


@case
def delete_topics_in_unknown_versions_closes_the_connection(k: Talk) -> None:
    for api_version in (0, 7):
        peer = k.connect()
        frame = bytearray(peer.frame(*delete(version=1)))
        frame[6:8] = api_version.to_bytes(2, "big")
        peer.send_raw(bytes(frame))
        peer.closed()


@case
def topic_that_was_deleted_leaves_no_settings_to_the_next(k: Talk) -> None:
    topic = k.name("topic")
    k.do(*create(new(topic, configs={"retention.ms": "5000"})))
    k.until_there(topic)
    k.delete_topic(topic)
    k.ask(
        *create(new(topic)),
        keep=lambda a: [c for t in a["Topics"] for c in t["Configs"] if c["Name"] == "retention.ms"],
    )
    k.until_there(topic)
    k.ask(*describe((TOPIC, topic, ["retention.ms"]), synonyms=True))
