"""ConsumerGroupHeartbeat: members that change their topics, and topics that change under them."""

from __future__ import annotations

from tests.conformance.build_admin import grow
from tests.conformance.case import Fields, Talk
from tests.conformance.consumers import (
    Consumer,
    ask_described,
    consumers,
    known_topic,
    no_interval,
    settle,
    settled,
)


def has_epoch_above(epoch: int) -> object:
    return lambda response: response["MemberEpoch"] > epoch


def assigned(response: Fields) -> bool:
    return response["Assignment"] is not None


@no_interval()
def consumer_adds_a_topic(k: Talk) -> None:
    topic, other = known_topic(k, 2), known_topic(k, 3)
    (one,) = consumers(k, 1, topics=[topic])
    one.join(kept=False)
    one.beat(topics=[topic, other])
    one.beat()
    ask_described(one)


@no_interval()
def consumer_drops_a_topic(k: Talk) -> None:
    topic, other = known_topic(k, 2), known_topic(k, 3)
    (one,) = consumers(k, 1, topics=[topic, other])
    one.join(kept=False)
    one.beat(topics=[topic], owns=one.owns)
    one.beat(owns=one.owns)
    one.beat()
    ask_described(one)


@no_interval()
def consumer_drops_all_topics(k: Talk) -> None:
    topic = known_topic(k, 2)
    (one,) = consumers(k, 1, topics=[topic])
    one.join(kept=False)
    one.beat(topics=[], owns={topic: [0, 1]})
    one.beat(owns={})
    ask_described(one)
    one.beat(topics=[topic])
    ask_described(one)


@no_interval()
def consumer_changes_its_topic(k: Talk) -> None:
    topic, other = known_topic(k, 2), known_topic(k, 3)
    (one,) = consumers(k, 1, topics=[topic])
    one.join(kept=False)
    one.beat(topics=[other], owns={topic: [0, 1]})
    one.beat(owns={topic: [0, 1]})
    one.beat(owns={})
    one.beat(owns={other: [0, 1, 2]})
    ask_described(one)


@no_interval()
def consumer_repeats_its_subscription(k: Talk) -> None:
    topic, other = known_topic(k, 2), known_topic(k, 3)
    (one,) = consumers(k, 1, topics=[topic, other])
    one.join(kept=False)
    one.beat(topics=[topic, other])
    one.beat(topics=[other, topic])
    one.beat(topics=[other, other, topic])
    ask_described(one)


@no_interval()
def consumer_subscribes_to_a_missing_topic_too(k: Talk) -> None:
    topic = known_topic(k, 2)
    (one,) = consumers(k, 1, topics=[topic])
    one.join(kept=False)
    one.beat(topics=[topic, k.name("missing")])
    one.beat()
    ask_described(one)


@no_interval()
def partitions_of_a_dropped_topic_go_to_another_member(k: Talk) -> None:
    topic, other = known_topic(k, 2), known_topic(k, 2)
    one, two = consumers(k, 2, topics=[topic, other], assignor="range")
    settled(one, two)
    one.beat(topics=[topic], owns=one.owns)
    two.beat(owns=two.owns)
    one.beat(owns={topic: [0]})
    two.beat(owns=two.owns)
    two.beat(owns=two.owns)
    ask_described(one)


@no_interval()
def members_with_different_topics(k: Talk) -> None:
    first, second = known_topic(k, 3), known_topic(k, 3)
    group = k.group()
    one = Consumer(k, group, "m1", topics=[first])
    two = Consumer(k, group, "m2", topics=[second])
    three = Consumer(k, group, "m3", topics=[first, second], assignor="range")
    settled(one, two, three)
    ask_described(one)


@no_interval()
def topic_is_created_under_a_group(k: Talk) -> None:
    missing = k.name("topic")
    (one,) = consumers(k, 1, topics=[missing])
    one.join()
    k.do("CreateTopics", 7, {"Topics": [{"Name": missing, "NumPartitions": 2, "ReplicationFactor": 1}],
                             "timeoutMs": 30000})  # fmt: skip
    one.beat_until(assigned)
    one.beat()
    ask_described(one)


@no_interval()
def topic_is_extended_under_a_group(k: Talk) -> None:
    topic = known_topic(k, 2)
    (one,) = consumers(k, 1, topics=[topic])
    one.join(kept=False)
    k.do(*grow((topic, 3)))
    one.beat_until(assigned)
    one.beat()
    ask_described(one)


@no_interval()
def topic_is_extended_under_two_members(k: Talk) -> None:
    topic = known_topic(k, 2)
    one, two = consumers(k, 2, topics=[topic])
    settled(one, two)
    k.do(*grow((topic, 4)))
    one.beat_until(assigned)
    two.beat()
    two.beat()
    ask_described(one)


