"""Seed data in a .json or .yaml file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tidemark.seeding.document import Seed, SeedError, read_seed

__tracebackhide__ = True


def read_seed_file(path: Path) -> Seed:
    """Read and check a file. Raises SeedError with one line that names the file and the wrong place."""
    try:
        text = path.read_text("utf-8")
        return read_seed(_parse(path, text))
    except OSError as error:
        raise SeedError("", f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise SeedError("", f"cannot read {path}: it is not UTF-8") from None
    except SeedError as error:
        raise SeedError("", f"{path}: {error}") from None


def _parse(path: Path, text: str) -> Any:
    if path.suffix == ".json":
        try:
            return json.loads(text)
        except ValueError as error:
            raise SeedError("", f"it is not valid JSON: {error}") from None
    if path.suffix not in (".yaml", ".yml"):
        raise SeedError("", "the name of a seed file must end with .yaml, .yml or .json")
    try:
        import yaml
    except ImportError:
        raise SeedError("", "YAML needs PyYAML (pip install pyyaml); JSON does not") from None
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = "" if mark is None else f"line {mark.line + 1}, column {mark.column + 1}: "
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise SeedError("", f"{where}it is not valid YAML: {problem}") from None
