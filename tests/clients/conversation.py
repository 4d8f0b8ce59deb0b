"""Requests that one client sends without waiting, each with the exact response that must follow.

Kafka handles the requests of a connection one after the other. What a request returns therefore follows from
the requests before it: a ListOffsets sees the records of a Produce that was sent just before it.
"""

from __future__ import annotations

from collections import deque
from struct import pack, unpack_from
from typing import Any, Final

from tests.wire import request
from tidemark_protocol import decode, encode
from tidemark_protocol.batch import read_header, set_offset_and_epoch
from tidemark_protocol.by_name import message_class
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.api_versions import ApiVersionsRequest
from tidemark_protocol.messages.describe_groups import (
    DescribedGroup,
    DescribeGroupsRequest,
    DescribeGroupsResponse,
)
from tidemark_protocol.messages.fetch import (
    FetchableTopicResponse,
    FetchPartition,
    FetchRequest,
    FetchResponse,
    FetchTopic,
    PartitionData,
)
from tidemark_protocol.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from tidemark_protocol.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsPartitionResponse,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopic,
    ListOffsetsTopicResponse,
)
from tidemark_protocol.messages.metadata import MetadataRequest
from tidemark_protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
    OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
)
from tidemark_protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopics,
    OffsetFetchResponse,
    OffsetFetchResponseGroup,
    OffsetFetchResponsePartitions,
    OffsetFetchResponseTopics,
)
from tidemark_protocol.messages.produce import (
    PartitionProduceData,
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
    TopicProduceResponse,
)

VERSIONS: Final = {
    "ApiVersions": 2,  # from version 3 on it has the epoch of the features, which changes in Kafka
    "DescribeGroups": 5,
    "Fetch": 12,
    "Heartbeat": 4,
    "ListOffsets": 7,
    "Metadata": 12,
    "OffsetCommit": 8,
    "OffsetFetch": 8,
    "Produce": 9,
}
LATEST: Final = -1
UNLIMITED: Final = 1 << 30
API_VERSIONS: Final = ApiVersionsRequest()
ALL_TOPICS: Final = MetadataRequest(topics=None)


class Expected:
    """An expected response: a correlation id, and a body that is compared byte by byte."""

    __slots__ = ("_body", "_head", "_name")

    def __init__(self, name: str, head: bytes, body: bytes) -> None:
        self._name = name
        self._head = head
        self._body = body

    def check(self, frame: bytes) -> None:
        head, body = self._head, self._body
        if len(frame) == len(head) + len(body) and frame.startswith(head) and frame.endswith(body):
            return
        correlation_id, found_id = unpack_from(">i", head)[0], unpack_from(">i", frame)[0]
        assert found_id == correlation_id, f"response {found_id} instead of {correlation_id}, a {self._name}"
        found = decode(f"{self._name}Response", VERSIONS[self._name], frame[len(head) :])
        wanted = decode(f"{self._name}Response", VERSIONS[self._name], body)
        raise AssertionError(
            f"{self._name} {correlation_id} returned {found!r:.2000} instead of {wanted!r:.2000}"
        )


