"""The laws that the broker must obey, and what is needed to check them.

Clients' responses are judged from outside. A committed offset is a register with many writers and readers.
No read may return a value that was overwritten before the read began, or one that was refused.

The disk is judged byte by byte. A crash leaves a prefix of what was decided, cut between two requests, and
the broker serves what these bytes contain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from tests.faults.simulation.brokers import Terms
from tests.faults.simulation.node import NO_PRODUCER, Stored
from tests.faults.simulation.share_laws import ShareLaws, by_log, share_group_records
from tests.faults.simulation.streams_laws import STREAMERS, StreamsLaws, streams_group_records
from tests.faults.simulation.transaction_laws import TransactionLaws
from tests.unit.broker.groups.classic_story import check_stored
from tidemark.core.decision import Record
from tidemark.groups.classic.group import ClassicGroup
from tidemark.groups.consumer.records import (
    current_record,
    epoch_record,
    member_record,
    regex_record,
    target_epoch_record,
    target_record,
)
from tidemark.groups.share.group import SHARE
from tidemark.groups.streams.group import STREAMS
from tidemark.metadata.model import OFFSETS_TOPIC, SHARE_STATE_TOPIC, TRANSACTIONS_TOPIC
from tidemark_protocol.batch import BatchError, ControlType, check_crc, control_type, headers, records
from tidemark_protocol.records.group_metadata import GroupMetadataKey
from tidemark_protocol.records.offset_commit import OffsetCommitKey, OffsetCommitValue
from tidemark_protocol.stored import VERSIONS_OF, CoordinatorCodec, decode_coordinator
from tidemark_protocol.subscriptions import CONSUMER
from tidemark_protocol.wire import ZERO_UUID

if TYPE_CHECKING:
    from tests.faults.simulation.clients import Asked
    from tests.faults.simulation.consumers import Owner
    from tests.faults.simulation.network import Connection
    from tests.faults.simulation.node import Process, Where
    from tests.faults.simulation.world import World
    from tidemark.groups.state import Groups
    from tidemark.log.storage import Storage

NEVER: Final = 1 << 60
NO_PASS: Final = "600000"  # the interval of cleanup passes in seeds without one
MIXED: Final = "mixed"  # a group of both protocols, whose members have generations of their own
DELETED_GROUPS: Final = (
    "doomed",
    "guests",
)  # sometimes deleted: then generations begin again
Partition = tuple[str | bytes, int]  # a topic that may be deleted is named by its id
ANY: Final = "any"  # the id of a topic whose creation got no response


@dataclass(slots=True, eq=False)
class Write:
    """One request that tries to change a register. Times are moments of the World.

    latest   it has taken effect by then, if ever
    applied  it has certainly taken effect by then; NEVER: unknown
    wall_ms  wall time when it was sent
    """

    value: Any
    began: int
    connection: Connection | None
    latest: int = NEVER
    applied: int = NEVER
    refused: bool = False
    wall_ms: int = 0

    def answered(self, code: int, moment: int) -> None:
        if code:
            self.refused = True
        else:
            self.succeed(moment)

    def succeed(self, moment: int) -> None:
        self.applied = min(self.applied, moment)
        self.latest = min(self.latest, moment)

    def may_be(self, value: Any) -> bool:
        """Return if it may have written this value."""
        return not self.refused and (self.value == value or (self.value == ANY and value is not None))

    @property
    def bound(self) -> int:
        left = NEVER if self.connection is None else self.connection.server_left
        return self.latest if left is None else min(self.latest, left)


class Register:
    """The writes to one register, in the order in which they began."""

    __slots__ = ("writes",)

    def __init__(self, initial: Any = None) -> None:
        self.writes = [Write(initial, 0, None, 0, 0)]

    def begin(self, value: Any, moment: int, connection: Connection | None) -> Write:
        write = Write(value, moment, connection)
        self.writes.append(write)
        return write


def judge(
    writes: Iterable[Write], value: Any, began: int, ended: int, connection: Connection | None
) -> str | None:
    """Return why a read between `began` and `ended` may not return this value; None if it may.

    Requests of one connection take effect in order, even if the second is sent before the first has its
    response.
    """
    writes = [write for write in writes if write.began < ended]
    before = [
        write
        for write in writes
        if write.applied < began
        or (write.applied <= ended and write.connection is connection is not None and write.began < began)
    ]
    newest = max((write.began for write in before), default=-1)
    newest_of: dict[Connection, int] = {}
    for write in before:
        if write.connection is not None:
            newest_of[write.connection] = max(newest_of.get(write.connection, -1), write.began)
    found = [
        write
        for write in writes
        if write.may_be(value)
        and write.bound >= newest
        and (write.connection is None or write.began >= newest_of.get(write.connection, -1))
    ]
    if not found:
        return f"{value} was overwritten, refused or never written"
    if len(found) == 1:
        found[0].succeed(ended)
        if found[0].value == ANY:
            found[0].value = value
    return None


@dataclass(slots=True)
class Produced:
    """The known state of one partition of a user log. synced: acknowledged records survive a power cut."""

    synced: bool
    acked: dict[int, str] = field(default_factory=dict)
    refused: set[str] = field(default_factory=set)
    sent: set[str] = field(default_factory=set)
    once: set[str] = field(default_factory=set)  # sent by an idempotent producer


@dataclass(slots=True)
class Generation:
    """leader: the member that assigns. brought: member to its assignments. owners: partition to member."""

    leader: str
    brought: dict[str, bytes] = field(default_factory=dict)
    owners: dict[int, str] = field(default_factory=dict)


@dataclass(slots=True)
class Newest:
    """The newest generation of a group that a client received, with its process and moment."""

    process: Process
    moment: int
    generation: int


class Laws:
    """Collects what clients and disks have shown, and checks it."""

    def __init__(self, world: World, settings: dict[str, str]) -> None:
        self.world = world
        self.offsets: dict[tuple[str, str, int], Register] = {}
        self.group_deletions: dict[str, list[Write]] = {}
        self.topics: dict[str, Register] = {}
        self.produced: dict[Partition, Produced] = {}
        self.topic_id: bytes | None = None  # of the last topic with the name COMES_AND_GOES
        self.generations: dict[tuple[str, int, str], Generation] = {}
        self.newest: dict[str, Newest] = {}
        self.gone: dict[
            tuple[Process, str], int
        ] = {}  # when a LeaveGroup was acknowledged, by member, and by which process
        self.power_cuts = 0
        self._coordinators: tuple[Process, list[int]] | None = None  # and their leader epochs
        self._moved_at = 0  # the moment when coordinators last changed
        self.terms = Terms()
        self.transactions = TransactionLaws(self)
        self.shares = ShareLaws(self, settings)
        self.streams = StreamsLaws(self, settings)
        self._codec = CoordinatorCodec(VERSIONS_OF[settings.get("tidemark.as", "")])
        self._kept: dict[Where, list[list[Stored]]] = {}  # by request, before this process
        self._topics_live: dict[str, Any] | None = None
        self._all_written = False
        self._lossy = False  # the power was cut since the last start
        self._passes = settings.get("offsets.retention.check.interval.ms") != NO_PASS
        self._retention_ms = int(settings.get("offsets.retention.minutes", "10080")) * 60_000
        self.serving: Process | None = None  # the last process that served
        self.owners: dict[str, list[Owner]] = {}  # by group: the members' views of their partitions
        self.downgraded: dict[str, int] = {}  # by group: when it last became a classic one (steady ms)
        self.consumer_session_ms = int(settings.get("group.consumer.session.timeout.ms", "45000"))
        self._epochs: dict[
            str, tuple[int, int]
        ] = {}  # by group: the highest epoch that a member got, and when

    def break_law(self, law: str, text: str) -> None:
        self.world.break_law(law, text)

    def groups_are_as_recorded(self, groups: Groups) -> None:
        """Check after each step that a load would rebuild what was decided about each classic group."""
        for group in groups.groups.values():
            if isinstance(group, ClassicGroup):
                try:
                    check_stored(group)
                except AssertionError as differs:
                    self.break_law("a group differs from its record", str(differs))

    # committed offsets

    def offset(self, group: str, topic: str, partition: int) -> Register:
        register = self.offsets.get((group, topic, partition))
        if register is None:
            register = self.offsets[group, topic, partition] = Register()
        return register

    def topic(self, name: str) -> Register:
        register = self.topics.get(name)
        if register is None:
            register = self.topics[name] = Register()
        return register

    def offset_read(
        self, where: tuple[str, str, int], value: Any, began: int, connection: Connection | None
    ) -> None:
        group, topic, _ = where
        # Deleting the group or the topic deletes this offset.
        deletions = [*self.group_deletions.get(group, ()), *self._topic_deletions(topic)]
        writes = [*self.offset(*where).writes, *deletions]
        why = judge(writes, value, began, self.world.moment(), connection)
        if why is not None:
            self.break_law("lost commit", f"offset of {where}: {why}; {_told(writes)}")

    def removed(self, cause: str, rule: str | None, where: tuple[str, str, int], offset: int) -> None:
        """Record an offset that a cleanup pass has removed. A crash may undo that. It must have been due."""
        if cause != "expired":
            return
        self.world.count("expired")
        register = self.offset(*where)
        aged = [write.wall_ms for write in register.writes if write.value == offset]
        if rule in ("standalone", "topic_not_subscribed") and aged:
            age_ms = self.world.clock.wall_ms() - aged[0]
            if age_ms < self._retention_ms:
                self.break_law("early expiry", f"offset {offset} of {where} was removed after {age_ms} ms")
        if rule == "topic_not_subscribed" and self._is_read(where):
            self.break_law("early expiry", f"offset {offset} of {where} was removed, and a member reads it")
        expiry = register.begin(None, self.world.moment(), None)
        expiry.latest = expiry.began

    def _is_read(self, where: tuple[str, str, int]) -> bool:
        """Return whether a member of the group certainly owns the partition."""
        group, topic, partition = where
        if group == STREAMERS:
            return self.streams.is_read(topic)
        place = (self.topic_ids().get(topic, b""), partition)
        return any(place in owner.owned and owner.is_sure() for owner in self.owners.get(group, ()))

    def _topic_deletions(self, topic: str) -> Iterator[Write]:
        return (write for write in self.topic(topic).writes if write.value is None and write.began)

    def topic_read(self, name: str, topic_id: bytes | None, began: int, connection: Connection) -> None:
        register = self.topic(name)
        why = judge(register.writes, topic_id, began, self.world.moment(), connection)
        if why is not None:
            self.break_law("lost topic", f"topic {name}: {why}; {_told(register.writes)}")

    # groups

    def joined(self, asked: Asked, group: str, generation: int, leader: str) -> Generation:
        known = self.newest.get(group)
        process = asked.connection.process
        if group in DELETED_GROUPS or group == MIXED or self._passes or self._may_be_undone(asked):
            pass
        elif known is None or known.process.number < process.number or known.generation < generation:
            self.newest[group] = Newest(process, asked.answered, generation)
        return self.generations.setdefault((group, generation, leader), Generation(leader))

    def left(self, asked: Asked, member: str) -> None:
        """Record that a member has left, by an acknowledged request."""
        if not self._may_be_undone(asked):
            self.gone[asked.connection.process, member] = asked.answered

    def _may_be_undone(self, asked: Asked) -> bool:
        """Return whether another coordinator may not know what a request has changed and recorded nowhere."""
        return asked.began < self._moved_at

    def was_current(self, asked: Asked, group: str, generation: int, member: str) -> None:
        """Record that a request of this member and generation succeeded. Neither may have ended before it.

        A crash or another coordinator may undo a generation without assignments, and the leave of a member.
        """
        known = self.newest.get(group)
        process = asked.connection.process
        who = f"{asked.api} of {member} in {group} under {generation}"
        was_known = known is not None and known.process is process and known.moment < asked.began
        if known is not None and was_known and generation < known.generation:
            self.break_law("stale generation", f"{who}, {known.generation} was known")
        if self.gone.get((process, member), NEVER) < asked.began:
            self.break_law("left member", f"{who}, which it had left")

    def assigned(self, generation: tuple[str, int, str], member: str, owner: str, assignment: bytes) -> None:
        """Record a member's assignment: the leader must have made it, and no partition may be shared.

        owner: the member's instance id, which stays when the member is replaced, or its own id.
        """
        known = self.generations[generation]
        brought = known.brought.get(member)
        if brought is not None and brought != assignment:
            self.break_law(
                "assignment", f"{member} got {assignment!r} in {generation}, was given {brought!r}"
            )
        for partition in assignment:
            other = known.owners.setdefault(partition, owner)
            if other != owner:
                self.break_law("two owners", f"{other} and {owner} own {partition} in {generation}")

    # groups of the consumer protocol

    def owns(self, owner: Owner, places: set[tuple[bytes, int]]) -> None:
        """Check that no other member owns partitions that a member has just got."""
        for other in self.owners[owner.group]:
            both = other.owned & places
            if other is not owner and both and other.is_sure():
                self.break_law("two owners", f"{other.name} and {owner.name} own {sorted(both)}")

    def described(self, group: Any) -> None:
        """Check that a described group assigns no partition twice, and none above its epochs."""
        if group.assignment_epoch > group.group_epoch:
            self.break_law("epochs", f"{group.group_id}: {group.assignment_epoch} > {group.group_epoch}")
        owners: dict[tuple[bytes, int], str] = {}
        for member in group.members:
            if member.member_epoch > group.assignment_epoch:
                self.break_law("epochs", f"{member.member_id} at {member.member_epoch}: {group}")
            for topic in member.assignment.topic_partitions:
                for partition in topic.partitions:
                    other = owners.setdefault((bytes(topic.topic_id), partition), member.member_id)
                    if other != member.member_id:
                        self.break_law("two owners", f"{other} and {member.member_id}: {group}")

    def epoch_read(self, asked: Asked, group: str, sent: int, epoch: int) -> None:
        """Check the epoch in a response: no epoch that was acknowledged goes back."""
        if epoch < sent:
            self.break_law("epoch", f"{asked.api} of {group} under {sent} got {epoch}")
        newest, moment = self._epochs.get(group, (0, 0))
        if sent == 0 and epoch < newest and moment < asked.began and not self.may_be_deleted(group):
            self.break_law("epoch", f"a member joined {group} at {epoch}, {newest} was known")
        if epoch > newest:
            self._epochs[group] = (epoch, asked.answered)

    def may_be_deleted(self, group: str) -> bool:
        """Return if the group may have been deleted, so that its epochs may have begun again.

        An Empty group is also replaced by one of the other protocol.
        """
        return self._passes or group in self.group_deletions or group == MIXED

    def was_member(self, asked: Asked, group: str, member: str) -> None:
        """Record that a request of this member succeeded: it must not have left."""
        if self.gone.get((asked.connection.process, member), NEVER) < asked.began:
            self.break_law("left member", f"{asked.api} of {member} in {group}, which it had left")

    def topic_ids(self) -> dict[str, bytes]:
        """Return the topics that exist now, by name."""
        process = self.serving
        return (
            {}
            if process is None
            else {name: topic.topic_id for name, topic in process.state.cluster.topics.items()}
        )

    # user logs

    def log(self, where: Partition) -> Produced:
        known = self.produced.get(where)
        if known is None:
            known = self.produced[where] = Produced(synced=True)
        return known

    def record_read(self, where: Partition, offset: int, value: str) -> None:
        known = self.log(where)
        acked = known.acked.get(offset)
        if acked is not None and acked != value:
            self.break_law("lost record", f"{where}@{offset} is {value}, was {acked}")
        if value in known.refused or (value not in known.sent and value not in self.transactions.elsewhere):
            self.break_law("strange record", f"{where}@{offset} is {value}, which was refused")

    # processes

    def follow_coordinators(self, process: Process) -> None:
        """Notice after each step that groups have other coordinators. These know what was recorded."""
        topic = process.state.cluster.topics.get(OFFSETS_TOPIC)
        found = process, [each.leader_epoch for each in topic.partitions] if topic is not None else []
        if found != self._coordinators:
            self._coordinators = found
            self._moved_at = self.world.moment()
            self.newest.clear()
            self.gone.clear()

    def check_terms(self, process: Process) -> None:
        """Check the leaders of all partitions, if all changes are durable."""
        commit = process.group_commit
        if process.alive and commit is not None and commit.durable == commit.appended and not commit.pending:
            self.terms.check(self, process)

    def may_be_unserved(self, process: Process, asked: Asked) -> bool:
        """Return whether a leader may have refused a request: it could not open a log."""
        node = process.node
        return (
            node.storage.has_failed
            or not node.storage.descriptors_left
            or asked.began < node.descriptors_back
        )

    def died(self, process: Process) -> None:
        """Record the end of a process, of every kind. The disk does not show yet what remains."""
        self._take_history(process)
        self.transactions.died()
        self._all_written = False
        if process is self.serving:
            self.serving = None
            self.hard_state(process)
            self.shares.died(process)
            group_commit = process.group_commit
            assert group_commit is not None, "it was serving"
            self._all_written = not group_commit.pending
            all_durable = group_commit.durable == group_commit.appended
            self._topics_live = topics_of(process.state.cluster) if all_durable else None

    def disk_left(self, storage: Storage, *, power_cut: bool) -> None:
        """Check that the logs of groups hold a prefix of what was decided, cut between two requests."""
        for where, decided in self._kept.items():
            found, end = stored_records(storage, where)
            kept: list[list[Stored]] = []
            at = 0
            for request in decided:
                if at + len(request) > end:
                    break
                at += len(request)
                kept.append(request)
            if at != end:
                self.break_law("torn log", f"{where}: {end} records, of which {at} as decided")
            self._check_records(where, found, kept)
            if self._all_written and not power_cut and len(kept) < len(decided):
                self.break_law("lost write", f"{where}: {len(decided) - len(kept)} requests were written")
            self._kept[where] = kept
        self._lossy = self._lossy or power_cut
        self.power_cuts += power_cut

    def started(self, process: Process) -> None:
        """Check a recovered broker: its state is that of the logs, and nothing acknowledged is missing."""
        self._take_history(process)
        storage = process.node.storage
        for where, requests in self._kept.items():
            found, end = stored_records(storage, where)
            said = [pair for request in requests for pair in request]
            if len(found) < end:
                self.world.count("compacted")
            if end != len(said):
                self.break_law("torn log", f"{where}: {end} records after the start, not {len(said)}")
            self._check_records(where, found, requests)
            if where[0] == SHARE_STATE_TOPIC:
                self.shares.check_log(where[1], found.values(), said)
                continue
            told, stored = Folded(enumerate(said)), Folded(found.items())
            if stored.values != told.values:
                difference = _difference(stored.values, told.values)
                self.break_law("lost record", f"{where} after the start: {difference}")
            if stored.pending != told.pending:
                self.break_law("lost record", f"{where} pending: {stored.pending}, not {told.pending}")
        self.hard_state(process)
        self.terms.check(self, process)
        self.serving = process
        self.shares.letters.check_stored(process, by_log(self._kept))
        self._user_logs(process)
        living = topics_of(process.state.cluster)
        if self._topics_live is not None and SHARE_STATE_TOPIC not in self._topics_live:
            living.pop(SHARE_STATE_TOPIC, None)  # the start repeats what was to be initialized
        if self._topics_live is not None and living != self._topics_live:
            self.break_law("rebuilt topics", f"{living} after the start, {self._topics_live} before")
        self.serving = process
        self._lossy = False

    def _check_records(self, where: Where, found: dict[int, Stored], decided: list[list[Stored]]) -> None:
        """Check that each stored record is the one decided for its offset. Compaction removes some."""
        said = [pair for request in decided for pair in request]
        for offset, pair in found.items():
            if offset >= len(said) or said[offset] != pair:
                self.break_law("torn log", f"{where}@{offset} is not as decided")

    def _take_history(self, process: Process) -> None:
        for where, request in process.history:
            if where[0] in (OFFSETS_TOPIC, TRANSACTIONS_TOPIC, SHARE_STATE_TOPIC):
                self._kept.setdefault(where, []).append(request)
        process.history.clear()

    def hard_state(self, process: Process) -> None:
        """Check that the state equals the sum of all records, computed without the broker's replay."""
        told: dict[bytes, bytes] = {}
        pending: set[tuple[int, bytes, bytes]] = set()
        ids: dict[bytes, bytes] = {}
        for where, requests in self._kept.items():
            if where[0] == SHARE_STATE_TOPIC:
                continue
            folded = Folded(enumerate(each for request in requests for each in request))
            if where[0] == TRANSACTIONS_TOPIC:
                ids |= folded.values
                continue
            told |= folded.values
            pending |= {
                (producer_id, key, value)
                for producer_id, held in folded.pending.items()
                for key, (_, value) in held.items()
            }
        live = hard_state(process.state.groups, self._codec, told)
        for key in live.keys() - told.keys():
            # A KIP-848 group begins at epochs for which nothing is written.
            value: Any = decode_coordinator(key, live[key])[1]
            if getattr(value, "epoch", None) == 1 or getattr(value, "assignment_epoch", None) in (-1, 1):
                del live[key]
        if live != told:
            self.break_law("rebuilt state", _difference(live, told))
        live_pending = set(_pending(process.state.groups, self._codec))
        if live_pending != pending:
            self.break_law("rebuilt state", f"pending {live_pending}, in the log {pending}")
        self.transactions.hard_state(process, ids)
        self.shares.check_stored(process, by_log(self._kept))
        self.streams.check_derived(process)

    def _user_logs(self, process: Process) -> None:
        """Check that each acknowledged record is at its offset, once."""
        cluster = process.state.cluster
        for where, known in self.produced.items():
            name = where[0]
            if isinstance(name, bytes):
                if name not in cluster.topics_by_id:
                    continue
                name = cluster.topics_by_id[name].name
            log = process.state.logs.get(name, where[1])
            assert log is not None
            values: dict[int, str] = {}
            for batch in log.batches(log.log_start_offset):
                if batch.header.is_control:
                    continue
                for record in records(batch.buf, batch.start, batch.header):
                    value = bytes(record.value or b"").decode()
                    values[record.offset] = value
            if self._lossy and not known.synced:
                # If a segment was rolled since, the end of the one before it may be what is missing. Another
                # record may have the offset: a start that failed at its end has served clients.
                known.acked = {at: value for at, value in known.acked.items() if values.get(at) == value}
            for at, value in values.items():
                self.record_read(where, at, value)
            missing = known.acked.keys() - values.keys()
            trimmed = self.shares.trimmed.get(where, 0)
            missing = {at for at in missing if at >= trimmed}
            if missing and not self.transactions.may_be_missing(where, log, missing):
                self.break_law("lost record", f"{where}: {sorted(missing)} of {len(values)}")
            once = known.once.intersection(values.values())
            if len(once) < sum(1 for value in values.values() if value in once):
                self.break_law("double record", f"{where} holds a record of one producer twice")


