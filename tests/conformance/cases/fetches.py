"""Fetch: offsets, size limits, sessions, and waiting."""

from __future__ import annotations

from typing import Final

from tests.conformance.build_data import batch, fetch, produce, record
from tests.conformance.case import ZERO_UUID, Talk, case

UNKNOWN_UUID: Final = "11111111-2222-3333-4444-555555555555"
OTHER_UUID: Final = "22222222-2222-3333-4444-555555555555"
BATCH_BYTES: Final = len(batch())


def _filled(k: Talk, partitions: int = 1, batches: int = 3) -> str:
    """Create a topic with so many batches of one record in each partition."""
    topic = k.topic(partitions)
    for number in range(batches):
        k.do(*produce({topic: {p: batch(record(b"%d-%03d" % (p, number))) for p in range(partitions)}}))
    return topic


@case
def fetch_in_every_version_by_name(k: Talk) -> None:
    topic = _filled(k)
    for version in range(4, 13):
        k.ask(*fetch({topic: {0: 1}}, version=version))


@case
def fetch_in_every_version_by_id(k: Talk) -> None:
    topic_id = k.topic_id(_filled(k))
    for version in range(13, 19):
        k.ask(*fetch({topic_id: {0: 1}}, version=version))


@case
def fetch_in_removed_versions_closes_the_connection(k: Talk) -> None:
    topic = k.topic()
    for version in (0, 3, 19):
        peer = k.connect()
        frame = bytearray(peer.frame(*fetch({topic: {0: 0}}, version=4)))
        frame[6:8] = version.to_bytes(2, "big")
        peer.send_raw(bytes(frame))
        peer.closed()


@case
def fetch_of_nothing(k: Talk) -> None:
    topic = k.topic()
    for version in (4, 7, 12, 17):
        k.ask(*fetch({}, version=version))
    k.ask(*fetch({}, max_wait_ms=5000, min_bytes=1))
    k.took(0, 2000)
    k.ask(*fetch({topic: {}}, max_wait_ms=5000, min_bytes=1))
    k.took(0, 2000)


@case
def fetch_of_an_empty_log(k: Talk) -> None:
    topic = k.topic()
    for version in (4, 12):
        k.ask(*fetch({topic: {0: 0}}, version=version))
        k.ask(*fetch({topic: {0: 0}}, isolation=1, version=version))


@case
def fetch_from_every_offset(k: Talk) -> None:
    """The data starts with the batch that contains the offset."""
    topic = k.topic()
    k.do(*produce({topic: {0: batch(*[record()] * 3)}}))
    k.do(*produce({topic: {0: batch(*[record()] * 2)}}))
    for offset in range(6):
        k.ask(*fetch({topic: {0: offset}}))


@case
def fetch_of_offsets_out_of_range(k: Talk) -> None:
    topic = _filled(k)
    for offset in (4, -1, -2, -(2**63), 2**63 - 1):
        k.ask(*fetch({topic: {0: offset}}))
    k.ask(*fetch({topic: {0: 4}}, isolation=1))
    k.ask(*fetch({topic: {0: 4}}, version=4))
    k.ask(*fetch({topic: {0: 4}}, max_wait_ms=5000, min_bytes=1))
    k.took(0, 2000)


@case
def fetch_below_the_log_start(k: Talk) -> None:
    topic = _filled(k)
    partitions = [{"PartitionIndex": 0, "Offset": 2}]
    k.do("DeleteRecords", 2, {"Topics": [{"Name": topic, "Partitions": partitions}], "TimeoutMs": 30000})
    for offset in range(4):
        k.ask(*fetch({topic: {0: offset}}))


@case
def fetch_of_unknown_topics_and_partitions(k: Talk) -> None:
    topic = _filled(k, 2)
    for version in (4, 11, 12):
        k.ask(*fetch({k.name(): {0: 0}}, version=version))
        k.ask(
            *fetch({topic: {2: 0, 1: 0, -1: 0}, k.name(): {0: 0}, "": {0: 0}, "a b": {0: 0}}, version=version)
        )


@case
def fetch_of_unknown_ids(k: Talk) -> None:
    topic_id = k.topic_id(_filled(k))
    for version in (13, 16, 18):
        k.ask(*fetch({UNKNOWN_UUID: {0: 0}}, version=version))
        k.ask(*fetch({UNKNOWN_UUID: {0: 0, 1: 0}, topic_id: {0: 2, 7: 0}}, version=version))
        k.ask(*fetch({UNKNOWN_UUID: {0: 0}, OTHER_UUID: {0: 0}}, version=version))


