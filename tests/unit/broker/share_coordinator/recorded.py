"""Responses of a node of Apache Kafka 4.3.1 to requests for share state, and its records.

Its settings were three partitions of `__share_group_state`, a snapshot after three updates, cold snapshots
after 4 s, and pruning every 3 s. `kafka_4_3_1.json` has

topic_ids  of the topics a (3 partitions) and b (2)
cases      [part of the session, API, version, request, response]
records    by partition: [record type, key, value, key bytes, value bytes], in the order of the log. Beside
           Kafka's fields, `cold` tells whether the timestamps of a snapshot differ
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from tidemark_protocol import to_dict

SETTINGS: Final[dict[str, Any]] = {
    "share_coordinator_state_topic_num_partitions": "3",
    "share_coordinator_snapshot_update_records_per_snapshot": "3",
    "share_coordinator_cold_partition_snapshot_interval_ms": "4000",
    "share_coordinator_state_topic_prune_interval_ms": "3000",
}
_FOUND: Final[dict[str, Any]] = json.loads(Path(__file__).with_name("kafka_4_3_1.json").read_text())
TOPIC_IDS: Final[dict[str, str]] = _FOUND["topic_ids"]
RECORDS: Final[dict[int, list[list[Any]]]] = {int(index): each for index, each in _FOUND["records"].items()}


def cases(part: str) -> list[tuple[str, int, dict[str, Any], dict[str, Any]]]:
    """Return API, version, request and response of each case of a part of the session."""
    return [(api, version, asked, got) for of, api, version, asked, got in _FOUND["cases"] if of == part]


def named(value: Any) -> dict[str, Any] | None:
    """Return the value of a record as Kafka's decoder prints it, with `cold` in place of its timestamps."""
    if value is None:
        return None
    fields = {name[0].lower() + name[1:]: each for name, each in to_dict(value).items()}
    fields["stateBatches"] = [
        {name[0].lower() + name[1:]: each for name, each in batch.items()} for batch in fields["stateBatches"]
    ]
    if fields["deliveryCompleteCount"] == -1:
        del fields["deliveryCompleteCount"]
    if "createTimestamp" in fields:
        fields["cold"] = fields.pop("createTimestamp") != fields.pop("writeTimestamp")
    return fields
