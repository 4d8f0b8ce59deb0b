"""The columns of every table, with what they mean: the schemas that Spark is given, and the tables of
docs/pipeline.md, come from here. No Spark.

Times are milliseconds since 1970, named `*_ms`; a timestamp beside one is null outside the years 1 to 9999.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple


class Column(NamedTuple):
    """type: as Spark's DDL writes it. meaning: Markdown, a part of a sentence."""

    name: str
    type: str
    meaning: str


Columns = tuple[Column, ...]

OFFSET_HISTORY: Final[Columns] = (
    Column("log_partition", "int", "of `__consumer_offsets`"),
    Column("log_offset", "bigint", "of the record"),
    Column("record_timestamp_ms", "bigint", "when it was written, by the broker's clock"),
    Column("group", "string", ""),
    Column("topic", "string", ""),
    Column("partition", "int", ""),
    Column("committed_offset", "bigint", "any number that a client sent, negative ones too; null: a tombstone, the offset was removed. What follows is null then as well, but for `producer_id`, `producer_epoch` and `transactional`"),
    Column("leader_epoch", "int", "of the last record read; null: not given"),
    Column("metadata", "string", "text that the client committed with it"),
    Column("commit_timestamp_ms", "bigint", "when it was committed; OffsetCommit v1 lets the client say"),
    Column("expire_timestamp_ms", "bigint", "when it expires by the commit's own retention (OffsetCommit v2 to v4); null: none"),
    Column("topic_id", "string", "as Kafka prints it; null: not written (by older Kafkas, in transactions, with a retention of its own)"),
    Column("value_version", "smallint", "of the record's value, 0 to 4"),
    Column("producer_id", "bigint", "of the transaction; null: none"),
    Column("producer_epoch", "smallint", "likewise"),
    Column("transactional", "boolean", "written by a transaction"),
)  # fmt: skip

_PARTITIONS: Final = "array<struct<topic:string,partitions:array<int>>>"
_MEMBERS: Final = (
    "array<struct<member_id:string,group_instance_id:string,client_id:string,client_host:string,"
    f"rebalance_timeout_ms:int,session_timeout_ms:int,subscribed_topics:array<string>,assignment:{_PARTITIONS}>>"
)

GROUP_HISTORY: Final[Columns] = (
    Column("log_partition", "int", "of `__consumer_offsets`"),
    Column("log_offset", "bigint", "of the record"),
    Column("record_timestamp_ms", "bigint", "when it was written"),
    Column("batch_base_offset", "bigint", "first offset of its batch: what one batch holds was written at once"),
    Column("batch_last_offset", "bigint", "last offset of its batch"),
    Column("key_version", "smallint", "which tells the type of the record"),
    Column("record_type", "string", "that type, by Kafka's name: `GroupMetadata`, ..."),
    Column("group_type", "string", "`classic`, `consumer` (KIP-848), `share`, `streams`"),
    Column("group", "string", ""),
    Column("member_id", "string", "of keys that name a member"),
    Column("regular_expression", "string", "of key version 16"),
    Column("key", "binary", "the whole key"),
    Column("tombstone", "boolean", "what the key names is gone"),
    Column("value_version", "smallint", ""),
    Column("protocol_type", "string", "classic; empty: none"),
    Column("generation", "int", "classic"),
    Column("protocol", "string", "classic: the assignor agreed on"),
    Column("leader", "string", "classic: member id"),
    Column("state_timestamp_ms", "bigint", "classic: since when the group is in its state; null: none (before 2.1)"),
    Column("members", _MEMBERS, "classic"),
    Column("subscribed_topics", "array<string>", "classic: of all members, null where the broker does not know them; of key version 5: by name; of 16: what the expression stood for"),
    Column("epoch", "int", "of the group (3), its target assignment (6) or the member (8)"),
    Column("state", "smallint", "of the member (8): 0 stable, 1 has to give up partitions, 2 waits for some"),
    Column("instance_id", "string", "of a KIP-848 member, as all to `classic_member`"),
    Column("client_id", "string", ""),
    Column("client_host", "string", ""),
    Column("subscribed_regex", "string", "null: none"),
    Column("classic_member", "boolean", "it speaks the classic protocol, in a group that was upgraded"),
    Column("assignment", _PARTITIONS, "target (7) or current (8) of a KIP-848 member; topics by id"),
    Column("pending_revocation", _PARTITIONS, "what it has to give up (8)"),
)  # fmt: skip

