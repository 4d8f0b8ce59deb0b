"""The schemas and the code generated from them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.unit.protocol.any_message import MESSAGES, ROOT
from tidemark_protocol import message_class
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.generator.__main__ import main

SHARED = Path(os.environ.get("TIDEMARK_SHARED", ROOT.parent / "shared"))
CHECKER = SHARED / "tools" / "check_schemas.py"
REFERENCE = SHARED / "reference" / "messages.json"


def field(name: str, kind: str, versions: str, *fields: dict[str, Any], **other: Any) -> dict[str, Any]:
    """Return a field of a message definition. null=True: it may be null, which is its default."""
    null = {"nullableVersions": versions, "default": "null"} if other.pop("null", False) else {}
    return {
        "name": name, "type": kind, "versions": versions, **({"fields": [*fields]} if fields else {}),
        **null, **other,
    }  # fmt: skip


def topology_description(versions: str, **other: Any) -> dict[str, Any]:
    """Return the field that a member sends to a plugin, and that StreamsGroupDescribe returns (KIP-1331)."""
    node = [
        field("Name", "string", versions),
        field("NodeType", "int8", versions),
        field("SourceTopics", "[]string", versions),
        field("SinkTopic", "string", versions, null=True),
        field("Stores", "[]string", versions),
        field("Successors", "[]string", versions),
    ]
    return field(
        "TopologyDescription",
        "TopologyDescription",
        versions,
        field(
            "Subtopologies",
            "[]TopologyDescriptionSubtopology",
            versions,
            field("SubtopologyId", "string", versions),
            field("Nodes", "[]TopologyDescriptionNode", versions, *node),
        ),
        field(
            "GlobalStores",
            "[]TopologyDescriptionGlobalStore",
            versions,
            field("Source", "TopologyDescriptionNode", versions, *node),
            field("Processor", "TopologyDescriptionNode", versions, *node),
        ),
        **other,
    )


# The fields that Kafka 4.4.0 has in its message definitions, and 4.3.1 has not.
NEW_FIELDS: dict[str, list[dict[str, Any]]] = {
    "ApiVersionsRequest": [
        field("ClusterId", "string", "5+", null=True, ignorable=True),
        field("NodeId", "int32", "5+", default=-1, ignorable=True),
    ],
    "ApiVersionsResponse": [],
    "DeleteGroupsRequest": [],
    "DeleteGroupsResponse": [field("ErrorMessage", "string", "3+", null=True, ignorable=True)],
    "StreamsGroupDescribeRequest": [field("IncludeTopologyDescription", "bool", "1+")],
    "StreamsGroupDescribeResponse": [
        topology_description("1+", null=True),
        field("TopologyDescriptionStatus", "int8", "1+"),
        field("AssignorName", "string", "1+", null=True, ignorable=True),
    ],
    "StreamsGroupHeartbeatRequest": [],
    "StreamsGroupHeartbeatResponse": [
        field("AcceptableRecoveryLagLegacy", "int32", "0"),
        field("AcceptableRecoveryLag", "int64", "1+", default=-1, ignorable=True),
        field("TopologyDescriptionRequired", "bool", "1+"),
    ],
    "TxnOffsetCommitRequest": [field("TopicId", "uuid", "6+", ignorable=True)],
    "TxnOffsetCommitResponse": [field("TopicId", "uuid", "6+", ignorable=True)],
}
# The new fields of these are not the last ones of the message, but of each element of this array.
WITHIN: dict[str, str] = {
    "DeleteGroupsResponse": "Results",
    "StreamsGroupDescribeResponse": "Groups",
    "TxnOffsetCommitRequest": "Topics",
    "TxnOffsetCommitResponse": "Topics",
}
NEW_APIS: dict[str, tuple[int, list[dict[str, Any]]]] = {
    "UnregisterControllerRequest": (94, [field("ControllerId", "int32", "0+")]),
    "UnregisterControllerResponse": (
        94,
        [
            field("ThrottleTimeMs", "int32", "0+"),
            field("ErrorCode", "int16", "0+"),
            field("ErrorMessage", "string", "0+", nullableVersions="0+"),
        ],
    ),
    "StreamsGroupTopologyDescriptionUpdateRequest": (
        93,
        [
            field("GroupId", "string", "0+"),
            field("MemberId", "string", "0+"),
            field("TopologyEpoch", "int32", "0+"),
            topology_description("0+"),
        ],
    ),
    "StreamsGroupTopologyDescriptionUpdateResponse": (
        93,
        [
            field("ThrottleTimeMs", "int32", "0+"),
            field("ErrorCode", "int16", "0+"),
            field("ErrorMessage", "string", "0+", null=True),
        ],
    ),
}
# What the accepted text of KIP-1327 adds, which the reference lacks: no release has it.
NEW_PARTITIONS: dict[str, Any] = {
    "name": "NewPartitions",
    "type": "[]int32",
    "versions": "2+",
    "taggedVersions": "2+",
    "tag": 0,
    "ignorable": True,
}
CREATION_TIME: dict[str, Any] = {
    "name": "CreationTimeMs",
    "type": "int64",
    "versions": "0+",
    "taggedVersions": "0+",
    "tag": 1,
    "default": -1,
}


def test_generated_code_is_up_to_date() -> None:
    assert main(["--check"]) == 0


@pytest.mark.skipif(not CHECKER.exists(), reason="no schema checker in TIDEMARK_SHARED")
def test_schemas_equal_kafkas_and_kip_1327(tmp_path: Path) -> None:
    reference = tmp_path / "messages.json"
    facts = with_kafka_4_4(with_kip_1327(json.loads(REFERENCE.read_text(encoding="utf-8"))))
    reference.write_text(json.dumps(facts))
    checked = subprocess.run(
        [sys.executable, CHECKER, "--strict", "--reference", reference, ROOT / "schemas"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout


def with_kip_1327(reference: dict[str, Any]) -> dict[str, Any]:
    """Add the accepted text to the reference of Kafka 4.3.1 and the draft."""
    messages = reference["messages"]
    response = messages["ConsumerGroupHeartbeatResponse"]
    messages["ConsumerGroupHeartbeatRequest"]["validVersions"] = response["validVersions"] = "0-2"
    assignment = next(field for field in response["fields"] if field["name"] == "Assignment")
    assignment["fields"][0]["fields"].append(NEW_PARTITIONS)
    messages["ConsumerGroupMetadataValue"]["fields"].append(CREATION_TIME)
    return reference


def with_kafka_4_4(reference: dict[str, Any]) -> dict[str, Any]:
    """Add the versions that Kafka 4.4.0 has to the reference of Kafka 4.3.1."""
    messages = reference["messages"]
    for name, fields in NEW_FIELDS.items():
        message = messages[name]
        low, _, high = message["validVersions"].partition("-")
        message["validVersions"] = f"{low}-{int(high or low) + 1}"
        target = message["fields"]
        if name in WITHIN:
            target = next(each for each in target if each["name"] == WITHIN[name])["fields"]
        if name.startswith("TxnOffsetCommit"):
            target[0] |= {"versions": "0-5", "ignorable": True}
            target[1:1] = fields
        elif name == "StreamsGroupHeartbeatResponse":
            at = {each["name"]: number for number, each in enumerate(target)}
            shorter, longer, required = fields
            target.insert(at["EndpointInformationEpoch"], required)
            target.insert(at["TaskOffsetIntervalMs"] + 1, longer)
            target[at["AcceptableRecoveryLag"]] = shorter
        else:
            target += fields
    for name, (api_key, fields) in NEW_APIS.items():
        kind = "request" if name.endswith("Request") else "response"
        messages[name] = {
            "apiKey": api_key, "type": kind, "fields": fields, "validVersions": "0", "flexibleVersions": "0+",
        }  # fmt: skip
    return reference


@pytest.mark.parametrize("name", MESSAGES)
def test_class_matches_its_schema(name: str) -> None:
    message, cls = MESSAGES[name], message_class(name)
    assert (
        name,
        message.api_key,
        message.valid.low,
        message.valid.high,
    ) == (cls.NAME, cls.API_KEY, cls.LOWEST, cls.HIGHEST)
    assert [v for v in message.versions if v >= cls.FLEXIBLE_FROM] == [
        v for v in message.versions if v in message.flexible
    ]
    assert [field[0] for field in cls.FIELDS] == [field.name for field in message.struct.fields]
    assert set(cls.DECODERS) == set(cls.ENCODERS) == set(message.versions)


def test_every_error_code_has_its_name_text_and_flag() -> None:
    listed = json.loads(Path(ROOT / "schemas" / "errors.json").read_text(encoding="utf-8"))
    assert [row["code"] for row in listed] == list(range(-1, 137))
    for row in listed:
        code = ErrorCode[row["name"]]
        assert (code, code.retriable, code.text) == (row["code"], row["retriable"], row["text"])


def test_error_has_a_code_and_an_optional_message() -> None:
    plain, told = KafkaError(ErrorCode.NOT_COORDINATOR), KafkaError(ErrorCode.INVALID_REQUEST, "no topics")
    assert (plain.code, plain.message) == (ErrorCode.NOT_COORDINATOR, None)
    assert (told.code, told.message) == (ErrorCode.INVALID_REQUEST, "no topics")
