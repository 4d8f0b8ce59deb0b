"""The only assignor of streams groups (KIP-1071): members keep their tasks, and have about as many as others.

A task stays with the member that had it, or moves to one that has a standby task and so a copy of its state.
The assignor gives the other tasks to the process with the fewest tasks per member. In Kafka 4.3, the tasks
that a member had are those of its last target. In 4.4, they are those that it has now, and the offsets that
it reported count, too.
Kafka: StickyTaskAssignor, ProcessState and TargetAssignmentBuilder.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import TYPE_CHECKING, Final, NamedTuple

from tidemark.core.decision import Steps, in_order
from tidemark.core.java import PriorityQueue, grown_late, newest_first_order, put_order_in_steps
from tidemark.groups.consumer.assignors.spec import member_order
from tidemark.groups.streams.member import MemberTasks, StreamsMember, TaskOffsets, Tasks, TaskSets
from tidemark.settings.release import Change
from tidemark_protocol.java import bucket, hash_map_table, java_hash, java_integer

if TYPE_CHECKING:
    from tidemark.metadata.configs import StreamsGroupSettings
    from tidemark.settings.release import Release

STANDBY_REPLICAS: Final = "num.standby.replicas"
RACK_AWARE_TAGS: Final = "rack.aware.assignment.tags"
STEP: Final = 100  # tasks or members between two pauses


class Subtopology(NamedTuple):
    """tasks: how many it has. is_stateful: it has changelog topics, so its tasks may have standby tasks."""

    tasks: int
    is_stateful: bool


@dataclass(slots=True, frozen=True)
class TaskMember:
    """A member of the group. The assignor ignores racks and client tags. Kafka: MemberMetadataAndStateImpl.

    tasks: those that it keeps if possible
    offsets: how far its copies of states are. A member without a standby task may have a copy, too
    """

    process_id: str
    tasks: TaskSets | MemberTasks
    offsets: TaskOffsets = field(default_factory=dict)


class TaskAssignorError(Exception):
    """There is no assignment. The response to the heartbeat is UNKNOWN_SERVER_ERROR without a message.

    Kafka: TaskAssignorException.
    """


def assignment_configs(settings: StreamsGroupSettings) -> dict[str, str]:
    """Return the settings of a group's assignments. The epoch of the group rises if they change.

    Rack-aware tags are among them, although the assignor ignores them.
    """
    configs = {STANDBY_REPLICAS: str(settings.num_standby_replicas)}
    if settings.rack_aware_assignment_tags:
        configs[RACK_AWARE_TAGS] = ",".join(settings.rack_aware_assignment_tags)
    return configs


def new_targets(
    members: Mapping[str, StreamsMember],
    peak: int,
    updated: StreamsMember | None,
    targets: Mapping[str, TaskSets],
    subtopologies: Mapping[str, Subtopology] | None,
    configs: Mapping[str, str],
    release: Release,
) -> Steps[dict[str, TaskSets]]:
    """Return the new target of each member, in the order in which Kafka writes their records. A generator.

    members: those of the group, oldest first. peak: how many it had at most
    updated: the member whose heartbeat causes the assignment, as the heartbeat changes it. It need not be
        among the members yet. None: the initial delay is over
    targets: the targets so far
    subtopologies: see `assign`. None: the topology is not ready, and no member gets a task
    Raises TaskAssignorError. Kafka: TargetAssignmentBuilder.
    """
    group_ids = [*members]
    members = {**members}  # others may leave meanwhile
    if updated is not None:
        members[updated.member_id] = updated
    keeps_current = release.has(Change.TASK_ASSIGNOR)
    order: Sequence[str] = ()
    if members:
        any_id = next(iter(members)) if updated is None else updated.member_id
        order = yield from member_order(group_ids, peak, any_id)
    specs: dict[str, TaskMember] = {}
    for number, member_id in enumerate(order):
        if number % STEP == 0:
            yield 0
        member = members[member_id]
        if keeps_current:
            specs[member_id] = TaskMember(member.process_id, member.assigned, member.task_offsets)
        else:
            specs[member_id] = TaskMember(member.process_id, targets.get(member_id) or TaskSets())
    if subtopologies is None:
        return dict.fromkeys(specs, TaskSets())
    return (yield from assign(specs, subtopologies, configs, release))


def changed(new: Mapping[str, TaskSets], before: Mapping[str, TaskSets]) -> Steps[dict[str, TaskSets]]:
    """Return the targets that must be written. A member without a target gets one, even if it is empty."""
    differing: dict[str, TaskSets] = {}
    for member_id, target in new.items():
        yield 0
        old = before.get(member_id)
        if old is None or not (
            _are_equal(target.active, old.active)
            and _are_equal(target.standby, old.standby)
            and _are_equal(target.warmup, old.warmup)
        ):
            differing[member_id] = target
    return differing


def _are_equal(one: Tasks, other: Tasks) -> bool:
    return one.keys() == other.keys() and all({*one[each]} == {*other[each]} for each in one)


def assign(
    members: Mapping[str, TaskMember],
    subtopologies: Mapping[str, Subtopology],
    configs: Mapping[str, str],
    release: Release,
) -> Steps[dict[str, TaskSets]]:
    """Assign the tasks to the members. Returns a target for each, in the order of `members`.

    members: by id, in the order of Kafka's map (`member_order`)
    subtopologies: by id, sorted as Java sorts texts
    configs: of the group's assignments, `num.standby.replicas` among them. Empty: no standby tasks
    release: 4.4 fills other maps than 4.3, which decides ties, and finds more members for standby tasks

    Partitions of a target are ascending. Its subtopologies are in the order of Kafka's map.
    A generator: it yields where the work may pause.
    Raises TaskAssignorError if there is no member, or the number of standby tasks is not one.
    """
    replicas = java_integer(configs.get(STANDBY_REPLICAS, ""), 32) if configs else 0
    if replicas is None:
        raise TaskAssignorError(
            f"{STANDBY_REPLICAS} must be an integer, got {configs.get(STANDBY_REPLICAS)!r}"
        )
    is_4_4 = release.has(Change.TASK_ASSIGNOR)
    tasks = _TaskNumbers(is_4_4=is_4_4)
    for number, (subtopology_id, found) in enumerate(subtopologies.items()):
        if number % STEP == 0:
            yield 0
        if not members and found.tasks:
            raise TaskAssignorError(f"No process available to assign active task {subtopology_id}_0.")
        tasks.add(subtopology_id, found)
    state = _Assignment(tasks, len(members), replicas, is_4_4=is_4_4)
    yield from state.begin(members)
    yield from state.assign_active()
    if replicas > 0:
        yield from state.assign_standby()
    targets: dict[str, TaskSets] = {}
    for member_id in members:
        yield 0
        targets[member_id] = TaskSets(
            (yield from tasks.by_subtopology(state.active.get(member_id, ()))),
            (yield from tasks.by_subtopology(state.standby.get(member_id, ()))),
        )
    return targets


class _TaskNumbers:
    """The tasks of a topology as numbers, in the order of subtopologies and partitions. Kafka: TaskId.

    first     the number of the first task of each subtopology
    ids       the subtopology of each task
    active    (first task, number of tasks) of each subtopology; stateful: of those with standby tasks
    """

    __slots__ = ("_is_4_4", "active", "first", "ids", "stateful")

    def __init__(self, *, is_4_4: bool) -> None:
        self._is_4_4 = is_4_4
        self.first: dict[str, int] = {}
        self.ids: list[str] = []
        self.active: list[tuple[int, int]] = []
        self.stateful: list[tuple[int, int]] = []

    def add(self, subtopology_id: str, subtopology: Subtopology) -> None:
        first = self.first[subtopology_id] = len(self.ids)
        self.ids += [subtopology_id] * subtopology.tasks
        self.active.append((first, subtopology.tasks))
        if subtopology.is_stateful:
            self.stateful.append((first, subtopology.tasks))

    def existing(self, tasks: Tasks) -> Iterator[int | None]:
        """List the tasks that exist, None in place of each of the others."""
        for subtopology_id, partitions in tasks.items():
            for partition in partitions:
                yield self.number(subtopology_id, partition)

    def number(self, subtopology_id: str, partition: int) -> int | None:
        """Return the number of a task. None: it does not exist."""
        task = self.first.get(subtopology_id, len(self.ids)) + partition
        exists = partition >= 0 and task < len(self.ids) and self.ids[task] == subtopology_id
        return task if exists else None

    def by_subtopology(self, tasks: Sequence[int]) -> Steps[dict[str, list[int]]]:
        """Return the partitions of each subtopology.

        tasks: in the order in which Kafka puts them into a set
        """
        partitions: dict[str, list[int]] = {}
        for number, task in enumerate(tasks):
            if number % STEP == STEP - 1:
                yield 0
            subtopology_id = self.ids[task]
            partitions.setdefault(subtopology_id, []).append(task - self.first[subtopology_id])
        order = (yield from self._map_order(partitions, tasks)) if len(partitions) > 1 else iter(partitions)
        found: dict[str, list[int]] = {}
        for number, subtopology_id in enumerate(order):
            if number % STEP == STEP - 1:
                yield 0
            found[subtopology_id] = sorted(partitions[subtopology_id])
        return found

    def _map_order(self, subtopology_ids: Collection[str], tasks: Sequence[int]) -> Steps[Iterator[str]]:
        """Return the order of the subtopologies in the map that Kafka makes of a set of tasks, and copies.

        The copy has the right size at once. 4.4 copies it again, into a map that grows.
        """
        size = len(subtopology_ids)
        tables = hash_map_table(0, int(size / 0.75 + 1)), hash_map_table(size)
        if self._is_4_4:
            tables = tables[::-1]
        hashes: dict[str, int] = {}
        places: dict[str, tuple[int, ...]] = {}
        for subtopology_id in subtopology_ids:
            yield 0  # the id may be long
            value = hashes[subtopology_id] = java_hash(subtopology_id)
            places[subtopology_id] = bucket(value, tables[0]), bucket(value, tables[1])
        if len({*places.values()}) < size:
            # Subtopologies of one bucket are in the order of their first tasks in the set. In 4.4, the last
            # one is the first.
            table = hash_map_table(len(tasks))
            first: dict[str, tuple[int, int]] = {}
            for number, task in enumerate(tasks):
                if number % STEP == STEP - 1:
                    yield 0
                subtopology_id = self.ids[task]
                partition = task - self.first[subtopology_id]
                place = bucket(31 * hashes[subtopology_id] + partition, table), number  # TaskId.hashCode
                if subtopology_id not in first or place < first[subtopology_id]:
                    first[subtopology_id] = place
            for number, subtopology_id in enumerate(places):
                if number % STEP == STEP - 1:
                    yield 0
                at, nth = first[subtopology_id]
                places[subtopology_id] += (-at, -nth) if self._is_4_4 else (at, nth)
        return (yield from in_order([*places], places.__getitem__))


class _Process:
    """A process, whose members share copies of state.

    counts: how many tasks each member has, in the order of Kafka's map
    """

    __slots__ = ("_by_load", "_total", "counts", "load", "tasks")

    def __init__(self, member_ids: Iterator[str]) -> None:
        self.counts = dict.fromkeys(member_ids, 0)
        self.tasks: set[int] = set()
        self.load = 0.0  # tasks per member
        self._total = 0
        self._by_load: PriorityQueue[str] | None = None

    def add(self, member_id: str, task: int) -> int:
        """Assign a task to this member. Return how many it has then."""
        self._by_load = None
        return self._add(member_id, task)

    def add_to_least_loaded(self, task: int) -> tuple[str, int]:
        """Assign a task to the member with the fewest. Return the member, and how many it has then."""
        if self._by_load is None:
            self._by_load = PriorityQueue()
            for member_id, count in self.counts.items():
                self._by_load.add(count, member_id)
        member_id = self._by_load.poll()
        count = self._add(member_id, task)
        self._by_load.add(count, member_id)
        return member_id, count

    def _add(self, member_id: str, task: int) -> int:
        self.tasks.add(task)
        self._total += 1
        self.load = self._total / len(self.counts)
        count = self.counts[member_id] = self.counts[member_id] + 1
        return count


class _Quota:
    """The number of tasks that a member may have. Members that have as many are not counted any more.

    A member that gets more later is counted again, as in Kafka.
    """

    __slots__ = ("_members", "_tasks", "each")

    def __init__(self, tasks: int, members: int) -> None:
        self._tasks = tasks
        self._members = members
        self.each = -(-tasks // members) if members else 0

    def note(self, count: int) -> None:
        """A member has so many tasks now."""
        if count == self.each:
            self._tasks -= count
            self._members -= 1
            self.each = -(-self._tasks // self._members) if self._members else 0


# A copy of a task's state: False for a standby task, minus its offset, and its member. Kafka prefers standby
# tasks, then those with the most records. There may be many: the garbage collector ignores plain tuples.
_Copy = tuple[bool, int, str]
_rank: Final = itemgetter(0, 1)


class _Assignment:
    """One run of the assignor.

    active, standby  the new tasks of each member, in the order in which it gets them
    """

    def __init__(self, tasks: _TaskNumbers, members: int, replicas: int, *, is_4_4: bool) -> None:
        count, stateful = len(tasks.ids), sum(count for _, count in tasks.stateful)
        self.active: dict[str, list[int]] = {}
        self.standby: dict[str, list[int]] = {}
        self._tasks = tasks
        self._replicas = replicas
        self._is_4_4 = is_4_4
        self._active_quota = _Quota(count, members)
        self._quota = _Quota(count + stateful * replicas, members)
        self._processes: dict[str, _Process] = {}  # by id, in the order of Kafka's map
        self._process_of: dict[str, _Process] = {}  # by member id
        self._was_active: list[str | None] = [None] * count  # the member of each task
        self._had_copy: dict[int, list[str]] = {}  # the members, the preferred one first

    def begin(self, members: Mapping[str, TaskMember]) -> Steps[None]:
        """Read the members, their tasks so far and their offsets."""
        member_ids: dict[str, list[str]] = {}
        copies: dict[int, list[_Copy]] = {}
        table = hash_map_table(0, len(members))
        for number, (member_id, member) in enumerate(members.items()):
            if number % STEP == 0:
                yield 0
            table = grown_late(table, len(member_ids))
            member_ids.setdefault(member.process_id, []).append(member_id)
            for at, task in enumerate(self._tasks.existing(member.tasks.active), 1):
                if task is not None:
                    self._was_active[task] = member_id
                if at % STEP == 0:
                    yield 0
            for at, (task, copy) in enumerate(self._copies(member_id, member), 1):
                if task is not None:
                    copies.setdefault(task, []).append(copy)
                if at % STEP == 0:
                    yield 0
        work = 0
        while copies:  # to free many of them at once would need long
            task, found = copies.popitem()
            found.sort(key=_rank)
            self._had_copy[task] = [member_id for _, _, member_id in found]
            work += len(found)
            if work >= STEP:
                yield 0
                work = 0
        if self._is_4_4:
            order = yield from newest_first_order(member_ids, table)
        else:
            order = yield from put_order_in_steps(member_ids, len(members))
        for process_id in order:
            yield 0
            in_map = yield from put_order_in_steps(member_ids[process_id])
            process = self._processes[process_id] = _Process(in_map)
            for member_id in process.counts:
                self._process_of[member_id] = process

    def _copies(self, member_id: str, member: TaskMember) -> Iterator[tuple[int | None, _Copy]]:
        """List the copies of states that a member has, and their tasks, None for one that does not exist.

        A standby task with an offset is listed twice. The second one never counts.
        """
        nothing: Mapping[int, int] = {}
        for subtopology_id, partitions in member.tasks.standby.items():
            reported = member.offsets.get(subtopology_id, nothing)
            for partition in partitions:
                copy = False, -reported.get(partition, 0), member_id
                yield self._tasks.number(subtopology_id, partition), copy
        for subtopology_id, reported in member.offsets.items():
            for partition, offset in reported.items():
                yield self._tasks.number(subtopology_id, partition), (True, -offset, member_id)

    def assign_active(self) -> Steps[None]:
        """Assign each task once."""
        free: list[int] = []
        for number, task in enumerate(_by_partition(self._tasks.active)):
            if number % STEP == 0:
                yield 0
            had = self._was_active[task]
            if had is None or not self._keeps_active(had, task):
                free.append(task)
        is_left = bytearray(len(self._was_active))
        work = 0
        for task in free:
            members: Sequence[str] = self._had_copy.get(task, ())
            if not members or not self._keeps_active(self._least_loaded(members), task):
                is_left[task] = True
            work += 1 + len(members)
            if work >= STEP:
                yield 0
                work = 0
        queue = yield from self._by_load()
        for task, left in enumerate(is_left):
            if task % STEP == 0:
                yield 0
            if left:
                process = queue.poll()
                member_id, count = process.add_to_least_loaded(task)
                self._note_active(member_id, task, count)
                queue.add(process.load, process)

    def assign_standby(self) -> Steps[None]:
        """Assign standby tasks to other processes than the active one, at most one to each."""
        ascending: list[int] = []
        for number, task in enumerate(_by_partition(self._tasks.stateful)):
            if number % STEP == 0:
                yield 0
            ascending.append(task)
        missing: dict[int, int] = {}  # how many standby tasks
        work = 0
        for task in reversed(ascending):
            kept = 0
            while kept < self._replicas and self._keeps_standby(task):
                kept += 1
            if kept < self._replicas:
                missing[task] = self._replicas - kept
            work += 1 + (kept + 1) * len(self._had_copy.get(task, ()))
            if work >= STEP:
                yield 0
                work = 0
        queue = yield from self._by_load()
        for task in range(len(self._was_active) - 1, -1, -1):
            work += 1
            for _ in range(missing.get(task, 0)):
                if not self._add_standby(queue, task):
                    break
                work += self._replicas + 1  # it tried at most as many processes
                if work >= STEP:
                    yield 0
                    work = 0
            if work >= STEP:
                yield 0
                work = 0

    def _keeps_active(self, member_id: str, task: int) -> bool:
        """Assign the task to this member unless it has enough. Return whether it got it."""
        process = self._process_of[member_id]
        if process.counts[member_id] >= self._active_quota.each:
            return False
        self._note_active(member_id, task, process.add(member_id, task))
        return True

    def _note_active(self, member_id: str, task: int, count: int) -> None:
        self.active.setdefault(member_id, []).append(task)
        self._active_quota.note(count)
        self._quota.note(count)

    def _keeps_standby(self, task: int) -> bool:
        """Assign a standby task to a member that had it or that was active. Return whether one got it."""
        member_id = self._was_active[task]
        if member_id is None or not self._can_get(member_id, task):
            had: Sequence[str] = self._had_copy.get(task, ())
            free = [each for each in had if task not in self._process_of[each].tasks]
            if not free or (not self._is_4_4 and free[0] != had[0]):
                return False  # Kafka 4.3 gives up if the first member cannot get it
            member_id = self._least_loaded(free)
            process = self._process_of[member_id]
            if process.counts[member_id] >= self._quota.each:
                return False
        self._note_standby(member_id, task, self._process_of[member_id].add(member_id, task))
        return True

    def _can_get(self, member_id: str, task: int) -> bool:
        process = self._process_of[member_id]
        return task not in process.tasks and process.counts[member_id] < self._quota.each

    def _note_standby(self, member_id: str, task: int, count: int) -> None:
        self.standby.setdefault(member_id, []).append(task)
        self._quota.note(count)

    def _least_loaded(self, member_ids: Sequence[str]) -> str:
        """Return the first member, or one of which both the process and the member have fewer tasks."""
        found, *others = member_ids
        process = self._process_of[found]
        load, count = process.load, process.counts[found]
        for member_id in others:
            process = self._process_of[member_id]
            if process.load < load and process.counts[member_id] < count:
                found, load, count = member_id, process.load, process.counts[member_id]
        return found

    def _by_load(self) -> Steps[PriorityQueue[_Process]]:
        queue: PriorityQueue[_Process] = PriorityQueue()
        for number, process in enumerate(self._processes.values()):
            if number % STEP == 0:
                yield 0
            queue.add(process.load, process)
        return queue

    def _add_standby(self, queue: PriorityQueue[_Process], task: int) -> bool:
        """Assign a standby task to the process with the lowest load among those that do not have the task.

        Returns whether there is one.
        """
        polled: list[_Process] = []
        found = False
        while queue and not found:
            process = queue.poll()
            polled.append(process)
            if task not in process.tasks:
                member_id, count = process.add_to_least_loaded(task)
                self._note_standby(member_id, task, count)
                found = True
        for process in reversed(polled):
            queue.add(process.load, process)
        return found


def _by_partition(subtopologies: Iterable[tuple[int, int]]) -> Iterator[int]:
    """List tasks by partition, then subtopology.

    subtopologies: the first task and the number of tasks of each
    """
    left = [*subtopologies]
    partition = 0
    while left:
        more: list[tuple[int, int]] = []
        for first, count in left:
            if partition < count:
                yield first + partition
                more.append((first, count))
        left = more
        partition += 1
