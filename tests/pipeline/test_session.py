"""Messages if Spark cannot start, and the settings of a session. No Spark is started here."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tidemark_pipeline.cli.session import (
    BRIEF_JAVA,
    CONNECT_PACKAGES,
    PACKAGES,
    POLL_S,
    SHORTLY,
    _archive,
    _held_back,
    _shorten_poll_of_servers,
    check_java,
    check_server,
    driver_gib,
    is_one_process,
    java_release,
    last_words,
    settings_for,
)
from tidemark_pipeline.model import PipelineError

ROOT = Path(__file__).resolve().parents[2]
OPENJDK = 'openjdk version "{}" 2019-01-15\nOpenJDK Runtime Environment 18.9 (build {}+7)\n'


def command(
    *arguments: str, options: tuple[str, ...] = (), **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run `python -m tidemark_pipeline` with only these variables and the path of our code."""
    code = os.pathsep.join(str(ROOT / name) for name in ("pipeline", "protocol"))
    return subprocess.run(
        [sys.executable, *options, "-m", "tidemark_pipeline", *arguments],
        env={"PYTHONPATH": code, **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.mark.slow
def test_no_java_is_one_sentence_before_anything_else(tmp_path: Path) -> None:
    pytest.importorskip("pyspark")
    run = command("current", "--log-dir", str(tmp_path / "nowhere"), PATH=str(tmp_path))
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr == ("tidemark-pipeline: Spark needs Java 17 or newer, but there is none on the PATH\n")


PLACEHOLDER = "The operation could not be completed. Unable to locate a Java Runtime."


@pytest.mark.parametrize(
    ("java", "said"),
    [
        (None, "but JAVA_HOME is {home}, which has no bin/java"),
        (f"#!/bin/sh\ncat >&2 <<'.'\n{OPENJDK.format('11.0.2', '11.0.2')}.\n", "and {java} is Java 11"),
        (f"#!/bin/sh\necho {PLACEHOLDER} >&2; exit 1", f"and {{java}} does not run: {PLACEHOLDER}"),
        ("#!/bin/sh\nexit 3", "and {java} does not run: exit code 3"),
        ("\x7fELF of another machine", "and {java} does not run: Exec format error"),
    ],
    ids=["nowhere", "old", "placeholder", "failing", "of another machine"],
)
def test_a_java_that_spark_cannot_use_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, java: str | None, said: str
) -> None:
    path = tmp_path / "bin" / "java"
    if java is not None:
        path.parent.mkdir()
        path.write_text(java)
        path.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)
    sentence = f"Spark needs Java 17 or newer, {said.format(home=tmp_path, java=path)}"
    with pytest.raises(PipelineError, match=f"^{re.escape(sentence)}$"):
        check_java(None)
    check_java("sc://host")


def test_no_java_is_needed_where_another_process_runs_spark(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)
    assert _archive(settings_for("sc://host", shortly=True)) is None
    monkeypatch.setenv("PYSPARK_GATEWAY_PORT", "1")
    check_java(None)
    assert _archive(settings_for(None, shortly=True)) is None


def test_without_the_extra_only_help_works_and_errors_name_the_extra() -> None:
    bare = ("-S", "-s")  # no site-packages
    assert command("--help", options=bare).returncode == 0
    run = command("current", "--log-dir", "x", options=bare)
    assert run.returncode == 1
    assert run.stderr == (
        "tidemark-pipeline: pyspark, pyarrow, numpy not installed: "
        "pip install 'pyspark>=4.2,<5' 'pyarrow>=18' 'numpy>=2'\n"
    )


def test_message_names_our_extra_to_install() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    assert extras["spark"][0] == "tidemark-broker[log]"
    assert sorted(PACKAGES.values()) == [*extras["log"], *extras["spark"][1:]]
    assert PACKAGES["pyspark"].replace("pyspark", "pyspark[connect]") in " ".join(CONNECT_PACKAGES.values())


def test_missing_spark_connect_client_is_named_in_the_error() -> None:
    run = command("current", "--log-dir", "x", "--master", "sc://h", options=("-S", "-s"))
    assert run.stderr == (
        "tidemark-pipeline: pyspark, pyarrow, numpy, pandas, grpc, grpc_status, zstandard not installed: pip "
        "install 'pyspark>=4.2,<5' 'pyarrow>=18' 'numpy>=2' 'pyspark[connect]>=4.2,<5' 'pandas<3'\n"
    )


