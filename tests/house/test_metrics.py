"""Every metric is defined once, follows Prometheus' naming rules and is listed in docs/operations.md."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tidemark.core.decision import Cause
from tidemark.handlers import routes
from tidemark.metrics import CATALOGUE, Counter, Histogram, Metrics
from tidemark.metrics.catalogue import (
    EXPIRY_REASONS,
    EXPORTER,
    KAFKA,
    METER_OF_API,
    REMOVAL_CAUSES,
    Definitions,
)
from tidemark.metrics.definition import Metric
from tidemark.metrics.rates import Meter
from tidemark_expiry.rules import Rule

OPERATIONS = (Path(__file__).resolve().parents[2] / "docs" / "operations.md").read_text("utf-8")
PRIVATE = {"member_id", "client_id", "host", "metadata"}

each_metric = pytest.mark.parametrize("metric", CATALOGUE, ids=lambda metric: metric.name)


@each_metric
def test_metric_is_on_the_operations_page(metric: Metric) -> None:
    assert f"`{metric.name}`" in OPERATIONS


@each_metric
def test_metric_name_follows_the_rules_of_prometheus(metric: Metric) -> None:
    assert re.fullmatch(r"tidemark_[a-z_]+", metric.name)
    assert metric.name.endswith("_total") == (metric.kind == "counter")
    assert bool(metric.buckets) == (metric.kind == "histogram")
    assert metric.help.endswith(".")


@each_metric
def test_no_label_has_a_value_per_client(metric: Metric) -> None:
    assert not PRIVATE & set(metric.labels)


def test_metric_names_are_unique() -> None:
    assert (
        len({metric.name for metric in CATALOGUE})
        == len({metric.attribute for metric in CATALOGUE})
        == len(CATALOGUE)
    )


def test_every_counter_is_in_the_catalogue() -> None:
    assert set(Definitions.__slots__) <= {metric.attribute for metric in (*CATALOGUE, *KAFKA, *EXPORTER)}


def test_labels_cover_every_rule_and_cause() -> None:
    assert set(REMOVAL_CAUSES) == set(Cause)
    assert set(EXPIRY_REASONS) == set(Rule) - {Rule.ACTIVE, Rule.PENDING_TRANSACTION, Rule.NOT_SERVED}


@pytest.mark.parametrize("api", METER_OF_API)
def test_meter_belongs_to_a_command(api: str) -> None:
    served = {route.name: route for route in routes.load().values()}
    assert served[api].kind == "command"
    assert isinstance(getattr(Metrics(), METER_OF_API[api].meter), Meter)


@pytest.mark.parametrize("metric", [*KAFKA, *EXPORTER], ids=lambda metric: metric.name)
def test_kafka_metric_is_on_the_operations_page(metric: Metric) -> None:
    assert f"`{metric.name}`" in OPERATIONS
    assert metric.name.startswith("kafka_")
    assert metric.name.endswith("_total") == (metric.kind == "counter")


def test_kafka_metric_names_are_unique() -> None:
    assert len({metric.name for metric in (*KAFKA, *EXPORTER)}) == len(KAFKA) + len(EXPORTER)


@each_metric
def test_metric_has_the_type_of_its_definition(metric: Metric) -> None:
    reading = Metrics().reading(metric.attribute)
    if isinstance(reading, Histogram):
        assert metric.kind == "histogram"
        assert reading.bounds == metric.buckets
    elif isinstance(reading, Counter):
        assert metric.labels
    else:
        assert not metric.labels or reading is None
