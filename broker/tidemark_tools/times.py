"""Times as our tools print them."""

from __future__ import annotations

from datetime import UTC, datetime


def time_text(time_ms: int | None) -> str:
    """Return the time in UTC to the millisecond, `-` for None, or ms if it is outside of the calendar."""
    if time_ms is None:
        return "-"
    try:
        text = datetime.fromtimestamp(time_ms / 1000, UTC).isoformat(timespec="milliseconds")
    except (OverflowError, ValueError, OSError):
        return str(time_ms)
    return text.replace("+00:00", "Z")
