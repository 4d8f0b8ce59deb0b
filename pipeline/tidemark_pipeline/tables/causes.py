"""Why a committed offset was removed: what can be concluded from what lies around its tombstone.

    a topic of its id or name was removed just before          topic_delete
    the group's tombstone is in the same batch                 group_delete, or expired with its group
    the offset was due under every retention that fits         expired
    it was due under none, and none of the above               offset_delete

`retention` decides what it was due under. Expiry writes a group's tombstone with the last of its offsets, so
an offset of the batch that was not due says that the group was deleted. Where several causes are possible,
the cause is `unknown`, and possible_causes lists them.

The coordinator of Kafka up to 3.9 lets an Empty group go with its last offset, whatever removed that, and
writes no tombstone of a group that never had members (seen on 3.9.1): where it may have been that one
(older_coordinator), more is possible.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from pyspark.sql import functions as F
from pyspark.sql.functions import col

from tidemark_expiry.rules import Situation
from tidemark_pipeline.tables import retention

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

# The names that the broker's `core.removal.Cause` has.
EXPIRED: Final = "expired"
TOPIC_DELETE: Final = "topic_delete"
GROUP_DELETE: Final = "group_delete"
OFFSET_DELETE: Final = "offset_delete"
UNKNOWN: Final = "unknown"

WITH_GROUP: Final = "the group went in the same batch"
ALONE: Final = "neither its topic nor its group went with it"
GROUP_STAYED: Final = "its group did not go with it"
NO_METADATA_LOG: Final = "no metadata log of that time tells whether its topic went"


class Conclusion(NamedTuple):
    """Where this holds, these causes are possible (one: it is the cause), as this sentence says."""

    when: Column
    causes: Sequence[str]
    evidence: Column


def with_cause(found: DataFrame) -> DataFrame:
    """Return found with inferred_cause, possible_causes and evidence.

    found: tombstones with what `removals` has gathered about them, and `retention.with_expiry`.
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
    before = retention.time_before(col("topic_removed_ms"))
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
            older & ~col("group_removed") & (col("situation") == Situation.NEVER_MANAGED),
            [GROUP_DELETE],
            F.lit("; the coordinator of Kafka up to 3.9 writes no tombstone of a group without members"),
        ),
    ]


def _not_expired() -> Sequence[Conclusion]:
    no = col("expiry") == retention.NO
    return [
        Conclusion(no & col("group_removed"), [GROUP_DELETE], _because(before=WITH_GROUP)),
        Conclusion(
            no & _topic_removed_earlier(),
            [TOPIC_DELETE],
            F.concat(
                F.lit("the topic of this id was removed "),
                retention.time_before(col("topic_removed_ms")),
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
        Conclusion(col("expiry") == retention.YES, [EXPIRED], col("because")),
        Conclusion(col("group_removed"), [EXPIRED, GROUP_DELETE], _because(before=WITH_GROUP)),
        Conclusion(
            _topic_removed_earlier(),
            [EXPIRED, TOPIC_DELETE],
            F.concat(
                col("because"),
                F.lit("; the topic of this id was removed "),
                retention.time_before(col("topic_removed_ms")),
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
    """A broker may find at its next start that the topic is gone."""
    return col("topic_removed_ms").isNotNull() & ~col("topic_removed_near")


def _because(*, before: str | None = None, after: str | None = None) -> Column:
    parts = [F.lit(before) if before else None, col("because"), F.lit(after) if after else None]
    return F.concat_ws("; ", *(part for part in parts if part is not None))


def _array(values: Sequence[str]) -> Column:
    return F.array(*(F.lit(value) for value in values)).cast("array<string>")


def _first(cases: Sequence[tuple[Column, Column]]) -> Column:
    """The value of the first case that holds."""
    return F.coalesce(*(F.when(condition, value) for condition, value in cases))
