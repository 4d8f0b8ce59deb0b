"""Produce: accepted batches and their offsets, and refused ones with error codes and messages."""

from __future__ import annotations

from typing import Any, Final

from tests.conformance.build_admin import DELETE, SET, TOPIC, change, delete_records
from tests.conformance.build_data import batch, bent, fetch, fetched, list_offsets, produce, record
from tests.conformance.case import ZERO_UUID, Fields, Talk, case
from tidemark_protocol.compression import Codec, compress

UNKNOWN_UUID: Final = "11111111-2222-3333-4444-555555555555"
TRANSACTIONAL_ID_AUTHORIZATION_FAILED: Final = 53
COMPRESSED: Final = (Codec.GZIP, Codec.SNAPPY, Codec.LZ4, Codec.ZSTD)
MESSAGE_V0: Final = bytes.fromhex("000000000000000000000013a3b9b0c80000000000016b0000000476616c75")
MESSAGE_V1: Final = bytes.fromhex(
    "00000000000000000000001ba3b9b0c8010000000000000003e8000000016b0000000476616c75"
)


def _ends(k: Talk, topic: str, partitions: int = 1) -> None:
    """Keep the offsets at the ends of the logs."""
    k.ask(*list_offsets({topic: dict.fromkeys(range(partitions), -1)}))


@case
def produce_in_every_version_by_name(k: Talk) -> None:
    topic = k.topic(2)
    for version in range(3, 13):
        k.ask(*produce({topic: {0: batch(), 1: batch(record(), record())}}, version=version))


@case
def produce_in_version_13_by_id(k: Talk) -> None:
    topic = k.topic(2)
    topic_id = k.topic_id(topic)
    k.ask(*produce({topic_id: {0: batch(), 1: batch()}}, version=13))
    k.ask(*produce({topic_id: {2: batch()}, UNKNOWN_UUID: {0: batch()}, ZERO_UUID: {0: batch()}}, version=13))
    k.ask(*produce({ZERO_UUID: {0: batch()}, topic_id: {0: b"", 1: batch()}}, version=13))


@case
def produce_below_version_3_closes_the_connection(k: Talk) -> None:
    topic = k.topic()
    for version in (0, 1, 2):
        peer = k.connect()
        frame = bytearray(peer.frame(*produce({topic: {0: batch()}}, version=3)))
        frame[6:8] = version.to_bytes(2, "big")
        peer.send_raw(bytes(frame))
        peer.closed()


@case
def produce_in_version_14_closes_the_connection(k: Talk) -> None:
    topic = k.topic()
    frame = bytearray(k.frame(*produce({topic: {0: batch()}}, version=12)))
    frame[6:8] = (14).to_bytes(2, "big")
    k.send_raw(bytes(frame))
    k.closed()


@case
def produce_with_acks_1_and_all(k: Talk) -> None:
    topic = k.topic()
    for acks in (1, -1):
        k.ask(*produce({topic: {0: batch()}}, acks=acks))


@case
def produce_with_acks_that_are_none(k: Talk) -> None:
    """Errors that are found before acks is checked keep their own code."""
    topic = k.topic(5)
    what = {
        topic: {0: batch(), 1: b"", 2: batch() + batch(), 3: bent(batch(), 40, b"xx", crc=False), 9: batch()},
        k.name(): {0: batch()},
        "__consumer_offsets": {0: batch()},
    }
    k.group()
    for acks in (2, -2, 32767):
        k.ask(*produce(what, acks=acks))
    _ends(k, topic)


@case
def produce_with_acks_0_is_not_answered(k: Talk) -> None:
    topic = k.topic()
    k.send_raw(k.frame(*produce({topic: {0: batch()}}, acks=0)))
    _ends(k, topic)


@case
def produce_with_acks_0_to_an_unknown_topic_closes_the_connection(k: Talk) -> None:
    k.send_raw(k.frame(*produce({k.name(): {0: batch()}}, acks=0)))
    k.closed()


@case
def produce_with_acks_0_and_one_bad_partition_writes_the_other_and_closes_the_connection(k: Talk) -> None:
    topic = k.topic(2)
    peer = k.connect()
    peer.send_raw(peer.frame(*produce({topic: {0: bent(batch(), 62, b"x", crc=False), 1: batch()}}, acks=0)))
    peer.closed()
    _ends(k, topic, 2)


@case
def produce_with_acks_0_and_no_topics_is_not_answered(k: Talk) -> None:
    k.send_raw(k.frame(*produce({}, acks=0)))
    k.ask("ApiVersions", 0, {}, keep=lambda a: a["ErrorCode"])


@case
def produce_of_no_topics_and_no_partitions(k: Talk) -> None:
    topic = k.topic()
    for version in (3, 9):
        k.ask(*produce({}, version=version))
        k.ask(*produce({topic: {}}, version=version))
    k.ask(*produce({}, acks=7))


