"""Storage for tests: one in memory, and one that loses data, tears writes and fails by seed."""

from __future__ import annotations

import errno
from collections.abc import Iterable
from random import Random  # noqa: TID251  the test's seed chooses the faults
from typing import Final

from tidemark.log.errors import OutOfDescriptors
from tidemark.log.storage import Buffer, DirectoryLocked, StoredFile

KEEP_DESCRIPTORS: Final = 3  # files that were used last


class ProcessKilled(BaseException):
    """The process is killed during an operation on its disk. No code of the broker catches this."""


class _Node:
    """The content of a file, independent of its name. durable: the part that survives any crash."""

    __slots__ = ("content", "durable", "modified_ms")

    def __init__(self) -> None:
        self.content = bytearray()
        self.durable = b""
        self.modified_ms = 0


class _Change:
    """The changes of one call to the names in one directory. A crash keeps all or none of them."""

    __slots__ = ("directory", "names")

    def __init__(self, directory: str, names: dict[str, _Node | None]) -> None:
        self.directory = directory
        self.names = names

    def apply(self, names: dict[str, _Node]) -> None:
        for path, node in self.names.items():
            if node is None:
                names.pop(path, None)
            else:
                names[path] = node


class _MemoryFile:
    __slots__ = ("_node", "_storage", "closed")

    def __init__(self, storage: MemoryStorage, node: _Node) -> None:
        self._storage = storage
        self._node = node
        self.closed = False

    @property
    def size(self) -> int:
        return len(self._node.content)

    def append(self, data: Buffer) -> None:
        assert not self.closed
        self._storage.using(self)
        taken, ending = self._storage.appending(data)
        self._node.content += taken
        self._node.modified_ms = self._storage.now_ms
        if ending is not None:
            raise ending

    def pread(self, size: int, position: int) -> bytes:
        assert not self.closed
        self._storage.using(self)
        return bytes(self._node.content[position : position + size])

    def sync(self) -> None:
        if not self.closed:
            self._storage.using(self)
            self._storage.about_to("sync")
            self._node.durable = bytes(self._node.content)

    def truncate(self, size: int) -> None:
        assert not self.closed
        self._storage.using(self)
        del self._node.content[size:]
        self._node.content += bytes(size - len(self._node.content))

    def close(self) -> None:
        self.closed = True