@case
def fetch_of_the_zero_id(k: Talk) -> None:
    topic_id = k.topic_id(_filled(k))
    for version in (13, 18):
        k.ask(*fetch({ZERO_UUID: {0: 0}}, version=version))
        k.ask(*fetch({ZERO_UUID: {0: 0}, topic_id: {0: 2}}, version=version))
        k.ask(*fetch({topic_id: {0: 2}, ZERO_UUID: {0: 0}}, epoch=0, version=version))
        k.ask(*fetch({UNKNOWN_UUID: {0: 0}, ZERO_UUID: {0: 0}}, version=version))
        k.ask(*fetch({UNKNOWN_UUID: {0: 0}, topic_id: {0: 2}, ZERO_UUID: {0: 0}}, version=version))
        k.ask(*fetch({topic_id: {7: 2}, UNKNOWN_UUID: {0: 0}}, version=version))


@case
def fetch_of_unknown_partitions_does_not_wait(k: Talk) -> None:
    k.ask(*fetch({k.name(): {0: 0}}, max_wait_ms=5000, min_bytes=1))
    k.took(0, 2000)
    k.ask(*fetch({UNKNOWN_UUID: {0: 0}}, max_wait_ms=5000, min_bytes=1, version=13))
    k.took(0, 2000)


@case
def fetch_of_unknown_beside_known_partitions_waits(k: Talk) -> None:
    topic = k.topic()
    k.ask(*fetch({k.name(): {0: 0}, topic: {0: 0}}, max_wait_ms=700, min_bytes=1))
    k.took(650, 4000)


@case
def fetch_of_a_partition_and_a_topic_named_twice(k: Talk) -> None:
    topic = _filled(k, 2)
    api, version, fields = fetch({topic: {0: 0, 1: 1}})
    fields["Topics"][0]["Partitions"].append({"Partition": 0, "FetchOffset": 2, "PartitionMaxBytes": 1 << 20})
    fields["Topics"].append(
        {"Topic": topic, "Partitions": [{"Partition": 1, "FetchOffset": 2, "PartitionMaxBytes": 1 << 20}]}
    )
    k.ask(api, version, fields)


@case
def fetch_of_many_partitions_is_answered_in_their_order(k: Talk) -> None:
    first, second = _filled(k, 3, 1), _filled(k, 2, 1)
    k.ask(*fetch({second: {1: 0, 0: 0}, first: {2: 0, 0: 0, 1: 0}}))


@case
def fetch_with_partition_max_bytes(k: Talk) -> None:
    """Only the first batch of the response is returned whole even if it exceeds the limit."""
    topic = _filled(k, 2)
    for size in (0, 1, 12, BATCH_BYTES - 1, BATCH_BYTES, BATCH_BYTES + 1, BATCH_BYTES + 30, 3 * BATCH_BYTES):
        k.ask(*fetch({topic: {0: 0, 1: 0}}, partition_bytes=size))


@case
def fetch_with_max_bytes(k: Talk) -> None:
    topic = _filled(k, 2)
    for size in (0, 1, BATCH_BYTES, BATCH_BYTES + 20, 3 * BATCH_BYTES, 4 * BATCH_BYTES, 6 * BATCH_BYTES):
        k.ask(*fetch({topic: {0: 0, 1: 0}}, max_bytes=size))


@case
def fetch_with_negative_sizes(k: Talk) -> None:
    topic = _filled(k, 2)
    k.ask(*fetch({topic: {0: 0, 1: 0}}, partition_bytes=-1))
    k.ask(*fetch({topic: {0: 0, 1: 0}}, max_bytes=-1))
    k.ask(*fetch({topic: {0: 0, 1: 0}}, min_bytes=-1, max_wait_ms=5000))
    k.took(0, 2000)
    k.ask(*fetch({topic: {0: 3, 1: 3}}, partition_bytes=-1))


@case
def fetch_of_a_first_batch_larger_than_the_limits(k: Talk) -> None:
    topic = k.topic(2)
    k.do(*produce({topic: {0: batch(record(b"x" * 5000)), 1: batch()}}))
    k.do(*produce({topic: {0: batch()}}))
    k.ask(*fetch({topic: {0: 0, 1: 0}}, partition_bytes=100))
    k.ask(*fetch({topic: {0: 0, 1: 0}}, max_bytes=100))
    k.ask(*fetch({topic: {1: 0, 0: 0}}, partition_bytes=100))