@case
def produce_with_a_zero_and_a_negative_timeout(k: Talk) -> None:
    topic = k.topic()
    for timeout_ms in (0, -1, -(2**31)):
        k.ask(*produce({topic: {0: batch()}}, timeout_ms=timeout_ms))


@case
def produce_to_unknown_topics_and_partitions(k: Talk) -> None:
    topic = k.topic(2)
    what = {
        k.name(): {0: batch()},
        topic: {2: batch(), -1: batch(), 0: batch()},
        "": {0: batch()},
        "no/topic": {0: batch()},
        "x" * 250: {0: batch()},
    }
    for version in (3, 8, 12):
        k.ask(*produce(what, version=version))


@case
def produce_does_not_create_topics(k: Talk) -> None:
    name = k.name()
    k.ask(*produce({name: {0: batch()}}))
    k.ask(
        "Metadata",
        12,
        {"Topics": [{"Name": name}], "AllowAutoTopicCreation": False},
        keep=lambda a: a["Topics"],
    )


@case
def produce_to_a_deleted_topic(k: Talk) -> None:
    topic = k.topic()
    topic_id = k.topic_id(topic)
    k.delete_topic(topic)
    k.ask(*produce({topic: {0: batch()}}))
    k.ask(*produce({topic_id: {0: batch()}}, version=13))


@case
def produce_with_a_partition_and_a_topic_named_twice(k: Talk) -> None:
    topic, other = k.topic(2), k.topic()
    api, version, fields = produce({topic: {0: batch()}, other: {0: batch()}})
    data = fields["TopicData"]
    again = {"Index": 0, "Records": batch(record(b"a"), record(b"b")).hex()}
    data[0]["PartitionData"].append(again)
    data.append({"Name": topic, "PartitionData": [{"Index": 1, "Records": batch().hex()}]})
    k.ask(api, version, fields)
    _ends(k, topic, 2)


@case
def produce_to_an_internal_topic(k: Talk) -> None:
    k.group()
    k.ask(*produce({"__consumer_offsets": {0: batch()}}))
    k.ask(*produce({"__consumer_offsets": {0: b"", 1: batch() + batch(), 99: batch()}}))


@case
def produce_to_an_internal_topic_by_the_admin_client(k: Talk) -> None:
    k.group()
    key = bytes.fromhex("0063")  # a version that no reader knows
    request = produce({"__consumer_offsets": {0: batch(record(key=key))}})
    k.connect("__admin_client").ask(
        *request, keep=lambda a: a["Responses"][0]["PartitionResponses"][0]["ErrorCode"]
    )


@case
def produce_of_nothing(k: Talk) -> None:
    topic = k.topic()
    for version in (3, 7, 8, 12):
        k.ask(*produce({topic: {0: b""}}, version=version))


@case
def produce_of_null_records_is_not_answered_nor_is_what_follows(k: Talk) -> None:
    topic = k.topic(2)
    stuck = k.connect()
    stuck.send_raw(stuck.frame(*produce({topic: {0: None, 1: batch()}})))
    stuck.send_raw(stuck.frame(*list_offsets({topic: {0: -1}})))
    stuck.quiet()
    _ends(k, topic, 2)


@case
def produce_of_null_records_with_acks_0(k: Talk) -> None:
    topic = k.topic(2)
    stuck = k.connect()
    stuck.send_raw(stuck.frame(*produce({topic: {0: None}}, acks=0)))
    stuck.send_raw(stuck.frame(*list_offsets({topic: {0: -1}})))
    stuck.quiet()


@case
def produce_of_a_cut_batch(k: Talk) -> None:
    topic = k.topic()
    whole = batch()
    for size in (1, 11, 12, 16, 17, 18, 30, 60, 61, len(whole) - 1):
        k.ask(*produce({topic: {0: whole[:size]}}))
    _ends(k, topic)


@case
def produce_of_a_batch_with_bytes_behind_it(k: Talk) -> None:
    """Trailing bytes that cannot be another batch are ignored."""
    topic = k.topic()
    for more in (
        b"\0",
        b"\0" * 11,
        b"\0" * 12,
        b"\0" * 17,
        b"\xff" * 8,
        batch()[:-1],
        batch()[:16],
        MESSAGE_V1,
    ):
        k.ask(*produce({topic: {0: batch() + more}}))
    _ends(k, topic)


@case
def produce_of_more_than_one_batch(k: Talk) -> None:
    topic = k.topic()
    k.ask(*produce({topic: {0: batch() + batch()}}))
    k.ask(*produce({topic: {0: batch() + batch() + batch()}}, version=12))
    _ends(k, topic)


@case
def produce_of_old_message_sets(k: Talk) -> None:
    topic = k.topic()
    for message in (
        MESSAGE_V0,
        MESSAGE_V1,
        MESSAGE_V1 + MESSAGE_V1,
        MESSAGE_V0 + batch(),
        batch() + MESSAGE_V0,
    ):
        for version in (3, 9):
            k.ask(*produce({topic: {0: message}}, version=version))


