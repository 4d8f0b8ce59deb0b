"""ApiVersions under `--as 4.3` and `--as 4.4` equals that of a node of Kafka 4.3.1 and 4.4.0."""

from __future__ import annotations

import pytest

from tests.conformance.recorded_responses import read
from tests.kafka_oracle import NEWEST, USUAL, short_name
from tidemark.handlers import routes
from tidemark.node.incarnation import NOT_ADVERTISED
from tidemark.settings.release import RELEASES
from tidemark_protocol.apis import API_NAMES


@pytest.mark.parametrize("version", [USUAL, NEWEST])
def test_every_api_of_kafka_is_listed(version: str) -> None:
    (first, *_) = read(version)["api_versions_tells_of_every_api_and_feature"]
    of_kafka = {API_NAMES[key] for key in first["keys"]}
    release = RELEASES[short_name(version)]
    ours = {
        route.name
        for route in routes.load().values()
        if release.versions(route.name, route.versions) and route.api_key not in NOT_ADVERTISED
    }
    assert ours == of_kafka
