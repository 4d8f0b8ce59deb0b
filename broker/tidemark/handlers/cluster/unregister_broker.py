"""UnregisterBroker: removes the registration of a broker that no longer exists."""

from __future__ import annotations

from tidemark.core.context import Context, Operation
from tidemark.core.decision import Decision, Record
from tidemark.handlers.routes import command
from tidemark.metadata.authorized import cluster_allowed
from tidemark.metadata.state import Cluster
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.unregister_broker import UnregisterBrokerRequest, UnregisterBrokerResponse
from tidemark_protocol.records.unregister_broker_record import UnregisterBrokerRecord


@command(UnregisterBrokerRequest, state=Cluster, versions=range(0, 1))
def unregister_broker(
    cluster: Cluster, ctx: Context, request: UnregisterBrokerRequest
) -> Decision[UnregisterBrokerResponse]:
    if not cluster_allowed(ctx, Operation.ALTER):
        raise KafkaError(ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    broker = request.broker_id
    registration = cluster.brokers.get(broker)
    if registration is None:
        text = f"Broker ID {broker} is not currently registered"
        return Decision(UnregisterBrokerResponse(0, ErrorCode.BROKER_ID_NOT_REGISTERED, text))
    if broker == cluster.identity.node_id:
        text = f"Broker {broker} is running. Only a broker that has been stopped can be unregistered."
        return Decision(UnregisterBrokerResponse(0, ErrorCode.INVALID_REQUEST, text))
    record = UnregisterBrokerRecord(broker, registration.broker_epoch)
    return Decision(UnregisterBrokerResponse(), (Record(None, record),))
