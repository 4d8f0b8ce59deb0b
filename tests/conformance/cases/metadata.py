"""Metadata and DescribeTopicPartitions: topics by name, by id, all, created on demand, in pages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from tests.conformance.build import Request
from tests.conformance.case import ZERO_UUID, Fields, Talk, case

UNKNOWN_UUID: Final = "11111111-2222-3333-4444-555555555555"


def _metadata(
    topics: list[str | dict[str, Any] | None] | None,
    *,
    version: int = 12,
    create: bool = False,
    **others: Any,
) -> Request:
    """Build a Metadata. topics: names, or the fields of the request."""
    asked = None
    if topics is not None:
        asked = [topic if isinstance(topic, dict) else {"Name": topic} for topic in topics]
    return "Metadata", version, {"Topics": asked, "AllowAutoTopicCreation": create} | others


def _own(k: Talk) -> Callable[[Fields], Any]:
    """keep=: the topics of the case, by name."""
    prefix = k.name("").rpartition(".")[0]

    def keep(response: Fields) -> Any:
        own = [topic for topic in response["Topics"] if (topic["Name"] or "").startswith(f"{prefix}.")]
        return {**response, "Topics": sorted(own, key=lambda topic: str(topic["Name"]))}

    return keep


@case
def metadata_of_a_topic_in_every_version(k: Talk) -> None:
    topic = k.topic(2)
    for version in range(14):
        k.ask(*_metadata([topic], version=version))


@case
def metadata_of_unknown_topics_in_every_version(k: Talk) -> None:
    for version in range(4, 14):
        k.ask(*_metadata([k.name()], version=version))


@case
def metadata_in_version_14_closes_the_connection(k: Talk) -> None:
    frame = bytearray(k.frame(*_metadata([], version=13)))
    frame[6:8] = (14).to_bytes(2, "big")
    k.send_raw(bytes(frame))
    k.closed()


@case
def metadata_of_all_topics_in_every_version(k: Talk) -> None:
    k.topic(), k.topic(2)
    for version in range(14):
        k.ask(*_metadata(None if version else [], version=version), keep=_own(k))


@case
def metadata_of_no_topics(k: Talk) -> None:
    for version in (1, 4, 9, 10, 12, 13):
        k.ask(*_metadata([], version=version))


@case
def metadata_of_several_topics(k: Talk) -> None:
    first, second = k.topic(), k.topic(3)
    k.ask(*_metadata([second, k.name(), first], version=1, create=True), keep=_without_creation)
    k.ask(*_metadata([second, f"{first}-no", first]))


def _without_creation(response: Fields) -> Any:
    """Version 1 creates missing topics, with a delay."""
    return sorted((topic["Name"], topic["ErrorCode"]) for topic in response["Topics"])


@case
def metadata_of_a_topic_named_twice(k: Talk) -> None:
    topic, unknown = k.topic(), k.name()
    k.ask(*_metadata([topic, unknown, topic, unknown]))


@case
def metadata_of_invalid_names(k: Talk) -> None:
    topic = k.topic()
    for create in (False, True):
        k.ask(*_metadata(["", ".", "..", "a b", "é", "x" * 250, "a/b", topic], create=create))
        k.ask(*_metadata(["", "a b"], version=4, create=create))


@case
def metadata_with_a_null_name(k: Talk) -> None:
    topic = k.topic()
    for version in (10, 11, 12, 13):
        k.ask(*_metadata([None], version=version))
        k.ask(*_metadata([topic, None, k.name()], version=version))


@case
def metadata_by_id(k: Talk) -> None:
    topic = k.topic(2)
    topic_id = k.topic_id(topic)
    for version in (10, 11, 12, 13):
        k.ask(*_metadata([{"TopicId": topic_id, "Name": None}], version=version))
        k.ask(*_metadata([{"TopicId": UNKNOWN_UUID, "Name": None}], version=version))


@case
def metadata_by_id_of_several(k: Talk) -> None:
    first, second = k.topic_id(k.topic()), k.topic_id(k.topic())
    ids: list[Any] = [{"TopicId": each, "Name": None} for each in (second, UNKNOWN_UUID, first, second)]
    k.ask(*_metadata(ids))


@case
def metadata_by_id_and_name(k: Talk) -> None:
    """If a topic has an id, its name is ignored."""
    topic, other = k.topic(), k.topic()
    topic_id = k.topic_id(topic)
    k.ask(*_metadata([{"TopicId": topic_id, "Name": topic}]))
    k.ask(*_metadata([{"TopicId": topic_id, "Name": other}]))
    k.ask(*_metadata([{"TopicId": topic_id, "Name": None}, {"TopicId": ZERO_UUID, "Name": other}]))
    k.ask(*_metadata([{"TopicId": topic_id, "Name": "no such name"}], version=10))
    k.ask(*_metadata([{"TopicId": UNKNOWN_UUID, "Name": topic}, {"TopicId": ZERO_UUID, "Name": None}]))


@case
def metadata_by_the_id_of_a_deleted_topic(k: Talk) -> None:
    topic = k.topic()
    topic_id = k.topic_id(topic)
    k.delete_topic(topic)
    k.ask(*_metadata([{"TopicId": topic_id, "Name": None}]))
    k.ask(*_metadata([topic]))


@case
def metadata_creates_topics_on_demand(k: Talk) -> None:
    for version in (4, 8, 13):
        name = k.name()
        k.ask(*_metadata([name], version=version, create=True))
        k.until_there(name)
        k.ask(*_metadata([name], version=version))


@case
def metadata_before_version_4_always_creates(k: Talk) -> None:
    for version in (0, 1, 2, 3):
        name = k.name()
        k.ask(*_metadata([name], version=version))
        k.until_there(name)
        k.ask(*_metadata([name], version=version))


@case
def metadata_does_not_create_what_it_is_not_asked_to(k: Talk) -> None:
    name = k.name()
    for _ in range(2):
        k.ask(*_metadata([name]))


@case
def metadata_does_not_create_by_id(k: Talk) -> None:
    k.ask(*_metadata([{"TopicId": UNKNOWN_UUID, "Name": k.name()}], create=True))


@case
def metadata_creates_with_the_brokers_settings(k: Talk) -> None:
    name = k.name()
    k.do(*_metadata([name], create=True))
    k.until_there(name)
    k.ask(
        "DescribeConfigs",
        4,
        {"Resources": [{"ResourceType": 2, "ResourceName": name, "ConfigurationKeys": None}]},
        keep=lambda a: [c for c in a["Results"][0]["Configs"] if c["ConfigSource"] == 1],
    )


@case(settings={"auto.create.topics.enable": "false"})
def metadata_does_not_create_where_the_broker_does_not(k: Talk) -> None:
    name = k.name()
    for version in (0, 4, 12):
        k.ask(*_metadata([name, "a b"], version=version, create=True))


@case(settings={"num.partitions": "3"})
def metadata_creates_as_many_partitions_as_the_broker_says(k: Talk) -> None:
    name = k.name()
    k.ask(*_metadata([name], create=True))
    k.until_there(name, 3)
    k.ask(*_metadata([name]))


@case(settings={"default.replication.factor": "2"})
def metadata_creates_nothing_where_replicas_are_missing(k: Talk) -> None:
    name = k.name()
    for _ in range(2):
        k.ask(*_metadata([name], create=True))


@case
def metadata_does_not_create_what_collides(k: Talk) -> None:
    topic = k.topic()
    other = topic.replace(".", "_")
    for _ in range(2):
        k.ask(*_metadata([other], create=True), keep=lambda a: a["Topics"][0]["ErrorCode"])


@case
def metadata_of_internal_topics(k: Talk) -> None:
    k.group()
    k.ask(*_metadata(["__consumer_offsets"]))
    k.ask(*_metadata(["__cluster_metadata"]))


@case
def metadata_with_authorized_operations(k: Talk) -> None:
    topic = k.topic()
    for version in (8, 9, 10, 11, 13):
        asked = {"IncludeTopicAuthorizedOperations": True}
        if version <= 10:
            asked["IncludeClusterAuthorizedOperations"] = True
        k.ask(*_metadata([topic, k.name(), "a b"], version=version, **asked))
        k.ask(*_metadata(None, version=version, **asked), keep=_own(k))


# DescribeTopicPartitions


def _pages(*topics: str, limit: int = 2000, cursor: tuple[str, int] | None = None) -> Request:
    fields: dict[str, Any] = {
        "Topics": [{"Name": topic} for topic in topics],
        "ResponsePartitionLimit": limit,
        "Cursor": None if cursor is None else {"TopicName": cursor[0], "PartitionIndex": cursor[1]},
    }
    return "DescribeTopicPartitions", 0, fields


@case
def topic_partitions_are_described(k: Talk) -> None:
    first, second = k.topic(2), k.topic()
    k.ask(*_pages(second, first))
    k.ask(*_pages(first))


@case
def topic_partitions_in_version_1_closes_the_connection(k: Talk) -> None:
    frame = bytearray(k.frame(*_pages()))
    frame[6:8] = (1).to_bytes(2, "big")
    k.send_raw(bytes(frame))
    k.closed()


@case
def topic_partitions_of_a_topic_named_twice(k: Talk) -> None:
    topic = k.topic()
    k.ask(*_pages(topic, topic, limit=1))


@case
def topic_partitions_of_unknown_and_invalid_names(k: Talk) -> None:
    topic = k.topic()
    k.ask(*_pages(topic, k.name(), "a b", "..", "x" * 250))
    k.ask(*_pages(f"{topic}-no"))
    k.ask(*_pages("", topic))
    k.ask(*_pages("__cluster_metadata"))


@case
def topic_partitions_are_cut_at_a_limit(k: Talk) -> None:
    first, second = k.topic(3), k.topic(2)
    for limit in (1, 2, 3, 4, 5, 6, 0, -1, -(2**31)):
        k.ask(*_pages(first, second, limit=limit))


@case
def topic_partitions_unknown_ones_do_not_count_towards_the_limit(k: Talk) -> None:
    topic = k.topic(1)
    k.ask(*_pages(f"{topic}-1", topic, f"{topic}-2", limit=1))
    k.ask(*_pages(f"{topic}-1", f"{topic}-2", limit=1))


@case
def topic_partitions_from_a_cursor(k: Talk) -> None:
    first, second = k.topic(3), k.topic(2)
    for cursor in ((first, 0), (first, 2), (first, 3), (first, 99), (second, 0), (second, 1), (second, 2)):
        k.ask(*_pages(first, second, cursor=cursor))
        k.ask(*_pages(first, second, cursor=cursor, limit=1))


@case
def topic_partitions_page_by_page(k: Talk) -> None:
    first, second = k.topic(3), k.topic(2)
    cursor = None
    for _ in range(4):
        following = k.ask(*_pages(first, second, cursor=cursor, limit=2))["NextCursor"]
        if following is None:
            break
        cursor = (following["TopicName"], following["PartitionIndex"])


@case
def topic_partitions_from_a_bad_cursor(k: Talk) -> None:
    first, second = k.topic(), k.topic()
    k.ask(*_pages(first, second, cursor=(k.name(), 0)))
    k.ask(*_pages(first, cursor=(second, 0)))
    k.ask(*_pages(first, cursor=(first, -1)))
    k.ask(*_pages(first, cursor=("", 0)))
    k.ask(*_pages(f"{first}-no", cursor=(f"{first}-no", 0)))
    k.ask(*_pages(f"{first}-no", cursor=(f"{first}-no", 3)))
    k.ask(*_pages(cursor=(first, -1)))
    k.ask(*_pages("", cursor=("", 0)))


@case
def topic_partitions_of_all_topics(k: Talk) -> None:
    k.topic(2), k.topic()
    k.ask(*_pages(), keep=_own(k))
    name = k.name("topic")
    k.topic()
    k.ask(*_pages(cursor=(name, 0), limit=1), keep=lambda a: len(a["Topics"]))


@case
def topic_partitions_of_all_topics_from_a_cursor(k: Talk) -> None:
    first, second = k.topic(2), k.topic()
    k.ask(*_pages(cursor=(first, 1)), keep=_own(k))
    k.ask(*_pages(cursor=(second, 0)), keep=_own(k))
    k.ask(*_pages(cursor=(f"{first}-no", 0)), keep=_own(k))


@case
def topic_partitions_of_internal_topics(k: Talk) -> None:
    k.group()
    k.ask(*_pages("__consumer_offsets", limit=1))


@case(settings={"max.request.partition.size.limit": "2"})
def topic_partitions_are_cut_at_the_brokers_limit(k: Talk) -> None:
    topic = k.topic(3)
    k.ask(*_pages(topic))
    k.ask(*_pages(topic, limit=1))


@case
def metadata_creates_several_topics_at_once(k: Talk) -> None:
    first, second = k.name(), k.name()
    k.ask(*_metadata([first, "a b", second, first], create=True))
    for name in (first, second):
        k.until_there(name)
    k.ask(*_metadata([first, second]))


@case
def metadata_of_a_topic_that_grows(k: Talk) -> None:
    topic = k.topic()
    grown = {"Name": topic, "Count": 3, "Assignments": None}
    k.do("CreatePartitions", 3, {"Topics": [grown], "TimeoutMs": 30000})
    k.until_there(topic, 3)
    k.ask(*_metadata([topic]))


@case
def metadata_of_long_names(k: Talk) -> None:
    for length in (248, 249, 250):
        name = k.name().ljust(length, "x")
        k.ask(*_metadata([name], create=True), keep=lambda a: a["Topics"][0]["ErrorCode"])


@case(settings={"num.partitions": "1", "transaction.state.log.num.partitions": "3"})
def metadata_of_topics_that_kafka_keeps_to_itself(k: Talk) -> None:
    names: list[str | dict[str, Any] | None] = ["__transaction_state", "__share_group_state"]
    k.ask(*_metadata(names))
    k.ask(*_pages("__transaction_state", "__share_group_state"))


@case
def topic_partitions_after_a_topic_has_grown(k: Talk) -> None:
    topic = k.topic()
    cursor = k.ask(*_pages(topic, limit=1))["NextCursor"]
    k.keep("cursor", cursor)
    grown = {"Name": topic, "Count": 3, "Assignments": None}
    k.do("CreatePartitions", 3, {"Topics": [grown], "TimeoutMs": 30000})
    k.until_there(topic, 3)
    k.ask(*_pages(topic, limit=2))


@case
def topic_partitions_of_a_deleted_topic(k: Talk) -> None:
    topic, other = k.topic(), k.topic()
    k.delete_topic(topic)
    k.ask(*_pages(topic, other))
    k.ask(*_pages(topic, other, cursor=(topic, 0)))
