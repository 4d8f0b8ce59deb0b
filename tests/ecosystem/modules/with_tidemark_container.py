"""TidemarkContainer starts the image; a test moves time and learns why an offset has expired.

usage: with_tidemark_container.py IMAGE
"""

from __future__ import annotations

import sys

from confluent_kafka import Consumer, Producer

from tidemark.testing import CannotServe, TidemarkContainer

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
    try:
        TidemarkContainer(image, {"log.dirs": "/etc/data"}).start()
    except CannotServe as error:
        print(error)


if __name__ == "__main__":
    main(*sys.argv[1:])
