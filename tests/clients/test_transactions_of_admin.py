"""Kafka's AdminClient lists, describes, fences, aborts and terminates transactions, on ours and on Kafka."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests import kafka_oracle
from tests.broker_process import BrokerProcess, OracleBroker, two_free_ports
from tests.conftest import SETTINGS

pytestmark = [
    pytest.mark.contract,
    pytest.mark.slow,
    pytest.mark.java,
    pytest.mark.skipif(kafka_oracle.missing() is not None, reason=f"{kafka_oracle.missing()}"),
]

JAVA: Final = Path(__file__).parent / "java" / "Transactions.java"
# The facts of Kafka 4.3.1.
TOLD: Final = """\
all: [aborted CompleteAbort, committed CompleteCommit, open Ongoing]
ongoing: [open Ongoing]
complete: [aborted CompleteAbort, committed CompleteCommit]
of an hour: []
of 0 ms: [aborted CompleteAbort, committed CompleteCommit, open Ongoing]
by pattern: [aborted CompleteAbort, committed CompleteCommit]
by a bad pattern: InvalidRegularExpression
by producer: [open Ongoing]
by an unknown producer: []
committed: coordinator 1, CompleteCommit, epoch 1, timeout 123456, began true, []
aborted: coordinator 1, CompleteAbort, epoch 1, timeout 123456, began true, []
open: coordinator 1, Ongoing, epoch 0, timeout 123456, began true, [orders-0, orders-1]
unknown: TransactionalIdNotFoundException
producer of orders-0: epoch 1, sequence -1, coordinator epoch OptionalInt[0], open from OptionalLong.empty
producer of orders-0: epoch 1, sequence -1, coordinator epoch OptionalInt[0], open from OptionalLong.empty
producer of orders-0: epoch 0, sequence 0, coordinator epoch OptionalInt.empty, open from OptionalLong[4]
held back: 4 of 5, 0 of 1
fenced open: epoch 2
fenced never used: epoch 0
open: coordinator 1, Empty, epoch 2, timeout 30000, began false, []
the fenced producer: ProducerFencedException
terminated: coordinator 1, Empty, epoch 2, timeout 30000, began false, []
the terminated producer: ProducerFencedException
terminate again: done
terminate unknown: done
abort with an old epoch: InvalidProducerEpochException
abort: done
held back: 4 of 5
hanging: coordinator 1, Ongoing, epoch 2, timeout 123456, began true, [orders-0, orders-1]
producer of orders-0: epoch 1, sequence -1, coordinator epoch OptionalInt[0], open from OptionalLong.empty
producer of orders-0: epoch 1, sequence -1, coordinator epoch OptionalInt[0], open from OptionalLong.empty
producer of orders-0: epoch 1, sequence -1, coordinator epoch OptionalInt[0], open from OptionalLong.empty
producer of orders-0: epoch 2, sequence 0, coordinator epoch OptionalInt[0], open from OptionalLong.empty
hanging: coordinator 1, CompleteAbort, epoch 3, timeout 123456, began true, []
"""


@pytest.fixture(scope="module", params=["ours", "kafka"])
def bootstrap(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of each broker in turn."""
    folder = tmp_path_factory.mktemp(request.param)
    broker: BrokerProcess | OracleBroker = BrokerProcess(folder, SETTINGS)
    if request.param == "kafka":
        broker = OracleBroker(folder, two_free_ports(), SETTINGS)
    try:
        broker.start()
        yield broker.bootstrap
    finally:
        broker.stop()


def test_the_admin_client_sees_and_ends_transactions(bootstrap: str) -> None:
    command = kafka_oracle.java(str(JAVA), bootstrap)
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ended.stdout == TOLD
