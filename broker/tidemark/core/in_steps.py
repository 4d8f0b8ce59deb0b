"""Generators that split work into short steps: quick for an ordinary request, slow for 100 MB of names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from heapq import merge
from sys import getsizeof
from typing import Any, Final, TypeVar

from tidemark.core.result import Steps

RUN_LENGTH: Final = 500  # names that are sorted in one step
ITEM_BYTES_MIN: Final = 50  # of a response: a partition, a member, a setting; few have fewer

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")


def counted(items: Iterable[K]) -> Steps[Counter[K]]:
    """Count how often each item occurs. The order is that of first occurrences.

    To hash a name for the first time costs as much as to read it; Python remembers the hash.
    """
    counts: Counter[K] = Counter()
    for item in items:
        counts[item] += 1
        yield 0
    return counts


def in_order(items: Sequence[T], key: Callable[[T], Any] | None = None) -> Steps[Iterator[T]]:
    """Sort in runs, which are merged while the caller iterates. Equal items keep their order."""
    runs: list[list[T]] = []
    for start in range(0, len(items), RUN_LENGTH):
        runs.append(sorted(items[start : start + RUN_LENGTH], key=key))  # type: ignore[type-var, arg-type]
        yield 0
    return merge(*runs, key=key)  # type: ignore[arg-type]


def items_of(text: str | None) -> int:
    """Return for how many items of a response an error message counts, as it may quote a long name.

    Its memory counts: one emoji makes each character of a string four bytes long.
    """
    return 0 if text is None else getsizeof(text) // ITEM_BYTES_MIN


def at_once(steps: Steps[T]) -> T:
    """Run a generator to its end, and return its value."""
    while True:
        try:
            next(steps)
        except StopIteration as done:
            value: T = done.value
            return value


__all__ = ["ITEM_BYTES_MIN", "RUN_LENGTH", "at_once", "counted", "in_order", "items_of"]
