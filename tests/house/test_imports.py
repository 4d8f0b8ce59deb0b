"""Rules that import-linter cannot check: which files import asyncio, and that every file has a docstring."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BROKER = ROOT / "broker"
PROTOCOL = ROOT / "protocol" / "tidemark_protocol"
EXPIRY = ROOT / "protocol" / "tidemark_expiry"
MODULES = [path for root in (BROKER, PROTOCOL, EXPIRY) for path in sorted(root.rglob("*.py"))]
GENERATED = {PROTOCOL / "messages", PROTOCOL / "records"}

# Section 3 of docs/architecture.md.
ASYNCIO = {
    "server",
    "engine",
    "handlers/data",
    "share/open_partitions.py",
    "log/manager.py",
    "cleanup/offset_expiry.py",
    "cleanup/task.py",
    "clock.py",
    "workers.py",
    "turns.py",
    "node",
    "tidemark_http",
    "tidemark_testing",
    "tidemark_tools/watch",
    "tidemark_tools/serve.py",
}


def imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {name.name.partition(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.partition(".")[0])
    return found


def test_only_files_that_wait_import_asyncio() -> None:
    for path in MODULES:
        package = path.relative_to(BROKER if path.is_relative_to(BROKER) else PROTOCOL.parent)
        place = package.relative_to("tidemark") if package.parts[0] == "tidemark" else package
        allowed = place.as_posix() in ASYNCIO or any(parent.as_posix() in ASYNCIO for parent in place.parents)
        assert allowed or "asyncio" not in imports(path), place


def test_all_of_these_files_and_folders_import_asyncio() -> None:
    for place in ASYNCIO:
        path = BROKER / place if place.startswith("tidemark_") else BROKER / "tidemark" / place
        files = [path] if path.suffix else path.rglob("*.py")
        assert any("asyncio" in imports(file) for file in files), place


def test_the_documentation_lists_them() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    (sentence,) = re.findall("asyncio is imported in (.*?), and nowhere else", page, re.DOTALL)
    assert {place.rstrip("/") for place in re.findall("`(.*?)`", sentence)} == ASYNCIO


@pytest.mark.parametrize(
    "path",
    [path for path in MODULES if path.name != "__init__.py" and path.parent not in GENERATED],
    ids=lambda path: path.relative_to(ROOT).as_posix(),
)
def test_file_has_a_docstring(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text("utf-8")))
