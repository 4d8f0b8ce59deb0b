"""Other file systems give the same results as the local one.

`mock://` is pyarrow's file system in memory. S3 is moto's server.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest
from pyarrow import fs

from tests.kafkas_directory import unpacked
from tests.pipeline import made_logs, s3_server
from tests.pipeline.made_logs import OFFSETS, T0, batch, marker
from tidemark_pipeline.logs.directories import find_logs
from tidemark_pipeline.logs.files import (
    WINDOW_BYTES,
    Directory,
    Entry,
    SegmentGone,
    Windows,
    _file_system,
    looked_again,
    open_directory,
    open_segment,
)
from tidemark_pipeline.logs.hopping import _hopped, _parts
from tidemark_pipeline.logs.log_ends import log_ends
from tidemark_pipeline.logs.metadata_log import topic_events
from tidemark_pipeline.logs.survey import survey, survey_all, tasks
from tidemark_pipeline.model import PipelineError, Survey
from tidemark_protocol.batch import BatchBuilder

BUCKET: Final = "backup"


def uploaded(system: Any, data: Path, root: str) -> None:
    fs.copy_files(str(data), root, destination_filesystem=system)


@pytest.fixture
def in_memory() -> Any:
    system, _ = _file_system("mock://here")
    return system


def test_kafkas_directory_on_another_file_system_gives_the_same_rows(tmp_path: Path, in_memory: Any) -> None:
    data = unpacked(tmp_path)
    in_memory.create_dir("kafka/data")
    uploaded(in_memory, data, "kafka/data")
    same_as_local(data, "mock://here/kafka/data")


def same_as_local(data: Path, uri: str) -> None:
    """Return everything that can be read from a directory."""
    here, there = find_logs([str(data)]), find_logs([f"{uri}/"])
    assert there.group_partition_count == here.group_partition_count
    moved = {number: replace(log, directory="", segments=()) for number, log in there.logs.items()}
    assert moved == {number: replace(log, directory="", segments=()) for number, log in here.logs.items()}
    assert without_paths(survey_all(there.logs.values())) == without_paths(survey_all(here.logs.values()))
    for number, log in there.logs.items():
        for segment, local in zip(log.segments, here.logs[number].segments, strict=True):
            assert segment == replace(local, path=local.path.replace(str(data), uri))
            with open_segment(segment) as view:
                assert bytes(view) == Path(local.path).read_bytes()
    assert log_ends([uri]) == log_ends([str(data)])
    assert topic_events([uri]) == topic_events([str(data)])
    one = f"{uri}/{OFFSETS}-1"
    assert find_logs([one]).logs == {1: there.logs[1]}


def without_paths(surveys: dict[int, Survey]) -> list[Survey]:
    return [replace(found, end=None) for found in surveys.values()]


def test_a_segment_of_many_windows_is_surveyed_as_one(tmp_path: Path, in_memory: Any) -> None:
    """Batches and markers cross the border of windows, and one batch spans several."""
    wide = BatchBuilder(T0)
    wide.add(b"key", bytes(2 * WINDOW_BYTES))
    content = [wide.build(0), *(batch(offset) for offset in range(1, 10))]
    for offset in range(10, 10 + 2 * WINDOW_BYTES // 110, 2):
        content += [batch(offset, producer=7), marker(offset + 1, 7, commits=offset % 4 == 0)]
    log = made_logs.log(tmp_path, {0: [*content, batch(999_999)[:-1]]})
    assert log.segments[0].bytes > 3 * WINDOW_BYTES
    in_memory.create_dir("wide")
    uploaded(in_memory, tmp_path, "wide")
    there = find_logs(["mock://here/wide"]).logs[0]
    found = survey(there)
    assert found.torn is not None and len(found.markers[7]) > 10_000
    assert replace(found, end=None, torn=None) == replace(survey(log), end=None, torn=None)
    assert [task.markers for task in tasks(there, found)] == [found.markers]


CUT_WHILE_IT_IS_READ: Final = """
import os, sys
from tidemark_pipeline.logs.files import open_segment, open_windows
from tidemark_pipeline.model import Segment
path, left = sys.argv[1], int(sys.argv[2])
segment = Segment(path, 0, 0, os.path.getsize(path), is_last=True)
with open_windows(path) as windows, open_segment(segment) as whole:
    os.truncate(path, left)
    print(len(bytes(windows.at(0))), windows.bytes, len(bytes(whole)))
