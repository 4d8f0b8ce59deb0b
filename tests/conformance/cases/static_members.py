"""Static membership (KIP-345): members that are identified by an instance id."""

from __future__ import annotations

from typing import Any

from tests.conformance.build import commit, heartbeat, join, leave, sync
from tests.conformance.case import Talk, case
from tests.conformance.members import (
    Member,
    completing,
    describe,
    groups_in_order,
    in_order,
    some,
    some_completing,
    some_stable,
    stable,
    wait_for_state,
)


def two_static(k: Talk) -> list[Member]:
    """Return two members of a stable group; the first leads."""
    group = k.group()
    members = [Member(k, group, number, instance=f"i{number}") for number in (1, 2)]
    stable(k, *members)
    return members


@case(versions=range(5, 10))
def static_member_is_given_no_id_first(k: Talk, version: int) -> None:
    group = k.group()
    k.ask(*join(group, instance="i", version=version))
    k.ask(*describe(group))


@case(versions=range(5, 10))
def static_member_that_comes_with_an_id(k: Talk, version: int) -> None:
    """It joins with a member id that it was not given."""
    k.ask(*join(k.group(), "somebody", instance="i", version=version))
    (one,) = some_stable(k, 1)
    k.ask(*join(one.group, "somebody", instance="i", version=version))
    k.ask(*join(one.group, one.id, instance="i", version=version))


@case(versions=range(5, 10))
def static_follower_comes_back(k: Talk, version: int) -> None:
    """It replaces the old member without a rebalance."""
    one, two = two_static(k)
    again = k.connect("m2")
    again.ask(*join(one.group, instance="i2", protocols={"range": "02"}, version=version))
    one.peer.ask(*one.heartbeat())
    k.ask(*describe(one.group), keep=groups_in_order)
    two.peer.ask(*two.heartbeat())


@case(versions=range(5, 10))
def static_leader_comes_back(k: Talk, version: int) -> None:
    """Since version 9 it is the leader and must not assign. Before, the response names another leader."""
    one, two = two_static(k)
    again = k.connect("m1")
    again.ask(*join(one.group, instance="i1", protocols={"range": "01"}, version=version), keep=in_order)
    two.peer.ask(*two.heartbeat())
    k.ask(*describe(one.group), keep=groups_in_order)


@case(versions=range(5, 10))
def static_leader_comes_back_alone(k: Talk, version: int) -> None:
    (one,) = some_stable(k, 1, instance="i")
    again = Member(k, one.group, 1, instance="i")
    again.joined(again.peer.ask(*again.join(version=version)))
    again.peer.ask(*again.sync({again.id: "ffff"}))
    one.peer.ask(*one.heartbeat())
    k.ask(*describe(one.group))


@case
def static_member_comes_back_with_other_metadata(k: Talk) -> None:
    """This causes no rebalance either, as long as the chosen protocol stays the same."""
    one, _ = two_static(k)
    again = Member(k, one.group, 2, instance="i2", protocols={"range": "f2"})
    again.peer.ask(*again.join())
    one.peer.ask(*one.heartbeat())
    k.ask(*describe(one.group), keep=groups_in_order)
    one.peer.park(*one.join())
    again.id = described_id(k, one.group, "i2")
    again.peer.ask(*again.join())
    one.peer.receive(in_order)


def described_id(k: Talk, group: str, instance: str) -> str:
    members = k.do(*describe(group))["Groups"][0]["Members"]
    found: str = next(each["MemberId"] for each in members if each["GroupInstanceId"] == instance)
    return found


@case
def static_member_comes_back_with_a_protocol_more(k: Talk) -> None:
    one, _ = two_static(k)
    again = Member(k, one.group, 2, instance="i2", protocols={"sticky": "", "range": "02"})
    again.peer.ask(*again.join())
    one.peer.ask(*one.heartbeat())


