"""Operations on topics, records and groups, as generators of Kafka's requests.

Each generator yields a `Call` and receives its response. It yields PAUSE before it repeats a request; the
caller waits then, and sends None. `tidemark_testing.wire` and `tidemark.server.local` carry them out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeVar

from tidemark_expiry.sentences import shown
from tidemark_protocol.batch import APPEND_TIME, LogRecord, build_batch, headers
from tidemark_protocol.batch import records as records_of
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.java import murmur2
from tidemark_protocol.visible import visible_batches

__tracebackhide__ = True  # a failing test shows its own lines, not these

T = TypeVar("T")

BATCH_BYTES_MAX: Final = 512 * 1024  # half of Kafka's default message.max.bytes
RECORD_OVERHEAD_BYTES: Final = 32
FETCH_BYTES: Final = 4 * 1024 * 1024
TIMEOUT_MS: Final = 30_000
PAUSE_MS: Final = 20
ATTEMPTS: Final = TIMEOUT_MS // PAUSE_MS
PRODUCE_BY_NAME: Final = 12  # the last versions that name topics
FETCH_BY_NAME: Final = 12
COMMIT_BY_NAME: Final = 9
VALUE_SHOWN_MAX: Final = 80  # characters of a value in a message
EARLIEST: Final = -2
LATEST: Final = -1
READ_COMMITTED: Final = 1
RETRIABLE: Final = frozenset((
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.LEADER_NOT_AVAILABLE, ErrorCode.NOT_LEADER_OR_FOLLOWER,
    ErrorCode.KAFKA_STORAGE_ERROR, ErrorCode.FENCED_LEADER_EPOCH, ErrorCode.UNKNOWN_LEADER_EPOCH,
))  # fmt: skip
COORDINATOR_RETRIABLE: Final = frozenset((
    ErrorCode.COORDINATOR_NOT_AVAILABLE, ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, ErrorCode.NOT_COORDINATOR,
))  # fmt: skip


class Refused(Exception):
    """The broker refused a request. The message names what was refused, and Kafka's error.

    code: Kafka's error code.
    """

    def __init__(self, what: str, code: int, message: str | None = None) -> None:
        try:
            known = ErrorCode(code)
            name, text = known.name, known.text
        except ValueError:
            name, text = f"error {code}", "an error code that tidemark does not know"
        super().__init__(f"{what}: {name}: {message or text}")
        self.code = code


@dataclass(frozen=True)
class NewRecord:
    """A record to write.

    partition: None for the one that the key's hash selects, as Kafka's producers compute it, or without a
    key for the partitions in turn. timestamp: milliseconds since the epoch; None for the time of the call.
    """

    value: bytes | None
    key: bytes | None = None
    headers: Sequence[tuple[str, bytes | None]] = ()
    timestamp: int | None = None
    partition: int | None = None


@dataclass(frozen=True)
class Record:
    """A record in a topic. timestamp: milliseconds since the epoch."""

    topic: str
    partition: int
    offset: int
    timestamp: int
    key: bytes | None
    value: bytes | None
    headers: list[tuple[str, bytes | None]] = field(default_factory=list)

    @property
    def text(self) -> str | None:
        """The value as UTF-8 text, None for a tombstone. Raises UnicodeDecodeError."""
        if self.value is None:
            return None
        try:
            return self.value.decode()
        except UnicodeDecodeError as error:
            error.add_note(f"This is the value of {self._place}.")
            raise

    def json(self) -> Any:
        """Return the value, parsed as JSON; None for a tombstone.

        Raises ValueError, which names the record, if it is not JSON.
        """
        if self.value is None:
            return None
        try:
            return json.loads(self.value)
        except (ValueError, RecursionError) as error:
            value = repr(self.value)
            cut = value if len(value) <= VALUE_SHOWN_MAX else f"{value[:VALUE_SHOWN_MAX]}..."
            raise ValueError(f"the value of {self._place} is not JSON: {error}: {cut}") from None

    @property
    def _place(self) -> str:
        return f"the record at offset {self.offset} of {self.topic}-{self.partition}"


@dataclass(frozen=True)
class Call:
    """A request to the leader of a partition, to the coordinator of a group, or to any broker.

    max_version: the highest version that the caller can use; None for any.
    once: if the connection breaks, do not repeat the request, because the broker may have carried it out.
    """

    request: Any
    partition: tuple[str, int] | None = None
    group: str | None = None
    max_version: int | None = None
    once: bool = False


PAUSE: Final = Call(None)

Exchange = Generator[Call, Any, T]


def _ask(
    call: Call, what: str, result_of: Callable[[Any], Any], retriable: Collection[int] = RETRIABLE
) -> Exchange[Any]:
    """Repeat the call while its result has a retriable error. Return the result. Raises Refused."""
    for _ in range(ATTEMPTS):
        result = result_of((yield call))
        if result.error_code not in retriable:
            break
        yield PAUSE
    if result.error_code:
        raise Refused(what, result.error_code, getattr(result, "error_message", None))
    return result


def create_topic(name: str, partitions: int, configs: Mapping[str, str]) -> Exchange[None]:
    """Create a topic, and return once every partition has a leader. Raises Refused."""
    from tidemark_protocol.messages.create_topics import (
        CreatableTopic,
        CreatableTopicConfig,
        CreateTopicsRequest,
    )

    given = [CreatableTopicConfig(name=key, value=value) for key, value in configs.items()]
    topic = CreatableTopic(name=name, num_partitions=partitions, replication_factor=-1, configs=given)
    call = Call(CreateTopicsRequest(topics=[topic], timeout_ms=TIMEOUT_MS), once=True)
    created = yield from _ask(call, f"topic {shown(name)}", lambda response: response.topics[0], ())
    wanted = max(1, partitions, created.num_partitions)
    yield from partition_count(name, created=True, at_least=wanted)


def partition_count(
    topic: str, *, create: bool = False, created: bool = False, at_least: int = 1
) -> Exchange[int]:
    """Return the number of partitions once all of them have leaders. Raises Refused.

    create: the request may create the topic, if auto.create.topics.enable is true. created: the topic was
    created, but a Kafka cluster responds to CreateTopics before all of its nodes know it.
    """
    from tidemark_protocol.messages.metadata import MetadataRequest, MetadataRequestTopic

    request = MetadataRequest(topics=[MetadataRequestTopic(name=topic)], allow_auto_topic_creation=create)
    code: int = ErrorCode.LEADER_NOT_AVAILABLE
    for _ in range(ATTEMPTS):
        found = (yield Call(request)).topics[0]
        code = found.error_code or ErrorCode.LEADER_NOT_AVAILABLE
        led = found.partitions and all(each.leader_id >= 0 for each in found.partitions)
        if not found.error_code and led and len(found.partitions) >= at_least:
            return len(found.partitions)
        gone = code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION and not (create or created)
        if gone or code not in RETRIABLE:
            break
        yield PAUSE
    raise Refused(f"topic {shown(topic)}", code)


def produce(topic: str, new: Sequence[NewRecord], now_ms: int) -> Exchange[list[Record]]:
    """Write the records and return them in the same order, with their offsets. Raises Refused.

    now_ms: the timestamp of records that have none.
    """
    count = yield from partition_count(topic, create=True)
    placed: dict[int, list[int]] = {}
    for number, record in enumerate(new):
        placed.setdefault(_partition(topic, record, number, count), []).append(number)
    written: dict[int, Record] = {}
    for partition, numbers in placed.items():
        for batch in _batches(new, numbers):
            base, append_ms = yield from _append(topic, partition, [new[at] for at in batch], now_ms)
            for offset, at in enumerate(batch, base):
                record = new[at]
                stamp = now_ms if record.timestamp is None else record.timestamp
                written[at] = Record(
                    topic, partition, offset, stamp if append_ms < 0 else append_ms,
                    record.key, record.value, list(record.headers),
                )  # fmt: skip
    return [written[at] for at in range(len(new))]


def _partition(topic: str, record: NewRecord, number: int, count: int) -> int:
    if record.partition is not None:
        _check_partition(topic, record.partition, count)
        return record.partition
    chosen = number if record.key is None else murmur2(record.key) & 0x7FFFFFFF
    return chosen % count


def _batches(new: Sequence[NewRecord], numbers: Sequence[int]) -> list[list[int]]:
    batches: list[list[int]] = []
    room = 0
    for at in numbers:
        record = new[at]
        size = RECORD_OVERHEAD_BYTES + len(record.key or b"") + len(record.value or b"")
        size += sum(len(name) * 4 + len(value or b"") + 8 for name, value in record.headers)
        if size > room:
            batches.append([])
            room = BATCH_BYTES_MAX
        batches[-1].append(at)
        room -= size
    return batches


def _append(topic: str, partition: int, new: Sequence[NewRecord], now_ms: int) -> Exchange[tuple[int, int]]:
    """Append one batch. Return its first offset, and the broker's timestamp, or -1 if it set none."""
    from tidemark_protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData

    numbered = [
        LogRecord(
            at, now_ms if each.timestamp is None else each.timestamp, each.key, each.value, each.headers
        )
        for at, each in enumerate(new)
    ]
    data = PartitionProduceData(index=partition, records=build_batch(numbered, leader_epoch=-1))
    request = ProduceRequest(
        acks=-1, timeout_ms=TIMEOUT_MS, topic_data=[TopicProduceData(name=topic, partition_data=[data])]
    )
    result = yield from _ask(
        Call(request, (topic, partition), max_version=PRODUCE_BY_NAME, once=True),
        f"{shown(topic)}-{partition}",
        lambda response: response.responses[0].partition_responses[0],
    )
    return result.base_offset, result.log_append_time_ms


