"""Why a committed offset was removed: what can be concluded from what lies around its tombstone.

    a topic of its id or name was removed just before          topic_delete
    the group's tombstone is in the same batch                 group_delete, or expired with its group
    the offset was due under a retention that may have held    expired, unless the group or it was deleted
    none of these                                              offset_delete

Expiry writes a group's tombstone with the last of its offsets, so being due decides between the first two
kinds, and an offset of the batch that was not due says that the group was deleted. An offset that is due is
gone within a check interval, so one that was long overdue under a retention speaks against that retention,
where another is given as well. What is left open is said: cause `unknown`, with the causes that are possible.

The coordinator of Kafka up to 3.9 lets an Empty group go with its last offset, whatever removed that, and
writes no tombstone of a group that never had members (seen on 3.9.1): where it may have been that one
(older_coordinator), more is possible.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from pyspark.sql import Window
from pyspark.sql import functions as F
from pyspark.sql.functions import col

from tidemark_pipeline.tables import rules
from tidemark_pipeline.tables.longs import minus

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

# The names that the broker's `coordinator.result.Cause` has.
EXPIRED: Final = "expired"
TOPIC_DELETE: Final = "topic_delete"
GROUP_DELETE: Final = "group_delete"
OFFSET_DELETE: Final = "offset_delete"
UNKNOWN: Final = "unknown"

PASS_MS: Final = 5_000  # what a pass may take, beyond the check interval
MINUTE_MS: Final = 60_000
NO_METADATA_LOG: Final = "no metadata log of that time tells whether its topic went"


class Conclusion(NamedTuple):
    """Where this holds, these causes are possible (one: it is the cause), as this sentence says."""

    when: Column
    causes: Sequence[str]
    evidence: Column


def with_cause(found: DataFrame, *, retention_ms: Sequence[int], check_interval_ms: int) -> DataFrame:
    """found with inferred_cause, possible_causes and evidence.

    found: tombstones with what `removals` has gathered about them.
    """
    known = found.withColumns({"due": _due_of_the_batch(retention_ms), **_of_its_topic()})
    known = known.withColumn("expired_at_ms", _expired_at())
    conclusions = [*_of_topics(), *_of_unknown_age(), *_of_age(retention_ms, check_interval_ms)]
    concluded = known.withColumns(
        {
            "possible_causes": _first([(it.when, _array(it.causes)) for it in conclusions]),
            "evidence": _first([(it.when, it.evidence) for it in conclusions]),
        }
    )
    further = _further()
    more = [F.when(it.when, _array(it.causes)).otherwise(_array([])) for it in further]
    said = [F.when(it.when, it.evidence).otherwise("") for it in further]
    return concluded.withColumns(
        {
            "possible_causes": F.array_distinct(F.concat("possible_causes", *more)),
            "evidence": F.concat("evidence", *said),
        }
    ).withColumn(
        "inferred_cause",
        F.when(F.size("possible_causes") == 1, F.get("possible_causes", F.lit(0))).otherwise(UNKNOWN),
    )


def _due_of_the_batch(retention_ms: Sequence[int]) -> Column:
    """The retentions under which it was due; of a group that went as well those under which all were that
    went with it. Null: not known.
    """
    together = F.collect_list("due_under_ms").over(
        Window.partitionBy("log_partition", "group", "group_batch")
    )
    every = F.array(*(F.lit(ms).cast("bigint") for ms in retention_ms))
    of_all = F.when(F.size(together) > 0, F.aggregate(together, every, F.array_intersect))
    return F.when(col("group_removed"), of_all).otherwise(col("due_under_ms"))


def _expired_at() -> Column:
    """When it went at the latest, by the retentions in `due`."""
    due = F.filter("dues", lambda each: F.array_contains(col("due"), each["retention_ms"]))
    return F.array_max(F.transform(due, lambda each: each["expires_at_ms"]))


def _of_its_topic() -> dict[str, Column]:
    """by_topic: it went with its topic, which was removed just before. perhaps_by_topic: that may be. A topic
    that was removed a moment later, or a commit that was written after the removal, tells of clocks that
    differ, or of a topic that was removed beside.

    A group's tombstone does not go with a topic, but with the older coordinator.
    """
    near = col("topic_removed_near") & ~(col("group_removed") & ~col("older_coordinator"))
    later_commit = ~col("topic_removed_by_id") & (col("commit_record_ms") > col("topic_removed_ms"))
    doubtful = (col("topic_removed_ms") > col("removed_at_ms")) | F.coalesce(later_commit, F.lit(False))
    return {
        "by_topic": F.coalesce(near & ~doubtful, F.lit(False)),
        "perhaps_by_topic": F.coalesce(near & doubtful, F.lit(False)),
    }


def _of_topics() -> Sequence[Conclusion]:
    """A topic takes its offsets with it at once."""
    before = _time_before("topic_removed_ms")
    return [
        Conclusion(
            col("by_topic") & col("topic_removed_by_id"),
            [TOPIC_DELETE],
            F.concat(F.lit("the topic of this id was removed "), before, F.lit(" before")),
        ),
        Conclusion(
            col("by_topic"),
            [TOPIC_DELETE],
            F.concat(
                F.lit("a topic of this name was removed "),
                before,
                F.lit(" before; which id the offset was of is not known"),
            ),
        ),
    ]


def _further() -> Sequence[Conclusion]:
    """What is possible besides what was concluded; the sentences go on from there."""
    by_request = F.arrays_overlap("possible_causes", _array([GROUP_DELETE, OFFSET_DELETE]))
    older = col("older_coordinator") & by_request
    with_group = (
        "; the coordinator of Kafka up to 3.9 removes a group with its last offset, whatever took that"
    )
    return [
        Conclusion(
            col("perhaps_by_topic"), [TOPIC_DELETE], F.lit("; its topic was removed at about the same time")
        ),
        Conclusion(
            older & col("group_removed") & col("topic_events_known"),
            [GROUP_DELETE, OFFSET_DELETE],
            F.lit(with_group),
        ),
        Conclusion(
            older & col("group_removed") & ~F.coalesce(col("topic_events_known"), F.lit(False)),
            [GROUP_DELETE, OFFSET_DELETE, TOPIC_DELETE],
            F.lit(f"{with_group}; {NO_METADATA_LOG}"),
        ),
        Conclusion(
            older & ~col("group_removed") & F.expr(rules.FACTS["simple"].sql),
            [GROUP_DELETE],
            F.lit("; the coordinator of Kafka up to 3.9 writes no tombstone of a group without members"),
        ),
    ]


def _of_unknown_age() -> Sequence[Conclusion]:
    unknown = col("due").isNull()
    gone = "the commit is not in the log any more, so its age is not known"
    return [
        Conclusion(
            unknown & col("group_removed"),
            [EXPIRED, GROUP_DELETE],
            F.lit(f"the group went in the same batch; {gone}"),
        ),
        Conclusion(
            unknown & col("topic_events_known") & ~col("perhaps_by_topic"),
            [EXPIRED, OFFSET_DELETE],
            F.lit(f"{gone}; neither its topic nor its group went with it"),
        ),
        Conclusion(
            unknown & col("topic_events_known"),
            [EXPIRED, OFFSET_DELETE],
            F.lit(f"{gone}; its group did not go with it"),
        ),
        Conclusion(unknown, [EXPIRED, OFFSET_DELETE, TOPIC_DELETE], F.lit(f"{gone}; {NO_METADATA_LOG}")),
    ]


def _of_age(retention_ms: Sequence[int], check_interval_ms: int) -> Sequence[Conclusion]:
    not_due = F.size("due") == 0
    was_not_due = _was_not_due(retention_ms)
    own = F.concat(
        F.coalesce(F.concat(F.lit("rule "), col("rule"), F.lit(": ")), F.lit("")),
        F.lit("due "),
        _time_before("expired_at_ms"),
        F.lit(" before"),
    )
    of_others = F.lit("the group went in the same batch, with offsets that were due")  # its commit is gone
    due = F.concat(
        F.coalesce(own, of_others), F.lit(" under a retention of "), _minutes(col("due"), retention_ms)
    )
    on_time = col("expired_at_ms") >= minus(col("removed_at_ms"), check_interval_ms + PASS_MS)
    under_another = F.concat(due, F.lit(", long past its pass; not due under another that was given"))
    return [
        Conclusion(
            not_due & col("group_removed"),
            [GROUP_DELETE],
            F.concat(F.lit("the group went in the same batch; "), was_not_due),
        ),
        Conclusion(
            not_due & col("topic_removed_ms").isNotNull() & ~col("topic_removed_near"),
            [TOPIC_DELETE],
            F.concat(
                F.lit("the topic of this id was removed "),
                _time_before("topic_removed_ms"),
                F.lit(" before; "),
                was_not_due,
            ),
        ),
        Conclusion(
            not_due & col("topic_events_known") & ~col("perhaps_by_topic"),
            [OFFSET_DELETE],
            F.concat(was_not_due, F.lit("; neither its topic nor its group went with it")),
        ),
        Conclusion(
            not_due & col("topic_events_known"),
            [OFFSET_DELETE],
            F.concat(was_not_due, F.lit("; its group did not go with it")),
        ),
        Conclusion(
            not_due, [OFFSET_DELETE, TOPIC_DELETE], F.concat(was_not_due, F.lit(f"; {NO_METADATA_LOG}"))
        ),
        Conclusion((F.size("due") == len(retention_ms)) | on_time, [EXPIRED], due),
        Conclusion(col("group_removed"), [EXPIRED, GROUP_DELETE], under_another),
        Conclusion(F.lit(True), [EXPIRED, OFFSET_DELETE], under_another),
    ]


def _was_not_due(retention_ms: Sequence[int]) -> Column:
    said = f"under a retention of {', '.join(map(_minutes_text, retention_ms))} min"
    return (
        F.when(col("nothing_stored"), "nothing was stored, but for what a transaction may have had open")
        .when(F.size("due_under_ms") != 0, f"another offset in it was not due {said}")
        .when(col("rule").isNull(), f"the log itself was not old enough for it to be due {said}")
        .otherwise(F.concat(F.lit(f"it was not due {said} (rule "), col("rule"), F.lit(")")))
    )


def _time_before(name: str) -> Column:
    """From this time to the tombstone, for people; null of null."""
    passed = minus(col("removed_at_ms"), col(name))
    return F.when(passed.isNotNull(), F.format_string("%.1f s", passed / F.lit(1000.0)))


def _minutes(retentions: Column, known: Sequence[int]) -> Column:
    texts = F.create_map(*(F.lit(part) for ms in known for part in (ms, _minutes_text(ms))))
    by_ms = F.transform(retentions, lambda ms: F.element_at(texts, ms))
    return F.concat(F.array_join(by_ms, ", "), F.lit(" min"))


def _minutes_text(ms: int) -> str:
    return f"{ms / MINUTE_MS:.15g}"


def _array(values: Sequence[str]) -> Column:
    return F.array(*(F.lit(value) for value in values)).cast("array<string>")


def _first(cases: Sequence[tuple[Column, Column]]) -> Column:
    """The value of the first case that holds."""
    return F.coalesce(*(F.when(condition, value) for condition, value in cases))
