"""Requests in versions that only Kafka 4.4 serves."""

from __future__ import annotations

from typing import Any, Final

from tests.conformance.build import commit, fetch_offsets
from tests.conformance.build_admin import APPEND, GROUP, SET, TOPIC, change
from tests.conformance.build_data import batch, fetch, fetched, list_offsets, produce, record
from tests.conformance.case import ZERO_UUID, Talk, case
from tests.conformance.cases.versions import asking
from tests.conformance.consumers import NO_INTERVAL, consumers, known_topic
from tests.conformance.members import some_stable
from tests.conformance.transactional import Producer
from tidemark_protocol.batch import LogRecord
from tidemark_protocol.compression import Codec

UNKNOWN_ID: Final = "00000000-0000-4000-8000-000000000001"


def _error(response: dict[str, Any]) -> Any:
    return [response["ErrorCode"], bool(response["ApiKeys"])]


@case(is_new=True)
def api_versions_name_a_cluster_and_a_node(k: Talk) -> None:
    cluster = k.do("DescribeCluster", 0, {})["ClusterId"]
    for cluster_id, node_id in (
        (None, -1), (cluster, 1), (cluster, 2), ("another", 1), ("another", 2), ("", 1),
        (cluster, -1), (None, 1), (None, 2), (cluster, -2),
    ):  # fmt: skip
        fields = {**asking(), "ClusterId": cluster_id, "NodeId": node_id}
        k.ask("ApiVersions", 5, fields, keep=_error)
    fields = {**asking("-"), "ClusterId": "another", "NodeId": 1}
    k.ask("ApiVersions", 5, fields, keep=_error)
    k.ask("Heartbeat", 4, {"GroupId": k.group(), "MemberId": "m"})


@case(is_new=True)
def deleted_groups_have_messages(k: Talk) -> None:
    (one,) = some_stable(k, 1)
    group, topic = k.group(), k.topic()
    k.do(*commit(group, {topic: {0: 1}}))
    for name in (group, one.group, k.name("nothing")):
        k.ask("DeleteGroups", 3, {"GroupsNames": [name]})


@case(is_new=True)
def offsets_by_topic_id_are_committed_in_a_transaction(k: Talk) -> None:
    one, topic, group = Producer(k), k.topic(2), k.group()
    topic_id = k.topic_id(topic)
    k.ask(*one.commit_offsets(group, {topic_id: {0: 5, 1: 6, 2: 7}}, metadata="a note", version=6))
    k.ask(*one.commit_offsets(group, {UNKNOWN_ID: {0: 5}}, version=6))
    k.ask(*one.commit_offsets(group, {ZERO_UUID: {0: 5}}, version=6))
    k.ask(*one.commit_offsets(group, {topic_id: {0: 8}, UNKNOWN_ID: {0: 5}}, version=6))
    k.ask(*one.commit_offsets(k.group(), {topic_id: {0: 8}}, member="m", generation=3, version=6))
    one.finish(commit=True)
    k.ask(*fetch_offsets(group, {topic: [0, 1]}))


@case(is_new=True, settings=NO_INTERVAL)
def offsets_by_topic_id_of_a_consumer_are_committed_in_a_transaction(k: Talk) -> None:
    topic = known_topic(k, 1)
    (one,) = consumers(k, 1, topics=[topic])
    one.join(kept=False)
    producer, topic_id = Producer(k), k.topic_id(topic)
    for member, epoch in (("m1", 9), ("nobody", 2), ("m1", 1), ("m1", 2), ("m1", -1), ("", -1)):
        k.ask(
            *producer.commit_offsets(
                one.group, {topic_id: {0: 5}}, member=member, generation=epoch, version=6
            )
        )


LIMITED_TO_100_BYTES: Final = {"max_decompressed_message_bytes": "100"}


def _sized(body_bytes: int) -> LogRecord:
    """Return a record without a key. body_bytes: its size, without the varint of this size."""
    value_bytes = body_bytes - 6
    if value_bytes >= 64:
        value_bytes -= 1  # its length has two bytes
    return record(b"v" * value_bytes, key=None)