@case
def fetch_with_max_wait_zero_or_negative_does_not_wait(k: Talk) -> None:
    topic = k.topic()
    for max_wait_ms in (0, -1, -(2**31)):
        k.ask(*fetch({topic: {0: 0}}, max_wait_ms=max_wait_ms, min_bytes=1))
        k.took(0, 2000)


@case
def fetch_waits_for_max_wait_when_there_is_too_little(k: Talk) -> None:
    topic = _filled(k)
    k.ask(*fetch({topic: {0: 0}}, max_wait_ms=700, min_bytes=3 * BATCH_BYTES + 1))
    k.took(650, 4000)
    k.ask(*fetch({topic: {0: 0}}, max_wait_ms=5000, min_bytes=3 * BATCH_BYTES))
    k.took(0, 2000)


@case
def fetch_with_min_bytes_zero_does_not_wait(k: Talk) -> None:
    topic = k.topic()
    k.ask(*fetch({topic: {0: 0}}, max_wait_ms=5000, min_bytes=0))
    k.took(0, 2000)


@case
def fetch_with_min_bytes_above_max_bytes(k: Talk) -> None:
    topic = _filled(k)
    k.ask(*fetch({topic: {0: 0}}, max_wait_ms=5000, min_bytes=10_000, max_bytes=3 * BATCH_BYTES))
    k.took(0, 2000)


@case
def fetch_counts_no_more_than_partition_max_bytes_towards_min_bytes(k: Talk) -> None:
    topic = _filled(k)
    k.ask(*fetch({topic: {0: 0}}, max_wait_ms=700, min_bytes=2 * BATCH_BYTES, partition_bytes=BATCH_BYTES))
    k.took(650, 4000)


@case
def fetch_that_waits_is_released_by_a_produce(k: Talk) -> None:
    topic = k.topic()
    waiting = k.connect()
    waiting.park(*fetch({topic: {0: 0}}, max_wait_ms=9000, min_bytes=1))
    k.ask(*produce({topic: {0: batch()}}))
    waiting.receive()
    waiting.took(250, 4000)


@case
def fetch_that_waits_for_more_bytes_is_released_by_the_last_of_them(k: Talk) -> None:
    topic = k.topic()
    waiting = k.connect()
    waiting.send(*fetch({topic: {0: 0}}, max_wait_ms=9000, min_bytes=2 * BATCH_BYTES))
    k.ask(*produce({topic: {0: batch()}}))
    waiting.quiet()
    k.ask(*produce({topic: {0: batch()}}))
    waiting.receive()


@case
def fetch_that_waits_on_two_partitions_takes_the_sum(k: Talk) -> None:
    topic = k.topic(2)
    waiting = k.connect()
    waiting.send(*fetch({topic: {0: 0, 1: 0}}, max_wait_ms=9000, min_bytes=2 * BATCH_BYTES))
    k.ask(*produce({topic: {0: batch()}}))
    waiting.quiet()
    k.ask(*produce({topic: {1: batch()}}))
    waiting.receive()


@case
def fetch_that_waits_is_not_released_by_another_partition(k: Talk) -> None:
    topic = k.topic(2)
    waiting = k.connect()
    waiting.send(*fetch({topic: {0: 0}}, max_wait_ms=1200, min_bytes=1))
    k.ask(*produce({topic: {1: batch()}}))
    waiting.quiet()
    waiting.receive()
    waiting.took(1100, 5000)


@case
def fetch_that_waits_holds_back_what_follows_on_its_connection(k: Talk) -> None:
    topic = k.topic()
    waiting = k.connect()
    waiting.send(*fetch({topic: {0: 0}}, max_wait_ms=9000, min_bytes=1))
    waiting.park("ApiVersions", 0, {})
    k.ask(*produce({topic: {0: batch()}}))
    waiting.receive()
    waiting.receive(keep=lambda a: a["ErrorCode"])


@case
def fetch_that_waits_on_a_topic_that_is_deleted(k: Talk) -> None:
    topic = k.topic()
    waiting = k.connect()
    waiting.park(*fetch({topic: {0: 0}}, max_wait_ms=9000, min_bytes=1))
    k.delete_topic(topic)
    waiting.receive()
    waiting.took(0, 5000)


