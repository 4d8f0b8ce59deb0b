"""Copy a directory that Apache Kafka wrote into a new data directory.

The original is only read, under its lock. Files that this broker may change are copied. Closed segments never
change, so they are linked if both directories are on one file system. Several directories, of one or more
nodes, become one: of several replicas of a partition the one with the longest history is copied.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tidemark.log.directory import FORMAT, META, DataDirectory, encode_format, encode_meta
from tidemark.log.errors import DirectoryRefused
from tidemark.log.found import METADATA, Found, Origin, choose, newest_ms, partitions_of
from tidemark.log.manager import CLEAN_MARK, CLEAN_SHUTDOWN
from tidemark.log.restore import BUILDING
from tidemark.log.storage import LOCK, is_locked_here
from tidemark.log.swap import SWAP_LIST
from tidemark_protocol.checkpoints import CheckpointCorrupt, Offsets, decode_offsets, encode_offsets
from tidemark_protocol.log_files import (
    CHECKPOINT,
    CLEANER_OFFSETS,
    INDEX,
    LEADER_EPOCHS,
    LOG,
    LOG_STARTS,
    PARTITION_METADATA,
    RECOVERY_POINTS,
    SEGMENT_SUFFIXES,
    SNAPSHOT,
    SWAP,
    TIME_INDEX,
    TopicPartition,
    directory_name,
    offset_of,
)


@dataclass(slots=True, frozen=True)
class Opening:
    """How a broker starts with directories that it did not write.

    held    time does not move and no timer runs until the broker is resumed
    at_ms   wall time at the start. None: the time of the newest record if held, else the host's time
    """

    origins: Sequence[Origin]
    held: bool = True
    at_ms: int | None = None


def take_over(origins: Sequence[Origin], target: Path, new_directory_id: bytes, now_ms: int) -> int | None:
    """Copy the originals into the target, which must be new or empty.

    Returns the time of the newest record that a broker has stamped, or None if there is none. Raises
    DirectoryRefused, also if a broker uses an original, and then leaves nothing in the target.
    """
    check_target(origins, target)
    made = not target.exists()
    with ExitStack() as locks:
        for origin in origins:
            locks.enter_context(_locked(origin.path))
        try:
            chosen = _fill(target, origins, new_directory_id, now_ms)
        except BaseException:
            _empty(target, remove=made)
            raise
        return newest_ms(chosen)


def check_target(origins: Sequence[Origin], target: Path) -> None:
    """Raise DirectoryRefused for a target that holds more than the unfinished copy of an earlier start."""
    for origin in origins:
        if target.resolve().is_relative_to(origin.path.resolve()):
            raise DirectoryRefused(f"{target} is inside {origin.path}, which is only read: choose another.")
    if target.exists() and any(each.name not in (BUILDING, LOCK) for each in target.iterdir()):
        raise DirectoryRefused(
            f"{target} is not empty: --from needs a new or empty directory. If it was created with --from, "
            f"start without --from."
        )


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold Kafka's lock, shared, so that no broker starts on the directory.

    A copied disk may have no lock.
    """
    in_use = DirectoryRefused(
        f"{path} is in use: a broker holds its {LOCK}. Stop it, or open a copy of the directory."
    )
    if is_locked_here(path):
        raise in_use
    try:
        descriptor = os.open(path / LOCK, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        yield
        return
    try:
        try:
            fcntl.lockf(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            raise in_use from None
        yield
    finally:
        os.close(descriptor)


def _empty(target: Path, *, remove: bool) -> None:
    if remove:
        shutil.rmtree(target, ignore_errors=True)
        return
    for path in target.iterdir():
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def _fill(
    target: Path, origins: Sequence[Origin], new_directory_id: bytes, now_ms: int
) -> dict[TopicPartition, Found]:
    partitions = partitions_of(origins)
    if METADATA not in partitions:
        raise DirectoryRefused(
            f"There is no {directory_name(*METADATA)} in {', '.join(str(each.path) for each in origins)}: it "
            "lists the topics. Pass the directory of metadata.log.dir with another --from."
        )
    chosen = choose(partitions)
    target.mkdir(parents=True, exist_ok=True)
    clean = all(origin.clean for origin in origins)
    checkpoints = {name: _merged(name, chosen) for name in (RECOVERY_POINTS, LOG_STARTS, CLEANER_OFFSETS)}
    points = checkpoints[RECOVERY_POINTS]
    for place, found in chosen.items():
        if not clean:
            points[place] = _recovery_point(found, points.get(place, 0))
        # No checkpoint names the metadata log: if it is unclean, every segment is recovered.
        sound_below = found.segments[-1][0] if clean and found.segments else points.get(place, 0)
        _take_partition(found, target / directory_name(*place), sound_below=sound_below)
    for name, offsets in checkpoints.items():
        (target / name).write_bytes(encode_offsets(offsets))
    if clean:
        (target / CLEAN_SHUTDOWN).write_bytes(CLEAN_MARK)
    first = origins[0]
    meta = DataDirectory(first.node_id, first.cluster_id, first.directory_id or new_directory_id, fresh=False)
    (target / META).write_bytes(encode_meta(meta, now_ms))
    (target / FORMAT).write_bytes(encode_format())  # last: half a copy is not a data directory
    return chosen


def _merged(name: str, chosen: dict[TopicPartition, Found]) -> Offsets:
    """Return the checkpointed offsets of the partitions, each from its own directory."""
    read: dict[Path, Offsets] = {}
    for found in chosen.values():
        root = found.origin.path
        if root not in read:
            try:
                read[root] = decode_offsets((root / name).read_bytes())
            except (FileNotFoundError, CheckpointCorrupt, ValueError):
                read[root] = {}
    return {
        place: read[found.origin.path][place]
        for place, found in chosen.items()
        if place in read[found.origin.path]
    }


def _recovery_point(found: Found, point: int) -> int:
    """Return the recovery point to start with. The last segment is always recovered, as in Kafka.

    If the directory was copied while its broker ran, the checkpoint may be newer than the logs.
    """
    return min(point, found.segments[-1][0]) if found.segments else 0


def _take_partition(found: Found, target: Path, *, sound_below: int) -> None:
    """Copy or link the segments. sound_below: segments up to this offset are known to be complete."""
    target.mkdir()
    names = sorted(each.name for each in found.path.iterdir() if each.is_file())
    swapping = any(name.endswith(SWAP) for name in names)
    following = [base for base, _ in found.segments[1:]]
    closed = {
        base
        for (base, _), end in zip(found.segments, following, strict=False)
        if end <= sound_below and not swapping
    }
    for name in names:
        if not _is_kept(name):
            continue
        segment = offset_of(name, LOG)
        if segment is not None and segment in closed:
            _link(found.path / name, target / name)
        elif not _is_built_anew(name, closed, clean=found.origin.clean):
            shutil.copyfile(found.path / name, target / name)


def _is_kept(name: str) -> bool:
    if name in (LEADER_EPOCHS, PARTITION_METADATA, SWAP_LIST):
        return True
    return name.removesuffix(SWAP).endswith((*SEGMENT_SUFFIXES, SNAPSHOT, CHECKPOINT))


def _is_built_anew(name: str, closed: set[int], *, clean: bool) -> bool:
    """Return whether this is an index that must be rebuilt.

    Kafka pads the indexes of a growing segment with zeros until a clean stop.
    """
    bases = (offset_of(name, INDEX), offset_of(name, TIME_INDEX))
    return not clean and any(base is not None and base not in closed for base in bases)


def _link(original: Path, target: Path) -> None:
    """Link a file, or copy it if we may not write to it: files are opened for reading and writing."""
    if os.access(original, os.W_OK):
        try:
            target.hardlink_to(original)
        except OSError:  # another file system, or one without links
            pass
        else:
            return
    shutil.copyfile(original, target)