@case(is_new=True)
def produce_of_records_that_are_too_large_when_decompressed(k: Talk) -> None:
    for compression_type in ("producer", "gzip", "uncompressed"):
        topic = k.topic(compression_type=compression_type, **LIMITED_TO_100_BYTES)
        for codec in Codec:
            for size in (100, 101):
                k.ask(*produce({topic: {0: batch(record(b"a"), _sized(size), compression=codec)}}))
        many = [_sized(60), _sized(60), _sized(60)]
        k.ask(*produce({topic: {0: batch(*many, compression=Codec.GZIP)}}))
        k.ask(*list_offsets({topic: {0: -1}}))


@case(is_new=True)
def records_too_large_when_decompressed_have_other_faults(k: Talk) -> None:
    topic = k.topic(cleanup_policy="compact", **LIMITED_TO_100_BYTES)
    k.ask(*produce({topic: {0: batch(_sized(50), _sized(101), compression=Codec.GZIP)}}))
    topic = k.topic(message_timestamp_before_max_ms="1000", **LIMITED_TO_100_BYTES)
    old = record(b"v", timestamp=5)
    k.ask(*produce({topic: {0: batch(old, _sized(101), compression=Codec.GZIP)}}))


@case(is_new=True)
def list_offsets_of_records_that_are_too_large_when_decompressed(k: Talk) -> None:
    topic = k.topic()
    now = k.broker.wall_ms()
    records = [record(b"v" * size, timestamp=now + size) for size in (1, 200, 2)]
    k.ask(*produce({topic: {0: batch(*records, compression=Codec.GZIP)}}))
    k.ask(*produce({topic: {0: batch(record(b"v" * 200, timestamp=now + 300))}}))
    k.ask(*change((TOPIC, topic, (("max.decompressed.message.bytes", SET, "100"),))))
    k.until_config(TOPIC, topic, "max.decompressed.message.bytes", "100")
    for time in (now, now + 2, now + 100, now + 300, -3):
        k.ask(*list_offsets({topic: {0: time}}, version=7), keep=_codes_of_offsets)
    k.ask(*fetch({topic: {0: 0}}), keep=fetched)


def _codes_of_offsets(response: dict[str, Any]) -> Any:
    (found,) = response["Topics"][0]["Partitions"]
    return [found["ErrorCode"], found["Offset"]]


@case(is_new=True)
def new_settings_of_a_group_are_changed(k: Talk) -> None:
    group = k.name("group")
    for key, value in (
        ("errors.deadletterqueue.topic.name", "dlq.one"),
        ("errors.deadletterqueue.topic.name", "one"),
        ("errors.deadletterqueue.topic.name", "dlq./"),
        ("errors.deadletterqueue.topic.name", "__dlq.one"),
        ("errors.deadletterqueue.topic.name", ""),
        ("errors.deadletterqueue.copy.record.enable", "true"),
        ("errors.deadletterqueue.copy.record.enable", "yes"),
        ("streams.assignor.name", "sticky"),
        ("streams.assignor.name", "another"),
        ("streams.assignor.name", ""),
        ("streams.rack.aware.assignment.tags", "a,b"),
        ("streams.rack.aware.assignment.tags", "a,a"),
        ("streams.rack.aware.assignment.tags", "a,,b"),
        ("streams.rack.aware.assignment.tags", ""),
        ("streams.rack.aware.assignment.tags", "a,b,c,d,e,f"),
    ):
        k.ask(*change((GROUP, group, ((key, SET, value),))), keep=_error_of_one)
    k.ask(*change((GROUP, group, (("streams.rack.aware.assignment.tags", APPEND, "c"),))), keep=_error_of_one)


def _error_of_one(response: dict[str, Any]) -> Any:
    (found,) = response["Responses"]
    return [found["ErrorCode"], found["ErrorMessage"]]


@case(is_new=True)
def controllers_are_unregistered(k: Talk) -> None:
    for controller in (1, 2, 0, -1, -2, 2**31 - 1):
        k.ask("UnregisterController", 0, {"ControllerId": controller})
