"""kafka-cluster, kafka-broker-api-versions, kafka-features and other tools about the cluster."""

from __future__ import annotations

import json
import re

from tests.conformance.tools.given import filled, records
from tests.conformance.tools.terminal import Terminal, differing, tool_case


@tool_case
def cluster_id(t: Terminal) -> None:
    t.run("kafka-cluster cluster-id {at}")
    t.run("kafka-cluster list-endpoints {at}")
    t.run("kafka-cluster list-endpoints {at} --include-fenced-brokers")


@tool_case
def broker_api_versions(t: Terminal) -> None:
    served = "Produce|Fetch|ListOffsets|Metadata|Offset|FindCoord|JoinGroup|Heartbeat.12|LeaveGroup|SyncGroup"
    served += "|DescribeGroups|ListGroups|ApiVersions|CreateTopics|DeleteTopics|DeleteRecords|InitProducerId"
    served += "|DescribeConfigs|AlterConfigs|DescribeLogDirs|CreatePartitions|DeleteGroups|IncrementalAlter"
    served += "|ListPartitionReass|DescribeCluster|DescribeProducers|ListConfigRes|DescribeTopicP|UNKNOWN"
    t.run("kafka-broker-api-versions", keep=rf"^\S|^\t({served})")


@tool_case
def broker_api_versions_of_everything(t: Terminal) -> None:
    t.run("kafka-broker-api-versions")


@tool_case
def features(t: Terminal) -> None:
    t.run("kafka-features {at} describe", cut=without_epochs)


@tool_case
def feature_levels(t: Terminal) -> None:
    line = "kafka-features {at}"
    t.run(f"{line} downgrade --feature group.version=0 --dry-run")
    t.run(f"{line} downgrade --feature group.version=0")
    t.run(f"{line} upgrade --feature group.version=1")
    t.run(f"{line} upgrade --feature group.version=7")
    t.run(f"{line} upgrade --feature group.version=7 --dry-run")
    t.run(f"{line} upgrade --feature nosuch=1 --feature transaction.version=2")
    t.run(f"{line} downgrade --metadata 3.3-IV3 --unsafe")
    t.run(f"{line} upgrade --metadata 9.9")
    t.run(f"{line} upgrade --metadata 4.3-IV0")
    t.run(f"{line} upgrade --feature group.version")
    t.run(f"{line} upgrade")
    t.run(f"{line} version-mapping")


@tool_case
def feature_levels_of_a_release(t: Terminal) -> None:
    line = "kafka-features {at}"
    for release in ("4.3-IV0", "4.3", "4.0", "3.9-IV0", "4.4", "4.4-IV0", "9.9"):
        t.run(f"{line} version-mapping --release-version {release}")
    t.run(f"{line} upgrade --release-version 9.9")
    t.run(f"{line} downgrade --release-version 4.4 --dry-run")
    t.run(f"{line} upgrade --release-version 3.3-IV3")
    t.run(f"{line} upgrade --release-version 4.3-IV0 --feature group.version=1")
    t.run(f"{line} upgrade --release-version 4.3-IV0 --metadata 4.3-IV0")


@differing("The level of kraft.version")
def feature_levels_changed_to_those_of_a_release(t: Terminal) -> None:
    line = "kafka-features {at}"
    for release in ("4.3-IV0", "4.3", "4.0", "3.9-IV0", "4.4-IV0"):
        t.run(f"{line} upgrade --release-version {release} --dry-run")
        t.run(f"{line} downgrade --release-version {release} --dry-run")
    t.run(f"{line} downgrade --release-version 4.2-IV0 --dry-run --unsafe")


@tool_case
def feature_dependencies(t: Terminal) -> None:
    line = "kafka-features {at} feature-dependencies"
    for feature in (
        "metadata.version=22", "group.version=1 --feature eligible.leader.replicas.version=1",
        "eligible.leader.replicas.version=0", "transaction.version=2", "kraft.version=1", "nosuch=1",
        "group.version=9", "metadata.version=99", "group.version",
        "streams.version=1 --feature share.version=1",
    ):  # fmt: skip
        t.run(f"{line} --feature {feature}")


def without_epochs(lines: list[str]) -> list[str]:
    """Remove the epoch: it is the end of the metadata log, to which Kafka appends by itself."""
    return [re.sub(r"(?<=Epoch: )\d+", "<n>", line) for line in lines]