@case
def fetch_that_waits_on_an_id_that_is_deleted(k: Talk) -> None:
    topic = k.topic()
    topic_id = k.topic_id(topic)
    waiting, with_session = k.connect(), k.connect()
    waiting.send(*fetch({topic_id: {0: 0}}, max_wait_ms=9000, min_bytes=1, version=17))
    session = with_session.ask(*fetch({topic_id: {0: 0}}, epoch=0, version=17))["SessionId"]
    with_session.send(*fetch({}, session=session, epoch=1, max_wait_ms=9000, min_bytes=1, version=17))
    waiting.quiet()
    k.delete_topic(topic)
    waiting.receive()
    with_session.receive()
    with_session.ask(*fetch({}, session=session, epoch=2, version=17))


@case
def fetch_of_a_deleted_topic(k: Talk) -> None:
    topic = _filled(k)
    topic_id = k.topic_id(topic)
    k.delete_topic(topic)
    k.ask(*fetch({topic: {0: 0}}))
    k.ask(*fetch({topic_id: {0: 0}}, version=17))


@case
def fetch_that_waits_while_the_log_start_passes_it(k: Talk) -> None:
    topic = _filled(k)
    waiting = k.connect()
    waiting.park(*fetch({topic: {0: 1}}, max_wait_ms=1500, min_bytes=10_000))
    partitions = [{"PartitionIndex": 0, "Offset": 3}]
    k.ask("DeleteRecords", 2, {"Topics": [{"Name": topic, "Partitions": partitions}], "TimeoutMs": 30000})
    waiting.receive()


@case
def fetch_in_both_isolations(k: Talk) -> None:
    topic = _filled(k)
    for isolation in (0, 1):
        for offset in (0, 3):
            k.ask(*fetch({topic: {0: offset}}, isolation=isolation))


@case
def fetch_in_an_isolation_that_is_none(k: Talk) -> None:
    topic = _filled(k)
    topic_id = k.topic_id(topic)
    for isolation in (2, -1, 127):
        k.ask(*fetch({topic: {0: 0}, k.name(): {1: 0}}, isolation=isolation))
    k.ask(*fetch({topic: {0: 0}}, isolation=2, version=4))
    k.ask(*fetch({topic_id: {0: 0}}, isolation=2, version=13))
    k.ask(*fetch({topic: {0: 0}}, isolation=2, session=77, epoch=4))


@case
def fetch_with_a_leader_epoch(k: Talk) -> None:
    topic = _filled(k)
    topic_id = k.topic_id(topic)
    for epoch in (0, 1, 7, -1, -2):
        k.ask(*fetch({topic: {0: {"CurrentLeaderEpoch": epoch}}}, version=9))
        k.ask(*fetch({topic: {0: {"CurrentLeaderEpoch": epoch}}}, version=12))
        k.ask(*fetch({topic_id: {0: {"CurrentLeaderEpoch": epoch}}}, version=16))
    k.ask(*fetch({topic: {0: {"CurrentLeaderEpoch": 1, "FetchOffset": 99}}}))
    k.ask(*fetch({topic: {0: {"CurrentLeaderEpoch": 1}}}, max_wait_ms=5000, min_bytes=1_000_000))
    k.took(0, 2000)


@case
def fetch_with_a_last_fetched_epoch(k: Talk) -> None:
    topic = _filled(k)
    for epoch, offset in ((0, 0), (0, 2), (0, 3), (0, 4), (1, 2), (7, 0), (-1, 1), (-2, 1), (0, -1), (1, 99)):
        k.ask(*fetch({topic: {0: {"LastFetchedEpoch": epoch, "FetchOffset": offset}}}))
    k.ask(
        *fetch({topic: {0: {"LastFetchedEpoch": 0, "FetchOffset": 4}}}, max_wait_ms=5000, min_bytes=100_000)
    )
    k.took(0, 2000)


@case
def fetch_with_a_last_fetched_epoch_of_an_empty_log(k: Talk) -> None:
    topic = k.topic()
    for epoch, offset in ((0, 0), (0, 1), (1, 0)):
        k.ask(*fetch({topic: {0: {"LastFetchedEpoch": epoch, "FetchOffset": offset}}}))


@case
def fetch_with_a_log_start_offset_of_the_clients(k: Talk) -> None:
    topic = _filled(k)
    for start in (0, 2, 99, -5):
        k.ask(*fetch({topic: {0: {"LogStartOffset": start}}}))


@case
def fetch_with_a_rack(k: Talk) -> None:
    topic = _filled(k)
    k.ask(*fetch({topic: {0: 2}}, RackId="somewhere"))
    k.ask(*fetch({topic: {0: 2}}, version=11, RackId="somewhere"))


