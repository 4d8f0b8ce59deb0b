"""The ticket "our consumer group started from the beginning", on Apache Kafka: the first sentence is true.

All stories are told to one node at once, whose offsets expire after a minute.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import redirect_stdout
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from tests.broker_process import two_free_ports
from tests.kafka_oracle import KafkaNode
from tests.pipeline import kafka_story as story
from tests.wire import Connection
from tidemark_protocol.java import partition_of_group
from tidemark_protocol.messages.consumer_group_describe import ConsumerGroupDescribeRequest
from tidemark_protocol.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from tidemark_protocol.messages.delete_groups import DeleteGroupsRequest
from tidemark_protocol.messages.delete_topics import DeleteTopicsRequest
from tidemark_protocol.messages.describe_groups import DescribeGroupsRequest
from tidemark_protocol.messages.find_coordinator import FindCoordinatorRequest
from tidemark_protocol.messages.leave_group import LeaveGroupRequest
from tidemark_tools.main import main

pytestmark = [
    pytest.mark.slow,
    pytest.mark.java,
    pytest.mark.ecosystem,
    pytest.mark.timeout(400),
    # Two minutes. test_verdict.py has the same stories, made by hand.
    pytest.mark.skipif("TIDEMARK_TEST_STORIES" not in os.environ, reason="make pipeline-truth runs it"),
]

SETTINGS: Final = {
    "offsets.retention.minutes": "1",
    "offsets.retention.check.interval.ms": "6000",  # more than the 5 s within which removals are of one pass
    "offsets.topic.num.partitions": "4",
    "offsets.topic.replication.factor": "1",
    # No member may time out on a slow machine, because that would add records.
    "group.consumer.max.session.timeout.ms": "1800000",
    "group.consumer.session.timeout.ms": "1800000",
}
PARTITIONS: Final = 4  # of __consumer_offsets
STAGGERED: Final = 5  # groups that lose one offset, and seconds later the other, with their group
STEP_S: Final = 7.0
LEAVES: Final = -1  # the member epoch of a member that leaves
DEADLINE_S: Final = 120
OVER_THE_WIRE: Final = ("expired", "again", "deleted", "consumers", "reset", "remade", "idle")


class Told(NamedTuple):
    """data: the directory of a node that has stopped. wire: what was said of each group while it ran."""

    data: Path
    wire: Mapping[str, str]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    place = tmp_path_factory.mktemp("ticket")
    node = KafkaNode(place / "node", two_free_ports(), SETTINGS)
    node.start()
    kafka = Connection(node.bootstrap)
    try:
        tell(kafka)
        wire = {group: over_the_wire(node.bootstrap, group) for group in OVER_THE_WIRE}
    finally:
        kafka.close()
        node.stop()
    yield Told(node.data_dir, wire)
    shutil.rmtree(place, ignore_errors=True)


def over_the_wire(bootstrap: str, group: str) -> str:
    """Return what is said of a group of the running node, whose retention is described."""
    said = io.StringIO()
    with redirect_stdout(said):
        assert main(["explain-log", "--bootstrap-server", bootstrap, "--group", group]) == 0
    return said.getvalue()


@pytest.fixture
def data(told: Told) -> Path:
    return told.data


def tell(kafka: Connection) -> None:
    story.create(kafka, {"orders": 3, "doomed": 1})
    story.until_ready(partial(kafka.ask, "FindCoordinator", 3, FindCoordinatorRequest("expired", 0)))
    join_and_commit(kafka)
    for group in ("expired", "again"):
        story.commit(kafka, group, {0: 1000})
    story.join_classic(kafka, "reset")
    kafka.ask("LeaveGroup", 2, LeaveGroupRequest("reset", member_of(kafka, "reset")))
    for offset in (1000, 3):
        story.commit(kafka, "reset", {0: offset})
    story.commit(kafka, "deleted", {0: 1000})
    assert kafka.ask("DeleteGroups", 2, DeleteGroupsRequest(["deleted"])).results[0].error_code == 0
    story.commit(kafka, "remade", {0: 1000}, topic="doomed")
    kafka.ask("DeleteTopics", 5, DeleteTopicsRequest(topic_names=["doomed"], timeout_ms=10_000))
    story.until_gone(kafka, "remade", "doomed")
    story.create(kafka, {"doomed": 1})
    story.until_ready(lambda: committing(kafka, "remade", "doomed"))
    for number in range(STAGGERED):
        story.commit(kafka, f"staggered-{number}", {0: 5})
        time.sleep(STEP_S)
        story.commit(kafka, f"staggered-{number}", {1: 5})
    until_nothing_is_stored(kafka, "again")
    story.commit(kafka, "again", {0: 5})
    leave(kafka)
    for group in ("expired", "consumers", f"staggered-{STAGGERED - 1}"):
        until_nothing_is_stored(kafka, group)
    story.commit(kafka, "idle", {0: 1000})


def committing(kafka: Connection, group: str, topic: str) -> Any:
    asked = story.commit_request(group, {0: 1}, topic=topic)
    return kafka.ask("OffsetCommit", 8, asked).topics[0].partitions[0]


def member_of(kafka: Connection, group: str) -> str:
    described = kafka.ask("DescribeGroups", 4, DescribeGroupsRequest([group])).groups[0]
    return str(described.members[0].member_id)


def join_and_commit(kafka: Connection) -> None:
    """Join as the only member of a KIP-848 group, and commit."""
    story.join_consumer(kafka, "consumers")
    asked = story.commit_request("consumers", {0: 1000})
    asked.member_id, asked.generation_id_or_member_epoch = story.MEMBER_ID, epoch(kafka)
    story.until_ready(lambda: kafka.ask("OffsetCommit", 9, asked).topics[0].partitions[0])


def epoch(kafka: Connection) -> int:
    described = kafka.ask("ConsumerGroupDescribe", 0, ConsumerGroupDescribeRequest(["consumers"])).groups[0]
    return int(described.members[0].member_epoch)


def leave(kafka: Connection) -> None:
    left = kafka.ask(
        "ConsumerGroupHeartbeat", 0, ConsumerGroupHeartbeatRequest("consumers", story.MEMBER_ID, LEAVES)
    )
    assert left.error_code == 0


def until_nothing_is_stored(kafka: Connection, group: str) -> None:
    deadline = time.monotonic() + DEADLINE_S
    while story.committed_of(kafka, group):
        assert time.monotonic() < deadline, f"{group} still has offsets"
        time.sleep(0.2)


def first_line(data: Path, capsys: pytest.CaptureFixture[str], group: str, *options: str) -> str:
    """Return the first sentence about a group, without its times."""
    assert main(["explain-log", str(data), "--group", group, *options]) == 0
    return first_of(capsys.readouterr().out)


def first_of(out: str) -> str:
    """Return the first line without its times."""
    line = out.splitlines()[0]
    return re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC", "T", re.sub(r"1 min( \d+ s)?", "1 min", line))


NEVER: Final = "because the group never had members and committed nothing since T (1 min)"
TRUTH: Final = {
    "expired": (
        f"expired lost offset 1,000 of orders-0 at T: expired, {NEVER}; the retention is 1 min. 1 offset is "
        "still missing when the log ends."
    ),
    "again": (
        f"again lost offset 1,000 of orders-0 at T: expired, {NEVER}; the retention is 1 min. At T, it "
        "started over: committed 5 on orders-0, after 1,000 was lost."
    ),
    "deleted": (
        "deleted lost offset 1,000 of orders-0 at T: a client deleted the group (DeleteGroups). 1 offset is "
        "still missing when the log ends."
    ),
}


@pytest.mark.parametrize("group", TRUTH)
def test_the_first_sentence_is_what_happened(
    data: Path, capsys: pytest.CaptureFixture[str], group: str
) -> None:
    assert first_line(data, capsys, group, "--retention", "1min") == TRUTH[group]


@pytest.mark.parametrize("group", TRUTH)
def test_the_first_sentence_over_the_wire_is_the_same(told: Told, group: str) -> None:
    assert first_of(told.wire[group]) == TRUTH[group]


def test_what_is_said_over_the_wire_about_members_tools_and_idle_groups(told: Told) -> None:
    first = first_of(told.wire["consumers"])
    assert "consumers lost offset 1,000 of orders-0" in first and "expired" in first
    rewound = "orders-0 was rewound from 1,000 to 3 while the group had no members, so by a tool"
    assert rewound in first_of(told.wire["reset"])
    nothing = "Nothing in this log says that committed offsets of idle were lost; it has every record since T"
    assert first_of(told.wire["idle"]).startswith(nothing)


def test_over_the_wire_a_topic_that_was_made_again_leaves_two_causes(told: Told) -> None:
    """Only the metadata log has the time of the deletion."""
    assert (
        "it lost offset 1,000 of doomed-0: the log does not show why (a client deleted it or its topic was "
        "deleted): it was not due under a retention of 1 min; its topic was removed, at "
        "a time that is not known, and another one of its name exists now"
    ) in told.wire["remade"]


def test_a_group_of_the_new_protocol_whose_member_has_just_left(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It was due for a while, so a request is possible, too. But the offsets of others went with it."""
    assert main(["explain-log", str(data), "--group", "consumers", "--retention", "1min"]) == 0
    out = capsys.readouterr().out
    assert "consumers lost offset 1,000 of orders-0" in out and "expired" in out.splitlines()[0]
    assert "the last member left; that gives a KIP-848 group no grace period" in out


