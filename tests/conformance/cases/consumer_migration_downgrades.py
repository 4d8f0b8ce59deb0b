"""The last consumer of a group with classic members leaves it, and the group becomes classic. Policies."""

from __future__ import annotations

from typing import Any

from tests.conformance.build import commit, fetch_offsets, leave
from tests.conformance.case import Talk
from tests.conformance.consumers import Consumer, describe_consumers, no_interval, set_group, settled
from tests.conformance.members import describe, groups_in_order, wait_for_state
from tests.conformance.migrating import (
    Classic,
    GroupLog,
    members_by_client,
    mixed,
    stable_classics,
    under_policy,
    upgraded,
)


def described(k: Talk, group: str) -> None:
    k.ask(*describe(group), keep=groups_in_order)
    k.ask(*describe_consumers(group), keep=members_by_client)


def two_static(k: Talk, topic: str) -> tuple[Classic, Consumer]:
    """Return a classic member and a static consumer of one group, each with its part of the topic."""
    group = k.group()
    old = Consumer(k, group, "c1", topics=[topic], instance="i")
    settled(old)
    new = Classic(k, group, 1, topic)
    before = len(k.kept)
    new.rejoin()
    new.rejoin()
    new.assigned()
    for _ in range(3):
        old.full()
        new.catch_up()
    del k.kept[before:]
    return new, old


@no_interval()
def downgrade_when_the_last_consumer_leaves(k: Talk) -> None:
    topic = k.topic(2)
    (one,), last = mixed(k, topic, [0, 1])
    log = GroupLog(k, one.group)
    last.leave()
    log.keep()
    described(k, one.group)
    one.beat()
    one.assigned()
    one.rejoin()
    one.peer.ask(*one.sync({one.id: one.assignment}))
    log.keep()
    one.beat()
    described(k, one.group)


@no_interval()
def downgrade_to_two_members(k: Talk) -> None:
    topic = k.topic(6)
    (one, two), last = mixed(k, topic, [0, 1, 2], [3, 4, 5])
    log = GroupLog(k, one.group)
    last.leave()
    log.keep()
    described(k, one.group)
    one.beat()
    two.beat()
    two.peer.park(*two.join(protocols=two.protocols()))
    one.peer.ask(*one.join(protocols=one.protocols()), keep=lambda response: response["GenerationId"])
    two.peer.receive(lambda response: response["GenerationId"])


@no_interval()
def downgrade_when_the_last_consumers_session_expires(k: Talk) -> None:
    topic = k.topic(2)
    (one,), last = mixed(k, topic, [0, 1])
    set_group(k, one.group, consumer_session_timeout_ms="1000", consumer_heartbeat_interval_ms="500")
    last.beat(kept=False)
    log = GroupLog(k, one.group)
    one.peer.quiet(600)
    one.beat()
    wait_for_state(k, one.group, "PreparingRebalance")
    log.keep()
    one.beat()
    last.beat()


@no_interval()
def downgrade_when_the_last_consumer_does_not_revoke(k: Talk) -> None:
    topic = k.topic(2)
    group = k.group()
    old = Consumer(k, group, "c1", topics=[topic], rebalance_ms=900)
    settled(old)
    one = Classic(k, group, 1, topic)
    one.rejoin()
    one.rejoin()
    one.assigned()
    log = GroupLog(k, group)
    old.full()
    wait_for_state(k, group, "PreparingRebalance")
    log.keep()
    old.beat()
    one.beat()


@no_interval(versions=[0, 5])
def downgrade_when_the_last_consumer_is_removed(k: Talk, version: int) -> None:
    topic = k.topic(2)
    (one,), last = mixed(k, topic, [0, 1])
    log = GroupLog(k, one.group)
    k.ask(*leave(one.group, last.id, version=version))
    log.keep()
    one.beat()


@no_interval()
def downgrade_when_consumer_and_classic_member_leave_together(k: Talk) -> None:
    topic = k.topic(6)
    (one, two), last = mixed(k, topic, [0, 1, 2], [3, 4, 5])
    log = GroupLog(k, one.group)
    k.ask(*leave(one.group, two.id, last.id))
    log.keep()
    one.beat()
    two.beat()
    one.rejoin()
    log.keep()


@no_interval()
def downgrade_when_two_consumers_leave_together(k: Talk) -> None:
    topic = k.topic(6)
    (one,), last = mixed(k, topic, [0, 1, 2, 3, 4, 5])
    other = Consumer(k, one.group, "c2", topics=[topic])
    other.join(kept=False)
    log = GroupLog(k, one.group)
    k.ask(*leave(one.group, other.id, last.id))
    log.keep()
    one.beat()


