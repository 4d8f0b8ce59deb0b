"""RemoveRaftVoter: removes a controller from the quorum (KIP-853). One node cannot change its quorum."""

from __future__ import annotations

from tidemark.core.context import Context, Operation
from tidemark.handlers.cluster.add_raft_voter import check_cluster_id, check_voter, unsupported
from tidemark.handlers.routes import query
from tidemark.metadata.authorized import cluster_allowed
from tidemark.metadata.state import Cluster
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.remove_raft_voter import RemoveRaftVoterRequest, RemoveRaftVoterResponse


@query(RemoveRaftVoterRequest, state=Cluster, versions=range(0, 1))
def remove_raft_voter(
    cluster: Cluster, ctx: Context, request: RemoveRaftVoterRequest
) -> RemoveRaftVoterResponse:
    if not cluster_allowed(ctx, Operation.ALTER):
        raise KafkaError(ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    try:
        check_cluster_id(cluster, request.cluster_id)
        check_voter("Remove", request.voter_id, request.voter_directory_id)
        raise unsupported("removing")
    except KafkaError as refused:
        return RemoveRaftVoterResponse(0, refused.code, refused.message)