def _told(writes: Iterable[Write]) -> str:
    return ", ".join(
        f"{write.value}[{write.began}..{'?' if write.applied == NEVER else write.applied}"
        f"{' refused' if write.refused else ''}]"
        for write in list(writes)[-12:]
    )


def _difference(live: dict[bytes, bytes], told: dict[bytes, bytes]) -> str:
    lines = []
    for key in {**live, **told}:
        if live.get(key) != told.get(key):
            name, _ = decode_coordinator(key, None)
            lines.append(f"{name}: live {_value(key, live)}, in the log {_value(key, told)}")
    return "; ".join(lines[:4])


def _value(key: bytes, state: dict[bytes, bytes]) -> Any:
    return decode_coordinator(key, state[key])[1] if key in state else None


class Folded:
    """The sum of the records of a log: a value by key, and what open transactions have written."""

    def __init__(self, entries: Iterable[tuple[int, Stored]]) -> None:
        self._values: dict[bytes, tuple[int, bytes]] = {}
        self.pending: dict[int, dict[bytes, tuple[int, bytes]]] = {}
        for offset, entry in entries:
            self._add(offset, entry)

    @property
    def values(self) -> dict[bytes, bytes]:
        return {key: value for key, (_, value) in self._values.items()}

    def _add(self, offset: int, entry: Stored) -> None:
        key, value = entry.key, entry.value
        assert key is not None
        if entry.is_marker:
            is_commit = control_type(key) == ControlType.COMMIT
            for each, held in self.pending.pop(entry.producer_id, {}).items():
                if is_commit and held[0] > self._values.get(each, (-1, b""))[0]:
                    self._values[each] = held
        elif value is None:
            self._values.pop(key, None)
            for producer_id in [*self.pending]:
                self.pending[producer_id].pop(key, None)
                if not self.pending[producer_id]:
                    del self.pending[producer_id]
        elif entry.producer_id != NO_PRODUCER:
            self.pending.setdefault(entry.producer_id, {})[key] = (offset, value)
        else:
            self._values[key] = (offset, value)


