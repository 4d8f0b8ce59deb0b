"""Groups without members that change their protocol, and classic requests to consumer groups.

Groups with members are converted in consumer_migration*.py.
"""

from __future__ import annotations

from tests.conformance.build import commit, fetch_offsets, heartbeat, join, leave, subscribed, sync
from tests.conformance.case import Talk, case
from tests.conformance.consumers import Consumer, ask_described, consumers, known_topic, no_interval
from tests.conformance.members import Member, describe, some_stable, stable


@no_interval()
def consumer_joins_an_empty_classic_group(k: Talk) -> None:
    """Its offsets stay."""
    topic = known_topic(k, 2)
    (member,) = some_stable(k, 1, version=3, protocols=subscribed(topic))
    k.do(*commit(member.group, {topic: {0: 5}}, member=member.id, generation=member.generation))
    member.peer.do(*member.leave())
    one = Consumer(k, member.group, topics=[topic])
    one.join()
    ask_described(one)
    k.ask(*fetch_offsets(one.group, {topic: [0]}))
    k.ask(*describe(one.group))


@no_interval()
def consumer_joins_a_simple_group(k: Talk) -> None:
    topic = known_topic(k, 2)
    group = k.group()
    k.do(*commit(group, {topic: {0: 5}}))
    one = Consumer(k, group, topics=[topic])
    one.join()
    ask_described(one)
    k.ask(*fetch_offsets(group, {topic: [0]}))


@no_interval()
def consumer_joins_an_empty_group_of_another_protocol_type(k: Talk) -> None:
    topic = known_topic(k, 2)
    (member,) = some_stable(k, 1, version=3, protocol_type="connect")
    member.peer.do(*member.leave())
    one = Consumer(k, member.group, topics=[topic])
    one.join()
    ask_described(one)


@no_interval()
def consumer_joins_a_group_with_a_pending_member(k: Talk) -> None:
    """A classic group whose only member has an id but has not joined is Empty."""
    topic = known_topic(k, 2)
    group = k.group()
    pending = Member(k, group)
    pending.get_id()
    one = Consumer(k, group, topics=[topic])
    one.join()
    ask_described(one)


@no_interval()
def consumer_joins_a_classic_group_of_another_protocol_type(k: Talk) -> None:
    (member,) = some_stable(k, 1, version=3, protocol_type="connect")
    Consumer(k, member.group, topics=[]).join()
    member.peer.ask(*member.heartbeat())


@no_interval()
def consumer_joins_a_classic_group_with_metadata_that_does_not_parse(k: Talk) -> None:
    (member,) = some_stable(k, 1, version=3)
    Consumer(k, member.group, topics=[]).join()
    member.peer.ask(*member.heartbeat())


@no_interval()
def consumer_heartbeat_in_an_empty_classic_group(k: Talk) -> None:
    (member,) = some_stable(k, 1, version=3)
    member.peer.do(*member.leave())
    one = Consumer(k, member.group, topics=[])
    one.beat(epoch=2)
    one.leave()
    one.join(regex="(")
    k.ask(*describe(member.group))


@no_interval()
def classic_member_takes_over_an_empty_consumer_group(k: Talk) -> None:
    topic = known_topic(k, 2)
    (one,) = consumers(k, 1, topics=[topic])
    one.join(kept=False)
    k.do(*commit(one.group, {topic: {0: 5}}, member="m1", generation=2))
    one.leave(kept=False)
    member = Member(k, one.group, version=3)
    response = member.joined(member.peer.do(*member.join()))
    k.keep("generation", response["GenerationId"])
    member.do_sync()
    ask_described(one)
    k.ask(*fetch_offsets(one.group, {topic: [0]}))
    k.ask("ListGroups", 5, {}, lambda r: [g for g in r["Groups"] if g["GroupId"] == one.group])


@no_interval()
def group_changes_its_protocol_back_and_forth(k: Talk) -> None:
    topic = known_topic(k, 2)
    group = k.group()
    one = Consumer(k, group, topics=[topic])
    for _ in range(2):
        one.join()
        one.leave()
        member = Member(k, group, version=3)
        stable(k, member)
        k.keep("generation", member.generation)
        member.peer.do(*member.leave())
    one.join()
    ask_described(one)


@no_interval()
def classic_requests_of_unknown_members_to_a_consumer_group(k: Talk) -> None:
    topic = known_topic(k, 2)
    (one,) = consumers(k, 1, topics=[topic])
    one.join(kept=False)
    for member in ("nobody", ""):
        for generation in (2, -1):
            k.ask(*heartbeat(one.group, member, generation))
            k.ask(*sync(one.group, member, generation))
            k.ask(*leave(one.group, member))
    k.ask(*leave(one.group, "nobody", version=0))
    k.ask(*leave(one.group, ("", "i1")))
    k.ask(*leave(one.group))


@no_interval()
def classic_requests_of_a_consumer(k: Talk) -> None:
    topic = known_topic(k, 2)
    (one,) = consumers(k, 1, topics=[topic], instance="i1")
    one.join(kept=False)
    k.ask(*heartbeat(one.group, "m1", 2))
    k.ask(*sync(one.group, "m1", 2))
    ask_described(one)


@no_interval()
def classic_leave_of_a_consumer(k: Talk) -> None:
    topic = known_topic(k, 2)
    one, two = consumers(k, 2, topics=[topic])
    two.how["instance"] = "i2"
    one.join(kept=False)
    two.join(kept=False)
    k.ask(*leave(one.group, "m1"))
    k.ask(*leave(one.group, ("", "i2")))
    ask_described(one)


@no_interval()
def classic_requests_to_an_empty_consumer_group(k: Talk) -> None:
    topic = known_topic(k, 2)
    (one,) = consumers(k, 1, topics=[topic])
    one.join(kept=False)
    one.leave(kept=False)
    k.ask(*heartbeat(one.group, "m1", 2))
    k.ask(*sync(one.group, "m1", 2))
    k.ask(*leave(one.group, "m1"))
    k.ask(*join(one.group, "nobody", protocols=subscribed(topic)))
    ask_described(one)


@no_interval()
def classic_join_with_other_protocols_to_a_consumer_group(k: Talk) -> None:
    topic = known_topic(k, 2)
    (one,) = consumers(k, 1, topics=[topic])
    one.join(kept=False)
    k.ask(*join(one.group, version=3, protocol_type="connect", protocols={"sessioned": ""}))
    k.ask(*join(one.group, version=3, protocol_type="", protocols=subscribed(topic)))
    k.ask(*join(one.group, version=3, protocols={}))
    k.ask(*join(one.group, version=3, session_ms=1, protocols=subscribed(topic)))
    k.ask(*join(one.group, "nobody", version=3, protocols={"range": "00"}))
    one.beat()
    ask_described(one)


@case(settings={"group.consumer.migration.policy": "disabled"})
def groups_are_not_migrated(k: Talk) -> None:
    topic = known_topic(k, 2)
    (one,) = consumers(k, 1, topics=[topic])
    one.join(kept=False)
    k.ask(*join(one.group, version=3, protocols=subscribed(topic)))
    (member,) = some_stable(k, 1, version=3, protocols=subscribed(topic))
    two = Consumer(k, member.group, topics=[topic])
    two.join()
    member.peer.do(*member.leave())
    two.join()
    ask_described(two)
    one.leave()
    again = Member(k, one.group, version=3, protocols=subscribed(topic))
    again.joined(again.peer.do(*again.join()))
    k.keep("generation", again.generation)
