"""Acquisition locks: how long they last, how they are renewed, and what follows their end."""

from __future__ import annotations

from tests.conformance.build_share import (
    ACCEPT,
    REJECT,
    RELEASE,
    RENEW,
    alter_share_offsets,
    share_fetch,
)
from tests.conformance.case import Talk
from tests.conformance.consumers import set_group
from tests.conformance.sharing import (
    SECOND,
    a_sharer,
    fill,
    filled_topic,
    sharers,
    shares,
    started,
)

BOTH = (1, 2)
WAIT = {"max_wait_ms": 10_000, "min_bytes": 1}
NO_RECORDS = {"max_records": 0, "batch_size": 0, "max_bytes": 0}
TWO_SECONDS = {"share_record_lock_duration_ms": "2000"}


@shares(versions=BOTH)
def lock_ends(k: Talk, version: int) -> None:
    topic = filled_topic(k, 5)
    one = started(k, topic, version, **SECOND)
    one.peer.park(*one.request(share_fetch, {topic: [0]}, **WAIT))
    one.succeeded(one.peer.receive(keep=one.shown), one.session)
    one.peer.took(500, 4000)
    one.acknowledge({topic: {0: [(0, 4, ACCEPT)]}})


@shares
def lock_of_a_group_is_in_the_response(k: Talk) -> None:
    topic = filled_topic(k, 5)
    one = a_sharer(k, topic, version=2, share_record_lock_duration_ms="20000")
    one.fetch_until({topic: [0]})
    one.acknowledge({topic: {0: [(0, 4, ACCEPT)]}})
    set_group(k, one.group, share_record_lock_duration_ms="45000")
    one.fetch()
    one.acknowledge()


@shares
def acknowledgement_arrives_after_the_lock_has_ended(k: Talk) -> None:
    topic = filled_topic(k, 5)
    one = started(k, topic, **SECOND)
    k.broker.pause(1500)
    for kind in (ACCEPT, RELEASE, REJECT):
        one.acknowledge({topic: {0: [(0, 4, kind)]}})
        one.acknowledge({topic: {0: [(1, 1, kind)]}})


@shares
def lock_ends_after_the_offsets_were_altered(k: Talk) -> None:
    topic = filled_topic(k, 5)
    one = started(k, topic, **SECOND)
    one.leave(kept=False)
    k.do(*alter_share_offsets(one.group, {topic: {0: 2}}))
    k.broker.pause(1500)
    one.fetch({topic: [0]})
    one.acknowledge({topic: {0: [(2, 4, ACCEPT)]}})
    one.fetch_until({topic: [0]})


@shares
def lock_ends_and_another_member_acquires(k: Talk) -> None:
    topic = filled_topic(k, 5)
    one, two = sharers(k, 2, {topic: 1}, **SECOND)
    one.fetch_until({topic: [0]}, kept=False)
    one.acknowledge({topic: {0: [(1, 1, ACCEPT)]}})
    two.fetch_until({topic: [0]})
    one.acknowledge({topic: {0: [(0, 0, ACCEPT)]}})
    two.acknowledge({topic: {0: [(0, 0, ACCEPT), (2, 4, ACCEPT)]}})


@shares
def lock_of_a_part_of_a_batch_ends(k: Talk) -> None:
    topic = filled_topic(k, 6)
    one = started(k, topic, **SECOND)
    one.acknowledge({topic: {0: [(0, 5, [RELEASE, RELEASE, ACCEPT, ACCEPT, REJECT, REJECT])]}})
    one.fetch({topic: [0]})
    one.acknowledge({topic: {0: [(0, 0, ACCEPT)]}})
    k.broker.pause(1500)
    one.fetch({topic: [0]})
    one.acknowledge({topic: {0: [(0, 1, ACCEPT)]}})
    one.acknowledge({topic: {0: [(1, 1, ACCEPT)]}})


