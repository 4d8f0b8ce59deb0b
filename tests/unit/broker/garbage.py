"""Finds objects that only the garbage collector could free."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def no_collector() -> Iterator[None]:
    """Switch the collector off, and let `garbage` look at objects of this block only."""
    outermost = gc.isenabled()
    gc.disable()
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        if outermost:
            gc.unfreeze()
            gc.enable()


@contextmanager
def no_garbage_of_ours(*, unless: Callable[[], bool]) -> Iterator[None]:
    """Fail if the block leaves objects of the broker that only the garbage collector could free."""
    if not gc.isenabled():  # an outer block looks
        yield
        return
    gc.disable()
    gc.freeze()  # garbage of others is none of this block's business
    try:
        yield
        left = garbage(of_broker=True)
        assert not left or unless(), f"only the garbage collector could free {dict(left)}"
    finally:
        gc.unfreeze()
        gc.enable()


def garbage(*, of_broker: bool = False) -> Counter[str]:
    """Return the number of objects of each type in reference cycles that nothing uses. Frees them.

    Looks at objects that were made since `no_collector`, or since the last call. of_broker: only at the
    broker's. None of them counts if a test has caught an exception, which keeps all that its frames refer to.
    """
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        gc.collect()
        if not of_broker:
            return Counter(map(name_of_type, gc.garbage))
        if any(type(each) is FrameType and "/tests/" in each.f_code.co_filename for each in gc.garbage):
            return Counter()
        return Counter(name for name in map(name_of_type, gc.garbage) if name.startswith("tidemark"))
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.collect()
        gc.freeze()


def name_of_type(each: object) -> str:
    return f"{type(each).__module__}.{type(each).__qualname__}"
