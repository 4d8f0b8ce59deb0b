"""SyncGroup: assignments, which errors have precedence, and which requests wait."""

from __future__ import annotations

from typing import Any

from tests.conformance.build import commit, sync
from tests.conformance.case import Talk, case
from tests.conformance.members import (
    Member,
    describe,
    groups_in_order,
    in_order,
    some,
    some_completing,
    some_stable,
    stable,
    wait_for_state,
)


@case(versions=range(6))
def sync_of_a_leader_alone(k: Talk, version: int) -> None:
    (one,) = some_completing(k, 1)
    one.peer.ask(*one.sync({one.id: "beef"}, version=version))
    k.ask(*describe(one.group))


@case(versions=range(6))
def sync_of_a_follower_waits_for_the_leader(k: Talk, version: int) -> None:
    one, two = some_completing(k, 2)
    two.peer.park(*two.sync(version=version))
    one.peer.ask(*one.sync({one.id: "aa", two.id: "bb"}, version=version))
    two.peer.receive()


@case(versions=range(6))
def sync_of_a_follower_after_the_leader(k: Talk, version: int) -> None:
    one, two = some_completing(k, 2)
    one.peer.ask(*one.sync({one.id: "aa", two.id: "bb"}, version=version))
    two.peer.ask(*two.sync(version=version))


@case(versions=range(6))
def sync_by_an_unknown_member(k: Talk, version: int) -> None:
    (one,) = some_completing(k, 1)
    k.ask(*sync(one.group, "nobody", 1, version=version))


@case(versions=range(6))
def sync_with_the_wrong_generation(k: Talk, version: int) -> None:
    (one,) = some_completing(k, 1)
    for generation in (0, 2, -1, 2**31 - 1):
        k.ask(*sync(one.group, one.id, generation, version=version))


@case
def sync_without_a_protocol(k: Talk) -> None:
    """Since version 5 this is checked before everything else."""
    (one,) = some_completing(k, 1)
    one.peer.ask(*one.sync(protocol_type=None))
    one.peer.ask(*one.sync(protocol_name=None))
    one.peer.ask(*one.sync(protocol_type=None, protocol_name=None))
    k.ask(*sync("", "nobody", 1, protocol_type=None))
    k.ask(*sync(k.name(), "nobody", 1, protocol_name=None))


@case
def sync_with_another_protocol(k: Talk) -> None:
    (one,) = some_completing(k, 1)
    one.peer.ask(*one.sync(protocol_type="connect"))
    one.peer.ask(*one.sync(protocol_name="sticky"))
    one.peer.ask(*one.sync(protocol_type=""))
    one.peer.ask(*one.sync(protocol_name=""))
    one.peer.ask(*one.sync(protocol_name="Range"))


@case
def sync_of_a_protocol_that_the_vote_did_not_choose(k: Talk) -> None:
    group = k.group()
    one = Member(k, group, 1, protocols={"range": "01", "sticky": "11"})
    one.get_id()
    one.do_join()
    one.peer.ask(*one.sync(protocol_name="sticky"))
    one.peer.ask(*one.sync())
    one.peer.ask(*one.sync(protocol_name="sticky"))


@case
def sync_of_another_protocol_type(k: Talk) -> None:
    (one,) = some_completing(k, 1, protocol_type="connect", protocols={"sessioned": "00"})
    one.peer.ask(*one.sync({one.id: "01"}))
    k.ask(*describe(one.group))


@case
def sync_without_a_group_id(k: Talk) -> None:
    k.group()
    k.ask(*sync("", "nobody", 1, version=0))
    k.ask(*sync("", "nobody", 1))


@case
def sync_of_an_unknown_group(k: Talk) -> None:
    k.ask(*sync(k.group(), "nobody", 1))
    k.ask(*sync(k.group(), "", 0, version=2))


@case
def sync_of_an_unknown_group_makes_none(k: Talk) -> None:
    group = k.group()
    k.do(*sync(group, "nobody", 1))
    k.ask(*describe(group))


