"""kcat as people use it. Debian's uses librdkafka 2.0, so that an old librdkafka is tested, too."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.broker_process import RunningBroker, start_broker
from tests.clients.load import NOT_YET
from tests.clients.test_real_clients import CODECS, codecs_in_log
from tests.conftest import SETTINGS
from tests.ecosystem.works_with.rows import works_with
from tests.wire import Connection
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestGroup

pytestmark = [
    pytest.mark.contract,
    pytest.mark.slow,
    pytest.mark.skipif(
        shutil.which("kcat") is None and "TIDEMARK_TEST_CI" not in os.environ,
        reason="kcat is not installed (apt-get install kcat)",
    ),
]

TOPIC = "orders"
GROUP = "readers"
RECORDS_PER_CODEC = 2000
PARTITIONS = 6
CONSUMER_SETTINGS = (
    "auto.offset.reset=earliest",
    "auto.commit.interval.ms=100",
    "session.timeout.ms=3000",
    "heartbeat.interval.ms=300",
    "reconnect.backoff.max.ms=500",
)


class Reader:
    """`kcat -G`, its output in a file: one line `partition offset key value headers` per record."""

    def __init__(self, bootstrap: str, folder: Path, name: str) -> None:
        self.output = folder / f"{name}.out"
        # -E: do not end when the broker is down.
        command = ["kcat", "-b", bootstrap, "-E", "-u", "-q", "-f", "%p %o %k %s %h\n"]
        settings = [word for setting in CONSUMER_SETTINGS for word in ("-X", setting)]
        with self.output.open("wb") as output, (folder / f"{name}.err").open("wb") as errors:
            self.process = subprocess.Popen(
                [*command, *settings, "-G", GROUP, TOPIC], stdout=output, stderr=errors
            )

    def lines(self) -> list[list[str]]:
        whole, _, _ = self.output.read_text().rpartition("\n")
        return [line.split(" ") for line in whole.splitlines()]

    def kill9(self) -> None:
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(20)


@pytest.fixture
def wide_broker(tmp_path: Path) -> Iterator[RunningBroker]:
    """A broker with more partitions per topic. kcat creates topics by using them, with num.partitions."""
    running = start_broker(tmp_path, {**SETTINGS, "num.partitions": str(PARTITIONS)})
    yield running
    running.stop()


@pytest.fixture
def new_reader(wide_broker: RunningBroker, tmp_path: Path) -> Iterator[Callable[[str], Reader]]:
    readers: list[Reader] = []

    def make(name: str) -> Reader:
        readers.append(Reader(wide_broker.bootstrap, tmp_path, name))
        return readers[-1]

    yield make
    for reader in readers:
        reader.kill9()


@works_with(
    "kcat",
    "1.7.1 with librdkafka 2.0, Debian's",
    """Three consumers of a group read records that kcat produces with each compression. A consumer and
    the broker are killed; no committed record is read again.""",
)
def test_kcat_reads_everything_and_committed_records_only_once_despite_kills(
    wide_broker: RunningBroker, new_reader: Callable[[str], Reader]
) -> None:
    broker = wide_broker
    produce(broker, "none")
    produce(broker, "gzip")
    readers = [new_reader(f"reader-{i}") for i in range(3)]
    produce(broker, "snappy")
    wait_until(lambda: numbers(readers) >= set(range(3 * RECORDS_PER_CODEC)), "three codecs to be read")
    wait_until_committed(broker, 3 * RECORDS_PER_CODEC)

    committed, seen = stored(broker), [len(reader.lines()) for reader in readers]
    readers[1].kill9()
    produce(broker, "lz4")
    wait_until(lambda: numbers(readers) >= set(range(4 * RECORDS_PER_CODEC)), "lz4 to be read")
    assert_nothing_repeated(readers, seen, committed)
    wait_until_committed(broker, 4 * RECORDS_PER_CODEC)

    committed, seen = stored(broker), [len(reader.lines()) for reader in readers]
    broker.kill9()
    broker.restart()
    produce(broker, "zstd")
    wait_until(lambda: numbers(readers) >= set(range(5 * RECORDS_PER_CODEC)), "zstd to be read")
    assert_nothing_repeated(readers, seen, committed)
    wait_until_committed(broker, 5 * RECORDS_PER_CODEC)
    assert codecs_in_log(broker.data_dir) == set(CODECS.values())
    readers[0].stop()
    readers[2].stop()


def test_kcat_lists_the_cluster_and_reads_from_a_given_offset(wide_broker: RunningBroker) -> None:
    produce(wide_broker, "none")
    listed = kcat(wide_broker, "-L", "-t", TOPIC)
    assert f'topic "{TOPIC}" with {PARTITIONS} partitions:' in listed
    assert kcat(wide_broker, "-Q", "-t", f"{TOPIC}:0:-2").split() == [TOPIC, "[0]", "offset", "0"]
    first = kcat(wide_broker, "-C", "-t", TOPIC, "-p", "0", "-o", "beginning", "-c", "1", "-f", "%o %k %h")
    assert first.startswith("0 key-")
    assert first.endswith("codec=none")


def produce(broker: RunningBroker, codec: str) -> None:
    first = list(CODECS).index(codec) * RECORDS_PER_CODEC
    lines = "".join(f"key-{n}:value-{n}\n" for n in range(first, first + RECORDS_PER_CODEC))
    compress = [] if codec == "none" else ["-z", codec]
    kcat(broker, "-P", "-t", TOPIC, "-K", ":", "-H", f"codec={codec}", *compress, stdin=lines)


def kcat(broker: RunningBroker, *arguments: str, stdin: str = "") -> str:
    ended = subprocess.run(
        ["kcat", "-b", broker.bootstrap, *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def numbers(readers: list[Reader]) -> set[int]:
    """Return the numbers of the records that were read. A record must have its own value and headers."""
    found = set()
    for _, _, key, value, headers in (line for reader in readers for line in reader.lines()):
        n = int(key.removeprefix("key-"))
        if value == f"value-{n}" and headers == f"codec={list(CODECS)[n // RECORDS_PER_CODEC]}":
            found.add(n)
    return found


def stored(broker: RunningBroker) -> dict[int, int]:
    """Return the group's offsets, -1 for none. Repeat it while the coordinator is loading."""
    deadline = time.monotonic() + 20
    while True:
        with Connection(broker.bootstrap) as connection:
            requested = OffsetFetchRequest(groups=[OffsetFetchRequestGroup(GROUP, topics=None)])
            response = connection.ask("OffsetFetch", 8, requested).groups[0]
        if response.error_code not in NOT_YET:
            break
        assert time.monotonic() < deadline, "the coordinator does not come up"
        time.sleep(0.05)
    assert response.error_code == ErrorCode.NONE, ErrorCode(response.error_code)
    found = dict.fromkeys(range(PARTITIONS), -1)
    for topic in response.topics:
        found |= {partition.partition_index: partition.committed_offset for partition in topic.partitions}
    return found


def wait_until_committed(broker: RunningBroker, total: int) -> None:
    wait_until(lambda: sum(stored(broker).values()) == total, f"{total} records to be committed")


def assert_nothing_repeated(readers: list[Reader], seen: list[int], committed: dict[int, int]) -> None:
    """Check that records committed when `seen` lines had been read were not read again."""
    for reader, already in zip(readers, seen, strict=True):
        repeated = [line for line in reader.lines()[already:] if int(line[1]) < committed[int(line[0])]]
        assert repeated == []


def wait_until(reached: Callable[[], bool], what: str, timeout_s: float = 60) -> None:
    deadline = time.monotonic() + timeout_s
    while not reached():
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        time.sleep(0.1)
