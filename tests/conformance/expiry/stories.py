"""Stories of offsets and groups that expire or are kept, with an offsets.retention.minutes of 1.

    @story
    def an_offset_of_a_simple_group(k: Talk) -> None:
        group, topic = k.group(), k.topic()
        committed = at(k, commit(group, {topic: {0: 5}}))
        gone(k, group, topic, [0], STANDALONE, committed)

They are cases (tests/conformance/case.py) that wait in real time, all at once. Each states when its offsets
must expire and by which rule. Kafka: GroupMetadataManager.cleanupExpiredOffsets, KIP-211. Both brokers must
keep the same values.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from tests.conformance.build import Request, commit, delete_offsets, fetch_offsets, join, subscribed
from tests.conformance.case import Case, Fields, Talk
from tests.conformance.consumers import consumer_heartbeat
from tests.conformance.members import AT_ONCE, Member, described, some, some_stable, stable, wait_for_state

RETENTION_S: Final = 60
INTERVAL_S: Final = 2
SETTINGS: Final = {
    "offsets.retention.minutes": str(RETENTION_S // 60),
    "offsets.retention.check.interval.ms": str(INTERVAL_S * 1000),
}

EARLY_S: Final = 3  # an offset must still exist this long before it is due
LATE_S: Final = INTERVAL_S + 3  # one pass, and some time for a busy machine
GIVEN_UP_S: Final = INTERVAL_S + 10  # how long to wait for a late removal
POLL_S: Final = 0.25
SESSION_MS: Final = 300_000  # longer than any story, since no member sends heartbeats

GROUP_EMPTY: Final = "group_empty"
TOPIC_NOT_SUBSCRIBED: Final = "topic_not_subscribed"
STANDALONE: Final = "standalone"
EXPLICIT_RETENTION: Final = "explicit_retention"

BEAT_S: Final = 3  # between heartbeats of a KIP-848 member
LEAVES: Final = -1  # its epoch in its last heartbeat

AT_THE_NEXT_PASS: Final = 0
STORIES: Final[dict[str, Case]] = {}


def story(run: Callable[[Talk], None]) -> Callable[[Talk], None]:
    """Register a story."""
    STORIES[run.__name__] = Case(run.__name__, run, "expiry")
    return run


def wait(moment: float) -> None:
    """Wait until a time of the monotonic clock."""
    time.sleep(max(0.0, moment - time.monotonic()))


def at(k: Talk, request: Request) -> float:
    """Send a request that must succeed, and return the time of its response."""
    k.do(*request)
    return time.monotonic()


def committed(k: Talk, group: str, topic: str, partitions: list[int]) -> list[int]:
    response = k.do(*fetch_offsets(group, {topic: partitions}))["Groups"][0]
    return [each["CommittedOffset"] for each in response["Topics"][0]["Partitions"]]


def gone(
    k: Talk,
    group: str,
    topic: str,
    partitions: list[int],
    rule: str,
    since: float,
    after_s: float = RETENTION_S,
) -> None:
    """Keep whether the first pass after the retention removes these offsets, and no earlier one."""
    due = since + after_s
    if after_s > EARLY_S:
        wait(due - EARLY_S)
        k.keep("before", [offset != -1 for offset in committed(k, group, topic, partitions)])
    left = _poll(due, lambda: set(committed(k, group, topic, partitions)) == {-1})
    k.keep("gone", [rule, *partitions] if left is None else f"not yet, {left:.1f} s after it was due")


def group_gone(k: Talk, group: str, since: float, after_s: float = RETENTION_S) -> None:
    """Keep whether the same pass removes the group."""
    left = _poll(since + after_s, lambda: _error_of(k, group) != 0)
    k.keep("group", "gone" if left is None else f"there, {left:.1f} s after it was due")


def _error_of(k: Talk, group: str) -> int:
    error: int = k.do("DescribeGroups", 6, {"Groups": [group]})["Groups"][0]["ErrorCode"]
    return error


def _poll(due: float, done: Callable[[], bool]) -> float | None:
    """Wait until a condition is true and return None, or return how late it was at the end of the wait."""
    wait(due)
    while not done():
        if time.monotonic() > due + GIVEN_UP_S:
            return time.monotonic() - due
        time.sleep(POLL_S)
    return None


def still(k: Talk, group: str, moment: float) -> None:
    """Keep which offsets the group has at this time."""
    wait(moment)
    k.ask(*fetch_offsets(group), by_name)


def by_name(response: Fields) -> Fields:
    """keep= of an OffsetFetch of all offsets, which Kafka returns in the order of a hash map."""
    topics = response["Groups"][0]["Topics"]
    return {t["Name"]: sorted((p["PartitionIndex"], p["CommittedOffset"]) for p in t["Partitions"])
            for t in sorted(topics, key=lambda topic: str(topic["Name"]))}  # fmt: skip


def reader(k: Talk, *topics: str) -> Member:
    """Return the one member of a stable group that is subscribed to these topics."""
    protocols = subscribed(*topics)
    (member,) = some_stable(
        k, 1, **AT_ONCE, protocols=protocols, session_ms=SESSION_MS, rebalance_ms=SESSION_MS
    )
    return member


def by(
    member: Member, offsets: dict[str, dict[int, int]], version: int = 9, retention_ms: int = -1
) -> Request:
    """Build a member's commit."""
    return commit(
        member.group, offsets, member=member.id, generation=member.generation, version=version,
        retention_ms=retention_ms,
    )  # fmt: skip


