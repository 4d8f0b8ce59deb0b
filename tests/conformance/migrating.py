"""Groups that change between the classic and the consumer protocol, and the records that this writes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from struct import unpack
from typing import Any, Final

from tests.conformance.build_data import fetch, list_offsets
from tests.conformance.case import Fields, Talk, case
from tests.conformance.consumers import NO_INTERVAL, Consumer
from tests.conformance.members import MEMBER_ID_REQUIRED, Member, stable
from tidemark.groups.state import group_of
from tidemark_protocol import encode, to_dict
from tidemark_protocol.batch import LogRecord, headers, records
from tidemark_protocol.java import partition_of_group
from tidemark_protocol.records.consumer_protocol_assignment import ConsumerProtocolAssignment
from tidemark_protocol.records.consumer_protocol_assignment import TopicPartition as AssignedPart
from tidemark_protocol.records.consumer_protocol_subscription import (
    ConsumerProtocolSubscription,
    TopicPartition,
)
from tidemark_protocol.stored import decode_coordinator

OFFSETS: Final = "__consumer_offsets"
OFFSETS_PARTITIONS: Final = 4  # BASE_SETTINGS
POLICY: Final = "group.consumer.migration.policy"
FETCHED_BYTES: Final = 1 << 26
REMOVAL: Final = [  # the types of the tombstones of one member
    "ConsumerGroupCurrentMemberAssignment",
    "ConsumerGroupTargetAssignmentMember",
    "ConsumerGroupMemberMetadata",
]
REBALANCE_IN_PROGRESS: Final = 27

Owned = dict[str, list[int]]  # topic name -> partitions


def under_policy(name: str, *, versions: Iterable[int] | None = None, **settings: str) -> Any:
    """Register a case for a broker with this migration policy, without an assignment interval."""
    return case(settings={**NO_INTERVAL, POLICY: name, **settings}, versions=versions)


class Classic(Member):
    """A classic member that subscribes to topics, and reports which partitions it owns.

    how: arguments of build.join; subscription: the version of the subscription; names: of its protocols;
    rack, user_data: of the subscription.
    """

    def __init__(self, k: Talk, group: str, number: int, *topics: str, **how: Any) -> None:
        self.subscription_version: int = how.pop("subscription", 3)
        self.rack: str | None = how.pop("rack", None)
        self.names: list[str] = how.pop("names", ["range"])
        self.user_data: bytes | None = how.pop("user_data", None)
        self.topics = list(topics)
        self.owns: Owned = {}
        self.generation = -1
        super().__init__(k, group, number, **{**how, "protocols": self.protocols()})
        self.number = number
        self.talk = k

    def protocols(self) -> dict[str, str]:
        """Return the current subscription under each name."""
        return dict.fromkeys(self.names, self.subscription_of())

    def subscription_of(self) -> str:
        """Return the current subscription in hex, with the partitions that the member owns."""
        parts = [TopicPartition(topic, partitions) for topic, partitions in self.owns.items()]
        generation = self.generation if parts else -1
        value = ConsumerProtocolSubscription(self.topics, self.user_data, parts, generation, self.rack)
        return _hex("ConsumerProtocolSubscription", self.subscription_version, value)

    def will_own(self, owns: Owned, user_data: bytes | None = None) -> None:
        """Set the assignment that the leader of a classic group sends."""
        self.owns = owns
        parts = [AssignedPart(topic, partitions) for topic, partitions in owns.items()]
        value = ConsumerProtocolAssignment(parts, user_data)
        self.assignment = _hex("ConsumerProtocolAssignment", self.subscription_version, value)

    def rejoin(self, **other: Any) -> Fields:
        """Join with what the member owns, keep the response, and remember id and generation."""
        response = self.peer.ask(*self.join(**{"protocols": self.protocols(), **other}))
        if response["ErrorCode"] in (0, MEMBER_ID_REQUIRED) and self.id != response["MemberId"]:
            self.id = response["MemberId"]
            self.talk.alias(self.id, f"<member of m{self.number}>")
        if response["ErrorCode"] == 0:
            self.generation = response["GenerationId"]
        return response

    def assigned(self, **other: Any) -> Fields:
        """Sync without assignments, keep the response, and own what it assigns."""
        response = self.peer.ask(*self.sync(**other), keep=readable_assignment)
        if response["ErrorCode"] == 0:
            self.owns = assignment_of(response["Assignment"])
        return response

    def beat(self, **other: Any) -> Fields:
        """Send a classic heartbeat, and keep its response."""
        return self.peer.ask(*self.heartbeat(**other))

    def catch_up(self) -> None:
        """Do what a client does until the heartbeat says that nothing is left to do. Keeps every response."""
        for _ in range(4):
            if self.beat()["ErrorCode"] != REBALANCE_IN_PROGRESS:
                return
            self.rejoin()
            self.assigned()


def classics(k: Talk, count: int, *topics: str, **how: Any) -> list[Classic]:
    """Return classic members of one new group, which have not joined yet."""
    group = k.group()
    return [Classic(k, group, number, *topics, **how) for number in range(1, count + 1)]


def stable_classics(k: Talk, topic: str, *owned: list[int], **how: Any) -> list[Classic]:
    """Return the members of a Stable classic group, each with these partitions of the topic."""
    members = classics(k, len(owned), topic, **how)
    for member, partitions in zip(members, owned, strict=True):
        member.will_own({topic: partitions})
    stable(k, *members)
    return members


def upgraded(k: Talk, topic: str, *owned: list[int], **how: Any) -> tuple[list[Classic], Consumer]:
    """Return the members of a Stable classic group, and the consumer whose join has upgraded it."""
    members = stable_classics(k, topic, *owned, **how)
    new = Consumer(k, members[0].group, "c1", topics=[topic])
    new.join(kept=False)
    return members, new


def mixed(k: Talk, topic: str, *owned: list[int], **how: Any) -> tuple[list[Classic], Consumer]:
    """Return the members of an upgraded group once each has its part of the topic. Keeps nothing."""
    members, new = upgraded(k, topic, *owned, **how)
    before = len(k.kept)
    for _ in range(4):
        for member in members:
            member.catch_up()
        new.beat()
    del k.kept[before:]
    return members, new


def _hex(name: str, version: int, value: Any) -> str:
    return (version.to_bytes(2, "big") + encode(name, version, value)).hex()


def assignment_of(data: str) -> Owned:
    """Return the partitions of an assignment in hex."""
    raw = bytes.fromhex(data)
    if not raw:
        return {}
    (version,) = unpack(">h", raw[:2])
    parsed = ConsumerProtocolAssignment.DECODERS[version](raw, 2, len(raw))[0]
    return {part.topic: sorted(part.partitions) for part in parsed.assigned_partitions}


def readable_assignment(response: Fields) -> Fields:
    """keep= of a SyncGroup: the version of the assignment, its partitions in order, and its last bytes."""
    data = response["Assignment"]
    return {**response, "Assignment": [data[:4], assignment_of(data), data[-8:]] if data else ""}


class GroupLog:
    """The records that a broker writes about a group, from now on."""

    def __init__(self, k: Talk, group: str) -> None:
        self._k = k
        self._group = group
        self._partition = partition_of_group(group, OFFSETS_PARTITIONS)
        self._next = self._end()

    def keep(self) -> None:
        """Keep the records since the last call, by batch. Committed offsets are left out."""
        end = self._end()
        while self._next < end:
            wanted = {OFFSETS: {self._partition: self._next}}
            response = self._k.do(*fetch(wanted, partition_bytes=FETCHED_BYTES, max_bytes=FETCHED_BYTES))
            data = bytes.fromhex(response["Responses"][0]["Partitions"][0]["Records"] or "")
            for pos, header in headers(data):
                if header.base_offset >= self._next:
                    self._next = header.base_offset + header.last_offset_delta + 1
                    shown = [self._shown(one) for one in records(data, pos, header)]
                    self._keep_batch([one for one in shown if one is not None])

    def _keep_batch(self, shown: list[list[Any]]) -> None:
        if shown:
            self._k.keep("records", _in_order(shown, self._k.aliases))

    def _end(self) -> int:
        response = self._k.do(*list_offsets({OFFSETS: {self._partition: -1}}))
        end: int = response["Topics"][0]["Partitions"][0]["Offset"]
        return end

    def _shown(self, record: LogRecord) -> list[Any] | None:
        assert record.key is not None
        key, value = decode_coordinator(record.key, record.value)
        kind = type(key).__name__.removesuffix("Key")
        if kind == "OffsetCommit" or group_of(key) != self._group:
            return None
        shown = {name: item for name, item in to_dict(key).items() if item != self._group}
        return [kind, shown, None if value is None else _comparable(to_dict(value))]


def _in_order(shown: list[list[Any]], aliases: dict[str, str]) -> list[list[Any]]:
    """Sort records that follow each other by member where Kafka's order is that of a hash map.

    These are records of one type, and the three tombstones of each member that leaves.
    """

    def member(one: list[Any]) -> str:
        member_id = str(one[1].get("MemberId"))
        return aliases.get(member_id, member_id)

    parts: list[list[list[Any]]] = []
    for one in shown:
        parts.append([one])
        if _removes_a_member([part[0] for part in parts[-3:]], member):
            parts[-3:] = [[part[0] for part in parts[-3:]]]
    runs: list[list[list[list[Any]]]] = []
    for part in parts:
        if runs and _shape(runs[-1][0]) == _shape(part):
            runs[-1].append(part)
        else:
            runs.append([part])
    return [one for run in runs for part in sorted(run, key=lambda part: member(part[0])) for one in part]


def _removes_a_member(last: list[list[Any]], member: Callable[[list[Any]], str]) -> bool:
    kinds = [one[0] for one in last]
    return (
        kinds == REMOVAL and all(one[2] is None for one in last) and len({member(one) for one in last}) == 1
    )


def _shape(part: list[list[Any]]) -> list[tuple[str, bool]]:
    return [(one[0], one[2] is None) for one in part]


def _comparable(value: Fields) -> Fields:
    """Sort what has the order of a hash map, and hide the hash, because topic ids are random."""
    value = {name: sorted(item) if name == "SubscribedTopicNames" else item for name, item in value.items()}
    for name in ("TopicPartitions", "AssignedPartitions", "PartitionsPendingRevocation"):
        if name in value:
            value[name] = [_sorted_part(each) for each in sorted(value[name], key=lambda t: t["Partitions"])]
    if "members" in value:
        value["members"] = sorted(value["members"], key=lambda each: each["clientId"])
        if len(value["members"]) > 1:
            value["leader"] = value["leader"] in [each["memberId"] for each in value["members"]]
    if value.get("MetadataHash"):
        value["MetadataHash"] = "<hash>"
    return value


def _sorted_part(topic: Fields) -> Fields:
    """Sort the partitions of a topic, together with their assignment epochs."""
    epochs = topic.get("AssignmentEpochs")
    if epochs is None:
        return {**topic, "Partitions": sorted(topic["Partitions"])}
    pairs = sorted(zip(topic["Partitions"], epochs, strict=True))
    return {**topic, "Partitions": [p for p, _ in pairs], "AssignmentEpochs": [e for _, e in pairs]}


def members_by_client(response: Fields) -> Fields:
    """keep= of ConsumerGroupDescribe: sort members by client id, show assignments by topic name."""
    groups = []
    for group in response["Groups"]:
        members = []
        for member in sorted(group["Members"], key=lambda each: each["ClientId"]):
            shown = {**member, "SubscribedTopicNames": sorted(member["SubscribedTopicNames"])}
            for kind in ("Assignment", "TargetAssignment"):
                given = member[kind]["TopicPartitions"]
                shown[kind] = {part["TopicName"]: sorted(part["Partitions"]) for part in given}
            members.append(shown)
        groups.append({**group, "Members": members})
    return {**response, "Groups": groups}
