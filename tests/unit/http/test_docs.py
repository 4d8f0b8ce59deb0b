"""The requests in docs/http.md, sent in order, get the responses on that page."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from typing import Any

import pytest

from tests.broker_process import ROOT
from tests.unit.http.asking import Answer, Asked, asked
from tests.unit.http.test_share_groups import REJECT, consumer_of
from tests.unit.http.test_transactions import Producer
from tidemark_http.api import CHANGES, READS

PAGE = (ROOT / "docs" / "http.md").read_text("utf-8")
EXAMPLES = re.findall(r"^```console\n\$ (curl [^\n]+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def a_shop(broker: Asked) -> None:
    """The state at the start of the page: readers has no members, billing reads orders but not payments."""
    broker.topics(orders=2, payments=1)
    for partition, offset in enumerate((41, 17)):
        broker.commit("readers", "orders", partition, offset)
    broker.leave("readers", broker.join("readers", "orders"))
    broker.post("/clock/advance", days=1)
    broker.commit("billing", "orders", 0, 40)
    broker.commit("billing", "payments", 0, 5)
    broker.join("billing", "orders")
    Producer(broker, "shop").send("payments", count=2)


@pytest.fixture
def broker() -> Iterator[Asked]:
    with asked(tidemark_test_api="true") as broker:
        a_shop(broker)
        yield broker


@pytest.fixture
def three() -> Iterator[Asked]:
    """A cluster of three brokers that can lead each partition."""
    with asked(tidemark_test_api="true", tidemark_brokers="3", default_replication_factor="3") as cluster:
        cluster.topics(orders=2, payments=1)
        key = {"KeyType": 0, "CoordinatorKeys": ["billing"]}
        cluster.run(cluster.client().ask("FindCoordinator", 4, key))
        yield cluster


@pytest.fixture
def shared() -> Iterator[Asked]:
    """A share group that has three records in flight, of which one is rejected."""
    with asked(tidemark_test_api="true") as broker:
        broker.topics(orders=2)
        broker.post("/clock/advance", days=1)
        consumer = consumer_of(broker, 3)
        consumer.acknowledge((1, 1, REJECT))
        for _ in range(2):  # the first one computes its assignment, the second one returns it
            consumer.heartbeat(2)
            broker.passes(1_000)
        yield broker


def curl(broker: Asked, command: str) -> Answer:
    """Parse a curl command: -X METHOD, -d BODY and the address."""
    words = shlex.split(command)[1:]
    method, body, target = "GET", None, ""
    while words:
        word = words.pop(0)
        if word == "-X":
            method = words.pop(0)
        elif word == "-d":
            method, body = "POST", words.pop(0)
        elif not word.startswith("-"):
            target = word.removeprefix("http://").removeprefix("localhost:9464")
    return broker.ask(method, target, None if body is None else body.encode())


def shape(value: Any) -> Any:
    """Return the fields and the types of their values; null matches any type."""
    if isinstance(value, dict):
        return {name: shape(each) for name, each in value.items()}
    if isinstance(value, list):
        return [shape(each) for each in value]
    return None if value is None else type(value)


def test_every_example_gets_the_response_on_the_page(broker: Asked, three: Asked, shared: Asked) -> None:
    assert len(EXAMPLES) > 10
    for command, said in EXAMPLES:
        of_page = shared if "/v1/share-groups" in command else broker
        answer = curl(three if "/v1/brokers" in command else of_page, command)
        if answer.value is None:
            assert answer.text == said
        else:
            assert shape(answer.value) == shape(json.loads(said)), command


def test_every_route_has_an_example() -> None:
    asked_for = "\n".join(command for command, _ in EXAMPLES)
    for path in (*READS, *(path for _, path in CHANGES)):
        if path == "/openapi.json":  # its response is longer than the page
            continue
        pattern = re.escape(f"localhost:9464/v1{path}").replace(r"\{id\}", r"\w+")
        assert re.search(rf"{pattern}(?=['? ]|$)", asked_for, re.MULTILINE), path
