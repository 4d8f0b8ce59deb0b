"""The table of docs/works-with.md: each row is written at the test that shows it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final, TypeVar

MODULES: Final = (
    "tests.clients.test_streams",
    "tests.ecosystem.works_with.test_kafka_connect",
    "tests.ecosystem.works_with.test_structured_streaming",
    "tests.ecosystem.works_with.test_stream_processors",
    "tests.ecosystem.works_with.test_schema_registry",
    "tests.clients.test_kcat",
)

Test = TypeVar("Test", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the table, in Markdown.

    version: what the test runs, as it is pinned. shown: sentences about what the test checks. limits: what
    failed or is not possible, empty if nothing
    """

    program: str
    version: str
    shown: str
    limits: str
    module: str
    test: str

    @property
    def file(self) -> Path:
        """The file of the test, from the root of the repository."""
        return Path(*self.module.split(".")).with_suffix(".py")


_rows: Final[dict[tuple[str, str], Row]] = {}


def works_with(program: str, version: str, shown: str, *, limits: str = "") -> Callable[[Test], Test]:
    """Return a decorator that adds a row, which the decorated test shows."""

    def add(test: Test) -> Test:
        row = Row(
            program,
            version,
            " ".join(shown.split()),
            " ".join(limits.split()),
            test.__module__,
            test.__name__,
        )
        _rows[row.module, row.test] = row
        return test

    return add


def rows() -> list[Row]:
    """Return the rows of all tests, in the order of MODULES and of their lines."""
    for module in MODULES:
        import_module(module)
    return sorted(_rows.values(), key=lambda row: MODULES.index(row.module))