@case
def fetch_of_an_internal_topic(k: Talk) -> None:
    k.group()
    k.ask(*fetch({"__consumer_offsets": {99: 0}}))
    k.ask(
        *fetch({"__consumer_offsets": {0: 0}}),
        keep=lambda a: a["Responses"][0]["Partitions"][0]["ErrorCode"],
    )


@case
def fetch_by_an_unknown_replica(k: Talk) -> None:
    topic = _filled(k)
    topic_id = k.topic_id(topic)
    for replica in (0, 1, 9, -2):
        k.ask(*fetch({topic: {0: 1}}, version=4, ReplicaId=replica))
        k.ask(*fetch({topic: {0: 1}}, ReplicaId=replica))
    k.ask(*fetch({topic_id: {0: 1}}, version=15, ReplicaState={"ReplicaId": 9, "ReplicaEpoch": 1}))


# Sessions


def _session(k: Talk, topic: str, *partitions: int, version: int = 12) -> int:
    """Return the id of a new session on these partitions, from offset 0."""
    response = k.ask(*fetch({topic: dict.fromkeys(partitions, 0)}, epoch=0, version=version))
    found: int = response["SessionId"]
    return found


@case
def fetch_sessions_tell_only_what_is_new(k: Talk) -> None:
    topic = _filled(k, 3, 1)
    session = _session(k, topic, 0, 1, 2)
    k.ask(*fetch({topic: {0: 1, 1: 1, 2: 1}}, session=session, epoch=1))
    k.ask(*fetch({}, session=session, epoch=2))
    k.do(*produce({topic: {1: batch()}}))
    k.ask(*fetch({}, session=session, epoch=3))
    k.ask(*fetch({topic: {1: 2}}, session=session, epoch=4))
    k.ask(*fetch({}, session=session, epoch=5))


@case
def fetch_sessions_repeat_records_until_their_offset_moves(k: Talk) -> None:
    topic = _filled(k, 2, 1)
    session = _session(k, topic, 0, 1)
    for epoch in (1, 2):
        k.ask(*fetch({}, session=session, epoch=epoch))
    k.ask(*fetch({topic: {0: 1}}, session=session, epoch=3))


@case
def fetch_sessions_rotate_partitions(k: Talk) -> None:
    """A partition that was just served moves to the end, so that max bytes starves none."""
    topic = _filled(k, 3, 2)
    session = _session(k, topic, 0, 1, 2)
    for epoch in range(1, 6):
        k.ask(*fetch({}, session=session, epoch=epoch, max_bytes=BATCH_BYTES))


@case
def fetch_sessions_add_and_forget_partitions(k: Talk) -> None:
    topic, other = _filled(k, 3, 1), _filled(k, 1, 1)
    session = _session(k, topic, 0)
    k.ask(*fetch({other: {0: 0}}, session=session, epoch=1))
    k.ask(*fetch({topic: {2: 0}}, session=session, epoch=2, forgotten={topic: [0]}))
    k.ask(*fetch({}, session=session, epoch=3, forgotten={topic: [0, 2, 9], k.name(): [1]}))
    k.ask(*fetch({topic: {1: 0}}, session=session, epoch=4, forgotten={topic: [1]}))


@case
def fetch_sessions_without_partitions_end(k: Talk) -> None:
    topic = _filled(k)
    session = _session(k, topic, 0)
    k.ask(*fetch({}, session=session, epoch=1, forgotten={topic: [0]}))
    k.ask(*fetch({topic: {0: 0}}, session=session, epoch=2))


@case
def fetch_sessions_may_begin_empty(k: Talk) -> None:
    topic = _filled(k)
    session = k.ask(*fetch({}, epoch=0))["SessionId"]
    k.ask(*fetch({topic: {0: 1}}, session=session, epoch=1))
    k.ask(*fetch({}, session=session, epoch=2))


@case
def fetch_sessions_repeat_errors_until_forgotten(k: Talk) -> None:
    topic, unknown = _filled(k, 2), k.name()
    session = k.ask(*fetch({topic: {0: 99, 1: 3, 9: 0}, unknown: {0: 0}}, epoch=0))["SessionId"]
    for epoch in (1, 2):
        k.ask(*fetch({}, session=session, epoch=epoch))
    k.ask(*fetch({topic: {0: 3}}, session=session, epoch=3, forgotten={unknown: [0]}))
    k.ask(*fetch({}, session=session, epoch=4, forgotten={topic: [9]}))
    k.ask(*fetch({}, session=session, epoch=5))


