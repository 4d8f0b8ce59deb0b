"""Directories with committed, aborted and open transactions pass between Apache Kafka and our broker.

Both see the same records and offsets. An open transaction goes on, or times out, on the other broker. They
also pass between `--as 4.3` and the default of our broker.
"""

from __future__ import annotations

import re
import shutil
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, Final

import pytest

from tests import kafka_oracle
from tests.broker_process import BrokerProcess, OracleBroker, two_free_ports
from tests.clients.committed_reading import CommittedReading
from tests.clients.test_opening import serving
from tests.conformance.build_data import batch, produce
from tests.conformance.build_transactions import describe_producers, describe_transactions
from tests.conformance.case import NONE, RETRIABLE, Broker, Talk
from tests.conformance.transactional import Producer, state_of
from tests.wire import Connection

pytestmark = [
    pytest.mark.contract,
    pytest.mark.slow,
    pytest.mark.java,
    pytest.mark.skipif(kafka_oracle.missing() is not None, reason=f"{kafka_oracle.missing()}"),
]

KAFKA_4_3: Final = kafka_oracle.USUAL
KAFKA_4_4: Final = kafka_oracle.NEWEST
TOPIC: Final = "orders"
LATE: Final = "late"  # the topic of the transaction that times out
SEGMENT_MS: Final = "50"  # so that transactions and their markers are in different segments
SETTINGS: Final = {"offsets.topic.num.partitions": "2", "transaction.state.log.num.partitions": "2"}
INTERVAL: Final = "transaction.abort.timed.out.transaction.cleanup.interval.ms"
OUR_INTERVAL_MS: Final = "100"
# A pass while Kafka starts may lose markers: it is elected as coordinator twice.
KAFKAS_INTERVAL_MS: Final = "12000"
NEVER_MS: Final = "3600000"
LONG_MS, SHORT_MS = 800_000, 1_000
UNSTABLE_OFFSET_COMMIT, INVALID_TXN_STATE = 88, 48
GROUPS: Final = ("readers", "waiting")
NAMES: Final = ("committed", "aborted", "mixed", "open")
# What Kafka logs at level WARN or above when it opens any directory.
USUAL: Final = re.compile(
    r"log4j|StatusLogger|WARN .*(NetworkClient|NodeToController|QuorumController|AutoTopicCreation|[Rr]aft)"
    # Kafka 4.3.1 logs this if it registers its controller while it still becomes the active one.
    r"|CONTROLLER_REGISTRATION|NotControllerException|^\s+at "
    r"|TransactionalId: late's state is COMPLETE_ABORT, but received"  # what the test sends
)


@dataclass(slots=True)
class Story:
    """The transactions that are open when the broker ends."""

    open: Producer
    late: Producer


def tell(k: Talk) -> Story:
    """Write transactions of every kind. The last segments are open, as are two transactions."""
    create_topics(k)
    committed = Producer(k, name="committed")
    committed.send({TOPIC: {0: 3, 1: 2}})
    commit(committed, "readers", {0: 1, 1: 2})
    committed.finish(commit=True)
    aborted = Producer(k, name="aborted")
    aborted.send({TOPIC: {0: 2}})
    commit(aborted, "readers", {0: 2})
    aborted.finish(commit=False)
    k.do(*produce({TOPIC: {0: batch(), 1: batch()}}))
    opened = Producer(k, name="open", timeout_ms=LONG_MS)
    opened.send({TOPIC: {0: 4}})
    mixed = Producer(k, name="mixed")
    for commits in (True, False, True):
        mixed.send({TOPIC: {0: 1, 1: 1}})
        commit(mixed, "readers", {0: 3})
        mixed.finish(commit=commits)
    commit(opened, "waiting", {0: 4})
    late = Producer(k, name="late", timeout_ms=SHORT_MS)
    late.send({LATE: {0: 2}})
    return Story(opened, late)


