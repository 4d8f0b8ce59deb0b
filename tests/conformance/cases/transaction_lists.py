"""DescribeTransactions, ListTransactions and FindCoordinator of transactional ids."""

from __future__ import annotations

from typing import Any, Final

from tests.conformance.build_transactions import (
    TRANSACTION,
    describe_producers,
    describe_transactions,
    list_transactions,
)
from tests.conformance.case import Fields, Talk, case
from tests.conformance.transactional import (
    Producer,
    described,
    own,
    producers_in_order,
    transactional_id,
)

LIST_VERSIONS: Final = range(3)
STATES: Final = (
    "Empty", "Ongoing", "PrepareCommit", "PrepareAbort", "CompleteCommit", "CompleteAbort", "Dead",
    "PrepareEpochFence",
)  # fmt: skip


def one_of_each(k: Talk) -> tuple[list[Producer], str]:
    """Return producers that are empty, ongoing, committed and aborted, and their topic."""
    several, topic = [Producer(k) for _ in range(4)], k.topic()
    for one in several[1:]:
        one.send({topic: {0: 1}})
    several[2].finish(commit=True)
    several[3].finish(commit=False)
    return several, topic


@case
def transactions_of_each_state_are_described(k: Talk) -> None:
    several, _ = one_of_each(k)
    k.ask(*describe_transactions(*(one.name for one in several)), keep=described)


@case
def transactions_that_are_unknown_are_described(k: Talk) -> None:
    one = Producer(k)
    k.ask(*describe_transactions(transactional_id(k), "", one.name, k.name(), one.name), keep=described)
    k.ask(*describe_transactions())


@case(versions=LIST_VERSIONS)
def transactions_are_listed(k: Talk, version: int) -> None:
    several, _ = one_of_each(k)
    k.ask(*list_transactions(version=version), keep=own(k, *(one.name for one in several)))


@case(versions=LIST_VERSIONS)
def transactions_are_listed_by_state(k: Talk, version: int) -> None:
    several, _ = one_of_each(k)
    keep = own(k, *(one.name for one in several))
    for states in (*((state,) for state in STATES), ("Empty", "Ongoing"), ("ongoing", "Ongoing", "x", "")):
        k.ask(*list_transactions(states, version=version), keep=keep)
    k.ask(*list_transactions(("x",), version=version), keep=keep)


@case(versions=LIST_VERSIONS)
def transactions_are_listed_by_producer(k: Talk, version: int) -> None:
    several, _ = one_of_each(k)
    first, second, *_ = (one.id for one in several)
    keep = own(k, *(one.name for one in several))
    for producers in ((first,), (first, second, second), (10**15,), (-1,), (10**15, second)):
        k.ask(*list_transactions((), producers, version=version), keep=keep)
    k.ask(*list_transactions(("Ongoing",), (first, second), version=version), keep=keep)


@case(versions=(1, 2))
def transactions_are_listed_by_duration(k: Talk, version: int) -> None:
    several, _ = one_of_each(k)
    keep = own(k, *(one.name for one in several))
    for duration_ms in (-1, 0, -2, 3_600_000, 2**63 - 1):
        k.ask(*list_transactions(duration_ms=duration_ms, version=version), keep=keep)
    k.ask(*list_transactions(("Ongoing", "Empty"), duration_ms=0, version=version), keep=keep)


@case
def transactions_are_listed_by_pattern(k: Talk) -> None:
    several, _ = one_of_each(k)
    names = [one.name for one in several]
    start = names[0].replace(".", "\\.").removesuffix("1")
    keep = own(k, *names)
    for pattern in (
        None, "", ".*", f"{start}[12]", f"{start}", f"{start}.*", f".*{names[1][-3:]}", names[2].upper(),
        f"(?i){names[2].upper()}", "nobody", names[0], f"^{start}1$",
    ):  # fmt: skip
        k.ask(*list_transactions(pattern=pattern), keep=keep)
    k.ask(*list_transactions(("Ongoing",), pattern=f"{start}.*"), keep=keep)


@case
def transactions_are_listed_by_a_bad_pattern(k: Talk) -> None:
    Producer(k)
    for pattern in ("(", "[", "*", "a{1001}", "(?<n>a)\\1", "\\", "(?=a)"):
        k.ask(*list_transactions(pattern=pattern), keep=_error)
    k.ask(*list_transactions(("x",), pattern="["), keep=_error)


def _error(response: Fields) -> Any:
    return response["ErrorCode"], response["UnknownStateFilters"], len(response["TransactionStates"])


@case(versions=range(1, 7))
def coordinator_of_a_transactional_id(k: Talk, version: int) -> None:
    name = transactional_id(k)
    fields = (
        {"Key": name, "KeyType": TRANSACTION}
        if version < 4
        else {"KeyType": TRANSACTION, "CoordinatorKeys": [name, "", name, "é 😀"]}
    )
    k.ask("FindCoordinator", version, fields)


@case
def coordinator_of_a_transactional_id_that_nobody_uses_makes_none(k: Talk) -> None:
    name = transactional_id(k)
    k.do("FindCoordinator", 4, {"KeyType": TRANSACTION, "CoordinatorKeys": [name]})
    k.ask(*describe_transactions(name), keep=described)
    k.ask(*list_transactions(), keep=own(k, name))


@case
def topic_of_transactions(k: Talk) -> None:
    transactional_id(k)
    names = [{"Name": "__transaction_state"}]
    k.ask("Metadata", 12, {"Topics": names, "AllowAutoTopicCreation": False})
    resource = {
        "ResourceType": 2,
        "ResourceName": "__transaction_state",
        "ConfigurationKeys": [
            "cleanup.policy", "compression.type", "min.insync.replicas", "segment.bytes",
            "unclean.leader.election.enable", "retention.ms",
        ],
    }  # fmt: skip
    k.ask("DescribeConfigs", 4, {"Resources": [resource], "IncludeSynonyms": True})


@case
def producers_of_the_transaction_log_and_of_offsets(k: Talk) -> None:
    one, group, topic = Producer(k), k.group(), k.topic()
    k.do(*one.commit_offsets(group, {topic: {0: 1}}))
    k.ask(*describe_producers({"__transaction_state": [0, 99]}), keep=producers_in_order)
    (found,) = k.do(*describe_transactions(one.name))["TransactionStates"]
    (index,) = found["Topics"][0]["Partitions"]
    for is_open in (True, False):
        if not is_open:
            one.finish(commit=True)
        told = k.do(*describe_producers({"__consumer_offsets": [index]}))["Topics"][0]["Partitions"][0]
        for state in told["ActiveProducers"]:
            if state["ProducerId"] == one.id:
                names = ("ProducerEpoch", "LastSequence", "CoordinatorEpoch")
                k.keep("producer", [state[name] for name in names])
                k.keep("open", state["CurrentTxnStartOffset"] >= 0)


@case
def transactional_clients_of_the_topic_of_transactions(k: Talk) -> None:
    """Only the coordinator writes it."""
    one = Producer(k)
    k.group()  # creates `__consumer_offsets`
    k.ask(*one.produce({"__transaction_state": {0: 1}}))
    k.ask(*one.produce({"__consumer_offsets": {0: 1}}, version=11))
    one.describe()
