"""The console tools as processes: shared groups, topics that are created later, signals, pipes.

The recorded cases have their output (tests/conformance/tools/cases/console.py).
"""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from itertools import count
from typing import Final

import pytest

from tests import forks
from tests.broker_process import RunningBroker, environment, start_broker
from tests.conftest import SETTINGS
from tidemark_protocol.messages.create_partitions import CreatePartitionsRequest, CreatePartitionsTopic
from tidemark_protocol.messages.create_topics import CreatableTopic, CreatableTopicConfig, CreateTopicsRequest
from tidemark_tools.client.client import Client
from tidemark_tools.main import COMMANDS

pytestmark = pytest.mark.slow

WAIT_S: Final = 60
IMPORTS_MAX: Final = 150
_NUMBERS: Final = count()


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningBroker]:
    settings = {**SETTINGS, "auto.create.topics.enable": "false", "group.min.session.timeout.ms": "1000"}
    settings |= {
        "group.consumer.min.heartbeat.interval.ms": "100",
        "group.consumer.heartbeat.interval.ms": "200",
        "group.consumer.assignment.interval.ms": "0",
    }
    running = start_broker(tmp_path_factory.mktemp("broker"), settings)
    yield running
    running.stop()


@pytest.fixture
def topic() -> str:
    return f"topic-{next(_NUMBERS)}"