@case
def static_member_comes_back_and_the_protocol_changes(k: Talk) -> None:
    group = k.group()
    one = Member(k, group, 1, instance="i1", protocols={"range": "01", "sticky": "11"})
    two = Member(k, group, 2, instance="i2", protocols={"range": "02", "sticky": "12"})
    stable(k, one, two)
    again = Member(k, group, 2, instance="i2", protocols={"sticky": "12"})
    again.peer.park(*again.join())
    one.peer.ask(*one.heartbeat())
    two.peer.ask(*two.heartbeat())
    one.peer.ask(*one.join(), keep=in_order)
    again.peer.receive()


@case
def static_member_alone_comes_back_and_the_protocol_changes(k: Talk) -> None:
    """Its previous protocols count, although it is the only member."""
    (one,) = some_stable(k, 1, instance="i")
    k.ask(*join(one.group, instance="i", protocols={"sticky": ""}))
    k.ask(*join(one.group, instance="i", protocol_type="connect"))
    one.peer.ask(*one.heartbeat())


@case
def static_member_comes_back_while_completing(k: Talk) -> None:
    group = k.group()
    one, two = Member(k, group, 1, instance="i1"), Member(k, group, 2, instance="i2")
    completing(k, one, two)
    again = Member(k, group, 2, instance="i2")
    again.peer.park(*again.join())
    one.peer.ask(*one.heartbeat())
    two.peer.ask(*two.heartbeat())
    one.peer.ask(*one.join(), keep=in_order)
    again.peer.receive()


@case
def static_leader_comes_back_while_completing(k: Talk) -> None:
    group = k.group()
    one, two = Member(k, group, 1, instance="i1"), Member(k, group, 2, instance="i2")
    completing(k, one, two)
    two.peer.park(*two.sync())
    again = Member(k, group, 1, instance="i1")
    again.peer.send(*again.join())
    two.peer.receive()
    again.peer.quiet()
    two.peer.ask(*two.join())
    again.peer.receive(in_order)


@case
def static_member_comes_back_during_a_rebalance(k: Talk) -> None:
    one, two = two_static(k)
    one.peer.park(*one.join())
    again = Member(k, one.group, 2, instance="i2")
    again.peer.ask(*again.join())
    one.peer.receive(in_order)
    two.peer.ask(*two.heartbeat())


@case
def static_member_comes_back_while_its_join_is_parked(k: Talk) -> None:
    """The first join fails as fenced, with the old member id."""
    one, two = two_static(k)
    two.peer.park(*two.join(protocols={"range": "f2"}))
    again = Member(k, one.group, 2, instance="i2")
    again.peer.send(*again.join())
    two.peer.receive()
    again.peer.quiet()
    one.peer.ask(*one.join(), keep=in_order)
    again.peer.receive()


@case
def new_static_member_comes_twice(k: Talk) -> None:
    (one,) = some_stable(k, 1)
    two, again = Member(k, one.group, 2, instance="i"), Member(k, one.group, 3, instance="i")
    two.peer.park(*two.join(version=5))
    again.peer.send(*again.join())
    two.peer.receive()
    again.peer.quiet()
    k.ask(*describe(one.group), keep=groups_in_order)
    one.peer.ask(*one.join(), keep=in_order)
    again.peer.receive()


@case
def static_member_comes_back_while_its_sync_is_parked(k: Talk) -> None:
    group = k.group()
    one, two = Member(k, group, 1, instance="i1"), Member(k, group, 2, instance="i2")
    completing(k, one, two)
    two.peer.park(*two.sync())
    again = Member(k, group, 2, instance="i2")
    again.peer.send(*again.join())
    two.peer.receive()
    again.peer.quiet()
    one.peer.ask(*one.join(), keep=in_order)
    again.peer.receive()


@case
def static_member_rejoins_with_its_id(k: Talk) -> None:
    """It is treated like any member."""
    one, two = two_static(k)
    two.peer.ask(*two.join())
    two.peer.park(*two.join(protocols={"range": "f2"}))
    one.peer.ask(*one.join(), keep=in_order)
    two.peer.receive()