@case
def produce_of_an_unknown_magic(k: Talk) -> None:
    topic = k.topic()
    for magic in (b"\x03", b"\x7f", b"\xff", b"\x80"):
        for version in (3, 9):
            k.ask(*produce({topic: {0: bent(batch(), 16, magic)}}, version=version))
    k.ask(*produce({topic: {0: batch() + bent(batch(), 16, b"\x05")}}))


@case
def produce_of_a_batch_with_an_impossible_length(k: Talk) -> None:
    topic = k.topic()
    for length in (-1, 0, 1, 13, 14, 48, 49, 2**31 - 1):
        k.ask(*produce({topic: {0: bent(batch(), 8, length.to_bytes(4, "big", signed=True), crc=False)}}))
    _ends(k, topic)


@case
def produce_of_a_batch_that_does_not_fit_its_crc(k: Talk) -> None:
    topic = k.topic()
    whole = batch()
    for at in (17, 22, 26, 40, 61, len(whole) - 1):
        k.ask(*produce({topic: {0: bent(whole, at, bytes([whole[at] ^ 1]), crc=False)}}))
    _ends(k, topic)


@case
def produce_of_a_batch_with_a_base_offset(k: Talk) -> None:
    topic = k.topic()
    for offset in (1, 100, -1, 2**63 - 1):
        k.ask(*produce({topic: {0: bent(batch(), 0, offset.to_bytes(8, "big", signed=True), crc=False)}}))
    _ends(k, topic)


@case
def produce_stamps_the_leader_epoch(k: Talk) -> None:
    topic = k.topic()
    k.ask(*produce({topic: {0: batch(leader_epoch=77)}}))
    k.ask(*produce({topic: {0: batch(leader_epoch=-1)}}))
    k.ask(*fetch({topic: {0: 0}}))


@case
def produce_of_counts_that_do_not_fit(k: Talk) -> None:
    """The count is checked against the last offset delta first, then against the records."""
    topic = k.topic()
    whole = batch(record(), record())
    for delta, count in ((0, 2), (2, 2), (1, 1), (1, 3), (-1, 0), (1, 0), (1, -1), (2, 3), (0, 1)):
        numbers = (delta.to_bytes(4, "big", signed=True), count.to_bytes(4, "big", signed=True))
        k.ask(*produce({topic: {0: bent(bent(whole, 23, numbers[0]), 57, numbers[1])}}))
    k.ask(*produce({topic: {0: bent(batch()[:61], 8, (49).to_bytes(4, "big"))}}))
    _ends(k, topic)


@case
def produce_of_a_control_batch(k: Talk) -> None:
    topic = k.topic()
    k.ask(*produce({topic: {0: batch(record(key=b"\0\0\0\1"), attributes=0x20)}}))
    k.ask(
        *produce(
            {topic: {0: batch(record(key=b"\0\0\0\1"), attributes=0x20, producer_id=77, producer_epoch=0)}}
        )
    )


@case
def produce_of_attributes_that_only_brokers_set(k: Talk) -> None:
    """The attributes have a delete horizon, or undefined bits."""
    topic = k.topic()
    for attributes in (0x40, 0x80, 0x100, 0x4000):
        k.ask(*produce({topic: {0: batch(attributes=attributes)}}))
    k.ask(*fetch({topic: {0: 0}}))


@case
def produce_in_every_codec_is_kept_as_it_is(k: Talk) -> None:
    topic = k.topic()
    some = [
        record(b"a" * 100),
        record(b"b" * 100, key=None),
        record(None),
        record(headers=(("h", b"1"), ("h", None))),
    ]
    for codec in (Codec.NONE, *COMPRESSED):
        k.ask(*produce({topic: {0: batch(*some, compression=codec)}}))
    k.ask(*fetch({topic: {0: 0}}), keep=fetched)


@case
def produce_of_zstd_before_version_7(k: Talk) -> None:
    topic = k.topic()
    for version in range(3, 8):
        k.ask(*produce({topic: {0: batch(compression=Codec.ZSTD)}}, version=version))
    for codec in (Codec.GZIP, Codec.SNAPPY, Codec.LZ4):
        k.ask(*produce({topic: {0: batch(compression=codec)}}, version=3))
    k.ask(*produce({topic: {0: batch(compression=Codec.ZSTD) + batch()}}, version=3))
    k.ask(*produce({topic: {0: batch() + batch(compression=Codec.ZSTD)}}, version=3))
    k.ask(*produce({topic: {0: batch(compression=Codec.ZSTD)}}, version=3, acks=5))


@case
def produce_of_an_unknown_codec(k: Talk) -> None:
    topic = k.topic()
    for codec in (5, 6, 7):
        k.ask(*produce({topic: {0: batch(attributes=codec)}}))
    _ends(k, topic)


