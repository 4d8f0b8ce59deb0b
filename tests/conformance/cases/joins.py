"""JoinGroup: who may join, which errors have precedence, and which joins have an immediate response."""

from __future__ import annotations

from typing import Any

from tests.conformance.build import commit, fetch_offsets, heartbeat, join, leave, sync
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

FULL_AT_TWO = {"group.max.size": "2"}


@case(versions=range(10))
def join_of_a_new_group(k: Talk, version: int) -> None:
    """Since version 4 the first response carries a member id only."""
    group = k.group()
    response = k.ask(*join(group, protocols={"range": "01"}, version=version))
    if version >= 4:
        k.ask(*join(group, response["MemberId"], protocols={"range": "01"}, version=version))
    k.ask(*describe(group))


@case(versions=range(10))
def join_by_an_unknown_member(k: Talk, version: int) -> None:
    k.ask(*join(k.group(), "nobody", version=version))


@case(versions=range(4, 10))
def join_of_a_group_with_members_is_given_an_id_first(k: Talk, version: int) -> None:
    """This starts no rebalance."""
    (one,) = some_stable(k, 1)
    k.ask(*join(one.group, version=version))
    one.peer.ask(*one.heartbeat())
    k.ask(*describe(one.group))


@case(versions=range(4))
def join_of_a_group_with_members_without_an_id(k: Talk, version: int) -> None:
    (one,) = some_stable(k, 1)
    two = Member(k, one.group, 2)
    two.peer.park(*two.join(version=version))
    one.peer.ask(*one.heartbeat())
    one.peer.ask(*one.join(version=version), keep=in_order)
    two.peer.receive()


@case(versions=range(10))
def join_of_a_follower_and_of_the_leader(k: Talk, version: int) -> None:
    """Only the leader receives the list of members."""
    one, two = some_stable(k, 2)
    two.peer.park(*two.join(protocols={"range": "f2"}, version=version))
    one.peer.ask(*one.join(version=version), keep=in_order)
    two.peer.receive()


@case(versions=range(7, 10))
def join_answer_names_the_protocol_type(k: Talk, version: int) -> None:
    (one,) = some(k, 1, protocol_type="connect", protocols={"sessioned": "00"})
    one.get_id()
    one.peer.ask(*one.join(version=version))


@case
def join_without_a_group_id(k: Talk) -> None:
    k.group()
    k.ask(*join("", version=0))
    k.ask(*join("", version=9))
    k.ask(*join("", "somebody", version=5))


@case
def join_without_a_group_id_and_with_a_bad_session_timeout(k: Talk) -> None:
    k.group()
    k.ask(*join("", "somebody", session_ms=1))


@case
def join_with_a_bad_session_timeout(k: Talk) -> None:
    group = k.group()
    for session_ms in (499, 1_800_001, 0, -1, -(2**31), 2**31 - 1):
        k.ask(*join(group, session_ms=session_ms))
    k.ask(*describe(group))


@case
def join_with_the_least_and_the_longest_session_timeout(k: Talk) -> None:
    k.ask(*join(k.group(), session_ms=500))
    k.ask(*join(k.group(), session_ms=1_800_000))


@case
def join_with_a_bad_session_timeout_by_an_unknown_member(k: Talk) -> None:
    k.ask(*join(k.group(), "nobody", session_ms=499))


@case
def join_with_a_bad_session_timeout_and_no_protocols(k: Talk) -> None:
    k.ask(*join(k.group(), session_ms=499, protocols={}))


@case
def join_by_an_unknown_member_makes_no_group(k: Talk) -> None:
    group = k.group()
    k.ask(*join(group, "nobody"))
    k.ask(*describe(group))


@case
def join_without_protocols(k: Talk) -> None:
    """The join is refused, but the group exists afterwards."""
    group = k.group()
    k.ask(*join(group, protocols={}))
    k.ask(*describe(group))
    k.ask(*join(group, protocols={}, version=3))


@case
def join_without_a_protocol_type(k: Talk) -> None:
    group = k.group()
    k.ask(*join(group, protocol_type=""))
    k.ask(*describe(group))


