"""Handlers that work in steps, run in one go."""

from __future__ import annotations

from inspect import isgenerator
from typing import Any


def finished(decided: Any) -> Any:
    """Return what a handler decides, or what its generator returns in the end."""
    while isgenerator(decided):
        try:
            next(decided)
        except StopIteration as done:
            return done.value
    return decided