def hard_state(groups: Any, codec: CoordinatorCodec, told: dict[bytes, bytes]) -> dict[bytes, bytes]:
    """Return the records of the live state. told: as in the log, where transactions name no topic ids."""
    state: dict[bytes, bytes] = {}
    for group_id, offsets in groups.offsets.items():
        for (topic, partition), value in offsets.items():
            key, data = codec.encode(OffsetCommitKey(group_id, topic, partition), value)
            assert key is not None
            assert data is not None
            if key in told and len(told[key]) < len(data):
                data = _without_topic_id(codec, key, value)
            state[key] = data
    for group in groups.groups.values():
        if group.type_name in RECORDS_OF:
            for record in RECORDS_OF[group.type_name](group):
                key, data = codec.encode(record.key, record.value)
                assert data is not None
                state[key] = data
        elif group.stored is not None:
            key, data = codec.encode(GroupMetadataKey(group.group_id), group.stored)
            assert data is not None
            state[key] = data
    return state


def _without_topic_id(codec: CoordinatorCodec, key: bytes, value: OffsetCommitValue) -> bytes:
    plain = copy(value)
    plain.topic_id = ZERO_UUID
    _, data = codec.encode(decode_coordinator(key, None)[0], plain)
    assert data is not None
    return data


def _pending(groups: Any, codec: CoordinatorCodec) -> Iterator[tuple[int, bytes, bytes]]:
    """Yield producer id, key and value of each pending offset."""
    for group_id in groups.offsets.undecided:
        for where in groups.offsets.pending_keys(group_id):
            key, _ = codec.encode(OffsetCommitKey(group_id, *where), None)
            assert key is not None
            for each in groups.offsets.pending_of(group_id, where):
                yield each.transaction.producer.producer_id, key, _without_topic_id(codec, key, each.value)


