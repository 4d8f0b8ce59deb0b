"""Requests of hostile members of share groups: very many ranges, types, partitions and state batches.

tests/clients/test_bad_shares.py sends larger ones, and measures how long other clients wait.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from tests.conformance.build_share import (
    ACCEPT,
    ACQUIRED,
    ARCHIVED,
    AVAILABLE,
    GAP,
    REJECT,
    RELEASE,
    RENEW,
    share_acknowledge,
    share_fetch,
    share_state,
)
from tests.conformance.case import Fields, Talk
from tests.conformance.cases.share_states import Batch, State, slim
from tests.conformance.sharing import Sharer, a_sharer, filled_topic, sharers, shares, started

UNKNOWN_ID: Final = "00000000-0000-4000-8000-000000000001"
BOTH: Final = (1, 2)
RECORDS: Final = 500
MANY: Final = 90_000
PARTITIONS: Final = 2_000  # of a request, most of which do not exist
LONG_MAX: Final = 2**63 - 1
INT_MAX: Final = 2**31 - 1


def codes(response: Fields) -> Fields:
    """keep= of requests about very many partitions: show how many partitions have which error."""
    counts: dict[str, int] = {}
    for topic in response["Responses"]:
        for each in topic["Partitions"]:
            text = f"{each['ErrorCode']} {each.get('AcknowledgeErrorCode', '')} {each['ErrorMessage']}"
            counts[text] = counts.get(text, 0) + 1
    return {**response, "Responses": dict(sorted(counts.items()))}


def ask_codes(one: Sharer, build: Any, wanted: Any, **other: Any) -> None:
    response = one.peer.ask(*one.request(build, wanted, **other), keep=codes)
    one.succeeded(response, other.get("epoch", one.session))


@shares(versions=BOTH)
def hostile_ranges(k: Talk, version: int) -> None:
    """The last record was neither read nor written when the first ones were acquired."""
    topic = filled_topic(k, RECORDS)
    one = started(k, topic, version)
    for ranges in (
        [(LONG_MAX, 0, ACCEPT)],
        [(0, 9, ACCEPT), (5, 14, ACCEPT)],
        [(10, 19, ACCEPT), (0, 9, ACCEPT)],
        [(0, 9, [])],
        [(0, 9, [ACCEPT] * 9)],
        [(0, 9, [5])],
        [(0, 9, [-1])],
        [(0, LONG_MAX, ACCEPT)],
        [(-LONG_MAX - 1, LONG_MAX, ACCEPT)],
        [(LONG_MAX - 1, LONG_MAX, [ACCEPT, REJECT])],
        [(0, RECORDS, ACCEPT)],
        [(RECORDS, RECORDS + 9, ACCEPT)],
        [(0, 9, ACCEPT), (RECORDS - 1, RECORDS, REJECT)],
    ):
        one.acknowledge({topic: {0: ranges}})
    one.acknowledge({topic: {0: [(0, RECORDS - 1, ACCEPT)]}})


@shares(versions=BOTH)
def very_many_gaps(k: Talk, version: int) -> None:
    topic = filled_topic(k, RECORDS)
    one = started(k, topic, version)
    one.acknowledge({topic: {0: [(0, MANY - 1, [GAP, ACCEPT] * (MANY // 2))]}})
    one.fetch({topic: {0: [(0, MANY - 1, [GAP, ACCEPT] * (MANY // 2))]}}, max_bytes=0)
    one.acknowledge({topic: {0: [(RECORDS - 2, MANY - 1, [GAP] * (MANY - RECORDS + 2))]}})
    one.acknowledge({topic: {0: [(0, RECORDS - 1, [GAP, ACCEPT] * (RECORDS // 2))]}})


@shares
def very_many_ranges(k: Talk) -> None:
    """They are past the acquired records, or all of them are the same record."""
    topic = filled_topic(k, RECORDS)
    one = started(k, topic)
    beyond = [(RECORDS + at, RECORDS + at, ACCEPT) for at in range(20_000)]
    one.acknowledge({topic: {0: beyond}})
    one.acknowledge({topic: {0: [(0, 0, ACCEPT)] * 20_000}})
    one.acknowledge({topic: {0: [(0, 0, RELEASE)] * 2}})
    one.acknowledge({topic: {0: [(at, at, ACCEPT) for at in range(RECORDS)] + beyond[:1]}})
    one.acknowledge({topic: {0: [(0, RECORDS - 1, ACCEPT)]}})


@shares
def records_that_are_rejected_alternately(k: Talk) -> None:
    topic = filled_topic(k, RECORDS)
    one = started(k, topic)
    one.acknowledge({topic: {0: [(n, n, REJECT if n % 2 else ACCEPT) for n in range(1, RECORDS)]}})
    state = State(k, topic)
    state.group = one.group
    state.read()
    one.acknowledge({topic: {0: [(0, 0, RELEASE)]}})
    one.fetch({topic: [0]})
    one.acknowledge({topic: {0: [(0, 0, ACCEPT)]}})
    state.read()


@shares
def records_of_another_member_one_by_one(k: Talk) -> None:
    topic = filled_topic(k, RECORDS)
    one, thief = sharers(k, 2, {topic: 1})
    one.fetch_until({topic: [0]}, kept=False)
    thief.fetch({topic: [0]})
    for ranges in (
        [(0, RECORDS - 1, ACCEPT)],
        [(n, n, REJECT) for n in range(RECORDS)],
        [(0, RECORDS - 1, [RELEASE, GAP] * (RECORDS // 2))],
    ):
        thief.acknowledge({topic: {0: ranges}})
    one.acknowledge({topic: {0: [(0, RECORDS // 2, ACCEPT)]}})
    thief.acknowledge({topic: {0: [(0, RECORDS - 1, REJECT)]}})
    thief.acknowledge({topic: {0: [(0, RECORDS // 2, REJECT)]}})
    one.acknowledge({topic: {0: [(RECORDS // 2 + 1, RECORDS - 1, ACCEPT)]}})
    one.acknowledge({topic: {0: [(0, RECORDS - 1, REJECT)]}})


@shares(versions=BOTH)
def wrong_epochs_of_a_session(k: Talk, version: int) -> None:
    topic = filled_topic(k, 5)
    one = started(k, topic, version)
    right = one.session  # a broker may need one or two requests to begin
    for epoch in (-(2**31), -2, right + 1, INT_MAX):
        one.fetch({topic: [0]}, epoch=epoch)
        one.acknowledge(epoch=epoch)
        one.acknowledge({topic: {0: [(0, 4, ACCEPT)]}}, epoch=epoch)
        one.acknowledge(epoch=epoch, member="unknown")
        one.fetch({topic: {0: [(0, 4, REJECT)]}}, epoch=epoch, member="unknown")
    one.acknowledge({topic: {0: [(0, 4, ACCEPT)]}}, epoch=right)


@shares
def two_members_in_one_session(k: Talk) -> None:
    """The second one has the id of the first. It begins the session anew, and the first guesses its epoch."""
    topic = filled_topic(k, 5, batches=2)
    one = a_sharer(k, topic)
    one.fetch_until({topic: [0]}, kept=False)
    twin = Sharer(k, one.group)
    twin.peer = k.connect("twin")
    twin.fetch({topic: [0]})
    one.acknowledge({topic: {0: [(0, 4, ACCEPT)]}}, epoch=1)
    twin.fetch({topic: [0]})
    twin.fetch({topic: {0: [(5, 6, ACCEPT)]}}, epoch=2)
    one.acknowledge({topic: {0: [(7, 9, RELEASE)]}}, epoch=2)
    one.acknowledge({topic: {0: [(7, 9, RELEASE)]}}, epoch=3)
    twin.acknowledge(epoch=-1)
    one.acknowledge({topic: {0: [(7, 9, ACCEPT)]}}, epoch=4)


@shares(versions=BOTH)
def sessions_with_very_many_partitions(k: Talk, version: int) -> None:
    topic = filled_topic(k, 5)
    one = a_sharer(k, topic, version=version)
    one.fetch_until({topic: [0]}, kept=False)
    ask_codes(one, share_fetch, {topic: [*range(1, PARTITIONS)]})
    ask_codes(one, share_fetch, {})
    ask_codes(one, share_fetch, {}, forgotten={topic: [*range(1, PARTITIONS + 10)]})
    ask_codes(one, share_fetch, {}, forgotten={UNKNOWN_ID: [*range(PARTITIONS)]})
    ask_codes(one, share_acknowledge, {topic: {at: [(0, 0, ACCEPT)] for at in range(1, PARTITIONS)}})
    ask_codes(one, share_acknowledge, {UNKNOWN_ID: {at: [(0, 0, ACCEPT)] for at in range(PARTITIONS)}})
    ask_codes(one, share_fetch, {UNKNOWN_ID: [*range(PARTITIONS)]})
    ask_codes(one, share_fetch, {topic: [0]}, epoch=0)
    ask_codes(one, share_acknowledge, {topic: {0: [(0, 4, ACCEPT)]}})


@shares
def locks_are_renewed_alternately(k: Talk) -> None:
    topic = filled_topic(k, RECORDS)
    one = started(k, topic, 2)
    for _ in range(3):
        for first in (0, 1):
            ranges = [(at, at, RENEW) for at in range(first, RECORDS, 2)]
            one.acknowledge({topic: {0: ranges}}, renew=True)
    one.acknowledge({topic: {0: [(0, 0, RENEW)] * 2000}}, renew=True)
    one.acknowledge({topic: {0: [(0, MANY - 1, [RENEW] * MANY)]}}, renew=True)
    one.acknowledge({topic: {0: [(0, RECORDS - 1, ACCEPT)]}})


def counted(response: Fields) -> Fields:
    """keep= of requests about a state with very many batches: show the first and the last of them."""
    shown = slim(response)
    for topic in shown["Results"]:
        for each in topic["Partitions"]:
            if len(batches := each.get("StateBatches", [])) > 4:
                each["StateBatches"] = [*batches[:2], f"... {len(batches)} ...", *batches[-2:]]
    return shown


def write_many(one: State, batches: Sequence[Batch], start: int = -1) -> None:
    given = [
        {"FirstOffset": first, "LastOffset": last, "DeliveryState": state, "DeliveryCount": count}
        for first, last, state, count in batches
    ]
    fields = {"StateEpoch": 0, "LeaderEpoch": 0, "StartOffset": start, "StateBatches": given}
    k = one.talk
    k.ask(*share_state("Write", one.group, {one.id: {one.partition: fields}}), keep=counted)
    k.ask(*share_state("Read", one.group, {one.id: {one.partition: {"LeaderEpoch": 0}}}), keep=counted)


@shares
def very_many_state_batches(k: Talk) -> None:
    one = State(k)
    one.initialize(start=0)
    write_many(one, [(at, at, AVAILABLE if at % 2 else ARCHIVED, 1) for at in range(2_000)])
    write_many(one, [(at, at + 1, AVAILABLE, at % 7) for at in range(0, 2_000, 3)])
    write_many(one, [(0, 1_999, ACQUIRED, 3)] * 500)
    write_many(one, [(at, at + 9, AVAILABLE, at % 5) for at in range(1_000)])
    write_many(one, [(at, 3_000 - at, AVAILABLE, at % 5) for at in range(1_000)])
    write_many(one, [(1_999 - at, 1_999 - at, ARCHIVED, 9) for at in range(2_000)])
    write_many(one, [], start=1_500)
    write_many(one, [(at, at, AVAILABLE, 1) for at in range(0, 1_600, 2)], start=10**6)


@shares
def state_of_the_largest_numbers(k: Talk) -> None:
    one = State(k)
    one.initialize(epoch=INT_MAX, start=LONG_MAX)
    one.read(INT_MAX)
    one.write((0, LONG_MAX, ARCHIVED, 32_767), epoch=INT_MAX, leader_epoch=INT_MAX)
    one.read(INT_MAX)
    one.initialize(epoch=INT_MAX - 1)
    one.read(INT_MAX - 1)
    one.write((0, 4, AVAILABLE, 1), epoch=INT_MAX, leader_epoch=INT_MAX - 1)
    one.write((0, 4, AVAILABLE, 1), epoch=INT_MAX - 1, leader_epoch=INT_MAX)
    one.initialize(epoch=INT_MAX, start=0)
    one.write((LONG_MAX - 1, LONG_MAX - 1, AVAILABLE, 1), epoch=INT_MAX, leader_epoch=INT_MAX, start=-(2**63))
    one.read(INT_MAX)
    one.write((0, LONG_MAX - 1, ARCHIVED, -32_768), epoch=INT_MAX, leader_epoch=INT_MAX, start=0)
    one.read(INT_MAX)
    one.delete()
    one.summary()


@shares
def states_with_nonsense(k: Talk) -> None:
    """Negative numbers in each field, partitions that do not exist, and the same partition twice."""
    one = State(k)
    one.initialize(start=-(2**63))
    one.summary()
    one.write((-1, -1, -1, -1), start=-(2**63), epoch=-(2**31), leader_epoch=-(2**31))
    one.read(-(2**31))
    one.summary(-(2**31))
    one.initialize(epoch=-(2**31))
    one.initialize(epoch=-2)
    one.summary()
    for partition in (INT_MAX, -(2**31)):
        one.initialize(partition=partition)
        one.write((0, 0, AVAILABLE, 1), partition=partition)
        one.read(partition=partition)
        one.summary(partition=partition)
        one.delete(partition=partition)
    for api, fields in (
        ("Initialize", {"StateEpoch": 3, "StartOffset": 1}),
        ("Write", {"StateEpoch": 3, "LeaderEpoch": 0, "StartOffset": 2, "StateBatches": []}),
        ("Read", {"LeaderEpoch": 0}),
        ("ReadSummary", {"LeaderEpoch": 0}),
        ("Delete", {}),
    ):
        name, version, message = share_state(api, one.group, {one.id: {0: fields}})
        message["Topics"][0]["Partitions"] *= 2
        k.ask(name, version, message, keep=slim)
        message["Topics"] *= 2
        k.ask(name, version, message, keep=slim)
    one.initialize(group="g" * 2_000)
    one.delete(group="g" * 2_000)


@shares
def states_of_very_many_partitions(k: Talk) -> None:
    one = State(k)

    def brief(response: Fields) -> Any:
        told = [(p["ErrorCode"], p["ErrorMessage"]) for t in response["Results"] for p in t["Partitions"]]
        return [len(told), sorted({str(each) for each in told})]

    for api, fields in (
        ("Initialize", {"StateEpoch": 0, "StartOffset": 0}),
        ("Read", {"LeaderEpoch": 0}),
        ("Write", {"StateEpoch": 0, "LeaderEpoch": 0, "StartOffset": 0, "StateBatches": []}),
        ("ReadSummary", {"LeaderEpoch": 0}),
        ("Delete", {}),
    ):
        k.ask(*share_state(api, one.group, {one.id: dict.fromkeys(range(1, PARTITIONS), fields)}), keep=brief)
