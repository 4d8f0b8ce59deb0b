"""`tidemark serve --from` on a directory that Apache Kafka 4.3.1 wrote.

Responses equal those of a Kafka that was started on a copy of it. Every offset is explained, and nothing
expires until time is resumed.
"""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.broker_process import environment
from tests.kafkas_directory import unpacked
from tests.unit.broker.log.test_takeover import content, locked_by_another_process
from tests.wire import Connection
from tidemark_protocol.batch import headers
from tidemark_protocol.messages.consumer_group_describe import ConsumerGroupDescribeRequest
from tidemark_protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from tidemark_protocol.messages.describe_groups import DescribeGroupsRequest
from tidemark_protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from tidemark_protocol.messages.find_coordinator import FindCoordinatorRequest
from tidemark_protocol.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from tidemark_protocol.messages.list_groups import ListGroupsRequest
from tidemark_protocol.messages.metadata import MetadataRequest
from tidemark_protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from tidemark_protocol.messages.offset_fetch import OffsetFetchRequest
from tidemark_tools.http_api import Api, ApiError

GOLDEN = Path(__file__).parents[1] / "golden"
DAY_MS = 86_400_000
RETENTION_MS = 7 * DAY_MS  # Kafka's default, which is assumed
STOPPED_BETWEEN_MS = (1795227660823, 1795227662720)
NOT_LEADER_OR_FOLLOWER, LEADER_NOT_AVAILABLE, NOT_COORDINATOR = 6, 5, 16
INCONSISTENT_GROUP_PROTOCOL = 23
READ_BYTES = 1 << 20
STOP_TIMEOUT_S = 30

pytestmark = pytest.mark.slow

Place = tuple[str, str, int]


class Opened:
    """A broker that was started by `serve --from`."""

    def __init__(self, process: subprocess.Popen[str], ready: dict[str, Any]) -> None:
        self.process = process
        self.ready = ready
        self.http = Api(ready["http"])

    def ask(self, name: str, version: int, request: Any) -> Any:
        connection = Connection(self.ready["bootstrap_servers"])
        try:
            return connection.ask(name, version, request)
        finally:
            connection.socket.close()

    def offsets(self) -> dict[Place, dict[str, Any]]:
        """Return the elements of /v1/offsets."""
        pages = self.http.pages("/v1/offsets", "offsets", limit=100)
        return {(each["group"], each["topic"], each["partition"]): each for each in pages}

    def groups(self) -> dict[str, dict[str, Any]]:
        return {each["group"]: each for each in self.http.pages("/v1/groups", "groups", limit=50)}

    def stop(self) -> str:
        """Stop the broker. Return its stderr."""
        self.process.send_signal(signal.SIGTERM)
        said = self.process.communicate(timeout=STOP_TIMEOUT_S)[1]
        assert self.process.returncode == 0, said
        return said


def command(*arguments: str | Path) -> list[str]:
    ports = ["--port", "0", "--http-port", "0"]
    return [sys.executable, "-m", "tidemark", "serve", *ports, *map(str, arguments)]


