"""The application: it reads orders and writes a bill for each."""

from confluent_kafka import Consumer, Producer


def bill_orders(bootstrap_servers: str, count: int) -> None:
    """Write bills for so many orders, and commit them."""
    servers = {"bootstrap.servers": bootstrap_servers}
    settings = {"group.id": "billing", "auto.offset.reset": "earliest", "enable.auto.commit": False}
    consumer, producer = Consumer({**servers, **settings}), Producer(servers)
    consumer.subscribe(["orders"])
    try:
        for _ in range(count):
            order = consumer.poll(10)
            if order is None:
                raise TimeoutError("no order within 10 s")
            producer.produce("bills", b"bill for " + order.value())
        producer.flush()
        consumer.commit(asynchronous=False)
    finally:
        consumer.close()
