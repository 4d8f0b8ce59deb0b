"""Each caller receives what it receives from Apache Kafka (recorded.json and 4.4)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.broker_process import start_broker
from tests.conformance.permissions.cells import WITHOUT_CELLS, cells, share_cells, streams_cells
from tests.conformance.permissions.matrix import SETTINGS, run
from tests.conformance.permissions.record import recorded
from tests.kafka_oracle import NEWEST, USUAL, short_name
from tidemark.handlers.routes import load

RECORDED = {version: recorded(version) for version in (USUAL, NEWEST)}
SERVED = frozenset(route.name for route in load().values())
# One of them is about the share coordinator, though its API is FindCoordinator.
NOT_SERVED = frozenset(
    (() if "WriteShareGroupState" in SERVED else (*share_cells(),))
    + (() if "StreamsGroupHeartbeat" in SERVED else (*streams_cells(),))
)
CELLS = [cell for cell in cells() if cell.api in SERVED and cell.name not in NOT_SERVED]


@pytest.fixture(scope="module", params=RECORDED)
def version(request: pytest.FixtureRequest) -> str:
    chosen: str = request.param
    return chosen


@pytest.fixture(scope="module")
def found(version: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    settings = {
        **SETTINGS,
        "tidemark.as": short_name(version),
        "tidemark.sync": "never",
        "tidemark.http.listener": "",
    }
    broker = start_broker(tmp_path_factory.mktemp("matrix"), settings)
    try:
        return run(broker.bootstrap, CELLS, together=True)
    finally:
        broker.stop()


def by_caller(record: list[Any]) -> dict[str, Any]:
    return {caller: outcome for outcome, callers in record for caller in callers}


@pytest.mark.slow
@pytest.mark.parametrize("cell", [cell.name for cell in CELLS])
def test_callers_may_do_what_they_may_do_on_kafka(
    cell: str, version: str, found: dict[str, list[Any]]
) -> None:
    assert by_caller(found[cell]) == by_caller(RECORDED[version][cell])


def test_every_served_api_has_a_cell() -> None:
    assert {cell.api for cell in cells()} >= SERVED - WITHOUT_CELLS


def test_the_matrix_is_large() -> None:
    assert sum(len(callers) for cell in CELLS for _, callers in RECORDED[USUAL][cell.name]) >= 600
