"""How a member of a streams group moves from its tasks to its target assignment (KIP-1071).

A member first gives up the tasks that are not in its target. It gets the new ones once no other process owns
them. Kafka: CurrentAssignmentBuilder, and the maps of StreamsGroup from tasks to processes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from typing import Final

from tidemark.core.java import HashOrder, table_for_copy
from tidemark.groups.streams.member import (
    STABLE,
    UNRELEASED_TASKS,
    UNREVOKED_TASKS,
    EpochTasks,
    MemberTasks,
    StreamsMember,
    Tasks,
    TaskSets,
)
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.java import SMALLEST_TABLE, bucket, hash_map_table, java_hash

NOBODY: Final[frozenset[str]] = frozenset()
NO_TASKS: Final = TaskSets()

Task = tuple[str, int]  # subtopology id, partition


class TaskOwners:
    """The processes that own the tasks of a group: their members have them or must give them up.

    One process may own an active task. A second one that gets it replaces the first.
    """

    __slots__ = ("_active", "_standby", "_warmup")

    def __init__(self) -> None:
        self._active: dict[Task, str] = {}
        self._standby: dict[Task, set[str]] = {}
        self._warmup: dict[Task, set[str]] = {}

    def is_active_taken(self, task: Task, process_id: str, own: TaskSets) -> bool:
        """Return whether this process must wait for an active task.

        Any process has it as active, or another member of this one a copy. own: tasks of the member itself
        """
        return (
            task in self._active
            or self._has_other(self._standby, task, process_id, own.standby)
            or self._has_other(self._warmup, task, process_id, own.warmup)
        )

    def is_standby_taken(self, task: Task, process_id: str, own: TaskSets) -> bool:
        """Return whether this process must wait for a standby task: another of its members has the task."""
        return (
            (self._active.get(task) == process_id and not _has(own.active, task))
            or process_id in self._standby.get(task, NOBODY)
            or self._has_other(self._warmup, task, process_id, own.warmup)
        )

    def is_warmup_taken(self, task: Task, process_id: str, own: TaskSets) -> bool:
        """Return whether this process must wait for a warmup task: it has the task, except as own standby."""
        return (
            self._active.get(task) == process_id
            or self._has_other(self._standby, task, process_id, own.standby)
            or process_id in self._warmup.get(task, NOBODY)
        )

    @staticmethod
    def _has_other(owners: Mapping[Task, set[str]], task: Task, process_id: str, own: Tasks) -> bool:
        return process_id in owners.get(task, NOBODY) and not _has(own, task)

    def add(self, member: StreamsMember) -> None:
        """Add the tasks of a member. If it had others, call `remove` with the member as it was before."""
        for tasks in (member.assigned, member.revoking):
            for task in _tasks(tasks.active):
                self._active[task] = member.process_id
            for owners, kept in ((self._standby, tasks.standby), (self._warmup, tasks.warmup)):
                for task in _tasks(kept):
                    owners.setdefault(task, set()).add(member.process_id)

    def remove(self, member: StreamsMember) -> None:
        """Remove the tasks of a member. An active task that another process has got stays.

        A process that has two members with the same standby task loses it with the first, as in Kafka.
        """
        for tasks in (member.assigned, member.revoking):
            for task in _tasks(tasks.active):
                if self._active.get(task) == member.process_id:
                    del self._active[task]
            for owners, kept in ((self._standby, tasks.standby), (self._warmup, tasks.warmup)):
                for task in _tasks(kept):
                    processes = owners.get(task)
                    if processes is not None:
                        processes.discard(member.process_id)
                        if not processes:
                            del owners[task]


def reconciled(
    member: StreamsMember,
    target_epoch: int,
    target: TaskSets,
    owned: TaskSets | None,
    owners: TaskOwners,
    *,
    changes_roles: bool,
) -> StreamsMember:
    """Return the member with the tasks that it may have now. It equals `member` if nothing changes.

    target: its target, which belongs to target_epoch
    owned: the tasks that it reports. None: its heartbeat does not name them
    changes_roles: a task may change its role at the member. If not, which is what 4.3 does, the member must
        give it up before it gets it again
    Subtopologies of its tasks are in the order of Kafka's maps, which responses show.
    Raises KafkaError FENCED_MEMBER_EPOCH if its state is unknown and it still owns tasks.
    """
    if member.state == STABLE:
        if member.epoch == target_epoch:
            return member
        epoch = member.epoch
    elif member.state == UNREVOKED_TASKS:
        if owned is None or _has_any(owned, member.revoking):
            return member
        epoch = member.epoch + 1
    elif member.state == UNRELEASED_TASKS:
        epoch = member.epoch
    elif owned is not None and not (owned.active or owned.standby or owned.warmup):
        epoch = target_epoch
    else:
        raise KafkaError(
            ErrorCode.FENCED_MEMBER_EPOCH,
            "The streams group member is in a unknown state. "
            "The member must abandon all its tasks and rejoin.",
        )
    return _moved(member, epoch, target_epoch, target, owned, owners, changes_roles=changes_roles)


def _moved(
    member: StreamsMember,
    epoch: int,
    target_epoch: int,
    target: TaskSets,
    owned: TaskSets | None,
    owners: TaskOwners,
    *,
    changes_roles: bool,
) -> StreamsMember:
    """Let the member give up tasks if it must, else give it the free tasks of its target.

    epoch: its epoch while it gives up tasks
    """
    hashes, process_id, current = _Hashes(), member.process_id, member.assigned
    own = _in_sets(current) if changes_roles else NO_TASKS

    def difference(
        has: Mapping[str, Collection[int]], wants: Tasks, is_taken: Callable[[Task, str, TaskSets], bool]
    ) -> _Difference:
        return _Difference(has, wants, lambda task: is_taken(task, process_id, own), hashes)

    active = difference(current.active, target.active, owners.is_active_taken)
    standby = difference(current.standby, target.standby, owners.is_standby_taken)
    warmup = difference(current.warmup, target.warmup, owners.is_warmup_taken)
    if changes_roles:
        _change_roles(own, target, owned, active, standby, warmup)
    kept = MemberTasks(_with_epochs(active.kept, current.active), standby.kept, warmup.kept)
    lost = MemberTasks(_with_epochs(active.lost, current.active), standby.lost, warmup.lost)
    if _must_revoke(lost, owned):
        return replace(
            member,
            state=UNREVOKED_TASKS,
            epoch=epoch,
            previous_epoch=member.epoch,
            assigned=kept,
            revoking=lost,
        )
    if active.gained or standby.gained or warmup.gained:
        epochs = {
            each: {**kept.active.get(each, {}), **dict.fromkeys(active.gained.get(each, ()), target_epoch)}
            for each in (*active.kept, *active.gained)
        }
        kept = MemberTasks(_with_epochs(active.all(), epochs), standby.all(), warmup.all())
    return replace(
        member,
        state=UNRELEASED_TASKS if active.waits or standby.waits or warmup.waits else STABLE,
        epoch=target_epoch,
        previous_epoch=member.epoch,
        assigned=kept,
        revoking=MemberTasks(),
    )


def _change_roles(
    own: TaskSets,
    target: TaskSets,
    owned: TaskSets | None,
    active: _Difference,
    standby: _Difference,
    warmup: _Difference,
) -> None:
    """Give the member a role at once if it has the task in another one, as far as that is possible.

    A copy becomes active in one step, and remains a copy until then. An active task becomes a standby task
    while it is revoked. Kafka: demoteActiveTasksToStandby, convertReplicaRole, applyPromotionsToActive
    """
    for subtopology_id, tasks in own.active.items():
        standby.keep(subtopology_id, standby.take(subtopology_id, {*tasks}))
    for before, after, copies in ((standby, warmup, own.standby), (warmup, standby, own.warmup)):
        for subtopology_id, tasks in copies.items():
            converted = after.take(subtopology_id, {*tasks})
            after.keep(subtopology_id, converted)
            before.lose_not(subtopology_id, converted)
    promoted = [
        (role, subtopology_id, {*tasks}.intersection(target.active.get(subtopology_id, ())))
        for role, copies in ((standby, own.standby), (warmup, own.warmup))
        for subtopology_id, tasks in copies.items()
    ]
    for role, subtopology_id, found in promoted:
        role.lose_not(subtopology_id, found)
    revokes = _must_revoke(TaskSets(active.lost, standby.lost, warmup.lost), owned)
    for role, subtopology_id, found in promoted:
        granted = () if revokes else active.gained.get(subtopology_id, ())
        role.keep(subtopology_id, found.difference(granted))
    for role in (standby, warmup):
        role.restore_order()


class _Hashes(dict[str, int]):
    """The hashes of subtopology ids. Each is computed once, because clients may choose long ids."""

    def __missing__(self, subtopology_id: str) -> int:
        value = self[subtopology_id] = java_hash(subtopology_id)
        return value

    def in_order(self, subtopology_ids: Collection[str], capacity: int = SMALLEST_TABLE) -> list[str]:
        """Return the order of a HashMap, made with this capacity, into which they were put."""
        if len(subtopology_ids) < 2:
            return [*subtopology_ids]
        table = hash_map_table(len(subtopology_ids), capacity)
        return sorted(subtopology_ids, key=lambda each: bucket(self[each], table))


class _Difference:
    """The tasks of one role that a member keeps, loses and gains. Partitions are ascending.

    kept, lost, gained  by subtopology id, in the order of Kafka's maps. No subtopology is without a task
    waits               tasks of the target are taken
    """

    __slots__ = ("_hashes", "_order", "gained", "kept", "lost", "waits")

    def __init__(
        self,
        current: Mapping[str, Collection[int]],
        target: Tasks,
        is_taken: Callable[[Task], bool],
        hashes: _Hashes,
    ) -> None:
        kept: dict[str, list[int]] = {}
        lost: dict[str, list[int]] = {}
        gained: dict[str, list[int]] = {}
        self._hashes = hashes
        self._order: HashOrder[str] | None = None
        self.waits = False
        both = dict.fromkeys((*target, *current))
        for subtopology_id in hashes.in_order(both, table_for_copy(len(target))):
            has, wants = {*current.get(subtopology_id, ())}, {*target.get(subtopology_id, ())}
            new = wants - has
            free = [partition for partition in new if not is_taken((subtopology_id, partition))]
            self.waits |= len(free) < len(new)
            for tasks, partitions in ((kept, has & wants), (lost, has - wants), (gained, free)):
                if partitions:
                    tasks[subtopology_id] = sorted(partitions)
        self.kept, self.lost, self.gained = (
            {each: tasks[each] for each in hashes.in_order(tasks)} for tasks in (kept, lost, gained)
        )

    def take(self, subtopology_id: str, tasks: set[int]) -> set[int]:
        """Remove these tasks from those that the member gains. Return them."""
        return _removed(self.gained, subtopology_id, tasks)

    def keep(self, subtopology_id: str, tasks: Collection[int]) -> None:
        """Add tasks to those that the member keeps. Kafka: computeIfAbsent."""
        if tasks:
            if self._order is None:
                self._order = HashOrder(self._hashes.__getitem__, keys=self.kept)
            self._order.put_first(subtopology_id)
            self.kept[subtopology_id] = sorted({*self.kept.get(subtopology_id, ()), *tasks})

    def restore_order(self) -> None:
        """Order the tasks that the member keeps, after calls of `keep`."""
        if self._order is not None:
            self.kept = {each: self.kept[each] for each in self._order.in_order()}

    def lose_not(self, subtopology_id: str, tasks: set[int]) -> None:
        """Remove tasks from those that the member loses."""
        _removed(self.lost, subtopology_id, tasks)

    def all(self) -> dict[str, list[int]]:
        """Return the tasks that it keeps or gains. Kafka: TasksTupleWithEpochs.merge."""
        order = HashOrder(self._hashes.__getitem__, keys=self.kept)
        for subtopology_id in self.gained:
            order.put_first(subtopology_id)
        return {
            each: sorted((*self.kept.get(each, ()), *self.gained.get(each, ()))) for each in order.in_order()
        }


def _in_sets(tasks: MemberTasks) -> TaskSets:
    """Return the same tasks, as sets."""
    active, standby, warmup = (
        {each: {*role[each]} for each in role} for role in (tasks.active, tasks.standby, tasks.warmup)
    )
    return TaskSets(active, standby, warmup)


def _has(tasks: Tasks, task: Task) -> bool:
    return task[1] in tasks.get(task[0], ())


def _removed(of: dict[str, list[int]], subtopology_id: str, tasks: set[int]) -> set[int]:
    """Remove the tasks that are in the map. Return them."""
    found = tasks.intersection(of.get(subtopology_id, ()))
    if found:
        left = [partition for partition in of[subtopology_id] if partition not in found]
        if left:
            of[subtopology_id] = left
        else:
            del of[subtopology_id]
    return found


def _with_epochs(tasks: Mapping[str, Collection[int]], epochs: EpochTasks) -> EpochTasks:
    return {each: {task: epochs[each][task] for task in partitions} for each, partitions in tasks.items()}


def _must_revoke(lost: TaskSets | MemberTasks, owned: TaskSets | None) -> bool:
    """Return whether the member still has tasks that it must give up."""
    return bool(lost.active or lost.standby or lost.warmup) and (owned is None or _has_any(owned, lost))


def _has_any(owned: TaskSets, tasks: TaskSets | MemberTasks) -> bool:
    """Return whether a member owns one of these tasks in the same role."""
    pairs = ((owned.active, tasks.active), (owned.standby, tasks.standby), (owned.warmup, tasks.warmup))
    return any(
        not {*partitions}.isdisjoint(other.get(subtopology_id, ()))
        for mine, other in pairs
        for subtopology_id, partitions in mine.items()
    )


def _tasks(tasks: Mapping[str, Collection[int]]) -> Iterator[Task]:
    for subtopology_id, partitions in tasks.items():
        for partition in partitions:
            yield subtopology_id, partition
