"""Many requests on one connection: their order, what blocks them, and the effect of closing it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.conformance.build import Request, commit, fetch_offsets, heartbeat, join, sync
from tests.conformance.build_data import batch, fetch, list_offsets, produce
from tests.conformance.case import Fields, Peer, Talk, case
from tests.conformance.members import (
    Member,
    described,
    some,
    some_completing,
    some_stable,
    wait_for_members,
)
from tests.wire import header, sized

NOT_SERVED = sized(header(999, 0))


def codes(response: Fields) -> Any:
    """keep= of a commit: the error codes."""
    return [p["ErrorCode"] for topic in response["Topics"] for p in topic["Partitions"]]


def offset(response: Fields) -> Any:
    """keep= of an OffsetFetch of one partition."""
    return response["Groups"][0]["Topics"][0]["Partitions"][0]["CommittedOffset"]


def latest(response: Fields) -> Any:
    """keep= of a ListOffsets of one partition."""
    found = response["Topics"][0]["Partitions"][0]
    return [found["ErrorCode"], found["Offset"]]


def error(response: Fields) -> Any:
    return response["ErrorCode"]


def sends_at_once(peer: Peer, *requests: tuple[str, int, Fields], and_then: bytes = b"") -> None:
    """Send all requests in one piece, so that the broker has them before its first response."""
    data = b""
    for request in requests:
        data += peer.frame(*request)
        peer.expect(*request[:2])
    peer.send_raw(data + and_then)


def a_parked_join(k: Talk) -> tuple[Member, Member]:
    """Return a stable member and one with a pending id, whose join has to wait for the first."""
    (one,) = some_stable(k, 1)
    two = Member(k, one.group, 2)
    two.get_id()
    return one, two


@case
def pipelined_commits_are_answered_in_their_order(k: Talk) -> None:
    group, topic = k.group(), k.topic()
    wanted = fetch_offsets(group, {topic: [0]})
    requests = [commit(group, {topic: {0: n}}, version=2 + n % 8) for n in range(20)]
    sends_at_once(k, *requests, wanted)
    for _ in requests:
        k.receive(codes)
    k.receive(offset)


@case
def pipelined_requests_see_what_those_before_them_did(k: Talk) -> None:
    group, topic = k.group(), k.topic()
    wanted = fetch_offsets(group, {topic: [0]})
    sends_at_once(
        k,
        wanted,
        commit(group, {topic: {0: 5}}),
        wanted,
        ("OffsetDelete", 0, {"GroupId": group, "Topics": [{"Name": topic, "Partitions": [{}]}]}),
        wanted,
        commit(group, {topic: {0: 6}}),
        ("DeleteGroups", 2, {"GroupsNames": [group]}),
        wanted,
        commit(group, {topic: {0: 7}}, member="m", generation=1),
    )
    for keep in (offset, codes, offset, None, offset, codes, None, offset, codes):
        k.receive(keep)


@case
def pipelined_produces_and_reads(k: Talk) -> None:
    topic = k.topic()
    ask = list_offsets({topic: {0: -1}})
    sends_at_once(k, ask, produce({topic: {0: batch()}}), ask, produce({topic: {0: batch()}}, acks=1), ask)
    for keep in (latest, None, latest, None, latest):
        k.receive(keep)


@case
def pipelined_requests_of_mixed_kinds_and_versions(k: Talk) -> None:
    group, topic = k.group(), k.topic()
    sends_at_once(
        k,
        ("ApiVersions", 3, {"ClientSoftwareName": "a", "ClientSoftwareVersion": "1"}),
        heartbeat(group, "m", 1, version=0),
        ("ApiVersions", 0, {}),
        heartbeat(group, "m", 1, version=4),
        produce({topic: {0: batch()}}),
        fetch_offsets(group, {topic: [0]}),
        fetch({topic: {0: 0}}, version=12),
        ("FindCoordinator", 2, {"Key": group}),
        heartbeat(group, "m", 1, version=3),
    )
    for keep in (error, error, error, error, None, offset, error, error, error):
        k.receive(keep)


@case
def pipelined_whole_life_of_a_member(k: Talk) -> None:
    """Each request relies on the response before it, as far as it can be predicted."""
    group, topic = k.group(), k.topic()
    member = k.do(*join(group))["MemberId"]
    who: dict[str, Any] = {"member": member, "generation": 1}
    sends_at_once(
        k,
        join(group, member),
        commit(group, {topic: {0: 4}}, **who),
        sync(group, member, 1, {member: "00"}),
        commit(group, {topic: {0: 5}}, **who),
        heartbeat(group, member, 1),
        ("LeaveGroup", 5, {"GroupId": group, "Members": [{"MemberId": member}]}),
        commit(group, {topic: {0: 6}}, **who),
        fetch_offsets(group, {topic: [0]}),
    )
    for keep in (error, codes, error, codes, error, error, codes, offset):
        k.receive(keep)


@case
def pipelined_requests_wait_behind_a_join_that_is_parked(k: Talk) -> None:
    """They are not processed before it: the heartbeat finds the new generation."""
    one, two = a_parked_join(k)
    topic = k.topic()
    requests: tuple[Request, ...] = (
        two.join(),
        heartbeat(one.group, two.id, 2),
        commit(one.group, {topic: {0: 5}}),
        fetch_offsets(one.group, {topic: [0]}),
        ("ApiVersions", 0, {}),
    )
    sends_at_once(two.peer, *requests)
    wait_for_members(k, one.group, 2)
    two.peer.quiet()
    one.do_join()
    for keep in (error, error, codes, offset, error):
        two.peer.receive(keep)


@case
def pipelined_commit_behind_a_parked_join_has_not_happened(k: Talk) -> None:
    one, two = a_parked_join(k)
    simple, topic = k.group(), k.topic()
    sends_at_once(two.peer, two.join(), commit(simple, {topic: {0: 5}}))
    wait_for_members(k, one.group, 2)
    k.ask(*fetch_offsets(simple, {topic: [0]}), offset)
    one.do_join()
    two.peer.receive(error)
    two.peer.receive(codes)
    k.ask(*fetch_offsets(simple, {topic: [0]}), offset)


@case
def pipelined_requests_wait_behind_a_sync_that_is_parked(k: Talk) -> None:
    one, two = some_completing(k, 2)
    topic = k.topic()
    sends_at_once(
        two.peer, two.sync(), commit(one.group, {topic: {0: 5}}, member=two.id, generation=2), two.heartbeat()
    )
    two.peer.quiet()
    one.do_sync(two)
    for keep in (error, codes, error):
        two.peer.receive(keep)


@case
def pipelined_requests_wait_behind_a_fetch_that_waits(k: Talk) -> None:
    topic, group = k.topic(), k.group()
    waiting = fetch({topic: {0: 0}}, max_wait_ms=800, min_bytes=1, version=12)
    sends_at_once(k, waiting, commit(group, {topic: {0: 5}}), ("ApiVersions", 0, {}))
    k.quiet(400)
    k.receive(error)
    k.took(700, 5000)
    k.receive(codes)
    k.receive(error)


@case
def pipelined_requests_go_on_once_a_fetch_is_released(k: Talk) -> None:
    topic, group = k.topic(), k.group()
    waiting = fetch({topic: {0: 0}}, max_wait_ms=20000, min_bytes=1, version=12)
    sends_at_once(k, waiting, commit(group, {topic: {0: 5}}), fetch_offsets(group, {topic: [0]}))
    k.quiet(300)
    k.connect().do(*produce({topic: {0: batch()}}))
    k.receive(error)
    k.receive(codes)
    k.receive(offset)
    k.took(0, 10000)


@case
def pipelined_produce_behind_a_fetch_that_waits_for_it(k: Talk) -> None:
    """The fetch blocks the produce that would complete it, so it waits until its timeout."""
    topic = k.topic()
    sends_at_once(
        k, fetch({topic: {0: 0}}, max_wait_ms=700, min_bytes=1, version=12), produce({topic: {0: batch()}})
    )
    k.receive(error)
    k.took(600, 5000)
    k.receive()


@case
def pipelined_fetches_wait_one_after_the_other(k: Talk) -> None:
    topic = k.topic()
    waiting = fetch({topic: {0: 0}}, max_wait_ms=400, min_bytes=1, version=12)
    sends_at_once(k, waiting, waiting, waiting)
    for _ in range(3):
        k.receive(error)
    k.took(1100, 6000)


@case
def pipelined_requests_of_other_connections_do_not_wait(k: Talk) -> None:
    one, two = a_parked_join(k)
    two.peer.send(*two.join())
    wait_for_members(k, one.group, 2)
    k.ask("ApiVersions", 0, {}, error)
    one.peer.ask(*heartbeat(one.group, one.id, 1), error)
    two.peer.quiet(100)
    one.do_join()
    two.peer.receive(error)


@case
def pipelined_joins_of_two_members_on_one_connection(k: Talk) -> None:
    """The first join waits for the second, which is blocked by it, until the rebalance ends."""
    (one,) = some_stable(k, 1, rebalance_ms=1500)
    two = Member(k, one.group, 2, rebalance_ms=1500)
    two.get_id()
    sends_at_once(k, two.join(), one.join())
    k.receive(lambda response: [response["ErrorCode"], response["GenerationId"]])
    k.took(1200, 8000)
    k.receive(error)


@case
def produce_without_acknowledgement_has_no_answer(k: Talk) -> None:
    """It blocks nothing: later requests see its records."""
    topic = k.topic()
    k.send_raw(k.frame(*produce({topic: {0: batch()}}, acks=0)))
    k.quiet()
    k.ask(*list_offsets({topic: {0: -1}}), latest)


@case
def produces_without_acknowledgement_among_others_leave_the_order(k: Talk) -> None:
    topic, group = k.topic(), k.group()
    silent = [k.frame(*produce({topic: {0: batch()}}, acks=0)) for _ in range(3)]
    data = silent[0]
    for request, after in (
        (list_offsets({topic: {0: -1}}), silent[1]),
        (commit(group, {topic: {0: 5}}), silent[2]),
    ):
        data += k.frame(*request)
        k.expect(*request[:2])
        data += after
    last = list_offsets({topic: {0: -1}})
    data += k.frame(*last)
    k.expect(*last[:2])
    k.send_raw(data)
    for keep in (latest, codes, latest):
        k.receive(keep)


@case
def produce_without_acknowledgement_that_fails_closes(k: Talk) -> None:
    """Earlier requests have a response, later ones do not."""
    topic, group = k.topic(), k.group()
    for version in (3, 9, 12):
        peer = k.connect()
        bad = peer.frame(*produce({k.name("missing"): {0: batch()}}, acks=0, version=version))
        before = peer.frame(*commit(group, {topic: {0: version}}))
        peer.expect("OffsetCommit", 9)
        after = peer.frame(*commit(group, {topic: {0: 77}}))
        peer.send_raw(before + bad + after)
        peer.receive(codes)
        peer.closed()
    k.ask(*fetch_offsets(group, {topic: [0]}), offset)


@case
def produce_without_acknowledgement_of_one_bad_partition_keeps_the_good(k: Talk) -> None:
    topic = k.topic()
    peer = k.connect()
    peer.send_raw(peer.frame(*produce({topic: {0: batch(), 7: batch()}}, acks=0)))
    peer.closed()
    k.ask(*list_offsets({topic: {0: -1}}), latest)


@case
def bad_frame_behind_a_commit_leaves_its_answer(k: Talk) -> None:
    """Requests are read one at a time, so a bad frame is found after earlier responses."""
    group, topic = k.group(), k.topic()
    for bad in (NOT_SERVED, b"\xff\xff\xff\xff", sized(b""), sized(header(12, 99)), sized(header(12, 0))):
        peer = k.connect()
        sends_at_once(peer, commit(group, {topic: {0: 5}}), commit(group, {topic: {0: 6}}), and_then=bad)
        peer.receive(codes)
        peer.receive(codes)
        peer.closed()


@case
def bad_frame_behind_a_produce_leaves_its_answer(k: Talk) -> None:
    topic = k.topic()
    sends_at_once(k, produce({topic: {0: batch()}}), and_then=NOT_SERVED)
    k.receive()
    k.closed()


@case
def bad_frame_behind_a_create_topics_leaves_its_answer(k: Talk) -> None:
    name = k.name("made")
    topic = {"Name": name, "NumPartitions": 1, "ReplicationFactor": 1}
    sends_at_once(k, ("CreateTopics", 7, {"Topics": [topic], "timeoutMs": 30000}), and_then=NOT_SERVED)
    k.receive(lambda response: response["Topics"][0]["ErrorCode"])
    k.closed()


@case
def bad_frame_behind_a_parked_join_is_seen_when_that_is_answered(k: Talk) -> None:
    one, two = a_parked_join(k)
    sends_at_once(two.peer, two.join(), and_then=NOT_SERVED)
    wait_for_members(k, one.group, 2)
    two.peer.quiet()
    one.do_join()
    two.peer.receive(error)
    two.peer.closed()
    k.keep("members", len(described(k, one.group)["Members"]))


@case
def bad_frame_behind_a_fetch_that_waits(k: Talk) -> None:
    topic = k.topic()
    sends_at_once(k, fetch({topic: {0: 0}}, max_wait_ms=600, min_bytes=1, version=12), and_then=NOT_SERVED)
    k.quiet(300)
    k.receive(error)
    k.took(500, 5000)
    k.closed()


@case
def bad_frame_before_good_ones_ends_all(k: Talk) -> None:
    group, topic = k.group(), k.topic()
    peer = k.connect()
    good = peer.frame(*commit(group, {topic: {0: 5}}))
    peer.send_raw(NOT_SERVED + good)
    peer.closed()
    k.ask(*fetch_offsets(group, {topic: [0]}), offset)


@case
def frame_cut_between_two_writes(k: Talk) -> None:
    group, topic = k.group(), k.topic()
    wanted = fetch_offsets(group, {topic: [0]})
    sends_at_once(k, commit(group, {topic: {0: 5}}))
    second = k.frame(*wanted)
    k.send_raw(second[:3])
    k.receive(codes)
    k.quiet(100)
    k.send_raw(second[3:])
    k.expect(*wanted[:2])
    k.receive(offset)


@case
def correlation_ids_are_given_back_as_they_came(k: Talk) -> None:
    """They may be in any order and repeat."""
    head = header(18, 0)
    ids = (0, -1, 2**31 - 1, -(2**31), 7, 7, 3)
    k.send_raw(
        b"".join(sized(head[:4] + number.to_bytes(4, "big", signed=True) + head[8:]) for number in ids)
    )
    for _ in ids:
        k.keep("id", k.frame_or_fate()[:8])


@case
def client_ids_may_change_on_a_connection(k: Talk) -> None:
    members = []
    for client_id in ("first", "second", None, "", "first"):
        k.client_id = client_id
        group = k.group()
        response = k.do(*join(group, version=3))
        members.append(response["MemberId"])
        k.keep("client ids", [each["ClientId"] for each in described(k, group)["Members"]])
    k.keep("member ids", members)


@case
def half_closed_connection_gets_its_answers(k: Talk) -> None:
    """The client has sent everything and waits for the responses."""
    group, topic = k.group(), k.topic()
    peer = k.connect()
    sends_at_once(peer, commit(group, {topic: {0: 5}}), commit(group, {topic: {0: 6}}))
    peer.say_no_more()
    peer.receive(codes)
    peer.receive(codes)
    peer.closed()
    k.ask(*fetch_offsets(group, {topic: [0]}), offset)


@case
def half_closed_connection_gets_the_answer_of_a_parked_join(k: Talk) -> None:
    one, two = a_parked_join(k)
    sends_at_once(two.peer, two.join(), heartbeat(one.group, two.id, 2))
    two.peer.say_no_more()
    wait_for_members(k, one.group, 2)
    two.peer.quiet()
    one.do_join()
    two.peer.receive(error)
    two.peer.receive(error)
    two.peer.closed()


@case
def half_closed_connection_gets_the_answer_of_a_fetch_that_waits(k: Talk) -> None:
    topic = k.topic()
    peer = k.connect()
    sends_at_once(
        peer, fetch({topic: {0: 0}}, max_wait_ms=700, min_bytes=1, version=12), ("ApiVersions", 0, {})
    )
    peer.say_no_more()
    peer.quiet(300)
    peer.receive(error)
    peer.took(600, 5000)
    peer.receive(error)
    peer.closed()


@case
def half_closed_connection_gets_the_answer_of_a_produce(k: Talk) -> None:
    topic = k.topic()
    peer = k.connect()
    sends_at_once(peer, produce({topic: {0: batch()}}))
    peer.say_no_more()
    peer.receive()
    peer.closed()


@case
def half_closed_connection_without_a_request_is_closed(k: Talk) -> None:
    peer = k.connect()
    peer.say_no_more()
    peer.closed()


@case
def half_closed_connection_within_a_frame_is_closed(k: Talk) -> None:
    group, topic = k.group(), k.topic()
    for cut in (2, 4, 9, -1):
        peer = k.connect()
        peer.send_raw(peer.frame(*commit(group, {topic: {0: 5}}))[:cut])
        peer.say_no_more()
        peer.closed()
    peer = k.connect()
    half = sized(b"x" * 50)[:20]
    sends_at_once(peer, commit(group, {topic: {0: 6}}), and_then=half)
    peer.say_no_more()
    peer.receive(codes)
    peer.closed()


@case
def half_closed_connection_after_a_produce_without_acknowledgement(k: Talk) -> None:
    topic = k.topic()
    peer = k.connect()
    peer.send_raw(peer.frame(*produce({topic: {0: batch()}}, acks=0)))
    peer.say_no_more()
    peer.closed()
    k.ask(*list_offsets({topic: {0: -1}}), latest)


def _gone_while_parked(k: Talk, go: Callable[[Peer], None]) -> None:
    one, two = a_parked_join(k)
    two.peer.send(*two.join())
    wait_for_members(k, one.group, 2)
    go(two.peer)
    one.peer.send(*one.join())
    one.joined(
        one.peer.receive(
            lambda response: [response["ErrorCode"], response["GenerationId"], len(response["Members"])]
        )
    )
    k.keep("members", len(described(k, one.group)["Members"]))
    k.ask(*heartbeat(one.group, two.id, 2), error)


@case
def member_whose_connection_is_closed_while_its_join_is_parked_stays(k: Talk) -> None:
    """The member has joined and may continue on another connection."""
    _gone_while_parked(k, lambda peer: peer.close())


@case
def member_whose_connection_is_cut_while_its_join_is_parked_stays(k: Talk) -> None:
    _gone_while_parked(k, lambda peer: peer.cut())


@case
def member_whose_connection_is_closed_while_its_sync_is_parked_stays(k: Talk) -> None:
    one, two = some_completing(k, 2)
    two.peer.park(*two.sync(), ms=200)
    two.peer.cut()
    one.do_sync(two)
    k.ask(*heartbeat(one.group, two.id, 2), error)
    k.ask(*sync(one.group, two.id, 2), error)


@case
def member_may_join_again_on_another_connection_while_its_join_is_parked(k: Talk) -> None:
    one, two = a_parked_join(k)
    two.peer.send(*two.join())
    wait_for_members(k, one.group, 2)
    other = k.connect()
    other.park(*two.join(), ms=200)
    one.do_join()
    other.receive(error)


@case
def member_of_a_closed_connection_lives_on(k: Talk) -> None:
    (one,) = some_stable(k, 1)
    one.peer.close()
    k.ask(*heartbeat(one.group, one.id, 1), error)
    k.keep("state", described(k, one.group)["GroupState"])


@case
def commit_sent_before_the_connection_is_closed_is_kept(k: Talk) -> None:
    group, topic = k.group(), k.topic()
    peer = k.connect()
    peer.send(*commit(group, {topic: {0: 5}}))
    peer.close()
    k.until(lambda: k.do(*fetch_offsets(group, {topic: [0]})), lambda response: offset(response) == 5)
    k.ask(*fetch_offsets(group, {topic: [0]}), offset)


@case
def one_connection_may_speak_for_many_groups(k: Talk) -> None:
    topic = k.topic()
    members = [member for _ in range(3) for member in some(k, 1)]
    for member in members:
        member.get_id()
    sends_at_once(k, *[member.join() for member in members])
    for member in members:
        member.joined(k.receive(lambda response: [response["ErrorCode"], response["GenerationId"]]))
    sends_at_once(k, *[member.sync({member.id: "00"}) for member in members])
    for _ in members:
        k.receive(error)
    sends_at_once(k, *[commit(m.group, {topic: {0: 5}}, member=m.id, generation=1) for m in members])
    for _ in members:
        k.receive(codes)


@case
def hundred_requests_in_flight(k: Talk) -> None:
    group, topic = k.group(), k.topic()
    sends_at_once(k, *[commit(group, {topic: {0: n}}) for n in range(100)])
    k.keep("answers", sum(codes(k.take()) == [0] for _ in range(100)))
    k.ask(*fetch_offsets(group, {topic: [0]}), offset)


@case
def thousand_requests_in_flight_and_a_slow_reader(k: Talk) -> None:
    """The broker does not read them all: the rest waits in the socket."""
    group = k.group()
    sends_at_once(k, *[heartbeat(group, "m", 1) for _ in range(1000)])
    k.keep("answers", sum(k.take()["ErrorCode"] == 25 for _ in range(1000)))


@case
def join_then_leave_pipelined_by_a_pending_member(k: Talk) -> None:
    """The leave waits for the join, which completes at once in a group without other members."""
    (one,) = some(k, 1)
    one.get_id()
    sends_at_once(one.peer, one.join(), one.leave(), one.join())
    one.peer.receive(lambda response: [response["ErrorCode"], response["GenerationId"]])
    one.peer.receive(error)
    one.peer.receive(error)
