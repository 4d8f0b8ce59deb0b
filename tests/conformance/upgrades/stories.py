"""Stories that any release of Kafka since 3.9 can play, with an offsets.retention.minutes of 1.

Each returns what a user would observe, by name. Times count from the commit. The broker's clock may be moved.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from tests.conformance.build import commit, fetch_offsets, subscribed
from tests.conformance.case import Fields, Talk
from tests.conformance.consumers import consumer_heartbeat
from tests.conformance.expiry import streams
from tests.conformance.members import AT_ONCE, Member, some_stable
from tidemark_protocol.errors import ErrorCode

Facts = dict[str, Any]
Story = Callable[[Talk], Facts]

SETTINGS: Final = {
    "offsets.retention.minutes": "1",
    "offsets.retention.check.interval.ms": "2000",
    "group.streams.initial.rebalance.delay.ms": "0",
}
SESSION_MS: Final = 300_000
BEAT_S: Final = 3
LEAVES: Final = -1
LEAVES_FOR_NOW: Final = -2
MEMBER: Final = "member"
HEARTBEATS: Final = {"consumer": ("ConsumerGroupHeartbeat", 68), "share": ("ShareGroupHeartbeat", 76),
                     "streams": ("StreamsGroupHeartbeat", 88)}  # fmt: skip
VERSIONS_OF: Final = {"OffsetCommit": 8, "OffsetFetch": 9, "JoinGroup": 11}
SETTINGS_OF_GROUPS: Final = (
    "group.consumer.assignment.interval.ms",
    "group.consumer.migration.policy",
    "group.consumer.session.timeout.ms",
    "group.coordinator.rebalance.protocols",
    "offsets.retention.minutes",
)

STORIES: Final[dict[str, Story]] = {}
OF_THE_BROKER: Final = ("protocols", "settings_of_groups")  # no story of a group
NOT_OURS: Final = OF_THE_BROKER


def story(run: Story) -> Story:
    STORIES[run.__name__] = run
    return run


class NotServed(Exception):
    """The release refuses the protocol of the group. The argument says how."""


class Clock:
    """The time since a commit, in seconds."""

    def __init__(self, k: Talk) -> None:
        self._broker = k.broker
        self._since_ms = k.broker.steady_ms()

    def left_s(self, moment_s: float) -> float:
        return moment_s - (self._broker.steady_ms() - self._since_ms) / 1000

    def wait(self, moment_s: float) -> None:
        self._broker.pause(max(0, round(1000 * self.left_s(moment_s))))


def state(k: Talk, group: str, topic: str) -> str:
    response = k.do(*fetch_offsets(group, {topic: [0]}))["Groups"][0]
    offset = response["Topics"][0]["Partitions"][0]["CommittedOffset"]
    return "kept" if offset != -1 else "deleted"


def observe(k: Talk, clock: Clock, group: str, topic: str, *moments_s: int) -> Facts:
    """Return the state of the offset at these times."""
    found: Facts = {}
    for moment_s in moments_s:
        clock.wait(moment_s)
        found[f"after {moment_s} s"] = state(k, group, topic)
    return found


def type_of(k: Talk, group: str) -> str | None:
    """Return the type that ListGroups shows. None: the group does not exist."""
    listed = k.do("ListGroups", 5, {"StatesFilter": [], "TypesFilter": []})["Groups"]
    return next((each["GroupType"] for each in listed if each["GroupId"] == group), None)


def commits(k: Talk, group: str, *topics: str, member: str = "", generation: int = -1) -> Clock:
    response = k.do(*commit(group, {topic: {0: 5} for topic in topics}, member=member, generation=generation))
    errors = {each["Partitions"][0]["ErrorCode"] for each in response["Topics"]}
    assert errors == {0}, response
    return Clock(k)


class Consumer:
    """A member with the consumer protocol. Raises NotServed."""

    def __init__(self, k: Talk, group: str, *topics: str, instance: str | None = None) -> None:
        self._k, self._group, self._instance = k, group, instance
        check_served(k, "consumer")
        how = {"topics": topics, "owns": {}, "rebalance_ms": SESSION_MS, "version": 0}
        self.epoch = 0
        self.beat(**how)

    def beat(self, **how: Any) -> None:
        given = {"version": 0, "instance": self._instance, **how}
        response = self._k.do(*consumer_heartbeat(self._group, MEMBER, self.epoch, **given))
        if response["ErrorCode"]:
            raise NotServed(ErrorCode(response["ErrorCode"]).name)
        self.epoch = response["MemberEpoch"]

    def stay(self, clock: Clock, until_s: float) -> None:
        while (left_s := clock.left_s(until_s)) > 0:
            self.beat()
            self._k.broker.pause(round(1000 * min(left_s, BEAT_S)))

    def leave(self, epoch: int = LEAVES) -> None:
        self.epoch = epoch
        self.beat()


def check_served(k: Talk, kind: str) -> None:
    """Raise NotServed if the release does not advertise the heartbeat, in a version that is known here."""
    key = HEARTBEATS[kind][1]
    version = 1 if kind == "share" else 0
    if key not in (served := served_versions(k)) or not served[key][0] <= version <= served[key][1]:
        raise NotServed("not advertised")


def served_versions(k: Talk) -> dict[int, list[int]]:
    fields = {"ClientSoftwareName": "story", "ClientSoftwareVersion": "1"}
    keys = k.do("ApiVersions", 3, fields)["ApiKeys"]
    return {each["ApiKey"]: [each["MinVersion"], each["MaxVersion"]] for each in keys}


def classic_member(k: Talk, *topics: str, group: str | None = None) -> Member:
    how = {**AT_ONCE, "protocols": subscribed(*topics), "session_ms": SESSION_MS, "rebalance_ms": SESSION_MS}
    if group is None:
        return some_stable(k, 1, **how)[0]
    member = Member(k, group, **how)
    member.do_join()
    member.do_sync()
    return member


# Groups of each type.


@story
def a_simple_group(k: Talk) -> Facts:
    group, topic = k.group(), k.topic()
    clock = commits(k, group, topic)
    return {"type": type_of(k, group), **observe(k, clock, group, topic, 50, 70)}


@story
def a_commit_with_a_retention(k: Talk) -> Facts:
    """OffsetCommit v2 has a retention of ten seconds."""
    group, topic = k.group(), k.topic()
    k.do(*commit(group, {topic: {0: 5}}, version=2, retention_ms=10_000))
    return observe(k, Clock(k), group, topic, 5, 18)


@story
def a_classic_group_that_is_left(k: Talk) -> Facts:
    """Its member leaves after 30 seconds."""
    topic = k.topic()
    member = classic_member(k, topic)
    clock = commits(k, member.group, topic, member=member.id, generation=member.generation)
    found = {"type": type_of(k, member.group)}
    clock.wait(30)
    k.do(*member.leave())
    return {**found, **observe(k, clock, member.group, topic, 50, 70, 82, 100)}


@story
def a_classic_group_that_drops_a_topic(k: Talk) -> Facts:
    """The member is subscribed to another topic than it commits."""
    topic, other = k.topic(), k.topic()
    member = classic_member(k, topic)
    clock = commits(k, member.group, topic, other, member=member.id, generation=member.generation)
    clock.wait(70)
    return {"subscribed": state(k, member.group, topic), "other": state(k, member.group, other)}


@story
def a_consumer_group_that_is_left(k: Talk) -> Facts:
    """Its member leaves after 30 seconds."""
    group, topic = k.group(), k.topic()
    member = Consumer(k, group, topic)
    clock = commits(k, group, topic, member=MEMBER, generation=member.epoch)
    found = {"type": type_of(k, group)}
    member.stay(clock, 30)
    member.leave()
    return {**found, **observe(k, clock, group, topic, 50, 70)}


@story
def a_consumer_group_that_is_left_late(k: Talk) -> Facts:
    """Its member leaves after 75 seconds, when the offset is older than the retention."""
    group, topic = k.group(), k.topic()
    member = Consumer(k, group, topic)
    clock = commits(k, group, topic, member=MEMBER, generation=member.epoch)
    member.stay(clock, 75)
    found = {"when it leaves": state(k, group, topic)}
    member.leave()
    return {**found, **observe(k, clock, group, topic, 85)}


@story
def a_consumer_group_whose_static_member_is_away(k: Talk) -> Facts:
    """It stops after 40 seconds, to return later. Its session of 45 seconds ends after 85 seconds."""
    group, topic = k.group(), k.topic()
    member = Consumer(k, group, topic, instance="instance")
    clock = commits(k, group, topic, member=MEMBER, generation=member.epoch)
    member.stay(clock, 40)
    member.leave(LEAVES_FOR_NOW)
    return observe(k, clock, group, topic, 70, 100)


@story
def a_consumer_group_that_drops_a_topic(k: Talk) -> Facts:
    group, topic, other = k.group(), k.topic(), k.topic()
    member = Consumer(k, group, topic)
    clock = commits(k, group, topic, other, member=MEMBER, generation=member.epoch)
    member.stay(clock, 70)
    return {"subscribed": state(k, group, topic), "other": state(k, group, other)}


@story
def a_classic_group_that_consumers_take_over(k: Talk) -> Facts:
    """The classic member leaves after 10 seconds. A consumer joins after 20 and leaves after 30 seconds."""
    topic = k.topic()
    member = classic_member(k, topic)
    group = member.group
    clock = commits(k, group, topic, member=member.id, generation=member.generation)
    clock.wait(10)
    k.do(*member.leave())
    clock.wait(20)
    consumer = Consumer(k, group, topic)
    found = {"type": type_of(k, group)}
    clock.wait(30)
    consumer.leave()
    return {**found, **observe(k, clock, group, topic, 50, 70)}


@story
def a_consumer_group_that_a_classic_member_takes_over(k: Talk) -> Facts:
    """The consumer leaves after 10 seconds. A classic member joins after 20 and leaves after 30 seconds."""
    group, topic = k.group(), k.topic()
    consumer = Consumer(k, group, topic)
    clock = commits(k, group, topic, member=MEMBER, generation=consumer.epoch)
    consumer.stay(clock, 10)
    consumer.leave()
    clock.wait(20)
    member = classic_member(k, topic, group=group)
    found = {"type": type_of(k, group)}
    clock.wait(30)
    k.do(*member.leave())
    return {**found, **observe(k, clock, group, topic, 50, 70, 82, 100)}


@story
def a_share_group(k: Talk) -> Facts:
    """Its member leaves at once."""
    group, topic = k.group(), k.topic()
    check_served(k, "share")
    fields: Fields = {"GroupId": group, "MemberId": MEMBER, "MemberEpoch": 0, "SubscribedTopicNames": [topic]}
    response = k.do("ShareGroupHeartbeat", 1, fields)
    if response["ErrorCode"]:
        raise NotServed(ErrorCode(response["ErrorCode"]).name)
    k.do("ShareGroupHeartbeat", 1, {**fields, "MemberEpoch": LEAVES, "SubscribedTopicNames": None})
    clock = Clock(k)
    found = {"type": type_of(k, group)}
    clock.wait(70)
    return {**found, "type after 70 s": type_of(k, group)}


@story
def a_streams_group(k: Talk) -> Facts:
    """It commits an offset of its source topic, and its member leaves after 30 seconds."""
    group = k.group()
    check_served(k, "streams")
    source = {"Name": "source", "NumPartitions": 1, "ReplicationFactor": 1}
    k.do("CreateTopics", 7, {"Topics": [source], "timeoutMs": 30_000})
    k.until_there("source")
    try:
        member = streams.joined(k, group)
    except AssertionError as refused:
        raise NotServed(refused.args[0]) from refused
    clock = commits(k, group, "source", member=member.member_id, generation=member.epoch)
    found = {"type": type_of(k, group)}
    while (left_s := clock.left_s(30)) > 0:
        member.beat()
        k.broker.pause(round(1000 * min(left_s, BEAT_S)))
    member.leave()
    return {**found, **observe(k, clock, group, "source", 50, 70)}


# Versions of APIs, and settings.


@story
def protocols(k: Talk) -> Facts:
    """Versions of the APIs, and the heartbeats that are advertised."""
    served = served_versions(k)
    names = {**VERSIONS_OF, **dict(HEARTBEATS.values())}
    return {name: served.get(key) for name, key in names.items()}


@story
def settings_of_groups(k: Talk) -> Facts:
    """Defaults of the broker. None: the release does not have the setting."""
    resource = {"ResourceType": 4, "ResourceName": "1", "ConfigurationKeys": [*SETTINGS_OF_GROUPS]}
    configs = k.do("DescribeConfigs", 4, {"Resources": [resource]})["Results"][0]["Configs"]
    values = {each["Name"]: each["Value"] for each in configs if each["Name"] not in SETTINGS}
    return {name: values.get(name) for name in SETTINGS_OF_GROUPS if name not in SETTINGS}


def played(k: Talk, run: Story) -> Facts:
    try:
        return run(k)
    except NotServed as refused:
        return {"refused": refused.args[0]}