@case
def produce_of_what_cannot_be_decompressed(k: Talk) -> None:
    topic = k.topic()
    for codec in COMPRESSED:
        k.ask(*produce({topic: {0: batch(attributes=codec)}}))
        whole = batch(compression=codec)
        k.ask(*produce({topic: {0: bent(whole, len(whole) - 6, b"\xff\xff\xff\xff\xff\xff")}}))
    _ends(k, topic)


@case
def produce_of_compressed_records_that_cannot_be_read(k: Talk) -> None:
    topic = k.topic()
    for body in (b"", b"\x7e", batch()[61:] + b"\0", batch()[61:-1], batch()[61:] * 2):
        for codec in COMPRESSED:
            packed = compress(codec, body)
            data = batch()[:61] + packed
            data = bent(data, 8, (len(data) - 12).to_bytes(4, "big"))
            k.ask(*produce({topic: {0: bent(data, 21, codec.to_bytes(2, "big"))}}))


@case
def produce_of_records_that_cannot_be_read(k: Talk) -> None:
    """Lengths exceed the batch, are negative, or leave bytes over."""
    topic = k.topic()
    whole = batch()
    k.ask(*produce({topic: {0: bent(whole, 61, b"\x7e")}}))
    k.ask(*produce({topic: {0: bent(whole, 61, b"\x01")}}))
    k.ask(*produce({topic: {0: bent(whole, 61, b"\x02")}}))
    k.ask(*produce({topic: {0: bent(whole, 65, b"\x7e")}}))
    k.ask(*produce({topic: {0: bent(whole, 65, b"\x03")}}))
    k.ask(*produce({topic: {0: bent(whole, len(whole) - 1, b"\x02")}}))
    k.ask(*produce({topic: {0: bent(whole, len(whole) - 1, b"\x01")}}))
    longer = whole + b"\0"
    k.ask(*produce({topic: {0: bent(longer, 8, (len(longer) - 12).to_bytes(4, "big"))}}))
    _ends(k, topic)


@case
def produce_of_record_offsets_that_do_not_follow(k: Talk) -> None:
    """Batches are stored as sent, or compressed again."""
    for codec in ("producer", "gzip", "uncompressed"):
        topic = k.topic(compression_type=codec)
        two = batch(record(), record())
        for offset_delta in (b"\x02", b"\x01", b"\x08"):
            k.ask(*produce({topic: {0: bent(two, 64, offset_delta)}}))
        k.ask(*fetch({topic: {0: 0}}), keep=fetched)


@case
def produce_of_compressed_offsets_that_do_not_follow(k: Talk) -> None:
    for codec in ("producer", "gzip", "lz4"):
        topic = k.topic(compression_type=codec)
        two = bent(batch(record(), record()), 64, b"\2")
        data = two[:61] + compress(Codec.GZIP, two[61:])
        data = bent(data, 8, (len(data) - 12).to_bytes(4, "big"))
        k.ask(*produce({topic: {0: bent(data, 21, b"\0\x01")}}))
        k.ask(*fetch({topic: {0: 0}}), keep=fetched)


@case
def produce_is_compressed_as_the_topic_says(k: Talk) -> None:
    some = [record(b"a" * 100, timestamp=5000), record(b"b" * 100, key=None, timestamp=4000), record(None)]
    for codec in ("uncompressed", "gzip", "snappy", "lz4", "zstd"):
        topic = k.topic(compression_type=codec)
        for given in (Codec.NONE, *COMPRESSED):
            k.ask(*produce({topic: {0: batch(*some, compression=given)}}))
        k.ask(*fetch({topic: {0: 0}}), keep=fetched)


@case
def produce_that_is_compressed_anew_keeps_its_producer(k: Talk) -> None:
    topic = k.topic(compression_type="zstd")
    k.ask(
        *produce({topic: {0: batch(record(), record(), producer_id=40, producer_epoch=2, base_sequence=7)}})
    )
    k.ask(*fetch({topic: {0: 0}}), keep=fetched)


@case
def produce_of_keyless_records_to_a_compacted_topic(k: Talk) -> None:
    for policy in ("compact", "compact,delete"):
        topic = k.topic(cleanup_policy=policy)
        keyless = record(key=None)
        for given in ([keyless], [record(), keyless], [keyless] * 5, [record(key=b"")], [record(None)]):
            k.ask(*produce({topic: {0: batch(*given)}}))
        k.ask(*produce({topic: {0: batch(keyless, compression=Codec.GZIP)}}))
        _ends(k, topic)


@case
def produce_refusals_in_versions_without_messages(k: Talk) -> None:
    topic = k.topic(cleanup_policy="compact")
    for version in range(3, 13):
        k.ask(*produce({topic: {0: batch(record(key=None))}}, version=version))


