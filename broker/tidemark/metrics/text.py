"""The page at /metrics: three families of names for the same counts, in Prometheus' text format 0.0.4.

The page is written here, because prometheus-client needs several times as long. It reads the metrics of the
process only. This module imports it, so only a scrape may import this module.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import accumulate, islice
from types import MappingProxyType
from typing import Final

from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest

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
        self._process = CollectorRegistry(auto_describe=False)
        ProcessCollector(registry=self._process)
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
        missing: dict[Labels, float] = {}
        lines: list[str] = []
        for metric in METRICS:
            reading = readings.get(metric.attribute)
            if reading is None:
                continue
            series = len(reading) if isinstance(reading, Mapping) else 1
            if omitted := max(0, series - SERIES_MAX) + left_out.get(metric.attribute, 0):
                missing[metric.name] = omitted
            lines += _family(metric, reading)
        for metric in METRICS:
            if metric.attribute == "series_left_out":
                lines += _family(metric, missing)
        return ("\n".join(lines) + "\n").encode() + generate_latest(self._process)


def _family(metric: Metric, reading: Reading | Histogram) -> Iterator[str]:
    """Yield the lines of a metric."""
    yield f"# HELP {metric.name} {metric.help}"
    yield f"# TYPE {metric.name} {metric.kind}"
    if isinstance(reading, Histogram):
        yield from _histogram(metric.name, "", reading)
        return
    by_labels = (
        dict.fromkeys(metric.always, 0.0) | dict(reading) if isinstance(reading, Mapping) else {(): reading}
    )
    for key, value in islice(by_labels.items(), SERIES_MAX):
        labels = ",".join(sorted(map(_label, metric.labels, key if isinstance(key, tuple) else (key,))))
        if isinstance(value, Histogram):
            yield from _histogram(metric.name, labels, value)
        else:
            yield f"{_series(metric.name, labels)} {_number(value)}"


def _histogram(name: str, labels: str, histogram: Histogram) -> Iterator[str]:
    bounds = [*(f"{bound:g}" for bound in histogram.bounds), "+Inf"]
    before = f"{labels}," if labels else ""
    count = 0
    for bound, count in zip(bounds, accumulate(histogram.counts), strict=True):
        yield f'{name}_bucket{{{before}le="{bound}"}} {_number(count)}'
    yield f"{_series(f'{name}_count', labels)} {_number(count)}"
    yield f"{_series(f'{name}_sum', labels)} {_number(histogram.total)}"


def _series(name: str, labels: str) -> str:
    return f"{name}{{{labels}}}" if labels else name


def _number(value: float) -> str:
    return repr(float(value))


def _label(name: str, value: str | int) -> str:
    if isinstance(value, int):
        return f'{name}="{ErrorCode(value).name if name == "error" else value}"'
    escaped = value.replace("\\", r"\\").replace("\n", r"\n").replace('"', r"\"")
    return f'{name}="{escaped}"'


__all__ = ["CONTENT_TYPE", "Page"]