@contextmanager
def serving(*arguments: str | Path, temporary: Path | None = None) -> Iterator[Opened]:
    """Run `serve --from`. temporary: the parent of temporary directories."""
    known = environment() | ({} if temporary is None else {"TMPDIR": str(temporary)})
    process = subprocess.Popen(
        command(*arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=known
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            raise AssertionError(process.communicate()[1])
        yield Opened(process, json.loads(line))
    finally:
        process.terminate()  # it deletes its temporary directory
        try:
            process.communicate(timeout=STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            raise


def refusal(*arguments: str | Path) -> str:
    """Return the line with which a start is refused."""
    done = subprocess.run(
        command(*arguments), capture_output=True, text=True, env=environment(), timeout=30, check=False
    )
    assert (done.returncode, done.stdout) == (1, ""), done.stderr
    assert done.stderr.count("\n") == 1, done.stderr
    return done.stderr


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kafka")
    return unpacked(folder)


@pytest.fixture(scope="module")
def truth() -> dict[str, Any]:
    result: dict[str, Any] = json.loads((GOLDEN / "kafka-4.3.1.offsets.json").read_text("utf-8"))
    for name in ("groups", "topics"):
        result |= json.loads((GOLDEN / "kafka-4.3.1" / f"{name}.json").read_text("utf-8"))
    return result


@pytest.fixture(scope="module")
def opened(written: Path) -> Iterator[Opened]:
    """The directory opened with --from, without the test API."""
    with serving("--from", written) as broker:
        yield broker


# Before time is resumed.


def test_the_ready_line_has_the_held_time_and_the_assumptions(opened: Opened, written: Path) -> None:
    ready = opened.ready
    assert ready["from"] == [str(written)]
    assert (ready["held"], ready["assumed_retention"], ready["retention_minutes"]) == (True, True, 10_080)
    assert STOPPED_BETWEEN_MS[0] <= ready["at_ms"] <= STOPPED_BETWEEN_MS[1]
    clock = opened.http.get("/v1/clock")
    assert (clock["now_ms"], clock["held"], clock["frozen"]) == (ready["at_ms"], True, True)
    assert (clock["retention_ms"], clock["assumed_retention"]) == (RETENTION_MS, True)
    assert clock["next_cleanup_ms"] is None


def test_groups_are_listed_as_kafka_lists_them(opened: Opened, truth: dict[str, Any]) -> None:
    listed = opened.ask("ListGroups", 5, ListGroupsRequest()).groups
    assert {
        group.group_id: (group.group_type.capitalize(), group.protocol_type, group.group_state)
        for group in listed
    } == {name: tuple(each) for name, each in truth["groups"].items()}


def test_kip_848_groups_are_described(opened: Opened, truth: dict[str, Any]) -> None:
    described = opened.ask(
        "ConsumerGroupDescribe", 1, ConsumerGroupDescribeRequest([*truth["consumerGroups"]])
    )
    assert {
        group.group_id: (
            group.group_state,
            group.group_epoch,
            group.assignment_epoch,
            {
                (
                    member.member_id,
                    member.instance_id,
                    member.member_epoch,
                    *sorted(
                        f"{topic.topic_name}-{partition}"
                        for topic in member.assignment.topic_partitions
                        for partition in topic.partitions
                    ),
                )
                for member in group.members
            },
        )
        for group in described.groups
    } == {
        name: (
            group["state"],
            group["groupEpoch"],
            group["targetAssignmentEpoch"],
            {
                (
                    member["memberId"],
                    member["groupInstanceId"],
                    member["memberEpoch"],
                    *sorted(member["assignment"]),
                )
                for member in group["members"]
            },
        )
        for name, group in truth["consumerGroups"].items()
    }


def test_classic_groups_are_described(opened: Opened, truth: dict[str, Any]) -> None:
    described = opened.ask("DescribeGroups", 6, DescribeGroupsRequest([*truth["classicGroups"]]))
    assert {
        group.group_id: (
            group.error_code,
            group.group_state,
            group.protocol_type,
            group.protocol_data,
            {(each.member_id, each.group_instance_id, each.client_host) for each in group.members},
        )
        for group in described.groups
    } == {
        name: (
            0,
            group["state"],
            group["protocolType"],
            group["protocol"],
            {(each["memberId"], each["groupInstanceId"], each["host"]) for each in group["members"]},
        )
        for name, group in truth["classicGroups"].items()
    }


def test_committed_offsets_equal_kafkas(opened: Opened, truth: dict[str, Any]) -> None:
    def committed(group: str) -> set[tuple[Any, ...]]:
        response = opened.ask("OffsetFetch", 7, OffsetFetchRequest(group, None))
        return {
            (
                topic.name,
                each.partition_index,
                each.committed_offset,
                each.committed_leader_epoch,
                each.metadata,
            )
            for topic in response.topics
            for each in topic.partitions
        }

    result = {group: {tuple(each) for each in offsets} for group, offsets in truth["offsets"].items()}
    assert {group: committed(group) for group in result} == result


def test_every_topic_is_read_to_its_end(opened: Opened, truth: dict[str, Any]) -> None:
    response = opened.ask("Metadata", 12, MetadataRequest(None))
    ids = {topic.name: topic.topic_id for topic in response.topics}
    assert ids.keys() == truth["topics"].keys()
    connection = Connection(opened.ready["bootstrap_servers"])
    for name, result in truth["topics"].items():
        for facts in result["partitions"]:
            place = (ids[name], facts["partition"])
            assert read_from(connection, *place, facts["logStartOffset"]) == facts["logEndOffset"], name
    connection.socket.close()


def read_from(connection: Connection, topic_id: bytes, partition: int, offset: int) -> int:
    """Read batch by batch. Return the offset at the end."""
    while True:
        topics = [FetchTopic("", topic_id, [FetchPartition(partition, -1, offset, -1, -1, READ_BYTES)])]
        request = FetchRequest(max_wait_ms=0, min_bytes=1, max_bytes=READ_BYTES, topics=topics)
        (response,) = connection.ask("Fetch", 13, request).responses[0].partitions
        assert response.error_code == 0
        found = [header for _, header in headers(response.records or b"")]
        if not found:
            return offset
        assert found[0].next_offset > offset
        offset = found[-1].next_offset


RULES_OF = {
    # simple, Empty and other classic groups, KIP-848 groups, streams groups
    ("Classic", ""): {"standalone", "explicit_retention", "pending_transaction"},
    ("Classic", "Empty"): {"group_empty", "explicit_retention"},
    ("Classic", "Stable"): {"active", "topic_not_subscribed"},
    ("Consumer", "Empty"): {"topic_not_subscribed"},
    ("Consumer", "Other"): {"active", "topic_not_subscribed"},
    ("Streams", "Other"): {"active"},
}


def kind_of(kind: str, protocol_type: str, state: str) -> tuple[str, str]:
    if kind == "Classic":
        return kind, state if protocol_type else ""
    return kind, "Empty" if state == "Empty" else "Other"


def test_every_offset_is_explained(opened: Opened, truth: dict[str, Any]) -> None:
    explained = opened.offsets()
    assert explained.keys() == {
        (group, topic, partition)
        for group, offsets in truth["offsets"].items()
        for topic, partition, *_ in offsets
    }
    for (group, _, _), result in explained.items():
        assert result["rule"] in RULES_OF[kind_of(*truth["groups"][group])], result
        assert result["explanation"]
        if result["rule"] in ("active", "pending_transaction"):
            assert result["due_ms"] is None
        elif result["rule"] != "explicit_retention":
            assert result["due_ms"] == result["since_ms"] + RETENTION_MS


@pytest.mark.parametrize(
    ("place", "rule"),
    [
        (("pending", "orders", 0), "pending_transaction"),
        (("txn-tail", "orders", 2), "pending_transaction"),
        (("stamped-far-v2", "orders", 1), "explicit_retention"),
        (("ranged", "orders", 0), "group_empty"),
        (("connect-stable", "inventory", 0), "active"),
        (("unparsable", "orders", 0), "active"),
        (("stable-range", "orders", 0), "active"),
        (("next-gone", "inventory", 0), "topic_not_subscribed"),
        (("next-regex", "clicks.eu-west_1", 3), "active"),
        (("billing", "orders", 0), "standalone"),
        (("streamed", "orders", 0), "active"),
    ],
)
def test_each_offset_of_kafkas_directory_has_the_expected_rule(
    opened: Opened, place: Place, rule: str
) -> None:
    assert opened.offsets()[place]["rule"] == rule


@pytest.mark.parametrize("group", ["shared", "streamed"])
def test_a_group_of_another_protocol_cannot_be_joined(opened: Opened, group: str) -> None:
    join = JoinGroupRequest(
        group, 10_000, 60_000, "", None, "consumer", [JoinGroupRequestProtocol("range", b"\0\0\0\0\0\0")]
    )
    assert opened.ask("JoinGroup", 5, join).error_code == INCONSISTENT_GROUP_PROTOCOL


def test_time_cannot_be_moved_without_the_test_api(opened: Opened) -> None:
    with pytest.raises(ApiError, match="test-api"):
        opened.http.post("/v1/clock/advance", {"days": 8})


def test_reading_writes_no_records_about_groups(written: Path, tmp_path: Path) -> None:
    with serving("--from", written, "--data-dir", tmp_path / "new", "--at", "2027-01-01T00:00:00Z") as broker:
        assert broker.offsets()
        assert broker.ask("ListGroups", 5, ListGroupsRequest()).groups
        broker.stop()
    for path in written.glob("__consumer_offsets-*/*.log"):
        assert (tmp_path / "new" / path.parent.name / path.name).read_bytes() == path.read_bytes()


# After time is resumed.


def test_offsets_expire_as_explained_and_the_original_is_unchanged(written: Path, tmp_path: Path) -> None:
    before = content(written)
    with serving("--from", written, "--data-dir", tmp_path / "new", "--test-api") as broker:
        foretold, groups = broker.offsets(), broker.groups()
        clock = broker.http.post("/v1/clock/resume")
        assert (clock["held"], clock["frozen"]) == (False, False)
        assert 0 <= clock["now_ms"] - broker.ready["at_ms"] < 60_000
        moved = broker.http.post("/v1/clock/advance", {"days": 8})
        due = {place: result for place, result in foretold.items() if _due(result, moved["now_ms"])}
        gone = {(each["group"], each["topic"], each["partition"]): each for each in moved["offsets"]}
        assert gone.keys() == due.keys()
        assert 0 < len(gone) < len(foretold)
        for place, each in gone.items():
            result = due[place]
            assert (each["rule"], each["since_ms"], each["due_ms"]) == (
                result["rule"], result["since_ms"], result["due_ms"],
            )  # fmt: skip
        assert set(moved["groups"]) == {
            name for name, result in groups.items() if _due(result, moved["now_ms"])
        }
        assert {"ranged", "next-gone"} <= set(moved["groups"])
        left, left_groups = broker.offsets().keys(), broker.groups().keys()
        assert left == foretold.keys() - gone.keys()
        assert left_groups == groups.keys() - set(moved["groups"])
        assert broker.http.get("/v1/expiry/log")["removals"]
        broker.stop()
    with serving("--data-dir", tmp_path / "new", "--test-api") as broker:
        assert "held" not in broker.ready
        assert broker.offsets().keys() == left
        assert broker.groups().keys() == left_groups
        broker.stop()
    assert content(written) == before


def _due(result: dict[str, Any], now_ms: int) -> bool:
    return result["due_ms"] is not None and result["due_ms"] <= now_ms


def test_no_cleanup_pass_runs_while_time_is_held(written: Path) -> None:
    with serving("--from", written, "--test-api") as broker:
        offsets = broker.offsets().keys()
        for path, body in (("/v1/clock/advance", {"days": 30}), ("/v1/cleanup", {})):
            with pytest.raises(ApiError, match="/v1/clock/resume"):
                broker.http.post(path, body)
        assert broker.http.get("/v1/clock")["now_ms"] == broker.ready["at_ms"]
        moved = broker.http.post("/v1/clock/advance", {"days": 30, "cleanup": False})
        assert moved["now_ms"] == broker.ready["at_ms"] + 30 * DAY_MS
        clock = broker.http.get("/v1/clock")
        assert (clock["held"], clock["frozen"], clock["now_ms"]) == (True, True, moved["now_ms"])
        assert broker.offsets()[("ranged", "orders", 0)]["expired"]
        assert broker.offsets().keys() == offsets


def test_members_get_a_full_session_when_time_resumes(written: Path) -> None:
    with serving("--from", written, "--test-api") as broker:
        broker.http.post("/v1/clock/resume")
        # The sessions in the directory are at most 30 minutes; no member sends a heartbeat.
        moved = broker.http.post("/v1/clock/advance", {"minutes": 1, "sessions": True, "cleanup": False})
        assert broker.groups()["stable-range"]["state"] == "Stable" or moved["sessions"]
        moved = broker.http.post("/v1/clock/advance", {"hours": 2, "sessions": True, "cleanup": False})
        groups = broker.groups()
        assert groups["stable-range"]["state"] == "Empty"
        assert groups["connect-stable"]["state"] == "Empty"
        assert groups["next-stable"]["state"] == "Empty"
        broker.stop()


def test_at_sets_the_time(written: Path) -> None:
    with serving("--from", written, "--at", "2027-01-01T00:00:00Z") as broker:
        assert broker.ready["at_ms"] == 1_798_761_600_000
        assert broker.offsets()[("ranged", "orders", 0)]["expired"]
    with serving("--from", written, "--at", "1798761600000", "--live") as broker:
        assert not broker.ready["held"]
        assert 0 <= broker.ready["at_ms"] - 1_798_761_600_000 < 60_000


def test_live_starts_time_at_once(written: Path) -> None:
    settings = ["--set", "offsets.retention.minutes=1", "--set", "offsets.retention.check.interval.ms=50"]
    with serving("--from", written, "--live", "--at", "2027-01-01T00:00:00Z", *settings) as broker:
        assert (broker.ready["held"], broker.ready["assumed_retention"]) == (False, False)
        assert eventually(lambda: "ranged" not in broker.groups())
        assert broker.http.get("/v1/clock")["retention_ms"] == 60_000


def eventually(holds: Callable[[], bool], turns: int = 200) -> bool:
    """Repeat until the condition holds. Each check is a round trip to the broker, whose time runs."""
    return any(holds() for _ in range(turns))


def test_kafkas_server_properties_sets_the_retention_but_not_our_listeners(
    written: Path, tmp_path: Path
) -> None:
    (tmp_path / "server.properties").write_text(
        "process.roles=broker\nnode.id=3\ncontroller.quorum.bootstrap.servers=c1:9093,c2:9093\n"
        "controller.listener.names=CONTROLLER\nlisteners=INSIDE://:19092,OUTSIDE://:19093\n"
        "advertised.listeners=INSIDE://b3:19092,OUTSIDE://b3.example.com:19093\n"
        "listener.security.protocol.map=CONTROLLER:SSL,INSIDE:SASL_SSL,OUTSIDE:SASL_SSL\n"
        "inter.broker.listener.name=INSIDE\nsasl.enabled.mechanisms=SCRAM-SHA-512\n"
        "authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer\n"
        "log.dirs=/var/lib/kafka/a,/var/lib/kafka/b\nmetadata.log.dir=/var/lib/kafka/m\n"
        "default.replication.factor=3\nmin.insync.replicas=2\noffsets.topic.replication.factor=3\n"
        "offsets.retention.minutes=20160\n"
    )
    with serving("--from", written, "--config", tmp_path / "server.properties") as broker:
        response = broker.ask("Metadata", 12, MetadataRequest(None))
        assert [each.host for each in response.brokers] != ["b3"]
        assert [each.node_id for each in response.brokers] == [1]
        assert broker.ready["retention_minutes"] == 20_160
        assert not broker.ready["assumed_retention"]
        result = broker.offsets()[("ranged", "orders", 0)]
        assert result["due_ms"] - result["since_ms"] == 14 * DAY_MS


# Several directories, and invalid ones.


def test_a_directory_of_a_killed_kafka_is_recovered_in_the_copy(written: Path, tmp_path: Path) -> None:
    origin = Path(shutil.copytree(written, tmp_path / "kafka"))
    (origin / ".kafka_cleanshutdown").unlink()
    for path in origin.glob("*/*index"):
        if path.stem == max(each.stem for each in path.parent.glob("*.log")):
            path.write_bytes(path.read_bytes().ljust(1 << 20, b"\0"))  # Kafka preallocates them like this
    torn = max((origin / "orders-0").glob("*.log"))
    torn.write_bytes(torn.read_bytes() + b"half a batch")
    (origin / "recovery-point-offset-checkpoint").unlink()
    before = content(origin)
    with serving("--from", origin, "--data-dir", tmp_path / "new") as broker:
        assert "ranged" in broker.groups()
        said = broker.stop()
    assert said.count("recovered ") == 1
    assert "bytes_dropped=12" in said
    assert content(origin) == before


def test_we_lead_all_partitions_in_the_directories_and_others_have_no_leader(
    written: Path, tmp_path: Path
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    shutil.copytree(written, first)
    meta = (first / "meta.properties").read_text()
    (first / "meta.properties").write_text(meta.replace("node.id=1", "node.id=7"))
    second.mkdir()
    (second / "meta.properties").write_text(meta)
    shutil.move(first / "orders-1", second)
    for name in ("orders-2", "__consumer_offsets-3"):
        shutil.rmtree(first / name)
    with serving("--from", first, "--from", second, "--data-dir", tmp_path / "new") as broker:
        check_partitions(broker)
        said = broker.stop()
    assert said.count("partitions without a log") == 1
    assert "count=2" in said
    with serving("--data-dir", tmp_path / "new", "--set", "node.id=7") as broker:
        check_partitions(broker)
        assert "partitions without a log" not in broker.stop()


def check_partitions(broker: Opened) -> None:
    response = broker.ask("Metadata", 12, MetadataRequest(None))
    assert [each.node_id for each in response.brokers] == [7]
    partitions = {
        (topic.name, each.partition_index): each for topic in response.topics for each in topic.partitions
    }
    lost = {place for place, each in partitions.items() if each.leader_id != 7}
    assert lost == {("orders", 2), ("__consumer_offsets", 3)}
    for place in lost:
        each = partitions[place]
        assert (each.error_code, each.leader_id) == (LEADER_NOT_AVAILABLE, -1)
        assert (each.replica_nodes, each.offline_replicas) == ([1], [1])
    ids = {topic.name: topic.topic_id for topic in response.topics}
    connection = Connection(broker.ready["bootstrap_servers"])
    assert read_from(connection, ids["orders"], 1, 0) == 58
    topics = [FetchTopic("", ids["orders"], [FetchPartition(2, -1, 0, -1, -1, READ_BYTES)])]
    fetched = connection.ask("Fetch", 13, FetchRequest(max_wait_ms=0, topics=topics))
    assert fetched.responses[0].partitions[0].error_code == NOT_LEADER_OR_FOLLOWER
    names = {group.group_id for group in connection.ask("ListGroups", 5, ListGroupsRequest()).groups}
    assert "shared" not in names  # it is in partition 3
    described = connection.ask("DescribeGroups", 5, DescribeGroupsRequest(["shared"])).groups
    assert described[0].error_code == NOT_COORDINATOR
    with pytest.raises(ApiError, match="not in this data directory"):
        broker.http.get("/v1/groups", group="shared")
    with pytest.raises(ApiError, match="there is no group"):
        broker.http.get("/v1/groups", group="nobody")  # of a partition that is here
    connection.socket.close()


def test_a_directory_of_tidemark_can_be_opened_with_from(tmp_path: Path) -> None:
    with serving("--data-dir", tmp_path / "ours") as broker:
        topic = CreatableTopic("orders", 2, 1)
        broker.ask("CreateTopics", 7, CreateTopicsRequest([topic], 10_000))
        broker.ask("FindCoordinator", 3, FindCoordinatorRequest("readers"))
        topics = [OffsetCommitRequestTopic("orders", partitions=[OffsetCommitRequestPartition(1, 42)])]
        broker.ask("OffsetCommit", 8, OffsetCommitRequest("readers", topics=topics))
        broker.stop()
    with serving("--from", tmp_path / "ours") as broker:
        assert broker.ready["held"]
        result = broker.offsets()[("readers", "orders", 1)]
        assert (result["offset"], result["rule"]) == (42, "standalone")
        response = broker.ask("Metadata", 12, MetadataRequest(None))
        partitions = {topic.name: [each.leader_id for each in topic.partitions] for topic in response.topics}
        assert partitions["orders"] == [1, 1]
        assert "partitions without a log" not in broker.stop()


def test_a_directory_in_use_is_refused(written: Path, tmp_path: Path) -> None:
    origin = Path(shutil.copytree(written, tmp_path / "kafka"))
    with locked_by_another_process(origin):
        assert "in use" in refusal("--from", origin)


def test_a_directory_of_kafkas_as_data_dir_is_refused_with_the_right_option(written: Path) -> None:
    before = content(written)
    assert f"tidemark serve --from {written}" in refusal("--data-dir", written)
    assert content(written) == before


def test_refusals_are_one_line_with_the_reason(written: Path, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").touch()
    assert "is not empty" in refusal("--from", written, "--data-dir", tmp_path / "full")
    assert "is not a directory" in refusal("--from", tmp_path / "nothing")
    assert "need --from" in refusal("--data-dir", tmp_path / "new", "--live")
    assert not (tmp_path / "new").exists()


def test_without_a_data_dir_the_copy_is_deleted_at_the_end(written: Path, tmp_path: Path) -> None:
    with serving("--from", written, temporary=tmp_path) as broker:
        assert Path(broker.ready["data_dir"]).parent == tmp_path
        broker.stop()
    assert [*tmp_path.iterdir()] == []
