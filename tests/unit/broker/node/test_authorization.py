"""A whole node with an authorizer."""

from __future__ import annotations

import asyncio
from typing import Any

from tests.conformance.build_acls import (
    ALL,
    ANY,
    DELETE,
    DESCRIBE,
    GROUP,
    PREFIXED,
    READ,
    STANDARD_AUTHORIZER,
    acl,
    acl_filter,
)
from tests.unit.broker.whole import Client, Whole, running
from tidemark.server.local import LocalClient
from tidemark_protocol.messages.create_acls import AclCreation, CreateAclsRequest
from tidemark_protocol.messages.delete_acls import DeleteAclsFilter, DeleteAclsRequest
from tidemark_testing.storage import MemoryStorage

GROUP_AUTHORIZATION_FAILED, TOPIC_AUTHORIZATION_FAILED = 30, 29
ANONYMOUS = "User:ANONYMOUS"
ROOT = "User:root"
SETTINGS = {"authorizer_class_name": STANDARD_AUTHORIZER}


async def grant(whole: Whole, *fields: dict[str, Any]) -> None:
    """Create ACLs from within the process, as an administrator."""
    local = LocalClient(whole.server)
    creations = [
        AclCreation(
            *(each["ResourceType"], each["ResourceName"], each["ResourcePatternType"]),
            *(each["Principal"], each["Host"], each["Operation"], each["PermissionType"]),
        )
        for each in fields
    ]
    response = await local.call(CreateAclsRequest(creations))
    local.close()
    assert [each.error_code for each in response.results] == [0] * len(fields)


async def outcome(client: Client, group: str) -> int:
    """Return the group error of OffsetFetch."""
    fields = {"Groups": [{"GroupId": group, "Topics": []}]}
    code: int = (await client.ask("OffsetFetch", 8, fields))["Groups"][0]["ErrorCode"]
    return code


async def test_a_client_may_do_what_acls_allow_also_after_a_restart() -> None:
    storage = MemoryStorage()
    async with running(storage, **SETTINGS) as whole:
        client = await whole.client()
        assert await client.make_topic() == TOPIC_AUTHORIZATION_FAILED
        assert await client.commit("app-1", 5) == GROUP_AUTHORIZATION_FAILED
        await grant(whole, acl("app-", ANONYMOUS, ALL, kind=GROUP, pattern=PREFIXED))
        assert await client.commit("app-1", 5) == TOPIC_AUTHORIZATION_FAILED
        await grant(whole, acl("*", ANONYMOUS, ALL))
        assert await client.make_topic() == 0
        await client.find("app-1")
        assert await client.commit("app-1", 5) == 0
        assert await client.commit("other", 5) == GROUP_AUTHORIZATION_FAILED
    async with running(storage, **SETTINGS) as whole:
        client = await whole.client()
        assert await client.commit("app-1", 6) == 0
        assert await outcome(client, "other") == GROUP_AUTHORIZATION_FAILED


async def test_an_acl_of_a_host_counts_for_that_host_only() -> None:
    async with running(MemoryStorage(), **SETTINGS) as whole:
        await grant(whole, acl("g", ANONYMOUS, READ, kind=GROUP, host="127.0.0.2"))
        client = await whole.client()
        assert await outcome(client, "g") == GROUP_AUTHORIZATION_FAILED
        host, _, port = whole.node.ready()["bootstrap_servers"].rpartition(":")
        streams = await asyncio.open_connection(host, int(port), local_addr=("127.0.0.2", 0))
        other = Client(*streams)
        await other.find("g")
        assert await outcome(other, "g") != GROUP_AUTHORIZATION_FAILED
        other.writer.close()


async def test_super_users_and_acls_without_an_authorizer() -> None:
    storage = MemoryStorage()
    async with running(storage, super_users=f"User:root;{ANONYMOUS}", **SETTINGS) as whole:
        client = await whole.client()
        response = await client.ask("CreateAcls", 3, {"Creations": [acl("orders", "User:alice")]})
        assert [each["ErrorCode"] for each in response["Results"]] == [0]
    async with running(storage) as whole:
        client = await whole.client()
        response = await client.ask("DescribeAcls", 3, acl_filter(None))
        assert response["ErrorMessage"] == "No Authorizer is configured on the broker"
    async with running(storage, super_users=ANONYMOUS, **SETTINGS) as whole:
        client = await whole.client()
        response = await client.ask("DescribeAcls", 3, acl_filter(None))
        assert [each["ResourceName"] for each in response["Resources"]] == ["orders"]


