"""ConsumerGroupHeartbeat: members that join, and heartbeats of one member."""

from __future__ import annotations

from tests.conformance.case import Talk
from tests.conformance.consumers import (
    Consumer,
    ask_described,
    consumers,
    known_topic,
    no_interval,
    settle,
    settled,
)

HEARTBEAT_VERSIONS = range(2)


@no_interval(versions=HEARTBEAT_VERSIONS)
def first_member_of_a_consumer_group(k: Talk, version: int) -> None:
    topic = known_topic(k, 3)
    (one,) = consumers(k, 1, topics=[topic], version=version)
    one.join()
    one.beat()
    one.full()
    ask_described(one)


@no_interval()
def consumer_joins_with_an_empty_id_in_version_0(k: Talk) -> None:
    """The coordinator generates the id."""
    topic = known_topic(k, 2)
    (one,) = consumers(k, 1, topics=[topic], version=0)
    response = one.join(kept=False, member="")
    k.keep("has an id", len(response["MemberId"]))
    one.id = response["MemberId"]
    one.epoch = response["MemberEpoch"]
    k.keep("epoch", one.epoch)
    k.keep("the same id again", one.beat(kept=False)["MemberId"] == one.id)


@no_interval()
def consumer_joins_with_a_blank_id_in_version_0(k: Talk) -> None:
    topic = known_topic(k, 2)
    (one,) = consumers(k, 1, topics=[topic], version=0)
    one.join(member=" ")
    one.send(member=" ", epoch=2)
    ask_described(one)


@no_interval(versions=HEARTBEAT_VERSIONS)
def two_consumers_share_a_topic(k: Talk, version: int) -> None:
    """This is the example of KIP-848: the first gives up its half before the second receives it."""
    topic = known_topic(k, 6)
    one, two = consumers(k, 2, topics=[topic], version=version)
    one.join()
    two.join()
    all_six = {topic: range(6)}
    one.beat(owns=all_six)
    one.beat(owns=all_six)
    two.beat()
    one.beat(owns={topic: [0, 1, 2]})
    two.beat()
    two.beat()
    ask_described(one)
    one.beat(owns={topic: [0, 1, 2]})
    one.beat()


@no_interval()
def three_consumers_share_a_topic(k: Talk) -> None:
    topic = known_topic(k, 6)
    members = consumers(k, 3, topics=[topic])
    for member in members:
        member.join()
    for _ in range(5):
        for member in members:
            member.beat(owns=member.owns)
    ask_described(members[0])


@no_interval()
def four_consumers_join_settling_in_between(k: Talk) -> None:
    topic = known_topic(k, 6)
    members = consumers(k, 4, topics=[topic])
    for count, member in enumerate(members, 1):
        member.join()
        settle(*members[:count])
        ask_described(member)


@no_interval()
def more_consumers_than_partitions(k: Talk) -> None:
    topic = known_topic(k, 1)
    one, two = consumers(k, 2, topics=[topic])
    one.join()
    two.join()
    one.beat()
    two.beat()
    ask_described(one)


@no_interval()
def consumer_of_a_topic_that_does_not_exist(k: Talk) -> None:
    (one,) = consumers(k, 1, topics=[k.name("missing")])
    one.join()
    one.beat()
    ask_described(one)


@no_interval()
def consumer_with_an_empty_list_of_topics(k: Talk) -> None:
    (one,) = consumers(k, 1, topics=[])
    one.join()
    one.beat()
    one.full()
    ask_described(one)


@no_interval()
def consumer_that_names_a_topic_twice(k: Talk) -> None:
    topic = known_topic(k, 2)
    (one,) = consumers(k, 1, topics=[topic, topic])
    one.join()
    one.full(topics=[topic])
    one.full(topics=[topic, topic, topic])
    ask_described(one)


@no_interval()
def consumer_rejoins_with_epoch_0(k: Talk) -> None:
    """A known dynamic member may. Nothing changes, and it receives its whole assignment."""
    topic = known_topic(k, 3)
    (one,) = consumers(k, 1, topics=[topic])
    one.join()
    one.join()
    one.beat()
    ask_described(one)


@no_interval()
def consumer_rejoins_with_another_subscription(k: Talk) -> None:
    topic, other = known_topic(k, 3), known_topic(k, 2)
    (one,) = consumers(k, 1, topics=[topic])
    one.join()
    one.join(topics=[other])
    one.beat()
    ask_described(one)


