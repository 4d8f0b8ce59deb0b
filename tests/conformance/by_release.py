"""Cases that another release of Kafka than the usual one answers differently.

Each has a file, in a folder with the short name of the release. A case without a file is the same in both.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.kafka_oracle import KAFKA_VERSION, USUAL, short_name

GOLDEN: Final = Path(__file__).parents[1] / "golden"
PAGE: Final = (Path(__file__).parents[2] / "docs" / "kafka-4.4.md").read_text("utf-8")
# What `--as 4.4` does as Kafka 4.4 does. The page also has what it does not do yet.
HELD: Final[list[str]] = re.findall("^### (.+)$", PAGE.partition("## Not in")[0], re.MULTILINE)

# The cases that a release cannot record. They depend on what it changed, and do not end there.
# docs/kafka-4.4.md has the same names.
NOT_RECORDED: Final = {
    "4.4": {
        "acls_more_than_a_request_may_create": "CreateAcls needs longer than a client waits",
        "acls_that_are_odd_but_valid": "CreateAcls refuses hosts that are neither an address nor *",
        "delegation_token_that_has_expired": "a connection is served after its token has expired",
        "scram_credentials_are_described": "the mechanisms of a user are in another order",
    }
}


@dataclass(slots=True)
class Changed:
    """A case of that release. because: a heading of docs/kafka-4.4.md."""

    because: str
    responses: Any


def changed(folder: Path, version: str = KAFKA_VERSION) -> dict[str, Changed]:
    """Return the cases in which this version of Kafka differs from the usual one."""
    files = sorted((folder / short_name(version)).glob("*.json"))
    return {path.stem: Changed(**json.loads(path.read_text())) for path in files}


def write_changed(
    folder: Path,
    usual: Mapping[str, Any],
    recorded: Mapping[str, Any],
    text: Callable[[Any], str],
    version: str = KAFKA_VERSION,
) -> list[str]:
    """Write a file for each recorded case that differs from the usual release, and remove other files.

    A new file has no reason yet, which a test demands. text: formats a case as JSON.

    Returns the cases that are new or changed.
    """
    before = changed(folder, version)
    different: list[str] = []
    for name, found in recorded.items():
        path = folder / short_name(version) / f"{name}.json"
        if found == usual.get(name):
            path.unlink(missing_ok=True)
            continue
        because = before[name].because if name in before else ""
        if name not in before or found != before[name].responses:
            different.append(name)
        path.parent.mkdir(exist_ok=True)
        path.write_text(f'{{\n "because": {json.dumps(because)},\n "responses": {text(found)}\n}}\n')
    return different


def golden(name: str, version: str = KAFKA_VERSION) -> Path:
    """Return the file of tests/golden with what this version printed: its own, or that of the usual one."""
    own = GOLDEN / short_name(version) / name
    return own if own.exists() else GOLDEN / name


def write_golden(name: str, printed: bytes) -> str:
    """Write what this version of Kafka printed, compressed, unless the usual one printed the same.

    Returns a sentence about it.
    """
    usual = GOLDEN / name
    path = usual if KAFKA_VERSION == USUAL else GOLDEN / short_name(KAFKA_VERSION) / name
    if path != usual and usual.exists() and gzip.decompress(usual.read_bytes()) == printed:
        path.unlink(missing_ok=True)
        return f"{name}: the same as of {USUAL}"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(gzip.compress(printed, 9, mtime=0))
    return f"recorded {path}"
