"""The console consumer's output: Kafka's formatters, by class name, and JSON."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from typing import Any, Final

from tidemark_protocol.batch import NO_TIMESTAMP, LogRecord
from tidemark_protocol.java import java_double
from tidemark_tools.client.consumer import Consumed
from tidemark_tools.client.errors import Failed
from tidemark_tools.client_properties import truth_of

PACKAGE: Final = "org.apache.kafka.tools.consumer."
DEFAULT_FORMATTER: Final = f"{PACKAGE}DefaultMessageFormatter"
DESERIALIZERS_OF: Final = "org.apache.kafka.common.serialization."

Format = Callable[[Consumed], bytes]
Decode = Callable[[bytes], bytes]


class FormatError(Failed):
    """The formatter cannot print a record."""


class UnknownFormatter(Exception):
    """We do not have this formatter. The message is its name."""


def formatter(name: str, properties: Mapping[str, str]) -> Format:
    """Return the formatter for a class name of Kafka's. Raises UnknownFormatter."""
    match name.removeprefix(PACKAGE) if name.startswith(PACKAGE) else "":
        case "DefaultMessageFormatter" | "LoggingMessageFormatter":
            return _default(properties)
        case "NoOpMessageFormatter":
            return lambda consumed: b""
        case "OffsetsMessageFormatter":
            return _of_coordinator(lambda stored: _of_types(stored.GROUP_RECORDS, 0, 1))
        case "GroupMetadataMessageFormatter":
            return _of_coordinator(lambda stored: _of_types(stored.GROUP_RECORDS, 2))
        case "ShareGroupMessageFormatter":
            return _of_coordinator(lambda stored: _of_types(stored.GROUP_RECORDS, *range(10, 16)))
        case "group.share.ShareGroupStateMessageFormatter":
            return _of_coordinator(lambda stored: stored.SHARE_RECORDS)
        case "TransactionLogMessageFormatter":
            return _of_coordinator(lambda stored: stored.TRANSACTION_RECORDS)
    raise UnknownFormatter(name)


def _default(properties: Mapping[str, str]) -> Format:
    """Return Kafka's DefaultMessageFormatter. It ignores unknown properties."""
    separator = properties.get("key.separator", "\t").encode()
    line_end = properties.get("line.separator", "\n").encode()
    headers_separator = properties.get("headers.separator", ",").encode()
    null = properties.get("null.literal", "null").encode()
    decode_key = decoder(properties.get("key.deserializer"))
    decode_value = decoder(properties.get("value.deserializer"))
    decode_header = decoder(properties.get("headers.deserializer"))

    def timestamp(consumed: Consumed) -> bytes:
        kind = b"LogAppendTime" if consumed.append_time else b"CreateTime"
        return b"%s:%d" % (kind, consumed.record.timestamp)

    def shown(content: bytes | None, decode: Decode) -> bytes:
        return decode(null if content is None else content)

    def headers(record: LogRecord) -> bytes:
        each = [
            name.encode("utf-8", "surrogateescape") + b":" + shown(value, decode_header)
            for name, value in record.headers
        ]
        return headers_separator.join(each) or b"NO_HEADERS"

    def delivery(consumed: Consumed) -> bytes:
        count = consumed.delivery_count
        return b"Delivery:NOT_PRESENT" if count is None else b"Delivery:%d" % count

    parts: dict[str, Format] = {
        "timestamp": timestamp,
        "partition": lambda consumed: b"Partition:%d" % consumed.partition,
        "offset": lambda consumed: b"Offset:%d" % consumed.record.offset,
        "delivery": delivery,
        # Kafka's tool does not pass on the leader epoch of a record.
        "epoch": lambda consumed: b"Epoch:NOT_PRESENT",
        "headers": lambda consumed: headers(consumed.record),
        "key": lambda consumed: shown(consumed.record.key, decode_key),
        "value": lambda consumed: shown(consumed.record.value, decode_value),
    }
    printed = [
        part for name, part in parts.items() if truth_of(properties, f"print.{name}", str(name == "value"))
    ]
    # With all parts off, Kafka's formatter prints nothing, not even a line end.
    return lambda consumed: separator.join(part(consumed) for part in printed) + line_end if printed else b""


