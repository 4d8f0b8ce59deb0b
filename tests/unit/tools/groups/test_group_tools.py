"""The group tools' own features: --json, --explain, warnings, error messages, and few imports.

tests/conformance/tools compares the rest with Kafka's tools.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.broker_process import BrokerProcess, environment
from tests.conformance.build import commit
from tests.conformance.tools.given import committed, filled, read_by
from tests.conformance.tools.jvm import Printed
from tests.conformance.tools.ours import OurTools
from tests.conformance.tools.terminal import Terminal
from tidemark_tools.http_api import Api

pytestmark = pytest.mark.slow  # each starts processes

DAY_MS: Final = 24 * 60 * 60 * 1000
SETTINGS: Final = {
    "offsets.topic.num.partitions": "4",
    "group.min.session.timeout.ms": "1000",
    "tidemark.test.api": "true",
}


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrokerProcess]:
    running = BrokerProcess(tmp_path_factory.mktemp("broker"), SETTINGS)
    running.start()
    yield running
    running.stop()


@pytest.fixture
def t(broker: BrokerProcess, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Terminal]:
    terminal = Terminal(broker, request.node.name, OurTools(), tmp_path)
    yield terminal
    terminal.hang_up()


def consumer_groups(broker: BrokerProcess, *arguments: str) -> Printed:
    """Run the tool with the address of the broker's HTTP API."""
    where = ["--bootstrap-server", broker.bootstrap]
    if "--explain" in arguments and "--list" not in arguments:
        where += ["--http", broker.http]
    return OurTools().run("kafka-consumer-groups", [*where, *arguments])


def as_json(broker: BrokerProcess, *arguments: str) -> Any:
    printed = consumer_groups(broker, *arguments, "--json")
    assert printed.code == 0, printed
    return json.loads(printed.out)


def advance(broker: BrokerProcess, days: int) -> None:
    Api(broker.http).post("/v1/clock/advance", {"days": days})


def test_offsets_as_json(t: Terminal, broker: BrokerProcess) -> None:
    topic = filled(t, 5, 3)
    group = committed(t, topic, 2)
    assert as_json(broker, "--describe", "--group", group) == [
        {
            "group": group,
            "topic": topic,
            "partition": 0,
            "leader_epoch": None,
            "current_offset": 2,
            "log_end_offset": 5,
            "lag": 3,
            "consumer_id": None,
            "host": None,
            "client_id": None,
        }
    ]


def test_members_and_state_as_json(t: Terminal, broker: BrokerProcess) -> None:
    topic = filled(t, 5, 3)
    member = read_by(t, topic, 0, 1)
    (result,) = as_json(broker, "--describe", "--group", member.group, "--members")
    assert (result["consumer_id"], result["partitions"], result["current_assignment"]) == (
        member.id,
        2,
        {topic: [0, 1]},
    )
    (state,) = as_json(broker, "--describe", "--group", member.group, "--state")
    assert state["coordinator"]["id"] == 1
    assert state["coordinator"]["port"] == int(broker.bootstrap.rpartition(":")[2])
    assert (state["state"], state["assignment_strategy"], state["members"]) == ("Stable", "range", 1)


def test_lists_deletions_and_resets_as_json(t: Terminal, broker: BrokerProcess) -> None:
    topic = filled(t, 5)
    group = committed(t, topic, 2)
    listed = as_json(broker, "--list")
    assert {"group": group, "type": "Classic", "state": "Empty"} in listed
    reset = ["--reset-offsets", "--group", group, "--topic", topic, "--to-latest", "--dry-run"]
    assert as_json(broker, *reset) == [{"group": group, "topic": topic, "partition": 0, "new_offset": 5}]
    gone = as_json(broker, "--delete-offsets", "--group", group, "--topic", topic, "--topic", "nosuch")
    assert [(row["topic"], row["partition"], row["error"] is None) for row in gone] == [
        ("nosuch", None, False),
        (topic, 0, True),
    ]
    deleted = as_json(broker, "--delete", "--group", group, "--group", "nosuch")
    assert [(row["group"], row["error"] is None) for row in deleted] == [(group, True), ("nosuch", False)]


def test_groups_of_all_types_as_json(t: Terminal, broker: BrokerProcess) -> None:
    group = committed(t, filled(t, 1), 1)
    printed = OurTools().run("kafka-groups", ["--bootstrap-server", broker.bootstrap, "--list", "--json"])
    assert {"group": group, "type": "Classic", "protocol_type": ""} in json.loads(printed.out)


def test_with_json_a_failure_is_on_stderr_and_in_the_exit_code(broker: BrokerProcess) -> None:
    printed = consumer_groups(broker, "--describe", "--group", "nosuch", "--json")
    assert (printed.code, printed.out) == (1, "")
    assert "GroupIdNotFoundException: Group nosuch not found." in printed.err


def test_each_offset_is_explained(t: Terminal, broker: BrokerProcess) -> None:
    topic = filled(t, 5)
    simple, member = committed(t, topic, 2), read_by(t, topic, 0)
    printed = consumer_groups(broker, "--describe", "--group", simple, "--explain")
    row, sentence = printed.out.splitlines()[2:4]
    assert row.split()[:5] == [simple, topic, "0", "2", "standalone"]
    since, due = row.split()[5:]
    assert since.endswith("Z") and due > since
    assert sentence.startswith("    ") and simple in sentence and due in sentence
    assert printed.err == f"\nConsumer group '{simple}' has no active members.\n"
    (result,) = as_json(broker, "--describe", "--group", member.group, "--explain")
    assert (result["rule"], result["due_ms"], result["offset"]) == ("active", None, 1)


