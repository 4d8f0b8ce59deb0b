"""Broken rules of the consumer protocol (KIP-848), of cleanup passes and of compaction: see mutants.py."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import tidemark.groups.consumer.member_change
import tidemark.groups.consumer.replay
import tidemark.groups.expirations
from tests.faults.simulation.patching import Mutant, patch
from tidemark.cleanup.cleaning import NO_OFFSET, Cleaning, _short
from tidemark.core.decision import Decision
from tidemark.groups.consumer.group import ConsumerGroup
from tidemark.groups.consumer.member import STABLE
from tidemark.groups.consumer.member_change import Reconciliation
from tidemark_expiry.rules import ABSENT


def _always(value: Any) -> Any:
    return lambda known: lambda *arguments, **named: value


def _session_kept(settle: Any) -> Any:
    def without_expiry(self: ConsumerGroup, now: Any) -> Any:
        return None

    return without_expiry


def _not_pending(current_record: Any) -> Any:
    return lambda group_id, member: current_record(group_id, replace(member, pending={}, state=STABLE))


def _acknowledged(left: Any) -> Any:
    def stays(self: ConsumerGroup, members: Any, now: Any, reason: str) -> Any:
        return Decision() if reason == "member left" else left(self, members, now, reason)

    return stays


def _nothing_deleted(replay: Any) -> Any:
    def ignoring(groups: Any, key: Any, value: Any) -> None:
        if value is not None:
            replay(groups, key, value)

    return ignoring


def _ignores_tombstones(name: str) -> Any:
    """Ignore tombstones of a type of record."""

    def apply() -> None:
        records = tidemark.groups.consumer.replay.RECORDS
        assert name in records
        records[name] = _nothing_deleted(records[name])

    return apply


def _an_older_record_stays(superseded: Any) -> Any:
    def inverted(self: Cleaning, record: Any) -> bool:
        last = self._last_offsets.get(_short(record.key), NO_OFFSET)
        return last == record.offset and not superseded(self, record)

    return inverted


def _too_early(expiry_of: Any) -> Any:
    def early(groups: Any, group: Any, place: Any, value: Any, wall_ms: int, *rest: Any) -> Any:
        found = expiry_of(groups, group, place, value, wall_ms, *rest)
        return found if found.due_ms is None or value.expire_timestamp != ABSENT else found._replace(due_ms=0)

    return early


def _forgets_epoch(epoch_record: Any) -> Any:
    return lambda group_id, epoch, *rest: epoch_record(group_id, max(epoch - 2, 1), *rest)


MUTANTS = {
    "partitions assigned before they are released": Mutant(
        patch(Reconciliation, "_is_free", _always(True)), "two members read one partition"
    ),
    "no wait for a revocation": Mutant(
        patch(Reconciliation, "_owns_any", _always(False)), "two members read one partition"
    ),
    "revocations not stored": Mutant(
        patch(tidemark.groups.consumer.member_change, "current_record", _not_pending),
        "two members read one partition",
    ),
    "sessions of consumers never end": Mutant(
        patch(ConsumerGroup, "settle", _session_kept), "the partitions of a dead member are read by nobody"
    ),
    "no sessions after a start": Mutant(
        patch(ConsumerGroup, "start_sessions", _always(())), "the same, after a restart"
    ),
    "a consumer that left stays": Mutant(
        patch(ConsumerGroup, "members_left", _acknowledged),
        "its partitions are read by nobody",
    ),
    "members removed in the log only": Mutant(
        _ignores_tombstones("ConsumerGroupMemberMetadataKey"), "the same"
    ),
    "targets removed in the log only": Mutant(
        _ignores_tombstones("ConsumerGroupTargetAssignmentMemberKey"), "the state differs after a restart"
    ),
    "epochs that go back": Mutant(
        patch(tidemark.groups.consumer.member_change, "epoch_record", _forgets_epoch),
        "members are fenced, or accept an old assignment",
    ),
    "subscribed offsets expire": Mutant(
        patch(ConsumerGroup, "is_subscribed", _always(False)),
        "a group loses the offsets that it uses",
        ("herd",),
    ),
    "offsets expire early": Mutant(
        patch(tidemark.groups.expirations, "expiry_of", _too_early), "committed offsets are lost"
    ),
    "compaction keeps older records": Mutant(
        patch(Cleaning, "_is_superseded", _an_older_record_stays), "committed offsets go back"
    ),
}
