"""How a metric is defined: one line in the class `Definitions`, from which everything else derives.

    connections: Counter = counter(own("tidemark_connections", "Open connections.", "listener"))

The line names the attribute that the broker counts with, and every name under which /metrics shows it. A name
that ends in `_total` is a counter to Prometheus, any other name is a gauge.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, fields
from typing import Any, Final, Literal, NamedTuple

from tidemark.metrics.rates import Meter

Kind = Literal["counter", "gauge", "histogram"]
Family = Literal["own", "kafka", "exporter"]

# One label's value, or a tuple of values if there are several labels.
Labels = tuple[str | int, ...] | str | int
Reading = (
    float | Mapping[Any, Any]
)  # numbers or histograms by Labels; as a key type, Labels would not accept str

# Upper bounds of histogram buckets, in the metric's unit. The last bucket, infinity, is implied.
SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0)
REQUEST_SECONDS: Final = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0)
RECORDS: Final = (1.0, 2.0, 5.0, 10.0, 25.0, 50.0, 100.0, 250.0, 500.0, 1000.0)


class Counter(dict[Labels, int]):
    """Counts by label values. A key that was never counted reads 0."""

    __slots__ = ()

    def __missing__(self, key: Labels) -> int:
        return 0


class Histogram:
    """Counts by size. bounds: upper bounds of the buckets, ascending."""

    __slots__ = ("bounds", "counts", "total")

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self.bounds: Final = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.total = 0.0

    def observe(self, value: float, times: int = 1) -> None:
        """Count a value. times: the number of values for which this one stands, if it is a sample."""
        self.counts[bisect_left(self.bounds, value)] += times
        self.total += value * times

    def add(self, other: Histogram) -> None:
        """Add the counts of another histogram with the same bounds."""
        self.counts = [own + others for own, others in zip(self.counts, other.counts, strict=True)]
        self.total += other.total


class Name(NamedTuple):
    """One name under which a metric is shown.

    labels   label names, in the order of the values in a `Labels` key
    always   values of the only label that are shown from the start, so that rate() and absent() work
    suffix   is added to the attribute's name: `_rate` for the rate of a meter
    """

    family: Family
    name: str
    help: str
    labels: tuple[str, ...] = ()
    always: tuple[str, ...] = ()
    suffix: str = ""


def own(name: str, text: str, *labels: str, always: tuple[str, ...] = ()) -> Name:
    """Define a name of tidemark's own."""
    return Name("own", name, text, labels, always)


def kafka(name: str, text: str, *labels: str, always: tuple[str, ...] = ()) -> Name:
    """Define a name that Kafka's dashboards use."""
    return Name("kafka", name, text, labels, always)


def exporter(name: str, text: str, *labels: str) -> Name:
    """Define a name that kafka_exporter uses."""
    return Name("exporter", name, text, labels)


class Metric(NamedTuple):
    """One metric of the page. attribute: where `Metrics` or a scrape has its value."""

    attribute: str
    kind: Kind
    name: str
    help: str
    labels: tuple[str, ...]
    always: tuple[str, ...]
    buckets: tuple[float, ...]


class MovedBy(NamedTuple):
    """The API whose decisions move a meter: by one for each record, or by one."""

    api: str
    each_record: bool


class MeterRule(NamedTuple):
    """How a decision moves a meter, which is an attribute of `Metrics`."""

    meter: str
    each_record: bool


# A definition creates this for each instance of Metrics, from the number and length of the windows of rates.
Make = Callable[[int, int], Any]


def _define(
    names: tuple[Name, ...],
    make: Make | None = None,
    *,
    buckets: tuple[float, ...] = (),
    moved_by: MovedBy | None = None,
) -> Any:
    return field(metadata={"names": names, "make": make, "buckets": buckets, "moved_by": moved_by})


def counter(*names: Name) -> Any:
    """Define a `Counter`. It may count down; then its name does not end in `_total`."""
    return _define(names, lambda windows, window_ms: Counter())


def number(*names: Name) -> Any:
    """Define a number that starts at 0."""
    return _define(names, lambda windows, window_ms: 0)


def histogram(bounds: tuple[float, ...], name: Name) -> Any:
    """Define a `Histogram`. With a label, its values are read: a histogram by label value."""
    make = None if name.labels else (lambda windows, window_ms: Histogram(bounds))
    return _define((name,), make, buckets=bounds)


def gauge(*names: Name) -> Any:
    """Define a value that is read for /metrics: see `Metrics.watch`, and tidemark_http/live.py."""
    return _define(names)


COORDINATOR: Final = "kafka_server_group_coordinator_metrics"


def meter(kafka_name: str, text: str, *names: Name, moved_by: MovedBy | None = None) -> Any:
    """Define a `Meter`, which Kafka shows as a count and a rate (KIP-496). moved_by None: moved elsewhere."""
    name = f"{COORDINATOR}_{kafka_name}"
    count = Name("kafka", f"{name}_count", f"{text} since the start.")
    rate = Name("kafka", f"{name}_rate", f"{text} per second, recently.", suffix="_rate")
    return _define((*names, count, rate), Meter, moved_by=moved_by)


# The definitions of a class.


def made(definitions: type, windows: int, window_ms: int) -> Iterable[tuple[str, Any]]:
    """Return a new value for each attribute that is counted."""
    for one in fields(definitions):
        if one.metadata["make"] is not None:
            yield one.name, one.metadata["make"](windows, window_ms)


def meters(definitions: type) -> dict[str, MovedBy | None]:
    """Return the attributes that are meters, each with the API that moves it."""
    return {
        one.name: one.metadata["moved_by"] for one in fields(definitions) if one.metadata["make"] is Meter
    }


def family(definitions: type, wanted: Family) -> tuple[Metric, ...]:
    """Return the metrics of one family, in the order of their definitions."""
    return tuple(
        Metric(
            one.name + name.suffix,
            _kind(name.name, one.metadata["buckets"]),
            name.name,
            name.help,
            name.labels,
            name.always,
            one.metadata["buckets"],
        )
        for one in fields(definitions)
        for name in one.metadata["names"]
        if name.family == wanted
    )


def _kind(name: str, buckets: tuple[float, ...]) -> Kind:
    if buckets:
        return "histogram"
    return "counter" if name.endswith("_total") else "gauge"
