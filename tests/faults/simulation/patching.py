"""How a mutant patches the broker."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(slots=True, frozen=True)
class Mutant:
    """A broken rule.

    apply    patches the broker, for the rest of this process
    wrong    what a user would notice
    actors   these are enough to find it, alone or as a kind ("crew" is crew-1 to crew-3); ():
             all but the transactional ones
    several  it needs several brokers
    """

    apply: Callable[[], None]
    wrong: str
    actors: tuple[str, ...] = ()
    several: bool = False


def patch(owner: Any, name: str, make: Callable[[Any], Any]) -> Callable[[], None]:
    """Replace an attribute by the result of `make`, which gets the original."""

    def apply() -> None:
        assert hasattr(owner, name), f"{owner} has no {name} any more"
        setattr(owner, name, make(getattr(owner, name)))

    return apply


def at_once(respond: Any) -> Any:
    """Return `Runtime._respond` without its wait for the sync."""

    def without_waiting(self: Any, *arguments: Any, **more: Any) -> None:
        group_commit = self.group_commit
        durable, group_commit.durable = group_commit.durable, group_commit.appended
        try:
            respond(self, *arguments, **more)
        finally:
            group_commit.durable = durable

    return without_waiting
