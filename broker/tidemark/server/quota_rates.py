"""The rates that quotas limit. Kafka: `Rate`, `SampledStat` and `ClientQuotaManager`.

A rate is the sum of samples over their time. A sample covers one window of time and begins with a record, so
that there is none for a window without records.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, isnan
from typing import Final

MS: Final = 1000


@dataclass(slots=True)
class _Sample:
    start_ms: int
    last_ms: int
    total: float = 0.0

    def reset(self, now_ms: int) -> None:
        self.start_ms = self.last_ms = now_ms
        self.total = 0.0


class Rate:
    """Values per second over the last `samples` windows. Times are steady, in milliseconds.

    total  of all samples. The rate is at most this, divided by the time of all windows but one
    """

    __slots__ = ("_at", "_samples", "_samples_max", "_window_ms", "total")

    def __init__(self, samples: int, window_ms: int) -> None:
        self._samples_max = samples
        self._window_ms = window_ms
        self._samples: list[_Sample] = []
        self._at = 0
        self.total = 0.0

    def record(self, value: float, now_ms: int) -> None:
        samples = self._samples
        if not samples:
            samples.append(_Sample(now_ms, now_ms))
        elif now_ms - samples[self._at].start_ms >= self._window_ms:
            # One sample more than windows: the oldest one overlaps the time that is measured.
            self._at = (self._at + 1) % (self._samples_max + 1)
            if self._at == len(samples):
                samples.append(_Sample(now_ms, now_ms))
            else:
                self.total -= samples[self._at].total
                samples[self._at].reset(now_ms)
        self.total += value
        sample = samples[self._at]
        sample.total += value
        sample.last_ms = now_ms

    @property
    def last_ms(self) -> int:
        """Return the time of the last record."""
        return self._samples[self._at].last_ms

    def window_ms(self, now_ms: int) -> int:
        """Return the time over which the rate is measured.

        It has at least all windows but one, so that the first records do not make a high rate.
        """
        self._purge(now_ms)
        elapsed = now_ms - min((each.start_ms for each in self._samples), default=now_ms)
        missing = self._samples_max - 1 - elapsed // self._window_ms
        return elapsed + max(0, missing) * self._window_ms or self._window_ms

    def per_second(self, now_ms: int) -> float:
        window_ms = self.window_ms(now_ms)
        return sum(each.total for each in self._samples) / (window_ms / MS)

    def throttle_ms(self, limit: float, now_ms: int) -> int:
        """Return the time after which the rate is at its limit if nothing more is recorded."""
        rate = self.per_second(now_ms)
        if isnan(limit) or rate <= limit:
            return 0
        return floor((rate - limit) / limit * self.window_ms(now_ms) + 0.5)

    def _purge(self, now_ms: int) -> None:
        expired_ms = now_ms - self._samples_max * self._window_ms
        for sample in self._samples:
            if sample.last_ms <= expired_ms:
                self.total -= sample.total
                sample.reset(now_ms)
