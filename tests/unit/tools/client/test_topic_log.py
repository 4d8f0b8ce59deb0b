"""A log that is read in whole batches: fetch sessions, and leaders that move. A script plays the broker."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any, Final

import pytest

from tests.unit.tools.client.scripted import HANG_UP, ScriptedBroker
from tests.unit.tools.client.test_fetching import batch, marker, written
from tidemark_protocol.batch import ControlType
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.fetch import FetchableTopicResponse, FetchResponse, PartitionData
from tidemark_protocol.messages.metadata import (
    MetadataResponse,
    MetadataResponseBroker,
    MetadataResponsePartition,
    MetadataResponseTopic,
)
from tidemark_tools.client.client import Client
from tidemark_tools.client.consumer import OutOfRange
from tidemark_tools.client.errors import ErrorResponse, Unreachable
from tidemark_tools.client.topic_log import TopicLog

TOPIC: Final = "__consumer_offsets"
SESSION: Final = 77
WAIT_MS: Final = 10


def fetched(partitions: dict[int, bytes], *, session: int = SESSION, error: int = 0) -> FetchResponse:
    data = [
        PartitionData(number, error_code=error, high_watermark=100, records=records or None)
        for number, records in partitions.items()
    ]
    return FetchResponse(session_id=session, responses=[FetchableTopicResponse(TOPIC, partitions=data)])


class Script:
    """One broker that leads every partition. responses: to one Fetch after the other."""

    def __init__(self, *responses: Any) -> None:
        self._responses = iter(responses)
        self.fetches: list[Any] = []
        self.broker = ScriptedBroker({"Metadata": self._metadata, "Fetch": self._fetch})

    def _metadata(self, request: Any) -> MetadataResponse:
        host, port = self.broker.bootstrap.split(":")
        partitions = [MetadataResponsePartition(partition_index=number, leader_id=1) for number in (0, 1)]
        return MetadataResponse(
            brokers=[MetadataResponseBroker(1, host, int(port))],
            topics=[MetadataResponseTopic(name=TOPIC, partitions=partitions)],
        )

    def _fetch(self, request: Any) -> Any:
        self.fetches.append(request)
        return next(self._responses)

    def asked(self, number: int) -> dict[int, int]:
        """Return the positions that a fetch named."""
        return {
            each.partition: each.fetch_offset
            for topic in self.fetches[number].topics
            for each in topic.partitions
        }


@pytest.fixture
def log_of() -> Iterator[Callable[[Script], TopicLog]]:
    with ExitStack() as stack:

        def made(script: Script) -> TopicLog:
            stack.enter_context(script.broker)
            client = stack.enter_context(Client(script.broker.bootstrap, timeout_ms=2_000))
            return TopicLog(client, TOPIC, {0: 0, 1: 0})

        yield made


def test_a_session_names_only_positions_that_have_changed(log_of: Callable[[Script], TopicLog]) -> None:
    first, second = batch(0, b"a", b"b"), batch(2, b"c")
    script = Script(fetched({0: first, 1: b""}), fetched({0: second}), fetched({}))
    log = log_of(script)
    assert [(each.partition, each.data, each.end_offset) for each in log.read(WAIT_MS)] == [
        (0, first, 100), (1, b"", 100),
    ]  # fmt: skip
    assert log.read(WAIT_MS)[0].data == second
    assert log.read(WAIT_MS) == []
    assert [script.asked(number) for number in range(3)] == [{0: 0, 1: 0}, {0: 2}, {0: 3}]
    assert [(each.session_id, each.session_epoch) for each in script.fetches] == [
        (0, 0), (SESSION, 1), (SESSION, 2),
    ]  # fmt: skip


def test_a_lost_session_begins_anew_where_it_was(log_of: Callable[[Script], TopicLog]) -> None:
    lost = FetchResponse(error_code=ErrorCode.FETCH_SESSION_ID_NOT_FOUND)
    script = Script(fetched({0: batch(0, b"a"), 1: b""}), lost, fetched({0: b"", 1: b""}))
    log = log_of(script)
    log.read(WAIT_MS)
    assert log.read(WAIT_MS) == []
    log.read(WAIT_MS)
    assert (script.fetches[2].session_id, script.fetches[2].session_epoch) == (0, 0)
    assert script.asked(2) == {0: 1, 1: 0}


def test_a_broker_that_keeps_no_session_gets_all_positions(log_of: Callable[[Script], TopicLog]) -> None:
    script = Script(fetched({0: b""}, session=0), fetched({0: b""}, session=0))
    log = log_of(script)
    log.read(WAIT_MS)
    log.read(WAIT_MS)
    assert script.asked(1) == {0: 0, 1: 0}


def test_markers_and_open_transactions_are_there_and_a_torn_batch_is_not(
    log_of: Callable[[Script], TopicLog],
) -> None:
    whole = (
        written(0, b"a", producer_id=1) + marker(1, ControlType.COMMIT, 1) + written(2, b"b", producer_id=2)
    )
    script = Script(fetched({0: whole + batch(3, b"torn")[:-1]}))
    log = log_of(script)
    (found,) = log.read(WAIT_MS)
    assert (found.data, log.positions[0]) == (whole, 3)


@pytest.mark.parametrize("error", [ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION])
def test_a_leader_that_moved_is_looked_up_again(
    log_of: Callable[[Script], TopicLog], error: ErrorCode
) -> None:
    script = Script(fetched({0: b""}, error=error), fetched({0: batch(0, b"a")}))
    log = log_of(script)
    assert log.read(WAIT_MS) == []
    assert log.read(WAIT_MS)[0].data == batch(0, b"a")
    assert script.broker.names() == ["Metadata", "Fetch", "Metadata", "Fetch"]


def test_errors_that_waiting_does_not_cure_are_raised(log_of: Callable[[Script], TopicLog]) -> None:
    denied = Script(fetched({0: b""}, error=ErrorCode.TOPIC_AUTHORIZATION_FAILED))
    with pytest.raises(ErrorResponse, match=f"{TOPIC}-0: "):
        log_of(denied).read(WAIT_MS)
    with pytest.raises(OutOfRange):
        log_of(Script(fetched({0: b""}, error=ErrorCode.OFFSET_OUT_OF_RANGE))).read(WAIT_MS)
    with pytest.raises(ErrorResponse):
        log_of(Script(FetchResponse(error_code=ErrorCode.UNKNOWN_SERVER_ERROR))).read(WAIT_MS)


def test_a_leader_that_hangs_up_is_unreachable(
    log_of: Callable[[Script], TopicLog], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tidemark_tools.client.topic_log.RESPONSE_MS", 300)
    script = Script(*[HANG_UP] * 50, fetched({}))
    with pytest.raises(Unreachable):
        log_of(script).read(WAIT_MS)
