"""The lag of a group: the one definition for /v1, the metrics, the console and the pytest fixture."""

from __future__ import annotations


def lag_of(offset: int | None, log_end: int | None) -> int | None:
    """Return the end of a partition's log minus the committed offset.

    None if there is no committed offset, for which kafka-consumer-groups prints `-`, or no such log. Negative
    after a commit beyond the end, or if the topic was created again.
    """
    return None if offset is None or log_end is None else log_end - offset


def add_lag(total: int | None, lag: int | None) -> int | None:
    """Return the total with the lag of one more partition. None: no partition has a lag.

    A negative lag counts as 0, so that it does not hide that of other partitions.
    """
    if lag is None:
        return total
    return (total or 0) + max(lag, 0)
