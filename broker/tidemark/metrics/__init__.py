"""Counters that cost one dict update, and the page that shows them to Prometheus."""

from tidemark.metrics.catalogue import CATALOGUE, BadInput
from tidemark.metrics.registry import Counter, Histogram, Metrics

__all__ = ["CATALOGUE", "BadInput", "Counter", "Histogram", "Metrics"]
