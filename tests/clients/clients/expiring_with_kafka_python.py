"""kafka-python-ng and kafka-python 3."""

from __future__ import annotations

import sys
from typing import Any

import kafka
from expiring import Offsets, serve

IS_NG = int(kafka.__version__.split(".")[0]) < 3


def given(offsets: Offsets) -> dict[kafka.TopicPartition, Any]:
    return {
        kafka.TopicPartition(topic, partition): (
            kafka.OffsetAndMetadata(offset, "") if IS_NG else kafka.OffsetAndMetadata(offset, "", -1)
        )
        for topic, partition, offset in offsets
    }


class KafkaPython:
    def __init__(self, bootstrap: str) -> None:
        self.bootstrap = bootstrap

    def commit(self, group: str, offsets: Offsets) -> None:
        consumer = self._consumer(group)
        consumer.assign(list(given(offsets)))
        consumer.commit(given(offsets))
        consumer.close(autocommit=False)

    def committed(self, group: str, places: list[tuple[str, int]]) -> list[int]:
        consumer = self._consumer(group)
        found = [consumer.committed(kafka.TopicPartition(*place)) for place in places]
        consumer.close(autocommit=False)
        return [-1 if offset is None else offset for offset in found]

    def member(self, group: str) -> Member:
        return Member(self._consumer(group))

    def _consumer(self, group: str) -> kafka.KafkaConsumer:
        return kafka.KafkaConsumer(bootstrap_servers=self.bootstrap, group_id=group, enable_auto_commit=False)


class Member:
    def __init__(self, consumer: kafka.KafkaConsumer) -> None:
        self._consumer = consumer

    def subscribe(self, topics: list[str]) -> None:
        assigned = Assigned()
        self._consumer.subscribe(topics, listener=assigned)
        while not assigned.told:
            self._consumer.poll(timeout_ms=3_000)

    def commit(self, offsets: Offsets) -> None:
        """Commit, and repeat it during rebalances. The client also rebalances when it discovers topics."""
        while True:
            try:
                return self._consumer.commit(given(offsets))
            except kafka.errors.RebalanceInProgressError:
                self._consumer.poll(timeout_ms=3_000)

    def leave(self) -> None:
        self._consumer.close(autocommit=False)


class Assigned(kafka.ConsumerRebalanceListener):  # type: ignore[misc]
    told = False

    def on_partitions_revoked(self, revoked: Any) -> None: ...

    def on_partitions_assigned(self, assigned: Any) -> None:
        self.told = True


if __name__ == "__main__":
    serve(KafkaPython(sys.argv[1]))
