"""`tidemark dump-log` on files of Kafka and of ours. conformance/tools/cases/dumps.py has unusual ones."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests import kafka_oracle
from tests.broker_process import BrokerProcess, environment
from tests.conformance.tools.ours import OurTools
from tests.kafkas_directory import GOLDEN, unpacked

RECORD: Final = re.compile(r"\| offset: (\d+) .* headerKeys: \[\] key: (.*)")
CREATION_TIME: Final = re.compile(
    r',"creationTimeMs":\d+'
)  # the creation time of a partition (KIP-1327), which is later than Kafka 4.3
SUFFIXES: Final = ("log", "checkpoint", "index", "timeindex", "txnindex", "snapshot")
DECODERS: Final = {
    "__consumer_offsets-": "--offsets-decoder",
    "__transaction_state-": "--transaction-log-decoder",
    "__share_group_state-": "--share-group-state-decoder",
    "__cluster_metadata-": "--cluster-metadata-decoder",
    "bootstrap.checkpoint": "--cluster-metadata-decoder",
}


@pytest.fixture(scope="module")
def kafkas(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("golden")
    return unpacked(folder)


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the directory of a cleanly stopped broker in which groups have committed."""
    broker = BrokerProcess(tmp_path_factory.mktemp("ours"), {"auto.create.topics.enable": "true"})
    broker.start()
    try:
        tools, at = OurTools(), ["--bootstrap-server", broker.bootstrap, "--topic", "orders"]
        for codec in ("none", "gzip", "snappy", "lz4", "zstd"):
            tools.run("kafka-console-producer", [*at, "--compression-codec", codec], "a\nb\n")
        read = ["--group", "readers", "--from-beginning", "--max-messages", "10", "--timeout-ms", "10000"]
        assert tools.run("kafka-console-consumer", [*at, *read]).out.count("\n") == 10
    finally:
        broker.stop()
    return broker.data_dir


def dumped() -> Iterator[dict[str, Any]]:
    """Return what Kafka's tool printed for the records of __consumer_offsets, decoded."""
    with gzip.open(GOLDEN / "dump.jsonl.gz", "rt") as lines:
        yield from (json.loads(line) for line in lines)


@pytest.mark.slow
def test_every_record_of_the_offsets_topic_is_printed_as_kafka_does(kafkas: Path) -> None:
    printed = {}
    for log in sorted(kafkas.glob("__consumer_offsets-*/*.log")):
        ended = OurTools().run("kafka-dump-log", ["--offsets-decoder", "--files", str(log)])
        assert ended.code == 0
        for offset, content in RECORD.findall(ended.out):
            key, _, payload = content.partition(" payload: ")
            value = (None, None) if payload == "<DELETE>" else versioned(payload, "version")
            printed[int(log.parent.name[-1]), int(offset)] = (*versioned(key, "type"), *value)
    expected = {
        (line["partition"], line["offset"]): (
            line["keyVersion"], line["key"], line.get("valueVersion"), line["value"],
        )
        for line in dumped()
        if "key" in line
    }  # fmt: skip
    assert len(expected) > 1000
    assert printed == expected


def versioned(content: str, name: str) -> tuple[int, Any]:
    result = json.loads(content)
    return int(result[name]), result["data"]


@pytest.mark.java
@pytest.mark.slow
@pytest.mark.skipif(kafka_oracle.missing() is not None, reason=kafka_oracle.missing() or "")
@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("whose", ["kafkas", "ours"])
def test_the_dump_of_a_directory_equals_kafkas(
    whose: str, suffix: str, request: pytest.FixtureRequest
) -> None:
    directory: Path = request.getfixturevalue(whose)
    for decoder, files in by_decoder(directory, suffix).items():
        arguments = [decoder, "--files", ",".join(files)]
        theirs = subprocess.run(
            kafka_oracle.tool("kafka-dump-log", *arguments), cwd=directory, capture_output=True, check=False
        )
        here = subprocess.run(
            [sys.executable, "-m", "tidemark", "dump-log", *arguments],
            cwd=directory, capture_output=True, check=False, env=environment(),
        )  # fmt: skip
        printed = CREATION_TIME.sub("", here.stdout.decode())
        assert (here.returncode, printed) == (theirs.returncode, theirs.stdout.decode())
        # Kafka's tool lists the files with errors in the order of a hash map.
        assert sorted(here.stderr.splitlines()) == sorted(theirs.stderr.splitlines())


def by_decoder(directory: Path, suffix: str) -> dict[str, list[str]]:
    """Dump many files at once, because starting a JVM needs a second."""
    found: dict[str, list[str]] = {}
    for path in sorted(directory.rglob(f"*.{suffix}")):
        name = str(path.relative_to(directory))
        decoders = (option for start, option in DECODERS.items() if name.startswith(start))
        found.setdefault(next(decoders, "--print-data-log"), []).append(name)
    return found
