"""/v1/groups/expel: a member is removed as if its session had expired."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.unit.http.asking import Asked, asked
from tidemark.core.decision import Record
from tidemark_protocol.records.feature_level_record import FeatureLevelRecord


@pytest.fixture
def broker() -> Iterator[Asked]:
    with asked(tidemark_test_api="true") as broker:
        broker.topics(orders=2)
        yield broker


def heartbeat(broker: Asked, group: str, member_id: str) -> int:
    request = {"GroupId": group, "GenerationId": 1, "MemberId": member_id}
    code: int = broker.run(broker.client().ask("Heartbeat", 2, request))["ErrorCode"]
    return code


def modern(broker: Asked, member_id: str, epoch: int = 0, **fields: Any) -> dict[str, Any]:
    """Send a heartbeat of a member of a KIP-848 group."""
    if epoch == 0:
        fields |= {"RebalanceTimeoutMs": 60_000, "SubscribedTopicNames": ["orders"], "TopicPartitions": []}
    request = {"GroupId": "modern", "MemberId": member_id, "MemberEpoch": epoch, **fields}
    response: dict[str, Any] = broker.run(broker.client().ask("ConsumerGroupHeartbeat", 1, request))
    return response


def test_a_member_of_a_classic_group_is_removed(broker: Asked) -> None:
    member_id = broker.join("billing", "orders")
    assert heartbeat(broker, "billing", member_id) == 0
    expelled = broker.post("/groups/expel", group="billing", member=member_id)
    assert (expelled["group"], expelled["member"]["member_id"]) == ("billing", member_id)
    assert heartbeat(broker, "billing", member_id) == 25  # UNKNOWN_MEMBER_ID
    (left,) = broker.get("/groups", group="billing")["groups"]
    assert (left["state"], left["members"]) == ("Empty", [])


def test_a_member_of_a_consumer_group_is_removed_and_the_rebalance_has_the_reason(broker: Asked) -> None:
    assert modern(broker, "one")["ErrorCode"] == 0
    assert modern(broker, "two", InstanceId="till")["ErrorCode"] == 0
    assert broker.post("/groups/expel", group="modern", member="till")["member"]["member_id"] == "two"
    assert modern(broker, "two", 2)["ErrorCode"] == 25
    (left,) = broker.get("/groups", group="modern")["groups"]
    assert [(each["member_id"], each["target"]) for each in left["members"]] == [("one", {"orders": [0, 1]})]
    newest = broker.get("/rebalances", group="modern")["rebalances"][0]
    assert (newest["reason"], newest["members"]) == ("member left: expelled by a test", 1)
    # Kafka counts the epochs that joins have raised, and not that of a member that left.
    metrics = broker.ask("GET", "/metrics").text
    assert "tidemark_consumer_group_rebalances_total 2" in metrics


def test_a_member_of_a_share_group_is_removed(broker: Asked) -> None:
    broker.whole.state.cluster.replay(Record(None, FeatureLevelRecord("share.version", 1)))
    for member_id in ("one", "two"):
        joined = {"GroupId": "shared", "MemberId": member_id, "SubscribedTopicNames": ["orders"]}
        assert broker.run(broker.client().ask("ShareGroupHeartbeat", 1, joined))["ErrorCode"] == 0
    assert broker.post("/groups/expel", group="shared", member="two")["member"]["member_id"] == "two"
    (left,) = broker.get("/groups", group="shared")["groups"]
    assert ([each["member_id"] for each in left["members"]], left["generation"]) == (["one"], 4)
    newest = broker.get("/rebalances", group="shared")["rebalances"][0]
    assert (newest["type"], newest["reason"], newest["members"]) == ("share", "member left", 1)


def test_the_rebalance_of_a_classic_group_has_the_reason(broker: Asked) -> None:
    """The other member, which has joined for a static member with an instance id, rejoins."""
    client = broker.client()
    protocols = [{"Name": "range", "Metadata": ""}]
    join = {"GroupId": "billing", "SessionTimeoutMs": 10_000, "RebalanceTimeoutMs": 10_000, "MemberId": "",
            "ProtocolType": "consumer", "Protocols": protocols}  # fmt: skip
    first = broker.run(client.ask("JoinGroup", 5, {**join, "GroupInstanceId": "till"}))
    broker.asks("JoinGroup", 5, {**join, "GroupInstanceId": "desk"})
    rejoin = {**join, "GroupInstanceId": "till", "MemberId": first["MemberId"]}
    while broker.run(client.ask("JoinGroup", 5, rejoin))["GenerationId"] < 2:
        pass
    broker.post("/groups/expel", group="billing", member="desk")
    assert broker.run(client.ask("JoinGroup", 5, rejoin))["GenerationId"] == 3
    newest = broker.get("/rebalances", group="billing")["rebalances"][0]
    assert (newest["epoch"], newest["reason"]) == (3, "member left: expelled by a test")


def test_unknown_groups_and_members_are_named(broker: Asked) -> None:
    broker.join("billing", "orders")
    expel = broker.post("/groups/expel", group="biling", member="raw")
    assert expel.refusal == (404, "unknown_group", "group")
    expel = broker.post("/groups/expel", group="billing", member="row")
    assert expel.refusal == (404, "unknown_member", "member")
    assert expel.why == "group 'billing' has no member 'row'; did you mean 'raw'?"
    expel = broker.post("/groups/expel", group="billing", member="desk")
    assert expel.why.startswith("group 'billing' has no member 'desk': its members are raw (member id raw")
    assert broker.post("/groups/expel", group="billing").refusal == (422, "missing_field", "member")
    assert broker.post("/groups/expel", group=5, member="raw").refusal == (422, "invalid_value", "group")


def test_a_client_id_of_several_members_is_ambiguous(broker: Asked) -> None:
    modern(broker, "one")
    modern(broker, "two")
    expel = broker.post("/groups/expel", group="modern", member="raw")
    assert expel.refusal == (409, "ambiguous_member", "member")
    assert expel.why == (
        "2 members of group 'modern' have the client id 'raw': name one by its member id: "
        "raw (member id one), raw (member id two)"
    )


def test_a_group_without_members_has_nobody_to_expel(broker: Asked) -> None:
    broker.commit("tool")
    expel = broker.post("/groups/expel", group="tool", member="raw")
    assert expel.why == "group 'tool' has no member 'raw': it has no members"
