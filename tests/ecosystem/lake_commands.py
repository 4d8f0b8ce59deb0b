"""`python lake_commands.py FORMAT FILE`: run command lines in one Spark session that can write the format.

FILE has them as JSON lists; a list that begins with "fill" fills the disk of a directory, "free" undoes it.
Prints a JSON list with exit code, stderr, and the files in the parent of --out, for each.
"""

from __future__ import annotations

import io
import json
import sys
from contextlib import redirect_stderr
from pathlib import Path

from tidemark_pipeline.cli import packages
from tidemark_pipeline.cli.main import main
from tidemark_pipeline.cli.options import parse
from tidemark_pipeline.cli.session import session

FILLER = "filler"


def fill(place: Path) -> None:
    """Leave a few kilobytes, so that a commit begins and fails."""
    with (place / FILLER).open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            file.truncate(max(0, file.tell() - 3 * 4096))


def run(line: list[str]) -> tuple[int, str]:
    if line[0] == "fill":
        fill(Path(line[1]))
    elif line[0] == "free":
        (Path(line[1]) / FILLER).unlink()
    else:
        said = io.StringIO()
        with redirect_stderr(said):
            return main(line), said.getvalue()
    return 0, ""


def files(place: Path) -> dict[str, int]:
    found = (path for path in place.rglob("*") if path.is_file() and path.name != FILLER)
    return {str(path.relative_to(place)): path.stat().st_size for path in found}


form, lines, place = sys.argv[1], json.loads(Path(sys.argv[2]).read_text()), Path(sys.argv[3])
options = parse(["history", "--log-dir", "/", "--out", "/", "--format", form])
settings = packages.added(options, submitted=False).spark
with session("local[1]", "tests", settings, shortly=True):
    results = [(*run(line), files(place)) for line in lines]
print(json.dumps(results))