@no_interval()
def downgrade_with_an_assignment_that_is_not_acknowledged(k: Talk) -> None:
    """The classic member still owns what it had to give up."""
    topic = k.topic(2)
    (one,), last = upgraded(k, topic, [0, 1])
    log = GroupLog(k, one.group)
    one.beat()
    one.rejoin()
    last.leave()
    log.keep()
    described(k, one.group)
    one.assigned()
    one.rejoin()
    log.keep()


@no_interval()
def downgrade_ends_the_timeouts_of_classic_members(k: Talk) -> None:
    """A member that should have rejoined has the rebalance timeout of the classic group."""
    topic = k.topic(2)
    (one,), last = upgraded(k, topic, [0, 1], rebalance_ms=1000)
    one.beat()
    one.peer.quiet(700)
    last.leave()
    one.peer.quiet(600)
    one.beat()
    wait_for_state(k, one.group, "Empty")
    one.beat()


@no_interval()
def downgrade_keeps_the_sessions_of_classic_members(k: Talk) -> None:
    topic = k.topic(2)
    (one,), last = mixed(k, topic, [0, 1], session_ms=1000)
    one.peer.quiet(700)
    last.leave()
    one.peer.quiet(700)
    one.beat()
    wait_for_state(k, one.group, "Empty")
    one.beat()


@no_interval()
def downgrade_and_upgrade_again(k: Talk) -> None:
    topic = k.topic(2)
    (one,), last = mixed(k, topic, [0, 1])
    last.leave()
    log = GroupLog(k, one.group)
    again = Consumer(k, one.group, "c2", topics=[topic])
    again.join()
    log.keep()
    one.beat()
    one.rejoin()
    one.assigned()
    again.beat()
    log.keep()


@no_interval()
def downgrade_with_commits(k: Talk) -> None:
    topic = k.topic(2)
    (one,), last = mixed(k, topic, [0, 1])
    known: dict[str, Any] = {"member": one.id, "generation": one.generation}
    k.ask(*commit(one.group, {topic: {0: 5}}, **known))
    k.ask(*commit(one.group, {topic: {1: 5}}, member=last.id, generation=last.epoch))
    last.leave()
    k.ask(*commit(one.group, {topic: {0: 6}}, **known))
    k.ask(*commit(one.group, {topic: {1: 6}}, member=last.id, generation=last.epoch))
    k.ask(*commit(one.group, {topic: {1: 6}}))
    one.rejoin()
    k.ask(*commit(one.group, {topic: {0: 7}}, **known))
    one.peer.do(*one.sync({one.id: one.assignment}))
    k.ask(*commit(one.group, {topic: {0: 8}}, member=one.id, generation=one.generation))
    k.ask(*fetch_offsets(one.group, {topic: [0, 1]}, version=7))


@no_interval()
def downgrade_by_a_static_member(k: Talk) -> None:
    """A classic member takes the place of the last consumer. Nothing changed, so the group is Stable."""
    topic = k.topic(2)
    one, last = two_static(k, topic)
    log = GroupLog(k, one.group)
    new = Classic(k, one.group, 2, topic, instance="i")
    new.rejoin()
    log.keep()
    described(k, one.group)
    one.beat()
    new.beat()
    new.peer.ask(*new.sync())
    one.peer.ask(*one.sync())
    last.beat()


@no_interval()
def downgrade_by_a_static_member_alone(k: Talk) -> None:
    """It is the only member."""
    topic = k.topic(2)
    group = k.group()
    last = Consumer(k, group, "c1", topics=[topic], instance="i")
    settled(last)
    log = GroupLog(k, group)
    new = Classic(k, group, 1, topic, instance="i")
    new.rejoin()
    log.keep()
    described(k, group)
    new.beat()
    new.peer.ask(*new.sync())
    new.rejoin()
    new.peer.ask(*new.sync({new.id: new.assignment}))
    log.keep()


@no_interval()
def downgrade_by_a_static_member_after_a_leave(k: Talk) -> None:
    """The consumer leaves with -2, as a client that restarts does."""
    topic = k.topic(2)
    one, last = two_static(k, topic)
    log = GroupLog(k, one.group)
    last.leave(-2)
    described(k, one.group)
    new = Classic(k, one.group, 2, topic, instance="i")
    new.rejoin()
    log.keep()
    described(k, one.group)
    new.peer.ask(*new.sync())


