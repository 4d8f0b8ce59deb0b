"""ReadShareGroupStateSummary: returns how far share groups have come, without delivery states (KIP-932).

v0  the first version
v1  the number of records behind the start that are done
"""

from __future__ import annotations

from tidemark.core.context import Context
from tidemark.core.decision import Decision, Steps
from tidemark.handlers.routes import query
from tidemark.handlers.share_state.results import decided
from tidemark.share_coordinator.state import ShareState, ShareStates
from tidemark_protocol.messages.read_share_group_state_summary import (
    PartitionResult,
    ReadShareGroupStateSummaryRequest,
    ReadShareGroupStateSummaryResponse,
    ReadStateSummaryResult,
)


@query(ReadShareGroupStateSummaryRequest, state=ShareStates, versions=range(0, 2))
def read_share_group_state_summary(
    states: ShareStates, ctx: Context, request: ReadShareGroupStateSummaryRequest
) -> Steps[ReadShareGroupStateSummaryResponse]:
    found = yield from decided(
        states, ctx, request, "read share group state summary",
        lambda key, _: Decision(states.summary(key)), _result, PartitionResult,
    )  # fmt: skip
    return ReadShareGroupStateSummaryResponse([ReadStateSummaryResult(*each) for each in found])


def _result(partition: int, state: ShareState) -> PartitionResult:
    return PartitionResult(
        partition,
        state_epoch=state.state_epoch,
        leader_epoch=state.leader_epoch,
        start_offset=state.start_offset,
        delivery_complete_count=state.delivery_complete_count,
    )