@case
def fetch_sessions_see_a_new_topic(k: Talk) -> None:
    topic = _filled(k)
    later = f"{topic}-later"
    session = k.ask(*fetch({topic: {0: 3}, later: {0: 0}}, epoch=0))["SessionId"]
    made = {"Name": later, "NumPartitions": 1, "ReplicationFactor": 1}
    k.do("CreateTopics", 7, {"Topics": [made], "timeoutMs": 30000})
    k.until_there(later)
    k.ask(*fetch({}, session=session, epoch=1))
    k.ask(*fetch({}, session=session, epoch=2))
    k.do(*produce({later: {0: batch()}}))
    k.ask(*fetch({}, session=session, epoch=3))


@case
def fetch_sessions_see_a_topic_that_is_deleted(k: Talk) -> None:
    topic = _filled(k)
    by_name, by_id = k.connect(), k.connect()
    session = by_name.ask(*fetch({topic: {0: 3}}, epoch=0))["SessionId"]
    topic_id = k.topic_id(topic)
    other = by_id.ask(*fetch({topic_id: {0: 3}}, epoch=0, version=17))["SessionId"]
    k.delete_topic(topic)
    by_name.ask(*fetch({}, session=session, epoch=1))
    by_id.ask(*fetch({}, session=other, epoch=1, version=17))


@case
def fetch_sessions_tell_of_a_new_log_start(k: Talk) -> None:
    topic = _filled(k)
    session = k.ask(*fetch({topic: {0: 3}}, epoch=0))["SessionId"]
    partitions = [{"PartitionIndex": 0, "Offset": 2}]
    k.do("DeleteRecords", 2, {"Topics": [{"Name": topic, "Partitions": partitions}], "TimeoutMs": 30000})
    k.ask(*fetch({}, session=session, epoch=1))
    k.ask(*fetch({}, session=session, epoch=2))


@case
def fetch_sessions_that_are_unknown(k: Talk) -> None:
    topic = _filled(k)
    topic_id = k.topic_id(topic)
    for session, epoch in ((12345, 1), (0, 1), (-1, 5), (0, -2)):
        k.ask(*fetch({topic: {0: 0}}, session=session, epoch=epoch, version=7))
        k.ask(*fetch({topic: {0: 0}}, session=session, epoch=epoch))
        k.ask(*fetch({topic_id: {0: 0}}, session=session, epoch=epoch, version=17))


@case
def fetch_sessions_refuse_a_wrong_epoch_and_live_on(k: Talk) -> None:
    topic = _filled(k)
    session = _session(k, topic, 0)
    for epoch in (2, 5, 1, 1, 2, -2, 2**31 - 1, 3):
        k.ask(*fetch({}, session=session, epoch=epoch))


@case
def fetch_sessions_of_names_and_of_ids_do_not_mix(k: Talk) -> None:
    topic = _filled(k)
    topic_id = k.topic_id(topic)
    by_name = _session(k, topic, 0)
    by_id = _session(k, topic_id, 0, version=13)
    k.ask(*fetch({topic_id: {0: 0}}, session=by_name, epoch=1, version=13))
    k.ask(*fetch({topic: {0: 0}}, session=by_id, epoch=1))
    k.ask(*fetch({}, session=by_name, epoch=1))
    k.ask(*fetch({}, session=by_id, epoch=1, version=18))
    k.ask(*fetch({topic: {0: 0}}, session=by_id, epoch=9))


@case
def fetch_sessions_are_replaced_by_epoch_0(k: Talk) -> None:
    topic = _filled(k)
    session = _session(k, topic, 0)
    second = k.ask(*fetch({topic: {0: 2}}, session=session, epoch=0))["SessionId"]
    k.ask(*fetch({}, session=session, epoch=1))
    k.ask(*fetch({}, session=second, epoch=1))
    k.keep("another id", session != second)


@case
def fetch_sessions_are_ended_by_epoch_minus_1(k: Talk) -> None:
    topic = _filled(k)
    session = _session(k, topic, 0)
    k.ask(*fetch({topic: {0: 2}}, session=session, epoch=-1))
    k.ask(*fetch({}, session=session, epoch=1))


@case
def fetch_with_epoch_minus_1_or_0_and_an_unknown_session(k: Talk) -> None:
    topic = _filled(k)
    for epoch in (-1, 0):
        k.ask(*fetch({topic: {0: 2}}, session=4711, epoch=epoch))


@case
def fetch_sessions_go_on_over_another_connection(k: Talk) -> None:
    topic = _filled(k)
    first = k.connect()
    session = first.ask(*fetch({topic: {0: 3}}, epoch=0))["SessionId"]
    first.close()
    k.do(*produce({topic: {0: batch()}}))
    k.ask(*fetch({}, session=session, epoch=1))


