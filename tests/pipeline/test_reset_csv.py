"""The file of --reset-csv is accepted by Kafka's tool and ours; rows that either would refuse are omitted."""

from __future__ import annotations

from pathlib import Path

import pytest

from tidemark_pipeline.cli.reset_csv import Lost, write_rows
from tidemark_pipeline.model import PipelineError
from tidemark_tools.client.client import TopicPartition
from tidemark_tools.groups.resets import read_plan

ODD_NAMES = ("", 'a "quoted", one', "two\nlines", " space ", "消费者", "=cmd()")


def lost(
    group: str = "g", *, offset: int | None = 5, topic_removed: bool = False, again: bool = False
) -> Lost:
    return Lost(group, "orders", 0, offset, topic_removed, again)


@pytest.mark.parametrize("group", ODD_NAMES)
def test_our_tool_reads_every_name_back(tmp_path: Path, group: str) -> None:
    path = str(tmp_path / "lost.csv")
    other = Lost("other", "payments", 3, 2**62, topic_removed=False, committed_again=False)
    written = write_rows([lost(group), other], path)
    assert written.rows == 2
    assert read_plan(path, None) == {
        group: {TopicPartition("orders", 0): 5},
        "other": {TopicPartition("payments", 3): 2**62},
    }
    assert read_plan(path, group)[group] == {
        TopicPartition("orders", 0): 5
    }  # also where one group is asked for


def test_offsets_that_cannot_be_restored_are_counted(tmp_path: Path) -> None:
    path = str(tmp_path / "lost.csv")
    rows = [lost(), lost(offset=None), lost(offset=-1), lost(topic_removed=True), lost(again=True)]
    written = write_rows(rows, path)
    assert written.rows == 1 and written.left_out.total() == 4
    assert read_plan(path, "g") == {"g": {TopicPartition("orders", 0): 5}}
    assert written.sentence("f") == (
        "f: 1 offset of group g to give back; left out: 1 committed again since, 1 of a negative offset, "
        "1 of a topic that was deleted, 1 whose commit the log has no more"
    )


def test_a_file_of_one_group_does_not_name_it(tmp_path: Path) -> None:
    path = tmp_path / "lost.csv"
    assert write_rows([lost("a"), lost("b", again=True)], str(path)).sentence("f") == (
        "f: 1 offset of group a to give back; left out: 1 committed again since"
    )
    assert path.read_text() == "orders,0,5\n"
    assert write_rows([lost("a"), lost("b"), lost("c")], str(path)).sentence("f") == (
        "f: 3 offsets of 3 groups to give back"
    )
    assert path.read_text() == "a,orders,0,5\nb,orders,0,5\nc,orders,0,5\n"
    assert write_rows([], str(path)).sentence("f") == "f: 0 offsets to give back"
    assert path.read_text() == ""


def test_a_file_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for place, why in {
        "nowhere/f": "No such file",
        "file/f": "Not a directory",
        ".": "Is a directory",
    }.items():
        with pytest.raises(PipelineError, match=f"cannot be written: {why}"):
            write_rows([lost()], str(tmp_path / place))


def test_a_failed_write_keeps_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "lost.csv"
    path.write_text("old")

    def broken() -> object:
        yield lost()
        raise RuntimeError

    with pytest.raises(RuntimeError):
        write_rows(broken(), str(path))  # type: ignore[arg-type]
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["lost.csv"]
