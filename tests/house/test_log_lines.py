"""docs/operations.md explains every log line of the broker."""

from __future__ import annotations

import ast
from pathlib import Path

from tidemark_tools.logs import LEVELS

ROOT = Path(__file__).resolve().parents[2]
OPERATIONS = (ROOT / "docs" / "operations.md").read_text("utf-8")
METHODS = {*LEVELS, "lifecycle"}


def is_a_log(value: ast.expr) -> bool:
    name = value.attr if isinstance(value, ast.Attribute) else getattr(value, "id", "")
    return name.lstrip("_") in ("log", "logger")


def calls(path: Path) -> list[ast.Call]:
    """Return every call of a log method on something that is named log or logger."""
    return [
        node
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in METHODS
        and is_a_log(node.func.value)
    ]


def lines() -> set[str]:
    found = set()
    for path in (ROOT / "broker").rglob("*.py"):
        for call in calls(path):
            assert isinstance(call.args[0], ast.Constant), f"{path.name}: a log line is one constant"
            found.add(str(call.args[0].value))
    return found


def test_every_log_line_is_explained() -> None:
    rows = (line.split(" | ")[0] for line in OPERATIONS.splitlines() if line.startswith("| `"))
    explained = {event for row in rows for event in row.split("`")[1::2]}
    assert len(lines()) > 10
    assert lines() <= explained
