"""Several brokers in one process: where requests belong, and the law that only a leader serves them.

A client sends a request to the broker that leads its partition, and sometimes to another one. While brokers
stop, start, and hand over partitions, each partition has one leader in each epoch, and no broker responds
for a partition that another one has led since before the request.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tidemark.metadata.model import NO_LEADER, OFFSETS_TOPIC, TRANSACTIONS_TOPIC
from tidemark.node.brokers import BrokerRefused
from tidemark_protocol import to_dict

if TYPE_CHECKING:
    from random import Random

    from tests.faults.simulation.clients import Asked
    from tests.faults.simulation.laws import Laws
    from tests.faults.simulation.node import Process
    from tidemark.node.brokers import Brokers

BROKER_IDS: Final = (1, 2, 3)
ASTRAY: Final = 0.05  # the probability that a request goes to any broker
NONE: Final = 0
NOT_LEADER_OR_FOLLOWER: Final = 6
NOT_COORDINATOR: Final = 16
REFUSED: Final = {NOT_LEADER_OR_FOLLOWER, NOT_COORDINATOR}
# Their requests belong to one partition as a whole, and they have an error code for it.
OF_ONE_PARTITION: Final = (
    "AddOffsetsToTxn", "AddPartitionsToTxn", "ConsumerGroupHeartbeat", "EndTxn", "Heartbeat",
    "InitProducerId", "JoinGroup", "LeaveGroup", "OffsetCommit", "OffsetFetch", "Produce",
    "ShareGroupHeartbeat", "StreamsGroupHeartbeat", "SyncGroup", "TxnOffsetCommit",
)  # fmt: skip
AWAY_MS_MAX: Final = 2_000
# What happens to brokers, and how often.
MOVES: Final = {
    "leader": 6, "stop": 2, "kill": 1, "clients": 1, "controller": 1, "leaders": 1, "remove": 1,
    "move controller": 1, "restart": 1,
}  # fmt: skip


class Leader(NamedTuple):
    """The leader of a partition in one of its epochs."""

    topic: str
    partition: int
    node_id: int
    epoch: int


def leader_for(process: Process, api: str, message: Any, rng: Random) -> Leader | None:
    """Return the leader of the partition that a request belongs to; None if any broker can serve it.

    A request with several partitions goes to the leader of any of them.
    """
    state = process.state
    if api == "TxnOffsetCommit" or (key := getattr(message, "transactional_id", None)) is None:
        key = getattr(message, "v3_and_below_transactional_id", "")
    if key and api != "Produce":
        transactions = process.broker.current.engine.transactions
        if transactions is None:
            return None
        return _leader(process, TRANSACTIONS_TOPIC, transactions.transactions.partition_for(key))
    group = _group(api, message)
    if group is not None:
        return _leader(process, OFFSETS_TOPIC, state.groups.partition_for(group))
    places = list(_places(process, api, message))
    return _leader(process, *rng.choice(places)) if places else None


def _group(api: str, message: Any) -> str | None:
    if api in ("FindCoordinator", "ListGroups"):
        return None
    for name in ("groups_names", "group_ids"):
        if names := getattr(message, name, None):
            found: str = names[0]
            return found
    if groups := getattr(message, "groups", None):
        return str(groups[0].group_id)
    return getattr(message, "group_id", None) or None


def _places(process: Process, api: str, message: Any) -> Iterator[tuple[str, int]]:
    if api not in ("Produce", "Fetch", "ListOffsets", "DeleteRecords"):
        return
    topics = process.state.cluster.topics_by_id
    for topic in message.topic_data if api == "Produce" else message.topics:
        name = getattr(topic, "name", "") or getattr(topic, "topic", "")
        if not name:
            found = topics.get(bytes(topic.topic_id))
            if found is None:
                continue
            name = found.name
        for each in topic.partition_data if api == "Produce" else topic.partitions:
            index = getattr(each, "index", None)
            if index is None:
                index = getattr(each, "partition_index", None)
            yield name, each.partition if index is None else index


def node_of(process: Process, topic_id: bytes, index: int) -> int | None:
    """Return the broker that leads a partition now."""
    topic = process.state.cluster.topics_by_id.get(topic_id)
    if topic is None or index >= len(topic.partitions):
        return None
    node_id = topic.partitions[index].leader
    return None if node_id == NO_LEADER else node_id


def _leader(process: Process, topic: str, index: int) -> Leader | None:
    found = process.state.cluster.topics.get(topic)
    if found is None or index >= len(found.partitions):
        return None
    partition = found.partitions[index]
    return Leader(topic, index, partition.leader, partition.leader_epoch)


def check_served(laws: Laws, asked: Asked, answer: Any) -> None:
    """Check that a request was served by the leader of its partition, and by no other broker.

    If the leader has changed since the request was sent, either may have served it.
    """
    process, leader = asked.connection.process, asked.leader
    if leader is None or asked.api not in OF_ONE_PARTITION or not process.alive:
        return
    if _leader(process, leader.topic, leader.partition) != leader:
        return
    codes = set(_codes(to_dict(answer)))
    node_id = asked.connection.node_id
    if node_id != leader.node_id and codes == {NONE}:
        laws.break_law("another broker", f"broker {node_id} served {asked.api}, and {leader} leads")
    if node_id == leader.node_id and codes & REFUSED and not laws.may_be_unserved(process, asked):
        laws.break_law(
            "leader refuses", f"{asked.api} was refused {codes} by broker {node_id}, {leader} leads"
        )


def _codes(answer: Any) -> Iterator[int]:
    """Yield every error code in a response."""
    if isinstance(answer, dict):
        for name, value in answer.items():
            if name.endswith("ErrorCode"):
                yield value
            elif isinstance(value, dict | list):
                yield from _codes(value)
    elif isinstance(answer, list):
        for each in answer:
            yield from _codes(each)


class Terms:
    """The leaders of all epochs: each partition has one in each epoch, also after a crash."""

    def __init__(self) -> None:
        self._leaders: dict[tuple[bytes, int, int], int] = {}

    def check(self, laws: Laws, process: Process) -> None:
        cluster = process.state.cluster
        for topic in cluster.topics.values():
            for partition in topic.partitions:
                if partition.leader == NO_LEADER:
                    continue
                where = f"{topic.name}-{partition.index} in epoch {partition.leader_epoch}"
                term = topic.topic_id, partition.index, partition.leader_epoch
                first = self._leaders.setdefault(term, partition.leader)
                if first != partition.leader:
                    laws.break_law("two leaders", f"{where}: {first} and {partition.leader}")
                if partition.leader not in partition.isr or partition.leader not in cluster.living:
                    laws.break_law("strange leader", f"{where}: {partition.leader}, ISR {partition.isr}")


async def move(process: Process, rng: Random, laws: Laws) -> None:
    """Let leaders move, or let a broker be away for a while, or restart all one after the other."""
    brokers = process.broker.brokers
    kind = rng.choices([*MOVES], [*MOVES.values()])[0]
    node_id = rng.choice(BROKER_IDS)
    back: Callable[[int], Awaitable[None]] | None = None
    try:
        match kind:
            case "leader":
                topics = process.state.cluster.topics
                if topics:
                    topic = topics[rng.choice(sorted(topics))]
                    partition = rng.choice(topic.partitions)
                    await brokers.move_leader(topic.name, partition.index, node_id)
            case "stop":
                await brokers.stop(node_id)
                back = brokers.start
            case "kill":
                await brokers.kill(node_id)
                back = brokers.start
            case "clients" | "controller" | "leaders":
                await brokers.cut_off(node_id, kind)
                back = brokers.reconnect
            case "remove":
                await brokers.remove(node_id)
                back = partial(_add, brokers)
            case "move controller":
                await brokers.move_controller(node_id)
            case _:
                await brokers.restart_all()
    except BrokerRefused:
        back = None  # it is stopped already, is the last one, or is not in the ISR
    if back is not None:
        process.after(rng.randrange(AWAY_MS_MAX), partial(_bring_back, process, back, node_id, laws))
    laws.check_terms(process)


async def _add(brokers: Brokers, node_id: int) -> None:
    await brokers.add(node_id, None)


def _bring_back(process: Process, back: Callable[[int], Awaitable[None]], node_id: int, laws: Laws) -> None:
    async def bring_back() -> None:
        try:
            await back(node_id)
        except BrokerRefused:
            pass  # something else has brought it back
        finally:
            laws.check_terms(process)

    process.run(bring_back(), "a broker did not come back")