def create_topics(k: Talk) -> None:
    config = {"Name": "segment.ms", "Value": SEGMENT_MS}
    topics = [
        {"Name": name, "NumPartitions": 2, "ReplicationFactor": 1, "Configs": [config]}
        for name in (TOPIC, LATE)
    ]
    made = k.do("CreateTopics", 7, {"Topics": topics, "timeoutMs": 30000})
    assert [topic["ErrorCode"] for topic in made["Topics"]] == [NONE, NONE], made
    for name in (TOPIC, LATE):
        k.until_there(name, 2)
    find = {"KeyType": 0, "CoordinatorKeys": [*GROUPS]}
    k.until(
        lambda: k.do("FindCoordinator", 4, find),
        lambda response: not any(each["ErrorCode"] for each in response["Coordinators"]),
    )
    for group in GROUPS:
        k.until(lambda group=group: offsets(k, group, stable=False), lambda found: found == {})


def commit(producer: Producer, group: str, partitions: dict[int, int]) -> None:
    """Commit offsets in the transaction."""
    response = producer.peer.do(*producer.commit_offsets(group, {TOPIC: partitions}))
    assert not any(each["ErrorCode"] for each in response["Topics"][0]["Partitions"]), response


def offsets(k: Talk, group: str, *, stable: bool) -> Any:
    """Return the group's offsets, or errors in their place; its error while it is loaded."""
    request = {"Groups": [{"GroupId": group, "Topics": None}], "RequireStable": stable}
    found = k.do("OffsetFetch", 9, request)["Groups"][0]
    if found["ErrorCode"]:
        return found["ErrorCode"]
    return {
        (topic["Name"], each["PartitionIndex"]): each["ErrorCode"] or each["CommittedOffset"]
        for topic in found["Topics"]
        for each in topic["Partitions"]
    }


def told(k: Talk) -> dict[str, Any]:
    """Return what clients see."""
    wait_until_loaded(k)
    states = k.do(*describe_transactions(*NAMES))["TransactionStates"]
    for state in states:
        state["Topics"] = sorted((t["Topic"], sorted(t["Partitions"])) for t in state["Topics"])
    described = k.do(*describe_producers({TOPIC: [0, 1]}))["Topics"][0]["Partitions"]
    with Connection(k.broker.connect()) as connection:
        readings = [CommittedReading(TOPIC, partition) for partition in (0, 1)]
        for reading in readings:
            reading.read(connection)
    return {
        "transactions": {state["TransactionalId"]: state for state in states},
        "producers": {
            each["PartitionIndex"]: {one["ProducerId"]: one for one in each["ActiveProducers"]}
            for each in described
        },
        "read committed": readings,
        "offsets": [offsets(k, group, stable=stable) for group in GROUPS for stable in (False, True)],
    }


def wait_until_loaded(k: Talk) -> None:
    """Wait until all coordinators and partitions are served."""
    k.until(
        lambda: [s["ErrorCode"] for s in k.do(*describe_transactions(*NAMES))["TransactionStates"]],
        lambda errors: not any(errors),
    )
    for group in GROUPS:
        k.until(lambda group=group: offsets(k, group, stable=False), lambda found: isinstance(found, dict))
    k.until(
        lambda: k.do(*describe_producers({TOPIC: [0, 1]}))["Topics"][0]["Partitions"],
        lambda partitions: not any(each["ErrorCode"] in RETRIABLE for each in partitions),
    )


def go_on(k: Talk, story: Story) -> None:
    """Commit the open transaction, and wait until the other one has timed out."""
    with Connection(k.broker.connect()) as connection:
        k.until(lambda: state_of(k, "late"), lambda state: state == "CompleteAbort")
        late = CommittedReading(LATE, 0)
        k.until(lambda: (late.read(connection), late.stable == late.end)[1], bool)
        assert late.found == []
        assert k.do(*story.late.end(commit=True))["ErrorCode"] == INVALID_TXN_STATE
        story.open.talk = story.open.peer = k
        story.open.send({TOPIC: {0: 1, 1: 2}})
        commit(story.open, "waiting", {1: 9})
        assert offsets(k, "waiting", stable=True) in (
            {},
            {(TOPIC, 0): UNSTABLE_OFFSET_COMMIT, (TOPIC, 1): UNSTABLE_OFFSET_COMMIT},
        )
        story.open.finish(commit=True)
        for partition in (0, 1):
            reading = CommittedReading(TOPIC, partition)
            k.until(
                lambda reading=reading: (reading.read(connection), reading.stable == reading.end)[1], bool
            )
    k.until(lambda: offsets(k, "waiting", stable=True), lambda found: found == {(TOPIC, 0): 4, (TOPIC, 1): 9})


