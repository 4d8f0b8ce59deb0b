"""Finds objects that only the garbage collector could free."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_collector() -> Iterator[None]:
    """Switch the collector off, and let `garbage` look at objects of this block only."""
    gc.collect()
    gc.disable()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
        gc.enable()


def garbage() -> Counter[str]:
    """Return the number of objects of each type in reference cycles that nothing uses. Frees them.

    Looks at objects that were made since `no_collector`, or since the last call.
    """
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        gc.collect()
        return Counter(map(name_of_type, gc.garbage))
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.collect()
        gc.freeze()


def name_of_type(each: object) -> str:
    return f"{type(each).__module__}.{type(each).__qualname__}"
