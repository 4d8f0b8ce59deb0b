"""ShareFetch: which records are acquired, within the limits of the request and of the group."""

from __future__ import annotations

from tests.conformance.build_data import batch, fetch, produce, record
from tests.conformance.build_share import (
    ACCEPT,
    GAP,
    REJECT,
    RELEASE,
    describe_share_offsets,
    share_fetch,
)
from tests.conformance.case import Fields, Talk, case
from tests.conformance.consumers import set_group
from tests.conformance.sharing import (
    SHARE_SETTINGS,
    Sharer,
    a_group,
    a_sharer,
    closed,
    fill,
    filled_topic,
    share_topic,
    sharers,
    shares,
    started,
)
from tests.conformance.transactional import Producer
from tidemark_protocol.batch import headers, records

BOTH = (1, 2)
WAIT = {"max_wait_ms": 10_000, "min_bytes": 1}


@shares(versions=BOTH)
def records_are_acquired_and_accepted(k: Talk, version: int) -> None:
    topic = filled_topic(k, 10)
    one = a_sharer(k, topic, version=version)
    one.fetch_until({topic: [0]})
    one.acknowledge({topic: {0: [(0, 9, ACCEPT)]}})
    one.fetch({topic: [0]})
    fill(k, topic, 3)
    one.fetch_until({topic: [0]})
    one.fetch({topic: {0: [(10, 12, ACCEPT)]}})


@shares
def acquired_records_in_bytes(k: Talk) -> None:
    topic = filled_topic(k, 2, batches=2)
    one = started(k, topic)
    one.acknowledge({topic: {0: [(1, 2, RELEASE)]}})
    one.succeeded(one.peer.ask(*one.request(share_fetch, {topic: [0]})), one.session)


@shares(versions=BOTH)
def fetch_waits_for_records(k: Talk, version: int) -> None:
    topic = filled_topic(k, 2)
    one = started(k, topic, version)
    one.acknowledge({topic: {0: [(0, 1, ACCEPT)]}})
    one.peer.park(*one.request(share_fetch, {topic: [0]}, **WAIT))
    fill(k, topic, 3)
    one.succeeded(one.peer.receive(keep=one.shown), one.session)
    one.fetch({topic: [0]}, max_wait_ms=500, min_bytes=1)
    one.peer.took(450, 5000)


@shares
def fetch_waits_for_more_bytes(k: Talk) -> None:
    topic = filled_topic(k, 2)
    one = started(k, topic)
    one.acknowledge({topic: {0: [(0, 1, ACCEPT)]}})
    fill(k, topic, 1)
    one.peer.park(*one.request(share_fetch, {topic: [0]}, max_wait_ms=10_000, min_bytes=200))
    fill(k, topic, 10)
    one.succeeded(one.peer.receive(keep=one.shown), one.session)
    one.acknowledge({topic: {0: [(2, 12, ACCEPT)]}})
    fill(k, topic, 1)
    one.fetch({topic: [0]}, max_wait_ms=500, min_bytes=100_000)
    one.peer.took(450, 5000)


@shares
def fetch_waits_for_a_release(k: Talk) -> None:
    topic = filled_topic(k, 4)
    one, two = sharers(k, 2, {topic: 1})
    one.fetch_until({topic: [0]}, kept=False)
    two.peer.park(*two.request(share_fetch, {topic: [0]}, **WAIT))
    one.acknowledge({topic: {0: [(1, 2, RELEASE)]}})
    two.succeeded(two.peer.receive(keep=two.shown), two.session)
    two.peer.park(*two.request(share_fetch, {topic: [0]}, **WAIT))
    one.acknowledge(epoch=-1)
    two.peer.receive(keep=two.shown)


@shares
def fetch_waits_while_it_acknowledges(k: Talk) -> None:
    topic = filled_topic(k, 4)
    one = started(k, topic)
    one.peer.send(*one.request(share_fetch, {topic: {0: [(0, 1, RELEASE)]}}, **WAIT))
    one.succeeded(one.peer.receive(keep=one.shown), one.session)
    one.fetch({topic: {0: [(0, 3, ACCEPT)]}}, max_wait_ms=500, min_bytes=1)
    one.peer.took(450, 5000)


