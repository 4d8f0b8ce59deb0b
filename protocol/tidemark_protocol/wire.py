"""The primitives of Kafka's wire format, for the generated codecs.

Codecs decode in place: from a buffer that may hold several frames, a position, and the end of the frame. At
the end of the buffer, a slice is short and a fixed field raises. Every decoder finally compares position and
end, which detects both, so that no field needs a check of its own. A count is compared with the remaining
bytes before anything is built from it.
"""

from __future__ import annotations

import codecs
import re
import struct
import threading
from collections.abc import Callable
from typing import Any, Final

ZERO_UUID: Final = bytes(16)
ENCODED_SURROGATE: Final = rb"\xed[\xa0-\xbf][\x80-\xbf]?"
MALFORMED: Final = b"\xff"  # malformed everywhere, and never part of a longer sequence

Bytes = bytes | memoryview
# (buf, pos, end) -> (message, pos). Decoders of requests also accept `left`: see TooManyElements.
Decoder = Callable[..., tuple[Any, int]]
Encoder = Callable[[bytearray, Any], None]
UNBOUNDED: Final = 1 << 60
TAG_COUNT_MAX: Final = 10_000  # of one section, in Kafka 4.4


class WireError(ValueError):
    """The bytes are not a valid message, or the message cannot be encoded."""


class LengthError(WireError):
    """A length in the bytes is null, negative or larger than what is left. Kafka distinguishes this."""


class TooManyElements(WireError):
    """A request has more array elements and tagged fields than its decoder may build, which is `left`."""


class TagCountError(WireError):
    """A number of tagged fields is negative or above TAG_COUNT_MAX. Kafka reads both before 4.4."""


# Has any_tag_count while this thread reads a request again, with any number of tagged fields.
_reading: Final[Any] = threading.local()


def _as_java_reads(error: UnicodeError) -> tuple[str, int]:
    """Decode the rest of a string, with one replacement character for each malformed sequence.

    To Java, an encoded surrogate is one malformed sequence; to Python, two or three. The rest is decoded at
    once, because a call for each malformed byte needs 20 ms for 32 KB.
    """
    assert isinstance(error, UnicodeDecodeError)
    rest = re.sub(ENCODED_SURROGATE, MALFORMED, error.object[error.start :])
    return rest.decode("utf-8", "replace"), len(error.object)


codecs.register_error("java", _as_java_reads)


def java_long(value: int) -> int:
    """Return a sum or difference as a long of Java: wrapped at 64 bits, signed."""
    return (value + 2**63) % 2**64 - 2**63


def read_uvarint(buf: bytes, pos: int) -> tuple[int, int]:
    """Read an unsigned varint of at most five bytes, as the signed 32-bit number that Java reads.

    Only 2^31 stays positive, because the length that it stands for, one less, is positive in Java too.
    """
    value = buf[pos]
    pos += 1
    if value < 128:
        return value, pos
    value &= 127
    shift = 7
    while True:
        byte = buf[pos]
        pos += 1
        value |= (byte & 127) << shift
        if byte < 128:
            value &= 0xFFFFFFFF
            return (value if value <= 0x80000000 else value - 0x100000000), pos
        shift += 7
        if shift > 28:
            raise WireError("varint of more than five bytes")


def read_length(buf: bytes, pos: int) -> tuple[int, int]:
    """Read a compact length or count of more than one byte: one less than the stored number. -1 is null."""
    second = buf[pos + 1]
    if second < 128:
        return (buf[pos] & 127 | second << 7) - 1, pos + 2
    value, pos = read_uvarint(buf, pos)
    return value - 1, pos


def read_text_length(buf: bytes, pos: int, field: str) -> tuple[int, int]:
    """Read a string's compact length of more than one byte. Raises WireError above an int16."""
    second = buf[pos + 1]
    if second < 128:
        return (buf[pos] & 127 | second << 7) - 1, pos + 2
    value, pos = read_uvarint(buf, pos)
    if value > TEXT_MAX + 1:
        raise too_long(field, value - 1)
    return value - 1, pos


