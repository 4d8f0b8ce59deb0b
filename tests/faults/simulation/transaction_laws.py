"""The laws of transactions.

atomicity   All records and offsets of a transaction are committed, or none, and all of them if a client was
            told so.
isolation   No reader of committed data sees a record or an offset of a transaction whose commit was not
            requested. What a reader has passed is final, and the last stable offset never goes back.
order       The records of a producer are read in the order in which it wrote them.
fencing     A producer cannot write once another one has its transactional id. No two producers have the same
            id and epoch.
deletion    No reader sees records again whose deletion (DeleteRecords) was acknowledged.
rest        Once all clients are gone, every transaction ends.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from tidemark_protocol.batch import ControlType, control_type, headers, records
from tidemark_protocol.stored_transactions import decode_transaction

if TYPE_CHECKING:
    from tests.faults.simulation.clients import Asked
    from tests.faults.simulation.laws import Laws, Write
    from tests.faults.simulation.node import Process

Where = tuple[str, int]
Aborted = list[tuple[int, int]]  # producer id and first offset

LEDGER: Final = "ledger"
TABLE: Final = "table"
STAYS: Final = "stays"
COPIERS: Final = "copiers"
PARTITIONS: Final = 3
PREPARED: Final = (2, 3)
ONGOING: Final = 1
_NEVER: Final = 1 << 60


@dataclass(slots=True, frozen=True)
class Identity:
    transactional_id: str
    producer_id: int
    epoch: int


@dataclass(slots=True, eq=False)
class Transaction:
    """One transaction of a copier.

    offsets  its commits of offsets, except those that were refused
    acked    its acknowledged records, by partition and offset
    """

    uid: str
    identity: Identity
    values: int = 0
    has_data: bool = False
    commit_requested: bool = False
    commit_acked: bool = False
    offsets: list[Write] = field(default_factory=list)
    acked: dict[Where, dict[int, str]] = field(default_factory=dict)

    def new_value(self) -> str:
        self.values += 1
        return f"{self.uid}#{self.values}"


@dataclass(slots=True)
class Seen:
    """The committed records that a reader has seen of a partition, from `begin` up to `end`."""

    begin: int
    end: int
    values: dict[int, str] = field(default_factory=dict)


class TransactionLaws:
    def __init__(self, laws: Laws) -> None:
        self._laws = laws
        self.world = laws.world
        self.all: dict[str, Transaction] = {}
        self.trimmed: dict[Where, int] = {}  # offsets up to which DeleteRecords was sent
        self._trimmed_before_start: dict[Where, int] = {}
        self._starts: dict[Where, list[tuple[int, int]]] = {}  # acknowledged, each with its moment
        self.keys: dict[str, str] = {}  # of the records of the compacted log
        self.elsewhere: set[str] = set()  # records of topics that may be deleted
        self._owners: dict[tuple[int, int], str] = {}  # by id and epoch
        # With the moments of the request and of the response.
        self._identities: dict[str, list[tuple[Identity, int, int]]] = {}
        self._stable: dict[tuple[int, Where], tuple[int, int]] = {}
        self._seen: dict[tuple[str, Where], Seen] = {}

    def break_law(self, law: str, text: str) -> None:
        self.world.break_law(law, text)

    # producers

    def identified(self, asked: Asked, identity: Identity, who: str) -> None:
        """Record the response that gave a producer its id and epoch."""
        self.assigned(identity.producer_id, identity.epoch, who)
        known = self._identities.setdefault(identity.transactional_id, [])
        known.append((identity, asked.began, asked.answered))

    def assigned(self, producer_id: int, epoch: int, who: str) -> None:
        """Record that a producer was told its id and epoch, which no other one may have."""
        owner = self._owners.setdefault((producer_id, epoch), who)
        if owner != who:
            self.break_law("two producers", f"{owner} and {who} are both {producer_id} with epoch {epoch}")

    def accepted(self, asked: Asked, identity: Identity) -> None:
        """Record that a request of this producer was accepted. No later one may have been known before."""
        known = self._identities.get(identity.transactional_id, ())
        answered = min((until for other, _, until in known if other == identity), default=_NEVER)
        for other, began, since in known:
            is_later = other.producer_id == identity.producer_id and other.epoch > identity.epoch
            # Brokers assign ids of their own blocks, so that a higher id may be older.
            is_newer = other.producer_id != identity.producer_id and began > answered
            if since < asked.began and (is_later or is_newer):
                self.break_law("fencing", f"{asked.api} of {identity}, {other} was known")

    # transactions

    def begun(self, transaction: Transaction) -> None:
        self.all[transaction.uid] = transaction

    def acked(self, transaction: Transaction, where: Where, offset: int, values: list[str]) -> None:
        known = self._laws.log(where)
        acked = transaction.acked.setdefault(where, {})
        for index, value in enumerate(values):
            acked[offset + index] = value
            known.acked[offset + index] = value

    def commit_requested(self, transaction: Transaction) -> None:
        transaction.commit_requested = True
        for write in transaction.offsets:
            write.refused = False

    def ended(self, asked: Asked, transaction: Transaction, *, committed: bool) -> None:
        if committed:
            transaction.commit_acked = True
            for write in transaction.offsets:
                if write.latest <= asked.answered:
                    write.applied = asked.answered  # seen by every stable read from now on

    def deleted(self, where: Where, offset: int) -> None:
        """Record a DeleteRecords that is sent."""
        self.trimmed[where] = max(offset, self.trimmed.get(where, 0))

    def deletion_acked(self, asked: Asked, where: Where, low_watermark: int) -> None:
        """Record that records were deleted. No reader finds an earlier start from now on."""
        self._starts.setdefault(where, []).append((asked.answered, low_watermark))

    def start_seen(self, asked: Asked, where: Where, offset: int) -> None:
        """Check the offset at which a log starts, or from which a reader was served."""
        for moment, start in self._starts.get(where, ()):
            if moment < asked.began and offset < start:
                self.break_law("deletion", f"{where} was deleted up to {start}, and starts at {offset}")

    def died(self) -> None:
        """Record the end of a process. The next one rebuilds the producers' state from what it finds."""
        self._trimmed_before_start = dict(self.trimmed)

    def may_forget_sequence(self, where: Where, last_offset: int) -> bool:
        """Return whether a start may have found no batch of the producer, but the end of its transaction.

        Then the producer's next sequence is refused, as by Kafka 4.3.1 after a kill: a start ignores the
        snapshots that are not past the log start. last_offset: of the producer's last acknowledged record.
        """
        return last_offset < self._trimmed_before_start.get(where, 0)

    def may_be_missing(self, where: Any, log: Any, offsets: set[int]) -> bool:
        """Return whether acknowledged records may have been deleted, or compacted away."""
        return where[0] == TABLE or all(at < self.trimmed.get(where, 0) for at in offsets)

    def hard_state(self, process: Process, told: dict[bytes, bytes]) -> None:
        """Check that the coordinator knows what its log says. told: the last record of each key."""
        coordinator = process.broker.current.engine.transactions
        live = {} if coordinator is None else coordinator.transactions.by_id
        stored = {}
        for key, data in told.items():
            name, value = decode_transaction(key, data)
            assert value is not None
            stored[name.transactional_id] = value
        if live.keys() != stored.keys():
            self.break_law("rebuilt state", f"{sorted(live)} are known, {sorted(stored)} are in the log")
        for name in live.keys() & stored.keys():
            found, last = live[name], stored[name]
            partitions = {
                (each.topic, index)
                for each in last.transaction_partitions or ()
                for index in each.partition_ids
            }
            known = (found.producer_id, found.producer_epoch, found.status, {*found.partitions})
            kept = (last.producer_id, last.producer_epoch, last.transaction_status, partitions)
            if known != kept:
                self.break_law("rebuilt state", f"{name}: live {known}, in the log {kept}")

    # readers

    def offset_seen(self, where: tuple[str, str, int], value: int | None) -> None:
        """Check an offset that was read without require_stable. It may be old, but not uncommitted."""
        if not any(write.may_be(value) for write in self._laws.offset(*where).writes):
            self.break_law("isolation", f"{where} is {value}, which is not committed")

    def stable_offset(self, asked: Asked, where: Where, offset: int) -> None:
        """Check a last stable offset. It does not go back while the process lives."""
        key = (asked.connection.process.number, where)
        known, moment = self._stable.get(key, (-1, 0))
        if offset < known and moment < asked.began:
            self.break_law("isolation", f"the last stable offset of {where} is {offset}, was {known}")
        if offset > known:
            self._stable[key] = (offset, asked.answered)

    def read(
        self, reader: str, where: Where, begin: int, end: int, values: dict[int, str], stable: int
    ) -> None:
        """Check records that a reader of committed data got from an offset on, up to another one."""
        for at, value in values.items():
            self._laws.record_read(where, at, value)
            transaction = self.all[value.partition("#")[0]]
            if not transaction.commit_requested:
                self.break_law("isolation", f"{where}@{at} is {value}, whose commit was not requested")
            if at >= stable:
                self.break_law("isolation", f"{where}@{at} is {value}, and {stable} is not stable")
        self._check_order(where, values)
        seen = self._seen.get((reader, where))
        if seen is None or seen.end != begin:
            seen = self._seen[reader, where] = Seen(begin, begin)
        seen.end = end
        seen.values |= values

    def forget_reader(self, reader: str, where: Where | None = None) -> None:
        for key in [*self._seen]:
            if key[0] == reader and where in (None, key[1]):
                del self._seen[key]

    def _check_order(self, where: Where, values: dict[int, str]) -> None:
        last: dict[str, tuple[int, int]] = {}
        for at, value in sorted(values.items()):
            uid, _, number = value.partition("#")
            name, _, count = uid.rpartition(":")
            place = (int(count), int(number))
            if place < last.get(name, (0, 0)):
                self.break_law("order", f"{where}@{at} is {value}, after {last[name]}")
            last[name] = place

    # the end

    def is_resting(self, process: Process) -> bool:
        """Return whether no transaction is open or owes markers, here and in any log."""
        coordinator = process.broker.current.engine.transactions
        if coordinator is not None:
            for each in coordinator.transactions.by_id.values():
                if each.status == ONGOING or each.status in PREPARED:
                    return False
        return not any(self._open_in_logs(process))

    def what_moves(self, process: Process) -> str:
        coordinator = process.broker.current.engine.transactions
        ids = {} if coordinator is None else coordinator.transactions.by_id
        found = {
            name: each.status.name
            for name, each in ids.items()
            if each.status == ONGOING or each.status in PREPARED
        }
        return f"transactions {found}, open in {sorted(map(str, self._open_in_logs(process)))}"

    def _open_in_logs(self, process: Process) -> Iterable[Any]:
        state = process.state
        yield from state.groups.offsets.transactions
        for where in self._laws.produced:
            log = state.logs.get(*where) if isinstance(where[0], str) else None
            if log is not None and log.producers.first_unstable is not None:
                yield where

    def check_all(self, process: Process) -> None:
        """Check every transaction against the logs, at the end of all."""
        committed: dict[Where, dict[int, str]] = {}
        for where in self._transactional_logs():
            committed[where] = _committed(process, where)
            self._check_order(where, committed[where])
        found: dict[str, set[str]] = {}
        for values in committed.values():
            for value in values.values():
                found.setdefault(value.partition("#")[0], set()).add(value)
        for uid, read in found.items():
            if not self.all[uid].commit_requested:
                self.break_law("isolation", f"{sorted(read)} are committed, and no client has requested that")
        for transaction in self.all.values():
            self._check(transaction, found.get(transaction.uid, set()))
        self._check_readers(process, committed)
        self._check_starts(process)
        self._check_table(committed)
        self._check_offsets(process)

    def _transactional_logs(self) -> list[Where]:
        return [(str(where[0]), where[1]) for where in self._laws.produced if where[0] in (LEDGER, TABLE)]

    def _check(self, transaction: Transaction, found: set[str]) -> None:
        """Check one transaction. found: those of its records that are committed."""
        acked = {
            value: (where, at)
            for where, values in transaction.acked.items()
            if where[0] != TABLE
            for at, value in values.items()
            if at >= self.trimmed.get(where, 0)
        }
        is_committed = transaction.commit_acked or bool(found)
        missing = {value: place for value, place in acked.items() if value not in found}
        if is_committed and missing:
            self.break_law("atomicity", f"{transaction.uid} is committed without {missing}, with {found}")
        if acked and not is_committed:
            for write in transaction.offsets:
                write.refused = True
        elif is_committed:
            for write in transaction.offsets:
                if write.latest != _NEVER:
                    write.succeed(self.world.moment())

    def _check_readers(self, process: Process, committed: dict[Where, dict[int, str]]) -> None:
        """Check that what each reader has passed is all that is committed there."""
        for (reader, where), seen in self._seen.items():
            if where[0] != LEDGER:
                continue
            log = process.state.logs.get(*where)
            assert log is not None
            begin = max(seen.begin, log.log_start_offset)
            final = {at: value for at, value in committed[where].items() if begin <= at < seen.end}
            told = {at: value for at, value in seen.values.items() if at >= begin}
            if final != told:
                differs = sorted(final.items() ^ told.items())
                self.break_law("isolation", f"{reader} has read {where} up to {seen.end} without {differs}")

    def _check_starts(self, process: Process) -> None:
        for where, starts in self._starts.items():
            log = process.state.logs.get(*where)
            assert log is not None
            deleted = max(offset for _, offset in starts)
            if log.log_start_offset < deleted:
                self.break_law("deletion", f"{log} was deleted up to {deleted}")

    def _check_table(self, committed: dict[Where, dict[int, str]]) -> None:
        """Check that a compacted log still has the last committed record of each key."""
        newest: dict[tuple[Where, str], int] = {}
        for where, values in committed.items():
            for at, value in values.items():
                if where[0] == TABLE:
                    key = (where, self.keys[value])
                    newest[key] = max(at, newest.get(key, -1))
        for transaction in self.all.values():
            for where, values in transaction.acked.items() if transaction.commit_acked else ():
                for at, value in values.items():
                    if where[0] == TABLE and newest.get((where, self.keys[value]), -1) < at:
                        self.break_law("atomicity", f"{where}@{at} was {value}, which has no successor")

    def _check_offsets(self, process: Process) -> None:
        began = self.world.moment()
        for partition in range(PARTITIONS):
            stored = process.state.groups.offsets.get(COPIERS, STAYS, partition)
            value = None if stored is None else stored.offset
            self._laws.offset_read((COPIERS, STAYS, partition), value, began, None)


