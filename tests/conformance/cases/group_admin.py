"""ListGroups, DescribeGroups and DeleteGroups."""

from __future__ import annotations

from tests.conformance.build import Request, commit, fetch_offsets, join, leave
from tests.conformance.case import Fields, Keep, Talk, case
from tests.conformance.members import (
    Member,
    completing,
    describe,
    groups_in_order,
    some,
    some_completing,
    some_stable,
    stable,
)


def list_groups(
    states: list[str] | None = None, types: list[str] | None = None, *, version: int = 5
) -> Request:
    return "ListGroups", version, {"StatesFilter": states or [], "TypesFilter": types or []}


def only(*groups: str) -> Keep:
    """keep=: these groups of all listed ones, by name."""

    def cut(response: Fields) -> Fields:
        own = [each for each in response["Groups"] if each["GroupId"] in groups]
        return {**response, "Groups": sorted(own, key=lambda each: str(each["GroupId"]))}

    return cut


def delete(*groups: str, version: int = 2) -> Request:
    return "DeleteGroups", version, {"GroupsNames": list(groups)}


def of_every_state(k: Talk) -> list[str]:
    """Return groups that are pending, simple, Empty, PreparingRebalance, CompletingRebalance and Stable."""
    topic = k.topic()
    (pending,) = some(k, 1)
    pending.get_id()
    simple = k.group()
    k.do(*commit(simple, {topic: {0: 5}}))
    (empty,) = some_stable(k, 1)
    empty.peer.do(*empty.leave())
    preparing, _ = some_stable(k, 2)
    preparing.peer.park(*preparing.join())
    (complete,) = some_completing(k, 1)
    (settled,) = some_stable(k, 1)
    return [pending.group, simple, empty.group, preparing.group, complete.group, settled.group]


@case(versions=range(6))
def list_groups_of_every_state(k: Talk, version: int) -> None:
    groups = of_every_state(k)
    k.ask(*list_groups(version=version), keep=only(*groups))


@case(versions=range(4, 6))
def list_groups_by_state(k: Talk, version: int) -> None:
    groups = of_every_state(k)
    filters = (
        ["Stable"], ["Empty"], ["PreparingRebalance"], ["CompletingRebalance"], ["Dead"], ["Stable", "Empty"],
        ["Stable", "Stable"], ["STABLE"], ["stable"], [" Stable "], ["preparingrebalance"], ["Nonsense"],
        [""], ["Nonsense", "Stable"], ["Assigning"], ["Reconciling"], ["Stable,Empty"],
    )  # fmt: skip
    for states in filters:
        k.ask(*list_groups(states, version=version), keep=only(*groups))


@case
def list_groups_by_type(k: Talk) -> None:
    groups = of_every_state(k)
    filters = (
        ["classic"], ["Classic"], ["CLASSIC"], [" classic "], ["consumer"], ["classic", "consumer"],
        ["share"], ["streams"], ["unknown"], ["nonsense"], [""], ["nonsense", "classic"],
    )  # fmt: skip
    for types in filters:
        k.ask(*list_groups(types=types), keep=only(*groups))


@case
def list_groups_by_state_and_type(k: Talk) -> None:
    groups = of_every_state(k)
    k.ask(*list_groups(["Stable"], ["classic"]), keep=only(*groups))
    k.ask(*list_groups(["Stable"], ["consumer"]), keep=only(*groups))
    k.ask(*list_groups(["Nonsense"], ["classic"]), keep=only(*groups))


@case
def list_groups_tells_the_protocol_type(k: Talk) -> None:
    (one,) = some_stable(k, 1, protocol_type="connect", protocols={"sessioned": "00"})
    k.ask(*list_groups(), keep=only(one.group))
    one.peer.do(*one.leave())
    k.ask(*list_groups(), keep=only(one.group))


@case
def list_groups_with_odd_names(k: Talk) -> None:
    k.group()
    topic = k.topic()
    groups = [k.name("a b"), k.name("ünï"), k.name("x" * 200), k.name("/\\:*?")]
    for group in groups:
        k.do(*commit(group, {topic: {0: 5}}))
    k.ask(*list_groups(), keep=only(*groups))


