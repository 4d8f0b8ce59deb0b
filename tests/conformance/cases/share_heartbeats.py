"""ShareGroupHeartbeat: members, epochs, subscriptions and assignments."""

from __future__ import annotations

from tests.conformance.build_admin import create, grow, new
from tests.conformance.build_share import describe_share, describe_share_offsets
from tests.conformance.case import Talk, case
from tests.conformance.consumers import set_group
from tests.conformance.sharing import (
    SHARE_SETTINGS,
    Sharer,
    ask_described,
    member_id,
    name_id,
    settle,
    share_topic,
    sharers,
    shares,
)

LONG = "x" * 37


def joined(k: Talk, *topics: str, number: int = 1, group: str = "") -> Sharer:
    one = Sharer(k, group or k.group(), number)
    one.join(*topics, kept=False)
    return one


@shares
def first_member_joins(k: Talk) -> None:
    topic = share_topic(k, 3)
    one = Sharer(k, k.group())
    one.join(topic)
    one.beat_until({topic: [0, 1, 2]})
    one.beat()
    one.beat([topic])
    ask_described(one)
    one.leave()
    ask_described(one)


@shares
def epochs_of_a_heartbeat(k: Talk) -> None:
    topic = share_topic(k)
    (one,) = sharers(k, 1, {topic: 1})
    for epoch in (one.epoch, one.epoch - 1, one.epoch - 2, one.epoch + 1, 99, -2, -3, 2**31 - 1, -(2**31)):
        one.beat(epoch=epoch)
    one.beat([topic], epoch=0)
    one.beat(epoch=0)
    one.beat([], epoch=0)


@shares
def fields_of_a_heartbeat(k: Talk) -> None:
    topic = share_topic(k)
    one = Sharer(k, k.group())
    one.beat([topic], group="")
    one.beat([topic], group=" ")
    one.beat([topic], member="")
    one.beat([topic], member=" ")
    one.beat([topic], member=LONG)
    one.beat(None)
    one.beat([])
    one.beat([topic], rack="")
    one.beat([topic], epoch=-2)
    one.beat([topic, topic])
    one.beat_until({topic: [0]})
    one.beat([topic, ""], member="twice", epoch=0)
    one.beat(["in valid!"], member="invalid", epoch=0)
    one.beat(["x" * 300], member="long", epoch=0)
    one.beat([topic], rack="r" * 300, member="racked", epoch=0)
    ask_described(one)


@shares
def several_fields_are_wrong(k: Talk) -> None:
    """The errors have an order."""
    one = Sharer(k, k.group())
    one.beat(group="", member="", epoch=-2, rack="")
    one.beat(member="", epoch=-2, rack="")
    one.beat(member="", rack="")
    one.beat(epoch=-2, rack="")
    one.beat(rack="")
    one.beat(rack="", epoch=1)
    one.beat([], epoch=-1, rack="")
    one.beat(member="", epoch=-1)
    one.beat(member=LONG, epoch=-2)


@shares
def unknown_groups_and_members(k: Talk) -> None:
    topic = share_topic(k)
    one = Sharer(k, k.group())
    one.beat(epoch=1)
    one.beat([topic], epoch=1)
    one.beat(epoch=-1)
    one.join(topic)
    one.beat(member=member_id(2), epoch=1)
    one.beat(member=member_id(2), epoch=-1)
    one.beat([topic], member=member_id(2), epoch=5)
    one.leave()
    one.leave()
    one.beat(epoch=1)


@shares
def member_rejoins(k: Talk) -> None:
    topic = share_topic(k, 2)
    (one,) = sharers(k, 1, {topic: 2})
    one.join(topic)
    one.beat()
    one.leave()
    one.join(topic)
    one.beat()


