"""Assignments and reconciliation of random streams groups equal those of Kafka's classes, as does the order.

In these groups members join, leave, restart and report tasks, while the topology and the number of standby
tasks change. Each assignment starts from the one before. In every fourth group, members with random tasks
move to random targets, with warmup tasks that Kafka's assignor never assigns.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from tests.conformance.assignments.record import recorded
from tests.kafka_oracle import NEWEST, USUAL
from tests.unit.broker.story import finished
from tidemark.core.java import put_order
from tidemark.groups.streams.assignor import Subtopology, TaskAssignorError, assign, changed, new_targets
from tidemark.groups.streams.member import UNKNOWN_STATE, MemberTasks, StreamsMember, TaskSets
from tidemark.groups.streams.reconciliation import TaskOwners, reconciled
from tidemark.settings.release import release_of
from tidemark_protocol.errors import ErrorCode, KafkaError

GROUPS = recorded("streams_assignments")
MOVES = {version: recorded("moves", version) for version in (USUAL, NEWEST)}
RELEASE = release_of("4.3")

Listed = list[list[Any]]


class Played:
    """A streams group, as replay of its records leaves it."""

    def __init__(self, *, changes_roles: bool = False) -> None:
        self._changes_roles = changes_roles
        self._subtopologies: dict[str, Subtopology] | None = None
        self._configs = {"num.standby.replicas": "0"}
        self._members: dict[str, StreamsMember] = {}
        self._peak = 0
        self._targets: dict[str, TaskSets] = {}
        self._target: TaskSets | None = None  # of the next heartbeat, as it was computed
        self._epoch = 0
        self._owners = TaskOwners()

    def play(self, step: dict[str, Any]) -> Any:
        """Apply a step. Return our result of the same form as Kafka's, None if there is none."""
        if "subtopologies" in step:
            found = step["subtopologies"]
            self._subtopologies = (
                None if found is None else {each: Subtopology(*found[each]) for each in found}
            )
        elif "configs" in step:
            self._configs = step["configs"]
        elif "leaves" in step:
            self._owners.remove(self._members.pop(step["leaves"]))
            self._targets.pop(step["leaves"], None)
        elif "unknown" in step:
            self._put(replace(self._members[step["unknown"]], state=UNKNOWN_STATE))
        elif "nobody" in step:
            return self._nobody()
        elif "assigned" in step:
            return self._assign(step)
        elif "placed" in step:
            self._place(step)
        else:
            return self._heartbeat(step)
        return None

    def _put(self, member: StreamsMember) -> None:
        before = self._members.get(member.member_id)
        if before is not None:
            self._owners.remove(before)
        self._owners.add(member)
        self._members[member.member_id] = member
        self._peak = max(self._peak, len(self._members))

    def _nobody(self) -> str | None:
        assert self._subtopologies is not None
        try:
            assert finished(assign({}, self._subtopologies, self._configs, RELEASE)) == {}
        except TaskAssignorError as error:
            return str(error)
        return None

    def _with_process(self, member_id: str, process_id: str) -> StreamsMember:
        member = self._members.get(member_id, StreamsMember(member_id, previous_epoch=0))
        return replace(member, process_id=process_id)

    def _assign(self, step: dict[str, Any]) -> list[tuple[str, Listed]]:
        self._epoch = step["epoch"]
        updated = step["assigned"] and self._with_process(step["assigned"], step["process"])
        new = finished(
            new_targets(
                self._members,
                self._peak,
                updated,
                self._targets,
                self._subtopologies,
                self._configs,
                RELEASE,
            )
        )
        if updated:
            self._target = new[step["assigned"]]
        written = finished(changed(new, self._targets))
        self._targets |= {member_id: _sorted(target) for member_id, target in written.items()}
        return [(member_id, _listed(target)) for member_id, target in written.items()]

    def _heartbeat(self, step: dict[str, Any]) -> Any:
        if "moves" in step:
            member_id = step["moves"]
            self._epoch, self._target = step["epoch"], TaskSets(*map(dict, step["target"]))
        else:
            member_id = step["heartbeat"]
            self._put(self._with_process(member_id, step["process"]))
        member = self._members[member_id]
        target = self._target or self._targets.get(member_id, TaskSets())
        self._target = None
        owned = None if step["owned"] is None else TaskSets(*step["owned"])
        try:
            moved = reconciled(
                member, self._epoch, target, owned, self._owners, changes_roles=self._changes_roles
            )
        except KafkaError as error:
            return error.code, error.message
        if moved == member:
            return None
        self._put(replace(moved, assigned=_replayed(moved.assigned)))
        return (
            moved.epoch,
            moved.previous_epoch,
            moved.state,
            _listed(moved.assigned),
            _plain(moved.revoking),
        )

    def _place(self, step: dict[str, Any]) -> None:
        epoch, previous, state, assigned, revoking = step["is"]
        self._put(
            StreamsMember(
                step["placed"],
                epoch,
                previous,
                state,
                process_id=step["process"],
                assigned=_parsed(assigned),
                revoking=_parsed(revoking),
            )
        )


def _parsed(tasks: list[Any]) -> MemberTasks:
    active, standby, warmup = tasks
    epochs = {each: {int(task): found[task] for task in found} for each, found in active.items()}
    return _replayed(MemberTasks(epochs, standby, warmup))


def _replayed(tasks: MemberTasks) -> MemberTasks:
    """Return the tasks in the order that they have once they are read from their record."""
    active, standby, warmup = (
        {each: role[each] for each in put_order(sorted(role))} for role in _roles(tasks)
    )
    return MemberTasks(active, standby, warmup)


def _sorted(target: TaskSets) -> TaskSets:
    """Return the target as it is read from its record."""
    active, standby, warmup = (
        dict(sorted(each.items())) for each in (target.active, target.standby, target.warmup)
    )
    return TaskSets(active, standby, warmup)


def _listed(tasks: TaskSets | MemberTasks) -> Listed:
    """Return the tasks as Streams.java prints those whose order counts."""
    return [[[each, _partitions(found)] for each, found in role.items()] for role in _roles(tasks)]


def _plain(tasks: MemberTasks) -> list[dict[str, Any]]:
    return [{each: _partitions(found) for each, found in role.items()} for role in _roles(tasks)]


def _roles(tasks: TaskSets | MemberTasks) -> tuple[Mapping[str, Any], ...]:
    return tasks.active, tasks.standby, tasks.warmup


def _partitions(found: Any) -> Any:
    return {str(task): found[task] for task in found} if isinstance(found, Mapping) else found


@pytest.mark.parametrize("number", range(len(GROUPS)))
def test_streams_groups_equal_kafkas(number: int) -> None:
    check(Played(), GROUPS[number])


@pytest.mark.parametrize("number", range(len(MOVES[USUAL])))
@pytest.mark.parametrize("version", MOVES)
def test_members_whose_tasks_change_their_role_equal_kafkas(version: str, number: int) -> None:
    check(Played(changes_roles=version == NEWEST), MOVES[version][number])


def check(group: Played, steps: list[dict[str, Any]]) -> None:
    for step in steps:
        result = group.play(step)
        if "targets" in step:
            assert result == [(member_id, tasks) for member_id, *tasks in step["targets"]]
        elif "fenced" in step:
            assert result == (ErrorCode.FENCED_MEMBER_EPOCH, step["fenced"])
        elif "nobody" in step:
            assert result == step["nobody"]
        elif "is" in step and "placed" not in step:
            assert result == (step["is"] and tuple(step["is"]))