def read(
    topic: str,
    partition: int | None = None,
    from_offset: int | None = None,
    *,
    committed: bool = False,
) -> Exchange[list[Record]]:
    """Return the records that are in the topic now, by partition and offset. Raises Refused.

    partition: None for all. from_offset: None for the start of each partition. committed: skip records of
    open and aborted transactions.
    """
    count = yield from partition_count(topic)
    if partition is not None:
        _check_partition(topic, partition, count)
    wanted: Wanted[Record] = Wanted(from_offset or 0, committed=committed)
    found: list[Record] = []
    for each in range(count) if partition is None else [partition]:
        found += yield from read_partition(topic, each, wanted)
    return found


def _check_partition(topic: str, partition: int, count: int) -> None:
    if not 0 <= partition < count:
        raise Refused(
            f"{shown(topic)}-{partition}",
            ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
            f"the topic has {count} partitions",
        )


@dataclass(frozen=True)
class Wanted(Generic[T]):
    """The records to read of a partition.

    from_time_ms  skip records before the first one whose timestamp is not earlier, as ListOffsets does
    last          only so many records at the end
    committed     skip records of open and aborted transactions
    limit         read no more than this many
    show          returns what is kept of a record; None: the record itself
    """

    from_offset: int = 0
    from_time_ms: int | None = None
    last: int | None = None
    committed: bool = False
    limit: int | None = None
    show: Callable[[Record], T] | None = None


