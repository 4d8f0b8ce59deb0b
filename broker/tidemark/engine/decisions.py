"""Decisions of asynchronous handlers: a handler in `handlers/data/` decides in a state machine and waits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from tidemark.core.apply import Unwritten
from tidemark.core.context import Now
from tidemark.core.result import Result
from tidemark.engine.group_commit import GroupCommit
from tidemark.turns import Turns
from tidemark_protocol.errors import KafkaError

T = TypeVar("T")


class StateMachineDecisions:
    """Applies decisions to state machines: the `Decisions` of every Context.

    state(name) returns the state of the machine of this name. accept(name, result) applies a decision of
    that machine. verified(failed, ms) counts a response of the transaction coordinator.
    """

    __slots__ = ("_accept", "_group_commit", "_turns", "now", "state", "verified")

    def __init__(
        self,
        state: Callable[[str], Any],
        group_commit: GroupCommit,
        turns: Turns,
        *,
        accept: Callable[[str, Result[Any]], None],
        now: Callable[[], Now],
        verified: Callable[[int, int], None] = lambda failed, ms: None,
    ) -> None:
        self.state = state
        self.now = now
        self.verified = verified
        self._group_commit = group_commit
        self._turns = turns
        self._accept = accept

    async def durable(self) -> None:
        await self._group_commit.wait_until_durable()
        await self._turns.pause()  # many requests may have waited for this sync

    def apply(self, name: str, result: Result[T]) -> T:
        try:
            self._accept(name, result)
        except Unwritten as error:
            raise KafkaError(error.code) from None
        response: T = result.response  # type: ignore[assignment]  # such a decision is not parked
        return response
