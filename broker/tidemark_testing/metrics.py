"""The samples of /metrics for tests."""

from __future__ import annotations

from dataclasses import dataclass

from prometheus_client.parser import text_string_to_metric_families

from tidemark.metrics.text import METRICS
from tidemark.settings.setting import closest

__tracebackhide__ = True


@dataclass(frozen=True)
class Metrics:
    """(name, labels, value) of each sample."""

    samples: list[tuple[str, dict[str, str], float]]

    def value(self, name: str, **labels: str) -> float:
        """Return the sum of the samples with that name and these labels.

        A counter that has not counted anything for these labels is 0. Raises LookupError for an unknown
        metric or label, and for a label value that a gauge, or a counter with a fixed set of values, does not
        have: a misspelled name is never 0.
        """
        known = _catalogue_labels()
        for found, has, _ in self.samples:
            known.setdefault(found, set()).update(has)
        if name not in known:
            raise LookupError(f"/metrics has no metric {name!r}{closest(name, known)}")
        for label in labels:
            if label not in known[name]:
                listed = ", ".join(sorted(known[name])) or "none"
                raise LookupError(
                    f"{name} has no label {label!r} (its labels: {listed}){closest(label, known[name])}"
                )
        of_metric = [(has, value) for found, has, value in self.samples if found == name]
        matching = [value for has, value in of_metric if labels.items() <= has.items()]
        # Of most counters, a label value without a sample has not been counted.
        from_zero = any(each.name == name and each.kind == "counter" and not each.always for each in METRICS)
        if labels and not matching and not from_zero:
            for label, wanted in labels.items():
                values = {has[label] for has, _ in of_metric if label in has}
                if wanted not in values:
                    raise LookupError(
                        f"{name} has no series with {label}={wanted!r}{closest(wanted, values)}"
                    )
            raise LookupError(f"{name} has no series with all of {labels}")
        return sum(matching)


def read_metrics(text: str) -> Metrics:
    """Parse the text of /metrics."""
    return Metrics(
        [
            (sample.name, sample.labels, sample.value)
            for family in text_string_to_metric_families(text)
            for sample in family.samples
        ]
    )


def _catalogue_labels() -> dict[str, set[str]]:
    """The label names of every metric, including those without samples."""
    known: dict[str, set[str]] = {}
    for metric in METRICS:
        labels = set(metric.labels)
        if metric.kind == "histogram":
            known |= {f"{metric.name}_sum": labels, f"{metric.name}_count": labels}
            known[f"{metric.name}_bucket"] = labels | {"le"}
        else:
            known[metric.name] = labels
    return known