@case
def list_groups_after_a_join_that_was_refused(k: Talk) -> None:
    group = k.group()
    k.do(*join(group, protocols={}))
    k.ask(*list_groups(), keep=only(group))


@case
def list_groups_without_what_only_was_asked_for(k: Talk) -> None:
    group = k.group()
    k.do(*describe(group))
    k.do(*fetch_offsets(group))
    k.do(*join(group, "nobody"))
    k.do(*leave(group, "nobody"))
    k.ask(*list_groups(), keep=only(group))


@case(versions=range(7))
def describe_a_stable_group(k: Talk, version: int) -> None:
    group = k.group()
    one, two = Member(k, group, 1, instance="i"), Member(k, group, 2)
    stable(k, one, two)
    k.ask(*describe(group, version=version), keep=groups_in_order)


@case(versions=range(7))
def describe_a_completing_group(k: Talk, version: int) -> None:
    one, _ = some_completing(k, 2)
    k.ask(*describe(one.group, version=version), keep=groups_in_order)


@case(versions=range(7))
def describe_a_preparing_group(k: Talk, version: int) -> None:
    one, _ = some_stable(k, 2)
    one.peer.park(*one.join())
    k.ask(*describe(one.group, version=version), keep=groups_in_order)


@case(versions=range(7))
def describe_an_empty_group(k: Talk, version: int) -> None:
    (one,) = some_stable(k, 1)
    one.peer.do(*one.leave())
    k.ask(*describe(one.group, version=version))


@case(versions=range(7))
def describe_an_unknown_group(k: Talk, version: int) -> None:
    k.ask(*describe(k.group(), version=version))


@case(versions=range(7))
def describe_a_simple_group(k: Talk, version: int) -> None:
    group, topic = k.group(), k.topic()
    k.do(*commit(group, {topic: {0: 5}}))
    k.ask(*describe(group, version=version))


@case(versions=range(3, 7))
def describe_with_what_is_allowed(k: Talk, version: int) -> None:
    (one,) = some_stable(k, 1)
    k.ask(*describe(one.group, k.name("unknown"), version=version, operations=True), keep=by_name)


def by_name(response: Fields) -> Fields:
    return {**response, "Groups": sorted(response["Groups"], key=lambda each: str(each["GroupId"]))}


@case
def describe_a_group_with_only_a_pending_id(k: Talk) -> None:
    (one,) = some(k, 1)
    one.get_id()
    k.ask(*describe(one.group))


@case
def describe_the_group_without_a_name(k: Talk) -> None:
    """Other cases may use this group, so only its name is kept."""
    k.group()
    k.ask(*describe("", version=5), keep=lambda response: response["Groups"][0]["GroupId"])


@case
def describe_no_group(k: Talk) -> None:
    k.group()
    for version in range(7):
        k.ask(*describe(version=version))


@case
def describe_a_group_twice(k: Talk) -> None:
    (one,) = some_stable(k, 1)
    k.ask(*describe(one.group, one.group))


@case
def describe_several_groups(k: Talk) -> None:
    """The response has the order of the partitions that hold the groups."""
    known = k.group()
    groups = [known, *(k.name("group") for _ in range(11))]
    k.ask(*describe(*groups), keep=names_of("Groups"))
    k.ask(*describe(*reversed(groups)), keep=names_of("Groups"))
    k.ask(*describe(*groups[::2], *groups), keep=names_of("Groups"))


@case(settings={"offsets.topic.num.partitions": "50"})
def describe_several_groups_of_fifty_partitions(k: Talk) -> None:
    known = k.group()
    groups = [known, *(k.name("group") for _ in range(60))]
    k.ask(*describe(*groups), keep=names_of("Groups"))
    k.ask(*delete(*groups), keep=names_of("Results"))
    for count in (5, 12, 13, 30):
        k.ask(*describe(*groups[:count]), keep=names_of("Groups"))


def names_of(responses: str) -> Keep:
    return lambda response: [each["GroupId"] for each in response[responses]]


