"""What another release of Kafka than the usual one does differently: a file for each case.

The files are in a folder with the short name of the release. A case without a file is the same in both releases.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.kafka_oracle import KAFKA_VERSION, short_name


@dataclass(slots=True)
class Changed:
    """What the release does. because: a heading of docs/kafka-4.4.md."""

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
    """Write a file for each recorded case that differs from the usual release, and remove those of other cases.

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
