"""Handlers that work in steps, run in one go."""

from __future__ import annotations

from collections.abc import Callable
from inspect import isgenerator
from typing import Any

from tidemark.core.result import Result


def finished(decided: Any, accept: Callable[[Result[Any]], None] | None = None) -> Any:
    """Return the decision of a handler, or the final result of its generator.

    accept is called with the parts of a long decision.
    """
    while isgenerator(decided):
        try:
            step = next(decided)
        except StopIteration as done:
            return done.value
        if isinstance(step, Result):
            assert accept is not None
            accept(step)
    return decided