@case
def produce_of_times_that_are_too_old_or_too_new(k: Talk) -> None:
    now = k.broker.wall_ms()
    topic = k.topic(message_timestamp_before_max_ms="60000", message_timestamp_after_max_ms="60000")
    old, new, good = (record(timestamp=now + ms) for ms in (-3_600_000, 3_600_000, 0))
    for given in ([old], [new], [good, old, good, new], [good], [record(timestamp=-1)], [old] * 5):
        k.ask(*produce({topic: {0: batch(*given)}}))
    k.ask(*produce({topic: {0: batch(good, old, compression=Codec.LZ4)}}))
    for version in (3, 7):
        k.ask(*produce({topic: {0: batch(old)}}, version=version))
    _ends(k, topic)


@case
def produce_of_a_time_more_than_an_hour_ahead(k: Talk) -> None:
    topic = k.topic()
    k.ask(*produce({topic: {0: batch(record(timestamp=k.broker.wall_ms() + 3_700_000))}}))
    k.ask(*produce({topic: {0: batch(record(timestamp=k.broker.wall_ms() + 3_500_000))}}))


@case
def produce_of_keyless_records_with_bad_times(k: Talk) -> None:
    """One bad time decides the error code. A record without a key hides its time."""
    topic = k.topic(cleanup_policy="compact", message_timestamp_before_max_ms="60000")
    now = k.broker.wall_ms()
    keyless, old = record(key=None, timestamp=now), record(timestamp=now - 3_600_000)
    both = record(key=None, timestamp=now - 3_600_000)
    for given in ([keyless, old], [old, keyless], [both], [both, both], [both, old]):
        k.ask(*produce({topic: {0: batch(*given)}}))


@case
def produce_of_odd_times(k: Talk) -> None:
    topic = k.topic(message_timestamp_after_max_ms=str(2**63 - 1))
    for times in ((-1,), (0,), (5000, 1000), (1000, 9000, 2000), (-1, 7), (-5,), (2**62,)):
        k.ask(*produce({topic: {0: batch(*(record(timestamp=ms) for ms in times))}}))
    k.ask(*produce({topic: {0: batch(record(timestamp=10), max_timestamp=99)}}))
    k.ask(*produce({topic: {0: batch(record(timestamp=10), max_timestamp=99, compression=Codec.GZIP)}}))
    k.ask(*fetch({topic: {0: 0}}), keep=fetched)


@case
def produce_to_a_topic_of_append_time(k: Talk) -> None:
    topic = k.topic(message_timestamp_type="LogAppendTime")
    for codec in (Codec.NONE, Codec.GZIP):
        k.ask(*produce({topic: {0: batch(record(), record(timestamp=-1), compression=codec)}}))
    k.ask(*produce({topic: {0: batch(record(timestamp=2**62))}}, version=3))
    k.ask(*fetch({topic: {0: 0}}), keep=lambda a: len(a["Responses"][0]["Partitions"][0]["Records"]))


@case
def produce_of_batches_that_claim_append_time(k: Talk) -> None:
    for kind in ("CreateTime", "LogAppendTime"):
        for codec in (Codec.NONE, Codec.GZIP):
            topic = k.topic(message_timestamp_type=kind)
            some = batch(
                record(), record(None, key=None), compression=codec, attributes=8, max_timestamp=5000
            )
            k.ask(*produce({topic: {0: some}}))
            k.ask(*fetch({topic: {0: 0}}), keep=fetched)


@case
def produce_of_a_batch_that_is_too_large(k: Talk) -> None:
    topic = k.topic(max_message_bytes="100")
    for size in (10, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 200):
        k.ask(*produce({topic: {0: batch(record(b"x" * size))}}))
    k.ask(*produce({topic: {0: bent(batch(record(b"x" * 500)), 62, b"xx", crc=False)}}))
    k.ask(*produce({topic: {0: bent(batch(record(b"x" * 500)), 0, b"\0\0\0\0\0\0\0\5", crc=False)}}))
    k.ask(*produce({topic: {0: bent(batch(record(b"x" * 500)), 57, b"\0\0\0\5")}}))


@case
def produce_that_is_too_large_once_it_is_decompressed(k: Talk) -> None:
    topic = k.topic(max_message_bytes="200", compression_type="uncompressed")
    k.ask(*produce({topic: {0: batch(record(b"x" * 500), compression=Codec.GZIP)}}))
    topic = k.topic(max_message_bytes="200")
    k.ask(*produce({topic: {0: batch(record(b"x" * 500), compression=Codec.GZIP)}}))
    topic = k.topic(max_message_bytes="200", compression_type="gzip")
    k.ask(*produce({topic: {0: batch(record(b"x" * 500))}}))
    k.ask(*produce({topic: {0: batch(record(b"x" * 20))}}))