@shares
def locks_end_too_often(k: Talk) -> None:
    topic = filled_topic(k, 4)
    one = started(k, topic, **SECOND, share_delivery_count_limit="3")
    for _ in range(3):
        k.broker.pause(1500)
        one.fetch({topic: [0]})
    k.broker.pause(1500)
    one.fetch({topic: [0]})
    one.acknowledge({topic: {0: [(0, 3, ACCEPT)]}})
    fill(k, topic, 2)
    one.fetch_until({topic: [0]})


@shares
def deliveries_become_smaller_near_the_limit(k: Talk) -> None:
    topic = filled_topic(k, 64)
    one = started(k, topic, share_delivery_count_limit="6")
    first, last = 0, 63
    for _ in range(5):
        one.acknowledge({topic: {0: [(first, last, RELEASE)]}})
        response = one.fetch({topic: [0]})
        acquired = response["Responses"][0]["Partitions"][0]["AcquiredRecords"]
        first, last = acquired[0]["FirstOffset"], acquired[-1]["LastOffset"]


@shares
def deliveries_of_several_batches_become_smaller(k: Talk) -> None:
    topic = filled_topic(k, 8, batches=3)
    one = started(k, topic, share_delivery_count_limit="4")
    first, last = 0, 23
    for _ in range(12):
        one.acknowledge({topic: {0: [(first, last, RELEASE)]}})
        response = one.fetch({topic: [0]})
        if not response["Responses"]:
            break
        acquired = response["Responses"][0]["Partitions"][0]["AcquiredRecords"]
        first, last = acquired[0]["FirstOffset"], acquired[-1]["LastOffset"]


@shares
def locks_of_a_member_that_left(k: Talk) -> None:
    topic = filled_topic(k, 4)
    one, two = sharers(k, 2, {topic: 1}, **SECOND)
    one.fetch_until({topic: [0]}, kept=False)
    one.leave(kept=False)
    two.fetch_until({topic: [0]})
    one.acknowledge({topic: {0: [(0, 3, ACCEPT)]}})


@shares(versions=BOTH)
def lock_is_renewed(k: Talk, version: int) -> None:
    topic = filled_topic(k, 5)
    one = started(k, topic, version, **TWO_SECONDS)
    renew = {"renew": True} if version == 2 else {}
    for _ in range(3):
        k.broker.pause(1000)
        one.acknowledge({topic: {0: [(0, 1, RENEW)]}}, **renew)
    one.fetch({topic: [0]})
    one.acknowledge({topic: {0: [(0, 1, ACCEPT)]}})


@shares
def lock_is_renewed_by_a_fetch(k: Talk) -> None:
    topic = filled_topic(k, 5)
    one = started(k, topic, 2, **TWO_SECONDS)
    for _ in range(3):
        k.broker.pause(1000)
        one.fetch({topic: {0: [(0, 4, RENEW)]}}, renew=True, **NO_RECORDS)
    one.fetch({topic: [0]})
    k.broker.pause(2500)
    one.fetch({topic: [0]})


@shares
def fetch_that_renews_with_limits(k: Talk) -> None:
    """IsRenewAck needs limits of zero."""
    topic = filled_topic(k, 5)
    one = started(k, topic, 2)
    fill(k, topic, 5)
    limits = {"max_records": 10, "batch_size": 10, "max_bytes": 1000, "min_bytes": 1, "max_wait_ms": 100}
    for name, value in limits.items():
        one.fetch({topic: {0: [(0, 4, RENEW)]}}, renew=True, **{**NO_RECORDS, name: value})
    one.fetch({topic: {0: [(0, 4, RENEW)]}}, renew=True, **NO_RECORDS)
    one.fetch({topic: [0]}, renew=True, **NO_RECORDS)
    one.fetch({topic: [0]}, renew=True, max_records=10)


@shares
def renewals_without_their_flag(k: Talk) -> None:
    topic = filled_topic(k, 5)
    one = started(k, topic, 2)
    one.acknowledge({topic: {0: [(0, 4, RENEW)]}})
    one.fetch({topic: {0: [(0, 4, RENEW)]}}, **NO_RECORDS)
    one.acknowledge({topic: {0: [(0, 0, ACCEPT), (1, 1, RENEW)]}})


