"""Broken rules of share groups (KIP-932): see mutants.py."""

from __future__ import annotations

from typing import Any

import tidemark.groups.share.replay
import tidemark.node.dead_letters
import tidemark.share.partition
from tests.faults.simulation.patching import Mutant, patch
from tidemark.node.dead_letters import DeadLetters
from tidemark.node.share_coordinator import ShareCoordinator
from tidemark.share.open_partitions import SharePartitions
from tidemark.share.partition import (
    ACKNOWLEDGED,
    ACQUIRED,
    ARCHIVED,
    ARCHIVING,
    AVAILABLE,
    Run,
    SharePartition,
)
from tidemark.share_coordinator.state import ShareStates

SHARERS = ("sharer", "sharefeed")
LETTERS = (*SHARERS, "letters")


def _acquired_is_available(is_available: Any) -> Any:
    return property(lambda run: run.state in (AVAILABLE, ACQUIRED) and run.transition is None)


def _never_stored(store: Any) -> Any:
    async def nothing(self: Any, *arguments: Any) -> None:
        return None

    return nothing


def _not_waited_for(durably: Any) -> Any:
    async def at_once(self: ShareCoordinator, key: Any, decide: Any, *arguments: Any) -> Any:
        return self._decide(key, decide, *arguments)

    return at_once


def _counts_once(lock: Any) -> Any:
    def first(self: SharePartition, run: Run, member_id: str, now_ms: int, delivery_count: int) -> None:
        lock(self, run, member_id, now_ms, 1)

    return first


def _never_due(end_locks: Any) -> Any:
    return lambda self, now_ms, locks_max: []


def _anyones(acknowledge: Any) -> Any:
    def accepted(
        self: SharePartition, write: Any, member_id: str, batches: Any, request: Any, now_ms: int
    ) -> None:
        for run in self.runs():
            if run.state == ACQUIRED and request.first <= run.first <= request.last:
                run.member_id = member_id
        acknowledge(self, write, member_id, batches, request, now_ms)

    return accepted


def _rejected_is_released(begin: Any) -> Any:
    def released(self: Any, write: Any, batch: Any, run: Any, state: int, cause: int) -> None:
        begin(
            self, write, batch, run, AVAILABLE if cause == tidemark.share.partition.REJECTED else state, cause
        )

    return released


def _start_skips(advance: Any) -> Any:
    def skipping(self: SharePartition) -> bool:
        moved: bool = advance(self)
        if moved and self.batches and self.start_offset < self.end_offset:
            self.start_offset += 1
        return moved

    return skipping


def _start_replayed_never(update: Any) -> Any:
    def without_start(self: ShareStates, key: Any, value: Any) -> None:
        value.start_offset = -1
        update(self, key, value)

    return without_start


def _prunes_too_much(redundant: Any) -> Any:
    def more(self: ShareStates, partition: int) -> int | None:
        return self._logs[partition].end or None

    return more


def _tombstones_ignored() -> None:
    records = tidemark.groups.share.replay.RECORDS
    replay = records["ShareGroupMemberMetadataKey"]
    records["ShareGroupMemberMetadataKey"] = lambda groups, key, value: value and replay(groups, key, value)


def _unwritten(write: Any) -> Any:
    async def nothing(self: DeadLetters, opened: Any, letters: Any) -> list[None]:
        return [None] * len(letters)

    return nothing


def _not_archiving(after: Any) -> Any:
    def at_once(self: Any, write: Any, batch: Any, run: Any, state: int, cause: int) -> None:
        after(self, write, batch, run, ARCHIVED if state == ARCHIVING else state, cause)

    return at_once


def _accepted_is_archiving(begin: Any) -> Any:
    def archiving(self: Any, write: Any, batch: Any, run: Any, state: int, cause: int) -> None:
        is_last = run.delivery_count >= self.limits.deliveries_max
        if state == ACKNOWLEDGED and self.limits.letters_topic and is_last:
            state, cause = ARCHIVING, tidemark.share.partition.DELIVERED_TOO_OFTEN
        begin(self, write, batch, run, state, cause)

    return archiving


def _next_offset(headers: Any) -> Any:
    return lambda self, letters, offset: headers(self, letters, offset + 1)


def _never_resumed(letters: Any) -> Any:
    return lambda self, batches=None: [] if batches is None else letters(self, batches)


MUTANTS = {
    "acquired records are available": Mutant(
        patch(Run, "is_available", _acquired_is_available), "two members process one record", SHARERS
    ),
    "acknowledgements are not stored": Mutant(
        patch(ShareCoordinator, "write", _never_stored), "accepted records are delivered again", SHARERS
    ),
    "acknowledgements confirmed before they are durable": Mutant(
        patch(ShareCoordinator, "_durably", _not_waited_for), "the same after a power cut", SHARERS
    ),
    "deliveries are not counted": Mutant(
        patch(SharePartition, "_lock", _counts_once), "a bad record is delivered for ever", SHARERS
    ),
    "locks never end": Mutant(
        patch(SharePartition, "end_locks", _never_due), "the records of a dead member are lost", SHARERS
    ),
    "ended locks are not stored": Mutant(
        patch(SharePartitions, "_store_released", _never_stored),
        "a record is never done after a restart, or its deliveries are not counted",
        SHARERS,
    ),
    "anyone acknowledges": Mutant(
        patch(SharePartition, "_acknowledge", _anyones),
        "a member acknowledges what it does not have",
        SHARERS,
    ),
    "rejected records are available": Mutant(
        patch(SharePartition, "_begin", _rejected_is_released), "a bad record is delivered again", SHARERS
    ),
    "the start skips a record": Mutant(
        patch(SharePartition, "advance", _start_skips), "a record is never delivered", SHARERS
    ),
    "stored starts are not loaded": Mutant(
        patch(ShareStates, "_update", _start_replayed_never), "accepted records are delivered again", SHARERS
    ),
    "needed states are pruned": Mutant(
        patch(ShareStates, "redundant_before", _prunes_too_much), "the state of a group is lost", SHARERS
    ),
    "dead letters are not written": Mutant(
        patch(DeadLetters, "write", _unwritten), "a bad record is lost", LETTERS
    ),
    "archived without a dead letter": Mutant(
        patch(SharePartition, "_begin", _not_archiving), "a rejected record is lost", LETTERS
    ),
    "records accepted at last are dead letters": Mutant(
        patch(SharePartition, "_begin", _accepted_is_archiving), "good records are processed again", LETTERS
    ),
    "dead letters name the next record": Mutant(
        patch(tidemark.node.dead_letters._Writing, "headers", _next_offset),
        "a dead letter leads to another record",
        LETTERS,
    ),
    "dead letters are not resumed": Mutant(
        patch(SharePartition, "letters", _never_resumed),
        "a share partition is never done after a kill",
        LETTERS,
    ),
    "members of share groups stay in memory": Mutant(_tombstones_ignored, "a group is never empty", SHARERS),
}
