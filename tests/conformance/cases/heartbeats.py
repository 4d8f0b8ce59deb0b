"""Heartbeat: its responses, and sessions that expire without it."""

from __future__ import annotations

from tests.conformance.build import commit, fetch_offsets, heartbeat, join
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


@case(versions=range(5))
def heartbeat_in_stable(k: Talk, version: int) -> None:
    (one,) = some_stable(k, 1)
    one.peer.ask(*one.heartbeat(version=version))


@case(versions=range(5))
def heartbeat_while_completing(k: Talk, version: int) -> None:
    one, two = some_completing(k, 2)
    one.peer.ask(*one.heartbeat(version=version))
    two.peer.ask(*two.heartbeat(version=version))


@case(versions=range(5))
def heartbeat_during_a_rebalance(k: Talk, version: int) -> None:
    one, two = some_stable(k, 2)
    one.peer.park(*one.join())
    two.peer.ask(*two.heartbeat(version=version))
    k.ask(*one.heartbeat(version=version))


@case(versions=range(5))
def heartbeat_by_an_unknown_member(k: Talk, version: int) -> None:
    (one,) = some_stable(k, 1)
    k.ask(*heartbeat(one.group, "nobody", 1, version=version))
    k.ask(*heartbeat(one.group, "", 1, version=version))


@case(versions=range(5))
def heartbeat_with_the_wrong_generation(k: Talk, version: int) -> None:
    (one,) = some_stable(k, 1)
    for generation in (0, 2, -1, 2**31 - 1):
        k.ask(*heartbeat(one.group, one.id, generation, version=version))


@case
def heartbeat_without_a_group_id(k: Talk) -> None:
    k.group()
    for version in range(5):
        k.ask(*heartbeat("", "nobody", 1, version=version))


@case
def heartbeat_of_an_unknown_group(k: Talk) -> None:
    group = k.group()
    for version in range(5):
        k.ask(*heartbeat(group, "nobody", 1, version=version))
    k.ask(*describe(group))


@case
def heartbeat_of_a_simple_group(k: Talk) -> None:
    group, topic = k.group(), k.topic()
    k.do(*commit(group, {topic: {0: 5}}))
    k.ask(*heartbeat(group, "", -1))
    k.ask(*heartbeat(group, "", 0))


@case
def heartbeat_of_an_empty_group(k: Talk) -> None:
    (one,) = some_stable(k, 1)
    one.peer.do(*one.leave())
    one.peer.ask(*one.heartbeat())
    one.generation = 2
    one.peer.ask(*one.heartbeat())
    k.ask(*heartbeat(one.group, "", 2))


@case
def heartbeat_is_refused_for_the_member_before_the_generation(k: Talk) -> None:
    (one,) = some_stable(k, 1)
    k.ask(*heartbeat(one.group, "nobody", 9))
    k.ask(*heartbeat(one.group, one.id, 9, instance="i"))


@case
def heartbeat_is_refused_for_the_generation_before_the_rebalance(k: Talk) -> None:
    one, two = some_stable(k, 2)
    one.peer.park(*one.join())
    k.ask(*heartbeat(one.group, two.id, 1))
    k.ask(*heartbeat(one.group, two.id, 3))
    k.ask(*heartbeat(one.group, "nobody", 2))


@case
def heartbeat_of_the_old_generation_after_a_rebalance(k: Talk) -> None:
    one, two = some_stable(k, 2)
    one.peer.park(*one.join())
    k.ask(*two.join())
    one.peer.receive(in_order)
    one.peer.ask(*one.heartbeat())
    two.peer.ask(*two.heartbeat())


@case
def heartbeat_of_a_group_that_was_deleted(k: Talk) -> None:
    (one,) = some_stable(k, 1)
    one.peer.do(*one.leave())
    k.do("DeleteGroups", 2, {"GroupsNames": [one.group]})
    one.peer.ask(*one.heartbeat())


@case
def session_ends_without_a_heartbeat(k: Talk) -> None:
    """The other members rebalance and may continue without it."""
    group = k.group()
    one, two = Member(k, group, 1), Member(k, group, 2, session_ms=1000)
    stable(k, one, two)
    two.peer.send(*two.heartbeat())
    two.peer.receive()
    wait_for_state(k, group, "PreparingRebalance")
    two.peer.took(900, 5000)
    two.peer.ask(*two.heartbeat())
    one.peer.ask(*one.heartbeat())
    one.peer.ask(*one.join())


@case
def session_of_the_last_member_ends(k: Talk) -> None:
    (one,) = some_stable(k, 1, session_ms=500)
    wait_for_state(k, one.group, "Empty")
    k.ask(*describe(one.group))
    one.peer.ask(*one.heartbeat())


