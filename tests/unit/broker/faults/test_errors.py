"""Responses with an error code: every API can carry one, and only the part that a fault selects fails."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.unit.broker.faults.test_matching import facts
from tidemark.faults.errors import Changed, Refused, check, fail
from tidemark.faults.model import Fault, InvalidFault
from tidemark.handlers import routes
from tidemark.server.request_journal import message_text
from tidemark_protocol import decode, encode, from_dict, to_dict
from tidemark_protocol.errors import ErrorCode

ROUTES = {route.name: route for route in routes.load().values()}
ERROR = ErrorCode.NOT_COORDINATOR
TWO = [{"Name": "orders", "Partitions": [{"PartitionIndex": 0}, {"PartitionIndex": 1}]},
       {"Name": "returns", "Partitions": [{"PartitionIndex": 0}]}]  # fmt: skip


def error_response(api: str) -> Any:
    ROUTES[api].load()
    return ROUTES[api].error_response


def failed(api: str, request: dict[str, Any], fault: Fault, version: int = 8) -> Any:
    asked = facts(from_dict(f"{api}Request", request), api=api, version=version)
    return fail(fault, asked, error_response(api))


def codes(response: Any) -> dict[tuple[str, int], int]:
    return {
        (topic["Name"], partition["PartitionIndex"]): partition["ErrorCode"]
        for topic in to_dict(response)["Topics"]
        for partition in topic["Partitions"]
    }


FILLED: dict[str, dict[str, Any]] = {
    "Produce": {"TopicData": [{"Name": "t", "PartitionData": [{"Index": 0}]}]},
    "Fetch": {"Topics": [{"Topic": "t", "Partitions": [{"Partition": 0}]}]},
    "OffsetCommit": {"Topics": TWO},
    "TxnOffsetCommit": {"Topics": TWO},
    "DeleteRecords": {"Topics": TWO},
    "DescribeGroups": {"Groups": ["g"]},
    "DeleteGroups": {"GroupsNames": ["g"]},
    "ConsumerGroupDescribe": {"GroupIds": ["g"]},
    "CreateTopics": {"Topics": [{"Name": "t"}]},
    "CreatePartitions": {"Topics": [{"Name": "t"}]},
    "DeleteTopics": {"Topics": [{"Name": "t"}], "TopicNames": ["t"]},
    "DescribeConfigs": {"Resources": [{"ResourceType": 2, "ResourceName": "t"}]},
    "AlterConfigs": {"Resources": [{"ResourceType": 2, "ResourceName": "t"}]},
    "IncrementalAlterConfigs": {"Resources": [{"ResourceType": 2, "ResourceName": "t"}]},
    "AddPartitionsToTxn": {"V3AndBelowTopics": [{"Name": "t", "Partitions": [0]}]},
    "WriteTxnMarkers": {"Markers": [{"Topics": [{"Name": "t", "PartitionIndexes": [0]}]}]},
    "DescribeProducers": {"Topics": [{"Name": "t", "PartitionIndexes": [0]}]},
    "AlterUserScramCredentials": {"Deletions": [{"Name": "alice", "Mechanism": 1}]},
    "DescribeTransactions": {"TransactionalIds": ["x"]},
    "AlterClientQuotas": {"Entries": [{"Entity": [{"EntityType": "user", "EntityName": "x"}]}]},
    "AlterReplicaLogDirs": {"Dirs": [{"Path": "/x", "Topics": [{"Name": "t", "Partitions": [0]}]}]},
    "CreateAcls": {"Creations": [{"ResourceName": "t"}]},
    "DeleteAcls": {"Filters": [{}]},
    "ShareGroupDescribe": {"GroupIds": ["g"]},
    "StreamsGroupDescribe": {"GroupIds": ["g"]},
    "DescribeShareGroupOffsets": {"Groups": [{"GroupId": "g"}]},
    **{
        api: {"Topics": [{"Partitions": [{"Partition": 0}]}]}
        for api in (
            "InitializeShareGroupState",
            "ReadShareGroupState",
            "WriteShareGroupState",
            "DeleteShareGroupState",
            "ReadShareGroupStateSummary",
        )
    },
}
ANSWERS: dict[str, dict[str, Any]] = {
    "ListOffsets": {"Topics": [{"Name": "t", "Partitions": [{"PartitionIndex": 0}]}]},
    "Metadata": {"Topics": [{"Name": "t", "Partitions": [{"PartitionIndex": 0}]}]},
    "OffsetForLeaderEpoch": {"Topics": [{"Topic": "t", "Partitions": [{"Partition": 0}]}]},
    "DescribeTopicPartitions": {"Topics": [{"Name": "t"}]},
    "FindCoordinator": {"Coordinators": [{"Key": "g"}]},
    "OffsetFetch": {"Groups": [{"GroupId": "g"}]},
}


@pytest.mark.parametrize("api", sorted(ROUTES))
def test_every_api_has_an_error_response(api: str) -> None:
    version = ROUTES[api].versions[-1]
    found = failed(api, FILLED.get(api, {}), Fault(error=ERROR), version)
    assert found is not None
    response = answered(api, found, ANSWERS.get(api, {}), version)
    assert response is not None
    assert encode(f"{api}Response", version, response)
    text, errors = message_text(response)
    assert json.loads(text)
    assert "NOT_COORDINATOR" in errors


def answered(api: str, found: Refused | Changed | None, decided: dict[str, Any], version: int) -> Any:
    """Return the response with the error, None if it has no place for it."""
    if found is None:
        return None
    if isinstance(found, Refused):
        return found.response
    name = f"{api}Response"
    response = decode(name, version, encode(name, version, from_dict(name, decided)))  # as a handler fills it
    if found.has_place is not None and not found.has_place(response):
        return None
    return found.change(response)


LEVEL_OF = [None, "top", "group", "topic", "partition"]


@pytest.mark.parametrize("api", sorted(ROUTES))
@pytest.mark.parametrize("level", LEVEL_OF)
@pytest.mark.parametrize("filled", [True, False])
def test_a_request_is_matched_if_and_only_if_its_response_has_the_error(
    api: str, level: str | None, *, filled: bool
) -> None:
    """The bytes of the response decide: they differ with the error code, or the fault has no effect."""
    request = FILLED.get(api, {}) if filled else {}
    decided = ANSWERS.get(api, {}) if filled else {}
    for version in ROUTES[api].versions:
        one, other = (
            answered(api, failed(api, request, Fault(error=code, level=level), version), decided, version)
            for code in (ERROR, ErrorCode.INVALID_REQUEST)
        )
        if one is None:
            assert other is None
            continue
        place = f"{api} v{version}"
        assert encode(f"{api}Response", version, one) != encode(f"{api}Response", version, other), place


@pytest.mark.parametrize(
    ("api", "request_", "decided", "version", "matches"),
    [
        ("Metadata", {"Topics": []}, {}, 12, False),
        ("Metadata", {"Topics": []}, {"Topics": [{"Name": "t"}]}, 12, True),
        ("FindCoordinator", {"Key": "g"}, {}, 3, True),
        ("FindCoordinator", {}, {}, 4, False),
        ("OffsetFetch", {"GroupId": "g"}, {}, 1, False),
        ("OffsetFetch", {"GroupId": "g"}, {}, 7, True),
        ("OffsetFetch", {}, {}, 8, False),
        ("ListOffsets", {}, {}, 7, False),
        ("Fetch", {"SessionId": 1}, {}, 12, False),
        ("OffsetCommit", {"GroupId": "g", "Topics": []}, {}, 8, False),
        ("CreateTopics", {}, {}, 7, False),
        ("DescribeGroups", {"Groups": []}, {}, 5, False),
        ("Heartbeat", {}, {}, 4, True),
    ],
)
def test_request_whose_response_has_no_place_for_the_error(
    api: str, request_: dict[str, Any], decided: dict[str, Any], version: int, *, matches: bool
) -> None:
    found = failed(api, request_, Fault(error=ERROR), version)
    assert (answered(api, found, decided, version) is not None) == matches


def test_level_that_an_api_does_not_have_is_no_match() -> None:
    assert failed("Heartbeat", {}, Fault(error=ERROR, level="group"), 4) is None
    assert failed("OffsetFetch", {}, Fault(error=ERROR, level="top"), 8) is None


def test_level_of_elements_that_no_filter_finds_is_refused() -> None:
    with pytest.raises(InvalidFault, match="level must be top for DescribeQuorum"):
        check(Fault(api="DescribeQuorum", error=ERROR, level="partition"))


def test_only_the_partition_that_a_fault_names_fails() -> None:
    found = failed("OffsetCommit", {"Topics": TWO}, Fault(error=ERROR, topic="orders", partition=1))
    assert isinstance(found, Changed)
    kept = to_dict(found.request)["Topics"]
    assert [(topic["Name"], len(topic["Partitions"])) for topic in kept] == [("orders", 1), ("returns", 1)]
    decided = from_dict("OffsetCommitResponse", {"Topics": [{"Name": "orders", "Partitions": [{}]}]})
    assert codes(found.change(decided)) == {("orders", 0): 0, ("orders", 1): ERROR}


def test_request_with_no_other_partition_is_not_decided() -> None:
    found = failed("OffsetCommit", {"Topics": TWO[1:]}, Fault(error=ERROR, topic="returns"))
    assert isinstance(found, Refused)
    assert codes(found.response) == {("returns", 0): ERROR}


def test_produce_of_two_topics_fails_for_one() -> None:
    two = [{"Name": name, "PartitionData": [{"Index": 0}]} for name in ("orders", "returns")]
    found = failed("Produce", {"TopicData": two}, Fault(error=ERROR, topic="orders"))
    assert isinstance(found, Changed)
    (failing,) = to_dict(found.change(from_dict("ProduceResponse", {})))["Responses"]
    (partition,) = failing["PartitionResponses"]
    assert (failing["Name"], partition["ErrorCode"], partition["BaseOffset"]) == ("orders", ERROR, -1)


def test_failed_produce_has_no_message() -> None:
    request = {"TopicData": [{"Name": "t", "PartitionData": [{"Index": 0}]}]}
    result = failed("Produce", request, Fault(error=ERROR))
    [topic] = to_dict(result.response)["Responses"]
    assert [each["ErrorMessage"] for each in topic["PartitionResponses"]] == [None]


def test_topic_that_is_created_beside_a_failing_one_is_decided() -> None:
    two = {"Topics": [{"Name": "orders"}, {"Name": "returns"}]}
    found = failed("CreateTopics", two, Fault(error=ErrorCode.TOPIC_ALREADY_EXISTS, topic="orders"), 7)
    assert isinstance(found, Changed)
    assert [topic.name for topic in found.request.topics] == ["returns"]


def test_fetch_with_an_error_does_not_wait() -> None:
    request = {
        "MaxWaitMs": 500,
        "Topics": [{"Topic": "t", "Partitions": [{"Partition": 0}, {"Partition": 1}]}],
    }
    found = failed("Fetch", request, Fault(error=ERROR, topic="t", partition=1), 12)
    assert isinstance(found, Changed)
    assert found.request.max_wait_ms == 0
    read = from_dict("FetchResponse", {"Responses": [{"Topic": "t", "Partitions": [{"Records": "00"}]}]})
    topics = to_dict(found.change(read))["Responses"]
    errors = {
        (topic["Topic"], each["PartitionIndex"]): each["ErrorCode"]
        for topic in topics
        for each in topic["Partitions"]
    }
    assert errors == {("t", 0): 0, ("t", 1): ERROR}


@pytest.mark.parametrize(("version", "top", "group"), [(7, ERROR, []), (8, ERROR, [("g", ERROR), ("h", 0)])])
def test_offset_fetch_fails_for_the_group_that_a_fault_names(
    version: int, top: int, group: list[Any]
) -> None:
    request = {"GroupId": "g", "Groups": [{"GroupId": "g"}, {"GroupId": "h"}]}
    found = failed("OffsetFetch", request, Fault(error=ERROR, group="g"), version)
    groups = [{"GroupId": name} for name, _ in group]
    response = to_dict(found.change(from_dict("OffsetFetchResponse", {"Groups": groups})))
    assert response["ErrorCode"] == top
    assert [(each["GroupId"], each["ErrorCode"]) for each in response["Groups"]] == group


def test_level_moves_the_error() -> None:
    top = failed("Fetch", {}, Fault(api="Fetch", error=ERROR, level="top"))
    assert isinstance(top, Refused)
    assert top.response.error_code == ERROR
    metadata = from_dict("MetadataResponse", ANSWERS["Metadata"])
    by_partition = failed("Metadata", {}, Fault(api="Metadata", error=ERROR, level="partition")).change(
        metadata
    )
    (topic,) = by_partition.topics
    assert (topic.error_code, topic.partitions[0].error_code) == (0, ERROR)


@pytest.mark.parametrize("version", range(7))
def test_failed_lookup_of_a_coordinator_names_no_node(version: int) -> None:
    node = {"NodeId": 1, "Host": "localhost", "Port": 9092}
    if version < 4:
        request, decided = {"Key": "g"}, {**node, "ErrorMessage": "NONE"}
    else:
        request, decided = {"CoordinatorKeys": ["g"]}, {"Coordinators": [{**node, "Key": "g"}]}
    found = failed("FindCoordinator", request, Fault(error=ERROR), version)
    assert isinstance(found, Changed)
    response = found.change(from_dict("FindCoordinatorResponse", decided))
    body = encode("FindCoordinatorResponse", version, response)
    told = to_dict(decode("FindCoordinatorResponse", version, body))
    if version >= 4:
        (told,) = told["Coordinators"]
    assert (told["ErrorCode"], told["NodeId"], told["Host"], told["Port"]) == (ERROR, -1, "", -1)
    assert told["ErrorMessage"] == (ERROR.text if 0 < version < 4 else "")
