"""ListOffsets and OffsetForLeaderEpoch: offsets at the start and end of a log, at a time or an epoch."""

from __future__ import annotations

from typing import Any, Final

from tests.conformance.build import Request
from tests.conformance.build_data import batch, list_offsets, produce, record
from tests.conformance.case import Talk, case

SPECIAL: Final = (-1, -2, -3, -4, -5, -6)


def _filled(k: Talk, *times: int) -> str:
    """Create a topic with a batch of one record for each time."""
    topic = k.topic()
    for ms in times:
        k.do(*produce({topic: {0: batch(record(timestamp=ms))}}))
    return topic


def _cut(k: Talk, topic: str, offset: int) -> None:
    partitions = [{"PartitionIndex": 0, "Offset": offset}]
    k.do("DeleteRecords", 2, {"Topics": [{"Name": topic, "Partitions": partitions}], "TimeoutMs": 30000})


@case
def list_offsets_in_every_version(k: Talk) -> None:
    topic = _filled(k, 1000, 3000, 2000)
    for version in range(1, 12):
        for timestamp in (-1, -2, 1500):
            k.ask(*list_offsets({topic: {0: timestamp}}, version=version))


@case
def list_offsets_of_special_times_in_every_version(k: Talk) -> None:
    topic = _filled(k, 1000, 3000, 2000)
    for version in range(1, 12):
        for timestamp in (*SPECIAL, -7, -100, -(2**63)):
            k.ask(*list_offsets({topic: {0: timestamp}}, version=version))


@case
def list_offsets_of_an_empty_log(k: Talk) -> None:
    topic = k.topic()
    for timestamp in (*SPECIAL, 0, 5000):
        k.ask(*list_offsets({topic: {0: timestamp}}, version=11))


@case
def list_offsets_of_a_log_that_was_emptied(k: Talk) -> None:
    topic = _filled(k, 1000, 3000)
    _cut(k, topic, 2)
    for timestamp in (*SPECIAL, 0, 3000):
        k.ask(*list_offsets({topic: {0: timestamp}}, version=11))


@case
def list_offsets_of_a_log_whose_beginning_was_deleted(k: Talk) -> None:
    topic = _filled(k, 1000, 9000, 3000, 4000)
    _cut(k, topic, 2)
    for timestamp in (*SPECIAL, 0, 1000, 3500, 4000, 9000):
        k.ask(*list_offsets({topic: {0: timestamp}}, version=11))


@case
def list_offsets_by_time(k: Talk) -> None:
    """Returns the first record that is not older."""
    topic = _filled(k, 1000, 3000, 2000, 3000, -1, 5000)
    for timestamp in (0, 1000, 1001, 2000, 2500, 3000, 3001, 5000, 5001, 2**63 - 1):
        k.ask(*list_offsets({topic: {0: timestamp}}))


@case
def list_offsets_by_time_within_a_batch(k: Talk) -> None:
    topic = k.topic()
    times = (1000, 4000, 2000, 4000)
    k.do(*produce({topic: {0: batch(*(record(timestamp=ms) for ms in times))}}))
    for timestamp in (-3, 0, 1001, 2000, 2001, 4000, 4001):
        k.ask(*list_offsets({topic: {0: timestamp}}, version=7))


@case
def list_offsets_by_time_in_compressed_batches(k: Talk) -> None:
    topic = k.topic()
    for codec in (1, 2, 3, 4):
        some = (record(timestamp=codec * 1000), record(timestamp=codec * 1000 + 500))
        k.do(*produce({topic: {0: batch(*some, compression=codec)}}))
    for timestamp in (-3, 0, 1400, 1500, 2200, 3400, 4500, 4501):
        k.ask(*list_offsets({topic: {0: timestamp}}, version=7))


@case
def list_offsets_of_the_largest_time_with_ties(k: Talk) -> None:
    topic = _filled(k, 5000, 5000, 1000)
    k.ask(*list_offsets({topic: {0: -3}}, version=7))
    k.do(
        *produce({topic: {0: batch(record(timestamp=5000), record(timestamp=7000), record(timestamp=7000))}})
    )
    k.ask(*list_offsets({topic: {0: -3}}, version=7))


@case
def list_offsets_where_no_record_has_a_time(k: Talk) -> None:
    topic = _filled(k, -1, -1)
    for timestamp in (-3, 0, 5):
        k.ask(*list_offsets({topic: {0: timestamp}}, version=7))


