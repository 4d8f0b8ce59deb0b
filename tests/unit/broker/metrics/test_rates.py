from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tidemark.metrics.rates import Meter

KAFKAS = json.loads((Path(__file__).parent / "meters.json").read_text())  # see java/Meters.java
READS = sum(count is not None for run in KAFKAS for *_, count, _ in run["steps"])


@pytest.mark.parametrize("run", KAFKAS, ids=lambda run: f"{run['windows']}x{run['windowMs']}ms")
def test_a_meter_reads_as_kafkas_does(run: dict[str, Any]) -> None:
    meter = Meter(run["windows"], run["windowMs"])
    for now_ms, events, count, rate in run["steps"]:
        if events:
            meter.mark(events, now_ms)
        if count is not None:
            assert (meter.count, meter.rate(now_ms)) == (count, pytest.approx(rate, rel=1e-12))


def test_recording_is_not_empty() -> None:
    assert len(KAFKAS) == 60
    assert READS > 1000


def test_ten_events_a_second_ago_are_ten_in_31_seconds() -> None:
    # As observed on a broker of Kafka.
    meter = Meter()
    meter.mark(10, 5_000)
    assert meter.rate(6_000) == pytest.approx(10 / 31)


def test_a_minute_after_the_last_event_the_rate_is_zero() -> None:
    meter = Meter()
    meter.mark(10, 5_000)
    assert meter.rate(64_999) > 0
    assert meter.rate(65_000) == 0
    assert meter.count == 10


def test_a_meter_that_never_saw_an_event_reads_zero() -> None:
    assert (Meter().count, Meter().rate(7)) == (0, 0.0)
