"""Apache Kafka's own command line tools and Java clients, as people run them. Skipped only without Java."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import kafka_oracle
from tests.broker_process import RunningBroker, start_broker
from tests.conftest import SETTINGS
from tests.kafka_oracle import run_tool

pytestmark = [
    pytest.mark.java,
    pytest.mark.slow,
    pytest.mark.skipif(kafka_oracle.missing() is not None, reason=f"Kafka's tools: {kafka_oracle.missing()}"),
]

JAVA_CLIENTS = Path(__file__).parent / "java" / "Clients.java"
RECORDS = "a:1\nb:2\nc:3\nd:4\ne:5\n"


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningBroker]:
    """One broker for the whole story: each test uses topics and groups of its own."""
    running = start_broker(tmp_path_factory.mktemp("broker"), SETTINGS)
    yield running
    running.stop()


def output(
    broker: RunningBroker, name: str, *arguments: str, stdin: str | None = None, exit_code: int = 0
) -> str:
    """What the tool prints on stdout. Its stderr must be free of exceptions."""
    ended = run_tool(name, "--bootstrap-server", broker.bootstrap, *arguments, stdin=stdin)
    assert ended.returncode == exit_code, ended.stdout + ended.stderr
    assert "Exception" not in ended.stderr, ended.stderr
    return ended.stdout


def produce(broker: RunningBroker, topic: str, *arguments: str) -> None:
    keyed = ["--reader-property", "parse.key=true", "--reader-property", "key.separator=:"]
    assert output(broker, "kafka-console-producer", "--topic", topic, *keyed, *arguments, stdin=RECORDS) == ""


def consume(broker: RunningBroker, topic: str, *arguments: str) -> list[str]:
    shown = ["--formatter-property", "print.key=true", "--timeout-ms", "15000"]
    return output(broker, "kafka-console-consumer", "--topic", topic, *shown, *arguments).splitlines()


def create_topic(broker: RunningBroker, topic: str, partitions: int = 1) -> None:
    created = output(broker, "kafka-topics", "--create", "--topic", topic, "--partitions", str(partitions))
    assert created == f"Created topic {topic}.\n"


def test_kafka_topics_creates_lists_describes_alters_and_deletes(broker: RunningBroker) -> None:
    create = ["--create", "--topic", "life", "--partitions", "2", "--config", "retention.ms=123456"]
    assert output(broker, "kafka-topics", *create) == "Created topic life.\n"
    again = run_tool("kafka-topics", "--bootstrap-server", broker.bootstrap, *create)
    assert again.returncode == 1
    assert again.stdout.startswith("Error while executing topic command : Topic 'life' already exists.")
    assert output(broker, "kafka-topics", *create, "--if-not-exists") == ""

    assert "life" in output(broker, "kafka-topics", "--list").splitlines()
    assert output(broker, "kafka-topics", "--alter", "--topic", "life", "--partitions", "3") == ""
    first, *partitions = output(broker, "kafka-topics", "--describe", "--topic", "life").splitlines()
    assert re.fullmatch(
        r"Topic: life\tTopicId: [\w-]{22}\tPartitionCount: 3\tReplicationFactor: 1\t"
        r"Configs: (min.insync.replicas=1,)?retention.ms=123456",
        first,
    ), first
    for number, line in enumerate(partitions):
        described = (
            rf"\tTopic: life\tPartition: {number}\tLeader: 1\tReplicas: 1\tIsr: 1\tElr: \tLastKnownElr: "
        )
        assert re.fullmatch(described, line), line
    assert len(partitions) == 3

    assert output(broker, "kafka-topics", "--delete", "--topic", "life") == ""
    assert "life" not in output(broker, "kafka-topics", "--list").splitlines()
    gone = run_tool("kafka-topics", "--bootstrap-server", broker.bootstrap, "--describe", "--topic", "life")
    assert gone.stdout.startswith(
        "Error while executing topic command : Topic 'life' does not exist as expected"
    )


def test_the_console_producer_and_consumer_pass_records_on(broker: RunningBroker) -> None:
    create_topic(broker, "console")
    produce(broker, "console")
    produce(broker, "console", "--compression-codec", "zstd")
    read = consume(broker, "console", "--from-beginning", "--group", "console-readers", "--max-messages", "7")
    assert read == ["a\t1", "b\t2", "c\t3", "d\t4", "e\t5", "a\t1", "b\t2"]
    assert consume(broker, "console", "--group", "console-readers", "--max-messages", "3") == [
        "c\t3",
        "d\t4",
        "e\t5",
    ]


def test_the_console_producer_makes_a_topic_by_using_it(broker: RunningBroker) -> None:
    output(broker, "kafka-console-producer", "--topic", "by-use", stdin="one\n")
    assert output(broker, "kafka-get-offsets", "--topic", "by-use") == "by-use:0:1\n"


def test_kafka_get_offsets_knows_both_ends(broker: RunningBroker) -> None:
    create_topic(broker, "ends")
    produce(broker, "ends")
    assert output(broker, "kafka-get-offsets", "--topic", "ends") == "ends:0:5\n"
    assert output(broker, "kafka-get-offsets", "--topic", "ends", "--time", "earliest") == "ends:0:0\n"
    # Several records may have the greatest timestamp, so any of their offsets is right.
    assert re.fullmatch(
        r"ends:0:[0-4]\n", output(broker, "kafka-get-offsets", "--topic", "ends", "--time", "max-timestamp")
    )


def test_kafka_consumer_groups_lists_describes_resets_and_deletes(broker: RunningBroker) -> None:
    create_topic(broker, "grouped")
    produce(broker, "grouped")
    consume(broker, "grouped", "--from-beginning", "--group", "tools", "--max-messages", "3")

    assert "tools" in output(broker, "kafka-consumer-groups", "--list").splitlines()
    listed = output(broker, "kafka-consumer-groups", "--list", "--state", "--type")
    assert re.search(r"^tools +Classic +Empty *$", listed, re.MULTILINE)
    described = output(broker, "kafka-consumer-groups", "--describe", "--group", "tools")
    assert re.search(r"^tools +grouped +0 +3 +5 +2 +- +- +- *$", described, re.MULTILINE), described
    state = output(broker, "kafka-consumer-groups", "--describe", "--group", "tools", "--state")
    assert re.search(r"^tools +\S+:\d+ +\(1\) +- +Empty +0$", state, re.MULTILINE), state

    reset = ["--reset-offsets", "--group", "tools", "--topic", "grouped", "--shift-by", "-2", "--execute"]
    assert re.search(r"^tools +grouped +0 +1$", output(broker, "kafka-consumer-groups", *reset), re.MULTILINE)
    deleted = output(
        broker, "kafka-consumer-groups", "--delete-offsets", "--group", "tools", "--topic", "grouped"
    )
    assert deleted.startswith("Request succeeded for deleting offsets from group tools.")
    assert output(broker, "kafka-consumer-groups", "--delete", "--group", "tools") == (
        "Deletion of requested consumer groups ('tools') was successful.\n"
    )
    gone = run_tool(
        "kafka-consumer-groups", "--bootstrap-server", broker.bootstrap, "--describe", "--group", "tools"
    )
    assert "Group tools not found." in gone.stdout


def test_kafka_consumer_groups_shows_the_members_of_a_living_group(broker: RunningBroker) -> None:
    create_topic(broker, "living", partitions=2)
    living = ["--bootstrap-server", broker.bootstrap, "--topic", "living", "--group", "alive"]
    reader = subprocess.Popen(
        kafka_oracle.tool("kafka-console-consumer", *living),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + 30
        members = ""
        while "living:0,1" not in members:
            assert time.monotonic() < deadline, members
            described = ["--describe", "--group", "alive", "--members", "--verbose"]
            ended = run_tool("kafka-consumer-groups", "--bootstrap-server", broker.bootstrap, *described)
            members = ended.stdout
        one = (
            r"^alive +console-consumer-[\w-]{36} +/127\.0\.0\.1 +console-consumer +2 +- +living:0,1 +- +- *$"
        )
        assert re.search(one, members, re.MULTILINE), members
        refused = output(broker, "kafka-consumer-groups", "--delete", "--group", "alive")
        assert "GroupNotEmptyException: The group is not empty." in refused
    finally:
        reader.terminate()
        reader.wait()


def test_kafka_broker_api_versions_sees_what_we_serve(broker: RunningBroker) -> None:
    lines = output(broker, "kafka-broker-api-versions").splitlines()
    assert re.fullmatch(r"\S+:\d+ \(id: 1 rack: null isFenced: false\) -> \(", lines[0])
    assert lines[-1] == ")"
    for usable in (
        "Produce(0): 0 to 13 [usable: 13]",
        "Fetch(1): 4 to 18 [usable: 18]",
        "JoinGroup(11): 0 to 9 [usable: 9]",
    ):
        assert f"\t{usable}," in lines
    assert "UNKNOWN" not in "\n".join(lines)


def test_kafka_configs_tells_and_changes_the_settings_of_a_topic(broker: RunningBroker) -> None:
    create_topic(broker, "settings")
    topic = ["--entity-type", "topics", "--entity-name", "settings"]
    altered = output(broker, "kafka-configs", *topic, "--alter", "--add-config", "cleanup.policy=compact")
    assert altered == "Completed updating config for topic settings.\n"
    described = output(broker, "kafka-configs", *topic, "--describe")
    assert (
        "  cleanup.policy=compact sensitive=false synonyms={DYNAMIC_TOPIC_CONFIG:cleanup.policy=compact, "
        "DEFAULT_CONFIG:log.cleanup.policy=delete}"
    ) in described.splitlines()
    refused = run_tool(
        "kafka-configs", "--bootstrap-server", broker.bootstrap, *topic, "--alter", "--add-config", "nosuch=1"
    )
    assert refused.returncode == 1
    assert "Unknown topic config name: nosuch" in refused.stderr


def test_kafka_delete_records_moves_the_start_of_a_log(broker: RunningBroker, tmp_path: Path) -> None:
    create_topic(broker, "shortened")
    produce(broker, "shortened")
    wanted = tmp_path / "offsets.json"
    wanted.write_text('{"partitions":[{"topic":"shortened","partition":0,"offset":3}],"version":1}')
    assert "partition: shortened-0\tlow_watermark: 3" in output(
        broker, "kafka-delete-records", "--offset-json-file", str(wanted)
    )
    assert (
        output(broker, "kafka-get-offsets", "--topic", "shortened", "--time", "earliest") == "shortened:0:3\n"
    )
    assert consume(broker, "shortened", "--from-beginning", "--max-messages", "2") == ["d\t4", "e\t5"]


def test_kafka_log_dirs_and_kafka_cluster_find_their_way(broker: RunningBroker) -> None:
    create_topic(broker, "placed")
    assert '"partition":"placed-0"' in output(
        broker, "kafka-log-dirs", "--describe", "--topic-list", "placed"
    )
    cluster = run_tool("kafka-cluster", "cluster-id", "--bootstrap-server", broker.bootstrap)
    assert re.fullmatch(r"Cluster ID: [\w-]{22}\n", cluster.stdout), cluster.stdout + cluster.stderr


@pytest.mark.parametrize("scenario", ["produce_and_consume", "group_of_two", "admin"])
def test_kafkas_java_clients(scenario: str, broker: RunningBroker) -> None:
    ended = subprocess.run(
        kafka_oracle.java(str(JAVA_CLIENTS), broker.bootstrap, scenario, heap="512m"),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    told = [line for line in ended.stdout.splitlines() if not line.startswith("features ")]
    assert told == JAVA_TELLS[scenario]


JAVA_TELLS = {
    "produce_and_consume": [
        "records {gzip=2000, lz4=2000, none=2000, snappy=2000, zstd=2000}",
        "committed 10000",
        "done",
    ],
    "group_of_two": [
        "CooperativeStickyAssignor two members: 2 + 2",
        "CooperativeStickyAssignor one member: 4",
        "RangeAssignor two members: 2 + 2",
        "RangeAssignor one member: 4",
        "done",
    ],
    "admin": [
        "nodes 1, controller is a node true",
        "created with partitions 2",
        "refused: TopicExistsException",
        "refused: InvalidTopicException",
        "refused: InvalidConfigurationException",
        "described with partitions 4",
        "retention.ms 123456 DYNAMIC_TOPIC_CONFIG",
        "retention.ms 654321 DYNAMIC_TOPIC_CONFIG",
        "cleanup.policy delete,compact DYNAMIC_TOPIC_CONFIG",
        "latest 5",
        "earliest after delete 3",
        "max timestamp 4",
        "offset OffsetAndMetadata{offset=4, leaderEpoch=null, metadata='a note'}",
        "listed as [Optional[Classic]]",
        "described as Empty with members 0",
        "described as Stable by range, client java-member at /127.0.0.1",
        "refused: GroupNotEmptyException",
        "refused: GroupSubscribedToTopicException",
        "deleted offset null",
        "refused: GroupIdNotFoundException",
        "refused: UnknownTopicOrPartitionException",
        "done",
    ],
}


def test_kafka_dump_log_reads_our_directory(tmp_path: Path) -> None:
    broker = start_broker(tmp_path, SETTINGS)
    try:
        create_topic(broker, "dumped", partitions=2)
        produce(broker, "dumped")
        consume(broker, "dumped", "--from-beginning", "--group", "dumpers", "--max-messages", "5")
        broker.stop()
        data = tmp_path / "copy"
        shutil.copytree(broker.data_dir, data)
    finally:
        broker.stop()

    records = dump(data, "dumped-*", "--print-data-log")
    assert set(re.findall(r"key: (\w) payload: (\d)", records)) == {
        ("a", "1"),
        ("b", "2"),
        ("c", "3"),
        ("d", "4"),
        ("e", "5"),
    }

    offsets = dump(data, "__consumer_offsets-*", "--offsets-decoder")
    assert re.search(
        r'key: \{"type":"1","data":\{"group":"dumpers","topic":"dumped","partition":[01]\}\} '
        r'payload: \{"version":"\d","data":\{"offset":\d,.*"commitTimestamp":\d+',
        offsets,
    ), offsets
    assert re.search(
        r'key: \{"type":"2","data":\{"group":"dumpers"\}\} payload: \{"version":"\d",'
        r'"data":\{"protocolType":"consumer","generation":1,"protocol":"range","leader":"console-consumer-.*"topics":\["dumped"\]',
        offsets,
    ), offsets

    metadata = dump(
        data, "__cluster_metadata-0", "--cluster-metadata-decoder", suffixes=("log", "checkpoint")
    )
    assert re.search(
        r'payload: \{"type":"TOPIC_RECORD","version":0,"data":\{"name":"dumped","topicId":"[\w-]{22}"\}\}',
        metadata,
    )
    assert re.search(r'"type":"PARTITION_RECORD".*"partitionId":1.*"leader":1', metadata), metadata


def dump(data: Path, folders: str, *arguments: str, suffixes: tuple[str, ...] = ("log",)) -> str:
    """What kafka-dump-log prints for every file of these folders; no batch may be invalid."""
    found = [path for suffix in suffixes for path in data.glob(f"{folders}/*.{suffix}")]
    files = ",".join(str(path) for path in found if path.stat().st_size)
    ended = run_tool("kafka-dump-log", "--files", files, *arguments)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "isvalid: false" not in ended.stdout
    assert "invalid bytes" not in ended.stdout
    assert "Exception" not in ended.stderr, ended.stderr
    return ended.stdout
