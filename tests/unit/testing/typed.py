"""The types that users of the fixture see. mypy checks this file (`make types`); nothing runs it.

A typo must be refused: mypy reports an ignored error that does not occur.
"""

from __future__ import annotations

from typing import Any, assert_type, cast

from tidemark_testing import (
    ApiName,
    AsyncRequests,
    AsyncSetFault,
    AsyncTidemark,
    EndedSession,
    FaultFields,
    Group,
    Member,
    Moved,
    Outcome,
    Record,
    RecordedRequest,
    RequestedTopic,
    Requests,
    SetFault,
    Tidemark,
    TidemarkFactory,
    TransactionPartition,
)


def names(tidemark: Tidemark, text: str) -> None:
    assert_type(tidemark.requests(api="OffsetCommit", error="NOT_COORDINATOR", outcome="dropped"), Requests)
    tidemark.requests(api="OffsetComit")  # type: ignore[arg-type]
    tidemark.requests(error="NOT_CORDINATOR")  # type: ignore[arg-type]
    tidemark.requests(outcome="lost")  # type: ignore[arg-type]
    tidemark.requests(api=text)  # type: ignore[arg-type]
    tidemark.requests(api=cast("ApiName", text))
    Tidemark.start(mode="docker")  # type: ignore[arg-type]


def faults(tidemark: Tidemark) -> None:
    fault = tidemark.faults.add(
        api="Produce", error="NOT_LEADER_OR_FOLLOWER", level="partition", when="after"
    )
    assert_type(fault, SetFault)
    assert_type(fault.fields, FaultFields)
    assert_type(fault.wait_for(matched=2), SetFault)
    tidemark.faults.add(api="Produse", drop=True)  # type: ignore[arg-type]
    tidemark.faults.add(error="NOT_LEADER")  # type: ignore[arg-type]
    tidemark.faults.add(disk="read", errno="EIO")  # type: ignore[arg-type]
    tidemark.faults.add(dorp=True)  # type: ignore[call-arg]


def results(tidemark: Tidemark, factory: TidemarkFactory) -> None:
    assert_type(factory({"offsets.retention.minutes": 60}, release="3.9"), Tidemark)
    assert_type(tidemark.groups, dict[str, Group])
    assert_type(tidemark.groups["billing"].members, list[Member])
    assert_type(tidemark.expel("billing", "app-1"), Member)
    assert_type(tidemark.clock.advance(days=8).sessions, list[EndedSession])
    assert_type(tidemark.transactions()[0].partitions, list[TransactionPartition])
    request = tidemark.requests()[-1]
    assert_type(request, RecordedRequest)
    assert_type(request.topics, list[RequestedTopic])
    assert_type(request.api, ApiName)
    assert_type(request.outcome, Outcome)
    assert_type(request.request, dict[str, Any] | None)


async def coroutines(tidemark: AsyncTidemark) -> None:
    assert_type(await tidemark.groups(), dict[str, Group])
    assert_type(await tidemark.records("orders", count=1), list[Record])
    assert_type(await tidemark.clock.advance(days=8), Moved)
    assert_type(await tidemark.expel("billing", "app-1"), Member)
    requests = await tidemark.requests(api="OffsetCommit")
    assert_type(requests, AsyncRequests)
    assert_type(await requests.wait_for(2), AsyncRequests)
    assert_type(requests[-1], RecordedRequest)
    await tidemark.requests(api="OffsetComit")  # type: ignore[arg-type]
    await tidemark.records("orders", number=1)  # type: ignore[call-arg]
    fault = await tidemark.faults.add(api="Produce", drop=True)
    assert_type(fault, AsyncSetFault)
    assert_type(await fault.wait_for(matched=2), AsyncSetFault)
    assert_type(await fault.matched(), int)
    await tidemark.faults.add(api="Produse", drop=True)  # type: ignore[arg-type]
    async with fault as same, tidemark.kept():
        assert_type(same, AsyncSetFault)
