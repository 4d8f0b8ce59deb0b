"""The expected messages are those of Apache Kafka 4.3.1 for the same values."""

from __future__ import annotations

from pathlib import Path

import pytest

from tidemark.config import SETTINGS, Config, ConfigError, ignored_settings, load
from tidemark.settings.broker import principals_of

# Setting, text, the value in Kafka's message, the reason.
STICKY_CLASS = "org.apache.kafka.coordinator.group.streams.assignor.StickyTaskAssignor"
INVALID = [
    ("offsets.retention.minutes", "0", "0", "Value must be at least 1"),
    ("offsets.retention.minutes", "abc", "abc", "Not a number of type INT"),
    ("offsets.retention.minutes", "", "", "Not a number of type INT"),
    ("offsets.retention.minutes", "99999999999", "99999999999", "Not a number of type INT"),
    ("offset.metadata.max.bytes", "1_0", "1_0", "Not a number of type INT"),
    ("auto.create.topics.enable", "maybe", "maybe", "Expected value to be either true or false"),
    ("log.cleaner.min.cleanable.ratio", "abc", "abc", "Not a number of type DOUBLE"),
    ("log.cleaner.min.cleanable.ratio", "2", "2.0", "Value must be no more than 1"),
    ("log.cleaner.min.cleanable.ratio", "-1", "-1.0", "Value must be at least 0"),
    ("log.cleanup.policy", "foo", "foo", "String must be one of: compact, delete"),
    (
        "compression.type",
        "foo",
        "foo",
        "String must be one of: uncompressed, zstd, lz4, snappy, gzip, producer",
    ),
    ("compression.gzip.level", "99", "99", "Value must be between 1 and 9 or equal to -1"),
    (
        "group.consumer.migration.policy",
        "foo",
        "foo",
        "String must be one of (case insensitive): DISABLED, DOWNGRADE, UPGRADE, BIDIRECTIONAL",
    ),
    ("group.streams.assignors", "x", "x", "Class cannot be found"),
    (
        "group.streams.assignors",
        f"sticky,{STICKY_CLASS}",
        STICKY_CLASS,
        "Assignor name 'sticky' is already registered by another configured assignor. Assignor names, "
        "whether built-in or custom, must be unique",
    ),
    ("offsets.topic.replication.factor", "99999", "99999", "Not a number of type SHORT"),
    ("max.connections.per.ip", "-1", "-1", "Value must be at least 0"),
]
REFUSED = [
    ("group.consumer.assignors", "x", "Class x cannot be found"),
    (
        "group.streams.assignors",
        "",
        "Configuration 'group.streams.assignors' must not be empty. Valid values include: any "
        "non-empty value",
    ),
    (
        "group.streams.rack.aware.assignment.tags",
        "a,a",
        "group.streams.rack.aware.assignment.tags must not contain duplicate tag keys.",
    ),
    (
        "group.streams.rack.aware.assignment.tags",
        "a,,b",
        "Configuration 'group.streams.rack.aware.assignment.tags' values must not be empty.",
    ),
    (
        "max.connections.per.ip",
        "0",
        "max.connections.per.ip can be set to zero only if max.connections.per.ip.overrides property is set.",
    ),
    ("log.cleanup.policy", "delete,,compact", "Configuration 'log.cleanup.policy' values must not be empty."),
    (
        "group.consumer.assignors",
        "",
        "Configuration 'group.consumer.assignors' must not be empty. Valid values include: any "
        "non-empty value",
    ),
    (
        "listeners",
        "",
        "Configuration 'listeners' must not be empty. Valid values include: any non-empty value",
    ),
    ("log.retention.ms", "0", "log.retention.ms must be unlimited (-1) or, greater than or equal to 1"),
    ("log.retention.hours", "0", "log.retention.ms must be unlimited (-1) or, greater than or equal to 1"),
    ("log.roll.ms", "0", "log.roll.ms must be greater than or equal to 1"),
    (
        "group.share.session.timeout.ms",
        "10",
        "group.share.session.timeout.ms must be greater than or equal to group.share.min.session.timeout.ms",
    ),
    (
        "group.share.record.lock.duration.ms",
        "14999",
        "group.share.record.lock.duration.ms must be greater than or equal to "
        "group.share.min.record.lock.duration.ms",
    ),
    (
        "group.consumer.session.timeout.ms",
        "10",
        "group.consumer.session.timeout.ms must be greater than or equal to "
        "group.consumer.min.session.timeout.ms",
    ),
    (
        "group.consumer.heartbeat.interval.ms",
        "50000",
        "group.consumer.heartbeat.interval.ms must be less than or equal to "
        "group.consumer.max.heartbeat.interval.ms",
    ),
    (
        "group.consumer.min.session.timeout.ms",
        "70000",
        "group.consumer.max.session.timeout.ms must be greater than or equal to "
        "group.consumer.min.session.timeout.ms",
    ),
    (
        "group.consumer.assignment.interval.ms",
        "15001",
        "group.consumer.assignment.interval.ms must be less than or equal to "
        "group.consumer.max.assignment.interval.ms",
    ),
    (
        "group.coordinator.rebalance.protocols",
        "consumer",
        "Disabling the 'classic' protocol is not supported.",
    ),
]


