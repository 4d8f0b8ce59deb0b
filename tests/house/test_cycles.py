"""No module imports itself by way of others, not even under TYPE_CHECKING or inside of a function."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("broker", "protocol", "pipeline")
MODULES = {
    ".".join(path.relative_to(ROOT / folder).with_suffix("").parts).removesuffix(".__init__"): path
    for folder in FOLDERS
    for path in (ROOT / folder).rglob("*.py")
}


def imported(name: str, path: Path) -> Iterator[str]:
    """Yield those of our modules that this module imports, from statements at any depth."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in MODULES)
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*parents, *([node.module] if node.module else [])])
            for alias in node.names:
                found = f"{base}.{alias.name}"
                if found in MODULES or base in MODULES:
                    yield found if found in MODULES else base


def cycle(graph: dict[str, set[str]]) -> list[str]:
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as found:
        modules: list[str] = found.args[1]
        return modules
    return []


def test_imports_have_no_cycle() -> None:
    graph = {name: set(imported(name, path)) - {name} for name, path in MODULES.items()}
    assert sum(map(len, graph.values())) > 1000
    assert cycle(graph) == []


@pytest.mark.parametrize(
    ("graph", "found"),
    [({"a": {"b"}, "b": {"c"}, "c": set()}, False), ({"a": {"b"}, "b": {"c"}, "c": {"a"}}, True)],
)
def test_cycle_is_found(graph: dict[str, set[str]], *, found: bool) -> None:
    assert bool(cycle(graph)) == found
