"""The data directory as a whole: lock, meta.properties, format. SIGNATURES; the body follows within minutes."""

from __future__ import annotations

from dataclasses import dataclass

from tidemark.log.storage import Storage


class DirectoryRefused(Exception):
    """This data directory is not for us; the text says why."""


@dataclass(slots=True, frozen=True)
class DataDirectory:
    """meta.properties: node.id, cluster.id and directory.id (16 bytes). fresh: formatted by this start."""

    node_id: int
    cluster_id: str
    directory_id: bytes
    fresh: bool


def open_directory(
    storage: Storage, *, node_id: int, cluster_id: str, directory_id: bytes, now_ms: int
) -> DataDirectory:
    """Locks the directory and reads what it says; a fresh one is formatted with the given ids.

    Raises DirectoryLocked, or DirectoryRefused for another node's directory and for one that a newer version wrote.
    """
    raise NotImplementedError
