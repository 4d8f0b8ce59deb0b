"""Feature levels and settings of groups in a whole node, over restarts."""

from __future__ import annotations

from typing import Any

from tests.unit.broker.whole import Client, running
from tidemark_testing.storage import MemoryStorage

GROUP = 32
LOWER = {"FeatureUpdates": [{"Feature": "group.version", "MaxVersionLevel": 0, "UpgradeType": 2}]}
RAISE = {"FeatureUpdates": [{"Feature": "group.version", "MaxVersionLevel": 1, "UpgradeType": 1}]}
ASK = {"ClientSoftwareName": "tests", "ClientSoftwareVersion": "1"}
# Names of APIs: ConsumerGroupDescribe and UpdateFeatures.
DESCRIBE, UPDATE = 69, 57


async def features(client: Client) -> tuple[int, dict[str, int]]:
    """Return the epoch and the levels in force."""
    answered = await client.ask("ApiVersions", 4, ASK)
    levels = {each["Name"]: each["MaxVersionLevel"] for each in answered["FinalizedFeatures"]}
    return answered["FinalizedFeaturesEpoch"], levels


async def described(client: Client) -> int:
    answered = await client.ask("ConsumerGroupDescribe", 1, {"GroupIds": ["g"]})
    code: int = answered["Groups"][0]["ErrorCode"]
    return code


async def test_a_level_survives_a_restart_and_each_change_raises_the_epoch() -> None:
    storage = MemoryStorage()
    async with running(storage) as whole:
        client = await whole.client()
        first, levels = await features(client)
        assert levels["group.version"] == 1
        assert (await client.ask("UpdateFeatures", 2, LOWER))["ErrorCode"] == 0
        second, levels = await features(client)
        assert "group.version" not in levels
        assert await described(client) == 35
        assert second > first
    async with running(storage) as whole:
        client = await whole.client()
        third, levels = await features(client)
        assert "group.version" not in levels
        assert third > second
        assert (await client.ask("UpdateFeatures", 2, RAISE))["ErrorCode"] == 0
        fourth, levels = await features(client)
        assert levels["group.version"] == 1
        assert await described(client) != 35
        assert fourth > third


async def test_settings_of_a_group_survive_a_restart() -> None:
    def settings(*changes: dict[str, Any]) -> dict[str, Any]:
        return {"Resources": [{"ResourceType": GROUP, "ResourceName": "g", "Configs": [*changes]}]}

    storage = MemoryStorage()
    change = {"Name": "consumer.session.timeout.ms", "ConfigOperation": 0, "Value": "50000"}
    removal = {"Name": "consumer.session.timeout.ms", "ConfigOperation": 1, "Value": None}
    async with running(storage) as whole:
        client = await whole.client()
        answered = await client.ask("IncrementalAlterConfigs", 1, settings(change))
        assert answered["Responses"][0]["ErrorCode"] == 0
    async with running(storage) as whole:
        client = await whole.client()
        listed = await client.ask("ListConfigResources", 1, {"ResourceTypes": [GROUP]})
        assert [each["ResourceName"] for each in listed["ConfigResources"]] == ["g"]
        assert whole.state.groups.settings_of("g").session_timeout_ms == 50_000
        assert whole.state.groups.settings_of("h").session_timeout_ms == 45_000
        await client.ask("IncrementalAlterConfigs", 1, settings(removal))
        assert whole.state.groups.settings_of("g").session_timeout_ms == 45_000
        listed = await client.ask("ListConfigResources", 1, {"ResourceTypes": [GROUP]})
        assert listed["ConfigResources"] == []


async def test_as_a_release_lists_the_versions_of_its_consumer_protocol() -> None:
    for release, highest in (("3.9", 0), ("4.3", 1), ("", 1)):
        async with running(MemoryStorage(), tidemark_as=release) as whole:
            client = await whole.client()
            answered = await client.ask("ApiVersions", 3, ASK)
            versions = {each["ApiKey"]: each["MaxVersion"] for each in answered["ApiKeys"]}
            assert versions[DESCRIBE] == highest
            assert versions[UPDATE] == (1 if release == "3.9" else 2)