class MemoryStorage:
    """A data directory in memory. To reopen it, pass the same object to a new LogManager."""

    def __init__(self) -> None:
        self.now_ms = 0
        self._nodes: dict[str, _Node] = {}
        self._durable_names: dict[str, _Node] = {}
        self._pending: list[_Change] = []  # changes of names that are not synced yet, in order
        self._directories: set[str] = {""}
        self._files: list[_MemoryFile] = []
        self._locked = False

    def about_to(self, operation: str) -> None:
        """Called before each operation. A subclass raises OSError to make it fail."""

    def using(self, file: _MemoryFile) -> None:
        """Called before each operation on an open file. A subclass raises OutOfDescriptors."""

    def appending(self, data: Buffer) -> tuple[Buffer, BaseException | None]:
        """Return the part of data that reaches the file, and the exception to raise afterwards, if any."""
        self.about_to("append")
        return data, None

    def lock(self) -> None:
        if self._locked:
            raise DirectoryLocked("another process uses this data directory")
        self._locked = True

    def close(self) -> None:
        self._locked = False

    def open(self, path: str, *, create: bool = False) -> StoredFile:
        self.about_to("open")
        node = self._nodes.get(path)
        if node is None:
            if not create or _parent(path) not in self._directories:
                raise FileNotFoundError(errno.ENOENT, "no such file", path)
            self.about_to("name")
            node = _Node()
            node.modified_ms = self.now_ms
            self._change(_parent(path), {path: node})
        file = _MemoryFile(self, node)
        self._files.append(file)
        return file

    def read(self, path: str) -> bytes:
        self.about_to("open")
        try:
            return bytes(self._nodes[path].content)
        except KeyError:
            raise FileNotFoundError(errno.ENOENT, "no such file", path) from None

    def write(self, path: str, data: bytes, *, sync: bool = True) -> None:
        if _parent(path) not in self._directories:
            raise FileNotFoundError(errno.ENOENT, "no such directory", path)
        self.about_to("open")
        self.about_to("write")
        node = _Node()
        node.content += data
        node.modified_ms = self.now_ms
        if sync:
            node.durable = bytes(data)
        self._change(_parent(path), {path: node})
        if sync:
            self._commit(_parent(path))

    def list(self, directory: str = "") -> list[tuple[str, int]]:
        prefix = f"{directory}/" if directory else ""
        found = {
            path[len(prefix) :]: len(node.content)
            for path, node in self._nodes.items()
            if path.startswith(prefix) and "/" not in path[len(prefix) :]
        }
        for name in self._directories:
            if name and name.startswith(prefix) and "/" not in name[len(prefix) :] and name != directory:
                found[name[len(prefix) :]] = -1
        return sorted(found.items())

    def directories(self, directory: str = "") -> tuple[str, ...]:
        return tuple(name for name, size in self.list(directory) if size < 0)

    def exists(self, path: str) -> bool:
        return path in self._nodes or path in self._directories

    def size(self, path: str) -> int:
        return len(self._nodes[path].content)

    def modified_ms(self, path: str) -> int:
        return self._nodes[path].modified_ms

    def make_directory(self, path: str, *, sync: bool = True) -> None:
        self.about_to("name")
        while path:
            self._directories.add(path)
            path = _parent(path)

    def rename(self, old: str, new: str, *, sync: bool = True) -> None:
        self.about_to("name")
        if old in self._directories:
            self._rename_directory(old, new)
            return
        if old not in self._nodes:
            raise FileNotFoundError(errno.ENOENT, "no such file", old)
        self._change(_parent(new), {old: None, new: self._nodes[old]})
        if sync:
            self.sync_directory(_parent(new))

    def _rename_directory(self, old: str, new: str) -> None:
        if self.list(new):
            raise OSError(errno.ENOTEMPTY, "directory not empty", new)
        self._commit_below(old)
        for path in _below(old, self._directories):
            self._directories.remove(path)
            self._directories.add(new + path[len(old) :])
        for names in (self._nodes, self._durable_names):
            for path in _below(old, names):
                names[new + path[len(old) :]] = names.pop(path)

    def copy(
        self, old: str, new: str, *, link: bool = False, size: int | None = None, sync: bool = True
    ) -> None:
        self.write(new, self.read(old)[:size], sync=False)
        if sync:
            self.about_to("sync")
            self._nodes[new].durable = bytes(self._nodes[new].content)

    def remove(self, path: str) -> None:
        if path in self._nodes:
            self.about_to("name")
            self._change(_parent(path), {path: None})

    def remove_directory(self, path: str) -> None:
        """Remove one file after the other, as on a disk: a kill may leave some of them."""
        self._commit_below(path)
        for name in _below(path, self._nodes):
            self.about_to("name")
            del self._nodes[name]
            self._durable_names.pop(name, None)
        for name in reversed(_below(path, self._directories)):
            self.about_to("name")
            self._directories.remove(name)

    def sync_directory(self, path: str = "") -> None:
        self.about_to("open")
        self.about_to("sync")
        self._commit(path)

    def _change(self, directory: str, names: dict[str, _Node | None]) -> None:
        change = _Change(directory, names)
        change.apply(self._nodes)
        self._pending.append(change)

    def _commit(self, directory: str) -> None:
        for change in self._pending:
            if change.directory == directory:
                change.apply(self._durable_names)
        self._pending = [change for change in self._pending if change.directory != directory]

    def _commit_below(self, path: str) -> None:
        for directory in _below(path, self._directories):
            self._commit(directory)

    def real_path(self, path: str) -> str | None:
        return None

    def space(self) -> tuple[int, int]:
        return -1, -1


