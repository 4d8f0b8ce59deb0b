"""JoinGroup, SyncGroup, Heartbeat and LeaveGroup of classic members in a consumer group."""

from __future__ import annotations

from typing import Any

from tests.conformance.build import commit, fetch_offsets, join, leave, sync
from tests.conformance.case import Fields, Talk
from tests.conformance.consumers import Consumer, describe_consumers, no_interval, settled
from tests.conformance.members import describe, groups_in_order
from tests.conformance.migrating import (
    Classic,
    GroupLog,
    Owned,
    assignment_of,
    members_by_client,
    under_policy,
)

KNOWN_AT_ONCE = 3  # the last version in which a member joins without an id


def consumer_group(k: Talk, topic: str, **how: Any) -> Consumer:
    """Return the only member of a new consumer group."""
    one = Consumer(k, k.group(), "c1", topics=[topic], **how)
    settled(one)
    return one


def joined(k: Talk, topic: str, **how: Any) -> tuple[Consumer, Classic]:
    """Return a consumer, and a classic member that has joined its group and has its part of the topic."""
    old = consumer_group(k, topic)
    new = Classic(k, old.group, 1, topic, **how)
    before = len(k.kept)
    new.rejoin()
    if new.generation < 0:
        new.rejoin()
    new.assigned()
    for _ in range(3):
        old.full()
        new.catch_up()
    del k.kept[before:]
    return old, new


def described(k: Talk, group: str) -> None:
    k.ask(*describe_consumers(group), keep=members_by_client)


def waits_until_gone(k: Talk, group: str, client_id: str) -> None:
    def clients() -> list[str]:
        members: list[Fields] = k.do(*describe_consumers(group))["Groups"][0]["Members"]
        return [member["ClientId"] for member in members]

    k.until(clients, lambda found: client_id not in found)


@no_interval(versions=range(10))
def classic_member_joins(k: Talk, version: int) -> None:
    topic = k.topic(2)
    old = consumer_group(k, topic)
    new = Classic(k, old.group, 1, topic, version=version)
    log = GroupLog(k, old.group)
    new.rejoin()
    if version > KNOWN_AT_ONCE:
        new.rejoin()
    new.assigned()
    old.full()
    old.full()
    new.beat()
    new.rejoin()
    new.assigned()
    new.beat()
    log.keep()
    described(k, old.group)


@no_interval()
def classic_member_joins_with_an_id_of_its_own(k: Talk) -> None:
    """Ids that were handed out are not remembered, so any id may join."""
    topic = k.topic(2)
    old = consumer_group(k, topic)
    new = Classic(k, old.group, 1, topic)
    new.id = "my-own-id"
    new.rejoin()
    new.assigned()
    described(k, old.group)


@no_interval(versions=[5, 9])
def classic_static_member_joins(k: Talk, version: int) -> None:
    topic = k.topic(2)
    old = consumer_group(k, topic)
    log = GroupLog(k, old.group)
    new = Classic(k, old.group, 1, topic, instance="i", version=version)
    new.rejoin()
    new.assigned()
    log.keep()
    described(k, old.group)


@no_interval()
def classic_static_member_comes_back(k: Talk) -> None:
    topic = k.topic(2)
    old, new = joined(k, topic, instance="i")
    log = GroupLog(k, old.group)
    again = Classic(k, old.group, 2, topic, instance="i")
    again.rejoin()
    log.keep()
    again.assigned()
    new.beat()
    again.beat()
    old.beat()
    described(k, old.group)


@no_interval()
def classic_static_member_comes_back_with_another_subscription(k: Talk) -> None:
    topic, other = k.topic(2), k.topic(1)
    old, _ = joined(k, topic, instance="i")
    log = GroupLog(k, old.group)
    again = Classic(k, old.group, 2, other, instance="i")
    again.rejoin()
    log.keep()
    again.assigned()


@no_interval()
def classic_static_member_joins_with_a_wrong_id(k: Talk) -> None:
    topic = k.topic(2)
    old, new = joined(k, topic, instance="i")
    protocols = new.protocols()
    k.ask(*join(old.group, "nobody", instance="i", protocols=protocols))
    k.ask(*join(old.group, "nobody", instance="j", protocols=protocols))
    k.ask(*join(old.group, new.id, instance="j", protocols=protocols))
    k.ask(*join(old.group, new.id, instance="i", protocols=protocols))


