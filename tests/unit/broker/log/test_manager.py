from __future__ import annotations

import errno
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest

from tests.unit.broker.log.builders import TOPIC_ID, a_batch, all_values
from tidemark.log.directory import open_directory
from tidemark.log.errors import CorruptLog, DirectoryRefused, OutOfDescriptors
from tidemark.log.manager import LogManager
from tidemark.log.segment import Segment
from tidemark.log.settings import LogSettings
from tidemark.log.storage import DirectoryLocked, FileStorage, Storage
from tidemark.settings.broker import BrokerSettings
from tidemark_protocol.checkpoints import decode_offsets
from tidemark_protocol.contents import finish
from tidemark_protocol.log_files import parse_directory_name
from tidemark_testing.clock import VirtualClock
from tidemark_testing.storage import FaultyStorage, MemoryStorage

OTHER_ID = bytes(range(1, 17))
RECOVERY_POINTS = "recovery-point-offset-checkpoint"


def a_manager(storage: Storage, clock: VirtualClock | None = None, **settings: int) -> LogManager:
    manager = LogManager(
        storage,
        BrokerSettings(),
        clock or VirtualClock(),
        lambda topic: LogSettings(**settings),  # type: ignore[arg-type]
    )
    manager.open()
    return manager


def test_a_created_log_is_found_after_a_clean_stop() -> None:
    storage = MemoryStorage()
    manager = a_manager(storage)
    assert manager.get("orders", 0) is None
    log = manager.create("orders", 0, TOPIC_ID)
    log.append(a_batch(b"a"), leader_epoch=0, now_ms=0)
    manager.close()
    assert storage.exists(".kafka_cleanshutdown")
    again = a_manager(storage)
    assert again.opened_clean
    assert not storage.exists(".kafka_cleanshutdown")
    log = again.get("orders", 0)  # type: ignore[assignment]
    assert (log.topic_id, log.log_end_offset, log.leader_epoch) == (TOPIC_ID, 1, 0)


def test_the_first_record_creates_the_files_of_kafka() -> None:
    storage = MemoryStorage()
    log = a_manager(storage).create("orders", 0, TOPIC_ID)
    assert storage.list() == []
    assert (log.read(0, 100, up_to=0, at_least_one_batch=True), finish(log.max_timestamp())) == (b"", None)
    log.append(a_batch(), leader_epoch=0, now_ms=0)
    assert [name for name, _ in storage.list("orders-0")] == [
        "00000000000000000000.log",
        "leader-epoch-checkpoint",
        "partition.metadata",
    ]
    assert storage.read("orders-0/leader-epoch-checkpoint") == b"0\n1\n0 0\n"
    assert storage.read("orders-0/partition.metadata") == b"version: 0\ntopic_id: AAECAwQFBgcICQoLDA0ODw"


def test_after_a_kill_every_log_is_recovered_from_its_recovery_point() -> None:
    storage = FaultyStorage(seed=3)
    manager = a_manager(storage)
    log = manager.create("orders", 0, TOPIC_ID)
    for _ in range(3):
        log.append(a_batch(b"synced"), leader_epoch=0, now_ms=0)
    log.mark_synced(log.sync())
    manager.checkpoint()
    assert decode_offsets(storage.read(RECOVERY_POINTS)) == {("orders", 0): 3}
    log.append(a_batch(b"torn"), leader_epoch=0, now_ms=0)
    storage.kill()
    storage.open("orders-0/00000000000000000000.log").truncate(log.size_bytes - 1)
    again = a_manager(storage)
    assert not again.opened_clean
    assert [(cut.topic, cut.log_end_offset) for cut in again.recovered] == [("orders", 3)]


def test_a_log_that_was_not_opened_keeps_its_recovery_point() -> None:
    storage = MemoryStorage()
    manager = a_manager(storage)
    manager.create("orders", 0, TOPIC_ID).append(a_batch(b"a"), leader_epoch=0, now_ms=0)
    manager.close()
    a_manager(storage).close()
    assert decode_offsets(storage.read(RECOVERY_POINTS)) == {("orders", 0): 1}