def test_a_server_of_spark_connect_that_is_not_there_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)
    with socket.create_server(("127.0.0.1", 0)) as server:
        master = f"sc://127.0.0.1:{server.getsockname()[1]}/;token=x"
        check_server(master)
    with pytest.raises(
        PipelineError, match=re.escape(f"no Spark Connect server at {master}: Connection refused")
    ):
        check_server(master)
    with pytest.raises(PipelineError, match="sc://host:port is not an address: "):
        check_server("sc://host:port")
    for elsewhere in (None, "local[2]", "spark://127.0.0.1:1"):
        check_server(elsewhere)


@pytest.mark.parametrize(
    ("said", "release"),
    [
        (OPENJDK.format("17.0.15", "17.0.15"), 17),
        ('java version "1.8.0_402"\nJava(TM) SE Runtime Environment (build 1.8.0_402-b08)\n', 8),
        ('openjdk version "25" 2025-09-16\n', 25),
        ('openjdk version "21-ea" 2023-09-19\n', 21),
        ("Picked up JAVA_TOOL_OPTIONS: -Xmx1g\n" + OPENJDK.format("17.0.1", "17"), 17),
        ("The operation could not be completed. Unable to locate a Java Runtime.\n", None),
    ],
)
def test_the_release_of_java(said: str, release: int | None) -> None:
    assert java_release(said) == release


def test_a_driver_takes_a_quarter_of_the_memory_within_bounds() -> None:
    assert [driver_gib(gib * 2**30) for gib in (1, 4, 8, 16, 64)] == [1, 1, 2, 4, 8]


def test_a_cluster_and_a_submitted_driver_keep_their_own_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "spark.driver.memory" in settings_for("local[2]") and "spark.driver.memory" in settings_for(None)
    cluster = settings_for("spark://host:7077")
    assert not {"spark.driver.memory", "spark.driver.host", "spark.sql.shuffle.partitions"} & set(cluster)
    monkeypatch.setenv("PYSPARK_GATEWAY_PORT", "1")
    for master in (None, "local[2]"):
        assert all(name.startswith("spark.sql.") for name in settings_for(master))


def test_short_local_runs_skip_optimizations_for_long_ones() -> None:
    for master in (None, "local[2]"):
        assert set(SHORTLY.items()) <= set(settings_for(master, shortly=True).items())
        assert not set(SHORTLY.items()) & set(settings_for(master).items())
    assert not set(SHORTLY) & set(settings_for("spark://host:7077", shortly=True))


@pytest.mark.java
@pytest.mark.parametrize("heap", ["512m", "4g"])
def test_java_starts_with_our_options_and_any_heap(heap: str) -> None:
    ended = subprocess.run(["java", *BRIEF_JAVA.split(), f"-Xmx{heap}", "-version"], capture_output=True)
    assert ended.returncode == 0, ended.stdout


@pytest.mark.parametrize(
    ("master", "is_one"),
    [
        (None, True),
        ("local", True),
        ("local[*]", True),
        ("local[2,3]", True),
        ("local-cluster[2,1,1024]", False),
        ("spark://host:7077", False),
        ("yarn", False),
        ("sc://host", False),
    ],
)
def test_our_code_is_sent_only_where_workers_do_not_have_it(master: str | None, is_one: bool) -> None:
    assert is_one_process(master) is is_one


def test_the_last_line_of_stderr_is_not_a_stack_frame(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("Error: Could not reserve enough space\n\tat java.base/x\n\n")
    assert last_words(log) == "Error: Could not reserve enough space"


@pytest.mark.parametrize(("interrupts", "goes_on"), [(1, True), (2, False)])
def test_an_interrupt_is_held_back_once_until_the_jvm_has_started(interrupts: int, goes_on: bool) -> None:
    went: list[bool] = []

    def start() -> None:
        with _held_back():
            for _ in range(interrupts):
                signal.raise_signal(signal.SIGINT)
            went.append(True)

    with pytest.raises(KeyboardInterrupt):
        start()
    assert bool(went) is goes_on


def test_pysparks_accumulator_server_looks_for_its_end_often() -> None:
    from pyspark import accumulators

    _shorten_poll_of_servers()
    poll = vars(accumulators.AccumulatorTCPServer)["serve_forever"]
    assert poll.keywords == {"poll_interval": POLL_S}