@no_interval()
def downgrade_by_a_static_member_with_another_subscription(k: Talk) -> None:
    """The assignment is stale, so the classic group rebalances at once."""
    topic, other = k.topic(2), k.topic(1)
    one, _ = two_static(k, topic)
    log = GroupLog(k, one.group)
    new = Classic(k, one.group, 2, topic, other, instance="i")
    new.rejoin()
    log.keep()
    described(k, one.group)
    new.beat()
    one.beat()
    new.assigned()


@no_interval()
def downgrade_by_a_static_member_while_the_group_reconciles(k: Talk) -> None:
    topic = k.topic(2)
    group = k.group()
    last = Consumer(k, group, "c1", topics=[topic], instance="i")
    settled(last)
    one = Classic(k, group, 1, topic)
    one.rejoin()
    one.rejoin()
    one.assigned()
    log = GroupLog(k, group)
    new = Classic(k, group, 2, topic, instance="i")
    new.rejoin()
    log.keep()
    described(k, group)
    new.peer.ask(*new.sync())
    one.peer.ask(*one.sync())
    one.beat()
    one.rejoin()


@no_interval()
def downgrade_by_a_static_member_that_still_owns_its_partitions(k: Talk) -> None:
    topic = k.topic(2)
    group = k.group()
    last = Consumer(k, group, "c1", topics=[topic], instance="i")
    settled(last)
    one = Classic(k, group, 1, topic)
    one.rejoin()
    one.rejoin()
    one.assigned()
    log = GroupLog(k, group)
    new = Classic(k, group, 2, topic, instance="i")
    new.owns = {topic: [0, 1]}
    new.rejoin()
    log.keep()
    new.beat()


@no_interval()
def downgrade_with_a_regular_expression(k: Talk) -> None:
    topic = k.topic(2)
    group = k.group()
    last = Consumer(k, group, "c1", topics=None, regex=topic.replace(".", "[.]"))
    last.join(kept=False, topics=None)
    last.beat_until(lambda response: response["Assignment"])
    one = Classic(k, group, 1, topic)
    one.rejoin()
    one.rejoin()
    one.assigned()
    log = GroupLog(k, group)
    last.leave()
    log.keep()
    described(k, group)


@no_interval(versions=range(4))
def downgrade_with_a_subscription(k: Talk, version: int) -> None:
    topic = k.topic(2)
    (one,), last = mixed(k, topic, [0, 1], subscription=version)
    log = GroupLog(k, one.group)
    last.leave()
    log.keep()


@no_interval()
def downgrade_elects_a_protocol(k: Talk) -> None:
    topic = k.topic(6)
    group = k.group()
    last = Consumer(k, group, "c1", topics=[topic])
    settled(last)
    members = [
        Classic(k, group, 1, topic, names=["a", "b"]),
        Classic(k, group, 2, topic, names=["b", "a"]),
        Classic(k, group, 3, topic, names=["b", "a", "c"]),
    ]
    before = len(k.kept)
    for each in members:
        each.rejoin()
        each.rejoin()
        each.assigned()
    for _ in range(6):
        last.full()
        for each in members:
            each.catch_up()
    del k.kept[before:]
    last.leave()
    k.ask(
        *describe(group),
        keep=lambda found: (found["Groups"][0]["ProtocolData"], found["Groups"][0]["GroupState"]),
    )
    for each in members:
        each.beat()


@no_interval()
def downgrade_of_a_topic_that_was_deleted(k: Talk) -> None:
    topic, other = k.topic(2), k.topic(1)
    group = k.group()
    last = Consumer(k, group, "c1", topics=[topic])
    settled(last)
    one = Classic(k, group, 1, other)
    one.rejoin()
    one.rejoin()
    one.assigned()
    k.delete_topic(other)
    one.peer.quiet(500)  # Kafka's coordinator learns of it after the broker
    log = GroupLog(k, group)
    last.leave()
    log.keep()


@no_interval()
def downgrade_waits_for_the_last_consumer(k: Talk) -> None:
    topic = k.topic(6)
    (one,), first = mixed(k, topic, [0, 1, 2, 3, 4, 5])
    other = Consumer(k, one.group, "c2", topics=[topic])
    other.join(kept=False)
    log = GroupLog(k, one.group)
    first.leave()
    described(k, one.group)
    log.keep()
    other.leave()
    log.keep()
    one.beat()


@no_interval()
def downgrade_needs_a_classic_member(k: Talk) -> None:
    """A classic member that leaves first leaves a consumer group."""
    topic = k.topic(2)
    (one,), last = mixed(k, topic, [0, 1])
    log = GroupLog(k, one.group)
    k.ask(*leave(one.group, one.id))
    log.keep()
    last.leave()
    log.keep()
    described(k, one.group)


