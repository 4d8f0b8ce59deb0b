"""Acknowledgements of acquired records: their types, ranges and order, in both requests that carry them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from tests.conformance.build_share import ACCEPT, GAP, REJECT, RELEASE, RENEW
from tests.conformance.case import Fields, Talk
from tests.conformance.sharing import (
    Sharer,
    a_sharer,
    fill,
    filled_topic,
    sharers,
    shares,
    started,
)

UNKNOWN_ID: Final = "00000000-0000-4000-8000-000000000001"
BOTH: Final = (1, 2)
LONG_MAX: Final = 2**63 - 1


def each_way(one: Sharer) -> Sequence[Callable[..., Fields]]:
    return one.acknowledge, one.fetch


@shares(versions=BOTH)
def each_type_of_acknowledgement(k: Talk, version: int) -> None:
    topic = filled_topic(k, 10)
    one = started(k, topic, version)
    for offset, kind in enumerate((GAP, ACCEPT, RELEASE, REJECT, RENEW)):
        one.acknowledge({topic: {0: [(offset, offset, kind)]}})
    one.fetch({topic: [0]})
    one.acknowledge(epoch=-1)
    one.session = 0
    one.fetch_until({topic: [0]})


@shares(versions=BOTH)
def each_type_of_acknowledgement_in_a_fetch(k: Talk, version: int) -> None:
    topic = filled_topic(k, 10)
    one = started(k, topic, version)
    for offset, kind in enumerate((GAP, ACCEPT, RELEASE, REJECT, RENEW)):
        one.fetch({topic: {0: [(offset, offset, kind)]}}, max_bytes=0)
    one.fetch({topic: [0]})


@shares(versions=BOTH)
def unknown_types_of_acknowledgements(k: Talk, version: int) -> None:
    topic = filled_topic(k, 10)
    one = started(k, topic, version)
    for send in each_way(one):
        for kind in (5, 6, 100, 127, -1, -128):
            send({topic: {0: [(0, 0, kind)]}})
        send({topic: {0: [(0, 2, [ACCEPT, 9, ACCEPT])]}})
    one.acknowledge({topic: {0: [(0, 9, ACCEPT)]}})


@shares
def unknown_type_beside_valid_acknowledgements(k: Talk) -> None:
    topic = filled_topic(k, 10, partitions=2)
    one = a_sharer(k, topic, 2)
    one.fetch_until({topic: [0]}, kept=False)
    one.fetch_until({topic: [1]}, kept=False)
    for send in each_way(one):
        send({topic: {0: [(0, 0, 9)], 1: [(0, 0, ACCEPT)]}})
    one.acknowledge({topic: {0: [(0, 9, ACCEPT)], 1: [(0, 9, ACCEPT)]}})
    one.acknowledge({topic: {0: [(0, 0, ACCEPT), (1, 1, 7)]}})


@shares(versions=BOTH)
def types_for_each_record_of_a_batch(k: Talk, version: int) -> None:
    topic = filled_topic(k, 10)
    one = started(k, topic, version)
    one.acknowledge({topic: {0: [(0, 4, [ACCEPT, RELEASE, REJECT, GAP, RELEASE])]}})
    one.fetch({topic: [0]})
    one.fetch({topic: {0: [(5, 9, [RELEASE, ACCEPT, ACCEPT, REJECT, ACCEPT])]}}, max_bytes=0)
    one.fetch({topic: [0]})


@shares(versions=BOTH)
def number_of_types_does_not_match(k: Talk, version: int) -> None:
    topic = filled_topic(k, 10)
    one = started(k, topic, version)
    for send in each_way(one):
        for kinds in ([], [ACCEPT, ACCEPT], [ACCEPT] * 4, [ACCEPT] * 6, [ACCEPT] * 100):
            send({topic: {0: [(0, 4, kinds)]}})
        send({topic: {0: [(0, 0, [ACCEPT, ACCEPT])]}})
    one.acknowledge({topic: {0: [(0, 4, [ACCEPT] * 5)]}})


@shares(versions=BOTH)
def ranges_that_are_not_ranges(k: Talk, version: int) -> None:
    topic = filled_topic(k, 10)
    one = started(k, topic, version)
    for send in each_way(one):
        for first, last in ((4, 3), (5, 0), (-1, 3), (-5, -3), (0, -1), (LONG_MAX, 0), (-LONG_MAX, LONG_MAX)):
            send({topic: {0: [(first, last, ACCEPT)]}})
    one.acknowledge({topic: {0: [(0, 9, ACCEPT)]}})


@shares
def ranges_beyond_the_acquired_records(k: Talk) -> None:
    topic = filled_topic(k, 10)
    one = started(k, topic)
    for send in each_way(one):
        for first, last in (
            (0, 10),
            (5, 12),
            (10, 10),
            (10, 12),
            (100, 200),
            (0, LONG_MAX),
            (LONG_MAX, LONG_MAX),
        ):
            send({topic: {0: [(first, last, ACCEPT)]}})
    one.acknowledge({topic: {0: [(0, 9, ACCEPT)]}})


@shares
def range_across_batches(k: Talk) -> None:
    topic = filled_topic(k, 4, batches=4)
    one = started(k, topic)
    one.acknowledge({topic: {0: [(2, 9, ACCEPT)]}})
    one.acknowledge({topic: {0: [(0, 1, RELEASE), (10, 15, RELEASE)]}})
    one.fetch({topic: [0]})


@shares
def ranges_that_overlap(k: Talk) -> None:
    topic = filled_topic(k, 10)
    one = started(k, topic)
    for send in each_way(one):
        for ranges in (
            [(0, 4, ACCEPT), (4, 6, ACCEPT)],
            [(0, 4, ACCEPT), (0, 4, ACCEPT)],
            [(0, 4, ACCEPT), (2, 3, RELEASE)],
            [(0, 0, ACCEPT), (0, 0, REJECT)],
        ):
            send({topic: {0: ranges}})
    one.acknowledge({topic: {0: [(0, 9, ACCEPT)]}})


@shares
def ranges_that_are_not_sorted(k: Talk) -> None:
    topic = filled_topic(k, 10)
    one = started(k, topic)
    one.acknowledge({topic: {0: [(5, 6, ACCEPT), (0, 1, ACCEPT)]}})
    one.fetch({topic: {0: [(3, 4, ACCEPT), (2, 2, ACCEPT)]}})
    one.acknowledge({topic: {0: [(0, 1, ACCEPT), (5, 6, ACCEPT)]}})


@shares
def acknowledgements_succeed_or_fail_together(k: Talk) -> None:
    topic = filled_topic(k, 10)
    one = started(k, topic)
    one.acknowledge({topic: {0: [(0, 1, ACCEPT)]}})
    one.acknowledge({topic: {0: [(2, 3, ACCEPT), (1, 1, ACCEPT)]}})
    one.acknowledge({topic: {0: [(2, 3, ACCEPT), (20, 21, ACCEPT)]}})
    one.acknowledge({topic: {0: [(0, 3, ACCEPT)]}})
    one.acknowledge({topic: {0: [(2, 3, RELEASE)]}})
    one.fetch({topic: [0]})


@shares(versions=BOTH)
def records_are_acknowledged_twice(k: Talk, version: int) -> None:
    topic = filled_topic(k, 10)
    one = started(k, topic, version)
    for send in each_way(one):
        for kind in (ACCEPT, ACCEPT, RELEASE, REJECT, RENEW):
            send({topic: {0: [(0, 4, kind)]}})
    one.acknowledge({topic: {0: [(7, 7, REJECT)]}})
    one.acknowledge({topic: {0: [(7, 7, ACCEPT)]}})
    one.acknowledge({topic: {0: [(8, 8, RELEASE)]}})
    one.acknowledge({topic: {0: [(8, 8, ACCEPT)]}})


@shares
def whole_batch_is_acknowledged_after_a_part_of_it(k: Talk) -> None:
    topic = filled_topic(k, 10)
    one = started(k, topic)
    one.acknowledge({topic: {0: [(3, 3, ACCEPT)]}})
    one.acknowledge({topic: {0: [(0, 9, ACCEPT)]}})
    one.acknowledge({topic: {0: [(0, 2, ACCEPT), (4, 9, ACCEPT)]}})
    one.acknowledge({topic: {0: [(0, 9, ACCEPT)]}})


@shares
def records_that_another_member_holds(k: Talk) -> None:
    topic = filled_topic(k, 5, batches=2)
    one, two = sharers(k, 2, {topic: 1})
    one.fetch_until({topic: [0]}, kept=False)
    two.fetch({topic: [0]})
    for send in each_way(two):
        for kind in (GAP, ACCEPT, RELEASE, REJECT):
            send({topic: {0: [(0, 4, kind)]}})
            send({topic: {0: [(2, 2, kind)]}})
    one.acknowledge({topic: {0: [(0, 9, ACCEPT)]}})


@shares
def records_that_nobody_holds(k: Talk) -> None:
    topic = filled_topic(k, 5)
    one = started(k, topic)
    one.acknowledge({topic: {0: [(0, 4, ACCEPT)]}})
    fill(k, topic, 5)
    for send in each_way(one):
        send({topic: {0: [(5, 9, RELEASE)]}}, **({"max_bytes": 0} if send == one.fetch else {}))


@shares
def released_records_are_delivered_again(k: Talk) -> None:
    topic = filled_topic(k, 10)
    one = started(k, topic)
    one.acknowledge({topic: {0: [(0, 9, RELEASE)]}})
    one.fetch({topic: [0]})
    one.fetch({topic: {0: [(2, 3, RELEASE), (6, 8, RELEASE)]}}, max_bytes=0)
    one.fetch({topic: {0: [(0, 1, ACCEPT), (3, 3, RELEASE)]}}, max_bytes=0)
    one.fetch({topic: [0]})


@shares
def records_are_released_in_one_fetch_and_acquired_by_the_next(k: Talk) -> None:
    topic = filled_topic(k, 5, batches=2)
    one = started(k, topic)
    for _ in range(2):
        one.fetch({topic: {0: [(0, 9, RELEASE)]}}, max_bytes=0)
        one.fetch({topic: [0]})


@shares
def records_are_released_too_often(k: Talk) -> None:
    topic = filled_topic(k, 5)
    one = started(k, topic)
    for _ in range(5):
        one.acknowledge({topic: {0: [(0, 4, RELEASE)]}})
        one.fetch({topic: [0]})
    one.acknowledge({topic: {0: [(0, 4, ACCEPT)]}})


@shares
def delivery_count_limit_of_the_group(k: Talk) -> None:
    topic = filled_topic(k, 6)
    one = started(k, topic, share_delivery_count_limit="2")
    one.acknowledge({topic: {0: [(0, 1, RELEASE)]}})
    one.fetch({topic: [0]})
    one.acknowledge({topic: {0: [(0, 0, RELEASE)]}})
    one.fetch({topic: [0]})
    one.acknowledge({topic: {0: [(0, 0, ACCEPT)]}})
    one.acknowledge({topic: {0: [(1, 1, ACCEPT)]}})
    one.acknowledge({topic: {0: [(2, 5, ACCEPT)]}})


@shares(versions=BOTH)
def unknown_partitions_are_acknowledged(k: Talk, version: int) -> None:
    topic = filled_topic(k, 5)
    one = started(k, topic, version)
    for send in each_way(one):
        send({topic: {7: [(0, 0, ACCEPT)]}})
        send({topic: {-1: [(0, 0, ACCEPT)]}})
        send({UNKNOWN_ID: {0: [(0, 0, ACCEPT)]}})
        send({topic: {0: [(0, 0, ACCEPT)], 7: [(0, 0, ACCEPT)]}} if send == one.acknowledge else None)


@shares
def partition_that_is_not_in_the_session(k: Talk) -> None:
    topic = filled_topic(k, 5, partitions=2)
    one = a_sharer(k, topic, 2)
    one.fetch_until({topic: [0]}, kept=False)
    one.acknowledge({topic: {1: [(0, 0, ACCEPT)]}})
    one.acknowledge({topic: {0: [(0, 0, ACCEPT)], 1: [(0, 0, ACCEPT)]}})


@shares(versions=BOTH)
def acknowledgements_without_content(k: Talk, version: int) -> None:
    topic = filled_topic(k, 5)
    one = started(k, topic, version)
    one.acknowledge()
    one.acknowledge({topic: {}})
    one.acknowledge({topic: {0: []}})
    one.fetch({topic: {}})
    one.fetch({topic: {0: []}})


@shares
def many_ranges(k: Talk) -> None:
    topic = filled_topic(k, 2000)
    one = started(k, topic)
    one.acknowledge({topic: {0: [(n, n, ACCEPT) for n in range(0, 500, 2)]}})
    one.fetch({topic: {0: [(n, n, RELEASE) for n in range(1, 500, 2)]}}, max_bytes=0)
    one.fetch({topic: [0]}, max_records=100)


@shares
def types_of_many_records(k: Talk) -> None:
    topic = filled_topic(k, 5)
    one = started(k, topic)
    one.acknowledge({topic: {0: [(0, 98_999, [ACCEPT] * 99_000)]}})
    one.acknowledge({topic: {0: [(0, 98_999, [GAP] * 99_000)]}})
    one.acknowledge({topic: {0: [(n, n, ACCEPT) for n in range(45_000)]}})
    one.acknowledge({topic: {0: [(0, 4, ACCEPT)]}})


@shares
def gaps_are_acknowledged(k: Talk) -> None:
    topic = filled_topic(k, 10)
    one = started(k, topic)
    one.acknowledge({topic: {0: [(0, 2, GAP)]}})
    one.acknowledge({topic: {0: [(0, 2, ACCEPT)]}})
    one.acknowledge({topic: {0: [(3, 9, [GAP, GAP, ACCEPT, GAP, RELEASE, GAP, GAP])]}})
    one.fetch({topic: [0]})
