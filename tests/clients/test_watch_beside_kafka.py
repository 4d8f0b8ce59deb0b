"""`tidemark watch` on Apache Kafka tells what Kafka tells, its forecasts come true, and it writes nothing."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest

from tests import kafka_oracle
from tests.broker_process import two_free_ports
from tests.kafka_oracle import KafkaNode
from tests.pipeline import kafka_story as story
from tests.watch_process import WatchProcess
from tests.wire import Connection
from tidemark_protocol.messages.delete_groups import DeleteGroupsRequest
from tidemark_protocol.messages.delete_topics import DeleteTopicsRequest
from tidemark_protocol.messages.find_coordinator import FindCoordinatorRequest
from tidemark_protocol.messages.list_groups import ListGroupsRequest

pytestmark = [
    pytest.mark.java,
    pytest.mark.slow,
    pytest.mark.ecosystem,
    pytest.mark.timeout(300),
    # Two minutes, of which one is the retention. test_watch.py has the same on our own broker.
    pytest.mark.skipif("TIDEMARK_TEST_STORIES" not in os.environ, reason="make pipeline-truth runs it"),
    pytest.mark.skipif(kafka_oracle.missing() is not None, reason=kafka_oracle.missing() or ""),
]

LOGIN: Final = (
    'org.apache.kafka.common.security.plain.PlainLoginModule required username="{0}" password="{0}"'
)
SETTINGS: Final = {
    "offsets.retention.minutes": "1",
    "offsets.retention.check.interval.ms": "2000",
    "offsets.topic.num.partitions": str(story.PARTITIONS),
    "group.consumer.max.session.timeout.ms": "1800000",
    "group.consumer.session.timeout.ms": "1800000",
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "super.users": "User:ANONYMOUS",
    "sasl.enabled.mechanisms": "PLAIN",
    "listener.name.sasl.plain.sasl.jaas.config": LOGIN.format("admin")
    + ' user_watch="watch" user_nobody="nobody";',
}
ACLS: Final = (
    ("--operation", "Read", "--topic", "__consumer_offsets"),
    ("--operation", "Describe", "--topic", "*"),
    ("--operation", "Describe", "--operation", "DescribeConfigs", "--cluster"),
)  # fmt: skip
DEADLINE_S: Final = 150


class Cluster(KafkaNode):
    """A node with a second listener, on which clients log in."""

    def __init__(self, folder: Path) -> None:
        port, self.secured = two_free_ports(), two_free_ports()
        listeners = (
            f"PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{port + 1},SASL://127.0.0.1:{self.secured}"
        )
        advertised = f"PLAINTEXT://127.0.0.1:{port},SASL://127.0.0.1:{self.secured}"
        protocols = "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SASL:SASL_PLAINTEXT"
        super().__init__(
            folder,
            port,
            {
                "listeners": listeners,
                "advertised.listeners": advertised,
                "listener.security.protocol.map": protocols,
                **SETTINGS,
            },
        )

    def client_file(self, user: str) -> str:
        file = self.folder / f"{user}.properties"
        file.write_text(
            "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=PLAIN\n"
            f"sasl.jaas.config={LOGIN.format(user)};\n"
        )
        return str(file)

    def watch(self, folder: Path, user: str = "watch") -> WatchProcess:
        return WatchProcess(folder, f"127.0.0.1:{self.secured}", "--command-config", self.client_file(user))

    def connect(self) -> Connection:
        return Connection(self.bootstrap)


@pytest.fixture(scope="module")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    node = Cluster(tmp_path_factory.mktemp("watched") / "node")
    node.start()
    try:
        for acl in ACLS:
            added = kafka_oracle.run_tool(
                "kafka-acls", "--bootstrap-server", node.bootstrap, "--add", "--allow-principal",
                "User:watch", *acl,
            )  # fmt: skip
            assert added.returncode == 0, added.stderr
        with node.connect() as connection:
            story.tell(connection, consumers=True)
        yield node
    finally:
        node.stop()


def groups_of(connection: Connection) -> dict[str, tuple[str, str]]:
    """Return type and state of each group, as Kafka lists them."""
    listed = connection.ask("ListGroups", 5, ListGroupsRequest())
    return {each.group_id: (each.group_type.lower(), each.group_state) for each in listed.groups}


def told_offsets(watch: WatchProcess) -> story.Committed:
    return {
        place: (each["offset"], each["leader_epoch"], each["metadata"])
        for place, each in watch.offsets().items()
    }


def told_groups(watch: WatchProcess) -> dict[str, tuple[str, str]]:
    found = watch.get("/v1/groups", limit=1000)["groups"]
    return {each["group"]: (each["type"], each["state"]) for each in found}


def ends(connection: Connection) -> dict[int, int]:
    return story.log_ends(connection)


def test_a_watch_tells_what_kafka_tells(kafka: Cluster, tmp_path: Path) -> None:
    with kafka.connect() as connection, kafka.watch(tmp_path) as watch:
        # The offsets expire after a minute, so that both may change while they are compared.
        watch.until(lambda: told_offsets(watch) == story.committed(connection))
        watch.until(lambda: told_groups(watch) == groups_of(connection))
        facts = watch.get("/v1/broker")
        assert facts["watches"]["log_partitions"] == story.PARTITIONS and facts["watches"]["behind"] == 0
        assert watch.get("/v1/clock")["retention_ms"] == 60_000
        assert watch.get("/v1/clock")["assumed_retention"] is False
        # Changes follow.
        story.commit(connection, "simple-9", {0: 99, 3: 33}, metadata="changed")
        story.in_transaction(connection, "tx-8", "transactional", {5: 505}, commits=True)
        watch.until(lambda: told_offsets(watch) == story.committed(connection))
        story.in_transaction(connection, "tx-9", "simple-9", {3: 34}, commits=None)
        watch.until(
            lambda: watch.offsets(group="simple-9")["simple-9", "orders", 3]["rule"] == "pending_transaction"
        )


def test_removals_have_their_causes_and_forecasts_come_true(kafka: Cluster, tmp_path: Path) -> None:
    with kafka.connect() as connection, kafka.watch(tmp_path) as watch:
        story.create(connection, {"fleeting": 1})
        for group in ("by-client", "with-group", "expiring"):
            story.commit(connection, group, {0: 10, 1: 11})
        story.until_ready(lambda: committing(connection, "with-topic", "fleeting"))
        watch.until(lambda: ("with-topic", "fleeting", 0) in watch.offsets(group="with-topic"))
        forecast = watch.offsets(group="expiring")["expiring", "orders", 0]
        assert forecast["rule"] == "standalone"
        story.delete_offset(connection, "by-client", 1)
        deleted = connection.ask("DeleteGroups", 2, DeleteGroupsRequest(["with-group"]))
        assert deleted.results[0].error_code == 0
        connection.ask("DeleteTopics", 5, DeleteTopicsRequest(topic_names=["fleeting"], timeout_ms=10_000))
        wanted = {
            ("by-client", "orders", 1): "offset_delete",
            ("with-group", "orders", 0): "group_delete",
            ("with-group", "orders", 1): "group_delete",
            ("with-topic", "fleeting", 0): "topic_delete",
            ("expiring", "orders", 0): "expired",
            ("expiring", "orders", 1): "expired",
        }
        watch.until(lambda: wanted.items() <= causes(watch).items())
        (gone,) = [
            each
            for each in watch.get("/v1/expiry/log", group="expiring")["removals"]
            if each["partition"] == 0
        ]
        assert gone["inferred"] and gone["due_ms"] == forecast["due_ms"] <= gone["at_ms"]
        # A pass every two seconds: nothing that was not due, and nothing long after that.
        assert gone["at_ms"] - gone["due_ms"] < 2_000 + 8_000


def test_a_restart_of_the_broker_is_survived(kafka: Cluster, tmp_path: Path) -> None:
    with kafka.watch(tmp_path) as watch:
        kafka.stop()
        watch.until(lambda: watch.get("/v1/broker")["watches"]["trouble"])
        assert "cluster does not respond" in watch.said()
        kafka.start()
        with kafka.connect() as connection:
            story.until_ready(
                partial(connection.ask, "FindCoordinator", 3, FindCoordinatorRequest("after", 0))
            )
            story.commit(connection, "after", {0: 1})
            watch.until(lambda: ("after", "orders", 0) in watch.offsets())
            assert watch.get("/readyz") == "ok\n"


def test_it_needs_no_right_to_write_and_says_which_it_lacks(kafka: Cluster, tmp_path: Path) -> None:
    """The user of all tests has the rights on the page, and no other."""
    with kafka.connect() as connection:
        before = ends(connection)
        with kafka.watch(tmp_path / "allowed") as watch:
            watch.get("/metrics")
            for path in ("/v1/snapshots", "/v1/clock/advance", "/v1/cleanup", "/v1/seed"):
                status, text = watch.refused(path, "POST")
                assert status == 403 and "watched" in text
        assert ends(connection) == before
        assert "watch" not in str(groups_of(connection))
    denied = kafka.watch(tmp_path / "denied", "nobody")
    with pytest.raises(RuntimeError, match=r"Not authorized to access topics: \[__consumer_offsets\]"):
        denied.start()
    assert "Traceback" not in denied.said()


def committing(connection: Connection, group: str, topic: str) -> Any:
    asked = story.commit_request(group, {0: 1}, topic=topic)
    return connection.ask("OffsetCommit", 8, asked).topics[0].partitions[0]


def causes(watch: WatchProcess) -> dict[tuple[str, str, int], str]:
    found = watch.get("/v1/expiry/log", limit=1000)["removals"]
    return {(each["group"], each["topic"], each["partition"]): each["cause"] for each in found}
