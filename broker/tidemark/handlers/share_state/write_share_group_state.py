"""WriteShareGroupState: stores the start and the delivery states of share partitions (KIP-932).

v0  the first version
v1  the number of records behind the start that are done
"""

from __future__ import annotations

from tidemark.core.context import Context
from tidemark.core.decision import Decision, Steps
from tidemark.handlers.routes import command
from tidemark.handlers.share_state.results import decided
from tidemark.share_coordinator.state import SharePartition, ShareStates
from tidemark_protocol.messages.write_share_group_state import (
    PartitionData,
    PartitionResult,
    WriteShareGroupStateRequest,
    WriteShareGroupStateResponse,
    WriteStateResult,
)
from tidemark_protocol.share_batches import StateBatch


@command(WriteShareGroupStateRequest, state=ShareStates, versions=range(0, 2))
def write_share_group_state(
    states: ShareStates, ctx: Context, request: WriteShareGroupStateRequest
) -> Steps[Decision[WriteShareGroupStateResponse]]:
    def decide(key: SharePartition, each: PartitionData) -> Decision[None]:
        batches = [
            StateBatch(batch.first_offset, batch.last_offset, batch.delivery_count, batch.delivery_state)
            for batch in each.state_batches
        ]
        return states.write(
            ctx.now,
            key,
            each.state_epoch,
            each.leader_epoch,
            each.start_offset,
            each.delivery_complete_count,
            batches,
        )

    found = yield from decided(
        states, ctx, request, "write share group state", decide,
        lambda partition, _: PartitionResult(partition), PartitionResult,
    )  # fmt: skip
    results = [WriteStateResult(*each) for each in found]
    return Decision(WriteShareGroupStateResponse(results))
