"""Rebalances: how long they wait and for which members."""

from __future__ import annotations

from tests.conformance.build import commit, join, leave
from tests.conformance.case import Talk, case
from tests.conformance.members import (
    Member,
    completing,
    describe,
    groups_in_order,
    in_order,
    some,
    some_stable,
    stable,
    wait_for_members,
    wait_for_state,
)

DELAY = {"group.initial.rebalance.delay.ms": "1000"}


@case
def rebalance_timeout_removes_who_does_not_rejoin(k: Talk) -> None:
    """Heartbeats do not prevent it."""
    one, two = some_stable(k, 2, rebalance_ms=1500)
    one.peer.park(*one.join(), ms=700)
    two.peer.ask(*two.heartbeat())
    one.peer.receive()
    one.peer.took(1400, 6000)
    two.peer.ask(*two.heartbeat())
    two.peer.ask(*two.join())


@case
def rebalance_timeout_is_the_longest_of_all_members(k: Talk) -> None:
    group = k.group()
    one = Member(k, group, 1, rebalance_ms=600)
    two = Member(k, group, 2, rebalance_ms=2000)
    stable(k, one, two)
    one.peer.send(*one.join())
    one.peer.receive()
    one.peer.took(1900, 6000)


@case
def rebalance_timeout_of_the_one_that_joins_counts(k: Talk) -> None:
    group = k.group()
    one = Member(k, group, 1, rebalance_ms=600)
    two = Member(k, group, 2, rebalance_ms=2000)
    stable(k, one)
    two.get_id()
    two.peer.send(*two.join())
    two.peer.receive()
    two.peer.took(1900, 6000)
    one.peer.ask(*one.heartbeat())


@case
def rebalance_timeout_is_fixed_when_the_rebalance_opens(k: Talk) -> None:
    """A later member with a longer timeout does not extend it."""
    one, two = some_stable(k, 2, rebalance_ms=2000)
    one.peer.park(*one.join())
    three = Member(k, one.group, 3)
    three.get_id()
    three.peer.send(*three.join())
    one.peer.receive(in_order)
    one.peer.took(1900, 7000)
    three.peer.receive()
    two.peer.ask(*two.heartbeat())


@case
def rebalance_timeout_of_a_rejoin_counts_for_the_sync_after_it(k: Talk) -> None:
    one, two = some_stable(k, 2)
    one.peer.park(*one.join(rebalance_ms=1500))
    two.joined(two.peer.ask(*two.join(rebalance_ms=1500)))
    one.joined(one.peer.receive(in_order))
    two.peer.send(*two.sync())
    two.peer.receive()
    two.peer.took(1000, 7000)


@case
def rebalance_timeout_as_long_as_can_be(k: Talk) -> None:
    one, two = some_stable(k, 2, rebalance_ms=2**31 - 1)
    one.peer.park(*one.join())
    two.peer.ask(*two.join())
    one.peer.receive(in_order)


@case
def rebalance_timeout_ends_with_who_is_there(k: Talk) -> None:
    """Two of four members have rejoined."""
    one, two, three, four = some_stable(k, 4, rebalance_ms=1500)
    three.peer.park(*three.join(protocols={"range": "f3"}))
    one.peer.send(*one.join())
    one.peer.receive(in_order)
    three.peer.receive()
    for late in (two, four):
        late.peer.ask(*late.heartbeat())


@case
def rebalance_opened_by_a_follower_that_leaves_and_comes_back(k: Talk) -> None:
    one, two = some_stable(k, 2)
    two.peer.do(*two.leave())
    again = Member(k, one.group, 2)
    again.get_id()
    again.peer.park(*again.join())
    one.peer.ask(*one.join(), keep=in_order)
    again.peer.receive()


@case
def rebalance_timeout_before_version_one_is_the_session_timeout(k: Talk) -> None:
    group = k.group()
    one = Member(k, group, 1, rebalance_ms=600)
    stable(k, one)
    two = Member(k, group, 2, session_ms=2000)
    two.peer.send(*two.join(version=0))
    two.peer.receive()
    two.peer.took(1900, 6000)


@case
def rebalance_without_its_leader_has_another(k: Talk) -> None:
    one, two = some_stable(k, 2, rebalance_ms=1000)
    two.peer.send(*two.join(protocols={"range": "f2"}))
    two.peer.receive()
    two.peer.took(900, 6000)
    one.peer.ask(*one.heartbeat())
    k.ask(*describe(one.group))