@shares(versions=BOTH)
def numbers_of_records(k: Talk, version: int) -> None:
    topic = filled_topic(k, 5, batches=4)
    one = a_sharer(k, topic, version=version)
    one.fetch_until({topic: [0]}, max_records=1)
    one.fetch({topic: [0]}, max_records=7)
    one.fetch({topic: [0]}, max_records=5)


@shares(versions=BOTH)
def odd_numbers_of_records(k: Talk, version: int) -> None:
    topic = filled_topic(k, 5, batches=2)
    one = closed(started(k, topic, version), topic, 9)
    one.fetch({topic: [0]}, max_records=0)
    one.fetch({topic: [0]}, max_records=-1)
    one.fetch({topic: [0]}, max_records=-(2**31))
    one.fetch({topic: [0]}, max_records=2**31 - 1)


@shares(versions=BOTH)
def sizes_of_batches(k: Talk, version: int) -> None:
    topic = filled_topic(k, 10, batches=3)
    one = a_sharer(k, topic, version=version)
    one.fetch_until({topic: [0]}, max_records=10, batch_size=3)
    one.fetch({topic: [0]}, max_records=10, batch_size=1)
    one.fetch({topic: [0]}, max_records=10, batch_size=100)


@shares(versions=BOTH)
def odd_sizes_of_batches(k: Talk, version: int) -> None:
    topic = filled_topic(k, 5, batches=2)
    one = closed(started(k, topic, version), topic, 9)
    for size in (0, -1, -(2**31), 2**31 - 1):
        one.fetch({topic: [0]}, max_records=5, batch_size=size)


@shares
def batches_are_joined_or_split_by_their_size(k: Talk) -> None:
    topic = filled_topic(k, 3, batches=6)
    one = a_sharer(k, topic)
    one.fetch_until({topic: [0]}, max_records=100, batch_size=4)
    closed(one, topic, 17)
    one.fetch({topic: [0]}, max_records=100, batch_size=100)


@shares
def record_limit_mode(k: Talk) -> None:
    topic = filled_topic(k, 5, batches=4)
    one = a_sharer(k, topic, version=2)
    one.fetch_until({topic: [0]}, max_records=3, mode=1)
    one.fetch({topic: [0]}, max_records=4, mode=1)
    one.fetch({topic: [0]}, max_records=1, mode=0)
    one.fetch({topic: [0]}, max_records=100, batch_size=2, mode=1)


@shares
def record_limit_mode_after_releases(k: Talk) -> None:
    topic = filled_topic(k, 5, batches=4)
    one = started(k, topic, 2)
    one.acknowledge({topic: {0: [(0, 2, RELEASE), (7, 8, RELEASE), (12, 19, RELEASE)]}})
    one.fetch({topic: [0]}, max_records=2, mode=1)
    one.fetch({topic: [0]}, max_records=4, mode=1)
    one.fetch({topic: [0]}, max_records=4, batch_size=2, mode=1)
    one.fetch({topic: [0]}, max_records=100, mode=1)


@shares
def odd_modes(k: Talk) -> None:
    topic = filled_topic(k, 5, batches=2)
    one = closed(started(k, topic, 2), topic, 9)
    for mode in (2, -1, 127):
        one.fetch({topic: [0]}, max_records=2, mode=mode)
    one.fetch({topic: [0]}, max_records=2, mode=1)


@shares
def record_limit_mode_with_odd_limits(k: Talk) -> None:
    topic = filled_topic(k, 5, batches=2)
    one = closed(started(k, topic, 2), topic, 9)
    one.fetch({topic: [0]}, max_records=0, mode=1)
    one.fetch({topic: [0]}, max_records=-1, mode=1)
    one.fetch({topic: [0]}, max_records=3, batch_size=0, mode=1)