@case
def static_member_may_leave_out_its_instance_id(k: Talk) -> None:
    """This works while its member id is the current one."""
    topic = k.topic()
    one, two = two_static(k)
    group = one.group
    k.ask(*heartbeat(group, two.id, two.generation))
    k.ask(*heartbeat(group, two.id, two.generation, version=2))
    k.ask(*sync(group, two.id, two.generation))
    k.ask(*commit(group, {topic: {0: 5}}, member=two.id, generation=two.generation))
    k.ask(*two.join(instance=None))
    k.ask(*two.join(instance=None, version=3))
    k.ask(*describe(group), keep=groups_in_order)


@case
def static_member_that_was_replaced(k: Talk) -> None:
    """It is fenced in requests with its instance id, and unknown in those without."""
    topic = k.topic()
    one, two = two_static(k)
    again = Member(k, one.group, 2, instance="i2")
    again.do_join()
    group, generation = one.group, two.generation
    for version in range(3, 5):
        two.peer.ask(*two.heartbeat(version=version))
    for version in range(3, 6):
        two.peer.ask(*two.sync(version=version))
    two.peer.ask(*two.join())
    two.peer.ask(*two.join(version=5))
    two.peer.ask(*commit(group, {topic: {0: 5}}, member=two.id, generation=generation, instance="i2"))
    two.peer.ask(*heartbeat(group, two.id, generation))
    two.peer.ask(*sync(group, two.id, generation))
    two.peer.ask(*two.join(instance=None))
    two.peer.ask(*commit(group, {topic: {0: 5}}, member=two.id, generation=generation))
    again.peer.ask(*again.heartbeat())
    again.peer.ask(*again.sync())


@case
def static_member_is_fenced_before_its_generation_is_looked_at(k: Talk) -> None:
    one, two = two_static(k)
    k.ask(*heartbeat(one.group, "nobody", 99, instance="i2"))
    k.ask(*sync(one.group, "nobody", 99, instance="i2", protocol_name="sticky"))
    k.ask(*heartbeat(one.group, two.id, 99, instance="i2"))


@case
def static_member_is_fenced_after_its_protocols_were_looked_at(k: Talk) -> None:
    one, _ = two_static(k)
    k.ask(*join(one.group, "nobody", instance="i2", protocols={"sticky": ""}))
    k.ask(*join(one.group, "nobody", instance="i2"))


@case
def instance_that_is_unknown(k: Talk) -> None:
    one, _ = two_static(k)
    k.ask(*heartbeat(one.group, one.id, one.generation, instance="i3"))
    k.ask(*sync(one.group, one.id, one.generation, instance="i3"))
    k.ask(*join(one.group, one.id, instance="i3", protocols={"range": "01"}))
    k.ask(*heartbeat(one.group, "nobody", one.generation, instance="i3"))
    one.peer.ask(*one.heartbeat())


@case
def instance_of_another_member(k: Talk) -> None:
    one, two = two_static(k)
    k.ask(*heartbeat(one.group, one.id, one.generation, instance="i2"))
    k.ask(*sync(one.group, one.id, one.generation, instance="i2"))
    k.ask(*join(one.group, one.id, instance="i2", protocols={"range": "01"}))
    k.ask(*heartbeat(one.group, "", two.generation, instance="i2"))
    k.ask(*sync(one.group, "", two.generation, instance="i2"))


@case
def instance_with_an_empty_name(k: Talk) -> None:
    (one,) = some(k, 1, instance="")
    one.joined(one.peer.ask(*one.join()))
    one.peer.ask(*one.sync({one.id: "aa"}))
    one.peer.ask(*one.heartbeat())
    k.ask(*describe(one.group))
    again = Member(k, one.group, 1, instance="")
    again.peer.ask(*again.join())


