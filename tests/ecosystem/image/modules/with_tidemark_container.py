"""TidemarkContainer starts the image; a test moves time, asks why an offset has expired, kills the broker.

usage: with_tidemark_container.py IMAGE
"""

from __future__ import annotations

import sys

from confluent_kafka import Consumer, Producer

from tidemark_testing import CannotServe, TidemarkContainer
from tidemark_testing.container import ContainerServer, two_free_ports
from tidemark_tools.http_api import Api, ApiError

PATIENCE_S = 60


def main(image: str) -> None:
    with TidemarkContainer(image, {"offsets.retention.minutes": 60}) as container:
        servers = {"bootstrap.servers": container.get_bootstrap_server()}
        producer = Producer(servers)
        producer.produce("orders", b"an order")
        assert producer.flush(PATIENCE_S) == 0
        consumer = Consumer({**servers, "group.id": "billing", "auto.offset.reset": "earliest"})
        consumer.subscribe(["orders"])
        print(consumer.poll(PATIENCE_S).value().decode())
        consumer.close()
        container.tidemark.clock.advance(minutes=61)
        container.tidemark.assert_expired("billing", "orders")
        print(container.tidemark.explain("billing", "orders").rule)
        container.tidemark.restore()
        print(len(container.tidemark.groups))
        show_token(container)
        show_restart(container)
        show_ports_in_use(container, image)
    try:
        TidemarkContainer(image, {"log.dirs": "/etc/data"}).start()
    except CannotServe as error:
        print(error)


def show_restart(container: TidemarkContainer) -> None:
    """A client from before the kill continues after it."""
    producer = Producer({"bootstrap.servers": container.get_bootstrap_server()})
    producer.produce("bills", b"before the kill")
    assert producer.flush(PATIENCE_S) == 0
    container.tidemark.kill()
    container.tidemark.restart()
    producer.produce("bills", b"after the kill")
    assert producer.flush(PATIENCE_S) == 0
    for bill in container.tidemark.records("bills"):
        print(bill.text)


def show_token(container: TidemarkContainer) -> None:
    """The container's HTTP needs its token."""
    address, token = container.get_http_address(), container.get_http_token()
    assert Api(address, token=token).get("/v1/clock")["test_api"]
    try:
        Api(address).get("/v1/clock")
    except ApiError as error:
        print(error.code)


def show_ports_in_use(container: TidemarkContainer, image: str) -> None:
    """Another container gets other ports if the chosen ones are in use."""
    used = tuple(
        int(address.rpartition(":")[2])
        for address in (container.get_bootstrap_server(), container.get_http_address())
    )
    choices = iter([(used[0], two_free_ports()[1]), (two_free_ports()[0], used[1]), two_free_ports()])
    other = ContainerServer(image, {}, choices.__next__)
    other.start()
    other.close()
    print("other ports")


if __name__ == "__main__":
    main(*sys.argv[1:])
