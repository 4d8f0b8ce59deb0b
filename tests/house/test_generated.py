"""What is made from something else says what that says."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]


def documents() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_generate", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_tables_in_our_documents_say_what_the_code_says() -> None:
    assert documents().stale() == []


def test_the_codec_is_what_the_generator_makes_of_the_schemas() -> None:
    check = subprocess.run(
        [sys.executable, "-m", "tidemark_protocol.generator", "--check"],
        cwd=ROOT, capture_output=True, text=True, env={"PYTHONPATH": str(ROOT / "protocol")},
    )  # fmt: skip
    assert check.returncode == 0, check.stderr or check.stdout