# A managed group expires when it has been Empty for the retention.


@story
def a_managed_group_is_left(k: Talk) -> None:
    """A commit to the Empty group does not restart its retention."""
    topic = k.topic(3)
    member = reader(k, topic)
    since = at(k, by(member, {topic: {0: 1, 1: 2}}))
    wait(since + 8)
    left = at(k, member.leave())
    wait(left + 30)
    k.ask(*commit(member.group, {topic: {1: 3, 2: 4}}))
    gone(k, member.group, topic, [0, 1, 2], GROUP_EMPTY, left)
    group_gone(k, member.group, left)


@story
def a_session_ends(k: Talk) -> None:
    topic = k.topic()
    (member,) = some_stable(k, 1, **AT_ONCE, protocols=subscribed(topic), session_ms=4000)
    k.do(*by(member, {topic: {0: 1}}))
    wait_for_state(k, member.group, "Empty")
    left = time.monotonic()
    gone(k, member.group, topic, [0], GROUP_EMPTY, left)
    group_gone(k, member.group, left)


@story
def a_member_comes_back_before_it_is_due(k: Talk) -> None:
    """The retention restarts when the member leaves again."""
    topic = k.topic()
    member = reader(k, topic)
    k.do(*by(member, {topic: {0: 1}}))
    left = at(k, member.leave())
    wait(left + 50)
    again = Member(k, member.group, **AT_ONCE, protocols=subscribed(topic), session_ms=SESSION_MS)
    stable(k, again)
    k.do(*again.leave())
    still(k, member.group, left + RETENTION_S + LATE_S)


@story
def a_simple_group_that_is_joined_and_left(k: Talk) -> None:
    """The group is managed after the first join."""
    group, topic = k.group(), k.topic()
    since = at(k, commit(group, {topic: {0: 1}}))
    wait(since + 12)
    member = Member(k, group, **AT_ONCE, protocols=subscribed(topic), session_ms=SESSION_MS)
    stable(k, member)
    left = at(k, member.leave())
    gone(k, group, topic, [0], GROUP_EMPTY, left)
    group_gone(k, group, left)


@story
def a_connect_group(k: Talk) -> None:
    """Its subscription is unknown, so nothing expires while it has members."""
    topic = k.topic(2)
    (member,) = some_stable(
        k, 1, **AT_ONCE, protocol_type="connect", protocols=subscribed(), session_ms=SESSION_MS
    )
    since = at(k, by(member, {topic: {0: 1}}))
    k.do(*by(member, {topic: {1: 2}}, version=4, retention_ms=1000))
    still(k, member.group, since + RETENTION_S + LATE_S)
    left = at(k, member.leave())
    gone(k, member.group, topic, [1], EXPLICIT_RETENTION, left, AT_THE_NEXT_PASS)
    still(k, member.group, left + LATE_S)


# An Empty group without offsets is removed at once.


@story
def a_group_that_never_committed(k: Talk) -> None:
    member = reader(k, k.topic())
    group_gone(k, member.group, at(k, member.leave()), AT_THE_NEXT_PASS)


