"""Served versions, the response of ApiVersions, and requests in other versions."""

from __future__ import annotations

import re
from struct import pack
from typing import Any, Final

from tests.conformance.case import Fields, Talk, case
from tests.conformance.pieces import frame, joined, pieces
from tests.wire import header, sized
from tidemark_protocol.by_name import message_class

# The lowest and highest version of each API in Kafka 4.3.1, for the APIs that tidemark serves.
SERVED: Final = {
    "Produce": (3, 13),
    "Fetch": (4, 18),
    "ListOffsets": (1, 11),
    "Metadata": (0, 13),
    "OffsetCommit": (2, 10),
    "OffsetFetch": (1, 10),
    "FindCoordinator": (0, 6),
    "JoinGroup": (0, 9),
    "Heartbeat": (0, 4),
    "LeaveGroup": (0, 5),
    "SyncGroup": (0, 5),
    "DescribeGroups": (0, 6),
    "ListGroups": (0, 5),
    "ApiVersions": (0, 4),
    "CreateTopics": (2, 7),
    "DeleteTopics": (1, 6),
    "DeleteRecords": (0, 2),
    "InitProducerId": (0, 5),
    "OffsetForLeaderEpoch": (2, 4),
    "DescribeConfigs": (1, 4),
    "AlterConfigs": (0, 2),
    "DescribeLogDirs": (1, 5),
    "CreatePartitions": (0, 3),
    "DeleteGroups": (0, 2),
    "IncrementalAlterConfigs": (0, 1),
    "ListPartitionReassignments": (0, 0),
    "OffsetDelete": (0, 0),
    "ElectLeaders": (0, 2),
    "AlterPartitionReassignments": (0, 1),
    "AlterReplicaLogDirs": (1, 2),
    "DescribeQuorum": (0, 2),
    "UpdateFeatures": (0, 2),
    "RemoveRaftVoter": (0, 0),
    "DescribeClientQuotas": (0, 1),
    "AlterClientQuotas": (0, 1),
    "DescribeCluster": (0, 2),
    "DescribeProducers": (0, 0),
    "ListConfigResources": (0, 1),
    "DescribeTopicPartitions": (0, 0),
}
# With any content, these would harm Kafka: broker 1 is unregistered, and a voter whose listener has an empty
# name ends the process.
HARMFUL: Final = ("UnregisterBroker", "AddRaftVoter")
KEYS: Final = {message_class(f"{api}Request").API_KEY for api in (*SERVED, *HARMFUL)}
FEATURES: Final = ("metadata.version", "kraft.version", "eligible.leader.replicas.version")
API_VERSIONS: Final = 18
INT16_MAX: Final = 2**15 - 1


