"""The expected responses are those of Apache Kafka 4.3.1."""

from __future__ import annotations

import pytest

from tidemark.core.context import Context
from tidemark.core.decision import Record
from tidemark.handlers import routes
from tidemark.handlers.cluster.api_versions import UNKNOWN_VERSION, api_versions
from tidemark.metadata.model import Identity
from tidemark.metadata.state import Cluster
from tidemark.settings.release import release_of
from tidemark_protocol import encode
from tidemark_protocol.messages.api_versions import ApiVersionsRequest, ApiVersionsResponse
from tidemark_protocol.records.feature_level_record import FeatureLevelRecord

SERVED = ((0, 0, 13), (18, 0, 4))


def ask(
    version: int, name: str = "apache-kafka-java", software_version: str = "4.3.1"
) -> ApiVersionsResponse:
    cluster = Cluster(Identity("c"))
    cluster.replay(Record(None, FeatureLevelRecord("metadata.version", 30)))
    ctx = Context(
        wall_ms=0, steady_ms=0, version=version, cluster=cluster, advertised=SERVED, features_epoch=6
    )
    return api_versions(cluster, ctx, ApiVersionsRequest(name, software_version))


def test_every_api_is_listed_with_its_range() -> None:
    assert [(api.api_key, api.min_version, api.max_version) for api in ask(0).api_keys] == list(SERVED)


def test_an_unknown_version_gets_a_v0_response_with_our_range() -> None:
    answer = ask(UNKNOWN_VERSION, name="")
    assert encode("ApiVersionsResponse", 0, answer).hex() == "0023" + "00000001" + "0012" + "0000" + "0004"


@pytest.mark.parametrize("name", ["", "-a", "a-", "a b", "a_b", ".a", "é"])
@pytest.mark.parametrize("version", [3, 4])
def test_invalid_client_software_name_is_refused_since_v3(name: str, version: int) -> None:
    answer = ask(version, name=name)
    assert (answer.error_code, answer.api_keys) == (42, [])
    assert ask(version, software_version=name).error_code == 42


@pytest.mark.parametrize("name", ["a", "9", "a.b", "a-b-9.c"])
def test_a_valid_client_software_name_is_accepted(name: str) -> None:
    assert ask(3, name=name).error_code == 0


def test_older_versions_ignore_the_software_name() -> None:
    assert ask(2, name="").error_code == 0


def test_v3_omits_features_with_lowest_version_0() -> None:
    assert [(f.name, f.min_version, f.max_version) for f in ask(3).supported_features] == [
        ("metadata.version", 7, 33)
    ]
    assert "group.version" in [feature.name for feature in ask(4).supported_features]


def test_features_in_force_have_an_epoch() -> None:
    answer = ask(4)  # the cluster has replayed one change of a level
    assert [(f.name, f.max_version_level, f.min_version_level) for f in answer.finalized_features] == [
        ("metadata.version", 30, 30)
    ]
    assert answer.finalized_features_epoch == 7


def test_served_features_have_kafkas_maximum_version() -> None:
    assert {f.name: f.max_version for f in ask(4).supported_features} | {
        "group.version": 1,
        "transaction.version": 2,
    } == {f.name: f.max_version for f in ask(4).supported_features}


def test_as_4_3_has_exactly_the_ranges_of_kafka_4_3() -> None:
    release = release_of("4.3")
    ranges = {route.name: release.versions(route.name, route.versions) for route in routes.load().values()}
    assert (ranges["Metadata"].start, ranges["Metadata"].stop - 1) == (0, 13)
    assert (ranges["DescribeTopicPartitions"].start, ranges["DescribeTopicPartitions"].stop - 1) == (0, 0)
    assert (ranges["OffsetCommit"].start, ranges["OffsetCommit"].stop - 1) == (2, 10)