class Conversation:
    """A client with a group, and with a partition that no other client writes to.

    `sent` are the frames to send, `expected` the responses in their order. api_versions and metadata are the
    bodies of these responses, read from the same broker beforehand.
    """

    def __init__(
        self, topic: str, partition: int, group: str, *, api_versions: bytes, metadata: bytes
    ) -> None:
        self.sent: list[bytes] = []
        self.expected: deque[Expected] = deque()
        self.end_offset = 0
        self._topic = topic
        self._partition = partition
        self._group = group
        self._known = {"ApiVersions": api_versions, "Metadata": metadata}
        self._committed = -1
        self._stored: list[bytes] = []
        self._last_batch_offset = 0

    def ask_api_versions(self) -> None:
        self._add("ApiVersions", API_VERSIONS, self._known["ApiVersions"])

    def ask_metadata(self) -> None:
        self._add("Metadata", ALL_TOPICS, self._known["Metadata"])

    def commit(self) -> None:
        """Commit the next offset."""
        self._committed += 1
        wanted = OffsetCommitRequestPartition(self._partition, self._committed, committed_metadata="")
        topics = [OffsetCommitRequestTopic(self._topic, partitions=[wanted])]
        done = [OffsetCommitResponsePartition(self._partition, ErrorCode.NONE)]
        self._add(
            "OffsetCommit",
            OffsetCommitRequest(self._group, topics=topics),
            OffsetCommitResponse(topics=[OffsetCommitResponseTopic(self._topic, partitions=done)]),
        )

    def ask_committed(self) -> None:
        topics = [OffsetFetchRequestTopics(self._topic, partition_indexes=[self._partition])]
        found = OffsetFetchResponsePartitions(self._partition, self._committed, -1, "", ErrorCode.NONE)
        found_topics = [OffsetFetchResponseTopics(self._topic, partitions=[found])]
        self._add(
            "OffsetFetch",
            OffsetFetchRequest(groups=[OffsetFetchRequestGroup(self._group, topics=topics)]),
            OffsetFetchResponse(groups=[OffsetFetchResponseGroup(self._group, found_topics)]),
        )

    def describe_group(self) -> None:
        """Describe the group, which has no members after the first commit."""
        self._add(
            "DescribeGroups",
            DescribeGroupsRequest([self._group]),
            DescribeGroupsResponse(groups=[DescribedGroup(ErrorCode.NONE, None, self._group, "Empty")]),
        )

    def beat_as_a_stranger(self) -> None:
        self._add(
            "Heartbeat",
            HeartbeatRequest(self._group, 1, "a stranger"),
            HeartbeatResponse(error_code=ErrorCode.UNKNOWN_MEMBER_ID),
        )

    def produce(self, batch: bytes, *, acks: int = 1) -> None:
        """Produce with acks=0, which has no response."""
        data = TopicProduceData(self._topic, partition_data=[PartitionProduceData(self._partition, batch)])
        done = PartitionProduceResponse(self._partition, ErrorCode.NONE, self.end_offset, -1, 0)
        self._add(
            "Produce",
            ProduceRequest(acks=acks, timeout_ms=30_000, topic_data=[data]),
            ProduceResponse([TopicProduceResponse(self._topic, partition_responses=[done])]),
        )
        if acks == 0:
            self.expected.pop()
        stored = bytearray(batch)
        set_offset_and_epoch(stored, 0, self.end_offset, 0)
        self._stored.append(bytes(stored))
        self._last_batch_offset = self.end_offset
        self.end_offset += read_header(batch).last_offset_delta + 1

    def ask_end_offset(self) -> None:
        wanted = ListOffsetsTopic(self._topic, [ListOffsetsPartition(self._partition, timestamp=LATEST)])
        found = ListOffsetsPartitionResponse(self._partition, ErrorCode.NONE, -1, self.end_offset, 0)
        self._add(
            "ListOffsets",
            ListOffsetsRequest(topics=[wanted]),
            ListOffsetsResponse(topics=[ListOffsetsTopicResponse(self._topic, [found])]),
        )

    def fetch_last_batch(self) -> None:
        self._fetch(self._last_batch_offset, b"".join(self._stored[-1:]))

    def fetch_all(self) -> None:
        self._fetch(0, b"".join(self._stored))

    def fetch_at_end(self, *, max_wait_ms: int) -> None:
        """Fetch at the end of the log, so that the request waits for its whole max_wait_ms."""
        self._fetch(self.end_offset, b"", max_wait_ms)

    def _fetch(self, offset: int, records: bytes, max_wait_ms: int = 0) -> None:
        end = self.end_offset
        wanted = FetchPartition(self._partition, fetch_offset=offset, partition_max_bytes=UNLIMITED)
        topics = [FetchTopic(self._topic, partitions=[wanted])]
        found = PartitionData(
            self._partition, ErrorCode.NONE, end, end, 0, aborted_transactions=None, records=records
        )
        self._add(
            "Fetch",
            FetchRequest(max_wait_ms=max_wait_ms, min_bytes=1, max_bytes=UNLIMITED, topics=topics),
            FetchResponse(responses=[FetchableTopicResponse(self._topic, partitions=[found])]),
        )

    def _add(self, name: str, message: Any, response: Any) -> None:
        version = VERSIONS[name]
        correlation_id = len(self.sent)
        self.sent.append(request(name, version, message, correlation_id))
        known = message_class(f"{name}Response")
        flexible = version >= known.FLEXIBLE_FROM and name != "ApiVersions"
        body = response if isinstance(response, bytes) else encode(f"{name}Response", version, response)
        head = pack(">i", correlation_id) + (b"\0" if flexible else b"")
        self.expected.append(Expected(name, head, body))
