"""ConsumerGroupHeartbeat: static members, which have an instance id."""

from __future__ import annotations

from tests.conformance.case import Talk
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


def replacement(k: Talk, member: Consumer, name: str) -> Consumer:
    """Return another member with the same instance id."""
    return Consumer(k, member.group, name, **member.how)


@no_interval(versions=range(2))
def static_consumer_joins_and_beats(k: Talk, version: int) -> None:
    topic = known_topic(k, 3)
    (one,) = consumers(k, 1, topics=[topic], instance="i1", version=version)
    one.join()
    one.beat()
    one.beat(instance=None)
    one.full()
    ask_described(one)


@no_interval()
def static_consumer_leaves_for_good(k: Talk) -> None:
    topic = known_topic(k, 3)
    (one,) = consumers(k, 1, topics=[topic], instance="i1")
    one.join(kept=False)
    one.leave()
    ask_described(one)
    one.join()


@no_interval()
def static_consumer_leaves_without_naming_its_instance(k: Talk) -> None:
    topic = known_topic(k, 3)
    (one,) = consumers(k, 1, topics=[topic], instance="i1")
    one.join(kept=False)
    one.leave(instance=None)
    ask_described(one)


@no_interval(versions=range(2))
def static_consumer_leaves_and_returns_with_a_new_id(k: Talk, version: int) -> None:
    """Nothing is reassigned: the new member has the target and the epoch of the old one."""
    topic = known_topic(k, 4)
    one, two = consumers(k, 2, topics=[topic], version=version)
    one.how["instance"] = "i1"
    settled(one, two)
    one.leave(-2)
    ask_described(one)
    two.beat()
    again = replacement(k, one, "m9")
    again.join()
    ask_described(one)
    again.beat()
    two.beat()
    one.beat(epoch=3)
    one.beat(epoch=3, instance=None)


@no_interval()
def static_consumer_leaves_and_returns_with_the_same_id(k: Talk) -> None:
    topic = known_topic(k, 4)
    (one,) = consumers(k, 1, topics=[topic], instance="i1")
    one.join(kept=False)
    one.leave(-2)
    one.join()
    one.beat()
    ask_described(one)


@no_interval()
def static_consumer_returns_with_another_subscription(k: Talk) -> None:
    topic, other = known_topic(k, 3), known_topic(k, 2)
    (one,) = consumers(k, 1, topics=[topic], instance="i1")
    one.join(kept=False)
    one.leave(-2)
    again = replacement(k, one, "m9")
    again.how["topics"] = [other]
    again.join()
    again.beat(owns=again.owns)
    ask_described(one)


@no_interval()
def static_consumer_returns_with_other_fields(k: Talk) -> None:
    topic = known_topic(k, 3)
    (one,) = consumers(k, 1, topics=[topic], instance="i1", rack="r1")
    one.join(kept=False)
    one.leave(-2)
    again = replacement(k, one, "m9")
    again.how.update(rack="r2", rebalance_ms=7000, assignor="range")
    again.join()
    ask_described(one)


@no_interval()
def static_consumer_returns_without_having_left(k: Talk) -> None:
    topic = known_topic(k, 3)
    (one,) = consumers(k, 1, topics=[topic], instance="i1")
    one.join(kept=False)
    again = replacement(k, one, "m9")
    again.join()
    one.join()
    one.beat()
    ask_described(one)


@no_interval()
def static_consumer_leaves_twice(k: Talk) -> None:
    topic = known_topic(k, 3)
    (one,) = consumers(k, 1, topics=[topic], instance="i1")
    one.join(kept=False)
    one.leave(-2)
    one.leave(-2)
    ask_described(one)
    one.leave(-1)
    ask_described(one)


@no_interval()
def static_consumer_that_left_sends_heartbeats(k: Talk) -> None:
    topic = known_topic(k, 3)
    (one,) = consumers(k, 1, topics=[topic], instance="i1")
    one.join(kept=False)
    one.leave(-2)
    one.beat(epoch=2)
    one.beat(epoch=2, owns={topic: [0, 1, 2]})
    one.beat(epoch=1)
    one.beat(epoch=3)
    one.beat(epoch=2, instance=None)
    ask_described(one)


@no_interval()
def replaced_static_consumer_is_fenced(k: Talk) -> None:
    topic = known_topic(k, 3)
    (one,) = consumers(k, 1, topics=[topic], instance="i1")
    one.join(kept=False)
    one.leave(-2)
    again = replacement(k, one, "m9")
    again.join(kept=False)
    one.beat(epoch=2)
    one.leave(-1)
    one.leave(-2)
    one.join()
    one.join(instance=None)
    one.join(instance="i2")
    ask_described(one)


@no_interval()
def consumer_with_the_instance_of_another(k: Talk) -> None:
    topic = known_topic(k, 4)
    one, two = consumers(k, 2, topics=[topic])
    one.how["instance"] = "i1"
    settled(one, two)
    two.beat(instance="i1")
    two.beat(instance="i2")
    two.join(instance="i1")
    two.leave(instance="i1")
    two.leave(-2, instance="i1")
    ask_described(one)


