"""Settings of the whole process. Only a node that owns its process changes them."""

from __future__ import annotations

import gc
import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from tidemark import descriptors

# State that a request leaves behind is either kept (an offset) or freed by its reference count: our code
# makes no cycles per request. As a net, the collector examines young objects, and those that have survived up
# to ten such collections: at most 33,000 objects, in 1.5 ms. The oldest generation is never collected:
# CPython 3.11 can only examine all of it at once, half a second with a million offsets.
GC_THRESHOLDS: Final = (3_000, 10, 1_000_000)
SWITCH_INTERVAL_S: Final = 0.0005  # the sync thread needs the interpreter as soon as its sync is done


class FewDescriptors(Exception):
    """The limit of open files is too low for a broker. The text is for the user."""


def tune() -> None:
    """Raise the soft limit of open files to the hard one, and switch threads quickly.

    Raises FewDescriptors.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    if descriptors.limit() < descriptors.LIMIT_MIN:
        raise FewDescriptors(
            f"the limit of open files is {descriptors.limit()}, and a broker needs at least "
            f"{descriptors.LIMIT_MIN}: raise it with `ulimit -n`"
        )
    sys.setswitchinterval(SWITCH_INTERVAL_S)


@contextmanager
def loading() -> Iterator[None]:
    """Exclude everything that is loaded in this context from garbage collection, now and later."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)


def free_replaced() -> None:
    """Collect all garbage, also what `loading` has excluded: a restore leaves the state that it replaces.

    Examines every object of the process. Only a restore calls it, during which no client is served.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()
