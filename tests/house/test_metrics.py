from __future__ import annotations

import re
from pathlib import Path

import pytest

from tidemark.core.removal import Cause
from tidemark.handlers import routes
from tidemark.metrics import CATALOGUE, Counter, Histogram, Metrics
from tidemark.metrics.catalogue import EXPIRY_REASONS, EXPORTER, KAFKA, KIP_496, REMOVAL_CAUSES, Definitions
from tidemark.metrics.definition import Metric
from tidemark.metrics.rates import Meter
from tidemark_expiry.rules import Rule

OPERATIONS = (Path(__file__).resolve().parents[2] / "docs" / "operations.md").read_text("utf-8")
PRIVATE = {"member_id", "client_id", "host", "metadata"}

each_metric = pytest.mark.parametrize("metric", CATALOGUE, ids=lambda metric: metric.name)


@each_metric
def test_a_metric_is_in_the_operations_page(metric: Metric) -> None:
    assert f"`{metric.name}`" in OPERATIONS


@each_metric
def test_a_metric_is_named_as_prometheus_wants_it(metric: Metric) -> None:
    assert re.fullmatch(r"tidemark_[a-z_]+", metric.name)
    assert metric.name.endswith("_total") == (metric.kind == "counter")
    assert bool(metric.buckets) == (metric.kind == "histogram")
    assert metric.help.endswith(".")


@each_metric
def test_no_label_carries_what_comes_and_goes_with_every_client(metric: Metric) -> None:
    assert not PRIVATE & set(metric.labels)


def test_no_metric_is_named_twice() -> None:
    assert (
        len({metric.name for metric in CATALOGUE})
        == len({metric.attribute for metric in CATALOGUE})
        == len(CATALOGUE)
    )


def test_everything_that_is_counted_is_in_the_catalogue() -> None:
    assert set(Definitions.__slots__) <= {metric.attribute for metric in (*CATALOGUE, *KAFKA, *EXPORTER)}


def test_what_goes_by_rules_and_causes_is_there_from_the_start() -> None:
    assert set(REMOVAL_CAUSES) == set(Cause)
    assert set(EXPIRY_REASONS) == set(Rule) - {Rule.ACTIVE, Rule.PENDING_TRANSACTION, Rule.NOT_SERVED}


@pytest.mark.parametrize("api", KIP_496)
def test_a_meter_is_moved_by_an_api_that_is_decided(api: str) -> None:
    served = {route.name: route for route in routes.load().values()}
    assert served[api].kind == "command"
    assert isinstance(getattr(Metrics(), KIP_496[api].meter), Meter)


@pytest.mark.parametrize("metric", [*KAFKA, *EXPORTER], ids=lambda metric: metric.name)
def test_names_of_others_are_in_the_operations_page(metric: Metric) -> None:
    assert f"`{metric.name}`" in OPERATIONS
    assert metric.name.startswith("kafka_")
    assert metric.name.endswith("_total") == (metric.kind == "counter")


def test_no_name_of_others_is_given_twice() -> None:
    assert len({metric.name for metric in (*KAFKA, *EXPORTER)}) == len(KAFKA) + len(EXPORTER)


@each_metric
def test_a_metric_is_counted_in_the_way_that_the_catalogue_says(metric: Metric) -> None:
    reading = Metrics().reading(metric.attribute)
    if isinstance(reading, Histogram):
        assert metric.kind == "histogram"
        assert reading.bounds == metric.buckets
    elif isinstance(reading, Counter):
        assert metric.labels
    else:
        assert not metric.labels or reading is None
