"""ConsumerGroupHeartbeat: the server's assignors, and when a group computes a target."""

from __future__ import annotations

from typing import Final

from tests.conformance.build_admin import grow
from tests.conformance.case import Talk, case
from tests.conformance.consumers import (
    Consumer,
    ask_described,
    consumers,
    known_topic,
    no_interval,
    set_group,
    settle,
    settled,
)

LONG_INTERVAL: Final = {"group.consumer.assignment.interval.ms": "15000"}
SHORT_INTERVAL: Final = {"group.consumer.assignment.interval.ms": "3000"}


@no_interval(versions=range(2))
def consumer_votes_for_range(k: Talk, version: int) -> None:
    topic = known_topic(k, 6)
    one, two = consumers(k, 2, topics=[topic], assignor="range", version=version)
    settled(one, two)
    ask_described(one)


@no_interval()
def single_vote_for_range_wins(k: Talk) -> None:
    topic = known_topic(k, 6)
    one, two = consumers(k, 2, topics=[topic])
    two.how["assignor"] = "range"
    settled(one, two)
    ask_described(one)


@no_interval()
def most_votes_win(k: Talk) -> None:
    topic = known_topic(k, 6)
    members = consumers(k, 3, topics=[topic])
    for member, assignor in zip(members, ("uniform", "range", "range"), strict=True):
        member.how["assignor"] = assignor
    settled(*members)
    ask_described(members[0])
    members[2].leave()
    members[1].leave()
    settle(members[0])
    ask_described(members[0])


@no_interval()
def vote_changes_and_is_used_at_the_next_target(k: Talk) -> None:
    topic = known_topic(k, 6)
    one, two = consumers(k, 2, topics=[topic])
    settled(one, two)
    one.beat(assignor="range")
    ask_described(one)
    three = Consumer(k, one.group, "m0", topics=[topic])
    three.join()
    settle(one, two, three)
    ask_described(one)


@no_interval()
def range_of_three_members_and_two_topics(k: Talk) -> None:
    topic, other = known_topic(k, 2), known_topic(k, 3)
    members = consumers(k, 4, topics=[topic, other], assignor="range")
    for count in range(1, 5):
        members[count - 1].join(kept=False)
        settle(*members[:count])
        ask_described(members[0])


@no_interval()
def range_orders_members_by_id(k: Talk) -> None:
    topic = known_topic(k, 6)
    group = k.group()
    members = [Consumer(k, group, name, topics=[topic], assignor="range") for name in ("zz", "aa", "mm")]
    for count in range(1, 4):
        members[count - 1].join(kept=False)
        settle(*members[:count])
        ask_described(members[0])


@no_interval()
def uniform_remembers_what_members_had(k: Talk) -> None:
    topic = known_topic(k, 6)
    group = k.group()
    members = [Consumer(k, group, name, topics=[topic]) for name in ("zz", "aa", "mm")]
    for count in range(1, 4):
        members[count - 1].join(kept=False)
        settle(*members[:count])
        ask_described(members[0])


@no_interval()
def uniform_after_members_left(k: Talk) -> None:
    topic = known_topic(k, 6)
    members = consumers(k, 4, topics=[topic])
    for count in range(1, 5):
        members[count - 1].join(kept=False)
        settle(*members[:count])
    for left in (0, 2):
        members[left].leave()
        settle(*[m for n, m in enumerate(members) if n % 2 or n > left])
        ask_described(members[1])


@no_interval()
def range_after_members_left(k: Talk) -> None:
    topic = known_topic(k, 6)
    members = consumers(k, 4, topics=[topic], assignor="range")
    for count in range(1, 5):
        members[count - 1].join(kept=False)
        settle(*members[:count])
    for left in (0, 2):
        members[left].leave()
        settle(*[m for n, m in enumerate(members) if n % 2 or n > left])
        ask_described(members[1])


@no_interval()
def uniform_with_a_new_partition(k: Talk) -> None:
    topic = known_topic(k, 3)
    members = consumers(k, 3, topics=[topic])
    settled(*members)
    k.do(*grow((topic, 8)))
    members[0].beat_until(lambda response: response["Assignment"])
    settle(*members)
    ask_described(members[0])


@no_interval()
def subset_of_members_subscribes_with_range(k: Talk) -> None:
    topic, other = known_topic(k, 4), known_topic(k, 3)
    group = k.group()
    one = Consumer(k, group, "m1", topics=[topic, other], assignor="range")
    two = Consumer(k, group, "m2", topics=[topic], assignor="range")
    three = Consumer(k, group, "m3", topics=[other], assignor="range")
    settled(one, two, three)
    ask_described(one)