@tool_case
def reassignments(t: Terminal) -> None:
    topic = filled(t, 1, 1)
    t.run("kafka-reassign-partitions --list")
    move = t.file("move.json", json.dumps({"topics": [{"topic": topic}], "version": 1}))
    t.run(
        f"kafka-reassign-partitions --generate --topics-to-move-json-file {move} --broker-list 1",
        cut=without_folders,
    )
    t.run(f"kafka-reassign-partitions --generate --topics-to-move-json-file {move} --broker-list 7")
    for brokers in ([1], [7], [1, 7]):
        wanted = {"topic": topic, "partition": 0, "replicas": brokers}
        plan = t.file(
            f"to_{len(brokers)}_{brokers[0]}.json", json.dumps({"partitions": [wanted], "version": 1})
        )
        # To clear the throttles of a broker that does not exist, the tool tries for ever.
        throttles = "" if brokers == [1] else " --preserve-throttles"
        line = f"--reassignment-json-file {plan}"
        t.run(f"kafka-reassign-partitions --execute {line}", cut=without_folders)
        t.run(f"kafka-reassign-partitions --verify {line}{throttles}", cut=without_folders)
        t.run(f"kafka-reassign-partitions --cancel {line}{throttles}", cut=without_folders)


def without_folders(lines: list[str]) -> list[str]:
    return [re.sub(r'"/[^"]+"', '"<folder>"', line) for line in lines]


@tool_case
def client_metrics(t: Terminal) -> None:
    t.run("kafka-client-metrics --list")
    t.run("kafka-client-metrics --describe")
    t.run("kafka-client-metrics --describe --name nosuch")


@tool_case
def producers_of_a_partition(t: Terminal) -> None:
    topic = t.topic()
    t.run(f"kafka-console-producer --topic {topic}", stdin="1\n2\n3\n")
    line = f"kafka-transactions {{at}} describe-producers --topic {topic} --partition"
    t.run(f"{line} 0", cut=without_producer_ids)
    records(t, topic, 2)
    t.run(f"{line} 0", cut=without_producer_ids)


def without_producer_ids(lines: list[str]) -> list[str]:
    """Remove producer ids and padding.

    Kafka allocates ids in blocks, and the widest cell sets a column's width.
    """
    return [re.sub(r" +", " ", re.sub(r"^\d+", "<producer>", line)) for line in lines]


@tool_case
def streams_application_reset(t: Terminal) -> None:
    topic, application = filled(t, 5, 3), t.group()
    t.run(f"kafka-streams-application-reset --application-id {application} --input-topics {topic} --dry-run")
    t.run(
        f"kafka-streams-application-reset --application-id {application} --input-topics {topic} --to-latest"
    )
    t.run(f"kafka-consumer-groups --describe --group {application}", cut=sorted)


@tool_case
def perf_tests_count_right(t: Terminal) -> None:
    topic = t.topic(3)
    t.run(
        f"kafka-producer-perf-test --topic {topic} --num-records 5000 --record-size 100 --throughput -1",
        cut=without_figures,
    )
    t.run(
        f"kafka-consumer-perf-test --topic {topic} --num-records 5000 --timeout 20000 --hide-header",
        cut=lambda lines: [line.split(", ")[4] for line in lines if line],
    )


def without_figures(lines: list[str]) -> list[str]:
    return [re.sub(r"\d+\.\d+|\b\d+ ms", "<n>", line) for line in lines if "50th" in line]


@tool_case
def verifiable_clients(t: Terminal) -> None:
    topic, group = t.topic(), t.group()
    t.run(
        f"kafka-verifiable-producer --topic {topic} --max-messages 3 --throughput -1 --value-prefix 7",
        cut=lambda lines: without_times(lines)[:1],  # Kafka's prints the others while its JVM ends
    )
    t.run(
        f"kafka-verifiable-consumer --topic {topic} --group-id {group} --max-messages 3"
        " --reset-policy earliest --enable-autocommit",
        cut=without_times,
    )


def without_times(lines: list[str]) -> list[str]:
    told = [json.loads(line.replace("<time>", "0")) for line in lines if line.startswith("{")]
    kept = [{k: v for k, v in one.items() if k not in ("timestamp", "avg_throughput")} for one in told]
    return [json.dumps(one) for one in kept]


