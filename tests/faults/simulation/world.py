"""The world of one seed: its time, its randomness, its trace, and its actors.

Everything that happens is a callback on one virtual clock, in the order of time and then of scheduling. There
is no other source of order: no thread, no socket, no real clock. Each part draws from a random stream named
after it, so that leaving one part out (campaign.py) does not change what the others draw.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Coroutine, Generator
from random import Random
from typing import Any, Final

from tidemark_testing.clock import VirtualClock

_ADDRESS: Final = re.compile(r" at 0x[0-9a-f]+")
EVENTS_MAX: Final = 400_000  # a seed needs about ten thousand


class LawBroken(Exception):
    """The broker broke a law. law: one word or two, the same for the same kind of violation."""

    def __init__(self, law: str, text: str) -> None:
        super().__init__(f"{law}: {text}")
        self.law = law


class Wait:
    """An event that an actor waits for."""

    __slots__ = ("_error", "_then", "_value", "done")

    def __init__(self) -> None:
        self.done = False
        self._value: Any = None
        self._error: BaseException | None = None
        self._then: list[Callable[[], None]] = []

    def set(self, value: Any = None, error: BaseException | None = None) -> None:
        assert not self.done
        self.done = True
        self._value, self._error = value, error
        for then in self._then:
            then()

    def then(self, then: Callable[[], None]) -> None:
        if self.done:
            then()
        else:
            self._then.append(then)

    @property
    def value(self) -> Any:
        """The result; None if there is an error, too."""
        return self._value

    def __await__(self) -> Generator[Wait, None, Any]:
        if not self.done:
            yield self
        if self._error is not None:
            raise self._error
        return self._value


class World:
    """The world. tracing: keep every line of the trace; otherwise none is made."""

    def __init__(self, seed: int, *, tracing: bool = False) -> None:
        self.seed = seed
        self.clock = VirtualClock()
        self.tracing = tracing
        self.lines: list[str] = []
        self.broken: LawBroken | None = None
        self.over = False  # actors finish
        self.counted: dict[str, int] = {}
        self._moments = 0
        self._actors = 0

    def rng(self, name: str) -> Random:
        return Random(f"{self.seed}/{name}")

    def moment(self) -> int:
        """Return a number for each thing that happens, in order: finer than time."""
        self._moments += 1
        return self._moments

    def trace(self, who: str, what: Callable[[], str] | str) -> None:
        if self.tracing:
            text = what if isinstance(what, str) else what()
            self.lines.append(f"{self.clock.steady_ms():>8} {who:<12} {_ADDRESS.sub('', text)}")

    def count(self, what: str) -> None:
        self.counted[what] = self.counted.get(what, 0) + 1

    def break_law(self, law: str, text: str) -> None:
        """End the run after this event. Raises nothing, because the current code may catch it."""
        if self.broken is None:
            self.broken = LawBroken(law, text)
            self.trace("LAW", f"{law}: {text}")

    def after(self, delay_ms: int, callback: Callable[[], None]) -> None:
        self.clock.call_at(self.clock.steady_ms() + delay_ms, callback)

    async def sleep(self, ms: int) -> None:
        wait = Wait()
        self.after(ms, wait.set)
        await wait

    # actors

    @property
    def idle(self) -> bool:
        """Return if no actor is left."""
        return self._actors == 0

    def spawn(self, name: str, actor: Coroutine[Any, None, None]) -> None:
        self._actors += 1
        self._go_on(name, actor)

    def _go_on(self, name: str, actor: Coroutine[Any, None, None]) -> None:
        try:
            wait = actor.send(None)
        except StopIteration:
            self._actors -= 1
        else:
            wait.then(lambda: self.after(0, lambda: self._go_on(name, actor)))

    # running

    def run(self, until: Callable[[], bool], within_ms: int) -> bool:
        """Run until the condition holds. Return False if the time is over first. Raises LawBroken."""
        end_ms = self.clock.steady_ms() + within_ms
        for _ in range(EVENTS_MAX):
            if until():
                return True
            if self.clock.steady_ms() > end_ms:
                return False
            if not self.clock.step():
                return until()
            if self.broken is not None:
                raise self.broken
        raise LawBroken("endless", f"{EVENTS_MAX} events and no end")
