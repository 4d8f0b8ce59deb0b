"""Our share partition returns, writes and keeps what Kafka's class does, operation by operation."""

from __future__ import annotations

import pytest

from tests.conformance.share_partitions.record import difference, recorded

SCRIPTS = recorded()


@pytest.mark.parametrize("number", range(len(SCRIPTS)))
def test_share_partition_does_what_kafkas_does(number: int) -> None:
    script, kafkas = SCRIPTS[number]["script"], SCRIPTS[number]["lines"]
    assert difference(script, kafkas) is None
