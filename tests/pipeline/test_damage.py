"""With on_error=skip, damage costs the records in it and none else, and the survey says which."""

from __future__ import annotations

from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from tests.pipeline import made_logs
from tests.pipeline.made_logs import T0, batch, marker
from tests.pipeline.test_bad_input import batch as commit
from tidemark_pipeline.cli.main import main
from tidemark_pipeline.logs.survey import survey, tasks
from tidemark_pipeline.model import Damage, Marker, OffsetsLog, PipelineError, ScanOptions, Survey
from tidemark_pipeline.source.scan import read_task

BATCHES = [batch(0), batch(1, 3), batch(4), batch(5, 2), batch(7)]
STARTS = [0, *accumulate(map(len, BATCHES))]
OFFSETS = [0, 1, 4, 5, 7, 8]  # the first of each batch, and the end


def offsets(log: OffsetsLog, found: Survey, transactions: Any = "all") -> list[int]:
    options = ScanOptions("raw", transactions=transactions, on_error="skip")
    return [
        row["log_offset"]
        for task in tasks(log, found)
        for part in read_task(task, options)
        for row in part.to_pylist()
        if row["control_type"] is None
    ]


def surveyed(directory: Path, *segments: tuple[int, bytes]) -> tuple[OffsetsLog, Survey]:
    log = made_logs.log(directory, {base: [content] for base, content in segments})
    return log, survey(log, on_error="skip")


def flipped(content: bytes, at: int) -> bytes:
    return content[:at] + bytes([content[at] ^ 0x41]) + content[at + 1 :]


@pytest.mark.parametrize("number", range(4))
@pytest.mark.parametrize("field", [3, 8, 9, 16, 17, 23, 60, -1], ids=str)
def test_a_damaged_batch_costs_its_own_records(number: int, field: int, tmp_path: Path) -> None:
    """field: a byte of its offset, length, magic, CRC, last offset, count or records."""
    begin, end = STARTS[number : number + 2]
    at = end - 1 if field < 0 else begin + field
    log, found = surveyed(tmp_path, (0, flipped(b"".join(BATCHES), at)))
    missing = range(OFFSETS[number], OFFSETS[number + 1])
    assert offsets(log, found) == [each for each in range(8) if each not in missing]
    (damage,) = found.damaged
    assert (damage.path, damage.byte, damage.end) == (log.segments[0].path, begin, end)
    assert range(damage.first_offset, damage.end_offset) == missing
    assert (found.next_offset, found.torn, found.holes) == (8, None, ())
    assert found.complete_from == damage.end_offset  # for `removals` and `history`
    with pytest.raises(PipelineError):
        list(offsets(log, survey(log)))


def without_epoch(one_batch: bytes) -> bytes:
    """Return the batch without its leader epoch, which no checksum covers, and nothing here reads."""
    return one_batch[:12] + one_batch[16:]


@example([(12, 1, 1)])
@example([(367, 1, 1)])
@given(
    st.lists(st.tuples(st.integers(0, STARTS[-1] - 1), st.integers(1, 40), st.integers(0, 255)), max_size=4)
)
@settings(max_examples=150, deadline=None, derandomize=True)
def test_any_damage_is_covered_by_the_offsets_that_are_said_to_be_missing(
    tmp_path_factory: pytest.TempPathFactory, writes: list[tuple[int, int, int]]
) -> None:
    content = bytearray(b"".join(BATCHES))
    for at, size, value in writes:
        content[at : at + size] = bytes([value]) * len(content[at : at + size])
    log, found = surveyed(tmp_path_factory.mktemp("log"), (0, bytes(content)), (8, batch(8)))
    intact = [
        number
        for number, (begin, end) in enumerate(pairwise(STARTS))
        if without_epoch(content[begin:end]) == without_epoch(BATCHES[number])
    ]
    # Nor does a checksum cover the offset: of two batches that contradict each other, either may be wrong.
    assume(
        not any(
            content[begin : begin + 8] != BATCHES[number][:8]
            and without_epoch(content[begin:end])[8:] == without_epoch(BATCHES[number])[8:]
            for number, (begin, end) in enumerate(pairwise(STARTS))
        )
    )
    read = [each for number in intact for each in range(OFFSETS[number], OFFSETS[number + 1])]
    assert offsets(log, found) == [*read, 8]
    said = {each for damage in found.damaged for each in range(damage.first_offset, damage.end_offset)}
    assert said == set(range(9)) - {*read, 8}
    assert found.holes == ()