@shares
def record_limit_mode_on_several_partitions(k: Talk) -> None:
    topic = filled_topic(k, 5, partitions=2, batches=2)
    one = a_sharer(k, topic, 2, version=2)
    one.fetch_until({topic: [0]}, kept=False, max_records=1, mode=1)
    one.fetch_until({topic: [1]}, forgotten={topic: [0]}, kept=False, max_records=1, mode=1)
    closed(one, topic, 0, 2)
    one.fetch({topic: [0, 1]}, max_records=7, mode=1)
    one.fetch({topic: [0, 1]}, max_records=7, mode=1)
    one.fetch({topic: [0, 1]}, max_records=7, mode=1)


@shares
def limits_of_bytes(k: Talk) -> None:
    topic = filled_topic(k, 5, batches=4)
    one = closed(started(k, topic), topic, 19)
    one.fetch({topic: [0]}, max_bytes=0)
    one.fetch({topic: [0]}, max_bytes=1)
    one.fetch({topic: [0]}, max_bytes=-1)
    one.fetch({topic: [0]}, max_bytes=300)
    one.fetch({topic: [0]}, max_bytes=2**31 - 1)


@shares
def limit_of_bytes_over_several_partitions(k: Talk) -> None:
    topic = filled_topic(k, 5, partitions=3, batches=4)
    one = a_sharer(k, topic, 3)
    for index in range(3):
        one.fetch_until({topic: [index]}, kept=False)
    closed(one, topic, 19, 3)
    one.fetch({topic: [0, 1, 2]}, max_bytes=600)
    one.fetch({topic: [0, 1, 2]}, max_bytes=600)
    one.fetch({topic: [0, 1, 2]})


@shares
def odd_waits(k: Talk) -> None:
    topic = filled_topic(k, 5)
    one = started(k, topic)
    one.fetch({topic: [0]}, max_wait_ms=-1, min_bytes=1)
    one.fetch({topic: [0]}, max_wait_ms=-(2**31), min_bytes=-5)
    fill(k, topic, 2)
    one.fetch({topic: [0]}, max_wait_ms=-1, min_bytes=2**31 - 1)


@shares
def several_partitions_are_fetched(k: Talk) -> None:
    topic = filled_topic(k, 5, partitions=3, batches=2)
    one = a_sharer(k, topic, 3)
    for index in range(3):
        one.fetch_until({topic: [index]}, kept=False)
    closed(one, topic, 9, 3)
    one.fetch({topic: [0, 1, 2]}, max_records=5)
    one.fetch({topic: [0, 1, 2]}, max_records=5)
    one.fetch({topic: [0, 1, 2]}, max_records=100)
    one.acknowledge({topic: {0: [(0, 9, ACCEPT)], 1: [(0, 4, RELEASE)], 2: [(5, 9, REJECT)]}})
    one.fetch()


@shares
def several_topics_are_fetched(k: Talk) -> None:
    first, second = filled_topic(k, 5), filled_topic(k, 3)
    (one,) = sharers(k, 1, {first: 1, second: 1})
    one.fetch_until({first: [0]}, kept=False)
    one.fetch_until({second: [0]}, kept=False)
    one.acknowledge({first: {0: [(0, 4, RELEASE)]}, second: {0: [(0, 2, RELEASE)]}}, epoch=-1, kept=False)
    one.session = 0
    one.fetch({first: [0], second: [0]})
    one.acknowledge({first: {0: [(0, 4, ACCEPT)]}, second: {0: [(0, 2, RELEASE)]}})
    one.fetch()


@shares
def records_that_are_locked_at_once(k: Talk) -> None:
    topic = filled_topic(k, 40, batches=5)
    one = a_sharer(k, topic, share_partition_max_record_locks="100")
    one.fetch_until({topic: [0]}, max_records=60)
    one.fetch({topic: [0]}, max_records=60)
    one.fetch({topic: [0]})
    one.acknowledge({topic: {0: [(40, 79, ACCEPT)]}})
    one.fetch({topic: [0]})
    one.acknowledge({topic: {0: [(0, 39, ACCEPT)]}})
    one.fetch({topic: [0]})