TIMELINE: Final[Columns] = (
    Column("group", "string", ""),
    Column("at_ms", "bigint", "when the record was written"),
    Column("at", "timestamp", "the same"),
    Column("group_type", "string", "`classic`, `consumer` (KIP-848), `share`, `streams`"),
    Column("what", "string", "what the record says has happened, see below"),
    Column("state", "string", "of the group from then on, as far as it is written; `Dead` once it is deleted; null: not known"),
    Column("previous_state", "string", "in the record of the group before; null: that is not there (any more)"),
    Column("epoch", "int", "a classic group's generation, the group epoch of another; null: not written with this record"),
    Column("assignment_epoch", "int", "KIP-848: of the target assignment"),
    Column("members", "int", "how many it has; null: not known"),
    Column("protocol_type", "string", "`consumer`, `connect`, ...; null: none"),
    Column("protocol", "string", "the assignor that members of a classic group agreed on"),
    Column("leader", "string", "the member that assigned, in a classic group"),
    Column("since_previous_ms", "bigint", "since the row of the group before, by the time of the records"),
    Column("state_timestamp_ms", "bigint", "a classic group's currentStateTimestamp, which its expiry counts from once it is Empty"),
    Column("log_partition", "int", "of `__consumer_offsets`"),
    Column("log_offset", "bigint", "of the record; KIP-848: of the last one that was written with it"),
)  # fmt: skip

REMOVALS: Final[Columns] = (
    Column("group", "string", ""),
    Column("topic", "string", ""),
    Column("partition", "int", ""),
    Column("removed_at_ms", "bigint", "when the tombstone was written"),
    Column("removed_at", "timestamp", "the same"),
    Column("committed_offset", "bigint", "the offset that was lost; null, as all to `commit_log_offset`: the cleaner took the commit, or nothing was stored"),
    Column("leader_epoch", "int", "of that commit"),
    Column("metadata", "string", "likewise"),
    Column("topic_id", "string", "likewise; null: not written"),
    Column("commit_timestamp_ms", "bigint", "when it was committed"),
    Column("expire_timestamp_ms", "bigint", "by its own retention; null: none"),
    Column("commit_log_offset", "bigint", "where the commit lies in the log partition"),
    Column("inferred_cause", "string", "`expired`, `topic_delete`, `group_delete`, `offset_delete`, or `unknown`, see below"),
    Column("possible_causes", "array<string>", "what the evidence leaves open; more than one where the cause is `unknown`"),
    Column("evidence", "string", "a sentence: what the cause follows from"),
    Column("rule", "string", "the rule of expiry that applied (as in `expiry_forecast`); null: the commit or the group's state is not known any more"),
    Column("since_ms", "bigint", "what its age was counted from"),
    Column("due_under_ms", "array<bigint>", "of the retentions given or inferred, those under which it was due; null: not known"),
    Column("group_removed", "boolean", "the group's own tombstone lies in the same batch"),
    Column("topic_removed_ms", "bigint", "when the metadata log says that the topic was removed; null: nothing there fits"),
    Column("committed_again", "boolean", "the group has committed for this partition since"),
    Column("log_partition", "int", "of `__consumer_offsets`"),
    Column("log_offset", "bigint", "of the tombstone"),
    Column("history_complete_from", "bigint", "offset in this log partition from which on nothing was cleaned away; null: not given"),
    Column("history_complete_from_ms", "bigint", "when that record was written: removals before may be missing here"),
)  # fmt: skip

LAG: Final[Columns] = (
    Column("group", "string", ""),
    Column("topic", "string", ""),
    Column("partition", "int", ""),
    Column("committed_offset", "bigint", "the offset that the group reads next"),
    Column("log_start_offset", "bigint", "of the topic's partition; null: not found"),
    Column("log_end_offset", "bigint", "likewise"),
    Column("lag", "bigint", "max(0, end - max(committed, start)): records that are there and not read yet; null: the partition is not found"),
    Column("position", "string", "where the committed offset lies: `within`, `below_start` (records were removed before they were read), `past_end` (the log was cut, or made again), null: not known"),
    Column("commit_timestamp_ms", "bigint", "when it was committed"),
    Column("committed_at", "timestamp", "the same"),
    Column("log_partition", "int", "of `__consumer_offsets`"),
    Column("log_offset", "bigint", "of the commit"),
)  # fmt: skip

COMMIT_RATES: Final[Columns] = (
    Column("group", "string", ""),
    Column("minute_ms", "bigint", "the minute in which the records were written: its beginning"),
    Column("minute", "timestamp", "the same"),
    Column("commits", "bigint", "offsets committed, each partition of a request counted"),
    Column("partitions", "bigint", "different partitions among them"),
    Column("transactional_commits", "bigint", "commits by transactions among them"),
    Column("tombstones", "bigint", "offsets removed"),
)  # fmt: skip

REWINDS: Final[Columns] = (
    Column("group", "string", ""),
    Column("topic", "string", ""),
    Column("partition", "int", ""),
    Column("at_ms", "bigint", "when the lower offset was committed"),
    Column("at", "timestamp", "the same"),
    Column("from_offset", "bigint", "committed before"),
    Column("to_offset", "bigint", "committed now"),
    Column("by", "bigint", "how many records are read again at most"),
    Column("across_tombstone", "boolean", "the offset was removed in between"),
    Column("topic_recreated", "boolean", "the topic has another id since; null: one of the commits does not tell"),
    Column("previous_at_ms", "bigint", "when the higher offset was committed"),
    Column("log_partition", "int", "of `__consumer_offsets`"),
    Column("log_offset", "bigint", "of the lower commit"),
    Column("previous_log_offset", "bigint", "of the higher one"),
)  # fmt: skip