@case
def list_offsets_in_both_isolations(k: Talk) -> None:
    topic = _filled(k, 1000, 2000)
    for isolation in (0, 1):
        for timestamp in (-1, -2, -3, 1500):
            k.ask(*list_offsets({topic: {0: timestamp}}, isolation=isolation, version=7))


@case
def list_offsets_in_an_isolation_that_is_none(k: Talk) -> None:
    topic = _filled(k, 1000, 2000)
    for isolation in (2, -1, 100):
        k.ask(*list_offsets({topic: {0: -1, 7: -1}, k.name(): {0: -1}}, isolation=isolation))


@case
def list_offsets_of_unknown_topics_and_partitions(k: Talk) -> None:
    topic = k.topic()
    for version in (1, 4, 11):
        k.ask(*list_offsets({topic: {0: -1, 1: -1, -1: -1}, k.name(): {0: -1}, "": {0: -1}}, version=version))


@case
def list_offsets_of_an_unknown_topic_with_an_unknown_time(k: Talk) -> None:
    """Shows which error has precedence."""
    for timestamp in (-7, -3):
        k.ask(*list_offsets({k.name(): {0: timestamp}}, version=6))


@case
def list_offsets_of_nothing(k: Talk) -> None:
    topic = k.topic()
    for version in (1, 11):
        k.ask(*list_offsets({}, version=version))
        k.ask(*list_offsets({topic: {}}, version=version))


def _twice(request: Request, *more: dict[str, Any]) -> Request:
    request[2]["Topics"].extend(more)
    return request


@case
def list_offsets_with_a_partition_named_twice(k: Talk) -> None:
    topic = _filled(k, 1000, 2000)
    one = {"PartitionIndex": 0, "CurrentLeaderEpoch": -1, "Timestamp": -2}
    for version in (1, 6):
        k.ask(*_twice(list_offsets({topic: {0: -1}}, version=version), {"Name": topic, "Partitions": [one]}))
        k.ask(*_twice(list_offsets({topic: {5: -1}}, version=version), {"Name": topic, "Partitions": [one]}))
    api, version, fields = list_offsets({topic: {0: -1}})
    fields["Topics"][0]["Partitions"].append({**one, "Timestamp": -9})
    k.ask(api, version, fields)


@case
def list_offsets_with_a_leader_epoch(k: Talk) -> None:
    topic = _filled(k, 1000)
    for epoch in (0, 1, 9, -1, -2):
        for timestamp in (-1, -2, 500):
            asked = {"CurrentLeaderEpoch": epoch, "Timestamp": timestamp}
            k.ask(*list_offsets({topic: {0: asked, 3: asked}}))


@case
def list_offsets_by_a_replica(k: Talk) -> None:
    topic = _filled(k, 1000)
    for replica in (-2, 0, 1, 7):
        k.ask(*list_offsets({topic: {0: -1}}, replica=replica))


@case
def list_offsets_of_a_deleted_topic(k: Talk) -> None:
    topic = _filled(k, 1000)
    k.delete_topic(topic)
    k.ask(*list_offsets({topic: {0: -1}}))


@case
def list_offsets_of_a_topic_of_append_time(k: Talk) -> None:
    topic = k.topic(message_timestamp_type="LogAppendTime")
    k.do(*produce({topic: {0: batch(record(timestamp=1000), record(timestamp=2000))}}))
    for timestamp in (-3, 0, 2000, 2**62):
        k.ask(*list_offsets({topic: {0: timestamp}}, version=7))


@case
def list_offsets_with_odd_timeouts(k: Talk) -> None:
    topic = _filled(k, 1000)
    for timeout_ms in (0, -1):
        api, version, fields = list_offsets({topic: {0: 1000}}, version=11)
        k.ask(api, version, fields | {"TimeoutMs": timeout_ms})


@case
def list_offsets_in_removed_versions_closes_the_connection(k: Talk) -> None:
    topic = k.topic()
    for version in (0, 12):
        peer = k.connect()
        frame = bytearray(peer.frame(*list_offsets({topic: {0: -1}}, version=1)))
        frame[6:8] = version.to_bytes(2, "big")
        peer.send_raw(bytes(frame))
        peer.closed()


def _epochs(topics: dict[str, dict[int, tuple[int, int]]], *, replica: int = -1, version: int = 4) -> Request:
    """Build an OffsetForLeaderEpoch. topics: name to partition to (current epoch, requested epoch)."""
    asked = [
        {
            "Topic": topic,
            "Partitions": [
                {"Partition": index, "CurrentLeaderEpoch": current, "LeaderEpoch": epoch}
                for index, (current, epoch) in partitions.items()
            ],
        }
        for topic, partitions in topics.items()
    ]
    return "OffsetForLeaderEpoch", version, {"ReplicaId": replica, "Topics": asked}