@shares
def group_begins_with_the_latest_record(k: Talk) -> None:
    topic = filled_topic(k, 5)
    one = a_sharer(k, topic, share_auto_offset_reset="latest")
    k.until(
        lambda: k.do(*describe_share_offsets((one.group, {topic: [0]}))),
        lambda told: one.fetch({topic: [0]}, max_wait_ms=500, kept=False)["ErrorCode"] == 0,
    )
    one.fetch({topic: [0]})
    fill(k, topic, 2)
    one.fetch_until({topic: [0]})


@shares
def group_begins_at_a_duration(k: Talk) -> None:
    old, new = filled_topic(k, 5), share_topic(k)
    now_ms = k.broker.wall_ms()
    for hours in (3, 2, 0):
        data = batch(*[record(timestamp=now_ms - hours * 3_600_000)] * 2)
        k.do(*produce({new: {0: data}}))
    for duration in ("PT1H", "P1D", "P25000D"):
        for topic in (old, new):
            one = a_sharer(k, topic, share_auto_offset_reset=f"by_duration:{duration}")
            one.fetch_until({topic: [0]})


@shares
def reset_changes_after_the_group_began(k: Talk) -> None:
    topic = filled_topic(k, 5)
    one = started(k, topic)
    set_group(k, one.group, share_auto_offset_reset="latest")
    one.acknowledge({topic: {0: [(0, 4, ACCEPT)]}})
    fill(k, topic, 2)
    one.fetch_until({topic: [0]})


def transactions(k: Talk, topic: str) -> None:
    """Write a committed transaction, an aborted one, plain records, and an open transaction."""
    for commit in (True, False):
        writer = Producer(k)
        k.do(*writer.produce({topic: {0: 2}}))
        writer.finish(commit=commit)
    fill(k, topic, 2)
    k.do(*Producer(k).produce({topic: {0: 3}}))


@shares
def group_reads_uncommitted_records(k: Talk) -> None:
    topic = share_topic(k)
    transactions(k, topic)
    one = a_sharer(k, topic)
    one.fetch_until({topic: [0]})
    one.acknowledge({topic: {0: [(0, 7, RELEASE)]}})
    one.fetch({topic: [0]})


@shares
def group_reads_committed_records(k: Talk) -> None:
    topic = share_topic(k)
    transactions(k, topic)
    one = a_sharer(k, topic, share_isolation_level="read_committed")
    one.fetch_until({topic: [0]})
    one.acknowledge({topic: {0: [(0, 7, RELEASE)]}})
    one.fetch({topic: [0]})


@shares
def parts_of_an_aborted_transaction_are_acknowledged(k: Talk) -> None:
    topic = share_topic(k)
    transactions(k, topic)
    one = a_sharer(k, topic, share_isolation_level="read_committed")
    one.fetch_until({topic: [0]})
    for offset in range(8):
        one.acknowledge({topic: {0: [(offset, offset, ACCEPT)]}})


@shares
def records_are_deleted_before_they_are_acquired(k: Talk) -> None:
    topic = filled_topic(k, 5, batches=4)
    one = a_sharer(k, topic)
    delete_records(k, topic, 7)
    one.fetch_until({topic: [0]})
    one.acknowledge({topic: {0: [(5, 6, ACCEPT)]}})
    one.acknowledge({topic: {0: [(7, 19, ACCEPT)]}})


def delete_records(k: Talk, topic: str, offset: int) -> None:
    partitions = [{"PartitionIndex": 0, "Offset": offset}]
    k.do("DeleteRecords", 2, {"Topics": [{"Name": topic, "Partitions": partitions}], "TimeoutMs": 30000})


@shares
def acquired_records_are_deleted(k: Talk) -> None:
    topic = filled_topic(k, 5, batches=4)
    one = started(k, topic)
    delete_records(k, topic, 7)
    one.acknowledge({topic: {0: [(0, 1, ACCEPT)]}})
    one.acknowledge({topic: {0: [(2, 9, RELEASE)]}})
    one.fetch_until({topic: [0]})
    one.acknowledge({topic: {0: [(10, 19, RELEASE)]}})
    one.fetch({topic: [0]})