def visible(data: bytes, begin: int, aborted: Aborted) -> tuple[dict[int, str], int]:
    """Return the committed records of a fetch by offset, and the next offset. As the Java consumer does."""
    waiting = sorted(aborted, key=lambda each: each[1])
    skipped: set[int] = set()
    found: dict[int, str] = {}
    end = begin
    for position, header in headers(data):
        while waiting and waiting[0][1] <= header.last_offset:
            skipped.add(waiting.pop(0)[0])
        end = header.last_offset + 1
        if header.is_control:
            for record in records(data, position, header):
                if control_type(record.key) == ControlType.ABORT:
                    skipped.discard(header.producer_id)
        elif header.is_transactional and header.producer_id in skipped:
            continue
        else:
            for record in records(data, position, header):
                if record.offset >= begin:
                    found[record.offset] = bytes(record.value or b"").decode()
    return found, end


def _committed(process: Process, where: Where) -> dict[int, str]:
    """Return the committed records of a log by offset, decided by its markers alone."""
    log = process.state.logs.get(*where)
    assert log is not None
    open_: dict[int, dict[int, str]] = {}
    found: dict[int, str] = {}
    for batch in log.batches(log.log_start_offset):
        header = batch.header
        for record in records(batch.buf, batch.start, header):
            if header.is_control:
                ended = open_.pop(header.producer_id, {})
                if control_type(record.key) == ControlType.COMMIT:
                    found |= ended
            elif record.offset >= log.log_start_offset:
                value = bytes(record.value or b"").decode()
                open_.setdefault(header.producer_id, {})[record.offset] = value
    return found