@shares
def member_changes_its_subscription(k: Talk) -> None:
    first, second = share_topic(k, 2), share_topic(k)
    one = joined(k, first)
    one.beat_until({first: [0, 1]})
    one.beat([first, second])
    one.beat_until({first: [0, 1], second: [0]})
    one.beat([second])
    one.beat()
    one.beat([])
    one.beat()
    one.beat(["nothing"])
    one.beat([first])
    one.beat()
    ask_described(one)


@shares
def rack_of_a_member_changes(k: Talk) -> None:
    topic = share_topic(k)
    (one,) = sharers(k, 1, {topic: 1})
    for rack in ("r1", "r1", None, "r2", ""):
        one.beat(rack=rack)
    ask_described(one)


@shares
def client_id_of_a_member_changes(k: Talk) -> None:
    topic = share_topic(k)
    (one,) = sharers(k, 1, {topic: 1})
    one.peer = k.connect("another")
    one.beat()
    one.beat([topic])
    ask_described(one)


@shares
def two_members_share_a_partition(k: Talk) -> None:
    topic = share_topic(k)
    one, two = sharers(k, 2, {topic: 1})
    for each in (one, two):
        each.beat()
    ask_described(one)


@shares
def second_member_joins_and_leaves(k: Talk) -> None:
    topic = share_topic(k, 4)
    one = joined(k, topic)
    one.beat_until({topic: range(4)})
    two = Sharer(k, one.group, 2)
    two.join(topic, kept=False)
    k.keep("partitions of the second", sum(map(len, two.owns.values())))
    one.beat(kept=False)
    two.beat(kept=False)
    k.keep("partitions", [_count(one), _count(two)])
    two.leave()
    one.beat()
    one.beat()


def _count(one: Sharer) -> int:
    return sum(map(len, one.owns.values()))


@shares
def partitions_of_three_members(k: Talk) -> None:
    topic = share_topic(k, 6)
    members = sharers(k, 3, {topic: 6})
    k.keep("partitions", [_count(each) for each in members])
    members[2].leave(kept=False)
    for _ in range(2):
        for each in members[:2]:
            each.beat(kept=False)
    k.keep("partitions", [_count(each) for each in members[:2]])


@shares
def more_members_than_partitions(k: Talk) -> None:
    topic = share_topic(k, 2)
    members = sharers(k, 5, {topic: 2})
    counts = [0, 0]
    for each in members:
        for partition in each.owns[topic]:
            counts[partition] += 1
    k.keep("members of a partition", sorted(counts))
    k.keep("partitions of a member", sorted(_count(each) for each in members))


@shares
def member_that_gets_one_partition_more(k: Talk) -> None:
    # The first member in Kafka's map. The map has 4 buckets when the fifth member joins, and 8 afterwards.
    topic = share_topic(k, 2)
    members = sharers(k, 4, {topic: 2})
    last = Sharer(k, members[0].group, 41)
    last.join(topic, kept=False)
    members.append(last)
    settle(k, members)
    k.keep("partitions of each member", [_count(each) for each in members])


@shares
def members_with_different_subscriptions(k: Talk) -> None:
    first, second = share_topic(k), share_topic(k)
    one = joined(k, first)
    one.beat_until({first: [0]})  # the state of a topic exists when a member owns it
    two = joined(k, second, number=2, group=one.group)
    two.beat_until({second: [0]})
    three = joined(k, first, second, number=3, group=one.group)
    three.beat_until({first: [0], second: [0]})
    for each in (one, two, three):
        each.beat(kept=False)
    ask_described(one)


@shares
def topic_is_created_after_the_member_joined(k: Talk) -> None:
    name = k.name("topic")
    one = joined(k, name)
    one.beat()
    k.do(*create(new(name)))
    k.until_there(name)
    name_id(k, name)
    one.beat_until({name: [0]})
    one.beat()
    ask_described(one)


@shares
def topic_of_a_member_is_deleted(k: Talk) -> None:
    first, second = share_topic(k), share_topic(k)
    (one,) = sharers(k, 1, {first: 1, second: 1})
    k.delete_topic(first)
    one.beat_until({second: [0]})
    one.beat()
    ask_described(one)
    k.ask(*describe_share_offsets((one.group, None)))


