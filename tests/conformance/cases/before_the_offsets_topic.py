"""Requests to a node without `__consumer_offsets`.

Each case needs its own node: FindCoordinator creates the topic.
"""

from __future__ import annotations

from tests.conformance.build import commit, fetch_offsets, heartbeat, join, leave, sync
from tests.conformance.case import Talk, case
from tests.conformance.members import describe


@case(settings={"offsets.topic.num.partitions": "3"})
def groups_before_the_offsets_topic(k: Talk) -> None:
    """Errors in the request itself are reported first."""
    for version in (0, 4, 7, 9):
        k.ask(*join("g", version=version))
    k.ask(*join("g", "somebody"))
    k.ask(*join("", "somebody"))
    k.ask(*join("g", "somebody", session_ms=1))
    k.ask(*join("g", protocols={}))
    for version in (0, 3, 5):
        k.ask(*sync("g", "somebody", 1, version=version))
    k.ask(*sync("", "somebody", 1))
    k.ask(*sync("g", "somebody", 1, protocol_name=None))
    for version in (0, 4):
        k.ask(*heartbeat("g", "somebody", 1, version=version))
    k.ask(*heartbeat("", "somebody", 1))
    for version in (0, 3, 5):
        k.ask(*leave("g", "somebody", version=version))
    k.ask(*leave("", "somebody"))
    k.ask(*leave("g"))
    for version in (0, 5, 6):
        k.ask(*describe("g", version=version, operations=version > 2))
    k.ask("DeleteGroups", 2, {"GroupsNames": ["g"]})
    for version in (0, 5):
        k.ask("ListGroups", version, {"StatesFilter": [], "TypesFilter": []})


@case(settings={"offsets.topic.num.partitions": "3", "offsets.retention.minutes": "10079"})
def offsets_before_the_offsets_topic(k: Talk) -> None:
    topic = k.topic()
    for version in (2, 9):
        k.ask(*commit("g", {topic: {0: 5}, "unknown": {0: 5}}, version=version))
    for version in (1, 2, 7, 8, 9):
        k.ask(*fetch_offsets("g", {topic: [0]}, version=version))
    k.ask(*fetch_offsets("g"))
    asked = {"Name": topic, "Partitions": [{"PartitionIndex": 0}]}
    k.ask("OffsetDelete", 0, {"GroupId": "g", "Topics": [asked]})


@case(settings={"offsets.topic.num.partitions": "2"}, differs="The first FindCoordinator")
def find_coordinator_before_the_offsets_topic(k: Talk) -> None:
    """FindCoordinator creates the topic."""
    k.ask("FindCoordinator", 6, {"KeyType": 0, "CoordinatorKeys": ["g"]})
