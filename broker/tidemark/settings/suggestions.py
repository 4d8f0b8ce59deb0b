"""Suggest a valid name for a misspelled one."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def closest(name: str, valid: Iterable[str]) -> str:
    """Return "; did you mean 'x'?", to be appended to a message, or "" if no valid name is similar."""
    found = get_close_matches(name, list(valid), n=1)
    return f"; did you mean {found[0]!r}?" if found else ""
