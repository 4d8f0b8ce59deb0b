"""`python lake_commands.py FORMAT FILE PLACE`: run command lines in one Spark session that writes the format.

FILE has them as JSON. A line that begins with "fill" fills the disk of a directory, "free" undoes it. The
last line of stdout has the result of each: code, said (stderr), and files (in PLACE, with their sizes).
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


def run(line: list[str], place: Path) -> dict[str, object]:
    code, said = 0, io.StringIO()
    if line[0] == "fill":
        fill(Path(line[1]))
    elif line[0] == "free":
        (Path(line[1]) / FILLER).unlink()
    else:
        with redirect_stderr(said):
            code = main(line)
    return {"code": code, "said": said.getvalue(), "files": files(place)}


def files(place: Path) -> dict[str, int]:
    found = (path for path in place.rglob("*") if path.is_file() and path.name != FILLER)
    return {str(path.relative_to(place)): path.stat().st_size for path in found}


form, file, place = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
lines: list[list[str]] = json.loads(file.read_text())
options = parse(["history", "--log-dir", "/", "--out", "/", "--format", form])
settings = packages.added(options, submitted=False).spark
with session("local[1]", "tests", settings, shortly=True):
    results = [run(line, place) for line in lines]
print(json.dumps(results))
