"""The page at /metrics. Imports prometheus-client, so only a scrape may import this."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from itertools import accumulate

from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.core import Metric as Family
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from prometheus_client.registry import Collector

from tidemark.metrics.catalogue import CATALOGUE, SERIES_MAX, Metric
from tidemark.metrics.registry import Histogram, Labels, Metrics, Reading
from tidemark_protocol.errors import ErrorCode

CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4


class Page(Collector):
    """The catalogue with what the broker has counted so far, and what Linux says of the process."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._left_out: dict[Labels, float] = {}
        self._registry = CollectorRegistry(auto_describe=False)
        self._registry.register(self)
        ProcessCollector(registry=self._registry)
        metrics.watch("build", lambda: {_version(): 1})
        metrics.watch("series_left_out", lambda: self._left_out)

    def text(self) -> bytes:
        return generate_latest(self._registry)

    def describe(self) -> list[Family]:
        return []

    def collect(self) -> Iterator[Family]:
        self._left_out = {}
        for metric in CATALOGUE:
            reading = self._metrics.reading(metric.attribute)
            if reading is not None:
                yield self._family(metric, reading)

    def _family(self, metric: Metric, reading: Reading | Histogram) -> Family:
        if isinstance(reading, Histogram):
            return _histogram(metric, reading)
        make = CounterMetricFamily if metric.kind == "counter" else GaugeMetricFamily
        family = make(metric.name, metric.meaning, labels=metric.labels)
        for labels, value in self._series(metric, reading):
            family.add_metric(labels, value)
        return family

    def _series(self, metric: Metric, reading: Reading) -> Iterator[tuple[list[str], float]]:
        if not isinstance(reading, Mapping):
            yield [], reading
            return
        everything = dict.fromkeys(metric.always, 0.0) | dict(reading)
        if len(everything) > SERIES_MAX:
            self._left_out[metric.name] = len(everything) - SERIES_MAX
        for key, value in list(everything.items())[:SERIES_MAX]:
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


def _version() -> str:
    try:
        return version("tidemark")
    except PackageNotFoundError:
        return "unknown"


__all__ = ["CONTENT_TYPE", "Page"]
