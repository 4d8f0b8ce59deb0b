"""TxnOffsetCommit. Codes and the order of checks are those of Kafka 4.3.1 for the same raw frames."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final
from unittest.mock import patch

import pytest

from tests.unit.broker.group_story import GroupStory
from tests.unit.broker.story import error_response
from tidemark.core.apply import PartitionStatus, RecordsTooLarge
from tidemark.core.context import Caller, Context, Now, Operation, ResourceType, everything_is_allowed
from tidemark.core.decision import Decision, Marker, OffsetsCommitted, Record
from tidemark.groups.forgetting import batch_bytes_max
from tidemark.handlers.data import txn_offset_commit as handler
from tidemark.handlers.data.txn_offset_commit import txn_offset_commit
from tidemark.log.manager import LogManager
from tidemark.log.partition import PartitionLog, marker_batch
from tidemark.log.settings import LogSettings
from tidemark.metadata.configs import ResourceConfigType
from tidemark.metadata.model import OFFSETS_TOPIC
from tidemark.metadata.state import Cluster
from tidemark.settings.broker import BrokerSettings
from tidemark.settings.release import RELEASES
from tidemark.transactions.state import Transactions
from tidemark.turns import Turns
from tidemark_protocol.batch import TRANSACTIONAL, LogRecord, build_batch
from tidemark_protocol.errors import KafkaError
from tidemark_protocol.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
    TxnOffsetCommitResponse,
)
from tidemark_protocol.records.config_record import ConfigRecord
from tidemark_protocol.records.offset_commit import OffsetCommitKey
from tidemark_protocol.records.transaction_log import (
    PartitionsSchema,
    TransactionLogKey,
    TransactionLogValue,
)
from tidemark_protocol.wire import ZERO_UUID
from tidemark_testing.storage import MemoryStorage

NONE, UNKNOWN_TOPIC_OR_PARTITION, OFFSET_METADATA_TOO_LARGE, COORDINATOR_LOAD_IN_PROGRESS = 0, 3, 12, 14
COORDINATOR_NOT_AVAILABLE, NOT_COORDINATOR, ILLEGAL_GENERATION, INVALID_GROUP_ID = 15, 16, 22, 24
UNKNOWN_MEMBER_ID, TOPIC_AUTHORIZATION_FAILED, GROUP_AUTHORIZATION_FAILED = 25, 29, 30
INVALID_REQUEST, INVALID_PRODUCER_EPOCH, INVALID_TXN_STATE, INVALID_PRODUCER_ID_MAPPING = 42, 47, 48, 49
CONCURRENT_TRANSACTIONS, TRANSACTIONAL_ID_AUTHORIZATION_FAILED, TRANSACTION_ABORTABLE = 51, 53, 120
UNKNOWN_SERVER_ERROR = -1

ID, EPOCH = 1000, 3
EMPTY, ONGOING, PREPARE_COMMIT, PREPARE_ABORT, COMPLETE_COMMIT, COMPLETE_ABORT = range(6)
OFFSETS: Final = ((OFFSETS_TOPIC, 0),)
ALL_VERSIONS: Final = range(6)


class Broker(GroupStory):
    """Groups, transactional ids and the logs of `__consumer_offsets`, on a disk that is always in sync.

    The producer ID has the transactional id tx. Its transaction is open, and contains the offsets partition.
    """

    def __init__(self, topics: dict[str, int] | None = None, *, verification: bool = True) -> None:
        super().__init__(topics)
        self.transactions = Transactions()
        self.transactions.serve(1)
        self.transactions.loaded([0], self.now)
        self.logs = LogManager(MemoryStorage(), BrokerSettings(), _NoClock(), lambda topic: LogSettings())
        self.logs.open()
        self.effects: list[Any] = []
        self.applied: list[tuple[str, Decision[Any]]] = []
        self.before_deciding: Callable[[], None] = lambda: None
        self.transaction(ONGOING, {OFFSETS_TOPIC: [0]})
        if not verification:
            name = "transaction.partition.verification.enable"
            self.cluster.replay(Record(None, ConfigRecord(ResourceConfigType.BROKER, "", name, "false")))

    def transaction(self, status: int, partitions: dict[str, list[int]], *, epoch: int = EPOCH) -> None:
        value = TransactionLogValue(
            ID,
            producer_epoch=epoch,
            transaction_timeout_ms=60_000,
            transaction_status=status,
            transaction_partitions=[PartitionsSchema(name, each) for name, each in partitions.items()],
        )
        self.transactions.replay(Record(TransactionLogKey("tx"), value))

    def log_of_offsets(self) -> PartitionLog:
        return self.logs.create(OFFSETS_TOPIC, 0, bytes(15) + b"\1")

    def apply(self, name: str, result: Decision[Any]) -> None:
        if sum(len(str(record.value)) for record in result.records) > 2**20:
            raise RecordsTooLarge
        self.applied.append((name, result))
        state = self.transactions if name == "Transactions" else self.groups
        for record in result.records:
            state.replay(record)
        self.effects += result.effects

    def commit(
        self,
        offsets: dict[str, dict[int, int]] | None = None,
        *,
        version: int = 5,
        allowed: Callable[[int, int, str], bool] = everything_is_allowed,
        metadata: str = "",
        **fields: Any,
    ) -> dict[str, dict[int, int]]:
        """Return the error codes of a request for the group g."""
        request = TxnOffsetCommitRequest(
            topics=[
                TxnOffsetCommitRequestTopic(
                    name,
                    partitions=[
                        TxnOffsetCommitRequestPartition(index, offset, 7, metadata)
                        for index, offset in partitions.items()
                    ],
                )
                for name, partitions in ({"orders": {0: 5}} if offsets is None else offsets).items()
            ],
            **{
                "transactional_id": "tx",
                "group_id": "g",
                "producer_id": ID,
                "producer_epoch": EPOCH,
                **fields,
            },
        )
        response = asyncio.run(self._commit(request, version, allowed))
        response.ENCODERS[version](bytearray(), response)
        return {
            topic.name: {each.partition_index: each.error_code for each in topic.partitions}
            for topic in response.topics
        }

    async def _commit(
        self, request: TxnOffsetCommitRequest, version: int, allowed: Callable[[int, int, str], bool]
    ) -> TxnOffsetCommitResponse:
        turns = Turns(lambda: 0)
        ctx = Context(
            wall_ms=self.wall_ms,
            steady_ms=self.steady_ms,
            version=version,
            cluster=self.cluster,
            caller=Caller(authorizers=lambda *_: allowed),
            turns=turns,
            decisions=_Decisions(self, turns),
        )
        try:
            with patch.object(handler, "batch_bytes_max", self._batch_bytes_max):
                return await txn_offset_commit(self.logs, ctx, request)
        except KafkaError as refused:  # as the coordinator responds
            return error_response(request, refused.code)

    def _batch_bytes_max(self, cluster: Cluster) -> int:
        """Call before_deciding once the transaction was joined, and before the offsets are decided."""
        self.before_deciding()
        return batch_bytes_max(cluster)

    def code(self, version: int = 5, **how: Any) -> int:
        """Return the error code for orders-0."""
        return self.commit(version=version, **how)["orders"][0]

    def end(self, *, committed: bool, epoch: int = EPOCH) -> None:
        self.groups.replay(Marker(0, ID, epoch, committed))


class _Decisions:
    """The state machines of a Broker. Their records are durable at once."""

    def __init__(self, broker: Broker, turns: Turns) -> None:
        self._broker = broker
        self.durable = turns.pause

    def state(self, name: str) -> Any:
        return self._broker.transactions if name == "Transactions" else self._broker.groups

    def now(self) -> Now:
        return self._broker.now

    def apply(self, name: str, result: Decision[Any]) -> Any:
        try:
            self._broker.apply(name, result)
        except RecordsTooLarge as error:
            raise KafkaError(error.code) from None
        return result.response

    def verified(self, failed: int, ms: int) -> None: ...


class _NoClock:
    """Logs of these tests need no time."""

    def wall_ms(self) -> int:
        return 0

    log_ms = steady_ms = host_ms = wall_ms


@pytest.mark.parametrize("version", ALL_VERSIONS)
@pytest.mark.parametrize("committed", [True, False])
def test_offsets_are_pending_until_the_transaction_ends(version: int, committed: bool) -> None:
    broker = Broker()
    assert broker.commit({"orders": {0: 5, 2: 6}, "payments": {1: 7}}, version=version) == {
        "orders": {0: NONE, 2: NONE},
        "payments": {1: NONE},
    }
    assert broker.offsets("g") == {}
    assert {*broker.groups.offsets.pending_keys("g")} == {("orders", 0), ("orders", 2), ("payments", 1)}
    broker.end(committed=committed)
    assert broker.offsets("g") == (
        {("orders", 0): 5, ("orders", 2): 6, ("payments", 1): 7} if committed else {}
    )


def test_records_are_kafkas() -> None:
    """They have the time of the broker and no topic id. The state knows the topic."""
    broker = Broker()
    broker.commit(metadata="m")
    (record,) = broker.applied[-1][1].records
    assert record.key == OffsetCommitKey("g", "orders", 0)
    assert record.producer == (ID, EPOCH)
    value = record.value
    assert (value.offset, value.leader_epoch, value.metadata) == (5, 7, "m")
    assert (value.commit_timestamp, value.expire_timestamp) == (broker.wall_ms, -1)
    assert broker.groups.offsets.pending("g")["orders", 0].topic_id == broker.topic_id("orders")


@pytest.mark.parametrize("release", ["", "4.3"])
def test_the_record_names_the_topic_id_since_kafka_4_4(release: str) -> None:
    broker = Broker()
    broker.groups.settings.release = RELEASES[release]
    seen: list[bytes] = []
    apply = broker.apply

    def look(name: str, result: Decision[Any]) -> None:
        seen.extend(record.value.topic_id for record in result.records if name == "Groups")
        apply(name, result)

    broker.apply = look  # type: ignore[method-assign]
    broker.commit()
    assert seen == [ZERO_UUID if release else broker.topic_id("orders")]


def test_offsets_are_counted() -> None:
    broker = Broker()
    broker.commit({"orders": {0: 5, 1: 6}, "payments": {9: 7}})
    assert broker.effects == [OffsetsCommitted(2)]


# authorization and topics


def test_the_transactional_id_is_authorized_before_the_group() -> None:
    broker = Broker()
    requested: list[tuple[int, int, str]] = []
    assert broker.code(allowed=lambda *wanted: requested.append(wanted) is not None) == (
        TRANSACTIONAL_ID_AUTHORIZATION_FAILED
    )
    assert requested == [(Operation.WRITE, ResourceType.TRANSACTIONAL_ID, "tx")]
    assert broker.code(allowed=denying(Operation.READ, ResourceType.GROUP, "g")) == GROUP_AUTHORIZATION_FAILED


def test_errors_of_authorization_are_for_unknown_topics_too() -> None:
    broker = Broker()
    denied = denying(Operation.READ, ResourceType.GROUP, "g")
    assert broker.commit({"nothing": {0: 1}}, allowed=denied) == {"nothing": {0: GROUP_AUTHORIZATION_FAILED}}


def test_topics_that_the_client_may_not_read_are_refused() -> None:
    broker = Broker()
    denied = denying(Operation.READ, ResourceType.TOPIC, "orders")
    assert broker.commit({"orders": {0: 1, 9: 1}, "payments": {0: 1}}, allowed=denied) == {
        "orders": {0: TOPIC_AUTHORIZATION_FAILED, 9: TOPIC_AUTHORIZATION_FAILED},
        "payments": {0: NONE},
    }


def test_the_empty_group_id_is_invalid_before_the_transaction_is_checked() -> None:
    assert Broker().code(group_id="", transactional_id="") == INVALID_GROUP_ID


def test_without_an_offsets_topic_there_is_no_coordinator() -> None:
    broker = Broker()
    broker.groups.status = []
    assert [broker.code(version) for version in ALL_VERSIONS] == [COORDINATOR_NOT_AVAILABLE] * 6


@pytest.mark.parametrize("version", ALL_VERSIONS)
def test_without_transactional_ids_there_is_no_coordinator(version: int) -> None:
    broker = Broker()
    broker.transactions.status = []
    assert broker.code(version) == COORDINATOR_NOT_AVAILABLE


# the transaction


def test_v5_begins_a_transaction() -> None:
    broker = Broker()
    broker.transaction(EMPTY, {})
    assert broker.code(5) == NONE
    transaction = broker.transactions.by_id["tx"]
    assert (transaction.status, transaction.client_version) == (ONGOING, 2)
    assert [*transaction.partitions] == [*OFFSETS]


@pytest.mark.parametrize("version", ALL_VERSIONS)
def test_errors_of_the_transaction_coordinator(version: int) -> None:
    broker = Broker()
    assert broker.code(version, transactional_id="") == INVALID_REQUEST
    assert broker.code(version, transactional_id="nobody") == INVALID_PRODUCER_ID_MAPPING
    assert broker.code(version, producer_id=7) == INVALID_PRODUCER_ID_MAPPING
    assert broker.code(version, producer_epoch=EPOCH + 1) == INVALID_PRODUCER_EPOCH
    assert broker.code(version, producer_epoch=EPOCH - 1) == INVALID_PRODUCER_EPOCH
    assert broker.code(version, producer_epoch=-1) == INVALID_PRODUCER_EPOCH
    broker.transaction(PREPARE_COMMIT, {OFFSETS_TOPIC: [0]})
    assert broker.code(version) == CONCURRENT_TRANSACTIONS
    assert broker.groups.groups == {}


@pytest.mark.parametrize("version", ALL_VERSIONS)
def test_a_coordinator_that_loads(version: int) -> None:
    broker = Broker()
    broker.transactions.status[0] = PartitionStatus.LOADING
    expected = COORDINATOR_NOT_AVAILABLE if version < 2 else COORDINATOR_LOAD_IN_PROGRESS
    assert broker.code(version) == expected


@pytest.mark.parametrize("version", ALL_VERSIONS)
def test_while_offsets_are_pending_the_transactional_id_is_not_looked_at(version: int) -> None:
    broker = Broker()
    assert broker.code(version) == NONE
    assert broker.code(version, transactional_id="") == NONE
    assert broker.code(version, transactional_id="nobody") == NONE
    assert broker.code(version, producer_epoch=EPOCH - 1) == INVALID_PRODUCER_EPOCH
    assert broker.code(version, producer_epoch=EPOCH + 1) == INVALID_PRODUCER_EPOCH
    broker.end(committed=True)
    assert broker.code(version, transactional_id="nobody") == INVALID_PRODUCER_ID_MAPPING


@pytest.mark.parametrize("version", ALL_VERSIONS)
def test_the_last_epoch_in_the_offsets_partition_fences_before_the_coordinator_is_asked(version: int) -> None:
    broker = Broker()
    batch = build_batch(
        [LogRecord(0, 0, b"k", b"v")],
        producer_id=ID,
        producer_epoch=EPOCH,
        base_sequence=0,
        attributes=TRANSACTIONAL,
    )
    broker.log_of_offsets().append(batch, leader_epoch=0, now_ms=0, from_client=False)
    assert broker.code(version, transactional_id="", producer_epoch=EPOCH - 1) == INVALID_PRODUCER_EPOCH
    assert broker.code(version, transactional_id="") == INVALID_REQUEST
    assert broker.code(version) == NONE


def test_verification_may_be_switched_off_before_v5() -> None:
    broker = Broker(verification=False)
    broker.transaction(EMPTY, {})
    assert broker.code(4, transactional_id="nobody") == NONE
    broker.end(committed=True)
    assert broker.code(5, transactional_id="nobody") == INVALID_PRODUCER_ID_MAPPING


def fences(broker: Broker, *, written: bool = False) -> list[Callable[[], None]]:
    """Return the steps in which the coordinator and the offsets partition learn that a new producer began.

    written: the log has the marker, too.
    """
    log = broker.log_of_offsets() if written else None

    def marker() -> None:
        broker.end(committed=False, epoch=EPOCH + 1)
        if log is not None:
            batch = marker_batch(Marker(0, ID, EPOCH + 1, False), now_ms=0)
            log.append(batch, leader_epoch=0, now_ms=0, from_client=False)

    return [
        lambda: broker.transaction(PREPARE_ABORT, {OFFSETS_TOPIC: [0]}, epoch=EPOCH + 1),
        marker,
        lambda: broker.transaction(COMPLETE_ABORT, {}, epoch=EPOCH + 1),
        lambda: broker.transaction(EMPTY, {}, epoch=EPOCH + 2),
        lambda: broker.transaction(ONGOING, {OFFSETS_TOPIC: [0]}, epoch=EPOCH + 2),
    ]


@pytest.mark.parametrize("version", ALL_VERSIONS)
@pytest.mark.parametrize("written", [False, True])
@pytest.mark.parametrize("count", range(6))
@pytest.mark.parametrize("pending", [False, True])
@pytest.mark.parametrize("joined", [False, True])
def test_zombie_gets_the_error_of_a_fenced_producer_at_each_point(
    version: int, written: bool, count: int, pending: bool, joined: bool
) -> None:
    """Java clients take INVALID_TXN_STATE for a bug, and end. joined: before it is fenced."""
    broker = Broker()
    if pending:
        assert broker.code(version) == NONE

    def fence() -> None:
        for step in fences(broker, written=written)[:count]:
            step()

    if joined:
        broker.before_deciding = fence
    else:
        fence()
    code = broker.code(version)
    if count == 0 or (pending and count == 1):  # the marker is not written yet, and will drop the offset
        assert code == NONE
    elif version == 5 and not joined and count in ((1,) if written else (1, 2)):  # Kafka adds in this order
        assert code == CONCURRENT_TRANSACTIONS
    else:
        assert code == INVALID_PRODUCER_EPOCH
    assert broker.groups.offsets.has_pending("g") == (code == NONE)


@pytest.mark.parametrize("version", ALL_VERSIONS)
def test_nothing_is_committed_if_the_transaction_ends_while_it_is_verified(version: int) -> None:
    broker = Broker()
    broker.before_deciding = lambda: broker.transaction(PREPARE_COMMIT, {OFFSETS_TOPIC: [0]})
    assert broker.code(version) == CONCURRENT_TRANSACTIONS
    broker.before_deciding = lambda: broker.transaction(COMPLETE_COMMIT, {})
    broker.transaction(ONGOING, {OFFSETS_TOPIC: [0]})
    assert broker.code(version) == (INVALID_TXN_STATE if version < 4 else TRANSACTION_ABORTABLE)
    assert not broker.groups.offsets.has_pending("g")


# the group


def test_the_transaction_is_checked_before_the_group() -> None:
    broker = Broker()
    broker.transaction(ONGOING, {})
    assert broker.code(4, generation_id=3) == TRANSACTION_ABORTABLE
    assert broker.code(5, generation_id=3) == ILLEGAL_GENERATION
    assert [*broker.transactions.by_id["tx"].partitions] == [*OFFSETS]


def test_long_metadata_is_refused_by_partition() -> None:
    broker = Broker()
    assert broker.code(metadata="x" * 4097) == OFFSET_METADATA_TOO_LARGE
    assert "g" not in broker.groups.groups
    assert broker.code(metadata="x" * 4096) == NONE


def test_a_group_that_is_not_served() -> None:
    broker = Broker()
    broker.groups.failed(0)
    assert broker.code() == NOT_COORDINATOR


# large requests


@pytest.mark.slow
def test_a_request_that_fits_in_no_batch_is_refused_as_a_whole() -> None:
    broker = Broker({"orders": 40_000})
    codes = broker.commit({"orders": dict.fromkeys(range(40_000), 1)})["orders"]
    assert {*codes.values()} == {UNKNOWN_SERVER_ERROR}
    assert len(codes) == 40_000
    assert "g" not in broker.groups.groups


def test_a_large_request_is_one_decision() -> None:
    broker = Broker({"orders": 3_000})
    codes = broker.commit({"orders": dict.fromkeys(range(3_000), 1)})["orders"]
    assert {*codes.values()} == {NONE}
    assert [len(result.records) for name, result in broker.applied if name == "Groups"] == [3_000]


def test_a_topic_that_is_deleted_meanwhile_is_unknown() -> None:
    broker = Broker()
    orders = broker.cluster.topics["orders"]
    broker.before_deciding = lambda: broker.cluster.topics_by_id.pop(orders.topic_id, None) and None
    assert broker.commit({"orders": {0: 1}, "payments": {0: 1}}) == {
        "orders": {0: UNKNOWN_TOPIC_OR_PARTITION},
        "payments": {0: NONE},
    }
    assert {*broker.groups.offsets.pending_keys("g")} == {("payments", 0)}


def denying(operation: int, resource: int, name: str) -> Callable[[int, int, str], bool]:
    return lambda *requested: requested != (operation, resource, name)
