"""Random appends, syncs, rolls, truncations, stops, kills and power cuts, compared with a plain list."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tests.unit.broker.log.builders import a_batch, a_log, all_values, values_in
from tidemark.log.partition import PartitionLog
from tidemark_protocol.contents import finish
from tidemark_testing.storage import FaultyStorage

pytestmark = pytest.mark.slow  # thousands of random steps


@dataclass
class Written:
    """One record, and the position of its batch."""

    value: bytes
    timestamp_ms: int
    batch_start: int


class LogMachine(RuleBasedStateMachine):
    log: PartitionLog

    @initialize(
        seed=st.integers(0, 10**6),
        segment_bytes=st.sampled_from([250, 1_000]),
        interval=st.sampled_from([0, 300]),
    )
    def begin(self, seed: int, segment_bytes: int, interval: int) -> None:
        self.storage = FaultyStorage(seed)
        self.chosen = {"segment_bytes": segment_bytes, "index_interval_bytes": interval}
        self.model: list[Written] = []
        self.start = 0
        self.recovery_point = 0
        self.saved_start = 0
        self.next_value = 0
        self.open(clean=True)

    def open(self, *, clean: bool) -> None:
        self.log = a_log(
            self.storage,
            clean=clean,
            recovery_point=self.recovery_point,
            log_start_offset=self.saved_start,
            open_files_max=2,
            **self.chosen,
        )
        self.synced = self.log.recovery_point

    @rule(count=st.integers(1, 3), timestamp_ms=st.integers(0, 1_000))
    def append(self, count: int, timestamp_ms: int) -> None:
        values = [b"%d" % (self.next_value + n) for n in range(count)]
        self.next_value += count
        base = self.log.append(
            a_batch(*values, timestamp_ms=timestamp_ms), leader_epoch=0, now_ms=0
        ).base_offset
        assert base == len(self.model)
        self.model += [Written(value, timestamp_ms, base) for value in values]

    @rule()
    def sync(self) -> None:
        self.log.mark_synced(self.log.sync())
        self.synced = self.log.log_end_offset

    @rule()
    def roll(self) -> None:
        self.log.roll(0)

    @rule()
    def checkpoint(self) -> None:
        self.recovery_point = self.log.recovery_point
        self.saved_start = self.log.log_start_offset

    @rule(part=st.floats(0, 1))
    def truncate(self, part: float) -> None:
        offset = self.start + int(part * (len(self.model) - self.start))
        if offset < len(self.model):
            offset = self.model[offset].batch_start
        if offset < self.start:
            return
        self.recovery_point = min(self.recovery_point, offset)
        self.log.truncate_to(offset)
        self.sync()
        del self.model[offset:]

    @rule(part=st.floats(0, 1))
    def advance_log_start(self, part: float) -> None:
        self.start += int(part * (len(self.model) - self.start))
        self.log.advance_log_start(self.start)

    @rule()
    def delete_first_segment(self) -> None:
        if len(self.log.segments) > 1 and self.log.segments[1].base_offset <= self.log.recovery_point:
            self.checkpoint()
            self.log.delete_segments(1, 0)
            self.start = self.log.log_start_offset

    @rule()
    def stop_and_start(self) -> None:
        self.log.close()
        self.recovery_point = self.log.recovery_point
        self.saved_start = self.log.log_start_offset
        self.open(clean=True)
        assert self.log.log_end_offset == len(self.model)

    @rule()
    def kill(self) -> None:
        self.saved_start = self.start
        self.storage.kill()
        self.open(clean=False)
        assert self.log.log_end_offset == len(self.model)

    @rule()
    def power_cut(self) -> None:
        synced = self.synced
        self.saved_start = min(self.start, synced)
        self.storage.crash()
        self.open(clean=False)
        end = self.log.log_end_offset
        assert synced <= end <= len(self.model)
        del self.model[end:]
        self.start = self.log.log_start_offset

    @invariant()
    def everything_is_there(self) -> None:
        found = all_values(self.log)
        assert found == [(n, self.model[n].value) for n in range(self.start, len(self.model))]
        assert self.log.high_watermark == self.log.log_end_offset == len(self.model)

    @rule(part=st.floats(0, 1), max_bytes=st.integers(0, 600))
    def read(self, part: float, max_bytes: int) -> None:
        offset = self.start + int(part * (len(self.model) - self.start))
        data = self.log.read(offset, max_bytes, up_to=len(self.model), at_least_one_batch=True)
        found = values_in(data)
        if offset == len(self.model):
            assert data == b""
            return
        assert found[0][0] == self.model[offset].batch_start
        assert [value for _, value in found] == [entry.value for entry in self.model[found[0][0] :]][
            : len(found)
        ]

    @rule(timestamp_ms=st.integers(0, 1_001))
    def look_up_a_time(self, timestamp_ms: int) -> None:
        expected = [
            n for n in range(self.start, len(self.model)) if self.model[n].timestamp_ms >= timestamp_ms
        ]
        found = finish(self.log.offset_for_timestamp(timestamp_ms, up_to=len(self.model)))
        assert (None if found is None else found.offset) == (expected[0] if expected else None)


LogMachine.TestCase.settings = settings(
    max_examples=80, stateful_step_count=30, deadline=None, suppress_health_check=list(HealthCheck)
)
TestLogMachine = LogMachine.TestCase
