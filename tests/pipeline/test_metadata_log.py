"""Topics created and removed in the metadata log, compared with Kafka's dump of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kafkas_directory import unpacked
from tests.pipeline.kafka_fixture import metadata_dump, truth
from tests.pipeline.made_logs import T0, epochs, metadata, segment, topic
from tidemark_pipeline.logs.metadata_log import TopicEvent, partition_counts, topic_events, topics_told
from tidemark_protocol.batch import BatchBuilder, Codec
from tidemark_protocol.checkpoints import uuid_text
from tidemark_protocol.records.feature_level_record import FeatureLevelRecord
from tidemark_protocol.records.no_op_record import NoOpRecord
from tidemark_protocol.records.partition_change_record import PartitionChangeRecord
from tidemark_protocol.records.remove_topic_record import RemoveTopicRecord
from tidemark_protocol.stored import encode_metadata

METADATA = "__cluster_metadata-0"
OLD, NEW = b"1" * 16, b"2" * 16


@pytest.fixture(scope="module")
def kafkas(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return [str(unpacked(tmp_path_factory.mktemp("kafka")))]


def test_the_events_are_those_of_kafkas_dump(kafkas: list[str]) -> None:
    names: dict[str, str] = {}
    expected = []
    for row in metadata_dump():
        if row["log"] != "__cluster_metadata" or row.get("type") not in (
            "TOPIC_RECORD",
            "REMOVE_TOPIC_RECORD",
        ):
            continue
        topic_id = row["data"]["topicId"]
        event = "created" if row["type"] == "TOPIC_RECORD" else "removed"
        names.setdefault(topic_id, row["data"].get("name"))
        expected.append((names[topic_id], topic_id, event, row["timestamp"], row["offset"]))
    found = topic_events(kafkas)
    assert [(e.topic, e.topic_id, e.event, e.timestamp_ms, e.log_offset) for e in found] == expected
    assert {event.event for event in found} == {"created", "removed"}


def test_a_removal_follows_its_request(kafkas: list[str]) -> None:
    removed = {event.topic: event.timestamp_ms for event in topic_events(kafkas) if event.event == "removed"}
    asked = {
        each["topic"]: each["at"] for each in truth()["story"]["requests"] if each["what"] == "DeleteTopics"
    }
    assert removed.keys() == asked.keys()
    assert all(0 <= (removed[name] or 0) - asked[name] < 1000 for name in asked)


def test_partition_counts_are_those_that_kafka_reported(kafkas: list[str]) -> None:
    said = truth()["beforeShutdown"]["topics"]
    assert partition_counts(kafkas) == {name: len(told["partitions"]) for name, told in said.items()}


def test_a_snapshot_names_what_the_log_only_removes(tmp_path: Path) -> None:
    here = tmp_path / METADATA
    segment(here, 0).with_name(f"{90:020d}-0000000003.checkpoint").write_bytes(
        metadata([*topic("orders", OLD, 2), *topic("gone", NEW)], offset=0, at_ms=T0 - 5)
    )
    (here / f"{0:020d}.log").unlink()
    removal = metadata([RemoveTopicRecord(topic_id=NEW), RemoveTopicRecord(topic_id=b"3" * 16)], offset=95)
    segment(here, 90, metadata([NoOpRecord()], offset=90), removal)
    assert topic_events([str(tmp_path)]) == [
        TopicEvent("orders", uuid_text(OLD), "created", None, -1),
        TopicEvent("gone", uuid_text(NEW), "created", None, -1),
        TopicEvent("gone", uuid_text(NEW), "removed", T0, 95),
        TopicEvent(None, uuid_text(b"3" * 16), "removed", T0, 96),
    ]
    assert partition_counts([str(tmp_path)]) == {"orders": 2}


def test_events_in_the_log_and_the_newest_snapshot_are_returned_once(tmp_path: Path) -> None:
    here = tmp_path / METADATA
    gone = metadata([RemoveTopicRecord(topic_id=OLD)], offset=2, at_ms=T0 + 1)
    segment(here, 0, metadata(topic("orders", OLD)), gone, metadata(topic("orders", NEW, 3), offset=3))
    (here / f"{2:020d}-0000000001.checkpoint").write_bytes(metadata(topic("orders", OLD)))
    (here / f"{7:020d}-0000000001.checkpoint").write_bytes(metadata(topic("orders", NEW, 3)))
    assert [(event.event, event.topic_id) for event in topic_events([str(tmp_path)])] == [
        ("created", uuid_text(OLD)),
        ("removed", uuid_text(OLD)),
        ("created", uuid_text(NEW)),
    ]
    assert partition_counts([str(tmp_path)]) == {"orders": 3}


def level(number: int, name: str = "metadata.version") -> FeatureLevelRecord:
    return FeatureLevelRecord(name=name, feature_level=number)


def test_the_upgrade_to_kafka_4_is_dated(kafkas: list[str], tmp_path: Path) -> None:
    """metadata.version 21 is Kafka 3.9, and 22 is the first of 4.0. A version from a snapshot has time 0."""
    first_ms = min(row["timestamp"] for row in metadata_dump() if row.get("type") == "FEATURE_LEVEL_RECORD")
    assert topics_told(kafkas)[1] == first_ms
    upgraded, long_ago, older = (tmp_path / name for name in ("upgraded", "long-ago", "older"))
    levels = [metadata([level(number)], offset=at, at_ms=T0 + at) for at, number in enumerate((21, 22, 25))]
    segment(upgraded / METADATA, 0, *levels)
    assert topics_told([str(upgraded)])[1] == T0 + 1
    segment(older / METADATA, 0, levels[0], metadata([level(30, "group.version")], offset=1))
    assert topics_told([str(older)])[1] is None
    segment(long_ago / METADATA, 90, metadata([NoOpRecord()], offset=90))
    (long_ago / METADATA / f"{90:020d}-0000000003.checkpoint").write_bytes(levels[2])
    assert topics_told([str(long_ago)])[1] == 0


def test_the_copy_that_reaches_furthest_is_read(tmp_path: Path) -> None:
    ahead, behind = tmp_path / "1", tmp_path / "2"
    created, removed = metadata(topic("orders", OLD)), metadata([RemoveTopicRecord(topic_id=OLD)], offset=2)
    segment(ahead / METADATA, 0, created, removed)
    segment(behind / METADATA, 0, created)
    for path in (ahead, behind):
        epochs(path / METADATA, (1, 0))
    assert [event.event for event in topic_events([str(behind), str(ahead)])] == ["created", "removed"]


def test_torn_ends_compressed_batches_and_unknown_records_are_tolerated(tmp_path: Path) -> None:
    builder = BatchBuilder(T0)
    builder.add(None, b"\x01\xc8\x01\x00" + bytes(40))  # a record type of a later Kafka
    for record in topic("orders", OLD):
        builder.add(None, encode_metadata(record))
    change = PartitionChangeRecord(partition_id=0, topic_id=OLD, replicas=[1, 2])
    whole = builder.build(0, base_sequence=-1, compression=Codec.ZSTD)
    segment(tmp_path / METADATA, 0, whole, metadata([change], offset=3), whole[:50])
    assert [(event.topic, event.log_offset) for event in topic_events([str(tmp_path)])] == [("orders", 1)]


def test_without_a_metadata_log_no_topics_are_known(tmp_path: Path) -> None:
    segment(tmp_path / "orders-0", 0)
    assert topic_events([str(tmp_path)]) == [] and partition_counts([str(tmp_path)]) == {}