@case
def produce_of_a_batch_larger_than_a_segment(k: Talk) -> None:
    topic = k.topic(max_message_bytes="4000000", segment_bytes="1048576")
    for size in (1_048_576 - 200, 1_048_576, 3_000_000):
        k.ask(*produce({topic: {0: batch(record(b"x" * size))}}))
    k.ask(*produce({topic: {0: batch(record(b"x" * 4_000_000))}}))


@case
def produce_of_a_megabyte_and_more(k: Talk) -> None:
    """The batch reaches the default of message.max.bytes exactly, then exceeds it."""
    topic = k.topic()
    overhead = len(batch(record(b"x" * 1_000_000))) - 1_000_000
    for size in (1_048_588, 1_048_589):
        k.ask(*produce({topic: {0: batch(record(b"x" * (size - overhead)))}}))


@case
def produce_with_too_few_replicas(k: Talk) -> None:
    topic = k.topic(min_insync_replicas="2")
    for acks in (-1, 1):
        k.ask(*produce({topic: {0: batch()}}, acks=acks))


@case
def produce_of_a_transactional_batch_without_a_transactional_id(k: Talk) -> None:
    """It makes the whole request fail."""
    topic = k.topic(2)
    transactional = batch(attributes=0x10, producer_id=9, producer_epoch=0, base_sequence=0)
    k.ask(*produce({topic: {0: transactional, 1: batch()}, k.name(): {0: batch()}}))
    k.ask(*produce({topic: {0: batch(), 7: b""}, k.name(): {0: transactional}}, version=3, acks=1))
    _ends(k, topic, 2)


@case
def produce_of_a_transactional_batch_with_a_transactional_id(k: Talk) -> None:
    topic = k.topic()
    transactional = batch(attributes=0x10, producer_id=9, producer_epoch=0, base_sequence=0)
    response = k.do(*produce({topic: {0: transactional}}, transactional_id=k.name(), version=11))
    refused = response["Responses"][0]["PartitionResponses"][0]["ErrorCode"]
    k.keep("as not allowed", refused == TRANSACTIONAL_ID_AUTHORIZATION_FAILED)


@case
def produce_of_a_plain_batch_with_a_transactional_id(k: Talk) -> None:
    topic = k.topic()
    for transactional_id in (k.name(), ""):
        k.ask(*produce({topic: {0: batch()}}, transactional_id=transactional_id))


@case
def produce_of_odd_records(k: Talk) -> None:
    """Empty and null keys and values, many headers, a header name that is not UTF-8, a large batch."""
    topic = k.topic()
    odd = (
        record(b"", key=b""),
        record(None, key=None),
        record(headers=tuple((f"h{n}", None if n % 2 else b"v") for n in range(20))),
        record(headers=(("", b""),)),
    )
    k.ask(*produce({topic: {0: batch(*odd)}}))
    k.ask(*produce({topic: {0: batch(*[record()] * 1000)}}))
    k.ask(*fetch({topic: {0: 0}}))


@case
def produce_of_records_with_attributes(k: Talk) -> None:
    topic = k.topic()
    k.ask(*produce({topic: {0: bent(batch(), 62, b"\x7f")}}))
    k.ask(*fetch({topic: {0: 0}}))


@case
def produces_in_a_row_are_answered_in_order(k: Talk) -> None:
    topic = k.topic(2)
    for index in (0, 1, 0, 9, 1, 0):
        k.send(*produce({topic: {index: batch()}}))
    for _ in range(6):
        k.receive()


# Producers


def _from(producer: int, epoch: int, sequence: int, count: int = 1, timestamp: int = 1000) -> bytes:
    some = [record(timestamp=timestamp)] * count
    return batch(*some, producer_id=producer, producer_epoch=epoch, base_sequence=sequence)


@case
def produce_of_a_producers_batches_in_sequence(k: Talk) -> None:
    topic = k.topic(2)
    for sequence, count in ((0, 1), (1, 3), (4, 1)):
        k.ask(*produce({topic: {0: _from(50, 0, sequence, count)}}))
    k.ask(*produce({topic: {1: _from(50, 0, 0)}}))
    k.ask(*fetch({topic: {0: 0}}))


@case
def produce_of_duplicates_is_answered_with_the_first_ones_offset(k: Talk) -> None:
    topic = k.topic()
    for sequence in range(7):
        k.ask(*produce({topic: {0: _from(51, 0, sequence, timestamp=1000 + sequence)}}))
    for sequence in range(7):
        k.ask(*produce({topic: {0: _from(51, 0, sequence, timestamp=9000)}}))
    k.ask(*produce({topic: {0: _from(51, 0, 7)}}))
    _ends(k, topic)


