"""InitProducerId of a transactional id."""

from __future__ import annotations

from typing import Final

from tests.conformance.build_transactions import describe_transactions, init
from tests.conformance.case import Talk, case
from tests.conformance.transactional import Producer, described, look, transactional_id, wait_for_state

VERSIONS: Final = range(6)
WITH_PRODUCERS: Final = range(3, 6)  # versions whose requests name a producer id and an epoch
TIMEOUT_MAX_MS: Final = 900_000


@case(versions=VERSIONS)
def transactional_id_is_initialised(k: Talk, version: int) -> None:
    name = transactional_id(k)
    for _ in range(3):
        k.ask(*init(name, version=version))
    k.ask(*describe_transactions(name), keep=described)


@case(versions=VERSIONS)
def transactional_id_without_a_name_is_initialised(k: Talk, version: int) -> None:
    transactional_id(k)
    k.ask(*init("", version=version))
    k.ask(*init("", timeout_ms=0, version=version))


@case
def transactional_ids_of_any_kind_are_initialised(k: Talk) -> None:
    for name in (" ", "a b", "ünï", "😀", "/\\:*?", "\n", "x" * 1000, "x" * 30000):
        full = transactional_id(k, f"{k.name()} {name}")
        k.ask(*init(full, version=1))
        k.ask(*init(full))
        k.keep("id", full[-20:])
        k.ask(*describe_transactions(full), keep=lambda told: described(told)[0]["TransactionState"])


@case
def transactional_id_of_32_kb_is_initialised(k: Talk) -> None:
    """The longest string of a request. Its record still fits the log."""
    name = (k.name() + "x" * 32767)[:32767]
    transactional_id(k, name)
    for _ in range(2):
        k.ask(*init(name))
    k.ask(*describe_transactions(name), keep=lambda told: told["TransactionStates"][0]["TransactionState"])


@case(versions=VERSIONS)
def transactional_id_with_a_timeout_that_is_not_allowed(k: Talk, version: int) -> None:
    name = transactional_id(k)
    for timeout_ms in (0, -1, -(2**31), TIMEOUT_MAX_MS + 1, 2**31 - 1):
        k.ask(*init(name, timeout_ms=timeout_ms, version=version))
    k.ask(*describe_transactions(name), keep=described)


@case
def transactional_id_with_the_least_and_the_greatest_timeout(k: Talk) -> None:
    name = transactional_id(k)
    for timeout_ms in (1, TIMEOUT_MAX_MS, 30000):
        k.ask(*init(name, timeout_ms=timeout_ms))
        k.ask(*describe_transactions(name), keep=described)


@case(versions=WITH_PRODUCERS)
def transactional_id_with_only_one_of_producer_id_and_epoch(k: Talk, version: int) -> None:
    """This is checked first, and the timeout last."""
    name = transactional_id(k)
    for producer, epoch in ((5, -1), (-1, 5), (-1, 0), (0, -1)):
        k.ask(*init(name, producer, epoch, version=version))
        k.ask(*init("", producer, epoch, timeout_ms=0, version=version))
    k.ask(*init("", 5, 5, timeout_ms=0, version=version))
    k.ask(*describe_transactions(name), keep=described)


@case(versions=WITH_PRODUCERS)
def transactional_id_that_is_unknown_with_a_producer(k: Talk, version: int) -> None:
    for producer, epoch in ((5, 3), (0, 0), (2**60, 32767), (-5, -5), (5, -3)):
        response = k.ask(*init(transactional_id(k), producer, epoch, version=version))
        k.keep("the one given", response["ProducerId"] == producer)


@case(versions=WITH_PRODUCERS)
def producer_asks_for_its_next_epoch(k: Talk, version: int) -> None:
    one = Producer(k)
    for _ in range(3):
        one.now_is(k.ask(*one.init(one.id, one.epoch, version=version)))
    one.describe()


@case(versions=WITH_PRODUCERS)
def producer_repeats_its_request_for_the_next_epoch(k: Talk, version: int) -> None:
    one = Producer(k)
    first = one.epoch
    for _ in range(3):
        k.ask(*one.init(one.id, first, version=version))
    one.describe()
    k.ask(*one.init(one.id, first + 1, version=version))
    k.ask(*one.init(one.id, first, version=version))


@case(versions=WITH_PRODUCERS)
def producer_asks_with_an_epoch_that_is_not_current(k: Talk, version: int) -> None:
    one = Producer(k)
    one.start()
    one.start()
    for epoch in (0, 3, 100, 32767, -2, 1, 2, 1):
        k.ask(*one.init(one.id, epoch, version=version))
    one.describe()


