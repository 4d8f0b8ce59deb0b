"""Laws of the assignor of streams groups. tests/conformance/assignments compares it with Kafka's."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.unit.broker.groups.consumer.assignors.test_steps import LINES_MAX, longest_step
from tests.unit.broker.story import finished
from tidemark.groups.streams.assignor import (
    Subtopology,
    TaskAssignorError,
    TaskMember,
    assign,
    changed,
    new_targets,
)
from tidemark.groups.streams.member import MemberTasks, StreamsMember, Tasks, TaskSets
from tidemark.settings.release import RELEASES, Release

SUBTOPOLOGIES = st.dictionaries(
    st.sampled_from(["0", "1", "10", "Aa", "BB"]), st.builds(Subtopology, st.integers(1, 9), st.booleans())
).map(lambda found: dict(sorted(found.items())))
PROCESSES = st.lists(st.sampled_from("pqrst"), min_size=1, max_size=9)  # of the members
REPLICAS = st.integers(0, 3)
OLDER, NEWER = RELEASES["4.3"], RELEASES["4.4"]

OFFSETS = st.dictionaries(
    st.sampled_from(["0", "1", "Aa"]), st.dictionaries(st.integers(-1, 9), st.integers(-9, 9))
)

Group = dict[str, TaskMember]


def named(process_ids: Iterable[str], targets: Mapping[str, TaskSets]) -> Group:
    members = {f"member-{number}": each for number, each in enumerate(process_ids)}
    return {each: TaskMember(members[each], targets.get(each, TaskSets())) for each in members}


def assigned(
    members: Group, subtopologies: dict[str, Subtopology], replicas: int, release: Release = NEWER
) -> dict[str, TaskSets]:
    configs = {"num.standby.replicas": str(replicas)}
    targets: dict[str, TaskSets] = finished(assign(members, subtopologies, configs, release))
    return targets


def listed(tasks: Tasks) -> list[tuple[str, int]]:
    return [(each, partition) for each, partitions in tasks.items() for partition in partitions]


@st.composite
def groups(draw: st.DrawFn) -> tuple[Group, dict[str, Subtopology], int, Release]:
    """Return members with tasks that the assignor gave other members for another topology, and offsets."""
    release = draw(st.sampled_from([OLDER, NEWER]))
    before = assigned(named(draw(PROCESSES), {}), draw(SUBTOPOLOGIES), draw(REPLICAS), release)
    members = named(draw(PROCESSES), before)
    if release is NEWER:
        members = {each: replace(members[each], offsets=draw(OFFSETS)) for each in members}
    return members, draw(SUBTOPOLOGIES), draw(REPLICAS), release


@given(groups())
def test_each_task_is_active_once(group: tuple[Group, dict[str, Subtopology], int, Release]) -> None:
    members, subtopologies, replicas, release = group
    targets = assigned(members, subtopologies, replicas, release)
    assert [*targets] == [*members]
    active = Counter(task for target in targets.values() for task in listed(target.active))
    assert active == Counter(
        (each, partition) for each, found in subtopologies.items() for partition in range(found.tasks)
    )
    assert not any(target.warmup for target in targets.values())


@given(groups())
def test_standby_tasks_are_on_other_processes(
    group: tuple[Group, dict[str, Subtopology], int, Release],
) -> None:
    members, subtopologies, replicas, release = group
    targets = assigned(members, subtopologies, replicas, release)
    processes = {member.process_id for member in members.values()}
    active = {
        task: members[each].process_id for each, target in targets.items() for task in listed(target.active)
    }
    standby: dict[tuple[str, int], list[str]] = {task: [] for task in active}
    for each, target in targets.items():
        for task in listed(target.standby):
            standby[task].append(members[each].process_id)
    for task, owners in standby.items():
        wanted = replicas if subtopologies[task[0]].is_stateful else 0
        assert len({*owners, active[task]}) == len(owners) + 1 == 1 + min(wanted, len(processes) - 1)


@given(groups())
def test_a_balanced_assignment_is_kept_if_nothing_changes(
    group: tuple[Group, dict[str, Subtopology], int, Release],
) -> None:
    members, subtopologies, _, release = group
    targets = assigned(members, subtopologies, 0, release)
    counts = [len(listed(target.active)) for target in targets.values()]
    assume(max(counts) - min(counts) <= 1)  # members of small processes may get more, and lose it again
    same = {each: TaskMember(members[each].process_id, targets[each]) for each in members}
    again = assigned(same, subtopologies, 0, release)
    assert finished(changed(again, targets)) == {}


def test_no_member_is_an_error_if_there_are_tasks() -> None:
    assert assigned({}, {}, 1) == {}
    with pytest.raises(TaskAssignorError, match=r"No process available to assign active task 1_0\."):
        assigned({}, {"1": Subtopology(2, is_stateful=True)}, 1)


def test_the_number_of_standby_tasks_must_be_an_integer() -> None:
    for configs in ({"num.standby.replicas": "many"}, {"other": "1"}):
        with pytest.raises(TaskAssignorError):
            finished(assign(named("p", {}), {}, configs, NEWER))


def test_tasks_of_a_record_that_cannot_exist_are_ignored() -> None:
    members = named("p", {"member-0": TaskSets({"0": [-1, 0, 7], "9": [0]}, {"0": [-2, 3]})})
    assert assigned(members, {"0": Subtopology(2, is_stateful=True)}, 1) == {
        "member-0": TaskSets({"0": [0, 1]})
    }


def test_a_topology_that_is_not_ready_takes_all_tasks() -> None:
    members = {each: StreamsMember(each, process_id="p") for each in ("a", "b")}
    before = {"a": TaskSets({"0": [0]}), "b": TaskSets()}
    new = finished(new_targets(members, 2, None, before, None, {}, NEWER))
    assert new == {"a": TaskSets(), "b": TaskSets()}
    assert finished(changed(new, before)) == {"a": TaskSets()}
    assert finished(changed(new, {})) == new


def test_a_group_without_members_gets_no_targets() -> None:
    assert finished(new_targets({}, 3, None, {}, None, {}, NEWER)) == {}


def test_a_member_may_leave_while_targets_are_computed() -> None:
    members = {each: StreamsMember(each, process_id="p") for each in ("a", "b")}
    steps = new_targets(members, 2, None, {}, {"0": Subtopology(2, is_stateful=False)}, {}, NEWER)
    next(steps)
    del members["b"]
    assert [*finished(steps)] == ["a", "b"]


def test_4_4_keeps_the_tasks_of_a_member_and_4_3_those_of_its_target() -> None:
    members = {each: StreamsMember(each, process_id=each) for each in ("a", "b")}
    members["a"].assigned = MemberTasks({"0": {1: 5}})
    targets = {"a": TaskSets({"0": [0]}), "b": TaskSets({"0": [1]})}
    known = {"0": Subtopology(2, is_stateful=False)}
    kept = finished(new_targets(members, 2, None, targets, known, {}, OLDER))
    assert kept == targets
    moved = finished(new_targets(members, 2, None, targets, known, {}, NEWER))
    assert moved == {"a": TaskSets({"0": [1]}), "b": TaskSets({"0": [0]})}


def test_a_task_moves_to_the_member_whose_copy_of_its_state_has_the_highest_offset() -> None:
    members = named("pqr", {})
    known = {"0": Subtopology(1, is_stateful=True)}
    reported = {f"member-{number}": {"0": {0: offset}} for number, offset in enumerate((7, 9, 8))}
    members = {each: replace(members[each], offsets=reported[each]) for each in members}
    assert assigned(members, known, 0)["member-1"] == TaskSets({"0": [0]})
    members["member-0"] = replace(members["member-0"], tasks=TaskSets(standby={"0": [0]}))
    assert assigned(members, known, 0)["member-0"] == TaskSets({"0": [0]})


@pytest.mark.parametrize("release", [OLDER, NEWER])
def test_no_step_of_a_large_assignment_is_long(release: Release) -> None:
    ids = [hashlib.md5(f"m{number}".encode()).hexdigest() for number in range(1000)]
    members = {each: TaskMember(ids[int(each, 16) % 300], TaskSets()) for each in ids}
    subtopologies = {str(number): Subtopology(100, is_stateful=number % 2 == 0) for number in range(10)}
    configs = {"num.standby.replicas": "2"}
    for _ in range(2):
        targets, longest = longest_step(assign(members, subtopologies, configs, release))
        assert 0 < longest < LINES_MAX
        members = {each: replace(members[each], tasks=targets[each]) for each in ids[100:]}
    assert longest_step(changed(targets, {}))[1] < LINES_MAX


def test_no_step_is_long_if_many_members_report_offsets_of_the_same_tasks() -> None:
    offsets = {"0": {partition: partition % 7 for partition in range(100)}}
    members = {f"m{number}": TaskMember(f"p{number % 90}", TaskSets(), offsets) for number in range(900)}
    subtopologies = {"0": Subtopology(100, is_stateful=True)}
    configs = {"num.standby.replicas": "2"}
    _, longest = longest_step(assign(members, subtopologies, configs, NEWER))
    assert 0 < longest < LINES_MAX
