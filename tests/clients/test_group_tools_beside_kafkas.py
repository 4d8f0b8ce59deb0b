"""Our group tools compared with Kafka's on an Apache Kafka, and on our broker.

It has groups of the new protocol (KIP-848), also with static members or under migration, and share groups.
Both tools run at the same time. Our broker has the same groups, except for share groups.
"""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from tests import kafka_oracle
from tests.broker_process import BrokerProcess, two_free_ports
from tests.clients.test_opening import serving
from tests.conformance.tools.jvm import ToolJvm
from tests.conformance.tools.ours import OurTools, comparable
from tests.kafka_oracle import KafkaNode
from tests.kafkas_directory import unpacked
from tests.wire import Connection
from tidemark_protocol import from_dict
from tidemark_tools.client.client import Client
from tidemark_tools.groups.consumer_groups import consumer_groups

pytestmark = [
    pytest.mark.java,
    pytest.mark.slow,
    pytest.mark.skipif(kafka_oracle.missing() is not None, reason=f"Apache Kafka: {kafka_oracle.missing()}"),
]

MEMBERS: Final = Path(__file__).parent / "java" / "Members.java"
TOPIC: Final = "orders"
PARTITIONS: Final = 3
VIEWS: Final = ("", "--verbose", "--members", "--members --verbose", "--state", "--state --verbose")
WHO: Final = (
    "g-new/consumer/cn1", "g-new/consumer/cn2",
    "g-static/consumer/cs1/inst-1", "g-static/consumer/cs2",
    "g-moving/classic/old1", "g-moving/consumer/new1",
    "g-classic/classic/c1",
    "g-share/share/s1",
)  # fmt: skip


@dataclass(slots=True)
class Both:
    """Kafka's tools and ours, connected to one Kafka."""

    bootstrap: str
    theirs: ToolJvm

    def ask(self, line: str) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
        """Return the output of Kafka's tool and of ours."""
        name, *arguments = shlex.split(line)
        arguments += ["--bootstrap-server", self.bootstrap]
        found = []
        for tools in (self.theirs, OurTools()):
            printed = tools.run(name, arguments)
            found.append(
                comparable(
                    [
                        {
                            "$": line,
                            "exit": printed.code,
                            "out": printed.out.split("\n"),
                            "err": without_traces_and_log(printed.err).split("\n"),
                        }
                    ]
                )
            )
        return found[0], found[1]


def without_traces_and_log(text: str) -> str:
    """Remove stack traces, log lines, and the table of options, which has our own words."""
    text = re.sub(r"^Option +Description *\n(.*\n)*", "", text, flags=re.MULTILINE)
    return re.sub(r"^(\t(at |\.\.\. \d+ more)|\[\d{4}-\d\d-\d\d ).*\n", "", text, flags=re.MULTILINE)


@pytest.fixture
def both_at_an_old_one(tmp_path: Path) -> Iterator[Both]:
    """Our broker without DescribeGroups v6: it describes unknown groups as Dead, as older brokers do."""
    broker = BrokerProcess(tmp_path, {"tidemark.as": "3.9"})
    broker.start()
    try:
        make_topic(broker.bootstrap)
        with ToolJvm(tmp_path) as jvm:
            yield Both(broker.bootstrap, jvm)
    finally:
        broker.stop()


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Both]:
    folder = tmp_path_factory.mktemp("kafka")
    node = KafkaNode(folder / "kafka", two_free_ports(), {"group.min.session.timeout.ms": "1000"})
    node.start()
    try:
        yield from with_members(node.bootstrap, WHO, folder)
    finally:
        node.stop()


@pytest.fixture(scope="module")
def both_at_ours(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Both]:
    """Our broker, which serves no share groups."""
    folder = tmp_path_factory.mktemp("ours")
    broker = BrokerProcess(folder, {"group.min.session.timeout.ms": "1000"})
    broker.start()
    try:
        yield from with_members(broker.bootstrap, [who for who in WHO if "/share/" not in who], folder)
    finally:
        broker.stop()


def with_members(bootstrap: str, who: Sequence[str], folder: Path) -> Iterator[Both]:
    """Yield both tools while these members are in their groups."""
    make_topic(bootstrap)
    command = kafka_oracle.java(str(MEMBERS), bootstrap, TOPIC, str(PARTITIONS), *who, heap="256m")
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as members:
        assert members.stdout is not None
        try:
            assert any(line.strip() == "ready" for line in members.stdout), "the members have ended"
            with ToolJvm(folder) as jvm:
                yield Both(bootstrap, jvm)
        finally:
            members.kill()


