"""Share consumers (KIP-932) of confluent-kafka that do one step per command. The first poll opens one.

poll member group topic seconds    -> polled: rows of partition, offset and delivery count
acknowledge member kind            -> acknowledged: the errors by partition, null if there is none
close member                       -> closed
"""

from __future__ import annotations

import json
import sys
from typing import Any

from child import tell
from confluent_kafka import AcknowledgeType, ShareConsumer

TYPES = {
    "accept": AcknowledgeType.ACCEPT,
    "release": AcknowledgeType.RELEASE,
    "reject": AcknowledgeType.REJECT,
}
ACKNOWLEDGE_S = 10


def main() -> None:
    consumers: dict[str, Any] = {}
    held: dict[str, list[Any]] = {}
    for line in sys.stdin:
        command: dict[str, Any] = json.loads(line)
        member = command["member"]
        if command["do"] == "poll":
            if member not in consumers:
                consumers[member] = ShareConsumer(
                    {
                        "bootstrap.servers": sys.argv[1],
                        "group.id": command["group"],
                        "client.id": member,
                        "share.acknowledgement.mode": "explicit",
                    }
                )
                consumers[member].subscribe([command["topic"]])
            held[member] = [each for each in consumers[member].poll(command["seconds"]) if not each.error()]
            rows = [[each.partition(), each.offset(), each.delivery_count()] for each in held[member]]
            tell("polled", rows=rows)
        elif command["do"] == "acknowledge":
            for each in held[member]:
                consumers[member].acknowledge(each, TYPES[command["kind"]])
            outcome = consumers[member].commit_sync(ACKNOWLEDGE_S)
            errors = {
                place.partition: None if error is None else error.args[0].name()
                for place, error in outcome.items()
            }
            tell("acknowledged", errors=errors)
        elif command["do"] == "close":
            consumers.pop(member).close()
            tell("closed")


if __name__ == "__main__":
    main()
