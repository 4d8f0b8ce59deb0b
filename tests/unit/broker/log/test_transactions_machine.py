"""Random transactions with rolls, syncs, truncations, kills and power cuts, compared with a plain list."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tests.unit.broker.log.builders import a_batch, a_log
from tidemark.log.partition import PartitionLog
from tidemark_protocol.batch import TRANSACTIONAL, ControlType, build_control_batch
from tidemark_testing.storage import FaultyStorage

pytestmark = pytest.mark.slow  # thousands of random steps

PRODUCERS = st.sampled_from((7, 8, 9))
Entry = tuple[int, int, int, int]  # producer, first offset, marker's offset, last stable offset


class TransactionsMachine(RuleBasedStateMachine):
    """written: producer, and whether its transaction ends here: None for a batch of data."""

    log: PartitionLog

    @initialize(seed=st.integers(0, 10**6), segment_bytes=st.sampled_from([250, 1_000]))
    def begin(self, seed: int, segment_bytes: int) -> None:
        self.storage = FaultyStorage(seed)
        self.segment_bytes = segment_bytes
        self.written: list[tuple[int, bool | None]] = []
        self.recovery_point = 0
        self.open(clean=True)

    def open(self, *, clean: bool) -> None:
        self.log = a_log(
            self.storage,
            clean=clean,
            recovery_point=self.recovery_point,
            segment_bytes=self.segment_bytes,
            open_files_max=2,
        )

    @rule(producer_id=PRODUCERS)
    def send(self, producer_id: int) -> None:
        batch = a_batch(
            b"v", producer_id=producer_id, producer_epoch=0, base_sequence=0, attributes=TRANSACTIONAL
        )
        self.log.append(batch, leader_epoch=0, now_ms=0, from_client=False)
        self.written.append((producer_id, None))

    @rule(producer_id=PRODUCERS, committed=st.booleans())
    def end(self, producer_id: int, committed: bool) -> None:
        kind = ControlType.COMMIT if committed else ControlType.ABORT
        marker = build_control_batch(kind, bytes(6), 9, producer_id=producer_id, producer_epoch=0)
        self.log.append(marker, leader_epoch=0, now_ms=0, from_client=False)
        self.written.append((producer_id, committed))

    @rule()
    def sync(self) -> None:
        self.log.mark_synced(self.log.sync())

    @rule()
    def roll_and_checkpoint(self) -> None:
        self.log.roll(0)
        self.sync()
        self.recovery_point = self.log.recovery_point

    @rule(part=st.floats(0, 1))
    def truncate(self, part: float) -> None:
        offset = int(part * len(self.written))
        self.recovery_point = min(self.recovery_point, offset)
        self.log.truncate_to(offset)
        self.sync()
        del self.written[offset:]

    @rule()
    def stop_and_start(self) -> None:
        self.log.close()
        self.recovery_point = self.log.recovery_point
        self.open(clean=True)

    @rule()
    def kill(self) -> None:
        self.storage.kill()
        self.open(clean=False)

    @rule()
    def power_cut(self) -> None:
        synced = self.log.recovery_point
        self.storage.crash()
        self.open(clean=False)
        assert synced <= self.log.log_end_offset <= len(self.written)
        del self.written[self.log.log_end_offset :]

    @invariant()
    def transactions_are_those_of_the_batches(self) -> None:
        if not hasattr(self, "log"):
            return
        opened: dict[int, int] = {}
        aborted: list[Entry] = []
        for offset, (producer_id, committed) in enumerate(self.written):
            if committed is None:
                opened.setdefault(producer_id, offset)
            elif (first := opened.pop(producer_id, None)) is not None and not committed:
                aborted.append((producer_id, first, offset, min(opened.values(), default=offset + 1)))
        found = [
            (each.producer_id, each.first_offset, each.last_offset, each.last_stable_offset)
            for segment in self.log.segments
            for each in segment.aborted
        ]
        assert found == aborted
        assert self.log.last_stable_offset == min(opened.values(), default=len(self.written))


TransactionsMachine.TestCase.settings = settings(
    max_examples=100, stateful_step_count=30, deadline=None, suppress_health_check=list(HealthCheck)
)
TestTransactionsMachine = TransactionsMachine.TestCase