@case
def join_without_protocols_by_an_unknown_member(k: Talk) -> None:
    """In an unknown group the member is checked first, in a known group the protocols."""
    group = k.group()
    k.ask(*join(group, "nobody", protocols={}))
    k.do(*join(group))
    k.ask(*join(group, "nobody", protocols={}))
    k.ask(*join(group, "nobody"))


@case
def join_with_another_protocol_type(k: Talk) -> None:
    (one,) = some_stable(k, 1)
    k.ask(*join(one.group, protocol_type="connect"))
    k.ask(*join(one.group, protocol_type="connect", version=3))
    k.ask(*join(one.group, protocol_type=""))
    k.ask(*join(one.group, protocol_type="Consumer"))
    one.peer.ask(*one.heartbeat())


@case
def join_without_a_common_protocol(k: Talk) -> None:
    (one,) = some_stable(k, 1)
    k.ask(*join(one.group, protocols={"sticky": ""}))
    k.ask(*join(one.group, protocols={"Range": ""}))
    k.ask(*join(one.group, protocols={}))
    k.ask(*join(one.group, protocols={"sticky": ""}, version=3))
    k.ask(*join(one.group, protocols={"sticky": ""}, instance="i"))
    one.peer.ask(*one.heartbeat())


@case
def join_without_a_common_protocol_by_an_unknown_member(k: Talk) -> None:
    (one,) = some_stable(k, 1)
    k.ask(*join(one.group, "nobody", protocols={"sticky": ""}))
    k.ask(*join(one.group, "nobody", protocol_type="connect", instance="i"))
    k.ask(*join(one.group, "nobody"))


@case
def join_of_a_member_that_gives_up_the_common_protocol(k: Talk) -> None:
    """The member's previous protocols count, even if it is the only member."""
    (one,) = some_stable(k, 1)
    one.peer.ask(*one.join(protocols={"sticky": ""}))
    one.peer.ask(*one.join(protocol_type="connect"))
    one.peer.ask(*one.heartbeat())


@case
def join_with_an_empty_protocol_name(k: Talk) -> None:
    (one,) = some(k, 1, protocols={"": "01"})
    one.get_id()
    one.peer.ask(*one.join())
    one.peer.ask(*one.join(version=6))
    one.peer.ask(*describe(one.group))


@case
def join_in_an_unknown_generation_is_accepted(k: Talk) -> None:
    """JoinGroup has no generation: a member of an old generation simply joins the next one."""
    one, two = some_stable(k, 2)
    one.peer.park(*one.join())
    two.peer.ask(*two.join())
    one.peer.receive(in_order)


@case
def join_with_a_rebalance_timeout_of_zero(k: Talk) -> None:
    """The member cannot sync in time and is removed."""
    (one,) = some(k, 1, rebalance_ms=0)
    one.get_id()
    one.peer.ask(*one.join())
    wait_for_state(k, one.group, "Empty")
    k.ask(*describe(one.group))


@case
def join_with_a_negative_rebalance_timeout(k: Talk) -> None:
    (one,) = some(k, 1, rebalance_ms=-1)
    one.get_id()
    one.peer.ask(*one.join())
    wait_for_state(k, one.group, "Empty")
    k.ask(*describe(one.group))


@case
def join_names_the_member_after_its_client(k: Talk) -> None:
    for client_id in ("", "a b", "ünï", "x" * 200):
        peer = k.connect(client_id)
        peer.ask(*join(k.group()))
        peer.ask(*join(k.group(), version=0))


@case(versions=(3, 9))
def join_by_a_client_whose_name_leaves_just_enough_for_a_member_id(k: Talk, version: int) -> None:
    (one,) = some(k, 1, version=version)
    one.peer = k.connect("c" * 32_730)
    one.get_id()
    k.keep("member id", len(one.joined(one.peer.do(*one.join()))["MemberId"]))
    k.keep("sync", one.peer.do(*one.sync({one.id: "aa"}))["ErrorCode"])
    k.keep("members", len(k.do(*describe(one.group))["Groups"][0]["Members"]))


@case(versions=(4, 9))
def join_by_a_client_whose_name_leaves_no_room_for_a_member_id(k: Talk, version: int) -> None:
    group = k.group()
    for client_id in ("c" * 32_731, "c" * 32_767):
        k.connect(client_id).ask(*join(group, version=version))
        k.ask(*describe(group))