@story
def a_member_that_only_has_an_id(k: Talk) -> None:
    group = k.group()
    member_id = k.do(*join(group))["MemberId"]
    written = time.monotonic() + INTERVAL_S  # Kafka describes only what it has written
    while described(k, group)["GroupState"] != "Empty" and time.monotonic() < written:
        time.sleep(0.01)  # on a busy machine, a pass may remove the group before it is described
    group_gone(k, group, time.monotonic(), AT_THE_NEXT_PASS)
    k.ask(*join(group, member_id), lambda response: response["ErrorCode"])


@story
def a_member_that_stays(k: Talk) -> None:
    """It keeps the group, without offsets and beyond any retention."""
    member = reader(k, k.topic())
    wait(time.monotonic() + RETENTION_S + LATE_S)
    k.ask(
        "DescribeGroups", 6, {"Groups": [member.group]}, lambda response: response["Groups"][0]["GroupState"]
    )


# A simple group's offsets expire one by one.


@story
def a_simple_group(k: Talk) -> None:
    """Each offset expires by its own last commit, and the group with the last one."""
    group, topic = k.group(), k.topic(3)
    first = at(k, commit(group, {topic: {0: 1, 1: 2}}))
    wait(first + 8)
    again = at(k, commit(group, {topic: {1: 3}}))
    wait(first + 16)
    last = at(k, commit(group, {topic: {2: 4}}))
    gone(k, group, topic, [0], STANDALONE, first)
    still(k, group, first + RETENTION_S)
    gone(k, group, topic, [1], STANDALONE, again)
    still(k, group, again + RETENTION_S)
    gone(k, group, topic, [2], STANDALONE, last)
    group_gone(k, group, last)


@story
def commits_in_every_version(k: Talk) -> None:
    """Since v5 a commit has no retention, and since v10 it uses the topic's id."""
    group, topic = k.group(), k.topic(11)
    since = time.monotonic()
    for version in range(2, 10):
        since = at(k, commit(group, {topic: {version: 1}}, version=version))
    since = at(k, commit(group, {k.topic_id(topic): {10: 1}}, version=10))
    gone(k, group, topic, [*range(2, 11)], STANDALONE, since)
    group_gone(k, group, since)


# A group with members keeps the offsets of topics that it is subscribed to.


@story
def a_topic_that_nobody_in_the_group_reads(k: Talk) -> None:
    """The offset expires after the retention, while those of subscribed topics stay."""
    topic, other = k.topic(), k.topic()
    member = reader(k, topic)
    since = at(k, by(member, {topic: {0: 1}, other: {0: 2}}))
    gone(k, member.group, other, [0], TOPIC_NOT_SUBSCRIBED, since)
    still(k, member.group, since + RETENTION_S + LATE_S)


@story
def a_topic_that_is_dropped_from_the_subscription(k: Talk) -> None:
    """Offsets that are old by then expire at the next pass."""
    topic, other = k.topic(), k.topic()
    member = reader(k, topic, other)
    since = at(k, by(member, {topic: {0: 1}, other: {0: 2}}))
    still(k, member.group, since + RETENTION_S + LATE_S)
    member.how["protocols"] = subscribed(topic)
    member.do_join()
    member.do_sync()
    gone(k, member.group, other, [0], TOPIC_NOT_SUBSCRIBED, time.monotonic(), AT_THE_NEXT_PASS)
    still(k, member.group, time.monotonic())


@story
def a_group_that_waits_for_its_assignment(k: Talk) -> None:
    """In CompletingRebalance nothing expires until the group is Stable."""
    topic, other = k.topic(), k.topic()
    member = reader(k, topic)
    since = at(k, by(member, {topic: {0: 1}, other: {0: 2}}))
    wait(since + RETENTION_S - 10)
    member.do_join()
    still(k, member.group, since + RETENTION_S + LATE_S)
    member.do_sync()
    gone(k, member.group, other, [0], TOPIC_NOT_SUBSCRIBED, time.monotonic(), AT_THE_NEXT_PASS)