def _at_a_terminal() -> None:
    """Restore the default of SIGINT: background processes of a shell ignore it, and the tools keep that."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Processes:
    """Running processes of our tools. All of them end with the test."""

    def __init__(self, broker: RunningBroker) -> None:
        self.started: list[subprocess.Popen[bytes]] = []
        self._broker = broker

    def start(self, tool: str, *arguments: str, bootstrap: str = "") -> subprocess.Popen[bytes]:
        address = ["--bootstrap-server", bootstrap or self._broker.bootstrap]
        process = subprocess.Popen(
            [sys.executable, "-m", "tidemark", tool, *address, *arguments],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(),
            preexec_fn=_at_a_terminal,  # noqa: PLW1509 it takes no lock
        )  # fmt: skip
        self.started.append(process)
        return process

    def run(self, tool: str, *arguments: str, stdin: bytes = b"") -> tuple[int, str, str]:
        command = [*forks.OURS, tool, "--bootstrap-server", self._broker.bootstrap, *arguments]
        ran = forks.run(command, environment(), stdin, WAIT_S)
        return ran.returncode, ran.stdout.decode(), ran.stderr.decode()


@pytest.fixture
def tools(broker: RunningBroker) -> Iterator[Processes]:
    processes = Processes(broker)
    yield processes
    for process in processes.started:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                stream.close()


def make(broker: RunningBroker, topic: str, partitions: int = 1, **configs: str) -> None:
    given = [CreatableTopicConfig(name.replace("_", "."), value) for name, value in configs.items()]
    made = CreatableTopic(topic, partitions, 1, [], given)
    with Client(broker.bootstrap) as client:
        response = client.call(CreateTopicsRequest(topics=[made], timeout_ms=30_000))
    assert not response.topics[0].error_code, response


def write(tools: Processes, topic: str, *lines: str, options: tuple[str, ...] = ()) -> None:
    text = "".join(f"{line}\n" for line in lines).encode()
    assert tools.run("console-producer", "--topic", topic, *options, stdin=text) == (0, "", "")


def until(true: Callable[[], bool]) -> None:
    """Wait until another process has caused this."""
    deadline = time.monotonic() + WAIT_S
    while not true():
        assert time.monotonic() < deadline, "it did not come to pass"
        time.sleep(0.02)


def members(tools: Processes, group: str) -> int:
    _, out, _ = tools.run("consumer-groups", "--describe", "--members", "--group", group)
    return max(0, len(out.strip().splitlines()) - 1)


def is_stable(tools: Processes, group: str, count: int) -> bool:
    _, out, _ = tools.run("consumer-groups", "--describe", "--state", "--group", group)
    return "Stable" in out and out.split()[-1] == str(count)


def lines_of(process: subprocess.Popen[bytes], count: int) -> list[str]:
    assert process.stdout is not None
    return [process.stdout.readline().decode().rstrip("\n") for _ in range(count)]


KEYED: Final = ("--reader-property", "parse.key=true", "--reader-property", "key.separator=:")


@pytest.mark.parametrize(
    "settings",
    [("heartbeat.interval.ms=200", "session.timeout.ms=6000"), ("group.protocol=consumer",)],
    ids=["classic", "consumer"],
)
def test_two_consumers_of_a_group_share_its_partitions_and_one_takes_over(
    broker: RunningBroker, tools: Processes, topic: str, settings: tuple[str, ...]
) -> None:
    make(broker, topic, 2)
    read = ("--topic", topic, "--group", topic, "--from-beginning")
    shown = ("--formatter-property", "print.partition=true")
    quick = [word for setting in settings for word in ("--command-property", setting)]
    first = tools.start("console-consumer", *read, *shown, *quick)
    until(lambda: is_stable(tools, topic, 1))
    second = tools.start("console-consumer", *read, *shown, *quick)
    until(lambda: is_stable(tools, topic, 2))

    write(tools, topic, *(f"{n}:{n}" for n in range(20)), options=KEYED)
    with Client(broker.bootstrap) as client:
        ends = client.list_offsets(dict.fromkeys(client.leaders([topic]), -1))
    held = {partition.partition: listed.offset for partition, listed in ends.items()}
    assert held[0] > 0
    assert held[1] > 0
    # The random member ids decide which member gets which partition.
    seen = []
    for process in (first, second):
        partition = lines_of(process, 1)[0].partition("\t")[0]
        seen.append(partition)
        rest = lines_of(process, held[int(partition[-1])] - 1)
        assert {line.partition("\t")[0] for line in rest} <= {partition}
    assert sorted(seen) == ["Partition:0", "Partition:1"]

    second.send_signal(signal.SIGTERM)
    _, err = second.communicate(timeout=WAIT_S)
    assert second.returncode == 143
    assert b"WARN" not in err
    assert err.decode().endswith(f"Processed a total of {held[int(seen[1][-1])]} messages\n")
    until(lambda: is_stable(tools, topic, 1))
    write(tools, topic, *(f"{n}:{n}" for n in range(20)), options=KEYED)
    assert {line.partition("\t")[0] for line in lines_of(first, 20)} == {"Partition:0", "Partition:1"}

    first.send_signal(signal.SIGINT)
    assert first.wait(WAIT_S) == 130
    _, out, err_text = tools.run("consumer-groups", "--describe", "--group", topic)
    assert "has no active members" in err_text, out
    assert sum(int(row.split()[5]) for row in out.strip().splitlines()[1:]) == 0  # no lag: all was committed
    assert sum(int(row.split()[3]) for row in out.strip().splitlines()[1:]) == 40


def test_a_topic_and_partitions_that_are_created_later_are_read(
    broker: RunningBroker, tools: Processes, topic: str
) -> None:
    never_ask_again = ("--command-property", "metadata.max.age.ms=300")
    reading = tools.start("console-consumer", "--topic", topic, "--from-beginning", *never_ask_again)
    assert reading.stderr is not None
    assert reading.stderr.readline().decode() == f"WARN {topic}: UNKNOWN_TOPIC_OR_PARTITION\n"
    make(broker, topic)
    write(tools, topic, "one")
    assert lines_of(reading, 1) == ["one"]
    with Client(broker.bootstrap) as client:
        grown = CreatePartitionsRequest(topics=[CreatePartitionsTopic(topic, 3, None)], timeout_ms=30_000)
        assert not client.call(grown).results[0].error_code
    for number in range(10):
        write(tools, topic, f"{number}:{number}", options=KEYED)
    # Records of partition 0 that it had read are not read again, although nothing is committed.
    assert sorted(lines_of(reading, 10)) == [str(number) for number in range(10)]


def test_a_pattern_includes_a_topic_that_is_created_later(
    broker: RunningBroker, tools: Processes, topic: str
) -> None:
    make(broker, f"{topic}-a")
    often = ("--command-property", "metadata.max.age.ms=200")
    reading = tools.start("console-consumer", "--include", f"{topic}-.", "--from-beginning", *often)
    write(tools, f"{topic}-a", "first")
    assert lines_of(reading, 1) == ["first"]
    make(broker, f"{topic}-b")
    write(tools, f"{topic}-b", "second")
    assert lines_of(reading, 1) == ["second"]


def test_a_closed_output_pipe_ends_the_consumer(broker: RunningBroker, tools: Processes, topic: str) -> None:
    make(broker, topic)
    write(tools, topic, "one", "two")
    reading = tools.start("console-consumer", "--topic", topic, "--from-beginning", "--group", topic)
    assert lines_of(reading, 1) == ["one"]
    assert reading.stdout is not None
    reading.stdout.close()
    write(tools, topic, "three")
    assert reading.wait(WAIT_S) == 0
    assert reading.stderr is not None
    assert b"Unable to write to standard out, closing consumer.\n" in reading.stderr.read()
    assert members(tools, topic) == 0


def test_a_consumer_rejoins_after_its_session_expired(
    broker: RunningBroker, tools: Processes, topic: str
) -> None:
    make(broker, topic)
    settings = ("session.timeout.ms=1000", "heartbeat.interval.ms=300")
    quick = [word for setting in settings for word in ("--command-property", setting)]
    reading = tools.start("console-consumer", "--topic", topic, "--group", topic, "--from-beginning", *quick)
    until(lambda: is_stable(tools, topic, 1))
    reading.send_signal(signal.SIGSTOP)
    until(lambda: members(tools, topic) == 0)
    reading.send_signal(signal.SIGCONT)
    write(tools, topic, "back")
    assert lines_of(reading, 1) == ["back"]


def test_a_static_member_does_not_leave(broker: RunningBroker, tools: Processes, topic: str) -> None:
    make(broker, topic)
    write(tools, topic, "one")
    static = ("--command-property", "group.instance.id=me", "--group", topic)
    read = ("console-consumer", "--topic", topic, "--from-beginning", "--max-messages", "1")
    assert tools.run(*read, *static)[:2] == (0, "one\n")
    assert members(tools, topic) == 1


def test_a_line_typed_at_a_terminal_is_sent_at_once_before_the_next_prompt(
    broker: RunningBroker, topic: str, tools: Processes
) -> None:
    make(broker, topic)
    reading = tools.start("console-consumer", "--topic", topic, "--partition", "0", "--from-beginning")
    keyboard, terminal = pty.openpty()
    typing = subprocess.Popen(
        [sys.executable, "-m", "tidemark", "console-producer", "--bootstrap-server", broker.bootstrap,
         "--topic", topic], stdin=terminal, stdout=terminal, stderr=terminal, env=environment(),
    )  # fmt: skip
    tools.started.append(typing)
    os.close(terminal)
    assert os.read(keyboard, 1) == b">"
    os.write(keyboard, b"typed\n")
    assert lines_of(reading, 1) == ["typed"]
    echoed = b""
    while not echoed.endswith(b">"):
        echoed += os.read(keyboard, 100)
    assert echoed == b"typed\r\n>"
    os.write(keyboard, b"\x04")
    assert typing.wait(WAIT_S) == 0
    os.close(keyboard)


def test_a_batch_that_is_too_large_for_the_topic_is_sent_in_parts(
    broker: RunningBroker, tools: Processes, topic: str
) -> None:
    make(broker, topic, max_message_bytes="300")
    lines = [f"{number:04}" * 10 for number in range(30)]
    write(tools, topic, *lines)
    read = ("--partition", "0", "--from-beginning", "--max-messages", "30")
    code, out, _ = tools.run("console-consumer", "--topic", topic, *read)
    assert (code, out.splitlines()) == (0, lines)


def test_json_is_one_object_per_line(broker: RunningBroker, tools: Processes, topic: str) -> None:
    make(broker, topic)
    write(tools, topic, "k:v", options=KEYED)
    read = ("--from-beginning", "--max-messages", "1", "--json")
    code, out, _ = tools.run("console-consumer", "--topic", topic, *read)
    assert code == 0
    assert {"topic": topic, "partition": 0, "offset": 0, "key": "k", "value": "v"}.items() <= json.loads(
        out
    ).items()
    code, out, _ = tools.run("get-offsets", "--topic", topic, "--json")
    assert json.loads(out) == [{"topic": topic, "partition": 0, "offset": 1}]


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("group.protocol=share", "String must be one of (case insensitive): CONSUMER, CLASSIC"),
        ("group.remote.assignor=range", "group.remote.assignor cannot be set when group.protocol=CLASSIC"),
        (
            "auto.offset.reset.latest.max.age=1",
            "auto.offset.reset.latest.max.age cannot be set when group.protocol=CLASSIC",
        ),
        ("partition.assignment.strategy=org.apache.kafka.clients.consumer.RoundRobinAssignor", "knows org"),
        ("auto.offset.reset=by_duration:1H", "of the format 'by_duration:<PnDTnHnMn.nS.>'"),
        ("security.protocol=SASL_SSL", "sasl.mechanism=GSSAPI, Kafka's default, is not supported"),
    ],
)
def test_unsupported_consumer_settings_are_refused(setting: str, said: str, tools: Processes) -> None:
    code, out, err = tools.run("console-consumer", "--topic", "t", "--command-property", setting)
    assert (code, out) == (1, "")
    assert said in err


def test_a_consumer_without_a_broker_ends_in_time() -> None:
    nobody = ["--bootstrap-server", "127.0.0.1:1", "--topic", "t", "--timeout-ms", "300"]
    ended = subprocess.run(
        [sys.executable, "-m", "tidemark", "console-consumer", *nobody],
        capture_output=True, text=True, timeout=WAIT_S, env=environment(), check=False,
    )  # fmt: skip
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr == (
        "Error: no broker responds at 127.0.0.1:1 (Connection refused)\nProcessed a total of 0 messages\n"
    )


def test_a_consumer_that_waits_for_a_broker_warns(tools: Processes) -> None:
    waiting = tools.start("console-consumer", "--topic", "t", bootstrap="127.0.0.1:1")
    assert waiting.stderr is not None
    warning = b"WARN no broker responds at 127.0.0.1:1 (Connection refused); trying again\n"
    assert waiting.stderr.readline() == warning


@pytest.mark.parametrize(
    "arguments",
    [
        ("get-offsets", "--topic", "quick"),
        ("console-producer", "--topic", "quick"),
        ("console-consumer", "--topic", "quick", "--from-beginning", "--max-messages", "1"),
        ("groups", "--list"),
        ("consumer-groups", "--list"),
    ],
)
def test_a_tool_imports_little(
    arguments: tuple[str, ...], broker: RunningBroker, tools: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Most of the 0.15 s of CPU time of a tool are imports; their number is the same on each machine."""
    assert arguments[0] in COMMANDS
    with Client(broker.bootstrap) as client:
        if not client.leaders(["quick"]):
            make(broker, "quick")
    write(tools, "quick", "x")
    monkeypatch.setenv("PYTHONPROFILEIMPORTTIME", "1")
    status, _, err = tools.run(*arguments)
    assert status == 0
    lines = [line for line in err.splitlines() if line.startswith("import time:")]
    imported = {line.rpartition("|")[2].strip() for line in lines}
    assert "tidemark_tools.main" in imported
    assert len(imported) <= IMPORTS_MAX
    assert not imported & {"asyncio", "logging", "ssl", "structlog", "uvloop"}
