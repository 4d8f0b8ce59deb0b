"""Stories of groups with the consumer protocol (KIP-848). Each has topics of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from tests.conformance.build import commit, leave, subscribed
from tests.conformance.build_admin import grow
from tests.conformance.case import Fields, Talk
from tests.conformance.consumers import (
    NO_INTERVAL,
    Consumer,
    consumers,
    described,
    known_topic,
    set_group,
    settled,
)
from tests.conformance.disk.stories import Run, Story
from tests.conformance.members import Member, some_stable, stable

CONSUMER_STORIES: Final[dict[str, Story]] = {}
# Kafka appends a record when it is decided, rather than together with later ones.
AT_ONCE: Final = {**NO_INTERVAL, "group.coordinator.append.linger.ms": "0"}
PASSES: Final = {**AT_ONCE, "offsets.retention.check.interval.ms": "500"}


def with_settings(settings: dict[str, str]) -> Callable[[Run], Run]:
    """Register a story on a broker with these settings."""

    def register(run: Run) -> Run:
        CONSUMER_STORIES[run.__name__] = Story(run.__name__, run, settings)
        return run

    return register


no_interval: Final = with_settings(AT_ONCE)
of_expiry: Final = with_settings(PASSES)


def beat_until(member: Consumer, done: Callable[[Fields], Any], **fields: Any) -> None:
    """Repeat a heartbeat until its response is as expected."""
    member.talk.until(lambda: member.beat(kept=False, **fields), done)


def until_epoch(member: Consumer, epoch: int) -> None:
    """Wait until an expression has been resolved. A heartbeat meanwhile could share its batch."""
    member.talk.until(lambda: described(member), lambda group: group["GroupEpoch"] == epoch)


def joined(k: Talk, **how: Any) -> Consumer:
    """Return the only member of a new group."""
    (one,) = consumers(k, 1, **how)
    one.join(kept=False)
    return one


@no_interval
def a_consumer_joins(k: Talk) -> None:
    joined(k, topics=[known_topic(k, 3)])


@no_interval
def a_consumer_joins_beats_and_leaves(k: Talk) -> None:
    topic = known_topic(k, 3)
    one = joined(k, topics=[topic])
    one.beat(kept=False)
    one.full(kept=False)
    k.do(*commit(one.group, {topic: {0: 5}}, member="m1", generation=2))
    one.leave(kept=False)


@no_interval
def a_consumer_with_every_field_joins(k: Talk) -> None:
    joined(k, topics=[known_topic(k, 1)], rack="r1", instance="i1", assignor="range", rebalance_ms=1234)


@no_interval
def a_consumer_of_an_older_version_joins(k: Talk) -> None:
    joined(k, topics=[known_topic(k, 1)], version=0)


@no_interval
def a_consumer_of_a_missing_topic_joins(k: Talk) -> None:
    joined(k, topics=[k.name("missing")])


@no_interval
def a_consumer_without_topics_joins_and_leaves(k: Talk) -> None:
    joined(k, topics=[]).leave(kept=False)


@no_interval
def a_second_consumer_joins_and_receives_its_half(k: Talk) -> None:
    topic = known_topic(k, 6)
    one, two = consumers(k, 2, topics=[topic])
    one.join(kept=False)
    two.join(kept=False)
    one.beat(kept=False, owns={topic: range(6)})
    two.beat(kept=False)
    one.beat(kept=False, owns={topic: [0, 1, 2]})
    two.beat(kept=False)
    two.beat(kept=False)


@no_interval
def a_third_consumer_joins_during_a_revocation(k: Talk) -> None:
    topic = known_topic(k, 6)
    one, two, three = consumers(k, 3, topics=[topic])
    one.join(kept=False)
    two.join(kept=False)
    one.beat(kept=False, owns={topic: range(6)})
    three.join(kept=False)
    one.beat(kept=False, owns={topic: [0, 1, 2]})
    one.beat(kept=False, owns={topic: [0, 1]})
    two.beat(kept=False)
    three.beat(kept=False)


@no_interval
def the_second_consumer_leaves(k: Talk) -> None:
    topic = known_topic(k, 4)
    one, two = consumers(k, 2, topics=[topic])
    settled(one, two)
    two.leave(kept=False)
    one.beat(kept=False)
    one.beat(kept=False, owns=one.owns)


@no_interval
def a_consumer_leaves_during_a_revocation(k: Talk) -> None:
    topic = known_topic(k, 4)
    one, two = consumers(k, 2, topics=[topic])
    one.join(kept=False)
    two.join(kept=False)
    one.beat(kept=False, owns={topic: range(4)})
    one.leave(kept=False)
    two.beat(kept=False)


@no_interval
def a_consumer_rejoins(k: Talk) -> None:
    topic = known_topic(k, 4)
    one = joined(k, topics=[topic])
    one.join(kept=False)
    one.join(kept=False, rebalance_ms=500)
    two = Consumer(k, one.group, "m2", topics=[topic])
    two.join(kept=False)
    one.beat(kept=False, owns={topic: range(4)})
    one.join(kept=False)
    two.beat(kept=False)


@no_interval
def a_consumer_returns_to_an_empty_group(k: Talk) -> None:
    one = joined(k, topics=[known_topic(k, 2)])
    one.leave(kept=False)
    one.join(kept=False)


@no_interval
def a_consumer_changes_its_fields(k: Talk) -> None:
    topic = known_topic(k, 2)
    one = joined(k, topics=[topic])
    one.full(kept=False, rebalance_ms=7000)
    one.beat(kept=False, rack="r2")
    one.beat(kept=False, assignor="range")
    one.beat(kept=False, topics=[topic, topic])


@no_interval
def a_consumer_changes_its_topics(k: Talk) -> None:
    topic, other = known_topic(k, 2), known_topic(k, 3)
    one = joined(k, topics=[topic])
    one.beat(kept=False, topics=[other], owns={topic: [0, 1]})
    one.beat(kept=False, owns={})
    one.beat(kept=False, topics=[])
    one.beat(kept=False, owns={})


@no_interval
def a_refused_consumer(k: Talk) -> None:
    (one,) = consumers(k, 1, topics=[known_topic(k, 2)])
    one.join(kept=False, assignor="nonsense")
    one.join(kept=False, regex="(")
    one.join(kept=False)
    one.beat(kept=False, epoch=9, topics=[])
    one.beat(kept=False, epoch=1, topics=[])
    one.beat(kept=False, instance="i1", topics=[])
    one.beat(kept=False, member="nobody", topics=[])


@no_interval
def a_static_consumer_leaves_and_returns(k: Talk) -> None:
    one = joined(k, topics=[known_topic(k, 3)], instance="i1")
    one.leave(-2, kept=False)
    again = Consumer(k, one.group, "m9", **one.how)
    again.join(kept=False)
    again.beat(kept=False)


@no_interval
def a_static_consumer_returns_with_another_subscription(k: Talk) -> None:
    topic, other = known_topic(k, 3), known_topic(k, 2)
    one = joined(k, topics=[topic], instance="i1")
    one.leave(-2, kept=False)
    again = Consumer(k, one.group, "m9", **{**one.how, "topics": [other]})
    again.join(kept=False)
    again.beat(kept=False, owns=again.owns)


@no_interval
def a_static_consumer_leaves_twice_and_for_good(k: Talk) -> None:
    one = joined(k, topics=[known_topic(k, 3)], instance="i1")
    one.leave(-2, kept=False)
    one.leave(-2, kept=False)
    one.leave(kept=False)


@no_interval
def a_consumer_with_an_expression_joins_changes_it_and_leaves(k: Talk) -> None:
    topic, other = known_topic(k, 2), known_topic(k, 3)
    one = joined(k, regex=topic.replace(".", "\\."))
    until_epoch(one, 2)
    one.beat(kept=False)
    one.beat(kept=False, regex=other.replace(".", "\\."), owns={topic: [0, 1]})
    until_epoch(one, 3)
    one.beat(kept=False, owns={})
    one.leave(kept=False)


@no_interval
def a_consumer_with_an_expression_and_names(k: Talk) -> None:
    topic, other = known_topic(k, 2), known_topic(k, 3)
    one = joined(k, topics=[topic], regex=other.replace(".", "\\."))
    until_epoch(one, 3)
    one.beat(kept=False)
    one.beat(kept=False, regex="", owns=one.owns)
    one.beat(kept=False, owns={topic: [0, 1]})


@no_interval
def two_consumers_with_one_expression(k: Talk) -> None:
    topic = known_topic(k, 2)
    one = joined(k, regex=topic.replace(".", "\\."))
    until_epoch(one, 2)
    one.beat(kept=False)
    two = Consumer(k, one.group, "m2", **one.how)
    two.join(kept=False)
    one.leave(kept=False)
    two.beat(kept=False)
    two.leave(kept=False)


@no_interval
def consumers_with_range(k: Talk) -> None:
    topic = known_topic(k, 3)
    one, two = consumers(k, 2, topics=[topic], assignor="range")
    settled(one, two)


@no_interval
def a_topic_of_a_consumer_is_extended_and_deleted(k: Talk) -> None:
    topic = known_topic(k, 1)
    one = joined(k, topics=[topic])
    k.do(*grow((topic, 2)))
    beat_until(one, lambda response: response["Assignment"])
    k.delete_topic(topic)
    beat_until(one, lambda response: response["Assignment"])
    one.beat(kept=False, owns={})


@no_interval
def a_session_of_a_consumer_ends(k: Talk) -> None:
    topic = known_topic(k, 2)
    (one,) = consumers(k, 1, topics=[topic])
    set_group(k, one.group, consumer_heartbeat_interval_ms="500", consumer_session_timeout_ms="1000")
    one.join(kept=False)
    k.until(lambda: described(one), lambda group: group["GroupState"] == "Empty")


@no_interval
def a_consumer_does_not_give_up_its_partitions(k: Talk) -> None:
    topic = known_topic(k, 4)
    one, two = consumers(k, 2, topics=[topic])
    one.how["rebalance_ms"] = 500
    one.join(kept=False)
    two.join(kept=False)
    one.beat(kept=False, owns={topic: range(4)})
    k.until(lambda: described(one), lambda group: len(group["Members"]) == 1)
    two.beat(kept=False)


@no_interval
def a_consumer_joins_an_empty_classic_group(k: Talk) -> None:
    topic = known_topic(k, 2)
    (member,) = some_stable(k, 1, protocols=subscribed(topic))
    k.do(*commit(member.group, {topic: {0: 5}}, member=member.id, generation=member.generation))
    member.peer.do(*member.leave())
    Consumer(k, member.group, topics=[topic]).join(kept=False)


@no_interval
def a_consumer_joins_a_simple_group(k: Talk) -> None:
    topic, group = known_topic(k, 2), k.group()
    k.do(*commit(group, {topic: {0: 5}}))
    Consumer(k, group, topics=[topic]).join(kept=False)


@no_interval
def a_classic_member_joins_an_empty_consumer_group(k: Talk) -> None:
    topic = known_topic(k, 2)
    one = joined(k, topics=[topic])
    k.do(*commit(one.group, {topic: {0: 5}}, member="m1", generation=2))
    one.leave(kept=False)
    stable(k, Member(k, one.group, protocols=subscribed(topic)))


@no_interval
def a_consumer_is_removed_by_leave_group(k: Talk) -> None:
    topic = known_topic(k, 2)
    one, two = consumers(k, 2, topics=[topic])
    settled(one, two)
    k.do(*leave(one.group, "m1", "nobody"))
    k.do(*leave(one.group, "m2"))


@no_interval
def an_empty_consumer_group_is_deleted(k: Talk) -> None:
    topic = known_topic(k, 2)
    one = joined(k, topics=[topic])
    k.do(*commit(one.group, {topic: {0: 5, 1: 6}}, member="m1", generation=2))
    one.leave(kept=False)
    k.do("DeleteGroups", 2, {"GroupsNames": [one.group]})


@no_interval
def a_consumer_group_with_odd_names(k: Talk) -> None:
    topic = known_topic(k, 1)
    for odd in ("é and 😀", " x", "a" * 1000):
        one = Consumer(k, f"{k.group()} {odd}", odd, topics=[topic], instance=odd, rack=odd)
        one.join(kept=False)


@no_interval
def a_second_consumer_joins_within_the_interval(k: Talk) -> None:
    topic = known_topic(k, 4)
    one, two = consumers(k, 2, topics=[topic])
    set_group(k, one.group, consumer_assignment_interval_ms="15000")
    one.join(kept=False)
    two.join(kept=False)
    one.beat(kept=False, owns={topic: range(4)})
    set_group(k, one.group, consumer_assignment_interval_ms="0")
    beat_until(one, lambda response: response["Assignment"], owns={topic: range(4)})


@of_expiry
def an_empty_consumer_group_goes_by_itself(k: Talk) -> None:
    one = joined(k, topics=[known_topic(k, 2)])
    one.leave(kept=False)
    k.until(lambda: described(one), lambda group: group["ErrorCode"] != 0)


@of_expiry
def offsets_of_a_consumer_group_expire(k: Talk) -> None:
    topic, group = known_topic(k, 2), k.group()
    k.do(*commit(group, {topic: {0: 1}}, version=4, retention_ms=3000))
    one = Consumer(k, group, topics=[k.name("missing")])
    one.join(kept=False)
    one.leave(kept=False)
    k.until(lambda: described(one), lambda group: group["ErrorCode"] != 0)