@case
def sync_of_an_empty_group(k: Talk) -> None:
    (one,) = some_stable(k, 1)
    one.peer.do(*one.leave())
    one.generation = 2
    one.peer.ask(*one.sync())
    one.peer.ask(*one.sync(version=0))


@case
def sync_of_a_simple_group(k: Talk) -> None:
    group, topic = k.group(), k.topic()
    k.do(*commit(group, {topic: {0: 5}}))
    k.ask(*sync(group, "", 0))
    k.ask(*sync(group, "", -1))


@case
def sync_is_refused_for_the_member_before_the_generation(k: Talk) -> None:
    (one,) = some_completing(k, 1)
    k.ask(*sync(one.group, "nobody", 9))
    k.ask(*sync(one.group, one.id, 9, instance="i"))


@case
def sync_is_refused_for_the_generation_before_the_protocol(k: Talk) -> None:
    (one,) = some_completing(k, 1)
    k.ask(*sync(one.group, one.id, 9, protocol_type="connect"))
    k.ask(*sync(one.group, one.id, 9, protocol_name="sticky"))


@case
def sync_during_a_rebalance(k: Talk) -> None:
    """Other errors have precedence."""
    one, two = some_stable(k, 2)
    one.peer.park(*one.join())
    two.peer.ask(*two.sync())
    two.peer.ask(*two.sync(version=1))
    two.peer.ask(*two.sync(protocol_name="sticky"))
    k.ask(*sync(one.group, two.id, 9))
    k.ask(*sync(one.group, "nobody", 2))
    k.ask(*one.sync({one.id: "01"}))


@case
def sync_while_stable_tells_what_was_assigned(k: Talk) -> None:
    """The response is the same each time."""
    one, two = some_stable(k, 2)
    for version in range(6):
        one.peer.ask(*one.sync(version=version))
        two.peer.ask(*two.sync(version=version))


@case
def sync_of_the_leader_while_stable_assigns_nothing(k: Talk) -> None:
    one, two = some_stable(k, 2)
    one.peer.ask(*one.sync({one.id: "ffff", two.id: "ffff"}))
    two.peer.ask(*two.sync())
    k.ask(*describe(one.group), keep=groups_in_order)


@case
def sync_of_a_follower_assigns_nothing(k: Talk) -> None:
    one, two = some_completing(k, 2)
    two.peer.park(*two.sync({one.id: "ffff", two.id: "ffff"}))
    one.peer.ask(*one.sync({one.id: "aa", two.id: "bb"}))
    two.peer.receive()


@case
def sync_without_assignments(k: Talk) -> None:
    """Every member gets an empty assignment."""
    one, two = some_completing(k, 2)
    one.peer.ask(*one.sync())
    two.peer.ask(*two.sync())
    k.ask(*describe(one.group), keep=groups_in_order)


@case
def sync_that_forgets_a_member(k: Talk) -> None:
    one, two, three = some_completing(k, 3)
    one.peer.ask(*one.sync({one.id: "aa", three.id: "cc"}))
    two.peer.ask(*two.sync())
    three.peer.ask(*three.sync())


@case
def sync_that_forgets_the_leader(k: Talk) -> None:
    one, two = some_completing(k, 2)
    one.peer.ask(*one.sync({two.id: "bb"}))
    two.peer.ask(*two.sync())


@case
def sync_with_an_assignment_for_a_stranger(k: Talk) -> None:
    (one,) = some_completing(k, 1)
    one.peer.ask(*one.sync({one.id: "aa", "stranger": "bb", "": "cc"}))
    k.ask(*describe(one.group))


@case
def sync_with_two_assignments_for_one(k: Talk) -> None:
    (one,) = some_completing(k, 1)
    given = [{"MemberId": one.id, "Assignment": "aa"}, {"MemberId": one.id, "Assignment": "bb"}]
    fields: dict[str, Any] = {**one.sync()[2], "Assignments": given}
    one.peer.ask("SyncGroup", 5, fields)


