"""The records of share partitions, as Kafka's dump tool prints them, and the states that they make."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests import kafka_oracle
from tests.clients import share_directory
from tests.clients.share_directory import DELIVERY_LIMIT, RECORDS, REJECTED, Written
from tests.kafkas_directory import unpacked
from tests.pipeline.kafka_fixture import metadata_dump
from tests.pipeline.test_decode_kafkas_directory import group_row
from tidemark_pipeline import schemas
from tidemark_pipeline.decode import read_segment
from tidemark_pipeline.logs.directories import find_logs
from tidemark_pipeline.model import PipelineError, ScanOptions, Segment, Task
from tidemark_pipeline.source.arrow_tables import arrow_table
from tidemark_pipeline.story.share_states import archived_over_time, states_over_time
from tidemark_pipeline.tables.columns import SHARE_ARCHIVED, SHARE_STATES, names

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Row = dict[str, Any]
ALL_OFFSETS: Final = 2**63 - 1
FILE: Final = re.compile(r"Dumping .*/__\w+-(\d+)/\d+\.log")
RECORD: Final = re.compile(r"\| offset: (\d+) CreateTime: (-?\d+) .*? key: (\{.*\}) payload: (.*)")
BATCH: Final = re.compile(r"baseOffset: (\d+) lastOffset: (\d+) ")
STATES: Final = {0: "available", 1: "acquired", 2: "acknowledged", 3: "archiving", 4: "archived"}


def rows(directory: Path) -> Iterator[Row]:
    paths = directory.glob("__share_group_state-*/*.log")
    for path in sorted(paths, key=lambda path: int(path.parent.name.rpartition("-")[2])):
        number = int(path.parent.name.rpartition("-")[2])
        segment = Segment(str(path), number, int(path.stem), path.stat().st_size, is_last=False)
        options = ScanOptions("share_state", transactions="all", on_error="fail")
        for batch in read_segment(path.read_bytes(), Task(segment, 0, ALL_OFFSETS), options):
            batch.validate(full=True)
            assert batch.schema == schemas.SHARE_STATE
            yield from batch.to_pylist()


def none_if_absent(number: int | None) -> int | None:
    return None if number in (-1, None) else number


def state_row(place: Row, key_version: int, key: Row, value: Row | None) -> Row:
    """Return the row of a record, by the names of Kafka's dump."""
    row = {
        **dict.fromkeys(schemas.SHARE_STATE.names),
        **place,
        "record_type": ("ShareSnapshot", "ShareUpdate")[key_version],
        "group": key["groupId"],
        "topic_id": key["topicId"],
        "partition": key["partition"],
        "tombstone": value is None,
    }
    if value is None:
        return row
    return {
        **row,
        "snapshot_epoch": value["snapshotEpoch"],
        "state_epoch": value.get("stateEpoch"),
        "leader_epoch": none_if_absent(value["leaderEpoch"]),
        "start_offset": none_if_absent(value["startOffset"]),
        "delivery_complete_count": none_if_absent(value.get("deliveryCompleteCount")),
        "create_timestamp_ms": value.get("createTimestamp"),
        "write_timestamp_ms": value.get("writeTimestamp"),
        "batches": [
            {
                "first_offset": each["firstOffset"],
                "last_offset": each["lastOffset"],
                "state": STATES[each["deliveryState"]],
                "delivery_count": each["deliveryCount"],
            }
            for each in value["stateBatches"]
        ],
    }


def test_states_of_share_partitions_are_those_of_the_dump(tmp_path: Path) -> None:
    told = [
        state_row(
            {
                "log_partition": line["partition"],
                "log_offset": line["offset"],
                "record_timestamp_ms": line["timestamp"],
            },
            line["keyVersion"],
            line["key"],
            line["value"],
        )
        for line in metadata_dump()
        if line["log"] == "__share_group_state" and "keyVersion" in line
    ]
    assert list(rows(unpacked(tmp_path))) == told
    assert len(told) == 4


