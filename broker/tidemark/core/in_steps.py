"""Generators that split work into short steps: quick for an ordinary request, slow for 100 MB of names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from heapq import merge
from typing import Final, TypeVar

from tidemark.core.result import Steps

RUN_LENGTH: Final = 500  # names that are sorted in one step

K = TypeVar("K", bound=Hashable)


def counted(items: Iterable[K]) -> Steps[Counter[K]]:
    """Count how often each item occurs. The order is that of first occurrences.

    To hash a name for the first time costs as much as to read it; Python remembers the hash.
    """
    counts: Counter[K] = Counter()
    for item in items:
        counts[item] += 1
        yield 0
    return counts


def in_order(names: Sequence[str]) -> Steps[Iterator[str]]:
    """Sort in runs, which are merged while the caller iterates."""
    runs: list[list[str]] = []
    for start in range(0, len(names), RUN_LENGTH):
        runs.append(sorted(names[start : start + RUN_LENGTH]))
        yield 0
    return merge(*runs)


__all__ = ["RUN_LENGTH", "counted", "in_order"]
