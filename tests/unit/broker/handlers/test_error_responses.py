"""The responses to requests that fail as a whole, of all APIs. Kafka: getErrorResponse of each request."""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.unit.broker.story import error_response
from tidemark.handlers import routes
from tidemark_protocol import encode, from_dict, to_dict
from tidemark_protocol.errors import ErrorCode

CODE: Final = ErrorCode.CLUSTER_AUTHORIZATION_FAILED
TOPIC_ID: Final = "00000000-0000-0000-0000-00000000000a"


def failed(api: str, request: dict[str, Any]) -> dict[str, Any]:
    return to_dict(error_response(from_dict(f"{api}Request", request), CODE))


@pytest.mark.parametrize("route", routes.load().values(), ids=lambda route: route.name)
def test_every_api_has_an_error_response_in_all_its_versions(route: routes.Route) -> None:
    response = error_response(from_dict(f"{route.name}Request", {}), CODE)
    for version in route.versions:
        assert encode(f"{route.name}Response", version, response)


def test_parts_repeat_what_identifies_those_of_the_request() -> None:
    topics = failed("Produce", {"TopicData": [{"TopicId": TOPIC_ID, "PartitionData": [{"Index": 7}]}]})
    [topic] = topics["Responses"]
    [partition] = topic["PartitionResponses"]
    assert topic["TopicId"] == TOPIC_ID
    assert (partition["Index"], partition["ErrorCode"], partition["BaseOffset"]) == (7, CODE, -1)
    assert partition["ErrorMessage"] is None  # ApiError.fromThrowable: no generic text
    entity = [{"EntityType": "user", "EntityName": None}]
    [entry] = failed("AlterClientQuotas", {"Entries": [{"Entity": entity}]})["Entries"]
    assert (entry["Entity"], entry["ErrorCode"]) == (entity, CODE)


def test_fields_that_a_request_shares_with_the_response_are_not_repeated() -> None:
    topic = {"Name": "orders", "NumPartitions": 3, "Configs": [{"Name": "retention.ms", "Value": "5"}]}
    [created] = failed("CreateTopics", {"Topics": [topic, topic]})["Topics"]
    assert (created["Name"], created["NumPartitions"], created["Configs"]) == ("orders", -1, [])
    assert failed("InitProducerId", {"ProducerId": 5, "ProducerEpoch": 1})["ProducerId"] == -1


def test_name_of_a_topic_that_is_requested_by_its_id_is_empty() -> None:
    [topic] = failed("Metadata", {"Topics": [{"TopicId": TOPIC_ID, "Name": None}]})["Topics"]
    assert (topic["TopicId"], topic["Name"], topic["ErrorCode"]) == (TOPIC_ID, "", CODE)


# getErrorResponse of each request in kafka-clients 4.3.1, with an exception that has a message of its own.
@pytest.mark.parametrize(
    ("api", "request_", "array", "message"),
    [
        ("DescribeAcls", {}, None, "why"),
        ("DescribeCluster", {}, None, "why"),
        ("CreatePartitions", {"Topics": [{"Name": "a"}]}, "Results", "why"),
        ("CreateTopics", {"Topics": [{"Name": "a"}]}, "Topics", "why"),
        ("AddRaftVoter", {}, None, CODE.text),
        ("AlterClientQuotas", {"Entries": [{}]}, "Entries", CODE.text),
        ("DescribeConfigs", {"Resources": [{}]}, "Results", CODE.text),
        ("DescribeQuorum", {}, None, CODE.text),
        ("FindCoordinator", {}, None, CODE.text),
        ("RemoveRaftVoter", {}, None, CODE.text),
    ],
)
def test_given_message_replaces_that_of_the_code_where_kafka_sends_it(
    api: str, request_: dict[str, Any], array: str | None, message: str
) -> None:
    route = next(each for each in routes.load().values() if each.name == api)
    route.load()
    response = to_dict(route.error_response(from_dict(f"{api}Request", request_), CODE, "why"))
    part = response if array is None else response[array][0]
    assert (part["ErrorCode"], part["ErrorMessage"]) == (CODE, message)