@case
def session_of_the_leader_ends(k: Talk) -> None:
    group = k.group()
    one, two = Member(k, group, 1, session_ms=1000), Member(k, group, 2)
    stable(k, one, two)
    wait_for_state(k, group, "PreparingRebalance")
    two.peer.ask(*two.join())


@case
def session_ends_while_completing(k: Talk) -> None:
    """Members that wait in SyncGroup must rejoin."""
    group = k.group()
    one, two = Member(k, group, 1, session_ms=1000), Member(k, group, 2)
    one.get_id()
    one.do_join()
    one.do_sync()
    two.get_id()
    two.peer.park(*two.join())
    one.do_join()
    two.joined(two.peer.take())
    two.peer.send(*two.sync())
    two.peer.receive()
    two.peer.took(300, 5000)
    two.peer.ask(*two.join())


@case
def session_ends_during_a_rebalance(k: Talk) -> None:
    """The rebalance waited for this member and completes without it."""
    group = k.group()
    one, two = Member(k, group, 1), Member(k, group, 2, session_ms=1500)
    stable(k, one, two)
    one.peer.send(*one.join())
    one.peer.receive(in_order)
    one.peer.took(700, 5000)


@case
def session_goes_on_with_heartbeats(k: Talk) -> None:
    (one,) = some_stable(k, 1, session_ms=1500)
    for _ in range(4):
        one.peer.quiet(700)
        one.peer.ask(*one.heartbeat())


@case
def session_goes_on_with_heartbeats_during_a_rebalance(k: Talk) -> None:
    """The member stays until the rebalance timeout, which is independent of the session."""
    group = k.group()
    one, two = Member(k, group, 1, rebalance_ms=2000), Member(k, group, 2, session_ms=1000, rebalance_ms=2000)
    stable(k, one, two)
    one.peer.send(*one.join())
    for _ in range(3):
        two.peer.quiet(500)
        two.peer.ask(*two.heartbeat())
    one.peer.receive(in_order)
    one.peer.took(1900, 6000)
    two.peer.ask(*two.heartbeat())


@case
def session_goes_on_with_commits(k: Talk) -> None:
    topic = k.topic()
    (one,) = some_stable(k, 1, session_ms=1500)
    for offset in range(4):
        one.peer.quiet(700)
        one.peer.do(*commit(one.group, {topic: {0: offset}}, member=one.id, generation=1))
    one.peer.ask(*one.heartbeat())


@case
def session_goes_on_with_a_commit_of_metadata_that_is_too_large(k: Talk) -> None:
    topic = k.topic()
    (one,) = some_stable(k, 1, session_ms=1500)
    for wait_ms in (500, 500, 1000):
        one.peer.quiet(wait_ms)
        one.peer.ask(*commit(one.group, {topic: {0: 1}}, member=one.id, generation=1, metadata="x" * 5000))


@case
def session_does_not_go_on_with_a_commit_to_unknown_topics(k: Talk) -> None:
    (one,) = some_stable(k, 1, session_ms=1500)
    for wait_ms in (500, 500, 1000):
        one.peer.quiet(wait_ms)
        one.peer.ask(*commit(one.group, {"unknown": {0: 1}}, member=one.id, generation=1))
    one.peer.ask(*one.heartbeat())


@case
def session_does_not_go_on_with_a_commit_that_is_refused(k: Talk) -> None:
    """A refused heartbeat does not extend the session either."""
    topic = k.topic()
    (one,) = some_stable(k, 1, session_ms=1500)
    for wait_ms in (500, 500, 1000):
        one.peer.quiet(wait_ms)
        one.peer.ask(*commit(one.group, {topic: {0: 1}}, member=one.id, generation=9))
        one.peer.ask(*heartbeat(one.group, one.id, 9))


@case
def session_does_not_go_on_with_offsets_that_are_fetched(k: Talk) -> None:
    (one,) = some_stable(k, 1, session_ms=1500)
    for wait_ms in (500, 500, 1000):
        one.peer.quiet(wait_ms)
        one.peer.do(*fetch_offsets(one.group))
        one.peer.do(*describe(one.group))
    one.peer.ask(*one.heartbeat())


@case
def session_does_not_go_on_with_syncs(k: Talk) -> None:
    (one,) = some_stable(k, 1, session_ms=1500)
    for wait_ms in (500, 500, 1000):
        one.peer.quiet(wait_ms)
        one.peer.ask(*one.sync())


@case
def session_does_not_go_on_with_joins_that_change_nothing(k: Talk) -> None:
    group = k.group()
    one, two = Member(k, group, 1), Member(k, group, 2, session_ms=1500)
    stable(k, one, two)
    for wait_ms in (500, 500, 1000):
        two.peer.quiet(wait_ms)
        two.peer.ask(*two.join())


