"""Hold the prose of the repository to the few rules of plain English that a script can check."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
CHECKED: Final = (
    "broker",
    "protocol",
    "pipeline",
    "bench",
    "release",
    "tests",
    "docs",
    "README.md",
    "CONTRIBUTING.md",
)

# The generator writes these from Kafka's schemas. Its own sentences are checked where it has them.
GENERATED: Final = tuple(f"protocol/tidemark_protocol/{name}" for name in ("messages", "records"))

# Each has a plainer form, both in sentences and in names of tests.
PHRASES: Final = (
    "are to be",
    "as it stands",
    "as they stand",
    "as things stand",
    "becomes of",
    "by and by",
    "comes to be",
    "goes with its",
    "gone on from",
    "has to be said",
    "is spared",
    "is to be",
    "likewise",
    "mend",
    "mended",
    "nobody asks",
    "seldom",
    "thereof",
    "told of",
)
BETWEEN_WORDS: Final = r"[\s#_]+"
PATTERN: Final = re.compile(
    r"(?<![a-z])(?:"
    + "|".join(re.escape(each).replace(r"\ ", BETWEEN_WORDS) for each in PHRASES)
    + ")(?![a-z])",
    re.IGNORECASE,
)
OPENING: Final = re.compile(r"(?:What|Who|Whose|Where|Which|That|Of)\b")
DOCUMENTED: Final = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def files(*suffixes: str) -> Iterator[tuple[str, str]]:
    """Yield the name, from the root, and the text of each checked file."""
    for name in CHECKED:
        top = ROOT / name
        for path in sorted(top.rglob("*")) if top.is_dir() else [top]:
            relative = path.relative_to(ROOT).as_posix()
            if path.suffix in suffixes and not relative.startswith(GENERATED):
                yield relative, path.read_text("utf-8")


def docstrings(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, DOCUMENTED) and (docstring := ast.get_docstring(node)):
            yield docstring


def test_no_file_contains_a_phrase_that_has_a_plainer_form() -> None:
    found = {
        f"{name}: {phrase}"
        for name, text in files(".py", ".md")
        for phrase in PATTERN.findall(text)
        if ROOT / name != Path(__file__)
    }
    assert sorted(found) == []


def test_no_docstring_opens_with_a_relative_pronoun() -> None:
    found = [
        f"{name}: {docstring.splitlines()[0]}"
        for name, source in files(".py")
        for docstring in docstrings(source)
        if OPENING.match(docstring)
    ]
    assert found == []