@case
def produce_of_duplicates_with_another_end(k: Talk) -> None:
    topic = k.topic()
    k.ask(*produce({topic: {0: _from(52, 0, 0, 3)}}))
    k.ask(*produce({topic: {0: _from(52, 0, 3, 3)}}))
    for sequence, count in ((3, 2), (3, 4), (2, 1), (0, 3), (0, 6), (4, 2)):
        k.ask(*produce({topic: {0: _from(52, 0, sequence, count)}}))
    _ends(k, topic)


@case
def produce_out_of_sequence(k: Talk) -> None:
    topic = k.topic()
    k.ask(*produce({topic: {0: _from(53, 0, 0, 2)}}))
    for sequence in (3, 1, 100, 2**31 - 1):
        k.ask(*produce({topic: {0: _from(53, 0, sequence)}}))
    k.ask(*produce({topic: {0: _from(53, 0, 2)}}))


@case
def produce_of_an_unknown_producer_may_begin_anywhere(k: Talk) -> None:
    topic = k.topic()
    k.ask(*produce({topic: {0: _from(54, 3, 1000)}}))
    k.ask(*produce({topic: {0: _from(54, 3, 1001)}}))
    k.ask(*produce({topic: {0: _from(54, 3, 0)}}))


@case
def produce_of_another_epoch(k: Talk) -> None:
    topic = k.topic()
    k.ask(*produce({topic: {0: _from(55, 5, 0)}}))
    for epoch, sequence in (
        (4, 1),
        (4, 0),
        (6, 1),
        (6, 0),
        (5, 1),
        (5, 0),
        (6, 1),
        (32767, 0),
        (6, 2),
        (0, 0),
    ):
        k.ask(*produce({topic: {0: _from(55, epoch, sequence)}}))


@case
def produce_of_a_producer_with_a_negative_epoch(k: Talk) -> None:
    topic = k.topic()
    for epoch, sequence in ((-1, 0), (-2, 0), (-1, 1), (0, 0)):
        k.ask(*produce({topic: {0: _from(56, epoch, sequence)}}))


@case
def produce_of_a_producer_without_a_sequence(k: Talk) -> None:
    topic = k.topic()
    for sequence in (-1, -2):
        k.ask(*produce({topic: {0: _from(57, 0, sequence)}}))


@case
def produce_of_a_sequence_without_a_producer(k: Talk) -> None:
    topic = k.topic()
    for _ in range(2):
        k.ask(*produce({topic: {0: _from(-1, -1, 5)}}))
        k.ask(*produce({topic: {0: _from(-2, 0, 0)}}))
    k.ask(*fetch({topic: {0: 0}}))


@case
def produce_of_sequences_that_wrap(k: Talk) -> None:
    topic = k.topic()
    k.ask(*produce({topic: {0: _from(58, 0, 2**31 - 2)}}))
    k.ask(*produce({topic: {0: _from(58, 0, 2**31 - 1)}}))
    k.ask(*produce({topic: {0: _from(58, 0, 0)}}))
    topic = k.topic()
    k.ask(*produce({topic: {0: _from(58, 0, 2**31 - 2, 4)}}))
    k.ask(*produce({topic: {0: _from(58, 0, 2)}}))
    k.ask(*produce({topic: {0: _from(58, 0, 2**31 - 2, 4)}}))


@case
def produce_of_a_duplicate_to_a_topic_of_append_time(k: Talk) -> None:
    topic = k.topic(message_timestamp_type="LogAppendTime")
    for _ in range(2):
        k.ask(*produce({topic: {0: _from(59, 0, 0)}}))


@case
def produce_that_is_refused_leaves_the_producer_as_it_was(k: Talk) -> None:
    topic = k.topic(max_message_bytes="150")
    k.ask(*produce({topic: {0: _from(60, 0, 0)}}))
    k.ask(*produce({topic: {0: _from(60, 0, 1, 50)}}))
    k.ask(*produce({topic: {0: _from(60, 0, 1)}}))


@case
def produce_of_a_producer_after_its_records_are_deleted(k: Talk) -> None:
    topic = k.topic()
    for sequence in range(3):
        k.do(*produce({topic: {0: _from(61, 0, sequence)}}))
    partitions = [{"PartitionIndex": 0, "Offset": 3}]
    k.ask("DeleteRecords", 2, {"Topics": [{"Name": topic, "Partitions": partitions}], "TimeoutMs": 30000})
    k.ask(*produce({topic: {0: _from(61, 0, 3)}}))
    k.ask(*produce({topic: {0: _from(61, 0, 1)}}))
    k.ask(*produce({topic: {0: _from(61, 0, 9)}}))


