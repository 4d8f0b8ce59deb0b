"""Our console consumer compared with Kafka's: on records that Kafka wrote, and in a group with it."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Final

import pytest

from tests import forks, kafka_oracle
from tests.broker_process import BrokerProcess, environment, two_free_ports
from tests.conformance.tools.jvm import LOG_SETTINGS
from tests.conftest import SETTINGS
from tests.kafka_oracle import KafkaNode
from tests.kafkas_directory import unpacked
from tidemark_testing.wire import create_topic

pytestmark = [
    pytest.mark.java,
    pytest.mark.slow,
    pytest.mark.skipif(kafka_oracle.missing() is not None, reason=f"Kafka's tools: {kafka_oracle.missing()}"),
]

FORMATTERS: Final = "org.apache.kafka.tools.consumer"
EVERYTHING: Final = [
    word
    for part in ("timestamp", "partition", "offset", "headers", "key")
    for word in ("--formatter-property", f"print.{part}=true")
]
WAIT_S: Final = 60
QUIET_MS: Final = 20_000  # eight JVMs at once on a busy machine need seconds until the first record
AT_ONCE: Final = 8
INSIDE: Final = "--topic __"

Printed = subprocess.CompletedProcess[bytes]


@pytest.fixture(scope="module")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaNode]:
    """Kafka on a directory with open, committed and aborted transactions, and every codec."""
    folder = tmp_path_factory.mktemp("kafka")
    unpacked(folder)
    # The records of `payments` are older than its retention.ms. After this delay, Kafka deletes them.
    settings = {
        "offsets.retention.minutes": "100000000",
        "log.retention.hours": "-1",
        "log.initial.task.delay.ms": "86400000",
    }
    node = KafkaNode(folder, two_free_ports(), settings)
    node.start()
    yield node
    node.stop()


@pytest.fixture(scope="module")
def log_to_stderr(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("log") / "log4j2.properties"
    path.write_text(LOG_SETTINGS)
    return f"-Dlog4j2.configurationFile={path}"


def kafkas(log_to_stderr: str, *arguments: str) -> list[str]:
    java, *rest = kafka_oracle.tool("kafka-console-consumer", *arguments)
    return [java, log_to_stderr, *rest]


def ours(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "tidemark", "console-consumer", *arguments]


OPTIONS: Final = [
    *(
        f"--topic {topic} --isolation-level {level}"
        for topic in ("orders", "payments", "inventory")
        for level in ("read_committed", "read_uncommitted")
    ),
    "--topic customers",
    "--include clicks.*|truncated.*",
    f"--topic __consumer_offsets --partition 1 --formatter {FORMATTERS}.OffsetsMessageFormatter",
    f"--topic __consumer_offsets --partition 0 --formatter {FORMATTERS}.GroupMetadataMessageFormatter",
    f"--topic __transaction_state --partition 1 --formatter {FORMATTERS}.TransactionLogMessageFormatter",
]


@pytest.fixture(scope="module")
def consumed(
    kafka: KafkaNode, log_to_stderr: str, request: pytest.FixtureRequest
) -> Iterator[Callable[[str], tuple[Printed, Printed]]]:
    """Return the output of Kafka's consumer and of ours by options. All of them run in parallel."""
    here = (item for item in request.session.items if item.path == request.path)
    requested = {item.callspec.params.get("options") for item in here if hasattr(item, "callspec")}
    at = ["--bootstrap-server", kafka.bootstrap, "--from-beginning", "--timeout-ms", str(QUIET_MS)]
    with ThreadPoolExecutor(AT_ONCE) as pool:

        def started(options: str) -> list[Future[Printed]]:
            given = [*options.split(), *at, *([] if "--formatter" in options else EVERYTHING)]
            return [pool.submit(printed, each) for each in (kafkas(log_to_stderr, *given), ours(*given))]

        # First those that read internal topics, in which the groups of the others are written.
        inside = {
            options: started(options) for options in OPTIONS if options in requested and INSIDE in options
        }
        wait(future for pair in inside.values() for future in pair)
        running = inside | {
            options: started(options) for options in OPTIONS if options in requested - {*inside}
        }

        def of(options: str) -> tuple[Printed, Printed]:
            theirs, here = running[options]
            return theirs.result(), here.result()

        yield of


@pytest.mark.parametrize("options", OPTIONS)
def test_kafkas_records_are_printed_as_by_kafkas_consumer(
    options: str, consumed: Callable[[str], tuple[Printed, Printed]]
) -> None:
    theirs, here = consumed(options)
    assert here.returncode == theirs.returncode == 0
    # The order within a partition is that of the log; between partitions it is random.
    assert by_partition(here.stdout) == by_partition(theirs.stdout)
    assert len(theirs.stdout) > 500
    assert here.stderr.splitlines()[-1] == theirs.stderr.splitlines()[-1]


def printed(command: list[str]) -> Printed:
    return subprocess.run(command, capture_output=True, check=False, env=environment())


def by_partition(printed: bytes) -> dict[bytes, list[bytes]]:
    found: dict[bytes, list[bytes]] = {}
    for line in printed.splitlines():
        result = re.search(rb"\tPartition:\d+\t", line)
        found.setdefault(result[0] if result else b"", []).append(line)
    return found


@pytest.mark.parametrize("leader", ["ours", "kafkas"])
def test_our_consumer_and_kafkas_share_a_group(leader: str, tmp_path: Path, log_to_stderr: str) -> None:
    """The first member computes the assignment, and the other one decodes it."""
    broker = BrokerProcess(tmp_path, SETTINGS)
    broker.start()
    at = ["--bootstrap-server", broker.bootstrap]
    read = [
        *at,
        "--topic",
        "t",
        "--group",
        "g",
        "--from-beginning",
        "--formatter-property",
        "print.partition=true",
    ]
    commands = {"ours": ours(*read), "kafkas": kafkas(log_to_stderr, *read)}
    started: list[subprocess.Popen[str]] = []
    try:
        create_topic(broker.bootstrap, "t", 2, {})
        for number, name in enumerate(sorted(commands, key=lambda each: each != leader), 1):
            started.append(
                subprocess.Popen(
                    commands[name],
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    text=True,
                    env=environment(),
                )
            )
            wait_for_members(at, number)
        lines = "".join(f"{key}:{key}\n" for key in range(20))
        keyed = ["--reader-property", "parse.key=true", "--reader-property", "key.separator=:"]
        run("console-producer", *at, "--topic", "t", *keyed, stdin=lines)
        first = [process.stdout.readline().partition("\t")[0] for process in started if process.stdout]
        assert sorted(first) == ["Partition:0", "Partition:1"]
    finally:
        for process in started:
            process.terminate()
            process.communicate(timeout=WAIT_S)
        broker.stop()


def wait_for_members(at: list[str], count: int) -> None:
    deadline = time.monotonic() + WAIT_S
    while True:
        words = run("consumer-groups", *at, "--describe", "--state", "--group", "g").split()
        if words[-1:] == [str(count)] and "Stable" in words:
            return
        assert time.monotonic() < deadline, words
        time.sleep(0.1)


def run(tool: str, *arguments: str, stdin: str = "") -> str:
    command = [*forks.OURS, tool, *arguments]
    return forks.run(command, environment(), stdin.encode(), WAIT_S).stdout.decode()
