"""Rows of the source's tables, for tests of the derived tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from tidemark_pipeline.schemas import GROUPS, OFFSETS
from tidemark_pipeline.story.passes import find_likely
from tidemark_pipeline.story.removal import judge
from tidemark_pipeline.story.replay import replayed
from tidemark_pipeline.tables.columns import Columns, ddl

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

Row = dict[str, Any]
PLACE: Final = ("log_partition", "log_offset", "group", "topic", "partition")
RECORD_TYPES: Final = {
    2: ("GroupMetadata", "classic"),
    3: ("ConsumerGroupMetadata", "consumer"),
    5: ("ConsumerGroupMemberMetadata", "consumer"),
    6: ("ConsumerGroupTargetAssignmentMetadata", "consumer"),
    7: ("ConsumerGroupTargetAssignmentMember", "consumer"),
    8: ("ConsumerGroupCurrentMemberAssignment", "consumer"),
    16: ("ConsumerGroupRegularExpression", "consumer"),
}


def commit(at: int, group: str, topic: str, partition: int, offset: int, **more: Any) -> Row:
    """Return a commit whose log offset is also its time, unless `more` sets it."""
    return {
        **tombstone(at, group, topic, partition),
        "committed_offset": offset,
        "metadata": "",
        "commit_timestamp_ms": more.get("record_timestamp_ms", at),
        "value_version": 4,
        **more,
    }


def tombstone(at: int, group: str, topic: str, partition: int, **more: Any) -> Row:
    return {
        "log_partition": 0,
        "log_offset": at,
        "record_timestamp_ms": at,
        "group": group,
        "topic": topic,
        "partition": partition,
        "transactional": False,
        **more,
    }


def about_group(at: int, key_version: int, group: str, value: Row | None, **more: Any) -> Row:
    """Return a record of a group, alone in its batch unless `more` sets that. value None: a tombstone."""
    record_type, group_type = RECORD_TYPES[key_version]
    row = {
        "log_partition": 0,
        "log_offset": at,
        "record_timestamp_ms": at,
        "batch_base_offset": at,
        "batch_last_offset": at,
        "key_version": key_version,
        "record_type": record_type,
        "group_type": group_type,
        "group": group,
        "tombstone": value is None,
        **(value or {}),
        **more,
    }
    return {**row, "key": f"{key_version} {group} {row.get('member_id')}".encode()}


def classic(at: int, group: str, generation: int = 1, members: tuple[str, ...] = (), **more: Any) -> Row:
    """Return a record of a classic group. members: "id" or "id=instance id"."""
    value: Row = {
        "protocol_type": "consumer",
        "generation": generation,
        "protocol": "range" if members else None,
        "leader": members[0].partition("=")[0] if members else None,
        "state_timestamp_ms": at,
        "members": [
            {"member_id": name.partition("=")[0], "group_instance_id": name.partition("=")[2] or None}
            for name in members
        ],
        "subscribed_topics": [],
    }
    return about_group(at, 2, group, {**value, **more})


def offsets_frame(spark: SparkSession, rows: list[Row]) -> DataFrame:
    return spark.createDataFrame(pa.Table.from_pylist(rows, schema=OFFSETS))


def groups_frame(spark: SparkSession, rows: list[Row]) -> DataFrame:
    return spark.createDataFrame(pa.Table.from_pylist(rows, schema=GROUPS))


def judged(offsets: list[Row], groups: list[Row], **given: Any) -> list[Row]:
    """Return the rows of `removals` as `story.removal` judges them, without Spark. given: its own."""
    logs = replayed(
        pa.Table.from_pylist(offsets, schema=OFFSETS).to_pylist(),
        pa.Table.from_pylist(groups, schema=GROUPS).to_pylist(),
    )
    transactional = {(row["log_partition"], row["group"]) for row in offsets if row["transactional"]}
    ended = [each for log in logs.values() for each in log.ended]
    retention, removed = judge(ended, transactional=transactional, **given)
    find_likely(removed, retention)
    return [each.row() for each in removed]


def assert_same_removals(found: list[Any], judged: list[Row]) -> None:
    """Assert that Spark and `story.removal` come to the same rows, in any order. found: Spark's rows."""

    def placed(row: Row) -> tuple[Any, ...]:
        return tuple(row[name] for name in PLACE)

    names = list(judged[0]) if judged else [*PLACE]
    tables = sorted(({name: row[name] for name in names} for row in found), key=placed)
    ours = sorted(judged, key=placed)
    assert list(map(placed, ours)) == list(map(placed, tables))
    differ = [(one, other) for one, other in zip(tables, ours, strict=True) if one != other]
    assert not differ, "\n".join(
        f"{placed(one)} {name}: the table has {one[name]!r}, not {other[name]!r}"
        for one, other in differ
        for name in one
        if one[name] != other[name]
    )


def told(frame: DataFrame, *columns: str) -> list[tuple[Any, ...]]:
    """Return these columns of all rows, sorted by their values, null first."""
    rows = (tuple(row) for row in frame.select(*columns).collect())
    return sorted(rows, key=lambda row: [(value is not None, value) for value in row])


def has_columns(frame: DataFrame, columns: Columns) -> bool:
    """Compare names and types, but not nullability, which Spark decides."""
    from pyspark.sql.types import StructType

    wanted = StructType.fromDDL(ddl(columns))
    return _names_and_types(frame.schema) == _names_and_types(wanted)


def _names_and_types(schema: StructType) -> list[tuple[str, str]]:
    return [(field.name, field.dataType.simpleString()) for field in schema]
