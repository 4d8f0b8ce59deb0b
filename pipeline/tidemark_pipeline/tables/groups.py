"""The groups that a coordinator finds when it loads the log: Kafka's replay, in Spark SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyspark.sql import functions as F

from tidemark_pipeline.tables.columns import CURRENT_GROUPS, names

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

PLACE: Final = ("log_partition", "group")

# The columns that the state of a group depends on. The assignments, which may be large, are not among them.
_TOLD: Final = (
    "key_version", "log_offset", "tombstone", "group_type", "member_id", "regular_expression",
    "protocol_type", "generation", "protocol", "state_timestamp_ms", "members", "subscribed_topics", "epoch",
    "state", "instance_id", "client_id", "client_host", "subscribed_regex", "classic_member",
    "validated_topology_epoch",
)  # fmt: skip

# Columns by name. Each may use the columns before it. `records` has the last record of every key of a group,
# and gone_at, the log offset of the key's last tombstone. Log offsets decide: the cleaner leaves the keys of
# a KIP-848 group in any order.
_STEPS: Final = {
    "classic": "get(filter(records, r -> r.key_version = 2), 0)",
    # A member's records end with the member.
    "departures": "filter(records, r -> r.key_version = 5 AND r.gone_at IS NOT NULL)",
    # A classic group's record, or its tombstone, ends an earlier KIP-848 group of the name.
    "told_at": "coalesce(classic.log_offset, -1L)",
    "ended_at": """
        greatest(told_at, coalesce(get(filter(records, r -> r.key_version = 3), 0).gone_at, -1L))""",
    # Kafka skips key versions 9 and 18.
    "share": """
        filter(records, r -> r.key_version BETWEEN 10 AND 15 AND NOT r.tombstone
                             AND r.log_offset > greatest(told_at, coalesce(
                                 get(filter(records, r -> r.key_version = 11), 0).gone_at, -1L)))""",
    "streams": """
        filter(records, r -> r.key_version IN (17, 19, 20, 21, 22, 23) AND NOT r.tombstone
                             AND r.log_offset > greatest(told_at, coalesce(
                                 get(filter(records, r -> r.key_version = 17), 0).gone_at, -1L)))""",
    "others": "concat(share, streams)",
    "share_departures": "filter(records, r -> r.key_version = 10 AND r.gone_at IS NOT NULL)",
    "share_subscriptions": "filter(share, r -> r.key_version = 10)",
    "share_currents": """
        filter(share, r -> r.key_version = 14 AND NOT exists(
            share_departures, d -> d.member_id = r.member_id AND d.gone_at > r.log_offset))""",
    "share_member_ids": """
        array_sort(array_union(transform(share_subscriptions, s -> s.member_id),
                               transform(share_currents, c -> c.member_id)))""",
    "streams_departures": "filter(records, r -> r.key_version = 19 AND r.gone_at IS NOT NULL)",
    "streams_subscriptions": "filter(streams, r -> r.key_version = 19)",
    "streams_currents": """
        filter(streams, r -> r.key_version = 22 AND NOT exists(
            streams_departures, d -> d.member_id = r.member_id AND d.gone_at > r.log_offset))""",
    "streams_member_ids": """
        array_sort(array_union(transform(streams_subscriptions, s -> s.member_id),
                               transform(streams_currents, c -> c.member_id)))""",
    "streams_group": "get(filter(streams, r -> r.key_version = 17), 0)",
    "topology": "get(filter(streams, r -> r.key_version = 23), 0)",
    "standing": """
        filter(records, r -> r.key_version IN (3, 5, 6, 7, 8, 16) AND NOT r.tombstone
                             AND r.log_offset > ended_at)""",
    "subscriptions": "filter(standing, r -> r.key_version = 5)",
    "currents": """
        filter(standing, r -> r.key_version = 8 AND NOT exists(
            departures, d -> d.member_id = r.member_id AND d.gone_at > r.log_offset))""",
    "resolved": "filter(standing, r -> r.key_version = 16)",
    "group_epoch": "coalesce(get(filter(standing, r -> r.key_version = 3), 0).epoch, 1)",
    "target_epoch": "coalesce(get(filter(standing, r -> r.key_version = 6), 0).epoch, 1)",
    "share_epoch": "coalesce(get(filter(share, r -> r.key_version = 11), 0).epoch, 1)",
    "share_target_epoch": "coalesce(get(filter(share, r -> r.key_version = 12), 0).epoch, 1)",
    "streams_epoch": "coalesce(streams_group.epoch, 1)",
    "streams_target_epoch": "coalesce(get(filter(streams, r -> r.key_version = 20), 0).epoch, 1)",
    "kind": """
        CASE WHEN size(standing) > 0 THEN 'consumer'
             WHEN NOT classic.tombstone THEN 'classic'
             ELSE array_min(transform(others, r -> struct(r.log_offset, r.group_type))).group_type END""",
    "member_ids": """
        array_sort(array_union(transform(subscriptions, s -> s.member_id),
                               transform(currents, c -> c.member_id)))""",
    "classic_members": """
        transform(classic.members, m -> named_struct(
            'member_id', m.member_id, 'instance_id', m.group_instance_id,
            'client_id', m.client_id, 'client_host', m.client_host,
            'subscribed_topics', array_sort(m.subscribed_topics),
            'epoch', cast(null AS int), 'classic_member', cast(null AS boolean)))""",
    "streams_members": """
        transform(
            transform(streams_member_ids,
                      id -> struct(id, get(filter(streams_subscriptions, s -> s.member_id = id), 0) AS its)),
            m -> named_struct('member_id', m.id, 'instance_id', m.its.instance_id,
                              'client_id', m.its.client_id, 'client_host', m.its.client_host,
                              'subscribed_topics', cast(null AS array<string>),
                              'epoch', get(filter(streams_currents, c -> c.member_id = m.id), 0).epoch,
                              'classic_member', cast(null AS boolean)))""",
    "streams_state": """
        CASE WHEN size(streams_member_ids) = 0 THEN 'Empty'
             WHEN topology IS NULL OR topology.epoch <> coalesce(streams_group.validated_topology_epoch, 0)
                 THEN 'NotReady'
             WHEN streams_epoch > streams_target_epoch THEN 'Assigning'
             WHEN forall(streams_member_ids, id -> exists(streams_currents,
                 c -> c.member_id = id AND c.state = 1 AND c.epoch = streams_target_epoch)) THEN 'Stable'
             ELSE 'Reconciling' END""",
    "share_members": """
        transform(
            transform(share_member_ids,
                      id -> struct(id, get(filter(share_subscriptions, s -> s.member_id = id), 0) AS its)),
            m -> named_struct('member_id', m.id, 'instance_id', cast(null AS string),
                              'client_id', m.its.client_id, 'client_host', m.its.client_host,
                              'subscribed_topics', array_sort(coalesce(m.its.subscribed_topics, array())),
                              'epoch', get(filter(share_currents, c -> c.member_id = m.id), 0).epoch,
                              'classic_member', cast(null AS boolean)))""",
    "consumer_state": """
        CASE WHEN size(member_ids) = 0 THEN 'Empty'
             WHEN group_epoch > target_epoch THEN 'Assigning'
             WHEN forall(member_ids, id -> exists(currents,
                 c -> c.member_id = id AND c.state = 0 AND c.epoch = target_epoch)) THEN 'Stable'
             ELSE 'Reconciling' END""",
    "consumers": "transform(member_ids, id -> get(filter(subscriptions, s -> s.member_id = id), 0))",
    "by_expression": """
        transform(consumers, c -> get(filter(resolved, r -> r.regular_expression = c.subscribed_regex), 0)
                                  .subscribed_topics)""",
    "consumer_members": """
        transform(consumers, (c, at) -> named_struct(
            'member_id', get(member_ids, at), 'instance_id', c.instance_id,
            'client_id', c.client_id, 'client_host', c.client_host,
            'subscribed_topics', array_sort(array_distinct(concat(
                coalesce(c.subscribed_topics, array()), coalesce(get(by_expression, at), array())))),
            'epoch', get(filter(currents, r -> r.member_id = get(member_ids, at)), 0).epoch,
            'classic_member', c.classic_member))""",
}

_COLUMNS: Final = {
    "group_type": "kind",
    "state": """
        CASE kind WHEN 'consumer' THEN consumer_state
                  WHEN 'classic' THEN if(size(classic.members) > 0, 'Stable', 'Empty')
                  WHEN 'streams' THEN streams_state
                  WHEN 'share' THEN if(size(share_member_ids) > 0, 'Stable', 'Empty') END""",
    "protocol_type": "if(kind = 'classic', nullif(classic.protocol_type, ''), kind)",
    "protocol": "if(kind = 'classic', classic.protocol, null)",
    "epoch": """
        CASE kind WHEN 'consumer' THEN group_epoch WHEN 'classic' THEN classic.generation
                  WHEN 'streams' THEN streams_epoch WHEN 'share' THEN share_epoch END""",
    "assignment_epoch": """
        CASE kind WHEN 'consumer' THEN target_epoch WHEN 'streams' THEN streams_target_epoch
                  WHEN 'share' THEN share_target_epoch END""",
    "state_timestamp_ms": "if(kind = 'classic', classic.state_timestamp_ms, null)",
    "subscribed_topics": """
        array_sort(CASE kind
            WHEN 'consumer'
                THEN array_distinct(concat(flatten(transform(consumer_members, m -> m.subscribed_topics)),
                                           flatten(transform(resolved, r -> r.subscribed_topics))))
            WHEN 'streams'
                THEN if(size(streams_member_ids) > 0, coalesce(topology.subscribed_topics, array()), array())
            WHEN 'share' THEN array_distinct(flatten(transform(share_members, m -> m.subscribed_topics)))
            WHEN 'classic' THEN array_distinct(classic.subscribed_topics) END)""",
    "members": """
        CASE kind WHEN 'consumer' THEN consumer_members WHEN 'streams' THEN streams_members
                  WHEN 'share' THEN share_members WHEN 'classic' THEN classic_members END""",
    "member_count": """
        CASE kind WHEN 'consumer' THEN size(consumer_members)
                  WHEN 'streams' THEN size(streams_members)
                  WHEN 'share' THEN size(share_members)
                  WHEN 'classic' THEN size(classic_members) END""",
    "log_offset": "array_max(transform(records, r -> r.log_offset))",
}


def current_groups(groups: DataFrame) -> DataFrame:
    """Return one row for each group that has a record of its own.

    groups: as `group_history`. The log does not record rebalances: a classic group with members is Stable. A
    group with offsets but without a row here is a simple one.
    """
    last = groups.groupBy(*PLACE, "key").agg(
        F.max_by(F.struct(*_TOLD), "log_offset").alias("last"),
        F.max(F.when(F.col("tombstone"), F.col("log_offset"))).alias("gone_at"),
    )
    records = F.collect_list(F.struct("last.*", "gone_at")).alias("records")
    found = last.groupBy(*PLACE).agg(records)
    # Spark analyses the plan at each call, so all steps are one select.
    found = found.select("*", *(F.expr(sql).alias(name) for name, sql in _STEPS.items()))
    columns = [F.expr(sql).alias(name) for name, sql in _COLUMNS.items()]
    return found.where("kind IS NOT NULL").select(*PLACE, *columns).select(*names(CURRENT_GROUPS))
