"""Lists of what has happened keep names of clients, and their memory is bounded in bytes."""

from __future__ import annotations

from typing import Any, cast

from tidemark.core.context import Caller
from tidemark.core.decision import Cause, ClassicGroupRebalanced, Removal
from tidemark.engine.events import REBALANCES_BYTES_MAX, REMOVALS_BYTES_MAX, Rebalances, Removals
from tidemark.engine.request import PendingRequest
from tidemark.groups.state import Groups
from tidemark.handlers.routes import load
from tidemark.metrics.registry import Metrics
from tidemark.server.request_journal import Journals, RequestTap
from tidemark.server.session import ServedVersion
from tidemark_protocol.frames import encode_request
from tidemark_protocol.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from tidemark_testing.clock import VirtualClock

LONG = "\N{WATER WAVE}" + 32_000 * "a"  # 128 KB in memory


HEARTBEAT = load()[HeartbeatRequest.API_KEY]
CODEC = HeartbeatRequest.DECODERS[4], HeartbeatResponse.ENCODERS[4]


class NoLog:
    def info(self, *_: Any, **__: Any) -> None: ...


def removal(group: str) -> Removal:
    return Removal(0, group, "orders", 0, 1, -1, "", 0, Cause.GROUP_DELETE)


def test_memory_of_removals_is_bounded() -> None:
    kept = Removals(Metrics(lambda: 0), NoLog(), 10_000)
    for number in range(1000):
        kept.add((removal(f"{number}{LONG}"),))
    assert 0 < len(list(kept)) <= REMOVALS_BYTES_MAX // 128_000
    assert kept.forgotten == 1000 - len(list(kept))
    kept.add((removal("billing"),))
    assert kept.since(1000) == [removal("billing")]


def test_memory_of_rebalances_is_bounded() -> None:
    kept = Rebalances(Groups(), lambda: 0)
    for number in range(500):
        kept.add(ClassicGroupRebalanced(f"{number}{LONG}", 1, 1, LONG))
    assert 0 < len(kept.newest_first()) <= REBALANCES_BYTES_MAX // 128_000
    kept.add(ClassicGroupRebalanced("billing", 1, 1, "member joined"))
    assert (kept.newest_first()[0].group, kept.count) == ("billing", 501)


def test_memory_of_the_request_journal_counts_names_that_were_read() -> None:
    names = [(f"{number}{LONG}", 0) for number in range(5)]
    journals = Journals(1000, 1_000_000, lambda request, fetched: ([], [], names))
    tap = RequestTap(journals, VirtualClock(), NoLog(), fetched=lambda *_: [])
    HEARTBEAT.load()
    served = ServedVersion(HEARTBEAT, 4, *CODEC, flexible_request=True, flexible_response=True)
    frame = encode_request(HeartbeatRequest(), 4, 1, "app")
    for _ in range(5):
        pending = PendingRequest(cast(Any, None), served, 1, "app", HeartbeatRequest(), len(frame))
        tap.arrived(Caller(), pending, bytes(frame), 0, len(frame))
    assert len(journals.clients) == 5
    for entry in journals.clients.entries():
        journals.clients.names(entry)
    assert len(journals.clients) == 1
    assert journals.clients.memory_bytes <= 1_000_000
