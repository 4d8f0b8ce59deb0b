"""Putting compacted segments in the place of those that they were made of, so that a crash at any point does
no harm.

The child leaves `<base>.log.cleaned` with its indexes, synced. `tidemark.swap` then names, a line for each
new segment, its base and those that it replaces: once the list is there the swap happens, now or at the next
start. In between the files are called `.swap`, as Kafka does, so that Kafka could finish it too. Without the
list (a directory that Kafka left in the middle) Kafka's rule holds: a `.log.swap` is whole, and replaces what
begins within its offsets.
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
    """The point of no return: all that follows can be repeated. In a group, the new base comes first."""
    lines = [_VERSION, *(" ".join(str(base) for base in group) for group in groups)]
    storage.write(f"{directory}/{SWAP_LIST}", "".join(f"{line}\n" for line in lines).encode())


def rename_swapped(storage: Storage, directory: str, group: list[int]) -> None:
    """The new segment of a group stands alone afterwards. Not synced; may be repeated."""
    base_offset = group[0]

    def path(suffix: str, base: int = base_offset) -> str:
        return f"{directory}/{file_name(base, suffix)}"

    for suffix in SEGMENT_SUFFIXES:
        if storage.exists(path(suffix + CLEANED)):
            storage.rename(path(suffix + CLEANED), path(suffix + SWAP), sync=False)
    if storage.exists(path(LOG + SWAP)):
        # The old indexes go before the new log takes the name: a missing index is built again, a wrong one
        # misleads.
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

    A list that a power cut brings back would put the files of the next, unfinished compaction in place.
    """
    storage.sync_directory(directory)
    storage.remove(f"{directory}/{SWAP_LIST}")
    storage.sync_directory(directory)


def finish_swap(storage: Storage, directory: str) -> None:
    """At start: whatever swap was under way is finished."""
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
    """Raises CorruptLog: what was under way cannot be finished."""
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
