"""confluent-kafka, and with it librdkafka."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from confluent_kafka import Consumer, ConsumerGroupTopicPartitions, KafkaError, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic
from deletions import NOT_OFFERED, Place, tell_all

TIMEOUT_S = 30


class ConfluentKafka:
    def __init__(self, bootstrap: str) -> None:
        self.bootstrap = bootstrap
        self.admin = AdminClient({"bootstrap.servers": bootstrap})

    def create_topic(self, topic: str, partitions: int) -> None:
        self.admin.create_topics([NewTopic(topic, partitions, 1)])[topic].result(TIMEOUT_S)

    def commit(self, group: str, offsets: dict[Place, int]) -> None:
        wanted = [TopicPartition(*place, offset) for place, offset in offsets.items()]
        while wanted:  # Kafka's broker may learn of a new topic after its creation was answered
            requested = self.admin.alter_consumer_group_offsets([ConsumerGroupTopicPartitions(group, wanted)])
            found = requested[group].result(TIMEOUT_S).topic_partitions
            failed = {(each.topic, each.partition): each.error for each in found if each.error}
            if any(error.code() != KafkaError.UNKNOWN_TOPIC_OR_PART for error in failed.values()):
                raise RuntimeError(failed)
            wanted = [place for place in wanted if (place.topic, place.partition) in failed]

    @contextmanager
    def member(self, group: str, topic: str) -> Iterator[None]:
        consumer = Consumer(
            {"bootstrap.servers": self.bootstrap, "group.id": group, "enable.auto.commit": False}
        )
        consumer.subscribe([topic])
        while not consumer.assignment():
            consumer.poll(0.1)
        yield
        consumer.close()

    def offsets(self, group: str) -> dict[Place, int]:
        requested = self.admin.list_consumer_group_offsets([ConsumerGroupTopicPartitions(group)])
        found = requested[group].result(TIMEOUT_S).topic_partitions
        return {(each.topic, each.partition): each.offset for each in found}

    def delete_offsets(self, group: str, places: list[Place]) -> dict[Place, int] | int | str:
        return NOT_OFFERED

    def delete_groups(self, groups: list[str]) -> dict[str, int]:
        errors = {}
        for group, response in self.admin.delete_consumer_groups(groups).items():
            try:
                response.result(TIMEOUT_S)
                errors[group] = 0
            except KafkaException as refused:
                errors[group] = refused.args[0].code()
        return errors


tell_all(ConfluentKafka(sys.argv[1]), sys.argv[2])
