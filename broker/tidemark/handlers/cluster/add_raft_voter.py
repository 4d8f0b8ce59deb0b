"""AddRaftVoter: adds a controller to the quorum (KIP-853). One node cannot change its quorum.

v1  ack_when_committed (KIP-1186)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tidemark.core.context import Context, Operation
from tidemark.handlers.routes import query
from tidemark.metadata.authorized import cluster_allowed
from tidemark.metadata.state import Cluster
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.add_raft_voter import AddRaftVoterRequest, AddRaftVoterResponse, Listener

CONTROLLER_LISTENER: Final = "CONTROLLER"  # the name in Kafka's server.properties
NO_DIRECTORY: Final = bytes(16)


def check_cluster_id(cluster: Cluster, cluster_id: str | None) -> None:
    """Raises KafkaError if a request is meant for another cluster. None: for any cluster."""
    own = cluster.identity.cluster_id
    if cluster_id is not None and cluster_id != own:
        text = f'The given id "{cluster_id}" doesn\'t match the cluster id "{own}"'
        raise KafkaError(ErrorCode.INCONSISTENT_CLUSTER_ID, text)


def check_voter(what: str, voter_id: int, directory_id: bytes) -> None:
    """Raises KafkaError if this cannot be a voter. what: Add or Remove."""
    if voter_id < 0 or directory_id == NO_DIRECTORY:
        text = f"{what} voter request didn't include a valid voter"
        raise KafkaError(ErrorCode.INVALID_REQUEST, text)


def _check_endpoints(listeners: Sequence[Listener]) -> None:
    """Raises KafkaError if the listener of the controllers is missing. Case does not matter in a name."""
    names = [each.name.upper() for each in listeners]
    if CONTROLLER_LISTENER in names:
        return
    found = ", ".join(
        f"ListenerName({name})={each.host}/<unresolved>:{each.port}"
        for name, each in zip(names, listeners, strict=True)
    )
    text = (
        f"Add voter request didn't include the endpoint (Endpoints(endpoints={{{found}}})) for the default "
        f"listener ListenerName({CONTROLLER_LISTENER})"
    )
    raise KafkaError(ErrorCode.INVALID_REQUEST, text)


def unsupported(what: str) -> KafkaError:
    """Return the error of a quorum that cannot change. what: adding or removing."""
    text = f"Cluster doesn't support {what} voter because the kraft.version feature is 0"
    return KafkaError(ErrorCode.UNSUPPORTED_VERSION, text)


@query(AddRaftVoterRequest, state=Cluster, versions=range(0, 2))
def add_raft_voter(cluster: Cluster, ctx: Context, request: AddRaftVoterRequest) -> AddRaftVoterResponse:
    if not cluster_allowed(ctx, Operation.ALTER):
        raise KafkaError(ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    try:
        check_cluster_id(cluster, request.cluster_id)
        check_voter("Add", request.voter_id, request.voter_directory_id)
        _check_endpoints(request.listeners)
        raise unsupported("adding")
    except KafkaError as refused:
        return AddRaftVoterResponse(0, refused.code, refused.message)