def read_partition(topic: str, partition: int, wanted: Wanted[T]) -> Exchange[list[T]]:
    """Return the records that are in the partition now, by offset. Raises Refused."""
    isolation = READ_COMMITTED if wanted.committed else 0
    start = yield from offset_at(topic, partition, EARLIEST, isolation)
    end = yield from offset_at(topic, partition, LATEST, isolation)
    start = max(start, wanted.from_offset)
    if wanted.from_time_ms is not None:
        at = yield from offset_at(topic, partition, wanted.from_time_ms, isolation)
        start = max(start, end if at < 0 else at)
    if wanted.last is None:
        return (yield from _read_between(topic, partition, start, end, wanted, wanted.limit))[: wanted.limit]
    # Offsets without a record (control records, compaction) make it look further back.
    back = wanted.last
    while True:
        found = yield from _read_between(topic, partition, max(start, end - back), end, wanted, None)
        if len(found) >= wanted.last or end - back <= start:
            return found[-wanted.last :][: wanted.limit]
        back *= 4


def _read_between(
    topic: str, partition: int, start: int, end: int, wanted: Wanted[T], limit: int | None
) -> Exchange[list[T]]:
    position = start
    found: list[Any] = []
    show = wanted.show
    while position < end and (limit is None or len(found) < limit):
        fetched = yield from _fetch(topic, partition, position, READ_COMMITTED if wanted.committed else 0)
        following = max((header.next_offset for _, header in headers(fetched.records or b"")), default=0)
        found += [
            each if show is None else show(each)
            for each in _visible(topic, partition, fetched, committed=wanted.committed)
            if position <= each.offset < end
        ]
        if following <= position:
            raise Refused(
                f"{shown(topic)}-{partition}", ErrorCode.CORRUPT_MESSAGE, f"no batch at offset {position}"
            )
        position = following
    return found


def _fetch(topic: str, partition: int, offset: int, isolation: int) -> Exchange[Any]:
    from tidemark_protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic

    wanted = FetchPartition(partition=partition, fetch_offset=offset, partition_max_bytes=FETCH_BYTES)
    request = FetchRequest(
        max_wait_ms=0,
        min_bytes=0,
        max_bytes=FETCH_BYTES,
        isolation_level=isolation,
        topics=[FetchTopic(topic=topic, partitions=[wanted])],
    )
    call = Call(request, partition=(topic, partition), max_version=FETCH_BY_NAME)
    return (
        yield from _ask(
            call, f"{shown(topic)}-{partition}", lambda response: response.responses[0].partitions[0]
        )
    )


def _visible(topic: str, partition: int, fetched: Any, *, committed: bool) -> list[Record]:
    aborted = (fetched.aborted_transactions or ()) if committed else ()
    data = bytes(fetched.records or b"")
    found = []
    for at, header in visible_batches(data, aborted):
        append_ms = header.max_timestamp if header.attributes & APPEND_TIME else None
        for each in records_of(data, at, header):
            stamp = each.timestamp if append_ms is None else append_ms
            record_headers = list(each.headers)
            found.append(Record(topic, partition, each.offset, stamp, each.key, each.value, record_headers))
    return found


