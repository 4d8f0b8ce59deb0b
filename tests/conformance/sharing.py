"""Members of share groups (KIP-932), for cases.

    topic = filled_topic(k, 10)
    one = a_sharer(k, topic)           # a member that has the partitions of the topic
    one.fetch({topic: [0]})            # session epoch 0
    one.fetch({topic: {0: [(0, 4, ACCEPT)]}})

Each member has a connection of its own. Its member id is fixed: the assignment depends on it. Responses show
topics by name, and record batches as `0-9`, the offsets of their first and last record.
"""

from __future__ import annotations

import base64
import uuid
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from tests.conformance.build import Request
from tests.conformance.build_data import batch, produce, record
from tests.conformance.build_share import (
    RELEASE,
    describe_share,
    describe_share_offsets,
    share_acknowledge,
    share_fetch,
    share_heartbeat,
)
from tests.conformance.case import Fields, Peer, Talk, case
from tests.conformance.consumers import SHARDS, set_group
from tidemark_protocol.batch import headers
from tidemark_protocol.java import partition_of_group

CONTROL: Final = 1 << 5  # attribute of a batch
SECOND: Final = {"share_record_lock_duration_ms": "1000"}  # the shortest lock
# A target assignment is computed at once. Groups may have short sessions and locks.
SHARE_SETTINGS: Final = {
    "group.share.assignment.interval.ms": "0",
    "group.share.min.session.timeout.ms": "1000",
    "group.share.min.heartbeat.interval.ms": "500",
    "group.share.min.record.lock.duration.ms": "1000",
    "share.coordinator.state.topic.num.partitions": "4",
}
shares: Final = partial(case, settings=SHARE_SETTINGS)


def member_id(number: int) -> str:
    """Return the id of a member: a Uuid, as Kafka writes it."""
    return base64.urlsafe_b64encode(number.to_bytes(16, "big")).decode().rstrip("=")


def share_topic(k: Talk, partitions: int = 1, **configs: str) -> str:
    """Create a topic and wait until every group coordinator knows it. Responses show its name as its id."""
    topic = k.topic(partitions, **configs)
    name_id(k, topic)
    k.group()  # creates the offsets topic
    for shard in range(SHARDS):
        until_shared(k, topic, shard)
    return topic


def name_id(k: Talk, topic: str) -> None:
    """Show the name of a topic in place of its id, in both forms."""
    topic_id = k.topic_id(topic)
    k.alias(as_text(topic_id), topic)
    k.alias(topic_id, topic)


def as_text(topic_id: str) -> str:
    """Return an id as Kafka writes it in texts."""
    return base64.urlsafe_b64encode(uuid.UUID(topic_id).bytes).decode().rstrip("=")


def until_shared(k: Talk, topic: str, shard: int) -> None:
    """Wait until this group coordinator assigns the topic to the member of a group."""
    number = 0
    while partition_of_group(f"{topic}.probe.share{number}", SHARDS) != shard:
        number += 1
    group = f"{topic}.probe.share{number}"
    epoch = 0

    def beat() -> Fields:
        nonlocal epoch
        response = k.do(*share_heartbeat(group, member_id(1), epoch, [topic]))
        epoch = response["MemberEpoch"] if response["ErrorCode"] == 0 else 0
        return response

    k.until(beat, lambda told: (told["Assignment"] or {"TopicPartitions": []})["TopicPartitions"])
    k.do(*share_heartbeat(group, member_id(1), -1))


def fill(k: Talk, topic: str, records: int, partition: int = 0, batches: int = 1) -> None:
    """Produce batches of these records each."""
    for _ in range(batches):
        data = batch(*[record(value=b"value %d" % number) for number in range(records)])
        told = k.do(*produce({topic: {partition: data}}))["Responses"][0]["PartitionResponses"][0]
        assert told["ErrorCode"] == 0, told


def filled_topic(k: Talk, records: int, partitions: int = 1, batches: int = 1, **configs: str) -> str:
    """Create a topic, each of whose partitions has batches of these records each."""
    topic = share_topic(k, partitions, **configs)
    for index in range(partitions):
        fill(k, topic, records, index, batches)
    return topic