@no_interval()
def classic_static_member_takes_over_a_consumer(k: Talk) -> None:
    """A consumer that still lives is fenced."""
    topic = k.topic(4)
    group = k.group()
    one = Consumer(k, group, "c1", topics=[topic])
    two = Consumer(k, group, "c2", topics=[topic], instance="i")
    settled(one, two)
    log = GroupLog(k, group)
    new = Classic(k, group, 1, topic, instance="i")
    new.rejoin()
    log.keep()
    new.assigned()
    two.beat()
    described(k, group)


@no_interval()
def consumer_takes_over_a_static_classic_member(k: Talk) -> None:
    """A classic member that still lives is fenced."""
    topic = k.topic(4)
    old, new = joined(k, topic, instance="i")
    log = GroupLog(k, old.group)
    two = Consumer(k, old.group, "c2", topics=[topic], instance="i")
    two.join()
    log.keep()
    new.beat()
    new.assigned()
    new.rejoin()
    described(k, old.group)


@no_interval()
def classic_member_of_another_protocol_type(k: Talk) -> None:
    topic = k.topic(2)
    old = consumer_group(k, topic)
    Classic(k, old.group, 1, topic).rejoin(protocol_type="connect")
    Classic(k, old.group, 1, topic).rejoin(protocol_type="")
    Classic(k, old.group, 1, topic).rejoin(protocols={})
    Classic(k, old.group, 1, topic).rejoin(protocol_type="connect", version=3)


@no_interval()
def classic_member_without_a_common_protocol(k: Talk) -> None:
    """Any protocol is accepted while there are no classic members."""
    topic = k.topic(2)
    old, new = joined(k, topic, names=["mine", "range"])
    other = Classic(k, old.group, 2, topic, names=["roundrobin"])
    other.rejoin()
    other = Classic(k, old.group, 2, topic, names=["roundrobin", "range"])
    other.rejoin()
    other.rejoin()
    third = Classic(k, old.group, 3, topic, names=["mine"])
    third.rejoin()
    other.assigned(protocol_name="roundrobin")
    other.assigned(protocol_name="range")
    new.rejoin(protocols={"mine": new.subscription_of()})
    new.rejoin(protocols={"other": new.subscription_of()})


BROKEN = (
    "ffff00000000ffffffff",  # version -1
    "00000000",
    "0000ffffffff",  # topics: null
    "00007fffffff",
    "000000000001ffff",  # a topic: null
    "000000000001001061",
    "00010000000000000000ffffffff",  # owned partitions: null
    "0000000000000000000a",  # user data that ends early
)


@no_interval()
def classic_member_with_broken_metadata(k: Talk) -> None:
    topic = k.topic(2)
    old = consumer_group(k, topic)
    for number, metadata in enumerate(BROKEN):
        k.ask(*join(old.group, f"x{number}", protocols={"range": metadata}))
    described(k, old.group)


@no_interval(versions=[3, 9])
def classic_member_with_malformed_metadata(k: Talk, version: int) -> None:
    topic = k.topic(2)
    old = consumer_group(k, topic)
    log = GroupLog(k, old.group)
    k.ask(*join(old.group, "x", protocols={"range": ""}, version=version))
    k.ask(*join(old.group, "x", protocols={"range": "00"}, version=version))
    k.ask(*join(old.group, "x", protocols={"range": "0000ffffffff"}, version=version))
    k.ask(*join(old.group, "x", protocols={"range": "00030000000100"}, version=version))
    k.ask(*join(old.group, "x", instance="i", protocols={"range": ""}, version=9))
    k.ask(*join(old.group, "", instance="i", protocols={"range": ""}, version=9))
    log.keep()
    described(k, old.group)


@no_interval()
def classic_member_with_metadata_of_a_later_version(k: Talk) -> None:
    topic = k.topic(2)
    old = consumer_group(k, topic)
    new = Classic(k, old.group, 1, topic)
    data = new.subscription_of()
    k.ask(*join(old.group, "x", protocols={"range": "0004" + data[4:]}))
    k.ask(*join(old.group, "y", protocols={"range": "ffff" + data[4:]}))
    k.ask(*join(old.group, "z", protocols={"range": data + "00"}))