@no_interval()
def subset_of_members_subscribes_with_uniform(k: Talk) -> None:
    topic = known_topic(k, 4)
    group = k.group()
    one = Consumer(k, group, "m1", topics=[topic])
    two = Consumer(k, group, "m2", topics=[topic, k.name("missing")])
    three = Consumer(k, group, "m3", topics=[k.name("missing")])
    settled(one, two, three)
    ask_described(one)


@case(settings=LONG_INTERVAL)
def second_member_waits_for_the_interval(k: Talk) -> None:
    """The group is Assigning until the interval has passed; the member joins at the old assignment epoch."""
    topic = known_topic(k, 4)
    one, two = consumers(k, 2, topics=[topic])
    one.join()
    two.join()
    ask_described(one)
    one.beat(owns={topic: range(4)})
    two.beat()
    ask_described(one)


@case(settings=LONG_INTERVAL)
def consumer_changes_topics_within_the_interval(k: Talk) -> None:
    """Only the partitions of topics that it dropped are taken from it at once."""
    topic, other, third = known_topic(k, 2), known_topic(k, 3), known_topic(k, 1)
    (one,) = consumers(k, 1, topics=[topic, other])
    one.join()
    one.beat(topics=[other, third], owns={topic: [0, 1], other: [0, 1, 2]})
    one.beat(owns={other: [0, 1, 2]})
    one.beat()
    ask_described(one)


@case(settings=LONG_INTERVAL)
def consumer_leaves_within_the_interval(k: Talk) -> None:
    topic = known_topic(k, 2)
    one, two = consumers(k, 2, topics=[topic])
    one.join()
    two.join()
    one.leave()
    two.beat()
    ask_described(two)
    two.leave()
    ask_described(two)
    one.join()
    ask_described(one)


@case(settings=LONG_INTERVAL)
def static_consumer_returns_within_the_interval(k: Talk) -> None:
    topic = known_topic(k, 2)
    (one,) = consumers(k, 1, topics=[topic], instance="i1")
    one.join()
    one.leave(-2)
    again = Consumer(k, one.group, "m9", **one.how)
    again.join()
    again.beat()
    ask_described(one)


@case(settings=LONG_INTERVAL)
def consumer_rejoins_within_the_interval(k: Talk) -> None:
    topic = known_topic(k, 4)
    one, two = consumers(k, 2, topics=[topic])
    one.join()
    two.join()
    one.join()
    two.join()
    ask_described(one)


@case(settings=LONG_INTERVAL)
def topic_is_extended_within_the_interval(k: Talk) -> None:
    topic = known_topic(k, 2)
    (one,) = consumers(k, 1, topics=[topic])
    one.join(kept=False)
    k.do(*grow((topic, 4)))
    k.until(lambda: one.beat(kept=False) and state(one), lambda found: found == "Assigning")
    one.beat()
    ask_described(one)


def state(member: Consumer) -> str:
    found: str = member.talk.do("ConsumerGroupDescribe", 1, {"GroupIds": [member.group]})["Groups"][0][
        "GroupState"
    ]
    return found


@case(settings=SHORT_INTERVAL)
def first_heartbeat_after_the_interval_assigns(k: Talk) -> None:
    topic = known_topic(k, 4)
    one, two = consumers(k, 2, topics=[topic])
    one.join()
    two.join()
    one.beat_until(lambda response: response["Assignment"], owns={topic: range(4)})
    one.beat(owns={topic: [0, 1]})
    two.beat()
    ask_described(one)


@case(settings=SHORT_INTERVAL)
def several_changes_make_one_target(k: Talk) -> None:
    topic = known_topic(k, 6)
    members = consumers(k, 3, topics=[topic])
    for member in members:
        member.join()
    ask_described(members[0])
    members[0].beat_until(lambda response: response["Assignment"], owns={topic: range(6)})
    members[0].beat(owns={topic: [0, 1]})
    members[1].beat()
    members[2].beat()
    ask_described(members[0])


@no_interval()
def interval_of_one_group(k: Talk) -> None:
    topic = known_topic(k, 4)
    one, two = consumers(k, 2, topics=[topic])
    set_group(k, one.group, consumer_assignment_interval_ms="15000")
    one.join()
    two.join()
    ask_described(one)
    set_group(k, one.group, consumer_assignment_interval_ms="0")
    one.beat_until(lambda response: response["Assignment"], owns={topic: range(4)})
    ask_described(one)
