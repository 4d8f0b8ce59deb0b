"""Infer why a committed offset was removed, from the records around its tombstone.

    a topic of its id or name was removed just before          topic_delete
    the group's tombstone is in the same batch                 group_delete, or expired with its group
    the offset was due under every retention that fits         expired
    it was due under none, and none of the above               offset_delete

`due` decides under which retentions it was due. Expiry writes a group's tombstone with the last of its
offsets, so an offset of the batch that was not due proves that the group was deleted. If several causes are
possible, the cause is `unknown`, and possible_causes lists them.

The coordinator of Kafka up to 3.9 removes an Empty group with its last offset, for any cause, and
writes no tombstone of a group that never had members (observed on 3.9.1). If the removal may be of such a
coordinator (older_coordinator), more causes are possible.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from pyspark.sql import functions as F
from pyspark.sql.functions import col

from tidemark_expiry.rules import Situation
from tidemark_pipeline.story.removal import (
    ALONE,
    CLOCKS_DIFFER_MS,
    EXPIRED,
    GROUP_DELETE,
    GROUP_STAYED,
    NO,
    NO_METADATA_LOG,
    OFFSET_DELETE,
    OLDER_ALONE,
    OLDER_WITH_GROUP,
    TOPIC_DELETE,
    UNKNOWN,
    WITH_GROUP,
    YES,
)
from tidemark_pipeline.tables import due
from tidemark_pipeline.tables.longs import minus

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


class Conclusion(NamedTuple):
    """If `when` holds, these causes are possible, because of this evidence. One cause: it is certain."""

    when: Column
    causes: Sequence[str]
    evidence: Column


def with_cause(found: DataFrame) -> DataFrame:
    """Return found with inferred_cause, possible_causes and evidence.

    found: tombstones with the columns that `removals` and `due.with_expiry` add.
    """
    known = found.withColumns(_of_its_topic())
    conclusions = [*_of_topics(), *_not_expired(), *_perhaps_expired()]
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


def _of_its_topic() -> dict[str, Column]:
    """Return by_topic (it was removed with its topic) and perhaps_by_topic (that is possible).

    If the topic was removed a moment later, or the commit was written after the removal, then clocks differ,
    or the topic was removed independently. A group's tombstone is written with a topic by the older
    coordinator only.
    """
    near = col("topic_removed_near") & ~(col("group_removed") & ~col("older_coordinator"))
    # Without a topic id: the commit may be of a topic that was created again with the same name.
    after_removal = minus(col("commit_record_ms"), col("topic_removed_ms"))
    at_once = minus(col("removed_at_ms"), col("topic_removed_ms")) <= CLOCKS_DIFFER_MS
    of_next = (after_removal >= 0) | ((after_removal >= -CLOCKS_DIFFER_MS) & ~at_once)
    later_commit = ~col("topic_removed_by_id") & of_next
    doubtful = (col("topic_removed_ms") > col("removed_at_ms")) | F.coalesce(later_commit, F.lit(False))
    return {
        "by_topic": F.coalesce(near & ~doubtful, F.lit(False)),
        "perhaps_by_topic": F.coalesce(near & doubtful, F.lit(False)),
    }


def _of_topics() -> Sequence[Conclusion]:
    """Return the conclusions for offsets removed with their topic, which happens at once."""
    before = due.time_before(col("topic_removed_ms"))
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
    """Return additional possible causes. Their evidence continues the sentence of the conclusion."""
    by_request = F.arrays_overlap("possible_causes", _array([GROUP_DELETE, OFFSET_DELETE]))
    older = col("older_coordinator") & by_request
    with_group = f"; {OLDER_WITH_GROUP}"
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
            older & ~col("group_removed") & (col("situation") == Situation.NEVER_MANAGED),
            [GROUP_DELETE],
            F.lit(f"; {OLDER_ALONE}"),
        ),
    ]


def _not_expired() -> Sequence[Conclusion]:
    no = col("expiry") == NO
    return [
        Conclusion(no & col("group_removed"), [GROUP_DELETE], _because(before=WITH_GROUP)),
        Conclusion(
            no & _topic_removed_earlier(),
            [TOPIC_DELETE],
            F.concat(
                F.lit("the topic of this id was removed "),
                due.time_before(col("topic_removed_ms")),
                F.lit(" before; "),
                col("because"),
            ),
        ),
        Conclusion(
            no & col("topic_events_known") & ~col("perhaps_by_topic"),
            [OFFSET_DELETE],
            _because(after=ALONE),
        ),
        Conclusion(no & col("topic_events_known"), [OFFSET_DELETE], _because(after=GROUP_STAYED)),
        Conclusion(no, [OFFSET_DELETE, TOPIC_DELETE], _because(after=NO_METADATA_LOG)),
    ]


def _perhaps_expired() -> Sequence[Conclusion]:
    return [
        Conclusion(col("expiry") == YES, [EXPIRED], col("because")),
        Conclusion(col("group_removed"), [EXPIRED, GROUP_DELETE], _because(before=WITH_GROUP)),
        Conclusion(
            _topic_removed_earlier(),
            [EXPIRED, TOPIC_DELETE],
            F.concat(
                col("because"),
                F.lit("; the topic of this id was removed "),
                due.time_before(col("topic_removed_ms")),
                F.lit(" before"),
            ),
        ),
        Conclusion(
            col("topic_events_known") & ~col("perhaps_by_topic"),
            [EXPIRED, OFFSET_DELETE],
            _because(after=ALONE),
        ),
        Conclusion(col("topic_events_known"), [EXPIRED, OFFSET_DELETE], _because(after=GROUP_STAYED)),
        Conclusion(F.lit(True), [EXPIRED, OFFSET_DELETE, TOPIC_DELETE], _because(after=NO_METADATA_LOG)),
    ]


def _topic_removed_earlier() -> Column:
    """Return whether the topic was removed long before: a broker may notice that at its next start."""
    return col("topic_removed_ms").isNotNull() & ~col("topic_removed_near")


def _because(*, before: str | None = None, after: str | None = None) -> Column:
    parts = [F.lit(before) if before else None, col("because"), F.lit(after) if after else None]
    return F.concat_ws("; ", *(part for part in parts if part is not None))


def _array(values: Sequence[str]) -> Column:
    return F.array(*(F.lit(value) for value in values)).cast("array<string>")


def _first(cases: Sequence[tuple[Column, Column]]) -> Column:
    """Return the value of the first case that holds."""
    return F.coalesce(*(F.when(condition, value) for condition, value in cases))
