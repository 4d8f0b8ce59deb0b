"""Java's longs in Spark: sums that wrap (a plain + fails the query in ANSI mode), and times as timestamps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyspark.sql import functions as F

if TYPE_CHECKING:
    from pyspark.sql import Column

LOW_BITS: Final = 0xFFFFFFFF
# Times with a date: from 0001-01-01 to 9999-12-31, in milliseconds since 1970.
FIRST_DATE_MS: Final = -62_135_596_800_000
LAST_DATE_MS: Final = 253_402_300_799_999


def plus(a: Column, b: Column | int) -> Column:
    """Return a + b as Java computes it: the smallest long follows the largest.

    The columns must be bigint: Spark shifts an int by 32 modulo 32, that is, not at all.
    """
    low = _low(a) + _low(b)
    return _joined(_high(a) + _high(b), low)


def minus(a: Column, b: Column | int) -> Column:
    """Return a - b as Java computes it. The columns must be bigint, see `plus`."""
    low = _low(a) - _low(b)
    return _joined(_high(a) - _high(b), low)


def has_date(ms: Column) -> Column:
    """Return whether the time is within the years 1 to 9999. Null of null."""
    return ms.between(FIRST_DATE_MS, LAST_DATE_MS)


def within_dates(ms: Column) -> Column:
    """Return the time, or the nearest one that has a date: Spark may evaluate a branch that it does not
    need.
    """
    return F.greatest(F.least(ms, F.lit(LAST_DATE_MS)), F.lit(FIRST_DATE_MS))


def timestamp(ms: Column) -> Column:
    """Return milliseconds since 1970 as a timestamp; null outside the years 1 to 9999."""
    return F.when(has_date(ms), F.timestamp_millis(within_dates(ms)))


def _low(value: Column | int) -> Column | int:
    return value & LOW_BITS if isinstance(value, int) else value.bitwiseAND(LOW_BITS)


def _high(value: Column | int) -> Column | int:
    return value >> 32 if isinstance(value, int) else F.shiftright(value, 32)


def _joined(high: Column, low: Column) -> Column:
    """Join two halves that may have overflowed. No sum here leaves the range of a long."""
    carried = high + F.shiftright(low, 32)
    return F.shiftleft(carried, 32).bitwiseOR(low.bitwiseAND(F.lit(LOW_BITS)))
