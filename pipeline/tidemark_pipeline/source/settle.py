"""Clean up a directory that a streaming query wrote, so that it has only the files that `_spark_metadata`
lists.

A killed query leaves the files of its unfinished micro-batch, and writes those rows again when it continues.
Spark reads only the files that the log of the sink, `_spark_metadata`, lists; every other engine reads all
files. Nothing is deleted: unlisted files move to `_orphans`, which engines ignore.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from pyarrow import fs

from tidemark_pipeline.logs.files import file_system, told
from tidemark_pipeline.model import PipelineError

SINK_LOG: Final = "_spark_metadata"
ORPHANS: Final = "_orphans"
_VERSION: Final = "v1"
_COMPACT: Final = ".compact"


@dataclass(slots=True, frozen=True)
class Settled:
    """The number of listed files, and of files of unfinished micro-batches."""

    files: int
    orphans: int


@dataclass(slots=True, frozen=True)
class _Directory:
    """A path and its file system."""

    file_system: Any
    path: str

    def at(self, name: str) -> str:
        return f"{self.path}/{name}"

    def files(self) -> dict[str, int]:
        """Return the size of each file by its relative name."""
        selector = fs.FileSelector(self.path, allow_not_found=True, recursive=True)
        found = self.file_system.get_file_info(selector)
        return {file.path[len(self.path) + 1 :]: file.size for file in found if file.is_file}

    def read(self, name: str) -> bytes:
        with self.file_system.open_input_stream(self.at(name)) as stream:
            return bytes(stream.read())

    def move(self, name: str, to: str) -> None:
        self.file_system.create_dir(self.at(to).rpartition("/")[0], recursive=True)
        self.file_system.move(self.at(name), self.at(to))


def settle(directory: str, out: str | None = None) -> Settled:
    """Clean up in place, or copy to out, which may only have files of an earlier settle.

    It may be repeated at any time, also after a kill. In place, no query may run meanwhile; if one did,
    another settle moves its files back. Raises PipelineError: no streaming query wrote the directory, or a
    listed file is missing.
    """
    with told(directory):
        return _settled(directory, out)


def _settled(directory: str, out: str | None) -> Settled:
    source = _opened(directory)
    present = source.files()
    wanted = {
        _found(uri, size, present, directory) for uri, size in _named(source, present, directory).items()
    }
    others = [name for name in present if _is_data(name) and name not in wanted]
    if out is None:
        _put_aside(source, present, others)
        _bring_back(source, present, wanted)
    else:
        _copy(source, _opened(out), {name: present[name] for name in wanted}, out)
    return Settled(len(wanted), len(others))


def _opened(path: str) -> _Directory:
    system, inner = file_system(path)
    return _Directory(system, inner.rstrip("/"))


def _is_data(name: str) -> bool:
    """Return whether other engines read the file: they ignore names that begin with _ or a dot."""
    return not any(part.startswith(("_", ".")) for part in name.split("/"))


def _named(source: _Directory, present: Mapping[str, int], directory: str) -> dict[str, int]:
    """Return the URIs and sizes of the files of all finished micro-batches."""
    named: dict[str, int] = {}
    for name in _sink_log(present, directory):
        content = source.read(f"{SINK_LOG}/{name}")
        for action, path, size in _entries(content, f"{directory}/{SINK_LOG}/{name}"):
            if action == "add":
                named[path] = size
            else:
                named.pop(path, None)
    return named


def _entries(data: bytes, where: str) -> list[tuple[str, str, int]]:
    """Return action, URI and size of the entries of a file of the sink's log."""
    try:
        version, *lines = data.decode().splitlines()
        if version == _VERSION:
            return [(entry["action"], entry["path"], entry["size"]) for entry in map(json.loads, lines)]
    except (ValueError, KeyError, TypeError):
        raise PipelineError(f"{where} cannot be read: it is not a log of Spark's file sink") from None
    raise PipelineError(f"{where} is of version {version}, not {_VERSION}")


def _sink_log(present: Mapping[str, int], directory: str) -> list[str]:
    """Return the files of the sink's log that list everything: the last compact one, and those after it."""
    names = [name.removeprefix(f"{SINK_LOG}/") for name in present if name.startswith(f"{SINK_LOG}/")]
    compact = {int(name.removesuffix(_COMPACT)) for name in names if name.removesuffix(_COMPACT).isdecimal()}
    single = {int(name) for name in names if name.isdecimal()}
    compact -= single
    if not single and not compact:
        raise PipelineError(f"{directory}: no streaming query wrote here (there is no {SINK_LOG} in it)")
    first = max(compact, default=-1)
    after = range(first + 1, max(single | {first}) + 1)
    for missing in set(after) - single:
        raise PipelineError(f"{directory}/{SINK_LOG}: the file of micro-batch {missing} is missing")
    return [f"{first}{_COMPACT}"] * bool(compact) + [str(batch) for batch in after]


def _found(uri: str, size: int, present: Mapping[str, int], directory: str) -> str:
    """Return the relative name of the file that a sink's log lists by its whole URI.

    The directory may have been moved. Names of files are unique, so the longest existing end of the path is
    it.
    """
    for name in _endings(uri):
        for here in (name, f"{ORPHANS}/{name}"):
            if present.get(here) == size:
                return name
    raise PipelineError(f"{directory}: {uri} is not there with its {size} bytes, though {SINK_LOG} names it")


def _endings(uri: str) -> Iterator[str]:
    parts = PurePosixPath(unquote(urlsplit(uri).path)).parts
    return ("/".join(parts[start:]) for start in range(1, len(parts)))


def _put_aside(source: _Directory, present: Mapping[str, int], names: Iterable[str]) -> None:
    for name in names:
        for each in _with_checksum(name, present):
            source.move(each, f"{ORPHANS}/{each}")


def _bring_back(source: _Directory, present: Mapping[str, int], wanted: Iterable[str]) -> None:
    """Move files back that an earlier settle moved while their micro-batch was running."""
    for name in wanted:
        if name not in present:
            for each in _with_checksum(f"{ORPHANS}/{name}", present):
                source.move(each, each.removeprefix(f"{ORPHANS}/"))


def _with_checksum(name: str, present: Mapping[str, int]) -> list[str]:
    """Return the file and its checksum file: Hadoop refuses a local file that does not match it."""
    folder, slash, last = name.rpartition("/")
    beside = f"{folder}{slash}.{last}.crc"
    return [name, beside] if beside in present else [name]


def _copy(source: _Directory, out: _Directory, wanted: Mapping[str, int], path: str) -> None:
    there = out.files()
    for name in set(there) - set(wanted):
        raise PipelineError(f"{path}: {name} exists already; settle needs an empty directory, or its own")
    out.file_system.create_dir(out.path, recursive=True)
    for name, size in wanted.items():
        if there.get(name) != size:
            out.file_system.create_dir(out.at(name).rpartition("/")[0], recursive=True)
            fs.copy_files(
                source.at(name),
                out.at(name),
                source_filesystem=source.file_system,
                destination_filesystem=out.file_system,
            )
