"""The tables in our documents that the code knows better. `make docs` writes, `make check` compares them.

A document marks the place: everything between `<!-- made: NAME -->` and `<!-- made -->` is ours to replace.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any, Final

from tidemark.config import SETTINGS
from tidemark.handlers import routes
from tidemark.metrics import CATALOGUE
from tidemark.metrics.catalogue import Metric
from tidemark.metrics.kafka_names import EXPORTER, KAFKA
from tidemark.settings.profile import KAFKA_4_3
from tidemark.settings.setting import INT, LONG, SHORT, Setting
from tidemark_pipeline.tables.columns import TABLES, Columns

ROOT: Final = Path(__file__).resolve().parent.parent
DOCUMENTS: Final = ("README.md", "docs/apis.md", "docs/operations.md", "docs/pipeline.md")
PLACE: Final = re.compile(r"(?P<begin><!-- made: (?P<name>\w+) -->\n).*?(?P<end><!-- made -->)", re.DOTALL)


def apis() -> str:
    """What the handlers claim, beside what Kafka 4.3 claims."""
    served = sorted(routes.load().values(), key=lambda route: route.api_key)
    return _table(
        ("key", "API", "versions", "Kafka 4.3"),
        (
            (
                route.api_key,
                route.name,
                _span(route.versions[0], route.versions[-1]),
                _span(*KAFKA_4_3.get(route.name, ())),
            )
            for route in served
        ),
    )


def metrics() -> str:
    return _metrics(CATALOGUE)


def kafka_metrics() -> str:
    return _metrics(KAFKA)


def exporter_metrics() -> str:
    return _metrics(EXPORTER)


def _metrics(family: Iterable[Metric]) -> str:
    return _table(
        ("metric", "kind", "labels", "meaning"),
        ((f"`{metric.name}`", metric.kind, ", ".join(metric.labels), metric.meaning) for metric in family),
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
    """A nested type is told by what it is, not by every field in it."""
    return _table(
        ("column", "type", "meaning"),
        ((f"`{column.name}`", column.type.partition("<struct")[0], column.meaning) for column in of_table),
    )


def _bounds(setting: Setting[Any]) -> str:
    if setting.low is None and setting.high is None:
        return ""
    low = "" if setting.low in (INT[0], LONG[0], SHORT[0]) else str(setting.low)
    high = "" if setting.high in (INT[1], LONG[1], SHORT[1]) else str(setting.high)
    return f"{low}..{high}" if low or high else setting.kind.lower()


def _span(low: int | None = None, high: int | None = None) -> str:
    if low is None:
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
    **{name: partial(columns, of_table) for name, of_table in TABLES.items()},
}


def renewed(text: str) -> str:
    """The document with every marked place made anew."""
    return PLACE.sub(lambda place: place["begin"] + MADE[place["name"]]() + place["end"], text)


def stale() -> list[str]:
    """The documents that do not say what the code says."""
    return [name for name in DOCUMENTS if (text := (ROOT / name).read_text("utf-8")) != renewed(text)]


def main() -> int:
    found = stale()
    if "--check" in sys.argv[1:]:
        for name in found:
            print(f"{name} is not what the code says: run make docs", file=sys.stderr)
        return 1 if found else 0
    for name in found:
        (ROOT / name).write_text(renewed((ROOT / name).read_text("utf-8")), "utf-8")
        print(name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
