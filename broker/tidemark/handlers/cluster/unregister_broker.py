"""UnregisterBroker: removes the registration of a broker.

A broker of this process that runs loses its leaders, and is registered again when it starts the next time, as
in Kafka. The first one plays the controller and stays.
"""

from __future__ import annotations

from itertools import islice

from tidemark.core.context import Context, Operation
from tidemark.core.decision import PART_RECORDS_MAX, Decision, Record, Steps
from tidemark.handlers.routes import command
from tidemark.metadata.authorized import cluster_allowed
from tidemark.metadata.replicas import changes_without
from tidemark.metadata.state import Cluster
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.unregister_broker import UnregisterBrokerRequest, UnregisterBrokerResponse
from tidemark_protocol.records.unregister_broker_record import UnregisterBrokerRecord


@command(UnregisterBrokerRequest, state=Cluster, versions=range(0, 1))
def unregister_broker(
    cluster: Cluster, ctx: Context, request: UnregisterBrokerRequest
) -> Steps[Decision[UnregisterBrokerResponse]]:
    if not cluster_allowed(ctx, Operation.ALTER):
        raise KafkaError(ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    broker = request.broker_id
    if broker not in cluster.brokers:
        return Decision(_not_registered(broker))
    if broker == cluster.identity.node_id:
        text = f"Broker {broker} is running. Only a broker that has been stopped can be unregistered."
        return Decision(UnregisterBrokerResponse(0, ErrorCode.INVALID_REQUEST, text))
    is_changed = True
    while is_changed:  # again: topics may be created on the broker during a pause
        is_changed = False
        changes = (Record(None, change) for change in changes_without(cluster, broker))
        while part := tuple(islice(changes, PART_RECORDS_MAX)):
            is_changed = True
            yield Decision(records=part)
    registration = cluster.brokers.get(broker)
    if registration is None:  # by another request
        return Decision(_not_registered(broker))
    record = UnregisterBrokerRecord(broker, registration.broker_epoch)
    return Decision(UnregisterBrokerResponse(), (Record(None, record),))


def _not_registered(broker: int) -> UnregisterBrokerResponse:
    text = f"Broker ID {broker} is not currently registered"
    return UnregisterBrokerResponse(0, ErrorCode.BROKER_ID_NOT_REGISTERED, text)