@case(versions=(0, 3), differs="Names that no response can quote")
def join_at_once_by_a_client_whose_name_leaves_no_room_for_a_member_id(k: Talk, version: int) -> None:
    group = k.group()
    k.connect("c" * 32_731).ask(*join(group, version=version))
    k.ask(*describe(group))


@case(differs="Names that no response can quote")
def static_join_with_an_instance_id_that_leaves_no_room_for_a_member_id(k: Talk) -> None:
    group = k.group()
    k.ask(*join(group, instance="i" * 32_731))
    k.ask(*describe(group))


@case
def join_by_a_client_without_a_name(k: Talk) -> None:
    peer = k.connect(None)
    group = k.group()
    peer.ask(*join(group))
    peer.ask(*join(group, version=2))
    peer.ask(*describe(group))


@case
def join_gives_its_reason(k: Talk) -> None:
    (one,) = some(k, 1)
    one.get_id()
    one.peer.ask(*one.join(version=8, reason="tired"))
    one.peer.ask(*one.join(version=8, reason=""))
    one.peer.ask(*one.join(version=9, reason="x" * 300))


@case
def join_of_a_group_with_a_long_name(k: Talk) -> None:
    k.group()
    for length in (1000, 30000):
        one = Member(k, k.name("x" * length))
        one.get_id()
        one.joined(one.peer.ask(*one.join()))
        one.peer.ask(*one.sync({one.id: "aa"}))
        one.peer.ask(*one.heartbeat())


@case
def join_with_a_long_instance_id(k: Talk) -> None:
    (one,) = some(k, 1, instance="i" * 20000)
    one.joined(one.peer.do(*one.join()))
    one.peer.ask(*one.sync({one.id: "aa"}))
    one.peer.ask(*one.heartbeat())


@case
def join_with_a_long_protocol_type_and_name(k: Talk) -> None:
    (one,) = some(k, 1, protocol_type="t" * 5000, protocols={"p" * 5000: "01"})
    one.get_id()
    response = one.joined(one.peer.do(*one.join()))
    k.keep("lengths", [len(response["ProtocolType"]), len(response["ProtocolName"])])
    k.keep("sync", one.peer.do(*one.sync({one.id: "aa"}))["ErrorCode"])


