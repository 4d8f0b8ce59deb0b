"""A node dies at every operation on its disk while a transaction ends. The restart completes it."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any, Final

import pytest

from tests.unit.broker.data_node import a_batch
from tests.unit.broker.node.coordinated import begin, markers, prepare, settled
from tests.unit.broker.whole import Whole, start
from tidemark.core.decision import Decision, Record
from tidemark.transactions.model import COMPLETE_ABORT, COMPLETE_COMMIT, ONGOING
from tidemark_protocol.batch import TRANSACTIONAL
from tidemark_protocol.records.offset_commit import OffsetCommitKey, OffsetCommitValue
from tidemark_testing.storage import FaultyStorage, MemoryStorage

pytestmark = pytest.mark.slow  # each lets the broker die at every step

OFFSETS: Final = "__consumer_offsets"
TOPICS: Final = ("orders", "payments")
LOGS: Final = (*TOPICS, OFFSETS)
DATA_END: Final = 2  # of a user log before the marker


class WholeOrNothing(FaultyStorage):
    """A power cut loses all of a file's unsynced bytes, or none. Torn batches would hide wrong orders."""

    def _surviving_content(self, node: Any) -> bytes:
        return self._random.choice((bytes(node.content), bytes(node.durable)))


async def begun(storage: MemoryStorage) -> Whole:
    """Start a node with an open transaction: it has written to both topics, and committed an offset."""
    whole = await start(storage)
    client = await whole.client()
    for topic in TOPICS:
        assert await client.make_topic(topic) == 0
    await client.find()
    await begin(whole, *((topic, 0) for topic in LOGS))
    for topic in TOPICS:
        log = whole.state.logs.get(topic, 0)
        assert log is not None
        data = a_batch(DATA_END, attributes=TRANSACTIONAL, producer_id=0, producer_epoch=0, sequence=0)
        log.append(data, leader_epoch=0, now_ms=whole.state.clock.log_ms(), from_client=False)
        log.mark_synced(log.sync())
    commit = OffsetCommitValue(42, commit_timestamp=whole.state.clock.wall_ms())
    record = Record(OffsetCommitKey("g", "orders", 0), commit, (0, 0))
    whole.engine.runtime.accept("Groups", Decision(records=(record,)))
    await whole.engine.group_commit.drain()
    return whole


class Ending:
    """The transaction ends. acknowledged: the decision is durable, so its client may have the response."""

    def __init__(self, *, committed: bool) -> None:
        self.committed = committed
        self.acknowledged = False

    async def __call__(self, whole: Whole) -> None:
        prepare(whole, committed=self.committed)
        await whole.engine.runtime.durable()
        self.acknowledged = True
        await settled(whole)


async def lived(whole: Whole, storage: FaultyStorage, ending: Ending) -> bool:
    """Return whether the transaction ended completely before the process died."""
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: None)
    task = asyncio.ensure_future(ending(whole))
    while not (task.done() or storage.dead or whole.node.failed.done()):
        await asyncio.sleep(0)
    ended = task.done() and task.exception() is None
    task.cancel()
    with suppress(BaseException):
        await task
    return ended


async def killed(whole: Whole) -> None:
    """Stop as a kill does: nothing more reaches the disk."""
    with suppress(BaseException):
        await whole.node.current.abandon()
    whole.node.listeners.close()
    for client in whole._clients:
        client.writer.close()


def effective_markers(whole: Whole, topic: str) -> list[int]:
    """Return the type of each marker that ended an open transaction. Readers ignore any other marker."""
    log = whole.state.logs.get(topic, 0)
    assert log is not None
    assert log.last_stable_offset == log.log_end_offset
    return markers(whole, topic)[:1]


def check_ended(whole: Whole, *, committed: bool) -> None:
    """Check that the transaction has one outcome in all logs, and that none of them has it open."""
    status = whole.engine.runtime.state("Transactions").by_id["tx"].status
    assert status is (COMPLETE_COMMIT if committed else COMPLETE_ABORT)
    for topic in LOGS:
        assert effective_markers(whole, topic) == [int(committed)], topic
        assert set(markers(whole, topic)) == {int(committed)}
    groups = whole.state.groups
    assert (groups.offsets.get("g", "orders", 0) is not None) == committed
    assert not groups.offsets.pending("g")


def ends(whole: Whole) -> list[int]:
    found = [whole.state.logs.get(topic, 0) for topic in TOPICS]
    return [log.log_end_offset for log in found if log is not None]


@pytest.mark.parametrize("committed", [True, False], ids=["commit", "abort"])
@pytest.mark.parametrize("fault", ["kill -9", "power cut"])
@pytest.mark.parametrize("seed", range(3))
async def test_a_restart_writes_the_markers_that_a_death_prevented(
    seed: int, fault: str, committed: bool
) -> None:
    """seed: decides which bytes a power cut loses."""
    steps = repeated = 0
    untouched = False
    while not untouched:
        storage = WholeOrNothing(100 * seed + steps)
        untouched, found = await _death_and_restart(storage, fault, Ending(committed=committed), steps)
        repeated += any(end > DATA_END + 1 for end in found)
        steps += 1
    assert steps > 5
    assert repeated, "no death came between the markers and the record that they are written"


async def _death_and_restart(
    storage: FaultyStorage, fault: str, ending: Ending, step: int
) -> tuple[bool, list[int]]:
    """Die at this step and restart. Return whether there was no such step, and the ends of the user logs."""
    whole = await begun(storage)
    storage.die_after = step
    untouched = await lived(whole, storage, ending) and not storage.dead
    await killed(whole)
    storage.crash() if fault == "power cut" else storage.kill()

    whole = await start(storage)
    await settled(whole)
    if whole.engine.runtime.state("Transactions").by_id["tx"].status is ONGOING:
        assert not ending.acknowledged
        assert not any(markers(whole, topic) for topic in TOPICS)
        await ending(whole)  # the client's retry
    check_ended(whole, committed=ending.committed)
    found = ends(whole)
    await killed(whole)
    storage.kill()

    whole = await start(storage)  # no marker is owed any more
    await settled(whole)
    assert ends(whole) == found
    check_ended(whole, committed=ending.committed)
    await killed(whole)
    return untouched, found