@case
def produce_refusals_tell_the_log_start_where_it_is_known(k: Talk) -> None:
    topic = k.topic(cleanup_policy="compact,delete", max_message_bytes="300")
    for sequence in range(3):
        k.do(*produce({topic: {0: _from(62, 1, sequence)}}))
    k.do(*delete_records({topic: {0: 2}}))
    bad = {
        "no batch": b"",
        "two batches": batch() * 2,
        "crc": bent(batch(), 62, b"x", crc=False),
        "base offset": bent(batch(), 0, b"\0\0\0\0\0\0\0\5", crc=False),
        "too large": batch(record(b"x" * 400)),
        "no key": batch(record(key=None)),
        "time": batch(record(timestamp=2**62)),
        "counts": bent(batch(), 57, b"\0\0\0\5"),
        "control": batch(attributes=0x20),
        "codec": batch(attributes=5),
        "sequence": _from(62, 1, 9),
        "epoch": _from(62, 0, 0),
        "duplicate": _from(62, 1, 2),
        "no sequence": _from(62, 1, -1),
        "good": batch(),
    }
    for what, data in bad.items():
        k.keep("batch", what)
        k.ask(*produce({topic: {0: data}}), keep=_codes)


def _codes(response: Fields) -> Any:
    (partition,) = response["Responses"][0]["PartitionResponses"]
    return {
        name: partition[name] for name in ("ErrorCode", "BaseOffset", "LogAppendTimeMs", "LogStartOffset")
    }


@case
def produce_to_many_partitions_each_with_its_own_answer(k: Talk) -> None:
    plain, compacted = k.topic(3), k.topic(cleanup_policy="compact")
    what = {
        plain: {0: batch(), 1: bent(batch(), 62, b"x", crc=False), 2: b"", 3: batch()},
        compacted: {0: batch(record(key=None))},
        k.name(): {0: batch()},
    }
    for acks in (1, -1):
        k.ask(*produce(what, acks=acks))


@case
def produce_of_a_producers_batches_in_every_codec(k: Talk) -> None:
    topic = k.topic()
    for sequence, codec in enumerate((Codec.NONE, *COMPRESSED)):
        header = {"producer_id": 63, "producer_epoch": 0, "base_sequence": sequence}
        for _ in range(2):
            k.ask(*produce({topic: {0: batch(compression=codec, **header)}}))


@case
def produce_of_one_producer_to_two_partitions_in_one_request(k: Talk) -> None:
    topic = k.topic(2)
    k.ask(*produce({topic: {0: _from(64, 0, 0), 1: _from(64, 0, 5)}}))
    k.ask(*produce({topic: {0: _from(64, 0, 1), 1: _from(64, 0, 5)}}))
    k.ask(*produce({topic: {0: _from(64, 0, 5), 1: _from(64, 0, 6)}}))


@case
def produce_by_two_connections_of_one_producer(k: Talk) -> None:
    topic, other = k.topic(), k.connect()
    k.ask(*produce({topic: {0: _from(65, 0, 0)}}))
    other.ask(*produce({topic: {0: _from(65, 0, 1)}}))
    k.ask(*produce({topic: {0: _from(65, 0, 1)}}))
    other.ask(*produce({topic: {0: _from(65, 1, 0)}}))
    k.ask(*produce({topic: {0: _from(65, 0, 2)}}))


@case
def produce_by_id_to_an_internal_topic(k: Talk) -> None:
    k.group()
    k.ask(*produce({k.topic_id("__consumer_offsets"): {0: batch()}}, version=13))


@case
def produce_after_the_settings_have_changed(k: Talk) -> None:
    topic = k.topic()
    k.ask(*produce({topic: {0: batch(record(key=None))}}))
    k.do(*change((TOPIC, topic, [("cleanup.policy", SET, "compact"), ("compression.type", SET, "gzip")])))
    k.until_config(TOPIC, topic, "compression.type", "gzip")
    k.ask(*produce({topic: {0: batch(record(key=None))}}))
    k.ask(*produce({topic: {0: batch()}}))
    k.ask(*fetch({topic: {0: 1}}), keep=fetched)
    k.do(
        *change(
            (
                TOPIC,
                topic,
                [("cleanup.policy", DELETE, None), ("message.timestamp.type", SET, "LogAppendTime")],
            )
        )
    )
    k.until_config(TOPIC, topic, "message.timestamp.type", "LogAppendTime")
    k.ask(*produce({topic: {0: batch(record(key=None))}}))


@case(
    settings={
        "message.max.bytes": "200",
        "compression.type": "snappy",
        "log.message.timestamp.type": "LogAppendTime",
    }
)
def produce_under_the_brokers_settings(k: Talk) -> None:
    """The broker's settings apply if the topic has none of its own."""
    topic = k.topic()
    k.ask(*produce({topic: {0: batch(record(b"x" * 300))}}))
    k.ask(*produce({topic: {0: batch()}}))
    k.ask(
        *fetch({topic: {0: 0}}),
        keep=lambda a: [b["codec"] for p in fetched(a) for b in p["Records"]],
    )
    own = k.topic(max_message_bytes="400", compression_type="producer", message_timestamp_type="CreateTime")
    k.ask(*produce({own: {0: batch(record(b"x" * 300))}}))
    k.ask(*fetch({own: {0: 0}}))