class FaultyStorage(MemoryStorage):
    """Storage that loses unsynced data in a crash, tears the last append, or fails an operation, by seed.

    fail_next: {"append" | "sync" | "write" | "name" | "open": how many of these still succeed}. The next one
    fails with EIO; with stays_broken all later ones do, too, until the process ends. "name" is any other
    change: a file or directory is created, renamed or removed. "open" opens or reads a file.
    descriptors_left: False while the process has no descriptor left. Half of all operations that need one
    then raise OutOfDescriptors, because other threads give theirs back. The files used last keep theirs.
    has_failed: an operation has failed with EIO since the process began
    die_after: how many operations of any kind still succeed. The next one kills the process (dead), and later
    ones raise ProcessKilled until `crash` or `kill`.
    """

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._random = Random(seed)  # noqa: S311
        self.fail_next: dict[str, int] = {}
        self.stays_broken = False
        self.has_failed = False
        self.descriptors_left = True
        self._used_last: list[_MemoryFile] = []
        self.die_after: int | None = None
        self.dead = False

    def about_to(self, operation: str) -> None:
        if self.die_after is not None and not self.dead:
            self.die_after -= 1
            self.dead = self.die_after < 0
        if self.dead:
            raise ProcessKilled(operation)
        if operation == "open":
            self._needs_descriptor()
        left = self.fail_next.get(operation)
        if left is None:
            return
        if left == 0:
            if not self.stays_broken:
                del self.fail_next[operation]
            self.has_failed = True
            raise OSError(errno.EIO, f"the disk failed at this {operation}")
        self.fail_next[operation] = left - 1

    def open(self, path: str, *, create: bool = False) -> StoredFile:
        file = super().open(path, create=create)
        assert isinstance(file, _MemoryFile)
        self._was_used(file)
        return file

    def using(self, file: _MemoryFile) -> None:
        if file not in self._used_last:
            self._needs_descriptor()
        self._was_used(file)

    def _was_used(self, file: _MemoryFile) -> None:
        self._used_last = [*(each for each in self._used_last if each is not file), file][-KEEP_DESCRIPTORS:]

    def _needs_descriptor(self) -> None:
        if not self.descriptors_left and self._random.random() < 0.5:
            raise OutOfDescriptors(OSError(errno.EMFILE, "too many open files"))

    def appending(self, data: Buffer) -> tuple[Buffer, BaseException | None]:
        """Return all data, or after a kill a random part of it: a killed write may be incomplete."""
        was_dead = self.dead
        try:
            return super().appending(data)
        except ProcessKilled as killed:
            kept = 0 if was_dead else self._random.randint(0, len(data))
            return data[:kept], killed

    def crash(self) -> None:
        """Simulate a power failure: a random part of the unsynced data survives. The process ends, too."""
        self._process_ends()
        # A journaling file system keeps changes of names in order: a prefix of them survives.
        names = dict(self._durable_names)
        for change in self._pending[: self._random.randint(0, len(self._pending))]:
            change.apply(names)
        self._pending.clear()
        for node in {id(node): node for node in names.values()}.values():
            node.content = bytearray(self._surviving_content(node))
            node.durable = bytes(node.content)
        self._nodes = names
        self._durable_names = dict(names)

    def kill(self) -> None:
        """Simulate a kill of the process: everything that it has written survives."""
        self._process_ends()

    def _process_ends(self) -> None:
        for file in self._files:
            file.closed = True
        self._files.clear()
        self._used_last.clear()
        self._locked = False
        self.fail_next.clear()
        self.stays_broken = self.has_failed = False
        self.descriptors_left = True
        self.die_after = None
        self.dead = False

    def _surviving_content(self, node: _Node) -> bytes:
        content, durable = bytes(node.content), node.durable
        if content == durable:
            return content
        if not content.startswith(durable):
            return self._random.choice((content, durable))
        unsynced = content[len(durable) :]
        kept = unsynced[: self._random.randint(0, len(unsynced))]
        if kept and self._random.random() < 0.25:  # the length reached the disk, the bytes did not
            lost = self._random.randint(1, len(kept))
            kept = kept[:-lost] + bytes(lost)
        return durable + kept


def _below(path: str, names: Iterable[str]) -> list[str]:
    """Return the names that are the path or lie below it, each directory before its content."""
    return sorted(name for name in names if name == path or name.startswith(f"{path}/"))


def _parent(path: str) -> str:
    return path.rpartition("/")[0]
