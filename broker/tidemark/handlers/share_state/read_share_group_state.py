"""ReadShareGroupState: returns the state of share partitions to their leaders, and fences older leaders.

The leader of a partition sends it before it delivers the first record to a share group (KIP-932).
"""

from __future__ import annotations

from tidemark.core.context import Context
from tidemark.core.decision import Decision, Steps
from tidemark.handlers.routes import command
from tidemark.handlers.share_state.results import decided
from tidemark.share_coordinator.state import SharePartition, ShareState, ShareStates
from tidemark_protocol.messages.read_share_group_state import (
    PartitionData,
    PartitionResult,
    ReadShareGroupStateRequest,
    ReadShareGroupStateResponse,
    ReadStateResult,
    StateBatch,
)


@command(ReadShareGroupStateRequest, state=ShareStates, versions=range(0, 1))
def read_share_group_state(
    states: ShareStates, ctx: Context, request: ReadShareGroupStateRequest
) -> Steps[Decision[ReadShareGroupStateResponse]]:
    def decide(key: SharePartition, each: PartitionData) -> Decision[ShareState]:
        return states.read(ctx.now, key, each.leader_epoch)

    found = yield from decided(
        states, ctx, request, "read share group state", decide, _result, PartitionResult
    )
    results = [ReadStateResult(*each) for each in found]
    return Decision(ReadShareGroupStateResponse(results))


def _result(partition: int, state: ShareState) -> PartitionResult:
    return PartitionResult(
        partition,
        state_epoch=state.state_epoch,
        start_offset=state.start_offset,
        state_batches=[
            StateBatch(each.first_offset, each.last_offset, each.delivery_state, each.delivery_count)
            for each in state.batches
        ],
    )