@tool_case
def metadata_quorum(t: Terminal) -> None:
    t.run("kafka-metadata-quorum {at} describe --status", cut=without_numbers)
    t.run("kafka-metadata-quorum {at} describe --replication", cut=without_numbers)
    t.run("kafka-metadata-quorum {at} describe --replication --human-readable", cut=without_numbers)
    nobody = "--controller-id 2 --controller-directory-id AAAAAAAAAAAAAAAAAAAAAg"
    t.run(f"kafka-metadata-quorum {{at}} remove-controller {nobody}")


def without_numbers(lines: list[str]) -> list[str]:
    """Remove numbers and padding. The address of the controller is that of the broker in tidemark."""
    lines = [line.replace("<address>", "127.0.0.1:9092") for line in lines]
    return [re.sub(r" +", " ", re.sub(r"\d+", "<n>", line)) for line in lines]


@tool_case
def leader_election(t: Terminal) -> None:
    topic = t.topic(2)
    named = [{"topic": topic, "partition": index} for index in (1, 0)]
    file = t.file("partitions.json", json.dumps({"partitions": named}))
    for kind in ("preferred", "unclean"):
        t.run(f"kafka-leader-election --election-type {kind} --topic {topic} --partition 0")
        t.run(f"kafka-leader-election --election-type {kind} --topic {topic} --partition 7")
        t.run(f"kafka-leader-election --election-type {kind} --path-to-json-file {file}")
        t.run(f"kafka-leader-election --election-type {kind} --all-topic-partitions")


@tool_case
def leader_election_refused(t: Terminal) -> None:
    topic = t.topic()
    line = "kafka-leader-election --election-type"
    t.run(f"{line} preferred --topic {topic}")
    t.run(f"{line} preferred")
    t.run(f"{line} preferred --topic {topic} --partition 0 --all-topic-partitions")
    t.run(f"{line} bogus --all-topic-partitions")
    t.run(f"{line} preferred --topic nosuch --partition 0")
    t.run(f"{line} preferred --path-to-json-file {t.file('wrong.json', '{}')}")


@tool_case
def reassignments_refused(t: Terminal) -> None:
    topic = t.topic()
    line = "kafka-reassign-partitions"
    t.run(line)
    for name, partitions in (
        ("unknown_topic", [{"topic": "nosuch", "partition": 0, "replicas": [1]}]),
        ("unknown_partition", [{"topic": topic, "partition": 7, "replicas": [1]}]),
        ("no_replicas", [{"topic": topic, "partition": 0, "replicas": []}]),
        ("twice", [{"topic": topic, "partition": 0, "replicas": [1]}] * 2),
        ("broker_twice", [{"topic": topic, "partition": 0, "replicas": [1, 1]}]),
    ):
        plan = t.file(f"{name}.json", json.dumps({"partitions": partitions, "version": 1}))
        t.run(f"{line} --execute --reassignment-json-file {plan}", cut=without_folders)
        t.run(f"{line} --verify --reassignment-json-file {plan}", cut=without_folders)
    t.run(f"{line} --execute --reassignment-json-file {t.file('empty.json', '')}")


@tool_case
def metadata_quorum_refused(t: Terminal) -> None:
    line = "kafka-metadata-quorum {at}"
    t.run(f"{line} describe")
    t.run(f"{line} describe --status --replication")
    t.run(f"{line} remove-controller --controller-id 1 --controller-directory-id bogus")
    t.run(f"{line} add-controller")


@tool_case
def client_metrics_altered(t: Terminal) -> None:
    name = t.name("metrics")
    line = f"kafka-client-metrics --name {name}"
    t.run(f"{line} --alter --metrics org.apache.kafka.producer. --interval 60000 --match client_id=a")
    t.run(f"{line} --describe")
    t.run("kafka-client-metrics --list", keep=name)
    t.run(f"{line} --alter --interval 1")
    t.run(f"{line} --delete")
    t.run(f"{line} --describe")


@tool_case
def the_new_consumer_protocol(t: Terminal) -> None:
    topic = filled(t, 3)
    new = "--command-property group.protocol=consumer"
    t.run(f"kafka-console-consumer --topic {topic} --from-beginning --timeout-ms 5000 --max-messages 3 {new}")
