"""The result of `check` in Prometheus's text format, for the textfile collector of node_exporter.

The collector fails if two files contain the same series, so each file has a label of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

from tidemark_pipeline.cli.conditions import CONDITIONS, Gauge, Outcome

if TYPE_CHECKING:
    from tidemark_pipeline.cli.reading import Reading
    from tidemark_pipeline.retention import Retention

SUFFIX: Final = ".prom"  # the collector reads no other files
PREFIX: Final = "tidemark_pipeline_check_"
GROUPS_MAX: Final = 100  # for each condition, so that a log with 100 000 groups does not flood Prometheus


def text(
    path: str, reading: Reading, retention: Retention | None, outcomes: Sequence[Outcome], now_ms: int
) -> str:
    """Return the file's content. Its name without the suffix is the label `check`."""
    label = {"check": PurePath(path).name.removesuffix(SUFFIX)}
    gauges = [
        *_of_run(reading, now_ms),
        _retention(retention),
        _matching(outcomes),
        *_of_conditions(outcomes),
    ]
    return "".join(line for gauge in gauges for line in _lines(gauge, label))


def _of_run(reading: Reading, now_ms: int) -> Iterator[Gauge]:
    yield Gauge(
        "run_timestamp_seconds",
        "When the check ended. A failed run leaves the file as it is, so alert on the age of this.",
        [({}, now_ms / 1000)],
    )
    yield Gauge(
        "as_of_timestamp_seconds", "The time that the check takes for now.", [({}, reading.as_of_ms / 1000)]
    )
    newest = reading.newest_ms
    yield Gauge(
        "newest_record_timestamp_seconds",
        "The time of the newest record in __consumer_offsets. Missing if there is none.",
        [({}, newest / 1000)] if newest >= 0 else [],
    )


def _retention(used: Retention | None) -> Gauge:
    return Gauge(
        "retention_seconds",
        "The shortest offset retention of the check, and whether it is known, inferred or assumed.",
        [] if used is None else [({"origin": used.origin}, min(used.forecast_ms) / 1000)],
    )


def _matching(outcomes: Sequence[Outcome]) -> Gauge:
    values = [({"condition": each.asked.condition}, each.groups) for each in outcomes]
    return Gauge("matching_groups", "Groups that a condition matches, also those without a series.", values)


def _of_conditions(outcomes: Sequence[Outcome]) -> Iterator[Gauge]:
    for outcome in outcomes:
        yield from CONDITIONS[outcome.asked.condition].gauges(_bounded(outcome))


def _bounded(outcome: Outcome) -> Outcome:
    return Outcome(outcome.asked, outcome.count, outcome.groups, outcome.also, outcome.findings[:GROUPS_MAX])


def _lines(gauge: Gauge, label: Mapping[str, str]) -> Iterator[str]:
    if not gauge.values:
        return
    name = f"{PREFIX}{gauge.name}"
    yield f"# HELP {name} {gauge.help}\n# TYPE {name} gauge\n"
    for labels, value in gauge.values:
        inside = ",".join(f'{key}="{_escaped(text)}"' for key, text in {**label, **labels}.items())
        yield f"{name}{{{inside}}} {value!r}\n"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
