"""Compare each record of the directory that Kafka 4.3.1 wrote with the output of Kafka's dump tool."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.kafkas_directory import unpacked
from tests.pipeline.kafka_fixture import dump, truth
from tidemark_pipeline import schemas
from tidemark_pipeline.decode import read_segment
from tidemark_pipeline.model import ScanOptions, Segment, Task

Row = dict[str, Any]
ALL_OFFSETS = 2**63 - 1


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpacked(tmp_path_factory.mktemp("kafka"))


def rows(directory: Path, table: str) -> Iterator[Row]:
    for path in sorted(directory.glob("__consumer_offsets-*/*.log")):
        log_partition = int(path.parent.name.rpartition("-")[2])
        segment = Segment(str(path), log_partition, int(path.stem), path.stat().st_size, is_last=False)
        options = ScanOptions(table, transactions="all", on_error="fail")
        for batch in read_segment(path.read_bytes(), Task(segment, 0, ALL_OFFSETS), options):
            batch.validate(full=True)
            assert batch.schema == schemas.TABLES[table]
            yield from batch.to_pylist()


def dumped() -> list[Row]:
    return [line for line in dump() if "empty" not in line]


def none_if_absent(number: int | None) -> int | None:
    return None if number in (-1, None) else number


def of_log(line: Row) -> Row:
    return {
        "log_partition": line["partition"],
        "log_offset": line["offset"],
        "record_timestamp_ms": line["timestamp"],
    }


def of_batch(line: Row) -> Row:
    return {"batch_base_offset": line["baseOffset"], "batch_last_offset": line["lastOffset"]}


def of_producer(line: Row) -> Row:
    return {
        "producer_id": none_if_absent(line["producerId"]),
        "producer_epoch": none_if_absent(line["producerEpoch"]),
        "transactional": line["isTransactional"],
    }


def offset_row(line: Row) -> Row:
    value = line["value"] or {}
    return {
        **of_log(line),
        **line["key"],
        "committed_offset": value.get("offset"),
        "leader_epoch": none_if_absent(value.get("leaderEpoch")),
        "metadata": value.get("metadata"),
        "commit_timestamp_ms": value.get("commitTimestamp"),
        "expire_timestamp_ms": none_if_absent(value.get("expireTimestamp")),
        "topic_id": value.get("topicId"),
        "value_version": line.get("valueVersion"),
        **of_producer(line),
    }


def test_offset_commits_are_those_of_the_dump(directory: Path) -> None:
    told = [offset_row(line) for line in dumped() if line.get("keyVersion") in (0, 1)]
    assert list(rows(directory, "offsets")) == told
    assert len(told) > 2900


def test_every_record_is_one_row_of_raw(directory: Path) -> None:
    found = list(rows(directory, "raw"))
    told = [
        {
            **of_log(line),
            **of_batch(line),
            "key_version": line.get("keyVersion"),
            **of_producer(line),
            "control_type": line["control"].split()[1].lower() if "control" in line else None,
        }
        for line in dumped()
    ]
    assert [{name: row[name] for name in told[0]} for row in found] == told
    sizes = [(line["keySize"], line["valueSize"]) for line in dumped()]
    assert [(len(row["key"]), -1 if row["value"] is None else len(row["value"])) for row in found] == sizes


def test_counts_are_those_of_kafkas_dump(directory: Path) -> None:
    counts = list(rows(directory, "segments"))
    told = Counter(
        "control" if "control" in line else "offsets" if line["keyVersion"] in (0, 1) else "groups"
        for line in dumped()
    )
    assert {kind: sum(row[kind] for row in counts) for kind in told} == told
    assert sum(row["batches"] for row in counts) == truth()["dump"]["batches"]["batches"]
    assert all(row["bytes"] == Path(row["path"]).stat().st_size for row in counts)
    assert {(row["skipped"], row["skipped_types"], row["torn_at"]) for row in counts} == {(0, "", None)}


# Groups. The expected value of a column is the field of that name in the dump.


def group_row(line: Row) -> Row:
    key, value, version = line["key"], line["value"], line["keyVersion"]
    row = dict.fromkeys(schemas.GROUPS.names) | of_log(line) | of_batch(line)
    row |= {
        "key_version": version,
        "group": key["group"] if version == 2 else key["groupId"],
        "tombstone": value is None,
        "value_version": line.get("valueVersion"),
    }
    if version in VALUES:
        row |= {"member_id": key.get("memberId"), "regular_expression": key.get("regularExpression")}
        row |= VALUES[version](value) if value is not None else {}
    return row


def by_id(assigned: list[Row]) -> list[Row]:
    return [{"topic": each["topicId"], "partitions": each["partitions"]} for each in assigned]


def member_row(value: Row) -> Row:
    return {
        "instance_id": value["instanceId"],
        "client_id": value["clientId"],
        "client_host": value["clientHost"],
        "subscribed_topics": value["subscribedTopicNames"],
        "subscribed_regex": value["subscribedTopicRegex"] or None,
        "classic_member": value.get("classicMemberMetadata") is not None,
    }


def current_row(value: Row) -> Row:
    return {
        "epoch": value["memberEpoch"],
        "state": value["state"],
        "assignment": by_id(value["assignedPartitions"]),
        "pending_revocation": by_id(value["partitionsPendingRevocation"]),
    }


def classic_row(value: Row) -> Row:
    members = [classic_member(each, value["protocolType"]) for each in value["members"]]
    return {
        "protocol_type": value["protocolType"],
        "generation": value["generation"],
        "protocol": value["protocol"],
        "leader": value["leader"],
        "state_timestamp_ms": none_if_absent(value["currentStateTimestamp"]),
        "members": members,
        "subscribed_topics": of_all(members) if value["protocolType"] == "consumer" else None,
    }


def classic_member(member: Row, protocol_type: str) -> Row:
    """Kafka's tool prints what it can decode, of consumers, and bytes as base 64 otherwise."""
    subscription, assignment = member["subscription"], member["assignment"]
    decoded = protocol_type == "consumer" and isinstance(subscription, dict)
    return {
        "member_id": member["memberId"],
        "group_instance_id": member["groupInstanceId"],
        "client_id": member["clientId"],
        "client_host": member["clientHost"],
        "rebalance_timeout_ms": member["rebalanceTimeout"],
        "session_timeout_ms": member["sessionTimeout"],
        "subscribed_topics": subscription["topics"] if decoded else None,
        "assignment": assignment["assignedPartitions"] if isinstance(assignment, dict) else None,
    }


