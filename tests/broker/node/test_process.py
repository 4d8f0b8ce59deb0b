"""The garbage collector of a broker."""

from __future__ import annotations

import gc
import weakref

from tidemark.node.process import free_replaced


class Replaced:
    """The state that a restore has replaced: its parts refer to each other."""

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
