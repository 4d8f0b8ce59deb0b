"""The laws of share groups (KIP-932): what their members were given, and what the share coordinator stores.

lock        No record is acquired while another member certainly holds it, and no other member may
            acknowledge it.
final       A record whose ACCEPT or REJECT was confirmed is not delivered again, after any crash, unless it
            was deleted: as in Kafka, a fetch delivers whole record batches, and an acknowledgement below the
            start has no effect.
deliveries  The delivery count of a record rises with each delivery, up to the limit. After a crash, those
            deliveries count that ended by a confirmed RELEASE, or by the end of their lock.
states      From the start offset to the end offset, each record has one state, and the counts are theirs.
stored      A load rebuilds exactly what the log of the share coordinator says. No start offset goes back,
            unless the state begins anew. With Kafka 4.3, it also goes back if the group was deleted while a
            member had a session, and began again with lower epochs: then the leader's open share partition is
            not fenced, and its next write replaces the start of an alteration. Kafka 4.4 keeps the stored
            start and count if the written start is lower. With both, a higher start replaces the stored one.
            Recorded: tests/conformance/cases/share_offsets.py, new_group_of_a_session_is_altered_*.
drained     Once members stay and the clock moves on, every record is acknowledged or archived. Each one was
            delivered to a member, unless an administrator moved the start over it.

Altering offsets, and deleting offsets or the group, are resets: the state begins anew. A reset takes effect
at any time between its request and the end of that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from tests.faults.simulation.letter_laws import LetterLaws
from tidemark.groups.share import records
from tidemark.metadata.model import SHARE_STATE_TOPIC
from tidemark.share.partition import ACCEPT, ACQUIRED, REJECT, RELEASE, RENEW, TERMINAL
from tidemark.share_coordinator.state import SharePartition as Key
from tidemark_protocol.records.share_snapshot import ShareSnapshotValue
from tidemark_protocol.share_batches import NO_OFFSET
from tidemark_protocol.stored_share_state import decode_share_state

if TYPE_CHECKING:
    from random import Random

    from tests.faults.simulation.clients import Asked
    from tests.faults.simulation.laws import Laws, Write
    from tests.faults.simulation.network import Connection
    from tests.faults.simulation.node import Process, Stored
    from tidemark.share.partition import SharePartition

SHARED: Final = "shared"  # the topic that share groups read
SHARERS: Final = "sharers"  # the group that reads it
DUE_MS_MAX: Final = 3_000  # after its end, a lock is still kept for so long on a slow machine
NEVER_MS: Final = 1 << 60
FINAL: Final = (ACCEPT, REJECT)
STORED_MS_MAX: Final = 500  # after its end, a lock has been written to the log
Place = tuple[bytes, int]  # topic id and partition


@dataclass(slots=True, eq=False)
class Hold:
    """A record that a response has given to a member.

    began, answered  moments of the request
    share     the broker's share partition, which forgets who holds what when it is closed; None: not known
    opened_on the session of the member ends with this connection
    sure_ms   the lock ends at the earliest then (steady)
    over_ms   the lock has ended then
    before    the delivery before it, by the same share partition
    ended     the member has acknowledged it, or has begun a new session
    sent      how it was acknowledged by the first request that did so; None: not, or it had ended before
    """

    member: str
    count: int
    share: SharePartition | None
    began: int
    answered: int
    opened_on: Connection
    sure_ms: int
    over_ms: int
    before: Hold | None = None
    ended: bool = False
    sent: int | None = None

    def is_sure(self, share: SharePartition | None, moment: int, now_ms: int) -> bool:
        """Return whether the member certainly has the record from a moment on until now."""
        return (
            not self.ended
            and self.share is share is not None
            and self.answered < moment
            and self.opened_on.open
            and now_ms < self.sure_ms
        )


@dataclass(slots=True)
class Ledger:
    """The knowledge of clients about one share partition, by offset.

    final      the request in which an ACCEPT or REJECT was confirmed: when it began, and its response
    released   the count at which a RELEASE was confirmed last, and the same of its request
    seen       the records that were delivered, as often as they were
    floor      an administrator may have moved the start up to here
    """

    holds: dict[int, Hold] = field(default_factory=dict)
    final: dict[int, tuple[int, int]] = field(default_factory=dict)
    may_be_final: set[int] = field(default_factory=set)
    released: dict[int, tuple[int, int, int]] = field(default_factory=dict)
    seen: dict[int, list[str]] = field(default_factory=dict)
    floor: int = 0


@dataclass(slots=True)
class Stated:
    """The state of a share partition, folded from its log. records: (count, state) by offset"""

    state_epoch: int
    leader_epoch: int
    start_offset: int
    complete: int
    records: dict[int, tuple[int, int]] = field(default_factory=dict)


class ShareLaws:
    def __init__(self, laws: Laws, settings: dict[str, str]) -> None:
        self.laws = laws
        self.world = laws.world
        self.lock_ms = int(settings.get("group.share.record.lock.duration.ms", "30000"))
        self.deliveries_max = int(settings.get("group.share.delivery.count.limit", "5"))
        self.ledgers: dict[Place, Ledger] = {}
        self.trimmed: dict[Any, int] = {}  # offsets up to which DeleteRecords was sent
        self.resets: list[Write] = []
        self.was_deleted = False  # the group may have been deleted
        self.keeps_start = settings.get("tidemark.as") != "4.3"  # Kafka 4.4 never stores a lower start
        self.letters = LetterLaws(self)
        self.unanswered_fetches = 0  # each may have acquired any records

    def ledger(self, place: Place) -> Ledger:
        found = self.ledgers.get(place)
        if found is None:
            found = self.ledgers[place] = Ledger()
        return found

    def share_of(self, process: Process, place: Place) -> SharePartition | None:
        """Return the broker's share partition, if it is open."""
        shares = process.broker.current.engine.shares if process.alive else None
        if shares is None:
            return None
        return next((each.share for each in shares if each.key == (SHARERS, *place)), None)

    def may_be_reset(self, since: int) -> bool:
        return any(each.bound >= since for each in self.resets)

    # what members are told

    def acquired(
        self, asked: Asked, member: str, place: Place, share: SharePartition | None, opened_on: Connection,
        sent_ms: int, given: Iterable[tuple[int, int, int]], values: dict[int, str],
    ) -> None:  # fmt: skip
        """Record what a ShareFetch has acquired. share: the share partition, if it was open all the time"""
        ledger, now_ms = self.ledger(place), self.world.clock.steady_ms()
        for first, last, count in given:
            if not 1 <= count <= self.deliveries_max:
                self._break("deliveries", f"{place}@{first}-{last}: {count} of {self.deliveries_max}")
            for offset in range(first, last + 1):
                where = f"{place[1]}@{offset}, delivery {count} to {member}"
                if offset not in values:
                    self._break("deliveries", f"{where}: the response does not have it")
                    continue
                # An acknowledgement below the start of the log is confirmed, and nothing is stored.
                may_be_stored = offset >= self.trimmed.get(place, 0)
                if may_be_stored:
                    self._check_not_final(asked, ledger, offset, where)
                hold = ledger.holds.get(offset)
                if hold is not None and not self.may_be_reset(hold.began):
                    if hold.is_sure(share, asked.began, now_ms):
                        self._break("lock", f"{where}: {hold.member} holds it until {hold.sure_ms}")
                    is_same = hold.share is share is not None and hold.answered < asked.began
                    if is_same and count <= hold.count:
                        self._break("deliveries", f"{where}: it had {hold.count}")
                released, began, moment = ledger.released.get(offset, (0, 0, 0))
                is_stored = may_be_stored and moment < asked.began and not self.may_be_reset(began)
                if count <= released and is_stored:
                    self._break("deliveries", f"{where}: delivery {released} was stored")
                ledger.seen.setdefault(offset, []).append(values[offset])
                ledger.holds[offset] = Hold(
                    member,
                    count,
                    share,
                    asked.began,
                    asked.answered,
                    opened_on,
                    sent_ms + self.lock_ms,
                    now_ms + self.lock_ms,
                    hold if hold is not None and hold.share is share is not None else None,
                )
                if hold is not None:
                    hold.before = None

    def _check_not_final(self, asked: Asked, ledger: Ledger, offset: int, where: str) -> None:
        began, moment = ledger.final.get(offset, (0, asked.began))
        if moment < asked.began and not self.may_be_reset(began):
            self._break("final", f"{where}: its acknowledgement was confirmed")

    def acknowledging(self, member: str, place: Place, types: dict[int, int]) -> None:
        """Record acknowledgements that are sent: of each offset, its type."""
        ledger = self.ledger(place)
        for offset, kind in types.items():
            hold = ledger.holds.get(offset)
            if hold is not None and hold.member == member and kind == RENEW:
                hold.over_ms = NEVER_MS  # until the response tells
            elif hold is not None and hold.member == member:
                hold.sent = None if hold.ended else kind
                hold.ended = True
            if kind in FINAL:
                ledger.may_be_final.add(offset)
            if kind == REJECT:
                self.letters.given(place).rejecting.add(offset)

    def acknowledged(
        self, asked: Asked, member: str, place: Place, share: SharePartition | None, sent_ms: int,
        types: dict[int, int],
    ) -> None:  # fmt: skip
        """Record acknowledgements that were confirmed."""
        ledger, now_ms = self.ledger(place), self.world.clock.steady_ms()
        for offset, kind in types.items():
            hold = ledger.holds.get(offset)
            if hold is not None and hold.member != member and offset >= ledger.floor:
                if hold.is_sure(share, asked.began, now_ms) and not self.may_be_reset(hold.began):
                    text = f"{place[1]}@{offset}: {hold.member} holds it, {member} acknowledged it"
                    self._break("lock", text)
            elif hold is not None and hold.member == member:
                is_sure = hold.share is share is not None and hold.opened_on.open and now_ms < hold.sure_ms
                if is_sure and hold.sent == kind and not self.may_be_reset(hold.began):
                    self.letters.confirmed(place, offset, kind, hold.count, asked.began)
                if kind == RENEW:
                    hold.sure_ms = max(hold.sure_ms, sent_ms + self.lock_ms)
                    hold.over_ms = now_ms + self.lock_ms
                elif kind == RELEASE:
                    ledger.released[offset] = hold.count, asked.began, asked.answered
            if kind in FINAL:
                ledger.final[offset] = asked.began, asked.answered

    def any_hold(self, rng: Random, place: Place, member: str) -> tuple[int, int]:
        """Draw first and last offset of what another member has; any offsets if there is nothing."""
        holds = self.ledger(place).holds
        others = [at for at, hold in holds.items() if hold.member != member and not hold.ended]
        first = rng.choice(others) if others and rng.random() < 0.8 else rng.randrange(40)
        last = first
        while rng.random() < 0.6 and ((hold := holds.get(last + 1)) is None or hold.member != member):
            last += 1
        return first, last

    def forgets(self, member: str) -> None:
        """Record that a member begins anew: what it has is released, or locked until the locks end."""
        for ledger in self.ledgers.values():
            for hold in ledger.holds.values():
                if hold.member == member:
                    hold.ended = True

    def moved(self, place: Place, offset: int) -> None:
        """Record a request that may move the start to an offset."""
        ledger = self.ledger(place)
        ledger.floor = max(ledger.floor, offset)

    def died(self, process: Process) -> None:
        """Count deliveries whose locks have ended before a crash: that was stored, if all writes were."""
        commit, now_ms = process.group_commit, self.world.clock.steady_ms()
        if commit is None or commit.pending or commit.durable != commit.appended:
            return
        shares = process.broker.current.engine.shares
        is_open = {each.key[1:]: each.share for each in shares or () if not each.is_closed}
        for place, ledger in self.ledgers.items():
            share = is_open.get(place)
            for offset, hold in ledger.holds.items():
                if hold.share is not share or share is None:
                    continue
                for over in filter(None, (hold, hold.before)):
                    if over.over_ms + STORED_MS_MAX < now_ms:
                        counted = over.count, over.began, self.world.moment()
                        ledger.released[offset] = max(counted, ledger.released.get(offset, counted))
                        break

    # what the broker has in flight

    def check_open(self, process: Process) -> None:
        """Check the states of the records that share partitions have in flight."""
        shares = process.broker.current.engine.shares if process.alive else None
        for opened in shares or ():
            share = opened.share
            if share is not None and not opened.is_closed:
                why = _contradiction(share, self.world.clock.steady_ms())
                if why is not None:
                    self._break("states", f"{opened.key[2]}: {why}; {_shown(share)}")

    # what is stored

    def check_stored(self, process: Process, requests: dict[int, list[list[Stored]]]) -> None:
        """Check that the share coordinator knows what its log says. requests: by partition of the log"""
        coordinator = process.broker.current.engine.share
        told: dict[Key, Stated] = {}
        for partition, of_log in requests.items():
            entries = ((each.key, each.value) for request in of_log for each in request)
            for key, stated in self.fold(entries).items():
                told[key] = stated
                if coordinator is not None and coordinator.states.partition_for(key) != partition:
                    self._break("stored", f"{key} is in partition {partition}")
        live = {
            key: _stated(entry.state)
            for key, entry in (coordinator.states.entries.items() if coordinator is not None else ())
        }
        if live != told:
            different = [key for key in {**live, **told} if live.get(key) != told.get(key)]
            text = "; ".join(
                f"{key}: live {live.get(key)}, in the log {told.get(key)}" for key in different[:3]
            )
            self._break("stored", text)

    def check_log(self, partition: int, stored: Iterable[Stored], decided: Iterable[Stored]) -> None:
        """Check that the records that were found in a log make the states of all that were decided."""
        found = self.fold((each.key, each.value) for each in stored)
        told = self.fold((each.key, each.value) for each in decided)
        if found != told:
            self._break("stored", f"{SHARE_STATE_TOPIC}-{partition} has {found}, decided were {told}")

    def fold(self, entries: Iterable[tuple[Any, Any]]) -> dict[Key, Stated]:
        states: dict[Key, Stated] = {}
        for key, data in entries:
            name, value = decode_share_state(key, data)
            place = Key(name.group_id, name.topic_id, name.partition)
            if value is None:
                states.pop(place, None)
                continue
            before = states.get(place)
            if isinstance(value, ShareSnapshotValue):
                states[place] = Stated(
                    value.state_epoch, value.leader_epoch, value.start_offset, value.delivery_complete_count
                )
            elif before is not None:
                before.leader_epoch = value.leader_epoch
                before.complete = value.delivery_complete_count
                if value.start_offset != NO_OFFSET:
                    may_go_back = self.was_deleted and not self.keeps_start
                    if value.start_offset < before.start_offset and not may_go_back:
                        text = f"{place}: the start moves from {before.start_offset} to {value.start_offset}"
                        self._break("stored", text)
                    before.start_offset = value.start_offset
            else:
                continue  # a later snapshot or tombstone has made it redundant
            state = states[place]
            _put(state, value.state_batches)
            state.records = {at: each for at, each in state.records.items() if at >= state.start_offset}
        return states

    # the end

    def what_is_left(self, process: Process) -> str:
        """Return which records are neither acknowledged nor archived, as the share coordinator stores it."""
        coordinator = process.broker.current.engine.share
        topic = process.state.cluster.topics.get(SHARED)
        if topic is None or coordinator is None:
            return ""
        for partition in topic.partitions:
            state = coordinator.stored(SHARERS, topic.topic_id, partition.index)
            log = process.state.logs.get(SHARED, partition.index)
            if log is None or not log.high_watermark:
                continue
            if state is None:
                return f"{partition.index} has no state"
            stated = _stated(state)
            end = max(stated.start_offset, log.log_start_offset)
            while stated.records.get(end, (0, 0))[1] in TERMINAL:
                end += 1
            if end < log.high_watermark:
                return f"{partition.index}: {stated}, the log ends at {log.high_watermark}"
        return ""

    def check_drained(self, process: Process) -> None:
        """Check that no record was left out: each one was delivered, unless its deliveries are not known."""
        topic = process.state.cluster.topics.get(SHARED)
        for partition in topic.partitions if topic is not None else ():
            assert topic is not None
            place = (topic.topic_id, partition.index)
            ledger = self.ledger(place)
            log = process.state.logs.get(SHARED, partition.index)
            assert log is not None
            floor = max(ledger.floor, log.log_start_offset)
            for offset, value in self.laws.log(place).acked.items():
                seen = ledger.seen.get(offset, [])
                if offset < floor or offset in ledger.may_be_final or {*seen} - {value}:
                    continue  # a power cut may have replaced a record that was delivered before it was synced
                if len(seen) + self.unanswered_fetches < self.deliveries_max:
                    text = f"{place[1]}@{offset} {value} is done after {len(seen)} deliveries"
                    self._break("drained", f"{text} and {self.unanswered_fetches} unknown ones")

    def _break(self, law: str, text: str) -> None:
        self.laws.break_law(f"share {law}", text)


