"""Decisions of asynchronous handlers, on a whole node."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Final

import pytest
import pytest_asyncio

from tests.unit.broker.whole import Whole, WorkingClock, running
from tidemark.core.decision import Decision, Record
from tidemark.turns import TURN_MS
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.records.offset_commit import OffsetCommitKey, OffsetCommitValue
from tidemark_testing.storage import MemoryStorage

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


async def test_a_decision_applies_at_once_and_its_response_waits_until_it_is_durable(broker: Whole) -> None:
    decisions = broker.engine.runtime
    assert decisions.apply("Groups", Decision("done", (commit(7),))) == "done"
    assert committed(broker) == 7
    durable = asyncio.ensure_future(decisions.durable())
    await asyncio.sleep(0)
    assert not durable.done()
    await durable
    assert broker.engine.group_commit.durable == broker.engine.group_commit.appended


async def test_handlers_that_waited_for_the_same_sync_continue_in_turns_of_their_own() -> None:
    # Each look at the clock finds that the turn is used up.
    async with running(MemoryStorage(), WorkingClock(TURN_MS)) as broker:
        await (await broker.client()).find()
        decisions, continued = broker.engine.runtime, 0

        async def handler() -> None:
            nonlocal continued
            await decisions.durable()
            continued += 1

        decisions.apply("Groups", Decision("done", (commit(7),)))
        handlers = [asyncio.ensure_future(handler()) for _ in range(20)]
        most = before = 0
        async with asyncio.timeout(10):
            while before < len(handlers):
                await asyncio.sleep(0)
                most, before = max(most, continued - before), continued
        assert most <= 2


async def test_a_handler_does_not_wait_if_everything_is_durable(broker: Whole) -> None:
    decisions = broker.engine.runtime
    decisions.apply("Groups", Decision(decisions.now().wall_ms))
    assert next(decisions.durable().__await__(), None) is None


async def test_records_that_do_not_fit_are_an_unknown_error_and_change_nothing(broker: Whole) -> None:
    too_large = (commit(7, "m" * 30_000),) * (TOO_LONG // 30_000 + 1)
    with pytest.raises(KafkaError) as refused:
        broker.engine.runtime.apply("Groups", Decision("done", too_large))
    assert refused.value.code == ErrorCode.UNKNOWN_SERVER_ERROR
    assert committed(broker) is None


async def test_new_producer_ids_continue_behind_the_block_after_a_restart() -> None:
    storage = MemoryStorage()
    async with running(storage) as broker:
        assert [broker.engine.new_producer_id() for _ in range(1001)] == [*range(1001)]
    async with running(storage) as broker:
        assert broker.engine.new_producer_id() == 2000
