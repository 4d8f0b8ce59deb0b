"""Offsets and groups that a cleanup pass removes, and later responses about them.

The commits set the retention. tests/conformance/expiry waits for the broker's own retention.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from tests.conformance.build import commit, delete_offsets, fetch_offsets, join, subscribed
from tests.conformance.case import Fields, Talk, case
from tests.conformance.cases.fetched_offsets import until_gone
from tests.conformance.members import (
    AT_ONCE,
    Member,
    completing,
    described,
    some,
    some_stable,
    stable,
    wait_for_state,
)

PASSES_MS: Final = 1000  # a few passes
of_expiry = partial(case, settings={"offsets.retention.check.interval.ms": "300"})


def expiring(group: str, offsets: dict[str, dict[int, int]], retention_ms: int = 1, **by: Any) -> Any:
    return commit(group, offsets, version=4, retention_ms=retention_ms, **by)


def by(member: Member) -> dict[str, Any]:
    return {"member": member.id, "generation": member.generation}


def kept(k: Talk, member: Member) -> None:
    """Keep which offsets exist after a few passes."""
    k.quiet(PASSES_MS)
    k.ask(*fetch_offsets(member.group), by_name)


def by_name(response: Fields) -> Fields:
    """keep= of an OffsetFetch of all offsets, which Kafka returns in the order of a hash map."""
    groups = [
        {**group, "Topics": sorted(group["Topics"], key=lambda topic: str(topic["Name"]))}
        for group in response["Groups"]
    ]
    return {**response, "Groups": groups}


@of_expiry()
def expired_group_is_unknown_to_everyone(k: Talk) -> None:
    group, topic = k.group(), k.topic(2)
    k.do(*expiring(group, {topic: {0: 5, 1: 6}}))
    until_gone(k, group, topic)
    k.ask(*fetch_offsets(group))
    k.ask(*fetch_offsets(group, {topic: [0, 1]}, version=7))
    for version in (5, 6):
        k.ask("DescribeGroups", version, {"Groups": [group]})
    k.ask("ListGroups", 5, {}, lambda response: [g for g in response["Groups"] if g["GroupId"] == group])
    k.ask(*delete_offsets(group, (topic, [0])))
    k.ask("DeleteGroups", 2, {"GroupsNames": [group]})
    k.ask(*commit(group, {topic: {0: 7}}, generation=1, member="nobody"))


@of_expiry()
def expired_offset_of_a_group_that_has_others(k: Talk) -> None:
    group, topic = k.group(), k.topic(2)
    k.do(*commit(group, {topic: {1: 6}}))
    k.do(*expiring(group, {topic: {0: 5}}))
    until_gone(k, group, topic)
    k.ask(*fetch_offsets(group))
    k.ask(*delete_offsets(group, (topic, [0, 1])))


@of_expiry()
def expired_offset_is_committed_again(k: Talk) -> None:
    group, topic = k.group(), k.topic()
    k.do(*expiring(group, {topic: {0: 5}}, metadata="old"))
    until_gone(k, group, topic)
    k.ask(*commit(group, {topic: {0: 3}}))
    k.quiet(PASSES_MS)
    k.ask(*fetch_offsets(group))
    k.ask("DescribeGroups", 6, {"Groups": [group]})


@of_expiry()
def expired_at_once_whatever_wraps(k: Talk) -> None:
    """The sum of commit time and retention is a Java long, which wraps around."""
    for retention_ms in (0, -2, -(2**63), 2**63 - 1):
        group, topic = k.group(), k.topic()
        k.ask(*expiring(group, {topic: {0: 5}}, retention_ms))
        until_gone(k, group, topic)
        k.ask(*fetch_offsets(group))


@of_expiry()
def expired_managed_group_begins_anew(k: Talk) -> None:
    (member,) = some_stable(k, 1, **AT_ONCE)
    member.peer.do(*member.leave())
    wait_for_state(k, member.group, "Dead")
    k.ask(*member.heartbeat())
    k.ask(*member.sync())
    k.ask(*member.leave())
    k.ask(*member.join(), lambda response: response["ErrorCode"])
    stable(k, again := Member(k, member.group, **AT_ONCE))
    k.keep("generation", again.generation)


@of_expiry()
def expired_group_of_a_static_member(k: Talk) -> None:
    (member,) = some_stable(k, 1, instance="static")
    member.peer.do(*member.leave())
    wait_for_state(k, member.group, "Dead")
    k.ask(*member.heartbeat())
    k.ask(*member.leave())
    member.id = ""
    k.ask(*member.join(), lambda response: [response["ErrorCode"], response["GenerationId"]])


@of_expiry()
def expired_pending_id(k: Talk) -> None:
    group = k.group()
    member_id = k.do(*join(group))["MemberId"]
    wait_for_state(k, group, "Empty")
    wait_for_state(k, group, "Dead")
    k.ask(*join(group, member_id), lambda response: response["ErrorCode"])
    k.ask("DescribeGroups", 6, {"Groups": [group]})


@of_expiry()
def expired_only_what_a_stable_group_does_not_read(k: Talk) -> None:
    topic, other = k.topic(), k.topic()
    (member,) = some_stable(k, 1, **AT_ONCE, protocols=subscribed(topic))
    k.do(*expiring(member.group, {topic: {0: 1}, other: {0: 2}}, **by(member)))
    kept(k, member)
    member.peer.do(*member.leave())
    until_gone(k, member.group, topic)
    k.ask("DescribeGroups", 6, {"Groups": [member.group]})


@of_expiry()
def expired_when_the_subscription_has_changed(k: Talk) -> None:
    """The offsets expire once the group is Stable again, not while it waits for its assignment."""
    topic, other = k.topic(), k.topic()
    (member,) = some_stable(k, 1, **AT_ONCE, protocols=subscribed(topic, other))
    k.do(*expiring(member.group, {topic: {0: 1}, other: {0: 2}}, **by(member)))
    kept(k, member)
    member.how["protocols"] = subscribed(topic)
    member.do_join()
    kept(k, member)
    member.do_sync()
    kept(k, member)


@of_expiry()
def expired_when_a_joining_member_has_come(k: Talk) -> None:
    """They do not expire during the rebalance."""
    topic, other = k.topic(), k.topic()
    one, two = some(k, 2, **AT_ONCE, protocols=subscribed(topic))
    stable(k, one)
    two.get_id()
    two.peer.send(*two.join())
    wait_for_state(k, one.group, "PreparingRebalance")
    k.do(*expiring(one.group, {topic: {0: 1}, other: {0: 2}}, **by(one)))
    kept(k, one)
    one.do_join()
    two.joined(two.peer.take())
    one.do_sync(two)
    kept(k, one)


@of_expiry()
def expired_nothing_of_a_group_that_never_synced(k: Talk) -> None:
    topic = k.topic()
    (member,) = some(k, 1, **AT_ONCE, protocols=subscribed(topic))
    k.do(*expiring(member.group, {topic: {0: 1}}, 1_500))
    completing(k, member)
    k.quiet(PASSES_MS)
    kept(k, member)


@of_expiry()
def expired_nothing_of_a_connect_group_until_it_is_left(k: Talk) -> None:
    topic = k.topic()
    (member,) = some_stable(k, 1, **AT_ONCE, protocol_type="connect", protocols=subscribed())
    k.do(*expiring(member.group, {topic: {0: 1}}, **by(member)))
    kept(k, member)
    member.peer.do(*member.leave())
    until_gone(k, member.group, topic)


@of_expiry()
def expired_by_subscriptions_of_every_kind(k: Talk) -> None:
    """A malformed subscription counts as all topics, an empty one as none. Trailing bytes are ignored."""
    topic = k.topic()
    plain = subscribed(topic)["range"]
    for metadata in ("", "00", "0000", f"{plain}abcdef", f"0003{plain[4:]}", subscribed()["range"]):
        (member,) = some_stable(k, 1, **AT_ONCE, protocols={"range": metadata})
        k.do(*expiring(member.group, {topic: {0: 1}}, **by(member)))
        kept(k, member)


@of_expiry()
def expired_not_after_a_plain_commit(k: Talk) -> None:
    group, topic = k.group(), k.topic()
    k.do(*expiring(group, {topic: {0: 5}}, 700))
    k.do(*commit(group, {topic: {0: 6}}))
    k.quiet(PASSES_MS)
    k.ask(*fetch_offsets(group))


@of_expiry()
def expired_group_after_its_last_offset_was_deleted(k: Talk) -> None:
    group, topic = k.group(), k.topic()
    k.do(*commit(group, {topic: {0: 5}}))
    k.ask(*delete_offsets(group, (topic, [0])))
    wait_for_state(k, group, "Dead")
    k.ask(*delete_offsets(group, (topic, [0])))


@of_expiry()
def expired_group_after_its_topic_was_deleted(k: Talk) -> None:
    group, topic = k.group(), k.topic()
    k.do(*commit(group, {topic: {0: 5}}))
    k.delete_topic(topic)
    wait_for_state(k, group, "Dead")
    k.ask(*fetch_offsets(group))


@of_expiry()
def expired_not_a_group_with_members_and_without_offsets(k: Talk) -> None:
    topic = k.topic()
    (member,) = some_stable(k, 1, **AT_ONCE, protocols=subscribed())
    k.do(*expiring(member.group, {topic: {0: 5}}, **by(member)))
    until_gone(k, member.group, topic)
    kept(k, member)
    k.keep("state", described(k, member.group)["GroupState"])
    k.ask(*member.heartbeat())
