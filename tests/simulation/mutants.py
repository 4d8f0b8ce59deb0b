"""Rules of the broker that are broken on purpose: the simulation has to find each of them.

`python -m tests.simulation --mutants` tells the seed that finds each.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final


@dataclass(slots=True, frozen=True)
class Mutant:
    """apply patches the broker, for the rest of this process. wrong: what a user would see of it."""

    apply: Callable[[], None]
    wrong: str


MUTANTS: Final[dict[str, Mutant]] = {}
