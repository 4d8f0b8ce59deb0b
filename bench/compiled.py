"""The same loads on our broker with its hot path compiled by mypyc (hatch_build.py). Needs a C compiler."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Final

from bench import commits, load
from bench.records import SIZES, produce_and_fetch
from bench.rows import QUICK, Effort, Row
from bench.scale import commits_loaded
from bench.servers import Ours

ROOT: Final = Path(__file__).resolve().parent.parent
BUILD: Final = ROOT / "hatch_build.py"
PACKAGES: Final = load.RESULTS / "compiled"  # kept, because compiling needs a minute


def compiled(folder: Path, effort: Effort) -> list[Row]:
    """Measure the compiled broker. A quick run without an up-to-date build has no rows."""
    if not _fresh():
        if effort is QUICK:
            return []
        PACKAGES.mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, BUILD, PACKAGES], check=True, stdout=subprocess.DEVNULL)
        _stamp().touch()
    rows = [
        commits.on_ours(folder / f"{shape[0]}x{shape[1]}-{sync}", effort, shape, sync, PACKAGES)
        for sync in ("never", "always")
        for shape in commits.SHAPES
    ]
    for size in SIZES:
        server = Ours(folder / size.topic, packages=PACKAGES)
        try:
            rows += produce_and_fetch(server, size, effort)
        finally:
            server.stop()
    return rows + commits_loaded(folder / "million", 1, PACKAGES)


def _fresh() -> bool:
    if not _stamp().exists():
        return False
    built = _stamp().stat().st_mtime
    sources = (path for name in ("broker", "protocol") for path in (ROOT / name).rglob("*.py"))
    return all(path.stat().st_mtime < built for path in sources)


def _stamp() -> Path:
    return PACKAGES / ".complete"