@shares
def all_records_are_deleted(k: Talk) -> None:
    topic = filled_topic(k, 5, batches=2)
    one = started(k, topic)
    delete_records(k, topic, 10)
    one.acknowledge({topic: {0: [(0, 9, RELEASE)]}})
    one.fetch({topic: [0]})
    fill(k, topic, 2)
    one.fetch_until({topic: [0]})
    one.acknowledge({topic: {0: [(0, 9, ACCEPT)]}})


@shares
def records_of_an_empty_topic(k: Talk) -> None:
    topic = share_topic(k)
    one = a_sharer(k, topic)
    one.fetch({topic: [0]}, max_wait_ms=500)
    one.fetch({topic: [0]})
    fill(k, topic, 1)
    one.fetch_until({topic: [0]})


@shares
def group_without_a_member_is_fetched(k: Talk) -> None:
    topic = filled_topic(k, 2)
    one = Sharer(k, a_group(k))
    one.fetch({topic: [0]}, max_wait_ms=500)
    one.fetch({topic: [0]}, max_wait_ms=500)


@shares
def two_groups_read_a_topic(k: Talk) -> None:
    topic = filled_topic(k, 3)
    one, two = started(k, topic), started(k, topic)
    one.acknowledge({topic: {0: [(0, 2, ACCEPT)]}})
    two.acknowledge({topic: {0: [(0, 2, RELEASE)]}})
    one.fetch({topic: [0]})
    two.fetch({topic: [0]})


@shares
def member_acquires_while_another_one_holds(k: Talk) -> None:
    topic = filled_topic(k, 3, batches=3)
    one, two = sharers(k, 2, {topic: 1})
    one.fetch_until({topic: [0]}, max_records=4)
    two.fetch_until({topic: [0]})
    one.acknowledge(epoch=-1)
    two.fetch_until({topic: [0]})
    two.acknowledge({topic: {0: [(0, 8, ACCEPT)]}})


@shares
def rejected_records_are_not_delivered_again(k: Talk) -> None:
    topic = filled_topic(k, 5)
    one = started(k, topic)
    one.acknowledge({topic: {0: [(0, 2, REJECT), (3, 4, RELEASE)]}})
    one.fetch({topic: [0]})
    one.acknowledge({topic: {0: [(3, 4, REJECT)]}})
    one.fetch({topic: [0]})


def compacted(k: Talk) -> str:
    """Return a topic with the records 0, 4 to 6 and 10 to 13: the others had a key that was written again."""
    topic = share_topic(k, cleanup_policy="compact", min_cleanable_dirty_ratio="0", segment_ms="100")
    for second, keys in enumerate((b"abbc", b"bcd", b"efg", b"efg", b"x")):
        data = batch(*[record(key=bytes([key]), timestamp=1000 * second) for key in keys])
        k.do(*produce({topic: {0: data}}))

    def offsets(response: Fields) -> list[int]:
        partition = response["Responses"][0]["Partitions"][0]
        data = bytes.fromhex(partition["Records"] or "")
        return [one.offset for pos, header in headers(data) for one in records(data, pos, header)]

    kept = [0, 4, 5, 6, 10, 11, 12]
    k.until(lambda: offsets(k.do(*fetch({topic: {0: 0}}))), lambda found: found[:7] == kept)
    return topic


@case(settings={**SHARE_SETTINGS, "log.cleaner.backoff.ms": "100"})
def records_are_compacted(k: Talk) -> None:
    """Compaction leaves gaps, which are acquired with the records around them."""
    topic = compacted(k)
    one = a_sharer(k, topic)
    one.fetch_until({topic: [0]})
    one.acknowledge({topic: {0: [(1, 2, GAP)]}})
    one.acknowledge({topic: {0: [(0, 0, ACCEPT), (3, 5, RELEASE)]}})
    one.fetch({topic: [0]})
    for first, last in ((3, 3), (4, 4), (5, 5), (6, 12)):
        one.acknowledge({topic: {0: [(first, last, ACCEPT)]}})
