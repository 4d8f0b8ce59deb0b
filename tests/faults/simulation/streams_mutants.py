"""Broken rules of streams groups (KIP-1071): see mutants.py."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import tidemark.groups.streams.group
import tidemark.groups.streams.heartbeat
import tidemark.groups.streams.reconciliation
import tidemark.groups.streams.replay
import tidemark.handlers.groups.streams_group_describe
from tests.faults.simulation.patching import Mutant, patch
from tidemark.groups.streams.group import StreamsGroup
from tidemark.groups.streams.member import STABLE, MemberTasks
from tidemark.groups.streams.reconciliation import TaskOwners
from tidemark_protocol.errors import ErrorCode, KafkaError

STREAMER = ("streamer",)


def _always(value: Any) -> Any:
    return lambda known: lambda *arguments, **named: value


def _left_for_ever(left: Any) -> Any:
    return lambda self, member: self.member_left(member, "member left")


def _not_revoking(current_record: Any) -> Any:
    return lambda group_id, member: current_record(
        group_id, replace(member, revoking=MemberTasks(), state=STABLE)
    )


def _forgets_epoch(epoch_record: Any) -> Any:
    return lambda group_id, epoch, *rest: epoch_record(group_id, max(epoch - 2, 1), *rest)


def _one_task_left_out(new_targets: Any) -> Any:
    def without_task(members: Any, peak: Any, updated: Any, targets: Any, known: Any, *rest: Any) -> Any:
        first = None if not known else next(iter(known))
        if first is not None:
            known = {**known, first: known[first]._replace(tasks=known[first].tasks - 1)}
        return (yield from new_targets(members, peak, updated, targets, known, *rest))

    return without_task


def _never_free(remove: Any) -> Any:
    def keeps(self: TaskOwners, member: Any) -> None:
        if member.assigned != MemberTasks():
            remove(self, replace(member, revoking=MemberTasks()))

    return keeps


def _ignores_tombstones(name: str) -> Any:
    """Ignore tombstones of a type of record."""

    def apply() -> None:
        records = tidemark.groups.streams.replay.RECORDS
        known = records[name]
        records[name] = lambda groups, key, value: None if value is None else known(groups, key, value)

    return apply


def _not_counted() -> None:
    """Do not count the members that a new target moves."""
    records = tidemark.groups.streams.replay.RECORDS
    known = records["StreamsGroupTargetAssignmentMetadataKey"]

    def replay(groups: Any, key: Any, value: Any) -> None:
        before = getattr(groups.groups.get(key.group_id), "unreconciled", 0)
        known(groups, key, value)
        if (group := groups.groups.get(key.group_id)) is not None:
            group.unreconciled = before

    records["StreamsGroupTargetAssignmentMetadataKey"] = replay


def _fails(endpoint_partitions: Any) -> Any:
    def failing(member: Any, configured: Any, cluster: Any) -> Any:
        if member.endpoint is not None and member.assigned.standby:
            raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)
        return (yield from endpoint_partitions(member, configured, cluster))

    return failing


def _shows_the_target(describe: Any) -> Any:
    """Show tasks before they are released."""

    def shown(ctx: Any, group: StreamsGroup) -> Any:
        described = yield from describe(ctx, group)
        for member in described.members:
            for task in member.target_assignment.active_tasks:
                if task.subtopology_id not in [
                    each.subtopology_id for each in member.assignment.active_tasks
                ]:
                    member.assignment.active_tasks.append(task)
        return described

    return shown


MUTANTS = {
    "tasks assigned before they are released": Mutant(
        patch(TaskOwners, "is_active_taken", _always(False)), "two members run one task", STREAMER
    ),
    "no wait for the revocation of tasks": Mutant(
        patch(tidemark.groups.streams.reconciliation, "_must_revoke", _always(False)),
        "two members run one task",
        STREAMER,
    ),
    "revoked tasks not stored": Mutant(
        patch(tidemark.groups.streams.heartbeat, "current_record", _not_revoking),
        "two members run one task",
        STREAMER,
    ),
    "released tasks stay taken": Mutant(
        patch(TaskOwners, "remove", _never_free), "a task runs nowhere until a restart", STREAMER
    ),
    "static members lose their place": Mutant(
        patch(StreamsGroup, "static_member_left", _left_for_ever),
        "a restart of an instance moves its tasks",
        STREAMER,
    ),
    "a task is left out": Mutant(
        patch(tidemark.groups.streams.group, "new_targets", _one_task_left_out),
        "no member processes the records of a partition",
        STREAMER,
    ),
    "sessions of streams members never end": Mutant(
        patch(StreamsGroup, "settle", _always(None)), "the tasks of a dead member run nowhere", STREAMER
    ),
    "epochs of streams groups that go back": Mutant(
        patch(tidemark.groups.streams.heartbeat, "epoch_record", _forgets_epoch),
        "members are fenced, or keep an old assignment",
        STREAMER,
    ),
    "streams members removed in the log only": Mutant(
        _ignores_tombstones("StreamsGroupMemberMetadataKey"), "the state differs after a restart", STREAMER
    ),
    "targets of streams members removed in the log only": Mutant(
        _ignores_tombstones("StreamsGroupTargetAssignmentMemberKey"),
        "the state differs after a restart",
        STREAMER,
    ),
    "offsets of source topics expire": Mutant(
        patch(StreamsGroup, "is_subscribed", _always(False)),
        "a group loses the offsets that it uses",
        STREAMER,
    ),
    "members that a new target moves are not counted": Mutant(
        _not_counted, "a group is called Stable although tasks move", STREAMER
    ),
    "standby tasks behind an endpoint": Mutant(
        patch(tidemark.groups.streams.heartbeat, "endpoint_partitions", _fails),
        "a member with an endpoint is refused",
        STREAMER,
    ),
    "targets described as assignments": Mutant(
        patch(tidemark.handlers.groups.streams_group_describe, "_describe", _shows_the_target),
        "tools show a task at two members",
        STREAMER,
    ),
}
