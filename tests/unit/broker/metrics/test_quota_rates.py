"""The expected values are those of Kafka's Rate with 11 windows of a second."""

from __future__ import annotations

import pytest

from tidemark.metrics.rates import Rate


def a_rate(*records: tuple[int, float]) -> Rate:
    rate = Rate(11, 1000)
    for at_ms, value in records:
        rate.record(value, at_ms)
    return rate


def test_first_record_counts_for_all_windows_but_one() -> None:
    rate = a_rate((5_000, 1000))
    assert rate.window_ms(5_000) == 10_000
    assert rate.per_second(5_000) == 100
    assert rate.throttle_ms(10, 5_000) == 90_000


def test_client_at_its_limit_need_not_wait() -> None:
    assert a_rate((0, 1000)).throttle_ms(100, 0) == 0


def test_part_of_a_window_counts() -> None:
    assert a_rate((0, 1000)).window_ms(1_500) == 10_500
    assert a_rate((0, 1000)).window_ms(500) == 10_500


def test_window_without_records_counts() -> None:
    rate = a_rate((0, 1000), (10_500, 50))
    assert rate.window_ms(10_500) == 10_500
    assert rate.per_second(10_500) == pytest.approx(100)


def test_records_expire_after_all_windows() -> None:
    rate = a_rate((0, 1000), (5_000, 10))
    assert rate.per_second(10_999) == pytest.approx(1010 / 10.999)
    assert rate.per_second(11_000) == 1  # from 5,000 on, and never less than ten windows


def test_value_is_taken_back() -> None:
    assert a_rate((0, 1000), (0, -1000)).per_second(0) == 0


def test_limit_that_is_no_number_throttles_nobody() -> None:
    assert a_rate((0, 1000)).throttle_ms(float("nan"), 0) == 0


def test_single_window_is_at_least_a_millisecond_long() -> None:
    # As measured with Kafka 4.3.1 and quota.window.num=1: Rate.windowSize, and QuotaUtils.throttleTime.
    rate = Rate(1, 1000)
    rate.record(1000, 5_000)
    assert (rate.window_ms(5_000), rate.per_second(5_000)) == (1, 1e6)
    assert rate.throttle_ms(100, 5_000) == 9_999
    assert (rate.window_ms(5_400), rate.per_second(5_400)) == (400, 2_500)
    assert rate.throttle_ms(100, 5_400) == 9_600