def test_corruption_before_the_recovery_point_prevents_the_start() -> None:
    storage = MemoryStorage()
    manager = a_manager(storage)
    log = manager.create("orders", 0, TOPIC_ID)
    log.append(a_batch(b"a"), leader_epoch=0, now_ms=0)
    log.mark_synced(log.sync())
    manager.checkpoint()
    storage.write("orders-0/00000000000000000000.log", b"")
    with pytest.raises(CorruptLog):
        a_manager(storage)


def test_a_deleted_log_is_renamed_and_removed_after_its_delay() -> None:
    storage, clock = MemoryStorage(), VirtualClock()
    manager = a_manager(storage, clock, file_delete_delay_ms=60_000)
    manager.create("orders", 0, TOPIC_ID).append(a_batch(), leader_epoch=0, now_ms=0)
    manager.delete("orders", 0)
    (doomed,) = [name for name, size in storage.list() if size < 0]
    assert doomed.startswith("orders-0.")
    assert doomed.endswith("-delete")
    assert len(doomed) == len("orders-0.") + 32 + len("-delete")
    assert manager.get("orders", 0) is None
    assert manager.take_deleted(clock.wall_ms() + 59_999) == []
    assert manager.take_deleted(clock.wall_ms() + 60_000) == [doomed]
    assert manager.take_deleted(clock.wall_ms() + 60_000) == []
    manager.remove([doomed])
    assert not storage.exists(doomed)


def test_the_next_start_removes_directories_that_were_being_deleted() -> None:
    storage = MemoryStorage()
    manager = a_manager(storage)
    manager.create("orders", 0, TOPIC_ID).append(a_batch(), leader_epoch=0, now_ms=0)
    manager.delete("orders", 0)
    a_manager(storage).sweep({})
    assert [name for name, size in storage.list() if size < 0] == []


def test_a_topic_recreated_after_a_kill_does_not_get_the_old_recovery_point() -> None:
    storage = MemoryStorage()
    manager = a_manager(storage)
    log = manager.create("orders", 0, TOPIC_ID)
    log.append(a_batch(b"a", b"b"), leader_epoch=0, now_ms=0)
    log.mark_synced(log.sync())
    manager.checkpoint()
    manager.delete("orders", 0)
    manager.create("orders", 0, OTHER_ID).append(a_batch(b"c"), leader_epoch=0, now_ms=0)
    assert a_manager(storage).get("orders", 0).log_end_offset == 1  # type: ignore[union-attr]


def test_a_topic_recreated_after_a_restart_does_not_get_the_old_recovery_point() -> None:
    """The broker was killed before a checkpoint contained the deletion."""
    storage = MemoryStorage()
    manager = a_manager(storage)
    log = manager.create("orders", 0, TOPIC_ID)
    log.append(a_batch(b"a", b"b"), leader_epoch=0, now_ms=0)
    log.mark_synced(log.sync())
    manager.checkpoint()
    manager.delete("orders", 0)
    assert decode_offsets(storage.read(RECOVERY_POINTS)) == {("orders", 0): 2}
    again = a_manager(storage)
    again.create("orders", 0, OTHER_ID).append(a_batch(b"c"), leader_epoch=0, now_ms=0)
    assert a_manager(storage).get("orders", 0).log_end_offset == 1  # type: ignore[union-attr]


def test_a_log_of_another_topic_id_is_renamed() -> None:
    manager = a_manager(MemoryStorage())
    manager.create("orders", 0, TOPIC_ID).append(a_batch(b"old"), leader_epoch=0, now_ms=0)
    log = manager.create("orders", 0, OTHER_ID)
    assert (log.topic_id, log.log_end_offset) == (OTHER_ID, 0)
    assert manager.create("orders", 0, OTHER_ID) is log