def make_topic(bootstrap: str) -> None:
    topic = {"Name": TOPIC, "NumPartitions": PARTITIONS, "ReplicationFactor": 1}
    request = from_dict("CreateTopicsRequest", {"Topics": [topic], "timeoutMs": 30_000})
    with Connection(bootstrap) as connection:
        assert not connection.ask("CreateTopics", 7, request).topics[0].error_code


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("group", ["g-new", "g-static", "g-moving", "g-classic", "g-share"])
def test_every_view_of_every_kind_of_group_equals_kafkas(group: str, view: str, both: Both) -> None:
    theirs, ours = both.ask(f"kafka-consumer-groups --describe --group {group} {view}")
    assert ours == theirs


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("group", ["g-new", "g-static", "g-moving", "g-classic"])
def test_every_view_of_our_groups_is_the_same_with_both_tools(
    group: str, view: str, both_at_ours: Both
) -> None:
    theirs, ours = both_at_ours.ask(f"kafka-consumer-groups --describe --group {group} {view}")
    assert ours == theirs
    assert "GROUP" in "".join(map(str, theirs))


@pytest.mark.parametrize(
    "line",
    [
        "kafka-groups --list",
        "kafka-groups --list --share",
        "kafka-groups --list --group-type consumer",
        "kafka-consumer-groups --list --state --type",
        "kafka-consumer-groups --list --type consumer",
        "kafka-consumer-groups --delete --group g-new",
        "kafka-consumer-groups --delete --group g-share",
        "kafka-consumer-groups --delete-offsets --group g-new --topic orders",
        "kafka-consumer-groups --reset-offsets --group g-new --topic orders --to-latest --dry-run",
        "kafka-consumer-groups --reset-offsets --group g-share --topic orders --to-latest --dry-run",
    ],
)
def test_other_actions_on_these_groups_equal_kafkas(line: str, both: Both) -> None:
    theirs, ours = both.ask(line)
    assert ours == theirs


def test_a_group_that_an_older_broker_calls_dead(both_at_an_old_one: Both) -> None:
    for options in ("", "--members", "--state", "--group another"):
        theirs, ours = both_at_an_old_one.ask(f"kafka-consumer-groups --describe --group nosuch {options}")
        assert ours == theirs
    reset = "kafka-consumer-groups --reset-offsets --group nosuch --topic orders --to-latest --dry-run"
    theirs, ours = both_at_an_old_one.ask(reset)
    assert ours == theirs


@pytest.fixture(scope="module")
def both_at_what_kafka_wrote(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Both]:
    """Our broker on a directory of Kafka's: groups of every kind and state, with unusual names."""
    folder = tmp_path_factory.mktemp("written")
    with serving("--from", unpacked(folder)) as broker, ToolJvm(folder) as jvm:
        yield Both(broker.ready["bootstrap_servers"], jvm)


@pytest.mark.parametrize("view", ["", "--verbose", "--members --verbose", "--state --verbose"])
def test_views_of_groups_in_kafkas_directory_equal_kafkas(view: str, both_at_what_kafka_wrote: Both) -> None:
    with Client(both_at_what_kafka_wrote.bootstrap) as client:
        names = {group.group_id for group in consumer_groups(client)}
    known = names - {
        "",
        "reader-of-doomed",
    }  # "" is no group of the new protocol; a topic of the other one was deleted
    assert len(known) > 60
    groups = " ".join(f"--group {shlex.quote(name)}" for name in sorted(known))
    theirs, ours = both_at_what_kafka_wrote.ask(f"kafka-consumer-groups --describe {groups} {view}")
    assert ours == theirs


@pytest.mark.parametrize(
    "line",
    [
        "kafka-groups --list",
        "kafka-groups --list --streams",
        "kafka-consumer-groups --list --state --type",
        "kafka-consumer-groups --describe --group reader-of-doomed",
        "kafka-consumer-groups --describe --group reader-of-doomed --members",
        "kafka-consumer-groups --describe --group connect-cluster",
        "kafka-consumer-groups --describe --group streamed",
        "kafka-consumer-groups --reset-offsets --group numbers --topic orders --to-current --dry-run",
        "kafka-consumer-groups --reset-offsets --group numbers --topic orders --shift-by 1 --dry-run",
    ],
)
def test_other_actions_on_groups_in_kafkas_directory_equal_kafkas(
    line: str, both_at_what_kafka_wrote: Both
) -> None:
    theirs, ours = both_at_what_kafka_wrote.ask(line)
    assert ours == theirs


def test_a_group_without_a_name_does_not_hide_the_others(both_at_what_kafka_wrote: Both) -> None:
    """Kafka's tool fails; ours leaves the group out with a warning (docs/tools.md)."""
    (theirs,), (ours,) = both_at_what_kafka_wrote.ask("kafka-consumer-groups --describe --all-groups")
    assert any("InvalidGroupIdException" in line for line in theirs["out"])
    assert not any("InvalidGroupIdException" in line for line in ours["out"])
    assert ours["err"] == ["WARN the group '' is left out: brokers do not describe a group without a name"]