@case
def instance_of_the_same_name_in_two_groups(k: Talk) -> None:
    (one,) = some_stable(k, 1, instance="i")
    (two,) = some_stable(k, 1, instance="i")
    one.peer.ask(*one.heartbeat())
    two.peer.ask(*two.heartbeat())


@case
def static_member_is_not_removed_where_it_does_not_rejoin(k: Talk) -> None:
    """The rebalance completes without it, and it stays a member."""
    group = k.group()
    one, two = Member(k, group, 1, rebalance_ms=1000), Member(k, group, 2, rebalance_ms=1000, instance="i")
    stable(k, one, two)
    one.peer.send(*one.join())
    one.peer.receive(in_order)
    one.peer.took(900, 5000)
    two.peer.ask(*two.heartbeat())
    k.ask(*describe(group), keep=groups_in_order)


@case
def static_leader_that_does_not_rejoin_leads_no_more(k: Talk) -> None:
    group = k.group()
    one = Member(k, group, 1, rebalance_ms=1000, instance="i")
    two = Member(k, group, 2, rebalance_ms=1000)
    stable(k, one, two)
    two.peer.send(*two.join(protocols={"range": "f2"}))
    two.joined(two.peer.receive(in_order))
    two.peer.ask(*two.sync({two.id: "bb", one.id: "aa"}))
    one.peer.ask(*one.heartbeat())
    one.generation = two.generation
    one.peer.ask(*one.sync())


@case
def static_member_that_does_not_sync_is_removed(k: Talk) -> None:
    group = k.group()
    one = Member(k, group, 1, rebalance_ms=1500, session_ms=20000)
    two = Member(k, group, 2, rebalance_ms=1500, instance="i")
    completing(k, one, two)
    one.do_sync()
    wait_for_state(k, group, "PreparingRebalance")
    k.ask(*describe(group))
    two.peer.ask(*two.heartbeat())


@case
def only_static_members_and_none_rejoins(k: Talk) -> None:
    """The rebalance keeps waiting. A dynamic member that left started it."""
    group = k.group()
    one = Member(k, group, 1, rebalance_ms=700, instance="i")
    two = Member(k, group, 2, rebalance_ms=700)
    stable(k, one, two)
    k.ask(*two.leave())
    one.peer.quiet(1200)
    k.ask(*describe(group))
    one.peer.ask(*one.heartbeat())
    one.peer.ask(*one.join())


@case
def static_member_replaced_before_it_synced(k: Talk) -> None:
    """The group still waits for the old id, and rebalances after its timeout."""
    group = k.group()
    one = Member(k, group, 1, rebalance_ms=2000)
    two = Member(k, group, 2, rebalance_ms=2000, instance="i")
    completing(k, one, two)
    one.do_sync(two)
    again = Member(k, group, 2, rebalance_ms=2000, instance="i")
    again.joined(again.peer.ask(*again.join()))
    again.peer.ask(*again.sync())
    one.peer.ask(*one.heartbeat())
    wait_for_state(k, group, "PreparingRebalance")
    k.ask(*describe(group), keep=groups_in_order)
    again.peer.ask(*again.heartbeat())


@case
def static_member_replaced_in_a_group_that_is_empty_again(k: Talk) -> None:
    (one,) = some_stable(k, 1, instance="i")
    one.peer.do(*one.leave())
    again = Member(k, one.group, 1, instance="i")
    again.peer.ask(*again.join())
    one.peer.ask(*one.join())


@case
def static_member_replaced_keeps_what_the_group_tells_of_its_client(k: Talk) -> None:
    (one,) = some_stable(k, 1, instance="i")
    other = k.connect("other")
    other.ask(*join(one.group, instance="i", protocols={"range": "01"}))
    k.ask(*describe(one.group))