def test_the_sweep_removes_logs_of_deleted_topics() -> None:
    manager = a_manager(MemoryStorage())
    for topic in ("kept", "gone", "other-life"):
        manager.create(topic, 0, TOPIC_ID).append(a_batch(), leader_epoch=0, now_ms=0)
    manager.sweep({("kept", 0): TOPIC_ID, ("other-life", 0): OTHER_ID, ("not-made-yet", 0): TOPIC_ID})
    assert manager.begun() == [("kept", 0)]
    here = [name for name in ("kept", "not-made-yet", "other-life", "gone") if manager.is_here(name, 0)]
    assert here == ["kept", "not-made-yet", "other-life"]
    assert manager.get("gone", 0) is None
    other = manager.get("other-life", 0)
    assert other is not None
    assert (other.topic_id, other.log_end_offset) == (OTHER_ID, 0)


def test_an_unused_partition_exists_without_files() -> None:
    storage = MemoryStorage()
    manager = a_manager(storage)
    for partition in range(3):
        manager.expect("orders", partition, TOPIC_ID)
    assert (storage.list(), manager.logs()) == ([], [])
    assert [manager.is_here("orders", partition) for partition in range(4)] == [True, True, True, False]
    assert manager.size_bytes("orders", 1) == 0
    log = manager.get("orders", 1)
    assert log is not None
    assert (log.topic_id, log.log_end_offset, log.leader_epoch) == (TOPIC_ID, 0, 0)
    manager.close()
    assert [name for name, size in storage.list() if size < 0] == []


def test_an_expected_partition_can_be_deleted() -> None:
    manager = a_manager(MemoryStorage())
    manager.expect("orders", 0, TOPIC_ID)
    manager.delete("orders", 0)
    assert (manager.get("orders", 0), manager.is_here("orders", 0)) == (None, False)


def test_a_closed_log_of_another_topic_id_is_renamed() -> None:
    storage = MemoryStorage()
    manager = a_manager(storage)
    manager.create("orders", 0, TOPIC_ID).append(a_batch(b"old"), leader_epoch=0, now_ms=0)
    manager.close()
    again = a_manager(storage)
    again.expect("orders", 0, OTHER_ID)
    log = again.get("orders", 0)
    assert log is not None
    assert (log.topic_id, log.log_end_offset) == (OTHER_ID, 0)


