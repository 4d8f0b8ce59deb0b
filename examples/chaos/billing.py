"""The application: workers of one consumer group that bill orders. Two of the three have a bug."""

import time
from collections.abc import Callable
from threading import Event

from confluent_kafka import Consumer, KafkaException, Message

BATCH = 10
WORK_S = 0.005  # what billing an order takes
SETTINGS = {
    "group.id": "billing",
    "auto.offset.reset": "earliest",
    "enable.auto.commit": False,
    "heartbeat.interval.ms": 50,
    "session.timeout.ms": 10_000,
    "fetch.wait.max.ms": 50,
}

Bill = Callable[[Message], None]


class Worker:
    """Bills orders until `stop` is set. After an error of Kafka it starts again, as under a supervisor."""

    def __init__(self, bootstrap_servers: str, name: str, bill: Bill, stop: Event) -> None:
        self._settings = {**SETTINGS, "bootstrap.servers": bootstrap_servers, "client.id": name}
        self._bill = bill
        self._stop = stop

    def run(self) -> None:
        while not self._stop.is_set():
            consumer = Consumer(self._settings)
            consumer.subscribe(["orders"])
            try:
                self.work(consumer)
            except KafkaException as error:
                print(f"{self._settings['client.id']} starts again: {error}")
            finally:
                consumer.close()

    def work(self, consumer: Consumer) -> None:
        """Bill a batch, commit it, and only then poll again: a rebalance happens while it polls."""
        while not self._stop.is_set():
            batch = self.poll(consumer)
            for order in batch:
                self.bill(order)
            if batch:
                consumer.commit(asynchronous=False)

    def poll(self, consumer: Consumer) -> list[Message]:
        return [checked(order) for order in consumer.consume(BATCH, timeout=0.1)]

    def bill(self, order: Message) -> None:
        time.sleep(WORK_S)
        self._bill(order)


class CommitsFirst(Worker):
    """Bug: it commits a batch before it bills it. A commit that fails may be stored."""

    def work(self, consumer: Consumer) -> None:
        while not self._stop.is_set():
            batch = self.poll(consumer)
            if batch:
                consumer.commit(asynchronous=False)
            for order in batch:
                self.bill(order)


class CommitsRarely(Worker):
    """Bug: it commits every ten orders, but not when its partitions are revoked."""

    def work(self, consumer: Consumer) -> None:
        billed = 0
        while not self._stop.is_set():
            order = consumer.poll(0.1)
            if order is not None:
                self.bill(checked(order))
                billed += 1
            if billed == BATCH or (billed and order is None):
                consumer.commit(asynchronous=False)
                billed = 0


def checked(order: Message) -> Message:
    """Raise KafkaException for what is an error in place of an order."""
    if order.error() is not None:
        raise KafkaException(order.error())
    return order
