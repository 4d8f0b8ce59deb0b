"""CRC-32C, the checksum of record batches, from the extension module of the `crc32c` package."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from importlib.machinery import PathFinder
from typing import Any, Final


def _extension() -> Any:
    """Import the extension without its package.

    The package reads its own version with importlib.metadata, which imports email, csv and zipfile. That took
    5 % of the start of a broker.
    """
    package = importlib.util.find_spec("crc32c")
    spec = (
        PathFinder.find_spec("_crc32c", package.submodule_search_locations) if package is not None else None
    )
    if spec is None or spec.loader is None:  # another release of the package
        return importlib.import_module("crc32c")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# (bytes-like data, checksum of the bytes before them) -> checksum
crc32c: Final[Callable[..., int]] = _extension().crc32c