@case
def fetch_sessions_wait_as_well(k: Talk) -> None:
    topic = k.topic(2)
    session = _session(k, topic, 0, 1)
    waiting = k.connect()
    waiting.park(*fetch({}, session=session, epoch=1, max_wait_ms=9000, min_bytes=1))
    k.ask(*produce({topic: {1: batch()}}))
    waiting.receive()
    k.ask(*fetch({}, session=session, epoch=2, max_wait_ms=5000, min_bytes=1))
    k.took(0, 2000)
    k.ask(*fetch({topic: {1: 1}}, session=session, epoch=3, max_wait_ms=400, min_bytes=1))


@case
def fetch_sessions_in_use_while_one_waits(k: Talk) -> None:
    """The request that waits fails because another one advanced the session's epoch."""
    topic = k.topic()
    session = _session(k, topic, 0)
    waiting = k.connect()
    waiting.park(*fetch({}, session=session, epoch=1, max_wait_ms=1000, min_bytes=1))
    k.ask(*fetch({}, session=session, epoch=2))
    waiting.receive()
    k.ask(*fetch({}, session=session, epoch=3))


@case
def fetch_sessions_change_offset_and_size_of_a_partition(k: Talk) -> None:
    topic = _filled(k)
    session = _session(k, topic, 0)
    small = {"FetchOffset": 1, "PartitionMaxBytes": BATCH_BYTES}
    k.ask(*fetch({topic: {0: small}}, session=session, epoch=1))
    k.ask(*fetch({}, session=session, epoch=2))
    k.ask(*fetch({topic: {0: {"FetchOffset": 2, "CurrentLeaderEpoch": 5}}}, session=session, epoch=3))
    k.ask(*fetch({}, session=session, epoch=4))


@case
def fetch_sessions_in_every_version(k: Talk) -> None:
    topic = _filled(k, 1, 1)
    topic_id = k.topic_id(topic)
    for version in range(7, 19):
        asked = topic if version < 13 else topic_id
        session = _session(k, asked, 0, version=version)
        k.ask(*fetch({asked: {0: 1}}, session=session, epoch=1, version=version))
        k.ask(*fetch({}, session=session, epoch=2, version=version, forgotten={asked: [0]}))


@case(settings={"max.incremental.fetch.session.cache.slots": "1"})
def fetch_sessions_where_there_is_no_room(k: Talk) -> None:
    topic = _filled(k)
    first = _session(k, topic, 0)
    second = _session(k, topic, 0)
    k.keep("second", second)
    k.ask(*fetch({topic: {0: 3}}, session=first, epoch=1))
    k.ask(*fetch({topic: {0: 3}}, session=first, epoch=-1))
    _session(k, topic, 0)


@case(settings={"max.incremental.fetch.session.cache.slots": "0"})
def fetch_sessions_where_there_are_none(k: Talk) -> None:
    topic = _filled(k)
    session = _session(k, topic, 0)
    k.ask(*fetch({topic: {0: 3}}, session=session, epoch=1))


@case(settings={"fetch.max.bytes": "1024"})
def fetch_above_the_brokers_fetch_max_bytes(k: Talk) -> None:
    topic = k.topic(2)
    for _ in range(2):
        k.do(*produce({topic: {0: batch(record(b"x" * 700)), 1: batch(record(b"y" * 700))}}))
    k.ask(*fetch({topic: {0: 0, 1: 0}}, max_bytes=2**31 - 1))
    k.ask(*fetch({topic: {0: 0}}, max_bytes=2**31 - 1, min_bytes=5000, max_wait_ms=5000))
    k.took(0, 2000)


@case
def fetch_by_a_replica_is_told_the_leader_from_version_16_on(k: Talk) -> None:
    topic_id = k.topic_id(_filled(k))
    for version in (15, 16, 17, 18):
        state = {"ReplicaId": 9, "ReplicaEpoch": 1}
        k.ask(*fetch({topic_id: {0: 1, 7: 0}}, version=version, ReplicaState=state))


