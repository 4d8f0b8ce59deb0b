"""The archive of Spark's classes: who writes it, and that every trouble means no archive."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tidemark_pipeline.cli import class_data
from tidemark_pipeline.cli.class_data import UNUSED_S, Archive, archive, write

JAVA = """#!/bin/sh
for option; do case "$option" in -XX:SharedArchiveFile=*) echo "$*" > "${option#*=}";; esac; done
exit STATUS
"""


@pytest.fixture(autouse=True)
def _stay_nice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(class_data.os, "nice", lambda more: 0)


@pytest.fixture
def ended() -> int:
    """Return the id of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def java(place: Path, status: int = 0) -> str:
    """Return a Java that writes its options where the archive is expected."""
    home = place / "java"
    (home / "bin").mkdir(parents=True)
    (home / "lib").mkdir()
    (home / "lib" / "modules").touch()
    program = home / "bin" / "java"
    program.write_text(JAVA.replace("STATUS", str(status)))
    program.chmod(0o755)
    return str(program)


def test_the_first_command_records_and_later_ones_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ended: int
) -> None:
    pytest.importorskip("pyspark")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    found = archive(java(tmp_path))
    assert found is not None
    assert found.java_options() == f"-XX:DumpLoadedClassList={found.names}"
    found.names.write_text("java/lang/Object\n")
    write(found.file, found.names, found.java, "a.jar:b.jar", ended)
    options = found.file.read_text()
    assert f"-XX:SharedClassListFile={found.names} " in options
    assert options.endswith("-cp a.jar:b.jar\n")
    assert found.java_options().startswith(f"-XX:SharedArchiveFile={found.file} ")
    assert sorted(each.suffix for each in found.file.parent.iterdir()) == [".jsa", ".lock"]


def test_a_java_that_fails_leaves_no_archive(tmp_path: Path, ended: int) -> None:
    names = tmp_path / "spark.names"
    names.touch()
    with pytest.raises(subprocess.CalledProcessError):
        write(tmp_path / "spark.jsa", names, java(tmp_path, status=1), "a.jar", ended)
    assert [each.name for each in tmp_path.glob("spark*")] == ["spark.lock"]


def test_names_are_not_read_before_their_jvm_has_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(class_data, "JVM_ENDS_S", 0.0)
    names = tmp_path / "spark.names"
    names.touch()
    write(tmp_path / "spark.jsa", names, java(tmp_path), "a.jar", os.getpid())
    assert not list(tmp_path.glob("spark*"))


def test_archives_that_were_not_used_for_a_month_are_deleted(tmp_path: Path, ended: int) -> None:
    used, unused = tmp_path / "spark-1.jsa", tmp_path / "spark-2.jsa"
    names = tmp_path / "spark-3.names"
    for each in (used, unused, names):
        each.touch()
    long_ago = time.time() - UNUSED_S - 60
    for each in (used, unused):
        os.utime(each, (long_ago, long_ago))
    Archive(used, "java").java_options()
    write(tmp_path / "spark-3.jsa", names, java(tmp_path), "a.jar", ended)
    assert sorted(each.name for each in tmp_path.glob("*.jsa")) == ["spark-1.jsa", "spark-3.jsa"]


@pytest.mark.parametrize("folder", ["with a space", "a-file/below"])
def test_without_a_place_there_is_no_archive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    (tmp_path / "a-file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / folder))
    assert archive(java(tmp_path)) is None
