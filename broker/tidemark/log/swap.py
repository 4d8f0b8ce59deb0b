"""Replace segments by compacted ones. A crash at any point does no harm.

The child process leaves `<base>.log.cleaned` with its indexes, synced. Then `tidemark.swap` lists the base
offset of each new segment and those that it replaces, in one line each. Once the list exists, the swap is
completed, now or at the next start. Meanwhile the files are named `.swap`, as in Kafka, so that Kafka could
finish the swap too. Without the list, in a directory of Kafka, its rule applies: a `.log.swap` is complete,
and replaces the segments that begin within its offsets.
"""

from __future__ import annotations

from typing import Final

from tidemark.log.errors import BadBatch, CorruptLog
from tidemark.log.scan import walk_headers
from tidemark.log.storage import Storage
from tidemark_protocol.log_files import CLEANED, LOG, SEGMENT_SUFFIXES, SWAP, file_name, offset_of

SWAP_LIST: Final = "tidemark.swap"
_VERSION: Final = "0"


def begin_swap(storage: Storage, directory: str, groups: list[list[int]]) -> None:
    """Write the list. Every later step can be repeated. In each line the new base offset is first."""
    lines = [_VERSION, *(" ".join(str(base) for base in group) for group in groups)]
    storage.write(f"{directory}/{SWAP_LIST}", "".join(f"{line}\n" for line in lines).encode())


def rename_swapped(storage: Storage, directory: str, group: list[int]) -> None:
    """Replace the segments of one line by the new one. Not synced; may be repeated."""
    base_offset = group[0]

    def path(suffix: str, base: int = base_offset) -> str:
        return f"{directory}/{file_name(base, suffix)}"

    for suffix in SEGMENT_SUFFIXES:
        if storage.exists(path(suffix + CLEANED)):
            storage.rename(path(suffix + CLEANED), path(suffix + SWAP), sync=False)
    if storage.exists(path(LOG + SWAP)):
        # Remove the old indexes before the new log gets the name: a missing index is rebuilt, a wrong one is
        # used.
        for suffix in SEGMENT_SUFFIXES[1:]:
            storage.remove(path(suffix))
    for base in group[1:]:
        for suffix in SEGMENT_SUFFIXES:
            storage.remove(path(suffix, base))
    for suffix in SEGMENT_SUFFIXES:
        if storage.exists(path(suffix + SWAP)):
            storage.rename(path(suffix + SWAP), path(suffix), sync=False)


def end_swap(storage: Storage, directory: str) -> None:
    """Make the new names durable, then the removal of the list.

    Otherwise a power cut could restore the list, which would apply to files of an unfinished compaction.
    """
    storage.sync_directory(directory)
    storage.remove(f"{directory}/{SWAP_LIST}")
    storage.sync_directory(directory)


def finish_swap(storage: Storage, directory: str) -> None:
    """Finish an interrupted swap, at a start."""
    names = {name for name, _ in storage.list(directory)}
    if SWAP_LIST in names:
        for group in _read_list(storage, directory):
            rename_swapped(storage, directory, group)
        end_swap(storage, directory)
        return
    for name in sorted(names):
        if name.endswith(LOG + SWAP):
            base_offset = offset_of(name, LOG + SWAP)
            if base_offset is not None:
                covered = _covered(storage, directory, base_offset, names)
                rename_swapped(storage, directory, [base_offset, *covered])
    for name in names:
        if name.endswith(SWAP):
            storage.remove(f"{directory}/{name}")
    storage.sync_directory(directory)


def _read_list(storage: Storage, directory: str) -> list[list[int]]:
    """Return the groups of the list. Raises CorruptLog if it is damaged: the swap cannot be finished."""
    path = f"{directory}/{SWAP_LIST}"
    try:
        version, *lines = storage.read(path).decode().splitlines()
        if version == _VERSION:
            return [[int(base) for base in line.split()] for line in lines]
    except ValueError:
        version = "none"
    raise CorruptLog(path, 0, f"version {version}")


def _covered(storage: Storage, directory: str, base_offset: int, names: set[str]) -> list[int]:
    path = f"{directory}/{file_name(base_offset, LOG + SWAP)}"
    file = storage.open(path)
    end = base_offset
    try:
        for _, header in walk_headers(file, 0, file.size):
            end = header.next_offset
    except BadBatch as bad:
        raise CorruptLog(path, bad.position, bad.reason) from None
    finally:
        file.close()
    bases = (offset_of(name, LOG) for name in names)
    return [base for base in bases if base is not None and base_offset < base < end]
