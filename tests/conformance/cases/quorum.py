"""DescribeQuorum, AddRaftVoter, RemoveRaftVoter, UnregisterBroker on a node that is broker and controller."""

from __future__ import annotations

from typing import Any, Final

from tests.conformance.case import Fields, Talk, case

METADATA: Final = "__cluster_metadata"
NODE: Final = 1
NO_ID: Final = "00000000-0000-0000-0000-000000000000"
ANY_ID: Final = "11111111-1111-1111-1111-111111111111"

Request = tuple[str, int, Fields]


def describe_quorum(*topics: tuple[str, list[int]], version: int = 2) -> Request:
    named = [
        {"TopicName": topic, "Partitions": [{"PartitionIndex": index} for index in indexes]}
        for topic, indexes in topics or ((METADATA, [0]),)
    ]
    return "DescribeQuorum", version, {"Topics": named}


def add_voter(voter: int, cluster: str | None = None, *listeners: str, version: int = 1) -> Request:
    found = [{"Name": name, "Host": "127.0.0.1", "Port": 9} for name in listeners]
    fields = {
        "ClusterId": cluster,
        "TimeoutMs": 1000,
        "VoterId": voter,
        "VoterDirectoryId": ANY_ID,
        "Listeners": found,
    }
    return "AddRaftVoter", version, fields


def remove_voter(voter: int, cluster: str | None = None, directory: str = ANY_ID) -> Request:
    return "RemoveRaftVoter", 0, {"ClusterId": cluster, "VoterId": voter, "VoterDirectoryId": directory}


def of_any_log(response: Fields) -> Any:
    """keep=: replace numbers by whether they are above 0, and leave out the listener's address."""
    topics = [
        {**topic, "Partitions": [_of_any_partition(each) for each in topic["Partitions"]]}
        for topic in response["Topics"]
    ]
    nodes = [{**node, "Listeners": len(node["Listeners"])} for node in response["Nodes"]]
    return {**response, "Topics": topics, "Nodes": nodes}


def _of_any_partition(partition: Fields) -> Fields:
    changing = "LogEndOffset", "LastFetchTimestamp", "LastCaughtUpTimestamp"
    voters = [_with_signs(voter, *changing) for voter in partition["CurrentVoters"]]
    return {**_with_signs(partition, "LeaderEpoch", "HighWatermark"), "CurrentVoters": voters}


def _with_signs(fields: Fields, *names: str) -> Fields:
    return {**fields, **{name: "> 0" if fields[name] > 0 else fields[name] for name in names}}


@case(versions=range(3))
def quorum_of_one_node(k: Talk, version: int) -> None:
    k.ask(*describe_quorum(version=version), keep=of_any_log)


@case(versions=range(3))
def quorum_of_other_partitions(k: Talk, version: int) -> None:
    topic = k.topic()
    for topics in (
        [(METADATA, [1])],
        [(METADATA, [0, 1])],
        [(METADATA, [0, 0])],
        [(METADATA, [])],
        [(topic, [0])],
        [(METADATA, [0]), (topic, [0, 1])],
        [(METADATA, [0]), (METADATA, [0])],
        [("", [0])],
    ):
        k.ask(*describe_quorum(*topics, version=version), keep=of_any_log)


@case(versions=range(3))
def quorum_of_no_partition(k: Talk, version: int) -> None:
    k.ask("DescribeQuorum", version, {"Topics": []}, keep=of_any_log)


@case(versions=range(2))
def voter_added_to_a_quorum_that_cannot_change(k: Talk, version: int) -> None:
    for voter in (NODE, 2, -1):
        for listeners in ((), ("CONTROLLER",), ("CONTROLLER", "OTHER")):
            k.ask(*add_voter(voter, None, *listeners, version=version))


@case
def voter_added_without_the_listener_of_controllers(k: Talk) -> None:
    k.ask(*add_voter(2, None, "OTHER"))
    k.ask(*add_voter(2, None, "controller"))


@case
def voter_without_a_directory(k: Talk) -> None:
    name, version, fields = add_voter(2, None, "CONTROLLER")
    k.ask(name, version, {**fields, "VoterDirectoryId": NO_ID})
    k.ask(*remove_voter(2, directory=NO_ID))


@case
def voter_added_to_another_cluster(k: Talk) -> None:
    cluster = k.do("DescribeCluster", 0, {})["ClusterId"]
    k.alias(cluster, "<cluster>")
    for given in (cluster, "another", ""):
        k.ask(*add_voter(2, given, "CONTROLLER"))
        k.ask(*remove_voter(2, given))


@case
def voter_removed_from_a_quorum_that_cannot_change(k: Talk) -> None:
    for voter in (NODE, 2, -1):
        k.ask(*remove_voter(voter))


@case
def unregistered_brokers_that_are_not_registered(k: Talk) -> None:
    for broker in (2, 99, -1, -(2**31), 2**31 - 1):
        k.ask("UnregisterBroker", 0, {"BrokerId": broker})
