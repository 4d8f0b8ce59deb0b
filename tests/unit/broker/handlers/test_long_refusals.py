"""A request for very many partitions that is refused as a whole: a worker builds its response."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Final

import pytest

from tests.unit.broker.whole import WorkingClock, running
from tests.wire import request
from tidemark.handlers import routes
from tidemark.turns import TURN_MS
from tidemark_protocol import from_dict
from tidemark_protocol.errors import ErrorCode
from tidemark_testing.storage import MemoryStorage

PARTITIONS: Final = 10_000
CODE: Final = ErrorCode.CLUSTER_AUTHORIZATION_FAILED


def long(api: str, topics: int = 2) -> Any:
    """Return a request that names very many partitions, or that many topics without any."""
    numbers = range(PARTITIONS // 2 if topics == 2 else 0)
    offsets = [{"PartitionIndex": each, "CommittedOffset": 1} for each in numbers]
    names = [f"topic-{number}" for number in range(topics)]
    fields: dict[str, dict[str, Any]] = {
        "OffsetCommit": {"GroupId": "g", "Topics": [{"Name": name, "Partitions": offsets} for name in names]},
        "TxnOffsetCommit": {
            "TransactionalId": "t",
            "GroupId": "g",
            "Topics": [{"Name": name, "Partitions": offsets} for name in names],
        },
        "WriteTxnMarkers": {
            "Markers": [{"Topics": [{"Name": name, "PartitionIndexes": [*numbers]} for name in names]}]
        },
        "AddPartitionsToTxn": {
            "V3AndBelowTransactionalId": "t",
            "V3AndBelowTopics": [{"Name": name, "Partitions": [*numbers]} for name in names],
        },
        "Fetch": {
            "Topics": [
                {"Topic": name, "Partitions": [{"Partition": each} for each in numbers]} for name in names
            ]
        },
        "AlterReplicaLogDirs": {
            "Dirs": [{"Path": "/tmp", "Topics": [{"Name": name, "Partitions": [*numbers]} for name in names]}]
        },
    }
    return from_dict(f"{api}Request", fields[api])


@pytest.mark.slow
@pytest.mark.parametrize(
    "api",
    [
        "OffsetCommit",
        "TxnOffsetCommit",
        "WriteTxnMarkers",
        "AddPartitionsToTxn",
        "AlterReplicaLogDirs",
        "Fetch",
    ],
)
@pytest.mark.parametrize("topics", [2, PARTITIONS])
def test_error_of_a_long_request_is_built_by_a_worker(api: str, topics: int) -> None:
    route = next(each for each in routes.load().values() if each.name == api)
    route.load()
    body = long(api, topics)
    steps = route.error_in_steps(SimpleNamespace(body=body, is_long=True), CODE)
    work = next(steps)
    assert callable(work)
    built = work()
    with pytest.raises(StopIteration) as done:
        steps.send(built)
    assert done.value.value == built == route.error_response(body, CODE)


@pytest.mark.parametrize("api", ["OffsetCommit", "TxnOffsetCommit"])
async def test_other_clients_are_served_while_a_long_refusal_is_sent(api: str) -> None:
    """No group coordinator exists. Each step needs a turn of the loop."""
    async with running(MemoryStorage(), WorkingClock(TURN_MS)) as whole:
        client, other = await whole.client(), await whole.client()
        await client.make_topic("a", PARTITIONS // 20)
        client.writer.write(request_of(api))
        await other.ask("Metadata", 9, {"Topics": []})
        answered = await client.answer(api, 3 if api == "TxnOffsetCommit" else 8)
        codes = {each["ErrorCode"] for topic in answered["Topics"] for each in topic["Partitions"]}
        assert len(answered["Topics"]) == 2
        assert ErrorCode.NONE not in codes
        assert await client.make_topic("c") == ErrorCode.NONE


def request_of(api: str) -> bytes:
    return request(api, 3 if api == "TxnOffsetCommit" else 8, long(api))