@no_interval()
def downgrade_does_not_follow_when_the_last_consumer_becomes_classic(k: Talk) -> None:
    """It follows when one of the classic members is removed."""
    topic = k.topic(2)
    (one,), last = mixed(k, topic, [0, 1])
    two = Classic(k, one.group, 2, topic)
    two.id = last.id
    two.rejoin()
    two.assigned()
    described(k, one.group)
    log = GroupLog(k, one.group)
    k.ask(*leave(one.group, two.id))
    log.keep()
    one.beat()


@under_policy("bidirectional", **{"group.max.size": "1"})
def downgrade_of_a_group_that_is_too_large_for_a_classic_one(k: Talk) -> None:
    topic = k.topic(6)
    group = k.group()
    last = Consumer(k, group, "c1", topics=[topic], instance="i")
    settled(last)
    one, two = Classic(k, group, 1, topic), Classic(k, group, 2, topic)
    for each in (one, two):
        each.rejoin()
        each.rejoin()
        each.assigned()
    log = GroupLog(k, group)
    last.leave()
    log.keep()
    k.ask(*describe_consumers(group), keep=lambda found: found["Groups"][0]["GroupState"])
    k.ask(*leave(group, two.id))
    log.keep()
    one.beat()
    described(k, group)


@under_policy("bidirectional", **{"group.max.size": "1"})
def downgrade_by_a_static_member_of_a_group_that_is_too_large(k: Talk) -> None:
    topic = k.topic(2)
    one, _ = two_static(k, topic)
    new = Classic(k, one.group, 2, topic, instance="i")
    new.rejoin()
    k.ask(*describe_consumers(one.group), keep=members_by_client)


@no_interval()
def downgrade_with_the_leave_of_a_classic_member_among_consumers(k: Talk) -> None:
    """Not a downgrade: a consumer stays."""
    topic = k.topic(6)
    (one, two), last = mixed(k, topic, [0, 1, 2], [3, 4, 5])
    log = GroupLog(k, one.group)
    k.ask(*leave(one.group, one.id, two.id))
    log.keep()
    last.full()
    k.ask(*describe_consumers(one.group), keep=members_by_client)


def consumer_joins(k: Talk) -> None:
    topic = k.topic(2)
    (one,) = stable_classics(k, topic, [0, 1])
    Consumer(k, one.group, "c1", topics=[topic]).join()
    one.beat()


def consumer_joins_an_empty_group(k: Talk) -> None:
    topic = k.topic(2)
    (one,) = stable_classics(k, topic, [0, 1])
    k.do(*leave(one.group, one.id))
    Consumer(k, one.group, "c1", topics=[topic]).join()


def classic_member_joins_an_empty_group(k: Talk) -> None:
    topic = k.topic(2)
    old = Consumer(k, k.group(), "c1", topics=[topic])
    settled(old)
    old.leave()
    one = Classic(k, old.group, 1, topic)
    one.rejoin()
    one.rejoin()


def classic_members_join_and_the_consumer_leaves(k: Talk) -> None:
    topic = k.topic(2)
    old = Consumer(k, k.group(), "c1", topics=[topic])
    settled(old)
    one = Classic(k, old.group, 1, topic)
    one.rejoin()
    one.rejoin()
    one.assigned()
    static = Classic(k, old.group, 2, topic, instance="i")
    static.rejoin()
    log = GroupLog(k, old.group)
    old.leave()
    log.keep()
    one.beat()
    k.ask(*leave(old.group, ("", "i")))
    log.keep()
    one.beat()


def static_member_takes_over(k: Talk) -> None:
    topic = k.topic(2)
    old = Consumer(k, k.group(), "c1", topics=[topic], instance="i")
    settled(old)
    log = GroupLog(k, old.group)
    one = Classic(k, old.group, 1, topic, instance="i")
    one.rejoin()
    one.assigned()
    log.keep()
    old.beat()
    described(k, old.group)


STORIES = (
    consumer_joins,
    consumer_joins_an_empty_group,
    classic_member_joins_an_empty_group,
    classic_members_join_and_the_consumer_leaves,
    static_member_takes_over,
)


@under_policy("bidirectional", versions=range(len(STORIES)))
def policy_bidirectional(k: Talk, version: int) -> None:
    STORIES[version](k)


@under_policy("upgrade", versions=range(len(STORIES)))
def policy_upgrade(k: Talk, version: int) -> None:
    STORIES[version](k)


@under_policy("downgrade", versions=range(len(STORIES)))
def policy_downgrade(k: Talk, version: int) -> None:
    STORIES[version](k)


@under_policy("disabled", versions=range(len(STORIES)))
def policy_disabled(k: Talk, version: int) -> None:
    STORIES[version](k)
