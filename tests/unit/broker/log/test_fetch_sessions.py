"""Fetch sessions: the rules of KIP-227 as in Kafka 4.3.1, observed with raw frames where possible."""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from tidemark.log.fetch_sessions import (
    EPOCH_MAX,
    EVICTION_MS,
    Fetching,
    FetchSessions,
    bytes_of,
    next_epoch,
)
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.fetch import (
    EpochEndOffset,
    FetchPartition,
    FetchRequest,
    PartitionData,
)

A, B, C = ("a", 0), ("a", 1), ("c", 0)
IDLE = PartitionData(high_watermark=5, log_start_offset=0)


def records(high_watermark: int = 5) -> PartitionData:
    return PartitionData(high_watermark=high_watermark, log_start_offset=0, records=b"batch")


def error() -> PartitionData:
    return PartitionData(error_code=ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, high_watermark=-1)


@dataclass
class Answer:
    """A response: the session's id, and the partitions that it names."""

    session_id: int
    partitions: list[tuple[str, int]]
    error_code: ErrorCode = ErrorCode.NONE


class Client:
    """A client of FetchSessions. The test decides what its reads return."""

    def __init__(self, slots_max: int = 10, sessions: FetchSessions | None = None) -> None:
        self.sessions = FetchSessions(slots_max) if sessions is None else sessions
        self.now_ms = 0
        self._ids = itertools.count(1)

    def begin(
        self,
        session_id: int,
        epoch: int,
        wanted: Iterable[tuple[str, int]] = (),
        forgotten: Iterable[tuple[str, int]] = (),
        *,
        by_topic_id: bool = False,
    ) -> Fetching:
        keys = list(wanted)
        fetching = Fetching(
            {key: FetchPartition(key[1]) for key in keys},
            by_topic_id=by_topic_id,
            bytes=sum(map(bytes_of, keys)),
        )
        request = FetchRequest(session_id=session_id, session_epoch=epoch)
        fetching = self.sessions.begin(request, fetching, forgotten, self.now_ms)
        self.read = list(fetching.wanted)
        return fetching

    def answer(self, fetching: Fetching, found: dict[tuple[str, int], PartitionData] | None = None) -> Answer:
        answers: Mapping[Any, PartitionData] = found or {}
        data: dict[Any, PartitionData] = {key: answers.get(key, IDLE) for key in fetching.wanted}
        if fetching.session is not None:
            session = fetching.session
            if session.epoch != fetching.epoch:
                return Answer(session.session_id, [], ErrorCode.INVALID_FETCH_SESSION_EPOCH)
            return Answer(session.session_id, [key for key in data if session.must_name(key, data[key])])
        opened = self.sessions.open(fetching, self.now_ms, lambda: str(uuid.UUID(int=next(self._ids))))
        if opened is None:
            return Answer(0, list(data))
        for key, one in data.items():
            opened.add(key, fetching.wanted[key], one)
        return Answer(opened.session_id, list(data))

    def fetch(
        self,
        session_id: int,
        epoch: int,
        wanted: Iterable[tuple[str, int]] = (),
        forgotten: Iterable[tuple[str, int]] = (),
        found: dict[tuple[str, int], PartitionData] | None = None,
        *,
        by_topic_id: bool = False,
    ) -> Answer:
        return self.answer(self.begin(session_id, epoch, wanted, forgotten, by_topic_id=by_topic_id), found)

    def open(
        self, *wanted: tuple[str, int], found: dict[tuple[str, int], PartitionData] | None = None
    ) -> int:
        return self.fetch(0, 0, wanted, found=found).session_id


def told(answer: Answer) -> list[tuple[str, int]]:
    return answer.partitions


def refusal(client: Client, session_id: int, epoch: int, *, by_topic_id: bool = False) -> ErrorCode:
    with pytest.raises(KafkaError) as refused:
        client.fetch(session_id, epoch, by_topic_id=by_topic_id)
    return refused.value.code


def test_a_full_fetch_opens_a_session_and_names_everything() -> None:
    answer = Client().fetch(0, 0, [A, B])
    assert answer.session_id != 0
    assert told(answer) == [A, B]


def test_an_empty_full_fetch_opens_a_session_too() -> None:
    assert Client().open() != 0


def test_epoch_minus_1_opens_no_session_and_ends_the_named_one() -> None:
    client = Client()
    session_id = client.open(A)
    assert client.fetch(session_id, -1, [A]) == Answer(0, [A])
    assert refusal(client, session_id, 1) == ErrorCode.FETCH_SESSION_ID_NOT_FOUND
    assert len(client.sessions) == 0