def offset_at(topic: str, partition: int, at: int, isolation: int = 0) -> Exchange[int]:
    """Return the offset at a time of ListOffsets: EARLIEST, LATEST, or ms. Raises Refused."""
    from tidemark_protocol.messages.list_offsets import (
        ListOffsetsPartition,
        ListOffsetsRequest,
        ListOffsetsTopic,
    )

    wanted = ListOffsetsPartition(partition_index=partition, timestamp=at)
    request = ListOffsetsRequest(
        replica_id=-1,
        isolation_level=isolation,
        topics=[ListOffsetsTopic(name=topic, partitions=[wanted])],
    )
    call = Call(request, partition=(topic, partition))
    result = yield from _ask(
        call, f"{shown(topic)}-{partition}", lambda response: response.topics[0].partitions[0]
    )
    offset: int = result.offset
    return offset


def leave(group: str, member_id: str, instance_id: str | None, reason: str) -> Exchange[None]:
    """Remove a member of a group of either protocol, as Kafka's admin client does. Raises Refused."""
    from tidemark_protocol.messages.leave_group import LeaveGroupRequest, MemberIdentity

    request = LeaveGroupRequest(group_id=group, members=[MemberIdentity(member_id, instance_id, reason)])
    yield from _ask(
        Call(request, group=group, once=True),
        f"the removal of member {member_id} of group {group}",
        lambda response: response if response.error_code else response.members[0],
        COORDINATOR_RETRIABLE,
    )


def leave_share_group(group: str, member_id: str) -> Exchange[None]:
    """Remove a member of a share group, as the member itself does. Raises Refused."""
    from tidemark_protocol.messages.share_group_heartbeat import ShareGroupHeartbeatRequest

    yield from _ask(
        Call(ShareGroupHeartbeatRequest(group, member_id, -1), group=group, once=True),
        f"the removal of member {member_id} of group {group}",
        lambda response: response,
        COORDINATOR_RETRIABLE,
    )


def leave_streams_group(group: str, member_id: str) -> Exchange[None]:
    """Remove a member of a streams group, as the member itself does. Raises Refused."""
    from tidemark_protocol.messages.streams_group_heartbeat import StreamsGroupHeartbeatRequest

    yield from _ask(
        Call(StreamsGroupHeartbeatRequest(group, member_id, -1), group=group, once=True),
        f"the removal of member {member_id} of group {group}",
        lambda response: response,
        COORDINATOR_RETRIABLE,
    )


def _find_coordinator(group: str) -> Exchange[None]:
    """Return once the group has a coordinator. The first request makes a broker create __consumer_offsets."""
    from tidemark_protocol.messages.find_coordinator import FindCoordinatorRequest

    request = FindCoordinatorRequest(key=group, coordinator_keys=[group])
    yield from _ask(
        Call(request),
        f"the coordinator of group {group}",
        lambda response: response.coordinators[0] if response.coordinators else response,
        COORDINATOR_RETRIABLE,
    )


@dataclass(frozen=True)
class NewOffset:
    """A committed offset to write."""

    offset: int
    metadata: str = ""


def commit(group: str, offsets: Mapping[tuple[str, int], NewOffset]) -> Exchange[None]:
    """Commit offsets of a group without members, as Kafka's admin client does. Raises Refused."""
    yield from _find_coordinator(group)
    from tidemark_protocol.messages.offset_commit import (
        OffsetCommitRequest,
        OffsetCommitRequestPartition,
        OffsetCommitRequestTopic,
    )

    topics: dict[str, list[OffsetCommitRequestPartition]] = {}
    for (topic, partition), new in offsets.items():
        topics.setdefault(topic, []).append(
            OffsetCommitRequestPartition(
                partition_index=partition, committed_offset=new.offset, committed_metadata=new.metadata
            )
        )
    request = OffsetCommitRequest(
        group_id=group,
        topics=[OffsetCommitRequestTopic(name=name, partitions=some) for name, some in topics.items()],
    )
    for _ in range(ATTEMPTS):
        response = yield Call(request, group=group, max_version=COMMIT_BY_NAME)
        failed = {
            (topic.name, each.partition_index): each.error_code
            for topic in response.topics
            for each in topic.partitions
            if each.error_code
        }
        if not any(code in COORDINATOR_RETRIABLE for code in failed.values()):
            break
        yield PAUSE
    for (topic, partition), code in failed.items():
        hint = (
            "the group has members, which would have to commit themselves"
            if code in (ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.STALE_MEMBER_EPOCH)
            else None
        )
        raise Refused(f"the offset of group {shown(group)} for {shown(topic)}-{partition}", code, hint)