@no_interval()
def classic_member_rejoins_unchanged(k: Talk) -> None:
    topic = k.topic(2)
    old, new = joined(k, topic)
    log = GroupLog(k, old.group)
    new.rejoin()
    new.rejoin()
    new.assigned()
    old.beat()
    log.keep()
    described(k, old.group)


@no_interval()
def classic_member_changes_its_subscription(k: Talk) -> None:
    topic, other = k.topic(2), k.topic(1)
    old, new = joined(k, topic)
    log = GroupLog(k, old.group)
    new.topics = [other]
    new.rejoin()
    new.assigned()
    new.owns = {}
    new.rejoin()
    new.assigned()
    old.full()
    old.full()
    log.keep()


@no_interval()
def classic_member_changes_its_timeouts(k: Talk) -> None:
    topic = k.topic(2)
    old, new = joined(k, topic)
    log = GroupLog(k, old.group)
    new.rejoin(session_ms=20000, rebalance_ms=10000)
    new.rejoin(session_ms=20000, rebalance_ms=-1)
    waits_until_gone(k, old.group, "m1")
    log.keep()
    old.beat()
    described(k, old.group)


@no_interval()
def classic_member_gets_a_rack(k: Talk) -> None:
    """An empty rack changes nothing."""
    topic = k.topic(2)
    old, new = joined(k, topic)
    log = GroupLog(k, old.group)
    new.rack = "a"
    new.rejoin()
    new.rack = ""
    new.rejoin()
    log.keep()
    described(k, old.group)


@under_policy("bidirectional", **{"group.consumer.max.size": "1"})
def classic_member_joins_a_full_group(k: Talk) -> None:
    topic = k.topic(2)
    old = consumer_group(k, topic)
    Classic(k, old.group, 1, topic).rejoin()
    Classic(k, old.group, 1, topic).rejoin(protocol_type="connect")
    k.ask(*join(old.group, "x", protocols={"range": "00"}))
    k.ask(*join(old.group, "", instance="i", protocols={"range": "00"}))
    again = Classic(k, old.group, 1, topic)
    again.id = old.id
    again.rejoin()
    again.assigned()
    described(k, old.group)


@no_interval()
def classic_member_joins_with_the_id_of_a_consumer(k: Talk) -> None:
    """The consumer becomes a classic member. The group has no consumer left, and stays a consumer group."""
    topic = k.topic(2)
    old = consumer_group(k, topic)
    log = GroupLog(k, old.group)
    new = Classic(k, old.group, 1, topic)
    new.id = old.id
    new.rejoin()
    new.assigned()
    old.beat()
    described(k, old.group)
    log.keep()
    new.beat()
    k.ask(*leave(old.group, new.id))
    log.keep()


@no_interval()
def consumer_heartbeats_with_the_id_of_a_classic_member(k: Talk) -> None:
    """The classic member becomes a consumer."""
    topic = k.topic(2)
    old, new = joined(k, topic)
    log = GroupLog(k, old.group)
    other = Consumer(k, old.group, "c2", topics=[topic])
    other.id = new.id
    other.epoch = new.generation
    other.beat()
    log.keep()
    described(k, old.group)
    new.beat()


@no_interval()
def consumer_leaves_with_the_id_of_a_classic_member(k: Talk) -> None:
    topic = k.topic(2)
    old, new = joined(k, topic)
    log = GroupLog(k, old.group)
    other = Consumer(k, old.group, "c2", topics=[topic])
    other.id = new.id
    other.leave()
    log.keep()
    new.beat()


@no_interval()
def consumer_leaves_for_a_while_with_the_id_of_a_classic_member(k: Talk) -> None:
    topic = k.topic(2)
    old, new = joined(k, topic, instance="i")
    log = GroupLog(k, old.group)
    other = Consumer(k, old.group, "c2", topics=[topic], instance="i")
    other.id = new.id
    other.leave(-2)
    log.keep()
    new.beat()
    new.rejoin()
    new.assigned()
    log.keep()


