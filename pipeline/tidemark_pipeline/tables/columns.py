"""The columns of every table and their meanings. Needs no Spark.

The schemas for Spark and the tables of docs/pipeline.md are made from them. Times are milliseconds since
1970, named `*_ms`; a timestamp with the same name is null outside the years 1 to 9999.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple


class Column(NamedTuple):
    """A column of a table. type: in Spark's DDL. meaning: Markdown, a part of a sentence."""

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
    Column("committed_offset", "bigint", "any number that a client sent, negative ones too; null: a tombstone, the offset was removed. The columns after it are null too, except `producer_id`, `producer_epoch` and `transactional`"),
    Column("leader_epoch", "int", "of the last record read; null: not given"),
    Column("metadata", "string", "text that the client committed with the offset"),
    Column("commit_timestamp_ms", "bigint", "when it was committed; in OffsetCommit v1 the client chooses it"),
    Column("expire_timestamp_ms", "bigint", "when it expires, if the commit set its own retention (OffsetCommit v2 to v4); null: it did not"),
    Column("topic_id", "string", "as Kafka prints it; null: not written (by older releases, in transactions, or if the commit set its own retention)"),
    Column("value_version", "smallint", "of the record's value, 0 to 4"),
    Column("producer_id", "bigint", "of the transaction; null: none"),
    Column("producer_epoch", "smallint", "of the transaction; null: none"),
    Column("transactional", "boolean", "written by a transaction"),
)  # fmt: skip

_PARTITIONS: Final = "array<struct<topic:string,partitions:array<int>>>"
_SHARE_TOPICS: Final = "array<struct<topic_id:string,topic:string,partitions:array<int>>>"
_MEMBERS: Final = (
    "array<struct<member_id:string,group_instance_id:string,client_id:string,client_host:string,"
    f"rebalance_timeout_ms:int,session_timeout_ms:int,subscribed_topics:array<string>,assignment:{_PARTITIONS}>>"
)

GROUP_HISTORY: Final[Columns] = (
    Column("log_partition", "int", "of `__consumer_offsets`"),
    Column("log_offset", "bigint", "of the record"),
    Column("record_timestamp_ms", "bigint", "when it was written"),
    Column("batch_base_offset", "bigint", "first offset of its batch, whose records were written together"),
    Column("batch_last_offset", "bigint", "last offset of its batch"),
    Column("key_version", "smallint", "determines the type of the record"),
    Column("record_type", "string", "the type, by Kafka's name: `GroupMetadata`, ..."),
    Column("group_type", "string", "`classic`, `consumer` (KIP-848), `share`, `streams`"),
    Column("group", "string", ""),
    Column("member_id", "string", "if the key names a member"),
    Column("regular_expression", "string", "if the key version is 16"),
    Column("key", "binary", "the whole key"),
    Column("tombstone", "boolean", "the record deletes what its key names"),
    Column("value_version", "smallint", ""),
    Column("protocol_type", "string", "classic; empty: none"),
    Column("generation", "int", "classic"),
    Column("protocol", "string", "classic: the assignor agreed on"),
    Column("leader", "string", "classic: member id"),
    Column("state_timestamp_ms", "bigint", "classic: since when the group is in its state; null: none (before 2.1)"),
    Column("members", _MEMBERS, "classic"),
    Column("subscribed_topics", "array<string>", "classic: of all members, null if the broker does not know them; key versions 5 and 10: by name; 16: those that the expression matched; 23: source topics of the topology, repartition topics among them"),
    Column("epoch", "int", "of the group (3, 11, 17), its target assignment (6, 12, 20), the member (8, 14, 22) or the topology (23)"),
    Column("validated_topology_epoch", "int", "streams group (17): the epoch of the topology whose topics all existed; -1: of none, or not written"),
    Column("state", "smallint", "of the member: 0 stable, 1 must revoke partitions, 2 waits for partitions (8); 1, 2 and 3 for the same (22); as for 8 (14)"),
    Column("instance_id", "string", "of a KIP-848 member, as are all columns up to `classic_member`, and of a streams member, as are those up to `client_host`, which a share member has, too, but for this one"),
    Column("client_id", "string", ""),
    Column("client_host", "string", ""),
    Column("subscribed_regex", "string", "null: none"),
    Column("classic_member", "boolean", "the member uses the classic protocol in an upgraded group"),
    Column("assignment", _PARTITIONS, "target (7, 13) or current (8, 14) of a KIP-848 member or share member; topics by id"),
    Column("pending_revocation", _PARTITIONS, "partitions that it must revoke (8)"),
    Column("initializing_topics", _SHARE_TOPICS, "share group (15): partitions whose state the share coordinator is asked to create"),
    Column("initialized_topics", _SHARE_TOPICS, "share group (15): partitions that have a state"),
    Column("deleting_topics", _SHARE_TOPICS, "share group (15): topics whose state the share coordinator is asked to delete; `partitions` is null"),
)  # fmt: skip