@case
def parked_join_outlives_the_session(k: Talk) -> None:
    group = k.group()
    one, two = Member(k, group, 1, session_ms=800), Member(k, group, 2)
    stable(k, one, two)
    one.peer.park(*one.join(), ms=1500)
    two.peer.ask(*two.join())
    one.peer.receive(in_order)


@case
def parked_join_of_a_new_member_outlives_the_session(k: Talk) -> None:
    group = k.group()
    one, two = Member(k, group, 1), Member(k, group, 2, session_ms=800)
    stable(k, one)
    two.get_id()
    two.peer.park(*two.join(), ms=1500)
    one.peer.ask(*one.join(), keep=in_order)
    two.peer.receive()


@case
def parked_join_of_a_new_member_that_beats_has_its_session_only(k: Talk) -> None:
    """Without the heartbeat, the member would have the five minutes of a new member."""
    group = k.group()
    one, two = Member(k, group, 1), Member(k, group, 2, session_ms=800)
    stable(k, one)
    two.get_id()
    two.peer.park(*two.join())
    k.ask(*heartbeat(group, two.id, 1))
    two.peer.receive()
    two.peer.took(900, 6000)
    one.peer.ask(*one.join())


@case
def parked_sync_outlives_the_session(k: Talk) -> None:
    group = k.group()
    one, two = Member(k, group, 1), Member(k, group, 2, session_ms=1000)
    stable(k, one, two)
    two.peer.park(*two.join(protocols={"range": "f2"}))
    one.do_join()
    two.joined(two.peer.take())
    two.peer.park(*two.sync(), ms=1700)
    one.peer.ask(*one.sync({one.id: "aa", two.id: "bb"}))
    two.peer.receive()


@case
def session_begins_anew_when_a_parked_join_is_answered(k: Talk) -> None:
    group = k.group()
    one, two = Member(k, group, 1, session_ms=1500), Member(k, group, 2)
    stable(k, one, two)
    one.peer.park(*one.join(), ms=1000)
    two.peer.do(*two.join())
    one.joined(one.peer.take())
    one.peer.quiet(1000)
    one.peer.ask(*one.heartbeat())


@case
def session_begins_anew_when_a_parked_sync_is_answered(k: Talk) -> None:
    group = k.group()
    one, two = Member(k, group, 1), Member(k, group, 2, session_ms=1500)
    stable(k, one, two)
    one.peer.park(*one.join())
    two.joined(two.peer.do(*two.join()))
    one.joined(one.peer.take())
    two.peer.park(*two.sync(), ms=1000)
    one.do_sync(two)
    two.peer.receive()
    two.peer.quiet(1000)
    two.peer.ask(*two.heartbeat())


@case
def session_does_not_go_on_with_commits_while_completing(k: Talk) -> None:
    topic = k.topic()
    one, two = some_stable(k, 2)
    one.peer.park(*one.join())
    two.joined(two.peer.do(*two.join(session_ms=1500)))
    one.joined(one.peer.take())
    for wait_ms in (500, 500, 1000):
        two.peer.quiet(wait_ms)
        two.peer.ask(*commit(two.group, {topic: {0: 1}}, member=two.id, generation=3))


@case
def session_timeout_of_the_last_join_holds(k: Talk) -> None:
    """The session timeout of a rejoin applies."""
    (one,) = some_stable(k, 1)
    one.joined(one.peer.do(*one.join(session_ms=700)))
    wait_for_state(k, one.group, "Empty")
    one.peer.ask(*one.heartbeat())


@case
def session_timeout_of_a_join_that_changes_nothing_is_ignored(k: Talk) -> None:
    _, two = some_stable(k, 2)
    two.peer.ask(*two.join(session_ms=500))
    two.peer.ask(*two.heartbeat())
    two.peer.quiet(1000)
    two.peer.ask(*two.heartbeat())


@case
def static_member_is_removed_by_its_session(k: Talk) -> None:
    group = k.group()
    one, two = Member(k, group, 1), Member(k, group, 2, session_ms=1000, instance="i")
    stable(k, one, two)
    wait_for_state(k, group, "PreparingRebalance")
    two.peer.ask(*two.heartbeat())
    k.ask(*describe(group), keep=groups_in_order)


@case
def pending_id_ends_after_the_session_timeout(k: Talk) -> None:
    (one,) = some(k, 1, session_ms=700)
    one.get_id()
    two = k.do(*join(one.group, session_ms=30000))["MemberId"]
    one.peer.quiet(1400)
    one.peer.ask(*one.join())
    k.ask(*join(one.group, two))
