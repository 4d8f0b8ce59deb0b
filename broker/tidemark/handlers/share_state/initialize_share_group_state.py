"""InitializeShareGroupState: begins the state of share partitions (KIP-932). Group coordinators send it."""

from __future__ import annotations

from tidemark.core.context import Context
from tidemark.core.decision import Decision, Steps
from tidemark.handlers.routes import command
from tidemark.handlers.share_state.results import decided
from tidemark.share_coordinator.state import SharePartition, ShareState, ShareStates
from tidemark_protocol.messages.initialize_share_group_state import (
    InitializeShareGroupStateRequest,
    InitializeShareGroupStateResponse,
    InitializeStateResult,
    PartitionData,
    PartitionResult,
)


@command(InitializeShareGroupStateRequest, state=ShareStates, versions=range(0, 1))
def initialize_share_group_state(
    states: ShareStates, ctx: Context, request: InitializeShareGroupStateRequest
) -> Steps[Decision[InitializeShareGroupStateResponse]]:
    def decide(key: SharePartition, each: PartitionData) -> Decision[ShareState]:
        return states.initialize(ctx.now, key, each.state_epoch, each.start_offset)

    found = yield from decided(
        states, ctx, request, "initialize share group state", decide,
        lambda partition, _: PartitionResult(partition), PartitionResult, skips_empty_topics=True,
    )  # fmt: skip
    results = [InitializeStateResult(*each) for each in found]
    return Decision(InitializeShareGroupStateResponse(results))
