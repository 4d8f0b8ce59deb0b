"""How Apache Kafka expires offsets of streams groups (KIP-1071): a log that it wrote, and its responses.

streams.json has every record of `__consumer_offsets`. Tests replay them up to a cleanup pass, and compare
what is due with the tombstones that Kafka wrote. `python -m tests.conformance.expiry.streams` records it
again, with Java.
"""

from __future__ import annotations

import base64
import itertools
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final, NamedTuple

from tests.broker_process import OracleBroker, two_free_ports
from tests.conformance.build import Request, commit, delete_offsets
from tests.conformance.case import Broker, Fields, Talk
from tests.conformance.expiry.stories import BEAT_S, LEAVES, RETENTION_S, SETTINGS, wait
from tidemark_protocol.batch import headers, records

RECORDED: Final = Path(__file__).with_suffix(".json")
JOINS: Final = 0


class Written(NamedTuple):
    """One record of the log. batch: the base offset of its batch, whose records were written together."""

    batch: int
    timestamp_ms: int
    key: bytes
    value: bytes | None


def written() -> list[Written]:
    """Return the recorded log."""
    return [
        Written(batch, at_ms, base64.b64decode(key), None if value is None else base64.b64decode(value))
        for batch, at_ms, key, value in json.loads(RECORDED.read_text())["log"]
    ]


def passes() -> list[list[Written]]:
    """Return the batches that cleanup passes wrote."""
    deletions = json.loads(RECORDED.read_text())["deletions"]
    return [
        batch
        for batch in batches()
        if all(record.value is None for record in batch)
        and not any(begun <= batch[0].timestamp_ms <= ended for begun, ended in deletions)
    ]


def batches() -> list[list[Written]]:
    """Return the records of each batch of the log."""
    return [[*batch] for _, batch in itertools.groupby(written(), key=lambda record: record.batch)]


def responses() -> dict[str, Any]:
    """Return what Kafka responded to requests that deletions and states depend on."""
    found: dict[str, Any] = json.loads(RECORDED.read_text())["responses"]
    return found


class Member:
    """A member of a streams group with a topology of two subtopologies."""

    def __init__(self, k: Talk, group: str) -> None:
        self.group = group
        self.member_id = f"{group}-member"
        self.epoch = JOINS
        self.tasks: list[Fields] = []
        self._k = k
        self.beat()

    def beat(self) -> Fields:
        fields = {
            "GroupId": self.group,
            "MemberId": self.member_id,
            "MemberEpoch": self.epoch,
            "EndpointInformationEpoch": -1,
            "ActiveTasks": self.tasks,
            "StandbyTasks": [],
            "WarmupTasks": [],
        }
        if self.epoch == JOINS:
            topology = {"Epoch": 1, "Subtopologies": self._subtopologies()}
            fields |= {
                "RebalanceTimeoutMs": 60_000,
                "Topology": topology,
                "ProcessId": "process",
                "ClientTags": [],
            }
        response = self._k.do("StreamsGroupHeartbeat", 0, fields)
        assert response["ErrorCode"] == 0, response
        self.epoch = response["MemberEpoch"]
        if response["ActiveTasks"] is not None:
            self.tasks = response["ActiveTasks"]
        return response

    def _subtopologies(self) -> list[Fields]:
        """Return one that reads a topic and writes another one, which the second one reads."""
        repartition, changelog = f"{self.group}-repartition", f"{self.group}-changelog"
        first = {
            "SubtopologyId": "0",
            "SourceTopics": ["source"],
            "StateChangelogTopics": [internal(changelog, 0)],
            "RepartitionSinkTopics": [repartition],
        }
        return [first, {"SubtopologyId": "1", "RepartitionSourceTopics": [internal(repartition, 1)]}]

    def leave(self) -> None:
        fields = {
            "GroupId": self.group, "MemberId": self.member_id, "MemberEpoch": LEAVES,
            "EndpointInformationEpoch": -1, "RebalanceTimeoutMs": -1,
        }  # fmt: skip
        response = self._k.do("StreamsGroupHeartbeat", 0, fields)
        assert response["ErrorCode"] == 0, response


def internal(name: str, partitions: int) -> Fields:
    return {"Name": name, "Partitions": partitions, "ReplicationFactor": 1, "TopicConfigs": []}


def topics_of(group: str) -> dict[str, dict[int, int]]:
    """Return an offset for a topic of each kind."""
    kinds = ("source", f"{group}-repartition", f"{group}-changelog", "unrelated")
    return {topic: {0: 5} for topic in kinds}


def joined(k: Talk, group: str) -> Member:
    """Return a member that has its tasks, whose group has its internal topics."""
    member = Member(k, group)
    k.until(member.beat, lambda response: bool(member.tasks) and not response["Status"])
    return member


