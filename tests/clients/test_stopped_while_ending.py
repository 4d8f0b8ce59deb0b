"""A broker gets SIGTERM after EndTxn was sent. A producer without a response asks again after the restart.

The test passes with Apache Kafka 4.3.1, too (TIDEMARK_TEST_ORACLE=1).
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.broker_process import RunningBroker, start_broker
from tests.clients.test_bad_transactions import CONCURRENT, Client
from tests.wire import request, response
from tidemark_protocol.messages.end_txn import EndTxnRequest

pytestmark = [pytest.mark.slow, pytest.mark.contract]

PARTITIONS: Final = 50
NOT_YET: Final = (14, 15, 16, CONCURRENT)  # the coordinator is loading, or the markers are being written
DEADLINE_S: Final = 60


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningBroker]:
    folder: Path = tmp_path_factory.mktemp("broker")
    broker = start_broker(folder, {"transaction.state.log.num.partitions": "1"})
    yield broker
    broker.stop()


@pytest.mark.parametrize(("version", "committed"), [(4, False), (5, True)])
def test_a_transaction_that_a_stop_interrupts_ends_once(
    version: int, committed: bool, broker: RunningBroker
) -> None:
    name = f"v{version}-{committed}"
    client = Client(broker, name).ready()
    topic = client.create(name, PARTITIONS)
    assert {*client.add(topic, *range(PARTITIONS))} == {0}
    assert client.produce(topic) == 0
    ending = EndTxnRequest(name, *client.producer, committed)
    client.connection.send(request("EndTxn", version, ending))
    broker.stop()
    answered = last_response(client, version)
    client.close()

    broker.restart()
    again = Client(broker, name)
    again.producer = client.producer
    repeated = [repeat(again, version, ending) for _ in range(2)]
    assert repeated[0].error_code == 0
    assert repeated[0].producer_epoch == (-1 if version < 5 else client.producer[1] + 1)
    assert repeated[1] == repeated[0]
    assert answered in (None, repeated[0])
    assert again.state() == ("CompleteCommit" if committed else "CompleteAbort")
    for partition in (0, PARTITIONS - 1):
        assert again.end_offset(topic, partition, stable=True) == again.end_offset(topic, partition)
    again.close()


def last_response(client: Client, version: int) -> Any:
    """Return the response that the broker sent before it stopped. None: it sent none."""
    try:
        return response("EndTxn", version, client.connection.answer())
    except ConnectionError:
        return None


def repeat(client: Client, version: int, ending: EndTxnRequest) -> Any:
    """Send EndTxn until the response is final, as a client does."""
    until = time.monotonic() + DEADLINE_S
    while True:
        found = client.ask("EndTxn", version, ending)
        if found.error_code not in NOT_YET or time.monotonic() > until:
            return found
        time.sleep(0.02)