class Sharer:
    """One member of a share group: its requests, its epochs, and what the broker assigned to it.

    epoch    of the member
    session  the epoch of its next request in the share session; None: the next epoch after the last success
    """

    def __init__(self, k: Talk, group: str, number: int = 1, version: int = 1) -> None:
        self.talk = k
        self.group = group
        self.id = member_id(number)
        self.peer: Peer = k.connect(f"m{number}")
        self.epoch = 0
        self.session = 0
        self.version = version
        self.owns: dict[str, list[int]] = {}
        self._ids: dict[str, str] = {}

    # Membership

    def beat(self, topics: Sequence[str] | None = None, *, kept: bool = True, **other: Any) -> Fields:
        request = self.heartbeat(topics, **other)
        response = self.peer.ask(*request, keep=self.comparable) if kept else self.peer.do(*request)
        if response["ErrorCode"] == 0 and "group" not in other and "member" not in other:
            self.epoch = max(response["MemberEpoch"], 0)
            if response["Assignment"] is not None:
                self.owns = self._named(response)
        return response

    def heartbeat(
        self,
        topics: Sequence[str] | None = None,
        *,
        epoch: int | None = None,
        member: str | None = None,
        group: str | None = None,
        **other: Any,
    ) -> Request:
        return share_heartbeat(
            self.group if group is None else group,
            self.id if member is None else member,
            self.epoch if epoch is None else epoch,
            topics,
            **other,
        )

    def join(self, *topics: str, kept: bool = True, **other: Any) -> Fields:
        self.owns = {}
        return self.beat(topics, epoch=0, kept=kept, **other)

    def leave(self, *, kept: bool = True, **other: Any) -> Fields:
        return self.beat(epoch=-1, kept=kept, **other)

    def beat_until(self, owns: Mapping[str, Sequence[int]]) -> None:
        """Send heartbeats until the member has these partitions. Keeps nothing."""
        wanted = {topic: sorted(partitions) for topic, partitions in owns.items()}
        self.talk.until(lambda: self.beat(kept=False), lambda _: self.owns == wanted)

    def comparable(self, response: Fields) -> Fields:
        """keep= of a heartbeat: show the assignment by topic name, sorted."""
        if response["Assignment"] is None:
            return response
        return {**response, "Assignment": dict(sorted(self._named(response).items()))}

    def _named(self, response: Fields) -> dict[str, list[int]]:
        given = response["Assignment"]["TopicPartitions"]
        return {
            self.talk.aliases.get(each["TopicId"], each["TopicId"]): sorted(each["Partitions"])
            for each in given
        }

    # Records

    def fetch(self, wanted: Any = None, *, kept: bool = True, **other: Any) -> Fields:
        """Send a ShareFetch in the session, by topic name."""
        return self._send(share_fetch, wanted, kept, other)

    def acknowledge(self, wanted: Any = None, *, kept: bool = True, **other: Any) -> Fields:
        """Send a ShareAcknowledge in the session, by topic name."""
        return self._send(share_acknowledge, wanted, kept, other)

    def request(self, build: Any, wanted: Any = None, **other: Any) -> Request:
        """Build a request in the session. wanted, forgotten: by topic name or topic id."""
        if other.get("forgotten"):
            other["forgotten"] = {self.id_of(topic): given for topic, given in other["forgotten"].items()}
        given = {
            "group": self.group,
            "member": self.id,
            "epoch": self.session,
            "version": self.version,
            **other,
        }
        asked = {self.id_of(topic): partitions for topic, partitions in (wanted or {}).items()}
        built: Request = build(given.pop("group"), given.pop("member"), given.pop("epoch"), asked, **given)
        return built

    def _send(self, build: Any, wanted: Any, kept: bool, other: dict[str, Any]) -> Fields:
        request = self.request(build, wanted, **other)
        response = self.peer.ask(*request, keep=self.shown) if kept else self.peer.do(*request)
        if not {"group", "member"} & {*other}:
            self.succeeded(response, other.get("epoch", self.session))
        return response

    def shown(self, response: Fields) -> Fields:
        """keep= of ShareFetch and ShareAcknowledge."""
        return shared(self.talk, response)

    def succeeded(self, response: Fields, epoch: int) -> None:
        """Go on to the next epoch of the session after a success."""
        if response["ErrorCode"] == 0:
            self.session = epoch + 1

    def id_of(self, topic: str) -> str:
        found = {name: drawn for drawn, name in self.talk.aliases.items()}
        return found.get(topic, topic)

    def fetch_until(self, wanted: Any = None, *, kept: bool = True, **other: Any) -> Fields:
        """Send a ShareFetch until its response has acquired records, and keep only that one."""

        def acquired(response: Fields) -> bool:
            return response["ErrorCode"] != 0 or any(
                partition["AcquiredRecords"] or partition["ErrorCode"]
                for topic in response["Responses"]
                for partition in topic["Partitions"]
            )

        response = self.talk.until(lambda: self.fetch(wanted, kept=False, **other), acquired)
        if kept:
            self.talk.keep("ShareFetch, at last", self.shown(response))
        return response


