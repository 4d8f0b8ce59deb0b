"""Traffic of each topic. Kafka: BrokerTopicMetrics."""

from __future__ import annotations

from typing import Final

COUNTED: Final = (
    "messages_in", "bytes_in", "bytes_out", "produce_requests", "fetch_requests", "failed_produce_requests",
    "failed_fetch_requests",
)  # fmt: skip
ALL: Final = ""  # the sum of all topics: Prometheus treats an empty label as an absent one


class Traffic:
    """Counters of one topic.

    messages_in, bytes_in             appended, repeated batches of a producer included
    produce_requests, fetch_requests  of single partitions, failed ones included
    bytes_out                         of records, to consumers
    failed_produce_requests           failed with an error that Kafka does not expect of a client
    failed_fetch_requests             as failed_produce_requests
    """

    __slots__ = COUNTED

    def __init__(self) -> None:
        self.messages_in = 0
        self.bytes_in = 0
        self.bytes_out = 0
        self.produce_requests = 0
        self.fetch_requests = 0
        self.failed_produce_requests = 0
        self.failed_fetch_requests = 0


class TrafficByTopic:
    """Counts since the start of the broker. Counts of a deleted topic are dropped, but stay in the sum."""

    __slots__ = ("_gone", "_topics")

    def __init__(self) -> None:
        self._topics: dict[str, Traffic] = {}
        self._gone = dict.fromkeys(COUNTED, 0)

    def of(self, topic: str) -> Traffic:
        known = self._topics.get(topic)
        if known is None:
            known = self._topics[topic] = Traffic()
        return known

    def forget(self, topic: str) -> None:
        gone = self._topics.pop(topic, None)
        if gone is not None:
            for name in COUNTED:
                self._gone[name] += getattr(gone, name)

    def reading(self, name: str) -> dict[str, int]:
        """Return one counter of COUNTED by topic, and the sum of all topics under ALL."""
        topics = {topic: getattr(traffic, name) for topic, traffic in self._topics.items()}
        return {ALL: self._gone[name] + sum(topics.values())} | topics