@shares
def renewals_beside_other_types(k: Talk) -> None:
    topic = filled_topic(k, 9)
    one = started(k, topic, 2)
    one.acknowledge({topic: {0: [(0, 3, [ACCEPT, RENEW, RELEASE, REJECT])]}}, renew=True)
    one.acknowledge({topic: {0: [(4, 4, ACCEPT), (5, 6, RENEW)]}}, renew=True)
    one.acknowledge({topic: {0: [(7, 7, ACCEPT)]}}, renew=True)
    one.fetch({topic: {0: [(8, 8, ACCEPT)]}}, renew=True, **NO_RECORDS)
    one.fetch({topic: [0]})


@shares
def renewal_of_what_is_not_held(k: Talk) -> None:
    topic = filled_topic(k, 4, batches=2)
    one, two = sharers(k, 2, {topic: 1}, version=2)
    one.fetch_until({topic: [0]}, kept=False, max_records=4)
    two.fetch_until({topic: [0]}, kept=False)
    for first, last in ((4, 7), (0, 7), (3, 4), (8, 9), (0, 100), (2, 1), (-1, 0)):
        one.acknowledge({topic: {0: [(first, last, RENEW)]}}, renew=True)
    one.acknowledge({topic: {0: [(0, 0, ACCEPT), (1, 1, RELEASE)]}})
    for offset in (0, 1, 2):
        one.acknowledge({topic: {0: [(offset, offset, RENEW)]}}, renew=True)
    one.acknowledge({topic: {7: [(0, 0, RENEW)]}}, renew=True)


@shares
def renewal_after_the_lock_has_ended(k: Talk) -> None:
    topic = filled_topic(k, 4)
    one = started(k, topic, 2, **SECOND)
    k.broker.pause(1500)
    one.acknowledge({topic: {0: [(0, 3, RENEW)]}}, renew=True)
    one.fetch({topic: [0]})


@shares
def renewals_are_disabled_in_a_group(k: Talk) -> None:
    topic = filled_topic(k, 4)
    one = started(k, topic, 2, share_renew_acknowledge_enable="false")
    one.acknowledge({topic: {0: [(0, 3, RENEW)]}}, renew=True)
    one.fetch({topic: {0: [(0, 3, RENEW)]}}, renew=True, **NO_RECORDS)
    one.acknowledge({topic: {0: [(0, 3, ACCEPT)]}}, renew=True)


@shares
def renewal_in_wrong_sessions(k: Talk) -> None:
    topic = filled_topic(k, 4)
    one = started(k, topic, 2)
    right = one.session
    one.acknowledge({topic: {0: [(0, 3, RENEW)]}}, renew=True, epoch=right + 1)
    one.acknowledge({topic: {0: [(0, 3, RENEW)]}}, renew=True, epoch=0)
    one.fetch({topic: {0: [(0, 3, RENEW)]}}, renew=True, epoch=0, **NO_RECORDS)
    one.acknowledge({topic: {0: [(0, 3, RENEW)]}}, renew=True, epoch=right)
    one.acknowledge({topic: {0: [(0, 3, RENEW)]}}, renew=True, epoch=-1)


@shares
def first_and_last_fetches_renew(k: Talk) -> None:
    topic = filled_topic(k, 4)
    one = started(k, topic, 2)
    one.fetch({topic: {0: [(0, 3, RENEW)]}}, renew=True, epoch=-1, **NO_RECORDS)
    one.session = 0
    one.fetch({topic: [0]}, renew=True, **NO_RECORDS)
    one.fetch_until({topic: [0]})


@shares
def lock_duration_changes(k: Talk) -> None:
    topic = filled_topic(k, 4, batches=2)
    one = a_sharer(k, topic)
    one.fetch_until({topic: [0]}, max_records=4)
    set_group(k, one.group, **SECOND)
    one.fetch({topic: [0]})
    k.broker.pause(1500)
    one.fetch({topic: [0]})
