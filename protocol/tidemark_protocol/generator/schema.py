"""Reads schemas/*.json into messages, structs and fields, with Python names."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .versions import NONE, Versions

_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
CONTROLLERS = "schemas/controllers/"  # messages between brokers and controllers
_COMMENT = re.compile(r"^\s*//.*$", re.MULTILINE)


def snake(name: str) -> str:
    """Return a name in snake case: group_instance_id for GroupInstanceId."""
    return _WORDS.sub("_", name).lower()


@dataclass(slots=True)
class Field:
    name: str
    attribute: str
    kind: str  # int32, string, ...; "struct" with `struct` set
    array: bool
    struct: Struct | None
    versions: Versions
    nullable: Versions
    tagged: Versions
    tag: int
    default: Any
    never_flexible: bool


@dataclass(slots=True)
class Struct:
    name: str
    fields: list[Field]

    def same_as(self, other: Struct) -> bool:
        return self.name == other.name and self.fields == other.fields


@dataclass(slots=True)
class Message:
    name: str
    api_key: int
    type: str
    valid: Versions
    flexible: Versions
    struct: Struct
    path: str
    structs: dict[str, Struct] = field(default_factory=dict)

    @property
    def versions(self) -> range:
        return range(self.valid.low, self.valid.high + 1)

    @property
    def has_module(self) -> bool:
        return not self.path.startswith(CONTROLLERS)

    @property
    def module(self) -> str:
        """Return the module's name: messages.offset_commit, records.group_metadata."""
        name = self.name
        if self.type in ("request", "response"):
            return "messages." + snake(name.removesuffix("Request").removesuffix("Response"))
        if self.type == "header":
            return "messages." + snake(name)
        if self.type in ("coordinator-key", "coordinator-value"):
            return "records." + snake(name.removesuffix("Key").removesuffix("Value"))
        return "records." + snake(name)


def load(folder: Path) -> list[Message]:
    return [_message(path, folder) for path in sorted(folder.glob("*/*.json"))]


def _message(path: Path, folder: Path) -> Message:
    raw = json.loads(_COMMENT.sub("", path.read_text("utf-8")))
    message = Message(
        name=raw["name"],
        api_key=raw.get("apiKey", -1),
        type=raw["type"],
        valid=Versions.parse(raw["validVersions"]),
        flexible=Versions.parse(raw["flexibleVersions"]),
        struct=Struct(raw["name"], []),
        path=f"schemas/{path.relative_to(folder).as_posix()}",
    )
    message.struct.fields = [_field(item, message) for item in raw["fields"]]
    message.structs[message.name] = message.struct
    return message


def _field(raw: dict[str, Any], message: Message) -> Field:
    kind: str = raw["type"]
    array = kind.startswith("[]")
    kind = kind.removeprefix("[]")
    struct = None
    if "fields" in raw:
        struct = _nested(kind, [_field(item, message) for item in raw["fields"]], message)
        kind = "struct"
    return Field(
        name=raw["name"],
        attribute=snake(raw["name"]),
        kind=kind,
        array=array,
        struct=struct,
        versions=Versions.parse(raw["versions"]),
        nullable=Versions.parse(raw.get("nullableVersions")),
        tagged=Versions.parse(raw.get("taggedVersions")),
        tag=raw.get("tag", -1),
        default=_default(raw.get("default"), kind, array=array),
        never_flexible=Versions.parse(raw.get("flexibleVersions", "0+")) == NONE,
    )


def _nested(name: str, fields: list[Field], message: Message) -> Struct:
    """Return the struct of a field. A struct that a message defines several times is one class."""
    struct = Struct(name, fields)
    known = message.structs.get(name)
    if known is not None:
        assert known.same_as(struct), f"{message.name}: two different structs are called {name}"
        return known
    message.structs[name] = struct
    return struct


def _default(given: Any, kind: str, *, array: bool) -> Any:
    """Return a field's default. None is null. `...` makes `codec` build an empty array or struct."""
    if given == "null":
        return None
    if array or kind == "struct":
        return ...
    if kind == "bool":
        return str(given).lower() == "true"
    if kind == "float64":
        return float(given or 0)
    if kind == "string":
        return given or ""
    if kind in ("bytes", "records"):
        return b""
    if kind == "uuid":
        return bytes(16)
    return int(str(given or 0), 0)