def test_the_source_reads_the_topic_of_share_states(tmp_path: Path) -> None:
    data = unpacked(tmp_path)
    table = arrow_table([str(data)], "share_state")
    assert table is not None and table.to_pylist() == list(rows(data))
    one = arrow_table([str(data)], "share_state", group="shared")
    assert one is not None and one.num_rows == 4
    none = arrow_table([str(data)], "share_state", group="another")
    assert none is not None and none.num_rows == 0


def test_a_directory_without_share_states_is_refused(tmp_path: Path) -> None:
    (tmp_path / "__consumer_offsets-0").mkdir()
    (tmp_path / "__consumer_offsets-0" / "00000000000000000000.log").write_bytes(b"")
    with pytest.raises(PipelineError, match="nothing of __share_group_state is there"):
        find_logs([str(tmp_path)], schemas.SHARE_STATE_TOPIC)


# States, from records made here.


def record(offset: int, kind: str = "ShareUpdate", **values: Any) -> Row:
    return {
        "log_partition": 0,
        "log_offset": offset,
        "record_timestamp_ms": 1000 + offset,
        "record_type": kind,
        "group": "g",
        "topic_id": "t",
        "partition": 0,
        "tombstone": False,
        "snapshot_epoch": 0,
        "state_epoch": 1 if kind == "ShareSnapshot" else None,
        "leader_epoch": None,
        "start_offset": None,
        "delivery_complete_count": None,
        "batches": [],
        **values,
    }


def batch(first: int, last: int, state: str, count: int) -> Row:
    return {"first_offset": first, "last_offset": last, "state": state, "delivery_count": count}


def test_an_update_without_a_start_offset_keeps_it() -> None:
    told = [
        record(0, "ShareSnapshot", start_offset=3, leader_epoch=7),
        record(1, batches=[batch(5, 6, "acknowledged", 1)], delivery_complete_count=2),
    ]
    last = list(states_over_time(told))[-1]
    assert (last["start_offset"], last["leader_epoch"], last["state_epoch"]) == (3, 7, 1)
    assert last["batches"] == [batch(5, 6, "acknowledged", 1)]


def test_a_new_start_offset_cuts_the_batches() -> None:
    told = [
        record(0, "ShareSnapshot", start_offset=0, batches=[batch(0, 9, "acknowledged", 1)]),
        record(1, start_offset=5),
    ]
    assert list(states_over_time(told))[-1]["batches"] == [batch(5, 9, "acknowledged", 1)]


def test_a_tombstone_deletes_the_state() -> None:
    told = [
        record(0, "ShareSnapshot", start_offset=4),
        record(1, "ShareSnapshot", tombstone=True),
        record(2, "ShareSnapshot"),
    ]
    events = [(each["event"], each.get("start_offset")) for each in states_over_time(told)]
    assert events == [("initialized", 4), ("deleted", None), ("initialized", None)]


def test_records_are_archived_once() -> None:
    archived = batch(2, 5, "archived", 5)
    told = [
        record(0, "ShareSnapshot", start_offset=0),
        record(1, batches=[batch(3, 4, "archived", 2)]),
        record(2, batches=[archived]),
        record(3, "ShareSnapshot", start_offset=0, batches=[archived]),
    ]
    found = [
        (
            each["first_offset"],
            each["last_offset"],
            each["delivery_count"],
            each["reason"],
            each["log_offset"],
        )
        for each in archived_over_time(told)
    ]
    assert found == [(3, 4, 2, "rejected", 1), (2, 2, 5, "delivery_limit", 2), (5, 5, 5, "delivery_limit", 2)]


@pytest.mark.java
@pytest.mark.slow
def test_spark_replays_each_share_partition(spark: SparkSession, tmp_path: Path) -> None:
    from tidemark_pipeline.source.session import read_table
    from tidemark_pipeline.tables.share_states import share_archived, share_states

    data = unpacked(tmp_path)
    records = read_table(spark, str(data), "share_state")
    found = share_states(records)
    assert found.columns == names(SHARE_STATES)
    by_place = sorted(
        (row.asDict(recursive=True) for row in found.collect()), key=lambda row: row["log_partition"]
    )
    told = [dict.fromkeys(found.columns) | {**row} for row in states_over_time(rows(data))]
    assert by_place == told
    archived = share_archived(records)
    assert archived.columns == names(SHARE_ARCHIVED) and archived.count() == 0


