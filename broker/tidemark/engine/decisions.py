"""Decisions of asynchronous handlers: a handler in `handlers/data/` decides in a state machine and waits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from tidemark.core.apply import Unwritten
from tidemark.core.context import Now
from tidemark.core.result import Result, Steps
from tidemark.engine.group_commit import GroupCommit
from tidemark.turns import Turns
from tidemark_protocol.errors import KafkaError

T = TypeVar("T")


class StateMachineDecisions:
    """Decides in state machines: the `Decisions` of every Context.

    state(name) returns the state of the machine of this name. accept(name, result) applies a decision of
    that machine. verified(failed, ms) counts a response of the transaction coordinator.
    """

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
        self.verified = verified
        self._group_commit = group_commit
        self._turns = turns
        self._accept = accept
        self._now = now

    async def decide(self, name: str, decider: Callable[[Any, Now], Result[T] | Steps[Result[T]]]) -> T:
        decided = decider(self.state(name), self._now())
        if not isinstance(decided, Result):
            decided = await self._last(name, decided)
        self._apply(name, decided)
        await self._group_commit.wait_until_durable()
        response: T = decided.response  # type: ignore[assignment]  # such a decision is not parked
        return response

    async def _last(self, name: str, steps: Steps[Result[T]]) -> Result[T]:
        """Apply all parts of a decision but the last one, which is returned."""
        while True:
            try:
                step = next(steps)
            except StopIteration as done:
                last: Result[T] = done.value
                return last
            if isinstance(step, Result):
                self._apply(name, step)
            if self._turns.spend():
                await self._turns.rest()

    def _apply(self, name: str, result: Result[Any]) -> None:
        try:
            self._accept(name, result)
        except Unwritten as error:
            raise KafkaError(error.code) from None

    async def durable(self) -> None:
        """Return once everything that was decided so far is durable: at once if it is already."""
        await self._group_commit.wait_until_durable()