def test_a_reset_by_a_tool(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = first_line(data, capsys, "reset", "--retention", "1min")
    assert "At T, orders-0 was rewound from 1,000 to 3 while the group had no members, so by a tool" in said


def test_a_topic_that_was_deleted_and_made_again(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain-log", str(data), "--group", "remade", "--retention", "1min"]) == 0
    out = capsys.readouterr().out
    assert "it lost offset 1,000 of doomed-0: its topic was deleted" in out
    assert "it started over: committed 1 on doomed-0, after 1,000 was lost" in out


def test_a_wrong_retention_is_contradicted(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = first_line(data, capsys, "expired", "--retention", "7d")
    assert said.startswith("Warning: a retention of 7 d does not fit this log. expired lost offset")


def test_without_a_retention_no_cause_is_wrong(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for group in ("expired", "again", "consumers"):
        said = first_line(data, capsys, group)
        assert "a client deleted the group (DeleteGroups)" not in said and "OffsetDelete" not in said
        assert "expired" in said


def test_an_idle_group_has_lost_nothing(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = first_line(data, capsys, "idle")
    assert said.startswith("Nothing in this log says that committed offsets of idle were lost")


def test_a_partition_that_was_not_copied(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = partition_of_group("expired", PARTITIONS)
    part = tmp_path / "part"
    shutil.copytree(data, part, ignore=shutil.ignore_patterns(f"__consumer_offsets-{own}"))
    assert main(["explain-log", str(part), "--group", "expired"]) == 2
    assert f"would be in __consumer_offsets-{own}, which is not in the directories" in capsys.readouterr().err
