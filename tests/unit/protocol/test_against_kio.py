"""The same messages through kio, another codec generated from the same definitions.

kio has Kafka 4.3's messages between clients and brokers, and a few stored ones: 625 of our 752 versions.
Values are compared field by field, with kio's dates and durations converted to the numbers on the wire.
"""

from __future__ import annotations

import datetime as dt
import enum
import importlib
import io
import uuid
from dataclasses import fields, is_dataclass
from typing import Any

import pytest
from kio.serial import entity_reader, entity_writer
from msgspec import Struct

import tidemark_protocol
from tests.unit.protocol.any_message import MESSAGES, modest
from tests.unit.protocol.not_in_kafka import NEW_IN_4_4, NOT_RELEASED, REMOVED
from tidemark_protocol.generator.schema import snake

EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
MILLISECOND = dt.timedelta(milliseconds=1)
# kio has the names of Kafka 4.3.
RENAMED = {"acceptablerecoverylag": "acceptablerecoverylaglegacy"}


def kio_class(name: str, version: int) -> Any | None:
    stem, _, end = snake(name).rpartition("_")
    if end == "header":
        stem = snake(name)
    elif end not in ("request", "response"):
        stem, end = snake(name), "data"
    try:
        return getattr(importlib.import_module(f"kio.schema.{stem}.v{version}.{end}"), name)
    except ModuleNotFoundError:
        return None


def plain(value: Any) -> Any:
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, (tuple, list)):
        return [plain(item) for item in value]
    if isinstance(value, dt.timedelta):
        return value // MILLISECOND
    if isinstance(value, dt.datetime):
        return (value - EPOCH) // MILLISECOND
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, uuid.UUID):
        return value.bytes.hex()
    return bytes(value).hex() if isinstance(value, (bytes, memoryview)) else value


def attribute(message: Struct, name: str) -> Any:
    """Return the field of that name. kio omits the unit of durations and splits some words differently.

    Our decoder returns None for a tagged struct with default values only, which is not written.
    """
    by_letters = {field[1].replace("_", ""): field for field in message.FIELDS}
    letters = name.replace("_", "")
    letters = RENAMED.get(letters, letters)
    _, attribute, kind, inner = by_letters.get(letters) or by_letters[f"{letters}ms"]
    value = getattr(message, attribute)
    return inner() if value is None and kind == "tagged struct" else value


def ours(value: Any, theirs: Any) -> Any:
    """Return our object in kio's form, with the fields that kio has."""
    if isinstance(value, Struct) and isinstance(theirs, dict):
        return {name: ours(attribute(value, name), inner) for name, inner in theirs.items()}
    if isinstance(value, list) and isinstance(theirs, list) and len(value) == len(theirs):
        return [ours(item, other) for item, other in zip(value, theirs, strict=True)]
    if theirs is None and value == tidemark_protocol.ZERO_UUID:
        return None  # kio reads the zero uuid as none
    return bytes(value).hex() if isinstance(value, (bytes, memoryview)) else value


def compare(name: str, version: int, count: int) -> None:
    theirs = kio_class(name, version)
    if theirs is None:
        return
    read, write = entity_reader(theirs), entity_writer(theirs)
    for value in modest(name, version, count):
        message = tidemark_protocol.from_dict(name, value)
        encoded = tidemark_protocol.encode(name, version, message)
        found, pos = read(encoded, 0)
        assert pos == len(encoded)
        form = plain(found)
        assert ours(tidemark_protocol.decode(name, version, encoded), form) == form
        written = io.BytesIO()
        write(written, found)
        assert written.getvalue() == encoded


@pytest.mark.parametrize(
    "name", ["OffsetCommitRequest", "FetchResponse", "JoinGroupResponse", "MetadataResponse"]
)
def test_kio_reads_and_writes_the_same(name: str) -> None:
    for version in MESSAGES[name].versions:
        compare(name, version, count=3)


@pytest.mark.slow
@pytest.mark.parametrize("name", MESSAGES)
def test_kio_reads_and_writes_the_same_in_every_version(name: str) -> None:
    for version in MESSAGES[name].versions:
        compare(name, version, count=15)


@pytest.mark.slow
def test_kio_lacks_known_versions_only() -> None:
    spoken = [m for m in MESSAGES.values() if m.type in ("request", "response", "header")]
    lacking = {
        (m.name, version) for m in spoken for version in m.versions if kio_class(m.name, version) is None
    }
    assert lacking == NOT_RELEASED | NEW_IN_4_4 | REMOVED
