"""A state machine without a runtime."""

from __future__ import annotations

from typing import Any

from tidemark.core.apply import Machine
from tidemark.core.deadlines import Deadlines
from tidemark.core.removal import Removal
from tidemark.core.result import Effect, Released


class LoneMachine(Machine):
    """A machine that is its own runtime. A subclass defines what its test needs."""

    def __init__(self, state: Any) -> None:
        super().__init__(state, self)

    def release_parked(self, released: Released) -> None:
        raise NotImplementedError

    def carry_out(self, effect: Effect) -> None:
        raise NotImplementedError

    def removed(self, removals: tuple[Removal, ...]) -> None: ...

    def arm(self, deadlines: Deadlines) -> None: ...
