"""kafka-python-ng and kafka-python 3."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import kafka
from deletions import NOT_OFFERED, Place, tell_all
from kafka.admin import KafkaAdminClient, NewTopic

IS_NG = int(kafka.__version__.split(".")[0]) < 3


class KafkaPython:
    def __init__(self, bootstrap: str) -> None:
        self.bootstrap = bootstrap
        self.admin = KafkaAdminClient(bootstrap_servers=bootstrap)

    def create_topic(self, topic: str, partitions: int) -> None:
        self.admin.create_topics([NewTopic(topic, partitions, 1)])

    def commit(self, group: str, offsets: dict[Place, int]) -> None:
        consumer = kafka.KafkaConsumer(bootstrap_servers=self.bootstrap, group_id=group)
        consumer.assign([kafka.TopicPartition(*place) for place in offsets])
        values = {kafka.TopicPartition(*place): _value(offset) for place, offset in offsets.items()}
        consumer.commit(values)
        consumer.close(autocommit=False)

    @contextmanager
    def member(self, group: str, topic: str) -> Iterator[None]:
        consumer = kafka.KafkaConsumer(
            topic, bootstrap_servers=self.bootstrap, group_id=group, enable_auto_commit=False
        )
        while not consumer.assignment():
            # kafka-python 3.0.12 may lose an assignment if a poll ends between its join and its sync.
            consumer.poll(timeout_ms=3000)
        yield
        consumer.close()

    def offsets(self, group: str) -> dict[Place, int]:
        if IS_NG:
            found = self.admin.list_consumer_group_offsets(group)
        else:
            found = self.admin.list_group_offsets(group)[group]
        return {(place.topic, place.partition): value.offset for place, value in found.items()}

    def delete_offsets(self, group: str, places: list[Place]) -> dict[Place, int] | int | str:
        if IS_NG:
            return NOT_OFFERED
        try:
            found = self.admin.delete_group_offsets(group, [kafka.TopicPartition(*place) for place in places])
        except kafka.errors.KafkaError as refused:
            return int(refused.errno)
        return {(place.topic, place.partition): error.errno for place, error in found.items()}

    def delete_groups(self, groups: list[str]) -> dict[str, int]:
        if IS_NG:
            return {name: error.errno for name, error in self.admin.delete_consumer_groups(groups)}
        completed = self.admin.delete_groups(groups)
        return {
            name: 0 if error == "OK" else getattr(kafka.errors, error).errno
            for name, error in completed.items()
        }


def _value(offset: int) -> Any:
    """kafka-python 3 has the leader epoch as a third field."""
    return kafka.OffsetAndMetadata(offset, "") if IS_NG else kafka.OffsetAndMetadata(offset, "", -1)


tell_all(KafkaPython(sys.argv[1]), sys.argv[2])
