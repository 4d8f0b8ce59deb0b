"""No module imports itself by way of others.

Two kinds of imports may point back (decision 0037): those under TYPE_CHECKING, by which a part names the
type of the whole that it receives, and those inside of functions, by which a tool loads its second half.
"""

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


def statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements that an import of the module runs, but for the bodies of compound ones."""
    for node in body:
        yield node
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            yield from statements(node.orelse)
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for part in ("body", "orelse", "handlers", "finalbody"):
                yield from statements(getattr(node, part, []))


def imported(name: str, path: Path) -> Iterator[str]:
    """Yield those of our modules that are imported when this module is."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in statements(ast.parse(path.read_text("utf-8")).body):
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


def test_imports_are_found_except_in_functions_and_for_types(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text(
        "import tidemark.clock\n"
        "if TYPE_CHECKING:\n    import tidemark.ids\nelse:\n    import tidemark.config\n"
        "try:\n    from tidemark import turns\n"
        "except ImportError:\n    from tidemark.core.apply import apply\n"
        "def later() -> None:\n    import tidemark.workers\n"
    )
    found = ["tidemark.clock", "tidemark.config", "tidemark.turns", "tidemark.core.apply"]
    assert list(imported("module", module)) == found


@pytest.mark.parametrize(
    ("graph", "found"),
    [({"a": {"b"}, "b": {"c"}, "c": set()}, False), ({"a": {"b"}, "b": {"c"}, "c": {"a"}}, True)],
)
def test_cycle_is_found(graph: dict[str, set[str]], *, found: bool) -> None:
    assert bool(cycle(graph)) == found
