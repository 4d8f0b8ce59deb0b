"""Very many connections get their responses at once, as the members of a large group: over several turns."""

from __future__ import annotations

from typing import Any, Final, cast

from tests.unit.broker.whole import Client, Whole
from tidemark.clock import turn
from tidemark.core.decision import Released
from tidemark.engine.coordinator import SENT_PER_TURN
from tidemark.engine.request import PendingRequest
from tidemark_protocol.apis import APIS
from tidemark_protocol.messages.heartbeat import HeartbeatResponse

CONNECTIONS: Final = 4 * SENT_PER_TURN
VERSION: Final = 3


class Connection:
    """A connection that counts how often it may send."""

    closed = False
    waiting_task = None
    unsent = 0

    def __init__(self) -> None:
        self.sent = 0

    def hold(self, frame: Any) -> None: ...

    def fill(self, pending: PendingRequest, frame: Any, *, was_held: bool = False) -> None:
        pending.frame = frame

    def ready(self) -> None:
        self.sent += 1


def waiting(whole: Whole) -> list[PendingRequest]:
    """Return a request that waits, for each of many connections."""
    served = next(iter(whole.server._connections)).session._resolve_any(APIS["Heartbeat"].key, VERSION)
    return [
        PendingRequest(cast(Any, Connection()), served, number, "app", None, 20)
        for number in range(CONNECTIONS)
    ]


def sent(requests: list[PendingRequest]) -> int:
    return sum(cast(Connection, each.session).sent for each in requests)


async def in_turns(requests: list[PendingRequest]) -> None:
    """Let all connections send. Assert that each turn of the loop lets a few of them."""
    left = CONNECTIONS - sent(requests)
    while left:
        await turn()
        before, left = left, CONNECTIONS - sent(requests)
        assert before - left <= 2 * SENT_PER_TURN
    assert {cast(Connection, each.session).sent for each in requests} == {1}


async def test_responses_that_are_durable_are_sent_over_several_turns(whole: Whole, client: Client) -> None:
    await client.make_topic()
    await client.find()
    requests = waiting(whole)
    for each in requests:
        whole.engine.runtime.release_parked(Released(each, HeartbeatResponse()))
    await in_turns(requests)
    assert await client.commit("g", 1) == 0


async def test_responses_that_wait_for_a_sync_are_sent_over_several_turns(
    whole: Whole, client: Client
) -> None:
    await client.make_topic()
    await client.find()
    requests = waiting(whole)
    journal = whole.engine.group_commit
    journal.appended += 1
    for each in requests:
        whole.engine.runtime.release_parked(Released(each, HeartbeatResponse()))
    assert not sent(requests)
    journal.durable += 1
    whole.engine.runtime.release()
    assert sent(requests) <= SENT_PER_TURN
    await in_turns(requests)
    assert await client.commit("g", 1) == 0


async def test_a_stop_sends_all_responses(whole: Whole) -> None:
    await (await whole.client()).make_topic()
    requests = waiting(whole)
    for each in requests:
        whole.engine.runtime.release_parked(Released(each, HeartbeatResponse()))
    whole.engine.runtime.send_all()
    assert sent(requests) == CONNECTIONS