def _stated(state: Any) -> Stated:
    stated = Stated(state.state_epoch, state.leader_epoch, state.start_offset, state.delivery_complete_count)
    _put(stated, state.batches)
    return stated


def _put(stated: Stated, batches: Iterable[Any]) -> None:
    """Set the state of each offset: those of later batches replace the ones of earlier batches."""
    for each in batches:
        for offset in range(each.first_offset, each.last_offset + 1):
            if offset >= stated.start_offset:
                stated.records[offset] = each.delivery_count, each.delivery_state


def _contradiction(share: SharePartition, now_ms: int) -> str | None:
    """Return what is wrong with the runs of a share partition."""
    runs = list(share.runs())
    if not runs:
        return None if share.complete_count == 0 else "complete records, and none in flight"
    complete, previous = 0, None
    for run in runs:
        if run.last < run.first:
            return f"run {run.first}-{run.last}"
        if previous is not None and run.first <= previous:
            return f"two states of {run.first}"
        known = share.start_offset if previous is None else max(previous + 1, share.start_offset)
        if run.first > known and share._gap is None:
            return f"no state from {known} to {run.first - 1}"
        previous = run.last
        if run.state == ACQUIRED and (not run.member_id or run.lock_end_ms is None):
            return f"{run.first} is acquired by {run.member_id!r} until {run.lock_end_ms}"
        if run.state == ACQUIRED and run.lock_end_ms is not None and now_ms > run.lock_end_ms + DUE_MS_MAX:
            return f"the lock of {run.first} has ended at {run.lock_end_ms}"
        if run.state in TERMINAL:
            complete += max(0, run.last - max(run.first, share.start_offset) + 1)
    if complete != share.complete_count:
        return f"{share.complete_count} complete records, which are {complete}"
    if share.start_offset > share.end_offset + 1:
        return "the start is behind the end"
    return None


def _shown(share: SharePartition) -> str:
    runs = ", ".join(f"{each.first}-{each.last} {each.state}x{each.delivery_count}" for each in share.runs())
    return f"{share.start_offset} to {share.end_offset}: {runs}"


def by_log(kept: dict[tuple[str, int], list[list[Stored]]]) -> dict[int, list[list[Stored]]]:
    """Return the requests of the logs of share states."""
    return {index: requests for (topic, index), requests in kept.items() if topic == SHARE_STATE_TOPIC}


def share_group_records(group: Any) -> Iterator[Any]:
    """Yield the records of a share group."""
    group_id = group.group_id
    yield records.epoch_record(group_id, group.group_epoch, group.metadata_hash)
    yield records.target_epoch_record(group_id, group.assignment_epoch, group.assigned_at_ms)
    for member in group.members.values():
        yield records.member_record(group_id, member)
        yield records.current_record(group_id, member)
    for member_id, target in group.targets.items():
        yield records.target_record(group_id, member_id, target)
    if group.has_state_record:
        yield records.state_record(group_id, group.initializing, group.initialized, group.deleting)
