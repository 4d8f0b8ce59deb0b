from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidemark_protocol.share_batches import NO_OFFSET, StateBatch, combine, strongest

# Drawn at random; the last column is what PersisterStateBatchCombiner of Kafka 4.3.1 returned. A line is
# start|stored|written|combined, and a batch first,last,count,state.
RECORDED = (Path(__file__).parent / "combined_share_batches.txt").read_text().splitlines()

OFFSETS = range(30)
BATCHES = st.lists(
    st.builds(
        lambda first, length, count, state: StateBatch(first, min(first + length, OFFSETS[-1]), count, state),
        st.sampled_from(OFFSETS),
        st.integers(0, 12),
        st.integers(1, 3),
        st.sampled_from((0, 2, 4)),
    ),
    max_size=8,
)


def batches(text: str) -> list[StateBatch]:
    return [StateBatch(*map(int, each.split(","))) for each in text.split()]


def state_of_each_offset(*lists: list[StateBatch], start: int = NO_OFFSET) -> dict[int, tuple[int, int]]:
    """Return the highest delivery count and state of each offset: the model."""
    found: dict[int, tuple[int, int]] = {}
    for batch in (each for some in lists for each in some):
        for offset in range(max(batch.first_offset, start), batch.last_offset + 1):
            state = batch.delivery_count, batch.delivery_state
            found[offset] = max(found.get(offset, state), state)
    return found


@pytest.mark.parametrize("line", RECORDED)
def test_batches_are_combined_and_cut_as_by_kafka(line: str) -> None:
    start, stored, written, combined = line.split("|")
    assert [*combine(batches(stored), batches(written), int(start))] == batches(combined)


@given(BATCHES, BATCHES, st.sampled_from((NO_OFFSET, *OFFSETS)))
def test_each_offset_keeps_its_strongest_state(
    stored: list[StateBatch], written: list[StateBatch], start: int
) -> None:
    combined = [*combine(stored, written, start)]
    assert state_of_each_offset(combined) == state_of_each_offset(stored, written, start=start)
    if len(stored) + len(written) > 1:
        assert all(before.last_offset < after.first_offset for before, after in pairwise(combined))


@given(BATCHES, BATCHES, st.sampled_from((NO_OFFSET, *OFFSETS)))
def test_kafka_4_4_merges_all_it_can(stored: list[StateBatch], written: list[StateBatch], start: int) -> None:
    """Its combiner sweeps over the edges of all batches, as `strongest` does."""
    combined = combine(stored, written, start, merges_all=True)
    given = [
        each.between(max(each.first_offset, start), each.last_offset)
        for each in (*stored, *written)
        if each.last_offset >= start
    ]
    assert [*combined] == (strongest(given) if len(given) > 1 else given)


@given(BATCHES)
def test_the_bounded_way_has_the_same_states_and_merges_all_it_can(written: list[StateBatch]) -> None:
    found = strongest(written)
    assert state_of_each_offset(found) == state_of_each_offset(written)
    for before, after in pairwise(found):
        assert before.last_offset < after.first_offset
        assert before.last_offset + 1 < after.first_offset or before[2:] != after[2:]


def test_batches_that_overlap_in_thousands_of_layers_are_combined_in_little_time() -> None:
    """Kafka compares each of the short batches with each of the long ones: nine million comparisons."""
    strong = [StateBatch(offset, offset, 3, offset % 2) for offset in range(3_000)]
    weak = [StateBatch(0, 10_000 + length, 1 + length % 2, 0) for length in range(3_000)]
    began = process_time()
    combined = combine(strong, weak, NO_OFFSET)
    assert process_time() - began < 1
    assert combined[:2] == (StateBatch(0, 0, 3, 0), StateBatch(1, 1, 3, 1))
    assert combined[-1] == StateBatch(3_000, 12_999, 2, 0)
