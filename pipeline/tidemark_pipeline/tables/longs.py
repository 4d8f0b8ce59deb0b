"""Java's longs in Spark: sums that wrap (a bare + fails the query in ANSI mode), and times as timestamps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyspark.sql import functions as F

if TYPE_CHECKING:
    from pyspark.sql import Column

LOW_BITS: Final = 0xFFFFFFFF
# What has a date: from 0001-01-01 to 9999-12-31, in milliseconds since 1970.
FIRST_DATE_MS: Final = -62_135_596_800_000
LAST_DATE_MS: Final = 253_402_300_799_999


def plus(a: Column | int, b: Column | int) -> Column:
    """a + b as Java has it: beyond the largest long follows the smallest."""
    low = _low(a) + _low(b)
    return _joined(_high(a) + _high(b), low)


def minus(a: Column | int, b: Column | int) -> Column:
    """a - b as Java has it."""
    low = _low(a) - _low(b)
    return _joined(_high(a) - _high(b), low)


def has_date(ms: Column) -> Column:
    """Whether a date can be told of this time. Null of null."""
    return ms.between(FIRST_DATE_MS, LAST_DATE_MS)


def within_dates(ms: Column) -> Column:
    """The time itself where it has a date, else the nearest that has: what Spark may evaluate at any time."""
    return F.greatest(F.least(ms, _long(LAST_DATE_MS)), _long(FIRST_DATE_MS))


def timestamp(ms: Column) -> Column:
    """Milliseconds since 1970 as a timestamp; null outside the years 1 to 9999."""
    return F.when(has_date(ms), F.timestamp_millis(within_dates(ms)))


def _long(value: Column | int) -> Column:
    return F.lit(value).cast("bigint")


def _low(value: Column | int) -> Column:
    return _long(value).bitwiseAND(F.lit(LOW_BITS))


def _high(value: Column | int) -> Column:
    return F.shiftright(_long(value), 32)


def _joined(high: Column, low: Column) -> Column:
    """Of two halves, which may have run over: neither sum can leave the range of a long."""
    carried = high + F.shiftright(low, 32)
    return F.shiftleft(carried, 32).bitwiseOR(low.bitwiseAND(F.lit(LOW_BITS)))