def decoder(name: str | None) -> Decode:
    """Return a function from content to printed bytes. An unknown deserializer is reported and ignored."""
    if name is None:
        return bytes
    found = _DECODERS.get(name.removeprefix(DESERIALIZERS_OF)) if name.startswith(DESERIALIZERS_OF) else None
    if found is None:
        import sys

        print(f"ERROR Unable to instantiate a deserializer from {name}", file=sys.stderr)
        return bytes
    return found


def _number(name: str, form: str, show: Callable[[Any], str] = str) -> Decode:
    layout = struct.Struct(form)

    def decode(content: bytes) -> bytes:
        if len(content) != layout.size:
            raise FormatError(f"Size of data received by {name} is not {layout.size}")
        return show(layout.unpack(content)[0]).encode()

    return decode


def _boolean(content: bytes) -> bytes:
    if len(content) != 1:
        raise FormatError("Size of data received by BooleanDeserializer is not 1")
    if content[0] > 1:
        raise FormatError(f"Unexpected byte received by BooleanDeserializer: {content[0]}")
    return b"true" if content[0] else b"false"


def _uuid(content: bytes) -> bytes:
    import uuid

    try:
        return str(uuid.UUID(content.decode())).encode()
    except ValueError:
        raise FormatError("Error parsing data into UUID") from None


_DECODERS: Final[dict[str, Decode]] = {
    "ByteArrayDeserializer": bytes,
    "ByteBufferDeserializer": bytes,
    "BytesDeserializer": bytes,
    "StringDeserializer": lambda content: content.decode("utf-8", "java").encode(),
    "ShortDeserializer": _number("ShortDeserializer", ">h"),
    "IntegerDeserializer": _number("IntegerDeserializer", ">i"),
    "LongDeserializer": _number("LongDeserializer", ">q"),
    "DoubleDeserializer": _number("DoubleDeserializer", ">d", java_double),
    "BooleanDeserializer": _boolean,
    "UUIDDeserializer": _uuid,
}


def _of_types(known: Mapping[int, str], *types: int) -> dict[int, str]:
    return {each: known[each] for each in types}


def _of_coordinator(types_of: Callable[[Any], Mapping[int, str]]) -> Format:
    """Format records as JSON, with nothing between two records; skip records of other types.

    types_of: returns the names of the types by key type, from the module stored_text.
    """
    from tidemark_protocol.kafka_json import text
    from tidemark_protocol.stored import UnknownRecordType
    from tidemark_protocol.wire import WireError
    from tidemark_tools.dump import stored_text

    types = types_of(stored_text)

    def result(consumed: Consumed) -> bytes:
        record = consumed.record
        if record.key is None:
            return b""
        try:
            stored = stored_text.read_stored(types, record.key, record.value)
        except UnknownRecordType:
            return b""
        except WireError as error:
            raise FormatError(f"Could not read record at offset {record.offset} due to: {error}") from None
        value = stored.value_json()
        said = {
            "key": {"type": stored.key_type, "data": stored.key_json()},
            "value": None if value is None else {"version": stored.value_version, "data": value},
        }
        return text(said).encode()

    return result


def as_json(consumed: Consumed) -> bytes:
    """Format a record as one line of JSON, with bytes as text (tidemark's own)."""
    import json

    record = consumed.record
    said = {
        "topic": consumed.topic,
        "partition": consumed.partition,
        "offset": record.offset,
        "timestamp": None if record.timestamp == NO_TIMESTAMP else record.timestamp,
        "timestamp_type": "LogAppendTime" if consumed.append_time else "CreateTime",
        "headers": [[name, _as_text(value)] for name, value in record.headers],
        "key": _as_text(record.key),
        "value": _as_text(record.value),
    }
    if consumed.delivery_count is not None:
        said["delivery_count"] = consumed.delivery_count
    return json.dumps(said, ensure_ascii=False).encode("utf-8", "surrogateescape") + b"\n"


def _as_text(content: bytes | None) -> str | None:
    return None if content is None else content.decode("utf-8", "java")
