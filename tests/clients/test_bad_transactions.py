"""Hostile clients of transactions: wrong ids, zombies, topics that vanish, very many open transactions.

The codes of each API are compared in tests/conformance/cases/transaction_*.py. These tests pass with Apache
Kafka 4.3.1, too (TIDEMARK_TEST_ORACLE=1), unless they say why not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from itertools import count
from struct import pack
from typing import Any, Final

import pytest

from tests.broker_process import BrokerProcess, RunningBroker
from tests.faults.fuzz.probe import Probe, Stall
from tests.wire import Connection, header, request, response, sized
from tidemark_protocol.batch import TRANSACTIONAL, LogRecord, build_batch
from tidemark_protocol.messages.add_offsets_to_txn import AddOffsetsToTxnRequest
from tidemark_protocol.messages.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnTopic,
    AddPartitionsToTxnTransaction,
)
from tidemark_protocol.messages.api_versions import ApiVersionsRequest
from tidemark_protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from tidemark_protocol.messages.delete_topics import DeleteTopicsRequest
from tidemark_protocol.messages.describe_transactions import DescribeTransactionsRequest
from tidemark_protocol.messages.end_txn import EndTxnRequest
from tidemark_protocol.messages.find_coordinator import FindCoordinatorRequest
from tidemark_protocol.messages.init_producer_id import InitProducerIdRequest
from tidemark_protocol.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from tidemark_protocol.messages.list_transactions import ListTransactionsRequest
from tidemark_protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from tidemark_protocol.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)

pytestmark = pytest.mark.slow

GROUP, TRANSACTION = 0, 1
INIT, ADD, ADD_OFFSETS, END = 22, 24, 25, 26
CONCURRENT, FENCED, OLD_EPOCH = 51, 90, 47
TOPIC_ALREADY_EXISTS: Final = 36
TIMEOUT_MS: Final = 60_000
LONGEST: Final = "x" * 32_767
OPEN_AT_ONCE: Final = 10_000
STALL_MS: Final = 500  # of another client, while ten thousand transactions are begun, listed and aborted
MEGABYTE: Final = 1 << 20

numbers = count()


class Client:
    """A transactional producer on a connection of its own, as a hostile program would write it."""

    def __init__(self, broker: RunningBroker, transactional_id: str) -> None:
        self.connection = Connection(broker.bootstrap)
        self.name = transactional_id
        self.producer = (-1, -1)

    def ask(self, api: str, version: int, message: Any) -> Any:
        return self.connection.ask(api, version, message)

    def ready(self) -> Client:
        """Wait for the coordinators of transactions and groups, and get a producer id."""
        for kind in (TRANSACTION, GROUP):
            while self.ask("FindCoordinator", 1, FindCoordinatorRequest(self.name, kind)).error_code:
                pass
        self.producer = self.init()
        return self

    def other(self, producer: tuple[int, int]) -> Client:
        """Return another client of this transactional id, on the same connection."""
        client = copy(self)
        client.producer = producer
        return client

    def close(self) -> None:
        self.connection.socket.close()

    def init(self, version: int = 5) -> tuple[int, int]:
        while True:
            answer = self.ask("InitProducerId", version, InitProducerIdRequest(self.name, TIMEOUT_MS))
            if answer.error_code not in (14, 15, 16, CONCURRENT):
                assert answer.error_code == 0
                return answer.producer_id, answer.producer_epoch

    def add(self, topic: str, *partitions: int, version: int = 3) -> list[int]:
        topics = [AddPartitionsToTxnTopic(topic, [*partitions])]
        if version >= 4:
            one = AddPartitionsToTxnTransaction(self.name, *self.producer, False, topics)
            (result,) = self.ask(
                "AddPartitionsToTxn", version, AddPartitionsToTxnRequest([one])
            ).results_by_transaction
            results = result.topic_results
        else:
            asked = AddPartitionsToTxnRequest([], self.name, *self.producer, topics)
            results = self.ask("AddPartitionsToTxn", version, asked).results_by_topic_v3_and_below
        return [each.partition_error_code for each in results[0].results_by_partition]

    def end(self, *, committed: bool = True, version: int = 4) -> int:
        code: int = self.ask(
            "EndTxn", version, EndTxnRequest(self.name, *self.producer, committed)
        ).error_code
        return code

    def end_completely(self, *, committed: bool = True) -> None:
        assert self.end(committed=committed) == 0
        while self.state().startswith("Prepare"):
            pass

    def state(self) -> str:
        (described,) = self.ask(
            "DescribeTransactions", 0, DescribeTransactionsRequest([self.name])
        ).transaction_states
        state: str = described.transaction_state
        return state

    def produce(self, topic: str, partition: int = 0, *, version: int = 9, sequence: int = 0) -> int:
        records = build_batch(
            [LogRecord(0, 1_700_000_000_000, None, b"x")],
            producer_id=self.producer[0],
            producer_epoch=self.producer[1],
            base_sequence=sequence,
            attributes=TRANSACTIONAL,
        )
        data = [TopicProduceData(name=topic, partition_data=[PartitionProduceData(partition, records)])]
        answer = self.ask("Produce", version, ProduceRequest(self.name, -1, 5000, data))
        code: int = answer.responses[0].partition_responses[0].error_code
        return code

    def commit_offset(self, group: str, topic: str, *, version: int = 3) -> int:
        partitions = [TxnOffsetCommitRequestPartition(0, 5, -1, "")]
        asked = TxnOffsetCommitRequest(
            self.name,
            group,
            *self.producer,
            topics=[TxnOffsetCommitRequestTopic(topic, partitions=partitions)],
        )
        answer = self.ask("TxnOffsetCommit", version, asked)
        code: int = answer.topics[0].partitions[0].error_code
        return code

    def end_offset(self, topic: str, partition: int = 0, *, stable: bool = False) -> int:
        answer = self._offset(topic, partition, stable=stable)
        assert answer.error_code == 0
        offset: int = answer.offset
        return offset

    def _offset(self, topic: str, partition: int, *, stable: bool = False) -> Any:
        asked = ListOffsetsRequest(
            -1, int(stable), [ListOffsetsTopic(topic, [ListOffsetsPartition(partition, -1, -1)])]
        )
        return self.ask("ListOffsets", 7, asked).topics[0].partitions[0]

    def create(self, name: str, partitions: int = 1) -> str:
        """Create a topic once one that had its name is deleted, and wait until it can be read."""
        asked = CreateTopicsRequest([CreatableTopic(name, partitions, 1)])
        while self.ask("CreateTopics", 7, asked).topics[0].error_code == TOPIC_ALREADY_EXISTS:
            pass
        while any(self._offset(name, each).error_code for each in range(partitions)):
            pass
        return name


@pytest.fixture
def client(shared_broker: RunningBroker) -> Iterator[Client]:
    client = Client(shared_broker, f"tx-{next(numbers)}").ready()
    yield client
    client.close()


@pytest.fixture
def topic(client: Client) -> str:
    return client.create(f"topic-{next(numbers)}", 2)


def assert_served(broker: RunningBroker) -> None:
    with Connection(broker.bootstrap) as connection:
        assert connection.ask("ApiVersions", 0, ApiVersionsRequest()).api_keys


# Strings. In the old versions, the first field of each request is the transactional id.

TAILS: Final = {
    (INIT, 0): pack(">i", TIMEOUT_MS),
    (ADD, 0): pack(">qhi", 0, 0, 0),
    (ADD_OFFSETS, 0): pack(">qhh", 0, 0, 1) + b"g",
    (END, 0): pack(">qh?", 0, 0, True),
}
NAMES: Final = {
    INIT: "InitProducerId",
    ADD: "AddPartitionsToTxn",
    ADD_OFFSETS: "AddOffsetsToTxn",
    END: "EndTxn",
}
RAW_IDS: Final = {
    "empty": b"",
    "not UTF-8": b"\xff\xfe\xc3\x28",
    "zeros": b"\0\0\0",
    "a line break": b"a\r\nb",
    "the longest": LONGEST.encode(),
}


@pytest.mark.parametrize("kind", RAW_IDS)
@pytest.mark.parametrize(("api", "version"), TAILS)
def test_every_transactional_id_gets_a_response(
    api: int, version: int, kind: str, client: Client, shared_broker: RunningBroker
) -> None:
    raw = RAW_IDS[kind]
    body = pack(">h", len(raw)) + raw + TAILS[api, version]
    client.connection.send(sized(header(api, version) + body))
    response(NAMES[api], version, client.connection.answer())
    assert_served(shared_broker)


@pytest.mark.parametrize(("api", "version"), [(ADD, 0), (ADD_OFFSETS, 0), (END, 0)])
def test_null_transactional_id_closes_the_connection(
    api: int, version: int, client: Client, shared_broker: RunningBroker
) -> None:
    client.connection.send(sized(header(api, version) + pack(">h", -1) + TAILS[api, version]))
    assert client.connection.is_hung_up_on()
    assert_served(shared_broker)


def test_transactional_id_too_long_for_a_record_is_an_unknown_server_error(
    client: Client, shared_broker: RunningBroker
) -> None:
    """Its 20,000 bytes are invalid UTF-8, and need three times as many bytes in a record."""
    raw = b"\xff" * 20_000
    client.connection.send(sized(header(INIT, 0) + pack(">h", len(raw)) + raw + TAILS[INIT, 0]))
    assert response("InitProducerId", 0, client.connection.answer()).error_code == -1
    assert_served(shared_broker)


def test_longest_transactional_id_has_a_transaction(shared_broker: RunningBroker) -> None:
    client = Client(shared_broker, f"{next(numbers):05}" + LONGEST[5:]).ready()
    topic = client.create(f"topic-{next(numbers)}")
    assert client.add(topic, 0) == [0]
    client.end_completely()
    assert client.state() == "CompleteCommit"
    listed = client.ask("ListTransactions", 1, ListTransactionsRequest([], [client.producer[0]]))
    assert [each.transactional_id for each in listed.transaction_states] == [client.name]
    client.close()


@pytest.mark.parametrize("producer_id", [-(2**63), -1, 2**63 - 1])
@pytest.mark.parametrize("epoch", [-(2**15), -1, 2**15 - 1])
def test_extreme_producer_ids_and_epochs_change_nothing(
    client: Client, topic: str, producer_id: int, epoch: int
) -> None:
    assert client.add(topic, 0) == [0]
    other = client.other((producer_id, epoch))
    for version in (3, 5):
        assert other.add(topic, 1, version=version) == [49]
        assert other.end(version=version) == 49
    assert other.commit_offset("g", topic) in (47, 48, 49)
    if producer_id < 0:  # the batch belongs to no producer
        assert other.produce(topic) == 0
    else:
        assert other.produce(topic) in (45, 47, 48, 49)
        assert client.end_offset(topic) == client.end_offset(topic, 1) == 0
    asked = InitProducerIdRequest(client.name, TIMEOUT_MS, producer_id, epoch)
    if (producer_id == -1) == (epoch == -1) and producer_id != -1:
        assert client.ask("InitProducerId", 5, asked).error_code == FENCED
    assert client.state() == "Ongoing"
    client.end_completely(committed=False)


# Zombies.


# InitProducerId is missing: Kafka compares only the producer id while a transaction is open, and aborts it.
def zombie_requests(zombie: Client, topic: str) -> dict[str, Callable[[], int]]:
    return {
        "AddPartitionsToTxn v3": lambda: zombie.add(topic, 0)[0],
        "AddPartitionsToTxn v5": lambda: zombie.add(topic, 0, version=5)[0],
        "AddOffsetsToTxn": lambda: int(
            zombie.ask(
                "AddOffsetsToTxn", 4, AddOffsetsToTxnRequest(zombie.name, *zombie.producer, "g")
            ).error_code
        ),
        "Produce v9": lambda: zombie.produce(topic),
        "Produce v12": lambda: zombie.produce(topic, version=12),
        "TxnOffsetCommit v3": lambda: zombie.commit_offset("g", topic),
        "TxnOffsetCommit v5": lambda: zombie.commit_offset("g", topic, version=5),
        "EndTxn v4": zombie.end,
        "EndTxn v5": lambda: zombie.end(committed=False, version=5),
    }


def test_zombie_can_do_nothing(client: Client, topic: str) -> None:
    """A new producer has fenced it, which has an open transaction with data in the same partition."""
    zombie = client.other(client.producer)
    client.producer = client.init()
    client.producer = client.init()  # the zombie's epoch is not even the last one
    assert client.add(topic, 0) == [0]
    assert client.produce(topic) == 0
    for name, ask in zombie_requests(zombie, topic).items():
        assert ask() in (OLD_EPOCH, FENCED), name
        assert client.state() == "Ongoing", name
        assert (client.end_offset(topic), client.end_offset(topic, stable=True)) == (1, 0), name
    client.end_completely()
    assert client.end_offset(topic, stable=True) == 2


def test_zombie_cannot_add_to_a_partition_after_its_abort(client: Client, topic: str) -> None:
    """The transaction was aborted by a new producer while data of the old one was on its way (KIP-890)."""
    zombie = client.other(client.producer)
    assert zombie.add(topic, 0) == [0]
    assert zombie.produce(topic) == 0
    client.producer = client.init()
    ends = client.end_offset(topic)
    for version in (9, 12):
        assert zombie.produce(topic, version=version, sequence=1) == OLD_EPOCH
    assert client.end_offset(topic) == client.end_offset(topic, stable=True) == ends == 2


# Topics that vanish.


@pytest.mark.parametrize("committed", [True, False])
def test_transaction_ends_although_a_topic_was_deleted(client: Client, topic: str, committed: bool) -> None:
    vanishing = client.create(f"topic-{next(numbers)}")
    assert client.add(topic, 0) == client.add(vanishing, 0) == [0]
    assert client.produce(topic) == client.produce(vanishing) == 0
    client.ask("DeleteTopics", 3, DeleteTopicsRequest(topic_names=[vanishing], timeout_ms=5000))
    client.end_completely(committed=committed)
    assert client.end_offset(topic, stable=True) == 2


def test_topic_that_was_created_again_gets_the_marker_of_the_old_one(client: Client) -> None:
    """The transaction has the name of the topic, not its id, in Kafka, too."""
    topic = client.create(f"topic-{next(numbers)}")
    assert client.add(topic, 0) == [0]
    assert client.produce(topic) == 0
    client.ask("DeleteTopics", 3, DeleteTopicsRequest(topic_names=[topic], timeout_ms=5000))
    client.create(topic)
    client.end_completely()
    assert client.end_offset(topic) == client.end_offset(topic, stable=True) == 1


# Many.


def test_ten_thousand_open_transactions_delay_no_other_client(shared_broker: RunningBroker) -> None:
    """The best of three attempts counts, because the machine may be busy."""
    if not isinstance(shared_broker, BrokerProcess):
        pytest.skip("Kafka's stalls are not measured")
    stalls: list[Stall] = []
    while not stalls or stalls[-1].ms >= STALL_MS:
        assert len(stalls) < 3, stalls
        stalls.append(stall_by_open_transactions(shared_broker, f"many-{len(stalls)}"))


def stall_by_open_transactions(broker: BrokerProcess, prefix: str) -> Stall:
    client = Client(broker, "tx-first").ready()
    topic = client.create(f"topic-{next(numbers)}", 3)
    names = [f"{prefix}-{number}" for number in range(OPEN_AT_ONCE)]
    probe = Probe(broker.bootstrap, broker.pid)
    try:
        probe.begin()
        producers = pipelined(
            client, "InitProducerId", 5, [InitProducerIdRequest(name, 900_000) for name in names]
        )
        topics = [AddPartitionsToTxnTopic(topic, [0, 1, 2])]
        requests = [
            AddPartitionsToTxnRequest([], name, each.producer_id, each.producer_epoch, topics)
            for name, each in zip(names, producers, strict=True)
        ]
        added = pipelined(client, "AddPartitionsToTxn", 3, requests)
        assert {each.results_by_topic_v3_and_below[0].results_by_partition[0].partition_error_code
                for each in added} == {0}  # fmt: skip
        for version, filters in (
            (0, {}),
            (1, {"duration_filter": 0}),
            (2, {"transactional_id_pattern": f"{prefix}-.*"}),
        ):
            listed = client.ask(
                "ListTransactions", version, ListTransactionsRequest(["Ongoing"], [], **filters)
            )
            assert len(listed.transaction_states) >= OPEN_AT_ONCE
        described = client.ask("DescribeTransactions", 0, DescribeTransactionsRequest(names))
        assert {each.transaction_state for each in described.transaction_states} == {"Ongoing"}
        again = [InitProducerIdRequest(name, 900_000) for name in names]
        assert {each.error_code for each in pipelined(client, "InitProducerId", 5, again)} == {CONCURRENT}
        while client.ask("ListTransactions", 0, ListTransactionsRequest(["PrepareAbort"])).transaction_states:
            pass
        stall = probe.end()
    finally:
        probe.stop()
    assert client.end_offset(topic) == OPEN_AT_ONCE
    client.close()
    return stall


def pipelined(client: Client, api: str, version: int, messages: list[Any]) -> list[Any]:
    """Send requests a hundred at a time, and return their responses."""
    responses: list[Any] = []
    for start in range(0, len(messages), 100):
        some = messages[start : start + 100]
        client.connection.send(b"".join(request(api, version, each) for each in some))
        responses += [response(api, version, client.connection.answer()) for _ in some]
    return responses