@case
def describe_tells_each_member_of_its_client(k: Talk) -> None:
    group = k.group()
    one, two = Member(k, group, 1), Member(k, group, 2)
    completing(k, one, two)
    one.do_sync(two)
    other = k.connect("other client")
    other.do(*two.heartbeat())
    k.ask(*describe(group), keep=groups_in_order)


@case
def describe_shows_the_metadata_of_the_chosen_protocol(k: Talk) -> None:
    (one,) = some_stable(k, 1, protocols={"range": "01", "sticky": "02"})
    k.ask(*describe(one.group))


@case(versions=range(3))
def delete_groups_of_every_state(k: Talk, version: int) -> None:
    for group in of_every_state(k):
        k.ask(*delete(group, version=version))
        k.ask(*describe(group), keep=groups_in_order)


@case(versions=range(3))
def delete_an_unknown_group(k: Talk, version: int) -> None:
    k.ask(*delete(k.group(), version=version))


@case(versions=range(3))
def delete_no_group(k: Talk, version: int) -> None:
    k.group()
    k.ask(*delete(version=version))


@case
def delete_a_group_twice(k: Talk) -> None:
    (one,) = some_stable(k, 1)
    one.peer.do(*one.leave())
    k.ask(*delete(one.group))
    k.ask(*delete(one.group))


@case
def delete_a_group_named_twice(k: Talk) -> None:
    (one,) = some_stable(k, 1)
    one.peer.do(*one.leave())
    k.ask(*delete(one.group, one.group))
    k.ask(*delete(one.group, one.group))


@case
def delete_several_groups(k: Talk) -> None:
    """Each group has its own result, in the order of the partitions that hold them."""
    topic = k.topic()
    groups = [k.group(), *(k.name("group") for _ in range(9))]
    for group in groups[::2]:
        k.do(*commit(group, {topic: {0: 5}}))
    (one,) = some_stable(k, 1)
    groups.insert(3, one.group)
    k.ask(*delete(*groups))
    k.ask(*delete(*reversed(groups)))


@case
def delete_takes_the_offsets_along(k: Talk) -> None:
    topic = k.topic(2)
    (one,) = some_stable(k, 1)
    one.peer.do(*commit(one.group, {topic: {0: 5, 1: 6}}, member=one.id, generation=1))
    one.peer.do(*one.leave())
    k.ask(*delete(one.group))
    k.ask(*fetch_offsets(one.group, {topic: [0, 1]}))
    k.ask(*fetch_offsets(one.group))
    k.ask(*list_groups(), keep=only(one.group))


@case
def delete_and_commit_again(k: Talk) -> None:
    group, topic = k.group(), k.topic()
    k.do(*commit(group, {topic: {0: 5}}))
    k.ask(*delete(group))
    k.ask(*commit(group, {topic: {0: 7}}))
    k.ask(*describe(group))


@case
def delete_and_join_again(k: Talk) -> None:
    """The new group starts with generation 1."""
    (one,) = some_stable(k, 1)
    one.peer.do(*one.leave())
    k.ask(*delete(one.group))
    again = Member(k, one.group)
    again.get_id()
    again.peer.ask(*again.join())


@case
def delete_a_group_with_members_changes_nothing(k: Talk) -> None:
    topic = k.topic()
    (one,) = some_stable(k, 1)
    one.peer.do(*commit(one.group, {topic: {0: 5}}, member=one.id, generation=1))
    k.ask(*delete(one.group))
    one.peer.ask(*one.heartbeat())
    k.ask(*fetch_offsets(one.group))


@case
def delete_a_group_while_its_last_member_waits(k: Talk) -> None:
    one, two = some_stable(k, 2)
    one.peer.park(*one.join())
    k.ask(*delete(one.group))
    k.ask(*two.join())
    one.peer.receive(lambda response: response["ErrorCode"])


@case
def delete_the_group_of_a_name_that_nobody_has(k: Talk) -> None:
    k.group()
    for name in (k.name("a b"), k.name("x" * 1000)):
        k.ask(*delete(name))
