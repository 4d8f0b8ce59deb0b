"""Members of groups with the consumer protocol (KIP-848), for cases and stories.

    topic = known_topic(k, 2)
    one = Consumer(k, k.group(), "m1", topics=[topic])
    one.join()
    one.beat(owns={topic: [0, 1]})

Each member has a connection of its own; its member id is its client id. Responses show topics by name.
Topics and partitions are sorted: topic ids are random, and Kafka's immutable sets have another order in each
process.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from tests.conformance.build import Request
from tests.conformance.build_admin import GROUP, SET, change
from tests.conformance.case import Fields, Talk, case
from tidemark_protocol.java import partition_of_group

# A target assignment is computed at once, and groups may have short sessions.
NO_INTERVAL: Final = {
    "group.consumer.assignment.interval.ms": "0",
    "group.consumer.min.session.timeout.ms": "1000",
    "group.consumer.min.heartbeat.interval.ms": "500",
}
no_interval: Final = partial(case, settings=NO_INTERVAL)
SHARDS: Final = 4  # offsets.topic.num.partitions of the broker
Owned = Mapping[str, Sequence[int]]


def known_topic(k: Talk, partitions: int = 1) -> str:
    """Create a topic and wait until every coordinator knows it.

    Kafka's coordinators, one for each partition of the offsets topic, learn of a topic after the broker does.
    """
    topic = k.topic(partitions)
    k.group()  # creates the offsets topic
    for shard in range(SHARDS):
        until_known(k, topic, partitions, shard)
    return topic


def until_known(k: Talk, topic: str, partitions: int, shard: int) -> None:
    """Wait until this coordinator assigns all partitions of the topic to the first member of a new group."""
    names = (
        name for n in itertools.count() if partition_of_group(name := f"{topic}.probe{n}", SHARDS) == shard
    )
    how: dict[str, Any] = {"rebalance_ms": 1000, "topics": [topic], "owns": {}}
    k.until(
        lambda: k.do(*consumer_heartbeat(next(names), "probe", 0, **how)),
        lambda response: sum(len(t["Partitions"]) for t in _assigned(response)) == partitions,
    )


def _assigned(response: Fields) -> list[Fields]:
    found: list[Fields] = (response["Assignment"] or {"TopicPartitions": []})["TopicPartitions"]
    return found


def consumer_heartbeat(
    group: str,
    member: str,
    epoch: int,
    *,
    instance: str | None = None,
    rack: str | None = None,
    rebalance_ms: int = -1,
    topics: Sequence[str] | None = None,
    regex: str | None = None,
    assignor: str | None = None,
    owns: Owned | None = None,
    version: int = 1,
) -> Request:
    """Build a ConsumerGroupHeartbeat. owns: topic id to partitions; None means unchanged."""
    owned = None if owns is None else [{"TopicId": t, "Partitions": list(p)} for t, p in owns.items()]
    fields = {
        "GroupId": group,
        "MemberId": member,
        "MemberEpoch": epoch,
        "InstanceId": instance,
        "RackId": rack,
        "RebalanceTimeoutMs": rebalance_ms,
        "SubscribedTopicNames": None if topics is None else list(topics),
        "SubscribedTopicRegex": regex,
        "ServerAssignor": assignor,
        "TopicPartitions": owned,
    }
    return "ConsumerGroupHeartbeat", version, fields


class Consumer:
    """One member: its requests, its epoch, and what the broker assigned to it.

    how: arguments of consumer_heartbeat for joins and full heartbeats.
    """

    def __init__(self, k: Talk, group: str, member: str = "m1", **how: Any) -> None:
        self.talk = k
        self.group = group
        self.id = member
        self.peer = k.connect(member)
        self.epoch = 0
        self.owns: dict[str, list[int]] = {}  # by topic name
        self.how: dict[str, Any] = {"rebalance_ms": 30000, **how}
        if not how.get("regex"):
            self.how.setdefault("topics", [])
        self._ids: dict[str, str] = {}

    def join(self, *, kept: bool = True, **other: Any) -> Fields:
        """Join, or rejoin, with epoch 0."""
        self.owns = {}
        return self.send(kept, epoch=0, **{**self.how, "owns": {}, **other})

    def beat(self, *, kept: bool = True, **other: Any) -> Fields:
        """Send a heartbeat in which nothing changed. A static member sends its instance id each time."""
        return self.send(kept, **{**self._identity(), **other})

    def full(self, *, kept: bool = True, **other: Any) -> Fields:
        """Send a heartbeat with every field."""
        return self.send(kept, **{**self.how, "owns": self.owns, **other})

    def leave(self, epoch: int = -1, *, kept: bool = True, **other: Any) -> Fields:
        return self.send(kept, **{**self._identity(), "epoch": epoch, **other})

    def settle(self, *, beats: int = 1) -> None:
        """Acknowledge what was assigned, keeping no response."""
        for _ in range(beats):
            self.full(kept=False)

    def beat_until(self, done: Callable[[Fields], Any], **other: Any) -> None:
        """Repeat a heartbeat until its response is as expected, and keep only that one."""
        response = self.talk.until(lambda: self.beat(kept=False, **other), done)
        self.talk.keep("ConsumerGroupHeartbeat, at last", self.comparable(response))

    def request(
        self, *, epoch: int | None = None, member: str | None = None, group: str | None = None, **fields: Any
    ) -> Request:
        """Build a heartbeat of this member. owns: topic name (or an id) to partitions."""
        if (owns := fields.get("owns")) is not None:
            fields["owns"] = {self._id(topic): partitions for topic, partitions in owns.items()}
        return consumer_heartbeat(
            self.group if group is None else group,
            self.id if member is None else member,
            self.epoch if epoch is None else epoch,
            **{**self._version(), **fields},
        )

    def send(self, kept: bool = True, **fields: Any) -> Fields:
        request = self.request(**fields)
        response = self.peer.ask(*request, keep=self.comparable) if kept else self.peer.do(*request)
        if response["ErrorCode"] == 0 and fields.get("member") is None:
            self.epoch = max(response["MemberEpoch"], 0)
            if response["Assignment"] is not None:
                self.owns = self._named(response)
        return response

    def comparable(self, response: Fields) -> Fields:
        """keep= of a heartbeat: show the assignment by topic name, sorted."""
        if response["Assignment"] is None:
            return response
        return {**response, "Assignment": dict(sorted(self._named(response).items()))}

    def _named(self, response: Fields) -> dict[str, list[int]]:
        given = response["Assignment"]["TopicPartitions"]
        unknown = [each["TopicId"] for each in given if each["TopicId"] not in self._ids]
        if unknown:
            self._learn(*({"TopicId": topic_id, "Name": None} for topic_id in unknown))
        return {self._ids.get(each["TopicId"], each["TopicId"]): sorted(each["Partitions"]) for each in given}

    def _id(self, topic: str) -> str:
        if topic not in self._ids.values():
            self._learn({"Name": topic})
        return next((topic_id for topic_id, name in self._ids.items() if name == topic), topic)

    def _learn(self, *topics: Fields) -> None:
        """Ask for ids and names of these topics, as far as they exist."""
        known = self.talk.do("Metadata", 12, {"Topics": [*topics], "AllowAutoTopicCreation": False})
        self._ids |= {topic["TopicId"]: topic["Name"] for topic in known["Topics"] if not topic["ErrorCode"]}

    def _version(self) -> dict[str, int]:
        return {"version": self.how["version"]} if "version" in self.how else {}

    def _identity(self) -> dict[str, str]:
        return {"instance": self.how["instance"]} if self.how.get("instance") is not None else {}


def consumers(k: Talk, count: int, **how: Any) -> list[Consumer]:
    """Return members m1, m2, ... of one new group, which have not joined yet."""
    group = k.group()
    return [Consumer(k, group, f"m{number}", **how) for number in range(1, count + 1)]


def settled(*members: Consumer) -> None:
    """Join the members one after the other, and send heartbeats until each has its part. Keeps nothing."""
    for each in members:
        each.join(kept=False)
    settle(*members)


def settle(*members: Consumer) -> None:
    """Send heartbeats of all members until the group is Stable. Keeps nothing."""

    def beat() -> None:
        for each in members:
            each.full(kept=False)

    def is_stable() -> bool:
        return described(members[0])["GroupState"] == "Stable"

    if not is_stable():
        members[0].talk.until(beat, lambda _: is_stable())
    beat()


def described(member: Consumer) -> Fields:
    response: Fields = member.talk.do(*describe_consumers(member.group))["Groups"][0]
    return response


def describe_consumers(*groups: str, version: int = 1, operations: bool = False) -> Request:
    fields = {"GroupIds": list(groups), "IncludeAuthorizedOperations": operations}
    return "ConsumerGroupDescribe", version, fields


def consumers_in_order(response: Fields) -> Fields:
    """keep= of ConsumerGroupDescribe: sort members by id, and topics by name."""
    groups = [
        {**group, "Members": [_member(m) for m in sorted(group["Members"], key=lambda m: m["MemberId"])]}
        for group in response["Groups"]
    ]
    return {**response, "Groups": groups}


def _member(member: Fields) -> Fields:
    shown = {**member, "SubscribedTopicNames": sorted(member["SubscribedTopicNames"])}
    for kind in ("Assignment", "TargetAssignment"):
        given = member[kind]["TopicPartitions"]
        shown[kind] = dict(sorted((t["TopicName"], sorted(t["Partitions"])) for t in given))
    return shown


def ask_described(member: Consumer) -> None:
    """Keep ConsumerGroupDescribe of the member's group."""
    member.talk.ask(*describe_consumers(member.group), keep=consumers_in_order)


def set_group(k: Talk, group: str, **configs: str) -> None:
    """Set configurations of the group and wait until they apply.

    configs: Kafka's names with _ for the dots.
    """
    given = {key.replace("_", "."): value for key, value in configs.items()}
    k.do(*change((GROUP, group, [(key, SET, value) for key, value in given.items()])))
    for key, value in given.items():
        k.until_config(GROUP, group, key, value)