@no_interval()
def topic_is_deleted_under_a_group(k: Talk) -> None:
    topic, other = known_topic(k, 2), known_topic(k, 3)
    (one,) = consumers(k, 1, topics=[topic, other])
    one.join(kept=False)
    owned = dict(one.owns)
    k.delete_topic(topic)
    one.beat_until(assigned, owns={other: owned[other]})
    one.beat(owns={other: owned[other]})
    one.beat()
    ask_described(one)


@no_interval()
def only_topic_of_a_group_is_deleted(k: Talk) -> None:
    topic = known_topic(k, 2)
    (one,) = consumers(k, 1, topics=[topic])
    one.join(kept=False)
    k.delete_topic(topic)
    one.beat_until(assigned)
    one.beat(owns={})
    one.beat()
    ask_described(one)


@no_interval()
def topic_is_created_anew_under_a_group(k: Talk) -> None:
    """The new topic has another id, so that its partitions are assigned anew."""
    topic = known_topic(k, 2)
    (one,) = consumers(k, 1, topics=[topic])
    one.join(kept=False)
    k.delete_topic(topic)
    one.beat_until(assigned)
    one.beat(owns={})
    k.do("CreateTopics", 7, {"Topics": [{"Name": topic, "NumPartitions": 3, "ReplicationFactor": 1}],
                             "timeoutMs": 30000})  # fmt: skip
    one.beat_until(assigned)
    one.beat()
    ask_described(one)


@no_interval()
def topic_that_nobody_subscribes_to_is_created(k: Talk) -> None:
    topic = known_topic(k, 2)
    (one,) = consumers(k, 1, topics=[topic])
    one.join(kept=False)
    known_topic(k, 1)
    one.beat()
    ask_described(one)


@no_interval()
def topic_is_extended_while_the_group_is_empty(k: Talk) -> None:
    """The group notices it when a member joins."""
    topic = known_topic(k, 2)
    one, two = consumers(k, 2, topics=[topic])
    one.join(kept=False)
    one.leave()
    k.do(*grow((topic, 4)))
    k.until(lambda: known_partitions(k, topic), lambda count: count == 4)
    settle_elsewhere(k, topic, 4)
    ask_described(one)
    two.join()
    ask_described(one)


def known_partitions(k: Talk, topic: str) -> int:
    return len(k.do("Metadata", 9, {"Topics": [{"Name": topic}]})["Topics"][0]["Partitions"])


def settle_elsewhere(k: Talk, topic: str, partitions: int) -> None:
    """Wait until the coordinators know this number of partitions."""
    for number in range(8):
        other = Consumer(k, f"{k.group()}{number}", topics=[topic])
        other.join(kept=False)
        k.until(
            lambda other=other: other.beat(kept=False),
            lambda _, other=other: len(other.owns[topic]) == partitions,
        )


@no_interval()
def topic_is_extended_during_a_revocation(k: Talk) -> None:
    topic = known_topic(k, 4)
    one, two = consumers(k, 2, topics=[topic])
    one.join(kept=False)
    two.join(kept=False)
    one.beat(owns={topic: range(4)})
    k.do(*grow((topic, 6)))
    k.until(lambda: known_partitions(k, topic), lambda count: count == 6)
    settle_elsewhere(k, topic, 6)
    settle(one, two)
    ask_described(one)


@no_interval()
def subscription_changes_during_a_revocation(k: Talk) -> None:
    topic, other = known_topic(k, 4), known_topic(k, 1)
    one, two = consumers(k, 2, topics=[topic])
    one.join(kept=False)
    two.join(kept=False)
    one.beat(owns={topic: range(4)})
    two.beat(topics=[other])
    one.beat(owns={topic: [0, 1]})
    one.beat(owns=one.owns)
    two.beat(owns=two.owns)
    ask_described(one)


@no_interval()
def member_without_topics_joins_a_group(k: Talk) -> None:
    topic = known_topic(k, 2)
    one, two = consumers(k, 2, topics=[topic])
    one.join(kept=False)
    two.join(topics=[])
    one.beat()
    ask_described(one)
    two.beat(topics=[topic])
    ask_described(one)


@no_interval()
def internal_topics_can_be_subscribed_to(k: Talk) -> None:
    (one,) = consumers(k, 1, topics=["__consumer_offsets"])
    one.join()
    ask_described(one)


@no_interval()
def names_that_no_topic_can_have(k: Talk) -> None:
    (one,) = consumers(k, 1, topics=["", " ", "a/b", "x" * 300, "..", "é"])
    one.join()
    one.beat()
    ask_described(one)