@no_interval()
def classic_member_syncs_wrongly(k: Talk) -> None:
    topic = k.topic(2)
    old, new = joined(k, topic, instance="i")
    group = old.group
    k.ask(*sync(group, "nobody", new.generation))
    k.ask(*sync(group, "", new.generation))
    k.ask(*sync(group, old.id, old.epoch))
    k.ask(*sync(group, new.id, new.generation - 1))
    k.ask(*sync(group, new.id, new.generation + 1))
    k.ask(*sync(group, new.id, new.generation, instance="j"))
    k.ask(*sync(group, "nobody", new.generation, instance="i"))
    k.ask(*sync(group, new.id, new.generation, protocol_type="connect"))
    k.ask(*sync(group, new.id, new.generation, protocol_name="roundrobin"))
    k.ask(*sync(group, new.id, new.generation, protocol_type=None))
    k.ask(*sync(group, new.id, new.generation - 1, protocol_type="connect"))
    k.ask(*sync(group, new.id, new.generation - 1, version=4))


@no_interval(versions=range(6))
def classic_member_syncs(k: Talk, version: int) -> None:
    """Assignments that it sends are ignored."""
    topic = k.topic(2)
    old, new = joined(k, topic)
    new.assigned(version=version)
    new.peer.do(*new.sync({new.id: "aa", old.id: "bb"}, version=version))
    new.assigned(version=version)


@no_interval()
def classic_member_heartbeats_wrongly(k: Talk) -> None:
    topic = k.topic(2)
    old, new = joined(k, topic, instance="i")
    new.beat()
    new.beat(instance=None)
    new.beat(instance="j")
    new.beat(instance="", version=3)
    generation, new.generation = new.generation, new.generation - 1
    new.beat()
    new.generation = generation + 1
    new.beat()
    new.generation = generation
    right, new.id = new.id, "nobody"
    new.beat()
    new.beat(instance=None)
    new.id = old.id
    new.beat(instance=None)
    new.id = right
    new.beat(version=0)


@no_interval()
def classic_member_revokes_step_by_step(k: Talk) -> None:
    topic = k.topic(12)
    old, new = joined(k, topic)
    owned: Owned = new.owns
    log = GroupLog(k, old.group)
    two = Consumer(k, old.group, "c2", topics=[topic])
    three = Consumer(k, old.group, "c3", topics=[topic])
    two.join()
    three.join()
    new.beat()
    new.assigned()
    new.rejoin()
    new.beat()
    new.assigned()
    new.owns = owned
    new.rejoin()
    new.beat()
    new.owns = {topic: owned[topic][:3]}
    new.rejoin()
    new.assigned()
    new.beat()
    log.keep()
    described(k, old.group)


@no_interval()
def classic_member_waits_for_partitions(k: Talk) -> None:
    """Its heartbeat says REBALANCE_IN_PROGRESS once the partitions are free."""
    topic = k.topic(2)
    old = consumer_group(k, topic)
    new = Classic(k, old.group, 1, topic)
    new.rejoin()
    new.rejoin()
    new.assigned()
    new.beat()
    old.full()
    new.beat()
    old.full()
    new.beat()
    new.rejoin()
    new.assigned()
    new.beat()


@no_interval()
def classic_members_session_expires(k: Talk) -> None:
    topic = k.topic(2)
    old, new = joined(k, topic, session_ms=800)
    log = GroupLog(k, old.group)
    waits_until_gone(k, old.group, "m1")
    new.beat()
    old.full()
    log.keep()


@no_interval()
def classic_members_requests_keep_its_session(k: Talk) -> None:
    """Heartbeats, syncs and joins do; commits do not."""
    topic = k.topic(2)
    old, new = joined(k, topic, session_ms=1200)
    for _ in range(3):
        new.peer.quiet(700)
        new.beat()
    for _ in range(2):
        new.peer.quiet(700)
        new.assigned()
    for _ in range(2):
        new.peer.quiet(700)
        new.rejoin()
    new.assigned()
    for _ in range(2):
        new.peer.quiet(700)
        k.ask(*commit(old.group, {topic: {0: 1}}, member=new.id, generation=new.generation))
    new.beat()


@no_interval()
def classic_member_that_never_syncs_is_removed(k: Talk) -> None:
    topic = k.topic(2)
    old = consumer_group(k, topic)
    new = Classic(k, old.group, 1, topic, rebalance_ms=900)
    new.rejoin()
    new.rejoin()
    log = GroupLog(k, old.group)
    new.peer.quiet(500)
    new.beat()
    waits_until_gone(k, old.group, "m1")
    new.peer.took(350, 6000)
    new.beat()
    log.keep()