CURRENT_OFFSETS: Final[Columns] = (
    Column("group", "string", ""),
    Column("topic", "string", ""),
    Column("partition", "int", ""),
    Column("committed_offset", "bigint", "any number that a client sent, negative ones too"),
    Column("leader_epoch", "int", "of the last record read; null: not given"),
    Column("metadata", "string", "text that the client committed with it"),
    Column("commit_timestamp_ms", "bigint", "when it was committed; OffsetCommit v1 lets the client say"),
    Column("expire_timestamp_ms", "bigint", "when it expires by the commit's own retention; null: none"),
    Column("log_partition", "int", "of `__consumer_offsets`"),
    Column("log_offset", "bigint", "of the record"),
)  # fmt: skip

_GROUP_MEMBERS: Final = (
    "array<struct<member_id:string,instance_id:string,client_id:string,client_host:string,"
    "subscribed_topics:array<string>>>"
)

CURRENT_GROUPS: Final[Columns] = (
    Column("group", "string", ""),
    Column("group_type", "string", "`classic`, `consumer` (KIP-848), `share`, `streams`"),
    Column("state", "string", "as Kafka finds it when it loads the log: a classic group is `Empty` or `Stable`; a KIP-848 group `Empty`, `Assigning`, `Reconciling` or `Stable`; another `Unknown`"),
    Column("protocol_type", "string", "classic: `consumer`, `connect`, ...; null: none"),
    Column("protocol", "string", "classic: the assignor agreed on"),
    Column("epoch", "int", "a classic group's generation, the group epoch of KIP-848"),
    Column("state_timestamp_ms", "bigint", "classic: since when it is in its state; null: none"),
    Column("subscribed_topics", "array<string>", "of all members, sorted; null: not known"),
    Column("member_count", "int", "null: not known"),
    Column("members", _GROUP_MEMBERS, "by member id; `subscribed_topics` null: not known"),
    Column("log_partition", "int", "of `__consumer_offsets`"),
    Column("log_offset", "bigint", "of the last record that tells of the group"),
)  # fmt: skip

EXPIRY_FORECAST: Final[Columns] = (
    Column("group", "string", ""),
    Column("topic", "string", ""),
    Column("partition", "int", ""),
    Column("committed_offset", "bigint", ""),
    Column("commit_timestamp_ms", "bigint", "when it was committed"),
    Column("expire_timestamp_ms", "bigint", "when it expires by the commit's own retention; null: none"),
    Column("group_type", "string", "as in `current_groups`; null: a simple group, which has offsets and no record of its own"),
    Column("group_state", "string", "as in `current_groups`; `Empty` for a simple group"),
    Column("subscribed", "boolean", "a member of the group reads the topic, or may: whose subscription cannot be read counts as subscribed to all"),
    Column("retention_ms", "bigint", "the offsets.retention.minutes that the row is about, in milliseconds"),
    Column("retention_origin", "string", "`given`, or `ASSUMED`: nobody gave a retention, so it is Kafka's default"),
    Column("rule", "string", "`group_empty`, `topic_not_subscribed`, `standalone`, `explicit_retention`, `active`, `pending_transaction`, `not_served`"),
    Column("base", "string", "the column that its age is counted from, `state_timestamp_ms` of the group or `commit_timestamp_ms`; null: nothing is counted"),
    Column("base_ms", "bigint", "that time"),
    Column("base_at", "timestamp", "the same"),
    Column("expires_at_ms", "bigint", "it goes at the first cleanup pass from then on; null: it does not go as things stand"),
    Column("expires_at", "timestamp", "the same"),
    Column("removed_by_ms", "bigint", "when that pass has been at the latest: the check interval later; null: it does not go, or `not_before`"),
    Column("removed_by", "timestamp", "the same"),
    Column("due", "boolean", "it goes at the next pass"),
    Column("committed_after_empty", "boolean", "the group was Empty when it was committed: the commit did not restart the group's clock"),
    Column("not_before", "boolean", "it goes at `expires_at` or later: the group may be rebalancing, which is not written, and nothing goes meanwhile"),
    Column("sentence", "string", "all this in plain English"),
    Column("log_partition", "int", "of `__consumer_offsets`"),
    Column("log_offset", "bigint", "of the commit"),
)  # fmt: skip


def ddl(columns: Columns) -> str:
    """As Spark takes a schema."""
    return ", ".join(f"`{column.name}` {column.type}" for column in columns)


def names(columns: Columns) -> list[str]:
    return [column.name for column in columns]


# By the name of the function that makes it.
TABLES: Final[Mapping[str, Columns]] = {
    "offset_history": OFFSET_HISTORY,
    "group_history": GROUP_HISTORY,
    "current_offsets": CURRENT_OFFSETS,
    "current_groups": CURRENT_GROUPS,
    "group_timeline": TIMELINE,
    "expiry_forecast": EXPIRY_FORECAST,
    "removals": REMOVALS,
    "lag": LAG,
    "commit_rates": COMMIT_RATES,
    "rewinds": REWINDS,
}
