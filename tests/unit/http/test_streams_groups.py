"""/v1/groups of streams groups has what StreamsGroupDescribe returns, which conformance cases check."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import pytest

from tests.conformance.build_streams import (
    NO_TASKS,
    describe_streams,
    internal,
    streams_heartbeat,
    subtopology,
    topology,
)
from tests.unit.http.asking import Asked, asked

GROUP: Final = "counts"
STANDBYS: Final = {
    "Resources": [
        {
            "ResourceType": 32,
            "ResourceName": GROUP,
            "Configs": [{"Name": "streams.num.standby.replicas", "ConfigOperation": 0, "Value": "1"}],
        }
    ]
}
COUNTS: Final = topology(subtopology("0", ["words"], changelogs=[internal("counts-store-changelog")]))
ROLES: Final = {"active": "ActiveTasks", "standby": "StandbyTasks", "warmup": "WarmupTasks"}


@pytest.fixture
def broker() -> Iterator[Asked]:
    settings = {
        "group_streams_initial_rebalance_delay_ms": "0",
        "group_streams_assignment_interval_ms": "0",
        "group_streams_max_standby_replicas": "1",
    }
    with asked(tidemark_test_api="true", **settings) as broker:
        broker.topics(words=2)
        yield broker


class Member:
    def __init__(self, broker: Asked, name: str) -> None:
        self.broker, self.name, self.epoch = broker, name, 0
        self.client = broker.client()
        self.owns: dict[str, Any] = dict.fromkeys(ROLES, NO_TASKS)
        self.beat(topology=COUNTS, process=f"p-{name}", endpoint=(name, 7070), rebalance_ms=30_000)

    def beat(self, **fields: Any) -> None:
        """Send a heartbeat with the tasks that the member owns, and own what it is assigned."""
        api, version, request = streams_heartbeat(GROUP, self.name, self.epoch, **self.owns, **fields)
        told = self.broker.run(self.client.ask(api, version, request))
        assert told["ErrorCode"] == 0, told
        self.epoch = told["MemberEpoch"]
        if told["ActiveTasks"] is not None:
            self.owns = {role: by_subtopology(told[field]) for role, field in ROLES.items()}


def by_subtopology(given: list[dict[str, Any]]) -> dict[str, list[int]]:
    return {each["SubtopologyId"]: each["Partitions"] for each in given}


def by_role(assignment: dict[str, Any]) -> dict[str, dict[str, list[int]]]:
    return {role: by_subtopology(assignment[field]) for role, field in ROLES.items()}


def test_members_of_a_streams_group_have_their_tasks(broker: Asked) -> None:
    client = broker.client()
    broker.run(client.ask("IncrementalAlterConfigs", 1, STANDBYS))
    members = [Member(broker, name) for name in ("m1", "m2")]
    for _ in range(4):
        for each in members:
            each.beat()
    api, version, request = describe_streams(GROUP)
    (described,) = broker.run(client.ask(api, version, request))["Groups"]
    (told,) = broker.get("/groups", group=GROUP)["groups"]
    assert (told["type"], told["state"], told["waits_for"]) == ("streams", described["GroupState"], None)
    assert told["state"] == "Stable"
    of_group = {each["member_id"]: each for each in told["members"]}
    for each in described["Members"]:
        member, endpoint = of_group[each["MemberId"]], each["UserEndpoint"]
        assert member["assigned"] == by_role(each["Assignment"])
        assert member["target"] == by_role(each["TargetAssignment"])
        assert member["revoking"] == {role: {} for role in ROLES}
        assert member["process_id"] == each["ProcessId"]
        assert member["endpoint"] == {"host": endpoint["Host"], "port": endpoint["Port"]}
        assert member["topology_epoch"] == each["TopologyEpoch"] == 0
        assert member["assigned"]["active"] and member["assigned"]["standby"]


def test_tasks_that_a_member_must_give_up_are_shown(broker: Asked) -> None:
    first = Member(broker, "m1")
    first.beat()
    Member(broker, "m2")
    first.beat()
    (told,) = broker.get("/groups", group=GROUP)["groups"]
    member = next(each for each in told["members"] if each["member_id"] == "m1")
    assert told["state"] == "Reconciling"
    assert (member["state"], told["waits_for"]) == (
        "unrevoked_tasks",
        "member m1 does not have its tasks yet",
    )
    (given_up,) = member["revoking"]["active"]["0"]
    assert member["assigned"]["active"]["0"] == member["target"]["active"]["0"] == [1 - given_up]


def test_a_member_that_asks_for_a_shutdown_is_named(broker: Asked) -> None:
    member = Member(broker, "m1")
    member.beat()
    member.beat(shutdown=True)
    (told,) = broker.get("/groups", group=GROUP)["groups"]
    assert told["waits_for"] == "member m1 has asked all members to shut down"
