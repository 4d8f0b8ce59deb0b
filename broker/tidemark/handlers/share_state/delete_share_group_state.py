"""DeleteShareGroupState: deletes the state of share partitions (KIP-932). Group coordinators send it."""

from __future__ import annotations

from tidemark.core.context import Context
from tidemark.core.decision import Decision, Steps
from tidemark.handlers.routes import command
from tidemark.handlers.share_state.results import decided
from tidemark.share_coordinator.state import ShareStates
from tidemark_protocol.messages.delete_share_group_state import (
    DeleteShareGroupStateRequest,
    DeleteShareGroupStateResponse,
    DeleteStateResult,
    PartitionResult,
)


@command(DeleteShareGroupStateRequest, state=ShareStates, versions=range(0, 1))
def delete_share_group_state(
    states: ShareStates, ctx: Context, request: DeleteShareGroupStateRequest
) -> Steps[Decision[DeleteShareGroupStateResponse]]:
    found = yield from decided(
        states, ctx, request, "delete share group state", lambda key, _: states.delete(key),
        lambda partition, _: PartitionResult(partition), PartitionResult,
    )  # fmt: skip
    results = [DeleteStateResult(*each) for each in found]
    return Decision(DeleteShareGroupStateResponse(results))