def test_damage_up_to_the_end_of_a_closed_segment_reaches_the_next_one(tmp_path: Path) -> None:
    log, found = surveyed(tmp_path, (0, batch(0) + batch(1, 2)[:-5]), (3, batch(3)))
    assert offsets(log, found) == [0, 3]
    (damage,) = found.damaged
    assert (damage.first_offset, damage.end_offset) == (1, 3)
    assert damage.end == log.segments[0].bytes
    log, found = surveyed(tmp_path / "zeros", (0, batch(0) + bytes(500)), (3, batch(3)))
    assert [(each.first_offset, each.end_offset) for each in found.damaged] == [(1, 3)]


def test_a_torn_tail_is_no_damage(tmp_path: Path) -> None:
    log, found = surveyed(tmp_path, (0, batch(0) + batch(1)[:-1]))
    assert (offsets(log, found), found.damaged) == ([0], ())
    assert found.torn is not None


def test_inserted_bytes_cost_no_record(tmp_path: Path) -> None:
    log, found = surveyed(tmp_path, (0, batch(0) + b"junk" * 30 + batch(1)))
    assert offsets(log, found) == [0, 1]
    (damage,) = found.damaged
    assert damage == Damage(
        log.segments[0].path, len(batch(0)), len(batch(0)) + 120, damage.reason, first_offset=1, end_offset=1
    )


def test_a_transaction_that_is_open_at_damage_does_not_get_the_outcome_of_a_later_one(tmp_path: Path) -> None:
    """Its own marker, an abort, is in the damage. The later marker commits another transaction."""
    lost = flipped(marker(1, 7, commits=False), -1 % len(marker(1, 7, commits=False)))
    content = batch(0, producer=7) + lost + batch(2, producer=7) + marker(3, 7, commits=True)
    log, found = surveyed(tmp_path, (0, content), (4, batch(4)))
    assert offsets(log, found, "committed") == [2, 4]
    assert offsets(log, found) == [0, 2, 4]
    assert [each.undecided for each in found.damaged] == [1]
    assert found.markers[7] == (Marker(1, False, -1, 0), Marker(3, True, T0, 2))
    assert found.open_transactions == {}


def test_a_transaction_that_ended_before_damage_keeps_its_outcome(tmp_path: Path) -> None:
    content = batch(0, producer=7) + marker(1, 7, commits=True) + flipped(batch(2), 70) + batch(3, producer=7)
    log, found = surveyed(tmp_path, (0, content), (4, marker(4, 7, commits=True)))
    assert offsets(log, found, "committed") == [0, 3]
    assert [each.undecided for each in found.damaged] == [0]


@pytest.mark.slow
@pytest.mark.java
def test_the_command_reads_on_behind_damage_and_says_what_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], spark: object
) -> None:
    whole = commit(0)
    log = made_logs.log(tmp_path / "data", {0: [whole, flipped(commit(1), 70), commit(2)]})
    line = ["current", "--log-dir", str(tmp_path / "data"), "--columns", "partition,committed_offset"]
    assert main(line) == 1
    hint = "; --skip-damaged reads on behind it, and says which offsets are missing"
    assert capsys.readouterr().err.splitlines()[-1].endswith(f"{2 * len(whole)}{hint}")
    assert main([*line, "--skip-damaged"]) == 0
    said = capsys.readouterr()
    assert [row.split() for row in said.out.splitlines()] == [
        ["partition", "committed_offset"],
        ["0", "100"],
        ["2", "102"],
    ]
    assert (
        f"warning: {log.segments[0].path}, bytes {len(whole)} to {2 * len(whole) - 1} are damaged: the CRC "
        "differs; the records of offset 1 are missing: later rows about groups of log partition 0 may be "
        "wrong until each is written again"
    ) in said.err.splitlines()
