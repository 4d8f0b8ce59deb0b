"""Writes requests from the schemas, so that any part of them can be replaced by other bytes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from struct import pack
from typing import Any, Final

from tidemark_protocol.generator.schema import Field, Message, Struct
from tidemark_protocol.wire import write_uvarint

NUMBERS: Final = {
    "bool": ">?", "int8": ">b", "int16": ">h", "uint16": ">H", "int32": ">i", "uint32": ">I", "int64": ">q",
    "float64": ">d",
}  # fmt: skip
NOTHING: Final[Mapping[str, bytes]] = {}


class Writer:
    """The requests of one version. A path names a field: "Topics.Partitions", or "Groups[]" for an element.

    value(field, path) gives the value of a field; of an array its elements, where None is null, () is empty,
    and of structs anything else is one element; of a struct that may be null, None is null. Fields with a tag
    are not written.
    """

    def __init__(self, message: Message, version: int, value: Callable[[Field, str], Any]) -> None:
        self._message = message
        self._version = version
        self._value = value
        self._replaced = NOTHING
        self._tags = NOTHING
        self.flexible = version in message.flexible

    def body(self, replaced: Mapping[str, bytes] = NOTHING, tags: Mapping[str, bytes] = NOTHING) -> bytes:
        """Encode the request.

        replaced: encoded fields by path. tags: tag sections of structs by path; "" is the body.
        """
        self._replaced, self._tags = replaced, tags
        return self._struct(self._message.struct, "")

    def element(
        self,
        array: Field,
        path: str,
        replaced: Mapping[str, bytes] = NOTHING,
        tags: Mapping[str, bytes] = NOTHING,
    ) -> bytes:
        """Encode one element of the array at that path."""
        self._replaced, self._tags = replaced, tags
        if array.struct is not None:
            return self._struct(array.struct, path)
        encoded = replaced.get(path + "[]")
        return self.scalar(array, self._first(array, path)) if encoded is None else encoded

    def array(self, array: Field, elements: list[bytes]) -> bytes:
        return self._count(array, len(elements)) + b"".join(elements)

    def null(self, array: Field) -> bytes:
        return self._count(array, -1)

    def scalar(self, field: Field, value: Any) -> bytes:
        if field.kind in NUMBERS:
            return pack(NUMBERS[field.kind], value)
        if field.kind == "uuid":
            return bytes(value)
        data = None if value is None else value.encode() if isinstance(value, str) else bytes(value)
        size = -1 if data is None else len(data)
        if self.flexible and not field.never_flexible:
            return uvarint(size + 1) + (data or b"")
        return pack(">h" if field.kind == "string" else ">i", size) + (data or b"")

    def empty(self, field: Field) -> bytes:
        """Return the shortest encoding that is not null."""
        return self.array(field, []) if field.array else self.scalar(field, empty(field))

    def fields(self, struct: Struct | None) -> list[Field]:
        """Return the fields without a tag."""
        found = [] if struct is None else struct.fields
        return [each for each in found if self._version in each.versions and self._version not in each.tagged]

    def tagged(self, struct: Struct) -> list[Field]:
        version = self._version
        return [each for each in struct.fields if version in each.versions and version in each.tagged]

    def nullable(self, field: Field) -> bool:
        return self._version in field.nullable

    def _struct(self, struct: Struct, path: str) -> bytes:
        out = bytearray()
        for each in self.fields(struct):
            out += self._field(each, f"{path}.{each.name}" if path else each.name)
        if self.flexible:
            out += self._tags.get(path, b"\0")
        return bytes(out)

    def _field(self, field: Field, path: str) -> bytes:
        encoded = self._replaced.get(path)
        if encoded is not None:
            return encoded
        if field.array:
            return self._array(field, path)
        if field.struct is not None:
            if not self.nullable(field):
                return self._struct(field.struct, path)
            return b"\xff" if self._value(field, path) is None else b"\x01" + self._struct(field.struct, path)
        return self.scalar(field, self._value(field, path))

    def _array(self, field: Field, path: str) -> bytes:
        value = self._value(field, path)
        filled = any(f"{inner}.".startswith(f"{path}.") for inner in (*self._replaced, *self._tags))
        if value is None and self.nullable(field) and not filled:
            return self.null(field)
        if field.struct is not None:
            return self.array(field, [] if value == () and not filled else [self._struct(field.struct, path)])
        return self.array(field, [self.scalar(field, each) for each in value or ()])

    def _first(self, array: Field, path: str) -> Any:
        value = self._value(array, path)
        return value[0] if value else empty(array)

    def _count(self, field: Field, count: int) -> bytes:
        return uvarint(count + 1) if self.flexible and not field.never_flexible else pack(">i", count)


def uvarint(value: int) -> bytes:
    out = bytearray()
    write_uvarint(out, value)
    return bytes(out)


def empty(field: Field) -> Any:
    """Return the shortest value of a field or element."""
    return {"string": "", "bytes": b"", "records": b"", "uuid": bytes(16)}.get(field.kind, 0)
