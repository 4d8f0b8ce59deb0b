"""AgeAwareConsumer. It reads a topic until stdin ends, and reports facts as lines of JSON (child.py).

    argv: settings as JSON, and the topic
    -> assigned, revoked, records ([partition, offset, value] of each), raised, refused

`refused` names the exception of the constructor; `raised` one of poll or consume, once for each kind.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import child
from confluent_kafka import TopicPartition

from tidemark_tools.client import AgeAwareConsumer, ClientError


def read(settings: dict[str, Any], topic: str) -> None:
    at_once = settings.pop("at_once", 1)
    by_hand = settings.pop("by_hand", [])  # partitions to assign instead of a subscription
    with AgeAwareConsumer(settings) as consumer:

        def told(event: str, partitions: list[Any]) -> None:
            child.tell(event, partitions=sorted(each.partition for each in partitions))

        if by_hand:
            consumer.assign([TopicPartition(topic, partition) for partition in by_hand])
        else:
            consumer.subscribe(
                [topic],
                on_assign=lambda _, partitions: told("assigned", partitions),
                on_revoke=lambda _, partitions: told("revoked", partitions),
            )
        stopping = child.next_line()
        raised: set[str] = set()
        while not stopping.is_set():
            try:
                if at_once == 1:
                    message = consumer.poll(0.2)
                    messages = [] if message is None else [message]
                else:
                    messages = consumer.consume(at_once, 0.2)
            except ClientError as error:
                if type(error).__name__ not in raised:
                    raised.add(type(error).__name__)
                    owned = [each.partition for each in consumer.assignment()]
                    child.tell("raised", kind=type(error).__name__, text=str(error), assignment=owned)
                continue
            if read_now := [m for m in messages if m.error() is None]:
                rows = [[m.partition(), m.offset(), m.value().decode()] for m in read_now]
                child.tell("records", records=rows)
    child.tell("closed")


if __name__ == "__main__":
    try:
        read(json.loads(sys.argv[1]), sys.argv[2])
    except ClientError as refused:
        child.tell("refused", kind=type(refused).__name__, text=str(refused))