TIMELINE: Final[Columns] = (
    Column("group", "string", ""),
    Column("at_ms", "bigint", "when the record was written"),
    Column("at", "timestamp", "the same"),
    Column("group_type", "string", "`classic`, `consumer` (KIP-848), `share`, `streams`"),
    Column("what", "string", "the event, see below"),
    Column("state", "string", "state of the group from then on, as far as it is written; `Dead` after its deletion; null: not known"),
    Column("previous_state", "string", "state in the previous record of the group; null: there is none (any more)"),
    Column("epoch", "int", "a classic group's generation, the group epoch of another; null: not written with this record"),
    Column("assignment_epoch", "int", "KIP-848: of the target assignment"),
    Column("members", "int", "how many it has; null: not known"),
    Column("protocol_type", "string", "`consumer`, `connect`, ...; null: none"),
    Column("protocol", "string", "the assignor that members of a classic group agreed on"),
    Column("leader", "string", "the member that assigned, in a classic group"),
    Column("since_previous_ms", "bigint", "since the previous row of the group, by the time of the records"),
    Column("state_timestamp_ms", "bigint", "a classic group's currentStateTimestamp, from which its offsets age once it is Empty"),
    Column("log_partition", "int", "of `__consumer_offsets`"),
    Column("log_offset", "bigint", "of the record; KIP-848: of the last record written with it"),
)  # fmt: skip

REMOVALS: Final[Columns] = (
    Column("group", "string", ""),
    Column("topic", "string", ""),
    Column("partition", "int", ""),
    Column("removed_at_ms", "bigint", "when the tombstone was written"),
    Column("removed_at", "timestamp", "the same"),
    Column("committed_offset", "bigint", "the offset that was lost; null, as are all columns up to `commit_log_offset`: the cleaner removed the commit, or no offset was stored"),
    Column("leader_epoch", "int", "of that commit"),
    Column("metadata", "string", "of that commit"),
    Column("topic_id", "string", "of that commit; null: not written"),
    Column("commit_timestamp_ms", "bigint", "when it was committed"),
    Column("expire_timestamp_ms", "bigint", "when it would have expired by its own retention; null: it had none"),
    Column("commit_log_offset", "bigint", "offset of the commit in the log partition"),
    Column("inferred_cause", "string", "`expired`, `topic_delete`, `group_delete`, `offset_delete`, or `unknown`, see below"),
    Column("certainty", "string", "of the cause: `certain`; `likely` (expired), see `likely`; `unknown`"),
    Column("possible_causes", "array<string>", "the causes that the evidence allows; more than one if the cause is `unknown`"),
    Column("evidence", "string", "a sentence that justifies the cause"),
    Column("likely", "string", "why it has likely expired, though other causes are possible: it was removed as cleanup passes remove offsets, or Kafka's default retention fits; null: the cause is certain, or unknown"),
    Column("rule", "string", "the expiry rule that applied (as in `expiry_forecast`); null: the commit or the state of the group is not in the log any more"),
    Column("since_ms", "bigint", "the time from which its age counted"),
    Column("due_under_ms", "array<bigint>", "those of the given or inferred retentions under which it was due; null: not known"),
    Column("group_removed", "boolean", "the tombstone of the group is in the same batch"),
    Column("topic_removed_ms", "bigint", "when the topic was removed, according to the metadata log; null: no matching event"),
    Column("committed_again", "boolean", "the group has committed for this partition since"),
    Column("log_partition", "int", "of `__consumer_offsets`"),
    Column("log_offset", "bigint", "of the tombstone"),
    Column("history_complete_from", "bigint", "the offset in this log partition from which on the cleaner removed nothing; null: not given"),
    Column("history_complete_from_ms", "bigint", "when that record was written; earlier removals may be missing from this table"),
)  # fmt: skip

