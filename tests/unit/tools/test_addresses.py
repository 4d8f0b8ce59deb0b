"""The address that a client gets for the broker: the one that it connected to, or the advertised one."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from tests.broker_process import BrokerProcess, free_port
from tests.wire import Connection
from tidemark_protocol.messages.describe_cluster import DescribeClusterRequest
from tidemark_protocol.messages.find_coordinator import FindCoordinatorRequest
from tidemark_protocol.messages.metadata import MetadataRequest

# Only on Linux are all addresses of 127/8 this host.
HOSTS = ["127.0.0.1", "127.0.0.2"] if sys.platform == "linux" else ["127.0.0.1"]
ADVERTISED = ("kafka.example.org", 19092)


class Ports(NamedTuple):
    """INSIDE is bound to every address and advertises none; OUTSIDE has an advertised address."""

    inside: int
    outside: int


@pytest.fixture(scope="module")
def ports(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ports]:
    outside = free_port()
    settings = {
        "listeners": f"INSIDE://:0,OUTSIDE://127.0.0.1:{outside}",
        "listener.security.protocol.map": "INSIDE:PLAINTEXT,OUTSIDE:PLAINTEXT",
        "advertised.listeners": "OUTSIDE://kafka.example.org:19092",
    }
    broker = BrokerProcess(tmp_path_factory.mktemp("broker"), settings)
    broker.start()
    yield Ports(int(broker.bootstrap.rpartition(":")[2]), outside)
    broker.stop()


def result(address: str) -> list[tuple[str, int]]:
    """Return the broker's address in the three responses that have it, for a client of this address."""
    with Connection(address) as connection:
        metadata = connection.ask("Metadata", 12, MetadataRequest(topics=[])).brokers[0]
        coordinator = connection.ask(
            "FindCoordinator", 4, FindCoordinatorRequest(key_type=0, coordinator_keys=["readers"])
        ).coordinators[0]
        cluster = connection.ask("DescribeCluster", 0, DescribeClusterRequest()).brokers[0]
        return [(each.host, each.port) for each in (metadata, coordinator, cluster)]


@pytest.mark.parametrize("host", HOSTS)
def test_a_client_gets_the_address_that_it_connected_to(ports: Ports, host: str) -> None:
    assert result(f"{host}:{ports.inside}") == [(host, ports.inside)] * 3


def test_a_client_of_an_advertised_listener_gets_the_advertised_address(ports: Ports) -> None:
    assert result(f"127.0.0.1:{ports.outside}") == [ADVERTISED] * 3
