"""Names in log lines, with a bounded length: a client may choose one of 32 KiB."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, overload

NAMES_MAX: Final = 25  # in one line
NAME_CHARS_MAX: Final = 256


@overload
def short(name: str) -> str: ...
@overload
def short(name: None) -> None: ...
@overload
def short(name: str | None) -> str | None: ...
def short(name: str | None) -> str | None:
    """Return the name, cut after NAME_CHARS_MAX characters."""
    return name if name is None or len(name) <= NAME_CHARS_MAX else f"{name[:NAME_CHARS_MAX]}..."


def shortened(**names: str | None) -> dict[str, str | None]:
    """Return names as fields of a log line, each cut as by `short`."""
    for field, name in names.items():
        if name is not None and len(name) > NAME_CHARS_MAX:
            names[field] = short(name)
    return names


def listed(names: Iterable[str]) -> str:
    """Return the names as one text, cut after NAMES_MAX of them."""
    known = list(names)
    shown = ", ".join(short(name) for name in known[:NAMES_MAX])
    left = len(known) - NAMES_MAX
    return f"{shown} and {left} more" if left > 0 else shown
