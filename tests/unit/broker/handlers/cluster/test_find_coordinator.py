"""FindCoordinator, and the creation of `__consumer_offsets`. Codes and texts are those of Kafka 4.3.1."""

from __future__ import annotations

import itertools
import uuid
from typing import Any

import pytest

from tests.unit.broker.story import error_response, finished
from tidemark.core.context import Caller, Context, Operation, ResourceType
from tidemark.core.decision import (
    Decision,
    OffsetsTopicCreated,
    Record,
    ShareStateTopicCreated,
    TransactionsTopicCreated,
)
from tidemark.handlers.cluster.find_coordinator import find_coordinator
from tidemark.metadata.model import Identity
from tidemark.metadata.state import Cluster
from tidemark.settings.broker import BrokerSettings
from tidemark_protocol import decode, encode, to_dict
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.find_coordinator import (
    Coordinator,
    FindCoordinatorRequest,
    FindCoordinatorResponse,
)
from tidemark_protocol.records.register_broker_record import RegisterBrokerRecord

GROUP, TRANSACTION, SHARE = 0, 1, 2


def a_cluster(**limits: Any) -> Cluster:
    cluster = Cluster(Identity("cluster", node_id=7), BrokerSettings(**limits))
    cluster.replay(Record(None, RegisterBrokerRecord(broker_id=7, fenced=False)))
    return cluster


def a_context(version: int, *, denied: tuple[int, ...] = ()) -> Context:
    numbers = itertools.count(1)
    return Context(
        wall_ms=1_000,
        steady_ms=0,
        version=version,
        caller=Caller(
            host="broker.example",
            port=19092,
            authorizers=lambda *_: lambda operation, resource, name: resource not in denied,
        ),
        new_id=lambda: str(uuid.UUID(int=next(numbers) << 100)),
    )


def find(
    cluster: Cluster, version: int, request: FindCoordinatorRequest, **how: tuple[int, ...]
) -> Decision[FindCoordinatorResponse]:
    """Return the decision, with the parts that were applied before."""
    parts: list[Decision[FindCoordinatorResponse]] = []

    def accept(part: Decision[FindCoordinatorResponse]) -> None:
        parts.append(part)
        for record in part.records:
            cluster.replay(record)

    last = finished(find_coordinator(cluster, a_context(version, **how), request), accept)
    accept(last)
    return Decision(
        last.response,
        tuple(record for part in parts for record in part.records),
        effects=tuple(effect for part in parts for effect in part.effects),
    )


@pytest.mark.parametrize("key_type", [GROUP, TRANSACTION])
def test_request_that_pauses_does_not_create_what_another_has_created(key_type: int) -> None:
    cluster = a_cluster()
    request = FindCoordinatorRequest(key_type=key_type, coordinator_keys=["a", "b"])
    paused = find_coordinator(cluster, a_context(4), request)
    for step in paused:
        if not isinstance(step, Decision):
            break
        for record in step.records:
            cluster.replay(record)
    assert not find(cluster, 4, request).records
    assert not finished(paused).records


@pytest.mark.parametrize("key_type", [GROUP, TRANSACTION, SHARE])
def test_no_topic_is_created_while_all_brokers_are_fenced(key_type: int) -> None:
    cluster = a_cluster(tidemark_brokers=3)
    for node_id in (7, 8, 9):
        cluster.replay(Record(None, RegisterBrokerRecord(broker_id=node_id, fenced=True)))
    key = f"readers:{'A' * 22}:0" if key_type == SHARE else "readers"
    request = FindCoordinatorRequest(key_type=key_type, coordinator_keys=[key])
    found = find(cluster, 6, request)
    assert found.response is not None
    assert [each.error_code for each in found.response.coordinators] == [ErrorCode.COORDINATOR_NOT_AVAILABLE]
    assert not found.records
    assert not found.effects


def single(version: int, key_type: int = GROUP, key: str = "readers") -> FindCoordinatorResponse:
    response = find(a_cluster(), version, FindCoordinatorRequest(key, key_type)).response
    assert isinstance(response, FindCoordinatorResponse)
    return response


def several(version: int, key_type: int, *keys: str) -> list[Coordinator]:
    response = find(a_cluster(), version, FindCoordinatorRequest("", key_type, list(keys))).response
    assert isinstance(response, FindCoordinatorResponse)
    return response.coordinators


@pytest.mark.parametrize("version", [1, 2, 3])
def test_v1_to_v3_name_this_node_under_the_address_that_the_client_used(version: int) -> None:
    assert single(version) == FindCoordinatorResponse(0, 0, "NONE", 7, "broker.example", 19092, [])


def test_an_empty_list_of_keys_gets_an_empty_response_and_creates_nothing() -> None:
    result = find(a_cluster(), 4, FindCoordinatorRequest("", GROUP, []))
    assert result == Decision(FindCoordinatorResponse())


def test_the_first_call_creates_the_offsets_topic_and_returns_at_once() -> None:
    cluster = a_cluster(offsets_topic_num_partitions=3)
    result = find(cluster, 0, FindCoordinatorRequest("readers"))
    assert result.response is not None
    assert result.effects == (OffsetsTopicCreated(3),)
    topic = cluster.topics["__consumer_offsets"]
    assert len(topic.partitions) == 3
    assert topic.internal
    assert topic.configs == {
        "cleanup.policy": "compact",
        "compression.type": "producer",
        "segment.bytes": "104857600",
    }


