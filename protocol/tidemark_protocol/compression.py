"""The four codecs of record batches, by their id in a batch's attributes.

Readers and writers follow Kafka's streams: gzip; snappy in xerial framing (raw blocks, which some clients
send, are read too); LZ4 frames with independent blocks, the only ones that Kafka reads; zstd. Decompression
stops at the caller's limit, so that a few hostile bytes cannot fill the memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import IntEnum
from typing import Final

import cramjam

Buffer = bytes | bytearray | memoryview

XERIAL_MAGIC: Final = b"\x82SNAPPY\x00"
XERIAL_HEADER: Final = XERIAL_MAGIC + b"\x00\x00\x00\x01\x00\x00\x00\x01"  # version 1, readable by version 1
XERIAL_BLOCK_BYTES: Final = 32 * 1024  # the value that the Java client writes
FIRST_GUESS_BYTES_MIN: Final = 16 * 1024
GROWTH: Final = 8
NO_ROOM: Final = "failed to write whole buffer"  # cramjam's message about a buffer that is too small
# The levels that Kafka uses by default.
GZIP_DEFAULT_LEVEL: Final = -1
GZIP_LEVEL_BEHIND_DEFAULT: Final = 6
LZ4_DEFAULT_LEVEL: Final = 9
LZ4_FAST_LEVEL: Final = (
    0  # Kafka uses LZ4's fast compressor for level 9, and the thorough one for every other level
)
LZ4_INPUT_BYTES: Final = (
    4 * 1024 * 1024
)  # bytes copied at a time: a copy of 100 MB would block all other threads
ZSTD_DEFAULT_LEVEL: Final = 3


class CompressionError(Exception):
    """The bytes are not a stream of this codec, or hold more than the caller's limit."""


class TooLarge(CompressionError):
    """The stream holds more than the caller's limit."""


class Codec(IntEnum):
    """The codec in bits 0-2 of a batch's attributes."""

    NONE = 0
    GZIP = 1
    SNAPPY = 2
    LZ4 = 3
    ZSTD = 4


def compress(codec: int, data: Buffer, level: int | None = None) -> bytes:
    """Return a stream that Kafka reads. level: as compression.<codec>.level; None is Kafka's default."""
    try:
        return _COMPRESS[codec](data, level)
    except KeyError:
        raise CompressionError(f"no compression codec {codec}") from None


def decompress(codec: int, data: Buffer, max_bytes: int) -> bytes:
    """Return the decompressed bytes. Raises CompressionError if the stream is broken or exceeds max_bytes."""
    if codec == Codec.NONE:
        if len(data) > max_bytes:
            raise _too_large(max_bytes)
        return bytes(data)
    # Streams do not contain their decompressed size: try larger sizes until one suffices or exceeds the
    # limit.
    size = min(max_bytes, max(FIRST_GUESS_BYTES_MIN, GROWTH * len(data)))
    while True:
        out = memoryview(bytearray(size))
        try:
            return bytes(out[: decompress_into(codec, data, out)])
        except TooLarge:
            if size >= max_bytes:
                raise
            size = min(max_bytes, size * GROWTH)


def decompress_into(codec: int, data: Buffer, out: memoryview) -> int:
    """Decompress the stream into out and return the number of bytes written.

    Raises TooLarge if out is too small, CompressionError if the stream is broken.
    """
    write = _DECOMPRESS_INTO.get(codec)
    if write is None:
        raise CompressionError(f"no compression codec {codec}")
    try:
        return write(data, out)
    except cramjam.DecompressionError as error:
        if NO_ROOM in str(error):
            raise _too_large(len(out)) from None
        raise CompressionError(str(error)) from None


def _too_large(max_bytes: int) -> TooLarge:
    return TooLarge(f"more than {max_bytes} bytes when decompressed")


def _plain(data: Buffer, level: int | None) -> bytes:
    return bytes(data)


def _gzip(data: Buffer, level: int | None) -> bytes:
    if level is None or level == GZIP_DEFAULT_LEVEL:
        level = GZIP_LEVEL_BEHIND_DEFAULT
    return bytes(cramjam.gzip.compress(data, level=level))


def _snappy(data: Buffer, level: int | None) -> bytes:
    out = bytearray(XERIAL_HEADER)
    view = memoryview(data)
    for start in range(0, len(view), XERIAL_BLOCK_BYTES):
        block = cramjam.snappy.compress_raw(view[start : start + XERIAL_BLOCK_BYTES])
        out += len(block).to_bytes(4, "big")
        out += memoryview(block)
    return bytes(out)


def _lz4(data: Buffer, level: int | None) -> bytes:
    if level is None or level == LZ4_DEFAULT_LEVEL:
        level = LZ4_FAST_LEVEL
    compressor = cramjam.lz4.Compressor(level=level, content_checksum=False, block_linked=False)
    view = memoryview(data)
    for start in range(0, len(view), LZ4_INPUT_BYTES):
        compressor.compress(
            bytes(view[start : start + LZ4_INPUT_BYTES])
        )  # it accepts no other kind of buffer
    return bytes(compressor.finish())


def _zstd(data: Buffer, level: int | None) -> bytes:
    return bytes(cramjam.zstd.compress(data, level=ZSTD_DEFAULT_LEVEL if level is None else level))


def _read_snappy_into(data: Buffer, out: memoryview) -> int:
    written = 0
    for block in _snappy_blocks(memoryview(data)):
        _check_room(block, len(out) - written)
        written += cramjam.snappy.decompress_raw_into(block, out[written:])
    return written


def _snappy_blocks(data: memoryview) -> Iterator[memoryview]:
    if bytes(data[: len(XERIAL_MAGIC)]) != XERIAL_MAGIC:
        yield data
        return
    pos = len(XERIAL_HEADER)
    while pos < len(data):
        size = int.from_bytes(data[pos : pos + 4], "big")
        pos += 4
        if pos + size > len(data):
            raise CompressionError("a snappy block runs past the end")
        yield data[pos : pos + size]
        pos += size


def _check_room(block: memoryview, room: int) -> None:
    """Raise TooLarge if the block declares more than room bytes."""
    if cramjam.snappy.decompress_raw_len(block) > room:
        raise _too_large(room)


_COMPRESS: Final[dict[int, Callable[[Buffer, int | None], bytes]]] = {
    Codec.NONE: _plain,
    Codec.GZIP: _gzip,
    Codec.SNAPPY: _snappy,
    Codec.LZ4: _lz4,
    Codec.ZSTD: _zstd,
}
_DECOMPRESS_INTO: Final[dict[int, Callable[[Buffer, memoryview], int]]] = {
    Codec.GZIP: cramjam.gzip.decompress_into,
    Codec.SNAPPY: _read_snappy_into,
    Codec.LZ4: cramjam.lz4.decompress_into,
    Codec.ZSTD: cramjam.zstd.decompress_into,
}

__all__ = ["Codec", "CompressionError", "TooLarge", "compress", "decompress", "decompress_into"]
