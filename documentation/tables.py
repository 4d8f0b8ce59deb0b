"""The tables in docs/ that are made from the code.

A document marks the place of a table: everything between `<!-- made: NAME -->` and `<!-- made -->` is
replaced.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any, Final

from tests.conformance.upgrades.record import recorded
from tests.conformance.upgrades.stories import OF_THE_BROKER
from tests.ecosystem.works_with.rows import rows
from tidemark.config import SETTINGS
from tidemark.handlers import routes
from tidemark.metrics.catalogue import CATALOGUE, EXPORTER, KAFKA
from tidemark.metrics.definition import Metric
from tidemark.settings.release import KAFKA_4_3, KAFKA_4_4, RELEASES
from tidemark.settings.setting import INT, LONG, SHORT, Setting
from tidemark_pipeline.tables.columns import TABLES, Columns

ROOT: Final = Path(__file__).resolve().parent.parent
DOCUMENTS: Final = ("docs/apis.md", "docs/operations.md", "docs/pipeline.md", "docs/works-with.md",
                    "docs/upgrading-kafka.md")  # fmt: skip
PLACE: Final = re.compile(r"(?P<begin><!-- made: (?P<name>\w+) -->\n).*?(?P<end><!-- made -->)", re.DOTALL)


def apis() -> str:
    """Return the versions that are served without `--as`, beside those of Kafka 4.4 and 4.3."""
    served = sorted(routes.load().values(), key=lambda route: route.api_key)
    return _table(
        ("key", "API", "versions", "Kafka 4.4", "Kafka 4.3"),
        ((route.api_key, route.name, *_spans(route)) for route in served),
    )


def _spans(route: routes.Route) -> list[str]:
    both = route.versions[0], route.versions[-1]
    ours = RELEASES[""].versions(route.name, route.versions)
    return [
        _span(ours[0], ours[-1]),
        _span(*KAFKA_4_4.get(route.name, both)),
        _span(*KAFKA_4_3.get(route.name, both)),
    ]


def metrics() -> str:
    return _metrics(CATALOGUE)


def kafka_metrics() -> str:
    return _metrics(KAFKA)


def exporter_metrics() -> str:
    return _metrics(EXPORTER)


def _metrics(family: Iterable[Metric]) -> str:
    return _table(
        ("metric", "kind", "labels", "meaning"),
        ((f"`{metric.name}`", metric.kind, ", ".join(metric.labels), metric.help) for metric in family),
    )


def kafka_settings() -> str:
    return _settings(setting for setting in SETTINGS if not setting.name.startswith("tidemark."))


def own_settings() -> str:
    return _settings(setting for setting in SETTINGS if setting.name.startswith("tidemark."))


def _settings(settings: Iterable[Setting[Any]]) -> str:
    return _table(
        ("setting", "default", "unit", "bounds", "remark"),
        (
            (
                f"`{one.name}`",
                one.text(one.default) or "",
                one.unit.replace("|", "or"),
                _bounds(one),
                one.about,
            )
            for one in settings
        ),
    )


def columns(of_table: Columns) -> str:
    """Return the columns of a table. A nested type is shortened to its kind."""
    return _table(
        ("column", "type", "meaning"),
        ((f"`{column.name}`", column.type.partition("<struct")[0], column.meaning) for column in of_table),
    )


def works_with() -> str:
    """Return the rows that tests declare, with a link to each test."""
    return _table(
        ("program", "version", "shown by its test", "failed or not possible", "test"),
        (
            (row.program, row.version, row.shown, row.limits, f"[`{row.file.name}`](../{row.file})")
            for row in rows()
        ),
    )


def upgrades() -> str:
    """Return what was observed in each release: a row for each story, or for each fact about the broker."""
    found = recorded()
    versions = [*next(iter(found.values()))]
    rows: list[tuple[object, ...]] = []
    for story, facts in found.items():
        if story in OF_THE_BROKER:
            rows += [
                (f"`{story}`: {name}", *(_fact(facts[version][name]) for version in versions))
                for name in facts[versions[0]]
            ]
        else:
            rows.append((f"`{story}`", *(_observed(facts[version]) for version in versions)))
    return _table(("story", *versions), rows)


def _observed(facts: dict[str, Any]) -> str:
    """Return between which times an offset was deleted, or what else the story tells."""
    if "refused" in facts:
        return str(facts["refused"])
    moments = {name.split()[1]: state for name, state in facts.items() if name.startswith("after ")}
    kept = [moment for moment, state in moments.items() if state == "kept"]
    deleted = [moment for moment, state in moments.items() if state == "deleted"]
    if deleted:
        return f"{kept[-1]} to {deleted[0]} s" if kept else f"by {deleted[0]} s"
    return ", ".join(f"{name}: {state}" for name, state in facts.items())


def _fact(fact: Any) -> str:
    if isinstance(fact, list):
        return f"v{_span(*fact)}"
    return "" if fact is None else str(fact)


def _bounds(setting: Setting[Any]) -> str:
    if setting.low is None and setting.high is None:
        return ""
    low = "" if setting.low in (INT[0], LONG[0], SHORT[0]) else str(setting.low)
    high = "" if setting.high in (INT[1], LONG[1], SHORT[1]) else str(setting.high)
    return f"{low}..{high}" if low or high else setting.kind.name.lower()


def _span(low: int, high: int) -> str:
    if high < low:
        return ""
    return f"{low}" if low == high else f"{low}-{high}"


def _table(head: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


MADE: Final[dict[str, Callable[[], str]]] = {
    "apis": apis,
    "metrics": metrics,
    "kafka_metrics": kafka_metrics,
    "exporter_metrics": exporter_metrics,
    "kafka_settings": kafka_settings,
    "own_settings": own_settings,
    "works_with": works_with,
    "upgrades": upgrades,
    **{name: partial(columns, of_table) for name, of_table in TABLES.items()},
}


def renewed(text: str) -> str:
    """Return the document with every marked place made again."""
    return PLACE.sub(lambda place: place["begin"] + MADE[place["name"]]() + place["end"], text)


def made() -> dict[Path, str]:
    """Return the text that each document with marked places should have."""
    return {ROOT / name: renewed((ROOT / name).read_text("utf-8")) for name in DOCUMENTS}