@pytest.mark.parametrize(("name", "text", "shown", "why"), INVALID)
def test_a_wrong_value_is_refused_in_kafkas_words(name: str, text: str, shown: str, why: str) -> None:
    with pytest.raises(ConfigError) as refusal:
        Config({name: text})
    assert str(refusal.value) == f"Invalid value {shown} for configuration {name}: {why}"


def test_a_segment_of_offsets_that_no_topic_may_have_is_refused_at_start() -> None:
    with pytest.raises(ConfigError, match="Value must be at least 1048576"):
        Config({"offsets.topic.segment.bytes": "1000"})


@pytest.mark.parametrize(("name", "text", "words"), REFUSED)
def test_values_that_do_not_go_together_are_refused_in_kafkas_words(name: str, text: str, words: str) -> None:
    with pytest.raises(ConfigError) as refusal:
        Config({name: text})
    assert str(refusal.value) == words


def test_the_heartbeat_interval_must_be_shorter_than_the_session() -> None:
    with pytest.raises(ConfigError) as refusal:
        Config(
            {
                "group.consumer.max.heartbeat.interval.ms": "50000",
                "group.consumer.heartbeat.interval.ms": "45000",
            }
        )
    assert str(refusal.value) == (
        "group.consumer.heartbeat.interval.ms must be less than group.consumer.session.timeout.ms"
    )


def test_the_coordinator_gets_the_settings_of_the_consumer_protocol() -> None:
    given = {
        "group.coordinator.rebalance.protocols": "classic",
        "group.consumer.session.timeout.ms": "50000",
        "group.consumer.heartbeat.interval.ms": "6000",
        "group.consumer.assignment.interval.ms": "0",
        "group.consumer.max.size": "3",
        "group.consumer.assignors": "org.apache.kafka.coordinator.group.assignor.RangeAssignor,uniform",
        "group.consumer.migration.policy": "UpGrade",
    }
    settings = Config(given)
    assert not settings.serves_consumer_protocol({"group.version": 1})
    assert settings.group_consumer_session_timeout_ms == 50_000
    assert settings.group_consumer_heartbeat_interval_ms == 6_000
    assert settings.group_consumer_assignment_interval_ms == 0
    assert settings.group_consumer_max_size == 3
    assert settings.assignors == ("range", "uniform")
    assert settings.group_consumer_migration_policy == "upgrade"
    assert Config().group_consumer_session_timeout_ms == 45_000
    assert Config().group_consumer_heartbeat_interval_ms == 5_000
    assert Config().group_consumer_assignment_interval_ms == 1_000


def test_the_only_task_assignor_may_be_named_in_two_ways() -> None:
    for names in ("sticky", "sticky,sticky", STICKY_CLASS):
        assert Config({"group.streams.assignors": names}).group_streams_assignors
    assert Config(
        {"group.streams.rack.aware.assignment.tags": " a , b "}
    ).group_streams_rack_aware_assignment_tags == (
        "a",
        "b",
    )
    older = Config({"tidemark.as": "4.3", "group.streams.assignors": "x"})
    assert older.group_streams_assignors == ("sticky",)


@pytest.mark.parametrize(("release", "served", "interval_ms"), [("3.9", False, 0), ("4.3", True, 1000)])
def test_as_a_release_has_its_consumer_protocol(release: str, served: bool, interval_ms: int) -> None:
    config = Config({"tidemark.as": release})
    assert config.serves_consumer_protocol({"group.version": 1}) is served
    assert config.group_consumer_assignment_interval_ms == interval_ms


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("offset.metadata.max.bytes", "+5", 5),
        ("offset.metadata.max.bytes", "-1", -1),
        ("auto.create.topics.enable", " TRUE ", True),
        ("log.cleaner.min.cleanable.ratio", "1", 1.0),
        ("log.cleanup.policy", "delete, compact,delete", ("delete", "compact")),
        ("log.cleanup.policy", "", ()),
        ("group.consumer.migration.policy", "Upgrade", "upgrade"),
        ("log.retention.ms", "-2", -2),
        ("group.initial.rebalance.delay.ms", "-5", -5),
    ],
)
def test_values_that_kafka_accepts_are_accepted(name: str, text: str, value: object) -> None:
    assert getattr(Config({name: text}), name.replace(".", "_")) == value


