"""The page at /metrics: three families of names for the same counts.

This module imports prometheus-client, so only a scrape may import it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate, islice
from types import MappingProxyType
from typing import Final

from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.core import Metric as Family
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from prometheus_client.registry import Collector

from tidemark import __version__
from tidemark.metrics.catalogue import CATALOGUE, EXPORTER, KAFKA, SERIES_MAX
from tidemark.metrics.definition import Histogram, Labels, Metric, Reading
from tidemark.metrics.registry import Metrics
from tidemark_protocol.errors import ErrorCode

CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4
NOTHING: Final[Mapping[str, int]] = MappingProxyType({})
METRICS: Final = (*CATALOGUE, *KAFKA, *EXPORTER)

Readings = dict[str, Reading | Histogram]  # by attribute


class Page:
    """All metrics with the values of one broker, and those of its process from Linux."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._process = ProcessCollector(registry=None)
        metrics.watch("build", lambda: {__version__: 1})

    def read(self) -> Readings:
        """Return the current values. Call this on the event loop, where no value changes meanwhile."""
        readings: Readings = {}
        for attribute in {metric.attribute for metric in METRICS}:
            reading = self._metrics.reading(attribute)
            if isinstance(reading, Mapping):
                readings[attribute] = dict(reading)
            elif reading is not None:
                readings[attribute] = reading
        return readings

    def text(self, readings: Readings, left_out: Mapping[str, int] = NOTHING) -> bytes:
        """Return the page. Any thread may call this. left_out: series of an attribute that were not read."""
        registry = CollectorRegistry(auto_describe=False)
        registry.register(_Collected(readings, left_out, self._process))
        return generate_latest(registry)


class _Collected(Collector):
    """One scrape, as prometheus-client expects it."""

    def __init__(self, readings: Readings, left_out: Mapping[str, int], process: Collector) -> None:
        self._readings = readings
        self._left_out = left_out
        self._process = process

    def collect(self) -> Iterable[Family]:
        left_out: dict[Labels, float] = {}
        for metric in METRICS:
            reading = self._readings.get(metric.attribute)
            if reading is None:
                continue
            series = len(reading) if isinstance(reading, Mapping) else 1
            missing = max(0, series - SERIES_MAX) + self._left_out.get(metric.attribute, 0)
            if missing:
                left_out[metric.name] = missing
            yield _family(metric, reading)
        yield from (_family(metric, left_out) for metric in METRICS if metric.attribute == "series_left_out")
        yield from self._process.collect()


def _family(metric: Metric, reading: Reading | Histogram) -> Family:
    if isinstance(reading, Histogram):
        return _histogram(metric, reading)
    make = CounterMetricFamily if metric.kind == "counter" else GaugeMetricFamily
    family = make(metric.name, metric.help, labels=metric.labels)
    for labels, value in _series(metric, reading):
        family.add_metric(labels, value)
    return family


def _series(metric: Metric, reading: Reading) -> Iterator[tuple[list[str], float]]:
    if not isinstance(reading, Mapping):
        yield [], reading
        return
    everything = dict.fromkeys(metric.always, 0.0) | dict(reading)
    for key, value in islice(everything.items(), SERIES_MAX):
        yield [_shown(part, label) for part, label in zip(_parts(key), metric.labels, strict=True)], value


def _histogram(metric: Metric, reading: Histogram) -> Family:
    bounds = [f"{bound:g}" for bound in reading.bounds] + ["+Inf"]
    family = HistogramMetricFamily(metric.name, metric.help)
    family.add_metric([], list(zip(bounds, accumulate(reading.counts), strict=True)), reading.total)
    return family


def _parts(key: Labels) -> tuple[str | int, ...]:
    return key if isinstance(key, tuple) else (key,)


def _shown(part: str | int, label: str) -> str:
    return ErrorCode(part).name if label == "error" and isinstance(part, int) else str(part)


__all__ = ["CONTENT_TYPE", "Page"]