@case
def rebalance_that_nobody_rejoins(k: Talk) -> None:
    """A member that left started it. The group is Empty, two generations later."""
    one, two = some_stable(k, 2, rebalance_ms=700)
    k.ask(*two.leave())
    wait_for_state(k, one.group, "Empty")
    one.peer.ask(*one.heartbeat())
    again = Member(k, one.group, 3)
    again.get_id()
    again.peer.ask(*again.join())


@case
def rebalance_under_way_takes_new_members_in(k: Talk) -> None:
    one, two = some_stable(k, 2)
    one.peer.park(*one.join())
    three = Member(k, one.group, 3)
    three.get_id()
    three.peer.park(*three.join())
    two.peer.ask(*two.join())
    one.peer.receive(in_order)
    three.peer.receive()


@case
def rebalance_under_way_takes_changes_in(k: Talk) -> None:
    one, two = some_stable(k, 2)
    one.peer.park(*one.join())
    two.peer.ask(*two.join(protocols={"range": "f2"}, session_ms=20000))
    one.peer.receive(in_order)


@case
def rebalance_after_rebalance(k: Talk) -> None:
    """Each adds one to the generation, with or without a sync in between."""
    (one,) = some(k, 1)
    one.get_id()
    for generation in range(5):
        protocols = {"range": f"a{generation}"}
        one.joined(one.peer.ask(*one.join(protocols=protocols)))
        if generation % 2:
            one.peer.ask(*one.sync({one.id: f"b{generation}"}))
    k.ask(*describe(one.group))


@case
def rebalance_from_a_dozen_members(k: Talk) -> None:
    members = some(k, 9)
    stable(k, *members)
    k.ask(*describe(members[0].group), keep=groups_in_order)
    k.ask(*leave(members[0].group, *(each.id for each in members[4:])))
    k.ask(*describe(members[0].group), keep=groups_in_order)


@case
def commits_through_a_rebalance(k: Talk) -> None:
    """They are accepted in PreparingRebalance and refused in CompletingRebalance."""
    topic = k.topic()
    one, two = some_stable(k, 2)
    one.peer.park(*one.join())
    k.ask(*commit(one.group, {topic: {0: 1}}, member=two.id, generation=2))
    k.ask(*commit(one.group, {topic: {0: 1}}, member=two.id, generation=3))
    two.joined(two.peer.do(*two.join()))
    one.joined(one.peer.take())
    k.ask(*commit(one.group, {topic: {0: 2}}, member=two.id, generation=2))
    k.ask(*commit(one.group, {topic: {0: 2}}, member=two.id, generation=3))
    one.do_sync(two)
    k.ask(*commit(one.group, {topic: {0: 3}}, member=two.id, generation=3))


@case(settings=DELAY)
def first_join_waits_for_others(k: Talk) -> None:
    (one,) = some(k, 1)
    one.get_id()
    one.peer.park(*one.join(), ms=500)
    k.ask(*describe(one.group))
    one.peer.receive()
    one.peer.took(950, 6000)


@case(settings=DELAY)
def first_joins_within_the_delay_are_of_one_generation(k: Talk) -> None:
    """Each of them extends the delay."""
    group = k.group()
    one, two = Member(k, group, 1, instance="i1"), Member(k, group, 2, instance="i2")
    one.peer.park(*one.join(), ms=400)
    two.peer.send(*two.join())
    one.peer.receive(in_order)
    one.peer.took(1900, 7000)
    two.peer.receive()


@case(settings=DELAY)
def first_delay_ends_with_the_rebalance_timeout(k: Talk) -> None:
    """A join extends the delay by the rest of the rebalance timeout at most."""
    group = k.group()
    one = Member(k, group, 1, instance="i1", rebalance_ms=1500)
    two = Member(k, group, 2, instance="i2", rebalance_ms=1500)
    one.peer.park(*one.join(), ms=400)
    two.peer.send(*two.join())
    one.peer.receive(in_order)
    one.peer.took(1400, 1990)
    two.peer.receive()


@case(settings=DELAY)
def first_delay_is_not_shortened_by_a_rebalance_timeout(k: Talk) -> None:
    (one,) = some(k, 1, rebalance_ms=100, instance="i")
    one.peer.send(*one.join())
    one.peer.receive()
    one.peer.took(950, 6000)


@case(settings=DELAY)
def first_delay_of_a_group_that_is_left_meanwhile(k: Talk) -> None:
    """The group becomes Empty after the delay, in the next generation."""
    (one,) = some(k, 1, instance="i")
    one.peer.park(*one.join())
    k.ask(*leave(one.group, ("", "i")))
    one.peer.receive()
    k.ask(*describe(one.group))
    wait_for_state(k, one.group, "Empty")
    k.ask(*describe(one.group))