# A directory that Kafka writes here.


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    return share_directory.write(tmp_path_factory.mktemp("shares"))


def dumped(data: Path, topic: str, decoder: str) -> Iterator[tuple[Row, Row, Row | None]]:
    """Yield the place, the key and the value of each record, as kafka-dump-log prints them."""
    logs = [path for path in data.glob(f"{topic}-*/*.log") if path.stat().st_size]
    logs.sort(key=lambda path: int(path.parent.name.rpartition("-")[2]))
    ended = kafka_oracle.run_tool("kafka-dump-log", "--files", ",".join(map(str, logs)), decoder)
    assert ended.returncode == 0, ended.stdout[-500:] + ended.stderr[-500:]
    place: Row = {}
    for line in ended.stdout.split("\n"):
        if found := FILE.match(line):
            place["partition"] = int(found[1])
        elif found := BATCH.match(line):
            place |= {"baseOffset": int(found[1]), "lastOffset": int(found[2])}
        elif found := RECORD.match(line):
            value = None if found[4] == "<DELETE>" else json.loads(found[4])
            at = {**place, "offset": int(found[1]), "timestamp": int(found[2])}
            yield at, json.loads(found[3]), value


NEEDS_KAFKA: Final = [
    pytest.mark.java,
    pytest.mark.slow,
    pytest.mark.skipif(kafka_oracle.missing() is not None, reason=f"Kafka: {kafka_oracle.missing()}"),
]


def needs_kafka(test: Any) -> Any:
    for mark in NEEDS_KAFKA:
        test = mark(test)
    return test


@needs_kafka
def test_snapshots_and_updates_are_those_of_kafkas_dump(written: Written) -> None:
    told = [
        state_row(
            {
                "log_partition": at["partition"],
                "log_offset": at["offset"],
                "record_timestamp_ms": at["timestamp"],
            },
            int(key["type"]),
            key["data"],
            None if value is None else value["data"],
        )
        for at, key, value in dumped(written.data, "__share_group_state", "--share-group-state-decoder")
    ]
    found = list(rows(written.data))
    assert found == told
    assert {(row["group"], row["record_type"]) for row in found} >= {
        (written.reader, "ShareSnapshot"),
        (written.reader, "ShareUpdate"),
    }


@needs_kafka
def test_records_of_share_groups_are_those_of_kafkas_dump(written: Written) -> None:
    table = arrow_table([str(written.data)], "groups")
    assert table is not None
    named = dict.fromkeys(("record_type", "group_type", "key"))
    found = [row | named for row in table.to_pylist() if 10 <= row["key_version"] <= 15]
    told = [
        group_row(
            {
                **at,
                "keyVersion": int(key["type"]),
                "key": key["data"],
                "value": None if value is None else value["data"],
                "valueVersion": None if value is None else int(value["version"]),
            }
        )
        for at, key, value in dumped(written.data, "__consumer_offsets", "--offsets-decoder")
        if 10 <= int(key["type"]) <= 15
    ]
    assert found == told
    assert {row["key_version"] for row in found} == {10, 11, 12, 13, 14, 15}


@needs_kafka
def test_the_states_are_what_happened(written: Written) -> None:
    last = {
        row["group"]: row for row in states_over_time(rows(written.data)) if row["start_offset"] is not None
    }
    reader = last[written.reader]
    assert reader["start_offset"] == 4
    done = {
        offset: each["state"]
        for each in reader["batches"]
        for offset in range(each["first_offset"], each["last_offset"] + 1)
        if each["state"] != "available"
    }
    assert done == {5: "archived", 7: "acknowledged", 8: "acknowledged"}


@needs_kafka
def test_archived_records_have_a_reason(written: Written) -> None:
    found = archived_over_time(rows(written.data), DELIVERY_LIMIT)
    reasons = {
        (each["group"], offset): each["reason"]
        for each in found
        for offset in range(each["first_offset"], each["last_offset"] + 1)
        if each["group"] in (written.reader, written.limited)
    }
    assert reasons == {
        **{(written.reader, offset): "rejected" for offset in REJECTED},
        **{(written.limited, offset): "delivery_limit" for offset in range(RECORDS)},
    }
