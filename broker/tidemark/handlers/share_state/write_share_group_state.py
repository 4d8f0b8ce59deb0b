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
    def prepare(key: SharePartition, each: PartitionData) -> Steps[None]:
        yield from states.prepare(key, each.start_offset, _batches(each))

    def decide(key: SharePartition, each: PartitionData) -> Decision[None]:
        return states.write(
            ctx.now,
            key,
            each.state_epoch,
            each.leader_epoch,
            each.start_offset,
            each.delivery_complete_count,
            _batches(each),
        )

    found = yield from decided(
        states, ctx, request, "write share group state", decide,
        lambda partition, _: PartitionResult(partition), PartitionResult, prepare=prepare,
    )  # fmt: skip
    results = [WriteStateResult(*each) for each in found]
    return Decision(WriteShareGroupStateResponse(results))


def _batches(given: PartitionData) -> list[StateBatch]:
    return [
        StateBatch(each.first_offset, each.last_offset, each.delivery_count, each.delivery_state)
        for each in given.state_batches
    ]
