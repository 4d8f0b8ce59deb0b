"""The page at /metrics. Imports prometheus-client, so only a scrape may import this."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate, islice

from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.core import Metric as Family
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from prometheus_client.registry import Collector

from tidemark import __version__
from tidemark.metrics.catalogue import CATALOGUE, SERIES_MAX, Metric
from tidemark.metrics.registry import Histogram, Labels, Metrics, Reading
from tidemark_protocol.errors import ErrorCode

CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4


Readings = dict[str, Reading | Histogram]


class Page:
    """The catalogue with what the broker has counted so far, and what Linux says of the process."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._process = ProcessCollector(registry=None)
        metrics.watch("build", lambda: {__version__: 1})

    def read(self) -> Readings:
        """Everything as it stands now. Quick, and not to be interrupted by what it reads."""
        readings: Readings = {}
        for metric in CATALOGUE:
            reading = self._metrics.reading(metric.attribute)
            if isinstance(reading, Mapping):
                readings[metric.attribute] = dict(reading)
            elif reading is not None:
                readings[metric.attribute] = reading
        return readings

    def text(self, readings: Readings) -> bytes:
        """The page, from any thread."""
        registry = CollectorRegistry(auto_describe=False)
        registry.register(_Collected(readings, self._process))
        return generate_latest(registry)


class _Collected(Collector):
    """One scrape, in prometheus-client's terms."""

    def __init__(self, readings: Readings, process: Collector) -> None:
        self._readings = readings
        self._process = process

    def collect(self) -> Iterable[Family]:
        left_out: dict[Labels, float] = {}
        for metric in CATALOGUE:
            reading = (
                left_out if metric.attribute == "series_left_out" else self._readings.get(metric.attribute)
            )
            if reading is None:
                continue
            if isinstance(reading, Mapping) and len(reading) > SERIES_MAX:
                left_out[metric.name] = len(reading) - SERIES_MAX
            yield _family(metric, reading)
        yield from self._process.collect()


def _family(metric: Metric, reading: Reading | Histogram) -> Family:
    if isinstance(reading, Histogram):
        return _histogram(metric, reading)
    make = CounterMetricFamily if metric.kind == "counter" else GaugeMetricFamily
    family = make(metric.name, metric.meaning, labels=metric.labels)
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
    family = HistogramMetricFamily(metric.name, metric.meaning)
    family.add_metric([], list(zip(bounds, accumulate(reading.counts), strict=True)), reading.total)
    return family


def _parts(key: Labels) -> tuple[str | int, ...]:
    return key if isinstance(key, tuple) else (key,)


def _shown(part: str | int, label: str) -> str:
    return ErrorCode(part).name if label == "error" and isinstance(part, int) else str(part)


__all__ = ["CONTENT_TYPE", "Page"]
