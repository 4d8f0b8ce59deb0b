"""The end of a log: Kafka's LogSegment.recover truncates at the first batch that is incomplete."""

from __future__ import annotations

from pathlib import Path
from struct import pack
from zlib import crc32

import pytest

from tests.pipeline import made_logs
from tests.pipeline.made_logs import batch
from tidemark_pipeline.logs.survey import survey
from tidemark_pipeline.model import OnError, PipelineError

WHOLE = batch(0) + batch(1, 3)


def at_offset(offset: int) -> bytes:
    """Return the batch with another base offset, which no CRC covers."""
    return pack(">q", offset) + batch(1)[8:]


def old_message(offset: int, magic: int) -> bytes:
    """A message of format 0 or 1, from Kafka's documentation of message sets: CRC, magic, attributes, with
    format 1 a timestamp, key and value with lengths of four bytes.
    """
    stamp = pack(">q", 1_400_000_000_000) if magic else b""
    body = pack(">bb", magic, 0) + stamp + pack(">i", 60) + bytes(60) + pack(">i", 1) + b"v"
    return pack(">qiI", offset, 4 + len(body), crc32(body)) + body


FLIPPED = bytes((*batch(4)[:-1], batch(4)[-1] ^ 1))


@pytest.mark.parametrize(
    ("rest", "reason"),
    [
        (batch(4)[:20], "a batch header needs 61 bytes, 20 are left"),
        (batch(4)[:70], f"the batch of {len(batch(4))} bytes is cut, 70 are left"),
        (FLIPPED, "the CRC differs"),
        (FLIPPED + FLIPPED, "the CRC differs"),
        (FLIPPED + batch(5)[:30], "the CRC differs"),
        (batch(4)[:61] + bytes(len(batch(4)) - 61 + 4096), "the CRC differs"),
        (b"\xff" * 200, "a batch length of -1 is less than its header"),
        (batch(4)[:16] + b"\1" + batch(4)[17:], "magic 1 in place of 2"),
    ],
)
@pytest.mark.parametrize("preallocated", [0, 10_000])
def test_a_torn_tail_is_ignored(tmp_path: Path, rest: bytes, reason: str, preallocated: int) -> None:
    log = made_logs.log(tmp_path, {0: [WHOLE, rest, bytes(preallocated)]})
    found = survey(log)
    assert found.next_offset == log.end_offset == 4
    assert found.torn is not None and found.torn[:2] == (log.segments[0].path, len(WHOLE))
    if not preallocated:
        assert found.torn[2] == reason
    with pytest.raises(PipelineError, match=f"byte {len(WHOLE)}: .*torn tail"):
        survey(log, on_error="fail")


@pytest.mark.parametrize("on_error", ["fail", "stop_at_tail"])
@pytest.mark.parametrize("zeros", [1, 60, 61, 4096, 3_000_000])
def test_preallocated_zeros_are_not_damage(tmp_path: Path, zeros: int, on_error: OnError) -> None:
    found = survey(made_logs.log(tmp_path, {0: [WHOLE, bytes(zeros)]}), on_error=on_error)
    assert found.next_offset == 4 and found.torn is None


@pytest.mark.parametrize("on_error", ["fail", "stop_at_tail"])
@pytest.mark.parametrize(
    "content",
    [
        [batch(0)[:70], batch(0)[71:], batch(1)],
        [FLIPPED[:8], batch(0), batch(1)],
        [batch(0), bytes(100), batch(1)],
        [batch(0), b"\xff\xff\xff\xff" * 4, b"\2" * 10, batch(5)],
        [batch(3), batch(2)],
        [batch(0), at_offset(2**63 - 1)],
        [batch(0), at_offset(-5)],
    ],
    ids=[
        "a byte is missing",
        "bytes too many",
        "zeros between",
        "garbage between",
        "offsets fall",
        "an offset that nothing can follow",
        "an offset below all",
    ],
)
def test_a_complete_batch_after_a_broken_one_is_damage_in_the_middle(
    tmp_path: Path, content: list[bytes], on_error: OnError
) -> None:
    log = made_logs.log(tmp_path, {0: content})
    with pytest.raises(PipelineError, match=r"\.log, byte \d+: .* a whole batch stands at byte \d+") as told:
        survey(log, on_error=on_error)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("magic", [0, 1])
@pytest.mark.parametrize("before", [b"", batch(0)], ids=["from the first on", "behind a batch"])
def test_messages_of_old_formats_are_not_a_torn_tail(tmp_path: Path, before: bytes, magic: int) -> None:
    log = made_logs.log(tmp_path, {0: [before, old_message(1, magic), old_message(2, magic)]})
    with pytest.raises(PipelineError, match=rf"byte {len(before)}: .*format before Kafka 0\.11"):
        survey(log)


def test_a_segment_under_a_later_ones_name_is_damage(tmp_path: Path) -> None:
    log = made_logs.log(tmp_path, {50: [batch(0, 10)]})
    with pytest.raises(PipelineError, match="byte 0: offset 0, expected 50 or a later one"):
        survey(log)


def test_a_closed_segment_has_no_tail(tmp_path: Path) -> None:
    log = made_logs.log(tmp_path, {0: [WHOLE, batch(4)[:50]], 5: [batch(5)]})
    with pytest.raises(PipelineError, match="byte .*further segments follow"):
        survey(log)


def test_a_log_whose_only_batch_is_torn_ends_where_it_begins(tmp_path: Path) -> None:
    found = survey(made_logs.log(tmp_path, {0: [WHOLE], 4: [batch(4)[:-1]]}))
    assert found.next_offset == 4 and found.torn is not None and found.torn[1] == 0