@case(versions=WITH_PRODUCERS)
def producer_asks_with_the_id_of_somebody_else(k: Talk, version: int) -> None:
    one, other = Producer(k), Producer(k)
    k.ask(*one.init(other.id, 0, version=version))
    k.ask(*one.init(2**62, 0, version=version))
    k.ask(*one.init(-7, 0, version=version))
    one.describe()


@case
def producer_of_a_restart_fences_the_one_before(k: Talk) -> None:
    one = Producer(k)
    zombie = (one.id, one.epoch)
    one.start()
    for version in WITH_PRODUCERS:
        k.ask(*one.init(*zombie, version=version))
    one.start()
    for version in WITH_PRODUCERS:
        k.ask(*one.init(*zombie, version=version))


@case(versions=VERSIONS)
def transactional_id_with_an_open_transaction_is_initialised(k: Talk, version: int) -> None:
    """The transaction is aborted. The epoch grows by one for the abort, and again for the producer."""
    one, topic = Producer(k), k.topic()
    one.send({topic: {0: 2}})
    k.ask(*one.init(version=version))
    one.settle()
    one.describe()
    k.ask(*one.init(version=version))
    one.describe()
    look(k, {topic: [0]})


@case(versions=WITH_PRODUCERS)
def producer_with_an_open_transaction_asks_for_its_next_epoch(k: Talk, version: int) -> None:
    one, topic = Producer(k), k.topic()
    one.send({topic: {0: 2}})
    k.ask(*one.init(one.id, one.epoch, version=version))
    one.settle()
    one.describe()
    for epoch in range(one.epoch, one.epoch + 4):
        k.ask(*one.init(one.id, epoch, version=version))
    one.describe()
    look(k, {topic: [0]})


@case
def producer_with_an_open_transaction_asks_with_wrong_ones(k: Talk) -> None:
    """A wrong epoch of the right producer id aborts the transaction as well."""
    for producer, epoch in ((0, 1), (0, -1), (0, 100), (10**9, 0)):
        one, topic = Producer(k), k.topic()
        one.start()
        one.send({topic: {0: 1}})
        k.ask(*one.init(one.id + producer, one.epoch + epoch))
        one.settle()
        one.describe()


@case
def transactional_id_is_initialised_after_a_commit_and_an_abort(k: Talk) -> None:
    one, topic = Producer(k), k.topic()
    for commit in (True, False):
        one.send({topic: {0: 1}})
        one.finish(commit=commit)
        one.describe()
        one.now_is(k.ask(*one.init()))
        one.describe()
        one.now_is(k.ask(*one.init(one.id, one.epoch)))
        one.describe()


@case
def transactional_id_is_initialised_with_another_timeout(k: Talk) -> None:
    """The timeout of the latest producer counts. A refused request changes nothing."""
    one, topic = Producer(k, timeout_ms=50000), k.topic()
    one.describe()
    one.now_is(k.ask(*one.init(timeout_ms=40000)))
    one.describe()
    k.ask(*one.init(one.id, one.epoch, timeout_ms=0))
    one.describe()
    one.send({topic: {0: 1}})
    k.ask(*one.init(timeout_ms=30000))
    one.settle()
    one.describe()


@case
def transactional_ids_have_producer_ids_of_their_own(k: Talk) -> None:
    found = {Producer(k).id for _ in range(10)}
    k.keep("all different", len(found) == 10)


@case
def producer_after_an_abort_by_another_one(k: Talk) -> None:
    """Every request of the old producer is refused."""
    one, topic, group = Producer(k), k.topic(), k.group()
    one.send({topic: {0: 1}})
    k.do(*one.init())
    one.settle()
    k.do(*one.init())
    for version in (3, 5):
        k.ask(*one.add({topic: [0]}, version=version))
    k.ask(*one.add_offsets(group))
    for version in (0, 1, 2, 3, 4, 5):
        k.ask(*one.end(commit=True, version=version))
    for version in (9, 11, 12):
        k.ask(*one.produce({topic: {0: 1}}, version=version))
    for version in (3, 5):
        k.ask(*one.commit_offsets(group, {topic: {0: 1}}, version=version))
    one.describe()


@case
def transactional_id_is_in_use_on_two_connections(k: Talk) -> None:
    one, topic = Producer(k), k.topic()
    other = k.connect()
    one.send({topic: {0: 1}})
    response = other.do(*one.init())
    k.keep("while the abort runs", response["ErrorCode"])
    wait_for_state(k, one.name, "CompleteAbort")
    other.ask(*one.init())
    k.ask(*one.end(commit=True))


@case
def transactional_id_asks_for_two_phases(k: Talk) -> None:
    """No version that the broker serves has the fields of KIP-939."""
    name = transactional_id(k)
    k.ask(*init(name, Enable2Pc=True, KeepPreparedTxn=True))
    peer = k.connect()
    peer.send_raw(peer.frame(*init(name, version=6, Enable2Pc=True)))
    peer.closed()