@no_interval()
def dynamic_consumer_leaves_as_a_static_one(k: Talk) -> None:
    topic = known_topic(k, 4)
    (one,) = consumers(k, 1, topics=[topic])
    one.join(kept=False)
    one.leave(-2, instance="i1")
    one.leave(-2)
    one.beat()


@no_interval()
def dynamic_consumer_rejoins_as_a_static_one(k: Talk) -> None:
    topic = known_topic(k, 4)
    (one,) = consumers(k, 1, topics=[topic])
    one.join(kept=False)
    one.join(instance="i1")
    ask_described(one)
    one.beat(instance="i1")


@no_interval()
def static_consumer_rejoins_with_another_instance(k: Talk) -> None:
    topic = known_topic(k, 4)
    (one,) = consumers(k, 1, topics=[topic], instance="i1")
    one.join(kept=False)
    one.join(instance="i2")
    one.beat(instance="i2")
    one.beat(instance="i1")
    ask_described(one)


@no_interval()
def static_consumer_leaves_while_it_should_give_up_partitions(k: Talk) -> None:
    topic = known_topic(k, 4)
    one, two = consumers(k, 2, topics=[topic])
    one.how["instance"] = "i1"
    one.join(kept=False)
    two.join(kept=False)
    one.beat(owns={topic: range(4)})
    one.leave(-2)
    ask_described(one)
    two.beat()
    again = replacement(k, one, "m9")
    again.join()
    two.beat()
    again.beat(owns=again.owns)
    two.beat()
    ask_described(two)


@no_interval()
def static_consumer_leaves_while_it_waits_for_partitions(k: Talk) -> None:
    topic = known_topic(k, 4)
    one, two = consumers(k, 2, topics=[topic])
    two.how["instance"] = "i2"
    one.join(kept=False)
    two.join(kept=False)
    two.leave(-2)
    one.beat(owns={topic: range(4)})
    one.beat(owns={topic: [0, 1]})
    again = replacement(k, two, "m9")
    again.join()
    again.beat()
    ask_described(one)


@no_interval()
def another_member_joins_while_a_static_one_is_away(k: Talk) -> None:
    """The member that is away keeps its partitions until it returns and gives them up."""
    topic = known_topic(k, 4)
    one, two = consumers(k, 2, topics=[topic])
    one.how["instance"] = "i1"
    one.join(kept=False)
    one.leave(-2)
    two.join()
    two.beat()
    ask_described(one)
    again = replacement(k, one, "m9")
    again.join()
    again.beat(owns={topic: range(4)})
    again.beat(owns=again.owns)
    two.beat()
    ask_described(one)


@no_interval()
def static_consumer_does_not_return(k: Talk) -> None:
    topic = known_topic(k, 4)
    one, two = consumers(k, 2, topics=[topic])
    set_group(k, one.group, consumer_heartbeat_interval_ms="500", consumer_session_timeout_ms="1000")
    one.how["instance"] = "i1"
    settled(one, two)
    one.leave(-2)
    two.beat_until(lambda response: response["Assignment"], owns={topic: [2, 3]})
    ask_described(two)
    one.beat(epoch=3)


@no_interval()
def two_static_consumers_swap_their_ids(k: Talk) -> None:
    topic = known_topic(k, 4)
    one, two = consumers(k, 2, topics=[topic])
    one.how["instance"], two.how["instance"] = "i1", "i2"
    settled(one, two)
    one.leave(-2)
    two.leave(-2)
    Consumer(k, one.group, "m8", topics=[topic], instance="i2").join()
    Consumer(k, one.group, "m9", topics=[topic], instance="i1").join()
    ask_described(one)


@no_interval()
def static_consumer_returns_many_times(k: Talk) -> None:
    topic = known_topic(k, 4)
    (one,) = consumers(k, 1, topics=[topic], instance="i1")
    one.join(kept=False)
    last = one
    for number in range(2, 6):
        last.leave(-2)
        last = replacement(k, one, f"m{number}")
        last.join()
        last.beat()
    ask_described(one)


@no_interval()
def range_orders_static_consumers_by_instance(k: Talk) -> None:
    topic = known_topic(k, 6)
    group = k.group()
    members = [
        Consumer(k, group, name, topics=[topic], assignor="range", instance=instance)
        for name, instance in (("z", "i1"), ("a", None), ("y", "i2"), ("b", None))
    ]
    settled(*members)
    ask_described(members[0])
    members[0].leave(-1)
    settle(*members[1:])
    ask_described(members[1])


@no_interval()
def static_consumer_returns_with_a_regular_expression(k: Talk) -> None:
    topic = known_topic(k, 3)
    (one,) = consumers(k, 1, topics=[topic], instance="i1")
    one.join(kept=False)
    one.leave(-2)
    again = Consumer(k, one.group, "m9", regex=topic.replace(".", "\\."), instance="i1")
    again.join()
    again.beat_until(lambda response: response["MemberEpoch"] > 2, owns=again.owns)
    ask_described(one)
