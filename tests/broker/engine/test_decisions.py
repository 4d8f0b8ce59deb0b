"""Decisions of asynchronous handlers, on a whole node."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Final

import pytest
import pytest_asyncio

from tests.broker.whole import Whole, running
from tidemark.core.context import Now
from tidemark.core.result import Record, Result, Steps
from tidemark.groups.state import Groups
from tidemark.testing.storage import MemoryStorage
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.records.offset_commit import OffsetCommitKey, OffsetCommitValue

TOO_LONG: Final = 2**20  # more than a batch of the internal log may have


@pytest_asyncio.fixture
async def broker() -> AsyncIterator[Whole]:
    async with running(MemoryStorage()) as broker:
        await (await broker.client()).find()
        await broker.engine.group_commit.drain()
        yield broker


def commit(offset: int, metadata: str = "") -> Record:
    return Record(OffsetCommitKey("g", "orders", 0), OffsetCommitValue(offset, metadata=metadata))


def committed(broker: Whole) -> int | None:
    offset = broker.state.groups.offsets.get("g", "orders", 0)
    return None if offset is None else offset.offset


@pytest.mark.asyncio
async def test_a_decision_applies_at_once_and_its_response_waits_until_it_is_durable(broker: Whole) -> None:
    deciding = asyncio.ensure_future(
        broker.engine.decisions.decide("Groups", lambda groups, now: Result("done", (commit(7),)))
    )
    await asyncio.sleep(0)
    assert committed(broker) == 7
    assert not deciding.done()
    assert await deciding == "done"
    assert broker.engine.group_commit.durable == broker.engine.group_commit.appended


@pytest.mark.asyncio
async def test_a_decision_does_not_wait_if_everything_is_durable(broker: Whole) -> None:
    deciding = broker.engine.decisions.decide("Groups", lambda groups, now: Result(now.wall_ms))
    with pytest.raises(StopIteration) as done:
        deciding.send(None)
    assert done.value.value == broker.state.clock.wall_ms()


@pytest.mark.asyncio
async def test_a_decider_that_refuses_changes_nothing(broker: Whole) -> None:
    def refuse(groups: Groups, now: Now) -> Result[None]:
        raise KafkaError(ErrorCode.INVALID_TXN_STATE)

    with pytest.raises(KafkaError) as refused:
        await broker.engine.decisions.decide("Groups", refuse)
    assert refused.value.code == ErrorCode.INVALID_TXN_STATE


@pytest.mark.asyncio
async def test_records_that_do_not_fit_are_an_unknown_error_and_change_nothing(broker: Whole) -> None:
    with pytest.raises(KafkaError) as refused:
        await broker.engine.decisions.decide(
            "Groups",
            lambda groups, now: Result("done", (commit(7, "m" * 30_000),) * (TOO_LONG // 30_000 + 1)),
        )
    assert refused.value.code == ErrorCode.UNKNOWN_SERVER_ERROR
    assert committed(broker) is None


@pytest.mark.asyncio
async def test_a_decider_works_in_steps_and_its_parts_apply_in_order(broker: Whole) -> None:
    seen: list[int | None] = []

    def decide(groups: Groups, now: Now) -> Steps[Result[str]]:
        yield 1
        yield Result(records=(commit(1),))
        seen.append(committed(broker))
        return Result("done", (commit(2),))

    assert await broker.engine.decisions.decide("Groups", decide) == "done"
    assert (seen, committed(broker)) == ([1], 2)


@pytest.mark.asyncio
async def test_new_producer_ids_continue_behind_the_block_after_a_restart() -> None:
    storage = MemoryStorage()
    async with running(storage) as broker:
        assert [broker.engine.new_producer_id() for _ in range(1001)] == [*range(1001)]
    async with running(storage) as broker:
        assert broker.engine.new_producer_id() == 2000