@pytest.fixture(scope="module")
def formatted(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return the data directory of a Kafka that was started once, so that both brokers can open it."""

    @cache
    def by(version: str) -> Path:
        with running_kafka(version):
            broker = OracleBroker(tmp_path_factory.mktemp("formatted"), two_free_ports(), SETTINGS)
            broker.start()
            broker.stop()
        return broker.data_dir

    return by


@contextmanager
def running_kafka(version: str) -> Iterator[None]:
    """Start this release of Kafka."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(kafka_oracle, "KAFKA_VERSION", version)
        yield


@contextmanager
def kafka(folder: Path, end: str, *, timeouts: bool, version: str = KAFKA_4_3) -> Iterator[Talk]:
    """Serve the directory with Kafka, and check that it does not complain about what it finds."""
    settings = {**SETTINGS, INTERVAL: KAFKAS_INTERVAL_MS if timeouts else NEVER_MS}
    broker = OracleBroker(folder, two_free_ports(), settings)
    with running_kafka(version):
        broker.start()
    talk = Talk(Broker(broker.bootstrap), "directories")
    try:
        yield talk
    finally:
        talk.close()
        broker.stop(signal.SIGKILL if end == "killed" else signal.SIGTERM)
    complaints = [
        line
        for line in (folder / "server.out").read_text().splitlines()
        if re.search(r"\b(WARN|ERROR|FATAL)\b|Exception\b", line) and not USUAL.search(line)
    ]
    assert not complaints, "\n".join(complaints)


@contextmanager
def ours(folder: Path, end: str, *, timeouts: bool, release: str = "") -> Iterator[Talk]:
    """Serve the directory with our broker. Time goes on, unlike in a directory that is only looked at."""
    taken_over = (folder / "data" / "tidemark.properties").exists()
    if not taken_over:
        found = (folder / "data").rename(folder / "found")
        with serving("--from", found, "--data-dir", folder / "data") as opened:
            opened.http.post("/v1/clock/resume", {})
            opened.stop()
    settings = {**SETTINGS, INTERVAL: OUR_INTERVAL_MS if timeouts else NEVER_MS, "tidemark.as": release}
    broker = BrokerProcess(folder, settings)
    broker.start()
    talk = Talk(Broker(broker.bootstrap), "directories")
    try:
        yield talk
    finally:
        talk.close()
        if end == "killed":
            broker.kill9()
        broker.stop()
    assert "Traceback" not in broker.said(), broker.said()


kafka_4_4 = partial(kafka, version=KAFKA_4_4)
ours_as_4_3 = partial(ours, release="4.3")


@pytest.mark.parametrize(
    ("first", "second", "end", "formatted_by"),
    [
        pytest.param(kafka, ours, "killed", KAFKA_4_3, id="from a killed kafka"),
        pytest.param(ours, kafka, "stopped", KAFKA_4_3, id="to kafka"),
        pytest.param(kafka, ours, "stopped", KAFKA_4_3, id="from kafka", marks=pytest.mark.ecosystem),
        pytest.param(ours, kafka, "killed", KAFKA_4_3, id="killed, to kafka", marks=pytest.mark.ecosystem),
        pytest.param(ours, kafka_4_4, "stopped", KAFKA_4_4, id="to kafka 4.4"),
        pytest.param(ours_as_4_3, ours, "killed", KAFKA_4_3, id="from --as 4.3"),
        pytest.param(ours, ours_as_4_3, "stopped", KAFKA_4_4, id="to --as 4.3"),
    ],
)
def test_transactions_pass_from_one_broker_to_the_other(
    formatted: Callable[[str], Path], tmp_path: Path, first: Any, second: Any, end: str, formatted_by: str
) -> None:
    folder = tmp_path / "broker"
    shutil.copytree(formatted(formatted_by), folder / "data")
    with first(folder, end, timeouts=False) as k:
        story = tell(k)
        before = told(k)
    with second(folder, end, timeouts=True) as k:
        assert told(k) == before
        go_on(k, story)
        after = told(k)
    with first(folder, "stopped", timeouts=True) as k:
        assert told(k) == after