def test_a_reset_of_offsets_that_expire_soon_prints_a_warning(t: Terminal, broker: BrokerProcess) -> None:
    """KIP-211: an Empty group's retention starts when it becomes Empty; later commits do not restart it."""
    topic = filled(t, 5)
    simple, member = committed(t, topic, 2), read_by(t, topic, 0)
    member.peer.do(*member.leave())
    reset = ["--reset-offsets", "--group", member.group, "--group", simple, "--topic", topic]
    reset += ["--to-earliest", "--dry-run", "--explain"]
    assert consumer_groups(broker, *reset).err == ""
    advance(broker, days=6)
    (result,) = as_json(broker, "--describe", "--group", member.group, "--explain")
    warned = consumer_groups(broker, *reset)
    assert warned.err.startswith(f"WARN: group '{member.group}' has been Empty since ")
    assert "for 86% of the offset retention" in warned.err
    assert result["due_ms"] - result["since_ms"] == 7 * DAY_MS
    assert warned.err.count("\n") == 1, "a group without members ever has a clock for each commit"


def test_expired_offsets_are_restored_from_the_log_of_removals(
    t: Terminal, broker: BrokerProcess, tmp_path: Path
) -> None:
    """The log of removals has a format that --from-file reads."""
    group = committed(t, filled(t, 5, 3), 2, 1)
    advance(broker, days=8)
    assert "GroupIdNotFoundException" in consumer_groups(broker, "--describe", "--group", group).out
    gone = tmp_path / "gone.csv"
    gone.write_text(Api(broker.http).text(f"/v1/expiry/log?format=reset-csv&group={group}"))
    reset = ["--reset-offsets", "--group", group, "--from-file", str(gone), "--execute"]
    assert [row["new_offset"] for row in as_json(broker, *reset)] == [2, 1]
    assert [row["current_offset"] for row in as_json(broker, "--describe", "--group", group)] == [2, 1]


def test_explain_without_a_tidemark_broker_is_an_error(t: Terminal, broker: BrokerProcess) -> None:
    committed(t, filled(t, 5), 2)
    reset = ["--reset-offsets", "--all-topics", "--to-latest", "--dry-run"]
    for action in (["--describe"], reset):
        for address in ("127.0.0.1:1", "nonsense"):
            where = ["--bootstrap-server", broker.bootstrap, "--all-groups", "--explain", "--http", address]
            printed = OurTools().run("kafka-consumer-groups", [*where, *action])
            assert (printed.code, printed.out) == (1, "")
            assert printed.err.startswith(f"Error: no tidemark HTTP API at {address} ")
            assert "Apache Kafka has none" in printed.err
            assert printed.err.count("\n") == 1


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--list --explain", "Option(s) [explain] are unavailable given other options on the command line"),
        (
            "--describe --group g --http h:1",
            "Option(s) [http] are unavailable given other options on the command line",
        ),
        ("--describe --group g --explain --state", 'Option "[explain]" can\'t be used with option "[state]"'),
    ],
)
def test_our_options_are_refused_with_other_actions(line: str, message: str, broker: BrokerProcess) -> None:
    printed = consumer_groups(broker, *line.split())
    assert (printed.code, printed.out, printed.err.splitlines()[0]) == (1, "", message)


def test_an_unknown_security_protocol_is_refused_with_a_clear_message(
    broker: BrokerProcess, tmp_path: Path
) -> None:
    path = tmp_path / "client.properties"
    path.write_text("security.protocol=TLS")
    printed = consumer_groups(broker, "--list", "--command-config", str(path))
    assert (printed.code, printed.out, printed.err) == (
        1,
        "",
        "Error: Invalid value TLS for configuration security.protocol: String must be one of (case "
        "insensitive): PLAINTEXT, SASL_PLAINTEXT, SASL_SSL, SSL\n",
    )


def test_all_groups_are_described_except_one_with_an_empty_name(t: Terminal, broker: BrokerProcess) -> None:
    topic = filled(t, 2)
    group = committed(t, topic, 1)
    t.do(*commit("", {topic: {0: 1}}))
    for options, shown in (([], 1), (["--members"], 0), (["--state"], 1)):
        printed = consumer_groups(broker, "--describe", "--all-groups", *options)
        assert printed.code == 0
        assert "WARN the group '' is left out" in printed.err
        assert sum(line.startswith(f"{group} ") for line in printed.out.splitlines()) == shown
    reset = f"--reset-offsets --all-groups --topic {topic} --to-earliest --dry-run"
    assert f"{group} " in consumer_groups(broker, *reset.split()).out
    result = as_json(broker, "--describe", "--all-groups", "--explain")
    assert {"", group} <= {offset["group"] for offset in result}
    deleted = consumer_groups(broker, "--delete", "--group", "")
    assert "was successful" in deleted.out


LOADS: Final = """
import sys
from tidemark_tools.main import main
code = main(sys.argv[1:])
heavy = {"asyncio", "uvloop", "structlog", "starlette", "prometheus_client", "tidemark.node"}
heavy |= {"tidemark.security.scram"} | ({"msgspec", "inspect"} if "--help" in sys.argv else set())
print(*sorted(heavy & sys.modules.keys()), file=sys.stderr)
"""


@pytest.mark.parametrize(
    "line",
    [
        "consumer-groups --describe --all-groups", "consumer-groups --list", "consumer-groups --help",
        "groups --list", "configs --describe --entity-type brokers", "acls --help",
    ],
)  # fmt: skip
def test_a_tool_imports_no_heavy_modules(line: str, broker: BrokerProcess) -> None:
    """Importing any of these would use a large part of the 0.2 s in which a tool must start."""
    command = [sys.executable, "-c", LOADS, *line.split(), "--bootstrap-server", broker.bootstrap]
    ended = subprocess.run(command, capture_output=True, text=True, env=environment(), check=True)
    assert ended.stderr.splitlines()[-1] == ""