def test_a_flag_overrides_the_environment_which_overrides_the_file(tmp_path: Path) -> None:
    file = tmp_path / "server.properties"
    file.write_text("num.partitions=2\nnode.id=2\ngroup.max.size=2\n")
    environment = {"KAFKA_NODE_ID": "3", "KAFKA_GROUP_MAX_SIZE": "3"}
    config = load([file], environment, ["group.max.size=4"])
    assert (config.num_partitions, config.node_id, config.group_max_size) == (2, 3, 4)


def test_a_later_file_overrides_an_earlier_one(tmp_path: Path) -> None:
    defaults, mounted = tmp_path / "defaults", tmp_path / "mounted"
    defaults.write_text("num.partitions=2\nnode.id=2\n")
    mounted.write_text("num.partitions=3\n")
    config = load([defaults, mounted], {})
    assert (config.num_partitions, config.node_id) == (3, 2)


def test_wrong_value_is_named_with_its_variable_unless_a_flag_replaced_it() -> None:
    environment = {"KAFKA_NUM_PARTITIONS": "x", "TIDEMARK_TEST_API": "maybe"}
    with pytest.raises(ConfigError, match=r"num.partitions: .* \(from the variable KAFKA_NUM_PARTITIONS\)$"):
        load(environment={"KAFKA_NUM_PARTITIONS": "x"})
    with pytest.raises(ConfigError, match=r"tidemark.test.api: .* \(from the variable TIDEMARK_TEST_API\)$"):
        load(environment=environment, flags=["num.partitions=1"])
    with pytest.raises(ConfigError, match=r"^Invalid value y for configuration num.partitions: [^(]*$"):
        load(environment=environment, flags=["num.partitions=y"])


def test_unknown_keys_are_listed_and_kafkas_are_not() -> None:
    values = {
        "zzz": "1", "log.retenton.ms": "5", "num.io.threads": "8", "ssl.keystore.location": "/k",
        "listener.name.plaintext.foo": "1", "super.users": "User:a", "log.cleaner.threads": "2",
    }  # fmt: skip
    assert Config(values).unknown == ["log.retenton.ms", "zzz"]


def test_an_authorizer_that_does_not_exist_here_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"AclAuthorizer for configuration authorizer"):
        Config({"authorizer.class.name": "kafka.security.authorizer.AclAuthorizer"})


def test_super_users_are_principals() -> None:
    assert principals_of(Config({"super.users": " User:a ;User:b;; "}).super_users) == ["User:a", "User:b"]
    with pytest.raises(ConfigError, match=r"principalType:principalName but got b$"):
        Config({"super.users": "User:a;b"})


def test_no_setting_is_both_used_and_ignored() -> None:
    assert not ignored_settings() & {setting.name for setting in SETTINGS}


def test_the_shorthands_change_one_thing_each() -> None:
    config = load(
        environment={},
        flags=["listeners=A://h:1,B://h:2", "listener.security.protocol.map=A:PLAINTEXT,B:PLAINTEXT"],
        data_dir="/d",
        port=0,
        http_port=7,
    )
    assert [(listener.name, listener.port) for listener in config.listeners_served] == [("A", 0), ("B", 2)]
    assert config.http_address == ("127.0.0.1", 7)
    assert str(config.data_dir) == "/d"


def test_empty_listener_disables_http() -> None:
    assert Config({"tidemark.http.listener": ""}).http_address is None


@pytest.mark.parametrize("text", ["9464", "host:port", "host:70000"])
def test_a_wrong_http_listener_is_refused(text: str) -> None:
    with pytest.raises(
        ConfigError, match=f"^Invalid value {text} for configuration tidemark.http.listener: "
    ):
        Config({"tidemark.http.listener": text})


@pytest.mark.parametrize(
    ("given", "ms"),
    [
        ({}, 604_800_000),
        ({"log.retention.hours": "1"}, 3_600_000),
        ({"log.retention.hours": "1", "log.retention.minutes": "2"}, 120_000),
        ({"log.retention.minutes": "2", "log.retention.ms": "3"}, 3),
        ({"log.retention.ms": "-1"}, -1),
        ({"log.retention.hours": "-1"}, -1),
    ],
)
def test_the_finest_unit_of_retention_counts(given: dict[str, str], ms: int) -> None:
    assert Config(given).retention_ms == ms


