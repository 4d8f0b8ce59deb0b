"""`python -m bench.structure [COMMIT ...]`: the size and shape of the code, at other commits, too.

Counts in the broker: lines, files, files of fewer than 60 lines, Protocols, bags of callables, functions, and
functions of one statement. A bag of callables is a class in which at least two fields, and at least half of
the fields, are functions. The generated lines are those of the protocol.
"""

from __future__ import annotations

import ast
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
GENERATED: Final = "# Generated from"
SMALL_LINES: Final = 60
CALLABLES_MIN: Final = 2
ROWS: Final = (
    "lines",
    "files",
    "files below 60 lines",
    "Protocols",
    "bags of callables",
    "functions",
    "functions of one statement",
    "generated lines",
)


def sources(commit: str) -> Iterator[tuple[str, str]]:
    """Yield path and text of each module at a commit. "": of the working tree."""
    if not commit:
        for path in sorted((ROOT / "broker").rglob("*.py")) + sorted((ROOT / "protocol").rglob("*.py")):
            yield str(path.relative_to(ROOT)), path.read_text("utf-8")
        return
    archive = subprocess.run(
        ("git", "-C", ROOT, "archive", commit, "broker", "protocol"), check=True, capture_output=True
    ).stdout
    with tarfile.open(fileobj=BytesIO(archive)) as files:
        for member in files:
            if member.name.endswith(".py"):
                content = files.extractfile(member)
                assert content is not None, member.name
                yield member.name, content.read().decode("utf-8")


def counted(commit: str) -> dict[str, int]:
    """Return the numbers of a commit by the names in ROWS."""
    found = dict.fromkeys(ROWS, 0)
    for path, text in sources(commit):
        lines = text.count("\n")
        if text.startswith(GENERATED):
            found["generated lines"] += lines
            continue
        if not path.startswith("broker/"):
            continue
        found["lines"] += lines
        found["files"] += 1
        found["files below 60 lines"] += 0 < lines < SMALL_LINES
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ClassDef):
                found["Protocols"] += "Protocol" in {
                    ast.unparse(base).partition("[")[0] for base in node.bases
                }
                found["bags of callables"] += is_bag(node)
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                body = node.body[1:] if ast.get_docstring(node) is not None else node.body
                found["functions"] += 1
                found["functions of one statement"] += len(body) == 1
    return found


def is_bag(node: ast.ClassDef) -> bool:
    fields = [ast.unparse(each.annotation) for each in node.body if isinstance(each, ast.AnnAssign)]
    callables = sum("Callable[" in each or "Awaitable[" in each for each in fields)
    return callables >= CALLABLES_MIN and 2 * callables >= len(fields)


def main(commits: list[str]) -> int:
    columns = [counted(commit) for commit in (*commits, "")]
    print("| | " + " | ".join((*commits, "now")) + " |")
    print("| --- |" + " --- |" * len(columns))
    for row in ROWS:
        print(f"| {row} | " + " | ".join(f"{column[row]:,}" for column in columns) + " |")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
