"""Java programs of tests start faster: they are compiled once, and their classes are archived.

The files are kept in ~/.cache/tidemark-tests/java; delete that directory to make them again.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import tempfile
import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Final

CACHE: Final = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tidemark-tests" / "java"
BRIEF: Final = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")


def compiled(source: Path, classpath: str) -> Path | None:
    """Return the folder with the classes of a .java file. None without a compiler.

    Java compiles such a file at each start, which needs more time than most of our programs run.
    """
    if shutil.which("javac") is None:
        return None
    key = zlib.crc32(source.read_bytes() + classpath.encode() + release().encode())
    folder = CACHE / f"{source.stem}-{key:08x}"
    if not folder.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        made = tempfile.mkdtemp(dir=CACHE)
        options = (f"-J{each}" for each in BRIEF)
        subprocess.run(["javac", *options, "-d", made, "-cp", classpath, source], check=True)
        try:
            Path(made).rename(folder)
        except OSError:  # another worker has compiled it
            shutil.rmtree(made)
    return folder


def archive(name: str, build: Callable[[Path], None] | None = None) -> list[str]:
    """Return the options by which a JVM finds the archive of classes with this name; none if there is none.

    build: writes the archive, if it does not exist. Other workers do not wait for it.

    Without parsing and verifying its classes, a JVM needs about half of the time to start. Java ignores an
    archive of other jars.
    """
    file = CACHE / f"{name}-{release()}.jsa"
    if not file.exists() and build is not None:
        CACHE.mkdir(parents=True, exist_ok=True)
        with file.with_suffix(".lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return []
            if not file.exists():
                made = file.with_suffix(".new")
                build(made)
                made.rename(file)
    return [f"-XX:SharedArchiveFile={file}", "-Xlog:cds*=off"] if file.exists() else []


@cache
def release() -> str:
    """Return a name for the installed Java, which changes when it is replaced."""
    java = shutil.which("java")
    if java is None:
        return "none"
    home = Path(java).resolve().parents[1]
    return f"{home.name}-{int((home / 'lib' / 'modules').stat().st_mtime)}"
