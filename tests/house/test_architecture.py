"""docs/architecture.md names functions, files and folders that exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
BROKER = ROOT / "broker" / "tidemark"

WALK = re.findall(r"^\| \d \| `([\w.]+)` \| ([\w/]+\.py) \| (.*) \|$", PAGE, re.MULTILINE)


def functions(path: Path) -> set[str]:
    """Return every function of a file, and the methods and attributes of its classes as Class.name."""
    found = set()
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.ClassDef):
            found |= {f"{node.name}.{part.name}" for part in node.body if hasattr(part, "name")}
            found |= {
                f"{node.name}.{target.attr}"
                for assigned in ast.walk(node)
                if isinstance(assigned, ast.Assign)
                for target in assigned.targets
                if isinstance(target, ast.Attribute)
            }
            found |= {
                f"{node.name}.{ast.unparse(p.target)}" for p in node.body if isinstance(p, ast.AnnAssign)
            }
    return found


def test_the_walk_of_one_commit_has_at_most_eight_steps() -> None:
    assert 5 <= len(WALK) <= 8


@pytest.mark.parametrize(("name", "file", "does"), WALK)
def test_step_of_the_walk_is_in_its_file(name: str, file: str, does: str) -> None:
    assert name in functions(BROKER / file)


def test_every_method_on_the_page_exists() -> None:
    named = set(re.findall(r"`([A-Z]\w+\.\w+)`", PAGE))
    assert len(named) > 10
    assert named <= set().union(*(functions(path) for path in (ROOT / "broker").rglob("*.py")))


def test_every_file_and_folder_of_the_tree_exists() -> None:
    (tree,) = re.findall(r"## 2\. The tree\n\n```\n(.*?)```", PAGE, re.DOTALL)
    folders: list[tuple[int, Path]] = []
    for line in tree.splitlines():
        indent = len(line) - len(line.lstrip())
        names = re.split(r"\s{2,}", line.strip())[0].split()
        while folders and folders[-1][0] >= indent:
            folders.pop()
        parent = folders[-1][1] if folders else ROOT
        for name in names:
            assert (parent / name).exists(), f"{parent / name}"
        folders.append((indent, parent / names[0]))


def test_links_resolve() -> None:
    for document in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")):
        for target in re.findall(r"\]\((?!http|#)([^)#]+)", document.read_text("utf-8")):
            assert (document.parent / target).exists(), f"{document.name}: {target}"
