"""An archive of the classes that Spark loads (Java's class-data sharing), with which its JVM starts faster.

Without one, a short command needs half of its CPU time to load classes. The first command records their
names, and a process in the background writes the archive for the commands after it. Java ignores an archive
of other jars or of another Java. If anything fails, there is no archive.
"""

from __future__ import annotations

import fcntl
import os
import re
import subprocess
import sys
import time
import zlib
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

UNUSED_S: Final = 30 * 86_400  # archives that no command has used for this time are deleted
JVM_ENDS_S: Final = 60.0  # it ends soon after the command
LOOK_S: Final = 0.2
NICE: Final = 19
DUMP: Final = ("-Xshare:dump", "-XX:TieredStopAtLevel=1", "-Xlog:disable", "-Xlog:all=off")


@dataclass(frozen=True, slots=True)
class Archive:
    """The archive of one Java and one PySpark, which may not exist yet. names: the file of this command."""

    file: Path
    java: str

    @property
    def names(self) -> Path:
        return self.file.with_suffix(f".{os.getpid()}.names")

    def java_options(self) -> str:
        """Return the options with which the JVM uses the archive, or records what a new one needs."""
        if not self.file.exists():
            return f"-XX:DumpLoadedClassList={self.names}"
        with suppress(OSError):
            os.utime(self.file)
        return f"-XX:SharedArchiveFile={self.file} -Xlog:cds*=off"

    def write_later(self, jvm: Any) -> None:
        """Start a process that writes the archive when this JVM has ended, if it has recorded names."""
        if not self.names.exists():
            return
        pid = jvm.java.lang.ProcessHandle.current().pid()
        program = [sys.executable, "-m", __name__]
        class_path = jvm.java.lang.System.getProperty("java.class.path")
        subprocess.Popen(  # noqa: S603 - this module, as a program
            [*program, str(self.file), str(self.names), self.java, class_path, str(pid)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            start_new_session=True,  # Ctrl-C in the shell is not for it
        )


def archive(java: str) -> Archive | None:
    """Return the archive for this Java and the installed PySpark. None: there is no place for it."""
    spark = find_spec("pyspark")
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "tidemark")
    if spark is None or spark.origin is None or re.search(r"[\s\"']", str(folder)):
        return None
    parts = [Path(java).resolve().parents[1] / "lib" / "modules", Path(spark.origin).parent / "jars"]
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        key = "".join(f"{part}{part.stat().st_mtime_ns}" for part in parts)
    except OSError:
        return None
    return Archive(folder / f"spark-{zlib.crc32(key.encode()):08x}.jsa", java)


def write(file: Path, names: Path, java: str, class_path: str, jvm_pid: int) -> None:
    """Write the archive of these classes, when the JVM that names them has ended. Deletes unused archives."""
    os.nice(NICE)
    try:
        if not (_has_ended(jvm_pid) and names.exists()):
            return
        with file.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if not file.exists():
                _dump(file, names, java, class_path)
    finally:
        names.unlink(missing_ok=True)
    _delete_unused(file)


def _has_ended(pid: int) -> bool:
    until = time.perf_counter() + JVM_ENDS_S
    while time.perf_counter() < until:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(LOOK_S)
    return False


def _dump(file: Path, names: Path, java: str, class_path: str) -> None:
    new = file.with_suffix(".new")
    options = [*DUMP, f"-XX:SharedClassListFile={names}", f"-XX:SharedArchiveFile={new}", "-cp", class_path]
    try:
        subprocess.run([java, *options], check=True, capture_output=True)  # noqa: S603 - that of the command
        new.replace(file)
    finally:
        new.unlink(missing_ok=True)


def _delete_unused(file: Path) -> None:
    """Delete the archives beside this new one that were not used for long, and what failed commands left."""
    now_s = file.stat().st_mtime
    for each in file.parent.glob("spark-*"):
        with suppress(OSError):
            if now_s - each.stat().st_mtime > UNUSED_S:
                each.unlink()


if __name__ == "__main__":
    _file, _names, _java, _class_path, _pid = sys.argv[1:]
    write(Path(_file), Path(_names), _java, _class_path, int(_pid))