async def test_what_has_no_acl_is_open_if_the_setting_says_so() -> None:
    async with running(MemoryStorage(), allow_everyone_if_no_acl_found="true", **SETTINGS) as whole:
        client = await whole.client()
        assert await client.make_topic() == 0
        await grant(whole, acl("orders", "User:alice"))
        await client.find("g")
        assert await client.commit("g", 5) == TOPIC_AUTHORIZATION_FAILED


async def revoke(whole: Whole) -> None:
    local = LocalClient(whole.server)
    await local.call(DeleteAclsRequest([DeleteAclsFilter(ANY, None, ANY, ANONYMOUS, None, ANY, ANY)]))
    local.close()


async def deleted(client: Client, group: str) -> int:
    """Return the error of a group in DeleteGroups."""
    code: int = (await client.ask("DeleteGroups", 2, {"GroupsNames": [group]}))["Results"][0]["ErrorCode"]
    return code


async def test_delete_on_a_prefix_deletes_its_groups_and_no_other() -> None:
    """KIP-229, as Kafka's authorizer does it: Delete implies Describe."""
    async with running(MemoryStorage(), super_users=ROOT, **SETTINGS) as whole:
        client = await whole.client()
        await grant(whole, acl("*", ANONYMOUS, ALL), acl("*", ANONYMOUS, ALL, kind=GROUP))
        assert await client.make_topic() == 0
        for group in ("app-1", "app-2", "other"):
            await client.find(group)
            assert await client.commit(group, 5) == 0
        await revoke(whole)
        await grant(whole, acl("app-", ANONYMOUS, DELETE, kind=GROUP, pattern=PREFIXED))

        wanted = {"Topics": [{"Name": "orders", "PartitionIndexes": [0]}]}
        fields = {"Groups": [{"GroupId": group, **wanted} for group in ("app-1", "other")]}
        mine, other = (await client.ask("OffsetFetch", 8, fields))["Groups"]
        assert mine["ErrorCode"] == 0
        partition = mine["Topics"][0]["Partitions"][0]
        assert (partition["ErrorCode"], partition["CommittedOffset"]) == (TOPIC_AUTHORIZATION_FAILED, -1)
        assert (other["ErrorCode"], other["Topics"]) == (GROUP_AUTHORIZATION_FAILED, [])

        assert await deleted(client, "app-1") == 0
        assert await deleted(client, "other") == GROUP_AUTHORIZATION_FAILED
        await revoke(whole)
        assert await deleted(client, "app-2") == GROUP_AUTHORIZATION_FAILED


async def test_a_fetch_session_ends_for_topics_that_may_no_longer_be_read() -> None:
    async with running(MemoryStorage(), **SETTINGS) as whole:
        await grant(whole, acl("*", ANONYMOUS, ALL))
        client = await whole.client()
        assert await client.make_topic() == 0
        partition = {"Partition": 0, "FetchOffset": 0, "PartitionMaxBytes": 1000}
        fields = {
            "MaxBytes": 1000,
            "SessionEpoch": 0,
            "Topics": [{"Topic": "orders", "Partitions": [partition]}],
        }
        opened = await client.ask("Fetch", 12, fields)
        assert opened["Responses"][0]["Partitions"][0]["ErrorCode"] == 0
        session = {"MaxBytes": 1000, "SessionId": opened["SessionId"], "Topics": []}
        assert (await client.ask("Fetch", 12, {**session, "SessionEpoch": 1}))["Responses"] == []
        await revoke(whole)
        found = (await client.ask("Fetch", 12, {**session, "SessionEpoch": 2}))["Responses"]
        assert found[0]["Partitions"][0]["ErrorCode"] == TOPIC_AUTHORIZATION_FAILED


async def test_denials_are_counted_and_entries_that_a_list_hides_are_not() -> None:
    async with running(MemoryStorage(), **SETTINGS) as whole:
        client = await whole.client()
        await grant(whole, acl("*", ANONYMOUS, DESCRIBE, kind=GROUP))
        assert await client.make_topic("orders") == TOPIC_AUTHORIZATION_FAILED
        await grant(whole, acl("visible", ANONYMOUS, ALL))
        assert await client.make_topic("visible") == 0
        everything = await client.ask("Metadata", 9, {"Topics": None})
        assert [each["Name"] for each in everything["Topics"]] == ["visible"]
        assert await client.commit("g", 5) == GROUP_AUTHORIZATION_FAILED
        denials = whole.node.current.engine.metrics.authorization_denials
        assert denials.keys() == {("Create", "Topic"), ("Read", "Group")}
