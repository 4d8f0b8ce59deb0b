"""Transactional producers, and readers of what they have committed.

A copier writes to a few logs and commits offsets in one transaction, as consume-transform-produce does. Two
copiers share a transactional id, so that each fences the other. A copier falls silent, forgets who it was,
or goes on as a producer that was fenced long ago.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tests.faults.simulation.actors import (
    COMES_AND_GOES,
    KAFKA_STORAGE_ERROR,
    LEDGER,
    NONE,
    PARTITIONS,
    STAYS,
    TABLE,
    UNKNOWN_TOPIC_OR_PARTITION,
    Offsets,
)
from tests.faults.simulation.clients import Actor, Asked, Client, Lost
from tests.faults.simulation.transaction_laws import Identity, Transaction, visible
from tidemark_protocol.batch import TRANSACTIONAL, LogRecord, build_batch
from tidemark_protocol.messages.add_offsets_to_txn import AddOffsetsToTxnRequest
from tidemark_protocol.messages.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnTopic,
)
from tidemark_protocol.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from tidemark_protocol.messages.end_txn import EndTxnRequest
from tidemark_protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from tidemark_protocol.messages.find_coordinator import FindCoordinatorRequest
from tidemark_protocol.messages.init_producer_id import InitProducerIdRequest
from tidemark_protocol.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from tidemark_protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
    OffsetFetchRequestTopics,
)
from tidemark_protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from tidemark_protocol.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)

if TYPE_CHECKING:
    from tests.faults.simulation.laws import Write

TEMPORARY: Final = COMES_AND_GOES
COPIERS: Final = "copiers"  # the group
SHARED: Final = "shared"  # the transactional id of two copiers
ALONE: Final = "alone"
KEYS: Final = 4
READ_COMMITTED: Final = 1
TRANSACTION: Final = 1  # the type of key in FindCoordinator
EARLIEST: Final = -2

OFFSET_OUT_OF_RANGE: Final = 1
OUT_OF_ORDER_SEQUENCE_NUMBER: Final = 45
INVALID_PRODUCER_EPOCH: Final = 47
INVALID_TXN_STATE: Final = 48
INVALID_PRODUCER_ID_MAPPING: Final = 49
CONCURRENT_TRANSACTIONS: Final = 51
UNSTABLE_OFFSET_COMMIT: Final = 88
PRODUCER_FENCED: Final = 90
TRANSACTION_ABORTABLE: Final = 120
# The broker is not ready, or lacks descriptors: ask again. 19 is Produce's code for a busy coordinator.
RETRIABLE: Final = (6, 14, 15, 16, 19, KAFKA_STORAGE_ERROR, CONCURRENT_TRANSACTIONS)
# The transaction has ended, or the producer was fenced.
ENDED: Final = (
    INVALID_PRODUCER_EPOCH,
    INVALID_TXN_STATE,
    INVALID_PRODUCER_ID_MAPPING,
    PRODUCER_FENCED,
    TRANSACTION_ABORTABLE,
)
ATTEMPTS_MAX: Final = 12
PAST_LIVES: Final = 3


class GaveUp(Exception):
    """The transaction cannot be continued."""


class Copier(Actor):
    """A transactional producer. Each step is one transaction."""

    PAUSE_MS = 200

    def __init__(self, client: Client, transactional_id: str) -> None:
        super().__init__(client)
        self.transactional_id = transactional_id
        self.timeout_ms = self.rng.choice((400, 1_500, 4_000))
        self.stalls = self.rng.choice((0.0, 0.02, 0.1))
        self.identity: Identity | None = None
        self.past: list[Identity] = []
        self.sequences: dict[tuple[str, int], int] = {}
        self.last_offsets: dict[tuple[str, int], int] = {}
        self.v2 = True
        self.count = 0
        self.lives = 0

    async def step(self) -> None:
        try:
            if self.identity is None:
                await self._begin_life()
            elif self.past and self.rng.random() < 0.15:
                await self._act_as(self.rng.choice(self.past))
            else:
                await self._transact(self.identity)
        except GaveUp:
            self._forget()

    def lost(self) -> None:
        """The connection was lost while no request was repeated."""

    def _forget(self) -> None:
        if self.identity is not None:
            self.past = [*self.past, self.identity][-PAST_LIVES:]
        self.identity = None

    # requests

    async def _ask(self, api: str, version: int, request: Any) -> tuple[Asked, Any]:
        """Send a request until it has a response, as clients do."""
        for _ in range(ATTEMPTS_MAX):
            try:
                return await self.client.ask(api, version, request)
            except Lost:
                if self.world.over:
                    raise
                if not self.v2 and api == "EndTxn":
                    # The broker may serve it late, for the next transaction of this epoch (KIP-890).
                    raise GaveUp from None
        raise GaveUp

    async def _insist(self, api: str, version: int, request: Any, code: Any) -> tuple[Asked, Any, int]:
        """Send a request until its response is final. code(answer) returns the error code."""
        for _ in range(ATTEMPTS_MAX):
            asked, answer = await self._ask(api, version, request)
            found = code(answer)
            if found not in RETRIABLE:
                return asked, answer, found
            await self.world.sleep(self.rng.randrange(200))
        raise GaveUp

    # who it is

    async def _begin_life(self) -> None:
        _, found = await self._ask(
            "FindCoordinator",
            4,
            FindCoordinatorRequest(key_type=TRANSACTION, coordinator_keys=[self.transactional_id]),
        )
        if found.coordinators[0].error_code:
            return
        self.v2 = self._chooses_v2()
        request = InitProducerIdRequest(self.transactional_id, self.timeout_ms)
        last = self.past[-1] if self.past else None
        recovers = last is not None and self.rng.random() < 0.2  # KIP-360
        if last is not None and recovers:
            request.producer_id, request.producer_epoch = last.producer_id, last.epoch
        version = self.rng.choice((3, 4, 5)) if recovers else self.rng.choice((0, 2, 4, 5))
        asked, answer, code = await self._insist("InitProducerId", version, request, _code)
        if code == NONE:
            self._is(asked, answer.producer_id, answer.producer_epoch, new_life=True)
        elif code not in ENDED:
            self.world.break_law("strange error", f"InitProducerId of {self.transactional_id}: {code}")
        elif recovers:
            self.past.clear()

    def _chooses_v2(self) -> bool:
        """Return whether this life uses transactions V2. Producers of one id agree.

        In Kafka, the EndTxn v5 of a fenced producer may look like the repetition of an EndTxn v4 of another
        one, and returns the id and epoch of that.
        """
        if self.transactional_id == SHARED:
            return self.world.rng("level").random() < 0.5
        return self.rng.random() < 0.5

    def _is(self, asked: Asked, producer_id: int, epoch: int, *, new_life: bool) -> None:
        """Adopt the id and epoch of a response."""
        self.lives += new_life
        before = self.identity
        if before is None or (before.producer_id, before.epoch) != (producer_id, epoch):
            self.sequences.clear()
            if before is not None:
                self.past = [*self.past, before][-PAST_LIVES:]
        self.identity = Identity(self.transactional_id, producer_id, epoch)
        self.laws.transactions.identified(asked, self.identity, f"{self.client.name}/{self.lives}")

    async def _act_as(self, old: Identity) -> None:
        """Send one request under an earlier id and epoch: in vain if that was fenced."""
        transaction = self._new_transaction(old)
        kind = self.rng.randrange(3)
        if kind == 0:
            where = (LEDGER, self.rng.randrange(PARTITIONS))
            await self._produce_once(transaction, where, self._batch(transaction, where, 0))
        elif kind == 1:
            await self._commit_once(transaction, self.rng.choice((0, 3, 4, 5)))
        else:
            request = EndTxnRequest(old.transactional_id, old.producer_id, old.epoch, committed=False)
            await self._ask("EndTxn", self.rng.choice((1, 4, 5)), request)

    # transactions

    def _new_transaction(self, identity: Identity) -> Transaction:
        self.count += 1
        transaction = Transaction(f"{self.client.name}:{self.count}", identity)
        self.laws.transactions.begun(transaction)
        return transaction

    async def _transact(self, identity: Identity) -> None:
        transaction = self._new_transaction(identity)
        for _ in range(self.rng.choice((1, 2, 2, 4))):
            if self.rng.random() < self.stalls:
                await self.world.sleep(self.rng.randrange(5_000))
            if self.rng.random() < 0.02:
                raise GaveUp  # the client was killed
            if self.rng.random() < 0.7:
                await self._produce(transaction)
            else:
                await self._commit_offsets(transaction)
        if self.world.over:
            return
        await self._end(transaction, committed=self.rng.random() < 0.75)

    async def _produce(self, transaction: Transaction) -> None:
        topic = self.rng.choice((LEDGER, LEDGER, LEDGER, TABLE, TEMPORARY))
        where = (topic, self.rng.randrange(PARTITIONS))
        if not self.v2 and not await self._add(transaction, where):
            return
        batch = self._batch(transaction, where, self.sequences.get(where, 0))
        for _ in range(ATTEMPTS_MAX):
            code = await self._produce_once(transaction, where, batch)
            if code == NONE:
                self.sequences[where] = self.sequences.get(where, 0) + len(batch[0])
                return
            if code == UNKNOWN_TOPIC_OR_PARTITION and topic == TEMPORARY:
                return
            if code in ENDED:
                raise GaveUp
            if topic == TEMPORARY:  # a new topic of the name knows nothing of the sequence
                raise GaveUp
            if code not in RETRIABLE:
                last_offset = self.last_offsets.get(where, -1)
                if code != OUT_OF_ORDER_SEQUENCE_NUMBER or not self.laws.transactions.may_forget_sequence(
                    where, last_offset
                ):
                    self.world.break_law("strange error", f"Produce of {transaction.uid} to {where}: {code}")
                raise GaveUp
            await self.world.sleep(self.rng.randrange(200))
        raise GaveUp

    async def _add(self, transaction: Transaction, where: tuple[str, int]) -> bool:
        """Add a partition to the transaction, as clients do that do not know transactions V2."""
        identity = transaction.identity
        request = AddPartitionsToTxnRequest(
            v3_and_below_transactional_id=identity.transactional_id,
            v3_and_below_producer_id=identity.producer_id,
            v3_and_below_producer_epoch=identity.epoch,
            v3_and_below_topics=[AddPartitionsToTxnTopic(where[0], [where[1]])],
        )
        asked, _, code = await self._insist(
            "AddPartitionsToTxn",
            self.rng.choice((0, 2, 3)),
            request,
            lambda answer: (
                answer.results_by_topic_v3_and_below[0].results_by_partition[0].partition_error_code
            ),
        )
        if code == NONE:
            self.laws.transactions.accepted(asked, identity)
            return True
        if code == UNKNOWN_TOPIC_OR_PARTITION and where[0] == TEMPORARY:
            return False
        if code not in ENDED:
            self.world.break_law("strange error", f"AddPartitionsToTxn of {transaction.uid}: {code}")
        raise GaveUp

    def _batch(
        self, transaction: Transaction, where: tuple[str, int], sequence: int
    ) -> tuple[list[str], bytes]:
        values = [transaction.new_value() for _ in range(self.rng.choice((1, 1, 3)))]
        now_ms = self.world.clock.wall_ms()
        key = f"k{self.rng.randrange(KEYS)}"
        if where[0] == TABLE:
            self.laws.transactions.keys |= dict.fromkeys(values, key)
        batch = build_batch(
            [LogRecord(index, now_ms, key.encode(), value.encode()) for index, value in enumerate(values)],
            producer_id=transaction.identity.producer_id,
            producer_epoch=transaction.identity.epoch,
            base_sequence=sequence,
            attributes=TRANSACTIONAL,
        )
        if where[0] == TEMPORARY:
            self.laws.transactions.elsewhere.update(values)
        else:
            known = self.laws.log(where)
            known.sent.update(values)
            known.once.update(values)
        return values, bytes(batch)

    async def _produce_once(
        self, transaction: Transaction, where: tuple[str, int], batch: tuple[list[str], bytes]
    ) -> int:
        values, data = batch
        identity = transaction.identity
        partition = PartitionProduceData(where[1], data)
        topic = TopicProduceData(where[0], partition_data=[partition])
        version = 12 if self.v2 else self.rng.choice((3, 9, 11))
        request = ProduceRequest(identity.transactional_id, -1, 1_000, [topic])
        asked, answer = await self._ask("Produce", version, request)
        found = answer.responses[0].partition_responses[0]
        code: int = found.error_code
        if code == NONE:
            self.laws.transactions.accepted(asked, identity)
            transaction.has_data = True
            self.last_offsets[where] = found.base_offset + len(values) - 1
            if where[0] != TEMPORARY:
                self.laws.transactions.acked(transaction, where, found.base_offset, values)
        return code

    # offsets

    async def _commit_offsets(self, transaction: Transaction) -> None:
        identity = transaction.identity
        if not self.v2:
            asked, _, code = await self._insist(
                "AddOffsetsToTxn",
                self.rng.choice((0, 3, 4)),
                AddOffsetsToTxnRequest(
                    identity.transactional_id, identity.producer_id, identity.epoch, COPIERS
                ),
                _code,
            )
            if code != NONE:
                if code not in ENDED:
                    self.world.break_law("strange error", f"AddOffsetsToTxn of {transaction.uid}: {code}")
                raise GaveUp
            self.laws.transactions.accepted(asked, identity)
        for _ in range(ATTEMPTS_MAX):
            code = await self._commit_once(transaction, 5 if self.v2 else self.rng.choice((0, 2, 3, 4)))
            if code == NONE:
                return
            # Clients of transactions V2 take INVALID_TXN_STATE for a bug.
            if code in ENDED and not (self.v2 and code == INVALID_TXN_STATE):
                raise GaveUp
            if code not in RETRIABLE:
                self.world.break_law("strange error", f"TxnOffsetCommit of {transaction.uid}: {code}")
            await self.world.sleep(self.rng.randrange(200))
        raise GaveUp

    async def _commit_once(self, transaction: Transaction, version: int) -> int:
        identity = transaction.identity
        partitions = self.rng.sample(range(PARTITIONS), self.rng.choice((1, 2, 3)))
        given = {partition: self.world.moment() for partition in partitions}
        request = TxnOffsetCommitRequest(
            transactional_id=identity.transactional_id,
            group_id=COPIERS,
            producer_id=identity.producer_id,
            producer_epoch=identity.epoch,
            topics=[
                TxnOffsetCommitRequestTopic(
                    STAYS,
                    partitions=[
                        TxnOffsetCommitRequestPartition(partition, offset, committed_metadata=str(offset))
                        for partition, offset in given.items()
                    ],
                )
            ],
        )
        if self.client.connection is None:
            await self.client.connect()
        try:
            asked = self.client.send("TxnOffsetCommit", version, request)
        except Lost:  # the coordinator does not listen: nothing was sent
            return RETRIABLE[0]
        writes: list[Write] = []
        for partition, offset in given.items():
            write = self.laws.offset(COPIERS, STAYS, partition).begin(offset, asked.began, asked.connection)
            write.wall_ms = self.world.clock.wall_ms()
            write.refused = True  # until the end of the transaction is requested
            writes.append(write)
        transaction.offsets += writes
        try:
            answer = await asked.wait
        except Lost:
            # It may have been written or not. The next attempt commits other offsets.
            if not self.v2:  # or it is written late, in the next transaction of this epoch (KIP-890)
                raise GaveUp from None
            return RETRIABLE[0]
        codes = {each.error_code for each in answer.topics[0].partitions}
        code: int = codes.pop()
        assert not codes
        for write in writes:
            if code:
                transaction.offsets.remove(write)
            else:
                write.latest = asked.answered
        if code == NONE:
            self.laws.transactions.accepted(asked, identity)
            transaction.has_data = True
        return code

    # the end

    async def _end(self, transaction: Transaction, *, committed: bool) -> None:
        identity = transaction.identity
        request = EndTxnRequest(
            identity.transactional_id, identity.producer_id, identity.epoch, committed=committed
        )
        if committed:
            self.laws.transactions.commit_requested(transaction)
        version = 5 if self.v2 else self.rng.choice((0, 3, 4))
        asked, answer, code = await self._insist("EndTxn", version, request, _code)
        if code == NONE:
            self.laws.transactions.ended(asked, transaction, committed=committed)
            if self.v2:
                self._is(asked, answer.producer_id, answer.producer_epoch, new_life=False)
            return
        if code not in ENDED:
            self.world.break_law("strange error", f"EndTxn of {transaction.uid}: {code}")
        if code != INVALID_TXN_STATE or transaction.has_data or self.v2:
            raise GaveUp  # else there was no transaction to end


def _code(answer: Any) -> int:
    code: int = answer.error_code
    return code


class CommittedReader(Actor):
    """Reads what is committed: records with read_committed, and stable offsets. Deletes old records."""

    PAUSE_MS = 200

    def __init__(self, client: Client) -> None:
        super().__init__(client)
        self.offsets = Offsets(client)
        self.power_cuts = 0
        self.at: dict[tuple[str, int], int] = {}

    async def step(self) -> None:
        chance = self.rng.random()
        if chance < 0.60:
            await self._fetch()
        elif chance < 0.70:
            await self._fetch_offsets(require_stable=True)
        elif chance < 0.80:
            await self._fetch_offsets(require_stable=False)
        elif chance < 0.90:
            await self._list_offsets()
        elif chance < 0.95:
            await self._other_changes()
        else:
            await self._delete_records()

    async def _fetch(self) -> None:
        laws = self.laws.transactions
        if self.power_cuts != self.laws.power_cuts:  # a power cut may take what is visible and not synced
            self.power_cuts = self.laws.power_cuts
            self.at.clear()
            laws.forget_reader(self.client.name)
        topic = self.rng.choice((LEDGER, LEDGER, TABLE))
        wanted = [
            FetchPartition(
                index,
                fetch_offset=self.at.get((topic, index), 0),
                partition_max_bytes=self.rng.choice((1, 300, 1 << 20)),
            )
            for index in range(PARTITIONS)
        ]
        request = FetchRequest(
            max_wait_ms=self.rng.choice((0, 100, 1_000)),
            min_bytes=self.rng.choice((1, 200)),
            isolation_level=READ_COMMITTED,
            topics=[FetchTopic(topic, partitions=wanted)],
        )
        asked, answer = await self.client.ask("Fetch", self.rng.choice((4, 11, 12)), request)
        if self.power_cuts != self.laws.power_cuts:
            return
        for each in answer.responses[0].partitions if answer.responses else ():
            where = (topic, each.partition_index)
            if each.error_code == OFFSET_OUT_OF_RANGE:
                await self._find_start(where)
                continue
            if each.error_code:
                continue
            laws.stable_offset(asked, where, each.last_stable_offset)
            begin = self.at.get(where, 0)
            laws.start_seen(asked, where, begin)
            aborted = [(found.producer_id, found.first_offset) for found in each.aborted_transactions or ()]
            records, end = visible(bytes(each.records or b""), begin, aborted)
            laws.read(self.client.name, where, begin, max(begin, end), records, each.last_stable_offset)
            self.at[where] = max(begin, end)

    async def _find_start(self, where: tuple[str, int]) -> None:
        request = ListOffsetsRequest(
            -1, 0, [ListOffsetsTopic(where[0], [ListOffsetsPartition(where[1], -1, EARLIEST)])]
        )
        asked, answer = await self.client.ask("ListOffsets", 5, request)
        found = answer.topics[0].partitions[0]
        if not found.error_code:
            self.laws.transactions.start_seen(asked, where, found.offset)
            self.laws.transactions.forget_reader(self.client.name, where)
            self.at[where] = found.offset

    async def _list_offsets(self) -> None:
        """The latest offset of a read_committed reader is the last stable one."""
        where = (LEDGER, self.rng.randrange(PARTITIONS))
        request = ListOffsetsRequest(
            -1, READ_COMMITTED, [ListOffsetsTopic(where[0], [ListOffsetsPartition(where[1], -1, -1)])]
        )
        asked, answer = await self.client.ask("ListOffsets", self.rng.choice((2, 5)), request)
        found = answer.topics[0].partitions[0]
        if not found.error_code:
            self.laws.transactions.stable_offset(asked, where, found.offset)

    async def _fetch_offsets(self, *, require_stable: bool) -> None:
        version = self.rng.choice((7, 8))
        indexes = list(range(PARTITIONS))
        if version < 8:
            request = OffsetFetchRequest(COPIERS, [OffsetFetchRequestTopic(STAYS, indexes)])
        else:
            named = OffsetFetchRequestTopics(name=STAYS, partition_indexes=indexes)
            request = OffsetFetchRequest(groups=[OffsetFetchRequestGroup(COPIERS, topics=[named])])
        request.require_stable = require_stable
        asked, answer = await self.client.ask("OffsetFetch", version, request)
        whole = answer if version < 8 else answer.groups[0]
        for each in whole.topics[0].partitions if whole.topics and not whole.error_code else ():
            where = (COPIERS, STAYS, each.partition_index)
            value = None if each.committed_offset == -1 else each.committed_offset
            if each.error_code == UNSTABLE_OFFSET_COMMIT:
                self.world.count("unstable offsets")
            elif require_stable:
                self.laws.offset_read(where, value, asked.began, asked.connection)
            else:
                self.laws.transactions.offset_seen(where, value)

    async def _other_changes(self) -> None:
        """Commit or delete offsets outside of a transaction. Both come after all that is pending."""
        if self.rng.random() < 0.5:
            await self.offsets.commit(COPIERS, STAYS)[0].wait
        else:
            await self.offsets.delete(COPIERS, STAYS).wait

    async def _delete_records(self) -> None:
        where = (LEDGER, self.rng.randrange(PARTITIONS))
        offset = self.at.get(where, 0)
        self.laws.transactions.deleted(where, offset)
        request = DeleteRecordsRequest(
            [DeleteRecordsTopic(where[0], [DeleteRecordsPartition(where[1], offset)])], 1_000
        )
        asked, answer = await self.client.ask("DeleteRecords", self.rng.choice((1, 2)), request)
        found = answer.topics[0].partitions[0]
        if not found.error_code:
            self.laws.transactions.deletion_acked(asked, where, found.low_watermark)