@pytest.mark.parametrize("restarted", [False, True])
def test_a_topic_can_be_made_again_without_a_descriptor(
    restarted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its record is written by then, so that nothing may fail any more."""
    storage = MemoryStorage()
    manager = a_manager(storage)
    manager.create("orders", 0, TOPIC_ID).append(a_batch(b"old"), leader_epoch=0, now_ms=0)
    if restarted:
        manager.close()
        manager = a_manager(storage)
        manager.sweep({("orders", 0): TOPIC_ID})

    def no_descriptor(path: str) -> bytes:
        raise OutOfDescriptors(OSError(errno.EMFILE, "too many open files", path))

    monkeypatch.setattr(storage, "read", no_descriptor)
    manager.expect("orders", 0, OTHER_ID)
    manager.delete_log_of("orders", 0, TOPIC_ID)
    assert manager.ends("orders", 0) == (0, 0)


def test_high_watermark_and_log_start_are_checkpointed() -> None:
    storage = MemoryStorage()
    manager = a_manager(storage)
    log = manager.create("orders", 0, TOPIC_ID)
    manager.create("quiet", 0, TOPIC_ID)
    log.append(a_batch(b"a", b"b"), leader_epoch=0, now_ms=0)
    log.advance_log_start(1)
    manager.checkpoint()
    assert decode_offsets(storage.read("log-start-offset-checkpoint")) == {("orders", 0): 1}
    assert decode_offsets(storage.read("replication-offset-checkpoint")) == {
        ("orders", 0): 2,
        ("quiet", 0): 0,
    }
    manager.close()
    assert a_manager(storage).get("orders", 0).log_start_offset == 1  # type: ignore[union-attr]


def test_a_stop_syncs_each_closed_segment_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a snapshot of the directory, too, which writes the indexes of the open segment without a sync."""
    synced: list[str] = []
    sync = Segment.sync

    def spy(segment: Segment) -> None:
        synced.append(segment.path(".log"))
        sync(segment)

    monkeypatch.setattr(Segment, "sync", spy)
    manager = a_manager(FileStorage(tmp_path), segment_bytes=100)
    log = manager.create("orders", 0, TOPIC_ID)
    for _ in range(20):
        log.append(a_batch(b"a"), leader_epoch=0, now_ms=0)
        manager.write_ends()
    manager.close()
    assert sorted(synced) == [f"orders-0/{number:020}.log" for number in range(20)]


def test_a_stop_waits_for_a_sync_that_writes_indexes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    storage = FileStorage(tmp_path)
    manager = a_manager(storage)
    log = manager.create("orders", 0, TOPIC_ID)
    log.append(a_batch(b"a"), leader_epoch=0, now_ms=0)
    log.roll(0)
    write, begun, other = FileStorage.write, Event(), Event()
    written: list[str] = []

    def slow(self: FileStorage, path: str, data: bytes, *, sync: bool = True) -> None:
        if path.endswith("index") and sync:
            written.append(path.rpartition(".")[2])
            if len(written) > 1:
                other.set()
            begun.set()
            other.wait(0.5)  # as long as a stop that does not wait needs to write the same file
        write(self, path, data, sync=sync)

    monkeypatch.setattr(FileStorage, "write", slow)
    with ThreadPoolExecutor(1) as threads:
        syncing = threads.submit(log.sync)
        assert begun.wait(30)
        manager.close()
        assert syncing.result() == 1
    assert written == ["index", "timeindex"]


def test_sizes_are_known_without_opening_a_log() -> None:
    storage = MemoryStorage()
    manager = a_manager(storage)
    log = manager.create("orders", 0, TOPIC_ID)
    log.append(a_batch(b"a"), leader_epoch=0, now_ms=0)
    manager.close()
    assert a_manager(storage).size_bytes("orders", 0) == log.size_bytes > 0


def test_a_late_checkpoint_does_not_overwrite_a_newer_one() -> None:
    storage = MemoryStorage()
    manager = a_manager(storage)
    log = manager.create("orders", 0, TOPIC_ID)
    log.append(a_batch(b"a"), leader_epoch=0, now_ms=0)
    log.mark_synced(log.sync())
    late = manager.prepare_checkpoint()
    manager.delete("orders", 0)
    manager.checkpoint()
    manager.write_checkpoint(late)
    assert decode_offsets(storage.read(RECOVERY_POINTS)) == {}


def test_a_late_checkpoint_does_not_apply_to_a_recreated_log() -> None:
    """It is prepared before the deletion and written after it, but before the new log begins."""
    storage = MemoryStorage()
    manager = a_manager(storage)
    log = manager.create("orders", 0, TOPIC_ID)
    log.append(a_batch(b"a", b"b"), leader_epoch=0, now_ms=0)
    log.mark_synced(log.sync())
    late = manager.prepare_checkpoint()
    manager.delete("orders", 0)
    manager.write_checkpoint(late)
    manager.create("orders", 0, OTHER_ID).append(a_batch(b"c"), leader_epoch=0, now_ms=0)
    assert a_manager(storage).get("orders", 0).log_end_offset == 1  # type: ignore[union-attr]


def test_a_log_without_partition_metadata_gets_the_clusters_topic_id() -> None:
    storage = MemoryStorage()
    a_manager(storage).create("orders", 0, TOPIC_ID).append(a_batch(), leader_epoch=0, now_ms=0)
    storage.write("orders-0/partition.metadata", b"version: 0\ntopic_id: AAE")
    assert a_manager(storage).create("orders", 0, TOPIC_ID).topic_id == TOPIC_ID
    assert a_manager(storage).get("orders", 0).topic_id == TOPIC_ID  # type: ignore[union-attr]


def test_a_closed_segment_requires_a_sync() -> None:
    manager = a_manager(MemoryStorage(), segment_bytes=100)
    log = manager.create("orders", 0, TOPIC_ID)
    log.append(a_batch(b"x" * 20), leader_epoch=0, now_ms=0)
    assert manager.to_sync(0) == []
    log.append(a_batch(b"x" * 20), leader_epoch=0, now_ms=0)
    assert manager.to_sync(0) == [log]
    log.mark_synced(log.sync())
    assert manager.to_sync(0) == []


def test_new_settings_apply_to_open_logs() -> None:
    current = LogSettings()
    manager = LogManager(MemoryStorage(), BrokerSettings(), VirtualClock(), lambda topic: current)
    manager.open()
    log = manager.create("orders", 0, TOPIC_ID)
    current = LogSettings(segment_bytes=77)
    manager.configure("orders", partitions=2)
    assert log.settings.segment_bytes == 77
    current = LogSettings(segment_bytes=78)
    manager.configure_all()
    assert log.settings.segment_bytes == 78


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("orders-0", ("orders", 0)),
        ("a-b-12", ("a-b", 12)),
        ("orders", None),
        ("-1", None),
        ("x-1.ab-delete", None),
        ("x-\u00b2", None),  # a digit, but no decimal one
        ("x-2147483647", ("x", 2**31 - 1)),
        ("x-2147483648", None),
    ],
)
def test_partition_directories_are_recognised(name: str, place: tuple[str, int] | None) -> None:
    assert parse_directory_name(name) == place


