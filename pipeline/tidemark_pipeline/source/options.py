"""The options of `format("tidemark")`: parse the text that Spark passes."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, get_args

from tidemark_pipeline.model import OnError, PipelineError, ScanOptions, Transactions
from tidemark_pipeline.schemas import TABLES

Bounds = tuple[int, int | None]  # from, to (exclusive; None: to the end)

SCAN: Final = ("table", "verify_crc", "on_error", "transactions", "latest_only", "as_of")


@dataclass(slots=True, frozen=True)
class SourceOptions:
    """The options of the source.

    paths            at least one
    log_partitions   to read; None: all
    offsets          bounds of log partitions; others are read completely
    relation         names a DataFrame whose filters may prune, see pushdown.py; None: they may not

    For streams, see stream.py:
    max_offsets_per_trigger   None: no limit
    fail_on_data_loss
    """

    paths: tuple[str, ...]
    scan: ScanOptions = field(default_factory=ScanOptions)
    log_partitions: tuple[range, ...] | None = None
    offsets: Mapping[int, Bounds] = field(default_factory=dict)
    relation: str | None = None
    max_offsets_per_trigger: int | None = None
    fail_on_data_loss: bool = True

    def reads(self, log_partition: int) -> bool:
        return self.log_partitions is None or any(log_partition in part for part in self.log_partitions)


def source_options(given: Mapping[str, str]) -> SourceOptions:
    """Parse the options. Raises PipelineError: unknown option, invalid value, or no path."""
    values = {name.lower(): _value(name, text) for name, text in given.items()}
    paths = values.get("paths") or values.get("path")
    if not paths:
        raise PipelineError("option path is missing: name the directory to read")
    scan: dict[str, Any] = {name: values[name] for name in SCAN if name in values}
    _check(values)
    scan["as_of_ms"] = scan.pop("as_of", None)
    return SourceOptions(
        paths=paths,
        scan=ScanOptions(groups=values.get("group", frozenset()), **scan),
        log_partitions=values.get("log_partitions"),
        offsets=values.get("offsets", {}),
        relation=values.get("relation") or None,
        max_offsets_per_trigger=values.get("maxoffsetspertrigger"),
        fail_on_data_loss=values.get("failondataloss", True),
    )


def _check(values: Mapping[str, Any]) -> None:
    table = values.get("table", "offsets")
    if "group" in values and "group" not in TABLES[table].names:
        raise PipelineError(f"option group: table {table} has no column group; use log_partitions")


def option_text(name: str, value: object) -> str:
    """Return the text that `source_options` parses to this value."""
    if isinstance(value, bool):
        return str(value).lower()
    if name == "group":
        return json.dumps([value] if isinstance(value, str) else sorted(value))  # type: ignore[call-overload]
    return json.dumps(value) if isinstance(value, Mapping) else str(value)


def _value(name: str, text: str) -> Any:
    read = READERS.get(name.lower())
    if read is None:
        close = difflib.get_close_matches(name, OPTIONS, n=1)
        meant = f", did you mean {close[0]}?" if close else ""
        raise PipelineError(f"unknown option {name}{meant} (options: {', '.join(OPTIONS)})")
    try:
        return read(text)
    except _NotThis as wanted:
        raise PipelineError(f"option {name}: {text!r} is not {wanted}") from None


class _NotThis(Exception):
    """The expected form of the text."""


def _path(text: str) -> tuple[str, ...]:
    return (text,) if text else ()


def _paths(text: str) -> tuple[str, ...]:
    return tuple(_strings(text, "a JSON array of paths"))


def _group(text: str) -> frozenset[str]:
    """Parse one name, or several as a JSON array. A name that begins with `[` must be in an array."""
    if not text.startswith("["):
        return frozenset({text})
    names = frozenset(_strings(text, "the name of a group or a JSON array of names"))
    if not names:
        raise _NotThis("a JSON array with a name in it")
    return names


def _strings(text: str, wanted: str) -> list[str]:
    read = _json(text, wanted)
    if not isinstance(read, list) or not all(isinstance(item, str) for item in read):
        raise _NotThis(wanted)
    return read


def _json(text: str, wanted: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        raise _NotThis(wanted) from None


def _log_partitions(text: str) -> tuple[range, ...]:
    return tuple(_numbers(part.strip()) for part in text.split(","))


def _numbers(part: str) -> range:
    found = re.fullmatch(r"(\d{1,10})(?:-(\d{1,10}))?", part, re.ASCII)
    if found is None:
        raise _NotThis("log partitions such as 0,3-5")
    first, last = int(found[1]), int(found[2] or found[1])
    if last < first:
        raise _NotThis("log partitions such as 0,3-5")
    return range(first, last + 1)


def _offsets(text: str) -> dict[int, Bounds]:
    wanted = 'JSON such as {"3": [from, to]}, with null for no bound'
    read = _json(text, wanted)
    if not isinstance(read, dict):
        raise _NotThis(wanted)
    return {_log_partition(key, wanted): _bounds(value, wanted) for key, value in read.items()}


def _log_partition(key: str, wanted: str) -> int:
    if not re.fullmatch(r"\d{1,10}", key, re.ASCII):
        raise _NotThis(wanted)
    return int(key)


def _bounds(value: Any, wanted: str) -> Bounds:
    if not isinstance(value, list) or len(value) != 2 or not all(_is_bound(bound) for bound in value):
        raise _NotThis(wanted)
    first, end = value[0] or 0, value[1]
    if end is not None and end < first:
        raise _NotThis(wanted)
    return first, end


def _is_bound(value: object) -> bool:
    return value is None or (isinstance(value, int) and not isinstance(value, bool) and value >= 0)


def _milliseconds(text: str) -> int:
    if not re.fullmatch(r"-?\d{1,19}", text, re.ASCII):
        raise _NotThis("a time in milliseconds since 1970")
    return int(text)


def _count(text: str) -> int:
    if not re.fullmatch(r"[1-9]\d{0,18}", text, re.ASCII):
        raise _NotThis("a number from 1 on")
    return int(text)


def _one_of(*values: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text.lower() not in values:
            raise _NotThis(" or ".join(values))
        return text.lower()

    return read


def _boolean(text: str) -> bool:
    return _one_of("true", "false")(text) == "true"


OPTIONS: Final[dict[str, Callable[[str], Any]]] = {
    "path": _path,
    "paths": _paths,
    "table": _one_of(*TABLES),
    "verify_crc": _boolean,
    "on_error": _one_of(*get_args(OnError)),
    "transactions": _one_of(*get_args(Transactions)),
    "latest_only": _boolean,
    "as_of": _milliseconds,
    "group": _group,
    "log_partitions": _log_partitions,
    "offsets": _offsets,
    "maxOffsetsPerTrigger": _count,
    "failOnDataLoss": _boolean,
}
READERS: Final[dict[str, Callable[[str], Any]]] = {
    "relation": str,
    **{name.lower(): read for name, read in OPTIONS.items()},
}
