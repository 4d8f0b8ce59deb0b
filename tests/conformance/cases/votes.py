"""Protocol selection: the group's protocol depends on the lists of its members."""

from __future__ import annotations

from tests.conformance.build import Request
from tests.conformance.case import Talk, case
from tests.conformance.members import Member, completing, describe, groups_in_order, in_order


def chosen(k: Talk, *lists: str) -> None:
    """Keep the protocol that a group chooses. Members list their protocols in order of preference."""
    group = k.group()
    members = []
    for number, names in enumerate(lists, 1):
        protocols = {name: f"{number}{at}" for at, name in enumerate(names.split())}
        members.append(Member(k, group, number, protocols=protocols))
    completing(k, *members)
    first, *others = members
    again: Request = first.join(protocols={**first.how["protocols"], "only-its-own": "ff"})
    first.peer.send(*again)
    for other in others:
        first.peer.quiet(50)
        other.peer.send(*other.join())
    first.peer.receive(in_order)
    for other in others:
        other.peer.receive()


@case
def vote_of_one(k: Talk) -> None:
    chosen(k, "roundrobin range sticky")


@case
def vote_where_all_agree(k: Talk) -> None:
    chosen(k, "sticky range", "sticky range", "sticky roundrobin")


@case
def vote_of_the_majority(k: Talk) -> None:
    chosen(k, "range roundrobin", "roundrobin range", "roundrobin range")


@case
def vote_for_what_all_support(k: Talk) -> None:
    """The group chooses the only common protocol, although no member prefers it."""
    chosen(k, "a c", "b c")


@case
def vote_counts_the_first_that_all_support(k: Talk) -> None:
    chosen(k, "x range roundrobin", "y roundrobin range", "z roundrobin range")


@case
def vote_tied_between_range_and_roundrobin(k: Talk) -> None:
    chosen(k, "roundrobin range", "range roundrobin")


@case
def vote_tied_between_range_and_sticky(k: Talk) -> None:
    chosen(k, "range sticky", "sticky range")


@case
def vote_tied_between_range_and_cooperative_sticky(k: Talk) -> None:
    chosen(k, "cooperative-sticky range", "range cooperative-sticky")


@case
def vote_tied_between_sticky_and_cooperative_sticky(k: Talk) -> None:
    chosen(k, "cooperative-sticky sticky", "sticky cooperative-sticky")


@case
def vote_tied_between_roundrobin_and_sticky(k: Talk) -> None:
    chosen(k, "roundrobin sticky", "sticky roundrobin")


@case
def vote_tied_between_alpha_and_zeta(k: Talk) -> None:
    chosen(k, "alpha zeta", "zeta alpha")


@case
def vote_tied_between_numbered_protocols(k: Talk) -> None:
    chosen(k, "p2 p1", "p1 p2")


@case
def vote_tied_between_three(k: Talk) -> None:
    chosen(k, "range roundrobin sticky", "roundrobin sticky range", "sticky range roundrobin")


@case
def vote_tied_between_connects_protocols(k: Talk) -> None:
    chosen(k, "sessioned compatible eager", "compatible sessioned eager")


@case
def vote_tied_between_names_that_are_not_ascii(k: Talk) -> None:
    chosen(k, "zürich 東京", "東京 zürich")


@case
def vote_tells_the_leader_the_metadata_of_what_was_chosen(k: Talk) -> None:
    chosen(k, "sticky range", "range sticky", "range sticky")


@case
def vote_changes_with_the_members(k: Talk) -> None:
    group = k.group()
    one = Member(k, group, 1, protocols={"sticky": "11", "range": "12"})
    two = Member(k, group, 2, protocols={"range": "22"})
    completing(k, one, two)
    k.ask(*two.leave())
    one.peer.ask(*one.join())
    one.generation = 3
    one.peer.ask(*one.sync({one.id: "aa"}, protocol_name="sticky"))
    k.ask(*describe(group))


@case
def vote_with_a_new_member_that_narrows_it(k: Talk) -> None:
    group = k.group()
    one = Member(k, group, 1, protocols={"sticky": "11", "range": "12"})
    completing(k, one)
    one.do_sync()
    two = Member(k, group, 2, protocols={"range": "22", "roundrobin": "23"})
    two.get_id()
    two.peer.park(*two.join())
    one.peer.ask(*one.join(), keep=in_order)
    two.joined(two.peer.receive())
    k.ask(*describe(group), keep=groups_in_order)


@case
def vote_is_not_shown_before_the_group_is_stable(k: Talk) -> None:
    group = k.group()
    one = Member(k, group, 1, protocols={"sticky": "11", "range": "12"})
    completing(k, one)
    k.ask(*describe(group))
    one.do_sync()
    k.ask(*describe(group))
    one.peer.ask(*one.leave())
    k.ask(*describe(group))
