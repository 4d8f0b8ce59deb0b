"""A directory that Kafka wrote is copied, and does not change."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.kafkas_directory import unpacked
from tidemark.log.directory import read_properties
from tidemark.log.errors import DirectoryRefused
from tidemark.log.takeover import Origin, read_origins, take_over
from tidemark_protocol.checkpoints import decode_epochs, decode_offsets, encode_epochs, encode_offsets

NEW_ID = bytes(range(16))
# `stoppedBetween` of the truth: Kafka was asked to stop at the first and had ended at the second.
STOPPED_BETWEEN_MS = (1795227660823, 1795227662720)
MARK = f"{0:020}.txnindex"  # a file that these tests do not read
RECOVERY_POINTS = "recovery-point-offset-checkpoint"


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory of Kafka, for tests that do not change it."""
    folder = tmp_path_factory.mktemp("kafka")
    return unpacked(folder)


@pytest.fixture
def origin(written: Path, tmp_path: Path) -> Path:
    """A directory of Kafka, for one test alone."""
    return Path(shutil.copytree(written, tmp_path / "kafka"))


def content(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Return every file with its bytes and the time of its last change."""
    return {
        str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def taken(target: Path, *origins: Path) -> int | None:
    return take_over(read_origins(origins), target, NEW_ID, 0)


@pytest.mark.slow
def test_the_copy_has_every_log_and_the_nodes_identity(written: Path, tmp_path: Path) -> None:
    before = content(written)
    newest_ms = taken(tmp_path / "new", written)
    assert newest_ms is not None
    assert STOPPED_BETWEEN_MS[0] <= newest_ms <= STOPPED_BETWEEN_MS[1]
    assert content(written) == before
    copy = content(tmp_path / "new")
    logs = {
        name: data
        for name, (data, _) in before.items()
        if name.endswith((".log", ".txnindex")) and "-delete/" not in name
    }
    assert {name: data for name, (data, _) in copy.items() if name in logs} == logs
    theirs, ours = (
        read_properties((folder / "meta.properties").read_bytes()) for folder in (written, tmp_path / "new")
    )
    assert ours == theirs
    for name in (RECOVERY_POINTS, "log-start-offset-checkpoint", "cleaner-offset-checkpoint"):
        assert decode_offsets(copy[name][0]) == decode_offsets(before[name][0])
    assert ".kafka_cleanshutdown" in copy
    assert copy["tidemark.properties"][0].startswith(b"tidemark.version=")


def inodes(folder: Path) -> dict[str, int]:
    return {str(path.relative_to(folder)): path.stat().st_ino for path in folder.rglob("*") if path.is_file()}


def last_segments(folder: Path) -> set[str]:
    return {
        str(max(directory.glob("*.log")).relative_to(folder))
        for directory in folder.iterdir()
        if directory.is_dir() and [*directory.glob("*.log")]
    }


def test_files_that_may_change_are_not_linked(written: Path, tmp_path: Path) -> None:
    taken(tmp_path / "new", written)
    theirs = set(inodes(written).values())
    shared = {name for name, inode in inodes(tmp_path / "new").items() if inode in theirs}
    assert all(name.endswith(".log") for name in shared)
    assert not shared & last_segments(written)
    # Both are on one file system here, so closed files are linked.
    assert len(shared) == len([*written.glob("*/*.log")]) - len(last_segments(written))


@pytest.mark.slow
def test_after_a_kill_segments_that_recovery_may_cut_are_copied(origin: Path, tmp_path: Path) -> None:
    (origin / ".kafka_cleanshutdown").unlink()
    points = decode_offsets((origin / RECOVERY_POINTS).read_bytes())
    points["__consumer_offsets", 0] = 1000  # in the segment that begins at 800; others begin at 1070 and 1220
    points["__consumer_offsets", 1] = 10**9  # a checkpoint that was copied later than the log
    (origin / RECOVERY_POINTS).write_bytes(encode_offsets(points))
    taken(tmp_path / "new", origin)
    theirs = set(inodes(origin).values())
    shared = {name for name, inode in inodes(tmp_path / "new").items() if inode in theirs}
    names = {name for name in shared if name.startswith("__consumer_offsets-0/")}
    assert names == {f"__consumer_offsets-0/{base:020}.log" for base in (0, 371)}
    copied = decode_offsets((tmp_path / "new" / RECOVERY_POINTS).read_bytes())
    assert copied["__consumer_offsets", 0] == 1000
    assert copied["__consumer_offsets", 1] == 914  # where its last segment begins
    assert not (tmp_path / "new" / ".kafka_cleanshutdown").exists()
    assert not (tmp_path / "new" / "__consumer_offsets-0" / f"{1220:020}.index").exists()
    assert not [name for name in shared if name.startswith("__cluster_metadata-0/")]


def test_partitions_being_deleted_or_moved_are_not_copied(origin: Path, tmp_path: Path) -> None:
    for name in (
        "orders-0.0123456789abcdef0123456789abcdef-delete",
        "orders-1.aa-future",
        "orders-2.aa-stray",
    ):
        shutil.copytree(origin / "orders-0", origin / name)
    (origin / "orders-0" / f"{0:020}.log.deleted").write_bytes(b"")
    (origin / "orders-0" / f"{0:020}.log.cleaned").write_bytes(b"")
    (origin / "lost+found").mkdir()
    taken(tmp_path / "new", origin)
    names = {path.name for path in (tmp_path / "new").iterdir() if path.is_dir()}
    assert names == {path.name for path in origin.iterdir() if path.is_dir() and path.name[-1].isdigit()}
    assert not [*(tmp_path / "new" / "orders-0").glob("*.deleted")]
    assert not [*(tmp_path / "new" / "orders-0").glob("*.cleaned")]


def test_a_file_that_we_may_not_write_to_is_copied(
    origin: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Root may write everywhere, so the test replaces the result of access(2)."""
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    taken(tmp_path / "new", origin)
    assert not set(inodes(origin).values()) & set(inodes(tmp_path / "new").values())


# Several directories.


def only(folder: Path, *names: str) -> None:
    """Remove all partitions except these."""
    for path in folder.iterdir():
        if path.is_dir() and path.name not in names:
            shutil.rmtree(path)


def test_partitions_are_copied_from_all_directories(origin: Path, tmp_path: Path) -> None:
    other = Path(shutil.copytree(origin, tmp_path / "other"))
    only(other, "orders-1", "truncated-head-0")
    for name in ("orders-1", "truncated-head-0"):
        shutil.rmtree(origin / name)
    taken(tmp_path / "new", origin, other)
    assert (tmp_path / "new" / "orders-0").is_dir()
    assert (tmp_path / "new" / "orders-1").is_dir()
    starts = decode_offsets((tmp_path / "new" / "log-start-offset-checkpoint").read_bytes())
    assert starts == {("truncated-head", 0): 20}


def cut_to_nothing(directory: Path) -> None:
    (directory / f"{0:020}.log").write_bytes(b"")


def lead_anew(directory: Path) -> None:
    entries = decode_epochs((directory / "leader-epoch-checkpoint").read_bytes())
    epoch, start = entries[-1] if entries else (0, 0)
    entries.append((epoch + 5, start + 100))
    (directory / "leader-epoch-checkpoint").write_bytes(encode_epochs(entries))


def nothing(directory: Path) -> None:
    """The test must not change it."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("to_first", "to_second", "chosen"),
    [
        (cut_to_nothing, nothing, "second"),
        (nothing, cut_to_nothing, "first"),
        (nothing, nothing, "first"),
        (nothing, lead_anew, "second"),
        (lead_anew, nothing, "first"),
    ],
)
def test_the_replica_with_the_latest_epoch_then_the_longest_is_copied(
    origin: Path,
    tmp_path: Path,
    to_first: Callable[[Path], None],
    to_second: Callable[[Path], None],
    chosen: str,
) -> None:
    other = Path(shutil.copytree(origin, tmp_path / "other"))
    for folder, name, change in ((origin, "first", to_first), (other, "second", to_second)):
        directory = folder / "quiet-0" if change is lead_anew else folder / "orders-0"
        change(directory)
        if change is not lead_anew:
            (folder / "orders-0" / "leader-epoch-checkpoint").unlink()
        (directory / MARK).write_text(name)
    taken(tmp_path / "new", origin, other)
    changed = "quiet-0" if lead_anew in (to_first, to_second) else "orders-0"
    assert (tmp_path / "new" / changed / MARK).read_text() == chosen


def test_a_directory_of_an_earlier_topic_of_the_same_name_is_ignored(origin: Path, tmp_path: Path) -> None:
    """The topic `recreated` was deleted and created again. One replica still has the first log."""
    other = Path(shutil.copytree(origin, tmp_path / "other"))
    (earlier,) = other.glob("recreated-0.*-delete")
    only(other, earlier.name)
    earlier.rename(other / "recreated-0")
    lead_anew(other / "recreated-0")
    for n, origins in enumerate(((origin, other), (other, origin))):
        taken(tmp_path / f"new{n}", *origins)
        ids = (tmp_path / f"new{n}" / "recreated-0" / "partition.metadata").read_bytes()
        assert ids == (origin / "recreated-0" / "partition.metadata").read_bytes()


def test_directories_of_two_clusters_are_refused(origin: Path, tmp_path: Path) -> None:
    other = Path(shutil.copytree(origin, tmp_path / "other"))
    text = (other / "meta.properties").read_text()
    (other / "meta.properties").write_text(text.replace("cluster.id=h", "cluster.id=H"))
    with pytest.raises(DirectoryRefused, match="one cluster"):
        read_origins([origin, other])


def test_the_first_directory_determines_the_node_id(origin: Path, tmp_path: Path) -> None:
    other = Path(shutil.copytree(origin, tmp_path / "other"))
    text = (other / "meta.properties").read_text()
    (other / "meta.properties").write_text(text.replace("node.id=1", "node.id=7"))
    assert [each.node_id for each in read_origins([other, origin])] == [7, 1]
    taken(tmp_path / "new", other, origin)
    assert read_properties((tmp_path / "new" / "meta.properties").read_bytes())["node.id"] == "7"


def test_a_directory_of_kafka_before_3_7_gets_a_directory_id(origin: Path, tmp_path: Path) -> None:
    lines = (origin / "meta.properties").read_text().splitlines()
    kept = [line for line in lines if not line.startswith("directory.id")]
    (origin / "meta.properties").write_text("\n".join(kept))
    taken(tmp_path / "new", origin)
    meta = read_properties((tmp_path / "new" / "meta.properties").read_bytes())
    assert meta["directory.id"] == "AAECAwQFBgcICQoLDA0ODw"


# Refused directories.


def replaced(name: str, value: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        meta = folder / "meta.properties"
        lines = [line for line in meta.read_text().splitlines() if not line.startswith(f"{name}=")]
        meta.write_text("\n".join([*lines, f"{name}={value}"]))

    return change


def made_a_directory(folder: Path) -> None:
    """Replace a file by something that not even root can read."""
    (folder / "meta.properties").unlink()
    (folder / "meta.properties").mkdir()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (replaced("version", "0"), "ZooKeeper"),
        (replaced("version", "2"), "is not valid"),
        (replaced("node.id", "x"), "is not valid"),
        (replaced("cluster.id", ""), "is not valid"),
        (lambda folder: (folder / "meta.properties").unlink(), r"has no meta\.properties"),
        (made_a_directory, "Is a directory"),
        (shutil.rmtree, "is not a directory"),
    ],
)
def test_an_error_names_the_directory_that_cannot_be_opened(
    origin: Path, change: Callable[[Path], None], said: str
) -> None:
    change(origin)
    with pytest.raises(DirectoryRefused, match=said) as refused:
        read_origins([origin])
    assert str(origin) in str(refused.value)


def test_a_directory_of_zookeeper_mode_is_refused(tmp_path: Path) -> None:
    (tmp_path / "meta.properties").write_text("version=0\nbroker.id=3\ncluster.id=hwahezxsQjWkZzV6v7dmLA\n")
    with pytest.raises(DirectoryRefused, match=r"ZooKeeper.*Kafka 3\.3"):
        read_origins([tmp_path])


def test_directories_without_the_metadata_log_are_refused(origin: Path, tmp_path: Path) -> None:
    shutil.rmtree(origin / "__cluster_metadata-0")
    with pytest.raises(DirectoryRefused, match=r"no __cluster_metadata-0 in .*metadata\.log\.dir"):
        taken(tmp_path / "new", origin)
    assert not (tmp_path / "new").exists()


def test_a_target_that_is_not_empty_is_refused_and_not_changed(written: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("x")
    with pytest.raises(DirectoryRefused, match="is not empty"):
        taken(tmp_path, written)
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_a_target_in_the_original_is_refused(origin: Path) -> None:
    with pytest.raises(DirectoryRefused, match="only read"):
        taken(origin / "new", origin)
    assert not (origin / "new").exists()


@contextmanager
def locked_by_another_process(folder: Path) -> Iterator[None]:
    """Lock as Java's FileChannel.tryLock does: with a POSIX lock."""
    script = (
        "import fcntl, sys\n"
        f"file = open({str(folder / '.lock')!r}, 'a')\n"
        "fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)\n"
        "print('locked', flush=True)\n"
        "sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        assert child.stdin is not None
        assert child.stdout.readline() == b"locked\n"
        yield
        child.stdin.close()


def test_a_directory_in_use_is_refused(origin: Path, tmp_path: Path) -> None:
    with locked_by_another_process(origin):
        with pytest.raises(DirectoryRefused, match="in use"):
            taken(tmp_path / "new", origin)
        assert not (tmp_path / "new").exists()
    taken(tmp_path / "new", origin)


def test_the_lock_is_released(origin: Path, tmp_path: Path) -> None:
    (origin / ".lock").touch()
    taken(tmp_path / "new", origin)
    with (origin / ".lock").open("a") as file:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    assert not (tmp_path / "new" / ".lock").exists()


def test_an_unfinished_copy_is_removed(
    written: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(original: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shutil, "copyfile", full)
    (tmp_path / "new").mkdir()
    with pytest.raises(OSError, match="No space"):
        taken(tmp_path / "new", written)
    assert [*(tmp_path / "new").iterdir()] == []


def test_an_origin_knows_whether_its_broker_had_a_clean_stop(origin: Path) -> None:
    def clean() -> bool:
        (found,) = read_origins([origin])
        assert isinstance(found, Origin)
        return found.clean

    assert clean()
    (origin / ".kafka_cleanshutdown").unlink()
    assert not clean()
