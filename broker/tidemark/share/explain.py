"""Describe records of a share partition, and why they are not delivered, for /v1/share-groups/records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tidemark.share.partition import (
    ABORTED,
    ACKNOWLEDGED,
    ACQUIRED,
    ARCHIVING,
    AVAILABLE,
    BELOW_START,
    COMPACTED,
    DELIVERED_TOO_OFTEN,
    IS_GAP,
    REJECTED,
    STATE_NAMES,
    WRITTEN,
    Limits,
    Run,
    SharePartition,
)
from tidemark_expiry.sentences import moment, shown

CAUSE_NAMES: Final = {
    REJECTED: "rejected",
    DELIVERED_TOO_OFTEN: "delivered_too_often",
    IS_GAP: "gap",
    BELOW_START: "deleted",
    COMPACTED: "compacted",
    ABORTED: "aborted",
}
# States of records that are not in flight.
UNDELIVERED: Final = "undelivered"
FORGOTTEN: Final = "forgotten"
# Why archived records are not delivered any more. {times}: how often they were delivered.
CAUSES: Final = {
    REJECTED: "a member has rejected {them}",
    DELIVERED_TOO_OFTEN: (
        "{they} delivered {times}, as often as share.delivery.count.limit allows, and never accepted"
    ),
    IS_GAP: "a member has acknowledged {them} as a gap: the log has no record there",
    BELOW_START: "{they} below the start offset, because DeleteRecords or the retention has deleted {them}",
    COMPACTED: "the log no longer has {them}, because it was compacted",
    ABORTED: "{they} of an aborted transaction, and share.isolation.level is read_committed",
}
# The share coordinator stores the state, and not its cause.
CAUSE_UNKNOWN: Final = (
    "why is not known, because the state was stored before the share partition was opened last. "
    "{they} delivered {times}; share.delivery.count.limit is {limit}"
)


@dataclass(slots=True, frozen=True)
class Described:
    """Consecutive offsets with the same state.

    state          available, acquired, acknowledged, archiving (its dead letter is written now) or archived;
                   undelivered or forgotten if nothing is known
    cause          a name of CAUSE_NAMES if it is archiving or archived; None: not known
    member_id      who has acquired them
    since_ms       when they were acquired (wall)
    lock_end_ms    when the lock ends (wall)
    is_stored      the share coordinator has stored the state. An acquisition is never stored
    """

    first_offset: int
    last_offset: int
    state: str
    delivery_count: int
    member_id: str | None
    since_ms: int | None
    lock_end_ms: int | None
    is_stored: bool
    cause: str | None
    explanation: str


def describe_run(run: Run, limits: Limits, *, steady_ms: int, wall_ms: int) -> Described:
    """Describe a run. steady_ms, wall_ms: now. Locks end by steady time, which is shown as wall time."""
    since_ms = None if run.since_ms is None else wall_ms - (steady_ms - run.since_ms)
    lock_end_ms = None if run.lock_end_ms is None else wall_ms + (run.lock_end_ms - steady_ms)
    if run.state == ACQUIRED:
        explanation = _acquired(run, limits, since_ms, lock_end_ms)
    elif run.state == AVAILABLE:
        explanation = _available(run, limits)
    elif run.state == ACKNOWLEDGED:
        explanation = f"{_subject(run)} {_were(run)} accepted by a member."
    else:
        explanation = f"{_subject(run)} {_are(run)} not delivered any more: {_cause(run, limits)}."
        if run.state == ARCHIVING or run.letter is not None:
            explanation += f" {_letter(run, limits)}"
    if run.transition is not None:
        explanation += " The share coordinator is storing this. If that fails, the lock continues."
    return Described(
        run.first,
        run.last,
        STATE_NAMES[run.state],
        run.delivery_count,
        run.member_id or None,
        since_ms,
        lock_end_ms,
        run.state != ACQUIRED and run.transition is None,
        CAUSE_NAMES.get(run.cause),
        explanation,
    )


def describe_offset(share: SharePartition, offset: int, *, steady_ms: int, wall_ms: int) -> Described:
    """Describe the run with this offset, or the offset alone if no run has it."""
    run = share.run_at(offset)
    if run is not None:
        return describe_run(run, share.limits, steady_ms=steady_ms, wall_ms=wall_ms)
    if offset >= share.start_offset:
        state, explanation = UNDELIVERED, f"Offset {offset} was not delivered yet."
    else:
        state = FORGOTTEN
        explanation = (
            f"Offset {offset} is below the start offset {share.start_offset}, and how it ended is not known: "
            "the group began above it, or it ended too long ago or before the broker was started."
        )
    return Described(offset, offset, state, 0, None, None, None, False, None, explanation)


def _acquired(run: Run, limits: Limits, since_ms: int | None, lock_end_ms: int | None) -> str:
    assert since_ms is not None
    assert lock_end_ms is not None
    is_last = run.delivery_count >= limits.deliveries_max
    then = "archived, because this is the last delivery" if is_last else "available again"
    return (
        f"Member {shown(run.member_id)} has acquired {_subject(run).lower()} at {moment(since_ms)}, in "
        f"delivery {run.delivery_count} of {limits.deliveries_max}. If it does not acknowledge {_them(run)} "
        f"before {moment(lock_end_ms)}, {'they are' if _several(run) else 'it is'} {then}."
    )


def _available(run: Run, limits: Limits) -> str:
    if run.delivery_count == 0:
        return f"{_subject(run)} {_are(run)} available, and {_were(run)} never delivered."
    last = ", for the last time" if run.delivery_count == limits.deliveries_max - 1 else ""
    deliveries = _times(run.delivery_count, "delivery", "deliveries")
    return (
        f"{_subject(run)} {_are(run)} available after {deliveries}: "
        f"the next fetch delivers {_them(run)} again{last}."
    )


def _cause(run: Run, limits: Limits) -> str:
    unknown = run.cause not in CAUSES
    verb = _were(run) if unknown or run.cause == DELIVERED_TOO_OFTEN else _are(run)
    they = f"They {verb}" if _several(run) else f"It {verb}"
    return (CAUSE_UNKNOWN if unknown else CAUSES[run.cause]).format(
        they=they if unknown else they.lower(),
        them=_them(run),
        times=_times(run.delivery_count, "time", "times"),
        limit=limits.deliveries_max,
    )


def _letter(run: Run, limits: Limits) -> str:
    """Describe the dead letters of records. Their queue is the one that the group has now."""
    letter, verb = ("Their dead letters", "are") if _several(run) else ("Its dead letter", "is")
    if run.state == ARCHIVING:
        topic = f"topic {shown(limits.letters_topic)}" if limits.letters_topic else "the dead-letter queue"
        return f"{letter} {verb} being written to {topic}."
    if run.letter == WRITTEN:
        return f"The dead-letter queue has {_them(run)}."
    return f"{letter} could not be written: {(run.letter or '').rstrip('.')}."


def _several(run: Run) -> bool:
    return run.last > run.first


def _subject(run: Run) -> str:
    return f"Offsets {run.first} to {run.last}" if _several(run) else f"Offset {run.first}"


def _are(run: Run) -> str:
    return "are" if _several(run) else "is"


def _were(run: Run) -> str:
    return "were" if _several(run) else "was"


def _them(run: Run) -> str:
    return "them" if _several(run) else "it"


def _times(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"