def write_text_length(out: bytearray, value: int, field: str) -> None:
    """Write the compact length of a string, value - 1. Raises WireError if it does not fit in an int16."""
    if value > TEXT_MAX + 1:
        raise too_long(field, value - 1)
    write_uvarint(out, value)


def write_uvarint(out: bytearray, value: int) -> None:
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)


def skip_tags(buf: bytes, pos: int, end: int) -> int:
    """Skip a section of unknown tagged fields."""
    return skip_tags_within(buf, pos, end, UNBOUNDED)[0]


def skip_tags_within(buf: bytes, pos: int, end: int, left: int) -> tuple[int, int]:
    """Skip the section like `skip_tags`. Return the position, and `left` less the number of fields.

    Raises TooManyElements if there are more than `left`.
    """
    count, pos = read_tag_count(buf, pos, end)
    if count > left:
        raise too_many()
    for _ in range(count):
        _, pos = read_uvarint(buf, pos)
        pos = skip_tag(buf, pos, end)
    return pos, left - count


def read_tag_count(buf: bytes, pos: int, end: int) -> tuple[int, int]:
    """Read the number of tagged fields in a section. Raises TagCountError, or LengthError."""
    count = buf[pos]
    if count < 128:
        pos += 1
    else:
        count, pos = read_uvarint(buf, pos)
        if not 0 <= count <= TAG_COUNT_MAX:
            if not hasattr(_reading, "any_tag_count"):
                raise TagCountError(f"{count} tagged fields, 0 to {TAG_COUNT_MAX} are allowed")
            count = max(count, 0)
    if count > end - pos:
        check_count(count, pos, end)
    return count, pos


def with_any_tag_count(read: Callable[..., Any]) -> Callable[..., Any]:
    """Return `read`, as Kafka reads before 4.4: a negative number of tagged fields means none.

    Any other call costs one frame more.
    """

    def read_again(*args: Any) -> Any:
        try:
            return read(*args)
        except TagCountError:
            _reading.any_tag_count = True
            try:
                return read(*args)
            finally:
                del _reading.any_tag_count

    return read_again


def skip_tag(buf: bytes, pos: int, end: int) -> int:
    """Skip the size and the bytes of one unknown tagged field."""
    size, pos = read_uvarint(buf, pos)
    if size < 0 or size > end - pos:
        raise WireError(f"tagged field of {size} bytes where {end - pos} are left")
    return pos + size


def write_tags(out: bytearray, tags: list[tuple[int, bytearray]]) -> None:
    """Write tagged fields. tags: in ascending order."""
    write_uvarint(out, len(tags))
    for tag, body in tags:
        write_uvarint(out, tag)
        write_uvarint(out, len(body))
        out += body


def check_count(count: int, pos: int, end: int) -> None:
    if count > end - pos or count < 0:
        raise LengthError(f"{count} elements where {end - pos} bytes are left")


def wrong_count(field: str, count: int, pos: int, end: int) -> WireError:
    """Return the error of an array that is null, or that has more elements than the frame has bytes left."""
    if count < 0:
        return null(field)
    return LengthError(f"{count} elements where {end - pos} bytes are left")


def past_end(pos: int, end: int) -> WireError:
    return LengthError(f"the message continues for {pos - end} bytes past its frame")


def null(field: str) -> WireError:
    return LengthError(f"{field} is null")


def too_many() -> WireError:
    return TooManyElements("too many elements")


def too_short(error: Exception) -> WireError:
    return WireError(f"the bytes end within the message: {error}")


def too_long(field: str, size: int) -> WireError:
    return WireError(f"{field} has {size} bytes, {TEXT_MAX} are allowed")


def unfit(message: str, error: Exception) -> WireError:
    return WireError(f"{message} cannot be put into bytes: {error}")


SHORT: Final = (IndexError, struct.error)  # raised by reading past the end of a buffer
# Raised for a number that is too large, a lone surrogate, or None in a field that is not nullable.
UNFIT: Final = (struct.error, UnicodeEncodeError, AttributeError, TypeError)
TEXT_MAX: Final = (
    0x7FFF  # bytes of a string: the limit of an int16, which Kafka also applies to compact lengths
)