def test_broker_id_is_an_old_name_of_node_id() -> None:
    assert Config({"broker.id": "7"}).node_id == 7
    with pytest.raises(ConfigError, match=r"^You must set `node\.id` to the same value as `broker\.id`\.$"):
        Config({"broker.id": "7", "node.id": "8"})


def test_one_address_may_have_its_own_bound_on_connections() -> None:
    config = Config(
        {"max.connections.per.ip": "10", "max.connections.per.ip.overrides": "10.0.0.1:200, ::1:5"}
    )
    assert [config.connections_per_ip_max(ip) for ip in ("10.0.0.1", "::1", "10.0.0.2")] == [200, 5, 10]


@pytest.mark.parametrize("text", ["nonsense", "10.0.0.1:", "10.0.0.1:-1", "10.0.0.1:1,:x"])
def test_bounds_of_single_addresses_that_cannot_be_read_are_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="'max.connections.per.ip.overrides': .* is not host:count$"):
        Config({"max.connections.per.ip.overrides": text})


def test_each_release_has_its_own_defaults_which_a_given_value_overrides() -> None:
    config = Config({"tidemark.as": "4.3.1", "offsets.topic.num.partitions": "4"})
    assert config.release.name == "4.3"
    assert config.group_initial_rebalance_delay_ms == 3000
    assert config.offsets_topic_num_partitions == 4


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="^cannot read .*nowhere: No such file or directory$"):
        load([tmp_path / "nowhere"], {})


def test_setting_is_printed_as_in_a_properties_file() -> None:
    config = Config({"log.cleanup.policy": "compact,delete", "log.preallocate": "True"})
    texts = {setting.name: config.text(setting) for setting in SETTINGS}
    assert texts["log.cleanup.policy"] == "compact,delete"
    assert texts["log.preallocate"] == "true"
    assert texts["log.retention.ms"] is None
    assert texts["log.cleaner.min.cleanable.ratio"] == "0.5"


# The variables of testcontainers' modules for the images of Apache and Confluent, with and without ZooKeeper.
OF_TESTCONTAINERS = {
    "KAFKA_LISTENERS": "PLAINTEXT://0.0.0.0:9092,BROKER://0.0.0.0:9093,CONTROLLER://0.0.0.0:9094",
    "KAFKA_ADVERTISED_LISTENERS": "PLAINTEXT://localhost:32768,BROKER://4f1c8a:9093",
    "KAFKA_LISTENER_SECURITY_PROTOCOL_MAP": "BROKER:PLAINTEXT,PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
    "KAFKA_INTER_BROKER_LISTENER_NAME": "BROKER",
    "KAFKA_CONTROLLER_LISTENER_NAMES": "CONTROLLER",
    "KAFKA_CONTROLLER_QUORUM_VOTERS": "1@localhost:9094",
    "KAFKA_PROCESS_ROLES": "broker,controller",
    "KAFKA_NODE_ID": "1",
    "KAFKA_BROKER_ID": "1",
    "KAFKA_ZOOKEEPER_CONNECT": "localhost:2181",
    "KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR": "1",
    "KAFKA_OFFSETS_TOPIC_NUM_PARTITIONS": "1",
    "KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR": "1",
    "KAFKA_TRANSACTION_STATE_LOG_MIN_ISR": "1",
    "KAFKA_LOG_FLUSH_INTERVAL_MESSAGES": "9223372036854775807",
    "KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS": "0",
    "KAFKA_REST_BOOTSTRAP_SERVERS": "http://localhost:8082",
    "KAFKA_CONFLUENT_SUPPORT_METRICS_ENABLE": "false",
    "KAFKA_JMX_PORT": "9101",
    "CLUSTER_ID": "4L6g3nShT-eMCtK--X86sw",
}


def test_environment_of_testcontainers_for_kafkas_images_is_understood() -> None:
    config = load(environment=OF_TESTCONTAINERS)
    assert config.unknown == []
    assert config.tidemark_cluster_id == "4L6g3nShT-eMCtK--X86sw"
    assert [(listener.name, listener.port, listener.advertised) for listener in config.listeners_served] == [
        ("PLAINTEXT", 9092, ("localhost", 32768)),
        ("BROKER", 9093, ("4f1c8a", 9093)),
    ]