@case
def join_with_large_metadata(k: Talk) -> None:
    one, two = some(k, 2, protocols={"range": "00" * 100_000})
    completing(k, one, two)
    response = one.joined(one.peer.do(*one.join()))
    k.keep("metadata bytes", [len(member["Metadata"]) // 2 for member in response["Members"]])


@case
def join_with_many_protocols(k: Talk) -> None:
    (one,) = some(k, 1, protocols={f"p{number}": "00" for number in range(100)})
    one.get_id()
    one.peer.ask(*one.join())


@case(differs="A protocol that a member names twice")
def join_with_a_protocol_twice(k: Talk) -> None:
    group = k.group()
    protocols = [{"Name": "range", "Metadata": "01"}, {"Name": "range", "Metadata": "02"}]
    fields: dict[str, Any] = {**join(group, version=3)[2], "Protocols": protocols}
    k.send("JoinGroup", 3, fields)
    k.quiet(1000)


@case(differs="Metadata that does not parse")
def join_with_a_subscription_longer_than_its_bytes(k: Talk) -> None:
    k.send(*join(k.group(), protocols={"range": "00007fffffff"}, version=3))
    k.quiet(1000)


@case
def join_with_a_subscription_that_ends_too_early(k: Talk) -> None:
    for metadata in ("", "00", "0000", "000000", "00000000", "00000000000100"):
        k.ask(*join(k.group(), protocols={"range": metadata}, version=3))


@case
def join_with_a_subscription_that_goes_on(k: Talk) -> None:
    """The subscription has any version, also a negative one, and trailing bytes."""
    for version in ("0000", "0001", "0003", "0063", "ffff"):
        k.ask(*join(k.group(), protocols={"range": f"{version}00000001000161ffffffff0000beef"}, version=3))


@case
def join_with_metadata_of_another_protocol_type_is_not_read(k: Talk) -> None:
    metadata = {"range": "00007fffffff"}
    k.ask(*join(k.group(), protocols=metadata, protocol_type="connect", version=3))


@case
def pending_id_of_another_group(k: Talk) -> None:
    group = k.group()
    member = k.do(*join(k.group()))["MemberId"]
    k.do(*join(group))
    k.ask(*join(group, member))


@case
def pending_id_with_an_instance_id(k: Talk) -> None:
    (one,) = some(k, 1)
    one.get_id()
    one.peer.ask(*one.join(instance="i"))
    one.peer.ask(*describe(one.group))
    one.peer.ask(*one.join())


@case
def pending_id_of_the_wrong_protocol(k: Talk) -> None:
    (one,) = some_stable(k, 1)
    two = Member(k, one.group, 2)
    two.get_id()
    two.peer.ask(*two.join(protocols={"sticky": ""}))
    two.peer.ask(*two.join(protocols={}))
    two.peer.ask(*two.join(protocol_type="connect"))


@case
def pending_id_before_version_four(k: Talk) -> None:
    """An id that a newer version returned is valid in every version."""
    (one,) = some(k, 1)
    one.get_id()
    one.peer.ask(*one.join(version=2))


@case
def pending_id_may_bring_other_protocols(k: Talk) -> None:
    (one,) = some(k, 1)
    one.get_id()
    one.peer.ask(*one.join(protocols={"sticky": "07"}, protocol_type="connect"))
    one.peer.ask(*describe(one.group))


@case
def pending_id_is_no_member(k: Talk) -> None:
    (one,) = some(k, 1)
    one.get_id()
    one.generation = 0
    one.peer.ask(*one.heartbeat())
    one.peer.ask(*one.sync())
    one.peer.ask(*describe(one.group))
    topic = k.topic()
    one.peer.ask(*commit(one.group, {topic: {0: 1}}, member=one.id, generation=0))


@case
def pending_id_of_a_stranger_holds_a_rebalance_up(k: Talk) -> None:
    """The rebalance waits until the pending id expires, after its session timeout."""
    (one,) = some_stable(k, 1)
    stranger = k.do(*join(one.group, session_ms=1500))["MemberId"]
    one.peer.send(*one.join())
    one.peer.receive(in_order)
    one.peer.took(700, 4000)
    k.ask(*join(one.group, stranger))


@case
def pending_id_that_leaves_ends_the_wait_for_it(k: Talk) -> None:
    (one,) = some_stable(k, 1)
    stranger = k.do(*join(one.group))["MemberId"]
    one.peer.park(*one.join())
    k.ask(*leave(one.group, stranger))
    one.peer.receive(in_order)
    k.ask(*join(one.group, stranger))


@case
def pending_ids_hold_the_first_rebalance_up(k: Talk) -> None:
    """One of two pending ids joins. After the initial delay, it need not wait for the other."""
    one, two = some(k, 2)
    one.get_id()
    two.get_id()
    one.peer.ask(*one.join())
    two.peer.park(*two.join())
    one.peer.ask(*one.join(), keep=in_order)
    two.peer.receive()


@case
def rejoin_unchanged_of_a_follower_while_completing(k: Talk) -> None:
    _, two = some_completing(k, 2)
    two.peer.ask(*two.join())
    two.peer.ask(*two.join(version=6))
    two.peer.ask(*two.join(version=0))


@case
def rejoin_unchanged_of_the_leader_while_completing(k: Talk) -> None:
    one, two = some_completing(k, 2)
    one.peer.ask(*one.join(), keep=in_order)
    one.peer.ask(*one.join(version=6), keep=in_order)
    two.peer.ask(*two.heartbeat())


@case
def rejoin_changed_while_completing(k: Talk) -> None:
    """It starts the next rebalance: members that wait in SyncGroup must rejoin."""
    one, two = some_completing(k, 2)
    two.peer.park(*two.sync())
    one.peer.send(*one.join(protocols={"range": "f1"}))
    two.peer.receive()
    one.peer.quiet()
    two.peer.ask(*two.join())
    one.peer.receive(in_order)


@case
def rejoin_unchanged_of_a_follower_in_stable(k: Talk) -> None:
    _, two = some_stable(k, 2)
    for version in range(10):
        two.peer.ask(*two.join(version=version))


@case
def rejoin_unchanged_of_the_leader_in_stable(k: Talk) -> None:
    """A leader rejoins without changes in order to assign the partitions again."""
    one, two = some_stable(k, 2)
    one.peer.park(*one.join())
    two.peer.ask(*two.heartbeat())
    k.ask(*describe(one.group), keep=groups_in_order)
    two.peer.ask(*two.join())
    one.peer.receive(in_order)


@case
def rejoin_of_a_follower_with_other_metadata(k: Talk) -> None:
    one, two = some_stable(k, 2)
    two.peer.park(*two.join(protocols={"range": "f2"}))
    one.peer.ask(*one.heartbeat())
    one.peer.ask(*one.join(), keep=in_order)
    two.peer.receive()


@case
def rejoin_of_a_follower_with_other_metadata_of_a_protocol_that_was_not_chosen(k: Talk) -> None:
    """This counts as a change, too."""
    group = k.group()
    one = Member(k, group, 1, protocols={"range": "01", "sticky": "11"})
    two = Member(k, group, 2, protocols={"range": "02", "sticky": "12"})
    stable(k, one, two)
    two.peer.park(*two.join(protocols={"range": "02", "sticky": "ff"}))
    one.peer.ask(*one.join(), keep=in_order)
    two.peer.receive()


@case
def rejoin_of_a_follower_with_a_protocol_less(k: Talk) -> None:
    group = k.group()
    one = Member(k, group, 1, protocols={"range": "01", "sticky": "11"})
    two = Member(k, group, 2, protocols={"range": "02", "sticky": "12"})
    stable(k, one, two)
    two.peer.park(*two.join(protocols={"sticky": "12"}))
    one.peer.ask(*one.join(), keep=in_order)
    two.peer.receive()


@case
def rejoin_during_a_rebalance_with_what_nobody_supports(k: Talk) -> None:
    """The join is refused, and the group still waits for the member."""
    one, two = some_stable(k, 2)
    one.peer.park(*one.join())
    two.peer.ask(*two.join(protocols={"sticky": ""}))
    two.peer.ask(*two.join(protocol_type="connect"))
    one.peer.quiet()
    two.peer.ask(*two.join())
    one.peer.receive(in_order)


@case
def rejoin_of_the_leader_while_completing_with_other_timeouts(k: Talk) -> None:
    """Other timeouts do not count as a change."""
    one, two = some_completing(k, 2)
    one.peer.ask(*one.join(session_ms=20000, rebalance_ms=600), keep=in_order)
    two.peer.ask(*two.heartbeat())


@case
def rejoin_of_a_follower_with_a_protocol_more(k: Talk) -> None:
    one, two = some_stable(k, 2)
    two.peer.park(*two.join(protocols={"range": "02", "sticky": ""}))
    one.peer.ask(*one.join(), keep=in_order)
    two.peer.receive()


@case
def rejoin_of_a_follower_with_its_protocols_in_another_order(k: Talk) -> None:
    group = k.group()
    one = Member(k, group, 1, protocols={"range": "01", "sticky": "11"})
    two = Member(k, group, 2, protocols={"range": "02", "sticky": "12"})
    stable(k, one, two)
    two.peer.ask(*two.join())
    two.peer.park(*two.join(protocols={"sticky": "12", "range": "02"}))
    one.peer.ask(*one.join(), keep=in_order)
    two.peer.receive()


@case
def rejoin_of_a_follower_with_other_timeouts(k: Talk) -> None:
    """Other timeouts do not count as a change."""
    one, two = some_stable(k, 2)
    two.peer.ask(*two.join(session_ms=20000, rebalance_ms=20000))
    one.peer.ask(*one.heartbeat())


@case
def rejoin_by_another_connection_and_client(k: Talk) -> None:
    """A member is identified by its id. Its client id and host stay those of the first join."""
    (one,) = some_stable(k, 1)
    other = k.connect("other")
    other.ask(*one.heartbeat())
    other.ask(*one.join())
    other.ask(*describe(one.group))


@case
def rejoin_of_a_member_with_an_instance_id_that_is_unknown(k: Talk) -> None:
    (one,) = some_stable(k, 1)
    one.peer.ask(*one.join(instance="i"))


@case
def rejoin_after_the_group_was_emptied(k: Talk) -> None:
    (one,) = some_stable(k, 1)
    one.peer.ask(*one.leave())
    one.peer.ask(*one.join())
    one.peer.ask(*describe(one.group))


@case
def second_join_takes_the_place_of_a_parked_one(k: Talk) -> None:
    """The first join never has a response."""
    one, two = some_stable(k, 2)
    one.peer.park(*one.join())
    again = k.connect()
    again.park(*one.join(protocols={"range": "f1"}))
    two.peer.ask(*two.join())
    again.receive(in_order)
    one.peer.quiet()


@case
def parked_joins_are_answered_each_in_its_version(k: Talk) -> None:
    """This includes error responses."""
    group = k.group()
    members = [Member(k, group, number) for number in range(1, 6)]
    stable(k, *members)
    first, *others = members
    for member, version in zip(others, (0, 4, 6, 8), strict=True):
        protocols = {"range": f"f{version}"}
        member.peer.park(*member.join(protocols=protocols, version=version), ms=100)
    k.ask(*leave(group, others[0].id, others[2].id))
    others[0].peer.receive()
    others[2].peer.receive()
    first.peer.ask(*first.join(version=2), keep=in_order)
    others[1].peer.receive()
    others[3].peer.receive()


@case
def parked_join_of_a_leaver(k: Talk) -> None:
    """Its response is sent before the member is removed."""
    one, two = some_stable(k, 2)
    one.peer.park(*one.join())
    k.ask(*one.leave())
    one.peer.receive()
    two.peer.ask(*two.join())


@case
def parked_join_of_a_new_member_that_leaves(k: Talk) -> None:
    (one,) = some_stable(k, 1)
    two = Member(k, one.group, 2)
    two.get_id()
    two.peer.park(*two.join(version=6))
    k.ask(*two.leave())
    two.peer.receive()
    one.peer.ask(*one.join())


@case
def parked_join_of_a_connection_that_is_gone(k: Talk) -> None:
    """The member stays and belongs to the next generation."""
    (one,) = some_stable(k, 1)
    two = Member(k, one.group, 2)
    two.get_id()
    two.peer.park(*two.join())
    two.peer.cut()
    k.ask(*describe(one.group), keep=groups_in_order)
    one.peer.ask(*one.join(), keep=in_order)


@case
def two_new_members_at_once(k: Talk) -> None:
    (one,) = some_stable(k, 1)
    two, three = Member(k, one.group, 2), Member(k, one.group, 3)
    two.get_id()
    three.get_id()
    for each in (two, three):
        each.peer.park(*each.join())
    k.ask(*describe(one.group), keep=groups_in_order)
    one.peer.ask(*one.join(), keep=in_order)
    two.peer.receive()
    three.peer.receive()


@case
def join_of_a_simple_group(k: Talk) -> None:
    """The group keeps its offsets and is no longer simple."""
    group, topic = k.group(), k.topic()
    k.do(*commit(group, {topic: {0: 5}}))
    k.ask(*join(group, "nobody"))
    member = k.ask(*join(group))["MemberId"]
    k.ask(*join(group, member))
    k.ask(*fetch_offsets(group))
    k.ask(*describe(group))


@case
def group_that_was_emptied_counts_on(k: Talk) -> None:
    """Its generations are 1, 2 (when it became empty) and 3."""
    (one,) = some_stable(k, 1)
    one.peer.ask(*one.leave())
    again = Member(k, one.group)
    again.get_id()
    again.peer.ask(*again.join())


@case
def group_that_was_emptied_may_change_its_protocol_type(k: Talk) -> None:
    (one,) = some_stable(k, 1)
    one.peer.do(*one.leave())
    k.ask(*describe(one.group))
    again = Member(k, one.group, protocol_type="connect", protocols={"sessioned": "00"})
    again.get_id()
    k.ask(*describe(one.group))
    again.peer.ask(*again.join())
    k.ask(*describe(one.group))


@case
def join_of_a_deleted_group(k: Talk) -> None:
    (one,) = some_stable(k, 1)
    one.peer.do(*one.leave())
    k.do("DeleteGroups", 2, {"GroupsNames": [one.group]})
    one.peer.ask(*one.join())
    one.id = ""
    one.get_id()
    one.peer.ask(*one.join())


@case(settings=FULL_AT_TWO)
def full_group_refuses_a_new_member(k: Talk) -> None:
    """It gets no id first, whether static or dynamic."""
    one, two = some_stable(k, 2)
    for version in (0, 3, 4, 6, 9):
        k.ask(*join(one.group, version=version))
    k.ask(*join(one.group, instance="i"))
    k.ask(*join(one.group, "nobody"))
    two.peer.ask(*two.heartbeat())


@case(settings=FULL_AT_TWO)
def full_group_refuses_before_it_looks_at_protocols(k: Talk) -> None:
    one, _ = some_stable(k, 2)
    k.ask(*join(one.group, protocols={}))
    k.ask(*join(one.group, protocol_type="connect"))
    k.ask(*join(one.group, session_ms=1))


@case(settings=FULL_AT_TWO)
def full_group_that_is_completing(k: Talk) -> None:
    one, two = some_completing(k, 2)
    k.ask(*join(one.group))
    two.peer.ask(*two.join())


@case(settings=FULL_AT_TWO)
def full_group_lets_its_members_rejoin(k: Talk) -> None:
    one, two = some_stable(k, 2)
    one.peer.park(*one.join())
    two.peer.ask(*two.join())
    one.peer.receive(in_order)


@case(settings=FULL_AT_TWO, differs="A full group that rebalances")
def full_group_hands_out_ids_beyond_its_size(k: Talk) -> None:
    """Pending ids do not count. A join with one finds the group full, and the id is dropped."""
    one, two = some(k, 2)
    stable(k, one)
    three = Member(k, one.group, 3)
    two.get_id()
    three.get_id()
    two.peer.park(*two.join())
    one.peer.park(*one.join())
    three.peer.ask(*three.join())
    one.peer.quiet()
    three.peer.ask(*three.join())
    one.peer.quiet()


@case(settings=FULL_AT_TWO)
def full_group_while_a_rebalance_is_open(k: Talk) -> None:
    """Members that wait count towards the size. One that rejoins too late is removed."""
    one, two = some_stable(k, 2)
    one.peer.park(*one.join())
    three = Member(k, one.group, 3)
    three.peer.park(*three.join(version=3))
    k.ask(*join(one.group))
    two.peer.ask(*two.join())
    two.peer.ask(*two.heartbeat())


@case(settings=FULL_AT_TWO, differs="A full group that rebalances")
def full_group_that_waits_for_nobody_any_more(k: Talk) -> None:
    one, two = some_stable(k, 2)
    one.peer.park(*one.join())
    three = Member(k, one.group, 3)
    three.peer.park(*three.join(version=3))
    k.ask(*join(one.group))
    two.peer.ask(*two.join())
    one.peer.quiet()


@case(settings=FULL_AT_TWO)
def full_group_lets_a_static_member_come_back(k: Talk) -> None:
    group = k.group()
    one, two = Member(k, group, 1, instance="i1"), Member(k, group, 2, instance="i2")
    stable(k, one, two)
    k.ask(*join(group, instance="i2", protocols={"range": "02"}))


@case(settings=FULL_AT_TWO)
def full_group_that_is_empty_takes_new_ids(k: Talk) -> None:
    group = k.group()
    for _ in range(3):
        k.ask(*join(group))


@case
def heartbeat_and_sync_before_the_first_join_is_answered(k: Talk) -> None:
    """The member id is known, the generation is not."""
    (one,) = some_stable(k, 1)
    two = Member(k, one.group, 2)
    two.get_id()
    two.peer.park(*two.join())
    k.ask(*heartbeat(one.group, two.id, 0))
    k.ask(*heartbeat(one.group, two.id, 1))
    k.ask(*sync(one.group, two.id, 1))
    one.peer.ask(*one.join(), keep=in_order)
    two.peer.receive()
