"""Checks of the requests that change the quorum of controllers. Kafka: `KafkaRaftClient`.

The quorum is this node alone, as in a cluster of Kafka whose kraft.version is 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from tidemark.metadata.state import Cluster
from tidemark_protocol.errors import ErrorCode, KafkaError

CONTROLLER_LISTENER: Final = "CONTROLLER"  # the name in Kafka's server.properties
NO_DIRECTORY: Final = bytes(16)


class Listener(Protocol):
    """The address of a voter. Case does not matter in its name."""

    name: str
    host: str
    port: int


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


def check_endpoints(listeners: Sequence[Listener]) -> None:
    """Raises KafkaError if the listener of the controllers is missing."""
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
