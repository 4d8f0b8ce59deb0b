"""AddRaftVoter: adds a controller to the quorum (KIP-853). One node cannot change its quorum.

v1  ack_when_committed (KIP-1186)
"""

from __future__ import annotations

from tidemark.core.context import Context, Operation
from tidemark.handlers.routes import query
from tidemark.metadata.authorized import cluster_allowed
from tidemark.metadata.state import Cluster
from tidemark.metadata.voters import check_cluster_id, check_endpoints, check_voter, unsupported
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.add_raft_voter import AddRaftVoterRequest, AddRaftVoterResponse


@query(AddRaftVoterRequest, state=Cluster, versions=range(0, 2))
def add_raft_voter(cluster: Cluster, ctx: Context, request: AddRaftVoterRequest) -> AddRaftVoterResponse:
    if not cluster_allowed(ctx, Operation.ALTER):
        raise KafkaError(ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    try:
        check_cluster_id(cluster, request.cluster_id)
        check_voter("Add", request.voter_id, request.voter_directory_id)
        check_endpoints(request.listeners)
        raise unsupported("adding")
    except KafkaError as refused:
        return AddRaftVoterResponse(0, refused.code, refused.message)


def error_response(request: AddRaftVoterRequest, code: int) -> AddRaftVoterResponse:
    return AddRaftVoterResponse(error_code=code, error_message=ErrorCode(code).text)