@story
def a_group_that_waits_for_a_member(k: Talk) -> None:
    """The same in PreparingRebalance."""
    topic, other = k.topic(), k.topic()
    one = reader(k, topic)
    since = at(k, by(one, {topic: {0: 1}, other: {0: 2}}))
    wait(since + RETENTION_S - 10)
    two = Member(k, one.group, 2, protocols=subscribed(topic), session_ms=SESSION_MS)
    two.get_id()
    two.peer.send(*two.join())
    wait_for_state(k, one.group, "PreparingRebalance")
    still(k, one.group, since + RETENTION_S + LATE_S)
    one.do_join()
    two.joined(two.peer.take())
    one.do_sync(two)
    gone(k, one.group, other, [0], TOPIC_NOT_SUBSCRIBED, time.monotonic(), AT_THE_NEXT_PASS)


@story
def subscriptions_that_cannot_be_read(k: Talk) -> None:
    """A malformed subscription counts as all topics. Trailing bytes are ignored."""
    topic = k.topic()
    trailing = {"range": subscribed(topic)["range"] + "abcdef"}
    for protocols in ({"range": "00"}, {"range": ""}, trailing):
        (member,) = some_stable(k, 1, **AT_ONCE, protocols=protocols, session_ms=SESSION_MS)
        since = at(k, by(member, {topic: {0: 1}}, version=2, retention_ms=1000))
        still(k, member.group, since + 1 + LATE_S)


@story
def a_subscription_to_nothing(k: Talk) -> None:
    topic = k.topic()
    member = reader(k)
    since = at(k, by(member, {topic: {0: 1}}))
    gone(k, member.group, topic, [0], TOPIC_NOT_SUBSCRIBED, since)


@story
def a_kip_848_group_gets_no_grace(k: Talk) -> None:
    """The age counts from the commit, also when the last member has left."""
    group, topic, member = k.group(), k.topic(), "member"
    joined = k.do(*consumer_heartbeat(group, member, 0, topics=[topic], owns={}, rebalance_ms=SESSION_MS))
    epoch = joined["MemberEpoch"]
    since = at(k, commit(group, {topic: {0: 1}}, member=member, generation=epoch))
    while time.monotonic() < since + RETENTION_S + LATE_S:
        wait(time.monotonic() + BEAT_S)
        epoch = k.do(*consumer_heartbeat(group, member, epoch))["MemberEpoch"]
    still(k, group, time.monotonic())
    left = at(k, consumer_heartbeat(group, member, LEAVES))
    gone(k, group, topic, [0], TOPIC_NOT_SUBSCRIBED, left, AT_THE_NEXT_PASS)


# A commit with a retention of its own (v2 to v4).


@story
def retentions_of_commits_to_a_simple_group(k: Talk) -> None:
    """Java's longs wrap: the longest retention is over at once. -1 means none."""
    group, topic = k.group(), k.topic(7)
    plain = at(k, commit(group, {topic: {0: 1}}, version=2, retention_ms=-1))
    for partition, (version, retention_ms) in enumerate([(2, 0), (3, -2), (4, 2**63 - 1)], start=1):
        since = at(k, commit(group, {topic: {partition: 1}}, version=version, retention_ms=retention_ms))
        gone(k, group, topic, [partition], EXPLICIT_RETENTION, since, AT_THE_NEXT_PASS)
    for version in (2, 3, 4):
        since = at(k, commit(group, {topic: {2 + version: 1}}, version=version, retention_ms=10_000))
    gone(k, group, topic, [4, 5, 6], EXPLICIT_RETENTION, since, 10)
    still(k, group, time.monotonic())
    gone(k, group, topic, [0], STANDALONE, plain)
    group_gone(k, group, plain)


@story
def a_long_retention_keeps_an_empty_group(k: Talk) -> None:
    topic = k.topic(2)
    member = reader(k, topic)
    k.do(*by(member, {topic: {0: 1}}))
    left = at(k, member.leave())
    since = at(k, commit(member.group, {topic: {1: 2}}, version=4, retention_ms=74_000))
    gone(k, member.group, topic, [0], GROUP_EMPTY, left)
    still(k, member.group, left + RETENTION_S + LATE_S)
    gone(k, member.group, topic, [1], EXPLICIT_RETENTION, since, 74)
    group_gone(k, member.group, since, 74)


