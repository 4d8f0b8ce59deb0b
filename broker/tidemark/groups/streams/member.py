"""The members of a streams group (KIP-1071), and sets of tasks.

A task is one partition of a subtopology. A member runs it as *active* (it processes records), *standby* (it
keeps a copy of the state) or *warmup* (it builds up a copy before it becomes active).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Final

from tidemark.groups.consumer.member import NEVER

# States of a member, as records store them. Not those of consumer groups. Kafka: MemberState.
STABLE: Final = 1  # it has all of its target
UNREVOKED_TASKS: Final = 2  # it must give up tasks, and has not acknowledged that
UNRELEASED_TASKS: Final = 3  # it waits for tasks that other processes still own
UNKNOWN_STATE: Final = 127

Tasks = Mapping[str, Collection[int]]  # subtopology id -> partitions
EpochTasks = Mapping[str, Mapping[int, int]]  # subtopology id -> partition -> epoch of its assignment
TaskOffsets = Mapping[str, Mapping[int, int]]  # subtopology id -> partition -> offset of its state


@dataclass(slots=True, frozen=True)
class TaskSets:
    """Tasks by role. Kafka: TasksTuple."""

    active: Tasks = field(default_factory=dict)
    standby: Tasks = field(default_factory=dict)
    warmup: Tasks = field(default_factory=dict)


@dataclass(slots=True, frozen=True)
class MemberTasks:
    """The tasks of a member by role. Kafka: TasksTupleWithEpochs."""

    active: EpochTasks = field(default_factory=dict)
    standby: Tasks = field(default_factory=dict)
    warmup: Tasks = field(default_factory=dict)


@dataclass(slots=True)
class StreamsMember:
    """One member. Two members are equal if their records are. Kafka: StreamsGroupMember.

    process_id            the process that runs it. Members of one process share a state directory
    rebalance_timeout_ms  how long it may take to revoke tasks
    endpoint              host and port of its interactive queries
    client_tags           in the order of Kafka's map
    assigned              tasks that it may run
    revoking              tasks that it must give up, and has not given up yet
    task_offsets          how far its copies of states are, as it reported last, which is soft state
    task_end_offsets      the same, of the ends of its changelogs
    task_offsets_bytes, task_end_offsets_bytes  their memory
    session_ms            the end of its session (steady ms), which is soft state
    rebalance_ms          by when it must have revoked tasks (steady ms), which is soft state
    """

    member_id: str
    epoch: int = 0
    previous_epoch: int = 0
    state: int = STABLE
    instance_id: str | None = None
    rack_id: str | None = None
    client_id: str = ""
    client_host: str = ""
    rebalance_timeout_ms: int = -1
    topology_epoch: int = -1
    process_id: str = ""
    endpoint: tuple[str, int] | None = None
    client_tags: Mapping[str, str] = field(default_factory=dict)
    assigned: MemberTasks = field(default_factory=MemberTasks)
    revoking: MemberTasks = field(default_factory=MemberTasks)

    task_offsets: TaskOffsets = field(default_factory=dict, compare=False)
    task_end_offsets: TaskOffsets = field(default_factory=dict, compare=False)
    task_offsets_bytes: int = field(default=0, compare=False)
    task_end_offsets_bytes: int = field(default=0, compare=False)
    session_ms: int = field(default=NEVER, compare=False)
    rebalance_ms: int = field(default=NEVER, compare=False)

    def is_reconciled(self, assignment_epoch: int) -> bool:
        """Return whether it has all tasks of the target with this epoch."""
        return self.state == STABLE and self.epoch == assignment_epoch
