"""The groups of a generated log, and the batches that each writes, with holes for times and offsets.

tidemark_protocol's encoders make the bytes, in the versions of Kafka 4.3. A hole is a field that differs
between batches of the same group. Only holes are filled for each batch.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from tidemark_protocol.batch import TRANSACTIONAL, BatchBuilder, ControlType, build_control_batch
from tidemark_protocol.java import partition_of_group
from tidemark_protocol.records.consumer_group_current_member_assignment import (
    ConsumerGroupCurrentMemberAssignmentKey,
    ConsumerGroupCurrentMemberAssignmentValue,
    TopicPartitions,
)
from tidemark_protocol.records.consumer_group_member_metadata import (
    ConsumerGroupMemberMetadataKey,
    ConsumerGroupMemberMetadataValue,
)
from tidemark_protocol.records.consumer_group_metadata import (
    ConsumerGroupMetadataKey,
    ConsumerGroupMetadataValue,
)
from tidemark_protocol.records.consumer_group_target_assignment_member import (
    ConsumerGroupTargetAssignmentMemberKey,
    ConsumerGroupTargetAssignmentMemberValue,
)
from tidemark_protocol.records.consumer_group_target_assignment_member import (
    TopicPartition as TargetPartition,
)
from tidemark_protocol.records.consumer_group_target_assignment_metadata import (
    ConsumerGroupTargetAssignmentMetadataKey,
    ConsumerGroupTargetAssignmentMetadataValue,
)
from tidemark_protocol.records.consumer_protocol_assignment import (
    ConsumerProtocolAssignment,
)
from tidemark_protocol.records.consumer_protocol_assignment import (
    TopicPartition as AssignedPartition,
)
from tidemark_protocol.records.consumer_protocol_subscription import ConsumerProtocolSubscription
from tidemark_protocol.records.group_metadata import GroupMetadataKey, GroupMetadataValue, MemberMetadata
from tidemark_protocol.records.offset_commit import OffsetCommitKey, OffsetCommitValue
from tidemark_protocol.stored import VERSIONS_OF, CoordinatorCodec

DAY_MS: Final = 86_400_000
NO_TOPIC_ID: Final = bytes(16)
# A hole has these bytes until it is filled. No text and no number that is written here contains them.
OFFSET_HOLE: Final = 0x7EFD_FCFB_FAF9_F8F7
TIME_HOLE: Final = 0x7EFD_FCFB_FAF9_F8E6
EXPIRY_HOLE: Final = 0x7EFD_FCFB_FAF9_F8D5
HEADER_TIMES: Final = (27, 35)  # base and max timestamp of a batch's header
MARKER_VALUE: Final = bytes(6)  # version 0, coordinator epoch 0

TOPIC_NAMES: Final = ("orders", "payments.eu-west-1", "clicks", "inventory-changes", "customer.profile.v2")
GROUP_NAMES: Final = ("billing", "search-indexer", "warehouse.sync", "fraud-detection-prod", "mailer")
# Ten tables of twenty groups each: the mix of commits and group records in clusters of many teams.
KINDS: Final = ("classic",) * 11 + ("consumer",) * 5 + ("simple",) * 3 + ("transactional",)
MEMBERS_MAX: Final = 4
STOPPING: Final = 0.15  # share of the groups that stop, at random times
WITH_METADATA: Final = 0.2  # share of those whose commits have metadata
EXPLICIT_RETENTION: Final = 0.1  # share of simple groups of old clients, which set a retention
EXPLICIT_RETENTION_MS: Final = DAY_MS

Record = tuple[Any, Any]
PendingRequest = tuple[str, bytes, int]  # topic, its id, partition


@dataclass(slots=True, frozen=True)
class Template:
    """A batch at offset 0 and time 0.

    kind           offsets, groups or control: the type of its records
    tombstones     how many of them
    times_at       the positions of times: the time of the batch plus time_delta
    offsets_at     the positions of committed offsets: ms after the start of the log, they are
                   offset_bases + ms * offset_rates // 1000
    outcome        of a marker: commit, abort; else ""
    """

    batch: bytes
    count: int
    kind: str
    tombstones: int = 0
    times_at: Sequence[int] = HEADER_TIMES
    time_deltas: Sequence[int] = (0, 0)
    offsets_at: Sequence[int] = ()
    offset_bases: Sequence[int] = ()
    offset_rates: Sequence[int] = ()
    transactional: bool = False
    outcome: str = ""


@dataclass(slots=True, frozen=True)
class Group:
    """shares: the partitions of each member, which commits them in one batch."""

    name: str
    kind: str
    log_partition: int
    shares: Sequence[Sequence[PendingRequest]]
    stops_ms: int | None  # after the start of the log
    metadata: str
    explicit_retention: bool
    producer_id: int

    @property
    def slots(self) -> list[PendingRequest]:
        return [slot for share in self.shares for slot in share]

    @property
    def topics(self) -> dict[str, bytes]:
        return {topic: topic_id for topic, topic_id, _ in self.slots}


def groups(
    rng: np.random.Generator, count: int, log_partitions: int, batch_max: int, span_ms: int
) -> Iterator[Group]:
    """Return this many groups, evenly over the log partitions.

    A member commits 1 to batch_max partitions at once. As many groups commit 1 to 10 as 10 to 100.
    """
    for number in range(count):
        members = int(rng.integers(1, MEMBERS_MAX + 1))
        each = int(np.exp(rng.uniform(0, np.log(batch_max + 1))))
        kind = KINDS[number * 7 % len(KINDS)]
        yield Group(
            name=_name_in(f"{GROUP_NAMES[number % len(GROUP_NAMES)]}-{number}", number, log_partitions),
            kind=kind,
            log_partition=number % log_partitions,
            shares=_shares(rng, members, each),
            stops_ms=int(rng.uniform(0, span_ms)) if rng.random() < STOPPING else None,
            metadata=_text(rng) if rng.random() < WITH_METADATA else "",
            explicit_retention=kind == "simple" and rng.random() < EXPLICIT_RETENTION,
            producer_id=1000 + number,
        )


def _name_in(stem: str, number: int, log_partitions: int) -> str:
    """Return a name that Kafka puts into log partition number % log_partitions."""
    names = (f"{stem}-{attempt}" for attempt in range(1_000_000))
    return next(name for name in names if partition_of_group(name, log_partitions) == number % log_partitions)


def _shares(rng: np.random.Generator, members: int, each: int) -> list[list[PendingRequest]]:
    topics = [
        (f"{TOPIC_NAMES[at % len(TOPIC_NAMES)]}.{at}", rng.bytes(16))
        for at in rng.choice(1000, size=int(rng.integers(1, 4)), replace=False)
    ]
    slots = [(*topics[at % len(topics)], at // len(topics)) for at in range(members * each)]
    return [slots[at * each : (at + 1) * each] for at in range(members)]


def _text(rng: np.random.Generator) -> str:
    letters = rng.integers(ord("a"), ord("z") + 1, size=int(rng.integers(8, 40)))
    return bytes(letters.astype(np.uint8)).decode()


class Writer:
    """The batches of one group, as templates."""

    def __init__(self, group: Group, rng: np.random.Generator) -> None:
        self.group = group
        self._rng = rng
        self._codec = CoordinatorCodec(VERSIONS_OF["4.3"])

    def commits(self) -> list[Template]:
        """Return a commit of each member."""
        return [self._commit(share) for share in self.group.shares]

    def _commit(self, share: Sequence[PendingRequest]) -> Template:
        rates = self._rng.integers(1, 50, size=len(share))
        bases = self._rng.integers(0, 10_000_000, size=len(share))
        batch = self._batch((self._key(slot), self._value(slot)) for slot in share)
        times = [*_places(batch, TIME_HOLE), *_places(batch, EXPIRY_HOLE)]
        deltas = [0] * len(share) + [EXPLICIT_RETENTION_MS] * (len(times) - len(share))
        return Template(
            batch,
            len(share),
            "offsets",
            times_at=(*HEADER_TIMES, *times),
            time_deltas=(0, 0, *deltas),
            offsets_at=tuple(_places(batch, OFFSET_HOLE)),
            offset_bases=tuple(map(int, bases)),
            offset_rates=tuple(map(int, rates)),
            transactional=self._is_transactional,
        )

    def forgets(self, share: Sequence[PendingRequest]) -> Template:
        """Return tombstones of one member's offsets."""
        batch = self._batch(((self._key(slot), None) for slot in share), transactional=False)
        return Template(batch, len(share), "offsets", len(share))

    def marker(self, outcome: str) -> Template:
        kind = ControlType.COMMIT if outcome == "commit" else ControlType.ABORT
        batch = build_control_batch(kind, MARKER_VALUE, 0, producer_id=self.group.producer_id)
        return Template(batch, 1, "control", transactional=True, outcome=outcome)

    def rebalance(self, number: int, at_ms: int) -> Template | None:
        """Return the records that end a rebalance; None if there are none."""
        match self.group.kind:
            case "classic":
                return self._of_group([self._generation(number, at_ms)])
            case "consumer":
                return self._of_group(self._epoch(number, at_ms))
        return None

    def stop(self, number: int, at_ms: int) -> Template | None:
        """Return the records that the coordinator writes when the last member leaves."""
        name = self.group.name
        match self.group.kind:
            case "classic":
                value = GroupMetadataValue("consumer", number, None, None, at_ms, [])
                return self._of_group([(GroupMetadataKey(name), value)])
            case "consumer":
                gone: list[Record] = []
                for member in self._members():
                    gone += [
                        (ConsumerGroupCurrentMemberAssignmentKey(name, member), None),
                        (ConsumerGroupTargetAssignmentMemberKey(name, member), None),
                        (ConsumerGroupMemberMetadataKey(name, member), None),
                    ]
                return self._of_group(
                    [*gone, (ConsumerGroupMetadataKey(name), ConsumerGroupMetadataValue(number))]
                )
        return None

    def expire(self) -> list[Template]:
        """Return the tombstones of all offsets and of the group."""
        name = self.group.name
        offsets = self.forgets(self.group.slots)
        match self.group.kind:
            case "classic":
                return [offsets, self._of_group([(GroupMetadataKey(name), None)])]
            case "consumer":
                epochs = ConsumerGroupTargetAssignmentMetadataKey(name), ConsumerGroupMetadataKey(name)
                return [offsets, self._of_group([(key, None) for key in epochs])]
        return [offsets]

    @property
    def _is_transactional(self) -> bool:
        return self.group.kind == "transactional"

    def _key(self, slot: PendingRequest) -> OffsetCommitKey:
        topic, _, partition = slot
        return OffsetCommitKey(self.group.name, topic, partition)

    def _value(self, slot: PendingRequest) -> OffsetCommitValue:
        # A transactional commit carries no topic id.
        return OffsetCommitValue(
            OFFSET_HOLE,
            0,
            self.group.metadata,
            TIME_HOLE,
            EXPIRY_HOLE if self.group.explicit_retention else -1,
            NO_TOPIC_ID if self._is_transactional else slot[1],
        )

    def _batch(self, records: Iterable[Record], *, transactional: bool | None = None) -> bytes:
        builder = BatchBuilder(0)
        for key, value in records:
            builder.add(*self._codec.encode(key, value))
        if self._is_transactional if transactional is None else transactional:
            return builder.build(
                producer_id=self.group.producer_id, producer_epoch=0, attributes=TRANSACTIONAL
            )
        return builder.build()

    def _of_group(self, records: Sequence[Record]) -> Template:
        batch = self._batch(records, transactional=False)
        return Template(batch, len(records), "groups", sum(value is None for _, value in records))

    def _members(self) -> list[str]:
        return [f"consumer-{self.group.name}-{at}-5f0c5e1c" for at in range(len(self.group.shares))]

    def _generation(self, number: int, at_ms: int) -> Record:
        members = self._members()
        value = GroupMetadataValue(
            "consumer",
            number,
            "range",
            members[0],
            at_ms,
            [
                MemberMetadata(
                    member,
                    None,
                    f"client-{at}",
                    "/10.0.0.7",
                    300_000,
                    45_000,
                    self._subscription(),
                    _classic_assignment(share),
                )
                for at, (member, share) in enumerate(zip(members, self.group.shares, strict=True))
            ],
        )
        return GroupMetadataKey(self.group.name), value

    def _subscription(self) -> bytes:
        return _versioned(3, ConsumerProtocolSubscription(sorted(self.group.topics)))

    def _epoch(self, number: int, at_ms: int) -> list[Record]:
        """Return the records of the first join, or a later rebalance, of a KIP-848 group."""
        name, members = self.group.name, self._members()
        records: list[Record] = []
        if number == 1:
            subscribed = sorted(self.group.topics)
            records += [
                (
                    ConsumerGroupMemberMetadataKey(name, member),
                    ConsumerGroupMemberMetadataValue(
                        None, None, f"client-{at}", "/10.0.0.8", subscribed, "", 300_000, None, None
                    ),
                )
                for at, member in enumerate(members)
            ]
        records.append((ConsumerGroupMetadataKey(name), ConsumerGroupMetadataValue(number, 7_777)))
        records += [
            (ConsumerGroupTargetAssignmentMemberKey(name, member), _target(share))
            for member, share in zip(members, self.group.shares, strict=True)
        ]
        records.append(
            (
                ConsumerGroupTargetAssignmentMetadataKey(name),
                ConsumerGroupTargetAssignmentMetadataValue(number, at_ms),
            )
        )
        records += [
            (ConsumerGroupCurrentMemberAssignmentKey(name, member), _current(share, number))
            for member, share in zip(members, self.group.shares, strict=True)
        ]
        return records