@case
def static_member_replaced_twice(k: Talk) -> None:
    (one,) = some_stable(k, 1, instance="i")
    two, three = Member(k, one.group, 1, instance="i"), Member(k, one.group, 1, instance="i")
    two.joined(two.peer.ask(*two.join()))
    three.joined(three.peer.ask(*three.join()))
    for each in (one, two, three):
        each.peer.ask(*each.heartbeat())


@case
def static_member_replaced_has_the_session_timeout_of_its_last_join(k: Talk) -> None:
    (one,) = some_stable(k, 1, instance="i")
    again = Member(k, one.group, 1, instance="i", session_ms=700)
    again.do_join()
    again.peer.ask(*again.heartbeat())
    wait_for_state(k, one.group, "Empty")
    again.peer.ask(*again.heartbeat())


@case
def static_member_comes_back_after_its_group_was_emptied(k: Talk) -> None:
    """The instance id is free, and the member leads the next generation."""
    one, two = two_static(k)
    k.ask(*leave(one.group, ("", "i1"), ("", "i2")))
    again = Member(k, one.group, 2, instance="i2")
    again.joined(again.peer.ask(*again.join()))
    two.peer.ask(*two.heartbeat())
    again.peer.ask(*again.heartbeat())


@case
def static_member_takes_the_place_of_one_whose_session_has_ended(k: Talk) -> None:
    group = k.group()
    one, two = Member(k, group, 1), Member(k, group, 2, session_ms=700, instance="i")
    stable(k, one, two)
    wait_for_state(k, group, "PreparingRebalance")
    again = Member(k, group, 2, instance="i")
    again.peer.park(*again.join())
    one.peer.ask(*one.join(), keep=in_order)
    again.peer.receive()
    two.peer.ask(*two.heartbeat())


@case
def static_member_comes_back_and_commits(k: Talk) -> None:
    topic = k.topic()
    one, _ = two_static(k)
    again = Member(k, one.group, 2, instance="i2")
    again.do_join()
    known: dict[str, Any] = {"member": again.id, "generation": again.generation}
    k.ask(*commit(one.group, {topic: {0: 5}}, **known, instance="i2"))
    k.ask(*commit(one.group, {topic: {0: 6}}, **known))
    k.ask(*commit(one.group, {topic: {0: 7}}, **known, instance="i1"))
    k.ask(*commit(one.group, {topic: {0: 7}}, **known, instance="i3"))


@case
def dynamic_member_beside_a_static_one(k: Talk) -> None:
    group = k.group()
    one, two = Member(k, group, 1, instance="i"), Member(k, group, 2)
    stable(k, one, two)
    k.ask(*describe(group, version=3), keep=groups_in_order)
    k.ask(*describe(group, version=4), keep=groups_in_order)
    two.peer.park(*two.join(protocols={"range": "f2"}))
    one.peer.ask(*one.join(), keep=in_order)


@case
def leader_before_version_five_receives_static_members(k: Talk) -> None:
    group = k.group()
    one, two = Member(k, group, 1), Member(k, group, 2, instance="i")
    stable(k, one, two)
    one.peer.park(*one.join(version=4))
    two.peer.ask(*two.join())
    one.peer.receive(lambda response: {**response, "Members": sorted(response["Members"], key=metadata)})


def metadata(member: dict[str, str]) -> str:
    return member["Metadata"]


@case(differs="A static member whose return cannot be written")
def static_member_with_large_metadata_that_cannot_be_written(k: Talk) -> None:
    """The old member stays."""
    (one,) = some_stable(k, 1, instance="i")
    k.ask(*join(one.group, instance="i", protocols={"range": "5a" * 1_200_000}))
    k.ask(*join(one.group, instance="i", protocols={"range": "5a" * 1_200_000}, version=6))
    one.peer.ask(*one.heartbeat())
    k.ask(*describe(one.group))


@case
def static_leader_rejoins_unchanged_while_completing(k: Talk) -> None:
    (one,) = some_completing(k, 1, instance="i")
    k.ask(*describe(one.group))
    one.peer.ask(*one.join())
