"""The laws of the dead-letter queue of a share group (KIP-1191): the records that the group gave up.

missing   A record that is stored as archived, after it was archiving, is in the queue. A record whose REJECT
          was confirmed while its member certainly held it, or whose last delivery was released so, is in the
          queue once all records are done.
skipped   No record is archived that was not archiving before, unless it was deleted.
accepted  No record is in the queue whose ACCEPT was confirmed while its member certainly held it.
header    A dead letter names its record, the group, its delivery count and the reason. It has key and value
          of the record only if the group copies them. A record was rejected only if a member did so.

As in Kafka, a record whose dead letter cannot be written is archived all the same. So nothing may be missing
unless a disk failed. A queue that the broker created itself is not synced: a power cut may take its end.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from tidemark.share.partition import ACCEPT, ARCHIVED, ARCHIVING, REJECT, RELEASE
from tidemark_protocol.batch import records
from tidemark_protocol.records.share_snapshot import ShareSnapshotValue
from tidemark_protocol.stored_share_state import decode_share_state

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.faults.simulation.node import Process, Stored
    from tests.faults.simulation.share_laws import Place, ShareLaws

QUEUE: Final = "dlq.sharers"
REJECTED: Final = "Offset rejected by client."
TOO_OFTEN: Final = "Offset delivery count exceeded the threshold."
HEADERS: Final = ("topic", "partition", "offset", "group", "delivery.count", "message")


@dataclass(slots=True)
class Given:
    """Knowledge about the records of one share partition, by offset.

    rejecting  a REJECT was sent
    accepted   the ACCEPT was confirmed, certainly of a record that the member held
    given_up   the same of a REJECT, or of a RELEASE after the last delivery: its count, and when it began
    """

    rejecting: set[int] = field(default_factory=set)
    accepted: set[int] = field(default_factory=set)
    given_up: dict[int, tuple[int, int]] = field(default_factory=dict)


class LetterLaws:
    """The laws. Only a world with a dead-letter queue checks them.

    copies     dead letters have key and value of their records
    is_synced  the queue loses nothing in a power cut
    may_fail   a disk failed, so that dead letters may be missing
    is_unique  the topic of the records was never deleted, so that its name and an offset name one record
    """

    def __init__(self, shares: ShareLaws) -> None:
        self.shares = shares
        self.copies = False
        self.is_synced = True
        self.may_fail = False
        self.is_unique = True
        self.topic = ""
        self.group = ""
        self._given: dict[Place, Given] = {}

    def begin(self, topic: str, group: str, *, copies: bool, is_synced: bool) -> None:
        self.topic, self.group, self.copies, self.is_synced = topic, group, copies, is_synced

    def given(self, place: Place) -> Given:
        found = self._given.get(place)
        if found is None:
            found = self._given[place] = Given()
        return found

    # what members are told

    def confirmed(self, place: Place, offset: int, kind: int, count: int, began: int) -> None:
        """Record an acknowledgement that was confirmed while its member certainly held the record."""
        given = self.given(place)
        if kind == ACCEPT:
            given.accepted.add(offset)
        elif kind == REJECT or (kind == RELEASE and count >= self.shares.deliveries_max):
            given.given_up[offset] = count, began

    def read(self, queue_index: int, letter: Any) -> tuple[int, int]:
        """Check a dead letter. Return partition and offset of its record."""
        told = {name.removeprefix("__dlq.errors."): (value or b"").decode() for name, value in letter.headers}
        if sorted(told) != sorted(HEADERS) or len(letter.headers) != len(HEADERS):
            self._break("header", f"{letter.headers}")
            return -1, -1
        index, offset, count = int(told["partition"]), int(told["offset"]), int(told["delivery.count"])
        where = f"{QUEUE}-{queue_index}@{letter.offset} {told}"
        if (told["topic"], told["group"]) != (self.topic, self.group) or (
            self.is_synced and index != queue_index
        ):
            self._break("header", where)
        if not 1 <= count <= self.shares.deliveries_max:
            self._break("header", f"{where}: at most {self.shares.deliveries_max}")
        topic_id = self.shares.laws.topic_ids().get(self.topic)
        if topic_id is None or not self.is_unique:
            return index, offset
        place = topic_id, index
        given = self.given(place)
        if told["message"] == REJECTED:
            if offset not in given.rejecting:
                self._break("header", f"{where}: no member rejected it")
        elif told["message"] != TOO_OFTEN or count < self.shares.deliveries_max:
            self._break("header", f"{where}: of {self.shares.deliveries_max} deliveries")
        if offset in given.accepted and not self.shares.resets:
            self._break("accepted", where)
        self._check_copy(place, offset, letter, where)
        return index, offset

    def _check_copy(self, place: Place, offset: int, letter: Any, where: str) -> None:
        value = None if letter.value is None else bytes(letter.value).decode()
        if value is None:
            # If the first record of a range was deleted, none of the range is copied.
            is_there = not self.shares.trimmed.get(place, 0) and not self.may_fail
            if self.copies and is_there:
                self._break("header", f"{where} has no value")
        elif not self.copies or value not in self.shares.laws.log(place).sent:
            self._break("header", f"{where} has value {value}")

    # what is stored

    def check_stored(self, process: Process, requests: dict[int, list[list[Stored]]]) -> None:
        """Check that the queue has each record that the log of the share coordinator says is archived."""
        if not self.topic:
            return
        found = self._queue(process)
        for of_log in requests.values():
            self._check_log(found, (each for request in of_log for each in request))

    def _check_log(self, found: dict[tuple[int, int], list[int]], stored: Iterable[Stored]) -> None:
        archiving: dict[tuple[Any, ...], set[int]] = {}
        epochs: dict[tuple[Any, ...], int] = {}
        for each in stored:
            assert each.key is not None
            key, value = decode_share_state(each.key, each.value)
            place = key.group_id, bytes(key.topic_id), key.partition
            if value is None:
                archiving.pop(place, None)
                continue
            if isinstance(value, ShareSnapshotValue):
                if epochs.get(place, value.state_epoch) != value.state_epoch:
                    archiving.pop(place, None)
                epochs[place] = value.state_epoch
            pending = archiving.setdefault(place, set())
            for batch in value.state_batches:
                offsets = range(batch.first_offset, batch.last_offset + 1)
                if batch.delivery_state == ARCHIVING:
                    pending.update(offsets)
                elif batch.delivery_state == ARCHIVED:
                    for offset in offsets:
                        self._check_archived(
                            place[1:], offset, found, was_archiving=offset in pending, batch=batch
                        )

    def _check_archived(
        self,
        place: Any,
        offset: int,
        found: dict[tuple[int, int], list[int]],
        *,
        was_archiving: bool,
        batch: Any,
    ) -> None:
        if offset < max(self.shares.trimmed.get(place, 0), self.shares.ledger(place).floor):
            return
        if not was_archiving and not self.may_fail:
            self._break("skipped", f"{place[1]}@{offset} is archived: {batch}")
        if self.is_complete() and (place[1], offset) not in found:
            self._break("missing", f"{place[1]}@{offset} is archived, and {QUEUE} has {sorted(found)}")

    def is_complete(self) -> bool:
        """Return whether the queue must have all that was written to it."""
        return not self.may_fail and (self.is_synced or not self.shares.laws.power_cuts)

    def _queue(self, process: Process) -> dict[tuple[int, int], list[int]]:
        """Check all dead letters. Return the delivery counts by partition and offset of their records."""
        found: dict[tuple[int, int], list[int]] = {}
        topic = process.state.cluster.topics.get(QUEUE)
        for partition in topic.partitions if topic is not None else ():
            log = process.state.logs.get(QUEUE, partition.index)
            for batch in log.batches(log.log_start_offset) if log is not None else ():
                for letter in records(batch.buf, batch.start, batch.header):
                    place = self.read(partition.index, letter)
                    count = dict(letter.headers).get("__dlq.errors.delivery.count") or b"0"
                    found.setdefault(place, []).append(int(count))
        return found

    def check_all(self, process: Process) -> None:
        """Check that the queue has all records that were given up, now that all records are done."""
        topic_id = self.shares.laws.topic_ids().get(self.topic)
        if topic_id is None or not self.is_complete():
            return
        found = self._queue(process)
        for place, given in self._given.items():
            floor = max(self.shares.trimmed.get(place, 0), self.shares.ledger(place).floor)
            for offset, (count, began) in given.given_up.items():
                if place[0] != topic_id or offset < floor or self.shares.may_be_reset(began):
                    continue
                counts = found.get((place[1], offset), [])
                if count not in counts:
                    text = f"{place[1]}@{offset} was given up after {count} deliveries"
                    self._break("missing", f"{text}, the queue has it after {counts}")

    def _break(self, law: str, text: str) -> None:
        self.shares.laws.break_law(f"letters {law}", text)
