"""`tidemark watch` on Apache Kafka knows what the AdminClient knows, forecasts truly, and writes nothing."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest

from tests import kafka_oracle
from tests.broker_process import two_free_ports
from tests.clients import kafka_groups
from tests.kafka_oracle import KafkaNode
from tests.pipeline import kafka_story as story
from tests.watch_process import WatchProcess
from tests.wire import Connection
from tidemark_protocol.messages.delete_groups import DeleteGroupsRequest
from tidemark_protocol.messages.delete_topics import DeleteTopicsRequest
from tidemark_protocol.messages.find_coordinator import FindCoordinatorRequest

pytestmark = [
    pytest.mark.java,
    pytest.mark.slow,
    pytest.mark.ecosystem,
    pytest.mark.timeout(600),
    # Three minutes, of which one is the retention. test_watch.py has the same on our own broker.
    pytest.mark.skipif("TIDEMARK_TEST_STORIES" not in os.environ, reason="make pipeline-truth runs it"),
    pytest.mark.skipif(kafka_oracle.missing() is not None, reason=kafka_oracle.missing() or ""),
]

LOGIN: Final = (
    'org.apache.kafka.common.security.plain.PlainLoginModule required username="{0}" password="{0}"'
)
SETTINGS: Final = {
    "offsets.retention.check.interval.ms": "2000",
    "offsets.topic.num.partitions": str(story.PARTITIONS),
    "group.consumer.max.session.timeout.ms": "1800000",
    "group.consumer.session.timeout.ms": "1800000",
    "group.streams.max.session.timeout.ms": "1800000",
    "group.streams.session.timeout.ms": "1800000",
    "group.streams.initial.rebalance.delay.ms": "0",
    "group.share.max.session.timeout.ms": "1800000",
    "group.share.session.timeout.ms": "1800000",
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
RETENTION: Final = "offsets.retention.minutes"
SHORT, LONG = "1", "60"
GROUPS_MIN: Final = 200
LATE_MS: Final = 30_000  # a pass follows every two seconds, on a machine that may be busy


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
                RETENTION: LONG,
                **SETTINGS,
            },
        )

    def keep_offsets(self, minutes: str) -> None:
        """Restart the node with this retention, unless it has it."""
        if self._settings[RETENTION] != minutes:
            self.stop()
            self._settings[RETENTION] = minutes
            self.start()
            with self.connect() as connection:
                for key_type, key in enumerate(("any-group", "any-transaction")):
                    find = FindCoordinatorRequest(key, key_type)
                    story.until_ready(partial(connection.ask, "FindCoordinator", 3, find))

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
            kafka_groups.tell(connection)
        yield node
    finally:
        node.stop()


class AdminClient:
    """Kafka's AdminClient in a JVM, connected to the cluster."""

    def __init__(self, cluster: Cluster) -> None:
        command = kafka_oracle.java(str(Path(__file__).parent / "java" / "Snapshots.java"), cluster.bootstrap)
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __enter__(self) -> AdminClient:
        return self

    def __exit__(self, *error: object) -> None:
        with self._process:
            self._process.kill()

    def snapshot(self) -> tuple[Groups, Offsets]:
        """Return all groups and their committed offsets."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        found = json.loads(self._process.stdout.readline())
        return found["groups"], {
            tuple(place): tuple(rest) for *place, rest in ((*each[:3], each[3:]) for each in found["offsets"])
        }


Groups = dict[str, dict[str, Any]]
# (group, topic, partition) -> offset, leader epoch, metadata
Offsets = dict[tuple[Any, ...], tuple[Any, ...]]


def watched_groups(watch: WatchProcess) -> Groups:
    found = watch.get("/v1/groups", limit=1000)["groups"]
    return {
        each["group"]: {
            "type": each["type"],
            "protocol_type": each["protocol_type"],
            "state": each["state"],
            "members": sorted(member["member_id"] for member in each["members"]),
        }
        for each in found
    }


def watched_offsets(watch: WatchProcess) -> Offsets:
    """Return the offsets. The AdminClient reports a negative one, which Kafka stores, as none."""
    return {
        place: (each["offset"], each["leader_epoch"], each["metadata"])
        if each["offset"] >= 0
        else (None,) * 3
        for place, each in watch.offsets().items()
    }


def ends(connection: Connection) -> dict[int, int]:
    return story.log_ends(connection)


def test_a_watch_knows_what_the_admin_client_knows(kafka: Cluster, tmp_path: Path) -> None:
    kafka.keep_offsets(LONG)
    with kafka.connect() as connection, kafka.watch(tmp_path) as watch, AdminClient(kafka) as admin:

        def is_same() -> bool:
            groups, offsets = admin.snapshot()
            return watched_groups(watch) == groups and watched_offsets(watch) == offsets

        watch.until(is_same)
        groups, offsets = admin.snapshot()
        assert len(groups) >= GROUPS_MIN and len(offsets) >= GROUPS_MIN - kafka_groups.OF_EACH_TYPE
        kinds = {(each["type"], bool(each["members"])) for each in groups.values()}
        assert kinds == {
            (kind, lives) for kind in ("classic", "consumer", "streams", "share") for lives in (True, False)
        }
        # OffsetFetch returns the negative offsets, too.
        told = {place: (each["offset"], each["leader_epoch"], each["metadata"])
                for place, each in watch.offsets().items() if place[0] in story.GROUPS}  # fmt: skip
        assert told == story.committed(connection)
        facts = watch.get("/v1/broker")
        assert facts["watches"]["log_partitions"] == story.PARTITIONS and facts["watches"]["behind"] == 0
        assert watch.get("/v1/clock")["retention_ms"] == 60 * 60_000
        assert watch.get("/v1/clock")["assumed_retention"] is False
        # Changes follow.
        story.commit(connection, "simple-9", {0: 99, 3: 33}, metadata="changed")
        story.in_transaction(connection, "tx-8", "transactional", {5: 505}, commits=True)
        member = kafka_groups.streams(connection, "streams-late")
        kafka_groups.commit(connection, "streams-late", member, {2: 22})
        kafka_groups.share(connection, "share-late")
        watch.until(
            lambda: {("transactional", "orders", 5), ("streams-late", "orders", 2)} <= watch.offsets().keys()
        )
        watch.until(is_same)
        kafka_groups.leave(connection, "streams", "streams-late", member)
        watch.until(lambda: watched_groups(watch)["streams-late"]["state"] == "Empty")
        watch.until(is_same)
        story.in_transaction(connection, "tx-9", "simple-9", {3: 34}, commits=None)
        watch.until(
            lambda: watch.offsets(group="simple-9")["simple-9", "orders", 3]["rule"] == "pending_transaction"
        )


def test_forecasts_for_streams_groups_come_true(kafka: Cluster, tmp_path: Path) -> None:
    """Offsets of a group whose members have left, and of a topic that the members do not read."""
    kafka.keep_offsets(SHORT)
    with kafka.connect() as connection, kafka.watch(tmp_path) as watch:
        story.create(connection, {"unread": 1})
        gone, stays = (kafka_groups.streams(connection, group) for group in ("streams-gone", "streams-stays"))
        kafka_groups.commit(connection, "streams-gone", gone, {0: 1})
        kafka_groups.commit(connection, "streams-stays", stays, {0: 2})
        story.until_ready(
            lambda: kafka_groups.committing(connection, "streams-stays", stays, {0: 3}, "unread")
        )
        kafka_groups.leave(connection, "streams", "streams-gone", gone)
        rules = {
            ("streams-gone", "orders", 0): "topic_not_subscribed",
            ("streams-stays", "unread", 0): "topic_not_subscribed",
            ("streams-stays", "orders", 0): "active",
        }
        watch.until(lambda: rules.keys() <= watch.offsets().keys())
        watch.until(lambda: watched_groups(watch)["streams-gone"]["state"] == "Empty")
        found = watch.offsets()
        assert {at: found[at]["rule"] for at in rules} == rules
        forecasts = {at: found[at]["due_ms"] for at in rules}
        assert forecasts.pop(("streams-stays", "orders", 0)) is None
        watch.until(lambda: forecasts.keys() <= causes(watch).keys())
        for (group, topic, partition), due_ms in forecasts.items():
            (removal,) = watch.get("/v1/expiry/log", group=group)["removals"]
            assert (removal["topic"], removal["partition"]) == (topic, partition)
            assert (removal["cause"], removal["due_ms"]) == ("expired", due_ms)
            assert due_ms <= removal["at_ms"] < due_ms + LATE_MS
        assert ("streams-stays", "orders", 0) in watch.offsets()
        watch.until(lambda: "streams-gone" not in watched_groups(watch))  # deleted with its last offset


def test_removals_have_their_causes_and_forecasts_come_true(kafka: Cluster, tmp_path: Path) -> None:
    kafka.keep_offsets(SHORT)
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
        assert gone["at_ms"] - gone["due_ms"] < LATE_MS


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
        with AdminClient(kafka) as admin:
            assert "watch" not in str(admin.snapshot())
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