@no_interval()
def consumer_rejoins_while_it_should_give_up_partitions(k: Talk) -> None:
    """A member that rejoins owns nothing, so that the other member receives them."""
    topic = known_topic(k, 4)
    one, two = consumers(k, 2, topics=[topic])
    one.join()
    two.join()
    one.beat(owns={topic: range(4)})
    one.join()
    two.beat()
    one.beat()
    ask_described(one)


@no_interval()
def consumer_leaves_and_the_group_is_empty(k: Talk) -> None:
    topic = known_topic(k, 2)
    (one,) = consumers(k, 1, topics=[topic])
    one.join()
    one.leave()
    ask_described(one)
    one.beat()
    one.leave()
    one.join()
    ask_described(one)


@no_interval()
def consumer_joins_a_group_that_became_empty(k: Talk) -> None:
    topic = known_topic(k, 2)
    one, two = consumers(k, 2, topics=[topic])
    one.join(kept=False)
    one.leave()
    two.join()
    two.beat()
    ask_described(two)


@no_interval()
def consumer_leaves_and_the_others_take_over(k: Talk) -> None:
    topic = known_topic(k, 6)
    members = consumers(k, 3, topics=[topic])
    settled(*members)
    one, two, three = members
    one.leave()
    two.beat()
    three.beat()
    two.beat(owns=two.owns)
    three.beat(owns=three.owns)
    ask_described(two)


@no_interval()
def consumer_leaves_before_it_gave_up_partitions(k: Talk) -> None:
    topic = known_topic(k, 4)
    one, two = consumers(k, 2, topics=[topic])
    one.join(kept=False)
    two.join()
    one.beat(owns={topic: range(4)})
    one.leave()
    two.beat()
    two.beat()
    ask_described(two)


@no_interval()
def waiting_consumer_leaves(k: Talk) -> None:
    """The first keeps its partitions: what it was told to give up returns to it."""
    topic = known_topic(k, 4)
    one, two = consumers(k, 2, topics=[topic])
    one.join(kept=False)
    two.join()
    two.leave()
    one.beat(owns={topic: range(4)})
    one.beat()
    ask_described(one)


@no_interval()
def waiting_consumer_leaves_while_the_other_gives_up(k: Talk) -> None:
    topic = known_topic(k, 4)
    one, two = consumers(k, 2, topics=[topic])
    one.join(kept=False)
    two.join()
    one.beat(owns={topic: range(4)})
    two.leave()
    one.beat(owns={topic: range(4)})
    one.beat(owns={topic: [0, 1]})
    one.beat(owns={topic: range(4)})
    ask_described(one)


@no_interval()
def consumer_joins_with_an_id_of_another_member(k: Talk) -> None:
    """Two processes with one id are one member."""
    topic = known_topic(k, 2)
    one, two = consumers(k, 2, topics=[topic])
    one.join()
    two.id = one.id
    two.join()
    one.beat()
    ask_described(one)


@no_interval()
def consumer_joins_with_a_rack(k: Talk) -> None:
    topic = known_topic(k, 2)
    (one,) = consumers(k, 1, topics=[topic], rack="r1")
    one.join()
    one.beat()
    one.full(rack="r2")
    ask_described(one)
    one.full(rack=None)
    ask_described(one)


@no_interval()
def consumer_changes_its_rebalance_timeout(k: Talk) -> None:
    topic = known_topic(k, 2)
    (one,) = consumers(k, 1, topics=[topic], rebalance_ms=0)
    one.join()
    one.full(rebalance_ms=5000)
    one.beat(rebalance_ms=0)
    one.beat(rebalance_ms=-1)
    one.beat(rebalance_ms=-7)
    one.beat(rebalance_ms=2147483647)
    ask_described(one)


@no_interval()
def consumer_in_two_groups(k: Talk) -> None:
    topic = known_topic(k, 2)
    (one,), (two,) = consumers(k, 1, topics=[topic]), consumers(k, 1, topics=[topic])
    one.join()
    two.join()
    one.beat()
    two.beat()


@no_interval()
def consumer_with_long_and_odd_names(k: Talk) -> None:
    topic = known_topic(k, 1)
    group = k.group()
    for name in ("é and 😀", "x" * 1000, "a b", "."):
        one = Consumer(k, group, name, topics=[topic], instance=name)
        one.join()
        one.beat()
        one.leave()


@no_interval()
def consumer_leaves_with_other_fields(k: Talk) -> None:
    """A leave ignores the fields that it does not need."""
    topic = known_topic(k, 2)
    (one,) = consumers(k, 1, topics=[topic])
    one.join()
    one.leave(rebalance_ms=5, topics=[], regex="(", rack="r", owns={topic: [0]})
    one.join()
    one.leave(assignor="nonsense")
    ask_described(one)
