"""Rules of the broker that are broken on purpose: the simulation must find each of them.

`python -m tests.faults.simulation --mutants` prints the seed that finds each. A patch names what it replaces,
so that a rule that has moved fails at once.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, Final

import tidemark.engine.effects
import tidemark.handlers.data.produce
import tidemark.handlers.groups.delete_groups
import tidemark.handlers.groups.heartbeat
import tidemark.handlers.groups.leave_group
import tidemark.handlers.groups.offset_commit
import tidemark.handlers.groups.sync_group
import tidemark.log.load
import tidemark.log.manager
from tests.faults.simulation import consumer_mutants, share_mutants, streams_mutants, transaction_mutants
from tests.faults.simulation.patching import Mutant, at_once, patch
from tests.unit.broker.story import finished
from tidemark.core.decision import Decision
from tidemark.engine.coordinator import Runtime
from tidemark.engine.effects import TopicDeletions
from tidemark.engine.group_commit import GroupCommit, InternalLog, Producer, SyncPolicy
from tidemark.groups import state
from tidemark.groups.classic.group import ClassicGroup
from tidemark.groups.state import Groups
from tidemark.log.errors import BadBatch
from tidemark.log.load import Load
from tidemark.log.manager import LogManager
from tidemark.log.partition import PartitionLog
from tidemark.log.scan import walk_headers
from tidemark.metadata.model import Partition
from tidemark.server.session import Session
from tidemark.transactions.state import Transactions
from tidemark_protocol.records.group_metadata import GroupMetadataKey
from tidemark_protocol.records.offset_commit import OffsetCommitKey

# durability


def _unsynced(init: Any) -> Any:
    def without_sync(
        self: GroupCommit, clock: Any, policy: SyncPolicy, *arguments: Any, **named: Any
    ) -> None:
        init(self, clock, SyncPolicy("never"), *arguments, **named)

    return without_sync


def _only_the_first_log(start_sync: Any) -> Any:
    def start(self: GroupCommit, logs: list[PartitionLog], position: int) -> None:
        start_sync(self, logs[:1], position)

    return start


def _too_much(start_sync: Any) -> Any:
    def start(self: GroupCommit, logs: list[PartitionLog], position: int) -> None:
        self._advance(position)
        start_sync(self, logs, position)

    return start


def _failure_ignored(synced: Any) -> Any:
    def go_on(self: GroupCommit, done: Any, logs: list[PartitionLog], position: int) -> None:
        if done.exception() is not None:
            done = Future()
            done.set_result([log.log_end_offset for log in logs])
        synced(self, done, logs, position)

    return go_on


def _no_names(names_changed: Any) -> Any:
    def sync_files(self: PartitionLog, segments: Any) -> None:
        self.unsynced_names = ()
        names_changed(self, segments)

    return sync_files


def _before_durable(carry_out: Any) -> Any:
    return TopicDeletions._finish


def _deletes_too_early() -> None:
    """Delete a log before the deletion of its topic is durable. The next start does not undo it."""
    patch(TopicDeletions, "carry_out", _before_durable)()
    patch(LogManager, "_find_renamed", lambda find: lambda self, living: {})()


# recovery


def _forgets(table: dict[type[Any], Any], kind: type[Any]) -> Callable[[], None]:
    """A tombstone has no effect when a log is read."""

    def apply() -> None:
        known = table[kind]

        def replayed(groups: Groups, key: Any, value: Any) -> None:
            if value is not None or not groups.is_loading(groups.partition_for(key.group)):
                known(groups, key, value)

        table[kind] = replayed

    return apply


def _loses_the_last(scan: Any) -> Any:
    def scan_less(self: Load, segment: Any) -> None:
        scan(self, segment)
        batches = list(walk_headers(segment.files.log, 0, segment.size))
        if len(batches) > 1 and batches[-1][1].base_offset >= self._start.recovery_point:
            position, header = batches[-1]
            self.log_end_offset = header.base_offset
            raise BadBatch(position, "the last one")

    return scan_less


def _unchecked(read_batches: Any) -> Any:
    def read(*arguments: Any, **named: Any) -> Any:
        return read_batches(*arguments, **{**named, "check": False})

    return read


def _split(write: Any) -> Any:
    """Each record is a batch of its own, although one request has several."""

    def add_all(
        self: GroupCommit, by_log: dict[InternalLog, list[Any]], now_ms: int, producer: Producer | None = None
    ) -> None:
        for log, encoded in by_log.items():
            for one in encoded:
                write(self, {log: [one]}, now_ms, producer)
                log.complete()

    return add_all


def _no_producers(load: Any) -> Any:
    return lambda producers, header, marker: None


# groups


def _no_generation(module: Any, name: str) -> Callable[[], None]:
    """One handler does not check the generation."""

    def make(decide: Any) -> Any:
        def unchecked(groups: Any, ctx: Any, request: Any) -> Any:
            known = ClassicGroup.validate_generation
            ClassicGroup.validate_generation = lambda self, generation: None  # type: ignore[method-assign]
            try:
                return decide(groups, ctx, request)
            finally:
                ClassicGroup.validate_generation = known  # type: ignore[method-assign]

        return unchecked

    return patch(module, name, make)


def _shared(assign: Any) -> Any:
    def everything_to_all(group: Any, ctx: Any, leader: Any, request: Any) -> Any:
        everything = b"".join(each.assignment for each in request.assignments)
        for each in request.assignments:
            each.assignment = everything
        return assign(group, ctx, leader, request)

    return everything_to_all


def _swapped(assign: Any) -> Any:
    def mixed_up(group: Any, ctx: Any, leader: Any, request: Any) -> Any:
        given = [each.assignment for each in request.assignments]
        for each, assignment in zip(request.assignments, given[1:] + given[:1], strict=True):
            each.assignment = assignment
        return assign(group, ctx, leader, request)

    return mixed_up


def _one_forgotten(complete: Any) -> Any:
    def complete_join(group: Any, now: Any) -> Any:
        result = complete(group, now)
        if result.effects:  # the next generation begins
            result.released = result.released[:2]
        return result

    return complete_join


def _stays(leave: Any) -> Any:
    """The response is right, but nothing changes."""

    def answered(groups: Any, ctx: Any, request: Any) -> Any:
        return Decision(finished(leave(groups, ctx, request), lambda part: None).response)

    return answered


# requests in steps


def _not_parked(receive: Any) -> Any:
    def go_on(self: Session, data: bytes, submit: Any) -> bool:
        has_frames: bool = receive(self, data, submit)
        if self.parked is not None and self.parked.decoding is not None:
            self.parked = None
        return has_frames

    return go_on


# responses


def _twice(to_send: Any) -> Any:
    def send(self: Session) -> Any:
        joins = [each for each in self._pending if each.served.route.name == "JoinGroup" and each.frame]
        frames = to_send(self)
        return frames + [each.frame for each in joins if each not in self._pending]

    return send


def _overtaking(to_send: Any) -> Any:
    def send(self: Session) -> Any:
        responses = sorted(self._pending, key=lambda each: each.frame is None)
        self._pending.clear()
        self._pending.extend(responses)
        return to_send(self)

    return send


# several brokers


def _everywhere(coordinates: Any) -> Any:
    return lambda self, partition, node_id: True


def _any_leader(check: Any) -> Any:
    return lambda ctx, partition, *arguments, **named: None


def _same_epoch(change: Any) -> Any:
    def change_in_epoch(self: Partition, record: Any) -> None:
        epoch = self.leader_epoch
        change(self, record)
        self.leader_epoch = epoch

    return change_in_epoch


def _not_loaded(moved: Any) -> Any:
    def keeps_all(self: ClassicGroup, now: Any) -> Decision[None]:
        """The new coordinator knows of a rebalance that no record contains, but it drops the sessions."""
        return Decision(after=(self.members.clear,))

    return keeps_all


MUTANTS: Final[dict[str, Mutant]] = {
    "answer before the sync": Mutant(
        patch(Runtime, "_respond", at_once), "a power cut takes a commit that was acknowledged"
    ),
    "told when written": Mutant(patch(GroupCommit, "_start_sync", _too_much), "the same, before the sync"),
    "no sync": Mutant(patch(GroupCommit, "__init__", _unsynced), "the same, until the system writes"),
    "one log of several synced": Mutant(
        patch(GroupCommit, "_start_sync", _only_the_first_log), "commits in other partitions are lost"
    ),
    "a failed sync ignored": Mutant(
        patch(GroupCommit, "_synced", _failure_ignored),
        "what the disk refused was acknowledged",
        ("committer",),
    ),
    "file names not synced": Mutant(
        patch(PartitionLog, "_sync_files", _no_names), "a power cut takes the whole file of a new log"
    ),
    "logs deleted too early": Mutant(
        _deletes_too_early,
        "a topic that is there after a power cut has lost its records",
        ("admin", "producer", "reader"),
    ),
    "offset tombstone forgotten": Mutant(
        _forgets(state.RECORDS, OffsetCommitKey), "a deleted offset is back after a restart"
    ),
    "group tombstone forgotten": Mutant(
        _forgets(state.RECORDS, GroupMetadataKey), "a deleted group is back after a restart"
    ),
    "last good batch dropped": Mutant(
        patch(Load, "_scan", _loses_the_last), "every kill takes the last commits"
    ),
    "CRC not checked": Mutant(
        patch(tidemark.log.load, "read_batches", _unchecked),
        "zeros that a power cut left count as records",
    ),
    "a request in several batches": Mutant(
        patch(GroupCommit, "add_all", _split), "a crash leaves one half of a commit"
    ),
    "producers forgotten": Mutant(
        patch(tidemark.log.load, "note_producer", _no_producers),
        "a record is twice there after a restart",
    ),
    "commit under a stale generation": Mutant(
        _no_generation(tidemark.handlers.groups.offset_commit, "offset_commit"),
        "a slow member overwrites its heir",
    ),
    "heartbeat under a stale generation": Mutant(
        _no_generation(tidemark.handlers.groups.heartbeat, "heartbeat"),
        "a member never learns of a rebalance",
    ),
    "assignment not fenced by generation": Mutant(
        _no_generation(tidemark.handlers.groups.sync_group, "sync_group"),
        "members get what an old leader decided",
    ),
    "assignment shared": Mutant(patch(ClassicGroup, "_assign", _shared), "two members own one partition"),
    "assignment mixed up": Mutant(patch(ClassicGroup, "_assign", _swapped), "members get what is not theirs"),
    "assignments not recorded": Mutant(
        patch(ClassicGroup, "project", lambda made: lambda group, _=None: made(group)),
        "a load would give the members nothing",
    ),
    "a join forgotten": Mutant(
        patch(ClassicGroup, "_complete_join", _one_forgotten),
        "a member waits for ever",
    ),
    "a member that left stays": Mutant(
        patch(tidemark.handlers.groups.leave_group, "leave_group", _stays),
        "its partitions are read by nobody",
    ),
    "offsets of a deleted topic kept": Mutant(
        patch(tidemark.engine.effects, "forget_topics", lambda known: lambda *arguments: iter(())),
        "a new topic of the name begins in its middle",
    ),
    "a group deleted in words": Mutant(
        patch(tidemark.handlers.groups.delete_groups, "delete_groups", _stays), "its offsets are still there"
    ),
    "a join answered twice": Mutant(
        patch(Session, "data_to_send", _twice), "the client takes it for the answer to its next request"
    ),
    "requests overtake one in steps": Mutant(
        patch(Session, "receive", _not_parked),
        "a client does not read the commit that it sent before",
        ("committer",),
    ),
    "answers overtake": Mutant(patch(Session, "data_to_send", _overtaking), "each gets another's answer"),
    "every broker coordinates groups": Mutant(
        patch(Groups, "coordinates", _everywhere), "two brokers decide about one group", several=True
    ),
    "every broker coordinates transactions": Mutant(
        patch(Transactions, "coordinates", _everywhere),
        "two brokers decide about one transaction",
        ("copier",),
        several=True,
    ),
    "every broker accepts records": Mutant(
        patch(tidemark.handlers.data.produce, "check_leader", _any_leader),
        "a log has two leaders",
        ("producer",),
        several=True,
    ),
    "leaders share an epoch": Mutant(
        patch(Partition, "change", _same_epoch), "an old leader cannot be told from the new one", several=True
    ),
    "members lost on a move": Mutant(
        patch(ClassicGroup, "coordinator_moved", _not_loaded), "a load would give them back", several=True
    ),
    **consumer_mutants.MUTANTS,
    **transaction_mutants.MUTANTS,
    **share_mutants.MUTANTS,
    **streams_mutants.MUTANTS,
}
