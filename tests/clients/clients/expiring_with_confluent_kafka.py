"""confluent-kafka, and with it librdkafka."""

from __future__ import annotations

import sys

from confluent_kafka import Consumer, TopicPartition
from expiring import Offsets, serve


def given(offsets: Offsets) -> list[TopicPartition]:
    return [TopicPartition(topic, partition, offset) for topic, partition, offset in offsets]


class ConfluentKafka:
    def __init__(self, bootstrap: str) -> None:
        self.bootstrap = bootstrap

    def commit(self, group: str, offsets: Offsets) -> None:
        consumer = self._consumer(group)
        consumer.commit(offsets=given(offsets), asynchronous=False)
        consumer.close()

    def committed(self, group: str, places: list[tuple[str, int]]) -> list[int]:
        consumer = self._consumer(group)
        found = consumer.committed([TopicPartition(*place) for place in places], timeout=30)
        consumer.close()
        return [max(place.offset, -1) for place in found]

    def member(self, group: str) -> Member:
        return Member(self._consumer(group))

    def _consumer(self, group: str) -> Consumer:
        return Consumer({"bootstrap.servers": self.bootstrap, "group.id": group, "enable.auto.commit": False})


class Member:
    def __init__(self, consumer: Consumer) -> None:
        self._consumer = consumer

    def subscribe(self, topics: list[str]) -> None:
        assigned: list[object] = []
        self._consumer.subscribe(topics, on_assign=lambda _, partitions: assigned.append(partitions))
        while not assigned:
            self._consumer.poll(0.05)

    def commit(self, offsets: Offsets) -> None:
        self._consumer.commit(offsets=given(offsets), asynchronous=False)

    def leave(self) -> None:
        self._consumer.close()


if __name__ == "__main__":
    serve(ConfluentKafka(sys.argv[1]))