def test_a_full_fetch_that_names_a_session_gets_a_new_one() -> None:
    client = Client()
    first = client.open(A)
    second = client.fetch(first, 0, [A]).session_id
    assert second not in (0, first)
    assert refusal(client, first, 1) == ErrorCode.FETCH_SESSION_ID_NOT_FOUND


def test_an_incremental_fetch_reads_its_whole_session_and_names_only_changes() -> None:
    client = Client()
    session_id = client.open(A, B)
    assert client.fetch(session_id, 1) == Answer(session_id, [])
    assert client.read == [A, B]
    assert told(client.fetch(session_id, 2, found={B: records()})) == [B]


def test_a_partition_is_named_when_its_high_watermark_or_log_start_has_moved() -> None:
    client = Client()
    session_id = client.open(A)
    risen = PartitionData(high_watermark=6, log_start_offset=0)
    assert told(client.fetch(session_id, 1, found={A: risen})) == [A]
    assert told(client.fetch(session_id, 2, found={A: risen})) == []
    cut = PartitionData(high_watermark=6, log_start_offset=2)
    assert told(client.fetch(session_id, 3, found={A: cut})) == [A]
    assert told(client.fetch(session_id, 4, found={A: cut})) == []


def test_an_error_and_its_end_are_always_named() -> None:
    client = Client()
    session_id = client.open(A, found={A: error()})
    assert told(client.fetch(session_id, 1, found={A: error()})) == [A]
    assert told(client.fetch(session_id, 2, found={A: error()})) == [A]
    assert told(client.fetch(session_id, 3)) == [A]
    assert told(client.fetch(session_id, 4)) == []


def test_a_diverging_epoch_is_named_each_time() -> None:
    client = Client()
    session_id = client.open(A)
    diverging = PartitionData(high_watermark=5, log_start_offset=0, diverging_epoch=EpochEndOffset(0, 3))
    assert told(client.fetch(session_id, 1, found={A: diverging})) == [A]
    assert told(client.fetch(session_id, 2, found={A: diverging})) == [A]


def test_an_added_partition_is_named_once_even_if_it_is_empty() -> None:
    client = Client()
    session_id = client.open(A)
    empty = {C: PartitionData(high_watermark=0, log_start_offset=0)}
    assert told(client.fetch(session_id, 1, [C], found=empty)) == [C]
    assert told(client.fetch(session_id, 2, found=empty)) == []


def test_a_forgotten_partition_is_not_read() -> None:
    client = Client()
    session_id = client.open(A, B)
    client.fetch(session_id, 1, forgotten=[A])
    assert client.read == [B]


def test_a_session_without_partitions_ends() -> None:
    client = Client()
    session_id = client.open(A)
    assert client.fetch(session_id, 1, forgotten=[A]) == Answer(0, [])
    assert refusal(client, session_id, 2) == ErrorCode.FETCH_SESSION_ID_NOT_FOUND
    empty = client.open()
    assert client.fetch(empty, 1) == Answer(0, [])
    assert refusal(client, empty, 1) == ErrorCode.FETCH_SESSION_ID_NOT_FOUND


def test_a_partition_that_returned_records_is_read_last_next_time() -> None:
    client = Client()
    session_id = client.open(A, B)
    client.fetch(session_id, 1, found={A: records()})
    client.fetch(session_id, 2)
    assert client.read == [B, A]


def test_the_last_request_for_a_partition_counts() -> None:
    client = Client()
    session_id = client.open(A)
    moved = FetchRequest(session_id=session_id, session_epoch=1)
    named = Fetching({A: FetchPartition(0, fetch_offset=9)})
    assert client.sessions.begin(moved, named, [], 0).wanted[A].fetch_offset == 9
    assert client.begin(session_id, 2).wanted[A].fetch_offset == 9


def test_an_unknown_session_is_refused() -> None:
    assert refusal(Client(), 5, 1) == ErrorCode.FETCH_SESSION_ID_NOT_FOUND
    assert refusal(Client(), 0, 3) == ErrorCode.FETCH_SESSION_ID_NOT_FOUND
    assert refusal(Client(), 0, -3) == ErrorCode.FETCH_SESSION_ID_NOT_FOUND


def test_a_wrong_epoch_is_refused_and_the_session_stays_valid() -> None:
    client = Client()
    session_id = client.open(A)
    assert refusal(client, session_id, 7) == ErrorCode.INVALID_FETCH_SESSION_EPOCH
    assert client.fetch(session_id, 1) == Answer(session_id, [])


def test_a_session_does_not_mix_topic_names_and_topic_ids() -> None:
    client = Client()
    assert refusal(client, client.open(A), 1, by_topic_id=True) == ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR
    by_id = client.fetch(0, 0, [A], by_topic_id=True).session_id
    assert refusal(client, by_id, 1) == ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR


def test_a_response_that_another_request_has_overtaken_is_refused() -> None:
    client = Client()
    session_id = client.open(A)
    parked = client.begin(session_id, 1)
    client.fetch(session_id, 2)
    assert client.answer(parked, {A: records()}) == Answer(
        session_id, [], ErrorCode.INVALID_FETCH_SESSION_EPOCH
    )


def test_the_epoch_after_the_largest_is_1() -> None:
    assert next_epoch(EPOCH_MAX - 1) == EPOCH_MAX
    assert next_epoch(EPOCH_MAX) == 1


def test_without_slots_there_are_no_sessions() -> None:
    assert Client(slots_max=0).open(A) == 0


def test_a_full_cache_refuses_new_sessions() -> None:
    client = Client(slots_max=1)
    client.open(A)
    assert client.open(A, B) == 0
    assert client.sessions.evictions == 0


def test_a_stale_session_is_evicted() -> None:
    client = Client(slots_max=1)
    stale = client.open(A)
    client.now_ms = EVICTION_MS
    assert client.open(A) == 0
    client.now_ms += 1
    assert client.open(A) != 0
    assert refusal(client, stale, 1) == ErrorCode.FETCH_SESSION_ID_NOT_FOUND
    assert client.sessions.evictions == 1


def test_a_larger_session_evicts_an_old_smaller_one() -> None:
    client = Client(slots_max=2)
    small, large = client.open(A), client.open(A, B)
    client.now_ms = EVICTION_MS + 1
    client.fetch(small, 1)
    client.fetch(large, 1)
    assert client.open(A) == 0, "as small as the smallest"
    assert client.open(B, C) != 0
    assert refusal(client, small, 2) == ErrorCode.FETCH_SESSION_ID_NOT_FOUND
    assert client.fetch(large, 2).session_id == large


def test_a_young_session_is_not_evicted() -> None:
    client = Client(slots_max=1)
    young = client.open(A)
    client.now_ms = EVICTION_MS
    client.fetch(young, 1)
    assert client.open(A, B, C) == 0


def test_partitions_are_counted_as_they_were_when_their_session_was_used() -> None:
    client = Client()
    session_id = client.open(A, B)
    client.open(C)
    assert (len(client.sessions), client.sessions.partitions) == (2, 3)
    client.fetch(session_id, 1, forgotten=[A])
    assert client.sessions.partitions == 2


def test_memory_of_all_sessions_together_is_bounded() -> None:
    client = Client(sessions=FetchSessions(10, bytes_max=3 * bytes_of(A)))
    session_id = client.open(A, B)
    assert client.open(A, B) == 0
    assert client.open(C) != 0
    assert client.sessions.partitions == 3
    assert refusal(client, session_id, 2) == ErrorCode.INVALID_FETCH_SESSION_EPOCH


def test_a_session_that_grows_past_the_bound_ends() -> None:
    client = Client(sessions=FetchSessions(10, bytes_max=2 * bytes_of(A)))
    session_id = client.open(A)
    with pytest.raises(KafkaError) as refused:
        client.fetch(session_id, 1, [B, C])
    assert refused.value.code == ErrorCode.FETCH_SESSION_ID_NOT_FOUND
    assert (len(client.sessions), client.sessions.partitions) == (0, 0)


def test_old_sessions_are_evicted_for_partitions() -> None:
    client = Client(sessions=FetchSessions(10, bytes_max=3 * bytes_of(A)))
    client.open(A)
    client.open(B)
    client.now_ms = EVICTION_MS + 1
    assert client.open(A, B, C) != 0
    assert (len(client.sessions), client.sessions.partitions, client.sessions.evictions) == (1, 3, 2)


def test_long_names_of_topics_count_as_python_holds_them() -> None:
    long = "\N{WATER WAVE}" + 30_000 * "a"
    client = Client(sessions=FetchSessions(100, bytes_max=1_000_000))
    opened = [client.open((long + str(number), 0)) for number in range(20)]
    assert sum(map(bool, opened)) == 8  # 120 KB each
    assert client.open(A) != 0


def test_memory_of_forgotten_partitions_and_ended_sessions_is_released() -> None:
    client = Client()
    session_id = client.open(A, B)
    client.fetch(session_id, 1, [C, A])
    assert client.sessions.bytes == 3 * bytes_of(A)
    client.fetch(session_id, 2, forgotten=[A, C])
    assert client.sessions.bytes == bytes_of(B)
    client.fetch(session_id, -1)
    assert client.sessions.bytes == 0