def a_group(k: Talk, **configs: str) -> str:
    """Return a new share group that begins with the earliest record. configs: as of `set_group`."""
    group = k.group()
    set_group(k, group, **{"share_auto_offset_reset": "earliest", **configs})
    return group


def sharers(k: Talk, count: int, topics: Mapping[str, int], version: int = 1, **configs: str) -> list[Sharer]:
    """Return members of one new group that have joined, each with its assignment. Keeps nothing.

    topics: topic to the number of its partitions
    """
    group = a_group(k, **configs)
    members = [Sharer(k, group, number, version) for number in range(1, count + 1)]
    first = members[0]
    first.join(*topics, kept=False)
    # Its answer waits for the record that their state exists: the next heartbeat's are in another batch.
    k.until(
        lambda: k.do(*describe_share_offsets((group, None)))["Groups"][0]["Topics"],
        lambda described: len(described) == len(topics),
    )
    first.beat_until({topic: range(partitions) for topic, partitions in topics.items()})
    for other in members[1:]:
        other.join(*topics, kept=False)
    if count > 1:
        settle(k, members)
    return members


def settle(k: Talk, members: list[Sharer]) -> None:
    """Send heartbeats until each member has its assignment. Keeps nothing."""
    k.until(lambda: [each.beat(kept=False) for each in members], lambda _: _is_settled(k, members))


def _is_settled(k: Talk, members: list[Sharer]) -> bool:
    told = k.do(*describe_share(members[0].group))["Groups"][0]
    return (
        told["GroupState"] == "Stable"
        and len(told["Members"]) == len(members)
        and all(each["MemberEpoch"] == told["GroupEpoch"] for each in told["Members"])
        and all(each.epoch == told["GroupEpoch"] for each in members)
    )


def a_sharer(k: Talk, topic: str, partitions: int = 1, version: int = 1, **configs: str) -> Sharer:
    """Return the only member of a new group, which has all partitions of the topic."""
    (one,) = sharers(k, 1, {topic: partitions}, version, **configs)
    return one


def started(k: Talk, topic: str, version: int = 1, **configs: str) -> Sharer:
    """Return the only member of a new group, which has acquired records of partition 0."""
    one = a_sharer(k, topic, version=version, **configs)
    one.fetch_until({topic: [0]}, kept=False)
    return one


def closed(one: Sharer, topic: str, last: int, partitions: int = 1) -> Sharer:
    """Release the records up to this offset and close the session of the member.

    Records that a session only loses are released after the response.
    """
    released = {index: [(0, last, RELEASE)] for index in range(partitions)}
    one.acknowledge({topic: released}, epoch=-1, kept=False)
    one.session = 0
    return one


def shared(k: Talk, response: Fields) -> Fields:
    """Show record batches as offsets, and sort topics and partitions by name and number."""
    topics = [
        {
            **topic,
            "Partitions": sorted(map(_partition, topic["Partitions"]), key=lambda p: p["PartitionIndex"]),
        }
        for topic in response["Responses"]
    ]
    topics.sort(key=lambda topic: (k.aliases.get(topic["TopicId"], ""), topic["TopicId"]))
    return {**response, "Responses": topics}


def _partition(given: Fields) -> Fields:
    shown = dict(given)
    if "Records" in given:
        shown["Records"] = None if given["Records"] is None else offsets_of(bytes.fromhex(given["Records"]))
    if "AcquiredRecords" in given:
        shown["AcquiredRecords"] = [
            f"{each['FirstOffset']}-{each['LastOffset']} x{each['DeliveryCount']}"
            for each in given["AcquiredRecords"]
        ]
    return shown


def offsets_of(data: bytes) -> list[str]:
    """Return the first and last offset of each batch."""
    return [
        f"{header.base_offset}-{header.base_offset + header.last_offset_delta}"
        + (" control" if header.attributes & CONTROL else "")
        for _, header in headers(data)
    ]


def ask_described(one: Sharer) -> None:
    """Keep ShareGroupDescribe of the member's group."""
    one.talk.ask(*describe_share(one.group), keep=groups_in_order)


def groups_in_order(response: Fields) -> Fields:
    """keep= of ShareGroupDescribe: sort members by id, and show their topics by name."""
    groups = [
        {**group, "Members": [_member(m) for m in sorted(group["Members"], key=lambda m: m["MemberId"])]}
        for group in response["Groups"]
    ]
    return {**response, "Groups": groups}


def _member(member: Fields) -> Fields:
    given = member["Assignment"]["TopicPartitions"]
    return {
        **member,
        "SubscribedTopicNames": sorted(member["SubscribedTopicNames"]),
        "Assignment": dict(sorted((t["TopicName"], sorted(t["Partitions"])) for t in given)),
    }
