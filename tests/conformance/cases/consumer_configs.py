"""Configurations of groups, and settings of the consumer protocol."""

from __future__ import annotations

from typing import Final

from tests.conformance.build_admin import BROKER, DELETE, GROUP, SET, change, describe
from tests.conformance.case import Fields, Talk, case
from tests.conformance.consumers import consumers, no_interval, set_group

CONSUMER: Final = (
    "consumer.session.timeout.ms",
    "consumer.heartbeat.interval.ms",
    "consumer.assignment.interval.ms",
)
BROKERS: Final = (
    "group.consumer.session.timeout.ms",
    "group.consumer.min.session.timeout.ms",
    "group.consumer.max.session.timeout.ms",
    "group.consumer.heartbeat.interval.ms",
    "group.consumer.min.heartbeat.interval.ms",
    "group.consumer.max.heartbeat.interval.ms",
    "group.consumer.max.size",
    "group.consumer.assignors",
    "group.consumer.migration.policy",
    "group.consumer.assignment.interval.ms",
    "group.consumer.min.assignment.interval.ms",
    "group.consumer.max.assignment.interval.ms",
    "group.coordinator.rebalance.protocols",
)


def without_documentation(response: Fields) -> Fields:
    results = [
        {**r, "Configs": sorted(r["Configs"], key=lambda c: str(c["Name"]))} for r in response["Results"]
    ]
    return {**response, "Results": results}


@case
def configs_of_a_group_by_default(k: Talk) -> None:
    group = k.name("group")
    k.ask(*describe((GROUP, group, list(CONSUMER))), keep=without_documentation)
    k.ask(*describe((GROUP, group, list(CONSUMER)), synonyms=True), keep=without_documentation)
    k.ask(*describe((GROUP, group, ["nonsense"])), keep=without_documentation)
    k.ask(*describe((GROUP, "", list(CONSUMER))), keep=without_documentation)


@no_interval()
def configs_of_a_group_follow_the_brokers(k: Talk) -> None:
    k.ask(*describe((GROUP, k.name("group"), list(CONSUMER)), synonyms=True), keep=without_documentation)


@case
def configs_of_a_group_are_set_and_deleted(k: Talk) -> None:
    group = k.group()
    k.ask(*change((GROUP, group, [(CONSUMER[0], SET, "50000"), (CONSUMER[1], SET, "6000")])))
    k.until_config(GROUP, group, CONSUMER[0], "50000")
    k.ask(*describe((GROUP, group, list(CONSUMER)), synonyms=True), keep=without_documentation)
    k.ask(*change((GROUP, group, [(CONSUMER[0], DELETE, None)])))
    k.until_config(GROUP, group, CONSUMER[0], "45000")
    k.ask(*describe((GROUP, group, list(CONSUMER)), synonyms=True), keep=without_documentation)


@case
def bounds_of_configs_of_a_group(k: Talk) -> None:
    group = k.group()
    for name, values in (
        (CONSUMER[0], ("44999", "45000", "60000", "60001", "0", "-1", "x", "")),
        (CONSUMER[1], ("4999", "5000", "15000", "15001", "0", "-1", "x", "")),
        (CONSUMER[2], ("-1", "0", "15000", "15001", "x", "")),
    ):
        for value in values:
            k.ask(*change((GROUP, group, [(name, SET, value)])))


@case
def configs_of_a_group_that_contradict_each_other(k: Talk) -> None:
    group = k.group()
    k.ask(*change((GROUP, group, [("nonsense", SET, "1")])))
    k.ask(*change((GROUP, "", [(CONSUMER[0], SET, "50000")])))
    k.ask(*change((GROUP, group, [(CONSUMER[0], SET, "50000")]), validate_only=True))
    k.ask(*change((GROUP, group, [(CONSUMER[0], SET, None)])))
    k.ask(*describe((GROUP, group, list(CONSUMER))), keep=without_documentation)


@no_interval()
def interval_must_be_shorter_than_the_session(k: Talk) -> None:
    group = k.group()
    k.ask(*change((GROUP, group, [(CONSUMER[0], SET, "2000"), (CONSUMER[1], SET, "2000")])))
    k.ask(*change((GROUP, group, [(CONSUMER[0], SET, "2000"), (CONSUMER[1], SET, "1999")])))
    k.ask(*change((GROUP, group, [(CONSUMER[0], SET, "1000")])))
    k.ask(*change((GROUP, group, [(CONSUMER[1], SET, "3000")])))
    k.ask(*describe((GROUP, group, list(CONSUMER))), keep=without_documentation)


@case
def settings_of_the_consumer_protocol(k: Talk) -> None:
    k.ask(*describe((BROKER, "1", list(BROKERS)), synonyms=True), keep=without_documentation)


@no_interval()
def session_timeout_of_a_group_is_changed_under_a_member(k: Talk) -> None:
    """The new timeout counts from the next heartbeat."""
    (one,) = consumers(k, 1, topics=[k.name("missing")])
    one.join(kept=False)
    set_group(k, one.group, consumer_heartbeat_interval_ms="500", consumer_session_timeout_ms="1000")
    k.quiet(1500)
    one.beat()
    one.beat_until(lambda response: response["ErrorCode"] == 25, epoch=9)


@case
def features_of_groups(k: Talk) -> None:
    """The level of group.version, and the versions of the protocol's requests."""

    def of_groups(response: Fields) -> Fields:
        return {
            "apis": [api for api in response["ApiKeys"] if api["ApiKey"] in (68, 69)],
            "supported": [f for f in response["SupportedFeatures"] if f["Name"] == "group.version"],
            "finalized": [f for f in response["FinalizedFeatures"] if f["Name"] == "group.version"],
        }

    for version in (3, 4):
        fields = {"ClientSoftwareName": "tests", "ClientSoftwareVersion": "1"}
        k.ask("ApiVersions", version, fields, keep=of_groups)
