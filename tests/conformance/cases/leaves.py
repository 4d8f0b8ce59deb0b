"""LeaveGroup: who is removed, the error of each member, and the effect on the others."""

from __future__ import annotations

from tests.conformance.build import commit, fetch_offsets, leave
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
)


@case(versions=range(6))
def leave_of_the_only_member(k: Talk, version: int) -> None:
    (one,) = some_stable(k, 1)
    k.ask(*leave(one.group, one.id, version=version))
    k.ask(*describe(one.group))
    one.peer.ask(*one.heartbeat())


@case(versions=range(6))
def leave_of_one_of_two(k: Talk, version: int) -> None:
    one, two = some_stable(k, 2)
    k.ask(*leave(one.group, two.id, version=version))
    k.ask(*describe(one.group))
    one.peer.ask(*one.heartbeat())
    one.peer.ask(*one.join())


@case(versions=range(6))
def leave_by_an_unknown_member(k: Talk, version: int) -> None:
    (one,) = some_stable(k, 1)
    k.ask(*leave(one.group, "nobody", version=version))
    one.peer.ask(*one.heartbeat())


@case(versions=range(6))
def leave_of_an_unknown_group(k: Talk, version: int) -> None:
    group = k.group()
    k.ask(*leave(group, "nobody", version=version))
    k.ask(*describe(group))


@case(versions=range(6))
def leave_without_a_member_id(k: Talk, version: int) -> None:
    (one,) = some_stable(k, 1)
    k.ask(*leave(one.group, "", version=version))
    k.ask(*leave(k.group(), "", version=version))


@case(versions=range(6))
def leave_without_a_group_id(k: Talk, version: int) -> None:
    k.group()
    k.ask(*leave("", "nobody", version=version))


@case(versions=range(6))
def leave_with_a_pending_id(k: Talk, version: int) -> None:
    (one,) = some(k, 1)
    one.get_id()
    k.ask(*leave(one.group, one.id, version=version))
    one.peer.ask(*one.join())


@case(versions=range(3, 6))
def leave_without_members(k: Talk, version: int) -> None:
    (one,) = some_stable(k, 1)
    k.ask(*leave(one.group, version=version))
    k.ask(*leave(k.group(), version=version))
    k.ask(*leave("", version=version))
    one.peer.ask(*one.heartbeat())


@case(versions=range(3, 6))
def leave_of_several(k: Talk, version: int) -> None:
    """Each member has its own result, in the order of the request."""
    one, two, three = some_stable(k, 3)
    k.ask(*leave(one.group, three.id, "nobody", two.id, "", version=version))
    k.ask(*describe(one.group))
    one.peer.ask(*one.join())


@case
def leave_of_all_at_once(k: Talk) -> None:
    one, two = some_stable(k, 2)
    k.ask(*leave(one.group, one.id, two.id))
    k.ask(*describe(one.group))
    again = Member(k, one.group, 3)
    again.get_id()
    again.peer.ask(*again.join())


@case
def leave_of_one_twice_in_a_request(k: Talk) -> None:
    one, two = some_stable(k, 2)
    k.ask(*leave(one.group, two.id, two.id))
    pending = Member(k, one.group, 3)
    pending.get_id()
    k.ask(*leave(one.group, pending.id, pending.id))


@case
def leave_twice(k: Talk) -> None:
    (one,) = some_stable(k, 1)
    one.peer.ask(*one.leave())
    one.peer.ask(*one.leave())
    one.peer.ask(*one.leave(version=3))


@case
def leave_for_a_reason(k: Talk) -> None:
    one, two = some_stable(k, 2)
    fields = {"GroupId": one.group, "Members": [{"MemberId": two.id, "Reason": "tired"}]}
    k.ask("LeaveGroup", 5, fields)
    fields = {"GroupId": one.group, "Members": [{"MemberId": one.id, "Reason": ""}]}
    k.ask("LeaveGroup", 5, fields)


@case
def leave_of_a_simple_group(k: Talk) -> None:
    group, topic = k.group(), k.topic()
    k.do(*commit(group, {topic: {0: 5}}))
    k.ask(*leave(group, ""))
    k.ask(*leave(group, "nobody"))
    k.ask(*leave(group))
    k.ask(*leave(group, "nobody", version=0))
    k.ask(*fetch_offsets(group))