def commits(k: Talk, member: Member) -> None:
    request = commit(member.group, topics_of(member.group), member=member.member_id, generation=member.epoch)
    response = k.do(*request)
    errors = {each["Partitions"][0]["ErrorCode"] for each in response["Topics"]}
    assert errors == {0}, response


def listed(k: Talk) -> dict[str, list[str]]:
    groups = k.do("ListGroups", 5, {"StatesFilter": [], "TypesFilter": []})["Groups"]
    return {each["GroupId"]: [each["GroupType"], each["ProtocolType"], each["GroupState"]] for each in groups}


def keep_alive(members: list[Member], until_s: float) -> None:
    """Send heartbeats until a time of the monotonic clock."""
    while time.monotonic() < until_s:
        for member in members:
            member.beat()
        wait(min(until_s, time.monotonic() + BEAT_S))


def play(k: Talk) -> dict[str, Any]:
    for name in ("source", "unrelated", "brief"):
        fields = {"Name": name, "NumPartitions": 1, "ReplicationFactor": 1}
        k.do("CreateTopics", 7, {"Topics": [fields], "timeoutMs": 30_000})
        k.until_there(name)
    k.group()
    told: dict[str, Any] = {}
    deletions: list[tuple[int, int]] = []

    def delete(request: Request) -> Fields:
        """Send a request that deletes, and remember when: its tombstones are not those of a pass."""
        begun_ms = time.time_ns() // 1_000_000
        response = k.do(*request)
        deletions.append((begun_ms, time.time_ns() // 1_000_000))
        return response

    stays, early, late, empty, alone = (
        joined(k, name) for name in ("stays", "leaves-early", "leaves-late", "commits-nothing", "admin")
    )
    started = time.monotonic()
    for member in (stays, early, late):
        commits(k, member)
    told["listed with members"] = listed(k)
    told["OffsetDelete of a group with members"] = delete(
        delete_offsets("stays", ("source", [0]), ("stays-repartition", [0]), ("unrelated", [0]))
    )
    commits(k, stays)
    told["DeleteGroups of a group with members"] = delete(("DeleteGroups", 2, {"GroupsNames": ["stays"]}))
    empty.leave()
    alone.leave()
    told["listed when Empty"] = {name: listed(k)[name] for name in ("admin",)}
    told["OffsetCommit without a member, to an Empty group"] = k.do(*commit("admin", {"source": {0: 5}}))
    told["OffsetDelete of an Empty group"] = delete(delete_offsets("admin", ("source", [0])))
    told["DeleteGroups of an Empty group"] = delete(("DeleteGroups", 2, {"GroupsNames": ["admin"]}))
    keep_alive([stays, early, late], started + 20)
    # It leaves 40 seconds before its offsets are due: their age still counts from the commit.
    early.leave()
    k.do(*commit("leaves-early", {"brief": {0: 5}}, retention_ms=10_000, version=4))
    keep_alive([stays, late], started + RETENTION_S + 15)
    # It leaves when its offsets are older than the retention: the next pass deletes them.
    late.leave()
    keep_alive([stays], started + RETENTION_S + 30)
    told["listed at the end"] = listed(k)
    return {"responses": told, "deletions": deletions}


def log_of(data_dir: Path) -> list[list[Any]]:
    (segment,) = data_dir.glob("__consumer_offsets-0/*.log")
    data = segment.read_bytes()
    return [
        [header.base_offset, record.timestamp, _text(record.key), _text(record.value)]
        for at, header in headers(data)
        for record in records(data, at, header)
    ]


def _text(part: bytes | None) -> str | None:
    return None if part is None else base64.b64encode(part).decode()


def as_text(found: dict[str, Any]) -> str:
    """Return JSON with a line for each response and record."""
    inner = {
        "responses": [f"{json.dumps(name)}: {json.dumps(it)}" for name, it in found["responses"].items()],
        "deletions": [json.dumps(each) for each in found["deletions"]],
        "log": [json.dumps(each) for each in found["log"]],
    }
    parts = [
        f'"{name}": {"{["[name != "responses"]}\n' + ",\n".join(lines) + f"\n{'}]'[name != 'responses']}"
        for name, lines in inner.items()
    ]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def main() -> int:
    settings = {
        **SETTINGS,
        "offsets.topic.num.partitions": "1",
        "group.streams.initial.rebalance.delay.ms": "0",
    }
    with tempfile.TemporaryDirectory() as folder:
        kafka = OracleBroker(Path(folder), two_free_ports(), settings)
        kafka.start()
        try:
            told = play(Talk(Broker(kafka.bootstrap), "streams"))
        finally:
            kafka.stop()
        RECORDED.write_text(as_text({**told, "log": log_of(kafka.data_dir)}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