@no_interval()
def classic_member_that_never_rejoins_is_removed(k: Talk) -> None:
    """The time counts from the first REBALANCE_IN_PROGRESS."""
    topic = k.topic(4)
    old, new = joined(k, topic, rebalance_ms=1000)
    new.peer.quiet(1300)
    two = Consumer(k, old.group, "c2", topics=[topic])
    two.join()
    new.peer.quiet(1300)
    new.beat()
    new.peer.quiet(600)
    new.beat()
    waits_until_gone(k, old.group, "m1")
    new.peer.took(300, 6000)
    new.beat()


@no_interval()
def classic_member_that_rejoins_and_does_not_sync_is_removed(k: Talk) -> None:
    topic = k.topic(2)
    old, new = joined(k, topic, rebalance_ms=900)
    new.rejoin()
    new.peer.quiet(500)
    new.beat()
    waits_until_gone(k, old.group, "m1")
    new.peer.took(350, 6000)


@no_interval()
def classic_member_that_syncs_after_its_join_stays(k: Talk) -> None:
    topic = k.topic(2)
    _, new = joined(k, topic, rebalance_ms=700)
    new.rejoin()
    new.assigned()
    new.peer.quiet(1000)
    new.beat()


@no_interval(versions=range(6))
def classic_member_leaves(k: Talk, version: int) -> None:
    topic = k.topic(2)
    old, new = joined(k, topic)
    log = GroupLog(k, old.group)
    k.ask(*leave(old.group, new.id, version=version))
    new.beat()
    k.ask(*leave(old.group, new.id, version=version))
    log.keep()
    old.full()
    described(k, old.group)


@no_interval()
def members_of_both_protocols_leave_together(k: Talk) -> None:
    topic = k.topic(6)
    old, new = joined(k, topic)
    two = Consumer(k, old.group, "c2", topics=[topic])
    two.join(kept=False)
    log = GroupLog(k, old.group)
    k.ask(*leave(old.group, new.id, "nobody", old.id))
    log.keep()
    described(k, old.group)
    k.ask(*leave(old.group, two.id, two.id))
    log.keep()
    described(k, old.group)


@no_interval(draws=True)
def static_members_of_both_protocols_are_removed(k: Talk) -> None:
    topic = k.topic(4)
    old, new = joined(k, topic, instance="i")
    two = Consumer(k, old.group, "c2", topics=[topic], instance="j")
    two.join(kept=False)
    log = GroupLog(k, old.group)
    k.ask(*leave(old.group, ("", "x"), ("nobody", "i"), ("nobody", "x"), (new.id, "j"), ("", None)))
    k.ask(*leave(old.group, ("", "i"), (two.id, "j")))
    log.keep()
    new.beat()
    two.beat()
    described(k, old.group)


@no_interval()
def static_member_is_named_without_its_instance(k: Talk) -> None:
    topic = k.topic(2)
    old, new = joined(k, topic, instance="i")
    k.ask(*leave(old.group, (new.id, None)))
    described(k, old.group)


@no_interval()
def classic_member_is_named_twice_when_it_leaves(k: Talk) -> None:
    topic = k.topic(2)
    old, new = joined(k, topic, instance="i")
    log = GroupLog(k, old.group)
    k.ask(*leave(old.group, new.id, new.id, ("", "i")))
    log.keep()


@no_interval()
def classic_member_commits_and_fetches(k: Talk) -> None:
    topic = k.topic(2)
    old, new = joined(k, topic)
    group = old.group
    for version in (2, 8, 9):
        known: dict[str, Any] = {"member": new.id, "generation": new.generation, "version": version}
        k.ask(*commit(group, {topic: {0: version, 1: version}}, **known))
    k.ask(*commit(group, {topic: {0: 1}}, member=new.id, generation=new.generation + 1))
    k.ask(*commit(group, {topic: {0: 1}}, member=new.id, generation=-1))
    k.ask(*commit(group, {topic: {0: 1}}, member=new.id, generation=0))
    k.ask(*commit(group, {topic: {0: 1}}, member=old.id, generation=old.epoch, version=8))
    k.ask(*commit(group, {topic: {0: 1}}, member=old.id, generation=old.epoch))
    k.ask(*commit(group, {topic: {0: 1}}, member=old.id, generation=old.epoch + 1))
    api, version, fields = fetch_offsets(group, {topic: [0]})
    for member, epoch in (
        (new.id, new.generation),
        (new.id, new.generation - 1),
        (new.id, -1),
        (old.id, old.epoch),
        (old.id, old.epoch + 1),
        ("nobody", 1),
        (None, -1),
    ):
        wanted = {**fields["Groups"][0], "MemberId": member, "MemberEpoch": epoch}
        k.ask(api, version, {**fields, "Groups": [wanted]})


