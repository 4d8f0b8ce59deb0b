"""The data directory: its lock, its identity (meta.properties) and the version of its format.

meta.properties is Kafka's. `tidemark.properties` is ours: it has the number of the format that we write, so
that an older version does not touch a directory of a newer one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from tidemark.late_dataclass import dataclass
from tidemark.log import restore
from tidemark.log.errors import DirectoryRefused
from tidemark.log.storage import Storage
from tidemark_protocol.checkpoints import CheckpointCorrupt, uuid_bytes, uuid_text
from tidemark_protocol.log_files import TIDEMARK_PROPERTIES

META: Final = "meta.properties"
META_VERSION: Final = "1"
FORMAT: Final = TIDEMARK_PROPERTIES
FORMAT_VERSION: Final = 1


@dataclass(slots=True, frozen=True)
class DataDirectory:
    """meta.properties: node.id, cluster.id and directory.id (16 bytes).

    fresh: this start has formatted the directory. restored: this start has finished a restore that a kill had
    interrupted.
    """

    node_id: int
    cluster_id: str
    directory_id: bytes
    fresh: bool
    restored: bool = False


def open_directory(
    storage: Storage, *, node_id: int, cluster_id: str, directory_id: bytes, now_ms: int
) -> DataDirectory:
    """Lock the directory and read its identity. Format a new one with the given ids.

    An interrupted restore of a snapshot is finished first. Raises DirectoryLocked. Raises DirectoryRefused
    for a directory of another node, of a newer version or of another broker.
    """
    restored = restore.is_interrupted(storage)
    if not restored:
        _refuse_foreign(storage)
    storage.lock()
    try:
        if restored:
            restore.finish(storage)
        _check_format(storage)
        if storage.exists(META):
            return replace(_read_meta(storage, node_id), restored=restored)
        fresh = DataDirectory(node_id, cluster_id, directory_id, fresh=True)
        storage.write(META, encode_meta(fresh, now_ms))
        return fresh
    except BaseException:
        storage.close()
        raise


def read_origin(where: str, properties: dict[str, str]) -> tuple[int, str, bytes | None]:
    """Return node.id, cluster.id and directory.id of a KRaft node. Before Kafka 3.7 there was no
    directory.id.

    Raises DirectoryRefused.
    """
    if properties.get("version") == "0" or "node.id" not in properties:
        raise DirectoryRefused(
            f"{where} was written by a broker that uses ZooKeeper, which stores the list of topics. "
            f"tidemark opens only directories that Kafka 3.3 or later wrote in KRaft mode."
        )
    node_id, cluster_id = properties["node.id"], properties.get("cluster.id", "")
    if properties.get("version") != META_VERSION or not node_id.isdigit() or not cluster_id:
        raise DirectoryRefused(
            f"{where}/{META} is not valid: {where} is not a log directory of Kafka 3.3 or later."
        )
    try:
        return int(node_id), cluster_id, uuid_bytes(properties.get("directory.id", ""))
    except CheckpointCorrupt:
        return int(node_id), cluster_id, None


def _check_format(storage: Storage) -> None:
    if not storage.exists(FORMAT):
        storage.write(FORMAT, encode_format())
        return
    written = read_properties(storage.read(FORMAT)).get("tidemark.version", "")
    if not written.isdigit() or int(written) > FORMAT_VERSION:
        raise DirectoryRefused(
            f"This data directory was written by a newer version of tidemark (format {written or 'unknown'}; "
            f"this version reads up to {FORMAT_VERSION}). Start that version, or use another directory."
        )


def _refuse_foreign(storage: Storage) -> None:
    """Refuse a directory that another broker wrote: opening it would change it. `--from` opens a copy."""
    if storage.exists(restore.BUILDING) and not storage.exists(META):
        raise DirectoryRefused(
            f"{storage.real_path('') or 'This directory'} holds an unfinished copy: tidemark serve --from "
            f"was killed. Start with the same --from again, or remove the directory."
        )
    if storage.exists(META) and not storage.exists(FORMAT):
        where = storage.real_path("") or "this directory"
        raise DirectoryRefused(
            f"{where} was not written by tidemark, and serving it would change it. To serve a copy of it: "
            f"tidemark serve --from {where}"
        )


def encode_format() -> bytes:
    return f"tidemark.version={FORMAT_VERSION}\n".encode()


def _read_meta(storage: Storage, node_id: int) -> DataDirectory:
    properties = read_properties(storage.read(META))
    version = properties.get("version", "")
    if version != META_VERSION:
        raise DirectoryRefused(
            f"{META} has version {version or 'none'}, this version reads version {META_VERSION}: the data "
            f"directory was written by another release."
        )
    stored_node_id = properties.get("node.id", "")
    if stored_node_id != str(node_id):
        raise DirectoryRefused(
            f"Stored node id {stored_node_id} doesn't match previous node id {node_id} in {META}. If you "
            f"moved your data, make sure your configured node id matches."
        )
    cluster_id = properties.get("cluster.id", "")
    if not cluster_id:
        raise DirectoryRefused(f"{META} has no cluster.id")
    try:
        directory_id = uuid_bytes(properties.get("directory.id", ""))
    except CheckpointCorrupt:
        raise DirectoryRefused(f"{META} has no valid directory.id") from None
    return DataDirectory(node_id, cluster_id, directory_id, fresh=False)


def encode_meta(meta: DataDirectory, now_ms: int) -> bytes:
    from datetime import UTC, datetime  # only a new directory needs it

    written = datetime.fromtimestamp(now_ms / 1000, tz=UTC)
    lines = (
        "#",
        written.strftime("#%a %b %d %H:%M:%S UTC %Y"),
        f"cluster.id={meta.cluster_id}",
        f"version={META_VERSION}",
        f"directory.id={uuid_text(meta.directory_id)}",
        f"node.id={meta.node_id}",
    )
    return "".join(f"{line}\n" for line in lines).encode()


def read_properties(data: bytes) -> dict[str, str]:
    """Parse the part of Java's properties format that these files use: name=value, comments after # or !."""
    found: dict[str, str] = {}
    for line in data.decode("utf-8", "replace").splitlines():
        text = line.strip()
        if text and text[0] not in "#!":
            name, _, value = text.partition("=")
            found[name.strip()] = value.strip()
    return found