def consumer_group_records(group: Any) -> list[Record]:
    """Return the records of a KIP-848 group. At its first epochs, those of epochs may be missing."""
    group_id = group.group_id
    return [
        epoch_record(group_id, group.group_epoch, group.metadata_hash, group.created_ms),
        target_epoch_record(group_id, group.assignment_epoch, group.assigned_at_ms),
        *(member_record(group_id, member) for member in group.members.values()),
        *(current_record(group_id, member) for member in group.members.values()),
        *(target_record(group_id, member_id, target) for member_id, target in group.targets.items()),
        *(regex_record(group_id, regex, resolved) for regex, resolved in group.regexes.items()),
    ]


RECORDS_OF: Final[dict[str, Callable[[Any], Iterable[Record]]]] = {
    CONSUMER: consumer_group_records,
    SHARE: share_group_records,
    STREAMS: streams_group_records,
}


def stored_records(storage: Storage, where: Where) -> tuple[dict[int, Stored], int]:
    """Return key and value of every record of a log by offset, up to the first incomplete batch, and its end.

    The end may be after the last record: compaction removes records, but never moves the end.
    """
    directory = f"{where[0]}-{where[1]}"
    found: dict[int, Stored] = {}
    end = 0
    for name, _ in storage.list(directory):
        if name.endswith(".log"):
            end = max(end, int(name.removesuffix(".log")))
            data = storage.read(f"{directory}/{name}")
            whole = 0
            with suppress(BatchError):
                for position, header in headers(data):
                    if not check_crc(data, position, header):
                        break
                    is_open = header.is_transactional
                    for record in records(data, position, header):
                        found[record.offset] = Stored(
                            _bytes(record.key),
                            _bytes(record.value),
                            header.producer_id if is_open else NO_PRODUCER,
                            header.is_control,
                        )
                    end = max(end, header.base_offset + header.last_offset_delta + 1)
                    whole = position + header.size
            if whole < len(data):
                break  # a recovery removes what follows, later segments included
    return found, end


def _bytes(data: Any) -> bytes | None:
    return None if data is None else bytes(data)


def topics_of(cluster: Any) -> dict[str, Any]:
    return {
        name: (topic.topic_id, len(topic.partitions), dict(topic.configs))
        for name, topic in cluster.topics.items()
    }