def _by_topic(share: Sequence[PendingRequest]) -> dict[tuple[str, bytes], list[int]]:
    found: dict[tuple[str, bytes], list[int]] = {}
    for topic, topic_id, partition in share:
        found.setdefault((topic, topic_id), []).append(partition)
    return found


def _classic_assignment(share: Sequence[PendingRequest]) -> bytes:
    assigned = [AssignedPartition(topic, partitions) for (topic, _), partitions in _by_topic(share).items()]
    return _versioned(3, ConsumerProtocolAssignment(assigned))


def _target(share: Sequence[PendingRequest]) -> ConsumerGroupTargetAssignmentMemberValue:
    return ConsumerGroupTargetAssignmentMemberValue(
        [TargetPartition(topic_id, partitions) for (_, topic_id), partitions in _by_topic(share).items()]
    )


def _current(share: Sequence[PendingRequest], epoch: int) -> ConsumerGroupCurrentMemberAssignmentValue:
    assigned = [
        TopicPartitions(topic_id, partitions, [epoch] * len(partitions))
        for (_, topic_id), partitions in _by_topic(share).items()
    ]
    return ConsumerGroupCurrentMemberAssignmentValue(epoch, epoch - 1, 0, assigned, [])


def _versioned(version: int, message: Any) -> bytes:
    out = bytearray(version.to_bytes(2, "big"))
    message.ENCODERS[version](out, message)
    return bytes(out)


def _places(batch: bytes, hole: int) -> Iterator[int]:
    mark = hole.to_bytes(8, "big")
    at = batch.find(mark)
    while at >= 0:
        yield at
        at = batch.find(mark, at + 8)
