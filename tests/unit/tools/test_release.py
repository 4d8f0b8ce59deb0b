"""`--as 4.3`: ApiVersions has the version ranges of Apache Kafka 4.3, for the APIs that are served."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.broker_process import BrokerProcess
from tests.wire import Connection
from tidemark.handlers import routes
from tidemark.node.incarnation import NOT_ADVERTISED
from tidemark.settings.profile import KAFKA_4_3
from tidemark_protocol.apis import API_NAMES
from tidemark_protocol.messages.api_versions import ApiVersionsRequest


def advertised(folder: Path, settings: dict[str, str]) -> dict[str, tuple[int, int]]:
    broker = BrokerProcess(folder, settings)
    broker.start()
    try:
        with Connection(broker.bootstrap) as connection:
            software = ApiVersionsRequest(client_software_name="test", client_software_version="1")
            response = connection.ask("ApiVersions", 4, software)
            return {API_NAMES[api.api_key]: (api.min_version, api.max_version) for api in response.api_keys}
    finally:
        broker.stop()


@pytest.fixture
def served() -> dict[str, tuple[int, int]]:
    return {
        route.name: (route.versions[0], route.versions[-1])
        for key, route in routes.load().items()
        if key not in NOT_ADVERTISED
    }


def test_as_a_release_the_version_ranges_are_those_of_the_release(
    tmp_path: Path, served: dict[str, tuple[int, int]]
) -> None:
    assert advertised(tmp_path, {"tidemark.as": "4.3"}) == served | KAFKA_4_3


def test_by_default_the_version_ranges_are_those_of_the_handlers_and_produce_starts_at_0(
    tmp_path: Path, served: dict[str, tuple[int, int]]
) -> None:
    assert advertised(tmp_path, {}) == served | {"Produce": (0, served["Produce"][1])}
