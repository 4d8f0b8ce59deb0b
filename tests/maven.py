"""Jars and archives from Maven Central, which mvn downloads once into ~/.cache/tidemark."""

from __future__ import annotations

import fcntl
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

CACHE: Final = Path("~/.cache/tidemark/maven").expanduser()
POM: Final = """\
<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>oracle</groupId><artifactId>kafka</artifactId><version>1</version><dependencies>
{dependencies}
</dependencies></project>
"""
DEPENDENCY: Final = """\
<dependency><groupId>{0}</groupId><artifactId>{1}</artifactId><version>{2}</version></dependency>"""


def jars(folder: Path, artifacts: Iterable[str]) -> Path:
    """Return the folder with the jars of these artifacts (group:name:version) and of all they need."""

    def copy() -> None:
        dependencies = "\n".join(DEPENDENCY.format(*each.split(":")) for each in artifacts)
        with tempfile.TemporaryDirectory() as temporary:
            pom = Path(temporary, "pom.xml")
            pom.write_text(POM.format(dependencies=dependencies))
            options = [f"-DoutputDirectory={folder}", "-DincludeScope=runtime"]
            _mvn("-f", str(pom), "dependency:copy-dependencies", *options)

    return _once(folder, copy)


def unpacked(folder: Path, artifact: str) -> Path:
    """Return the folder with the files of an archive (group:name:version:type:classifier)."""
    return _once(
        folder, lambda: _mvn("dependency:unpack", f"-Dartifact={artifact}", f"-DoutputDirectory={folder}")
    )


def _once(folder: Path, download: Callable[[], None]) -> Path:
    complete = folder / ".complete"
    if complete.exists():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_name(f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two workers must not download them at the same time
        if not complete.exists():
            download()
            complete.touch()
    return folder


def _mvn(*arguments: str) -> None:
    with tempfile.TemporaryDirectory() as empty:  # unpacking leaves marker files where it runs
        subprocess.run(["mvn", "-q", "-B", *arguments], check=True, stdout=sys.stderr, cwd=empty)