LAG: Final[Columns] = (
    Column("group", "string", ""),
    Column("topic", "string", ""),
    Column("partition", "int", ""),
    Column("committed_offset", "bigint", "the offset that the group reads next"),
    Column("log_start_offset", "bigint", "of the topic's partition; null: not found"),
    Column("log_end_offset", "bigint", "of the topic's partition; null: not found"),
    Column("lag", "bigint", "max(0, end - max(committed, start)): records that exist and were not read yet; null: the partition is not found"),
    Column("position", "string", "position of the committed offset in the log: `within`, `below_start` (records were removed before they were read), `past_end` (the log was truncated, or created again), null: not known"),
    Column("commit_timestamp_ms", "bigint", "when it was committed"),
    Column("committed_at", "timestamp", "the same"),
    Column("log_partition", "int", "of `__consumer_offsets`"),
    Column("log_offset", "bigint", "of the commit"),
)  # fmt: skip

COMMIT_RATES: Final[Columns] = (
    Column("group", "string", ""),
    Column("minute_ms", "bigint", "the start of the minute in which the records were written"),
    Column("minute", "timestamp", "the same"),
    Column("commits", "bigint", "offsets committed, each partition of a request counted"),
    Column("partitions", "bigint", "distinct partitions among them"),
    Column("transactional_commits", "bigint", "commits by transactions among them"),
    Column("tombstones", "bigint", "offsets removed"),
)  # fmt: skip

REWINDS: Final[Columns] = (
    Column("group", "string", ""),
    Column("topic", "string", ""),
    Column("partition", "int", ""),
    Column("at_ms", "bigint", "when the lower offset was committed"),
    Column("at", "timestamp", "the same"),
    Column("from_offset", "bigint", "the offset committed before"),
    Column("to_offset", "bigint", "the offset committed now"),
    Column("by", "bigint", "the maximum number of records that are read again"),
    Column("across_tombstone", "boolean", "the offset was removed in between"),
    Column("topic_recreated", "boolean", "the topic has a new id since; null: one of the commits has no topic id"),
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
    Column("metadata", "string", "text that the client committed with the offset"),
    Column("commit_timestamp_ms", "bigint", "when it was committed; in OffsetCommit v1 the client chooses it"),
    Column("expire_timestamp_ms", "bigint", "when it expires, if the commit set its own retention; null: it did not"),
    Column("log_partition", "int", "of `__consumer_offsets`"),
    Column("log_offset", "bigint", "of the record"),
)  # fmt: skip

_GROUP_MEMBERS: Final = (
    "array<struct<member_id:string,instance_id:string,client_id:string,client_host:string,"
    "subscribed_topics:array<string>,epoch:int,classic_member:boolean>>"
)

CURRENT_GROUPS: Final[Columns] = (
    Column("group", "string", ""),
    Column("group_type", "string", "`classic`, `consumer` (KIP-848), `share`, `streams`"),
    Column("state", "string", "the state that Kafka finds when it loads the log: a classic group is `Empty` or `Stable`; a KIP-848 group `Empty`, `Assigning`, `Reconciling` or `Stable`; a streams group the same, or `NotReady`; a share group `Empty` or `Stable`"),
    Column("protocol_type", "string", "classic: `consumer`, `connect`, ...; null: none"),
    Column("protocol", "string", "classic: the assignor agreed on"),
    Column("epoch", "int", "a classic group's generation, the group epoch of any other"),
    Column("assignment_epoch", "int", "of the target assignment, below `epoch` while a KIP-848 or streams group is `Assigning`; null: a classic group"),
    Column("state_timestamp_ms", "bigint", "classic: since when it is in its state; null: none"),
    Column("subscribed_topics", "array<string>", "of all members, sorted; of a streams group with members, the source topics of its topology; null: not known"),
    Column("member_count", "int", ""),
    Column("members", _GROUP_MEMBERS, "sorted by member id; `subscribed_topics` null: not known, or of a streams group; `epoch` null: a classic group, or not written; `classic_member` (it uses the classic protocol) only of a KIP-848 group"),
    Column("log_partition", "int", "of `__consumer_offsets`"),
    Column("log_offset", "bigint", "of the last record of the group"),
)  # fmt: skip

