"""Members of streams groups reach their targets. tests/conformance/assignments compares this with Kafka."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.broker.story import finished
from tidemark.groups.streams.assignor import Subtopology, new_targets
from tidemark.groups.streams.member import (
    STABLE,
    UNKNOWN_STATE,
    UNRELEASED_TASKS,
    UNREVOKED_TASKS,
    MemberTasks,
    StreamsMember,
    TaskSets,
)
from tidemark.groups.streams.reconciliation import TaskOwners
from tidemark.groups.streams.reconciliation import reconciled as reconciled_by_release
from tidemark.settings.release import RELEASES, Change, Release
from tidemark_protocol.errors import ErrorCode, KafkaError

reconciled = partial(reconciled_by_release, changes_roles=False)  # as 4.3 does

NAMES = ("a", "b", "c", "d")
PROCESS = {"a": "p", "b": "p", "c": "q", "d": "r"}


def owned(member: StreamsMember) -> TaskSets:
    """Return the tasks of a client that does what its last response says."""
    active = {each: [*found] for each, found in member.assigned.active.items()}
    return TaskSets(active, member.assigned.standby, member.assigned.warmup)


class Group:
    def __init__(self, release: Release) -> None:
        self.release = release
        self.members: dict[str, StreamsMember] = {}
        self.owners = TaskOwners()
        self.targets: dict[str, TaskSets] = {}
        self.epoch = 0

    def put(self, member: StreamsMember) -> None:
        self.remove(member.member_id)
        self.members[member.member_id] = member
        self.owners.add(member)

    def remove(self, name: str) -> None:
        before = self.members.pop(name, None)
        if before is not None:
            self.owners.remove(before)

    def assign(self, names: Sequence[str], subtopologies: dict[str, Subtopology], replicas: int) -> None:
        for name in {*self.members} - {*names}:
            self.remove(name)
            self.targets.pop(name, None)
        for name in names:
            if name not in self.members:
                self.put(StreamsMember(name, process_id=PROCESS[name]))
        self.epoch += 1
        configs = {"num.standby.replicas": str(replicas)}
        self.targets = finished(
            new_targets(self.members, len(NAMES), None, self.targets, subtopologies, configs, self.release)
        )

    def heartbeat(self, name: str) -> None:
        member = self.members[name]
        target, reported = self.targets[name], owned(member)
        changes_roles = self.release.has(Change.TASKS_CHANGE_THEIR_ROLE)
        self.put(
            reconciled_by_release(
                member, self.epoch, target, reported, self.owners, changes_roles=changes_roles
            )
        )

    def check(self) -> None:
        """No two members have the same active task."""
        active = [
            (each, partition)
            for member in self.members.values()
            for tasks in (member.assigned, member.revoking)
            for each, found in tasks.active.items()
            for partition in found
        ]
        assert len(active) == len({*active})


SUBTOPOLOGIES = st.dictionaries(
    st.sampled_from("012"), st.builds(Subtopology, st.integers(1, 4), st.booleans())
)
CHANGES = st.lists(
    st.tuples(
        st.lists(st.sampled_from(NAMES), unique=True, min_size=1),
        SUBTOPOLOGIES.map(lambda found: dict(sorted(found.items()))),
        st.integers(0, 2),
        st.lists(st.sampled_from(NAMES)),  # members that send heartbeats before the next change
    ),
    max_size=5,
)


@pytest.mark.parametrize("release", ["4.3", "4.4"])
@given(changes=CHANGES)
def test_members_reach_their_targets_and_never_share_an_active_task(
    release: str, changes: list[tuple[list[str], dict[str, Subtopology], int, list[str]]]
) -> None:
    group = Group(RELEASES[release])
    for names, subtopologies, replicas, heartbeats in changes:
        group.assign(names, subtopologies, replicas)
        for name in heartbeats:
            if name in group.members:
                group.heartbeat(name)
                group.check()
    for _ in range(12):
        for name in [*group.members]:
            group.heartbeat(name)
            group.check()
    for name, member in group.members.items():
        assert (member.state, member.epoch) == (STABLE, group.epoch)
        assert owned(member) == group.targets[name]


def member(
    state: int, tasks: MemberTasks | None = None, revoking: MemberTasks | None = None
) -> StreamsMember:
    return StreamsMember(
        "m",
        4,
        3,
        state,
        process_id="p",
        assigned=tasks or MemberTasks(),
        revoking=revoking or MemberTasks(),
    )


def test_a_member_that_does_not_report_its_tasks_stays_unrevoked() -> None:
    before = member(UNREVOKED_TASKS, revoking=MemberTasks({"0": {1: 2}}))
    assert reconciled(before, 6, TaskSets(), None, TaskOwners()) is before
    still = TaskSets({"0": [1]})
    assert reconciled(before, 6, TaskSets(), still, TaskOwners()) is before
    after = reconciled(before, 6, TaskSets(), TaskSets(), TaskOwners())
    assert (after.state, after.epoch, after.previous_epoch, after.revoking) == (STABLE, 6, 4, MemberTasks())


def test_a_member_waits_for_a_task_of_another_process() -> None:
    owners = TaskOwners()
    other = replace(member(STABLE, MemberTasks({"0": {0: 4}})), member_id="other", process_id="q")
    owners.add(other)
    target = TaskSets({"0": [0, 1]})
    waiting = reconciled(member(STABLE), 5, target, None, owners)
    assert (waiting.state, waiting.epoch, waiting.assigned.active) == (UNRELEASED_TASKS, 5, {"0": {1: 5}})
    owners.remove(other)
    assert reconciled(waiting, 5, target, None, owners).assigned.active == {"0": {0: 5, 1: 5}}


def test_a_member_in_an_unknown_state_must_abandon_its_tasks() -> None:
    lost = member(UNKNOWN_STATE, MemberTasks({"0": {0: 4}}))
    for reported in (None, TaskSets({"0": [0]})):
        with pytest.raises(KafkaError) as raised:
            reconciled(lost, 5, TaskSets({"0": [0]}), reported, TaskOwners())
        assert raised.value.code == ErrorCode.FENCED_MEMBER_EPOCH
    found = reconciled(lost, 5, TaskSets({"0": [0]}), TaskSets(), TaskOwners())
    assert (found.state, found.epoch, found.assigned.active) == (STABLE, 5, {"0": {0: 4}})


def test_an_active_task_stays_with_the_process_that_got_it_last() -> None:
    owners = TaskOwners()
    first = member(STABLE, MemberTasks({"0": {0: 4}}))
    second = replace(first, member_id="second", process_id="q")
    owners.add(first)
    owners.add(second)
    owners.remove(first)
    assert owners.is_active_taken(("0", 0), "p", TaskSets())
    for is_taken in (owners.is_standby_taken, owners.is_warmup_taken):
        assert [is_taken(("0", 0), process_id, TaskSets()) for process_id in "pq"] == [False, True]
    owners.remove(second)
    owners.remove(second)
    assert not owners.is_active_taken(("0", 0), "p", TaskSets())


def test_processes_own_standby_and_warmup_tasks_together() -> None:
    for task, tasks in ((("1", 0), MemberTasks({}, {"1": [0]})), (("1", 1), MemberTasks({}, {}, {"1": [1]}))):
        owners = TaskOwners()
        first = member(UNREVOKED_TASKS, revoking=tasks)
        second = replace(first, member_id="second", process_id="q")
        owners.add(first)
        owners.add(second)
        checks = (owners.is_standby_taken, owners.is_warmup_taken, owners.is_active_taken)
        for is_taken in checks:
            assert [is_taken(task, process_id, TaskSets()) for process_id in "pqr"] == [True, True, False]
        owners.remove(first)
        for is_taken in checks:
            assert [is_taken(task, process_id, TaskSets()) for process_id in "pqr"] == [False, True, False]
