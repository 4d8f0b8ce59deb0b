"""The four codecs read what they write, up to a limit."""

from __future__ import annotations

import gzip
import os

import cramjam
import pytest

from tidemark_protocol.compression import (
    XERIAL_BLOCK_BYTES,
    XERIAL_HEADER,
    Codec,
    CompressionError,
    compress,
    decompress,
)

CODECS = list(Codec)
COMPRESSORS = CODECS[1:]
LARGE = b"".join(b"line %d of a text that compresses well\n" % n for n in range(50_000))


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize(
    "data", [b"", b"a", LARGE, os.urandom(100_000)], ids=["empty", "short", "text", "noise"]
)
def test_data_survives_a_round_trip(codec: Codec, data: bytes) -> None:
    assert decompress(codec, compress(codec, data), len(data)) == data
    assert decompress(codec, memoryview(bytearray(compress(codec, memoryview(data)))), len(data)) == data


@pytest.mark.parametrize("codec", CODECS)
def test_decompression_stops_at_the_limit(codec: Codec) -> None:
    with pytest.raises(CompressionError, match="more than"):
        decompress(codec, compress(codec, LARGE), len(LARGE) - 1)


@pytest.mark.parametrize("codec", COMPRESSORS)
def test_a_broken_stream_is_refused(codec: Codec) -> None:
    stream = compress(codec, LARGE)
    for broken in (b"", b"no such stream", stream[:-1], stream[: len(stream) // 2]):
        with pytest.raises(CompressionError):
            decompress(codec, broken, 2 * len(LARGE))


@pytest.mark.parametrize("codec", [5, 6, 7, -1])
def test_an_unknown_codec_is_refused(codec: int) -> None:
    with pytest.raises(CompressionError, match="no compression codec"):
        compress(codec, b"")
    with pytest.raises(CompressionError, match="no compression codec"):
        decompress(codec, b"", 1)


@pytest.mark.parametrize(
    ("codec", "default", "same", "least", "most"),
    [
        (Codec.GZIP, -1, 6, 1, 9),
        (Codec.LZ4, 9, 0, 1, 17),
        pytest.param(Codec.ZSTD, 3, 3, -131_072, 22, marks=pytest.mark.slow),
    ],
)
def test_a_level_trades_size_for_time_and_the_default_is_kafkas(
    codec: Codec, default: int, same: int, least: int, most: int
) -> None:
    """LZ4's level 9 is Kafka's default and selects the fast compressor."""
    assert compress(codec, LARGE) == compress(codec, LARGE, default) == compress(codec, LARGE, same)
    low, high = compress(codec, LARGE, least), compress(codec, LARGE, most)
    assert len(low) >= len(compress(codec, LARGE)) > len(high)
    assert decompress(codec, low, len(LARGE)) == decompress(codec, high, len(LARGE)) == LARGE


def test_gzip_is_read_by_other_libraries() -> None:
    assert gzip.decompress(compress(Codec.GZIP, LARGE)) == LARGE
    assert decompress(Codec.GZIP, gzip.compress(LARGE), len(LARGE)) == LARGE


def test_snappy_is_written_in_xerial_blocks_as_javas_clients_do() -> None:
    stream = compress(Codec.SNAPPY, LARGE)
    assert stream.startswith(XERIAL_HEADER)
    size = int.from_bytes(stream[16:20], "big")
    assert bytes(cramjam.snappy.decompress_raw(stream[20 : 20 + size])) == LARGE[:XERIAL_BLOCK_BYTES]


def test_a_raw_snappy_block_is_read_too() -> None:
    assert decompress(Codec.SNAPPY, bytes(cramjam.snappy.compress_raw(LARGE)), len(LARGE)) == LARGE


def test_lz4_blocks_are_independent() -> None:
    """Kafka's reader refuses frames whose blocks depend on each other."""
    stream = compress(Codec.LZ4, LARGE)
    assert stream[:4] == b"\x04\x22\x4d\x18"
    version, independent_blocks = stream[4] >> 6, stream[4] >> 5 & 1
    assert (version, independent_blocks) == (1, 1)