@story
def a_short_retention_in_a_group_that_reads(k: Talk) -> None:
    """It matters only for topics without a subscription, and then at once."""
    topic, other = k.topic(), k.topic()
    member = reader(k, topic)
    since = at(k, by(member, {topic: {0: 1}}, version=3, retention_ms=1000))
    k.do(*by(member, {other: {0: 2}}, version=3, retention_ms=1000))
    gone(k, member.group, other, [0], EXPLICIT_RETENTION, since, 1)
    still(k, member.group, since + 12)
    left = at(k, member.leave())
    gone(k, member.group, topic, [0], EXPLICIT_RETENTION, left, AT_THE_NEXT_PASS)
    group_gone(k, member.group, left, AT_THE_NEXT_PASS)


@story
def a_plain_commit_after_one_with_a_retention(k: Talk) -> None:
    """The broker's retention applies again."""
    group, topic = k.group(), k.topic()
    first = at(k, commit(group, {topic: {0: 1}}, version=2, retention_ms=10_000))
    wait(first + 2)
    since = at(k, commit(group, {topic: {0: 2}}))
    gone(k, group, topic, [0], STANDALONE, since)
    group_gone(k, group, since)


# Deletions do not count as expiry.


@story
def offsets_are_deleted(k: Talk) -> None:
    topic, other = k.topic(2), k.topic(3)
    member = reader(k, topic)
    since = at(k, by(member, {topic: {0: 1, 1: 2}, other: {0: 3, 1: 4}}))
    k.ask(*delete_offsets(member.group, (topic, [0]), (k.name("missing"), [0]), (other, [0, 0, 2, 3])))
    k.ask(*delete_offsets(k.name("nobody"), (topic, [0])))
    (worker,) = some_stable(k, 1, **AT_ONCE, protocol_type="connect", session_ms=SESSION_MS)
    k.ask(*delete_offsets(worker.group, (topic, [0])))
    still(k, member.group, time.monotonic())
    gone(k, member.group, other, [1], TOPIC_NOT_SUBSCRIBED, since)


@story
def the_last_offset_is_deleted(k: Talk) -> None:
    """The group is removed at the next pass."""
    group, topic = k.group(), k.topic(2)
    k.do(*commit(group, {topic: {0: 1, 1: 2}}))
    k.ask(*delete_offsets(group, (topic, [0, 1])))
    group_gone(k, group, time.monotonic(), AT_THE_NEXT_PASS)
    k.ask(*delete_offsets(group, (topic, [0])))


@story
def groups_are_deleted(k: Talk) -> None:
    topic, simple = k.topic(), k.group()
    member = reader(k, topic)
    k.do(*by(member, {topic: {0: 1}}))
    k.do(*commit(simple, {topic: {0: 1}}))
    for names in ([member.group], [simple], [simple]):
        k.ask("DeleteGroups", 2, {"GroupsNames": names})
    k.do(*member.leave())
    still(k, member.group, time.monotonic())
    k.ask("DeleteGroups", 2, {"GroupsNames": [member.group]})
    still(k, member.group, time.monotonic())


@story
def a_topic_is_deleted(k: Talk) -> None:
    """Offsets of all groups are deleted at once; a group without others is removed at the next pass."""
    topic, kept, simple = k.topic(), k.topic(), k.group()
    member = reader(k, topic, kept)
    k.do(*by(member, {topic: {0: 1}, kept: {0: 2}}))
    k.do(*commit(simple, {topic: {0: 1}}))
    k.delete_topic(topic)
    k.until(lambda: k.do(*fetch_offsets(simple)), lambda response: not response["Groups"][0]["Topics"])
    group_gone(k, simple, time.monotonic(), AT_THE_NEXT_PASS)
    still(k, member.group, time.monotonic())


@story
def commits_that_are_refused(k: Talk) -> None:
    """A refused commit does not extend the retention."""
    topic = k.topic()
    member = reader(k, topic)
    for version in (8, 9):
        k.ask(*commit(k.name("nobody"), {topic: {0: 1}}, generation=5, version=version))
    k.ask(*commit(member.group, {topic: {0: 1}}))
    k.ask(*commit(member.group, {topic: {0: 1}, k.name("missing"): {0: 1}}, generation=1, member=member.id))
    member.do_join()
    k.ask(*by(member, {topic: {0: 1}}))
    (lone,) = some(k, 1)
    k.ask(*commit(lone.group, {topic: {0: 1, 1: 1}}, metadata="x" * 5000))
