"""kafka-transactions."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from tests.conformance.build_admin import change
from tests.conformance.build_data import batch, produce, record
from tests.conformance.build_transactions import marker, write_markers
from tests.conformance.tools.terminal import Terminal, tool_case
from tests.conformance.transactional import Producer
from tidemark_protocol.batch import TRANSACTIONAL

BROKER, SET, DELETE = 4, 0, 1
VERIFICATION: Final = "transaction.partition.verification.enable"


def producer(t: Terminal, **how: int) -> Producer:
    return Producer(t, name=t.name("tx"), **how)


def ids(*producers: Producer) -> Callable[[list[str]], list[str]]:
    """cut=: replace producer ids, which a broker draws, and the padding that depends on them."""
    names = {str(each.id): f"<producer {number}>" for number, each in enumerate(producers)}

    def cut(lines: list[str]) -> list[str]:
        column = None
        found = []
        for line in lines:
            cells = [cell.rstrip(" ") for cell in line.split("\t")]
            if "ProducerId" in cells:
                column = cells.index("ProducerId")
            elif column is not None and column < len(cells):
                cells[column] = names.get(cells[column], "<producer>")
            found.append(
                re.sub(r"(?<=producerId=)\d+", lambda found_id: names[found_id[0]], "\t".join(cells))
            )
        return found

    return cut


def without_times(*producers: Producer) -> Callable[[list[str]], list[str]]:
    """cut=: also replace the duration, the cell after a time."""
    cut = ids(*producers)
    return lambda lines: [re.sub(r"(?<=<time>\t)\d+", "<ms>", line) for line in cut(lines)]


@tool_case
def transactions_usage(t: Terminal) -> None:
    for line in (
        "",
        "--bogus",
        "list",
        "{at}",
        "{at} nosuch",
        "{at} lists",
        "{at} describe-producer",
        "{at} --command-config",
        "{at} list --bogus",
        "{at} list --transactional-id",
        "{at} list --durationfilter 1",
        "{at} list --duration-filter",
        "{at} list --duration-filter abc",
        "{at} list --duration-filter 99999999999999999999",
        "{at} list extra words",
        "{at} d",
        "{at} describe",
        "describe --transactional-id x",
        "{at} describe-producers --topic",
        "{at} describe-producers --topic t",
        "{at} describe-producers --partition 0",
        "{at} describe-producers --topic t --partition 4294967296",
        "{at} describe-producers --t t --p x",
        "{at} abort --topic t",
        "{at} abort --topic t --partition 0 --producer-id 1 --producer-epoch 40000",
        "{at} abort --topic t --partition 0 --pro 1",
        "{at} forceTerminateTransaction",
        f"{{at}} force --transactional {t.name('tx')}",
        "{at} find-hanging --partition 0 --max-transaction-timeout 1.5",
    ):
        t.run(f"kafka-transactions {line}")
    t.run("kafka-transactions --version")
    t.run("kafka-transactions -v list")
    t.run("kafka-transactions {at} find-hanging")
    t.run("kafka-transactions {at} find-hanging --partition 1")
    t.run("kafka-transactions {at} abort --topic t --partition 0")
    t.run("kafka-transactions {at} abort --topic t --partition 0 --producer-id 4")
    t.run("kafka-transactions {at} abort --topic t --partition 0 --producer-id 4 --producer-epoch 1")
    t.run(f"kafka-transactions {{at}} --command-config {t.path('none')} list")


@tool_case
def transactions_list(t: Terminal) -> None:
    topic = t.topic()
    idle, busy, done = producer(t), producer(t), producer(t)
    busy.send({topic: {0: 1}})
    done.send({topic: {0: 1}})
    done.finish(commit=True)
    every = (idle, busy, done)

    def rows(lines: list[str]) -> list[str]:
        return sorted(filter(None, ids(*every)(lines)))

    keep = "|".join(["^TransactionalId", *(each.name for each in every)])
    t.run("kafka-transactions {at} list", keep=keep, cut=rows)
    for options in (
        "--duration-filter -5",
        "--duration-filter 0",
        "--duration-filter 86400000",
        f"--transactional-id-pattern {busy.name}",
        f"--transactional-id-pattern {busy.name[:-3]}.*",
        "--transactional-id-pattern nosuch",
        "--transactional-id-pattern ''",
        f"--trans={idle.name} --dur -1",
    ):
        t.run(f"kafka-transactions {{at}} list {options}", keep=keep, cut=rows)
    t.run("kafka-transactions {at} list --transactional-id-pattern '[bad'")
    busy.finish(commit=False)
    t.run(f"kafka-transactions {{at}} list --transactional-id-pattern {busy.name}", cut=rows)


@tool_case
def transactions_describe(t: Terminal) -> None:
    first, second = t.topic(3), t.topic(2)
    tx = producer(t, timeout_ms=54321)
    line = f"kafka-transactions {{at}} describe --transactional-id {tx.name}"
    t.run(line, cut=ids(tx))
    tx.send({first: {0: 1, 2: 1, 1: 1}, second: {1: 1}})
    t.run(line, cut=without_times(tx))
    tx.finish(commit=True)
    t.run(line, cut=without_times(tx))
    tx.send({second: {0: 1}})
    tx.finish(commit=False)
    t.run(line, cut=without_times(tx))
    t.run("kafka-transactions {at} describe --transactional-id nosuch")
    t.run("kafka-transactions {at} describe --transactional-id ''")


@tool_case
def transactions_describe_many_partitions(t: Terminal) -> None:
    topic, other = t.topic(20), t.topic(9)
    tx = producer(t)
    tx.has({topic: list(range(20)), other: [8, 0, 4]})
    t.run(
        f"kafka-transactions {{at}} describe --transactional-id {tx.name}",
        cut=without_times(tx),
    )
    tx.finish(commit=False)


@tool_case
def transactions_describe_producers(t: Terminal) -> None:
    topic = t.topic(2)
    tx = producer(t)
    line = f"kafka-transactions {{at}} describe-producers --topic {topic} --partition"
    t.run(f"{line} 0")
    tx.send({topic: {0: 3}})
    t.run(f"{line} 0", cut=ids(tx))
    t.run(f"{line} 0 --broker-id 1", cut=ids(tx))
    t.run(f"{line} 1")
    tx.finish(commit=True)
    t.run(f"{line} 0", cut=ids(tx))
    tx.send({topic: {0: 2}})
    tx.finish(commit=False)
    t.run(f"{line} 0", cut=ids(tx))
    t.run("kafka-transactions {at} describe-producers --topic bad/name --partition 0")


@tool_case
def transactions_find_hanging(t: Terminal) -> None:
    topic = t.topic(2)
    tx = producer(t)
    tx.send({topic: {0: 1}})
    line = "kafka-transactions {at} find-hanging"
    t.run(f"{line} --topic {topic}")
    t.run(f"{line} --topic {topic} --max-transaction-timeout 0")
    t.run(f"{line} --topic {topic} --partition 0 --max-transaction-timeout -1")
    t.run(f"{line} --broker-id 1")
    t.run(f"{line} --broker-id 7")
    t.run(f"{line} --broker-id 1 --topic {topic} --partition 1")
    t.run(f"{line} --topic nosuch")
    t.run(f"{line} --topic bad/name")
    tx.finish(commit=True)


def hanging(t: Terminal, topic: str, *partitions: int) -> Producer:
    """Write to these partitions in a transaction that the coordinator does not know, twice to each."""
    tx = producer(t)
    given = dict.fromkeys(partitions, 0)
    t.do(*change((BROKER, "", [(VERIFICATION, SET, "false")])))
    try:
        for sequence in (0, 2):
            data = {
                index: batch(
                    record(), record(), attributes=TRANSACTIONAL, producer_id=tx.id,
                    producer_epoch=tx.epoch, base_sequence=sequence,
                )
                for index in given
            }  # fmt: skip
            t.until(
                lambda data=data: t.do(*produce({topic: data}, transactional_id=tx.name, version=11)),
                lambda response: (
                    not any(p["ErrorCode"] for r in response["Responses"] for p in r["PartitionResponses"])
                ),
            )
    finally:
        t.do(*change((BROKER, "", [(VERIFICATION, DELETE, None)])))
    return tx


def without_minutes(tx: Producer) -> Callable[[list[str]], list[str]]:
    """cut=: replace the last column, minutes since the first of 1970."""
    return lambda lines: [re.sub(r"\t\d+\t$", "\t<minutes>\t", line) for line in ids(tx)(lines)]


@tool_case
def transactions_abort_a_hanging_one(t: Terminal) -> None:
    topic = t.topic(3)
    tx = hanging(t, topic, 0, 2)
    find = f"kafka-transactions {{at}} find-hanging --topic {topic}"
    abort = f"kafka-transactions {{at}} abort --topic {topic}"
    t.run(find, cut=without_minutes(tx))
    t.run(f"{find} --partition 2", cut=without_minutes(tx))
    t.run(f"kafka-transactions {{at}} describe-producers --topic {topic} --partition 2", cut=ids(tx))
    t.run(f"{abort} --partition 2 --start-offset 1")
    t.run(f"{abort} --partition 1 --start-offset 0")
    t.run(f"{abort} --partition 2 --start-offset 0")
    t.run(f"{abort} --partition 2 --start-offset 0")
    t.run(find, cut=without_minutes(tx))
    t.run(f"kafka-transactions {{at}} describe-producers --topic {topic} --partition 2", cut=ids(tx))
    # Other cases search the whole broker for hanging transactions.
    t.do(*write_markers(marker(tx.id, 0, {topic: [0]}, commit=False), version=1))


@tool_case
def transactions_abort_by_producer(t: Terminal) -> None:
    topic = t.topic(1)
    tx = hanging(t, topic, 0)
    abort = f"kafka-transactions {{at}} abort --topic {topic} --partition 0 --producer-id {tx.id}"

    def run(options: str) -> None:
        t.run(f"{abort} {options}", cut_err=ids(tx))
        t.printed[-1]["$"] = re.sub(r"(?<=--producer-id )\d+", "<producer>", t.printed[-1]["$"])

    run("--producer-epoch 0 --coordinator-epoch -2")
    t.run(f"kafka-transactions {{at}} describe-producers --topic {topic} --partition 0", cut=ids(tx))
    run("--producer-epoch 3 --coordinator-epoch 7")
    run("--producer-epoch 1 --coordinator-epoch 7")
    run("--producer-epoch 3 --coordinator-epoch 6")


@tool_case
def transactions_force_terminate(t: Terminal) -> None:
    topic = t.topic()
    tx = producer(t)
    tx.send({topic: {0: 1}})
    t.run(f"kafka-transactions {{at}} forceTerminateTransaction --transactionalId {tx.name}")
    t.run(f"kafka-transactions {{at}} describe --transactional-id {tx.name}", cut=without_times(tx))
    t.run(f"kafka-transactions {{at}} describe-producers --topic {topic} --partition 0", cut=ids(tx))
    t.run(f"kafka-transactions {{at}} forceTerminateTransaction --transactionalId {tx.name}")
    t.run(f"kafka-transactions {{at}} describe --transactional-id {tx.name}", cut=without_times(tx))
    unknown = t.name("tx")
    t.run(f"kafka-transactions {{at}} forceTerminateTransaction --transactionalId {unknown}")
    t.run(
        f"kafka-transactions {{at}} list --transactional-id-pattern {unknown}",
        cut=ids(),
    )
