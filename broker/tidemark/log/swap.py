"""Putting a compacted segment in the place of those that it was made of, so that a crash at any point does no
harm.

The child leaves `<base>.log.cleaned` with its indexes. `tidemark.swap` names the base and the segments that
it replaces; once it is there the swap happens, now or at the next start. In between the files are called
`.swap`, as Kafka does, so that Kafka could finish it too. Without the list (a directory that Kafka left in
the middle) Kafka's rule holds: a `.log.swap` is whole, and replaces what begins within its offsets.
"""

from __future__ import annotations

from typing import Final

from tidemark.log.scan import walk_headers
from tidemark.log.segment import CLEANED, LOG, SEGMENT_SUFFIXES, SWAP, file_name
from tidemark.log.storage import Storage

SWAP_LIST: Final = "tidemark.swap"
_VERSION: Final = "0"


def begin_swap(storage: Storage, directory: str, base_offset: int, replaced: list[int]) -> None:
    """The point of no return: all that follows can be repeated."""
    lines = [_VERSION, *(str(base) for base in [base_offset, *replaced])]
    storage.write(f"{directory}/{SWAP_LIST}", "".join(f"{line}\n" for line in lines).encode())


def finish_swap(storage: Storage, directory: str) -> None:
    """Renames and removes until the new segment stands alone. May be called again after a crash anywhere in
    it.
    """
    names = {name for name, _ in storage.list(directory)}
    if SWAP_LIST in names:
        base_offset, *replaced = _read_list(storage, directory)
        _swap(storage, directory, base_offset, replaced, names)
        storage.sync_directory(directory)
        storage.remove(f"{directory}/{SWAP_LIST}")
        return
    for name in sorted(names):
        if name.endswith(LOG + SWAP):
            base_offset = int(name[: -len(LOG + SWAP)])
            _swap(storage, directory, base_offset, _covered(storage, directory, base_offset, names), names)
    for name in names:
        if name.endswith(SWAP):
            storage.remove(f"{directory}/{name}")
    storage.sync_directory(directory)


def _read_list(storage: Storage, directory: str) -> list[int]:
    version, *bases = storage.read(f"{directory}/{SWAP_LIST}").decode().split()
    assert version == _VERSION, f"{directory}/{SWAP_LIST} has version {version}"
    return [int(base) for base in bases]


def _swap(storage: Storage, directory: str, base_offset: int, replaced: list[int], names: set[str]) -> None:
    for suffix in SEGMENT_SUFFIXES:
        cleaned = file_name(base_offset, suffix + CLEANED)
        if cleaned in names:
            storage.rename(
                f"{directory}/{cleaned}", f"{directory}/{file_name(base_offset, suffix + SWAP)}", sync=False
            )
            names.add(file_name(base_offset, suffix + SWAP))
    if file_name(base_offset, LOG + SWAP) in names:
        # The old indexes go before the new log takes the name: a missing index is built again, a wrong one
        # misleads.
        for suffix in SEGMENT_SUFFIXES[1:]:
            storage.remove(f"{directory}/{file_name(base_offset, suffix)}")
    for base in replaced:
        if base != base_offset:
            for suffix in SEGMENT_SUFFIXES:
                storage.remove(f"{directory}/{file_name(base, suffix)}")
    for suffix in SEGMENT_SUFFIXES:
        swapped = file_name(base_offset, suffix + SWAP)
        if swapped in names:
            storage.rename(
                f"{directory}/{swapped}", f"{directory}/{file_name(base_offset, suffix)}", sync=False
            )
            names.discard(swapped)


def _covered(storage: Storage, directory: str, base_offset: int, names: set[str]) -> list[int]:
    path = f"{directory}/{file_name(base_offset, LOG + SWAP)}"
    file = storage.open(path)
    end = base_offset
    for _, header in walk_headers(file, 0, file.size):
        end = header.next_offset
    file.close()
    bases = [int(name[: -len(LOG)]) for name in names if name.endswith(LOG)]
    return [base for base in bases if base_offset <= base < end]
