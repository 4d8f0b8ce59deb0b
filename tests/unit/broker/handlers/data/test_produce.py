"""Produce. Codes, texts, offsets and stored bytes are those of Kafka 4.3.1 for the same raw frames."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from tests.unit.broker.data_node import NODE_ID, START_MS, DataNode, a_batch, a_record, answer, turns_of
from tidemark.core.context import Operation
from tidemark.core.decision import NO_RESPONSE
from tidemark.handlers.data.produce import produce
from tidemark.turns import LARGE_BATCHES_MAX
from tidemark_protocol.batch import HEADER_BYTES, read_header, records
from tidemark_protocol.compression import Codec, compress, decompress
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.produce import (
    PartitionProduceData,
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from tidemark_protocol.produced import RECORD_ERRORS_MAX

GZIP, LOG_APPEND_TIME, TRANSACTIONAL, CONTROL = 1, 8, 16, 32


def a_request(*parts: tuple[str | bytes, int, bytes | None], acks: int = -1) -> ProduceRequest:
    """parts: topic name or id, partition, records."""
    return ProduceRequest(
        acks=acks,
        timeout_ms=1000,
        topic_data=[
            TopicProduceData(
                topic if isinstance(topic, str) else "",
                topic if isinstance(topic, bytes) else bytes(16),
                [PartitionProduceData(index, records)],
            )
            for topic, index, records in parts
        ],
    )


def ask(node: DataNode, request: ProduceRequest, version: int = 9, **context: Any) -> ProduceResponse:
    response = answer(produce(node.logs, node.context(version, **context), request))
    assert isinstance(response, ProduceResponse)
    response.ENCODERS[version](bytearray(), response)
    return response


def ask_one(
    node: DataNode, topic: str | bytes, records: bytes | None, version: int = 9, *, partition: int = 0,
    acks: int = -1, **context: Any,
) -> PartitionProduceResponse:  # fmt: skip
    response = ask(node, a_request((topic, partition, records), acks=acks), version, **context)
    return response.responses[0].partition_responses[0]


def refusal(
    code: ErrorCode, log_start_offset: int = -1, message: str | None = None, index: int = 0
) -> PartitionProduceResponse:
    return PartitionProduceResponse(
        index, code, base_offset=-1, log_start_offset=log_start_offset, error_message=message
    )


def a_node() -> DataNode:
    """Create a topic whose log starts at 2, so that a response shows whether it has the log start offset."""
    node = DataNode()
    node.topic("orders")
    node.append("orders", a_batch(3))
    node.log("orders").advance_log_start(2)
    return node


def stored(node: DataNode, topic: str, offset: int = 0) -> bytes:
    log = node.log(topic)
    return log.read(offset, 1 << 20, up_to=log.log_end_offset, at_least_one_batch=True)


def test_from_version_13_on_topics_are_named_by_id() -> None:
    node = DataNode()
    topic_id = node.topic("orders")
    request = a_request((topic_id, 0, a_batch()), (topic_id, 5, a_batch()), (bytes(16), 0, a_batch()))
    response = ask(node, request, 13)
    assert [(topic.topic_id, topic.partition_responses) for topic in response.responses] == [
        (
            topic_id,
            [
                PartitionProduceResponse(0, ErrorCode.NONE, 0, -1, 0),
                refusal(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, index=5),
            ],
        ),
        (bytes(16), [refusal(ErrorCode.UNKNOWN_TOPIC_ID)]),
    ]


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        (b"", refusal(ErrorCode.INVALID_RECORD)),
        (b"12345", refusal(ErrorCode.INVALID_RECORD)),
        (a_batch() + a_batch(), refusal(ErrorCode.INVALID_RECORD)),
        (a_batch(magic=0), refusal(ErrorCode.INVALID_RECORD)),
        (a_batch(magic=1), refusal(ErrorCode.INVALID_RECORD)),
        (a_batch(magic=3), refusal(ErrorCode.CORRUPT_MESSAGE, message="Invalid magic found in record: 3")),
        (a_batch()[:-2], refusal(ErrorCode.INVALID_RECORD)),
        (a_batch()[:-1] + b"\1", refusal(ErrorCode.CORRUPT_MESSAGE)),
        (a_batch(base_offset=3), refusal(ErrorCode.INVALID_RECORD, 2)),
        (a_batch(3, last_offset_delta=9), refusal(ErrorCode.INVALID_RECORD, 2)),
        (a_batch(3, said_count=4, last_offset_delta=3), refusal(ErrorCode.INVALID_RECORD, 2)),
        (a_batch(0, last_offset_delta=0), refusal(ErrorCode.INVALID_RECORD, 2)),
        (a_batch(attributes=CONTROL), refusal(ErrorCode.INVALID_RECORD, 2)),
        (a_batch(producer_id=5, producer_epoch=0), refusal(ErrorCode.INVALID_RECORD, 2)),
        (a_batch(attributes=TRANSACTIONAL), refusal(ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED)),
    ],
)  # fmt: skip
def test_a_refused_batch_gets_kafkas_error(records: bytes, expected: PartitionProduceResponse) -> None:
    node = a_node()
    assert ask_one(node, "orders", records) == expected
    assert node.log("orders").log_end_offset == 3, "nothing was appended"


def test_authorization_is_checked_before_existence() -> None:
    denied: dict[str, Any] = {"denied": (Operation.WRITE,)}
    assert ask_one(a_node(), "nope", a_batch(), **denied) == refusal(ErrorCode.TOPIC_AUTHORIZATION_FAILED)
    assert ask_one(a_node(), b"x" * 16, a_batch(), 13, **denied) == refusal(ErrorCode.UNKNOWN_TOPIC_ID)


def test_only_the_admin_client_may_write_to_internal_topics() -> None:
    node = DataNode()
    node.topic("__consumer_offsets", cleanup_policy="compact")
    batch = a_batch(key=b"k")
    assert ask_one(node, "__consumer_offsets", batch) == refusal(ErrorCode.INVALID_TOPIC_EXCEPTION)
    assert ask_one(node, "__consumer_offsets", batch, acks=9) == refusal(ErrorCode.INVALID_REQUIRED_ACKS)
    taken = ask_one(node, "__consumer_offsets", batch, client_id="__admin_client")
    assert taken == PartitionProduceResponse(0, ErrorCode.NONE, 0, -1, 0)


def test_a_partition_whose_log_is_not_here_yet_has_no_leader() -> None:
    node = DataNode()
    node.topic("orders", logs=False)
    assert ask_one(node, "orders", a_batch()) == refusal(ErrorCode.NOT_LEADER_OR_FOLLOWER)


def test_a_batch_may_not_exceed_a_segment() -> None:
    node = DataNode()
    node.topic("orders", segment_bytes=1_048_576, max_message_bytes=5_000_000)
    assert ask_one(node, "orders", a_batch(value=b"x" * 2_000_000)) == refusal(
        ErrorCode.RECORD_LIST_TOO_LARGE
    )


def test_a_compacted_topic_names_each_record_without_a_key() -> None:
    node = DataNode()
    node.topic("cmp", cleanup_policy="compact")
    records = [a_record(0, b"k"), a_record(1), a_record(2, b"k"), a_record(3)]
    refused = ask_one(node, "cmp", a_batch(records=records))
    text = "Compacted topic cannot accept message without key in topic partition cmp-0"
    assert (refused.error_code, refused.log_start_offset) == (ErrorCode.INVALID_RECORD, 0)
    assert [(error.batch_index, error.batch_index_error_message) for error in refused.record_errors] == [
        (1, text),
        (3, text),
    ]
    assert refused.error_message == (
        "One or more records have been rejected due to 2 record errors in total, "
        "and only showing the first three errors at most: "
        f"[RecordError(batchIndex=1, message='{text}'), RecordError(batchIndex=3, message='{text}')]"
    )


def test_a_timestamp_outside_the_topics_limits_is_refused_with_its_record() -> None:
    node = DataNode()
    node.topic("ts", message_timestamp_before_max_ms=1000, message_timestamp_after_max_ms=2000)
    records = [a_record(0), a_record(1, timestamp_delta=50_000), a_record(2, timestamp_delta=-20_000)]
    refused = ask_one(node, "ts", a_batch(records=records))
    limits = f"[{START_MS - 1000}, {START_MS + 2000}]"
    assert (refused.error_code, refused.log_start_offset) == (ErrorCode.INVALID_TIMESTAMP, 0)
    assert [(error.batch_index, error.batch_index_error_message) for error in refused.record_errors] == [
        (
            1,
            f"Timestamp {START_MS + 50_000} of message with offset 1 is out of range. "
            f"The timestamp should be within {limits}",
        ),
        (
            2,
            f"Timestamp {START_MS - 20_000} of message with offset 2 is out of range. "
            f"The timestamp should be within {limits}",
        ),
    ]
    assert refused.error_message == "One or more records have been rejected due to invalid timestamp"
    assert ask_one(node, "ts", a_batch(timestamp=-1)).error_code == ErrorCode.NONE


def test_a_changed_setting_applies_from_the_next_batch() -> None:
    node = DataNode()
    node.topic("orders")
    assert ask_one(node, "orders", a_batch()).error_code == ErrorCode.NONE
    node.configure("orders", cleanup_policy="compact")
    assert ask_one(node, "orders", a_batch()).error_code == ErrorCode.INVALID_RECORD


def test_a_topic_of_append_time_sets_and_returns_the_time() -> None:
    node = DataNode()
    node.topic("lat", message_timestamp_type="LogAppendTime")
    node.clock.advance(77)
    records = [a_record(0), a_record(1, timestamp_delta=9)]
    taken = ask_one(node, "lat", a_batch(records=records, timestamp=1000))
    assert taken == PartitionProduceResponse(0, ErrorCode.NONE, 0, START_MS + 77, 0)
    header = read_header(stored(node, "lat"))
    assert (header.attributes, header.base_timestamp, header.max_timestamp) == (
        LOG_APPEND_TIME,
        1000,
        START_MS + 77,
    )


PLAIN_RECORDS = [
    a_record(0),
    a_record(1, timestamp_delta=9),
    a_record(2, timestamp_delta=-4, headers=[(b"h", b"x")]),
]


@pytest.mark.parametrize(
    ("configs", "batch", "header_fields", "body_hex"),
    [
        (
            {"compression_type": "gzip"},
            a_batch(records=PLAIN_RECORDS, timestamp=1000, producer_id=77, producer_epoch=0, sequence=0),
            (GZIP, 2, 1000, 1009, 77, 0, 0, 3),
            "0e000000010276000e00120201027600160007040102760202680278",
        ),
        (
            {"compression_type": "uncompressed"},
            a_batch(3, attributes=GZIP, compress=gzip.compress, max_timestamp=1),
            (0, 2, START_MS, START_MS, -1, -1, -1, 3),
            "0e000000010276000e000002010276000e00000401027600",
        ),
        (
            {"compression_type": "uncompressed"},
            a_batch(2, attributes=GZIP, compress=gzip.compress, timestamp=-1),
            (0, 1, -1, -1, -1, -1, -1, 2),
            "0e000000010276000e00000201027600",
        ),
        (
            {"compression_type": "gzip", "message_timestamp_type": "LogAppendTime"},
            a_batch(records=PLAIN_RECORDS[:2], timestamp=1000),
            (GZIP | LOG_APPEND_TIME, 1, 1000, START_MS, -1, -1, -1, 2),
            "0e000000010276000e00120201027600",
        ),
        (
            {"compression_type": "gzip"},
            a_batch(records=[a_record(0), a_record(5), a_record(2)]),
            (GZIP, 2, START_MS, START_MS, -1, -1, -1, 3),
            "0e000000010276000e000002010276000e00000401027600",
        ),
    ],
    # gzip writes the time into its output, so that it must not be part of a test's name.
    ids=["compressed", "from_gzip", "from_gzip_without_times", "log_append_time", "gaps"],
)  # fmt: skip
def test_the_topics_compression_type_overrides_the_batchs(
    configs: dict[str, Any], batch: bytes, header_fields: tuple[int, ...], body_hex: str
) -> None:
    node = DataNode()
    node.topic("orders", **configs)
    assert ask_one(node, "orders", batch).error_code == ErrorCode.NONE
    found = stored(node, "orders")
    header = read_header(found)
    assert (
        header.attributes, header.last_offset_delta, header.base_timestamp, header.max_timestamp,
        header.producer_id, header.producer_epoch, header.base_sequence, header.count,
    ) == header_fields  # fmt: skip
    body = found[HEADER_BYTES:]
    assert (decompress(Codec.GZIP, body, 1000) if header.compression else body).hex() == body_hex


@pytest.mark.parametrize(("codec", "least", "most"), [("gzip", 1, 9), ("lz4", 1, 17), ("zstd", -131_072, 22)])
def test_topic_compression_level_applies_if_the_broker_compresses(codec: str, least: int, most: int) -> None:
    node = DataNode()
    batch = a_batch(records=[a_record(i, value=b"%d grams of nothing" % (i * i)) for i in range(200)])
    sizes = []
    for level in (least, most):
        topic = f"level{level}"
        node.topic(topic)
        node.configure(topic, **{"compression_type": codec, f"compression_{codec}_level": level})
        assert ask_one(node, topic, batch).error_code == ErrorCode.NONE
        sizes.append(len(stored(node, topic)))
    assert sizes[0] > sizes[1]


def an_idempotent_batch(epoch: int, sequence: int) -> bytes:
    return a_batch(2, producer_id=900, producer_epoch=epoch, sequence=sequence)


@pytest.mark.parametrize(
    ("batch", "code"),
    [
        (an_idempotent_batch(3, 7), ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER),
        (an_idempotent_batch(2, 2), ErrorCode.INVALID_PRODUCER_EPOCH),
        (an_idempotent_batch(4, 3), ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER),
    ],
)
def test_a_producers_batches_must_be_in_sequence(batch: bytes, code: ErrorCode) -> None:
    node = a_node()
    ask_one(node, "orders", an_idempotent_batch(3, 0))
    assert ask_one(node, "orders", batch) == refusal(code, 2)


def test_acks_0_gets_no_response() -> None:
    node = a_node()
    assert (
        answer(produce(node.logs, node.context(9), a_request(("orders", 0, a_batch()), acks=0)))
        is NO_RESPONSE
    )
    assert node.log("orders").log_end_offset == 4
    assert answer(produce(node.logs, node.context(9), a_request(acks=0))) is NO_RESPONSE


async def test_null_records_get_no_response_and_block_the_connection() -> None:
    node = a_node()

    async def story() -> bool:
        request = a_request(("nope", 0, a_batch()), ("orders", 0, None))
        task = asyncio.ensure_future(produce(node.logs, node.context(9), request))
        await asyncio.sleep(0)
        parked = not task.done()
        task.cancel()
        return parked

    assert await story()
    assert node.log("orders").log_end_offset == 3


def test_null_records_for_a_missing_partition_get_a_response() -> None:
    assert ask_one(a_node(), "nope", None) == refusal(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)


# Large requests


def a_bomb(megabytes: int = 90) -> bytes:
    """Return one record of zeros, in a batch of a few kilobytes."""
    return a_batch(
        value=bytes(megabytes << 20), attributes=Codec.ZSTD, compress=partial(compress, Codec.ZSTD)
    )


async def while_it_runs(node: DataNode, request: ProduceRequest, meanwhile: Callable[[], None]) -> Any:
    task = asyncio.ensure_future(produce(node.logs, node.context(9), request))
    await asyncio.sleep(0)
    assert not task.done()
    meanwhile()
    return await task


@pytest.mark.parametrize("acks", [-1, 0])
async def test_a_batch_that_inflates_is_decompressed_in_a_thread(acks: int) -> None:
    node = DataNode()
    node.topic("orders")
    request = a_request(("orders", 0, a_bomb()), acks=acks)
    response = await while_it_runs(node, request, lambda: None)
    assert node.log("orders").log_end_offset == 1
    assert (response is NO_RESPONSE) is (acks == 0)


@pytest.mark.slow
async def test_loop_continues_while_a_batch_is_decompressed() -> None:
    """90 MB need about 50 ms, during which the loop turns many times on any machine."""
    node = DataNode()
    node.topic("orders", 4)
    request = a_request(*[("orders", index, a_bomb()) for index in range(4)])

    async def story() -> int:
        task = asyncio.ensure_future(produce(node.logs, node.context(9), request))
        count = 0
        while not task.done():
            await asyncio.sleep(0)
            count += 1
        return count

    assert await story() > 100


async def test_few_large_batches_are_in_memory_at_a_time() -> None:
    node = DataNode()
    node.topic("orders", 3 * LARGE_BATCHES_MAX)
    held: list[int] = []

    async def story() -> None:
        requests = [a_request(("orders", index, a_bomb(1))) for index in range(3 * LARGE_BATCHES_MAX)]
        ctx = node.context(9)
        tasks = [asyncio.ensure_future(produce(node.logs, ctx.copy(), request)) for request in requests]
        await asyncio.sleep(0)
        assert ctx.turns.large_batches.locked()
        held.append(sum(task.done() for task in tasks))
        await asyncio.gather(*tasks)

    await story()
    assert held == [0]
    assert [node.log("orders", index).log_end_offset for index in range(3 * LARGE_BATCHES_MAX)] == [1] * (
        3 * LARGE_BATCHES_MAX
    )


async def test_a_topic_that_is_deleted_while_its_batch_is_decompressed_is_unknown() -> None:
    node = DataNode()
    node.topic("orders")

    def delete() -> None:
        del node.cluster.topics["orders"]
        node.logs.delete("orders", 0)

    response = await while_it_runs(node, a_request(("orders", 0, a_bomb())), delete)
    unknown = refusal(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
    assert response.responses[0].partition_responses == [unknown]


@pytest.mark.parametrize("acks", [-1, 0])
def test_a_request_of_many_partitions_leaves_turns_to_others(acks: int) -> None:
    node = DataNode(ticking=True)
    node.topic("orders", 40)
    request = a_request(*[("orders", index, a_batch()) for index in range(40)], acks=acks)
    assert turns_of(produce(node.logs, node.context(9), request)) > 20
    assert [node.log("orders", index).log_end_offset for index in range(40)] == [1] * 40


@pytest.mark.parametrize("codec", [Codec.NONE, Codec.GZIP])
@pytest.mark.parametrize("topic_codec", ["producer", "lz4"])
def test_a_batch_of_many_records_is_checked_in_many_turns(codec: Codec, topic_codec: str) -> None:
    node = DataNode(ticking=True)
    node.topic("orders", compression_type=topic_codec)
    batch = a_batch(4000, value=b"", attributes=codec, compress=partial(compress, codec))
    assert turns_of(produce(node.logs, node.context(9), a_request(("orders", 0, batch)))) > 3
    assert node.log("orders").log_end_offset == 4000


@pytest.mark.parametrize("topic_codec", ["producer", "lz4"])
def test_a_record_of_many_headers_is_checked_in_many_turns(topic_codec: str) -> None:
    node = DataNode(ticking=True)
    node.topic("orders", compression_type=topic_codec)
    batch = a_batch(records=[a_record(0, headers=[(b"", b"")] * 10_000)])
    assert turns_of(produce(node.logs, node.context(9), a_request(("orders", 0, batch)))) > 8
    assert node.log("orders").log_end_offset == 1


@pytest.mark.parametrize(
    ("codec", "topic_codec"),
    [(Codec.NONE, "producer"), (Codec.NONE, "lz4"), (Codec.GZIP, "uncompressed"), (Codec.GZIP, "lz4")],
)
def test_a_large_record_is_copied_in_many_turns(codec: Codec, topic_codec: str) -> None:
    node = DataNode(ticking=True)
    node.topic("orders", compression_type=topic_codec, max_message_bytes=50_000_000)
    value = bytes(20_000_000)
    batch = a_batch(value=value, attributes=codec, compress=partial(compress, codec))
    assert turns_of(produce(node.logs, node.context(9), a_request(("orders", 0, batch)))) > 6
    data = node.log("orders").read(0, 50_000_000, up_to=1, at_least_one_batch=True)
    assert [record.value for record in records(data, 0, read_header(data))] == [value]


def test_a_response_names_a_bounded_number_of_bad_records() -> None:
    node = DataNode()
    node.topic("orders", 2, cleanup_policy="compact")
    batch = a_batch(RECORD_ERRORS_MAX - 1)
    response = ask(node, a_request(("orders", 0, batch), ("orders", 1, batch)))
    first, second = response.responses[0].partition_responses
    assert (len(first.record_errors), len(second.record_errors)) == (RECORD_ERRORS_MAX - 1, 1)
    assert second.error_code == ErrorCode.INVALID_RECORD
    assert f"{RECORD_ERRORS_MAX - 1} record errors in total" in (second.error_message or "")


async def test_response_waits_for_the_sync_that_flush_messages_requires() -> None:
    node = DataNode()
    node.topic("orders", flush_messages=2)
    log = node.log("orders")

    async def two_requests() -> None:
        first = await produce(node.logs, node.context(9), a_request(("orders", 0, a_batch())))
        assert isinstance(first, ProduceResponse)
        assert log.recovery_point == 0
        second = asyncio.ensure_future(
            produce(node.logs, node.context(9), a_request(("orders", 0, a_batch())))
        )
        await second
        assert log.recovery_point == 2

    await two_requests()


def test_batches_have_the_leader_epoch_of_the_partition() -> None:
    node = DataNode()
    node.topic("orders")
    node.cluster.topics["orders"].partitions[0].leader_epoch = 4
    ask_one(node, "orders", a_batch())
    assert read_header(stored(node, "orders")).leader_epoch == 4
    assert node.cluster.topics["orders"].partitions[0].leader == NODE_ID


def test_produced_records_are_counted_as_in_kafka() -> None:
    # tests/conformance/test_meters.py compares these with Kafka's meters.
    node = a_node()
    taken, repeated = a_batch(3), a_batch(2, producer_id=7, producer_epoch=0, sequence=0)
    for batch in (taken, repeated, repeated):
        assert ask_one(node, "orders", batch).error_code == ErrorCode.NONE
    out_of_order = a_batch(1, producer_id=7, producer_epoch=0, sequence=90)
    assert ask_one(node, "orders", out_of_order).error_code == ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
    assert ask(node, a_request(("orders", 9, taken))).responses[0].partition_responses[0].error_code == 3
    traffic = node.logs.traffic.of("orders")
    assert traffic.messages_in == 3 + 2 + 2
    assert traffic.bytes_in == len(taken) + 2 * len(repeated)
    assert traffic.produce_requests == 4  # one for no partition is none
    assert traffic.failed_produce_requests == 1