def of_all(members: list[Row]) -> list[str] | None:
    if any(member["subscribed_topics"] is None for member in members):
        return None
    return sorted({topic for member in members for topic in member["subscribed_topics"]})


def share_member_row(value: Row) -> Row:
    names = {
        "client_id": "clientId",
        "client_host": "clientHost",
        "subscribed_topics": "subscribedTopicNames",
    }
    return {column: value[field] for column, field in names.items()}


def share_partitions_row(value: Row) -> Row:
    names = {
        "initializing_topics": "initializingTopics",
        "initialized_topics": "initializedTopics",
        "deleting_topics": "deletingTopics",
    }
    return {
        column: [
            {"topic_id": topic["topicId"], "topic": topic["topicName"], "partitions": topic.get("partitions")}
            for topic in value[field]
        ]
        for column, field in names.items()
    }


def streams_member_row(value: Row) -> Row:
    names = {"instance_id": "instanceId", "client_id": "clientId", "client_host": "clientHost"}
    return {column: value[field] for column, field in names.items()}


def topology_row(value: Row) -> Row:
    topics = {topic for each in value["subtopologies"] for topic in each["sourceTopics"]}
    repartition = {
        topic["name"] for each in value["subtopologies"] for topic in each["repartitionSourceTopics"]
    }
    return {"epoch": value["epoch"], "subscribed_topics": sorted(topics | repartition)}


VALUES = {
    2: classic_row,
    3: lambda value: {"epoch": value["epoch"]},
    4: lambda value: {},
    5: member_row,
    6: lambda value: {"epoch": value["assignmentEpoch"]},
    7: lambda value: {"assignment": by_id(value["topicPartitions"])},
    8: current_row,
    10: share_member_row,
    11: lambda value: {"epoch": value["epoch"]},
    12: lambda value: {"epoch": value["assignmentEpoch"]},
    13: lambda value: {"assignment": by_id(value["topicPartitions"])},
    14: lambda value: {
        "epoch": value["memberEpoch"],
        "state": value["state"],
        "assignment": by_id(value["assignedPartitions"]),
    },
    15: share_partitions_row,
    16: lambda value: {"subscribed_topics": value["topics"]},
    17: lambda value: {
        "epoch": value["epoch"],
        "validated_topology_epoch": value.get("validatedTopologyEpoch", -1),
    },
    19: streams_member_row,
    20: lambda value: {"epoch": value["assignmentEpoch"]},
    21: lambda value: {},
    22: lambda value: {"epoch": value["memberEpoch"], "state": value["state"]},
    23: topology_row,
}


def test_records_of_groups_are_those_of_the_dump(directory: Path) -> None:
    found = list(rows(directory, "groups"))
    told = [group_row(line) for line in dumped() if line.get("keyVersion", 0) > 1]
    named = {"record_type", "group_type", "key"}
    assert [row | dict.fromkeys(named) for row in found] == [row | dict.fromkeys(named) for row in told]
    assert {row["key_version"] for row in found} >= {2, 3, 4, 5, 6, 7, 8, 10, 11, 15, 16, 17, 23}


def test_types_of_groups_are_those_that_kafka_lists(directory: Path) -> None:
    """The last record of an existing group determines its type."""
    types = {row["group"]: row["group_type"] for row in rows(directory, "groups")}
    groups = truth()["afterRestartOnCopy"]["groups"]
    listed = {name: group["type"].lower() for name, group in groups.items()}
    with_records = {name: kind for name, kind in listed.items() if name in types}
    assert {name: types[name] for name in with_records} == with_records
    assert set(with_records.values()) == {"classic", "consumer", "share", "streams"}