# The directory as a whole


def format_directory(storage: Storage, node_id: int = 1) -> tuple[int, str, bytes, bool]:
    opened = open_directory(storage, node_id=node_id, cluster_id="c" * 22, directory_id=TOPIC_ID, now_ms=0)
    return opened.node_id, opened.cluster_id, opened.directory_id, opened.fresh


def test_a_new_directory_is_formatted_and_recognised_later(tmp_path: Path) -> None:
    storage = FileStorage(tmp_path / "data")
    assert format_directory(storage) == (1, "c" * 22, TOPIC_ID, True)
    storage.close()
    assert format_directory(FileStorage(tmp_path / "data")) == (1, "c" * 22, TOPIC_ID, False)
    text = (tmp_path / "data" / "meta.properties").read_text()
    assert text.startswith("#\n#Thu Jan 01 00:00:00 UTC 1970\n")
    assert "version=1\n" in text


def test_another_nodes_directory_is_refused() -> None:
    storage = MemoryStorage()
    format_directory(storage)
    storage.close()
    with pytest.raises(DirectoryRefused, match="Stored node id 1 doesn't match previous node id 2"):
        format_directory(storage, node_id=2)
    storage.lock()  # the refusal gave the lock back


@pytest.mark.parametrize(
    ("file", "text"),
    [("tidemark.properties", b"tidemark.version=2\n"), ("meta.properties", b"version=2\nnode.id=1\n")],
)
def test_a_directory_that_a_newer_version_wrote_is_refused(file: str, text: bytes) -> None:
    storage = MemoryStorage()
    format_directory(storage)
    storage.close()
    storage.write(file, text)
    with pytest.raises(DirectoryRefused, match=r"newer version|another release"):
        format_directory(storage)