"""


def test_truncating_a_segment_during_a_read_does_not_kill_the_process(tmp_path: Path) -> None:
    """A broker with log.preallocate=true truncates at a roll. Reading truncated mapped bytes is a SIGBUS."""
    path = made_logs.segment(tmp_path, 0, batch(0), bytes(1_000_000))
    left = len(batch(0))
    size = path.stat().st_size
    command = [sys.executable, "-c", CUT_WHILE_IT_IS_READ, str(path), str(left)]
    done = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    )
    assert (done.returncode, done.stdout.split()) == (0, [str(left), str(left), str(size)]), done.stderr


def test_a_walk_ends_at_the_current_end_of_a_truncated_segment() -> None:
    data = batch(0) + batch(1)
    windows = Windows(len(data) + WINDOW_BYTES, lambda length, start: data[start : start + length])
    [(_, _, found)] = _parts(windows, 0, 0)
    assert (found.end, found.reason, len(found.headers)) == (len(data), None, 2)


@pytest.mark.parametrize("seen", [0, 30, 70], ids=["nothing yet", "half a header", "half a batch"])
def test_a_batch_written_during_a_read_is_not_damage(tmp_path: Path, seen: int) -> None:
    """The file is preallocated. By the time of the second read, the batch may be complete."""
    log = made_logs.log(tmp_path, {0: [batch(0), batch(1), batch(2), bytes(1000)]})
    whole = Path(log.segments[0].path).read_bytes()
    at = len(batch(0)) + seen
    contents = [whole[:at] + bytes(len(whole) - at), whole]

    def read_at(length: int, start: int) -> bytes:
        """Read the first bytes before the write."""
        content = contents.pop(0) if len(contents) > 1 else contents[0]
        return content[start : start + length]

    hopped = _hopped(Windows(len(whole), read_at), log.segments[0], 0, 0, "stop_at_tail")
    assert (len(hopped.batches.positions), hopped.batches.end) == (3, len(whole) - 1000)
    assert hopped.ends is not None and hopped.ends.reason is None


def test_a_read_is_repeated_after_each_cleaner_run() -> None:
    looks = iter((True, True, True, False))

    def look() -> int:
        if next(looks):
            raise SegmentGone("0.log was listed and is gone")
        return 7

    assert looked_again(look) == 7
    with pytest.raises(SegmentGone):
        looked_again(lambda: raised(SegmentGone("it never comes back")))
    with pytest.raises(PipelineError, match="^damage$"):
        looked_again(lambda: raised(PipelineError("damage")))


def raised(error: Exception) -> int:
    raise error


def test_deleted_segments_and_directories_are_errors(tmp_path: Path, in_memory: Any) -> None:
    log = made_logs.log(tmp_path, {0: [batch(0)], 1: [batch(1)]})
    in_memory.create_dir("gone")
    uploaded(in_memory, tmp_path, "gone")
    there = find_logs(["mock://here/gone"]).logs[0]
    Path(log.segments[0].path).unlink()
    in_memory.delete_file(f"gone/{OFFSETS}-0/{0:020d}.log")
    for each in (log, there):
        with pytest.raises(SegmentGone, match="gone"):
            survey(each)
        with pytest.raises(SegmentGone), open_segment(each.segments[0]):
            pass
    for path in (f"mock://here/none/{OFFSETS}-0", "mock://here/none"):
        with pytest.raises(PipelineError, match="no such file or directory"):
            find_logs([path])


@pytest.mark.parametrize("path", ["nosuch://bucket/data", "s3://", "s3:///data"])
def test_an_invalid_uri_is_an_error_of_one_line(path: str) -> None:
    with pytest.raises(PipelineError) as told:
        find_logs([path])
    assert path in str(told.value) and "\n" not in str(told.value)


def test_options_of_a_uri_stay_after_the_path() -> None:
    directory = open_directory("s3a://bucket/kafka/data/?region=eu-west-1&scheme=http")
    assert directory == Directory("s3a://bucket/kafka/data?region=eu-west-1&scheme=http")
    assert directory.join("x.log") == "s3a://bucket/kafka/data/x.log?region=eu-west-1&scheme=http"
    assert (directory.name, directory.at("sub").parent) == ("data", directory)


def test_local_names_are_used_literally(tmp_path: Path) -> None:
    """`?` and `%` have no special meaning."""
    odd = tmp_path / "what? 100%20"
    odd.mkdir()
    (odd / "a").write_bytes(b"12345")
    directory = open_directory(f"{odd}//")
    assert directory.list() == [Entry("a", False, 5)]
    assert directory.read("a") == b"12345" and directory.read_range("a", 3, 10) == b"45"
    assert directory.read_range("a", 9, 10) == b"" and directory.name == odd.name


@pytest.fixture(scope="module")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with s3_server.serving(tmp_path_factory.mktemp("s3")) as endpoint:
        yield endpoint


@pytest.mark.ecosystem
@pytest.mark.contract
@pytest.mark.slow
def test_kafkas_directory_on_s3_gives_the_same_rows(
    tmp_path: Path, s3: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Options are set in the environment, as for S3's own tools, and in the URI."""
    for name, value in s3_server.KEYS.items():
        monkeypatch.setenv(name, value)
    endpoint = s3.removeprefix("http://")
    system = s3_server.bucket(s3, BUCKET)
    data = unpacked(tmp_path)
    uploaded(system, data, f"{BUCKET}/kafka")
    query = f"?scheme=http&endpoint_override={endpoint}"
    found = find_logs([f"s3a://{BUCKET}/kafka{query}"])
    assert without_paths(survey_all(found.logs.values())) == without_paths(
        survey_all(find_logs([str(data)]).logs.values())
    )
    with pytest.raises(PipelineError, match="no such file or directory"):
        find_logs([f"s3://{BUCKET}/nothing{query}"])
    with pytest.raises(PipelineError) as told:
        find_logs([f"s3://other/kafka{query}"])
    assert "\n" not in str(told.value)
    monkeypatch.setitem(os.environ, "AWS_ENDPOINT_URL", s3)
    same_as_local(data, f"s3a://{BUCKET}/kafka")
