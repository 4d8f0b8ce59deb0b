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
# The fields that Kafka 4.4.0 has in its message definitions, and 4.3.1 has not.
NEW_FIELDS: dict[str, list[dict[str, Any]]] = {
    "ApiVersionsRequest": [
        {"name": "ClusterId", "type": "string", "versions": "5+", "nullableVersions": "5+",
         "default": "null", "ignorable": True},
        {"name": "NodeId", "type": "int32", "versions": "5+", "default": -1, "ignorable": True},
    ],
    "ApiVersionsResponse": [],
    "DeleteGroupsRequest": [],
    "DeleteGroupsResponse": [
        {"name": "ErrorMessage", "type": "string", "versions": "3+", "nullableVersions": "3+",
         "default": "null", "ignorable": True},
    ],
    "TxnOffsetCommitRequest": [{"name": "TopicId", "type": "uuid", "versions": "6+", "ignorable": True}],
    "TxnOffsetCommitResponse": [{"name": "TopicId", "type": "uuid", "versions": "6+", "ignorable": True}],
}  # fmt: skip
NEW_API: dict[str, list[dict[str, Any]]] = {
    "Request": [{"name": "ControllerId", "type": "int32", "versions": "0+"}],
    "Response": [
        {"name": "ThrottleTimeMs", "type": "int32", "versions": "0+"},
        {"name": "ErrorCode", "type": "int16", "versions": "0+"},
        {"name": "ErrorMessage", "type": "string", "versions": "0+", "nullableVersions": "0+"},
    ],
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
    for name, fields in NEW_FIELDS.items():
        message = reference["messages"][name]
        low, high = message["validVersions"].split("-")
        message["validVersions"] = f"{low}-{int(high) + 1}"
        target = message["fields"]
        if name.startswith("TxnOffsetCommit"):
            target = next(each for each in target if each["name"] == "Topics")["fields"]
            target[0] |= {"versions": "0-5", "ignorable": True}
            target[1:1] = fields
        elif name == "DeleteGroupsResponse":
            next(each for each in target if each["name"] == "Results")["fields"] += fields
        else:
            target += fields
    for kind, fields in NEW_API.items():
        reference["messages"][f"UnregisterController{kind}"] = {
            "apiKey": 94, "type": kind.lower(), "fields": fields,
            "validVersions": "0", "flexibleVersions": "0+",
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
