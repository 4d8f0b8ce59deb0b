"""The directory that Kafka 4.3.1 wrote, and the output of Kafka's tools for it.

Names and numbers in it are fixed; ids, member ids and times are in `truth()`.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

from tests.kafkas_directory import GOLDEN

FIXTURES: Final = Path(__file__).parent / "fixtures"


@cache
def truth() -> dict[str, Any]:
    """Return the output of Kafka's tools and APIs. All tests share it: do not modify it."""
    said: dict[str, Any] = json.loads(gzip.decompress((FIXTURES / "truth.json.gz").read_bytes()))
    return said


def dump() -> Iterator[dict[str, Any]]:
    """Return every record of `__consumer_offsets`; a batch without records is one line with `empty`."""
    return _lines(GOLDEN / "dump.jsonl.gz")


def metadata_dump() -> Iterator[dict[str, Any]]:
    """Return the dump of `__cluster_metadata`, `__transaction_state` and `__share_group_state`, see `log`."""
    return _lines(FIXTURES / "metadata.jsonl.gz")


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)