@case
def leave_of_an_empty_group(k: Talk) -> None:
    (one,) = some_stable(k, 1)
    one.peer.do(*one.leave())
    k.ask(*leave(one.group, ""))
    k.ask(*leave(one.group, one.id, version=2))


@case
def leave_keeps_offsets(k: Talk) -> None:
    topic = k.topic()
    (one,) = some_stable(k, 1)
    k.ask(*commit(one.group, {topic: {0: 5}}, member=one.id, generation=1))
    one.peer.ask(*one.leave())
    k.ask(*fetch_offsets(one.group))


@case
def leave_of_the_leader(k: Talk) -> None:
    """Another member becomes the leader."""
    one, two = some_stable(k, 2)
    one.peer.ask(*one.leave())
    two.peer.ask(*two.heartbeat())
    two.peer.ask(*two.join())
    two.generation = 3
    two.peer.ask(*two.sync({two.id: "bb"}))


@case
def leave_while_completing(k: Talk) -> None:
    one, two = some_completing(k, 2)
    k.ask(*two.leave())
    k.ask(*describe(one.group))
    one.peer.ask(*one.heartbeat())
    one.peer.ask(*one.sync({one.id: "aa"}))
    one.peer.ask(*one.join())


@case
def leave_of_the_only_member_while_completing(k: Talk) -> None:
    (one,) = some_completing(k, 1)
    k.ask(*one.leave())
    k.ask(*describe(one.group))


@case
def leave_during_a_rebalance_ends_it(k: Talk) -> None:
    one, two = some_stable(k, 2)
    one.peer.park(*one.join())
    two.peer.ask(*two.leave())
    one.peer.receive()


@case
def leave_of_one_that_is_not_waited_for_alone(k: Talk) -> None:
    one, two, three = some_stable(k, 3)
    one.peer.park(*one.join())
    two.peer.ask(*two.leave())
    one.peer.quiet()
    three.peer.ask(*three.join())
    one.peer.receive(in_order)


@case
def leave_of_the_leader_during_a_rebalance(k: Talk) -> None:
    one, two = some_stable(k, 2)
    two.peer.park(*two.join(protocols={"range": "f2"}))
    one.peer.ask(*one.leave())
    two.peer.receive()


@case
def leave_of_everyone_during_a_rebalance(k: Talk) -> None:
    """The group is Empty at once, in the next generation."""
    one, two = some_stable(k, 2)
    one.peer.park(*one.join())
    k.ask(*leave(one.group, two.id, one.id))
    one.peer.receive()
    k.ask(*describe(one.group))
    again = Member(k, one.group, 3)
    again.get_id()
    again.peer.ask(*again.join())


@case
def leave_of_the_only_member_while_an_id_is_pending(k: Talk) -> None:
    """The rebalance waits for the pending id."""
    (one,) = some_stable(k, 1)
    two = Member(k, one.group, 2)
    two.get_id()
    k.ask(*one.leave())
    k.ask(*describe(one.group))
    two.peer.ask(*two.join())


@case
def leave_of_a_pending_id_that_is_the_last(k: Talk) -> None:
    (one,) = some_stable(k, 1)
    two = Member(k, one.group, 2)
    two.get_id()
    k.ask(*one.leave())
    k.ask(*leave(one.group, two.id))
    k.ask(*describe(one.group))


@case
def leave_of_a_pending_id_in_stable(k: Talk) -> None:
    """Even this starts a rebalance."""
    (one,) = some_stable(k, 1)
    two = Member(k, one.group, 2)
    two.get_id()
    k.ask(*leave(one.group, two.id))
    one.peer.ask(*one.heartbeat())
    k.ask(*describe(one.group))


@case
def leave_of_a_dynamic_member_with_an_instance_id(k: Talk) -> None:
    (one,) = some_stable(k, 1)
    k.ask(*leave(one.group, (one.id, "i")))
    one.peer.ask(*one.heartbeat())


@case
def leave_of_a_pending_id_with_an_instance_id(k: Talk) -> None:
    (one,) = some(k, 1)
    one.get_id()
    k.ask(*leave(one.group, (one.id, "i")))
    one.peer.ask(*one.join())


