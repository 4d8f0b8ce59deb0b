"""The laws of streams groups (KIP-1071): the tasks of their members, and what is stored about a group.

two owners    No member is given an active task while another certainly has it: it was told so, has not given
              it up, and neither its session nor its rebalance timeout can have ended.
static place  The tasks of a static member that left for a while (epoch -2) are given to no other member until
              its session ends, or until its instance joins again. If the group's assignment is the same
              then, the member gets them back.
tasks         Members agree with the broker: no described or listed active task has two members, and no epoch
              of a member is above that of its group.
rest          Once members stay, each task of the topology is active at one of them. If a source topic is
              missing, they learn that.
refusal       No request is refused with UNKNOWN_SERVER_ERROR.
derived       What a group keeps besides its records agrees with them: the owners of its tasks, and the number
              of members that do not have their target.

The law "rebuilt state" (Laws.hard_state) checks that a load rebuilds the same group, for every type.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tidemark.core.decision import Record
from tidemark.groups.streams.group import StreamsGroup
from tidemark.groups.streams.records import (
    current_record,
    epoch_record,
    member_record,
    target_epoch_record,
    target_record,
)
from tidemark_protocol.records.streams_group_topology import StreamsGroupTopologyKey

if TYPE_CHECKING:
    from tests.faults.simulation.laws import Laws
    from tests.faults.simulation.node import Process
    from tests.faults.simulation.streams import TaskOwner

STREAMERS: Final = "streamers"  # the group
Task = tuple[str, int]  # subtopology id and partition


class Place(NamedTuple):
    """The state of a static member that left for a while. Its session ends at until_ms (steady) or later."""

    epoch: int
    tasks: set[Task]
    until_ms: int


class StreamsLaws:
    def __init__(self, laws: Laws, settings: dict[str, str]) -> None:
        self.laws = laws
        self.is_static = settings.get("tidemark.as") != "4.3"  # 4.3 refuses instance ids and task offsets
        self.sources: set[str] = set()  # of the topology
        self.session_ms = int(settings.get("group.streams.session.timeout.ms", "45000"))

    @property
    def owners(self) -> list[TaskOwner]:
        found: Any = self.laws.owners.get(STREAMERS, [])
        return found

    # what members are told

    def owns(self, owner: TaskOwner, tasks: set[Task]) -> None:
        """Check that no other member has tasks that a member has just got."""
        for other in self.owners:
            both = other.owned & tasks
            if other is not owner and both and other.is_sure():
                law = "static place" if other.is_away else "two owners"
                self._break(law, f"{other.name} has {sorted(both)}, {owner.name} gets them")

    def is_contested(self, owner: TaskOwner, since_ms: int) -> bool:
        """Return whether another member may have taken the instance since then."""
        return any(
            other is not owner and other.instance == owner.instance and other.may_have_asked(since_ms)
            for other in self.owners
        )

    def joins(self, instance: str) -> None:
        """Record that a member joins with an instance: who had it may lose its place."""
        for other in self.owners:
            if other.is_away and other.instance == instance:
                other.drop()

    def returned(self, member: str, before: Place, epoch: int, given: set[Task]) -> None:
        """Check what a static member gets when it returns: its tasks, unless there is a new assignment."""
        missing = before.tasks - given
        if self.laws.world.clock.steady_ms() >= before.until_ms or self.laws.may_be_deleted(STREAMERS):
            return
        if epoch == before.epoch and missing:
            self._break("static place", f"{member} returned in epoch {epoch} without {sorted(missing)}")

    def described(self, group: Any) -> None:
        """Check that a described group gives no active task twice, and has no epoch above its own."""
        if group.assignment_epoch > group.group_epoch:
            self._break("tasks", f"assignment epoch {group.assignment_epoch} > {group.group_epoch}")
        for of in ("assignment", "target_assignment"):
            given: dict[Task, str] = {}
            for member in group.members:
                if member.member_epoch > group.assignment_epoch:
                    self._break("tasks", f"{member.member_id} is at {member.member_epoch}: {group}")
                for task in tasks_of(getattr(member, of).active_tasks):
                    other = given.setdefault(task, member.member_id)
                    if other != member.member_id:
                        self._break("tasks", f"{of} of {task} to {other} and {member.member_id}: {group}")

    def listed(self, endpoints: Any) -> None:
        """Check that no partition is behind the endpoints of two members."""
        seen: set[Task] = set()
        for each in endpoints or ():
            active = {
                (topic.topic, partition) for topic in each.active_partitions for partition in topic.partitions
            }
            # 4.3 also lists partitions that do not exist.
            if self.is_static and seen & active:
                self._break("tasks", f"{sorted(seen & active)} are behind two endpoints: {endpoints}")
            seen |= active

    def is_read(self, topic: str) -> bool:
        """Return whether the group certainly has members that read the topic."""
        return topic in self.sources and any(each.owned and each.is_sure() for each in self.owners)

    # what is stored

    def check_derived(self, process: Process) -> None:
        """Check what groups derive from their records."""
        for group in process.state.groups.groups.values():
            if type(group) is not StreamsGroup:
                continue
            epoch, members = group.assignment_epoch, group.members.values()
            owners = {
                (subtopology, partition): member.process_id
                for member in members
                for tasks in (member.assigned.active, member.revoking.active)
                for subtopology, partitions in tasks.items()
                for partition in partitions
            }
            if group.owners._active != owners:
                self._break("derived", f"owners {group.owners._active}, by their members {owners}")
            unreconciled = sum(not each.is_reconciled(epoch) for each in members)
            if group.unreconciled != unreconciled:
                self._break("derived", f"{group.unreconciled} members are on the way, not {unreconciled}")
            instances = {each.instance_id: each.member_id for each in members if each.instance_id is not None}
            if group.static_members != instances:
                self._break("derived", f"static members {group.static_members}, by their records {instances}")

    def _break(self, law: str, text: str) -> None:
        self.laws.break_law(f"streams {law}", text)


def tasks_of(listed: Any) -> set[Task]:
    return {(each.subtopology_id, partition) for each in listed or () for partition in each.partitions}


def streams_group_records(group: Any) -> Iterator[Record]:
    """Yield the records of a streams group."""
    group_id = group.group_id
    yield epoch_record(
        group_id, group.group_epoch, group.metadata_hash, group.validated_topology_epoch, group.configs
    )
    yield target_epoch_record(group_id, group.assignment_epoch, group.assigned_at_ms)
    if group.topology is not None:
        yield Record(StreamsGroupTopologyKey(group_id), group.topology)
    for member in group.members.values():
        yield member_record(group_id, member)
        yield current_record(group_id, member)
    for member_id, target in group.targets.items():
        yield target_record(group_id, member_id, target)