def test_a_directory_of_kafka_is_refused_with_advice_and_not_changed(tmp_path: Path) -> None:
    (tmp_path / "meta.properties").write_text("node.id=1\nversion=1\ncluster.id=hwahezxsQjWkZzV6v7dmLA\n")
    with pytest.raises(DirectoryRefused, match=f"was not written by tidemark.*serve --from {tmp_path}$"):
        format_directory(FileStorage(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["meta.properties"]


def test_a_second_process_on_the_same_directory_is_refused(tmp_path: Path) -> None:
    script = (
        "import sys; from tidemark.log.storage import FileStorage, DirectoryLocked\n"
        f"storage = FileStorage({str(tmp_path)!r})\n"
        "try: storage.lock()\n"
        "except DirectoryLocked as refused: sys.exit(f'refused: {refused}')\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}

    def other_process() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=False
        )

    storage = FileStorage(tmp_path)
    storage.lock()
    assert "refused: Failed to acquire lock on file .lock in" in other_process().stderr
    storage.close()
    assert other_process().returncode == 0


def test_memory_storage_can_be_locked_once() -> None:
    storage = MemoryStorage()
    storage.lock()
    with pytest.raises(DirectoryLocked):
        storage.lock()


@pytest.mark.parametrize("seed", range(30))
def test_a_managers_logs_survive_power_cuts(seed: int) -> None:
    storage = FaultyStorage(seed)
    expected: list[tuple[int, bytes | None]] = []
    for round_ in range(4):
        manager = a_manager(storage, segment_bytes=300)
        log = manager.create("orders", 0, TOPIC_ID)
        found = all_values(log)
        assert found[: len(expected)] == expected
        for n in range(round_ * 5 + seed % 7):
            log.append(a_batch(b"%d.%d" % (round_, n)), leader_epoch=0, now_ms=0)
        log.mark_synced(log.sync())
        expected = all_values(log)
        if seed % 3:
            manager.checkpoint()
        log.append(a_batch(b"unsynced"), leader_epoch=0, now_ms=0)
        storage.crash()


def test_ends_of_a_log_are_known_without_creating_it() -> None:
    storage = MemoryStorage()
    manager = a_manager(storage)
    manager.expect("orders", 0, TOPIC_ID)
    manager.create("orders", 1, TOPIC_ID).append(a_batch(b"a", b"b", b"c"), leader_epoch=0, now_ms=0)
    assert manager.ends("orders", 0) == (0, 0)
    assert manager.ends("orders", 1) == (0, 3)
    assert manager.ends("orders", 2) is None
    assert [log.partition for log in manager.logs()] == [1]


def test_traffic_of_a_recreated_topic_starts_at_zero() -> None:
    manager = a_manager(MemoryStorage())
    manager.create("orders", 0, TOPIC_ID)
    manager.traffic.of("orders").messages_in += 5
    manager.delete("orders", 0)
    assert manager.traffic.reading("messages_in") == {"": 5}


def test_the_sweep_keeps_unknown_directories_as_strays() -> None:
    storage = MemoryStorage()
    storage.make_directory("backup-2024")
    storage.write("backup-2024/notes.tmp", b"mine")
    manager = LogManager(storage, BrokerSettings(), VirtualClock(), lambda topic: LogSettings())
    manager.read_directory()
    ((directory, renamed),) = manager.sweep({})
    manager.recover()
    assert directory == "backup-2024"
    assert renamed.startswith("backup-2024.")
    assert renamed.endswith("-stray")
    assert storage.read(f"{renamed}/notes.tmp") == b"mine"
    assert a_manager(storage).sweep({}) == []
    assert storage.read(f"{renamed}/notes.tmp") == b"mine"


def test_a_second_stray_of_the_same_name_is_kept_beside_the_first() -> None:
    storage = MemoryStorage()
    for content in (b"first", b"second"):
        storage.make_directory("backup-2024")
        storage.write("backup-2024/notes", content)
        a_manager(storage).sweep({})
    found = {storage.read(f"{name}/notes") for name, size in storage.list() if size < 0}
    assert found == {b"first", b"second"}


@pytest.mark.parametrize("begun", [False, True])
def test_a_renamed_log_gets_its_name_back_if_its_deletion_was_not_durable(begun: bool) -> None:
    storage = MemoryStorage()
    manager = a_manager(storage, file_delete_delay_ms=0)
    manager.create("orders", 0, TOPIC_ID).append(a_batch(b"old"), leader_epoch=0, now_ms=0)
    new = manager.create("orders", 0, OTHER_ID)
    if begun:
        new.append(a_batch(b"new"), leader_epoch=0, now_ms=0)
    assert manager.take_deleted(2**62) == []
    again = a_manager(storage)
    again.sweep({("orders", 0): TOPIC_ID})
    log = again.get("orders", 0)
    assert log is not None
    assert (log.topic_id, all_values(log)) == (TOPIC_ID, [(0, b"old")])


def test_a_renamed_log_is_removed_once_its_deletion_is_durable() -> None:
    storage = MemoryStorage()
    manager = a_manager(storage, file_delete_delay_ms=0)
    manager.create("orders", 0, TOPIC_ID).append(a_batch(b"old"), leader_epoch=0, now_ms=0)
    new = manager.create("orders", 0, OTHER_ID)
    new.append(a_batch(b"new"), leader_epoch=0, now_ms=0)
    manager.delete_log_of("orders", 0, TOPIC_ID)
    manager.remove(manager.take_deleted(2**62))
    assert [name for name, size in storage.list() if size < 0] == ["orders-0"]
    assert manager.get("orders", 0) is new