@case
def fetch_of_a_topic_made_again_by_name(k: Talk) -> None:
    """A session that uses names continues with the new topic."""
    topic = _filled(k)
    session = k.ask(*fetch({topic: {0: 3}}, epoch=0))["SessionId"]
    k.delete_topic(topic)
    made = {"Name": topic, "NumPartitions": 1, "ReplicationFactor": 1}
    k.do("CreateTopics", 7, {"Topics": [made], "timeoutMs": 30000})
    k.until_there(topic)
    k.ask(*fetch({}, session=session, epoch=1))
    k.ask(*fetch({topic: {0: 0}}, session=session, epoch=2))
    k.do(*produce({topic: {0: batch()}}))
    k.ask(*fetch({}, session=session, epoch=3))


@case
def fetch_of_a_topic_made_again_by_id(k: Talk) -> None:
    topic = _filled(k)
    old_id = k.topic_id(topic)
    session = k.ask(*fetch({old_id: {0: 3}}, epoch=0, version=17))["SessionId"]
    k.delete_topic(topic)
    made = {"Name": topic, "NumPartitions": 1, "ReplicationFactor": 1}
    k.do("CreateTopics", 7, {"Topics": [made], "timeoutMs": 30000})
    k.until_there(topic)
    k.ask(*fetch({old_id: {0: 0}}, version=17))
    k.ask(*fetch({}, session=session, epoch=1, version=17))
    k.ask(*fetch({k.topic_id(topic): {0: 0}}, session=session, epoch=2, version=17))
    k.ask(*fetch({}, session=session, epoch=3, version=17, forgotten={old_id: [0]}))


@case
def fetch_of_partitions_that_are_new(k: Talk) -> None:
    topic = _filled(k)
    session = k.ask(*fetch({topic: {0: 3, 1: 0}}, epoch=0))["SessionId"]
    k.do(
        "CreatePartitions",
        3,
        {"Topics": [{"Name": topic, "Count": 2, "Assignments": None}], "TimeoutMs": 30000},
    )
    k.until_there(topic, 2)
    k.ask(*fetch({}, session=session, epoch=1))
    k.do(*produce({topic: {1: batch()}}))
    k.ask(*fetch({}, session=session, epoch=2))


@case
def fetch_that_waits_is_answered_before_a_later_one(k: Talk) -> None:
    topic = k.topic()
    waiting = k.connect()
    waiting.send(*fetch({topic: {0: 0}}, max_wait_ms=1500, min_bytes=1))
    waiting.park(*fetch({topic: {0: 0}}, max_wait_ms=9000, min_bytes=1))
    waiting.receive()
    waiting.quiet()
    k.ask(*produce({topic: {0: batch()}}))
    waiting.receive()


@case
def fetches_that_wait_are_all_released_by_one_produce(k: Talk) -> None:
    topic = k.topic()
    waiting = [k.connect() for _ in range(5)]
    for peer in waiting:
        peer.send(*fetch({topic: {0: 0}}, max_wait_ms=9000, min_bytes=1))
    waiting[-1].quiet()
    k.ask(*produce({topic: {0: batch()}}))
    for peer in waiting:
        peer.receive()


@case
def fetch_of_compressed_batches_counts_their_bytes_as_they_are(k: Talk) -> None:
    topic = k.topic()
    for codec in (1, 2, 3, 4):
        k.do(*produce({topic: {0: batch(record(b"x" * 2000), compression=codec)}}))
    for size in (1, 200, 300):
        k.ask(
            *fetch({topic: {0: 0}}, partition_bytes=size),
            keep=lambda a: a["Responses"][0]["Partitions"][0]["Records"][:34],
        )


@case
def fetch_at_the_end_with_every_isolation_and_wait(k: Talk) -> None:
    topic = _filled(k)
    for isolation in (0, 1):
        k.ask(*fetch({topic: {0: 3}}, isolation=isolation, max_wait_ms=400, min_bytes=1))
        k.took(350, 4000)


@case
def fetch_sessions_with_several_topics_keep_their_order(k: Talk) -> None:
    first, second = _filled(k, 2, 1), _filled(k, 2, 1)
    session = k.ask(*fetch({second: {1: 0}, first: {0: 0, 1: 0}}, epoch=0))["SessionId"]
    k.ask(*fetch({second: {0: 0}}, session=session, epoch=1))
    k.ask(*fetch({first: {1: 1}}, session=session, epoch=2))
    k.ask(*fetch({}, session=session, epoch=3))


@case
def fetch_sessions_in_one_row_of_requests(k: Talk) -> None:
    """Requests are sent without waiting for responses. Each finds the epoch that the one before set."""
    topic = _filled(k)
    session = _session(k, topic, 0)
    for epoch in (1, 2, 2, 3):
        k.send(*fetch({}, session=session, epoch=epoch))
    for _ in range(4):
        k.receive()
