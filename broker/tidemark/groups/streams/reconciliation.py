"""How a member of a streams group moves from its tasks to its target assignment (KIP-1071).

A member first gives up the tasks that are not in its target. It gets the new ones once no other process owns
them. Kafka: CurrentAssignmentBuilder, and the maps of StreamsGroup from tasks to processes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Final, TypeVar

from tidemark.core.java import HashOrder, table_for_copy
from tidemark.groups.streams.member import (
    STABLE,
    UNRELEASED_TASKS,
    UNREVOKED_TASKS,
    MemberTasks,
    StreamsMember,
    TaskSets,
)
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.java import java_hash

NOBODY: Final[frozenset[str]] = frozenset()

Task = tuple[str, int]  # subtopology id, partition
P = TypeVar("P", Collection[int], Mapping[int, int])


class TaskOwners:
    """Which processes own the tasks of a group: those whose members have them or must give them up.

    One process may own an active task. A second one that gets it replaces the first.
    """

    __slots__ = ("_active", "_standby", "_warmup")

    def __init__(self) -> None:
        self._active: dict[Task, str] = {}
        self._standby: dict[Task, set[str]] = {}
        self._warmup: dict[Task, set[str]] = {}

    def active(self, subtopology_id: str, partition: int) -> str | None:
        """Return the id of the process that owns an active task."""
        return self._active.get((subtopology_id, partition))

    def standby(self, subtopology_id: str, partition: int) -> AbstractSet[str]:
        """Return the ids of the processes that own a standby task."""
        return self._standby.get((subtopology_id, partition), NOBODY)

    def warmup(self, subtopology_id: str, partition: int) -> AbstractSet[str]:
        """Return the ids of the processes that own a warmup task."""
        return self._warmup.get((subtopology_id, partition), NOBODY)

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
) -> StreamsMember:
    """Return the member with the tasks that it may have now. It equals `member` if nothing changes.

    target: its target, which belongs to target_epoch
    owned: the tasks that it reports. None: its heartbeat does not name them
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
    return _moved(member, epoch, target_epoch, target, owned, owners)


def _moved(
    member: StreamsMember,
    epoch: int,
    target_epoch: int,
    target: TaskSets,
    owned: TaskSets | None,
    owners: TaskOwners,
) -> StreamsMember:
    """Let the member give up tasks if it must, else give it the free tasks of its target.

    epoch: its epoch while it gives up tasks
    """
    process_id = member.process_id

    def is_held_here(task: Task) -> bool:
        return process_id in owners.standby(*task) or process_id in owners.warmup(*task)

    def is_active_taken(task: Task) -> bool:
        return owners.active(*task) is not None or is_held_here(task)

    def is_copy_taken(task: Task) -> bool:
        return owners.active(*task) == process_id or is_held_here(task)

    active = _Difference(member.assigned.active, target.active, is_active_taken)
    standby = _Difference(member.assigned.standby, target.standby, is_copy_taken)
    warmup = _Difference(member.assigned.warmup, target.warmup, is_copy_taken)
    revoked = MemberTasks(
        {
            each: {task: member.assigned.active[each][task] for task in lost}
            for each, lost in active.lost.items()
        },
        standby.lost,
        warmup.lost,
    )
    kept_active = {
        each: {task: member.assigned.active[each][task] for task in kept}
        for each, kept in active.kept.items()
    }
    if (revoked.active or revoked.standby or revoked.warmup) and (owned is None or _has_any(owned, revoked)):
        return replace(
            member,
            state=UNREVOKED_TASKS,
            epoch=epoch,
            previous_epoch=member.epoch,
            assigned=MemberTasks(kept_active, standby.kept, warmup.kept),
            revoking=revoked,
        )
    is_waiting = active.is_waiting or standby.is_waiting or warmup.is_waiting
    gains = bool(active.gained or standby.gained or warmup.gained)
    gained_active = {each: dict.fromkeys(gained, target_epoch) for each, gained in active.gained.items()}
    return replace(
        member,
        state=UNRELEASED_TASKS if is_waiting else STABLE,
        epoch=target_epoch,
        previous_epoch=member.epoch,
        assigned=MemberTasks(
            {
                each: dict(sorted({**kept_active.get(each, {}), **gained_active.get(each, {})}.items()))
                for each in _merged_order(kept_active, gained_active, gains=gains)
            },
            _merged(standby, gains=gains),
            _merged(warmup, gains=gains),
        ),
        revoking=MemberTasks(),
    )


class _Difference:
    """The tasks of one role that a member keeps, loses and gains. Partitions are ascending.

    kept, lost, gained  by subtopology id, in the order of Kafka's maps. No subtopology is without a task
    is_waiting          tasks of the target are taken
    """

    __slots__ = ("gained", "is_waiting", "kept", "lost")

    def __init__(
        self,
        current: Mapping[str, Collection[int]],
        target: Mapping[str, Collection[int]],
        is_taken: Callable[[Task], bool],
    ) -> None:
        kept: dict[str, list[int]] = {}
        lost: dict[str, list[int]] = {}
        gained: dict[str, list[int]] = {}
        self.is_waiting = False
        both = HashOrder(java_hash, table_for_copy(len(target)), target)
        for subtopology_id in current:
            both.put(subtopology_id)
        for subtopology_id in both.in_order():
            has, wants = {*current.get(subtopology_id, ())}, {*target.get(subtopology_id, ())}
            new = wants - has
            free = [partition for partition in new if not is_taken((subtopology_id, partition))]
            self.is_waiting |= len(free) < len(new)
            for found, partitions in ((kept, has & wants), (lost, has - wants), (gained, free)):
                if partitions:
                    found[subtopology_id] = sorted(partitions)
        self.kept = _in_map_order(kept)
        self.lost = _in_map_order(lost)
        self.gained = _in_map_order(gained)


def _in_map_order(tasks: dict[str, list[int]]) -> dict[str, list[int]]:
    if len(tasks) < 2:
        return tasks
    return {each: tasks[each] for each in HashOrder(java_hash, keys=tasks).in_order()}


def _merged_order(kept: Mapping[str, object], gained: Mapping[str, object], *, gains: bool) -> list[str]:
    """Return the order of the subtopologies in the map of all tasks of a role.

    gains: the member gains tasks of any role. Kafka copies the maps then. TasksTupleWithEpochs.merge
    """
    if not gains:
        return [*kept]
    order = HashOrder(java_hash, keys=kept)
    for each in gained:
        order.put_first(each)
    return order.in_order()


def _merged(tasks: _Difference, *, gains: bool) -> dict[str, list[int]]:
    return {
        each: sorted((*tasks.kept.get(each, ()), *tasks.gained.get(each, ())))
        for each in _merged_order(tasks.kept, tasks.gained, gains=gains)
    }


def _has_any(owned: TaskSets, tasks: MemberTasks) -> bool:
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
