"""`python -m tidemark_pipeline.package OUT.zip`: build the zip for `spark-submit --py-files`.

Spark's workers import from a `.zip`, but ignore a wheel. The cluster needs numpy, pyarrow, crc32c, cramjam
and msgspec installed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PACKAGES: Final = ("pyspark_tidemark", "tidemark_pipeline", "tidemark_expiry", "tidemark_protocol")
_READABLE: Final = 0o644 << 16


def write_zip(path: Path) -> None:
    """Write the zip. The same sources give the same bytes."""
    with ZipFile(path, "w", ZIP_DEFLATED) as made:
        for name, file in sorted(_files()):
            entry = ZipInfo(name)
            entry.compress_type = ZIP_DEFLATED
            entry.external_attr = _READABLE
            made.writestr(entry, file.read_bytes())


def send(spark: SparkSession) -> None:
    """Send this package to the workers of the session's cluster, or to its Spark Connect server.

    Sending it again changes nothing.
    """
    with tempfile.TemporaryDirectory(prefix="tidemark-") as place:
        zipped = Path(place, "tidemark.zip")
        write_zip(zipped)
        # A session refuses another file of the same name, but accepts the same file again.
        named = zipped.rename(Path(place, f"tidemark-{zlib.crc32(zipped.read_bytes()):08x}.zip"))
        spark.addArtifacts(str(named), pyfile=True)
        sys.path[:] = [entry for entry in sys.path if entry != str(named)]  # added by Spark Connect's client


def _files() -> Iterator[tuple[str, Path]]:
    for package in PACKAGES:
        spec = find_spec(package)
        assert spec is not None and spec.submodule_search_locations, f"{package} is not installed"
        root = Path(spec.submodule_search_locations[0])
        for file in root.rglob("*"):
            if file.is_file() and file.suffix != ".pyc":
                yield f"{package}/{file.relative_to(root).as_posix()}", file


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tidemark_pipeline.package", description=__doc__)
    parser.add_argument("out", type=Path, metavar="OUT.zip")
    out: Path = parser.parse_args(arguments).out
    if out.suffix != ".zip":
        parser.error(f"{out}: the name must end in .zip, because Spark's workers import from nothing else")
    try:
        write_zip(out)
    except OSError as error:
        parser.exit(1, f"{out}: {error.strerror}\n")


if __name__ == "__main__":
    main()