def test_the_first_call_for_a_transactional_id_creates_its_topic_with_the_settings_of_kafka() -> None:
    cluster = a_cluster(transaction_state_log_num_partitions=3, transaction_state_log_min_isr=2)
    result = find(cluster, 4, FindCoordinatorRequest("", TRANSACTION, ["tx", ""]))
    assert result.response is not None
    assert result.effects == (TransactionsTopicCreated(3),)
    topic = cluster.topics["__transaction_state"]
    assert len(topic.partitions) == 3
    assert topic.internal
    assert [*topic.configs.items()] == [
        ("compression.type", "uncompressed"),
        ("cleanup.policy", "compact"),
        ("min.insync.replicas", "2"),
        ("segment.bytes", "104857600"),
        ("unclean.leader.election.enable", "false"),
    ]
    assert find(cluster, 4, FindCoordinatorRequest("", TRANSACTION, ["tx"])).records == ()


def test_a_transactional_id_that_may_not_be_described_is_refused_and_no_topic_is_created() -> None:
    request = FindCoordinatorRequest("tx", TRANSACTION)
    result = find(a_cluster(), 3, request, denied=(ResourceType.TRANSACTIONAL_ID,))
    code = ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
    assert result == Decision(FindCoordinatorResponse(0, code, code.text, -1, "", -1))


def test_the_offsets_topic_is_created_once() -> None:
    cluster = a_cluster()
    find(cluster, 6, FindCoordinatorRequest("", GROUP, ["a", "b"]))
    again = find(cluster, 6, FindCoordinatorRequest("", GROUP, ["a"]))
    assert again.records == ()
    assert again.effects == ()


@pytest.mark.parametrize(("version", "message"), [(3, ErrorCode.GROUP_AUTHORIZATION_FAILED.text), (4, "")])
def test_a_group_that_may_not_be_described_is_refused_and_no_topic_is_created(
    version: int, message: str
) -> None:
    request = FindCoordinatorRequest("readers", GROUP, ["readers"])
    result = find(a_cluster(), version, request, denied=(ResourceType.GROUP,))
    code = ErrorCode.GROUP_AUTHORIZATION_FAILED
    if version < 4:
        expected = FindCoordinatorResponse(0, code, message, -1, "", -1)
    else:
        expected = FindCoordinatorResponse(coordinators=[Coordinator("readers", -1, "", -1, code, message)])
    assert result == Decision(expected)


def test_each_key_is_authorized_separately() -> None:
    asked: list[tuple[int, int, str]] = []

    def allowed(operation: int, resource: int, name: str) -> bool:
        asked.append((operation, resource, name))
        return name == "mine"

    ctx = a_context(4)
    ctx.allowed = allowed
    request = FindCoordinatorRequest("", GROUP, ["mine", "theirs"])
    response = finished(find_coordinator(a_cluster(), ctx, request), lambda created: None).response
    assert isinstance(response, FindCoordinatorResponse)
    assert [each.error_code for each in response.coordinators] == [0, 30]
    assert asked == [(Operation.DESCRIBE, ResourceType.GROUP, name) for name in ("mine", "theirs")]


A_SHARE_PARTITION = "g:AAECAwQFBgcICQoLDA0ODw:0"


@pytest.mark.parametrize(
    ("version", "key"), [(4, A_SHARE_PARTITION), (5, A_SHARE_PARTITION), (6, "nonsense")]
)
def test_a_share_partition_needs_version_6_and_a_key_of_three_parts(version: int, key: str) -> None:
    assert several(version, SHARE, key) == [Coordinator(key, -1, "", -1, 42, "")]


def test_the_first_call_for_a_share_partition_creates_its_topic_with_the_settings_of_kafka() -> None:
    cluster = a_cluster(share_coordinator_state_topic_num_partitions=3)
    result = find(cluster, 6, FindCoordinatorRequest("", SHARE, ["nonsense", A_SHARE_PARTITION]))
    assert result.response is not None
    assert result.response.coordinators[1] == Coordinator(
        A_SHARE_PARTITION, 7, "broker.example", 19092, 0, ""
    )
    assert result.effects == (ShareStateTopicCreated(3),)
    topic = cluster.topics["__share_group_state"]
    assert len(topic.partitions) == 3
    assert topic.internal
    assert [*topic.configs.items()] == [
        ("compression.type", "producer"),
        ("cleanup.policy", "delete"),
        ("min.insync.replicas", "1"),
        ("segment.bytes", "104857600"),
        ("retention.ms", "-1"),
    ]
    assert find(cluster, 6, FindCoordinatorRequest("", SHARE, [A_SHARE_PARTITION])).records == ()


def test_share_partitions_need_cluster_action_whatever_the_key() -> None:
    request = FindCoordinatorRequest("", SHARE, ["nonsense", A_SHARE_PARTITION])
    with pytest.raises(KafkaError) as error:
        find(a_cluster(), 6, request, denied=(ResourceType.CLUSTER,))
    assert error.value.code is ErrorCode.CLUSTER_AUTHORIZATION_FAILED


@pytest.mark.parametrize("version", range(7))
def test_error_of_the_whole_names_no_node(version: int) -> None:
    """A fault, or a bug. Since version 4, each key has the error."""
    request = FindCoordinatorRequest(key="a", coordinator_keys=["a", "b"] if version >= 4 else [])
    response = error_response(request, ErrorCode.COORDINATOR_LOAD_IN_PROGRESS)
    encoded = to_dict(
        decode("FindCoordinatorResponse", version, encode("FindCoordinatorResponse", version, response))
    )
    errors = encoded["Coordinators"] if version >= 4 else [encoded]
    assert [each.get("Key") for each in errors] == (["a", "b"] if version >= 4 else [None])
    for each in errors:
        assert (each["ErrorCode"], each["NodeId"], each["Host"], each["Port"]) == (14, -1, "", -1)
        if version > 0:
            assert each["ErrorMessage"] == ErrorCode.COORDINATOR_LOAD_IN_PROGRESS.text
