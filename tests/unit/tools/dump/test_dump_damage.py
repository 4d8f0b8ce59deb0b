"""A file of any bytes is dumped, or ends the dump with an exception of Kafka's."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tidemark_protocol.batch import LogRecord, build_batch, build_control_batch
from tidemark_protocol.compression import Codec
from tidemark_tools.dump.dump_log import TOOL, dump
from tidemark_tools.dump.log_file import Thrown, WrongFile
from tidemark_tools.options import parse

COMMIT = b"\0\1\0\1g\0\1t\0\0\0\0"
GOOD = b"".join((
    build_batch([LogRecord(0, 5, COMMIT, b"\0\3" + bytes(30), [("h", b"x")]), LogRecord(1, 6, COMMIT, None)]),
    build_control_batch(1, bytes(6), 7, base_offset=2, producer_id=1),
    build_batch([LogRecord(3, 5, b"\0\2\0\1g", b"\0\3" + bytes(40))], compression=Codec.GZIP),
))  # fmt: skip
FIRST = "00000000000000000000"
CHOICES = (
    "", "--deep-iteration", "--print-data-log", "--offsets-decoder", "--cluster-metadata-decoder",
    "--transaction-log-decoder", "--share-group-state-decoder", "--remote-log-metadata-decoder",
)  # fmt: skip


def dumped(folder: Path, suffix: str, option: str) -> str:
    out = io.StringIO()
    arguments = [*filter(None, [option]), "--files", str(folder / f"{FIRST}.{suffix}")]
    try:
        dump(parse(TOOL.options, arguments), out, io.StringIO())
    except (Thrown, WrongFile) as error:
        out.write(str(error))
    return out.getvalue()


@given(
    st.lists(st.tuples(st.integers(0, len(GOOD) - 1), st.integers(0, 255)), max_size=4),
    st.integers(0, len(GOOD)),
    st.sampled_from(CHOICES),
)
@example([(16, 1)], len(GOOD), "--print-data-log")  # magic 1
@example([(22, 5)], 135, "--deep-iteration")  # a codec that is none
def test_a_log_with_changed_bytes_is_dumped_or_ends_like_kafkas_dump(
    changes: list[tuple[int, int]], end: int, option: str
) -> None:
    data = bytearray(GOOD)
    for at, value in changes:
        data[at] = value
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, f"{FIRST}.log").write_bytes(data[:end])
        assert dumped(Path(folder), "log", option).startswith("Dumping ")


@pytest.mark.parametrize("suffix", ["log", "index", "timeindex", "txnindex", "snapshot", "checkpoint"])
@given(data=st.binary(max_size=80), option=st.sampled_from(["", "--index-sanity-check", "--offsets-decoder"]))
def test_a_file_of_random_bytes_is_dumped_or_ends_like_kafkas_dump(
    suffix: str, data: bytes, option: str
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, f"{FIRST}.log").write_bytes(GOOD)
        Path(folder, f"{FIRST}.index").write_bytes(b"")
        Path(folder, f"{FIRST}.{suffix}").write_bytes(data)
        assert dumped(Path(folder), suffix, option).startswith("Dumping ")