@case(versions=range(3, 6))
def leave_of_a_static_member(k: Talk, version: int) -> None:
    (one,) = some_stable(k, 1, instance="i")
    k.ask(*leave(one.group, (one.id, "i"), version=version))
    k.ask(*describe(one.group))


@case(versions=range(3))
def leave_of_a_static_member_without_saying_so(k: Talk, version: int) -> None:
    (one,) = some_stable(k, 1, instance="i")
    k.ask(*leave(one.group, one.id, version=version))
    k.ask(*describe(one.group))


@case
def leave_by_instance_id_alone(k: Talk) -> None:
    """An operator removes a static member in this way."""
    group = k.group()
    one, two = Member(k, group, 1), Member(k, group, 2, instance="i")
    stable(k, one, two)
    k.ask(*leave(group, ("", "i"), ("", "j")))
    k.ask(*describe(group))
    two.peer.ask(*two.heartbeat())
    one.peer.ask(*one.join())


@case
def leave_of_a_static_member_under_another_id(k: Talk) -> None:
    group = k.group()
    one, two = Member(k, group, 1, instance="i1"), Member(k, group, 2, instance="i2")
    stable(k, one, two)
    k.ask(*leave(group, ("nobody", "i1"), (one.id, "i2"), (one.id, "i3"), ("nobody", "i3")))
    k.ask(*describe(group), keep=groups_in_order)
    one.peer.ask(*one.heartbeat())


@case
def leave_of_a_static_member_that_was_replaced(k: Talk) -> None:
    (one,) = some_stable(k, 1, instance="i")
    again = Member(k, one.group, 1, instance="i")
    again.peer.ask(*again.join())
    k.ask(*leave(one.group, (one.id, "i")))
    k.ask(*leave(one.group, one.id))
    k.ask(*leave(one.group, ("", "i")))
    k.ask(*describe(one.group))


@case
def leave_by_instance_id_twice_in_a_request(k: Talk) -> None:
    group = k.group()
    one, two = Member(k, group, 1), Member(k, group, 2, instance="i")
    stable(k, one, two)
    k.ask(*leave(group, ("", "i"), (two.id, "i"), two.id))


@case
def leave_of_a_static_member_with_a_parked_join(k: Talk) -> None:
    group = k.group()
    one, two = Member(k, group, 1), Member(k, group, 2, instance="i")
    stable(k, one, two)
    two.peer.park(*two.join(protocols={"range": "f2"}))
    k.ask(*leave(group, ("", "i")))
    two.peer.receive()
    one.peer.ask(*one.join())


@case
def leave_of_a_pending_id_beside_members(k: Talk) -> None:
    """One request also names members and an unknown id."""
    one, two = some_stable(k, 2)
    three = Member(k, one.group, 3)
    three.get_id()
    k.ask(*leave(one.group, three.id, "nobody", two.id))
    three.peer.ask(*three.join())
    one.peer.ask(*one.join())


@case
def leave_of_many(k: Talk) -> None:
    one, two = some_stable(k, 2)
    names = [f"nobody-{number}" for number in range(100)]
    k.ask(*leave(one.group, *names[:50], two.id, *names[50:]))


@case
def leave_of_a_group_that_was_deleted(k: Talk) -> None:
    (one,) = some_stable(k, 1)
    one.peer.do(*one.leave())
    k.do("DeleteGroups", 2, {"GroupsNames": [one.group]})
    one.peer.ask(*one.leave())
    one.peer.ask(*one.leave(version=3))


@case
def leave_by_another_connection_and_client(k: Talk) -> None:
    (one,) = some_stable(k, 1)
    k.connect("other").ask(*one.leave())
    one.peer.ask(*one.heartbeat())


@case
def leave_by_an_empty_instance_id(k: Talk) -> None:
    """The empty string is an instance id, although no member has it."""
    (one,) = some_stable(k, 1)
    k.ask(*leave(one.group, ("", "")))
    k.ask(*leave(one.group, (one.id, "")))
    one.peer.ask(*one.heartbeat())


@case
def leave_by_an_instance_id_that_was_given_up(k: Talk) -> None:
    (one,) = some_stable(k, 1, instance="i")
    k.ask(*leave(one.group, ("", "i")))
    k.ask(*leave(one.group, ("", "i")))
    k.ask(*leave(one.group, (one.id, "i")))