def words(api: str) -> str:
    """Convert OffsetCommit to offset_commit."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", api).lower()


def _refused(api: str) -> None:
    low, high = SERVED[api]

    def run(k: Talk) -> None:
        key = message_class(f"{api}Request").API_KEY
        for version in (-(2**15), -1, *range(low), high + 1, high + 2, 127, INT16_MAX):
            peer = k.connect()
            peer.send_raw(sized(header(key, version) + bytes(64)))
            k.keep(f"v{version}", peer.fate())

    run.__name__ = f"{words(api)}_in_versions_that_are_not_served"
    run.__module__ = __name__
    case(run)


def _answered(api: str) -> None:
    low, high = SERVED[api]

    def run(k: Talk) -> None:
        k.group()
        for version in range(low, high + 1):
            peer = k.connect()
            peer.send_raw(frame(api, version, joined(pieces(api, version, k.name("x")))))
            k.keep(f"v{version}", peer.fate())

    run.__name__ = f"{words(api)}_in_every_version_that_is_served"
    run.__module__ = __name__
    case(run)


for _api in SERVED:
    if _api != "ApiVersions":
        _refused(_api)
    _answered(_api)


def of_what_we_serve(response: Fields) -> Fields:
    """keep= of ApiVersions: leave out what tidemark does not serve, and the epoch, which is an offset.

    Features are sorted by name, since Kafka's order is that of a hash map.
    """
    features = [each for each in response["SupportedFeatures"] if each["Name"] in FEATURES]
    finalized = [each for each in response["FinalizedFeatures"] if each["Name"] in FEATURES]
    return {
        **response,
        "ApiKeys": [each for each in response["ApiKeys"] if each["ApiKey"] in KEYS],
        "SupportedFeatures": sorted(features, key=lambda each: each["Name"]),
        "FinalizedFeaturesEpoch": response["FinalizedFeaturesEpoch"] >= 0,
        "FinalizedFeatures": sorted(finalized, key=lambda each: each["Name"]),
    }


def asking(name: str = "test", version: str = "1") -> Fields:
    return {"ClientSoftwareName": name, "ClientSoftwareVersion": version}


@case(versions=range(5))
def api_versions_in_version(k: Talk, version: int) -> None:
    k.ask("ApiVersions", version, asking(), of_what_we_serve)


@case
def api_versions_tells_of_every_api_and_feature(k: Talk) -> None:
    response = k.do("ApiVersions", 4, asking())
    k.keep("keys", [each["ApiKey"] for each in response["ApiKeys"]])
    k.keep("features", sorted(each["Name"] for each in response["FinalizedFeatures"]))


@case
def api_versions_is_sorted_by_key(k: Talk) -> None:
    keys = [each["ApiKey"] for each in k.do("ApiVersions", 3, asking())["ApiKeys"]]
    k.keep("sorted", keys == sorted(keys))


@case
def api_versions_in_unknown_versions(k: Talk) -> None:
    """The response has version 0 and the range of this API alone, for any body. Clients then retry."""
    for version in (5, 6, 127, INT16_MAX, -1, -(2**15)):
        for body in (b"", b"\xff" * 20, b"\x05test\x021\0"):
            peer = k.connect()
            peer.send_raw(sized(header(API_VERSIONS, version, 1, flexible=True) + body))
            k.keep(f"v{version}", peer.frame_or_fate())
            peer.send_raw(sized(header(API_VERSIONS, 0, 2)))
            k.keep("and then", peer.fate())


@case
def api_versions_in_unknown_versions_with_a_header_that_is_not_flexible(k: Talk) -> None:
    for version in (5, INT16_MAX, -1):
        peer = k.connect()
        peer.send_raw(sized(header(API_VERSIONS, version, 1)))
        k.keep(f"v{version}", peer.fate())


@case
def api_versions_in_unknown_versions_with_odd_headers(k: Talk) -> None:
    head = header(API_VERSIONS, 99, 1)
    tries = {
        "an unknown tag": head + b"\x01\x4d\x01a",
        "a tag longer than its frame": head + b"\x01\x4d\x7fa",
        "no client id": pack(">hhih", API_VERSIONS, 99, 1, -1) + b"\0",
        "a client id longer than its frame": pack(">hhih", API_VERSIONS, 99, 1, 50) + b"\0",
        "half a header": head[:7],
    }
    for name, data in tries.items():
        peer = k.connect()
        peer.send_raw(sized(data))
        k.keep(name, peer.fate())


NAMES: Final = ("a", "A-b.c", "0", "librdkafka", "a" * 1000, "a--b", "a..b", "a1", "9z")
NO_NAMES: Final = (
    "",
    "-",
    ".",
    "-a",
    "a-",
    ".a",
    "a.",
    "a b",
    " a",
    "a\n",
    "a_b",
    "a/b",
    "\u00e9",
    "a\u00e9a",
    "\0",
    "a+b",
)


@case(versions=(3, 4))
def api_versions_of_software_names_in_version(k: Talk, version: int) -> None:
    for name in NAMES:
        k.keep(name[:9], _error(k.do("ApiVersions", version, asking(name, name))))


@case(versions=(3, 4))
def api_versions_of_bad_software_names_in_version(k: Talk, version: int) -> None:
    """The response is an empty INVALID_REQUEST in the same version, and the connection stays open."""
    for name in NO_NAMES:
        k.ask("ApiVersions", version, asking(name))
        k.ask("ApiVersions", version, asking("test", name))
    k.ask("ApiVersions", version, asking(), _error)


def _error(response: Fields) -> Any:
    return response["ErrorCode"]


@case
def api_versions_need_not_come_first(k: Talk) -> None:
    k.ask("Heartbeat", 4, {"GroupId": k.group(), "MemberId": "m"})
    k.ask("ApiVersions", 3, asking(), _error)
    k.ask("ApiVersions", 0, {}, _error)
    k.ask("ApiVersions", 3, asking("other", "2"), _error)
    k.ask("Heartbeat", 0, {"GroupId": k.group(), "MemberId": "m"})


@case
def api_versions_answers_have_no_flexible_header(k: Talk) -> None:
    """An old client could not parse the header tags of version 3."""
    for version in range(5):
        peer = k.connect()
        peer.send_raw(frame("ApiVersions", version, joined(pieces("ApiVersions", version, "a"))))
        response = peer.frame_or_fate()
        first_key = 20 if version < 3 else 14
        k.keep(f"v{version}", [response[8:12], response[first_key : first_key + 12]])
