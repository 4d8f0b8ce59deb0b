"""The four codecs of record batches behind one table: id in a batch's attributes -> compress and decompress.

What a reader takes and a writer gives follows Kafka's own streams: gzip; snappy in xerial framing (a raw
block is read too, as some clients send it); LZ4 frames, whose blocks have to be independent for Kafka to read
them; zstd. Nothing decompresses past the bound that the caller gives, so a few hostile bytes cannot fill the
memory.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import Final

import cramjam

Buffer = bytes | bytearray | memoryview

XERIAL_MAGIC: Final = b"\x82SNAPPY\x00"
XERIAL_HEADER: Final = XERIAL_MAGIC + b"\x00\x00\x00\x01\x00\x00\x00\x01"  # version 1, readable by version 1
XERIAL_BLOCK_BYTES: Final = 32 * 1024  # what the Java client writes
FIRST_GUESS_BYTES_MIN: Final = 16 * 1024
GROWTH: Final = 8
# The levels that Kafka compresses with where nobody says another.
GZIP_DEFAULT_LEVEL: Final = -1
GZIP_LEVEL_BEHIND_DEFAULT: Final = 6
LZ4_DEFAULT_LEVEL: Final = 9
LZ4_FAST_LEVEL: Final = 0  # Kafka takes LZ4's fast compressor for 9, its thorough one for every other level
ZSTD_DEFAULT_LEVEL: Final = 3


class CompressionError(Exception):
    """The bytes are no such stream, or hold more than the caller's bound."""


class Codec(IntEnum):
    """Bits 0-2 of a batch's attributes."""

    NONE = 0
    GZIP = 1
    SNAPPY = 2
    LZ4 = 3
    ZSTD = 4


def compress(codec: int, data: Buffer, level: int | None = None) -> bytes:
    """One stream that Kafka's readers take. level: as compression.<codec>.level; None is Kafka's default."""
    try:
        return _COMPRESS[codec](data, level)
    except KeyError:
        raise CompressionError(f"no compression codec {codec}") from None


def decompress(codec: int, data: Buffer, max_bytes: int) -> bytes:
    """What the stream holds. CompressionError where it is broken or holds more than max_bytes."""
    try:
        read = _DECOMPRESS[codec]
    except KeyError:
        raise CompressionError(f"no compression codec {codec}") from None
    try:
        return read(data, max_bytes)
    except cramjam.DecompressionError as error:
        raise CompressionError(str(error)) from None


def _take_plain(data: Buffer, max_bytes: int) -> bytes:
    if len(data) > max_bytes:
        raise _too_large(max_bytes)
    return bytes(data)


def _too_large(max_bytes: int) -> CompressionError:
    return CompressionError(f"more than {max_bytes} bytes when decompressed")


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
    compressor.compress(bytes(data))  # it takes no other kind of buffer
    return bytes(compressor.finish())


def _zstd(data: Buffer, level: int | None) -> bytes:
    return bytes(cramjam.zstd.compress(data, level=ZSTD_DEFAULT_LEVEL if level is None else level))


def _into_growing_buffer(
    decompress_into: Callable[[Buffer, bytearray], int],
) -> Callable[[Buffer, int], bytes]:
    """Streams do not tell how much they hold: guess, and guess larger until it fits or is past the bound."""

    def read(data: Buffer, max_bytes: int) -> bytes:
        size = min(max_bytes, max(FIRST_GUESS_BYTES_MIN, GROWTH * len(data)))
        while True:
            out = bytearray(size)
            try:
                return bytes(memoryview(out)[: decompress_into(data, out)])
            except cramjam.DecompressionError as error:
                if "failed to write whole buffer" not in str(error):
                    raise
                if size >= max_bytes:
                    raise _too_large(max_bytes) from None
                size = min(max_bytes, size * GROWTH)

    return read


def _read_snappy(data: Buffer, max_bytes: int) -> bytes:
    view = memoryview(data)
    if bytes(view[: len(XERIAL_MAGIC)]) != XERIAL_MAGIC:
        return _read_snappy_block(view, max_bytes)
    blocks = []
    room = max_bytes
    pos = len(XERIAL_HEADER)
    while pos < len(view):
        size = int.from_bytes(view[pos : pos + 4], "big")
        pos += 4
        if pos + size > len(view):
            raise CompressionError("a snappy block runs past the end")
        block = _read_snappy_block(view[pos : pos + size], room)
        room -= len(block)
        blocks.append(block)
        pos += size
    return b"".join(blocks)


def _read_snappy_block(block: memoryview, max_bytes: int) -> bytes:
    if cramjam.snappy.decompress_raw_len(block) > max_bytes:
        raise _too_large(max_bytes)
    return bytes(cramjam.snappy.decompress_raw(block))


_COMPRESS: Final[dict[int, Callable[[Buffer, int | None], bytes]]] = {
    Codec.NONE: _plain,
    Codec.GZIP: _gzip,
    Codec.SNAPPY: _snappy,
    Codec.LZ4: _lz4,
    Codec.ZSTD: _zstd,
}
_DECOMPRESS: Final[dict[int, Callable[[Buffer, int], bytes]]] = {
    Codec.NONE: _take_plain,
    Codec.GZIP: _into_growing_buffer(cramjam.gzip.decompress_into),
    Codec.SNAPPY: _read_snappy,
    Codec.LZ4: _into_growing_buffer(cramjam.lz4.decompress_into),
    Codec.ZSTD: _into_growing_buffer(cramjam.zstd.decompress_into),
}

__all__ = ["Codec", "CompressionError", "compress", "decompress"]