EXPIRY_FORECAST: Final[Columns] = (
    Column("group", "string", ""),
    Column("topic", "string", ""),
    Column("partition", "int", ""),
    Column("committed_offset", "bigint", ""),
    Column("commit_timestamp_ms", "bigint", "when it was committed"),
    Column("expire_timestamp_ms", "bigint", "when it expires, if the commit set its own retention; null: it did not"),
    Column("group_type", "string", "as in `current_groups`; null: a simple group, which has offsets but no record of its own"),
    Column("group_state", "string", "as in `current_groups`; `Empty` for a simple group"),
    Column("subscribed", "boolean", "a member of the group is subscribed to the topic; a member whose subscription cannot be read counts as subscribed to all topics"),
    Column("retention_ms", "bigint", "the offsets.retention.minutes that the row applies, in milliseconds"),
    Column("retention_origin", "string", "origin of the retention: `known`, `inferred` or `assumed`"),
    Column("rule", "string", "`group_empty`, `topic_not_subscribed`, `standalone`, `explicit_retention`, `active`, `pending_transaction`, `not_served`"),
    Column("base", "string", "the column from which its age counts: `state_timestamp_ms` of the group or `commit_timestamp_ms`; null: it does not expire"),
    Column("base_ms", "bigint", "the value of that column"),
    Column("base_at", "timestamp", "the same"),
    Column("expires_at_ms", "bigint", "the first cleanup pass at or after this time removes it; null: it does not expire"),
    Column("expires_at", "timestamp", "the same"),
    Column("removed_by_ms", "bigint", "the latest time of that pass: a check interval later; null: it does not expire, or `not_before`"),
    Column("removed_by", "timestamp", "the same"),
    Column("due", "boolean", "the next pass removes it"),
    Column("committed_after_empty", "boolean", "the group was Empty when it was committed: the commit did not restart the group's clock"),
    Column("not_before", "boolean", "it expires at `expires_at` or later: the group may be rebalancing, which the log does not record, and offsets do not expire meanwhile"),
    Column("sentence", "string", "explains the row"),
    Column("log_partition", "int", "of `__consumer_offsets`"),
    Column("log_offset", "bigint", "of the commit"),
)  # fmt: skip

_STATE_BATCHES: Final = (
    "array<struct<first_offset:bigint,last_offset:bigint,state:string,delivery_count:smallint>>"
)

SHARE_STATES: Final[Columns] = (
    Column("group", "string", ""),
    Column("topic_id", "string", "as Kafka prints it: the log has no topic names"),
    Column("partition", "int", ""),
    Column("record_timestamp_ms", "bigint", "when the record was written"),
    Column("event", "string", "`initialized`, `updated`, `snapshot`, `deleted` (a tombstone; the columns after it are null, except the last two)"),
    Column("snapshot_epoch", "int", "rises with each snapshot"),
    Column("state_epoch", "int", "of the group, when it initialized the state"),
    Column("leader_epoch", "int", "of the last leader that has read or written the state; null: none"),
    Column("start_offset", "bigint", "the first offset that is not done (SPSO); null: the group has not read the partition yet"),
    Column("delivery_complete_count", "int", "records at or after `start_offset` that are done; null: not known"),
    Column("batches", _STATE_BATCHES, "states of records at or after `start_offset`: `available`, `acknowledged`, `archived`"),
    Column("log_partition", "int", "of `__share_group_state`"),
    Column("log_offset", "bigint", "of the record"),
)  # fmt: skip

SHARE_ARCHIVED: Final[Columns] = (
    Column("group", "string", ""),
    Column("topic_id", "string", "as Kafka prints it"),
    Column("partition", "int", ""),
    Column("first_offset", "bigint", "of the records that were archived"),
    Column("last_offset", "bigint", ""),
    Column("delivery_count", "smallint", "how often they were delivered"),
    Column("reason", "string", "`delivery_limit`: they were delivered as often as the group allows; `rejected`: less often, so a member has rejected them, or they were removed from their topic"),
    Column("record_timestamp_ms", "bigint", "when that was written"),
    Column("log_partition", "int", "of `__share_group_state`"),
    Column("log_offset", "bigint", "of the record"),
)  # fmt: skip


def ddl(columns: Columns) -> str:
    """Return the columns in Spark's DDL."""
    return ", ".join(f"`{column.name}` {column.type}" for column in columns)


def names(columns: Columns) -> list[str]:
    return [column.name for column in columns]


# By the name of the function that returns the table.
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
    "share_states": SHARE_STATES,
    "share_archived": SHARE_ARCHIVED,
}