@case(settings=DELAY)
def first_delay_while_an_id_is_pending(k: Talk) -> None:
    """An unused pending id does not delay the first rebalance further."""
    (one,) = some(k, 1)
    one.get_id()
    k.do(*join(one.group))
    one.peer.send(*one.join())
    one.peer.receive()
    one.peer.took(950, 6000)


@case(settings=DELAY)
def delay_comes_back_when_the_group_was_empty(k: Talk) -> None:
    (one,) = some(k, 1, instance="i")
    one.do_join()
    one.peer.do(*one.leave())
    wait_for_state(k, one.group, "Empty")
    again = Member(k, one.group, 2, instance="i")
    again.peer.send(*again.join())
    again.peer.receive()
    again.peer.took(950, 6000)


@case(settings=DELAY)
def delay_is_no_matter_of_a_group_with_members(k: Talk) -> None:
    (one,) = some(k, 1, instance="i")
    one.do_join()
    one.peer.send(*one.join(protocols={"range": "f1"}))
    one.peer.receive()
    one.peer.took(0, 900)


@case(settings=DELAY)
def delay_that_could_not_be_extended_extends_the_next(k: Talk) -> None:
    """Kafka remembers that a member joined during the delay."""
    group = k.group()
    one = Member(k, group, 1, instance="i1", rebalance_ms=100)
    two = Member(k, group, 2, instance="i2", rebalance_ms=100)
    one.peer.park(*one.join())
    two.peer.send(*two.join())
    one.peer.receive(in_order)
    two.peer.receive()
    wait_for_state(k, group, "Empty")
    again = Member(k, group, 3, instance="i3")
    again.peer.send(*again.join())
    again.peer.receive()
    again.peer.took(1900, 7000)


@case(settings=DELAY)
def join_unchanged_during_the_delay(k: Talk) -> None:
    """It replaces the join that waits and does not extend the delay."""
    (one,) = some(k, 1)
    one.get_id()
    one.peer.park(*one.join(), ms=400)
    again = k.connect()
    again.send(*one.join())
    one.peer.quiet(300)
    again.receive()
    again.took(300, 1500)


@case(settings=DELAY)
def heartbeat_and_commit_during_the_delay(k: Talk) -> None:
    topic = k.topic()
    (one,) = some(k, 1, instance="i")
    one.peer.send(*one.join())
    wait_for_members(k, one.group, 1)
    member = k.do(*describe(one.group))["Groups"][0]["Members"][0]["MemberId"]
    one.id, one.generation = member, 0
    k.ask(*one.heartbeat())
    k.ask(*one.sync())
    k.ask(*commit(one.group, {topic: {0: 5}}, member=member, generation=0))
    k.ask(*commit(one.group, {topic: {0: 5}}))
    one.peer.receive()


@case
def group_deleted_while_an_id_is_pending(k: Talk) -> None:
    (one,) = some(k, 1)
    one.get_id()
    k.ask("DeleteGroups", 2, {"GroupsNames": [one.group]})
    one.peer.ask(*one.join())
    k.ask(*describe(one.group))


@case
def leader_of_the_next_generation_is_still_the_leader(k: Talk) -> None:
    """It stays the leader even if it rejoins last."""
    one, two, three = some_stable(k, 3)
    two.peer.park(*two.join(protocols={"range": "f2"}))
    three.peer.park(*three.join())
    one.peer.ask(*one.join(), keep=in_order)
    two.peer.receive()
    three.peer.receive()


@case
def answers_of_one_connection_come_in_order(k: Talk) -> None:
    """Requests behind a parked join wait with it."""
    one, two = some_stable(k, 2)
    one.peer.send(*one.join())
    one.peer.send(*one.heartbeat())
    one.peer.park(*describe(one.group))
    k.ask(*two.join())
    one.peer.receive(in_order)
    one.peer.receive()
    one.peer.receive(groups_in_order)


@case
def answers_behind_a_parked_sync_wait_too(k: Talk) -> None:
    group = k.group()
    one, two = Member(k, group, 1), Member(k, group, 2)
    completing(k, one, two)
    two.peer.send(*two.sync())
    two.peer.park(*two.heartbeat())
    one.peer.ask(*one.sync({two.id: "bb"}))
    two.peer.receive()
    two.peer.receive()


@case
def two_members_on_one_connection_block_each_other(k: Talk) -> None:
    """The second join is not read until the first has its response, after the rebalance timeout."""
    one, two = some_stable(k, 2, rebalance_ms=1200)
    shared = k.connect()
    shared.send(*one.join())
    shared.send(*two.join())
    shared.receive(in_order)
    shared.took(1100, 6000)
    shared.receive()