@case
def sync_with_a_large_assignment(k: Talk) -> None:
    (one,) = some_completing(k, 1)
    one.peer.do(*one.sync({one.id: "5a" * 500_000}))
    k.keep("bytes", len(one.peer.do(*one.sync())["Assignment"]) // 2)


@case
def sync_with_an_assignment_too_large_to_be_written(k: Talk) -> None:
    """Followers that wait get the same error, and the group rebalances."""
    one, two = some_completing(k, 2)
    two.peer.park(*two.sync())
    one.peer.ask(*one.sync({one.id: "aa", two.id: "5a" * 1_200_000}))
    two.peer.receive()
    k.ask(*describe(one.group), keep=groups_in_order)
    one.peer.ask(*one.heartbeat())
    two.peer.park(*two.join())
    one.peer.ask(*one.join(), keep=in_order)
    two.peer.receive()


@case
def sync_of_a_group_whose_metadata_is_too_large_to_be_written(k: Talk) -> None:
    """The join succeeds; the error is reported at the sync."""
    subscription = "0000" + "00000000" + "ffffffff"
    (one,) = some(k, 1, protocols={"range": subscription + "5a" * 1_200_000})
    one.get_id()
    response = one.joined(one.peer.do(*one.join()))
    k.keep("metadata bytes", [len(member["Metadata"]) // 2 for member in response["Members"]])
    one.peer.ask(*one.sync({one.id: "aa"}))
    one.peer.ask(*one.heartbeat())
    k.ask(*describe(one.group))


@case
def second_sync_takes_the_place_of_a_parked_one(k: Talk) -> None:
    """The first sync never has a response."""
    one, two = some_completing(k, 2)
    two.peer.park(*two.sync())
    again = k.connect()
    again.park(*two.sync(version=3))
    one.peer.ask(*one.sync({one.id: "aa", two.id: "bb"}))
    again.receive()
    two.peer.quiet()


@case
def parked_sync_when_someone_joins(k: Talk) -> None:
    one, two = some_completing(k, 2)
    two.peer.park(*two.sync())
    three = Member(k, one.group, 3)
    three.get_id()
    two.peer.quiet()
    three.peer.send(*three.join())
    two.peer.receive()
    one.peer.ask(*one.heartbeat())
    one.peer.ask(*one.sync({one.id: "aa"}))


@case
def parked_sync_when_the_leader_leaves(k: Talk) -> None:
    one, two = some_completing(k, 2)
    two.peer.park(*two.sync())
    one.peer.ask(*one.leave())
    two.peer.receive()
    two.peer.ask(*two.join())


@case
def parked_sync_when_the_leader_rejoins_with_changes(k: Talk) -> None:
    one, two = some_completing(k, 2)
    two.peer.park(*two.sync())
    one.peer.send(*one.join(protocols={"range": "f1"}))
    two.peer.receive()
    two.peer.ask(*two.join())
    one.peer.receive(in_order)


@case
def parked_sync_when_its_member_rejoins_unchanged(k: Talk) -> None:
    """The join has a response, and the sync still waits."""
    one, two = some_completing(k, 2)
    two.peer.park(*two.sync())
    k.ask(*two.join())
    one.peer.ask(*one.sync({two.id: "bb"}))
    two.peer.receive()


@case(differs="A parked SyncGroup of a member that is removed")
def parked_sync_when_its_member_leaves(k: Talk) -> None:
    one, two = some_completing(k, 2)
    two.peer.park(*two.sync())
    k.ask(*two.leave())
    two.peer.quiet()
    one.peer.ask(*one.heartbeat())


@case
def parked_sync_of_a_connection_that_is_gone(k: Talk) -> None:
    """The member counts as synced."""
    one, two = some_completing(k, 2)
    two.peer.park(*two.sync())
    two.peer.cut()
    one.peer.ask(*one.sync({one.id: "aa", two.id: "bb"}))
    k.ask(*describe(one.group), keep=groups_in_order)


@case
def parked_syncs_are_all_answered_by_the_leaders(k: Talk) -> None:
    one, two, three = some_completing(k, 3)
    for each in (two, three):
        each.peer.park(*each.sync())
    one.peer.ask(*one.sync({one.id: "aa", two.id: "bb", three.id: "cc"}))
    two.peer.receive()
    three.peer.receive()


@case
def parked_syncs_are_answered_each_in_its_version(k: Talk) -> None:
    first, *others = some_completing(k, 5)
    for member, version in zip(others, (0, 2, 3, 5), strict=True):
        member.peer.park(*member.sync(version=version), ms=100)
    first.peer.ask(*first.sync({each.id: each.assignment for each in others}, version=4))
    for member in others:
        member.peer.receive()


@case
def parked_syncs_are_refused_each_in_its_version(k: Talk) -> None:
    first, *others = some_completing(k, 5)
    for member, version in zip(others, (0, 2, 3, 5), strict=True):
        member.peer.park(*member.sync(version=version), ms=100)
    first.peer.ask(*first.leave())
    for member in others:
        member.peer.receive()


@case
def follower_that_does_not_sync_is_removed(k: Talk) -> None:
    """It is removed after the rebalance timeout, although the group is Stable."""
    one, two = some(k, 2, rebalance_ms=1500)
    one.get_id()
    one.do_join()
    one.do_sync()
    two.get_id()
    two.peer.park(*two.join())
    one.do_join()
    two.joined(two.peer.receive())
    one.peer.ask(*one.sync({one.id: "aa", two.id: "bb"}))
    wait_for_state(k, one.group, "PreparingRebalance")
    k.ask(*describe(one.group))
    two.peer.ask(*two.heartbeat())
    one.peer.ask(*one.join())


@case
def leader_that_does_not_sync_is_removed(k: Talk) -> None:
    one, two = some_completing(k, 2, rebalance_ms=1500)
    two.peer.send(*two.sync())
    two.peer.receive()
    two.peer.took(500, 5000)
    one.peer.ask(*one.heartbeat())
    two.peer.ask(*two.join())


@case
def nobody_syncs(k: Talk) -> None:
    one, two = some_completing(k, 2, rebalance_ms=1500)
    wait_for_state(k, one.group, "Empty")
    one.peer.ask(*one.heartbeat())
    two.peer.ask(*two.sync())
    again = Member(k, one.group, 3)
    again.get_id()
    again.peer.ask(*again.join())


@case
def members_that_sync_after_the_leader_stay(k: Talk) -> None:
    one, two = some_stable(k, 2, rebalance_ms=1000)
    two.peer.quiet(1300)
    one.peer.ask(*one.heartbeat())
    two.peer.ask(*two.heartbeat())
    k.ask(*describe(one.group), keep=groups_in_order)


@case
def assignments_are_shown_until_the_next_ones(k: Talk) -> None:
    """They stay visible in PreparingRebalance and CompletingRebalance."""
    one, two = some_stable(k, 2)
    one.peer.park(*one.join())
    k.ask(*describe(one.group), keep=groups_in_order)
    two.joined(two.peer.do(*two.join()))
    one.joined(one.peer.receive(in_order))
    k.ask(*describe(one.group), keep=groups_in_order)
    one.peer.ask(*one.sync({one.id: "cccc"}))
    k.ask(*describe(one.group), keep=groups_in_order)


@case
def assignments_are_gone_when_completing_is_interrupted(k: Talk) -> None:
    one, two = some_stable(k, 2)
    one.peer.park(*one.join())
    two.joined(two.peer.do(*two.join()))
    one.joined(one.peer.take())
    one.peer.park(*one.join(protocols={"range": "f1"}))
    k.ask(*describe(one.group), keep=groups_in_order)


@case
def sync_of_the_next_generation_by_a_static_member_that_did_not_join_it(k: Talk) -> None:
    group = k.group()
    one, two = Member(k, group, 1, rebalance_ms=1500), Member(k, group, 2, rebalance_ms=1500, instance="i")
    stable(k, one, two)
    one.peer.send(*one.join())
    one.joined(one.peer.receive(in_order))
    one.peer.took(1000, 5000)
    two.peer.ask(*two.heartbeat())
    two.generation = one.generation
    two.peer.park(*two.sync())
    one.peer.ask(*one.sync({one.id: "aa", two.id: "bb"}))
    two.peer.receive()