@case
def leader_epoch_ends_in_every_version(k: Talk) -> None:
    topic = _filled(k, 1000, 2000)
    for version in (2, 3, 4):
        for epoch in (0, 1, 9, -1, -5):
            k.ask(*_epochs({topic: {0: (-1, epoch)}}, version=version))


@case
def leader_epoch_ends_with_a_current_epoch(k: Talk) -> None:
    topic = _filled(k, 1000, 2000)
    for current in (0, 1, -1, -7):
        k.ask(*_epochs({topic: {0: (current, 0)}}))


@case
def leader_epoch_ends_of_an_empty_log(k: Talk) -> None:
    topic = k.topic()
    for epoch in (0, 1, -1):
        k.ask(*_epochs({topic: {0: (-1, epoch)}}))


@case
def leader_epoch_ends_of_a_log_that_was_cut(k: Talk) -> None:
    topic = _filled(k, 1000, 2000, 3000)
    for offset in (1, 3):
        _cut(k, topic, offset)
        k.ask(*_epochs({topic: {0: (-1, 0)}}))
        k.ask(*_epochs({topic: {0: (-1, 1)}}))


@case
def leader_epoch_ends_of_unknown_topics_and_partitions(k: Talk) -> None:
    topic = _filled(k, 1000)
    for version in (2, 4):
        k.ask(
            *_epochs({k.name(): {0: (-1, 0)}, topic: {1: (-1, 0), -1: (5, 0), 0: (-1, 0)}}, version=version)
        )
        k.ask(*_epochs({}, version=version))
        k.ask(*_epochs({topic: {}}, version=version))


@case
def leader_epoch_ends_for_replicas(k: Talk) -> None:
    topic = _filled(k, 1000)
    for replica in (-2, 0, 1, 9):
        k.ask(*_epochs({topic: {0: (-1, 0)}}, replica=replica))


@case
def leader_epoch_ends_with_a_partition_named_twice(k: Talk) -> None:
    topic = _filled(k, 1000)
    api, version, fields = _epochs({topic: {0: (-1, 0)}})
    fields["Topics"] += _epochs({topic: {0: (-1, 5), 1: (-1, 0)}})[2]["Topics"]
    k.ask(api, version, fields)


@case
def list_offsets_of_a_topic_made_again(k: Talk) -> None:
    topic = _filled(k, 1000, 2000)
    k.delete_topic(topic)
    made = {"Name": topic, "NumPartitions": 1, "ReplicationFactor": 1}
    k.do("CreateTopics", 7, {"Topics": [made], "timeoutMs": 30000})
    k.until_there(topic)
    for timestamp in (-1, -2, -3, 1000):
        k.ask(*list_offsets({topic: {0: timestamp}}, version=7))


@case
def list_offsets_of_several_topics(k: Talk) -> None:
    first, second = _filled(k, 1000, 2000), _filled(k, 5000)
    k.ask(*list_offsets({first: {0: -1}, second: {0: -2}, k.name(): {0: -1}}))
    k.ask(*list_offsets({first: {0: 1500}, second: {0: 6000}}, isolation=1))


@case
def list_offsets_of_internal_topics(k: Talk) -> None:
    k.group()
    k.ask(*list_offsets({"__consumer_offsets": {0: -2, 99: -1}}))


@case
def list_offsets_by_time_over_many_batches(k: Talk) -> None:
    """The log has more than one index entry."""
    topic = k.topic(index_interval_bytes="100")
    for number in range(50):
        k.do(*produce({topic: {0: batch(record(b"x" * 100, timestamp=1000 + 10 * number))}}))
    for timestamp in (1000, 1001, 1095, 1250, 1255, 1480, 1490, 1491):
        k.ask(*list_offsets({topic: {0: timestamp}}))


@case
def list_offsets_by_time_where_times_go_back(k: Talk) -> None:
    topic = k.topic(index_interval_bytes="0")
    for ms in (5000, 1000, 6000, 2000, 7000, 500):
        k.do(*produce({topic: {0: batch(record(timestamp=ms))}}))
    for timestamp in (-3, 0, 501, 1500, 5001, 6001, 7000, 7001):
        k.ask(*list_offsets({topic: {0: timestamp}}, version=7))
