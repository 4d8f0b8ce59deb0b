"""The columns of the tables that the source returns, as Arrow schemas. `spark_schema` converts them.

Times are milliseconds since 1970, named `*_ms`. A topic id is text of 22 characters, as Kafka prints it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

# One row for each offset commit and each tombstone of one (key versions 0 and 1).
OFFSETS: Final = pa.schema(
    [
        pa.field("log_partition", pa.int32(), nullable=False),
        pa.field("log_offset", pa.int64(), nullable=False),
        pa.field("record_timestamp_ms", pa.int64(), nullable=False),
        pa.field("group", pa.string(), nullable=False),
        pa.field("topic", pa.string(), nullable=False),
        pa.field("partition", pa.int32(), nullable=False),
        pa.field(
            "committed_offset", pa.int64()
        ),  # null: a tombstone; the columns after it are null too, except the last
        pa.field("leader_epoch", pa.int32()),  # null: none (-1 in the log)
        pa.field("metadata", pa.string()),
        pa.field("commit_timestamp_ms", pa.int64()),
        pa.field("expire_timestamp_ms", pa.int64()),  # null: none (-1 in the log)
        pa.field("topic_id", pa.string()),
        pa.field("value_version", pa.int16()),
        pa.field("producer_id", pa.int64()),  # null: none (-1 in the log)
        pa.field("producer_epoch", pa.int16()),
        pa.field("transactional", pa.bool_(), nullable=False),
    ]
)

_PARTITIONS: Final = pa.list_(pa.struct([("topic", pa.string()), ("partitions", pa.list_(pa.int32()))]))

_SHARE_TOPICS: Final = pa.list_(
    pa.struct([("topic_id", pa.string()), ("topic", pa.string()), ("partitions", pa.list_(pa.int32()))])
)

MEMBER: Final = pa.struct(
    [
        ("member_id", pa.string()),
        ("group_instance_id", pa.string()),
        ("client_id", pa.string()),
        ("client_host", pa.string()),
        ("rebalance_timeout_ms", pa.int32()),
        ("session_timeout_ms", pa.int32()),
        ("subscribed_topics", pa.list_(pa.string())),  # null: no consumer group, or it cannot be read
        ("assignment", _PARTITIONS),  # null: as above; topics by name
    ]
)

# One row for each record of a group (key versions 2 to 23).
GROUPS: Final = pa.schema(
    [
        pa.field("log_partition", pa.int32(), nullable=False),
        pa.field("log_offset", pa.int64(), nullable=False),
        pa.field("record_timestamp_ms", pa.int64(), nullable=False),
        pa.field("batch_base_offset", pa.int64(), nullable=False),
        pa.field("batch_last_offset", pa.int64(), nullable=False),
        pa.field("key_version", pa.int16(), nullable=False),
        pa.field("record_type", pa.string(), nullable=False),  # Kafka's name: GroupMetadata, ...
        pa.field("group_type", pa.string(), nullable=False),  # classic, consumer, share, streams
        pa.field("group", pa.string(), nullable=False),
        pa.field("member_id", pa.string()),  # if the key names a member
        pa.field("regular_expression", pa.string()),  # of key version 16
        pa.field("key", pa.binary(), nullable=False),  # the whole key: the last record of a key counts
        pa.field("tombstone", pa.bool_(), nullable=False),
        pa.field("value_version", pa.int16()),
        # GroupMetadata (2)
        pa.field("protocol_type", pa.string()),  # as in the log: "" is none
        pa.field("generation", pa.int32()),
        pa.field("protocol", pa.string()),
        pa.field("leader", pa.string()),
        pa.field("state_timestamp_ms", pa.int64()),  # currentStateTimestamp; null: none (-1)
        pa.field("members", pa.list_(MEMBER)),
        # 2: of all members, null if the broker does not know them (no consumer group, or one cannot be
        # read); 5: by name; 16: those that matched the expression
        pa.field("subscribed_topics", pa.list_(pa.string())),
        # Of the group (3, 11, 17), target assignment (6, 12, 20), member (8, 14, 22), topology (23).
        pa.field("epoch", pa.int32()),
        pa.field("validated_topology_epoch", pa.int32()),  # 17; -1: none
        pa.field("state", pa.int16()),  # of the member (8, 14, 22)
        # 5: one KIP-848 member
        pa.field("instance_id", pa.string()),
        pa.field("client_id", pa.string()),
        pa.field("client_host", pa.string()),
        pa.field("subscribed_regex", pa.string()),  # null: none ("" in the log as well)
        pa.field("classic_member", pa.bool_()),  # the member uses the classic protocol in an upgraded group
        # 7 and 8: topics by id
        pa.field("assignment", _PARTITIONS),
        pa.field("pending_revocation", _PARTITIONS),  # 8
        # 15: the partitions whose state is at the share coordinator, or is being created or deleted there
        pa.field("initializing_topics", _SHARE_TOPICS),
        pa.field("initialized_topics", _SHARE_TOPICS),
        pa.field("deleting_topics", _SHARE_TOPICS),  # without partitions
    ]
)

# One row for each record of any kind, markers too.
RAW: Final = pa.schema(
    [
        pa.field("log_partition", pa.int32(), nullable=False),
        pa.field("log_offset", pa.int64(), nullable=False),
        pa.field("record_timestamp_ms", pa.int64(), nullable=False),
        pa.field("batch_base_offset", pa.int64(), nullable=False),
        pa.field("batch_last_offset", pa.int64(), nullable=False),
        pa.field("key_version", pa.int16()),  # null: a control record, or a key too short for one
        pa.field("key", pa.binary()),
        pa.field("value", pa.binary()),
        pa.field("producer_id", pa.int64()),
        pa.field("producer_epoch", pa.int16()),
        pa.field("transactional", pa.bool_(), nullable=False),
        pa.field("control_type", pa.string()),  # abort, commit, leader_change, ...; null: no control record
    ]
)

# One row for each segment: the number of records of each kind.
SEGMENTS: Final = pa.schema(
    [
        pa.field("log_partition", pa.int32(), nullable=False),
        pa.field("path", pa.string(), nullable=False),
        pa.field("base_offset", pa.int64(), nullable=False),
        pa.field("bytes", pa.int64(), nullable=False),  # without the bytes after a torn tail
        pa.field("batches", pa.int64(), nullable=False),
        pa.field("records", pa.int64(), nullable=False),
        pa.field("offsets", pa.int64(), nullable=False),  # records of key versions 0 and 1
        pa.field("groups", pa.int64(), nullable=False),  # 2 to 23
        pa.field("control", pa.int64(), nullable=False),
        pa.field("skipped", pa.int64(), nullable=False),  # of unknown key versions
        pa.field("skipped_types", pa.string(), nullable=False),  # "24: 3, 77: 1"; "" if none
        pa.field("torn_at", pa.int64()),  # the byte at which a torn tail begins
        pa.field("torn_reason", pa.string()),
    ]
)

STATE_BATCHES: Final = pa.list_(
    pa.struct(
        [
            ("first_offset", pa.int64()),
            ("last_offset", pa.int64()),
            ("state", pa.string()),  # available, acquired, acknowledged, archiving, archived
            ("delivery_count", pa.int16()),
        ]
    )
)

# One row for each record of `__share_group_state`, whose log partitions are others than those of offsets.
SHARE_STATE: Final = pa.schema(
    [
        pa.field("log_partition", pa.int32(), nullable=False),
        pa.field("log_offset", pa.int64(), nullable=False),
        pa.field("record_timestamp_ms", pa.int64(), nullable=False),
        pa.field("record_type", pa.string(), nullable=False),  # ShareSnapshot or ShareUpdate
        pa.field("group", pa.string(), nullable=False),
        pa.field("topic_id", pa.string(), nullable=False),
        pa.field("partition", pa.int32(), nullable=False),
        pa.field("tombstone", pa.bool_(), nullable=False),
        pa.field("snapshot_epoch", pa.int32()),  # null: a tombstone, as all columns after it
        pa.field("state_epoch", pa.int32()),  # null: an update
        pa.field("leader_epoch", pa.int32()),  # null: an update that does not change it (-1)
        pa.field("start_offset", pa.int64()),  # null: none yet, or an update that does not change it (-1)
        pa.field("delivery_complete_count", pa.int32()),  # null: not known (-1)
        pa.field("create_timestamp_ms", pa.int64()),  # null: an update
        pa.field("write_timestamp_ms", pa.int64()),  # null: an update
        pa.field("batches", STATE_BATCHES),  # of an update: those that it changes
    ]
)

TABLES: Final = {
    "offsets": OFFSETS, "groups": GROUPS, "raw": RAW, "segments": SEGMENTS, "share_state": SHARE_STATE,
}  # fmt: skip

# The topics of the tables that are not read from `__consumer_offsets`.
SHARE_STATE_TOPIC: Final = "__share_group_state"
TOPICS: Final = {"share_state": SHARE_STATE_TOPIC}


def spark_schema(schema: pa.Schema) -> StructType:
    """Return the schema for Spark."""
    from pyspark.sql.pandas.types import from_arrow_schema

    made: Any = from_arrow_schema(schema)
    return made
