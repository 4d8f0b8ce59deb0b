"""`tidemark explain-log`: directories that Apache Kafka wrote, whole, in part, and with nothing in them."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.broker_process import environment
from tests.kafkas_directory import unpacked
from tests.pipeline.made_logs import segment
from tidemark_protocol.java import partition_of_group
from tidemark_tools.main import main

Output = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(unpacked(tmp_path_factory.mktemp("kafka")))


def explain(capsys: Output, *arguments: object) -> tuple[int, str, str]:
    code = main(["explain-log", *map(str, arguments)])
    shown = capsys.readouterr()
    return code, shown.out, shown.err


def test_a_group_whose_offsets_have_expired(data: str, capsys: Output) -> None:
    code, out, _ = explain(capsys, data, "--group", "next-left", "--retention", "1min")
    assert code == 0
    assert out.splitlines()[0] == (
        "next-left lost 2 offsets (orders-0 to 1) at 2026-11-21 02:18:45 UTC: expired, because no member was "
        "subscribed to the topic and nothing was committed since 2026-11-21 02:17:45 UTC (1 min); the "
        "retention is 1 min. 2 offsets are still missing when the log ends."
    )


def test_a_misspelt_group_is_no_reassurance(data: str, capsys: Output) -> None:
    code, out, err = explain(capsys, data, "--group", "nextleft")
    assert (code, out) == (2, "")
    assert err == (
        "tidemark explain-log: No group nextleft in this log; did you mean next-left, next-deleted, next?\n"
    )


def test_a_group_whose_log_partition_is_not_there(data: str, tmp_path: Path, capsys: Output) -> None:
    part = tmp_path / "part"
    shutil.copytree(data, part)
    own = partition_of_group("next-left", 4)
    shutil.rmtree(part / f"__consumer_offsets-{own}")
    code, out, err = explain(capsys, part, "--group", "next-left")
    assert (code, out) == (2, "")
    assert err == (
        f"tidemark explain-log: The records of group next-left would be in __consumer_offsets-{own}, which "
        "is not in the directories (3 of 4 log partitions are): copy it from a broker that has a replica\n"
    )
    _, out, _ = explain(capsys, part)
    assert "1 of 4 log partitions of __consumer_offsets is not in the directories" in out


def test_the_headline_of_all_groups_says_what_the_log_does_not_hold(data: str, capsys: Output) -> None:
    code, out, _ = explain(capsys, data, "--retention", "1min", "--show", 2)
    assert code == 0
    first, *rest = out.splitlines()
    assert first.startswith(
        "39 committed offsets of 19 groups were removed; 39 of them are still missing. But it holds only the "
        "last 34 s: the cleaner removed records before 2026-11-21 02:20:15 UTC."
    )
    assert "  (and 17 more groups; --show N shows more)" in rest


def test_json_has_each_removal_with_how_certain_its_cause_is(data: str, capsys: Output) -> None:
    code, out, _ = explain(capsys, data, "--json")
    assert code == 0
    document: dict[str, Any] = json.loads(out)
    assert len(document["removals"]) == 39
    assert {each["certainty"] for each in document["removals"]} == {"certain", "unknown"}
    assert document["coverage"]["cleaned"] is True
    _, out, _ = explain(capsys, data, "--json", "--group", "next-left")
    assert [event["what"] for event in json.loads(out)["events"]] == [
        "members_joined", "emptied", "lost", "group_removed",
    ]  # fmt: skip


def test_an_empty_log_says_so(tmp_path: Path, capsys: Output) -> None:
    segment(tmp_path / "__consumer_offsets-0", 0)
    assert explain(capsys, tmp_path) == (
        1,
        "",
        "tidemark explain-log: the log is empty: no group has a record in it\n",
    )
    code, _, err = explain(capsys, tmp_path, "--group", "billing")
    assert (code, err) == (1, "tidemark explain-log: the log is empty: no group has a record in it\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--json",), "Name the log directories: tidemark explain-log DIR ..."),
        (("/nowhere",), "tidemark explain-log: /nowhere: no such file or directory"),
        (("/nowhere", "--retention", "7x"), "7x"),
    ],
)
def test_a_wrong_command_line(arguments: tuple[str, ...], message: str, capsys: Output) -> None:
    code, out, err = explain(capsys, *arguments)
    assert code in (1, 2)
    assert message in out + err


def test_neither_spark_nor_java_is_started(data: str) -> None:
    run = "import sys; from tidemark_tools.main import main; main(sys.argv[1:])"
    code = f"{run}; assert 'pyspark' not in sys.modules"
    environment_without_java = {**environment(), "PATH": "/nowhere", "JAVA_HOME": ""}
    subprocess.run(
        [sys.executable, "-c", code, "explain-log", data],
        env=environment_without_java,
        check=True,
        stdout=subprocess.DEVNULL,
    )


def test_a_damaged_segment_is_said_first(data: str, tmp_path: Path, capsys: Output) -> None:
    part = tmp_path / "part"
    shutil.copytree(data, part)
    own = partition_of_group("next-left", 4)
    path = max((part / f"__consumer_offsets-{own}").glob("*.log"), key=lambda each: each.stat().st_size)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(content)
    code, out, _ = explain(capsys, part, "--group", "next-left", "--json")
    assert code == 0
    assert any("it is damaged" in limit for limit in json.loads(out)["limits"])
