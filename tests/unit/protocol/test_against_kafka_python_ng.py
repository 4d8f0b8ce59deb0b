"""The same messages through kafka-python-ng, whose structs are written by hand, in an environment of its own.

It is the only reader that still supports OffsetCommit 0 and 1.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

import tidemark_protocol
from tests.clientenv import client_python
from tests.unit.protocol.any_message import MESSAGES, drawn

READER = Path(__file__).with_name("kafka_python_ng_reader.py")
# Structs of kafka-python-ng that differ from Kafka's definitions, with the difference.
WRONG = {
    ("DescribeAclsRequest", 2): "written as version 1: no compact lengths, no tagged fields",
    ("DescribeAclsResponse", 2): "written as version 1: no compact lengths, no tagged fields",
    ("DescribeGroupsResponse", 3): "the authorized operations stand once, behind the groups, and not in each",
    **{("FetchRequest", v): "the topics to forget cannot be read" for v in range(7, 12)},
    ("FindCoordinatorResponse", 1): "no throttle time",
    ("HeartbeatRequest", 2): "has the group instance id of version 3, which brokers ignore as trailing bytes",
    ("LeaveGroupResponse", 3): "no members",
    ("ListOffsetsRequest", 4): "the leader epoch is an int64",
    ("ListOffsetsRequest", 5): "the leader epoch is an int64",
    ("ProduceResponse", 8): "record errors stand once, behind the partitions, and not in each",
}

pytestmark = [pytest.mark.slow, pytest.mark.contract]


def ask(arguments: list[str], lines: Iterable[str] = ()) -> list[Any]:
    ran = subprocess.run(
        [client_python("kafka-python-ng"), READER, *arguments],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        check=True,
    )
    return [json.loads(line) for line in ran.stdout.splitlines()]


def leaves(value: Any) -> list[Any]:
    """Return the values in their order, because kafka-python-ng nests other structs than Kafka."""
    if isinstance(value, dict):
        value = list(value.values())
    return [leaf for inner in value for leaf in leaves(inner)] if isinstance(value, list) else [value]


def test_kafka_python_ng_reads_and_writes_the_same() -> None:
    known = [(name, version) for name, version in ask(["--list"])[0]]
    shared = [(n, v) for n, v in known if n in MESSAGES and v in MESSAGES[n].versions]
    assert {("OffsetCommitRequest", 0), ("OffsetCommitRequest", 1), ("OffsetCommitResponse", 0)} <= set(
        shared
    )
    asked = [(n, v, value) for n, v in shared for value in drawn(n, v, 20)]
    encoded = [
        tidemark_protocol.encode(n, v, tidemark_protocol.from_dict(n, value)).hex() for n, v, value in asked
    ]
    lines = [
        json.dumps({"name": n, "version": v, "hex": data})
        for (n, v, _), data in zip(asked, encoded, strict=True)
    ]
    wrong: dict[tuple[str, int], Any] = {}
    for (name, version, value), data, answer in zip(asked, encoded, ask([], lines), strict=True):
        if answer.get("hex") != data or leaves(answer["values"]) != leaves(value):
            wrong.setdefault((name, version), (value, data, answer))
    assert set(wrong) == set(WRONG)
