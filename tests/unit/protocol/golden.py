"""The golden files, and other files of the same form that TIDEMARK_VECTORS and TIDEMARK_BATCHES name."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

GOLDEN: Final = Path(__file__).parents[2] / "golden"
NEW_VECTORS: Final = GOLDEN / "4.4" / "vectors.jsonl"  # of the versions that Kafka 4.4 added
# Fields that have another name in Kafka 4.3.1, of which the other vectors are.
RENAMED: Final = {
    ("StreamsGroupHeartbeatResponse", 0): {"AcceptableRecoveryLag": "AcceptableRecoveryLagLegacy"},
}
UNKNOWN_TAGS: Final = "_unknownTaggedFields"

Line = dict[str, Any]


def vectors() -> dict[str, list[Line]]:
    """Return the vectors by message name."""
    found: dict[str, list[Line]] = defaultdict(list)
    for line in _lines("vectors.jsonl", "TIDEMARK_VECTORS"):
        names = RENAMED.get((line["message"], line["version"]), {})
        line["value"] = {names.get(name, name): inner for name, inner in line["value"].items()}
        found[line["message"]].append(line)
    with NEW_VECTORS.open(encoding="utf-8") as file:
        for line in map(json.loads, file):
            found[line["message"]].append(line)
    return dict(sorted(found.items()))


def batches() -> list[Line]:
    return list(_lines("record_batches.jsonl", "TIDEMARK_BATCHES"))


def _lines(name: str, variable: str) -> Iterator[Line]:
    for path in (GOLDEN / name, *(Path(p) for p in os.environ.get(variable, "").split(":") if p)):
        with path.open(encoding="utf-8") as file:
            yield from map(json.loads, file)


def body(vector: Line) -> bytes:
    """Return the encoded message, without the version that precedes it in a log."""
    data = bytes.fromhex(vector["hex"])
    return data[2:] if vector.get("prefix") else data


def without_unknown_tags(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: without_unknown_tags(inner) for name, inner in value.items() if name != UNKNOWN_TAGS}
    if isinstance(value, list):
        return [without_unknown_tags(inner) for inner in value]
    return value


def has_unknown_tags(value: Any) -> bool:
    if isinstance(value, dict):
        return UNKNOWN_TAGS in value or any(map(has_unknown_tags, value.values()))
    return isinstance(value, list) and any(map(has_unknown_tags, value))


def only_fields_of(expected: Any, decoded: Any) -> Any:
    """Return decoded without the fields of other versions, which expected does not have."""
    if isinstance(expected, dict) and isinstance(decoded, dict):
        return {name: only_fields_of(inner, decoded[name]) for name, inner in expected.items()}
    if isinstance(expected, list) and isinstance(decoded, list) and len(expected) == len(decoded):
        return [only_fields_of(inner, found) for inner, found in zip(expected, decoded, strict=True)]
    return decoded