@no_interval()
def classic_member_and_a_new_partition(k: Talk) -> None:
    topic = k.topic(2)
    old, new = joined(k, topic)
    new.beat()
    made = {"Name": topic, "Count": 4, "Assignments": None}
    k.do("CreatePartitions", 3, {"Topics": [made], "TimeoutMs": 30000, "ValidateOnly": False})
    k.until_there(topic, 4)
    k.until(lambda: old.full(kept=False), lambda response: old.epoch > new.generation)
    new.beat()
    new.rejoin()
    new.peer.ask(*new.sync(), keep=lambda response: len(assignment_of(response["Assignment"])[topic]))
    new.beat()


@no_interval(versions=range(2))
def describe_of_classic_members(k: Talk, version: int) -> None:
    topic = k.topic(2)
    old, _ = joined(k, topic, instance="i", rack="a")
    k.ask(*describe_consumers(old.group, version=version), keep=members_by_client)
    k.ask(*describe(old.group, version=5), keep=groups_in_order)
    k.ask(*describe(old.group, version=6), keep=groups_in_order)
    listed = {"StatesFilter": [], "TypesFilter": []}
    k.ask(
        "ListGroups", 5, listed, keep=lambda found: [g for g in found["Groups"] if g["GroupId"] == old.group]
    )


@no_interval()
def classic_member_joins_an_empty_consumer_group(k: Talk) -> None:
    """The group becomes classic."""
    topic = k.topic(2)
    old = consumer_group(k, topic)
    old.leave()
    log = GroupLog(k, old.group)
    new = Classic(k, old.group, 1, topic)
    new.rejoin()
    new.rejoin()
    new.peer.ask(*new.sync({new.id: new.assignment}))
    log.keep()
    old.beat()
    k.ask(*describe(old.group), keep=groups_in_order)


@no_interval()
def unknown_member_joins_an_empty_consumer_group(k: Talk) -> None:
    topic = k.topic(2)
    old = consumer_group(k, topic)
    old.leave()
    log = GroupLog(k, old.group)
    new = Classic(k, old.group, 1, topic)
    new.id = "nobody"
    new.rejoin()
    log.keep()
    k.ask(*describe(old.group), keep=groups_in_order)
    new.beat()
    new.assigned()
    k.ask(*leave(old.group, "nobody"))


@no_interval()
def requests_to_an_empty_consumer_group(k: Talk) -> None:
    topic = k.topic(2)
    old = consumer_group(k, topic)
    old.leave()
    new = Classic(k, old.group, 1, topic)
    new.id = old.id
    new.generation = 1
    new.beat()
    new.assigned()
    k.ask(*leave(old.group, old.id))
    k.ask(*leave(old.group, old.id, version=2))
    described(k, old.group)


@no_interval()
def classic_member_joins_a_group_with_a_regular_expression(k: Talk) -> None:
    topic = k.topic(2)
    group = k.group()
    old = Consumer(k, group, "c1", topics=None, regex=topic.replace(".", "[.]"))
    old.join(kept=False, topics=None)
    old.beat_until(lambda response: response["Assignment"])
    new = Classic(k, group, 1, topic)
    log = GroupLog(k, group)
    new.rejoin()
    new.rejoin()
    new.assigned()
    described(k, group)
    log.keep()


@no_interval()
def classic_member_joins_with_the_id_of_a_consumer_with_a_regular_expression(k: Talk) -> None:
    """The regular expression is deleted."""
    topic = k.topic(2)
    group = k.group()
    old = Consumer(k, group, "c1", topics=None, regex=topic.replace(".", "[.]"))
    old.join(kept=False, topics=None)
    old.beat_until(lambda response: response["Assignment"])
    new = Classic(k, group, 1, topic)
    new.id = old.id
    log = GroupLog(k, group)
    new.rejoin()
    new.assigned()
    log.keep()
    described(k, group)
