"""The garbage collector of a broker."""

from __future__ import annotations

import gc
import weakref
from typing import Final

from tidemark.node.environment import GC_THRESHOLDS, free_replaced

OTHERS: Final = 100_000


class Replaced:
    """Something whose parts refer to each other, such as the state that a restore has replaced."""

    def __init__(self) -> None:
        self.itself = self


def test_state_that_was_excluded_from_collection_is_freed_once_it_is_replaced() -> None:
    replaced = weakref.ref(Replaced())
    gc.freeze()
    gc.collect()
    assert replaced() is not None
    free_replaced()
    try:
        assert replaced() is None
    finally:
        gc.unfreeze()


def test_cycle_that_has_survived_a_young_collection_is_freed_as_others_come() -> None:
    before = gc.get_threshold()
    cycle = Replaced()
    gc.collect(0)
    freed = weakref.ref(cycle)
    gc.set_threshold(*GC_THRESHOLDS)
    try:
        del cycle
        others: list[list[int]] = []
        while freed() is not None and len(others) < OTHERS:
            others.append([])
        assert freed() is None
    finally:
        gc.set_threshold(*before)