@shares
def partitions_are_added_to_a_topic(k: Talk) -> None:
    topic = share_topic(k)
    (one,) = sharers(k, 1, {topic: 1})
    k.do(*grow((topic, 3)))
    k.until_there(topic, 3)
    one.beat_until({topic: [0, 1, 2]})
    one.beat()
    ask_described(one)


@shares
def heartbeat_of_an_earlier_epoch(k: Talk) -> None:
    """A response was lost: the member repeats the epoch before the last one."""
    topic = share_topic(k)
    (one,) = sharers(k, 1, {topic: 1})
    before = one.epoch
    one.beat([topic, "another"])
    one.beat(epoch=before)
    one.beat(epoch=before)
    one.beat(epoch=before - 1)


@shares
def session_of_a_member_ends(k: Talk) -> None:
    topic = share_topic(k, 2)
    group = k.group()
    set_group(k, group, share_heartbeat_interval_ms="500", share_session_timeout_ms="1000")
    one = Sharer(k, group)
    one.join(topic)
    k.until(lambda: k.do(*describe_share(group))["Groups"][0], lambda told: told["GroupState"] == "Empty")
    ask_described(one)
    one.beat()
    one.leave()
    one.join(topic)


@shares
def session_of_one_of_two_members_ends(k: Talk) -> None:
    topic = share_topic(k, 2)
    group = k.group()
    set_group(k, group, share_heartbeat_interval_ms="500", share_session_timeout_ms="2000")
    one, two = joined(k, topic, group=group), joined(k, topic, number=2, group=group)
    k.until(lambda: (k.broker.pause(200), one.beat(kept=False)), lambda _: one.owns.get(topic) == [0, 1])
    k.until(
        lambda: (k.broker.pause(200), one.beat(kept=False))[0] or k.do(*describe_share(group))["Groups"][0],
        lambda told: len(told["Members"]) == 1,
    )
    one.beat(kept=False)
    k.keep("partitions", one.owns)
    two.beat()


@shares
def heartbeat_interval_of_a_group_changes(k: Talk) -> None:
    topic = share_topic(k)
    (one,) = sharers(k, 1, {topic: 1})
    set_group(k, one.group, share_heartbeat_interval_ms="7000", share_session_timeout_ms="50000")
    one.beat()


@case(settings={**SHARE_SETTINGS, "group.share.max.size": "2", "group.share.max.share.sessions": "10"})
def more_members_than_allowed(k: Talk) -> None:
    topic = share_topic(k)
    one, two = sharers(k, 2, {topic: 1})
    three = Sharer(k, one.group, 3)
    three.join(topic)
    one.join(topic)
    two.leave()
    three.join(topic)


@case(settings={**SHARE_SETTINGS, "group.share.assignment.interval.ms": "2000"})
def assignments_have_an_interval(k: Talk) -> None:
    topic = share_topic(k, 2)
    (one,) = sharers(k, 1, {topic: 2})
    k.broker.pause(2500)
    one.beat()
    one.beat([topic, "nothing"])
    one.beat([topic])
    one.beat()
    ask_described(one)
    k.broker.pause(2500)
    one.beat()
    one.beat()
    ask_described(one)


@case
def share_groups_by_default(k: Talk) -> None:
    topic = k.topic(2)
    name_id(k, topic)
    one = Sharer(k, k.group())
    one.join(topic, kept=False)
    one.beat_until({topic: [0, 1]})
    one.beat()


@case(settings={"group.coordinator.rebalance.protocols": "classic,consumer"})
def share_groups_are_not_enabled(k: Talk) -> None:
    topic = k.topic()
    name_id(k, topic)
    one = Sharer(k, k.group())
    one.join(topic)
    k.ask(*describe_share(one.group))
    one.beat_until({topic: [0]})
    k.ask(*describe_share_offsets((one.group, None)))
